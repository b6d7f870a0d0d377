/* Ropes and arms (cairn_rod) as they are in every frame asked for: where the first end is, which way it goes, how long it is. */
#include "base/trig.h"
#include "io/export_mesh.h"

#include <string.h>

#define CN_ROD_SIDES 12u
#define CN_ROD_NOWHERE (UINT32_MAX - 1) /* of a body that was gone before the recording began */

static uint32_t *find_tracks(const cn_export *e, uint32_t bodies)
{
	uint32_t *tracks = cn_alloc(&e->allocator, bodies, sizeof *tracks);
	for (uint32_t i = 0; tracks && i < bodies; ++i)
		tracks[i] = CN_ROD_NOWHERE;
	for (uint32_t i = 0; tracks && i < e->info.bodies; ++i) {
		cairn_body body = cairn_recording_track(e->recording, i).body;
		if (body.generation == 1 && body.index < bodies) /* not one that came later in the place of another */
			tracks[body.index] = i;
	}
	return tracks;
}

static bool to_track(const uint32_t *tracks, cairn_rod_end *end)
{
	end->track = end->track == UINT32_MAX ? UINT32_MAX : tracks[end->track];
	return end->track != CN_ROD_NOWHERE;
}

cairn_rod *cn_rods_find(const cn_export *e, cairn_export_def *def)
{
	uint32_t bodies = cairn_scene_body_count(e->scene), joints = cairn_scene_joint_count(e->scene);
	uint32_t *tracks = find_tracks(e, bodies);
	cairn_rod *rods = tracks ? cn_alloc(&e->allocator, 2 * (size_t)joints, sizeof *rods) : NULL;
	def->rods = rods;
	def->rod_count = 0;
	def->rod_radius = INFINITY;
	for (uint32_t i = 0; rods && i < joints; ++i) {
		cairn_rod *found = rods + def->rod_count;
		uint32_t count = cairn_scene_rods(e->scene, i, found);
		for (uint32_t k = 0; k < count; ++k)
			if (!to_track(tracks, &found[k].ends[0]) || !to_track(tracks, &found[k].ends[1]))
				count = 0;
		if (count)
			def->rod_radius = fmin(def->rod_radius, cairn_scene_rod_radius(e->scene, i));
		def->rod_count += count;
	}
	if (!def->rod_count)
		def->rod_radius = 0;
	cn_free(&e->allocator, tracks, bodies, sizeof *tracks);
	return rods;
}

/* Where the end of a rod is, from the keys of a frame. False: its body is not there. */
static bool find_end(const cn_export *e, const cairn_frame *frame, cairn_rod_end end, v3 *at)
{
	*at = end.at;
	if (end.track == UINT32_MAX)
		return true;
	cairn_track track = cairn_recording_track(e->recording, end.track);
	const cairn_key *key = track.info.type == CAIRN_FIXED ? &track.first_key : NULL;
	for (uint32_t k = 0; k < frame->key_count; ++k)
		if (frame->keys[k].track == end.track)
			key = &frame->keys[k].key; /* the last one is the frame's own */
	if (key)
		*at = v3_add(key->position, q_rotate(key->orientation, v3_sub(end.at, track.info.center)));
	return key != NULL;
}

/* The shortest turn that leads z to a unit vector. */
static quat turn_to(v3 way)
{
	if (way.z < -0.999999)
		return (quat){0, 1, 0, 0};
	return q_unit((quat){1 + way.z, -way.y, way.x, 0});
}

static cn_rod_key key_of(const cn_export *e, const cairn_frame *frame, const cairn_rod *rod)
{
	v3 a, b;
	bool there = find_end(e, frame, rod->ends[0], &a) && find_end(e, frame, rod->ends[1], &b);
	cn_rod_key key = {a, q_identity(), 0};
	double length = there ? v3_distance(a, b) : 0;
	if (length <= 0 || length < rod->low || length > rod->high)
		return key;
	return (cn_rod_key){a, turn_to(v3_scale(v3_sub(b, a), 1 / length)), length};
}

bool cn_rods_gather(cn_export *e, cn_rod_key **out, cairn_error *error)
{
	uint32_t frames = cn_export_frames(e), count = e->def->rod_count;
	*out = cn_alloc(&e->allocator, (size_t)frames * count, sizeof **out);
	if (count == 0)
		return true;
	if (!*out)
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < frames; ++i) {
		cairn_frame frame;
		if (!cn_export_read(e, e->from + i, &frame, error))
			return false;
		for (uint32_t k = 0; k < count; ++k) {
			cn_rod_key *key = *out + (size_t)k * frames + i;
			*key = key_of(e, &frame, &e->def->rods[k]);
			if (i && q_dot(key->turn, key[-1].turn) < 0)
				key->turn = q_neg(key->turn);
		}
	}
	return true;
}

void cn_rods_free(const cn_export *e, cn_rod_key *keys)
{
	cn_free(&e->allocator, keys, (size_t)cn_export_frames(e) * e->def->rod_count, sizeof *keys);
}

/* A tube along z from 0 to 1, open at its ends, which are in bodies or in points. */
uint32_t cn_meshes_add_tube(const cn_export *e, cn_meshes *meshes, double radius)
{
	uint64_t key[CN_INTERN_WORDS] = {UINT64_MAX - 1, cn_intern_word(radius)};
	void *all = meshes->all;
	if (!cn_grow(&e->allocator, &all, &meshes->capacity, meshes->table.count + 1, sizeof *meshes->all))
		return UINT32_MAX;
	meshes->all = all;
	uint32_t index = cn_intern_add(&e->allocator, &meshes->table, key);
	if (index == UINT32_MAX)
		return index;
	cn_export_mesh *mesh = meshes->all + index;
	*mesh = (cn_export_mesh){.vertex_count = 2 * CN_ROD_SIDES, .vertex_capacity = 2 * CN_ROD_SIDES};
	mesh->index_count = mesh->index_capacity = 6 * CN_ROD_SIDES;
	mesh->vertices = cn_alloc(&e->allocator, mesh->vertex_capacity, sizeof *mesh->vertices);
	mesh->triangles = cn_alloc(&e->allocator, mesh->index_capacity, sizeof *mesh->triangles);
	if (!mesh->vertices || !mesh->triangles)
		return UINT32_MAX;
	for (uint32_t i = 0; i < CN_ROD_SIDES; ++i) {
		double angle = 2 * CN_PI * i / CN_ROD_SIDES;
		double sine, cosine;
		cn_sincos(angle, &sine, &cosine);
		float x = (float)cosine, y = (float)sine, r = (float)radius;
		mesh->vertices[2 * i] = (cn_vertex){{r * x, r * y, 0}, {x, y, 0}, {0}, {0}};
		mesh->vertices[2 * i + 1] = (cn_vertex){{r * x, r * y, 1}, {x, y, 0}, {0}, {0}};
		uint32_t a = 2 * i, b = 2 * ((i + 1) % CN_ROD_SIDES);
		memcpy(mesh->triangles + (size_t)6 * i, (uint32_t[]){a, b, a + 1, b, b + 1, a + 1}, 6 * sizeof(uint32_t));
	}
	return index;
}
