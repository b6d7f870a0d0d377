/* See vanishing.h. With a list of the contacts that vanish the problem is linear: f = 0 and Mf >= -b there, Mf = -b elsewhere
 * (errata 22). */
#include "num/vanishing.h"

#include "num/lp.h"

#include <math.h>
#include <string.h>

#define CN_VANISHING_APART 2e-9 /* of the largest acceleration without forces: what accelerates apart faster vanishes */

#define CN_VANISHING_SLACK 1e-9 /* of the same: by how much contacts that say the same may disagree */

typedef struct guess {
	cn_arena *arena;
	uint32_t n;
	const double *m, *b;
	double most; /* m/s^2: the largest acceleration without forces */
} guess;

/* Mf >= -b and, where a contact does not vanish, -Mf >= b; unknowns are the forces of those that do not. vanishes NULL: all
 * are unknown and there are no equations, the least sum. f 0 where they vanish. */
static cn_lp_status solve(const guess *g, const uint8_t *vanishes, double *f)
{
	uint32_t n = g->n, columns = 0, rows = 0;
	cn_arena_mark mark = cn_arena_here(g->arena);
	double *a = cn_arena_take(g->arena, 2 * (size_t)n * n, sizeof *a);
	double *right = cn_arena_take(g->arena, 4 * (size_t)n, sizeof *right), *cost = right + 2 * (size_t)n, *x = cost + n;
	cn_lp_status status = CN_LP_MEMORY;
	memset(f, 0, n * sizeof *f);
	if (a && right) {
		for (uint32_t j = 0; j < n; ++j)
			columns += !vanishes || !vanishes[j];
		for (uint32_t pass = 0; pass < (vanishes ? 2u : 1u); ++pass)
			for (uint32_t i = 0; i < n; ++i) {
				if (pass && vanishes[i])
					continue;
				double sign = pass ? -1 : 1, *row = a + (size_t)rows * columns;
				for (uint32_t j = 0; j < n; ++j)
					if (!vanishes || !vanishes[j])
						*row++ = sign * g->m[(size_t)i * n + j];
				right[rows++] = -sign * g->b[i] - (vanishes && !vanishes[i] ? CN_VANISHING_SLACK * g->most : 0);
			}
		for (uint32_t j = 0; j < columns; ++j)
			cost[j] = 1;
		status = cn_lp_solve(g->arena, &(cn_lp){rows, columns, a, right, cost}, x, NULL, NULL);
	}
	for (uint32_t j = 0, k = 0; status == CN_LP_SOLVED && j < n; ++j)
		if (!vanishes || !vanishes[j])
			f[j] = x[k++];
	cn_arena_return(g->arena, mark);
	return status;
}

/* Which contacts accelerate apart under these forces. */
static void look(const guess *g, const double *f, uint8_t *vanishes)
{
	for (uint32_t i = 0; i < g->n; ++i) {
		double apart = g->b[i];
		for (uint32_t j = 0; j < g->n; ++j)
			apart += g->m[(size_t)i * g->n + j] * f[j];
		vanishes[i] = apart > CN_VANISHING_APART * g->most;
	}
}

static cn_vanishing outcome(cn_lp_status status, cn_vanishing right)
{
	return status == CN_LP_SOLVED ? right : status == CN_LP_MEMORY ? CN_VANISHING_MEMORY : CN_VANISHING_FAILED;
}

cn_vanishing cn_vanishing_guess(cn_arena *arena, uint32_t n, const double *m, const double *b, double *f)
{
	guess g = {arena, n, m, b, 0};
	for (uint32_t i = 0; i < n; ++i)
		g.most = fmax(g.most, fabs(b[i]));
	cn_arena_mark mark = cn_arena_here(arena);
	uint8_t *vanishes = cn_arena_take(arena, n, sizeof *vanishes);
	double *least = cn_arena_take(arena, n, sizeof *least);
	cn_vanishing result = CN_VANISHING_MEMORY;
	if (vanishes && least)
		result = outcome(solve(&g, vanishes, f), CN_VANISHING_NONE);
	if (result == CN_VANISHING_FAILED) {
		result = outcome(solve(&g, NULL, least), CN_VANISHING_WRONG);
		if (result == CN_VANISHING_WRONG) {
			look(&g, least, vanishes);
			cn_vanishing again = outcome(solve(&g, vanishes, f), CN_VANISHING_GUESSED);
			result = again == CN_VANISHING_FAILED ? CN_VANISHING_WRONG : again;
		}
		if (result == CN_VANISHING_WRONG)
			memcpy(f, least, n * sizeof *f);
	}
	cn_arena_return(arena, mark);
	return result;
}
