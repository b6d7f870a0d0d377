/* See qp_exact_rows.h: from a program to unit rows in mass-scaled unknowns. u = u0 + L x with L L' = M^-1: the square
 * root of the inverse mass, and the Cholesky factor of the inverse inertia, which may be singular (what cannot turn
 * about an axis). */
#include "num/qp_exact_rows.h"

#include "base/sort.h"
#include "num/tolerance.h"

#include <math.h>
#include <string.h>

typedef double v2 __attribute__((vector_size(16), aligned(8), may_alias));

static inline v2 both(double x) { return (v2){x, x}; }
static inline v2 get(const double *p) { return *(const v2 *)p; }
static inline void put(double *p, v2 x) { *(v2 *)p = x; }

static bool moves(const cn_qp *qp, uint32_t body) { return body != CN_QP_NONE && qp->bodies[body].inv_mass > 0; }

/* The two bodies of a contact, or of a row (sources from contact_count on). */
static void ends(const cn_qp *qp, uint32_t source, uint32_t *a, uint32_t *b)
{
	bool contact = source < qp->contact_count;
	*a = contact ? qp->contacts[source].a : qp->rows[source - qp->contact_count].a;
	*b = contact ? qp->contacts[source].b : qp->rows[source - qp->contact_count].b;
}

static uint32_t island_of(const cn_exact_cut *cut, uint32_t source)
{
	uint32_t a, b;
	ends(cut->qp, source, &a, &b);
	if (moves(cut->qp, a))
		return cut->island[a];
	return moves(cut->qp, b) ? cut->island[b] : CN_QP_NONE;
}

bool cn_exact_cut_make(cn_arena *arena, const cn_qp *qp, bool friction, cn_exact_cut *cut)
{
	uint32_t n = qp->body_count, sources = qp->contact_count + qp->row_count;
	*cut = (cn_exact_cut){.qp = qp, .friction = friction};
	cut->island = cn_arena_take(arena, n, sizeof *cut->island);
	cut->local = cn_arena_take(arena, n, sizeof *cut->local);
	cut->bodies = cn_arena_take(arena, n, sizeof *cut->bodies);
	cut->row_first = cn_arena_take(arena, (size_t)n + 2, sizeof *cut->row_first);
	cut->row_source = cn_arena_take(arena, sources, sizeof *cut->row_source);
	cut->point = cn_arena_take(arena, n, sizeof *cut->point);
	cut->stored = cn_arena_take(arena, n, sizeof *cut->stored);
	if (arena->failed)
		return false;
	cn_qp_islands(qp, cut->island);
	for (uint32_t i = 0; i < n; ++i) { /* the least body comes first, so its island has its number by then */
		uint32_t root = cut->island[i];
		if (root == CN_QP_NONE)
			continue;
		cut->island[i] = root == i ? cut->islands++ : cut->island[root];
		cut->local[i] = cut->bodies[cut->island[i]]++;
	}
	for (uint32_t s = 0; s < sources; ++s) {
		uint32_t k = island_of(cut, s);
		if (k != CN_QP_NONE)
			++cut->row_first[k + 2];
	}
	for (uint32_t k = 0; k < cut->islands; ++k)
		cut->row_first[k + 2] += cut->row_first[k + 1];
	for (uint32_t s = 0; s < sources; ++s) {
		uint32_t k = island_of(cut, s);
		if (k != CN_QP_NONE)
			cut->row_source[cut->row_first[k + 1]++] = s;
	}
	return true;
}

/* One row of the program as it stands: its twists on a and b, and what it asks. */
typedef struct line {
	cn_twist ja, jb;
	uint32_t a, b;
} line;

static line contact_line(const cn_qp_contact *c, v3 d)
{
	return (line){{v3_neg(d), v3_cross(d, c->ra)}, {d, v3_cross(c->rb, d)}, c->a, c->b};
}

static double twist_dot(const cn_twist *j, const cn_twist *u, double *size)
{
	double sum = v3_dot(j->v, u->v) + v3_dot(j->w, u->w);
	*size += v3_dot(v3_abs(j->v), v3_abs(u->v)) + v3_dot(v3_abs(j->w), v3_abs(u->w));
	return sum;
}

/* The row's value at u0; size grows by the terms' sizes. */
static double start_value(const cn_qp *qp, const line *l, double *size)
{
	double sum = l->a == CN_QP_NONE ? 0 : twist_dot(&l->ja, &qp->u0[l->a], size);
	return l->b == CN_QP_NONE ? sum : sum + twist_dot(&l->jb, &qp->u0[l->b], size);
}

static line source_line(const cn_qp *qp, uint32_t source)
{
	if (source < qp->contact_count)
		return contact_line(&qp->contacts[source], qp->contacts[source].n);
	const cn_qp_row *r = &qp->rows[source - qp->contact_count];
	return (line){r->ja, r->jb, r->a, r->b};
}

double cn_exact_lack(const cn_qp *qp, uint32_t source, double *sign)
{
	double size = 0, low, high = INFINITY;
	line l = source_line(qp, source);
	double value = start_value(qp, &l, &size);
	if (source < qp->contact_count) {
		low = qp->contacts[source].least;
	} else {
		low = qp->rows[source - qp->contact_count].low;
		high = qp->rows[source - qp->contact_count].high;
	}
	double below = low - value, above = value - high;
	*sign = below > above ? 1 : -1;
	double lack = below > above ? below : above;
	double bound = below > above ? low : high;
	return lack - CN_EXACT_ROUNDING * (size + fabs(bound));
}

/* L of the inverse inertia, lower: xx yx yy zx zy zz. A pivot lost in rounding is 0. */
static void root_inertia(const double w[6], double l[6])
{
	double least = (w[0] + w[3] + w[5]) * 8 * DBL_EPSILON;
	l[0] = w[0] > least ? sqrt(w[0]) : 0;
	l[1] = l[0] > 0 ? w[1] / l[0] : 0;
	l[3] = l[0] > 0 ? w[2] / l[0] : 0;
	double p = w[3] - l[1] * l[1];
	l[2] = p > least ? sqrt(p) : 0;
	l[4] = l[2] > 0 ? (w[4] - l[3] * l[1]) / l[2] : 0;
	p = w[5] - l[3] * l[3] - l[4] * l[4];
	l[5] = p > least ? sqrt(p) : 0;
}

/* out += L' j */
static void scale_twist(const cn_qp_body *body, const cn_twist *j, double *out)
{
	double m = sqrt(body->inv_mass), l[6];
	root_inertia(body->inv_inertia, l);
	out[0] += m * j->v.x, out[1] += m * j->v.y, out[2] += m * j->v.z;
	out[3] += l[0] * j->w.x + l[1] * j->w.y + l[3] * j->w.z;
	out[4] += l[2] * j->w.y + l[4] * j->w.z;
	out[5] += l[5] * j->w.z;
}

void cn_exact_store_point(const cn_exact_cut *cut, uint32_t island, const cn_exact_rows *rows, const double *x)
{
	for (uint32_t b = 0; b < cut->qp->body_count; ++b) {
		if (cut->island[b] != island)
			continue;
		const cn_qp_body *body = &cut->qp->bodies[b];
		const double *at = x + 6 * (size_t)rows->matrix.place[cut->local[b]];
		double m = rows->scale * sqrt(body->inv_mass), l[6];
		root_inertia(body->inv_inertia, l);
		v3 v = {m * at[0], m * at[1], m * at[2]};
		v3 w = {l[0] * at[3], l[1] * at[3] + l[2] * at[4], l[3] * at[3] + l[4] * at[4] + l[5] * at[5]};
		cut->point[b] = (cn_twist){v3_add(cut->qp->u0[b].v, v), v3_madd(cut->qp->u0[b].w, w, rows->scale)};
		cut->stored[b] = 1;
	}
}

static double length_of(const double *a)
{
	double sum = 0;
	for (int k = 0; k < CN_EXACT_WIDTH; ++k)
		sum += a[k] * a[k];
	return sqrt(sum);
}

typedef struct writer {
	const cn_exact_cut *cut;
	cn_exact_rows *rows;
} writer;

/* Writes line l of an edge as row r, not yet of unit length, and returns its length. */
static double write_line(writer *w, uint32_t r, const cn_exact_edge *e, const line *l)
{
	const cn_exact_cut *cut = w->cut;
	double *a = w->rows->a + (size_t)r * CN_EXACT_WIDTH;
	for (int end = 0; end < 2; ++end) {
		uint32_t body = end ? l->b : l->a;
		if (!moves(cut->qp, body))
			continue;
		uint32_t column = w->rows->matrix.place[cut->local[body]];
		scale_twist(&cut->qp->bodies[body], end ? &l->jb : &l->ja, a + (column == e->i ? 0 : 6));
	}
	w->rows->i[r] = e->i;
	w->rows->j[r] = e->j;
	return length_of(a);
}

/* Row r: scaled by 1/length with the sign; asks for b, the difference of terms of that size, in the row's own unit. */
static void finish_row(cn_exact_rows *rows, uint32_t r, double length, double sign, double b, double size)
{
	double doubt = CN_EXACT_ROUNDING * size / length;
	rows->doubt = doubt > rows->doubt ? doubt : rows->doubt;
	for (int k = 0; k < CN_EXACT_WIDTH; ++k)
		rows->a[(size_t)r * CN_EXACT_WIDTH + (uint32_t)k] *= sign / length;
	rows->b[r] = sign * b / length;
	rows->factor[r] = sign / length;
}

/* A row that moves nothing, or asks nothing: its place is free again. */
static void drop_rows(writer *w, uint32_t count, uint32_t source)
{
	double sign;
	memset(w->rows->a + (size_t)w->rows->count * CN_EXACT_WIDTH, 0, count * CN_EXACT_WIDTH * sizeof(double));
	if (cn_exact_lack(w->cut->qp, source, &sign) > 0)
		w->rows->hopeless = source;
}

static void add_contact(writer *w, const cn_exact_edge *e, uint32_t source)
{
	cn_exact_rows *rows = w->rows;
	const cn_qp *qp = w->cut->qp;
	const cn_qp_contact *c = &qp->contacts[source];
	bool cone = w->cut->friction && c->mu > 0;
	uint32_t r = rows->count, lines = cone ? 3 : 1;
	v3 d[3] = {c->n, {0, 0, 0}, {0, 0, 0}};
	cn_qp_tangents(c->n, &d[1], &d[2]);
	double length[3], most = 0, size = 0;
	for (uint32_t k = 0; k < lines; ++k) {
		line l = contact_line(c, d[k]);
		length[k] = write_line(w, r + k, e, &l);
		most = length[k] > most ? length[k] : most;
	}
	if (!isfinite(c->least) || !(most > 0) || (!cone && !(length[0] > 0))) {
		drop_rows(w, lines, source);
		return;
	}
	for (uint32_t k = 0; k < lines; ++k) {
		line l = contact_line(c, d[k]);
		double value = start_value(qp, &l, &size), least = k ? -v3_dot(d[k], c->slip) : c->least;
		finish_row(rows, r + k, cone ? most : length[0], 1, least - value, size + fabs(least));
		rows->kind[r + k] = k ? CN_EXACT_TANGENT : cone ? CN_EXACT_CONE : CN_EXACT_MIN;
		rows->source[r + k] = source;
		rows->mu[r + k] = cone ? c->mu : 0;
	}
	rows->count += lines;
	rows->cones += cone;
	rows->inequalities += !cone;
}

static void add_row(writer *w, const cn_exact_edge *e, uint32_t source)
{
	cn_exact_rows *rows = w->rows;
	const cn_qp *qp = w->cut->qp;
	const cn_qp_row *row = &qp->rows[source - qp->contact_count];
	line l = source_line(qp, source);
	double size = 0, value = start_value(qp, &l, &size);
	for (int side = 0; side < 2; ++side) {
		double bound = side ? row->high : row->low;
		if (!isfinite(bound))
			continue;
		uint32_t r = rows->count;
		double length = write_line(w, r, e, &l);
		if (!(length > 0)) {
			drop_rows(w, 1, source);
			return;
		}
		bool equal = row->low == row->high;
		finish_row(rows, r, length, side ? -1 : 1, bound - value, size + fabs(bound));
		rows->kind[r] = equal ? CN_EXACT_EQUAL : CN_EXACT_MIN;
		rows->source[r] = source;
		++rows->count;
		rows->equalities += equal;
		rows->inequalities += !equal;
		if (equal)
			return;
	}
}

/* Sorts the island's sources by the pair of bodies they tie, so that those of an edge stand together; items[].key holds
 * the pair, low body first, the same twice for rows on one body. */
static bool sort_sources(cn_arena *own, const cn_exact_cut *cut, uint32_t island, cn_sort_item **out)
{
	uint32_t first = cut->row_first[island], count = cut->row_first[island + 1] - first;
	cn_sort_item *items = cn_arena_take(own, count, sizeof *items), *scratch = cn_arena_take(own, count, sizeof *items);
	*out = items;
	if (own->failed)
		return false;
	for (uint32_t k = 0; k < count; ++k) {
		uint32_t source = cut->row_source[first + k], a, b;
		ends(cut->qp, source, &a, &b);
		uint32_t p = cut->local[moves(cut->qp, a) ? a : b], q = cut->local[moves(cut->qp, b) ? b : a];
		uint64_t low = p < q ? p : q, high = p < q ? q : p;
		items[k] = (cn_sort_item){low << 32 | high, source};
	}
	cn_sort(items, scratch, count);
	return true;
}

/* The graph of bodies from sorted sources. */
static bool make_graph(cn_arena *own, uint32_t n, const cn_sort_item *items, uint32_t count, cn_graph *graph)
{
	uint32_t *first = cn_arena_take(own, (size_t)n + 2, sizeof *first);
	uint32_t *adjacent = cn_arena_take(own, 2 * (size_t)count, sizeof *adjacent);
	*graph = (cn_graph){n, first, adjacent};
	if (own->failed)
		return false;
	for (int pass = 0; pass < 2; ++pass) {
		for (uint32_t k = 0; k < count; ++k) {
			uint32_t p = (uint32_t)(items[k].key >> 32), q = (uint32_t)items[k].key;
			if (p == q || (k && items[k].key == items[k - 1].key))
				continue;
			if (pass) {
				adjacent[first[p + 1]++] = q;
				adjacent[first[q + 1]++] = p;
			} else {
				++first[p + 2];
				++first[q + 2];
			}
		}
		for (uint32_t k = 0; k < n && !pass; ++k)
			first[k + 2] += first[k + 1];
	}
	return true;
}

static bool make_arrays(cn_arena *arena, cn_exact_rows *rows, uint32_t most, bool friction)
{
	rows->a = cn_arena_take(arena, (size_t)most * CN_EXACT_WIDTH, sizeof *rows->a);
	rows->mixed = friction ? cn_arena_take(arena, (size_t)most * CN_EXACT_WIDTH, sizeof *rows->a) : rows->a;
	double *numbers = cn_arena_take(arena, (size_t)most * 3, sizeof *numbers);
	uint32_t *counts = cn_arena_take(arena, (size_t)most * 3, sizeof *counts);
	rows->kind = cn_arena_take(arena, most, sizeof *rows->kind);
	rows->edge = cn_arena_take(arena, most, sizeof *rows->edge);
	if (arena->failed)
		return false;
	rows->b = numbers, rows->mu = numbers + most, rows->factor = numbers + 2 * (size_t)most;
	rows->i = counts, rows->j = counts + most, rows->source = counts + 2 * (size_t)most;
	return true;
}

static void open_edge(cn_exact_rows *rows, uint64_t key)
{
	uint32_t p = rows->matrix.place[key >> 32], q = rows->matrix.place[(uint32_t)key];
	cn_exact_edge *e = &rows->edge[rows->edges];
	*e = (cn_exact_edge){.first = rows->count, .i = p < q ? p : q, .j = p < q ? q : p};
	e->ii = cn_block_find(&rows->matrix, e->i, e->i);
	if (p == q) {
		e->j = CN_QP_NONE;
	} else {
		e->ij = cn_block_find(&rows->matrix, e->j, e->i);
		e->jj = cn_block_find(&rows->matrix, e->j, e->j);
	}
}

/* The largest b that asks for something becomes 1. */
static void rescale(cn_exact_rows *rows)
{
	double most = 0, asked = 0, length = 0;
	for (uint32_t r = 0; r < rows->count; ++r) {
		double b = rows->kind[r] == CN_EXACT_MIN || rows->kind[r] == CN_EXACT_CONE ? rows->b[r] : fabs(rows->b[r]);
		double own = 1 / fabs(rows->factor[r]);
		most = b > most ? b : most;
		asked = b * own > asked ? b * own : asked;
		length = own > length ? own : length;
	}
	rows->scale = most;
	rows->doubt /= most > 0 ? most : 1;
	rows->strict = most * length > asked ? asked / (most * length) : 1;
	for (uint32_t r = 0; r < rows->count && most > 0; ++r) {
		rows->b[r] /= most;
		rows->factor[r] *= most;
	}
}

bool cn_exact_rows_make(cn_arena *arena, const cn_exact_cut *cut, uint32_t island, cn_exact_rows *rows)
{
	uint32_t n = cut->bodies[island], first = cut->row_first[island], count = cut->row_first[island + 1] - first;
	*rows = (cn_exact_rows){.bodies = n, .hopeless = CN_QP_NONE};
	cn_arena own = cn_arena_make(&arena->allocator);
	cn_sort_item *items;
	cn_graph graph;
	size_t most = 0;
	for (uint32_t k = 0; k < count; ++k) {
		bool contact = cut->row_source[first + k] < cut->qp->contact_count;
		most += contact ? cut->friction ? 3 : 1 : 2;
	}
	bool well = sort_sources(&own, cut, island, &items) && make_graph(&own, n, items, count, &graph) &&
	            cn_block_analyse(arena, &graph, &rows->matrix) &&
	            make_arrays(arena, rows, (uint32_t)most, cut->friction);
	rows->light = cn_arena_take(arena, n, sizeof *rows->light);
	well = well && rows->light;
	if (well) {
		for (uint32_t i = 0; i < cut->qp->body_count; ++i)
			if (cut->island[i] == island)
				rows->light[rows->matrix.place[cut->local[i]]] = sqrt(cut->qp->bodies[i].inv_mass);
		writer w = {cut, rows};
		for (uint32_t k = 0; k < count;) {
			uint64_t key = items[k].key;
			open_edge(rows, key);
			cn_exact_edge *e = &rows->edge[rows->edges];
			for (; k < count && items[k].key == key; ++k) {
				if (items[k].value < cut->qp->contact_count)
					add_contact(&w, e, items[k].value);
				else
					add_row(&w, e, items[k].value);
			}
			e->end = rows->count;
			rows->edges += e->end > e->first;
		}
		rescale(rows);
	}
	cn_arena_free(&own);
	arena->failed |= !well;
	return well;
}

static inline double dot6(const double *a, const double *x)
{
	v2 sum = get(a) * get(x) + get(a + 2) * get(x + 2) + get(a + 4) * get(x + 4);
	return sum[0] + sum[1];
}

void cn_exact_times(const cn_exact_rows *rows, const double *x, double *out)
{
	const double *a = rows->a;
	for (uint32_t r = 0; r < rows->count; ++r, a += CN_EXACT_WIDTH) {
		double sum = dot6(a, x + 6 * (size_t)rows->i[r]);
		out[r] = rows->j[r] == CN_QP_NONE ? sum : sum + dot6(a + 6, x + 6 * (size_t)rows->j[r]);
	}
}

static inline void add6(double *to, const double *a, double y)
{
	v2 f = both(y);
	put(to, get(to) + get(a) * f);
	put(to + 2, get(to + 2) + get(a + 2) * f);
	put(to + 4, get(to + 4) + get(a + 4) * f);
}

void cn_exact_turned(const cn_exact_rows *rows, const double *y, double *out)
{
	const double *a = rows->a;
	for (size_t k = 0; k < 6 * (size_t)rows->bodies; ++k)
		out[k] = 0;
	for (uint32_t r = 0; r < rows->count; ++r, a += CN_EXACT_WIDTH) {
		if (y[r] == 0)
			continue;
		add6(out + 6 * (size_t)rows->i[r], a, y[r]);
		if (rows->j[r] != CN_QP_NONE)
			add6(out + 6 * (size_t)rows->j[r], a + 6, y[r]);
	}
}

/* block += weight row column' */
static inline void add_square(double *block, const double *row, const double *column, double weight)
{
	v2 r0 = get(row), r1 = get(row + 2), r2 = get(row + 4);
	for (int k = 0; k < 6; ++k, block += 6) {
		v2 f = both(weight * column[k]);
		put(block, get(block) + r0 * f);
		put(block + 2, get(block + 2) + r1 * f);
		put(block + 4, get(block + 4) + r2 * f);
	}
}

void cn_exact_factor(cn_exact_rows *rows, const double *weight)
{
	cn_block *m = &rows->matrix;
	cn_block_clear(m);
	for (uint32_t k = 0; k < rows->edges; ++k) {
		const cn_exact_edge *e = &rows->edge[k];
		double *ii = cn_block_at(m, e->ii), *ij = cn_block_at(m, e->ij), *jj = cn_block_at(m, e->jj);
		for (uint32_t r = e->first; r < e->end; ++r) {
			const double *a = rows->mixed + (size_t)r * CN_EXACT_WIDTH;
			if (weight[r] == 0)
				continue;
			add_square(ii, a, a, weight[r]);
			if (e->j == CN_QP_NONE)
				continue;
			add_square(ij, a + 6, a, weight[r]);
			add_square(jj, a + 6, a + 6, weight[r]);
		}
	}
	for (uint32_t s = 0; s < m->panels; ++s)
		for (uint32_t k = 0; k < m->panel[s].width; ++k) {
			double *d = cn_block_at(m, m->panel[s].at + (size_t)k * m->panel[s].width + k);
			for (int i = 0; i < 6; ++i)
				d[7 * i] += 1;
		}
	cn_block_factor(m);
	++rows->factored;
}
