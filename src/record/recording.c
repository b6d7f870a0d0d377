/* A recording as an object: made, closed, and the buffers it holds. */
#include "record/recording.h"

#include "scene/scene.h"

#include <float.h>
#include <math.h>

cairn_recording_def cairn_default_recording_def(void)
{
	return (cairn_recording_def){.allocator = cairn_default_allocator(), .checkpoint_every = 60};
}

void cn_record_out_free(cairn_recording *rec)
{
	cn_record_out *out = &rec->out;
	cn_writer_free(&out->bytes);
	cn_free(&rec->allocator, out->lives, out->life_capacity, sizeof *out->lives);
	cn_free(&rec->allocator, out->handles, out->handle_capacity, sizeof *out->handles);
	cn_free(&rec->allocator, out->order, out->order_capacity, sizeof *out->order);
	cn_buffer_free(&out->snapshot, &rec->allocator);
}

uint8_t *cn_buffer_extend(cn_buffer *buffer, const cairn_allocator *allocator, uint64_t size)
{
	const size_t most = (size_t)PTRDIFF_MAX;
	if (size > most - buffer->size)
		return NULL;
	size_t need = buffer->size + (size_t)size;
	if (need > buffer->capacity || !buffer->data) {
		size_t half = buffer->capacity > most - buffer->capacity / 2 ? most : buffer->capacity + buffer->capacity / 2;
		size_t capacity = need > half ? need : half;
		capacity = capacity < 64 ? 64 : capacity;
		uint8_t *data = allocator->resize(allocator->context, buffer->data, buffer->capacity, capacity);
		if (!data)
			return NULL;
		buffer->data = data;
		buffer->capacity = capacity;
	}
	uint8_t *place = buffer->data + buffer->size;
	buffer->size = need;
	return place;
}

void cn_buffer_free(cn_buffer *buffer, const cairn_allocator *allocator)
{
	cn_free(allocator, buffer->data, buffer->capacity, 1);
	*buffer = (cn_buffer){0};
}

void cn_record_in_free(cairn_recording *rec)
{
	const cairn_allocator *allocator = &rec->allocator;
	cn_record_in *in = &rec->in;
	cairn_scene_destroy(in->scene);
	cn_free(allocator, in->checkpoints, in->checkpoint_capacity, sizeof *in->checkpoints);
	cn_free(allocator, in->frames, in->frame_capacity, sizeof *in->frames);
	for (uint32_t i = 0; i < in->track_count; ++i)
		cn_free_text(allocator, (char *)in->tracks[i].info.name);
	cn_free(allocator, in->tracks, in->track_capacity, sizeof *in->tracks);
	cn_free(allocator, in->exempt, in->exempt_capacity, sizeof *in->exempt);
	for (uint32_t i = 0; i < in->stage_name_count; ++i)
		cn_free_text(allocator, in->stage_names[i]);
	cn_free(allocator, in->stage_names, in->stage_name_capacity, sizeof *in->stage_names);
	cn_free(allocator, in->keys, in->key_capacity, sizeof *in->keys);
	cn_buffer_free(&in->bytes, allocator);
	*in = (cn_record_in){0};
}

void cairn_recording_close(cairn_recording *rec)
{
	if (!rec)
		return;
	cairn_allocator allocator = rec->allocator;
	(void)cn_store_close(&rec->store, NULL);
	cn_record_out_free(rec);
	cn_record_in_free(rec);
	cn_free_text(&allocator, rec->path);
	cn_free(&allocator, rec, 1, sizeof *rec);
}

bool cn_recording_on_time(const cairn_recording *rec, uint32_t frame, double time, bool first)
{
	if (!rec->fps_changed)
		return time == frame / rec->fps;
	double next = rec->last_time + 1 / rec->fps;
	return first ? time >= 0 : fabs(time - next) <= 4 * DBL_EPSILON * next; /* each time is rounded twice */
}

cairn_recording *cn_recording_new(const char *path, const cairn_recording_def *def, cairn_error *error)
{
	cairn_recording_def own = def ? *def : cairn_default_recording_def();
	cairn_recording *rec = cn_alloc(&own.allocator, 1, sizeof *rec);
	if (!rec) {
		(void)cn_fail_memory(error);
		return NULL;
	}
	rec->allocator = rec->out.bytes.allocator = own.allocator;
	rec->checkpoint_every = own.checkpoint_every;
	rec->path = cn_dup_text(&own.allocator, path);
	if (!rec->path) {
		(void)cn_fail_memory(error);
		cairn_recording_close(rec);
		return NULL;
	}
	return rec;
}
