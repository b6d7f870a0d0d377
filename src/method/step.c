/* Entry points: creating a world for its method, and stepping it. */
#include "step/context.h"
#include "step/frame/substeps.h"

#include <stdio.h>
#include <string.h>

typedef struct method {
	const char *name; /* as in cairn_method_at */
	cairn_step_report (*step)(cairn_world *w);
	bool contact; /* bodies touch, and may not overlap at the start */
} method;

#define METHOD_ROW(name, contact, help) {#name, cn_method_##name, contact},
static const method methods[] = {CN_METHODS(METHOD_ROW)};

static const method *find_method(const cairn_world *w)
{
	for (size_t i = 0; i < CN_COUNT(methods); ++i)
		if (strcmp(methods[i].name, w->scene->settings.method) == 0)
			return &methods[i];
	return NULL;
}

/* A body's name in messages: 'floor', or "number 3" for one without a name. */
static void name_body(const cairn_world *w, cairn_body body, char *text, size_t size)
{
	const cn_body *b = &w->bodies[body.index];
	if (b->name && *b->name)
		snprintf(text, size, "'%.80s'", b->name);
	else
		snprintf(text, size, "number %u", b->serial);
}

/* An option that is not at its default and that the method does not support; NULL: none. */
static const char *unknown_option(const cairn_world *w, const method *m)
{
	const char *key = NULL;
	do
		key = cn_scene_changed_option(w->scene, key);
	while (key && cn_option_fits(key, m->name));
	return key;
}

static bool check_start(cairn_world *w, const method *m, const cairn_scene *from, cairn_error *error)
{
	char a_name[100], b_name[100];
	cairn_body a, b;
	bool failed = false;
	if (!m->contact || !cn_contacts_overlap(w, &a, &b, &failed))
		return failed ? cn_fail_memory(error) : true;
	name_body(w, a, a_name, sizeof a_name);
	name_body(w, b, b_name, sizeof b_name);
	cn_fail(error, CAIRN_INVALID, "bodies",
	        "bodies %s and %s overlap at the start; move them apart (touching is fine), let a filter keep them from "
	        "colliding, or choose method 'free'",
	        a_name, b_name);
	cn_places_find(&from->places, CN_PLACE_BODIES, b.index, error);
	return false;
}

/* Refuses scenes that the method cannot simulate. from: the scene that knows in which line of its files each thing
 * stands. */
static bool check_ability(cairn_world *w, const method *m, const cairn_scene *from, cairn_error *error)
{
	char value[64], field[64];
	const char *option = unknown_option(w, m);
	if (w->scene->joint_count && !m->contact) {
		cn_fail(error, CAIRN_INVALID, "joints", "the scene has %u joint%s, which method '%s' cannot do in this version",
		        w->scene->joint_count, w->scene->joint_count == 1 ? "" : "s", m->name);
		cn_places_find(&from->places, CN_PLACE_JOINTS, 0, error);
		return false;
	}
	if (option) {
		cairn_scene_option(w->scene, option, value, sizeof value);
		snprintf(field, sizeof field, "world.options.%s", option);
		cn_fail(error, CAIRN_INVALID, field, "method '%s' cannot do %s = %s in this version; leave it out", m->name,
		        option, value);
		cn_places_find(&from->places, CN_PLACE_OPTION, cn_option_number(option), error);
		return false;
	}
	if (w->scene->joint_count && (w->scene->options.momentum || w->scene->options.forces)) {
		const char *key = w->scene->options.momentum ? "momentum" : "forces";
		cairn_scene_option(w->scene, key, value, sizeof value);
		snprintf(field, sizeof field, "world.options.%s", key);
		cn_fail(error, CAIRN_INVALID, field,
		        "%s = %s knows no joints, and the scene has %u; leave the option out, or the joints", key, value,
		        w->scene->joint_count);
		cn_places_find(&from->places, CN_PLACE_OPTION, cn_option_number(key), error);
		return false;
	}
	return check_start(w, m, from, error);
}

cairn_world *cairn_world_create(const cairn_scene *scene, const cairn_world_def *def, cairn_error *error)
{
	cairn_world *w = cn_world_make(scene, def, error);
	if (!w)
		return NULL;
	cn_frame f = {0};
	const method *m = find_method(w);
	bool ok = m || cn_fail(error, CAIRN_USAGE, "method", "unknown method '%s'", w->scene->settings.method);
	if (ok && !cn_emit(w, &f))
		ok = cn_fail_memory(error);
	if (ok && check_ability(w, m, scene, error))
		return w;
	cairn_world_destroy(w);
	return NULL;
}

void cairn_world_destroy(cairn_world *w)
{
	if (w) {
		cn_articulations_destroy(w);
		cn_context_destroy(w);
		cn_substeps_destroy(w);
	}
	cn_world_free(w);
}

cairn_step_report cairn_world_step(cairn_world *w) { return find_method(w)->step(w); }

void cairn_world_explain(const cairn_world *w, const cairn_step_report *r, char *text, size_t size)
{
	char a[100] = "", b[100] = "";
	if (r->pair_a.generation)
		name_body(w, r->pair_a, a, sizeof a);
	if (r->pair_b.generation)
		name_body(w, r->pair_b, b, sizeof b);
	switch (r->status) {
	case CAIRN_STEP_OK: snprintf(text, size, "frame %u done", r->frame); break;
	case CAIRN_STEP_TOUCH:
		snprintf(text, size,
		         "after frame %u bodies %s and %s come to touch; one of them is a mesh that may move, "
		         "which method '%s' "
		         "keeps out of contact in this version",
		         r->frame, a, b, w->scene->settings.method);
		break;
	case CAIRN_STEP_OVERLAP:
		snprintf(text, size, "at frame %u bodies %s and %s overlap: one was put where the other is", r->frame, a, b);
		break;
	case CAIRN_STEP_UNCERTIFIED:
		snprintf(text, size,
		         "after frame %u the certificate does not hold for bodies %s and %s (%s); the frame is not shown",
		         r->frame, a, b,
		         r->certificate.verdict == CAIRN_OVERLAP ? "they overlap" : "one may pass through the other");
		break;
	case CAIRN_STEP_SPIN:
		snprintf(
			text, size,
			"after frame %u body %s turns further in one frame than its 64 keys can show (96 rad, or 64 script keys); "
			"raise fps or slow it down",
			r->frame, a);
		break;
	case CAIRN_STEP_NOT_FINITE:
		snprintf(text, size,
		         "after frame %u the motion of body %s is no longer finite; its speed or a force is too large",
		         r->frame, a);
		break;
	case CAIRN_STEP_MEMORY: snprintf(text, size, "after frame %u memory ran out", r->frame); break;
	}
}
