/* Recordings: what goes in comes out to the bit, a broken run goes on to the bytes of an unbroken one, inputs are
 * replayed. */
#include "record/chunk.h"
#include <stdlib.h>

#include "base/hash.h"
#include "recording_run.h"
#include "world/world.h"

#define FILE_A "test_recording_a.cairn"
#define FILE_B "test_recording_b.cairn"
enum { FRAMES = 100 };

TEST(chunks)
{
	cn_writer w = {.allocator = cairn_default_allocator()};
	cn_head_put(&w);
	size_t begin = cn_chunk_begin(&w, CN_KIND('A', 'B', 'C', 'D'), 7);
	cn_put_text(&w, "hello");
	cn_chunk_end(&w, begin);
	begin = cn_chunk_begin(&w, CN_CHUNK_DONE, 8);
	cn_chunk_end(&w, begin);
	CHECK_INT(w.size, 16 + 24 + 9 + 24);
	CHECK(memcmp(w.data, "CAIRNREC\2\0\0\0", 12) == 0);
	CHECK(memcmp(w.data + 16, "ABCD\11\0\0\0\0\0\0\0\7\0\0\0", 16) == 0);
	CHECK_INT(get_number(w.data + 32, 4), cn_crc32(0, w.data + 16, 16));
	CHECK_INT(get_number(w.data + 36 + 9, 4), cn_crc32(0, w.data + 36, 9));

	cn_record_chunk chunk;
	cn_reader r = {.data = w.data, .size = w.size, .at = 16};
	REQUIRE(cn_chunk_next(&r, &chunk));
	CHECK(chunk.kind == CN_KIND('A', 'B', 'C', 'D') && chunk.frame == 7 && chunk.length == 9);
	CHECK_TEXT(cn_kind_name(chunk.kind).text, "ABCD");
	CHECK_INT(cn_get_u32(&chunk.payload), 5);
	REQUIRE(cn_chunk_next(&r, &chunk));
	CHECK(chunk.kind == CN_CHUNK_DONE && chunk.length == 0 && cn_reader_left(&r) == 0);

	for (size_t bit = 0; bit < (24 + 9) * 8; ++bit) {
		w.data[16 + bit / 8] ^= (uint8_t)(1 << bit % 8);
		r = (cn_reader){.data = w.data, .size = w.size, .at = 16};
		CHECK(!cn_chunk_next(&r, &chunk) && r.failed);
		w.data[16 + bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	uint32_t version;
	CHECK(cn_head_check(w.data, 16, &version) == CN_HEAD_GOOD && version == 2);
	CHECK(cn_head_check(w.data, 15, &version) == CN_HEAD_SHORT);
	w.data[9] ^= 1;
	CHECK(cn_head_check(w.data, 16, &version) == CN_HEAD_DAMAGED);
	w.data[0] ^= 1;
	CHECK(cn_head_check(w.data, 16, &version) == CN_HEAD_FOREIGN);
	cn_writer_free(&w);
}

/* What one frame of the world was, kept beside the recording. */
typedef struct seen_key {
	uint32_t serial;
	cairn_key key;
} seen_key;

typedef struct seen_frame {
	seen_key *keys;
	uint32_t count;
	cairn_step_report report;
	uint64_t hash;
	uint8_t *inputs;
	size_t input_size;
} seen_frame;

/* Keys by serial, then time. alive says which serials the frame before had. */
static void see(const cairn_world *world, const cairn_step_report *report, const bool *alive, seen_frame *f)
{
	cairn_body bodies[64];
	cairn_key keys[65];
	uint32_t count = cairn_world_bodies(world, bodies, 64);
	f->keys = malloc(64 * 65 * sizeof *f->keys);
	for (uint32_t serial = 0; serial < 64; ++serial)
		for (uint32_t i = 0; i < count; ++i) {
			cairn_body_info info = cairn_world_body_info(world, bodies[i]);
			if (info.serial != serial)
				continue;
			uint32_t n = cairn_world_body_keys(world, bodies[i], keys, 65);
			if (!alive[serial])
				keys[0].turn = (cairn_vec3){0, 0, 0};
			for (uint32_t k = 0; k < n; ++k)
				f->keys[f->count++] = (seen_key){serial, keys[k]};
		}
	f->hash = cairn_world_hash(world);
	if (!report)
		return;
	f->report = *report;
	const void *inputs = cairn_world_step_inputs(world, &f->input_size);
	f->inputs = malloc(f->input_size + 1);
	memcpy(f->inputs, inputs ? inputs : "", f->input_size);
}

static void note_alive(const seen_frame *f, bool *alive)
{
	memset(alive, 0, 64);
	for (uint32_t i = 0; i < f->count; ++i)
		alive[f->keys[i].serial] = true;
}

/* What a crowded frame would say, each number another one, so that none can be taken for its neighbour. */
static void make_crowded(cairn_step_report *r, uint32_t frame)
{
	uint32_t *counts[] = {&r->asleep, &r->close_pairs, &r->collisions, &r->contacts,
	                      &r->passes, &r->programs,    &r->taken_back, NULL};
	for (uint32_t i = 0; counts[i]; ++i)
		*counts[i] = 1000 * frame + i;
	for (uint32_t i = 0; i < CAIRN_MAX_TIERS; ++i)
		r->tiers[i] = 100 * frame + i;
	cairn_energy *e = &r->energy;
	double *accounts[] = {&e->events,   &e->fields,  &e->damping, &e->impacts, &e->friction,
	                      &e->position, &e->dropped, &e->drift,   NULL};
	for (uint32_t i = 0; accounts[i]; ++i)
		*accounts[i] = frame + 0.1 * i;
	r->lift = 1.0 / frame;
	r->steps = 1 + frame % 16, r->movers = 7 + frame, r->debtors = 3 + frame;
	r->debt = 0.25 / frame, r->debt_mean = 0.125 / frame, r->debtor = (cairn_body){2, 1};
	r->lifted = r->pair_a = (cairn_body){1, 1};
	r->pair_b = (cairn_body){0, 1};
	r->min_gap = 0.5 / frame;
	r->certificate = (cairn_certificate){.verdict = (cairn_verdict)(frame % 4),
	                                     .pairs = 10 + frame,
	                                     .intervals = 20 + frame,
	                                     .overlaps = (uint64_t)frame << 40,
	                                     .passages = 30 + frame,
	                                     .min_gap = frame % 2 ? INFINITY : -1.0 / frame,
	                                     .rounding_bound = 1e-12 * frame};
}

static bool same_certificate(const cairn_certificate *a, const cairn_certificate *b)
{
	return a->verdict == b->verdict && a->pairs == b->pairs && a->intervals == b->intervals &&
	       a->overlaps == b->overlaps && a->passages == b->passages && a->min_gap == b->min_gap &&
	       a->rounding_bound == b->rounding_bound;
}

static bool same_debt(const cairn_step_report *a, const cairn_step_report *b)
{
	return a->steps == b->steps && a->movers == b->movers && a->debtors == b->debtors && a->debt == b->debt &&
	       a->debt_mean == b->debt_mean && a->debtor.index == b->debtor.index &&
	       a->debtor.generation == b->debtor.generation;
}

static bool same_report(const cairn_step_report *a, const cairn_step_report *b)
{
	bool same =
		a->status == b->status && a->frame == b->frame && a->time == b->time && a->bodies == b->bodies &&
		a->moving == b->moving && a->asleep == b->asleep && a->close_pairs == b->close_pairs &&
		a->collisions == b->collisions && a->contacts == b->contacts && a->extra_keys == b->extra_keys &&
		a->emitted == b->emitted && a->waiting == b->waiting && a->passes == b->passes && a->programs == b->programs &&
		a->taken_back == b->taken_back && memcmp(a->tiers, b->tiers, sizeof a->tiers) == 0 &&
		memcmp(&a->min_gap, &b->min_gap, sizeof a->min_gap) == 0 && a->pair_a.index == b->pair_a.index &&
		a->pair_a.generation == b->pair_a.generation && a->pair_b.index == b->pair_b.index &&
		a->pair_b.generation == b->pair_b.generation && memcmp(&a->energy, &b->energy, sizeof a->energy) == 0 &&
		a->lift == b->lift && a->lifted.index == b->lifted.index && a->lifted.generation == b->lifted.generation &&
		same_debt(a, b) && same_certificate(&a->certificate, &b->certificate) && a->stage_count == b->stage_count &&
		a->ms == b->ms;
	for (uint32_t i = 0; same && i < a->stage_count; ++i)
		same = strcmp(a->stage_names[i], b->stage_names[i]) == 0 && a->stage_ms[i] == b->stage_ms[i];
	return same;
}

static void check_frame(cairn_recording *rec, uint32_t number, const seen_frame *f)
{
	cairn_frame frame;
	cairn_error error = {0};
	REQUIRE(cairn_recording_read(rec, number, &frame, &error));
	CHECK_INT(frame.frame, number);
	CHECK(frame.state_hash == f->hash);
	if (number > 0)
		CHECK(same_report(&frame.report, &f->report));
	REQUIRE(frame.input_size == f->input_size);
	CHECK(f->input_size == 0 || memcmp(frame.inputs, f->inputs, f->input_size) == 0);
	REQUIRE(frame.key_count == f->count);
	for (uint32_t i = 0; i < f->count; ++i) {
		cairn_track track = cairn_recording_track(rec, frame.keys[i].track);
		CHECK_INT(track.info.serial, f->keys[i].serial);
		CHECK(track.first_frame <= number && number <= track.last_frame);
		CHECK(memcmp(&frame.keys[i].key, &f->keys[i].key, sizeof(cairn_key)) == 0);
		if (track.first_frame == number && (i == 0 || frame.keys[i - 1].track != frame.keys[i].track))
			CHECK(memcmp(&track.first_key, &f->keys[i].key, sizeof(cairn_key)) == 0);
	}
}

TEST(round_trip)
{
	static seen_frame frames[FRAMES + 1];
	bool alive[64] = {0};
	cairn_error error = {0};
	cairn_world *world = make_world(NULL, 4);
	REQUIRE(world);
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
	REQUIRE(rec);
	see(world, NULL, alive, &frames[0]);
	uint32_t extra = 0;
	for (uint32_t i = 1; i <= FRAMES; ++i) {
		REQUIRE(give_inputs(world, i - 1));
		cairn_step_report report = cairn_world_step(world);
		REQUIRE(report.status == CAIRN_STEP_OK);
		if (i % 3 == 0)
			make_crowded(&report, i);
		REQUIRE(cairn_recording_append(rec, world, &report, &error));
		note_alive(&frames[i - 1], alive);
		see(world, &report, alive, &frames[i]);
		extra += frames[i].count > report.bodies;
	}
	CHECK(extra > 50); /* the fast one has keys inside the frames */
	uint64_t hash = CN_HASH_START;
	for (uint32_t i = 0; i <= FRAMES; ++i)
		hash = cn_hash_u64(hash, frames[i].hash);
	CHECK(cairn_recording_get_info(rec).hash == hash);
	CHECK_INT(cairn_recording_get_info(rec).last_frame, FRAMES);
	REQUIRE(cairn_recording_finish(rec, &error));

	rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	cairn_recording_info info = cairn_recording_get_info(rec);
	CHECK(info.complete && !info.truncated && !info.damaged && info.hash == hash);
	CHECK_TEXT(info.note, "");
	CHECK_INT(info.first_frame, 0);
	CHECK_INT(info.last_frame, FRAMES);
	CHECK_INT(info.bodies, 7 + 4 + 3); /* at the start, emitted, added */
	for (uint32_t i = 0; i <= FRAMES; ++i)
		check_frame(rec, i, &frames[i]);
	check_frame(rec, 3, &frames[3]); /* back again */
	CHECK(!cairn_recording_read(rec, FRAMES + 1, &(cairn_frame){0}, &error) && error.code == CAIRN_USAGE);
	cairn_recording_close(rec);
	cairn_world_destroy(world);
	for (uint32_t i = 0; i <= FRAMES; ++i) {
		free(frames[i].keys);
		free(frames[i].inputs);
	}
}

TEST(tracks)
{
	cairn_error error = {0};
	REQUIRE(record(FILE_A, 4, FRAMES, 30));
	cairn_world *world = make_world(NULL, 4);
	cairn_recording *rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(world && rec);
	const char *names[] = {"floor", "box0", "box1", "box2", "box3", "fast", "mover"};
	for (uint32_t i = 0; i < 7; ++i) {
		cairn_track track = cairn_recording_track(rec, i);
		cairn_body body = cairn_world_find_body(world, names[i]);
		cairn_body_info info = cairn_world_body_info(world, body);
		CHECK_TEXT(track.info.name, names[i]);
		CHECK(track.body.index == body.index && track.body.generation == body.generation);
		CHECK(track.info.serial == i && track.info.type == info.type && track.info.shape.index == info.shape.index);
		CHECK(track.info.material.generation == info.material.generation && track.info.mass == info.mass);
		CHECK(memcmp(track.info.inertia, info.inertia, sizeof info.inertia) == 0 && track.info.radius == info.radius);
		CHECK(track.info.group == info.group && track.info.mask == info.mask);
		CHECK(memcmp(&track.info.color, &info.color, sizeof info.color) == 0);
		CHECK(memcmp(&track.info.center, &info.center, sizeof info.center) == 0);
		CHECK_INT(track.first_frame, 0);
		CHECK_INT(track.last_frame, i == 3 ? 25 : FRAMES); /* box2 was removed after frame 25 */
	}
	for (uint32_t i = 7; i < cairn_recording_get_info(rec).bodies; ++i) {
		cairn_track track = cairn_recording_track(rec, i);
		if (strcmp(track.info.name, "late") == 0) {
			CHECK_INT(track.first_frame, 9);
			CHECK_TEXT(cairn_scene_shape_at(cairn_recording_scene(rec), track.info.shape.index).name, "pill");
			CHECK_TEXT(cairn_scene_material_at(cairn_recording_scene(rec), track.info.material.index).name, "cork");
		}
		if (strcmp(track.info.name, "post") == 0)
			CHECK(track.first_frame == 9 && track.last_frame == 27 && track.info.type == CAIRN_FIXED);
	}
	CHECK_TEXT(cairn_scene_settings(cairn_recording_scene(rec)).name, "a bit of everything");
	cairn_recording_close(rec);
	cairn_world_destroy(world);
}

/* The same file but for the times. */
static bool same_files(const char *a, const char *b)
{
	bytes whole_a = read_bytes(a), whole_b = read_bytes(b);
	bytes kept_a = without_times(whole_a), kept_b = without_times(whole_b);
	bool same = kept_a.size == kept_b.size && memcmp(kept_a.data, kept_b.data, kept_a.size) == 0;
	free(whole_a.data);
	free(whole_b.data);
	free(kept_a.data);
	free(kept_b.data);
	return same;
}

/* Goes on with FILE_B to the last frame and compares with FILE_A. */
static void resume_and_compare(void)
{
	cairn_error error = {0};
	cairn_world *world;
	cairn_world_def def = cairn_default_world_def();
	def.threads = 1;
	cairn_recording *rec = cairn_recording_resume(FILE_B, &def, NULL, &world, &error);
	if (!rec)
		printf("resume: %s\n", error.message);
	REQUIRE(rec);
	CHECK_INT(cairn_recording_get_info(rec).last_frame, cairn_world_frame(world));
	CHECK(run_to(rec, world, FRAMES));
	CHECK(cairn_recording_finish(rec, &error));
	cairn_world_destroy(world);
	CHECK(same_files(FILE_A, FILE_B));
}

TEST(checkpoints)
{
	REQUIRE(record(FILE_A, 4, FRAMES, 20));
	bytes whole = read_bytes(FILE_A);
	uint32_t count = 0;
	file_chunk chunk;
	for (size_t at = 16; next_chunk(whole, &at, &chunk);)
		if (strcmp(chunk.kind, "CHKP") == 0)
			CHECK_INT(chunk.frame, 20 * count++);
	CHECK_INT(count, FRAMES / 20 + 1);
	free(whole.data);
}

TEST(resume)
{
	REQUIRE(record(FILE_A, 4, FRAMES, 20));
	bytes whole = read_bytes(FILE_A);
	size_t at = 16, first_end = 0;
	file_chunk chunk;
	uint64_t random = 1;
	for (uint32_t number = 0; next_chunk(whole, &at, &chunk); ++number) {
		/* Inside a chunk, and at the end of one: of each kind, at frames with and without checkpoints and inputs. */
		bool frame = strcmp(chunk.kind, "FRAM") == 0;
		if (first_end == 0 && !frame)
			continue;
		if (first_end == 0)
			first_end = at;
		bool often = strcmp(chunk.kind, "CHKP") == 0 || strcmp(chunk.kind, "BODY") == 0 ||
		             strcmp(chunk.kind, "SHAP") == 0 || strcmp(chunk.kind, "DONE") == 0 || number % 19 == 0;
		if (!often)
			continue;
		size_t inside = chunk.at + (size_t)(cn_random_u64(&random) % chunk.size);
		if (inside > first_end) {
			REQUIRE(write_bytes(FILE_B, whole.data, inside));
			resume_and_compare();
		}
		REQUIRE(write_bytes(FILE_B, whole.data, at));
		resume_and_compare();
	}
	CHECK(first_end > 0);
	free(whole.data);
}

/* A complete one goes on too: the end mark moves. */
TEST(resume_longer)
{
	cairn_error error = {0};
	cairn_world *world;
	REQUIRE(record(FILE_A, 4, 40, 20) && record(FILE_B, 4, 30, 20));
	cairn_recording *rec = cairn_recording_resume(FILE_B, NULL, NULL, &world, &error);
	REQUIRE(rec);
	CHECK_INT(cairn_world_frame(world), 30);
	CHECK(run_to(rec, world, 40) && cairn_recording_finish(rec, &error));
	cairn_world_destroy(world);
	CHECK(same_files(FILE_A, FILE_B));
}

TEST(replay)
{
	cairn_error error = {0};
	REQUIRE(record(FILE_A, 4, FRAMES, 60));
	cairn_recording *rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	cairn_world *world = cairn_recording_world(rec, NULL, &error);
	REQUIRE(world);
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_recording *copy = cairn_recording_create(FILE_B, world, &def, &error);
	REQUIRE(copy);
	uint32_t with_inputs = 0;
	for (uint32_t i = 1; i <= FRAMES; ++i) {
		cairn_frame frame;
		REQUIRE(cairn_recording_read(rec, i, &frame, &error));
		REQUIRE(cairn_world_replay(world, frame.inputs, frame.input_size, &error));
		with_inputs += frame.input_size > 0;
		cairn_step_report report = cairn_world_step(world);
		CHECK(cairn_world_hash(world) == frame.state_hash);
		REQUIRE(cairn_recording_append(copy, world, &report, &error));
	}
	CHECK_INT(with_inputs, 10);
	CHECK(cairn_recording_get_info(copy).hash == cairn_recording_get_info(rec).hash);
	REQUIRE(cairn_recording_finish(copy, &error));
	cairn_recording_close(rec);
	cairn_world_destroy(world);
	CHECK(same_files(FILE_A, FILE_B));
}

/* A recording that begins in the middle of a run, after an input that has not been stepped yet. */
/* A body that is added before the recording begins has one key at that time, and not another in the frame after. */
TEST(begin_with_a_new_body)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	cairn_body_def body = cairn_default_body_def();
	def.replace = true, body.shape = (cairn_shape){0, 1}, body.pose.position = (cairn_vec3){0, 300, 0};
	cairn_world *world = make_world(NULL, 3);
	REQUIRE(world && cairn_world_step(world).status == CAIRN_STEP_OK);
	REQUIRE(cairn_world_add_body(world, &body, &error).generation);
	cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
	REQUIRE(rec && run_to(rec, world, 3) && cairn_recording_finish(rec, &error));
	cairn_world_destroy(world);
	rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	for (uint32_t f = 2; f <= 3; ++f) {
		cairn_frame frame;
		REQUIRE(cairn_recording_read(rec, f, &frame, &error));
		for (uint32_t i = 0; i < frame.key_count; ++i)
			CHECK(frame.keys[i].key.time > (f - 1) / cairn_scene_settings(cairn_recording_scene(rec)).fps);
	}
	cairn_recording_close(rec);
}

TEST(begin_later)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_world *world = make_world(NULL, 3);
	REQUIRE(world);
	for (int i = 0; i < 5; ++i)
		CHECK(cairn_world_step(world).status == CAIRN_STEP_OK);
	REQUIRE(give_inputs(world, 5));
	cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
	REQUIRE(rec);
	cairn_event_def impulse = cairn_default_event_def(CAIRN_IMPULSE);
	impulse.body = cairn_world_find_body(world, "box1");
	impulse.impulse = (cairn_vec3){3, 0, 0};
	REQUIRE(cairn_world_apply_event(world, &impulse, &error));
	cairn_step_report report = cairn_world_step(world);
	REQUIRE(cairn_recording_append(rec, world, &report, &error) && run_to(rec, world, 8));
	uint64_t hash = cairn_recording_get_info(rec).hash;
	REQUIRE(cairn_recording_finish(rec, &error));

	rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	cairn_recording_info info = cairn_recording_get_info(rec);
	CHECK(info.first_frame == 5 && info.last_frame == 8 && info.hash == hash);
	cairn_frame frame;
	REQUIRE(cairn_recording_read(rec, 5, &frame, &error));
	CHECK(frame.report.frame == 5 && frame.report.bodies == cairn_recording_get_info(rec).bodies);
	for (uint32_t i = 0; i < frame.key_count; ++i)
		CHECK(frame.keys[i].key.turn.x == 0 && frame.keys[i].key.time == frame.time);
	cairn_world *again = cairn_recording_world(rec, NULL, &error);
	REQUIRE(again);
	for (uint32_t i = 6; i <= 8; ++i) {
		REQUIRE(cairn_recording_read(rec, i, &frame, &error));
		REQUIRE(cairn_world_replay(again, frame.inputs, frame.input_size, &error));
		CHECK(cairn_world_step(again).frame == i && cairn_world_hash(again) == frame.state_hash);
	}
	cairn_recording_close(rec);
	cairn_world_destroy(again);
	REQUIRE(give_inputs(world, 8)); /* a new shape: the scene is no longer the one the world was made from */
	rec = cairn_recording_create(FILE_A, world, &def, &error);
	CHECK(!rec && error.code == CAIRN_INVALID);
	CHECK_HAS(error.message, "before them");
	cairn_world_destroy(world);
}

/* A recording begins after an input; then the world is restored to before it, so that the first step has fewer inputs. */
TEST(restored_before_the_first_frame)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_world *world = make_world(NULL, 1);
	REQUIRE(world);
	size_t size = cairn_world_snapshot_size(world);
	void *before = malloc(size);
	REQUIRE(before && cairn_world_snapshot(world, before, size, &error));
	cairn_event_def blast = cairn_default_event_def(CAIRN_BLAST);
	blast.speed = 1;
	REQUIRE(cairn_world_apply_event(world, &blast, &error));
	cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
	REQUIRE(rec && cairn_world_restore(world, before, size, &error));
	cairn_step_report report = cairn_world_step(world);
	CHECK(!cairn_recording_append(rec, world, &report, &error) && error.code == CAIRN_USAGE);
	CHECK_HAS(error.message, "restored");
	cairn_recording_close(rec);
	cairn_world_destroy(world);
	free(before);
}

TEST(exempt)
{
	cairn_error error = {0};
	cairn_scene *scene = make_scene(NULL, 3);
	cairn_joint_def joint = cairn_default_joint_def();
	joint.a = cairn_scene_find_body(scene, "box2");
	joint.b = cairn_scene_find_body(scene, "box0");
	REQUIRE(cairn_scene_add_joint(scene, &joint, &error).generation);
	REQUIRE(cairn_scene_add_joint(scene, &joint, &error).generation); /* twice the same pair */
	joint.b = (cairn_body){0, 0};
	REQUIRE(cairn_scene_add_joint(scene, &joint, &error).generation); /* to the world */
	joint.b = cairn_scene_find_body(scene, "box1"), joint.collide = true;
	REQUIRE(cairn_scene_add_joint(scene, &joint, &error).generation); /* not exempt */
	cairn_world *world = cn_world_make(scene, NULL, &error); /* not yet stepped, so no method asks for what it can do */
	cairn_scene_destroy(scene);
	REQUIRE(world);
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
	REQUIRE(rec);
	cairn_world_destroy(world);
	REQUIRE(cairn_recording_finish(rec, &error));
	rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	REQUIRE(cairn_recording_exempt_count(rec) == 1);
	uint32_t a, b;
	cairn_recording_exempt(rec, 0, &a, &b);
	CHECK_TEXT(cairn_recording_track(rec, a).info.name, "box0");
	CHECK_TEXT(cairn_recording_track(rec, b).info.name, "box2");
	cairn_recording_close(rec);
}

/* A step that says something of its joints, which no method does here: its report is written over. */
TEST(joints)
{
	cairn_error error = {0};
	cairn_scene *scene = make_scene(NULL, 3);
	cairn_joint_def joint = cairn_default_joint_def();
	joint.a = cairn_scene_find_body(scene, "box0");
	REQUIRE(cairn_scene_add_joint(scene, &joint, &error).generation);
	REQUIRE(cairn_scene_set_option(scene, "method", "free", &error));
	cairn_world *world = cn_world_make(scene, NULL, &error);
	cairn_scene_destroy(scene);
	REQUIRE(world);
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
	REQUIRE(rec);
	for (uint32_t i = 1; i <= 4; ++i) {
		cairn_step_report report = cairn_world_step(world);
		report.frozen = i % 2 ? 7 * i : 0, report.text_fallbacks = i == 3 ? 11 : 0;
		report.joint_error = 1e-6 * i, report.broken = i / 3, report.energy.joints = -0.5 * i;
		REQUIRE(cairn_recording_append(rec, world, &report, &error));
	}
	cairn_world_destroy(world);
	REQUIRE(cairn_recording_finish(rec, &error));
	rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	for (uint32_t i = 5; i-- > 0;) {
		cairn_frame frame;
		REQUIRE(cairn_recording_read(rec, i, &frame, &error));
		CHECK(frame.report.joint_error == 1e-6 * i && frame.report.broken == i / 3);
		CHECK(frame.report.energy.joints == -0.5 * i);
		CHECK(frame.report.frozen == (i % 2 ? 7 * i : 0) && frame.report.text_fallbacks == (i == 3 ? 11 : 0));
	}
	cairn_recording_close(rec);
}

typedef struct counter {
	size_t now, most;
	long calls, fail_at; /* 0: never */
} counter;

static void *count_resize(void *context, void *block, size_t old_size, size_t new_size)
{
	counter *c = context;
	if (new_size > old_size && ++c->calls == c->fail_at)
		return NULL;
	c->now += new_size - old_size;
	c->most = c->now > c->most ? c->now : c->most;
	if (new_size == 0) {
		free(block);
		return NULL;
	}
	return realloc(block, new_size);
}

TEST(memory_bound)
{
	counter count = {0};
	cairn_error error = {0};
	cairn_world *world = make_world(NULL, 20);
	cairn_recording_def def = {.allocator = {&count, count_resize}, .replace = true, .checkpoint_every = 30};
	REQUIRE(world);
	cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
	REQUIRE(rec);
	size_t most = 0;
	for (uint32_t i = 1; i <= 1000; ++i) {
		cairn_step_report report = cairn_world_step(world);
		REQUIRE(report.status == CAIRN_STEP_OK);
		REQUIRE(cairn_recording_append(rec, world, &report, &error));
		if (i == 100)
			most = count.most;
	}
	CHECK(most > 0 && count.most == most);
	REQUIRE(cairn_recording_finish(rec, &error));
	CHECK_INT(count.now, 0);
	cairn_world_destroy(world);
	rec = cairn_recording_open(FILE_A, &def, &error);
	REQUIRE(rec);
	CHECK(count.now < 200000); /* the file has megabytes */
	CHECK(cairn_recording_get_info(rec).size > 3000000);
	cairn_recording_close(rec);
	CHECK_INT(count.now, 0);
}

/* Every allocation fails once: no crash, no leak, and the writer says memory. */
TEST(memory_fails)
{
	for (long fail_at = 1, done = 0; !done && fail_at < 10000; ++fail_at) {
		counter count = {.fail_at = fail_at};
		cairn_error error = {0};
		cairn_recording_def def = {.allocator = {&count, count_resize}, .replace = true, .checkpoint_every = 1};
		cairn_world *world = make_world(NULL, 3);
		REQUIRE(world);
		cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
		cairn_step_report report = cairn_world_step(world);
		bool ok = rec && cairn_recording_append(rec, world, &report, &error);
		done = ok && count.calls < fail_at;
		CHECK(ok || error.code == CAIRN_MEMORY);
		cairn_recording_close(rec);
		cairn_world_destroy(world);
		CHECK_INT(count.now, 0);
	}
	REQUIRE(record(FILE_A, 3, 20, 10));
	for (long fail_at = 1, done = 0; !done && fail_at < 100000; ++fail_at) {
		counter count = {.fail_at = fail_at};
		cairn_error error = {0};
		cairn_recording_def def = {.allocator = {&count, count_resize}};
		cairn_recording *rec = cairn_recording_open(FILE_A, &def, &error);
		cairn_frame frame;
		bool ok = rec && cairn_recording_read(rec, 15, &frame, &error);
		done = ok && count.calls < fail_at;
		CHECK(ok || error.code == CAIRN_MEMORY);
		CHECK(!ok || !cairn_recording_get_info(rec).damaged);
		cairn_recording_close(rec);
		CHECK_INT(count.now, 0);
	}
	remove(FILE_A);
	remove(FILE_B);
}

/* Nothing at all, all the way: the sanitizers look at empty arrays here. */
TEST(empty_scene)
{
	static const char text[] = "{\"version\": 1}";
	cairn_error error = {0};
	cairn_scene *scene = cairn_scene_read_text(text, sizeof text - 1, "empty.json", NULL, NULL, &error);
	cairn_world *world = scene ? cairn_world_create(scene, NULL, &error) : NULL;
	REQUIRE(world);
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true, def.checkpoint_every = 2;
	cairn_recording *rec = cairn_recording_create(FILE_A, world, &def, &error);
	REQUIRE(rec);
	for (int i = 0; i < 5; ++i) {
		cairn_step_report report = cairn_world_step(world);
		CHECK(report.status == CAIRN_STEP_OK && cairn_recording_append(rec, world, &report, &error));
	}
	CHECK(cairn_recording_finish(rec, &error));
	uint64_t hash = cairn_world_hash(world);
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	cairn_certify_def how = cairn_default_certify_def();
	cairn_certify_result result;
	CHECK(cairn_recording_certify(rec, &how, &result, &error) && result.certificate.verdict == CAIRN_CLEAN);
	world = cairn_recording_world_at(rec, 5, NULL, &error);
	CHECK(world && cairn_world_hash(world) == hash);
	cairn_world_destroy(world);
	cairn_recording_close(rec);
	rec = cairn_recording_resume(FILE_A, NULL, NULL, &world, &error);
	CHECK(rec && cairn_world_hash(world) == hash);
	cairn_world_destroy(world);
	cairn_recording_close(rec);
}

TEST_MAIN(TEST_CASE(empty_scene), TEST_CASE(chunks), TEST_CASE(round_trip), TEST_CASE(tracks), TEST_CASE(checkpoints),
          TEST_CASE(resume), TEST_CASE(resume_longer), TEST_CASE(replay), TEST_CASE(begin_with_a_new_body),
          TEST_CASE(begin_later), TEST_CASE(restored_before_the_first_frame), TEST_CASE(exempt), TEST_CASE(joints),
          TEST_CASE(memory_bound), TEST_CASE(memory_fails))
