/* Sequential impulses: projected Gauss-Seidel over the velocities at the step's end.
 *
 *   for each point   j = max(0, j - m (u - goal)),   u speed along the normal, m effective mass, j its impulse so far
 *   goal             e |u0| where the two hit each other, -gap/dt where they are still apart
 *   friction         at the middle of a pair's points, no stronger than mu times their sum
 *
 * Overlap is corrected beside the slop that is left: by Baumgarte's term in the goal, share (depth - slop)/dt, which turns
 * depth into speed; or split from it, by a second set of speeds with impulses of their own that move bodies and are then
 * forgotten. */
#include "step/relax/sweeps.h"

#define CN_PGS_WARM 1.0 /* share of the last impulses that rows begin with: with less a stack at rest rocks for ever */
#define CN_PGS_CORRECTION 0.2 /* share of the overlap that a step takes away */

/* Forces act. */
static void start(const cairn_world *w, uint32_t slot, double dt)
{
	(void)dt;
	cn_relax *s = w->context->relax;
	cn_relax_twist *u = &s->speed[slot];
	const cn_relax_body *b = &s->bodies[slot];
	u->v = v3_add(u->v, b->dv), u->w = v3_add(u->w, b->dw);
	s->other[slot] = (cn_relax_twist){.beside_v = 0};
}

static void move_split(const cairn_world *w, uint32_t slot, double dt)
{
	cn_relax *s = w->context->relax;
	cn_relax_body *b = &s->bodies[slot];
	if (!b->held || !(b->inv_mass > 0))
		return;
	v3 turn = v3_scale(s->other[slot].w, dt);
	s->way[slot].v = v3_madd(s->way[slot].v, s->other[slot].v, dt);
	s->way[slot].w = v3_add(s->way[slot].w, turn);
	quat q = q_unit(q_mul(q_exp(turn), b->q));
	if (w->rotors[slot].kind != CN_ROTOR_BALL) /* the momentum stays */
		s->speed[slot].w = cn_spin(&w->rotors[slot], q, cn_angular(&w->rotors[slot], b->q, s->speed[slot].w));
	b->q = q;
}

bool cn_pgs_solve(cairn_world *w, cn_frame *f)
{
	const cn_options *o = &w->scene->options;
	uint32_t rounds = cn_option_count(o->iterations, CN_ITERATIONS);
	if (!cn_relax_begin(w, f, 1, CN_PGS_WARM))
		return false;
	cn_pgs g = {w->context->relax, w->dt, CN_PGS_CORRECTION, cn_option_real(o->slop, CN_SLOP), w->context->threshold,
	            o->correction == 0};
	const cn_relax_sweeps *sweeps = g.s->sweeps;
	cn_relax_run(w, sweeps->pgs.goals, &g);
	cn_relax_each(w, start, w->dt);
	cn_relax_run(w, sweeps->warm, g.s);
	cn_relax_joints_make(w, w->dt);
	for (uint32_t i = 0; i < rounds; ++i) {
		cn_relax_joints_sweep(w, w->dt, (cn_relax_give_in){CN_PGS_CORRECTION / w->dt, 1, 0});
		cn_relax_run(w, sweeps->pgs.sweep, &g);
	}
	cn_relax_joints_load(w, f);
	for (uint32_t i = 0; i < rounds && g.split; ++i)
		cn_relax_run(w, sweeps->pgs.split, &g);
	cn_relax_each(w, cn_relax_move_body, w->dt);
	if (g.split)
		cn_relax_each(w, move_split, w->dt);
	return cn_relax_finish(w, f, 1);
}
