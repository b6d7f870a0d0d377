/* Exporters: the CSV byte by byte, the frame of a .glb, what is left behind when something goes wrong. What other
 * programs make of the files is in test/clients. */
#include "ledger.h"
#include "test.h"

#include "io/export.h"

#ifndef __wasi__
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

typedef struct text {
	char *data;
	size_t size;
} text;

/* The whole file with a 0 after it; data is NULL when there is none. */
static text read_whole(const char *path)
{
	text t = {NULL, 0};
	FILE *file = fopen(path, "rb");
	if (!file)
		return t;
	fseek(file, 0, SEEK_END);
	t.size = (size_t)ftell(file);
	fseek(file, 0, SEEK_SET);
	t.data = calloc(t.size + 1, 1);
	if (fread(t.data, 1, t.size, file) != t.size)
		t.size = 0;
	fclose(file);
	return t;
}

static bool exists(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file)
		fclose(file);
	return file != NULL;
}

static cairn_shape add_shape(cairn_scene *scene, cairn_shape_def def)
{
	cairn_error error = {0};
	cairn_shape shape = cairn_scene_add_shape(scene, &def, &error);
	CHECK_TEXT(error.message, "");
	return shape;
}

static cairn_shape add_box(cairn_scene *scene, double x, double y, double z)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
	def.size = v3_make(x, y, z);
	return add_shape(scene, def);
}

static cairn_shape add_floor(cairn_scene *scene)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_HALFSPACE);
	def.normal = v3_make(0, 0, 1);
	def.offset = -2;
	return add_shape(scene, def);
}

static void add_body(cairn_scene *scene, cairn_body_def def)
{
	cairn_error error = {0};
	cairn_scene_add_body(scene, &def, &error);
	CHECK_TEXT(error.message, "");
}

static cairn_body_def body(const char *name, cairn_shape shape, double x, cairn_body_type type)
{
	cairn_body_def def = cairn_default_body_def();
	def.name = name, def.shape = shape, def.type = type;
	def.pose.position.x = x;
	def.has_color = true;
	def.color = (cairn_color){0.5, 0.25, 0.125};
	return def;
}

/* No gravity, ten frames a second. */
static cairn_scene *empty_scene(const char *name)
{
	cairn_error error = {0};
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	settings.name = name, settings.fps = 10, settings.gravity = v3_zero();
	CHECK(cairn_scene_set_settings(scene, &settings, &error));
	return scene;
}

/* A floor and a box that drifts: numbers that can be written down by hand. */
static cairn_scene *drift_scene(void)
{
	cairn_scene *scene = empty_scene("drift");
	cairn_body_def box = body("box \"a\"", add_box(scene, 1, 2, 3), 0, CAIRN_DYNAMIC);
	box.mass = 6, box.velocity = v3_make(5, 0, 0);
	add_body(scene, body("floor", add_floor(scene), 0, CAIRN_FIXED));
	add_body(scene, box);
	return scene;
}

/* Runs the scene into a file and opens it; takes the scene. At frame 2 a body is added, at frame 4 one is removed, when
 * guests is set. */
static cairn_recording *record(cairn_scene *scene, const char *path, uint32_t frames, bool guests)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_world *world = cairn_world_create(scene, NULL, &error);
	cairn_recording *recording = world ? cairn_recording_create(path, world, &def, &error) : NULL;
	for (uint32_t i = 0; recording && i < frames; ++i) {
		cairn_body_def guest = body("guest", (cairn_shape){1, 1}, 20, CAIRN_DYNAMIC);
		guest.velocity = v3_make(0, 0, 1);
		if (guests && i == 2)
			CHECK(cairn_world_add_body(world, &guest, &error).generation);
		if (guests && i == 4)
			CHECK(cairn_world_remove_body(world, cairn_world_find_body(world, "leaver"), &error));
		cairn_step_report report = cairn_world_step(world);
		CHECK_INT(report.status, CAIRN_STEP_OK);
		CHECK(cairn_recording_append(recording, world, &report, &error));
	}
	bool finished = recording && cairn_recording_finish(recording, &error);
	CHECK_TEXT(error.message, "");
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return finished ? cairn_recording_open(path, NULL, &error) : NULL;
}

/* Still, moving, spinning fast, coming, leaving. */
static cairn_recording *record_mixed(const char *path)
{
	cairn_scene *scene = empty_scene("mixed");
	cairn_shape floor = add_floor(scene), box = add_box(scene, 1, 2, 0.5);
	cairn_body_def spinner = body("same", box, 4, CAIRN_DYNAMIC), mover = body("same_2", box, 8, CAIRN_DYNAMIC);
	cairn_body_def leaver = body("leaver", box, 12, CAIRN_DYNAMIC), still = body("", box, 16, CAIRN_DYNAMIC);
	spinner.spin = v3_make(60, 0, 0);
	mover.spin = v3_make(1, 2, 3), mover.velocity = v3_make(0, 1, 0);
	leaver.velocity = v3_make(0, 0, 1);
	cairn_view view = {
		.has_camera = true, .camera_position = {0, -20, 5}, .camera_target = {8, 0, 0}, .camera_fov = 0.8};
	CHECK(cairn_scene_set_view(scene, &view, NULL));
	add_body(scene, body("floor", floor, 0, CAIRN_FIXED));
	add_body(scene, spinner);
	add_body(scene, mover);
	add_body(scene, leaver);
	add_body(scene, still);
	return record(scene, path, 8, true);
}

static bool export_to(cairn_recording *recording, const char *path, uint32_t from, uint32_t to, cairn_error *error)
{
	cairn_export_def def = cairn_default_export_def();
	def.from = from, def.to = to;
	*error = (cairn_error){0};
	return cairn_export(recording, path, &def, error);
}

TEST(csv_is_as_documented)
{
	cairn_error error;
	cairn_recording *recording = record(drift_scene(), "drift.cairn", 2, false);
	REQUIRE(recording);
	CHECK(export_to(recording, "drift.csv", 0, UINT32_MAX, &error));
	text csv = read_whole("drift.csv");
	REQUIRE(csv.data);
	CHECK_TEXT(
		csv.data,
		"# cairn csv 1\n"
		"# {\"name\":\"drift\",\"fps\":10,\"gravity\":[0,0,0],\"method\":\"oba\",\"seed\":1,"
		"\"hash\":\"cf6d2e87ba353abe\",\"version\":\"0.1.0\"}\n"
		"# body {\"index\":0,\"name\":\"floor\",\"type\":\"fixed\",\"mass\":0,\"center\":[0,0,0],"
		"\"filter\":{\"group\":1,\"mask\":4294967295},\"shape\":{\"halfspace\":{\"normal\":[0,0,1],\"offset\":-2}}}\n"
		"# body {\"index\":1,\"name\":\"box \\\"a\\\"\",\"type\":\"dynamic\",\"mass\":6,\"center\":[0,0,0],"
		"\"inertia\":[[6.5,0,0],[0,5,0],[0,0,2.5]],\"filter\":{\"group\":1,\"mask\":4294967295},"
		"\"shape\":{\"box\":[1,2,3]}}\n"
		"frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,rx,ry,rz\n"
		"0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0\n"
		"0,0,1,0,0,0,1,0,0,0,5,0,0,0,0,0,0,0,0\n"
		"1,0.10000000000000001,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0\n"
		"1,0.10000000000000001,1,0.5,0,0,1,0,0,0,5,0,0,0,0,0,0,0,0\n"
		"2,0.20000000000000001,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0\n"
		"2,0.20000000000000001,1,1,0,0,1,0,0,0,5,0,0,0,0,0,0,0,0\n");
	free(csv.data);
	cairn_recording_close(recording);
}

TEST(csv_shapes_are_about_the_centre_of_mass)
{
	cairn_error error;
	cairn_scene *scene = empty_scene("shapes");
	cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE), hull = cairn_default_shape_def(CAIRN_HULL);
	const v3 points[] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
	ball.radius = 0.5;
	hull.points = points, hull.point_count = 4;
	cairn_shape sphere = add_shape(scene, ball);
	cairn_part parts[] = {{sphere, {{0, 0, 1}, {1, 0, 0, 0}}}, {sphere, {{0, 0, 3}, {0, 1, 0, 0}}}};
	cairn_shape_def pair = cairn_default_shape_def(CAIRN_COMPOUND);
	pair.parts = parts, pair.part_count = 2;
	cairn_body_def loaded = body("loaded", sphere, 5, CAIRN_DYNAMIC);
	loaded.mass = 1, loaded.has_inertia = true, loaded.center = v3_make(0, 0.25, 0);
	loaded.inertia[0] = loaded.inertia[4] = loaded.inertia[8] = 1;
	add_body(scene, loaded);
	add_body(scene, body("hull", add_shape(scene, hull), 10, CAIRN_DYNAMIC));
	add_body(scene, body("pair", add_shape(scene, pair), 20, CAIRN_DYNAMIC));
	cairn_recording *recording = record(scene, "shapes.cairn", 1, false);
	REQUIRE(recording);
	CHECK(export_to(recording, "shapes.csv", 0, UINT32_MAX, &error));
	text csv = read_whole("shapes.csv");
	REQUIRE(csv.data);
	CHECK_HAS(csv.data, "\"center\":[0,0.25,0]");
	CHECK_HAS(csv.data, "\"shape\":{\"compound\":{\"parts\":[{\"shape\":{\"sphere\":0.5},\"position\":[0,-0.25,0]}]}}");
	CHECK_HAS(csv.data, "\n0,0,0,5,0.25,0,");
	/* the centre of a tetrahedron is the mean of its corners */
	CHECK_HAS(csv.data, "\"shape\":{\"hull\":{\"points\":[[-1,-1,-1],[3,-1,-1],[-1,3,-1],[-1,-1,3]]}}");
	CHECK_HAS(csv.data, "\n0,0,1,11,1,1,");
	CHECK_HAS(csv.data, "{\"compound\":{\"parts\":[{\"shape\":{\"sphere\":0.5},\"position\":[0,0,-1]},"
	                    "{\"shape\":{\"sphere\":0.5},\"position\":[0,0,1],\"orientation\":[0,1,0,0]}]}}");
	free(csv.data);
	cairn_recording_close(recording);
}

TEST(csv_of_a_part_is_a_part_of_the_csv)
{
	cairn_error error;
	cairn_recording *recording = record_mixed("part.cairn");
	REQUIRE(recording);
	CHECK(export_to(recording, "whole.csv", 0, UINT32_MAX, &error));
	CHECK(export_to(recording, "part.csv", 3, 5, &error));
	text whole = read_whole("whole.csv"), part = read_whole("part.csv");
	REQUIRE(whole.data && part.data);
	char *rows = strstr(part.data, "\n3,"), *after = strstr(whole.data, "\n6,");
	REQUIRE(rows && after);
	const char *found = strstr(whole.data, rows);
	CHECK(found && found + strlen(rows) == after + 1);
	CHECK(strncmp(whole.data, part.data, (size_t)(rows - part.data)) == 0);
	/* 60 rad/s at 10 frames a second needs keys inside the frames, numbered by the frame they lead to */
	CHECK_HAS(rows, "\n4,0.32");
	free(whole.data);
	free(part.data);
	cairn_recording_close(recording);
}

static uint32_t word_at(text file, size_t at)
{
	const unsigned char *b = (const unsigned char *)file.data + at;
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Checks the frame of a .glb and returns its JSON text, which the caller frees. */
static char *json_of(text glb)
{
	CHECK(memcmp(glb.data, "glTF", 4) == 0);
	CHECK_INT(word_at(glb, 4), 2);
	CHECK_INT(word_at(glb, 8), glb.size);
	uint32_t size = word_at(glb, 12);
	CHECK(memcmp(glb.data + 16, "JSON", 4) == 0);
	CHECK_INT(size % 4, 0);
	CHECK_INT(word_at(glb, 20 + size) + 28 + size, glb.size);
	CHECK(memcmp(glb.data + 24 + size, "BIN", 4) == 0);
	char *json = calloc(size + 1, 1);
	memcpy(json, glb.data + 20, size);
	return json;
}

TEST(glb_of_coming_and_leaving)
{
	cairn_error error;
	cairn_recording *recording = record_mixed("mixed.cairn");
	REQUIRE(recording);
	CHECK(export_to(recording, "mixed.glb", 0, UINT32_MAX, &error));
	text glb = read_whole("mixed.glb");
	REQUIRE(glb.data && glb.size > 100);
	char *json = json_of(glb);
	CHECK_HAS(json, "\"generator\":\"cairn ");
	CHECK_HAS(json, "\"extras\":{\"fps\":10,\"from\":0,\"to\":8,\"frames\":9,\"hash\":\"");
	CHECK_HAS(json, "\"name\":\"same_2\"");
	CHECK_HAS(json, "\"name\":\"body_4\"");
	CHECK_HAS(json, "\"camera\":0");
	/* the guest is not there at the start: hidden, with a scale that steps */
	CHECK_HAS(json, "\"name\":\"guest\",\"mesh\":5,\"translation\":[20,0,0],\"rotation\":[0,0,0,1],\"scale\":[0,0,0]");
	CHECK_HAS(json, "\"interpolation\":\"STEP\"");
	/* added at frame 2: its keys begin there, and so does the sight of it */
	CHECK_HAS(json, "\"count\":7,\"type\":\"SCALAR\",\"min\":[0.20000000298023224],\"max\":[0.800000011920929]");
	CHECK_HAS(json, "\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[0.20000000298023224]");
	/* removed after frame 4, so gone a sixteenth of a frame later */
	CHECK_HAS(json, "\"min\":[0],\"max\":[0.40625]");
	/* the points of one box for all of them, each in its shade; and the floor */
	CHECK_HAS(
		json,
		"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1},\"indices\":2,\"material\":0}]},"
		"{\"primitives\":[{\"attributes\":{\"POSITION\":3,\"NORMAL\":4},\"indices\":5,\"material\":1}]},"
		"{\"primitives\":[{\"attributes\":{\"POSITION\":3,\"NORMAL\":4},\"indices\":5,\"material\":2}]},");
	CHECK(!strstr(json, "KHR_lights_punctual") && !strstr(json, "rods"));
	free(json);
	free(glb.data);
	cairn_recording_close(recording);
}

/* A box on a rope from the world, one on a hinge beyond it, two held at their faces. */
static cairn_recording *record_hung(const char *path)
{
	cairn_scene *scene = empty_scene("hung");
	cairn_shape box = add_box(scene, 1, 2, 2);
	for (int i = 0; i < 4; ++i)
		add_body(scene, body("", box, 4 * i, CAIRN_DYNAMIC));
	cairn_joint_def rope = cairn_default_joint_def(), arm = rope, weld = rope;
	rope.type = CAIRN_DISTANCE, rope.b = (cairn_body){0, 1}, rope.point = v3_make(0, 0, 5);
	rope.has_limits = true, rope.high = 6;
	arm.type = CAIRN_HINGE, arm.a = (cairn_body){1, 1}, arm.point = v3_make(4, 0, 3), arm.axis = v3_make(0, 1, 0);
	weld.type = CAIRN_WELD, weld.a = (cairn_body){2, 1}, weld.b = (cairn_body){3, 1}, weld.point = v3_make(10, 0, 0);
	cairn_error error = {0};
	cairn_scene_add_joint(scene, &rope, &error);
	cairn_scene_add_joint(scene, &arm, &error);
	cairn_scene_add_joint(scene, &weld, &error);
	CHECK_TEXT(error.message, "");
	cairn_rod rods[2];
	CHECK_INT(cairn_scene_rods(scene, 0, rods), 1);
	CHECK(rods[0].ends[0].track == UINT32_MAX && rods[0].ends[1].track == 0 && rods[0].ends[0].at.z == 5);
	CHECK(rods[0].high >= 6 && rods[0].high < 6.1 && rods[0].low <= 0);
	CHECK_INT(cairn_scene_rods(scene, 1, rods), 1);
	CHECK(rods[0].ends[0].track == 1 && rods[0].ends[1].track == UINT32_MAX && rods[0].ends[0].at.z == 0);
	CHECK_NEAR(cairn_scene_rod_radius(scene, 1), 0.0125 * 3, 1e-12);
	CHECK(cairn_scene_rods(scene, 2, rods) == 0 && cairn_scene_rod_radius(scene, 2) == 0);
	return record(scene, path, 3, false);
}

TEST(ropes_and_arms_of_joints_are_exported_untold)
{
	cairn_error error;
	cairn_recording *recording = record_hung("hung.cairn");
	REQUIRE(recording);
	CHECK(export_to(recording, "hung.glb", 0, UINT32_MAX, &error));
	text glb = read_whole("hung.glb");
	REQUIRE(glb.data && glb.size > 100);
	char *json = json_of(glb);
	CHECK_HAS(json, "rods.1");
	CHECK(!strstr(json, "rods.2"));
	free(json);
	free(glb.data);
	cairn_rod none; /* none is asked for */
	cairn_export_def def = cairn_default_export_def();
	def.rods = &none;
	CHECK(cairn_export(recording, "hung.glb", &def, &error));
	glb = read_whole("hung.glb");
	json = json_of(glb);
	CHECK(!strstr(json, "rods"));
	free(json);
	free(glb.data);
	bool written = false;
	for (uint32_t left = 0; !written && left < 1000; ++left) {
		ledger r = {0};
		ledger_allow(&r, left);
		def.rods = NULL, def.allocator = (cairn_allocator){&r, ledger_resize};
		written = cairn_export(recording, "hung.usda", &def, &error);
		CHECK(r.bytes == 0 && (written || error.code == CAIRN_MEMORY));
	}
	CHECK(written);
	cairn_recording_close(recording);
}

TEST(glb_without_motion_has_no_animation)
{
	cairn_error error;
	cairn_scene *scene = empty_scene("still");
	add_body(scene, body("floor", add_floor(scene), 0, CAIRN_FIXED));
	cairn_recording *recording = record(scene, "still.cairn", 3, false);
	REQUIRE(recording);
	CHECK(export_to(recording, "still.glb", 0, UINT32_MAX, &error));
	text glb = read_whole("still.glb");
	REQUIRE(glb.data && glb.size > 100);
	char *json = json_of(glb);
	CHECK(!strstr(json, "animations"));
	CHECK_HAS(json, "\"nodes\":[{\"name\":\"floor\"");
	free(json);
	free(glb.data);
	cairn_recording_close(recording);
}

TEST(usda_of_coming_and_leaving)
{
	cairn_error error;
	cairn_recording *recording = record_mixed("mixed_usda.cairn");
	REQUIRE(recording);
	CHECK(export_to(recording, "mixed.usda", 0, UINT32_MAX, &error));
	text usda = read_whole("mixed.usda");
	REQUIRE(usda.data);
	CHECK(strncmp(usda.data, "#usda 1.0\n", 10) == 0);
	CHECK_HAS(usda.data, "upAxis = \"Z\"");
	CHECK_HAS(usda.data, "endTimeCode = 8\n");
	CHECK_HAS(usda.data, "timeCodesPerSecond = 10\n");
	CHECK_HAS(usda.data, "def Xform \"guest\"");
	CHECK_HAS(usda.data, "\t\t\t0: \"invisible\",\n\t\t\t2: \"inherited\",\n\t\t}");
	CHECK_HAS(usda.data, "\t\t\t0: \"inherited\",\n\t\t\t4.0625: \"invisible\",\n");
	CHECK_HAS(usda.data, "\t\t\t0: (8, 0, 0),\n\t\t\t1: (8, 0.1, 0),\n");
	free(usda.data);
	cairn_recording_close(recording);
}

/* Blocks of a few keys give the same bytes as one block of all. */
TEST(small_blocks_give_the_same_bytes)
{
	static const struct {
		const char *whole, *blocks;
		bool (*write)(cn_export *e, cairn_error *error);
	} formats[] = {{"whole.glb", "blocks.glb", cn_gltf_write}, {"whole.usda", "blocks.usda", cn_usda_write}};
	cairn_error error = {0};
	cairn_recording *recording = record_mixed("blocks.cairn");
	REQUIRE(recording);
	cairn_export_def def = cairn_default_export_def();
	for (size_t i = 0; i < CN_COUNT(formats); ++i) {
		CHECK(export_to(recording, formats[i].whole, 0, UINT32_MAX, &error));
		cn_export e = {.recording = recording, .scene = cairn_recording_scene(recording), .def = &def, .key_limit = 10};
		e.allocator = def.allocator;
		e.info = cairn_recording_get_info(recording);
		e.view = cairn_scene_view(e.scene);
		e.to = e.info.last_frame, e.fps = 10;
		e.out.file = fopen(formats[i].blocks, "wb");
		REQUIRE(e.out.file);
		CHECK(formats[i].write(&e, &error));
		CHECK(e.blocks >= 4);
		fclose(e.out.file);
		cn_free(&e.allocator, e.tracks, e.info.bodies, sizeof *e.tracks);
		cn_free(&e.allocator, e.times, cn_export_frames(&e), sizeof *e.times);
		cn_free(&e.allocator, e.keys, e.key_capacity, sizeof *e.keys);
		text a = read_whole(formats[i].whole), b = read_whole(formats[i].blocks);
		REQUIRE(a.data && b.data);
		CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
		free(a.data);
		free(b.data);
	}
	cairn_recording_close(recording);
}

typedef struct counter {
	uint32_t calls, stop_at, last, total;
	bool fell;
} counter;

static bool count_progress(void *context, uint32_t frame, uint32_t total)
{
	counter *c = context;
	c->fell = c->fell || frame < c->last;
	c->last = frame, c->total = total;
	return ++c->calls != c->stop_at;
}

TEST(progress_rises_and_can_stop)
{
	static const char *const paths[] = {"stop.csv", "stop.glb", "stop.usda"};
	cairn_error error = {0};
	cairn_recording *recording = record_mixed("stop.cairn");
	REQUIRE(recording);
	for (size_t i = 0; i < CN_COUNT(paths); ++i) {
		counter c = {0};
		cairn_export_def def = cairn_default_export_def();
		def.progress = count_progress, def.context = &c;
		/* a rope and a camera that moves: both read the recording once more */
		cairn_rod rope = {.ends = {{UINT32_MAX, {0, 0, 9}}, {UINT32_MAX, {0, 0, 8}}}, .low = 0.5, .high = 2};
		cairn_camera_key keys[2] = {{.time = 0, .position = {0, -20, 5}, .target = {8, 0, 0}, .fov = 0.8},
		                            {.time = 1, .position = {0, -10, 5}, .target = {8, 0, 0}, .fov = 0.8}};
		cairn_view view = cairn_scene_view(cairn_recording_scene(recording));
		view.has_camera = true, view.camera_keys = keys, view.camera_key_count = 2;
		view.camera_position = keys[0].position, view.camera_target = keys[0].target, view.camera_fov = 0.8;
		def.view = &view, def.rods = &rope, def.rod_count = 1, def.rod_radius = 0.01;
		CHECK(cairn_export(recording, paths[i], &def, &error));
		CHECK(!c.fell && c.calls >= 9);
		CHECK_INT(c.last, 9);
		CHECK_INT(c.total, 9);
		text before = read_whole(paths[i]);
		c = (counter){.stop_at = c.calls - 1};
		CHECK(!cairn_export(recording, paths[i], &def, &error));
		CHECK_INT(error.code, CAIRN_FAILED);
		CHECK_TEXT(error.message, "stopped");
		char part[64];
		snprintf(part, sizeof part, "%s.part", paths[i]);
		CHECK(!exists(part));
		text after = read_whole(paths[i]);
		CHECK(before.size && before.size == after.size && memcmp(before.data, after.data, before.size) == 0);
		free(before.data);
		free(after.data);
		remove(paths[i]);
	}
	cairn_recording_close(recording);
}

TEST(what_is_asked_for_must_be_there)
{
	cairn_error error;
	cairn_recording *recording = record(drift_scene(), "usage.cairn", 4, false);
	REQUIRE(recording);
	static const char *const endings[] = {"x.obj", "x", ".glb", "x.glb.gz", ""};
	for (size_t i = 0; i < CN_COUNT(endings); ++i) {
		CHECK(!export_to(recording, endings[i], 0, UINT32_MAX, &error));
		CHECK_INT(error.code, CAIRN_USAGE);
		CHECK_HAS(error.message, ".glb, .usda, .csv or .traj");
	}
	CHECK(!export_to(recording, "x.csv", 5, UINT32_MAX, &error));
	CHECK_INT(error.code, CAIRN_USAGE);
	CHECK_TEXT(error.path, "from");
	CHECK_TEXT(error.message, "frame 5 is not in the recording, which has frames 0 to 4");
	CHECK(!export_to(recording, "x.csv", 0, 5, &error));
	CHECK_INT(error.code, CAIRN_USAGE);
	CHECK_TEXT(error.path, "to");
	CHECK(!export_to(recording, "x.csv", 3, 2, &error));
	CHECK_INT(error.code, CAIRN_USAGE);
	CHECK(!exists("x.csv") && !exists("x.csv.part"));
	CHECK(export_to(recording, "x.CSV", 4, 4, &error));
	CHECK(exists("x.CSV"));
	remove("x.CSV");
	cairn_recording_close(recording);
}

TEST(what_cannot_be_written_is_said)
{
	cairn_error error;
	cairn_recording *recording = record_mixed("files.cairn");
	REQUIRE(recording);
	CHECK(!export_to(recording, "no/such/folder/x.csv", 0, UINT32_MAX, &error));
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_TEXT(error.message, "cannot write: the folder no/such/folder does not exist");
	CHECK_TEXT(error.file, "no/such/folder/x.csv");
#ifndef __wasi__
	CHECK(!export_to(recording, "files.cairn/x.csv", 0, UINT32_MAX, &error));
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_TEXT(error.message, "cannot write: a part of the path is not a folder");
	mkdir("folder.glb", 0777);
	CHECK(!export_to(recording, "folder.glb", 0, UINT32_MAX, &error));
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_HAS(error.message, "there is a folder of that name");
	CHECK(!exists("folder.glb.part"));
	rmdir("folder.glb");
#endif
	cairn_recording_close(recording);
}

#ifndef __wasi__
/* A limit on the size of files stands in for a full disk: writes fail in the middle. */
TEST(a_disk_that_fills_leaves_nothing)
{
	static const char *const paths[] = {"full.csv", "full.glb", "full.usda"};
	cairn_error error;
	cairn_recording *recording = record_mixed("full.cairn");
	REQUIRE(recording);
	struct rlimit before, small;
	REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
	signal(SIGXFSZ, SIG_IGN);
	small = before;
	for (size_t i = 0; i < CN_COUNT(paths); ++i) {
		char part[64];
		snprintf(part, sizeof part, "%s.part", paths[i]);
		remove(part); /* of a run of this test that was killed */
		for (rlim_t limit = 0; limit < 2000; limit += 700) {
			small.rlim_cur = limit;
			REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
			bool written = export_to(recording, paths[i], 0, UINT32_MAX, &error);
			setrlimit(RLIMIT_FSIZE, &before);
			CHECK(!written);
			CHECK_INT(error.code, CAIRN_FILE);
			CHECK_HAS(error.message, "cannot write: the file is too large");
			CHECK(!exists(paths[i]) && !exists(part));
		}
	}
	cairn_recording_close(recording);
}
#endif

TEST(running_out_of_memory_leaves_nothing)
{
	static const char *const paths[] = {"memory.csv", "memory.glb", "memory.usda", "memory.traj"};
	cairn_error error = {0};
	cairn_recording *recording = record_mixed("memory.cairn");
	REQUIRE(recording);
	for (size_t i = 0; i < CN_COUNT(paths); ++i) {
		bool written = false;
		for (uint32_t left = 0; !written && left < 1000; ++left) {
			ledger r = {0};
			ledger_allow(&r, left);
			cairn_export_def def = cairn_default_export_def();
			def.allocator = (cairn_allocator){&r, ledger_resize};
			written = cairn_export(recording, paths[i], &def, &error);
			CHECK_INT(r.bytes, 0);
			CHECK(written || error.code == CAIRN_MEMORY);
			CHECK(written == exists(paths[i]));
		}
		CHECK(written);
		remove(paths[i]);
	}
	cairn_recording_close(recording);
}

#ifdef __wasi__
#define DISK_CASES
#else
#define DISK_CASES TEST_CASE(a_disk_that_fills_leaves_nothing),
#endif

TEST_MAIN(TEST_CASE(csv_is_as_documented), TEST_CASE(csv_shapes_are_about_the_centre_of_mass),
          TEST_CASE(csv_of_a_part_is_a_part_of_the_csv), TEST_CASE(glb_of_coming_and_leaving),
          TEST_CASE(ropes_and_arms_of_joints_are_exported_untold), TEST_CASE(glb_without_motion_has_no_animation),
          TEST_CASE(usda_of_coming_and_leaving), TEST_CASE(small_blocks_give_the_same_bytes),
          TEST_CASE(progress_rises_and_can_stop), TEST_CASE(what_is_asked_for_must_be_there),
          TEST_CASE(what_cannot_be_written_is_said), DISK_CASES TEST_CASE(running_out_of_memory_leaves_nothing))
