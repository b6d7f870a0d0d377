/* Reading a recording: opening and closing, what is in it, one frame at a time.
 *
 * The scan (recording_scan.c) has checked the file; a frame is checked again when it is read, because the file may have
 * changed since. */
#include "record/recording.h"

#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CN_STAGE_NAMES_MAX = 256 }; /* different names in one recording: more is nonsense */

cairn_recording_info cairn_recording_get_info(const cairn_recording *rec)
{
	assert(rec);
	cairn_recording_info info = {.first_frame = rec->first_frame,
	                             .last_frame = rec->last_frame,
	                             .bodies = rec->bodies,
	                             .hash = rec->chain,
	                             .size = rec->store.size,
	                             .complete = rec->in.complete,
	                             .truncated = rec->in.truncated,
	                             .damaged = rec->in.damaged};
	(void)snprintf(info.note, sizeof info.note, "%s", rec->in.note);
	(void)snprintf(info.version, sizeof info.version, "%s", rec->version);
	return info;
}

const cairn_scene *cairn_recording_scene(const cairn_recording *rec)
{
	assert(rec && !rec->writing);
	return rec->in.scene;
}

cairn_track cairn_recording_track(const cairn_recording *rec, uint32_t index)
{
	assert(rec && !rec->writing && index < rec->in.track_count);
	return rec->in.tracks[index];
}

uint32_t cairn_recording_exempt_count(const cairn_recording *rec)
{
	assert(rec && !rec->writing);
	return rec->in.exempt_count;
}

void cairn_recording_exempt(const cairn_recording *rec, uint32_t index, uint32_t *a, uint32_t *b)
{
	assert(rec && !rec->writing && index < rec->in.exempt_count);
	*a = rec->in.exempt[index][0];
	*b = rec->in.exempt[index][1];
}

/* The recording's own copy of a stage's name; NULL with the error filled. */
static const char *intern(cairn_recording *rec, cn_stage_name name, cairn_error *error)
{
	cn_record_in *in = &rec->in;
	for (uint32_t i = 0; i < in->stage_name_count; ++i)
		if (strncmp(in->stage_names[i], name.text, name.length) == 0 && in->stage_names[i][name.length] == 0)
			return in->stage_names[i];
	if (in->stage_name_count == CN_STAGE_NAMES_MAX) {
		(void)cn_fail(error, CAIRN_FILE, "", "too many names of stages");
		return NULL;
	}
	char *text = NULL;
	if (cn_grow(&rec->allocator, (void **)&in->stage_names, &in->stage_name_capacity, in->stage_name_count + 1,
	            sizeof *in->stage_names))
		text = cn_alloc(&rec->allocator, (size_t)name.length + 1, 1);
	if (!text) {
		(void)cn_fail_memory(error);
		return NULL;
	}
	memcpy(text, name.text, name.length);
	in->stage_names[in->stage_name_count++] = text;
	return text;
}

static bool decode_times(cairn_recording *rec, cn_reader *r, cairn_step_report *report, cairn_error *error)
{
	cn_stage_name names[CAIRN_MAX_STAGES];
	cn_get_times(r, report, names);
	if (r->failed || cn_reader_left(r) > 0)
		return cn_fail(error, CAIRN_FILE, "", "the times of the step make no sense");
	for (uint32_t i = 0; i < report->stage_count; ++i)
		if (!(report->stage_names[i] = intern(rec, names[i], error)))
			return false;
	return true;
}

/* Which of a frame's moving bodies sleep: a bit each, in the order of their keys. No bits: none does. */
typedef struct sleepers {
	const uint8_t *bits;
	uint32_t count;
} sleepers;

static bool sleeps(const sleepers *s, uint32_t moving) { return s->bits && s->bits[moving / 8] >> moving % 8 & 1; }

static bool decode_sleepers(cn_reader *r, sleepers *out, cairn_error *error)
{
	uint32_t count = cn_get_u32(r), size = count / 8 + (count % 8 != 0);
	const uint8_t *bits = cn_get_bytes(r, size);
	if (r->failed || size == 0 || cn_reader_left(r) > 0 || (count % 8 && bits[size - 1] >> count % 8))
		return cn_fail(error, CAIRN_FILE, "", "its list of sleeping bodies makes no sense");
	*out = (sleepers){bits, count};
	return true;
}

static bool push_key(cairn_recording *rec, uint32_t track, const cairn_key *key, cairn_error *error)
{
	cn_record_in *in = &rec->in;
	if (!cn_grow(&rec->allocator, (void **)&in->keys, &in->key_capacity, in->key_count + 1, sizeof *in->keys))
		return cn_fail_memory(error);
	in->keys[in->key_count++] = (cairn_track_key){.track = track, .key = *key};
	return true;
}

/* What a frame's keys must fit. */
typedef struct moment {
	uint32_t frame;
	double after, until;
	sleepers asleep;
} moment;

/* The keys of one moving body, which must be the next in the bytes. */
static bool decode_keys(cairn_recording *rec, cn_reader *r, uint32_t track, const moment *at, cairn_error *error)
{
	uint32_t serial = cn_get_u32(r), count = cn_get_u8(r);
	if (r->failed || serial != rec->in.tracks[track].info.serial || count < 1 || count > CN_FRAME_KEYS_MAX)
		return cn_fail(error, CAIRN_FILE, "", "its keys are not those of the bodies that live then");
	for (uint32_t k = 0; k < count; ++k) {
		double time = k + 1 < count ? cn_get_f64(r) : at->until;
		cairn_key key = cn_get_key(r);
		key.time = time;
		/* A body that is new may begin at the very time of the frame before. */
		bool born = rec->in.tracks[track].first_frame == at->frame;
		if (r->failed || !(born ? time >= at->after : time > at->after) || !(time <= at->until) ||
		    (k > 0 && !(time > rec->in.keys[rec->in.key_count - 1].key.time)))
			return cn_fail(error, CAIRN_FILE, "", "a key of body %u makes no sense", (unsigned)serial);
		if (!push_key(rec, track, &key, error))
			return false;
	}
	return true;
}

/* Keys of all bodies that live at the frame, in the order of the tracks. */
static bool decode_all_keys(cairn_recording *rec, cn_reader *r, const moment *at, cairn_error *error)
{
	cn_record_in *in = &rec->in;
	uint32_t moving = cn_get_count(r, 5 + CN_KEY_BYTES), left = moving;
	in->key_count = 0;
	if (at->asleep.bits && at->asleep.count != moving)
		return cn_fail(error, CAIRN_FILE, "", "its list of sleeping bodies is not of its bodies");
	for (uint32_t t = 0; t < in->track_count; ++t) {
		const cairn_track *track = &in->tracks[t];
		if (at->frame < track->first_frame || at->frame > track->last_frame)
			continue;
		if (track->info.type == CAIRN_FIXED) {
			cairn_key key = track->first_key;
			key.time = at->until;
			if (!push_key(rec, t, &key, error))
				return false;
			continue;
		}
		if (left == 0)
			return cn_fail(error, CAIRN_FILE, "", "body %u has no key", (unsigned)track->info.serial);
		bool sleeping = sleeps(&at->asleep, moving - left--);
		if (sleeping && track->info.type != CAIRN_DYNAMIC)
			return cn_fail(error, CAIRN_FILE, "", "body %u sleeps, which only a dynamic one can",
			               (unsigned)track->info.serial);
		uint32_t begin = in->key_count;
		if (!decode_keys(rec, r, t, at, error))
			return false;
		for (uint32_t k = begin; k < in->key_count; ++k)
			in->keys[k].asleep = sleeping;
	}
	if (r->failed || left > 0 || cn_reader_left(r) > 0)
		return cn_fail(error, CAIRN_FILE, "", "it has keys of bodies that do not live then");
	return true;
}

static bool known_handle(const cairn_recording *rec, cairn_body body)
{
	if (body.generation == 0)
		return true;
	for (uint32_t i = 0; i < rec->in.track_count; ++i)
		if (rec->in.tracks[i].body.index == body.index && rec->in.tracks[i].body.generation == body.generation)
			return true;
	return false;
}

/* What a frame says in chunks of their own, as far as they are there. */
typedef struct beside {
	cairn_step_report report;
	sleepers asleep;
} beside;

static bool all_taken(const cn_record_chunk *chunk)
{
	return !chunk->payload.failed && cn_reader_left(&chunk->payload) == 0;
}

static bool decode_late(const cairn_recording *rec, cn_record_chunk *chunk, cairn_step_report *report)
{
	cn_get_late(&chunk->payload, report);
	for (uint32_t i = 0; i < CAIRN_MAX_LATE; ++i)
		chunk->payload.failed |= !known_handle(rec, report->scripts[i].body);
	return all_taken(chunk);
}

/* False: the chunk makes no sense, and error says so. */
static bool decode_one(cairn_recording *rec, cn_record_chunk *chunk, beside *b, cairn_error *error)
{
	switch (chunk->kind) {
	case CN_CHUNK_DEPTH:
		cn_get_depth(&chunk->payload, &b->report);
		return (all_taken(chunk) && known_handle(rec, b->report.deep_a) && known_handle(rec, b->report.deep_b)) ||
		       cn_fail(error, CAIRN_FILE, "", "what it says of overlaps makes no sense");
	case CN_CHUNK_DEBT:
		cn_get_debt(&chunk->payload, &b->report);
		return (all_taken(chunk) && known_handle(rec, b->report.debtor)) ||
		       cn_fail(error, CAIRN_FILE, "", "what it says of its steps makes no sense");
	case CN_CHUNK_LATE:
		return decode_late(rec, chunk, &b->report) ||
		       cn_fail(error, CAIRN_FILE, "", "what it says of its scripts makes no sense");
	case CN_CHUNK_JOINTS:
		cn_get_joints(&chunk->payload, &b->report);
		return all_taken(chunk) || cn_fail(error, CAIRN_FILE, "", "what it says of its joints makes no sense");
	case CN_CHUNK_COUNTS:
		cn_get_counts(&chunk->payload, &b->report);
		return all_taken(chunk) || cn_fail(error, CAIRN_FILE, "", "its counts make no sense");
	case CN_CHUNK_SLEEP: return decode_sleepers(&chunk->payload, &b->asleep, error);
	default: return decode_times(rec, &chunk->payload, &b->report, error);
	}
}

/* Fills b; *chunk is the first that is none of them. */
static bool decode_beside(cairn_recording *rec, cn_reader *chunks, cn_record_chunk *chunk, beside *b,
                          cairn_error *error)
{
	static const uint32_t order[] = {CN_CHUNK_DEPTH,  CN_CHUNK_DEBT,  CN_CHUNK_LATE, CN_CHUNK_JOINTS,
	                                 CN_CHUNK_COUNTS, CN_CHUNK_SLEEP, CN_CHUNK_TIMES};
	bool whole = cn_chunk_next(chunks, chunk);
	for (size_t i = 0; i < CN_COUNT(order) && whole; ++i) {
		if (chunk->kind != order[i])
			continue;
		if (!decode_one(rec, chunk, b, error))
			return false;
		whole = cn_chunk_next(chunks, chunk);
	}
	if (!whole || chunk->kind != CN_CHUNK_FRAME || cn_reader_left(chunks) > 0)
		return cn_fail(error, CAIRN_FILE, "", "a checksum is wrong");
	return true;
}

/* The report of the frame's own chunk takes over what the others said. */
static void complete_report(cairn_frame *out, const cairn_step_report *said)
{
	cairn_step_report *r = &out->report;
	r->frame = out->frame;
	r->time = out->time;
	r->steps = said->steps, r->movers = said->movers, r->debtors = said->debtors;
	r->debt = said->debt, r->debt_mean = said->debt_mean, r->debtor = said->debtor;
	r->measured = said->measured, r->depth = said->depth;
	r->deep_a = said->deep_a, r->deep_b = said->deep_b;
	r->late = said->late;
	memcpy(r->scripts, said->scripts, sizeof r->scripts);
	r->joint_error = said->joint_error;
	r->broken = said->broken;
	r->frozen = said->frozen, r->text_fallbacks = said->text_fallbacks;
	r->guesses = said->guesses, r->second_guesses = said->second_guesses;
	r->ms = said->ms;
	r->stage_count = said->stage_count;
	memcpy(r->stage_ms, said->stage_ms, sizeof r->stage_ms);
	memcpy(r->stage_names, said->stage_names, sizeof r->stage_names);
}

bool cn_recording_decode(cairn_recording *rec, cn_reader *chunks, double after, cairn_frame *out, uint64_t *chain,
                         cairn_error *error)
{
	cn_record_chunk chunk;
	beside said = {0};
	if (!decode_beside(rec, chunks, &chunk, &said, error))
		return false;
	cn_reader *r = &chunk.payload;
	*out = (cairn_frame){.frame = chunk.frame, .time = cn_get_f64(r)};
	out->state_hash = cn_get_u64(r);
	*chain = cn_get_u64(r);
	cn_get_report(r, &out->report);
	uint64_t input_size = cn_get_u64(r);
	if (r->failed || !(out->time > after && isfinite(out->time)) || input_size > cn_reader_left(r) ||
	    !known_handle(rec, out->report.pair_a) || !known_handle(rec, out->report.pair_b) ||
	    !known_handle(rec, out->report.lifted))
		return cn_fail(error, CAIRN_FILE, "", "its report makes no sense");
	complete_report(out, &said.report);
	out->input_size = (size_t)input_size;
	out->inputs = cn_get_bytes(r, out->input_size);
	moment at = {out->frame, after, out->time, said.asleep};
	if (!decode_all_keys(rec, r, &at, error))
		return false;
	out->key_count = rec->in.key_count;
	out->keys = rec->in.keys;
	return true;
}

bool cn_fail_no_frame(const cairn_recording *rec, uint32_t frame, cairn_error *error)
{
	return cn_fail_file(error, rec->path, CAIRN_USAGE, "there is no frame %u; the frames are %u to %u", (unsigned)frame,
	                    (unsigned)rec->first_frame, (unsigned)rec->last_frame);
}

bool cairn_recording_read(cairn_recording *rec, uint32_t frame, cairn_frame *out, cairn_error *error)
{
	assert(rec && out && !rec->writing);
	cn_record_in *in = &rec->in;
	if (frame < rec->first_frame || frame > rec->last_frame)
		return cn_fail_no_frame(rec, frame, error);
	cn_span span = in->frames[frame - rec->first_frame];
	in->bytes.size = 0;
	uint8_t *bytes = cn_buffer_extend(&in->bytes, &rec->allocator, span.size);
	if (!bytes)
		return cn_fail_memory(error);
	cairn_error own = {0};
	if (!cn_store_read(&rec->store, span.offset, bytes, (size_t)span.size, &own)) {
		own.code = CAIRN_FILE;
		if (error)
			*error = own;
		return false;
	}
	cn_reader r = {.data = bytes, .size = (size_t)span.size};
	uint64_t chain;
	if (cn_recording_decode(rec, &r, -INFINITY, out, &chain, &own) && out->frame == frame)
		return true;
	if (own.code == CAIRN_MEMORY)
		return cn_fail_memory(error);
	return cn_fail_file(error, rec->path, CAIRN_FILE, "frame %u was damaged after the file was opened",
	                    (unsigned)frame);
}
