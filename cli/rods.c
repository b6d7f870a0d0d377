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

void rods_find_tracks(const cairn_recording *recording, uint32_t *tracks)
{
	uint32_t bodies = cairn_scene_body_count(cairn_recording_scene(recording));
	uint32_t count = cairn_recording_get_info(recording).bodies;
	for (uint32_t i = 0; i < bodies; ++i)
		tracks[i] = ROD_NOWHERE;
	for (uint32_t i = 0; i < count; ++i) {
		cairn_body body = cairn_recording_track(recording, i).body;
		if (body.generation == 1 && body.index < bodies) /* not one that came later in the place of another */
			tracks[body.index] = i;
	}
}

static uint32_t track_of(const uint32_t *tracks, cairn_body body)
{
	return !body.generation ? ROD_WORLD : tracks ? tracks[body.index] : body.index;
}

/* A place of the start in the frame of a body. */
static cairn_vec3 place_on(const cairn_scene *scene, cairn_body body, cairn_vec3 point)
{
	if (!body.generation)
		return point;
	cairn_pose p = cairn_scene_body_at(scene, body.index).pose;
	return quat_turn(quat_conjugate(p.orientation), vec_sub(point, p.position));
}

static rod make_rod(rod_end from, rod_end to, double low, double high)
{
	double off = SLACK * high;
	return (rod){{from, to}, low - off, high + off};
}

static bool is_beyond(const cairn_scene *scene, cairn_body body, cairn_vec3 at)
{
	cairn_box box = cairn_scene_shape_facts(scene, cairn_scene_body_at(scene, body.index).shape).box;
	cairn_vec3 in = vec(fmin(fmax(at.x, box.min.x), box.max.x), fmin(fmax(at.y, box.min.y), box.max.y),
	                    fmin(fmax(at.z, box.min.z), box.max.z));
	return vec_length(vec_sub(at, in)) > BEYOND * diagonal(scene, body);
}

/* From the middle of a body to where a joint holds the other one, if that is not at the body itself. */
static bool find_arm(const cairn_scene *scene, const uint32_t *tracks, const cairn_joint_def *d, cairn_body body,
                     cairn_body other, rod *to)
{
	if (!body.generation || cairn_scene_body_at(scene, body.index).type == CAIRN_FIXED)
		return false;
	cairn_vec3 here = place_on(scene, body, d->point);
	if (!is_beyond(scene, body, here))
		return false;
	cairn_vec3 middle = cairn_scene_shape_facts(scene, cairn_scene_body_at(scene, body.index).shape).center;
	double length = vec_length(vec_sub(here, middle));
	*to = make_rod((rod_end){track_of(tracks, body), middle},
	               (rod_end){track_of(tracks, other), place_on(scene, other, d->point)}, length, length);
	return true;
}

uint32_t rods_of(const cairn_scene *scene, const uint32_t *tracks, uint32_t joint, rod found[2])
{
	cairn_joint_def d = cairn_scene_joint_at(scene, joint);
	uint32_t count = 0, a = track_of(tracks, d.a), b = track_of(tracks, d.b);
	if (a == ROD_NOWHERE || b == ROD_NOWHERE)
		return 0;
	if (d.type == CAIRN_DISTANCE) {
		double length = vec_length(vec_sub(d.point_b, d.point));
		found[0] = make_rod((rod_end){a, place_on(scene, d.a, d.point)}, (rod_end){b, place_on(scene, d.b, d.point_b)},
		                    d.has_limits ? d.low : length, d.has_limits ? d.high : length);
		return 1;
	}
	if (d.type == CAIRN_PULLEY) { /* each part of the rope is as long as the other leaves it */
		found[0] = make_rod((rod_end){a, place_on(scene, d.a, d.point)}, (rod_end){ROD_WORLD, d.over}, 0, d.high);
		found[1] = make_rod((rod_end){b, place_on(scene, d.b, d.point_b)}, (rod_end){ROD_WORLD, d.over_b}, 0,
		                    d.high / d.ratio);
		return 2;
	}
	if (d.type != CAIRN_BALL && d.type != CAIRN_HINGE)
		return 0;
	count += find_arm(scene, tracks, &d, d.a, d.b, &found[count]);
	count += find_arm(scene, tracks, &d, d.b, d.a, &found[count]);
	return count;
}

double rods_radius(const cairn_scene *scene, const uint32_t *tracks)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < cairn_scene_joint_count(scene); ++i) {
		rod found[2];
		cairn_joint_def d = cairn_scene_joint_at(scene, i);
		cairn_body held[2] = {d.a, d.b};
		for (int k = 0; k < 2 && rods_of(scene, tracks, i, found) > 0; ++k)
			if (held[k].generation && cairn_scene_body_at(scene, held[k].index).type != CAIRN_FIXED)
				least = fmin(least, THICK * diagonal(scene, held[k]));
	}
	return isfinite(least) ? least : 0;
}

bool rod_holds(const rod *r, double length) { return length > 0 && length >= r->low && length <= r->high; }
