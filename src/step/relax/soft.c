/* Soft contacts in small steps. Contacts are found once; then the step is taken in so many inner steps of h, each with one
 * sweep over soft rows, the motion, and one sweep over rigid rows, which relaxes: what the cn_relax_give_in put into velocities to
 * push bodies apart is taken out again.
 *
 * A soft row is a spring and a damper, solved implicitly. With the frequency w and the damping ratio z,
 *
 *   a = 2 z + h w,  b = h w a,  c = 1/(1 + b),    j = -m b c (u + s w/a) - c j0
 *
 * where s is the gap now (below 0), u the speed along the normal and j0 the impulse so far. The spring is as stiff as inner
 * steps can follow, up to a limit, and much overdamped, so overlap goes away evenly and brings little speed; and no faster
 * than a limit. Bounces come last, from what the points neared each other with before the step. */
#include "step/relax/sweeps.h"

#define CN_SOFT_INNER 8     /* inner steps: with four a house of cards sways until it falls */
#define CN_SOFT_STEPS 0.25  /* of an inner step's rate: frequency of the springs, ... */
#define CN_SOFT_HERTZ 30.0  /* ... and the most it is, Hz */
#define CN_SOFT_DAMPING 10. /* damping ratio */
#define CN_SOFT_JOINT 2.0   /* damping ratio of joints, whose springs are twice as fast */
#define CN_SOFT_SPEED 3.0   /* x the thickness of the thinner part a second: how fast overlap is pushed out at most */

static cn_relax_give_in soften(double hertz, double damping, double h)
{
	double w = 2 * CN_PI * hertz, a = 2 * damping + h * w, b = h * w * a, c = 1 / (1 + b);
	return (cn_relax_give_in){w / a, b * c, c};
}

bool cn_soft_solve(cairn_world *w, cn_frame *f)
{
	const cn_options *o = &w->scene->options;
	uint32_t inner = cn_option_count(o->inner, CN_SOFT_INNER);
	if (!cn_relax_begin(w, f, inner, 1.0 / inner))
		return false;
	double h = w->dt / inner, hertz = fmin(CN_SOFT_HERTZ, CN_SOFT_STEPS / h);
	cn_soft g = {w->context->relax,
	             h,
	             cn_option_real(o->slop, CN_SLOP),
	             w->context->threshold,
	             CN_SOFT_SPEED,
	             soften(hertz, CN_SOFT_DAMPING, h),
	             soften(2 * hertz, CN_SOFT_DAMPING, h),
	             soften(2 * hertz, CN_SOFT_JOINT, h)};
	for (uint32_t i = 0; i < inner; ++i) {
		for (uint32_t slot = 0; slot < w->slots; ++slot) {
			cn_relax_twist *u = &g.s->speed[slot];
			u->v = v3_add(u->v, g.s->bodies[slot].dv), u->w = v3_add(u->w, g.s->bodies[slot].dw);
		}
		cn_relax_joints_make(w, h);
		cn_relax_joints_warm(w);
		cn_relax_run(w, g.s->sweeps->warm, g.s);
		cn_relax_joints_sweep(w, h, g.joint);
		cn_relax_run(w, g.s->sweeps->soft.push, &g);
		cn_relax_move(w, h);
		cn_relax_joints_sweep(w, h, (cn_relax_give_in){0, 1, 0});
		cn_relax_run(w, g.s->sweeps->soft.relax, &g);
		cn_relax_joints_load(w, f);
	}
	cn_relax_run(w, g.s->sweeps->soft.bounce, &g);
	return cn_relax_finish(w, f, inner);
}
