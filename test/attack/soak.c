/* A run without end: bodies come and go, are pushed, dragged and given new materials, everything is recorded, snapshots are
 * taken and brought back. Memory must not grow with the frames.
 *
 *   soak [--frames N] [--bodies N] [--seconds N] [--threads N] [--leak N]
 *
 * The same happens again every PERIOD frames, to the bit: all bodies go, and as many come in the same way. So what the scene,
 * the world and the recording hold, each by itself, has to be the same to the byte and to the block at the end of every period,
 * and so has the most that each held within it. WARM periods come first: arrays grow to the size that the period needs. A line
 * at the end; exit status 1 if a period differs, in motion or in memory, or if a step failed. --leak N forgets a block of one
 * byte of the world every N frames, which has to be found. */
#define _POSIX_C_SOURCE 200809L
#include "../unit/ledger.h"
#include "cairn/cairn.h"

#include <stdio.h>
#include <time.h>

#define RECORDING "soak.cairn"
enum { PERIOD = 1000, WARM = 2, OWNERS = 3 };

/* What one owner holds. */
typedef struct holding {
	ledger memory;
	size_t blocks, peak; /* peak: bytes, since the period began */
} holding;

typedef struct soak {
	holding now[OWNERS], before[OWNERS]; /* scene, world, recording; and at the end of the period before */
	uint64_t motion, motion_before;      /* of all keys of the period */
	cairn_scene *scene;
	cairn_world *world;
	cairn_recording *recording;
	cairn_shape shapes[3];
	cairn_material material;
	cairn_body *bodies; /* a ring: the oldest is removed for the newest */
	uint32_t body_count, next;
	uint64_t random;
	uint32_t threads;
} soak;

static void *count(void *context, void *block, size_t old_size, size_t new_size)
{
	holding *h = context;
	void *got = ledger_resize(&h->memory, block, old_size, new_size);
	if (new_size == 0)
		h->blocks -= block != NULL;
	else
		h->blocks += !block && got;
	h->peak = h->memory.bytes > h->peak ? h->memory.bytes : h->peak;
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
	cairn_scene_def sd = cairn_default_scene_def();
	cairn_world_def wd = cairn_default_world_def();
	cairn_recording_def rd = cairn_default_recording_def();
	sd.allocator = (cairn_allocator){&s->now[0], count};
	wd.allocator = (cairn_allocator){&s->now[1], count};
	rd.allocator = (cairn_allocator){&s->now[2], count};
	wd.threads = s->threads, rd.replace = true;
	s->scene = cairn_scene_create(&sd);
	cairn_settings settings = cairn_default_settings();
	settings.fps =
		64; /* so that times of all frames are exact, and keys that lie on straight paths in one period do in all */
	if (!s->scene || !cairn_scene_set_settings(s->scene, &settings, NULL))
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

/* All bodies go, the one in the highest slot first, so that those to come get the same slots as those before them. Slots that
 * are vacant are filled before that, far up. */
static void begin_again(soak *s)
{
	cairn_body_def d = cairn_default_body_def();
	cairn_material_def m = cairn_default_material_def();
	d.shape = s->shapes[0], d.material = s->material;
	for (uint32_t i = 0; i < s->body_count; ++i) {
		d.pose.position.z = 100 + i;
		if (!cairn_world_has_body(s->world, s->bodies[i]))
			s->bodies[i] = cairn_world_add_body(s->world, &d, NULL);
	}
	for (uint32_t slot = s->body_count; slot > 0; --slot)
		for (uint32_t i = 0; i < s->body_count; ++i)
			if (s->bodies[i].index == slot)
				cairn_world_remove_body(s->world, s->bodies[i], NULL);
	cairn_world_set_material(s->world, s->material, &m, NULL);
	s->random = 1, s->next = 0;
}

/* One body comes, and the oldest goes. */
static void change_bodies(soak *s, uint32_t frame)
{
	cairn_body_def d = cairn_default_body_def();
	char name[32];
	snprintf(name, sizeof name, "guest %010u", frame);
	d.name = name, d.shape = s->shapes[frame % PERIOD % 3], d.material = s->material;
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
	uint32_t phase = frame % PERIOD;
	cairn_event_def blast = cairn_default_event_def(CAIRN_BLAST);
	cairn_material_def m = cairn_default_material_def();
	cairn_drag_def drag = cairn_default_drag_def();
	cairn_body some = s->bodies[(uint32_t)(draw(s) * s->body_count)];
	blast.point = (cairn_vec3){0, 0, -1}, blast.speed = 3;
	m.restitution = draw(s);
	drag.body = some, drag.target.z = 2;
	if (phase % 50 == 7)
		cairn_world_apply_event(s->world, &blast, NULL);
	if (phase % 40 == 3)
		cairn_world_set_material(s->world, s->material, &m, NULL);
	if (phase % 30 == 5 && cairn_world_has_body(s->world, some))
		cairn_world_drag(s->world, &drag, NULL);
	if (phase % 30 == 20 && cairn_world_has_body(s->world, some))
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

/* The motion of the period so far, as one number. */
static void note_motion(soak *s)
{
	for (uint32_t i = 0; i < s->body_count; ++i) {
		cairn_key k = {0};
		if (cairn_world_has_body(s->world, s->bodies[i]))
			k = cairn_world_body_key(s->world, s->bodies[i]);
		uint64_t bits[3];
		memcpy(bits, &k.position, sizeof bits);
		for (int c = 0; c < 3; ++c)
			s->motion = (s->motion ^ bits[c]) * 0x9e3779b97f4a7c15u, s->motion ^= s->motion >> 29;
	}
}

/* At the end of a period. False: it was another one than the period before. */
static bool was_the_same(soak *s)
{
	static const char *const names[OWNERS] = {"scene", "world", "recording"};
	bool same = s->motion == s->motion_before;
	if (!same)
		printf("soak: the motion of this period differs from that before\n");
	for (int i = 0; i < OWNERS; ++i) {
		const holding *h = &s->now[i], *b = &s->before[i];
		bool held = h->memory.bytes == b->memory.bytes && h->blocks == b->blocks && h->peak == b->peak;
		if (!held)
			printf("soak: the %s holds %zu bytes in %zu blocks, at most %zu; in the period before %zu in %zu, at most "
			       "%zu\n",
			       names[i], h->memory.bytes, h->blocks, h->peak, b->memory.bytes, b->blocks, b->peak);
		same &= held;
	}
	return same;
}

static void begin_period(soak *s)
{
	memcpy(s->before, s->now, sizeof s->before);
	for (int i = 0; i < OWNERS; ++i)
		s->now[i].peak = s->now[i].memory.bytes;
	s->motion_before = s->motion, s->motion = 0;
	begin_again(s);
}

static bool one_frame(soak *s, uint32_t frame, uint32_t leak)
{
	change_bodies(s, frame);
	disturb(s, frame);
	bool ok = go_on(s) && (frame % 100 != 99 || back_and_forth(s));
	note_motion(s);
	if (leak && frame % leak == 0)
		(void)!count(&s->now[1], NULL, 0, 1);
	return ok;
}

int main(int argc, char **argv)
{
	uint32_t frames = 9 * PERIOD, done = 0, leak = 0, judged = 0, differ = 0;
	double seconds = 1e9, start = now();
	soak s = {.random = 1, .body_count = 100, .threads = 2};
	for (int i = 1; i + 1 < argc; i += 2) {
		double value = atof(argv[i + 1]);
		if (strcmp(argv[i], "--frames") == 0)
			frames = (uint32_t)value;
		else if (strcmp(argv[i], "--bodies") == 0)
			s.body_count = (uint32_t)value;
		else if (strcmp(argv[i], "--seconds") == 0)
			seconds = value;
		else if (strcmp(argv[i], "--threads") == 0)
			s.threads = (uint32_t)value;
		else if (strcmp(argv[i], "--leak") == 0)
			leak = (uint32_t)value;
	}
	s.bodies = calloc(s.body_count, sizeof *s.bodies);
	bool ok = s.bodies && begin(&s);
	for (; ok && done < frames && now() - start < seconds; ++done) {
		if (done % PERIOD == 0)
			begin_period(&s);
		ok = one_frame(&s, done, leak);
		if (done % PERIOD == PERIOD - 1 && done > WARM * PERIOD)
			++judged, differ += !was_the_same(&s);
	}
	if (s.recording)
		ok = cairn_recording_finish(s.recording, NULL) && ok;
	holding h = s.now[1];
	cairn_world_destroy(s.world);
	cairn_scene_destroy(s.scene);
	free(s.bodies);
	(void)remove(RECORDING);
	size_t left = 0;
	for (int i = 0; i < OWNERS; ++i)
		left += s.now[i].memory.bytes;
	printf("soak: %u of %u frames, the world holds %zu bytes in %zu blocks; %u periods judged, %u differ; %zu bytes "
	       "left at the "
	       "end\n",
	       done, frames, h.memory.bytes, h.blocks, judged, differ, left);
	return !(ok && judged && differ == 0 && left == 0);
}
