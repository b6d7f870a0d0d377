/* Shapes: what a def must be to be taken, and what follows from it once and for all.
 *
 * Points stay as given, to the bit; quaternions and normals are brought to unit length once and left alone when they
 * have it, so making a shape from its own def gives the same shape. Fields that a kind does not use are zeroed. */
#include "geom/shape.h"

#include "base/tolerance.h"
#include "geom/convex.h"
#include "geom/heightfield.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/nesting.h"
#include "geom/tree.h"

#include <stdio.h>

enum { FIELD_SIZE = 40 };

static const char *element(char field[FIELD_SIZE], const char *array, uint32_t index, const char *member)
{
	snprintf(field, FIELD_SIZE, "%s[%u]%s", array, (unsigned)index, member);
	return field;
}

/* what: "radius", "edge along x". */
static bool check_length(cairn_error *error, const char *field, const char *what, double x)
{
	if (!isfinite(x))
		return cn_fail(error, CAIRN_INVALID, field, "the %s is not a finite number", what);
	if (x <= 0)
		return cn_fail(error, CAIRN_INVALID, field, "the %s is %g; give a positive length", what, x);
	if (x < CN_LENGTH_LEAST)
		return cn_fail(error, CAIRN_INVALID, field, "the %s is %g m; the least is %g m", what, x, CN_LENGTH_LEAST);
	if (x > CN_LENGTH_MOST)
		return cn_fail(error, CAIRN_INVALID, field, "the %s is %g m; the most is %g m", what, x, CN_LENGTH_MOST);
	return true;
}

static bool check_count(cairn_error *error, const char *field, uint32_t count, const char *what)
{
	if (count > CN_COUNT_MOST)
		return cn_fail(error, CAIRN_INVALID, field, "there are %u %s; the most is %u", (unsigned)count, what,
		               CN_COUNT_MOST);
	return true;
}

static bool within(v3 v, double most) { return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most; }

static bool check_place(cairn_error *error, const char *field, const char *what, v3 v)
{
	if (!v3_finite(v))
		return cn_fail(error, CAIRN_INVALID, field, "the %s has a coordinate that is not a finite number", what);
	if (!within(v, CN_LENGTH_MOST))
		return cn_fail(error, CAIRN_INVALID, field, "the %s (%g, %g, %g) is farther out than %g m", what, v.x, v.y, v.z,
		               CN_LENGTH_MOST);
	return true;
}

/* The factor that makes a vector of this squared length a unit vector; exactly 1 when it is one up to 4 ulp, which a
 * scaled vector always is, so that scaling it again changes nothing. */
static double unit_factor(double square) { return fabs(square - 1) <= 8 * DBL_EPSILON ? 1 : 1 / sqrt(square); }

static cairn_box empty_box(void)
{
	return (cairn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static cairn_box box_about(v3 center, v3 half) { return (cairn_box){v3_sub(center, half), v3_add(center, half)}; }

static void box_add(cairn_box *box, v3 p)
{
	box->min = v3_least(box->min, p);
	box->max = v3_most(box->max, p);
}

/* The box of a shape that is no compound, placed at a pose. */
static cairn_box placed_box(const cn_shape *s, pose p)
{
	m3 r = m3_from_q(p.orientation);
	v3 along = v3_make(fabs(r.m[0][2]), fabs(r.m[1][2]), fabs(r.m[2][2])), half;
	double radius = s->def.radius, arm = 0.5 * s->def.length;
	cairn_box box = empty_box();
	switch (s->def.kind) {
	case CAIRN_SPHERE: return box_about(p.position, v3_make(radius, radius, radius));
	case CAIRN_CAPSULE:
		half = v3_make(radius + arm * along.x, radius + arm * along.y, radius + arm * along.z);
		return box_about(p.position, half);
	case CAIRN_CYLINDER: {
		double disc[3]; /* the disc's reach along world axis i is r times the length of that axis across z */
		for (int i = 0; i < 3; ++i)
			disc[i] = radius * sqrt(r.m[i][0] * r.m[i][0] + r.m[i][1] * r.m[i][1]);
		half = v3_make(disc[0] + arm * along.x, disc[1] + arm * along.y, disc[2] + arm * along.z);
		return box_about(p.position, half);
	}
	case CAIRN_BOX: {
		m3 positive;
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				positive.m[i][j] = fabs(r.m[i][j]);
		return box_about(p.position, m3_apply(positive, v3_scale(s->def.size, 0.5)));
	}
	case CAIRN_HULL:
		for (uint32_t i = 0; i < s->def.point_count; ++i)
			box_add(&box, pose_apply(p, s->def.points[i]));
		return box;
	case CAIRN_MESH: /* points that no triangle names are no part of it */
		for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i)
			box_add(&box, pose_apply(p, s->def.points[s->triangles[i]]));
		return box;
	case CAIRN_HALFSPACE:
	case CAIRN_HEIGHTFIELD:
	case CAIRN_COMPOUND: break;
	}
	return (cairn_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

static bool make_box(cn_shape *s, const cairn_shape_def *def, cairn_error *error)
{
	s->def.size = def->size;
	s->mass = cn_mass_box(def->size);
	return check_length(error, "size", "edge along x", def->size.x) &&
	       check_length(error, "size", "edge along y", def->size.y) &&
	       check_length(error, "size", "edge along z", def->size.z);
}

static bool make_round(cn_shape *s, const cairn_shape_def *def, cairn_error *error)
{
	s->def.radius = def->radius;
	if (!check_length(error, "radius", "radius", def->radius))
		return false;
	if (def->kind == CAIRN_SPHERE) {
		s->mass = cn_mass_sphere(def->radius);
		return true;
	}
	s->def.length = def->length;
	if (!check_length(error, "length", "length", def->length))
		return false;
	s->mass = def->kind == CAIRN_CAPSULE ? cn_mass_capsule(def->radius, def->length)
	                                     : cn_mass_cylinder(def->radius, def->length);
	return true;
}

static bool make_halfspace(cn_shape *s, const cairn_shape_def *def, cairn_error *error)
{
	if (!v3_finite(def->normal))
		return cn_fail(error, CAIRN_INVALID, "normal", "the normal has a coordinate that is not a finite number");
	double square = v3_length2(def->normal), length = sqrt(square);
	if (!(fabs(length - 1) <= CN_UNIT_ERROR))
		return cn_fail(error, CAIRN_INVALID, "normal", "the normal has length %g; give a unit vector", length);
	if (!isfinite(def->offset))
		return cn_fail(error, CAIRN_INVALID, "offset", "the offset is not a finite number");
	if (fabs(def->offset) > CN_LENGTH_MOST)
		return cn_fail(error, CAIRN_INVALID, "offset", "the offset is %g m; the most is %g m", def->offset,
		               CN_LENGTH_MOST);
	/* The offset is kept: a normal that is off by the rounding of its printed digits stands for the unit vector. */
	s->def.normal = v3_scale(def->normal, unit_factor(square));
	s->def.offset = def->offset;
	return true;
}

/* Own copies of name and arrays as far as the kind uses them. */
static bool copy_arrays(const cairn_allocator *allocator, cn_shape *s, const cairn_shape_def *def, cairn_error *error)
{
	bool cloud = def->kind == CAIRN_HULL || def->kind == CAIRN_MESH;
	assert(!cloud || def->points || !def->point_count);
	assert(def->kind != CAIRN_MESH || def->triangles || !def->triangle_count);
	assert(def->kind != CAIRN_COMPOUND || def->parts || !def->part_count);
	s->def.name = cn_dup_text(allocator, def->name);
	if (!s->def.name)
		return cn_fail_memory(error);
	if (cloud && def->point_count) {
		if (!(s->def.points = cn_dup(allocator, def->points, def->point_count, sizeof *def->points)))
			return cn_fail_memory(error);
		s->def.point_count = def->point_count;
	}
	if (def->kind == CAIRN_MESH && def->triangle_count) {
		s->triangles = cn_dup(allocator, def->triangles, (size_t)def->triangle_count * 3, sizeof *def->triangles);
		if (!s->triangles)
			return cn_fail_memory(error);
		s->def.triangles = s->triangles;
		s->def.triangle_count = s->triangle_count = def->triangle_count;
	}
	if (def->kind == CAIRN_COMPOUND && def->part_count) {
		if (!(s->def.parts = cn_dup(allocator, def->parts, def->part_count, sizeof *def->parts)))
			return cn_fail_memory(error);
		s->def.part_count = def->part_count;
	}
	return true;
}

static bool check_points(const cairn_shape_def *def, cairn_error *error)
{
	char field[FIELD_SIZE];
	for (uint32_t i = 0; i < def->point_count; ++i)
		if (!check_place(error, element(field, "points", i, ""), "point", def->points[i]))
			return false;
	return true;
}

static double extent_of(cairn_box box) { return v3_max(v3_sub(box.max, box.min)); }

static bool check_extent(const cn_shape *s, cairn_error *error)
{
	double extent = extent_of(placed_box(s, pose_identity()));
	if (extent < CN_LENGTH_LEAST)
		return cn_fail(error, CAIRN_INVALID, "points", "all points lie within %g m; the least size is %g m", extent,
		               CN_LENGTH_LEAST);
	return true;
}

static bool make_hull(const cairn_allocator *allocator, cn_shape *s, const cairn_shape_def *def, cairn_error *error)
{
	if (!check_points(def, error))
		return false;
	if (!cn_hull_build(allocator, s->def.points, s->def.point_count, &s->triangles, &s->triangle_count, error))
		return false;
	s->mass = cn_mass_solid(s->def.points, s->triangles, s->triangle_count);
	return check_extent(s, error);
}

static bool check_triangles(const cairn_shape_def *def, cairn_error *error)
{
	char field[FIELD_SIZE];
	for (uint32_t i = 0; i < def->triangle_count; ++i) {
		const uint32_t *t = &def->triangles[(size_t)i * 3];
		for (int k = 0; k < 3; ++k)
			if (t[k] >= def->point_count)
				return cn_fail(error, CAIRN_INVALID, element(field, "triangles", i, ""),
				               "triangles[%u] names point %u but there are %u", (unsigned)i, (unsigned)t[k],
				               (unsigned)def->point_count);
		if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
			return cn_fail(error, CAIRN_INVALID, element(field, "triangles", i, ""),
			               "triangles[%u] names point %u twice; a triangle has three different points", (unsigned)i,
			               (unsigned)(t[0] == t[1] ? t[0] : t[2]));
	}
	return true;
}

/* Says what is wrong with the edge between points a and b. */
static bool fail_edge(const cn_shape *s, uint32_t a, uint32_t b, cairn_error *error)
{
	unsigned forth = 0, back = 0;
	for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i) {
		uint32_t from = s->triangles[i], to = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
		forth += from == a && to == b;
		back += from == b && to == a;
	}
	if (forth + back == 1)
		return cn_fail(error, CAIRN_INVALID, "triangles",
		               "the surface is open at the edge between points %u and %u; a solid needs a closed surface "
		               "(or make it a shell)",
		               (unsigned)a, (unsigned)b);
	if (forth + back == 2)
		return cn_fail(error, CAIRN_INVALID, "triangles",
		               "both triangles at the edge between points %u and %u run along it the same way; the points of "
		               "every triangle go counter-clockwise seen from outside",
		               (unsigned)a, (unsigned)b);
	return cn_fail(error, CAIRN_INVALID, "triangles",
	               "%u triangles meet at the edge between points %u and %u; a solid has two at each edge", forth + back,
	               (unsigned)a, (unsigned)b);
}

/* A closed part of the surface that begins with this triangle faces the wrong way. */
static bool fail_nesting(uint32_t triangle, bool inside, cairn_error *error)
{
	char field[FIELD_SIZE];
	element(field, "triangles", triangle, "");
	if (inside)
		return cn_fail(error, CAIRN_INVALID, field,
		               "the closed surface that begins with triangles[%u] lies inside another but faces outwards; "
		               "reverse the points of its triangles to make it a cavity, or leave it out",
		               (unsigned)triangle);
	return cn_fail(error, CAIRN_INVALID, field,
	               "the closed surface that begins with triangles[%u] faces inwards, as a cavity does, but lies in no "
	               "body; reverse the points of its triangles",
	               (unsigned)triangle);
}

static bool check_solid(const cairn_allocator *allocator, const cn_shape *s, cairn_error *error)
{
	uint32_t a, b, triangle;
	bool inside;
	cairn_error memory;
	if (cn_mesh_open_edge(allocator, s->triangles, s->triangle_count, &a, &b, &memory))
		return memory.code == CAIRN_MEMORY ? cn_fail_memory(error) : fail_edge(s, a, b, error);
	cn_triangles mesh = {s->def.points, s->def.point_count, s->triangles, s->triangle_count};
	if (cn_nesting_fault(allocator, &mesh, &triangle, &inside, &memory))
		return memory.code == CAIRN_MEMORY ? cn_fail_memory(error) : fail_nesting(triangle, inside, error);
	double area = cn_mass_skin(s->def.points, s->triangles, s->triangle_count).volume;
	double least = CN_FLAT_VOLUME * area * extent_of(placed_box(s, pose_identity()));
	if (fabs(s->mass.volume) <= least)
		return cn_fail(error, CAIRN_INVALID, "triangles", "the surface encloses no volume; make it a shell");
	if (s->mass.volume < 0)
		return cn_fail(error, CAIRN_INVALID, "triangles",
		               "the surface is inside out (its volume is %g m^3); reverse the points of every triangle",
		               s->mass.volume);
	return true;
}

static bool make_mesh(const cairn_allocator *allocator, cn_shape *s, const cairn_shape_def *def, cairn_error *error)
{
	s->def.shell = def->shell;
	s->def.columns = def->columns, s->def.rows = def->rows;
	if (def->triangle_count == 0)
		return cn_fail(error, CAIRN_INVALID, "triangles", "a mesh needs at least one triangle");
	if (cn_heightfield_fault(def))
		return cn_fail(error, CAIRN_INVALID, "columns", "%s", cn_heightfield_fault(def));
	if (!check_points(def, error) || !check_triangles(def, error) || !check_extent(s, error))
		return false;
	if (!def->shell) {
		s->mass = cn_mass_solid(s->def.points, s->triangles, s->triangle_count);
		return check_solid(allocator, s, error);
	}
	s->mass = cn_mass_skin(s->def.points, s->triangles, s->triangle_count);
	if (!(s->mass.volume > 0))
		return cn_fail(error, CAIRN_INVALID, "triangles", "the surface has no area");
	return true;
}

static bool check_part(const cairn_part *part, uint32_t i, const cn_shape *shapes, uint32_t shape_count,
                       cairn_error *error)
{
	char field[FIELD_SIZE];
	element(field, "parts", i, ".shape");
	if (part->shape.generation != 1 || part->shape.index >= shape_count)
		return cn_fail(error, CAIRN_INVALID, field, "the part names no shape of this scene");
	cairn_shape_kind kind = shapes[part->shape.index].def.kind;
	if (kind == CAIRN_HALFSPACE || kind == CAIRN_COMPOUND)
		return cn_fail(error, CAIRN_INVALID, field, "the part is a %s, which cannot be a part of a compound",
		               kind == CAIRN_COMPOUND ? "compound" : "half-space");
	if (!check_place(error, element(field, "parts", i, ".pose.position"), "position", part->pose.position))
		return false;
	element(field, "parts", i, ".pose.orientation");
	if (!q_finite(part->pose.orientation))
		return cn_fail(error, CAIRN_INVALID, field, "the quaternion has an entry that is not a finite number");
	double length = sqrt(q_dot(part->pose.orientation, part->pose.orientation));
	if (!(fabs(length - 1) <= CN_UNIT_ERROR))
		return cn_fail(error, CAIRN_INVALID, field, "the quaternion has length %g; give a unit quaternion", length);
	return true;
}

static bool make_compound(cn_shape *s, const cn_shape *shapes, uint32_t shape_count, cairn_error *error)
{
	cairn_part *parts = (cairn_part *)s->def.parts;
	char field[FIELD_SIZE];
	if (s->def.part_count == 0)
		return cn_fail(error, CAIRN_INVALID, "parts", "a compound needs at least one part");
	s->box = empty_box();
	for (uint32_t i = 0; i < s->def.part_count; ++i) {
		if (!check_part(&parts[i], i, shapes, shape_count, error))
			return false;
		quat *q = &parts[i].pose.orientation;
		double unit = unit_factor(q_dot(*q, *q));
		*q = (quat){q->w * unit, q->x * unit, q->y * unit, q->z * unit};
		const cn_shape *part = &shapes[parts[i].shape.index];
		if (part->def.shell != shapes[parts[0].shape.index].def.shell)
			return cn_fail(error, CAIRN_INVALID, element(field, "parts", i, ".shape"),
			               "the part is a %s and parts[0] is not; a density cannot be per area and per volume at once",
			               part->def.shell ? "shell" : "solid");
		s->mass = cn_mass_combine(s->mass, part->mass, parts[i].pose);
		cairn_box box = placed_box(part, parts[i].pose);
		box_add(&s->box, box.min);
		box_add(&s->box, box.max);
	}
	return true;
}

static bool fill(const cairn_allocator *allocator, const cairn_shape_def *def, const cn_shape *shapes,
                 uint32_t shape_count, cn_shape *s, cairn_error *error)
{
	if ((unsigned)def->kind > CAIRN_MESH)
		return cn_fail(error, CAIRN_INVALID, "kind", "there is no shape of kind %u", (unsigned)def->kind);
	if (!check_count(error, "points", def->point_count, "points") ||
	    !check_count(error, "triangles", def->triangle_count, "triangles") ||
	    !check_count(error, "parts", def->part_count, "parts"))
		return false;
	s->def.kind = def->kind;
	if (!copy_arrays(allocator, s, def, error))
		return false;
	bool made = false;
	switch (def->kind) {
	case CAIRN_SPHERE:
	case CAIRN_CAPSULE:
	case CAIRN_CYLINDER: made = make_round(s, def, error); break;
	case CAIRN_BOX: made = make_box(s, def, error); break;
	case CAIRN_HULL: made = make_hull(allocator, s, def, error); break;
	case CAIRN_HALFSPACE: made = make_halfspace(s, def, error); break;
	case CAIRN_MESH: made = make_mesh(allocator, s, def, error); break;
	case CAIRN_COMPOUND: return make_compound(s, shapes, shape_count, error);
	case CAIRN_HEIGHTFIELD: break; /* a mesh by now */
	}
	if (made)
		s->box = placed_box(s, pose_identity());
	return made;
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
	if (!fill(allocator, def, shapes, shape_count, &made, error)) {
		cn_shape_free(allocator, &made);
		return false;
	}
	if (def->kind != CAIRN_COMPOUND) {
		made.convex = cn_alloc(allocator, 1, sizeof *made.convex);
		if (!made.convex || !cn_convex_make(allocator, &made, made.convex)) {
			cn_shape_free(allocator, &made);
			return cn_fail_memory(error);
		}
	}
	if (def->kind == CAIRN_MESH && !make_tree(allocator, &made)) {
		cn_shape_free(allocator, &made);
		return cn_fail_memory(error);
	}
	*out = made;
	return true;
}

void cn_shape_free(const cairn_allocator *allocator, cn_shape *shape)
{
	cn_free_text(allocator, (char *)shape->def.name);
	cn_free(allocator, (v3 *)shape->def.points, shape->def.point_count, sizeof(v3));
	cn_free(allocator, (cairn_part *)shape->def.parts, shape->def.part_count, sizeof(cairn_part));
	cn_free(allocator, shape->triangles, (size_t)shape->triangle_count * 3, sizeof(uint32_t));
	if (shape->convex)
		cn_convex_free(allocator, shape->convex);
	cn_free(allocator, shape->convex, 1, sizeof *shape->convex);
	if (shape->tree)
		cn_tree_free(allocator, shape->tree);
	cn_free(allocator, shape->tree, 1, sizeof *shape->tree);
	*shape = (cn_shape){0};
}

/* Of a shape that is no compound. Sums of positive terms only, so the error is a few ulp of the result. */
static double radius_about(const cn_shape *s, v3 center)
{
	v3 c = v3_abs(center), h = v3_scale(s->def.size, 0.5);
	double radius = s->def.radius, arm = c.z + 0.5 * s->def.length, most = 0;
	switch (s->def.kind) {
	case CAIRN_SPHERE: return v3_length(c) + radius;
	case CAIRN_BOX: return v3_length(v3_add(c, h));
	case CAIRN_CAPSULE: return v3_length(v3_make(c.x, c.y, arm)) + radius;
	case CAIRN_CYLINDER: return v3_length(v3_make(v3_length(v3_make(c.x, c.y, 0)) + radius, 0, arm));
	case CAIRN_HULL:
		for (uint32_t i = 0; i < s->def.point_count; ++i) {
			double square = v3_length2(v3_sub(s->def.points[i], center));
			most = square > most ? square : most;
		}
		return sqrt(most);
	case CAIRN_MESH:
		for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i) {
			double square = v3_length2(v3_sub(s->def.points[s->triangles[i]], center));
			most = square > most ? square : most;
		}
		return sqrt(most);
	case CAIRN_HALFSPACE:
	case CAIRN_HEIGHTFIELD:
	case CAIRN_COMPOUND: break;
	}
	return INFINITY;
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
