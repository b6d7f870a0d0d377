/* A recording as a trajectory (docs/trajectory-format.md): shapes, bodies and keys and nothing else, so that the
 * certificate can be had from plain text. Numbers read back to the same bits. */
#include "io/export.h"
#include "scene/scene.h"

#include <inttypes.h>

static void write_numbers(cn_out *out, const double *x, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i) {
		cn_out_text(out, " ");
		cn_out_number(out, x[i]);
	}
}

static void write_vector(cn_out *out, v3 v) { write_numbers(out, (double[]){v.x, v.y, v.z}, 3); }

static void write_pose(cn_out *out, v3 x, quat q)
{
	write_vector(out, x);
	write_numbers(out, (double[]){q.w, q.x, q.y, q.z}, 4);
}

static void write_points(cn_out *out, const cairn_shape_def *def)
{
	for (uint32_t i = 0; i < def->point_count; ++i)
		cn_out_v3(out, def->points[i], "", " ", "\n");
}

static void write_mesh(cn_out *out, const cairn_shape_def *def)
{
	cn_out_format(out, "shape mesh %s %" PRIu32 " %" PRIu32, def->shell ? "shell" : "solid", def->point_count,
	              def->triangle_count);
	if (def->thickness > 0)
		write_numbers(out, &def->thickness, 1);
	cn_out_text(out, "\n");
	write_points(out, def);
	for (uint32_t i = 0; i < def->triangle_count; ++i) {
		const uint32_t *corner = def->triangles + (size_t)i * 3;
		cn_out_format(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", corner[0], corner[1], corner[2]);
	}
}

/* The fields in the order in which a scene file has them. */
static void write_fields(cn_out *out, const cairn_shape_def *def)
{
	const cn_shape_field *field;
	cn_out_format(out, "shape %s", cairn_shape_kind_at(def->kind)->name);
	for (uint32_t i = 0; (field = cn_shape_kind_field(def->kind, i)) != NULL; ++i) {
		const void *value = (const char *)def + field->offset;
		if (field->type == CN_FIELD_VECTOR)
			write_vector(out, *(const v3 *)value);
		else
			write_numbers(out, value, 1);
	}
	cn_out_text(out, "\n");
}

static void write_shape(cn_out *out, const cairn_shape_def *def)
{
	if (def->kind == CAIRN_COMPOUND) {
		cn_out_format(out, "shape compound %" PRIu32 "\n", def->part_count);
		for (uint32_t i = 0; i < def->part_count; ++i) {
			cn_out_format(out, "%" PRIu32, def->parts[i].shape.index);
			write_pose(out, def->parts[i].pose.position, def->parts[i].pose.orientation);
			cn_out_text(out, "\n");
		}
		return;
	}
	switch (cn_shape_kind_form(def->kind)) {
	case CN_FORM_HULL:
		cn_out_format(out, "shape hull %" PRIu32 "\n", def->point_count);
		write_points(out, def);
		break;
	case CN_FORM_MESH: write_mesh(out, def); break;
	default: write_fields(out, def); break;
	}
}

static void write_body(cn_export *e, uint32_t index)
{
	static const char *const types[] = {
		[CAIRN_DYNAMIC] = "dynamic", [CAIRN_FIXED] = "fixed", [CAIRN_SCRIPTED] = "scripted"};
	cairn_body_info body = cairn_recording_track(e->recording, index).info;
	cn_out *out = &e->out;
	cn_out_format(out, "body %s %" PRIu32, types[body.type], body.shape.index);
	if (v3_length2(body.center) > 0) {
		cn_out_text(out, " center");
		write_vector(out, body.center);
	}
	if (body.group != 1 || body.mask != UINT32_MAX)
		cn_out_format(out, " filter %" PRIu32 " %" PRIu32, body.group, body.mask);
	if (*body.name) {
		cn_out_text(out, " name ");
		cn_out_text(out, body.name);
	}
	cn_out_text(out, "\n");
}

/* at: of the frame's own key; else of one on the way there. */
static void write_key(cn_out *out, const cairn_track_key *row, bool at)
{
	cn_out_format(out, "%s %" PRIu32, at ? "key" : "within", row->track);
	if (!at)
		write_numbers(out, &row->key.time, 1);
	write_pose(out, row->key.position, row->key.orientation);
	write_vector(out, row->key.turn);
	cn_out_text(out, "\n");
}

/* Of the first frame the poses are written alone, and of fixed bodies their first one. */
static void write_frame(cn_export *e, const cairn_frame *frame, bool first)
{
	cn_out *out = &e->out;
	cn_out_format(out, "frame %" PRIu32, frame->frame);
	write_numbers(out, &frame->time, 1);
	cn_out_text(out, "\n");
	for (uint32_t i = 0; i < frame->key_count; ++i) {
		const cairn_track_key *row = &frame->keys[i];
		cairn_track track = cairn_recording_track(e->recording, row->track);
		bool last = i + 1 == frame->key_count || row[1].track != row->track;
		if (first ? !last : track.info.type == CAIRN_FIXED && track.first_frame != frame->frame)
			continue;
		write_key(out, row, last);
	}
}

bool cn_traj_write(cn_export *e, cairn_error *error)
{
	cn_out *out = &e->out;
	cn_out_text(out, "trajectory 1\n");
	for (uint32_t i = 0; i < cairn_scene_shape_count(e->scene); ++i) {
		cairn_shape_def def = cairn_scene_shape_at(e->scene, i);
		write_shape(out, &def);
	}
	for (uint32_t i = 0; i < e->info.bodies; ++i)
		write_body(e, i);
	for (uint32_t i = 0; i < cairn_recording_exempt_count(e->recording); ++i) {
		uint32_t a, b;
		cairn_recording_exempt(e->recording, i, &a, &b);
		cn_out_format(out, "exempt %" PRIu32 " %" PRIu32 "\n", a, b);
	}
	cn_export_stage(e, cn_export_frames(e), cn_export_frames(e));
	for (uint32_t i = 0; i < cn_export_frames(e); ++i) {
		cairn_frame frame;
		if (!cn_export_read(e, e->from + i, &frame, error))
			return false;
		write_frame(e, &frame, i == 0);
	}
	cn_out_text(out, "end\n");
	return true;
}
