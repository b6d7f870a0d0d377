/* glTF 2.0, binary (.glb): Khronos, "glTF 2.0 Specification", 2021.
 *
 * One node for each body, one mesh for each (shape, colour), one animation. glTF has +Y up (3.4): coordinates are
 * turned, (x, y, z) -> (x, z, -y), rather than put under a turned root, so that programs with +Z up, which turn them
 * back, show the scene's own numbers. Seconds count from the first frame asked for. Translation and rotation are
 * LINEAR; for rotations that is the constant turn about a fixed axis of the recording itself (C.4), since two keys are
 * at most a quarter turn apart and their quaternions have the same sign. A body that comes or goes has scale 0 while
 * it is not there, by which the specification lets a node be hidden.
 *
 * Materials have the colours of pictures (cairn_shown_color); the light is of extension KHR_lights_punctual.
 *
 * The bin chunk holds four views: vertices (point, normal), indices, all animation data, and texture coordinates and colours of
 * visuals. Lengths have 32 bits, so
 * a file of more than 4 GiB is refused. */
#include "io/gltf.h"

#include <inttypes.h>
#include <string.h>

/* Scale keys of a track: at most there not, there, gone again. Returns how many. */
static uint32_t shown_keys(const cn_export *e, uint32_t track, float times[3], float scales[3])
{
	const cn_export_track *t = e->tracks + track;
	uint32_t count = 0;
	double start = e->times[0];
	if (cn_export_track_late(e, t))
		times[count] = 0, scales[count++] = 0;
	times[count] = (float)(t->time - start), scales[count++] = 1;
	if (t->last < e->to)
		times[count] = (float)(e->times[t->last - e->from] + CN_EXPORT_LINGER / e->fps - start), scales[count++] = 0;
	return count;
}

/* Numbers the track's mesh and material. */
static bool place_mesh(cn_gltf *g, uint32_t track, cairn_error *error)
{
	cn_export *e = g->e;
	cairn_body_info body = cairn_recording_track(e->recording, track).info;
	cairn_shape_def def = cairn_scene_shape_at(e->scene, cairn_shown_shape(&body, NULL).index);
	uint32_t shape = cn_meshes_add(e, &g->shapes, &body, error);
	if (shape == UINT32_MAX)
		return false;
	cairn_color shown = g->shapes.all[shape].has_colors ? (cairn_color){1, 1, 1} : cairn_shown_color(&body);
	uint64_t material_key[CN_INTERN_WORDS] = {cn_intern_word(shown.r),
	                                          cn_intern_word(shown.g),
	                                          cn_intern_word(shown.b),
	                                          def.kind == CAIRN_MESH && (def.shell || def.visual),
	                                          cn_intern_word(cn_export_opacity(e, track)),
	                                          cn_intern_word(body.roughness)};
	uint32_t material = cn_intern_add(&e->allocator, &g->materials, material_key);
	uint64_t mesh_key[CN_INTERN_WORDS] = {shape, material};
	uint32_t mesh = material == UINT32_MAX ? material : cn_intern_add(&e->allocator, &g->meshes, mesh_key);
	g->placed[track].mesh = mesh;
	return mesh != UINT32_MAX || cn_fail_memory(error);
}

#define ROD_ROUGHNESS 0.6

/* A camera that moves has a key a frame: translation and rotation. */
static bool place_camera(cn_gltf *g, cairn_error *error)
{
	cn_export *e = g->e;
	if (!cn_camera_moves(&e->view))
		return true;
	const uint64_t span[CN_INTERN_WORDS] = {e->from, e->to};
	g->camera_time = cn_intern_add(&e->allocator, &g->spans, span);
	if (g->camera_time == UINT32_MAX)
		return cn_fail_memory(error);
	return cn_camera_gather(e, &g->camera, error);
}

/* Rods have a key a frame: translation, rotation and scale, one after the other. */
static bool place_rods(cn_gltf *g, cairn_error *error)
{
	cn_export *e = g->e;
	if (e->def->rod_count == 0)
		return true;
	if (!cn_rods_gather(e, &g->rods, error))
		return false;
	uint32_t shape = cn_meshes_add_tube(e, &g->shapes, e->def->rod_radius);
	uint64_t material_key[CN_INTERN_WORDS] = {cn_intern_word(CN_ROD_COLOR.r),
	                                          cn_intern_word(CN_ROD_COLOR.g),
	                                          cn_intern_word(CN_ROD_COLOR.b),
	                                          false,
	                                          cn_intern_word(1),
	                                          cn_intern_word(ROD_ROUGHNESS)};
	uint32_t material = cn_intern_add(&e->allocator, &g->materials, material_key);
	uint64_t mesh_key[CN_INTERN_WORDS] = {shape, material};
	uint64_t span[CN_INTERN_WORDS] = {e->from, e->to};
	g->rod_mesh = cn_intern_add(&e->allocator, &g->meshes, mesh_key);
	g->rod_time = cn_intern_add(&e->allocator, &g->spans, span);
	bool ok = shape != UINT32_MAX && material != UINT32_MAX && g->rod_mesh != UINT32_MAX && g->rod_time != UINT32_MAX;
	return ok || cn_fail_memory(error);
}

/* First round: nodes and meshes, and the spans of frame times that plain tracks share. */
static bool place_nodes(cn_gltf *g, cairn_error *error)
{
	cn_export *e = g->e;
	for (uint32_t i = 0; i < e->info.bodies; ++i) {
		const cn_export_track *t = e->tracks + i;
		cn_gltf_placed *p = g->placed + i;
		*p = (cn_gltf_placed){CN_NONE, CN_NONE, CN_NONE, CN_NONE, CN_NONE, 0, 0};
		if (t->keys == 0)
			continue;
		p->node = g->nodes++;
		if (!place_mesh(g, i, error))
			return false;
		uint64_t span[CN_INTERN_WORDS] = {t->first, t->last};
		if (!t->moves || cn_export_track_extra(t))
			continue;
		p->time = cn_intern_add(&e->allocator, &g->spans, span);
		if (p->time == UINT32_MAX)
			return cn_fail_memory(error);
	}
	return true;
}

/* Second round: numbers and places of the accessors, which come shape by shape, those of texture coordinates and colours after them, span by span, track by track. */
static void place_accessors(cn_gltf *g)
{
	cn_export *e = g->e;
	for (uint32_t i = 0; i < g->shapes.table.count; ++i) {
		g->vertex_size += (uint64_t)g->shapes.all[i].vertex_count * CN_GLTF_VERTEX;
		g->index_size += (uint64_t)g->shapes.all[i].index_count * 4;
	}
	uint32_t spans = 3 * g->shapes.table.count;
	for (uint32_t i = 0; i < g->shapes.table.count; ++i) {
		cn_export_mesh *mesh = g->shapes.all + i;
		mesh->accessor = spans;
		spans += (mesh->has_uvs ? 1u : 0u) + (mesh->has_colors ? 1u : 0u);
		g->uv_size += mesh->has_uvs ? (uint64_t)mesh->vertex_count * CN_GLTF_UV : 0;
		g->color_size += mesh->has_colors ? (uint64_t)mesh->vertex_count * CN_GLTF_COLOR : 0;
	}
	g->accessors = spans + g->spans.count;
	g->animation_size = g->spans.count ? 4 * (uint64_t)cn_export_frames(e) : 0;
	for (uint32_t i = 0; i < e->info.bodies; ++i) {
		const cn_export_track *t = e->tracks + i;
		cn_gltf_placed *p = g->placed + i;
		bool extra = t->moves && cn_export_track_extra(t);
		p->offset = g->animation_size;
		if (t->moves) {
			p->time = extra ? g->accessors++ : spans + p->time;
			p->moved = g->accessors;
			g->accessors += 2;
			g->animation_size += (uint64_t)t->keys * (extra ? 32 : 28);
			++g->animated;
		}
		p->hiding = g->animation_size;
		if (t->keys && (cn_export_track_late(e, t) || t->last < e->to)) {
			float times[3], scales[3];
			p->shown = g->accessors;
			g->accessors += 2;
			g->animation_size += 16 * shown_keys(e, i, times, scales);
			++g->shown;
		}
	}
	g->rod_time += spans;
	g->rod_first = g->accessors;
	g->rod_offset = g->animation_size;
	g->accessors += 3 * e->def->rod_count;
	g->animation_size += (uint64_t)e->def->rod_count * cn_export_frames(e) * CN_GLTF_ROD;
	g->camera_time += spans;
	g->camera_first = g->accessors;
	g->camera_offset = g->animation_size;
	if (g->camera) {
		g->accessors += 2;
		g->animation_size += (uint64_t)cn_export_frames(e) * 28;
	}
}

static void write_materials(cn_gltf *g)
{
	cn_out_text(g->out, ",\"materials\":[");
	for (uint32_t i = 0; i < g->materials.count; ++i) {
		double color[3], opacity, roughness;
		memcpy(color, g->materials.keys[i], sizeof color);
		memcpy(&opacity, &g->materials.keys[i][4], sizeof opacity);
		memcpy(&roughness, &g->materials.keys[i][5], sizeof roughness);
		cn_out_format(g->out,
		              "%s{\"name\":\"color_%" PRIu32 "\",\"pbrMetallicRoughness\":{\"baseColorFactor\":", i ? "," : "",
		              i);
		cn_out_v3(g->out, v3_make(color[0], color[1], color[2]), "[", ",", ",");
		cn_out_number(g->out, opacity);
		cn_out_text(g->out, "],\"metallicFactor\":0,\"roughnessFactor\":");
		cn_out_number(g->out, roughness);
		cn_out_format(g->out, "}%s%s}", opacity < 1 ? ",\"alphaMode\":\"BLEND\"" : "",
		              g->materials.keys[i][3] ? ",\"doubleSided\":true" : "");
	}
	cn_out_text(g->out, "],\"meshes\":[");
	for (uint32_t i = 0; i < g->meshes.count; ++i) {
		uint32_t shape = (uint32_t)g->meshes.keys[i][0], material = (uint32_t)g->meshes.keys[i][1];
		const cn_export_mesh *mesh = g->shapes.all + shape;
		uint32_t paint = mesh->accessor;
		cn_out_format(g->out, "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%" PRIu32 ",\"NORMAL\":%" PRIu32,
		              i ? "," : "", 3 * shape, 3 * shape + 1);
		if (mesh->has_uvs)
			cn_out_format(g->out, ",\"TEXCOORD_0\":%" PRIu32, paint++);
		if (mesh->has_colors)
			cn_out_format(g->out, ",\"COLOR_0\":%" PRIu32, paint);
		cn_out_format(g->out, "},\"indices\":%" PRIu32 ",\"material\":%" PRIu32 "}]}", 3 * shape + 2, material);
	}
	cn_out_text(g->out, "]");
}

static void write_scene(cn_gltf *g)
{
	cn_export *e = g->e;
	uint32_t count = cn_gltf_count_nodes(g);
	cn_out_text(g->out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"cairn ");
	cn_out_text(g->out, cairn_version());
	cn_out_text(g->out, "\"},\"scene\":0,\"scenes\":[{\"name\":");
	const char *name = cairn_scene_settings(e->scene).name;
	cn_out_quote(g->out, name[0] ? name : "scene");
	for (uint32_t i = 0; i < count; ++i)
		cn_out_format(g->out, "%s%" PRIu32, i ? "," : ",\"nodes\":[", i);
	cn_out_text(g->out, count ? "],\"extras\":{\"fps\":" : ",\"extras\":{\"fps\":");
	cn_out_number(g->out, e->fps);
	cn_out_format(g->out,
	              ",\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"frames\":%" PRIu32 ",\"hash\":\"%016" PRIx64 "\"}}]",
	              e->from, e->to, cn_export_frames(e), e->info.hash);
}

static int uv_view(const cn_gltf *g) { return g->animation_size ? 3 : 2; }
static int color_view(const cn_gltf *g) { return uv_view(g) + (g->uv_size ? 1 : 0); }

static void write_accessor(cn_gltf *g, int view, uint64_t offset, uint32_t count, const char *type)
{
	cn_out_format(g->out,
	              "%s{\"bufferView\":%d,\"byteOffset\":%" PRIu64 ",\"componentType\":%d,\"count\":%" PRIu32
	              ",\"type\":\"%s\"",
	              view == 0 && offset == 0 ? "" : ",", view, offset, view == 1 ? 5125 : 5126, count, type);
}

static void write_shape_accessors(cn_gltf *g)
{
	uint64_t vertices = 0, indices = 0;
	for (uint32_t i = 0; i < g->shapes.table.count; ++i) {
		const cn_export_mesh *mesh = g->shapes.all + i;
		v3 least = v3_make(INFINITY, INFINITY, INFINITY), most = v3_neg(least);
		for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
			const float *p = mesh->vertices[k].point;
			v3 point = cn_gltf_up(v3_make((double)p[0], (double)p[1], (double)p[2]));
			least = v3_least(least, point);
			most = v3_most(most, point);
		}
		write_accessor(g, 0, vertices, mesh->vertex_count, "VEC3");
		cn_out_v3(g->out, least, ",\"min\":[", ",", "]");
		cn_out_v3(g->out, most, ",\"max\":[", ",", "]}");
		write_accessor(g, 0, vertices + 12, mesh->vertex_count, "VEC3");
		cn_out_text(g->out, "}");
		write_accessor(g, 1, indices, mesh->index_count, "SCALAR");
		cn_out_text(g->out, "}");
		vertices += (uint64_t)mesh->vertex_count * CN_GLTF_VERTEX;
		indices += (uint64_t)mesh->index_count * 4;
	}
}

/* Texture coordinates and colours have a view each, the last ones. */
static void write_paint_accessors(cn_gltf *g)
{
	uint64_t uv = 0, color = 0;
	for (uint32_t i = 0; i < g->shapes.table.count; ++i) {
		const cn_export_mesh *mesh = g->shapes.all + i;
		if (mesh->has_uvs) {
			write_accessor(g, uv_view(g), uv, mesh->vertex_count, "VEC2");
			cn_out_text(g->out, "}");
			uv += (uint64_t)mesh->vertex_count * CN_GLTF_UV;
		}
		if (mesh->has_colors) {
			write_accessor(g, color_view(g), color, mesh->vertex_count, "VEC3");
			cn_out_text(g->out, "}");
			color += (uint64_t)mesh->vertex_count * CN_GLTF_COLOR;
		}
	}
}

static void write_times(cn_gltf *g, uint64_t offset, uint32_t count, float first, float last)
{
	write_accessor(g, 2, offset, count, "SCALAR");
	cn_out_text(g->out, ",\"min\":[");
	cn_out_number(g->out, (double)first);
	cn_out_text(g->out, "],\"max\":[");
	cn_out_number(g->out, (double)last);
	cn_out_text(g->out, "]}");
}

static float frame_time(const cn_export *e, uint32_t frame) { return (float)(e->times[frame - e->from] - e->times[0]); }

static void write_track_accessors(cn_gltf *g, uint32_t track)
{
	const cn_export *e = g->e;
	const cn_export_track *t = e->tracks + track;
	const cn_gltf_placed *p = g->placed + track;
	uint64_t at = p->offset;
	if (t->moves && cn_export_track_extra(t)) {
		write_times(g, at, t->keys, (float)(t->time - e->times[0]), frame_time(e, t->last));
		at += (uint64_t)t->keys * 4;
	}
	if (t->moves) {
		write_accessor(g, 2, at, t->keys, "VEC3");
		cn_out_text(g->out, "}");
		write_accessor(g, 2, at + (uint64_t)t->keys * 12, t->keys, "VEC4");
		cn_out_text(g->out, "}");
	}
	if (p->shown != CN_NONE) {
		float times[3], scales[3];
		uint32_t count = shown_keys(e, track, times, scales);
		write_times(g, p->hiding, count, times[0], times[count - 1]);
		write_accessor(g, 2, p->hiding + 4 * count, count, "VEC3");
		cn_out_text(g->out, "}");
	}
}

static void write_rod_accessors(cn_gltf *g)
{
	static const char *const types[] = {"VEC3", "VEC4", "VEC3"};
	static const uint32_t sizes[] = {12, 16, 12};
	uint64_t at = g->rod_offset;
	uint32_t frames = cn_export_frames(g->e);
	for (uint32_t i = 0; i < 3 * g->e->def->rod_count; ++i) {
		write_accessor(g, 2, at, frames, types[i % 3]);
		cn_out_text(g->out, "}");
		at += (uint64_t)frames * sizes[i % 3];
	}
}

static void write_camera_accessors(cn_gltf *g)
{
	uint32_t frames = cn_export_frames(g->e);
	if (!g->camera)
		return;
	write_accessor(g, 2, g->camera_offset, frames, "VEC3");
	cn_out_text(g->out, "}");
	write_accessor(g, 2, g->camera_offset + (uint64_t)frames * 12, frames, "VEC4");
	cn_out_text(g->out, "}");
}

static void write_accessors(cn_gltf *g)
{
	const cn_export *e = g->e;
	cn_out_text(g->out, ",\"accessors\":[");
	write_shape_accessors(g);
	write_paint_accessors(g);
	for (uint32_t i = 0; i < g->spans.count; ++i) {
		uint32_t first = (uint32_t)g->spans.keys[i][0], last = (uint32_t)g->spans.keys[i][1];
		write_times(g, 4 * (uint64_t)(first - e->from), last - first + 1, frame_time(e, first), frame_time(e, last));
	}
	for (uint32_t i = 0; i < e->info.bodies; ++i)
		write_track_accessors(g, i);
	write_rod_accessors(g);
	write_camera_accessors(g);
	cn_out_text(g->out, "]");
}

static void write_animation(cn_gltf *g)
{
	static const char *const paths[] = {"translation", "rotation", "scale"};
	const cn_export *e = g->e;
	const char *comma = "";
	if (g->animated + g->shown + e->def->rod_count == 0 && !g->camera)
		return;
	cn_out_text(g->out, ",\"animations\":[{\"name\":\"motion\",\"samplers\":[");
	for (uint32_t i = 0; i < e->info.bodies; ++i) {
		const cn_gltf_placed *p = g->placed + i;
		for (uint32_t k = 0; k < 2 && p->moved != CN_NONE; ++k, comma = ",")
			cn_out_format(g->out, "%s{\"input\":%" PRIu32 ",\"output\":%" PRIu32 "}", comma, p->time, p->moved + k);
		if (p->shown != CN_NONE) {
			cn_out_format(g->out, "%s{\"input\":%" PRIu32 ",\"output\":%" PRIu32 ",\"interpolation\":\"STEP\"}", comma,
			              p->shown, p->shown + 1);
			comma = ",";
		}
	}
	for (uint32_t i = 0; i < 3 * e->def->rod_count; ++i, comma = ",")
		cn_out_format(g->out, "%s{\"input\":%" PRIu32 ",\"output\":%" PRIu32 "}", comma, g->rod_time, g->rod_first + i);
	for (uint32_t i = 0; i < 2 && g->camera; ++i, comma = ",")
		cn_out_format(g->out, "%s{\"input\":%" PRIu32 ",\"output\":%" PRIu32 "}", comma, g->camera_time,
		              g->camera_first + i);
	cn_out_text(g->out, "],\"channels\":[");
	uint32_t sampler = 0;
	for (uint32_t i = 0; i < e->info.bodies; ++i) {
		const cn_gltf_placed *p = g->placed + i;
		for (uint32_t k = p->moved != CN_NONE ? 0 : 2; k < (p->shown != CN_NONE ? 3u : 2u); ++k, ++sampler)
			cn_out_format(g->out, "%s{\"sampler\":%" PRIu32 ",\"target\":{\"node\":%" PRIu32 ",\"path\":\"%s\"}}",
			              sampler ? "," : "", sampler, p->node, paths[k]);
	}
	for (uint32_t i = 0; i < 3 * e->def->rod_count; ++i, ++sampler)
		cn_out_format(g->out, "%s{\"sampler\":%" PRIu32 ",\"target\":{\"node\":%" PRIu32 ",\"path\":\"%s\"}}",
		              sampler ? "," : "", sampler, cn_gltf_first_rod(g) + i / 3, paths[i % 3]);
	for (uint32_t i = 0; i < 2 && g->camera; ++i, ++sampler)
		cn_out_format(g->out, "%s{\"sampler\":%" PRIu32 ",\"target\":{\"node\":%" PRIu32 ",\"path\":\"%s\"}}",
		              sampler ? "," : "", sampler, g->nodes, paths[i]);
	cn_out_text(g->out, "]}]");
}

static void write_vertex_view(cn_gltf *g, uint64_t offset, uint64_t size, int stride)
{
	if (size)
		cn_out_format(g->out,
		              ",{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64
		              ",\"byteStride\":%d,\"target\":34962}",
		              offset, size, stride);
}

static uint64_t bin_size(const cn_gltf *g)
{
	return g->vertex_size + g->index_size + g->animation_size + g->uv_size + g->color_size;
}

static void write_views(cn_gltf *g)
{
	cn_out_format(g->out,
	              ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":%" PRIu64 ",\"byteStride\":%d,\"target\":34962},"
	              "{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 ",\"target\":34963}",
	              g->vertex_size, CN_GLTF_VERTEX, g->vertex_size, g->index_size);
	if (g->animation_size)
		cn_out_format(g->out, ",{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 "}",
		              g->vertex_size + g->index_size, g->animation_size);
	uint64_t paint = g->vertex_size + g->index_size + g->animation_size;
	write_vertex_view(g, paint, g->uv_size, CN_GLTF_UV);
	write_vertex_view(g, paint + g->uv_size, g->color_size, CN_GLTF_COLOR);
	cn_out_format(g->out, "],\"buffers\":[{\"byteLength\":%" PRIu64 "}]", bin_size(g));
}

static bool write_json(cn_gltf *g, cairn_error *error)
{
	write_scene(g);
	if (!cn_gltf_write_nodes(g, error))
		return false;
	cn_gltf_write_view(g);
	if (g->nodes) {
		write_materials(g);
		write_accessors(g);
		write_animation(g);
		write_views(g);
	}
	cn_out_text(g->out, "}");
	static const char *const padding[] = {"", "   ", "  ", " "};
	cn_out_text(g->out, padding[g->out->size % 4]);
	return true;
}

static void write_shapes(cn_gltf *g)
{
	for (uint32_t i = 0; i < g->shapes.table.count; ++i)
		for (uint32_t k = 0; k < g->shapes.all[i].vertex_count; ++k) {
			const cn_vertex *v = g->shapes.all[i].vertices + k;
			float turned[6] = {v->point[0], v->point[2], -v->point[1], v->normal[0], v->normal[2], -v->normal[1]};
			cn_out_floats(g->out, turned, 6);
		}
	for (uint32_t i = 0; i < g->shapes.table.count; ++i)
		for (uint32_t k = 0; k < g->shapes.all[i].index_count; ++k)
			cn_out_u32(g->out, g->shapes.all[i].triangles[k]);
}

static bool write_keys(cn_gltf *g, uint32_t track, cairn_error *error)
{
	const cn_export *e = g->e;
	const cn_export_track *t = e->tracks + track;
	const cn_export_key *keys = cn_export_track_keys(e, track);
	float translation[3], rotation[4];
	assert(t->gathered == t->keys);
	for (uint32_t k = 0; k < t->keys && cn_export_track_extra(t); ++k) {
		float time = (float)(keys[k].time - e->times[0]);
		if (k && !(time > (float)(keys[k - 1].time - e->times[0])))
			return cn_fail(
				error, CAIRN_FAILED, "",
				"two keys of body \"%.100s\" at %.6g s are too near for the 32-bit times of a .glb; export fewer "
				"frames (--from, --to)",
				g->names[track], keys[k].time);
		cn_out_floats(g->out, &time, 1);
	}
	for (uint32_t k = 0; k < t->keys; ++k) {
		if (!cn_gltf_floats(keys[k].position, keys[k].orientation, translation, rotation))
			return cn_gltf_fail_far(g, track, keys[k].time, error);
		cn_out_floats(g->out, translation, 3);
	}
	for (uint32_t k = 0; k < t->keys; ++k) {
		(void)cn_gltf_floats(v3_zero(), keys[k].orientation, translation, rotation);
		cn_out_floats(g->out, rotation, 4);
	}
	return true;
}

static bool write_track(cn_gltf *g, uint32_t track, cairn_error *error)
{
	if (g->e->tracks[track].moves && !write_keys(g, track, error))
		return false;
	if (g->placed[track].shown == CN_NONE)
		return true;
	float times[3], scales[3];
	uint32_t count = shown_keys(g->e, track, times, scales);
	cn_out_floats(g->out, times, count);
	for (uint32_t i = 0; i < count; ++i)
		cn_out_floats(g->out, (float[]){scales[i], scales[i], scales[i]}, 3);
	return true;
}

/* Of each rod all translations, then all rotations, then all scales. */
static void write_rod_keys(cn_gltf *g)
{
	uint32_t frames = cn_export_frames(g->e);
	for (uint32_t i = 0; i < 3 * g->e->def->rod_count; ++i)
		for (uint32_t k = 0; k < frames; ++k) {
			float place[3], turn[4], scale[3];
			cn_gltf_rod_floats(g->rods + (size_t)(i / 3) * frames + k, place, turn, scale);
			cn_out_floats(g->out, i % 3 == 0 ? place : i % 3 == 1 ? turn : scale, i % 3 == 1 ? 4 : 3);
		}
}

/* glTF counts texture coordinates from the upper left corner. */
static void write_paint(cn_gltf *g)
{
	for (uint32_t i = 0; i < g->shapes.table.count; ++i) {
		const cn_export_mesh *mesh = g->shapes.all + i;
		for (uint32_t k = 0; mesh->has_uvs && k < mesh->vertex_count; ++k)
			cn_out_floats(g->out, (float[]){mesh->vertices[k].uv[0], 1 - mesh->vertices[k].uv[1]}, 2);
	}
	for (uint32_t i = 0; i < g->shapes.table.count; ++i) {
		const cn_export_mesh *mesh = g->shapes.all + i;
		for (uint32_t k = 0; mesh->has_colors && k < mesh->vertex_count; ++k)
			cn_out_floats(g->out, mesh->vertices[k].color, 3);
	}
}

static void write_camera_keys(cn_gltf *g)
{
	uint32_t frames = g->camera ? cn_export_frames(g->e) : 0;
	for (uint32_t i = 0; i < 2; ++i)
		for (uint32_t k = 0; k < frames; ++k) {
			float place[3], turn[4];
			cn_gltf_camera_floats(g->camera + k, place, turn);
			cn_out_floats(g->out, i ? turn : place, i ? 4 : 3);
		}
}

static bool write_bin(cn_gltf *g, cairn_error *error)
{
	cn_export *e = g->e;
	write_shapes(g);
	for (uint32_t i = 0; i < cn_export_frames(e) && g->spans.count; ++i) {
		float time = frame_time(e, e->from + i);
		if (i && !(time > frame_time(e, e->from + i - 1)))
			return cn_fail(error, CAIRN_FAILED, "",
			               "the times of frames %" PRIu32 " and %" PRIu32
			               " are too near for the 32-bit times of a .glb; export fewer frames (--from, --to)",
			               e->from + i - 1, e->from + i);
		cn_out_floats(g->out, &time, 1);
	}
	for (uint32_t first = 0, end; first < e->info.bodies; first = end) {
		if (!cn_export_gather(e, first, &end, error))
			return false;
		for (uint32_t i = first; i < end; ++i)
			if (!write_track(g, i, error))
				return false;
	}
	write_rod_keys(g);
	write_camera_keys(g);
	write_paint(g);
	return true;
}

/* Header and chunks (4.4). The lengths come first in the file and last in the work. */
static bool write_glb(cn_gltf *g, cairn_error *error)
{
	uint64_t bin = bin_size(g);
	for (int i = 0; i < 4; ++i)
		cn_out_u32(g->out, 0);
	cn_out_text(g->out, "JSON");
	if (!write_json(g, error))
		return false;
	uint64_t json = g->out->size - 20, total = g->out->size + (bin ? 8 + bin : 0);
	if (total > UINT32_MAX)
		return cn_fail(error, CAIRN_FAILED, "",
		               "the file would have %.1f GiB, and a .glb holds 4 at most; export fewer frames (--from, --to)",
		               (double)total / 1073741824.0);
	if (bin) {
		cn_out_u32(g->out, (uint32_t)bin);
		cn_out_bytes(g->out, "BIN", 4);
		if (!write_bin(g, error))
			return false;
		assert(g->out->failed || g->out->size == total);
	}
	if (fseek(g->out->file, 0, SEEK_SET) != 0)
		g->out->failed = true;
	cn_out_text(g->out, "glTF");
	cn_out_u32(g->out, 2);
	cn_out_u32(g->out, (uint32_t)total);
	cn_out_u32(g->out, (uint32_t)json);
	return true;
}

bool cn_gltf_write(cn_export *e, cairn_error *error)
{
	cn_gltf g = {.e = e, .out = &e->out};
	if (!cn_export_survey(e, error))
		return false;
	cn_export_hide(e);
	g.names = cn_export_names(e, false);
	g.placed = cn_alloc(&e->allocator, (size_t)e->info.bodies + 1, sizeof *g.placed);
	bool ok = g.names && g.placed;
	if (!ok)
		cn_fail_memory(error);
	cn_meshes_begin(e, &g.shapes);
	ok = ok && place_nodes(&g, error) && place_rods(&g, error) && place_camera(&g, error);
	if (ok) {
		place_accessors(&g);
		ok = write_glb(&g, error);
	}
	cn_meshes_free(e, &g.shapes);
	cn_intern_free(&e->allocator, &g.materials);
	cn_intern_free(&e->allocator, &g.meshes);
	cn_intern_free(&e->allocator, &g.spans);
	cn_rods_free(e, g.rods);
	cn_camera_free(e, g.camera);
	cn_free(&e->allocator, g.placed, (size_t)e->info.bodies + 1, sizeof *g.placed);
	cn_export_names_free(e, g.names);
	return ok;
}
