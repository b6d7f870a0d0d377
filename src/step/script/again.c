/* Steps that begin again: a script pushed bodies with the velocity that it was to have, and then it had to wait. It gave them
 * what it did not have itself, and a body that it squeezes would leave faster than anything moves. So the step begins again
 * with a script that goes no further than it came, and if that is too far still, with one that stands until it turns out that
 * it can go on. */
#include "step/context.h"
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

bool cn_script_again(cairn_world *w, uint32_t tries, bool *again)
{
	cn_push_limits *k = &w->context->pushes;
	*again = false;
	if (!CN_ROOM(k->paces, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots && tries == 0; ++slot)
		k->paces[slot] = 1;
	*again = tries < AGAIN && note_short(w, tries + 1 == AGAIN);
	k->limited = *again ? w->log.steps : 0;
	return true;
}
