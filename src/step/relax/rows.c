/* Bodies and rows of a step, in arrays. */
#include "step/classic/classic.h"
#include "step/relax/solve.h"

#include <string.h>

#define CN_RELAX_NEAR 0.02 /* of the thickness of the thinner part: contacts this near get rows whatever their speed */

static cn_relax *relax_of(cairn_world *w)
{
	cn_context *c = w->context;
	if (!c->relax)
		c->relax = cn_alloc(&w->allocator, 1, sizeof *c->relax);
	return c->relax;
}

void cn_relax_destroy(cairn_world *w)
{
	if (!w->context)
		return;
	cn_free(&w->allocator, w->context->relax, 1, sizeof *w->context->relax);
	w->context->relax = NULL;
}

static bool refuse(cn_frame *f)
{
	f->report.status = CAIRN_STEP_MEMORY;
	return false;
}

static bool make_room(cairn_world *w, cn_relax *s)
{
	const cn_classic *k = w->context->classic;
	uint32_t slots = w->slots + 1;
	return CN_ROOM(s->bodies, slots) && CN_ROOM(s->speed, slots) && CN_ROOM(s->way, slots) &&
	       CN_ROOM(s->other, slots) && CN_ROOM(s->pairs, k->point_count + 1) && CN_ROOM(s->points, k->point_count + 1);
}

/* ---- bodies */

/* R diag(d) R' of the principal axes. */
static m3 world_inertia(const cn_rotor *r, quat q)
{
	m3 axes = m3_from_q(r->turned ? q_mul(q, r->axes) : q);
	if (r->kind == CN_ROTOR_BALL)
		return m3_diagonal(r->inv_moments);
	return m3_mul(axes, m3_mul(m3_diagonal(r->inv_moments), m3_transpose(axes)));
}

static void make_body(cairn_world *w, cn_relax *s, uint32_t slot, double share)
{
	cn_relax_body *b = &s->bodies[slot];
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	bool moves = cn_body_movable(w, slot);
	s->way[slot] = (cn_relax_twist){v3_zero(), v3_zero()};
	*b = (cn_relax_body){.q = from->q};
	s->speed[slot] = cn_classic_twist(w, slot);
	if (!moves)
		return;
	b->inv_mass = r->inv_mass;
	b->inv_inertia = world_inertia(r, from->q);
	b->dv = v3_scale(v3_sub(to->v, from->v), share);
	b->dw = v3_scale(m3_apply(b->inv_inertia, v3_sub(to->l, from->l)), share);
}

/* ---- rows */

static v3 turned(const cn_relax_body *b, v3 arm) { return b->inv_mass > 0 ? m3_apply(b->inv_inertia, arm) : v3_zero(); }

static double invert(double k) { return k > 0 ? 1 / k : 0; }

static void make_point(const cn_relax *s, const cn_relax_pair *p, const cn_classic_point *from, cn_relax_point *t)
{
	const cn_relax_body *a = &s->bodies[p->a], *b = &s->bodies[p->b];
	*t = (cn_relax_point){.na = v3_cross(from->ra, p->n), .nb = v3_cross(from->rb, p->n), .gap = from->gap};
	t->ia = turned(a, t->na), t->ib = turned(b, t->nb);
	t->mass = invert(a->inv_mass + b->inv_mass + v3_dot(t->na, t->ia) + v3_dot(t->nb, t->ib));
	cn_relax_two two = cn_relax_take(s, s->speed, p);
	t->approach = cn_relax_along(&two, p->n, t->na, t->nb);
	t->impulse = fmax(0, v3_dot(from->impulse, p->n));
}

static void make_friction(const cn_relax *s, cn_relax_pair *p)
{
	const cn_relax_body *a = &s->bodies[p->a], *b = &s->bodies[p->b];
	cn_qp_tangents(p->n, &p->t[0], &p->t[1]);
	for (int i = 0; i < 2; ++i) {
		p->ta[i] = v3_cross(p->ra, p->t[i]), p->tb[i] = v3_cross(p->rb, p->t[i]);
		p->ita[i] = turned(a, p->ta[i]), p->itb[i] = turned(b, p->tb[i]);
		p->mass_t[i] = invert(a->inv_mass + b->inv_mass + v3_dot(p->ta[i], p->ita[i]) + v3_dot(p->tb[i], p->itb[i]));
	}
	p->iwa = turned(a, p->n), p->iwb = turned(b, p->n);
	p->mass_w = invert(v3_dot(p->n, v3_add(p->iwa, p->iwb)));
}

static void make_pair(cairn_world *w, cn_relax *s, uint32_t first, uint32_t count, double share)
{
	const cn_classic_point *list = &w->context->classic->points[first];
	cn_relax_pair *p = &s->pairs[s->pair_count++];
	*p = (cn_relax_pair){.a = list->a,
	                     .b = list->b,
	                     .first = first,
	                     .count = count,
	                     .n = list->n,
	                     .thin = w->context->contacts.pairs[list->pair].thin,
	                     .eps = list->eps,
	                     .mu_static = list->mu_static,
	                     .mu_kinetic = list->mu_kinetic};
	cn_relax_body *a = &s->bodies[p->a], *b = &s->bodies[p->b];
	p->stands = a->inv_mass == 0 || b->inv_mass == 0;
	a->held = b->held = true;
	v3 across = v3_zero();
	for (uint32_t i = 0; i < count; ++i) {
		p->ra = v3_madd(p->ra, list[i].ra, 1.0 / count), p->rb = v3_madd(p->rb, list[i].rb, 1.0 / count);
		make_point(s, p, &list[i], &s->points[first + i]);
		s->points[first + i].impulse *= share;
		across = v3_add(across, list[i].impulse);
		p->sliding |= list[i].sliding;
	}
	for (uint32_t i = 0; i < count; ++i)
		p->arm += v3_distance(list[i].ra, p->ra) / count;
	make_friction(s, p);
	for (int i = 0; i < 2; ++i)
		p->slip[i] = share * v3_dot(across, p->t[i]);
}

/* Nothing of the step brings the two together: their points stay apart at twice the speed they near each other with. */
static bool is_far(const cairn_world *w, const cn_relax *s, const cn_classic_point *list)
{
	const cn_contacts *c = &w->context->contacts;
	double fall = v3_length(w->scene->settings.gravity) * w->dt, near = CN_RELAX_NEAR * c->pairs[list->pair].thin;
	for (uint32_t i = 0; i < list->beside; ++i) {
		const cn_twist *a = &s->speed[list->a], *b = &s->speed[list->b];
		v3 u = v3_sub(v3_add(b->v, v3_cross(b->w, list[i].rb)), v3_add(a->v, v3_cross(a->w, list[i].ra)));
		if (list[i].gap < near + 2 * w->dt * (fmax(0, -v3_dot(u, list[i].n)) + fall))
			return false;
	}
	return true;
}

bool cn_relax_begin(cairn_world *w, cn_frame *f, uint32_t substeps, double share)
{
	cn_relax *s = relax_of(w);
	cn_classic *k = w->context->classic;
	if (!s || !make_room(w, s))
		return refuse(f);
	s->pair_count = 0, s->point_count = k->point_count;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		make_body(w, s, slot, 1.0 / substeps);
	for (uint32_t i = 0; i < k->point_count; i += k->points[i].beside)
		if (!is_far(w, s, &k->points[i]))
			make_pair(w, s, i, k->points[i].beside, share);
		else
			for (uint32_t j = 0; j < k->points[i].beside; ++j)
				k->points[i + j].impulse = v3_zero(), k->points[i + j].sliding = false;
	return cn_relax_joints_begin(w) || refuse(f);
}

void cn_relax_warm(cn_relax *s)
{
	for (uint32_t i = 0; i < s->pair_count; ++i) {
		const cn_relax_pair *p = &s->pairs[i];
		cn_relax_two two = cn_relax_take(s, s->speed, p);
		for (uint32_t k = p->first; k < p->first + p->count; ++k)
			cn_relax_give(&two, p->n, s->points[k].ia, s->points[k].ib, s->points[k].impulse);
		for (int k = 0; k < 2; ++k)
			cn_relax_give(&two, p->t[k], p->ita[k], p->itb[k], p->slip[k]);
		cn_relax_twist_by(&two, p, p->spin);
		cn_relax_put(s->speed, p, &two);
	}
}
