/* All impulses at once (RBS 3.4, the simultaneous model):
 *
 *   v = v0 + M j,   v >= e u,   j >= 0,   j (v - e u) = 0        u = -v0 speed of approach, v0 of separation
 *
 * A point gets no impulse where v > e u (errata 24). Points that separate take part with e u = 0, so the whole need not be
 * repeated for those that others push together. */
#include "step/classic/classic.h"

/* takes and q by point. */
static void fill(cairn_world *w, double touch, uint8_t *takes, double *q)
{
	cn_classic *k = w->context->classic;
	for (uint32_t i = 0; i < k->point_count; ++i) {
		cn_classic_point *p = &k->points[i];
		double approach = -v3_dot(cn_classic_approach(w, p), p->n);
		takes[i] = cn_classic_met(w, p, approach, touch);
		q[i] = -approach - (approach > 0 ? cn_classic_restitution(w, p, approach) * approach : 0);
		p->impulse = v3_zero(), p->sliding = false;
	}
}

bool cn_simultaneous_strike(cairn_world *w, cn_frame *f, double touch, cn_complement_way way)
{
	cn_classic *k = w->context->classic;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	uint8_t *takes = cn_arena_take(arena, k->point_count + 1, sizeof *takes);
	double *q = cn_arena_take(arena, 2 * (size_t)k->point_count + 2, sizeof *q), *j = q + k->point_count;
	bool ok = takes && q;
	if (ok) {
		fill(w, touch, takes, q);
		ok = cn_classic_complement(w, f, &(cn_complement){takes, q, j, way});
	}
	for (uint32_t i = 0; ok && i < k->point_count; ++i)
		if (j[i] > 0)
			ok = cn_classic_hit(w, f, &k->points[i], v3_scale(k->points[i].n, j[i]));
	cn_arena_return(arena, mark);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}

bool cn_simultaneous_apply(cairn_world *w, cn_frame *f)
{
	return cn_simultaneous_strike(w, f, cn_classic_touch(w), CN_COMPLEMENT_LEMKE_ALL);
}
