/* The dual active set method (Goldfarb and Idnani 1983) on dense orthogonal factors, for small islands where rows that
 * nearly depend on each other keep the other methods from settling. It goes from the nearest point of some rows to that
 * of more: the row that lacks most is pushed until it is satisfied, and rows whose multiplier falls to 0 on the way are
 * let go. Only rows that lack something ever enter, so what depends on others does no harm, and with the active rows as
 * R'Q' and Q orthonormal their solution is as accurate as the rows themselves allow:
 *
 *     A_active = R'Q',   R'w = b_active,   x = Q w,   y = R^-1 w. */
#include "num/qp_exact_point.h"

#include <math.h>
#include <string.h>

#define CN_EXACT_DEPENDENT 1e-9 /* part of a unit row that is new: below this it depends on the others */
#define CN_EXACT_AGAIN 30       /* refinements of the dense method's answer; the best one is kept */
#define CN_EXACT_DENSE 100      /* bodies of an island at most for the dense method: 6 MB, below a second */

enum { FREE, ACTIVE, GIVEN_UP };

typedef struct dual {
	const cn_exact_rows *rows;
	size_t n;        /* numbers of x */
	uint32_t active; /* how many, <= n */
	double *q;       /* [n][n] orthonormal vectors, one after the other */
	double *r;       /* [n][n] columns of R */
	uint32_t *row;   /* [n] the active rows ... */
	double *sign;    /* [n] ... -1 for an equality that is pushed down ... */
	double *y;       /* [n] ... and their multipliers, times sign */
	double *d, *z;   /* [n] a row split: Q d + z */
	double *back;    /* [n] R^-1 d */
	double *x;       /* [n] */
	double *value;   /* [count] A x */
	uint8_t *state;  /* [count] */
} dual;

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t k = 0; k < n; ++k)
		sum += a[k] * b[k];
	return sum;
}

static void add(double *to, const double *a, double factor, size_t n)
{
	for (size_t k = 0; k < n; ++k)
		to[k] += factor * a[k];
}

/* Splits sign x row: d and z, orthogonal to Q to rounding; returns |z|. */
static double split(const dual *f, uint32_t row, double sign)
{
	const double *a = f->rows->a + (size_t)row * CN_EXACT_WIDTH;
	memset(f->z, 0, f->n * sizeof *f->z);
	add(f->z + 6 * (size_t)f->rows->i[row], a, sign, 6);
	if (f->rows->j[row] != CN_QP_NONE)
		add(f->z + 6 * (size_t)f->rows->j[row], a + 6, sign, 6);
	memset(f->d, 0, f->n * sizeof *f->d);
	for (int again = 0; again < 3; ++again)
		for (uint32_t k = 0; k < f->active; ++k) {
			double part = dot(f->q + k * f->n, f->z, f->n);
			f->d[k] += part;
			add(f->z, f->q + k * f->n, -part, f->n);
		}
	return sqrt(dot(f->z, f->z, f->n));
}

/* out = R^-1 in */
static void solve_back(const dual *f, const double *in, double *out)
{
	memcpy(out, in, f->active * sizeof *out);
	for (uint32_t k = f->active; k-- > 0;) {
		const double *column = f->r + k * f->n;
		out[k] /= column[k];
		add(out, column, -out[k], k);
	}
}

/* The active row k is let go: R without its column is made triangular again by turning pairs of Q's vectors. */
static void let_go(dual *f, uint32_t k)
{
	f->state[f->row[k]] = FREE;
	--f->active;
	for (uint32_t c = k; c < f->active; ++c) {
		memcpy(f->r + c * f->n, f->r + (c + 1) * f->n, (c + 2) * sizeof *f->r);
		f->row[c] = f->row[c + 1];
		f->sign[c] = f->sign[c + 1];
		f->y[c] = f->y[c + 1];
	}
	for (uint32_t i = k; i < f->active; ++i) {
		double *high = f->r + i * f->n + i, length = sqrt(high[0] * high[0] + high[1] * high[1]);
		double c = length > 0 ? high[0] / length : 1, s = length > 0 ? high[1] / length : 0;
		for (uint32_t column = i; column < f->active; ++column) {
			double *at = f->r + column * f->n + i, upper = at[0], lower = at[1];
			at[0] = c * upper + s * lower;
			at[1] = c * lower - s * upper;
		}
		double *p = f->q + i * f->n, *q = p + f->n;
		for (size_t m = 0; m < f->n; ++m) {
			double first = p[m], second = q[m];
			p[m] = c * first + s * second;
			q[m] = c * second - s * first;
		}
	}
}

/* Takes in the row that was split last, and makes x and y anew from the factors: no error adds up. */
static void take_in(dual *f, uint32_t row, double sign, double length)
{
	double *w = f->back;
	uint32_t k = f->active++;
	f->state[row] = ACTIVE;
	f->row[k] = row;
	f->sign[k] = sign;
	memcpy(f->r + k * f->n, f->d, k * sizeof *f->d);
	f->r[k * f->n + k] = length;
	for (size_t m = 0; m < f->n; ++m)
		f->q[k * f->n + m] = f->z[m] / length;
	memset(f->x, 0, f->n * sizeof *f->x);
	for (uint32_t c = 0; c < f->active; ++c) {
		const double *column = f->r + c * f->n;
		w[c] = (f->sign[c] * f->rows->b[f->row[c]] - dot(column, w, c)) / column[c];
		add(f->x, f->q + c * f->n, w[c], f->n);
	}
	solve_back(f, w, f->y);
	for (uint32_t c = 0; c < f->active; ++c)
		if (f->rows->kind[f->row[c]] == CN_EXACT_MIN && !(f->y[c] > 0))
			f->y[c] = 0; /* rounding */
}

/* The row that lacks most, equalities before all others; returns by how much, and its sign. */
static double find_row(const dual *f, uint32_t *row, double *sign, double tolerance)
{
	double most = 0;
	bool equality = false;
	cn_exact_times(f->rows, f->x, f->value);
	for (uint32_t r = 0; r < f->rows->count; ++r) {
		bool equal = f->rows->kind[r] == CN_EXACT_EQUAL;
		double lack = f->rows->b[r] - f->value[r], size = equal ? fabs(lack) : lack;
		if (f->state[r] != FREE || !(size > tolerance) || (equality && !equal))
			continue;
		if (size > most || (equal && !equality)) {
			most = size;
			*row = r;
			*sign = lack > 0 ? 1 : -1;
			equality = equal;
		}
	}
	return most;
}

/* Which active row's multiplier falls to 0 first as the split row is pushed, and after how much push; rounding does not
 * count as falling. */
static double find_limit(const dual *f, uint32_t *first)
{
	double least = DBL_MAX;
	for (uint32_t k = 0; k < f->active; ++k) {
		if (f->rows->kind[f->row[k]] != CN_EXACT_MIN || !(f->back[k] > CN_EXACT_DEPENDENT))
			continue;
		double limit = f->y[k] / f->back[k];
		if (limit < least) {
			least = limit;
			*first = k;
		}
	}
	return least;
}

/* The split row depends on the active ones and cannot be pushed further: its push goes over to them as far as they stay
 * >= 0. Where one falls to 0 it is let go, and the row can be taken in; true then. */
static bool hand_over(dual *f, double pushed)
{
	uint32_t first = 0;
	double part = pushed;
	for (uint32_t k = 0; k < f->active; ++k)
		if (f->rows->kind[f->row[k]] == CN_EXACT_MIN && f->y[k] < -f->back[k] * part) {
			part = f->y[k] / -f->back[k];
			first = k;
		}
	for (uint32_t k = 0; k < f->active; ++k)
		f->y[k] += part * f->back[k];
	if (part == pushed)
		return false;
	let_go(f, first);
	return true;
}

/* Pushes one row until it is satisfied; false where nothing can satisfy it. */
static bool push_row(dual *f, uint32_t row, double sign, double lack)
{
	double pushed = 0;
	for (;;) {
		uint32_t first = 0;
		double length = split(f, row, sign);
		bool depends = length <= CN_EXACT_DEPENDENT || f->active == f->n;
		solve_back(f, f->d, f->back);
		double limit = find_limit(f, &first), whole = depends ? DBL_MAX : lack / (length * length);
		if (depends && !(limit < DBL_MAX)) {
			if (hand_over(f, pushed)) {
				length = split(f, row, sign);
				if (length > CN_EXACT_DEPENDENT)
					take_in(f, row, sign, length);
			}
			return false;
		}
		if (whole <= limit) {
			take_in(f, row, sign, length);
			return true;
		}
		pushed += limit;
		for (uint32_t k = 0; k < f->active; ++k)
			f->y[k] -= limit * f->back[k];
		if (!depends) {
			add(f->x, f->z, limit, f->n);
			lack -= limit * length * length;
		}
		let_go(f, first);
	}
}

/* y into p, and what A'y still lacks of x solved for again, and the best y kept: the multipliers of rows that nearly
 * depend on each other are large, and rounding of them is not small. Leaves x as the factors have it. */
static void refine(dual *f, cn_exact_point *p)
{
	double least = DBL_MAX, *w = f->back, *change = f->d, *off = p->wx[0];
	for (int again = 0; again < CN_EXACT_AGAIN; ++again) {
		double *y = p->wr[0], now = 0, size = 0;
		memset(y, 0, f->rows->count * sizeof *y);
		for (uint32_t k = 0; k < f->active; ++k)
			y[f->row[k]] = f->sign[k] * f->y[k];
		cn_exact_turned(f->rows, y, off);
		for (size_t k = 0; k < f->n; ++k) {
			off[k] = f->x[k] - off[k];
			double u = fabs(off[k]) * f->rows->light[k / 6];
			now = u > now ? u : now;
			size = fabs(off[k]) > size ? fabs(off[k]) : size;
		}
		if (now < least) {
			least = now;
			p->residual = size;
			memcpy(p->y, y, f->rows->count * sizeof *y);
		}
		for (uint32_t c = 0; c < f->active; ++c)
			w[c] = dot(f->q + c * f->n, off, f->n);
		solve_back(f, w, change);
		for (uint32_t c = 0; c < f->active; ++c) {
			f->y[c] += change[c];
			if (f->rows->kind[f->row[c]] == CN_EXACT_MIN && !(f->y[c] > 0))
				f->y[c] = 0;
		}
	}
	memcpy(p->x, f->x, f->n * sizeof *p->x);
	cn_exact_times(f->rows, f->x, f->value);
	for (uint32_t r = 0; r < f->rows->count; ++r) {
		double lack = f->rows->b[r] - f->value[r];
		bool free = f->rows->kind[r] == CN_EXACT_MIN && !(p->y[r] > 0);
		lack = free ? lack : fabs(lack);
		p->residual = !(lack <= DBL_MAX) ? DBL_MAX : lack > p->residual ? lack : p->residual;
	}
}

static bool make(cn_arena *arena, const cn_exact_rows *rows, dual *f)
{
	size_t n = 6 * (size_t)rows->bodies;
	*f = (dual){.rows = rows, .n = n};
	f->q = cn_arena_take(arena, n * n, sizeof *f->q);
	f->r = cn_arena_take(arena, n * n + 1, sizeof *f->r);
	double *numbers = cn_arena_take(arena, 6 * n + rows->count, sizeof *numbers);
	f->row = cn_arena_take(arena, n, sizeof *f->row);
	f->state = cn_arena_take(arena, rows->count, sizeof *f->state);
	if (arena->failed)
		return false;
	f->sign = numbers, f->y = numbers + n, f->d = numbers + 2 * n, f->z = numbers + 3 * n, f->back = numbers + 4 * n;
	f->x = numbers + 5 * n, f->value = numbers + 6 * n;
	return true;
}

bool cn_exact_dual(cn_arena *arena, const cn_exact_rows *rows, cn_exact_point *p, double tolerance)
{
	dual f;
	if (rows->cones || rows->bodies > CN_EXACT_DENSE)
		return true;
	if (!make(arena, rows, &f))
		return false;
	uint32_t row = 0;
	double sign = 1;
	for (uint32_t k = 0; k < 10 * (rows->count + 10); ++k, ++p->iterations) {
		double lack = find_row(&f, &row, &sign, tolerance);
		if (!(lack > 0))
			break;
		if (!push_row(&f, row, sign, lack) && f.state[row] == FREE)
			f.state[row] = GIVEN_UP;
	}
	refine(&f, p);
	return true;
}
