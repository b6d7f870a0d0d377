/* Two bodies of which one is a mesh, through the pieces of a frame.
 *
 * Watched are pairs of nodes that cover all pairs of triangles. Of each it is known up to where on their way the two are
 * apart. The way is the sum of how far points of one may come nearer to points of the other: as seen from the axes of a
 * a point of b, at d + p from a's centre of mass, moves at d' - A x d + E x p, with the turns A and B a unit of time and E = B - A;
 * that is at most the larger |d' - A x d| of a piece's ends and |E| rho_b. The same holds as seen from b, and as seen
 * from the world with |d'| + |A| rho_a + |B| rho_b. The least of the three is the piece's length, and distances change by
 * no more than that. So what lies side by side, or falls together, is looked at seldom.
 *
 * A pair that is not known to be apart all along a piece is looked at along one axis: by the distance at both ends, or by the
 * bounds of check/motion.c for an axis that stays or is carried along. Where none serves, its children take its place. All
 * of this is done with CN_CHECK_WIDEN rounding bounds to spare. A piece that is not proved so is left to
 * cn_overlap_pose and cn_overlap_motion, so what is watched decides about time alone. */
#include "check/frame_parts.h"

#include "check/tolerance.h"

enum { MOST_HALVES = 6 }; /* of halves: rarely more than two */

typedef struct piece {
	cn_watch *w;
	const cn_check_leg *a, *b;
	v3 d0, d1;
	double length;
	double k, with[2]; /* of check/motion.c; below 0: not known yet */
} piece;

static double larger(double x, double y) { return x > y ? x : y; }

/* How fast points of the other move as seen from one that turns. */
static double seen_from(v3 d0, v3 dd, v3 turn, v3 turn_other, double rho_other)
{
	double start = v3_length2(v3_sub(dd, v3_cross(turn, d0)));
	double end = v3_length2(v3_sub(dd, v3_cross(turn, v3_add(d0, dd))));
	return sqrt(larger(start, end)) + v3_distance(turn, turn_other) * rho_other;
}

static double length_of(v3 d0, v3 dd, const cn_check_leg *a, const cn_check_leg *b)
{
	double world = v3_length(dd) + v3_length(a->turn) * a->rho + v3_length(b->turn) * b->rho;
	double from_a = seen_from(d0, dd, a->turn, b->turn, b->rho);
	double from_b = seen_from(v3_neg(d0), v3_neg(dd), b->turn, a->turn, a->rho);
	double seen = from_a < from_b ? from_a : from_b;
	return (world < seen ? world : seen) * (1 + 64 * DBL_EPSILON);
}

/* Two nodes' hulls at an end of the piece, from a's centre of mass. */
typedef struct stand {
	cn_placed a, b;
} stand;

static stand stand_of(const piece *p, bool end, const cn_check_convex *a, const cn_check_convex *b)
{
	stand s = end ? (stand){p->a->end, p->b->end} : (stand){p->a->start, p->b->start};
	s.a.part = a, s.b.part = b;
	s.b.at = v3_add(s.b.at, end ? p->d1 : p->d0);
	return s;
}

static double bulge(piece *p)
{
	if (p->k < 0)
		p->k = (v3_length2(p->a->turn) * p->a->rho + v3_length2(p->b->turn) * p->b->rho) / 8 * (1 + 16 * DBL_EPSILON);
	return p->k;
}

static double bulge_with(piece *p, int side)
{
	const cn_check_leg *own = side ? p->b : p->a, *other = side ? p->a : p->b;
	v3 d0 = side ? v3_neg(p->d0) : p->d0, d1 = side ? v3_neg(p->d1) : p->d1;
	if (p->with[side] < 0)
		p->with[side] = cn_carried_k(d0, v3_sub(d1, d0), own->turn, other->turn, other->rho);
	return p->with[side];
}

/* What is looked at: two nodes' hulls at both ends of the piece. */
typedef struct sight {
	cn_check_convex hull_a, hull_b;
	stand end, start; /* most pairs are never looked at where they start */
	bool started;
	double s0; /* m: they are no nearer at the start */
} sight;

static const stand *start_of(const piece *p, sight *s)
{
	if (!s->started)
		s->start = stand_of(p, false, &s->hull_a, &s->hull_b), s->started = true;
	return &s->start;
}

/* Along an axis that stands as n0 at the start and as n1 at the end. */
static bool parts_all_along(const piece *p, sight *s, v3 n0, v3 n1, double k)
{
	double s1 = cn_gap_along(&s->end.a, &s->end.b, n1);
	if (!(s1 > p->w->far))
		return false;
	const stand *start = start_of(p, s);
	return cn_least_between(cn_gap_along(&start->a, &start->b, n0), s1, k) > p->w->far;
}

/* An axis as it stands at the piece's end, or at its start; there the two are that far apart along it. */
static bool proves(piece *p, sight *s, v3 n, bool at_end, double apart)
{
	if (at_end && s->s0 + apart > p->length + 4 * p->w->far)
		return true;
	if (apart > p->length + p->w->far)
		return true;
	if (!(apart > p->w->far))
		return false;
	if (parts_all_along(p, s, n, n, bulge(p)))
		return true;
	for (int side = 0; side < 2; ++side) {
		const stand *start = start_of(p, s), *from = at_end ? &s->end : start, *to = at_end ? start : &s->end;
		v3 m = m3_unapply(side ? from->b.r : from->a.r, n);
		m = v3_unit(m3_apply(side ? to->b.r : to->a.r, m));
		if (v3_length2(side ? p->b->turn : p->a->turn) > 0 &&
		    parts_all_along(p, s, at_end ? m : n, at_end ? n : m, bulge_with(p, side)))
			return true;
	}
	return false;
}

/* What is known of the distance at the piece's end: the pair is not looked at before that is used up. */
static void note(const piece *p, cn_watched *at, double gap)
{
	double until = p->w->way + p->length + gap - p->w->enough;
	at->until = until > at->until ? until : at->until;
}

/* The balls of two nodes that were not looked at before. */
static bool balls_prove(const piece *p, cn_watched *at)
{
	const cn_solid *sa = p->w->a, *sb = p->w->b;
	cn_check_ball a = cn_mesh_ball(sa, &p->a->end, at->pair.a), b = cn_mesh_ball(sb, &p->b->end, at->pair.b);
	double gap = v3_distance(a.center, v3_add(b.center, p->d1)) - a.radius - b.radius;
	if (!(gap > p->length + p->w->enough))
		return false;
	note(p, at, gap);
	return true;
}

static bool see(const piece *p, const cn_watched *at, sight *s)
{
	if (!cn_mesh_cloud(p->w->a, at->pair.a, &s->hull_a) || !cn_mesh_cloud(p->w->b, at->pair.b, &s->hull_b))
		return false;
	s->end = stand_of(p, true, &s->hull_a, &s->hull_b), s->started = false;
	s->s0 = at->until - p->w->way + p->w->enough;
	return true;
}

/* The axis that parts them best at the piece's start, and one that turns from there to that of the end. */
static bool start_proves(piece *p, sight *s, v3 end)
{
	const stand *start = start_of(p, s);
	v3 n = end;
	double k;
	(void)cn_gap_axis(&start->a, &start->b, (cn_axis_wish){p->length + p->w->far, p->w->far, -INFINITY}, &n);
	double apart = cn_gap_along(&start->a, &start->b, n);
	return apart > p->w->far && (proves(p, s, n, false, apart) ||
	                             (cn_turning_k(p->a, p->b, n, end, &k) && parts_all_along(p, s, n, end, k)));
}

static void remember(const piece *p, cn_watched *at, v3 n)
{
	at->axis[0] = m3_unapply(p->a->end.r, n), at->axis[1] = m3_unapply(p->b->end.r, n);
}

/* The axis that parted them last, as it turned with a or with b. */
static double recall(const piece *p, const cn_watched *at, const sight *s, v3 *n)
{
	v3 with_a = m3_apply(p->a->end.r, at->axis[0]), with_b = m3_apply(p->b->end.r, at->axis[1]);
	double apart_a = cn_gap_along(&s->end.a, &s->end.b, with_a), apart_b = cn_gap_along(&s->end.a, &s->end.b, with_b);
	*n = apart_a >= apart_b ? with_a : with_b;
	return larger(apart_a, apart_b);
}

/* Whether the pair of nodes is apart all along; at->until then tells from when on it is to be looked at again. */
static bool look_at(piece *p, cn_watched *at)
{
	cn_watch *w = p->w;
	sight s;
	v3 n = v3_zero();
	if (!(at->until > -INFINITY) && balls_prove(p, at))
		return true;
	if (!see(p, at, &s))
		return false;
	double apart = -INFINITY;
	bool proved = false;
	if (v3_length2(at->axis[0]) > 0) {
		apart = recall(p, at, &s, &n);
		proved = proves(p, &s, n, true, apart);
		note(p, at, apart);
	}
	if (proved && apart > w->usual)
		return true;
	(void)cn_gap_axis(&s.end.a, &s.end.b, (cn_axis_wish){w->enough + larger(p->length, 2 * bulge(p)), w->far, w->usual},
	                  &n);
	double other = cn_gap_along(&s.end.a, &s.end.b, n);
	if (other > apart) {
		proved = proved || proves(p, &s, n, true, other);
		note(p, at, other);
		remember(p, at, n);
	}
	return proved || (other > w->far && start_proves(p, &s, n));
}

/* ---- halves */

/* The leg's first or second half. */
static cn_check_leg half_of(const cn_check_leg *leg, bool second)
{
	cn_check_leg half = *leg;
	m3 turn = cn_check_convex_turn(q_exp(v3_scale(leg->turn, 0.5)));
	cn_placed middle = {leg->start.part, m3_mul(turn, leg->start.r), m3_apply(turn, leg->start.at)};
	v3 x = v3_lerp(leg->x0, leg->x1, 0.5);
	half.turn = v3_scale(leg->turn, 0.5);
	*(second ? &half.x0 : &half.x1) = x;
	*(second ? &half.start : &half.end) = middle;
	return half;
}

static piece piece_of(cn_watch *w, const cn_check_leg *a, const cn_check_leg *b)
{
	piece p = {.w = w, .a = a, .b = b, .d0 = v3_sub(b->x0, a->x0), .d1 = v3_sub(b->x1, a->x1), .k = -1};
	p.with[0] = p.with[1] = -1;
	p.length = length_of(p.d0, v3_sub(p.d1, p.d0), a, b);
	return p;
}

/* Whether the pair is apart in both halves of the piece; what is known of its distances is not touched. */
static bool prove_halves(const piece *p, const cn_watched *at, int depth)
{
	for (int i = 0; i < 2; ++i) {
		cn_check_leg a = half_of(p->a, i), b = half_of(p->b, i);
		piece half = piece_of(p->w, &a, &b);
		cn_watched own = {at->pair, {at->axis[0], at->axis[1]}, -INFINITY};
		if (!look_at(&half, &own) && (depth <= 1 || !prove_halves(&half, &own, depth - 1)))
			return false;
	}
	return true;
}

static bool may_split(const cn_solid *s, uint32_t node) { return cn_mesh_leaf(s, node) == 0 && !s->nodes[node].flat; }

/* A pair that is near at the piece's end is told closer by its children, unless both are all of their hulls. */
static bool is_near(const piece *p, const cn_watched *at) { return at->until < p->w->way + p->length; }

static bool put_children(cn_watch *w, uint32_t i)
{
	cn_check_pair children[2];
	cn_watched *at = &w->pairs[i], *other = &w->pairs[w->count];
	if (w->count == CN_WATCH_MOST || !cn_mesh_split(w->a, w->b, at->pair, children))
		return false;
	at->until = -INFINITY;
	*other = *at;
	at->pair = children[0], other->pair = children[1];
	++w->count;
	return true;
}

/* The pair and all that takes its place. */
static bool prove_watched(piece *p, uint32_t i)
{
	cn_watched *at = &p->w->pairs[i];
	for (;;) {
		bool leaves = !may_split(p->w->a, at->pair.a) && !may_split(p->w->b, at->pair.b);
		if (look_at(p, at) ? leaves || !is_near(p, at) : leaves && prove_halves(p, at, MOST_HALVES))
			return true;
		if (!put_children(p->w, i))
			return false;
	}
}

void cn_watch_begin(cn_watch *w, const cn_watched *known, uint32_t count)
{
	w->way = 0, w->count = count ? count : 1;
	w->pairs[0] = (cn_watched){.until = -INFINITY};
	for (uint32_t i = 0; i < count; ++i)
		w->pairs[i] = known[i], w->pairs[i].until -= w->enough;
}

void cn_watch_end(const cn_watch *w, cn_watched *known)
{
	for (uint32_t i = 0; i < w->count; ++i)
		known[i] = w->pairs[i], known[i].until += w->enough - w->way;
}

void cn_watch_skip(cn_watch *w, const cn_check_leg *a, const cn_check_leg *b) { w->way += piece_of(w, a, b).length; }

bool cn_watch_piece(cn_watch *w, const cn_check_leg *a, const cn_check_leg *b)
{
	piece p = piece_of(w, a, b);
	bool proved = true;
	double end = w->way + p.length, least = INFINITY;
	w->axis = v3_zero();
	w->far = CN_CHECK_WIDEN * cn_check_bound(a, b);
	for (uint32_t i = 0; i < w->count && proved; ++i) {
		if (!(w->pairs[i].until >= end))
			proved = prove_watched(&p, i);
		if (w->pairs[i].until < least)
			least = w->pairs[i].until, w->axis = m3_apply(a->end.r, w->pairs[i].axis[0]);
	}
	w->way = end;
	w->gap = least - end + w->enough;
	return proved;
}
