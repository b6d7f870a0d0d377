/* What programs ask beside scenes and worlds: assets, surfaces, unions of hulls and how far they stand off, lists of kinds and
 * formats, trajectories. */
#include "cairn/cairn.h"
#include "test.h"

static const cairn_vec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0},
                                     {0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {0, 2, 1}};
static const uint32_t ell[] = {0,  3, 1,  1,  3,  2, 0,  5, 3, 3, 5,  4, 6,  7,  9, 7, 8, 9, 6, 9,
                               11, 9, 10, 11, 0,  1, 7,  0, 7, 6, 1,  2, 8,  1,  8, 7, 2, 3, 9, 2,
                               9,  8, 3,  4,  10, 3, 10, 9, 4, 5, 11, 4, 11, 10, 5, 0, 6, 5, 6, 11};

static cairn_shape_def ell_def(bool visual)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
	def.points = corners, def.point_count = 12;
	def.triangles = ell, def.triangle_count = sizeof ell / sizeof *ell / 3;
	def.visual = visual;
	return def;
}

TEST(an_obj_is_an_asset)
{
	static const char text[] =
		"o wedge\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
		"o sail\nv 5 0 0\nv 6 0 0\nv 5 0 1\nf 5 6 7\nl 5 6\n";
	cairn_error error;
	cairn_asset *asset = cairn_asset_read(text, sizeof text - 1, "thing.obj", NULL, NULL, &error);
	REQUIRE(asset);
	CHECK_INT(cairn_asset_mesh_count(asset), 2);
	CHECK_INT(cairn_asset_node_count(asset), 2);
	cairn_asset_node node = cairn_asset_node_at(asset, 1);
	CHECK_TEXT(node.name, "sail");
	CHECK_INT(node.body, 1);
	CHECK(node.seen && node.touches && !node.has_shape && node.motion == CAIRN_ASSET_UNSAID);
	cairn_asset_mesh mesh = cairn_asset_mesh_at(asset, cairn_asset_node_at(asset, 0).mesh);
	CHECK_INT(mesh.point_count, 4);
	CHECK_INT(mesh.triangle_count, 4);
	CHECK(!mesh.has_color);
	REQUIRE(cairn_asset_note_count(asset) > 0); /* the line */
	CHECK_INT(cairn_asset_note_at(asset, 0).line, 16);
	cairn_asset_destroy(asset);
	cairn_asset_destroy(NULL);
	CHECK(!cairn_asset_read("v 0 0", 5, "thing.obj", NULL, NULL, &error));
	CHECK_INT(error.code, CAIRN_INVALID);
	CHECK(!cairn_asset_read("", 0, "thing.doc", NULL, NULL, &error));
}

TEST(a_union_of_hulls_says_how_far_it_stands_off)
{
	cairn_error error;
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_decompose_def how = cairn_default_decompose_def();
	cairn_shape_def mesh = ell_def(false), seen = ell_def(true);
	cairn_body_def body = cairn_default_body_def();
	body.shape = cairn_scene_decompose(scene, &mesh, &how, &error);
	REQUIRE(body.shape.generation);
	CHECK_INT(cairn_scene_shape_at(scene, body.shape.index).part_count, 2); /* an L is two boxes */
	body.visual = cairn_scene_add_shape(scene, &seen, &error);
	REQUIRE(cairn_scene_add_body(scene, &body, &error).generation);
	cairn_standoff off;
	REQUIRE(cairn_scene_standoff(scene, 0, &off, &error));
	CHECK(off.closed);
	CHECK_NEAR(off.size, 3, 1e-12);
	CHECK_NEAR(off.shape_beyond, 0, 1e-9);
	CHECK_NEAR(off.visual_beyond, 0, 1e-9);
	mesh = cairn_default_shape_def(
		CAIRN_HULL); /* its hull fills the corner of the L, whose middle is half a diagonal away */
	mesh.points = corners, mesh.point_count = 12;
	body.shape = cairn_scene_add_shape(scene, &mesh, &error);
	body.pose.position.x = 9;
	REQUIRE(cairn_scene_add_body(scene, &body, &error).generation && cairn_scene_standoff(scene, 1, &off, &error));
	CHECK(off.shape_beyond > 0.45 && off.shape_beyond <= 0.5 + 1e-12);
	CHECK(!cairn_scene_standoff(scene, 7, &off, &error));

	cairn_world *world = cairn_world_create(scene, NULL, &error);
	REQUIRE(world);
	cairn_body_info info =
		cairn_world_body_info(world, cairn_scene_body_count(scene) ? (cairn_body){0, 1} : (cairn_body){0});
	cairn_pose pose;
	CHECK_INT(cairn_shown_shape(&info, &pose).index, body.visual.index);
	CHECK(cairn_world_threads(world) >= 1);
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
}

TEST(surfaces_for_drawing_are_closed_and_near)
{
	cairn_error error;
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
	ball.radius = 2;
	cairn_shape shape = cairn_scene_add_shape(scene, &ball, &error);
	cairn_surface surface;
	uint32_t coarse = 0;
	for (int finer = 0; finer < 2; ++finer) {
		double tolerance = finer ? 1e-3 : 1e-1;
		REQUIRE(cairn_scene_surface(scene, shape, tolerance, 1, NULL, &surface, &error));
		CHECK_INT(surface.triangle_count, 2 * surface.point_count - 4); /* Euler: it is closed */
		double volume = 0;
		for (uint32_t i = 0; i < surface.triangle_count; ++i) {
			const cairn_vec3 a = surface.points[surface.triangles[3 * i]],
							 b = surface.points[surface.triangles[3 * i + 1]],
							 c = surface.points[surface.triangles[3 * i + 2]];
			volume +=
				(a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x)) / 6;
		}
		CHECK(fabs(volume / (32 * 3.14159265358979 / 3) - 1) < 6 * tolerance && volume > 0);
		CHECK(!finer || surface.triangle_count > 4 * coarse);
		coarse = surface.triangle_count;
		cairn_surface_free(&surface, NULL);
	}
	CHECK(!cairn_scene_surface(scene, (cairn_shape){9, 1}, 0.1, 1, NULL, &surface, &error));
	cairn_scene_destroy(scene);
}

TEST(lists_end_and_have_names)
{
	uint32_t kinds = 0, formats = 0;
	while (cairn_shape_kind_at(kinds))
		CHECK(cairn_shape_kind_at(kinds)->name[0] && cairn_shape_kind_at(kinds++)->title[0]);
	CHECK_INT(kinds, CAIRN_HEIGHTFIELD + 1);
	CHECK_TEXT(cairn_shape_kind_at(CAIRN_HALFSPACE)->title, "half-space");
	char endings[100];
	cairn_export_endings(endings, sizeof endings);
	for (; cairn_export_format_at(formats); ++formats) {
		const char *ending = cairn_export_format_at(formats)->ending;
		char path[40];
		snprintf(path, sizeof path, "out/a.b%s", ending);
		CHECK(cairn_export_format_of(path) == cairn_export_format_at(formats));
		CHECK_HAS(endings, ending);
	}
	CHECK_INT(formats, 4);
	CHECK(!cairn_export_format_of("a.doc"));
}

TEST(a_trajectory_names_its_bodies)
{
	static const char text[] =
		"trajectory 1\nshape sphere 0.5\nbody dynamic 0 name a ball\nbody dynamic 0\nframe 3 0.1\n"
		"key 0 0 0 0 1 0 0 0\nkey 1 2 0 0 1 0 0 0\nframe 4 0.2\nkey 0 0 0 0 1 0 0 0\n"
		"key 1 2 0 1 1 0 0 0\nend\n";
	cairn_error error;
	cairn_trajectory *t = cairn_trajectory_read_text(text, sizeof text - 1, "t.traj", NULL, &error);
	if (!t)
		printf("%d: %s\n", error.line, error.message);
	REQUIRE(t);
	cairn_trajectory_info info = cairn_trajectory_get_info(t);
	CHECK_INT(info.bodies, 2);
	CHECK_INT(info.first_frame, 3);
	CHECK_INT(info.last_frame, 4);
	CHECK_TEXT(cairn_trajectory_body_name(t, 0), "a ball");
	CHECK_TEXT(cairn_trajectory_body_name(t, 1), "");
	CHECK_TEXT(cairn_trajectory_body_name(t, 9), "");
	cairn_trajectory_free(t);
}

TEST_MAIN(TEST_CASE(an_obj_is_an_asset), TEST_CASE(a_union_of_hulls_says_how_far_it_stands_off),
          TEST_CASE(surfaces_for_drawing_are_closed_and_near), TEST_CASE(lists_end_and_have_names),
          TEST_CASE(a_trajectory_names_its_bodies))
