/* See sweep.h.
 *
 * The proof of an interval [t0, t1] by a fixed unit axis n. A point of a part at distance r from the line through the centre
 * of mass along the turn's axis moves on a circle of radius r <= rho while the centre moves straight; over an angle theta
 * its height along n lies above the chord between its ends by at most rho theta^2 / 8 (the circle's acceleration is
 * rho theta^2 in unit time, and t (1 - t)/2 <= 1/8). So min n.b sinks below its chord by at most theta_b^2 rho_b / 8, max n.a
 * rises above its own by at most theta_a^2 rho_a / 8, and s(t) is at least the chord of s less k. With both ends at gap + k
 * the interval keeps the gap.
 *
 * And by an axis n(t) that turns at constant rate from n0 to n1, about nu, |nu| their angle. With d the way from one centre of
 * mass to the other, A and B the turns, every f = n.(d + b - a) has
 *
 *   f'' = n.((B-nu)x((B-nu)x b) + (Bxnu)x b - (A-nu)x((A-nu)x a) - (Axnu)x a - 2 nu x d') - |nu|^2 n.d
 *
 * as n stays square to nu. So with 8 k = (|A-nu|^2 + |Axnu|) rho_a + (|B-nu|^2 + |Bxnu|) rho_b + 2 |nu x d'| (and the last term
 * where n.d might be negative, which parts that hold their centres of mass never are) s(t) >= (1-t) s0 + t s1 - 4 t (1-t) k:
 * never below zero if s0, s1 >= 0 and (sqrt(s0) + sqrt(s1))^2 >= 4 k. Two parts that touch while one of them turns are proved by
 * their own axes at both ends, where a fixed one would hold for a gap's worth of turning only.
 *
 * A half-space that stands or moves without turning has k = 0 and one axis. One that turns is met by speed alone: no point of
 * the other part, at most d from the pivot, nears its plane faster than the relative speed of the centres plus
 * theta (d + rho) of turning.
 *
 * Search. The interval is proved from the left: try to prove [t, 1], else halve the try until a piece is proved, then go on
 * from its end. While the surplus gap(t) - asked is above the tolerance a piece in which no point moves by more than the surplus
 * needs no axis (conservative advancement), so time rises. Below it, a piece whose motion is below the tolerance and that
 * cannot be proved ends the search: REACHED. */
#include "geom/sweep.h"

#include "base/tolerance.h"

#define CN_SWEEP_TURNING 0.9 /* cosine: an axis that turns further in one piece proves little */

cn_place cn_mover_at(const cn_mover *m, double t)
{
	quat q = t == 0 ? m->q0 : q_mul(q_exp(v3_scale(m->turn, t)), m->q0);
	pose body = {v3_lerp(m->x0, m->x1, t), q};
	if (t == 1)
		body.position = m->x1;
	return cn_convex_place(m->part, pose_mul(body, m->in_body));
}

static bool plane(const cn_mover *m) { return m->part->kind == CAIRN_HALFSPACE; }
static double turn_of(const cn_mover *m) { return v3_length(m->turn); }

/* k over a piece of length dt. A half-space has none where it does not turn and no bound where it does. */
static double loss(const cn_mover *m, double turn, double dt)
{
	if (turn == 0)
		return 0;
	return plane(m) ? INFINITY : turn * turn * dt * dt * m->radius / 8;
}

/* How far the points that are computed with lie from the centre of mass. */
static double extent(const cn_mover *m)
{
	return plane(m) ? v3_length(m->in_body.position) + v3_length(m->part->center) : m->radius;
}

/* What rounding may take from a separation of these two: their centres are subtracted first. */
static double rounding(const cn_mover *a, const cn_mover *b)
{
	double far = v3_max(v3_abs(a->x0)) + v3_max(v3_abs(b->x0)) + v3_max(v3_abs(a->x1)) + v3_max(v3_abs(b->x1));
	return CN_SWEEP_ULPS * DBL_EPSILON * (far + extent(a) + extent(b));
}

/* ---- the search */

typedef struct search {
	const cn_mover *a, *b;
	const cn_sweep_options *options;
	cn_witness *witness;
	cn_sweep_result *out;
	double turn_a, turn_b;
	double asked; /* the gap and rounding */
	double speed; /* no two points of the parts near each other faster, per unit of t */
} search;

/* Both parts at a time. */
typedef struct moment {
	double t;
	cn_place a, b;
} moment;

static moment moment_at(const search *s, double t) { return (moment){t, cn_mover_at(s->a, t), cn_mover_at(s->b, t)}; }

static void ask(search *s, const moment *m, cn_separation *separation)
{
	cn_separate(s->a->part, &m->a, s->b->part, &m->b, s->witness, separation);
	s->out->n = separation->n;
	++s->out->evaluations;
}

static double along(const search *s, const moment *m, v3 n)
{
	return cn_separate_along(s->a->part, &m->a, s->b->part, &m->b, n);
}

static void needed(search *s, cn_sweep_tier tier)
{
	if (tier > s->out->tier)
		s->out->tier = tier;
}

/* An upper bound of the speed at which the parts can near each other. */
static double nearing(const search *s)
{
	const cn_mover *a = s->a, *b = s->b;
	v3 relative = v3_sub(v3_sub(b->x1, b->x0), v3_sub(a->x1, a->x0));
	double speed = v3_length(relative);
	if (!plane(a) && !plane(b))
		return speed + s->turn_a * a->radius + s->turn_b * b->radius;
	const cn_mover *half = plane(a) ? a : b, *part = plane(a) ? b : a;
	double d0 = v3_distance(part->x0, half->x0), d1 = v3_distance(part->x1, half->x1), d = d0 > d1 ? d0 : d1;
	double turn_half = plane(a) ? s->turn_a : s->turn_b, turn_part = plane(a) ? s->turn_b : s->turn_a;
	return speed + turn_part * part->radius + turn_half * (d + part->radius);
}

/* Balls about the centres of mass that hold the parts: the straight way of one past the other. */
static bool balls_apart(const search *s)
{
	const cn_mover *a = s->a, *b = s->b;
	if (plane(a) || plane(b))
		return false;
	v3 d0 = v3_sub(b->x0, a->x0), d1 = v3_sub(b->x1, a->x1), move = v3_sub(d1, d0);
	double square = v3_length2(move), t = square > 0 ? -v3_dot(d0, move) / square : 0;
	double near = v3_length(v3_madd(d0, move, t < 0 ? 0 : t > 1 ? 1 : t));
	return near >= a->radius + b->radius + s->asked;
}

/* One axis over a piece. */
static bool holds(const search *s, const moment *m0, const moment *m1, v3 n)
{
	double dt = m1->t - m0->t, k = loss(s->a, s->turn_a, dt) + loss(s->b, s->turn_b, dt);
	return isfinite(k) && along(s, m0, n) >= s->asked + k && along(s, m1, n) >= s->asked + k;
}

/* Proves a piece by an axis that turns from that at its start to that at its end. */
static bool turning_holds(const search *s, double t0, double dt, const cn_separation *at0, const cn_separation *at1)
{
	const cn_mover *a = s->a, *b = s->b;
	double off = s->asked + CN_SEPARATE_SLACK * (a->part->size < b->part->size ? a->part->size : b->part->size);
	double s0 = at0->gap - off, s1 = at1->gap - off, cosine = v3_dot(at0->n, at1->n);
	if (!(s0 >= 0 && s1 >= 0) || plane(a) || plane(b) || cosine < CN_SWEEP_TURNING)
		return false;
	v3 nu = v3_cross(at0->n, at1->n), turn_a = v3_scale(a->turn, dt), turn_b = v3_scale(b->turn, dt);
	double sine = v3_length(nu), angle = cn_atan2(sine, cosine);
	nu = sine > 0 ? v3_scale(nu, angle / sine) : nu;
	v3 da = v3_sub(a->x1, a->x0), db = v3_sub(b->x1, b->x0), move = v3_scale(v3_sub(db, da), dt);
	v3 d = v3_sub(v3_madd(b->x0, db, t0), v3_madd(a->x0, da, t0));
	double inward = angle * v3_length(d) + v3_length(move) - v3_dot(at0->n, d);
	double k = (v3_length2(v3_sub(turn_a, nu)) + v3_length(v3_cross(turn_a, nu))) * a->radius +
	           (v3_length2(v3_sub(turn_b, nu)) + v3_length(v3_cross(turn_b, nu))) * b->radius +
	           2 * v3_length(v3_cross(nu, move)) + (inward > 0 ? angle * angle * inward : 0);
	return s0 + s1 + 2 * sqrt(s0 * s1) >= 0.5 * (1 + CN_UNIT_ROUNDING) * k;
}

/* Proves a piece by one axis: that of both ends as it turns, that at its end, at its start, or between them. */
static bool piece_free(search *s, const moment *m0, const cn_separation *at0, const moment *m1,
                       const cn_separation *at1)
{
	double dt = m1->t - m0->t, k = loss(s->a, s->turn_a, dt) + loss(s->b, s->turn_b, dt);
	if (turning_holds(s, m0->t, dt, at0, at1))
		return true;
	if (at1->gap >= s->asked + k && holds(s, m0, m1, at1->n))
		return true;
	if (!(at0->gap >= s->asked + k))
		return false;
	needed(s, CN_TIER_START);
	if (holds(s, m0, m1, at0->n))
		return true;
	needed(s, CN_TIER_MEAN);
	v3 mean = v3_add(at0->n, at1->n);
	return v3_length2(mean) > 0.01 && holds(s, m0, m1, v3_unit(mean));
}

/* How far from t the asked gap is safe by speed alone. */
static double safe_step(const search *s, double gap)
{
	double surplus = gap - s->asked;
	return surplus <= 0 ? 0 : s->speed > 0 ? surplus / s->speed : 1;
}

/* One piece further from m0, at most *step long, which is halved until a piece is proved. False: the status says why not. */
static bool advance(search *s, moment *m0, cn_separation *at0, double *step)
{
	double surplus = at0->gap - s->asked, sure = surplus > s->options->tolerance ? safe_step(s, at0->gap) : 0;
	for (;;) {
		double left = 1 - m0->t, length = *step > sure ? *step : sure;
		bool last = length >= left;
		length = last ? left : length;
		if (s->out->evaluations >= s->options->budget) {
			s->out->status = CN_SWEEP_SPENT;
			return false;
		}
		moment m1 = moment_at(s, last ? 1 : m0->t + length);
		cn_separation at1;
		ask(s, &m1, &at1);
		if (s->options->whole && at1.gap < -s->asked) {
			s->out->status = CN_SWEEP_REACHED;
			return false;
		}
		if (length <= sure || piece_free(s, m0, at0, &m1, &at1)) {
			*m0 = m1;
			*at0 = at1;
			return true;
		}
		if (length * s->speed <= s->options->tolerance || m1.t <= m0->t) {
			s->out->status = CN_SWEEP_REACHED;
			return false;
		}
		*step = length / 2;
	}
}

/* From m0, whose separation is known and above the asked gap, to the end or as far as can be proved. */
static void march(search *s, moment m0, cn_separation at0)
{
	needed(s, CN_TIER_SPLIT);
	double step = 0.5;
	while (m0.t < 1) {
		if (!advance(s, &m0, &at0, &step)) {
			s->out->time = m0.t;
			return;
		}
		step *= 2;
	}
}

void cn_sweep(const cn_mover *a, const cn_mover *b, const cn_sweep_options *options, const cn_separation *end,
              cn_witness *witness, cn_sweep_result *out)
{
	search s = {a, b, options, witness, out, turn_of(a), turn_of(b), options->gap + rounding(a, b), 0};
	*out = (cn_sweep_result){.status = CN_SWEEP_FREE, .tier = CN_TIER_BALLS, .time = 1};
	if (balls_apart(&s))
		return;
	needed(&s, CN_TIER_END);
	if (options->begin && end && turning_holds(&s, 0, 1, options->begin, end)) {
		out->n = end->n;
		return;
	}
	s.speed = nearing(&s);
	moment m0 = moment_at(&s, 0), m1 = moment_at(&s, 1);
	cn_separation at0, at1;
	if (end)
		at1 = *end, out->n = end->n;
	else
		ask(&s, &m1, &at1);
	double k = loss(a, s.turn_a, 1) + loss(b, s.turn_b, 1);
	if (at1.gap >= s.asked + k && holds(&s, &m0, &m1, at1.n))
		return;
	if (options->begin)
		at0 = *options->begin;
	else
		ask(&s, &m0, &at0);
	if (at0.gap < s.asked) {
		out->status = CN_SWEEP_CLOSE;
		out->time = 0;
		return;
	}
	if (safe_step(&s, at0.gap) >= 1 || piece_free(&s, &m0, &at0, &m1, &at1))
		return;
	march(&s, m0, at0);
}
