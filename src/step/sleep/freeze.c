/* Freezing (OBA 6.7.2): single bodies that have come to rest on something fixed or frozen leave the programs. They feel
 * no gravity and act as fixed bodies, but stay in the certificate.
 *
 * Eq. 6.48 alone would freeze a body that slides, tips, or is at the top of its flight. So it only selects candidates:
 * bodies that are slow enough for more than c_f frames and have no sliding contact. They freeze if they hold: a rest
 * solve of their own, from their velocities and with the weight of the bodies that rest on them, leaves them no speed.
 * In it fixed and frozen bodies support them, and awake ones do not. So a frozen body never depends on a body that may
 * leave, and never hangs in the air. Bodies with joints do not freeze. The same trial for frozen bodies that an awake
 * one touches tells which of them have lost their support or are pushed away.
 *
 * Impacts wake one body after another (fig. 6.26). A queue of single impacts, the fastest first, finds the bodies that
 * get more energy than eq. 6.48 allows. The bounce then includes them. */
#include "step/hooks.h"
#include "step/tolerance.h"

#include <string.h>

/* x g dt, 1 mm/s: a body slower than this, now or after a trial of rest, neither creeps nor rolls; it holds if the trial
 * leaves it less than CN_STILL_SPEED */
#define CN_CREEP_SPEED 3e-3
#define CN_UNFREEZE_SPEED 0.1 /* x g dt: a frozen body that a trial leaves more has lost its hold, and wakes */
#define CN_FREEZE_AGAIN 8     /* frames: so often those that did not hold are tried again, all together */
#define CN_FREEZE_HOPS 3      /* contacts from what is awake: so far frozen bodies are tried */
#define CN_FREEZE_ROUNDS 6    /* of leaving out who does not hold; then all that would freeze wait */
#define CN_REVIVE_IMPACTS 100 /* of the queue that wakes frozen bodies, unless the scene says how many */

/* Bits of cn_freeze.marks: cold enough; has a sliding contact; a candidate; frozen, and tried again; frozen, and did not
 * hold; reached in this hop of the search. */
enum { COLD = 1, SLIDES = 2, TRIED = 4, FROZEN = 8, LEAVES = 16, REACHED = 32, MEMBER = TRIED | FROZEN };

static bool frozen(const cairn_world *w, uint32_t slot) { return w->rest_state[slot].asleep == CN_FROZEN; }

/* m/s: what gravity brings in a frame, however many steps it has. */
static double frame_speed(const cairn_world *w) { return w->context->gravity / w->scene->settings.fps; }

/* J/kg: right side of eq. 6.48, the energy that gravity gives in a frame. */
static double threshold(const cairn_world *w)
{
	double speed = frame_speed(w);
	return 0.5 * speed * speed;
}

/* Some body is in this state. */
static bool any(const cairn_world *w, cn_sleep state)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->rotors[slot].active && w->rest_state[slot].asleep == state)
			return true;
	return false;
}

static bool in_cold_volume(const cairn_scene *s, v3 x)
{
	for (uint32_t i = 0; i < s->cold_count; ++i) {
		const cairn_box *b = &s->cold[i];
		if (x.x >= b->min.x && x.x <= b->max.x && x.y >= b->min.y && x.y <= b->max.y && x.z >= b->min.z &&
		    x.z <= b->max.z)
			return true;
	}
	return s->cold_count == 0;
}

/* ---- candidates */

/* The two touch, or did at the frame's start. Two that both stand still were not measured anew. */
static bool touching(const cn_pair *p)
{
	double near = CN_PUSHING_GAP * p->gap_target;
	return p->frame_start.gap <= near || (p->near && (p->fresh || p->at.gap <= near));
}

static double speed_bound(const cairn_world *w, uint32_t slot, v3 v, v3 spin)
{
	return v3_length(v) + v3_length(spin) * w->bodies[slot].radius;
}

/* The body moves, if slowly: faster than the error of a body at rest. */
static bool creeps(const cairn_world *w, uint32_t slot)
{
	const cn_motion *m = &w->next[slot];
	return cn_body_movable(w, slot) &&
	       speed_bound(w, slot, m->v, cn_spin(&w->rotors[slot], m->q, m->l)) > CN_CREEP_SPEED * frame_speed(w);
}

static bool scripted(const cairn_world *w, uint32_t slot) { return w->bodies[slot].type == CAIRN_SCRIPTED; }

/* Marks bodies with a sliding contact, or with a contact to a scripted body. */
static void mark_sliding(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool slides = false;
		for (uint32_t k = 0; p->near && k < p->count; ++k)
			slides |= c->contacts.points[p->first + k].rest.sliding;
		if ((slides && (creeps(w, p->a) || creeps(w, p->b))) || (p->near && (scripted(w, p->a) || scripted(w, p->b))))
			c->freeze.marks[p->a] |= SLIDES, c->freeze.marks[p->b] |= SLIDES;
	}
}

/* Candidates: bodies that have been cold for long enough. Those that did not hold then are tried again now and then,
 * all at once. */
static bool choose(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t frames = cn_option_count(w->scene->options.freeze_frames, CN_FREEZE_FRAMES);
	bool some = false;
	mark_sliding(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_rotor *r = &w->rotors[slot];
		const cn_motion *m = &w->next[slot];
		if (!cn_body_movable(w, slot) || cn_body_led(w, slot) || c->paths.by_slot[slot].own.key_count ||
		    cn_joints_of(w, slot) != CN_QP_NONE || (c->freeze.marks[slot] & SLIDES) ||
		    !in_cold_volume(w->scene, m->x) || !(cn_kinetic(r, m) < r->mass * threshold(w)))
			continue;
		c->freeze.marks[slot] |= COLD;
		uint32_t cold = w->rest_state[slot].cold_frames;
		if (cold == frames || (cold > frames && w->frame % CN_FREEZE_AGAIN == 0))
			c->freeze.marks[slot] |= TRIED, some = true;
	}
	return some;
}

/* Frozen bodies that touch an awake one, and their neighbours within some hops; more would cost as much as no
 * freezing at all. True: there are new ones. */
static bool gather(cairn_world *w, uint32_t hops)
{
	cn_context *c = w->context;
	bool some = false;
	for (uint32_t hop = 0; hop < hops; ++hop) {
		bool more = false;
		for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
			const cn_pair *p = &c->contacts.pairs[i];
			const uint32_t slots[2] = {p->a, p->b};
			for (int j = 0; j < 2 && touching(p) && !p->must_not_touch; ++j) {
				uint32_t slot = slots[j], other = slots[1 - j];
				bool reached = hop == 0 ? cn_body_movable(w, other) && !(c->freeze.marks[other] & FROZEN)
				                        : (c->freeze.marks[other] & FROZEN) && !(c->freeze.marks[other] & LEAVES);
				if (!frozen(w, slot) || (c->freeze.marks[slot] & (FROZEN | LEAVES | REACHED)) || !reached)
					continue;
				c->freeze.marks[slot] |= REACHED;
				more = true;
			}
		}
		for (uint32_t slot = 0; slot < w->slots; ++slot)
			if (c->freeze.marks[slot] & REACHED)
				c->freeze.marks[slot] = (uint8_t)((c->freeze.marks[slot] & ~REACHED) | FROZEN);
		if (!more)
			break;
		some = true;
	}
	return some;
}

/* Lets the gathered bodies take part in programs. False: memory ran out. */
static bool thaw(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if ((c->freeze.marks[slot] & FROZEN) && frozen(w, slot))
			w->rest_state[slot].asleep = CN_AWAKE, cn_body_pairs_due(w, slot);
	return cn_contacts_measure(w, false);
}

static void freeze_again(cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->context->freeze.marks[slot] & (FROZEN | LEAVES))
			w->rest_state[slot].asleep = CN_FROZEN;
}

/* ---- the trial */

/* The trial must leave a body hardly any speed. A little is error of the solver, unless the body has as much already:
 * then it rolls or creeps. */
static bool holds(const cairn_world *w, uint32_t slot, const cn_twist *u, bool was)
{
	double unit = w->context->gravity * w->dt, speed = speed_bound(w, slot, u->v, u->w);
	if (was)
		return speed <= CN_UNFREEZE_SPEED * unit;
	return speed <= CN_CREEP_SPEED * unit || (speed <= CN_STILL_SPEED * unit && !creeps(w, slot));
}

/* Removes bodies that do not hold: candidates stay awake, frozen ones wake. True: there are some. */
static bool leave_out(cairn_world *w, bool all)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	bool some = false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		bool was = (c->freeze.marks[slot] & FROZEN) != 0;
		if (holds(w, slot, &p->u[i], was) && (was || !all))
			continue;
		c->freeze.marks[slot] = (uint8_t)((c->freeze.marks[slot] & ~MEMBER) | (was ? LEAVES : 0));
		some = true;
	}
	return some;
}

/* Repeats the trial until all remaining bodies hold, as they have to without those that were removed. False: memory
 * ran out. */
static bool try_all(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	uint8_t *members;
	if (!CN_LOCAL(members, w->slots + 1))
		return false;
	for (uint32_t round = 0;; ++round) {
		bool any = false;
		for (uint32_t slot = 0; slot < w->slots; ++slot)
			any |= members[slot] = (c->freeze.marks[slot] & MEMBER) != 0;
		if (!any)
			return true;
		if (!cn_rest_trial(w, members, f))
			return false;
		if (!leave_out(w, round >= CN_FREEZE_ROUNDS))
			return cn_rest_trial_keep(w), true;
		if (gather(w, 1) && !thaw(w))
			return false;
	}
}

/* Decides who freezes and who wakes. If memory runs out, no state has changed. */
bool cn_freeze_find(cairn_world *w, cn_frame *f)
{
	cn_arena *temporary = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(temporary);
	memset(w->context->freeze.marks, 0, w->slots);
	if (!any(w, CN_AWAKE))
		return true;
	bool tried = choose(w), near = gather(w, CN_FREEZE_HOPS);
	bool ok = (!near || thaw(w)) && (!(tried || near) || try_all(w, f));
	cn_arena_return(temporary, mark);
	if (!ok)
		freeze_again(w);
	return ok;
}

void cn_freeze_undo(cairn_world *w) { freeze_again(w); }

void cn_freeze_apply(cairn_world *w, cairn_energy *e)
{
	const cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_rest_state *r = &w->rest_state[slot];
		uint8_t is = c->freeze.marks[slot];
		if (is & LEAVES) {
			*r = (cn_rest_state){0};
		} else if (is & FROZEN) {
			r->asleep = CN_FROZEN;
		} else if (is & TRIED) {
			e->dropped += cn_kinetic(&w->rotors[slot], &w->next[slot]);
			w->next[slot].v = w->next[slot].l = v3_zero();
			*r = (cn_rest_state){.asleep = CN_FROZEN};
		} else {
			r->cold_frames = (uint8_t)(is & COLD ? r->cold_frames + (r->cold_frames < UINT8_MAX) : 0);
		}
	}
}

/* ---- neighbours */

/* The awake body of the pair drags the frozen one along or pushes it away: it touches it, or comes to touch it too
 * slowly for an impact, and has more energy than the frozen one may take (eq. 6.48). Bodies that leave do neither. */
bool cn_freeze_wakes(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	uint32_t cold = frozen(w, p->a) ? p->a : p->b, other = cold == p->a ? p->b : p->a;
	const cn_motion *m = &w->motion[other];
	if (scripted(w, other))
		return v3_length2(m->v) > 0 || v3_length2(m->l) > 0;
	if (!(cn_kinetic(&w->rotors[other], m) > w->rotors[cold].mass * threshold(w)) ||
	    p->at.gap > CN_PUSHING_GAP * p->gap_target + c->threshold * w->dt)
		return false;
	v3 spin = cn_spin(&w->rotors[other], m->q, m->l), n = other == p->b ? p->at.n : v3_neg(p->at.n);
	for (uint32_t k = 0; k < p->count; ++k) {
		const cn_pair_point *t = &c->contacts.points[p->first + k];
		if (v3_dot(n, v3_add(m->v, v3_cross(spin, other == p->b ? t->rb : t->ra))) < CN_REST_LEAVES * c->threshold)
			return true;
	}
	return false;
}

/* ---- impacts */

/* An impact between two bodies: the mean of the touching points of a pair that approach each other. */
typedef struct impact {
	cn_qp_contact contact; /* a and b are slots */
	double speed;
} impact;

static v3 velocity_at(const cn_twist *u, v3 arm) { return v3_add(u->v, v3_cross(u->w, arm)); }

static impact impact_of(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	const cn_twist *a = &c->freeze.velocities[p->a], *b = &c->freeze.velocities[p->b];
	impact sum = {.contact = {.a = p->a, .b = p->b, .n = p->at.n, .mu = p->mu_kinetic, .eps = p->eps}};
	double count = 0;
	for (uint32_t k = 0; k < p->count; ++k) {
		const cn_pair_point *t = &c->contacts.points[p->first + k];
		double speed = -v3_dot(p->at.n, v3_sub(velocity_at(b, t->rb), velocity_at(a, t->ra)));
		if (!t->main || !(speed > c->threshold) || !cn_point_touches(w, p, t, speed))
			continue;
		sum.contact.ra = v3_add(sum.contact.ra, t->ra), sum.contact.rb = v3_add(sum.contact.rb, t->rb);
		sum.speed += speed;
		++count;
	}
	if (count > 0) {
		sum.contact.ra = v3_scale(sum.contact.ra, 1 / count), sum.contact.rb = v3_scale(sum.contact.rb, 1 / count);
		sum.speed /= count;
	}
	return sum;
}

/* The fastest impact on a body that is frozen, or was until this frame's impacts. */
static bool fastest(const cairn_world *w, impact *best)
{
	const cn_context *c = w->context;
	best->speed = 0;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool a = cn_body_movable(w, p->a), b = cn_body_movable(w, p->b);
		bool cold = frozen(w, p->a) || frozen(w, p->b) || ((c->freeze.marks[p->a] | c->freeze.marks[p->b]) & FROZEN);
		if (!p->near || p->must_not_touch || !cold || !(a || b))
			continue;
		impact one = impact_of(w, p);
		if (one.speed > best->speed)
			*best = one;
	}
	return best->speed > 0;
}

/* The velocities of two bodies after an impact. moves: a frozen one moves as if it were free; otherwise it is fixed.
 * */
static void strike(const cairn_world *w, const impact *hit, bool moves, cn_twist u[2])
{
	const uint32_t slots[2] = {hit->contact.a, hit->contact.b};
	cn_qp_body bodies[2];
	cn_qp_contact k = hit->contact;
	cn_qp qp = {.body_count = 2, .contact_count = 1, .bodies = bodies, .u0 = u, .contacts = &k};
	bool in[2];
	for (int j = 0; j < 2; ++j) {
		in[j] = cn_body_movable(w, slots[j]) || (moves && frozen(w, slots[j]));
		bodies[j] = in[j] ? cn_program_body(w, slots[j]) : (cn_qp_body){0};
		u[j] = w->context->freeze.velocities[slots[j]];
	}
	k.a = in[0] ? 0 : CN_QP_NONE, k.b = in[1] ? 1 : CN_QP_NONE;
	cn_qp_impulse y = cn_single_contact(in[0] ? &bodies[0] : NULL, in[1] ? &bodies[1] : NULL, &k, u[0], u[1]);
	cn_qp_push_contact(&qp, 0, y, u);
}

static double energy_of(const cairn_world *w, uint32_t slot, const cn_twist *u)
{
	cn_qp_body body = cn_program_body(w, slot);
	cn_qp one = {.body_count = 1, .bodies = &body, .u0 = u};
	return cn_qp_energy(&one, u);
}

/* Applies one impact of the queue. A frozen body that gets more energy than eq. 6.48 from it wakes; otherwise it acts
 * as a wall. False: memory ran out. */
static bool take_impact(cairn_world *w, const impact *hit, bool *woke)
{
	cn_context *c = w->context;
	const uint32_t slots[2] = {hit->contact.a, hit->contact.b};
	cn_twist u[2];
	int cold = frozen(w, slots[0]) ? 0 : frozen(w, slots[1]) ? 1 : -1;
	strike(w, hit, true, u);
	*woke = cold >= 0 && energy_of(w, slots[cold], &u[cold]) > w->rotors[slots[cold]].mass * threshold(w);
	if (cold >= 0 && !*woke)
		strike(w, hit, false, u);
	c->freeze.velocities[slots[0]] = u[0], c->freeze.velocities[slots[1]] = u[1];
	if (!*woke)
		return true;
	w->rest_state[slots[cold]] = (cn_rest_state){0};
	c->freeze.marks[slots[cold]] |= FROZEN;
	cn_body_pairs_due(w, slots[cold]);
	return cn_contacts_measure(w, false);
}

static bool revive(cairn_world *w)
{
	cn_context *c = w->context;
	bool woke;
	impact hit = {0};
	if (!any(w, CN_FROZEN) || !any(w, CN_AWAKE))
		return true;
	if (!CN_ROOM(c->freeze.velocities, w->slots + 1))
		return false;
	memset(c->freeze.marks, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_motion *m = &w->next[slot];
		bool moves = w->bodies[slot].alive && (cn_body_movable(w, slot) || frozen(w, slot));
		c->freeze.velocities[slot] = moves ? (cn_twist){m->v, cn_spin(&w->rotors[slot], m->q, m->l)} : (cn_twist){0};
	}
	uint32_t max = cn_option_count(w->scene->options.queue, CN_REVIVE_IMPACTS);
	for (uint32_t k = 0; k < max && fastest(w, &hit); ++k)
		if (!take_impact(w, &hit, &woke))
			return false;
	return true;
}

bool cn_freeze_revive(cairn_world *w, cn_frame *f)
{
	bool ok = revive(w);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
