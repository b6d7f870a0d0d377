/* A scene, its shapes and its bodies as JSON for the page. Shapes come as triangles, so that the page needs to know
 * none of their kinds but the half-space. */
#include "rods.h"
#include "view.h"

/* How far the triangles of a round shape may lie inside it, as a part of its radius; many bodies get fewer triangles. */
static double tolerance(const cairn_scene *scene)
{
	uint32_t count = cairn_scene_body_count(scene);
	return count > 500 ? 0.04 : count > 100 ? 0.02 : 0.01;
}

static void write_quat(json *j, const char *key, cairn_quat q)
{
	json_open(j, key, '[');
	json_number(j, NULL, q.w);
	json_number(j, NULL, q.x);
	json_number(j, NULL, q.y);
	json_number(j, NULL, q.z);
	json_close(j, ']');
}

static void write_color(json *j, const char *key, cairn_color c) { json_vec3(j, key, (cairn_vec3){c.r, c.g, c.b}); }

static void write_place(json *j, cairn_vec3 position, cairn_vec3 target, double fov)
{
	json_vec3(j, "position", position);
	json_vec3(j, "target", target);
	json_number(j, "fov", fov);
}

static void write_camera(json *j, const cairn_view *v, const uint32_t *tracks)
{
	json_open(j, "camera", '{');
	write_place(j, v->camera_position, v->camera_target, v->camera_fov);
	if (v->camera_follow.generation)
		json_count(j, "follow", tracks ? tracks[v->camera_follow.index] : v->camera_follow.index);
	if (v->camera_key_count)
		json_open(j, "keys", '[');
	for (uint32_t i = 0; i < v->camera_key_count; ++i) {
		json_open(j, NULL, '{');
		json_number(j, "time", v->camera_keys[i].time);
		write_place(j, v->camera_keys[i].position, v->camera_keys[i].target, v->camera_keys[i].fov);
		json_close(j, '}');
	}
	if (v->camera_key_count)
		json_close(j, ']');
	json_close(j, '}');
}

void view_write_scene(json *j, const cairn_scene *scene, const cairn_view *view, const uint32_t *tracks)
{
	cairn_settings s = cairn_scene_settings(scene);
	cairn_view v = *view;
	json_text(j, "name", s.name);
	json_text(j, "description", s.description);
	json_text(j, "method", s.method);
	json_number(j, "fps", s.fps);
	json_count(j, "frames", s.frames);
	json_vec3(j, "gravity", s.gravity);
	if (v.has_camera)
		write_camera(j, &v, tracks);
	if (v.has_light) {
		json_open(j, "light", '{');
		json_vec3(j, "direction", v.light_direction);
		write_color(j, "color", v.light_color);
		json_close(j, '}');
	}
}

static void write_end(json *j, const rod_end *e)
{
	json_open(j, NULL, '{');
	json_number(j, "track", e->track == ROD_WORLD ? -1 : (double)e->track);
	json_vec3(j, "at", e->at);
	json_close(j, '}');
}

static void write_rod(json *j, const rod *r)
{
	json_open(j, NULL, '{');
	json_open(j, "ends", '[');
	write_end(j, &r->ends[0]);
	write_end(j, &r->ends[1]);
	json_close(j, ']');
	json_number(j, "low", r->low);
	json_number(j, "high", r->high);
	json_close(j, '}');
}

void view_write_rods(json *j, const cairn_scene *scene, const uint32_t *tracks)
{
	json_number(j, "rod_radius", rods_radius(scene, tracks));
	json_open(j, "rods", '[');
	for (uint32_t i = 0; i < cairn_scene_joint_count(scene); ++i) {
		rod found[2];
		uint32_t count = rods_of(scene, tracks, i, found);
		for (uint32_t k = 0; k < count; ++k)
			write_rod(j, &found[k]);
	}
	json_close(j, ']');
}

static void write_paint(json *j, const cairn_surface *surface)
{
	if (!surface->colors)
		return;
	json_open(j, "colors", '[');
	for (uint32_t i = 0; i < surface->point_count; ++i) {
		json_number(j, NULL, (double)(float)surface->colors[i].r);
		json_number(j, NULL, (double)(float)surface->colors[i].g);
		json_number(j, NULL, (double)(float)surface->colors[i].b);
	}
	json_close(j, ']');
}

static bool write_surface(json *j, const cairn_scene *scene, cairn_shape shape, cairn_error *error)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_surface surface;
	if (!cairn_scene_surface(scene, shape, tolerance(scene), 1, &allocator, &surface, error))
		return false;
	json_open(j, "points", '[');
	for (uint32_t i = 0; i < surface.point_count; ++i) {
		json_number(j, NULL, (double)(float)surface.points[i].x);
		json_number(j, NULL, (double)(float)surface.points[i].y);
		json_number(j, NULL, (double)(float)surface.points[i].z);
	}
	json_close(j, ']');
	json_open(j, "triangles", '[');
	for (size_t i = 0; i < (size_t)surface.triangle_count * 3; ++i)
		json_count(j, NULL, surface.triangles[i]);
	json_close(j, ']');
	write_paint(j, &surface);
	cairn_surface_free(&surface, &allocator);
	return true;
}

bool view_write_shapes(json *j, const cairn_scene *scene, uint32_t first, cairn_error *error)
{
	bool written = true;
	json_open(j, "shapes", '[');
	for (uint32_t i = first; i < cairn_scene_shape_count(scene) && written; ++i) {
		cairn_shape_def def = cairn_scene_shape_at(scene, i);
		json_open(j, NULL, '{');
		json_text(j, "kind", cairn_shape_kind_at(def.kind)->name);
		json_text(j, "name", def.name);
		if (def.kind == CAIRN_HALFSPACE) {
			json_vec3(j, "normal", def.normal);
			json_number(j, "offset", def.offset);
		} else {
			written = write_surface(j, scene, (cairn_shape){.index = i, .generation = 1}, error);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
	return written;
}

void view_write_body(json *j, const cairn_track *track)
{
	static const char *const types[] = {"dynamic", "fixed", "scripted"};
	const cairn_body_info *info = &track->info;
	json_open(j, NULL, '{');
	json_text(j, "name", info->name);
	json_text(j, "type", types[info->type]);
	json_count(j, "shape", info->shape.index);
	json_number(j, "mass", info->mass);
	json_vec3(j, "center", info->center);
	json_number(j, "radius", info->radius);
	write_color(j, "color", cairn_shown_color(info));
	if (info->visual.generation) {
		json_open(j, "visual", '{');
		json_count(j, "shape", info->visual.index);
		json_vec3(j, "at", info->visual_pose.position);
		write_quat(j, "turn", info->visual_pose.orientation);
		json_close(j, '}');
	}
	json_count(j, "first", track->first_frame);
	json_count(j, "last", track->last_frame);
	json_vec3(j, "at", track->first_key.position);
	write_quat(j, "turn", track->first_key.orientation);
	json_close(j, '}');
}
