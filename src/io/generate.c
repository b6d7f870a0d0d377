/* Generators: many bodies from one template, laid out as a grid, a stack, a wall in running bond, a ring or a chain,
 * there from the start or emitted over time.
 *
 * A body's pose is frame * place * template: the generator's frame (origin, orientation), its place in the layout, the
 * template's own position and orientation; velocity and spin turn with frame and place. Then come random offsets from
 * a stream that belongs to this generator and this body alone, so that neither a generator further down the file nor a
 * larger count changes the bodies that were there before. */
#include "base/hash.h"
#include "base/tolerance.h"
#include "io/scene_read.h"

#include <stdio.h>
#include <string.h>

typedef enum layout_kind { SINGLE, GRID, STACK, WALL, RING, CHAIN } layout_kind;

typedef struct layout {
	layout_kind kind;
	uint32_t count; /* of bodies */
	pose frame;
	uint32_t nx, ny;         /* grid: along x and y; wall: bricks in a whole course */
	v3 spacing;              /* grid */
	double first, step;      /* stack, chain: height of the first place, and from one to the next */
	double radius;           /* ring */
	double brick, half, gap; /* wall: lengths along it */
	bool held;               /* chain */
} layout;

typedef struct generator {
	const cn_json *at, *body; /* the generator in the file, and its template or the list of them */
	const char *name;
	layout layout;
	cairn_body_def *templates, template; /* template: the first, which layouts measure */
	uint32_t template_count;
	cairn_shape half_brick; /* wall */
	cairn_jitter jitter;
	uint32_t number; /* of the generator in the scene */
	uint64_t seed;
} generator;

/* A count of things, at least 1; the product with those counted so far must stay sane. */
static bool read_count(cn_scene_reader *r, const cn_json *at, uint32_t *count, uint64_t *product)
{
	double x = 0;
	if (!cn_read_whole(r, at, 1, CN_COUNT_MAX, &x))
		return false;
	*count = (uint32_t)x;
	*product *= *count;
	return *product <= CN_COUNT_MAX ||
	       cn_read_fail(r, at, "that makes more than %u bodies; give smaller counts", CN_COUNT_MAX);
}

static bool read_counts(cn_scene_reader *r, const cn_json *at, const char *key, uint32_t *count, uint64_t *product)
{
	const cn_json *v = cn_read_need(r, at, key);
	return v && read_count(r, v, count, product);
}

static bool read_frame(cn_scene_reader *r, const cn_json *at, pose *frame)
{
	*frame = pose_identity();
	return cn_read_vector(r, at, "origin", &frame->position) && cn_read_pose(r, at, frame);
}

static bool read_gap(cn_scene_reader *r, const cn_json *at, double *gap)
{
	*gap = 0;
	if (!cn_read_number(r, at, "gap", gap))
		return false;
	return (*gap >= 0 && *gap <= CN_LENGTH_MAX) ||
	       cn_read_fail(r, cn_json_get(at, "gap"), "a gap of %g; give metres from 0 up", *gap);
}

static bool read_grid(cn_scene_reader *r, const cn_json *at, generator *g)
{
	static const char *const known[] = {"count", "spacing", "origin", "orientation", NULL};
	layout *l = &g->layout;
	uint32_t n[3] = {0};
	uint64_t product = 1;
	const cn_json *count = cn_read_keys(r, at, known) ? cn_read_need(r, at, "count") : NULL;
	if (!count)
		return false;
	if (count->type != CN_JSON_ARRAY || count->count != 3)
		return cn_read_fail(r, count, "expected three counts [along x, along y, along z]");
	for (const cn_json *v = count->first; v; v = v->next)
		if (!read_count(r, v, &n[v->index], &product))
			return false;
	if (!cn_read_need(r, at, "spacing") || !cn_read_spread(r, at, "spacing", &l->spacing) ||
	    !read_frame(r, at, &l->frame))
		return false;
	const double step[3] = {l->spacing.x, l->spacing.y, l->spacing.z};
	for (int i = 0; i < 3; ++i)
		if (n[i] > 1 && step[i] == 0)
			return cn_read_fail(r, cn_json_get(at, "spacing"), "a spacing of 0 along %c puts %u bodies in one place",
			                    "xyz"[i], n[i]);
	l->nx = n[0], l->ny = n[1], l->count = (uint32_t)product;
	return true;
}

/* How far the template's shape reaches along z, as the template turns it: the box of its own box. */
static bool measure_height(cn_scene_reader *r, const generator *g, double *low, double *high)
{
	cairn_box box = r->scene->shapes[g->template.shape.index].box;
	if (!v3_finite(box.min) || !v3_finite(box.max))
		return cn_read_fail(r, g->body, "a half-space has no end; expected a body of finite size in this layout");
	*low = *high = q_rotate(g->template.pose.orientation, box.min).z;
	for (int i = 1; i < 8; ++i) {
		v3 corner = {i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z};
		double z = q_rotate(g->template.pose.orientation, corner).z;
		*low = z < *low ? z : *low;
		*high = z > *high ? z : *high;
	}
	return true;
}

static bool read_stack(cn_scene_reader *r, const cn_json *at, generator *g)
{
	static const char *const known[] = {"count", "gap", "origin", "orientation", NULL};
	layout *l = &g->layout;
	uint64_t product = 1;
	double low = 0, high = 0;
	if (!cn_read_keys(r, at, known) || !read_counts(r, at, "count", &l->count, &product) || !read_gap(r, at, &l->gap) ||
	    !read_frame(r, at, &l->frame) || !measure_height(r, g, &low, &high))
		return false;
	l->first = -low, l->step = high - low + l->gap;
	return true;
}

/* Every second course begins and ends with half a brick. Both kinds of course are equally long:
 * n L + (n - 1) gap = (n - 1) L + 2 half + n gap, so half = (L - gap)/2. */
static bool read_wall(cn_scene_reader *r, const cn_json *at, generator *g)
{
	static const char *const known[] = {"courses", "bricks", "gap", "origin", "orientation", NULL};
	layout *l = &g->layout;
	uint32_t courses;
	uint64_t product = 1;
	if (!cn_read_keys(r, at, known) || !read_counts(r, at, "courses", &courses, &product) ||
	    !read_counts(r, at, "bricks", &l->nx, &product) || !read_gap(r, at, &l->gap) || !read_frame(r, at, &l->frame))
		return false;
	cairn_shape_def brick = cairn_scene_shape_at(r->scene, g->template.shape.index);
	if (brick.kind != CAIRN_BOX)
		return cn_read_fail(r, cn_json_get(g->body, "shape"), "a wall is built of boxes");
	if (cn_json_get(g->body, "orientation") || g->template.has_inertia)
		return cn_read_fail(r, g->body, "a wall's template has no \"%s\"; %s",
		                    g->template.has_inertia ? "inertia" : "orientation",
		                    g->template.has_inertia ? "half bricks could not share it" : "give the wall one instead");
	l->brick = brick.size.x, l->half = (l->brick - l->gap) / 2;
	l->first = brick.size.z / 2, l->step = brick.size.z + l->gap;
	l->count = courses * l->nx + courses / 2;
	if (!(l->half > 0))
		return cn_read_fail(r, cn_json_get(at, "gap"),
		                    "a gap of %g leaves no room for half bricks; give less than the "
		                    "brick's length of %g",
		                    l->gap, l->brick);
	if (courses == 1)
		return true;
	brick.size.x = l->half, brick.name = "";
	g->half_brick = cairn_scene_add_shape(r->scene, &brick, r->error);
	return g->half_brick.generation || cn_read_place(r, at);
}

static bool read_ring(cn_scene_reader *r, const cn_json *at, generator *g)
{
	static const char *const known[] = {"count", "radius", "origin", "orientation", NULL};
	layout *l = &g->layout;
	uint64_t product = 1;
	if (!cn_read_keys(r, at, known) || !read_counts(r, at, "count", &l->count, &product) ||
	    !cn_read_need(r, at, "radius") || !cn_read_number(r, at, "radius", &l->radius) || !read_frame(r, at, &l->frame))
		return false;
	return l->radius > 0 ||
	       cn_read_fail(r, cn_json_get(at, "radius"), "a radius of %g; give metres above 0", l->radius);
}

/* The frame's z axis points along the chain; link i begins at i steps from the origin. */
static bool read_chain(cn_scene_reader *r, const cn_json *at, generator *g)
{
	static const char *const known[] = {"count", "direction", "gap", "held", "origin", NULL};
	layout *l = &g->layout;
	uint64_t product = 1;
	v3 direction = {0, 0, -1};
	double low = 0, high = 0;
	if (!cn_read_keys(r, at, known) || !read_counts(r, at, "count", &l->count, &product) || !read_gap(r, at, &l->gap) ||
	    !cn_read_vector(r, at, "direction", &direction) || !cn_read_bool(r, at, "held", &l->held) ||
	    !read_frame(r, at, &l->frame) || !measure_height(r, g, &low, &high))
		return false;
	if (cn_json_get(g->body, "position"))
		return cn_read_fail(r, cn_json_get(g->body, "position"),
		                    "a chain places its links itself; leave the position out");
	double most = v3_max(v3_abs(direction));
	if (!(most > 0))
		return cn_read_fail(r, cn_json_get(at, "direction"),
		                    "the direction has no length; give one such as [0, 0, -1]");
	direction = v3_unit(v3_scale(direction, 1 / most));
	/* The shortest turn from z; straight down, half a turn about x. */
	quat turn = {1 + direction.z, -direction.y, direction.x, 0};
	l->frame.orientation = q_dot(turn, turn) > 1e-20 ? q_unit(turn) : (quat){0, 1, 0, 0};
	l->first = -low, l->step = high - low + l->gap;
	return true;
}

/* Brick i of a wall: courses of n whole ones, and of n - 1 between two halves. */
static pose place_brick(const layout *l, uint32_t i, bool *half)
{
	uint32_t n = l->nx, two = 2 * n + 1, course = i / two * 2, k = i % two;
	pose p = pose_identity();
	double length = n * l->brick + (n - 1) * l->gap;
	bool odd = k >= n;
	course += odd, k -= odd ? n : 0;
	*half = odd && (k == 0 || k == n);
	if (!odd)
		p.position.x = (l->brick + l->gap) * k + l->brick / 2 - length / 2;
	else if (k == 0)
		p.position.x = l->half / 2 - length / 2;
	else if (k == n)
		p.position.x = length / 2 - l->half / 2;
	else
		p.position.x = l->half + l->gap + (l->brick + l->gap) * (k - 1) + l->brick / 2 - length / 2;
	p.position.z = l->first + course * l->step;
	return p;
}

static pose find_place(const layout *l, uint32_t i, bool *half)
{
	pose p = pose_identity();
	switch (l->kind) {
	case SINGLE: break;
	case GRID: {
		uint32_t rows = i / l->nx, x = i % l->nx, y = rows % l->ny, z = rows / l->ny;
		p.position = v3_mul(l->spacing, v3_make(x, y, z));
		break;
	}
	case STACK:
	case CHAIN: p.position.z = l->first + i * l->step; break;
	case WALL: p = place_brick(l, i, half); break;
	case RING: {
		p.orientation = q_exp(v3_make(0, 0, 2 * CN_PI * i / l->count));
		p.position = q_rotate(p.orientation, v3_make(l->radius, 0, 0));
		break;
	}
	}
	return p;
}

static v3 random_offset(uint64_t *state, v3 most)
{
	double x = cn_random_signed(state), y = cn_random_signed(state), z = cn_random_signed(state);
	return v3_mul(most, v3_make(x, y, z));
}

/* Always twelve numbers, so that turning one kind of jitter on leaves the others as they were. */
static void add_jitter(const generator *g, uint32_t i, cairn_body_def *def)
{
	uint64_t state = cn_hash_u64(cn_hash_u64(cn_hash_u64(CN_HASH_START, g->seed), g->number), i);
	def->pose.position = v3_add(def->pose.position, random_offset(&state, g->jitter.position));
	v3 turn = random_offset(&state, g->jitter.rotation);
	if (v3_length2(turn) > 0)
		def->pose.orientation = q_mul(q_exp(turn), def->pose.orientation);
	def->velocity = v3_add(def->velocity, random_offset(&state, g->jitter.velocity));
	def->spin = v3_add(def->spin, random_offset(&state, g->jitter.spin));
}

/* The template of a body that is there from the start, drawn from numbers that are its own and not its jitter's. */
static const cairn_body_def *choose_template(const generator *g, uint32_t i)
{
	uint64_t state = cn_hash_u64(cn_hash_u64(cn_hash_u64(cn_hash_u64(CN_HASH_START, g->seed), g->number), i), 1);
	return &g->templates[g->template_count > 1 ? (cn_random_u64(&state) >> 32) * g->template_count >> 32 : 0];
}

/* Body i of a template before its random offsets. keys is room for the template's. */
static cairn_body_def make_body(const generator *g, uint32_t i, const cairn_body_def *template, cairn_script_key *keys)
{
	cairn_body_def def = *template;
	bool half = false;
	pose place = pose_mul(g->layout.frame, find_place(&g->layout, i, &half));
	if (half) {
		def.shape = g->half_brick;
		def.mass *= g->layout.half / g->layout.brick;
	}
	def.pose = pose_mul(place, def.pose);
	def.velocity = q_rotate(place.orientation, def.velocity);
	def.spin = q_rotate(place.orientation, def.spin);
	for (uint32_t k = 0; k < def.key_count; ++k)
		keys[k] = (cairn_script_key){def.keys[k].time, pose_mul(place, def.keys[k].pose)};
	def.keys = def.key_count ? keys : NULL;
	return def;
}

static bool add_link(cn_scene_reader *r, const generator *g, uint32_t i, cairn_body before, cairn_body body)
{
	cairn_joint_def joint = cairn_default_joint_def();
	const layout *l = &g->layout;
	if (l->kind != CHAIN || (i == 0 && !l->held))
		return true;
	joint.a = before, joint.b = body;
	joint.point = pose_apply(l->frame, v3_make(0, 0, i ? i * l->step - l->gap / 2 : 0));
	return cairn_scene_add_joint(r->scene, &joint, r->error).generation || cn_read_place(r, g->at);
}

static uint32_t most_keys(const generator *g)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < g->template_count; ++i)
		most = g->templates[i].key_count > most ? g->templates[i].key_count : most;
	return most;
}

static bool add_bodies(cn_scene_reader *r, const generator *g)
{
	size_t size = strlen(g->name) + 12;
	char *name = cn_arena_take(&r->arena, size, 1);
	uint32_t key_count = most_keys(g);
	cairn_script_key *keys = cn_arena_take(&r->arena, key_count, sizeof *keys);
	cairn_body before = {0, 0};
	if (!name || (!keys && key_count))
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; i < g->layout.count; ++i) {
		cairn_body_def def = make_body(g, i, choose_template(g, i), keys);
		add_jitter(g, i, &def);
		snprintf(name, size, "%s.%u", g->name, i);
		def.name = name;
		cairn_body body = cairn_scene_add_body(r->scene, &def, r->error);
		if (!body.generation)
			return cn_read_place(r, strcmp(r->error->path, "name") != 0 ? g->body : g->at);
		if (!add_link(r, g, i, before, body))
			return false;
		before = body;
	}
	return true;
}

/* Where an emitter's fault stands in the file. */
static bool place_emitter(cn_scene_reader *r, const generator *g, const cn_json *emit)
{
	const char *field = r->error->path;
	if (!strcmp(field, "batches") || !strcmp(field, "start") || !strcmp(field, "every"))
		return cn_read_place(r, emit);
	return cn_read_place(r, !strcmp(field, "name") || !strncmp(field, "jitter", 6) ? g->at : g->body);
}

static bool add_emitter(cn_scene_reader *r, const generator *g, const cn_json *emit)
{
	static const char *const known[] = {"count", "every", "start", NULL};
	cairn_emitter_def def = cairn_default_emitter_def();
	uint64_t product = (uint64_t)g->layout.count * g->template_count;
	if (!cn_read_keys(r, emit, known) || !read_counts(r, emit, "count", &def.batches, &product) ||
	    !cn_read_need(r, emit, "every") || !cn_read_u32(r, emit, "every", &def.every) ||
	    !cn_read_u32(r, emit, "start", &def.start))
		return false;
	if (g->layout.kind == CHAIN)
		return cn_read_fail(r, emit, "a chain cannot be emitted: its joints are there from the start");
	uint32_t choices = g->template_count, count = g->layout.count * choices, key_count = most_keys(g);
	cairn_body_def *bodies = cn_arena_take(&r->arena, count, sizeof *bodies);
	cairn_script_key *keys = cn_arena_take(&r->arena, (size_t)count * key_count, sizeof *keys);
	if (!bodies || (!keys && key_count))
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; i < count; ++i)
		bodies[i] = make_body(g, i / choices, &g->templates[i % choices], keys ? keys + (size_t)i * key_count : NULL);
	def.name = g->name, def.bodies = bodies, def.body_count = count, def.choices = choices, def.jitter = g->jitter;
	return cairn_scene_add_emitter(r->scene, &def, r->error) || place_emitter(r, g, emit);
}

static bool read_jitter(cn_scene_reader *r, const cn_json *at, cairn_jitter *jitter)
{
	static const char *const known[] = {"position", "rotation", "velocity", "spin", NULL};
	return !at ||
	       (cn_read_keys(r, at, known) && cn_read_spread(r, at, "position", &jitter->position) &&
	        cn_read_spread(r, at, "rotation", &jitter->rotation) &&
	        cn_read_spread(r, at, "velocity", &jitter->velocity) && cn_read_spread(r, at, "spin", &jitter->spin));
}

/* The one key that says how the bodies lie. */
static bool read_layout(cn_scene_reader *r, const cn_json *at, generator *g)
{
	static const char *const names[] = {"grid", "stack", "wall", "ring", "chain"};
	static bool (*const readers[])(cn_scene_reader *, const cn_json *, generator *) = {read_grid, read_stack, read_wall,
	                                                                                   read_ring, read_chain};
	const cn_json *found = NULL;
	size_t which = 0;
	for (size_t i = 0; i < CN_COUNT(names); ++i) {
		const cn_json *v = cn_json_get(at, names[i]);
		if (v && found)
			return cn_read_fail(r, at, "a generator has one layout; found both \"%s\" and \"%s\"", found->key, v->key);
		if (v)
			found = v, which = i;
	}
	g->layout = (layout){.kind = SINGLE, .count = 1, .frame = pose_identity()};
	if (!found)
		return cn_json_get(at, "emit") ||
		       cn_read_fail(r, at, "a generator needs one of grid, stack, wall, ring, chain, emit");
	g->layout.kind = (layout_kind)(GRID + which);
	if (g->template_count > 1 && g->layout.kind != GRID && g->layout.kind != RING)
		return cn_read_fail(r, g->body,
		                    "a %s is built of one kind of body; a list of them goes with grid, ring and emit",
		                    names[which]);
	return readers[which](r, found, g);
}

/* One template, or a list of them from which every body takes one. */
static bool read_templates(cn_scene_reader *r, generator *g)
{
	bool list = g->body->type == CN_JSON_ARRAY;
	uint32_t count = list ? (uint32_t)g->body->count : 1;
	if (count == 0)
		return cn_read_fail(r, g->body, "an empty list; give a body, or several of which each one made is one");
	g->templates = cn_arena_take(&r->arena, count, sizeof *g->templates);
	if (!g->templates)
		return cn_read_fail_memory(r);
	for (const cn_json *v = list ? g->body->first : g->body; v; v = list ? v->next : NULL)
		if (!cn_read_body_def(r, v, false, &g->templates[g->template_count++]))
			return false;
	g->template = g->templates[0];
	return true;
}

static bool read_generator(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"name",  "body", "jitter", "emit",  "grid",
	                                    "stack", "wall", "ring",   "chain", NULL};
	generator g = {.at = at, .number = r->generators++, .seed = cairn_scene_settings(r->scene).seed};
	if (!cn_read_keys(r, at, known) || !cn_read_need(r, at, "name") || !cn_read_text(r, at, "name", &g.name))
		return false;
	if (!*g.name)
		return cn_read_fail(r, cn_json_get(at, "name"),
		                    "an empty name; its bodies are called NAME.0, NAME.1 and so on");
	g.body = cn_read_need(r, at, "body");
	if (!g.body || !read_templates(r, &g) || !read_layout(r, at, &g) ||
	    !read_jitter(r, cn_json_get(at, "jitter"), &g.jitter))
		return false;
	if (most_keys(&g) && cn_json_get(at, "jitter"))
		return cn_read_fail(r, cn_json_get(at, "jitter"), "a scripted body follows its keys; leave the jitter out");
	const cn_json *emit = cn_json_get(at, "emit");
	uint32_t bodies = cairn_scene_body_count(r->scene), joints = cairn_scene_joint_count(r->scene);
	return (emit ? add_emitter(r, &g, emit) : add_bodies(r, &g)) && cn_read_note(r, at, CN_PLACE_BODIES, bodies) &&
	       cn_read_note(r, at, CN_PLACE_JOINTS, joints);
}

bool cn_read_generators(cn_scene_reader *r) { return cn_read_each(r, "generators", read_generator); }
