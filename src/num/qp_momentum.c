/* See qp_momentum.h. Contacts and rows are sorted by the island they belong to, in their own order within one, so that a small island
 * becomes a program of its own with its bodies renumbered, and what belongs to large ones is left as one program over all
 * bodies. What ties only bodies that cannot move belongs to nobody and gets no impulse. */
#include "num/qp_momentum.h"

/* Numbers of contacts or rows by island: those of the island whose least body is b stand from first[b] to first[b + 1]. */
typedef struct sorted {
	uint32_t *first, *item;
	uint32_t first_room, item_room;
} sorted;

struct cn_momentum {
	cairn_allocator allocator;
	cn_fast *fast;
	uint32_t *island, *size,
		*local;       /* by body: least body of its island; bodies of the island, there; number in the part */
	uint32_t *global; /* of the part's bodies */
	sorted contacts, rows;
	/* the part */
	cn_qp_body *bodies;
	cn_twist *u0, *u;
	cn_qp_contact *part_contacts;
	cn_qp_row *part_rows;
	cn_qp_impulse *y;
	double *row_y;
	uint32_t *which, *which_row; /* of the part's contacts and rows in the whole */
	uint32_t island_room, size_room, local_room, global_room, body_room, u0_room, u_room, contact_room, row_room,
		y_room;
	uint32_t row_y_room, which_room, which_row_room;
};

cn_momentum *cn_momentum_create(const cairn_allocator *allocator)
{
	cn_momentum *m = cn_alloc(allocator, 1, sizeof *m);
	if (!m)
		return NULL;
	m->allocator = *allocator;
	m->fast = cn_fast_create(allocator);
	if (m->fast)
		return m;
	cn_momentum_destroy(m);
	return NULL;
}

void cn_momentum_destroy(cn_momentum *m)
{
	if (!m)
		return;
	cairn_allocator a = m->allocator;
	cn_fast_destroy(m->fast);
	cn_free(&a, m->island, m->island_room, sizeof *m->island);
	cn_free(&a, m->size, m->size_room, sizeof *m->size);
	cn_free(&a, m->local, m->local_room, sizeof *m->local);
	cn_free(&a, m->global, m->global_room, sizeof *m->global);
	cn_free(&a, m->contacts.first, m->contacts.first_room, sizeof *m->contacts.first);
	cn_free(&a, m->contacts.item, m->contacts.item_room, sizeof *m->contacts.item);
	cn_free(&a, m->rows.first, m->rows.first_room, sizeof *m->rows.first);
	cn_free(&a, m->rows.item, m->rows.item_room, sizeof *m->rows.item);
	cn_free(&a, m->bodies, m->body_room, sizeof *m->bodies);
	cn_free(&a, m->u0, m->u0_room, sizeof *m->u0);
	cn_free(&a, m->u, m->u_room, sizeof *m->u);
	cn_free(&a, m->part_contacts, m->contact_room, sizeof *m->part_contacts);
	cn_free(&a, m->part_rows, m->row_room, sizeof *m->part_rows);
	cn_free(&a, m->y, m->y_room, sizeof *m->y);
	cn_free(&a, m->row_y, m->row_y_room, sizeof *m->row_y);
	cn_free(&a, m->which, m->which_room, sizeof *m->which);
	cn_free(&a, m->which_row, m->which_row_room, sizeof *m->which_row);
	cn_free(&a, m, 1, sizeof *m);
}

static bool make_room(cn_momentum *m, const cn_qp *qp)
{
	const cairn_allocator *a = &m->allocator;
	uint32_t bodies = qp->body_count + 1, contacts = qp->contact_count + 1, rows = qp->row_count + 1;
	return cn_grow(a, (void **)&m->island, &m->island_room, bodies, sizeof *m->island) &&
	       cn_grow(a, (void **)&m->size, &m->size_room, bodies, sizeof *m->size) &&
	       cn_grow(a, (void **)&m->local, &m->local_room, bodies, sizeof *m->local) &&
	       cn_grow(a, (void **)&m->global, &m->global_room, bodies, sizeof *m->global) &&
	       cn_grow(a, (void **)&m->contacts.first, &m->contacts.first_room, bodies + 1, sizeof *m->contacts.first) &&
	       cn_grow(a, (void **)&m->contacts.item, &m->contacts.item_room, contacts, sizeof *m->contacts.item) &&
	       cn_grow(a, (void **)&m->rows.first, &m->rows.first_room, bodies + 1, sizeof *m->rows.first) &&
	       cn_grow(a, (void **)&m->rows.item, &m->rows.item_room, rows, sizeof *m->rows.item) &&
	       cn_grow(a, (void **)&m->bodies, &m->body_room, bodies, sizeof *m->bodies) &&
	       cn_grow(a, (void **)&m->u0, &m->u0_room, bodies, sizeof *m->u0) &&
	       cn_grow(a, (void **)&m->u, &m->u_room, bodies, sizeof *m->u) &&
	       cn_grow(a, (void **)&m->part_contacts, &m->contact_room, contacts, sizeof *m->part_contacts) &&
	       cn_grow(a, (void **)&m->part_rows, &m->row_room, rows, sizeof *m->part_rows) &&
	       cn_grow(a, (void **)&m->y, &m->y_room, contacts, sizeof *m->y) &&
	       cn_grow(a, (void **)&m->row_y, &m->row_y_room, rows, sizeof *m->row_y) &&
	       cn_grow(a, (void **)&m->which, &m->which_room, contacts, sizeof *m->which) &&
	       cn_grow(a, (void **)&m->which_row, &m->which_row_room, rows, sizeof *m->which_row);
}

/* The island of a contact or row; body_count where nothing of it can move. */
static uint32_t owner(const cn_momentum *m, const cn_qp *qp, uint32_t a, uint32_t b)
{
	if (a != CN_QP_NONE && m->island[a] != CN_QP_NONE)
		return m->island[a];
	return b != CN_QP_NONE && m->island[b] != CN_QP_NONE ? m->island[b] : qp->body_count;
}

/* By counting: the sum of all before an island is where it begins. */
static void begin_islands(sorted *s, uint32_t bodies)
{
	for (uint32_t b = 0; b <= bodies; ++b)
		s->first[b + 1] += s->first[b];
}

static void sort_all(cn_momentum *m, const cn_qp *qp)
{
	uint32_t bodies = qp->body_count;
	for (uint32_t b = 0; b < bodies + 2; ++b)
		m->contacts.first[b] = m->rows.first[b] = 0;
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		++m->contacts.first[owner(m, qp, qp->contacts[i].a, qp->contacts[i].b) + 1];
	for (uint32_t i = 0; i < qp->row_count; ++i)
		++m->rows.first[owner(m, qp, qp->rows[i].a, qp->rows[i].b) + 1];
	begin_islands(&m->contacts, bodies);
	begin_islands(&m->rows, bodies);
	/* Each goes to the next free place of its island, which moves the beginnings up to the ends; they are put back after. */
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		m->contacts.item[m->contacts.first[owner(m, qp, qp->contacts[i].a, qp->contacts[i].b)]++] = i;
	for (uint32_t i = 0; i < qp->row_count; ++i)
		m->rows.item[m->rows.first[owner(m, qp, qp->rows[i].a, qp->rows[i].b)]++] = i;
	for (uint32_t b = bodies + 1; b > 0; --b) {
		m->contacts.first[b] = m->contacts.first[b - 1];
		m->rows.first[b] = m->rows.first[b - 1];
	}
	m->contacts.first[0] = m->rows.first[0] = 0;
}

static void find_islands(cn_momentum *m, const cn_qp *qp)
{
	cn_qp_islands(qp, m->island);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		m->size[i] = m->local[i] = 0;
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (m->island[i] != CN_QP_NONE)
			++m->size[m->island[i]];
	sort_all(m, qp);
}

/* A body's number in the part; it joins where it is new. */
static uint32_t member(cn_momentum *m, const cn_qp *qp, uint32_t body, cn_qp *part)
{
	if (body == CN_QP_NONE)
		return CN_QP_NONE;
	if (m->local[body] >= part->body_count || m->global[m->local[body]] != body) {
		m->local[body] = part->body_count;
		m->global[part->body_count] = body;
		m->bodies[part->body_count] = qp->bodies[body];
		m->u0[part->body_count++] = qp->u0[body];
	}
	return m->local[body];
}

/* Adds what belongs to an island to the part, with bodies renumbered where asked; multipliers come along for a warm start. */
static void take_island(cn_momentum *m, const cn_qp *qp, uint32_t island, bool renumber, const cn_qp_solution *x,
                        cn_qp *part)
{
	for (uint32_t k = m->contacts.first[island]; k < m->contacts.first[island + 1]; ++k) {
		uint32_t i = m->contacts.item[k], at = part->contact_count++;
		m->part_contacts[at] = qp->contacts[i];
		m->which[at] = i;
		m->y[at] = x->contact[i];
		if (renumber) {
			m->part_contacts[at].a = member(m, qp, qp->contacts[i].a, part);
			m->part_contacts[at].b = member(m, qp, qp->contacts[i].b, part);
		}
	}
	for (uint32_t k = m->rows.first[island]; k < m->rows.first[island + 1]; ++k) {
		uint32_t i = m->rows.item[k], at = part->row_count++;
		m->part_rows[at] = qp->rows[i];
		m->which_row[at] = i;
		m->row_y[at] = x->row[i];
		if (renumber) {
			m->part_rows[at].a = member(m, qp, qp->rows[i].a, part);
			m->part_rows[at].b = member(m, qp, qp->rows[i].b, part);
		}
	}
}

static void give_back(const cn_momentum *m, const cn_qp *part, cn_qp_solution *x)
{
	for (uint32_t i = 0; i < part->contact_count; ++i)
		x->contact[m->which[i]] = m->y[i];
	for (uint32_t i = 0; i < part->row_count; ++i)
		x->row[m->which_row[i]] = m->row_y[i];
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

static bool small(const cn_momentum *m, uint32_t island)
{
	return m->size[island] > 0 && m->size[island] <= CN_SMALL_BODIES;
}

static void solve_small(cn_momentum *m, const cn_qp *qp, const cn_fast_options *o, cn_qp_solution *x, cn_qp_result *all)
{
	cn_small_options options = {.warm = o->warm, .bounce = o->bounce};
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		if (!small(m, i) ||
		    (m->contacts.first[i] == m->contacts.first[i + 1] && m->rows.first[i] == m->rows.first[i + 1]))
			continue;
		cn_qp part = {.bodies = m->bodies, .u0 = m->u0, .contacts = m->part_contacts, .rows = m->part_rows};
		cn_qp_solution answer = {.u = m->u, .contact = m->y, .row = m->row_y};
		take_island(m, qp, i, true, x, &part);
		add_result(all, cn_small_momentum(&m->allocator, &part, &options, &answer));
		give_back(m, &part, x);
		for (uint32_t b = 0; b < part.body_count; ++b)
			x->u[m->global[b]] = m->u[b];
	}
}

static void solve_large(cn_momentum *m, const cn_qp *qp, const cn_fast_options *o, cn_qp_solution *x, cn_qp_result *all)
{
	cn_qp part = {.body_count = qp->body_count,
	              .bodies = qp->bodies,
	              .u0 = qp->u0,
	              .contacts = m->part_contacts,
	              .rows = m->part_rows};
	cn_qp_solution answer = {.u = m->u, .contact = m->y, .row = m->row_y};
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (m->size[i] > CN_SMALL_BODIES)
			take_island(m, qp, i, false, x, &part);
	if (!part.contact_count && !part.row_count)
		return;
	add_result(all, cn_fast_momentum(m->fast, &part, o, &answer));
	give_back(m, &part, x);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (m->island[i] != CN_QP_NONE && m->size[m->island[i]] > CN_SMALL_BODIES)
			x->u[i] = m->u[i];
}

cn_qp_result cn_momentum_solve(cn_momentum *m, const cn_qp *qp, const cn_fast_options *options,
                               cn_qp_solution *solution)
{
	cn_qp_result all = {.status = CN_QP_SOLVED};
	if (!make_room(m, qp))
		return (cn_qp_result){.status = CN_QP_MEMORY};
	find_islands(m, qp);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		solution->u[i] = qp->u0[i];
	for (uint32_t k = m->contacts.first[qp->body_count]; k < qp->contact_count; ++k)
		solution->contact[m->contacts.item[k]] = (cn_qp_impulse){0, 0, 0};
	for (uint32_t k = m->rows.first[qp->body_count]; k < qp->row_count; ++k)
		solution->row[m->rows.item[k]] = 0;
	solve_small(m, qp, options, solution, &all);
	solve_large(m, qp, options, solution, &all);
	double violation = cn_qp_violation(qp, solution->u); /* also of what nothing can move */
	all.violation = violation > all.violation ? violation : all.violation;
	all.objective = cn_qp_objective(qp, solution->u);
	return all;
}
