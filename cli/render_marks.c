/* Contacts and the planes between bodies, drawn over the picture.
 *
 * A recording does not hold contacts: the world is run again from the checkpoint before, with the recorded inputs, which
 * gives the same ones. Everything is made of flat triangles that face the viewer, a few pixels wide at any distance. */
#include "message.h"
#include "render_math.h"
#include "render_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float PRESSES[4] = {0.05f, 0.45f, 0.95f, 0.95f}; /* holds something up */
static const float SLIDES[4] = {1.00f, 0.55f, 0.05f, 0.95f};  /* the same, and slides */
static const float TOUCHES[4] = {0.45f, 0.48f, 0.52f, 0.8f};  /* touches without pressing */
static const float FORCE[4] = {0.85f, 0.08f, 0.20f, 0.95f};   /* of impulses */
static const float PLANE[4] = {0.15f, 0.60f, 0.55f, 0.16f};
static const float OUTLINE[4] = {0.05f, 0.42f, 0.40f, 0.75f};
enum { DOT_SIDES = 10 };

static void add_vertex(mark_list *list, cairn_vec3 at, const float color[4])
{
	if (list->count == list->capacity) {
		list->capacity = 2 * list->capacity + 1024;
		list->items = memory_resize(list->items, list->capacity * sizeof *list->items);
	}
	mark_vertex *v = &list->items[list->count++];
	v->at[0] = (float)at.x, v->at[1] = (float)at.y, v->at[2] = (float)at.z;
	memcpy(v->color, color, sizeof v->color);
}

static void add_triangle(mark_list *list, cairn_vec3 a, cairn_vec3 b, cairn_vec3 c, const float color[4])
{
	add_vertex(list, a, color);
	add_vertex(list, b, color);
	add_vertex(list, c, color);
}

/* The size of a pixel of the finished picture at a place, m. */
static double pixel_at(const renderer *r, cairn_vec3 at)
{
	const stage_view *v = &r->stage.view;
	double depth = vec_dot(vec_sub(render_about(r, v->eye), at), v->back);
	return 2 * v->tan_y * fmax(depth, v->near) / r->def.height;
}

static void add_line(renderer *r, cairn_vec3 a, cairn_vec3 b, double pixels, const float color[4])
{
	cairn_vec3 toward = vec_sub(render_about(r, r->stage.view.eye), a);
	cairn_vec3 side = vec_unit(vec_cross(vec_sub(b, a), toward));
	cairn_vec3 from = vec_scale(pixels / 2 * pixel_at(r, a), side), to = vec_scale(pixels / 2 * pixel_at(r, b), side);
	add_triangle(&r->marks, vec_sub(a, from), vec_add(a, from), vec_add(b, to), color);
	add_triangle(&r->marks, vec_sub(a, from), vec_add(b, to), vec_sub(b, to), color);
}

static void add_arrow(renderer *r, cairn_vec3 a, cairn_vec3 b, double pixels, const float color[4])
{
	cairn_vec3 way = vec_sub(b, a), toward = vec_sub(render_about(r, r->stage.view.eye), b);
	double head = fmin(4 * pixels * pixel_at(r, b), 0.6 * vec_length(way));
	cairn_vec3 neck = vec_sub(b, vec_scale(head, vec_unit(way)));
	cairn_vec3 side = vec_scale(head / 2.5, vec_unit(vec_cross(way, toward)));
	add_line(r, a, neck, pixels, color);
	add_triangle(&r->marks, vec_sub(neck, side), vec_add(neck, side), b, color);
}

static void add_dot(renderer *r, cairn_vec3 at, double pixels, const float color[4])
{
	const stage_view *v = &r->stage.view;
	double radius = pixels / 2 * pixel_at(r, at);
	cairn_vec3 last = vec_add(at, vec_scale(radius, v->right));
	for (int i = 1; i <= DOT_SIDES; ++i) {
		double angle = 2 * 3.14159265358979 * i / DOT_SIDES;
		cairn_vec3 way = vec_add(vec_scale(cos(angle), v->right), vec_scale(sin(angle), v->up));
		cairn_vec3 next = vec_add(at, vec_scale(radius, way));
		add_triangle(&r->marks, at, last, next, color);
		last = next;
	}
}

/* The largest impulse of a frame is drawn as long as a typical body is wide, the others by their square root. Of the
 * two bodies it is the one that is pushed up whose normal and impulse are shown: what holds it. */
static void add_contact(renderer *r, const cairn_contact *c, double most)
{
	static const float rim[4] = {1, 1, 1, 0.9f};
	cairn_vec3 at = render_about(r, c->point);
	double impulse = vec_length(c->impulse), length = 2 * r->stage.grain;
	const float *color = c->sliding ? SLIDES : impulse > 0 ? PRESSES : TOUCHES;
	cairn_vec3 down = cairn_scene_settings(r->stage.scene).gravity;
	if (vec_length(down) == 0)
		down = (cairn_vec3){0, 0, -1};
	double on = vec_dot(impulse > 0 ? c->impulse : c->normal, down) > 0 ? -1 : 1; /* the first body, or the second */
	cairn_vec3 tip = vec_add(at, vec_scale(0.35 * length * on, c->normal));
	add_line(r, at, tip, 1.6, color);
	if (impulse > 0) {
		double shown = on * length * sqrt(impulse / most) / impulse;
		add_arrow(r, at, vec_add(at, vec_scale(shown, c->impulse)), 2.2, FORCE);
	}
	add_dot(r, at, 8, rim);
	add_dot(r, at, 6, color);
}

static double radius_of(const renderer *r, cairn_body body)
{
	double radius = cairn_world_body_info(r->world, body).radius;
	return isfinite(radius) ? radius : r->stage.extent;
}

/* A square through the middle of the gap, as wide as the smaller body. */
static void add_plane(renderer *r, const cairn_contact *c, cairn_vec3 middle)
{
	double size = 0.75 * fmin(radius_of(r, c->a), radius_of(r, c->b));
	cairn_vec3 at = vec_add(render_about(r, middle), vec_scale(c->gap / 2, c->normal));
	cairn_vec3 u = vec_scale(size, vec_across(c->normal)), v = vec_cross(c->normal, u);
	cairn_vec3 corners[4] = {vec_add(vec_add(at, u), v), vec_add(vec_sub(at, u), v), vec_sub(vec_sub(at, u), v),
	                         vec_sub(vec_add(at, u), v)};
	add_triangle(&r->marks, corners[0], corners[1], corners[2], PLANE);
	add_triangle(&r->marks, corners[0], corners[2], corners[3], PLANE);
	for (int i = 0; i < 4; ++i)
		add_line(r, corners[i], corners[(i + 1) % 4], 1.2, OUTLINE);
}

static bool same_pair(const cairn_contact *a, const cairn_contact *b)
{
	return a->a.index == b->a.index && a->b.index == b->b.index && vec_dot(a->normal, b->normal) > 0.9999;
}

/* Points that come one after another and have one pair and one normal lie on one plane. */
static void add_planes(renderer *r, const cairn_contact *contacts, uint32_t count)
{
	for (uint32_t i = 0, end; i < count; i = end) {
		cairn_vec3 sum = vec(0, 0, 0);
		for (end = i; end < count && same_pair(&contacts[i], &contacts[end]); ++end)
			sum = vec_add(sum, contacts[end].point);
		add_plane(r, &contacts[i], vec_scale(1.0 / (end - i), sum));
	}
}

/* A step from the frame before: contacts are what a step leaves. */
static bool run_to(renderer *r, uint32_t frame, cairn_error *error)
{
	cairn_recording *recording = r->stage.recording;
	cairn_frame read;
	if (r->world && cairn_world_frame(r->world) == frame)
		return true;
	if (!r->world || cairn_world_frame(r->world) + 1 != frame) {
		cairn_world_destroy(r->world);
		r->world = cairn_recording_world_at(recording, frame - 1, NULL, error);
		if (!r->world)
			return false;
	}
	if (!cairn_recording_read(recording, frame, &read, error) ||
	    (read.input_size && !cairn_world_replay(r->world, read.inputs, read.input_size, error)))
		return false;
	cairn_step_report report = cairn_world_step(r->world);
	if (report.status == CAIRN_STEP_OK && cairn_world_hash(r->world) == read.state_hash)
		return true;
	*error = (cairn_error){.code = CAIRN_FAILED};
	snprintf(error->message, sizeof error->message,
	         "frame %u comes out different when it is run again for its contacts; another version made the recording",
	         frame);
	return false;
}

bool marks_collect(renderer *r, uint32_t frame, cairn_error *error)
{
	if (frame == cairn_recording_get_info(r->stage.recording).first_frame)
		return true; /* no step led here */
	if (!run_to(r, frame, error))
		return false;
	uint32_t count = cairn_world_contacts(r->world, NULL, 0);
	cairn_contact *contacts = memory_resize(NULL, (count + 1) * sizeof *contacts);
	cairn_world_contacts(r->world, contacts, count);
	double most = 0;
	for (uint32_t i = 0; i < count; ++i)
		most = fmax(most, vec_length(contacts[i].impulse));
	if (r->def.planes)
		add_planes(r, contacts, count);
	for (uint32_t i = 0; i < count && r->def.contacts; ++i)
		add_contact(r, &contacts[i], most);
	free(contacts);
	return true;
}
