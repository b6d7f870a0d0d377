/* See decompose.h. Everything that is made on the way lies in one arena; trying a cut gives back what it took. */
#include "geom/decompose.h"

#include "geom/cavity.h"
#include "geom/hull.h"
#include "geom/inside.h"
#include "geom/mass.h"
#include "geom/solid_distance.h"

#include <stdlib.h>
#include <string.h>

enum {
	ACROSS = 7,   /* cuts tried across each axis */
	CREASES = 16, /* cuts tried along faces at re-entrant edges */
	CREASES_KEPT = 256,
	ROUNDS = 16 /* of cutting and joining, at most */
};
static const double CREASE_SINE = 0.2; /* of the angle by which faces turn inwards: above, the edge is a place to cut */
static const double REACH_SHARE = 0.05; /* of what is asked: how well the reach of a hull is known */
static const double IN_PLANE = 1e-9;    /* of the size: what is nearer to a plane counts as lying in it */
static const double WITHIN =
	1e-7; /* of the size: how far from a corner of a cell it is asked whether the cell is full */
static const double FLAT_SHARE = 1e-9; /* of the solid's volume: a hull with less is no part */

typedef struct plane {
	v3 normal;
	double offset;
} plane;

/* A hull with the points that it came from. */
typedef struct solid_hull {
	v3 *points;
	uint32_t *triangles;
	uint32_t point_count, triangle_count;
	double volume;
	cairn_box box;
} solid_hull;

typedef struct piece {
	v3 *points, *corners; /* of the clipped triangles; corners of the cell inside the solid */
	uint32_t *triangles;
	plane *planes; /* of the cell: it lies below them */
	uint32_t point_count, triangle_count, corner_count, plane_count;
	solid_hull hull;
	double reach; /* the farthest that its hull is from the solid, m; 0: not beyond what is asked */
	bool whole;   /* no plane cuts it */
} piece;

/* A face at a re-entrant edge. */
typedef struct crease {
	plane along;
	v3 at; /* the middle of the edge */
	double weight;
	uint32_t number;
} crease;

typedef struct cutter {
	const cairn_allocator *allocator;
	const cn_triangles *mesh;
	const cn_tree *tree;
	const cn_decompose_options *options;
	cn_arena arena;
	double limit, tolerance, size, flat; /* m, m, m, m^3; what is asked is limit and tolerance together */
	cn_cavities cavities;
	crease *creases; /* the heaviest first */
	uint32_t crease_count;
	piece *pieces;
	uint32_t piece_count;
} cutter;

static double height(const plane *p, v3 x) { return v3_dot(p->normal, x) - p->offset; }

/* ---- hulls */

/* Of those points that are its corners. Flat ones have no triangles. False when memory ran out. */
static bool make_hull(cutter *c, const v3 *points, uint32_t count, solid_hull *out)
{
	uint32_t *triangles = NULL, triangle_count = 0, used = 0;
	cairn_error error = {0};
	*out = (solid_hull){0};
	if (count < 4)
		return true;
	if (!cn_hull_build(c->allocator, points, count, &triangles, &triangle_count, &error))
		return error.code != CAIRN_MEMORY;
	uint32_t *number = cn_arena_take(&c->arena, count, sizeof *number);
	out->points = cn_arena_take(&c->arena, (size_t)triangle_count * 3, sizeof *out->points);
	out->triangles = cn_arena_take(&c->arena, (size_t)triangle_count * 3, sizeof *out->triangles);
	bool ok = number && out->points && out->triangles;
	for (size_t i = 0; ok && i < (size_t)triangle_count * 3; ++i) {
		uint32_t p = triangles[i];
		if (!number[p]) {
			out->points[used] = points[p];
			number[p] = ++used;
		}
		out->triangles[i] = number[p] - 1;
	}
	cn_free(c->allocator, triangles, (size_t)triangle_count * 3, sizeof *triangles);
	if (!ok)
		return false;
	out->point_count = used, out->triangle_count = triangle_count;
	out->volume = cn_mass_solid(out->points, out->triangles, triangle_count).volume;
	out->box = (cairn_box){out->points[0], out->points[0]};
	for (uint32_t i = 0; i < used; ++i) {
		out->box.min = v3_least(out->box.min, out->points[i]);
		out->box.max = v3_most(out->box.max, out->points[i]);
	}
	return true;
}

static bool is_within(const solid_hull *h, v3 p)
{
	if (v3_min(v3_sub(p, h->box.min)) < 0 || v3_min(v3_sub(h->box.max, p)) < 0)
		return false;
	for (uint32_t i = 0; i < h->triangle_count; ++i) {
		const uint32_t *t = &h->triangles[(size_t)i * 3];
		v3 a = h->points[t[0]];
		v3 n = v3_cross(v3_sub(h->points[t[1]], a), v3_sub(h->points[t[2]], a));
		if (v3_dot(n, v3_sub(p, a)) > 0)
			return false;
	}
	return true;
}

/* How far a hull reaches from the solid, which may be any of those beyond the limit if `any`: 0 where that is not beyond it. */
static double reach_of(const cutter *c, const solid_hull *h, bool any)
{
	cn_triangles faces = {h->points, h->point_count, h->triangles, h->triangle_count};
	cn_reach_bounds bounds = {c->limit, any ? c->limit : INFINITY, c->tolerance};
	double away = cn_solid_reach(c->tree, c->mesh, &faces, bounds);
	for (uint32_t i = 0; i < c->cavities.count && c->cavities.samples[i].away > away; ++i)
		if (is_within(h, c->cavities.samples[i].at))
			away = c->cavities.samples[i].away;
	return away > c->limit ? away : 0;
}

/* ---- what is known of the mesh before anything is cut */

typedef struct side {
	uint32_t low, high, triangle; /* points of an edge in order, and a triangle at it */
} side;

static int by_edge(const void *a, const void *b)
{
	const side *x = a, *y = b;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high < y->high ? -1 : 1;
	return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static int by_weight(const void *a, const void *b)
{
	const crease *x = a, *y = b;
	return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1)
	                              : (x->number > y->number) - (x->number < y->number);
}

static plane face_plane(const cn_triangles *m, uint32_t triangle)
{
	const uint32_t *t = &m->triangles[(size_t)triangle * 3];
	v3 a = m->points[t[0]];
	v3 n = v3_unit(v3_cross(v3_sub(m->points[t[1]], a), v3_sub(m->points[t[2]], a)));
	return (plane){n, v3_dot(n, a)};
}

static void add_creases(cutter *c, const side *a, const side *b)
{
	const cn_triangles *m = c->mesh;
	plane p = face_plane(m, a->triangle), q = face_plane(m, b->triangle);
	const uint32_t *t = &m->triangles[(size_t)b->triangle * 3];
	double rises = -INFINITY; /* of b's third corner over a's plane: above 0 the edge is re-entrant */
	for (int i = 0; i < 3; ++i)
		if (t[i] != a->low && t[i] != a->high)
			rises = height(&p, m->points[t[i]]);
	double sine = v3_length(v3_cross(p.normal, q.normal));
	double length = v3_distance(m->points[a->low], m->points[a->high]);
	v3 at = v3_scale(v3_add(m->points[a->low], m->points[a->high]), 0.5);
	if (!(rises > 0) || sine < CREASE_SINE)
		return;
	c->creases[c->crease_count] = (crease){p, at, sine * length, c->crease_count};
	++c->crease_count;
	c->creases[c->crease_count] = (crease){q, at, sine * length, c->crease_count};
	++c->crease_count;
}

static bool find_creases(cutter *c)
{
	const cn_triangles *m = c->mesh;
	uint32_t count = 3 * m->triangle_count;
	side *sides = cn_arena_take(&c->arena, count, sizeof *sides);
	c->creases = cn_arena_take(&c->arena, count + 2, sizeof *c->creases);
	if (!sides || !c->creases)
		return false;
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t a = m->triangles[i], b = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
		sides[i] = (side){a < b ? a : b, a < b ? b : a, i / 3};
	}
	qsort(sides, count, sizeof *sides, by_edge);
	for (uint32_t i = 0; i + 1 < count; ++i)
		if (sides[i].low == sides[i + 1].low && sides[i].high == sides[i + 1].high)
			add_creases(c, &sides[i], &sides[i + 1]);
	qsort(c->creases, c->crease_count, sizeof *c->creases, by_weight);
	if (c->crease_count > CREASES_KEPT)
		c->crease_count = CREASES_KEPT;
	return true;
}

/* ---- cutting */

typedef struct clip {
	piece *out;
	const piece *from;
	const double *heights; /* of from's points, above 0: gone */
	uint32_t *number;      /* of from's points in out, + 1 */
} clip;

static uint32_t keep_point(clip *k, uint32_t p)
{
	if (!k->number[p]) {
		k->out->points[k->out->point_count] = k->from->points[p];
		k->number[p] = ++k->out->point_count;
	}
	return k->number[p] - 1;
}

static void clip_triangle(clip *k, const uint32_t *t)
{
	uint32_t polygon[4], n = 0;
	if (!(k->heights[t[0]] < 0 || k->heights[t[1]] < 0 || k->heights[t[2]] < 0))
		return; /* at most it touches the plane from above, and is no part of what is below */
	for (int i = 0; i < 3; ++i) {
		uint32_t a = t[i], b = t[(i + 1) % 3];
		double ha = k->heights[a], hb = k->heights[b];
		if (ha <= 0)
			polygon[n++] = keep_point(k, a);
		if ((ha < 0 && hb > 0) || (ha > 0 && hb < 0)) {
			/* the same bits whichever way the edge runs */
			uint32_t low = a < b ? a : b, high = a < b ? b : a;
			double share = k->heights[low] / (k->heights[low] - k->heights[high]);
			k->out->points[k->out->point_count] = v3_lerp(k->from->points[low], k->from->points[high], share);
			polygon[n++] = k->out->point_count++;
		}
	}
	for (uint32_t i = 2; i < n; ++i) {
		uint32_t *to = &k->out->triangles[(size_t)k->out->triangle_count++ * 3];
		to[0] = polygon[0], to[1] = polygon[i - 1], to[2] = polygon[i];
	}
}

/* Where three planes meet, and a way from there that leads below all of them. */
static bool meet(const plane *a, const plane *b, const plane *c, v3 *at, v3 *below)
{
	v3 bc = v3_cross(b->normal, c->normal), ca = v3_cross(c->normal, a->normal), ab = v3_cross(a->normal, b->normal);
	double volume = v3_dot(a->normal, bc);
	if (fabs(volume) < 1e-6)
		return false;
	v3 sum = v3_madd(v3_madd(v3_scale(bc, a->offset), ca, b->offset), ab, c->offset);
	*at = v3_scale(sum, 1 / volume);
	*below = v3_unit(v3_scale(v3_add(v3_add(bc, ca), ab), -1 / volume));
	return true;
}

/* Corners of the cell that lie in the solid: those it had, and those at which its last plane meets two others. Planes along
 * faces of the mesh put corners on its surface, so it is asked just within the cell: whether the cell is full there. */
static void find_corners(const cutter *c, const piece *from, piece *out)
{
	const plane *last = &out->planes[out->plane_count - 1];
	for (uint32_t i = 0; i < from->corner_count; ++i)
		if (height(last, from->corners[i]) <= 0)
			out->corners[out->corner_count++] = from->corners[i];
	for (uint32_t i = 0; i + 1 < out->plane_count; ++i)
		for (uint32_t k = 0; k < i; ++k) {
			v3 at, below;
			bool in = meet(&out->planes[i], &out->planes[k], last, &at, &below);
			for (uint32_t j = 0; in && j + 1 < out->plane_count; ++j)
				in = j == i || j == k ||
				     height(&out->planes[j], at) <= IN_PLANE * c->size; /* four may meet in a point */
			v3 within = in ? v3_madd(at, below, WITHIN * c->size) : at;
			if (in && cn_inside(c->tree, c->mesh->points, c->mesh->triangles, within, 0) != CN_OUTSIDE)
				out->corners[out->corner_count++] = at;
		}
}

/* What of a piece lies below a plane, and its hull. False when memory ran out. */
static bool cut(cutter *c, const piece *from, plane p, piece *out)
{
	uint32_t crossings = 2 * from->triangle_count, planes = from->plane_count + 1;
	*out = (piece){.plane_count = planes};
	out->points = cn_arena_take(&c->arena, (size_t)from->point_count + crossings, sizeof *out->points);
	out->triangles = cn_arena_take(&c->arena, 2 * (size_t)from->triangle_count, 3 * sizeof *out->triangles);
	out->planes = cn_arena_take(&c->arena, planes, sizeof *out->planes);
	out->corners = cn_arena_take(&c->arena, from->corner_count + (size_t)planes * planes, sizeof *out->corners);
	double *heights = cn_arena_take(&c->arena, from->point_count, sizeof *heights);
	uint32_t *number = cn_arena_take(&c->arena, from->point_count, sizeof *number);
	if (c->arena.failed)
		return false;
	if (from->plane_count)
		memcpy(out->planes, from->planes, from->plane_count * sizeof *out->planes);
	out->planes[planes - 1] = p;
	for (uint32_t i = 0; i < from->point_count; ++i) {
		double h = height(&p, from->points[i]);
		heights[i] = fabs(h) <= IN_PLANE * c->size ? 0 : h;
	}
	clip k = {out, from, heights, number};
	for (uint32_t i = 0; i < from->triangle_count; ++i)
		clip_triangle(&k, &from->triangles[(size_t)i * 3]);
	find_corners(c, from, out);
	v3 *all = cn_arena_take(&c->arena, (size_t)out->point_count + out->corner_count, sizeof *all);
	if (!all)
		return false;
	memcpy(all, out->points, out->point_count * sizeof *all);
	memcpy(all + out->point_count, out->corners, out->corner_count * sizeof *all);
	return make_hull(c, all, out->point_count + out->corner_count, &out->hull);
}

static plane opposite(plane p) { return (plane){v3_neg(p.normal), -p.offset}; }

/* Volume of the hulls of both sides; infinite where the plane leaves one of them empty. */
static bool try_cut(cutter *c, const piece *from, plane p, double *volume)
{
	cn_arena_mark mark = cn_arena_here(&c->arena);
	piece below, above;
	bool ok = cut(c, from, p, &below) && cut(c, from, opposite(p), &above);
	*volume = INFINITY;
	if (ok && below.hull.volume > c->flat && above.hull.volume > c->flat)
		*volume = below.hull.volume + above.hull.volume;
	cn_arena_return(&c->arena, mark);
	return ok;
}

static bool is_in_cell(const piece *from, v3 at, double slack)
{
	for (uint32_t i = 0; i < from->plane_count; ++i)
		if (height(&from->planes[i], at) > -slack)
			return false;
	return true;
}

typedef struct choice {
	plane best;
	double volume;
} choice;

static bool consider(cutter *c, const piece *from, plane p, choice *made)
{
	double volume;
	if (!try_cut(c, from, p, &volume))
		return false;
	if (volume < made->volume * (1 - 1e-9))
		*made = (choice){p, volume};
	return true;
}

/* Creases first, so that where nothing is better a cut lies along a face. */
static bool choose(cutter *c, const piece *from, choice *made)
{
	*made = (choice){.volume = INFINITY};
	uint32_t tried = 0;
	for (uint32_t i = 0; i < c->crease_count && tried < CREASES; ++i) {
		if (!is_in_cell(from, c->creases[i].at, 1e-9 * c->size))
			continue;
		++tried;
		if (!consider(c, from, c->creases[i].along, made))
			return false;
	}
	for (int axis = 0; axis < 3; ++axis)
		for (int i = 1; i <= ACROSS; ++i) {
			v3 normal = v3_make(axis == 0, axis == 1, axis == 2);
			double low = v3_at(from->hull.box.min, axis), high = v3_at(from->hull.box.max, axis);
			if (!consider(c, from, (plane){normal, low + (high - low) * i / (ACROSS + 1)}, made))
				return false;
		}
	return true;
}

static piece *worst(cutter *c)
{
	piece *found = NULL;
	for (uint32_t i = 0; i < c->piece_count; ++i)
		if (!c->pieces[i].whole && c->pieces[i].reach > (found ? found->reach : 0))
			found = &c->pieces[i];
	return found;
}

static bool cut_all(cutter *c)
{
	for (piece *p = worst(c); p && c->piece_count < c->options->parts; p = worst(c)) {
		choice made;
		piece below, above;
		if (!choose(c, p, &made))
			return false;
		if (!isfinite(made.volume)) { /* no plane cuts it */
			p->whole = true;
			continue;
		}
		if (!cut(c, p, made.best, &below) || !cut(c, p, opposite(made.best), &above))
			return false;
		below.reach = reach_of(c, &below.hull, false);
		above.reach = reach_of(c, &above.hull, false);
		*p = below;
		c->pieces[c->piece_count++] = above;
	}
	return true;
}

/* ---- joining */

static bool join_hulls(cutter *c, const solid_hull *a, const solid_hull *b, solid_hull *out)
{
	v3 *all = cn_arena_take(&c->arena, (size_t)a->point_count + b->point_count, sizeof *all);
	if (!all)
		return false;
	memcpy(all, a->points, a->point_count * sizeof *all);
	memcpy(all + a->point_count, b->points, b->point_count * sizeof *all);
	return make_hull(c, all, a->point_count + b->point_count, out);
}

static bool are_apart(const solid_hull *a, const solid_hull *b, double slack)
{
	return v3_max(v3_sub(a->box.min, b->box.max)) > slack || v3_max(v3_sub(b->box.min, a->box.max)) > slack;
}

/* Volume that the hull of two adds; infinite where they are apart. */
static bool joint_volume(cutter *c, uint32_t i, uint32_t k, double *more)
{
	const solid_hull *a = &c->pieces[i].hull, *b = &c->pieces[k].hull;
	cn_arena_mark mark = cn_arena_here(&c->arena);
	solid_hull both;
	*more = INFINITY;
	if (i == k || are_apart(a, b, 1e-9 * c->size))
		return true;
	if (!join_hulls(c, a, b, &both))
		return false;
	if (both.volume > 0)
		*more = both.volume - a->volume - b->volume;
	cn_arena_return(&c->arena, mark);
	return true;
}

/* What the hull of each pair adds: infinite for those that are not to be joined. */
typedef struct pairs {
	double *more;
	uint32_t width;
} pairs;

/* Those of one piece with the first `with`. */
static bool measure_pairs(cutter *c, pairs *p, uint32_t of, uint32_t with)
{
	for (uint32_t k = 0; k < with; ++k) {
		double more;
		if (!joint_volume(c, of, k, &more))
			return false;
		p->more[of * p->width + k] = p->more[k * p->width + of] = more;
	}
	return true;
}

static double least_pair(const cutter *c, const pairs *p, uint32_t *first, uint32_t *second)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < c->piece_count; ++i)
		for (uint32_t k = 0; k < i; ++k)
			if (p->more[(size_t)i * p->width + k] < least)
				least = p->more[(size_t)i * p->width + k], *first = k, *second = i;
	return least;
}

/* Puts the last piece in the place of one that is gone. */
static void drop_piece(cutter *c, pairs *p, uint32_t gone)
{
	uint32_t last = --c->piece_count;
	c->pieces[gone] = c->pieces[last];
	for (uint32_t k = 0; k < last; ++k)
		p->more[gone * p->width + k] = p->more[k * p->width + gone] = p->more[last * p->width + k];
	p->more[gone * p->width + gone] = INFINITY;
}

/* Again and again the two whose hull adds the least volume, if it is near enough to the solid. */
static bool join_all(cutter *c)
{
	pairs p = {cn_arena_take(&c->arena, (size_t)c->piece_count * c->piece_count, sizeof(double)), c->piece_count};
	uint32_t a = 0, b = 0;
	if (!p.more)
		return false;
	for (uint32_t i = 0; i < c->piece_count; ++i)
		if (!measure_pairs(c, &p, i, i))
			return false;
	while (isfinite(least_pair(c, &p, &a, &b))) {
		solid_hull both;
		if (!join_hulls(c, &c->pieces[a].hull, &c->pieces[b].hull, &both))
			return false;
		p.more[a * p.width + b] = p.more[b * p.width + a] = INFINITY;
		if (reach_of(c, &both, true) > 0)
			continue;
		c->pieces[a].hull = both, c->pieces[a].reach = 0;
		drop_piece(c, &p, b);
		if (!measure_pairs(c, &p, a, c->piece_count))
			return false;
	}
	return true;
}

/* Joining makes room for further cuts. */
static bool cut_and_join(cutter *c)
{
	for (uint32_t round = 0; round < ROUNDS; ++round) {
		if (!cut_all(c) || !join_all(c))
			return false;
		if (!worst(c) || c->piece_count == c->options->parts)
			break;
	}
	return true;
}

/* ---- few corners */

/* The point that is farthest above the hull's faces; UINT32_MAX: none is above by more than slack. */
static uint32_t farthest_above(const solid_hull *h, const solid_hull *full, double slack)
{
	uint32_t found = UINT32_MAX;
	double most = slack;
	for (uint32_t i = 0; i < h->triangle_count; ++i) {
		plane p = face_plane(&(cn_triangles){h->points, h->point_count, h->triangles, h->triangle_count}, i);
		for (uint32_t k = 0; k < full->point_count; ++k) {
			double up = height(&p, full->points[k]);
			if (up > most)
				most = up, found = k;
		}
	}
	return found;
}

/* The corners that matter most, of a hull that has more than asked: extreme ones, then again and again the farthest out. */
static bool thin_out(cutter *c, solid_hull *full)
{
	uint32_t most = c->options->vertices, count = 0;
	v3 *kept = cn_arena_take(&c->arena, (size_t)most + 8, sizeof *kept);
	solid_hull h = {0};
	if (full->point_count <= most)
		return true;
	if (!kept)
		return false;
	for (int i = 0; i < 8 && count < most; ++i) {
		v3 way = v3_make(i & 1 ? 1 : -1, i & 2 ? 0.8 : -0.8, i & 4 ? 0.6 : -0.6);
		uint32_t best = 0;
		for (uint32_t k = 1; k < full->point_count; ++k)
			if (v3_dot(way, full->points[k]) > v3_dot(way, full->points[best]))
				best = k;
		bool has = false;
		for (uint32_t k = 0; k < count; ++k)
			has |= v3_distance(kept[k], full->points[best]) == 0;
		if (!has)
			kept[count++] = full->points[best];
	}
	for (;;) {
		if (!make_hull(c, kept, count, &h))
			return false;
		if (!h.triangle_count)
			return true; /* as it is */
		uint32_t next = count < most ? farthest_above(&h, full, 1e-9 * c->size) : UINT32_MAX;
		if (next == UINT32_MAX)
			break;
		kept[count++] = full->points[next];
	}
	*full = h;
	return true;
}

/* ---- the whole */

static bool begin(cutter *c)
{
	const cn_triangles *m = c->mesh;
	cairn_box box = {m->points[m->triangles[0]], m->points[m->triangles[0]]};
	for (size_t i = 0; i < (size_t)m->triangle_count * 3; ++i) {
		box.min = v3_least(box.min, m->points[m->triangles[i]]);
		box.max = v3_most(box.max, m->points[m->triangles[i]]);
	}
	c->size = v3_distance(box.min, box.max);
	c->tolerance = REACH_SHARE * c->options->concavity * c->size;
	c->limit = c->options->concavity * c->size - c->tolerance;
	c->flat = FLAT_SHARE * cn_mass_solid(m->points, m->triangles, m->triangle_count).volume;
	c->pieces = cn_arena_take(&c->arena, (size_t)c->options->parts + 1, sizeof *c->pieces);
	v3 *points = cn_arena_take(&c->arena, m->point_count, sizeof *points);
	uint32_t *triangles = cn_arena_take(&c->arena, m->triangle_count, 3 * sizeof *triangles);
	if (c->arena.failed || !cn_find_cavities(&c->arena, c->mesh, c->tree, c->limit, &c->cavities) || !find_creases(c))
		return false;
	memcpy(points, m->points, m->point_count * sizeof *points);
	memcpy(triangles, m->triangles, 3 * (size_t)m->triangle_count * sizeof *triangles);
	piece *p = &c->pieces[c->piece_count++];
	*p = (piece){
		.points = points, .triangles = triangles, .point_count = m->point_count, .triangle_count = m->triangle_count};
	v3 *used = cn_arena_take(&c->arena, (size_t)m->triangle_count * 3, sizeof *used);
	if (!used)
		return false;
	for (size_t i = 0; i < (size_t)m->triangle_count * 3; ++i)
		used[i] = m->points[m->triangles[i]];
	if (!make_hull(c, used, 3 * m->triangle_count, &p->hull))
		return false;
	p->reach = reach_of(c, &p->hull, false);
	return true;
}

static bool finish(cutter *c, cn_decomposition *out)
{
	if (!cn_grow(c->allocator, (void **)&out->parts, &out->part_capacity, c->piece_count, sizeof *out->parts))
		return false;
	for (uint32_t i = 0; i < c->piece_count; ++i) {
		solid_hull *h = &c->pieces[i].hull;
		if (!(h->volume > c->flat))
			continue;
		if (!thin_out(c, h))
			return false;
		cn_decomposed_part *part = &out->parts[out->part_count];
		part->points = cn_dup(c->allocator, h->points, h->point_count, sizeof *h->points);
		if (!part->points)
			return false;
		part->point_count = h->point_count;
		out->missed = fmax(out->missed, c->pieces[i].reach);
		++out->part_count;
	}
	return true;
}

bool cn_decompose(const cairn_allocator *allocator, const cn_triangles *mesh, const cn_tree *tree,
                  const cn_decompose_options *options, cn_decomposition *out, cairn_error *error)
{
	cutter c = {
		.allocator = allocator, .mesh = mesh, .tree = tree, .options = options, .arena = cn_arena_make(allocator)};
	*out = (cn_decomposition){0};
	bool ok = begin(&c) && cut_and_join(&c) && finish(&c, out);
	cn_arena_free(&c.arena);
	if (ok && out->part_count)
		return true;
	cn_decomposition_free(allocator, out);
	return ok ? cn_fail(error, CAIRN_INVALID, "decompose", "no part of the mesh has a volume") : cn_fail_memory(error);
}

void cn_decomposition_free(const cairn_allocator *allocator, cn_decomposition *d)
{
	for (uint32_t i = 0; i < d->part_count; ++i)
		cn_free(allocator, d->parts[i].points, d->parts[i].point_count, sizeof *d->parts[i].points);
	cn_free(allocator, d->parts, d->part_capacity, sizeof *d->parts);
	*d = (cn_decomposition){0};
}
