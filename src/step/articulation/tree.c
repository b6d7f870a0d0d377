/* The motion of an articulation whose joints form a tree, in reduced coordinates: steps of the fifth order, as long as
 * their error allows. Joints hold by construction. A joint that reaches a limit stops there, without a bounce, for the
 * rest of the frame. */
#include "base/tolerance.h"
#include "step/articulation/follow.h"
#include "step/tolerance.h"
#include "world/joint.h"

/* A tree on its way through a frame. */
typedef struct way {
	cairn_world *w;
	cn_articulations *g;
	cn_articulation *art;
	cn_joint_tree *t;
	double span;          /* s: of the whole way */
	double motors, held;  /* J: work of motors, of contacts and limits */
	double lost;          /* J: at limits */
	v3 *force, *moment;   /* by link: loads of the joints where it is now */
	v3 *force1, *moment1; /* scratch */
	cn_tree_spring *springs;
	uint32_t *spring_joint; /* by spring */
	v3 *pulled;             /* by spring: its force where the tree is now */
	bool damped;
} way;

static cn_link *link_of(const way *y, uint32_t i) { return &y->g->links[y->g->tree[y->art->link + i].link]; }
static uint32_t joint_of(const way *y, uint32_t i) { return y->g->tree[y->art->link + i].joint; }
static bool has_axis(const cn_tree_link *l) { return l->kind == CN_TREE_HINGE || l->kind == CN_TREE_SLIDER; }

/* ---- forces */

/* The target of one with keys moves through the step, to where it is at its end. */
static cn_tree_servo servo_of(const cairn_world *w, const cn_joint *j)
{
	double drift = j->motor == CAIRN_MOTOR_KEYS ? j->speed : 0;
	return (cn_tree_servo){.target = j->target - drift * w->dt,
	                       .speed = j->speed,
	                       .stiffness = j->stiffness,
	                       .damping = j->damping,
	                       .most = j->most,
	                       .drift = drift};
}

/* The tree sees the link from its parent: where the link is side a, the other way round. */
static cn_tree_servo ball_servo_of(const way *y, uint32_t i)
{
	const cn_tree_place *at = &y->g->tree[y->art->link + i];
	const cn_joint *j = &y->w->joints[at->joint];
	cn_tree_servo s = {.stiffness = j->stiffness, .damping = j->damping, .most = j->most};
	v3 swing = j->swing;
	quat end = q_exp(j->aim);
	if (at->turned) {
		end = q_mul(q_mul(q_conj(j->turned), q_conj(end)), j->turned);
		swing = v3_neg(q_rotate(end, q_unrotate(j->turned, swing)));
	}
	s.swings = v3_length2(swing) > 0, s.swing = swing;
	s.aim = s.swings ? q_mul(q_exp(v3_scale(swing, -y->w->dt)), end) : end;
	return s;
}

/* The point of a spring that is held by no link, from the step's start to its end. */
static void hold_end(const cairn_world *w, uint32_t slot, v3 arm, cn_tree_spring *s, int side)
{
	pose at = cn_joint_side(w->motion, slot);
	cn_twist u = cn_articulation_carrier(w, slot);
	quat turned = q_mul(q_exp(v3_scale(u.w, w->dt)), at.orientation);
	v3 from = v3_add(at.position, q_rotate(at.orientation, arm));
	v3 to = v3_add(v3_madd(at.position, u.v, w->dt), q_rotate(turned, arm));
	s->link[side] = CN_TREE_BASE;
	s->arm[side] = from, s->drift_of[side] = v3_scale(v3_sub(to, from), 1 / w->dt);
}

/* Springs of the articulation, which hold nothing and so are no joints of the tree. A motor of another kind pushes with the mean
 * of the frame. */
static void set_springs(way *y)
{
	const cairn_world *w = y->w;
	y->t->springs = y->springs, y->t->spring_count = 0;
	for (uint32_t i = y->art->joint; i < y->art->joint + y->art->joints; ++i) {
		uint32_t joint = y->g->joints[i];
		const cn_joint *j = &w->joints[joint];
		if (!cn_joint_pulls(w, joint) || j->motor == CAIRN_NO_MOTOR)
			continue;
		cn_tree_spring *s = &y->springs[y->t->spring_count];
		*s = (cn_tree_spring){.push = cn_joint_servo(j) ? 0 : y->g->strains[joint].drive};
		if (cn_joint_servo(j))
			s->servo = servo_of(w, j);
		for (int side = 0; side < 2; ++side) {
			uint32_t slot = side ? j->b : j->a, link = slot == CN_NO_BODY ? CN_QP_NONE : y->g->link[slot];
			v3 arm = side ? j->arm_b : j->arm_a;
			if (link == CN_QP_NONE)
				hold_end(w, slot, arm, s, side);
			for (uint32_t k = 0; k < y->t->count && link != CN_QP_NONE; ++k)
				if (y->g->tree[y->art->link + k].link == link)
					s->link[side] = k, s->arm[side] = arm;
		}
		y->pulled[y->t->spring_count] = v3_zero();
		y->spring_joint[y->t->spring_count++] = joint;
	}
}

static void set_forces(way *y)
{
	const cairn_world *w = y->w;
	y->t->stiff = false;
	for (uint32_t i = 0; i < y->t->count; ++i) {
		cn_tree_link *l = &y->t->links[i];
		const cn_link *k = link_of(y, i);
		const cn_body *b = &w->bodies[k->slot];
		bool damped = w->rotors[k->slot].damped;
		l->push = v3_scale(v3_sub(k->a, k->slow_a), l->mass);
		l->torque = v3_sub(k->torque, k->slow_torque);
		l->slow_move = damped ? b->linear_damping : 0, l->slow_turn = damped ? b->angular_damping : 0;
		y->damped |= damped;
		y->t->servo[i] = (cn_tree_servo){0};
		if (l->kind == CN_TREE_BALL && cn_joint_turns(w, joint_of(y, i)))
			y->t->servo[i] = ball_servo_of(y, i), y->t->stiff = true;
		if (!has_axis(l))
			continue;
		const cn_strain *s = &y->g->strains[joint_of(y, i)];
		const cn_joint *j = &w->joints[joint_of(y, i)];
		bool servo = cn_joint_servo(j); /* the rest program knows the mean of what it does here */
		if (servo)
			y->t->servo[i] = servo_of(w, j);
		y->t->push[l->rate] = s->stops[0] + (servo ? 0 : s->drive);
		y->t->stiff |= servo;
	}
}

/* Work of forces in the step that was just made, from the links' poses before it. */
static void add_work(way *y)
{
	const cairn_world *w = y->w;
	const cn_joint_tree *t = y->t;
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		cn_link *k = link_of(y, i);
		v3 dx = v3_sub(t->bodies[i].x, k->at.x), turn = t->turned[i];
		v3 push = v3_sub(v3_sub(v3_sub(k->a, k->slow_a), k->held_a), w->scene->settings.gravity);
		v3 twist = v3_sub(v3_sub(k->torque, k->slow_torque), k->held_torque);
		k->work += l->mass * v3_dot(push, dx) + v3_dot(twist, turn);
		y->held += l->mass * v3_dot(k->held_a, dx) + v3_dot(k->held_torque, turn);
	}
}

/* The same of motors and limits; before the step is accepted. */
static void add_axis_work(way *y)
{
	const cn_joint_tree *t = y->t;
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		if (!has_axis(l))
			continue;
		const cn_strain *s = &y->g->strains[joint_of(y, i)];
		double by = t->next_place[l->place] - t->place[l->place];
		y->motors += s->drive * by, y->held += s->stops[0] * by;
	}
}

/* ---- loads of the joints */

/* Adds a link's load over a time to its joint's strain, as it acts on side b. */
static void add_strain(way *y, uint32_t i, v3 force, v3 moment)
{
	const cn_tree_servo *servo = &y->t->servo[i];
	const cn_tree_link *l = &y->t->links[i];
	const cn_tree_place *at = &y->g->tree[y->art->link + i];
	if (at->joint == CN_QP_NONE)
		return;
	cn_strain *s = &y->g->strains[at->joint];
	if (at->turned && l->kind == CN_TREE_SLIDER) /* b's point is where the way along the axis begins */
		moment = v3_add(moment, v3_cross(v3_scale(y->t->bodies[i].axis, y->t->place[l->place]), force));
	s->force = v3_madd(s->force, force, at->turned ? -1 : 1);
	if (l->kind != CN_TREE_BALL || servo->stiffness > 0 || servo->damping > 0)
		s->torque = v3_madd(s->torque, moment, at->turned ? -1 : 1);
}

/* Over a step of length h, from the loads at both its ends. */
static void add_loads(way *y, double h)
{
	cn_joint_tree_loads(y->t, y->force1, y->moment1);
	for (uint32_t i = 0; i < y->t->count; ++i) {
		add_strain(y, i, v3_scale(v3_add(y->force[i], y->force1[i]), 0.5 * h),
		           v3_scale(v3_add(y->moment[i], y->moment1[i]), 0.5 * h));
		y->force[i] = y->force1[i], y->moment[i] = y->moment1[i];
	}
	for (uint32_t i = 0; i < y->t->spring_count; ++i) {
		v3 *sum = &y->g->strains[y->spring_joint[i]].force, now = y->t->springs[i].force;
		*sum = v3_madd(*sum, v3_add(y->pulled[i], now), 0.5 * h);
		y->pulled[i] = now;
	}
}

/* ---- limits */

/* How far beyond its limits a joint is; below 0: below the lower one. */
static double beyond(const way *y, uint32_t i, double value)
{
	const cn_joint *j = &y->w->joints[joint_of(y, i)];
	double slack = CN_UNIT_ROUNDING * (1 + fabs(value));
	return value < j->low - slack ? value - j->low : value > j->high + slack ? value - j->high : 0;
}

/* Share of a step at which a coordinate that goes from x0 to x1 is at a value between, by the cubic with these rates. */
static double crossing(double x0, double v0, double x1, double v1, double h, double at)
{
	double low = 0, high = 1;
	bool up = x1 > x0;
	for (int i = 0; i < 60; ++i) {
		double s = 0.5 * (low + high), a = 1 - s;
		double x = a * a * (1 + 2 * s) * x0 + s * s * (3 - 2 * s) * x1 + h * s * a * (a * v0 - s * v1);
		*((x > at) == up ? &high : &low) = s;
	}
	return high;
}

/* The joint that is first beyond a limit in the step just tried, and the share of the step up to there; CN_QP_NONE:
 * there is none. 0: it was at its limit already. */
static uint32_t first_beyond(const way *y, double h, double *share)
{
	const cn_joint_tree *t = y->t;
	uint32_t first = CN_QP_NONE;
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		if (!has_axis(l) || l->locked || beyond(y, i, t->next_place[l->place]) == 0)
			continue;
		double x0 = t->place[l->place], x1 = t->next_place[l->place], at = x1 - beyond(y, i, x1), s = 0;
		if (fabs(x0 - at) > CN_SAME * (1 + fabs(at)) && (x0 < at) == (at < x1))
			s = crossing(x0, t->rate[l->rate], x1, t->next_rate[l->rate], h, at);
		if (first == CN_QP_NONE || s < *share)
			first = i, *share = s;
	}
	return first;
}

static double kinetic_of(const cn_joint_tree *t)
{
	double sum = 0;
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_body *b = &t->bodies[i];
		sum += 0.5 * (t->links[i].mass * v3_dot(b->v, b->v) + v3_dot(b->l, b->spin));
	}
	return sum;
}

/* A joint stops at its limit: an impact that takes its rate and no momentum. */
static void lock(way *y, uint32_t i, double at)
{
	cn_joint_tree *t = y->t;
	cn_joint_tree_put(t, t->place);
	cn_joint_tree_move(t, t->rate);
	y->lost += kinetic_of(t);
	for (uint32_t k = 0; k < t->count; ++k)
		y->force1[k] = v3_scale(t->bodies[k].v, t->links[k].mass), y->moment1[k] = t->bodies[k].l;
	t->links[i].locked = true;
	t->place[t->links[i].place] = at;
	cn_joint_tree_put(t, t->place);
	cn_joint_tree_project(t, y->force1, y->moment1, t->rate);
	cn_joint_tree_move(t, t->rate);
	y->lost -= kinetic_of(t);
	for (uint32_t k = 0; k < t->count; ++k) {
		y->force1[k] = v3_sub(v3_scale(t->bodies[k].v, t->links[k].mass), y->force1[k]);
		y->moment1[k] = v3_sub(t->bodies[k].l, y->moment1[k]);
	}
	cn_joint_tree_carry(t, y->force1, y->moment1);
	for (uint32_t k = 0; k < t->count; ++k)
		add_strain(y, k, y->force1[k], y->moment1[k]);
	cn_articulation_write_tree(y->w, y->art);
	cn_joint_tree_changed(t);
}

/* ---- steps */

/* A step that turns no link further than can be shown between two keys, nor is longer than what is left. */
static double length_of(const way *y, double h, double left)
{
	double fast = 0;
	for (uint32_t i = 0; i < y->t->count; ++i) {
		double spin = v3_length2(y->t->spins[i]);
		fast = spin > fast ? spin : fast;
	}
	double most = 0.5 * CN_PIECE_TURN / sqrt(fast);
	h = h < most ? h : most;
	return h < left ? left / ceil(left / h) : left;
}

/* The step that was tried turns a link further from its last key than can be shown. */
static bool turns_too_far(const way *y)
{
	bool far = false;
	for (uint32_t i = 0; i < y->t->count; ++i)
		far |= !(v3_length(q_turn(link_of(y, i)->cut, y->t->bodies[i].q)) <= CN_PIECE_TURN);
	return far;
}

static void take(way *y, double h)
{
	add_axis_work(y);
	add_loads(y, h);
	cn_joint_tree_accept(y->t, h);
	add_work(y);
	cn_articulation_write_tree(y->w, y->art);
}

/* Goes to the end of the way. False: memory ran out. *there: it was reached. */
static bool go(way *y, bool *there)
{
	cn_joint_tree *t = y->t;
	double h = INFINITY, share;
	t->least = t->stiff ? y->span / CN_MAX_PIECES : 0; /* where a servo gives in, no step is without error */
	*there = false;
	for (uint32_t tries = 0; tries < 8 * CN_MAX_PIECES; ++tries) { /* some steps between keys, and some taken back */
		double left = y->span - t->time;
		if (!(left > CN_UNIT_ROUNDING * y->span)) {
			*there = true;
			return true;
		}
		if (!t->begun) {
			cn_joint_tree_begin(t);
			cn_joint_tree_loads(t, y->force, y->moment);
			for (uint32_t i = 0; i < t->spring_count; ++i)
				y->pulled[i] = t->springs[i].force;
			h = cn_joint_tree_stiff(t, left) ? left : cn_joint_tree_first(t);
		}
		h = length_of(y, h, left);
		if (!cn_articulation_cut(y->w, y->art, h, t->time / y->w->dt))
			return false;
		if (y->art->result == CN_ARTICULATION_COARSE)
			return true;
		double error = cn_joint_tree_step(t, h, y->w->dt), next = cn_joint_tree_length(h, error);
		bool fine = error <= CN_TREE_ACCURACY || (h <= t->least && isfinite(error));
		if (!fine || turns_too_far(y)) {
			h = next < 0.5 * h ? next : 0.5 * h;
			continue;
		}
		uint32_t hit = first_beyond(y, h, &share);
		if (hit != CN_QP_NONE) {
			double value = t->next_place[t->links[hit].place], at = value - beyond(y, hit, value);
			if (share > 0 && fabs(value - at) > CN_SAME * (1 + fabs(at))) {
				h *= share;
				continue;
			}
			if (share > 0)
				take(y, h);
			lock(y, hit, at);
			continue;
		}
		take(y, h);
		h = next;
	}
	return true;
}

/* Damping did what the other forces did not. */
static void share_damping(way *y, double work)
{
	double all = 0;
	for (uint32_t i = 0; i < y->t->count; ++i)
		all += y->t->links[i].mass * (y->t->links[i].slow_move + y->t->links[i].slow_turn);
	for (uint32_t i = 0; i < y->t->count && all > 0; ++i) {
		const cn_tree_link *l = &y->t->links[i];
		link_of(y, i)->work += work * l->mass * (l->slow_move + l->slow_turn) / all;
	}
}

/* Nothing acts on a free tree but one acceleration that is the same everywhere: where its centre
 * is after the way, and its momenta there, are known. */
static bool falls_freely(const way *y, cn_whole *all)
{
	const cairn_world *w = y->w;
	v3 mean = v3_zero();
	double much = 0, spread = 0, turn = 0, fast = 0;
	for (uint32_t i = 0; i < y->t->count; ++i)
		mean = v3_add(mean, y->t->links[i].push);
	mean = v3_scale(mean, 1 / all->mass);
	for (uint32_t i = 0; i < y->t->count; ++i) {
		const cn_tree_link *l = &y->t->links[i];
		const cn_link *k = link_of(y, i);
		spread += v3_length(v3_madd(l->push, mean, -l->mass)) * y->span, turn += v3_length(l->torque) * y->span;
		much += l->mass * (v3_length(k->at.v) + v3_length(mean) * y->span), fast += v3_length(k->at.l);
	}
	bool free = !y->art->tied && !y->damped && spread <= CN_UNIT_ROUNDING * much &&
	            turn <= CN_UNIT_ROUNDING * (fast + much * w->bodies[link_of(y, 0)->slot].radius);
	all->center = v3_madd(v3_madd(all->center, all->momentum, y->span / all->mass), mean, 0.5 * y->span * y->span);
	all->momentum = v3_madd(all->momentum, mean, all->mass * y->span);
	return free;
}

bool cn_articulation_follow_tree(cairn_world *w, cn_articulation *art, double span, bool *well)
{
	cn_articulations *g = w->context->articulations;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	way y = {.w = w, .g = g, .art = art, .t = art->tree, .span = span * w->dt};
	v3 *loads;
	*well = false;
	art->key = g->key_count;
	if (!CN_LOCAL(loads, 4 * art->links) || !CN_LOCAL(y.springs, art->joints) ||
	    !CN_LOCAL(y.spring_joint, art->joints) || !CN_LOCAL(y.pulled, art->joints))
		return false;
	y.force = loads, y.moment = loads + art->links;
	y.force1 = loads + 2 * (size_t)art->links, y.moment1 = loads + 3 * (size_t)art->links;
	cn_whole all = cn_articulation_whole(w, g, art);
	cn_articulation_read_tree(w, art);
	cn_articulation_write_tree(w, art);
	set_forces(&y);
	set_springs(&y);
	bool falls = falls_freely(&y, &all) && !y.t->spring_count;
	double before = cn_articulation_energy(w, g, art);
	bool driven = y.t->stiff || y.t->spring_count; /* what servos and springs do is not known */
	bool there, fine = go(&y, &there);
	y.t->spring_count = 0;
	cn_arena_return(arena, mark);
	if (!fine || !there)
		return fine;
	if (falls)
		cn_articulation_set_whole(w, art, &all);
	before += y.motors + y.held - y.lost;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		before += g->links[i].work;
	if (y.damped && !driven)
		share_damping(&y, cn_articulation_energy(w, g, art) - before);
	*well = y.damped || driven || cn_articulation_keep_energy(w, art, before);
	cn_articulation_take_back(w, art, y.held);
	return true;
}
