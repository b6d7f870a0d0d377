/* Programs over some of the bodies: which bodies are in them with what weights, their joint rows, regions for the parallel
 * solver, and their contacts.
 *
 * Contacts are gathered from pairs on all threads. Each chunk of pairs writes to its own store, and the stores of a window
 * of chunks are concatenated, so contacts are in the order of pairs. */
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
	if (!CN_ROOM(p->rows, more) || !CN_ROOM(p->row_y, more) || !CN_ROOM(p->row_misses, more) ||
	    !CN_ROOM(p->row_joint, more) || !CN_ROOM(p->row_kind, more))
		return false;
	p->rows[at] = row;
	p->row_y[at] = p->row_misses[at] = 0;
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
enum { WINDOW = 64 }; /* chunks that threads gather before they are taken into the program */

/* Puts a row in its place in the program, and replaces slots by bodies of the program. */
static void place(cn_program *p, uint32_t at, const cn_row *row)
{
	cn_qp_contact *k = &p->contacts[at];
	*k = *row->contact;
	k->a = p->index[k->a], k->b = p->index[k->b];
	p->y[at] = row->y;
	p->points[at] = row->point;
	p->pair_of[at] = row->pair;
}

void cn_row_put(cn_row_store *s, const cn_qp_contact *contact, cn_pair_point *point, uint32_t pair, cn_qp_impulse y)
{
	cn_program *p = &s->w->context->program;
	if (!cn_program_moves(p, contact->a) && !cn_program_moves(p, contact->b))
		return;
	uint32_t at = s->count++;
	if (at >= s->room)
		return;
	if (s->rows)
		s->rows[at] = (cn_stored_row){*contact, y, point, pair};
	else
		place(p, s->first + at, &(cn_row){contact, y, point, pair});
}

typedef struct build_task {
	cairn_world *w;
	cn_row_task *add;
	const uint32_t *list; /* of pairs; NULL: all pairs */
	uint32_t count;       /* of pairs */
	uint32_t window;      /* its first chunk */
} build_task;

/* Runs the task on a chunk of pairs. Returns the number of its rows. */
static uint32_t build(const build_task *task, uint32_t chunk, cn_row_store s)
{
	const cn_context *c = task->w->context;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, task->count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i) {
		uint32_t pair = task->list ? task->list[i] : i;
		if (c->contacts.pairs[pair].near && !c->contacts.pairs[pair].must_not_touch)
			task->add(&s, pair);
	}
	return s.count;
}

static bool reserve(cairn_world *w, uint32_t count)
{
	cn_program *p = &w->context->program;
	return CN_ROOM(p->contacts, count) && CN_ROOM(p->y, count) && CN_ROOM(p->points, count) &&
	       CN_ROOM(p->pair_of, count);
}

/* Gathers a chunk straight into the program; again, if it had more rows than there was room. */
static bool build_here(const build_task *task, uint32_t chunk, uint32_t first)
{
	cairn_world *w = task->w;
	cn_context *c = w->context;
	if (!reserve(w, first + CHUNK_ROWS))
		return false;
	cn_row_store store = {.w = w, .first = first, .room = CHUNK_ROWS};
	uint32_t count = build(task, chunk, store);
	if (count > CHUNK_ROWS) {
		store.room = count;
		if (!reserve(w, first + count))
			return false;
		build(task, chunk, store);
	}
	c->solve.row_first[chunk] = first, c->solve.row_first[chunk + 1] = first + count;
	return true;
}

static void build_chunk(void *context, uint32_t chunk)
{
	const build_task *task = context;
	cn_context *c = task->w->context;
	cn_row_store store = {.w = task->w, .rows = &c->solve.rows[chunk * CHUNK_ROWS], .room = CHUNK_ROWS};
	c->solve.row_count[chunk] = build(task, task->window + chunk, store);
}

static void append_chunk(void *context, uint32_t chunk)
{
	const build_task *task = context;
	cn_context *c = task->w->context;
	const cn_stored_row *rows = &c->solve.rows[chunk * CHUNK_ROWS];
	uint32_t first = c->solve.row_first[task->window + chunk], count = c->solve.row_count[chunk];
	for (uint32_t i = 0; i < count && count <= CHUNK_ROWS; ++i)
		place(&c->program, first + i, &(cn_row){&rows[i].contact, rows[i].y, rows[i].point, rows[i].pair});
}

/* Gathers a window of chunks on all threads: each into its own store, from there into the program. *first: rows so far. */
static bool build_window(const build_task *task, uint32_t chunks, uint32_t *first)
{
	cairn_world *w = task->w;
	cn_context *c = w->context;
	cn_pool_run(w->pool, chunks, build_chunk, (void *)task);
	for (uint32_t i = 0; i < chunks; ++i) {
		c->solve.row_first[task->window + i] = *first;
		*first += c->solve.row_count[i];
	}
	c->solve.row_first[task->window + chunks] = *first;
	if (!reserve(w, *first))
		return false;
	cn_pool_run(w->pool, chunks, append_chunk, (void *)task);
	for (uint32_t i = 0; i < chunks; ++i)
		if (c->solve.row_count[i] > CHUNK_ROWS &&
		    !build_here(task, task->window + i, c->solve.row_first[task->window + i]))
			return false;
	return true;
}

/* One thread needs no stores. */
static bool gather(build_task task)
{
	cairn_world *w = task.w;
	cn_context *c = w->context;
	uint32_t chunks = (task.count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, count = 0;
	bool shared = cn_pool_threads(w->pool) > 1 && chunks > 1;
	if (!CN_ROOM(c->solve.row_first, chunks + 1) || !reserve(w, 1))
		return false;
	if (shared && (!CN_ROOM(c->solve.rows, WINDOW * CHUNK_ROWS) || !CN_ROOM(c->solve.row_count, WINDOW)))
		return false;
	c->solve.row_first[0] = 0;
	for (uint32_t i = 0; i < chunks && !shared; ++i) {
		if (!build_here(&task, i, count))
			return false;
		count = c->solve.row_first[i + 1];
	}
	for (; task.window < chunks && shared; task.window += WINDOW)
		if (!build_window(&task, chunks - task.window < WINDOW ? chunks - task.window : WINDOW, &count))
			return false;
	c->program.qp.contacts = c->program.contacts, c->program.qp.contact_count = count;
	return regions_room(w, count);
}

bool cn_rows_gather(cairn_world *w, cn_row_task *add)
{
	return gather((build_task){w, add, NULL, w->context->contacts.pair_count, 0});
}

bool cn_rows_gather_listed(cairn_world *w, cn_row_task *add)
{
	return gather((build_task){w, add, w->context->graph.list, w->context->graph.list_count, 0});
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
