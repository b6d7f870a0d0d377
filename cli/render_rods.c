/* Ropes and arms: a tube of one thickness, as long as its ends are apart. */
#include "message.h"
#include "render_math.h"
#include "render_parts.h"

#include <stdlib.h>

static const double HALF_PIXELS = 0.8; /* the least radius of a rod in the picture */
static const float STEEL[3] = {0.10f, 0.105f, 0.115f};

void rods_open(renderer *r)
{
	rod_set *s = &r->rods;
	const cairn_scene *scene = r->stage.scene;
	uint32_t joints = cairn_scene_joint_count(scene);
	uint32_t *tracks = memory_resize(NULL, ((size_t)cairn_scene_body_count(scene) + 1) * sizeof *tracks);
	rods_find_tracks(r->stage.recording, tracks);
	s->items = memory_resize(NULL, (2 * (size_t)joints + 1) * sizeof *s->items);
	for (uint32_t i = 0; i < joints; ++i)
		s->count += rods_of(scene, tracks, i, &s->items[s->count]);
	s->pose_of = memory_resize(NULL, (r->stage.track_count + 1) * sizeof *s->pose_of);
	if (s->count)
		setup_tube(r, s->radius = rods_radius(scene, tracks));
	free(tracks);
}

void rods_close(renderer *r)
{
	free(r->rods.items);
	free(r->rods.pose_of);
}

/* False: the body is not there. */
static bool place_end(const renderer *r, const rod_end *e, cairn_vec3 *at)
{
	uint32_t pose = e->track == ROD_WORLD ? 0 : r->rods.pose_of[e->track];
	if (pose == UINT32_MAX)
		return false;
	*at = e->at;
	if (e->track != ROD_WORLD) {
		cairn_pose p = r->stage.poses[pose].pose;
		*at = vec_add(p.position, quat_turn(p.orientation, e->at));
	}
	return true;
}

static void put_column(instance *to, int column, cairn_vec3 v)
{
	to->rows[0][column] = (float)v.x;
	to->rows[1][column] = (float)v.y;
	to->rows[2][column] = (float)v.z;
}

/* How much thicker than it is a rod is drawn: a string that is thinner than a pixel would fall into dashes. */
static double thicken(const renderer *r, cairn_vec3 from, cairn_vec3 way)
{
	const stage_view *v = &r->stage.view;
	double depth = vec_dot(vec_sub(v->eye, vec_add(from, vec_scale(0.5, way))), v->back);
	double pixel = 2 * v->tan_y * fmax(depth, v->near) / r->def.height;
	return fmax(1, HALF_PIXELS * pixel / r->rods.radius);
}

static void add_rod(renderer *r, cairn_vec3 from, cairn_vec3 way)
{
	instance *to = &r->instances[r->instance_count++];
	double thick = thicken(r, from, way);
	cairn_vec3 along = vec_unit(way), across = vec_scale(thick, vec_across(along));
	put_column(to, 0, across);
	put_column(to, 1, vec_cross(along, across));
	put_column(to, 2, way);
	put_column(to, 3, render_about(r, from));
	for (int i = 0; i < 3; ++i)
		to->color[i] = STEEL[i];
	to->color[3] = 1;
}

void rods_collect(renderer *r)
{
	rod_set *s = &r->rods;
	const stage_view *v = &r->stage.view;
	batch made = {.mesh = &s->tube, .first = r->instance_count};
	if (s->count == 0)
		return;
	for (uint32_t i = 0; i < r->stage.track_count; ++i)
		s->pose_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < r->stage.pose_count; ++i)
		s->pose_of[r->stage.poses[i].track] = i;
	for (uint32_t i = 0; i < s->count; ++i) {
		cairn_vec3 ends[2];
		if (!place_end(r, &s->items[i].ends[0], &ends[0]) || !place_end(r, &s->items[i].ends[1], &ends[1]))
			continue;
		cairn_vec3 way = vec_sub(ends[1], ends[0]);
		if (!rod_holds(&s->items[i], vec_length(way)))
			continue;
		add_rod(r, ends[0], way);
		made.away += vec_dot(vec_sub(v->eye, ends[0]), v->back);
		++made.count;
	}
	if (made.count)
		r->solid[r->solid_count++] = made;
}
