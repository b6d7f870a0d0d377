/* Boxes of shapes and what follows from them. Shapes without a formula are measured by their surface. */
#include "measure.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>

/* A shape's box in its own frame, half edge lengths about a centre. */
typedef struct extent {
	cairn_vec3 center, half;
	bool known;
} extent;

static extent surface_extent(const cairn_scene *scene, cairn_shape shape)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_surface surface;
	cairn_error error;
	if (!cairn_scene_surface(scene, shape, 0.01, 1, &allocator, &surface, &error))
		return (extent){.known = false};
	cairn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t i = 0; i < surface.point_count; ++i) {
		cairn_vec3 p = surface.points[i];
		low = (cairn_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
		high = (cairn_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
	}
	bool known = surface.point_count > 0;
	cairn_surface_free(&surface, &allocator);
	return (extent){.center = {(low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2},
	                .half = {(high.x - low.x) / 2, (high.y - low.y) / 2, (high.z - low.z) / 2},
	                .known = known};
}

/* A compound's parts are turned: its surface has the closer box. */
static extent shape_extent(const cairn_scene *scene, cairn_shape shape)
{
	if (cairn_scene_shape_at(scene, shape.index).part_count)
		return surface_extent(scene, shape);
	cairn_box box = cairn_scene_shape_facts(scene, shape).box;
	return (extent){.center = {(box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2, (box.min.z + box.max.z) / 2},
	                .half = {(box.max.x - box.min.x) / 2, (box.max.y - box.min.y) / 2, (box.max.z - box.min.z) / 2},
	                .known = isfinite(box.max.x - box.min.x)};
}

static cairn_vec3 rotate(cairn_quat q, cairn_vec3 v)
{
	cairn_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
	return (cairn_vec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
	                    v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

static void grow(cairn_box *bounds, const extent *e, const cairn_pose *pose)
{
	cairn_vec3 c = rotate(pose->orientation, e->center);
	cairn_vec3 x = rotate(pose->orientation, (cairn_vec3){e->half.x, 0, 0});
	cairn_vec3 y = rotate(pose->orientation, (cairn_vec3){0, e->half.y, 0});
	cairn_vec3 z = rotate(pose->orientation, (cairn_vec3){0, 0, e->half.z});
	cairn_vec3 p = {pose->position.x + c.x, pose->position.y + c.y, pose->position.z + c.z};
	cairn_vec3 h = {fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
	                fabs(x.z) + fabs(y.z) + fabs(z.z)};
	bounds->min =
		(cairn_vec3){fmin(bounds->min.x, p.x - h.x), fmin(bounds->min.y, p.y - h.y), fmin(bounds->min.z, p.z - h.z)};
	bounds->max =
		(cairn_vec3){fmax(bounds->max.x, p.x + h.x), fmax(bounds->max.y, p.y + h.y), fmax(bounds->max.z, p.z + h.z)};
}

static extent *all_extents(const cairn_scene *scene)
{
	uint32_t count = cairn_scene_shape_count(scene);
	extent *extents = memory_resize(NULL, (count + 1) * sizeof extents[0]);
	for (uint32_t i = 0; i < count; ++i)
		extents[i] = shape_extent(scene, (cairn_shape){.index = i, .generation = 1});
	return extents;
}

static bool find_bounds(const cairn_scene *scene, bool fixed, cairn_box *bounds)
{
	extent *extents = all_extents(scene);
	bool any = false;
	*bounds = (cairn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	for (uint32_t i = 0; i < cairn_scene_body_count(scene); ++i) {
		cairn_body_def body = cairn_scene_body_at(scene, i);
		const extent *e = &extents[body.shape.index];
		bool counts = e->known && (!fixed || body.type == CAIRN_FIXED);
		if (counts)
			grow(bounds, e, &body.pose);
		any = any || counts;
	}
	free(extents);
	return any;
}

bool measure_bounds(const cairn_scene *scene, cairn_box *bounds) { return find_bounds(scene, false, bounds); }

bool measure_fixed_bounds(const cairn_scene *scene, cairn_box *bounds) { return find_bounds(scene, true, bounds); }

static double *find_extents(const cairn_scene *scene, double (*choose)(double, double))
{
	extent *extents = all_extents(scene);
	uint32_t count = cairn_scene_shape_count(scene);
	double *sizes = memory_resize(NULL, (count + 1) * sizeof sizes[0]);
	for (uint32_t i = 0; i < count; ++i) {
		cairn_vec3 h = extents[i].half;
		sizes[i] = extents[i].known ? 2 * choose(h.x, choose(h.y, h.z)) : INFINITY;
	}
	free(extents);
	return sizes;
}

double *measure_size(const cairn_scene *scene) { return find_extents(scene, fmax); }

double *measure_thickness(const cairn_scene *scene) { return find_extents(scene, fmin); }

/* The caller frees them. */
static cairn_body *all_bodies(const cairn_world *world, uint32_t *count)
{
	*count = cairn_world_body_count(world);
	cairn_body *bodies = memory_resize(NULL, (*count + 1) * sizeof bodies[0]);
	cairn_world_bodies(world, bodies, *count);
	return bodies;
}

static double dot(cairn_vec3 a, cairn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static double length(cairn_vec3 v) { return sqrt(dot(v, v)); }

typedef struct energies {
	double kinetic, potential;
} energies;

static void add_energy(energies *e, const cairn_body_info *info, const cairn_key *key, cairn_vec3 g)
{
	if (info->type != CAIRN_DYNAMIC)
		return;
	cairn_quat back = {key->orientation.w, -key->orientation.x, -key->orientation.y, -key->orientation.z};
	cairn_vec3 spin = rotate(back, key->spin); /* in the shape's axes, as the inertia */
	const double *m = info->inertia;
	cairn_vec3 momentum = {m[0] * spin.x + m[1] * spin.y + m[2] * spin.z, m[3] * spin.x + m[4] * spin.y + m[5] * spin.z,
	                       m[6] * spin.x + m[7] * spin.y + m[8] * spin.z};
	e->kinetic += (info->mass * dot(key->velocity, key->velocity) + dot(spin, momentum)) / 2;
	e->potential -= info->mass * dot(g, key->position);
}

void measure_energy(const cairn_world *world, double *kinetic, double *potential)
{
	cairn_vec3 g = cairn_scene_settings(cairn_world_scene(world)).gravity;
	uint32_t count;
	cairn_body *bodies = all_bodies(world, &count);
	energies e = {0};
	for (uint32_t i = 0; i < count; ++i) {
		cairn_body_info info = cairn_world_body_info(world, bodies[i]);
		cairn_key key = cairn_world_body_key(world, bodies[i]);
		add_energy(&e, &info, &key, g);
	}
	*kinetic = e.kinetic;
	*potential = e.potential;
	free(bodies);
}

/* Whether a key is its body's last in the frame. */
static bool is_last(const cairn_frame *frame, uint32_t i)
{
	return i + 1 == frame->key_count || frame->keys[i + 1].track != frame->keys[i].track;
}

void measure_recorded_energy(const cairn_recording *recording, const cairn_frame *frame, double *kinetic,
                             double *potential)
{
	cairn_vec3 g = cairn_scene_settings(cairn_recording_scene(recording)).gravity;
	energies e = {0};
	for (uint32_t i = 0; i < frame->key_count; ++i) {
		cairn_body_info info = cairn_recording_track(recording, frame->keys[i].track).info;
		if (is_last(frame, i))
			add_energy(&e, &info, &frame->keys[i].key, g);
	}
	*kinetic = e.kinetic;
	*potential = e.potential;
}

/* Mass of all dynamic bodies and the largest size of one. */
typedef struct load {
	double mass, size;
} load;

static void add_load(load *l, const cairn_body_info *info, const extent *e)
{
	l->mass += info->mass;
	if (info->type == CAIRN_DYNAMIC && e->known)
		l->size = fmax(l->size, 2 * fmax(e->half.x, fmax(e->half.y, e->half.z)));
}

static double unit_of(load l, cairn_vec3 g, double initial)
{
	double unit = l.mass * length(g) * l.size;
	return unit > 0 ? unit : initial;
}

double measure_energy_unit(const cairn_world *world, double initial)
{
	const cairn_scene *scene = cairn_world_scene(world);
	uint32_t count;
	extent *extents = all_extents(scene);
	cairn_body *bodies = all_bodies(world, &count);
	load l = {0};
	for (uint32_t i = 0; i < count; ++i) {
		cairn_body_info info = cairn_world_body_info(world, bodies[i]);
		add_load(&l, &info, &extents[info.shape.index]);
	}
	free(bodies);
	free(extents);
	return unit_of(l, cairn_scene_settings(scene).gravity, initial);
}

double measure_recorded_unit(const cairn_recording *recording, const cairn_frame *frame, double initial)
{
	const cairn_scene *scene = cairn_recording_scene(recording);
	extent *extents = all_extents(scene);
	load l = {0};
	for (uint32_t i = 0; i < frame->key_count; ++i) {
		cairn_body_info info = cairn_recording_track(recording, frame->keys[i].track).info;
		if (is_last(frame, i))
			add_load(&l, &info, &extents[info.shape.index]);
	}
	free(extents);
	return unit_of(l, cairn_scene_settings(scene).gravity, initial);
}
