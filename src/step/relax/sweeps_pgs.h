/* The sweeps of pgs (pgs.c). */
#include "step/relax/solve.h"
#include "step/relax/sweeps.h"

CN_FOUR_INLINE d4 pgs_correction(const cn_pgs *g, const cn_relax_pack *p, const cn_relax_point *t)
{
	d4 depth = -t->gap - d4_all(g->slop) * p->thin;
	return d4_max(d4_all(g->share / g->dt) * depth, d4_all(0));
}

/* A pair that will not meet within the step at its speed may go as near as it likes; one that hits bounces. */
static void pgs_goals(const void *method, cn_relax_span of)
{
	const cn_pgs *g = method;
	d4 none = d4_all(0), dt = d4_all(g->dt);
	for (uint32_t i = of.begin; i < of.end; ++i) {
		const cn_relax_pack *p = &g->s->packs[i];
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			cn_relax_point *t = &g->s->points[k];
			i4 hits = (t->approach < d4_all(-g->threshold)) & (t->gap + t->approach * dt < none);
			d4 bounce = d4_pick(hits, -p->eps * t->approach, none);
			t->goal = d4_pick(bounce > none, bounce, d4_pick(t->gap > none, -t->gap / dt, none));
			if (!g->split)
				t->goal = d4_max(t->goal, pgs_correction(g, p, t));
		}
	}
}

static void pgs_sweep(const void *method, cn_relax_span of)
{
	const cn_pgs *g = method;
	cn_relax *s = g->s;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		cn_relax_pack *p = &s->packs[i];
		cn_relax_two two = cn_relax_take(s->speed, p);
		cn_relax_facing f = cn_relax_face(&two, p);
		d4 normal = d4_all(0);
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			cn_relax_point *t = &s->points[k];
			d4 j = d4_max(t->impulse + t->mass * (t->goal - cn_relax_seen(&f, 0, &t->na, &t->nb)), d4_all(0));
			cn_relax_push(&f, 0, &t->ia, &t->ib, j - t->impulse);
			t->impulse = j;
			t->most = d4_max(t->most, j);
			normal += j;
		}
		cn_relax_rub(p, &f, normal);
		cn_relax_turn_back(&two, p, &f);
		cn_relax_put(s->speed, p, &two);
	}
}

static void pgs_split(const void *method, cn_relax_span of)
{
	const cn_pgs *g = method;
	cn_relax *s = g->s;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		const cn_relax_pack *p = &s->packs[i];
		cn_relax_two two = cn_relax_take(s->other, p);
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			cn_relax_point *t = &s->points[k];
			d4 goal = d4_pick(t->gap > d4_all(0), -t->gap / d4_all(g->dt), pgs_correction(g, p, t));
			d4 j = t->push + t->mass * (goal - cn_relax_along(&two, p->n, t->na, t->nb));
			cn_relax_press(&two, p, t, &t->push, j);
		}
		cn_relax_put(s->other, p, &two);
	}
}
