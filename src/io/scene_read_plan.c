/* Plans of a scene. */
#include "io/scene_read.h"

#include <string.h>

bool cn_read_joint_name(cn_scene_reader *r, const cn_json *at, cairn_joint *out)
{
	if (!cn_read_type(r, at, CN_JSON_TEXT))
		return false;
	for (uint32_t i = 0; i < cairn_scene_joint_count(r->scene); ++i)
		if (!strcmp(cairn_scene_joint_at(r->scene, i).name, at->text)) {
			*out = (cairn_joint){i, 1};
			return true;
		}
	return cn_read_fail(r, at, "there is no joint of the name \"%.60s\"; joints get one by their key \"name\"",
	                    at->text);
}

/* { "time": t, "joint": name, "value": v } or { "time": t, "body": name, "point": p, "target": q } */
static bool read_key(cn_scene_reader *r, const cn_json *at, cairn_plan_key *key)
{
	static const char *const known[] = {"time", "joint", "value", "body", "point", "target", NULL};
	if (!cn_read_keys(r, at, known) || !cn_read_need(r, at, "time") || !cn_read_number(r, at, "time", &key->time))
		return false;
	const cn_json *joint = cn_json_get(at, "joint"), *body = cn_json_get(at, "body");
	if (!joint == !body)
		return cn_read_fail(r, at,
		                    "a key is about a \"joint\" and its \"value\", or a \"body\" and the \"target\" of its "
		                    "\"point\"; found %s",
		                    joint ? "both" : "neither");
	if (joint)
		return cn_read_joint_name(r, joint, &key->joint) && cn_read_need(r, at, "value") &&
		       cn_read_number(r, at, "value", &key->value);
	return cn_read_body_name(r, body, false, &key->body) && cn_read_need(r, at, "target") &&
	       cn_read_vector(r, at, "point", &key->point) && cn_read_vector(r, at, "target", &key->target);
}

static bool read_hold(cn_scene_reader *r, const cn_json *at, cairn_plan_hold *hold)
{
	static const char *const known[] = {"body", "from", "to", "shift", "turn", "sole", NULL};
	const cn_json *body = cn_read_keys(r, at, known) ? cn_read_need(r, at, "body") : NULL;
	return body && cn_read_body_name(r, body, false, &hold->body) && cn_read_need(r, at, "from") &&
	       cn_read_need(r, at, "to") && cn_read_number(r, at, "from", &hold->from) &&
	       cn_read_number(r, at, "to", &hold->to) && cn_read_vector(r, at, "shift", &hold->shift) &&
	       cn_read_number(r, at, "turn", &hold->turn) && cn_read_number(r, at, "sole", &hold->sole);
}

static bool read_objective(cn_scene_reader *r, const cn_json *at, cairn_plan_objective *out)
{
	static const char *const names[] = {"torque", "effort", "smooth", NULL};
	const char *name = names[0];
	int found = 0;
	if (!cn_read_text(r, at, "objective", &name))
		return false;
	while (names[found] && strcmp(names[found], name) != 0)
		++found;
	if (!names[found])
		return cn_read_fail_unknown(r, cn_json_get(at, "objective"), "objective", names);
	*out = (cairn_plan_objective)found;
	return true;
}

static bool read_lists(cn_scene_reader *r, const cn_json *at, cairn_plan_def *def)
{
	const cn_json *keys = NULL, *holds = NULL;
	if (!cn_read_array(r, at, "keys", &keys) || !cn_read_array(r, at, "holds", &holds))
		return false;
	for (const cn_json *v = keys; v; v = v->next)
		++def->key_count;
	for (const cn_json *v = holds; v; v = v->next)
		++def->hold_count;
	cairn_plan_key *key = cn_arena_take(&r->arena, def->key_count, sizeof *key);
	cairn_plan_hold *hold = cn_arena_take(&r->arena, def->hold_count, sizeof *hold);
	if (!key || !hold)
		return cn_read_fail_memory(r);
	def->keys = key, def->holds = hold;
	for (const cn_json *v = keys; v; v = v->next, ++key)
		if (!read_key(r, v, key))
			return false;
	for (const cn_json *v = holds; v; v = v->next, ++hold)
		if (!read_hold(r, v, hold))
			return false;
	return true;
}

static bool read_plan(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"figure", "time",     "samples", "objective", "free_start", "free_end",
	                                    "thrust", "friction", "keys",    "holds",     NULL};
	cairn_plan_def def = cairn_default_plan_def();
	const cn_json *figure = cn_read_keys(r, at, known) ? cn_read_need(r, at, "figure") : NULL;
	return figure && cn_read_body_name(r, figure, false, &def.figure) && cn_read_number(r, at, "time", &def.time) &&
	       cn_read_u32(r, at, "samples", &def.samples) && read_objective(r, at, &def.objective) &&
	       cn_read_bool(r, at, "free_start", &def.free_start) && cn_read_bool(r, at, "free_end", &def.free_end) &&
	       cn_read_bool(r, at, "thrust", &def.thrust) && cn_read_number(r, at, "friction", &def.friction) &&
	       read_lists(r, at, &def) && (cairn_scene_add_plan(r->scene, &def, r->error) || cn_read_place(r, at));
}

bool cn_read_plans(cn_scene_reader *r) { return cn_read_each(r, "plans", read_plan); }
