/* All sweeps, in one table: included once for each kind of machine. CN_SWEEPS: the table's name, as it is defined. */
#include "step/relax/sweeps_pgs.h"
#include "step/relax/sweeps_soft.h"
#include "step/relax/sweeps_xpbd.h"

static void find_approach(const void *method, cn_relax_span of)
{
	const cn_relax *s = method;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		const cn_relax_pack *p = &s->packs[i];
		cn_relax_two two = cn_relax_take(s->speed, p);
		for (uint32_t k = p->first; k < p->first + p->count; ++k)
			s->points[k].approach = cn_relax_along(&two, p->n, s->points[k].na, s->points[k].nb);
	}
}

static void warm(const void *method, cn_relax_span of)
{
	const cn_relax *s = method;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		const cn_relax_pack *p = &s->packs[i];
		cn_relax_two two = cn_relax_take(s->speed, p);
		for (uint32_t k = p->first; k < p->first + p->count; ++k)
			cn_relax_give(&two, p, p->n, s->points[k].ia, s->points[k].ib, s->points[k].impulse);
		for (int k = 0; k < 2; ++k)
			cn_relax_give(&two, p, p->t[k], p->ita[k], p->itb[k], p->slip[k]);
		cn_relax_twist_by(&two, p, p->spin);
		cn_relax_put(s->speed, p, &two);
	}
}

CN_SWEEPS = {
	.approach = find_approach,
	.warm = warm,
	.pgs = {pgs_goals, pgs_sweep, pgs_split},
	.soft = {soft_push, soft_relax, soft_bounce},
	.xpbd = {xpbd_begin, xpbd_positions, xpbd_velocities},
};
