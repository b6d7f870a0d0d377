/* Poses, velocities and accelerations of a tree of links. */
#include "num/joint_tree.h"

typedef double v2 __attribute__((vector_size(16), aligned(8), may_alias));

/* ---- six-vectors */

static inline v3 turning(const double *s) { return v3_make(s[0], s[1], s[2]); }
static inline v3 straight(const double *s) { return v3_make(s[3], s[4], s[5]); }

static inline void put(double *s, v3 w, v3 v)
{
	s[0] = w.x, s[1] = w.y, s[2] = w.z;
	s[3] = v.x, s[4] = v.y, s[5] = v.z;
}

static inline v2 get(const double *s, int i) { return *(const v2 *)&s[i]; }
static inline void set(double *s, int i, v2 x) { *(v2 *)&s[i] = x; }

static inline void add(double *to, const double *s, double times)
{
	v2 t = {times, times};
	set(to, 0, get(to, 0) + get(s, 0) * t);
	set(to, 2, get(to, 2) + get(s, 2) * t);
	set(to, 4, get(to, 4) + get(s, 4) * t);
}

static inline void add_all(double *to, const double *s)
{
	set(to, 0, get(to, 0) + get(s, 0));
	set(to, 2, get(to, 2) + get(s, 2));
	set(to, 4, get(to, 4) + get(s, 4));
}

static inline double dot(const double *a, const double *b)
{
	v2 s = get(a, 0) * get(b, 0) + get(a, 2) * get(b, 2) + get(a, 4) * get(b, 4);
	return s[0] + s[1];
}

/* A symmetric matrix times a vector. */
static inline void times(double *out, double m[6][6], const double *s)
{
	v2 t = {s[0], s[0]}, x = get(m[0], 0) * t, y = get(m[0], 2) * t, z = get(m[0], 4) * t;
#define ROW(i) t = (v2){s[i], s[i]}, x = x + get(m[i], 0) * t, y = y + get(m[i], 2) * t, z = z + get(m[i], 4) * t
	ROW(1);
	ROW(2);
	ROW(3);
	ROW(4);
	ROW(5);
#undef ROW
	set(out, 0, x), set(out, 2, y), set(out, 4, z);
}

/* m - u u' / d for a symmetric matrix. */
static inline void less(double m[6][6], const double *u, double inverse)
{
	v2 x = get(u, 0), y = get(u, 2), z = get(u, 4);
#define ROW(i)                                                                                                         \
	do {                                                                                                               \
		v2 t = {u[i] * inverse, u[i] * inverse};                                                                       \
		set(m[i], 0, get(m[i], 0) - x * t);                                                                            \
		set(m[i], 2, get(m[i], 2) - y * t);                                                                            \
		set(m[i], 4, get(m[i], 4) - z * t);                                                                            \
	} while (0)
	ROW(0);
	ROW(1);
	ROW(2);
	ROW(3);
	ROW(4);
	ROW(5);
#undef ROW
}

/* ---- memory */

static uint32_t places_of(cn_tree_kind kind)
{
	switch (kind) {
	case CN_TREE_FIXED: return 0;
	case CN_TREE_HINGE:
	case CN_TREE_SLIDER:
	case CN_TREE_SCREW: return 1;
	case CN_TREE_PLANAR: return 3;
	case CN_TREE_BALL: return 4;
	case CN_TREE_FREE: return 7;
	}
	return 0;
}

static uint32_t rates_of(cn_tree_kind kind)
{
	return kind == CN_TREE_BALL ? 3 : kind == CN_TREE_FREE ? 6 : places_of(kind);
}

enum { STAGES = 7 };

/* Parts of the one block of memory that a tree is. */
typedef struct parts {
	size_t links, bodies, columns, servos, numbers, vectors, all;
} parts;

static parts parts_of(uint32_t count, uint32_t places, uint32_t rates)
{
	parts p;
	p.links = sizeof(cn_joint_tree);
	p.bodies = p.links + count * sizeof(cn_tree_link);
	p.columns = p.bodies + count * sizeof(cn_tree_body);
	p.servos = p.columns + rates * sizeof(cn_tree_column);
	p.numbers = p.servos + count * sizeof(cn_tree_servo);
	p.vectors = p.numbers + (2 * (size_t)(places + rates) + 2 * rates + 2 * rates + STAGES * (size_t)(places + rates)) *
	                            sizeof(double);
	p.all = p.vectors + (STAGES + 1) * (size_t)count * sizeof(v3);
	return p;
}

cn_joint_tree *cn_joint_tree_make(const cairn_allocator *allocator, const cn_tree_link *links, uint32_t count)
{
	uint32_t places = 0, rates = 0;
	for (uint32_t i = 0; i < count; ++i)
		places += places_of(links[i].kind), rates += rates_of(links[i].kind);
	parts p = parts_of(count, places, rates);
	char *block = cn_alloc(allocator, 1, p.all);
	if (!block)
		return NULL;
	cn_joint_tree *t = (cn_joint_tree *)(void *)block;
	double *numbers = (double *)(void *)(block + p.numbers);
	*t = (cn_joint_tree){.count = count, .places = places, .rates = rates, .base = pose_identity(), .size = 1};
	t->allocator = allocator, t->bytes = p.all;
	t->links = (cn_tree_link *)(void *)(block + p.links);
	t->bodies = (cn_tree_body *)(void *)(block + p.bodies);
	t->columns = (cn_tree_column *)(void *)(block + p.columns);
	t->servo = (cn_tree_servo *)(void *)(block + p.servos);
	t->place = numbers, t->rate = t->place + places, t->next_place = t->rate + rates;
	t->next_rate = t->next_place + places, t->push = t->next_rate + rates, t->added = t->push + rates;
	t->stages = t->added + rates;
	t->spins = (v3 *)(void *)(block + p.vectors), t->turned = t->spins + STAGES * (size_t)count;
	places = rates = 0;
	for (uint32_t i = 0; i < count; ++i) {
		cn_tree_link *l = &t->links[i];
		*l = links[i];
		l->place = places, l->places = places_of(l->kind), places += l->places;
		l->rate = rates, l->rates = rates_of(l->kind), rates += l->rates;
	}
	for (uint32_t i = 0; i < rates; ++i)
		t->push[i] = t->added[i] = 0;
	return t;
}

void cn_joint_tree_free(cn_joint_tree *t)
{
	if (t)
		cn_free(t->allocator, t, 1, t->bytes);
}

/* ---- poses */

static pose base_at(const cn_joint_tree *t)
{
	return (pose){v3_madd(t->base.position, t->base_v, t->time),
	              q_mul(q_exp(v3_scale(t->base_spin, t->time)), t->base.orientation)};
}

static quat about(v3 axis, double angle)
{
	double s, c;
	cn_sincos(0.5 * angle, &s, &c);
	return (quat){c, axis.x * s, axis.y * s, axis.z * s};
}

/* A direction across an axis. */
static v3 across(v3 n)
{
	v3 a = v3_abs(n);
	v3 e = a.x <= a.y && a.x <= a.z ? v3_make(1, 0, 0) : a.y <= a.z ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
	return v3_unit(v3_cross(n, e));
}

/* How far a joint has slid, parent's axes. */
static v3 slide_of(const cn_tree_link *l, const double *at)
{
	v3 s;
	switch (l->kind) {
	case CN_TREE_SLIDER: return v3_scale(l->axis, at[0]);
	case CN_TREE_SCREW: return v3_scale(l->axis, l->pitch * at[0]);
	case CN_TREE_PLANAR: s = across(l->axis); return v3_madd(v3_scale(s, at[0]), v3_cross(l->axis, s), at[1]);
	default: return v3_zero();
	}
}

/* How far it has turned, parent's axes. */
static quat turn_of(const cn_tree_link *l, const double *at)
{
	switch (l->kind) {
	case CN_TREE_HINGE:
	case CN_TREE_SCREW: return about(l->axis, at[0]);
	case CN_TREE_PLANAR: return about(l->axis, at[2]);
	case CN_TREE_BALL: return q_unit((quat){at[0], at[1], at[2], at[3]});
	default: return q_identity();
	}
}

static void put_link(const cn_tree_link *l, cn_tree_body *b, pose parent, const double *at)
{
	if (l->kind == CN_TREE_FREE) {
		b->x = b->joint = v3_make(at[0], at[1], at[2]);
		b->q = q_unit((quat){at[3], at[4], at[5], at[6]});
		return;
	}
	quat turn = l->kind == CN_TREE_FIXED || l->kind == CN_TREE_SLIDER ? l->turn : q_mul(turn_of(l, at), l->turn);
	v3 arm = l->arm_parent;
	if (l->kind == CN_TREE_SLIDER || l->kind == CN_TREE_SCREW || l->kind == CN_TREE_PLANAR)
		arm = v3_add(arm, slide_of(l, at));
	b->q = q_mul(parent.orientation, turn);
	b->joint = v3_add(parent.position, q_rotate(parent.orientation, arm));
	b->x = v3_sub(b->joint, q_rotate(b->q, l->arm));
	if (l->kind != CN_TREE_BALL)
		b->axis = q_rotate(parent.orientation, l->axis);
	if (l->kind == CN_TREE_PLANAR)
		b->side = q_rotate(parent.orientation, across(l->axis));
}

void cn_joint_tree_put(cn_joint_tree *t, const double *place)
{
	pose base = base_at(t);
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		const cn_tree_body *p = l->parent == CN_TREE_BASE ? NULL : &t->bodies[l->parent];
		put_link(l, &t->bodies[i], p ? (pose){p->x, p->q} : base, place + l->place);
	}
	t->origin = t->bodies[0].x;
	for (uint32_t i = 0; i < t->count; ++i)
		t->bodies[i].joint = v3_sub(t->bodies[i].joint, t->origin);
}

/* ---- inertia and columns */

/* A link's own inertia about the origin. */
static void weigh(const cn_tree_link *l, cn_tree_body *b, v3 r)
{
	m3 m = m3_from_q(q_mul(b->q, l->axes));
	const double d[3] = {l->moments.x, l->moments.y, l->moments.z};
	double e[3][3], (*i)[6] = b->inertia, far = l->mass * v3_length2(r);
	v3 mr = v3_scale(r, l->mass);
	const double at[3] = {r.x, r.y, r.z}, much[3] = {mr.x, mr.y, mr.z};
	for (int j = 0; j < 3; ++j)
		for (int k = 0; k < 3; ++k)
			e[j][k] = m.m[j][k] * d[k];
	for (int j = 0; j < 3; ++j)
		for (int k = j; k < 3; ++k)
			i[j][k] = i[k][j] = e[j][0] * m.m[k][0] + e[j][1] * m.m[k][1] + e[j][2] * m.m[k][2] - much[j] * at[k];
	for (int j = 0; j < 3; ++j)
		i[j][j] += far;
	put(i[3], v3_make(0, mr.z, -mr.y), v3_make(l->mass, 0, 0));
	put(i[4], v3_make(-mr.z, 0, mr.x), v3_make(0, l->mass, 0));
	put(i[5], v3_make(mr.y, -mr.x, 0), v3_make(0, 0, l->mass));
	for (int j = 0; j < 3; ++j)
		for (int k = 3; k < 6; ++k)
			i[j][k] = i[k][j];
}

static const v3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* Twists that a joint's rates make. */
static void columns_of(const cn_tree_link *l, const cn_tree_body *b, cn_tree_column *c)
{
	v3 u = b->axis, p = b->joint;
	switch (l->kind) {
	case CN_TREE_FIXED: return;
	case CN_TREE_HINGE: put(c->s, u, v3_cross(p, u)); return;
	case CN_TREE_SLIDER: put(c->s, v3_zero(), u); return;
	case CN_TREE_SCREW: put(c->s, u, v3_madd(v3_cross(p, u), u, l->pitch)); return;
	case CN_TREE_PLANAR:
		put(c[0].s, v3_zero(), b->side);
		put(c[1].s, v3_zero(), v3_cross(u, b->side));
		put(c[2].s, u, v3_cross(p, u));
		return;
	case CN_TREE_BALL:
	case CN_TREE_FREE:
		for (int k = 0; k < 3; ++k)
			put(c[k].s, unit[k], v3_cross(p, unit[k]));
		for (int k = 3; l->kind == CN_TREE_FREE && k < 6; ++k)
			put(c[k].s, v3_zero(), unit[k - 3]);
		return;
	}
}

/* ---- velocities */

static const double still[6] = {0, 0, 0, 0, 0, 0};

/* Twist or acceleration that a link starts from: its parent's, the base's, or none if it is free. */
#define FROM(t, l, base, what)                                                                                         \
	((l)->parent != CN_TREE_BASE ? (t)->bodies[(l)->parent].what : (l)->kind == CN_TREE_FREE ? still : (base))

static void base_twist(const cn_joint_tree *t, double *twist, double *rise)
{
	v3 r = v3_sub(t->origin, v3_madd(t->base.position, t->base_v, t->time));
	put(twist, t->base_spin, v3_add(t->base_v, v3_cross(t->base_spin, r)));
	put(rise, v3_zero(), v3_cross(t->base_v, t->base_spin));
}

/* Twist of a link from its parent's, and its acceleration at rates that do not change: the columns turn with the
 * parent, or with nothing if they are world axes, and move with the joint's point. */
static void move_link(const cn_tree_link *l, cn_tree_body *b, const cn_tree_column *c, const double *parent,
                      const double *rate)
{
	double own[6] = {0, 0, 0, 0, 0, 0};
	for (uint32_t k = 0; k < l->rates; ++k)
		add(own, c[k].s, rate[k]);
	for (int i = 0; i < 6; ++i)
		b->twist[i] = parent[i] + own[i];
	v3 w = turning(own), p = b->joint, slides = v3_sub(straight(own), v3_cross(p, w));
	v3 carried = turning(parent), point = v3_add(v3_add(straight(parent), v3_cross(carried, p)), slides);
	if (l->kind == CN_TREE_BALL || l->kind == CN_TREE_FREE) {
		put(b->lag, v3_zero(), v3_cross(point, w));
		return;
	}
	v3 turns = v3_cross(carried, w);
	put(b->lag, turns, v3_add(v3_add(v3_cross(carried, slides), v3_cross(point, w)), v3_cross(p, turns)));
}

static void follow_link(const cn_tree_link *l, cn_tree_body *b, v3 r)
{
	double(*i)[6] = b->inertia;
	v3 w = turning(b->twist), mr = v3_scale(r, l->mass);
	b->spin = w;
	b->v = v3_add(straight(b->twist), v3_cross(w, r));
	/* about the centre: that about the origin, less that of the mass there */
	v3 about_origin =
		v3_make(i[0][0] * w.x + i[0][1] * w.y + i[0][2] * w.z, i[1][0] * w.x + i[1][1] * w.y + i[1][2] * w.z,
	            i[2][0] * w.x + i[2][1] * w.y + i[2][2] * w.z);
	b->l = v3_sub(about_origin, v3_cross(mr, v3_cross(w, r)));
}

/* Forces that hold a link in its motion without acceleration, less those given. */
static void find_bias(const cn_tree_link *l, cn_tree_body *b, v3 r)
{
	v3 p = v3_scale(b->v, l->mass), about_origin = v3_add(b->l, v3_cross(r, p));
	v3 push = v3_madd(l->push, p, -l->slow_move), twist = v3_madd(l->torque, b->l, -l->slow_turn);
	v3 force = v3_sub(v3_cross(b->spin, p), push);
	v3 moment = v3_add(v3_cross(b->spin, about_origin), v3_cross(straight(b->twist), p));
	put(b->bias, v3_sub(moment, v3_add(v3_cross(r, push), twist)), force);
}

/* The columns of a link's joint and its inertia, where it is now. Returns where that is, from the origin. */
static v3 place_link(cn_joint_tree *t, uint32_t i)
{
	const cn_tree_link *l = &t->links[i];
	cn_tree_body *b = &t->bodies[i];
	v3 r = v3_sub(b->x, t->origin);
	columns_of(l, b, &t->columns[l->rate]);
	weigh(l, b, r);
	return r;
}

void cn_joint_tree_move(cn_joint_tree *t, const double *rate)
{
	double base[6], rise[6];
	base_twist(t, base, rise);
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		cn_tree_body *b = &t->bodies[i];
		v3 r = place_link(t, i);
		move_link(l, b, &t->columns[l->rate], FROM(t, l, base, twist), rate + l->rate);
		follow_link(l, b, r);
	}
}

/* ---- accelerations */

/* Takes a link's joint into its inertia, rate by rate, from the last link to the first: what is left is what its
 * parent feels of it. bias and lag: the same for forces; push NULL: there are none at the joints. */
static void gather(cn_joint_tree *t, const double *push)
{
	for (uint32_t i = t->count; i-- > 0;) {
		const cn_tree_link *l = &t->links[i];
		cn_tree_body *b = &t->bodies[i], *parent = l->parent == CN_TREE_BASE ? NULL : &t->bodies[l->parent];
		double late[6];
		times(late, b->inertia, b->lag);
		add_all(b->bias, late);
		for (uint32_t k = 0; k < l->rates && !l->locked; ++k) {
			cn_tree_column *c = &t->columns[l->rate + k];
			times(c->u, b->inertia, c->s);
			c->inverse = 1 / (dot(c->s, c->u) + t->added[l->rate + k]);
			c->force = (push ? push[l->rate + k] : 0) - dot(c->s, b->bias);
			add(b->bias, c->u, c->force * c->inverse);
			if (parent || k + 1 < l->rates)
				less(b->inertia, c->u, c->inverse);
		}
		if (!parent)
			continue;
		add_all(parent->bias, b->bias);
		for (int j = 0; j < 6; ++j)
			add_all(parent->inertia[j], b->inertia[j]);
	}
}

static void spread(cn_joint_tree *t, const double *rise, double *change)
{
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		cn_tree_body *b = &t->bodies[i];
		const double *from = FROM(t, l, rise, rise);
		set(b->rise, 0, get(from, 0)), set(b->rise, 2, get(from, 2)), set(b->rise, 4, get(from, 4));
		for (uint32_t k = l->rates; k-- > 0;) {
			const cn_tree_column *c = &t->columns[l->rate + k];
			change[l->rate + k] = l->locked ? 0 : (c->force - dot(c->u, b->rise)) * c->inverse;
			if (!l->locked)
				add(b->rise, c->s, change[l->rate + k]);
		}
		add_all(b->rise, b->lag);
	}
}

/* A side of a spring: its point and its velocity, world. */
static v3 end_of(const cn_joint_tree *t, const cn_tree_spring *s, int side, v3 *arm, v3 *moves)
{
	if (s->link[side] == CN_TREE_BASE) {
		*moves = s->drift_of[side], *arm = v3_zero();
		return v3_madd(s->arm[side], s->drift_of[side], t->time);
	}
	const cn_tree_body *b = &t->bodies[s->link[side]];
	*arm = q_rotate(b->q, s->arm[side]);
	*moves = v3_add(b->v, v3_cross(b->spin, *arm));
	return v3_add(b->x, *arm);
}

/* Forces of springs, into those that act on the links. */
static void pull_springs(cn_joint_tree *t)
{
	for (uint32_t i = 0; i < t->count && t->spring_count; ++i)
		t->bodies[i].pull = t->bodies[i].wrench = v3_zero();
	for (uint32_t i = 0; i < t->spring_count; ++i) {
		cn_tree_spring *s = &t->springs[i];
		const cn_tree_servo *k = &s->servo;
		v3 arm[2], moves[2], from = end_of(t, s, 0, &arm[0], &moves[0]), to = end_of(t, s, 1, &arm[1], &moves[1]);
		v3 d = v3_sub(to, from), n = v3_zero();
		double length = v3_length(d);
		if (length > 0)
			n = v3_scale(d, 1 / length);
		double rate = v3_dot(n, v3_sub(moves[1], moves[0]));
		double push = k->stiffness * (k->target + k->drift * t->time - length) + k->damping * (k->speed - rate);
		s->force = v3_scale(n, s->push + (push > k->most ? k->most : push < -k->most ? -k->most : push));
		for (int side = 0; side < 2; ++side) {
			if (s->link[side] == CN_TREE_BASE)
				continue;
			cn_tree_body *b = &t->bodies[s->link[side]];
			v3 f = side ? s->force : v3_neg(s->force);
			b->pull = v3_add(b->pull, f), b->wrench = v3_add(b->wrench, v3_cross(arm[side], f));
		}
	}
	for (uint32_t i = 0; i < t->count && t->spring_count; ++i) {
		cn_tree_body *b = &t->bodies[i];
		double load[6];
		put(load, v3_add(b->wrench, v3_cross(v3_sub(b->x, t->origin), b->pull)), b->pull);
		add(b->bias, load, -1);
	}
}

void cn_joint_tree_accelerate(cn_joint_tree *t, const double *place, const double *rate, double *change)
{
	double base[6], rise[6];
	cn_joint_tree_put(t, place);
	cn_joint_tree_move(t, rate);
	base_twist(t, base, rise);
	for (uint32_t i = 0; i < t->count; ++i)
		find_bias(&t->links[i], &t->bodies[i], v3_sub(t->bodies[i].x, t->origin));
	pull_springs(t);
	gather(t, t->push);
	spread(t, rise, change);
}

void cn_joint_tree_project(cn_joint_tree *t, const v3 *momentum, const v3 *turns, double *rate)
{
	double base[6], rise[6];
	base_twist(t, base, rise);
	for (uint32_t i = 0; i < t->count; ++i) {
		cn_tree_body *b = &t->bodies[i];
		v3 r = place_link(t, i);
		put(b->lag, v3_zero(), v3_zero());
		put(b->bias, v3_neg(v3_add(turns[i], v3_cross(r, momentum[i]))), v3_neg(momentum[i]));
	}
	gather(t, NULL);
	spread(t, base, rate);
}

void cn_joint_tree_drift(const cn_joint_tree *t, const double *place, const double *rate, double *change)
{
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		const double *at = place + l->place, *by = rate + l->rate;
		double *out = change + l->place;
		if (l->kind != CN_TREE_BALL && l->kind != CN_TREE_FREE) {
			for (uint32_t k = 0; k < l->rates; ++k)
				out[k] = by[k];
			continue;
		}
		v3 w = v3_make(by[0], by[1], by[2]);
		if (l->kind == CN_TREE_FREE) {
			out[0] = by[3], out[1] = by[4], out[2] = by[5];
			at += 3, out += 3;
		} else {
			quat q = l->parent == CN_TREE_BASE ? base_at(t).orientation : t->bodies[l->parent].q;
			w = q_unrotate(q, w);
		}
		quat d = q_mul((quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z}, (quat){at[0], at[1], at[2], at[3]});
		out[0] = d.w, out[1] = d.x, out[2] = d.y, out[3] = d.z;
	}
}

void cn_joint_tree_loads(const cn_joint_tree *t, v3 *force, v3 *moment)
{
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		const cn_tree_body *b = &t->bodies[i];
		v3 r = v3_sub(b->x, t->origin), turn = turning(b->rise);
		/* acceleration of the centre: that of the twist about the origin, and of the centre's way about it */
		v3 a = v3_add(v3_add(straight(b->rise), v3_cross(turn, r)), v3_cross(b->spin, b->v));
		m3 m = m3_from_q(q_mul(b->q, l->axes));
		v3 own = v3_add(m3_apply(m, v3_mul(l->moments, m3_unapply(m, turn))), v3_cross(b->spin, b->l));
		force[i] = v3_sub(v3_scale(a, l->mass), v3_madd(l->push, b->v, -l->slow_move * l->mass));
		moment[i] = v3_sub(own, v3_madd(l->torque, b->l, -l->slow_turn));
		if (t->spring_count)
			force[i] = v3_sub(force[i], b->pull), moment[i] = v3_sub(moment[i], b->wrench);
	}
	cn_joint_tree_carry(t, force, moment);
}

void cn_joint_tree_carry(const cn_joint_tree *t, v3 *force, v3 *moment)
{
	for (uint32_t i = 0; i < t->count; ++i) {
		v3 arm = v3_sub(v3_sub(t->bodies[i].x, t->origin), t->bodies[i].joint);
		moment[i] = v3_add(moment[i], v3_cross(arm, force[i]));
	}
	for (uint32_t i = t->count; i-- > 0;) {
		uint32_t p = t->links[i].parent;
		if (p == CN_TREE_BASE)
			continue;
		v3 arm = v3_sub(t->bodies[i].joint, t->bodies[p].joint);
		force[p] = v3_add(force[p], force[i]);
		moment[p] = v3_add(moment[p], v3_add(moment[i], v3_cross(arm, force[i])));
	}
}
