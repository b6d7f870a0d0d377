/* Two solids over a piece of motion: proved apart all the way, found to overlap, or unproved.
 *
 * A point of a body whose centre of mass goes straight while it turns by theta at constant rate has an acceleration of
 * at most theta^2 rho (time from 0 to 1), rho its distance from the centre. For a fixed unit axis n, the height of any
 * point of b above any point of a therefore leaves its chord by at most 4 k t (1 - t), k = (theta_a^2 rho_a + theta_b^2
 * rho_b)/8, and so does the least of them:
 *     s(t) >= (1 - t) s(0) + t s(1) - 4 k t (1 - t).
 * The least value of the right side bounds the gap over the interval. Halves have a quarter of the k.
 *
 * Bodies that tumble in contact carry the plane between them along. For an axis that turns with a, seen from a's centre
 * of mass and in a's axes, a point of b is at y = Ra'(d + p), d from centre to centre, p turning with b. With the turns
 * A and B a unit of time (fixed vectors), E = B - A and u = d' - A x d + E x p, the speed as a sees it,
 *     |y''| = |B x (B x p) - A x (A x (d + p)) - 2 A x u| <= A^2 |d| + E rho_b (A + B) + 2 A (|d' - A x d| + E rho_b).
 * The height of a along that axis does not change, so the same bound holds with k an eighth of this, s(0) and s(1)
 * being measured along the axis as it stands then. Rounding lets the two stand a little differently: a whole bound is
 * taken off for that.
 *
 * A half-space's normal m turns with it. A point r of the other body, seen from the half-space's centre of mass, has
 * the height m.r - offset, whose second derivative m''.r + 2 m'.r' + m.r'' is at most theta_a^2 R + 2 theta_a V +
 * theta_b^2 rho_b, where R bounds |r| on the way and V = |d'| + theta_b rho_b bounds |r'|; k is an eighth of that and s
 * is measured along the normal of the moment.
 *
 * Poses are computed from differences: the centres stand at -d(t)/2 and d(t)/2, d(t) = d0 + t (d1 - d0), d = xb - xa.
 * The bound is twice that of a pose at rest, for the rotation is computed too, and its scale is the largest on the
 * way.
 *
 * Flat things can pass through each other without ever overlapping: the axis that parts them turns over while they
 * touch. So an interval at whose beginning they touch is not proved by an axis that looks away from the last one's.
 * Where the two axes do not look away from each other all axes between them part what touches: nothing has passed.
 *
 * Meshes: every pair of triangles whose balls come near each other within a slice of the time is proved by itself; if
 * no two ever cross, the poses at the ends tell whether one solid was inside the other all along. Slices begin a little
 * before the last one's end, so that what passes there is seen too. */
#include "check/parts.h"

#include "check/tolerance.h"

enum { MOST_DEPTH = 48, MOST_SLICES = 32 };

static const double SLICE = 0.25;  /* of the smaller reach: how far things move in a slice */
static const double BACK = 0.0625; /* of a slice: how far it reaches into the one before */
static const double FAR = 0.25;    /* of the smaller reach: balls this far apart tell enough */

typedef struct way {
	const cn_solid *solid_a, *solid_b;
	const cn_track *a, *b;
	v3 d0, dd;
	double theta_a, theta_b;
	double far;   /* m: the largest |d| on the way */
	double bound; /* m */
	uint32_t budget, pieces;
	cn_mesh_cover *cover; /* NULL: not remembered */
} way;

/* What a search found at a pose on the way. Spans that are halved share their ends, so no pose is searched twice. */
typedef struct sight {
	bool known;
	v3 n;
	double least, most; /* m: how far the axis parts them there; no other does further */
} sight;

typedef struct couple {
	const cn_check_convex *a, *b;
	double k;       /* m: over the whole way, for an axis that does not turn, ... */
	double with[2]; /* ... for one that turns with a, with b */
	double rho;     /* m: the sum of theta rho: how fast points move by turning */
	v3 axis;        /* the last one that proved something, or zero */
	double room;    /* m: along it where that span ended; infinite before the first */
} couple;

typedef struct outcome {
	cn_verdict verdict;
	double least, time;
} outcome;

/* The part at time t; side -1 for a, +1 for b. */
static cn_placed place_at(const way *w, const cn_check_convex *part, double side, double t)
{
	const cn_track *track = side < 0 ? w->a : w->b;
	v3 d = v3_madd(w->d0, w->dd, t);
	quat q = track->q0;
	if ((side < 0 ? w->theta_a : w->theta_b) > 0)
		q = q_mul(q_exp(v3_scale(track->turn, t)), q);
	q = q_unit(q);
	v3 at = v3_add(v3_scale(d, 0.5 * side), q_rotate(q, track->in_body.position));
	return cn_check_convex_place(part, q_mul(q, track->in_body.orientation), at);
}

double cn_check_convex_radius(const cn_check_convex *part, pose in_body)
{
	v3 c = q_unrotate(q_unit(in_body.orientation), v3_neg(in_body.position)), s = v3_abs(c);
	double most = 0;
	switch (part->core) {
	case CN_CHECK_CORE_BOX: most = v3_length(v3_add(s, part->half)); break;
	case CN_CHECK_CORE_CYLINDER: {
		double across = sqrt(c.x * c.x + c.y * c.y) + part->half.x, along = s.z + part->half.z;
		most = sqrt(across * across + along * along);
		break;
	}
	case CN_CHECK_CORE_HALFSPACE: return INFINITY;
	case CN_CHECK_CORE_CLOUD:
		if (part->vast)
			most = part->reach + v3_length(c);
		for (uint32_t i = 0; i < part->count && !part->vast; ++i) {
			double d = v3_distance(part->points[i], c);
			most = d > most ? d : most;
		}
		break;
	}
	return (most + part->round) * (1 + 16 * DBL_EPSILON);
}

static double plane_k(double theta, double theta_other, double rho, double far, double speed)
{
	return (theta * theta * (far + rho) + 2 * theta * (speed + theta_other * rho) + theta_other * theta_other * rho) /
	       8;
}

double cn_carried_k(v3 d0, v3 dd, v3 turn, v3 turn_other, double rho_other)
{
	v3 d1 = v3_add(d0, dd);
	double theta = v3_length(turn), other = v3_length(turn_other), apart = v3_distance(turn, turn_other);
	double near = v3_length(d0), end = v3_length(d1), far = near > end ? near : end;
	double speed0 = v3_length(v3_sub(dd, v3_cross(turn, d0))), speed1 = v3_length(v3_sub(dd, v3_cross(turn, d1)));
	double speed = (speed0 > speed1 ? speed0 : speed1) + apart * rho_other;
	return (theta * theta * far + apart * rho_other * (theta + other) + 2 * theta * speed) / 8 * (1 + 32 * DBL_EPSILON);
}

static couple make_couple(const way *w, const cn_check_convex *a, const cn_check_convex *b, v3 axis)
{
	couple c = {.a = a, .b = b, .axis = axis, .room = INFINITY};
	double ra = cn_check_convex_radius(a, w->a->in_body), rb = cn_check_convex_radius(b, w->b->in_body),
		   ta = w->theta_a, tb = w->theta_b;
	if (a->core == CN_CHECK_CORE_HALFSPACE)
		c.k = plane_k(ta, tb, rb, w->far, v3_length(w->dd));
	else if (b->core == CN_CHECK_CORE_HALFSPACE)
		c.k = plane_k(tb, ta, ra, w->far, v3_length(w->dd));
	else
		c.k = (ta * ta * ra + tb * tb * rb) / 8, c.rho = ta * ra + tb * rb;
	c.k *= 1 + 16 * DBL_EPSILON;
	c.with[0] = cn_carried_k(w->d0, w->dd, w->a->turn, w->b->turn, rb);
	c.with[1] = cn_carried_k(v3_neg(w->d0), v3_neg(w->dd), w->b->turn, w->a->turn, ra);
	return c;
}

double cn_least_between(double s0, double s1, double k)
{
	double rise = s1 - s0;
	if (fabs(rise) < 4 * k)
		return 0.5 * (s0 + s1) - k - rise * rise / (16 * k);
	return s0 < s1 ? s0 : s1;
}

typedef struct span {
	double t0, t1;
	cn_placed a0, b0, a1, b1;
	sight start, middle, end;
} span;

static bool has_plane(const couple *c)
{
	return c->a->core == CN_CHECK_CORE_HALFSPACE || c->b->core == CN_CHECK_CORE_HALFSPACE;
}

static double along_at(const couple *c, const cn_placed *a, const cn_placed *b, v3 n)
{
	if (!has_plane(c))
		return cn_gap_along(a, b, n);
	cn_check_gap gap;
	cn_gap_find(a, b, 0, n, &gap);
	return gap.least;
}

typedef struct proof {
	double lower; /* of the gap over a span, by the best axis so far */
	v3 n0, n1;    /* which stands so at the start and at the end */
} proof;

static void try_axis(const couple *c, const span *s, v3 n0, v3 n1, double k, proof *best)
{
	double end = along_at(c, &s->a1, &s->b1, n1);
	if (!(end > best->lower))
		return;
	double lower = cn_least_between(along_at(c, &s->a0, &s->b0, n0), end, k);
	if (lower > best->lower)
		*best = (proof){lower, n0, n1};
}

/* An axis that parts the two where they stand so. */
typedef struct stand {
	v3 n;
	const cn_placed *a, *b;
} stand;

static stand at_start(const span *s, v3 n) { return (stand){n, &s->a0, &s->b0}; }
static stand at_end(const span *s, v3 n) { return (stand){n, &s->a1, &s->b1}; }

/* What an axis proves of a span; true where it is enough and no other needs to be tried. Before and after the moment at
 * which it was found the axis stays, or turns with one of the parts. */
static bool prove(const way *w, const couple *c, const span *s, stand at, proof *best)
{
	v3 n = at.n;
	double part = s->t1 - s->t0;
	try_axis(c, s, n, n, c->k * part * part, best);
	for (int side = 0; side < 2 && !(best->lower > 0.5 * w->bound) && !has_plane(c); ++side) {
		if (!((side ? w->theta_b : w->theta_a) > 0))
			continue;
		v3 m = m3_unapply(side ? at.b->r : at.a->r, n);
		v3 n0 = v3_unit(m3_apply(side ? s->b0.r : s->a0.r, m)), n1 = v3_unit(m3_apply(side ? s->b1.r : s->a1.r, m));
		proof carried = {best->lower + w->bound, v3_zero(), v3_zero()};
		try_axis(c, s, n0, n1, c->with[side] * part * part, &carried);
		if (v3_length2(carried.n0) > 0)
			*best = (proof){carried.lower - w->bound, n0, n1};
	}
	return best->lower > 0.5 * w->bound;
}

static bool are_boxes(const couple *c) { return cn_check_are_boxes(c->a, c->b); }

/* The pose at t: its axis, or the verdict where it decides. Boxes that are apart have one among their own. */
static bool overlaps_at(const way *w, const couple *c, const cn_placed *a, const cn_placed *b, sight *at)
{
	cn_check_gap gap;
	v3 start = v3_length2(c->axis) > 0 ? c->axis : v3_sub(b->at, a->at);
	if (at->known)
		return false;
	if (!are_boxes(c) || (!cn_gap_of_boxes(a, b, w->bound, &gap) && !(gap.least > w->bound)))
		cn_gap_find(a, b, w->bound, start, &gap);
	*at = (sight){true, gap.n, gap.least, gap.most};
	return gap.most < -w->bound;
}

/* The axes that cost little. *most: how far the best of them parts the two at the span's end. */
static bool prove_guessed(const way *w, const couple *c, const span *s, proof *best, double *most)
{
	v3 axes[CN_GUESSES];
	uint32_t count = cn_gap_guess(&s->a1, &s->b1, v3_madd(w->d0, w->dd, s->t1), axes);
	*most = -INFINITY;
	for (uint32_t i = 0; i < count; ++i) {
		double end = cn_gap_along(&s->a1, &s->b1, axes[i]);
		*most = end > *most ? end : *most;
		if (end > 0.5 * w->bound && prove(w, c, s, at_end(s, axes[i]), best))
			return true;
	}
	return false;
}

static double least_k(const couple *c)
{
	double with = c->with[0] < c->with[1] ? c->with[0] : c->with[1];
	return c->k < with ? c->k : with;
}

/* What is seen at the span's ends leaves room for no axis that serves all of it. */
static bool hopeless(const way *w, const couple *c, const span *s)
{
	double part = s->t1 - s->t0;
	return s->start.known && s->end.known &&
	       cn_least_between(s->start.most + w->bound, s->end.most + w->bound, least_k(c) * part * part) < -w->bound;
}

/* Looks for an axis for the span: the last one, guesses (but for boxes), then those of the end, (of the first span, for others it was
 * the end of one) the start, and the middle. True with the time where they overlap at one of these. Where things turn so
 * far that no axis can be hoped to serve, and they are apart at the end, the halves are left to tell. */
static bool search_axes(const way *w, const couple *c, span *s, proof *best, double *time)
{
	bool first = !(c->room < INFINITY);
	if (v3_length2(c->axis) > 0 &&
	    (prove(w, c, s, at_start(s, c->axis), best) || (first && prove(w, c, s, at_end(s, c->axis), best))))
		return false;
	if (has_plane(c)) {
		*time = s->t1;
		return !prove(w, c, s, at_end(s, v3_zero()), best) && along_at(c, &s->a1, &s->b1, v3_zero()) < -w->bound;
	}
	double most, part = s->t1 - s->t0, middle = 0.5 * (s->t0 + s->t1);
	*time = s->t1;
	if (are_boxes(c)) {
		if (overlaps_at(w, c, &s->a1, &s->b1, &s->end))
			return true;
		most = s->end.least;
	} else if (prove_guessed(w, c, s, best, &most)) {
		return false;
	}
	if (most > w->bound && least_k(c) * part * part > most)
		return false;
	if (overlaps_at(w, c, &s->a1, &s->b1, &s->end))
		return true;
	if (prove(w, c, s, at_end(s, s->end.n), best))
		return false;
	*time = s->t0;
	if (first && overlaps_at(w, c, &s->a0, &s->b0, &s->start))
		return true;
	if ((first && prove(w, c, s, at_start(s, s->start.n), best)) || hopeless(w, c, s))
		return false;
	*time = middle;
	cn_placed a = place_at(w, c->a, -1, middle), b = place_at(w, c->b, 1, middle);
	if (overlaps_at(w, c, &a, &b, &s->middle))
		return true;
	(void)prove(w, c, s, (stand){s->middle.n, &a, &b}, best);
	return false;
}

/* True if they touch where the span begins and the axis of the proof looks away from the last one's: then the last one
 * must serve for this span too. */
static bool turned_over(const way *w, const couple *c, const span *s, proof *best)
{
	if (c->room > w->bound || v3_dot(best->n0, c->axis) >= 0 || along_at(c, &s->a0, &s->b0, best->n0) > w->bound)
		return false;
	*best = (proof){-INFINITY, v3_zero(), v3_zero()};
	(void)prove(w, c, s, at_start(s, c->axis), best);
	return !(best->lower >= -0.5 * w->bound);
}

static cn_verdict prove_span(way *w, couple *c, span *s, outcome *out)
{
	proof best = {-INFINITY, v3_zero(), v3_zero()};
	double time = 0;
	++w->pieces;
	if (search_axes(w, c, s, &best, &time)) {
		out->time = time;
		return CN_OVERLAPPING;
	}
	if (!(best.lower >= -0.5 * w->bound) || turned_over(w, c, s, &best))
		return CN_UNPROVED;
	c->axis = best.n1, c->room = along_at(c, &s->a1, &s->b1, best.n1);
	out->least = best.lower < out->least ? best.lower : out->least;
	return CN_APART;
}

/* Subdivides [t0, t1] until it is proved, in the order of time. */
static cn_verdict prove_way(way *w, couple *c, double t0, double t1, outcome *out)
{
	double ends[MOST_DEPTH];
	sight seen[MOST_DEPTH]; /* at these ends */
	int depth = 0;
	ends[0] = t1, seen[0] = (sight){0};
	span s = {.t0 = t0, .a0 = place_at(w, c->a, -1, t0), .b0 = place_at(w, c->b, 1, t0)};
	while (depth >= 0) {
		if (w->pieces >= w->budget) {
			out->time = s.t0;
			return CN_UNPROVED;
		}
		s.t1 = ends[depth], s.end = seen[depth], s.middle = (sight){0};
		s.a1 = place_at(w, c->a, -1, s.t1), s.b1 = place_at(w, c->b, 1, s.t1);
		double middle = 0.5 * (s.t0 + s.t1);
		cn_verdict verdict = prove_span(w, c, &s, out);
		if (verdict == CN_OVERLAPPING)
			return verdict;
		if (verdict == CN_APART) {
			s.t0 = s.t1, s.a0 = s.a1, s.b0 = s.b1, s.start = s.end;
			--depth;
		} else if (depth + 1 < MOST_DEPTH && middle > s.t0 && middle < s.t1) {
			seen[depth] = s.end;
			ends[++depth] = middle, seen[depth] = s.middle;
		} else {
			out->time = s.t0;
			return CN_UNPROVED;
		}
	}
	return CN_APART;
}

/* Balls about the centres of mass, which turning does not move: the least distance of a segment from the origin. */
static double ball_distance(const way *w, double radius)
{
	double square = v3_length2(w->dd), t = square > 0 ? -v3_dot(w->d0, w->dd) / square : 0;
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	return v3_length(v3_madd(w->d0, w->dd, t)) - radius;
}

/* A lower bound of the distance of two nodes' balls from t0 to t1, from their places in the middle. */
static double node_distance(const way *w, const cn_check_ball *a, const cn_check_ball *b, v3 d, double part)
{
	double lever_a = v3_distance(a->center, v3_scale(d, -0.5)), lever_b = v3_distance(b->center, v3_scale(d, 0.5));
	double moved = v3_length(w->dd) + w->theta_a * lever_a + w->theta_b * lever_b;
	return v3_distance(a->center, b->center) - a->radius - b->radius - 0.5 * part * moved - 0.5 * w->bound;
}

static double smaller_reach(const way *w)
{
	double a = w->solid_a->part.reach, b = w->solid_b->part.reach;
	return a < b ? a : b;
}

static cn_verdict prove_triangles(way *w, cn_check_pair pair, const span *s, v3 *axis, outcome *out)
{
	const cn_solid *a = w->solid_a, *b = w->solid_b;
	v3 ca[3], cb[3];
	for (uint32_t i = 0; i < cn_mesh_leaf(a, pair.a); ++i)
		for (uint32_t j = 0; j < cn_mesh_leaf(b, pair.b); ++j) {
			cn_check_convex ta = cn_mesh_part(a, pair.a, i, ca), tb = cn_mesh_part(b, pair.b, j, cb);
			couple c = make_couple(w, &ta, &tb, *axis);
			cn_verdict verdict = prove_way(w, &c, s->t0, s->t1, out);
			if (verdict != CN_APART)
				return verdict;
			*axis = c.axis;
		}
	return CN_APART;
}

/* One axis for the hulls of both: often enough where meshes rest on each other. */
static bool prove_hulls(way *w, span *s, v3 *axis, outcome *out)
{
	couple c = make_couple(w, &w->solid_a->part, &w->solid_b->part, *axis);
	proof best = {-INFINITY, v3_zero(), v3_zero()};
	double time;
	s->a0 = place_at(w, c.a, -1, s->t0), s->b0 = place_at(w, c.b, 1, s->t0);
	s->a1 = place_at(w, c.a, -1, s->t1), s->b1 = place_at(w, c.b, 1, s->t1);
	++w->pieces;
	if (search_axes(w, &c, s, &best, &time) || !(best.lower >= -0.5 * w->bound))
		return false;
	*axis = best.n1;
	out->least = best.lower < out->least ? best.lower : out->least;
	return true;
}

/* A span with other parts at the same places. */
static span span_of(const span *s, const cn_check_convex *a, const cn_check_convex *b)
{
	span own = *s;
	own.a0.part = own.a1.part = a, own.b0.part = own.b1.part = b;
	return own;
}

/* One axis parts the hulls of two nodes clearly over the slice: the last one that served, or that of the slice's end,
 * which is then the first guess for their children. */
static bool prove_nodes(way *w, cn_check_pair pair, const span *s, v3 *axis, outcome *out)
{
	cn_check_convex a, b;
	if (!cn_mesh_cloud(w->solid_a, pair.a, &a) || !cn_mesh_cloud(w->solid_b, pair.b, &b))
		return false;
	couple c = make_couple(w, &a, &b, *axis);
	span own = span_of(s, &a, &b);
	proof best = {-INFINITY, v3_zero(), v3_zero()};
	++w->pieces;
	bool proved = v3_length2(*axis) > 0 && prove(w, &c, &own, at_end(&own, *axis), &best);
	if (!proved) {
		double part = s->t1 - s->t0, sag = least_k(&c) * part * part;
		double wanted = 2 * sag + w->bound;
		if (!cn_gap_axis(&own.a1, &own.b1, cn_axis_above(wanted), axis) && !(cn_gap_along(&own.a1, &own.b1, *axis) > 0))
			return false;
		proved = prove(w, &c, &own, at_end(&own, *axis), &best);
	}
	if (!proved)
		return false;
	*axis = best.n1;
	out->least = best.lower < out->least ? best.lower : out->least;
	return true;
}

typedef struct node_pair {
	cn_check_pair pair;
	v3 axis; /* a guess */
} node_pair;

/* Where a slice begins: what covers all pairs of triangles. */
static uint32_t begin_cover(const way *w, v3 axis, node_pair stack[CN_CHECK_STACK])
{
	const cn_mesh_cover *c = w->cover;
	if (!c || !c->count) {
		stack[0] = (node_pair){{0, 0}, axis};
		return 1;
	}
	for (uint32_t i = 0; i < c->count; ++i)
		stack[i] = (node_pair){{c->a[c->count - 1 - i], c->b[c->count - 1 - i]}, c->axes[c->count - 1 - i]};
	return c->count;
}

/* Takes a pair of nodes that was proved into the cover that is being made; one that grows too large is given up. */
static void keep_cover(cn_mesh_cover *to, const node_pair *at)
{
	if (to->count < CN_MESH_COVER)
		to->a[to->count] = at->pair.a, to->b[to->count] = at->pair.b, to->axes[to->count] = at->axis;
	++to->count;
}

/* A slice of the time: all pairs of triangles that may come near. */
static cn_verdict prove_slice(way *w, span *s, v3 *axis, outcome *out)
{
	const cn_solid *a = w->solid_a, *b = w->solid_b;
	if (!a->part.vast && !b->part.vast && prove_hulls(w, s, axis, out))
		return CN_APART;
	s->a0 = place_at(w, &a->part, -1, s->t0), s->b0 = place_at(w, &b->part, 1, s->t0);
	s->a1 = place_at(w, &a->part, -1, s->t1), s->b1 = place_at(w, &b->part, 1, s->t1);
	node_pair stack[CN_CHECK_STACK + CN_MESH_COVER];
	cn_mesh_cover next = {.count = 0};
	cn_check_pair children[2];
	uint32_t count = begin_cover(w, *axis, stack);
	double middle = 0.5 * (s->t0 + s->t1);
	v3 d = v3_madd(w->d0, w->dd, middle);
	cn_placed pa = place_at(w, &a->part, -1, middle), pb = place_at(w, &b->part, 1, middle);
	while (count) {
		node_pair at = stack[--count];
		cn_check_pair pair = at.pair;
		cn_check_ball ba = cn_mesh_ball(a, &pa, pair.a), bb = cn_mesh_ball(b, &pb, pair.b);
		double clear = node_distance(w, &ba, &bb, d, s->t1 - s->t0);
		if (clear > 0) {
			out->least = clear < out->least ? clear : out->least;
			keep_cover(&next, &at);
			continue;
		}
		if (w->pieces < w->budget && prove_nodes(w, pair, s, &at.axis, out)) {
			keep_cover(&next, &at);
			continue;
		}
		if (cn_mesh_split(a, b, pair, children)) {
			stack[count++] = (node_pair){children[0], at.axis}, stack[count++] = (node_pair){children[1], at.axis};
			continue;
		}
		cn_verdict verdict = prove_triangles(w, pair, s, &at.axis, out);
		if (verdict != CN_APART)
			return verdict;
		keep_cover(&next, &at);
	}
	if (w->cover && next.count <= CN_MESH_COVER)
		*w->cover = next;
	else if (w->cover)
		w->cover->count = 0;
	return CN_APART;
}

static cn_verdict prove_meshes(way *w, double speed, v3 axis, outcome *out)
{
	double reach = smaller_reach(w);
	int slices = 1;
	while (slices < MOST_SLICES && speed > slices * SLICE * reach)
		slices *= 2;
	for (int i = 0; i < slices; ++i) {
		span s = {.t0 = i ? (i - BACK) / slices : 0, .t1 = (double)(i + 1) / slices};
		cn_verdict verdict = prove_slice(w, &s, &axis, out);
		if (verdict == CN_UNPROVED)
			out->time = s.t0; /* other triangles of the slice were not looked at */
		if (verdict != CN_APART)
			return verdict;
	}
	return CN_APART;
}

/* Meshes that overlap, or are not proved not to, at one of the ends. */
static bool wrong_at_ends(const way *w, v3 hint, outcome *out)
{
	const cn_solid *a = w->solid_a, *b = w->solid_b;
	bool hinted = v3_length2(hint) > 0, vast = a->part.vast || b->part.vast;
	for (int end = 0; end < 2; ++end) {
		cn_overlap_answer answer;
		cn_placed pa = place_at(w, &a->part, -1, end), pb = place_at(w, &b->part, 1, end);
		if (hinted && !vast && cn_gap_along(&pa, &pb, hint) > w->bound) /* of the hulls */
			continue;
		cn_mesh_pose(&(cn_solid_pair){a, &pa, b, &pb}, w->bound, hinted ? &hint : NULL, CN_CHECK_WIDEN * w->bound,
		             &answer);
		if (answer.verdict == CN_OVERLAPPING || answer.verdict == CN_UNPROVED) {
			out->verdict = answer.verdict, out->time = end;
			return true;
		}
	}
	return false;
}

static way make_way(const cn_moving_solid *a, const cn_moving_solid *b, uint32_t budget)
{
	const cn_track *ta = a->track, *tb = b->track;
	way w = {.solid_a = a->solid, .solid_b = b->solid, .a = ta, .b = tb, .budget = budget};
	w.d0 = v3_sub(tb->x0, ta->x0);
	w.dd = v3_sub(v3_sub(tb->x1, ta->x1), w.d0); /* what both move alike costs no digits */
	w.theta_a = v3_length(ta->turn), w.theta_b = v3_length(tb->turn);
	double near = v3_length(w.d0), end = v3_length(v3_add(w.d0, w.dd));
	w.far = near > end ? near : end;
	double reach = w.solid_a->part.reach + v3_length(ta->in_body.position) + w.solid_b->part.reach +
	               v3_length(tb->in_body.position);
	w.bound = CN_CHECK_MOTION_ULPS * DBL_EPSILON * (0.5 * w.far + v3_length(w.dd) + reach);
	return w;
}

static void finish(const way *w, const outcome *o, cn_passage *out)
{
	double all = 2 * w->bound / (CN_CHECK_MOTION_ULPS * DBL_EPSILON); /* a translation that parts any two on the way */
	double least = o->verdict == CN_OVERLAPPING || !(o->least < INFINITY) ? -all : o->least - 0.5 * w->bound;
	*out = (cn_passage){o->verdict, least, w->bound, o->time, w->pieces};
	if (o->verdict == CN_APART && !(least >= 0))
		out->verdict = CN_TOUCHING;
}

void cn_overlap_motion(const cn_moving_solid *first, const cn_moving_solid *second, const v3 *hint, uint32_t budget,
                       cn_mesh_cover *cover, cn_passage *out)
{
	const cn_solid *a = first->solid, *b = second->solid;
	way w = make_way(first, second, budget);
	w.cover = cover;
	outcome o = {CN_APART, INFINITY, 1};
	couple all = make_couple(&w, &a->part, &b->part, cn_hint_unit(hint));
	bool planes = a->part.core == CN_CHECK_CORE_HALFSPACE && b->part.core == CN_CHECK_CORE_HALFSPACE;
	double balls = planes ? 0
	                      : ball_distance(&w, cn_check_convex_radius(&a->part, w.a->in_body) +
	                                              cn_check_convex_radius(&b->part, w.b->in_body));
	if (planes) {
		o = (outcome){CN_UNPROVED, -INFINITY, 0};
	} else if (balls > w.bound && balls > FAR * smaller_reach(&w)) { /* near ones deserve a closer bound */
		o.least = balls, w.pieces = 1;
	} else if ((a->mesh || b->mesh) && !has_plane(&all)) {
		/* shells overlap others, and convex solids, where a triangle does, and that is what is proved all the way */
		bool thin = a->mesh && b->mesh ? !a->full && !b->full : !(a->mesh ? a : b)->full;
		if (thin || !wrong_at_ends(&w, all.axis, &o))
			o.verdict = prove_meshes(&w, v3_length(w.dd) + all.rho, all.axis, &o);
	} else {
		o.verdict = prove_way(&w, &all, 0, 1, &o);
	}
	finish(&w, &o, out);
}
