/* Memory that runs out at the n-th allocation, for every n, over all that a program does with a scene: read it, make a
 * world, step, give inputs, take a snapshot and bring it back, record, certify, export, look at a frame again.
 *
 *   starve SCENE... [--most N] [--every K] [--from N] [--frames N]
 *
 * Whatever fails says memory, loses nothing and leaves the world as it was; done again, it goes on to the bits of a run that
 * had all it asked for. A line for each scene; exit status 1 if anything went wrong. */
#include "../unit/ledger.h"
#include "cairn/cairn.h"

#include <stdio.h>

#define RECORDING "starve.cairn"

typedef struct tally {
	const char *path;
	uint32_t frames;
	size_t n;        /* the allocation that fails; 0: none */
	uint64_t hash;   /* of the run that had all it asked for */
	uint32_t failed; /* calls that said memory in this run */
	uint32_t wrong;  /* over all runs */
	ledger memory;
	bool other; /* a batch did not appear: it is another run from then on */
} tally;

static void complain(tally *t, const char *what, const char *message)
{
	if (t->wrong++ < 10)
		printf("  allocation %zu: %s%s%s\n", t->n, what, *message ? ": " : "", message);
}

/* A call that failed must have run out of memory, and can be made again. True: it is to be made again. */
static bool starved(tally *t, bool ok, const cairn_error *error, const char *what)
{
	if (ok)
		return false;
	if (error->code != CAIRN_MEMORY)
		complain(t, what, error->message);
	return ++t->failed < 3 && error->code == CAIRN_MEMORY;
}

static void same_hash(tally *t, const cairn_world *w, uint64_t before, const char *what)
{
	if (cairn_world_hash(w) != before)
		complain(t, what, "the world has changed");
}

/* ---- what is done with a world */

static void give_inputs(tally *t, cairn_world *w)
{
	cairn_error e = {0};
	cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
	cairn_body_def body = cairn_default_body_def();
	cairn_event_def blast = cairn_default_event_def(CAIRN_BLAST);
	ball.radius = 0.1, body.pose.position = (cairn_vec3){40, 40, 40}, body.name = "guest";
	blast.point = (cairn_vec3){0, 0, -3}, blast.speed = 1;
	uint64_t before = cairn_world_hash(w);
	do
		body.shape = cairn_world_add_shape(w, &ball, &e);
	while (starved(t, body.shape.generation, &e, "add_shape"));
	same_hash(t, w, before, "add_shape");
	cairn_body guest;
	do {
		before = cairn_world_hash(w);
		guest = cairn_world_add_body(w, &body, &e);
		if (!guest.generation)
			same_hash(t, w, before, "add_body");
	} while (starved(t, guest.generation, &e, "add_body"));
	bool ok;
	do {
		before = cairn_world_hash(w);
		ok = cairn_world_apply_event(w, &blast, &e);
		if (!ok)
			same_hash(t, w, before, "apply_event");
	} while (starved(t, ok, &e, "apply_event"));
}

static void go_back_and_forth(tally *t, cairn_world *w)
{
	cairn_error e = {0};
	uint64_t before = cairn_world_hash(w);
	size_t size = cairn_world_snapshot_size(w);
	if (size == 0) { /* it has no other way to say memory */
		++t->failed;
		size = cairn_world_snapshot_size(w);
	}
	void *bytes = malloc(size);
	bool ok = false;
	if (!bytes)
		return;
	do
		ok = cairn_world_snapshot(w, bytes, size, &e);
	while (starved(t, ok, &e, "snapshot"));
	do {
		ok = cairn_world_restore(w, bytes, size, &e);
		same_hash(t, w, before, "restore");
	} while (starved(t, ok, &e, "restore"));
	free(bytes);
}

/* A step that succeeded, or one that was refused twice for other reasons. */
static cairn_step_report step(tally *t, cairn_world *w)
{
	cairn_step_report r;
	for (int tries = 0; tries < 3; ++tries) {
		uint64_t before = cairn_world_hash(w);
		uint32_t frame = cairn_world_frame(w);
		r = cairn_world_step(w);
		if (r.status == CAIRN_STEP_OK)
			return r;
		++t->failed;
		if (r.status != CAIRN_STEP_MEMORY)
			complain(t, "step", "another status than memory");
		if (cairn_world_frame(w) != frame) { /* the frame stands, and what was to appear did not */
			t->other = true;
			return r;
		}
		same_hash(t, w, before, "step");
	}
	return r;
}

/* ---- what is done with a recording */

static void look_at_recording(tally *t, const cairn_allocator *a)
{
	static const char *const targets[] = {"starve.csv", "starve.glb", "starve.usda", "starve.traj"};
	cairn_error e = {0};
	cairn_recording_def rd = cairn_default_recording_def();
	cairn_certify_def cd = cairn_default_certify_def();
	cairn_export_def ed = cairn_default_export_def();
	cairn_world_def wd = cairn_default_world_def();
	rd.allocator = cd.allocator = ed.allocator = wd.allocator = *a;
	cd.threads = wd.threads = 1;
	cairn_recording *rec;
	do
		rec = cairn_recording_open(RECORDING, &rd, &e);
	while (starved(t, rec, &e, "open"));
	if (!rec)
		return;
	cairn_recording_info info = cairn_recording_get_info(rec);
	if (info.damaged)
		complain(t, "open", info.note);
	cairn_certify_result result;
	bool ok;
	do
		ok = cairn_recording_certify(rec, &cd, &result, &e);
	while (starved(t, ok, &e, "certify"));
	if (ok && result.certificate.verdict != CAIRN_CLEAN)
		complain(t, "certify", "not clean");
	for (int i = 0; i < 4; ++i) {
		do
			ok = cairn_export(rec, targets[i], &ed, &e);
		while (starved(t, ok, &e, "export"));
	}
	cairn_trajectory *traj;
	do
		traj = cairn_trajectory_read("starve.traj", NULL, a, &e);
	while (starved(t, traj, &e, "trajectory_read"));
	cairn_trajectory_free(traj);
	cairn_world *again;
	do
		again = cairn_recording_world_at(rec, info.last_frame, &wd, &e);
	while (starved(t, again, &e, "world_at"));
	cairn_world_destroy(again);
	cairn_recording_close(rec);
}

/* NULL if it had to be given up: what was written up to there is a whole recording. */
static cairn_recording *append(tally *t, cairn_recording *rec, const cairn_world *w, const cairn_step_report *r)
{
	cairn_error e = {0};
	if (!rec || cairn_recording_append(rec, w, r, &e))
		return rec;
	(void)starved(t, false, &e, "append");
	cairn_recording_close(rec);
	return NULL;
}

/* ---- a run */

static void run_world(tally *t, cairn_world *w, const cairn_allocator *a)
{
	cairn_error e = {0};
	cairn_recording_def rd = cairn_default_recording_def();
	rd.allocator = *a, rd.replace = true, rd.checkpoint_every = 2;
	cairn_recording *rec;
	do
		rec = cairn_recording_create(RECORDING, w, &rd, &e);
	while (starved(t, rec, &e, "create"));
	for (uint32_t f = 0; f < t->frames; ++f) {
		if (f == 2)
			give_inputs(t, w);
		if (f == 3 && cairn_world_pending_inputs(w) == 0)
			go_back_and_forth(t, w);
		cairn_step_report r = step(t, w);
		if (t->other && rec) { /* a frame without its batch is in no recording: it would be replayed with it */
			cairn_recording_close(rec);
			rec = NULL;
		}
		rec = append(t, rec, w, &r);
	}
	if (rec && !cairn_recording_finish(rec, &e))
		(void)starved(t, false, &e, "finish");
	if (t->n == 0)
		t->hash = cairn_world_hash(w);
	else if (!t->other && cairn_world_hash(w) != t->hash)
		complain(t, "at the end", "another hash than that of a run with enough memory");
	look_at_recording(t, a);
}

/* One run in which allocation n fails. False: there are not so many. */
static bool run(tally *t, size_t n)
{
	cairn_error e = {0};
	t->memory = (ledger){.fail_at = n};
	t->n = n, t->failed = 0, t->other = false;
	cairn_allocator a = {&t->memory, ledger_resize};
	cairn_scene_def sd = cairn_default_scene_def();
	cairn_world_def wd = cairn_default_world_def();
	sd.allocator = wd.allocator = a, wd.threads = 1;
	cairn_scene *scene;
	do
		scene = cairn_scene_read_file(t->path, NULL, &sd, &e);
	while (starved(t, scene, &e, "scene_read"));
	cairn_world *w = NULL;
	if (scene) {
		do
			w = cairn_world_create(scene, &wd, &e);
		while (starved(t, w, &e, "world_create"));
	}
	if (w)
		run_world(t, w, &a);
	else
		complain(t, "no world", e.message);
	cairn_world_destroy(w);
	cairn_scene_destroy(scene);
	if (t->memory.bytes != 0)
		complain(t, "at the end", "memory is lost");
	return n == 0 || t->memory.calls >= n;
}

int main(int argc, char **argv)
{
	size_t most = 5000, every = 1, from = 1;
	uint32_t frames = 6, wrong = 0, scenes = 0;
	for (int i = 1; i + 1 < argc; ++i) {
		if (strcmp(argv[i], "--most") == 0)
			most = (size_t)atol(argv[i + 1]);
		else if (strcmp(argv[i], "--every") == 0)
			every = (size_t)atol(argv[i + 1]);
		else if (strcmp(argv[i], "--from") == 0)
			from = (size_t)atol(argv[i + 1]);
		else if (strcmp(argv[i], "--frames") == 0)
			frames = (uint32_t)atol(argv[i + 1]);
	}
	for (int i = 1; i < argc; ++i) {
		if (argv[i][0] == '-') {
			++i;
			continue;
		}
		tally t = {.path = argv[i], .frames = frames};
		(void)run(&t, 0);
		size_t calls = t.memory.calls, tried = 0, failed = 0;
		for (size_t n = from; n <= most && run(&t, n); n += every)
			++tried, failed += t.failed > 0;
		printf("%s: %zu allocations, %zu tried, %zu of them were told, %u wrong\n", t.path, calls, tried, failed,
		       t.wrong);
		(void)fflush(stdout);
		wrong += t.wrong, ++scenes;
	}
	(void)remove(RECORDING);
	return wrong > 0 || scenes == 0;
}
