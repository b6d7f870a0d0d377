/* From where a recording is seen when nobody says so: the whole of it, over all frames asked for, from a little above.
 *
 * A camera that looks a given way is fitted exactly: a ball at p with radius r is in view if it is on the inner side of
 * four planes through the eye, which bounds the eye's place along the picture's axes from below (fit_axis). Bodies that
 * are much longer than wide count by the corners of their boxes, fixed ones by those corners as far as they are near what
 * moves: a large floor does not make the rest small. A few bodies that fly far away are allowed to leave the picture
 * (reach). */
#include "message.h"
#include "render_math.h"
#include "render_stage.h"
#include "rods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEFAULT_FOV = 0.6; /* rad */
static const double MARGIN = 1.07;     /* how much wider than what is seen the picture is */
static const double FAR_FLIER = 1.8;   /* times the spread of nearly all: what is farther may leave the picture */
static const double HIDES = 0.02;      /* part of the sights that a fixed body may block before it becomes glass */
static const double COMPACT =
	1.75;                        /* the ball about a box, in shorter halves of the box: below that the ball will do */
static const double ABOUT = 1.3; /* of what moves: how much of what stands about it is in view */
static const double HOOKS =
	6; /* times half the diagonal of all else: what hangs on a farther place is seen without it */
static const double LOST = 0.015; /* of half the picture's height: a typical body must be larger than that */
enum { FRAMES_MOST = 48, SIGHTS_MOST = 1500 };

typedef struct sample {
	cairn_vec3 at, within; /* within: nearer to the middle of its body, and in most bodies inside */
	double radius;
} sample;

typedef struct samples {
	sample *moving, *standing; /* standing: fixed bodies, of no more than a few times the size of what moves */
	uint32_t moving_count, standing_count, capacity;
	uint32_t frames[FRAMES_MOST + 1], frame_count; /* where the moving samples of each frame begin */
	double *values;                                /* room for one a moving sample */
	cairn_vec3 half;                               /* of the box of what moves */
} samples;

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The largest of the values, or somewhat beyond nearly all of them. Sorts them. */
static double reach(double *values, uint32_t count)
{
	qsort(values, count, sizeof *values, compare);
	double most = values[count - 1], middle = values[count / 2], nearly = values[(uint32_t)ceil(0.98 * (count - 1))];
	return fmin(most, middle + FAR_FLIER * (nearly - middle));
}

static cairn_vec3 center_of(const render_stage *s, const stage_pose *p)
{
	return vec_add(p->pose.position, quat_turn(p->pose.orientation, s->tracks[p->track].center));
}

/* A body as samples: at most 8. */
static uint32_t sample_body(const render_stage *s, const stage_pose *p, bool corners, sample out[8])
{
	const stage_track *t = &s->tracks[p->track];
	cairn_box box = cairn_scene_shape_facts(s->scene, t->shape).box;
	cairn_vec3 half = vec_scale(0.5, vec_sub(box.max, box.min));
	double least = fmin(half.x, fmin(half.y, half.z));
	if (!corners && t->radius <= COMPACT * least) {
		out[0] = (sample){center_of(s, p), center_of(s, p), t->radius};
		return 1;
	}
	for (int i = 0; i < 8; ++i) {
		cairn_vec3 corner =
			vec(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
		cairn_vec3 at = vec_add(p->pose.position, quat_turn(p->pose.orientation, corner));
		out[i] = (sample){at, vec_scale(0.5, vec_add(at, center_of(s, p))), 0};
	}
	return 8;
}

static bool collect_moving(render_stage *s, const render_def *def, samples *all, cairn_error *error)
{
	uint32_t frames = def->to - def->from + 1, count = frames < FRAMES_MOST ? frames : FRAMES_MOST;
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t frame = count > 1 ? def->from + (uint32_t)((uint64_t)i * (frames - 1) / (count - 1)) : def->to;
		if (!stage_read(s, frame, 1, error))
			return false;
		all->frame_count = i + 1;
		for (uint32_t k = 0; k < s->pose_count; ++k) {
			const stage_track *t = &s->tracks[s->poses[k].track];
			if (t->type == CAIRN_FIXED || !isfinite(t->radius))
				continue;
			if (all->moving_count + 8 > all->capacity) {
				all->capacity = 2 * all->capacity + 256;
				all->moving = memory_resize(all->moving, all->capacity * sizeof *all->moving);
			}
			all->moving_count += sample_body(s, &s->poses[k], false, &all->moving[all->moving_count]);
		}
		all->frames[i + 1] = all->moving_count;
	}
	return true;
}

static double between(double x, double low, double high) { return fmin(fmax(x, low), high); }

static void collect_standing(const render_stage *s, samples *all)
{
	cairn_vec3 m = s->middle, h = vec_scale(ABOUT, all->half);
	uint32_t joints = cairn_scene_joint_count(s->scene);
	all->standing = memory_resize(NULL, (8 * (size_t)s->pose_count + 4 * (size_t)joints + 1) * sizeof *all->standing);
	for (uint32_t k = 0; k < s->pose_count; ++k) {
		const stage_track *t = &s->tracks[s->poses[k].track];
		if (t->type != CAIRN_FIXED || !isfinite(t->radius) || (all->moving_count && t->radius >= 2.2 * s->extent))
			continue;
		sample *first = &all->standing[all->standing_count];
		uint32_t count = sample_body(s, &s->poses[k], true, first);
		for (uint32_t i = 0; all->moving_count && i < count; ++i)
			first[i].at =
				vec(between(first[i].at.x, m.x - h.x, m.x + h.x), between(first[i].at.y, m.y - h.y, m.y + h.y),
			        between(first[i].at.z, m.z - h.z, m.z + h.z));
		all->standing_count += count;
	}
}

/* Where ropes and arms hang that are seen: a pendulum without what holds it would look cut off. */
static void collect_hooks(const render_stage *s, samples *all)
{
	uint32_t *tracks = memory_resize(NULL, ((size_t)cairn_scene_body_count(s->scene) + 1) * sizeof *tracks);
	rods_find_tracks(s->recording, tracks);
	for (uint32_t i = 0; i < cairn_scene_joint_count(s->scene); ++i) {
		rod found[2];
		uint32_t count = rods_of(s->scene, tracks, i, found);
		for (uint32_t k = 0; k < 2 * count; ++k) {
			const rod_end *e = &found[k / 2].ends[k % 2];
			cairn_vec3 at = e->at;
			if (e->track != ROD_WORLD && s->tracks[e->track].type != CAIRN_FIXED)
				continue;
			if (e->track != ROD_WORLD) {
				cairn_key key = cairn_recording_track(s->recording, e->track).first_key;
				at = vec_add(key.position, quat_turn(key.orientation, at));
			}
			if (vec_length(vec_sub(at, s->middle)) < HOOKS * s->extent)
				all->standing[all->standing_count++] = (sample){at, at, 0};
		}
	}
	free(tracks);
}

/* How far the samples reach along a direction: the most of all frames, each without those that fly far in it. */
static double reach_along(const samples *all, cairn_vec3 along, double per_radius)
{
	double most = -INFINITY;
	for (uint32_t f = 0; f < all->frame_count; ++f) {
		uint32_t first = all->frames[f], count = all->frames[f + 1] - first;
		for (uint32_t i = 0; i < count; ++i)
			all->values[i] = vec_dot(all->moving[first + i].at, along) + per_radius * all->moving[first + i].radius;
		if (count)
			most = fmax(most, reach(all->values, count));
	}
	for (uint32_t i = 0; i < all->standing_count; ++i)
		most = fmax(most, vec_dot(all->standing[i].at, along) + per_radius * all->standing[i].radius);
	return most;
}

/* Middle and extent of the samples, without those that fly far. */
static void measure(render_stage *s, samples *all)
{
	cairn_vec3 axes[3] = {vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1)}, middle = vec(0, 0, 0), half = middle;
	for (int i = 0; i < 3; ++i) {
		double most = reach_along(all, axes[i], 1), least = -reach_along(all, vec_scale(-1, axes[i]), 1);
		middle = vec_add(middle, vec_scale((most + least) / 2, axes[i]));
		half = vec_add(half, vec_scale((most - least) / 2, axes[i]));
	}
	if (all->moving_count + all->standing_count) {
		s->middle = middle;
		s->extent = vec_length(half);
		all->half = half;
	}
}

static void set_axes(stage_view *v, cairn_vec3 back, cairn_vec3 sky)
{
	v->back = vec_unit(back);
	v->right = vec_cross(sky, v->back);
	v->right = vec_length(v->right) > 1e-6 ? vec_unit(v->right) : vec_across(v->back);
	v->up = vec_cross(v->back, v->right);
}

/* Bounds of the eye's places so that all is in view between two planes at tangent t: across the axis, and back. */
static void fit_axis(const samples *all, cairn_vec3 axis, cairn_vec3 back, double t, double fit[2])
{
	double slope = sqrt(1 + t * t);
	double high = reach_along(all, vec_add(axis, vec_scale(t, back)), slope);
	double low = reach_along(all, vec_add(vec_scale(-1, axis), vec_scale(t, back)), slope);
	fit[0] = (high - low) / 2;
	fit[1] = (high + low) / (2 * t);
}

static void fit_view(render_stage *s, const samples *all)
{
	stage_view *v = &s->view;
	cairn_vec3 side = vec_across(s->sky), away = vec_cross(side, s->sky);
	if (s->sky.z > 0.99)
		side = vec(1, 0, 0), away = vec(0, -1, 0);
	set_axes(v, vec_add(vec_add(vec_scale(0.55, side), vec_scale(0.85, away)), vec_scale(0.42, s->sky)), s->sky);
	if (all->moving_count + all->standing_count == 0) {
		v->eye = vec_add(s->middle, vec_scale(6, v->back));
		return;
	}
	double x[2], y[2];
	fit_axis(all, v->right, v->back, v->tan_x / MARGIN, x);
	fit_axis(all, v->up, v->back, v->tan_y / MARGIN, y);
	v->eye = vec_add(vec_add(vec_scale(x[0], v->right), vec_scale(y[0], v->up)), vec_scale(fmax(x[1], y[1]), v->back));
}

/* Whether the way from the eye to the target meets the box about a body. */
static bool blocks(const render_stage *s, const stage_pose *p, const cairn_box *box, cairn_vec3 target)
{
	cairn_quat back = quat_conjugate(p->pose.orientation);
	cairn_vec3 from = quat_turn(back, vec_sub(s->view.eye, p->pose.position));
	cairn_vec3 to = quat_turn(back, vec_sub(target, p->pose.position));
	double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z}, enter = 0, leave = 1;
	double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
	for (int i = 0; i < 3; ++i) {
		double way = b[i] - a[i], t0 = (low[i] - a[i]) / way, t1 = (high[i] - a[i]) / way;
		if (way == 0) {
			if (a[i] < low[i] || a[i] > high[i])
				return false;
			continue;
		}
		enter = fmax(enter, fmin(t0, t1));
		leave = fmin(leave, fmax(t0, t1));
	}
	return enter < leave;
}

/* The same with the triangles of a mesh, which its box says little about: ground is seen from above. */
static bool blocks_by_triangle(const render_stage *s, const stage_pose *p, const cairn_shape_def *def,
                               cairn_vec3 target)
{
	cairn_quat back = quat_conjugate(p->pose.orientation);
	cairn_vec3 from = quat_turn(back, vec_sub(s->view.eye, p->pose.position));
	cairn_vec3 way = vec_sub(quat_turn(back, vec_sub(target, p->pose.position)), from);
	for (uint32_t i = 0; i < def->triangle_count; ++i) {
		const uint32_t *t = &def->triangles[(size_t)i * 3];
		cairn_vec3 a = vec_sub(def->points[t[0]], from), b = vec_sub(def->points[t[1]], from),
				   c = vec_sub(def->points[t[2]], from);
		double u = vec_dot(way, vec_cross(a, b)), v = vec_dot(way, vec_cross(b, c)), w = vec_dot(way, vec_cross(c, a));
		if ((u < 0) != (v < 0) || (v < 0) != (w < 0))
			continue; /* the line passes beside it */
		cairn_vec3 n = vec_cross(vec_sub(b, a), vec_sub(c, a));
		double ahead = vec_dot(n, a) / vec_dot(n, way);
		if (ahead > 0 && ahead < 1)
			return true;
	}
	return false;
}

static stage_role role_of_halfspace(const render_stage *s, const stage_pose *p)
{
	cairn_shape_def def = cairn_scene_shape_at(s->scene, s->tracks[p->track].shape.index);
	cairn_vec3 normal = vec_unit(quat_turn(p->pose.orientation, def.normal));
	double height = vec_dot(vec_sub(s->view.eye, p->pose.position), normal) - def.offset / vec_length(def.normal);
	if (height <= 0)
		return STAGE_UNSEEN;
	return vec_dot(normal, s->sky) > 0.5 ? STAGE_FLOOR : STAGE_PANEL;
}

static void choose_roles(render_stage *s, const samples *all, bool no_glass)
{
	uint32_t step = all->moving_count / SIGHTS_MOST + 1;
	for (uint32_t k = 0; k < s->pose_count; ++k) {
		const stage_pose *p = &s->poses[k];
		stage_track *t = &s->tracks[p->track];
		if (cairn_scene_shape_at(s->scene, t->shape.index).kind == CAIRN_HALFSPACE) {
			t->role = role_of_halfspace(s, p);
			if (no_glass && t->role == STAGE_PANEL)
				t->role = STAGE_UNSEEN;
			continue;
		}
		if (t->type != CAIRN_FIXED || no_glass)
			continue;
		cairn_shape_def def = cairn_scene_shape_at(s->scene, t->shape.index);
		cairn_box box = cairn_scene_shape_facts(s->scene, t->shape).box;
		uint32_t blocked = 0, sights = 0;
		for (uint32_t i = 0; i < all->moving_count; i += step, ++sights)
			blocked += blocks(s, p, &box, all->moving[i].within) &&
			           (def.kind != CAIRN_MESH || blocks_by_triangle(s, p, &def, all->moving[i].within));
		if (blocked > HIDES * sights)
			t->role = STAGE_GLASS;
	}
}

static void choose_sun(render_stage *s, const render_def *def, const cairn_view *view)
{
	const stage_view *v = &s->view;
	s->light = view->has_light ? view->light_color : (cairn_color){1, 1, 1};
	if (def->has_light)
		s->sun = vec_unit(vec_scale(-1, def->light));
	else if (view->has_light && vec_length(view->light_direction) > 0)
		s->sun = vec_unit(vec_scale(-1, view->light_direction));
	else
		s->sun = vec_unit(vec_add(s->sky, vec_add(vec_scale(-0.65, v->right), vec_scale(0.35, v->back))));
}

static void look_from(render_stage *s, cairn_vec3 eye, cairn_vec3 target, double fov)
{
	stage_view *v = &s->view;
	double aspect = v->tan_x / v->tan_y;
	v->tan_y = tan(fov / 2);
	v->tan_x = v->tan_y * aspect;
	v->eye = eye;
	set_axes(v, vec_sub(eye, target), s->sky);
}

static void choose_depths(render_stage *s)
{
	stage_view *v = &s->view;
	double away = vec_length(vec_sub(v->eye, s->middle)), least = fmax(away - 1.5 * s->extent, 0);
	v->near = fmax(least / 2, 0.004 * (away + s->extent));
	v->far = 100 * (away + s->extent);
}

/* The track that the camera moves along with: of a body of that name, or of the scene's own camera. */
static uint32_t find_followed(const render_stage *s, const char *name)
{
	cairn_body own = s->camera.camera_follow;
	for (uint32_t i = 0; i < s->track_count; ++i) {
		cairn_track t = cairn_recording_track(s->recording, i);
		if (name ? strcmp(t.info.name, name) == 0 : t.body.index == own.index && t.body.generation == 1)
			return i;
	}
	return UINT32_MAX;
}

/* From near a body: as much about it is seen as a few times its size. */
static void look_at_body(render_stage *s, cairn_vec3 at, double radius)
{
	cairn_vec3 back = s->view.back;
	s->camera.camera_target = at;
	s->camera.camera_position = vec_add(at, vec_scale(3 * radius / s->view.tan_y, back));
}

/* What a camera that moves needs to know. */
static bool choose_moves(render_stage *s, const render_def *def, cairn_error *error)
{
	cairn_view own = s->camera;
	bool follows = def->follow || (!def->has_camera && own.camera_follow.generation);
	s->moves = follows || (!def->has_camera && own.has_camera && own.camera_key_count);
	if (def->has_camera || !own.has_camera) { /* a camera that was given or chosen has no keys */
		s->camera.camera_key_count = 0;
		s->camera.camera_position = s->view.eye;
		s->camera.camera_target = vec_sub(s->view.eye, s->view.back);
		s->camera.camera_fov = 2 * atan(s->view.tan_y);
	}
	s->follow = UINT32_MAX;
	if (!follows)
		return true;
	s->follow = find_followed(s, def->follow);
	if (s->follow == UINT32_MAX && !def->follow)
		return true; /* it was gone before the recording began */
	if (s->follow == UINT32_MAX) {
		*error = (cairn_error){.code = CAIRN_USAGE};
		snprintf(error->message, sizeof error->message, "there is no body '%.80s' to follow", def->follow);
		return false;
	}
	s->camera.camera_follow = (cairn_body){.generation = 1};
	s->follow_from = cairn_recording_track(s->recording, s->follow).first_key.position;
	if (!def->has_camera && def->follow) {
		s->camera.camera_key_count = 0;
		look_at_body(s, s->follow_from, s->tracks[s->follow].radius);
	}
	return true;
}

void stage_move_camera(render_stage *s, double time)
{
	cairn_vec3 moved = vec(0, 0, 0);
	if (!s->moves)
		return;
	for (uint32_t k = 0; k < s->pose_count; ++k)
		if (s->poses[k].track == s->follow)
			s->followed = center_of(s, &s->poses[k]); /* when it is gone, it stays where it was last */
	if (s->follow != UINT32_MAX)
		moved = vec_sub(s->followed, s->follow_from);
	cairn_view at = cairn_view_at(&s->camera, time, moved);
	look_from(s, at.camera_position, at.camera_target, at.camera_fov);
	choose_depths(s);
}

static bool choose_view(render_stage *s, const render_def *def, const samples *all, cairn_error *error)
{
	s->camera = cairn_scene_view(s->scene);
	if (def->fits) {
		s->camera.has_camera = false;
		s->camera.camera_key_count = 0;
		s->camera.camera_follow = (cairn_body){0, 0};
	}
	const cairn_view *own = &s->camera;
	stage_view *v = &s->view;
	double fov = def->has_camera ? def->fov : own->has_camera ? own->camera_fov : DEFAULT_FOV;
	v->tan_y = tan(fov / 2);
	v->tan_x = v->tan_y * def->width / def->height;
	if (def->has_camera)
		look_from(s, def->position, def->target, fov);
	else if (own->has_camera)
		look_from(s, own->camera_position, own->camera_target, fov);
	else
		fit_view(s, all);
	choose_depths(s);
	choose_sun(s, def, own);
	return choose_moves(s, def, error);
}

/* The radius of a typical body that moves. */
static double typical_size(const render_stage *s, bool any)
{
	double *values = memory_resize(NULL, (s->track_count + 1) * sizeof *values);
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->track_count; ++i)
		if (s->tracks[i].type != CAIRN_FIXED && isfinite(s->tracks[i].radius))
			values[count++] = s->tracks[i].radius;
	qsort(values, count, sizeof *values, compare);
	double size = any && count ? values[count / 2] : s->extent / 4;
	free(values);
	return size;
}

static void forget(samples *all)
{
	free(all->moving);
	free(all->standing);
	free(all->values);
	*all = (samples){0};
}

/* What is where in the frames from and to of the def, and from where it is seen. */
static bool survey(render_stage *s, const render_def *def, samples *all, cairn_error *error)
{
	s->middle = vec(0, 0, 0);
	s->extent = s->grain = 1;
	if (!collect_moving(s, def, all, error))
		return false;
	all->values = memory_resize(NULL, (all->moving_count + 1) * sizeof *all->values);
	measure(s, all);
	stage_read_standing(s);
	collect_standing(s, all);
	collect_hooks(s, all);
	measure(s, all);
	s->grain = typical_size(s, all->moving_count > 0);
	return choose_view(s, def, all, error);
}

/* A single picture with a camera of its own choice in which one would hardly see anything: bodies go too far. */
static bool is_lost(const render_stage *s, const render_def *def)
{
	double away = vec_length(vec_sub(s->view.eye, s->middle));
	bool chosen = !def->has_camera && !def->follow && !s->camera.has_camera;
	return def->single && chosen && s->grain < LOST * away * s->view.tan_y;
}

bool stage_aim(render_stage *s, const render_def *def, cairn_error *error)
{
	samples all = {0};
	cairn_vec3 gravity = cairn_scene_settings(s->scene).gravity;
	s->sky = vec_length(gravity) > 0 ? vec_unit(vec_scale(-1, gravity)) : vec(0, 0, 1);
	bool done = survey(s, def, &all, error);
	if (done && is_lost(s, def)) {
		render_def own = *def;
		own.from = own.to = def->frame;
		forget(&all);
		done = survey(s, &own, &all, error);
	}
	if (done)
		choose_roles(s, &all, def->no_glass);
	forget(&all);
	return done;
}
