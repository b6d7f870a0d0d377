/* What a world says of its contacts and sleepers: worked by hand, against the gaps of whole bodies, and after bodies went. */
#include "base/vec.h"
#include "yard.h"

enum { MOST = 2000 };

static const v3 down = {0, 0, -10};

static void go(cairn_world *w, int frames)
{
	for (int i = 0; i < frames; ++i)
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
}

/* A cube of 800 kg stands on the ground: at four corners, which bear its weight; and goes on doing so in its sleep. */
TEST(cube_on_the_ground)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	cairn_body ground = yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body cube = yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0, 0, 0.5), v3_zero());
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	CHECK_INT(cairn_world_contacts(w, NULL, 0), 0); /* no step yet */
	CHECK(!cairn_world_body_asleep(w, cube) && !cairn_world_body_asleep(w, ground));
	for (int round = 0; round < 2; ++round) {
		cairn_contact c[8];
		go(w, round == 0 ? 10 : 200);
		CHECK(cairn_world_body_asleep(w, cube) == (round == 1) && !cairn_world_body_asleep(w, ground));
		REQUIRE(cairn_world_contacts(w, c, 8) == 4);
		v3 sum = v3_zero(), corners = v3_zero();
		for (int i = 0; i < 4; ++i) {
			cairn_gap gap;
			REQUIRE(cairn_world_gap(w, cube, ground, &gap));
			CHECK(c[i].a.index == cube.index && c[i].b.index == ground.index && c[i].a.generation == cube.generation);
			CHECK_NEAR(c[i].normal.z, -1, 1e-12);
			CHECK_NEAR(c[i].gap, gap.gap, 1e-12);
			CHECK_NEAR(c[i].point.z, c[i].gap, 1e-9);
			CHECK_NEAR(fabs(c[i].point.x), 0.5, 1e-6);
			CHECK_NEAR(fabs(c[i].point.y), 0.5, 1e-6);
			CHECK(!c[i].sliding);
			sum = v3_add(sum, c[i].impulse), corners = v3_add(corners, c[i].point);
		}
		CHECK_NEAR(sum.z, -800 * 10 / 30.0, 1e-3 * 800 * 10 / 30.0); /* on the ground: m g dt, downward */
		CHECK_NEAR(corners.x, 0, 1e-6);
		CHECK_NEAR(corners.y, 0, 1e-6);
	}
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

/* Near is not touching: a ball that leaves the ground is near it for a while. */
TEST(no_contact_in_the_air)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.8, 0.5);
	(void)yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.5, 0), m, v3_make(0, 0, 2), v3_zero());
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	uint32_t met = 0, near = 0;
	for (int i = 0; i < 170; ++i) { /* it comes to rest after 4.9 s */
		cairn_contact c[4];
		cairn_step_report r = cairn_world_step(w);
		double height = cairn_world_body_key(w, ball).position.z - 0.5;
		uint32_t count = cairn_world_contacts(w, c, 4);
		CHECK_INT(count, height <= 0.01);
		near += r.close_pairs > 0 && count == 0;
		met += count;
		if (count > 0)
			CHECK_NEAR(c[0].gap, height, 1e-12);
	}
	CHECK(met > 0 && near > 0);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST(sliding_is_said)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.2);
	(void)yard_plane(s, m, v3_make(0, 0, 1), 0);
	(void)yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0, 0, 0.5), v3_make(6, 0, 0));
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	cairn_contact c[8];
	go(w, 15);
	REQUIRE(cairn_world_contacts(w, c, 8) == 4);
	double across = 0, along = 0;
	for (int i = 0; i < 4; ++i) {
		CHECK(c[i].sliding);
		across += c[i].impulse.x, along -= c[i].impulse.z;
	}
	CHECK_NEAR(across, 0.2 * along, 0.01 * along); /* the ground is dragged along */
	go(w, 100);                                    /* v/(mu g) = 3 s */
	REQUIRE(cairn_world_contacts(w, c, 8) == 4);
	for (int i = 0; i < 4; ++i)
		CHECK(!c[i].sliding);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

static cairn_scene *pile(void)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.1, 0.5);
	(void)yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape shapes[3] = {yard_box(s, 0.5, 0.4, 0.3), yard_round(s, CAIRN_CAPSULE, 0.15, 0.4),
	                         yard_round(s, CAIRN_CYLINDER, 0.2, 0.3)};
	for (int i = 0; i < 36; ++i)
		(void)yard_add(s, shapes[i % 3], m, v3_make(0.45 * (i % 3), 0.5 * (i / 3 % 2), 0.5 + 0.7 * (i / 6)), v3_zero());
	return s;
}

static bool same(const cairn_contact *c, const cairn_contact *d, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i) /* nothing but the end of it is padded */
		if (memcmp(&c[i], &d[i], offsetof(cairn_contact, sliding)) != 0 || c[i].sliding != d[i].sliding)
			return false;
	return true;
}

/* Every contact against the gap of its two bodies, which is measured without any memory; the same for any number of
 * threads; and no more are written than there is room for. */
TEST(contacts_of_a_pile)
{
	static cairn_contact c[MOST], d[MOST];
	cairn_scene *s = pile();
	cairn_world *w = yard_world(s, 1), *other = yard_world(s, 3);
	REQUIRE(w && other);
	uint32_t most = 0, pressed = 0;
	for (int round = 0; round < 12; ++round) {
		go(w, 8);
		go(other, 8);
		uint32_t count = cairn_world_contacts(w, c, MOST);
		REQUIRE(count < MOST && cairn_world_contacts(other, d, MOST) == count);
		CHECK(same(c, d, count));
		most = count > most ? count : most;
		for (uint32_t i = 0; i < count; ++i) {
			cairn_gap gap;
			REQUIRE(cairn_world_gap(w, c[i].a, c[i].b, &gap));
			CHECK_NEAR(c[i].gap, gap.gap, 1e-7);
			CHECK_NEAR(v3_length(c[i].normal), 1, 1e-12);
			/* the plane through the closest point of a has all of a on its near side */
			CHECK(v3_dot(c[i].normal, v3_sub(gap.point_a, c[i].point)) > -1e-6);
			bool presses = v3_length2(c[i].impulse) > 0;
			pressed += presses;
			CHECK(!presses || v3_dot(c[i].impulse, c[i].normal) > -1e-9 * v3_length(c[i].impulse));
		}
		if (count > 3) {
			d[3].gap = 7;
			CHECK_INT(cairn_world_contacts(w, d, 3), count);
			CHECK(d[3].gap == 7 && same(c, d, 3));
		}
	}
	CHECK(most > 60 && pressed > 300);
	cairn_world_destroy(w);
	cairn_world_destroy(other);
	cairn_scene_destroy(s);
}

/* What a body held goes with it, and one that takes its place inherits nothing. */
TEST(contacts_go_with_their_bodies)
{
	cairn_error e = {0};
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	(void)yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	cairn_body low = yard_add(s, cube, m, v3_make(0, 0, 0.5), v3_zero());
	cairn_body high = yard_add(s, cube, m, v3_make(0, 0, 1.5), v3_zero());
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	cairn_contact c[16];
	go(w, 10);
	CHECK_INT(cairn_world_contacts(w, c, 16), 8);
	CHECK(cairn_world_remove_body(w, low, &e));
	CHECK_INT(cairn_world_contacts(w, c, 16), 0);
	cairn_body_def d = yard_body(cube, m, v3_make(9, 0, 0.5));
	cairn_body other = cairn_world_add_body(w, &d, &e);
	CHECK_INT(other.index, low.index);
	CHECK_INT(cairn_world_contacts(w, c, 16), 0);
	go(w, 1);
	REQUIRE(cairn_world_contacts(w, c, 16) == 4);
	CHECK(c[0].a.index == other.index && c[0].a.generation == other.generation);
	CHECK(cairn_world_has_body(w, high));
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

/* A handle that names nothing does no harm: a null one, one beyond all slots, one of a body that is gone, and the old one
 * of a slot that is used again. */
TEST(handles_of_nothing)
{
	cairn_error e = {0};
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body body = yard_add(s, cube, m, v3_make(0, 0, 0.5), v3_zero());
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	go(w, 2);
	CHECK(cairn_world_find_body(w, "nobody").generation == 0);
	cairn_body wrong[] = {cairn_world_find_body(w, "nobody"), {1000000, 1}, body, body};
	for (int i = 0; i < 4; ++i) {
		if (i == 2)
			CHECK(cairn_world_remove_body(w, body, &e));
		if (i == 3) {
			cairn_body_def d = yard_body(cube, m, v3_make(0, 0, 0.5));
			CHECK_INT(cairn_world_add_body(w, &d, &e).index, body.index);
		}
		cairn_key keys[2] = {{.time = -1}};
		cairn_body_info info = cairn_world_body_info(w, wrong[i]);
		cairn_key key = cairn_world_body_key(w, wrong[i]);
		cairn_pose at = cairn_world_body_pose(w, wrong[i]);
		CHECK(!cairn_world_has_body(w, wrong[i]) && !cairn_world_body_asleep(w, wrong[i]));
		CHECK(info.name[0] == 0 && info.mass == 0 && info.shape.generation == 0 && info.material.generation == 0);
		CHECK(v3_length(key.position) == 0 && v3_length(key.velocity) == 0 && key.orientation.w == 1);
		CHECK(v3_length(at.position) == 0 && at.orientation.w == 1);
		CHECK_INT(cairn_world_body_keys(w, wrong[i], keys, 2), 0);
		CHECK(keys[0].time == -1);
	}
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(cube_on_the_ground), TEST_CASE(no_contact_in_the_air), TEST_CASE(sliding_is_said),
          TEST_CASE(contacts_of_a_pile), TEST_CASE(contacts_go_with_their_bodies), TEST_CASE(handles_of_nothing))
