/* Goals as virtual springs in a run (PBA 7.2.2, 7.6.1). A goal is a list of numbers r that ought to be 0, with r' = J u. Its
 * spring pushes with J'f, f = -k r1 - c u1: of the values at the step's end, r1 = r + dt J u1, so that no stiffness is too much.
 *
 * How far a push moves its body depends on what joints tie to it, and on other goals. So the impulses of all goals are found
 * together with those of the joints of their figures, by conjugate gradients. Those of goals act as forces of the step; joints are followed afterwards as ever. Contacts and motors are not
 * asked: what stands in the way is pressed with the force of a body that would be free. */
#include "scene/goal.h"
#include "step/hooks.h"
#include "step/joint/equations.h"
#include "step/motion/script.h"
#include "step/stages.h"
#include "world/joint.h"

#include <string.h>

typedef struct row {
	uint32_t slot[2];       /* CN_NO_BODY: nothing that can be pushed */
	cn_twist j[2], give[2]; /* what a unit impulse does to velocity and spin */
	double mass, soft, bias, impulse;
	double off, way, change; /* while they are solved for */
	bool goal;
} row;

typedef struct rows {
	row *all;
	uint32_t count;
	cn_twist *speed; /* by slot */
	uint8_t *held;   /* by slot: of a figure that a goal is about, or of one itself */
} rows;

static bool there(const cairn_world *w, cairn_body body)
{
	return body.index < w->slots && w->bodies[body.index].alive && w->bodies[body.index].generation == body.generation;
}

static bool acts(const cairn_world *w, const cairn_goal_def *g)
{
	return g->stiffness > 0 && there(w, g->a) && (g->kind == CAIRN_GOAL_FIXED_POINT || there(w, g->b));
}

static void mark(const cairn_world *w, rows *s)
{
	for (uint32_t i = 0; i < w->scene->asked.goal_count; ++i) {
		const cairn_goal_def *g = &w->scene->asked.goals[i];
		if (!acts(w, g))
			continue;
		s->held[g->a.index] = 1;
		if (g->kind != CAIRN_GOAL_FIXED_POINT)
			s->held[g->b.index] = 1;
	}
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
			const cn_joint *j = &w->joints[i];
			if (j->a == CN_NO_BODY || j->b == CN_NO_BODY || s->held[j->a] == s->held[j->b] || !cn_joint_stands(w, j))
				continue;
			uint32_t from = s->held[j->a] ? j->a : j->b, to = s->held[j->a] ? j->b : j->a;
			if (cn_body_movable(w, from) && cn_body_movable(w, to))
				s->held[to] = 1, more = true;
		}
	}
}

static void add_row(const cairn_world *w, rows *s, const uint32_t slot[2], const cn_twist j[2], row like)
{
	row *r = &s->all[s->count++];
	double k = like.soft;
	*r = like;
	for (int i = 0; i < 2; ++i) {
		bool moves = slot[i] != CN_NO_BODY && cn_body_movable(w, slot[i]);
		r->slot[i] = slot[i], r->j[i] = j[i];
		r->give[i] = (cn_twist){v3_zero(), v3_zero()};
		if (!moves)
			continue;
		const cn_rotor *rotor = &w->rotors[slot[i]];
		r->give[i] = (cn_twist){v3_scale(j[i].v, rotor->inv_mass), cn_spin(rotor, w->motion[slot[i]].q, j[i].w)};
		k += v3_dot(j[i].v, r->give[i].v) + v3_dot(j[i].w, r->give[i].w);
	}
	r->mass = k > 0 ? 1 / k : 0;
}

/* What a goal's number changes with when its body moves and turns about its centre of mass. */
static cn_twist about_center(const cairn_world *w, uint32_t slot, const cn_goal_part *p, uint32_t k, v3 at)
{
	return (cn_twist){p->by_velocity[k],
	                  v3_add(p->by_spin[k], v3_cross(v3_sub(at, w->motion[slot].x), p->by_velocity[k]))};
}

static cn_goal_side side_of(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	return (cn_goal_side){.shape = b->shape, .at = cn_body_frame(b, &w->motion[slot])};
}

static void add_goal(const cairn_world *w, rows *s, const cairn_goal_def *g)
{
	bool two = g->kind != CAIRN_GOAL_FIXED_POINT;
	uint32_t slot[2] = {g->a.index, two ? g->b.index : CN_NO_BODY};
	cn_goal_side side[2] = {side_of(w, slot[0]), side_of(w, slot[two ? 1 : 0])};
	double dt = w->dt, k = g->weight * g->stiffness, soft = 1 / (dt * (dt * k + g->weight * g->damping));
	cn_goal_rows own;
	cn_goal_normals(w->scene, g, side);
	cn_goal_look(w->scene, g, side, true, &own);
	for (uint32_t i = 0; i < own.count; ++i) {
		cn_twist j[2] = {about_center(w, slot[0], &own.a, i, own.at_a), {v3_zero(), v3_zero()}};
		if (two)
			j[1] = about_center(w, slot[1], &own.b, i, own.at_b);
		add_row(w, s, slot, j, (row){.soft = soft, .bias = dt * k * own.r[i] * soft, .goal = true});
	}
}

static void add_joint(const cairn_world *w, rows *s, uint32_t joint)
{
	const cn_joint *j = &w->joints[joint];
	cn_joint_row equations[CN_JOINT_ROWS];
	bool held = (j->a != CN_NO_BODY && s->held[j->a] && cn_body_movable(w, j->a)) ||
	            (j->b != CN_NO_BODY && s->held[j->b] && cn_body_movable(w, j->b));
	if (!held || !cn_joint_stands(w, j))
		return;
	const uint32_t slot[2] = {j->a, j->b};
	uint32_t count =
		cn_joint_equations(w, joint, cn_joint_side(w->motion, j->a), cn_joint_side(w->motion, j->b), equations);
	for (uint32_t i = 0; i < count; ++i)
		add_row(w, s, slot, (cn_twist[2]){equations[i].ja, equations[i].jb}, (row){.goal = false});
}

static double value_of(const rows *s, const row *r)
{
	double u = 0;
	for (int i = 0; i < 2; ++i)
		if (r->slot[i] != CN_NO_BODY)
			u += v3_dot(r->j[i].v, s->speed[r->slot[i]].v) + v3_dot(r->j[i].w, s->speed[r->slot[i]].w);
	return u;
}

/* What impulses along the directions of all rows change at each. */
static void respond(cairn_world *w, rows *s)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		s->speed[slot] = (cn_twist){v3_zero(), v3_zero()};
	for (uint32_t k = 0; k < s->count; ++k)
		for (int i = 0; i < 2; ++i) {
			const row *r = &s->all[k];
			cn_twist *t = r->slot[i] == CN_NO_BODY ? NULL : &s->speed[r->slot[i]];
			if (t)
				t->v = v3_madd(t->v, r->give[i].v, r->way), t->w = v3_madd(t->w, r->give[i].w, r->way);
		}
	for (uint32_t k = 0; k < s->count; ++k)
		s->all[k].change = s->all[k].soft * s->all[k].way + value_of(s, &s->all[k]);
}

/* Conjugate gradients, each row by its own mass: as many steps as there are rows would end them but for rounding. */
static void solve(cairn_world *w, rows *s)
{
	double left = 0, most;
	for (uint32_t k = 0; k < s->count; ++k) {
		row *r = &s->all[k];
		r->off = -r->bias - value_of(s, r), r->way = r->mass * r->off;
		left += r->off * r->way;
	}
	most = left;
	for (uint32_t n = 0; n < s->count && left > CN_UNIT_ROUNDING * CN_UNIT_ROUNDING * most; ++n) {
		double bend = 0, next = 0;
		respond(w, s);
		for (uint32_t k = 0; k < s->count; ++k)
			bend += s->all[k].way * s->all[k].change;
		double by = bend > 0 ? left / bend : 0;
		for (uint32_t k = 0; k < s->count; ++k) {
			row *r = &s->all[k];
			r->impulse += by * r->way, r->off -= by * r->change;
			next += r->off * r->mass * r->off;
		}
		for (uint32_t k = 0; k < s->count; ++k)
			s->all[k].way = s->all[k].mass * s->all[k].off + next / left * s->all[k].way;
		left = next;
	}
}

/* J: kinetic, and of height where the body goes with the mean of both velocities. */
static double energy_of(const cairn_world *w, uint32_t slot)
{
	cn_motion m = w->next[slot];
	m.q = w->motion[slot].q;
	const cn_rotor *r = &w->rotors[slot];
	return cn_kinetic(r, &m) - 0.5 * w->dt * r->mass * v3_dot(w->scene->settings.gravity, m.v);
}

static void push(cairn_world *w, cn_frame *f, const row *r)
{
	for (int i = 0; r->goal && i < 2; ++i) {
		uint32_t slot = r->slot[i];
		if (slot == CN_NO_BODY || !cn_body_movable(w, slot))
			continue;
		double before = energy_of(w, slot);
		w->next[slot].v = v3_madd(w->next[slot].v, r->j[i].v, r->impulse * w->rotors[slot].inv_mass);
		w->next[slot].l = v3_madd(w->next[slot].l, r->j[i].w, r->impulse);
		f->report.energy.fields += energy_of(w, slot) - before;
	}
}

static cn_twist speed_of_script(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	const cn_motion *from = &w->motion[slot];
	pose end = cn_script_at(b, cn_script_span(w, b).to, from->q);
	return (cn_twist){v3_scale(v3_sub(end.position, from->x), 1 / w->dt),
	                  v3_scale(q_turn(from->q, end.orientation), 1 / w->dt)};
}

/* Velocities at the step's end as other forces leave them; of what a script moves its mean. */
static cn_twist speed_of(const cairn_world *w, uint32_t slot)
{
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *m = &w->next[slot];
	if (r->active)
		return (cn_twist){m->v, cn_spin(r, w->motion[slot].q, m->l)};
	return w->bodies[slot].type == CAIRN_SCRIPTED ? speed_of_script(w, slot) : (cn_twist){v3_zero(), v3_zero()};
}

bool cn_goals_push(cairn_world *w, cn_frame *f)
{
	cn_arena arena = cn_arena_make(&w->allocator);
	uint32_t most = CN_GOAL_ROWS * w->scene->asked.spring_count + CN_JOINT_ROWS * w->scene->joint_count;
	rows s = {.all = cn_arena_take(&arena, most, sizeof *s.all),
	          .speed = cn_arena_take(&arena, w->slots, sizeof *s.speed),
	          .held = cn_arena_take(&arena, w->slots, sizeof *s.held)};
	if (arena.failed) {
		f->report.status = CAIRN_STEP_MEMORY;
		cn_arena_free(&arena);
		return false;
	}
	memset(s.held, 0, w->slots);
	mark(w, &s);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->bodies[slot].alive)
			s.speed[slot] = speed_of(w, slot);
	for (uint32_t i = 0; i < w->scene->asked.goal_count; ++i)
		if (acts(w, &w->scene->asked.goals[i]))
			add_goal(w, &s, &w->scene->asked.goals[i]);
	for (uint32_t i = 0; i < w->scene->joint_count; ++i)
		add_joint(w, &s, i);
	solve(w, &s);
	for (uint32_t i = 0; i < s.count; ++i)
		push(w, f, &s.all[i]);
	cn_arena_free(&arena);
	return true;
}
