/* Extended position-based dynamics, in substeps. Contacts are found once; then the step is taken in so many inner steps of h.
 * In each, bodies first go where their velocities lead them; then every contact that overlaps is moved apart, one after the
 * other, once; then velocities are what bodies have moved, by h; and a last sweep over velocities brings sliding friction and
 * restitution.
 *
 *   apart      dl = (-s - c' l)/(k + c'),   s gap below 0, k = 1/mass, c' = compliance/h^2, l the multiplier so far
 *   holding    what the middle of the points moved across the normal in the inner step is undone, if that takes no more than
 *              mu_s times the multipliers, else as much of it as mu_k times them can
 *   velocities along the normal: -e u0 where the two hit each other, else none that the correction of positions brought, by
 *              the impulse j; sliding: ended, but by no more than mu_k (l/h + j)
 *
 * Rows are those of the step's start; displacements are small within one. */
#include "step/relax/sweeps.h"

#define CN_XPBD_INNER 8 /* inner steps */

/* Positions as forces lead them; what points near each other with is remembered for the bounce. */
static void go(const cairn_world *w, uint32_t slot, double h)
{
	cn_relax *s = w->context->relax;
	cn_relax_twist *u = &s->speed[slot], *way = &s->way[slot];
	s->other[slot] = *way;
	u->v = v3_add(u->v, s->bodies[slot].dv), u->w = v3_add(u->w, s->bodies[slot].dw);
	way->v = v3_madd(way->v, u->v, h), way->w = v3_madd(way->w, u->w, h);
}

/* Multipliers of joints begin at nothing in each inner step. */
static void forget(cn_relax *s)
{
	for (uint32_t i = 0; i < s->row_count; ++i)
		s->rows[i].impulse = 0;
}

/* Velocities are what bodies have moved in the inner step. */
static void derive(const cairn_world *w, uint32_t slot, double h)
{
	cn_relax *s = w->context->relax;
	cn_relax_body *b = &s->bodies[slot];
	if (!b->held || !(b->inv_mass > 0))
		return;
	v3 turn = v3_sub(s->way[slot].w, s->other[slot].w);
	s->speed[slot].v = v3_scale(v3_sub(s->way[slot].v, s->other[slot].v), 1 / h);
	quat q = q_unit(q_mul(q_exp(turn), b->q));
	s->speed[slot].w = v3_scale(turn, 1 / h);
	if (w->rotors[slot].kind != CN_ROTOR_BALL) /* the momentum stays while the body turns */
		s->speed[slot].w = cn_spin(&w->rotors[slot], q, cn_angular(&w->rotors[slot], b->q, s->speed[slot].w));
	b->q = q;
}

bool cn_xpbd_solve(cairn_world *w, cn_frame *f)
{
	const cn_options *o = &w->scene->options;
	uint32_t inner = cn_option_count(o->inner, CN_XPBD_INNER);
	if (!cn_relax_begin(w, f, inner, 0))
		return false;
	cn_xpbd g = {w->context->relax, w->dt / inner, cn_option_real(o->compliance, 0), w->context->threshold};
	for (uint32_t i = 0; i < inner; ++i) {
		cn_relax_joints_make(w, g.h);
		forget(g.s);
		cn_relax_run(w, g.s->sweeps->xpbd.begin, &g);
		cn_relax_each(w, go, g.h);
		cn_relax_joints_place(w, g.h);
		cn_relax_run(w, g.s->sweeps->xpbd.positions, &g);
		cn_relax_joints_load(w, f);
		cn_relax_each(w, derive, g.h);
		cn_relax_run(w, g.s->sweeps->xpbd.velocities, &g);
	}
	return cn_relax_finish(w, f, inner);
}
