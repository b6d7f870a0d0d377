/* See separate_cylinder.h: which search is asked, and the points and features that belong to the plane it found. */
#include "geom/separate_cylinder.h"

#include "geom/separate_cylinder_search.h"
#include "geom/tolerance.h"

#define CN_CYLINDER_FAVOUR                                                                                             \
	1e-12                      /* of the smaller size: planes this little narrower count as equal, the last one wins */
#define CN_CYLINDER_CLOSE 1e-8 /* of the smaller size: rim against rim is searched until no more than this can be won */

/* What of a part lies on the plane: in world axes, about the cylinder's centre. */
typedef enum patch_kind { POINT, SEGMENT, DISC, POLYGON } patch_kind;
typedef struct patch {
	patch_kind kind;
	v3 x;                  /* the point; the middle of segment and disc; the centre of a polygon's part */
	v3 direction;          /* segment: unit */
	double extent;         /* segment: half its length; disc: radius */
	const cn_convex *part; /* polygon: whose */
	const cn_place *place;
	cn_feature feature;
} patch;

static patch cylinder_patch(const cn_cylinder *c, v3 n)
{
	double along = v3_dot(n, c->u), sine;
	v3 rim = v3_scale(cn_unit_across(n, c->u, &sine), c->radius);
	v3 end = v3_scale(c->u, along < 0 ? -c->half : c->half);
	if (sine <= CN_CYLINDER_FLAT)
		return (patch){.kind = DISC, .x = end, .extent = c->radius, .feature = cn_feature_make(CN_FACE, along > 0)};
	if (fabs(along) <= CN_CYLINDER_FLAT)
		return (patch){SEGMENT, rim, c->u, c->half, NULL, NULL, cn_feature_make(CN_SIDE, 0)};
	return (patch){.kind = POINT, .x = v3_add(rim, end), .feature = cn_feature_make(CN_RIM, along > 0)};
}

/* d: the core's centre; n out of the core. */
static patch core_patch(const cn_convex *part, const cn_place *place, v3 d, v3 n)
{
	const cn_polytope *core = &part->core;
	v3 down = cn_place_unturn(place, n);
	for (uint32_t i = 0; i < core->face_count; ++i)
		if (v3_length2(v3_sub(core->normals[i], down)) <= CN_CYLINDER_FLAT * CN_CYLINDER_FLAT)
			return (patch){
				.kind = POLYGON, .x = d, .part = part, .place = place, .feature = cn_feature_make(CN_FACE, i)};
	uint32_t vertex = cn_polytope_furthest(core, down);
	double enough = v3_dot(core->vertices[vertex], down) - 2 * CN_CYLINDER_FLAT * core->radius;
	uint32_t edge = UINT32_MAX;
	double most = -INFINITY;
	for (uint32_t i = 0; i < core->edge_count; ++i) {
		double tail = v3_dot(core->vertices[core->edges[i].tail], down);
		double head = v3_dot(core->vertices[core->edges[i].head], down);
		if (tail < enough || head < enough || !(tail + head > most) ||
		    fabs(v3_dot(core->directions[i], down)) > CN_CYLINDER_FLAT)
			continue;
		most = tail + head, edge = i;
	}
	if (edge != UINT32_MAX) {
		v3 tail = core->vertices[core->edges[edge].tail], head = core->vertices[core->edges[edge].head];
		v3 middle = v3_add(d, cn_place_turn(place, v3_scale(v3_add(tail, head), 0.5)));
		return (patch){SEGMENT,
		               middle,
		               cn_place_turn(place, core->directions[edge]),
		               0.5 * v3_distance(tail, head),
		               NULL,
		               NULL,
		               cn_feature_make(CN_EDGE, edge)};
	}
	v3 x = v3_add(d, cn_place_turn(place, core->vertices[vertex]));
	return (patch){.kind = POINT, .x = x, .feature = cn_feature_make(CN_VERTEX, vertex)};
}

/* The middle of the common part of [low, high] and [-half, half]; of the gap between them if they have none. */
static double middle_of(double low, double high, double half)
{
	low = low > -half ? low : -half;
	high = high < half ? high : half;
	double t = 0.5 * (low + high);
	return t < -half ? -half : t > half ? half : t;
}

/* Where the lines cross, kept to what both segments cover of a's line: nearly parallel lines cross anywhere. */
static v3 segment_and_segment(const patch *a, const patch *b, v3 n)
{
	v3 w = v3_sub(b->x, a->x), d = a->direction, e = b->direction;
	double cross = v3_dot(v3_cross(d, e), n), middle = v3_dot(w, d), reach = b->extent * fabs(v3_dot(d, e));
	double low = middle - reach, high = middle + reach;
	if (fabs(cross) > CN_CYLINDER_FLAT) {
		double t = v3_dot(v3_cross(w, e), n) / cross;
		low = high = t < low ? low : t > high ? high : t;
	}
	return v3_madd(a->x, d, middle_of(low, high, a->extent));
}

static v3 segment_and_disc(const patch *a, const patch *b, v3 n)
{
	double t = v3_dot(v3_sub(b->x, a->x), a->direction);
	v3 apart = cn_across(v3_sub(v3_madd(a->x, a->direction, t), b->x), n);
	double rest = b->extent * b->extent - v3_length2(apart), chord = rest > 0 ? sqrt(rest) : 0;
	return v3_madd(a->x, a->direction, middle_of(t - chord, t + chord, a->extent));
}

static v3 disc_and_disc(const patch *a, const patch *b, v3 n)
{
	v3 w = cn_across(v3_sub(b->x, a->x), n);
	double t = v3_length(w);
	return v3_madd(a->x, v3_unit(w), middle_of(t - b->extent, t + b->extent, a->extent));
}

/* Both in the axes of the polygon's part. */
static v3 segment_and_polygon(const patch *a, const cn_polytope *core, uint32_t face)
{
	double low = -a->extent, high = a->extent;
	uint32_t first = core->face_first[face], last = core->face_first[face + 1];
	for (uint32_t k = first; k < last; ++k) {
		v3 from = core->vertices[core->loop[k]], to = core->vertices[core->loop[k + 1 < last ? k + 1 : first]];
		v3 inward = v3_cross(core->normals[face], v3_sub(to, from));
		double height = v3_dot(v3_sub(a->x, from), inward), rate = v3_dot(a->direction, inward);
		if (fabs(rate) <=
		    CN_CYLINDER_FLAT * v3_length(inward)) /* along this edge: inside it, or there were no contact */
			continue;
		if (rate > 0 && -height > low * rate)
			low = -height / rate;
		else if (rate < 0 && height < -high * rate)
			high = -height / rate;
	}
	return v3_madd(a->x, a->direction, middle_of(low, high, a->extent));
}

static v3 disc_and_polygon(const patch *a, const cn_polytope *core, uint32_t face)
{
	uint32_t first = core->face_first[face], last = core->face_first[face + 1];
	v3 m = core->normals[face], nearest = a->x;
	double least = INFINITY;
	bool inside = true;
	for (uint32_t k = first; k < last; ++k) {
		v3 from = core->vertices[core->loop[k]], to = core->vertices[core->loop[k + 1 < last ? k + 1 : first]];
		v3 edge = v3_sub(to, from), w = cn_across(v3_sub(a->x, from), m);
		if (v3_dot(w, v3_cross(m, edge)) >= 0)
			continue;
		inside = false;
		double t = v3_dot(w, edge) / v3_length2(edge);
		v3 foot = v3_madd(from, edge, t < 0 ? 0 : t > 1 ? 1 : t);
		double far = v3_length2(cn_across(v3_sub(a->x, foot), m));
		if (far < least)
			least = far, nearest = foot;
	}
	return inside ? a->x : nearest;
}

/* A point over which both patches lie, seen along n; its height is left to the caller. a is a cylinder's. */
static v3 meet(const patch *a, const patch *b, v3 n)
{
	if (a->kind == POINT)
		return a->x;
	if (b->kind == POINT)
		return b->x;
	if (b->kind == POLYGON) {
		patch local = *a;
		local.x = cn_place_unturn(b->place, v3_sub(a->x, b->x));
		local.direction = cn_place_unturn(b->place, a->direction);
		const cn_polytope *core = &b->part->core;
		uint32_t face = cn_feature_index(b->feature);
		v3 x = a->kind == SEGMENT ? segment_and_polygon(&local, core, face) : disc_and_polygon(&local, core, face);
		return v3_add(b->x, cn_place_turn(b->place, x));
	}
	if (a->kind == SEGMENT)
		return b->kind == SEGMENT ? segment_and_segment(a, b, n) : segment_and_disc(a, b, n);
	return b->kind == SEGMENT ? segment_and_disc(b, a, n) : disc_and_disc(a, b, n);
}

static cn_cylinder cylinder_of(const cn_convex *part, const cn_place *place)
{
	v3 u = {place->r.m[0][2], place->r.m[1][2], place->r.m[2][2]};
	return (cn_cylinder){v3_unit(u), part->half.z, part->radius};
}

static v3 last_normal(const cn_witness *witness, const cn_place *pa)
{
	if (!witness || !witness->known)
		return v3_zero();
	v3 n = {(double)witness->axis[0], (double)witness->axis[1], (double)witness->axis[2]};
	double length2 = v3_length2(n);
	return length2 > 0.5 && length2 < 2 ? v3_unit(cn_place_turn(pa, n)) : v3_zero();
}

/* What is known of a pair of which the first is a cylinder. */
typedef struct query {
	cn_cylinder c;
	const cn_convex *other;
	const cn_place *place; /* of the other */
	v3 d;                  /* the other's centre less the cylinder's */
} query;

/* The point of the cylinder that is nearest (or deepest), about its centre; the other's follows from gap and n. */
static v3 find_point(const query *q, v3 n, cn_feature *feature, cn_feature *feature_other)
{
	patch mine = cylinder_patch(&q->c, n), theirs;
	*feature = mine.feature;
	if (q->other->kind == CAIRN_HALFSPACE) {
		*feature_other = cn_feature_make(CN_FACE, 0);
		return mine.x;
	}
	if (q->other->kind == CAIRN_CYLINDER) {
		cn_cylinder other = cylinder_of(q->other, q->place);
		theirs = cylinder_patch(&other, v3_neg(n));
		theirs.x = v3_add(theirs.x, q->d);
	} else {
		theirs = core_patch(q->other, q->place, q->d, v3_neg(n));
	}
	*feature_other = theirs.feature;
	if (mine.kind == POINT)
		return mine.x;
	return v3_madd(cn_across(meet(&mine, &theirs, n), n), n, cn_cylinder_reach(&q->c, n));
}

/* The way from x to the nearest point of the cylinder. */
static v3 way_into(const cn_cylinder *c, v3 x)
{
	double z = v3_dot(x, c->u), over = fabs(z) - c->half;
	v3 across = v3_madd(x, c->u, -z);
	double beside = v3_length(across) - c->radius;
	v3 way = beside > 0 ? v3_scale(across, -beside / (beside + c->radius)) : v3_zero();
	return over > 0 ? v3_madd(way, c->u, z < 0 ? over : -over) : way;
}

/* By how much the points of the best plane miss each other: the nearest in b less the nearest in a, across n. Where
 * they do not and the plane separates, no plane is wider: its width is the distance of two points. */
static v3 miss(const query *q, const cn_cylinder *other, const cn_widest *best)
{
	cn_feature mine, theirs;
	v3 x = find_point(q, best->n, &mine, &theirs), y = v3_sub(v3_madd(x, best->n, best->s), q->d);
	return v3_sub(way_into(other, y), way_into(&q->c, x));
}

static void find_cylinders_plane(const query *q, const cn_cylinder *other, cn_widest *best)
{
	cn_cylinder_try_easy(&q->c, other, q->d, best);
	v3 g = miss(q, other, best);
	if (best->s < 0 || v3_length(g) > best->close) {
		cn_cylinder_climb_rims(&q->c, other, q->d, best);
		g = miss(q, other, best);
	}
	if (best->s < 0 || v3_length(g) > best->close) {
		cn_cylinder_search_rims(&q->c, other, q->d, best);
		g = miss(q, other, best);
	}
	for (int i = 0; i < 3 && v3_length(g) > best->close; ++i) { /* judged by the points: s may not tell */
		cn_widest next = *best;
		next.score = -INFINITY;
		cn_cylinder_follow(&q->c, other, q->d, g, &next);
		v3 left = miss(q, other, &next);
		if (next.s < best->s - best->close || !(v3_length2(left) < v3_length2(g)))
			break;
		*best = next, g = left;
	}
}

/* Fills n, from the cylinder to the other, and the gap. */
static void find_plane(const query *q, const cn_convex *cylinder, v3 last, cn_separation *out)
{
	double size = cylinder->size < q->other->size ? cylinder->size : q->other->size;
	double rounding = 4 * DBL_EPSILON * (v3_length(q->d) + cylinder->reach + q->other->reach);
	cn_widest best = {.score = -INFINITY, .last = last, .close = CN_CYLINDER_CLOSE * size + rounding};
	best.favour = v3_length2(last) > 0 ? CN_CYLINDER_FAVOUR * size + rounding : 0;
	if (q->other->kind == CAIRN_HALFSPACE) {
		out->n = v3_unit(v3_neg(cn_place_turn(q->place, q->other->normal)));
		out->gap = v3_dot(out->n, q->d) - cn_cylinder_reach(&q->c, out->n);
	} else if (q->other->kind == CAIRN_CYLINDER) {
		cn_cylinder other = cylinder_of(q->other, q->place);
		find_cylinders_plane(q, &other, &best);
		out->n = best.n;
		out->gap = best.s;
	} else {
		cn_cylinder local = q->c;
		local.u = v3_unit(cn_place_unturn(q->place, q->c.u));
		best.last = cn_place_unturn(q->place, last);
		cn_cylinder_against_core(&local, v3_neg(cn_place_unturn(q->place, q->d)), &q->other->core, &best);
		out->n = v3_unit(cn_place_turn(q->place, best.n));
		out->gap = best.s - q->other->radius;
	}
}

void cn_separate_cylinder(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb,
                          cn_witness *witness, cn_separation *out)
{
	/* Of two cylinders the smaller one is followed: its rim is the shorter way round. */
	bool swapped = a->kind != CAIRN_CYLINDER || (b->kind == CAIRN_CYLINDER && b->size < a->size);
	const cn_convex *cylinder = swapped ? b : a;
	v3 d = v3_sub(pb->x, pa->x), last = last_normal(witness, pa);
	query q = {.other = swapped ? a : b, .place = swapped ? pa : pb, .d = swapped ? v3_neg(d) : d};
	q.c = cylinder_of(cylinder, swapped ? pb : pa);
	find_plane(&q, cylinder, swapped ? v3_neg(last) : last, out);
	cn_feature mine, theirs;
	v3 x = find_point(&q, out->n, &mine, &theirs), y = v3_sub(v3_madd(x, out->n, out->gap), q.d);
	out->a = swapped ? y : x;
	out->b = swapped ? x : y;
	out->feature_a = swapped ? theirs : mine;
	out->feature_b = swapped ? mine : theirs;
	if (swapped)
		out->n = v3_neg(out->n);
	if (!witness)
		return;
	v3 axis = cn_place_unturn(pa, out->n);
	*witness = (cn_witness){.axis = {(float)axis.x, (float)axis.y, (float)axis.z},
	                        .feature_a = out->feature_a,
	                        .feature_b = out->feature_b,
	                        .known = 1};
}
