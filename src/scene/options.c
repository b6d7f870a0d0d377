/* Settings and options by name: the one place that knows their names, values and defaults. The scene reader, the
 * command line and the calls all come through here. */
#include "base/number.h"
#include "base/tolerance.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static const cairn_method_info methods[] = {
	{"oba", "optimisation-based animation: contact without interpenetration, certified"},
	{"free", "motion without contact: bodies pass through each other"},
};

const cairn_method_info *cairn_method_at(uint32_t index) { return index < CN_COUNT(methods) ? &methods[index] : NULL; }

/* An option with a fixed list of values; the first is the default. */
typedef struct choice {
	const char *key;
	const char *values[4];
	size_t offset; /* of the byte in cn_options that holds the value's number */
} choice;

static const choice choices[] = {
	{"sleep", {"on", "off"}, offsetof(cn_options, sleep)},
	{"freeze", {"off", "on"}, offsetof(cn_options, freeze)},
	{"certify", {"full", "keys", "off"}, offsetof(cn_options, certify)},
	{"momentum", {"coulomb", "thesis"}, offsetof(cn_options, momentum)},
	{"forces", {"impulse", "qp"}, offsetof(cn_options, forces)},
	{"objective", {"mass", "diameter"}, offsetof(cn_options, objective)},
	{"precise", {"off", "on"}, offsetof(cn_options, precise)},
	{"distance-bounce", {"off", "on"}, offsetof(cn_options, distance_bounce)},
};

/* An option that is a whole number. */
typedef struct count {
	const char *key;
	uint32_t fallback, least, most; /* the default, or CN_AUTO; the range */
	size_t offset;                  /* of the uint32_t in cn_options: the number + 1, 0 for the default */
} count;

static const count counts[] = {
	{"queue", CN_AUTO, 0, 1000000, offsetof(cn_options, queue)},
	{"freeze-frames", CN_FREEZE_FRAMES, 0, 250, offsetof(cn_options, freeze_frames)},
	{"forces-rounds", CN_FORCES_ROUNDS, 0, 1000, offsetof(cn_options, forces_rounds)},
	{"hybrid", 0, 0, 1000, offsetof(cn_options, hybrid)},
	{"steps", CN_AUTO, 1, CN_STEPS_MOST, offsetof(cn_options, steps)},
};

static const char *const names[] = {
	"gravity",  "fps",    "frames",    "seed",    "method", "sleep",         "freeze",        "certify",
	"momentum", "forces", "objective", "precise", "queue",  "freeze-frames", "forces-rounds", "distance-bounce",
	"hybrid",   "steps",  NULL};

const char *const *cairn_option_names(void) { return names; }

enum { SETTINGS = 5 }; /* the first of the names */

bool cairn_option_is_setting(const char *key) { return cn_option_number(key) < SETTINGS; }

cairn_settings cairn_default_settings(void)
{
	return (cairn_settings){
		.name = "", .description = "", .gravity = {0, 0, -9.81}, .fps = 30, .frames = 300, .seed = 1, .method = "oba"};
}

static bool check_method(const char *method, cairn_error *error)
{
	const char *known[CN_COUNT(methods) + 1] = {0};
	char list[128] = "";
	for (size_t i = 0; i < CN_COUNT(methods); ++i) {
		known[i] = methods[i].name;
		if (method && strcmp(method, known[i]) == 0)
			return true;
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", known[i]);
	}
	const char *near = method ? cn_nearest(method, known) : NULL;
	return cn_fail(error, CAIRN_USAGE, "method", "unknown method '%.60s'%s%s%s; this version has %s",
	               method ? method : "", near ? ", did you mean '" : "", near ? near : "", near ? "'" : "", list);
}

static bool check_settings(const cairn_settings *s, cairn_error *error)
{
	if (!v3_finite(s->gravity) || v3_length(s->gravity) > CN_SPEED_MOST)
		return cn_fail(error, CAIRN_INVALID, "gravity", "gravity must be three finite numbers, at most %g m/s^2 long",
		               CN_SPEED_MOST);
	if (!(s->fps >= 1e-3 && s->fps <= 1e6))
		return cn_fail(error, CAIRN_INVALID, "fps", "fps is %g; give frames a second from 0.001 to 1000000", s->fps);
	if (s->frames > 100000000)
		return cn_fail(error, CAIRN_INVALID, "frames", "frames is %u; the most is 100000000", s->frames);
	if (s->seed > CN_SEED_MOST)
		return cn_fail(error, CAIRN_INVALID, "seed", "the largest seed is 2^53, which every JSON reader keeps exactly");
	return check_method(s->method, error);
}

bool cairn_scene_set_settings(cairn_scene *scene, const cairn_settings *settings, cairn_error *error)
{
	if (!check_settings(settings, error))
		return false;
	const cairn_allocator *a = &scene->allocator;
	cairn_settings old = scene->settings, copy = *settings;
	char *name = cn_dup_text(a, settings->name), *description = cn_dup_text(a, settings->description);
	char *method = cn_dup_text(a, settings->method);
	if (!name || !description || !method) {
		cn_free_text(a, name);
		cn_free_text(a, description);
		cn_free_text(a, method);
		return cn_fail_memory(error);
	}
	copy.name = name, copy.description = description, copy.method = method;
	scene->settings = copy;
	cn_free_text(a, (char *)old.name);
	cn_free_text(a, (char *)old.description);
	cn_free_text(a, (char *)old.method);
	return true;
}

cairn_settings cairn_scene_settings(const cairn_scene *scene) { return scene->settings; }

/* The whole text as one number. */
static bool parse_number(const char *text, double *x)
{
	size_t size = strlen(text), used = cn_parse_double(text, size, x);
	return used == size && size > 0 && isfinite(*x);
}

/* "x,y,z", with or without brackets and spaces. */
static bool parse_vector(const char *text, v3 *v)
{
	double *part[3] = {&v->x, &v->y, &v->z};
	bool bracket = *text == '[';
	text += bracket;
	for (int i = 0; i < 3; ++i) {
		text += strspn(text, " ");
		size_t used = cn_parse_double(text, strlen(text), part[i]);
		if (!used)
			return false;
		text += used;
		text += strspn(text, " ");
		if (i < 2 && *text++ != ',')
			return false;
	}
	if (bracket && *text++ != ']')
		return false;
	return *text == 0;
}

static bool fail_value(cairn_error *error, const char *key, const char *value, const char *wanted)
{
	return cn_fail(error, CAIRN_USAGE, key, "%s cannot be '%.60s'; give %s", key, value, wanted);
}

/* gravity, fps, frames, seed, method: true in *known if key is one of them. */
static bool set_setting(cairn_scene *scene, const char *key, const char *value, bool *known, cairn_error *error)
{
	cairn_settings s = scene->settings;
	double x;
	*known = true;
	if (strcmp(key, "gravity") == 0) {
		if (!parse_vector(value, &s.gravity))
			return fail_value(error, key, value, "three numbers such as 0,0,-9.81");
	} else if (strcmp(key, "fps") == 0) {
		if (!parse_number(value, &s.fps))
			return fail_value(error, key, value, "a number such as 30");
	} else if (strcmp(key, "frames") == 0) {
		if (!parse_number(value, &x) || x < 0 || x > 100000000 || x != floor(x))
			return fail_value(error, key, value, "a whole number from 0 to 100000000");
		s.frames = (uint32_t)x;
	} else if (strcmp(key, "seed") == 0) {
		if (!parse_number(value, &x) || x < 0 || x > (double)CN_SEED_MOST || x != floor(x))
			return fail_value(error, key, value, "a whole number from 0 to 2^53");
		s.seed = (uint64_t)x;
	} else if (strcmp(key, "method") == 0) {
		s.method = value;
	} else {
		*known = false;
		return true;
	}
	if (!cairn_scene_set_settings(scene, &s, error)) {
		if (error && error->code == CAIRN_INVALID)
			error->code = CAIRN_USAGE;
		return false;
	}
	return true;
}

static bool set_choice(cairn_scene *scene, const choice *c, const char *value, cairn_error *error)
{
	char list[64] = "";
	if (strcmp(value, "true") == 0)
		value = "on";
	else if (strcmp(value, "false") == 0)
		value = "off";
	for (uint8_t i = 0; i < CN_COUNT(c->values) && c->values[i]; ++i) {
		if (strcmp(value, c->values[i]) == 0) {
			memcpy((char *)&scene->options + c->offset, &i, 1);
			return true;
		}
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", c->values[i]);
	}
	return cn_fail(error, CAIRN_USAGE, c->key, "%s cannot be '%.60s'; give one of %s", c->key, value, list);
}

static const choice *find_choice(const char *key)
{
	for (size_t i = 0; i < CN_COUNT(choices); ++i)
		if (strcmp(key, choices[i].key) == 0)
			return &choices[i];
	return NULL;
}

static const count *find_count(const char *key)
{
	for (size_t i = 0; i < CN_COUNT(counts); ++i)
		if (strcmp(key, counts[i].key) == 0)
			return &counts[i];
	return NULL;
}

static uint32_t get_count(const cairn_scene *scene, const count *c)
{
	uint32_t stored;
	memcpy(&stored, (const char *)&scene->options + c->offset, sizeof stored);
	return stored ? stored - 1 : c->fallback;
}

static bool set_count(cairn_scene *scene, const count *c, const char *value, cairn_error *error)
{
	double x = -1;
	char wanted[64];
	bool automatic = c->fallback == CN_AUTO && strcmp(value, "auto") == 0;
	if (c->fallback == 0 && (strcmp(value, "off") == 0 || strcmp(value, "false") == 0))
		value = "0";
	snprintf(wanted, sizeof wanted, "%sa whole number from %u to %u", c->fallback == CN_AUTO ? "auto or " : "",
	         c->least, c->most);
	if (!automatic && (!parse_number(value, &x) || x < c->least || x > c->most || x != floor(x)))
		return fail_value(error, c->key, value, wanted);
	uint32_t stored = automatic || x == c->fallback ? 0 : (uint32_t)x + 1;
	memcpy((char *)&scene->options + c->offset, &stored, sizeof stored);
	return true;
}

bool cairn_scene_set_option(cairn_scene *scene, const char *key, const char *value, cairn_error *error)
{
	bool known;
	if (!set_setting(scene, key, value, &known, error))
		return false;
	if (known)
		return true;
	if (find_choice(key))
		return set_choice(scene, find_choice(key), value, error);
	if (find_count(key))
		return set_count(scene, find_count(key), value, error);
	const char *near = cn_nearest(key, names);
	char list[200] = "";
	for (size_t i = 0; names[i]; ++i)
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
	return cn_fail(error, CAIRN_USAGE, "", "unknown option '%.60s'%s%s%s; known are %s", key,
	               near ? ", did you mean '" : "", near ? near : "", near ? "'" : "", list);
}

uint32_t cn_option_number(const char *key)
{
	uint32_t i = 0;
	while (names[i] && strcmp(names[i], key) != 0)
		++i;
	return i;
}

static bool changed(const cairn_scene *scene, const char *key)
{
	const choice *c = find_choice(key);
	uint8_t value;
	if (!c)
		return get_count(scene, find_count(key)) != find_count(key)->fallback;
	memcpy(&value, (const char *)&scene->options + c->offset, 1);
	return value != 0;
}

const char *cn_scene_changed_option(const cairn_scene *scene, const char *after)
{
	for (uint32_t i = after ? cn_option_number(after) + 1 : SETTINGS; names[i]; ++i)
		if (changed(scene, names[i]))
			return names[i];
	return NULL;
}

bool cairn_scene_option(const cairn_scene *scene, const char *key, char *text, size_t size)
{
	const cairn_settings *s = &scene->settings;
	char x[CN_NUMBER_SIZE], y[CN_NUMBER_SIZE], z[CN_NUMBER_SIZE];
	const choice *one = find_choice(key);
	const count *number = find_count(key);
	if (one) {
		uint8_t value;
		memcpy(&value, (const char *)&scene->options + one->offset, 1);
		snprintf(text, size, "%s", one->values[value]);
		return true;
	}
	if (number) {
		if (get_count(scene, number) == CN_AUTO)
			snprintf(text, size, "auto");
		else
			snprintf(text, size, "%u", get_count(scene, number));
		return true;
	}
	if (strcmp(key, "gravity") == 0) {
		cn_format_double(x, s->gravity.x);
		cn_format_double(y, s->gravity.y);
		cn_format_double(z, s->gravity.z);
		snprintf(text, size, "%s,%s,%s", x, y, z);
	} else if (strcmp(key, "fps") == 0) {
		cn_format_double(x, s->fps);
		snprintf(text, size, "%s", x);
	} else if (strcmp(key, "frames") == 0) {
		snprintf(text, size, "%u", s->frames);
	} else if (strcmp(key, "seed") == 0) {
		snprintf(text, size, "%llu", (unsigned long long)s->seed);
	} else if (strcmp(key, "method") == 0) {
		snprintf(text, size, "%s", s->method);
	} else {
		return false;
	}
	return true;
}
