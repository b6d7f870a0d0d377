/* What the renderer makes once: programs, pictures to draw into, shapes. */
#include "message.h"
#include "render_math.h"
#include "render_mesh.h"
#include "render_parts.h"

#include <stdio.h>
#include <string.h>

static const double PIXEL_ERROR = 0.5;         /* how far a curved surface may be off, in pixels as drawn */
static const double CREASE_CURVED = 0.7;       /* rad: balls, capsules and cylinders are round but for real edges */
static const double CREASE_FLAT = 0.02;        /* rad: boxes and hulls show every edge */
static const double CREASE_MESH = 0.5;         /* rad: compounds and meshes are something between */
static const uint32_t TRIANGLES_FAST = 120000; /* of all bodies of a shape together */
static const uint32_t TRIANGLES_FINE = 4000000;
static const double PIXELS_OVERSAMPLED = 5e6; /* the most in a picture that is drawn at twice its size */

static bool fail_memory(cairn_error *error, const char *what)
{
	*error = (cairn_error){.code = CAIRN_MISSING};
	snprintf(error->message, sizeof error->message, "OpenGL here makes no %s of that size; give a smaller --size",
	         what);
	return false;
}

static gl_uint make_texture(const renderer *r, surface_size size, gl_int format, gl_enum layout, gl_int filter)
{
	const gl *g = &r->g;
	gl_uint texture;
	g->GenTextures(1, &texture);
	g->BindTexture(GL_TEXTURE_2D, texture);
	g->TexImage2D(GL_TEXTURE_2D, 0, format, size.width, size.height, 0, layout, GL_FLOAT, NULL);
	g->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
	g->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
	g->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
	g->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
	return texture;
}

/* samples 0: one a pixel. */
static void attach_buffer(const renderer *r, surface_size size, gl_enum to, gl_enum format, gl_int samples)
{
	const gl *g = &r->g;
	gl_uint buffer;
	g->GenRenderbuffers(1, &buffer);
	g->BindRenderbuffer(GL_RENDERBUFFER, buffer);
	if (samples)
		g->RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, size.width, size.height);
	else
		g->RenderbufferStorage(GL_RENDERBUFFER, format, size.width, size.height);
	g->FramebufferRenderbuffer(GL_FRAMEBUFFER, to, GL_RENDERBUFFER, buffer);
}

static gl_uint begin_frame(const renderer *r)
{
	gl_uint frame;
	r->g.GenFramebuffers(1, &frame);
	r->g.BindFramebuffer(GL_FRAMEBUFFER, frame);
	return frame;
}

static bool is_whole(const renderer *r)
{
	return r->g.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && r->g.GetError() == 0;
}

static bool make_picture(renderer *r, cairn_error *error)
{
	r->main_frame = begin_frame(r);
	attach_buffer(r, r->full, GL_COLOR_ATTACHMENT0, GL_RGBA8, r->samples);
	attach_buffer(r, r->full, GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24, r->samples);
	if (!is_whole(r))
		return fail_memory(error, "picture");
	r->plain_frame = begin_frame(r);
	attach_buffer(r, r->full, GL_COLOR_ATTACHMENT0, GL_RGBA8, 0);
	return is_whole(r) || fail_memory(error, "picture");
}

static bool make_shadow(renderer *r, cairn_error *error)
{
	const gl *g = &r->g;
	surface_size size = {r->shadow_size, r->shadow_size};
	r->shadow_map = make_texture(r, size, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_NEAREST);
	g->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	g->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
	r->shadow_frame = begin_frame(r);
	g->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, r->shadow_map, 0);
	g->DrawBuffer(0);
	g->ReadBuffer(0);
	return is_whole(r) || fail_memory(error, "map of shadows");
}

static bool make_corners(renderer *r, cairn_error *error)
{
	const gl *g = &r->g;
	r->geometry_map = make_texture(r, r->small, GL_RGBA32F, GL_RGBA, GL_NEAREST);
	r->geometry_frame = begin_frame(r);
	g->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, r->geometry_map, 0);
	attach_buffer(r, r->small, GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24, 0);
	bool whole = is_whole(r);
	for (int i = 0; i < 2; ++i) {
		r->corner_maps[i] = make_texture(r, r->small, GL_RGBA8, GL_RGBA, i == 0 ? GL_NEAREST : GL_LINEAR);
		r->corner_frames[i] = begin_frame(r);
		g->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, r->corner_maps[i], 0);
		whole &= is_whole(r);
	}
	return whole || fail_memory(error, "map of corners");
}

static void choose_sizes(renderer *r)
{
	const char *driver = r->g.GetString(GL_RENDERER);
	bool fine = r->def.quality == RENDER_FINE;
	bool software = driver && (strstr(driver, "llvmpipe") || strstr(driver, "softpipe"));
	r->samples = software && !fine ? 0 : 4;
	r->oversample = fine && (double)r->def.width * r->def.height < PIXELS_OVERSAMPLED ? 2 : 1;
	r->full = (surface_size){(gl_int)r->def.width * r->oversample, (gl_int)r->def.height * r->oversample};
	r->small = (surface_size){(r->full.width + 1) / 2, (r->full.height + 1) / 2};
	r->shadow_size = fine ? 4096 : 1536;
	r->shadow_taps = fine ? 24 : 4;
	r->corner_taps = fine ? 28 : 7;
	r->pixels = memory_resize(NULL, 4 * (size_t)r->full.width * (size_t)r->full.height);
	r->luma = memory_resize(NULL, (size_t)r->full.width * (size_t)r->full.height);
	for (int i = 0; i < 2; ++i)
		r->sky[i] = memory_resize(NULL, 4 * (size_t)r->full.width * (size_t)r->full.height);
}

bool setup_targets(renderer *r, cairn_error *error)
{
	const gl *g = &r->g;
	choose_sizes(r);
	for (int i = 0; i < SHADER_COUNT; ++i) {
		r->programs[i] = gl_program(g, shader_texts[i].vertex, shader_texts[i].fragment, error);
		if (!r->programs[i])
			return false;
	}
	g->GenVertexArrays(1, &r->nothing);
	g->GenBuffers(1, &r->instance_buffer);
	g->GenVertexArrays(1, &r->mark_array);
	g->GenBuffers(1, &r->mark_buffer);
	g->BindVertexArray(r->mark_array);
	g->BindBuffer(GL_ARRAY_BUFFER, r->mark_buffer);
	g->VertexAttribPointer(0, 3, GL_FLOAT, 0, sizeof(mark_vertex), 0);
	g->VertexAttribPointer(1, 4, GL_FLOAT, 0, sizeof(mark_vertex), offsetof(mark_vertex, color));
	g->EnableVertexAttribArray(0);
	g->EnableVertexAttribArray(1);
	return make_picture(r, error) && make_shadow(r, error) && make_corners(r, error);
}

void setup_instances(const renderer *r, uint32_t first)
{
	const gl *g = &r->g;
	g->BindBuffer(GL_ARRAY_BUFFER, r->instance_buffer);
	for (gl_uint i = 0; i < 4; ++i) {
		size_t offset = first * sizeof(instance) + i * 4 * sizeof(float);
		g->VertexAttribPointer(4 + i, 4, GL_FLOAT, 0, sizeof(instance), offset);
	}
}

/* A vertex array of its own buffers; instances come from the renderer's. */
static gl_uint begin_array(const renderer *r, const void *vertices, size_t size, const uint32_t *indices,
                           uint32_t count)
{
	const gl *g = &r->g;
	gl_uint array, buffers[2];
	g->GenVertexArrays(1, &array);
	g->BindVertexArray(array);
	g->GenBuffers(2, buffers);
	g->BindBuffer(GL_ARRAY_BUFFER, buffers[0]);
	g->BufferData(GL_ARRAY_BUFFER, (gl_size)size, vertices, GL_STATIC_DRAW);
	g->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
	g->BufferData(GL_ELEMENT_ARRAY_BUFFER, (gl_size)(count * sizeof *indices), indices, GL_STATIC_DRAW);
	for (gl_uint i = 4; i < 8; ++i) {
		g->EnableVertexAttribArray(i);
		g->VertexAttribDivisor(i, 1);
	}
	return array;
}

static gl_uint make_surface(const renderer *r, const render_mesh *m)
{
	gl_uint array = begin_array(r, m->vertices, m->vertex_count * sizeof(mesh_vertex), m->indices, m->index_count);
	for (gl_uint i = 0; i < 5; ++i) {
		size_t offset = 3 * sizeof(float) * i;
		gl_uint location = i < 4 ? i : 8; /* those between are of the instance */
		r->g.VertexAttribPointer(location, 3, GL_FLOAT, 0, sizeof(mesh_vertex), offset);
		r->g.EnableVertexAttribArray(location);
	}
	return array;
}

static gl_uint make_points(const renderer *r, const render_mesh *m, const uint32_t *indices, uint32_t count)
{
	gl_uint array = begin_array(r, m->points, m->point_count * sizeof *m->points, indices, count);
	r->g.VertexAttribPointer(0, 3, GL_FLOAT, 0, 3 * sizeof(float), 0);
	r->g.EnableVertexAttribArray(0);
	return array;
}

static bool read_surface(const renderer *r, cairn_shape shape, double tolerance, render_mesh *mesh, cairn_error *error)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_surface surface;
	cairn_look look = cairn_shape_kind_at(cairn_scene_shape_at(r->stage.scene, shape.index).kind)->look;
	if (!cairn_scene_surface(r->stage.scene, shape, tolerance, 1, &allocator, &surface, error))
		return false;
	render_mesh_build(mesh, &surface,
	                  look == CAIRN_LOOK_FLAT    ? CREASE_FLAT
	                  : look == CAIRN_LOOK_MIXED ? CREASE_MESH
	                                             : CREASE_CURVED);
	cairn_surface_free(&surface, &allocator);
	return true;
}

/* Edges are worn by a part of the smallest width, so that a blade stays one. */
static float worn_width(const renderer *r, cairn_shape shape)
{
	cairn_box box = cairn_scene_shape_facts(r->stage.scene, shape).box;
	cairn_vec3 size = vec_sub(box.max, box.min);
	return (float)(0.045 * fmin(size.x, fmin(size.y, size.z)));
}

bool setup_mesh(renderer *r, cairn_shape shape, double radius, cairn_error *error)
{
	gpu_mesh *made = &r->meshes[shape.index];
	const stage_view *v = &r->stage.view;
	uint32_t most = r->def.quality == RENDER_FINE ? TRIANGLES_FINE : TRIANGLES_FAST;
	render_mesh fine, coarse;
	if (made->surface)
		return true;
	double away = fmax(vec_length(vec_sub(v->eye, r->stage.middle)) - r->stage.extent / 2, 2 * radius);
	double pixels = radius / (away * v->tan_y) * r->full.height / 2;
	double tolerance = fmin(fmax(PIXEL_ERROR / fmax(pixels, 1e-3), 0.001), 0.08);
	for (;;) {
		if (!read_surface(r, shape, tolerance, &fine, error))
			return false;
		if (tolerance > 0.07 || (uint64_t)fine.index_count / 3 * r->uses[shape.index] <= most)
			break;
		render_mesh_free(&fine);
		tolerance *= 1.5;
	}
	if (!read_surface(r, shape, fmin(4 * tolerance, r->def.quality == RENDER_FINE ? 0.05 : 0.2), &coarse, error)) {
		render_mesh_free(&fine);
		return false;
	}
	made->surface = make_surface(r, &fine);
	made->shadow = make_points(r, &coarse, coarse.point_indices, coarse.point_index_count);
	made->lines = make_points(r, &coarse, coarse.lines, coarse.line_count);
	made->surface_count = (gl_int)fine.index_count;
	made->shadow_count = (gl_int)coarse.point_index_count;
	made->line_count = (gl_int)coarse.line_count;
	made->worn = worn_width(r, shape);
	cairn_shape_def def = cairn_scene_shape_at(r->stage.scene, shape.index);
	made->pattern = def.kind == CAIRN_SPHERE     ? PATTERN_BAND
	                : def.kind == CAIRN_CYLINDER ? PATTERN_QUARTERS
	                                             : PATTERN_NONE;
	made->open = def.kind == CAIRN_MESH && (def.shell || def.visual);
	render_mesh_free(&fine);
	render_mesh_free(&coarse);
	return true;
}

static gpu_mesh make_simple(const renderer *r, const cairn_surface *surface, double crease, double worn)
{
	render_mesh mesh;
	render_mesh_build(&mesh, surface, crease);
	gpu_mesh made = {.surface = make_surface(r, &mesh),
	                 .shadow = make_points(r, &mesh, mesh.point_indices, mesh.point_index_count),
	                 .lines = make_points(r, &mesh, mesh.lines, mesh.line_count),
	                 .surface_count = (gl_int)mesh.index_count,
	                 .shadow_count = (gl_int)mesh.point_index_count,
	                 .line_count = (gl_int)mesh.line_count,
	                 .worn = (float)worn};
	render_mesh_free(&mesh);
	return made;
}

void setup_square(renderer *r)
{
	cairn_vec3 points[4] = {vec(-1, -1, 0), vec(1, -1, 0), vec(1, 1, 0), vec(-1, 1, 0)};
	uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
	cairn_surface surface = {.points = points, .triangles = triangles, .point_count = 4, .triangle_count = 2};
	r->square = make_simple(r, &surface, CREASE_FLAT, 0.01);
}

void setup_tube(renderer *r, double radius)
{
	enum { SIDES = 12 };
	cairn_vec3 points[2 * SIDES];
	uint32_t triangles[6 * SIDES];
	for (uint32_t i = 0; i < SIDES; ++i) {
		double angle = 2 * 3.14159265358979 * i / SIDES, x = radius * cos(angle), y = radius * sin(angle);
		uint32_t next = (i + 1) % SIDES, corners[6] = {i, next, SIDES + next, i, SIDES + next, SIDES + i};
		points[i] = vec(x, y, 0), points[SIDES + i] = vec(x, y, 1);
		memcpy(&triangles[6 * (size_t)i], corners, sizeof corners);
	}
	cairn_surface surface = {
		.points = points, .triangles = triangles, .point_count = 2 * SIDES, .triangle_count = 2 * SIDES};
	r->rods.tube = make_simple(r, &surface, CREASE_CURVED, 0.1 * radius);
}
