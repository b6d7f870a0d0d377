/* cairn_recording_certify: a recording through its public calls. */
#include "certify/certify.h"

#include "scene/scene.h"

static cairn_track track(void *context, uint32_t index) { return cairn_recording_track(context, index); }

static void exempt(void *context, uint32_t index, uint32_t *a, uint32_t *b)
{
	cairn_recording_exempt(context, index, a, b);
}

static bool read(void *context, uint32_t frame, cairn_frame *out, cairn_error *error)
{
	return cairn_recording_read(context, frame, out, error);
}

bool cairn_recording_certify(cairn_recording *recording, const cairn_certify_def *def, cairn_certify_result *result,
                             cairn_error *error)
{
	assert(recording && result);
	cairn_recording_info info = cairn_recording_get_info(recording);
	const cn_certify_source motion = {.context = recording,
	                                  .scene = cairn_recording_scene(recording),
	                                  .first = info.first_frame,
	                                  .last = info.last_frame,
	                                  .bodies = info.bodies,
	                                  .exempt_count = cairn_recording_exempt_count(recording),
	                                  .track = track,
	                                  .exempt = exempt,
	                                  .read = read};
	if (!cn_certify_motion(&motion, def, result, error))
		return false;
	result->measured = cn_scene_certify(motion.scene) == CN_CERTIFY_MEASURE;
	return true;
}
