/* The text's constrained dynamics (PBA 7.4.3): the cheap figure. Every body moves as if it were alone; then each figure is gone
 * through from its root outward, and every link is put where its joint allows, as near as can be to where it went alone. A link
 * never acts on what is nearer to the root.
 *
 * The text has particles and distances. The particle of a link is its centre of mass, which is put at its distance from the
 * joint's point on the line between the two; then the link turns, no further than it must, until its own point of the joint is
 * there. Hinges, sliders and fixed joints also take the turns that they do not allow. Velocities change by what was moved, by
 * the length of the step: so a link at rest stays at rest, and one that swings goes on swinging. */
#include "base/trig.h"
#include "step/classic/classic.h"
#include "step/hooks.h"
#include "step/joint/equations.h"
#include "step/motion/rotate.h"
#include "step/relax/relax.h"
#include "step/tolerance.h"
#include "world/joint.h"

/* A joint from the side of the body that is to be placed. */
typedef struct side {
	uint32_t joint, from, slot; /* from: placed already; CN_NO_BODY: the world */
	bool second;                /* the body is b of the joint */
	v3 at, axis;                /* world: where the joint holds it, and the axis there */
	quat turned;                /* how it is turned where nothing of the joint turns */
	v3 arm, own_axis;           /* in the axes of the body */
} side;

static bool movable(const cn_relax *s, uint32_t slot) { return slot != CN_NO_BODY && s->bodies[slot].inv_mass > 0; }

static pose pose_of(const cairn_world *w, uint32_t slot)
{
	const cn_relax *s = w->context->relax;
	if (slot == CN_NO_BODY)
		return pose_identity();
	const cn_motion *end = &w->next[slot];
	if (!movable(s, slot)) /* where a script leads to */
		return (pose){end->x, end->q};
	return (pose){v3_add(w->motion[slot].x, s->way[slot].v), s->bodies[slot].q};
}

/* ---- alone */

static void move_alone(cairn_world *w, uint32_t slot)
{
	cn_relax *s = w->context->relax;
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	cn_relax_body *b = &s->bodies[slot];
	v3 mean = cn_mean_momentum(w, slot);
	s->way[slot].v = v3_scale(v3_add(from->v, to->v), 0.5 * w->dt);
	s->way[slot].w = v3_scale(cn_spin(r, from->q, mean), w->dt);
	b->q = cn_rotate_free(r, from->q, mean, w->dt);
	s->speed[slot].v = to->v;
	s->speed[slot].w = cn_spin(r, b->q, to->l);
}

/* ---- one link */

static side side_of(const cairn_world *w, uint32_t joint, bool second)
{
	const cn_joint *j = &w->joints[joint];
	uint32_t from = second ? j->a : j->b;
	pose at = pose_of(w, from);
	v3 arm = q_rotate(at.orientation, second ? j->arm_a : j->arm_b);
	return (side){.joint = joint,
	              .from = from,
	              .slot = second ? j->b : j->a,
	              .second = second,
	              .at = v3_add(at.position, arm),
	              .axis = q_rotate(at.orientation, second ? j->axis_a : j->axis_b),
	              .turned = q_mul(at.orientation, second ? j->turned : q_conj(j->turned)),
	              .arm = second ? j->arm_b : j->arm_a,
	              .own_axis = second ? j->axis_b : j->axis_a};
}

/* The least turn that takes one direction to another; none where one of them is nothing. */
static quat turn_to(v3 from, v3 to)
{
	double size = v3_length(from) * v3_length(to);
	if (!(size > 0))
		return q_identity();
	double c = v3_dot(from, to) / size;
	v3 n = v3_scale(v3_cross(from, to), 1 / size), across, other;
	if (c > -1 + CN_SAME)
		return q_unit((quat){1 + c, n.x, n.y, n.z});
	cn_qp_tangents(v3_unit(from), &across, &other);
	return (quat){0, across.x, across.y, across.z};
}

static v3 without(v3 v, v3 unit) { return v3_madd(v, unit, -v3_dot(v, unit)); }

/* How far beyond its limits the joint's only axis is with the body there; below 0: below the lower one. */
static double beyond(const cairn_world *w, const side *of, pose p)
{
	cn_joint_span in = cn_joint_limits(w, of->joint, 0);
	pose from = pose_of(w, of->from);
	double value = cn_joint_axis(w, of->joint, 0, of->second ? from : p, of->second ? p : from).off;
	return value < in.low ? value - in.low : value > in.high ? value - in.high : 0;
}

static pose on_ball(const side *of, pose alone)
{
	quat q = q_mul(turn_to(q_rotate(alone.orientation, of->arm), v3_sub(of->at, alone.position)), alone.orientation);
	return (pose){v3_sub(of->at, q_rotate(q, of->arm)), q_unit(q)};
}

static pose on_hinge(const cairn_world *w, const side *of, pose alone)
{
	quat q = q_mul(turn_to(q_rotate(alone.orientation, of->own_axis), of->axis), alone.orientation);
	v3 now = without(q_rotate(q, of->arm), of->axis), wanted = without(v3_sub(of->at, alone.position), of->axis);
	double angle = cn_atan2(v3_dot(v3_cross(now, wanted), of->axis), v3_dot(now, wanted));
	q = q_unit(q_mul(q_exp(v3_scale(of->axis, angle)), q));
	double off = beyond(w, of, (pose){alone.position, q}) * (of->second ? -1 : 1);
	if (off != 0)
		q = q_unit(q_mul(q_exp(v3_scale(of->axis, off)), q));
	return (pose){v3_sub(of->at, q_rotate(q, of->arm)), q};
}

static pose on_slider(const cairn_world *w, const side *of, pose alone)
{
	v3 arm = q_rotate(of->turned, of->arm);
	double along = v3_dot(v3_sub(v3_add(alone.position, arm), of->at), of->axis);
	pose p = {v3_sub(v3_madd(of->at, of->axis, along), arm), of->turned};
	double off = beyond(w, of, p) * (of->second ? -1 : 1);
	return (pose){v3_madd(p.position, of->axis, off), p.orientation};
}

static pose on_rod(const cairn_world *w, const side *of, pose alone)
{
	v3 apart = v3_sub(v3_add(alone.position, q_rotate(alone.orientation, of->arm)), of->at);
	double length = v3_length(apart);
	if (!(length > 0))
		return alone;
	return (pose){v3_madd(alone.position, apart, -beyond(w, of, alone) / length), alone.orientation};
}

static void place(cairn_world *w, const side *of)
{
	cn_relax *s = w->context->relax;
	pose alone = pose_of(w, of->slot), p = alone;
	switch (w->scene->joints[of->joint].type) {
	case CAIRN_BALL: p = on_ball(of, alone); break;
	case CAIRN_HINGE: p = on_hinge(w, of, alone); break;
	case CAIRN_SLIDER: p = on_slider(w, of, alone); break;
	case CAIRN_WELD: p = (pose){v3_sub(of->at, q_rotate(of->turned, of->arm)), of->turned}; break;
	case CAIRN_DISTANCE: p = on_rod(w, of, alone); break;
	default: return;
	}
	v3 moved = v3_sub(p.position, alone.position), turned = q_turn(alone.orientation, p.orientation);
	s->way[of->slot].v = v3_add(s->way[of->slot].v, moved), s->way[of->slot].w = v3_add(s->way[of->slot].w, turned);
	s->speed[of->slot].v = v3_madd(s->speed[of->slot].v, moved, 1 / w->dt);
	s->speed[of->slot].w = v3_madd(s->speed[of->slot].w, turned, 1 / w->dt);
	s->bodies[of->slot].q = p.orientation;
}

/* ---- figures */

/* What is left to be placed is the other side of a joint whose one side stands or is placed. */
static void spread(cairn_world *w, uint8_t *placed)
{
	bool more = true;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
			const cn_joint *j = &w->joints[i];
			if (w->scene->joints[i].type == CAIRN_PASS || !cn_joint_stands(w, j))
				continue;
			bool a = j->a == CN_NO_BODY || placed[j->a], b = j->b == CN_NO_BODY || placed[j->b];
			if (a == b)
				continue;
			side of = side_of(w, i, a);
			place(w, &of);
			placed[of.slot] = 1, more = true;
		}
	}
}

/* The root of a figure that nothing holds: its heaviest body. CN_NO_BODY: all are placed. */
static uint32_t heaviest_left(const cairn_world *w, const uint8_t *placed)
{
	uint32_t best = CN_NO_BODY;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (!placed[slot] && cn_joints_of(w, slot) != CN_QP_NONE &&
		    (best == CN_NO_BODY || w->rotors[slot].mass > w->rotors[best].mass))
			best = slot;
	return best;
}

bool cn_outward_place(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context->classic;
	uint32_t points = k->point_count, root;
	if (!cn_has_joints(w))
		return true;
	k->point_count = 0; /* contacts have had their impulses: no rows of them, and what they got stays */
	bool ok = cn_relax_begin(w, f, 1, 0);
	uint8_t *placed;
	if (ok && !CN_LOCAL(placed, w->slots)) {
		f->report.status = CAIRN_STEP_MEMORY;
		ok = false;
	}
	for (uint32_t slot = 0; ok && slot < w->slots; ++slot) {
		placed[slot] = !movable(w->context->relax, slot);
		if (!placed[slot])
			move_alone(w, slot);
	}
	if (ok)
		spread(w, placed);
	while (ok && (root = heaviest_left(w, placed)) != CN_NO_BODY) {
		placed[root] = 1;
		spread(w, placed);
	}
	ok = ok && cn_relax_finish(w, f, 1);
	k->point_count = points;
	return ok;
}

/* ---- what it can do */

static uint32_t find(uint32_t *root, uint32_t i)
{
	while (root[i] != i)
		i = root[i] = root[root[i]];
	return i;
}

static const char *missing(const cairn_joint_def *d)
{
	if (d->motor != CAIRN_NO_MOTOR)
		return "has a motor";
	if (d->type == CAIRN_PULLEY || d->type == CAIRN_GEAR || d->type == CAIRN_SIX_DOF)
		return "is a pulley, a gear or one of six axes";
	return d->type == CAIRN_BALL && d->has_limits ? "is a ball with limits" : NULL;
}

bool cn_outward_can(cairn_world *w, uint32_t *joint, const char **why)
{
	cn_arena arena = cn_arena_make(&w->allocator);
	uint32_t *root = cn_arena_take(&arena, w->slots + 1, sizeof *root);
	*joint = 0, *why = root ? NULL : "finds no memory";
	for (uint32_t i = 0; root && i <= w->slots; ++i)
		root[i] = i;
	for (uint32_t i = 0; !*why && i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		*why = missing(&w->scene->joints[i]), *joint = i;
		if (*why || w->scene->joints[i].type == CAIRN_PASS || !cn_joint_stands(w, j))
			continue;
		uint32_t a = j->a != CN_NO_BODY && cn_body_movable(w, j->a) ? j->a : w->slots;
		uint32_t b = j->b != CN_NO_BODY && cn_body_movable(w, j->b) ? j->b : w->slots;
		a = find(root, a), b = find(root, b);
		*why = a == b ? "closes a ring" : NULL;
		root[a] = b;
	}
	cn_arena_free(&arena);
	return !*why;
}
