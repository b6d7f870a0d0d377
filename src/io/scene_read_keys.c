/* The keys of a servo: times and values of the scene itself, or a channel of captured motion. */
#include "io/bvh_read.h"
#include "io/scene_read.h"

#include <stdio.h>
#include <string.h>

#define CN_DEGREE 0.017453292519943295 /* rad */

/* [[time, value], ...]; of a ball [[time, [x, y, z]], ...] */
static bool read_list(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	cairn_target_key *keys = cn_arena_take(&r->arena, at->count + 1, sizeof *keys);
	if (!keys)
		return cn_read_fail_memory(r);
	for (const cn_json *k = at->first; k; k = k->next) {
		bool ball = def->type == CAIRN_BALL;
		cairn_target_key *key = &keys[def->key_count++];
		if (k->type != CN_JSON_ARRAY || k->count != 2)
			return cn_read_fail(r, k, "expected a time and a %s, as in [0.5, %s]", ball ? "rotation vector" : "value",
			                    ball ? "[0, 0, 1.2]" : "1.2");
		*key = (cairn_target_key){.time = k->first->number};
		if (!cn_read_type(r, k->first, CN_JSON_NUMBER) || !(ball ? cn_read_vector_at(r, k->first->next, &key->turn)
		                                                         : cn_read_type(r, k->first->next, CN_JSON_NUMBER)))
			return false;
		key->value = ball ? 0 : k->first->next->number;
	}
	def->keys = keys;
	return true;
}

static bool read_motion(cn_scene_reader *r, const cn_json *file, cn_bvh *motion)
{
	const char *path = "";
	void *data = NULL;
	size_t size = 0;
	if (!cn_read_bytes(r, file, &path, &data, &size))
		return false;
	bool ok = cn_bvh_read(data, size, path, &r->arena, motion, r->error);
	cn_free(&r->arena.allocator, data, size, 1);
	if (ok)
		return true;
	cairn_error e = *r->error;
	return e.code == CAIRN_MEMORY ? cn_read_fail_memory(r)
	                              : cn_read_fail(r, file, "%s:%d: %s", path, e.line, e.message);
}

/* { "file": "jump.bvh", "channel": "LeftArm Xrotation", "scale": 1, "offset": 0, "start": 0 } */
static bool read_channel(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	static const char *const known[] = {"file", "channel", "scale", "offset", "start", NULL};
	const cn_json *file = cn_read_keys(r, at, known) ? cn_read_need(r, at, "file") : NULL;
	const cn_json *name = file ? cn_read_need(r, at, "channel") : NULL;
	double scale = 1, offset = 0, start = 0;
	cn_bvh motion;
	if (!name || !cn_read_type(r, name, CN_JSON_TEXT) || !cn_read_number(r, at, "scale", &scale) ||
	    !cn_read_number(r, at, "offset", &offset) || !cn_read_number(r, at, "start", &start) ||
	    !read_motion(r, file, &motion))
		return false;
	uint32_t channel = 0;
	while (motion.channels[channel] && strcmp(motion.channels[channel], name->text) != 0)
		++channel;
	if (!motion.channels[channel])
		return cn_read_fail_unknown(r, name, "channel", motion.channels);
	size_t length = strlen(name->text);
	bool turns = length > 8 && strcmp(name->text + length - 8, "rotation") == 0;
	cairn_target_key *keys = cn_arena_take(&r->arena, motion.frame_count, sizeof *keys);
	if (!keys)
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; i < motion.frame_count; ++i) {
		double value = motion.values[(size_t)i * motion.channel_count + channel];
		keys[i] = (cairn_target_key){.time = start + i * motion.frame_time,
		                             .value = offset + scale * (turns ? CN_DEGREE * value : value)};
	}
	def->keys = keys, def->key_count = motion.frame_count;
	return true;
}

/* Which axis a channel turns about; -1: none, or that of another joint. */
static int turns_about(const char *channel, const char *joint)
{
	size_t length = strlen(joint);
	bool of = strncmp(channel, joint, length) == 0 && channel[length] == ' ';
	return of && !strcmp(channel + length + 2, "rotation") ? channel[length + 1] - 'X' : -1;
}

/* How a joint of captured motion is turned in a frame, in the file's axes: its channels one after the other, the last
 * one first. */
static quat turned_in(const cn_bvh *motion, const char *joint, uint32_t frame)
{
	quat q = q_identity();
	for (uint32_t c = 0; c < motion->channel_count; ++c) {
		int axis = turns_about(motion->channels[c], joint);
		double angle = CN_DEGREE * motion->values[(size_t)frame * motion->channel_count + c];
		if (axis >= 0)
			q = q_mul(q, q_exp(v3_make(axis == 0 ? angle : 0, axis == 1 ? angle : 0, axis == 2 ? angle : 0)));
	}
	return q;
}

/* { "file": "jump.bvh", "joint": "LeftArm", "orientation": [0.7071, 0.7071, 0, 0], "start": 0 } */
static bool read_turns(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	static const char *const known[] = {"file", "joint", "orientation", "start", NULL};
	const cn_json *file = cn_read_keys(r, at, known) ? cn_read_need(r, at, "file") : NULL;
	const cn_json *name = file ? cn_read_need(r, at, "joint") : NULL;
	double start = 0;
	pose axes = pose_identity();
	cn_bvh motion;
	if (!name || !cn_read_type(r, name, CN_JSON_TEXT) || !cn_read_pose(r, at, &axes) ||
	    !cn_read_number(r, at, "start", &start) || !read_motion(r, file, &motion))
		return false;
	bool any = false;
	for (uint32_t c = 0; c < motion.channel_count; ++c)
		any |= turns_about(motion.channels[c], name->text) >= 0;
	if (!any)
		return cn_read_fail(r, name, "no joint '%.40s' of the file has channels of rotation", name->text);
	cairn_target_key *keys = cn_arena_take(&r->arena, motion.frame_count, sizeof *keys);
	if (!keys)
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; i < motion.frame_count; ++i) /* axis times angle turns with the axes */
		keys[i] = (cairn_target_key){.time = start + i * motion.frame_time,
		                             .turn = q_rotate(axes.orientation, q_log(turned_in(&motion, name->text, i)))};
	def->keys = keys, def->key_count = motion.frame_count;
	return true;
}

bool cn_read_ease(cn_scene_reader *r, const cn_json *object, bool *smooth)
{
	static const char *const known[] = {"linear", "smooth", NULL};
	const char *ease = "linear";
	if (!cn_read_text(r, object, "ease", &ease))
		return false;
	*smooth = !strcmp(ease, known[1]);
	return *smooth || !strcmp(ease, known[0]) || cn_read_fail_unknown(r, cn_json_get(object, "ease"), "ease", known);
}

double cn_ease(uint32_t step)
{
	double s = (double)step / CN_EASE_STEPS;
	return s * s * (3 - 2 * s);
}

/* Between two keys comes a cubic that stands at both, as straight pieces. */
static bool ease_keys(cn_scene_reader *r, cairn_joint_def *def)
{
	uint32_t pieces = def->key_count > 1 ? def->key_count - 1 : 0;
	cairn_target_key *keys = cn_arena_take(&r->arena, (size_t)pieces * CN_EASE_STEPS + 1, sizeof *keys);
	if (!keys)
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; i < pieces; ++i)
		for (uint32_t k = 0; k < CN_EASE_STEPS; ++k) {
			const cairn_target_key *from = &def->keys[i], *to = from + 1;
			double share = cn_ease(k);
			keys[i * CN_EASE_STEPS + k] =
				(cairn_target_key){.time = from->time + (to->time - from->time) * k / CN_EASE_STEPS,
			                       .value = from->value + (to->value - from->value) * share,
			                       .turn = def->type == CAIRN_BALL ? cn_scene_turn_between(from, share) : v3_zero()};
		}
	keys[pieces * CN_EASE_STEPS] = def->keys[pieces];
	def->keys = keys, def->key_count = pieces * CN_EASE_STEPS + 1;
	return true;
}

bool cn_read_target_keys(cn_scene_reader *r, const cn_json *at, bool smooth, cairn_joint_def *def)
{
	if (at->type == CN_JSON_ARRAY)
		return read_list(r, at, def) && (!smooth || !def->key_count || ease_keys(r, def));
	return cn_read_type(r, at, CN_JSON_OBJECT) &&
	       (def->type == CAIRN_BALL ? read_turns(r, at, def) : read_channel(r, at, def)) &&
	       (!smooth || ease_keys(r, def));
}
