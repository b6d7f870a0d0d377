/* A recording as text: every key of every body, one row each, numbers with 17 digits so that they read back to the
 * same bits. Rows are those whose frame number lies in from..to, so the rows of a part are rows of the whole.
 *
 *   # cairn csv 1
 *   # {"name":"tumble","fps":30,"gravity":[0,0,-9.81],"method":"oba","seed":1,"hash":"...","version":"0.1.0"}
 *   # body {"index":0,"name":"floor","type":"fixed","mass":0,...,"shape":{...}}     one for each body ever there
 *   frame,time,body,x,...                                                           then the rows
 *
 * A shape is in the scene format's own words but relative to the centre of mass, as the position in the rows is:
 * points are moved, and what has no place of its own becomes the only part of a compound. */
#include "io/export.h"
#include "scene/scene.h"

#include <inttypes.h>

static void write_array(cn_out *out, const double *x, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i) {
		cn_out_text(out, i ? "," : "[");
		cn_out_number(out, x[i]);
	}
	cn_out_text(out, "]");
}

static void write_v3(cn_out *out, v3 v) { cn_out_v3(out, v, "[", ",", "]"); }

static void write_points(cn_out *out, const cairn_shape_def *def, v3 shift)
{
	cn_out_text(out, "\"points\":[");
	for (uint32_t i = 0; i < def->point_count; ++i) {
		cn_out_text(out, i ? "," : "");
		write_v3(out, v3_add(def->points[i], shift));
	}
	cn_out_text(out, "]");
}

static void write_mesh(cn_out *out, const cairn_shape_def *def, v3 shift)
{
	cn_out_format(out, "{\"mesh\":{\"kind\":\"%s\",", def->shell ? "shell" : "solid");
	if (def->thickness > 0) {
		cn_out_text(out, "\"thickness\":");
		cn_out_number(out, def->thickness);
		cn_out_text(out, ",");
	}
	write_points(out, def, shift);
	cn_out_text(out, ",\"triangles\":[");
	for (uint32_t i = 0; i < def->triangle_count; ++i) {
		const uint32_t *corner = def->triangles + (size_t)i * 3;
		cn_out_format(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", i ? "," : "", corner[0], corner[1], corner[2]);
	}
	cn_out_text(out, "]}}");
}

/* The fields of a kind as a scene file has them. A plane has a place: its offset moves with the shift. */
static void write_fields(cn_out *out, const cairn_shape_def *def, v3 shift)
{
	bool single = cn_shape_kind_form(def->kind) == CN_FORM_VALUE,
		 plane = cn_shape_kind_form(def->kind) == CN_FORM_PLANE;
	const cn_shape_field *field;
	cn_out_format(out, "{\"%s\":%s", cairn_shape_kind_at(def->kind)->name, single ? "" : "{");
	for (uint32_t i = 0; (field = cn_shape_kind_field(def->kind, i)) != NULL; ++i) {
		const void *value = (const char *)def + field->offset;
		if (!single)
			cn_out_format(out, "%s\"%s\":", i ? "," : "", field->key);
		if (field->type == CN_FIELD_VECTOR)
			write_v3(out, *(const v3 *)value);
		else
			cn_out_number(out, *(const double *)value + (plane ? v3_dot(def->normal, shift) : 0));
	}
	cn_out_text(out, single ? "}" : "}}");
}

static void write_simple(cn_out *out, const cairn_shape_def *def, v3 shift)
{
	switch (cn_shape_kind_form(def->kind)) {
	case CN_FORM_HULL:
		cn_out_text(out, "{\"hull\":{");
		write_points(out, def, shift);
		cn_out_text(out, "}}");
		break;
	case CN_FORM_MESH: write_mesh(out, def, shift); break;
	default: write_fields(out, def, shift); break;
	}
}

static void write_part(cn_out *out, const cairn_scene *scene, cairn_part part, v3 shift)
{
	cairn_shape_def def = cairn_scene_shape_at(scene, part.shape.index);
	quat q = part.pose.orientation;
	cn_out_text(out, "{\"shape\":");
	write_simple(out, &def, v3_zero());
	cn_out_text(out, ",\"position\":");
	write_v3(out, v3_add(part.pose.position, shift));
	if (q.x != 0 || q.y != 0 || q.z != 0) {
		cn_out_text(out, ",\"orientation\":");
		write_array(out, (double[]){q.w, q.x, q.y, q.z}, 4);
	}
	cn_out_text(out, "}");
}

static void write_shape(cn_out *out, const cairn_scene *scene, cairn_shape shape, v3 center)
{
	cairn_shape_def def = cairn_scene_shape_at(scene, shape.index);
	cairn_part whole = {shape, pose_identity()};
	v3 shift = v3_neg(center);
	bool centred = center.x == 0 && center.y == 0 && center.z == 0;
	cn_shape_form form = cn_shape_kind_form(def.kind);
	bool movable = form == CN_FORM_HULL || form == CN_FORM_MESH || form == CN_FORM_PLANE;
	if (def.kind != CAIRN_COMPOUND && (centred || movable)) {
		write_simple(out, &def, shift);
		return;
	}
	uint32_t count = def.kind == CAIRN_COMPOUND ? def.part_count : 1;
	const cairn_part *parts = def.kind == CAIRN_COMPOUND ? def.parts : &whole;
	cn_out_text(out, "{\"compound\":{\"parts\":[");
	for (uint32_t i = 0; i < count; ++i) {
		cn_out_text(out, i ? "," : "");
		write_part(out, scene, parts[i], shift);
	}
	cn_out_text(out, "]}}");
}

static void write_body(cn_export *e, uint32_t index)
{
	static const char *const types[] = {
		[CAIRN_DYNAMIC] = "dynamic", [CAIRN_FIXED] = "fixed", [CAIRN_SCRIPTED] = "scripted"};
	cairn_body_info body = cairn_recording_track(e->recording, index).info;
	cn_out *out = &e->out;
	cn_out_format(out, "# body {\"index\":%" PRIu32 ",\"name\":", index);
	cn_out_quote(out, body.name);
	cn_out_format(out, ",\"type\":\"%s\",\"mass\":", types[body.type]);
	cn_out_number(out, body.mass);
	cn_out_text(out, ",\"center\":");
	write_v3(out, body.center);
	if (body.type == CAIRN_DYNAMIC) {
		cn_out_text(out, ",\"inertia\":[");
		for (uint32_t row = 0; row < 3; ++row) {
			cn_out_text(out, row ? "," : "");
			write_array(out, body.inertia + (size_t)row * 3, 3);
		}
		cn_out_text(out, "]");
	}
	cn_out_format(out, ",\"filter\":{\"group\":%" PRIu32 ",\"mask\":%" PRIu32 "},\"shape\":", body.group, body.mask);
	write_shape(out, e->scene, body.shape, body.center);
	cn_out_text(out, "}\n");
}

static void write_row(cn_out *out, uint32_t frame, const cairn_track_key *row)
{
	const cairn_key *k = &row->key;
	const double numbers[] = {k->position.x,    k->position.y,    k->position.z,    k->orientation.w,
	                          k->orientation.x, k->orientation.y, k->orientation.z, k->velocity.x,
	                          k->velocity.y,    k->velocity.z,    k->spin.x,        k->spin.y,
	                          k->spin.z,        k->turn.x,        k->turn.y,        k->turn.z};
	cn_out_format(out, "%" PRIu32 ",", frame);
	cn_out_number17(out, k->time);
	cn_out_format(out, ",%" PRIu32, row->track);
	for (size_t i = 0; i < CN_COUNT(numbers); ++i) {
		cn_out_text(out, ",");
		cn_out_number17(out, numbers[i]);
	}
	cn_out_text(out, "\n");
}

bool cn_csv_write(cn_export *e, cairn_error *error)
{
	cairn_settings settings = cairn_scene_settings(e->scene);
	cn_out *out = &e->out;
	cn_out_text(out, "# cairn csv 1\n# {\"name\":");
	cn_out_quote(out, settings.name);
	cn_out_text(out, ",\"fps\":");
	cn_out_number(out, settings.fps);
	cn_out_text(out, ",\"gravity\":");
	write_v3(out, settings.gravity);
	cn_out_text(out, ",\"method\":");
	cn_out_quote(out, settings.method);
	cn_out_format(out, ",\"seed\":%" PRIu64 ",\"hash\":\"%016" PRIx64 "\",\"version\":", settings.seed, e->info.hash);
	cn_out_quote(out, e->info.version);
	cn_out_text(out, "}\n");
	for (uint32_t i = 0; i < e->info.bodies; ++i)
		write_body(e, i);
	cn_out_text(out, "frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,rx,ry,rz\n");
	cn_export_stage(e, cn_export_frames(e), cn_export_frames(e));
	for (uint32_t i = 0; i < cn_export_frames(e); ++i) {
		cairn_frame frame;
		if (!cn_export_read(e, e->from + i, &frame, error))
			return false;
		for (uint32_t k = 0; k < frame.key_count; ++k)
			write_row(out, frame.frame, frame.keys + k);
	}
	return true;
}
