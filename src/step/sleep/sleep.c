/* Sleep: an island whose bodies have hardly moved for a while is no longer simulated. It sleeps and wakes as a whole.
 * It wakes when an awake body comes within reach of one of its bodies, when an event or a drag moves one, when a body
 * is removed, or when gravity or a material changes. */
#include "step/hooks.h"
#include "step/motion/forces.h"
#include "step/tolerance.h"

#include <string.h>

#define CN_STILL_DISTANCE                                                                                              \
	5e-3 /* of its radius: a slow body that stays so near to one place for CN_STILL_FRAMES is at rest */

/* Wakes a sleeping body with its island, or a frozen body. forced: the frame's forces have been applied to all awake
 * bodies already. */
static void wake(cairn_world *w, uint32_t sleeper, bool forced, cn_frame *f)
{
	uint32_t island = w->rest_state[sleeper].island;
	bool alone = w->rest_state[sleeper].asleep == CN_FROZEN;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (alone ? slot != sleeper : w->rest_state[slot].asleep != CN_ASLEEP || w->rest_state[slot].island != island)
			continue;
		w->rest_state[slot] = (cn_rest_state){0};
		if (forced)
			cn_forces_body(w, slot, &f->report.energy);
	}
}

static bool still(const cn_motion *m) { return v3_length2(m->v) == 0 && v3_length2(m->l) == 0; }

/* Wakes sleeping bodies that something comes near to. Waking one may bring others into reach. True: some woke. */
bool cn_wake_touched(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	bool any = false;
	cn_scripts_mark_pushed(w);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool a = w->rest_state[p->a].asleep, b = w->rest_state[p->b].asleep;
		uint32_t sleeper = a ? p->a : p->b, other = a ? p->b : p->a;
		if (a == b || !p->near || (!cn_body_movable(w, other) && !cn_path_driven(&c->paths.by_slot[other])) ||
		    (w->rest_state[sleeper].asleep == CN_FROZEN && !c->paths.by_slot[sleeper].scripts.pushed &&
		     !cn_freeze_wakes(w, p)))
			continue;
		wake(w, sleeper, true, f);
		any = true;
	}
	return any;
}

bool cn_wake_moved(cairn_world *w, cn_frame *f)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->rest_state[slot].asleep && (!still(&w->motion[slot]) || cn_body_led(w, slot)))
			wake(w, slot, false, f);
	return true;
}

/* stirs: by island, zeroed: some body of it is not still enough. */
static void fall_asleep(cairn_world *w, uint8_t *stirs, cairn_energy *e)
{
	cn_context *c = w->context;
	cn_graph_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (cn_body_movable(w, slot) && (w->rest_state[slot].still_frames < cn_sleep_frames(w, slot) ||
		                                 cn_body_led(w, slot) || cn_joints_follow(w, slot)))
			stirs[c->graph.root[slot]] = 1;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!cn_body_movable(w, slot) || stirs[c->graph.root[slot]])
			continue;
		e->dropped += cn_kinetic(&w->rotors[slot], &w->next[slot]);
		w->next[slot].v = w->next[slot].l = v3_zero();
		w->rest_state[slot].asleep = CN_ASLEEP;
		w->rest_state[slot].island = c->graph.root[slot];
	}
}

/* Counts the frames for which a body has been slow and near its anchor. A body that leaves the anchor gets a new one,
 * so sliding, however slow, is no rest. */
static void count_still(cairn_world *w, uint32_t slot)
{
	cn_rest_state *r = &w->rest_state[slot];
	const cn_motion *m = &w->next[slot];
	double radius = w->bodies[slot].radius,
		   speed = v3_length(m->v) + v3_length(m->l) * w->rotors[slot].inv_least * radius;
	quat q = q_dot(m->q, r->anchor.orientation) < 0 ? q_neg(m->q) : m->q, p = r->anchor.orientation;
	quat d = {q.w - p.w, q.x - p.x, q.y - p.y, q.z - p.z};
	double far = v3_distance(m->x, r->anchor.position) + 2 * sqrt(q_dot(d, d)) * radius;
	bool script_near = w->context->paths.by_slot[slot].scripts.may_reach;
	if (!script_near && speed < CN_STILL_SPEED * w->context->gravity / w->scene->settings.fps &&
	    far < CN_STILL_DISTANCE * radius) {
		r->still_frames = (uint16_t)(r->still_frames + (r->still_frames < cn_sleep_frames(w, slot)));
		return;
	}
	r->still_frames = 0;
	r->anchor = (pose){m->x, m->q};
}

/* No body moved in this frame or in the last, nothing holds or drives one from outside, and there was one step. */
static bool all_stood(const cairn_world *w, const cn_frame *f)
{
	if (f->report.steps != 1 || w->extra_count || w->next_extra_count || w->drag.count || cn_has_joints(w) ||
	    cn_has_scripts(w))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->bodies[slot].alive && (memcmp(&w->next[slot], &w->motion[slot], sizeof *w->next) != 0 ||
		                              memcmp(&w->motion[slot], &w->before[slot], sizeof *w->motion) != 0))
			return false;
	return true;
}

/* Remembering contacts comes first, as it may fail, and a refused step must change nothing. */
bool cn_sleep_update(cairn_world *w, cn_frame *f)
{
	cn_arena *temporary = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(temporary);
	uint8_t *stirs;
	bool stood = all_stood(w, f);
	if ((cn_may_freeze(w) && !cn_freeze_find(w, f)) || !CN_LOCAL(stirs, w->slots + 1) ||
	    !cn_contacts_remember(w, stood)) {
		if (cn_may_freeze(w))
			cn_freeze_undo(w);
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	cn_joints_keep(w, f);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->rotors[slot].active && !w->rest_state[slot].asleep)
			count_still(w, slot);
	if (cn_may_freeze(w))
		cn_freeze_apply(w, &f->report.energy);
	if (w->scene->options.sleep == 0 && w->context->gravity > 0)
		fall_asleep(w, stirs, &f->report.energy);
	cn_arena_return(temporary, mark);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		f->report.asleep += w->rest_state[slot].asleep != CN_AWAKE,
			f->report.frozen += w->rest_state[slot].asleep == CN_FROZEN;
	cn_scripts_keep(w);
	cn_scripts_note(w, f);
	cn_debt_report(w, &f->report);
	w->context->standing.unchanged =
		stood && w->context->cache.same && f->saved_rest_state &&
		(!w->slots || memcmp(w->rest_state, w->backup.rest_state, w->slots * sizeof *w->rest_state) == 0);
	return true;
}
