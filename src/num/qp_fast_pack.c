/* See qp_fast_parts.h: a program's scales, the metric of its bodies and the fields of its batches; and the way
 * back. */
#include "num/qp_fast_parts.h"

#define CN_FAST_MAX 1e15    /* and none above this: squares stay in range */
#define CN_FAST_MIN 1e-30f  /* inverse effective mass of a row that nothing can move */
#define CN_FAST_PIVOT 1e-12 /* relative: a pivot of an inverse inertia below this is a direction that cannot turn */
#define CN_FAST_MU 1e6      /* friction above this is taken for this */
#define CN_FAST_SPAN 1e11   /* x the speed asked for: a bound beyond is none; x CN_FAST_FLUSH: a float's digits */
#define CN_FAST_CONE 2.4e-7 /* relative: the disc is drawn in by two units of float, so that in double y is inside */

/* The power of two above x; 1 for 0. */
static double power_above(double x)
{
	int exponent;
	if (!(x > 0))
		return 1;
	frexp(x, &exponent);
	return ldexp(1, exponent);
}

static double larger(double a, double b) { return a > b ? a : b; }

static uint32_t pieces(uint32_t count, uint32_t size) { return count / size + (count % size != 0); }

/* A chunk of so many items, out of all. */
static cn_fast_span piece(uint32_t count, uint32_t size, uint32_t chunk)
{
	uint64_t begin = (uint64_t)chunk * size, end = begin + size;
	return (cn_fast_span){begin < count ? (uint32_t)begin : count, end < count ? (uint32_t)end : count};
}

/* The largest speed at a body's radius of gyration, and what contacts ask for; a bound on the other side of 0 asks for
 * nothing. Masses by the lightest. */
static void survey_chunk(void *context, uint32_t chunk)
{
	cn_fast *fast = context;
	const cn_qp *qp = fast->qp;
	cn_fast_span bodies = piece(qp->body_count, CN_FAST_BODIES, chunk),
				 contacts = piece(qp->contact_count, CN_FAST_CONTACTS, chunk);
	cn_fast_survey found = {.most = -INFINITY};
	for (uint32_t i = bodies.begin; i < bodies.end; ++i) {
		const cn_qp_body *body = &qp->bodies[i];
		double turn = larger(larger(body->inv_inertia[0], body->inv_inertia[3]), body->inv_inertia[5]);
		double v = v3_max(v3_abs(qp->u0[i].v)), w = v3_max(v3_abs(qp->u0[i].w));
		found.speed = larger(found.speed, v);
		if (body->inv_mass > 0 && turn > 0 && w > 0)
			found.speed = larger(found.speed, w * sqrt(body->inv_mass / turn));
		found.inv_mass = larger(found.inv_mass, body->inv_mass);
	}
	for (uint32_t i = contacts.begin; i < contacts.end; ++i) {
		found.least = larger(found.least, qp->contacts[i].least);
		found.most = larger(found.most, -qp->contacts[i].least);
	}
	found.groups = cn_fast_find_groups(fast, contacts);
	fast->surveys[chunk] = found;
}

static bool survey(cn_fast *fast, cn_fast_survey *all)
{
	uint32_t of_bodies = pieces(fast->qp->body_count, CN_FAST_BODIES),
			 of_contacts = pieces(fast->qp->contact_count, CN_FAST_CONTACTS);
	uint32_t chunks = of_bodies > of_contacts ? of_bodies : of_contacts;
	if (!cn_grow(&fast->allocator, (void **)&fast->surveys, &fast->room.surveys, chunks, sizeof *fast->surveys) ||
	    !cn_grow(&fast->allocator, (void **)&fast->kinds, &fast->room.kinds, fast->qp->contact_count,
	             sizeof *fast->kinds) ||
	    !cn_grow(&fast->allocator, (void **)&fast->found, &fast->room.found, fast->qp->contact_count,
	             sizeof *fast->found))
		return false;
	cn_fast_run(fast, chunks, survey_chunk, fast);
	*all = (cn_fast_survey){.most = -INFINITY};
	for (uint32_t i = 0; i < chunks; ++i) {
		const cn_fast_survey *one = &fast->surveys[i];
		*all =
			(cn_fast_survey){larger(all->speed, one->speed), larger(all->inv_mass, one->inv_mass),
		                     larger(all->least, one->least), larger(all->most, one->most), all->groups + one->groups};
	}
	return true;
}

/* What is asked for, and the bounds; but those far beyond stand for none, and would scale all else to nothing. */
static void choose_scales(cn_fast *fast, const cn_fast_survey *all)
{
	const cn_qp *qp = fast->qp;
	double speed = larger(all->speed, all->least);
	for (uint32_t i = 0; i < qp->row_count; ++i)
		speed = larger(speed, larger(qp->rows[i].low, -qp->rows[i].high));
	fast->scale.asked = speed;
	double most = CN_FAST_SPAN * speed;
	if (all->most <= most)
		speed = larger(speed, all->most);
	else
		for (uint32_t i = 0; i < qp->contact_count; ++i)
			speed = -qp->contacts[i].least <= most ? larger(speed, -qp->contacts[i].least) : speed;
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		speed = -qp->rows[i].low <= most ? larger(speed, -qp->rows[i].low) : speed;
		speed = qp->rows[i].high <= most ? larger(speed, qp->rows[i].high) : speed;
	}
	fast->scale.speed = power_above(speed);
	fast->scale.mass = 1 / power_above(all->inv_mass);
	fast->scale.impulse = fast->scale.mass * fast->scale.speed;
	fast->scale.per_speed = 1 / fast->scale.speed;
	fast->scale.per_impulse = 1 / fast->scale.impulse;
}

/* One column of the Cholesky factor; a pivot lost in rounding is a direction that does not turn. */
static double pivot(double rest, double whole) { return rest > CN_FAST_PIVOT * whole ? sqrt(rest) : 0; }
static double below(double rest, double root) { return root > 0 ? rest / root : 0; }

static void measure_body(cn_fast *fast, uint32_t i)
{
	const cn_qp_body *body = &fast->qp->bodies[i];
	cn_fast_metric *metric = &fast->metric[i];
	*metric = (cn_fast_metric){0};
	if (!(body->inv_mass > 0))
		return;
	double a[6];
	for (int k = 0; k < 6; ++k)
		a[k] = body->inv_inertia[k] * fast->scale.mass;
	double l00 = pivot(a[0], a[0]), l10 = below(a[1], l00), l20 = below(a[2], l00);
	double l11 = pivot(a[3] - l10 * l10, a[3]), l21 = below(a[4] - l20 * l10, l11);
	double l22 = pivot(a[5] - l20 * l20 - l21 * l21, a[5]);
	*metric = (cn_fast_metric){.inv_mass = (float)(body->inv_mass * fast->scale.mass),
	                           .l = {(float)l00, (float)l10, (float)l11, (float)l20, (float)l21, (float)l22},
	                           .moves = true};
}

typedef struct f3 {
	float x, y, z;
} f3;

static f3 to_float(v3 v) { return (f3){(float)v.x, (float)v.y, (float)v.z}; }
static float dot(f3 a, f3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static f3 cross(f3 a, f3 b) { return (f3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
/* L'v */
static f3 turned(const cn_fast_metric *m, f3 v)
{
	return (f3){m->l[0] * v.x + m->l[1] * v.y + m->l[3] * v.z, m->l[2] * v.y + m->l[4] * v.z, m->l[5] * v.z};
}

static void put(float *field, float x) { *field = x; }
static void put3(float *field, f3 v)
{
	field[0] = v.x;
	field[CN_LANES] = v.y;
	field[2 * CN_LANES] = v.z;
}

/* A lane of a batch while it is filled. */
typedef struct place {
	const cn_fast *fast;
	const cn_fast_metric *a, *b;
	const cn_twist *u0a, *u0b;
	float *head;
	float *point; /* of the point at hand */
} place;

static const cn_fast_metric still_metric;
static const cn_twist still_twist;

static v3 speed_at(const cn_twist *u, v3 r) { return v3_add(u->v, v3_cross(u->w, r)); }

static float within(double x)
{
	double most = CN_FAST_MAX;
	return (float)(x > most ? most : x < -most ? -most : x);
}

static float inverse(float x) { return x > CN_FAST_MIN ? 1 / x : 0; }

/* What a row without friction asks for, its step and where it starts: fields B, STEP, Y, LAST. */
static void put_push(const place *to, const cn_qp_contact *c, float *field, float diagonal, double warm)
{
	float step = inverse(diagonal);
	double speed = v3_dot(c->n, v3_sub(speed_at(to->u0b, c->rb), speed_at(to->u0a, c->ra)));
	float y = warm > 0 && step > 0 ? within(warm * to->fast->scale.per_impulse) : 0;
	put(field, within((c->least - speed) * to->fast->scale.per_speed));
	put(field + CN_LANES, step);
	put(field + 2 * CN_LANES, y);
	put(field + 3 * CN_LANES, y);
}

static void put_normals(const place *to, const cn_fast_group *g)
{
	const cn_fast *fast = to->fast;
	const cn_qp_contact *c = &fast->qp->contacts[g->first];
	f3 n = to_float(c->n);
	float mass = to->a->inv_mass + to->b->inv_mass, *at = to->point + NORMAL_HEAD * CN_LANES;
	put3(to->head + NORMAL_N * CN_LANES, n);
	put(to->head + NORMAL_MASS_A * CN_LANES, to->a->inv_mass);
	put(to->head + NORMAL_MASS_B * CN_LANES, to->b->inv_mass);
	for (uint32_t i = 0; i < g->count; ++i, at += NORMAL_POINT * CN_LANES) {
		f3 ja = turned(to->a, cross(to_float(c[i].ra), n)), jb = turned(to->b, cross(to_float(c[i].rb), n));
		put3(at + NORMAL_JA * CN_LANES, ja);
		put3(at + NORMAL_JB * CN_LANES, jb);
		put_push(to, &c[i], at + NORMAL_B * CN_LANES, mass + dot(ja, ja) + dot(jb, jb),
		         fast->options->warm ? fast->solution->contact[g->first + i].n : 0);
	}
}

static void put_flats(const place *to, const cn_fast_group *g)
{
	const cn_fast *fast = to->fast;
	const cn_qp_contact *c = &fast->qp->contacts[g->first];
	float mass = to->a->inv_mass + to->b->inv_mass, *at = to->point + FLAT_HEAD * CN_LANES;
	put3(to->head + FLAT_N * CN_LANES, to_float(c->n));
	put(to->head + FLAT_MASS_A * CN_LANES, to->a->inv_mass);
	put(to->head + FLAT_MASS_B * CN_LANES, to->b->inv_mass);
	for (uint32_t i = 0; i < g->count; ++i, at += FLAT_POINT * CN_LANES)
		put_push(to, &c[i], at + FLAT_B * CN_LANES, mass,
		         fast->options->warm ? fast->solution->contact[g->first + i].n : 0);
}

typedef struct frame {
	v3 n, s, t;
	f3 nf, sf, tf;
	double mu;
} frame;

/* The largest eigenvalue of the tangents' 2x2 matrix is the common effective mass: projecting the step it gives
 * onto the disc leaves fixed what slides against its impulse, which a solve with the whole matrix does not. */
static float largest_eigenvalue(float ss, float st, float tt)
{
	float half = 0.5f * (ss - tt);
	return 0.5f * (ss + tt) + sqrtf(half * half + st * st);
}

static void put_coulomb(const place *to, const cn_qp_contact *c, const frame *f, cn_qp_impulse warm)
{
	f3 ra = to_float(c->ra), rb = to_float(c->rb);
	f3 na = turned(to->a, cross(ra, f->nf)), nb = turned(to->b, cross(rb, f->nf));
	f3 sa = turned(to->a, cross(ra, f->sf)), sb = turned(to->b, cross(rb, f->sf));
	f3 ta = turned(to->a, cross(ra, f->tf)), tb = turned(to->b, cross(rb, f->tf));
	float mass = to->a->inv_mass + to->b->inv_mass, step = inverse(mass + dot(na, na) + dot(nb, nb));
	v3 speed = v3_scale(v3_sub(speed_at(to->u0b, c->rb), speed_at(to->u0a, c->ra)), to->fast->scale.per_speed);
	v3 slide = v3_madd(speed, c->slip, to->fast->scale.per_speed);
	float *point = to->point;
	put3(point + COULOMB_NA * CN_LANES, na);
	put3(point + COULOMB_NB * CN_LANES, nb);
	put3(point + COULOMB_SA * CN_LANES, sa);
	put3(point + COULOMB_SB * CN_LANES, sb);
	put3(point + COULOMB_TA * CN_LANES, ta);
	put3(point + COULOMB_TB * CN_LANES, tb);
	put(point + COULOMB_BN * CN_LANES, within(c->least * to->fast->scale.per_speed - v3_dot(f->n, speed)));
	put(point + COULOMB_BS * CN_LANES, within(-v3_dot(f->s, slide)));
	put(point + COULOMB_BT * CN_LANES, within(-v3_dot(f->t, slide)));
	put(point + COULOMB_STEP_N * CN_LANES, step);
	float tangent = largest_eigenvalue(mass + dot(sa, sa) + dot(sb, sb), dot(sa, ta) + dot(sb, tb),
	                                   mass + dot(ta, ta) + dot(tb, tb));
	put(point + COULOMB_STEP_T * CN_LANES, inverse(tangent));
	if (!(warm.n > 0) || step == 0)
		return;
	/* A warm start outside the disc goes to its edge. */
	double edge = f->mu * warm.n, square = warm.s * warm.s + warm.t * warm.t, scale = to->fast->scale.per_impulse;
	double share = square > edge * edge ? edge / sqrt(square) * scale : scale;
	put(point + COULOMB_YN * CN_LANES, within(warm.n * scale));
	put(point + COULOMB_YS * CN_LANES, within(warm.s * share));
	put(point + COULOMB_YT * CN_LANES, within(warm.t * share));
	put(point + COULOMB_LAST_N * CN_LANES, within(warm.n * scale));
	put(point + COULOMB_LAST_S * CN_LANES, within(warm.s * share));
	put(point + COULOMB_LAST_T * CN_LANES, within(warm.t * share));
}

static void put_coulombs(const place *to, const cn_fast_group *g)
{
	const cn_fast *fast = to->fast;
	const cn_qp_contact *c = &fast->qp->contacts[g->first];
	place at = *to;
	frame f = {.n = c->n, .mu = c->mu < CN_FAST_MU ? c->mu : CN_FAST_MU};
	cn_qp_tangents(f.n, &f.s, &f.t);
	f.nf = to_float(f.n);
	f.sf = to_float(f.s);
	f.tf = to_float(f.t);
	put3(to->head + COULOMB_N * CN_LANES, f.nf);
	put3(to->head + COULOMB_S * CN_LANES, f.sf);
	put3(to->head + COULOMB_T * CN_LANES, f.tf);
	put(to->head + COULOMB_MASS_A * CN_LANES, to->a->inv_mass);
	put(to->head + COULOMB_MASS_B * CN_LANES, to->b->inv_mass);
	put(to->head + COULOMB_MU * CN_LANES, (float)(f.mu * (1 - CN_FAST_CONE)));
	at.point += COULOMB_HEAD * CN_LANES;
	for (uint32_t i = 0; i < g->count; ++i, at.point += COULOMB_POINT * CN_LANES)
		put_coulomb(&at, &c[i], &f,
		            fast->options->warm ? fast->solution->contact[g->first + i] : (cn_qp_impulse){0, 0, 0});
}

static double row_part(const cn_twist *j, const cn_twist *u) { return v3_dot(j->v, u->v) + v3_dot(j->w, u->w); }

static void put_row(const place *to, const cn_qp_row *row, double warm)
{
	f3 va = to_float(row->ja.v), vb = to_float(row->jb.v);
	f3 wa = turned(to->a, to_float(row->ja.w)), wb = turned(to->b, to_float(row->jb.w));
	float diagonal = to->a->inv_mass * dot(va, va) + to->b->inv_mass * dot(vb, vb) + dot(wa, wa) + dot(wb, wb);
	float step = inverse(diagonal), *point = to->point;
	double value = row_part(&row->ja, to->u0a) + (row->b == CN_QP_NONE ? 0 : row_part(&row->jb, to->u0b));
	put3(point + ROW_VA * CN_LANES, va);
	put3(point + ROW_WA * CN_LANES, wa);
	put3(point + ROW_VB * CN_LANES, vb);
	put3(point + ROW_WB * CN_LANES, wb);
	put(point + ROW_LOW * CN_LANES, within((row->low - value) * to->fast->scale.per_speed));
	put(point + ROW_HIGH * CN_LANES, within((row->high - value) * to->fast->scale.per_speed));
	put(point + ROW_STEP * CN_LANES, step);
	if ((warm > 0 && !isfinite(row->low)) || (warm < 0 && !isfinite(row->high)))
		warm = 0;
	float y = step > 0 ? within(warm * to->fast->scale.per_impulse) : 0;
	put(point + ROW_Y * CN_LANES, y);
	put(point + ROW_LAST * CN_LANES, y);
}

static void put_rows(const place *to, const cn_fast_group *g)
{
	const cn_fast *fast = to->fast;
	place at = *to;
	put(to->head + ROW_MASS_A * CN_LANES, to->a->inv_mass);
	put(to->head + ROW_MASS_B * CN_LANES, to->b->inv_mass);
	at.point += ROW_HEAD * CN_LANES;
	for (uint32_t i = 0; i < g->count; ++i, at.point += ROW_POINT * CN_LANES)
		put_row(&at, &fast->qp->rows[g->first + i], fast->options->warm ? fast->solution->row[g->first + i] : 0);
}

/* The bodies of a group as the program names them: what cannot move may have a speed. */
static void find_bodies(const cn_fast *fast, const cn_fast_group *g, uint32_t body[2])
{
	if (g->kind == CN_FAST_ROW) {
		body[0] = fast->qp->rows[g->first].a;
		body[1] = fast->qp->rows[g->first].b;
	} else {
		body[0] = fast->qp->contacts[g->first].a;
		body[1] = fast->qp->contacts[g->first].b;
	}
}

static void pack_batch(cn_fast *fast, uint32_t index)
{
	const cn_fast_batch *batch = &fast->batches[index];
	float *data = fast->data + batch->data;
	size_t end = index + 1 < fast->batch_count ? fast->batches[index + 1].data : fast->data_count;
	memset(data, 0, (end - batch->data) * sizeof *data);
	for (uint32_t i = 0; i < batch->lanes; ++i) {
		const cn_fast_group *g = &fast->groups[fast->order[(size_t)index * CN_LANES + i]];
		uint32_t body[2];
		find_bodies(fast, g, body);
		place to = {.fast = fast, .head = data + i, .point = data + i};
		to.a = body[0] == CN_QP_NONE ? &still_metric : &fast->metric[body[0]];
		to.b = body[1] == CN_QP_NONE ? &still_metric : &fast->metric[body[1]];
		to.u0a = body[0] == CN_QP_NONE ? &still_twist : &fast->qp->u0[body[0]];
		to.u0b = body[1] == CN_QP_NONE ? &still_twist : &fast->qp->u0[body[1]];
		switch ((cn_fast_kind)g->kind) {
		case CN_FAST_FLAT: put_flats(&to, g); break;
		case CN_FAST_NORMAL: put_normals(&to, g); break;
		case CN_FAST_COULOMB: put_coulombs(&to, g); break;
		case CN_FAST_ROW: put_rows(&to, g); break;
		}
	}
}

static void pack_chunk(void *context, uint32_t chunk)
{
	cn_fast *fast = context;
	uint32_t end = (chunk + 1) * CN_FAST_PACK < fast->batch_count ? (chunk + 1) * CN_FAST_PACK : fast->batch_count;
	for (uint32_t i = chunk * CN_FAST_PACK; i < end; ++i)
		pack_batch(fast, i);
}

static void measure_chunk(void *context, uint32_t chunk)
{
	cn_fast *fast = context;
	cn_fast_span bodies = piece(fast->qp->body_count, CN_FAST_BODIES, chunk);
	for (uint32_t i = bodies.begin; i < bodies.end; ++i)
		measure_body(fast, i);
}

static cn_qp_impulse get_coulomb(const cn_fast *fast, const float *point, double mu)
{
	cn_qp_impulse y = {(double)point[COULOMB_YN * CN_LANES] * fast->scale.impulse,
	                   (double)point[COULOMB_YS * CN_LANES] * fast->scale.impulse,
	                   (double)point[COULOMB_YT * CN_LANES] * fast->scale.impulse};
	/* In double the disc's edge may be on the other side of a rounding. */
	double edge = mu * y.n, size = y.s * y.s + y.t * y.t;
	if (size > edge * edge) {
		double share = edge / sqrt(size) * (1 - CN_FAST_CONE);
		y.s *= share;
		y.t *= share;
	}
	return y;
}

static void unpack_lane(cn_fast *fast, const cn_fast_group *g, const float *data)
{
	uint32_t first = g->first;
	for (uint32_t i = 0; i < g->count; ++i) {
		if (g->kind == CN_FAST_FLAT) {
			const float *point = data + (FLAT_HEAD + i * FLAT_POINT) * CN_LANES;
			fast->solution->contact[first + i] =
				(cn_qp_impulse){(double)point[FLAT_Y * CN_LANES] * fast->scale.impulse, 0, 0};
		} else if (g->kind == CN_FAST_NORMAL) {
			const float *point = data + (NORMAL_HEAD + i * NORMAL_POINT) * CN_LANES;
			double y = (double)point[NORMAL_Y * CN_LANES] * fast->scale.impulse;
			fast->solution->contact[first + i] = (cn_qp_impulse){y, 0, 0};
		} else if (g->kind == CN_FAST_COULOMB) {
			const float *point = data + (COULOMB_HEAD + i * COULOMB_POINT) * CN_LANES;
			fast->solution->contact[first + i] = get_coulomb(fast, point, fast->qp->contacts[first + i].mu);
		} else {
			const float *point = data + (ROW_HEAD + i * ROW_POINT) * CN_LANES;
			fast->solution->row[first + i] = (double)point[ROW_Y * CN_LANES] * fast->scale.impulse;
		}
	}
}

static void unpack_chunk(void *context, uint32_t chunk)
{
	cn_fast *fast = context;
	uint32_t end = (chunk + 1) * CN_FAST_PACK < fast->batch_count ? (chunk + 1) * CN_FAST_PACK : fast->batch_count;
	for (uint32_t i = chunk * CN_FAST_PACK; i < end; ++i)
		for (uint32_t lane = 0; lane < fast->batches[i].lanes; ++lane)
			unpack_lane(fast, &fast->groups[fast->order[(size_t)i * CN_LANES + lane]],
			            fast->data + fast->batches[i].data + lane);
}

void cn_fast_unpack(cn_fast *fast) { cn_fast_run(fast, pieces(fast->batch_count, CN_FAST_PACK), unpack_chunk, fast); }

/* Room for count floats from an address that is a multiple of 64. */
static float *aligned_room(cn_fast *fast, void **block, uint32_t *room, size_t count)
{
	size_t units = count / 16 + 2;
	if (units > UINT32_MAX || !cn_grow(&fast->allocator, block, room, (uint32_t)units, 64))
		return NULL;
	size_t past = (size_t)((uintptr_t)*block & 63);
	return (float *)(void *)((char *)*block + (past ? 64 - past : 0));
}

bool cn_fast_pack(cn_fast *fast)
{
	const cairn_allocator *allocator = &fast->allocator;
	uint32_t bodies = fast->qp->body_count;
	if (!cn_grow(allocator, (void **)&fast->metric, &fast->room.metric, bodies, sizeof *fast->metric))
		return false;
	cn_fast_survey all;
	if (!survey(fast, &all))
		return false;
	choose_scales(fast, &all);
	cn_fast_run(fast, pieces(bodies, CN_FAST_BODIES), measure_chunk, fast);
	if (!cn_fast_colour(fast))
		return false;
	size_t state = (size_t)fast->state_count * (sizeof(cn_fast_state) / sizeof(float));
	size_t tallies = (size_t)fast->chunk_count * (sizeof(cn_fast_tally) / sizeof(float));
	float *states = aligned_room(fast, &fast->room.state_block, &fast->room.state, 2 * state + tallies);
	fast->data = aligned_room(fast, &fast->room.data_block, &fast->room.data, fast->data_count);
	if (!states || !fast->data)
		return false;
	fast->state = (cn_fast_state *)(void *)states;
	fast->last = (cn_fast_state *)(void *)(states + state);
	fast->tallies = (cn_fast_tally *)(void *)(states + 2 * state);
	memset(states, 0, 2 * state * sizeof *states);
	cn_fast_run(fast, pieces(fast->batch_count, CN_FAST_PACK), pack_chunk, fast);
	return true;
}
