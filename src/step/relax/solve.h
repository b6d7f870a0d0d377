/* What is done at the rows of a pack, for the sweeps of the methods. */
#ifndef CN_STEP_RELAX_SOLVE_H
#define CN_STEP_RELAX_SOLVE_H

#include "step/relax/relax.h"

/* Rounds over the points and the friction of one pair, before the next one: friction turns bodies, which points must stop
 * before it can do more. With one round a cube that falls on a slope keeps half of the speed that friction should take, and
 * what presses while it lands is soon gone. */
#define CN_RELAX_ROUNDS 8

/* The two bodies of each pair, at hand: their speeds, or their ways. */
typedef struct cn_relax_two {
	v3x4 av, aw, bv, bw;
} cn_relax_two;

CN_FOUR_INLINE cn_relax_two cn_relax_take(const cn_relax_twist *of, const cn_relax_pack *p)
{
	const cn_relax_twist *a[4] = {&of[p->a[0]], &of[p->a[1]], &of[p->a[2]], &of[p->a[3]]};
	const cn_relax_twist *b[4] = {&of[p->b[0]], &of[p->b[1]], &of[p->b[2]], &of[p->b[3]]};
	return (cn_relax_two){v3x4_load(&a[0]->v.x, &a[1]->v.x, &a[2]->v.x, &a[3]->v.x),
	                      v3x4_load(&a[0]->w.x, &a[1]->w.x, &a[2]->w.x, &a[3]->w.x),
	                      v3x4_load(&b[0]->v.x, &b[1]->v.x, &b[2]->v.x, &b[3]->v.x),
	                      v3x4_load(&b[0]->w.x, &b[1]->w.x, &b[2]->w.x, &b[3]->w.x)};
}

/* Bodies that cannot be moved may stand in several packs, which other threads read: they keep what they have. */
CN_FOUR_INLINE void cn_relax_put(cn_relax_twist *of, const cn_relax_pack *p, const cn_relax_two *t)
{
	cn_relax_twist none, *a[CN_RELAX_FOUR], *b[CN_RELAX_FOUR];
	for (int i = 0; i < CN_RELAX_FOUR; ++i) {
		a[i] = p->inv_a[i] > 0 ? &of[p->a[i]] : &none;
		b[i] = p->inv_b[i] > 0 ? &of[p->b[i]] : &none;
	}
	v3x4_store(t->av, &a[0]->v.x, &a[1]->v.x, &a[2]->v.x, &a[3]->v.x);
	v3x4_store(t->aw, &a[0]->w.x, &a[1]->w.x, &a[2]->w.x, &a[3]->w.x);
	v3x4_store(t->bv, &b[0]->v.x, &b[1]->v.x, &b[2]->v.x, &b[3]->v.x);
	v3x4_store(t->bw, &b[0]->w.x, &b[1]->w.x, &b[2]->w.x, &b[3]->w.x);
}

/* Of b's point seen from a's, along d with arms x d given. */
CN_FOUR_INLINE d4 cn_relax_along(const cn_relax_two *t, v3x4 d, v3x4 da, v3x4 db)
{
	return v3x4_dot(d, v3x4_sub(t->bv, t->av)) + v3x4_dot(db, t->bw) - v3x4_dot(da, t->aw);
}

/* An impulse along d, with the inverse inertia applied to arms x d given. */
CN_FOUR_INLINE void cn_relax_give(cn_relax_two *t, const cn_relax_pack *p, v3x4 d, v3x4 ia, v3x4 ib, d4 j)
{
	t->av = v3x4_madd(t->av, d, -j * p->inv_a);
	t->aw = v3x4_madd(t->aw, ia, -j);
	t->bv = v3x4_madd(t->bv, d, j * p->inv_b);
	t->bw = v3x4_madd(t->bw, ib, j);
}

/* Brings the impulse of a point along the normal to j, or to none where that would pull. Returns it. */
CN_FOUR_INLINE d4 cn_relax_press(cn_relax_two *two, const cn_relax_pack *p, const cn_relax_point *t, d4 *impulse, d4 j)
{
	j = d4_max(j, d4_all(0));
	cn_relax_give(two, p, p->n, t->ia, t->ib, j - *impulse);
	*impulse = j;
	return j;
}

CN_FOUR_INLINE bool cn_relax_any(i4 mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }

/* The two bodies of each pair in the axes of the pair, normal first: how fast b moves as seen from a, what impulses were
 * given along these axes since, and spins. All rows of a pair lie along its axes, so a row asks for one number and
 * changes one. */
typedef struct cn_relax_facing {
	d4 u[3], given[3], ease; /* m/s; N s; 1/kg of both together */
	v3x4 aw, bw;
} cn_relax_facing;

CN_FOUR_INLINE cn_relax_facing cn_relax_face(const cn_relax_two *t, const cn_relax_pack *p)
{
	v3x4 u = v3x4_sub(t->bv, t->av);
	d4 none = d4_all(0);
	return (cn_relax_facing){{v3x4_dot(p->n, u), v3x4_dot(p->t[0], u), v3x4_dot(p->t[1], u)},
	                         {none, none, none},
	                         p->inv_a + p->inv_b,
	                         t->aw,
	                         t->bw};
}

CN_FOUR_INLINE void cn_relax_turn_back(cn_relax_two *t, const cn_relax_pack *p, const cn_relax_facing *f)
{
	const v3x4 *axes[3] = {&p->n, &p->t[0], &p->t[1]};
	for (int i = 0; i < 3; ++i) {
		t->av = v3x4_madd(t->av, *axes[i], -f->given[i] * p->inv_a);
		t->bv = v3x4_madd(t->bv, *axes[i], f->given[i] * p->inv_b);
	}
	t->aw = f->aw, t->bw = f->bw;
}

/* The same as cn_relax_along and cn_relax_give, for the axis of this number. */
CN_FOUR_INLINE d4 cn_relax_seen(const cn_relax_facing *f, int axis, const v3x4 *da, const v3x4 *db)
{
	return f->u[axis] + (v3x4_dot(*db, f->bw) - v3x4_dot(*da, f->aw));
}

CN_FOUR_INLINE void cn_relax_push(cn_relax_facing *f, int axis, const v3x4 *ia, const v3x4 *ib, d4 j)
{
	f->u[axis] += j * f->ease;
	f->given[axis] += j;
	f->aw = v3x4_madd(f->aw, *ia, -j);
	f->bw = v3x4_madd(f->bw, *ib, j);
}

/* The same as cn_relax_give about the normal of a pair. */
CN_FOUR_INLINE void cn_relax_twist_by(cn_relax_two *t, const cn_relax_pack *p, d4 j)
{
	t->aw = v3x4_madd(t->aw, p->iwa, -j);
	t->bw = v3x4_madd(t->bw, p->iwb, j);
}

/* Friction at the middle of a pair's points: ends sliding there and turning about the normal, no stronger than the sum of
 * the normal impulses allows. */
CN_FOUR_INLINE void cn_relax_rub(cn_relax_pack *p, cn_relax_facing *f, d4 normal)
{
	d4 old[2] = {p->slip[0], p->slip[1]}, wanted[2];
	for (int i = 0; i < 2; ++i)
		wanted[i] = old[i] - p->mass_t[i] * cn_relax_seen(f, i + 1, &p->ta[i], &p->tb[i]);
	d4 length = d4_sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
	d4 most = d4_pick(p->sliding, p->mu_kinetic, p->mu_static) * normal;
	p->sliding = length > most;
	d4 share = d4_pick(p->sliding, p->mu_kinetic * normal / length, d4_all(1));
	for (int i = 0; i < 2; ++i) {
		wanted[i] = wanted[i] * share;
		cn_relax_push(f, i + 1, &p->ita[i], &p->itb[i], wanted[i] - old[i]);
		p->slip[i] = wanted[i];
	}
	d4 twist = p->mu_kinetic * normal * p->arm;
	d4 spin = p->spin - p->mass_w * v3x4_dot(p->n, v3x4_sub(f->bw, f->aw));
	spin = d4_max(d4_min(spin, twist), -twist);
	f->aw = v3x4_madd(f->aw, p->iwa, -(spin - p->spin));
	f->bw = v3x4_madd(f->bw, p->iwb, spin - p->spin);
	p->spin = spin;
}

#endif
