/* Effects of scripted bodies on others: the velocities they push with, their work, and the bodies they may reach. */
#include "base/tolerance.h"
#include "step/context.h"
#include "step/tolerance.h"

/* Displacement and rotation in a span of its clock. */
static cn_twist move_of(const cn_body *b, double from, double to)
{
	double times[CN_MAX_PIECES];
	uint32_t count = cn_script_cuts(b, (cn_span){from, to}, times);
	pose first = cn_script_at(b, from, q_identity()), last = first;
	v3 turn = v3_zero();
	for (uint32_t k = 0; k < count; ++k) {
		pose next = cn_script_at(b, times[k], last.orientation);
		turn = v3_add(turn, q_turn(last.orientation, next.orientation));
		last = next;
	}
	return (cn_twist){v3_sub(last.position, first.position), turn};
}

/* Half of a change, limited to the size of the neighbouring change; zero if the two oppose each other. */
static v3 half_change(v3 change, v3 beside)
{
	double a = v3_length(change), b = v3_length(beside);
	if (!(v3_dot(change, beside) > 0))
		return v3_zero();
	return v3_scale(change, a > b ? 0.5 * b / a : 0.5);
}

/* Velocity of a script at the start or end of the frame: its mean velocity in the frame, plus or minus half the
 * difference to the neighbouring frame. Where it starts, stops or bends at a key, the differences before and after
 * the frame are not alike and the smaller one counts: such a change is instantaneous and is not anticipated. */
static cn_twist velocity(const cairn_world *w, uint32_t slot, bool end)
{
	const cn_body *b = &w->bodies[slot];
	const cn_path *y = &w->context->paths.by_slot[slot];
	double step = y->drive.due - y->drive.start, rate = 1 / w->dt;
	cn_twist before = move_of(b, y->drive.start - step, y->drive.start),
			 path = move_of(b, y->drive.start, y->drive.due), after = move_of(b, y->drive.due, y->drive.due + step);
	v3 back_v = v3_sub(path.v, before.v), on_v = v3_sub(after.v, path.v);
	v3 back_w = v3_sub(path.w, before.w), on_w = v3_sub(after.w, path.w);
	v3 dv = end ? half_change(on_v, back_v) : v3_neg(half_change(back_v, on_v));
	v3 dw = end ? half_change(on_w, back_w) : v3_neg(half_change(back_w, on_w));
	return (cn_twist){v3_scale(v3_add(path.v, dv), rate), v3_scale(v3_add(path.w, dw), rate)};
}

cn_twist cn_script_start(const cairn_world *w, uint32_t slot)
{
	if (w->bodies[slot].lag > 0)
		return (cn_twist){w->motion[slot].v, w->motion[slot].l};
	return velocity(w, slot, false);
}

cn_twist cn_script_twist(const cairn_world *w, uint32_t slot, bool end)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	if (end) { /* of the last piece of the frame */
		cn_leg whole = cn_path_whole(w, slot);
		cn_piece p = cn_script_piece(w, slot, &whole, CN_MAX_PIECES);
		double rate = 1 / ((p.t1 - p.t0) * w->dt);
		return (cn_twist){v3_scale(v3_sub(p.x1, p.x0), rate), v3_scale(p.turn, rate)};
	}
	if (y->drive.pace <= CN_SCRIPT_STEP_MIN) /* it stands until it turns out that it can go on */
		return (cn_twist){v3_zero(), v3_zero()};
	cn_twist u = velocity(w, slot, true);
	return (cn_twist){v3_scale(u.v, y->drive.pace), v3_scale(u.w, y->drive.pace)};
}

static v3 speed_at(const cn_twist *u, v3 r) { return v3_add(u->v, v3_cross(u->w, r)); }

/* The scripted body of a contact, or CN_QP_NONE, and the arm of its point. */
static uint32_t driver(const cn_program *p, const cn_qp_contact *k, v3 *r)
{
	if (k->a != CN_QP_NONE && !(p->bodies[k->a].inv_mass > 0)) {
		*r = k->ra;
		return k->a;
	}
	*r = k->rb;
	return k->b != CN_QP_NONE && !(p->bodies[k->b].inv_mass > 0) ? k->b : CN_QP_NONE;
}

double cn_script_work(const cn_program *p, uint32_t contact, cn_qp_impulse y)
{
	const cn_qp_contact *k = &p->contacts[contact];
	v3 r, s, t;
	uint32_t who = driver(p, k, &r);
	if (who == CN_QP_NONE)
		return 0;
	cn_qp_tangents(k->n, &s, &t);
	v3 impulse = v3_madd(v3_madd(v3_scale(k->n, y.n), s, y.s), t, y.t);
	double work = v3_dot(impulse, speed_at(&p->u0[who], r)); /* on b; a gets the opposite */
	return who == k->a ? work : -work;
}

void cn_script_mark_pushed(cairn_world *w)
{
	cn_context *c = w->context;
	for (bool more = c->paths.moving_scripts > 0; more;) {
		more = false;
		for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
			const cn_pair *p = &c->contacts.pairs[i];
			cn_path *a = &c->paths.by_slot[p->a], *b = &c->paths.by_slot[p->b];
			if (!p->near || p->must_not_touch ||
			    (a->scripts.pushed || cn_path_driven(a)) == (b->scripts.pushed || cn_path_driven(b)))
				continue;
			uint32_t other = a->scripts.pushed || cn_path_driven(a) ? p->b : p->a;
			if (w->rotors[other].active)
				c->paths.by_slot[other].scripts.pushed = more = true;
		}
	}
}

void cn_script_mark_near(cairn_world *w)
{
	cn_context *c = w->context;
	const uint32_t *root = c->graph.root;
	if (!c->paths.moving_scripts)
		return;
	cn_graph_components(w);
	cn_path *paths = c->paths.by_slot;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		paths[slot].scripts.may_reach = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		paths[root[slot]].scripts.may_reach |=
			cn_path_driven(&paths[slot]) && paths[slot].drive.pace > CN_SCRIPT_STEP_MIN; /* one that waits stands */
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		paths[slot].scripts.may_reach = paths[root[slot]].scripts.may_reach;
}

void cn_script_mark_alone(cairn_world *w, const uint32_t *slots, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		w->context->paths.by_slot[slots[i]].scripts.alone = true;
}

void cn_script_find_reach(const cairn_world *w, double *reach)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && p->near && !p->must_not_touch && j < 2; ++j) {
			const cn_path *y = &c->paths.by_slot[slots[j]];
			if (!cn_path_driven(y))
				continue;
			const cn_stride *s = &c->contacts.strides[slots[j]];
			double far =
				(v3_length(s->dx) + s->swing) * ((y->drive.clock - y->drive.start) / (y->drive.due - y->drive.start));
			double *at = &reach[c->graph.root[slots[1 - j]]];
			*at = far > *at ? far : *at;
		}
	}
}

void cn_script_velocities(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot) {
		const cn_path *y = &c->paths.by_slot[slot];
		if (!cn_path_driven(y) || y->drive.clock == y->drive.due)
			continue;
		cn_twist u = cn_script_twist(w, slot, true);
		w->next[slot].v = u.v, w->next[slot].l = u.w;
	}
}
