/* The gap of two convex parts, between a proved lower and a proved upper bound.
 *
 * Let M be all differences b - a of points of the two cores: convex, and the cores share a point just when M holds the
 * origin. The gap is the distance of the origin from M, or minus its depth within it. For a unit axis n
 *     s(n) = min n.w over M = min n.b - max n.a
 * is never above the gap: that is the lower bound, and one axis is its whole proof. Upper bounds come from a polytope P
 * that grows inside M, its corners differences of support points:
 *  - every point x of P is a difference b - a, so the gap is at most |x|;
 * - if the surface of P winds about the origin and comes no nearer to it than m, the ball of radius m is inside: what
 * is
 * outside M can go to infinity without crossing M, so a closed surface in M winds only about points of M. Then no axis
 *    has s(n) above -m, and the gap is at most -m.
 *
 * P begins as a triangle with two sides and takes in one corner w at a time: the faces that w is beyond are replaced by
 * the cone from w over their rim. That keeps the surface closed whichever faces are chosen, so nothing rests on the
 * rounding of that choice. The next axis is the direction of the point of P nearest to the origin while that is well
 * away, and the normal of the face that the origin is furthest beyond (or least below) when it is near or inside: the
 * latter is well conditioned at a gap of zero, where the former is not. It ends when the support along the axis is no
 * further than P reaches already. Where rounding spoils P it is begun anew from another side; what was proved stays. */
#include "check/parts.h"

#include "check/tolerance.h"

#define CN_CHECK_ULPS                                                                                                  \
	32 /* x DBL_EPSILON x (distance + radius): the rounding bound of a pose, twice the worst derived */
#define CN_CHECK_NEAR 1e-6 /* of the scale: nearer than this, directions come from faces, no longer from differences */
#define CN_CHECK_THIN 1e-3 /* of its length: a first triangle thinner than this is tried again on another side */

enum { MOST_CORNERS = 160, MOST_FACES = 2 * MOST_CORNERS, MOST_RIM = 3 * MOST_FACES, MOST_STARTS = 6 };

typedef struct face {
	v3 n;     /* unit, into P; zero where the corners are in line */
	double g; /* n.w of its plane: positive where the origin is outside; minus infinity without a plane */
	uint16_t v[3];
} face;

typedef struct growth {
	const cn_placed *a, *b;
	double scale; /* m: bounds the coordinates of M */
	double slack; /* m: rounding of the plane of a face */
	v3 w[MOST_CORNERS];
	face faces[MOST_FACES];
	uint32_t corner_count, face_count;
	bool flat; /* all corners lie in one plane up to rounding */
} growth;

static v3 local_axis(const m3 *r, v3 n)
{
	return (v3){r->m[0][0] * n.x + r->m[1][0] * n.y + r->m[2][0] * n.z,
	            r->m[0][1] * n.x + r->m[1][1] * n.y + r->m[2][1] * n.z,
	            r->m[0][2] * n.x + r->m[1][2] * n.y + r->m[2][2] * n.z};
}

static uint32_t furthest(const cn_check_convex *part, v3 l)
{
	uint32_t best = 0;
	double most = v3_dot(part->points[0], l);
	for (uint32_t i = 1; i < part->count; ++i) {
		double h = v3_dot(part->points[i], l);
		if (h > most)
			most = h, best = i;
	}
	return best;
}

/* max n.x, the rounding radius included. */
static double height(const cn_placed *p, v3 n)
{
	const cn_check_convex *part = p->part;
	v3 l = local_axis(&p->r, n);
	double base = v3_dot(p->at, n) + part->round;
	switch (part->core) {
	case CN_CHECK_CORE_BOX:
		return base + (fabs(l.x) * part->half.x + fabs(l.y) * part->half.y + fabs(l.z) * part->half.z);
	case CN_CHECK_CORE_CYLINDER: return base + (sqrt(l.x * l.x + l.y * l.y) * part->half.x + fabs(l.z) * part->half.z);
	case CN_CHECK_CORE_HALFSPACE: return base + part->offset;
	case CN_CHECK_CORE_CLOUD: break;
	}
	return base + v3_dot(part->points[furthest(part, l)], l);
}

double cn_gap_along(const cn_placed *a, const cn_placed *b, v3 n) { return -height(b, v3_neg(n)) - height(a, n); }

double cn_gap_bound(const cn_check_convex *a, const cn_check_convex *b, v3 apart)
{
	return CN_CHECK_ULPS * DBL_EPSILON * (0.5 * v3_length(apart) + a->reach + b->reach);
}

v3 cn_gap_support(const cn_placed *p, v3 n)
{
	const cn_check_convex *part = p->part;
	v3 l = local_axis(&p->r, n), x = part->half;
	switch (part->core) {
	case CN_CHECK_CORE_BOX: x = v3_make(l.x < 0 ? -x.x : x.x, l.y < 0 ? -x.y : x.y, l.z < 0 ? -x.z : x.z); break;
	case CN_CHECK_CORE_CYLINDER: {
		double across = sqrt(l.x * l.x + l.y * l.y), arm = l.z < 0 ? -x.z : x.z;
		x = across > 0 ? v3_make(x.x * (l.x / across), x.x * (l.y / across), arm) : v3_make(x.x, 0, arm);
		break;
	}
	case CN_CHECK_CORE_HALFSPACE:
	case CN_CHECK_CORE_CLOUD: x = part->points[furthest(part, l)]; break;
	}
	return v3_add(p->at, m3_apply(p->r, x));
}

/* The corner of M least along n. */
static v3 corner(const growth *g, v3 n) { return v3_sub(cn_gap_support(g->b, v3_neg(n)), cn_gap_support(g->a, n)); }

static void add_face(growth *g, uint32_t i, uint32_t j, uint32_t k)
{
	face *f = &g->faces[g->face_count++];
	*f = (face){.v = {(uint16_t)i, (uint16_t)j, (uint16_t)k}};
	v3 e[3] = {v3_sub(g->w[j], g->w[i]), v3_sub(g->w[k], g->w[j]), v3_sub(g->w[i], g->w[k])};
	double length[3], near = INFINITY;
	int longest = 0;
	v3 nearest = v3_zero();
	for (int c = 0; c < 3; ++c) {
		length[c] = v3_length(e[c]);
		if (length[c] > length[longest])
			longest = c;
		double far = v3_length2(g->w[f->v[c]]);
		if (far < near)
			near = far, nearest = g->w[f->v[c]];
	}
	/* Of the two shorter edges: rounding them moves the plane by 2 units of the scale, n.w by 3. Plain rounding of the
	 * product turns the normal by |e1||e2|/|e1 x e2| units more; where that is much it is formed exactly, and is then
	 * that of a triangle whose corners are off by a unit of their own. */
	int c1 = (longest + 1) % 3, c2 = (longest + 2) % 3;
	v3 across = v3_cross(e[c2], e[c1]);
	double product = length[c1] * length[c2], area = v3_length(across);
	if (area < 0.5 * product)
		across = cn_fine_cross(e[c2], e[c1]), area = v3_length(across);
	if (!(area > 0)) {
		f->g = -INFINITY;
		return;
	}
	f->n = v3_scale(across, 1 / area);
	f->g = v3_dot(f->n, nearest);
}

typedef struct rim_edge {
	uint16_t from, to;
} rim_edge;

/* The faces to be replaced and the edges around them. */
typedef struct patch {
	bool taken[MOST_FACES];
	rim_edge rim[MOST_RIM];
	uint32_t count, edge_count;
} patch;

static bool have_common_edge(const face *f, const face *h)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			if (f->v[i] == h->v[(j + 1) % 3] && f->v[(i + 1) % 3] == h->v[j])
				return true;
	return false;
}

/* The faces that w is beyond by more than the margin, as far as they hang together with the one it is furthest beyond.
 * */
static void gather(const growth *g, v3 w, double margin, patch *p)
{
	uint16_t list[MOST_FACES];
	uint32_t found = 0, furthest_face = 0;
	double most = INFINITY;
	p->count = 0;
	for (uint32_t i = 0; i < g->face_count; ++i) {
		double h = v3_dot(g->faces[i].n, w) - g->faces[i].g;
		p->taken[i] = false;
		if (!(h < -margin))
			continue;
		if (h < most)
			most = h, furthest_face = found;
		list[found++] = (uint16_t)i;
	}
	if (found == 0)
		return;
	uint16_t swap = list[0];
	list[0] = list[furthest_face], list[furthest_face] = swap;
	p->count = 1;
	for (uint32_t i = 0; i < p->count; ++i)
		for (uint32_t j = p->count; j < found; ++j)
			if (have_common_edge(&g->faces[list[i]], &g->faces[list[j]])) {
				swap = list[p->count];
				list[p->count++] = list[j], list[j] = swap;
			}
	for (uint32_t i = 0; i < p->count; ++i)
		p->taken[list[i]] = true;
}

/* The edges of the patch that have no opposite in it. */
static void find_rim(const growth *g, patch *p)
{
	rim_edge all[MOST_RIM];
	bool inner[MOST_RIM];
	uint32_t count = 0;
	for (uint32_t i = 0; i < g->face_count; ++i)
		for (int c = 0; p->taken[i] && c < 3; ++c) {
			inner[count] = false;
			all[count++] = (rim_edge){g->faces[i].v[c], g->faces[i].v[(c + 1) % 3]};
		}
	p->edge_count = 0;
	for (uint32_t i = 0; i < count; ++i) {
		for (uint32_t j = i + 1; j < count && !inner[i]; ++j)
			if (!inner[j] && all[j].from == all[i].to && all[j].to == all[i].from)
				inner[i] = inner[j] = true;
		if (!inner[i])
			p->rim[p->edge_count++] = all[i];
	}
}

/* One loop that meets no corner twice: the patch is a disc. */
static bool is_loop(const patch *p)
{
	uint32_t met = 0, at = 0;
	do {
		uint32_t next = p->edge_count;
		for (uint32_t i = 0; i < p->edge_count; ++i) {
			if (p->rim[i].from != p->rim[at].to)
				continue;
			if (next < p->edge_count)
				return false;
			next = i;
		}
		at = next;
		++met;
	} while (at != 0 && at < p->edge_count && met <= p->edge_count);
	return at == 0 && met == p->edge_count;
}

static bool is_corner(const growth *g, v3 w)
{
	for (uint32_t i = 0; i < g->corner_count; ++i)
		if (g->w[i].x == w.x && g->w[i].y == w.y && g->w[i].z == w.z)
			return true;
	return false;
}

/* Which faces give way to w. Rounding may leave holes among coplanar ones; another margin closes them. If w is beyond
 * none, it may lie beside a flat P in its plane: then all faces on the side of the given one do, and those of the cone
 * that come out the wrong way round lie on the other side. */
static bool choose_patch(growth *g, v3 w, uint32_t otherwise, patch *p)
{
	static const double margins[] = {1, -1, 8, -8, 64};
	for (size_t i = 0; i < CN_COUNT(margins); ++i) {
		gather(g, w, margins[i] * DBL_EPSILON * g->scale, p);
		if (i == 0 && p->count == 0 && g->flat) {
			for (uint32_t f = 0; f < g->face_count; ++f) {
				p->taken[f] = v3_dot(g->faces[f].n, g->faces[otherwise].n) > 0;
				p->count += p->taken[f];
			}
			find_rim(g, p);
			return p->edge_count > 0;
		}
		find_rim(g, p);
		if (p->edge_count > 0 && is_loop(p)) {
			g->flat = false;
			return true;
		}
	}
	return false;
}

/* Replaces the faces that w is beyond by the cone over their rim. False when nothing changes, or for want of room. */
static bool take_in(growth *g, v3 w, uint32_t otherwise)
{
	patch p;
	if (g->corner_count == MOST_CORNERS || is_corner(g, w) || !choose_patch(g, w, otherwise, &p) ||
	    g->face_count - p.count + p.edge_count > MOST_FACES)
		return false;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < g->face_count; ++i)
		if (!p.taken[i])
			g->faces[kept++] = g->faces[i];
	g->face_count = kept;
	g->w[g->corner_count] = w;
	for (uint32_t i = 0; i < p.edge_count; ++i)
		add_face(g, p.rim[i].from, p.rim[i].to, g->corner_count);
	++g->corner_count;
	return true;
}

/* A point of P, and what its direction from the origin is made of. Lengths hold only half the digits of a direction,
 * and an error in it counts with the length of what is seen along it; so on a face the direction is its normal, on an
 * edge across it. */
typedef struct spot {
	v3 x;
	enum { ON_CORNER, ON_EDGE, ON_FACE } on;
	v3 d;          /* of the edge; of a face the normal */
	double square; /* of the edge's length */
} spot;

/* The point of a segment nearest to the origin, measured from its nearer end. */
static spot on_segment(v3 p, v3 q)
{
	if (v3_length2(q) < v3_length2(p)) {
		v3 swap = p;
		p = q, q = swap;
	}
	v3 d = v3_sub(q, p);
	double along = -v3_dot(p, d), square = v3_length2(d);
	if (!(along > 0))
		return (spot){.x = p, .on = ON_CORNER};
	if (!(along < square))
		return (spot){.x = q, .on = ON_CORNER};
	return (spot){v3_madd(p, d, along / square), ON_EDGE, d, square};
}

static v3 direction_of(const spot *s)
{
	if (s->on == ON_FACE)
		return s->d;
	if (s->on == ON_CORNER)
		return v3_unit(s->x);
	v3 n = s->x;
	for (int i = 0; i < 2; ++i)
		n = v3_unit(v3_madd(n, s->d, -v3_dot(n, s->d) / s->square));
	return v3_dot(n, s->x) > 0 ? n : v3_unit(s->x);
}

/* |x| < |y|, told from their difference: the last digits of lengths are not enough to tell directions apart. */
static bool nearer(v3 x, v3 y) { return v3_dot(v3_sub(x, y), v3_add(x, y)) < 0; }

/* The point of a face nearest to the origin, up to rounding: always a mean of its corners, so of P. */
static spot on_face(const growth *g, const face *f)
{
	const v3 w[3] = {g->w[f->v[0]], g->w[f->v[1]], g->w[f->v[2]]};
	v3 foot = v3_scale(f->n, f->g);
	double weight[3], sum = 0;
	bool within = f->g > -INFINITY;
	for (int c = 0; c < 3 && within; ++c) {
		v3 p = w[(c + 1) % 3], q = w[(c + 2) % 3];
		weight[c] = -v3_dot(f->n, v3_cross(v3_sub(q, p), v3_sub(foot, p)));
		within = weight[c] >= 0;
		sum += weight[c];
	}
	if (within && sum > 0) {
		v3 x = v3_madd(v3_madd(v3_scale(w[0], weight[0] / sum), w[1], weight[1] / sum), w[2], weight[2] / sum);
		return (spot){.x = x, .on = f->g > 0 ? ON_FACE : ON_CORNER, .d = f->n};
	}
	spot best = on_segment(w[0], w[1]);
	for (int c = 1; c < 3; ++c) {
		spot s = on_segment(w[c], w[(c + 1) % 3]);
		if (nearer(s.x, best.x))
			best = s;
	}
	return best;
}

/* How far the origin is from a face at least; of one without a plane, from its edges. */
static double distance_from(const growth *g, const face *f)
{
	if (f->g > -INFINITY)
		return -f->g - g->slack;
	double edge = INFINITY;
	for (int c = 0; c < 3; ++c) {
		double d = v3_length(on_segment(g->w[f->v[c]], g->w[f->v[(c + 1) % 3]]).x);
		edge = d < edge ? d : edge;
	}
	return edge - g->slack;
}

/* The angle in space that a face takes up, seen from the origin; positive where its outer side is turned away. */
static double solid_angle(const growth *g, const face *f)
{
	v3 p = g->w[f->v[0]], q = g->w[f->v[1]], r = g->w[f->v[2]];
	double lp = v3_length(p), lq = v3_length(q), lr = v3_length(r);
	double volume = v3_dot(p, v3_cross(q, r));
	return 2 * cn_atan2(volume, lp * lq * lr + v3_dot(p, q) * lr + v3_dot(q, r) * lp + v3_dot(r, p) * lq);
}

/* The radius of a ball about the origin that is proved to be within P; 0 where none is. */
static double ball_within(const growth *g)
{
	double radius = INFINITY, angle = 0;
	for (uint32_t i = 0; i < g->face_count; ++i) {
		double d = distance_from(g, &g->faces[i]);
		if (!(d > 0))
			return 0;
		radius = d < radius ? d : radius;
	}
	for (uint32_t i = 0; i < g->face_count; ++i)
		angle += solid_angle(g, &g->faces[i]);
	return angle > 2 * CN_PI ? radius : 0; /* a multiple of 4 pi but for rounding */
}

static v3 any_across(v3 d)
{
	v3 s = v3_abs(d);
	v3 axis = s.x <= s.y && s.x <= s.z ? v3_make(1, 0, 0) : s.y <= s.z ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
	return v3_unit(v3_cross(d, axis));
}

/* Only a unit axis proves anything. */
static void note_axis(cn_check_gap *out, double s, v3 n)
{
	if (s > out->least && fabs(v3_length2(n) - 1) <= 8 * DBL_EPSILON)
		out->least = s, out->n = n;
}

static void note_point(cn_check_gap *out, v3 x)
{
	double d = v3_length(x);
	if (d < out->most)
		out->most = d;
}

/* The first three corners. False when M is a point or a segment up to rounding: then all is said in *out. */
static bool begin(growth *g, v3 start, cn_check_gap *out)
{
	v3 n = v3_unit(start);
	if (!(v3_length2(n) > 0.5))
		n = v3_make(1, 0, 0);
	v3 p = corner(g, n), q = corner(g, v3_neg(n)), d = v3_sub(q, p);
	note_axis(out, v3_dot(n, p), n);
	double length = v3_length(d), most = 0;
	const v3 side = any_across(n), mains[2] = {side, v3_cross(n, side)};
	for (int i = 0; i < 2 && !(length > CN_CHECK_NEAR * g->scale); ++i) { /* M may be flat across n */
		v3 u = corner(g, mains[i]), v = corner(g, v3_neg(mains[i]));
		note_axis(out, v3_dot(mains[i], u), mains[i]);
		if (v3_distance(u, v) > length)
			p = u, q = v, d = v3_sub(v, u), length = v3_length(d);
	}
	v3 x = on_segment(p, q).x, third = p;
	note_point(out, x);
	double away = v3_length(x);
	v3 first = away > 0 ? v3_scale(x, 1 / away) : n, across = v3_unit(d);
	first = v3_madd(first, across, -v3_dot(first, across));
	first = v3_length(first) > CN_CHECK_NEAR ? v3_unit(first) : any_across(length > 0 ? d : n);
	v3 second = v3_unit(v3_cross(length > 0 ? d : n, first));
	const v3 tries[4] = {first, v3_neg(first), second, v3_neg(second)};
	for (int i = 0; i < 4 && !(most > CN_CHECK_THIN * length); ++i) {
		v3 w = corner(g, tries[i]);
		note_axis(out, v3_dot(tries[i], w), tries[i]);
		v3 off = v3_sub(w, p);
		double h = length > 0 ? v3_length(v3_cross(off, d)) / length : v3_length(off);
		if (h > most)
			most = h, third = w;
	}
	if (!(most > DBL_EPSILON * g->scale) || !(length > 0)) {
		spot near = on_segment(p, q);
		v3 along = direction_of(&near);
		note_axis(out, v3_dot(along, corner(g, along)), along);
		return false;
	}
	g->w[0] = p, g->w[1] = q, g->w[2] = third;
	g->corner_count = 3, g->face_count = 0, g->flat = true;
	add_face(g, 0, 1, 2);
	add_face(g, 0, 2, 1);
	return true;
}

typedef struct view {
	uint32_t top;  /* the face that the origin is furthest beyond */
	uint32_t near; /* the face of spot */
	spot spot;     /* the nearest point of P on the faces that it is beyond */
	double away;   /* its distance; infinite when it is beyond none */
} view;

static view look(const growth *g)
{
	view v = {.away = INFINITY};
	const double tiny = 2 * DBL_EPSILON * g->scale; /* the origin may lie in the plane of a flat P */
	for (uint32_t i = 0; i < g->face_count; ++i) {
		const face *f = &g->faces[i];
		if (f->g > g->faces[v.top].g)
			v.top = i;
		if (f->g >= -tiny && f->g <= v.away) {
			spot s = on_face(g, f);
			if (!(v.away < INFINITY) || nearer(s.x, v.spot.x))
				v.spot = s, v.away = v3_length(s.x), v.near = i;
		}
	}
	return v;
}

/* One axis: its support is taken in if it reaches further than P does there. Of equal ones the first is kept: normals
 * of faces come before directions. */
static bool try_axis(growth *g, v3 n, double reached, uint32_t otherwise, cn_check_gap *out)
{
	v3 w = corner(g, n);
	double s = v3_dot(n, w);
	if (s > out->least + 2 * DBL_EPSILON * g->scale)
		note_axis(out, s, n);
	return reached - s > 2 * DBL_EPSILON * g->scale && take_in(g, w, otherwise);
}

/* Of faces and edges that share the nearest point up to rounding one may know its direction better than another: half
 * the digits of a direction are lost in the length. */
static bool try_neighbours(growth *g, cn_check_gap *out)
{
	double limit = out->most + 4 * DBL_EPSILON * g->scale;
	for (uint32_t i = 0; i < g->face_count; ++i) {
		const face f = g->faces[i];
		if (!(f.g >= -limit && f.g <= limit) || !(v3_length(on_face(g, &f).x) <= limit))
			continue;
		if (try_axis(g, f.n, f.g, i, out))
			return true;
		for (int c = 0; c < 3; ++c) {
			spot s = on_segment(g->w[f.v[c]], g->w[f.v[(c + 1) % 3]]);
			double d = v3_length(s.x);
			if (d > 0 && d <= limit && try_axis(g, direction_of(&s), d, i, out))
				return true;
		}
	}
	return false;
}

/* One corner more; false when there is none that helps. Where the axis of the view brings none, a face whose plane
 * alone would allow more than is proved must have one beyond it. */
static bool step(growth *g, const view *v, bool apart, cn_check_gap *out)
{
	bool outside = v->away < INFINITY, near = !apart && v->away <= CN_CHECK_NEAR * g->scale;
	if ((!outside || near) && try_axis(g, g->faces[v->top].n, g->faces[v->top].g, v->top, out))
		return true;
	if (outside && v->away > 0 && try_axis(g, direction_of(&v->spot), v->away, v->near, out))
		return true;
	for (uint32_t i = 0; i < g->face_count; ++i)
		if (g->faces[i].g > out->least && try_axis(g, g->faces[i].n, g->faces[i].g, i, out))
			return true;
	return try_neighbours(g, out);
}

/* Until the bracket is as tight as rounding lets it, or as asked once the sign is known, or nothing helps any more. A
 * surface with so many corners that has more faces was folded by rounding: its proofs hold, but it leads nowhere. */
static void grow(growth *g, double bound, double rounds, double tight, cn_check_gap *out)
{
	const double enough = g->slack + 4 * DBL_EPSILON * g->scale;
	for (int i = 0; i < MOST_CORNERS; ++i) {
		view v = look(g);
		if (v.away < INFINITY)
			note_point(out, v.spot.x);
		double top = v.away < INFINITY ? out->most : g->faces[v.top].g + g->slack;
		bool apart = out->least - rounds > bound, decided = apart || top - rounds < -bound;
		if (top - out->least <= (decided && tight > enough ? tight : enough))
			return;
		if (!step(g, &v, apart, out) || g->face_count + 4 > 2 * g->corner_count)
			return;
	}
}

/* No point of the face is nearer than what is known: its plane is further away. */
static bool is_beyond(const growth *g, const face *f, double known)
{
	return f->g > -INFINITY && fabs(f->g) > known + 2 * g->slack;
}

/* What P proves as it is now. */
static void note_surface(const growth *g, cn_check_gap *out)
{
	double within = ball_within(g);
	if (within > 0 && -within < out->most)
		out->most = -within;
	for (uint32_t i = 0; i < g->face_count && !(within > 0); ++i)
		if (!is_beyond(g, &g->faces[i], out->most))
			note_point(out, on_face(g, &g->faces[i]).x);
}

static void find_beside_plane(const cn_placed *a, const cn_placed *b, cn_check_gap *out)
{
	bool first = a->part->core == CN_CHECK_CORE_HALFSPACE;
	const cn_placed *plane = first ? a : b;
	v3 n = v3_unit(m3_apply(plane->r, plane->part->normal));
	out->n = first ? n : v3_neg(n);
	out->least = out->most = cn_gap_along(a, b, out->n);
}

/* Where P is begun anew: about the best axis so far, from other sides each time. */
static v3 another_start(v3 n, int i)
{
	v3 side = any_across(n), other = v3_cross(n, side);
	switch (i) {
	case 1: return n;
	case 2: return side;
	case 3: return other;
	case 4: return v3_add(side, other);
	}
	return v3_add(v3_add(side, v3_scale(other, i)), n);
}

void cn_gap_find(const cn_placed *a, const cn_placed *b, double bound, v3 start, cn_check_gap *out)
{
	bool plane_a = a->part->core == CN_CHECK_CORE_HALFSPACE, plane_b = b->part->core == CN_CHECK_CORE_HALFSPACE;
	*out = (cn_check_gap){-INFINITY, INFINITY, v3_zero()};
	if (plane_a || plane_b) {
		if (!plane_a || !plane_b)
			find_beside_plane(a, b, out);
		return;
	}
	growth g;
	g.a = a, g.b = b, g.corner_count = g.face_count = 0;
	g.scale = bound / (CN_CHECK_ULPS * DBL_EPSILON);
	g.slack = 8 * DBL_EPSILON * g.scale;
	cn_check_gap boxes;
	if (cn_check_are_boxes(a->part, b->part) && cn_gap_of_boxes(a, b, bound, &boxes)) {
		*out = boxes;
		return;
	}
	double rounds = a->part->round + b->part->round, reach = a->part->reach;
	if (b->part->reach < reach)
		reach = b->part->reach;
	bool curved = a->part->core == CN_CHECK_CORE_CYLINDER || b->part->core == CN_CHECK_CORE_CYLINDER, done = false;
	double tight = curved ? CN_CHECK_TIGHT * reach : 0;
	for (int i = 0; i < MOST_STARTS && !done; ++i) {
		if (!begin(&g, i ? another_start(out->n, i) : start, out))
			break;
		grow(&g, bound, rounds, tight, out);
		note_surface(&g, out);
		double width = out->most - out->least;
		bool decided = out->least - rounds > bound || out->most - rounds < -bound;
		done = width <= 2 * bound || (decided && width <= tight);
	}
	out->least -= rounds, out->most -= rounds;
}

cn_verdict cn_gap_judge(const cn_check_gap *gap, double *bound)
{
	if (gap->least > *bound)
		return CN_APART;
	if (gap->most < -*bound)
		return CN_OVERLAPPING;
	double wide = -gap->least > gap->most ? -gap->least : gap->most;
	if (wide <= *bound)
		return CN_TOUCHING;
	if (!(wide <= CN_CHECK_WIDEN * *bound))
		return CN_UNPROVED;
	*bound = wide;
	return CN_TOUCHING;
}
