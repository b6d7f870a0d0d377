/* The numbers of the factor: panel by panel, each updating those to its right (right-looking). Lanes are pairs of rows
 * of a block; no sum crosses lanes but the one of the backward substitution, lane 0 + lane 1. */
#include "num/block.h"

#include <math.h>
#include <string.h>

typedef double v2 __attribute__((vector_size(16), may_alias));
typedef double v2_loose __attribute__((vector_size(16), aligned(8), may_alias));

static inline v2 both(double x) { return (v2){x, x}; }
static inline v2 get(const double *p) { return *(const v2 *)p; }
static inline void put(double *p, v2 x) { *(v2 *)p = x; }
static inline v2 get_loose(const double *p) { return *(const v2_loose *)p; }
static inline void put_loose(double *p, v2 x) { *(v2_loose *)p = x; }

void cn_block_clear(cn_block *block) { memset(block->value, 0, block->blocks * CN_BLOCK_SIZE * sizeof *block->value); }

/* Every number of w blocks twice, in the order the update reads them: block, its column, its row. */
static void double_up(const double *from, uint32_t w, double *to)
{
	for (uint32_t k = 0; k < w * CN_BLOCK_SIZE; ++k)
		put(to + 2 * (size_t)k, both(from[k]));
}

/* c -= sum over w blocks of a b', three columns of c. */
static inline void update_half(double *c, const double *a, const double *twice, uint32_t w)
{
	v2 c00 = get(c), c01 = get(c + 2), c02 = get(c + 4), c10 = get(c + 6), c11 = get(c + 8), c12 = get(c + 10);
	v2 c20 = get(c + 12), c21 = get(c + 14), c22 = get(c + 16);
	for (uint32_t k = 0; k < w * 6; ++k, a += 6, twice += 12) {
		v2 a0 = get(a), a1 = get(a + 2), a2 = get(a + 4), b = get(twice);
		c00 -= a0 * b, c01 -= a1 * b, c02 -= a2 * b;
		b = get(twice + 2);
		c10 -= a0 * b, c11 -= a1 * b, c12 -= a2 * b;
		b = get(twice + 4);
		c20 -= a0 * b, c21 -= a1 * b, c22 -= a2 * b;
	}
	put(c, c00), put(c + 2, c01), put(c + 4, c02), put(c + 6, c10), put(c + 8, c11), put(c + 10, c12);
	put(c + 12, c20), put(c + 14, c21), put(c + 16, c22);
}

static inline void update(double *c, const double *a, const double *twice, uint32_t w)
{
	update_half(c, a, twice, w);
	update_half(c + 18, a, twice + 6, w);
}

/* The Cholesky factor of a 6x6 block in place, its strict upper part set to 0; the diagonal holds its reciprocals. */
static void factor_block(double *c)
{
	for (int k = 0; k < 6; ++k) {
		double pivot = c[7 * k];
		double scale = 1 / sqrt(pivot > 1 ? pivot : 1); /* also for a NaN */
		c[7 * k] = scale;
		for (int i = k + 1; i < 6; ++i) {
			c[6 * k + i] *= scale;
			c[6 * i + k] = 0;
		}
		for (int j = k + 1; j < 6; ++j)
			for (int i = j; i < 6; ++i)
				c[6 * j + i] -= c[6 * k + i] * c[6 * k + j];
	}
}

/* c := c l'^-1 for a factored block l. */
static void divide_block(double *c, const double *l)
{
	for (int k = 0; k < 6; ++k) {
		v2 scale = both(l[7 * k]);
		v2 x0 = get(c + 6 * k) * scale, x1 = get(c + 6 * k + 2) * scale, x2 = get(c + 6 * k + 4) * scale;
		put(c + 6 * k, x0), put(c + 6 * k + 2, x1), put(c + 6 * k + 4, x2);
		for (int j = k + 1; j < 6; ++j) {
			v2 b = both(l[6 * k + j]);
			double *to = c + 6 * j;
			put(to, get(to) - x0 * b), put(to + 2, get(to + 2) - x1 * b), put(to + 4, get(to + 4) - x2 * b);
		}
	}
}

/* Column after column within a panel. */
static void factor_panel(cn_block *block, const cn_panel *p)
{
	double *value = cn_block_at(block, p->at);
	size_t stride = (size_t)p->width * CN_BLOCK_SIZE;
	for (uint32_t k = 0; k < p->width; ++k) {
		double_up(value + k * stride, k, block->twice);
		for (uint32_t r = k; r < p->rows; ++r) {
			double *c = value + r * stride + (size_t)k * CN_BLOCK_SIZE;
			if (k)
				update(c, value + r * stride, block->twice, k);
			if (r == k)
				factor_block(c);
			else
				divide_block(c, value + k * stride + (size_t)k * CN_BLOCK_SIZE);
		}
	}
}

/* What a finished panel takes from the columns of panel `to`, whose columns are the panel's rows from r to end. */
static void update_panel(cn_block *block, const cn_panel *p, uint32_t r, uint32_t end, const cn_panel *to)
{
	const uint32_t *row = block->row + p->row, *target = block->row + to->row;
	for (uint32_t i = r, t = 0; i < p->rows; ++i, ++t) {
		while (target[t] != row[i])
			++t;
		block->position[i] = t;
	}
	const double *value = cn_block_at(block, p->at);
	size_t stride = (size_t)p->width * CN_BLOCK_SIZE;
	for (uint32_t j = r; j < end; ++j) {
		double_up(value + j * stride, p->width, block->twice);
		size_t column = row[j] - to->column;
		for (uint32_t i = j; i < p->rows; ++i) {
			double *c = cn_block_at(block, to->at + (size_t)block->position[i] * to->width + column);
			update(c, value + i * stride, block->twice, p->width);
		}
	}
}

void cn_block_factor(cn_block *block)
{
	for (uint32_t s = 0; s < block->panels; ++s) {
		const cn_panel *p = &block->panel[s];
		factor_panel(block, p);
		for (uint32_t r = p->width; r < p->rows;) {
			uint32_t owner = block->owner[block->row[p->row + r]], end = r + 1;
			while (end < p->rows && block->owner[block->row[p->row + end]] == owner)
				++end;
			update_panel(block, p, r, end, &block->panel[owner]);
			r = end;
		}
	}
}

/* to -= a x */
static inline void subtract(double *to, const double *a, const double *x)
{
	v2 t0 = get_loose(to), t1 = get_loose(to + 2), t2 = get_loose(to + 4);
	for (int k = 0; k < 6; ++k, a += 6) {
		v2 b = both(x[k]);
		t0 -= get(a) * b, t1 -= get(a + 2) * b, t2 -= get(a + 4) * b;
	}
	put_loose(to, t0), put_loose(to + 2, t1), put_loose(to + 4, t2);
}

/* to -= a' x */
static inline void subtract_turned(double *to, const double *a, const double *x)
{
	v2 x0 = get_loose(x), x1 = get_loose(x + 2), x2 = get_loose(x + 4);
	for (int k = 0; k < 6; ++k, a += 6) {
		v2 sum = get(a) * x0 + get(a + 2) * x1 + get(a + 4) * x2;
		to[k] -= sum[0] + sum[1];
	}
}

static void solve_forward(const cn_block *block, const cn_panel *p, double *x)
{
	const double *value = cn_block_at(block, p->at);
	double *own = x + 6 * (size_t)p->column;
	for (uint32_t r = 0; r < p->rows; ++r) {
		double *to = x + 6 * (size_t)block->row[p->row + r];
		uint32_t columns = r < p->width ? r : p->width;
		for (uint32_t k = 0; k < columns; ++k)
			subtract(to, value + k * CN_BLOCK_SIZE, own + 6 * (size_t)k);
		if (r < p->width) {
			const double *l = value + (size_t)r * CN_BLOCK_SIZE;
			for (int k = 0; k < 6; ++k) {
				to[k] *= l[7 * k];
				for (int i = k + 1; i < 6; ++i)
					to[i] -= l[6 * k + i] * to[k];
			}
		}
		value += (size_t)p->width * CN_BLOCK_SIZE;
	}
}

static void solve_backward(const cn_block *block, const cn_panel *p, double *x)
{
	double *own = x + 6 * (size_t)p->column;
	for (uint32_t r = p->rows; r-- > 0;) {
		double *from = x + 6 * (size_t)block->row[p->row + r];
		const double *value = cn_block_at(block, p->at + (size_t)r * p->width);
		uint32_t columns = r < p->width ? r : p->width;
		if (r < p->width) {
			const double *l = value + (size_t)r * CN_BLOCK_SIZE;
			for (int k = 5; k >= 0; --k) {
				for (int i = k + 1; i < 6; ++i)
					from[k] -= l[6 * k + i] * from[i];
				from[k] *= l[7 * k];
			}
		}
		for (uint32_t k = 0; k < columns; ++k)
			subtract_turned(own + 6 * (size_t)k, value + k * CN_BLOCK_SIZE, from);
	}
}

void cn_block_solve(const cn_block *block, double *x)
{
	for (uint32_t s = 0; s < block->panels; ++s)
		solve_forward(block, &block->panel[s], x);
	for (uint32_t s = block->panels; s-- > 0;)
		solve_backward(block, &block->panel[s], x);
}
