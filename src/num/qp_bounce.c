/* See qp_bounce.h. Let impulses a lead from u0 to v and b to w. The kinetic energy of an island after a + s (b - a) is
 *
 *     T(s) = T(u0) + rise + s slope + s^2 bend,   rise = 1/2 a.J(u0 + v),  slope = (b - a).J v,  bend = 1/2 (b - a).J(w - v)
 *
 * so one walk over the rows gives the parabola of every island, and no inertia has to be inverted. With bodies that move
 * though they cannot be moved the same sums are the energy less the work that these do. */
#include "num/qp_bounce.h"

#include <string.h>

#define CN_QP_LOCKED 10.0 /* x what comes of them: impulses that do more work than this push against each other */

typedef struct parabola {
	double rise, slope, bend;
	double gross; /* bend, of the magnitudes of its terms */
	double driven;
	double share; /* s */
} parabola;

static bool idle(cn_qp_impulse y) { return y.n == 0 && y.s == 0 && y.t == 0; }
static bool moves(const cn_qp *qp, uint32_t body) { return body != CN_QP_NONE && qp->bodies[body].inv_mass > 0; }

/* The island of a row; CN_QP_NONE where nothing of it can move. */
static uint32_t island_of(const cn_qp *qp, const uint32_t *island, uint32_t a, uint32_t b)
{
	return moves(qp, a) ? island[a] : moves(qp, b) ? island[b] : CN_QP_NONE;
}

/* The largest restitution of every island; whether there is any. */
static bool find_largest(const cn_qp *qp, const uint32_t *island, double *most)
{
	bool any = false;
	for (uint32_t i = 0; i < qp->body_count; ++i)
		most[i] = 0;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		uint32_t at = island_of(qp, island, c->a, c->b);
		if (at != CN_QP_NONE && c->eps > most[at])
			most[at] = c->eps, any = true;
	}
	return any;
}

bool cn_qp_newton(const cn_qp *qp, const uint32_t *island, cn_qp_contact *contacts, cn_qp_row *rows, double *scratch)
{
	if (!find_largest(qp, island, scratch))
		return false;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		cn_qp_contact *c = &contacts[i];
		*c = qp->contacts[i];
		uint32_t at = island_of(qp, island, c->a, c->b);
		if (at == CN_QP_NONE || scratch[at] == 0)
			continue;
		double lacks = c->least - v3_dot(c->n, cn_qp_meet(qp, i, qp->u0));
		c->least += (lacks > 0 ? c->eps : scratch[at]) * lacks;
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		cn_qp_row *r = &rows[i];
		*r = qp->rows[i];
		uint32_t at = island_of(qp, island, r->a, r->b);
		if (at == CN_QP_NONE || scratch[at] == 0)
			continue;
		double value = cn_qp_row_value(qp, i, qp->u0), low = r->low - value, high = r->high - value;
		if (low < 0 || low == high)
			r->low += scratch[at] * low;
		if (high > 0 || low == high)
			r->high += scratch[at] * high;
	}
	return true;
}

enum { CONTACTS = 1024 }; /* of a chunk */

/* What a contact adds to its island's parabola. */
typedef struct point {
	double rise, slope, bend;
	uint32_t island;
	bool driven;
} point;
static_assert(sizeof(parabola) == CN_QP_BODY_SCRATCH * sizeof(double) &&
                  sizeof(point) == CN_QP_CONTACT_SCRATCH * sizeof(double),
              "scratch");

typedef struct temper_task {
	const cn_qp *qp;
	const uint32_t *island;
	const cn_qp_solution *soft, *x;
	parabola *all;
	point *points;
	const cn_qp_share *share;
} temper_task;

/* Chunks of contacts, on all threads. */
static void each_chunk(temper_task *t, void (*task)(void *context, uint32_t chunk))
{
	uint32_t count = t->qp->contact_count;
	cn_qp_share_run(t->share, count / CONTACTS + (count % CONTACTS != 0), task, t);
}

static cn_qp_impulse minus(cn_qp_impulse y, cn_qp_impulse z)
{
	return (cn_qp_impulse){y.n - z.n, y.s - z.s, y.t - z.t};
}

static cn_qp_impulse scaled(cn_qp_impulse y, double s) { return (cn_qp_impulse){s * y.n, s * y.s, s * y.t}; }

static void find_points(void *context, uint32_t chunk)
{
	const temper_task *t = context;
	const cn_qp *qp = t->qp;
	cn_qp_frame f = {0};
	for (uint32_t i = chunk * CONTACTS; i < cn_pool_end(chunk, CONTACTS, qp->contact_count); ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		cn_qp_impulse b = t->x->contact[i], a = t->soft ? t->soft->contact[i] : (cn_qp_impulse){0, 0, 0};
		point p = {.island = island_of(qp, t->island, c->a, c->b), .driven = c->least > 0};
		if (p.island != CN_QP_NONE && !(idle(a) && idle(b))) {
			cn_qp_frame_to(&f, c->n);
			v3 more = cn_qp_frame_vector(&f, minus(b, a)), first = cn_qp_meet(qp, i, qp->u0);
			v3 v = t->soft ? cn_qp_meet(qp, i, t->soft->u) : first, w = cn_qp_meet(qp, i, t->x->u);
			p.rise = t->soft ? 0.5 * v3_dot(cn_qp_frame_vector(&f, a), v3_add(first, v)) : 0;
			p.slope = v3_dot(more, v);
			p.bend = 0.5 * v3_dot(more, v3_sub(w, v));
		}
		t->points[i] = p;
	}
}

static void add_row(const temper_task *t, uint32_t i, parabola *at)
{
	const cn_qp *qp = t->qp;
	double a = t->soft ? t->soft->row[i] : 0, more = t->x->row[i] - a, first = cn_qp_row_value(qp, i, qp->u0);
	double v = t->soft ? cn_qp_row_value(qp, i, t->soft->u) : first, w = cn_qp_row_value(qp, i, t->x->u);
	at->rise += 0.5 * a * (first + v);
	at->slope += more * v;
	at->bend += 0.5 * more * (w - v);
	at->gross += fabs(0.5 * more * (w - v));
	if (qp->rows[i].low > 0 || qp->rows[i].high < 0)
		at->driven = 1;
}

/* The largest s in [0, 1] with rise + s slope + s^2 bend <= 0, where rise <= 0. */
static double share_of(const parabola *p)
{
	if (p->driven > 0 || p->rise + p->slope + p->bend <= 0)
		return 1;
	double under = p->slope * p->slope - 4 * p->bend * p->rise;
	if (!(p->rise <= 0) || !(p->bend > 0) || !(under > 0))
		return 0;
	/* The larger root, written without cancellation. */
	double root = sqrt(under), s = p->slope > 0 ? -2 * p->rise / (p->slope + root) : (root - p->slope) / (2 * p->bend);
	return s < 0 ? 0 : s > 1 ? 1 : s;
}

static bool locked(const parabola *p) { return p->gross > CN_QP_LOCKED * p->bend; }

/* Whether x is too much for some island. */
static bool find_shares(temper_task *t)
{
	const cn_qp *qp = t->qp;
	bool any = false;
	memset(t->all, 0, qp->body_count * sizeof *t->all);
	each_chunk(t, find_points);
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const point *p = &t->points[i];
		if (p->island == CN_QP_NONE)
			continue;
		parabola *at = &t->all[p->island];
		at->rise += p->rise, at->slope += p->slope, at->bend += p->bend, at->gross += fabs(p->bend);
		if (p->driven)
			at->driven = 1;
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, t->island, qp->rows[i].a, qp->rows[i].b);
		if (at != CN_QP_NONE)
			add_row(t, i, &t->all[at]);
	}
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		t->all[i].share = t->island[i] == i ? share_of(&t->all[i]) : 1;
		any = any || t->all[i].share < 1;
	}
	return any;
}

static temper_task task_of(const cn_qp *qp, const uint32_t *island, double *scratch, const cn_qp_share *share)
{
	return (temper_task){.qp = qp,
	                     .island = island,
	                     .all = (parabola *)(void *)scratch,
	                     .points = (point *)(void *)(scratch + (size_t)CN_QP_BODY_SCRATCH * qp->body_count),
	                     .share = share};
}

bool cn_qp_gains(const cn_qp *qp, const uint32_t *island, const cn_qp_solution *x, double *scratch,
                 const cn_qp_share *share)
{
	temper_task t = task_of(qp, island, scratch, share);
	t.x = x;
	bool any = find_shares(&t);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		any = any || locked(&t.all[i]);
	return any;
}

bool cn_qp_locks(const cn_qp *qp, const uint32_t *island, const cn_qp_solution *x, double *scratch, uint8_t *lock)
{
	temper_task t = task_of(qp, island, scratch, NULL);
	bool any = false;
	t.x = x;
	find_shares(&t);
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		lock[i] = locked(&t.all[i]);
		any = any || lock[i];
	}
	return any;
}

void cn_qp_soften(const cn_qp *qp, const uint32_t *island, const double *scratch, cn_qp_solution *soft)
{
	const parabola *all = (const parabola *)(const void *)scratch;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		uint32_t at = island_of(qp, island, c->a, c->b);
		double f = at != CN_QP_NONE && locked(&all[at]) ? 0 : 1 / (1 + c->eps);
		soft->contact[i] = scaled(soft->contact[i], f);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, island, qp->rows[i].a, qp->rows[i].b);
		if (at != CN_QP_NONE && locked(&all[at]))
			soft->row[i] = 0;
	}
}

/* The mean eps of every island, weighted with the impulses of soft; written in place of the parabola's rise. */
static void mean_restitution(const temper_task *t)
{
	const cn_qp *qp = t->qp;
	for (uint32_t i = 0; i < qp->body_count; ++i)
		t->all[i].rise = t->all[i].slope = 0;
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		if (t->points[i].island != CN_QP_NONE) {
			parabola *at = &t->all[t->points[i].island];
			at->rise += t->soft->contact[i].n * qp->contacts[i].eps, at->slope += t->soft->contact[i].n;
		}
	for (uint32_t i = 0; i < qp->body_count; ++i)
		t->all[i].rise = t->all[i].slope > 0 ? t->all[i].rise / t->all[i].slope : 0;
}

void cn_qp_poisson(const cn_qp *qp, const uint32_t *island, const cn_qp_solution *soft, cn_qp_solution *x,
                   double *scratch, const cn_qp_share *share)
{
	temper_task t = task_of(qp, island, scratch, share);
	bool any = false;
	t.x = x;
	find_shares(&t);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		any = any || locked(&t.all[i]);
	if (!any)
		return;
	t.soft = soft;
	mean_restitution(&t);
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		uint32_t at = t.points[i].island;
		if (at != CN_QP_NONE && locked(&t.all[at]))
			x->contact[i] = scaled(soft->contact[i], 1 + t.all[at].rise);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, island, qp->rows[i].a, qp->rows[i].b);
		if (at != CN_QP_NONE && locked(&t.all[at]))
			x->row[i] = (1 + t.all[at].rise) * soft->row[i];
	}
	cn_qp_apply_shared(qp, x->contact, x->row, x->u, share);
}

void cn_qp_temper(const cn_qp *qp, const uint32_t *island, const cn_qp_solution *soft, cn_qp_solution *x,
                  double *scratch, const cn_qp_share *share)
{
	temper_task t = task_of(qp, island, scratch, share);
	t.soft = soft, t.x = x;
	if (!find_shares(&t))
		return;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		double s = t.points[i].island != CN_QP_NONE ? t.all[t.points[i].island].share : 1;
		if (s == 1)
			continue;
		cn_qp_impulse a = soft ? soft->contact[i] : (cn_qp_impulse){0, 0, 0}, more = minus(x->contact[i], a);
		x->contact[i] = (cn_qp_impulse){a.n + s * more.n, a.s + s * more.s, a.t + s * more.t};
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, island, qp->rows[i].a, qp->rows[i].b);
		double s = at != CN_QP_NONE ? t.all[at].share : 1, a = soft ? soft->row[i] : 0;
		x->row[i] = s == 1 ? x->row[i] : a + s * (x->row[i] - a);
	}
	cn_qp_apply_shared(qp, x->contact, x->row, x->u, share);
}
