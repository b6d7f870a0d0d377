/* What a plan may ask for. The path of an error is the field as scene files spell it. */
#include "base/tolerance.h"
#include "scene/scene.h"

#include <stdio.h>

enum { SAMPLES_MAX = 2000, KEYS_MAX = 1000 };
#define CN_PLAN_TIME_MAX 1000.0 /* s */

cairn_plan_def cairn_default_plan_def(void) { return (cairn_plan_def){.time = 1, .samples = 60, .friction = 0.7}; }

uint32_t cairn_scene_plan_count(const cairn_scene *scene) { return scene->asked.plan_count; }

cairn_plan_def cairn_scene_plan_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->asked.plan_count);
	return scene->asked.plans[index];
}

void cn_plan_def_free(const cairn_allocator *allocator, cairn_plan_def *d)
{
	cn_free(allocator, (void *)d->keys, d->key_count, sizeof *d->keys);
	cn_free(allocator, (void *)d->holds, d->hold_count, sizeof *d->holds);
}

static bool is_body(const cairn_scene *s, cairn_body b)
{
	return b.generation == 1 && b.index < s->body_count && s->bodies[b.index].type == CAIRN_DYNAMIC;
}

static bool small(v3 p) { return v3_finite(p) && v3_max(v3_abs(p)) <= CN_LENGTH_MAX; }

static bool fail_at(cairn_error *error, const char *list, uint32_t k, const char *field, const char *why)
{
	char path[64];
	snprintf(path, sizeof path, "%s[%u]%s", list, k, field);
	return cn_fail(error, CAIRN_INVALID, path, "%s", why);
}

static bool check_key(const cairn_scene *s, const cairn_plan_def *d, uint32_t k, cairn_error *error)
{
	const cairn_plan_key *key = &d->keys[k];
	if (!(key->time > 0 && key->time <= d->time))
		return fail_at(error, "keys", k, ".time", "a key is after the start and not after the plan's time");
	if (key->joint.generation) {
		if (key->joint.generation != 1 || key->joint.index >= s->joint_count)
			return fail_at(error, "keys", k, ".joint", "a key is about a joint of this scene");
		if (!(fabs(key->value) <= 1e6))
			return fail_at(error, "keys", k, ".value", "the value is rad or m from -1e6 to 1e6");
		const cairn_joint_def *j = &s->joints[key->joint.index];
		if (j->has_limits && (key->value < j->low || key->value > j->high))
			return fail_at(error, "keys", k, ".value", "the joint's own limits do not allow that value");
	} else if (!is_body(s, key->body)) {
		return fail_at(error, "keys", k, ".body", "a key is about a dynamic body of this scene, or a joint");
	} else if (!small(key->point) || !small(key->target)) {
		return fail_at(error, "keys", k, ".target", "point and target are numbers up to 1e9");
	}
	for (uint32_t i = 0; i < k; ++i) {
		const cairn_plan_key *o = &d->keys[i];
		if (key->joint.generation && o->joint.generation && o->joint.index == key->joint.index &&
		    fabs(o->time - key->time) < 0.5 * d->time / d->samples && o->value != key->value)
			return fail_at(error, "keys", k, "", "another key asks for another value of this joint at this time");
	}
	return true;
}

static bool same_place(const cairn_plan_hold *a, const cairn_plan_hold *b)
{
	return v3_distance(a->shift, b->shift) == 0 && a->turn == b->turn;
}

static bool check_hold(const cairn_scene *s, const cairn_plan_def *d, uint32_t k, cairn_error *error)
{
	const cairn_plan_hold *h = &d->holds[k];
	if (!is_body(s, h->body))
		return fail_at(error, "holds", k, ".body", "what is held is a dynamic body of this scene");
	if (!(h->from >= 0 && h->from <= h->to && h->to <= d->time))
		return fail_at(error, "holds", k, ".from",
		               "a foot is held from a time to a later one, both within the plan's time");
	if (!small(h->shift) || !(fabs(h->turn) <= 1e3) || !(h->sole >= 0 && h->sole <= CN_LENGTH_MAX))
		return fail_at(error, "holds", k, ".shift", "shift, turn and sole are numbers, sole not below 0");
	if (h->from < 0.5 * d->time / d->samples && (v3_length(h->shift) > 0 || h->turn != 0))
		return fail_at(error, "holds", k, ".shift",
		               "held from the start on, and yet elsewhere: leave shift and turn out, or let it begin later");
	for (uint32_t i = 0; i < k; ++i)
		if (d->holds[i].body.index == h->body.index && d->holds[i].from <= h->to && h->from <= d->holds[i].to)
			return fail_at(error, "holds", k, ".from",
			               same_place(h, &d->holds[i]) ? "the same body is held twice at once; join the two"
			                                           : "the same body is held in two places at once");
	return true;
}

static bool check_plan(const cairn_scene *s, const cairn_plan_def *d, cairn_error *error)
{
	if (!is_body(s, d->figure))
		return cn_fail(error, CAIRN_INVALID, "figure", "a figure is named by one of its dynamic bodies");
	if (!(d->time > 0 && d->time <= CN_PLAN_TIME_MAX))
		return cn_fail(error, CAIRN_INVALID, "time", "time is %g; give s above 0 and up to %g", d->time,
		               CN_PLAN_TIME_MAX);
	if (d->samples < 4 || d->samples > SAMPLES_MAX)
		return cn_fail(error, CAIRN_INVALID, "samples", "samples is %u; give 4 to %d", d->samples, SAMPLES_MAX);
	if ((unsigned)d->objective > CAIRN_PLAN_SMOOTH)
		return cn_fail(error, CAIRN_INVALID, "objective", "unknown objective %d", (int)d->objective);
	if (!(d->friction > 0 && d->friction <= 1e6))
		return cn_fail(error, CAIRN_INVALID, "friction", "friction is %g; give a number above 0", d->friction);
	if (d->key_count > KEYS_MAX || d->hold_count > KEYS_MAX)
		return cn_fail(error, CAIRN_INVALID, "keys", "a plan has at most %d keys and %d holds", KEYS_MAX, KEYS_MAX);
	for (uint32_t k = 0; k < d->key_count; ++k)
		if (!check_key(s, d, k, error))
			return false;
	for (uint32_t k = 0; k < d->hold_count; ++k)
		if (!check_hold(s, d, k, error))
			return false;
	return true;
}

bool cairn_scene_add_plan(cairn_scene *scene, const cairn_plan_def *def, cairn_error *error)
{
	if (scene->asked.plan_count >= 100)
		return cn_fail(error, CAIRN_INVALID, "", "a scene holds at most 100 plans");
	if (!check_plan(scene, def, error))
		return false;
	cairn_plan_def d = *def;
	d.keys = cn_dup(&scene->allocator, def->keys, def->key_count, sizeof *d.keys);
	d.holds = cn_dup(&scene->allocator, def->holds, def->hold_count, sizeof *d.holds);
	if ((d.key_count && !d.keys) || (d.hold_count && !d.holds) ||
	    !cn_grow(&scene->allocator, (void **)&scene->asked.plans, &scene->asked.plan_capacity,
	             scene->asked.plan_count + 1, sizeof d)) {
		d.key_count = d.keys ? d.key_count : 0, d.hold_count = d.holds ? d.hold_count : 0;
		cn_plan_def_free(&scene->allocator, &d);
		return cn_fail_memory(error);
	}
	scene->asked.plans[scene->asked.plan_count++] = d;
	return true;
}

/* ---- bytes */

void cn_put_plan_def(cn_writer *w, const cairn_plan_def *d)
{
	cn_put_handle(w, d->figure.index, d->figure.generation);
	cn_put_f64(w, d->time);
	cn_put_u32(w, d->samples);
	cn_put_u8(w, (uint8_t)d->objective);
	cn_put_u8(w, d->free_start);
	cn_put_u8(w, d->free_end);
	cn_put_u8(w, d->thrust);
	cn_put_f64(w, d->friction);
	cn_put_u32(w, d->key_count);
	for (uint32_t i = 0; i < d->key_count; ++i) {
		const cairn_plan_key *k = &d->keys[i];
		cn_put_f64(w, k->time);
		cn_put_handle(w, k->joint.index, k->joint.generation);
		cn_put_f64(w, k->value);
		cn_put_handle(w, k->body.index, k->body.generation);
		cn_put_v3(w, k->point);
		cn_put_v3(w, k->target);
	}
	cn_put_u32(w, d->hold_count);
	for (uint32_t i = 0; i < d->hold_count; ++i) {
		const cairn_plan_hold *h = &d->holds[i];
		cn_put_handle(w, h->body.index, h->body.generation);
		cn_put_f64(w, h->from);
		cn_put_f64(w, h->to);
		cn_put_v3(w, h->shift);
		cn_put_f64(w, h->turn);
		cn_put_f64(w, h->sole);
	}
}

static cairn_plan_key get_key(cn_reader *r)
{
	cairn_plan_key k = {.time = cn_get_f64(r)};
	cairn_body joint = cn_get_handle(r);
	k.joint = (cairn_joint){joint.index, joint.generation};
	k.value = cn_get_f64(r);
	k.body = cn_get_handle(r);
	k.point = cn_get_v3(r);
	k.target = cn_get_v3(r);
	return k;
}

static cairn_plan_hold get_hold(cn_reader *r)
{
	cairn_plan_hold h = {.body = cn_get_handle(r)};
	h.from = cn_get_f64(r);
	h.to = cn_get_f64(r);
	h.shift = cn_get_v3(r);
	h.turn = cn_get_f64(r);
	h.sole = cn_get_f64(r);
	return h;
}

bool cn_get_plan_def(cn_reader *r, cn_arena *s, cairn_plan_def *d)
{
	*d = cairn_default_plan_def();
	d->figure = cn_get_handle(r);
	d->time = cn_get_f64(r);
	d->samples = cn_get_u32(r);
	d->objective = (cairn_plan_objective)cn_get_u8(r);
	d->free_start = cn_get_bool(r);
	d->free_end = cn_get_bool(r);
	d->thrust = cn_get_bool(r);
	d->friction = cn_get_f64(r);
	d->key_count = cn_get_count(r, 80);
	cairn_plan_key *keys = cn_arena_take(s, d->key_count, sizeof *keys);
	for (uint32_t i = 0; keys && i < d->key_count; ++i)
		keys[i] = get_key(r);
	d->hold_count = cn_get_count(r, 64);
	cairn_plan_hold *holds = cn_arena_take(s, d->hold_count, sizeof *holds);
	for (uint32_t i = 0; holds && i < d->hold_count; ++i)
		holds[i] = get_hold(r);
	d->keys = keys, d->holds = holds;
	r->failed |= s->failed;
	return !r->failed;
}
