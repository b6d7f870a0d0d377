/* Worlds: making them, adding and removing bodies. */
#include "world/world.h"
#include "world/ask.h"

#include "base/hash.h"
#include "base/tolerance.h"
#include "check/frame.h"
#include "geom/mass.h"
#include "world/joint.h"

#include <stdio.h>
#include <string.h>

#define CN_EMIT_ROOM 65536u /* bodies still to be emitted that a world makes room for at the start: about 70 MB */

cairn_world_def cairn_default_world_def(void) { return (cairn_world_def){.allocator = cairn_default_allocator()}; }

/* ---- slots */

/* All arrays by slot share one capacity, so they are all made anew first and exchanged together, or not at all. */
bool cn_world_reserve(cairn_world *w, uint32_t more)
{
	uint64_t need = (uint64_t)w->slots - w->vacant.count + more;
	if (need <= w->capacity)
		return true;
	if (need > CN_COUNT_MAX)
		return false;
	uint64_t roomy = (uint64_t)w->capacity + w->capacity / 2;
	uint32_t capacity = (uint32_t)(need > roomy ? need : roomy);
	cairn_world larger = *w;
	void **arrays[] = {(void **)&larger.bodies,     (void **)&larger.rotors, (void **)&larger.motion,
	                   (void **)&larger.before,     (void **)&larger.next,   (void **)&larger.pieces,
	                   (void **)&larger.rest_state, (void **)&larger.away,   (void **)&larger.vacant.slots};
	const size_t sizes[] = {sizeof *w->bodies,     sizeof *w->rotors, sizeof *w->motion,
	                        sizeof *w->before,     sizeof *w->next,   sizeof *w->pieces,
	                        sizeof *w->rest_state, sizeof *w->away,   sizeof *w->vacant.slots};
	void *fresh[CN_COUNT(arrays)] = {0};
	uint32_t chunks = (capacity + CN_CHUNK - 1) / CN_CHUNK;
	cn_chunk *chunk = cn_alloc(&w->allocator, chunks, sizeof *chunk);
	bool ok = chunk != NULL;
	for (size_t i = 0; i < CN_COUNT(arrays); ++i) {
		fresh[i] = cn_alloc(&w->allocator, capacity, sizes[i]);
		ok = ok && fresh[i];
	}
	for (size_t i = 0; i < CN_COUNT(arrays); ++i) {
		size_t used = arrays[i] == (void **)&larger.vacant.slots ? w->vacant.count : w->slots;
		if (ok && used)
			memcpy(fresh[i], *arrays[i], used * sizes[i]);
		cn_free(&w->allocator, ok ? *arrays[i] : fresh[i], ok ? w->capacity : capacity, sizes[i]);
		if (ok)
			*arrays[i] = fresh[i];
	}
	if (!ok) {
		cn_free(&w->allocator, chunk, chunks, sizeof *chunk);
		return false;
	}
	cn_free(&w->allocator, w->chunks, (w->capacity + CN_CHUNK - 1) / CN_CHUNK, sizeof *chunk);
	larger.chunks = chunk;
	larger.capacity = capacity;
	*w = larger;
	return true;
}

/* ---- energy */

void cn_world_measure(cairn_world *w, double *kinetic, double *potential)
{
	*kinetic = *potential = 0;
	for (uint32_t start = 0; start < w->slots; start += CN_CHUNK) {
		double k = 0, p = 0;
		for (uint32_t i = start; i < w->slots && i < start + CN_CHUNK; ++i) {
			if (!w->rotors[i].active)
				continue;
			k += cn_kinetic(&w->rotors[i], &w->motion[i]);
			p -= w->rotors[i].mass * v3_dot(w->scene->settings.gravity, w->motion[i].x);
		}
		*kinetic += k;
		*potential += p;
	}
}

/* ---- scripts */

pose cn_script_pose(const cairn_script_key *keys, uint32_t count, double time)
{
	uint32_t low = 0, high = count;
	while (low < high) { /* first key after the time */
		uint32_t mid = low + (high - low) / 2;
		if (keys[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return keys[0].pose;
	if (low == count)
		return keys[count - 1].pose;
	const cairn_script_key *a = &keys[low - 1], *b = &keys[low];
	double t = (time - a->time) / (b->time - a->time);
	v3 turn = q_turn(a->pose.orientation, b->pose.orientation);
	return (pose){v3_lerp(a->pose.position, b->pose.position, t), q_mul(q_exp(v3_scale(turn, t)), a->pose.orientation)};
}

pose cn_script_center(const cn_body *body, double time)
{
	pose p = cn_script_pose(body->keys, body->key_count, time);
	return (pose){pose_apply(p, body->center), p.orientation};
}

/* ---- bodies */

void cn_body_free(const cairn_allocator *a, cn_body *b)
{
	cn_free_text(a, b->name);
	cn_free(a, b->keys, b->key_count, sizeof *b->keys);
	b->name = NULL;
	b->keys = NULL;
	b->key_count = 0;
}

void cn_body_measure(const cairn_scene *scene, cn_body *b)
{
	b->radius = cn_shape_radius(scene->shapes, b->shape, b->center);
	const cairn_box *box = &scene->shapes[b->shape].box;
	v3 size = v3_sub(box->max, box->min);
	b->area = b->type == CAIRN_DYNAMIC ? 0.5 * (size.x * size.y + size.y * size.z + size.z * size.x) : 0;
}

void cn_body_mark(const cn_body *b, cn_rotor *r)
{
	r->damped = b->linear_damping > 0 || b->angular_damping > 0;
	r->scaled = b->gravity_scale != 1;
}

void cn_body_title(const cairn_world *w, uint32_t slot, char *text, size_t size)
{
	const cn_body *b = &w->bodies[slot];
	if (b->name && *b->name)
		snprintf(text, size, "'%.80s'", b->name);
	else
		snprintf(text, size, "number %u", b->serial);
}

static void place(cairn_world *w, uint32_t slot, const cairn_body_def *def)
{
	cn_body *b = &w->bodies[slot];
	cn_rotor *r = &w->rotors[slot];
	cn_motion m = {.q = def->pose.orientation, .v = def->velocity};
	m.x = pose_apply(def->pose, b->center);
	*r = cn_rotor_make(b->mass, b->inertia);
	cn_body_mark(b, r);
	m.l = cn_angular(r, m.q, def->spin);
	if (b->type == CAIRN_SCRIPTED) {
		double time = cairn_world_time(w);
		pose now = cn_script_center(b, time), next = cn_script_center(b, time + w->dt);
		m.x = now.position, m.q = now.orientation;
		m.v = v3_scale(v3_sub(next.position, now.position), 1 / w->dt);
		m.l = v3_scale(q_turn(now.orientation, next.orientation), 1 / w->dt);
	}
	w->motion[slot] = w->before[slot] = w->next[slot] = m;
	w->pieces[slot] = 1;
	w->away[slot] = 0;
	w->rest_state[slot] = (cn_rest_state){0};
}

/* Its own, else that of its material. */
static void give_look(const cairn_scene *scene, const cairn_body_def *def, cn_body *b)
{
	const cairn_material_def *m = def->material.generation ? &scene->materials[def->material.index] : NULL;
	b->color = (cairn_color){CN_PLAIN_COLOR, CN_PLAIN_COLOR, CN_PLAIN_COLOR};
	b->roughness = CN_PLAIN_ROUGHNESS;
	if (def->has_color || (m && m->has_color))
		b->color = def->has_color ? def->color : m->color;
	if (def->has_roughness || (m && m->has_roughness))
		b->roughness = def->has_roughness ? def->roughness : m->roughness;
	b->visual = def->visual.generation ? def->visual.index + 1 : 0;
	b->visual_pose = b->visual ? def->visual_pose : pose_identity();
}

cairn_body cn_world_insert(cairn_world *w, const cairn_body_def *def, cairn_error *error)
{
	const cairn_body none = {0, 0};
	const cairn_allocator *a = &w->allocator;
	cairn_body_def copy;
	cn_body b = {.alive = true,
	             .type = (uint8_t)def->type,
	             .birth = w->frame,
	             .shape = def->shape.index,
	             .material = def->material.generation ? def->material.index + 1 : 0,
	             .group = def->group,
	             .mask = def->mask,
	             .linear_damping = def->linear_damping,
	             .angular_damping = def->angular_damping,
	             .gravity_scale = 1,
	             .pace = 1};
	if (cn_names_find(&w->names, def->name)) {
		cn_fail(error, CAIRN_INVALID, "name", "there is a body '%s' already", def->name);
		return none;
	}
	if (!cn_body_def_copy(w->scene, def, &copy, error))
		return none;
	bool hulls = def->type == CAIRN_FIXED || !cn_scene_has_fronts(w->scene) ||
	             cn_shape_make_hulls(a, w->scene->shapes, def->shape.index);
	if (!hulls || !cn_world_reserve(w, 1) || !cn_names_reserve(a, &w->names, 1)) {
		cn_body_def_free(a, &copy);
		cn_fail_memory(error);
		return none;
	}
	cn_body_mass(w->scene, &copy, &b.mass, &b.center, &b.inertia, NULL);
	b.name = (char *)copy.name, b.keys = (cairn_script_key *)copy.keys, b.key_count = copy.key_count;
	give_look(w->scene, &copy, &b);
	cn_body_measure(w->scene, &b);
	uint32_t slot = w->vacant.count ? w->vacant.slots[--w->vacant.count] : w->slots++;
	b.generation = w->bodies[slot].generation + 1;
	b.serial = w->count.serials++;
	w->bodies[slot] = b;
	place(w, slot, &copy);
	++w->count.alive;
	w->count.moving += b.type != CAIRN_FIXED;
	if (*b.name)
		cn_names_add(&w->names, b.name, slot + 1);
	return (cairn_body){slot, b.generation};
}

void cn_extras_drop(cairn_world *w, uint32_t slot)
{
	const cn_extra *first;
	uint32_t gone = cn_extras_find(w->extras, w->extra_count, slot, &first);
	if (!gone)
		return;
	uint32_t at = (uint32_t)(first - w->extras);
	memmove(w->extras + at, w->extras + at + gone, (w->extra_count - at - gone) * sizeof *w->extras);
	w->extra_count -= gone;
}

void cn_world_erase(cairn_world *w, uint32_t slot)
{
	cn_body *b = &w->bodies[slot];
	assert(b->alive);
	cn_names_remove(&w->names, b->name);
	cn_body_free(&w->allocator, b);
	for (uint32_t i = 0; i < w->drag.count; ++i)
		if (w->drag.items[i].slot == slot)
			w->drag.items[i--] = w->drag.items[--w->drag.count];
	cn_extras_drop(w, slot);
	b->alive = false;
	w->count.moving -= b->type != CAIRN_FIXED;
	w->rotors[slot] = cn_rotor_make(0, (m3){{{0}}});
	w->motion[slot] = w->before[slot] = w->next[slot] = (cn_motion){.q = q_identity()};
	w->pieces[slot] = 0;
	w->rest_state[slot] = (cn_rest_state){0};
	w->vacant.slots[w->vacant.count++] = slot;
	--w->count.alive;
}

void cn_world_wake(cairn_world *w)
{
	for (uint32_t i = 0; i < w->slots; ++i)
		w->rest_state[i] = (cn_rest_state){0};
}

bool cn_body_collide(const cn_body *a, const cn_body *b)
{
	return (a->type == CAIRN_DYNAMIC || b->type == CAIRN_DYNAMIC) && (a->group & b->mask) && (b->group & a->mask);
}

/* ---- the world */

/* The world's own copy of the scene, by way of its bytes, which also give the fingerprint. NULL: the error says why, or
 * memory ran out. */
static cairn_scene *copy_scene(cairn_world *w, const cairn_scene *scene, cairn_error *error)
{
	cairn_scene *copy = NULL;
	cn_writer bytes = {.allocator = w->allocator};
	cn_scene_put(&bytes, scene);
	if (!bytes.failed) {
		cn_reader r = {.data = bytes.data, .size = bytes.size};
		copy = cn_scene_get(&r, &w->allocator, error);
		w->given.fingerprint = cn_hash_bytes(bytes.data, bytes.size);
	}
	cn_writer_free(&bytes);
	return copy;
}

/* Makes the emitters, and room for all bodies of the scene. There is also room for the bodies that emitters will bring,
 * up to a bound, so that a step need not ask for it. */
static bool make_room(cairn_world *w, cairn_error *error)
{
	const cairn_scene *s = w->scene;
	uint64_t emitted = 0;
	for (uint32_t i = 0; i < s->emitter_count; ++i)
		emitted += (uint64_t)s->emitters[i].batches * s->emitters[i].body_count;
	if (s->body_count + emitted > CN_COUNT_MAX)
		return cn_fail(error, CAIRN_INVALID, "", "the scene and its emitters come to %llu bodies; the most is %u",
		               (unsigned long long)(s->body_count + emitted), CN_COUNT_MAX);
	w->emissions = cn_alloc(&w->allocator, s->emitter_count, sizeof *w->emissions);
	emitted = emitted < CN_EMIT_ROOM ? emitted : CN_EMIT_ROOM;
	if ((s->emitter_count && !w->emissions) || !cn_world_reserve(w, s->body_count + (uint32_t)emitted))
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < s->emitter_count; ++i) {
		uint64_t random = cn_hash_u64(cn_hash_u64(CN_HASH_START, s->settings.seed), i + 1);
		w->emissions[i] = (cn_emission){.next = s->emitters[i].start, .random = random};
	}
	return true;
}

static bool make_bodies(cairn_world *w, cairn_error *error)
{
	for (uint32_t i = 0; i < w->scene->body_count; ++i)
		if (!cn_world_insert(w, &w->scene->bodies[i], error).generation)
			return false;
	return cn_joints_make(w) || cn_fail_memory(error);
}

cairn_world *cn_world_make(const cairn_scene *scene, const cairn_world_def *def, cairn_error *error)
{
	cairn_world_def d = def ? *def : cairn_default_world_def();
	cairn_world *w = cn_alloc(&d.allocator, 1, sizeof *w);
	if (!w) {
		cn_fail_memory(error);
		return NULL;
	}
	w->allocator = d.allocator;
	w->log.inputs.allocator = w->log.consumed.allocator = d.allocator;
	w->scene = copy_scene(w, scene, error);
	w->pool = d.jobs.run ? cn_pool_create_outside(&d.allocator, &d.jobs) : cn_pool_create(&d.allocator, d.threads);
	bool ok = (w->scene && w->pool) || cn_fail_memory(error);
	if (ok) {
		w->given.shapes = w->scene->shape_count;
		w->given.materials = w->scene->material_count;
		w->given.joints = w->scene->joint_count;
		w->dt = 1 / w->scene->settings.fps;
		w->steps = 1;
		w->filter.def = d.filter;
	}
	if (!ok || !make_room(w, error) || !make_bodies(w, error)) {
		cn_world_free(w);
		return NULL;
	}
	cn_world_measure(w, &w->energy.kinetic, &w->energy.potential);
	return w;
}

bool cn_goals_lead(const cairn_world *w, uint32_t slot)
{
	cairn_body body = cn_handle(w, slot);
	for (uint32_t i = 0; i < w->scene->asked.goal_count; ++i) {
		const cairn_goal_def *g = &w->scene->asked.goals[i];
		bool two = g->kind != CAIRN_GOAL_FIXED_POINT;
		if (g->stiffness > 0 && ((g->a.index == slot && g->a.generation == body.generation) ||
		                         (two && g->b.index == slot && g->b.generation == body.generation)))
			return true;
	}
	return false;
}

void cn_world_free(cairn_world *w)
{
	if (!w)
		return;
	cairn_allocator a = w->allocator;
	for (uint32_t i = 0; i < w->slots; ++i)
		cn_body_free(&a, &w->bodies[i]);
	cn_free(&a, w->bodies, w->capacity, sizeof *w->bodies);
	cn_free(&a, w->rotors, w->capacity, sizeof *w->rotors);
	cn_free(&a, w->motion, w->capacity, sizeof *w->motion);
	cn_free(&a, w->before, w->capacity, sizeof *w->before);
	cn_free(&a, w->next, w->capacity, sizeof *w->next);
	cn_free(&a, w->backup.motion, w->backup.motion_capacity, sizeof *w->backup.motion);
	cn_free(&a, w->backup.rest_state, w->backup.rest_state_capacity, sizeof *w->backup.rest_state);
	cn_free(&a, w->pieces, w->capacity, sizeof *w->pieces);
	cn_free(&a, w->vacant.slots, w->capacity, sizeof *w->vacant.slots);
	cn_free(&a, w->chunks, (w->capacity + CN_CHUNK - 1) / CN_CHUNK, sizeof *w->chunks);
	cn_free(&a, w->log.impacts.items, w->log.impacts.capacity, sizeof *w->log.impacts.items);
	cn_free(&a, w->extras, w->extra_capacity, sizeof *w->extras);
	cn_free(&a, w->next_extras, w->next_extra_capacity, sizeof *w->next_extras);
	cn_free(&a, w->drag.items, w->drag.capacity, sizeof *w->drag.items);
	cn_free(&a, w->rest_state, w->capacity, sizeof *w->rest_state);
	cn_free(&a, w->away, w->capacity, sizeof *w->away);
	cn_free(&a, w->memory.pairs, w->memory.pair_capacity, sizeof *w->memory.pairs);
	cn_free(&a, w->memory.points, w->memory.point_capacity, sizeof *w->memory.points);
	if (w->scene) {
		cn_free(&a, w->emissions, w->scene->emitter_count, sizeof *w->emissions);
		cn_free(&a, w->joints, w->scene->joint_count, sizeof *w->joints);
	}
	cn_names_free(&a, &w->names);
	cn_writer_free(&w->log.inputs);
	cn_writer_free(&w->log.consumed);
	cn_asker_destroy(w);
	cn_certifier_destroy(w->certifier);
	cn_pool_destroy(w->pool);
	cairn_scene_destroy(w->scene);
	cn_free(&a, w, 1, sizeof *w);
}
