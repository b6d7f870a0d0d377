/* A rest solve of some bodies alone, tried before they freeze: it tells whether they would hold by themselves. */
#include "step/hooks.h"
#include "step/rest/rest.h"

#define CN_TRIAL_SWEEPS                                                                                                \
	80 /* of a trial of rest before freezing: often cold, and judged to a part in three hundred of a frame's fall */

/* Applies the impulses with which an awake body presses on a member. Impulses that support the member do not count.
 * */
static void add_weight(cairn_world *w, const cn_pair *p, bool on_b)
{
	const cn_context *c = w->context;
	uint32_t i = c->program.index[on_b ? p->b : p->a];
	const cn_qp_body *body = &c->program.bodies[i];
	const double *k = body->inv_inertia;
	v3 down = v3_unit(w->scene->settings.gravity);
	for (uint32_t t = 0; t < p->count; ++t) {
		const cn_pair_point *at = &c->contacts.points[p->first + t];
		v3 j = on_b ? at->rest.impulse : v3_neg(at->rest.impulse);
		double up = v3_dot(j, down);
		j = up < 0 ? v3_madd(j, down, -up) : j;
		v3 m = v3_cross(on_b ? at->rb : at->ra, j);
		v3 turn = {k[0] * m.x + k[1] * m.y + k[2] * m.z, k[1] * m.x + k[3] * m.y + k[4] * m.z,
		           k[2] * m.x + k[4] * m.y + k[5] * m.z};
		cn_twist *u = &c->program.u0[i];
		*u = (cn_twist){v3_madd(u->v, j, body->inv_mass), v3_add(u->w, turn)};
	}
}

/* One of the two is a member, the other is awake and not a member. */
static bool weighs(const cairn_world *w, const cn_pair *p)
{
	const uint32_t *index = w->context->program.index;
	bool a = index[p->a] != CN_QP_NONE, b = index[p->b] != CN_QP_NONE;
	return a != b && cn_body_movable(w, a ? p->b : p->a);
}

static void add_trial(cn_row_store *s, uint32_t pair)
{
	const cn_pair *p = &s->w->context->contacts.pairs[pair];
	const uint32_t *index = s->w->context->program.index;
	if ((index[p->a] != CN_QP_NONE || index[p->b] != CN_QP_NONE) && !weighs(s->w, p))
		cn_rest_add(s, pair);
}

bool cn_rest_trial(cairn_world *w, const uint8_t *members, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	bool ok = cn_program_begin(w, members, false);
	for (uint32_t i = 0; ok && i < p->qp.body_count; ++i) {
		p->u[i] = p->u0[i] = cn_twist_of(w, p->slots[i], w->next[p->slots[i]].q, &w->next[p->slots[i]]);
		p->u0[i].v = v3_madd(p->u0[i].v, w->scene->settings.gravity, w->dt);
	}
	for (uint32_t i = 0; ok && i < c->contacts.pair_count; ++i) {
		const cn_pair *q = &c->contacts.pairs[i];
		if (q->near && !q->must_not_touch && weighs(w, q))
			add_weight(w, q, p->index[q->b] != CN_QP_NONE);
	}
	ok = ok && cn_rows_gather(w, add_trial);
	if (!ok)
		return false;
	cn_fast_options options = {.sweeps = CN_TRIAL_SWEEPS,
	                           .warm = true,
	                           .brisk = true,
	                           .unjudged = true,
	                           .region = cn_program_regions(w),
	                           .pool = w->pool};
	cn_qp_solution x = {.u = p->u, .contact = p->y};
	++f->report.programs;
	return cn_islands_solve(c->solve.momentum, &p->qp, &options, &x).status != CN_QP_MEMORY;
}

void cn_rest_trial_keep(cairn_world *w)
{
	const cn_program *p = &w->context->program;
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_frame_to(&f, p->contacts[i].n);
		p->points[i]->rest.impulse = cn_qp_frame_vector(&f, p->y[i]);
	}
}
