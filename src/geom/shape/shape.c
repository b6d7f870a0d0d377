/* Shapes: how one is made from a def, by the row of its kind (shape/kind.h), and what follows from it once and for all.
 *
 * Points stay as given, to the bit; quaternions and normals are brought to unit length once and left alone when they
 * have it, so making a shape from its own def gives the same shape. Fields that a kind does not use are zeroed. */
#include "geom/shape.h"

#include "base/tolerance.h"
#include "geom/heightfield.h"
#include "geom/hull_tree.h"
#include "geom/shape/kind.h"
#include "geom/tree.h"

#define KIND_ROW(ID, name) [CAIRN_##ID] = &cn_kind_##name,
static const cn_shape_kind *const kinds[] = {CN_SHAPE_KINDS(KIND_ROW)};

const cn_shape_kind *cn_shape_kind_at(uint32_t kind) { return kind < CN_COUNT(kinds) ? kinds[kind] : NULL; }

const cairn_shape_kind_info *cairn_shape_kind_at(uint32_t kind)
{
	return kind < CN_COUNT(kinds) ? &kinds[kind]->info : NULL;
}

cn_shape_form cn_shape_kind_form(uint32_t kind) { return kinds[kind]->form; }

const cn_shape_field *cn_shape_kind_field(uint32_t kind, uint32_t index)
{
	return index < CN_SHAPE_FIELDS && kinds[kind]->fields[index].key ? &kinds[kind]->fields[index] : NULL;
}

v3 cn_shape_normal(const cairn_shape_def *def, v3 p, v3 flat)
{
	const cn_shape_kind *kind = kinds[def->kind];
	return kind->normal ? kind->normal(def, p, flat) : flat;
}

static bool check_count(cairn_error *error, const char *field, uint32_t count, const char *what)
{
	if (count > CN_COUNT_MAX)
		return cn_fail(error, CAIRN_INVALID, field, "there are %u %s; the most is %u", (unsigned)count, what,
		               CN_COUNT_MAX);
	return true;
}

/* Colours and texture coordinates of a visual's points. */
static bool copy_paint(const cairn_allocator *allocator, cn_shape *s, const cairn_shape_def *def)
{
	if (def->colors && def->point_count)
		s->def.colors = cn_dup(allocator, def->colors, def->point_count, sizeof *def->colors);
	if (def->uvs && def->point_count)
		s->def.uvs = cn_dup(allocator, def->uvs, def->point_count, 2 * sizeof *def->uvs);
	return !def->point_count || ((s->def.colors || !def->colors) && (s->def.uvs || !def->uvs));
}

/* Own copies of name and arrays as far as the kind uses them. */
static bool copy_arrays(const cairn_allocator *allocator, cn_shape *s, const cairn_shape_def *def, cairn_error *error)
{
	unsigned uses = s->kind->arrays;
	assert(!(uses & CN_POINTS) || def->points || !def->point_count);
	assert(!(uses & CN_TRIANGLES) || def->triangles || !def->triangle_count);
	assert(!(uses & CN_PARTS) || def->parts || !def->part_count);
	s->def.name = cn_dup_text(allocator, def->name);
	if (!s->def.name)
		return cn_fail_memory(error);
	if ((uses & CN_POINTS) && def->point_count) {
		if (!(s->def.points = cn_dup(allocator, def->points, def->point_count, sizeof *def->points)))
			return cn_fail_memory(error);
		s->def.point_count = def->point_count;
	}
	if ((uses & CN_TRIANGLES) && def->visual && !copy_paint(allocator, s, def))
		return cn_fail_memory(error);
	if ((uses & CN_TRIANGLES) && def->triangle_count) {
		s->triangles = cn_dup(allocator, def->triangles, (size_t)def->triangle_count * 3, sizeof *def->triangles);
		if (!s->triangles)
			return cn_fail_memory(error);
		s->def.triangles = s->triangles;
		s->def.triangle_count = s->triangle_count = def->triangle_count;
	}
	if ((uses & CN_PARTS) && def->part_count) {
		if (!(s->def.parts = cn_dup(allocator, def->parts, def->part_count, sizeof *def->parts)))
			return cn_fail_memory(error);
		s->def.part_count = def->part_count;
	}
	return true;
}

static bool fill(const cn_shape_making *m)
{
	const cairn_shape_def *def = m->def;
	cn_shape *s = m->s;
	if (!cn_shape_kind_at(def->kind) || !cn_shape_kind_at(def->kind)->make)
		return cn_fail(m->error, CAIRN_INVALID, "kind", "there is no shape of kind %u", (unsigned)def->kind);
	if (!check_count(m->error, "points", def->point_count, "points") ||
	    !check_count(m->error, "triangles", def->triangle_count, "triangles") ||
	    !check_count(m->error, "parts", def->part_count, "parts"))
		return false;
	s->def.kind = def->kind;
	s->kind = cn_shape_kind_at(def->kind);
	if (!copy_arrays(m->allocator, s, def, m->error) || !s->kind->make(m))
		return false;
	if (s->kind->box)
		s->box = s->kind->box(s, pose_identity());
	return true;
}

static bool make_tree(const cairn_allocator *allocator, cn_shape *s)
{
	s->tree = cn_alloc(allocator, 1, sizeof *s->tree);
	return s->tree && cn_tree_build(allocator, s->def.points, s->triangles, s->triangle_count, s->tree);
}

bool cn_shape_make(const cairn_allocator *allocator, const cairn_shape_def *def, const cn_shape *shapes,
                   uint32_t shape_count, cn_shape *out, cairn_error *error)
{
	cn_shape made = {0};
	if (def->kind == CAIRN_HEIGHTFIELD) {
		cairn_shape_def mesh;
		if (!cn_heightfield_make(allocator, def, &mesh, error))
			return false;
		bool ok = cn_shape_make(allocator, &mesh, shapes, shape_count, out, error);
		cn_heightfield_free(allocator, &mesh);
		return ok;
	}
	if (!fill(&(cn_shape_making){allocator, def, shapes, shape_count, &made, error})) {
		cn_shape_free(allocator, &made);
		return false;
	}
	if (made.kind->core && !made.def.visual) {
		made.convex = cn_alloc(allocator, 1, sizeof *made.convex);
		if (!made.convex || !cn_convex_make(allocator, &made, made.convex)) {
			cn_shape_free(allocator, &made);
			return cn_fail_memory(error);
		}
	}
	if ((made.kind->arrays & CN_TRIANGLES) && !made.def.visual && !make_tree(allocator, &made)) {
		cn_shape_free(allocator, &made);
		return cn_fail_memory(error);
	}
	*out = made;
	return true;
}

void cn_shape_free(const cairn_allocator *allocator, cn_shape *shape)
{
	cn_free_text(allocator, (char *)shape->def.name);
	cn_free(allocator, (void *)shape->def.colors, shape->def.point_count, sizeof *shape->def.colors);
	cn_free(allocator, (void *)shape->def.uvs, shape->def.point_count, 2 * sizeof *shape->def.uvs);
	cn_free(allocator, (v3 *)shape->def.points, shape->def.point_count, sizeof(v3));
	cn_free(allocator, (cairn_part *)shape->def.parts, shape->def.part_count, sizeof(cairn_part));
	cn_free(allocator, shape->triangles, (size_t)shape->triangle_count * 3, sizeof(uint32_t));
	if (shape->convex)
		cn_convex_free(allocator, shape->convex);
	cn_free(allocator, shape->convex, 1, sizeof *shape->convex);
	if (shape->tree)
		cn_tree_free(allocator, shape->tree);
	cn_free(allocator, shape->tree, 1, sizeof *shape->tree);
	if (shape->hulls)
		cn_hull_tree_free(allocator, shape->hulls);
	cn_free(allocator, shape->hulls, 1, sizeof *shape->hulls);
	*shape = (cn_shape){0};
}

/* A shell with a thickness is everything within half of it. */
static void round_nodes(struct cn_hull_tree *hulls, double round)
{
	for (uint32_t i = 0; i < hulls->node_count; ++i) {
		cn_convex *c = &hulls->nodes[i].convex;
		c->radius = round, c->reach += round, c->size += 2 * round;
	}
}

bool cn_shape_make_hulls(const cairn_allocator *allocator, cn_shape *shapes, uint32_t shape)
{
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape); ++i) {
		cn_shape *s = &shapes[cn_shape_part(shapes, shape, i).shape.index];
		if (s->def.kind != CAIRN_MESH || s->hulls)
			continue;
		struct cn_hull_tree *hulls = cn_alloc(allocator, 1, sizeof *hulls);
		if (!hulls)
			return false;
		if (!cn_hull_tree_build(allocator,
		                        &(cn_triangles){s->def.points, s->def.point_count, s->triangles, s->triangle_count},
		                        !s->def.shell, hulls)) {
			cn_free(allocator, hulls, 1, sizeof *hulls);
			return false;
		}
		if (s->def.thickness > 0)
			round_nodes(hulls, 0.5 * s->def.thickness);
		s->hulls = hulls;
	}
	return true;
}

bool cn_shape_thick(const cn_shape *shapes, uint32_t shape)
{
	bool thick = false;
	for (uint32_t i = 0; !thick && i < cn_shape_part_count(shapes, shape); ++i)
		thick = shapes[cn_shape_part(shapes, shape, i).shape.index].def.thickness > 0;
	return thick;
}

/* Of a shape that is no compound. */
static double radius_about(const cn_shape *s, v3 center)
{
	return s->kind->radius ? s->kind->radius(s, center) : INFINITY;
}

/* Placing a part rounds relative to how far it is placed, not to the radius: both are rounded up. */
double cn_shape_radius(const cn_shape *shapes, uint32_t shape, v3 center)
{
	const cn_shape *s = &shapes[shape];
	if (s->def.kind != CAIRN_COMPOUND)
		return radius_about(s, center) * (1 + 8 * DBL_EPSILON);
	double most = 0;
	for (uint32_t i = 0; i < s->def.part_count; ++i) {
		const cairn_part *part = &s->def.parts[i];
		v3 away = v3_sub(center, part->pose.position);
		double radius = radius_about(&shapes[part->shape.index], q_unrotate(part->pose.orientation, away));
		radius += 16 * DBL_EPSILON * (radius + v3_length(away));
		most = radius > most ? radius : most;
	}
	return most;
}

uint32_t cn_shape_part_count(const cn_shape *shapes, uint32_t shape)
{
	return shapes[shape].def.kind == CAIRN_COMPOUND ? shapes[shape].def.part_count : 1;
}

cairn_part cn_shape_part(const cn_shape *shapes, uint32_t shape, uint32_t part)
{
	assert(part < cn_shape_part_count(shapes, shape));
	if (shapes[shape].def.kind == CAIRN_COMPOUND)
		return shapes[shape].def.parts[part];
	return (cairn_part){{shape, 1}, pose_identity()};
}

bool cn_shape_triangle(const cn_shape *shapes, uint32_t shape, uint32_t number, cairn_part *part, uint32_t *triangle)
{
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape); ++i) {
		*part = cn_shape_part(shapes, shape, i);
		const cn_shape *s = &shapes[part->shape.index];
		uint32_t count = s->def.kind == CAIRN_MESH ? s->triangle_count : 0;
		*triangle = number;
		if (number < count)
			return true;
		number -= count;
	}
	return false;
}

uint32_t cn_shape_nodes_max(const cn_shape *shapes, uint32_t shape)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape); ++i) {
		const cn_shape *s = &shapes[cn_shape_part(shapes, shape, i).shape.index];
		count += s->def.kind == CAIRN_MESH ? 2 * s->triangle_count : 0;
	}
	return count;
}

const struct cn_hull_node *cn_shape_node(const cn_shape *shapes, uint32_t shape, uint32_t number, cairn_part *part)
{
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape); ++i) {
		*part = cn_shape_part(shapes, shape, i);
		const struct cn_hull_tree *hulls = shapes[part->shape.index].hulls;
		if (hulls && number + 1 < hulls->node_count)
			return &hulls->nodes[number + 1];
		number -= hulls ? hulls->node_count - 1 : 0;
	}
	return NULL;
}
