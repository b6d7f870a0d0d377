/* Parts that the rest and the bounce program share: rows of contact points, velocities at them, and the accounts of
 * energy. */
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"

/* Velocity of b relative to a at a point, with the program's bodies at u. */
v3 cn_point_velocity(const cn_program *g, const cn_pair *p, const cn_pair_point *t, const cn_twist *u)
{
	v3 v = v3_zero();
	if (g->index[p->b] != CN_QP_NONE) {
		const cn_twist *b = &u[g->index[p->b]];
		v = v3_add(b->v, v3_cross(b->w, t->rb));
	}
	if (g->index[p->a] != CN_QP_NONE) {
		const cn_twist *a = &u[g->index[p->a]];
		v = v3_sub(v, v3_add(a->v, v3_cross(a->w, t->ra)));
	}
	return v;
}

/* m/s: approach speed of a point. */
double cn_point_approach(const cn_program *g, const cn_pair *p, const cn_pair_point *t, const cn_twist *u)
{
	return -v3_dot(p->at.n, cn_point_velocity(g, p, t, u));
}

static double friction(const cn_pair *p, const cn_pair_point *t) { return t->sliding ? p->mu_kinetic : p->mu_static; }

cn_qp_contact cn_point_row(const cn_pair *p, const cn_pair_point *t, double min)
{
	return (cn_qp_contact){.a = p->a,
	                       .b = p->b,
	                       .n = p->at.n,
	                       .ra = t->ra,
	                       .rb = t->rb,
	                       .least = min,
	                       .mu = friction(p, t),
	                       .eps = p->eps};
}

/* A body of the contact that can move. */
static uint32_t moved_by(const cn_program *p, const cn_qp_contact *k)
{
	return k->a != CN_QP_NONE && p->bodies[k->a].inv_mass > 0 ? k->a : k->b;
}

/* J: work that scripts do by pushing. It comes from outside. */
double cn_program_script_work(const cairn_world *w)
{
	const cn_program *p = &w->context->program;
	double work = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		work += cn_scripts_work(w, i, p->y[i]);
	return work;
}

/* Accounts for the work of contact impulses. From u to u' they add y.(Ju + Ju')/2, along the normal and across it. If
 * c is not NULL, losses are also noted for the bodies of the contact. */
void cn_program_account(const cn_program *p, const cn_twist *before, cairn_energy *e, cn_context *c)
{
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_impulse y = p->y[i];
		if (y.n == 0 && y.s == 0 && y.t == 0)
			continue;
		cn_qp_frame_to(&f, p->contacts[i].n);
		cn_qp_impulse v = cn_qp_frame_parts(&f, cn_qp_meet(&p->qp, i, before));
		cn_qp_impulse t = cn_qp_frame_parts(&f, cn_qp_meet(&p->qp, i, p->u));
		double along = -0.5 * y.n * (v.n + t.n), across = -0.5 * (y.s * (v.s + t.s) + y.t * (v.t + t.t));
		e->impacts += along;
		e->friction += across;
		uint32_t a = p->contacts[i].a, b = p->contacts[i].b;
		if (!c)
			continue;
		c->energy.spent[p->slots[moved_by(p, &p->contacts[i])]] += along + across;
		if (a != CN_QP_NONE)
			c->energy.taken[p->slots[a]] += along + across;
		if (b != CN_QP_NONE)
			c->energy.taken[p->slots[b]] += along + across;
	}
}

/* A tiny body that is pushed or hit off its centre may spin faster than keys can show. Articulations are slowed down
 * as a whole instead. */
void cn_limit_spin(cairn_world *w, uint32_t slot, cairn_energy *e)
{
	cn_motion *m = &w->next[slot];
	double turn = cn_turn_bound(&w->rotors[slot], m->q, m->l, 1 / w->scene->settings.fps, CN_SPIN_MOST);
	if (turn <= CN_SPIN_MOST || cn_joints_of(w, slot) != CN_QP_NONE)
		return;
	e->dropped += cn_kinetic(&w->rotors[slot], m);
	m->l = v3_scale(m->l, CN_SPIN_MOST / turn);
	e->dropped -= cn_kinetic(&w->rotors[slot], m);
}
