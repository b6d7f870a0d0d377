/* Bodies and rows of a step, in arrays. */
#include "base/pool.h"
#include "step/classic/classic.h"
#include "step/relax/sweeps.h"

#include <stddef.h>
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
	uint32_t slots = w->slots + 1;
	return CN_ROOM(s->bodies, slots) && CN_ROOM(s->speed, slots) && CN_ROOM(s->way, slots) &&
	       CN_ROOM(s->other, slots) && CN_ROOM(s->load, slots) &&
	       CN_ROOM(s->order.heads, w->context->classic->point_count + 1);
}

/* ---- bodies */

/* share: of the step, in which forces act at once. */
static void make_body(const cairn_world *w, uint32_t slot, double share)
{
	cn_relax *s = w->context->relax;
	cn_relax_body *b = &s->bodies[slot];
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	bool moves = cn_body_movable(w, slot);
	s->way[slot] = (cn_relax_twist){.beside_v = 0};
	*b = (cn_relax_body){.q = from->q};
	s->speed[slot] = cn_relax_twist_of(cn_classic_twist(w, slot));
	if (!moves)
		return;
	b->inv_mass = r->inv_mass;
	b->inv_inertia = cn_classic_inverse(r, from->q);
	b->dv = v3_scale(v3_sub(to->v, from->v), share);
	b->dw = v3_scale(m3_apply(b->inv_inertia, v3_sub(to->l, from->l)), share);
}

/* ---- rows */

static v3 turned(const cn_relax_body *b, v3 arm) { return b->inv_mass > 0 ? m3_apply(b->inv_inertia, arm) : v3_zero(); }

static double invert(double k) { return k > 0 ? 1 / k : 0; }

/* A pair at its place in a pack. */
typedef struct place {
	const cn_relax *s;
	cn_relax_pack *p;
	uint32_t at;
	const cn_relax_body *a, *b;
	v3 n;
} place;

static void make_point(const place *l, const cn_classic_point *from, cn_relax_point *t, double share)
{
	uint32_t i = l->at;
	v3 na = v3_cross(from->ra, l->n), nb = v3_cross(from->rb, l->n), ia = turned(l->a, na), ib = turned(l->b, nb);
	v3x4_set(&t->na, i, na), v3x4_set(&t->nb, i, nb);
	v3x4_set(&t->ia, i, ia), v3x4_set(&t->ib, i, ib);
	t->mass[i] = invert(l->a->inv_mass + l->b->inv_mass + v3_dot(na, ia) + v3_dot(nb, ib));
	t->gap[i] = t->now[i] = from->gap;
	t->impulse[i] = share * fmax(0, v3_dot(from->impulse, l->n));
}

/* ra, rb: arms to the middle of the points; across: the last step's impulses. */
static void make_friction(const place *l, v3 ra, v3 rb, v3 across)
{
	cn_relax_pack *p = l->p;
	uint32_t k = l->at;
	v3 t[2];
	cn_qp_tangents(l->n, &t[0], &t[1]);
	for (int i = 0; i < 2; ++i) {
		v3 ta = v3_cross(ra, t[i]), tb = v3_cross(rb, t[i]), ita = turned(l->a, ta), itb = turned(l->b, tb);
		v3x4_set(&p->t[i], k, t[i]);
		v3x4_set(&p->ta[i], k, ta), v3x4_set(&p->tb[i], k, tb);
		v3x4_set(&p->ita[i], k, ita), v3x4_set(&p->itb[i], k, itb);
		p->mass_t[i][k] = invert(l->a->inv_mass + l->b->inv_mass + v3_dot(ta, ita) + v3_dot(tb, itb));
		p->slip[i][k] = v3_dot(across, t[i]);
	}
	v3 iwa = turned(l->a, l->n), iwb = turned(l->b, l->n);
	v3x4_set(&p->iwa, k, iwa), v3x4_set(&p->iwb, k, iwb);
	p->mass_w[k] = invert(v3_dot(l->n, v3_add(iwa, iwb)));
}

static void make_pair(const cairn_world *w, cn_relax_pack *p, uint32_t at, double share)
{
	cn_relax *s = w->context->relax;
	const cn_classic_point *list = &w->context->classic->points[p->from[at]];
	place l = {s, p, at, &s->bodies[p->a[at]], &s->bodies[p->b[at]], list->n};
	uint32_t count = p->points[at];
	v3 ra = v3_zero(), rb = v3_zero(), across = v3_zero();
	v3x4_set(&p->n, at, list->n);
	p->inv_a[at] = l.a->inv_mass, p->inv_b[at] = l.b->inv_mass;
	p->stands[at] = l.a->inv_mass == 0 || l.b->inv_mass == 0 ? -1 : 0;
	p->thin[at] = w->context->contacts.pairs[list->pair].thin;
	p->eps[at] = list->eps, p->mu_static[at] = list->mu_static, p->mu_kinetic[at] = list->mu_kinetic;
	for (uint32_t i = 0; i < count; ++i) {
		ra = v3_madd(ra, list[i].ra, 1.0 / count), rb = v3_madd(rb, list[i].rb, 1.0 / count);
		make_point(&l, &list[i], &s->points[p->first + i], share);
		across = v3_madd(across, list[i].impulse, share);
		if (list[i].sliding)
			p->sliding[at] = -1;
	}
	for (uint32_t i = 0; i < count; ++i)
		p->arm[at] += v3_distance(list[i].ra, ra) / count;
	make_friction(&l, ra, rb, across);
}

typedef struct making {
	const cairn_world *w;
	double share; /* of the last step's impulses */
} making;

static void make_packs(const void *context, cn_relax_span of)
{
	const making *m = context;
	cn_relax *s = m->w->context->relax;
	for (uint32_t i = of.begin; i < of.end; ++i) {
		cn_relax_pack *p = &s->packs[i];
		memset(&p->inv_a, 0, sizeof *p - offsetof(cn_relax_pack, inv_a));
		memset(&s->points[p->first], 0, p->count * sizeof *s->points);
		for (uint32_t k = 0; k < CN_RELAX_FOUR; ++k)
			if (p->points[k])
				make_pair(m->w, p, k, m->share);
	}
}

/* Nothing of the step brings the two together: their points stay apart at twice the speed they near each other with. */
static bool is_far(const cairn_world *w, const cn_relax *s, const cn_classic_point *list)
{
	const cn_contacts *c = &w->context->contacts;
	double fall = v3_length(w->scene->settings.gravity) * w->dt, near = CN_RELAX_NEAR * c->pairs[list->pair].thin;
	for (uint32_t i = 0; i < list->beside; ++i) {
		const cn_relax_twist *a = &s->speed[list->a], *b = &s->speed[list->b];
		v3 u = v3_sub(v3_add(b->v, v3_cross(b->w, list[i].rb)), v3_add(a->v, v3_cross(a->w, list[i].ra)));
		if (list[i].gap < near + 2 * w->dt * (fmax(0, -v3_dot(u, list[i].n)) + fall))
			return false;
	}
	return true;
}

/* The pairs that get rows; the others are forgotten. Returns how many. */
static uint32_t choose_pairs(cairn_world *w, cn_relax *s)
{
	cn_classic *k = w->context->classic;
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->point_count; i += k->points[i].beside) {
		if (!is_far(w, s, &k->points[i])) {
			s->bodies[k->points[i].a].held = s->bodies[k->points[i].b].held = true;
			s->order.heads[count++] = i;
			continue;
		}
		for (uint32_t j = i; j < i + k->points[i].beside; ++j)
			k->points[j].impulse = v3_zero(), k->points[j].sliding = false;
	}
	return count;
}

bool cn_relax_begin(cairn_world *w, cn_frame *f, uint32_t substeps, double share)
{
	cn_relax *s = relax_of(w);
	if (!s || !make_room(w, s) || !cn_relax_seats_keep(w))
		return refuse(f);
	making m = {w, share};
	const cn_relax_sweeps *wide = cn_relax_sweeps_wide();
	s->sweeps = wide ? wide : &cn_relax_sweeps_plain;
	cn_relax_each(w, make_body, 1.0 / substeps);
	s->bodies[w->slots] = (cn_relax_body){.q = q_identity()}; /* the world */
	s->speed[w->slots] = s->way[w->slots] = s->other[w->slots] = (cn_relax_twist){.beside_v = 0};
	uint32_t pairs = choose_pairs(w, s);
	if (!cn_relax_seats_choose(w, pairs) || !cn_relax_packs_choose(w, pairs))
		return refuse(f);
	cn_relax_run(w, make_packs, &m);
	cn_relax_run(w, s->sweeps->approach, s);
	return cn_relax_joints_begin(w) || refuse(f);
}
