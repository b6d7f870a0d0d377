/* See contact.h. Two sides drawn on the plane (contact_side.h) are intersected corner by corner and side by side: a
 * corner inside the other's loop is a point, and two edges cross where the ends of each lie clearly on different sides
 * of the other. A corner on the other's boundary up to rounding counts as inside; otherwise a corner of the
 * intersection could fall between the two tests. What is found twice that way is merged, to the least identity. */
#include "geom/contact_side.h"

#include "base/tolerance.h"
#include "geom/tolerance.h"

#define CN_CONTACT_ROUND 1e-7 /* of the smaller part's size: what a separation from a cylinder promises of its gap */

static uint32_t edges_of(const cn_contact_side *s) { return s->count == 2 ? 1 : s->count; }

/* Left of edge i, times the edge's length: positive inside a counter-clockwise loop. */
static double beside(const cn_contact_side *s, uint32_t i, double u, double v, double *length2)
{
	uint32_t k = i + 1 == s->count ? 0 : i + 1;
	double du = s->u[k] - s->u[i], dv = s->v[k] - s->v[i];
	*length2 = du * du + dv * dv;
	return (du * (v - s->v[i]) - dv * (u - s->u[i])) * s->winding;
}

/* Up to slack: beside an edge's line and within its ends, inside every edge of a face, or in a disc. */
static bool holds(const cn_contact_side *s, double u, double v, double slack)
{
	double length2;
	if (s->count == 0)
		return true;
	if (s->disc.radius > 0)
		return cn_contact_disc_holds(&s->disc, u, v, slack);
	if (s->count == 1)
		return fabs(u - s->u[0]) <= slack && fabs(v - s->v[0]) <= slack;
	if (s->count == 2) {
		double off = beside(s, 0, u, v, &length2), reach = slack * sqrt(length2);
		double du = s->u[1] - s->u[0], dv = s->v[1] - s->v[0], t = (u - s->u[0]) * du + (v - s->v[0]) * dv;
		return fabs(off) <= reach && t >= -reach && t - length2 <= reach;
	}
	for (uint32_t i = 0; i < s->count; ++i) {
		double off = beside(s, i, u, v, &length2);
		if (off < 0 && !(off * off <= slack * slack * length2))
			return false;
	}
	return true;
}

/* On which side of edge i: 1 inside, -1 outside, 0 on it up to slack. */
static int side_of(const cn_contact_side *s, uint32_t i, double u, double v, double slack)
{
	double length2, off = beside(s, i, u, v, &length2);
	if (off * off <= slack * slack * length2)
		return 0;
	return off > 0 ? 1 : -1;
}

/* Where edges cross. */
static void cross(const cn_contact_side *a, const cn_contact_side *b, double slack, cn_contact_raw *set)
{
	for (uint32_t j = 0; j < edges_of(b); ++j) {
		uint32_t next_j = j + 1 == b->count ? 0 : j + 1;
		int first = side_of(b, j, a->u[0], a->v[0], slack), from = first;
		for (uint32_t i = 0; i < edges_of(a); ++i) {
			uint32_t next_i = i + 1 == a->count ? 0 : i + 1;
			int to = next_i ? side_of(b, j, a->u[next_i], a->v[next_i], slack) : first;
			if (from * to < 0 &&
			    side_of(a, i, b->u[j], b->v[j], slack) * side_of(a, i, b->u[next_j], b->v[next_j], slack) < 0) {
				double unused, here = beside(b, j, a->u[i], a->v[i], &unused);
				double t = here / (here - beside(b, j, a->u[next_i], a->v[next_i], &unused));
				cn_contact_add(set, a->edge[i], b->edge[j], a->u[i] + t * (a->u[next_i] - a->u[i]),
				               a->v[i] + t * (a->v[next_i] - a->v[i]));
			}
			from = to;
		}
	}
}

/* Edges closer to parallel than CN_PARALLEL have no crossing that means anything: they lie along each other. */
static double edge_slack(const cn_contact_side *a, const cn_contact_side *b, double rounding)
{
	if (a->count != 2 || b->count != 2)
		return rounding;
	double au = a->u[1] - a->u[0], av = a->v[1] - a->v[0], bu = b->u[1] - b->u[0], bv = b->v[1] - b->v[0];
	double a2 = au * au + av * av, b2 = bu * bu + bv * bv, x = au * bv - av * bu;
	if (x * x > CN_PARALLEL * CN_PARALLEL * a2 * b2)
		return rounding;
	return rounding + CN_PARALLEL * sqrt(a2 > b2 ? a2 : b2);
}

/* False if a single corner lies off the other side, which the closest points must then stand for. */
static bool intersect(const cn_contact_side *a, const cn_contact_side *b, const cn_contact_frame *frame,
                      cn_contact_raw *set)
{
	double slack = edge_slack(a, b, frame->rounding);
	if (a->count == 1 && b->count != 0) {
		cn_contact_add(set, a->whole, b->whole, a->u[0], a->v[0]);
		return holds(b, a->u[0], a->v[0], frame->merge);
	}
	if (b->count == 1 && a->count != 0) {
		cn_contact_add(set, a->whole, b->whole, b->u[0], b->v[0]);
		return holds(a, b->u[0], b->v[0], frame->merge);
	}
	for (uint32_t i = 0; i < a->count; ++i)
		if (holds(b, a->u[i], a->v[i], slack))
			cn_contact_add(set, a->corner[i], b->whole, a->u[i], a->v[i]);
	for (uint32_t j = 0; j < b->count; ++j)
		if (holds(a, b->u[j], b->v[j], slack))
			cn_contact_add(set, a->whole, b->corner[j], b->u[j], b->v[j]);
	if (a->count == 0 || b->count == 0 || slack != frame->rounding)
		return true;
	if (a->disc.radius > 0 || b->disc.radius > 0)
		cn_contact_disc_cross(a, b, set);
	else
		cross(a, b, slack, set);
	return true;
}

static void lift(const cn_contact_side *a, const cn_contact_side *b, const cn_contact_frame *frame, v3 d,
                 const cn_contact_corner *from, cn_contact_point *to)
{
	to->a = cn_contact_side_lift(a, frame, from->u, from->v);
	to->b = cn_contact_side_lift(b, frame, from->u, from->v);
	to->gap = v3_dot(frame->n, v3_sub(v3_add(d, to->b), to->a));
	to->feature = from->id;
}

/* More corners than there is room for: those within the limit that span the polygon best. */
static void thin(const cn_contact_side *a, const cn_contact_side *b, const cn_contact_frame *frame, v3 d, double limit,
                 cn_contact_raw *set)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < set->count; ++i) {
		cn_contact_point p;
		lift(a, b, frame, d, &set->points[i], &p);
		set->points[i].gap = p.gap;
		if (p.gap <= limit)
			set->points[count++] = set->points[i];
	}
	set->count = cn_contact_span(set->points, count, CN_CONTACT_MAX, -INFINITY);
}

static cn_contact_point closest_of(const cn_separation *s, v3 d, uint64_t id)
{
	return (cn_contact_point){s->a, s->b, v3_dot(s->n, v3_sub(v3_add(d, s->b), s->a)), id};
}

static cn_contact_frame make_frame(const cn_convex *a, const cn_convex *b, v3 d, v3 n)
{
	cn_contact_frame f = {.n = n, .at_b = b->size < a->size};
	cn_contact_basis(n, &f.u, &f.v);
	f.du = v3_dot(f.u, d);
	f.dv = v3_dot(f.v, d);
	f.rounding = cn_contact_rounding(a, b, d);
	f.merge = cn_contact_merge(a, b) + f.rounding;
	return f;
}

/* Any two parts. Returns the gap along n. */
static double find_general(const cn_convex_pair *pair, const cn_separation *s, double slab, cn_contact_set *out)
{
	v3 d = v3_sub(pair->pb->x, pair->pa->x);
	cn_contact_frame frame = make_frame(pair->a, pair->b, d, s->n);
	frame.slab = slab;
	cn_contact_side on_a, on_b;
	cn_contact_raw set;
	set.count = 0;
	cn_contact_side_find(pair->a, pair->pa, &frame, false, s->feature_a, &on_a);
	cn_contact_side_find(pair->b, pair->pb, &frame, true, s->feature_b, &on_b);
	double gap = v3_dot(s->n, d) - on_a.support - on_b.support;
	bool met = intersect(&on_a, &on_b, &frame, &set);
	set.count = cn_contact_order(set.points, set.count, frame.merge);
	if (set.count > CN_CONTACT_MAX)
		thin(&on_a, &on_b, &frame, d, gap + slab + frame.merge, &set);
	for (uint32_t i = 0; i < set.count; ++i)
		lift(&on_a, &on_b, &frame, d, &set.points[i], &out->points[i]);
	out->count = set.count;
	if (!met)
		out->points[0] = closest_of(s, d, out->points[0].feature);
	return gap;
}

static void insert(cn_contact_set *set, cn_contact_point p)
{
	uint32_t at = 0;
	while (at < set->count && set->points[at].feature < p.feature)
		++at;
	if (at == set->count || set->points[at].feature != p.feature) {
		for (uint32_t i = set->count++; i > at; --i)
			set->points[i] = set->points[i - 1];
	}
	set->points[at] = p;
}

/* What a separation's gap may be off by (separate.h): a smallest gap this close to it stands for the closest points. */
static double separated(const cn_convex *a, const cn_convex *b)
{
	bool round = a->kind == CAIRN_CYLINDER || b->kind == CAIRN_CYLINDER;
	return (round ? CN_CONTACT_ROUND : CN_CONTACT_CLOSEST) * (a->size < b->size ? a->size : b->size);
}

void cn_contact_find(const cn_convex_pair *pair, const cn_separation *s, double slab, cn_contact_set *out)
{
	const cn_convex *a = pair->a, *b = pair->b;
	v3 d = v3_sub(pair->pb->x, pair->pa->x);
	double length2 = v3_length2(s->n), gap, merge = cn_contact_merge(a, b) + cn_contact_rounding(a, b, d);
	out->n = s->n;
	out->count = 0;
	out->low = out->high = 0;
	cn_contact_point closest = closest_of(s, d, (uint64_t)s->feature_a << 32 | s->feature_b);
	if (!(length2 > 0.5 && length2 < 2)) {
		insert(out, closest);
		return;
	}
	if (a->kind == CAIRN_SPHERE && b->kind == CAIRN_SPHERE) {
		closest.a = v3_scale(s->n, a->radius), closest.b = v3_scale(s->n, -b->radius);
		closest.gap = v3_dot(s->n, d) - a->radius - b->radius;
		out->low = -INFINITY, out->high = INFINITY;
		insert(out, closest);
		return;
	}
	if (a->kind != CAIRN_BOX || b->kind != CAIRN_BOX || !cn_contact_boxes(pair, s, slab, &gap, out)) {
		out->low = out->high = 0;
		gap = find_general(pair, s, slab, out);
	}
	uint32_t kept = 0;
	double least = INFINITY;
	for (uint32_t i = 0; i < out->count; ++i)
		least = out->points[i].gap < least ? out->points[i].gap : least;
	for (uint32_t i = 0; i < out->count; ++i) {
		const cn_contact_point p = out->points[i];
		bool within = p.gap <= gap + slab + merge;
		if (p.gap != least)
			cn_contact_needs(out, p.gap - gap - merge, within, fabs(p.gap) + fabs(gap) + merge);
		if (within || p.gap == least)
			out->points[kept++] = p;
	}
	out->count = kept;
	if (kept == 0 || (least > gap + merge + separated(a, b) && closest.gap < least)) {
		if (kept == CN_CONTACT_MAX)
			cn_contact_reduce(out, CN_CONTACT_MAX - 1, -INFINITY);
		insert(out, closest);
	}
}
