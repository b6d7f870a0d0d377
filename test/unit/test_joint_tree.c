/* Trees of links in reduced coordinates: the recursion against the equations of motion written out, and its steps
 * against laws of motion. */
#include "ledger.h"
#include "num/joint_tree.h"
#include "random.h"
#include "test.h"
#include "waiting/tree_terms.h"

enum { MOST = 24, RATES = 6 * MOST };

static ledger book;
static const cairn_allocator memory = {&book, ledger_resize};

static double unit(uint64_t *state) { return 0.5 + 0.5 * cn_random_signed(state); }

static cn_tree_link random_link(uint64_t *state, uint32_t index, bool floating)
{
	cn_tree_link l = {
		.parent = CN_TREE_BASE, .kind = CN_TREE_FREE, .axes = random_turn(state), .turn = random_turn(state)};
	double mass = unit(state), a = unit(state), b = unit(state), c = unit(state);
	l.mass = 0.1 + mass;
	l.moments = v3_scale(v3_make(0.1 + a + b, 0.1 + b + c, 0.1 + a + c), 0.1 * l.mass);
	l.arm_parent = random_in_cube(state), l.arm = random_in_cube(state);
	l.axis = random_on_sphere(state);
	l.pitch = cn_random_signed(state);
	l.push = random_in_cube(state), l.torque = random_in_cube(state);
	if (index || !floating)
		l.kind = (cn_tree_kind)(cn_random_u64(state) % CN_TREE_FREE);
	if (index)
		l.parent = (uint32_t)(cn_random_u64(state) % index);
	return l;
}

static cn_joint_tree *random_tree(uint64_t *state)
{
	cn_tree_link links[MOST];
	uint32_t count = 1 + (uint32_t)(cn_random_u64(state) % MOST);
	bool floating = cn_random_u64(state) & 1;
	for (uint32_t i = 0; i < count; ++i)
		links[i] = random_link(state, i, floating);
	cn_joint_tree *t = cn_joint_tree_make(&memory, links, count);
	for (uint32_t i = 0; i < t->places; ++i)
		t->place[i] = 2 * cn_random_signed(state);
	for (uint32_t i = 0; i < t->rates; ++i) {
		t->rate[i] = 2 * cn_random_signed(state), t->push[i] = cn_random_signed(state);
		t->added[i] = cn_random_u64(state) & 1 ? 0.1 * unit(state) : 0;
	}
	t->base = (pose){random_in_cube(state), random_turn(state)};
	t->base_v = random_in_cube(state), t->base_spin = random_in_cube(state);
	return t;
}

/* By finite differences of the poses alone: how a rate moves the links. Coordinates follow the rate for a time. */
static void moved_by(cn_joint_tree *t, const double *place, const double *rate, double time, double *out)
{
	double change[7 * MOST];
	cn_joint_tree_put(t, place);
	cn_joint_tree_drift(t, place, rate, change);
	for (uint32_t i = 0; i < t->places; ++i)
		out[i] = place[i] + time * change[i];
}

TEST(velocities_are_those_of_the_poses)
{
	uint64_t state = 5;
	for (int k = 0; k < 100; ++k) {
		cn_joint_tree *t = random_tree(&state);
		double next[7 * MOST], last[7 * MOST], e = 1e-6;
		v3 x[MOST];
		quat q[MOST];
		moved_by(t, t->place, t->rate, e, next);
		moved_by(t, t->place, t->rate, -e, last);
		t->time = -e;
		cn_joint_tree_put(t, last);
		for (uint32_t i = 0; i < t->count; ++i)
			x[i] = t->bodies[i].x, q[i] = t->bodies[i].q;
		t->time = e;
		cn_joint_tree_put(t, next);
		v3 dx[MOST], turn[MOST];
		for (uint32_t i = 0; i < t->count; ++i) {
			dx[i] = v3_scale(v3_sub(t->bodies[i].x, x[i]), 0.5 / e);
			turn[i] = v3_scale(q_turn(q[i], t->bodies[i].q), 0.5 / e);
		}
		t->time = 0;
		cn_joint_tree_put(t, t->place);
		cn_joint_tree_move(t, t->rate);
		for (uint32_t i = 0; i < t->count; ++i) {
			double size = 1 + v3_length(dx[i]) + v3_length(turn[i]);
			CHECK_NEAR(v3_distance(dx[i], t->bodies[i].v) / size, 0, 1e-7);
			CHECK_NEAR(v3_distance(turn[i], t->bodies[i].spin) / size, 0, 1e-7);
		}
		cn_joint_tree_free(t);
	}
}

static double largest(const double *x, uint32_t n)
{
	double most = 0;
	for (uint32_t i = 0; i < n; ++i)
		most = fmax(most, fabs(x[i]));
	return most;
}

/* The recursion, the mass matrix and inverse dynamics say the same. */
TEST(three_ways_to_the_same_acceleration)
{
	uint64_t state = 1;
	static double mass[RATES * RATES];
	double worst_matrix = 0, worst_inverse = 0;
	for (int k = 0; k < (TEST_FEW ? 100 : 1000); ++k) {
		cn_joint_tree *t = random_tree(&state);
		double change[RATES], other[RATES], back[RATES], zero[RATES] = {0};
		cn_joint_tree_accelerate(t, t->place, t->rate, change);
		cn_tree_inverse(t, t->place, t->rate, change, back);
		cn_tree_inverse(t, t->place, t->rate, zero, other);
		double force = 1 + largest(other, t->rates);
		for (uint32_t i = 0; i < t->rates; ++i) {
			worst_inverse = fmax(worst_inverse, fabs(back[i] - t->push[i]) / force);
			other[i] = t->push[i] - other[i];
		}
		cn_tree_mass(t, mass);
		CHECK(cn_tree_cholesky(mass, t->rates));
		cn_tree_cholesky_solve(mass, t->rates, other);
		for (uint32_t i = 0; i < t->rates; ++i)
			worst_matrix = fmax(worst_matrix, fabs(change[i] - other[i]) / (1 + largest(change, t->rates)));
		cn_joint_tree_free(t);
	}
	CHECK(worst_matrix < 1e-12 && worst_inverse < 1e-12);
}

/* Coordinates after going along a way for a time, by steps of their derivatives. */
static void go_along(cn_joint_tree *t, const double *place, const double *way, double time, double *to)
{
	double half[7 * MOST], change[7 * MOST];
	moved_by(t, place, way, 0.5 * time, half);
	cn_joint_tree_put(t, half);
	cn_joint_tree_drift(t, half, way, change);
	for (uint32_t i = 0; i < t->places; ++i)
		to[i] = place[i] + time * change[i];
}

/* Derivatives of inverse dynamics, and by the mass matrix of forward dynamics, against differences. */
TEST(derivatives_are_those_of_differences)
{
	uint64_t state = 9;
	static double mass[RATES * RATES];
	double worst = 0, worst_forward = 0;
	const double e = 1e-5;
	for (int k = 0; k < 200; ++k) {
		cn_joint_tree *t = random_tree(&state);
		double way[3][RATES], change[RATES], by[RATES], before[RATES], after[RATES], place[7 * MOST], rate[RATES];
		t->base_v = t->base_spin = v3_zero();
		for (uint32_t i = 0; i < t->count; ++i)
			t->links[i].slow_move = unit(&state), t->links[i].slow_turn = unit(&state);
		for (uint32_t i = 0; i < t->rates; ++i)
			for (int which = 0; which < 3; ++which)
				way[which][i] = cn_random_signed(&state);
		cn_joint_tree_accelerate(t, t->place, t->rate, change);
		for (int side = -1; side <= 1; side += 2) { /* forward, along coordinates and rates */
			go_along(t, t->place, way[0], side * e, place);
			for (uint32_t i = 0; i < t->rates; ++i)
				rate[i] = t->rate[i] + side * e * way[1][i];
			cn_joint_tree_accelerate(t, place, rate, side < 0 ? before : after);
		}
		double forward[RATES], zero[RATES] = {0}, size = 1;
		for (uint32_t i = 0; i < t->rates; ++i)
			forward[i] = (after[i] - before[i]) / (2 * e), size = fmax(size, fabs(forward[i]));
		cn_tree_inverse(t, t->place, t->rate, change, by);
		cn_tree_inverse_along(t, t->rate, change, (cn_tree_way){way[0], way[1], zero}, by);
		cn_tree_mass(t, mass);
		CHECK(cn_tree_cholesky(mass, t->rates));
		cn_tree_cholesky_solve(mass, t->rates, by); /* H d(change) = -d(push) */
		for (uint32_t i = 0; i < t->rates; ++i)
			worst_forward = fmax(worst_forward, fabs(by[i] + forward[i]) / size);
		for (int side = -1; side <= 1; side += 2) { /* inverse, along all three */
			double other[RATES];
			go_along(t, t->place, way[0], side * e, place);
			for (uint32_t i = 0; i < t->rates; ++i)
				rate[i] = t->rate[i] + side * e * way[1][i], other[i] = change[i] + side * e * way[2][i];
			cn_tree_inverse(t, place, rate, other, side < 0 ? before : after);
		}
		cn_tree_inverse(t, t->place, t->rate, change, by);
		cn_tree_inverse_along(t, t->rate, change, (cn_tree_way){way[0], way[1], way[2]}, by);
		size = 1;
		for (uint32_t i = 0; i < t->rates; ++i)
			size = fmax(size, fabs(by[i]));
		for (uint32_t i = 0; i < t->rates; ++i)
			worst = fmax(worst, fabs(by[i] - (after[i] - before[i]) / (2 * e)) / size);
		cn_joint_tree_free(t);
	}
	CHECK(worst < 1e-6 && worst_forward < 1e-6);
}

/* ---- a clip followed by its own torques */

/* Where the clip is at a time: coordinates, rates and their changes. */
static void clip_at(double time, uint32_t count, double *place, double *rate, double *change)
{
	for (uint32_t i = 0; i < count; ++i) {
		double w = 2 + 0.7 * i, size = 0.8 - 0.1 * i;
		place[i] = size * sin(w * time), rate[i] = size * w * cos(w * time), change[i] = -w * w * place[i];
	}
}

/* Derivatives of coordinates and rates under the torques that the clip needs at a time. */
static void follow(cn_joint_tree *t, double time, const double *state, double *out)
{
	double place[MOST], rate[MOST], change[MOST], push[MOST];
	uint32_t n = t->rates;
	clip_at(time, n, place, rate, change);
	cn_tree_inverse(t, place, rate, change, push);
	for (uint32_t i = 0; i < n; ++i)
		t->push[i] = push[i], out[i] = state[n + i];
	cn_joint_tree_accelerate(t, state, state + n, out + n);
	for (uint32_t i = 0; i < n; ++i)
		t->push[i] = 0;
}

TEST(torques_of_inverse_dynamics_follow_a_clip)
{
	enum { LINKS = 4, STEPS = 2000 };
	cn_tree_link links[LINKS];
	uint64_t seed = 12;
	for (uint32_t i = 0; i < LINKS; ++i) {
		links[i] = random_link(&seed, i, false);
		links[i].kind = CN_TREE_HINGE, links[i].parent = i ? i - 1 : CN_TREE_BASE;
		links[i].push = v3_make(0, 0, -9.81 * links[i].mass);
	}
	cn_joint_tree *t = cn_joint_tree_make(&memory, links, LINKS);
	double state[2 * LINKS], k[4][2 * LINKS], at[2 * LINKS], change[LINKS], h = 1.0 / STEPS, worst = 0;
	clip_at(0, LINKS, state, state + LINKS, change);
	for (int step = 0; step < STEPS; ++step) { /* Runge and Kutta's fourth order */
		for (int s = 0; s < 4; ++s) {
			double by = s == 0 ? 0 : s == 3 ? h : 0.5 * h;
			for (int i = 0; i < 2 * LINKS; ++i)
				at[i] = state[i] + (s ? by * k[s - 1][i] : 0);
			follow(t, step * h + by, at, k[s]);
		}
		for (int i = 0; i < 2 * LINKS; ++i)
			state[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
		clip_at((step + 1) * h, LINKS, at, at + LINKS, change);
		for (int i = 0; i < LINKS; ++i)
			worst = fmax(worst, fabs(state[i] - at[i]));
	}
	CHECK(worst < 1e-8);
	cn_joint_tree_free(t);
}

TEST_MAIN(TEST_CASE(velocities_are_those_of_the_poses), TEST_CASE(three_ways_to_the_same_acceleration),
          TEST_CASE(derivatives_are_those_of_differences), TEST_CASE(torques_of_inverse_dynamics_follow_a_clip))
