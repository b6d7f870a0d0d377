/* The structure of the factor: elimination tree (Liu 1990), columns in postorder, columns of equal structure in panels.
 * A panel also takes in the next column where that costs few zeros. */
#include "num/block.h"

#define NONE UINT32_MAX

enum { WIDEST = 16 }; /* columns of a panel: the doubled blocks of a row then stay within the first cache */

typedef struct tree {
	uint32_t *parent, *count, *mark, *order, *place;
} tree;

/* Column k is an ancestor's child where a lower neighbour's path first meets it; paths are shortened through `mark`. */
static void find_parents(const cn_graph *graph, const tree *t)
{
	for (uint32_t k = 0; k < graph->nodes; ++k) {
		uint32_t node = t->order[k];
		t->parent[k] = t->mark[k] = NONE;
		for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; ++e) {
			uint32_t i = t->place[graph->adjacent[e]];
			while (i < k) {
				uint32_t up = t->mark[i];
				t->mark[i] = k;
				if (up == NONE) {
					t->parent[i] = k;
					break;
				}
				i = up;
			}
		}
	}
}

/* Children before parents, the subtrees one after the other. after [n] receives the columns in postorder. */
static void walk(uint32_t n, const tree *t, uint32_t *child, uint32_t *sibling, uint32_t *after)
{
	uint32_t top = NONE, done = 0;
	for (uint32_t k = 0; k < n; ++k)
		child[k] = NONE;
	for (uint32_t k = n; k-- > 0;) {
		uint32_t p = t->parent[k];
		sibling[k] = p == NONE ? top : child[p];
		if (p == NONE)
			top = k;
		else
			child[p] = k;
	}
	for (uint32_t k = top; k != NONE;) {
		while (child[k] != NONE) {
			uint32_t down = child[k];
			child[k] = NONE; /* its children are on the way */
			k = down;
		}
		after[done++] = k;
		k = sibling[k] != NONE ? sibling[k] : t->parent[k];
	}
}

/* Visits every (row, column) of the factor's strict lower triangle, rows ascending. */
static void fill(const cn_graph *graph, const tree *t, uint32_t *count, uint32_t *const *into)
{
	for (uint32_t k = 0; k < graph->nodes; ++k)
		t->mark[k] = NONE;
	for (uint32_t k = 0; k < graph->nodes; ++k) {
		uint32_t node = t->order[k];
		t->mark[k] = k;
		for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; ++e) {
			for (uint32_t i = t->place[graph->adjacent[e]]; i < k && t->mark[i] != k; i = t->parent[i]) {
				t->mark[i] = k;
				if (into)
					into[i][count[i]] = k;
				++count[i];
			}
		}
	}
}

/* Panels left to right. A panel ending at column k - 1 goes on with k when k is the parent and the zeros stored for it
 * stay below an eighth. rows of the merged panel: its columns and what is below k. */
static uint32_t group(uint32_t n, const tree *t, cn_panel *panel, uint32_t *owner)
{
	uint32_t panels = 0;
	double real = 0;
	for (uint32_t k = 0; k < n; ++k) {
		cn_panel *last = panels ? &panel[panels - 1] : NULL;
		double own = 1.0 + t->count[k];
		if (last && t->parent[k - 1] == k && last->width < WIDEST) {
			double w = last->width + 1.0, stored = w * (w + 1) / 2 + w * t->count[k];
			if (stored - (real + own) <= 0.125 * stored) {
				++last->width;
				last->rows = last->width + t->count[k];
				real += own;
				owner[k] = panels - 1;
				continue;
			}
		}
		panel[panels] = (cn_panel){.column = k, .width = 1, .rows = 1 + t->count[k]};
		owner[k] = panels++;
		real = own;
	}
	return panels;
}

static void lay_out(cn_block *block)
{
	uint32_t rows = 0;
	for (uint32_t s = 0; s < block->panels; ++s) {
		cn_panel *p = &block->panel[s];
		p->row = rows;
		p->at = block->blocks;
		rows += p->rows;
		block->blocks += (size_t)p->rows * p->width;
		for (uint32_t k = 0; k < p->width; ++k)
			block->work += 108.0 * (p->rows - k) * (p->rows - k + 1);
	}
}

/* The rows of panels: their own columns, then the rows of the last column, which contains those of the others. */
static bool list_rows(cn_arena *arena, const cn_graph *graph, const tree *t, cn_block *block)
{
	cn_arena_mark kept = cn_arena_here(arena);
	uint32_t n = block->nodes;
	uint32_t **into = cn_arena_take(arena, n, sizeof *into), *count = cn_arena_take(arena, n, sizeof *count);
	size_t total = 0;
	for (uint32_t k = 0; k < n; ++k)
		total += t->count[k];
	uint32_t *all = cn_arena_take(arena, total, sizeof *all);
	if (arena->failed)
		return false;
	for (uint32_t k = 0; k < n; all += t->count[k], ++k)
		into[k] = all;
	fill(graph, t, count, into);
	for (uint32_t s = 0; s < block->panels; ++s) {
		const cn_panel *p = &block->panel[s];
		uint32_t last = p->column + p->width - 1;
		for (uint32_t r = 0; r < p->rows; ++r)
			block->row[p->row + r] = r < p->width ? p->column + r : into[last][r - p->width];
	}
	cn_arena_return(arena, kept);
	return true;
}

/* The tree and the counts that belong to t->order; returns the blocks multiplied, about. */
static double follow_order(const cn_graph *graph, const tree *t)
{
	double work = 0;
	for (uint32_t k = 0; k < graph->nodes; ++k) {
		t->place[t->order[k]] = k;
		t->count[k] = 0;
	}
	find_parents(graph, t);
	fill(graph, t, t->count, NULL);
	for (uint32_t k = 0; k < graph->nodes; ++k)
		work += (double)t->count[k] * t->count[k];
	return work;
}

/* The better of two orders, in postorder. */
static bool make_tree(cn_arena *arena, const cn_graph *graph, cn_block *block, tree *t)
{
	uint32_t n = graph->nodes, *scratch = cn_arena_take(arena, (size_t)n * 8, sizeof *scratch);
	if (arena->failed)
		return false;
	uint32_t *other = scratch + 7 * (size_t)n;
	if (!cn_order_find(&arena->allocator, graph, false, scratch) ||
	    !cn_order_find(&arena->allocator, graph, true, other))
		return false;
	*t = (tree){scratch + n, scratch + 2 * (size_t)n, scratch + 3 * (size_t)n, scratch, block->place};
	double work = follow_order(graph, t);
	t->order = other;
	if (follow_order(graph, t) > work) {
		t->order = scratch;
		follow_order(graph, t);
	}
	uint32_t *after = scratch + 6 * (size_t)n;
	walk(n, t, scratch + 4 * (size_t)n, scratch + 5 * (size_t)n, after);
	for (uint32_t k = 0; k < n; ++k)
		after[k] = t->order[after[k]];
	t->order = after;
	follow_order(graph, t);
	return true;
}

bool cn_block_analyse(cn_arena *arena, const cn_graph *graph, cn_block *block)
{
	uint32_t n = graph->nodes;
	*block = (cn_block){.nodes = n};
	block->place = cn_arena_take(arena, n, sizeof *block->place);
	block->owner = cn_arena_take(arena, n, sizeof *block->owner);
	block->panel = cn_arena_take(arena, n, sizeof *block->panel);
	block->position = cn_arena_take(arena, n, sizeof *block->position);
	block->twice = cn_arena_take(arena, 2 * CN_BLOCK_SIZE * WIDEST + 2, sizeof *block->twice);
	cn_arena own = cn_arena_make(&arena->allocator);
	tree t;
	bool well = !arena->failed && make_tree(&own, graph, block, &t);
	if (well) {
		block->panels = group(n, &t, block->panel, block->owner);
		lay_out(block);
		const cn_panel *last = &block->panel[block->panels - 1];
		block->row = cn_arena_take(arena, n ? last->row + last->rows : 0, sizeof *block->row);
		block->value = cn_arena_take(arena, block->blocks * CN_BLOCK_SIZE + 2, sizeof *block->value);
		well = !arena->failed && list_rows(&own, graph, &t, block);
	}
	cn_arena_free(&own);
	if (!well) {
		arena->failed = true;
		return false;
	}
	/* to 16 bytes; doubles are at least on 8 */
	block->value += (uintptr_t)block->value % 16 / sizeof(double);
	block->twice += (uintptr_t)block->twice % 16 / sizeof(double);
	return true;
}

size_t cn_block_find(const cn_block *block, uint32_t row, uint32_t column)
{
	const cn_panel *p = &block->panel[block->owner[column]];
	uint32_t low = 0, high = p->rows;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (block->row[p->row + middle] <= row)
			low = middle;
		else
			high = middle;
	}
	assert(block->row[p->row + low] == row);
	return p->at + (size_t)low * p->width + (column - p->column);
}
