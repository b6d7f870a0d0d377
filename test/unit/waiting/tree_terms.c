#include "tree_terms.h"

#include <math.h>

static double dot(const double *a, const double *b)
{
	double sum = 0;
	for (int i = 0; i < 6; ++i)
		sum += a[i] * b[i];
	return sum;
}

/* Inertia of a link about the origin, applied. */
static void apply(const cn_joint_tree *t, uint32_t link, const double *s, double *out)
{
	const cn_tree_link *l = &t->links[link];
	const cn_tree_body *b = &t->bodies[link];
	v3 r = v3_sub(b->x, t->origin), w = {s[0], s[1], s[2]}, v = {s[3], s[4], s[5]};
	m3 m = m3_from_q(q_mul(b->q, l->axes));
	v3 p = v3_scale(v3_add(v, v3_cross(w, r)), l->mass);
	v3 turn = v3_add(m3_apply(m, v3_mul(l->moments, m3_unapply(m, w))), v3_cross(r, p));
	out[0] += turn.x, out[1] += turn.y, out[2] += turn.z;
	out[3] += p.x, out[4] += p.y, out[5] += p.z;
}

static bool carries(const cn_joint_tree *t, uint32_t link, uint32_t other)
{
	while (other != CN_TREE_BASE && other != link)
		other = t->links[other].parent;
	return other == link;
}

void cn_tree_mass(const cn_joint_tree *t, double *mass)
{
	uint32_t n = t->rates;
	for (uint32_t i = 0; i < n * n; ++i)
		mass[i] = 0;
	for (uint32_t i = 0; i < t->count; ++i)
		for (uint32_t c = t->links[i].rate; c < t->links[i].rate + t->links[i].rates; ++c) {
			double force[6] = {0};
			for (uint32_t k = i; k < t->count; ++k)
				if (carries(t, i, k))
					apply(t, k, t->columns[c].s, force);
			for (uint32_t a = i; a != CN_TREE_BASE; a = t->links[a].parent)
				for (uint32_t r = t->links[a].rate; r < t->links[a].rate + t->links[a].rates; ++r)
					mass[r * n + c] = mass[c * n + r] = dot(t->columns[r].s, force);
			mass[c * n + c] += t->added[c];
		}
}

bool cn_tree_cholesky(double *m, uint32_t n)
{
	for (uint32_t j = 0; j < n; ++j) {
		for (uint32_t k = 0; k < j; ++k)
			m[j * n + j] -= m[j * n + k] * m[j * n + k];
		if (!(m[j * n + j] > 0))
			return false;
		m[j * n + j] = sqrt(m[j * n + j]);
		for (uint32_t i = j + 1; i < n; ++i) {
			for (uint32_t k = 0; k < j; ++k)
				m[i * n + j] -= m[i * n + k] * m[j * n + k];
			m[i * n + j] /= m[j * n + j];
		}
	}
	return true;
}

void cn_tree_cholesky_solve(const double *m, uint32_t n, double *x)
{
	for (uint32_t i = 0; i < n; ++i) {
		for (uint32_t k = 0; k < i; ++k)
			x[i] -= m[i * n + k] * x[k];
		x[i] /= m[i * n + i];
	}
	for (uint32_t i = n; i-- > 0;) {
		for (uint32_t k = i + 1; k < n; ++k)
			x[i] -= m[k * n + i] * x[k];
		x[i] /= m[i * n + i];
	}
}

enum { MOST = 64 };

void cn_tree_inverse(cn_joint_tree *t, const double *place, const double *rate, const double *change, double *push)
{
	v3 force[MOST], moment[MOST];
	v3 w = t->base_spin, v = t->base_v, base = v3_cross(v, w);
	const double rise[6] = {0, 0, 0, base.x, base.y, base.z}, still[6] = {0};
	cn_joint_tree_put(t, place);
	cn_joint_tree_move(t, rate);
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		cn_tree_body *b = &t->bodies[i];
		const double *from = l->parent != CN_TREE_BASE ? t->bodies[l->parent].rise
		                     : l->kind == CN_TREE_FREE ? still
		                                               : rise;
		for (int k = 0; k < 6; ++k)
			b->rise[k] = from[k] + b->lag[k];
		for (uint32_t c = l->rate; c < l->rate + l->rates; ++c)
			for (int k = 0; k < 6; ++k)
				b->rise[k] += t->columns[c].s[k] * change[c];
	}
	cn_joint_tree_loads(t, force, moment);
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		v3 m = v3_add(moment[i], v3_cross(t->bodies[i].joint, force[i]));
		const double all[6] = {m.x, m.y, m.z, force[i].x, force[i].y, force[i].z};
		for (uint32_t c = l->rate; c < l->rate + l->rates; ++c)
			push[c] = dot(t->columns[c].s, all) + t->added[c] * change[c];
	}
}

void cn_tree_jacobian(const cn_joint_tree *t, uint32_t link, v3 point, double *rows)
{
	uint32_t n = t->rates;
	v3 r = v3_sub(point, t->origin);
	for (uint32_t i = 0; i < 6 * n; ++i)
		rows[i] = 0;
	for (uint32_t a = link; a != CN_TREE_BASE; a = t->links[a].parent)
		for (uint32_t c = t->links[a].rate; c < t->links[a].rate + t->links[a].rates; ++c) {
			const double *s = t->columns[c].s;
			v3 w = {s[0], s[1], s[2]}, v = v3_add(v3_make(s[3], s[4], s[5]), v3_cross(w, r));
			const double all[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
			for (uint32_t k = 0; k < 6; ++k)
				rows[k * n + c] = all[k];
		}
}

/* ---- derivatives */

/* A six-vector as two vectors: turning, straight. */
typedef struct six {
	v3 w, v;
} six;

/* A link's twist and acceleration, where it is displaced to, and how both change. */
typedef struct state {
	six twist, rise, moved, twist_by, rise_by;
} state;

static six six_of(const double *s) { return (six){{s[0], s[1], s[2]}, {s[3], s[4], s[5]}}; }
static six plus(six a, six b, double f) { return (six){v3_madd(a.w, b.w, f), v3_madd(a.v, b.v, f)}; }
static v3 point_of(six s, v3 at) { return v3_add(s.v, v3_cross(s.w, at)); }
static v3 both(v3 a, v3 da, v3 b, v3 db) { return v3_add(v3_cross(da, b), v3_cross(a, db)); } /* of a x b */

/* How the columns of a joint change where its parent is displaced and its point moves. */
static six column_by(const cn_tree_link *l, const cn_tree_body *b, uint32_t k, v3 turned, v3 point)
{
	static const v3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	v3 u = b->axis, du = v3_cross(turned, u), arm = both(b->joint, point, u, du), none = v3_zero();
	switch (l->kind) {
	case CN_TREE_HINGE: return (six){du, arm};
	case CN_TREE_SLIDER: return (six){none, du};
	case CN_TREE_SCREW: return (six){du, v3_madd(arm, du, l->pitch)};
	case CN_TREE_PLANAR:
		if (k == 2)
			return (six){du, arm};
		return (six){none, v3_cross(turned, k ? v3_cross(u, b->side) : b->side)};
	default: return (six){none, k < 3 ? v3_cross(point, unit[k]) : none};
	}
}

/* Acceleration of a link at rates that do not change, as joint_tree.c has it, and how it changes. */
static six lag_by(const cn_tree_link *l, v3 p, v3 dp, six own, six own_by, const state *from)
{
	v3 w = own.w, dw = own_by.w, slides = v3_sub(own.v, v3_cross(p, w)), ds = v3_sub(own_by.v, both(p, dp, w, dw));
	v3 carried = from->twist.w, dc = from->twist_by.w;
	v3 point = v3_add(point_of(from->twist, p), slides);
	v3 dpoint = v3_add(v3_add(from->twist_by.v, both(carried, dc, p, dp)), ds);
	if (l->kind == CN_TREE_BALL || l->kind == CN_TREE_FREE)
		return (six){v3_zero(), both(point, dpoint, w, dw)};
	v3 turns = v3_cross(carried, w), dt = both(carried, dc, w, dw);
	return (six){dt, v3_add(v3_add(both(carried, dc, slides, ds), both(point, dpoint, w, dw)), both(p, dp, turns, dt))};
}

/* Force and moment about the origin that a link takes, and how they change. */
static void load_by(const cn_joint_tree *t, uint32_t i, const state *s, six *load, six *by)
{
	const cn_tree_link *l = &t->links[i];
	const cn_tree_body *b = &t->bodies[i];
	m3 m = m3_from_q(q_mul(b->q, l->axes)), inertia = m3_mul(m3_mul(m, m3_diagonal(l->moments)), m3_transpose(m));
	v3 r = v3_sub(b->x, t->origin), dr = point_of(s->moved, r), turn = s->moved.w;
	v3 w = s->twist.w, dw = s->twist_by.w, v = point_of(s->twist, r), dv = v3_add(s->twist_by.v, both(w, dw, r, dr));
	v3 al = s->rise.w, dal = s->rise_by.w;
	v3 momentum = m3_apply(inertia, w), grows = m3_apply(inertia, al);
	v3 dmomentum = v3_add(v3_cross(turn, momentum), m3_apply(inertia, v3_sub(dw, v3_cross(turn, w))));
	v3 dgrows = v3_add(v3_cross(turn, grows), m3_apply(inertia, v3_sub(dal, v3_cross(turn, al))));
	v3 a = v3_add(point_of(s->rise, r), v3_cross(w, v));
	v3 da = v3_add(v3_add(s->rise_by.v, both(al, dal, r, dr)), both(w, dw, v, dv));
	v3 force = v3_sub(v3_scale(v3_madd(a, v, l->slow_move), l->mass), l->push);
	v3 dforce = v3_scale(v3_madd(da, dv, l->slow_move), l->mass);
	v3 moment = v3_add(v3_add(grows, v3_cross(w, momentum)), v3_madd(v3_neg(l->torque), momentum, l->slow_turn));
	v3 dmoment = v3_add(v3_add(dgrows, both(w, dw, momentum, dmomentum)), v3_scale(dmomentum, l->slow_turn));
	*load = (six){v3_add(moment, v3_cross(r, force)), force};
	*by = (six){v3_add(dmoment, both(r, dr, force, dforce)), dforce};
}

void cn_tree_inverse_along(const cn_joint_tree *t, const double *rate, const double *change, cn_tree_way way,
                           double *push)
{
	state all[MOST];
	six load[MOST], by[MOST], columns[6 * MOST];
	v3 r = v3_sub(t->origin, t->base.position);
	state base = {{t->base_spin, v3_add(t->base_v, v3_cross(t->base_spin, r))},
	              {v3_zero(), v3_cross(t->base_v, t->base_spin)},
	              {v3_zero(), v3_zero()},
	              {v3_zero(), v3_zero()},
	              {v3_zero(), v3_zero()}};
	const state still = {.rise = {{0, 0, 0}, {0, 0, 0}}};
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		const cn_tree_body *b = &t->bodies[i];
		const state *from = l->parent != CN_TREE_BASE ? &all[l->parent] : l->kind == CN_TREE_FREE ? &still : &base;
		six own = {v3_zero(), v3_zero()}, own_by = own, moved = own;
		for (uint32_t k = 0; k < l->rates; ++k)
			own = plus(own, six_of(t->columns[l->rate + k].s), rate[l->rate + k]),
			moved = plus(moved, six_of(t->columns[l->rate + k].s), way.place[l->rate + k]);
		v3 slid = v3_sub(moved.v, v3_cross(b->joint, moved.w)), point = v3_add(point_of(from->moved, b->joint), slid);
		state *s = &all[i];
		*s = *from;
		s->moved = plus(s->moved, moved, 1), s->twist = plus(s->twist, own, 1);
		s->rise = plus(s->rise, six_of(b->lag), 1);
		for (uint32_t k = 0; k < l->rates; ++k) {
			uint32_t c = l->rate + k;
			six column = six_of(t->columns[c].s);
			columns[c] = column_by(l, b, k, from->moved.w, point);
			own_by = plus(plus(own_by, columns[c], rate[c]), column, way.rate[c]);
			s->rise = plus(s->rise, column, change[c]);
			s->rise_by = plus(plus(s->rise_by, columns[c], change[c]), column, way.change[c]);
		}
		s->rise_by = plus(s->rise_by, lag_by(l, b->joint, point, own, own_by, from), 1);
		s->twist_by = plus(s->twist_by, own_by, 1);
		load_by(t, i, s, &load[i], &by[i]);
	}
	for (uint32_t i = t->count; i-- > 0;) {
		const cn_tree_link *l = &t->links[i];
		for (uint32_t c = l->rate; c < l->rate + l->rates; ++c) {
			six s = six_of(t->columns[c].s);
			push[c] = v3_dot(columns[c].w, load[i].w) + v3_dot(columns[c].v, load[i].v) + v3_dot(s.w, by[i].w) +
			          v3_dot(s.v, by[i].v) + t->added[c] * way.change[c];
		}
		if (l->parent != CN_TREE_BASE)
			load[l->parent] = plus(load[l->parent], load[i], 1), by[l->parent] = plus(by[l->parent], by[i], 1);
	}
}
