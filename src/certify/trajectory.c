/* A trajectory as an object, and its certificate: see the public header. */
#include "certify/trajectory.h"

#include "certify/certify.h"

#include <stdio.h>

cairn_trajectory *cairn_trajectory_read_text(const char *text, size_t size, const char *name,
                                             const cairn_allocator *allocator, cairn_error *error)
{
	cairn_allocator a = allocator ? *allocator : cairn_default_allocator();
	cairn_trajectory *t = cn_alloc(&a, 1, sizeof *t);
	if (!t) {
		(void)cn_fail_memory(error);
		return NULL;
	}
	t->allocator = a;
	t->arena = cn_arena_make(&a);
	t->scene = cairn_scene_create(&(cairn_scene_def){.allocator = a});
	if (t->scene ? cn_trajectory_parse(t, text, size, error) : cn_fail_memory(error))
		return t;
	if (error)
		snprintf(error->file, sizeof error->file, "%s", name);
	cairn_trajectory_free(t);
	return NULL;
}

cairn_trajectory *cairn_trajectory_read(const char *path, const cairn_files *files, const cairn_allocator *allocator,
                                        cairn_error *error)
{
	cairn_allocator a = allocator ? *allocator : cairn_default_allocator();
	cairn_files from = files ? *files : cairn_default_files();
	void *data = NULL;
	size_t size = 0;
	if (!from.read(from.context, path, &a, &data, &size, error))
		return NULL;
	cairn_trajectory *t = cairn_trajectory_read_text(data, size, path, &a, error);
	cn_free(&a, data, size, 1);
	return t;
}

void cairn_trajectory_free(cairn_trajectory *t)
{
	if (!t)
		return;
	cairn_allocator a = t->allocator;
	cn_free(&a, t->tracks, t->track_capacity, sizeof *t->tracks);
	cn_free(&a, t->exempt, t->exempt_capacity, sizeof *t->exempt);
	cn_free(&a, t->frames, t->frame_capacity, sizeof *t->frames);
	cn_free(&a, t->keys, t->key_capacity, sizeof *t->keys);
	cn_free(&a, t->shown, t->shown_capacity, sizeof *t->shown);
	cn_arena_free(&t->arena);
	cairn_scene_destroy(t->scene);
	cn_free(&a, t, 1, sizeof *t);
}

cairn_trajectory_info cairn_trajectory_get_info(const cairn_trajectory *t)
{
	return (cairn_trajectory_info){t->first_frame, t->first_frame + t->frame_count - 1, t->track_count};
}

const char *cairn_trajectory_body_name(const cairn_trajectory *t, uint32_t body)
{
	return body < t->track_count ? t->tracks[body].info.name : "";
}

/* ---- its certificate */

static cairn_track track(void *context, uint32_t index) { return ((cairn_trajectory *)context)->tracks[index]; }

static void exempt(void *context, uint32_t index, uint32_t *a, uint32_t *b)
{
	const uint32_t *pair = ((cairn_trajectory *)context)->exempt[index];
	*a = pair[0], *b = pair[1];
}

/* The keys of a frame by body, fixed ones among them. */
static bool read(void *context, uint32_t number, cairn_frame *out, cairn_error *error)
{
	cairn_trajectory *t = context;
	uint32_t at = number - t->first_frame, count = 0;
	const cn_trajectory_frame *f = &t->frames[at];
	size_t next = f->first, end = at + 1 < t->frame_count ? f[1].first : t->key_count;
	if (!cn_grow(&t->allocator, (void **)&t->shown, &t->shown_capacity, (uint32_t)(end - next) + t->track_count,
	             sizeof *t->shown))
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < t->track_count; ++i) {
		const cairn_track *k = &t->tracks[i];
		if (k->info.type == CAIRN_FIXED && k->first_frame <= number)
			t->shown[count++] = (cairn_track_key){.track = i, .key = k->first_key};
		for (; next < end && t->keys[next].track == i; ++next)
			t->shown[count++] = t->keys[next];
	}
	*out = (cairn_frame){.frame = number, .time = f->time, .key_count = count, .keys = t->shown};
	return true;
}

bool cairn_trajectory_certify(cairn_trajectory *t, const cairn_certify_def *def, cairn_certify_result *result,
                              cairn_error *error)
{
	cairn_trajectory_info info = cairn_trajectory_get_info(t);
	const cn_certify_source motion = {.context = t,
	                                  .scene = t->scene,
	                                  .first = info.first_frame,
	                                  .last = info.last_frame,
	                                  .bodies = info.bodies,
	                                  .exempt_count = t->exempt_count,
	                                  .track = track,
	                                  .exempt = exempt,
	                                  .read = read};
	return cn_certify_motion(&motion, def, result, error);
}
