/* Meshes as unions of hulls, and how far what bodies touch with is from what is seen of them. */
#include "geom/decompose.h"
#include "geom/mass.h"
#include "geom/solid_distance.h"
#include "scene/scene.h"

#include <stdlib.h>

static const double STANDOFF_STEP = 0.01; /* of the diagonal of the visual's box: how far samples are apart, at most */

cairn_decompose_def cairn_default_decompose_def(void)
{
	return (cairn_decompose_def){.concavity = 0.02, .parts = 32, .vertices = 64};
}

static bool check_def(const cairn_decompose_def *d, cairn_error *error)
{
	if (!(d->concavity >= 0.001 && d->concavity <= 1))
		return cn_fail(error, CAIRN_INVALID, "decompose.concavity", "a concavity of %g; give a share from 0.001 to 1",
		               d->concavity);
	if (d->parts < 1 || d->parts > 1024)
		return cn_fail(error, CAIRN_INVALID, "decompose.parts", "%u parts; give a number from 1 to 1024",
		               (unsigned)d->parts);
	if (d->vertices < 8 || d->vertices > 1024)
		return cn_fail(error, CAIRN_INVALID, "decompose.vertices", "%u vertices; give a number from 8 to 1024",
		               (unsigned)d->vertices);
	return true;
}

static cairn_shape add_parts(cairn_scene *scene, const char *name, const cn_decomposition *found, cairn_error *error)
{
	const cairn_shape none = {0, 0};
	cairn_part *parts = cn_alloc(&scene->allocator, found->part_count, sizeof *parts);
	cairn_shape made = none;
	bool ok = parts != NULL;
	if (!ok)
		cn_fail_memory(error);
	for (uint32_t i = 0; ok && i < found->part_count; ++i) {
		cairn_shape_def hull = cairn_default_shape_def(CAIRN_HULL);
		hull.points = found->parts[i].points, hull.point_count = found->parts[i].point_count;
		parts[i] = (cairn_part){cairn_scene_add_shape(scene, &hull, error), pose_identity()};
		ok = parts[i].shape.generation != 0;
	}
	if (ok) {
		cairn_shape_def all = cairn_default_shape_def(CAIRN_COMPOUND);
		all.name = name, all.parts = parts, all.part_count = found->part_count;
		made = cairn_scene_add_shape(scene, &all, error);
	}
	cn_free(&scene->allocator, parts, found->part_count, sizeof *parts);
	return made;
}

cairn_shape cairn_scene_decompose(cairn_scene *scene, const cairn_shape_def *mesh, const cairn_decompose_def *def,
                                  cairn_error *error)
{
	const cairn_allocator *a = &scene->allocator;
	cairn_decompose_def asked = def ? *def : cairn_default_decompose_def();
	cairn_shape none = {0, 0};
	cairn_shape_def given = *mesh;
	cn_shape solid;
	cn_decomposition found;
	given.shell = given.visual = false, given.name = "";
	if (!check_def(&asked, error))
		return none;
	if (given.kind != CAIRN_MESH) {
		cn_fail(error, CAIRN_INVALID, "decompose", "a mesh is what is decomposed");
		return none;
	}
	if (cn_names_find(&scene->shape_names, mesh->name)) {
		cn_fail(error, CAIRN_INVALID, "name", "there is a shape '%s' already", mesh->name);
		return none;
	}
	if (!cn_shape_make(a, &given, scene->shapes, scene->shape_count, &solid, error))
		return none;
	cn_triangles triangles = {solid.def.points, solid.def.point_count, solid.triangles, solid.triangle_count};
	cn_decompose_options options = {asked.concavity, asked.parts, asked.vertices};
	bool ok = cn_decompose(a, &triangles, solid.tree, &options, &found, error);
	cn_shape_free(a, &solid);
	if (!ok)
		return none;
	given.visual = true;
	cairn_shape visual = cairn_scene_add_shape(scene, &given, error);
	cairn_shape made = visual.generation ? add_parts(scene, mesh->name, &found, error) : none;
	if (made.generation)
		scene->shapes[made.index].shown = visual.index + 1, scene->shapes[made.index].missed = found.missed;
	cn_decomposition_free(a, &found);
	return made;
}

/* ---- how far they are apart */

/* A surface with its tree, in the body's frame; as a solid where it is closed. */
typedef struct skin {
	cairn_surface surface;
	cn_triangles triangles;
	cn_tree tree;
	bool closed;
} skin;

typedef struct standoff {
	const skin *skins;   /* of the shape's parts */
	uint32_t count, own; /* own: whose points are being looked at; UINT32_MAX: the visual's */
	const skin *visual;
	double most;
} standoff;

static double away_from(const skin *s, v3 p, double most)
{
	return s->closed ? cn_solid_distance(&s->tree, &s->triangles, p, most)
	                 : cn_skin_distance(&s->tree, &s->triangles, p, most);
}

/* Of a point of the visual: to the nearest part. */
static bool look_from_visual(void *context, v3 p)
{
	standoff *o = context;
	double away = INFINITY;
	for (uint32_t i = 0; i < o->count && away > o->most; ++i)
		away = away_from(&o->skins[i], p, away);
	o->most = away > o->most ? away : o->most;
	return true;
}

/* Of a point of a part that no other part covers: to the visual. */
static bool look_from_part(void *context, v3 p)
{
	standoff *o = context;
	double away = away_from(o->visual, p, INFINITY);
	bool covered = false;
	if (away <= o->most)
		return true;
	for (uint32_t i = 0; i < o->count && !covered; ++i)
		covered = i != o->own && o->skins[i].closed && away_from(&o->skins[i], p, INFINITY) == 0;
	if (!covered)
		o->most = away;
	return true;
}

static void free_skin(const cairn_allocator *a, skin *s)
{
	cn_tree_free(a, &s->tree);
	cairn_surface_free(&s->surface, a);
}

typedef struct spot {
	v3 at;
	uint32_t number;
} spot;

static int by_place(const void *a, const void *b)
{
	const spot *x = a, *y = b;
	for (int i = 0; i < 3; ++i)
		if (v3_at(x->at, i) != v3_at(y->at, i))
			return v3_at(x->at, i) < v3_at(y->at, i) ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Triangles name one point for each place: files split points where texture or colour have a seam. */
static bool weld(const cairn_allocator *a, cairn_surface *s)
{
	spot *spots = cn_alloc(a, s->point_count, sizeof *spots);
	uint32_t *first = cn_alloc(a, s->point_count, sizeof *first);
	bool ok = spots && first;
	for (uint32_t i = 0; ok && i < s->point_count; ++i)
		spots[i] = (spot){s->points[i], i};
	if (ok)
		qsort(spots, s->point_count, sizeof *spots, by_place);
	for (uint32_t i = 0; ok && i < s->point_count; ++i)
		first[spots[i].number] =
			i && v3_distance(spots[i].at, spots[i - 1].at) == 0 ? first[spots[i - 1].number] : spots[i].number;
	for (size_t i = 0; ok && i < (size_t)s->triangle_count * 3; ++i)
		s->triangles[i] = first[s->triangles[i]];
	cn_free(a, spots, s->point_count, sizeof *spots);
	cn_free(a, first, s->point_count, sizeof *first);
	return ok;
}

static bool make_skin(const cairn_scene *scene, cairn_shape shape, pose at, skin *out, cairn_error *error)
{
	const cairn_allocator *a = &scene->allocator;
	uint32_t from, to;
	cairn_error memory = {0};
	*out = (skin){0};
	if (!cairn_scene_surface(scene, shape, 0.002, 1, a, &out->surface, error))
		return false;
	for (uint32_t i = 0; i < out->surface.point_count; ++i)
		out->surface.points[i] = pose_apply(at, out->surface.points[i]);
	if (!weld(a, &out->surface)) {
		cairn_surface_free(&out->surface, a);
		return cn_fail_memory(error);
	}
	out->triangles = (cn_triangles){out->surface.points, out->surface.point_count, out->surface.triangles,
	                                out->surface.triangle_count};
	out->closed = !cn_mesh_open_edge(a, out->triangles.triangles, out->triangles.triangle_count, &from, &to, &memory);
	if (memory.code == CAIRN_MEMORY ||
	    !cn_tree_build(a, out->triangles.points, out->triangles.triangles, out->triangles.triangle_count, &out->tree)) {
		cairn_surface_free(&out->surface, a);
		return cn_fail_memory(error);
	}
	return true;
}

static void measure(const skin *skins, uint32_t count, const skin *visual, cairn_standoff *out)
{
	standoff o = {skins, count, UINT32_MAX, visual, 0};
	v3 low = visual->tree.nodes[0].low, high = visual->tree.nodes[0].high;
	out->size = v3_distance(low, high);
	out->closed = visual->closed;
	cn_surface_samples(&visual->triangles, STANDOFF_STEP * out->size, look_from_visual, &o);
	out->visual_beyond = o.most;
	o.most = 0;
	for (o.own = 0; o.own < count; ++o.own)
		cn_surface_samples(&skins[o.own].triangles, STANDOFF_STEP * out->size, look_from_part, &o);
	out->shape_beyond = o.most;
	double rounding = 1e-9 * out->size;
	out->shape_beyond = out->shape_beyond > rounding ? out->shape_beyond : 0;
	out->visual_beyond = out->visual_beyond > rounding ? out->visual_beyond : 0;
}

bool cairn_scene_standoff(const cairn_scene *scene, uint32_t body, cairn_standoff *out, cairn_error *error)
{
	*out = (cairn_standoff){0};
	if (body >= scene->body_count)
		return cn_fail(error, CAIRN_INVALID, "body", "there is no body %u; the scene has %u", body, scene->body_count);
	const cairn_allocator *a = &scene->allocator;
	const cairn_body_def *d = &scene->bodies[body];
	if (!d->visual.generation || scene->shapes[d->shape.index].def.kind == CAIRN_HALFSPACE)
		return cn_fail(error, CAIRN_INVALID, "visual", "the body has no visual beside a shape that ends somewhere");
	uint32_t count = cn_shape_part_count(scene->shapes, d->shape.index), made = 0;
	skin *skins = cn_alloc(a, count, sizeof *skins), visual;
	if (!skins)
		return cn_fail_memory(error);
	bool ok = make_skin(scene, d->visual, d->visual_pose, &visual, error);
	bool seen = ok;
	for (; ok && made < count; made += ok) {
		cairn_part part = cn_shape_part(scene->shapes, d->shape.index, made);
		ok = make_skin(scene, part.shape, part.pose, &skins[made], error);
	}
	if (ok)
		measure(skins, count, &visual, out);
	for (uint32_t i = 0; i < made; ++i)
		free_skin(a, &skins[i]);
	if (seen)
		free_skin(a, &visual);
	cn_free(a, skins, count, sizeof *skins);
	return ok;
}
