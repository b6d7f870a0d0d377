/* Oriented boxes: against brute force over directions and over points of the boxes. */
#include "test.h"

#include "base/hash.h"
#include "geom/obb.h"

static v3 random_vector(uint64_t *state)
{
	double x = cn_random_signed(state), y = cn_random_signed(state), z = cn_random_signed(state);
	return v3_make(x, y, z);
}

static cn_obb random_box(uint64_t *state, double spread)
{
	v3 half = v3_add(v3_abs(random_vector(state)), v3_make(0.05, 0.05, 0.05));
	v3 center = v3_scale(random_vector(state), spread);
	return (cn_obb){center, half, q_exp(v3_scale(random_vector(state), 3))};
}

static v3 corner(const cn_obb *a, int i)
{
	v3 h = a->half;
	v3 local = {i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
	return v3_add(a->center, q_rotate(a->axes, local));
}

static double along(const cn_obb *a, const cn_obb *b, v3 n)
{
	double lowest = INFINITY, highest = -INFINITY;
	for (int i = 0; i < 8; ++i) {
		lowest = fmin(lowest, v3_dot(n, corner(b, i)));
		highest = fmax(highest, v3_dot(n, corner(a, i)));
	}
	return lowest - highest;
}

/* Least distance between the boxes by turning to the nearest point of one and the other. */
static double distance(const cn_obb *a, const cn_obb *b)
{
	const cn_obb *boxes[2] = {a, b};
	v3 p = b->center, before = p;
	for (int i = 0; i < 4000; ++i) {
		const cn_obb *box = boxes[i & 1];
		v3 local = q_unrotate(box->axes, v3_sub(p, box->center));
		local = v3_least(v3_most(local, v3_neg(box->half)), box->half);
		before = p;
		p = v3_add(box->center, q_rotate(box->axes, local));
	}
	return v3_distance(p, before);
}

TEST(projections)
{
	uint64_t state = 1;
	for (int round = 0; round < 1000; ++round) {
		cn_obb a = random_box(&state, 2), b = random_box(&state, 2);
		v3 n = v3_unit(random_vector(&state));
		CHECK_NEAR(cn_obb_along(&a, &b, n), along(&a, &b, n), 1e-14);
		double lowest = INFINITY;
		for (int i = 0; i < 8; ++i)
			lowest = fmin(lowest, v3_dot(n, corner(&a, i)));
		CHECK_NEAR(cn_obb_lowest(&a, n), lowest, 1e-14);
	}
}

/* The answer is the gap along its own axis, no direction has more where they overlap, and none of it is false where
 * they are apart: apart when the true distance is not zero, and never above it. */
TEST(against_brute_force)
{
	uint64_t state = 2;
	int apart = 0, together = 0;
	for (int round = 0; round < 600; ++round) {
		cn_obb a = random_box(&state, 1), b = random_box(&state, 1);
		v3 normal, back;
		double gap = cn_obb_separate(&a, &b, &normal), true_gap = distance(&a, &b);
		CHECK_NEAR(v3_length(normal), 1, 1e-14);
		CHECK_NEAR(gap, along(&a, &b, normal), 1e-14);
		CHECK_NEAR(cn_obb_separate(&b, &a, &back), gap, 1e-14);
		CHECK_NEAR(cn_obb_along(&b, &a, back), gap, 1e-14);
		if (gap > 0) {
			CHECK(true_gap > 0 && gap <= true_gap + 1e-9);
			++apart;
		} else {
			CHECK(true_gap < 1e-3); /* alternating projection is slow to meet where they graze */
			for (int i = 0; i < 500; ++i)
				CHECK(along(&a, &b, v3_unit(random_vector(&state))) <= gap + 1e-14);
			++together;
		}
	}
	CHECK(apart > 100 && together > 100);
}

TEST(parallel_boxes_exact)
{
	uint64_t state = 3;
	for (int round = 0; round < 200; ++round) {
		cn_obb a = random_box(&state, 0), b = random_box(&state, 0);
		v3 normal;
		a.axes = b.axes = q_identity();
		a.half = v3_make(1, 2, 3), b.half = v3_make(0.5, 0.25, 0.125);
		b.center = v3_make(floor(8 * b.center.x), -2 - 0.25 - 0.5, 0);
		b.center.x = cn_random_signed(&state);
		CHECK(cn_obb_separate(&a, &b, &normal) == 0.5);
		CHECK(normal.x == 0 && normal.y == -1 && normal.z == 0);
		quat turn = q_exp(v3_scale(random_vector(&state), 3));
		a.axes = b.axes = turn;
		b.center = q_rotate(turn, b.center);
		CHECK_NEAR(cn_obb_separate(&a, &b, &normal), 0.5, 1e-14);
		CHECK_NEAR(v3_distance(normal, q_rotate(turn, v3_make(0, -1, 0))), 0, 1e-14);
	}
}

/* Turned against each other by next to nothing: the answer changes by next to nothing. */
TEST(nearly_parallel)
{
	uint64_t state = 4;
	for (int round = 0; round < 400; ++round) {
		cn_obb a = random_box(&state, 0), b = random_box(&state, 0);
		double tiny = ldexp(1, -(int)(cn_random_u64(&state) % 60) - 1);
		v3 normal, axis = v3_unit(random_vector(&state));
		a.axes = q_identity();
		b.axes = q_exp(v3_scale(axis, tiny));
		b.center = v3_make(a.half.x + b.half.x + 0.5, 0.1, -0.1);
		double gap = cn_obb_separate(&a, &b, &normal);
		CHECK(isfinite(gap) && v3_finite(normal));
		CHECK_NEAR(v3_length(normal), 1, 1e-14);
		CHECK_NEAR(gap, along(&a, &b, normal), 1e-14);
		CHECK_NEAR(gap, 0.5, 4 * tiny + 1e-15);
	}
}

/* Two crossed rods whose edges face each other: only a cross axis separates them. */
TEST(crossing_edges)
{
	double quarter = CN_PI / 4;
	cn_obb a = {{0, 0, 0}, {0.5, 0.5, 4}, q_exp(v3_make(0, 0, quarter))};
	cn_obb b = {{1.5, 0, 0}, {0.5, 4, 0.5}, q_exp(v3_make(0, quarter, 0))};
	v3 normal;
	CHECK_NEAR(cn_obb_separate(&a, &b, &normal), 1.5 - sqrt(2), 1e-15);
	CHECK_NEAR(normal.x, 1, 1e-15);
}

TEST(same_centre_and_flat)
{
	cn_obb a = {{1, 2, 3}, {1, 1, 1}, {1, 0, 0, 0}}, b = a, flat = {{1, 2, 5}, {1, 1, 0}, {1, 0, 0, 0}};
	v3 normal;
	CHECK(cn_obb_separate(&a, &b, &normal) == -2);
	CHECK(v3_length(normal) == 1);
	CHECK(cn_obb_separate(&a, &flat, &normal) == 1);
	CHECK(normal.z == 1);
	CHECK(cn_obb_separate(&flat, &a, &normal) == 1);
	CHECK(normal.z == -1);
}

TEST_MAIN(TEST_CASE(projections), TEST_CASE(against_brute_force), TEST_CASE(parallel_boxes_exact),
          TEST_CASE(nearly_parallel), TEST_CASE(crossing_edges), TEST_CASE(same_centre_and_flat))
