/* What a scene asks for beside what it has: goals, and where bodies start in place of where they stand in "bodies". */
#include "io/scene_read.h"

#include <string.h>

static const char *const goal_types[] = {[CAIRN_GOAL_FIXED_POINT] = "fixed-point",
                                         [CAIRN_GOAL_POINT_TO_POINT] = "point-to-point",
                                         [CAIRN_GOAL_ABUTTING] = "abutting",
                                         [CAIRN_GOAL_FLOATING] = "floating",
                                         [CAIRN_GOAL_FLOATING_ABUTTING] = "floating-abutting",
                                         NULL};

/* Which keys a type of goal has, and which it needs. */
static bool check_goal_keys(cn_scene_reader *r, const cn_json *at, cairn_goal_kind kind)
{
	static const char *const known[][11] = {
		{"type", "weight", "stiffness", "damping", "body", "point", "target", NULL},
		{"type", "weight", "stiffness", "damping", "bodies", "points", NULL},
		{"type", "weight", "stiffness", "damping", "bodies", "points", "normals", "gap", NULL},
		{"type", "weight", "stiffness", "damping", "bodies", "point", "gap", NULL},
		{"type", "weight", "stiffness", "damping", "bodies", "point", "normal", "gap", NULL},
	};
	static const char *const needed[][4] = {
		{"body", "point", "target", NULL}, {"bodies", "points", NULL}, {"bodies", "points", NULL},
		{"bodies", "point", NULL},         {"bodies", "point", NULL},
	};
	if (!cn_read_keys(r, at, known[kind]))
		return false;
	for (size_t i = 0; needed[kind][i]; ++i)
		if (!cn_read_need(r, at, needed[kind][i]))
			return false;
	return true;
}

/* Two vectors under a key, if it is there. */
static bool read_two(cn_scene_reader *r, const cn_json *at, const char *key, v3 *first, v3 *second)
{
	const cn_json *two = cn_json_get(at, key);
	if (!two)
		return true;
	if (two->type != CN_JSON_ARRAY || two->count != 2)
		return cn_read_fail(r, two, "expected two, one of each body, as in [[0, 0, 1], [0, 0, -1]]");
	return cn_read_vector_at(r, two->first, first) && cn_read_vector_at(r, two->first->next, second);
}

static bool read_goal_bodies(cn_scene_reader *r, const cn_json *at, cairn_goal_def *def)
{
	const cn_json *one = cn_json_get(at, "body"), *two = cn_json_get(at, "bodies");
	if (one)
		return cn_read_body_name(r, one, false, &def->a);
	if (two->type != CN_JSON_ARRAY || two->count != 2)
		return cn_read_fail(r, two, "expected the names of two bodies, as in [\"a\", \"b\"]");
	return cn_read_body_name(r, two->first, false, &def->a) && cn_read_body_name(r, two->first->next, false, &def->b);
}

static bool read_goal(cn_scene_reader *r, const cn_json *at)
{
	const char *name = "";
	int type = 0;
	if (!cn_read_type(r, at, CN_JSON_OBJECT) || !cn_read_need(r, at, "type") || !cn_read_text(r, at, "type", &name))
		return false;
	while (goal_types[type] && strcmp(goal_types[type], name) != 0)
		++type;
	if (!goal_types[type])
		return cn_read_fail_unknown(r, cn_json_get(at, "type"), "type of goal", goal_types);
	cairn_goal_def def = cairn_default_goal_def((cairn_goal_kind)type);
	return check_goal_keys(r, at, def.kind) && read_goal_bodies(r, at, &def) &&
	       cn_read_vector(r, at, "point", &def.point) && cn_read_vector(r, at, "normal", &def.normal) &&
	       read_two(r, at, "points", &def.point, &def.point_b) &&
	       read_two(r, at, "normals", &def.normal, &def.normal_b) && cn_read_vector(r, at, "target", &def.target) &&
	       cn_read_number(r, at, "weight", &def.weight) && cn_read_number(r, at, "gap", &def.gap) &&
	       cn_read_number(r, at, "stiffness", &def.stiffness) && cn_read_number(r, at, "damping", &def.damping) &&
	       (cairn_scene_add_goal(r->scene, &def, r->error) || cn_read_place(r, at));
}

bool cn_read_goals(cn_scene_reader *r) { return cn_read_each(r, "goals", read_goal); }

static bool read_start(cn_scene_reader *r, const cn_json *at, pose *poses)
{
	static const char *const known[] = {"body", "position", "orientation", NULL};
	const cn_json *name = cn_read_keys(r, at, known) ? cn_read_need(r, at, "body") : NULL;
	cairn_body body;
	return name && cn_read_body_name(r, name, false, &body) && cn_read_pose(r, at, &poses[body.index]);
}

/* All at once, because joints hold between bodies that have moved and others. */
bool cn_read_starts(cn_scene_reader *r)
{
	const cn_json *first, *list = cn_json_get(r->file->root, "start");
	uint32_t count = cairn_scene_body_count(r->scene);
	if (!list)
		return true;
	pose *poses = cn_arena_take(&r->arena, count, sizeof *poses);
	if (!poses)
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; i < count; ++i)
		poses[i] = cairn_scene_body_at(r->scene, i).pose;
	if (!cn_read_array(r, r->file->root, "start", &first))
		return false;
	for (const cn_json *at = first; at; at = at->next)
		if (!read_start(r, at, poses))
			return false;
	if (cairn_scene_place(r->scene, poses, r->error))
		return true;
	r->error->path[0] = 0;
	return cn_read_place(r, list);
}
