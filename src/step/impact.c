/* Impacts inside the frame: few balls among themselves and what stands still, each on its true parabola, blow after
 * blow at the time it happens, so that bounces lose no time and blows fall where the balls meet.
 *
 * Two calls. Before the rest solve cn_impact_choose finds the islands in which something hits in this frame, and the
 * pairs that do, which then have no rest row. After the targets are known, with the accelerations that rest left,
 * cn_impact_fly puts the end of such a flight in place of the target. The position stage takes it as it is: a straight
 * way from first pose to last lies on the far side of every blow's plane, and is proved as any other.
 *
 * Balls alone: where one touches does not depend on how it has turned, and a pair has one point. Blows at the same time
 * are no sequence; they are one program. Islands of more balls are left to the program at the frame's end. */
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
	v3 rubs[CN_IMPACT_PAIRS],
		holds[CN_IMPACT_PAIRS]; /* N, on b: what resting contacts do, across the normal and along it */
	double lost;                /* J, along normals */
	bool starved;               /* memory ran out */
} flock;

typedef struct blow {
	uint32_t pair;
	double t, speed; /* from the frame's start; 0: it comes to rest there */
	double nears;    /* m/s^2 */
	cn_separation at;
} blow;

/* Turns through several keys: such a flight would be left to the bounce in the end (fly), and its contacts have rest
 * rows then. */
static bool spins(const cairn_world *w, uint32_t slot)
{
	return 2 * v3_length(w->motion[slot].l) * w->rotors[slot].inv_least * w->dt > CN_PIECE_TURN;
}

/* A ball is one part about its centre of mass. */
static bool ball(const cairn_world *w, uint32_t slot)
{
	const cn_crowd *c = w->crowd;
	uint32_t part = c->part_first[slot];
	return c->part_first[slot + 1] == part + 1 && c->parts[part].convex->kind == CAIRN_SPHERE &&
	       w->rotors[slot].kind == CN_ROTOR_BALL && cn_rig_of(w, slot) == CN_QP_NONE;
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
	k->starved = false;
	k->balls[k->ball_count++].slot = first;
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		uint32_t slot = k->balls[i].slot;
		if (!ball(w, slot) || spins(w, slot))
			return false;
		for (uint32_t j = c->link_first[slot]; j < c->link_first[slot + 1]; ++j) {
			const cn_close *p = &c->pairs[c->links[j]];
			uint32_t other = p->a == slot ? p->b : p->a;
			if (!p->near && !p->meets)
				continue;
			if (p->barred || k->pair_count == CN_IMPACT_PAIRS)
				return false;
			const flight *known = find(k, other);
			if (known && known < &k->balls[i])
				continue; /* seen from the other side */
			if (!known && cn_crowd_movable(w, other)) {
				if (k->ball_count == CN_IMPACT_BALLS)
					return false;
				k->balls[k->ball_count++].slot = other;
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
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		const cn_close *p = &w->crowd->pairs[k->pairs[i]];
		v3 force = p->count ? v3_scale(w->crowd->points[p->first].impulse, 1 / w->dt) : v3_zero();
		k->holds[i] = v3_scale(p->at.n, v3_dot(p->at.n, force));
		k->rubs[i] = v3_sub(force, k->holds[i]);
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
		if (c->parts[p->pb].tile)
			(void)cn_ground_axis(w, p, &at_a, &out->at);
		double s = out->at.gap - cn_close_hold(p, p->start), rate = v3_dot(out->at.n, v3_madd(v, acc, tau)),
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

/* Those that come first, all at the same time; what comes to rest is taken one by one. */
static uint32_t first_blows(const cairn_world *w, const flock *k, double t, blow out[CN_IMPACT_PAIRS])
{
	double tie = CN_QUEUE_TIE * w->dt;
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		blow b;
		if (!next_blow(w, k, k->pairs[i], t, &b))
			continue;
		bool together = count && b.speed > 0 && out[0].speed > 0 && fabs(b.t - out[0].t) <= tie;
		if (!together && count && b.t >= out[0].t)
			continue;
		count = together ? count : 0;
		out[count++] = b;
	}
	return count;
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

/* Takes a force of a resting contact away from its balls. */
static void release(const cairn_world *w, flock *k, uint32_t number, v3 *force)
{
	const cn_close *p = &w->crowd->pairs[k->pairs[number]];
	flight *a = find(k, p->a), *b = find(k, p->b);
	if (a) {
		a->a = v3_madd(a->a, *force, w->rotors[a->slot].inv_mass);
		a->torque = v3_add(a->torque, v3_cross(w->crowd->points[p->first].ra, *force));
	}
	if (b) {
		b->a = v3_madd(b->a, *force, -w->rotors[b->slot].inv_mass);
		b->torque = v3_sub(b->torque, v3_cross(w->crowd->points[p->first].rb, *force));
	}
	*force = v3_zero();
}

/* A ball that was struck moves another way than when its resting contacts were solved: they no longer rub it, which might
 * drive it on, nor hold it where it leaves. */
static void let_go(const cairn_world *w, flock *k, const cn_close *struck)
{
	double slow = CN_IMPACT_LEAST * w->crowd->gravity * w->dt;
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		const cn_close *p = &w->crowd->pairs[k->pairs[i]];
		bool mine = p->a == struck->a || p->b == struck->b || p->a == struck->b || p->b == struck->a;
		if (p->count == 0 || !mine)
			continue;
		const flight *a = find(k, p->a), *b = find(k, p->b);
		v3 n = v3_unit(k->holds[i]), v = v3_sub(b ? b->v : v3_zero(), a ? a->v : v3_zero());
		release(w, k, i, &k->rubs[i]);
		if (v3_dot(n, v) > slow)
			release(w, k, i, &k->holds[i]);
	}
}

/* Where a blow acts: in the middle of the gap between two balls, so that angular momentum stays. */
static cn_qp_contact contact_of(const cairn_world *w, flock *k, const blow *hit, double eps)
{
	const cn_close *p = &w->crowd->pairs[hit->pair];
	const flight *a = find(k, p->a), *b = find(k, p->b);
	double half = a && b ? 0.5 * hit->at.gap : 0;
	return (cn_qp_contact){.a = a ? (uint32_t)(a - k->balls) : CN_QP_NONE,
	                       .b = b ? (uint32_t)(b - k->balls) : CN_QP_NONE,
	                       .n = hit->at.n,
	                       .ra = v3_madd(hit->at.a, hit->at.n, half),
	                       .rb = v3_madd(hit->at.b, hit->at.n, -half),
	                       .mu = p->mu_kinetic,
	                       .eps = eps};
}

/* Blows at one time: one by its closed form, more as a program. False: memory ran out. */
static bool strike(const cairn_world *w, flock *k, const cn_qp_contact *at, uint32_t count)
{
	static const cn_twist still = {{0, 0, 0}, {0, 0, 0}};
	cn_qp_body bodies[CN_IMPACT_BALLS];
	cn_twist u0[CN_IMPACT_BALLS], u[CN_IMPACT_BALLS];
	cn_qp_impulse y[CN_IMPACT_PAIRS];
	cn_qp qp = {.bodies = bodies, .u0 = u0, .contacts = at, .body_count = k->ball_count, .contact_count = count};
	for (uint32_t i = 0; i < k->ball_count; ++i)
		bodies[i] = body_of(w, &k->balls[i]), u0[i] = u[i] = twist_of(w, &k->balls[i]);
	if (count == 1) {
		bool a = at->a != CN_QP_NONE, b = at->b != CN_QP_NONE;
		y[0] = cn_single_contact(a ? &bodies[at->a] : NULL, b ? &bodies[at->b] : NULL, at, a ? u0[at->a] : still,
		                         b ? u0[at->b] : still);
		cn_qp_push_contact(&qp, 0, y[0], u);
	} else {
		cn_small_options options = {.bounce = true};
		cn_qp_solution x = {.u = u, .contact = y};
		k->starved = cn_small_momentum(&w->allocator, &qp, &options, &x).status == CN_QP_MEMORY;
		if (k->starved)
			return false;
	}
	for (uint32_t i = 0; i < count; ++i)
		k->lost -= 0.5 * y[i].n * (cn_qp_speed(&qp, i, u0).n + cn_qp_speed(&qp, i, u).n);
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		flight *b = &k->balls[i];
		b->v = u[i].v;
		b->l = v3_add(b->l, v3_scale(v3_sub(u[i].w, u0[i].w), 1 / w->rotors[b->slot].inv_moments.x));
	}
	return true;
}

/* Holds two that have come to rest against each other for what is left of the frame. */
static void settle(const cairn_world *w, flock *k, const blow *hit)
{
	const cn_close *p = &w->crowd->pairs[hit->pair];
	flight *a = find(k, p->a), *b = find(k, p->b);
	double ia = a ? w->rotors[a->slot].inv_mass : 0, ib = b ? w->rotors[b->slot].inv_mass : 0,
		   force = hit->nears / (ia + ib);
	cn_qp_contact at = contact_of(w, k, hit, 0);
	strike(w, k, &at, 1);
	let_go(w, k, p);
	if (a)
		a->a = v3_madd(a->a, hit->at.n, -force * ia);
	if (b)
		b->a = v3_madd(b->a, hit->at.n, force * ib);
	for (uint32_t i = 0; i < k->pair_count; ++i)
		if (k->pairs[i] == hit->pair)
			k->holds[i] = v3_madd(k->holds[i], hit->at.n, force);
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

/* Blow after blow. False: too many. */
static bool fly(const cairn_world *w, flock *k, uint32_t *count)
{
	double t = 0;
	for (uint32_t round = 0; round < CN_IMPACT_BLOWS; ++round) {
		blow hits[CN_IMPACT_PAIRS];
		cn_qp_contact at[CN_IMPACT_PAIRS];
		uint32_t together = first_blows(w, k, t, hits);
		advance(w, k, (together ? hits[0].t : w->dt) - t);
		if (!together)
			return true;
		t = hits[0].t;
		if (hits[0].speed == 0) {
			settle(w, k, &hits[0]);
			continue;
		}
		for (uint32_t i = 0; i < together; ++i) {
			double eps = w->crowd->pairs[hits[i].pair].eps;
			at[i] = contact_of(w, k, &hits[i], tail_ends(w, &hits[i], eps) ? 0 : eps);
			*count += hits[i].speed > w->crowd->threshold;
		}
		if (!strike(w, k, at, together))
			return false;
		for (uint32_t i = 0; i < together; ++i)
			let_go(w, k, &w->crowd->pairs[hits[i].pair]);
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

/* Balls that lean on each other are held by forces that a blow upsets, and what is left of them may drive a ball. Energy
 * shows it; such a frame is left to the program at its end. */
static bool gains(const cairn_world *w, const flock *k)
{
	v3 g = w->scene->settings.gravity;
	double won = 0, little = 0;
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		const flight *b = &k->balls[i];
		const cn_rotor *r = &w->rotors[b->slot];
		const cn_motion *from = &w->motion[b->slot], to = {b->x, b->q, b->v, b->l};
		double before = cn_kinetic(r, from), after = cn_kinetic(r, &to);
		won += after - before - r->mass * v3_dot(g, v3_sub(b->x, from->x));
		little += CN_PAY_LEAST * r->mass * w->crowd->gravity * w->bodies[b->slot].radius + CN_UNIT_ROUNDING * before;
	}
	return won > little;
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

/* Every island's flight, to its end; last: for good, else the balls are put there to look around. False: memory ran
 * out. */
static bool fly_all(cairn_world *w, bool last, cn_frame *f)
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
		ok = ok && fly(w, &k, &count) && showable(w, &k) && !gains(w, &k);
		if (k.starved)
			return false;
		for (uint32_t i = 0; i < k.ball_count; ++i) {
			c->ways[k.balls[i].slot].flies = ok;
			c->ways[k.balls[i].slot].target_x = k.balls[i].x;
		}
		if (!ok || !last)
			continue;
		arrive(w, &k, &f->report.energy);
		f->report.collisions += count;
	}
	return true;
}

/* Looks at the pairs of balls in flight where the flight ends, or where it begins. */
static bool look_from(cairn_world *w, bool end)
{
	cn_crowd *c = w->crowd;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_motion *m = &w->next[slot];
		cn_way *y = &c->ways[slot];
		if (!y->flies)
			continue;
		y->goal_x = m->x, y->goal_q = m->q;
		m->x = end ? y->target_x : w->motion[slot].x, m->q = w->motion[slot].q;
		y->moved = true;
		cn_crowd_place(w, slot);
	}
	bool ok = cn_crowd_again(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->ways[slot].flies)
			w->next[slot].x = c->ways[slot].goal_x, w->next[slot].q = c->ways[slot].goal_q;
	return ok;
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
	for (uint32_t round = 0; ok && more && round < CN_IMPACT_LOOKS; ++round)
		ok = cn_crowd_links(w) && fly_all(w, false, f) && look_around(w, &more);
	ok = ok && cn_crowd_links(w) && fly_all(w, true, f);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
