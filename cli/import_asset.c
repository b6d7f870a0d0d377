/* glTF, GLB and OBJ: what the library reads of them (cairn_asset_read) becomes bodies.
 *
 * A mesh that is convex becomes its hull. One that is not stays a mesh, a solid where it is closed and a thin shell where it is not;
 * with --decompose a closed one that moves becomes a union of hulls. Where shape and mesh differ, or the mesh has colours or
 * texture coordinates, the mesh is the body's visual. */
#define _POSIX_C_SOURCE 200809L
#include "import.h"
#include "limit.h"
#include "render_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHELL_MASS = 10; /* kg/m^2 of thin shells: a centimetre of water */

/* What is known of a mesh of the asset. */
typedef struct thing_mesh {
	bool known, closed, convex, flat;
	cairn_asset_mesh welded; /* points of one place are one */
	import_mass own;         /* at density 1; of a shell: of its area */
	const char *visual;      /* its file; NULL: not written yet */
	import_geom *hulls;      /* decomposed */
	size_t hull_count;
} thing_mesh;

typedef struct things {
	import *im;
	const cairn_asset *asset;
	thing_mesh *meshes;
	uint32_t *beside; /* the next node of the same body; NONE: it is the last */
} things;

static const uint32_t NONE = UINT32_MAX;

/* ---- meshes */

static int by_place(const void *a, const void *b)
{
	const double *const *x = a, *const *y = b;
	for (int i = 0; i < 3; ++i)
		if ((*x)[i] != (*y)[i])
			return (*x)[i] < (*y)[i] ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* Points of one place become one, and triangles without three different ones go. */
static cairn_asset_mesh weld(import *im, const cairn_asset_mesh *m)
{
	cairn_asset_mesh out = {.name = m->name};
	const cairn_vec3 **sorted = pool_take(&im->memory, (m->point_count + 1) * sizeof *sorted);
	uint32_t *number = pool_take(&im->memory, (m->point_count + 1) * sizeof *number);
	cairn_vec3 *points = pool_take(&im->memory, (m->point_count + 1) * sizeof *points);
	uint32_t *triangles = pool_take(&im->memory, (3 * (size_t)m->triangle_count + 1) * sizeof *triangles);
	for (uint32_t i = 0; i < m->point_count; ++i)
		sorted[i] = &m->points[i];
	qsort(sorted, m->point_count, sizeof *sorted, by_place);
	for (uint32_t i = 0; i < m->point_count; ++i) {
		if (i == 0 || sorted[i]->x != sorted[i - 1]->x || sorted[i]->y != sorted[i - 1]->y ||
		    sorted[i]->z != sorted[i - 1]->z)
			points[out.point_count++] = *sorted[i];
		number[sorted[i] - m->points] = out.point_count - 1;
	}
	for (uint32_t i = 0; i < m->triangle_count; ++i) {
		const uint32_t *t = &m->triangles[3 * (size_t)i];
		uint32_t a = number[t[0]], b = number[t[1]], c = number[t[2]], *to = &triangles[3 * (size_t)out.triangle_count];
		if (a == b || b == c || c == a)
			continue;
		to[0] = a, to[1] = b, to[2] = c;
		++out.triangle_count;
	}
	out.points = points, out.triangles = triangles;
	return out;
}

static cairn_shape_def mesh_def(const cairn_asset_mesh *m)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
	def.points = m->points, def.point_count = m->point_count;
	def.triangles = m->triangles, def.triangle_count = m->triangle_count;
	return def;
}

static import_mass mass_of(const cairn_scene *scene, cairn_shape shape)
{
	cairn_shape_facts f = cairn_scene_shape_facts(scene, shape);
	import_mass m = {.mass = f.volume, .inertia = {f.moments.x, 0, 0, 0, f.moments.y, 0, 0, 0, f.moments.z}};
	m = mass_moved(m, (cairn_pose){.orientation = f.axes});
	m.center = f.center;
	return m;
}

/* Closed or not, convex or not, and what it weighs, by the library. */
static void look_at_mesh(things *t, uint32_t index)
{
	import *im = t->im;
	thing_mesh *k = &t->meshes[index];
	cairn_asset_mesh given = cairn_asset_mesh_at(t->asset, index);
	if (k->known)
		return;
	k->known = true;
	k->welded = weld(im, &given);
	cairn_shape_def solid = mesh_def(&k->welded), shell = solid, hull = cairn_default_shape_def(CAIRN_HULL);
	hull.points = k->welded.points, hull.point_count = k->welded.point_count;
	shell.shell = true;
	cairn_shape closed = cairn_scene_add_shape(im->shapes, &solid, NULL);
	cairn_shape round = cairn_scene_add_shape(im->shapes, &hull, NULL);
	k->flat = round.generation == 0;
	k->closed = closed.generation != 0;
	if (!k->closed)
		closed = cairn_scene_add_shape(im->shapes, &shell, NULL);
	if (closed.generation)
		k->own = mass_of(im->shapes, closed);
	if (k->closed && !k->flat) {
		double whole = cairn_scene_shape_facts(im->shapes, round).volume;
		k->convex = whole - k->own.mass <= 1e-6 * whole;
	}
}

static bool decompose(things *t, uint32_t index, import_place place)
{
	import *im = t->im;
	thing_mesh *k = &t->meshes[index];
	cairn_shape_def def = mesh_def(&k->welded);
	cairn_error error = {0};
	if (k->hulls)
		return true;
	cairn_shape made = cairn_scene_decompose(im->shapes, &def, NULL, &error);
	if (!made.generation)
		return import_fail(im, place, "the mesh cannot be decomposed: %s", error.message);
	cairn_shape_def all = cairn_scene_shape_at(im->shapes, made.index);
	if (cairn_scene_shape_facts(im->shapes, made).missed > 0)
		import_note_at(im, place, "hulls",
		               "the parts of the mesh do not come as near to it as a share of 0.02: more were needed");
	k->hulls = pool_take(&im->memory, all.part_count * sizeof *k->hulls);
	for (k->hull_count = 0; k->hull_count < all.part_count; ++k->hull_count) {
		cairn_shape_def part = cairn_scene_shape_at(im->shapes, all.parts[k->hull_count].shape.index);
		import_geom *h = &k->hulls[k->hull_count];
		h->shape = IMPORT_HULL, h->point_count = part.point_count;
		h->points = pool_take(&im->memory, part.point_count * sizeof *h->points);
		memcpy(h->points, part.points, part.point_count * sizeof *h->points);
	}
	return true;
}

static const char *visual_of(things *t, uint32_t index, const char *name)
{
	thing_mesh *k = &t->meshes[index];
	cairn_asset_mesh given = cairn_asset_mesh_at(t->asset, index);
	if (!k->visual)
		k->visual = import_mesh_file(t->im, *given.name ? given.name : name, &given);
	return k->visual;
}

/* ---- bodies */

static bool matches(const char *pattern, size_t size, const char *name)
{
	if (!size)
		return !*name;
	if (*pattern == '*')
		return matches(pattern + 1, size - 1, name) || (*name && matches(pattern, size, name + 1));
	return *name == *pattern && matches(pattern + 1, size - 1, name + 1);
}

static bool is_asked_to_stand(const import *im, const char *name)
{
	for (const char *p = im->asked->still; p && *p;) {
		size_t size = strcspn(p, ",");
		if (matches(p, size, name))
			return true;
		p += size + (p[size] == ',');
	}
	return false;
}

static cairn_pose seen_from(cairn_pose frame, cairn_pose pose)
{
	cairn_quat back = quat_conjugate(frame.orientation);
	if (memcmp(&frame, &pose, sizeof pose) == 0) /* to the bit */
		return (cairn_pose){.orientation = {1, 0, 0, 0}};
	return (cairn_pose){quat_turn(back, vec_sub(pose.position, frame.position)), quat_mul(back, pose.orientation)};
}

static import_place node_place(const import *im, const cairn_asset_node *n)
{
	return (import_place){im->path, n->line, n->column};
}

static double srgb(double x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055; }

static void give_look(import_geom *g, const cairn_asset_mesh *m)
{
	g->has_color = m->has_color;
	g->color = (cairn_color){srgb(m->color.r), srgb(m->color.g), srgb(m->color.b)};
	g->roughness = m->has_roughness ? m->roughness : -1;
}

static import_geom *add_geom(things *t, size_t link, const cairn_asset_node *n, cairn_pose frame)
{
	import_geom *g = import_add_geom(t->im, link);
	g->name = n->name, g->weighs = false, g->place = node_place(t->im, n);
	g->pose = link == IMPORT_NONE ? n->pose : seen_from(frame, n->pose);
	g->friction = n->friction >= 0 ? n->friction : 0.5;
	g->restitution = n->restitution > 0 ? fmin(n->restitution, 1) : 0;
	g->collides = n->touches;
	return g;
}

/* A shape that the file gives. */
static import_mass add_given_shape(things *t, size_t link, const cairn_asset_node *n, cairn_pose frame)
{
	import_geom *g = add_geom(t, link, n, frame);
	g->shape = n->shape == CAIRN_SPHERE    ? IMPORT_SPHERE
	           : n->shape == CAIRN_BOX     ? IMPORT_BOX
	           : n->shape == CAIRN_CAPSULE ? IMPORT_CAPSULE
	                                       : IMPORT_CYLINDER;
	g->size = n->size;
	import_geom_own(t->im, g);
	return mass_moved(g->own, g->pose);
}

/* The shapes of a mesh; returns what it weighs, in the frame of its link. */
static bool add_mesh(things *t, size_t link, const cairn_asset_node *n, cairn_pose frame, import_mass *mass)
{
	import *im = t->im;
	thing_mesh *k = &t->meshes[n->mesh];
	cairn_asset_mesh given = cairn_asset_mesh_at(t->asset, n->mesh);
	bool moves = link != IMPORT_NONE;
	look_at_mesh(t, n->mesh);
	if (k->own.mass == 0)
		return import_fail(im, node_place(im, n), "mesh \"%.60s\" has no area", given.name);
	bool hull = !k->flat && (k->convex || n->hull);
	bool parts = !hull && moves && im->asked->decompose && k->closed;
	im->exact += !hull && moves && k->closed && !parts;
	if (parts && !decompose(t, n->mesh, node_place(im, n)))
		return false;
	for (size_t i = 0; i < (parts ? k->hull_count : 1); ++i) {
		import_geom *g = add_geom(t, link, n, frame);
		g->shape = hull || parts ? IMPORT_HULL : IMPORT_MESH;
		if (parts)
			g->points = k->hulls[i].points, g->point_count = k->hulls[i].point_count;
		if (hull) {
			g->points = (cairn_vec3 *)k->welded.points, g->point_count = k->welded.point_count;
			if (!import_hull_points(im, g))
				return false;
		}
		if (!hull && !parts) {
			g->shell = !k->closed;
			g->file = import_mesh_file(im, *given.name ? given.name : n->name, &k->welded);
		}
	}
	if (!k->closed && !hull && n->touches)
		import_note_at(im, node_place(im, n), pool_format(&im->memory, "the inside of mesh \"%.60s\"", given.name),
		               moves ? "it is not closed: a thin shell of 10 kg/m^2" : "it is not closed: a thin shell");
	import_mass own = k->own;
	double density = k->closed ? 1 : SHELL_MASS / 1000;
	own.mass *= density;
	for (int i = 0; i < 9; ++i)
		own.inertia[i] *= density;
	*mass = mass_moved(own, moves ? seen_from(frame, n->pose) : n->pose);
	return true;
}

/* All that is seen of a body as one mesh in its frame. */
static const char *join_visuals(things *t, uint32_t body, cairn_pose frame)
{
	import *im = t->im;
	cairn_asset_mesh all = {0};
	for (uint32_t i = body; i != NONE; i = t->beside[i]) {
		cairn_asset_node n = cairn_asset_node_at(t->asset, i);
		if (n.seen) {
			cairn_asset_mesh m = cairn_asset_mesh_at(t->asset, n.mesh);
			all.point_count += m.point_count, all.triangle_count += m.triangle_count;
		}
	}
	cairn_vec3 *points = pool_take(&im->memory, (all.point_count + 1) * sizeof *points);
	cairn_color *colors = pool_take(&im->memory, (all.point_count + 1) * sizeof *colors);
	float *uvs = pool_take(&im->memory, (2 * (size_t)all.point_count + 2) * sizeof *uvs);
	uint32_t *triangles = pool_take(&im->memory, (3 * (size_t)all.triangle_count + 3) * sizeof *triangles), p = 0,
			 c = 0;
	for (uint32_t i = body; i != NONE; i = t->beside[i]) {
		cairn_asset_node n = cairn_asset_node_at(t->asset, i);
		if (!n.seen)
			continue;
		cairn_asset_mesh m = cairn_asset_mesh_at(t->asset, n.mesh);
		cairn_pose at = seen_from(frame, n.pose);
		for (uint32_t k = 0; k < 3 * m.triangle_count; ++k)
			triangles[c++] = p + m.triangles[k];
		for (uint32_t k = 0; k < m.point_count; ++k, ++p) {
			points[p] = vec_add(at.position, quat_turn(at.orientation, m.points[k]));
			colors[p] = m.colors ? m.colors[k] : m.has_color ? m.color : (cairn_color){0.7, 0.7, 0.7};
			if (m.uvs)
				memcpy(&uvs[2 * (size_t)p], &m.uvs[2 * (size_t)k], 2 * sizeof *uvs);
		}
	}
	all.points = points, all.triangles = triangles, all.colors = colors, all.uvs = uvs;
	return import_mesh_file(im, cairn_asset_node_at(t->asset, body).name, &all);
}

/* What is seen of a body where its shape does not show it. */
static void give_visual(things *t, uint32_t body, size_t first_geom, cairn_pose frame)
{
	import *im = t->im;
	uint32_t seen = 0, last = UINT32_MAX;
	if (first_geom >= im->geom_count)
		return;
	for (uint32_t i = body; i != NONE; i = t->beside[i]) {
		cairn_asset_node n = cairn_asset_node_at(t->asset, i);
		if (n.seen)
			++seen, last = i;
	}
	import_geom *g = &im->geoms[first_geom];
	if (!seen)
		return;
	cairn_asset_node n = cairn_asset_node_at(t->asset, last);
	cairn_asset_mesh m = cairn_asset_mesh_at(t->asset, n.mesh);
	give_look(g, &m);
	cairn_pose at = seen_from(frame, n.pose);
	bool placed = vec_length(at.position) == 0 && fabs(at.orientation.w) == 1;
	bool same = (g->shape == IMPORT_MESH || (g->shape == IMPORT_HULL && t->meshes[n.mesh].convex)) &&
	            im->geom_count - first_geom == 1 && !m.colors && !m.uvs;
	if (seen == 1 && same)
		return;
	g->visual = seen == 1 && placed ? visual_of(t, n.mesh, n.name) : join_visuals(t, body, frame);
}

/* Gives a moving body its mass: that of the file, or of its shapes at 1000 kg/m^3. */
static void give_mass(import *im, size_t link, import_mass m, double given)
{
	double factor = given > 0 ? given / m.mass : 1000;
	m.mass *= factor;
	for (int i = 0; i < 9; ++i)
		m.inertia[i] *= factor;
	im->links[link].weighed = true;
	im->links[link].mass = m;
}

static bool add_parts(things *t, uint32_t body, size_t link, cairn_pose frame, import_mass *mass)
{
	for (uint32_t i = body; i != NONE; i = t->beside[i]) {
		cairn_asset_node n = cairn_asset_node_at(t->asset, i);
		import_mass own = {0};
		size_t first = t->im->geom_count;
		if ((!n.touches && link != IMPORT_NONE) || (!n.has_shape && n.mesh == UINT32_MAX))
			continue;
		if (n.has_shape)
			own = add_given_shape(t, link, &n, frame);
		else if (!add_mesh(t, link, &n, frame, &own))
			return false;
		*mass = mass->mass > 0 ? mass_add(*mass, own) : own;
		if (link == IMPORT_NONE && n.seen)
			give_visual(t, i, first, n.pose);
	}
	return true;
}

static bool add_body(things *t, uint32_t body)
{
	import *im = t->im;
	cairn_asset_node n = cairn_asset_node_at(t->asset, body);
	bool moves = n.motion == CAIRN_ASSET_MOVING || (n.motion == CAIRN_ASSET_UNSAID && !is_asked_to_stand(im, n.name));
	import_mass mass = {0};
	if (n.motion == CAIRN_ASSET_DRIVEN)
		import_note_at(im, node_place(im, &n), pool_format(&im->memory, "motion of \"%.60s\"", n.name),
		               "it is kinematic: fixed here; make it scripted and give it keys");
	if (!moves)
		return add_parts(t, body, IMPORT_NONE, n.pose, &mass);
	size_t link = import_add_link(im, n.name, IMPORT_NONE, n.pose), first = im->geom_count;
	im->links[link].place = node_place(im, &n);
	import_add_joint(im, link, IMPORT_FREE, "");
	if (!add_parts(t, body, link, n.pose, &mass))
		return false;
	if (!(mass.mass > 0))
		return import_fail(im, node_place(im, &n), "body \"%.60s\" moves and has no collider with a volume", n.name);
	give_mass(im, link, mass, n.mass);
	im->links[link].velocity = n.velocity, im->links[link].spin = n.spin;
	give_visual(t, body, first, n.pose);
	return true;
}

/* ---- the file */

/* Files that it names: in its folder, links followed, unless trusted. */
static bool read_beside(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                        cairn_error *error)
{
	const import *im = context;
	cairn_files files = cairn_default_files();
	char resolved[4096];
	if (!im->asked->trust && files.resolve(files.context, path, resolved, sizeof resolved) &&
	    strncmp(resolved, im->folder, strlen(im->folder)) != 0) {
		error->code = CAIRN_INVALID;
		snprintf(error->message, sizeof error->message, "it leads out of the folder of %.200s; --trust lets it",
		         im->path);
		return false;
	}
	return files.read(files.context, path, allocator, data, size, error);
}

static void take_notes(import *im, const cairn_asset *asset)
{
	for (uint32_t i = 0; i < cairn_asset_note_count(asset); ++i) {
		cairn_asset_note n = cairn_asset_note_at(asset, i);
		import_note_at(im, (import_place){im->path, n.line, n.column}, n.what, pool_text(&im->memory, n.why));
	}
}

/* Lists the nodes of each body, in their order: a body is named by the first of its nodes. */
static void list_nodes(things *t)
{
	uint32_t count = cairn_asset_node_count(t->asset);
	t->beside = pool_take(&t->im->memory, ((size_t)count + 1) * sizeof *t->beside);
	uint32_t *last = pool_take(&t->im->memory, ((size_t)count + 1) * sizeof *last);
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t body = cairn_asset_node_at(t->asset, i).body;
		t->beside[i] = NONE;
		if (body != i)
			t->beside[last[body]] = i;
		last[body] = i;
	}
}

bool import_read_asset(import *im)
{
	size_t size;
	const char *data = import_open(im, &size), *slash = strrchr(im->path, '/');
	cairn_files files = {.context = im, .read = read_beside};
	cairn_scene_def def = {.allocator = limits_allocator(), .trust = im->asked->trust};
	cairn_asset *asset = data ? cairn_asset_read(data, size, im->path, &files, &def, &im->error) : NULL;
	if (!asset)
		return false;
	im->things = true;
	im->title = pool_text(&im->memory, slash ? slash + 1 : im->path);
	things t = {im, asset, pool_take(&im->memory, (cairn_asset_mesh_count(asset) + 1) * sizeof *t.meshes), NULL};
	bool ok = true;
	list_nodes(&t);
	for (uint32_t i = 0; i < cairn_asset_node_count(asset) && ok; ++i)
		if (cairn_asset_node_at(asset, i).body == i)
			ok = add_body(&t, i);
	take_notes(im, asset);
	for (size_t i = 0; i < im->geom_count; ++i) /* they go with the asset */
		im->geoms[i].name = pool_text(&im->memory, im->geoms[i].name);
	for (size_t i = 0; i < im->link_count; ++i)
		im->links[i].name = pool_text(&im->memory, im->links[i].name);
	cairn_asset_destroy(asset);
	return ok;
}
