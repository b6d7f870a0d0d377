/* A run without end: bodies come and go, are pushed, dragged and given new materials, everything is recorded, snapshots are
 * taken and brought back. Memory must not grow with the frames.
 *
 *   soak [--frames N] [--bodies N] [--seconds N]
 *
 * The same happens again every PERIOD frames: all bodies go, and as many come in the same way. A heap that is harder to solve
 * than all before it takes more room once in a while, so the most memory at once in the last third of the frames may be a
 * quarter above that of the third before; blocks may be MORE_BLOCKS more. A line at the end; exit status 1 if it grew, or
 * if a step failed. */
#define _POSIX_C_SOURCE 200809L
#include "../unit/ledger.h"
#include "cairn/cairn.h"

#include <stdio.h>
#include <time.h>

#define RECORDING "soak.cairn"
enum { PERIOD = 1000, THIRDS = 3, MORE_BLOCKS = 16 };

typedef struct soak {
	ledger memory;
	size_t peak; /* bytes, since it was last looked at */
	size_t blocks;
	cairn_scene *scene;
	cairn_world *world;
	cairn_recording *recording;
	cairn_shape shapes[3];
	cairn_material material;
	cairn_body *bodies; /* a ring: the oldest is removed for the newest */
	uint32_t body_count, next;
	uint64_t random;
} soak;

static void *count_peak(void *context, void *block, size_t old_size, size_t new_size)
{
	soak *s = context;
	void *got = ledger_resize(&s->memory, block, old_size, new_size);
	if (new_size == 0)
		s->blocks -= block != NULL;
	else
		s->blocks += !block && got;
	s->peak = s->memory.bytes > s->peak ? s->memory.bytes : s->peak;
	return got;
}

static double draw(soak *s)
{
	s->random = s->random * 6364136223846793005u + 1442695040888963407u;
	return (double)(s->random >> 40) / (1 << 24);
}

static bool begin(soak *s)
{
	cairn_error e = {0};
	cairn_allocator a = {s, count_peak};
	cairn_scene_def sd = cairn_default_scene_def();
	cairn_world_def wd = cairn_default_world_def();
	cairn_recording_def rd = cairn_default_recording_def();
	sd.allocator = wd.allocator = rd.allocator = a;
	wd.threads = 2, rd.replace = true;
	s->scene = cairn_scene_create(&sd);
	if (!s->scene)
		return false;
	cairn_shape_def floor = cairn_default_shape_def(CAIRN_HALFSPACE);
	floor.normal.z = 1;
	for (int i = 0; i < 3; ++i) {
		cairn_shape_def d = cairn_default_shape_def(i == 0 ? CAIRN_BOX : i == 1 ? CAIRN_SPHERE : CAIRN_CAPSULE);
		d.size = (cairn_vec3){0.5, 0.4, 0.3}, d.radius = 0.2, d.length = 0.3;
		s->shapes[i] = cairn_scene_add_shape(s->scene, &d, &e);
	}
	cairn_material_def m = cairn_default_material_def();
	s->material = cairn_scene_add_material(s->scene, &m, &e);
	cairn_body_def ground = cairn_default_body_def();
	ground.type = CAIRN_FIXED, ground.shape = cairn_scene_add_shape(s->scene, &floor, &e);
	cairn_scene_add_body(s->scene, &ground, &e);
	s->world = cairn_world_create(s->scene, &wd, &e);
	s->recording = s->world ? cairn_recording_create(RECORDING, s->world, &rd, &e) : NULL;
	if (!s->recording)
		printf("soak: %s\n", e.message);
	return s->recording;
}

/* One body comes, and the oldest goes. */
static void change_bodies(soak *s, uint32_t frame)
{
	for (uint32_t i = 0; frame % PERIOD == 0 && i < s->body_count; ++i)
		if (cairn_world_has_body(s->world, s->bodies[i]))
			cairn_world_remove_body(s->world, s->bodies[i], NULL);
	if (frame % PERIOD == 0)
		s->random = 1, s->next = 0;
	cairn_body_def d = cairn_default_body_def();
	char name[32];
	snprintf(name, sizeof name, "guest %u", frame);
	d.name = name, d.shape = s->shapes[frame % 3], d.material = s->material;
	d.pose.position = (cairn_vec3){6 * draw(s) - 3, 6 * draw(s) - 3, 4 + 3 * draw(s)};
	d.spin = (cairn_vec3){9 * draw(s), 9 * draw(s), 9 * draw(s)};
	cairn_body *place = &s->bodies[s->next];
	if (cairn_world_has_body(s->world, *place))
		cairn_world_remove_body(s->world, *place, NULL);
	*place = cairn_world_add_body(s->world, &d, NULL);
	s->next = (s->next + 1) % s->body_count;
}

static void disturb(soak *s, uint32_t frame)
{
	cairn_event_def blast = cairn_default_event_def(CAIRN_BLAST);
	cairn_material_def m = cairn_default_material_def();
	cairn_drag_def drag = cairn_default_drag_def();
	cairn_body some = s->bodies[(uint32_t)(draw(s) * s->body_count)];
	blast.point = (cairn_vec3){0, 0, -1}, blast.speed = 3;
	m.restitution = draw(s);
	drag.body = some, drag.target.z = 2;
	if (frame % 50 == 7)
		cairn_world_apply_event(s->world, &blast, NULL);
	if (frame % 40 == 3)
		cairn_world_set_material(s->world, s->material, &m, NULL);
	if (frame % 30 == 5 && cairn_world_has_body(s->world, some))
		cairn_world_drag(s->world, &drag, NULL);
	if (frame % 30 == 20 && cairn_world_has_body(s->world, some))
		cairn_world_release(s->world, some, NULL);
}

static bool back_and_forth(soak *s)
{
	size_t size = cairn_world_snapshot_size(s->world);
	void *bytes = malloc(size ? size : 1);
	bool ok =
		bytes && cairn_world_snapshot(s->world, bytes, size, NULL) && cairn_world_restore(s->world, bytes, size, NULL);
	free(bytes);
	return ok;
}

/* A body that comes to be where another is makes the step refuse: it goes again. */
static bool go_on(soak *s)
{
	cairn_error e = {0};
	cairn_step_report r = cairn_world_step(s->world);
	for (int tries = 0; r.status == CAIRN_STEP_OVERLAP && tries < 4; ++tries) {
		cairn_body newest = s->bodies[(s->next + s->body_count - 1) % s->body_count];
		cairn_world_remove_body(s->world, cairn_world_has_body(s->world, newest) ? newest : r.pair_a, NULL);
		r = cairn_world_step(s->world);
	}
	char text[300];
	cairn_world_explain(s->world, &r, text, sizeof text);
	if (r.status != CAIRN_STEP_OK)
		printf("soak: %s\n", text);
	return r.status == CAIRN_STEP_OK && cairn_recording_append(s->recording, s->world, &r, &e);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint32_t frames = 9 * PERIOD, done = 0;
	double seconds = 1e9, start = now();
	soak s = {.random = 1, .body_count = 100};
	size_t peaks[THIRDS] = {0}, blocks[THIRDS] = {0};
	for (int i = 1; i + 1 < argc; i += 2) {
		double value = atof(argv[i + 1]);
		if (strcmp(argv[i], "--frames") == 0)
			frames = (uint32_t)value;
		else if (strcmp(argv[i], "--bodies") == 0)
			s.body_count = (uint32_t)value;
		else if (strcmp(argv[i], "--seconds") == 0)
			seconds = value;
	}
	s.bodies = calloc(s.body_count, sizeof *s.bodies);
	bool ok = s.bodies && begin(&s);
	for (; ok && done < frames && now() - start < seconds; ++done) {
		change_bodies(&s, done);
		disturb(&s, done);
		ok = go_on(&s) && (done % 100 != 99 || back_and_forth(&s));
		uint32_t third = (uint32_t)((uint64_t)done * THIRDS / frames);
		peaks[third] = s.peak > peaks[third] ? s.peak : peaks[third];
		blocks[third] = s.blocks > blocks[third] ? s.blocks : blocks[third];
		s.peak = s.memory.bytes;
	}
	bool whole = ok && done == frames,
		 flat = !whole || (4 * peaks[2] <= 5 * peaks[1] && blocks[2] <= blocks[1] + MORE_BLOCKS);
	if (s.recording)
		ok = cairn_recording_finish(s.recording, NULL) && ok;
	cairn_world_destroy(s.world);
	cairn_scene_destroy(s.scene);
	free(s.bodies);
	(void)remove(RECORDING);
	printf("soak: %u of %u frames, most memory in the thirds %zu %zu %zu bytes in %zu %zu %zu blocks, %zu left at the "
	       "end%s\n",
	       done, frames, peaks[0], peaks[1], peaks[2], blocks[0], blocks[1], blocks[2], s.memory.bytes,
	       flat ? "" : ": it grows");
	return !(ok && flat && s.memory.bytes == 0);
}
