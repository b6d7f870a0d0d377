/* A triangle as a convex part, and heights over a grid: cases worked by hand, and two routes to one answer. */
#include "check/overlap.h"
#include "geom/contact.h"
#include "geom/heightfield.h"
#include "geom/inside.h"
#include "geom/shape.h"
#include "geom/triangle_part.h"
#include "ledger.h"
#include "random.h"
#include "test.h"

static ledger book;

static const cairn_allocator *heap(void)
{
	static cairn_allocator a = {&book, ledger_resize};
	return &a;
}

static cn_shape make(cairn_shape_def def)
{
	cn_shape s = {0};
	cairn_error e = {0};
	CHECK(cn_shape_make(heap(), &def, NULL, 0, &s, &e));
	return s;
}

static cn_place at(const cn_convex *c, v3 x, v3 turn) { return cn_convex_place(c, (pose){x, q_exp(turn)}); }

static const v3 corners[3] = {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};

TEST(ball_against_triangle)
{
	cn_triangle_part tile;
	cn_shape ball = make((cairn_shape_def){.kind = CAIRN_SPHERE, .radius = 0.25, .name = ""});
	/* over the face from both sides, beside an edge, beyond a corner */
	const v3 centres[4] = {{-0.5, -0.5, 1}, {-0.5, -0.5, -1}, {-3, 0, 0}, {4, -1, 4}};
	const v3 wanted[4] = {{0, 0, -1}, {0, 0, 1}, {1, 0, 0}, {-0.6, 0, -0.8}};
	const double gaps[4] = {0.75, 0.75, 1.75, 4.75};
	cn_triangle_part_make(corners, &tile);
	cn_place here = at(&tile.convex, v3_zero(), v3_zero());
	for (int i = 0; i < 4; ++i) {
		cn_place there = at(ball.convex, centres[i], v3_zero());
		cn_separation s;
		cn_separate(ball.convex, &there, &tile.convex, &here, NULL, &s);
		CHECK_NEAR(s.gap, gaps[i], 1e-12);
		CHECK_NEAR(v3_distance(s.n, wanted[i]), 0, 1e-12);
	}
	cn_shape_free(heap(), &ball);
}

TEST(box_against_triangle)
{
	cn_triangle_part tile;
	cn_shape box = make((cairn_shape_def){.kind = CAIRN_BOX, .size = {1, 1, 1}, .name = ""});
	cn_separation s;
	cn_contact_set set;
	cn_triangle_part_make(corners, &tile);
	cn_place here = at(&tile.convex, v3_zero(), v3_zero()), over = at(box.convex, v3_make(-0.4, -0.4, 0.6), v3_zero());
	cn_separate(box.convex, &over, &tile.convex, &here, NULL, &s);
	CHECK_NEAR(s.gap, 0.1, 1e-12);
	CHECK_NEAR(v3_distance(s.n, v3_make(0, 0, -1)), 0, 1e-12);
	/* the box's face is x, y in -0.9..0.1, cut off by x + y <= 0 at (0.1, -0.1) and (-0.1, 0.1) */
	cn_contact_find(&(cn_convex_pair){box.convex, &over, &tile.convex, &here}, &s, 0.01, &set);
	CHECK(set.count == 5);
	for (uint32_t i = 0; i < set.count; ++i)
		CHECK_NEAR(set.points[i].gap, 0.1, 1e-12);
	/* sunk by a tenth: the way out is up, and from below down */
	for (int side = -1; side <= 1; side += 2) {
		over = at(box.convex, v3_make(-0.4, -0.4, 0.4 * side), v3_zero());
		cn_separate(box.convex, &over, &tile.convex, &here, NULL, &s);
		CHECK_NEAR(s.gap, -0.1, 1e-12);
		CHECK_NEAR(v3_distance(s.n, v3_make(0, 0, -side)), 0, 1e-12);
	}
	/* an edge of the box across an edge of the triangle: square to both */
	over = at(box.convex, v3_make(-1 - 0.75, 0, 0), v3_make(0, 0.78539816339744828, 0));
	cn_separate(box.convex, &over, &tile.convex, &here, NULL, &s);
	CHECK_NEAR(s.gap, 0.75 - sqrt(0.5), 1e-12);
	CHECK_NEAR(v3_distance(s.n, v3_make(1, 0, 0)), 0, 1e-9);
	cn_shape_free(heap(), &box);
}

/* The nearest point of a triangle against the distance from inside.h, and the separation of a ball against both. */
TEST(random_triangles)
{
	uint64_t random = 7;
	cn_shape ball = make((cairn_shape_def){.kind = CAIRN_SPHERE, .radius = 0.01, .name = ""});
	for (int i = 0; i < 2000; ++i) {
		v3 c[3], p = v3_scale(random_in_cube(&random), 2);
		for (int k = 0; k < 3; ++k)
			c[k] = random_in_cube(&random);
		cn_triangle_part tile;
		cn_separation s;
		cn_triangle_part_make(c, &tile);
		double far = cn_point_triangle(p, c[0], c[1], c[2]);
		v3 x = v3_add(tile.convex.center, cn_triangle_part_nearest(&tile, v3_sub(p, tile.convex.center)));
		CHECK_NEAR(v3_distance(x, p), far, 1e-9);
		cn_place here = at(&tile.convex, v3_zero(), v3_zero()), there = at(ball.convex, p, v3_zero());
		cn_separate(&tile.convex, &here, ball.convex, &there, NULL, &s);
		CHECK_NEAR(s.gap, far - 0.01, 1e-9);
	}
	cn_shape_free(heap(), &ball);
}

/* A thin wedge is all but a triangle: the same gap up to its thickness, for every kind of part, apart and overlapping. */
TEST(triangle_is_the_limit_of_a_wedge)
{
	const double thin = 1e-7;
	uint64_t random = 11;
	const cairn_shape_def defs[5] = {{.kind = CAIRN_SPHERE, .radius = 0.4, .name = ""},
	                                 {.kind = CAIRN_BOX, .size = {0.7, 0.5, 0.9}, .name = ""},
	                                 {.kind = CAIRN_CAPSULE, .radius = 0.2, .length = 0.8, .name = ""},
	                                 {.kind = CAIRN_CYLINDER, .radius = 0.3, .length = 0.6, .name = ""},
	                                 {.kind = CAIRN_BOX, .size = {2, 0.05, 0.05}, .name = ""}};
	int deep = 0;
	for (int kind = 0; kind < 5; ++kind) {
		cn_shape part = make(defs[kind]);
		for (int i = 0; i < (TEST_FEW ? 40 : 400); ++i) {
			v3 c[3], points[6];
			for (int k = 0; k < 3; ++k)
				c[k] = random_in_cube(&random);
			cn_triangle_part tile;
			cn_triangle_part_make(c, &tile);
			for (int k = 0; k < 6; ++k)
				points[k] = v3_madd(c[k % 3], tile.normals[k / 3], 0.5 * thin);
			cn_shape wedge =
				make((cairn_shape_def){.kind = CAIRN_HULL, .points = points, .point_count = 6, .name = ""});
			cn_place here = at(&tile.convex, v3_zero(), v3_zero()), also = at(wedge.convex, v3_zero(), v3_zero());
			cn_place there =
				at(part.convex, v3_scale(random_in_cube(&random), 1.2), v3_scale(random_in_cube(&random), 3));
			cn_separation s, t;
			cn_separate(part.convex, &there, &tile.convex, &here, NULL, &s);
			cn_separate(part.convex, &there, wedge.convex, &also, NULL, &t);
			CHECK_NEAR(s.gap, t.gap, 2 * thin);
			CHECK_NEAR(cn_separate_along(part.convex, &there, &tile.convex, &here, s.n), s.gap, 1e-7);
			deep += s.gap < 0;
			cn_shape_free(heap(), &wedge);
		}
		cn_shape_free(heap(), &part);
	}
	CHECK(deep > 20);
}

/* Lines and points among the triangles of a mesh are in the way as such. */
TEST(triangles_without_area)
{
	const v3 lines[4][3] = {{{-1, 0, 0}, {1, 0, 0}, {0.5, 0, 0}},
	                        {{-1, 0, 0}, {1, 0, 0}, {-1, 0, 0}},
	                        {{-1, 0, 0}, {0.3, 0, 0}, {1, 0, 0}},
	                        {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
	const cairn_shape_def defs[4] = {{.kind = CAIRN_SPHERE, .radius = 0.4, .name = ""},
	                                 {.kind = CAIRN_BOX, .size = {0.8, 0.8, 0.8}, .name = ""},
	                                 {.kind = CAIRN_CAPSULE, .radius = 0.4, .length = 0.8, .name = ""},
	                                 {.kind = CAIRN_CYLINDER, .radius = 0.4, .length = 0.8, .name = ""}};
	for (int kind = 0; kind < 4; ++kind) {
		cn_shape part = make(defs[kind]);
		for (int i = 0; i < 4; ++i) {
			cn_triangle_part tile;
			cn_separation s;
			cn_triangle_part_make(lines[i], &tile);
			cn_place here = at(&tile.convex, v3_zero(), v3_zero()),
					 there = at(part.convex, v3_make(0, 1, 0), v3_zero());
			cn_separate(part.convex, &there, &tile.convex, &here, NULL, &s);
			CHECK_NEAR(s.gap, 0.6, 5e-5);
			CHECK_NEAR(v3_distance(s.n, v3_make(0, -1, 0)), 0, 1e-3);
		}
		cn_shape_free(heap(), &part);
	}
}

/* ---- height fields */

TEST(heights_become_a_mesh)
{
	const double heights[6] = {0, 1, 2, 3, 4, 5};
	cn_shape s = make((cairn_shape_def){
		.kind = CAIRN_HEIGHTFIELD, .size = {4, 3, 0}, .heights = heights, .columns = 3, .rows = 2, .name = "hill"});
	CHECK(s.def.kind == CAIRN_MESH && s.def.shell && s.def.columns == 3 && s.def.rows == 2 && !s.def.heights);
	REQUIRE(s.def.point_count == 6 && s.triangle_count == 4 && s.tree);
	CHECK(!strcmp(s.def.name, "hill"));
	for (int i = 0; i < 6; ++i)
		CHECK_NEAR(v3_distance(s.def.points[i], v3_make(2.0 * (i % 3) - 2, 3.0 * (i / 3) - 1.5, i)), 0, 0);
	for (uint32_t i = 0; i < s.triangle_count; ++i) { /* all look up */
		const uint32_t *t = &s.triangles[(size_t)3 * i];
		v3 p = s.def.points[t[0]];
		CHECK(v3_cross(v3_sub(s.def.points[t[1]], p), v3_sub(s.def.points[t[2]], p)).z > 0);
	}
	cn_shape again = make(s.def); /* what it became is a shape itself */
	CHECK(again.def.columns == 3 && again.triangle_count == 4);
	cn_shape_free(heap(), &again);
	cn_shape_free(heap(), &s);
}

/* The independent check on ground: what goes through it, or is in it at an end of its way, is found; what goes over it,
 * however close and far, is not. */
TEST(check_sees_what_passes_ground)
{
	static double heights[20 * 20];
	cn_shape ground = make((cairn_shape_def){
		.kind = CAIRN_HEIGHTFIELD, .size = {10, 10, 0}, .heights = heights, .columns = 20, .rows = 20, .name = ""});
	const cairn_shape_def defs[3] = {{.kind = CAIRN_SPHERE, .radius = 0.3, .name = ""},
	                                 {.kind = CAIRN_BOX, .size = {0.6, 0.6, 0.6}, .name = ""},
	                                 {.kind = CAIRN_CYLINDER, .radius = 0.3, .length = 0.6, .name = ""}};
	const v3 ways[6][2] = {{{0, 0, 2}, {0, 0, -2}},  {{-3, 1, -0.5}, {3, 1, 0.9}},      {{0, 0, 2}, {0, 0, 0.1}},
	                       {{1, 2, 0.2}, {1, 2, 3}}, {{-4, 0, 0.3001}, {4, 1, 0.3001}}, {{-4, 0, -0.31}, {4, 0, -3}}};
	cairn_error e = {0};
	cn_solid *floor = cn_solid_make(heap(), &ground, &e);
	for (int kind = 0; kind < 3; ++kind) {
		cn_shape part = make(defs[kind]);
		cn_solid *solid = cn_solid_make(heap(), &part, &e);
		REQUIRE(floor && solid);
		for (int i = 0; i < 6; ++i)
			for (int turn = 0; turn < 2; ++turn) {
				cn_track still = {.in_body = pose_identity(), .q0 = q_identity()}, track = still;
				cn_passage found;
				track.x0 = ways[i][0], track.x1 = ways[i][1], track.turn = v3_make(0, 0, turn);
				cn_overlap_motion(&(cn_moving_solid){solid, &track}, &(cn_moving_solid){floor, &still}, NULL, 100000,
				                  NULL, &found);
				bool clean = found.verdict == CN_APART || found.verdict == CN_TOUCHING;
				CHECK(clean == (i >= 4));
			}
		cn_solid_free(heap(), solid);
		cn_shape_free(heap(), &part);
	}
	cn_solid_free(heap(), floor);
	cn_shape_free(heap(), &ground);
}

static void refuse(cairn_shape_def def, const char *path)
{
	cn_shape s = {0};
	cairn_error e = {0};
	bool made = cn_shape_make(heap(), &def, NULL, 0, &s, &e);
	CHECK(!made && e.code == CAIRN_INVALID && !strcmp(e.path, path));
	if (made || strcmp(e.path, path) != 0)
		printf("%s: %s, wanted %s\n", e.path, e.message, path);
	if (made)
		cn_shape_free(heap(), &s);
}

TEST(bad_height_fields)
{
	const double flat[4] = {0, 0, 0, 0}, nan[4] = {0, 0, NAN, 0}, endless[4] = {0, INFINITY, 0, 0},
				 high[4] = {0, 0, 0, 1e12};
	cairn_shape_def d = {
		.kind = CAIRN_HEIGHTFIELD, .size = {1, 1, 0}, .heights = flat, .columns = 2, .rows = 2, .name = ""};
	cairn_shape_def bad = d;
	bad.heights = nan, refuse(bad, "heights[1][0]");
	bad.heights = endless, refuse(bad, "heights[0][1]");
	bad.heights = high, refuse(bad, "heights[1][1]");
	bad = d, bad.columns = 1, bad.rows = 1, refuse(bad, "heights");
	bad = d, bad.rows = 1, refuse(bad, "heights");
	bad = d, bad.columns = bad.rows = 0, refuse(bad, "heights");
	bad = d, bad.columns = bad.rows = 1000000, refuse(bad, "heights");
	bad = d, bad.columns = bad.rows = UINT32_MAX, refuse(bad, "heights");
	bad = d, bad.size.x = 0, refuse(bad, "size");
	bad = d, bad.size.y = NAN, refuse(bad, "size");
	const v3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
	const uint32_t triangle[3] = {0, 1, 2};
	bad = (cairn_shape_def){.kind = CAIRN_MESH, .points = points, .point_count = 3, .name = ""};
	bad.triangles = triangle, bad.triangle_count = 1, bad.shell = true, bad.columns = bad.rows = 2;
	refuse(bad, "columns");
}

TEST_MAIN(TEST_CASE(ball_against_triangle), TEST_CASE(box_against_triangle), TEST_CASE(random_triangles),
          TEST_CASE(triangle_is_the_limit_of_a_wedge), TEST_CASE(triangles_without_area),
          TEST_CASE(heights_become_a_mesh), TEST_CASE(check_sees_what_passes_ground), TEST_CASE(bad_height_fields))
