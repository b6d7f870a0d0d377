/* What the check makes of a shape: its convex part, or the triangles of a mesh with a tree over them (solid_tree.c).
 *
 * A hull is taken as the convex hull of its points; its triangles are not used to decide anything, but everyone else
 * shows, weighs and collides them, so they are verified to be that hull's surface: every edge runs once each way, and
 * no point is above any triangle's plane by more than
 *     t = 64 DBL_EPSILON x largest |coordinate| x (1 + |e1||e2| / |e1 x e2|),
 * the rounding of points taken for coplanar and of a plane through three points whose edges at one corner are e1 and
 * e2. Points that lie below all planes by more than t are inside whatever the rounding and are left out; all others are
 * kept, so nothing of the hull is lost and the rounding bound needs no addition. */
#include "check/parts.h"

enum { VAST = 64 };

static bool take_points(const cairn_allocator *allocator, cn_solid *s, const v3 *points, uint32_t count)
{
	s->points = cn_dup(allocator, points, count, sizeof *points);
	s->point_count = s->point_room = count;
	s->part.points = s->points, s->part.count = count;
	return s->points != NULL;
}

static bool has_key(const uint64_t *keys, size_t count, uint64_t key)
{
	size_t at = cn_check_find(keys, count, key);
	return at < count && keys[at] == key;
}

/* Every directed edge once, and its opposite once. */
static bool check_closed(const cairn_allocator *allocator, const uint32_t *triangles, uint32_t count,
                         cairn_error *error)
{
	size_t edges = (size_t)count * 3;
	uint64_t *keys = cn_alloc(allocator, edges, sizeof *keys);
	if (!keys)
		return cn_fail_memory(error);
	for (size_t i = 0; i < edges; ++i)
		keys[i] = (uint64_t)triangles[i] << 32 | triangles[i % 3 == 2 ? i - 2 : i + 1];
	cn_check_sort(keys, edges);
	uint64_t wrong = 0;
	bool fine = true;
	for (size_t i = 0; i < edges && fine; ++i) {
		fine = !(i && keys[i] == keys[i - 1]) && has_key(keys, edges, keys[i] << 32 | keys[i] >> 32);
		wrong = keys[i];
	}
	cn_free(allocator, keys, edges, sizeof *keys);
	return fine ||
	       cn_fail(error, CAIRN_INVALID, "triangles",
	               "the edge between points %u and %u has not one triangle on each side, both the same way round",
	               (unsigned)(wrong >> 32), (unsigned)(wrong & UINT32_MAX));
}

typedef struct plane {
	v3 n;
	double offset, tolerance;
} plane;

static plane plane_of(const v3 *points, const uint32_t *t, double scale)
{
	v3 e1 = v3_sub(points[t[1]], points[t[0]]), e2 = v3_sub(points[t[2]], points[t[0]]), n = v3_cross(e1, e2);
	double area = v3_length(n), product = v3_length(e1) * v3_length(e2);
	if (!(area > 0)) /* no plane: it can have no point above it, nor show that one is below */
		return (plane){v3_zero(), 0, INFINITY};
	n = v3_scale(n, 1 / area);
	return (plane){n, v3_dot(n, points[t[0]]), 64 * DBL_EPSILON * scale * (1 + product / area)};
}

/* Marks the points that may be corners of the hull; false if one is above a plane. */
static bool check_below(const v3 *points, uint32_t point_count, const uint32_t *triangles, uint32_t triangle_count,
                        bool *keep, cairn_error *error)
{
	double scale = 0;
	for (uint32_t i = 0; i < point_count; ++i) {
		double c = v3_max(v3_abs(points[i]));
		scale = c > scale ? c : scale;
	}
	for (uint32_t t = 0; t < triangle_count; ++t) {
		const uint32_t *corners = &triangles[(size_t)t * 3];
		plane p = plane_of(points, corners, scale);
		for (uint32_t i = 0; i < point_count; ++i) {
			double h = v3_dot(p.n, points[i]) - p.offset;
			if (h > p.tolerance)
				return cn_fail(error, CAIRN_INVALID, "triangles",
				               "point %u is above the plane of triangle %u by %g m; this is no convex hull",
				               (unsigned)i, (unsigned)t, h);
			if (h > -p.tolerance)
				keep[i] = true;
		}
	}
	return true;
}

static bool make_hull(const cairn_allocator *allocator, const cn_shape *shape, cn_solid *s, cairn_error *error)
{
	uint32_t count = shape->def.point_count;
	for (size_t i = 0; i < (size_t)shape->triangle_count * 3; ++i)
		if (shape->triangles[i] >= count)
			return cn_fail(error, CAIRN_INVALID, "triangles", "a triangle names point %u but there are %u",
			               (unsigned)shape->triangles[i], (unsigned)count);
	if (shape->triangle_count < 4)
		return cn_fail(error, CAIRN_INVALID, "triangles", "a hull has at least 4 triangles");
	if (!check_closed(allocator, shape->triangles, shape->triangle_count, error))
		return false;
	bool *keep = cn_alloc(allocator, count, sizeof *keep);
	if (!keep)
		return cn_fail_memory(error);
	bool fine = check_below(shape->def.points, count, shape->triangles, shape->triangle_count, keep, error);
	if (fine && !take_points(allocator, s, shape->def.points, count))
		fine = cn_fail_memory(error);
	if (fine) {
		uint32_t kept = 0;
		for (uint32_t i = 0; i < count; ++i)
			if (keep[i])
				s->points[kept++] = s->points[i];
		s->part.count = s->point_count = kept;
	}
	cn_free(allocator, keep, count, sizeof *keep);
	return fine;
}

static uint32_t root_of(uint32_t *above, uint32_t i)
{
	while (above[i] != i)
		i = above[i] = above[above[i]];
	return i;
}

/* Which points hang together: every point gets the least one of its piece. */
static bool find_pieces(const cairn_allocator *allocator, cn_solid *s, cairn_error *error)
{
	s->piece_room = s->point_count;
	s->piece = cn_alloc(allocator, s->piece_room, sizeof *s->piece);
	if (!s->piece)
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < s->point_count; ++i)
		s->piece[i] = i;
	for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i) {
		uint32_t p = root_of(s->piece, s->triangles[i]);
		uint32_t q = root_of(s->piece, s->triangles[i % 3 == 2 ? i - 2 : i + 1]);
		s->piece[p < q ? q : p] = p < q ? p : q;
	}
	for (uint32_t i = 0; i < s->point_count; ++i)
		s->piece[i] = root_of(s->piece, i);
	return true;
}

/* Own points and triangles; points that no triangle names are no part of a mesh. A shell is everything within half its
 * thickness of its triangles. */
static bool make_mesh(const cairn_allocator *allocator, const cn_shape *shape, cn_solid *s, cairn_error *error)
{
	uint32_t count = shape->def.point_count, kept = 0;
	size_t corners = (size_t)shape->triangle_count * 3;
	if (shape->triangle_count == 0)
		return cn_fail(error, CAIRN_INVALID, "triangles", "a mesh needs at least one triangle");
	for (size_t i = 0; i < corners; ++i)
		if (shape->triangles[i] >= count)
			return cn_fail(error, CAIRN_INVALID, "triangles", "a triangle names point %u but there are %u",
			               (unsigned)shape->triangles[i], (unsigned)count);
	s->mesh = true, s->full = !shape->def.shell;
	s->part.round = 0.5 * shape->def.thickness;
	if (s->full && !check_closed(allocator, shape->triangles, shape->triangle_count, error))
		return false;
	s->triangles = cn_dup(allocator, shape->triangles, corners, sizeof *s->triangles);
	s->triangle_count = shape->triangle_count;
	if (!s->triangles || !take_points(allocator, s, shape->def.points, count))
		return cn_fail_memory(error);
	uint32_t *name = cn_alloc(allocator, count, sizeof *name);
	if (!name)
		return cn_fail_memory(error);
	for (size_t i = 0; i < corners; ++i)
		name[s->triangles[i]] = 1;
	for (uint32_t i = 0; i < count; ++i)
		if (name[i])
			name[i] = kept, s->points[kept++] = s->points[i];
	for (size_t i = 0; i < corners; ++i)
		s->triangles[i] = name[s->triangles[i]];
	s->part.count = s->point_count = kept;
	s->part.vast = kept > VAST;
	cn_free(allocator, name, count, sizeof *name);
	return (cn_solid_tree(allocator, s) || cn_fail_memory(error)) && find_pieces(allocator, s, error);
}

static bool make_cloud(const cairn_allocator *allocator, cn_solid *s, double round, double arm, cairn_error *error)
{
	const v3 ends[2] = {{0, 0, -arm}, {0, 0, arm}};
	s->part.round = round;
	return take_points(allocator, s, ends, arm > 0 ? 2 : 1) || cn_fail_memory(error);
}

static bool fill(const cairn_allocator *allocator, const cn_shape *shape, cn_solid *s, cairn_error *error)
{
	const cairn_shape_def *def = &shape->def;
	s->full = true;
	switch (def->kind) {
	case CAIRN_SPHERE: return make_cloud(allocator, s, def->radius, 0, error);
	case CAIRN_CAPSULE: return make_cloud(allocator, s, def->radius, 0.5 * def->length, error);
	case CAIRN_BOX: s->part.core = CN_CHECK_CORE_BOX, s->part.half = v3_scale(def->size, 0.5); return true;
	case CAIRN_CYLINDER:
		s->part.core = CN_CHECK_CORE_CYLINDER, s->part.half = v3_make(def->radius, 0, 0.5 * def->length);
		return true;
	case CAIRN_HALFSPACE:
		s->part.core = CN_CHECK_CORE_HALFSPACE, s->part.normal = def->normal, s->part.offset = def->offset;
		return true;
	case CAIRN_HULL: return make_hull(allocator, shape, s, error);
	case CAIRN_MESH: return make_mesh(allocator, shape, s, error);
	case CAIRN_HEIGHTFIELD:
	case CAIRN_COMPOUND: break;
	}
	return cn_fail(error, CAIRN_INVALID, "kind", "a compound is checked part by part");
}

static void measure(cn_check_convex *part)
{
	v3 sum = v3_zero();
	double most = 0;
	for (uint32_t i = 0; i < part->count; ++i) {
		sum = v3_add(sum, part->points[i]);
		double d = v3_length(part->points[i]);
		most = d > most ? d : most;
	}
	if (part->count)
		part->inside = v3_scale(sum, 1.0 / part->count);
	for (uint32_t i = 0; i < part->count; ++i) {
		double d = v3_distance(part->points[i], part->inside);
		part->radius = d > part->radius ? d : part->radius;
	}
	part->radius = (part->count ? part->radius : v3_length(part->half)) + part->round;
	part->reach = (part->count ? most : v3_length(part->half)) + part->round + fabs(part->offset);
}

cn_solid *cn_solid_make(const cairn_allocator *allocator, const cn_shape *shape, cairn_error *error)
{
	cn_solid *s = cn_alloc(allocator, 1, sizeof *s);
	if (!s) {
		cn_fail_memory(error);
		return NULL;
	}
	if (!fill(allocator, shape, s, error)) {
		cn_solid_free(allocator, s);
		return NULL;
	}
	measure(&s->part);
	return s;
}

void cn_solid_free(const cairn_allocator *allocator, cn_solid *solid)
{
	if (!solid)
		return;
	cn_free(allocator, solid->points, solid->point_room, sizeof *solid->points);
	cn_free(allocator, solid->triangles, (size_t)solid->triangle_count * 3, sizeof *solid->triangles);
	cn_free(allocator, solid->nodes, solid->node_room, sizeof *solid->nodes);
	cn_free(allocator, solid->clouds, solid->cloud_room, sizeof *solid->clouds);
	cn_free(allocator, solid->piece, solid->piece_room, sizeof *solid->piece);
	cn_free(allocator, solid, 1, sizeof *solid);
}
