/* The contact points of a substep, in a list, and impulses at them. */
#include "step/classic/classic.h"
#include "step/motion/rotate.h"
#include "step/motion/script.h"

/* ---- the list */

/* The poses and velocities that boxes have to reach. */
static void guess_next(cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		w->next[slot] = w->motion[slot];
		if (cn_body_movable(w, slot))
			w->next[slot].v = v3_madd(w->motion[slot].v, w->scene->settings.gravity, w->dt);
	}
}

static bool add_points(cairn_world *w, uint32_t number)
{
	const cn_contacts *c = &w->context->contacts;
	cn_classic *k = w->context->classic;
	const cn_pair *p = &c->pairs[number];
	uint32_t first = k->point_count;
	if (!CN_ROOM(k->points, k->point_count + p->count))
		return false;
	for (uint32_t i = 0; i < p->count; ++i) {
		const cn_pair_point *t = &c->points[p->first + i];
		if (t->main)
			k->points[k->point_count++] = (cn_classic_point){.a = p->a,
			                                                 .b = p->b,
			                                                 .pair = number,
			                                                 .point = p->first + i,
			                                                 .n = p->at.n,
			                                                 .ra = t->ra,
			                                                 .rb = t->rb,
			                                                 .gap = t->gap,
			                                                 .eps = p->eps,
			                                                 .mu_static = p->mu_static,
			                                                 .mu_kinetic = p->mu_kinetic,
			                                                 .impulse = t->rest.impulse,
			                                                 .sliding = t->rest.sliding};
	}
	for (uint32_t i = first; i < k->point_count; ++i)
		k->points[i].beside = k->point_count - first;
	return true;
}

static bool refuse(cn_frame *f, cairn_status status)
{
	f->report.status = status;
	return false;
}

bool cn_classic_contacts(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context->classic;
	guess_next(w);
	if (!cn_contacts_take(w))
		return refuse(f, CAIRN_STEP_MEMORY);
	const cn_contacts *c = &w->context->contacts;
	k->point_count = 0;
	f->report.close_pairs = f->report.contacts = 0; /* of the last substep */
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_pair *p = &c->pairs[i];
		if (!p->near || !p->measured)
			continue;
		if (p->must_not_touch && p->at.gap < 0) {
			f->report.pair_a = cn_handle(w, p->a), f->report.pair_b = cn_handle(w, p->b);
			return refuse(f, CAIRN_STEP_TOUCH);
		}
		if (p->must_not_touch)
			continue;
		++f->report.close_pairs;
		if (!add_points(w, i))
			return refuse(f, CAIRN_STEP_MEMORY);
	}
	for (uint32_t i = 0; i < k->point_count; ++i)
		f->report.contacts += k->points[i].gap <= 0;
	return true;
}

bool cn_classic_remember(cairn_world *w, cn_frame *f)
{
	const cn_classic *k = w->context->classic;
	for (uint32_t i = 0; i < k->point_count; ++i) {
		const cn_classic_point *p = &k->points[i];
		cn_point_set_load(&w->context->contacts.points[p->point], p->impulse, p->sliding);
	}
	return cn_contacts_remember(w, false) || refuse(f, CAIRN_STEP_MEMORY);
}

/* ---- motion at a point */

/* The mean velocity and spin of a scripted body over the step under way. */
static cn_twist script_twist(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	cn_span span = cn_script_span(w, b);
	pose from = {w->motion[slot].x, w->motion[slot].q}, to = cn_script_at(b, span.to, from.orientation);
	return (cn_twist){v3_scale(v3_sub(to.position, from.position), 1 / w->dt),
	                  v3_scale(q_turn(from.orientation, to.orientation), 1 / w->dt)};
}

cn_twist cn_classic_twist(const cairn_world *w, uint32_t slot)
{
	if (w->rotors[slot].active)
		return cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
	return w->bodies[slot].type == CAIRN_SCRIPTED ? script_twist(w, slot) : (cn_twist){v3_zero(), v3_zero()};
}

m3 cn_classic_inverse(const cn_rotor *r, quat q)
{
	m3 axes = m3_from_q(r->turned ? q_mul(q, r->axes) : q);
	if (r->kind == CN_ROTOR_BALL)
		return m3_diagonal(r->inv_moments);
	return m3_mul(axes, m3_mul(m3_diagonal(r->inv_moments), m3_transpose(axes)));
}

static v3 velocity_at(cn_twist t, v3 r) { return v3_add(t.v, v3_cross(t.w, r)); }

v3 cn_classic_approach(const cairn_world *w, const cn_classic_point *p)
{
	return cn_classic_seen(cn_classic_twist(w, p->a), cn_classic_twist(w, p->b), p);
}

/* ---- impulses */

static void add_impulse(const cairn_world *w, uint32_t slot, v3 r, v3 impulse, cn_motion *m)
{
	const cn_rotor *rotor = &w->rotors[slot];
	if (!rotor->active)
		return;
	m->v = v3_madd(m->v, impulse, rotor->inv_mass);
	m->l = v3_add(m->l, v3_cross(r, impulse));
}

/* The work of an impulse is its product with the mean of the velocities before and after at its point. What scripts do is
 * not in the relative velocity. */
void cn_classic_book(const cairn_world *w, cn_frame *f, const cn_classic_point *p, v3 impulse, v3 mean)
{
	double along = v3_dot(impulse, p->n) * v3_dot(mean, p->n);
	f->report.energy.impacts -= along;
	f->report.energy.friction -= v3_dot(impulse, mean) - along;
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i)
		if (w->bodies[slots[i]].type == CAIRN_SCRIPTED) {
			double work = v3_dot(impulse, velocity_at(cn_classic_twist(w, slots[i]), i ? p->rb : p->ra));
			f->events += i ? -work : work;
		}
}

void cn_classic_strike(cairn_world *w, cn_frame *f, const cn_classic_point *p, v3 impulse)
{
	v3 before = cn_classic_approach(w, p);
	add_impulse(w, p->a, p->ra, v3_neg(impulse), &w->motion[p->a]);
	add_impulse(w, p->b, p->rb, impulse, &w->motion[p->b]);
	cn_classic_book(w, f, p, impulse, cn_mean(before, cn_classic_approach(w, p)));
}
