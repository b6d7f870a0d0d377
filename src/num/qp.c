/* See qp.h: what every solver shares: rows applied to bodies in a fixed order, in double. */
#include "num/qp.h"

void cn_qp_tangents(v3 n, v3 *s, v3 *t)
{
	/* Across the axis after the one n has most of: well away from n, and the same for all normals near an axis, where those
	 * of resting bodies are. */
	v3 size = v3_abs(n), across = {0, 0, 0};
	if (size.z >= size.x && size.z >= size.y)
		across.x = 1;
	else if (size.x >= size.y)
		across.y = 1;
	else
		across.z = 1;
	*s = v3_unit(v3_cross(across, n));
	*t = v3_cross(n, *s);
}

v3 cn_qp_vector(v3 n, cn_qp_impulse y)
{
	v3 s, t;
	cn_qp_tangents(n, &s, &t);
	return v3_madd(v3_madd(v3_scale(n, y.n), s, y.s), t, y.t);
}

static v3 apply_inertia(const cn_qp_body *body, v3 v)
{
	const double *i = body->inv_inertia;
	return v3_make(i[0] * v.x + i[1] * v.y + i[2] * v.z, i[1] * v.x + i[3] * v.y + i[4] * v.z,
	               i[2] * v.x + i[4] * v.y + i[5] * v.z);
}

void cn_qp_push(const cn_qp_body *body, v3 impulse, v3 moment, cn_twist *u)
{
	u->v = v3_madd(u->v, impulse, body->inv_mass);
	u->w = v3_add(u->w, apply_inertia(body, moment));
}

static void push(const cn_qp *qp, uint32_t body, v3 impulse, v3 moment, cn_twist *u)
{
	if (body != CN_QP_NONE)
		cn_qp_push(&qp->bodies[body], impulse, moment, &u[body]);
}

void cn_qp_push_contact(const cn_qp *qp, uint32_t contact, cn_qp_impulse y, cn_twist *u)
{
	const cn_qp_contact *c = &qp->contacts[contact];
	v3 impulse = v3_scale(c->n, y.n);
	if (y.s != 0 || y.t != 0) {
		v3 s, t;
		cn_qp_tangents(c->n, &s, &t);
		impulse = v3_madd(v3_madd(impulse, s, y.s), t, y.t);
	}
	push(qp, c->a, v3_neg(impulse), v3_cross(impulse, c->ra), u);
	push(qp, c->b, impulse, v3_cross(c->rb, impulse), u);
}

void cn_qp_share_run(const cn_qp_share *share, uint32_t chunks, void (*task)(void *context, uint32_t chunk),
                     void *context)
{
	if (chunks > 1 && share && share->pool) {
		cn_pool_run(share->pool, chunks, task, context);
		return;
	}
	for (uint32_t i = 0; i < chunks; ++i)
		task(context, i);
}

enum { BODIES = 256 }; /* of a chunk where they are walked one by one */

typedef struct apply_task {
	const cn_qp *qp;
	const cn_qp_impulse *contact;
	const double *row;
	cn_twist *u, *sum;
	const cn_qp_share *share; /* NULL: there is one region, and sums are in u */
} apply_task;

/* Whether a body is of the region at hand. */
static bool own(const apply_task *t, uint32_t body, uint32_t number)
{
	return body != CN_QP_NONE && (!t->share || t->share->region[body] == number);
}

static cn_twist *sum_of(const apply_task *t, uint32_t body) { return &t->sum[t->share ? t->share->place[body] : body]; }

static void gather_impulse(cn_twist *sum, v3 impulse, v3 moment)
{
	sum->v = v3_add(sum->v, impulse);
	sum->w = v3_add(sum->w, moment);
}

/* What contacts give to the bodies of a region. */
static void gather_contacts(const apply_task *t, uint32_t number)
{
	const cn_qp *qp = t->qp;
	cn_qp_frame f = {0}; /* of the last contact: often the next one's too */
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		cn_qp_impulse y = t->contact[i];
		bool slides = y.s != 0 || y.t != 0;
		if (y.n == 0 && !slides)
			continue;
		bool a = own(t, c->a, number), b = own(t, c->b, number);
		if (!a && !b)
			continue;
		v3 impulse = v3_scale(c->n, y.n);
		if (slides) {
			cn_qp_frame_to(&f, c->n);
			impulse = v3_madd(v3_madd(impulse, f.s, y.s), f.t, y.t);
		}
		if (a)
			gather_impulse(sum_of(t, c->a), v3_neg(impulse), v3_cross(impulse, c->ra));
		if (b)
			gather_impulse(sum_of(t, c->b), impulse, v3_cross(c->rb, impulse));
	}
}

static void gather_rows(const apply_task *t, uint32_t number)
{
	const cn_qp *qp = t->qp;
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *r = &qp->rows[i];
		double y = t->row[i];
		if (y != 0 && own(t, r->a, number))
			gather_impulse(sum_of(t, r->a), v3_scale(r->ja.v, y), v3_scale(r->ja.w, y));
		if (y != 0 && own(t, r->b, number))
			gather_impulse(sum_of(t, r->b), v3_scale(r->jb.v, y), v3_scale(r->jb.w, y));
	}
}

static void gather_region(void *context, uint32_t number)
{
	const apply_task *t = context;
	for (uint32_t i = 0; i < t->qp->body_count; ++i)
		if (own(t, i, number))
			*sum_of(t, i) = (cn_twist){{0, 0, 0}, {0, 0, 0}};
	gather_contacts(t, number);
	gather_rows(t, number);
}

static void move_bodies(void *context, uint32_t chunk)
{
	const apply_task *t = context;
	const cn_qp *qp = t->qp;
	uint32_t begin = chunk * BODIES, end = qp->body_count - begin < BODIES ? qp->body_count : begin + BODIES;
	for (uint32_t i = begin; i < end; ++i) {
		const cn_qp_body *body = &qp->bodies[i];
		cn_twist sum = *sum_of(t, i);
		t->u[i] =
			(cn_twist){v3_madd(qp->u0[i].v, sum.v, body->inv_mass), v3_add(qp->u0[i].w, apply_inertia(body, sum.w))};
	}
}

/* J'y first; then the metric once a body. */
void cn_qp_apply_shared(const cn_qp *qp, const cn_qp_impulse *contact, const double *row, cn_twist *u,
                        const cn_qp_share *share)
{
	bool several = cn_qp_share_regions(share) > 1;
	apply_task t = {qp, contact, row, u, several ? share->sum : u, several ? share : NULL};
	cn_qp_share_run(share, cn_qp_share_regions(share), gather_region, &t);
	cn_qp_share_run(share, qp->body_count / BODIES + (qp->body_count % BODIES != 0), move_bodies, &t);
}

void cn_qp_apply(const cn_qp *qp, const cn_qp_impulse *contact, const double *row, cn_twist *u)
{
	cn_qp_apply_shared(qp, contact, row, u, NULL);
}

static v3 velocity_at(const cn_twist *u, uint32_t body, v3 r)
{
	return body == CN_QP_NONE ? v3_zero() : v3_add(u[body].v, v3_cross(u[body].w, r));
}

v3 cn_qp_meet(const cn_qp *qp, uint32_t contact, const cn_twist *u)
{
	const cn_qp_contact *c = &qp->contacts[contact];
	return v3_sub(velocity_at(u, c->b, c->rb), velocity_at(u, c->a, c->ra));
}

cn_qp_impulse cn_qp_speed(const cn_qp *qp, uint32_t contact, const cn_twist *u)
{
	const cn_qp_contact *c = &qp->contacts[contact];
	v3 relative = cn_qp_meet(qp, contact, u), s, t;
	cn_qp_tangents(c->n, &s, &t);
	return (cn_qp_impulse){v3_dot(c->n, relative), v3_dot(s, relative), v3_dot(t, relative)};
}

double cn_qp_row_value(const cn_qp *qp, uint32_t row, const cn_twist *u)
{
	const cn_qp_row *r = &qp->rows[row];
	double value = v3_dot(r->ja.v, u[r->a].v) + v3_dot(r->ja.w, u[r->a].w);
	return r->b == CN_QP_NONE ? value : value + (v3_dot(r->jb.v, u[r->b].v) + v3_dot(r->jb.w, u[r->b].w));
}

double cn_qp_violation(const cn_qp *qp, const cn_twist *u)
{
	double most = 0;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		double lack = c->least - v3_dot(c->n, v3_sub(velocity_at(u, c->b, c->rb), velocity_at(u, c->a, c->ra)));
		most = lack > most ? lack : most;
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		double value = cn_qp_row_value(qp, i, u), below = qp->rows[i].low - value, above = value - qp->rows[i].high;
		most = below > most ? below : most;
		most = above > most ? above : most;
	}
	return most;
}

/* w' I w from the inverse: by the cofactors of the symmetric inverse. 0 for what cannot move. */
static double turning(const cn_qp_body *body, v3 w)
{
	const double *i = body->inv_inertia;
	double xx = i[3] * i[5] - i[4] * i[4], xy = i[2] * i[4] - i[1] * i[5], xz = i[1] * i[4] - i[2] * i[3];
	double yy = i[0] * i[5] - i[2] * i[2], yz = i[1] * i[2] - i[0] * i[4], zz = i[0] * i[3] - i[1] * i[1];
	double determinant = i[0] * xx + i[1] * xy + i[2] * xz;
	if (!(determinant > 0))
		return 0;
	double sum = w.x * (xx * w.x + xy * w.y + xz * w.z) + w.y * (xy * w.x + yy * w.y + yz * w.z) +
	             w.z * (xz * w.x + yz * w.y + zz * w.z);
	return sum / determinant;
}

static double half_square(const cn_qp_body *body, v3 v, v3 w)
{
	return body->inv_mass > 0 ? 0.5 * (v3_length2(v) / body->inv_mass + turning(body, w)) : 0;
}

double cn_qp_objective(const cn_qp *qp, const cn_twist *u)
{
	double sum = 0;
	for (uint32_t i = 0; i < qp->body_count; ++i)
		sum += half_square(&qp->bodies[i], v3_sub(u[i].v, qp->u0[i].v), v3_sub(u[i].w, qp->u0[i].w));
	return sum;
}

double cn_qp_energy(const cn_qp *qp, const cn_twist *u)
{
	double sum = 0;
	for (uint32_t i = 0; i < qp->body_count; ++i)
		sum += half_square(&qp->bodies[i], u[i].v, u[i].w);
	return sum;
}

static bool moves(const cn_qp *qp, uint32_t body) { return body != CN_QP_NONE && qp->bodies[body].inv_mass > 0; }

/* The least body of a tree of links; the links on the way are shortened. */
static uint32_t root(uint32_t *island, uint32_t i)
{
	while (island[i] != i) {
		island[i] = island[island[i]];
		i = island[i];
	}
	return i;
}

static void join(const cn_qp *qp, uint32_t *island, uint32_t a, uint32_t b)
{
	if (!moves(qp, a) || !moves(qp, b))
		return;
	uint32_t p = root(island, a), q = root(island, b);
	if (p < q)
		island[q] = p;
	else
		island[p] = q;
}

void cn_qp_islands(const cn_qp *qp, uint32_t *island)
{
	for (uint32_t i = 0; i < qp->body_count; ++i)
		island[i] = i;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		if (i == 0 || c->a != c[-1].a || c->b != c[-1].b) /* those of a pair stand together */
			join(qp, island, c->a, c->b);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i)
		join(qp, island, qp->rows[i].a, qp->rows[i].b);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		island[i] = moves(qp, i) ? root(island, i) : CN_QP_NONE;
}
