/* Snapshots: any bytes are brought back or refused with a message. What is refused changes nothing; what is brought back can be
 * stepped, and gives a snapshot again. Checksum, version and scene are made right first, or nothing but these would be tested. */
#include "base/hash.h"
#include "cairn/cairn.h"
#include "fuzz.h"

#include <string.h>

static const char scene_text[] =
	"{\"version\": 1, \"bodies\": [{\"name\": \"floor\", \"type\": \"fixed\", \"shape\": {\"halfspace\": {\"normal\": "
	"[0, 0, 1]}}},"
	" {\"name\": \"a\", \"shape\": {\"box\": [1, 1, 1]}, \"position\": [0, 0, 0.5]},"
	" {\"name\": \"b\", \"shape\": {\"sphere\": 0.4}, \"position\": [0.1, 0, 1.41], \"spin\": [0, 9, 1]},"
	" {\"name\": \"c\", \"shape\": {\"capsule\": {\"radius\": 0.2, \"length\": 0.5}}, \"position\": [3, 0, 2]},"
	" {\"name\": \"d\", \"shape\": {\"box\": [0.2, 0.2, 0.6]}, \"position\": [4, 0, 2]},"
	" {\"name\": \"s\", \"type\": \"scripted\", \"shape\": {\"box\": [0.5, 0.5, 0.5]}, \"position\": [-1.5, 0, 0.3],"
	" \"keys\": [{\"time\": 0.1, \"position\": [-1.5, 0, 0.3]}, {\"time\": 1, \"position\": [1, 0, 0.3]}]}],"
	" \"joints\": [{\"type\": \"hinge\", \"bodies\": [\"c\", \"world\"], \"point\": [3, 0, 2.5], \"axis\": [0, 1, 0]},"
	" {\"type\": \"distance\", \"bodies\": [\"c\", \"d\"], \"points\": [[3, 0, 2], [4, 0, 2]], \"limits\": [0, 1]}],"
	" \"generators\": [{\"name\": \"e\", \"emit\": {\"count\": 3, \"every\": 2}, \"grid\": {\"count\": [1, 1, 1], "
	"\"spacing\": 1, "
	"\"origin\": [0, 5, 3]},"
	" \"body\": {\"shape\": {\"sphere\": 0.3}}}]}";

enum { HEAD = 16 }; /* magic, version, fingerprint of the scene */

static cairn_world *world;
static uint8_t *whole;
static size_t whole_size;

static void begin(void)
{
	cairn_error e = {0};
	cairn_world_def d = cairn_default_world_def();
	d.threads = 1;
	cairn_scene *scene = cairn_scene_read_text(scene_text, sizeof scene_text - 1, "x.json", NULL, NULL, &e);
	world = scene ? cairn_world_create(scene, &d, &e) : NULL;
	EXPECT(world);
	cairn_scene_destroy(scene);
	cairn_drag_def drag = cairn_default_drag_def();
	drag.body = cairn_world_find_body(world, "b"), drag.target = (cairn_vec3){1, 1, 2};
	cairn_shape_def shape = cairn_default_shape_def(CAIRN_BOX);
	shape.size = (cairn_vec3){0.3, 0.2, 0.1};
	EXPECT(cairn_world_drag(world, &drag, &e) && cairn_world_add_shape(world, &shape, &e).generation);
	for (int i = 0; i < 5; ++i)
		EXPECT(cairn_world_step(world).status == CAIRN_STEP_OK);
	whole_size = cairn_world_snapshot_size(world);
	whole = malloc(whole_size);
	EXPECT(whole && cairn_world_snapshot(world, whole, whole_size, &e));
	FILE *file = getenv("FUZZ_SNAPSHOT_SEED") ? fopen(getenv("FUZZ_SNAPSHOT_SEED"), "wb") : NULL; /* for the corpus */
	if (file)
		EXPECT(fwrite(whole, 1, whole_size, file) == whole_size && fclose(file) == 0);
}

/* The bytes themselves, or, after a first byte that is odd, changes to a whole snapshot: three bytes each, where and what, and one
 * that may cut it off. In memory of just that size, so that a byte too far is seen. */
static uint8_t *make_bytes(const uint8_t *data, size_t *size)
{
	size_t given = *size;
	bool changes = given > 2 && data[0] & 1;
	if (changes)
		*size = whole_size - (data[0] & 6 ? 0 : data[1]);
	uint8_t *bytes = malloc(*size ? *size : 1);
	EXPECT(bytes);
	if (given)
		memcpy(bytes, changes ? whole : data, *size);
	for (size_t i = 2; changes && i + 3 <= given && i < 5 + 3 * (size_t)(data[0] >> 5); i += 3)
		bytes[((size_t)data[i] << 8 | data[i + 1]) % *size] = data[i + 2];
	if (*size < HEAD + 4)
		return bytes;
	memcpy(bytes, whole, HEAD);
	uint32_t sum = cn_crc32(0, bytes, *size - 4);
	for (int i = 0; i < 4; ++i)
		bytes[*size - 4 + (size_t)i] = (uint8_t)(sum >> (8 * i));
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cairn_error e = {0};
	if (!world)
		begin();
	EXPECT(cairn_world_restore(world, whole, whole_size, &e));
	uint8_t *bytes = make_bytes(data, &size);
	uint64_t before = cairn_world_hash(world);
	bool ok = cairn_world_restore(world, bytes, size, &e);
	free(bytes);
	EXPECT(ok || (e.code != CAIRN_OK && e.message[0] && cairn_world_hash(world) == before));
	for (int i = 0; ok && i < 2; ++i)
		(void)cairn_world_step(world);
	size_t again = cairn_world_snapshot_size(world);
	uint8_t *copy = malloc(again);
	EXPECT(copy && cairn_world_snapshot(world, copy, again, &e) && cairn_world_restore(world, copy, again, &e));
	free(copy);
	return 0;
}
