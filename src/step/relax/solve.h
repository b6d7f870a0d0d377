/* What is done at a row, for the loops of the methods. */
#ifndef CN_STEP_RELAX_SOLVE_H
#define CN_STEP_RELAX_SOLVE_H

#include "step/relax/relax.h"

/* The two bodies of a pair, at hand: of each its speed, or its way. */
typedef struct cn_relax_two {
	cn_relax_twist a, b;
	double inv_a, inv_b; /* 1/kg */
} cn_relax_two;

static inline cn_relax_two cn_relax_take(const cn_relax *s, const cn_relax_twist *of, const cn_relax_pair *p)
{
	return (cn_relax_two){of[p->a], of[p->b], s->bodies[p->a].inv_mass, s->bodies[p->b].inv_mass};
}

static inline void cn_relax_put(cn_relax_twist *of, const cn_relax_pair *p, const cn_relax_two *t)
{
	of[p->a] = t->a, of[p->b] = t->b;
}

/* Of b's point seen from a's, along d with arms x d given. */
static inline double cn_relax_along(const cn_relax_two *t, v3 d, v3 da, v3 db)
{
	return v3_dot(d, v3_sub(t->b.v, t->a.v)) + v3_dot(db, t->b.w) - v3_dot(da, t->a.w);
}

/* An impulse along d, with the inverse inertia applied to arms x d given. */
static inline void cn_relax_give(cn_relax_two *t, v3 d, v3 ia, v3 ib, double j)
{
	t->a.v = v3_madd(t->a.v, d, -j * t->inv_a);
	t->a.w = v3_madd(t->a.w, ia, -j);
	t->b.v = v3_madd(t->b.v, d, j * t->inv_b);
	t->b.w = v3_madd(t->b.w, ib, j);
}

/* Brings the impulse of a point along the normal to j, or to none where that would pull. Returns it. */
static inline double cn_relax_press(cn_relax_two *two, const cn_relax_pair *p, const cn_relax_point *t, double *impulse,
                                    double j)
{
	j = j > 0 ? j : 0;
	cn_relax_give(two, p->n, t->ia, t->ib, j - *impulse);
	*impulse = j;
	return j;
}

/* The same as cn_relax_give about the normal of a pair. */
static inline void cn_relax_twist_by(cn_relax_two *t, const cn_relax_pair *p, double j)
{
	t->a.w = v3_madd(t->a.w, p->iwa, -j);
	t->b.w = v3_madd(t->b.w, p->iwb, j);
}

/* Friction at the middle of a pair's points: ends sliding there and turning about the normal, no stronger than the sum of
 * the normal impulses allows. */
static inline void cn_relax_rub(cn_relax_pair *p, cn_relax_two *t, double normal)
{
	double old[2] = {p->slip[0], p->slip[1]}, wanted[2];
	for (int i = 0; i < 2; ++i)
		wanted[i] = old[i] - p->mass_t[i] * cn_relax_along(t, p->t[i], p->ta[i], p->tb[i]);
	double length = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
	double most = (p->sliding ? p->mu_kinetic : p->mu_static) * normal;
	p->sliding = length > most;
	if (p->sliding) {
		double f = p->mu_kinetic * normal / length;
		wanted[0] *= f, wanted[1] *= f;
	}
	for (int i = 0; i < 2; ++i) {
		cn_relax_give(t, p->t[i], p->ita[i], p->itb[i], wanted[i] - old[i]);
		p->slip[i] = wanted[i];
	}
	double twist = p->mu_kinetic * normal * p->arm, spin = p->spin - p->mass_w * v3_dot(p->n, v3_sub(t->b.w, t->a.w));
	spin = spin > twist ? twist : spin < -twist ? -twist : spin;
	cn_relax_twist_by(t, p, spin - p->spin);
	p->spin = spin;
}

#endif
