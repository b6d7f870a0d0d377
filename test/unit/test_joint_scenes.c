/* The bundled scenes with joints do what they are there to show. Their numbers are those of the files. */
#include "base/vec.h"
#include "cairn/cairn.h"
#include "test.h"

#ifndef TEST_SOURCE_DIR
#define TEST_SOURCE_DIR "."
#endif

typedef struct stage {
	cairn_scene *scene;
	cairn_world *world;
	cairn_step_report report;
	double joint_error;
	bool ok;
} stage;

static stage open_scene(const char *name)
{
	char path[512], text[800];
	cairn_error e = {0};
	stage s = {0};
	snprintf(path, sizeof path, "%s/scenes/%s.json", TEST_SOURCE_DIR, name);
	s.scene = cairn_scene_read(path, &e);
	s.world = s.scene ? cairn_world_create(s.scene, NULL, &e) : NULL;
	s.ok = s.world != NULL;
	cairn_error_print(&e, text, sizeof text);
	CHECK(s.ok);
	if (!s.ok)
		printf("%s\n", text);
	return s;
}

static bool step(stage *s)
{
	if (!s->ok)
		return false;
	s->report = cairn_world_step(s->world);
	s->joint_error = fmax(s->joint_error, s->report.joint_error);
	s->ok = s->report.status == CAIRN_STEP_OK && s->report.certificate.verdict == CAIRN_CLEAN;
	CHECK(s->ok);
	return s->ok;
}

static cairn_key key_of(const stage *s, const char *name)
{
	return cairn_world_body_key(s->world, cairn_scene_find_body(s->scene, name));
}

static void close_scene(stage *s)
{
	cairn_world_destroy(s->world);
	cairn_scene_destroy(s->scene);
}

TEST(a_door_opens_up_to_its_stop)
{
	stage s = open_scene("door");
	double most = 0;
	while (s.ok && cairn_world_frame(s.world) < 300 && step(&s)) {
		v3 across = q_rotate(key_of(&s, "door").orientation, v3_make(1, 0, 0));
		double angle = atan2(across.y, across.x);
		CHECK(angle > -1e-3 && angle < 1.9 + 1e-3);
		CHECK_NEAR(across.z, 0, 1e-6);
		most = fmax(most, angle);
	}
	CHECK(most > 1.89); /* the ball's blow takes it all the way */
	CHECK(s.joint_error < 1e-6);
	/* with m v' = m v (m - e M)/(m + M), M what the door weighs where it is hit, the ball has 0.45 m/s left and drops */
	CHECK(fabs(key_of(&s, "ball").velocity.y) < 0.5 && fabs(key_of(&s, "ball").position.y) < 0.5);
	close_scene(&s);
}

TEST(motors_drive_a_car)
{
	stage s = open_scene("wheel");
	while (s.ok && cairn_world_frame(s.world) < 64 && step(&s)) {
		cairn_key wheel = key_of(&s, "rear left");
		CHECK(wheel.spin.y < 10.5); /* one that reaches its speed may slip for a frame */
	}
	/* it rolls: as fast as its wheels turn, 10 rad/s x 0.4 m */
	CHECK_NEAR(key_of(&s, "car").velocity.x, 4, 0.1);
	CHECK_NEAR(key_of(&s, "front left").spin.y, 10, 0.3);
	CHECK_NEAR(key_of(&s, "car").position.y, 0, 0.02);
	v3 crate = key_of(&s, "crate").position;
	while (s.ok && cairn_world_frame(s.world) < 210 && step(&s))
		;
	CHECK(key_of(&s, "crate").position.x > crate.x + 1); /* pushed along */
	CHECK(s.joint_error < 1e-4);
	close_scene(&s);
}

TEST(sliders_stop_at_their_limits)
{
	stage s = open_scene("slider");
	while (s.ok && cairn_world_frame(s.world) < 240 && step(&s)) {
		v3 lift = key_of(&s, "lift").position, block = key_of(&s, "block").position;
		CHECK(lift.z > 0.2 - 1e-3 && lift.z < 3.3 + 1e-3);
		CHECK(hypot(lift.x, lift.y) < 1e-6);
		double way = 0.6 * (block.x - 2.3) - 0.8 * (block.z - 3.9);
		CHECK(way > -0.2 - 1e-3 && way < 3.5 + 1e-3);
		if (cairn_world_frame(s.world) == 60)
			CHECK_NEAR(lift.z, 0.3 + 1.6, 0.05); /* 0.8 m/s for two seconds */
	}
	CHECK_NEAR(key_of(&s, "lift").position.z, 3.3, 1e-3);
	CHECK_NEAR(v3_distance(key_of(&s, "block").position, v3_make(4.4, 0, 1.1)), 0, 1e-3);
	CHECK_NEAR(key_of(&s, "crate 2").position.z, 3.3 + 0.1 + 0.75, 0.01); /* all of them went up with it */
	CHECK(s.joint_error < 1e-6);
	close_scene(&s);
}

/* Ball 0 is drawn aside to the left: half a period later the last one is as far out to the right, and all others hang
 * down; and so on. A physical pendulum of arm l and radius r has l^2 + 2 r^2/5 for the square of its length times l. */
static void count_swings(const char *scene, int balls, int drawn, int swings)
{
	const double arm = 4, radius = 0.5, angle = 0.8, step_x = 1.001;
	double length = (arm * arm + 0.4 * radius * radius) / arm, small = 2 * 3.14159265358979323846 * sqrt(length / 10);
	double period = small * (1 + angle * angle / 16 + 11 * pow(angle, 4) / 3072);
	stage s = open_scene(scene);
	for (int swing = 1; s.ok && swing <= swings; ++swing) {
		while (cairn_world_time(s.world) < 0.5 * period * swing - 1 / 60.0 && step(&s))
			;
		for (int i = 0; i < balls; ++i) {
			char name[24];
			snprintf(name, sizeof name, "ball %d", i);
			v3 at = key_of(&s, name).position;
			double out = atan2(at.x - (i - (balls - 1) / 2.0) * step_x, 6 - at.z) / angle;
			bool away = swing % 2 ? i >= balls - drawn : i < drawn;
			out *= swing % 2 ? 1 : -1;
			CHECK(away ? out > 0.9 : fabs(out) < 0.1);
			if (!(away ? out > 0.9 : fabs(out) < 0.1))
				printf("%s: swing %d, ball %d is at %g of the angle\n", scene, swing, i, out);
		}
	}
	CHECK(s.joint_error < 1e-6);
	close_scene(&s);
}

TEST(an_office_toy_counts)
{
	count_swings("office-toy-5", 5, 1, 4);
	count_swings("office-toy", 10, 3, 4);
}

/* Keeping a rig apart from others wins no height that contacts have not taken from it. */
TEST(a_chain_that_runs_off_wins_nothing)
{
	stage s = open_scene("validation/runoff");
	double last = INFINITY;
	while (s.ok && cairn_world_frame(s.world) < 30 && step(&s)) {
		double total = s.report.energy.kinetic + s.report.energy.potential;
		CHECK(total < last + 1e-5); /* J, of 1.3 a unit */
		last = total;
	}
	close_scene(&s);
}

/* Cubes that an arm has gripped, carried and let go lie in the bins of their colours. */
TEST(an_arm_sorts_cubes)
{
	stage s = open_scene("arm");
	static const char *const cubes[] = {"red cube 0", "blue cube 1", "blue cube 2", "red cube 3"};
	while (s.ok && cairn_world_frame(s.world) < 777 && step(&s))
		;
	for (int i = 0; i < 4 && s.ok; ++i) {
		v3 at = key_of(&s, cubes[i]).position;
		CHECK(fabs(at.y) < 0.2 && at.z < 0.06);
		CHECK((cubes[i][0] == 'r' ? at.x : -at.x) > 0.75 && fabs(at.x) < 1.15);
	}
	CHECK(s.joint_error < 1e-9);
	close_scene(&s);
}

/* Strings that are springs carry the puppet's weight and lift its hands. */
TEST(a_marionette_hangs_on_its_strings)
{
	stage s = open_scene("marionette");
	double low = 10, high = 0;
	while (s.ok && cairn_world_frame(s.world) < 240 && step(&s)) {
		low = fmin(low, key_of(&s, "head").position.z);
		high = fmax(high, key_of(&s, "l forearm").position.z);
	}
	CHECK(low > 1.4 && high > 1.25);
	CHECK(s.joint_error < 1e-9);
	close_scene(&s);
}

TEST(a_figure_falls_down_the_stairs)
{
	stage s = open_scene("humanoid");
	while (s.ok && cairn_world_frame(s.world) < 45 && step(&s))
		;
	CHECK(key_of(&s, "head").position.z > 3.2);
	while (s.ok && cairn_world_frame(s.world) < 200 && step(&s))
		;
	CHECK(key_of(&s, "head").position.z < 1 && key_of(&s, "head").position.x > 1);
	CHECK(s.joint_error < 1e-9);
	close_scene(&s);
}

TEST_MAIN(TEST_CASE(an_arm_sorts_cubes), TEST_CASE(a_marionette_hangs_on_its_strings),
          TEST_CASE(a_figure_falls_down_the_stairs), TEST_CASE(a_chain_that_runs_off_wins_nothing),
          TEST_CASE(a_door_opens_up_to_its_stop), TEST_CASE(motors_drive_a_car),
          TEST_CASE(sliders_stop_at_their_limits), TEST_CASE(an_office_toy_counts))
