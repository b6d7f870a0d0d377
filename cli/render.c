/* A renderer's life, and what it draws at a moment: bodies in batches of one shape, nearest first (so that what is
 * hidden is skipped early), glass one by one from the back. */
#include "render.h"
#include "message.h"
#include "render_edges.h"
#include "render_math.h"
#include "render_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static const double FLOOR_SIZE = 60;                  /* half the width of a floor, in distances of the scene */
static const float ASLEEP[3] = {0.10f, 0.16f, 0.30f}; /* what sleeping bodies are tinted with */
static const float GLASS_ALPHA = 0.07f;

render_def render_default_def(const cairn_recording *recording)
{
	cairn_recording_info info = cairn_recording_get_info(recording);
	return (render_def){.width = 1280, .height = 720, .from = info.first_frame, .to = info.last_frame};
}

cairn_vec3 render_about(const renderer *r, cairn_vec3 point) { return vec_sub(point, r->stage.middle); }

/* A software driver allocates and frees many megabytes a frame; giving them back to the system each time and asking for
 * them again can take a fifth of the whole. */
static void keep_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

renderer *render_open(cairn_recording *recording, const render_def *def, cairn_error *error)
{
	renderer *r = memory_resize(NULL, sizeof *r);
	*r = (renderer){.def = *def};
	keep_memory();
	if (!gl_open(&r->g, error) || !stage_open(&r->stage, recording, def, error) || !setup_targets(r, error)) {
		render_close(r);
		return NULL;
	}
	uint32_t shapes = cairn_scene_shape_count(r->stage.scene) + 1;
	r->meshes = memory_resize(NULL, shapes * sizeof *r->meshes);
	r->uses = memory_resize(NULL, shapes * sizeof *r->uses);
	memset(r->meshes, 0, shapes * sizeof *r->meshes);
	memset(r->uses, 0, shapes * sizeof *r->uses);
	for (uint32_t i = 0; i < r->stage.track_count; ++i)
		++r->uses[r->stage.tracks[i].shown.index];
	setup_square(r);
	rods_open(r);
	passes_draw_sky(r, r->sky[0]);
	return r;
}

void render_close(renderer *r)
{
	if (!r)
		return;
	cairn_world_destroy(r->world);
	rods_close(r);
	stage_close(&r->stage);
	gl_close(&r->g);
	free(r->pixels);
	free(r->sky[0]);
	free(r->sky[1]);
	free(r->luma);
	free(r->meshes);
	free(r->uses);
	free(r->instances);
	free(r->solid);
	free(r->glass);
	free(r->marks.items);
	free(r);
}

/* What is to be drawn, with what its order depends on. */
typedef struct item {
	uint32_t pose;
	uint32_t group; /* solids by shape; then floors; then glass */
	double away;    /* from the eye, m */
} item;

static int compare(const void *a, const void *b)
{
	const item *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->away != y->away)
		return x->away < y->away ? -1 : 1;
	return (x->pose > y->pose) - (x->pose < y->pose);
}

static void put_column(instance *to, int column, cairn_vec3 v)
{
	to->rows[0][column] = (float)v.x;
	to->rows[1][column] = (float)v.y;
	to->rows[2][column] = (float)v.z;
}

/* A half-space is a square about the scene, a floor one that reaches far. */
static void place_square(const renderer *r, const stage_pose *p, instance *to)
{
	const stage_track *t = &r->stage.tracks[p->track];
	cairn_shape_def def = cairn_scene_shape_at(r->stage.scene, t->shape.index);
	cairn_vec3 normal = vec_unit(quat_turn(p->pose.orientation, def.normal));
	double offset = def.offset / vec_length(def.normal) + vec_dot(normal, p->pose.position);
	double size = 1.1 * r->stage.extent;
	cairn_vec3 across = vec_across(normal), along = vec_cross(normal, across);
	cairn_vec3 middle = vec_scale(offset - vec_dot(normal, r->stage.middle), normal);
	if (normal.z > 0.999)
		across = vec(1, 0, 0), along = vec_cross(normal, across);
	if (t->role == STAGE_FLOOR)
		size = FLOOR_SIZE * (vec_length(vec_sub(r->stage.view.eye, r->stage.middle)) + r->stage.extent);
	put_column(to, 0, vec_scale(size, across));
	put_column(to, 1, vec_scale(size, along));
	put_column(to, 2, normal);
	put_column(to, 3, middle);
}

static void place_body(const renderer *r, const stage_pose *p, instance *to)
{
	cairn_pose offset = r->stage.tracks[p->track].offset;
	cairn_quat q = quat_mul(p->pose.orientation, offset.orientation);
	put_column(to, 0, quat_turn(q, vec(1, 0, 0)));
	put_column(to, 1, quat_turn(q, vec(0, 1, 0)));
	put_column(to, 2, quat_turn(q, vec(0, 0, 1)));
	put_column(to, 3, render_about(r, vec_add(p->pose.position, quat_turn(p->pose.orientation, offset.position))));
}

static void add_instance(renderer *r, const stage_pose *p)
{
	const stage_track *t = &r->stage.tracks[p->track];
	instance *to = &r->instances[r->instance_count++];
	float tint = r->def.sleeping && p->asleep ? 0.8f : 0;
	if (t->role == STAGE_FLOOR || t->role == STAGE_PANEL)
		place_square(r, p, to);
	else
		place_body(r, p, to);
	for (int i = 0; i < 3; ++i)
		to->color[i] = t->color[i] + tint * (ASLEEP[i] - t->color[i]);
	bool glass = t->role == STAGE_GLASS || t->role == STAGE_PANEL;
	float shine = t->role == STAGE_SOLID ? fmaxf(t->shine, 1e-3f) : 1;
	to->color[3] = glass ? GLASS_ALPHA : t->type == CAIRN_FIXED ? -shine : shine; /* below 0: without a pattern */
	if (r->def.wireframe)
		to->color[3] = t->type == CAIRN_FIXED ? 0.35f : 0.9f;
}

static void add_to_batches(renderer *r, const stage_pose *p, double away)
{
	const stage_track *t = &r->stage.tracks[p->track];
	bool square = t->role == STAGE_FLOOR || t->role == STAGE_PANEL;
	const gpu_mesh *mesh = square ? &r->square : &r->meshes[t->shown.index];
	bool joins = r->solid_count > 0 && r->solid[r->solid_count - 1].mesh == mesh;
	batch made = {.mesh = mesh, .first = r->instance_count, .count = 1, .away = away};
	if (t->role == STAGE_GLASS || t->role == STAGE_PANEL)
		r->glass[r->glass_count++] = made;
	else if (t->role == STAGE_FLOOR && r->floor.count++ == 0)
		r->floor.mesh = mesh, r->floor.first = r->instance_count;
	else if (t->role == STAGE_SOLID && joins)
		++r->solid[r->solid_count - 1].count, r->solid[r->solid_count - 1].away += away;
	else if (t->role == STAGE_SOLID)
		r->solid[r->solid_count++] = made;
}

static int compare_batches(const void *a, const void *b)
{
	const batch *x = a, *y = b;
	double nearer = x->away / x->count - y->away / y->count;
	return nearer < 0 ? -1 : nearer > 0 ? 1 : (x->first > y->first) - (x->first < y->first);
}

static uint32_t list_items(const renderer *r, item *items)
{
	const stage_view *v = &r->stage.view;
	uint32_t count = 0;
	for (uint32_t i = 0; i < r->stage.pose_count; ++i) {
		const stage_pose *p = &r->stage.poses[i];
		const stage_track *t = &r->stage.tracks[p->track];
		cairn_vec3 center = vec_add(p->pose.position, quat_turn(p->pose.orientation, t->center));
		double away = vec_dot(vec_sub(v->eye, center), v->back);
		item made = {.pose = i, .group = t->shown.index, .away = away};
		if (t->role == STAGE_UNSEEN)
			continue;
		if (t->role == STAGE_FLOOR)
			made = (item){.pose = i, .group = UINT32_MAX - 1};
		else if (t->role != STAGE_SOLID)
			made = (item){.pose = i, .group = UINT32_MAX, .away = -away};
		items[count++] = made;
	}
	return count;
}

static void make_room(renderer *r, uint32_t count)
{
	if (count <= r->batch_capacity)
		return;
	r->batch_capacity = r->instance_capacity = count + count / 2;
	r->instances = memory_resize(r->instances, r->batch_capacity * sizeof *r->instances);
	r->solid = memory_resize(r->solid, r->batch_capacity * sizeof *r->solid);
	r->glass = memory_resize(r->glass, r->batch_capacity * sizeof *r->glass);
}

static bool collect(renderer *r, cairn_error *error)
{
	item *items = memory_resize(NULL, (r->stage.pose_count + 1) * sizeof *items);
	uint32_t count = list_items(r, items);
	bool done = true;
	qsort(items, count, sizeof *items, compare);
	make_room(r, count + r->rods.count + 1);
	assert(r->solid && r->glass);
	r->instance_count = r->solid_count = r->glass_count = r->floor.count = 0;
	for (uint32_t i = 0; i < count && done; ++i) {
		const stage_pose *p = &r->stage.poses[items[i].pose];
		const stage_track *t = &r->stage.tracks[p->track];
		if (t->role == STAGE_SOLID || t->role == STAGE_GLASS)
			done = setup_mesh(r, t->shown, t->radius, error);
		add_to_batches(r, p, items[i].away);
		add_instance(r, p);
	}
	rods_collect(r);
	qsort(r->solid, r->solid_count, sizeof *r->solid, compare_batches);
	free(items);
	return done;
}

/* Puts the sky behind what was drawn. */
static void fill_sky(renderer *r)
{
	/* The next picture may be begun already, with a sky of its own. */
	const uint8_t *behind = r->stage.moves ? r->sky[r->used_skies++ % 2] : r->sky[0];
	size_t count = (size_t)r->full.width * (size_t)r->full.height;
	for (size_t i = 0; i < count; ++i) {
		uint8_t *to = r->pixels + 4 * i;
		const uint8_t *sky = behind + 4 * i;
		if (to[3] == 0)
			memcpy(to, sky, 4);
		else if (to[3] < 255)
			for (int c = 0; c < 3; ++c)
				to[c] = (uint8_t)(to[c] + sky[c] * (255 - to[3]) / 255);
	}
}

/* Turns the picture the right way up, and averages squares of pixels where it was drawn larger. */
static void shrink(const renderer *r, uint8_t *rgb)
{
	size_t many = (size_t)r->oversample, row = 4 * (size_t)r->full.width;
	for (size_t y = 0; y < r->def.height; ++y) {
		const uint8_t *from = r->pixels + ((size_t)r->full.height - many * (y + 1)) * row;
		uint8_t *to = rgb + 3 * y * r->def.width;
		for (size_t x = 0; x < r->def.width && many == 1; ++x)
			memcpy(to + 3 * x, from + 4 * x, 3);
		for (size_t x = 0; x < r->def.width && many == 2; ++x)
			for (size_t c = 0; c < 3; ++c) {
				const uint8_t *at = from + 8 * x + c;
				to[3 * x + c] = (uint8_t)((at[0] + at[4] + at[row] + at[row + 4] + 2) / 4);
			}
	}
}

void render_camera(const renderer *r, render_def *def)
{
	const stage_view *v = &r->stage.view;
	def->has_camera = true;
	def->position = v->eye;
	def->target = vec_sub(v->eye, v->back);
	def->fov = 2 * atan(v->tan_y);
}

bool render_begin(renderer *r, uint32_t frame, double part, cairn_error *error)
{
	r->marks.count = 0;
	gl_use(&r->g);
	if ((r->def.contacts || r->def.planes) && !marks_collect(r, frame, error))
		return false;
	if (!stage_read(&r->stage, frame, part, error) || !collect(r, error))
		return false;
	if (r->stage.moves)
		passes_draw_sky(r, r->sky[r->begun_skies++ % 2]);
	passes_draw(r);
	return true;
}

bool render_wait(renderer *r, cairn_error *error)
{
	static const char failed[] = "OpenGL failed to draw the picture";
	gl_use(&r->g);
	passes_read(r);
	if (r->g.GetError() == 0)
		return true;
	*error = (cairn_error){.code = CAIRN_MISSING};
	memcpy(error->message, failed, sizeof failed);
	return false;
}

void render_finish(renderer *r, uint8_t *rgb)
{
	fill_sky(r);
	if (r->samples == 0)
		render_smooth_edges(r->pixels, r->luma, r->full.width, r->full.height, rgb);
	else
		shrink(r, rgb);
}

bool render_frame(renderer *r, uint32_t frame, double part, uint8_t *rgb, cairn_error *error)
{
	if (!render_begin(r, frame, part, error) || !render_wait(r, error))
		return false;
	render_finish(r, rgb);
	return true;
}
