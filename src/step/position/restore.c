/* One round of repair: the smallest motion that restores requested gaps and separations along the axes of legs. */
#include "step/hooks.h"

#define CN_RESTORE_SWEEPS 100 /* of a program that mends gaps at most */
#define CN_RESTORE_REACH                                                                                               \
	100.0 /* x CN_RESTORE_STEP: points further away have no row; if they come near the next round has one */
#define CN_RESTORE_TRUST 0.08 /* of a body's radius: the most that one round moves it */

/* The share of a body's motion for which rows are valid. */
static double trust_in(const cairn_world *w, uint32_t slot, const cn_twist *u)
{
	double size = w->bodies[slot].radius, far = v3_length(u->v) + v3_length(u->w) * size;
	return far > CN_RESTORE_TRUST * size ? CN_RESTORE_TRUST * size / far : 1;
}

/* Limits motions to where rows are valid. With large mass ratios whole islands are limited alike: a light body that
 * went less far than the heavy one behind it would still be in its way. */
static void trust(cairn_world *w)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	double *share = c->energy.before; /* by body; that of an island at its lowest body */
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		share[i] = trust_in(w, p->slots[i], &p->u[i]), p->island[i] = i;
	if (c->solve.has_mass_ratios)
		cn_qp_islands(&p->qp, p->island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (share[i] < share[p->island[i]])
			share[p->island[i]] = share[i];
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double s = share[p->island[i]];
		p->u[i] = (cn_twist){v3_scale(p->u[i].v, s), v3_scale(p->u[i].w, s)};
	}
}

/* Adds rows for the missing gap of a pair, and for the axis of its leg. */
static void add_short_rows(cn_row_store *s, uint32_t pair)
{
	const cn_context *c = s->w->context;
	const cn_pair *q = &c->contacts.pairs[pair];
	double max = cn_repair_step(s->w, q), asked = cn_repair_gap(c, q);
	for (uint32_t k = 0; k < q->count; ++k) {
		cn_pair_point *t = &c->contacts.points[q->first + k];
		double missing = asked - t->gap;
		if (-missing > CN_RESTORE_REACH * max)
			continue;
		cn_qp_contact row = {
			.a = q->a, .b = q->b, .n = q->at.n, .ra = t->ra, .rb = t->rb, .least = missing < max ? missing : max};
		cn_row_put(s, &row, t, pair, (cn_qp_impulse){0, 0, 0});
	}
	if (v3_length2(q->side.axis) > 0)
		cn_repair_axis_rows(s, pair);
}

bool cn_repair_restore(cairn_world *w, const uint8_t *free, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	if (!cn_program_begin(w, free, w->scene->options.objective == 1))
		return false;
	if (!cn_graph_links(w) || !cn_pairs_list(w, free))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		p->u[i] = p->u0[i];
	if (!cn_rows_gather_listed(w, add_short_rows))
		return false;
	if (!cn_joints_position_rows(w, NULL) || !cn_mass_ratio_weigh(w, 0, false) ||
	    !cn_position_solve(w, CN_RESTORE_SWEEPS, false))
		return false;
	cn_position_mark_pushed(w);
	trust(w);
	cn_position_each_body(w, cn_position_place);
	cn_joints_project(w);
	++f->report.programs;
	return true;
}
