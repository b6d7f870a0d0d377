/* Recordings that are torn, flipped, forged, cut off by a full disk or a killed process, or no recordings at all. */
#if !defined(__wasi__)
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

#include "base/hash.h"
#include "recording_run.h"

#define FILE_A "test_recording_damage_a.cairn"
#define FILE_B "test_recording_damage_b.cairn"

/* All that a reader gives of a frame, but for times, as one number. */
static uint64_t digest(cairn_recording *rec, uint32_t number)
{
	cairn_frame f;
	if (!cairn_recording_read(rec, number, &f, NULL))
		return 0;
	uint64_t h = cn_hash_u64(CN_HASH_START, f.key_count);
	for (uint32_t i = 0; i < f.key_count; ++i) {
		const cairn_key *k = &f.keys[i].key;
		double x[] = {k->time,       k->position.x,    k->position.y,    k->position.z,    k->orientation.w,
		              k->velocity.x, k->orientation.x, k->orientation.y, k->orientation.z, k->velocity.y,
		              k->velocity.z, k->spin.x,        k->spin.y,        k->spin.z,        k->turn.x,
		              k->turn.y,     k->turn.z};
		h = cn_hash_u64(h, f.keys[i].track);
		for (size_t j = 0; j < sizeof x / sizeof x[0]; ++j)
			h = cn_hash_double(h, x[j]);
	}
	h = cn_hash_u64(cn_hash_u64(h, f.state_hash), cn_crc32(0, f.inputs, f.input_size));
	for (uint32_t i = 0; i < f.report.stage_count; ++i)
		h = cn_hash_u64(h, cn_crc32(0, f.report.stage_names[i], strlen(f.report.stage_names[i])));
	return cn_hash_u64(cn_hash_double(h, f.report.energy.kinetic), f.report.moving);
}

typedef struct reference {
	bytes file;
	uint64_t digests[64];
	size_t ends[64]; /* of each frame in the file */
	uint32_t last;
} reference;

static bool make_reference(reference *ref, uint32_t boxes, uint32_t frames, uint32_t every)
{
	*ref = (reference){.last = frames};
	cairn_recording *rec = record(FILE_A, boxes, frames, every) ? cairn_recording_open(FILE_A, NULL, NULL) : NULL;
	if (!rec)
		return false;
	for (uint32_t i = 0; i <= frames; ++i)
		ref->digests[i] = digest(rec, i);
	cairn_recording_close(rec);
	ref->file = read_bytes(FILE_A);
	file_chunk c;
	for (size_t at = 16; next_chunk(ref->file, &at, &c);)
		if (strcmp(c.kind, "FRAM") == 0)
			ref->ends[c.frame] = at;
	return true;
}

/* How many frames of the file end at or before a byte. */
static uint32_t frames_before(const reference *ref, size_t at)
{
	uint32_t count = 0;
	while (count <= ref->last && ref->ends[count] <= at)
		++count;
	return count;
}

static bool same_content(cairn_recording *rec, const reference *ref)
{
	cairn_recording_info info = cairn_recording_get_info(rec);
	bool same = info.last_frame <= ref->last;
	for (uint32_t i = 0; same && i <= info.last_frame; ++i)
		same = digest(rec, i) == ref->digests[i];
	return same;
}

/* Writes over a file of at most this size without emptying it first: many times faster on a journalling file system. */
static bool overwrite(const char *path, bytes b)
{
	FILE *file = fopen(path, "r+b");
	if (!file)
		return false;
	bool ok = fwrite(b.data, 1, b.size, file) == b.size;
	return fclose(file) == 0 && ok;
}

/* The file grows byte by byte. */
TEST(truncated_anywhere)
{
	reference ref;
	REQUIRE(make_reference(&ref, 1, 4, 2));
	REQUIRE(write_bytes(FILE_B, ref.file.data, 0));
	for (size_t size = 0; size < ref.file.size; ++size) {
		cairn_error error = {0};
		uint32_t whole = frames_before(&ref, size);
		FILE *file = size > 0 ? fopen(FILE_B, "ab") : NULL;
		if (file) {
			fputc(ref.file.data[size - 1], file);
			fclose(file);
		}
		cairn_recording *rec = cairn_recording_open(FILE_B, NULL, &error);
		CHECK((rec != NULL) == (whole > 0));
		if (!rec) {
			CHECK_INT(error.code, CAIRN_FILE);
			CHECK_HAS(error.message, size < 16 ? "ends inside its head" : "ends before its first frame");
			continue;
		}
		cairn_recording_info info = cairn_recording_get_info(rec);
		CHECK_INT(info.last_frame, whole - 1);
		CHECK(!info.damaged && !info.complete && info.truncated == (ref.ends[whole - 1] != size));
		CHECK((info.note[0] != 0) == info.truncated);
		if (size % 97 == 0 || !info.truncated)
			CHECK(same_content(rec, &ref));
		cairn_recording_close(rec);
	}
	free(ref.file.data);
}

TEST(note_of_a_truncated_one)
{
	reference ref;
	REQUIRE(make_reference(&ref, 1, 4, 2));
	REQUIRE(write_bytes(FILE_B, ref.file.data, ref.ends[3] - 1));
	cairn_recording *rec = cairn_recording_open(FILE_B, NULL, NULL);
	REQUIRE(rec);
	CHECK_TEXT(cairn_recording_get_info(rec).note, "ends inside frame 3; frames 0 to 2 are whole");
	cairn_recording_close(rec);
	free(ref.file.data);
}

TEST(flipped_anywhere)
{
	reference ref;
	REQUIRE(make_reference(&ref, 1, 4, 2) && write_bytes(FILE_B, ref.file.data, ref.file.size));
	for (size_t at = 0; at < ref.file.size; ++at) {
		cairn_error error = {0};
		uint32_t whole = frames_before(&ref, at);
		uint8_t flip = (uint8_t)(at % 3 == 0 ? 0xff : 1 << at % 8);
		ref.file.data[at] ^= flip;
		REQUIRE(overwrite(FILE_B, ref.file));
		ref.file.data[at] ^= flip;
		cairn_recording *rec = cairn_recording_open(FILE_B, NULL, &error);
		CHECK((rec != NULL) == (whole > 0));
		if (!rec) {
			CHECK_INT(error.code, CAIRN_FILE);
			CHECK_TEXT(error.file, FILE_B);
			CHECK_HAS(error.message, at < 8 ? "is not a cairn recording" : "is damaged");
			continue;
		}
		cairn_recording_info info = cairn_recording_get_info(rec);
		CHECK(info.damaged && !info.truncated && !info.complete);
		CHECK_INT(info.last_frame, whole - 1);
		char named[32];
		(void)snprintf(named, sizeof named, "frame %u is damaged", (unsigned)whole);
		CHECK_HAS(info.note, whole <= ref.last ? named : "damaged");
		if (at % 97 == 0)
			CHECK(same_content(rec, &ref));
		cairn_recording_close(rec);
	}
	free(ref.file.data);
}

static void put_number(uint8_t *at, uint64_t x, int size)
{
	for (int i = 0; i < size; ++i)
		at[i] = (uint8_t)(x >> (8 * i));
}

/* Changes a few bytes of one payload and makes the checksums right again. */
static void forge(bytes b, uint64_t *random, uint32_t chunks)
{
	file_chunk c = {0};
	uint64_t which = cn_random_u64(random) % chunks;
	for (size_t at = 16; next_chunk(b, &at, &c) && which-- > 0;)
		;
	uint8_t *payload = b.data + c.at + 20;
	for (uint64_t n = 1 + cn_random_u64(random) % 3; n > 0 && c.length > 0; --n) {
		size_t place = (size_t)(cn_random_u64(random) % c.length);
		static const uint8_t extremes[] = {0, 1, 0x7f, 0x80, 0xf0, 0xff};
		uint64_t choice = cn_random_u64(random);
		if (choice % 4 == 0 && place + 4 <= c.length) /* a whole count or half a number */
			memset(payload + place, extremes[choice / 4 % 6], 4);
		else
			payload[place] = choice % 4 == 1 ? extremes[choice / 4 % 6] : (uint8_t)(choice >> 8);
	}
	if (strcmp(c.kind, "CHKP") == 0) /* a snapshot ends with a checksum of its own */
		put_number(payload + c.length - 4, cn_crc32(0, payload, c.length - 4), 4);
	put_number(b.data + c.at + 20 + c.length, cn_crc32(0, payload, c.length), 4);
	put_number(b.data + c.at + 16, cn_crc32(0, b.data + c.at, 16), 4);
}

/* Forged files have the right checksums: whatever is in them, nothing crashes, and every number that is given out is
 * one that a key may have. */
TEST(forged)
{
	reference ref;
	REQUIRE(make_reference(&ref, 2, 9, 3) && write_bytes(FILE_B, ref.file.data, ref.file.size));
	uint32_t chunks = 0, refused = 0, shorter = 0, same = 0;
	file_chunk c;
	for (size_t at = 16; next_chunk(ref.file, &at, &c);)
		++chunks;
	bytes copy = {.data = malloc(ref.file.size), .size = ref.file.size};
	uint64_t random = 7;
	for (int round = 0; round < 4000; ++round) {
		cairn_error error = {0};
		memcpy(copy.data, ref.file.data, ref.file.size);
		forge(copy, &random, chunks);
		REQUIRE(overwrite(FILE_B, copy));
		cairn_recording *rec = cairn_recording_open(FILE_B, NULL, &error);
		if (!rec) {
			CHECK(error.code == CAIRN_FILE);
			++refused;
			continue;
		}
		cairn_recording_info info = cairn_recording_get_info(rec);
		*(info.damaged ? &shorter : &same) += 1;
		for (uint32_t i = info.first_frame; i <= info.last_frame; ++i) {
			cairn_frame f;
			REQUIRE(cairn_recording_read(rec, i, &f, &error));
			for (uint32_t k = 0; k < f.key_count; ++k) {
				const cairn_key *key = &f.keys[k].key;
				CHECK(f.keys[k].track < info.bodies && isfinite(key->time) && isfinite(key->position.x));
				CHECK_NEAR(sqrt(key->orientation.w * key->orientation.w + key->orientation.x * key->orientation.x +
				                key->orientation.y * key->orientation.y + key->orientation.z * key->orientation.z),
				           1, 1e-3);
			}
		}
		if (round % 4 == 0)
			cairn_world_destroy(cairn_recording_world(rec, NULL, &error));
		cairn_recording_close(rec);
		if (round % 8 == 0) {
			cairn_world *world;
			cairn_recording_close(cairn_recording_resume(FILE_B, NULL, NULL, &world, &error));
			cairn_world_destroy(world);
		}
	}
	CHECK(refused > 100 && shorter > 100 && same > 100);
	free(copy.data);
	free(ref.file.data);
}

/* The payload of the frame's chunk of a kind; the checksum is made right by seal. */
static uint8_t *payload_of(bytes b, const char *kind, uint32_t frame, file_chunk *c)
{
	for (size_t at = 16; next_chunk(b, &at, c);)
		if (c->frame == frame && strcmp(c->kind, kind) == 0)
			return b.data + c->at + 20;
	return NULL;
}

static void seal(bytes b, const file_chunk *c)
{
	put_number(b.data + c->at + 20 + c->length, cn_crc32(0, c->payload, c->length), 4);
}

/* Opens what has been forged in frame 3 of the reference: it must be called damaged, for the reason. */
static void check_forged(bytes b, const char *reason)
{
	REQUIRE(overwrite(FILE_B, b));
	cairn_recording *rec = cairn_recording_open(FILE_B, NULL, NULL);
	REQUIRE(rec);
	cairn_recording_info info = cairn_recording_get_info(rec);
	CHECK(info.damaged && info.last_frame == 2);
	CHECK_HAS(info.note, "frame 3 is damaged");
	CHECK_HAS(info.note, reason);
	cairn_recording_close(rec);
}

TEST(forged_on_purpose)
{
	reference ref;
	REQUIRE(make_reference(&ref, 2, 9, 3) && write_bytes(FILE_B, ref.file.data, ref.file.size));
	bytes b = {.data = malloc(ref.file.size), .size = ref.file.size};
	file_chunk c;
	static const struct {
		size_t at;
		int size;
		uint64_t value;
		const char *reason;
	} cases[] = {{0, 8, 0, "report"},                             /* time 0: not after frame 2 */
	             {0, 8, 0x7ff8000000000000, "report"},            /* NaN */
	             {0, 8, 0x3fb999999999999b, "not that of"},       /* the least bit above 0.1 */
	             {8, 8, 1, "hash does not follow"},               /* the state */
	             {16, 8, 1, "hash does not follow"},              /* the chain */
	             {24, 1, 9, "report"},                            /* status */
	             {73, 4, 9, "report"},                            /* tiers */
	             {117, 4, 77, "report"},                          /* a pair of bodies that never were */
	             {133, 4, 0xffffffff, "report"},                  /* count of energies */
	             {137, 8, 0x7ff0000000000000, "report"},          /* infinite energy */
	             {225, 8, 0x7ff8000000000000, "report"},          /* lift NaN */
	             {233, 4, 77, "report"},                          /* a lifted body that never was */
	             {241, 1, 4, "report"},                           /* verdict */
	             {274, 8, 0x7ff8000000000000, "report"},          /* gap of the certificate NaN */
	             {282, 8, 0xbff0000000000000, "report"},          /* rounding bound of -1 */
	             {290, 8, 0xffffffffffffffff, "report"},          /* length of inputs */
	             {298, 4, 0xffffffff, "has no key"},              /* count of bodies */
	             {302, 4, 2, "not those of the bodies"},          /* serial */
	             {306, 1, 0, "not those of the bodies"},          /* count of keys */
	             {306, 1, 66, "not those of the bodies"},         /* count of keys */
	             {307, 8, 0x7ff0000000000000, "makes no sense"},  /* infinite position */
	             {307, 8, 0x7900000000000000, "makes no sense"},  /* a position whose square is infinite */
	             {331, 8, 0x4000000000000000, "makes no sense"},  /* orientation of w = 2 */
	             {411, 8, 0x4000000000000000, "makes no sense"}}; /* a turn of 2 rad */
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		memcpy(b.data, ref.file.data, b.size);
		uint8_t *payload = payload_of(b, "FRAM", 3, &c);
		REQUIRE(payload);
		if (cases[i].value == 77)
			put_number(payload + cases[i].at + 4, 1, 4); /* a generation, else it is no handle */
		put_number(payload + cases[i].at, cases[i].value, cases[i].size);
		seal(b, &c);
		check_forged(b, cases[i].reason);
	}
	free(b.data);
	free(ref.file.data);
}

static void check_refused(const char *path, const char *part)
{
	cairn_error error = {0};
	cairn_world *world;
	CHECK(!cairn_recording_open(path, NULL, &error));
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_HAS(error.message, part);
	CHECK_TEXT(error.file, path);
	CHECK(!cairn_recording_resume(path, NULL, NULL, &world, &error) && !world && error.code == CAIRN_FILE);
}

TEST(not_recordings)
{
	reference ref;
	REQUIRE(make_reference(&ref, 1, 4, 2));
	check_refused("no/such/folder/x.cairn", "cannot be opened");
	REQUIRE(write_bytes(FILE_B, (const uint8_t *)"", 0));
	check_refused(FILE_B, "ends inside its head");
	REQUIRE(write_bytes(FILE_B, (const uint8_t *)"glTF and more than sixteen", 26));
	check_refused(FILE_B, "is not a cairn recording");
	put_number(ref.file.data + 8, 3, 4);
	put_number(ref.file.data + 12, cn_crc32(0, ref.file.data, 12), 4);
	REQUIRE(write_bytes(FILE_B, ref.file.data, ref.file.size));
	check_refused(FILE_B, "is a recording of version 3; this library reads version 2");
	free(ref.file.data);
}

TEST(damaged_is_not_resumed)
{
	reference ref;
	cairn_error error = {0};
	cairn_world *world;
	REQUIRE(make_reference(&ref, 1, 4, 2));
	ref.file.data[ref.ends[2] + 30] ^= 4;
	REQUIRE(write_bytes(FILE_B, ref.file.data, ref.file.size));
	CHECK(!cairn_recording_resume(FILE_B, NULL, NULL, &world, &error) && !world);
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_HAS(error.message, "frame 3 is damaged");
	bytes after = read_bytes(FILE_B);
	CHECK(after.size == ref.file.size && memcmp(after.data, ref.file.data, after.size) == 0);
	free(after.data);
	free(ref.file.data);
}

/* After a power cut the last blocks of a file may be zeros. Wherever they begin, the frames before are whole, and the
 * run goes on from there to the bits of an unbroken one. */
TEST(zeros_at_the_end)
{
	reference ref;
	REQUIRE(make_reference(&ref, 1, 4, 2));
	bytes b = {.data = malloc(ref.file.size), .size = ref.file.size};
	for (size_t begin = ref.ends[1] + 1; begin + 40 < ref.file.size; begin += 97) {
		memcpy(b.data, ref.file.data, b.size);
		memset(b.data + begin, 0, b.size - begin);
		REQUIRE(overwrite(FILE_B, b));
		cairn_recording *rec = cairn_recording_open(FILE_B, NULL, NULL);
		REQUIRE(rec);
		cairn_recording_info info = cairn_recording_get_info(rec);
		cairn_recording_close(rec);
		CHECK(info.truncated && !info.damaged && !info.complete);
		CHECK_HAS(info.note, "ends in zeros");
		CHECK(info.last_frame >= 1 && ref.ends[info.last_frame] <= begin);
		CHECK(info.last_frame == 4 || ref.ends[info.last_frame + 1] > begin);
		cairn_world *world = NULL;
		cairn_error error = {0};
		rec = cairn_recording_resume(FILE_B, NULL, NULL, &world, &error);
		REQUIRE(rec);
		while (cairn_world_frame(world) < 4) {
			cairn_step_report report = cairn_world_step(world);
			CHECK(cairn_recording_append(rec, world, &report, &error));
		}
		uint64_t hash = cairn_recording_get_info(rec).hash;
		cairn_recording_close(rec);
		cairn_world_destroy(world);
		rec = cairn_recording_open(FILE_A, NULL, &error);
		REQUIRE(rec);
		CHECK(cairn_recording_get_info(rec).hash == hash);
		cairn_recording_close(rec);
	}
	free(b.data);
	free(ref.file.data);
}

/* A chunk of a kind that this version does not know is passed over. */
TEST(unknown_chunk)
{
	reference ref;
	REQUIRE(make_reference(&ref, 1, 4, 2));
	uint8_t chunk[26] = "NEWS";
	put_number(chunk + 4, 2, 8);
	put_number(chunk + 12, 3, 4);
	put_number(chunk + 16, cn_crc32(0, chunk, 16), 4);
	put_number(chunk + 22, cn_crc32(0, chunk + 20, 2), 4);
	FILE *file = fopen(FILE_B, "wb");
	REQUIRE(file);
	fwrite(ref.file.data, 1, ref.ends[2], file);
	fwrite(chunk, 1, sizeof chunk, file);
	fwrite(ref.file.data + ref.ends[2], 1, ref.file.size - ref.ends[2], file);
	fclose(file);
	cairn_recording *rec = cairn_recording_open(FILE_B, NULL, NULL);
	REQUIRE(rec);
	CHECK(cairn_recording_get_info(rec).complete && same_content(rec, &ref));
	cairn_recording_close(rec);
	free(ref.file.data);
}

TEST(misuse_that_is_reported)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	cairn_world *world = make_world(NULL, 1);
	REQUIRE(world && write_bytes(FILE_B, (const uint8_t *)"precious", 8));
	CHECK(!cairn_recording_create(FILE_B, world, &def, &error));
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_HAS(error.message, "exists");
	CHECK_HAS(error.message, "--force");
	bytes kept = read_bytes(FILE_B);
	CHECK(kept.size == 8 && memcmp(kept.data, "precious", 8) == 0);
	free(kept.data);
	CHECK(!cairn_recording_create("no/such/folder/x.cairn", world, &def, &error) && error.code == CAIRN_FILE);

	remove(FILE_B);
	cairn_recording *rec = cairn_recording_create(FILE_B, world, &def, &error);
	REQUIRE(rec);
	cairn_step_report first = cairn_world_step(world);
	CHECK(give_inputs(world, 5));
	CHECK(!cairn_recording_append(rec, world, &first, &error) && error.code == CAIRN_USAGE);
	CHECK_HAS(error.message, "inputs came after the step to frame 1");
	cairn_step_report second = cairn_world_step(world);
	CHECK(!cairn_recording_append(rec, world, &first, &error) && error.code == CAIRN_USAGE);
	CHECK(!cairn_recording_append(rec, world, &second, &error) && error.code == CAIRN_USAGE);
	CHECK_HAS(error.message, "the world is at frame 2; frame 1 comes next");
	cairn_recording_close(rec);
	cairn_world_destroy(world);
	rec = cairn_recording_open(FILE_B, NULL, &error);
	REQUIRE(rec);
	CHECK_INT(cairn_recording_get_info(rec).last_frame, 0);
	cairn_recording_close(rec);
}

/* A world that goes back to what it was has bodies again that the file took for gone: it would be called damaged. */
TEST(restored_on_the_way)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_world *world = make_world(NULL, 2);
	REQUIRE(world);
	size_t size = cairn_world_snapshot_size(world);
	uint8_t *early = malloc(size);
	REQUIRE(early && cairn_world_snapshot(world, early, size, &error));
	REQUIRE(cairn_world_remove_body(world, cairn_world_find_body(world, "box1"), &error));
	cairn_recording *rec = cairn_recording_create(FILE_B, world, &def, &error);
	REQUIRE(rec);
	REQUIRE(cairn_world_restore(world, early, size, &error));
	cairn_step_report report = cairn_world_step(world);
	CHECK(!cairn_recording_append(rec, world, &report, &error) && error.code == CAIRN_USAGE);
	CHECK_HAS(error.message, "was restored to an earlier state");
	cairn_recording_close(rec);
	rec = cairn_recording_open(FILE_B, NULL, &error);
	REQUIRE(rec);
	CHECK(cairn_recording_get_info(rec).last_frame == 0 && !cairn_recording_get_info(rec).damaged);
	cairn_recording_close(rec);
	rec = cairn_recording_create(FILE_B, world, &def, &error); /* from here on it may be recorded */
	report = cairn_world_step(world);
	CHECK(rec && cairn_recording_append(rec, world, &report, &error));
	cairn_recording_close(rec);
	free(early);
	cairn_world_destroy(world);
}

#if !defined(__wasi__)
TEST(full_device)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	if (access("/dev/full", W_OK) != 0)
		return;
	cairn_world *world = make_world(NULL, 1);
	CHECK(!cairn_recording_create("/dev/full", world, &def, &error));
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_HAS(error.message, "No space left");
	CHECK(access("/dev/full", F_OK) == 0);
	cairn_world_destroy(world);
}

/* The system takes no more than so many bytes, as on a full disk, and then again. */
TEST(full_disk)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_world *world = make_world(NULL, 4);
	REQUIRE(world && record(FILE_A, 4, 40, 60));
	cairn_recording *rec = cairn_recording_create(FILE_B, world, &def, &error);
	REQUIRE(rec);
	struct rlimit before, small;
	REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
	signal(SIGXFSZ, SIG_IGN);
	small = before;
	small.rlim_cur = 30001;
	REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
	bool ok = true;
	uint32_t last = 0;
	for (uint32_t i = 1; ok && i <= 40; ++i) {
		ok = give_inputs(world, i - 1);
		cairn_step_report report = cairn_world_step(world);
		ok = ok && cairn_recording_append(rec, world, &report, &error);
		last = ok ? i : last;
	}
	CHECK(!ok && last > 2 && last < 40);
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_HAS(error.message, "cannot be written");
	CHECK_INT(cairn_recording_get_info(rec).last_frame, last);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK(!cairn_recording_finish(rec, &error) && error.code == CAIRN_FILE);
	cairn_world_destroy(world);

	rec = cairn_recording_open(FILE_B, NULL, &error);
	REQUIRE(rec);
	CHECK_INT(cairn_recording_get_info(rec).last_frame, last);
	cairn_recording_close(rec);
	rec = cairn_recording_resume(FILE_B, NULL, NULL, &world, &error);
	REQUIRE(rec);
	CHECK(run_to(rec, world, 40) && cairn_recording_finish(rec, &error));
	cairn_world_destroy(world);
	bytes a = read_bytes(FILE_A), b = read_bytes(FILE_B), kept_a = without_times(a), kept_b = without_times(b);
	CHECK(kept_a.size == kept_b.size && memcmp(kept_a.data, kept_b.data, kept_a.size) == 0);
	free(a.data);
	free(b.data);
	free(kept_a.data);
	free(kept_b.data);
}

static long size_of(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return 0;
	fseek(file, 0, SEEK_END);
	long size = ftell(file);
	fclose(file);
	return size;
}

TEST(killed)
{
	for (long stop = 20000; stop <= 400000; stop *= 4) {
		remove(FILE_B);
		pid_t child = fork();
		REQUIRE(child >= 0);
		if (child == 0) {
			(void)record(FILE_B, 4, 1000000, 10);
			_exit(0);
		}
		for (int i = 0; i < 20000 && size_of(FILE_B) < stop; ++i)
			nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
		kill(child, SIGKILL);
		int status;
		CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
		cairn_error error = {0};
		cairn_recording *rec = cairn_recording_open(FILE_B, NULL, &error);
		REQUIRE(rec);
		cairn_recording_info info = cairn_recording_get_info(rec);
		CHECK(!info.damaged && info.last_frame > 2);
		cairn_recording_close(rec);
		cairn_world *world;
		rec = cairn_recording_resume(FILE_B, NULL, NULL, &world, &error);
		REQUIRE(rec);
		CHECK_INT(cairn_world_frame(world), info.last_frame);
		CHECK(run_to(rec, world, info.last_frame + 3) && cairn_recording_finish(rec, &error));
		cairn_world_destroy(world);
	}
}
#endif

TEST(clean_up) { CHECK(remove(FILE_A) == 0 && remove(FILE_B) == 0); }

#if defined(__wasi__)
#define SYSTEM_CASES
#else
#define SYSTEM_CASES TEST_CASE(full_device), TEST_CASE(full_disk), TEST_CASE(killed),
#endif

TEST_MAIN(TEST_CASE(truncated_anywhere), TEST_CASE(note_of_a_truncated_one), TEST_CASE(flipped_anywhere),
          TEST_CASE(forged), TEST_CASE(forged_on_purpose), TEST_CASE(not_recordings), TEST_CASE(damaged_is_not_resumed),
          TEST_CASE(zeros_at_the_end), TEST_CASE(unknown_chunk), TEST_CASE(misuse_that_is_reported),
          TEST_CASE(restored_on_the_way), SYSTEM_CASES TEST_CASE(clean_up))
