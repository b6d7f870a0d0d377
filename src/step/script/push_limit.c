/* Limits of pushing scripts in momentum programs: no body leaves faster than the motion of the scripts explains.
 *
 * Nothing pushes a script, so a body between one and something immovable may have no feasible velocity or, in a wedge,
 * only a very large one; impulses grow without bound. But if a point with speed s hits or pushes a body that approaches
 * with speed b, the body leaves along the normal with at most b + 2 s, whatever the restitution, and keeps its speed
 * across. Measured by energy, |u| = sqrt(2T/m), this also holds for rotation. If a solve leaves a body of an island
 * faster, the scripts that touch the island are slowed in this program as much as needed; at the last try they stand.
 * In this frame or the next they begin with no more than that share of their step: they wait. */
#include "step/context.h"
#include "step/frame/substeps.h"
#include "step/tolerance.h"

/* rule: script impact; x the speed of scripts; a true impact gives no more, so what gets more is squeezed and the script
 * waits, and so does one whose impulses grow against each other; scene: scenes/lift.json; test:
 * test_oba_script/pinched_bodies_are_not_shot_off; with: CN_SCRIPT_SQUEEZE_MAX */
#define CN_SCRIPT_IMPACT_MAX 2.0
#define CN_SCRIPT_SQUEEZE_MAX                                                                                          \
	1e3 /* x an island's mass x its speeds: larger impulses are of something squeezed (cli/scripts) */

static double speed_of(const cn_program *p, uint32_t body, const cn_twist *u)
{
	cn_qp one = {.body_count = 1, .bodies = &p->bodies[body], .u0 = u};
	return sqrt(2 * cn_qp_energy(&one, u) * p->bodies[body].inv_mass);
}

/* m/s: speed of a body before scripts pushed it in this frame, also if this is a later substep. */
static double speed_before(const cairn_world *w, uint32_t body)
{
	uint32_t slot = w->context->program.slots[body];
	double now = speed_of(&w->context->program, body, &w->context->pushes.before[slot]);
	if (w->step == 0 || !w->rotors[slot].active)
		return now;
	double first = sqrt(2 * cn_kinetic(&w->rotors[slot], &w->part.memory->first[slot]) * w->rotors[slot].inv_mass) +
	               w->context->gravity / w->scene->settings.fps;
	return now < first ? now : first;
}

static v3 speed_at(const cn_twist *u, v3 r) { return v3_add(u->v, v3_cross(u->w, r)); }

static double square(double x) { return x * x; }

/* The scripted body of a contact; CN_QP_NONE: there is none. */
static uint32_t script_of(const cn_context *c, uint32_t contact)
{
	const cn_qp_contact *k = &c->program.contacts[contact];
	if (k->a != CN_QP_NONE && cn_path_driven(&c->paths.by_slot[c->program.slots[k->a]]))
		return k->a;
	return k->b != CN_QP_NONE && cn_path_driven(&c->paths.by_slot[c->program.slots[k->b]]) ? k->b : CN_QP_NONE;
}

/* Adds a contact with a script to the sums of its island. */
static void add_contact(const cn_context *c, uint32_t contact, uint32_t script, cn_push_island *sum)
{
	const cn_program *p = &c->program;
	const cn_qp_contact *k = &p->contacts[contact];
	bool a = script == k->a;
	uint32_t other = a ? k->b : k->a;
	double speed = v3_length(speed_at(&c->pushes.before[p->slots[script]], a ? k->ra : k->rb));
	double comes = (a ? -1 : 1) * v3_dot(k->n, speed_at(&c->pushes.before[p->slots[other]], a ? k->rb : k->ra));
	sum->script = speed > sum->script ? speed : sum->script;
	sum->comes = comes > sum->comes ? comes : sum->comes;
}

/* Finds out how fast the islands of the current program are, and the scripts that touch them. */
static void measure(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	cn_qp_islands(&p->qp, p->island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->pushes.islands[i] = (cn_push_island){0};
	for (uint32_t i = 0; i < p->qp.row_count; ++i) {
		const uint32_t sides[2] = {p->rows[i].a, p->rows[i].b};
		for (int j = 0; j < 2; ++j)
			if (sides[j] != CN_QP_NONE && p->island[sides[j]] != CN_QP_NONE)
				c->pushes.islands[p->island[sides[j]]].has_joints = true;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		uint32_t script = script_of(c, i);
		if (script != CN_QP_NONE)
			add_contact(c, i, script, &c->pushes.islands[cn_program_island(p, i)]);
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		if (p->island[i] == CN_QP_NONE || !(c->pushes.islands[p->island[i]].script > 0))
			continue;
		cn_push_island *k = &c->pushes.islands[p->island[i]];
		double before = speed_before(w, i), after = speed_of(p, i, &p->u[i]);
		k->before = before > k->before ? before : k->before;
		k->mass += p->bodies[i].inv_mass > 0 ? 1 / p->bodies[i].inv_mass : 0;
		k->after = after <= k->after ? k->after : after; /* NaN counts too */
	}
}

/* The impulses of an island are many times its momentum and weight. It is squeezed, and stands still only because
 * impulses from both sides cancel. */
static bool squeezed(const cairn_world *w, const cn_push_island *k, double impulse)
{
	double speed = k->before + k->comes + k->script + w->context->gravity * w->dt;
	return !(impulse <= CN_SCRIPT_SQUEEZE_MAX * k->mass * speed);
}

bool cn_push_limit_begin(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	if (!CN_ROOM(c->pushes.before, w->slots + 1) || !CN_ROOM(c->pushes.islands, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->paths.by_slot[slot].drive.share = 1;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->pushes.before[p->slots[i]] = p->u0[i];
	return true;
}

bool cn_push_limit(cairn_world *w, uint32_t tries)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	bool any = false;
	if (!c->paths.moving_scripts || tries > CN_SCRIPT_TRIES)
		return false;
	measure(w);
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_push_island *k = &c->pushes.islands[cn_program_island(p, i)];
		if (k->script > 0 && squeezed(w, k, p->y[i].n))
			k->after = INFINITY;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_push_island *k = &c->pushes.islands[cn_program_island(p, i)];
		double along = k->comes + CN_SCRIPT_IMPACT_MAX * k->script;
		double max = sqrt(square(k->before) + square(along)) - k->before, more = k->after - k->before;
		if (k->has_joints || !(k->script > 0) || more <= max * (1 + CN_SAME))
			continue;
		p->y[i] = (cn_qp_impulse){0, 0, 0}; /* without a solution they have only grown */
		any = true;
		uint32_t script = script_of(c, i);
		if (script == CN_QP_NONE)
			continue;
		double less = tries < CN_SCRIPT_TRIES && more < INFINITY ? max / more : 0;
		cn_push_island *own = &c->pushes.islands[script]; /* the entry of the script itself, which is in no island */
		own->share = own->slowed && own->share < less ? own->share : less;
		own->slowed = true;
	}
	for (uint32_t i = 0; i < p->qp.body_count && any; ++i) {
		double *share = &c->paths.by_slot[p->slots[i]].drive.share;
		cn_twist u = c->pushes.before[p->slots[i]];
		*share *= p->island[i] == CN_QP_NONE && c->pushes.islands[i].slowed ? c->pushes.islands[i].share : 1;
		p->u0[i] = (cn_twist){v3_scale(u.v, *share), v3_scale(u.w, *share)};
	}
	return any;
}

void cn_push_limit_pace(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!cn_path_driven(y))
			continue;
		y->drive.pushed = y->drive.pace * y->drive.share;
		y->drive.pace = y->drive.pushed > CN_SCRIPT_STEP_MIN ? y->drive.pushed : CN_SCRIPT_STEP_MIN;
	}
}
