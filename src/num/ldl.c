/* See ldl.h. Up-looking: row k of L is found by a sparse triangular solve along the elimination tree, so the work is
 * the number of multiplications that the fill makes and nothing else. */
#include "num/ldl.h"

#include "base/arena.h"
#include "num/order.h"

struct cn_ldl {
	uint32_t n;
	cn_arena arena;
	uint32_t *order, *place; /* order[k]: the row eliminated k-th; place: its inverse */
	uint32_t *first, *row;   /* the upper triangle in that order, by columns */
	uint32_t *slot;          /* of entry e in value */
	double *value;
	uint32_t *parent; /* elimination tree; n: none */
	uint32_t *l_first, *l_row, *l_filled;
	double *l_value, *d, *work;
	uint32_t *mark, *path;
	int8_t *sign;
};

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The graph of the off-diagonal entries, and the order to eliminate it in. */
static bool find_order(cn_ldl *f, const cairn_allocator *allocator, const cn_entry *entries, uint32_t count)
{
	cn_arena_mark kept = cn_arena_here(&f->arena);
	uint32_t n = f->n;
	uint32_t *first = cn_arena_take(&f->arena, (size_t)n + 2, sizeof *first);
	uint32_t *adjacent = cn_arena_take(&f->arena, (size_t)count * 2, sizeof *adjacent);
	bool found = false;
	if (!f->arena.failed) {
		for (uint32_t e = 0; e < count; ++e)
			if (entries[e].row != entries[e].column)
				++first[entries[e].row + 2], ++first[entries[e].column + 2];
		for (uint32_t i = 0; i < n; ++i)
			first[i + 2] += first[i + 1];
		for (uint32_t e = 0; e < count; ++e) {
			uint32_t a = entries[e].row, b = entries[e].column;
			if (a != b)
				adjacent[first[a + 1]++] = b, adjacent[first[b + 1]++] = a;
		}
		found = cn_order_find(allocator, &(cn_graph){n, first, adjacent}, false, f->order);
	}
	cn_arena_return(&f->arena, kept);
	return found;
}

/* Entries to columns of the permuted upper triangle. */
static void place_entries(cn_ldl *f, const cn_entry *entries, uint32_t count)
{
	for (uint32_t k = 0; k < f->n; ++k)
		f->place[f->order[k]] = k;
	for (uint32_t e = 0; e < count; ++e)
		++f->first[most(f->place[entries[e].row], f->place[entries[e].column]) + 1];
	for (uint32_t k = 0; k < f->n; ++k)
		f->first[k + 1] += f->first[k];
	for (uint32_t k = 0; k < f->n; ++k)
		f->path[k] = f->first[k];
	for (uint32_t e = 0; e < count; ++e) {
		uint32_t a = f->place[entries[e].row], b = f->place[entries[e].column], at = f->path[most(a, b)]++;
		f->row[at] = least(a, b);
		f->slot[e] = at;
	}
}

/* The tree, and the number of entries of each column of L. */
static bool analyse(cn_ldl *f)
{
	uint32_t n = f->n;
	for (uint32_t k = 0; k < n; ++k) {
		f->parent[k] = n;
		f->mark[k] = k;
		for (uint32_t p = f->first[k]; p < f->first[k + 1]; ++p)
			for (uint32_t i = f->row[p]; i < k && f->mark[i] != k; i = f->parent[i]) {
				if (f->parent[i] == n)
					f->parent[i] = k;
				++f->l_first[i + 1];
				f->mark[i] = k;
			}
	}
	for (uint32_t k = 0; k < n; ++k) {
		if (f->l_first[k + 1] > UINT32_MAX - f->l_first[k])
			return false;
		f->l_first[k + 1] += f->l_first[k];
	}
	f->l_row = cn_arena_take(&f->arena, f->l_first[n], sizeof *f->l_row);
	f->l_value = cn_arena_take(&f->arena, f->l_first[n], sizeof *f->l_value);
	return !f->arena.failed;
}

cn_ldl *cn_ldl_make(const cairn_allocator *allocator, uint32_t n, const cn_entry *entries, uint32_t entry_count,
                    const int8_t *signs)
{
	cn_ldl *f = cn_alloc(allocator, 1, sizeof *f);
	if (!f)
		return NULL;
	f->n = n;
	f->arena = cn_arena_make(allocator);
	size_t nodes = (size_t)n + 1;
	f->order = cn_arena_take(&f->arena, nodes, sizeof *f->order);
	f->place = cn_arena_take(&f->arena, nodes, sizeof *f->place);
	f->first = cn_arena_take(&f->arena, nodes, sizeof *f->first);
	f->parent = cn_arena_take(&f->arena, nodes, sizeof *f->parent);
	f->l_first = cn_arena_take(&f->arena, nodes, sizeof *f->l_first);
	f->l_filled = cn_arena_take(&f->arena, nodes, sizeof *f->l_filled);
	f->mark = cn_arena_take(&f->arena, nodes, sizeof *f->mark);
	f->path = cn_arena_take(&f->arena, nodes, sizeof *f->path);
	f->d = cn_arena_take(&f->arena, nodes, sizeof *f->d);
	f->work = cn_arena_take(&f->arena, nodes, sizeof *f->work);
	f->sign = cn_arena_take(&f->arena, nodes, sizeof *f->sign);
	f->row = cn_arena_take(&f->arena, entry_count, sizeof *f->row);
	f->slot = cn_arena_take(&f->arena, entry_count, sizeof *f->slot);
	f->value = cn_arena_take(&f->arena, entry_count, sizeof *f->value);
	if (f->arena.failed || (n && !find_order(f, allocator, entries, entry_count))) {
		cn_ldl_free(allocator, f);
		return NULL;
	}
	place_entries(f, entries, entry_count);
	for (uint32_t k = 0; k < n; ++k)
		f->sign[k] = signs[f->order[k]];
	if (!analyse(f)) {
		cn_ldl_free(allocator, f);
		return NULL;
	}
	for (uint32_t e = 0; e < entry_count; ++e)
		assert(f->slot[e] < entry_count);
	return f;
}

void cn_ldl_free(const cairn_allocator *allocator, cn_ldl *ldl)
{
	if (!ldl)
		return;
	cn_arena_free(&ldl->arena);
	cn_free(allocator, ldl, 1, sizeof *ldl);
}

/* The pattern of row k of L, into path from `top` on, in the order in which the solve has to take it. */
static uint32_t reach(cn_ldl *f, uint32_t k)
{
	uint32_t top = f->n, *chain = f->path;
	f->mark[k] = k;
	for (uint32_t p = f->first[k]; p < f->first[k + 1]; ++p) {
		uint32_t length = 0;
		f->work[f->row[p]] += f->value[p];
		for (uint32_t i = f->row[p]; f->mark[i] != k; i = f->parent[i]) {
			chain[length++] = i; /* the front of path: the two ends never meet */
			f->mark[i] = k;
		}
		while (length)
			f->path[--top] = chain[--length];
	}
	return top;
}

void cn_ldl_factor(cn_ldl *f, const double *values, double least_pivot)
{
	uint32_t n = f->n, entries = f->first[n];
	for (uint32_t e = 0; e < entries; ++e)
		f->value[f->slot[e]] = values[e];
	for (uint32_t k = 0; k < n; ++k) {
		f->l_filled[k] = f->l_first[k];
		f->mark[k] = n;
		f->work[k] = 0;
	}
	for (uint32_t k = 0; k < n; ++k) {
		uint32_t top = reach(f, k);
		double pivot = f->work[k];
		f->work[k] = 0;
		for (; top < n; ++top) {
			uint32_t i = f->path[top];
			double x = f->work[i], l = x / f->d[i];
			f->work[i] = 0;
			for (uint32_t p = f->l_first[i]; p < f->l_filled[i]; ++p)
				f->work[f->l_row[p]] -= f->l_value[p] * x;
			pivot -= l * x;
			f->l_row[f->l_filled[i]] = k;
			f->l_value[f->l_filled[i]++] = l;
		}
		f->d[k] = pivot * f->sign[k] >= least_pivot ? pivot : least_pivot * f->sign[k];
	}
}

void cn_ldl_solve(const cn_ldl *f, double *x)
{
	uint32_t n = f->n;
	double *b = f->work;
	for (uint32_t k = 0; k < n; ++k)
		b[k] = x[f->order[k]];
	for (uint32_t k = 0; k < n; ++k)
		for (uint32_t p = f->l_first[k]; p < f->l_first[k + 1]; ++p)
			b[f->l_row[p]] -= f->l_value[p] * b[k];
	for (uint32_t k = 0; k < n; ++k)
		b[k] /= f->d[k];
	for (uint32_t k = n; k-- > 0;)
		for (uint32_t p = f->l_first[k]; p < f->l_first[k + 1]; ++p)
			b[k] -= f->l_value[p] * b[f->l_row[p]];
	for (uint32_t k = 0; k < n; ++k)
		x[f->order[k]] = b[k];
}
