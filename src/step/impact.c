/* Impacts inside the frame: few balls among themselves and what stands still, each on its true parabola, blow after
 * blow at the time it happens, so that bounces lose no time and blows fall where the balls meet.
 *
 * Two calls. Before the rest solve cn_impact_choose finds the islands in which something hits in this frame, and the
 * pairs that do, which then have no rest row. After the targets are known, with the accelerations that rest left,
 * cn_impact_fly puts the end of such a flight in place of the target. The position stage takes it as it is: a straight
 * way from first pose to last lies on the far side of every blow's plane, and is proved as any other.
 *
 * Balls alone: where one touches does not depend on how it has turned, and a pair has one point. A tie of two blows on
 * one ball is no sequence; it is left to the program at the frame's end, as are islands of more balls. */
#include "step/crowd.h"
#include "step/rotate.h"

#include <string.h>

typedef struct flight {
	uint32_t slot;
	v3 x, v, l, a, torque;
	quat q;
} flight;

/* An island in flight. */
typedef struct flock {
	flight balls[CN_IMPACT_BALLS];
	uint32_t pairs[CN_IMPACT_PAIRS];
	uint32_t ball_count, pair_count;
	double lost; /* J, along normals */
} flock;

typedef struct blow {
	uint32_t pair;
	double t, speed; /* from the frame's start; 0: it comes to rest there */
	double nears;    /* m/s^2 */
	cn_separation at;
} blow;

/* A ball is one part about its centre of mass. */
static bool ball(const cairn_world *w, uint32_t slot)
{
	const cn_crowd *c = w->crowd;
	uint32_t part = c->part_first[slot];
	return c->part_first[slot + 1] == part + 1 && c->parts[part].convex->kind == CAIRN_SPHERE &&
	       w->rotors[slot].kind == CN_ROTOR_BALL;
}

static flight *find(flock *k, uint32_t slot)
{
	for (uint32_t i = 0; i < k->ball_count; ++i)
		if (k->balls[i].slot == slot)
			return &k->balls[i];
	return NULL;
}

/* The ball and all it may meet. False: too many, or something that is no ball. */
static bool gather(cairn_world *w, uint32_t first, flock *k)
{
	cn_crowd *c = w->crowd;
	k->ball_count = k->pair_count = 0;
	k->lost = 0;
	k->balls[k->ball_count++].slot = first;
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		uint32_t slot = k->balls[i].slot;
		if (!ball(w, slot))
			return false;
		for (uint32_t j = c->link_first[slot]; j < c->link_first[slot + 1]; ++j) {
			const cn_close *p = &c->pairs[c->links[j]];
			uint32_t other = p->a == slot ? p->b : p->a;
			if (!p->near && !p->meets)
				continue;
			if (p->barred || k->pair_count == CN_IMPACT_PAIRS)
				return false;
			if (cn_crowd_movable(w, other)) {
				if (!find(k, other)) {
					if (k->ball_count == CN_IMPACT_BALLS)
						return false;
					k->balls[k->ball_count++].slot = other;
				} else if (other < slot) {
					continue; /* seen from the other side */
				}
			}
			k->pairs[k->pair_count++] = c->links[j];
		}
	}
	return true;
}

/* From the frame's start, with what changes its velocities over the frame spread evenly. */
static void set_off(const cairn_world *w, flock *k)
{
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		flight *b = &k->balls[i];
		const cn_motion *from = &w->motion[b->slot], *to = &w->next[b->slot];
		*b = (flight){.slot = b->slot, .x = from->x, .v = from->v, .l = from->l, .q = from->q};
		b->a = v3_scale(v3_sub(to->v, from->v), 1 / w->dt);
		b->torque = v3_scale(v3_sub(to->l, from->l), 1 / w->dt);
	}
}

static void advance(const cairn_world *w, flock *k, double t)
{
	for (uint32_t i = 0; i < k->ball_count && t > 0; ++i) {
		flight *b = &k->balls[i];
		v3 l = v3_madd(b->l, b->torque, t);
		b->x = v3_madd(v3_madd(b->x, b->v, t), b->a, 0.5 * t * t);
		b->v = v3_madd(b->v, b->a, t);
		b->q = cn_rotate_free(&w->rotors[b->slot], b->q, cn_mean(b->l, l), t);
		b->l = l;
	}
}

/* ---- when */

static double hit_gap(const cn_close *p) { return p->start < p->kept ? (p->start > 0 ? p->start : 0) : p->kept; }

/* Least x > 0 with a x^2 + b x + c <= 0, for c > 0; infinite: none. */
static double crossing(double a, double b, double c)
{
	double under = b * b - 4 * a * c;
	if (under < 0 || (b >= 0 && a >= 0))
		return INFINITY;
	double root = sqrt(under);
	return b < 0 ? 2 * c / (-b + root) : (-b - root) / (2 * a);
}

/* The next blow of a pair after time t, where the balls are now. A plane that parts the two goes on doing so until
 * the balls have crossed it, which is a quadratic equation; at that time there is a better plane. */
static bool next_blow(const cairn_world *w, const flock *k, uint32_t pair, double t, blow *out)
{
	const cn_crowd *c = w->crowd;
	const cn_close *p = &c->pairs[pair];
	const cn_convex *ca = c->parts[p->pa].convex, *cb = c->parts[p->pb].convex;
	flock *all = (flock *)k;
	const flight *a = find(all, p->a), *b = find(all, p->b);
	cn_place at_a = c->start[p->pa], at_b = c->start[p->pb];
	cn_witness witness = p->witness;
	v3 v = v3_sub(b ? b->v : v3_zero(), a ? a->v : v3_zero()), acc = v3_sub(b ? b->a : v3_zero(), a ? a->a : v3_zero());
	double slack = CN_IMPACT_GAP * p->kept, slow = CN_IMPACT_LEAST * c->gravity * w->dt, tau = 0;
	for (int round = 0; round < CN_IMPACT_ROUNDS && t + tau <= w->dt; ++round) {
		if (a)
			at_a.x = v3_madd(v3_madd(a->x, a->v, tau), a->a, 0.5 * tau * tau);
		if (b)
			at_b.x = v3_madd(v3_madd(b->x, b->v, tau), b->a, 0.5 * tau * tau);
		cn_separate(ca, &at_a, cb, &at_b, &witness, &out->at);
		double s = out->at.gap - hit_gap(p), rate = v3_dot(out->at.n, v3_madd(v, acc, tau)),
			   half = 0.5 * v3_dot(out->at.n, acc);
		if (s <= slack) {
			bool rests = fabs(rate) <= slow && -2 * half > CN_IMPACT_LEAST * c->gravity;
			*out = (blow){pair, t + tau, rests ? 0 : -rate, -2 * half, out->at};
			if (rate < -slow || rests)
				return true;
			if (half >= 0 || rate <= slow)
				return false; /* it leaves, or stays as it is */
			tau += -rate / half;
		} else {
			tau += crossing(half, rate, s - 0.5 * slack);
		}
	}
	return false;
}

/* The first of all; *tied: another on the same ball at the same time. */
static bool first_blow(const cairn_world *w, const flock *k, double t, blow *out, bool *tied)
{
	const cn_crowd *c = w->crowd;
	bool any = false;
	*tied = false;
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		blow b;
		if (!next_blow(w, k, k->pairs[i], t, &b))
			continue;
		if (any && fabs(b.t - out->t) <= CN_QUEUE_TIE * w->dt && b.speed > 0 && out->speed > 0) {
			const cn_close *p = &c->pairs[b.pair], *q = &c->pairs[out->pair];
			const uint32_t mine[2] = {p->a, p->b};
			for (int j = 0; j < 2; ++j)
				*tied |= cn_crowd_movable(w, mine[j]) && (mine[j] == q->a || mine[j] == q->b);
		}
		if (!any || b.t < out->t) {
			*tied = *tied && any && fabs(b.t - out->t) <= CN_QUEUE_TIE * w->dt;
			*out = b;
		}
		any = true;
	}
	return any;
}

/* ---- what */

static cn_qp_body body_of(const cairn_world *w, const flight *b)
{
	double turn = w->rotors[b->slot].inv_moments.x;
	return (cn_qp_body){w->rotors[b->slot].inv_mass, {turn, 0, 0, turn, 0, turn}};
}

static cn_twist twist_of(const cairn_world *w, const flight *b)
{
	return (cn_twist){b->v, cn_spin(&w->rotors[b->slot], b->q, b->l)};
}

static void push(flight *b, const cn_qp_body *body, v3 r, v3 j)
{
	b->v = v3_madd(b->v, j, body->inv_mass);
	b->l = v3_add(b->l, v3_cross(r, j));
}

static void strike(const cairn_world *w, flock *k, const blow *hit, double eps)
{
	static const cn_twist still = {{0, 0, 0}, {0, 0, 0}};
	const cn_crowd *c = w->crowd;
	const cn_close *p = &c->pairs[hit->pair];
	flight *a = find(k, p->a), *b = find(k, p->b);
	cn_qp_contact at = {.n = hit->at.n, .ra = hit->at.a, .rb = hit->at.b, .mu = p->mu_kinetic, .eps = eps};
	cn_qp_body ma = a ? body_of(w, a) : (cn_qp_body){0}, mb = b ? body_of(w, b) : (cn_qp_body){0};
	cn_qp_impulse y =
		cn_single_contact(a ? &ma : NULL, b ? &mb : NULL, &at, a ? twist_of(w, a) : still, b ? twist_of(w, b) : still);
	v3 s, t;
	cn_qp_tangents(at.n, &s, &t);
	v3 j = v3_madd(v3_madd(v3_scale(at.n, y.n), s, y.s), t, y.t);
	double before = v3_dot(at.n, v3_sub(b ? b->v : v3_zero(), a ? a->v : v3_zero()));
	if (a)
		push(a, &ma, at.ra, v3_neg(j));
	if (b)
		push(b, &mb, at.rb, j);
	double after = v3_dot(at.n, v3_sub(b ? b->v : v3_zero(), a ? a->v : v3_zero()));
	k->lost -= 0.5 * y.n * (before + after);
}

/* Holds two that have come to rest against each other for what is left of the frame. */
static void settle(const cairn_world *w, flock *k, const blow *hit)
{
	const cn_close *p = &w->crowd->pairs[hit->pair];
	flight *a = find(k, p->a), *b = find(k, p->b);
	double ia = a ? w->rotors[a->slot].inv_mass : 0, ib = b ? w->rotors[b->slot].inv_mass : 0,
		   force = hit->nears / (ia + ib);
	strike(w, k, hit, 0);
	if (a)
		a->a = v3_madd(a->a, hit->at.n, -force * ia);
	if (b)
		b->a = v3_madd(b->a, hit->at.n, force * ib);
}

/* Bounces that grow ever shorter end after a time: whether they do before the frame is over. */
static bool tail_ends(const cairn_world *w, const blow *hit, double eps)
{
	return eps < 1 && hit->nears > 0 && 2 * hit->speed * eps <= (w->dt - hit->t) * hit->nears * (1 - eps);
}

/* Whether a blow is one: what has no restitution and is slow rests. */
static bool counts(const cairn_world *w, const blow *b)
{
	const cn_crowd *c = w->crowd;
	return b->speed > (c->pairs[b->pair].eps > 0 ? 0 : c->threshold);
}

/* ---- the stages */

bool cn_impact_choose(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots && !any; ++slot)
		any = cn_crowd_movable(w, slot) && ball(w, slot);
	if (!any)
		return true;
	if (!cn_crowd_links(w))
		return false;
	memset(c->flags, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		flock k;
		if (c->flags[slot] || !cn_crowd_movable(w, slot) || c->link_first[slot] == c->link_first[slot + 1])
			continue;
		bool flies = gather(w, slot, &k), hits = false;
		for (uint32_t i = 0; i < k.ball_count; ++i)
			c->flags[k.balls[i].slot] |= flies;
		if (!flies)
			continue;
		set_off(w, &k);
		for (uint32_t i = 0; i < k.pair_count; ++i) {
			blow b;
			cn_close *p = &c->pairs[k.pairs[i]];
			p->hits = next_blow(w, &k, k.pairs[i], 0, &b) && counts(w, &b);
			hits |= p->hits;
		}
		for (uint32_t i = 0; i < k.ball_count; ++i)
			c->ways[k.balls[i].slot].flies = hits;
	}
	return true;
}

/* Blow after blow. False: a tie, or too many. */
static bool fly(const cairn_world *w, flock *k, uint32_t *count)
{
	double t = 0;
	for (uint32_t i = 0; i < CN_IMPACT_BLOWS; ++i) {
		blow hit;
		bool tied;
		if (!first_blow(w, k, t, &hit, &tied)) {
			advance(w, k, w->dt - t);
			return true;
		}
		if (tied)
			return false;
		advance(w, k, hit.t - t);
		t = hit.t;
		double eps = w->crowd->pairs[hit.pair].eps;
		if (hit.speed == 0)
			settle(w, k, &hit);
		else
			strike(w, k, &hit, tail_ends(w, &hit, eps) ? 0 : eps);
		*count += hit.speed > w->crowd->threshold;
	}
	return false;
}

/* One piece turns a quarter at most. */
static bool showable(const cairn_world *w, const flock *k)
{
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		const flight *b = &k->balls[i];
		double turn = (v3_length(w->motion[b->slot].l) + v3_length(b->l)) * w->rotors[b->slot].inv_moments.x * w->dt;
		if (w->pieces[b->slot] > 1 || turn > CN_PIECE_TURN)
			return false;
	}
	return true;
}

/* The flight's end in place of the target; what it changes of the energy. */
static void arrive(cairn_world *w, const flock *k, cairn_energy *e)
{
	v3 g = w->scene->settings.gravity;
	double made = 0;
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		const flight *b = &k->balls[i];
		cn_motion *m = &w->next[b->slot];
		made -= cn_kinetic(&w->rotors[b->slot], m) - w->rotors[b->slot].mass * v3_dot(g, m->x);
		*m = (cn_motion){b->x, q_unit(b->q), b->v, b->l};
		made += cn_kinetic(&w->rotors[b->slot], m) - w->rotors[b->slot].mass * v3_dot(g, m->x);
	}
	e->impacts += k->lost;
	e->friction -= made + k->lost; /* of the blows, and of what held the balls on another way than was thought */
}

/* Every island's flight, to its end; last: for good, else the balls are put there to look around. */
static void fly_all(cairn_world *w, bool last, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	memset(c->flags, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		flock k;
		uint32_t count = 0;
		if (!c->ways[slot].flies || c->flags[slot])
			continue;
		bool ok = gather(w, slot, &k);
		for (uint32_t i = 0; i < k.ball_count; ++i)
			c->flags[k.balls[i].slot] = 1;
		set_off(w, &k);
		ok = ok && fly(w, &k, &count) && showable(w, &k);
		for (uint32_t i = 0; i < k.ball_count; ++i) {
			c->ways[k.balls[i].slot].flies = ok;
			c->ways[k.balls[i].slot].target_x = k.balls[i].x;
		}
		if (!ok || !last)
			continue;
		arrive(w, &k, &f->report.energy);
		f->report.collisions += count;
	}
}

/* Puts the balls in flight elsewhere for a look. */
static bool look_from(cairn_world *w, bool end)
{
	cn_crowd *c = w->crowd;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_motion *m = &w->next[slot], goal = *m;
		if (!c->ways[slot].flies)
			continue;
		m->x = end ? c->ways[slot].target_x : w->motion[slot].x, m->q = w->motion[slot].q;
		cn_crowd_place(w, slot);
		c->ways[slot].moved = true;
		*m = goal;
	}
	return cn_crowd_again(w);
}

/* A ball that was struck may come to where nothing was expected: what is there belongs to its island. */
static bool look_around(cairn_world *w, bool *more)
{
	cn_crowd *c = w->crowd;
	*more = false;
	c->under_way = true;
	if (!look_from(w, true))
		return false;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		cn_close *p = &c->pairs[i];
		bool meets = p->near && !p->barred && (c->ways[p->a].flies || c->ways[p->b].flies);
		*more |= meets && !p->meets && p->start > p->reach;
		p->meets |= meets;
	}
	bool ok = look_from(w, false);
	c->under_way = false;
	return ok;
}

bool cn_impact_fly(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	bool any = false, ok = true, more = true;
	for (uint32_t slot = 0; slot < w->slots && !any; ++slot)
		any = c->ways[slot].flies;
	if (!any)
		return true;
	for (uint32_t round = 0; ok && more && round < CN_IMPACT_LOOKS; ++round) {
		ok = cn_crowd_links(w);
		if (ok)
			fly_all(w, false, f);
		ok = ok && look_around(w, &more);
	}
	ok = ok && cn_crowd_links(w);
	if (ok)
		fly_all(w, true, f);
	else
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
