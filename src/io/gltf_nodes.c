/* The nodes of a .glb: bodies, the camera, the light, rods; and what the last three are. */
#include "base/trig.h"
#include "io/gltf.h"

#include <inttypes.h>

/* A pose as floats, in glTF's axes and order (x, y, z, w). False when a float cannot hold it. */
bool cn_gltf_floats(v3 position, quat orientation, float translation[3], float rotation[4])
{
	v3 p = cn_gltf_up(position);
	quat q = cn_gltf_up_q(orientation);
	if (!(fabs(p.x) <= FLT_MAX && fabs(p.y) <= FLT_MAX && fabs(p.z) <= FLT_MAX))
		return false;
	translation[0] = (float)p.x, translation[1] = (float)p.y, translation[2] = (float)p.z;
	rotation[0] = (float)q.x, rotation[1] = (float)q.y, rotation[2] = (float)q.z, rotation[3] = (float)q.w;
	return true;
}

bool cn_gltf_fail_far(const cn_gltf *g, uint32_t track, double time, cairn_error *error)
{
	return cn_fail(error, CAIRN_FAILED, "",
	               "body \"%.100s\" is too far away at %.6g s for the 32-bit numbers of a .glb", g->names[track], time);
}

static void write_floats(cn_out *out, const char *name, const float *x, int count)
{
	cn_out_format(out, ",\"%s\":[", name);
	for (int i = 0; i < count; ++i) {
		cn_out_text(out, i ? "," : "");
		cn_out_number(out, (double)x[i]);
	}
	cn_out_text(out, "]");
}

static bool write_node(cn_gltf *g, uint32_t track, cairn_error *error)
{
	const cn_export_track *t = g->e->tracks + track;
	float translation[3], rotation[4];
	if (!cn_gltf_floats(t->start.position, q_unit(t->start.orientation), translation, rotation))
		return cn_gltf_fail_far(g, track, t->time, error);
	cn_out_text(g->out, g->placed[track].node ? ",{\"name\":" : "{\"name\":");
	cn_out_quote(g->out, g->names[track]);
	cn_out_format(g->out, ",\"mesh\":%" PRIu32, g->placed[track].mesh);
	write_floats(g->out, "translation", translation, 3);
	write_floats(g->out, "rotation", rotation, 4);
	if (cn_export_track_late(g->e, t))
		cn_out_text(g->out, ",\"scale\":[0,0,0]");
	v3 center = cn_gltf_up(cairn_recording_track(g->e->recording, track).info.center);
	cn_out_format(g->out, ",\"extras\":{\"body\":%" PRIu32 ",\"center\":[", track);
	const double parts[3] = {center.x, center.y, center.z};
	for (int i = 0; i < 3; ++i) {
		cn_out_text(g->out, i ? "," : "");
		cn_out_number(g->out, parts[i]);
	}
	cn_out_text(g->out, "]}}");
	return true;
}

/* Cameras and lights have glTF's axes already (x right, y up, looking and shining along -z): only the world around them
 * turns. */
static void turn_look(quat look, float turn[4])
{
	const quat up = {sqrt(0.5), -sqrt(0.5), 0, 0};
	quat q = q_mul(up, look);
	turn[0] = (float)q.x, turn[1] = (float)q.y, turn[2] = (float)q.z, turn[3] = (float)q.w;
}

static void write_look(cn_gltf *g, quat look)
{
	float turn[4];
	turn_look(look, turn);
	write_floats(g->out, "rotation", turn, 4);
}

void cn_gltf_camera_floats(const pose *at, float place[3], float turn[4])
{
	float unused[4];
	(void)cn_gltf_floats(at->position, q_identity(), place, unused);
	turn_look(at->orientation, turn);
}

static bool write_camera_node(cn_gltf *g, const char *comma, cairn_error *error)
{
	const cairn_view *view = &g->e->view;
	float translation[3], rotation[4];
	if (!cn_gltf_floats(view->camera_position, q_identity(), translation, rotation))
		return cn_fail(error, CAIRN_FAILED, "", "the camera is too far away for the 32-bit numbers of a .glb");
	cn_out_format(g->out, "%s{\"name\":\"camera\",\"camera\":0", comma);
	write_floats(g->out, "translation", translation, 3);
	write_look(g, cn_export_camera(view));
	cn_out_text(g->out, "}");
	return true;
}

static void write_light_node(cn_gltf *g, const char *comma)
{
	cn_out_format(g->out, "%s{\"name\":\"light\",\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}", comma);
	write_look(g, cn_export_light(&g->e->view));
	cn_out_text(g->out, "}");
}

uint32_t cn_gltf_count_nodes(const cn_gltf *g)
{
	return g->nodes + (g->e->view.has_camera ? 1 : 0) + (g->e->view.has_light ? 1 : 0) + g->e->def->rod_count;
}

uint32_t cn_gltf_first_rod(const cn_gltf *g) { return cn_gltf_count_nodes(g) - g->e->def->rod_count; }

void cn_gltf_rod_floats(const cn_rod_key *key, float place[3], float turn[4], float scale[3])
{
	float thick = key->length > 0 ? 1 : 0;
	(void)cn_gltf_floats(key->place, key->turn, place, turn);
	scale[0] = scale[2] = thick, scale[1] = (float)key->length; /* a tube along z is one along glTF's y */
}

static void write_rod_nodes(cn_gltf *g)
{
	for (uint32_t i = 0; i < g->e->def->rod_count; ++i) {
		float place[3], turn[4], scale[3];
		cn_gltf_rod_floats(g->rods + (size_t)i * cn_export_frames(g->e), place, turn, scale);
		cn_out_format(g->out, "%s{\"name\":\"rods.%" PRIu32 "\",\"mesh\":%" PRIu32, cn_gltf_first_rod(g) + i ? "," : "",
		              i, g->rod_mesh);
		write_floats(g->out, "translation", place, 3);
		write_floats(g->out, "rotation", turn, 4);
		write_floats(g->out, "scale", scale, 3);
		cn_out_text(g->out, "}");
	}
}

bool cn_gltf_write_nodes(cn_gltf *g, cairn_error *error)
{
	const cairn_view *view = &g->e->view;
	if (cn_gltf_count_nodes(g) == 0)
		return true;
	cn_out_text(g->out, ",\"nodes\":[");
	for (uint32_t i = 0; i < g->e->info.bodies; ++i)
		if (g->placed[i].node != CN_NONE && !write_node(g, i, error))
			return false;
	if (view->has_camera && !write_camera_node(g, g->nodes ? "," : "", error))
		return false;
	if (view->has_light)
		write_light_node(g, g->nodes || view->has_camera ? "," : "");
	write_rod_nodes(g);
	cn_out_text(g->out, "]");
	return true;
}

/* A surface shows albedo / pi of what falls on it, and a watt is 683 lumens, as Blender has it: lux. */
void cn_gltf_write_view(cn_gltf *g)
{
	const cairn_view *view = &g->e->view;
	double distance = v3_distance(view->camera_position, view->camera_target);
	if (view->has_camera) {
		cn_out_text(g->out, ",\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":");
		cn_out_number(g->out, view->camera_fov);
		cn_out_text(g->out, ",\"znear\":");
		cn_out_number(g->out, distance > 0 ? distance * 0.001 : 0.001);
		cn_out_text(g->out, "}}]");
	}
	if (view->has_light) {
		cairn_color color;
		double brightness = cn_export_brightness(view, &color);
		cn_out_text(g->out, ",\"extensionsUsed\":[\"KHR_lights_punctual\"],\"extensions\":{\"KHR_lights_punctual\":"
		                    "{\"lights\":[{\"name\":\"light\",\"type\":\"directional\",\"color\":");
		cn_out_v3(g->out, v3_make(color.r, color.g, color.b), "[", ",", "],\"intensity\":");
		cn_out_number(g->out, floor(CN_EXPORT_SUN * CN_PI * 683 * brightness));
		cn_out_text(g->out, "}]}}");
	}
}
