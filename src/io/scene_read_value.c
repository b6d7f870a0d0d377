/* Values of a scene file with their checks, and errors with their places: what the rest of the reader is written in.
 * Only the form is checked here (types, lengths, known keys); what a number may be is decided by the scene. */
#include "base/tolerance.h"
#include "io/scene_read.h"
#include "io/srgb.h"

#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static void set_place(cn_scene_reader *r, const cn_json *at)
{
	cairn_error *e = r->error;
	if (r->file)
		snprintf(e->file, sizeof e->file, "%s", r->file->path);
	if (at) {
		e->line = (int)at->line, e->column = (int)at->column;
		cn_json_path(at, e->path, sizeof e->path);
	}
}

bool cn_read_fail(cn_scene_reader *r, const cn_json *at, const char *format, ...)
{
	char message[sizeof r->error->message];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	cn_fail(r->error, CAIRN_INVALID, "", "%s", message);
	set_place(r, at);
	r->follows |= at && at == r->unknown;
	return false;
}

bool cn_read_fail_memory(cn_scene_reader *r)
{
	cn_fail_memory(r->error);
	set_place(r, NULL);
	return false;
}

bool cn_read_go_on(cn_scene_reader *r)
{
	cairn_errors *all = r->errors;
	bool kept = all && (r->error->code == CAIRN_INVALID || r->error->code == CAIRN_FILE);
	if (!kept || all->count == CAIRN_MAX_ERRORS)
		return false;
	if (!r->follows)
		all->items[all->count++] = *r->error;
	r->follows = false;
	*r->error = (cairn_error){0};
	return all->count < CAIRN_MAX_ERRORS;
}

bool cn_read_part(cn_scene_reader *r, bool right, bool *all)
{
	*all &= right;
	return right || cn_read_go_on(r);
}

bool cn_read_parts(cn_scene_reader *r, const cn_json *at, bool all)
{
	return all || (cn_read_fail(r, at, "a value here is wrong"), r->follows = true, false);
}

/* One step of a field's name from *path: a key or an index; NULL where there is no such value. */
static const cn_json *take_step(const cn_json *at, const char **path)
{
	char key[64];
	size_t n = strcspn(*path + 1, ".[") + 1;
	if (**path == '[') {
		uint32_t index = 0;
		for (const char *c = *path + 1; *c >= '0' && *c <= '9'; ++c)
			index = index * 10 + (uint32_t)(*c - '0');
		*path += n;
		return cn_json_at(at, index);
	}
	const char *start = *path + (**path == '.');
	size_t length = (size_t)(*path + n - start);
	*path += n;
	if (length >= sizeof key)
		return NULL;
	memcpy(key, start, length);
	key[length] = '\0';
	const cn_json *found = cn_json_get(at, key);
	if (!found && (!strcmp(key, "points") || !strcmp(key, "triangles")))
		found = cn_json_get(at, "file"); /* they came from there */
	return found;
}

bool cn_read_place(cn_scene_reader *r, const cn_json *base)
{
	char field[sizeof r->error->path];
	memcpy(field, r->error->path, sizeof field);
	if (r->error->code == CAIRN_MEMORY)
		return cn_read_fail_memory(r);
	r->error->code = CAIRN_INVALID;
	for (const char *path = field; *path;) {
		const cn_json *step = take_step(base, &path);
		base = step ? step : base; /* a step that files do not spell, such as "pose", is passed over */
	}
	set_place(r, base);
	return false;
}

bool cn_read_note(cn_scene_reader *r, const cn_json *at, cn_place_kind kind, uint32_t first)
{
	cairn_scene *scene = r->scene;
	uint32_t end = kind == CN_PLACE_BODIES   ? scene->body_count
	               : kind == CN_PLACE_JOINTS ? scene->joint_count
	                                         : first + 1; /* the others come one by one */
	set_place(r, at);
	bool ok = end <= first || cn_places_note(&scene->allocator, &scene->places, kind, first, end - first, r->error);
	*r->error = (cairn_error){0};
	return ok || cn_read_fail_memory(r);
}

/* What stands there, for "found ...". */
static const char *describe(const cn_json *at, char out[CN_SHOWN_SIZE + 8])
{
	char text[CN_SHOWN_SIZE];
	if (at->type == CN_JSON_TEXT)
		snprintf(out, CN_SHOWN_SIZE + 8, "the text \"%s\"",
		         cn_json_shown(at->text, at->count > 40 ? 40 : at->count, text));
	else if (at->type == CN_JSON_NUMBER)
		snprintf(out, CN_SHOWN_SIZE + 8, "%s", cn_json_shown(at->text, at->count, text));
	else if (at->type == CN_JSON_BOOL)
		snprintf(out, CN_SHOWN_SIZE + 8, "%s", at->boolean ? "true" : "false");
	else if (at->type == CN_JSON_ARRAY)
		snprintf(out, CN_SHOWN_SIZE + 8, "an array of %u", at->count);
	else
		snprintf(out, CN_SHOWN_SIZE + 8, "%s", cn_json_type_name(at->type));
	return out;
}

static bool fail_form(cn_scene_reader *r, const cn_json *at, const char *wanted)
{
	char found[CN_SHOWN_SIZE + 8];
	return cn_read_fail(r, at, "found %s; expected %s", describe(at, found), wanted);
}

bool cn_read_type(cn_scene_reader *r, const cn_json *at, cn_json_type type)
{
	return at->type == type || fail_form(r, at, cn_json_type_name(type));
}

/* "a, b, c" as far as they fit. */
static void list_names(const char *const *known, char *out, size_t size)
{
	size_t at = 0;
	out[0] = '\0';
	for (uint32_t i = 0; known[i]; ++i) {
		size_t n = strlen(known[i]);
		if (at + n + 8 > size) {
			snprintf(out + at, size - at, ", ...");
			return;
		}
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", known[i]);
	}
}

const char *cn_read_other_word(const char *name, const char *const *known)
{
	static const char *const words[][2] = {{"rotation", "orientation"},
	                                       {"quaternion", "orientation"},
	                                       {"rotate", "orientation"},
	                                       {"pos", "position"},
	                                       {"translation", "position"},
	                                       {"location", "position"},
	                                       {"origin", "position"},
	                                       {"height", "length"},
	                                       {"lookat", "target"},
	                                       {"look_at", "target"},
	                                       {"lookAt", "target"},
	                                       {"cube", "box"},
	                                       {"cuboid", "box"},
	                                       {"ball", "sphere"},
	                                       {"plane", "halfspace"},
	                                       {"ground", "halfspace"},
	                                       {"pill", "capsule"},
	                                       {"convex", "hull"},
	                                       {"trimesh", "mesh"},
	                                       {"terrain", "heightfield"},
	                                       {"dimensions", "size"},
	                                       {"extents", "size"},
	                                       {"half_extents", "size"},
	                                       {"angular_velocity", "spin"},
	                                       {"angularVelocity", "spin"},
	                                       {"linear_velocity", "velocity"},
	                                       {"linearVelocity", "velocity"},
	                                       {"bounce", "restitution"},
	                                       {"bounciness", "restitution"},
	                                       {"elasticity", "restitution"},
	                                       {"mu", "friction"},
	                                       {"friction", "material"},
	                                       {"restitution", "material"},
	                                       {"mu", "material"},
	                                       {"bounce", "material"},
	                                       {"bounciness", "material"},
	                                       {"elasticity", "material"},
	                                       {"timestep", "fps"},
	                                       {"dt", "fps"},
	                                       {"framerate", "fps"},
	                                       {"duration", "frames"},
	                                       {"colour", "color"},
	                                       {"weight", "mass"},
	                                       {"revolute", "hinge"},
	                                       {"prismatic", "slider"},
	                                       {"weld", "fixed"},
	                                       {"spherical", "ball"},
	                                       {"rope", "distance"},
	                                       {"rod", "distance"},
	                                       {"animated", "scripted"},
	                                       {"passive", "fixed"},
	                                       {"active", "dynamic"},
	                                       {"rigid", "dynamic"},
	                                       {"collision", "filter"},
	                                       {"keyframes", "keys"},
	                                       {"constraints", "joints"},
	                                       {"objects", "bodies"},
	                                       {"gravity", "world"},
	                                       {"fps", "world"},
	                                       {"frames", "world"},
	                                       {"duration", "world"},
	                                       {"timestep", "world"},
	                                       {"method", "world"},
	                                       {"seed", "world"},
	                                       {"settings", "world"},
	                                       {"static", "type"},
	                                       {"kinematic", "type"},
	                                       {"fixed", "type"},
	                                       {"dynamic", "type"},
	                                       {"isStatic", "type"},
	                                       {"euler", "orientation"},
	                                       {"quat", "orientation"},
	                                       {"anchor", "point"},
	                                       {"pivot", "point"},
	                                       {"bodyA", "bodies"},
	                                       {"bodyB", "bodies"},
	                                       {"body_a", "bodies"},
	                                       {"body_b", "bodies"},
	                                       {"limit", "limits"},
	                                       {"group", "filter"},
	                                       {"mask", "filter"},
	                                       {"scale", "size"},
	                                       {"eye", "position"},
	                                       {"fovy", "fov"},
	                                       {"geometry", "shape"},
	                                       {"geometries", "shapes"}};
	for (size_t i = 0; i < CN_COUNT(words); ++i)
		for (uint32_t k = 0; !strcmp(words[i][0], name) && known[k]; ++k)
			if (!strcmp(known[k], words[i][1]))
				return known[k];
	return NULL;
}

bool cn_read_fail_unknown(cn_scene_reader *r, const cn_json *at, const char *kind, const char *const *known)
{
	const char *name = at->type == CN_JSON_TEXT ? at->text : at->key;
	const char *near = cn_read_other_word(name, known);
	near = near ? near : cn_nearest(name, known);
	char shown[CN_SHOWN_SIZE], other[CN_SHOWN_SIZE], list[240];
	cn_json_shown(name, strlen(name), shown);
	if (near)
		return cn_read_fail(r, at, "unknown %s \"%s\"; did you mean \"%s\"", kind, shown,
		                    cn_json_shown(near, strlen(near), other));
	list_names(known, list, sizeof list);
	return *list ? cn_read_fail(r, at, "unknown %s \"%s\"; known are %s", kind, shown, list)
	             : cn_read_fail(r, at, "unknown %s \"%s\"; there is none here", kind, shown);
}

static bool is_among(const char *word, const char *const *known)
{
	while (*known && strcmp(word, *known) != 0)
		++known;
	return *known;
}

bool cn_read_keys(cn_scene_reader *r, const cn_json *at, const char *const *known)
{
	if (!cn_read_type(r, at, CN_JSON_OBJECT))
		return false;
	for (const cn_json *v = at->first; v; v = v->next) {
		if (is_among(v->key, known) || !strcmp(v->key, "comment") || !strcmp(v->key, "$schema"))
			continue;
		cn_json key = *v; /* the error points at the key, not at its value */
		key.type = CN_JSON_NULL, key.line = v->key_line, key.column = v->key_column;
		if (!cn_read_fail_unknown(r, &key, "key", known) && !cn_read_go_on(r))
			return false;
		r->unknown = at;
	}
	return true;
}

const cn_json *cn_read_need(cn_scene_reader *r, const cn_json *object, const char *key)
{
	if (!cn_read_type(r, object, CN_JSON_OBJECT))
		return NULL;
	const cn_json *v = cn_json_get(object, key);
	if (!v)
		cn_read_fail(r, object, "the key \"%s\" is missing here", key);
	return v;
}

bool cn_read_array(cn_scene_reader *r, const cn_json *object, const char *key, const cn_json **out)
{
	const cn_json *v = cn_json_get(object, key);
	if (v && !cn_read_type(r, v, CN_JSON_ARRAY))
		return false;
	*out = v ? v->first : NULL;
	return true;
}

bool cn_read_text(cn_scene_reader *r, const cn_json *object, const char *key, const char **out)
{
	const cn_json *v = cn_json_get(object, key);
	if (v && !cn_read_type(r, v, CN_JSON_TEXT))
		return false;
	*out = v ? v->text : *out;
	return true;
}

bool cn_read_bool(cn_scene_reader *r, const cn_json *object, const char *key, bool *out)
{
	const cn_json *v = cn_json_get(object, key);
	if (v && !cn_read_type(r, v, CN_JSON_BOOL))
		return false;
	*out = v ? v->boolean : *out;
	return true;
}

bool cn_read_number(cn_scene_reader *r, const cn_json *object, const char *key, double *out)
{
	const cn_json *v = cn_json_get(object, key);
	if (v && !cn_read_type(r, v, CN_JSON_NUMBER))
		return false;
	*out = v ? v->number : *out;
	return true;
}

bool cn_read_whole(cn_scene_reader *r, const cn_json *at, double least, double most, double *out)
{
	char wanted[80];
	snprintf(wanted, sizeof wanted, "a whole number from %.0f to %.0f", least, most);
	if (at->type != CN_JSON_NUMBER || floor(at->number) != at->number || at->number < least || at->number > most)
		return fail_form(r, at, wanted);
	*out = at->number;
	return true;
}

bool cn_read_u32(cn_scene_reader *r, const cn_json *object, const char *key, uint32_t *out)
{
	const cn_json *v = cn_json_get(object, key);
	double x = *out;
	if (v && !cn_read_whole(r, v, 0, UINT32_MAX, &x))
		return false;
	*out = (uint32_t)x;
	return true;
}

static bool read_numbers(cn_scene_reader *r, const cn_json *at, uint32_t count, const char *wanted, double *out)
{
	if (at->type != CN_JSON_ARRAY || at->count != count)
		return fail_form(r, at, wanted);
	for (const cn_json *v = at->first; v; v = v->next) {
		if (!cn_read_type(r, v, CN_JSON_NUMBER))
			return false;
		*out++ = v->number;
	}
	return true;
}

bool cn_read_vector_at(cn_scene_reader *r, const cn_json *at, v3 *out)
{
	double x[3] = {0};
	if (!read_numbers(r, at, 3, "three numbers [x, y, z]", x))
		return false;
	*out = v3_make(x[0], x[1], x[2]);
	return true;
}

bool cn_read_vector(cn_scene_reader *r, const cn_json *object, const char *key, v3 *out)
{
	const cn_json *v = cn_json_get(object, key);
	return !v || cn_read_vector_at(r, v, out);
}

bool cn_read_spread(cn_scene_reader *r, const cn_json *object, const char *key, v3 *out)
{
	const cn_json *v = cn_json_get(object, key);
	if (v && v->type == CN_JSON_NUMBER) {
		*out = v3_make(v->number, v->number, v->number);
		return true;
	}
	if (v && v->type != CN_JSON_ARRAY)
		return fail_form(r, v, "a number or three numbers [x, y, z]");
	return !v || cn_read_vector_at(r, v, out);
}

/* As the scene does it: a slip of the pen is mended, one that is exact already keeps its bits. */
static bool make_unit(cn_scene_reader *r, const cn_json *at, quat q, quat *out)
{
	double length = sqrt(q_dot(q, q));
	if (!(fabs(length - 1) <= CN_UNIT_ERROR))
		return cn_read_fail(r, at, "the orientation has length %g; give a unit quaternion [w, x, y, z]", length);
	*out = fabs(length - 1) > 4 * DBL_EPSILON ? q_unit(q) : q;
	return true;
}

#define CN_DEGREE (CN_PI / 180) /* rad */

/* { "euler": [x, y, z] }: degrees about the world's x, then y, then z. */
static bool read_euler(cn_scene_reader *r, const cn_json *at, quat *out)
{
	static const char *const known[] = {"euler", NULL};
	v3 turn = {0, 0, 0};
	if (!cn_read_keys(r, at, known) || !cn_read_vector(r, at, "euler", &turn))
		return false;
	if (!(v3_max(v3_abs(turn)) <= 1e6))
		return cn_read_fail(r, cn_json_get(at, "euler"), "angles of %g, %g, %g; give degrees up to 1e6", turn.x, turn.y,
		                    turn.z);
	quat x = q_exp(v3_make(turn.x * CN_DEGREE, 0, 0)), y = q_exp(v3_make(0, turn.y * CN_DEGREE, 0));
	*out = q_unit(q_mul(q_exp(v3_make(0, 0, turn.z * CN_DEGREE)), q_mul(y, x)));
	return true;
}

static bool read_orientation(cn_scene_reader *r, const cn_json *at, quat *out)
{
	static const char *const known[] = {"axis", "angle", "degrees", "euler", NULL};
	double q[4] = {0}, angle = 0;
	v3 axis = {0, 0, 0};
	if (at->type == CN_JSON_ARRAY) {
		if (!read_numbers(r, at, 4,
		                  "four numbers [w, x, y, z], an axis and an angle, or { \"euler\": degrees about x, y, z }",
		                  q))
			return false;
		return make_unit(r, at, (quat){q[0], q[1], q[2], q[3]}, out);
	}
	if (at->type != CN_JSON_OBJECT)
		return fail_form(r, at,
		                 "four numbers [w, x, y, z], an axis and an angle, or { \"euler\": degrees about x, y, z }");
	if (cn_json_get(at, "euler"))
		return read_euler(r, at, out);
	const cn_json *degrees = cn_json_get(at, "degrees");
	if (!cn_read_keys(r, at, known) || !cn_read_need(r, at, "axis") || !cn_read_vector(r, at, "axis", &axis) ||
	    (!degrees && !cn_read_need(r, at, "angle")) || !cn_read_number(r, at, "angle", &angle) ||
	    !cn_read_number(r, at, "degrees", &angle))
		return false;
	if (degrees && cn_json_get(at, "angle"))
		return cn_read_fail(r, degrees, "an \"angle\" in radians and \"degrees\" as well; leave one out");
	double most = v3_max(v3_abs(axis));
	if (!(most > 0))
		return cn_read_fail(r, cn_json_get(at, "axis"), "the axis has no length; give a direction such as [0, 0, 1]");
	if (fabs(angle) > 1e6)
		return cn_read_fail(r, degrees ? degrees : cn_json_get(at, "angle"), "an angle of %g; give %s up to 1e6", angle,
		                    degrees ? "degrees" : "radians");
	angle = degrees ? angle * CN_DEGREE : angle;
	*out = q_exp(v3_scale(v3_unit(v3_scale(axis, 1 / most)), angle));
	return true;
}

bool cn_read_pose(cn_scene_reader *r, const cn_json *object, pose *out)
{
	const cn_json *turn = cn_json_get(object, "orientation");
	return cn_read_vector(r, object, "position", &out->position) &&
	       (!turn || read_orientation(r, turn, &out->orientation));
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
	return c && at ? (int)(at - digits) : -1;
}

bool cn_read_color(cn_scene_reader *r, const cn_json *object, const char *key, cairn_color *out)
{
	const char *wanted = "three numbers [r, g, b] from 0 to 1 (linear), or a text \"#rrggbb\" (sRGB)";
	const cn_json *v = cn_json_get(object, key);
	double c[3] = {0};
	if (!v)
		return true;
	if (v->type == CN_JSON_TEXT) {
		if (v->count != 7 || v->text[0] != '#')
			return fail_form(r, v, wanted);
		for (int i = 0; i < 3; ++i) {
			int high = hex_digit(v->text[1 + 2 * i]), low = hex_digit(v->text[2 + 2 * i]);
			if (high < 0 || low < 0)
				return fail_form(r, v, wanted);
			c[i] = cn_linear_from_srgb(16 * high + low);
		}
	} else if (!read_numbers(r, v, 3, wanted, c)) {
		return false;
	}
	*out = (cairn_color){c[0], c[1], c[2]};
	return true;
}

bool cn_read_box(cn_scene_reader *r, const cn_json *at, cairn_box *out)
{
	static const char *const known[] = {"min", "max", NULL};
	return cn_read_keys(r, at, known) && cn_read_need(r, at, "min") && cn_read_need(r, at, "max") &&
	       cn_read_vector(r, at, "min", &out->min) && cn_read_vector(r, at, "max", &out->max);
}

bool cn_read_each(cn_scene_reader *r, const char *key, bool (*read)(cn_scene_reader *, const cn_json *))
{
	const cn_json *v;
	if (!cn_read_array(r, r->file->root, key, &v))
		return false;
	for (; v; v = v->next)
		if (!read(r, v) && !cn_read_go_on(r))
			return false;
	return true;
}
