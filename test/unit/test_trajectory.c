/* Trajectories: what is clean is clean, what overlaps or passes is found where it does, and what is no trajectory is
 * refused with its line. */
#include "cairn/cairn.h"

#include "ledger.h"
#include "test.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char HEAD[] = "trajectory 1\nshape halfspace 0 0 1 0\nshape box 1 1 1\nshape box 0.01 4 4\n"
						   "body fixed 0 name floor\nbody dynamic 1 name a cube\nbody dynamic 1\n";

static cairn_trajectory *read_two(const char *head, const char *rest, cairn_error *error)
{
	char text[4000];
	*error = (cairn_error){0};
	int size = snprintf(text, sizeof text, "%s%s", head, rest);
	CHECK(size > 0 && (size_t)size < sizeof text);
	return cairn_trajectory_read_text(text, (size_t)size, "x.traj", NULL, error);
}

static cairn_certify_result certify(const char *head, const char *rest)
{
	cairn_error error;
	cairn_certify_result result = {0};
	cairn_trajectory *t = read_two(head, rest, &error);
	if (!t)
		printf("line %d: %s\n", error.line, error.message);
	CHECK(t && cairn_trajectory_certify(t, NULL, &result, &error));
	cairn_trajectory_free(t);
	return result;
}

TEST(clean_overlapping_passing)
{
	cairn_certify_result r =
		certify(HEAD, "frame 0 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 2 1 0 0 0\n"
	                  "frame 1 0.1\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 1.5 1 0 0 0\nend\n");
	CHECK_INT(r.certificate.verdict, CAIRN_CLEAN);
	CHECK_INT(r.frames, 2);
	CHECK_INT(r.bodies, 3);
	CHECK_NEAR(r.certificate.min_gap, 0, 1e-13); /* touching */
	r = certify(HEAD, "frame 3 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 2 1 0 0 0\n"
	                  "frame 4 0.1\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 1.25 1 0 0 0\nend\n");
	CHECK_INT(r.certificate.verdict, CAIRN_OVERLAP);
	CHECK(r.first_frame == 4 && r.first_pair[0] == 1 && r.first_pair[1] == 2);
	CHECK_NEAR(r.first_depth, 0.25, 1e-9);
	/* from one side to the other between two frames, at both of which it is clear */
	r = certify(HEAD, "frame 0 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 0 0.5 1 0 0 0\nkey 2 -3 0 0.5 1 0 0 0\n"
	                  "frame 1 0.1\nkey 1 0 0 0.5 1 0 0 0\nkey 2 3 0 0.5 1 0 0 0\nend\n");
	CHECK_INT(r.certificate.verdict, CAIRN_PASSAGE);
	CHECK(r.first_frame == 1 && r.first_pair[0] == 1 && r.first_pair[1] == 2);
	/* the same over the top of it */
	r = certify(HEAD, "frame 0 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 0 0.5 1 0 0 0\nkey 2 -3 0 0.5 1 0 0 0\n"
	                  "frame 1 0.1\nkey 1 0 0 0.5 1 0 0 0\nwithin 2 0.02 -3 0 3 1 0 0 0\nwithin 2 0.08 3 0 3 1 0 0 0\n"
	                  "key 2 3 0 0.5 1 0 0 0\nend\n");
	CHECK_INT(r.certificate.verdict, CAIRN_CLEAN);
	/* filters and exempt pairs are not looked at */
	r = certify(HEAD,
	            "exempt 2 1\nframe 0 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 0.75 1 0 0 0\nend\n");
	CHECK_INT(r.certificate.verdict, CAIRN_CLEAN);
	CHECK_INT(r.exempt, 1);
}

/* Half a turn from one frame to the next is cut into pieces that can be proved, and a blade that swings through something
 * on its way is found. */
TEST(long_turns)
{
	static const char head[] = "trajectory 1\nshape box 4 0.2 0.2\nshape sphere 0.3\nbody scripted 0\nbody dynamic 1\n";
	cairn_certify_result r = certify(head, "frame 0 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 3 0 1 0 0 0\n"
	                                       "frame 1 0.1\nkey 0 0 0 0 0 0 0 1\nkey 1 0 3 0 1 0 0 0\nend\n");
	CHECK_INT(r.certificate.verdict, CAIRN_CLEAN);
	r = certify(head, "frame 0 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 1.5 0 1 0 0 0\n"
	                  "frame 1 0.1\nkey 0 0 0 0 0 0 0 1\nkey 1 0 1.5 0 1 0 0 0\nend\n");
	CHECK_INT(r.certificate.verdict, CAIRN_PASSAGE);
}

TEST(what_is_wrong_is_said_with_its_line)
{
	static const struct {
		const char *text;
		int line;
		const char *says;
	} cases[] = {
		{"", 0, "trajectory 1"},
		{"hello\n", 1, "trajectory 1"},
		{"trajectory 2\n", 1, "version 2"},
		{"trajectory 1\nend\n", 2, "no frame"},
		{"trajectory 1\nshape box 1 1\n", 2, "the end of the line"},
		{"trajectory 1\nshape box 1 nan 1\n", 2, "'nan'"},
		{"trajectory 1\nshape box 1 1e999 1\n", 2, "1e999"},
		{"trajectory 1\nshape box 1 -1 1\n", 2, "positive"},
		{"trajectory 1\nshape cone 1\n", 2, "'cone'"},
		{"trajectory 1\nshape hull 4294967294\n0 0 0\n", 2, "announced"},
		{"trajectory 1\nshape mesh solid 3 999999999\n0 0 0\n", 2, "announced"},
		{"trajectory 1\nshape mesh shell 3 1\n0 0 0\n1 0 0\n0 1 0\n0 1 3\n", 6, "below 3"},
		{"trajectory 1\nshape compound 1\n0 0 0 0 1 0 0 0\n", 3, "below 0"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 1\n", 3, "below 1"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 99999999999\n", 3, "whole number"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nkey 0 0 0 0 1 0 0 0\n", 4, "before the first frame"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nframe 0 0\nkey 0 0 0 0 1 1 0 0\n", 5, "unit quaternion"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nframe 0 0\nkey 1 0 0 0 1 0 0 0\n", 5, "below 1"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nframe 0 0\nkey 0 0 0 0 1 0 0 0 1\n", 5, "the end of the line"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nframe 0 0\nframe 2 1\n", 5, "left out"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nframe 0 0\nframe 1 0\n", 5, "time"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nframe 0 0\nkey 0 0 0 0 1 0 0 0\nkey 0 0 0 0 1 0 0 0\n", 6,
	     "already"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nframe 0 0\nkey 0 0 0 0 1 0 0 0\n", 5, "cut off"},
		{"trajectory 1\nshape sphere 1\nbody fixed 0\nframe 0 0\nkey 0 0 0 0 1 0 0 0\nframe 1 1\nkey 0 1 0 0 1 0 0 0\n",
	     7, "is fixed"},
		{"trajectory 1\nshape sphere 1\nbody dynamic 0\nframe 0 0\nend\nframe 1 1\n", 6, "after the end"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		cairn_error error = {0};
		cairn_trajectory *t = cairn_trajectory_read_text(cases[i].text, strlen(cases[i].text), "x.traj", NULL, &error);
		if (t || error.line != cases[i].line || !strstr(error.message, cases[i].says))
			printf("case %zu, line %d: %s\n", i, error.line, error.message);
		CHECK(!t && error.code == CAIRN_FILE && error.line == cases[i].line && strstr(error.message, cases[i].says));
		CHECK(strcmp(error.file, "x.traj") == 0);
		cairn_trajectory_free(t);
	}
}

/* Cut anywhere, it is refused; with a byte changed anywhere, it is read or refused. */
TEST(cut_and_damaged)
{
	static const char rest[] = "frame 0 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 2 1 0 0 0\n"
							   "frame 1 0.1\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 1.5 1 0 0 0\nend";
	char text[1000];
	size_t size = (size_t)snprintf(text, sizeof text, "%s%s", HEAD, rest);
	for (size_t cut = 0; cut < size; ++cut)
		CHECK(!cairn_trajectory_read_text(text, cut, "x.traj", NULL, NULL));
	for (size_t i = 0; i < size; ++i)
		for (int bit = 0; bit < 8; ++bit) {
			cairn_error error = {0};
			text[i] = (char)(text[i] ^ (1 << bit));
			cairn_trajectory *t = cairn_trajectory_read_text(text, size, "x.traj", NULL, &error);
			CHECK(t || (error.code == CAIRN_FILE && error.message[0]));
			cairn_trajectory_free(t);
			text[i] = (char)(text[i] ^ (1 << bit));
		}
}

/* A recording that goes through the plain format has the same certificate: bodies that come and go, keys within frames,
 * scripts, joints. */
TEST(a_recording_as_text)
{
	static const char *const scenes[] = {"fountain", "lift", "hanging-chain", "terrain"};
	for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
		char path[300];
		cairn_error error = {0};
		snprintf(path, sizeof path, "%s/scenes/%s.json", TEST_SOURCE_DIR, scenes[i]);
		cairn_scene *scene = cairn_scene_read(path, &error);
		cairn_world *world = scene ? cairn_world_create(scene, NULL, &error) : NULL;
		cairn_recording_def def = cairn_default_recording_def();
		def.replace = true;
		cairn_recording *rec = world ? cairn_recording_create("text.cairn", world, &def, &error) : NULL;
		REQUIRE(rec);
		for (int f = 0; f < 25; ++f) {
			cairn_step_report report = cairn_world_step(world);
			REQUIRE(report.status == CAIRN_STEP_OK && cairn_recording_append(rec, world, &report, &error));
		}
		REQUIRE(cairn_recording_finish(rec, &error));
		rec = cairn_recording_open("text.cairn", NULL, &error);
		REQUIRE(rec && cairn_export(rec, "text.traj", NULL, &error));
		cairn_trajectory *t = cairn_trajectory_read("text.traj", NULL, NULL, &error);
		REQUIRE(t);
		for (uint32_t from = 0; from < 20; from += 9) {
			cairn_certify_def c = cairn_default_certify_def();
			cairn_certify_result a, b;
			c.from = from;
			REQUIRE(cairn_recording_certify(rec, &c, &a, &error) && cairn_trajectory_certify(t, &c, &b, &error));
			CHECK_INT(a.certificate.verdict, CAIRN_CLEAN);
			CHECK(memcmp(&a, &b, offsetof(cairn_certify_result, measured)) == 0 && a.measured == b.measured);
		}
		cairn_trajectory_free(t);
		cairn_recording_close(rec);
		cairn_world_destroy(world);
		cairn_scene_destroy(scene);
	}
}

/* Memory that runs out at any moment: the right code, and nothing is lost. */
TEST(memory_runs_out)
{
	static const char rest[] =
		"shape hull 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nbody dynamic 3 name x\nexempt 1 2\nframe 0 0\n"
		"key 0 0 0 0 1 0 0 0\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 2 1 0 0 0\n"
		"frame 1 0.1\nkey 1 0 0 0.5 1 0 0 0\nkey 2 0 0 1.5 0 0 0 1\nend\n";
	char text[1000];
	size_t size = (size_t)snprintf(text, sizeof text, "%s%s", HEAD, rest);
	ledger l = {0};
	size_t granted = 0;
	for (bool whole = false; !whole; ++granted) {
		cairn_error error = {0};
		cairn_certify_result result;
		cairn_certify_def def = cairn_default_certify_def();
		cairn_allocator a = def.allocator = (cairn_allocator){&l, ledger_resize};
		ledger_allow(&l, granted);
		def.threads = 1;
		cairn_trajectory *t = cairn_trajectory_read_text(text, size, "x.traj", &a, &error);
		whole = t && cairn_trajectory_certify(t, &def, &result, &error);
		CHECK(whole ? l.calls <= granted : error.code == CAIRN_MEMORY);
		cairn_trajectory_free(t);
		CHECK_INT(l.bytes, 0);
	}
	CHECK(granted > 20);
}

TEST_MAIN(TEST_CASE(clean_overlapping_passing), TEST_CASE(long_turns), TEST_CASE(what_is_wrong_is_said_with_its_line),
          TEST_CASE(cut_and_damaged), TEST_CASE(a_recording_as_text), TEST_CASE(memory_runs_out))
