/* See cost.h.
 *
 * The counts of a scene tell what each body takes at least; how much a crowd takes on top of it is known only from trying:
 * the frames are run, all of them if there is time. If there is not, what they took is carried on to the last, with the
 * bodies that emitters will have added; and since bodies may yet become a crowd, what a crowd of so many takes is told
 * instead if that is more, up to twice as much. */
#include "cost.h"
#include "limit.h"
#include "message.h"
#include "screen.h"
#include "summary.h"
#include "table.h"

enum {
	KEY_BYTES = 133,           /* of a moving body and frame in a recording: docs/recording-format.md */
	MORE_KEY_BYTES = 136,      /* of a further key inside a frame */
	FRAME_BYTES = 700,         /* of a frame besides: report, times, checksums */
	CHECKPOINT_EVERY = 60,     /* frames: what recordings do unless told otherwise */
	BODY_BYTES_FREE = 1200,    /* of memory, measured: scene, world and recording, without contact */
	BODY_BYTES_CONTACT = 4500, /* the same for methods with contact, far from each other */
	BODY_BYTES_CROWD = 33000,  /* the same of a body in a crowd, measured on 300 to 1000 spheres and cubes ... */
	CROWD_BYTES = 15000000,    /* ... besides the room that islands are solved in, */
	CROWD_BYTES_EACH = 150000  /* which a few bodies do not need all of */
};

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Bodies that emitters have made by a frame. */
static uint64_t count_emitted(const cairn_scene *scene, uint32_t frame)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < cairn_scene_emitter_count(scene); ++i) {
		cairn_emitter_def e = cairn_scene_emitter_at(scene, i);
		if (frame >= e.start)
			count += (uint64_t)(e.body_count / e.choices) *
			         lesser(e.batches, 1 + (frame - e.start) / (e.every ? e.every : 1));
	}
	return count;
}

/* Bodies and frames, one with the other: all bodies of all frames. */
static double count_body_frames(const cairn_scene *scene)
{
	uint32_t frames = cairn_scene_settings(scene).frames;
	double bodies = cairn_scene_body_count(scene), sum = 0;
	for (int i = 0; i <= 64; ++i) /* emitters go on evenly: some moments are enough */
		sum += (double)count_emitted(scene, (uint32_t)((double)frames * i / 64)) / 65;
	return (bodies + sum) * ((double)frames + 1);
}

cost cost_least(const cairn_scene *scene)
{
	cairn_settings s = cairn_scene_settings(scene);
	cost c = {.bodies = cairn_scene_body_count(scene) + count_emitted(scene, s.frames)};
	c.memory = c.bodies * (summary_has_contact(s.method) ? BODY_BYTES_CONTACT : BODY_BYTES_FREE);
	c.file = (uint64_t)(count_body_frames(scene) * KEY_BYTES) + (uint64_t)FRAME_BYTES * s.frames;
	return c;
}

/* Bytes of memory at the end of a run that was not tried to its end. */
static uint64_t foresee(const cost *c, uint64_t took, uint64_t now, bool contact)
{
	uint64_t more = c->bodies > now ? c->bodies - now : 0;
	uint64_t likely = took + more * (contact ? BODY_BYTES_CROWD : BODY_BYTES_FREE);
	uint64_t crowd = c->bodies * BODY_BYTES_CROWD + lesser(CROWD_BYTES, c->bodies * CROWD_BYTES_EACH);
	return contact && likely < crowd ? lesser(crowd, 2 * likely) : likely;
}

cost cost_try(cairn_world *world, double seconds, cairn_step_report *failed)
{
	const cairn_scene *scene = cairn_world_scene(world);
	cairn_settings s = cairn_scene_settings(scene);
	cost c = cost_least(scene);
	double begun = clock_seconds(), ms = 0, keys = 0, moving = 0, bodies = 0;
	failed->status = CAIRN_STEP_OK;
	while (c.tried < s.frames && (c.tried == 0 || clock_seconds() - begun < seconds)) {
		cairn_step_report r = cairn_world_step(world);
		if (r.status != CAIRN_STEP_OK) {
			*failed = r;
			break;
		}
		++c.tried;
		ms += r.ms, keys += r.extra_keys, moving += r.moving, bodies += r.bodies;
	}
	if (c.tried == 0)
		return c;
	/* What was tried, carried on to all bodies of all frames. */
	double frames = s.frames, whole = bodies > 0 ? count_body_frames(scene) / bodies : frames / c.tried;
	double now = cairn_world_body_count(world), growth = now > 0 ? (double)c.bodies / now : 1;
	uint64_t snapshot = cairn_world_snapshot_size(world), took = limits_peak() + 2 * snapshot;
	double checkpoints = 1 + frames / CHECKPOINT_EVERY;
	c.memory = c.tried == s.frames ? took : foresee(&c, took, (uint64_t)now, summary_has_contact(s.method));
	c.file = (uint64_t)(whole * (moving * KEY_BYTES + keys * MORE_KEY_BYTES) + frames * FRAME_BYTES +
	                    checkpoints * (double)snapshot * (1 + (growth > 1 ? growth : 1)) / 2);
	c.seconds = whole * ms / 1000;
	return c;
}

void cost_print(const cost *c, char *text, size_t size)
{
	char memory[32], file[32];
	text_size(c->memory, memory);
	text_size(c->file, file);
	if (c->tried)
		snprintf(text, size, "about %s of memory, a recording of %s, %.3g s, by its first %u frames", memory, file,
		         c->seconds, c->tried);
	else
		snprintf(text, size, "at least %s of memory and a recording of %s", memory, file);
}

int cost_check(const cairn_scene *scene)
{
	cost c = cost_least(scene);
	char text[160], most[32];
	if (c.memory <= limits_memory())
		return STATUS_DONE;
	cost_print(&c, text, sizeof text);
	text_size(limits_memory(), most);
	return say_and(STATUS_FAILED, "%llu bodies take %s; it may take %s (--memory SIZE allows more)",
	               (unsigned long long)c.bodies, text, most);
}
