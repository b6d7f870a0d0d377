/* What happens in a scene and how it is looked at: joints, events, force fields, cold volumes, camera and light. */
#include "io/scene_read.h"

#include <string.h>

static bool read_joint(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"name", "type", "bodies", "point", NULL}, *const types[] = {"ball", NULL};
	cairn_joint_def def = cairn_default_joint_def();
	const char *type = "";
	if (!cn_read_keys(r, at, known) || !cn_read_need(r, at, "type") || !cn_read_text(r, at, "type", &type))
		return false;
	if (strcmp(type, "ball") != 0)
		return cn_read_fail_unknown(r, cn_json_get(at, "type"), "type of joint", types);
	const cn_json *two = cn_read_need(r, at, "bodies");
	if (!two || !cn_read_need(r, at, "point"))
		return false;
	if (two->type != CN_JSON_ARRAY || two->count != 2)
		return cn_read_fail(r, two, "expected the names of two bodies, as in [\"a\", \"b\"] or [\"a\", \"world\"]");
	return cn_read_text(r, at, "name", &def.name) && cn_read_body_name(r, two->first, true, &def.a) &&
	       cn_read_body_name(r, two->first->next, true, &def.b) && cn_read_vector(r, at, "point", &def.point) &&
	       (cairn_scene_add_joint(r->scene, &def, r->error).generation || cn_read_place(r, at)) &&
	       cn_read_note(r, at, CN_PLACE_JOINTS, cairn_scene_joint_count(r->scene) - 1);
}

static bool read_impulse(cn_scene_reader *r, const cn_json *at, cairn_event_def *def)
{
	static const char *const known[] = {"body", "impulse", "point", NULL};
	const cn_json *body = cn_read_keys(r, at, known) ? cn_read_need(r, at, "body") : NULL;
	def->has_point = cn_json_get(at, "point") != NULL;
	return body && cn_read_body_name(r, body, false, &def->body) && cn_read_need(r, at, "impulse") &&
	       cn_read_vector(r, at, "impulse", &def->impulse) && cn_read_vector(r, at, "point", &def->point);
}

static bool read_blast(cn_scene_reader *r, const cn_json *at, cairn_event_def *def)
{
	static const char *const known[] = {"point", "speed", NULL};
	return cn_read_keys(r, at, known) && cn_read_need(r, at, "point") && cn_read_need(r, at, "speed") &&
	       cn_read_vector(r, at, "point", &def->point) && cn_read_number(r, at, "speed", &def->speed);
}

static bool read_event(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"frame", "impulse", "blast", NULL};
	if (!cn_read_keys(r, at, known) || !cn_read_need(r, at, "frame"))
		return false;
	const cn_json *impulse = cn_json_get(at, "impulse"), *blast = cn_json_get(at, "blast");
	if (!impulse == !blast)
		return cn_read_fail(r, at, "an event is one of impulse, blast; found %s", impulse ? "both" : "neither");
	cairn_event_def def = cairn_default_event_def(impulse ? CAIRN_IMPULSE : CAIRN_BLAST);
	return cn_read_u32(r, at, "frame", &def.frame) &&
	       (impulse ? read_impulse(r, impulse, &def) : read_blast(r, blast, &def)) &&
	       (cairn_scene_add_event(r->scene, &def, r->error) || cn_read_place(r, impulse ? impulse : blast));
}

/* "gravity" is a uniform acceleration, or an attraction to a point. */
static bool read_gravity(cn_scene_reader *r, const cn_json *at, cairn_field_def *def)
{
	static const char *const known[] = {"acceleration", "point", "strength", "softening", NULL};
	if (!cn_read_keys(r, at, known))
		return false;
	if (cn_json_get(at, "acceleration")) {
		static const char *const uniform[] = {"acceleration", NULL};
		return cn_read_keys(r, at, uniform) && cn_read_vector(r, at, "acceleration", &def->acceleration);
	}
	*def = cairn_default_field_def(CAIRN_ATTRACTOR);
	if (!cn_json_get(at, "point"))
		return cn_read_fail(r, at, "gravity needs an \"acceleration\", or \"point\", \"strength\" and \"softening\"");
	return cn_read_need(r, at, "strength") && cn_read_need(r, at, "softening") &&
	       cn_read_vector(r, at, "point", &def->point) && cn_read_number(r, at, "strength", &def->strength) &&
	       cn_read_number(r, at, "softening", &def->softening);
}

static bool read_wind(cn_scene_reader *r, const cn_json *at, cairn_field_def *def)
{
	static const char *const known[] = {"velocity", "density", "coefficient", NULL};
	return cn_read_keys(r, at, known) && cn_read_need(r, at, "velocity") &&
	       cn_read_vector(r, at, "velocity", &def->velocity) && cn_read_number(r, at, "density", &def->air_density) &&
	       cn_read_number(r, at, "coefficient", &def->coefficient);
}

static bool read_drag(cn_scene_reader *r, const cn_json *at, cairn_field_def *def)
{
	static const char *const known[] = {"linear", "angular", NULL};
	return cn_read_keys(r, at, known) && cn_read_number(r, at, "linear", &def->linear) &&
	       cn_read_number(r, at, "angular", &def->angular);
}

/* The scene names the sides of a field's box "box", "min" and "max". */
static bool place_field(cn_scene_reader *r, const cn_json *kind, const cn_json *box)
{
	const char *field = r->error->path;
	bool is_box = box && (!strcmp(field, "box") || !strcmp(field, "min") || !strcmp(field, "max"));
	return cn_read_place(r, is_box ? box : kind);
}

static bool read_field(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"gravity", "wind", "drag", "box", NULL};
	static const cairn_field_kind kinds[] = {CAIRN_GRAVITY, CAIRN_WIND, CAIRN_DRAG};
	const cn_json *kind = NULL, *box;
	int which = 0;
	if (!cn_read_keys(r, at, known))
		return false;
	for (int i = 0; i < 3; ++i) {
		const cn_json *v = cn_json_get(at, known[i]);
		if (v && kind)
			return cn_read_fail(r, at, "a field is one thing; found both \"%s\" and \"%s\"", kind->key, v->key);
		if (v)
			kind = v, which = i;
	}
	if (!kind)
		return cn_read_fail(r, at, "a field needs one of gravity, wind, drag");
	cairn_field_def def = cairn_default_field_def(kinds[which]);
	if (!(which == 0 ? read_gravity(r, kind, &def) : which == 1 ? read_wind(r, kind, &def) : read_drag(r, kind, &def)))
		return false;
	box = cn_json_get(at, "box");
	def.has_box = box != NULL;
	return (!box || cn_read_box(r, box, &def.box)) &&
	       (cairn_scene_add_field(r->scene, &def, r->error) || place_field(r, kind, box));
}

static bool read_cold(cn_scene_reader *r, const cn_json *at)
{
	cairn_box box;
	return cn_read_box(r, at, &box) && (cairn_scene_add_cold_volume(r->scene, box, r->error) || cn_read_place(r, at));
}

bool cn_read_joints(cn_scene_reader *r) { return cn_read_each(r, "joints", read_joint); }
bool cn_read_events(cn_scene_reader *r) { return cn_read_each(r, "events", read_event); }
bool cn_read_fields(cn_scene_reader *r) { return cn_read_each(r, "fields", read_field); }
bool cn_read_cold(cn_scene_reader *r) { return cn_read_each(r, "cold", read_cold); }

bool cn_read_view(cn_scene_reader *r)
{
	static const char *const camera_keys[] = {"position", "target", "fov", NULL};
	static const char *const light_keys[] = {"direction", "color", NULL};
	const cn_json *root = r->file->root, *camera = cn_json_get(root, "camera"), *light = cn_json_get(root, "light");
	cairn_view view = cairn_scene_view(r->scene);
	if (camera) {
		view.has_camera = true;
		if (!cn_read_keys(r, camera, camera_keys) || !cn_read_need(r, camera, "position") ||
		    !cn_read_need(r, camera, "target") || !cn_read_vector(r, camera, "position", &view.camera_position) ||
		    !cn_read_vector(r, camera, "target", &view.camera_target) ||
		    !cn_read_number(r, camera, "fov", &view.camera_fov))
			return false;
	}
	if (light) {
		view.has_light = true;
		if (!cn_read_keys(r, light, light_keys) || !cn_read_need(r, light, "direction") ||
		    !cn_read_vector(r, light, "direction", &view.light_direction) ||
		    !cn_read_color(r, light, "color", &view.light_color))
			return false;
	}
	return (!camera && !light) || cairn_scene_set_view(r->scene, &view, r->error) || cn_read_place(r, root);
}
