/* A pile that settles, with the kernel's own parts and nothing else: broad phase, separation, contact polygons, the fast programs. No
 * certificate, no tiers, no islands: a source of real programs and real piles for benches, not a method.
 *
 * Cubes fall into a square shaft of half-spaces. A frame: rest solve with gravity; targets from the mean of the velocities before and
 * after; two position passes; restoration while pairs overlap; bounce at the new poses. */
#ifndef SETTLE_H
#define SETTLE_H

#include "clock.h"

#include "base/hash.h"
#include "geom/broad.h"
#include "geom/contact.h"
#include "num/qp_fast.h"

#include <stdlib.h>
#include <string.h>

enum { SETTLE_WALLS = 5 };

/* A contact point of the pile; sorted by pair, then feature. */
typedef struct settle_point {
	uint64_t pair, feature; /* pair: a << 32 | b; walls come after the cubes */
	cn_qp_contact row;
	double gap;
	cn_qp_impulse position, momentum; /* multipliers: where the next program starts */
} settle_point;

typedef struct settle_points {
	settle_point *at;
	uint32_t count, room;
} settle_points;

typedef struct settle {
	uint32_t bodies, sweeps;                 /* sweeps: of the rest solve */
	double edge, dt, gravity, mu, eps, kept; /* kept: gap that rows ask for, m */
	cn_shape cube, walls[SETTLE_WALLS];
	pose wall_at[SETTLE_WALLS];
	pose *at;
	cn_twist *u; /* velocity and spin, belonging to the poses */
	cn_place *places;
	cn_broad *broad;
	cn_broad_item *items;
	cn_fast *fast;
	settle_points points, last;
	cn_qp_body *qp_bodies;
	cn_twist *u0, *target, *answer;
	cn_qp_contact *rows;
	cn_qp_impulse *y;
	uint32_t row_room;
	uint64_t random;
	/* of the last frame */
	double least_gap, violation_position, violation_rest;
	uint32_t pairs, restorations;
	double ms_contacts, ms_position, ms_momentum;
	/* called with every program before it is solved, where set */
	void (*watch)(void *context, const char *name, const cn_qp *qp, const cn_qp_solution *warm);
	void *context;
} settle;

/* Out of memory ends a bench. */
#define settle_must(ok)                                                                                                \
	do                                                                                                                 \
		if (!(ok))                                                                                                     \
			abort();                                                                                                   \
	while (0)

static inline double settle_draw(settle *s) { return cn_random_signed(&s->random); }

static inline settle *settle_make(uint32_t bodies, double edge, uint64_t seed)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	settle *s = calloc(1, sizeof *s);
	settle_must(s != NULL);
	s->bodies = bodies, s->edge = edge, s->random = seed, s->sweeps = 40;
	s->dt = 1.0 / 30, s->gravity = 10, s->mu = 0.3, s->eps = 0.3, s->kept = 1e-3 * edge;
	s->at = calloc(bodies, sizeof *s->at);
	s->u = calloc(bodies, sizeof *s->u);
	s->u0 = calloc(bodies, sizeof *s->u0);
	s->target = calloc(bodies, sizeof *s->target);
	s->answer = calloc(bodies, sizeof *s->answer);
	s->qp_bodies = calloc(bodies, sizeof *s->qp_bodies);
	s->places = calloc(bodies + SETTLE_WALLS, sizeof *s->places);
	s->items = calloc(bodies, sizeof *s->items);
	s->points.room = s->last.room = s->row_room = 1024;
	s->points.at = calloc(s->points.room, sizeof *s->points.at);
	s->last.at = calloc(s->last.room, sizeof *s->last.at);
	s->rows = calloc(s->row_room, sizeof *s->rows);
	s->y = calloc(s->row_room, sizeof *s->y);
	settle_must(s->points.at && s->last.at && s->rows && s->y);
	s->broad = cn_broad_create(&allocator);
	s->fast = cn_fast_create(&allocator);
	settle_must(s->at && s->u && s->u0 && s->target && s->answer && s->qp_bodies && s->places && s->items && s->broad &&
	            s->fast);
	cairn_shape_def cube = cairn_default_shape_def(CAIRN_BOX), plane = cairn_default_shape_def(CAIRN_HALFSPACE);
	cube.size = v3_make(edge, edge, edge);
	settle_must(cn_shape_make(&allocator, &cube, NULL, 0, &s->cube, &error));
	uint32_t side = 2;
	while (side * side * side * 2 < bodies)
		++side;
	double pitch = 1.75 * edge, half = 0.5 * side * pitch; /* a cube fits however it is turned */
	const v3 normals[SETTLE_WALLS] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	for (int i = 0; i < SETTLE_WALLS; ++i) {
		plane.normal = normals[i], plane.offset = i ? -half : 0;
		settle_must(cn_shape_make(&allocator, &plane, NULL, 0, &s->walls[i], &error));
		s->places[bodies + (uint32_t)i] = cn_convex_place(s->walls[i].convex, pose_identity());
	}
	double mass = 800 * edge * edge * edge, inverse = 6 / (mass * edge * edge);
	for (uint32_t i = 0; i < bodies; ++i) {
		uint32_t x = i % side, y = i / side % side, z = i / side / side;
		v3 turn = {0, 0, 0};
		turn.x = settle_draw(s), turn.y = settle_draw(s), turn.z = settle_draw(s);
		s->at[i].orientation = q_exp(v3_scale(turn, 0.08));
		s->at[i].position =
			v3_make((x + 0.5) * 1.25 * edge - half, (y + 0.5) * 1.25 * edge - half, (z + 0.7) * 1.25 * edge);
		v3 push = {0, 0, 0};
		push.x = settle_draw(s), push.y = settle_draw(s);
		s->u[i].v = v3_scale(push, 4); /* or they would stack in columns */
		s->qp_bodies[i] = (cn_qp_body){1 / mass, {inverse, 0, 0, inverse, 0, inverse}};
	}
	return s;
}

static inline void settle_free(settle *s)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_shape_free(&allocator, &s->cube);
	for (int i = 0; i < SETTLE_WALLS; ++i)
		cn_shape_free(&allocator, &s->walls[i]);
	cn_broad_destroy(s->broad);
	cn_fast_destroy(s->fast);
	free(s->at), free(s->u), free(s->u0), free(s->target), free(s->answer), free(s->qp_bodies), free(s->places);
	free(s->items), free(s->points.at), free(s->last.at), free(s->rows), free(s->y), free(s);
}

/* ---- contacts */

static inline void settle_add(settle *s, uint32_t a, uint32_t b, double slab)
{
	const cn_convex *ca = s->cube.convex, *cb = b < s->bodies ? ca : s->walls[b - s->bodies].convex;
	cn_separation separation;
	cn_contact_set set;
	if (cn_separate_beyond(&(cn_convex_pair){ca, &s->places[a], cb, &s->places[b]}, slab, NULL, &separation))
		return;
	s->least_gap = separation.gap < s->least_gap ? separation.gap : s->least_gap;
	++s->pairs;
	cn_contact_find(&(cn_convex_pair){ca, &s->places[a], cb, &s->places[b]}, &separation, slab, &set);
	for (uint32_t k = 0; k < set.count; ++k) {
		settle_points *p = &s->points;
		if (p->count == p->room) {
			p->room += p->room / 2 + 1024;
			p->at = realloc(p->at, p->room * sizeof *p->at);
			settle_must(p->at != NULL);
		}
		p->at[p->count++] = (settle_point){.pair = (uint64_t)a << 32 | b,
		                                   .feature = set.points[k].feature,
		                                   .row = {.a = a,
		                                           .b = b < s->bodies ? b : CN_QP_NONE,
		                                           .n = set.n,
		                                           .ra = set.points[k].a,
		                                           .rb = set.points[k].b,
		                                           .mu = s->mu,
		                                           .eps = s->eps},
		                                   .gap = set.points[k].gap};
	}
}

/* All points within the slab at the poses as they are; multipliers are taken over from the last set by name. */
static inline void settle_contacts(settle *s, double slab)
{
	double start = thread_ms();
	settle_points swap = s->last;
	s->last = s->points, s->points = swap;
	s->points.count = 0, s->pairs = 0, s->least_gap = INFINITY;
	for (uint32_t i = 0; i < s->bodies; ++i) {
		s->places[i] = cn_convex_place(s->cube.convex, s->at[i]);
		const m3 *r = &s->places[i].r;
		double half = 0.5 * s->edge;
		v3 reach = {half * (fabs(r->m[0][0]) + fabs(r->m[0][1]) + fabs(r->m[0][2])) + slab,
		            half * (fabs(r->m[1][0]) + fabs(r->m[1][1]) + fabs(r->m[1][2])) + slab,
		            half * (fabs(r->m[2][0]) + fabs(r->m[2][1]) + fabs(r->m[2][2])) + slab};
		s->items[i] = (cn_broad_item){v3_sub(s->at[i].position, reach), v3_add(s->at[i].position, reach), false, 1, 1};
	}
	settle_must(cn_broad_update(s->broad, s->items, s->bodies, NULL));
	uint32_t count, k = 0;
	const cn_broad_pair *pairs = cn_broad_pairs(s->broad, &count);
	for (uint32_t i = 0; i < s->bodies; ++i) {
		for (; k < count && pairs[k].a == i; ++k)
			settle_add(s, i, pairs[k].b, slab);
		for (uint32_t wall = 0; wall < SETTLE_WALLS; ++wall)
			settle_add(s, i, s->bodies + wall, slab);
	}
	for (uint32_t i = 0, j = 0; i < s->points.count; ++i) {
		settle_point *p = &s->points.at[i];
		const settle_point *q = s->last.at;
		while (j < s->last.count && q[j].pair < p->pair)
			++j;
		for (uint32_t n = j; n < s->last.count && q[n].pair == p->pair; ++n)
			if (q[n].feature == p->feature)
				p->position = q[n].position, p->momentum = q[n].momentum;
	}
	s->ms_contacts += thread_ms() - start;
}

/* ---- programs */

static inline cn_qp settle_program(settle *s, const cn_twist *u0)
{
	if (s->points.count > s->row_room) {
		s->row_room = 2 * s->points.count;
		s->rows = realloc(s->rows, s->row_room * sizeof *s->rows);
		s->y = realloc(s->y, s->row_room * sizeof *s->y);
		settle_must(s->rows && s->y);
	}
	return (cn_qp){.body_count = s->bodies,
	               .contact_count = s->points.count,
	               .bodies = s->qp_bodies,
	               .u0 = u0,
	               .contacts = s->rows};
}

/* Velocities: nothing nears anything faster than its gap allows. */
static inline void settle_momentum(settle *s, bool bounce, uint32_t sweeps)
{
	double start = thread_ms();
	cn_qp qp = settle_program(s, s->u0);
	for (uint32_t i = 0; i < s->points.count; ++i) {
		double spare = s->points.at[i].gap - s->kept;
		s->rows[i] = s->points.at[i].row;
		s->rows[i].least = spare > 0 ? -spare / s->dt : 0;
		if (bounce && spare > 0.5 * s->kept)
			s->rows[i].least = -1e9; /* does not touch yet */
		s->y[i] = bounce ? (cn_qp_impulse){0, 0, 0} : s->points.at[i].momentum;
		if (bounce && cn_qp_speed(&qp, i, s->u0).n > -0.5 * s->gravity * s->dt)
			s->rows[i].eps = 0; /* what gravity brings in half a frame is no impact */
	}
	cn_qp_solution solution = {.u = s->answer, .contact = s->y};
	if (s->watch)
		s->watch(s->context, bounce ? "bounce" : "rest", &qp, &solution);
	cn_fast_options options = {.sweeps = sweeps, .warm = !bounce, .bounce = bounce};
	cn_qp_result r = cn_fast_momentum(s->fast, &qp, &options, &solution);
	for (uint32_t i = 0; !bounce && i < s->points.count; ++i)
		s->points.at[i].momentum = s->y[i];
	if (!bounce)
		s->violation_rest = r.violation;
	s->ms_momentum += thread_ms() - start;
}

/* Displacements toward the targets, or as little as possible, that keep the gap. */
static inline void settle_position(settle *s, bool toward, uint32_t sweeps)
{
	static const cn_twist none = {{0, 0, 0}, {0, 0, 0}};
	double start = thread_ms();
	for (uint32_t i = 0; i < s->bodies; ++i)
		s->u0[i] = toward ? s->target[i] : none;
	cn_qp qp = settle_program(s, s->u0);
	for (uint32_t i = 0; i < s->points.count; ++i) {
		double lack = s->kept - s->points.at[i].gap, most = 0.02 * s->edge;
		s->rows[i] = s->points.at[i].row;
		s->rows[i].least = lack < most ? lack : most;
		s->y[i] = toward ? (cn_qp_impulse){s->points.at[i].position.n, 0, 0} : (cn_qp_impulse){0, 0, 0};
	}
	cn_qp_solution solution = {.u = s->answer, .contact = s->y};
	if (s->watch)
		s->watch(s->context, toward ? "position" : "restore", &qp, &solution);
	cn_fast_options options = {.sweeps = sweeps, .tolerance = 1e-6 * s->edge, .warm = toward};
	cn_qp_result r = cn_fast_position(s->fast, &qp, &options, &solution);
	s->violation_position = r.violation;
	for (uint32_t i = 0; toward && i < s->points.count; ++i)
		s->points.at[i].position = s->y[i];
	for (uint32_t i = 0; i < s->bodies; ++i) {
		v3 turn = s->answer[i].w;
		double angle = v3_length(turn), far = v3_length(s->answer[i].v), reach = 0.3 * s->edge;
		turn = v3_scale(turn, angle > 0.1 ? 0.1 / angle : 1);
		v3 step = v3_scale(s->answer[i].v, far > reach ? reach / far : 1);
		s->at[i].position = v3_add(s->at[i].position, step);
		s->at[i].orientation = q_unit(q_mul(q_exp(turn), s->at[i].orientation));
		s->target[i].v = v3_sub(s->target[i].v, step);
		s->target[i].w = v3_sub(s->target[i].w, turn);
	}
	s->ms_position += thread_ms() - start;
}

static inline double settle_kinetic(const settle *s)
{
	cn_qp qp = {.body_count = s->bodies, .bodies = s->qp_bodies, .u0 = s->u};
	return cn_qp_energy(&qp, s->u);
}

/* Something touches and nears faster than gravity brings in half a frame. */
static inline bool settle_hits(settle *s)
{
	cn_qp qp = settle_program(s, s->u0);
	bool hit = false;
	for (uint32_t i = 0; i < s->points.count && !hit; ++i) {
		s->rows[i] = s->points.at[i].row;
		hit = s->points.at[i].gap < 1.5 * s->kept && cn_qp_speed(&qp, i, s->u0).n < -0.5 * s->gravity * s->dt;
	}
	return hit;
}

static inline void settle_frame(settle *s)
{
	s->ms_contacts = s->ms_position = s->ms_momentum = 0;
	s->restorations = 0;
	double fastest = 0;
	for (uint32_t i = 0; i < s->bodies; ++i) {
		double speed = v3_length(s->u[i].v) + v3_length(s->u[i].w) * 0.87 * s->edge;
		fastest = speed > fastest ? speed : fastest;
	}
	double slab = s->kept + 0.015 * s->edge + 2 * s->dt * (fastest + s->gravity * s->dt);
	slab = slab < 0.3 * s->edge ? slab : 0.3 * s->edge;
	settle_contacts(s, slab);
	for (uint32_t i = 0; i < s->bodies; ++i) {
		s->u0[i] = s->u[i];
		s->u0[i].v.z -= s->gravity * s->dt;
	}
	settle_momentum(s, false, s->sweeps);
	for (uint32_t i = 0; i < s->bodies; ++i) {
		s->target[i].v = v3_scale(v3_add(s->u[i].v, s->answer[i].v), 0.5 * s->dt);
		s->target[i].w = v3_scale(v3_add(s->u[i].w, s->answer[i].w), 0.5 * s->dt);
		s->u[i] = s->answer[i];
	}
	settle_position(s, true, 60);
	settle_contacts(s, slab);
	settle_position(s, true, 40);
	settle_contacts(s, 0.03 * s->edge);
	while (s->least_gap < 0 && s->restorations < 40) {
		++s->restorations;
		settle_position(s, false, 100);
		settle_contacts(s, 0.03 * s->edge);
	}
	for (uint32_t i = 0; i < s->bodies; ++i)
		s->u0[i] = s->u[i];
	if (!settle_hits(s))
		return;
	settle_momentum(s, true, 40);
	for (uint32_t i = 0; i < s->bodies; ++i)
		s->u[i] = s->answer[i];
}

#endif
