/* Worlds at any frame of a recording, and who sleeps in it: against the run itself, in files that are torn or forged, and in
 * files from before sleepers were written. */
#include "base/hash.h"
#include "recording_run.h"
#include "yard.h"

#define FILE_A "test_recording_at_a.cairn"
#define FILE_B "test_recording_at_b.cairn"

enum { FRAMES = 45, CUBES = 11, NAP = 90, LATE = 60 };

/* A recording with inputs of every kind: at each frame the world has the recorded state, and goes on to the next one. */
TEST(world_at_every_frame)
{
	cairn_error error = {0};
	REQUIRE(record(FILE_A, 4, FRAMES, 7));
	cairn_recording *rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	for (uint32_t i = 0; i <= FRAMES; ++i) {
		cairn_world *world = cairn_recording_world_at(rec, i, NULL, &error);
		REQUIRE(world);
		cairn_frame frame;
		REQUIRE(cairn_recording_read(rec, i, &frame, &error));
		CHECK_INT(cairn_world_frame(world), i);
		CHECK(cairn_world_hash(world) == frame.state_hash);
		if (i < FRAMES) {
			REQUIRE(cairn_recording_read(rec, i + 1, &frame, &error));
			CHECK(cairn_world_replay(world, frame.inputs, frame.input_size, &error));
			CHECK_INT(cairn_world_step(world).status, CAIRN_STEP_OK);
			CHECK(cairn_world_hash(world) == frame.state_hash);
		}
		cairn_world_destroy(world);
	}
	error = (cairn_error){0};
	CHECK(!cairn_recording_world_at(rec, FRAMES + 1, NULL, &error));
	CHECK_INT(error.code, CAIRN_USAGE);
	CHECK_TEXT(error.message, "there is no frame 46; the frames are 0 to 45");
	cairn_recording_close(rec);
}

/* A state other than the recorded one is refused, here because the recorded hash was changed. */
TEST(world_at_compares_the_hash)
{
	cairn_error error = {0};
	REQUIRE(record(FILE_A, 4, 20, 10));
	bytes b = read_bytes(FILE_A);
	file_chunk c;
	bool changed = false;
	for (size_t at = 16; next_chunk(b, &at, &c);)
		if (strcmp(c.kind, "FRAM") == 0 && c.frame == 12) {
			b.data[c.at + 20 + 8] ^= 1; /* the state's hash, with all that follows from it */
			changed = true;
		}
	REQUIRE(changed);
	uint64_t chain = CN_HASH_START;
	for (size_t at = 16; next_chunk(b, &at, &c);) {
		uint8_t *payload = b.data + c.at + 20;
		bool frame = strcmp(c.kind, "FRAM") == 0;
		if (frame)
			chain = cn_hash_u64(chain, get_number(payload + 8, 8));
		for (int i = 0; i < 8 && (frame || strcmp(c.kind, "DONE") == 0); ++i)
			payload[(frame ? 16 : 0) + i] = (uint8_t)(chain >> 8 * i);
		uint32_t crc = cn_crc32(0, payload, c.length);
		for (int i = 0; i < 4; ++i)
			payload[c.length + (size_t)i] = (uint8_t)(crc >> 8 * i);
	}
	REQUIRE(write_bytes(FILE_B, b.data, b.size));
	free(b.data);
	cairn_recording *rec = cairn_recording_open(FILE_B, NULL, &error);
	REQUIRE(rec && cairn_recording_get_info(rec).complete);
	for (uint32_t i = 9; i <= 20; ++i) {
		error = (cairn_error){0};
		cairn_world *world = cairn_recording_world_at(rec, i, NULL, &error);
		bool reached = i < 12 || i == 20; /* 20 has a checkpoint of its own */
		CHECK((world != NULL) == reached);
		if (!reached) {
			CHECK_INT(error.code, CAIRN_FAILED);
			CHECK_HAS(error.message, "frame 12 does not come out the same again");
		}
		cairn_world_destroy(world);
	}
	cairn_recording_close(rec);
}

/* Cubes that stand and fall asleep, a ball that does not, and more moving bodies than fit into a byte; a door is
 * scripted, and late ones come in by hand. Notes who sleeps when. */
static bool doze(bool asleep[NAP + 1][32])
{
	cairn_error error = {0};
	cairn_scene *s = yard_scene((v3){0, 0, -10});
	cairn_material m = yard_material(s, 0, 0.5);
	(void)yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	const cairn_script_key keys[] = {{0, {{0, 20, 5}, {1, 0, 0, 0}}}, {9, {{0, 25, 5}, {1, 0, 0, 0}}}};
	cairn_body_def door = yard_body(cube, m, v3_zero());
	door.type = CAIRN_SCRIPTED, door.keys = keys, door.key_count = 2;
	(void)cairn_scene_add_body(s, &door, NULL);
	for (int i = 0; i < CUBES; ++i)
		(void)yard_add(s, cube, m, v3_make(3.0 * i, 0, i % 2 ? 0.5 : 1.2), v3_zero());
	(void)yard_add(s, yard_round(s, CAIRN_SPHERE, 0.5, 0), yard_material(s, 1, 0), v3_make(0, 8, 4), v3_zero());
	cairn_world *w = cairn_world_create(s, NULL, &error);
	cairn_scene_destroy(s);
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true, def.checkpoint_every = 20;
	cairn_recording *rec = w ? cairn_recording_create(FILE_A, w, &def, &error) : NULL;
	bool ok = rec != NULL;
	for (uint32_t i = 1; ok && i <= NAP; ++i) {
		cairn_body_def late = yard_body(cube, m, v3_make(0, -9, 9));
		if (i == LATE)
			ok = cairn_world_add_body(w, &late, &error).generation != 0; /* dynamic: wakes nobody */
		cairn_step_report report = cairn_world_step(w);
		ok = ok && report.status == CAIRN_STEP_OK && cairn_recording_append(rec, w, &report, &error);
		cairn_body bodies[32];
		uint32_t count = cairn_world_bodies(w, bodies, 32), sleepers = 0;
		for (uint32_t k = 0; k < count; ++k)
			sleepers += asleep[i][cairn_world_body_info(w, bodies[k]).serial] = cairn_world_body_asleep(w, bodies[k]);
		ok = ok && sleepers == report.asleep;
	}
	ok = ok && cairn_recording_finish(rec, &error);
	cairn_world_destroy(w);
	return ok;
}

/* How many keys of sleepers there are; each must be as noted. asleep NULL: there must be none. */
static uint32_t check_sleepers(const char *path, uint32_t last, bool asleep[NAP + 1][32])
{
	cairn_recording *rec = cairn_recording_open(path, NULL, NULL);
	uint32_t count = 0;
	CHECK(rec && cairn_recording_get_info(rec).last_frame == last);
	for (uint32_t i = 0; rec && i <= last; ++i) {
		cairn_frame frame;
		CHECK(cairn_recording_read(rec, i, &frame, NULL));
		for (uint32_t k = 0; k < frame.key_count; ++k) {
			uint32_t serial = cairn_recording_track(rec, frame.keys[k].track).info.serial;
			CHECK(frame.keys[k].asleep == (asleep && asleep[i][serial]));
			count += frame.keys[k].asleep;
		}
	}
	cairn_recording_close(rec);
	return count;
}

static void seal(const file_chunk *c, uint8_t *payload)
{
	uint32_t crc = cn_crc32(0, payload, c->length);
	for (int i = 0; i < 4; ++i)
		payload[c->length + (size_t)i] = (uint8_t)(crc >> 8 * i);
}

static void check_forged(bytes b, uint32_t frame, const char *reason)
{
	REQUIRE(write_bytes(FILE_B, b.data, b.size));
	cairn_recording *rec = cairn_recording_open(FILE_B, NULL, NULL);
	REQUIRE(rec);
	cairn_recording_info info = cairn_recording_get_info(rec);
	CHECK(info.damaged && info.last_frame == frame - 1);
	CHECK_HAS(info.note, reason);
	cairn_recording_close(rec);
}

static bool asleep[NAP + 1][32];

TEST(sleepers)
{
	REQUIRE(doze(asleep));
	CHECK(check_sleepers(FILE_A, NAP, asleep) > 100);
	/* The same from the worlds of the recording. */
	cairn_recording *rec = cairn_recording_open(FILE_A, NULL, NULL);
	REQUIRE(rec);
	for (uint32_t i = 0; i <= NAP; i += 15) {
		cairn_world *w = cairn_recording_world_at(rec, i, NULL, NULL);
		REQUIRE(w);
		for (uint32_t t = 0; t < cairn_recording_get_info(rec).bodies; ++t) {
			cairn_track track = cairn_recording_track(rec, t);
			if (cairn_world_has_body(w, track.body))
				CHECK(cairn_world_body_asleep(w, track.body) == asleep[i][track.info.serial]);
		}
		cairn_world_destroy(w);
	}
	cairn_recording_close(rec);
}

/* Without its chunks, as older versions wrote it: the same motion, and nobody sleeps. Cut off: as far as it goes. */
TEST(sleepers_missing_or_torn)
{
	bytes b = read_bytes(FILE_A), old = {.data = malloc(b.size), .size = 16};
	REQUIRE(b.size > 16 && old.data);
	memcpy(old.data, b.data, 16);
	file_chunk c;
	uint32_t cuts = 0, chunks = 0;
	for (size_t at = 16; next_chunk(b, &at, &c);) {
		if (strcmp(c.kind, "SLEP") == 0) {
			++chunks;
			continue;
		}
		memcpy(old.data + old.size, b.data + c.at, c.size);
		old.size += c.size;
	}
	REQUIRE(write_bytes(FILE_B, old.data, old.size));
	CHECK(chunks > 20 && chunks < NAP && old.size < b.size);
	CHECK_INT(check_sleepers(FILE_B, NAP, NULL), 0);
	for (size_t at = 16; next_chunk(b, &at, &c);)
		for (size_t cut = 1; strcmp(c.kind, "SLEP") == 0 && cut <= c.size && cuts < 60; ++cut, ++cuts) {
			REQUIRE(write_bytes(FILE_B, b.data, c.at + cut));
			(void)check_sleepers(FILE_B, c.frame - 1, asleep);
		}
	CHECK_INT(cuts, 60);
	free(old.data);
	free(b.data);
}

TEST(sleepers_forged)
{
	bytes b = read_bytes(FILE_A);
	file_chunk c, found = {0};
	for (size_t at = 16; next_chunk(b, &at, &c);)
		if (strcmp(c.kind, "SLEP") == 0 && c.frame < LATE)
			found = c;
	REQUIRE(found.at > 0 && found.length == 4 + 2); /* door, 11 cubes, ball: 13 bits */
	uint8_t *p = b.data + found.at + 20;
	static const struct {
		size_t at;
		uint8_t flip;
		const char *reason;
	} cases[] = {{0, 13 ^ 14, "not of its bodies"},
	             {0, 13 ^ 12, "makes no sense"}, /* the ball's bit is past the end: 0 today, so one more below */
	             {0, 13 ^ 40, "makes no sense"},
	             {0, 13, "makes no sense"},
	             {3, 0xff, "makes no sense"},
	             {5, 0x20, "makes no sense"},
	             {4, 1, "which only a dynamic one can"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		p[cases[i].at] ^= cases[i].flip;
		if (i == 1)
			p[5] ^= 0x10;
		seal(&found, p);
		check_forged(b, found.frame, cases[i].reason);
		if (i == 1)
			p[5] ^= 0x10;
		p[cases[i].at] ^= cases[i].flip;
	}
	p[4] ^= 2; /* another bit, unsealed */
	check_forged(b, found.frame, "checksum");
	free(b.data);
}

/* What the frames say of their steps is what the steps say when they are taken again, or nothing. */
static void check_debt(const char *path, bool there)
{
	cairn_recording *rec = cairn_recording_open(path, NULL, NULL);
	REQUIRE(rec && cairn_recording_get_info(rec).last_frame == NAP);
	cairn_world *w = cairn_recording_world_at(rec, 0, NULL, NULL);
	REQUIRE(w);
	uint32_t moved = 0;
	for (uint32_t i = 0; i < LATE; ++i) { /* an input comes then */
		cairn_frame f;
		REQUIRE(cairn_recording_read(rec, i, &f, NULL));
		cairn_step_report r = {0};
		if (i > 0)
			r = cairn_world_step(w);
		CHECK_INT(f.report.steps, there ? r.steps : 0);
		CHECK(f.report.movers == (there ? r.movers : 0) && f.report.debtors == (there ? r.debtors : 0));
		CHECK(f.report.debt == (there ? r.debt : 0) && f.report.debt_mean == (there ? r.debt_mean : 0));
		CHECK(f.report.debtor.index == (there ? r.debtor.index : 0));
		moved += f.report.movers;
	}
	CHECK((moved > 0) == there);
	cairn_world_destroy(w);
	cairn_recording_close(rec);
}

/* Without its chunks, as older versions wrote it: the same motion, and nothing is known of its steps. */
TEST(debt)
{
	check_debt(FILE_A, true);
	bytes b = read_bytes(FILE_A), old = {.data = malloc(b.size), .size = 16};
	REQUIRE(b.size > 16 && old.data);
	memcpy(old.data, b.data, 16);
	file_chunk c;
	uint32_t chunks = 0;
	for (size_t at = 16; next_chunk(b, &at, &c);) {
		if (strcmp(c.kind, "DEBT") == 0) {
			++chunks;
			continue;
		}
		memcpy(old.data + old.size, b.data + c.at, c.size);
		old.size += c.size;
	}
	CHECK_INT(chunks, NAP); /* in all frames but the first */
	REQUIRE(write_bytes(FILE_B, old.data, old.size));
	check_debt(FILE_B, false);
	free(old.data);
	free(b.data);
}

static void put_double(uint8_t *at, double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	for (int i = 0; i < 8; ++i)
		at[i] = (uint8_t)(bits >> 8 * i);
}

TEST(debt_forged)
{
	bytes b = read_bytes(FILE_A);
	file_chunk c, found = {0};
	REQUIRE(b.size > 16);
	for (size_t at = 16; next_chunk(b, &at, &c);)
		if (strcmp(c.kind, "DEBT") == 0 && c.frame == 30)
			found = c;
	REQUIRE(found.at > 0 && found.length == 3 * 4 + 2 * 8 + 8);
	uint8_t *p = b.data + found.at + 20;
	/* steps, movers, debtors; debt, mean; index and generation of the debtor */
	static const struct {
		uint8_t counts[3], debtor[2];
		double debt, mean;
		bool good;
	} cases[] = {{{1, 0, 0}, {0, 0}, 0, 0, true},         {{16, 4, 2}, {3, 1}, 0.5, 0.25, true},
	             {{1, 2, 0}, {3, 1}, 0.5, 0.5, true},     {{0, 4, 2}, {3, 1}, 0.5, 0.25, false},
	             {{1, 2, 3}, {3, 1}, 0.5, 0.25, false},   {{1, 0, 0}, {3, 1}, 0.5, 0.25, false},
	             {{1, 4, 2}, {0, 0}, 0.5, 0.25, false},   {{1, 4, 2}, {31, 1}, 0.5, 0.25, false},
	             {{1, 4, 2}, {3, 9}, 0.5, 0.25, false},   {{1, 4, 0}, {3, 1}, 0, 0, false},
	             {{1, 4, 1}, {0, 0}, 0, 0, false},        {{1, 4, 2}, {3, 1}, 0.25, 0.5, false},
	             {{1, 4, 2}, {3, 1}, -0.5, -0.5, false},  {{1, 4, 2}, {3, 1}, 0.5, -0.25, false},
	             {{1, 4, 2}, {3, 1}, INFINITY, 1, false}, {{1, 4, 2}, {3, 1}, NAN, 0.25, false},
	             {{1, 4, 2}, {3, 1}, 0.5, NAN, false}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		memset(p, 0, found.length);
		for (int k = 0; k < 3; ++k)
			p[4 * k] = cases[i].counts[k];
		put_double(p + 12, cases[i].debt);
		put_double(p + 20, cases[i].mean);
		p[28] = cases[i].debtor[0], p[32] = cases[i].debtor[1];
		seal(&found, p);
		if (!cases[i].good) {
			check_forged(b, found.frame, "what it says of its steps makes no sense");
			continue;
		}
		REQUIRE(write_bytes(FILE_B, b.data, b.size));
		cairn_recording *rec = cairn_recording_open(FILE_B, NULL, NULL);
		cairn_frame f;
		REQUIRE(rec && !cairn_recording_get_info(rec).damaged && cairn_recording_read(rec, found.frame, &f, NULL));
		CHECK_INT(f.report.steps, cases[i].counts[0]);
		CHECK(f.report.debt == cases[i].debt && f.report.debtor.index == cases[i].debtor[0]);
		cairn_recording_close(rec);
	}
	p[0] ^= 1; /* unsealed */
	check_forged(b, found.frame, "checksum");
	free(b.data);
	CHECK(remove(FILE_A) == 0 && remove(FILE_B) == 0);
}

/* An allocator that fails once, at the call that is asked for. */
typedef struct shortage {
	uint32_t calls, fail;
} shortage;

static void *resize_short(void *context, void *block, size_t old_size, size_t new_size)
{
	shortage *s = context;
	cairn_allocator plain = cairn_default_allocator();
	if (new_size > 0 && ++s->calls == s->fail)
		return NULL;
	return plain.resize(plain.context, block, old_size, new_size);
}

/* Memory that runs out on the way to a frame is said to be that, and not another version of the library. */
TEST(world_at_short_of_memory)
{
	cairn_error error = {0};
	uint32_t refused = 0;
	REQUIRE(doze(asleep));
	cairn_recording *rec = cairn_recording_open(FILE_A, NULL, &error);
	REQUIRE(rec);
	for (uint32_t fail = 1;; ++fail) {
		shortage s = {.fail = fail};
		cairn_world_def def = {.allocator = {&s, resize_short}, .threads = 1};
		error = (cairn_error){0};
		cairn_world *world = cairn_recording_world_at(rec, 12, &def, &error);
		if (world) {
			cairn_world_destroy(world);
			if (s.calls < fail)
				break;
			continue;
		}
		++refused;
		CHECK_INT(error.code, CAIRN_MEMORY);
	}
	CHECK(refused > 50);
	cairn_recording_close(rec);
}

TEST_MAIN(TEST_CASE(world_at_every_frame), TEST_CASE(world_at_compares_the_hash), TEST_CASE(world_at_short_of_memory),
          TEST_CASE(sleepers), TEST_CASE(sleepers_missing_or_torn), TEST_CASE(sleepers_forged), TEST_CASE(debt),
          TEST_CASE(debt_forged))
