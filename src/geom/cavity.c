/* See cavity.h. */
#include "geom/cavity.h"

#include "geom/inside.h"
#include "geom/solid_distance.h"

#include <stdlib.h>

enum { GRID = 32 }; /* samples along the longest edge of the box */

static int by_distance(const void *a, const void *b)
{
	const cn_cavity_sample *x = a, *y = b;
	return x->away != y->away ? (x->away > y->away ? -1 : 1) : (x->number > y->number) - (x->number < y->number);
}

/* Samples of a grid over the mesh's box. */
typedef struct grid {
	cairn_box box;
	double step; /* m: how far neighbours are apart, at most */
	uint32_t n[3], total;
	double *away;   /* of each from the solid; 0: not beyond the limit */
	uint32_t *open; /* those from which a way beyond the limit leads out, in the order found */
	bool *is_open;
	uint32_t open_count;
} grid;

static v3 grid_point(const grid *g, uint32_t i)
{
	v3 size = v3_sub(g->box.max, g->box.min);
	double x = (i % g->n[0] + 0.5) / g->n[0], y = (i / g->n[0] % g->n[1] + 0.5) / g->n[1],
		   z = (i / g->n[0] / g->n[1] + 0.5) / g->n[2];
	return v3_add(g->box.min, v3_make(x * size.x, y * size.y, z * size.z));
}

static void measure_grid(const cn_triangles *mesh, const cn_tree *tree, double limit, grid *g)
{
	double near = INFINITY; /* the last one's distance to the surface, on either side */
	for (uint32_t i = 0; i < g->total; ++i) {
		v3 at = grid_point(g, i);
		double most = i % g->n[0] ? 2 * g->step + near : INFINITY; /* its neighbour is not farther than that */
		near = cn_skin_distance(tree, mesh, at, most);
		if (near > limit && cn_inside(tree, mesh->points, mesh->triangles, at, 0) == CN_OUTSIDE)
			g->away[i] = near;
	}
}

static void open_up(grid *g, uint32_t i)
{
	if (!g->is_open[i])
		g->open[g->open_count++] = i;
	g->is_open[i] = true;
}

/* Opens what lies at the sides of the box, and everything to which straight steps beyond the limit lead from there. */
static void find_open(grid *g, double limit)
{
	uint32_t stride[3] = {1, g->n[0], g->n[0] * g->n[1]};
	for (uint32_t i = 0; i < g->total; ++i)
		for (int k = 0; k < 3; ++k) {
			uint32_t at = i / stride[k] % g->n[k];
			if ((at == 0 || at + 1 == g->n[k]) && g->away[i] - g->step / 2 > limit)
				open_up(g, i);
		}
	for (uint32_t i = 0; i < g->open_count; ++i)
		for (int k = 0; k < 6; ++k) {
			uint32_t from = g->open[i], at = from / stride[k / 2] % g->n[k / 2];
			if (k % 2 ? at == 0 : at + 1 == g->n[k / 2])
				continue;
			uint32_t to = k % 2 ? from - stride[k / 2] : from + stride[k / 2];
			if ((g->away[from] + g->away[to] - g->step) / 2 > limit)
				open_up(g, to);
		}
}

bool cn_find_cavities(cn_arena *arena, const cn_triangles *mesh, const cn_tree *tree, double limit, cn_cavities *out)
{
	grid g = {.box = {tree->nodes[0].low, tree->nodes[0].high}, .total = 1};
	v3 size = v3_sub(g.box.max, g.box.min);
	g.step = v3_max(size) / GRID;
	for (int i = 0; i < 3; ++i)
		g.total *= g.n[i] = 1 + (uint32_t)(v3_at(size, i) / g.step);
	g.away = cn_arena_take(arena, g.total, sizeof *g.away);
	g.open = cn_arena_take(arena, g.total, sizeof *g.open);
	g.is_open = cn_arena_take(arena, g.total, sizeof *g.is_open);
	*out = (cn_cavities){cn_arena_take(arena, g.total, sizeof *out->samples), 0};
	if (arena->failed)
		return false;
	measure_grid(mesh, tree, limit, &g);
	find_open(&g, limit);
	for (uint32_t i = 0; i < g.total; ++i)
		if (g.away[i] > limit && !g.is_open[i])
			out->samples[out->count++] = (cn_cavity_sample){grid_point(&g, i), g.away[i], i};
	qsort(out->samples, out->count, sizeof *out->samples, by_distance);
	return true;
}
