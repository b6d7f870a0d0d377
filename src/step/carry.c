/* Contacts that turn: what rides on something that turns is carried round with it. See crowd.h.
 *
 * A frame's way is that of the mean of the velocities at its two ends, so what sticks has to have the velocity of
 * its support at both: that of the frame's end where the contact is by then. Arms are those of the frame's start.
 * While two bodies turn together, with w, their relative velocity v turns with them, to R v, and the arms with
 * which w moves the contact do so as well; hence the row sees R v - v less of it than there will be. Left out, this
 * lets a body creep outward on a turning disk, by w^2 r dt in a second. R v is longer than v by |w dt|^2/12 in
 * order that the mean of two such velocities is the chord of the arc and not shorter.
 *
 * Impulses act in the middle of the frame, when the contact has gone half its way round: then what a rider and its
 * support do to each other is no work and changes no angular momentum. */
#include "step/crowd.h"

static cn_twist twist_of(const cn_program *g, uint32_t slot)
{
	return g->index[slot] != CN_QP_NONE ? g->u[g->index[slot]] : (cn_twist){{0, 0, 0}, {0, 0, 0}};
}

/* Between the two spins the nearest to none: both, where they turn as one; neither, where one stands, or where they
 * roll against each other. share: of b's in it. */
static v3 common_spin(v3 a, v3 b, double *share)
{
	v3 more = v3_sub(b, a);
	double far = v3_length2(more), s = far > 0 ? -v3_dot(a, more) / far : 0.5;
	*share = s < 0 ? 0 : s > 1 ? 1 : s;
	return v3_madd(a, more, *share);
}

/* Where a part is after a share of the step, as the velocities at its start lead it against the other, less what the two turn
 * together. */
static cn_place place_at(const cairn_world *w, uint32_t part, v3 moved, v3 turn)
{
	const cn_crowd *c = w->crowd;
	const cn_place *now = &c->now[part];
	v3 centre = w->next[c->parts[part].slot].x;
	m3 r = m3_from_q(q_exp(turn));
	v3 arm = m3_apply(r, v3_sub(now->x, centre));
	return (cn_place){v3_add(v3_add(centre, moved), arm), m3_mul(r, now->r)};
}

/* The points of a pair then. False: there are none, or those of another side. */
static bool look_ahead(const cn_foresight *f, double share, cn_ahead *to)
{
	const cairn_world *w = f->w;
	const cn_close *p = f->pair;
	v3 moved = v3_scale(f->moves, share);
	cn_place at_a = place_at(w, p->pa, v3_zero(), v3_scale(f->turn_a, share)),
			 at_b = place_at(w, p->pb, moved, v3_scale(f->turn_b, share));
	cn_witness witness = p->witness;
	cn_separation at;
	to->known = !cn_look_at(w, p, &at_a, &at_b, &witness, &at, &to->set) && v3_dot(at.n, p->at.n) > CN_CORNER;
	to->to_a = v3_sub(at_a.x, w->next[p->a].x), to->to_b = v3_sub(v3_sub(at_b.x, moved), w->next[p->b].x);
	return to->known;
}

static bool find_ahead(const cn_ahead *to, uint64_t feature, v3 *ra, v3 *rb)
{
	for (uint32_t i = 0; to->known && i < to->set.count; ++i) {
		const cn_contact_point *q = &to->set.points[i];
		if (q->feature != feature)
			continue;
		*ra = v3_add(to->to_a, q->a), *rb = v3_add(to->to_b, q->b);
		return true;
	}
	return false;
}

/* By how much a body spins otherwise when it has turned as it does, with the momentum it has. */
static v3 spin_later(const cairn_world *w, uint32_t slot, v3 spin)
{
	const cn_rotor *r = &w->rotors[slot];
	quat q = w->next[slot].q;
	if (!r->active || r->kind == CN_ROTOR_BALL)
		return v3_zero();
	v3 l = cn_angular(r, q, spin);
	return v3_sub(cn_spin(r, q_mul(q_exp(v3_scale(spin, w->dt)), q), l), spin);
}

/* m/s: of its furthest point, by turning; what stands may reach to infinity. */
static double rim_speed(const cairn_world *w, uint32_t slot, v3 spin)
{
	double fast = v3_length(spin);
	return fast > 0 ? fast * w->bodies[slot].radius : 0;
}

void cn_foresee(const cairn_world *w, const cn_close *p, cn_foresight *f)
{
	const cn_crowd *c = w->crowd;
	f->w = w, f->pair = p;
	f->wanders = f->halfway = false;
	f->a = twist_of(&c->program, p->a), f->b = twist_of(&c->program, p->b);
	f->spin = common_spin(f->a.w, f->b.w, &f->share);
	v3 between = v3_sub(w->next[p->b].x, w->next[p->a].x);
	v3 v = v3_sub(v3_sub(f->b.v, f->a.v), v3_cross(f->spin, between));
	double turns = v3_length(f->a.w) + v3_length(f->b.w),
		   goes = v3_length(v) + rim_speed(w, p->a, f->a.w) + rim_speed(w, p->b, f->b.w);
	if (!(turns * goes > CN_FORESEE_LEAST * c->gravity) || cn_text_asked(w))
		return;
	f->moves = v3_scale(v, w->dt);
	f->turn_a = v3_scale(v3_sub(f->a.w, f->spin), w->dt), f->turn_b = v3_scale(v3_sub(f->b.w, f->spin), w->dt);
	f->wanders = look_ahead(f, 1, &f->end);
	f->n = q_rotate(q_exp(v3_scale(f->spin, w->dt)), f->end.set.n);
	f->later_a = spin_later(w, p->a, f->a.w), f->later_b = spin_later(w, p->b, f->b.w);
}

/* Whether an arm turns with its body. */
static bool rides(v3 from, v3 to, v3 turn)
{
	return v3_distance(q_rotate(q_exp(turn), from), to) <= CN_RIDES * (v3_length(from) + v3_length(to));
}

/* Where a point is in the middle of the step. One that no body carries, as that of a rim which rolls, is looked for, and is
 * known only if it goes there steadily: on what lies flat the nearest point of a rim may be anywhere. */
static bool find_middle(cn_foresight *f, const cn_touch *t, v3 end_a, v3 end_b, v3 *ra, v3 *rb)
{
	v3 mean_a = v3_scale(v3_add(t->ra, end_a), 0.5), mean_b = v3_scale(v3_add(t->rb, end_b), 0.5);
	*ra = mean_a, *rb = mean_b;
	if (rides(t->ra, end_a, f->turn_a) || rides(t->rb, end_b, f->turn_b))
		return true;
	if (!f->halfway)
		look_ahead(f, 0.5, &f->middle);
	f->halfway = true;
	return find_ahead(&f->middle, t->feature, ra, rb) &&
	       v3_distance(*ra, mean_a) <= CN_STEADY * v3_distance(t->ra, end_a) &&
	       v3_distance(*rb, mean_b) <= CN_STEADY * v3_distance(t->rb, end_b);
}

/* What there will be at the row's point beside J u because its bodies turn as one. It pushes half-way round. */
static v3 go_round(const cn_foresight *f, cn_qp_contact *row)
{
	double dt = f->w->dt, turn = v3_length2(f->spin) * dt * dt;
	v3 v = v3_sub(f->b.v, f->a.v), round = v3_cross(f->spin, v3_sub(row->ra, row->rb));
	if (!(turn > 0))
		return v3_zero();
	double fast = v3_length2(round), rides = fast > 0 ? v3_dot(v, round) / fast : 0; /* of going round, what they do */
	v3 half = v3_scale(round, 0.5 * dt * (rides < 0 ? 0 : rides > 1 ? 1 : rides));
	v3 later = v3_scale(q_rotate(q_exp(v3_scale(f->spin, dt)), v), 1 + turn / 12);
	row->ra = v3_madd(row->ra, half, 1 - f->share);
	row->rb = v3_madd(row->rb, half, -f->share);
	return v3_madd(v3_sub(v, later), v3_cross(f->spin, half), 1);
}

/* The same because its point goes elsewhere on its bodies, and these spin otherwise when they have turned. It pushes where
 * the point is half-way, and along the normal there. */
static v3 go_astray(cn_foresight *f, const cn_touch *t, cn_qp_contact *row)
{
	v3 end_a, end_b, ra, rb;
	if (!f->wanders || !find_ahead(&f->end, t->feature, &end_a, &end_b) || !find_middle(f, t, end_a, end_b, &ra, &rb))
		return v3_zero();
	v3 more_a = v3_add(v3_cross(f->a.w, v3_sub(end_a, ra)), v3_cross(f->later_a, end_a)),
	   more_b = v3_add(v3_cross(f->b.w, v3_sub(end_b, rb)), v3_cross(f->later_b, end_b));
	row->ra = v3_add(row->ra, v3_sub(ra, t->ra)), row->rb = v3_add(row->rb, v3_sub(rb, t->rb));
	row->n = v3_unit(v3_add(row->n, f->n));
	return v3_sub(more_b, more_a);
}

void cn_carry(cn_foresight *f, const cn_touch *t, cn_qp_contact *row)
{
	v3 n = row->n, more = go_round(f, row);
	more = v3_add(more, go_astray(f, t, row));
	double along = v3_dot(row->n, more);
	row->slip = v3_madd(more, row->n, -along);
	row->least -= along;
	if (!f->wanders)
		return;
	/* The law is that of the normal at the end, and what slides across the row's has a part along it. */
	v3 a = v3_add(f->a.v, v3_cross(f->a.w, row->ra)), b = v3_add(f->b.v, v3_cross(f->b.w, row->rb));
	row->least -= v3_dot(v3_sub(row->n, n), v3_add(v3_sub(b, a), more)); /* as much as from the first to the middle */
}
