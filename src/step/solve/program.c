/* Programs over some of the bodies: which bodies are in them with what weights, their joint rows, regions for the parallel
 * solver, and their contacts.
 *
 * Contacts are gathered from pairs on all threads. Each chunk of pairs writes to its own store, and the stores are
 * concatenated, so contacts are in the order of pairs. */
#include "step/context.h"

#include <string.h>

#define CN_REGION_CONTACTS 1600 /* of a program that is cut in two: ten microseconds of a sweep */
#define CN_REGION_MORE 16       /* x that: it is cut into twice as many, which leaves more between them */

void cn_inverse_inertia(const cn_rotor *r, quat q, double out[6])
{
	if (r->kind == CN_ROTOR_BALL) {
		out[0] = out[3] = out[5] = r->inv_moments.x;
		out[1] = out[2] = out[4] = 0;
		return;
	}
	m3 m = m3_from_q(r->turned ? q_mul(q, r->axes) : q);
	const double d[3] = {r->inv_moments.x, r->inv_moments.y, r->inv_moments.z};
	int k = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = i; j < 3; ++j)
			out[k++] = m.m[i][0] * d[0] * m.m[j][0] + m.m[i][1] * d[1] * m.m[j][1] + m.m[i][2] * d[2] * m.m[j][2];
}

/* OBA eq. 6.7: mass and inertia. OBA eq. 6.8: all bodies alike, rotation weighted by the diameter. */
static cn_qp_body body_of(const cairn_world *w, uint32_t slot, bool diameter)
{
	const cn_rotor *r = &w->rotors[slot];
	cn_qp_body b = {.inv_mass = r->inv_mass};
	if (cn_path_driven(&w->context->paths.by_slot[slot]))
		return b;
	if (diameter) {
		double d = 2 * w->bodies[slot].radius, turn = 1 / (d * d);
		return (cn_qp_body){1, {turn, 0, 0, turn, 0, turn}};
	}
	cn_inverse_inertia(r, w->next[slot].q, b.inv_inertia);
	return b;
}

cn_qp_body cn_program_body(const cairn_world *w, uint32_t slot) { return body_of(w, slot, false); }

bool cn_program_begin(cairn_world *w, const uint8_t *free, bool diameter)
{
	cn_program *p = &w->context->program;
	uint32_t max = w->slots + 1, count = 0;
	if (!CN_ROOM(p->bodies, max) || !CN_ROOM(p->u0, max) || !CN_ROOM(p->u, max) || !CN_ROOM(p->index, max) ||
	    !CN_ROOM(p->slots, max) || !CN_ROOM(p->island, max) || !CN_ROOM(p->island_size, max) ||
	    !CN_ROOM(p->region, max))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		p->index[slot] = CN_QP_NONE;
		const cn_path *y = &w->context->paths.by_slot[slot];
		if (!(cn_body_movable(w, slot) || cn_path_driven(y)) || (free && (!free[slot] || y->own.key_count)))
			continue;
		p->bodies[count] = body_of(w, slot, diameter);
		p->u0[count] = (cn_twist){{0, 0, 0}, {0, 0, 0}};
		p->slots[count] = slot;
		p->index[slot] = count++;
	}
	p->qp = (cn_qp){.body_count = count, .bodies = p->bodies, .u0 = p->u0};
	return true;
}

bool cn_program_moves(const cn_program *p, uint32_t slot)
{
	return p->index[slot] != CN_QP_NONE && p->bodies[p->index[slot]].inv_mass > 0;
}

bool cn_program_add_row(cairn_world *w, cn_qp_row row, uint32_t joint, cn_row_kind kind)
{
	cn_program *p = &w->context->program;
	uint32_t at = p->qp.row_count, more = at + 1;
	if (!CN_ROOM(p->rows, more) || !CN_ROOM(p->row_y, more) || !CN_ROOM(p->row_joint, more) ||
	    !CN_ROOM(p->row_kind, more))
		return false;
	p->rows[at] = row;
	p->row_y[at] = 0;
	p->row_joint[at] = joint;
	p->row_kind[at] = (uint8_t)kind;
	p->qp.rows = p->rows;
	p->qp.row_count = more;
	return true;
}

void cn_program_islands(cn_program *p)
{
	cn_qp_islands(&p->qp, p->island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		p->island_size[i] = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (p->island[i] != CN_QP_NONE)
			++p->island_size[p->island[i]];
}

uint32_t cn_program_island(const cn_program *p, uint32_t contact)
{
	const cn_qp_contact *k = &p->contacts[contact];
	uint32_t a = k->a != CN_QP_NONE ? p->island[k->a] : CN_QP_NONE;
	return a != CN_QP_NONE ? a : p->island[k->b];
}

/* ---- regions */

static double part_of(v3 x, int axis) { return axis == 0 ? x.x : axis == 1 ? x.y : x.z; }

typedef struct spread {
	double middle, width; /* mean and standard deviation */
	int axis;
} spread;

/* The axis along which bodies are spread most. */
static spread find_spread(const cairn_world *w, const cn_program *p)
{
	spread max = {0, 0, 0};
	v3 sum = v3_zero(), squares = v3_zero();
	double count = p->qp.body_count;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		sum = v3_add(sum, w->next[p->slots[i]].x);
	v3 middle = v3_make(sum.x / count, sum.y / count, sum.z / count);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		v3 d = v3_sub(w->next[p->slots[i]].x, middle);
		squares = v3_make(squares.x + d.x * d.x, squares.y + d.y * d.y, squares.z + d.z * d.z);
	}
	for (int axis = 0; axis < 3; ++axis) {
		double width = sqrt(part_of(squares, axis) / count);
		if (width > max.width)
			max = (spread){part_of(middle, axis), width, axis};
	}
	return max;
}

enum { BINS = 256 }; /* fits into a byte */

static uint32_t bin_of(const spread *s, v3 x)
{
	double at = (part_of(x, s->axis) - s->middle) / s->width; /* nearly all are within two standard deviations */
	at = (at + 2) * (BINS / 4.0);
	return !(at > 0) ? 0 : at < BINS - 1 ? (uint32_t)at : BINS - 1;
}

enum { BIN_CONTACTS = 1024 }; /* contacts per chunk */

typedef struct bin_task {
	const cn_program *p;
	uint32_t *counts; /* BINS per chunk */
} bin_task;

static void count_bins(void *context, uint32_t chunk)
{
	const bin_task *t = context;
	const cn_program *p = t->p;
	uint32_t *bins = t->counts + (size_t)chunk * BINS, begin = chunk * BIN_CONTACTS,
			 end = p->qp.contact_count - begin < BIN_CONTACTS ? p->qp.contact_count : begin + BIN_CONTACTS;
	memset(bins, 0, BINS * sizeof *bins);
	for (uint32_t i = begin; i < end; ++i)
		++bins[p->region[p->contacts[i].a != CN_QP_NONE ? p->contacts[i].a : p->contacts[i].b]];
}

static bool regions_room(cairn_world *w, uint32_t contacts)
{
	return CN_ROOM(w->context->solve.bins, (contacts / BIN_CONTACTS + 1) * BINS);
}

const uint8_t *cn_program_regions(const cairn_world *w)
{
	const cn_program *p = &w->context->program;
	uint32_t count = p->qp.body_count, regions = 1, passed = 0, bins[BINS] = {0};
	uint64_t all = p->qp.contact_count;
	for (uint64_t min = CN_REGION_CONTACTS; all >= min && regions < CN_FAST_REGIONS; min *= CN_REGION_MORE)
		regions *= 2;
	if (regions < 2)
		return NULL;
	spread s = find_spread(w, p);
	if (!(s.width > 0))
		return NULL;
	for (uint32_t i = 0; i < count; ++i)
		p->region[i] = (uint8_t)bin_of(&s, w->next[p->slots[i]].x);
	uint32_t chunks = (p->qp.contact_count + BIN_CONTACTS - 1) / BIN_CONTACTS;
	bin_task task = {p, w->context->solve.bins};
	cn_pool_run(w->pool, chunks, count_bins, &task);
	for (uint32_t i = 0; i < chunks * BINS; ++i)
		bins[i % BINS] += task.counts[i];
	for (uint32_t k = 0; k < BINS; ++k) { /* from counts to offsets */
		uint32_t here = bins[k];
		bins[k] = (uint32_t)((uint64_t)(passed + here / 2) * regions / (all + 1));
		passed += here;
	}
	for (uint32_t i = 0; i < count; ++i)
		p->region[i] = (uint8_t)bins[p->region[i]];
	return p->region;
}

/* ---- large mass ratios */

/* Masses differ so much that a heavy body may squeeze a light one. */
static bool uneven(const cairn_world *w)
{
	const cn_program *p = &w->context->program;
	double min = INFINITY, max = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double m = w->rotors[p->slots[i]].inv_mass;
		min = m > 0 && m < min ? m : min, max = m > max ? m : max;
	}
	return max > CN_MASS_RATIO * min;
}

bool cn_program_weigh(cairn_world *w)
{
	w->context->solve.has_mass_ratios = uneven(w);
	return !w->context->solve.has_mass_ratios || cn_mass_ratio_weigh(w, 0, false);
}

bool cn_program_momentum(cairn_world *w, const cn_fast_options *options, cn_qp_solution *x)
{
	cn_context *c = w->context;
	c->solve.has_mass_ratios = uneven(w);
	if (c->solve.has_mass_ratios)
		return cn_mass_ratio_momentum(w, options, x);
	return cn_islands_solve(c->solve.momentum, &c->program.qp, options, x).status != CN_QP_MEMORY;
}

/* ---- contacts */

enum { CHUNK_ROWS = 8 * CN_PAIR_CHUNK };

void cn_row_put(cn_row_store *s, const cn_qp_contact *contact, cn_pair_point *point, uint32_t pair, cn_qp_impulse y)
{
	const cn_program *p = &s->w->context->program;
	if (!cn_program_moves(p, contact->a) && !cn_program_moves(p, contact->b))
		return;
	uint32_t at = s->count++;
	if (at < s->room)
		s->rows[at] = (cn_row){*contact, y, point, pair};
}

typedef struct build_task {
	cairn_world *w;
	cn_row_task *add;
	const uint32_t *list; /* of pairs; NULL: all pairs */
	uint32_t count;
} build_task;

static uint32_t build(const build_task *task, uint32_t chunk, cn_row *rows, uint32_t room)
{
	const cn_context *c = task->w->context;
	cn_row_store s = {task->w, rows, 0, room};
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, task->count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i) {
		uint32_t pair = task->list ? task->list[i] : i;
		if (c->contacts.pairs[pair].near && !c->contacts.pairs[pair].must_not_touch)
			task->add(&s, pair);
	}
	return s.count;
}

static void build_chunk(void *context, uint32_t chunk)
{
	const build_task *task = context;
	cn_context *c = task->w->context;
	c->solve.row_first[chunk] = build(task, chunk, &c->solve.rows[chunk * CHUNK_ROWS], CHUNK_ROWS);
}

/* Copies a chunk's rows to their places in the program and replaces slots by bodies of the program. */
static void append(cn_program *p, const cn_row *rows, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i) {
		cn_qp_contact *k = &p->contacts[first + i];
		*k = rows[i].contact;
		k->a = p->index[k->a], k->b = p->index[k->b];
		p->y[first + i] = rows[i].y;
		p->points[first + i] = rows[i].point;
		p->pair_of[first + i] = rows[i].pair;
	}
}

static void append_chunk(void *context, uint32_t chunk)
{
	const build_task *task = context;
	cn_context *c = task->w->context;
	uint32_t first = c->solve.row_first[chunk], count = c->solve.row_first[chunk + 1] - first;
	if (count <= CHUNK_ROWS)
		append(&c->program, &c->solve.rows[chunk * CHUNK_ROWS], first, count);
}

/* Gathers chunks again that had more rows than their store, this time with room for all. */
static bool append_large(const build_task *task, uint32_t chunks)
{
	cairn_world *w = task->w;
	cn_context *c = w->context;
	for (uint32_t i = 0; i < chunks; ++i) {
		uint32_t first = c->solve.row_first[i], count = c->solve.row_first[i + 1] - first;
		if (count <= CHUNK_ROWS)
			continue;
		if (!CN_ROOM(c->solve.rows, count))
			return false;
		append(&c->program, c->solve.rows, first, build(task, i, c->solve.rows, count));
	}
	return true;
}

static bool gather(const build_task *of)
{
	build_task task = *of;
	cairn_world *w = task.w;
	cn_context *c = w->context;
	cn_program *p = &c->program;
	uint32_t chunks = (task.count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, count = 0;
	if (!CN_ROOM(c->solve.rows, chunks * CHUNK_ROWS) || !CN_ROOM(c->solve.row_first, chunks + 1))
		return false;
	cn_pool_run(w->pool, chunks, build_chunk, &task);
	for (uint32_t i = 0; i <= chunks; ++i) {
		uint32_t more = i < chunks ? c->solve.row_first[i] : 0;
		c->solve.row_first[i] = count;
		count += more;
	}
	if (!regions_room(w, count) || !CN_ROOM(p->contacts, count) || !CN_ROOM(p->y, count) ||
	    !CN_ROOM(p->points, count) || !CN_ROOM(p->pair_of, count))
		return false;
	p->qp.contacts = p->contacts, p->qp.contact_count = count;
	cn_pool_run(w->pool, chunks, append_chunk, &task);
	return append_large(&task, chunks);
}

bool cn_rows_gather(cairn_world *w, cn_row_task *add)
{
	return gather(&(build_task){w, add, NULL, w->context->contacts.pair_count});
}

bool cn_rows_gather_listed(cairn_world *w, cn_row_task *add)
{
	return gather(&(build_task){w, add, w->context->graph.list, w->context->graph.list_count});
}

typedef struct answer_task {
	cairn_world *w;
	cn_answer_task *take;
} answer_task;

static void take_chunk(void *context, uint32_t chunk)
{
	const answer_task *task = context;
	const cn_context *c = task->w->context;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->contacts.pair_count);
	uint32_t row = c->solve.row_first[chunk];
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i) {
		uint32_t first = row;
		while (row < c->solve.row_first[chunk + 1] && c->program.pair_of[row] == i)
			++row;
		task->take(task->w, &c->contacts.pairs[i], first, row);
	}
}

void cn_rows_answer(cairn_world *w, cn_answer_task *take)
{
	answer_task task = {w, take};
	cn_pool_run(w->pool, (w->context->contacts.pair_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, take_chunk, &task);
}
