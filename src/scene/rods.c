/* What holds bodies from afar, as something to be seen: ropes between two points, and the arm of a body that hangs on a
 * point beyond it. Joints at or in their bodies are seen by what those do. */
#include "scene/scene.h"

static const double BEYOND = 0.1;   /* of a body's diagonal: how far outside its box a point is not its own any more */
static const double SLACK = 0.01;   /* of its length: what a joint that holds may be off */
static const double THICK = 0.0125; /* of the diagonal of what hangs on it */

static cairn_box box_of(const cairn_scene *s, cairn_body body)
{
	return cairn_scene_shape_facts(s, cairn_scene_body_at(s, body.index).shape).box;
}

static bool may_move(const cairn_scene *s, cairn_body body)
{
	return body.generation && cairn_scene_body_at(s, body.index).type != CAIRN_FIXED;
}

/* A place of the start on a body, or where it is if there is none. */
static cairn_rod_end end_on(const cairn_scene *s, cairn_body body, v3 point)
{
	if (!body.generation)
		return (cairn_rod_end){UINT32_MAX, point};
	pose p = cairn_scene_body_at(s, body.index).pose;
	return (cairn_rod_end){body.index, q_unrotate(p.orientation, v3_sub(point, p.position))};
}

static cairn_rod make_rod(cairn_rod_end from, cairn_rod_end to, double low, double high)
{
	double off = SLACK * high;
	return (cairn_rod){{from, to}, low - off, high + off};
}

static bool is_beyond(cairn_box box, v3 at)
{
	v3 in = {fmin(fmax(at.x, box.min.x), box.max.x), fmin(fmax(at.y, box.min.y), box.max.y),
	         fmin(fmax(at.z, box.min.z), box.max.z)};
	return v3_distance(at, in) > BEYOND * v3_distance(box.max, box.min);
}

/* From the middle of a body to where a joint holds the other one, if that is not at the body itself. */
static bool find_arm(const cairn_scene *s, v3 point, cairn_body body, cairn_body other, cairn_rod *to)
{
	if (!may_move(s, body))
		return false;
	v3 here = end_on(s, body, point).at;
	if (!is_beyond(box_of(s, body), here))
		return false;
	v3 middle = cairn_scene_shape_facts(s, cairn_scene_body_at(s, body.index).shape).center;
	double length = v3_distance(here, middle);
	*to = make_rod((cairn_rod_end){body.index, middle}, end_on(s, other, point), length, length);
	return true;
}

uint32_t cairn_scene_rods(const cairn_scene *scene, uint32_t joint, cairn_rod rods[2])
{
	cairn_joint_def d = cairn_scene_joint_at(scene, joint);
	uint32_t count = 0;
	if (d.type == CAIRN_DISTANCE) {
		double length = v3_distance(d.point, d.point_b);
		rods[0] = make_rod(end_on(scene, d.a, d.point), end_on(scene, d.b, d.point_b), d.has_limits ? d.low : length,
		                   d.has_limits ? d.high : length);
		return 1;
	}
	if (d.type == CAIRN_PULLEY) { /* each part of the rope is as long as the other leaves it */
		rods[0] = make_rod(end_on(scene, d.a, d.point), (cairn_rod_end){UINT32_MAX, d.over}, 0, d.high);
		rods[1] = make_rod(end_on(scene, d.b, d.point_b), (cairn_rod_end){UINT32_MAX, d.over_b}, 0, d.high / d.ratio);
		return 2;
	}
	if (d.type != CAIRN_BALL && d.type != CAIRN_HINGE)
		return 0;
	count += find_arm(scene, d.point, d.a, d.b, &rods[count]);
	count += find_arm(scene, d.point, d.b, d.a, &rods[count]);
	return count;
}

double cairn_scene_rod_radius(const cairn_scene *scene, uint32_t joint)
{
	cairn_rod rods[2];
	cairn_joint_def d = cairn_scene_joint_at(scene, joint);
	cairn_body held[2] = {d.a, d.b};
	double least = INFINITY;
	if (cairn_scene_rods(scene, joint, rods) == 0)
		return 0;
	for (int i = 0; i < 2; ++i)
		if (may_move(scene, held[i])) {
			cairn_box box = box_of(scene, held[i]);
			least = fmin(least, THICK * v3_distance(box.max, box.min));
		}
	return isfinite(least) ? least : 0;
}
