#include "rods.h"
#include "render_math.h"

static const double BEYOND = 0.1;   /* of a body's diagonal: how far outside its box a point is not its own any more */
static const double SLACK = 0.01;   /* of its length: what a joint that holds may be off */
static const double THICK = 0.0125; /* of the diagonal of what hangs on it */

static double diagonal(const cairn_scene *scene, cairn_body body)
{
	cairn_box box = cairn_scene_shape_facts(scene, cairn_scene_body_at(scene, body.index).shape).box;
	return vec_length(vec_sub(box.max, box.min));
}

/* A place of the start on a body. */
static rod_end end_on(const cairn_scene *scene, cairn_body body, cairn_vec3 point)
{
	if (!body.generation)
		return (rod_end){ROD_WORLD, point};
	cairn_pose p = cairn_scene_body_at(scene, body.index).pose;
	return (rod_end){body.index, quat_turn(quat_conjugate(p.orientation), vec_sub(point, p.position))};
}

static bool is_beyond(const cairn_scene *scene, cairn_body body, cairn_vec3 at)
{
	cairn_box box = cairn_scene_shape_facts(scene, cairn_scene_body_at(scene, body.index).shape).box;
	cairn_vec3 in = vec(fmin(fmax(at.x, box.min.x), box.max.x), fmin(fmax(at.y, box.min.y), box.max.y),
	                    fmin(fmax(at.z, box.min.z), box.max.z));
	return vec_length(vec_sub(at, in)) > BEYOND * diagonal(scene, body);
}

/* From the middle of a body to where a joint holds the other one, if that is not at the body itself. */
static bool find_arm(const cairn_scene *scene, const cairn_joint_def *d, cairn_body body, cairn_body other, rod *to)
{
	if (!body.generation || cairn_scene_body_at(scene, body.index).type == CAIRN_FIXED)
		return false;
	rod_end here = end_on(scene, body, d->point);
	if (!is_beyond(scene, body, here.at))
		return false;
	cairn_vec3 middle = cairn_scene_shape_facts(scene, cairn_scene_body_at(scene, body.index).shape).center;
	double length = vec_length(vec_sub(here.at, middle));
	*to = (rod){{{body.index, middle}, end_on(scene, other, d->point)}, length, length};
	return true;
}

uint32_t rods_of(const cairn_scene *scene, uint32_t joint, rod found[2])
{
	cairn_joint_def d = cairn_scene_joint_at(scene, joint);
	uint32_t count = 0;
	if (d.type == CAIRN_DISTANCE) {
		double length = vec_length(vec_sub(d.point_b, d.point));
		found[0] = (rod){{end_on(scene, d.a, d.point), end_on(scene, d.b, d.point_b)}, length, length};
		if (d.has_limits)
			found[0].low = d.low, found[0].high = d.high;
		return 1;
	}
	if (d.type != CAIRN_BALL && d.type != CAIRN_HINGE)
		return 0;
	count += find_arm(scene, &d, d.a, d.b, &found[count]);
	count += find_arm(scene, &d, d.b, d.a, &found[count]);
	return count;
}

double rods_radius(const cairn_scene *scene)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < cairn_scene_joint_count(scene); ++i) {
		rod found[2];
		cairn_joint_def d = cairn_scene_joint_at(scene, i);
		cairn_body held[2] = {d.a, d.b};
		for (int k = 0; k < 2 && rods_of(scene, i, found) > 0; ++k)
			if (held[k].generation && cairn_scene_body_at(scene, held[k].index).type != CAIRN_FIXED)
				least = fmin(least, THICK * diagonal(scene, held[k]));
	}
	return isfinite(least) ? least : 0;
}

bool rod_holds(const rod *r, double length)
{
	double off = SLACK * r->high;
	return length > 0 && length >= r->low - off && length <= r->high + off;
}
