/* Draws a picture in passes: depths seen from the sun, depths and normals seen by the camera, the shade in corners, then
 * everything once with light, four samples a pixel; glass and marks last. The sky stays where it is: it is drawn once, and
 * put behind what has been drawn when the picture is read. */
#include "render_math.h"
#include "render_parts.h"

static const double HAZE = 6; /* of the distance of the scene: where the floor is half sky */

static gl_uint use(const renderer *r, shader_id id)
{
	r->g.UseProgram(r->programs[id]);
	return r->programs[id];
}

static void set_vec(const renderer *r, gl_uint program, const char *name, cairn_vec3 v)
{
	float x[3] = {(float)v.x, (float)v.y, (float)v.z};
	r->g.Uniform3fv(r->g.GetUniformLocation(program, name), 1, x);
}

static void set_four(const renderer *r, gl_uint program, const char *name, double a, double b, double c, double d)
{
	float x[4] = {(float)a, (float)b, (float)c, (float)d};
	r->g.Uniform4fv(r->g.GetUniformLocation(program, name), 1, x);
}

static void set_matrix(const renderer *r, gl_uint program, const char *name, const matrix *m)
{
	r->g.UniformMatrix4fv(r->g.GetUniformLocation(program, name), 1, 0, m->m);
}

static void set_texture(const renderer *r, gl_uint program, const char *name, gl_int unit, gl_uint texture)
{
	r->g.ActiveTexture((gl_enum)(GL_TEXTURE0 + unit));
	r->g.BindTexture(GL_TEXTURE_2D, texture);
	r->g.Uniform1i(r->g.GetUniformLocation(program, name), unit);
}

static void draw_batch(const renderer *r, const batch *b, gl_uint array, gl_int count, gl_enum mode)
{
	r->g.BindVertexArray(array);
	setup_instances(r, b->first);
	if (b->mesh->open)
		r->g.Disable(GL_CULL_FACE);
	r->g.DrawElementsInstanced(mode, count, GL_UNSIGNED_INT, 0, (gl_int)b->count);
	if (b->mesh->open)
		r->g.Enable(GL_CULL_FACE);
}

static void draw_shadows(const renderer *r, const batch *batches, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		draw_batch(r, &batches[i], batches[i].mesh->shadow, batches[i].mesh->shadow_count, GL_TRIANGLES);
}

static void draw_whole(const renderer *r)
{
	r->g.BindVertexArray(r->nothing);
	r->g.DrawArrays(GL_TRIANGLES, 0, 3);
}

static void begin(const renderer *r, gl_uint frame, surface_size size)
{
	r->g.BindFramebuffer(GL_FRAMEBUFFER, frame);
	r->g.Viewport(0, 0, size.width, size.height);
}

static matrix look_of(const renderer *r)
{
	const stage_view *v = &r->stage.view;
	return matrix_look(render_about(r, v->eye), v->right, v->up, v->back);
}

static matrix project_of(const renderer *r)
{
	const stage_view *v = &r->stage.view;
	matrix look = look_of(r), lens = matrix_perspective(v->tan_x, v->tan_y, v->near, v->far);
	return matrix_mul(&lens, &look);
}

/* The map of shadows is a box about the whole scene. */
static double shadow_half(const renderer *r) { return 1.02 * r->stage.extent; }

static matrix to_sun_of(const renderer *r)
{
	double half = shadow_half(r);
	cairn_vec3 right = vec_across(r->stage.sun), up = vec_cross(r->stage.sun, right);
	matrix look = matrix_look(vec(0, 0, 0), right, up, r->stage.sun);
	matrix lens = matrix_parallel(half, half, -1.5 * half, 1.5 * half);
	return matrix_mul(&lens, &look);
}

static void pass_shadow(const renderer *r)
{
	const gl *g = &r->g;
	matrix to_sun = to_sun_of(r);
	begin(r, r->shadow_frame, (surface_size){r->shadow_size, r->shadow_size});
	g->Clear(GL_DEPTH_BUFFER_BIT);
	set_matrix(r, use(r, SHADER_SHADOW), "project", &to_sun);
	g->Enable(GL_POLYGON_OFFSET_FILL);
	g->PolygonOffset(1.5f, 3);
	draw_shadows(r, r->solid, r->solid_count);
	g->Disable(GL_POLYGON_OFFSET_FILL);
}

static cairn_vec3 in_view(const renderer *r, cairn_vec3 v)
{
	const stage_view *view = &r->stage.view;
	return vec(vec_dot(view->right, v), vec_dot(view->up, v), vec_dot(view->back, v));
}

/* The camera's axes back to those of the scene. */
static matrix unlook_of(const renderer *r)
{
	const stage_view *v = &r->stage.view;
	cairn_vec3 eye = render_about(r, v->eye);
	return (matrix){{(float)v->right.x, (float)v->right.y, (float)v->right.z, 0, (float)v->up.x, (float)v->up.y,
	                 (float)v->up.z, 0, (float)v->back.x, (float)v->back.y, (float)v->back.z, 0, (float)eye.x,
	                 (float)eye.y, (float)eye.z, 1}};
}

static double depth_unit(const renderer *r)
{
	return 1 / (vec_length(vec_sub(r->stage.view.eye, r->stage.middle)) + r->stage.extent);
}

static void set_sun(const renderer *r, gl_uint program)
{
	double half = shadow_half(r), texel = 2 * half / r->shadow_size; /* m */
	double soft = fmin(fmax(1.6 * texel, 0.10 * r->stage.grain), 16 * texel);
	cairn_vec3 right = vec_across(r->stage.sun);
	matrix to_sun = to_sun_of(r), unlook = unlook_of(r), both = matrix_mul(&to_sun, &unlook);
	set_matrix(r, program, "to_sun", &both);
	set_vec(r, program, "sun", in_view(r, r->stage.sun));
	set_vec(r, program, "sun_right", in_view(r, right));
	set_vec(r, program, "sun_up", in_view(r, vec_cross(r->stage.sun, right)));
	set_four(r, program, "soft", soft / (2 * half), r->shadow_taps, 1.6 * texel, depth_unit(r));
	set_texture(r, program, "shadows", 1, r->shadow_map);
}

static void draw_geometry(const renderer *r)
{
	const gl *g = &r->g;
	matrix look = look_of(r), project = project_of(r);
	begin(r, r->geometry_frame, r->small);
	g->ClearColor(0, 0, 0, 1e30f);
	g->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	gl_uint program = use(r, SHADER_DEPTH);
	set_matrix(r, program, "look", &look);
	set_matrix(r, program, "project", &project);
	draw_shadows(r, r->solid, r->solid_count);
	draw_shadows(r, &r->floor, r->floor.count ? 1 : 0);
}

static void pass_corners(const renderer *r)
{
	const gl *g = &r->g;
	const stage_view *v = &r->stage.view;
	draw_geometry(r);
	g->Disable(GL_DEPTH_TEST);
	begin(r, r->corner_frames[0], r->small);
	gl_uint program = use(r, SHADER_CORNERS);
	set_texture(r, program, "geometry", 0, r->geometry_map);
	set_four(r, program, "lens", v->tan_x, v->tan_y, r->small.height / (2 * v->tan_y), r->corner_taps);
	set_four(r, program, "reach", 1.3 * r->stage.grain, r->small.height / 10.0, 3.0, 0.0015);
	set_sun(r, program);
	draw_whole(r);
	begin(r, r->corner_frames[1], r->small);
	program = use(r, SHADER_SMOOTH);
	set_texture(r, program, "corners", 0, r->corner_maps[0]);
	draw_whole(r);
	g->Enable(GL_DEPTH_TEST);
}

/* What all programs with light take. */
static gl_uint use_light(const renderer *r, shader_id id)
{
	const render_stage *s = &r->stage;
	gl_uint program = use(r, id);
	matrix project = project_of(r);
	set_matrix(r, program, "project", &project);
	set_vec(r, program, "eye", render_about(r, s->view.eye));
	set_vec(r, program, "sun", s->sun);
	set_vec(r, program, "sun_color", vec(s->light.r, 0.96 * s->light.g, 0.89 * s->light.b));
	set_vec(r, program, "up", s->sky);
	set_texture(r, program, "corners", 0, r->corner_maps[1]);
	set_texture(r, program, "raw", 1, r->corner_maps[0]);
	set_four(r, program, "shade", 1.0 / r->full.width, 1.0 / r->full.height, depth_unit(r), r->oversample);
	return program;
}

static void draw_surfaces(const renderer *r, gl_uint program, const batch *batches, uint32_t count)
{
	double pixels = r->full.height / (2 * r->stage.view.tan_y);
	for (uint32_t i = 0; i < count; ++i) {
		const gpu_mesh *m = batches[i].mesh;
		set_four(r, program, "finish", (double)m->worn, (double)m->pattern, pixels, 1 / (double)m->worn);
		draw_batch(r, &batches[i], m->surface, m->surface_count, GL_TRIANGLES);
	}
}

/* 1, 2 or 5 times a power of ten, near x. */
static double round_number(double x)
{
	double power = pow(10, floor(log10(x))), part = x / power;
	return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void draw_floor(const renderer *r)
{
	const gl *g = &r->g;
	if (r->floor.count == 0)
		return;
	gl_uint program = use_light(r, SHADER_FLOOR);
	set_vec(r, program, "origin", render_about(r, vec(0, 0, 0)));
	for (uint32_t i = 0; i < r->floor.count; ++i) {
		const instance *f = &r->instances[r->floor.first + i];
		cairn_vec3 axes[4];
		for (int k = 0; k < 4; ++k)
			axes[k] = vec((double)f->rows[0][k], (double)f->rows[1][k], (double)f->rows[2][k]);
		set_vec(r, program, "across", axes[0]);
		set_vec(r, program, "along", axes[1]);
		set_vec(r, program, "normal", axes[2]);
		set_vec(r, program, "corner", axes[3]);
		set_four(r, program, "grid", 1 / (vec_length(axes[0]) * round_number(2 * r->stage.grain)), 0, 0, 0);
		set_four(r, program, "ground", (double)f->color[0], (double)f->color[1], (double)f->color[2],
		         depth_unit(r) / HAZE);
		g->BindVertexArray(r->nothing);
		g->DrawArrays(GL_TRIANGLES, 0, 6);
	}
}

static void draw_lines(const renderer *r)
{
	matrix project = project_of(r);
	set_matrix(r, use(r, SHADER_LINES), "project", &project);
	r->g.LineWidth((float)r->oversample);
	for (uint32_t i = 0; i < r->solid_count; ++i)
		draw_batch(r, &r->solid[i], r->solid[i].mesh->lines, r->solid[i].mesh->line_count, GL_LINES);
	for (uint32_t i = 0; i < r->glass_count; ++i)
		draw_batch(r, &r->glass[i], r->glass[i].mesh->lines, r->glass[i].mesh->line_count, GL_LINES);
}

/* Seen through everything: what they tell is mostly inside piles. */
static void draw_marks(const renderer *r)
{
	const gl *g = &r->g;
	matrix project = project_of(r);
	if (r->marks.count == 0)
		return;
	set_matrix(r, use(r, SHADER_MARKS), "project", &project);
	g->BindVertexArray(r->mark_array);
	g->BindBuffer(GL_ARRAY_BUFFER, r->mark_buffer);
	g->BufferData(GL_ARRAY_BUFFER, (gl_size)(r->marks.count * sizeof(mark_vertex)), r->marks.items, GL_STREAM_DRAW);
	g->Disable(GL_DEPTH_TEST);
	g->Disable(GL_CULL_FACE);
	g->DrawArrays(GL_TRIANGLES, 0, (gl_int)r->marks.count);
	g->Enable(GL_CULL_FACE);
	g->Enable(GL_DEPTH_TEST);
}

static void pass_picture(const renderer *r)
{
	const gl *g = &r->g;
	begin(r, r->main_frame, r->full);
	g->Enable(GL_MULTISAMPLE);
	g->ClearColor(0, 0, 0, 0);
	g->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	if (!r->def.wireframe)
		draw_surfaces(r, use_light(r, SHADER_BODY), r->solid, r->solid_count);
	draw_floor(r);
	g->Enable(GL_BLEND);
	g->BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
	g->DepthMask(0);
	if (r->def.wireframe) {
		draw_lines(r);
	} else {
		g->Disable(GL_CULL_FACE);
		g->Enable(GL_POLYGON_OFFSET_FILL); /* where glass meets something solid, that is seen */
		g->PolygonOffset(2, 8);
		draw_surfaces(r, use_light(r, SHADER_GLASS), r->glass, r->glass_count);
		g->Disable(GL_POLYGON_OFFSET_FILL);
		g->Enable(GL_CULL_FACE);
	}
	draw_marks(r);
	g->DepthMask(1);
	g->Disable(GL_BLEND);
}

static void read_pixels(const renderer *r, uint8_t *pixels)
{
	r->g.BindFramebuffer(GL_READ_FRAMEBUFFER, r->plain_frame);
	r->g.PixelStorei(GL_PACK_ALIGNMENT, 1);
	r->g.ReadPixels(0, 0, r->full.width, r->full.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void resolve(const renderer *r)
{
	surface_size s = r->full;
	r->g.BindFramebuffer(GL_READ_FRAMEBUFFER, r->main_frame);
	r->g.BindFramebuffer(GL_DRAW_FRAMEBUFFER, r->plain_frame);
	r->g.BlitFramebuffer(0, 0, s.width, s.height, 0, 0, s.width, s.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

void passes_draw_sky(renderer *r, uint8_t *pixels)
{
	const stage_view *v = &r->stage.view;
	begin(r, r->plain_frame, r->full);
	gl_uint program = use_light(r, SHADER_SKY);
	set_vec(r, program, "right_way", vec_scale(v->tan_x, v->right));
	set_vec(r, program, "up_way", vec_scale(v->tan_y, v->up));
	set_vec(r, program, "forward", vec_scale(-1, v->back));
	draw_whole(r);
	read_pixels(r, pixels);
}

void passes_draw(renderer *r)
{
	const gl *g = &r->g;
	g->BindBuffer(GL_ARRAY_BUFFER, r->instance_buffer);
	g->BufferData(GL_ARRAY_BUFFER, (gl_size)(r->instance_count * sizeof(instance)), r->instances, GL_STREAM_DRAW);
	g->Enable(GL_DEPTH_TEST);
	g->Enable(GL_CULL_FACE);
	g->DepthFunc(GL_LESS);
	if (!r->def.wireframe) {
		pass_shadow(r);
		pass_corners(r);
	} else {
		begin(r, r->shadow_frame, (surface_size){r->shadow_size, r->shadow_size});
		g->Clear(GL_DEPTH_BUFFER_BIT);
		begin(r, r->corner_frames[1], r->small); /* open everywhere */
		g->ClearColor(1, 1, 1, 1);
		g->Clear(GL_COLOR_BUFFER_BIT);
	}
	pass_picture(r);
	resolve(r);
	g->Flush();
}

void passes_read(renderer *r) { read_pixels(r, r->pixels); }
