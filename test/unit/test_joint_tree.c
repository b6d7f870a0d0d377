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

TEST_MAIN(TEST_CASE(velocities_are_those_of_the_poses), TEST_CASE(three_ways_to_the_same_acceleration))
