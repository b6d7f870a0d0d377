/* Flights, and the time of impact of two of them.
 *
 * A plane that separates two balls does so until they cross it, which is a quadratic equation; at that time a better
 * plane is found. Other bodies also turn. Rotation moves no point along the plane's normal faster than the spin across
 * the normal times the radius. The same equation with this speed added gives a time that is never too late, and a
 * better plane there (conservative advancement, OBA 5.4). */
#include "step/flight/flight.h"
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/motion/script.h"
#include "step/tolerance.h"

#define CN_IMPACT_ROUNDS                                                                                               \
	60 /* planes tried to find an impact: four are usual, a tumbling box that passes by takes more */
#define CN_IMPACT_GAP 1e-6 /* of the kept gap: so near is there */
#define CN_HYBRID_TRIES 6  /* lengths of a step tried with each */

bool cn_flight_ball(const cairn_world *w, uint32_t slot)
{
	const cn_context *c = w->context;
	uint32_t part = c->contacts.part_first[slot];
	return c->contacts.part_first[slot + 1] == part + 1 && c->contacts.parts[part].convex->kind == CAIRN_SPHERE &&
	       w->rotors[slot].kind == CN_ROTOR_BALL && cn_joints_of(w, slot) == CN_QP_NONE;
}

/* The frame's change of velocities is spread evenly over it. */
cn_flight cn_flight_begin(const cairn_world *w, uint32_t slot)
{
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	return (cn_flight){.slot = slot,
	                   .x = from->x,
	                   .v = from->v,
	                   .l = from->l,
	                   .q = from->q,
	                   .a = v3_scale(v3_sub(to->v, from->v), 1 / w->dt),
	                   .torque = v3_scale(v3_sub(to->l, from->l), 1 / w->dt)};
}

/* It goes to where it is due at the step's end. */
cn_flight cn_flight_of_script(const cairn_world *w, uint32_t slot)
{
	pose from = {w->motion[slot].x, w->motion[slot].q},
		 to = cn_script_at(&w->bodies[slot], w->context->paths.by_slot[slot].drive.due, from.orientation);
	return (cn_flight){.slot = slot,
	                   .x = from.position,
	                   .v = v3_scale(v3_sub(to.position, from.position), 1 / w->dt),
	                   .q = from.orientation,
	                   .spin = v3_scale(q_turn(from.orientation, to.orientation), 1 / w->dt),
	                   .script = true};
}

static v3 spin_of(const cairn_world *w, const cn_flight *b)
{
	return b->script ? b->spin : cn_spin(&w->rotors[b->slot], b->q, b->l);
}

void cn_flight_advance(const cairn_world *w, cn_flight *b, double t)
{
	if (b->script) {
		b->x = v3_madd(b->x, b->v, t);
		b->q = q_unit(q_mul(q_exp(v3_scale(b->spin, t)), b->q));
		return;
	}
	v3 l = v3_madd(b->l, b->torque, t);
	b->x = v3_madd(v3_madd(b->x, b->v, t), b->a, 0.5 * t * t);
	b->v = v3_madd(b->v, b->a, t);
	b->q = cn_rotate_free(&w->rotors[b->slot], b->q, cn_mean(b->l, l), t);
	b->l = l;
}

cn_place cn_flight_place(const cairn_world *w, const cn_flight *b, uint32_t part)
{
	const cn_part *p = &w->context->contacts.parts[part];
	return b ? cn_convex_place(p->convex, pose_mul((pose){b->x, b->q}, p->in_body)) : w->context->contacts.start[part];
}

/* Smallest x > 0 with a x^2 + b x + c <= 0, for c > 0; infinite: there is none. */
static double crossing(double a, double b, double c)
{
	double under = b * b - 4 * a * c;
	if (under < 0 || (b >= 0 && a >= 0))
		return INFINITY;
	double root = sqrt(under);
	return b < 0 ? 2 * c / (-b + root) : (-b - root) / (2 * a);
}

bool cn_impact_balls(const cairn_world *w, cn_flyers two, double t, cn_impact *out)
{
	const cn_flight *a = two.a, *b = two.b;
	uint32_t pair = two.pair;
	const cn_context *c = w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	const cn_convex *ca = c->contacts.parts[p->pa].convex, *cb = c->contacts.parts[p->pb].convex;
	cn_place at_a = c->contacts.start[p->pa], at_b = c->contacts.start[p->pb];
	cn_witness witness = p->witness;
	v3 v = v3_sub(b ? b->v : v3_zero(), a ? a->v : v3_zero()), acc = v3_sub(b ? b->a : v3_zero(), a ? a->a : v3_zero());
	double slack = CN_IMPACT_GAP * p->gap_target, slow = CN_IMPACT_MIN * c->gravity * w->dt, tau = 0;
	for (int round = 0; round < CN_IMPACT_ROUNDS && t + tau <= w->dt; ++round) {
		if (a)
			at_a.x = v3_madd(v3_madd(a->x, a->v, tau), a->a, 0.5 * tau * tau);
		if (b)
			at_b.x = v3_madd(v3_madd(b->x, b->v, tau), b->a, 0.5 * tau * tau);
		cn_separate(ca, &at_a, cb, &at_b, &witness, &out->at);
		if (c->contacts.parts[p->pb].kind == CN_PART_TRIANGLE)
			(void)cn_mesh_contact_axis(w, p, &at_a, &out->at);
		double s = out->at.gap - cn_pair_hold(p, p->frame_start.gap), rate = v3_dot(out->at.n, v3_madd(v, acc, tau)),
			   half = 0.5 * v3_dot(out->at.n, acc);
		if (s <= slack) {
			bool rests = fabs(rate) <= slow && -2 * half > CN_IMPACT_MIN * c->gravity;
			*out = (cn_impact){pair, t + tau, rests ? 0 : -rate, -2 * half, out->at};
			if (rate < -slow || rests)
				return true;
			if (half >= 0 || rate <= slow)
				return false; /* they separate, or stay as they are */
			tau += -rate / half;
		} else {
			tau += crossing(half, rate, s - 0.5 * slack);
		}
	}
	return false;
}

/* ---- any two bodies */

/* Two parts at a time, and the plane between them. */
typedef struct meeting {
	double tau; /* s, from the time of the given flights */
	cn_flight a, b;
	v3 spin_a, spin_b;
	cn_place at_a, at_b;
	cn_separation at;
	double s, parts; /* m: gap beyond the one they keep; m/s: speed at which the closest points separate */
} meeting;

/* Input of a search; a or b NULL: that body stands still. */
typedef struct couple {
	const cairn_world *w;
	const cn_pair *p;
	const cn_flight *a, *b;
	cn_witness witness;
} couple;

static meeting meet_at(couple *k, double tau)
{
	const cairn_world *w = k->w;
	const cn_pair *p = k->p;
	meeting m = {.tau = tau,
	             .a = k->a ? *k->a : (cn_flight){.x = w->motion[p->a].x},
	             .b = k->b ? *k->b : (cn_flight){.x = w->motion[p->b].x}};
	if (k->a) {
		cn_flight_advance(w, &m.a, tau);
		m.spin_a = spin_of(w, &m.a);
	}
	if (k->b) {
		cn_flight_advance(w, &m.b, tau);
		m.spin_b = spin_of(w, &m.b);
	}
	m.at_a = cn_flight_place(w, k->a ? &m.a : NULL, p->pa), m.at_b = cn_flight_place(w, k->b ? &m.b : NULL, p->pb);
	cn_separate(w->context->contacts.parts[p->pa].convex, &m.at_a, w->context->contacts.parts[p->pb].convex, &m.at_b,
	            &k->witness, &m.at);
	if (w->context->contacts.parts[p->pb].kind == CN_PART_TRIANGLE)
		(void)cn_mesh_contact_axis(w, p, &m.at_a, &m.at);
	m.s = m.at.gap - cn_pair_hold(p, p->frame_start.gap);
	v3 ra = v3_sub(v3_add(m.at_a.x, m.at.a), m.a.x), rb = v3_sub(v3_add(m.at_b.x, m.at.b), m.b.x);
	v3 v = v3_sub(v3_add(m.b.v, v3_cross(m.spin_b, rb)), v3_add(m.a.v, v3_cross(m.spin_a, ra)));
	m.parts = v3_dot(m.at.n, v);
	return m;
}

/* The next time to examine. The bound by speeds is never too late, but planes turn with the bodies, so it takes many
 * small steps. First a longer step is tried, to the time when the closest points would meet if they went on as now,
 * or a part of that. It is taken if the gaps at both ends allow for how far turning bends the paths. This is no
 * proof; the position stage proves paths. */
static meeting meet_next(couple *k, const meeting *m, double left)
{
	const cairn_world *w = k->w;
	v3 n = m->at.n, v = v3_sub(m->b.v, m->a.v), acc = v3_sub(m->b.a, m->a.a);
	double ra = k->a ? w->bodies[k->p->a].radius : 0, rb = k->b ? w->bodies[k->p->b].radius : 0,
		   half = 0.5 * v3_dot(n, acc), aim = m->s - 0.5 * CN_HYBRID_NEAR * k->p->gap_target;
	double swing = v3_length(v3_cross(m->spin_a, n)) * ra + v3_length(v3_cross(m->spin_b, n)) * rb,
		   bend = (v3_length2(m->spin_a) * ra + v3_length2(m->spin_b) * rb + fabs(2 * half)) / 8;
	double sure = crossing(half, v3_dot(n, v) - swing, aim), step = crossing(half, m->parts, aim),
		   turn = bend > 0 ? sqrt(m->s / bend) : INFINITY;
	step = step < left ? step : left;
	for (int tries = 0; tries < CN_HYBRID_TRIES && step > 1.1 * sure; ++tries) {
		meeting there = meet_at(k, m->tau + step);
		if (cn_axis_proves(m->s, there.s, bend * step * step, 0))
			return there;
		step = tries ? 0.5 * step : turn < 0.9 * step ? turn : 0.9 * step;
	}
	return meet_at(k, m->tau + (sure < left ? sure : left));
}

bool cn_impact_any(const cairn_world *w, cn_flyers two, double t, double min, cn_impact *out)
{
	const cn_pair *p = &w->context->contacts.pairs[two.pair];
	couple k = {w, p, two.a, two.b, p->witness};
	double near = CN_HYBRID_NEAR * p->gap_target, last = (1 - CN_CUT_MIN) * w->dt - t;
	meeting m = meet_at(&k, 0);
	out->t = t;
	for (int round = 0; round < CN_IMPACT_ROUNDS && m.tau < last; ++round) {
		if (m.s > near) {
			m = meet_next(&k, &m, w->dt - t - m.tau);
			continue;
		}
		if (-m.parts > min) {
			*out = (cn_impact){two.pair, t + m.tau, -m.parts, -v3_dot(m.at.n, v3_sub(m.b.a, m.a.a)), m.at};
			return true;
		}
		if (m.parts <= 0)
			return false; /* too slow to count */
		double skip = m.tau + 2 * near / m.parts +
		              CN_TOUCH_MOMENT * w->dt; /* the last term ends the loop where they hardly separate */
		m = meet_at(&k, skip < w->dt - t ? skip : w->dt - t);
	}
	out->t = t + m.tau;
	return false;
}
