/* USD as text (.usda), one Xform for each body with its keys as time samples. USD takes +Z up, so numbers are the
 * scene's own; time codes are frame numbers, and keys inside a frame have fractional ones. Between samples places are
 * interpolated linearly and turns spherically, as in the recording. A body that comes or goes is invisible while it is
 * not there.
 *
 * Every body has its own copy of its mesh: readers that do not follow references inside a file show it all the same,
 * and beside the samples of a few hundred frames a mesh is small. */
#include "io/export_mesh.h"

#include <inttypes.h>
#include <string.h>

/* Nine decimals: finer than the floats of a quatf. */
static void write_turn(cn_out *out, quat q)
{
	const double parts[] = {q.w, q.x, q.y, q.z};
	for (int i = 0; i < 4; ++i) {
		cn_out_text(out, i ? ", " : "(");
		cn_out_number(out, floor(parts[i] * 1e9 + 0.5) / 1e9);
	}
	cn_out_text(out, ")");
}

static void write_place(cn_out *out, v3 v) { cn_out_v3(out, v, "(", ", ", ")"); }

/* Coordinates that are floats in the end, rounded to steps of 1 / grain: short to write, no coarser than a float. */
static void write_floats(cn_out *out, const float *x, double grain)
{
	v3 v = {floor((double)x[0] * grain + 0.5) / grain, floor((double)x[1] * grain + 0.5) / grain,
	        floor((double)x[2] * grain + 0.5) / grain};
	write_place(out, v);
}

/* A power of ten by which coordinates up to size become numbers of eight digits; 1 at least. */
static double find_grain(double size)
{
	double grain = 1;
	while (size > 0 && size * grain < 1e7)
		grain *= 10;
	return grain;
}

static void write_header(cn_export *e)
{
	cn_out *out = &e->out;
	cn_out_text(out, "#usda 1.0\n(\n\tcustomLayerData = {\n\t\tstring generator = \"cairn ");
	cn_out_text(out, cairn_version());
	cn_out_format(out, "\"\n\t\tstring hash = \"%016" PRIx64 "\"\n\t}\n\tdefaultPrim = \"World\"\n", e->info.hash);
	cn_out_format(out, "\tendTimeCode = %" PRIu32 "\n\tframesPerSecond = ", e->to);
	cn_out_number(out, e->fps);
	cn_out_format(out, "\n\tmetersPerUnit = 1\n\tstartTimeCode = %" PRIu32 "\n\ttimeCodesPerSecond = ", e->from);
	cn_out_number(out, e->fps);
	cn_out_text(out, "\n\tupAxis = \"Z\"\n)\n\ndef Xform \"World\"\n{\n");
}

static void write_still(cn_out *out, pose place)
{
	cn_out_text(out, "\t\tdouble3 xformOp:translate = ");
	write_place(out, place.position);
	cn_out_text(out, "\n\t\tquatf xformOp:orient = ");
	write_turn(out, q_unit(place.orientation));
	cn_out_text(out, "\n");
}

static void write_samples(cn_export *e, uint32_t track)
{
	const cn_export_key *keys = cn_export_track_keys(e, track);
	uint32_t count = e->tracks[track].keys;
	cn_out *out = &e->out;
	cn_out_text(out, "\t\tdouble3 xformOp:translate.timeSamples = {\n");
	for (uint32_t i = 0; i < count; ++i) {
		cn_out_text(out, "\t\t\t");
		cn_out_number(out, keys[i].frame);
		cn_out_text(out, ": ");
		write_place(out, keys[i].position);
		cn_out_text(out, ",\n");
	}
	cn_out_text(out, "\t\t}\n\t\tquatf xformOp:orient.timeSamples = {\n");
	for (uint32_t i = 0; i < count; ++i) {
		cn_out_text(out, "\t\t\t");
		cn_out_number(out, keys[i].frame);
		cn_out_text(out, ": ");
		write_turn(out, keys[i].orientation);
		cn_out_text(out, ",\n");
	}
	cn_out_text(out, "\t\t}\n");
}

static void write_visibility(cn_export *e, const cn_export_track *t)
{
	cn_out *out = &e->out;
	if (!cn_export_track_late(e, t) && t->last >= e->to)
		return;
	cn_out_text(out, "\t\ttoken visibility.timeSamples = {\n");
	if (cn_export_track_late(e, t))
		cn_out_format(out, "\t\t\t%" PRIu32 ": \"invisible\",\n", e->from);
	cn_out_text(out, "\t\t\t");
	cn_out_number(out, t->frame);
	cn_out_text(out, ": \"inherited\",\n");
	if (t->last < e->to) {
		cn_out_text(out, "\t\t\t");
		cn_out_number(out, t->last + CN_EXPORT_LINGER);
		cn_out_text(out, ": \"invisible\",\n");
	}
	cn_out_text(out, "\t\t}\n");
}

#define BY_VERTEX "] (\n\t\t\t\tinterpolation = \"vertex\"\n\t\t\t)\n"

static bool is_first(const cn_export_mesh *mesh, uint32_t vertex)
{
	return memcmp(mesh->vertices[vertex].color, mesh->vertices[0].color, sizeof mesh->vertices[0].color) == 0;
}

/* Two colours, and which of them each vertex has. */
static void write_stripes(cn_out *out, const cn_export_mesh *mesh)
{
	uint32_t other = 0;
	while (other + 1 < mesh->vertex_count && is_first(mesh, other))
		++other;
	write_floats(out, mesh->vertices[0].color, 1e6);
	cn_out_text(out, ", ");
	write_floats(out, mesh->vertices[other].color, 1e6);
	cn_out_text(out, BY_VERTEX "\t\t\tint[] primvars:displayColor:indices = [");
	for (uint32_t i = 0; i < mesh->vertex_count; ++i)
		cn_out_text(out, i == 0 ? "0" : is_first(mesh, i) ? ", 0" : ", 1");
	cn_out_text(out, "]\n");
}

/* Texture coordinates where it has them, and colours, its own or that of its body. */
static void write_paint(cn_out *out, const cn_export_mesh *mesh, cairn_color shown)
{
	if (mesh->has_uvs)
		cn_out_text(out, "\t\t\ttexCoord2f[] primvars:st = [");
	for (uint32_t i = 0; mesh->has_uvs && i < mesh->vertex_count; ++i) {
		cn_out_text(out, i ? ", (" : "(");
		cn_out_number(out, (double)mesh->vertices[i].uv[0]);
		cn_out_text(out, ", ");
		cn_out_number(out, (double)mesh->vertices[i].uv[1]);
		cn_out_text(out, ")");
	}
	cn_out_text(out, mesh->has_uvs ? BY_VERTEX : "");
	cn_out_text(out, "\t\t\tcolor3f[] primvars:displayColor = [");
	if (mesh->striped) {
		write_stripes(out, mesh);
		return;
	}
	if (!mesh->has_colors)
		write_place(out, v3_make(shown.r, shown.g, shown.b));
	for (uint32_t i = 0; mesh->has_colors && i < mesh->vertex_count; ++i) {
		cn_out_text(out, i ? ", " : "");
		write_floats(out, mesh->vertices[i].color, 1e6);
	}
	cn_out_text(out, mesh->has_colors ? BY_VERTEX : "]\n");
}

static void write_mesh(cn_export *e, const cn_export_mesh *mesh, uint32_t track, bool two_sided)
{
	cn_out *out = &e->out;
	cairn_body_info body = cairn_recording_track(e->recording, track).info;
	double opacity = cn_export_opacity(e, track);
	cn_out_format(out, "\n\t\tdef Mesh \"shape\"\n\t\t{\n\t\t\tuniform bool doubleSided = %d\n", two_sided);
	v3 least = v3_make(INFINITY, INFINITY, INFINITY), most = v3_neg(least);
	for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
		const float *x = mesh->vertices[i].point;
		v3 p = v3_make((double)x[0], (double)x[1], (double)x[2]);
		least = v3_least(least, p);
		most = v3_most(most, p);
	}
	double grain = find_grain(v3_max(v3_most(v3_abs(least), v3_abs(most))));
	cn_out_text(out, "\t\t\tfloat3[] extent = [");
	write_floats(out, (float[]){(float)least.x, (float)least.y, (float)least.z}, grain);
	cn_out_text(out, ", ");
	write_floats(out, (float[]){(float)most.x, (float)most.y, (float)most.z}, grain);
	cn_out_text(out, "]\n\t\t\tint[] faceVertexCounts = [");
	for (uint32_t i = 0; i < mesh->index_count; i += 3)
		cn_out_text(out, i ? ", 3" : "3");
	cn_out_text(out, "]\n\t\t\tint[] faceVertexIndices = [");
	for (uint32_t i = 0; i < mesh->index_count; ++i)
		cn_out_format(out, "%s%" PRIu32, i ? ", " : "", mesh->triangles[i]);
	cn_out_text(out, "]\n\t\t\tnormal3f[] normals = [");
	for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
		cn_out_text(out, i ? ", " : "");
		write_floats(out, mesh->vertices[i].normal, 1e6);
	}
	cn_out_text(out, "] (\n\t\t\t\tinterpolation = \"vertex\"\n\t\t\t)\n\t\t\tpoint3f[] points = [");
	for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
		cn_out_text(out, i ? ", " : "");
		write_floats(out, mesh->vertices[i].point, grain);
	}
	cn_out_text(out, "]\n");
	write_paint(out, mesh, cairn_shown_color(&body));
	if (opacity < 1) {
		cn_out_text(out, "\t\t\tfloat[] primvars:displayOpacity = [");
		cn_out_number(out, opacity);
		cn_out_text(out, "]\n");
	}
	cn_out_text(out, "\t\t\tuniform token subdivisionScheme = \"none\"\n\t\t}\n");
}

static bool write_body(cn_export *e, cn_meshes *meshes, uint32_t track, const char *name, cairn_error *error)
{
	const cn_export_track *t = e->tracks + track;
	cairn_body_info body = cairn_recording_track(e->recording, track).info;
	cairn_shape_def def = cairn_scene_shape_at(e->scene, cairn_shown_shape(&body, NULL).index);
	uint32_t mesh = cn_meshes_add(e, meshes, &body, error);
	if (mesh == UINT32_MAX)
		return false;
	cn_out *out = &e->out;
	cn_out_text(out, "\tdef Xform \"");
	cn_out_text(out, name);
	cn_out_format(out, "\" (\n\t\tcustomData = {\n\t\t\tint body = %" PRIu32 "\n\t\t\tstring name = ", track);
	cn_out_quote(out, body.name);
	cn_out_text(out, "\n\t\t}\n\t)\n\t{\n");
	if (t->moves)
		write_samples(e, track);
	else
		write_still(out, t->start);
	write_visibility(e, t);
	cn_out_text(out, "\t\tuniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
	write_mesh(e, meshes->all + mesh, track, def.kind == CAIRN_MESH && (def.shell || def.visual));
	cn_out_text(out, "\t}\n\n");
	return true;
}

static void write_camera_samples(cn_export *e, const pose *places)
{
	static const char *const names[] = {"double3 xformOp:translate", "quatf xformOp:orient"};
	cn_out *out = &e->out;
	for (int what = 0; what < 2; ++what) {
		cn_out_format(out, "\t\t%s.timeSamples = {\n", names[what]);
		for (uint32_t i = 0; i < cn_export_frames(e); ++i) {
			cn_out_format(out, "\t\t\t%" PRIu32 ": ", e->from + i);
			if (what == 0)
				write_place(out, places[i].position);
			else
				write_turn(out, places[i].orientation);
			cn_out_text(out, ",\n");
		}
		cn_out_text(out, "\t\t}\n");
	}
}

/* Apertures and focal length are tenths of the unit: a picture of 36 x 24 for any unit. */
static bool write_camera(cn_export *e, cairn_error *error)
{
	cairn_view view = e->view;
	pose *places = NULL;
	cn_out *out = &e->out;
	if (!view.has_camera)
		return true;
	double distance = v3_distance(view.camera_position, view.camera_target);
	cn_out_text(out, "\tdef Camera \"camera\"\n\t{\n\t\tfloat2 clippingRange = (");
	cn_out_number(out, distance > 0 ? distance * 0.001 : 0.001);
	cn_out_text(out, ", ");
	cn_out_number(out, distance > 0 ? distance * 1000 : 1000);
	cn_out_text(out, ")\n\t\tfloat focalLength = ");
	cn_out_number(out, 12 / cn_tan(0.5 * view.camera_fov));
	cn_out_text(out, "\n\t\tfloat horizontalAperture = 36\n\t\tfloat verticalAperture = 24\n"
	                 "\t\ttoken projection = \"perspective\"\n");
	bool ok = !cn_camera_moves(&view) || cn_camera_gather(e, &places, error);
	if (places && ok)
		write_camera_samples(e, places);
	else
		write_still(out, (pose){view.camera_position, cn_export_camera(&view)});
	cn_camera_free(e, places);
	cn_out_text(out, "\t\tuniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n\t}\n\n");
	return ok;
}

/* It shines along -z. USD's distant light lights a surface that faces it by its intensity, as seen: of half a degree. */
static void write_light(cn_export *e)
{
	cn_out *out = &e->out;
	cairn_color color;
	if (!e->view.has_light)
		return;
	double brightness = cn_export_brightness(&e->view, &color);
	cn_out_text(out, "\tdef DistantLight \"light\"\n\t{\n\t\tfloat inputs:angle = 0.53\n\t\tcolor3f inputs:color = ");
	write_place(out, v3_make(color.r, color.g, color.b));
	cn_out_text(out, "\n\t\tfloat inputs:intensity = ");
	cn_out_number(out, CN_EXPORT_SUN * brightness);
	cn_out_text(out, "\n\t\tbool inputs:normalize = 1\n\t\tquatf xformOp:orient = ");
	write_turn(out, cn_export_light(&e->view));
	cn_out_text(out, "\n\t\tuniform token[] xformOpOrder = [\"xformOp:orient\"]\n\t}\n\n");
}

static void write_rod_number(cn_out *out, const cn_rod_key *key, int what)
{
	if (what == 0)
		write_place(out, v3_add(key->place, q_rotate(key->turn, v3_make(0, 0, 0.5 * key->length))));
	else if (what == 1)
		write_turn(out, key->turn);
	else
		write_place(out, v3_make(key->length > 0 ? 1 : 0, key->length > 0 ? 1 : 0, key->length));
}

/* A cylinder of length 1 about its middle, as long as its ends are apart in each frame. */
static void write_rod(cn_export *e, const cn_rod_key *keys, uint32_t number)
{
	static const char *const names[] = {"double3 xformOp:translate", "quatf xformOp:orient", "float3 xformOp:scale"};
	cn_out *out = &e->out;
	cn_out_format(out, "\t\tdef Cylinder \"rod_%" PRIu32 "\"\n\t\t{\n\t\t\tuniform token axis = \"Z\"\n", number);
	cn_out_text(out, "\t\t\tdouble height = 1\n\t\t\tdouble radius = ");
	cn_out_number(out, e->def->rod_radius);
	cn_out_text(out, "\n\t\t\tcolor3f[] primvars:displayColor = [");
	write_place(out, v3_make(CN_ROD_COLOR.r, CN_ROD_COLOR.g, CN_ROD_COLOR.b));
	cn_out_text(out, "]\n");
	for (int what = 0; what < 3; ++what) {
		cn_out_format(out, "\t\t\t%s.timeSamples = {\n", names[what]);
		for (uint32_t i = 0; i < cn_export_frames(e); ++i) {
			cn_out_format(out, "\t\t\t\t%" PRIu32 ": ", e->from + i);
			write_rod_number(out, keys + i, what);
			cn_out_text(out, ",\n");
		}
		cn_out_text(out, "\t\t\t}\n");
	}
	cn_out_text(out,
	            "\t\t\tuniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\", \"xformOp:scale\"]\n"
	            "\t\t}\n");
}

static bool write_rods(cn_export *e, cairn_error *error)
{
	cn_rod_key *keys;
	if (e->def->rod_count == 0)
		return true;
	bool ok = cn_rods_gather(e, &keys, error);
	cn_out_text(&e->out, "\tdef Xform \"rods\"\n\t{\n");
	for (uint32_t i = 0; ok && i < e->def->rod_count; ++i)
		write_rod(e, keys + (size_t)i * cn_export_frames(e), i);
	cn_out_text(&e->out, "\t}\n\n");
	cn_rods_free(e, keys);
	return ok;
}

static bool write_bodies(cn_export *e, cn_meshes *meshes, char **names, cairn_error *error)
{
	for (uint32_t first = 0, end; first < e->info.bodies; first = end) {
		if (!cn_export_gather(e, first, &end, error))
			return false;
		for (uint32_t i = first; i < end; ++i)
			if (e->tracks[i].keys && !write_body(e, meshes, i, names[i], error))
				return false;
	}
	return true;
}

bool cn_usda_write(cn_export *e, cairn_error *error)
{
	cn_meshes meshes;
	if (!cn_export_survey(e, error))
		return false;
	cn_export_hide(e);
	char **names = cn_export_names(e, true);
	if (!names)
		return cn_fail_memory(error);
	cn_meshes_begin(e, &meshes);
	write_header(e);
	bool ok = write_camera(e, error);
	write_light(e);
	ok = ok && write_bodies(e, &meshes, names, error) && write_rods(e, error);
	cn_out_text(&e->out, "}\n");
	cn_meshes_free(e, &meshes);
	cn_export_names_free(e, names);
	return ok;
}
