/* The tracks of a recording as things to be seen, and where they are at a moment. */
#include "render_stage.h"
#include "message.h"
#include "render_math.h"

#include <stdlib.h>

static void add_track(render_stage *s, uint32_t index)
{
	cairn_body_info info = cairn_recording_track(s->recording, index).info;
	stage_track *t = &s->tracks[index];
	cairn_color shown = cairn_shown_color(&info);
	cairn_pose offset;
	cairn_shape drawn = cairn_shown_shape(&info, &offset);
	if (cairn_scene_shape_at(s->scene, drawn.index).colors)
		shown = (cairn_color){1, 1, 1};
	*t = (stage_track){.type = info.type,
	                   .shape = info.shape,
	                   .shown = drawn,
	                   .offset = offset,
	                   .shine = (float)((1 - info.roughness) / 0.4),
	                   .center = info.center,
	                   .radius = info.radius,
	                   .color = {(float)shown.r, (float)shown.g, (float)shown.b}};
}

bool stage_open(render_stage *s, cairn_recording *recording, const render_def *def, cairn_error *error)
{
	*s = (render_stage){.recording = recording, .scene = cairn_recording_scene(recording)};
	s->track_count = cairn_recording_get_info(recording).bodies;
	s->tracks = memory_resize(NULL, (s->track_count + 1) * sizeof *s->tracks);
	for (uint32_t i = 0; i < s->track_count; ++i)
		add_track(s, i);
	if (stage_aim(s, def, error))
		return true;
	stage_close(s);
	return false;
}

void stage_close(render_stage *s)
{
	free(s->tracks);
	free(s->poses);
	*s = (render_stage){0};
}

/* Both as of keys: of the centre of mass. */
static void add_pose(render_stage *s, const cairn_track_key *key, cairn_vec3 position, cairn_quat orientation)
{
	if (s->pose_count == s->pose_capacity) {
		s->pose_capacity = 2 * s->pose_capacity + 64;
		s->poses = memory_resize(s->poses, s->pose_capacity * sizeof *s->poses);
	}
	cairn_vec3 arm = quat_turn(orientation, s->tracks[key->track].center);
	s->poses[s->pose_count++] =
		(stage_pose){.track = key->track, .pose = {vec_sub(position, arm), orientation}, .asleep = key->asleep};
}

/* Between two keys of a body: straight, and at constant rate about one axis. */
static void add_between(render_stage *s, const cairn_track_key *a, const cairn_track_key *b, double time)
{
	double span = b->key.time - a->key.time, part = span > 0 ? (time - a->key.time) / span : 1;
	cairn_vec3 way = vec_sub(b->key.position, a->key.position);
	cairn_quat turn = quat_exp(vec_scale(part, b->key.turn));
	add_pose(s, b, vec_add(a->key.position, vec_scale(part, way)), quat_mul(turn, a->key.orientation));
}

/* before: the last key of each body in the frame before, ordered by track. */
static void add_moment(render_stage *s, const cairn_track_key *before, uint32_t before_count, const cairn_frame *frame,
                       double time)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < frame->key_count;) {
		uint32_t track = frame->keys[i].track;
		while (at < before_count && before[at].track < track)
			++at;
		const cairn_track_key *last = at < before_count && before[at].track == track ? &before[at] : NULL;
		bool done = false;
		for (; i < frame->key_count && frame->keys[i].track == track; ++i) {
			const cairn_track_key *key = &frame->keys[i];
			if (!done && key->key.time >= time) {
				if (last)
					add_between(s, last, key, time);
				else if (key->key.time <= time)
					add_pose(s, key, key->key.position, key->key.orientation);
				done = true;
			}
			last = key;
		}
	}
}

static void add_ends(render_stage *s, const cairn_frame *frame)
{
	for (uint32_t i = 0; i < frame->key_count; ++i)
		if (i + 1 == frame->key_count || frame->keys[i + 1].track != frame->keys[i].track)
			add_pose(s, &frame->keys[i], frame->keys[i].key.position, frame->keys[i].key.orientation);
}

void stage_read_standing(render_stage *s)
{
	s->pose_count = 0;
	for (uint32_t i = 0; i < s->track_count; ++i) {
		cairn_track_key key = {.track = i, .key = cairn_recording_track(s->recording, i).first_key};
		if (s->tracks[i].type == CAIRN_FIXED || !isfinite(s->tracks[i].radius))
			add_pose(s, &key, key.key.position, key.key.orientation);
	}
}

bool stage_read(render_stage *s, uint32_t frame, double part, cairn_error *error)
{
	cairn_frame read;
	s->pose_count = 0;
	if (part >= 1 || frame == cairn_recording_get_info(s->recording).first_frame) {
		if (!cairn_recording_read(s->recording, frame, &read, error))
			return false;
		add_ends(s, &read);
		stage_move_camera(s, read.time);
		return true;
	}
	if (!cairn_recording_read(s->recording, frame - 1, &read, error))
		return false;
	cairn_track_key *before = memory_resize(NULL, (read.key_count + 1) * sizeof *before);
	uint32_t count = 0;
	double begun = read.time;
	for (uint32_t i = 0; i < read.key_count; ++i)
		if (i + 1 == read.key_count || read.keys[i + 1].track != read.keys[i].track)
			before[count++] = read.keys[i];
	bool done = cairn_recording_read(s->recording, frame, &read, error);
	if (done) {
		double time = begun + part * (read.time - begun);
		add_moment(s, before, count, &read, time);
		stage_move_camera(s, time);
	}
	free(before);
	return done;
}
