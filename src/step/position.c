/* The position update (OBA 6.1): from where bodies are toward where they would go, as near as the planes between them
 * allow.
 *
 * Each pass is one program (OBA 6.7, or 6.8 on demand). A pass turns every body by its own share of the remaining
 * turn, at most CN_PASS_TURN, exactly, and takes the rows about the turned poses; their axes are those of the poses
 * the pass began with, which are free, so nobody changes sides, or of the turned ones where these are near. There is
 * another pass while some body has not turned all its way, and a second one where the first went far or left a gap
 * short; CN_PASSES at most. What a pass leaves deep in each other is taken back. */
#include "step/crowd.h"

#include "num/qp_exact.h"

#include <string.h>

/* A little more than theta^2 rho / 8 of a body that swings so far. */
static double bulge_of(const cairn_world *w, uint32_t slot)
{
	double swing = w->crowd->strides[slot].swing;
	return swing > 0 ? swing * swing / (8 * w->bodies[slot].radius) : 0;
}

/* Of the kept gap, what a pair gets back of it in a step. */
static double reopens(const cairn_world *w, const cn_close *p)
{
	double fall = sqrt(p->thin / w->crowd->gravity);
	return isfinite(fall) ? w->dt / (CN_REOPEN_FALLS * fall) : 1.0 / (CN_REOPEN_FRAMES * w->steps);
}

/* What a pair's rows ask for: the gap it has and a little more, up to the kept one; at once what the proof of its
 * motion takes if it begins touching (four times the bulge), and more where it moves fast. */
void cn_position_ask(const cairn_world *w, cn_close *p)
{
	double start = p->start > 0 ? p->start : 0, swing = w->crowd->strides[p->a].swing + w->crowd->strides[p->b].swing;
	double proof = CN_ASK_PROOF * (bulge_of(w, p->a) + bulge_of(w, p->b)), slowly = p->kept * reopens(w, p),
		   quickly = CN_REOPEN_SWING * (swing - CN_REOPEN_FAST * p->kept);
	double gap = start + (slowly > quickly ? slowly : quickly);
	gap = gap > proof ? gap : proof;
	p->asked = gap < p->kept ? gap : p->kept;
}

/* What mending asks for: the gap that rows asked for, but no more than the leg began with: there was room for that, and in
 * a jam there is none for more. Pairs that go further than their thickness in a frame need theirs for the proof. */
static double mended(const cn_crowd *c, const cn_close *p)
{
	double had = p->leg > 0 ? p->leg : 0;
	return had < p->asked && cn_crowd_motion(c, p) < p->thin ? had : p->asked;
}

/* ---- passes */

static cn_twist remaining(const cairn_world *w, uint32_t slot)
{
	const cn_way *y = &w->crowd->ways[slot];
	return (cn_twist){v3_sub(y->target_x, w->next[slot].x), q_turn(w->next[slot].q, y->target_q)};
}

/* ---- bodies of the program, on all threads */

enum { BODY_CHUNK = 64 };

/* A task writes nothing but its body's. */
typedef void body_task(cairn_world *w, uint32_t body);

typedef struct body_run {
	cairn_world *w;
	body_task *task;
} body_run;

static void run_bodies(void *context, uint32_t chunk)
{
	const body_run *run = context;
	uint32_t count = run->w->crowd->program.qp.body_count, end = cn_pool_end(chunk, BODY_CHUNK, count);
	for (uint32_t i = chunk * BODY_CHUNK; i < end; ++i)
		run->task(run->w, i);
}

static void each_body(cairn_world *w, body_task *task)
{
	body_run run = {w, task};
	cn_pool_run(w->pool, (w->crowd->program.qp.body_count + BODY_CHUNK - 1) / BODY_CHUNK, run_bodies, &run);
}

/* Applies the program's answer to a body. */
static void apply(cairn_world *w, uint32_t body)
{
	cn_crowd *c = w->crowd;
	const cn_program *p = &c->program;
	uint32_t slot = p->slots[body];
	cn_motion *m = &w->next[slot];
	if (c->ways[slot].driven)
		return;
	m->x = v3_add(m->x, p->u[body].v);
	m->q = q_unit(q_mul(q_exp(p->u[body].w), m->q));
	c->ways[slot].moved = c->ways[slot].busy = true;
	cn_crowd_place(w, slot);
}

/* Those that are still need not be looked at again. */
static void apply_motion(cairn_world *w, uint32_t body)
{
	const cn_twist *u = &w->crowd->program.u[body];
	if (v3_length2(u->v) != 0 || v3_length2(u->w) != 0)
		apply(w, body);
}

/* Who goes far gives way to who does not: a falling body is stopped by one at rest and does not shove it aside; that
 * is for the blow to do. And one that is stopped at a corner would go on by turning about it, further than rows hold:
 * it turns little. Not so in a rig, whose bodies can hardly go without turning: that would throw it aside; it gives way
 * as a whole. */
static void yield(cn_qp_body *b, double far, bool rig)
{
	double more = 1 + far * far * CN_YIELD * CN_YIELD, less = 1 / (1 + far * far);
	more = more < CN_YIELD_MOST ? more : CN_YIELD_MOST;
	b->inv_mass *= more;
	for (int i = 0; i < 6; ++i)
		b->inv_inertia[i] *= rig ? more : less;
}

/* Few bodies of very unequal masses: sweeps would not get there. */
static bool uneven(const cn_qp *qp)
{
	double least = INFINITY, most = 0;
	for (uint32_t i = 0; i < qp->body_count && qp->body_count <= CN_UNEVEN_BODIES; ++i) {
		double m = qp->bodies[i].inv_mass;
		if (m > 0)
			least = m < least ? m : least, most = m > most ? m : most;
	}
	return most > CN_UNEVEN * least;
}

/* Solves the program at hand in real time, or exactly where that would fail; islands of few bodies in double. A body that
 * falls flat is stopped by many rows that say the same, and sweeps that end early leave it tilted: its corners would then
 * be hit one after another. False: memory ran out. */
static bool solve(cairn_world *w, uint32_t sweeps, bool warm)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	cn_fast_options options = {.sweeps = sweeps,
	                           .tolerance = CN_POSITION_TOLERANCE * c->scale,
	                           .warm = warm,
	                           .unjudged = true,
	                           .region = cn_program_regions(w),
	                           .pool = w->pool};
	cn_qp_solution x = {.u = p->u, .contact = p->y, .row = p->row_y};
	options.position = true, options.brisk = !w->scene->options.precise;
	/* without friction and restitution it is the momentum program */
	if (w->scene->options.precise || p->qp.row_count)
		return cn_islands_solve(c->momentum, &p->qp, &options, &x).status != CN_QP_MEMORY;
	if (uneven(&p->qp)) {
		cn_qp_result r = cn_exact_solve(&w->allocator, &p->qp, NULL, &x);
		if (r.status == CN_QP_SOLVED || r.status == CN_QP_MEMORY)
			return r.status == CN_QP_SOLVED;
		options.warm = false;
	}
	if (c->driven) /* what a script squeezes has no answer, and sweeps share what lacks among its rows */
		return cn_fast_position(c->fast, &p->qp, &options, &x).status != CN_QP_MEMORY;
	options.small = CN_SMALL_BRISK_BODIES;
	return cn_islands_solve(c->momentum, &p->qp, &options, &x).status != CN_QP_MEMORY;
}

/* Neither is a crumb beside the other: one that is squeezed by something vast would be shot out like a pip. */
static bool alike(const cairn_world *w, const cn_close *p)
{
	double a = w->rotors[p->a].inv_mass, b = w->rotors[p->b].inv_mass;
	return a * b == 0 || (a < CN_ALIKE * b && b < CN_ALIKE * a);
}

/* From the first pass on push says what stopped a body in this frame. */
static void note_pushes(cairn_world *w, cn_close *p, uint32_t first, uint32_t end)
{
	const cn_crowd *c = w->crowd;
	const cn_program *g = &c->program;
	if (g->index[p->a] == CN_QP_NONE && g->index[p->b] == CN_QP_NONE)
		return;
	for (uint32_t k = 0; k < p->count; ++k)
		c->points[p->first + k].push = 0;
	if (first < end)
		p->stopped = false;
	for (uint32_t i = first; i < end; ++i) {
		if (g->touches[i])
			g->touches[i]->push = g->y[i].n;
		else
			p->stopped |= g->y[i].n > 0 && alike(w, p);
	}
}

/* Of what is left, that a pass attempts: no further than CN_PASS_TURN, unless the passes that are left would not do then;
 * bodies of a rig go alike. */
static double share_of(const cairn_world *w, uint32_t slot)
{
	double share = 1, passes = CN_PASSES - w->crowd->leg_number;
	uint32_t other = slot;
	for (uint32_t n = 0; other != CN_QP_NONE; other = cn_rig_bodies(w, slot, n++)) {
		double angle = w->crowd->ways[other].round ? 0 : v3_length(remaining(w, other).w),
			   pace = w->crowd->ways[other].pace, most = angle > CN_PASS_TURN * passes ? angle / passes : CN_PASS_TURN;
		share = angle > most && most / angle < share ? most / angle : share;
		share = share < pace ? share : pace;
	}
	return share;
}

/* How far a body goes in a pass for its size, or the one of its rig that goes furthest. */
static double far_of(const cairn_world *w, uint32_t slot, double share)
{
	double most = 0;
	uint32_t other = slot;
	for (uint32_t n = 0; other != CN_QP_NONE; other = cn_rig_bodies(w, slot, n++)) {
		double far = v3_length(remaining(w, other).v) * share / (CN_PASS_STIFF * w->bodies[other].radius);
		most = far > most ? far : most;
	}
	return most;
}

/* What a body is to do in a pass, and where its parts are when it has turned. A rig that has been stopped would turn back
 * again in every pass, and its joints, which rows know to first order, would leave it in the air by the square of that turn:
 * after the first pass its turn is one more thing that the program may do. */
static void set_out(cairn_world *w, uint32_t body)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	uint32_t slot = p->slots[body];
	if (!c->ways[slot].driven) {
		cn_twist left = remaining(w, slot);
		double share = share_of(w, slot);
		v3 turn = v3_scale(left.w, share);
		bool rig = cn_rig_of(w, slot) != CN_QP_NONE, tried = rig && c->leg_number > 0;
		c->turns[body] = q_exp(tried ? v3_zero() : turn);
		p->u0[body].w = tried ? turn : v3_zero();
		yield(&p->bodies[body], far_of(w, slot, share), rig);
		c->ways[slot].turning = share < 1;
		p->u0[body].v = v3_scale(left.v, share);
	}
	cn_rows_turn(w, slot, c->turns[body]);
}

/* First the turn, exactly, then the correction; that one no further than rows hold (OBA 6.1.6). c->before: how far it
 * went, of its radius. */
static void go(cairn_world *w, uint32_t body)
{
	cn_crowd *c = w->crowd;
	uint32_t slot = c->program.slots[body];
	cn_way *y = &c->ways[slot];
	cn_twist *u = &c->program.u[body];
	double angle = v3_length(u->w), share = CN_PASS_TURN / angle;
	if (y->driven)
		return;
	if (angle > CN_PASS_TURN) {
		*u = (cn_twist){v3_scale(u->v, share), v3_scale(u->w, share)};
		y->turning = true;
	}
	quat turn = c->turns[body];
	double radius = w->bodies[slot].radius, turned = y->round ? 0 : v3_length(v3_make(turn.x, turn.y, turn.z));
	w->next[slot].q = q_mul(turn, w->next[slot].q);
	c->before[body] = (v3_length(u->v) + 2 * turned * radius) / radius;
	y->again = c->before[body] > CN_PASS_FAR;
	apply(w, body);
}

/* One program toward the targets, for the bodies flagged. */
static bool pass(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	if (!cn_program_begin(w, c->flags, w->scene->options.objective == 1))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count && c->driven; ++i)
		if (c->ways[p->slots[i]].driven)
			p->u0[i] = cn_yield_step(w, p->slots[i], &c->turns[i]);
	memcpy(c->turned, c->now, c->part_count * sizeof *c->turned);
	each_body(w, set_out);
	if (!cn_rows_build(w) || !cn_rigs_position_rows(w, c->turns) || !cn_crumbs_weigh(w, 0, false))
		return false;
	if (p->qp.contact_count || p->qp.row_count) {
		if (!solve(w, CN_POSITION_SWEEPS, true))
			return false;
	} else {
		for (uint32_t i = 0; i < p->qp.body_count; ++i)
			p->u[i] = p->u0[i];
	}
	cn_rows_answer(w, note_pushes);
	each_body(w, go);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		const cn_way *y = &c->ways[p->slots[i]];
		if (y->driven)
			cn_yield_set(w, p->slots[i], y->want);
		else
			c->pass_far += c->before[i], c->pass_cut |= y->turning;
	}
	cn_rigs_project(w);
	++f->report.passes;
	++f->report.programs;
	return true;
}

/* The part of its motion that rows can be trusted with. */
static double trust_in(const cairn_world *w, uint32_t slot, const cn_twist *u)
{
	double size = w->bodies[slot].radius, far = v3_length(u->v) + v3_length(u->w) * size;
	return far > CN_RESTORE_TRUST * size ? CN_RESTORE_TRUST * size / far : 1;
}

/* No body goes further. Where there are crumbs, those that are tied together go as much less: a crumb that went less far
 * than what comes after it would not be out of its way. */
static void trust(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	double *share = c->before; /* of a body; of an island, at its least */
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		share[i] = trust_in(w, p->slots[i], &p->u[i]), p->island[i] = i;
	if (c->crumbled)
		cn_qp_islands(&p->qp, p->island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (share[i] < share[p->island[i]])
			share[p->island[i]] = share[i];
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double s = share[p->island[i]];
		p->u[i] = (cn_twist){v3_scale(p->u[i].v, s), v3_scale(p->u[i].w, s)};
	}
}

/* What a pair lacks, and what it does along the axis of its leg. */
static void add_lack(cn_row_store *s, uint32_t pair)
{
	const cn_crowd *c = s->w->crowd;
	const cn_close *q = &c->pairs[pair];
	double most = cn_leg_step(s->w, q), asked = mended(c, q);
	for (uint32_t k = 0; k < q->count; ++k) {
		cn_touch *t = &c->points[q->first + k];
		double lack = asked - t->gap;
		if (-lack > CN_RESTORE_REACH * most)
			continue;
		cn_qp_contact row = {
			.a = q->a, .b = q->b, .n = q->at.n, .ra = t->ra, .rb = t->rb, .least = lack < most ? lack : most};
		cn_row_put(s, &row, t, pair, (cn_qp_impulse){0, 0, 0});
	}
	if (v3_length2(q->axis) > 0)
		cn_leg_axis_rows(s, pair);
}

bool cn_position_restore(cairn_world *w, const uint8_t *free, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	if (!cn_program_begin(w, free, w->scene->options.objective == 1))
		return false;
	if (!cn_crowd_links(w) || !cn_crowd_list(w, free))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		p->u[i] = p->u0[i];
	if (!cn_rows_gather_listed(w, add_lack))
		return false;
	if (!cn_rigs_position_rows(w, NULL) || !cn_crumbs_weigh(w, 0, false) || !solve(w, CN_RESTORE_SWEEPS, false))
		return false;
	trust(w);
	each_body(w, apply_motion);
	cn_rigs_project(w);
	++f->report.programs;
	return true;
}

/* ---- the stage */

/* Its gap is short of what was asked. */
static bool lacks(const cn_crowd *c, uint32_t pair)
{
	const cn_close *p = &c->pairs[pair];
	return p->near && !p->barred && (c->ways[p->a].busy || c->ways[p->b].busy) &&
	       p->at.gap < CN_ASKED_LEAST * mended(c, p);
}

/* c->lacking: the pairs that lack something, in order; of all, or of those known to and those looked at last, as no other
 * can. False: memory ran out. */
static bool find_lacking(cairn_world *w, bool all)
{
	cn_crowd *c = w->crowd;
	uint32_t count = 0, known = c->lacking_count, i = 0, j = 0;
	if (!CN_ROOM(c->lacking, c->lacking_room, 2 * c->pair_count + 1))
		return false;
	if (all || !c->listed) {
		for (uint32_t k = 0; k < c->pair_count; ++k)
			if (lacks(c, k))
				c->lacking[count++] = k;
		c->lacking_count = count;
		return true;
	}
	uint32_t *old = c->lacking + c->pair_count; /* the second half is scratch */
	memcpy(old, c->lacking, known * sizeof *old);
	while (i < known || j < c->list_count) {
		uint32_t a = i < known ? old[i] : UINT32_MAX, b = j < c->list_count ? c->list[j] : UINT32_MAX;
		uint32_t pair = a < b ? a : b;
		i += a == pair, j += b == pair;
		if (lacks(c, pair))
			c->lacking[count++] = pair;
	}
	c->lacking_count = count;
	return true;
}

/* Bodies of pairs whose gap is short of what was asked try again. */
static void mark_lacking(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->lacking_count; ++i) {
		const cn_close *p = &c->pairs[c->lacking[i]];
		c->ways[p->a].again = c->ways[p->b].again = true;
	}
}

/* c->flags: bodies of islands that a pass lifted by more than all their motion is worth: a body that turns under them
 * has heaved them up, which in truth would have stopped it. Returns whether there are any. */
static bool flag_heaved(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	const uint32_t *root = c->queue;
	bool up = false, any = false;
	memset(c->flags, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->sums[slot] = (cn_island){0};
		if (!c->ways[slot].busy)
			continue;
		up |= cn_ledger_height(w, slot) > CN_HEAVE * w->rotors[slot].mass * c->gravity * w->bodies[slot].radius;
	}
	if (!up)
		return false;
	cn_crowd_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!c->ways[slot].busy)
			continue;
		const cn_rotor *r = &w->rotors[slot];
		cn_island *k = &c->sums[root[slot]];
		k->won += cn_ledger_height(w, slot);
		k->kinetic += cn_kinetic(r, &w->next[slot]);
		k->little += CN_HEAVE * r->mass * c->gravity * w->bodies[slot].radius;
		k->mass += r->mass;
	}
	cn_yield_reach(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_island *k = &c->sums[root[slot]];
		c->flags[slot] = c->ways[slot].busy && k->won > k->kinetic + k->little + k->mass * c->gravity * k->reach;
		any |= c->flags[slot];
	}
	return any;
}

/* Adds to c->flags. What was not looked at since the pass began is as free as it was. */
static void flag_deep(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < (c->listed ? c->list_count : c->pair_count); ++i) {
		const cn_close *p = &c->pairs[c->listed ? c->list[i] : i];
		if (p->near && !p->barred && -p->at.gap > CN_PASS_DEEP * p->thin)
			c->flags[p->a] = c->flags[p->b] = 1;
	}
}

/* A heap that is heaved up again and again is so by the gaps that it asks for, which no shorter step mends: it stays where
 * it is in this frame. Whether others try again. */
static bool leave_tired(cairn_world *w)
{
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &w->crowd->ways[slot];
		if (y->back && y->heaves >= CN_HEAVE_TRIES)
			y->back = y->turning = y->again = false, y->tired = true;
		any |= y->back;
	}
	return any;
}

/* Bodies that a pass left deep in each other, or heaved up, go back to where it began, and so do those that are then
 * deep in them; they try again with half the step. Where the pass began nothing is deep, so this ends. */
static bool take_back(cairn_world *w, cn_frame *f, bool *any)
{
	cn_crowd *c = w->crowd;
	bool heaved = flag_heaved(w), taken = false;
	for (uint32_t slot = 0; slot < w->slots && heaved; ++slot)
		c->ways[slot].heaves = (uint8_t)(c->ways[slot].heaves + c->flags[slot]);
	for (;; memset(c->flags, 0, w->slots)) {
		bool more = false;
		flag_deep(w);
		cn_rigs_spread(w, c->flags);
		for (uint32_t slot = 0; slot < w->slots; ++slot) {
			cn_way *y = &c->ways[slot];
			if (c->flags[slot] && y->driven && y->clock != y->leg) {
				cn_yield_set(w, slot, y->leg);
				y->back = more = true;
			}
			if (!c->flags[slot] || !cn_crowd_movable(w, slot) || y->back || y->kept)
				continue;
			w->next[slot].x = c->poses[slot].position, w->next[slot].q = c->poses[slot].orientation;
			y->moved = y->back = y->busy = more = true;
			y->pace *= 0.5;
			cn_crowd_place(w, slot);
		}
		if (!more)
			break;
		taken = true;
		if (!cn_crowd_again(w))
			return false;
	}
	f->report.taken_back += taken;
	*any = taken && leave_tired(w);
	return true;
}

/* c->flags grows by bodies of pairs that lack something, those that scripts push or the others, and what is around them.
 * False: memory ran out. */
static bool flag_lacking(cairn_world *w, bool pressed, uint32_t hops, bool *any)
{
	cn_crowd *c = w->crowd;
	bool some = false;
	for (uint32_t i = 0; i < c->lacking_count; ++i) {
		const cn_close *p = &c->pairs[c->lacking[i]];
		if ((c->ways[p->a].pressed || c->ways[p->b].pressed) != pressed)
			continue;
		c->flags[p->a] |= cn_crowd_movable(w, p->a), c->flags[p->b] |= cn_crowd_movable(w, p->b);
		some = true;
	}
	*any |= some;
	return !some || cn_crowd_around(w, hops);
}

/* What is lacking is known. What a script pushes may have to make room far away. */
static bool restore(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	for (uint32_t round = 0; round < CN_YIELD_ROUNDS && c->lacking_count; ++round) {
		bool any = false;
		memset(c->flags, 0, w->slots);
		if (!flag_lacking(w, true, 1 + CN_YIELD_HOPS * round, &any) ||
		    (round < CN_RESTORE_ROUNDS && !flag_lacking(w, false, 1 + round / 3, &any)))
			return false;
		if (!any)
			break;
		++f->report.tiers[CAIRN_TIER_RESTORE];
		if (!cn_position_restore(w, c->flags, f) || !cn_crowd_again(w) || !find_lacking(w, false))
			return false;
	}
	return true;
}

/* The leg is over: where everyone is becomes a stop. */
static void leave_stop(cairn_world *w, double far)
{
	cn_crowd *c = w->crowd;
	cn_trail *t = &c->trail;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		t->stops[t->count * w->slots + slot] =
			(cn_stop){{w->next[slot].x, w->next[slot].q}, c->ways[slot].clock, c->ways[slot].cuts};
	t->t[t->count++] = far;
}

/* Legs take time by how far all bodies go in each, and none takes next to none: then most are at any time nearly where
 * they would be on the straight way, and those that go by their legs do not run into those that go straight. */
static void time_trail(cn_trail *t, double last)
{
	double sum = last, most = 0, passed = 0;
	for (uint32_t k = 0; k < t->count; ++k)
		sum += t->t[k];
	for (uint32_t k = 0; k <= t->count; ++k) {
		double *far = k < t->count ? &t->t[k] : &last;
		*far = *far > CN_LEG_SHARE * sum ? *far : CN_LEG_SHARE * sum;
		most += *far;
	}
	for (uint32_t k = 0; k < t->count; ++k) {
		passed += t->t[k];
		t->t[k] = passed / most;
	}
}

/* c->flags: whole islands of those flagged, where they are small: what is left to do for one of a tower's bodies is
 * left to all of them, or it leans. */
static void flag_small_islands(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	const uint32_t *root = c->queue;
	cn_crowd_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->sums[slot] = (cn_island){0};
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_island *i = &c->sums[root[slot]];
		++i->count;
		i->flagged |= c->flags[slot];
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_island *i = &c->sums[root[slot]];
		c->flags[slot] |= c->ways[slot].busy && i->flagged && i->count <= CN_SMALL_BODIES;
	}
}

/* c->flags: the bodies of a pass. After the first only those that have something left to do, with their neighbours.
 * False: memory ran out. */
static bool choose_bodies(cairn_world *w, uint32_t number, bool *any)
{
	cn_crowd *c = w->crowd;
	*any = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &c->ways[slot];
		c->flags[slot] = y->busy && (number == 0 || y->turning || y->back || y->again);
		c->flags[slot] |= y->engaged && !y->stopped && y->clock < y->due;
		*any |= c->flags[slot];
		y->again = false;
	}
	cn_rigs_spread(w, c->flags);
	if (number == 0)
		return true;
	cn_yield_near(w);
	if (number == 1)
		flag_small_islands(w);
	return cn_crowd_around(w, 2);
}

/* Bodies that mending has raised above both where they came from and where they were to go try again: what pushed them
 * may have gone. Not balls, which pass each other at every height. Whether there are any. */
static bool mark_raised(cairn_world *w)
{
	const cn_crowd *c = w->crowd;
	v3 down = w->scene->settings.gravity;
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots && c->gravity > 0; ++slot) {
		cn_way *y = &c->ways[slot];
		double little = CN_RAISED * w->bodies[slot].radius * c->gravity;
		if (!y->busy || y->round || !(v3_dot(down, v3_sub(y->goal_x, w->next[slot].x)) > little) ||
		    !(v3_dot(down, v3_sub(w->motion[slot].x, w->next[slot].x)) > little))
			continue;
		y->again = any = true;
	}
	return any;
}

/* One leg. *again: there is something left to do. */
static bool run_leg(cairn_world *w, uint32_t number, bool *again, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	bool any, back = false;
	if (!choose_bodies(w, number, &any))
		return false;
	cn_leg_begin(w);
	c->leg_number = number;
	for (uint32_t i = 0; i < c->point_count && c->driven; ++i)
		c->points[i].first_push = c->points[i].push;
	if (number == 0)
		cn_targets_fly(w);
	c->pass_cut = false, c->pass_far = 0;
	for (uint32_t round = 1; any || round == 1; ++round) {
		bool some;
		if ((any && !pass(w, f)) || !cn_crowd_again(w) || !take_back(w, f, &some))
			return false;
		back |= some;
		if (!c->driven)
			break;
		if (!find_lacking(w, true) || !restore(w, f) || !cn_yield_back(w, round == CN_YIELD_TRIES, &any))
			return false;
	}
	*again = back || c->pass_cut;
	if (!find_lacking(w, true))
		return false;
	if (number == 0)
		mark_lacking(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->ways[slot].again &= number == 0;
		*again |= c->ways[slot].again;
	}
	if ((!c->driven && !restore(w, f)) || !cn_leg_clear(w, f))
		return false;
	*again |= mark_raised(w);
	*again |= cn_yield_leg_end(w);
	return true;
}

static bool run_legs(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	for (uint32_t k = 0; k < CN_PASSES; ++k) {
		bool again;
		if (!run_leg(w, k, &again, f))
			return false;
		double far = c->pass_far > CN_LEG_LEAST ? c->pass_far : CN_LEG_LEAST;
		far = far < 1 / DBL_EPSILON ? far : 1 / DBL_EPSILON; /* sums of it are numbers */
		if (!again || k + 1 == CN_PASSES) {
			time_trail(&c->trail, far);
			break;
		}
		leave_stop(w, far);
	}
	return true;
}

bool cn_position_update(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->strides[slot] = cn_crowd_stride(w, slot);
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		cn_close *p = &c->pairs[i];
		if (!p->near || p->barred || (!cn_crowd_movable(w, p->a) && !cn_crowd_movable(w, p->b)))
			continue;
		cn_position_ask(w, p);
		++f->report.close_pairs;
	}
	bool ok = cn_targets_set(w, f) && run_legs(w, f);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
