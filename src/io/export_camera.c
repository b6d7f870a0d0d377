/* A camera that moves, as it is in every frame asked for. */
#include "base/base.h"
#include "io/export.h"

/* The track of the body that it follows; UINT32_MAX: it follows none, or one that was gone before. */
static uint32_t find_followed(const cn_export *e)
{
	cairn_body body = e->view.camera_follow;
	for (uint32_t i = 0; body.generation && i < e->info.bodies; ++i) {
		cairn_body own = cairn_recording_track(e->recording, i).body;
		if (own.index == body.index && own.generation == 1)
			return i;
	}
	return UINT32_MAX;
}

/* How far the body is from where it began; when it is gone, as in the frame before. */
static void follow(const cn_export *e, const cairn_frame *frame, uint32_t track, v3 *moved)
{
	for (uint32_t i = 0; i < frame->key_count; ++i)
		if (frame->keys[i].track == track) /* the last of them is where the frame ends */
			*moved = v3_sub(frame->keys[i].key.position, cairn_recording_track(e->recording, track).first_key.position);
}

bool cn_camera_gather(cn_export *e, pose **out, cairn_error *error)
{
	uint32_t frames = cn_export_frames(e), track = find_followed(e);
	v3 moved = v3_zero();
	*out = cn_alloc(&e->allocator, frames, sizeof **out);
	if (!*out)
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < frames; ++i) {
		cairn_frame frame;
		if (!cn_export_read(e, e->from + i, &frame, error))
			return false;
		follow(e, &frame, track, &moved);
		cairn_view at = cairn_view_at(&e->view, frame.time, moved);
		pose *p = *out + i;
		*p = (pose){at.camera_position, cn_export_camera(&at)};
		if (i && q_dot(p->orientation, p[-1].orientation) < 0)
			p->orientation = q_neg(p->orientation);
	}
	return true;
}

void cn_camera_free(const cn_export *e, pose *places)
{
	cn_free(&e->allocator, places, cn_export_frames(e), sizeof *places);
}
