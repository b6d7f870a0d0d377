#include "export_look.h"
#include "message.h"
#include "render_math.h"
#include "render_stage.h"
#include "rods.h"

#include <stdlib.h>

static const double GLASS = 0.15; /* opacity of what stands before what moves: a picture's glass with its edges */
static const double GRAIN =
	1e-6; /* of the distance: what a chosen camera's place is rounded to, the same on every machine */

static cairn_vec3 rounded(cairn_vec3 v, double grain)
{
	return vec(grain * floor(v.x / grain + 0.5), grain * floor(v.y / grain + 0.5), grain * floor(v.z / grain + 0.5));
}

static void choose_view(cairn_view *view, const render_stage *s)
{
	double away = vec_length(vec_sub(s->view.eye, s->middle)), grain = GRAIN * away;
	if (!view->has_camera) {
		view->has_camera = true;
		view->camera_position = rounded(s->view.eye, grain);
		view->camera_target = rounded(vec_sub(s->view.eye, vec_scale(away, s->view.back)), grain);
		view->camera_fov = 2 * atan(s->view.tan_y);
	}
	if (!view->has_light) {
		view->has_light = true;
		view->light_direction = rounded(vec_scale(-1, s->sun), GRAIN);
		view->light_color = s->light;
	}
}

static double opacity_of(stage_role role)
{
	return role == STAGE_UNSEEN ? 0 : role == STAGE_GLASS || role == STAGE_PANEL ? GLASS : 1;
}

static void find_rods(export_look *look, const cairn_recording *recording, cairn_export_def *def)
{
	const cairn_scene *scene = cairn_recording_scene(recording);
	uint32_t joints = cairn_scene_joint_count(scene);
	uint32_t *tracks = memory_resize(NULL, ((size_t)cairn_scene_body_count(scene) + 1) * sizeof *tracks);
	rods_find_tracks(recording, tracks);
	look->rods = memory_resize(NULL, (2 * (size_t)joints + 1) * sizeof *look->rods);
	for (uint32_t i = 0; i < joints; ++i)
		def->rod_count += rods_of(scene, tracks, i, &look->rods[def->rod_count]);
	def->rods = look->rods;
	if (def->rod_count)
		def->rod_radius = rods_radius(scene, tracks);
	free(tracks);
}

static bool open_stage(render_stage *stage, cairn_recording *recording, uint32_t from, uint32_t to, cairn_error *error)
{
	render_def picture = render_default_def(recording);
	picture.from = from;
	picture.to = to;
	return stage_open(stage, recording, &picture, error);
}

bool export_look_view(cairn_view *view, cairn_recording *recording, uint32_t from, uint32_t to, cairn_error *error)
{
	render_stage stage;
	if (!open_stage(&stage, recording, from, to, error))
		return false;
	choose_view(view, &stage);
	stage_close(&stage);
	return true;
}

bool export_look_open(export_look *look, cairn_recording *recording, cairn_export_def *def, cairn_error *error)
{
	render_stage stage;
	*look = (export_look){.view = cairn_scene_view(cairn_recording_scene(recording))};
	if (!open_stage(&stage, recording, def->from, def->to, error))
		return false;
	choose_view(&look->view, &stage);
	look->opacity = memory_resize(NULL, (stage.track_count + 1) * sizeof *look->opacity);
	for (uint32_t i = 0; i < stage.track_count; ++i)
		look->opacity[i] = opacity_of(stage.tracks[i].role);
	stage_close(&stage);
	def->view = &look->view;
	def->opacity = look->opacity;
	find_rods(look, recording, def);
	return true;
}

void export_look_close(export_look *look)
{
	free(look->opacity);
	free(look->rods);
	*look = (export_look){0};
}
