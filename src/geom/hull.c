/* Convex hulls by quickhull with exact decisions.
 *
 * The side of a plane that a point is on is decided exactly (orient.h). So the surface is at every moment exactly
 * convex and closed, the faces that a point sees are one patch with one simple rim, and a point outside sees one of
 * the faces that replace one it saw: nothing is ever lost, and each step adds a corner, so it ends.
 *
 * The tolerance only decides which points are worth adding: those farther than it above some face. What was added
 * early and turns out to lie on a face or an edge of the hull of the others is taken out again by building once more
 * with these last. */
#include "geom/hull.h"

#include "geom/orient.h"
#include "geom/tolerance.h"

#define NONE UINT32_MAX

enum { MOST_REBUILDS = 4 };

typedef struct face {
	uint32_t v[3];      /* counter-clockwise from outside */
	uint32_t across[3]; /* the face beyond the edge from v[i] to v[i + 1] */
	cn_plane plane;     /* its normal is outward, as long as twice the area */
	double length;      /* of the normal */
	uint32_t outside;   /* first of a list of points strictly above this face; each point is in one list at most */
	uint32_t apex;      /* the one to add next: above by more than the tolerance; NONE if none is */
	double apex_height, height; /* of the apex; of the highest */
	uint32_t before, after;     /* in the queue of faces that have an apex; after also links free faces */
	uint32_t seen;              /* the last search that saw it */
	bool alive, queued;
} face;

typedef struct rim_edge {
	uint32_t from, to, beyond; /* as they run in the visible face; the hidden face beyond */
} rim_edge;

typedef struct hull {
	const cairn_allocator *allocator;
	v3 *points; /* the given ones times a power of two: coordinates of at most 1 */
	uint32_t count;
	double tolerance; /* in the same unit */
	uint32_t *next;   /* by point: the rest of the list it is in */
	uint32_t *fan;    /* by corner of the rim: the new face whose rim edge starts there */
	uint32_t *order;  /* scratch: which points to build from */
	face *faces;
	rim_edge *rim;
	uint32_t *visible, *fresh;
	uint32_t face_count, face_capacity, rim_count, rim_capacity, visible_count, visible_capacity, fresh_capacity;
	uint32_t free_face, queue_first, queue_last, search;
} hull;

typedef enum outcome { BUILT, POINT, LINE, PLANE, NO_MEMORY } outcome;

/* What is too small for exact products is nothing beside the largest coordinate, which is near 1. */
static double drop_small(double x) { return fabs(x) < CN_ORIENT_MIN ? 0 : x; }

static double height_above(const hull *h, const face *f, uint32_t p)
{
	return v3_dot(f->plane.normal, v3_sub(h->points[p], h->points[f->v[0]])) / f->length;
}

static bool sees(const hull *h, const face *f, uint32_t p)
{
	const v3 *points = h->points;
	return cn_plane_side(&f->plane, points[f->v[0]], points[f->v[1]], points[f->v[2]], points[p]) > 0;
}

static void enqueue(hull *h, uint32_t at)
{
	face *f = &h->faces[at];
	f->queued = true, f->before = h->queue_last, f->after = NONE;
	if (h->queue_last == NONE)
		h->queue_first = at;
	else
		h->faces[h->queue_last].after = at;
	h->queue_last = at;
}

static void dequeue(hull *h, uint32_t at)
{
	face *f = &h->faces[at];
	if (f->before == NONE)
		h->queue_first = f->after;
	else
		h->faces[f->before].after = f->after;
	if (f->after == NONE)
		h->queue_last = f->before;
	else
		h->faces[f->after].before = f->before;
	f->queued = false;
}

static double from_middle(const hull *h, const face *f, uint32_t p)
{
	v3 middle = v3_add(v3_add(h->points[f->v[0]], h->points[f->v[1]]), h->points[f->v[2]]);
	return v3_length2(v3_madd(h->points[p], middle, -1.0 / 3.0));
}

/* Puts p into the list of a face it sees. Of points about equally high the one farthest out becomes the apex: it is a
 * corner of their own hull, where one in the middle would be in the way later. */
static void attach(hull *h, uint32_t at, uint32_t p, double height)
{
	face *f = &h->faces[at];
	h->next[p] = f->outside;
	f->outside = p;
	if (height <= h->tolerance)
		return;
	f->height = height > f->height ? height : f->height;
	double near_top = f->height - h->tolerance;
	if (f->apex == NONE || f->apex_height < near_top ||
	    (height >= near_top && from_middle(h, f, p) > from_middle(h, f, f->apex)))
		f->apex = p, f->apex_height = height;
	if (!f->queued)
		enqueue(h, at);
}

/* Gives p to one of the faces, if it sees any: the first it is clearly above, else the one it is highest above. */
static void assign(hull *h, uint32_t p, const uint32_t *faces, uint32_t count)
{
	double best = -INFINITY;
	uint32_t at = NONE;
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t id = faces ? faces[i] : i;
		const face *f = &h->faces[id];
		if (!f->alive)
			continue;
		double height = height_above(h, f, p);
		if (height > h->tolerance) {
			attach(h, id, p, height);
			return;
		}
		if (height >= -h->tolerance && height > best && sees(h, f, p))
			best = height, at = id;
	}
	if (at != NONE)
		attach(h, at, p, best);
}

static uint32_t add_face(hull *h, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t at = h->free_face;
	if (at != NONE) {
		h->free_face = h->faces[at].after;
	} else {
		if (!cn_grow(h->allocator, (void **)&h->faces, &h->face_capacity, h->face_count + 1, sizeof *h->faces))
			return NONE;
		at = h->face_count++;
	}
	face f = {.v = {a, b, c}, .outside = NONE, .apex = NONE, .height = -INFINITY, .alive = true};
	f.plane = cn_plane_through(h->points[a], h->points[b], h->points[c]);
	f.length = v3_length(f.plane.normal);
	h->faces[at] = f;
	return at;
}

static void remove_face(hull *h, uint32_t at)
{
	if (h->faces[at].queued)
		dequeue(h, at);
	h->faces[at].alive = false;
	h->faces[at].after = h->free_face;
	h->free_face = at;
}

static int edge_from(const face *f, uint32_t corner) { return f->v[0] == corner ? 0 : f->v[1] == corner ? 1 : 2; }

/* The faces that p sees, beginning with one of them, and if asked the rim of that patch. */
static bool look(hull *h, uint32_t p, uint32_t first, bool rim)
{
	uint32_t search = ++h->search;
	h->visible_count = h->rim_count = 0;
	if (!cn_grow(h->allocator, (void **)&h->visible, &h->visible_capacity, 1, sizeof *h->visible))
		return false;
	h->visible[h->visible_count++] = first;
	h->faces[first].seen = search;
	for (uint32_t i = 0; i < h->visible_count; ++i)
		for (int k = 0; k < 3; ++k) {
			const face *f = &h->faces[h->visible[i]];
			face *g = &h->faces[f->across[k]];
			if (g->seen == search)
				continue;
			if (sees(h, g, p)) {
				if (!cn_grow(h->allocator, (void **)&h->visible, &h->visible_capacity, h->visible_count + 1,
				             sizeof *h->visible))
					return false;
				g->seen = search;
				h->visible[h->visible_count++] = f->across[k];
			} else if (rim) {
				if (!cn_grow(h->allocator, (void **)&h->rim, &h->rim_capacity, h->rim_count + 1, sizeof *h->rim))
					return false;
				h->rim[h->rim_count++] = (rim_edge){f->v[k], f->v[(k + 1) % 3], f->across[k]};
			}
		}
	return true;
}

/* Takes the visible faces out and returns the points of their lists as one, without p. */
static uint32_t clear_visible(hull *h, uint32_t p)
{
	uint32_t orphans = NONE;
	for (uint32_t i = 0; i < h->visible_count; ++i) {
		for (uint32_t q = h->faces[h->visible[i]].outside, rest; q != NONE; q = rest) {
			rest = h->next[q];
			if (q == p)
				continue;
			h->next[q] = orphans;
			orphans = q;
		}
		remove_face(h, h->visible[i]);
	}
	return orphans;
}

/* Adds the apex of a face as a corner: what it sees is replaced by a fan from it to the rim. */
static bool add_corner(hull *h, uint32_t at)
{
	uint32_t p = h->faces[at].apex;
	if (!look(h, p, at, true) ||
	    !cn_grow(h->allocator, (void **)&h->fresh, &h->fresh_capacity, h->rim_count, sizeof *h->fresh))
		return false;
	uint32_t orphans = clear_visible(h, p);
	for (uint32_t i = 0; i < h->rim_count; ++i) {
		rim_edge e = h->rim[i];
		uint32_t id = add_face(h, e.from, e.to, p);
		if (id == NONE)
			return false;
		h->faces[id].across[0] = e.beyond;
		face *beyond = &h->faces[e.beyond];
		beyond->across[edge_from(beyond, e.to)] = id;
		h->fan[e.from] = h->fresh[i] = id;
	}
	for (uint32_t i = 0; i < h->rim_count; ++i) {
		uint32_t id = h->fresh[i], beside = h->fan[h->rim[i].to];
		h->faces[id].across[1] = beside;
		h->faces[beside].across[2] = id;
	}
	for (uint32_t q = orphans, rest; q != NONE; q = rest) {
		rest = h->next[q];
		assign(h, q, h->fresh, h->rim_count);
	}
	return true;
}

/* A point left in the list of a face it is barely above may be farther above another: then it goes there. */
static bool settle(hull *h, bool *moved)
{
	*moved = false;
	for (uint32_t i = 0; i < h->face_count; ++i) {
		if (!h->faces[i].alive || h->faces[i].apex != NONE)
			continue;
		uint32_t list = h->faces[i].outside;
		h->faces[i].outside = NONE;
		for (uint32_t q = list, rest; q != NONE; q = rest) {
			rest = h->next[q];
			if (!look(h, q, i, false))
				return false;
			double best = -INFINITY;
			uint32_t at = i;
			for (uint32_t k = 0; k < h->visible_count; ++k) {
				double height = height_above(h, &h->faces[h->visible[k]], q);
				if (height > best)
					best = height, at = h->visible[k];
			}
			*moved |= best > h->tolerance;
			attach(h, best > h->tolerance ? at : i, q, best);
		}
	}
	return true;
}

static bool expand(hull *h)
{
	for (bool moved = true; moved;) {
		while (h->queue_first != NONE)
			if (!add_corner(h, h->queue_first))
				return false;
		if (!settle(h, &moved))
			return false;
	}
	return true;
}

/* The two points farthest apart of those that are extreme along an axis. */
static void pick_ends(const hull *h, const uint32_t *ids, uint32_t count, uint32_t ends[2])
{
	uint32_t extreme[6];
	for (int i = 0; i < 6; ++i)
		extreme[i] = ids[0];
	for (uint32_t i = 0; i < count; ++i) {
		v3 p = h->points[ids[i]];
		extreme[0] = p.x < h->points[extreme[0]].x ? ids[i] : extreme[0];
		extreme[1] = p.x > h->points[extreme[1]].x ? ids[i] : extreme[1];
		extreme[2] = p.y < h->points[extreme[2]].y ? ids[i] : extreme[2];
		extreme[3] = p.y > h->points[extreme[3]].y ? ids[i] : extreme[3];
		extreme[4] = p.z < h->points[extreme[4]].z ? ids[i] : extreme[4];
		extreme[5] = p.z > h->points[extreme[5]].z ? ids[i] : extreme[5];
	}
	double most = -1;
	for (int i = 0; i < 6; ++i)
		for (int j = i + 1; j < 6; ++j) {
			double square = v3_length2(v3_sub(h->points[extreme[i]], h->points[extreme[j]]));
			if (square > most)
				most = square, ends[0] = extreme[i], ends[1] = extreme[j];
		}
}

/* Four corners of a tetrahedron as fat as a quick look finds, the last below the first three. */
static outcome pick_simplex(const hull *h, const uint32_t *ids, uint32_t count, uint32_t corners[4])
{
	double flat = 2 * h->tolerance, most = 0;
	if (count == 0)
		return POINT;
	pick_ends(h, ids, count, corners);
	v3 a = h->points[corners[0]], b = h->points[corners[1]], normal = v3_zero();
	double length = v3_distance(a, b);
	if (!(length > flat))
		return POINT;
	for (uint32_t i = 0; i < count; ++i) {
		v3 across = cn_plane_through(a, b, h->points[ids[i]]).normal;
		double height = v3_length(across) / length;
		if (height > most)
			most = height, normal = across, corners[2] = ids[i];
	}
	if (!(most > flat))
		return LINE;
	double area = v3_length(normal), deepest = 0;
	most = 0;
	for (uint32_t i = 0; i < count; ++i) {
		double height = v3_dot(normal, v3_sub(h->points[ids[i]], a)) / area;
		if (fabs(height) > most)
			most = fabs(height), deepest = height, corners[3] = ids[i];
	}
	if (!(most > flat))
		return PLANE;
	if (deepest > 0) {
		uint32_t swap = corners[1];
		corners[1] = corners[2], corners[2] = swap;
	}
	return BUILT;
}

static bool add_simplex(hull *h, const uint32_t c[4])
{
	const uint32_t corners[4][3] = {{c[0], c[1], c[2]}, {c[0], c[3], c[1]}, {c[1], c[3], c[2]}, {c[2], c[3], c[0]}};
	static const uint8_t across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
	h->face_count = 0;
	h->free_face = h->queue_first = h->queue_last = NONE;
	for (int i = 0; i < 4; ++i) {
		uint32_t at = add_face(h, corners[i][0], corners[i][1], corners[i][2]);
		if (at == NONE)
			return false;
		for (int k = 0; k < 3; ++k)
			h->faces[at].across[k] = across[i][k];
	}
	return true;
}

/* The face that the half-line from an inner point through p leaves by, walked to from another: over an edge whenever p
 * is beyond the plane of that edge and the inner point. Where two faces differ in plane each step brings the plane
 * nearer along the half-line, so the walk does not come back; in a flat patch with corners in the middle it might, and
 * after as many steps as there are faces it gives up: NONE. */
static uint32_t walk(const hull *h, v3 inner, uint32_t p, uint32_t at)
{
	for (uint32_t step = 0; step < h->face_count; ++step) {
		const face *f = &h->faces[at];
		int k = 0;
		for (; k < 3; ++k) {
			v3 a = h->points[f->v[k]], b = h->points[f->v[(k + 1) % 3]];
			cn_plane plane = cn_plane_through(inner, a, b);
			if (cn_plane_side(&plane, inner, a, b, h->points[p]) < 0)
				break;
		}
		if (k == 3)
			return at;
		at = f->across[k];
	}
	return NONE;
}

/* Gives points to faces of a finished hull that they see: one that sees any sees the one in its way. */
static void assign_late(hull *h, const v3 *inner, const uint32_t *ids, uint32_t count)
{
	uint32_t at = 0;
	while (!h->faces[at].alive)
		++at;
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t found = inner ? walk(h, *inner, ids[i], at) : NONE;
		if (found == NONE) {
			assign(h, ids[i], NULL, h->face_count);
			continue;
		}
		at = found;
		if (sees(h, &h->faces[at], ids[i]))
			attach(h, at, ids[i], height_above(h, &h->faces[at], ids[i]));
	}
}

/* The middle of the first four corners. False where it is not inside for sure, as in a body hardly thicker than the
 * rounding. */
static bool find_inner(const hull *h, const uint32_t c[4], v3 *inner)
{
	v3 sum = v3_add(v3_add(h->points[c[0]], h->points[c[1]]), v3_add(h->points[c[2]], h->points[c[3]]));
	*inner = v3_make(drop_small(0.25 * sum.x), drop_small(0.25 * sum.y), drop_small(0.25 * sum.z));
	for (int i = 0; i < 4; ++i) {
		const face *f = &h->faces[i];
		v3 a = h->points[f->v[0]], b = h->points[f->v[1]], d = h->points[f->v[2]];
		if (cn_plane_side(&f->plane, a, b, d, *inner) >= 0)
			return false;
	}
	return true;
}

/* The hull of the points ids[0..count), then of these and ids[count..all) as far as they are outside. */
static outcome build(hull *h, const uint32_t *ids, uint32_t count, uint32_t all)
{
	uint32_t corners[4] = {0};
	outcome found = pick_simplex(h, ids, count, corners);
	if (found != BUILT)
		return found;
	if (!add_simplex(h, corners))
		return NO_MEMORY;
	v3 inner;
	bool safe = find_inner(h, corners, &inner);
	for (uint32_t i = 0; i < count; ++i)
		assign(h, ids[i], NULL, 4);
	if (!expand(h))
		return NO_MEMORY;
	assign_late(h, safe ? &inner : NULL, ids + count, all - count);
	return expand(h) ? BUILT : NO_MEMORY;
}

/* So thin that it is an edge up to the tolerance, and its plane says nothing. */
static bool is_thin(const hull *h, const face *f)
{
	double longest = 0;
	for (int k = 0; k < 3; ++k) {
		double length = v3_distance(h->points[f->v[k]], h->points[f->v[(k + 1) % 3]]);
		longest = length > longest ? length : longest;
	}
	return f->length <= 4 * h->tolerance * longest;
}

static bool in_plane(const hull *h, const face *f, const face *g)
{
	bool in = true;
	for (int k = 0; k < 3; ++k)
		in &= height_above(h, f, g->v[k]) >= -2 * h->tolerance;
	return in;
}

/* How many angles there are between the faces around corner v, of which at is one: three or more at a real corner, two
 * on an edge, none on a face. Thin faces are passed over. */
static uint32_t count_angles(const hull *h, uint32_t v, uint32_t at)
{
	uint32_t angles = 0, first = NONE, last = NONE, i = at;
	do {
		const face *f = &h->faces[i];
		if (!is_thin(h, f)) {
			if (first == NONE)
				first = i;
			else
				angles += !in_plane(h, f, &h->faces[last]) && !in_plane(h, &h->faces[last], f);
			last = i;
		}
		i = f->across[edge_from(f, v)];
	} while (i != at);
	if (first != last)
		angles += !in_plane(h, &h->faces[first], &h->faces[last]) && !in_plane(h, &h->faces[last], &h->faces[first]);
	return angles;
}

/* Sorts what the next build is made of into h->order: first the corners with three angles or more, then the doubtful
 * ones, which lie on a face or an edge, and the points just outside. Sets how many are first and in all; returns the
 * number of corners. */
static uint32_t sort_corners(hull *h, uint32_t *first, uint32_t *all)
{
	uint32_t corners = 0, front = 0, back = h->count;
	for (uint32_t i = 0; i < h->count; ++i)
		h->fan[i] = NONE; /* here: whether the corner is sorted in */
	for (uint32_t i = 0; i < h->face_count; ++i) {
		if (!h->faces[i].alive)
			continue;
		for (int k = 0; k < 3; ++k) {
			uint32_t v = h->faces[i].v[k];
			if (h->fan[v] != NONE)
				continue;
			h->fan[v] = i;
			++corners;
			if (count_angles(h, v, i) >= 3)
				h->order[front++] = v;
			else
				h->order[--back] = v;
		}
		for (uint32_t q = h->faces[i].outside; q != NONE; q = h->next[q])
			h->order[--back] = q;
	}
	*first = front;
	for (; back < h->count; ++back)
		h->order[front++] = h->order[back];
	*all = front;
	return corners;
}

static bool write_triangles(const hull *h, uint32_t **triangles, uint32_t *triangle_count)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < h->face_count; ++i)
		count += h->faces[i].alive;
	uint32_t *out = cn_alloc(h->allocator, (size_t)count * 3, sizeof *out), *t = out;
	if (!out)
		return false;
	for (uint32_t i = 0; i < h->face_count; ++i)
		for (int k = 0; k < 3 && h->faces[i].alive; ++k)
			*t++ = h->faces[i].v[k];
	cn_free(h->allocator, *triangles, (size_t)*triangle_count * 3, sizeof *out);
	*triangles = out, *triangle_count = count;
	return true;
}

/* Builds again without the doubtful corners as long as that leaves fewer. */
static outcome simplify(hull *h, uint32_t **triangles, uint32_t *triangle_count)
{
	uint32_t first, all, corners = sort_corners(h, &first, &all);
	for (int i = 0; i < MOST_REBUILDS && first < corners; ++i) {
		outcome found = build(h, h->order, first, all);
		if (found != BUILT) /* nothing but doubtful corners, as on a body as small as the tolerance: keep them */
			return found == NO_MEMORY ? NO_MEMORY : BUILT;
		uint32_t left = sort_corners(h, &first, &all);
		if (left >= corners)
			return BUILT;
		corners = left;
		if (!write_triangles(h, triangles, triangle_count))
			return NO_MEMORY;
	}
	return BUILT;
}

static bool allocate(hull *h)
{
	h->points = cn_alloc(h->allocator, h->count, sizeof *h->points);
	h->next = cn_alloc(h->allocator, h->count, sizeof *h->next);
	h->fan = cn_alloc(h->allocator, h->count, sizeof *h->fan);
	h->order = cn_alloc(h->allocator, h->count, sizeof *h->order);
	return h->points && h->next && h->fan && h->order;
}

static void release(hull *h)
{
	cn_free(h->allocator, h->points, h->count, sizeof *h->points);
	cn_free(h->allocator, h->next, h->count, sizeof *h->next);
	cn_free(h->allocator, h->fan, h->count, sizeof *h->fan);
	cn_free(h->allocator, h->order, h->count, sizeof *h->order);
	cn_free(h->allocator, h->faces, h->face_capacity, sizeof *h->faces);
	cn_free(h->allocator, h->rim, h->rim_capacity, sizeof *h->rim);
	cn_free(h->allocator, h->visible, h->visible_capacity, sizeof *h->visible);
	cn_free(h->allocator, h->fresh, h->fresh_capacity, sizeof *h->fresh);
}

static double scale_down(double x, int shift) { return drop_small(ldexp(x, -shift)); }

static void take_points(hull *h, const v3 *points)
{
	double largest = 0;
	int shift;
	for (uint32_t i = 0; i < h->count; ++i) {
		double most = v3_max(v3_abs(points[i]));
		largest = most > largest ? most : largest;
	}
	frexp(largest, &shift);
	for (uint32_t i = 0; i < h->count; ++i)
		h->points[i] =
			v3_make(scale_down(points[i].x, shift), scale_down(points[i].y, shift), scale_down(points[i].z, shift));
	h->tolerance = CN_HULL_ULPS * DBL_EPSILON * ldexp(largest, -shift);
}

static bool fail(outcome found, cairn_error *error)
{
	static const char *const flat[] = {
		[POINT] = "all points coincide", [LINE] = "all points lie on a line", [PLANE] = "all points lie in a plane"};
	if (found == NO_MEMORY)
		return cn_fail_memory(error);
	return cn_fail(error, CAIRN_INVALID, "points", "%s up to rounding; a hull needs points around a volume",
	               flat[found]);
}

bool cn_hull_build(const cairn_allocator *allocator, const v3 *points, uint32_t count, uint32_t **triangles,
                   uint32_t *triangle_count, cairn_error *error)
{
	hull h = {.allocator = allocator, .count = count};
	*triangles = NULL, *triangle_count = 0;
	if (count < 4)
		return cn_fail(error, CAIRN_INVALID, "points", "there %s %u point%s; a hull needs at least 4",
		               count == 1 ? "is" : "are", (unsigned)count, count == 1 ? "" : "s");
	outcome found = NO_MEMORY;
	if (allocate(&h)) {
		for (uint32_t i = 0; i < count; ++i)
			h.order[i] = i;
		take_points(&h, points);
		found = build(&h, h.order, count, count);
		if (found == BUILT && !write_triangles(&h, triangles, triangle_count))
			found = NO_MEMORY;
		if (found == BUILT)
			found = simplify(&h, triangles, triangle_count);
	}
	release(&h);
	if (found == BUILT)
		return true;
	cn_free(allocator, *triangles, (size_t)*triangle_count * 3, sizeof **triangles);
	*triangles = NULL, *triangle_count = 0;
	return fail(found, error);
}
