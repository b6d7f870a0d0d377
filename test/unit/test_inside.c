/* Inside or outside of concave surfaces, against the solid angle that the surface fills as seen from the point. */
#include "random.h"
#include "test.h"

#include "base/hash.h"
#include "geom/hull.h"
#include "geom/inside.h"

enum { ROUNDS = TEST_FEW ? 300 : 3000 };

enum { MOST = 4000 };

static v3 points[MOST];
static uint32_t triangles[3 * MOST], groups[MOST];
static uint32_t point_count, triangle_count;
static cn_tree tree;

static void clear(void) { point_count = triangle_count = 0; }

static void add_triangle(uint32_t a, uint32_t b, uint32_t c)
{
	triangles[3 * triangle_count] = a, triangles[3 * triangle_count + 1] = b, triangles[3 * triangle_count + 2] = c;
	groups[triangle_count++] = 0;
}

/* A prism over a polygon that is seen whole from its point `eye`: ends are fans about the eye. */
static void add_prism(const double (*corners)[2], uint32_t n, uint32_t eye, double low, double high)
{
	uint32_t base = point_count;
	for (uint32_t i = 0; i < n; ++i) {
		points[point_count++] = v3_make(corners[i][0], corners[i][1], low);
		points[point_count++] = v3_make(corners[i][0], corners[i][1], high);
	}
	for (uint32_t i = 0; i < n; ++i) {
		uint32_t a = base + 2 * i, b = base + 2 * ((i + 1) % n), e = base + 2 * eye;
		add_triangle(a, b, b + 1);
		add_triangle(a, b + 1, a + 1);
		if (i == eye || (i + 1) % n == eye)
			continue;
		add_triangle(e, b, a);
		add_triangle(e + 1, a + 1, b + 1);
	}
}

static void add_box(v3 low, v3 high)
{
	const double corners[4][2] = {{low.x, low.y}, {high.x, low.y}, {high.x, high.y}, {low.x, high.y}};
	add_prism(corners, 4, 0, low.z, high.z);
}

static const double corner_l[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};

static void add_torus(uint32_t n, uint32_t m)
{
	uint32_t base = point_count;
	for (uint32_t i = 0; i < n; ++i)
		for (uint32_t k = 0; k < m; ++k) {
			double s, c, t, d;
			cn_sincos(2 * CN_PI * i / n, &s, &c);
			cn_sincos(2 * CN_PI * k / m, &t, &d);
			points[point_count++] = v3_make((2 + 0.8 * d) * c, (2 + 0.8 * d) * s, 0.8 * t);
		}
	for (uint32_t i = 0; i < n; ++i)
		for (uint32_t k = 0; k < m; ++k) {
			uint32_t a = base + i * m + k, b = base + (i + 1) % n * m + k;
			uint32_t c = base + (i + 1) % n * m + (k + 1) % m, d = base + i * m + (k + 1) % m;
			add_triangle(a, b, c);
			add_triangle(a, c, d);
		}
}

/* A star of n points with its middle as the eye; the middle is an extra corner between two others. */
static void add_star(uint32_t n)
{
	uint32_t base = point_count, count = 2 * n;
	for (uint32_t i = 0; i < count; ++i) {
		double s, c, r = i % 2 ? 0.7 : 2.5;
		cn_sincos(CN_PI * i / n, &s, &c);
		points[point_count++] = v3_make(r * c, r * s, -1);
		points[point_count++] = v3_make(r * c, r * s, 1);
	}
	points[point_count++] = v3_make(0, 0, -1);
	points[point_count++] = v3_make(0, 0, 1);
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t a = base + 2 * i, b = base + 2 * ((i + 1) % count), e = base + 2 * count;
		add_triangle(a, b, b + 1);
		add_triangle(a, b + 1, a + 1);
		add_triangle(e, b, a);
		add_triangle(e + 1, a + 1, b + 1);
	}
}

static void plant(void)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_tree_free(&allocator, &tree);
	CHECK(cn_tree_build(&allocator, points, triangles, triangle_count, &tree));
}

static void turn(quat q, v3 move)
{
	for (uint32_t i = 0; i < point_count; ++i)
		points[i] = v3_add(q_rotate(q, points[i]), move);
}

/* How often the surface runs round p, counted with its direction. */
static double windings(v3 p)
{
	double sum = 0;
	for (uint32_t i = 0; i < triangle_count; ++i) {
		v3 a = v3_sub(points[triangles[3 * i]], p), b = v3_sub(points[triangles[3 * i + 1]], p);
		v3 c = v3_sub(points[triangles[3 * i + 2]], p);
		double la = v3_length(a), lb = v3_length(b), lc = v3_length(c);
		double over = la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb;
		sum += 2 * atan2(v3_dot(a, v3_cross(b, c)), over);
	}
	return sum / (4 * CN_PI);
}

static double distance(v3 p)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < triangle_count; ++i) {
		const uint32_t *t = &triangles[3 * i];
		least = fmin(least, cn_point_triangle(p, points[t[0]], points[t[1]], points[t[2]]));
	}
	return least;
}

static cn_side ask(v3 p, double near) { return cn_inside(&tree, points, triangles, p, near); }

/* Random points of a cube of this half width: as the solid angle says, whichever way triangles run. */
static void check_random(uint64_t *state, v3 middle, double half)
{
	static cn_side answers[ROUNDS / 10];
	uint64_t again = *state;
	uint32_t inside = 0;
	plant();
	for (uint32_t round = 0; round < ROUNDS / 10; ++round) {
		v3 p = v3_madd(middle, random_in_cube(state), half);
		answers[round] = ask(p, 0);
		double turns = windings(p);
		if (distance(p) < 1e-9)
			continue;
		CHECK(fabs(turns - floor(turns + 0.5)) < 1e-6);
		bool odd = (long long)floor(turns + 0.5) % 2 != 0;
		CHECK_INT(answers[round], odd ? CN_INSIDE : CN_OUTSIDE);
		CHECK_INT(ask(p, 1e-9), odd ? CN_INSIDE : CN_OUTSIDE);
		inside += odd;
	}
	CHECK(inside > ROUNDS / 1000);
	for (uint32_t i = 0; i < triangle_count; i += 2) { /* half of them the other way round: no matter */
		uint32_t swap = triangles[3 * i];
		triangles[3 * i] = triangles[3 * i + 1], triangles[3 * i + 1] = swap;
	}
	plant();
	for (uint32_t round = 0; round < ROUNDS / 10; ++round) {
		v3 p = v3_madd(middle, random_in_cube(&again), half);
		CHECK_INT(ask(p, 0), answers[round]);
	}
}

TEST(shapes)
{
	uint64_t state = 1;
	for (uint32_t round = 0; round < 8; ++round) {
		v3 axis = v3_scale(random_in_cube(&state), 2), move = v3_scale(random_in_cube(&state), round % 2 ? 0 : 100);
		quat q = round < 2 ? q_identity() : q_exp(axis);
		clear();
		add_prism(corner_l, 6, 0, 0, 1);
		turn(q, move);
		check_random(&state, v3_add(q_rotate(q, v3_make(1.5, 1.5, 0.5)), move), 2);
		clear();
		add_torus(24, 12);
		turn(q, move);
		check_random(&state, move, 3);
		clear();
		add_star(7);
		turn(q, move);
		check_random(&state, move, 2.5);
		clear(); /* shells in shells, and one beside */
		for (int i = 1; i <= 4; ++i)
			add_box(v3_make(-i, -i, -i), v3_make(i, i, i));
		add_box(v3_make(5, 0, 0), v3_make(6, 1, 1));
		turn(q, move);
		check_random(&state, move, 4.5);
	}
}

/* Corners, middles of edges and of faces, on a grid of halves: exact numbers, every ray starts in many planes. */
TEST(grid_about_an_l)
{
	clear();
	add_prism(corner_l, 6, 0, 0, 1);
	plant();
	for (int x = -2; x <= 8; ++x)
		for (int y = -2; y <= 8; ++y)
			for (int z = -2; z <= 4; ++z) {
				bool closed = x >= 0 && y >= 0 && z >= 0 && z <= 2 && ((x <= 6 && y <= 2) || (x <= 2 && y <= 6));
				bool open = x > 0 && y > 0 && z > 0 && z < 2 && ((x < 6 && y < 2) || (x < 2 && y < 6));
				cn_side wanted = open ? CN_INSIDE : closed ? CN_ON : CN_OUTSIDE;
				CHECK_INT(ask(v3_make(0.5 * x, 0.5 * y, 0.5 * z), 0), wanted);
			}
}

TEST(near_the_surface)
{
	uint64_t state = 2;
	clear();
	add_star(5);
	turn(q_exp(v3_make(0.3, 1.1, -0.7)), v3_make(3, -2, 1));
	plant();
	for (uint32_t round = 0; round < ROUNDS; ++round) {
		const uint32_t *t = &triangles[3 * (cn_random_u64(&state) % triangle_count)];
		v3 a = points[t[0]], b = points[t[1]], c = points[t[2]], n = v3_unit(v3_cross(v3_sub(b, a), v3_sub(c, a)));
		double u = 0.5 * (cn_random_signed(&state) + 1), w = (1 - u) * 0.5 * (cn_random_signed(&state) + 1);
		if (round % 4 == 1)
			w = 0; /* on an edge */
		if (round % 4 == 2)
			u = 1, w = 0; /* at a corner */
		v3 p = v3_madd(v3_madd(a, v3_sub(b, a), u), v3_sub(c, a), w);
		CHECK_INT(ask(p, 1e-12), CN_ON);
		if (round % 4)
			continue;
		v3 out = v3_madd(p, n, 1e-9), in = v3_madd(p, n, -1e-9);
		if (fmin(fmin(u, w), 1 - u - w) < 1e-6)
			continue;
		CHECK_INT(ask(out, 1e-10), CN_OUTSIDE);
		CHECK_INT(ask(in, 1e-10), CN_INSIDE);
		CHECK_INT(ask(out, 1e-8), CN_ON);
	}
}

TEST(distances)
{
	v3 a = {0, 0, 0}, b = {4, 0, 0}, c = {0, 3, 0};
	CHECK_NEAR(cn_point_triangle(v3_make(1, 1, 2), a, b, c), 2, 1e-15);
	CHECK_NEAR(cn_point_triangle(v3_make(1, -3, 4), a, b, c), 5, 1e-15);
	CHECK_NEAR(cn_point_triangle(v3_make(-3, -4, 0), a, b, c), 5, 1e-15);
	CHECK_NEAR(cn_point_triangle(v3_make(4, 3, 0), a, b, c), 2.4, 1e-15);
	CHECK_NEAR(cn_point_triangle(v3_make(7, 0, 4), a, b, c), 5, 1e-15);
	CHECK_NEAR(cn_point_triangle(v3_make(2, 1, 0), a, b, v3_make(3, 0, 0)), 1, 1e-15);
	CHECK_NEAR(cn_point_triangle(v3_make(1, 2, 2), a, a, a), 3, 1e-15);
}

/* As inside.c has them: corners are put exactly on rays from the origin. With the last ray left free it decides;
 * without any the answer is that there is none. */
TEST(rays_through_corners)
{
	static const v3 directions[] = {
		{0.7310585786, 0.5174973391, 0.4447139563},    {-0.3819660113, 0.8414709848, 0.3826834324},
		{0.2711630723, -0.4338837391, 0.8591920367},   {-0.6180339887, -0.5403023059, 0.5711987643},
		{0.9129452507, -0.2079116908, 0.3511234416},   {0.1736481777, 0.9350162427, -0.3090169944},
		{-0.8660254038, 0.2588190451, -0.4281827182},  {0.4999125303, -0.7660444431, -0.4044891837},
		{-0.2225209340, -0.1411200081, -0.9646158931}, {0.5877852523, 0.1305261922, -0.7986355100},
		{-0.0697564737, -0.9876883406, 0.1398810321},  {-0.9510565163, -0.0523359562, 0.3044886110},
		{0.3090169944, 0.3535533906, 0.8828771013},    {-0.4539904997, 0.6691306064, -0.5883490115},
		{0.8386705679, -0.5446390350, 0.0031415927},   {0.0123456789, 0.0987654321, -0.9950341234}};
	cairn_allocator allocator = cairn_default_allocator();
	for (uint32_t rays = 1; rays <= 16; ++rays) {
		clear();
		add_box(v3_make(-8, -8, -8), v3_make(8, 8, 8));
		double reach = 4 * v3_distance(v3_make(-8, -8, -8), v3_make(8, 8, 8));
		v3 corners[19];
		uint32_t *hull, count, base = point_count, n = 0;
		for (; n < rays; ++n)
			corners[n] = v3_scale(v3_madd(v3_zero(), directions[n], reach), 1.0 / 64); /* lengths of about 1.7 */
		for (int k = 0; rays < 16 && k < 3; ++k) { /* around the origin whichever rays there are */
			v3 d = v3_neg(directions[(rays + 5 * (uint32_t)k) % 15]);
			corners[n++] = v3_scale(d, 1.2 + 0.1 * k);
		}
		cairn_error error;
		if (!cn_hull_build(&allocator, corners, n, &hull, &count, &error))
			continue;
		for (uint32_t i = 0; i < n; ++i)
			points[point_count++] = corners[i];
		for (uint32_t i = 0; i < count; ++i) {
			add_triangle(base + hull[3 * i], base + hull[3 * i + 1], base + hull[3 * i + 2]);
			groups[triangle_count - 1] = 1;
		}
		cn_free(&allocator, hull, (size_t)count * 3, sizeof *hull);
		plant();
		double turns = windings(v3_zero());
		cn_side wanted = turns > 1.5 ? CN_OUTSIDE : CN_INSIDE; /* an even number of surfaces around it */
		if (rays == 16)
			CHECK_INT(ask(v3_zero(), 0), CN_UNDECIDED);
		else
			CHECK_INT(ask(v3_zero(), 0), wanted);
		CHECK_INT(cn_inside_others(&tree, points, triangles, groups, 1, v3_zero()), CN_INSIDE);
	}
}

/* Triangles without area, as readers of files leave them, change nothing. */
TEST(flat_triangles)
{
	uint64_t state = 3;
	clear();
	const double corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
	add_prism(corners, 4, 0, 0, 1);
	for (uint32_t i = 0; i < 12; ++i) /* each edge again as a triangle that runs there and back */
		add_triangle(triangles[3 * i], triangles[3 * i + 1], triangles[3 * i]);
	points[point_count++] = v3_make(0.5, 0, 0);
	add_triangle(0, point_count - 1, 2);
	plant();
	for (uint32_t round = 0; round < ROUNDS; ++round) {
		v3 p = v3_madd(v3_make(0.5, 0.5, 0.5), random_in_cube(&state), 0.75);
		bool in = v3_min(p) > 0 && v3_max(p) < 1;
		CHECK_INT(ask(p, 0), in ? CN_INSIDE : CN_OUTSIDE);
	}
}

TEST(groups_left_out)
{
	clear();
	for (int i = 1; i <= 3; ++i) {
		uint32_t first = triangle_count;
		add_box(v3_make(-i, -i, -i), v3_make(i, i, i));
		for (uint32_t k = first; k < triangle_count; ++k)
			groups[k] = (uint32_t)i;
	}
	plant();
	for (int i = 1; i <= 3; ++i)
		CHECK_INT(cn_inside_others(&tree, points, triangles, groups, (uint32_t)i, v3_make(-i, -i, -i)),
		          (3 - i) % 2 ? CN_INSIDE : CN_OUTSIDE);
	CHECK_INT(cn_inside_others(&tree, points, triangles, groups, 1, v3_make(2, 0.5, 0.25)), CN_ON);
	CHECK_INT(ask(v3_make(100, 0, 0), 0), CN_OUTSIDE);
	cairn_allocator allocator = cairn_default_allocator();
	cn_tree_free(&allocator, &tree);
	CHECK_INT(ask(v3_zero(), 1), CN_OUTSIDE); /* nothing */
}

TEST_MAIN(TEST_CASE(shapes), TEST_CASE(grid_about_an_l), TEST_CASE(near_the_surface), TEST_CASE(distances),
          TEST_CASE(rays_through_corners), TEST_CASE(flat_triangles), TEST_CASE(groups_left_out))
