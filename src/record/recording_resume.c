/* From a recording back to a world: at any frame, to run it again from there, or at its end, to go on.
 *
 * A world is made from the recorded scene and a checkpoint; the frames after the checkpoint are stepped again with
 * their inputs. Every state on the way must have the recorded hash: what cannot be repeated to the bit is refused. */
#include "record/recording.h"

#include "scene/scene.h"

#include <string.h>

/* A chunk's payload, read and checked again. It lives in the recording's bytes until the next read. */
static bool read_chunk(cairn_recording *rec, cn_span span, cn_reader *payload, cairn_error *error)
{
	cn_record_in *in = &rec->in;
	in->bytes.size = 0;
	uint8_t *bytes = cn_buffer_extend(&in->bytes, &rec->allocator, span.size);
	if (!bytes)
		return cn_fail_memory(error);
	cairn_error own = {0};
	cn_reader r = {.data = bytes, .size = (size_t)span.size};
	cn_record_chunk chunk;
	if (!cn_store_read(&rec->store, span.offset, bytes, (size_t)span.size, &own) || !cn_chunk_next(&r, &chunk))
		return cn_fail_file(error, rec->path, CAIRN_FILE, "was damaged after it was opened");
	*payload = chunk.payload;
	return true;
}

/* The scene as the world was first made from it: without what inputs added. */
static cairn_scene *read_scene(cairn_recording *rec, cairn_error *error)
{
	cn_reader r;
	if (!read_chunk(rec, rec->in.start, &r, error))
		return NULL;
	(void)cn_get_u32(&r);                   /* frames between checkpoints */
	(void)cn_get_bytes(&r, cn_get_u32(&r)); /* the version that wrote it */
	return cn_scene_get(&r, &rec->allocator, error);
}

static bool check_state(const cairn_recording *rec, const cairn_world *world, uint32_t frame, uint64_t state,
                        cairn_error *error)
{
	if (cairn_world_frame(world) == frame && cairn_world_hash(world) == state)
		return true;
	return cn_fail_file(error, rec->path, CAIRN_FAILED,
	                    "frame %u does not come out the same again; the recording is of another version of cairn",
	                    (unsigned)frame);
}

/* A world in the state of a checkpoint. */
static cairn_world *restore(cairn_recording *rec, cn_span checkpoint, const cairn_world_def *def, cairn_error *error)
{
	cairn_scene *scene = read_scene(rec, error);
	if (!scene)
		return NULL;
	cairn_world *world = cairn_world_create(scene, def, error);
	cairn_scene_destroy(scene);
	cn_reader r = {0};
	if (world && (!read_chunk(rec, checkpoint, &r, error) || !cairn_world_restore(world, r.data, r.size, error))) {
		cairn_world_destroy(world);
		return NULL;
	}
	return world;
}

/* The last checkpoint that is not after the frame, which is recorded. */
static const cn_checkpoint *checkpoint_before(const cn_record_in *in, uint32_t frame)
{
	uint32_t low = 0, high = in->checkpoint_count;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (in->checkpoints[middle].frame <= frame)
			low = middle;
		else
			high = middle;
	}
	return &in->checkpoints[low];
}

/* Steps the world, which stands at a checkpoint, to a frame. */
static bool catch_up(cairn_recording *rec, cairn_world *world, uint32_t from, uint32_t to, cairn_error *error)
{
	cairn_frame frame;
	uint32_t number = from;
	if (!cairn_recording_read(rec, number, &frame, error) || !check_state(rec, world, number, frame.state_hash, error))
		return false;
	while (number < to) {
		if (!cairn_recording_read(rec, ++number, &frame, error) ||
		    !cairn_world_replay(world, frame.inputs, frame.input_size, error))
			return false;
		if (cairn_world_step(world).status == CAIRN_STEP_MEMORY)
			return cn_fail_memory(error);
		if (!check_state(rec, world, number, frame.state_hash, error))
			return false;
	}
	return true;
}

cairn_world *cairn_recording_world_at(cairn_recording *rec, uint32_t frame, const cairn_world_def *def,
                                      cairn_error *error)
{
	assert(rec && !rec->writing);
	if (frame < rec->first_frame || frame > rec->last_frame) {
		(void)cn_fail_no_frame(rec, frame, error);
		return NULL;
	}
	cn_checkpoint from = *checkpoint_before(&rec->in, frame);
	cairn_world *world = restore(rec, from.chunk, def, error);
	if (world && !catch_up(rec, world, from.frame, frame, error)) {
		cairn_world_destroy(world);
		return NULL;
	}
	return world;
}

cairn_world *cairn_recording_world(cairn_recording *rec, const cairn_world_def *def, cairn_error *error)
{
	assert(rec);
	return cairn_recording_world_at(rec, rec->first_frame, def, error);
}

/* The living bodies and counts, as an unbroken run would know them; they must be those of the world. */
static bool take_over(cairn_recording *rec, const cairn_world *world, cairn_error *error)
{
	cn_record_out *out = &rec->out;
	const cn_record_in *in = &rec->in;
	uint32_t count = cairn_world_body_count(world);
	bool same = true;
	if (!cn_grow(&rec->allocator, (void **)&out->lives, &out->life_capacity, count, sizeof *out->lives))
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < in->track_count && same; ++i) {
		const cairn_track *track = &in->tracks[i];
		if (track->last_frame != rec->last_frame)
			continue;
		same = out->life_count < count && cairn_world_has_body(world, track->body) &&
		       cairn_world_body_info(world, track->body).serial == track->info.serial;
		if (same)
			out->lives[out->life_count++] = (cn_life){track->body, track->info.serial, track->info.type == CAIRN_FIXED};
	}
	const cairn_scene *scene = cairn_world_scene(world);
	out->shape_count = cairn_scene_shape_count(scene);
	out->material_count = cairn_scene_material_count(scene);
	if (!same || out->life_count != count || out->shape_count != cairn_scene_shape_count(in->scene) ||
	    out->material_count != cairn_scene_material_count(in->scene))
		return cn_fail_file(
			error, rec->path, CAIRN_FAILED,
			"the bodies of frame %u do not come out the same again; the recording is of another version "
			"of cairn",
			(unsigned)rec->last_frame);
	out->next_serial = in->track_count ? in->tracks[in->track_count - 1].info.serial + 1 : 0;
	out->births = in->track_count;
	out->joint_count = cairn_scene_joint_count(scene);
	return true;
}

cairn_recording *cairn_recording_resume(const char *path, const cairn_world_def *world_def,
                                        const cairn_recording_def *def, cairn_world **world, cairn_error *error)
{
	assert(path && world);
	*world = NULL;
	cairn_recording *rec = cn_recording_open(path, def, true, error);
	if (!rec)
		return NULL;
	cairn_world *made = NULL;
	bool ok = !rec->in.damaged || cn_fail_file(error, path, CAIRN_FILE, "cannot be continued: %s", rec->in.note);
	ok = ok && (made = cairn_recording_world_at(rec, rec->last_frame, world_def, error)) &&
	     take_over(rec, made, error) && cn_store_cut(&rec->store, rec->in.whole, error);
	if (!ok) {
		cairn_world_destroy(made);
		cairn_recording_close(rec);
		return NULL;
	}
	cn_record_in_free(rec);
	rec->writing = true;
	*world = made;
	return rec;
}
