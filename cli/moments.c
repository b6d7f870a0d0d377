#include "moments.h"
#include "message.h"
#include "render_math.h"

#include <stdlib.h>

static const double REST = 4;     /* frames of gravity that what holds a body may give it without being a blow */
static const double SEEN = 0.02;  /* of its radius a frame: less of a change of velocity is not seen */
static const double FAINT = 0.05; /* of the hardest blow: fainter ones are left out */
enum { APART = 4 };               /* frames between two blows that both count */

typedef struct follower {
	cairn_key key;
	bool known;
} follower;

typedef struct watcher {
	moments *m;
	cairn_recording *recording;
	follower *followers; /* of each track: where it was a frame ago */
	cairn_vec3 fall;     /* m/s that gravity gives in a frame */
	double fps;
} watcher;

static void watch_body(const watcher *w, moment *now, uint32_t track, const cairn_key *to)
{
	cairn_body_info info = cairn_recording_track(w->recording, track).info;
	const cairn_key *from = &w->followers[track].key;
	if (!w->followers[track].known || info.type == CAIRN_FIXED || !isfinite(info.radius))
		return;
	double way = vec_length(vec_sub(to->position, from->position)) / info.radius;
	double turn = vec_length(to->spin) / w->fps;
	now->motion += fmin(1, way + turn);
	if (info.type != CAIRN_DYNAMIC)
		return;
	double speed = vec_length(vec_sub(vec_sub(to->velocity, from->velocity), w->fall));
	double least = fmax(REST * vec_length(w->fall), SEEN * info.radius * w->fps);
	if (speed > least && speed * info.mass > now->impulse) {
		now->impulse = speed * info.mass;
		now->speed = speed;
		now->track = track;
	}
}

static void watch_frame(const watcher *w, const cairn_frame *frame, bool first)
{
	moment *now = &w->m->frames[frame->frame - w->m->from];
	*now = (moment){.given = !first && frame->input_size > 0};
	for (uint32_t i = 0; i < frame->key_count; ++i) {
		uint32_t track = frame->keys[i].track;
		if (i + 1 < frame->key_count && frame->keys[i + 1].track == track)
			continue; /* a key inside the frame */
		if (!first)
			watch_body(w, now, track, &frame->keys[i].key);
		w->followers[track] = (follower){.key = frame->keys[i].key, .known = true};
	}
}

bool moments_read(moments *m, cairn_recording *recording, uint32_t from, uint32_t to, cairn_error *error)
{
	cairn_settings settings = cairn_scene_settings(cairn_recording_scene(recording));
	size_t tracks = cairn_recording_get_info(recording).bodies;
	*m = (moments){.from = from, .to = to};
	m->frames = memory_resize(NULL, ((size_t)to - from + 1) * sizeof *m->frames);
	watcher w = {.m = m, .recording = recording, .fps = settings.fps};
	w.fall = vec_scale(1 / settings.fps, settings.gravity);
	w.followers = memory_resize(NULL, (tracks + 1) * sizeof *w.followers);
	for (size_t i = 0; i < tracks; ++i)
		w.followers[i] = (follower){.known = false};
	bool done = true;
	for (uint32_t frame = from; done && frame <= to; ++frame) {
		cairn_frame read;
		done = cairn_recording_read(recording, frame, &read, error);
		if (done)
			watch_frame(&w, &read, frame == from);
	}
	free(w.followers);
	if (!done)
		moments_free(m);
	return done;
}

void moments_free(moments *m)
{
	free(m->frames);
	*m = (moments){0};
}

uint32_t moments_at(const moments *m, double share)
{
	uint32_t last = m->to - m->from;
	double all = 0, sum = 0;
	for (uint32_t i = 0; i <= last; ++i)
		all += m->frames[i].motion;
	if (!(all > 0))
		return m->from + (uint32_t)(share * last);
	for (uint32_t i = 0; i <= last; ++i) {
		sum += m->frames[i].motion;
		if (sum >= share * all)
			return m->from + i;
	}
	return m->to;
}

/* Whether no harder blow, and no earlier one as hard, is near. */
static bool stands_out(const moments *m, uint32_t i)
{
	double own = m->frames[i].impulse;
	for (uint32_t k = i > APART ? i - APART : 0; k <= i + APART && k <= m->to - m->from; ++k)
		if (m->frames[k].impulse > own || (k < i && m->frames[k].impulse == own))
			return false;
	return true;
}

uint32_t moments_blows(const moments *m, uint32_t *frames, uint32_t capacity)
{
	double hardest = 0, least = FAINT;
	for (uint32_t i = 0; i <= m->to - m->from; ++i)
		hardest = fmax(hardest, m->frames[i].impulse);
	for (;; least *= 1.5) { /* too many: only harder ones */
		uint32_t count = 0;
		for (uint32_t i = 0; i <= m->to - m->from; ++i) {
			if (!(m->frames[i].impulse > 0) || m->frames[i].impulse < least * hardest || !stands_out(m, i))
				continue;
			if (count < capacity)
				frames[count] = m->from + i;
			++count;
		}
		if (count <= capacity || least > 1)
			return count < capacity ? count : capacity;
	}
}
