/* The sweeps of soft (soft.c). */
#include "step/relax/solve.h"
#include "step/relax/sweeps.h"

/* Gaps at the poses that bodies have now. */
CN_FOUR_INLINE void soft_find_gaps(const cn_relax *s, const cn_relax_pack *p)
{
	cn_relax_two way = cn_relax_take(s->way, p);
	for (uint32_t k = p->first; k < p->first + p->count; ++k) {
		cn_relax_point *t = &s->points[k];
		t->now = t->gap + cn_relax_along(&way, p->n, t->na, t->nb);
	}
}

/* The points of a pack along the normal. Returns what presses in all. */
CN_FOUR_INLINE d4 soft_press(const cn_soft *g, const cn_relax_pack *p, cn_relax_facing *f, bool biased)
{
	d4 none = d4_all(0), one = d4_all(1), often = d4_all(1 / g->h);
	d4 normal = none, slop = d4_all(g->slop) * p->thin, fastest = d4_all(-g->fastest) * p->thin;
	d4 rate = d4_pick(p->stands, d4_all(g->standing.rate), d4_all(g->free.rate));
	d4 soft_mass = d4_pick(p->stands, d4_all(g->standing.mass), d4_all(g->free.mass));
	d4 soft_keep = d4_pick(p->stands, d4_all(g->standing.impulse), d4_all(g->free.impulse));
	for (uint32_t k = p->first; k < p->first + p->count; ++k) {
		cn_relax_point *t = &g->s->points[k];
		d4 gap = t->now;
		i4 apart = gap > none, soft = biased ? gap < -slop : gap < gap;
		d4 bias = d4_pick(soft, d4_max(rate * (gap + slop), fastest), d4_pick(apart, gap * often, none));
		d4 mass = d4_pick(soft, soft_mass, one), keep = d4_pick(soft, soft_keep, none);
		d4 u = cn_relax_seen(f, 0, &t->na, &t->nb);
		d4 j = d4_max(t->impulse - t->mass * mass * (u + bias) - keep * t->impulse, none);
		cn_relax_push(f, 0, &t->ia, &t->ib, j - t->impulse);
		t->impulse = j;
		t->most = d4_max(t->most, j);
		normal += j;
	}
	return normal;
}

CN_FOUR_INLINE d4 soft_pressed(const cn_soft *g, const cn_relax_pack *p)
{
	d4 normal = d4_all(0);
	for (uint32_t k = p->first; k < p->first + p->count; ++k)
		normal += g->s->points[k].impulse;
	return normal;
}

/* A sweep that is not biased comes after bodies have moved; the next one finds them where they were. */
CN_FOUR_INLINE void soft_sweep(const cn_soft *g, cn_relax_span of, bool biased)
{
	cn_relax *s = g->s;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		cn_relax_pack *p = &s->packs[i];
		cn_relax_two two = cn_relax_take(s->speed, p);
		if (!biased)
			soft_find_gaps(s, p);
		cn_relax_facing f = cn_relax_face(&two, p);
		d4 before = soft_pressed(g, p), normal = soft_press(g, p, &f, biased);
		cn_relax_rub(p, &f, normal);
		/* much more or less than in the last inner step: something hits, or has just hit */
		if (cn_relax_any((normal > d4_all(1.5) * before) | (before > d4_all(1.5) * normal)))
			for (int k = 1; k < CN_RELAX_ROUNDS; ++k)
				cn_relax_rub(p, &f, soft_press(g, p, &f, biased));
		cn_relax_turn_back(&two, p, &f);
		cn_relax_put(s->speed, p, &two);
	}
}

static void soft_push(const void *method, cn_relax_span of) { soft_sweep(method, of, true); }
static void soft_relax(const void *method, cn_relax_span of) { soft_sweep(method, of, false); }

CN_FOUR_INLINE i4 soft_hit(const cn_soft *g, const cn_relax_pack *p, const cn_relax_point *t)
{
	d4 none = d4_all(0);
	return (p->eps > none) & (t->approach <= d4_all(-g->threshold)) & (t->most > none);
}

CN_FOUR_INLINE bool soft_hits(const cn_soft *g, const cn_relax_pack *p)
{
	for (uint32_t k = p->first; k < p->first + p->count; ++k)
		if (cn_relax_any(soft_hit(g, p, &g->s->points[k])))
			return true;
	return false;
}

static void soft_bounce(const void *method, cn_relax_span of)
{
	const cn_soft *g = method;
	cn_relax *s = g->s;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		const cn_relax_pack *p = &s->packs[i];
		if (!soft_hits(g, p))
			continue;
		cn_relax_two two = cn_relax_take(s->speed, p);
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			cn_relax_point *t = &s->points[k];
			i4 hit = soft_hit(g, p, t);
			d4 u = cn_relax_along(&two, p->n, t->na, t->nb);
			d4 j = t->impulse - t->mass * (u + p->eps * t->approach);
			cn_relax_press(&two, p, t, &t->impulse, d4_pick(hit, j, t->impulse));
		}
		cn_relax_put(s->speed, p, &two);
	}
}
