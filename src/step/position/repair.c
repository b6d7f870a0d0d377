/* Legs: each position pass leads from free poses to free poses, and the motion between is proved free for every pair
 * whose swept boxes meet (path/paths.c). Pairs that are not free are repaired in tiers. Each tier has a bounded number
 * of rounds and touches only bodies near the fault:
 *
 *   restore, axis  pushes the pair apart as little as possible, along an axis that separates it at the leg's start
 *   halve          bodies nearby go half their leg, beyond what all of them go together (together.c)
 *   part           articulations go a part of their own path
 *   hold           bodies that block each other go no further than all of them go together, and so do those that
 *                  would then run into them. In the end that is nothing: the leg's start is free, so a leg always
 *                  ends */
#include "step/context.h"
#include "step/hooks.h"

#include <string.h>

#define CN_RESTORE_STEP 0.02 /* of the thinner part: the most that one round asks for; of a body's radius ... */
#define CN_RESTORE_FAST                                                                                                \
	0.5 /* ... and no more than this of its part, where a pair goes further than its thickness ... */
/* rule: thin and fast; x the part's thickness; a body with a larger radius whose pair goes further than its
 * thickness is mended by up to CN_RESTORE_FAST of that in a round; scene: scenes/torture/plates.json; test:
 * test_oba_rules/thin_plates_are_not_held; with: CN_RESTORE_FAST */
#define CN_RESTORE_THIN 2.0
#define CN_AXIS_LEAN 0.1 /* tangent: an edge or face that leans less against the axis is pushed at all its corners */
#define CN_RESTORE_SWEEPS 100 /* of a program that mends gaps at most */
#define CN_RESTORE_REACH                                                                                               \
	100.0 /* x CN_RESTORE_STEP: points further away have no row; if they come near the next round has one */
#define CN_RESTORE_TRUST 0.08 /* of a body's radius: the most that one round moves it */
#define CN_AXIS_MORE 1.2      /* x the bulge: what an axis is asked for */
#define CN_AXIS_MOTION 0.1 /* of the pair's motion: with the kept gap, the most that one round pushes along an axis */
#define CN_AXIS_TOTAL 4.0  /* x that: the most in one leg, or a pair would be led round what it leans on */
#define CN_AXIS_ROUNDS 10  /* of pushing pairs apart along an axis that proves their paths free: most need one or two */
#define CN_AXIS_FULL 3     /* rounds with the lesser demand first */
#define CN_HALVED_ROUNDS 4 /* the same after a path has been halved */
#define CN_HALVINGS 3      /* of a path that is not proved free: an eighth of it is tried last, then the body is held */
#define CN_HALVE_HOPS 3    /* contacts from a body that is halved: its neighbours this far away are halved with it */
#define CN_ARTICULATION_QUARTERINGS                                                                                    \
	5 /* times that an articulation at fault goes a quarter as far on its way: down to a thousandth of it */

/* ---- rows along an axis */

/* m: the step of a repair round for a fast plate or needle; 0: the body is neither. */
static double thin_step(const cairn_world *w, uint32_t slot, uint32_t part)
{
	double thick = w->context->contacts.parts[part].thickness, radius = w->bodies[slot].radius;
	if (!cn_body_movable(w, slot) || radius < CN_RESTORE_THIN * thick)
		return 0;
	double step = CN_RESTORE_STEP * radius;
	return step < CN_RESTORE_FAST * thick ? step : CN_RESTORE_FAST * thick;
}

/* m: the most that one repair round asks of a pair: a share of its thickness. The shortage of a fast pair grows with
 * its size, so a body that is thin for its size may take larger steps, or all rounds would not suffice. */
static double largest_step(const cairn_world *w, const cn_pair *p)
{
	double slow = CN_RESTORE_STEP * p->thin, a = thin_step(w, p->a, p->pa), b = thin_step(w, p->b, p->pb);
	double fast = a == 0 || (b > 0 && b < a) ? b : a;
	fast = fast < CN_RESTORE_FAST * p->thin ? fast : CN_RESTORE_FAST * p->thin;
	return fast < slow || cn_pair_motion(w->context, p) < p->thin ? slow : fast;
}

static void axis_row(cn_row_store *s, uint32_t pair, v3 a, v3 b)
{
	const cairn_world *w = s->w;
	const cn_pair *p = &w->context->contacts.pairs[pair];
	double missing = p->position.side.gap - v3_dot(p->position.side.axis, v3_sub(b, a)), max = largest_step(w, p);
	cn_qp_contact row = {.a = p->a,
	                     .b = p->b,
	                     .n = p->position.side.axis,
	                     .ra = v3_sub(a, w->next[p->a].x),
	                     .rb = v3_sub(b, w->next[p->b].x),
	                     .least = missing < max ? missing : max};
	cn_row_put(s, &row, NULL, pair, (cn_qp_impulse){0, 0, 0});
}

static bool same(v3 a, v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The extreme points of a part along an axis: the furthest one, and the others of the edge or face there. */
static uint32_t ends_along(const cn_context *c, uint32_t part, v3 axis, v3 ends[5])
{
	v3 t = v3_unit(v3_cross(axis, fabs(axis.x) < 0.6 ? v3_make(1, 0, 0) : v3_make(0, 1, 0))), s = v3_cross(axis, t);
	uint32_t count = 1;
	ends[0] = cn_support_point(c->contacts.parts[part].convex, &c->contacts.now[part], axis);
	for (int i = 0; i < 4 && !c->paths.by_slot[c->contacts.parts[part].slot].round; ++i) {
		v3 aside = v3_add(i & 1 ? t : v3_neg(t), i & 2 ? s : v3_neg(s));
		v3 x = cn_support_point(c->contacts.parts[part].convex, &c->contacts.now[part],
		                        v3_madd(axis, aside, CN_AXIS_LEAN));
		bool old = false;
		for (uint32_t k = 0; k < count; ++k)
			old |= same(ends[k], x);
		if (!old)
			ends[count++] = x;
	}
	return count;
}

/* Every extreme point gets a row. If only one were pushed, bodies would rock to and fro. */
static void add_axis_rows(cn_row_store *store, uint32_t pair)
{
	const cn_context *c = store->w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	v3 a[5], b[5], axis = p->position.side.axis;
	bool plane = c->contacts.parts[p->pb].kind == CN_PART_HALF_SPACE;
	uint32_t count_a = ends_along(c, p->pa, axis, a), count_b = plane ? 1 : ends_along(c, p->pb, v3_neg(axis), b);
	if (plane)
		b[0] = v3_madd(a[0], axis, cn_pair_along(c, p, c->contacts.now, axis));
	for (uint32_t i = 0; i < count_a; ++i)
		axis_row(store, pair, a[i], plane ? v3_madd(a[i], axis, v3_dot(axis, v3_sub(b[0], a[i]))) : b[0]);
	for (uint32_t i = 1; i < count_b; ++i)
		axis_row(store, pair, a[0], b[i]);
}

/* ---- one round: the smallest motion that restores requested gaps and separations along axes */

/* The share of a body's motion for which rows are valid. */
static double trust_in(const cairn_world *w, uint32_t slot, const cn_twist *u)
{
	double size = w->bodies[slot].radius, far = v3_length(u->v) + v3_length(u->w) * size;
	return far > CN_RESTORE_TRUST * size ? CN_RESTORE_TRUST * size / far : 1;
}

/* Limits motions to where rows are valid. With large mass ratios whole islands are limited alike: a light body that
 * went less far than the heavy one behind it would still be in its way. */
static bool trust(cairn_world *w)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	double *share; /* by body; that of an island at its lowest body */
	if (!CN_LOCAL(share, p->qp.body_count + 1))
		return false;
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
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* Adds rows for the missing gap of a pair, and for the axis of its leg. */
static void add_short_rows(cn_row_store *s, uint32_t pair)
{
	const cn_context *c = s->w->context;
	const cn_pair *q = &c->contacts.pairs[pair];
	double max = largest_step(s->w, q), asked = cn_repair_gap(c, q);
	for (uint32_t k = 0; k < q->count; ++k) {
		cn_pair_point *t = &c->contacts.points[q->first + k];
		double missing = asked - t->gap;
		if (-missing > CN_RESTORE_REACH * max)
			continue;
		cn_qp_contact row = {
			.a = q->a, .b = q->b, .n = q->at.n, .ra = t->ra, .rb = t->rb, .least = missing < max ? missing : max};
		cn_row_put(s, &row, t, pair, (cn_qp_impulse){0, 0, 0});
	}
	if (v3_length2(q->position.side.axis) > 0)
		add_axis_rows(s, pair);
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
	if (!cn_joints_position_rows(w, NULL) || !cn_program_weigh(w) || !cn_position_solve(w, CN_RESTORE_SWEEPS, false))
		return false;
	cn_position_mark_pushed(w);
	if (!trust(w))
		return false;
	cn_position_each_body(w, cn_position_place);
	cn_joints_project(w);
	++f->report.programs;
	return true;
}

/* ---- a leg and its proof */

static bool stood(const cairn_world *w, uint32_t slot)
{
	const pose *from = &w->context->paths.poses[slot];
	const cn_path *y = &w->context->paths.by_slot[slot];
	return cn_same_pose(from->position, from->orientation, &w->next[slot]) &&
	       (y->drive.clock == y->drive.leg || !cn_path_driven(y));
}

static bool proved(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	const cn_path *ya = &c->paths.by_slot[p->a], *yb = &c->paths.by_slot[p->b];
	if (stood(w, p->a) && stood(w, p->b))
		return true;
	double slack = cn_pair_slack(c, p), k = ya->k + yb->k,
		   bow = (ya->cuts > 1 ? ya->bow : 0) + (yb->cuts > 1 ? yb->bow : 0);
	if (p->at.gap <= slack)
		return false;
	if (cn_balls_prove(w, p, c->paths.poses[p->a].position, c->paths.poses[p->b].position, slack + bow) ||
	    cn_axis_proves(cn_pair_along(c, p, c->contacts.leg_start, p->at.n) - bow, p->at.gap - bow, k, slack) ||
	    cn_axis_proves(p->leg_start.gap - bow, cn_pair_along(c, p, c->contacts.now, p->leg_start.axis) - bow, k, slack))
		return true;
	return cn_paths_free(w, p, true);
}

static void prove_pair(cairn_world *w, cn_pair *p)
{
	const cn_path *paths = w->context->paths.by_slot;
	if (p->proof != CN_PROOF_DUE)
		return;
	bool free = p->must_not_touch || paths[p->a].own.key_count || paths[p->b].own.key_count || proved(w, p);
	cn_pair_proved(p, free);
}

/* Updates repair.bad from its old pairs and those just proved. False: memory ran out. */
static bool note_bads(cairn_world *w)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t count = 0;
	uint64_t *bits; /* one a pair */
	if (!CN_LOCAL(bits, c->contacts.pair_count / 64 + 1))
		return false;
	for (uint32_t i = 0; i < c->graph.list_count; ++i)
		if (cn_pair_bad(&c->contacts.pairs[c->graph.list[i]]))
			bits[c->graph.list[i] / 64] |= (uint64_t)1 << c->graph.list[i] % 64;
	for (uint32_t i = 0; i < c->repair.bad_count; ++i)
		if (cn_pair_bad(&c->contacts.pairs[c->repair.bad[i]]))
			bits[c->repair.bad[i] / 64] |= (uint64_t)1 << c->repair.bad[i] % 64;
	for (uint32_t i = 0; i < c->contacts.pair_count / 64 + 1; ++i)
		for (uint64_t left = bits[i]; left; left &= left - 1)
			c->repair.bad[count++] = 64 * i + (uint32_t)__builtin_ctzll(left);
	c->repair.bad_count = count;
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* Proves pairs that changed: all since the leg began, or those measured last. repair.bad: pairs that are not free.
 * False: memory ran out. */
static bool prove(cairn_world *w, bool all)
{
	cn_context *c = w->context;
	if (!CN_ROOM(c->repair.bad, c->contacts.pair_count + 1))
		return false;
	if (!all && c->graph.listed) {
		cn_pairs_each_listed(w, prove_pair);
		return note_bads(w);
	}
	cn_pairs_each(w, prove_pair);
	c->repair.bad_count = 0;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		if (cn_pair_bad(&c->contacts.pairs[i]))
			c->repair.bad[c->repair.bad_count++] = i;
	return true;
}

/* ---- tiers: bodies is the set of those near a fault, which each round chooses anew */

/* m: the separation needed along an axis at the leg's end so that it proves the leg, if it is s0 at the start. At
 * first only for the pieces of the screw motions, then in full. */
static double axis_need(const cairn_world *w, const cn_pair *p, double s0, bool full)
{
	const cn_path *a = &w->context->paths.by_slot[p->a], *b = &w->context->paths.by_slot[p->b];
	double k = full ? a->k + b->k : a->k / (a->cuts * a->cuts) + b->k / (b->cuts * b->cuts);
	double bow = full ? (a->cuts > 1 ? a->bow : 0) + (b->cuts > 1 ? b->bow : 0) : 0;
	s0 = s0 > bow ? s0 - bow : 0;
	double root = 2 * sqrt(CN_AXIS_MORE * k) - sqrt(s0);
	return (root > 0 ? root * root : 0) + bow + 0.5 * p->gap_request;
}

/* m: the most that one round pushes along an axis, with separation s0 at the leg's start and s1 now. A push costs
 * energy, so it is no more than the pair's own motion is worth, as halving the leg is cheaper; plus what others
 * pushed the pair together in this leg, which is only undone. */
static double most_push(const cn_context *c, const cn_pair *p, double s0, double s1)
{
	return p->gap_target + CN_AXIS_MOTION * cn_pair_motion(c, p) + (s0 > s1 ? s0 - s1 : 0);
}

/* Chooses, of the axes that separate the pair at the leg's start, the one that needs the smallest push. It is kept
 * from then on. */
static void choose_axis(const cairn_world *w, cn_pair *p, bool full)
{
	const cn_context *c = w->context;
	const v3 tries[3] = {p->at.n, p->leg_start.axis, v3_unit(v3_add(p->at.n, p->leg_start.axis))};
	double best = INFINITY;
	if (v3_length2(p->position.side.axis) > 0) {
		double s0 = cn_pair_along(c, p, c->contacts.leg_start, p->position.side.axis),
			   s1 = cn_pair_along(c, p, c->contacts.now, p->position.side.axis);
		double need = axis_need(w, p, s0, full), max = most_push(c, p, s0, s1);
		p->position.side.gap = need < s1 + max ? need : s1 + max;
		p->position.side.gap =
			p->position.side.gap < p->position.side.max ? p->position.side.gap : p->position.side.max;
		return;
	}
	for (int i = 0; i < 3; ++i) {
		double s0 = cn_pair_along(c, p, c->contacts.leg_start, tries[i]),
			   s1 = cn_pair_along(c, p, c->contacts.now, tries[i]);
		if (s0 < 0 && i != 1)
			continue;
		double need = axis_need(w, p, s0, full), max = most_push(c, p, s0, s1);
		if (need - s1 >= best)
			continue;
		best = need - s1, p->position.side.axis = tries[i];
		p->position.side.gap = need < s1 + max ? need : s1 + max;
		p->position.side.max = s1 + CN_AXIS_TOTAL * max;
	}
}

/* Makes the set that of the movable bodies of pairs that are not free. These pairs count as pushing each other. */
static void choose_bad(cairn_world *w, uint8_t *bodies)
{
	cn_context *c = w->context;
	memset(bodies, 0, w->slots);
	for (uint32_t i = 0; i < c->repair.bad_count; ++i) {
		cn_pair *p = &c->contacts.pairs[c->repair.bad[i]];
		p->position.pushed = true;
		bodies[p->a] |= cn_body_movable(w, p->a);
		bodies[p->b] |= cn_body_movable(w, p->b);
	}
}

static bool push_apart(cairn_world *w, uint8_t *bodies, uint32_t rounds, cn_frame *f)
{
	cn_context *c = w->context;
	for (uint32_t round = 0; c->repair.bad_count && round < rounds; ++round) {
		bool axis = false;
		choose_bad(w, bodies);
		for (uint32_t i = 0; i < c->repair.bad_count; ++i) {
			cn_pair *p = &c->contacts.pairs[c->repair.bad[i]];
			if (round > 0 || p->at.gap > 0)
				choose_axis(w, p, round >= CN_AXIS_FULL), axis = true;
		}
		++f->report.tiers[axis ? CAIRN_TIER_AXIS : CAIRN_TIER_RESTORE];
		if (!cn_graph_grow(w, bodies, 1 + round / 3) || !cn_repair_restore(w, bodies, f) || !cn_contacts_update(w) ||
		    !prove(w, false))
			return false;
	}
	return true;
}

static bool halve(cairn_world *w, uint8_t *bodies, cn_frame *f)
{
	cn_context *c = w->context;
	choose_bad(w, bodies);
	if (!cn_graph_grow(w, bodies, CN_HALVE_HOPS))
		return false;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	cn_together together;
	if (!cn_together_begin(w, &together, false))
		return false;
	cn_together_join_near(w, &together, bodies);
	(void)cn_together_find(w, &together, bodies);
	f->report.tiers[CAIRN_TIER_HALVE] += cn_scripts_halve(w, bodies);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_motion *m = &w->next[slot];
		const pose *from = &c->paths.poses[slot];
		if (!bodies[slot] || c->paths.by_slot[slot].own.key_count || cn_path_scripted(&c->paths.by_slot[slot]) ||
		    stood(w, slot))
			continue;
		v3 turn = q_turn(from->orientation, m->q);
		quat half = q_unit(q_mul(q_exp(v3_scale(turn, 0.5)), from->orientation));
		++f->report.tiers[CAIRN_TIER_HALVE];
		cn_path_goes_on_turning(&c->paths.by_slot[slot], true);
		cn_path_under_rows(&c->paths.by_slot[slot]);
		cn_body_move(w, slot,
		             (pose){v3_lerp(v3_add(from->position, cn_together_way(&together, slot)), m->x, 0.5), half});
	}
	cn_arena_return(&c->temporary, mark);
	cn_joints_project(w);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) /* the paths have changed */
		if (bodies[c->contacts.pairs[i].a] || bodies[c->contacts.pairs[i].b])
			c->contacts.pairs[i].position.side.axis = v3_zero();
	return cn_contacts_update(w);
}

/* Articulations of bad pairs go a part of their own path. The path is curved, so half of its chord may lead into what
 * the path itself avoids. */
static bool part(cairn_world *w, uint8_t *bodies, cn_frame *f)
{
	cn_context *c = w->context;
	double span = 1;
	bool any = c->articulations != NULL;
	for (uint32_t k = 0; c->repair.bad_count && any && k < CN_ARTICULATION_QUARTERINGS; ++k) {
		choose_bad(w, bodies);
		for (uint32_t i = 0; i < c->repair.bad_count; ++i)
			c->contacts.pairs[c->repair.bad[i]].position.blocks = true;
		span *= 0.25;
		if (!cn_joints_move_part(w, bodies, span, f, &any) || !cn_contacts_update(w) || !prove(w, false))
			return false;
	}
	return true;
}

/* False: the body is there already. */
static bool hold_body(cairn_world *w, cn_together *g, uint32_t slot)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	bool first = !y->legs.held;
	cn_path_end_leg(y, v3_length2(cn_together_way(g, slot)) == 0); /* its script takes back what it did */
	return cn_together_put(w, g, slot) || first;
}

/* Every round joins a body to a group or ends what a group goes together, or everything is free. */
static bool hold(cairn_world *w, uint8_t *bodies)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	cn_together together;
	bool ok = !c->repair.bad_count || cn_together_begin(w, &together, false);
	while (ok && c->repair.bad_count) {
		bool any = cn_scripts_hold(w, bodies, false);
		choose_bad(w, bodies);
		cn_joints_spread(w, bodies);
		any |= cn_scripts_hold_links(w, bodies, false);
		for (uint32_t i = 0; i < c->repair.bad_count; ++i)
			cn_together_stop(&together, &c->contacts.pairs[c->repair.bad[i]]);
		for (uint32_t i = 0; i < c->repair.bad_count; ++i) {
			c->contacts.pairs[c->repair.bad[i]].position.blocks = true;
			cn_together_join(w, &together, &c->contacts.pairs[c->repair.bad[i]]);
		}
		any |= cn_together_find(w, &together, bodies);
		for (uint32_t slot = 0; slot < w->slots; ++slot)
			if (cn_together_has(&together, slot))
				any |= hold_body(w, &together, slot);
		assert(any);
		ok = any && cn_contacts_update(w) && prove(w, false);
	}
	cn_arena_return(&c->temporary, mark);
	return ok;
}

/* ---- passes that went too far */

static bool deep(const cn_pair *p) { return p->near && !p->must_not_touch && -p->at.gap > CN_PASS_DEEP * p->thin; }

/* Pairs that were measured since the pass began. The others are unchanged. */
static uint32_t measured_count(const cn_context *c)
{
	return c->graph.listed ? c->graph.list_count : c->contacts.pair_count;
}
static const cn_pair *measured(const cn_context *c, uint32_t i)
{
	return &c->contacts.pairs[c->graph.listed ? c->graph.list[i] : i];
}

static bool any_deep(const cn_context *c)
{
	for (uint32_t i = 0; i < measured_count(c); ++i)
		if (deep(measured(c, i)))
			return true;
	return false;
}

/* Makes the set that of the bodies of deeply penetrating pairs, which then go together. */
static void choose_deep(const cairn_world *w, cn_together *g, uint8_t *bodies)
{
	const cn_context *c = w->context;
	memset(bodies, 0, w->slots);
	for (int joined = 0; joined < 2; ++joined)
		for (uint32_t i = 0; i < measured_count(c); ++i) {
			const cn_pair *p = measured(c, i);
			if (!deep(p))
				continue;
			bodies[p->a] = bodies[p->b] = 1;
			if (joined)
				cn_together_join(w, g, p);
			else
				cn_together_stop(g, p);
		}
}

/* False: the body is there already. */
static bool put_back(cairn_world *w, cn_together *g, uint32_t slot)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	bool first = !y->legs.taken_back;
	y->lead.pace *= first ? 0.5 : 1;
	cn_path_take_leg_back(y);
	return cn_together_put(w, g, slot) || first;
}

/* Puts bodies that a pass left deep in each other back to where the pass began, but for what they go together, and also
 * those that then penetrate them deeply. They try again with half the step. Nothing was deep where the pass began, so
 * this ends. False: memory ran out. */
bool cn_pass_take_back(cairn_world *w, cn_frame *f, bool *any)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *bodies;
	cn_together together;
	*any = false;
	if (!any_deep(c))
		return true;
	if (!CN_LOCAL(bodies, w->slots + 1) || !cn_together_begin(w, &together, false))
		return false;
	for (;;) {
		bool more = false;
		choose_deep(w, &together, bodies);
		cn_joints_spread(w, bodies);
		for (uint32_t slot = 0; slot < w->slots; ++slot) {
			cn_path *y = &c->paths.by_slot[slot];
			if (bodies[slot] && cn_path_driven(y) && y->drive.clock != y->drive.leg) {
				cn_script_set(w, slot, y->drive.leg);
				cn_path_take_leg_back(y);
				more = true;
			}
			bodies[slot] &= cn_body_movable(w, slot) && !y->own.key_count;
		}
		more |= cn_together_find(w, &together, bodies);
		for (uint32_t slot = 0; slot < w->slots; ++slot)
			if (cn_together_has(&together, slot))
				more |= put_back(w, &together, slot);
		if (!more)
			break;
		*any = true;
		if (!cn_contacts_update(w))
			return false;
	}
	cn_arena_return(&c->temporary, mark);
	f->report.taken_back += *any;
	return true;
}

bool cn_leg_prove(cairn_world *w) { return prove(w, true); }

bool cn_leg_repair(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *bodies;
	bool ok = CN_LOCAL(bodies, w->slots + 1) && prove(w, true) && push_apart(w, bodies, CN_AXIS_ROUNDS, f);
	for (uint32_t k = 0; ok && c->repair.bad_count && k < CN_HALVINGS; ++k)
		ok = halve(w, bodies, f) && prove(w, false) && push_apart(w, bodies, CN_HALVED_ROUNDS, f);
	ok = ok && part(w, bodies, f) && hold(w, bodies);
	while (ok && cn_scripts_mend(w, bodies)) /* each time one more script or articulation has gone back */
		ok = cn_contacts_update(w) && prove(w, true) && hold(w, bodies);
	cn_arena_return(&c->temporary, mark);
	return ok;
}
