/* Thickness and gap of shells, triangles that are dropped, and gaps of meshes. */
#include "base/trig.h"
#include "geom/shape.h"
#include "yard.h"

static const v3 down = {0, 0, -10};
static const v3 square[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
static const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};

static cairn_shape_def sheet_def(double thickness, double gap)
{
	cairn_shape_def d = cairn_default_shape_def(CAIRN_MESH);
	d.points = square, d.point_count = 4, d.triangles = halves, d.triangle_count = 2, d.shell = true;
	d.thickness = thickness, d.gap = gap;
	return d;
}

static cairn_shape add_sheet(cairn_scene *s, double thickness, double gap)
{
	cairn_shape_def d = sheet_def(thickness, gap);
	cairn_shape shape = cairn_scene_add_shape(s, &d, NULL);
	CHECK(shape.generation);
	return shape;
}

/* A sheet of 2 m x 2 m: area 4, about its middle 1/3 of the mass x 1 m^2 across, twice that about its normal. */
TEST(mass_is_that_of_the_skin)
{
	cairn_scene *s = cairn_scene_create(NULL);
	for (int thick = 0; thick < 2; ++thick) {
		double t = thick ? 0.02 : 1;
		cairn_shape_facts f = cairn_scene_shape_facts(s, add_sheet(s, thick ? t : 0, 0));
		CHECK_NEAR(f.volume, 4 * t, 1e-14);
		CHECK_NEAR(v3_max(f.moments), 4 * t * 2 / 3, 1e-13);
		CHECK_NEAR(v3_min(f.moments), 4 * t / 3, 1e-13);
		CHECK_NEAR(f.box.max.z - f.box.min.z, thick ? t : 0, 1e-15);
		CHECK_NEAR(f.box.max.x, 1 + (thick ? 0.5 * t : 0), 1e-15);
	}
	cairn_scene_destroy(s);
}

static void refuse(cairn_shape_def d, const char *path, const char *message)
{
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_error e = {0};
	CHECK(!cairn_scene_add_shape(s, &d, &e).generation);
	CHECK_TEXT(e.path, path);
	CHECK_HAS(e.message, message);
	cairn_scene_destroy(s);
}

TEST(bad_skins)
{
	cairn_shape_def solid = sheet_def(0.01, 0), field = sheet_def(0.01, 0);
	refuse(sheet_def(-0.01, 0), "thickness", "positive length");
	refuse(sheet_def(0, -0.01), "gap", "positive length");
	refuse(sheet_def((double)NAN, 0), "thickness", "not a finite number");
	refuse(sheet_def(0, (double)INFINITY), "gap", "not a finite number");
	refuse(sheet_def(0.15, 0), "thickness", "more than a tenth of the mesh's radius of 1.414");
	refuse(sheet_def(0, 0.15), "gap", "give at most 0.1414");
	solid.shell = false;
	refuse(solid, "thickness", "a mesh that is solid has no thickness");
	field.columns = field.rows = 2;
	refuse(field, "thickness", "a height field has no thickness");
}

static uint32_t dropped(const uint32_t *triangles, uint32_t count, bool shell, uint32_t *left)
{
	static const v3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}};
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_shape_def d = cairn_default_shape_def(CAIRN_MESH);
	d.points = points, d.point_count = 5, d.triangles = triangles, d.triangle_count = count, d.shell = shell;
	cairn_error e = {0};
	cairn_shape shape = cairn_scene_add_shape(s, &d, &e);
	CHECK(shape.generation);
	uint32_t found = shape.generation ? cairn_scene_shape_facts(s, shape).dropped : 0;
	*left = shape.generation ? cairn_scene_shape_at(s, shape.index).triangle_count : 0;
	cairn_scene_destroy(s);
	return found;
}

/* A tetrahedron with one triangle again, the same way and the other way round, one that names a point twice, and one whose
 * points lie on a line. */
TEST(triangles_that_add_nothing_are_dropped)
{
	static const uint32_t all[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 3, 1, 2, 2, 2, 1, 2, 1, 3, 0, 1, 4};
	uint32_t left;
	CHECK_INT(dropped(all, 4, false, &left), 0);
	CHECK_INT(left, 4);
	CHECK_INT(dropped(all, 6, false, &left), 2);
	CHECK_INT(left, 4);
	CHECK_INT(dropped(all, 8, true, &left), 4);
	CHECK_INT(left, 4);
}

/* A solid that is closed only by a triangle whose points lie on a line keeps it. */
TEST(a_solid_keeps_what_closes_it)
{
	static const v3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}};
	static const uint32_t t[] = {0, 2, 1, 0, 4, 3, 4, 1, 3, 0, 3, 2, 1, 2, 3, 0, 1, 4};
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_shape_def d = cairn_default_shape_def(CAIRN_MESH);
	d.points = points, d.point_count = 5, d.triangles = t, d.triangle_count = 6;
	cairn_shape shape = cairn_scene_add_shape(s, &d, NULL);
	CHECK(shape.generation);
	if (shape.generation)
		CHECK_INT(cairn_scene_shape_facts(s, shape).dropped, 0);
	cairn_scene_destroy(s);
}

/* ---- in contact */

/* Three sheets and a ball lie on one another: each is off the one below by its thickness and the gap. */
static void stack(double thickness, double gap, bool fixed_floor)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	cairn_shape sheet = add_sheet(s, thickness, gap);
	cairn_body on[3], ball;
	double kept = gap > 0 ? gap : 5e-4 * (sqrt(2) + 0.5 * thickness), top = fixed_floor ? 0.5 * thickness : 0;
	if (fixed_floor) {
		cairn_body_def d = yard_body(sheet, m, v3_zero());
		d.type = CAIRN_FIXED;
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	} else {
		yard_plane(s, m, v3_make(0, 0, 1), 0);
	}
	for (int i = 0; i < 3; ++i)
		on[i] = yard_add(s, sheet, m, v3_make(0, 0, 0.1 + (thickness + 0.05) * i), v3_zero());
	ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.2, 0), m, v3_make(0.1, 0.1, 0.6), v3_zero());
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, 60));
	double z = top + 0.5 * thickness;
	for (int i = 0; i < 3; ++i, z += thickness)
		CHECK_NEAR(yard_key(&y, on[i]).position.z, z + kept * (i + 1), 0.1 * kept);
	double own = fmin(kept, 1e-3 * 0.4);
	CHECK_NEAR(yard_key(&y, ball).position.z, z - 0.5 * thickness + 0.2 + 3 * kept + own, 0.3 * kept);
	for (int i = 1; i < 3; ++i) {
		cairn_gap g;
		CHECK(cairn_world_gap(y.world, on[i - 1], on[i], &g));
		CHECK_NEAR(g.gap, kept, 0.1 * kept);
	}
	yard_close(&y);
}

TEST(sheets_lie_a_thickness_and_a_gap_apart)
{
	stack(0, 0, false);
	stack(0, 0.004, false);
	stack(0, 1e-4, true);
	stack(0.05, 0, false);
	stack(0.05, 2e-3, true);
}

/* A thick ring falls over a peg and hangs there, a thick tile tumbles down a thick fixed slope: all of it certified. */
TEST(thick_shells_tumble)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.4);
	cairn_shape sheet = add_sheet(s, 0.04, 0);
	cairn_body_def slope = yard_body(sheet, m, v3_zero());
	slope.type = CAIRN_FIXED, slope.pose.orientation = q_exp(v3_make(0.5, 0, 0));
	CHECK(cairn_scene_add_body(s, &slope, NULL).generation);
	yard_plane(s, m, v3_make(0, 0, 1), -2);
	for (int i = 0; i < 4; ++i) {
		cairn_body_def d = yard_body(sheet, m, v3_make(0.3 * i - 0.4, 0.2, 1.2 + 0.5 * i));
		d.pose.orientation = q_exp(v3_make(0.3 * i, 0.4, 0.7 * i)), d.spin = v3_make(1, 2 - i, 3);
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	}
	yard_add(s, yard_box(s, 0.3, 0.2, 0.4), m, v3_make(0.1, 0.2, 4.5), v3_zero());
	yard_add(s, yard_round(s, CAIRN_CYLINDER, 0.2, 0.3), m, v3_make(-0.4, 0.1, 4.5), v3_zero());
	yard_add(s, yard_round(s, CAIRN_CAPSULE, 0.1, 0.3), m, v3_make(0.6, 0.1, 5.2), v3_zero());
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, TEST_FEW ? 20 : 75));
	yard_no_gain(&y);
	yard_close(&y);
}

/* Two plates close on a sheet that stands between them, by scripts that would meet: both wait, and nothing is crossed. */
TEST(scripts_that_squeeze_a_shell_wait)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	cairn_shape plate = yard_box(s, 0.2, 3, 3);
	cairn_body sides[2];
	for (int i = 0; i < 2; ++i) {
		double x = i ? 0.6 : -0.6;
		cairn_script_key keys[2] = {{0, {v3_make(x, 0, 1.6), q_identity()}}, {1, {v3_make(-x, 0, 1.6), q_identity()}}};
		cairn_body_def d = yard_body(plate, m, keys[0].pose.position);
		d.type = CAIRN_SCRIPTED, d.keys = keys, d.key_count = 2;
		sides[i] = cairn_scene_add_body(s, &d, NULL);
		CHECK(sides[i].generation);
	}
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(add_sheet(s, 0, 0), m, v3_make(0, 0, 1.1));
	d.pose.orientation = q_exp(v3_make(0, CN_PI / 2 - 0.2, 0));
	cairn_body sheet = cairn_scene_add_body(s, &d, NULL);
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, 30));
	double left = yard_key(&y, sides[0]).position.x, right = yard_key(&y, sides[1]).position.x,
		   x = yard_key(&y, sheet).position.x;
	CHECK(left + 0.1 < x && x < right - 0.1);
	CHECK(right - left < 0.21);
	yard_close(&y);
}

/* ---- gaps of meshes, and what is refused at the start */

static cairn_world *two_sheets(double thickness, double apart, double tilt, cairn_body bodies[2], cairn_error *e)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	cairn_shape sheet = add_sheet(s, thickness, 0);
	bodies[0] = yard_add(s, sheet, m, v3_zero(), v3_zero());
	cairn_body_def d = yard_body(sheet, m, v3_make(0.1, 0.2, apart));
	d.pose.orientation = q_exp(v3_make(0, tilt, 0));
	bodies[1] = cairn_scene_add_body(s, &d, NULL);
	cairn_world *w = cairn_world_create(s, NULL, e);
	cairn_scene_destroy(s);
	return w;
}

TEST(surfaces_that_cross_are_refused_with_their_triangles)
{
	cairn_body b[2];
	cairn_error e = {0};
	cairn_gap g;
	CHECK(!two_sheets(0, 0.3, 1, b, &e));
	CHECK_HAS(e.message, "overlap at the start");
	CHECK_HAS(e.message, "at triangles ");
	CHECK(!two_sheets(0.04, 0.03, 0, b, &e)); /* nearer than their thickness */
	CHECK_HAS(e.message, "by 0.01 m, at triangles ");
	cairn_world *touching = two_sheets(0.04, 0.04 + 1e-15, 0, b, &e), *apart = two_sheets(0, 1.5, 0.9, b, &e);
	CHECK(touching && apart);
	if (apart) {
		CHECK(cairn_world_gap(apart, b[0], b[1], &g));
		CHECK(g.exact && g.triangle_a < 2 && g.triangle_b < 2);
		CHECK_NEAR(g.gap, 1.5 - sin(0.9), 1e-12);
	}
	cairn_world_destroy(touching);
	cairn_world_destroy(apart);
}

TEST(the_gap_of_a_mesh_to_a_plane_is_that_of_its_lowest_corner)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	cairn_body plane = yard_plane(s, m, v3_make(0, 0, 1), 0.25);
	cairn_body_def d = yard_body(add_sheet(s, 0.04, 0), m, v3_make(0, 0, 2));
	d.pose.orientation = q_exp(v3_make(0.5, 0, 0));
	cairn_body sheet = cairn_scene_add_body(s, &d, NULL);
	cairn_world *w = cairn_world_create(s, NULL, NULL);
	cairn_gap g;
	REQUIRE(w);
	CHECK(cairn_world_gap(w, sheet, plane, &g) && g.exact);
	CHECK_NEAR(g.gap, 2 - sin(0.5) - 0.02 - 0.25, 1e-14);
	CHECK_NEAR(g.normal.z, -1, 1e-15);
	CHECK_NEAR(v3_distance(g.point_b, v3_madd(g.point_a, g.normal, g.gap)), 0, 1e-14);
	CHECK(cairn_world_gap(w, plane, sheet, &g) && g.triangle_b < 2 && g.triangle_a == CAIRN_NO_TRIANGLE);
	CHECK_NEAR(g.normal.z, 1, 1e-15);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(mass_is_that_of_the_skin), TEST_CASE(bad_skins), TEST_CASE(triangles_that_add_nothing_are_dropped),
          TEST_CASE(a_solid_keeps_what_closes_it), TEST_CASE(sheets_lie_a_thickness_and_a_gap_apart),
          TEST_CASE(thick_shells_tumble), TEST_CASE(scripts_that_squeeze_a_shell_wait),
          TEST_CASE(surfaces_that_cross_are_refused_with_their_triangles),
          TEST_CASE(the_gap_of_a_mesh_to_a_plane_is_that_of_its_lowest_corner))
