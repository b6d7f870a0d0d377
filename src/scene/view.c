/* The camera of a scene: what may be said of it, and where it is at a time. */
#include "base/tolerance.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool check_place(v3 position, v3 target, double fov, const char *of, cairn_error *error)
{
	char path[48];
	snprintf(path, sizeof path, "%s.position", of);
	if (!cn_check_vector(position, CN_LENGTH_MAX, path, error))
		return false;
	snprintf(path, sizeof path, "%s.target", of);
	if (!cn_check_vector(target, CN_LENGTH_MAX, path, error))
		return false;
	if (v3_distance(position, target) < CN_LENGTH_MIN)
		return cn_fail(error, CAIRN_INVALID, path, "the camera stands where it looks; move position or target");
	snprintf(path, sizeof path, "%s.fov", of);
	if (!(fov >= 0.01 && fov <= 3.1))
		return cn_fail(error, CAIRN_INVALID, path,
		               "a field of view of %g; give radians from 0.01 to 3.1 (45 degrees are 0.785)", fov);
	return true;
}

bool cn_view_check(const cairn_view *view, uint32_t body_count, cairn_error *error)
{
	if (!view->has_camera)
		return true;
	if (!check_place(view->camera_position, view->camera_target, view->camera_fov, "camera", error))
		return false;
	if (view->camera_follow.generation && view->camera_follow.index >= body_count)
		return cn_fail(error, CAIRN_INVALID, "camera.follow", "the camera follows a body that is not in this scene");
	if (view->camera_key_count > CAIRN_CAMERA_KEYS)
		return cn_fail(error, CAIRN_INVALID, "camera.keys", "%u keys; a camera has at most %d", view->camera_key_count,
		               CAIRN_CAMERA_KEYS);
	for (uint32_t i = 0; i < view->camera_key_count; ++i) {
		const cairn_camera_key *k = &view->camera_keys[i];
		char path[32];
		snprintf(path, sizeof path, "camera.keys[%u]", i);
		if (!check_place(k->position, k->target, k->fov, path, error))
			return false;
		if (!(k->time >= 0 && k->time <= 1e9) || (i > 0 && !(k->time > view->camera_keys[i - 1].time)))
			return cn_fail(error, CAIRN_INVALID, strcat(path, ".time"),
			               "a time of %g s; times begin at 0 or later and grow from key to key", k->time);
	}
	return true;
}

static cairn_camera_key mix(const cairn_camera_key *a, double s, const cairn_camera_key *b, double t)
{
	return (cairn_camera_key){0, v3_add(v3_scale(a->position, s), v3_scale(b->position, t)),
	                          v3_add(v3_scale(a->target, s), v3_scale(b->target, t)), a->fov * s + b->fov * t};
}

static cairn_camera_key sum(cairn_camera_key a, cairn_camera_key b) { return mix(&a, 1, &b, 1); }

/* By how much it changes a second at a key: between its neighbours on average, and not at all at the ends. */
static cairn_camera_key slope(const cairn_view *v, uint32_t i)
{
	if (i == 0 || i + 1 == v->camera_key_count)
		return (cairn_camera_key){0};
	const cairn_camera_key *a = &v->camera_keys[i - 1], *b = &v->camera_keys[i + 1];
	double rate = 1 / (b->time - a->time);
	return mix(b, rate, a, -rate);
}

/* Hermite's cubic: it passes the keys without a jerk. */
static cairn_camera_key between(const cairn_view *v, uint32_t i, double time)
{
	const cairn_camera_key *a = &v->camera_keys[i], *b = &v->camera_keys[i + 1];
	double span = b->time - a->time, t = (time - a->time) / span, u = 1 - t;
	cairn_camera_key from = slope(v, i), to = slope(v, i + 1);
	return sum(mix(a, u * u * (1 + 2 * t), b, t * t * (1 + 2 * u)),
	           mix(&from, u * u * t * span, &to, -t * t * u * span));
}

cairn_view cairn_view_at(const cairn_view *view, double time, cairn_vec3 moved)
{
	cairn_view at = *view;
	uint32_t count = view->camera_key_count, i = 0;
	if (count > 0) {
		while (i + 1 < count && view->camera_keys[i + 1].time <= time)
			++i;
		bool whole = i + 1 == count || time <= view->camera_keys[i].time;
		cairn_camera_key k = whole ? view->camera_keys[i] : between(view, i, time);
		at.camera_position = k.position;
		at.camera_target = k.target;
		at.camera_fov = fmin(fmax(k.fov, 0.01), 3.1); /* a cubic may swing over */
	}
	if (view->camera_follow.generation) {
		at.camera_position = v3_add(at.camera_position, moved);
		at.camera_target = v3_add(at.camera_target, moved);
	}
	at.camera_keys = NULL, at.camera_key_count = 0;
	at.camera_follow = (cairn_body){0};
	return at;
}
