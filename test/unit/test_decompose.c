/* Unions of hulls: none of them reaches farther from the solid than asked, and all of the solid is in them. */
#include "ledger.h"
#include "test.h"

#include "geom/decompose.h"
#include "geom/hull.h"
#include "geom/solid_distance.h"

enum { MOST = 2000 };

typedef struct solid {
	v3 points[MOST];
	uint32_t triangles[3 * MOST];
	cn_triangles mesh;
	cn_tree tree;
	double size; /* m: diagonal of its box */
} solid;

static solid made;

static void add_triangle(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *t = &made.triangles[3 * made.mesh.triangle_count++];
	t[0] = a, t[1] = b, t[2] = c;
}

/* The turned surface of a profile (distance from the axis, height) in n steps, counter-clockwise; a distance of 0 is one point. */
static void turn(const double (*profile)[2], uint32_t rows, uint32_t n, bool closed)
{
	uint32_t base[64];
	for (uint32_t i = 0; i < rows; ++i) {
		base[i] = made.mesh.point_count;
		for (uint32_t k = 0; k < (profile[i][0] > 0 ? n : 1); ++k) {
			double s, c;
			cn_sincos(2 * CN_PI * k / n, &s, &c);
			made.points[made.mesh.point_count++] = v3_make(profile[i][0] * c, profile[i][0] * s, profile[i][1]);
		}
	}
	for (uint32_t i = 0; i + !closed < rows; ++i)
		for (uint32_t k = 0; k < n; ++k) {
			uint32_t to = (i + 1) % rows, next = (k + 1) % n;
			bool low = profile[i][0] > 0, high = profile[to][0] > 0;
			if (low)
				add_triangle(base[i] + k, base[i] + next, base[to] + (high ? next : 0));
			if (high)
				add_triangle(base[i] + (low ? k : 0), base[to] + next, base[to] + k);
		}
}

static void add_l(void)
{
	static const double corners[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
	for (int i = 0; i < 12; ++i)
		made.points[made.mesh.point_count++] = v3_make(corners[i % 6][0], corners[i % 6][1], i / 6);
	for (uint32_t i = 0; i < 6; ++i) {
		uint32_t next = (i + 1) % 6;
		add_triangle(i, next, next + 6);
		add_triangle(i, next + 6, i + 6);
	}
	for (uint32_t i = 1; i < 5; ++i) {
		add_triangle(0, i + 1, i);
		add_triangle(6, i + 6, i + 7);
	}
}

static void add_torus(void)
{
	double circle[12][2];
	for (int i = 0; i < 12; ++i) {
		cn_sincos(2 * CN_PI * i / 12, &circle[i][1], &circle[i][0]);
		circle[i][0] = 2 + 0.6 * circle[i][0], circle[i][1] *= 0.6;
	}
	turn(circle, 12, 24, true);
}

static void add_cup(void)
{
	static const double cup[6][2] = {{0, 0}, {0.3, 0}, {0.36, 0.7}, {0.29, 0.7}, {0.24, 0.08}, {0, 0.08}};
	turn(cup, 6, 20, false);
}

/* A can with a hollow inside that nothing leads to. */
static void add_can(void)
{
	static const double outside[4][2] = {{0, 0}, {1, 0}, {1, 2}, {0, 2}},
						inside[4][2] = {{0, 1.8}, {0.8, 1.8}, {0.8, 0.2}, {0, 0.2}};
	turn(outside, 4, 16, false);
	turn(inside, 4, 16, false);
}

static void make(void (*add)(void))
{
	cairn_allocator a = cairn_default_allocator();
	cn_tree_free(&a, &made.tree);
	made.mesh = (cn_triangles){made.points, 0, made.triangles, 0};
	add();
	CHECK(cn_tree_build(&a, made.points, made.triangles, made.mesh.triangle_count, &made.tree));
	made.size = v3_distance(made.tree.nodes[0].low, made.tree.nodes[0].high);
}

static bool measure_reach(void *context, v3 p)
{
	double *most = context;
	*most = fmax(*most, cn_solid_distance(&made.tree, &made.mesh, p, INFINITY));
	return true;
}

typedef struct hulls {
	cn_triangles faces[64];
	uint32_t count;
	double outside; /* m: the farthest that a point is outside of all */
} hulls;

static bool measure_cover(void *context, v3 p)
{
	hulls *h = context;
	double best = INFINITY;
	for (uint32_t i = 0; i < h->count; ++i) {
		double above = -INFINITY;
		for (uint32_t k = 0; k < h->faces[i].triangle_count; ++k) {
			const uint32_t *t = &h->faces[i].triangles[3 * k];
			v3 a = h->faces[i].points[t[0]];
			v3 n = v3_unit(v3_cross(v3_sub(h->faces[i].points[t[1]], a), v3_sub(h->faces[i].points[t[2]], a)));
			above = fmax(above, v3_dot(n, v3_sub(p, a)));
		}
		best = fmin(best, above);
	}
	h->outside = fmax(h->outside, best);
	return true;
}

/* How far hulls reach from the solid, and the solid from them, by samples, as shares of its size. */
static void measure(const cn_decomposition *d, double *reach, double *left)
{
	cairn_allocator a = cairn_default_allocator();
	cairn_error e = {0};
	hulls h = {.count = d->part_count};
	*reach = 0;
	REQUIRE(d->part_count <= 64);
	for (uint32_t i = 0; i < d->part_count; ++i) {
		uint32_t *triangles = NULL, count = 0;
		REQUIRE(cn_hull_build(&a, d->parts[i].points, d->parts[i].point_count, &triangles, &count, &e));
		h.faces[i] = (cn_triangles){d->parts[i].points, d->parts[i].point_count, triangles, count};
		cn_surface_samples(&h.faces[i], 0.006 * made.size, measure_reach, reach);
	}
	cn_surface_samples(&made.mesh, 0.01 * made.size, measure_cover, &h);
	for (uint32_t i = 0; i < d->part_count; ++i)
		cn_free(&a, (void *)h.faces[i].triangles, 3 * (size_t)h.faces[i].triangle_count, sizeof(uint32_t));
	*reach /= made.size, *left = h.outside / made.size;
}

TEST(parts_are_as_near_as_asked)
{
	static void (*const adds[])(void) = {add_l, add_torus, add_cup, add_can};
	static const double asked[] = {0.05, 0.03, 0.02};
	cairn_allocator a = cairn_default_allocator();
	cairn_error e = {0};
	for (size_t i = 0; i < sizeof adds / sizeof *adds; ++i)
		for (size_t k = 0; k < sizeof asked / sizeof *asked; ++k) {
			cn_decompose_options options = {asked[k], 64, 256};
			cn_decomposition d;
			double reach, left;
			make(adds[i]);
			REQUIRE(cn_decompose(&a, &made.mesh, &made.tree, &options, &d, &e));
			CHECK(d.missed == 0);
			CHECK(i > 0 || d.part_count == 2);
			CHECK(i == 0 || d.part_count > 4);
			measure(&d, &reach, &left);
			CHECK(reach <= asked[k]);
			CHECK(left < 1e-9);
			cn_decomposition_free(&a, &d);
		}
}

TEST(parts_that_are_too_few_are_told)
{
	cairn_allocator a = cairn_default_allocator();
	cairn_error e = {0};
	cn_decomposition d;
	double reach, left;
	make(add_cup);
	REQUIRE(cn_decompose(&a, &made.mesh, &made.tree, &(cn_decompose_options){0.02, 4, 64}, &d, &e));
	CHECK(d.part_count <= 4);
	measure(&d, &reach, &left);
	CHECK(reach > 0.02);
	CHECK(d.missed > (reach - 0.002) * made.size && d.missed < (reach + 0.002) * made.size);
	CHECK(left < 1e-9);
	cn_decomposition_free(&a, &d);
}

TEST(parts_are_the_same_each_time)
{
	cairn_allocator a = cairn_default_allocator();
	ledger l = {.fill = 0x5a};
	cairn_allocator filled = {.context = &l, .resize = ledger_resize};
	cairn_error e = {0};
	cn_decompose_options options = {0.03, 32, 64};
	cn_decomposition one, two;
	make(add_cup);
	REQUIRE(cn_decompose(&a, &made.mesh, &made.tree, &options, &one, &e));
	REQUIRE(cn_decompose(&filled, &made.mesh, &made.tree, &options, &two, &e));
	REQUIRE(one.part_count == two.part_count);
	for (uint32_t i = 0; i < one.part_count; ++i) {
		REQUIRE(one.parts[i].point_count == two.parts[i].point_count);
		for (uint32_t k = 0; k < one.parts[i].point_count; ++k)
			CHECK(v3_distance(one.parts[i].points[k], two.parts[i].points[k]) == 0);
	}
	cn_decomposition_free(&a, &one);
	cn_decomposition_free(&filled, &two);
	CHECK_INT(l.bytes, 0);
}

TEST(memory_may_run_out)
{
	ledger l = {0};
	cairn_allocator a = {.context = &l, .resize = ledger_resize};
	cn_decomposition d;
	make(add_l);
	for (size_t calls = 0;; ++calls) {
		cairn_error e = {0};
		ledger_allow(&l, calls);
		bool ok = cn_decompose(&a, &made.mesh, &made.tree, &(cn_decompose_options){0.05, 8, 64}, &d, &e);
		if (ok)
			cn_decomposition_free(&a, &d);
		CHECK_INT(l.bytes, 0);
		if (ok)
			break;
		CHECK_INT(e.code, CAIRN_MEMORY);
	}
}

TEST_MAIN(TEST_CASE(parts_are_as_near_as_asked), TEST_CASE(parts_that_are_too_few_are_told),
          TEST_CASE(parts_are_the_same_each_time), TEST_CASE(memory_may_run_out))
