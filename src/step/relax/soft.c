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
#include "step/relax/solve.h"

#define CN_SOFT_INNER 4     /* inner steps */
#define CN_SOFT_STEPS 0.25  /* of an inner step's rate: frequency of the springs, ... */
#define CN_SOFT_HERTZ 30.0  /* ... and the most it is, Hz */
#define CN_SOFT_DAMPING 10. /* damping ratio */
#define CN_SOFT_JOINT 2.0   /* damping ratio of joints, whose springs are twice as fast */
#define CN_SOFT_SPEED 3.0   /* x the thickness of the thinner part a second: how fast overlap is pushed out at most */

typedef struct soft {
	cn_relax *s;
	double h, slop, threshold;
	cn_relax_give_in free, standing, joint; /* between two that can be moved; with one that cannot; of joints */
} soft;

static cn_relax_give_in soften(double hertz, double damping, double h)
{
	double w = 2 * CN_PI * hertz, a = 2 * damping + h * w, b = h * w * a, c = 1 / (1 + b);
	return (cn_relax_give_in){w / a, b * c, c};
}

static void sweep(const soft *g, bool biased)
{
	cn_relax *s = g->s;
	for (uint32_t i = 0; i < s->pair_count; ++i) {
		cn_relax_pair *p = &s->pairs[i];
		cn_relax_two two = cn_relax_take(s, s->speed, p), way = cn_relax_take(s, s->way, p);
		double normal = 0;
		const cn_relax_give_in *how = p->stands ? &g->standing : &g->free;
		double slop = g->slop * p->thin, fastest = CN_SOFT_SPEED * p->thin;
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			cn_relax_point *t = &s->points[k];
			double gap = t->gap + cn_relax_along(&way, p->n, t->na, t->nb), bias = 0, mass = 1, keep = 0;
			if (gap > 0)
				bias = gap / g->h;
			else if (biased && gap < -slop)
				bias = fmax(how->rate * (gap + slop), -fastest), mass = how->mass, keep = how->impulse;
			double u = cn_relax_along(&two, p->n, t->na, t->nb);
			double j = t->impulse - t->mass * mass * (u + bias) - keep * t->impulse;
			j = cn_relax_press(&two, p, t, &t->impulse, j);
			t->most = fmax(t->most, j);
			normal += j;
		}
		cn_relax_rub(p, &two, normal);
		cn_relax_put(s->speed, p, &two);
	}
}

/* Points that hit leave with their restitution. */
static void bounce(const soft *g)
{
	cn_relax *s = g->s;
	for (uint32_t i = 0; i < s->pair_count; ++i) {
		const cn_relax_pair *p = &s->pairs[i];
		cn_relax_two two = cn_relax_take(s, s->speed, p);
		for (uint32_t k = p->first; p->eps > 0 && k < p->first + p->count; ++k) {
			cn_relax_point *t = &s->points[k];
			if (t->approach > -g->threshold || t->most == 0)
				continue;
			double j = t->impulse - t->mass * (cn_relax_along(&two, p->n, t->na, t->nb) + p->eps * t->approach);
			cn_relax_press(&two, p, t, &t->impulse, j);
		}
		cn_relax_put(s->speed, p, &two);
	}
}

bool cn_soft_solve(cairn_world *w, cn_frame *f)
{
	const cn_options *o = &w->scene->options;
	uint32_t inner = cn_option_count(o->inner, CN_SOFT_INNER);
	if (!cn_relax_begin(w, f, inner, 1.0 / inner))
		return false;
	double h = w->dt / inner, hertz = fmin(CN_SOFT_HERTZ, CN_SOFT_STEPS / h);
	soft g = {w->context->relax,
	          h,
	          cn_option_real(o->slop, CN_SLOP),
	          w->context->threshold,
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
		cn_relax_warm(g.s);
		cn_relax_joints_sweep(w, h, g.joint);
		sweep(&g, true);
		cn_relax_move(w, h);
		cn_relax_joints_sweep(w, h, (cn_relax_give_in){0, 1, 0});
		sweep(&g, false);
		cn_relax_joints_load(w, f);
	}
	bounce(&g);
	return cn_relax_finish(w, f, inner);
}
