/* The sweeps of xpbd (xpbd.c). */
#include "step/relax/solve.h"
#include "step/relax/sweeps.h"

static void xpbd_begin(const void *method, cn_relax_span of)
{
	const cn_xpbd *g = method;
	cn_relax *s = g->s;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		const cn_relax_pack *p = &s->packs[i];
		cn_relax_two two = cn_relax_take(s->speed, p);
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			s->points[k].goal = cn_relax_along(&two, p->n, s->points[k].na, s->points[k].nb);
			s->points[k].impulse = d4_all(0);
		}
	}
}

CN_FOUR_INLINE d4 xpbd_pushed(const cn_xpbd *g, const cn_relax_pack *p)
{
	d4 l = d4_all(0);
	for (uint32_t k = p->first; k < p->first + p->count; ++k)
		l += g->s->points[k].push;
	return l;
}

CN_FOUR_INLINE void xpbd_apart(const cn_xpbd *g, cn_relax_pack *p, cn_relax_two *two)
{
	d4 soft = d4_all(g->compliance / (g->h * g->h)), none = d4_all(0);
	for (uint32_t k = p->first; k < p->first + p->count; ++k) {
		cn_relax_point *t = &g->s->points[k];
		d4 gap = t->gap + cn_relax_along(two, p->n, t->na, t->nb);
		t->push = none;
		d4 l = d4_pick(t->mass > none, -gap / (d4_all(1) / t->mass + soft), none);
		cn_relax_press(two, p, t, &t->push, l);
	}
}

/* Friction: the middle of the points is brought back to where the inner step began, as far as friction can. Left to velocities
 * alone, what slides would go too far by mu g h^2 in each inner step: 8 % too far down a slope. */
CN_FOUR_INLINE void xpbd_hold(const cn_xpbd *g, cn_relax_pack *p, cn_relax_two *two)
{
	d4 l = xpbd_pushed(g, p), none = d4_all(0), back[2];
	cn_relax_two began = cn_relax_take(g->s->other, p);
	cn_relax_two since = {v3x4_sub(two->av, began.av), v3x4_sub(two->aw, began.aw), v3x4_sub(two->bv, began.bv),
	                      v3x4_sub(two->bw, began.bw)};
	for (int i = 0; i < 2; ++i)
		back[i] = -p->mass_t[i] * cn_relax_along(&since, p->t[i], p->ta[i], p->tb[i]);
	d4 spin = -p->mass_w * v3x4_dot(p->n, v3x4_sub(since.bw, since.aw)), most = p->mu_static * l;
	d4 length = d4_sqrt(back[0] * back[0] + back[1] * back[1]);
	p->sliding = length > most;
	d4 share = d4_pick(p->sliding, p->mu_kinetic * l / length, d4_all(1));
	for (int i = 0; i < 2; ++i) {
		back[i] = back[i] * share;
		cn_relax_give(two, p, p->t[i], p->ita[i], p->itb[i], back[i]);
		p->slip[i] = back[i] / d4_all(g->h);
	}
	i4 turns = (spin <= most * p->arm) & (-spin <= most * p->arm);
	cn_relax_twist_by(two, p, d4_pick(turns, spin, none));
}

static void xpbd_positions(const void *method, cn_relax_span of)
{
	const cn_xpbd *g = method;
	cn_relax *s = g->s;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		cn_relax_pack *p = &s->packs[i];
		cn_relax_two two = cn_relax_take(s->way, p);
		xpbd_apart(g, p, &two);
		xpbd_hold(g, p, &two);
		cn_relax_put(s->way, p, &two);
	}
}

/* Sliding is ended, by no more friction in all, that of the correction of positions included, than what presses allows. normal:
 * N s, by the correction of positions and by that of velocities. True: friction is still far from what it should be. */
CN_FOUR_INLINE bool xpbd_slide(cn_relax_pack *p, cn_relax_two *two, d4 normal)
{
	d4 wanted[2];
	for (int i = 0; i < 2; ++i)
		wanted[i] = p->slip[i] - p->mass_t[i] * cn_relax_along(two, p->t[i], p->ta[i], p->tb[i]);
	d4 length = d4_sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
	d4 most = d4_pick(p->sliding, p->mu_kinetic, p->mu_static) * d4_max(normal, d4_all(0));
	d4 share = d4_pick(length > most, most / length, d4_all(1));
	d4 changes = d4_all(0);
	for (int i = 0; i < 2; ++i) {
		d4 more = share * wanted[i] - p->slip[i];
		cn_relax_give(two, p, p->t[i], p->ita[i], p->itb[i], more);
		p->slip[i] += more, changes += more * more;
	}
	return cn_relax_any(changes > d4_all(1e-4) * most * most);
}

/* Points that were pushed apart get the speed that they should have. Returns what presses for that. */
CN_FOUR_INLINE d4 xpbd_stop(const cn_xpbd *g, const cn_relax_pack *p, cn_relax_two *two)
{
	d4 none = d4_all(0), normal = none;
	for (uint32_t k = p->first; k < p->first + p->count; ++k) {
		const cn_relax_point *t = &g->s->points[k];
		d4 goal = d4_pick(t->goal < d4_all(-g->threshold), -p->eps * t->goal, none);
		d4 j = d4_pick(t->push > none, t->mass * (goal - cn_relax_along(two, p->n, t->na, t->nb)), none);
		cn_relax_give(two, p, p->n, t->ia, t->ib, j);
		normal += j;
	}
	return normal;
}

static void xpbd_velocities(const void *method, cn_relax_span of)
{
	const cn_xpbd *g = method;
	cn_relax *s = g->s;
	d4 none = d4_all(0);
	for (uint32_t i = of.begin; i < of.end; ++i) {
		cn_relax_pack *p = &s->packs[i];
		cn_relax_two two = cn_relax_take(s->speed, p);
		d4 normal = none;
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			cn_relax_point *t = &s->points[k];
			t->impulse = d4_pick(t->push > none, t->push / d4_all(g->h), t->impulse);
			t->most = d4_max(t->most, t->impulse);
			normal += t->impulse;
		}
		bool again = true;
		for (int k = 0; k < CN_RELAX_ROUNDS && again; ++k) {
			normal += xpbd_stop(g, p, &two);
			again = xpbd_slide(p, &two, normal);
		}
		cn_relax_put(s->speed, p, &two);
	}
}
