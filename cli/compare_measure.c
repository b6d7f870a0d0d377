/* What only the finished recordings tell: who left the scene, whether it came to rest, how far it is from the truth. */
#include "compare.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double REST_TIME = 1;   /* s: the last of a run, in which ... */
static const double ROUNDING = 1e-9; /* sizes: distances below it are rounding */
static const double REST_WAY = 0.01; /* ... what is at rest moves no further than this part of its size */

static double dot(cairn_vec3 a, cairn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static cairn_vec3 sub(cairn_vec3 a, cairn_vec3 b) { return (cairn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }

static double length(cairn_vec3 v) { return sqrt(dot(v, v)); }

static int open_strip(compare_strip *f, const char *path)
{
	int result;
	*f = (compare_strip){.recording = source_open(path, &result)};
	if (!f->recording)
		return result;
	f->info = cairn_recording_get_info(f->recording);
	f->size = measure_size(cairn_recording_scene(f->recording));
	f->places = memory_resize(NULL, (f->info.bodies + 1) * sizeof f->places[0]);
	return STATUS_DONE;
}

static void close_strip(compare_strip *f)
{
	cairn_recording_close(f->recording);
	free(f->size);
	free(f->places);
}

int compare_strip_read(compare_strip *f, uint32_t frame)
{
	cairn_error error = {0};
	cairn_frame read;
	memset(f->places, 0, (f->info.bodies + 1) * sizeof f->places[0]);
	if (!cairn_recording_read(f->recording, frame, &read, &error))
		return say_error(&error);
	for (uint32_t i = 0; i < read.key_count; ++i)
		f->places[read.keys[i].track] =
			(compare_place){true, read.keys[i].key.position, read.keys[i].key.velocity, read.keys[i].key.orientation};
	return STATUS_DONE;
}

/* ---- who left */

/* Below a half-space's surface, or lower than everything that is fixed. */
static bool has_left(const cairn_scene *scene, cairn_vec3 at, double floor)
{
	cairn_vec3 g = cairn_scene_settings(scene).gravity;
	if (dot(g, at) > floor)
		return true;
	for (uint32_t i = 0; i < cairn_scene_body_count(scene); ++i) {
		cairn_body_def body = cairn_scene_body_at(scene, i);
		cairn_shape_def shape = cairn_scene_shape_at(scene, body.shape.index);
		if (body.type != CAIRN_FIXED || shape.kind != CAIRN_HALFSPACE)
			continue;
		cairn_quat q = body.pose.orientation, back = {q.w, -q.x, -q.y, -q.z};
		cairn_vec3 d = sub(at, body.pose.position);
		/* into the shape's frame: v + 2 w (u x v) + 2 u x (u x v) */
		cairn_vec3 u = {back.x, back.y, back.z};
		cairn_vec3 t = {2 * (u.y * d.z - u.z * d.y), 2 * (u.z * d.x - u.x * d.z), 2 * (u.x * d.y - u.y * d.x)};
		cairn_vec3 local = {d.x + back.w * t.x + u.y * t.z - u.z * t.y, d.y + back.w * t.y + u.z * t.x - u.x * t.z,
		                    d.z + back.w * t.z + u.x * t.y - u.y * t.x};
		if (dot(shape.normal, local) < shape.offset)
			return true;
	}
	return false;
}

/* How far down fixed bodies reach, as gravity x place; infinite where there are none, or no gravity. */
static double floor_of(const cairn_scene *scene)
{
	cairn_box box;
	cairn_vec3 g = cairn_scene_settings(scene).gravity;
	if (!(length(g) > 0) || !measure_fixed_bounds(scene, &box))
		return INFINITY;
	return fmax(g.x * box.min.x, g.x * box.max.x) + fmax(g.y * box.min.y, g.y * box.max.y) +
	       fmax(g.z * box.min.z, g.z * box.max.z);
}

static uint32_t count_escaped(const compare_strip *f)
{
	const cairn_scene *scene = cairn_recording_scene(f->recording);
	double floor = floor_of(scene);
	uint32_t count = 0;
	for (uint32_t i = 0; i < f->info.bodies; ++i)
		count += f->places[i].there && cairn_recording_track(f->recording, i).info.type == CAIRN_DYNAMIC &&
		         has_left(scene, f->places[i].position, floor);
	return count;
}

/* ---- rest */

/* How far a body's furthest point is from where it was: the way of its centre, and its turn at its radius. */
static double way_between(const compare_place *a, const compare_place *b, double radius)
{
	cairn_quat p = a->orientation, q = b->orientation;
	double same = fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z);
	double turn = 2 * sqrt(fmax(0, 2 * (1 - fmin(1, same)))); /* close to the angle where it is small */
	return length(sub(a->position, b->position)) + turn * (isfinite(radius) ? radius : 0);
}

static int find_rest(compare_strip *f, const compare *c, compare_column *column)
{
	uint32_t last = column->frames * column->finer, span = (uint32_t)ceil(REST_TIME * c->settings.fps) * column->finer;
	uint32_t first = last > span ? last - span : 0;
	compare_place *end = memory_resize(NULL, (f->info.bodies + 1) * sizeof end[0]);
	memcpy(end, f->places, f->info.bodies * sizeof end[0]);
	column->at_rest = column->end == COMPARE_DONE;
	int result = STATUS_DONE;
	for (uint32_t frame = first; frame < last && column->at_rest && result == STATUS_DONE; ++frame) {
		result = compare_strip_read(f, frame);
		for (uint32_t i = 0; i < f->info.bodies && result == STATUS_DONE; ++i) {
			cairn_body_info info = cairn_recording_track(f->recording, i).info;
			if (info.type != CAIRN_DYNAMIC || !end[i].there)
				continue;
			double way = f->places[i].there ? way_between(&f->places[i], &end[i], info.radius) : INFINITY;
			if (!(way <= REST_WAY * f->size[info.shape.index]))
				column->at_rest = false;
		}
	}
	free(end);
	return result;
}

/* ---- the truth */

/* The mean over dynamic bodies that are in both of how far their centres are apart, in their own sizes. */
static double distance_between(const compare_strip *a, const compare_strip *b)
{
	double sum = 0;
	uint32_t count = 0, most = a->info.bodies < b->info.bodies ? a->info.bodies : b->info.bodies;
	for (uint32_t i = 0; i < most; ++i) {
		cairn_body_info info = cairn_recording_track(a->recording, i).info;
		if (info.type != CAIRN_DYNAMIC || !a->places[i].there || !b->places[i].there)
			continue;
		sum += length(sub(a->places[i].position, b->places[i].position)) / a->size[info.shape.index];
		++count;
	}
	return count ? (sum / count > ROUNDING ? sum / count : 0) : NAN;
}

static int measure_distance(compare_strip *f, compare_column *column, compare_strip *truth,
                            const compare_column *true_column)
{
	uint32_t most = column->frames < true_column->frames ? column->frames : true_column->frames;
	int result = STATUS_DONE;
	for (uint32_t frame = 1; frame <= most && result == STATUS_DONE; ++frame) {
		result = compare_strip_read(f, frame * column->finer);
		if (result == STATUS_DONE)
			result = compare_strip_read(truth, frame * true_column->finer);
		if (result == STATUS_DONE)
			column->series[SERIES_DISTANCE][frame - 1] = distance_between(f, truth);
	}
	return result;
}

/* ---- the whole */

static int measure_column(const compare *c, compare_column *column, compare_strip *truth)
{
	compare_strip f;
	int result = open_strip(&f, column->file);
	if (result != STATUS_DONE)
		return result;
	result = compare_strip_read(&f, column->frames * column->finer);
	if (result == STATUS_DONE) {
		column->escaped = count_escaped(&f);
		result = find_rest(&f, c, column);
	}
	if (result == STATUS_DONE)
		result = compare_known(c, column, &f);
	if (result == STATUS_DONE && truth)
		result = measure_distance(&f, column, truth, &c->columns[c->truth]);
	close_strip(&f);
	return result;
}

int compare_measure(compare *c)
{
	compare_strip truth = {0};
	bool has_truth = c->truth >= 0 && c->columns[c->truth].file && c->columns[c->truth].end != COMPARE_REFUSED;
	int result = has_truth ? open_strip(&truth, c->columns[c->truth].file) : STATUS_DONE;
	for (uint32_t i = 0; i < c->count && result == STATUS_DONE; ++i)
		if (c->columns[i].file && c->columns[i].end != COMPARE_REFUSED)
			result = measure_column(c, &c->columns[i], has_truth && (int)i != c->truth ? &truth : NULL);
	if (has_truth)
		close_strip(&truth);
	return result;
}
