/* Kinematic response (PBA 7.4.2, eq. 7.53): where two bodies overlap and still approach, the velocity of the centre is
 * mirrored at the plane of contact,
 *
 *   v' = v - (1 + k) (v.N) N,
 *
 * k the restitution of the two materials. Masses and turning have no part in it: it is not physics, and the text says so. The
 * text's plane stands still; v is seen from the other body here. Of two bodies that can move each takes half, so that they part
 * with k times the speed of their approach; momentum is kept where their masses are equal. */
#include "step/classic/classic.h"

/* The velocity of a body as the other one meets it: of its centre; of a script at the point of contact. */
static v3 velocity_of(const cairn_world *w, uint32_t slot, v3 r)
{
	cn_twist t = cn_classic_twist(w, slot);
	return w->rotors[slot].active ? t.v : v3_add(t.v, v3_cross(t.w, r));
}

static void change_velocity(cairn_world *w, cn_frame *f, uint32_t slot, v3 dv)
{
	cn_motion *m = &w->motion[slot];
	const cn_rotor *r = &w->rotors[slot];
	if (!r->active)
		return;
	v3 before = m->v;
	m->v = v3_add(m->v, dv);
	f->report.energy.impacts -= 0.5 * r->mass * v3_dot(dv, v3_add(before, m->v));
	cn_classic_mark(w, slot);
}

/* True: the two approached each other. */
static bool mirror(cairn_world *w, cn_frame *f, const cn_classic_point *p)
{
	v3 u = v3_sub(velocity_of(w, p->b, p->rb), velocity_of(w, p->a, p->ra));
	double approach = -v3_dot(u, p->n);
	if (!(approach > 0))
		return false;
	bool both = w->rotors[p->a].active && w->rotors[p->b].active;
	double change = (1 + p->eps) * approach * (both ? 0.5 : 1);
	change_velocity(w, f, p->a, v3_scale(p->n, -change));
	change_velocity(w, f, p->b, v3_scale(p->n, change));
	return true;
}

/* Once a pair: a face that lies on another has several points, and one velocity. */
bool cn_kinematic_apply(cairn_world *w, cn_frame *f)
{
	const cn_classic *k = w->context->classic;
	for (uint32_t i = 0; i < k->point_count; i += k->points[i].beside) {
		const cn_classic_point *deepest = &k->points[i];
		for (uint32_t j = 1; j < k->points[i].beside; ++j)
			if (k->points[i + j].gap < deepest->gap)
				deepest = &k->points[i + j];
		f->report.collisions += deepest->gap < 0 && mirror(w, f, deepest);
	}
	return true;
}
