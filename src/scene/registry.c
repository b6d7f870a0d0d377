/* See registry.h. Settings and options by name: the scene reader, the command line and the calls all come through
 * here. */
#include "scene/registry.h"

#include "base/number.h"
#include "base/tolerance.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#define METHOD_ROW(name, abilities, substeps, help)                                                                    \
	{{#name, help, ((abilities)&CN_CAN_GUARANTEE) != 0}, abilities, substeps},
static const cn_method_row methods[] = {CN_METHODS(METHOD_ROW)};

const cairn_method_info *cairn_method_at(uint32_t index)
{
	return index < CN_COUNT(methods) ? &methods[index].info : NULL;
}

const cn_method_row *cn_registry_method(const char *name)
{
	for (size_t i = 0; i < CN_COUNT(methods); ++i)
		if (strcmp(methods[i].info.name, name) == 0)
			return &methods[i];
	return NULL;
}

/* clang-format off */
#define SETTING_ROW(field, kind_, least_, most_, wanted_, help)                                                        \
	{.info = {#field, help, "", true}, .kind = CN_OPTION_##kind_, .offset = offsetof(cairn_settings, field),           \
	 .least = (double)(least_), .most = (double)(most_), .wanted = wanted_, .page = ""},
#define CHOICE_ROW(field, key, words_, methods_, help, page_)                                                          \
	{.info = {key, help, methods_, false}, .kind = CN_OPTION_CHOICE, .offset = offsetof(cn_options, field),            \
	 .words = words_, .page = page_},
#define COUNT_ROW(field, key, fallback_, least_, most_, methods_, help, page_)                                         \
	{.info = {key, help, methods_, false}, .kind = CN_OPTION_COUNT, .offset = offsetof(cn_options, field),             \
	 .fallback = fallback_, .least = least_, .most = most_, .page = page_},
#define REAL_ROW(field, key, fallback_, least_, most_, methods_, help, page_)                                          \
	{.info = {key, help, methods_, false}, .kind = CN_OPTION_REAL, .offset = offsetof(cn_options, field),              \
	 .usual = fallback_, .least = least_, .most = most_, .page = page_},
/* clang-format on */
static const cn_option_row rows[] = {CN_SETTINGS(SETTING_ROW) CN_OPTIONS(CHOICE_ROW, COUNT_ROW, REAL_ROW)};

#define SETTING_NAME(field, kind, least, most, wanted, help) #field,
#define CHOICE_NAME(field, key, words, methods, help, page) key,
#define COUNT_NAME(field, key, fallback, least, most, methods, help, page) key,
#define REAL_NAME(field, key, fallback, least, most, methods, help, page) key,
static const char *const names[] = {CN_SETTINGS(SETTING_NAME) CN_OPTIONS(CHOICE_NAME, COUNT_NAME, REAL_NAME) NULL};

_Static_assert(CN_COUNT(names) == CN_COUNT(rows) + 1, "a name for each row");

const char *const *cairn_option_names(void) { return names; }

uint32_t cn_option_number(const char *key)
{
	uint32_t i = 0;
	while (names[i] && strcmp(names[i], key) != 0)
		++i;
	return i;
}

const cn_option_row *cn_option_row_at(uint32_t number) { return number < CN_COUNT(rows) ? &rows[number] : NULL; }

static const cn_option_row *find_row(const char *key) { return cn_option_row_at(cn_option_number(key)); }

const cairn_option_info *cairn_option_at(uint32_t index)
{
	const cn_option_row *row = cn_option_row_at(index);
	return row ? &row->info : NULL;
}

bool cairn_option_is_setting(const char *key)
{
	const cn_option_row *row = find_row(key);
	return row && row->info.setting;
}

/* Whether a word stands in a list with spaces between. */
static bool lists(const char *list, const char *word)
{
	size_t size = strlen(word);
	for (; *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == size && memcmp(list, word, size) == 0)
			return true;
	return false;
}

bool cn_option_fits(const char *key, const char *method)
{
	const cn_option_row *row = find_row(key);
	return row && (!*row->info.methods || lists(row->info.methods, method));
}

uint32_t cn_option_words(const cn_option_row *row, char words[CN_OPTION_WORDS][CN_OPTION_WORD])
{
	uint32_t count = 0;
	for (const char *at = row->words; *at; at += strspn(at, " ")) {
		size_t size = strcspn(at, " ");
		assert(count < CN_OPTION_WORDS && size < CN_OPTION_WORD);
		memcpy(words[count], at, size);
		words[count++][size] = '\0';
		at += size;
	}
	return count;
}

/* "on, off" */
static void list_words(const cn_option_row *row, char *text, size_t size)
{
	char words[CN_OPTION_WORDS][CN_OPTION_WORD];
	uint32_t count = cn_option_words(row, words);
	*text = '\0';
	for (uint32_t i = 0; i < count; ++i)
		snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? ", " : "", words[i]);
}

bool cairn_option_values(const char *key, char *text, size_t size)
{
	const cn_option_row *row = find_row(key);
	char words[CN_OPTION_WORDS * CN_OPTION_WORD];
	if (!row)
		return false;
	if (row->kind == CN_OPTION_CHOICE) {
		list_words(row, words, sizeof words);
		snprintf(text, size, "one of %s", words);
	} else if (row->kind == CN_OPTION_COUNT) {
		snprintf(text, size, "%sa whole number from %.0f to %.0f", row->fallback == CN_AUTO ? "auto or " : "",
		         row->least, row->most);
	} else if (row->kind == CN_OPTION_REAL) {
		snprintf(text, size, "%sa number from %g to %g", isnan(row->usual) ? "auto or " : "", row->least, row->most);
	} else {
		snprintf(text, size, "%s", row->wanted);
	}
	return true;
}

cairn_settings cairn_default_settings(void)
{
	return (cairn_settings){
		.name = "", .description = "", .gravity = {0, 0, -9.81}, .fps = 30, .frames = 300, .seed = 1, .method = "oba"};
}

static bool check_method(const char *method, cairn_error *error)
{
	const char *known[CN_COUNT(methods) + 1] = {0};
	char list[256] = "";
	for (size_t i = 0; i < CN_COUNT(methods); ++i) {
		known[i] = methods[i].info.name;
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
	const cn_option_row *fps = find_row("fps"), *frames = find_row("frames"), *seed = find_row("seed");
	if (!v3_finite(s->gravity) || v3_length(s->gravity) > CN_SPEED_MAX)
		return cn_fail(error, CAIRN_INVALID, "gravity", "gravity must be three finite numbers, at most %g m/s^2 long",
		               CN_SPEED_MAX);
	if (!(s->fps >= fps->least && s->fps <= fps->most))
		return cn_fail(error, CAIRN_INVALID, "fps", "fps is %g; give frames a second from %.10g to %.10g", s->fps,
		               fps->least, fps->most);
	if (s->frames > frames->most)
		return cn_fail(error, CAIRN_INVALID, "frames", "frames is %u; the most is %.0f", s->frames, frames->most);
	if (s->seed > (uint64_t)seed->most)
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

static bool fail_value(cairn_error *error, const char *key, const char *value)
{
	char wanted[128] = "";
	cairn_option_values(key, wanted, sizeof wanted);
	return cn_fail(error, CAIRN_USAGE, key, "%s cannot be '%.60s'; give %s", key, value, wanted);
}

static bool parse_whole(const cn_option_row *row, const char *text, double *x)
{
	return parse_number(text, x) && *x >= row->least && *x <= row->most && *x == floor(*x);
}

/* A setting's value from text into its field. False: it is none. */
static bool parse_setting(const cn_option_row *row, const char *value, cairn_settings *s)
{
	void *field = (char *)s + row->offset;
	double x = 0;
	switch (row->kind) {
	case CN_OPTION_VECTOR: return parse_vector(value, field);
	case CN_OPTION_NUMBER: return parse_number(value, field);
	case CN_OPTION_METHOD: *(const char **)field = value; return true;
	case CN_OPTION_WHOLE32:
		if (!parse_whole(row, value, &x))
			return false;
		*(uint32_t *)field = (uint32_t)x;
		return true;
	default:
		if (!parse_whole(row, value, &x))
			return false;
		*(uint64_t *)field = (uint64_t)x;
		return true;
	}
}

static bool set_setting(cairn_scene *scene, const cn_option_row *row, const char *value, cairn_error *error)
{
	cairn_settings s = scene->settings;
	if (!parse_setting(row, value, &s))
		return fail_value(error, row->info.name, value);
	if (cairn_scene_set_settings(scene, &s, error))
		return true;
	if (error && error->code == CAIRN_INVALID)
		error->code = CAIRN_USAGE;
	return false;
}

static bool set_choice(cairn_scene *scene, const cn_option_row *row, const char *value, cairn_error *error)
{
	char words[CN_OPTION_WORDS][CN_OPTION_WORD];
	uint32_t count = cn_option_words(row, words);
	if (strcmp(value, "true") == 0)
		value = "on";
	else if (strcmp(value, "false") == 0)
		value = "off";
	for (uint8_t i = 0; i < count; ++i)
		if (strcmp(value, words[i]) == 0) {
			memcpy((char *)&scene->options + row->offset, &i, 1);
			return true;
		}
	return fail_value(error, row->info.name, value);
}

static uint8_t get_choice(const cairn_scene *scene, const cn_option_row *row)
{
	return *((const uint8_t *)&scene->options + row->offset);
}

static uint32_t get_count(const cairn_scene *scene, const cn_option_row *row)
{
	uint32_t stored;
	memcpy(&stored, (const char *)&scene->options + row->offset, sizeof stored);
	return cn_option_count(stored, row->fallback);
}

static bool set_count(cairn_scene *scene, const cn_option_row *row, const char *value, cairn_error *error)
{
	double x = -1;
	bool automatic = row->fallback == CN_AUTO && strcmp(value, "auto") == 0;
	const char *number = value;
	if (row->fallback == 0 && (strcmp(value, "off") == 0 || strcmp(value, "false") == 0))
		number = "0";
	if (!automatic && !parse_whole(row, number, &x))
		return fail_value(error, row->info.name, value);
	uint32_t stored = automatic || x == row->fallback ? 0 : (uint32_t)x + 1;
	memcpy((char *)&scene->options + row->offset, &stored, sizeof stored);
	return true;
}

static cn_real get_real(const cairn_scene *scene, const cn_option_row *row)
{
	cn_real stored;
	memcpy(&stored, (const char *)&scene->options + row->offset, sizeof stored);
	return stored;
}

static bool set_real(cairn_scene *scene, const cn_option_row *row, const char *value, cairn_error *error)
{
	double x = 0;
	bool automatic = isnan(row->usual) && strcmp(value, "auto") == 0;
	if (!automatic && !(parse_number(value, &x) && x >= row->least && x <= row->most))
		return fail_value(error, row->info.name, value);
	cn_real stored;
	memset(&stored, 0, sizeof stored);
	if (!automatic && x != row->usual)
		stored.value = x, stored.set = true;
	memcpy((char *)&scene->options + row->offset, &stored, sizeof stored);
	return true;
}

static bool fail_unknown(const char *key, cairn_error *error)
{
	const char *near = cn_nearest(key, names);
	char list[512] = "";
	for (size_t i = 0; names[i]; ++i)
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
	return cn_fail(error, CAIRN_USAGE, "", "unknown option '%.60s'%s%s%s; known are %s", key,
	               near ? ", did you mean '" : "", near ? near : "", near ? "'" : "", list);
}

/* "materials.NAME.FIELD": a number of one material of the scene. */
static bool set_material(cairn_scene *scene, const char *key, const char *value, cairn_error *error)
{
	const char *name = key + strlen("materials."), *field = strrchr(name, '.');
	char text[208];
	if (!field || field == name || (size_t)(field - name) >= sizeof text)
		return cn_fail(error, CAIRN_USAGE, "", "'%.60s': give a material and what of it, as in materials.wood.friction",
		               key);
	snprintf(text, sizeof text, "%.*s", (int)(field - name), name);
	uint32_t found = cn_names_find(&scene->material_names, text);
	if (!found)
		return cn_fail(error, CAIRN_USAGE, "", "the scene has no material '%.60s'", text);
	cairn_material material = {found - 1, 1};
	cairn_material_def def = scene->materials[material.index];
	double number;
	if (!parse_number(value, &number))
		return cn_fail(error, CAIRN_USAGE, "", "%.60s is '%.60s'; give a number", key, value);
	if (!strcmp(field, ".friction"))
		def.static_friction = def.kinetic_friction = number;
	else if (!strcmp(field, ".restitution"))
		def.restitution = number;
	else if (!strcmp(field, ".density"))
		def.density = number;
	else if (!strcmp(field, ".rolling"))
		def.rolling = number;
	else
		return cn_fail(error, CAIRN_USAGE, "",
		               "a material has no '%.60s'; known are friction, restitution, density, rolling", field + 1);
	if (cn_scene_set_material(scene, material, &def, error))
		return true;
	if (error && error->code == CAIRN_INVALID)
		error->code = CAIRN_USAGE;
	return false;
}

bool cairn_scene_set_option(cairn_scene *scene, const char *key, const char *value, cairn_error *error)
{
	if (!strncmp(key, "materials.", 10))
		return set_material(scene, key, value, error);
	const cn_option_row *row = find_row(key);
	if (!row)
		return fail_unknown(key, error);
	if (row->kind == CN_OPTION_CHOICE)
		return set_choice(scene, row, value, error);
	if (row->kind == CN_OPTION_COUNT)
		return set_count(scene, row, value, error);
	if (row->kind == CN_OPTION_REAL)
		return set_real(scene, row, value, error);
	return set_setting(scene, row, value, error);
}

static bool changed(const cairn_scene *scene, const cn_option_row *row)
{
	if (row->info.setting)
		return false;
	if (row->kind == CN_OPTION_REAL)
		return get_real(scene, row).set;
	return row->kind == CN_OPTION_CHOICE ? get_choice(scene, row) != 0 : get_count(scene, row) != row->fallback;
}

const char *cn_scene_changed_option(const cairn_scene *scene, const char *after)
{
	for (uint32_t i = after ? cn_option_number(after) + 1 : 0; i < CN_COUNT(rows); ++i)
		if (changed(scene, &rows[i]))
			return names[i];
	return NULL;
}

static void print_setting(const cn_option_row *row, const cairn_settings *s, char *text, size_t size)
{
	const void *field = (const char *)s + row->offset;
	char x[CN_NUMBER_SIZE], y[CN_NUMBER_SIZE], z[CN_NUMBER_SIZE];
	switch (row->kind) {
	case CN_OPTION_VECTOR:
		cn_format_double(x, ((const v3 *)field)->x);
		cn_format_double(y, ((const v3 *)field)->y);
		cn_format_double(z, ((const v3 *)field)->z);
		snprintf(text, size, "%s,%s,%s", x, y, z);
		break;
	case CN_OPTION_NUMBER:
		cn_format_double(x, *(const double *)field);
		snprintf(text, size, "%s", x);
		break;
	case CN_OPTION_WHOLE32: snprintf(text, size, "%u", *(const uint32_t *)field); break;
	case CN_OPTION_WHOLE64: snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field); break;
	default: snprintf(text, size, "%s", *(const char *const *)field); break;
	}
}

static void print_real(const cn_option_row *row, const cairn_scene *scene, char *text, size_t size)
{
	double x = cn_option_real(get_real(scene, row), row->usual);
	char number[CN_NUMBER_SIZE] = "auto";
	if (!isnan(x))
		cn_format_double(number, x);
	snprintf(text, size, "%s", number);
}

bool cairn_scene_option(const cairn_scene *scene, const char *key, char *text, size_t size)
{
	const cn_option_row *row = find_row(key);
	char words[CN_OPTION_WORDS][CN_OPTION_WORD];
	if (!row)
		return false;
	if (row->kind == CN_OPTION_CHOICE) {
		cn_option_words(row, words);
		snprintf(text, size, "%s", words[get_choice(scene, row)]);
	} else if (row->kind == CN_OPTION_REAL) {
		print_real(row, scene, text, size);
	} else if (row->kind != CN_OPTION_COUNT) {
		print_setting(row, &scene->settings, text, size);
	} else if (get_count(scene, row) == CN_AUTO) {
		snprintf(text, size, "auto");
	} else {
		snprintf(text, size, "%u", get_count(scene, row));
	}
	return true;
}

cn_certify_mode cn_scene_certify(const cairn_scene *scene)
{
	static const cn_certify_mode modes[] = {CN_CERTIFY_FULL, CN_CERTIFY_KEYS, CN_CERTIFY_OFF, CN_CERTIFY_FULL,
	                                        CN_CERTIFY_MEASURE}; /* by the words of the option */
	const cn_method_row *method = cn_registry_method(scene->settings.method);
	if (scene->options.certify == 0 && method &&
	    (method->abilities & (CN_CAN_CONTACT | CN_CAN_GUARANTEE)) == CN_CAN_CONTACT)
		return CN_CERTIFY_MEASURE;
	return modes[scene->options.certify];
}

bool cn_scene_has_fronts(const cairn_scene *scene)
{
	const cn_method_row *method = cn_registry_method(scene->settings.method);
	return method && (method->abilities & CN_CAN_GUARANTEE);
}
