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
#include "step/context.h"

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

void cn_carried_row(const cairn_world *w, const cn_pair *p, cn_qp_contact *row)
{
	cn_twist a = twist_of(&w->context->program, p->a), b = twist_of(&w->context->program, p->b);
	double share, dt = w->dt;
	v3 spin = common_spin(a.w, b.w, &share), v = v3_sub(b.v, a.v), round = v3_cross(spin, v3_sub(row->ra, row->rb));
	double turn = v3_length2(spin) * dt * dt, fast = v3_length2(round);
	if (!(turn > 0))
		return;
	double rides = fast > 0 ? v3_dot(v, round) / fast : 0; /* of going round, what they do */
	v3 half = v3_scale(round, 0.5 * dt * (rides < 0 ? 0 : rides > 1 ? 1 : rides));
	v3 later = v3_scale(q_rotate(q_exp(v3_scale(spin, dt)), v), 1 + turn / 12);
	v3 less = v3_madd(v3_sub(v, later), v3_cross(spin, half), 1);
	row->ra = v3_madd(row->ra, half, 1 - share);
	row->rb = v3_madd(row->rb, half, -share);
	double along = v3_dot(row->n, less);
	row->least -= along;
	row->slip = v3_madd(less, row->n, -along);
}
