/* See qp_islands.h. Bodies, contacts and rows are sorted by the island they belong to, in their own order within one,
 * so that a small island becomes a program of its own with its bodies renumbered, and what belongs to large ones is
 * left as one program over all bodies. What ties only bodies that cannot move belongs to nobody and gets no impulse.
 *
 * Small islands are dealt out to a fixed number of workers in runs of about equal work, whatever the number of threads.
 * A worker has memory of its own and writes only what belongs to its islands. It asks nobody for memory, and so not for
 * the exact method: islands that want it are left as they were, and are solved again afterwards, one by one. */
#include "num/qp_islands.h"

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/tolerance.h"

#define CN_SMALL_BRISK 1e-8      /* of the largest speed at a contact: its residual in real time ... */
#define CN_SMALL_BRISK_SWEEPS 60 /* ... in so many sweeps: stacks need ten; where there are few contacts in more, ... */
#define CN_SMALL_BRISK_WORK                                                                                            \
	12000 /* contacts x sweeps: ... up to this, half a millisecond, as a wedge of sixteen cubes needs */
#define CN_SMALL_BRISK_ASKS                                                                                            \
	1 /* islands of a program for which the exact method is asked: in a crowd milliseconds add up */
#define CN_SMALL_CROWD_MAX                                                                                             \
	8 /* bodies: in a program of more than CN_SMALL_CROWD larger islands are solved with the large ones */
#define CN_SMALL_SPREAD 100 /* contacts and rows: fewer take less time than waking threads does */

enum { WORKERS = 16, ALIKE = 8 };

/* Numbers of bodies, contacts or rows by island: those of the island whose least body is b stand from first[b] to
 * first[b + 1]. */
typedef struct sorted {
	uint32_t *first, *item;
} sorted;

/* Some of the program as a program of its own, and its numbers in the whole. */
typedef struct part {
	cn_arena arena;
	uint32_t body_room, contact_room, row_room;
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0, *u;
	cn_qp_contact *contacts;
	cn_qp_row *rows;
	cn_qp_impulse *y;
	double *row_y;
	uint32_t *body, *contact, *row;
} part;

/* How large a part must be. */
typedef struct extent {
	uint32_t bodies, contacts, rows;
} extent;

/* Memory that an island is solved in. */
typedef struct desk {
	part part;
	cn_small *small;
} desk;

typedef struct worker {
	desk *desk;
	uint32_t from, to; /* its islands in cn_islands.small */
	cn_qp_result result;
} worker;

struct cn_islands {
	cairn_allocator allocator;
	cn_fast *fast;
	cn_arena arena;
	uint32_t body_room, contact_room, row_room;
	uint32_t *island, *size, *local; /* by body: least body of its island; bodies of the island, there; number in it */
	uint32_t *owner;                 /* by contact: its island */
	sorted bodies, contacts, rows;
	uint32_t *small;                  /* least bodies of the small islands that something ties, ascending */
	bool *open;                       /* by small island: it wants the exact method */
	uint32_t small_count, small_most; /* small_most: bodies of a small island, ... */
	uint32_t joined_most, row_most;   /* ... and of one with rows beside its contacts; of all these, so many */
	part large;
	worker workers[WORKERS];
	desk desks[WORKERS]; /* one for each worker; with a single thread, one for all */
};

/* What a worker needs to know. */
typedef struct task {
	cn_islands *m;
	const cn_qp *qp;
	const cn_fast_options *options;
	cn_qp_solution *x;
} task;

cn_islands *cn_islands_create(const cairn_allocator *allocator)
{
	cn_islands *m = cn_alloc(allocator, 1, sizeof *m);
	if (!m)
		return NULL;
	m->allocator = *allocator;
	m->fast = cn_fast_create(allocator);
	if (m->fast)
		return m;
	cn_islands_destroy(m);
	return NULL;
}

void cn_islands_destroy(cn_islands *m)
{
	if (!m)
		return;
	cairn_allocator a = m->allocator;
	cn_fast_destroy(m->fast);
	cn_arena_free(&m->arena);
	cn_arena_free(&m->large.arena);
	for (int i = 0; i < WORKERS; ++i) {
		cn_arena_free(&m->desks[i].part.arena);
		cn_small_destroy(m->desks[i].small);
	}
	cn_free(&a, m, 1, sizeof *m);
}

static uint32_t more(uint32_t have, uint32_t need)
{
	return need <= have ? have : need > UINT32_MAX - need / 2 ? need : need + need / 2;
}

/* Nothing is kept in either of the two, so all is given back and taken anew. */
static bool make_room(cn_islands *m, const cn_qp *qp)
{
	if (m->island && qp->body_count <= m->body_room && qp->contact_count <= m->contact_room &&
	    qp->row_count <= m->row_room)
		return true;
	uint32_t bodies = more(m->body_room, qp->body_count), contacts = more(m->contact_room, qp->contact_count);
	uint32_t rows = more(m->row_room, qp->row_count);
	size_t ends = (size_t)bodies + 2;
	cn_arena_free(&m->arena);
	m->arena = cn_arena_make(&m->allocator);
	m->island = cn_arena_take(&m->arena, bodies, sizeof *m->island);
	m->size = cn_arena_take(&m->arena, bodies, sizeof *m->size);
	m->local = cn_arena_take(&m->arena, bodies, sizeof *m->local);
	m->bodies =
		(sorted){cn_arena_take(&m->arena, ends, sizeof(uint32_t)), cn_arena_take(&m->arena, bodies, sizeof(uint32_t))};
	m->contacts = (sorted){cn_arena_take(&m->arena, ends, sizeof(uint32_t)),
	                       cn_arena_take(&m->arena, contacts, sizeof(uint32_t))};
	m->owner = cn_arena_take(&m->arena, contacts, sizeof *m->owner);
	m->rows =
		(sorted){cn_arena_take(&m->arena, ends, sizeof(uint32_t)), cn_arena_take(&m->arena, rows, sizeof(uint32_t))};
	m->small = cn_arena_take(&m->arena, bodies, sizeof *m->small);
	m->open = cn_arena_take(&m->arena, bodies, sizeof *m->open);
	m->body_room = bodies, m->contact_room = contacts, m->row_room = rows;
	if (!m->arena.failed)
		return true;
	cn_arena_free(&m->arena);
	m->island = NULL;
	m->body_room = m->contact_room = m->row_room = 0;
	return false;
}

static bool make_part(const cairn_allocator *allocator, part *p, extent need)
{
	if (p->bodies && need.bodies <= p->body_room && need.contacts <= p->contact_room && need.rows <= p->row_room)
		return true;
	uint32_t bodies = more(p->body_room, need.bodies), contacts = more(p->contact_room, need.contacts);
	uint32_t rows = more(p->row_room, need.rows);
	cn_arena_free(&p->arena);
	p->arena = cn_arena_make(allocator);
	p->bodies = cn_arena_take(&p->arena, bodies, sizeof *p->bodies);
	p->u0 = cn_arena_take(&p->arena, bodies, sizeof *p->u0);
	p->u = cn_arena_take(&p->arena, bodies, sizeof *p->u);
	p->body = cn_arena_take(&p->arena, bodies, sizeof *p->body);
	p->contacts = cn_arena_take(&p->arena, contacts, sizeof *p->contacts);
	p->y = cn_arena_take(&p->arena, contacts, sizeof *p->y);
	p->contact = cn_arena_take(&p->arena, contacts, sizeof *p->contact);
	p->rows = cn_arena_take(&p->arena, rows, sizeof *p->rows);
	p->row_y = cn_arena_take(&p->arena, rows, sizeof *p->row_y);
	p->row = cn_arena_take(&p->arena, rows, sizeof *p->row);
	p->body_room = bodies, p->contact_room = contacts, p->row_room = rows;
	if (!p->arena.failed)
		return true;
	cn_arena_free(&p->arena);
	p->bodies = NULL;
	p->body_room = p->contact_room = p->row_room = 0;
	return false;
}

/* ---- sorting */

/* The island of a contact or row; body_count where nothing of it can move. */
static uint32_t owner(const cn_islands *m, const cn_qp *qp, uint32_t a, uint32_t b)
{
	if (a != CN_QP_NONE && m->island[a] != CN_QP_NONE)
		return m->island[a];
	return b != CN_QP_NONE && m->island[b] != CN_QP_NONE ? m->island[b] : qp->body_count;
}

/* From counts, one place on, to beginnings: the sum of all before. */
static void begin_islands(sorted *s, uint32_t bodies)
{
	for (uint32_t b = 0; b <= bodies; ++b)
		s->first[b + 1] += s->first[b];
}

/* Each item went to the next free place of its island, which moved the beginnings up to the ends; they are put back. */
static void begin_again(sorted *s, uint32_t bodies)
{
	for (uint32_t b = bodies + 1; b > 0; --b)
		s->first[b] = s->first[b - 1];
	s->first[0] = 0;
}

enum { CONTACTS = 1024 }; /* of a chunk */

/* Runs a task on chunks of so many contacts, on all threads. */
static void each_chunk(const task *t, uint32_t contacts, void (*run)(void *context, uint32_t chunk))
{
	cn_qp_share share = {.pool = t->options->pool};
	task own = *t;
	cn_qp_share_run(&share, contacts / CONTACTS + (contacts % CONTACTS != 0), run, &own);
}

/* Those of a pair stand together: the last one's island is often the next one's too. */
static void find_owners(void *context, uint32_t chunk)
{
	const task *t = context;
	uint32_t begin = chunk * CONTACTS;
	for (uint32_t i = begin; i < cn_pool_end(chunk, CONTACTS, t->qp->contact_count); ++i) {
		const cn_qp_contact *c = &t->qp->contacts[i];
		bool same = i > begin && c->a == c[-1].a && c->b == c[-1].b;
		t->m->owner[i] = same ? t->m->owner[i - 1] : owner(t->m, t->qp, c->a, c->b);
	}
}

static void sort_all(const task *t)
{
	cn_islands *m = t->m;
	const cn_qp *qp = t->qp;
	uint32_t bodies = qp->body_count;
	each_chunk(t, qp->contact_count, find_owners);
	for (uint32_t b = 0; b < bodies + 2; ++b)
		m->bodies.first[b] = m->contacts.first[b] = m->rows.first[b] = 0;
	for (uint32_t i = 0; i < bodies; ++i)
		++m->bodies.first[owner(m, qp, i, CN_QP_NONE) + 1];
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		++m->contacts.first[m->owner[i] + 1];
	for (uint32_t i = 0; i < qp->row_count; ++i)
		++m->rows.first[owner(m, qp, qp->rows[i].a, qp->rows[i].b) + 1];
	begin_islands(&m->bodies, bodies);
	begin_islands(&m->contacts, bodies);
	begin_islands(&m->rows, bodies);
	for (uint32_t i = 0; i < bodies; ++i)
		m->bodies.item[m->bodies.first[owner(m, qp, i, CN_QP_NONE)]++] = i;
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		m->contacts.item[m->contacts.first[m->owner[i]]++] = i;
	for (uint32_t i = 0; i < qp->row_count; ++i)
		m->rows.item[m->rows.first[owner(m, qp, qp->rows[i].a, qp->rows[i].b)]++] = i;
	begin_again(&m->bodies, bodies);
	begin_again(&m->contacts, bodies);
	begin_again(&m->rows, bodies);
}

/* ---- order within a small island */

/* Bodies within reach over contacts and rows, as bits. */
typedef struct near {
	uint64_t to[CN_SMALL_BODIES];
	uint32_t count;
} near;

static void join(const cn_islands *m, uint32_t a, uint32_t b, near *n)
{
	if (a == CN_QP_NONE || b == CN_QP_NONE || m->island[a] == CN_QP_NONE || m->island[b] == CN_QP_NONE)
		return;
	n->to[m->local[a]] |= (uint64_t)1 << m->local[b];
	n->to[m->local[b]] |= (uint64_t)1 << m->local[a];
}

static uint32_t bits(uint64_t set)
{
	uint32_t count = 0;
	for (; set; set &= set - 1)
		++count;
	return count;
}

static uint32_t least_tied(const near *n, uint64_t of)
{
	uint32_t best = CN_QP_NONE;
	for (uint32_t i = 0; i < n->count; ++i)
		if (of >> i & 1 && (best == CN_QP_NONE || bits(n->to[i]) < bits(n->to[best])))
			best = i;
	return best;
}

/* Level by level from a body on; returns the least tied body of the last level. */
static uint32_t walk(const near *n, uint32_t from, uint32_t *order)
{
	uint64_t seen = (uint64_t)1 << from, level = seen;
	uint32_t count = 0, last = from;
	while (level) {
		uint64_t next = 0, left = level;
		last = least_tied(n, level);
		while (left) { /* those with few ties first */
			uint32_t i = least_tied(n, left);
			left &= ~((uint64_t)1 << i);
			order[count++] = i;
			next |= n->to[i];
		}
		level = next & ~seen;
		seen |= level;
	}
	return last;
}

/* Cuthill and McKee: from one end of the island to the other, so that those that touch have numbers near each other and
 * a direct solve fills in little, in whatever order the scene lists them. */
static void line_up(cn_islands *m, const cn_qp *qp, uint32_t island)
{
	near n = {.count = m->size[island]};
	uint32_t order[CN_SMALL_BODIES], was[CN_SMALL_BODIES], *item = &m->bodies.item[m->bodies.first[island]];
	for (uint32_t k = m->contacts.first[island]; k < m->contacts.first[island + 1]; ++k)
		join(m, qp->contacts[m->contacts.item[k]].a, qp->contacts[m->contacts.item[k]].b, &n);
	for (uint32_t k = m->rows.first[island]; k < m->rows.first[island + 1]; ++k)
		join(m, qp->rows[m->rows.item[k]].a, qp->rows[m->rows.item[k]].b, &n);
	uint64_t all = n.count < 64 ? ((uint64_t)1 << n.count) - 1 : ~(uint64_t)0;
	walk(&n, walk(&n, least_tied(&n, all), order), order);
	for (uint32_t i = 0; i < n.count; ++i)
		was[i] = item[i];
	for (uint32_t i = 0; i < n.count; ++i) {
		item[i] = was[order[i]];
		m->local[item[i]] = i;
	}
}

static uint32_t rows_of(const cn_islands *m, uint32_t island)
{
	return m->contacts.first[island + 1] - m->contacts.first[island] + m->rows.first[island + 1] -
	       m->rows.first[island];
}

/* An island, by its least body, with rows beside its contacts. */
static bool joined(const cn_islands *m, uint32_t island) { return m->rows.first[island] < m->rows.first[island + 1]; }

/* It is solved with all that are large. */
static bool large(const cn_islands *m, uint32_t island)
{
	return m->size[island] > (joined(m, island) ? m->joined_most : m->small_most) || rows_of(m, island) > m->row_most;
}

static void find_islands(const task *t)
{
	cn_islands *m = t->m;
	const cn_qp *qp = t->qp;
	cn_qp_islands(qp, m->island);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		m->size[i] = m->local[i] = 0;
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (m->island[i] != CN_QP_NONE)
			m->local[i] = m->size[m->island[i]]++;
	sort_all(t);
	m->small_count = 0;
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (m->size[i] > 0 && !large(m, i) &&
		    (m->contacts.first[i] < m->contacts.first[i + 1] || m->rows.first[i] < m->rows.first[i + 1]))
			m->small[m->small_count++] = i;
	for (uint32_t k = 0; k < m->small_count; ++k)
		if (m->size[m->small[k]] > 2)
			line_up(m, qp, m->small[k]);
}

/* ---- parts */

/* A body's number in the part of its island. One that cannot move joins behind the others, where it is not among the
 * last that did; if it stands still a contact need not know it. */
static uint32_t member(const cn_islands *m, const cn_qp *qp, uint32_t body, bool needed, part *p)
{
	if (body == CN_QP_NONE)
		return CN_QP_NONE;
	if (m->island[body] != CN_QP_NONE)
		return m->local[body];
	if (!needed && v3_length2(qp->u0[body].v) == 0 && v3_length2(qp->u0[body].w) == 0)
		return CN_QP_NONE;
	uint32_t count = p->qp.body_count;
	for (uint32_t k = 1; k <= ALIKE && k <= count; ++k)
		if (p->body[count - k] == body)
			return count - k;
	p->body[count] = body;
	p->bodies[count] = qp->bodies[body];
	p->u0[count] = qp->u0[body];
	return p->qp.body_count++;
}

static void open_part(part *p)
{
	p->qp = (cn_qp){.bodies = p->bodies, .u0 = p->u0, .contacts = p->contacts, .rows = p->rows};
}

/* Adds what belongs to an island to the part, of contacts their numbers alone; multipliers come along for a warm start. */
static void take_rows(const cn_islands *m, const cn_qp *qp, uint32_t island, const cn_qp_solution *x, part *p)
{
	for (uint32_t k = m->contacts.first[island]; k < m->contacts.first[island + 1]; ++k)
		p->contact[p->qp.contact_count++] = m->contacts.item[k];
	for (uint32_t k = m->rows.first[island]; k < m->rows.first[island + 1]; ++k) {
		uint32_t i = m->rows.item[k], at = p->qp.row_count++;
		p->rows[at] = qp->rows[i];
		p->row[at] = i;
		p->row_y[at] = x->row[i];
	}
}

/* A small island as a program. */
static void take_island(const cn_islands *m, const cn_qp *qp, uint32_t island, const cn_qp_solution *x, part *p)
{
	open_part(p);
	for (uint32_t k = m->bodies.first[island]; k < m->bodies.first[island + 1]; ++k) {
		uint32_t i = m->bodies.item[k], at = p->qp.body_count++;
		p->body[at] = i;
		p->bodies[at] = qp->bodies[i];
		p->u0[at] = qp->u0[i];
	}
	take_rows(m, qp, island, x, p);
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		p->contacts[i] = qp->contacts[p->contact[i]];
		p->y[i] = x->contact[p->contact[i]];
		p->contacts[i].a = member(m, qp, p->contacts[i].a, false, p);
		p->contacts[i].b = member(m, qp, p->contacts[i].b, false, p);
	}
	for (uint32_t i = 0; i < p->qp.row_count; ++i) {
		p->rows[i].a = member(m, qp, p->rows[i].a, true, p);
		p->rows[i].b = member(m, qp, p->rows[i].b, true, p);
	}
}

static void give_rows(const part *p, cn_qp_solution *x)
{
	for (uint32_t i = 0; i < p->qp.row_count; ++i)
		x->row[p->row[i]] = p->row_y[i];
}

static void add_result(cn_qp_result *all, cn_qp_result r)
{
	if (r.status != CN_QP_SOLVED && all->status != CN_QP_MEMORY)
		all->status = r.status == CN_QP_MEMORY ? CN_QP_MEMORY : CN_QP_EARLY;
	all->violation = r.violation > all->violation ? r.violation : all->violation;
	all->residual = r.residual > all->residual ? r.residual : all->residual;
	all->sweeps = r.sweeps > all->sweeps ? r.sweeps : all->sweeps;
	all->factored += r.factored;
}

/* ---- small islands */

/* Of an island's part at most: each contact and row may bring one body that cannot move. */
static extent measure(const cn_islands *m, uint32_t island)
{
	extent e = {m->size[island] + rows_of(m, island), m->contacts.first[island + 1] - m->contacts.first[island],
	            m->rows.first[island + 1] - m->rows.first[island]};
	return e;
}

static uint32_t most_of(uint32_t a, uint32_t b) { return a > b ? a : b; }

static bool make_desk(const cairn_allocator *allocator, desk *d, extent most)
{
	if (!d->small)
		d->small = cn_small_create(allocator);
	return d->small && make_part(allocator, &d->part, most) &&
	       cn_small_reserve(d->small, most.bodies, most.contacts, most.rows);
}

/* Runs of islands, each worker up to its share of all rows; and memory for the largest of each. alone: one thread does them
 * all, one after the other. */
static bool deal_out(cn_islands *m, bool alone)
{
	uint64_t all = 0, dealt = 0;
	uint32_t at = 0;
	for (uint32_t k = 0; k < m->small_count; ++k)
		all += rows_of(m, m->small[k]);
	for (uint32_t w = 0; w < WORKERS; ++w) {
		worker *to = &m->workers[w];
		extent most = {0, 0, 0};
		to->desk = &m->desks[alone ? 0 : w];
		to->from = at;
		for (; at < m->small_count && dealt * WORKERS < all * (w + 1); ++at) {
			extent e = measure(m, m->small[at]);
			most.bodies = most_of(e.bodies, most.bodies);
			most.contacts = most_of(e.contacts, most.contacts);
			most.rows = most_of(e.rows, most.rows);
			dealt += rows_of(m, m->small[at]);
		}
		to->to = at;
		if (to->from < to->to && !make_desk(&m->allocator, to->desk, most))
			return false;
	}
	return true;
}

/* Solves an island and writes the answer. False: it is not solved and could be by the exact method, which was not to
 * be asked. */
static bool solve_island(const task *t, worker *w, uint32_t island, bool exact)
{
	const cn_fast_options *o = t->options;
	bool may_ask = !o->brisk || t->m->size[island] <= CN_SMALL_BRISK_BODIES;
	cn_small_options options = {.warm = o->warm, .bounce = o->bounce, .sweeps_only = !exact || !may_ask};
	part *p = &w->desk->part;
	cn_qp_solution answer = {.u = p->u, .contact = p->y, .row = p->row_y};
	take_island(t->m, t->qp, island, t->x, p);
	if (o->brisk) {
		uint32_t many = CN_SMALL_BRISK_WORK / (p->qp.contact_count + p->qp.row_count + 1);
		options.sweeps = many < CN_SMALL_BRISK_SWEEPS ? CN_SMALL_BRISK_SWEEPS
		                 : many < CN_SMALL_SWEEPS     ? many
		                                              : CN_SMALL_SWEEPS;
		options.tolerance = CN_SMALL_BRISK;
		options.turns = options.sweeps < CN_SMALL_SWEEPS;
	}
	cn_qp_result r = cn_small_solve(w->desk->small, &p->qp, &options, &answer);
	bool closed = r.status == CN_QP_SOLVED || !may_ask || exact;
	if (closed)
		add_result(&w->result, r);
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		t->x->contact[p->contact[i]] = p->y[i];
	give_rows(p, t->x);
	for (uint32_t b = 0; b < t->m->size[island]; ++b)
		t->x->u[p->body[b]] = p->u[b];
	return closed;
}

static void run_worker(void *context, uint32_t number)
{
	const task *t = context;
	worker *w = &t->m->workers[number];
	w->result = (cn_qp_result){.status = CN_QP_SOLVED};
	for (uint32_t k = w->from; k < w->to; ++k)
		t->m->open[k] = !solve_island(t, w, t->m->small[k], false);
}

static void solve_small(const task *t, cn_qp_result *all)
{
	cn_islands *m = t->m;
	task own = *t;
	uint32_t rows = 0, asked = 0;
	for (uint32_t k = 0; k < m->small_count; ++k)
		rows += rows_of(m, m->small[k]);
	if (t->options->pool && m->small_count > 1 && rows >= CN_SMALL_SPREAD)
		cn_pool_run(t->options->pool, WORKERS, run_worker, &own);
	else
		for (uint32_t w = 0; w < WORKERS; ++w)
			run_worker(&own, w);
	for (uint32_t w = 0; w < WORKERS; ++w) {
		for (uint32_t k = m->workers[w].from; k < m->workers[w].to; ++k) {
			if (!m->open[k])
				continue;
			uint32_t most = joined(m, m->small[k]) ? m->joined_most : m->small_most;
			if (t->options->brisk && (most < CN_SMALL_BODIES || asked++ >= CN_SMALL_BRISK_ASKS))
				add_result(all, (cn_qp_result){.status = CN_QP_EARLY});
			else
				solve_island(t, &m->workers[w], m->small[k], true);
		}
		add_result(all, m->workers[w].result);
	}
}

/* ---- large islands */

static void take_contacts(void *context, uint32_t chunk)
{
	const task *t = context;
	part *p = &t->m->large;
	for (uint32_t i = chunk * CONTACTS; i < cn_pool_end(chunk, CONTACTS, p->qp.contact_count); ++i) {
		p->contacts[i] = t->qp->contacts[p->contact[i]];
		p->y[i] = t->x->contact[p->contact[i]];
	}
}

static void give_contacts(void *context, uint32_t chunk)
{
	const task *t = context;
	const part *p = &t->m->large;
	for (uint32_t i = chunk * CONTACTS; i < cn_pool_end(chunk, CONTACTS, p->qp.contact_count); ++i)
		t->x->contact[p->contact[i]] = p->y[i];
}

static bool make_large(cn_islands *m, const cn_qp *qp)
{
	extent need = {0, 0, 0};
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (large(m, i)) {
			need.bodies = qp->body_count;
			need.contacts += m->contacts.first[i + 1] - m->contacts.first[i];
			need.rows += m->rows.first[i + 1] - m->rows.first[i];
		}
	return need.bodies == 0 || make_part(&m->allocator, &m->large, need);
}

static void solve_large(const task *t, cn_qp_result *all)
{
	cn_islands *m = t->m;
	part *p = &m->large;
	cn_qp_solution answer = {.u = p->u, .contact = p->y, .row = p->row_y};
	open_part(p);
	for (uint32_t i = 0; i < t->qp->body_count; ++i)
		if (large(m, i))
			take_rows(m, t->qp, i, t->x, p);
	if (!p->qp.contact_count && !p->qp.row_count)
		return;
	each_chunk(t, p->qp.contact_count, take_contacts);
	p->qp.body_count = t->qp->body_count;
	p->qp.bodies = t->qp->bodies;
	p->qp.u0 = t->qp->u0;
	cn_fast_options options = *t->options;
	options.island = m->island; /* bodies of small ones have no rows here */
	cn_qp_result r = options.position ? cn_fast_position(m->fast, &p->qp, &options, &answer)
	                                  : cn_fast_momentum(m->fast, &p->qp, &options, &answer);
	add_result(all, r);
	if (r.status == CN_QP_MEMORY)
		return;
	each_chunk(t, p->qp.contact_count, give_contacts);
	give_rows(p, t->x);
	for (uint32_t i = 0; i < t->qp->body_count; ++i)
		if (m->island[i] != CN_QP_NONE && large(m, m->island[i]))
			t->x->u[i] = p->u[i];
}

uint32_t cn_islands_small(uint32_t bodies, bool brisk, bool crowd)
{
	return brisk && (crowd || bodies > CN_SMALL_CROWD) ? CN_SMALL_CROWD_MAX : CN_SMALL_BODIES;
}

cn_qp_result cn_islands_solve(cn_islands *m, const cn_qp *qp, const cn_fast_options *options, cn_qp_solution *solution)
{
	cn_qp_result all = {.status = CN_QP_SOLVED};
	task t = {m, qp, options, solution};
	if (!make_room(m, qp))
		return (cn_qp_result){.status = CN_QP_MEMORY};
	m->joined_most = cn_islands_small(qp->body_count, options->brisk, false);
	m->small_most = cn_islands_small(qp->body_count, options->brisk, options->crowd);
	m->row_most = options->brisk && options->position ? CN_SMALL_BRISK_WORK / CN_SMALL_BRISK_SWEEPS : UINT32_MAX;
	if (options->small && options->small < m->small_most)
		m->small_most = options->small;
	find_islands(&t);
	if (!deal_out(m, !options->pool || cn_pool_threads(options->pool) == 1) || !make_large(m, qp))
		return (cn_qp_result){.status = CN_QP_MEMORY};
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (!options->few || m->island[i] == CN_QP_NONE || !large(m, m->island[i]))
			solution->u[i] = qp->u0[i];
	for (uint32_t k = m->contacts.first[qp->body_count]; k < qp->contact_count; ++k)
		solution->contact[m->contacts.item[k]] = (cn_qp_impulse){0, 0, 0};
	for (uint32_t k = m->rows.first[qp->body_count]; k < qp->row_count; ++k)
		solution->row[m->rows.item[k]] = 0;
	solve_small(&t, &all);
	if (!options->few)
		solve_large(&t, &all);
	if (options->unjudged)
		return all;
	double violation = cn_qp_violation(qp, solution->u); /* also of what nothing can move */
	all.violation = violation > all.violation ? violation : all.violation;
	all.objective = cn_qp_objective(qp, solution->u);
	return all;
}
