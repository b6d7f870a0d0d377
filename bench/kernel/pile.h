/* Piles of cubes for the solvers' benches and tests, made without any contact search: brick layers in a square of
 * walls, each cube a little tilted, turned and shifted, with the contact points of overlapping squares computed
 * directly. About two cubes below every cube and touching neighbours beside some: about 2.6 pairs a body, with 7 or
 * 10 points. */
#ifndef PILE_H
#define PILE_H

#include "base/hash.h"
#include "num/qp.h"

#include <stdlib.h>
#include <string.h>

typedef struct pile {
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0;
	cn_qp_contact *contacts;
	double *gaps; /* [contact_count] */
	v3 *centres, *tilts;
	uint32_t room;
	uint64_t random;
} pile;

typedef struct pile_options {
	uint32_t bodies;
	double edge; /* m */
	double slab; /* m: neighbours in a layer farther apart than this are left out */
	double tilt; /* rad */
	double gap;  /* m: mean between neighbours in a layer */
	bool few;    /* points: all four corners only where the overlap is wide, else two opposite ones */
	double mu;
	uint64_t seed;
} pile_options;

static inline double pile_draw(pile *p, double size)
{
	double x = cn_random_signed(&p->random);
	return x * size;
}

/* A point where a touches b, at x. */
static inline void pile_point(pile *p, cn_qp_contact contact, v3 x, double gap)
{
	if (p->qp.contact_count == p->room) {
		p->room = p->room ? 2 * p->room : 256;
		p->contacts = realloc(p->contacts, p->room * sizeof *p->contacts);
		p->gaps = realloc(p->gaps, p->room * sizeof *p->gaps);
		if (!p->contacts || !p->gaps)
			abort();
	}
	cn_qp_contact *c = &p->contacts[p->qp.contact_count];
	*c = contact;
	if (c->a != CN_QP_NONE)
		c->ra = v3_sub(x, p->centres[c->a]);
	if (c->b != CN_QP_NONE)
		c->rb = v3_sub(x, p->centres[c->b]);
	p->gaps[p->qp.contact_count++] = gap;
}

/* The height of a tilted face above its centre at (s, t) along the two other axes. */
static inline double pile_slope(v3 tilt, int axis, double s, double t)
{
	int i = (axis + 1) % 3, j = (axis + 2) % 3;
	return v3_at(tilt, i) * t - v3_at(tilt, j) * s;
}

static inline v3 pile_at(int axis, double along, double s, double t)
{
	double x[3];
	x[axis] = along;
	x[(axis + 1) % 3] = s;
	x[(axis + 2) % 3] = t;
	return v3_make(x[0], x[1], x[2]);
}

/* How far a face of a body stands out at a point (s, t) across the axis by its tilt. */
static inline double pile_rise(const pile *p, uint32_t body, int axis, double s, double t)
{
	if (body == CN_QP_NONE)
		return 0;
	v3 c = p->centres[body];
	return pile_slope(p->tilts[body], axis, s - v3_at(c, (axis + 1) % 3), t - v3_at(c, (axis + 2) % 3));
}

/* The rectangle across the axis that two bodies share. */
static inline bool pile_overlap(const pile *p, const pile_options *o, const uint32_t body[2], int axis, double low[2],
                                double high[2])
{
	for (int k = 0; k < 2; ++k) {
		low[k] = -1e9;
		high[k] = 1e9;
		for (int side = 0; side < 2; ++side) {
			if (body[side] == CN_QP_NONE)
				continue;
			double centre = v3_at(p->centres[body[side]], (axis + 1 + k) % 3), half = 0.5 * o->edge;
			low[k] = centre - half > low[k] ? centre - half : low[k];
			high[k] = centre + half < high[k] ? centre + half : high[k];
		}
	}
	return low[0] < high[0] - 0.02 * o->edge && low[1] < high[1] - 0.02 * o->edge;
}

/* b stands off a along an axis, at its nearest corner by `gap`: the corners of the rectangle where they overlap. */
static inline void pile_touch(pile *p, const pile_options *o, const uint32_t body[2], int axis, double gap)
{
	double low[2], high[2], rise[4], least = 1e9, s[4], t[4];
	if (!pile_overlap(p, o, body, axis, low, high))
		return;
	for (int i = 0; i < 4; ++i) {
		s[i] = i == 1 || i == 2 ? high[0] : low[0];
		t[i] = i >= 2 ? high[1] : low[1];
		rise[i] = pile_rise(p, body[1], axis, s[i], t[i]) - pile_rise(p, body[0], axis, s[i], t[i]);
		least = rise[i] < least ? rise[i] : least;
	}
	uint32_t named = body[0] == CN_QP_NONE ? body[1] : body[0];
	double middle = v3_at(p->centres[named], axis) + (named == body[0] ? 0.5 : -0.5) * o->edge;
	v3 along = pile_at(axis, 1, 0, 0), tilt = body[0] == CN_QP_NONE ? v3_zero() : p->tilts[body[0]];
	cn_qp_contact contact = {
		.a = body[0], .b = body[1], .n = v3_unit(v3_add(along, v3_cross(tilt, along))), .mu = o->mu};
	int step = o->few && (axis != 2 || high[0] - low[0] < 0.5 * o->edge) ? 2 : 1;
	for (int i = 0; i < 4; i += step)
		pile_point(p, contact, pile_at(axis, middle, s[i], t[i]), gap + rise[i] - least);
}

/* Neighbours in a layer, or a cube and a wall, if they are near enough. */
static inline void pile_beside(pile *p, const pile_options *o, uint32_t a, uint32_t b, int axis, double wall)
{
	double from = a == CN_QP_NONE ? wall : v3_at(p->centres[a], axis) + 0.5 * o->edge;
	double to = b == CN_QP_NONE ? wall : v3_at(p->centres[b], axis) - 0.5 * o->edge, gap = to - from;
	uint32_t body[2] = {a, b};
	if (gap < o->slab)
		pile_touch(p, o, body, axis, gap > 0 ? gap : 0);
}

static inline void pile_below(pile *p, const pile_options *o, uint32_t a, uint32_t b)
{
	uint32_t body[2] = {a, b};
	double draw = pile_draw(p, 1e-3 * o->edge);
	pile_touch(p, o, body, 2, fabs(draw));
}

/* Cubes of one density in layers of side x side, every other one shifted by 0.3 of an edge; z is up. */
static inline void pile_place(pile *p, const pile_options *o, uint32_t side, double pitch)
{
	uint32_t i = 0;
	for (uint32_t layer = 0; i < o->bodies; ++layer) {
		for (uint32_t k = 0; k < side * side && i < o->bodies; ++k, ++i) {
			double x = (k % side + 0.3 * (layer & 1)) * pitch, y = k / side * pitch, z = (layer + 0.5) * o->edge;
			double dx = pile_draw(p, 0.5 * o->gap), dy = pile_draw(p, 0.5 * o->gap);
			p->centres[i] = v3_make(x + dx, y + dy, z);
			double tx = pile_draw(p, o->tilt), ty = pile_draw(p, o->tilt), tz = pile_draw(p, o->tilt);
			p->tilts[i] = v3_make(tx, ty, tz);
			double mass = 500 * o->edge * o->edge * o->edge, turn = 6 / (mass * o->edge * o->edge);
			p->bodies[i] = (cn_qp_body){1 / mass, {turn, 0, 0, turn, 0, turn}};
		}
	}
}

static inline void pile_neighbours(pile *p, const pile_options *o, uint32_t i, double reach)
{
	v3 c = p->centres[i];
	/* Layers are in order, so all below, beside and before are within two layers of i. */
	for (uint32_t j = i; j-- > 0;) {
		v3 d = v3_sub(c, p->centres[j]);
		if (d.z > 1.5 * o->edge)
			break;
		if (fabs(d.x) > reach || fabs(d.y) > reach)
			continue;
		if (d.z > 0.5 * o->edge)
			pile_below(p, o, j, i);
		else if (fabs(d.x) > 0.9 * o->edge && fabs(d.y) < 0.5 * o->edge)
			pile_beside(p, o, d.x > 0 ? j : i, d.x > 0 ? i : j, 0, 0);
		else if (fabs(d.y) > 0.9 * o->edge && fabs(d.x) < 0.5 * o->edge)
			pile_beside(p, o, d.y > 0 ? j : i, d.y > 0 ? i : j, 1, 0);
	}
}

static inline pile pile_make(const pile_options *o)
{
	pile p = {.random = o->seed};
	uint32_t side = 2;
	while ((uint64_t)side * side * side < o->bodies)
		++side;
	double pitch = o->edge + o->gap, low = -0.5 * pitch, high = (side + 0.3) * pitch + low;
	p.bodies = calloc(o->bodies, sizeof *p.bodies);
	p.u0 = calloc(o->bodies, sizeof *p.u0);
	p.centres = calloc(o->bodies, sizeof *p.centres);
	p.tilts = calloc(o->bodies, sizeof *p.tilts);
	if (!p.bodies || !p.u0 || !p.centres || !p.tilts)
		abort();
	pile_place(&p, o, side, pitch);
	for (uint32_t i = 0; i < o->bodies; ++i) {
		if (p.centres[i].z < o->edge)
			pile_below(&p, o, CN_QP_NONE, i);
		pile_beside(&p, o, CN_QP_NONE, i, 0, low);
		pile_beside(&p, o, i, CN_QP_NONE, 0, high);
		pile_beside(&p, o, CN_QP_NONE, i, 1, low);
		pile_beside(&p, o, i, CN_QP_NONE, 1, high - 0.3 * pitch);
		pile_neighbours(&p, o, i, 1.2 * o->edge);
	}
	p.qp = (cn_qp){.body_count = o->bodies,
	               .contact_count = p.qp.contact_count,
	               .bodies = p.bodies,
	               .u0 = p.u0,
	               .contacts = p.contacts};
	return p;
}

static inline void pile_free(pile *p)
{
	free(p->bodies);
	free(p->u0);
	free(p->contacts);
	free(p->gaps);
	free(p->centres);
	free(p->tilts);
}

static inline uint32_t pile_pairs(const pile *p)
{
	uint32_t pairs = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		pairs += i == 0 || p->contacts[i].a != p->contacts[i - 1].a || p->contacts[i].b != p->contacts[i - 1].b ||
		         memcmp(&p->contacts[i].n, &p->contacts[i - 1].n, sizeof(v3)) != 0;
	return pairs;
}

/* A frame's displacement as targets: gravity and random velocities up to `speed`, of which `fresh` (0 to 1) is drawn
 * anew and the rest is as it was; rows ask for gap `kept`. */
static inline void pile_ask_positions(pile *p, double speed, double fresh, double dt, double kept)
{
	double old = 1 - fresh, fall = 9.81 * dt * dt;
	dt *= fresh;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double x = pile_draw(p, speed), y = pile_draw(p, speed), z = pile_draw(p, speed);
		double wx = pile_draw(p, speed), wy = pile_draw(p, speed), wz = pile_draw(p, speed);
		cn_twist was = p->u0[i];
		p->u0[i].v = v3_make(x * dt + old * was.v.x, y * dt + old * was.v.y, z * dt + old * was.v.z - fresh * fall);
		p->u0[i].w = v3_make(wx * dt + old * was.w.x, wy * dt + old * was.w.y, wz * dt + old * was.w.z);
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		p->contacts[i].least = kept - p->gaps[i];
}

/* Gravity for a while on top of what the bodies have. */
static inline void pile_push(pile *p, double dt)
{
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		p->u0[i].v.z -= 9.81 * dt;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		p->contacts[i].least = 0;
}

/* One frame's gravity on top of u (NULL: at rest). */
static inline void pile_ask_speeds(pile *p, const cn_twist *u, double dt)
{
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		p->u0[i] = u ? u[i] : (cn_twist){{0, 0, 0}, {0, 0, 0}};
		p->u0[i].v.z -= 9.81 * dt;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		p->contacts[i].least = 0;
}

#endif
