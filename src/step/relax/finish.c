/* From speeds to poses, keys and books. */
#include "base/pool.h"
#include "base/short_turn.h"
#include "step/classic/classic.h"
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/motion/script.h"
#include "step/relax/relax.h"
#include "step/tolerance.h"

#include <string.h>

static bool refuse(const cairn_world *w, cn_frame *f, cairn_status status, uint32_t slot)
{
	f->report.status = status;
	if (status != CAIRN_STEP_MEMORY)
		f->report.pair_a = cn_handle(w, slot);
	return false;
}

static bool is_swept(const cn_relax_body *b) { return b->held && b->inv_mass > 0; }

/* Bodies, by chunk. */
typedef struct going {
	const cairn_world *w;
	cn_relax_task *task;
	double h;
} going;

static void go_on(void *context, uint32_t chunk)
{
	const going *g = context;
	const uint32_t *seats = g->w->context->relax->order.seats;
	uint32_t end = cn_pool_end(chunk, CN_RELAX_BODIES, g->w->slots);
	for (uint32_t i = chunk * CN_RELAX_BODIES; i < end; ++i)
		g->task(g->w, seats[i], g->h);
}

void cn_relax_each(cairn_world *w, cn_relax_task *task, double h)
{
	going g = {w, task, h};
	cn_pool_run(w->pool, (w->slots + CN_RELAX_BODIES - 1) / CN_RELAX_BODIES, go_on, &g);
}

void cn_relax_move_body(const cairn_world *w, uint32_t slot, double h)
{
	cn_relax *s = w->context->relax;
	cn_relax_body *b = &s->bodies[slot];
	cn_relax_twist *u = &s->speed[slot];
	if (!b->held)
		return;
	s->way[slot].v = v3_madd(s->way[slot].v, u->v, h);
	s->way[slot].w = v3_madd(s->way[slot].w, u->w, h);
	if (!is_swept(b))
		return;
	const cn_rotor *r = &w->rotors[slot];
	v3 turn = v3_scale(u->w, h);
	if (r->kind == CN_ROTOR_BALL && q_is_short(turn)) {
		b->q = q_unit(q_mul(q_exp_short(turn), b->q));
		return;
	}
	v3 l = cn_angular(r, b->q, u->w); /* stays as it is while the body turns */
	b->q = cn_rotate_free(r, b->q, l, h);
	if (r->kind != CN_ROTOR_BALL)
		u->w = cn_spin(r, b->q, l);
}

/* ---- books */

/* Energy at the step's end had nothing held it: forces have changed its velocity, and it moved with the mean. */
static double energy_alone(const cairn_world *w, uint32_t slot)
{
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *from = &w->motion[slot];
	cn_motion m = w->next[slot];
	m.x = v3_madd(from->x, v3_add(from->v, m.v), 0.5 * w->dt);
	if (cn_has_joints(w))
		m.q = from->q;
	return cn_kinetic(r, &m) - r->mass * v3_dot(w->scene->settings.gravity, m.x);
}

static double energy_of(const cairn_world *w, uint32_t slot)
{
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *m = &w->next[slot];
	return cn_kinetic(r, m) - r->mass * v3_dot(w->scene->settings.gravity, m->x);
}

/* What scripted bodies did through their contacts. */
static double work_of_scripts(const cairn_world *w, const cn_classic_point *p)
{
	double work = 0;
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i)
		if (w->bodies[slots[i]].type == CAIRN_SCRIPTED) {
			cn_twist t = cn_classic_twist(w, slots[i]);
			work += (i ? -1 : 1) * v3_dot(p->impulse, v3_add(t.v, v3_cross(t.w, i ? p->rb : p->ra)));
		}
	return work;
}

/* Impulses of a pair go to its points in the list: each has its share of friction by what presses there. Returns how many hit. */
static uint32_t hand_over_pair(const cairn_world *w, const cn_relax_pack *p, uint32_t at, double scale)
{
	const cn_relax_point *points = &w->context->relax->points[p->first];
	cn_classic_point *to = &w->context->classic->points[p->from[at]];
	uint32_t hits = 0;
	double normal = 0;
	for (uint32_t j = 0; j < p->points[at]; ++j)
		normal += points[j].impulse[at];
	v3 n = v3x4_get(&p->n, at), s = v3x4_get(&p->t[0], at), t = v3x4_get(&p->t[1], at);
	v3 across = v3_madd(v3_scale(s, p->slip[0][at]), t, p->slip[1][at]);
	for (uint32_t j = 0; j < p->points[at]; ++j) {
		double share = normal > 0 ? points[j].impulse[at] / normal : 0;
		to[j].impulse = v3_scale(v3_madd(v3_scale(across, share), n, points[j].impulse[at]), scale);
		to[j].sliding = p->sliding[at] != 0;
		hits += points[j].approach[at] < -w->context->threshold && points[j].most[at] > 0;
	}
	return hits;
}

typedef struct handing {
	const cairn_world *w;
	double scale;
} handing;

static void hand_over_task(const void *context, cn_relax_span of)
{
	const handing *h = context;
	cn_relax *s = h->w->context->relax;
	uint32_t hits = 0;
	for (uint32_t i = of.begin; i < of.end; ++i)
		for (uint32_t k = 0; k < CN_RELAX_FOUR; ++k)
			hits += hand_over_pair(h->w, &s->packs[i], k, h->scale);
	s->hits[of.begin] = hits;
}

/* In the order of packs. */
static void book_scripts(cairn_world *w, cn_frame *f)
{
	const cn_relax *s = w->context->relax;
	for (uint32_t i = 0; i < s->pack_count; ++i)
		for (uint32_t k = 0; k < CN_RELAX_FOUR; ++k)
			for (uint32_t j = 0; j < s->packs[i].points[k] && s->packs[i].stands[k]; ++j) {
				double work = work_of_scripts(w, &w->context->classic->points[s->packs[i].from[k] + j]);
				f->events += work, f->report.energy.impacts += work;
			}
}

static bool hand_over(cairn_world *w, cn_frame *f, double scale)
{
	cn_relax *s = w->context->relax;
	handing h = {w, scale};
	if (!CN_ROOM(s->hits, s->pack_count + 1))
		return refuse(w, f, CAIRN_STEP_MEMORY, 0);
	cn_relax_run(w, hand_over_task, &h);
	for (uint32_t i = 0; i < s->order.task_count; ++i)
		f->report.collisions += cn_relax_empty(s->order.tasks[i]) ? 0 : s->hits[s->order.tasks[i].begin];
	if (cn_has_scripts(w))
		book_scripts(w, f);
	return true;
}

/* ---- keys */

/* The turn about one axis that leads from the orientation at the step's start to that at its end, with as many whole turns as
 * the way that the body has turned. */
static v3 turn_of(const cairn_world *w, uint32_t slot)
{
	v3 way = w->context->relax->way[slot].w, turn = q_turn(w->motion[slot].q, w->next[slot].q);
	double length = v3_length(turn), far = v3_length(way);
	if (!(far > CN_PIECE_TURN))
		return turn;
	v3 axis = length > 0 ? v3_scale(turn, 1 / length) : v3_scale(way, 1 / far);
	return v3_madd(turn, axis, 2 * CN_PI * floor((v3_dot(way, axis) - length) / (2 * CN_PI) + 0.5));
}

static uint32_t pieces_of(const cairn_world *w, uint32_t slot)
{
	double turn = v3_length(turn_of(w, slot));
	return turn < CN_PIECE_TURN * (CN_MAX_PIECES - 1) ? 1 + (uint32_t)(turn * (1 / CN_PIECE_TURN)) : 0;
}

/* Keys inside the step of one body, evenly spaced on its turn. */
static void put_keys(cairn_world *w, uint32_t slot, uint32_t pieces, cn_extra *to)
{
	const cn_motion *from = &w->motion[slot], *end = &w->next[slot];
	v3 turn = v3_scale(turn_of(w, slot), 1.0 / pieces);
	for (uint32_t k = 1; k < pieces; ++k) {
		double share = (double)k / pieces;
		cn_motion at = {v3_lerp(from->x, end->x, share), q_mul(q_exp(v3_scale(turn, k)), from->q), end->v, end->l};
		*to++ = (cn_extra){slot, cn_key_of(w, slot, &at, cn_step_time(w, share), turn)};
	}
}

/* Keys of bodies that are not held stay, those of the others are made anew. */
static bool make_keys(cairn_world *w, cn_frame *f, cn_relax *s)
{
	uint32_t count = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!w->pieces[slot] && is_swept(&s->bodies[slot]))
			return refuse(w, f, CAIRN_STEP_SPIN, slot);
		count += w->pieces[slot] ? w->pieces[slot] - 1u : 0;
	}
	if (!CN_ROOM(s->keys, count + 1) || !CN_GROW(w->next_extras, w->next_extra_capacity, count + 1))
		return refuse(w, f, CAIRN_STEP_MEMORY, 0);
	uint32_t at = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		uint32_t own = w->pieces[slot] ? w->pieces[slot] - 1u : 0;
		const cn_extra *old;
		if (own && is_swept(&s->bodies[slot]))
			put_keys(w, slot, own + 1, &s->keys[at]);
		else if (own && cn_extras_find(w->next_extras, w->next_extra_count, slot, &old) == own)
			memcpy(&s->keys[at], old, own * sizeof *old);
		at += own;
	}
	if (count)
		memcpy(w->next_extras, s->keys, count * sizeof *s->keys);
	w->next_extra_count = f->report.extra_keys = count;
	return true;
}

bool cn_relax_targets(cairn_world *w, cn_frame *f)
{
	if (!cn_has_joints(w))
		return cn_motion_free(w, f);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_body *b = &w->bodies[slot];
		cn_motion *to = &w->next[slot];
		w->pieces[slot] = b->alive;
		to->x = w->motion[slot].x, to->q = w->motion[slot].q;
		if (!b->alive || b->type != CAIRN_SCRIPTED)
			continue;
		cn_twist t = cn_classic_twist(w, slot);
		pose end = cn_script_at(b, cn_script_span(w, b).to, to->q);
		to->x = end.position, to->q = end.orientation, to->v = t.v, to->l = t.w;
	}
	w->next_extra_count = 0;
	return true;
}

/* Where a body ends, in how many pieces, and the energy that it lost to what held it. */
static void end_body(const cairn_world *w, uint32_t slot, double h)
{
	(void)h;
	const cn_relax *s = w->context->relax;
	const cn_relax_body *b = &s->bodies[slot];
	cn_motion *to = &w->next[slot];
	if (!is_swept(b))
		return;
	double alone = energy_alone(w, slot);
	to->x = v3_add(w->motion[slot].x, s->way[slot].v);
	to->q = b->q;
	to->v = s->speed[slot].v;
	to->l = cn_angular(&w->rotors[slot], b->q, s->speed[slot].w);
	bool finite = v3_finite(to->x) && q_finite(to->q) && v3_finite(to->v) && v3_finite(to->l);
	s->lost[slot] = finite ? alone - energy_of(w, slot) : NAN;
	w->pieces[slot] = finite ? (uint8_t)pieces_of(w, slot) : 0;
}

bool cn_relax_finish(cairn_world *w, cn_frame *f, double scale)
{
	cn_relax *s = w->context->relax;
	if (!CN_ROOM(s->lost, w->slots + 1))
		return refuse(w, f, CAIRN_STEP_MEMORY, 0);
	if (!hand_over(w, f, scale))
		return false;
	cn_relax_each(w, end_body, 0);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!is_swept(&s->bodies[slot]))
			continue;
		if (isnan(s->lost[slot]))
			return refuse(w, f, CAIRN_STEP_NOT_FINITE, slot);
		f->report.energy.impacts += s->lost[slot];
	}
	return make_keys(w, f, s);
}
