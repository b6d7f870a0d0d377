/* Extended position-based dynamics, in substeps. Contacts are found once; then the step is taken in so many inner steps of h.
 * In each, bodies first go where their velocities lead them; then every contact that overlaps is moved apart, one after the
 * other, once; then velocities are what bodies have moved, by h; and a last sweep over velocities brings sliding friction and
 * restitution.
 *
 *   apart      dl = (-s - c' l)/(k + c'),   s gap below 0, k = 1/mass, c' = compliance/h^2, l the multiplier so far
 *   holding    what the middle of the points moved across the normal in the inner step is undone, if that takes no more than
 *              mu_s times the multipliers
 *   velocities sliding: ended, but by no more than mu_k l/h; along the normal: -e u0 where the two hit each other, else none
 *              that the correction of positions brought
 *
 * Rows are those of the step's start; displacements are small within one. */
#include "step/relax/solve.h"

#define CN_XPBD_INNER 8 /* inner steps */

typedef struct xpbd {
	cn_relax *s;
	double h, compliance, threshold;
} xpbd;

static void apart(const xpbd *g, cn_relax_pair *p, cn_relax_two *two)
{
	cn_relax *s = g->s;
	for (uint32_t k = p->first; k < p->first + p->count; ++k) {
		cn_relax_point *t = &s->points[k];
		double gap = t->gap + cn_relax_along(two, p->n, t->na, t->nb), soft = g->compliance / (g->h * g->h);
		double l = t->push;
		if (t->mass > 0)
			l += (-gap - soft * t->push) / (1 / t->mass + soft);
		l = l > 0 ? l : 0;
		cn_relax_give(two, p->n, t->ia, t->ib, l - t->push);
		t->push = l;
	}
}

/* Static friction: the middle of the points is brought back to where the inner step began, or not at all. */
static void hold(const xpbd *g, cn_relax_pair *p, cn_relax_two *two)
{
	cn_relax *s = g->s;
	double l = 0, back[2];
	for (uint32_t k = p->first; k < p->first + p->count; ++k)
		l += s->points[k].push;
	cn_relax_two since = *two; /* the inner step began */
	since.a.v = v3_sub(since.a.v, s->other[p->a].v), since.a.w = v3_sub(since.a.w, s->other[p->a].w);
	since.b.v = v3_sub(since.b.v, s->other[p->b].v), since.b.w = v3_sub(since.b.w, s->other[p->b].w);
	for (int i = 0; i < 2; ++i)
		back[i] = -p->mass_t[i] * cn_relax_along(&since, p->t[i], p->ta[i], p->tb[i]);
	double spin = -p->mass_w * v3_dot(p->n, v3_sub(since.b.w, since.a.w)), most = p->mu_static * l;
	p->sliding = back[0] * back[0] + back[1] * back[1] > most * most;
	for (int i = 0; i < 2 && !p->sliding; ++i)
		cn_relax_give(two, p->t[i], p->ita[i], p->itb[i], back[i]);
	if (fabs(spin) <= most * p->arm)
		cn_relax_twist_by(two, p, spin);
	for (int i = 0; i < 2; ++i)
		p->slip[i] = p->sliding ? 0 : back[i] / g->h;
}

static void sweep_positions(const xpbd *g)
{
	cn_relax *s = g->s;
	for (uint32_t i = 0; i < s->pair_count; ++i) {
		cn_relax_pair *p = &s->pairs[i];
		cn_relax_two two = cn_relax_take(s, s->way, p);
		for (uint32_t k = p->first; k < p->first + p->count; ++k)
			s->points[k].push = 0;
		apart(g, p, &two);
		hold(g, p, &two);
		cn_relax_put(s->way, p, &two);
	}
}

static void slide(const xpbd *g, cn_relax_pair *p, cn_relax_two *two)
{
	double l = 0, stop[2];
	for (uint32_t k = p->first; k < p->first + p->count; ++k)
		l += g->s->points[k].push;
	for (int i = 0; i < 2; ++i)
		stop[i] = -p->mass_t[i] * cn_relax_along(two, p->t[i], p->ta[i], p->tb[i]);
	double length = sqrt(stop[0] * stop[0] + stop[1] * stop[1]), most = p->mu_kinetic * l / g->h;
	double f = length > most ? most / length : 1;
	for (int i = 0; i < 2; ++i) {
		cn_relax_give(two, p->t[i], p->ita[i], p->itb[i], f * stop[i]);
		p->slip[i] = f * stop[i];
	}
}

static void sweep_velocities(const xpbd *g)
{
	cn_relax *s = g->s;
	for (uint32_t i = 0; i < s->pair_count; ++i) {
		cn_relax_pair *p = &s->pairs[i];
		cn_relax_two two = cn_relax_take(s, s->speed, p);
		if (p->sliding)
			slide(g, p, &two);
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			cn_relax_point *t = &s->points[k];
			if (!(t->push > 0))
				continue;
			double u = cn_relax_along(&two, p->n, t->na, t->nb);
			double goal = t->goal < -g->threshold ? -p->eps * t->goal : 0;
			cn_relax_give(&two, p->n, t->ia, t->ib, t->mass * (goal - u));
			t->impulse = t->push / g->h;
			t->most = fmax(t->most, t->impulse);
		}
		cn_relax_put(s->speed, p, &two);
	}
}

/* Positions as forces lead them; what points near each other with is remembered for the bounce. */
static void go(cairn_world *w, const xpbd *g)
{
	cn_relax *s = g->s;
	for (uint32_t i = 0; i < s->pair_count; ++i) {
		const cn_relax_pair *p = &s->pairs[i];
		cn_relax_two two = cn_relax_take(s, s->speed, p);
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			cn_relax_point *t = &s->points[k];
			t->goal = cn_relax_along(&two, p->n, t->na, t->nb);
			t->impulse = 0;
		}
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_relax_twist *u = &s->speed[slot], *way = &s->way[slot];
		s->other[slot] = *way;
		u->v = v3_add(u->v, s->bodies[slot].dv), u->w = v3_add(u->w, s->bodies[slot].dw);
		way->v = v3_madd(way->v, u->v, g->h), way->w = v3_madd(way->w, u->w, g->h);
	}
}

/* Multipliers of joints begin at nothing in each inner step. */
static void forget(cn_relax *s)
{
	for (uint32_t i = 0; i < s->row_count; ++i)
		s->rows[i].impulse = 0;
}

/* Velocities are what bodies have moved in the inner step. */
static void derive(cairn_world *w, const xpbd *g)
{
	cn_relax *s = g->s;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_relax_body *b = &s->bodies[slot];
		if (!b->held || !(b->inv_mass > 0))
			continue;
		v3 turn = v3_sub(s->way[slot].w, s->other[slot].w);
		s->speed[slot].v = v3_scale(v3_sub(s->way[slot].v, s->other[slot].v), 1 / g->h);
		quat q = q_unit(q_mul(q_exp(turn), b->q));
		s->speed[slot].w = v3_scale(turn, 1 / g->h);
		if (w->rotors[slot].kind != CN_ROTOR_BALL) /* the momentum stays while the body turns */
			s->speed[slot].w = cn_spin(&w->rotors[slot], q, cn_angular(&w->rotors[slot], b->q, s->speed[slot].w));
		b->q = q;
	}
}

bool cn_xpbd_solve(cairn_world *w, cn_frame *f)
{
	const cn_options *o = &w->scene->options;
	uint32_t inner = cn_option_count(o->inner, CN_XPBD_INNER);
	if (!cn_relax_begin(w, f, inner, 0))
		return false;
	xpbd g = {w->context->relax, w->dt / inner, cn_option_real(o->compliance, 0), w->context->threshold};
	for (uint32_t i = 0; i < inner; ++i) {
		cn_relax_joints_make(w, g.h);
		forget(g.s);
		go(w, &g);
		cn_relax_joints_place(w, g.h);
		sweep_positions(&g);
		cn_relax_joints_load(w, f);
		derive(w, &g);
		sweep_velocities(&g);
	}
	return cn_relax_finish(w, f, inner);
}
