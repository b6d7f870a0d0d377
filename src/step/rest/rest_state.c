/* Bodies at rest. An island that has been at rest and in which nothing changed keeps its impulses and is not solved.
 * A slow body that has been still for some frames is brought to rest. Large islands at rest keep their impulses, so
 * that these do not drift. */
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/rest/rest.h"
#include "step/tolerance.h"

#include <string.h>

/* ---- islands without a change */

static bool stood_still(const cairn_world *w, uint32_t slot)
{
	const cn_motion *m = &w->motion[slot], *before = &w->before[slot];
	return v3_length2(m->v) == 0 && v3_length2(m->l) == 0 && v3_length2(before->v) == 0 && v3_length2(before->l) == 0 &&
	       cn_same_pose(before->x, before->q, m);
}

/* Only gravity acts on the body. */
static bool falls(const cairn_world *w, uint32_t slot)
{
	v3 v = v3_sub(w->next[slot].v, v3_scale(w->scene->settings.gravity, w->dt));
	return v3_length2(v) == 0 && v3_length2(w->next[slot].l) == 0;
}

static bool unchanged(const cairn_world *w, uint32_t slot)
{
	return w->rest_state[slot].still_frames == cn_sleep_frames(w, slot) && stood_still(w, slot) && falls(w, slot) &&
	       !w->context->paths.by_slot[slot].near_moving_script && cn_joints_of(w, slot) == CN_QP_NONE;
}

/* Finds islands that need no solve: they have been at rest for a while, no body moved or had a speed in the last
 * frame, and the load is the same. The impulses of the last solve then solve this frame too. Every change from
 * outside resets still_frames, and a body that comes near joins the island. scratch.flags: 0 for bodies of these
 * islands. */
void cn_rest_state_find(cairn_world *w)
{
	cn_context *c = w->context;
	bool any = false;
	memset(c->scratch.flags, 1, w->slots);
	for (uint32_t slot = 0; slot < w->slots && !any; ++slot)
		any = cn_body_movable(w, slot) && unchanged(w, slot);
	if (!any || cn_thesis_wanted(w)) /* the thesis's own programs are to be seen */
		return;
	cn_graph_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->scratch.flags[slot] = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (!cn_body_movable(w, slot) || !unchanged(w, slot))
			c->scratch.flags[c->scratch.queue[slot]] = 1;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->scratch.flags[slot] =
			c->scratch.flags
				[c->scratch.queue[slot]]; /* a root is the lowest slot, so its flag is read before it could change */
		c->paths.by_slot[slot].rests = !c->scratch.flags[slot];
	}
}

/* Keeps the bodies of these islands at rest. Returns how many points hold them. */
uint32_t cn_rest_state_keep(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t count = 0;
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->paths.by_slot[slot].rests)
			w->next[slot].v = w->next[slot].l = v3_zero(), any = true;
	double range = c->gravity * w->dt * w->dt;
	for (uint32_t i = 0; any && i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!p->near || p->must_not_touch || (!c->paths.by_slot[p->a].rests && !c->paths.by_slot[p->b].rests))
			continue;
		for (uint32_t k = 0; k < p->count; ++k) {
			const cn_pair_point *t = &c->contacts.points[p->first + k];
			count += t->main && t->gap - cn_pair_hold(p, t->gap) <= range;
		}
	}
	return count;
}

/* ---- coming to rest */

static double speed_bound(const cairn_world *w, uint32_t slot, const cn_twist *u)
{
	return v3_length(u->v) + v3_length(u->w) * w->bodies[slot].radius;
}

/* A body that has been still for a while and is held stays at rest. Its remaining motion is error of the solver. */
void cn_rest_state_begin(cairn_world *w, cairn_energy *e)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	double min = CN_CALM_SPEED * c->gravity * w->dt;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->scratch.flags[p->slots[i]] = 0; /* 1: some contact holds it */
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		if (k->a != CN_QP_NONE)
			c->scratch.flags[p->slots[k->a]] |= p->y[i].n > 0;
		if (k->b != CN_QP_NONE)
			c->scratch.flags[p->slots[k->b]] |= p->y[i].n > 0;
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		cn_twist before = cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
		if (!c->scratch.flags[slot] || c->paths.by_slot[slot].near_moving_script ||
		    cn_joints_of(w, slot) != CN_QP_NONE || w->rest_state[slot].still_frames < cn_still_frames(w, slot) ||
		    speed_bound(w, slot, &before) > min || speed_bound(w, slot, &p->u[i]) > min)
			continue;
		/* without its motion it also keeps the height that it would have lost or gained; its island pays for a gain
		 * */
		double work = w->rotors[slot].mass * v3_dot(w->scene->settings.gravity, p->u[i].v) * 0.5 * w->dt;
		cn_qp one = {.body_count = 1, .bodies = &p->bodies[i], .u0 = &p->u[i]};
		double lost = cn_qp_energy(&one, &p->u[i]) - work;
		e->dropped += lost;
		c->energy.spent[slot] += lost, c->energy.taken[slot] += lost;
		p->u[i] = (cn_twist){{0, 0, 0}, {0, 0, 0}};
	}
}

static bool at_rest(const cairn_world *w, const cn_program *p, uint32_t body)
{
	const cn_motion *m = &w->motion[p->slots[body]];
	const cn_twist *u = &p->u[body];
	return v3_length2(m->v) == 0 && v3_length2(m->l) == 0 && v3_length2(u->v) == 0 && v3_length2(u->w) == 0;
}

/* Stores impulses for the next warm start. Sweeps never converge completely: in a heap at rest the solution drifts,
 * from impulses that hold it to others, and at last to some that do not, so that a heap gives way after a minute of
 * rest. Therefore large islands that were at rest and stay so keep their old impulses, unless a load changed: the
 * impulse of a contact changed by more than the still speed of the lighter of its bodies. */
void cn_rest_state_impulses(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	uint8_t *rests = c->scratch.flags; /* by island */
	uint32_t *count = c->scratch.queue;
	double min = CN_CALM_SPEED * c->gravity * w->dt;
	uint32_t small = cn_islands_small(p->qp.body_count, !w->scene->options.precise);
	cn_qp_islands(&p->qp, p->island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		rests[i] = 1, count[i] = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (p->island[i] != CN_QP_NONE)
			++count[p->island[i]], rests[p->island[i]] &= at_rest(w, p, i);
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		double a = k->a != CN_QP_NONE ? p->bodies[k->a].inv_mass : 0,
			   b = k->b != CN_QP_NONE ? p->bodies[k->b].inv_mass : 0;
		cn_qp_frame_to(&f, k->n);
		v3 change = v3_sub(cn_qp_frame_vector(&f, p->y[i]), p->points[i]->impulse);
		if (v3_length(change) * (a > b ? a : b) > min)
			rests[cn_program_island(p, i)] = 0;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_frame_to(&f, p->contacts[i].n);
		if (!rests[cn_program_island(p, i)] || count[cn_program_island(p, i)] <= small)
			p->points[i]->impulse = cn_qp_frame_vector(&f, p->y[i]);
	}
}
