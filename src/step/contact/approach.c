/* Approach speeds of contact points after the position stage, and whether a point is close enough for an impact. */
#include "step/contact/contact.h"
#include "step/context.h"
#include "step/tolerance.h"

/* A point takes an impact if its gap is about the one its rows asked for, or if it closes within a short moment, so
 * that all corners of a body that lands flat are hit. A point that a row stopped may be a little further away. */
bool cn_point_touches(const cn_pair *p, const cn_pair_point *t, double moment)
{
	double near = CN_TOUCH_GAP * p->gap_request + moment;
	if (p->blocks || t->gap <= near)
		return true;
	bool pushed = t->push > 0 || v3_length2(p->side.axis) > 0 || (p->row_stopped && t->gap <= p->at.gap + near);
	return pushed && t->gap <= CN_TOUCH_PUSHED * p->gap_target;
}

bool cn_pair_fast(const cairn_world *w, const cn_pair *p)
{
	double speed = 0;
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i) {
		const cn_motion *m = &w->next[slots[i]];
		if (cn_body_movable(w, slots[i]))
			speed += v3_length(m->v) + v3_length(m->l) * w->rotors[slots[i]].inv_least * w->bodies[slots[i]].radius;
	}
	return speed > w->context->threshold;
}

double cn_point_approach_left(const cairn_world *w, const cn_pair *p, const cn_pair_point *t)
{
	const uint32_t slots[2] = {p->a, p->b};
	const v3 arms[2] = {t->ra, t->rb};
	double speed = 0;
	for (int i = 0; i < 2; ++i) {
		cn_twist u = cn_twist_of(w, slots[i], w->next[slots[i]].q, &w->next[slots[i]]);
		double along = v3_dot(p->at.n, v3_add(u.v, v3_cross(u.w, arms[i])));
		speed += !cn_body_movable(w, slots[i]) ? 0 : i ? -along : along;
	}
	return speed > w->context->threshold && cn_point_touches(p, t, 0) ? speed : 0;
}
