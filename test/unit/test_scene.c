/* What may go into a scene and what is refused, and scenes as bytes. Scene files have tests of their own. */
#include "base/vec.h"
#include "scene/scene.h"
#include "test.h"

#include <float.h>

static cairn_scene *with_box(cairn_shape *box)
{
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_shape_def d = cairn_default_shape_def(CAIRN_BOX);
	d.name = "box";
	*box = cairn_scene_add_shape(s, &d, &e);
	return s;
}

/* Changes one field of a good body def, by case number; returns NULL past the last. */
static const char *spoil(cairn_body_def *d, int fault, const char **message)
{
	static const cairn_script_key keys[] = {{1, {{0, 0, 0}, {1, 0, 0, 0}}}, {1, {{0, 0, 0}, {1, 0, 0, 0}}}};
	switch (fault) {
	case 0:
		d->mass = -1;
		*message = "from 1e-30";
		return "mass";
	case 1:
		d->mass = NAN;
		*message = "from 1e-30";
		return "mass";
	case 2:
		d->mass = INFINITY;
		*message = "from 1e-30";
		return "mass";
	case 3:
		d->density = -5;
		*message = "above 0";
		return "density";
	case 4:
		d->mass = 1, d->density = 1;
		*message = "not both";
		return "density";
	case 5:
		d->has_inertia = true;
		*message = "needs a mass";
		return "inertia";
	case 6:
		d->mass = 1, d->has_inertia = true, d->inertia[0] = 1, d->inertia[4] = 1, d->inertia[8] = 3;
		*message = "";
		return "inertia";
	case 7:
		d->mass = 1, d->has_inertia = true, d->inertia[0] = d->inertia[4] = d->inertia[8] = 1, d->inertia[1] = 0.5;
		*message = "";
		return "inertia";
	case 8:
		d->pose.position.x = NAN;
		*message = "finite";
		return "position";
	case 9:
		d->pose.position.x = 1e10;
		*message = "beyond";
		return "position";
	case 10:
		d->pose.orientation.w = 2;
		*message = "length 2";
		return "orientation";
	case 11:
		d->pose.orientation = (quat){0, 0, 0, 0};
		*message = "length 0";
		return "orientation";
	case 12:
		d->velocity.y = INFINITY;
		*message = "finite";
		return "velocity";
	case 13:
		d->spin.z = NAN;
		*message = "finite";
		return "spin";
	case 14:
		d->linear_damping = -1;
		*message = "from 0";
		return "damping.linear";
	case 15:
		d->angular_damping = NAN;
		*message = "from 0";
		return "damping.angular";
	case 16:
		d->has_color = true, d->color.g = 2;
		*message = "from 0 to 1";
		return "color";
	case 17:
		d->shape = (cairn_shape){5, 1};
		*message = "needs a shape";
		return "shape";
	case 18:
		d->shape = (cairn_shape){0, 0};
		*message = "needs a shape";
		return "shape";
	case 19:
		d->material = (cairn_material){3, 1};
		*message = "no such material";
		return "material";
	case 20:
		d->type = CAIRN_SCRIPTED;
		*message = "needs keys";
		return "keys";
	case 21:
		d->keys = keys, d->key_count = 1;
		*message = "only a scripted";
		return "keys";
	case 22:
		d->type = CAIRN_SCRIPTED, d->keys = keys, d->key_count = 2;
		*message = "not after";
		return "keys[1].time";
	case 23:
		d->type = CAIRN_FIXED, d->velocity.x = 1;
		*message = "only a dynamic";
		return "velocity";
	case 24:
		d->type = (cairn_body_type)9;
		*message = "unknown type";
		return "type";
	case 25:
		d->name = "world";
		*message = "choose another";
		return "name";
	case 26:
		d->name = "a\nb";
		*message = "control character";
		return "name";
	case 27:
		d->name = "first";
		*message = "already";
		return "name";
	default: return NULL;
	}
}

TEST(bad_bodies_are_refused_by_field)
{
	cairn_shape box;
	cairn_scene *s = with_box(&box);
	cairn_body_def good = cairn_default_body_def();
	good.shape = box, good.name = "first";
	cairn_error e = {0};
	CHECK(cairn_scene_add_body(s, &good, &e).generation);
	int fault = 0;
	for (;; ++fault) {
		cairn_body_def d = good;
		const char *message;
		d.name = "second";
		const char *field = spoil(&d, fault, &message);
		if (!field)
			break;
		e = (cairn_error){0};
		CHECK(!cairn_scene_add_body(s, &d, &e).generation);
		CHECK_INT(e.code, CAIRN_INVALID);
		CHECK_TEXT(e.path, field);
		CHECK_HAS(e.message, message);
	}
	CHECK_INT(fault, 28);
	CHECK_INT(cairn_scene_body_count(s), 1);
	cairn_scene_destroy(s);
}

TEST(nothing_but_solids_may_be_dynamic)
{
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
	cairn_body_def d = cairn_default_body_def();
	d.shape = cairn_scene_add_shape(s, &plane, &e);
	CHECK(!cairn_scene_add_body(s, &d, &e).generation);
	CHECK_HAS(e.message, "cannot be dynamic");
	d.type = CAIRN_FIXED;
	CHECK(cairn_scene_add_body(s, &d, &e).generation);
	cairn_scene_destroy(s);
}

TEST(materials_mix)
{
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_material_def d = cairn_default_material_def();
	d.name = "a", d.restitution = 0.2, d.static_friction = 0.9, d.kinetic_friction = 0.4, d.rolling = 0.01;
	cairn_material a = cairn_scene_add_material(s, &d, &e);
	d.name = "b", d.restitution = 0.7, d.static_friction = 0.4, d.kinetic_friction = 0.1, d.rolling = 0;
	cairn_material b = cairn_scene_add_material(s, &d, &e);
	cairn_pair_def p = cairn_scene_pair(s, a, b);
	CHECK_NEAR(p.restitution, 0.7, 0);
	CHECK_NEAR(p.static_friction, 0.6, 1e-15);
	CHECK_NEAR(p.kinetic_friction, 0.2, 1e-15);
	CHECK_NEAR(p.rolling, 0.01, 0);
	p.restitution = 0.1;
	CHECK(cairn_scene_set_pair(s, &p, &e));
	CHECK_NEAR(cairn_scene_pair(s, b, a).restitution, 0.1, 0);
	CHECK_NEAR(cairn_scene_pair(s, b, b).restitution, 0.7, 0);
	CHECK_NEAR(cairn_scene_pair(s, (cairn_material){0, 0}, b).static_friction, sqrt(0.2), 1e-15);
	d.kinetic_friction = 0.5;
	CHECK(!cairn_scene_add_material(s, &d, &e).generation);
	d.name = "c";
	CHECK(!cairn_scene_add_material(s, &d, &e).generation);
	CHECK_HAS(e.message, "above static");
	d = cairn_default_material_def(), d.density = 0;
	CHECK(!cairn_scene_add_material(s, &d, &e).generation);
	for (const char *const *name = cairn_material_preset_names(); *name; ++name)
		CHECK(cairn_material_preset(*name, &d) && cairn_scene_add_material(s, &d, &e).generation);
	CHECK(!cairn_material_preset("cheese", &d));
	cairn_scene_destroy(s);
}

TEST(options_by_name)
{
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_create(NULL);
	char text[64];
	const char *good[][3] = {{"gravity", "0,0,-1.5", "0,0,-1.5"},
	                         {"gravity", "[1, 2, 3]", "1,2,3"},
	                         {"fps", "60", "60"},
	                         {"frames", "12", "12"},
	                         {"seed", "99", "99"},
	                         {"method", "free", "free"},
	                         {"sleep", "on", "on"},
	                         {"sleep", "false", "off"},
	                         {"certify", "full", "full"},
	                         {"momentum", "thesis", "thesis"},
	                         {"forces", "qp", "qp"},
	                         {"objective", "diameter", "diameter"},
	                         {"precise", "on", "on"},
	                         {"queue", "50", "50"},
	                         {"queue", "auto", "auto"},
	                         {"queue", "0", "0"},
	                         {"steps", "auto", "auto"},
	                         {"steps", "1", "1"},
	                         {"steps", "64", "64"},
	                         {"freeze-frames", "1", "1"},
	                         {"freeze-frames", "3", "3"},
	                         {"forces-rounds", "0", "0"},
	                         {"distance-bounce", "on", "on"},
	                         {"hybrid", "3", "3"},
	                         {"hybrid", "false", "0"},
	                         {"freeze", "on", "on"}};
	for (size_t i = 0; i < CN_COUNT(good); ++i) {
		CHECK(cairn_scene_set_option(s, good[i][0], good[i][1], &e));
		CHECK(cairn_scene_option(s, good[i][0], text, sizeof text));
		CHECK_TEXT(text, good[i][2]);
	}
	const char *bad[][3] = {{"gravity", "0,0", "three numbers"},
	                        {"gravity", "0,0,1e400", "finite"},
	                        {"fps", "0", "fps"},
	                        {"fps", "fast", "number"},
	                        {"frames", "-1", "whole number"},
	                        {"frames", "1.5", "whole number"},
	                        {"seed", "1e30", "whole number"},
	                        {"method", "obe", "'oba'"},
	                        {"slep", "on", "'sleep'"},
	                        {"sleep", "maybe", "on, off"},
	                        {"queue", "-1", "auto"},
	                        {"steps", "0", "1 to 64"},
	                        {"steps", "65", "1 to 64"},
	                        {"steps", "on", "auto"},
	                        {"freeze-frames", "auto", "whole number from 0 to 250"},
	                        {"freeze-frames", "251", "whole number from 0 to 250"},
	                        {"forces-rounds", "1.5", "whole number"},
	                        {"freezeframes", "1", "'freeze-frames'"},
	                        {"hybrid", "on", "whole number from 0 to 1000"},
	                        {"certify", "", "keys"}};
	for (size_t i = 0; i < CN_COUNT(bad); ++i) {
		e = (cairn_error){0};
		CHECK(!cairn_scene_set_option(s, bad[i][0], bad[i][1], &e));
		CHECK_INT(e.code, CAIRN_USAGE);
		CHECK_HAS(e.message, bad[i][2]);
	}
	for (const char *const *name = cairn_option_names(); *name; ++name)
		CHECK(cairn_scene_option(s, *name, text, sizeof text));
	CHECK(!cairn_scene_option(s, "nothing", text, sizeof text));
	cairn_scene_destroy(s);
}

TEST(the_rest_is_checked)
{
	cairn_error e = {0};
	cairn_shape box;
	cairn_scene *s = with_box(&box);
	cairn_body_def d = cairn_default_body_def();
	d.shape = box, d.name = "a";
	cairn_body a = cairn_scene_add_body(s, &d, &e);
	cairn_joint_def j = cairn_default_joint_def();
	CHECK(!cairn_scene_add_joint(s, &j, &e).generation);
	CHECK_HAS(e.message, "two different");
	j.a = a, j.b = (cairn_body){9, 1};
	CHECK(!cairn_scene_add_joint(s, &j, &e).generation);
	j.b = (cairn_body){0, 0}, j.point.x = NAN;
	CHECK(!cairn_scene_add_joint(s, &j, &e).generation);
	CHECK_TEXT(e.path, "point");
	cairn_event_def ev = cairn_default_event_def(CAIRN_IMPULSE);
	CHECK(!cairn_scene_add_event(s, &ev, &e));
	CHECK_TEXT(e.path, "body");
	ev = cairn_default_event_def(CAIRN_BLAST), ev.speed = NAN;
	CHECK(!cairn_scene_add_event(s, &ev, &e));
	cairn_field_def f = cairn_default_field_def(CAIRN_ATTRACTOR);
	CHECK(!cairn_scene_add_field(s, &f, &e));
	CHECK_TEXT(e.path, "softening");
	f = cairn_default_field_def(CAIRN_GRAVITY), f.has_box = true;
	CHECK(!cairn_scene_add_field(s, &f, &e));
	CHECK_HAS(e.message, "min below max");
	CHECK(!cairn_scene_add_cold_volume(s, (cairn_box){{0, 0, 0}, {1, 1, -1}}, &e));
	cairn_emitter_def em = cairn_default_emitter_def();
	CHECK(!cairn_scene_add_emitter(s, &em, &e));
	em.name = "em", em.bodies = &d, em.body_count = 1, em.every = 0;
	CHECK(!cairn_scene_add_emitter(s, &em, &e));
	CHECK_TEXT(e.path, "every");
	em.every = 1, em.batches = 4000000000u;
	CHECK(!cairn_scene_add_emitter(s, &em, &e));
	CHECK_TEXT(e.path, "batches");
	em.batches = 2, em.choices = 2;
	CHECK(!cairn_scene_add_emitter(s, &em, &e));
	CHECK_TEXT(e.path, "choices");
	em.choices = 0;
	CHECK(!cairn_scene_add_emitter(s, &em, &e));
	em.choices = 1;
	CHECK(cairn_scene_add_emitter(s, &em, &e));
	CHECK(!cairn_scene_add_emitter(s, &em, &e));
	cairn_view v = cairn_scene_view(s);
	v.has_camera = true;
	CHECK(!cairn_scene_set_view(s, &v, &e));
	CHECK_TEXT(e.path, "camera.target");
	cairn_scene_destroy(s);
}

/* Every name still finds its own after many were added. */
/* Each spoils one thing of a good hinge; the path and a part of the message. */
TEST(bad_joints_are_refused_by_field)
{
	cairn_error e = {0};
	cairn_shape box;
	cairn_scene *s = with_box(&box);
	cairn_body_def d = cairn_default_body_def();
	d.shape = box;
	cairn_joint_def good = cairn_default_joint_def();
	good.type = CAIRN_HINGE, good.has_limits = true, good.low = -1, good.high = 1;
	good.motor = CAIRN_MOTOR_SPEED, good.speed = 1, good.most = 1;
	good.a = cairn_scene_add_body(s, &d, &e), good.b = cairn_scene_add_body(s, &d, &e);
	REQUIRE(cairn_scene_add_joint(s, &good, &e).generation);
	cairn_joint_def bad[27];
	for (size_t i = 0; i < CN_COUNT(bad); ++i)
		bad[i] = good;
	static const char *const says[CN_COUNT(bad)][2] = {
		{"type", "unknown joint type 99"},
		{"point", "three numbers"},
		{"axis", "three numbers"},
		{"axis", "no length"},
		{"limits", "from -1e+06"},
		{"limits", "from -1e+06"},
		{"limits", "above the upper"},
		{"limits", "hold 0"},
		{"cone", "a ball's limits begin at 0"},
		{"motor", "a fixed joint has no motor"},
		{"motor", "unknown kind of motor"},
		{"motor.speed", "rad/s"},
		{"motor.most", "N m"},
		{"motor.torque", "N m"},
		{"motor.force", "N from"},
		{"breaks.force", "above 0"},
		{"breaks.torque", "above 0"},
		{"bodies", "of this scene"},
		{"bodies", "two different"},
		{"points[1]", "three numbers"},
		{"points", "the same"},
		{"limits", "ball joint"},
		{"motor.target", "rad from"},
		{"motor.stiffness", "N m a radian"},
		{"motor.damping", "N s a metre"},
		{"motor", "pushes with nothing"},
		{"motor.most", "above 0"},
	};
	bad[0].type = (cairn_joint_type)99;
	bad[1].point.y = NAN;
	bad[2].axis.z = INFINITY;
	bad[3].axis.z = 1e-12;
	bad[4].low = NAN;
	bad[5].high = 2e6;
	bad[6].low = 2;
	bad[7].low = 0.5;
	bad[8].type = CAIRN_BALL;
	bad[9].type = CAIRN_WELD, bad[9].has_limits = false;
	bad[10].motor = (cairn_motor_kind)5;
	bad[11].speed = NAN;
	bad[12].most = -1;
	bad[13].motor = CAIRN_MOTOR_FORCE, bad[13].most = NAN;
	bad[14].type = CAIRN_SLIDER, bad[14].motor = CAIRN_MOTOR_FORCE, bad[14].most = -1e31;
	bad[15].break_force = 0;
	bad[16].break_torque = NAN;
	bad[17].a = (cairn_body){7, 1};
	bad[18].b = bad[18].a;
	for (int i = 19; i < 22; ++i)
		bad[i].type = CAIRN_DISTANCE, bad[i].motor = CAIRN_NO_MOTOR;
	bad[19].point_b.x = 1e10;
	bad[20].has_limits = false;
	bad[21].low = bad[21].high = 0;
	for (int i = 22; i < 27; ++i)
		bad[i].motor = CAIRN_MOTOR_SERVO, bad[i].stiffness = bad[i].damping = 1;
	bad[22].target = 2e6;
	bad[23].stiffness = INFINITY;
	bad[24].type = CAIRN_SLIDER, bad[24].damping = -1;
	bad[25].stiffness = bad[25].damping = 0;
	bad[26].most = NAN;
	for (size_t i = 0; i < CN_COUNT(bad); ++i) {
		e = (cairn_error){0};
		CHECK(!cairn_scene_add_joint(s, &bad[i], &e).generation);
		CHECK_INT(e.code, CAIRN_INVALID);
		CHECK_TEXT(e.path, says[i][0]);
		CHECK_HAS(e.message, says[i][1]);
	}
	CHECK_INT(cairn_scene_joint_count(s), 1);
	cairn_scene_destroy(s);
}

/* A length printed short is mended, an axis that is one keeps its bits, and a distance joint has limits in any case. */
TEST(joints_are_put_right)
{
	cairn_error e = {0};
	cairn_shape box;
	cairn_scene *s = with_box(&box);
	cairn_body_def d = cairn_default_body_def();
	d.shape = box;
	cairn_joint_def j = cairn_default_joint_def();
	j.a = cairn_scene_add_body(s, &d, &e);
	j.type = CAIRN_DISTANCE, j.point_b = (v3){1, 1, 0};
	REQUIRE(cairn_scene_add_joint(s, &j, &e).generation);
	CHECK(cairn_scene_joint_at(s, 0).has_limits && cairn_scene_joint_at(s, 0).low == sqrt(2));
	j.has_limits = true, j.low = 0, j.high = 1.414213;
	REQUIRE(cairn_scene_add_joint(s, &j, &e).generation);
	CHECK(cairn_scene_joint_at(s, 1).high == sqrt(2) && cairn_scene_joint_at(s, 1).low == 0);
	j.high = 1.4142;
	CHECK(!cairn_scene_add_joint(s, &j, &e).generation);
	j = (cairn_joint_def){.type = CAIRN_SLIDER, .a = j.a, .axis = {0.6, 0, 0.8}, .break_force = 1, .break_torque = 1};
	REQUIRE(cairn_scene_add_joint(s, &j, &e).generation);
	CHECK(cairn_scene_joint_at(s, 2).axis.x == 0.6 && cairn_scene_joint_at(s, 2).axis.z == 0.8);
	cairn_scene_destroy(s);
}

/* The bytes of version 1 end a joint after its point. */
TEST(bytes_of_version_1_are_read)
{
	cairn_error e = {0};
	cairn_shape box;
	cairn_scene *s = with_box(&box);
	cairn_body_def d = cairn_default_body_def();
	d.shape = box;
	cairn_joint_def j = cairn_default_joint_def();
	j.name = "pin", j.point.z = 2, j.a = cairn_scene_add_body(s, &d, &e);
	REQUIRE(cairn_scene_add_joint(s, &j, &e).generation);
	cn_writer w = {.allocator = s->allocator};
	cn_scene_put(&w, s);
	CHECK_INT(w.data[0], 2);
	size_t after = 4 * 4, rest = 144 - 45,
		   joint = w.size - after - rest; /* no events, fields, cold volumes, emitters */
	w.data[0] = 1;
	memmove(w.data + joint, w.data + joint + rest, after);
	cn_reader r = {.data = w.data, .size = w.size - rest};
	cairn_scene *old = cn_scene_get(&r, &s->allocator, &e);
	REQUIRE(old && cairn_scene_joint_count(old) == 1);
	cairn_joint_def found = cairn_scene_joint_at(old, 0);
	CHECK_TEXT(found.name, "pin");
	CHECK(found.point.z == 2 && isinf(found.break_force) && found.axis.z == 1 && !found.collide);
	cairn_scene_destroy(old);
	w.data[0] = 7;
	r = (cn_reader){.data = w.data, .size = w.size};
	CHECK(!cn_scene_get(&r, &s->allocator, &e));
	CHECK_HAS(e.message, "versions 1 to 6");
	cn_writer_free(&w);
	cairn_scene_destroy(s);
}

TEST(names_find_their_own)
{
	cairn_error e = {0};
	cairn_shape box;
	cairn_scene *s = with_box(&box);
	cairn_body_def d = cairn_default_body_def();
	char name[32];
	d.shape = box, d.name = name;
	for (int i = 0; i < 3000; ++i) {
		snprintf(name, sizeof name, "body %d", i * 7);
		REQUIRE(cairn_scene_add_body(s, &d, &e).generation);
	}
	for (uint32_t i = 0; i < 3000; ++i) {
		snprintf(name, sizeof name, "body %u", i * 7);
		CHECK_INT(cairn_scene_find_body(s, name).index, i);
	}
	CHECK(!cairn_scene_find_body(s, "body 1").generation);
	CHECK(!cairn_scene_find_body(s, "").generation);
	cn_names *names = &s->body_names;
	for (uint32_t i = 0; i < 3000; i += 2) {
		snprintf(name, sizeof name, "body %u", i * 7);
		cn_names_remove(names, name);
	}
	for (uint32_t i = 0; i < 3000; ++i) {
		snprintf(name, sizeof name, "body %u", i * 7);
		CHECK_INT(cn_names_find(names, name), i % 2 ? i + 1 : 0);
	}
	cairn_scene_destroy(s);
}

/* Bytes of a scene cut short or bent: refused or read, never a crash. */
TEST(bytes_of_a_scene_are_not_trusted)
{
	cairn_error e = {0};
	cairn_shape box;
	cairn_scene *s = with_box(&box);
	v3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	cairn_shape_def hull = cairn_default_shape_def(CAIRN_HULL);
	hull.points = points, hull.point_count = 4;
	cairn_part parts[] = {{box, {{0, 0, 0}, {1, 0, 0, 0}}},
	                      {cairn_scene_add_shape(s, &hull, &e), {{2, 0, 0}, {1, 0, 0, 0}}}};
	cairn_shape_def both = cairn_default_shape_def(CAIRN_COMPOUND);
	both.parts = parts, both.part_count = 2;
	cairn_body_def d = cairn_default_body_def();
	d.shape = cairn_scene_add_shape(s, &both, &e), d.name = "a";
	CHECK(cairn_scene_add_body(s, &d, &e).generation);
	cn_writer w = {.allocator = cairn_default_allocator()};
	cn_scene_put(&w, s);
	REQUIRE(!w.failed);
	for (size_t cut = 0; cut < w.size; ++cut) {
		cn_reader r = {.data = w.data, .size = cut};
		CHECK(!cn_scene_get(&r, &s->allocator, &e));
		CHECK(e.code != CAIRN_OK);
	}
	for (size_t i = 0; i < w.size; ++i) {
		w.data[i] ^= 0x81;
		cn_reader r = {.data = w.data, .size = w.size};
		cairn_scene_destroy(cn_scene_get(&r, &s->allocator, &e));
		w.data[i] ^= 0x81;
	}
	cn_reader r = {.data = w.data, .size = w.size};
	cairn_scene *again = cn_scene_get(&r, &s->allocator, &e);
	REQUIRE(again);
	cn_writer same = {.allocator = cairn_default_allocator()};
	cn_scene_put(&same, again);
	CHECK(same.size == w.size && memcmp(same.data, w.data, w.size) == 0);
	cn_writer_free(&same);
	cairn_scene_destroy(again);
	cn_writer_free(&w);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(bad_bodies_are_refused_by_field), TEST_CASE(nothing_but_solids_may_be_dynamic),
          TEST_CASE(materials_mix), TEST_CASE(options_by_name), TEST_CASE(the_rest_is_checked),
          TEST_CASE(bad_joints_are_refused_by_field), TEST_CASE(joints_are_put_right),
          TEST_CASE(bytes_of_version_1_are_read), TEST_CASE(names_find_their_own),
          TEST_CASE(bytes_of_a_scene_are_not_trusted))
