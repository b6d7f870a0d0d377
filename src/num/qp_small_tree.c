/* Joints of the small solver. Equations between bodies are not rows that sweeps go over: where they form trees they are
 * eliminated, and what is left are coordinates in which every motion keeps them (the articulated bodies of Featherstone,
 * for whatever equations). In units of mass (qp_small_parts.h) a link with the equations b x + a x_p = want to its parent
 * moves as
 *
 *     x = X x_p + c + N q,   X = -b^+ a,   c = b^+ want,   b N = 0
 *
 * and from the leaves on, with A and p the inertia and bias of all that hangs on a link (I and 0 for a leaf),
 *
 *     D = N'A N = G G',   K = N G'^-1,   W = A K,   Y = X - K W'X
 *     A_p += Y'A Y,   p_p += Y'(A (c - K (W'c + K'p)) + p)
 *
 * so that x = s + z with s the nearest motion that keeps the equations, s = Y s_p + c - K (W'c + K'p), and
 * z = K v + Y z_p, in which v are coordinates as good as x are: |z|^2 = |v|^2. A row j at a link is K'j in its own
 * coordinates, K_p'Y'j in its parent's, and so on up to the root. Equations that close a loop stay rows. Coordinates
 * stand in seats of six, as those of bodies do, from the leaves to the root, so that limbs see each other in the root's
 * alone. */
#include "num/qp_small_lanes.h"

#include <string.h>

#define CN_SMALL_DEPENDS 1e-12 /* |part of an equation across those before|^2 / |equation|^2: it follows from them */
#define CN_SMALL_BLOCKED 1e-20 /* response of a row / that without joints: nothing of it can move */

enum { EQUATIONS = 12 }; /* of a pair of bodies that are looked at; more would depend on each other */
enum { SEATS = 64 };     /* of a set */

/* An equation between a link and its parent. */
typedef struct equation {
	double b[6], a[6], want;
	uint32_t row;
} equation;

static bool is_equation(const cn_qp_row *r) { return r->low == r->high && !(r->soft > 0); }

static bool moves(const cn_small_run *run, uint32_t body)
{
	return body < run->qp->body_count && run->memory->root[(size_t)7 * body] > 0;
}

static double dot(const double *a, const double *b)
{
	const cn_small_v2 *p = (const cn_small_v2 *)a, *q = (const cn_small_v2 *)b;
	cn_small_v2 sum = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
	return sum[0] + sum[1];
}

static void add(double *to, const double *a, double f)
{
	cn_small_v2 *p = (cn_small_v2 *)to, by = {f, f};
	const cn_small_v2 *q = (const cn_small_v2 *)a;
	p[0] += q[0] * by, p[1] += q[1] * by, p[2] += q[2] * by;
}

/* to = M x, to = M'x */
static void times(const double m[6][6], const double *x, double *to)
{
	for (int i = 0; i < 6; ++i)
		to[i] = dot(m[i], x);
}

static void times_across(const double m[6][6], const double *x, double *to)
{
	memset(to, 0, 6 * sizeof *to);
	for (int i = 0; i < 6; ++i)
		add(to, m[i], x[i]);
}

/* ---- the tree */

static uint32_t other_of(const cn_qp_row *r, uint32_t body) { return r->a == body ? r->b : r->a; }

/* Equations by body. */
static void list_equations(const cn_small_run *run)
{
	const cn_qp *qp = run->qp;
	cn_small_tree *t = &run->memory->tree;
	memset(t->first, 0, ((size_t)qp->body_count + 2) * sizeof *t->first);
	for (uint32_t i = 0; i < qp->row_count; ++i)
		for (int k = 0; k < 2 && is_equation(&qp->rows[i]); ++k) {
			uint32_t body = k ? qp->rows[i].b : qp->rows[i].a;
			if (moves(run, body))
				++t->first[body + 2];
		}
	for (uint32_t i = 0; i < qp->body_count; ++i)
		t->first[i + 2] += t->first[i + 1];
	for (uint32_t i = 0; i < qp->row_count; ++i)
		for (int k = 0; k < 2 && is_equation(&qp->rows[i]); ++k) {
			uint32_t body = k ? qp->rows[i].b : qp->rows[i].a;
			if (moves(run, body))
				t->equation[t->first[body + 1]++] = i;
		}
}

static void plant(cn_small_tree *t, uint32_t body, uint32_t parent)
{
	t->of[body] = t->count;
	t->links[t->count++] = (cn_small_link){.body = body, .parent = parent};
}

/* What is tied to a link on, level by level. */
static void grow(const cn_small_run *run, uint32_t from)
{
	cn_small_tree *t = &run->memory->tree;
	for (; from < t->count; ++from) {
		uint32_t body = t->links[from].body;
		for (uint32_t k = t->first[body]; k < t->first[body + 1]; ++k) {
			uint32_t next = other_of(&run->qp->rows[t->equation[k]], body);
			if (moves(run, next) && t->of[next] == CN_QP_NONE)
				plant(t, next, from);
		}
	}
}

/* Trees begin at what is tied to something that cannot move; those that are tied to nothing at the body with the most
 * equations. */
static void find_trees(const cn_small_run *run)
{
	cn_small_tree *t = &run->memory->tree;
	uint32_t bodies = run->qp->body_count;
	for (uint32_t i = 0; i < bodies; ++i)
		t->of[i] = CN_QP_NONE;
	for (uint32_t i = 0; i < bodies; ++i)
		for (uint32_t k = t->first[i]; k < t->first[i + 1] && t->of[i] == CN_QP_NONE; ++k)
			if (!moves(run, other_of(&run->qp->rows[t->equation[k]], i)))
				plant(t, i, CN_QP_NONE);
	grow(run, 0);
	for (;;) {
		uint32_t best = CN_QP_NONE, most = 0;
		for (uint32_t i = 0; i < bodies; ++i)
			if (t->of[i] == CN_QP_NONE && t->first[i + 1] - t->first[i] > most)
				best = i, most = t->first[i + 1] - t->first[i];
		if (best == CN_QP_NONE)
			return;
		plant(t, best, CN_QP_NONE);
		grow(run, t->count - 1);
	}
}

/* ---- a link's equations */

static uint32_t take_equations(const cn_small_run *run, const cn_small_link *l, equation *e)
{
	const cn_small_tree *t = &run->memory->tree;
	uint32_t parent = l->parent == CN_QP_NONE ? CN_QP_NONE : t->links[l->parent].body, count = 0;
	for (uint32_t k = t->first[l->body]; k < t->first[l->body + 1] && count < EQUATIONS; ++k) {
		uint32_t i = t->equation[k], to = other_of(&run->qp->rows[i], l->body);
		if (parent == CN_QP_NONE ? moves(run, to) : to != parent)
			continue;
		const cn_small_bond *b = &run->memory->bond[i];
		bool turned = run->qp->rows[i].a != l->body;
		memcpy(e[count].b, b->j + (turned ? 6 : 0), sizeof e->b);
		memcpy(e[count].a, b->j + (turned ? 0 : 6), sizeof e->a);
		e[count].want = b->low;
		e[count++].row = i;
	}
	return count;
}

/* The vector with the largest part across those of q, which have been taken off all, becomes the next of these and is
 * taken off too. CN_QP_NONE: all depend on them. */
static uint32_t next_axis(double (*v)[6], uint32_t of, double q[6][6], uint32_t count)
{
	uint32_t best = CN_QP_NONE;
	double most = CN_SMALL_DEPENDS;
	for (uint32_t i = 0; i < of; ++i) {
		double size = dot(v[i], v[i]);
		if (size > most)
			best = i, most = size;
	}
	if (best == CN_QP_NONE)
		return best;
	double axis[6];
	memcpy(axis, v[best], sizeof axis);
	for (uint32_t k = 0; k < count; ++k) /* what rounding left */
		add(axis, q[k], -dot(q[k], axis));
	memset(q[count], 0, sizeof q[count]);
	add(q[count], axis, 1 / sqrt(dot(axis, axis)));
	memset(v[best], 0, sizeof v[best]);
	for (uint32_t i = 0; i < of; ++i)
		add(v[i], q[count], -dot(q[count], v[i]));
	return best;
}

/* Chooses independent equations; q: an orthonormal basis, first of what they hold, then of what they leave. They come
 * first in e, and b^+ of each is found. */
static void choose_equations(cn_small_link *l, equation *e, uint32_t count, double q[6][6], double inverse[6][6])
{
	double v[EQUATIONS][6] = {{0}};
	for (uint32_t i = 0; i < count; ++i) {
		double size = dot(e[i].b, e[i].b);
		if (size > 0)
			add(v[i], e[i].b, 1 / sqrt(size));
	}
	l->held = 0;
	for (; l->held < 6; ++l->held) {
		uint32_t best = next_axis(v, count, q, l->held), at = l->held;
		if (best == CN_QP_NONE)
			break;
		equation was = e[at];
		e[at] = e[best], e[best] = was;
		memcpy(v[best], v[at], sizeof v[best]);
		memset(v[at], 0, sizeof v[at]);
		l->row[at] = e[at].row;
	}
	for (uint32_t k = l->held; k-- > 0;) {
		memcpy(inverse[k], q[k], sizeof q[k]);
		for (uint32_t i = k + 1; i < l->held; ++i)
			add(inverse[k], inverse[i], -dot(e[i].b, q[k]));
		double pivot = 1 / dot(e[k].b, q[k]);
		for (int i = 0; i < 6; ++i)
			inverse[k][i] *= pivot;
	}
	double unit[6][6] = {{0}};
	for (int i = 0; i < 6; ++i) {
		unit[i][i] = 1;
		for (uint32_t k = 0; k < l->held; ++k)
			add(unit[i], q[k], -q[k][i]);
	}
	for (uint32_t k = l->held; k < 6; ++k)
		next_axis(unit, 6, q, k);
	l->free = 6 - l->held;
}

/* ---- from the leaves to the root */

/* K and W of a link from the directions that its equations leave. */
static void free_axes(cn_small_link *l, const double free[6][6], double pull[6][6])
{
	double an[6][6], d[6][6];
	uint32_t n = l->free;
	for (uint32_t i = 0; i < n; ++i)
		times(l->inertia, free[i], an[i]);
	for (uint32_t i = 0; i < n; ++i) /* G, its diagonal inverted, and K and W row by row: G K' = N' */
		for (uint32_t k = 0; k <= i; ++k) {
			double sum = dot(free[i], an[k]);
			for (uint32_t m = 0; m < k; ++m)
				sum -= d[i][m] * d[k][m];
			d[i][k] = k < i ? sum * d[k][k] : 1 / sqrt(sum);
		}
	for (uint32_t i = 0; i < n; ++i) {
		memcpy(l->own[i], free[i], sizeof l->own[i]);
		memcpy(pull[i], an[i], sizeof pull[i]);
		for (uint32_t m = 0; m < i; ++m) {
			add(l->own[i], l->own[m], -d[i][m]);
			add(pull[i], pull[m], -d[i][m]);
		}
		for (int c = 0; c < 6; ++c)
			l->own[i][c] *= d[i][i], pull[i][c] *= d[i][i];
	}
}

/* A link hands what hangs on it to its parent, and keeps Y and the parts of s that are not its parent's. What is handed on
 * is a sum of squares, so that nothing cancels where masses differ. */
static void hand_on(cn_small_link *l, cn_small_link *parent, const double x[6][6], const double c[6],
                    const double pull[6][6])
{
	double load[6], ay[6][6], wx[6], to[6];
	memcpy(l->start, c, sizeof l->start);
	memcpy(l->across, x, sizeof l->across);
	for (uint32_t k = 0; k < l->free; ++k) {
		add(l->start, l->own[k], -dot(pull[k], c) - dot(l->own[k], l->bias));
		times_across(x, pull[k], wx);
		for (int i = 0; i < 6; ++i)
			add(l->across[i], wx, -l->own[k][i]);
	}
	if (!parent)
		return;
	for (int i = 0; i < 6; ++i)
		times_across(l->across, l->inertia[i], ay[i]);
	for (int i = 0; i < 6; ++i)
		for (int k = 0; k < 6; ++k)
			add(parent->inertia[i], ay[k], l->across[k][i]);
	times(l->inertia, l->start, load);
	add(load, l->bias, 1);
	times_across(l->across, load, to);
	add(parent->bias, to, 1);
}

static void reduce(const cn_small_run *run, cn_small_link *l)
{
	equation e[EQUATIONS];
	double q[6][6], inverse[6][6], pull[6][6], x[6][6] = {{0}}, c[6] = {0};
	choose_equations(l, e, take_equations(run, l, e), q, inverse);
	for (uint32_t k = 0; k < l->held; ++k) {
		for (int i = 0; i < 6; ++i)
			add(x[i], e[k].a, -inverse[k][i]);
		add(c, inverse[k], e[k].want);
		memcpy(l->inverse[k], inverse[k], sizeof inverse[k]);
	}
	free_axes(l, (const double(*)[6])q + l->held, pull);
	hand_on(l, l->parent == CN_QP_NONE ? NULL : &run->memory->tree.links[l->parent], (const double(*)[6])x, c,
	        (const double(*)[6])pull);
}

/* The equations that are eliminated are no rows any more. */
static void take_out(const cn_small_run *run, const cn_small_link *l)
{
	for (uint32_t k = 0; k < l->held; ++k) {
		cn_small_bond *b = &run->memory->bond[l->row[k]];
		memset(b->j, 0, sizeof b->j);
		b->size = b->per = 0;
		b->a = b->b = CN_QP_NONE;
	}
}

/* ---- seats */

/* Gives coordinates seats, those of bodies without equations first. False: there are too many for a set. */
static bool sit_down(const cn_small_run *run)
{
	cn_small *s = run->memory;
	cn_small_tree *t = &s->tree;
	uint32_t seats = 0;
	for (uint32_t i = 0; i < run->qp->body_count; ++i)
		if (t->of[i] == CN_QP_NONE && moves(run, i))
			t->seat[i] = seats++;
	s->seats = seats;
	for (uint32_t i = t->count, at = 6 * seats; i-- > 0; s->seats = (at + 5) / 6) {
		t->links[i].at = at;
		at += t->links[i].free;
	}
	if (s->seats > SEATS)
		return false;
	for (uint32_t i = 0; i < t->count; ++i) {
		cn_small_link *l = &t->links[i];
		l->seats = l->parent == CN_QP_NONE ? 0 : t->links[l->parent].seats;
		for (uint32_t k = 0; k < l->free; ++k)
			l->seats |= (uint64_t)1 << (l->at + k) / 6;
	}
	return true;
}

static uint64_t seats_of(const cn_small_run *run, uint32_t body)
{
	const cn_small_tree *t = &run->memory->tree;
	if (body >= run->qp->body_count || !moves(run, body))
		return 0;
	return t->of[body] == CN_QP_NONE ? (uint64_t)1 << t->seat[body] : t->links[t->of[body]].seats;
}

static uint32_t count_bits(uint64_t set)
{
	uint32_t count = 0;
	for (; set; set &= set - 1)
		++count;
	return count;
}

/* A row of a body, six numbers, in the coordinates that move it. */
static void climb(const cn_small_run *run, uint32_t body, const double *j, double *to)
{
	const cn_small_tree *t = &run->memory->tree;
	if (!moves(run, body))
		return;
	if (t->of[body] == CN_QP_NONE) {
		add(to + (size_t)6 * t->seat[body], j, 1);
		return;
	}
	double at[6], next[6];
	memcpy(at, j, sizeof at);
	for (uint32_t i = t->of[body]; i != CN_QP_NONE; i = t->links[i].parent) {
		const cn_small_link *l = &t->links[i];
		for (uint32_t k = 0; k < l->free; ++k)
			to[l->at + k] += dot(l->own[k], at);
		times_across(l->across, at, next);
		memcpy(at, next, sizeof at);
	}
}

/* Rows by body (twelve numbers each) in coordinates, laid out in the memory of all seats. */
static void lay_out(const cn_small_run *run, uint32_t a, uint32_t b, const double (*j)[12], uint32_t rows)
{
	cn_small *s = run->memory;
	size_t wide = (size_t)6 * s->seats;
	for (uint32_t k = 0; k < rows; ++k) {
		memset(s->tree.arm + k * wide, 0, wide * sizeof *s->tree.arm);
		climb(run, a, j[k], s->tree.arm + k * wide);
		climb(run, b, j[k] + 6, s->tree.arm + k * wide);
	}
}

/* The product of two rows that are laid out, over the seats of a set. */
static double arm_product(const cn_small_run *run, uint64_t set, uint32_t a, uint32_t b)
{
	const cn_small *s = run->memory;
	const double *p = s->tree.arm + (size_t)6 * s->seats * a, *q = s->tree.arm + (size_t)6 * s->seats * b;
	double sum = 0;
	for (uint32_t i = 0; i < s->seats; ++i)
		if (set >> i & 1)
			sum += dot(p + (size_t)6 * i, q + (size_t)6 * i);
	return sum;
}

/* Where a row is in coordinates: the first two seats of a set, and the others. */
static cn_small_far seat_rows(cn_small *s, uint64_t set, uint32_t rows, double (*j)[12], uint32_t seats[2])
{
	cn_small_tree *t = &s->tree;
	cn_small_far far = {.j = t->far + t->far_used, .seat = t->far_seat + t->seat_used};
	uint32_t count = count_bits(set), n = 0;
	far.count = count > 2 ? count - 2 : 0;
	seats[0] = seats[1] = s->seats;
	memset(j, 0, rows * sizeof *j);
	for (uint32_t i = 0; i < s->seats; ++i) {
		if (!(set >> i & 1))
			continue;
		for (uint32_t k = 0; k < rows; ++k) {
			const double *from = t->arm + (size_t)6 * s->seats * k + (size_t)6 * i;
			double *to = n < 2 ? j[k] + 6 * (size_t)n : t->far + t->far_used + 6 * ((size_t)k * far.count + n - 2);
			memcpy(to, from, 6 * sizeof *to);
		}
		if (n < 2)
			seats[n] = i;
		else
			t->far_seat[t->seat_used++] = (uint8_t)i;
		++n;
	}
	t->far_used += (size_t)6 * rows * far.count;
	return far;
}

static double start_of(const cn_small_run *run, uint32_t body, const double *j)
{
	const cn_small_tree *t = &run->memory->tree;
	return moves(run, body) && t->of[body] != CN_QP_NONE ? dot(t->links[t->of[body]].start, j) : 0;
}

static double larger(double a, double b) { return a > b ? a : b; }
static double inverse_of(double x) { return x > 0 ? 1 / x : 0; }

/* A row that joints keep from moving at all is none. */
static double response(const cn_small_run *run, uint64_t set, uint32_t k, double before)
{
	cn_small *s = run->memory;
	double size = arm_product(run, set, k, k);
	if (size > CN_SMALL_BLOCKED * before)
		return size;
	memset(s->tree.arm + (size_t)6 * s->seats * k, 0, (size_t)6 * s->seats * sizeof *s->tree.arm);
	return 0;
}

static void seat_contact(cn_small_run *run, uint32_t i)
{
	cn_small_touch *t = &run->memory->touch[i];
	uint64_t set = seats_of(run, t->a) | seats_of(run, t->b);
	uint32_t seats[2];
	lay_out(run, t->a, t->b, (const double(*)[12])t->j, 3);
	for (uint32_t k = 0; k < 3; ++k) {
		t->want[k] -= start_of(run, t->a, t->j[k]) + start_of(run, t->b, t->j[k] + 6);
		t->size[k] = response(run, set, k, t->size[k]);
	}
	double st = arm_product(run, set, 1, 2), half = 0.5 * (t->size[1] - t->size[2]);
	t->ns = arm_product(run, set, 0, 1), t->nt = arm_product(run, set, 0, 2);
	t->most = 0.5 * (t->size[1] + t->size[2]) + sqrt(half * half + st * st);
	t->per_n = inverse_of(t->size[0]), t->per_t = inverse_of(t->most);
	t->far = seat_rows(run->memory, set, 3, t->j, seats);
	t->a = seats[0], t->b = seats[1];
	if (t->per_n == 0)
		run->stuck = larger(run->stuck, t->want[0]);
}

static void seat_bond(cn_small_run *run, uint32_t i)
{
	cn_small_bond *b = &run->memory->bond[i];
	uint64_t set = seats_of(run, b->a) | seats_of(run, b->b);
	uint32_t seats[2];
	double start = start_of(run, b->a, b->j) + start_of(run, b->b, b->j + 6);
	lay_out(run, b->a, b->b, (const double(*)[12])b->j, 1);
	b->low -= start, b->high -= start;
	b->size = response(run, set, 0, dot(b->j, b->j) + dot(b->j + 6, b->j + 6)) + (b->soft > 0 ? b->soft : 0);
	b->per = inverse_of(b->size);
	b->far = seat_rows(run->memory, set, 1, (double(*)[12])b->j, seats);
	b->a = seats[0], b->b = seats[1];
	if (b->per == 0)
		run->stuck = larger(run->stuck, larger(b->low, -b->high));
}

/* Whether there is room for the rows in coordinates. */
static bool fits(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	size_t need = 0;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		need += (size_t)18 * count_bits(seats_of(run, s->touch[i].a) | seats_of(run, s->touch[i].b));
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		need += (size_t)6 * count_bits(seats_of(run, s->bond[i].a) | seats_of(run, s->bond[i].b));
	return need <= s->tree.far_room;
}

void cn_small_join(cn_small_run *run)
{
	cn_small *s = run->memory;
	cn_small_tree *t = &s->tree;
	list_equations(run);
	find_trees(run);
	for (uint32_t i = 0; i < t->count; ++i)
		for (int k = 0; k < 6; ++k)
			t->links[i].inertia[k][k] = 1;
	for (uint32_t i = t->count; i-- > 0;)
		reduce(run, &t->links[i]);
	if (t->count == 0 || !sit_down(run) || !fits(run)) {
		t->count = 0, s->seats = run->qp->body_count;
		return;
	}
	for (uint32_t i = 0; i < t->count; ++i) {
		double from[6];
		if (t->links[i].parent == CN_QP_NONE)
			continue;
		times(t->links[i].across, t->links[t->links[i].parent].start, from);
		add(t->links[i].start, from, 1);
	}
	t->far_used = t->seat_used = 0;
	for (uint32_t i = 0; i < t->count; ++i)
		take_out(run, &t->links[i]);
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		seat_contact(run, i);
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		if (s->bond[i].a != CN_QP_NONE)
			seat_bond(run, i);
		else
			s->bond[i].a = s->bond[i].b = s->seats;
	memset(s->live, 1, s->seats);
}

/* ---- back to bodies */

/* Impulses on a body, in units of mass. */
static void take(const cn_small_run *run, uint32_t body, v3 impulse, v3 moment, double *x)
{
	double j[6];
	if (!moves(run, body))
		return;
	cn_small_take_root(run->memory->root + (size_t)7 * body, impulse, moment, j);
	add(x + (size_t)6 * body, j, -1);
}

/* What moves bodies beside contacts and the rows that are left are the eliminated equations: from the leaves on, each
 * link's give it what it lacks. left: by body, x at first. */
static void find_multipliers(const cn_small_run *run, double *left)
{
	const cn_qp *qp = run->qp;
	const cn_small_tree *t = &run->memory->tree;
	for (uint32_t i = 0; i < t->count; ++i)
		for (uint32_t k = 0; k < t->links[i].held; ++k)
			run->row[t->links[i].row[k]] = 0;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		v3 y = cn_qp_vector(c->n, run->y[i]);
		take(run, c->a, v3_neg(y), v3_neg(v3_cross(c->ra, y)), left);
		take(run, c->b, y, v3_cross(c->rb, y), left);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *r = &qp->rows[i];
		take(run, r->a, v3_scale(r->ja.v, run->row[i]), v3_scale(r->ja.w, run->row[i]), left);
		take(run, r->b, v3_scale(r->jb.v, run->row[i]), v3_scale(r->jb.w, run->row[i]), left);
	}
	for (uint32_t i = t->count; i-- > 0;) {
		const cn_small_link *l = &t->links[i];
		double on[6];
		for (uint32_t k = 0; k < l->held; ++k)
			run->row[l->row[k]] = dot(l->inverse[k], left + (size_t)6 * l->body);
		if (l->parent == CN_QP_NONE)
			continue;
		times_across(l->across, left + (size_t)6 * l->body, on);
		add(left + (size_t)6 * t->links[l->parent].body, on, 1);
	}
}

const double *cn_small_bodies(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	const cn_small_tree *t = &s->tree;
	if (t->count == 0)
		return s->x;
	size_t all = (size_t)6 * run->qp->body_count;
	memset(t->by_body, 0, all * sizeof *t->by_body);
	for (uint32_t i = 0; i < run->qp->body_count; ++i)
		if (t->of[i] == CN_QP_NONE && moves(run, i))
			memcpy(t->by_body + (size_t)6 * i, s->x + (size_t)6 * t->seat[i], 6 * sizeof *s->x);
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_small_link *l = &t->links[i];
		double *z = t->by_body + (size_t)6 * l->body;
		if (l->parent != CN_QP_NONE)
			times(l->across, t->by_body + (size_t)6 * t->links[l->parent].body, z);
		for (uint32_t k = 0; k < l->free; ++k)
			add(z, l->own[k], s->x[l->at + k]);
	}
	for (uint32_t i = 0; i < t->count; ++i)
		add(t->by_body + (size_t)6 * t->links[i].body, t->links[i].start, 1);
	memcpy(t->left, t->by_body, all * sizeof *t->left);
	find_multipliers(run, t->left);
	return t->by_body;
}
