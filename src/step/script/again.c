/* Steps that begin again: a script pushed bodies with the velocity that it was to have, and then it had to wait. It gave them
 * what it did not have itself, and a body that it squeezes would leave faster than anything moves. So the step begins again
 * with a script that goes no further than it came, and if that is too far still, with one that stands until it turns out that
 * it can go on. */
#include "step/hooks.h"
#include "step/script/script.h"
#include "step/tolerance.h"

enum { AGAIN = 2 }; /* times that a step begins again because of scripts */

/* A contact of the pair holds or pushes. */
static bool presses(const cn_context *c, const cn_pair *p)
{
	for (uint32_t k = 0; k < p->count && p->near && !p->must_not_touch; ++k)
		if (v3_length2(c->contacts.points[p->first + k].rest.impulse) > 0)
			return true;
	return false;
}

/* The share of its way in this step that a script went. */
static double went(const cn_path *y) { return (y->drive.clock - y->drive.start) / (y->drive.due - y->drive.start); }

/* It went less than half as far as bodies were pushed for. */
static bool fell_short(const cn_path *y)
{
	return cn_path_driven(y) && y->drive.pushed > CN_SCRIPT_STEP_MIN && 2 * went(y) < y->drive.pushed;
}

/* Notes how far scripts that fell short are to go. False: there are none. */
static bool note_short(cairn_world *w, bool last)
{
	cn_context *c = w->context;
	bool any = false;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && j < 2; ++j) {
			const cn_path *y = &c->paths.by_slot[slots[j]];
			if (!fell_short(y) || !presses(c, p))
				continue;
			double pace = last ? 0 : went(y);
			c->pushes.paces[slots[j]] = pace > CN_SCRIPT_STEP_MIN ? pace : CN_SCRIPT_STEP_MIN;
			any = true;
		}
	}
	return any;
}

void cn_script_step_begin(cairn_world *w, cn_frame *f)
{
	f->begun.report = f->report, f->begun.events = f->events, f->begun.impacts = w->log.impacts.count;
	f->begun.tries = 0;
	if (w->context)
		w->context->pushes.limited = false;
}

bool cn_script_step_again(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	if (f->report.status != CAIRN_STEP_OK || !cn_scripts_move(w) || f->begun.tries == AGAIN)
		return false;
	if (!CN_ROOM(c->pushes.paces, w->slots + 1)) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	for (uint32_t slot = 0; slot < w->slots && !c->pushes.limited; ++slot)
		c->pushes.paces[slot] = 1;
	c->pushes.limited = note_short(w, ++f->begun.tries == AGAIN);
	if (!c->pushes.limited)
		return false;
	cn_frame_put_back(f);
	w->log.impacts.count = f->begun.impacts;
	return true;
}
