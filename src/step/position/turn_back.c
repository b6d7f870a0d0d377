/* How far two bodies that touch turn before they turn into each other.
 *
 * A rod that stands on one end falls until the other end lies on the floor, too. There the two meet, and the bounce goes on.
 * A target beyond that would lift the rod, and one that is where the step began would leave it in the air: it would have
 * the speed of its fall and never come down. */
#include "step/context.h"
#include "step/hooks.h"

enum { FIRST_PARTS = 32, LAST_PARTS = 1 << 14 }; /* of the way: the first step on it, and the last */

/* Two bodies on their way to their targets, and the axis between them where the step began. */
typedef struct couple {
	cairn_world *w;
	const cn_pair *p;
} couple;

static void place(const couple *k, uint32_t slot, uint32_t part, double share, bool stands)
{
	cn_context *c = k->w->context;
	const cn_path *y = &c->paths.by_slot[slot];
	const cn_motion *from = &k->w->motion[slot];
	c->pass.turned[part] = c->contacts.start[part];
	if (y->legs.role != CN_ROLE_UNDER_ROWS)
		return;
	pose at = {stands ? from->x : v3_lerp(from->x, y->own.target_x, share), cn_path_turn_part(y, from->q, share)};
	const cn_part *of = &c->contacts.parts[part];
	c->pass.turned[part] = cn_convex_place(of->convex, pose_mul(at, of->in_body));
}

/* m: the gap along the axis after a share of the way. stands: of their turns alone. */
static double gap_at(const couple *k, double share, bool stands)
{
	const cn_context *c = k->w->context;
	place(k, k->p->a, k->p->pa, share, stands);
	place(k, k->p->b, k->p->pb, share, stands);
	return cn_pair_along(c, k->p, c->pass.turned, k->p->frame_start.axis);
}

/* Turning alone parts the two up to this share of their way. Then, what stood on the one end comes down on the other. */
static double until_turned(const couple *k)
{
	double share = 0, gap = gap_at(k, 0, true);
	for (double step = 1.0 / FIRST_PARTS; step * LAST_PARTS >= 1;) {
		double next = share + step <= 1 ? gap_at(k, share + step, true) : -INFINITY;
		if (next < gap)
			step *= 0.5;
		else
			share += step, gap = next;
	}
	return share;
}

double cn_turn_share(cairn_world *w, const cn_pair *p)
{
	const couple k = {w, p};
	double share = until_turned(&k), keep = cn_pair_hold(p, p->frame_start.gap);
	for (double step = 1.0 / FIRST_PARTS;
	     step * LAST_PARTS >= 1;) { /* ... and so it may go on as long as there is room */
		if (share + step <= 1 && gap_at(&k, share + step, false) >= keep)
			share += step;
		else
			step *= 0.5;
	}
	return share + 2.0 / LAST_PARTS < 1 ? share : 1;
}
