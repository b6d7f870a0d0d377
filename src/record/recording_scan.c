/* Opening a recording: the whole file is read once, every checksum and every number is checked, and the bodies' lives
 * and the places of the frames are noted.
 *
 * Chunks come in groups, one for each frame, that end with the frame's own chunk. A group counts only when all of it
 * is there and makes sense: a file that ends inside a group is truncated, a wrong checksum or content that contradicts
 * itself is damage, and in both cases what was read before stands. */
#include "record/recording.h"

#include "base/hash.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum found {
	FOUND_FRAME,
	FOUND_END,     /* nothing follows, or only the end mark */
	FOUND_TORN,    /* the file ends inside the group */
	FOUND_DAMAGED, /* error.message says what */
	FOUND_FAILED   /* memory ran out or the system cannot read; error says so */
} found;

typedef struct scan {
	cairn_recording *rec;
	uint64_t at;      /* where the next chunk begins */
	uint32_t frame;   /* of the group */
	bool started;     /* the first chunk gave the number of the first frame */
	cn_buffer chunks; /* of the group, without checkpoints and chunks of unknown kinds */
	cn_span checkpoint;
	bool end;              /* reached the end mark, whole or not */
	bool zeros;            /* from here on the file has nothing else, as after a power cut */
	uint64_t frame_offset; /* in the file: sleepers, times and frame */
	size_t frame_begin;    /* the same in chunks */
	cairn_error error;
} scan;

static found damaged(scan *s, const char *what)
{
	(void)cn_fail(&s->error, CAIRN_FILE, "", "%s", what);
	return FOUND_DAMAGED;
}

/* CAIRN_OK marks a file that became shorter, CAIRN_FILE a system that cannot read. */
static found read_failed(const scan *s) { return s->error.code == CAIRN_OK ? FOUND_TORN : FOUND_FAILED; }

/* Checks the payload of a chunk without keeping it. */
static found pass_payload(scan *s, const cn_record_chunk *chunk)
{
	uint8_t block[4096];
	uint64_t at = s->at + CN_CHUNK_HEAD_BYTES, left = chunk->length;
	uint32_t crc = 0;
	for (; left > 0;) {
		size_t size = left < sizeof block ? (size_t)left : sizeof block;
		if (!cn_store_read(&s->rec->store, at, block, size, &s->error))
			return read_failed(s);
		crc = cn_crc32(crc, block, size);
		at += size;
		left -= size;
	}
	if (!cn_store_read(&s->rec->store, at, block, 4, &s->error))
		return read_failed(s);
	cn_reader r = {.data = block, .size = 4};
	return cn_get_u32(&r) == crc ? FOUND_FRAME : damaged(s, "checksum");
}

/* Reads a chunk after its head into the group's bytes and checks it. */
static found keep_payload(scan *s, const uint8_t *head, cn_record_chunk *chunk)
{
	size_t begin = s->chunks.size;
	uint8_t *bytes = cn_buffer_extend(&s->chunks, &s->rec->allocator, CN_CHUNK_FRAMING + chunk->length);
	if (!bytes) {
		(void)cn_fail_memory(&s->error);
		return FOUND_FAILED;
	}
	size_t size = s->chunks.size - begin;
	memcpy(bytes, head, CN_CHUNK_HEAD_BYTES);
	if (!cn_store_read(&s->rec->store, s->at + CN_CHUNK_HEAD_BYTES, bytes + CN_CHUNK_HEAD_BYTES,
	                   size - CN_CHUNK_HEAD_BYTES, &s->error))
		return read_failed(s);
	cn_reader r = {.data = bytes, .size = size};
	return cn_chunk_next(&r, chunk) ? FOUND_FRAME : damaged(s, "checksum");
}

static found note_checkpoint(scan *s, const cn_record_chunk *chunk)
{
	if (s->checkpoint.size > 0 || s->frame_offset != 0)
		return damaged(s, "chunks are out of order");
	s->checkpoint = (cn_span){s->at, CN_CHUNK_FRAMING + chunk->length};
	return pass_payload(s, chunk);
}

/* The end mark stands alone and last. */
static found note_end(scan *s, const uint8_t *head, cn_record_chunk *chunk)
{
	cairn_recording *rec = s->rec;
	bool alone = s->chunks.size == 0 && s->checkpoint.size == 0;
	found what = keep_payload(s, head, chunk);
	if (what != FOUND_FRAME)
		return what;
	cn_reader *r = &chunk->payload;
	if (!alone || rec->in.frame_count == 0 || cn_get_u64(r) != rec->chain || r->failed || cn_reader_left(r) > 0)
		return damaged(s, "the end mark makes no sense");
	if (s->at + CN_CHUNK_FRAMING + chunk->length < rec->store.size)
		return damaged(s, "bytes follow the end mark");
	rec->in.complete = true;
	return FOUND_END;
}

/* One chunk of the group. FOUND_FRAME: go on, the group is whole if the chunk is a frame. */
static found read_chunk(scan *s, cn_record_chunk *chunk)
{
	cn_store *store = &s->rec->store;
	uint8_t head[CN_CHUNK_HEAD_BYTES];
	uint64_t left = store->size - s->at;
	if (left < CN_CHUNK_HEAD_BYTES)
		return FOUND_TORN;
	if (!cn_store_read(store, s->at, head, sizeof head, &s->error))
		return read_failed(s);
	if (!cn_chunk_head(head, chunk))
		return damaged(s, "checksum of a chunk's head");
	if (!s->started) {
		s->started = true;
		s->frame = chunk->frame;
	}
	bool end = s->end = chunk->kind == CN_CHUNK_DONE;
	if (end ? s->frame == 0 || chunk->frame != s->frame - 1 : chunk->frame != s->frame || s->frame == CN_ALIVE)
		return damaged(s, "a chunk of another frame is in its place");
	if (left < CN_CHUNK_FRAMING || chunk->length > left - CN_CHUNK_FRAMING)
		return FOUND_TORN;
	if (end)
		return note_end(s, head, chunk);
	switch (chunk->kind) {
	case CN_CHUNK_CHECKPOINT: return note_checkpoint(s, chunk);
	case CN_CHUNK_DEPTH:
	case CN_CHUNK_DEBT:
	case CN_CHUNK_LATE:
	case CN_CHUNK_JOINTS:
	case CN_CHUNK_COUNTS:
	case CN_CHUNK_SLEEP:
	case CN_CHUNK_TIMES:
	case CN_CHUNK_FRAME:
		if (s->frame_offset == 0) {
			s->frame_offset = s->at;
			s->frame_begin = s->chunks.size;
		}
		return keep_payload(s, head, chunk);
	case CN_CHUNK_SCENE:
	case CN_CHUNK_SHAPES:
	case CN_CHUNK_MATERIALS:
	case CN_CHUNK_BODIES:
	case CN_CHUNK_EXEMPT:
	case CN_CHUNK_RATE:
		if (s->frame_offset != 0)
			return damaged(s, "chunks are out of order");
		if (chunk->kind == CN_CHUNK_SCENE)
			s->rec->in.start = (cn_span){s->at, CN_CHUNK_FRAMING + chunk->length};
		return keep_payload(s, head, chunk);
	default: /* from a later version that this one can do without */
		return s->frame_offset != 0 ? damaged(s, "chunks are out of order") : pass_payload(s, chunk);
	}
}

static bool take_scene(scan *s, cn_reader *r)
{
	cairn_recording *rec = s->rec;
	if (rec->in.scene || rec->in.frame_count > 0)
		return cn_fail(&s->error, CAIRN_FILE, "", "a second scene");
	rec->checkpoint_every = cn_get_u32(r);
	uint32_t size = cn_get_u32(r);
	const uint8_t *version = cn_get_bytes(r, size);
	if (!version || size >= sizeof rec->version)
		return cn_fail(&s->error, CAIRN_FILE, "", "it does not say which version wrote it");
	memcpy(rec->version, version, size);
	rec->version[size] = 0;
	cairn_error error = {0};
	rec->in.scene = cn_scene_get(r, &rec->allocator, &error);
	if (!rec->in.scene && error.code == CAIRN_MEMORY)
		return cn_fail_memory(&s->error);
	if (!rec->in.scene || r->failed || cn_reader_left(r) > 0)
		return cn_fail(&s->error, CAIRN_FILE, "", "its scene makes no sense%s%s", error.message[0] ? ": " : "",
		               error.message);
	rec->fps = cairn_scene_settings(rec->in.scene).fps;
	return true;
}

/* Shapes or materials that came during the run. */
static bool take_additions(scan *s, cn_reader *r, bool shapes)
{
	cairn_scene *scene = s->rec->in.scene;
	uint32_t first = cn_get_u32(r), count = cn_get_count(r, 1);
	bool ok = scene && first == (shapes ? cairn_scene_shape_count(scene) : cairn_scene_material_count(scene));
	cn_arena scratch = cn_arena_make(&s->rec->allocator);
	cairn_error error = {0};
	for (uint32_t i = 0; i < count && ok && !r->failed; ++i) {
		cairn_shape_def shape;
		cairn_material_def material;
		if (shapes)
			ok = cn_get_shape_def(r, &scratch, &shape) && cairn_scene_add_shape(scene, &shape, &error).generation;
		else
			ok = cn_get_material_def(r, &scratch, &material) &&
			     cairn_scene_add_material(scene, &material, &error).generation;
	}
	cn_arena_free(&scratch);
	if (error.code == CAIRN_MEMORY || scratch.failed)
		return cn_fail_memory(&s->error);
	if (!ok || r->failed || cn_reader_left(r) > 0)
		return cn_fail(&s->error, CAIRN_FILE, "", "a new %s makes no sense", shapes ? "shape" : "material");
	return true;
}

/* The track of a serial among the first count, or count. */
static uint32_t find_track(const cn_record_in *in, uint32_t count, uint32_t serial)
{
	uint32_t low = 0, high = count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (in->tracks[middle].info.serial < serial)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && in->tracks[low].info.serial == serial ? low : count;
}

static bool take_birth(scan *s, cn_reader *r)
{
	cn_record_in *in = &s->rec->in;
	if (!cn_grow(&s->rec->allocator, (void **)&in->tracks, &in->track_capacity, in->track_count + 1,
	             sizeof *in->tracks))
		return cn_fail_memory(&s->error);
	cairn_track *track = &in->tracks[in->track_count];
	bool ok = cn_get_body(r, &s->rec->allocator, track);
	if (!ok && !r->failed)
		return cn_fail_memory(&s->error);
	const cairn_body_info *info = &track->info;
	ok = ok && info->shape.generation == 1 && info->shape.index < cairn_scene_shape_count(in->scene) &&
	     (info->visual.generation == 0 ||
	      (info->visual.generation == 1 && info->visual.index < cairn_scene_shape_count(in->scene))) &&
	     (info->material.generation == 0 ||
	      (info->material.generation == 1 && info->material.index < cairn_scene_material_count(in->scene))) &&
	     info->serial != UINT32_MAX && (in->track_count == 0 || info->serial > track[-1].info.serial);
	if (!ok) {
		cn_free_text(&s->rec->allocator, (char *)info->name);
		return cn_fail(&s->error, CAIRN_FILE, "", "a new body makes no sense");
	}
	track->first_frame = s->frame;
	track->last_frame = CN_ALIVE;
	++in->track_count;
	return true;
}

static bool take_bodies(scan *s, cn_reader *r)
{
	cn_record_in *in = &s->rec->in;
	uint32_t deaths = cn_get_count(r, 4), before = in->track_count;
	for (uint32_t i = 0; i < deaths; ++i) {
		uint32_t serial = cn_get_u32(r), track = find_track(in, before, serial);
		if (track == before || in->tracks[track].last_frame != CN_ALIVE || in->tracks[track].first_frame == s->frame)
			return cn_fail(&s->error, CAIRN_FILE, "", "body %u leaves that is not there", (unsigned)serial);
		in->tracks[track].last_frame = s->frame - 1;
	}
	uint32_t births = cn_get_count(r, CN_BODY_LEAST_BYTES);
	for (uint32_t i = 0; i < births && in->scene; ++i)
		if (!take_birth(s, r))
			return false;
	if (r->failed || cn_reader_left(r) > 0 || !in->scene)
		return cn_fail(&s->error, CAIRN_FILE, "", "its list of bodies makes no sense");
	return true;
}

static bool take_exempt(scan *s, cn_reader *r)
{
	cn_record_in *in = &s->rec->in;
	uint32_t count = cn_get_count(r, 8);
	if (count > UINT32_MAX - in->exempt_count ||
	    !cn_grow(&s->rec->allocator, (void **)&in->exempt, &in->exempt_capacity, in->exempt_count + count,
	             sizeof *in->exempt))
		return cn_fail_memory(&s->error);
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t a = find_track(in, in->track_count, cn_get_u32(r));
		uint32_t b = find_track(in, in->track_count, cn_get_u32(r));
		if (a >= b || b == in->track_count)
			return cn_fail(&s->error, CAIRN_FILE, "", "an exempt pair makes no sense");
		in->exempt[in->exempt_count][0] = a;
		in->exempt[in->exempt_count++][1] = b;
	}
	if (r->failed || cn_reader_left(r) > 0)
		return cn_fail(&s->error, CAIRN_FILE, "", "its list of exempt pairs makes no sense");
	return true;
}

/* Frames a second, where they changed before this frame. */
static bool take_rate(scan *s, cn_reader *r)
{
	cairn_recording *rec = s->rec;
	rec->fps = cn_get_f64(r);
	rec->fps_changed = true;
	if (r->failed || cn_reader_left(r) > 0 || !(rec->fps > 0 && isfinite(rec->fps)))
		return cn_fail(&s->error, CAIRN_FILE, "", "its frames a second make no sense");
	return true;
}

/* The frame itself: the chain of hashes must hold, and new tracks get their first key. */
static bool take_frame(scan *s)
{
	cairn_recording *rec = s->rec;
	cn_record_in *in = &rec->in;
	bool first = in->frame_count == 0;
	cn_reader r = {.data = s->chunks.data + s->frame_begin, .size = s->chunks.size - s->frame_begin};
	cairn_frame frame;
	uint64_t chain;
	if (first && (!in->scene || s->checkpoint.size == 0))
		return cn_fail(&s->error, CAIRN_FILE, "", "it begins without a scene or without a checkpoint");
	if (!cn_recording_decode(rec, &r, first ? -INFINITY : rec->last_time, &frame, &chain, &s->error))
		return false;
	if (!cn_recording_on_time(rec, frame.frame, frame.time, first))
		return cn_fail(&s->error, CAIRN_FILE, "", "its time of %g s is not that of its number", frame.time);
	if (chain != cn_hash_u64(first ? CN_HASH_START : rec->chain, frame.state_hash))
		return cn_fail(&s->error, CAIRN_FILE, "", "its hash does not follow from the one before");
	if (!cn_grow(&rec->allocator, (void **)&in->frames, &in->frame_capacity, in->frame_count + 1, sizeof *in->frames) ||
	    !cn_grow(&rec->allocator, (void **)&in->checkpoints, &in->checkpoint_capacity, in->checkpoint_count + 1,
	             sizeof *in->checkpoints))
		return cn_fail_memory(&s->error);
	for (uint32_t i = 0; i < frame.key_count; ++i) {
		cairn_track *track = &in->tracks[frame.keys[i].track];
		if (track->first_frame == s->frame && (i == 0 || frame.keys[i - 1].track != frame.keys[i].track))
			track->first_key = frame.keys[i].key;
	}
	if (first)
		rec->first_frame = s->frame;
	if (s->checkpoint.size > 0)
		in->checkpoints[in->checkpoint_count++] = (cn_checkpoint){s->frame, s->checkpoint};
	rec->chain = chain;
	rec->last_frame = s->frame;
	rec->last_time = frame.time;
	in->frames[in->frame_count++] = (cn_span){s->frame_offset, s->at - s->frame_offset};
	in->whole = s->at;
	return true;
}

/* Undoes what a group that does not count has begun. Its deaths may stand: they end lives at the frame before, which is
 * the last one then. */
static void drop_group(scan *s, uint32_t tracks, uint32_t exempt)
{
	cn_record_in *in = &s->rec->in;
	while (in->track_count > tracks)
		cn_free_text(&s->rec->allocator, (char *)in->tracks[--in->track_count].info.name);
	in->exempt_count = exempt;
}

/* Takes a group whose checksums are right. */
static found take_group(scan *s)
{
	uint32_t tracks = s->rec->in.track_count, exempt = s->rec->in.exempt_count;
	cn_reader r = {.data = s->chunks.data, .size = s->frame_begin};
	cn_record_chunk chunk;
	bool ok = true;
	while (ok && cn_reader_left(&r) > 0) {
		ok = cn_chunk_next(&r, &chunk);
		assert(ok); /* checked when it was read */
		switch (chunk.kind) {
		case CN_CHUNK_SCENE: ok = take_scene(s, &chunk.payload); break;
		case CN_CHUNK_SHAPES:
		case CN_CHUNK_MATERIALS: ok = take_additions(s, &chunk.payload, chunk.kind == CN_CHUNK_SHAPES); break;
		case CN_CHUNK_BODIES: ok = take_bodies(s, &chunk.payload); break;
		case CN_CHUNK_RATE: ok = take_rate(s, &chunk.payload); break;
		default: ok = take_exempt(s, &chunk.payload);
		}
	}
	if (ok && take_frame(s))
		return FOUND_FRAME;
	drop_group(s, tracks, exempt);
	return s->error.code == CAIRN_FILE ? FOUND_DAMAGED : FOUND_FAILED;
}

/* Whether a chunk that is damaged, and all after it, is a part that never reached the disk: its checksum and what follows
 * are zeros. */
static bool ends_in_zeros(scan *s)
{
	uint8_t block[4096];
	cn_record_chunk chunk;
	cairn_error error;
	uint64_t at = s->at + CN_CHUNK_HEAD_BYTES - 4, size = s->rec->store.size; /* the head's own checksum */
	if (!cn_store_read(&s->rec->store, s->at, block, CN_CHUNK_HEAD_BYTES, &error))
		return false;
	if (cn_chunk_head(block, &chunk)) /* it is the payload, then, which lies in the file */
		at = s->at + CN_CHUNK_FRAMING + chunk.length - 4;
	while (at < size) {
		size_t count = size - at < sizeof block ? (size_t)(size - at) : sizeof block;
		if (!cn_store_read(&s->rec->store, at, block, count, &error))
			return false;
		for (size_t i = 0; i < count; ++i)
			if (block[i] != 0)
				return false;
		at += count;
	}
	return size > s->at + CN_CHUNK_HEAD_BYTES;
}

static found read_group(scan *s)
{
	s->chunks.size = 0;
	s->checkpoint = (cn_span){0, 0};
	s->frame_offset = 0;
	if (s->at == s->rec->store.size)
		return FOUND_END;
	for (;;) {
		cn_record_chunk chunk = {0};
		found what = read_chunk(s, &chunk);
		if (what == FOUND_DAMAGED && ends_in_zeros(s)) {
			s->zeros = true;
			return FOUND_TORN;
		}
		if (what == FOUND_DAMAGED) {
			(void)cn_fail(&s->error, CAIRN_FILE, "", "%s, chunk %s at byte %llu", s->error.message,
			              cn_kind_name(chunk.kind).text, (unsigned long long)s->at);
			return what;
		}
		if (what != FOUND_FRAME)
			return what;
		s->at += CN_CHUNK_FRAMING + chunk.length;
		if (chunk.kind == CN_CHUNK_FRAME)
			return take_group(s);
	}
}

static bool check_head(scan *s, cairn_error *error)
{
	cn_store *store = &s->rec->store;
	uint8_t bytes[CN_HEAD_BYTES] = {0};
	uint32_t version = 0;
	size_t size = store->size < sizeof bytes ? (size_t)store->size : sizeof bytes;
	if (!cn_store_read(store, 0, bytes, size, error)) {
		if (error)
			error->code = CAIRN_FILE;
		return false;
	}
	s->at = CN_HEAD_BYTES;
	switch (cn_head_check(bytes, size, &version)) {
	case CN_HEAD_FOREIGN:
		return cn_fail_file(error, store->path, CAIRN_FILE,
		                    "is not a cairn recording: it does not begin with CAIRNREC");
	case CN_HEAD_SHORT:
		return cn_fail_file(error, store->path, CAIRN_FILE,
		                    "is not a whole recording: it ends inside its head, after %u bytes", (unsigned)size);
	case CN_HEAD_DAMAGED:
		return cn_fail_file(error, store->path, CAIRN_FILE, "is damaged: the checksum of its head is wrong");
	case CN_HEAD_OTHER:
		return cn_fail_file(error, store->path, CAIRN_FILE,
		                    "is a recording of version %u; this library reads version %u", (unsigned)version,
		                    (unsigned)CN_RECORDING_VERSION);
	default: return true;
	}
}

/* What remains to be said at the end of the scan. */
static bool conclude(scan *s, found what, cairn_error *error)
{
	cairn_recording *rec = s->rec;
	cn_record_in *in = &rec->in;
	unsigned first = rec->first_frame, last = rec->last_frame;
	if (what == FOUND_FAILED) {
		if (error)
			*error = s->error;
		return false;
	}
	if (in->frame_count == 0)
		return what == FOUND_DAMAGED
		           ? cn_fail_file(error, rec->path, CAIRN_FILE, "is damaged before its first frame ends: %s",
		                          s->error.message)
		           : cn_fail_file(error, rec->path, CAIRN_FILE, "ends before its first frame is whole");
	for (uint32_t i = 0; i < in->track_count; ++i)
		if (in->tracks[i].last_frame == CN_ALIVE)
			in->tracks[i].last_frame = rec->last_frame;
	rec->bodies = in->track_count;
	in->truncated = what == FOUND_TORN;
	in->damaged = what == FOUND_DAMAGED;
	if (s->zeros)
		(void)snprintf(in->note, sizeof in->note, "ends in zeros where frame %u should be; frames %u to %u are whole",
		               last + 1, first, last);
	else if (s->end && what != FOUND_END)
		(void)snprintf(in->note, sizeof in->note, "the end mark is %s%.110s; frames %u to %u are whole",
		               in->damaged ? "damaged: " : "cut off", s->error.message, first, last);
	else if (in->truncated)
		(void)snprintf(in->note, sizeof in->note, "ends inside frame %u; frames %u to %u are whole", last + 1, first,
		               last);
	else if (in->damaged)
		(void)snprintf(in->note, sizeof in->note, "frame %u is damaged (%.110s); frames %u to %u are whole", last + 1,
		               s->error.message, first, last);
	return true;
}

bool cn_recording_scan(cairn_recording *rec, cairn_error *error)
{
	scan s = {.rec = rec};
	if (!check_head(&s, error))
		return false;
	found what = FOUND_FRAME;
	while (what == FOUND_FRAME) {
		what = read_group(&s);
		if (what == FOUND_FRAME)
			++s.frame;
	}
	cn_buffer_free(&s.chunks, &rec->allocator);
	return conclude(&s, what, error);
}

cairn_recording *cn_recording_open(const char *path, const cairn_recording_def *def, bool update, cairn_error *error)
{
	cairn_recording *rec = cn_recording_new(path, def, error);
	if (!rec)
		return NULL;
	if (!cn_store_open(&rec->store, rec->path, update, error) || !cn_recording_scan(rec, error)) {
		cairn_recording_close(rec);
		return NULL;
	}
	return rec;
}

cairn_recording *cairn_recording_open(const char *path, const cairn_recording_def *def, cairn_error *error)
{
	assert(path);
	return cn_recording_open(path, def, false, error);
}
