/* Trees of boxes against looking at every triangle. */
#include "ledger.h"
#include "random.h"
#include "test.h"

#include "base/hash.h"
#include "geom/tree.h"
#include "waiting/tree_pairs.h"

enum { QUERIES = TEST_FEW ? 60 : 600, MANY = TEST_FEW ? 5000 : 50000 };

enum { MOST = 50000 };

static v3 points[3 * MOST], ends[3 * MOST];
static uint32_t triangles[3 * MOST];
static uint32_t seen[MOST];

/* Triangles of some size about random middles; sizes of very different order where wild. */
static void scatter(uint64_t *state, uint32_t count, double size, bool wild)
{
	for (uint32_t i = 0; i < count; ++i) {
		v3 middle = random_in_cube(state);
		int power = wild ? -(int)(cn_random_u64(state) % 40) : 0;
		for (uint32_t k = 0; k < 3; ++k) {
			points[3 * i + k] = v3_madd(middle, random_in_cube(state), ldexp(size, power));
			triangles[3 * i + k] = 3 * i + k;
		}
	}
}

static cn_tree build(uint32_t count)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_tree tree;
	bool ok = cn_tree_build(&allocator, points, triangles, count, &tree);
	CHECK(ok);
	return tree;
}

static void drop(cn_tree *tree)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_tree_free(&allocator, tree);
}

static void box_of(uint32_t triangle, const v3 *at, v3 *low, v3 *high)
{
	const uint32_t *t = &triangles[3 * triangle];
	*low = v3_least(v3_least(at[t[0]], at[t[1]]), at[t[2]]);
	*high = v3_most(v3_most(at[t[0]], at[t[1]]), at[t[2]]);
}

/* Every triangle is in one leaf, boxes hold what is below them, children come later, nothing is too deep. */
static uint32_t check_tree(const cn_tree *tree, uint32_t count)
{
	uint32_t *depth = calloc((size_t)tree->node_count + 1, sizeof *depth), deepest = 0, held = 0;
	memset(seen, 0, count * sizeof *seen);
	for (uint32_t i = 0; i < tree->node_count; ++i) {
		const cn_tree_node *n = &tree->nodes[i];
		deepest = depth[i] > deepest ? depth[i] : deepest;
		if (n->count == 0) {
			CHECK(n->first > i && n->first + 1 < tree->node_count);
			for (uint32_t k = n->first; k < n->first + 2; ++k) {
				const cn_tree_node *child = &tree->nodes[k];
				depth[k] = depth[i] + 1;
				CHECK(v3_min(v3_sub(child->low, n->low)) >= 0 && v3_min(v3_sub(n->high, child->high)) >= 0);
			}
			continue;
		}
		for (uint32_t k = n->first; k < n->first + n->count; ++k) {
			v3 low, high;
			box_of(tree->order[k], points, &low, &high);
			CHECK(v3_min(v3_sub(low, n->low)) >= 0 && v3_min(v3_sub(n->high, high)) >= 0);
			held += !seen[tree->order[k]]++;
		}
	}
	free(depth);
	CHECK_INT(held, count);
	CHECK(deepest <= CN_TREE_DEPTH);
	return deepest;
}

static bool mark(void *context, uint32_t triangle)
{
	++*(uint32_t *)context;
	++seen[triangle];
	return true;
}

static bool stop(void *context, uint32_t triangle)
{
	(void)triangle;
	return --*(uint32_t *)context > 0;
}

TEST(whole)
{
	uint64_t state = 1;
	for (uint32_t count = 1; count < 200; ++count) {
		scatter(&state, count, 0.2, count % 2);
		cn_tree tree = build(count);
		check_tree(&tree, count);
		drop(&tree);
	}
	scatter(&state, MANY, 0.02, false);
	cn_tree tree = build(MANY);
	CHECK(check_tree(&tree, MANY) <= 40);
	drop(&tree);
	scatter(&state, MANY, 1, true);
	tree = build(MANY);
	check_tree(&tree, MANY);
	drop(&tree);
}

/* All in one place; each half as large and half as far as the last, down to nothing. */
TEST(hostile)
{
	uint64_t state = 2;
	scatter(&state, 1000, 0.1, false);
	for (uint32_t i = 3; i < 3000; ++i)
		points[i] = points[i % 3];
	cn_tree tree = build(1000);
	CHECK(check_tree(&tree, 1000) <= 10);
	drop(&tree);
	for (uint32_t i = 0; i < 3000; ++i) {
		double s = ldexp(1, -(int)(i / 3));
		points[i] = v3_scale(v3_make(1 + (i % 3 == 0), 1 + (i % 3 == 1), 1 + (i % 3 == 2)), s);
	}
	tree = build(1000);
	check_tree(&tree, 1000);
	drop(&tree);
	for (uint32_t i = 0; i < 3000; ++i) /* no size at all */
		points[i] = v3_scale(v3_make(1, 2, 3), i / 3);
	tree = build(1000);
	check_tree(&tree, 1000);
	drop(&tree);
}

TEST(nothing)
{
	cn_tree tree = build(0);
	uint32_t count = 0;
	CHECK(cn_tree_box(&tree, v3_make(-1, -1, -1), v3_make(1, 1, 1), mark, &count));
	CHECK(cn_tree_ray(&tree, v3_zero(), v3_make(1, 0, 0), mark, &count));
	cn_tree_refit(&tree, points, NULL, triangles, 1);
	CHECK_INT(count, 0);
	drop(&tree);
}

TEST(boxes)
{
	uint64_t state = 3;
	uint32_t visited = 0, wanted = 0;
	scatter(&state, 4000, 0.1, false);
	cn_tree tree = build(4000);
	for (uint32_t round = 0; round < QUERIES; ++round) {
		v3 middle = random_in_cube(&state);
		double size = ldexp(1, -(int)(round % 12));
		v3 low = v3_madd(middle, v3_make(1, 1, 1), -size), high = v3_madd(middle, v3_make(1, 1, 1), size);
		memset(seen, 0, 4000 * sizeof *seen);
		CHECK(cn_tree_box(&tree, low, high, mark, &visited));
		for (uint32_t i = 0; i < 4000; ++i) {
			v3 a, b;
			box_of(i, points, &a, &b);
			bool meets = v3_min(v3_sub(high, a)) >= 0 && v3_min(v3_sub(b, low)) >= 0;
			CHECK(seen[i] <= 1 && (seen[i] || !meets));
			wanted += meets;
		}
	}
	CHECK(visited < wanted + QUERIES * 60); /* it does leave out */
	uint32_t left = 3;
	CHECK(!cn_tree_box(&tree, v3_make(-1, -1, -1), v3_make(1, 1, 1), stop, &left) && left == 0);
	drop(&tree);
}

/* Rays at corners, along edges of boxes and in any direction: what they hit is among what is visited. */
TEST(rays)
{
	uint64_t state = 4;
	uint32_t visited = 0;
	scatter(&state, 2000, 0.1, false);
	cn_tree tree = build(2000);
	for (uint32_t round = 0; round < QUERIES; ++round) {
		v3 origin = v3_scale(random_in_cube(&state), 2);
		uint32_t aim = (uint32_t)(cn_random_u64(&state) % 2000), corner = (uint32_t)(cn_random_u64(&state) % 3);
		v3 d = v3_sub(points[3 * aim + corner], origin); /* exactly at a corner, up to the rounding of d */
		if (round % 3 == 1) {
			origin = points[3 * aim + corner]; /* along an axis from a corner */
			d = v3_make(round % 9 == 1, round % 9 == 4, round % 9 == 7);
		}
		memset(seen, 0, 2000 * sizeof *seen);
		CHECK(cn_tree_ray(&tree, origin, d, mark, &visited));
		CHECK_INT(seen[aim], 1);
		memset(seen, 0, 2000 * sizeof *seen);
		CHECK(cn_tree_ray(&tree, origin, v3_scale(d, 1e-30), mark, &visited));
		CHECK_INT(seen[aim], 1);
	}
	CHECK(visited < QUERIES * 2 * 400);
	v3 high = v3_make(2, 2, 2); /* away from everything */
	visited = 0;
	CHECK(cn_tree_ray(&tree, high, v3_make(1, 0.5, 0.25), mark, &visited));
	CHECK(cn_tree_ray(&tree, high, v3_make(0, 0, 1), mark, &visited));
	CHECK_INT(visited, 0);
	drop(&tree);
}

TEST(refitted)
{
	uint64_t state = 5;
	scatter(&state, 1000, 0.1, false);
	cn_tree tree = build(1000);
	for (uint32_t i = 0; i < 3000; ++i)
		ends[i] = v3_madd(points[i], random_in_cube(&state), 0.3);
	cn_tree_refit(&tree, points, ends, triangles, 0.01);
	check_tree(&tree, 1000);
	for (uint32_t i = 0; i < tree.node_count; ++i)
		for (uint32_t k = 0; k < tree.nodes[i].count; ++k)
			for (int way = 0; way < 2; ++way) {
				v3 low, high;
				box_of(tree.order[tree.nodes[i].first + k], way ? ends : points, &low, &high);
				CHECK(v3_min(v3_sub(low, tree.nodes[i].low)) >= 0.01 * (1 - 1e-12));
				CHECK(v3_min(v3_sub(tree.nodes[i].high, high)) >= 0.01 * (1 - 1e-12));
			}
	cn_tree_refit(&tree, points, NULL, triangles, 0);
	cn_tree again = build(1000);
	CHECK(again.node_count == tree.node_count);
	CHECK(memcmp(again.nodes, tree.nodes, again.node_count * sizeof *again.nodes) == 0);
	CHECK(memcmp(again.order, tree.order, 1000 * sizeof *again.order) == 0);
	drop(&tree);
	drop(&again);
}

enum { PAIRED = 150 };

static uint8_t met[PAIRED][PAIRED];

static bool pair(void *context, uint32_t of_a, uint32_t of_b)
{
	++met[of_a][of_b];
	++*(uint32_t *)context;
	return true;
}

static bool stop_pair(void *context, uint32_t of_a, uint32_t of_b)
{
	(void)of_a, (void)of_b;
	return --*(uint32_t *)context > 0;
}

/* Pairs that share a point for sure must be among those visited. */
TEST(pairs)
{
	uint64_t state = 6;
	uint32_t visited = 0;
	for (uint32_t round = 0; round < QUERIES / 10; ++round) {
		scatter(&state, 2 * PAIRED, 0.2, round % 2);
		cairn_allocator allocator = cairn_default_allocator();
		cn_tree a = build(PAIRED), b;
		v3 axis = random_in_cube(&state), move = v3_scale(random_in_cube(&state), round % 3 ? 0.5 : 1e3);
		pose at = {move, q_exp(v3_scale(axis, 2))};
		/* b's points in its own frame, so that triangle k of b shares a point with triangle k of a */
		for (uint32_t i = 3 * PAIRED; i < 6 * PAIRED; ++i) {
			v3 world = i % 3 ? points[i] : points[i - 3 * PAIRED];
			ends[i] = q_unrotate(at.orientation, v3_sub(world, move));
		}
		CHECK(cn_tree_build(&allocator, ends + 3 * PAIRED, triangles, PAIRED, &b));
		memset(met, 0, sizeof met);
		CHECK(cn_tree_pairs(&a, &b, at, pair, &visited));
		for (uint32_t i = 0; i < PAIRED; ++i) {
			CHECK_INT(met[i][i], 1);
			for (uint32_t k = 0; k < PAIRED; ++k)
				CHECK(met[i][k] <= 1);
		}
		uint32_t left = 5;
		CHECK(!cn_tree_pairs(&a, &b, at, stop_pair, &left) && left == 0);
		drop(&a);
		cn_tree_free(&allocator, &b);
	}
	CHECK(visited < QUERIES / 10 * PAIRED * PAIRED / 2);
}

TEST(memory_runs_out)
{
	uint64_t state = 7;
	scatter(&state, 300, 0.1, false);
	bool ok = false;
	size_t fail_at = 1;
	for (; !ok && fail_at < 100; ++fail_at) {
		ledger book = {.fail_at = fail_at};
		cairn_allocator allocator = {&book, ledger_resize};
		cn_tree tree;
		ok = cn_tree_build(&allocator, points, triangles, 300, &tree);
		if (ok)
			cn_tree_free(&allocator, &tree);
		CHECK_INT(book.bytes, 0);
	}
	CHECK(ok && fail_at > 4);
}

TEST_MAIN(TEST_CASE(whole), TEST_CASE(hostile), TEST_CASE(nothing), TEST_CASE(boxes), TEST_CASE(rays),
          TEST_CASE(refitted), TEST_CASE(pairs), TEST_CASE(memory_runs_out))
