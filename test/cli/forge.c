/* Makes recordings that the tool alone cannot make: forge SCENE OUT inputs|swap|joints|late
 *
 * inputs: ten frames with a push at frame 3, a body added at frame 5 and one taken away at frame 7, each an input.
 * swap:   ten frames, of which those from 6 on come from a world with other gravity, as no run of the scene would.
 * joints: ten frames of a scene with joints by a method that knows none, with errors of 1, 2, ... mm in the reports.
 * late:   ten frames that begin when bodies "gone 0" and "gone 1" have been taken away and a fixed one was put at 2, 0, 3,
 *         with the shape of the first. */
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cairn_error error;

/* The library's own: a world without asking whether its method can do it. */
cairn_world *cn_world_make(const cairn_scene *scene, const cairn_world_def *def, cairn_error *error);

static void check(bool ok)
{
	char text[1024];
	if (ok)
		return;
	cairn_error_print(&error, text, sizeof text);
	fprintf(stderr, "forge: %s\n", text);
	exit(1);
}

static void give_inputs(cairn_world *world)
{
	cairn_body first = cairn_world_find_body(world, "brick 0"), second = cairn_world_find_body(world, "brick 1");
	if (cairn_world_frame(world) == 3) {
		cairn_event_def push = cairn_default_event_def(CAIRN_IMPULSE);
		push.body = first;
		push.impulse = (cairn_vec3){0, 0, 900};
		check(cairn_world_apply_event(world, &push, &error));
	}
	if (cairn_world_frame(world) == 5) {
		cairn_body_def def = cairn_default_body_def();
		def.name = "late";
		def.shape = cairn_world_body_info(world, first).shape;
		def.pose.position = (cairn_vec3){0, 0, 40};
		check(cairn_world_add_body(world, &def, &error).generation != 0);
	}
	if (cairn_world_frame(world) == 7)
		check(cairn_world_remove_body(world, second, &error));
}

static void begin_late(cairn_world *world)
{
	cairn_body_def def = cairn_default_body_def();
	def.name = "late";
	def.type = CAIRN_FIXED;
	def.shape = cairn_world_body_info(world, cairn_world_find_body(world, "gone 0")).shape;
	def.pose.position = (cairn_vec3){2, 0, 3};
	check(cairn_world_remove_body(world, cairn_world_find_body(world, "gone 0"), &error));
	check(cairn_world_remove_body(world, cairn_world_find_body(world, "gone 1"), &error));
	check(cairn_world_add_body(world, &def, &error).generation != 0);
	check(cairn_world_step(world).status == CAIRN_STEP_OK);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	bool swap = strcmp(argv[3], "swap") == 0, joints = strcmp(argv[3], "joints") == 0;
	bool late = strcmp(argv[3], "late") == 0;
	cairn_scene *scene = cairn_scene_read(argv[1], &error);
	check(scene != NULL);
	cairn_world *world = joints ? cn_world_make(scene, NULL, &error) : cairn_world_create(scene, NULL, &error);
	check(world != NULL);
	check(cairn_scene_set_option(scene, "gravity", "0,0,-1", &error));
	cairn_world *other = joints ? cn_world_make(scene, NULL, &error) : cairn_world_create(scene, NULL, &error);
	check(other != NULL);
	if (late)
		begin_late(world);
	cairn_recording *recording = cairn_recording_create(argv[2], world, NULL, &error);
	check(recording != NULL);
	for (int i = 0; i < 10; ++i) {
		if (!swap && !joints && !late)
			give_inputs(world);
		cairn_step_report report = cairn_world_step(world), false_report = cairn_world_step(other);
		if (joints)
			report.joint_error = 1e-3 * (i + 1);
		if (swap && report.frame >= 6)
			check(cairn_recording_append(recording, other, &false_report, &error));
		else
			check(cairn_recording_append(recording, world, &report, &error));
	}
	check(cairn_recording_finish(recording, &error));
	cairn_world_destroy(world);
	cairn_world_destroy(other);
	cairn_scene_destroy(scene);
	return 0;
}
