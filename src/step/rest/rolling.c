/* Rolling resistance, given as a length c. Where two bodies press on each other with an impulse j_n in a frame, an
 * angular impulse m across the normal resists their rolling, |m| <= c j_n. It stops their relative rotation across the
 * normal if it can. Otherwise its size is c j_n, against the remaining rotation. Rotation about the normal is not
 * resisted. The points of a pair act as one along its normal, at their mean position weighted by load.
 *
 * This belongs to the rest program, but the effect of an angular impulse depends on how the contacts react, and its
 * bound on how they press. So the two are found in turn. After a solve every pair in turn gets the angular impulse that
 * satisfies the law if its contact point stays as it is: a ball that sticks turns about the point it stands on. These
 * impulses are loads of the next solve. For a single ball or cylinder this is exact at once; for connected bodies a few
 * rounds suffice. */
#include "base/tolerance.h"
#include "step/context.h"
#include "step/rest/rest.h"

#include <float.h>

/* Of a contact: its impulse along n, s and t, and its angular impulse about s and t. */
enum { PINNED = 3, TURNS = 2, ALL = PINNED + TURNS };

static v3 turn_by(const cn_qp_body *body, v3 m)
{
	const double *i = body->inv_inertia;
	return v3_make(i[0] * m.x + i[1] * m.y + i[2] * m.z, i[1] * m.x + i[3] * m.y + i[4] * m.z,
	               i[2] * m.x + i[4] * m.y + i[5] * m.z);
}

/* Adds the response in all five directions to a unit impulse in each. */
static void add_response(const cn_qp_body *body, v3 r, const cn_qp_frame *f, double w[ALL][ALL])
{
	const v3 along[PINNED] = {f->n, f->s, f->t};
	const v3 turn[ALL] = {v3_cross(r, f->n), v3_cross(r, f->s), v3_cross(r, f->t), f->s, f->t};
	for (int i = 0; i < ALL; ++i) {
		v3 answer = turn_by(body, turn[i]);
		for (int k = 0; k < ALL; ++k)
			w[i][k] +=
				v3_dot(answer, turn[k]) + (i < PINNED && k < PINNED ? body->inv_mass * v3_dot(along[i], along[k]) : 0);
	}
}

/* Eliminates the pinned directions: the response of rotation to angular impulses while the contact holds its point,
 * along the normal or, if it sticks, in all directions. The rows of the pinned directions then hold the contact's
 * reaction, to be divided by the diagonal. */
static void pin(double w[ALL][ALL], int pinned)
{
	for (int p = 0; p < pinned; ++p)
		for (int i = 0; i < ALL && w[p][p] > 0; ++i) {
			double f = i != p ? w[i][p] / w[p][p] : 0;
			for (int k = 0; k < ALL; ++k)
				w[i][k] -= f * w[p][k];
		}
}

static double answer_to(double w[ALL][ALL], int p, cn_qp_impulse m)
{
	return w[p][p] > 0 ? -(w[p][3] * m.s + w[p][4] * m.t) / w[p][p] : 0;
}

/* m with b + W m = -l m, l >= 0. l = 0 stops the rotation; |m| decreases with l. */
typedef struct turning {
	double ss, st, tt, bs, bt; /* W, b */
} turning;

static cn_qp_impulse answer_of(const turning *t, double l)
{
	double a = t->ss + l, b = t->tt + l, determinant = a * b - t->st * t->st;
	return (cn_qp_impulse){0, (t->st * t->bt - b * t->bs) / determinant, (t->st * t->bs - a * t->bt) / determinant};
}

static double size2(cn_qp_impulse m) { return m.s * m.s + m.t * m.t; }

/* The impulse that stops the rotation, limited to the largest allowed size. */
static cn_qp_impulse resist(const turning *t, double max)
{
	double size = sqrt(t->bs * t->bs + t->bt * t->bt), low = 0, high = max > 0 ? size / max : 0;
	cn_qp_impulse m = answer_of(t, 0);
	if (!(max > 0) || !(size > 0))
		return (cn_qp_impulse){0, 0, 0};
	if (size2(m) <= max * max)
		return m;
	for (int round = 0; round < CN_SLIDE_ROUNDS && high - low > DBL_EPSILON * (t->ss + t->tt + high); ++round) {
		double l = 0.5 * (low + high);
		if (size2(answer_of(t, l)) > max * max)
			low = l;
		else
			high = l;
	}
	return answer_of(t, high);
}

/* Spin of b relative to a. */
static v3 turns(const cn_qp_contact *k, const cn_twist *u)
{
	return v3_sub(k->b != CN_QP_NONE ? u[k->b].w : v3_zero(), k->a != CN_QP_NONE ? u[k->a].w : v3_zero());
}

/* Applies an angular impulse to b, and the opposite to a. */
static void push(const cn_program *p, const cn_qp_contact *k, v3 m, cn_twist *u)
{
	if (k->b != CN_QP_NONE)
		cn_qp_push(&p->bodies[k->b], v3_zero(), m, &u[k->b]);
	if (k->a != CN_QP_NONE)
		cn_qp_push(&p->bodies[k->a], v3_zero(), v3_neg(m), &u[k->a]);
}

/* Combines the points of a pair into one contact. */
static uint32_t gather(const cn_context *c, uint32_t first, cn_qp_contact *k, cn_qp_impulse *sum)
{
	const cn_program *p = &c->program;
	uint32_t end = first;
	v3 ra = v3_zero(), rb = v3_zero();
	*k = p->contacts[first], *sum = (cn_qp_impulse){0, 0, 0};
	for (; end < p->qp.contact_count && p->pair_of[end] == p->pair_of[first]; ++end) {
		cn_qp_impulse y = p->y[end];
		ra = v3_madd(ra, p->contacts[end].ra, y.n), rb = v3_madd(rb, p->contacts[end].rb, y.n);
		*sum = (cn_qp_impulse){sum->n + y.n, sum->s + y.s, sum->t + y.t};
	}
	if (sum->n > 0)
		k->ra = v3_scale(ra, 1 / sum->n), k->rb = v3_scale(rb, 1 / sum->n);
	return end;
}

/* A point sticks while its friction is inside the Coulomb cone. Then all its directions are pinned, else only the
 * normal. */
static int pinned(const cn_qp_contact *k, cn_qp_impulse y)
{
	double max = CN_SLIDE_LIMIT * k->mu * y.n;
	return size2(y) < max * max ? PINNED : 1;
}

/* Finds the rolling resistance of a pair for the contact impulse y. It becomes a load of the next solve, and u is
 * updated with it and the contact's reaction. False: it would slow the rolling by less than min (m/s), and nothing
 * changes. */
static bool resist_at(cn_context *c, const cn_qp_contact *k, cn_qp_impulse y, double rolling, v3 *roll, double min)
{
	cn_program *p = &c->program;
	int pins = pinned(k, y);
	double w[ALL][ALL] = {{0}}, arm = 0;
	cn_qp_frame f = {0};
	cn_qp_frame_to(&f, k->n);
	if (k->a != CN_QP_NONE)
		add_response(&p->bodies[k->a], k->ra, &f, w), arm += v3_length(k->ra);
	if (k->b != CN_QP_NONE)
		add_response(&p->bodies[k->b], k->rb, &f, w), arm += v3_length(k->rb);
	pin(w, pins);
	cn_qp_impulse old = cn_qp_frame_parts(&f, *roll), spin = cn_qp_frame_parts(&f, turns(k, p->u));
	turning t = {.ss = w[3][3], .st = w[3][4], .tt = w[4][4]};
	if (!(t.ss > 0) || !(t.tt > 0) || !(t.ss * t.tt > t.st * t.st))
		return false; /* the bodies cannot roll */
	t.bs = spin.s - (t.ss * old.s + t.st * old.t), t.bt = spin.t - (t.st * old.s + t.tt * old.t);
	cn_qp_impulse now = resist(&t, rolling * y.n), more = {0, now.s - old.s, now.t - old.t};
	cn_qp_impulse answer = {answer_to(w, 0, more), 0, 0};
	if (!(sqrt(size2(more)) * (t.ss + t.tt) * arm > min))
		return false;
	if (pins == PINNED)
		answer.s = answer_to(w, 1, more), answer.t = answer_to(w, 2, more);
	v3 load = cn_qp_frame_vector(&f, now), change = v3_sub(load, *roll); /* the normal may have turned since */
	*roll = load;
	push(p, k, change, p->u0);
	push(p, k, change, p->u);
	v3 j = cn_qp_frame_vector(&f, answer);
	if (k->a != CN_QP_NONE)
		cn_qp_push(&p->bodies[k->a], v3_neg(j), v3_cross(j, k->ra), &p->u[k->a]);
	if (k->b != CN_QP_NONE)
		cn_qp_push(&p->bodies[k->b], j, v3_cross(k->rb, j), &p->u[k->b]);
	return true;
}

bool cn_rolling_begin(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t count = c->program.qp.contact_count;
	if (!CN_ROOM(c->rolling.impulses, count))
		return false;
	for (uint32_t i = 0; i < count; ++i)
		c->rolling.impulses[i] = v3_zero();
	return true;
}

bool cn_rolling_resist(cairn_world *w)
{
	cn_context *c = w->context;
	double min = CN_REST_TOLERANCE * c->gravity * w->dt;
	bool any = false;
	for (uint32_t i = 0, end; i < c->program.qp.contact_count; i = end) {
		double rolling = c->contacts.pairs[c->program.pair_of[i]].rolling;
		cn_qp_contact k;
		cn_qp_impulse y;
		end = gather(c, i, &k, &y);
		if (rolling > 0)
			any |= resist_at(c, &k, y, rolling, &c->rolling.impulses[i], min);
	}
	return any;
}

double cn_rolling_account(cairn_world *w, const cn_twist *before, cairn_energy *e)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	double scripts = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		v3 m = c->rolling.impulses[i];
		if (v3_length2(m) == 0)
			continue;
		double lost = -0.5 * v3_dot(m, v3_add(turns(k, before), turns(k, p->u)));
		const uint32_t bodies[2] = {k->a, k->b};
		e->friction += lost;
		for (int side = 0; side < 2; ++side) {
			if (bodies[side] == CN_QP_NONE)
				continue;
			if (p->bodies[bodies[side]].inv_mass > 0)
				cn_losses_take(&c->losses, p->slots[bodies[side]], lost);
			else
				scripts += (side ? -1 : 1) * v3_dot(m, p->u[bodies[side]].w);
		}
		bool on_a = k->a != CN_QP_NONE && p->bodies[k->a].inv_mass > 0;
		cn_losses_spend(&c->losses, p->slots[on_a ? k->a : k->b], lost);
	}
	return scripts;
}
