/* Writing a recording.
 *
 * A frame is a group of chunks: shapes and materials new to the scene, deaths and births, now and then a checkpoint,
 * the times of the step, and last the frame itself, so that a frame is whole exactly when its last chunk is. The group
 * is put together in one reused buffer and appended in one piece. Apart from the times, the bytes depend on the scene
 * and the inputs only. */
#include "record/recording.h"

#include "base/hash.h"
#include "scene/scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_start(cairn_recording *rec, const cairn_scene *scene)
{
	cn_writer *w = &rec->out.bytes;
	cn_head_put(w);
	size_t begin = cn_chunk_begin(w, CN_CHUNK_SCENE, rec->first_frame);
	cn_put_u32(w, rec->checkpoint_every);
	cn_put_text(w, cairn_version());
	cn_scene_put(w, scene);
	cn_chunk_end(w, begin);
	rec->fps = cairn_scene_settings(scene).fps;
	rec->out.shape_count = cairn_scene_shape_count(scene);
	rec->out.material_count = cairn_scene_material_count(scene);
}

/* Shapes and materials that inputs added: births may refer to them. */
static void put_additions(cairn_recording *rec, const cairn_scene *scene, uint32_t frame)
{
	cn_writer *w = &rec->out.bytes;
	uint32_t shapes = cairn_scene_shape_count(scene), materials = cairn_scene_material_count(scene);
	if (shapes > rec->out.shape_count) {
		size_t begin = cn_chunk_begin(w, CN_CHUNK_SHAPES, frame);
		cn_put_u32(w, rec->out.shape_count);
		cn_put_u32(w, shapes - rec->out.shape_count);
		for (; rec->out.shape_count < shapes; ++rec->out.shape_count) {
			cairn_shape_def def = cairn_scene_shape_at(scene, rec->out.shape_count);
			cn_put_shape_def(w, &def);
		}
		cn_chunk_end(w, begin);
	}
	if (materials > rec->out.material_count) {
		size_t begin = cn_chunk_begin(w, CN_CHUNK_MATERIALS, frame);
		cn_put_u32(w, rec->out.material_count);
		cn_put_u32(w, materials - rec->out.material_count);
		for (; rec->out.material_count < materials; ++rec->out.material_count) {
			cairn_material_def def = cairn_scene_material_at(scene, rec->out.material_count);
			cn_put_material_def(w, &def);
		}
		cn_chunk_end(w, begin);
	}
}

/* Frames a second, when they are not those that the times so far went by. */
static void put_rate(cairn_recording *rec, const cairn_world *world, bool first)
{
	double fps = cairn_scene_settings(cairn_world_scene(world)).fps;
	uint32_t frame = cairn_world_frame(world);
	bool same = fps == rec->fps && cn_recording_on_time(rec, frame, cairn_world_time(world), first);
	rec->fps = fps;
	if (same)
		return;
	rec->fps_changed = true;
	size_t begin = cn_chunk_begin(&rec->out.bytes, CN_CHUNK_RATE, frame);
	cn_put_f64(&rec->out.bytes, fps);
	cn_chunk_end(&rec->out.bytes, begin);
}

/* Finds the handles of bodies that are new and orders them by serial. False when memory ran out. */
static bool find_births(cn_record_out *out, const cairn_allocator *allocator, const cairn_world *world,
                        uint32_t *births)
{
	uint32_t count = cairn_world_body_count(world);
	*births = 0;
	if (count == out->life_count)
		return true;
	if (!cn_grow(allocator, (void **)&out->handles, &out->handle_capacity, count, sizeof *out->handles) ||
	    !cn_grow(allocator, (void **)&out->order, &out->order_capacity, count * 2, sizeof *out->order) ||
	    !cn_grow(allocator, (void **)&out->lives, &out->life_capacity, count, sizeof *out->lives))
		return false;
	(void)cairn_world_bodies(world, out->handles, count);
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t serial = cairn_world_body_info(world, out->handles[i]).serial;
		if (serial >= out->next_serial)
			out->order[(*births)++] = (cn_sort_item){serial, i};
	}
	cn_sort(out->order, out->order + count, *births);
	return true;
}

static void put_births(cairn_recording *rec, const cairn_world *world, uint32_t births)
{
	cn_record_out *out = &rec->out;
	cn_put_u32(&out->bytes, births);
	for (uint32_t i = 0; i < births; ++i) {
		cairn_body body = out->handles[out->order[i].value];
		cairn_body_info info = cairn_world_body_info(world, body);
		cairn_key key = cairn_world_body_key(world, body);
		cn_put_body(&out->bytes, body, &info, &key);
		out->lives[out->life_count++] = (cn_life){body, info.serial, info.type == CAIRN_FIXED};
		out->next_serial = info.serial + 1;
	}
	out->births += births;
}

/* Whether it is still the same body: one that an input changed has its handle, and a new serial. */
static bool lives_on(const cairn_world *world, const cn_life *life)
{
	return cairn_world_has_body(world, life->body) && cairn_world_body_info(world, life->body).serial == life->serial;
}

/* Who left and who came since the last frame. False when memory ran out, or when somebody is back who had left: only a
 * snapshot of an earlier state brings that about. */
static bool put_bodies(cairn_recording *rec, const cairn_world *world, uint32_t frame, cairn_error *error)
{
	cn_record_out *out = &rec->out;
	uint32_t deaths = 0, births, kept = 0;
	for (uint32_t i = 0; i < out->life_count; ++i)
		deaths += !lives_on(world, &out->lives[i]);
	out->old_count = out->life_count - deaths;
	if (deaths == 0 && cairn_world_body_count(world) == out->life_count)
		return true;
	size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_BODIES, frame);
	cn_put_u32(&out->bytes, deaths);
	for (uint32_t i = 0; i < out->life_count; ++i)
		if (lives_on(world, &out->lives[i]))
			out->lives[kept++] = out->lives[i];
		else
			cn_put_u32(&out->bytes, out->lives[i].serial);
	out->life_count = kept;
	if (!find_births(out, &rec->allocator, world, &births))
		return cn_fail_memory(error);
	put_births(rec, world, births);
	cn_chunk_end(&out->bytes, begin);
	return out->life_count == cairn_world_body_count(world) ||
	       cn_fail_file(
			   error, rec->path, CAIRN_USAGE,
			   "at frame %u bodies are there again that had been removed: the world was restored to an earlier state; "
			   "begin another recording",
			   (unsigned)frame);
}

/* The pairs of bodies that do not collide because joints hold them together, each once, by serial: those that are new since the
 * last frame, as a joint or one of the two is (serials from fresh on). False when memory ran out. */
static bool put_exempt(cairn_recording *rec, const cairn_world *world, uint32_t fresh)
{
	cn_record_out *out = &rec->out;
	const cairn_scene *scene = cairn_world_scene(world);
	uint32_t joints = cairn_scene_joint_count(scene), count = 0, unique = 0;
	if (joints == out->joint_count && fresh == out->next_serial)
		return true;
	if (!cn_grow(&rec->allocator, (void **)&out->order, &out->order_capacity, joints * 2, sizeof *out->order))
		return false;
	for (uint32_t i = 0; i < joints; ++i) {
		cairn_joint_def joint = cairn_scene_joint_at(scene, i);
		if (joint.collide || !cairn_world_has_body(world, joint.a) || !cairn_world_has_body(world, joint.b))
			continue; /* not exempt, or held to the world */
		uint64_t a = cairn_world_body_info(world, joint.a).serial, b = cairn_world_body_info(world, joint.b).serial;
		if (i >= out->joint_count || a >= fresh || b >= fresh)
			out->order[count++] = (cn_sort_item){a < b ? a << 32 | b : b << 32 | a, 0};
	}
	out->joint_count = joints;
	cn_sort(out->order, out->order + joints, count);
	for (uint32_t i = 0; i < count; ++i)
		if (i == 0 || out->order[i].key != out->order[i - 1].key)
			out->order[unique++] = out->order[i];
	if (unique == 0)
		return true;
	size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_EXEMPT, cairn_world_frame(world));
	cn_put_u32(&out->bytes, unique);
	for (uint32_t i = 0; i < unique; ++i) {
		cn_put_u32(&out->bytes, (uint32_t)(out->order[i].key >> 32));
		cn_put_u32(&out->bytes, (uint32_t)out->order[i].key);
	}
	cn_chunk_end(&out->bytes, begin);
	return true;
}

static bool put_checkpoint(cairn_recording *rec, const cairn_world *world, uint32_t frame, cairn_error *error)
{
	cn_record_out *out = &rec->out;
	size_t size = cairn_world_snapshot_size(world); /* 0: memory ran out */
	out->snapshot.size = 0;
	uint8_t *snapshot = cn_buffer_extend(&out->snapshot, &rec->allocator, size);
	if (!snapshot || size == 0)
		return cn_fail_memory(error);
	if (!cairn_world_snapshot(world, snapshot, size, error))
		return false;
	size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_CHECKPOINT, frame);
	cn_put_bytes(&out->bytes, snapshot, size);
	cn_chunk_end(&out->bytes, begin);
	return true;
}

/* The keys of the moving bodies. The last key of each has the frame's time, which is not written again. Before the
 * first key of a body there is no piece, so no turn; where a recording begins it has one key. A body that was added just
 * before that begins its first step with a key of its own, which the recording has: what is not after the frame before is
 * left out. */
static void put_keys(cairn_recording *rec, const cairn_world *world, bool first)
{
	cn_record_out *out = &rec->out;
	double before = rec->last_time;
	uint32_t moving = 0;
	for (uint32_t i = 0; i < out->life_count; ++i)
		moving += !out->lives[i].fixed;
	cn_put_u32(&out->bytes, moving);
	for (uint32_t i = 0; i < out->life_count; ++i) {
		if (out->lives[i].fixed)
			continue;
		uint32_t count = 1;
		if (first)
			out->keys[0] = cairn_world_body_key(world, out->lives[i].body);
		else
			count = cairn_world_body_keys(world, out->lives[i].body, out->keys, CN_FRAME_KEYS_MAX);
		assert(count >= 1 && count <= CN_FRAME_KEYS_MAX);
		if (i >= out->old_count)
			out->keys[0].turn = (cairn_vec3){0, 0, 0};
		else if (!first && count > 1 && !(out->keys[0].time > before))
			memmove(out->keys, out->keys + 1, --count * sizeof *out->keys);
		cn_put_u32(&out->bytes, out->lives[i].serial);
		cn_put_u8(&out->bytes, (uint8_t)count);
		for (uint32_t k = 0; k < count; ++k) {
			if (k + 1 < count)
				cn_put_f64(&out->bytes, out->keys[k].time);
			cn_put_key(&out->bytes, &out->keys[k]);
		}
	}
}

/* Which of the moving bodies sleep, in frames in which some do. */
static void put_sleepers(cn_record_out *out, const cairn_world *world, uint32_t frame)
{
	uint32_t moving = 0, asleep = 0;
	for (uint32_t i = 0; i < out->life_count; ++i) {
		moving += !out->lives[i].fixed;
		asleep += cairn_world_body_asleep(world, out->lives[i].body);
	}
	if (asleep == 0)
		return;
	size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_SLEEP, frame);
	cn_put_u32(&out->bytes, moving);
	uint32_t bits = 0, filled = 0;
	for (uint32_t i = 0; i < out->life_count; ++i) {
		if (out->lives[i].fixed)
			continue;
		bits |= (uint32_t)cairn_world_body_asleep(world, out->lives[i].body) << filled++;
		if (filled == 8) {
			cn_put_u8(&out->bytes, (uint8_t)bits);
			bits = filled = 0;
		}
	}
	if (filled > 0)
		cn_put_u8(&out->bytes, (uint8_t)bits);
	cn_chunk_end(&out->bytes, begin);
}

static void put_frame(cairn_recording *rec, const cairn_world *world, const cairn_step_report *report, uint32_t frame)
{
	cn_record_out *out = &rec->out;
	cn_writer *w = &out->bytes;
	bool first = !report;
	cairn_step_report start = {
		.frame = frame, .time = cairn_world_time(world), .min_gap = INFINITY, .certificate.min_gap = INFINITY};
	if (first) {
		start.bodies = out->life_count;
		for (uint32_t i = 0; i < out->life_count; ++i)
			start.moving += !out->lives[i].fixed;
		report = &start;
	} else {
		size_t begin = cn_chunk_begin(w, CN_CHUNK_TIMES, frame);
		cn_put_times(w, report);
		cn_chunk_end(w, begin);
	}
	size_t input_size = 0;
	const uint8_t *inputs = first ? NULL : cairn_world_step_inputs(world, &input_size);
	if (out->inputs_before > 0 && !first)
		inputs += out->inputs_before, input_size -= out->inputs_before;
	uint64_t state = cairn_world_hash(world);
	out->chain = cn_hash_u64(first ? CN_HASH_START : rec->chain, state);
	size_t begin = cn_chunk_begin(w, CN_CHUNK_FRAME, frame);
	cn_put_f64(w, cairn_world_time(world));
	cn_put_u64(w, state);
	cn_put_u64(w, out->chain);
	cn_put_report(w, report);
	cn_put_u64(w, input_size);
	cn_put_bytes(w, inputs, input_size);
	put_keys(rec, world, first);
	cn_chunk_end(w, begin);
}

/* All chunks of the world's current frame. report is NULL for the first one. */
static bool put_group(cairn_recording *rec, const cairn_world *world, const cairn_step_report *report,
                      cairn_error *error)
{
	cn_record_out *out = &rec->out;
	uint32_t frame = cairn_world_frame(world);
	cn_writer_reset(&out->bytes);
	if (report)
		put_additions(rec, cairn_world_scene(world), frame);
	else
		put_start(rec, cairn_world_scene(world));
	uint32_t fresh = out->next_serial;
	if (!put_bodies(rec, world, frame, error))
		return false;
	if (!put_exempt(rec, world, fresh))
		return cn_fail_memory(error);
	put_rate(rec, world, !report);
	uint32_t since = frame - rec->first_frame;
	if ((since == 0 || (rec->checkpoint_every && since % rec->checkpoint_every == 0)) &&
	    !put_checkpoint(rec, world, frame, error))
		return false;
	if (report && report->measured) {
		size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_DEPTH, frame);
		cn_put_depth(&out->bytes, report);
		cn_chunk_end(&out->bytes, begin);
	}
	if (report && report->steps > 0) {
		size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_DEBT, frame);
		cn_put_debt(&out->bytes, report);
		cn_chunk_end(&out->bytes, begin);
	}
	if (report && report->late > 0) {
		size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_LATE, frame);
		cn_put_late(&out->bytes, report);
		cn_chunk_end(&out->bytes, begin);
	}
	if (report && cairn_scene_joint_count(cairn_world_scene(world)) > 0) {
		size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_JOINTS, frame);
		cn_put_joints(&out->bytes, report);
		cn_chunk_end(&out->bytes, begin);
	}
	if (report && cn_has_counts(report)) {
		size_t begin = cn_chunk_begin(&out->bytes, CN_CHUNK_COUNTS, frame);
		cn_put_counts(&out->bytes, report);
		cn_chunk_end(&out->bytes, begin);
	}
	put_sleepers(out, world, frame);
	put_frame(rec, world, report, frame);
	return out->bytes.failed ? cn_fail_memory(error) : true;
}

/* Appends the frame that was put together; only then does the recording count it. */
static bool append_frame(cairn_recording *rec, const cairn_world *world, cairn_error *error)
{
	if (!cn_store_append(&rec->store, rec->out.bytes.data, rec->out.bytes.size, error))
		return false;
	rec->last_frame = cairn_world_frame(world), rec->last_time = cairn_world_time(world);
	rec->chain = rec->out.chain;
	rec->bodies = rec->out.births;
	return true;
}

/* The first chunk of a kind among those put together for the first frame. */
static cn_reader find_chunk(const cn_writer *w, uint32_t kind)
{
	cn_reader r = {.data = w->data, .size = w->size, .at = CN_HEAD_BYTES};
	cn_record_chunk chunk = {0};
	while (chunk.kind != kind && cn_chunk_next(&r, &chunk))
		;
	assert(chunk.kind == kind);
	return chunk.payload;
}

/* A checkpoint fits the scene that the world was made from. Inputs that came before the recording may have changed the
 * world's copy of it, which is the one that is written; then nothing could be run again, so it is tried here. */
static bool check_start(cairn_recording *rec, const cairn_world *world, cairn_error *error)
{
	if (cairn_world_frame(world) == 0 && cairn_world_pending_inputs(world) == 0)
		return true; /* no input yet */
	cn_reader bytes = find_chunk(&rec->out.bytes, CN_CHUNK_SCENE);
	cn_reader checkpoint = find_chunk(&rec->out.bytes, CN_CHUNK_CHECKPOINT);
	(void)cn_get_u32(&bytes);                       /* frames between checkpoints */
	(void)cn_get_bytes(&bytes, cn_get_u32(&bytes)); /* the version that writes */
	cairn_world_def def = {.allocator = rec->allocator, .threads = 1};
	cairn_error own = {0};
	cairn_scene *scene = cn_scene_get(&bytes, &rec->allocator, &own);
	cairn_world *again = scene ? cairn_world_create(scene, &def, &own) : NULL;
	bool ok = again && cairn_world_restore(again, checkpoint.data, checkpoint.size, &own) &&
	          cairn_world_hash(again) == cairn_world_hash(world);
	cairn_world_destroy(again);
	cairn_scene_destroy(scene);
	if (!ok && own.code != CAIRN_OK && own.code != CAIRN_USAGE) {
		if (error)
			*error = own;
		return false;
	}
	return ok || cn_fail_file(error, rec->path, CAIRN_INVALID,
	                          "cannot begin here: inputs have changed the world's shapes, materials, gravity or frames "
	                          "a second; begin "
	                          "the recording before them");
}

cairn_recording *cairn_recording_create(const char *path, const cairn_world *world, const cairn_recording_def *def,
                                        cairn_error *error)
{
	assert(path && world);
	cairn_recording *rec = cn_recording_new(path, def, error);
	if (!rec)
		return NULL;
	bool replace = def && def->replace;
	rec->writing = true;
	rec->first_frame = cairn_world_frame(world);
	rec->out.inputs_before = cairn_world_pending_inputs(world);
	/* All bytes first: a file is not replaced for a recording that cannot begin. */
	bool ok = put_group(rec, world, NULL, error) && check_start(rec, world, error) &&
	          cn_store_create(&rec->store, rec->path, replace, error);
	if (ok && (!append_frame(rec, world, error) || !cn_store_settle(&rec->store, error))) {
		ok = false;
		cn_store_abandon(&rec->store);
	}
	if (!ok) {
		cairn_recording_close(rec);
		return NULL;
	}
	return rec;
}

/* Whether the world's time is a frame after the last one's, whatever its frames a second are now. */
static bool follows(const cairn_recording *rec, const cairn_world *world)
{
	double time = cairn_world_time(world),
		   next = rec->last_time + 1 / cairn_scene_settings(cairn_world_scene(world)).fps;
	return fabs(time - next) <= 4 * DBL_EPSILON * next;
}

bool cairn_recording_append(cairn_recording *rec, const cairn_world *world, const cairn_step_report *report,
                            cairn_error *error)
{
	assert(rec && world && report && rec->writing);
	uint32_t frame = cairn_world_frame(world);
	if (rec->out.failed)
		return cn_fail_file(error, rec->path, CAIRN_FILE, "an earlier frame could not be written");
	if (report->status != CAIRN_STEP_OK || report->frame != frame)
		return cn_fail_file(error, rec->path, CAIRN_USAGE,
		                    "the report is not that of a step to frame %u, where the world is", (unsigned)frame);
	if (rec->last_frame == UINT32_MAX - 1 || frame != rec->last_frame + 1)
		return cn_fail_file(error, rec->path, CAIRN_USAGE, "the world is at frame %u; frame %u comes next",
		                    (unsigned)frame, (unsigned)rec->last_frame + 1);
	if (cairn_world_pending_inputs(world) > 0)
		return cn_fail_file(error, rec->path, CAIRN_USAGE,
		                    "inputs came after the step to frame %u; append the frame before them", (unsigned)frame);
	size_t inputs;
	if (cairn_world_step_inputs(world, &inputs), inputs < rec->out.inputs_before)
		return cn_fail_file(error, rec->path, CAIRN_USAGE,
		                    "the world was restored to an earlier state; begin another recording from there");
	if (!follows(rec, world))
		return cn_fail_file(
			error, rec->path, CAIRN_USAGE,
			"the world was restored to a state whose time is another; begin another recording from there");
	rec->out.failed = !put_group(rec, world, report, error) || !append_frame(rec, world, error);
	rec->out.inputs_before = 0;
	return !rec->out.failed;
}

bool cairn_recording_finish(cairn_recording *rec, cairn_error *error)
{
	assert(rec && rec->writing);
	cn_writer *w = &rec->out.bytes;
	cn_writer_reset(w);
	size_t begin = cn_chunk_begin(w, CN_CHUNK_DONE, rec->last_frame);
	cn_put_u64(w, rec->chain);
	cn_chunk_end(w, begin);
	bool ok = false;
	if (rec->out.failed)
		(void)cn_fail_file(error, rec->path, CAIRN_FILE, "an earlier frame could not be written");
	else if (w->failed)
		(void)cn_fail_memory(error);
	else
		ok = cn_store_append(&rec->store, w->data, w->size, error) && cn_store_close(&rec->store, error);
	cairn_recording_close(rec);
	return ok;
}
