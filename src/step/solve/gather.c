/* Gathers the contacts of a program from pairs, on all threads. Each chunk of pairs writes to its own store, and the
 * stores are concatenated, so contacts are in the order of pairs. */
#include "step/context.h"

enum { CHUNK_ROWS = 8 * CN_PAIR_CHUNK };

void cn_row_put(cn_row_store *s, const cn_qp_contact *contact, cn_pair_point *touch, uint32_t pair, cn_qp_impulse y)
{
	const cn_program *p = &s->w->context->program;
	if (!cn_program_moves(p, contact->a) && !cn_program_moves(p, contact->b))
		return;
	uint32_t at = s->count++;
	if (at < s->room)
		s->rows[at] = (cn_row){*contact, y, touch, pair};
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
	if (!cn_program_regions_room(w, count) || !CN_ROOM(p->contacts, count) || !CN_ROOM(p->y, count) ||
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
