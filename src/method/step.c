/* Entry points: creating a world for its method, and stepping it. */
#include "step/classic/classic.h"
#include "step/context.h"
#include "step/frame/substeps.h"
#include "step/relax/relax.h"
#include "world/ask.h"

#include <stdio.h>
#include <string.h>

typedef struct method {
	const char *name; /* as in cairn_method_at */
	cairn_step_report (*step)(cairn_world *w);
	uint32_t abilities; /* cn_ability */
} method;

#define METHOD_ROW(name, abilities, substeps, help) {#name, cn_method_##name, abilities},
static const method methods[] = {CN_METHODS(METHOD_ROW)};

static const method *find_method(const cairn_world *w)
{
	for (size_t i = 0; i < CN_COUNT(methods); ++i)
		if (strcmp(methods[i].name, w->scene->settings.method) == 0)
			return &methods[i];
	return NULL;
}

static void name_body(const cairn_world *w, cairn_body body, char *text, size_t size)
{
	cn_body_title(w, body.index, text, size);
}

static bool can(const method *m, cn_ability ability) { return m->abilities & ability; }

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
	char a_name[100], b_name[100], by[32] = "", where[80] = "";
	cairn_body a, b;
	cairn_gap gap;
	bool failed = false;
	if (!can(m, CN_CAN_CONTACT) || !cn_contacts_overlap(w, &a, &b, &failed))
		return failed ? cn_fail_memory(error) : true;
	name_body(w, a, a_name, sizeof a_name);
	name_body(w, b, b_name, sizeof b_name);
	if (cairn_world_gap(w, a, b, &gap) && gap.exact && gap.gap < 0)
		snprintf(by, sizeof by, ", by %.3g m", -gap.gap);
	if (*by && gap.triangle_a != CAIRN_NO_TRIANGLE && gap.triangle_b != CAIRN_NO_TRIANGLE)
		snprintf(where, sizeof where, ", at triangles %u and %u", (unsigned)gap.triangle_a, (unsigned)gap.triangle_b);
	else if (*by && (gap.triangle_a != CAIRN_NO_TRIANGLE || gap.triangle_b != CAIRN_NO_TRIANGLE))
		snprintf(where, sizeof where, ", at triangle %u",
		         (unsigned)(gap.triangle_a < gap.triangle_b ? gap.triangle_a : gap.triangle_b));
	bool first = w->bodies[b.index].type != CAIRN_DYNAMIC; /* then only the other one can be meant to move */
	cn_fail(error, CAIRN_INVALID, "bodies",
	        "bodies %s and %s overlap at the start%s%s; move %s away (touching is fine), let a filter keep them from "
	        "colliding, or choose method 'free'",
	        a_name, b_name, by, where, first ? a_name : b_name);
	cn_places_find(&from->places, CN_PLACE_BODIES, first ? a.index : b.index, error);
	return false;
}

/* ---- what a method can do */

/* A scene, its method, and where it is said what the method cannot do. from: the scene that knows in which line of its
 * files each thing stands. */
typedef struct request {
	const cairn_world *w;
	const method *m;
	const cairn_scene *from;
	cairn_error *error;
} request;

static bool refuse_at(const request *q, cn_place_kind kind, uint32_t index)
{
	cn_places_find(&q->from->places, kind, index, q->error);
	return false;
}

static bool check_options(const request *q)
{
	const cairn_scene *scene = q->w->scene;
	char value[64], field[64];
	const char *key = unknown_option(q->w, q->m);
	bool joined = scene->joint_count && (scene->options.momentum || scene->options.forces);
	if (!key && !joined)
		return true;
	bool unknown = key != NULL;
	key = unknown ? key : scene->options.momentum ? "momentum" : "forces";
	cairn_scene_option(scene, key, value, sizeof value);
	snprintf(field, sizeof field, "world.options.%s", key);
	if (unknown)
		cn_fail(q->error, CAIRN_INVALID, field, "method '%s' cannot do %s = %s in this version; leave it out",
		        q->m->name, key, value);
	else
		cn_fail(q->error, CAIRN_INVALID, field,
		        "%s = %s knows no joints, and the scene has %u; leave the option out, or the joints", key, value,
		        scene->joint_count);
	return refuse_at(q, CN_PLACE_OPTION, cn_option_number(key));
}

static bool check_joints(const request *q)
{
	uint32_t count = q->w->scene->joint_count;
	uint32_t joint = 0;
	const char *why = NULL;
	if (!count || can(q->m, CN_CAN_JOINTS) ||
	    (can(q->m, CN_CAN_TREES) && cn_outward_can((cairn_world *)q->w, &joint, &why)))
		return true;
	if (why) {
		const char *name = q->w->scene->joints[joint].name;
		cn_fail(
			q->error, CAIRN_INVALID, "joints",
			"joint %u (%s) %s, and method '%s' moves trees of balls, hinges, sliders, fixed joints and rods, without "
			"motors",
			joint, name && *name ? name : "without a name", why, q->m->name);
		return refuse_at(q, CN_PLACE_JOINTS, joint);
	}
	cn_fail(q->error, CAIRN_INVALID, "joints", "the scene has %u joint%s, which method '%s' cannot do in this version",
	        count, count == 1 ? "" : "s", q->m->name);
	return refuse_at(q, CN_PLACE_JOINTS, 0);
}

static bool has_mesh(const cairn_scene *scene, uint32_t shape)
{
	for (uint32_t i = 0; i < cn_shape_part_count(scene->shapes, shape); ++i)
		if (scene->shapes[cn_shape_part(scene->shapes, shape, i).shape.index].def.kind == CAIRN_MESH)
			return true;
	return false;
}

static bool check_body(const request *q, uint32_t slot)
{
	const cn_body *b = &q->w->bodies[slot];
	char name[100];
	bool script = b->type == CAIRN_SCRIPTED && !can(q->m, CN_CAN_SCRIPTS);
	bool mesh = has_mesh(q->w->scene, b->shape), moves = mesh && b->type != CAIRN_FIXED && !can(q->m, CN_CAN_MOVING);
	if (!script && !moves && (!mesh || can(q->m, CN_CAN_MESHES)))
		return true;
	name_body(q->w, cn_handle(q->w, slot), name, sizeof name);
	cn_fail(q->error, CAIRN_INVALID, "bodies", "body %s %s, which method '%s' cannot do in this version", name,
	        script  ? "follows a script"
	        : moves ? "is a mesh that may move"
	                : "is a mesh",
	        q->m->name);
	return refuse_at(q, CN_PLACE_BODIES, slot);
}

static cairn_material handle_of(uint32_t material) { return (cairn_material){material - (material > 0), material > 0}; }

/* What a pair of materials asks for that the method has no rule for; NULL: nothing. */
static const char *missing_rule(const request *q, const cairn_pair_def *p)
{
	if ((p->static_friction > 0 || p->kinetic_friction > 0) && !can(q->m, CN_CAN_FRICTION))
		return "friction";
	return p->rolling > 0 && !can(q->m, CN_CAN_ROLLING) ? "rolling resistance" : NULL;
}

/* The line that asks for it: of the pair of materials, else of one of the two, else of the body whose material is the
 * default one. */
static bool refuse_surface(const request *q, const cairn_pair_def *p, const char *what, uint32_t slot)
{
	const cairn_scene *scene = q->w->scene;
	bool rolling = strcmp(what, "rolling resistance") == 0;
	for (uint32_t i = scene->pair_count; i-- > 0;) {
		const cairn_pair_def *d = &scene->pairs[i];
		bool same = (d->a.index == p->a.index && d->b.index == p->b.index) ||
		            (d->a.index == p->b.index && d->b.index == p->a.index);
		if (!same || !p->a.generation || !p->b.generation)
			continue;
		cn_fail(q->error, CAIRN_INVALID, "pairs",
		        "the pair of materials asks for %s, for which method '%s' has no rule", what, q->m->name);
		return refuse_at(q, CN_PLACE_PAIRS, i);
	}
	cairn_material m = p->a.generation ? p->a : p->b;
	if (rolling && p->b.generation && scene->materials[p->b.index].rolling > 0)
		m = p->b;
	if (!m.generation) {
		char name[100];
		name_body(q->w, cn_handle(q->w, slot), name, sizeof name);
		cn_fail(
			q->error, CAIRN_INVALID, "bodies",
			"body %s has the default material, whose friction is 0.5, and method '%s' has no rule for %s; give it a "
			"material with friction 0",
			name, q->m->name, what);
		return refuse_at(q, CN_PLACE_BODIES, slot);
	}
	cn_fail(q->error, CAIRN_INVALID, "materials", "material '%.60s' asks for %s, for which method '%s' has no rule",
	        scene->materials[m.index].name, what, q->m->name);
	return refuse_at(q, CN_PLACE_MATERIALS, m.index);
}

/* Every pair of materials of bodies that may touch. used: by material + 1, 0 the default one: 1: of bodies that stand or
 * follow scripts, 2: of dynamic ones. */
static bool check_surfaces(const request *q, const uint8_t *used, const uint32_t *whose)
{
	uint32_t count = q->w->scene->material_count + 1;
	for (uint32_t i = 0; i < count; ++i)
		for (uint32_t k = 0; k <= i; ++k) {
			if (!used[i] || !used[k] || (used[i] | used[k]) < 2)
				continue;
			cairn_pair_def p = cairn_scene_pair(q->w->scene, handle_of(i), handle_of(k));
			const char *what = missing_rule(q, &p);
			if (what)
				return refuse_surface(q, &p, what, whose[i]);
		}
	return true;
}

static bool check_contact(const request *q)
{
	cairn_world *w = (cairn_world *)q->w;
	const cairn_scene *scene = w->scene;
	size_t count = scene->material_count + 1u;
	if (!can(q->m, CN_CAN_CONTACT) || (can(q->m, CN_CAN_FRICTION) && can(q->m, CN_CAN_ROLLING)))
		return true;
	uint8_t *used = cn_alloc(&w->allocator, count, sizeof *used);
	uint32_t *whose = cn_alloc(&w->allocator, count, sizeof *whose);
	bool ok = used && whose ? true : cn_fail_memory(q->error);
	for (uint32_t slot = 0; ok && slot < w->slots; ++slot)
		if (w->bodies[slot].alive) {
			uint32_t m = w->bodies[slot].material;
			whose[m] = used[m] ? whose[m] : slot;
			used[m] |= w->bodies[slot].type == CAIRN_DYNAMIC ? 2 : 1;
		}
	for (uint32_t i = 0; ok && i < scene->emitter_count; ++i)
		for (uint32_t k = 0; k < scene->emitters[i].body_count; ++k) {
			cairn_material m = scene->emitters[i].bodies[k].material;
			used[m.generation ? m.index + 1 : 0] |= 2;
		}
	ok = ok && check_surfaces(q, used, whose);
	cn_free(&w->allocator, used, count, sizeof *used);
	cn_free(&w->allocator, whose, count, sizeof *whose);
	return ok;
}

/* Refuses scenes that the method cannot simulate: its row in CN_METHODS says what it can. */
static bool check_ability(cairn_world *w, const method *m, const cairn_scene *from, cairn_error *error)
{
	request q = {w, m, from, error};
	bool passes =
		(m->abilities & (CN_CAN_JOINTS | CN_CAN_TREES)) && !w->scene->options.momentum && !w->scene->options.forces;
	if (w->filter.def.collide && can(m, CN_CAN_CONTACT) && !passes)
		return cn_fail(
			error, CAIRN_INVALID, "filter",
			"a filter lets pairs pass as joints do, which method '%s' with the options of this scene cannot do",
			m->name);
	if (!check_joints(&q) || !check_options(&q))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->bodies[slot].alive && !check_body(&q, slot))
			return false;
	return check_contact(&q) && check_start(w, m, from, error);
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
		cn_relax_destroy(w);
		cn_classic_destroy(w);
		cn_context_destroy(w);
		cn_substeps_destroy(w);
	}
	cn_world_free(w);
}

cairn_step_report cairn_world_step(cairn_world *w)
{
	const method *m = find_method(w);
	if (w->filter.def.collide && can(m, CN_CAN_CONTACT) && !cn_filter_ask(w))
		return (cairn_step_report){.status = CAIRN_STEP_MEMORY, .frame = w->frame, .time = cairn_world_time(w)};
	return m->step(w);
}

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
