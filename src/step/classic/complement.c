/* Contact points of an island as a linear complementarity problem (RBS 3.4): w = M z + q, z >= 0, w >= 0, z w = 0, where M_ik
 * is the speed along its normal that a unit impulse at point k gives point i. M is symmetric and has no negative eigenvalue, so
 * Lemke's method finds a solution; where points are redundant it is one of many, and the motion is the same. */
#include "num/lcp.h"
#include "step/classic/classic.h"

#include <string.h>

/* ---- the matrix */

/* The speed along np that a unit impulse along nq at rq gives the point at rp by way of one body. */
static double by_body(const cairn_world *w, uint32_t slot, const v3 p[2], const v3 q[2])
{
	const cn_rotor *r = &w->rotors[slot];
	if (!r->active)
		return 0;
	v3 turn = cn_spin(r, w->motion[slot].q, v3_cross(q[0], q[1]));
	return r->inv_mass * v3_dot(p[1], q[1]) + v3_dot(v3_cross(p[0], p[1]), turn);
}

static double coupling(const cairn_world *w, const cn_classic_point *p, const cn_classic_point *q)
{
	const v3 pa[2] = {p->ra, p->n}, pb[2] = {p->rb, p->n}, qa[2] = {q->ra, q->n}, qb[2] = {q->rb, q->n};
	double sum = 0;
	sum += p->a == q->a ? by_body(w, p->a, pa, qa) : 0;
	sum -= p->a == q->b ? by_body(w, p->a, pa, qb) : 0;
	sum -= p->b == q->a ? by_body(w, p->b, pb, qa) : 0;
	sum += p->b == q->b ? by_body(w, p->b, pb, qb) : 0;
	return sum;
}

static cn_lcp_status solve_island(cairn_world *w, const uint32_t *points, uint32_t count, const double *q, double *z)
{
	const cn_classic_point *all = w->context->classic->points;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	double *m = cn_arena_take(arena, (size_t)count * count, sizeof *m);
	cn_lcp_status status = CN_LCP_MEMORY;
	for (uint32_t i = 0; m && i < count; ++i)
		for (uint32_t k = 0; k <= i; ++k)
			m[(size_t)i * count + k] = m[(size_t)k * count + i] = coupling(w, &all[points[i]], &all[points[k]]);
	if (m)
		status = cn_lcp_solve(arena, count, m, q, z, NULL);
	cn_arena_return(arena, mark);
	return status;
}

/* ---- islands: bodies that points connect, but for those that cannot move */

static uint32_t root_of(uint32_t *root, uint32_t slot)
{
	while (root[slot] != slot)
		slot = root[slot] = root[root[slot]];
	return slot;
}

static void join_bodies(const cairn_world *w, const uint8_t *takes, uint32_t *root)
{
	const cn_classic *k = w->context->classic;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = slot;
	for (uint32_t i = 0; i < k->point_count; ++i) {
		const cn_classic_point *p = &k->points[i];
		if (!takes[i] || !w->rotors[p->a].active || !w->rotors[p->b].active)
			continue;
		uint32_t a = root_of(root, p->a), b = root_of(root, p->b);
		root[a < b ? b : a] = a < b ? a : b;
	}
}

static uint32_t island_of(const cairn_world *w, uint32_t *root, const cn_classic_point *p)
{
	return root_of(root, w->rotors[p->a].active ? p->a : p->b);
}

bool cn_classic_complement(cairn_world *w, cn_frame *f, const uint8_t *takes, const double *q, double *z)
{
	const cn_classic *k = w->context->classic;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	uint32_t *root = cn_arena_take(arena, w->slots + 1, sizeof *root), count;
	uint32_t *list = cn_arena_take(arena, k->point_count + 1, sizeof *list);
	double *own = cn_arena_take(arena, 2 * (size_t)k->point_count + 2, sizeof *own);
	bool ok = root && list && own;
	memset(z, 0, k->point_count * sizeof *z);
	if (ok)
		join_bodies(w, takes, root);
	for (uint32_t island = 0; ok && island < w->slots; ++island) {
		count = 0;
		for (uint32_t i = 0; i < k->point_count; ++i)
			if (takes[i] && island_of(w, root, &k->points[i]) == island)
				own[count] = q[i], list[count++] = i;
		cn_lcp_status status = count ? solve_island(w, list, count, own, own + count) : CN_LCP_SOLVED;
		ok = status != CN_LCP_MEMORY;
		f->report.text_fallbacks += status == CN_LCP_RAY || status == CN_LCP_LIMIT;
		f->report.programs += count > 0;
		for (uint32_t i = 0; i < count; ++i)
			z[list[i]] = own[count + i];
	}
	cn_arena_return(arena, mark);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
