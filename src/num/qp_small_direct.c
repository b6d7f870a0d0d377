/* The direct solve of the small solver. Once it is known which contacts push, which of them stick and which joint rows
 * are at which bound, what remains are equations j x = want over those rows. They may depend on each other, as four
 * corners of a face do, so they are solved in the sense of least squares: with weights w = 1 / (j.j) and d small
 *
 *     H = d I + sum w j j',   H step = sum w j lack,   H z = step,   y += w j.z
 *
 * which moves x by sum w j (j.z) = step - d z: the smallest change of impulses that gives each row what it lacks. Rows
 * that contradict each other get what is nearest. H is in bodies, six rows each, and is factored in its envelope in the
 * order of the bodies: a column of n costs n small blocks.
 *
 * A row of softness c has an unknown of its own, of weight c, that is eliminated: its weight in H is w d / (d + w c).
 *
 * Where rows depend on each other many impulses give the same motion, and the nearest ones may be outside their cones.
 * They are put back and the equations solved again with the same factor, to and fro: that finds impulses inside the
 * cones where there are any. Friction of contacts that slide is stepped along in between.
 *
 * Where many contacts slide nobody knows which rows are equations. There rows and bodies take turns (alternating
 * directions): with every row counted by the same weights w, r x - want = z the speeds that rows are left with,
 *
 *     (I + sum w j j') x = sum j (y + w (want + z)),   y' = P(y - w (j x - want)),   z' = j x - want + (y' - y) / w
 *
 * where P takes an impulse to what is allowed. One factor serves all turns, a turn costs about a sweep, and it carries what
 * a contact does to the other end of the island at once. */
#include "num/qp_small_parts.h"

#include <string.h>

#define CN_SMALL_DIRECT_SOFT 1e-8  /* of a row's response: half of the digits for the softness, half for the rounding */
#define CN_SMALL_DIRECT_ROOM 32768 /* doubles of the matrix: a quarter of a megabyte, forty bodies that all touch */
#define CN_SMALL_DIRECT_WORK 1000  /* multiplications of a row: a direct solve may cost as much as a hundred sweeps */
#define CN_SMALL_DIRECT_ROUNDS 30  /* with one factor; an arch takes as many */
#define CN_SMALL_DIRECT_GAIN 0.97  /* a round that leaves more than this share of what was missing is the last */
#define CN_SMALL_TURNS_WEIGHT                                                                                          \
	5.0 /* / a row's response: w; a larger one is quicker from a good start and slower from a bad one */
#define CN_SMALL_TURNS_RELAX 1.6 /* of what a turn finds: beyond it, as is usual */

typedef cn_small_v2 v2;

static bool moves(const cn_small_run *run, uint32_t seat)
{
	return seat < run->memory->seats && run->memory->live[seat];
}

static double *row_start(const cn_small_matrix *m, uint32_t row)
{
	uint32_t body = row / 6;
	return m->value + m->at[body] + (size_t)(row % 6) * 6 * (body - m->first[body] + 1);
}

size_t cn_small_matrix_room(uint32_t bodies)
{
	size_t all = (size_t)18 * bodies * ((size_t)bodies + 1);
	return bodies > CN_SMALL_BODIES || all > CN_SMALL_DIRECT_ROOM ? CN_SMALL_DIRECT_ROOM : all;
}

static void tie(const cn_small_run *run, uint32_t a, uint32_t b)
{
	uint32_t *first = run->memory->matrix.first;
	if (!moves(run, a) || !moves(run, b))
		return;
	if (a < b)
		first[b] = a < first[b] ? a : first[b];
	else
		first[a] = b < first[a] ? b : first[a];
}

static void tie_all(const cn_small_run *run, uint32_t a, uint32_t b, const cn_small_far *f)
{
	tie(run, a, b);
	for (uint32_t i = 0; i < f->count; ++i) /* a is the first of all */
		tie(run, a, f->seat[i]);
}

bool cn_small_direct_plan(const cn_small_run *run)
{
	cn_small_matrix *m = &run->memory->matrix;
	uint32_t bodies = run->memory->seats;
	for (uint32_t i = 0; i < bodies; ++i)
		m->first[i] = i;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		tie_all(run, run->memory->touch[i].a, run->memory->touch[i].b, &run->memory->touch[i].far);
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		tie_all(run, run->memory->bond[i].a, run->memory->bond[i].b, &run->memory->bond[i].far);
	size_t at = 0;
	double work = 0;
	for (uint32_t i = 0; i < bodies; ++i) {
		size_t width = (size_t)6 * (i - m->first[i] + 1);
		m->at[i] = at;
		at += 6 * width;
		work += 3 * (double)width * (double)width;
	}
	double rows = 3 * (double)run->qp->contact_count + run->qp->row_count;
	return bodies > 0 && at <= CN_SMALL_DIRECT_ROOM && work <= CN_SMALL_DIRECT_WORK * rows;
}

/* ---- the matrix */

static void add_block(double *to, size_t stride, const double *left, const double *right, double weight)
{
	const v2 *r = (const v2 *)right;
	v2 r0 = r[0], r1 = r[1], r2 = r[2];
	for (int k = 0; k < 6; ++k) {
		v2 *p = (v2 *)(to + (size_t)k * stride), f = {left[k] * weight, left[k] * weight};
		p[0] += f * r0, p[1] += f * r1, p[2] += f * r2;
	}
}

/* H += weight j j', its lower triangle and the rest of the blocks on the diagonal. */
static void add_row(const cn_small_run *run, uint32_t a, uint32_t b, const double *j, double weight)
{
	const cn_small_matrix *m = &run->memory->matrix;
	const uint32_t body[2] = {a, b};
	for (int k = 0; k < 2; ++k) {
		uint32_t i = body[k];
		if (!moves(run, i))
			continue;
		size_t before = i - m->first[i];
		add_block(m->value + m->at[i] + 6 * before, 6 * (before + 1), j + 6 * k, j + 6 * k, weight);
	}
	if (!moves(run, a) || !moves(run, b))
		return;
	uint32_t row = a < b ? b : a, column = a < b ? a : b;
	double *to = m->value + m->at[row] + (size_t)6 * (column - m->first[row]);
	add_block(to, (size_t)6 * (row - m->first[row] + 1), j + (a < b ? 6 : 0), j + (a < b ? 0 : 6), weight);
}

/* A row with further seats, which stand in their order: the k-th of those in far. */
typedef struct long_row {
	uint32_t a, b;
	const double *j;
	const cn_small_far *far;
	uint32_t k;
} long_row;

/* The same of such a row. */
static void add_long_row(const cn_small_run *run, long_row r, double weight)
{
	const cn_small_matrix *m = &run->memory->matrix;
	const double *far = r.far->j + (size_t)6 * r.k * r.far->count;
	add_row(run, r.a, r.b, r.j, weight);
	for (uint32_t i = 0; i < r.far->count; ++i) {
		uint32_t row = r.far->seat[i];
		double *to = m->value + m->at[row] - (size_t)6 * m->first[row];
		size_t stride = (size_t)6 * (row - m->first[row] + 1);
		add_block(to + (size_t)6 * r.a, stride, far + (size_t)6 * i, r.j, weight);
		add_block(to + (size_t)6 * r.b, stride, far + (size_t)6 * i, r.j + 6, weight);
		for (uint32_t c = 0; c <= i; ++c)
			add_block(to + (size_t)6 * r.far->seat[c], stride, far + (size_t)6 * i, far + (size_t)6 * c, weight);
	}
}

/* The rows of a body against one column: how far their sums have come, two lanes each. */
typedef struct six {
	v2 sum[6];
} six;

/* Adds the products of n numbers, an even count, of six rows that are stride apart with those of the other; each row's
 * in its own order, so that its sum has the bits that it has alone. */
static inline six add_products(const double *rows, size_t stride, const double *other, size_t n)
{
	const v2 *q = (const v2 *)other, *p0 = (const v2 *)rows, *p1 = (const v2 *)(rows + stride),
			 *p2 = (const v2 *)(rows + 2 * stride), *p3 = (const v2 *)(rows + 3 * stride),
			 *p4 = (const v2 *)(rows + 4 * stride), *p5 = (const v2 *)(rows + 5 * stride);
	v2 s0 = {0, 0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
	for (size_t k = 0; k < n / 2; ++k) {
		v2 x = q[k];
		s0 += p0[k] * x, s1 += p1[k] * x, s2 += p2[k] * x;
		s3 += p3[k] * x, s4 += p4[k] * x, s5 += p5[k] * x;
	}
	return (six){{s0, s1, s2, s3, s4, s5}};
}

/* Goes on with a row's sum by n more products, and ends it. */
static inline double end_sum(v2 sum, const double *a, const double *b, uint32_t n)
{
	const v2 *p = (const v2 *)a, *q = (const v2 *)b;
	for (uint32_t k = 0; k < n / 2; ++k)
		sum += p[k] * q[k];
	double both = sum[0] + sum[1];
	return n % 2 ? both + a[n - 1] * b[n - 1] : both;
}

/* A body's rows left of its own block, column by column. The rows do not see each other. */
static void factor_left(const cn_small_matrix *m, uint32_t body, double *rows, size_t stride)
{
	uint32_t from = m->first[body];
	for (uint32_t of = from; of < body; ++of) {
		uint32_t start = m->first[of], f = from > start ? from : start;
		size_t n = (size_t)6 * (of - f), width = (size_t)6 * (of - start + 1);
		const double *column = m->value + m->at[of];
		for (uint32_t c = 0; c < 6; ++c, column += width) {
			const double *with = column + (size_t)6 * (f - start);
			double *to = rows + (size_t)6 * (f - from);
			six s = add_products(to, stride, with, n);
			double scale = with[n + c];
			for (int k = 0; k < 6; ++k, to += stride)
				to[n + c] = (to[n + c] - end_sum(s.sum[k], to + n, with + n, c)) * scale;
		}
	}
}

/* The factor in place; the diagonal holds its reciprocals. */
static void factor(const cn_small_matrix *m, uint32_t bodies)
{
	for (uint32_t body = 0; body < bodies; ++body) {
		size_t left = (size_t)6 * (body - m->first[body]), stride = left + 6;
		double *rows = m->value + m->at[body];
		factor_left(m, body, rows, stride);
		for (uint32_t c = 0; c < 6; ++c) { /* its own block */
			double *column = rows + c * stride, *to = column;
			six s = add_products(rows, stride, column, left);
			double pivot = to[left + c] - end_sum(s.sum[c], to + left, column + left, c);
			to[left + c] = 1 / sqrt(pivot > CN_SMALL_DIRECT_SOFT ? pivot : CN_SMALL_DIRECT_SOFT);
			for (uint32_t k = c + 1; k < 6; ++k) {
				to = rows + k * stride;
				to[left + c] = (to[left + c] - end_sum(s.sum[k], to + left, column + left, c)) * column[left + c];
			}
		}
	}
}

/* Takes f times each of six rows, the last first, off the n numbers of x, an even count. */
static inline void take_off(double *x, const double *rows, size_t stride, const double *f, size_t n)
{
	v2 *p = (v2 *)x, f0 = {f[0], f[0]}, f1 = {f[1], f[1]}, f2 = {f[2], f[2]}, f3 = {f[3], f[3]}, f4 = {f[4], f[4]},
	   f5 = {f[5], f[5]};
	const v2 *q0 = (const v2 *)rows, *q1 = (const v2 *)(rows + stride), *q2 = (const v2 *)(rows + 2 * stride),
			 *q3 = (const v2 *)(rows + 3 * stride), *q4 = (const v2 *)(rows + 4 * stride),
			 *q5 = (const v2 *)(rows + 5 * stride);
	for (size_t k = 0; k < n / 2; ++k)
		p[k] = (((((p[k] - q5[k] * f5) - q4[k] * f4) - q3[k] * f3) - q2[k] * f2) - q1[k] * f1) - q0[k] * f0;
}

static void solve(const cn_small_matrix *m, uint32_t bodies, double *x)
{
	for (uint32_t body = 0; body < bodies; ++body) {
		size_t left = (size_t)6 * (body - m->first[body]), stride = left + 6;
		const double *row = m->value + m->at[body];
		double *own = x + (size_t)6 * body;
		six s = add_products(row, stride, own - left, left);
		for (uint32_t k = 0; k < 6; ++k, row += stride)
			own[k] = (own[k] - end_sum(s.sum[k], row + left, own, k)) * row[left + k];
	}
	for (uint32_t body = bodies; body-- > 0;) {
		size_t left = (size_t)6 * (body - m->first[body]), stride = left + 6;
		const double *rows = m->value + m->at[body];
		double *own = x + (size_t)6 * body;
		for (uint32_t k = 6; k-- > 0;) {
			const double *row = rows + k * stride;
			own[k] *= row[left + k];
			for (uint32_t c = 0; c < k; ++c)
				own[c] -= row[left + c] * own[k];
		}
		take_off(own - left, rows, stride, own, left);
	}
}

/* ---- rows */

/* The weight of row k of a contact, 0 where it is no equation. */
static double weight_of(const cn_small_run *run, uint32_t i, int k)
{
	const cn_small_touch *t = &run->memory->touch[i];
	uint8_t state = run->memory->touch_state[i];
	if (t->per_n == 0 || !(state & CN_SMALL_PUSHES))
		return 0;
	return k == 0 ? t->per_n : state & CN_SMALL_STICKS ? t->per_t : 0;
}

static double bond_weight(const cn_small_run *run, uint32_t i)
{
	const cn_small_bond *b = &run->memory->bond[i];
	if (!run->memory->bond_state[i])
		return 0;
	return b->soft > 0 ? b->per * CN_SMALL_DIRECT_SOFT / (CN_SMALL_DIRECT_SOFT + b->per * b->soft) : b->per;
}

static void add_rows(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		for (int k = 0; k < 3; ++k) {
			double w = weight_of(run, i, k);
			if (w > 0)
				add_long_row(run, (long_row){t->a, t->b, t->j[k], &t->far, (uint32_t)k}, w);
		}
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		double w = bond_weight(run, i);
		if (w > 0)
			add_long_row(run, (long_row){s->bond[i].a, s->bond[i].b, s->bond[i].j, &s->bond[i].far, 0}, w);
	}
}

/* What is missing, and the right side; returns the largest. */
static double find_lacks(const cn_small_run *run, double *right)
{
	const cn_small *s = run->memory;
	double most = 0;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		double w[3] = {weight_of(run, i, 0), weight_of(run, i, 1), weight_of(run, i, 2)};
		if (w[0] == 0) /* then the others are too */
			continue;
		cn_small_pair u = cn_small_get(s->x, t->a, t->b), to = cn_small_get(right, t->a, t->b);
		for (int k = 0; k < 3 && w[k] != 0; ++k) {
			double lack = t->want[k] - cn_small_value(t->j[k], &u, &t->far, (uint32_t)k, s->x);
			most = fabs(lack) > most ? fabs(lack) : most;
			cn_small_push(t->j[k], w[k] * lack, &to);
			cn_small_push_far(&t->far, (uint32_t)k, w[k] * lack, right);
		}
		cn_small_put(right, t->a, t->b, &to);
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		cn_small_bond *b = &s->bond[i];
		double w = bond_weight(run, i);
		if (w == 0)
			continue;
		cn_small_pair u = cn_small_get(s->x, b->a, b->b), to = cn_small_get(right, b->a, b->b);
		double lack =
			(s->bond_state[i] == CN_SMALL_LOW ? b->low : b->high) - cn_small_value(b->j, &u, &b->far, 0, s->x);
		if (b->soft > 0)
			lack -= b->soft * run->row[i];
		b->lack = lack;
		most = fabs(lack) > most ? fabs(lack) : most;
		cn_small_push(b->j, w * lack, &to);
		cn_small_put(right, b->a, b->b, &to);
		cn_small_push_far(&b->far, 0, w * lack, right);
	}
	return most;
}

/* Between the two solves: what soft rows add to their multipliers by their own unknowns, taken off the right side. */
static void yield(const cn_small_run *run, double *step)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		cn_small_bond *b = &s->bond[i];
		if (!(b->soft > 0) || bond_weight(run, i) == 0)
			continue;
		cn_small_pair u = cn_small_get(step, b->a, b->b);
		double own = CN_SMALL_DIRECT_SOFT + b->per * b->soft, share = b->per / own;
		b->more = share * share * b->soft * (b->lack - cn_small_value(b->j, &u, &b->far, 0, step));
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		if (!(b->soft > 0) || bond_weight(run, i) == 0)
			continue;
		cn_small_pair to = cn_small_get(step, b->a, b->b);
		cn_small_push(b->j, -b->more, &to);
		cn_small_put(step, b->a, b->b, &to);
		cn_small_push_far(&b->far, 0, -b->more, step);
	}
}

/* y += w j.z */
static void go_on(const cn_small_run *run, const double *z)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		double *y[3] = {&run->y[i].n, &run->y[i].s, &run->y[i].t};
		if (weight_of(run, i, 0) == 0)
			continue;
		cn_small_pair u = cn_small_get(z, t->a, t->b);
		for (int k = 0; k < 3; ++k) {
			double w = weight_of(run, i, k);
			if (w > 0)
				*y[k] += w * cn_small_value(t->j[k], &u, &t->far, (uint32_t)k, z);
		}
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		double w = bond_weight(run, i);
		cn_small_pair u = cn_small_get(z, b->a, b->b);
		if (w > 0)
			run->row[i] += w * cn_small_value(b->j, &u, &b->far, 0, z) + (b->soft > 0 ? b->more : 0);
	}
}

/* Impulses back to what is allowed. */
static void allow(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		cn_qp_impulse *y = &run->y[i];
		double size2 = y->s * y->s + y->t * y->t;
		if (s->touch_state[i] == CN_SMALL_PUSHES && y->n > 0 && size2 > 0) { /* slides: at the edge */
			double f = s->touch[i].mu * y->n / sqrt(size2);
			y->s *= f, y->t *= f;
		}
	}
	cn_small_admit(run->qp, run->y);
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		bool wrong = s->bond_state[i] == CN_SMALL_LOW ? run->row[i] < 0 : run->row[i] > 0;
		if (wrong && b->low < b->high)
			run->row[i] = 0;
	}
}

void cn_small_direct(const cn_small_run *run, double enough)
{
	cn_small *s = run->memory;
	cn_small_matrix *m = &s->matrix;
	uint32_t bodies = s->seats, rows = 6 * bodies;
	size_t whole = m->at[bodies - 1] + (size_t)36 * (bodies - m->first[bodies - 1]);
	double last = INFINITY;
	memset(m->value, 0, whole * sizeof *m->value);
	add_rows(run);
	for (uint32_t i = 0; i < rows; ++i)
		row_start(m, i)[i - 6 * m->first[i / 6]] += CN_SMALL_DIRECT_SOFT;
	factor(m, bodies);
	for (int k = 0; k < CN_SMALL_DIRECT_ROUNDS; ++k) {
		memset(m->x, 0, ((size_t)rows + 6) * sizeof *m->x);
		cn_small_slide(run);
		double lack = find_lacks(run, m->x);
		if (!(lack > enough) || !(lack < CN_SMALL_DIRECT_GAIN * last))
			break;
		last = lack;
		solve(m, bodies, m->x);
		memset(m->x + rows, 0, 6 * sizeof *m->x);
		yield(run, m->x);
		solve(m, bodies, m->x);
		memset(m->x + rows, 0, 6 * sizeof *m->x);
		go_on(run, m->x);
		allow(run);
		cn_small_sum(run);
	}
}

/* ---- turns of rows and bodies */

/* The speeds that rows are left with, beside what is wanted: 0 where they push. */
static void begin_turns(const cn_small_run *run, double *z)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i, z += 3) {
		const cn_small_touch *t = &s->touch[i];
		cn_small_pair u = cn_small_get(s->x, t->a, t->b);
		bool pushes = run->y[i].n > 0, sticks = s->touch_state[i] & CN_SMALL_STICKS;
		double spare = cn_small_value(t->j[0], &u, &t->far, 0, s->x) - t->want[0];
		z[0] = pushes || spare < 0 ? 0 : spare;
		for (int k = 1; k < 3; ++k)
			z[k] = pushes && sticks ? 0 : cn_small_value(t->j[k], &u, &t->far, (uint32_t)k, s->x) - t->want[k];
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		cn_small_pair u = cn_small_get(s->x, b->a, b->b);
		double value = cn_small_value(b->j, &u, &b->far, 0, s->x);
		*z++ = value < b->low ? b->low : value > b->high ? b->high : value;
	}
}

/* A contact's turn; z: its three numbers. */
static inline void turn_contact(const cn_small_touch *t, const double *x, cn_qp_impulse *y, double *z)
{
	cn_small_pair u = cn_small_get(x, t->a, t->b);
	double wn = CN_SMALL_TURNS_WEIGHT * t->per_n, wt = CN_SMALL_TURNS_WEIGHT * t->per_t, more = CN_SMALL_TURNS_RELAX;
	double n = more * (cn_small_value(t->j[0], &u, &t->far, 0, x) - t->want[0]) + (1 - more) * z[0];
	double s = more * (cn_small_value(t->j[1], &u, &t->far, 1, x) - t->want[1]) + (1 - more) * z[1];
	double q = more * (cn_small_value(t->j[2], &u, &t->far, 2, x) - t->want[2]) + (1 - more) * z[2];
	cn_qp_impulse to = {y->n - wn * n, 0, 0};
	to.n = to.n > 0 ? to.n : 0;
	if (t->mu > 0 && wt > 0) {
		double limit = t->mu * to.n, size2;
		to.s = y->s - wt * s, to.t = y->t - wt * q;
		size2 = to.s * to.s + to.t * to.t;
		if (size2 > limit * limit) {
			double f = limit / sqrt(size2);
			to.s *= f, to.t *= f;
		}
		z[1] = s + (to.s - y->s) / wt, z[2] = q + (to.t - y->t) / wt;
	}
	z[0] = n + (to.n - y->n) / wn;
	*y = to;
}

static inline void turn_bond(const cn_small_bond *b, const double *x, double *y, double *z)
{
	cn_small_pair u = cn_small_get(x, b->a, b->b);
	double w = CN_SMALL_TURNS_WEIGHT * b->per, value = cn_small_value(b->j, &u, &b->far, 0, x);
	value = CN_SMALL_TURNS_RELAX * value + (1 - CN_SMALL_TURNS_RELAX) * *z;
	double up = *y + (b->low - value) * w, down = *y + (b->high - value) * w, to = up > 0 ? up : down < 0 ? down : 0;
	*z = value + (to - *y) / w;
	*y = to;
}

/* Every row takes its turn at m->x, unless it is the first time, and pushes for the next one. */
static void turn_rows(const cn_small_run *run, double *z, double *right, bool first)
{
	const cn_small *s = run->memory;
	const double w = CN_SMALL_TURNS_WEIGHT;
	memset(right, 0, ((size_t)6 * s->seats + 6) * sizeof *right);
	for (uint32_t i = 0; i < run->qp->contact_count; ++i, z += 3) {
		const cn_small_touch *t = &s->touch[i];
		cn_qp_impulse *y = &run->y[i];
		if (t->per_n == 0)
			continue;
		if (!first)
			turn_contact(t, s->x, y, z);
		cn_small_pair to = cn_small_get(right, t->a, t->b);
		double push[3] = {y->n + w * t->per_n * (z[0] + t->want[0]), y->s + w * t->per_t * (z[1] + t->want[1]),
		                  y->t + w * t->per_t * (z[2] + t->want[2])};
		for (uint32_t k = 0; k < 3 && (k == 0 || (t->mu > 0 && t->per_t > 0)); ++k) {
			cn_small_push(t->j[k], push[k], &to);
			cn_small_push_far(&t->far, k, push[k], right);
		}
		cn_small_put(right, t->a, t->b, &to);
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i, ++z) {
		const cn_small_bond *b = &s->bond[i];
		if (b->per == 0)
			continue;
		if (!first)
			turn_bond(b, s->x, &run->row[i], z);
		cn_small_pair to = cn_small_get(right, b->a, b->b);
		cn_small_push(b->j, run->row[i] + w * b->per * *z, &to);
		cn_small_put(right, b->a, b->b, &to);
		cn_small_push_far(&b->far, 0, run->row[i] + w * b->per * *z, right);
	}
}

bool cn_small_slides(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		if (s->touch_state[i] == CN_SMALL_PUSHES && s->touch[i].mu > 0)
			return true;
	return false;
}

void cn_small_turns_begin(const cn_small_run *run)
{
	cn_small *s = run->memory;
	cn_small_matrix *m = &s->matrix;
	uint32_t bodies = s->seats;
	const double w = CN_SMALL_TURNS_WEIGHT;
	size_t whole = m->at[bodies - 1] + (size_t)36 * (bodies - m->first[bodies - 1]);
	memset(m->value, 0, whole * sizeof *m->value);
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		for (int k = 0; k < 3 && t->per_n > 0; ++k)
			if (k == 0 || t->mu > 0)
				add_long_row(run, (long_row){t->a, t->b, t->j[k], &t->far, (uint32_t)k}, w * (k ? t->per_t : t->per_n));
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		add_long_row(run, (long_row){s->bond[i].a, s->bond[i].b, s->bond[i].j, &s->bond[i].far, 0}, w * s->bond[i].per);
	for (uint32_t i = 0; i < 6 * bodies; ++i)
		row_start(m, i)[i - 6 * m->first[i / 6]] += 1;
	factor(m, bodies);
}

void cn_small_turns(const cn_small_run *run, uint32_t turns)
{
	cn_small *s = run->memory;
	uint32_t bodies = s->seats;
	begin_turns(run, s->turns);
	turn_rows(run, s->turns, s->matrix.x, true);
	for (uint32_t k = 0; k < turns; ++k) {
		solve(&s->matrix, bodies, s->matrix.x);
		memcpy(s->x, s->matrix.x, 6 * (size_t)bodies * sizeof *s->x);
		memset(s->x + 6 * (size_t)bodies, 0, 6 * sizeof *s->x);
		turn_rows(run, s->turns, s->matrix.x, false);
	}
	cn_small_sum(run);
}
