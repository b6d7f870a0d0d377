/* Scene files: what every key becomes, what is refused and where, and that nothing breaks the reader. */
#include "base/hash.h"
#include "base/vec.h"
#include "cairn/cairn.h"
#include "ledger.h"
#include "scene/scene.h"
#include "test.h"

#ifndef TEST_SOURCE_DIR
#define TEST_SOURCE_DIR "."
#endif

static const char good_path[] = TEST_SOURCE_DIR "/test/data/good/everything.json";

static char *read_file(const char *path, size_t *size)
{
	cairn_allocator plain = cairn_default_allocator();
	cairn_files files = cairn_default_files();
	cairn_error e;
	void *data = NULL;
	return files.read(files.context, path, &plain, &data, size, &e) ? data : NULL;
}

static cairn_scene *read_text(const char *text, cairn_error *e)
{
	*e = (cairn_error){0};
	return cairn_scene_read_text(text, strlen(text), "scene.json", NULL, NULL, e);
}

static cairn_body_def body_named(const cairn_scene *s, const char *name)
{
	cairn_body b = cairn_scene_find_body(s, name);
	if (b.generation)
		return cairn_scene_body_at(s, b.index);
	++test_failures;
	printf("no body %s\n", name);
	return cairn_default_body_def();
}

static void check_vector(int line, v3 found, double x, double y, double z)
{
	if (v3_distance(found, v3_make(x, y, z)) > 1e-12) {
		++test_failures;
		printf("line %d: found (%.17g, %.17g, %.17g), wanted (%g, %g, %g)\n", line, found.x, found.y, found.z, x, y, z);
	}
}
#define CHECK_VECTOR(found, x, y, z) check_vector(__LINE__, found, x, y, z)

static cairn_scene *read_good(void)
{
	cairn_error e;
	cairn_scene *s = cairn_scene_read(good_path, &e);
	if (!s) {
		char text[800];
		cairn_error_print(&e, text, sizeof text);
		printf("%s\n", text);
	}
	return s;
}

TEST(world)
{
	cairn_scene *s = read_good();
	REQUIRE(s);
	cairn_settings w = cairn_scene_settings(s);
	CHECK_TEXT(w.name, "everything");
	CHECK_TEXT(w.description, "everything \xe2\x80\x94 once");
	CHECK_VECTOR(w.gravity, 0.5, 0, -10);
	CHECK(w.fps == 60 && w.frames == 12 && w.seed == 42);
	CHECK_TEXT(w.method, "free");
	static const char *const options[][2] = {
		{"sleep", "on"},        {"freeze", "off"},         {"certify", "keys"}, {"momentum", "thesis"},
		{"forces", "qp"},       {"objective", "diameter"}, {"queue", "17"},     {"freeze-frames", "7"},
		{"forces-rounds", "5"}, {"distance-bounce", "on"}, {"steps", "8"}};
	for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
		char text[64] = "";
		CHECK(cairn_scene_option(s, options[i][0], text, sizeof text));
		CHECK_TEXT(text, options[i][1]);
	}
	cairn_view v = cairn_scene_view(s);
	CHECK(v.has_camera && v.has_light && v.camera_fov == 0.5);
	CHECK_VECTOR(v.camera_position, 1, 2, 3);
	CHECK_VECTOR(v.camera_target, 4, 5, 6);
	CHECK_VECTOR(v.light_direction, 0, 1, -1);
	CHECK(v.light_color.r == 0.5 && v.light_color.g == 0.25 && v.light_color.b == 0.125);
	cairn_scene_destroy(s);
}

TEST(materials)
{
	cairn_scene *s = read_good();
	cairn_material_def wood, ice, oak, glue;
	REQUIRE(s && cairn_material_preset("wood", &wood) && cairn_material_preset("ice", &ice));
	cairn_material o = cairn_scene_find_material(s, "oak"), g = cairn_scene_find_material(s, "glue");
	cairn_material i = cairn_scene_find_material(s, "ice");
	REQUIRE(o.generation && g.generation && i.generation);
	oak = cairn_scene_material_at(s, o.index), glue = cairn_scene_material_at(s, g.index);
	CHECK(oak.density == 750 && oak.restitution == wood.restitution && oak.kinetic_friction == wood.kinetic_friction);
	CHECK(glue.density == 1000 && glue.restitution == 0.25 && glue.static_friction == 0.9 &&
	      glue.kinetic_friction == 0.7 && glue.rolling == 0.01);
	CHECK(cairn_scene_material_at(s, i.index).density == ice.density); /* a preset by its name alone */
	CHECK(!cairn_scene_find_material(s, "comment").generation && !cairn_scene_find_material(s, "rubber").generation);
	cairn_pair_def p = cairn_scene_pair(s, i, o);
	CHECK(p.static_friction == 0.125 && p.kinetic_friction == 0.125 && p.restitution == 0.5 && p.rolling == 0.002);
	p = cairn_scene_pair(s, g, g); /* what is not given comes from the rule */
	CHECK_NEAR(p.static_friction, 0.9, 1e-15);
	CHECK(p.restitution == 0 && p.rolling == 0.01);
	cairn_scene_destroy(s);
}

TEST(shapes)
{
	cairn_scene *s = read_good();
	REQUIRE(s);
	static const struct {
		const char *name;
		cairn_shape_kind kind;
	} kinds[] = {{"post", CAIRN_BOX}, {"ball", CAIRN_SPHERE},   {"pill", CAIRN_CAPSULE}, {"can", CAIRN_CYLINDER},
	             {"gem", CAIRN_HULL}, {"rock", CAIRN_HULL},     {"solid", CAIRN_MESH},   {"shell", CAIRN_MESH},
	             {"tile", CAIRN_BOX}, {"cross", CAIRN_COMPOUND}};
	cairn_shape_def d[10];
	for (size_t i = 0; i < 10; ++i) {
		cairn_shape shape = cairn_scene_find_shape(s, kinds[i].name);
		REQUIRE(shape.generation);
		d[i] = cairn_scene_shape_at(s, shape.index);
		CHECK_INT(d[i].kind, kinds[i].kind);
	}
	CHECK_VECTOR(d[0].size, 0.2, 0.2, 1.5);
	CHECK(d[1].radius == 0.5 && d[2].radius == 0.25 && d[2].length == 1.5 && d[3].radius == 0.5 && d[3].length == 0.75);
	CHECK_INT(d[4].point_count, 6);
	REQUIRE(d[5].point_count == 4 && d[6].point_count == 4 && d[7].point_count == 4);
	CHECK_VECTOR(d[5].points[3], 0, 0, 3);
	CHECK_VECTOR(d[6].points[1], 2, 0, 0);
	CHECK(d[6].triangle_count == 4 && d[7].triangle_count == 4 && !d[6].shell && d[7].shell);
	REQUIRE(d[9].part_count == 2);
	CHECK_VECTOR(d[9].parts[1].pose.position, 0, 0, 0.25);
	CHECK(d[9].parts[1].pose.orientation.x == 0.5);
	CHECK_INT(d[9].parts[0].shape.index, cairn_scene_find_shape(s, "post").index);
	cairn_scene_destroy(s);
}

TEST(bodies)
{
	cairn_scene *s = read_good();
	REQUIRE(s);
	cairn_body_def a = body_named(s, "a"), b = body_named(s, "b"), c = body_named(s, "c"), d = body_named(s, "d");
	CHECK_INT(body_named(s, "floor").type, CAIRN_FIXED);
	CHECK_INT(a.type, CAIRN_DYNAMIC);
	CHECK_VECTOR(a.pose.position, 1, 2, 3);
	CHECK_VECTOR(q_rotate(a.pose.orientation, v3_make(1, 0, 0)), 0, 1, 0);
	CHECK_VECTOR(a.velocity, 4, 5, 6);
	CHECK_VECTOR(a.spin, 7, 8, 9);
	CHECK(a.density == 500 && a.mass == 0 && a.linear_damping == 0.1 && a.angular_damping == 0.2);
	CHECK(a.group == 2 && a.mask == 4294967293u);
	CHECK(a.has_color && a.color.r == 1 && a.color.b == 0);
	CHECK_NEAR(a.color.g, 0.21586050011389926, 1e-15); /* 128 of 255 on the sRGB curve */
	CHECK(b.has_inertia && b.mass == 3 && b.center.z == 0.125 && b.inertia[1] == 0.1 && b.inertia[4] == 3 &&
	      b.color.g == 0.5);
	CHECK(c.has_inertia && c.inertia[0] == 2 && c.inertia[4] == 3 && c.inertia[8] == 4 && c.inertia[1] == 0 &&
	      !c.has_color);
	REQUIRE(d.type == CAIRN_SCRIPTED && d.key_count == 2);
	CHECK(d.keys[1].time == 1.5 && d.keys[1].pose.orientation.x == 1);
	CHECK_VECTOR(d.keys[0].pose.position, 30, 0, 0); /* a key that says nothing is at the body's own place */
	CHECK_VECTOR(d.keys[1].pose.position, 30, 0, 2);
	CHECK_TEXT(cairn_scene_body_at(s, 0).name, "first"); /* included files come first */
	cairn_scene_destroy(s);
}

TEST(happenings)
{
	cairn_scene *s = read_good();
	REQUIRE(s);
	REQUIRE(cairn_scene_event_count(s) == 3 && cairn_scene_field_count(s) == 4 &&
	        cairn_scene_cold_volume_count(s) == 1);
	cairn_event_def e = cairn_scene_event_at(s, 0);
	CHECK(e.kind == CAIRN_IMPULSE && e.frame == 5 && !e.has_point && e.impulse.z == 3);
	CHECK_INT(e.body.index, cairn_scene_find_body(s, "a").index);
	e = cairn_scene_event_at(s, 1);
	CHECK(e.has_point && e.point.z == 7 && e.body.index == cairn_scene_find_body(s, "wall.4").index);
	e = cairn_scene_event_at(s, 2);
	CHECK(e.kind == CAIRN_BLAST && e.frame == 7 && e.speed == 3 && e.point.z == 1);
	cairn_field_def f[4];
	for (uint32_t i = 0; i < 4; ++i)
		f[i] = cairn_scene_field_at(s, i);
	CHECK(f[0].kind == CAIRN_GRAVITY && f[0].has_box && f[0].box.max.z == 3 && f[0].acceleration.y == 1);
	CHECK(f[1].kind == CAIRN_ATTRACTOR && !f[1].has_box && f[1].strength == 4 && f[1].softening == 0.5 &&
	      f[1].point.y == 2);
	CHECK(f[2].kind == CAIRN_WIND && f[2].velocity.x == 5 && f[2].air_density == 1.1 && f[2].coefficient == 0.9);
	CHECK(f[3].kind == CAIRN_DRAG && f[3].linear == 0.3 && f[3].angular == 0.4);
	CHECK(cairn_scene_cold_volume_at(s, 0).min.x == -1);
	cairn_joint_def j = cairn_scene_joint_at(s, 3); /* after the chain's three */
	REQUIRE(cairn_scene_joint_count(s) == 10);
	CHECK_TEXT(j.name, "pin");
	CHECK(j.b.generation == 0 && j.point.z == 1 && j.a.index == cairn_scene_find_body(s, "c").index);
	cairn_scene_destroy(s);
}

TEST(joints)
{
	cairn_scene *s = read_good();
	REQUIRE(s && cairn_scene_joint_count(s) == 10);
	cairn_joint_def ball = cairn_scene_joint_at(s, 4), hinge = cairn_scene_joint_at(s, 5);
	cairn_joint_def slider = cairn_scene_joint_at(s, 6), fixed = cairn_scene_joint_at(s, 7);
	cairn_joint_def rod = cairn_scene_joint_at(s, 8), rope = cairn_scene_joint_at(s, 9);
	CHECK(ball.type == CAIRN_BALL && !ball.has_limits && ball.motor == CAIRN_NO_MOTOR && !ball.collide);
	CHECK(isinf(ball.break_force) && isinf(ball.break_torque));
	CHECK(hinge.type == CAIRN_HINGE && hinge.has_limits && hinge.low == -0.5 && hinge.high == 7 && hinge.collide);
	CHECK_VECTOR(hinge.axis, 0, 0.6, 0.8);
	CHECK(hinge.motor == CAIRN_MOTOR_SPEED && hinge.speed == -2 && hinge.most == 9);
	CHECK(hinge.break_force == 100 && hinge.break_torque == 20);
	CHECK(slider.type == CAIRN_SLIDER && !slider.has_limits && slider.motor == CAIRN_MOTOR_FORCE && slider.most == -12);
	CHECK(slider.a.generation == 0 && slider.axis.z == -1);
	CHECK(fixed.type == CAIRN_WELD && isinf(fixed.break_force) && fixed.break_torque == 3);
	CHECK(rod.type == CAIRN_DISTANCE && rod.has_limits && rod.low == 5 && rod.high == 5);
	CHECK_VECTOR(rod.point_b, 63, 4, 1);
	CHECK(rope.low == 0 && rope.high == 25);
	cairn_scene_destroy(s);
}

TEST(generators)
{
	cairn_scene *s = read_good();
	REQUIRE(s);
	/* Grid: x fastest; jitter within its bounds and drawn from the documented stream. */
	cairn_body_def d = body_named(s, "grid.9"); /* 9 = 1 + 2 (1 + 3 * 1) */
	uint64_t state = cn_hash_u64(cn_hash_u64(cn_hash_u64(CN_HASH_START, 42), 0), 9);
	double r[12];
	for (int i = 0; i < 12; ++i)
		r[i] = cn_random_signed(&state);
	CHECK_VECTOR(d.pose.position, 102 + 0.1 * r[0], 3 + 0.1 * r[1], 4 + 0.1 * r[2]);
	CHECK_VECTOR(q_log(d.pose.orientation), 0, 0, 0.2 * r[5]);
	CHECK_VECTOR(d.velocity, 1 + 0.3 * r[6], 0.3 * r[7], 0.3 * r[8]);
	CHECK_VECTOR(d.spin, 0.4 * r[9], 0.4 * r[10], 0.4 * r[11]);
	CHECK(cairn_scene_find_body(s, "grid.11").generation && !cairn_scene_find_body(s, "grid.12").generation);
	/* Stack: the box lies on its side, so it is 2 high. */
	CHECK_VECTOR(body_named(s, "stack.0").pose.position, 200, 0, 2);
	CHECK_VECTOR(body_named(s, "stack.2").pose.position, 200, 0, 2 + 2 * 2.25);
	/* Wall along y: 2 bricks, then half, whole, half, then 2 bricks; all courses 2.1 long. */
	CHECK_VECTOR(body_named(s, "wall.0").pose.position, 300, -0.55, 0.125);
	CHECK_VECTOR(body_named(s, "wall.1").pose.position, 300, 0.55, 0.125);
	CHECK_VECTOR(body_named(s, "wall.2").pose.position, 300, -1.05 + 0.225, 0.475);
	CHECK_VECTOR(body_named(s, "wall.3").pose.position, 300, 0, 0.475);
	CHECK_VECTOR(body_named(s, "wall.4").pose.position, 300, 1.05 - 0.225, 0.475);
	CHECK_VECTOR(body_named(s, "wall.6").pose.position, 300, 0.55, 0.825);
	CHECK(!cairn_scene_find_body(s, "wall.7").generation);
	CHECK_VECTOR(cairn_scene_shape_at(s, body_named(s, "wall.4").shape.index).size, 0.45, 0.5, 0.25);
	CHECK_NEAR(body_named(s, "wall.4").mass, 0.9, 1e-15);
	CHECK(body_named(s, "wall.3").mass == 2);
	/* Ring: everything turned outward, the second one a quarter round. */
	d = body_named(s, "ring.1");
	CHECK_VECTOR(d.pose.position, 400, 11, 0);
	CHECK_VECTOR(d.velocity, -2, 0, 0);
	CHECK_VECTOR(d.spin, 0, 3, 0);
	CHECK_VECTOR(q_rotate(d.pose.orientation, v3_make(1, 0, 0)), 0, 1, 0);
	/* Chain along x: pills 2 long (caps included), 0.2 apart. */
	d = body_named(s, "chain.1");
	CHECK_VECTOR(d.pose.position, 503.2, 0, 0);
	CHECK_VECTOR(q_rotate(d.pose.orientation, v3_make(0, 0, 1)), 1, 0, 0);
	cairn_joint_def held = cairn_scene_joint_at(s, 0), link = cairn_scene_joint_at(s, 2);
	CHECK(held.a.generation == 0 && held.b.index == cairn_scene_find_body(s, "chain.0").index);
	CHECK_VECTOR(held.point, 500, 0, 0);
	CHECK(link.a.index == cairn_scene_find_body(s, "chain.1").index && link.b.index == link.a.index + 1);
	CHECK_VECTOR(link.point, 504.3, 0, 0);
	/* Emitters. */
	REQUIRE(cairn_scene_emitter_count(s) == 2);
	cairn_emitter_def e = cairn_scene_emitter_at(s, 0), drip = cairn_scene_emitter_at(s, 1);
	CHECK_TEXT(e.name, "rain");
	CHECK(e.body_count == 9 && e.batches == 4 && e.every == 10 && e.start == 3 && e.jitter.velocity.z == 0.5);
	CHECK_VECTOR(e.bodies[5].pose.position, 604, 2, 0);
	CHECK_VECTOR(e.bodies[5].velocity, 0, 0, -1);
	CHECK(drip.body_count == 1 && drip.start == 0 && drip.bodies[0].pose.position.x == 700);
	cairn_scene_destroy(s);
}

/* Another generator further down leaves the random offsets of those before it alone, and so does a larger count. */
TEST(streams)
{
	static const char *const texts[] = {"{\"version\": 1, \"generators\": [{\"name\": \"a\", \"stack\": {\"count\": "
	                                    "3}, \"jitter\": {\"position\": 1}, \"body\": {\"shape\": {\"sphere\": 1}}}]}",
	                                    "{\"version\": 1, \"generators\": [{\"name\": \"a\", \"stack\": {\"count\": "
	                                    "5}, \"jitter\": {\"position\": 1}, \"body\": {\"shape\": {\"sphere\": 1}}},"
	                                    "{\"name\": \"b\", \"stack\": {\"count\": 3}, \"jitter\": {\"position\": 1}, "
	                                    "\"body\": {\"shape\": {\"sphere\": 1}}}]}"};
	cairn_error e;
	cairn_scene *s = read_text(texts[0], &e), *t = read_text(texts[1], &e);
	REQUIRE(s && t);
	for (uint32_t i = 0; i < 3; ++i) {
		v3 a = cairn_scene_body_at(s, i).pose.position, b = cairn_scene_body_at(t, i).pose.position;
		CHECK(a.x == b.x && a.y == b.y && a.z == b.z && a.x != 0);
	}
	CHECK(cairn_scene_body_at(t, 0).pose.position.x != cairn_scene_body_at(t, 5).pose.position.x);
	cairn_scene_destroy(s);
	cairn_scene_destroy(t);
}

/* The kinds of a world's bodies whose names begin with a letter, as bits; how many there are. */
static unsigned kinds_of(const cairn_world *w, char letter, uint32_t *count)
{
	cairn_body bodies[128];
	unsigned kinds = 0;
	uint32_t n = cairn_world_bodies(w, bodies, 128);
	for (uint32_t i = *count = 0; i < n; ++i) {
		cairn_body_info d = cairn_world_body_info(w, bodies[i]);
		if (d.name[0] != letter)
			continue;
		kinds |= 1u << cairn_scene_shape_at(cairn_world_scene(w), d.shape.index).kind;
		++*count;
	}
	return kinds;
}

/* A list of templates: every body is one of them, in grids and in batches; the same after a recording's bytes, and after a
 * snapshot the next batch has the same choice. */
TEST(mixing)
{
	static const char text[] =
		"{\"version\": 1, \"world\": {\"method\": \"free\", \"seed\": 3, \"fps\": 30}, \"generators\": ["
		"{\"name\": \"g\", \"grid\": {\"count\": [5, 4, 1], \"spacing\": 3}, \"body\": [{\"shape\": {\"sphere\": 1}}, "
		"{\"shape\": {\"box\": [1, 1, 1]}}, {\"shape\": {\"capsule\": {\"radius\": 1, \"length\": 1}}}]},"
		"{\"name\": \"e\", \"grid\": {\"count\": [2, 1, 1], \"spacing\": 3, \"origin\": [0, 0, 50]}, "
		"\"emit\": {\"count\": 10, \"every\": 30}, \"body\": [{\"shape\": {\"sphere\": 1}}, {\"shape\": {\"box\": [1, "
		"1, 1]}}]}]}";
	cairn_error e;
	cairn_scene *s = read_text(text, &e);
	REQUIRE(s);
	cairn_emitter_def d = cairn_scene_emitter_at(s, 0);
	CHECK(d.body_count == 4 && d.choices == 2 && d.bodies[3].pose.position.x == 3 && d.bodies[1].pose.position.x == 0);
	cairn_world *w = cairn_world_create(s, NULL, &e);
	REQUIRE(w);
	uint32_t count;
	CHECK(kinds_of(w, 'g', &count) == (1u << CAIRN_SPHERE | 1u << CAIRN_BOX | 1u << CAIRN_CAPSULE) && count == 20);
	cn_writer bytes = {.allocator = cairn_default_allocator()};
	cn_scene_put(&bytes, s);
	cn_reader r = {.data = bytes.data, .size = bytes.size};
	cairn_scene *again = cn_scene_get(&r, &bytes.allocator, &e);
	REQUIRE(again && cn_reader_left(&r) == 0);
	cairn_world *other = cairn_world_create(again, NULL, &e);
	REQUIRE(other);
	size_t size = 0;
	uint8_t *half = NULL;
	uint32_t emitted = 0;
	for (int i = 0; i < 300; ++i) {
		if (i == 150) {
			half = malloc(size = cairn_world_snapshot_size(w));
			REQUIRE(half && cairn_world_snapshot(w, half, size, &e));
		}
		emitted += cairn_world_step(w).emitted;
		cairn_world_step(other);
	}
	CHECK_INT(emitted, 18); /* the first two were there at the start */
	CHECK(cairn_world_hash(w) == cairn_world_hash(other));
	CHECK(kinds_of(w, 'e', &count) == (1u << CAIRN_SPHERE | 1u << CAIRN_BOX) && count == 20);
	REQUIRE(cairn_world_restore(other, half, size, &e));
	for (int i = 150; i < 300; ++i)
		cairn_world_step(other);
	CHECK(cairn_world_hash(w) == cairn_world_hash(other));
	free(half);
	cn_writer_free(&bytes);
	cairn_world_destroy(w);
	cairn_world_destroy(other);
	cairn_scene_destroy(s);
	cairn_scene_destroy(again);
	CHECK(!read_text("{\"version\": 1, \"generators\": [{\"name\": \"a\", \"stack\": {\"count\": 3}, \"body\": "
	                 "[{\"shape\": {\"sphere\": 1}}, {\"shape\": {\"sphere\": 2}}]}]}",
	                 &e));
	CHECK_HAS(e.message, "a stack is built of one kind of body");
	CHECK(!read_text(
		"{\"version\": 1, \"generators\": [{\"name\": \"a\", \"ring\": {\"count\": 3, \"radius\": 9}, \"body\": []}]}",
		&e));
	CHECK_HAS(e.message, "an empty list");
}

/* The skeleton that outside tools rely on. */
TEST(contract)
{
	static const char text[] =
		"{ \"$schema\": \"scene.schema.json\", \"version\": 1, \"description\": \"two cubes on a floor\",\n"
		"\"world\": { \"gravity\": [0, 0, -10], \"fps\": 30, \"frames\": 300, \"seed\": 1, \"method\": \"oba\", "
		"\"options\": { \"sleep\": false } },\n"
		"\"materials\": { \"wood\": { \"density\": 800, \"restitution\": 0.3, \"friction\": 0.3 },\n"
		"\"ice\":  { \"density\": 900, \"restitution\": 0.1, \"friction\": { \"static\": 0.05, \"kinetic\": 0.03 }, "
		"\"rolling\": 0.001 } },\n"
		"\"shapes\": { \"cube\": { \"box\": [1, 1, 1] }, \"ball\": { \"sphere\": 0.5 } },\n"
		"\"bodies\": [\n"
		"{ \"name\": \"floor\", \"type\": \"fixed\", \"shape\": { \"halfspace\": { \"normal\": [0, 0, 1], \"offset\": "
		"0 } }, \"material\": \"wood\" },\n"
		"{ \"name\": \"a\", \"shape\": \"cube\", \"material\": \"wood\", \"position\": [0, 0, 0.5] },\n"
		"{ \"name\": \"b\", \"shape\": \"ball\", \"material\": \"ice\", \"position\": [0, 0, 3], \"orientation\": [1, "
		"0, 0, 0], \"velocity\": [1, 0, 0], \"spin\": [0, 0, 5] } ],\n"
		"\"joints\": [ { \"type\": \"ball\", \"bodies\": [\"b\", \"world\"], \"point\": [0, 0, 6] } ],\n"
		"\"events\": [ { \"frame\": 100, \"impulse\": { \"body\": \"a\", \"impulse\": [0, 0, 500] } }, { \"frame\": "
		"200, \"blast\": { \"point\": [0, -2, 3], \"speed\": 60 } } ] }";
	cairn_error e;
	cairn_scene *s = read_text(text, &e);
	REQUIRE(s);
	CHECK(cairn_scene_body_count(s) == 3 && cairn_scene_joint_count(s) == 1 && cairn_scene_event_count(s) == 2);
	CHECK_TEXT(cairn_scene_settings(s).name, "scene");
	cairn_scene_destroy(s);
}

/* Splits a line of the table in place; returns how many fields there were. */
static int split_line(char *line, char *fields[], int most)
{
	int count = 0;
	for (char *at = line; at && count < most; ++count) {
		fields[count] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	return count;
}

/* test/data/bad/expected.tsv says what each file's error must name. */
TEST(bad_files)
{
	static const char folder[] = TEST_SOURCE_DIR "/test/data/bad/";
	size_t size, checked = 0;
	char *table = read_file(TEST_SOURCE_DIR "/test/data/bad/expected.tsv", &size);
	REQUIRE(table && size && table[size - 1] == '\n');
	table[size - 1] = '\0';
	for (char *line = strchr(table, '\n'), *next; line; line = next, ++checked) {
		char *fields[6], path[300], named[300];
		next = strchr(++line, '\n');
		if (next)
			*next = '\0';
		int before = test_failures;
		REQUIRE(split_line(line, fields, 6) == 6);
		snprintf(path, sizeof path, "%s%s", folder, fields[0]);
		snprintf(named, sizeof named, "%s%s", folder, fields[1]);
		cairn_error e;
		cairn_scene *s = cairn_scene_read(path, &e);
		CHECK(!s);
		cairn_scene_destroy(s);
		CHECK_INT(e.code, CAIRN_INVALID);
		CHECK_TEXT(e.file, named);
		CHECK_INT(e.line, atoi(fields[2]));
		CHECK(e.column > 0);
		if (strcmp(fields[3], "...") == 0)
			CHECK_HAS(e.path, "...");
		else
			CHECK_TEXT(e.path, fields[3]);
		CHECK(fields[4][0]);
		CHECK_HAS(e.message, fields[4]);
		cairn_errors all = {0}; /* reading goes on past it */
		cairn_scene_def def = cairn_default_scene_def();
		def.errors = &all;
		CHECK(!cairn_scene_read_file(path, NULL, &def, &e));
		CHECK(all.count > 0);
		if (test_failures > before)
			printf("  of %s\n", fields[0]);
	}
	CHECK(checked > 150);
	free(table);
}

TEST(servos)
{
	static const char text[] =
		"{\"version\":1,\"bodies\":[{\"name\":\"b\",\"shape\":{\"sphere\":1}}],\"joints\":[{\"type\":\"slider\","
		"\"bodies\":[\"world\",\"b\"],\"point\":[0,0,0],\"axis\":[1,0,0],"
		"\"motor\":{\"target\":0.5,\"speed\":-1,\"stiffness\":30,\"damping\":4}}]}";
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_read_text(text, sizeof text - 1, "scene.json", NULL, NULL, &e);
	REQUIRE(s);
	cairn_joint_def j = cairn_scene_joint_at(s, 0);
	CHECK(j.motor == CAIRN_MOTOR_SERVO && j.target == 0.5 && j.speed == -1 && j.stiffness == 30 && j.damping == 4);
	CHECK(j.most == 1e30);
	cairn_scene_destroy(s);
}

TEST(missing_file)
{
	cairn_error e;
	CHECK(!cairn_scene_read(TEST_SOURCE_DIR "/test/data/good/nowhere.json", &e));
	CHECK_INT(e.code, CAIRN_FILE);
	CHECK_HAS(e.message, "nowhere.json");
	CHECK(!cairn_scene_read("", NULL));
}

/* A chain of includes, each file made up as it is asked for. */
static bool read_endless(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                         cairn_error *error)
{
	int *number = context;
	char text[100];
	(void)path;
	(void)error;
	*size = (size_t)snprintf(text, sizeof text, "{\"version\": 1, \"include\": [\"%d.json\"]}", ++*number);
	*data = allocator->resize(allocator->context, NULL, 0, *size);
	if (*data)
		memcpy(*data, text, *size);
	return *data != NULL;
}

TEST(endless_includes)
{
	static const char text[] = "{\"version\": 1, \"include\": [\"0.json\"]}";
	ledger l = {0};
	int number = 0;
	cairn_files files = {.context = &number, .read = read_endless};
	cairn_scene_def def = {.allocator = {&l, ledger_resize}};
	cairn_error e;
	CHECK(!cairn_scene_read_text(text, sizeof text - 1, "start.json", &files, &def, &e));
	CHECK_INT(e.code, CAIRN_INVALID);
	CHECK_HAS(e.message, "deeper than 32 files");
	CHECK_INT(l.bytes, 0);
}

/* More than a scene may have in all, which nobody looks at. */
static bool read_huge(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                      cairn_error *error)
{
	(void)path, (void)error;
	++*(int *)context;
	*size = ((size_t)1 << 30) + 1;
	*data = allocator->resize(allocator->context, NULL, 0, *size);
	return *data != NULL;
}

TEST(huge_files)
{
	static const char text[] = "{\"version\": 1, \"include\": [\"a.json\"]}";
	ledger l = {0};
	int reads = 0;
	cairn_files files = {.context = &reads, .read = read_huge};
	cairn_scene_def def = {.allocator = {&l, ledger_resize}};
	cairn_error e;
	CHECK(!cairn_scene_read_text(text, sizeof text - 1, "start.json", &files, &def, &e));
	CHECK_INT(e.code, CAIRN_INVALID);
	CHECK_HAS(e.message, "more than 1 GiB");
	CHECK_HAS(e.path, "include[0]");
	CHECK_INT(reads, 1);
	CHECK_INT(l.bytes, 0);
}

/* Where links cannot be followed, the text of a path is enough to refuse it. */
TEST(paths_that_leave)
{
	static const char *const leave[] = {"../a.json", "b/../../a.json", "/a.json", "b/../../scenes2/a.json"};
	cairn_error e;
	for (int i = 0; i < 4; ++i) {
		char text[100];
		int reads = 0, size = snprintf(text, sizeof text, "{\"version\": 1, \"include\": [\"%s\"]}", leave[i]);
		cairn_files files = {.context = &reads, .read = read_huge};
		cairn_scene_def def = cairn_default_scene_def();
		CHECK(!cairn_scene_read_text(text, (size_t)size, "scenes/start.json", &files, &def, &e));
		CHECK_HAS(e.message, "--trust");
		CHECK_INT(reads, 0);
		def.trust = true;
		CHECK(!cairn_scene_read_text(text, (size_t)size, "scenes/start.json", &files, &def, &e));
		CHECK_INT(reads, 1);
	}
}

/* Every frame of the scene with its own method. */
static void run_scene(const cairn_scene *s)
{
	cairn_error e;
	cairn_world *world = cairn_world_create(s, NULL, &e);
	REQUIRE(world);
	for (uint32_t i = 0; i < cairn_scene_settings(s).frames; ++i) {
		cairn_step_report report = cairn_world_step(world);
		if (report.status != CAIRN_STEP_OK) {
			char text[400];
			cairn_world_explain(world, &report, text, sizeof text);
			++test_failures;
			printf("  %s: %s\n", cairn_scene_settings(s).name, text);
			break;
		}
	}
	cairn_world_destroy(world);
}

/* Bundled scenes have a title and nothing touches in them. */
TEST(bundled_scenes)
{
	static const char *const names[] = {"tumble", "starter", "fountain"};
	for (int i = 0; i < 3; ++i) {
		char path[300];
		cairn_error e;
		snprintf(path, sizeof path, TEST_SOURCE_DIR "/scenes/%s.json", names[i]);
		cairn_scene *s = cairn_scene_read(path, &e);
		CHECK(s);
		if (!s) {
			printf("  %s:%d: %s: %s\n", e.file, e.line, e.path, e.message);
			continue;
		}
		cairn_settings w = cairn_scene_settings(s);
		CHECK_TEXT(w.name, names[i]);
		CHECK(w.description[0] && strlen(w.description) < 120);
		run_scene(s);
		cairn_scene_destroy(s);
	}
}

/* The examples of the documentation are real. */
TEST(documentation)
{
	size_t size, examples = 0;
	char *text = read_file(TEST_SOURCE_DIR "/docs/scene-format.md", &size);
	REQUIRE(text && size);
	text[size - 1] = '\0';
	for (char *at = strstr(text, "```json\n"); at; at = strstr(at, "```json\n"), ++examples) {
		char *start = at + 8, *end = strstr(start, "```");
		REQUIRE(end);
		cairn_error e;
		cairn_scene *s = cairn_scene_read_text(start, (size_t)(end - start),
		                                       TEST_SOURCE_DIR "/test/data/good/example.json", NULL, NULL, &e);
		CHECK(s);
		if (!s) {
			*end = '\0';
			printf("  %d:%d: %s: %s in\n%s\n", e.line, e.column, e.path, e.message, start);
			break;
		}
		if (examples == 0) /* the one that a reader tries first */
			run_scene(s);
		cairn_scene_destroy(s);
		at = end + 3;
	}
	CHECK(examples >= 8);
	free(text);
}

/* Reads the good file with n bytes, or with a changed one, from a block of just that size. */
static bool read_changed(const char *text, size_t size, ledger *l, cairn_error *e)
{
	cairn_scene_def def = {.allocator = {l, ledger_resize}};
	char *copy = malloc(size ? size : 1);
	if (!copy)
		return false;
	memcpy(copy, text, size);
	*e = (cairn_error){0};
	cairn_scene *s = cairn_scene_read_text(copy, size, good_path, NULL, &def, e);
	cairn_scene_destroy(s);
	free(copy);
	return s;
}

TEST(truncated_anywhere)
{
	size_t size;
	char *text = read_file(good_path, &size);
	REQUIRE(text);
	ledger l = {0};
	cairn_error e;
	CHECK(read_changed(text, size, &l, &e));
	size_t whole = size;
	while (whole && text[whole - 1] != '}')
		--whole;
	for (size_t n = 0; n < whole; ++n) {
		CHECK(!read_changed(text, n, &l, &e));
		CHECK(e.code == CAIRN_INVALID && e.line > 0 && e.column > 0 && e.message[0]);
		CHECK_INT(l.bytes, 0);
	}
	free(text);
}

/* Every byte once with a flipped bit (a different one each time) and once as a digit, so that counts grow. */
TEST(flipped_anywhere)
{
	size_t size, refused = 0;
	char *text = read_file(good_path, &size);
	REQUIRE(text);
	ledger l = {0};
	cairn_error e;
	for (size_t i = 0; i < 2 * size; ++i) {
		char *c = &text[i % size], before = *c;
		*c = (char)(i < size ? *c ^ 1 << i % 8 : '9');
		bool ok = read_changed(text, size, &l, &e);
		refused += !ok;
		CHECK(ok || (e.message[0] && e.file[0] && (e.code == CAIRN_INVALID && e.line > 0)));
		CHECK_INT(l.bytes, 0);
		*c = before;
	}
	CHECK(refused > size);
	free(text);
}

TEST(out_of_memory)
{
	size_t size;
	char *text = read_file(good_path, &size);
	REQUIRE(text);
	bool ok = false;
	size_t n = 1;
	for (; !ok; ++n) {
		ledger l = {.fail_at = n, .lasting = true};
		cairn_error e;
		ok = read_changed(text, size, &l, &e);
		if (!ok)
			CHECK_INT(e.code, CAIRN_MEMORY);
		CHECK_INT(l.bytes, 0);
		if (test_failures)
			break;
	}
	CHECK(n > 100);
	free(text);
}

/* Without a centre the shape's own is taken. */
TEST(inertia_without_a_center)
{
	static const char text[] = "{ \"version\": 1, \"bodies\": [ { \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 2, 3],"
							   "\"shape\": { \"hull\": { \"points\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]] } } } ] }";
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_read_text(text, sizeof text - 1, "a.json", NULL, NULL, &e);
	REQUIRE(s);
	cairn_body_def b = cairn_scene_body_at(s, 0);
	CHECK(b.has_inertia && b.inertia[4] == 2);
	CHECK_NEAR(b.center.x, 0.25, 1e-15);
	cairn_scene_destroy(s);
}

/* The caller's settings come before generators draw. */
TEST(settings_over_the_file)
{
	static const char text[] =
		"{ \"version\": 1, \"world\": { \"seed\": 3, \"fps\": 24 }, \"generators\": [ { \"name\": \"g\","
		"\"grid\": { \"count\": [1, 1, 1], \"spacing\": [1, 1, 1] }, \"body\": { \"shape\": { \"sphere\": 1 } },"
		"\"jitter\": { \"position\": 1 } } ] }";
	static const char *const sets[][3] = {{"seed=3"}, {"seed=4"}, {"seed=4", "fps=60"}, {"speed=4"}, {"seed"}};
	double x[3];
	for (int i = 0; i < 5; ++i) {
		cairn_scene_def def = cairn_default_scene_def();
		def.set = sets[i];
		cairn_error e = {0};
		cairn_scene *s = cairn_scene_read_text(text, sizeof text - 1, "a.json", NULL, &def, &e);
		if (i >= 3) {
			CHECK(!s && e.code == CAIRN_USAGE);
			continue;
		}
		REQUIRE(s);
		x[i] = cairn_scene_body_at(s, 0).pose.position.x;
		CHECK_NEAR(cairn_scene_settings(s).fps, i == 2 ? 60 : 24, 0);
		cairn_scene_destroy(s);
	}
	CHECK(x[0] != x[1] && x[1] == x[2]);
}

TEST_MAIN(TEST_CASE(world), TEST_CASE(materials), TEST_CASE(shapes), TEST_CASE(bodies), TEST_CASE(happenings),
          TEST_CASE(joints), TEST_CASE(generators), TEST_CASE(streams), TEST_CASE(mixing), TEST_CASE(contract),
          TEST_CASE(bad_files), TEST_CASE(servos), TEST_CASE(missing_file), TEST_CASE(endless_includes),
          TEST_CASE(huge_files), TEST_CASE(paths_that_leave), TEST_CASE(bundled_scenes), TEST_CASE(documentation),
          TEST_CASE(truncated_anywhere), TEST_CASE(flipped_anywhere), TEST_CASE(out_of_memory),
          TEST_CASE(inertia_without_a_center), TEST_CASE(settings_over_the_file))
