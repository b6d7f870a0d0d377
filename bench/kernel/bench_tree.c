/* Forward dynamics of trees of links on one core: one evaluation, coordinates to accelerations; and how many steps of a
 * free figure a second, each with one evaluation (rates first, then coordinates).
 *
 *   bench_tree */
#include "clock.h"

#include "base/hash.h"
#include "num/joint_tree.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, TIMES = 15, RUNS = 2000 };

static v3 somewhere(uint64_t *state)
{
	double x = cn_random_signed(state), y = cn_random_signed(state), z = cn_random_signed(state);
	return v3_make(x, y, z);
}

/* A free link that carries others in several limbs. */
static cn_joint_tree *tree(const cairn_allocator *a, uint32_t links, cn_tree_kind kind)
{
	static cn_tree_link all[MOST];
	uint64_t state = 7;
	for (uint32_t i = 0; i < links; ++i) {
		all[i] = (cn_tree_link){.parent = i < 5 ? 0 : i - 4,
		                        .kind = kind,
		                        .mass = 1,
		                        .moments = v3_make(0.1, 0.2, 0.15),
		                        .axes = q_identity(),
		                        .turn = q_exp(somewhere(&state)),
		                        .arm_parent = somewhere(&state),
		                        .arm = somewhere(&state),
		                        .axis = v3_unit(somewhere(&state)),
		                        .push = {0, 0, -10}};
		if (i == 0)
			all[i].parent = CN_TREE_BASE, all[i].kind = CN_TREE_FREE;
	}
	cn_joint_tree *t = cn_joint_tree_make(a, all, links);
	if (!t)
		exit(1);
	for (uint32_t i = 0; i < t->places; ++i)
		t->place[i] = cn_random_signed(&state);
	for (uint32_t i = 0; i < t->rates; ++i)
		t->rate[i] = cn_random_signed(&state);
	return t;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void time_tree(const cairn_allocator *a, const char *what, uint32_t links, cn_tree_kind kind)
{
	cn_joint_tree *t = tree(a, links, kind);
	double change[6 * MOST], times[TIMES], sum = 0;
	for (int k = 0; k < TIMES; ++k) {
		double start = thread_ms();
		for (int i = 0; i < RUNS; ++i) {
			cn_joint_tree_accelerate(t, t->place, t->rate, change);
			t->rate[0] += 1e-9 * change[0];
		}
		times[k] = 1e3 * (thread_ms() - start) / RUNS;
		sum += change[0];
	}
	qsort(times, TIMES, sizeof *times, compare);
	printf("%-24s %2u links, %2u degrees of freedom: %.2f us (%.3g)\n", what, t->count, t->rates, times[0], sum);
	cn_joint_tree_free(t);
}

static void count_steps(const cairn_allocator *a, uint32_t links, cn_tree_kind kind)
{
	cn_joint_tree *t = tree(a, links, kind);
	double change[7 * MOST], most = 0;
	const double h = 1e-4;
	for (int k = 0; k < TIMES; ++k) {
		double start = thread_ms();
		for (int i = 0; i < RUNS; ++i) {
			cn_joint_tree_accelerate(t, t->place, t->rate, change);
			for (uint32_t r = 0; r < t->rates; ++r)
				t->rate[r] += h * change[r];
			cn_joint_tree_drift(t, t->place, t->rate, change);
			for (uint32_t p = 0; p < t->places; ++p)
				t->place[p] += h * change[p];
		}
		double rate = 1e3 * RUNS / (thread_ms() - start);
		most = rate > most ? rate : most;
	}
	printf("%24s %2u links, %2u degrees of freedom: %.0f steps a second (%.3g)\n", "free", t->count, t->rates, most,
	       t->rate[0]);
	cn_joint_tree_free(t);
}

int main(void)
{
	cairn_allocator a = cairn_default_allocator();
	time_tree(&a, "hinges", 22, CN_TREE_HINGE);
	time_tree(&a, "hinges", 31, CN_TREE_HINGE);
	time_tree(&a, "balls", 8, CN_TREE_BALL);
	time_tree(&a, "balls", 11, CN_TREE_BALL);
	count_steps(&a, 22, CN_TREE_HINGE);
	count_steps(&a, 8, CN_TREE_BALL);
	return 0;
}
