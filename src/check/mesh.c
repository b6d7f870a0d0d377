/* Meshes at rest: the gap of two surfaces is the least gap of two triangles, found through the trees of balls; a
 * triangle and a convex solid likewise. Two triangles that cross have an overlap like any convex pair, so a proof that
 * surfaces cross is the proof of check/gap.c for one pair of triangles.
 *
 * Surfaces that do not cross: either one solid holds a whole connected piece of the other, which a single point of that
 * piece tells, or they are outside each other. Whether a solid holds a point is its winding number there: the angles in
 * space of its triangles sum to 4 pi x an integer, and a sum that is not near one (a point on the surface) counts for
 * nothing.
 *
 * Surfaces that touch: solids that are aligned may overlap although no two triangles cross. Overlap is shown by the
 * middle of a touching triangle that lies inside the other solid; that they only touch is shown by a shift of a few
 * bounds after which they are apart. What shows neither is unproved. */
#include "check/parts.h"

#define CN_CHECK_TURN 0.1 /* a winding number this near to an integer is that integer; on the surface it is not */

enum { MOST_SAMPLES = 64 };

static const double SHIFT = 4; /* x the bound */

cn_check_ball cn_mesh_ball(const cn_solid *s, const cn_placed *p, uint32_t node)
{
	v3 center = s->mesh ? s->nodes[node].center : s->part.inside;
	double radius = s->mesh ? s->nodes[node].radius + s->part.round : s->part.radius;
	return (cn_check_ball){v3_add(p->at, m3_apply(p->r, center)), radius};
}

uint32_t cn_mesh_leaf(const cn_solid *s, uint32_t node) { return s->mesh ? s->nodes[node].count : 1; }

bool cn_mesh_split(const cn_solid *a, const cn_solid *b, cn_check_pair pair, cn_check_pair children[2])
{
	bool leaf_a = cn_mesh_leaf(a, pair.a) > 0, leaf_b = cn_mesh_leaf(b, pair.b) > 0;
	if (leaf_a && leaf_b)
		return false;
	bool first = !leaf_a && (leaf_b || a->nodes[pair.a].radius >= b->nodes[pair.b].radius);
	uint32_t child = first ? a->nodes[pair.a].first : b->nodes[pair.b].first;
	for (uint32_t i = 0; i < 2; ++i)
		children[i] = first ? (cn_check_pair){child + i, pair.b} : (cn_check_pair){pair.a, child + i};
	return true;
}

cn_check_convex cn_mesh_part(const cn_solid *s, uint32_t node, uint32_t i, v3 corners[3])
{
	if (!s->mesh)
		return s->part;
	const uint32_t *t = &s->triangles[(size_t)(s->nodes[node].first + i) * 3];
	for (int c = 0; c < 3; ++c)
		corners[c] = s->points[t[c]];
	v3 sum = v3_add(v3_add(corners[0], corners[1]), corners[2]);
	return (cn_check_convex){.round = s->part.round,
	                         .points = corners,
	                         .count = 3,
	                         .inside = v3_scale(sum, 1.0 / 3),
	                         .reach = s->part.reach};
}

bool cn_mesh_cloud(const cn_solid *s, uint32_t node, cn_check_convex *out)
{
	if (!s->mesh) {
		*out = s->part;
		return true;
	}
	const cn_check_node *n = &s->nodes[node];
	*out = (cn_check_convex){.round = s->part.round + s->cloud_round,
	                         .points = s->clouds + n->cloud,
	                         .count = n->cloud_count,
	                         .inside = n->cloud_count ? s->clouds[n->cloud] : v3_zero(),
	                         .reach = s->part.reach};
	return n->cloud_count > 0;
}

typedef struct search {
	const cn_solid *a, *b;
	const cn_placed *pa, *pb;
	v3 shift;      /* of b */
	double bound;  /* of the pair */
	double widest; /* the bound widened by the worst triangle pair */
	cn_check_gap gap;
	v3 sum;       /* of the axes of touching triangles */
	int samples;  /* middles of touching triangles looked at */
	bool crosses; /* proved */
	bool inside;  /* a touching triangle's middle is inside the other */
	bool unproved;
} search;

/* The winding number of a solid mesh about a point of the world; false where it is not near an integer, or the point
 * not clear of the surface: one in a triangle's plane is seen under 2 pi by a triangle that it lies on. */
static bool wind(const cn_solid *s, const cn_placed *p, v3 x, double near, double *number)
{
	v3 off = v3_sub(x, p->at);
	m3 back = m3_transpose(p->r);
	v3 o = m3_apply(back, off);
	double angle = 0;
	for (uint32_t i = 0; i < s->triangle_count; ++i) {
		const uint32_t *t = &s->triangles[(size_t)i * 3];
		v3 u = v3_sub(s->points[t[0]], o), v = v3_sub(s->points[t[1]], o), w = v3_sub(s->points[t[2]], o);
		double lu = v3_length(u), lv = v3_length(v), lw = v3_length(w);
		double volume = v3_dot(u, v3_cross(v, w)), area = v3_length(v3_cross(v3_sub(v, u), v3_sub(w, u)));
		double part = 2 * cn_atan2(volume, lu * lv * lw + v3_dot(u, v) * lw + v3_dot(v, w) * lu + v3_dot(w, u) * lv);
		bool at_corner = lu <= near || lv <= near || lw <= near;
		if (at_corner || (fabs(volume) <= near * area && fabs(part) > CN_CHECK_TURN))
			return false;
		angle += part;
	}
	double turns = angle / (4 * CN_PI);
	*number = floor(turns + 0.5);
	return fabs(turns - *number) < CN_CHECK_TURN;
}

static bool surely_in(const cn_solid *s, const cn_placed *p, v3 x, double near)
{
	double number;
	return s->mesh && s->full && wind(s, p, x, near, &number) && number != 0;
}

static v3 placed_point(const cn_placed *p, v3 x) { return v3_add(p->at, m3_apply(p->r, x)); }

/* Two nodes still to be looked at. */
typedef struct node_pair {
	cn_check_pair pair;
	v3 axis; /* where to begin to look for one that parts them, or zero */
} node_pair;

/* Two leaves' triangles i and j, or a triangle and a convex solid. */
static void compare(search *s, const node_pair *at, uint32_t i, uint32_t j)
{
	v3 ca[3], cb[3];
	cn_check_convex ta = cn_mesh_part(s->a, at->pair.a, i, ca), tb = cn_mesh_part(s->b, at->pair.b, j, cb);
	cn_placed la = {&ta, s->pa->r, s->pa->at}, lb = {&tb, s->pb->r, v3_add(s->pb->at, s->shift)};
	double limit = s->gap.most + s->bound;
	v3 axis = at->axis;
	if (limit < INFINITY && cn_gap_axis(&la, &lb, cn_axis_above(limit), &axis))
		return;
	v3 start = v3_sub(placed_point(&lb, tb.inside), placed_point(&la, ta.inside));
	cn_check_gap gap;
	cn_gap_find(&la, &lb, s->bound, v3_length2(axis) > 0 ? axis : start, &gap);
	double bound = s->bound;
	cn_verdict verdict = cn_gap_judge(&gap, &bound);
	s->widest = bound > s->widest ? bound : s->widest;
	if (verdict == CN_OVERLAPPING) {
		s->crosses = true, s->gap.most = gap.most;
		return;
	}
	s->unproved = s->unproved || verdict == CN_UNPROVED;
	if (verdict != CN_APART) {
		s->sum = v3_add(s->sum, gap.n);
		if (s->samples++ < MOST_SAMPLES && (s->a->mesh && s->b->mesh))
			s->inside = s->inside || surely_in(s->b, s->pb, placed_point(s->pa, ta.inside), s->bound) ||
			            surely_in(s->a, s->pa, placed_point(s->pb, tb.inside), s->bound);
	}
	if (gap.least < s->gap.least)
		s->gap.least = gap.least, s->gap.n = gap.n;
	if (gap.most < s->gap.most)
		s->gap.most = gap.most;
}

static double ball_gap(const search *s, cn_check_pair pair)
{
	cn_check_ball a = cn_mesh_ball(s->a, s->pa, pair.a), b = cn_mesh_ball(s->b, s->pb, pair.b);
	return v3_distance(a.center, v3_add(b.center, s->shift)) - a.radius - b.radius;
}

/* An axis parts two nodes by more than matters. */
static bool parted(const search *s, node_pair *at)
{
	cn_check_convex a, b;
	double limit = s->gap.most + s->bound;
	if (!(limit < INFINITY) || !cn_mesh_cloud(s->a, at->pair.a, &a) || !cn_mesh_cloud(s->b, at->pair.b, &b))
		return false;
	cn_placed la = {&a, s->pa->r, s->pa->at}, lb = {&b, s->pb->r, v3_add(s->pb->at, s->shift)};
	return cn_gap_axis(&la, &lb, cn_axis_above(limit), &at->axis);
}

/* The triangles of two leaves. */
static void compare_leaves(search *s, const node_pair *at)
{
	for (uint32_t i = 0; i < cn_mesh_leaf(s->a, at->pair.a) && !s->crosses; ++i)
		for (uint32_t j = 0; j < cn_mesh_leaf(s->b, at->pair.b) && !s->crosses; ++j)
			compare(s, at, i, j);
}

/* The least gap of two surfaces, the nearer of two branches first; stops at the first proof that they cross. */
static void compare_all(search *s)
{
	node_pair stack[CN_CHECK_STACK] = {{{0, 0}, s->gap.n}};
	cn_check_pair children[2];
	uint32_t count = 1;
	while (count && !s->crosses) {
		node_pair at = stack[--count];
		if (ball_gap(s, at.pair) > s->gap.most + s->bound || parted(s, &at))
			continue;
		if (!cn_mesh_split(s->a, s->b, at.pair, children)) {
			compare_leaves(s, &at);
			continue;
		}
		bool swap = ball_gap(s, children[0]) < ball_gap(s, children[1]);
		stack[count++] = (node_pair){children[swap ? 1 : 0], at.axis};
		stack[count++] = (node_pair){children[swap ? 0 : 1], at.axis};
	}
}

typedef enum place { OUTSIDE, WITHIN, UNSURE } place;

/* Where the points from `first` of one connected piece of a are: in b or not. */
static place find_piece(const cn_solid *a, const cn_placed *pa, const cn_solid *b, const cn_placed *pb, uint32_t first,
                        double near)
{
	double number;
	int tries = 0;
	for (uint32_t i = first; i < a->point_count && tries < MOST_SAMPLES; ++i) {
		if (a->piece[i] != first)
			continue;
		++tries;
		if (wind(b, pb, placed_point(pa, a->points[i]), near, &number))
			return number != 0 ? WITHIN : OUTSIDE;
	}
	return UNSURE;
}

/* Is any piece of a within the solid mesh b, given that their surfaces do not cross? */
static place find_within(const cn_solid *a, const cn_placed *pa, const cn_solid *b, const cn_placed *pb, double near)
{
	double number;
	if (!b->mesh || !b->full)
		return OUTSIDE;
	if (!a->mesh) {
		bool sure = wind(b, pb, placed_point(pa, a->part.inside), near, &number);
		return !sure ? UNSURE : number != 0 ? WITHIN : OUTSIDE;
	}
	place found = OUTSIDE;
	cn_check_ball ball = cn_mesh_ball(b, pb, 0);
	for (uint32_t i = 0; i < a->point_count; ++i) {
		if (a->piece[i] != i || v3_distance(placed_point(pa, a->points[i]), ball.center) > 2 * ball.radius)
			continue;
		place piece = find_piece(a, pa, b, pb, i, near);
		if (piece == WITHIN)
			return WITHIN;
		found = piece == UNSURE ? UNSURE : found;
	}
	return found;
}

static bool apart_after(const search *done, v3 n)
{
	if (!(v3_length2(n) > 0.5))
		return false;
	search s = *done;
	s.shift = v3_scale(n, SHIFT * done->widest);
	s.gap = (cn_check_gap){INFINITY, 2 * s.bound, n}; /* what is further apart is not looked at */
	s.samples = MOST_SAMPLES;
	compare_all(&s);
	return !s.crosses && s.gap.least > s.bound;
}

static cn_verdict judge(search *s)
{
	if (s->crosses || s->inside)
		return CN_OVERLAPPING;
	place ab = find_within(s->a, s->pa, s->b, s->pb, s->bound), ba = find_within(s->b, s->pb, s->a, s->pa, s->bound);
	if (ab == WITHIN || ba == WITHIN)
		return CN_OVERLAPPING;
	if (s->unproved || ab == UNSURE || ba == UNSURE)
		return CN_UNPROVED;
	if (s->gap.least > s->bound)
		return CN_APART;
	bool skins = !s->a->full && !s->b->full;
	if (!s->a->mesh || !s->b->mesh || skins)
		return CN_TOUCHING;
	if (!apart_after(s, s->gap.n) && !apart_after(s, v3_unit(s->sum)))
		return CN_UNPROVED;
	s->widest *= SHIFT;
	return CN_TOUCHING;
}

void cn_mesh_pose(const cn_solid_pair *pair, double bound, const v3 *hint, double enough, cn_overlap_answer *out)
{
	const cn_solid *a = pair->a, *b = pair->b;
	search s = {.a = a, .b = b, .pa = pair->pa, .pb = pair->pb, .bound = bound, .widest = bound};
	s.gap = (cn_check_gap){INFINITY, enough, hint ? *hint : v3_zero()};
	compare_all(&s);
	if (!(s.gap.most < enough)) /* no two triangles are that near; how near others are was not looked at */
		s.gap.least = s.gap.least < enough ? s.gap.least : enough, s.gap.most = INFINITY;
	cn_verdict verdict = judge(&s);
	double half = 0.5 * s.widest;
	*out = (cn_overlap_answer){verdict, s.gap.least - half, s.gap.most + half, s.widest, s.gap.n};
	if (verdict == CN_APART)
		return;
	/* A translation by the distance of the midpoints of their balls and both radii parts any two. */
	cn_check_ball ba = cn_mesh_ball(a, s.pa, 0), bb = cn_mesh_ball(b, s.pb, 0);
	double all = v3_distance(ba.center, bb.center) + ba.radius + bb.radius + s.widest;
	if (verdict == CN_OVERLAPPING)
		*out = (cn_overlap_answer){verdict, -all, s.crosses ? s.gap.most + half : 0, s.widest, v3_zero()};
	else if (verdict == CN_UNPROVED)
		out->least = -all;
	else if (a->mesh && b->mesh && (a->full || b->full))
		out->least = -s.widest - half;
}
