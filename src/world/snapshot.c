/* The whole state as bytes and back. A snapshot belongs to one scene, which it names by its fingerprint; it holds what
 * the scene does not: frame, bodies, motion, contacts, sleep, drags, emitters, and the shapes, materials, joints and gravity
 * that inputs changed.
 *
 * Restoring builds the new state beside the old one and exchanges them when every byte has been read and checked. */
#include "base/hash.h"
#include "base/tolerance.h"
#include "check/frame.h"
#include "geom/mass.h"
#include "scene/registry.h"
#include "world/joint.h"
#include "world/snapshot_body.h"
#include "world/snapshot_contacts.h"

#include <string.h>

enum { SNAPSHOT_MAGIC = 0x50414e53, SNAPSHOT_VERSION = 8 }; /* "SNAP" */

static void put_all(cn_writer *o, const cairn_world *w)
{
	const cairn_scene *scene = w->scene;
	cn_put_u32(o, SNAPSHOT_MAGIC);
	cn_put_u32(o, SNAPSHOT_VERSION);
	cn_put_u64(o, w->given.fingerprint);
	cn_put_u32(o, w->frame);
	cn_put_f64(o, scene->settings.fps);
	cn_put_u32(o, w->clock.frame);
	cn_put_f64(o, w->clock.time);
	cn_put_v3(o, scene->settings.gravity);
	cn_put_u32(o, scene->material_count);
	for (uint32_t i = 0; i < scene->material_count; ++i)
		cn_put_material_def(o, &scene->materials[i]);
	cn_put_u32(o, scene->shape_count - w->given.shapes);
	for (uint32_t i = w->given.shapes; i < scene->shape_count; ++i)
		cn_put_shape_def(o, &scene->shapes[i].def);
	cn_put_u32(o, w->count.serials);
	cn_put_u32(o, w->slots);
	for (uint32_t i = 0; i < w->slots; ++i) {
		cn_body_put(o, &w->bodies[i]);
		if (!w->bodies[i].alive)
			continue;
		cn_motion_put(o, &w->motion[i]);
		cn_motion_put(o, &w->before[i]);
		cn_put_u8(o, w->pieces[i]);
		cn_rest_state_put(o, &w->rest_state[i]);
	}
	cn_put_u32(o, w->vacant.count);
	for (uint32_t i = 0; i < w->vacant.count; ++i)
		cn_put_u32(o, w->vacant.slots[i]);
	cn_memory_put(o, w);
	cn_put_u32(o, w->drag.count);
	for (uint32_t i = 0; i < w->drag.count; ++i) {
		cn_put_u32(o, w->drag.items[i].slot);
		cn_put_v3(o, w->drag.items[i].anchor);
		cn_put_v3(o, w->drag.items[i].target);
		cn_put_f64(o, w->drag.items[i].frequency);
	}
	for (uint32_t i = 0; i < scene->emitter_count; ++i) {
		cn_put_u32(o, w->emissions[i].next);
		cn_put_u32(o, w->emissions[i].batches);
		cn_put_u32(o, w->emissions[i].bodies);
		cn_put_u64(o, w->emissions[i].random);
	}
	cn_joints_put(o, w);
	cn_put_u32(o, w->extra_count);
	for (uint32_t i = 0; i < w->extra_count; ++i) {
		const cairn_key *k = &w->extras[i].key;
		cn_put_u32(o, w->extras[i].slot);
		cn_put_f64(o, k->time);
		cn_put_v3(o, k->position);
		cn_put_quat(o, k->orientation);
		cn_put_v3(o, k->velocity);
		cn_put_v3(o, k->spin);
		cn_put_v3(o, k->turn);
	}
	cn_put_f64(o, w->energy.kinetic);
	cn_put_f64(o, w->energy.potential);
	cn_put_u8(o, w->energy.touched);
	cn_put_u32(o, (uint32_t)w->log.inputs.size);
	cn_put_bytes(o, w->log.inputs.data, w->log.inputs.size);
}

/* Counting needs no second description of the format. */
size_t cairn_world_snapshot_size(const cairn_world *w)
{
	cn_writer o = {.counts = true};
	put_all(&o, w);
	return o.failed ? 0 : o.size + 4;
}

static void *refuse(void *context, void *block, size_t old_size, size_t new_size)
{
	(void)context, (void)block, (void)old_size, (void)new_size;
	return NULL;
}

/* Straight into the caller's bytes, which do not grow. */
bool cairn_world_snapshot(const cairn_world *w, void *bytes, size_t size, cairn_error *error)
{
	cn_writer o = {.allocator = {NULL, refuse}, .data = bytes, .capacity = size};
	put_all(&o, w);
	if (!o.failed)
		cn_put_u32(&o, cn_crc32(0, o.data, o.size));
	if (!o.failed && o.size == size)
		return true;
	size_t need = cairn_world_snapshot_size(w);
	if (need == 0)
		return cn_fail_memory(error);
	return cn_fail(error, CAIRN_USAGE, "size", "the snapshot takes %zu bytes, not %zu", need, size);
}

/* A snapshot as it is read, before anything is exchanged: the slots of a world, and the changed part of the scene. */
typedef struct incoming {
	cairn_world w;    /* only the arrays by slot, names, drags, emissions, extras and counters are used */
	cn_shape *shapes; /* those of the scene as it came first, shared with it; then its own */
	cairn_material_def *materials;
	uint32_t shape_count, shape_capacity, material_count, material_capacity;
	cn_names shape_names, material_names;
	cn_joint_defs joint_defs;
	v3 gravity;
	double fps;
	uint32_t slots; /* that there will be */
	cn_arena scratch;
} incoming;

static void free_incoming(incoming *in, const cairn_world *w)
{
	const cairn_allocator *a = &w->allocator;
	for (uint32_t i = 0; i < in->w.slots; ++i)
		cn_body_free(a, &in->w.bodies[i]);
	cn_free(a, in->w.bodies, in->w.capacity, sizeof *in->w.bodies);
	cn_free(a, in->w.rotors, in->w.capacity, sizeof *in->w.rotors);
	cn_free(a, in->w.motion, in->w.capacity, sizeof *in->w.motion);
	cn_free(a, in->w.before, in->w.capacity, sizeof *in->w.before);
	cn_free(a, in->w.next, in->w.capacity, sizeof *in->w.next);
	cn_free(a, in->w.pieces, in->w.capacity, sizeof *in->w.pieces);
	cn_free(a, in->w.vacant.slots, in->w.capacity, sizeof *in->w.vacant.slots);
	cn_free(a, in->w.rest_state, in->w.capacity, sizeof *in->w.rest_state);
	cn_free(a, in->w.away, in->w.capacity, sizeof *in->w.away);
	cn_free(a, in->w.memory.pairs, in->w.memory.pair_capacity, sizeof *in->w.memory.pairs);
	cn_free(a, in->w.memory.points, in->w.memory.point_capacity, sizeof *in->w.memory.points);
	cn_free(a, in->w.chunks, (in->w.capacity + CN_CHUNK - 1) / CN_CHUNK, sizeof *in->w.chunks);
	cn_free(a, in->w.extras, in->w.extra_capacity, sizeof *in->w.extras);
	cn_free(a, in->w.drag.items, in->w.drag.capacity, sizeof *in->w.drag.items);
	cn_free(a, in->w.emissions, w->scene->emitter_count, sizeof *in->w.emissions);
	cn_free(a, in->w.joints, in->joint_defs.count, sizeof *in->w.joints);
	cn_joints_free_defs(w, &in->joint_defs);
	cn_names_free(a, &in->w.names);
	cn_writer_free(&in->w.log.inputs);
	for (uint32_t i = w->given.shapes; i < in->shape_count; ++i)
		cn_shape_free(a, &in->shapes[i]);
	cn_free(a, in->shapes, in->shape_capacity, sizeof *in->shapes);
	for (uint32_t i = w->given.materials; i < in->material_count; ++i)
		cn_free_text(a, (char *)in->materials[i].name);
	cn_free(a, in->materials, in->material_capacity, sizeof *in->materials);
	cn_names_free(a, &in->shape_names);
	cn_names_free(a, &in->material_names);
	cn_arena_free(&in->scratch);
}

/* Materials and shapes as they will be. Those of the scene as it came are shared with it (names and arrays), those that
 * inputs added are made anew. */
static bool get_materials(incoming *in, cn_reader *r, const cairn_world *w, cairn_error *error)
{
	const cairn_allocator *a = &w->allocator;
	uint32_t count = cn_get_count(r, 44);
	if (r->failed || count < w->given.materials)
		return false;
	if (!cn_grow(a, (void **)&in->materials, &in->material_capacity, count, sizeof *in->materials))
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < count; ++i) {
		cairn_material_def def;
		if (!cn_get_material_def(r, &in->scratch, &def) || !cn_material_check(&def, error))
			return false;
		def.name = i < w->given.materials ? w->scene->materials[i].name : cn_dup_text(a, def.name);
		if (!def.name)
			return cn_fail_memory(error);
		in->materials[in->material_count++] = def;
	}
	return true;
}

static bool get_shapes(incoming *in, cn_reader *r, const cairn_world *w, cairn_error *error)
{
	const cairn_allocator *a = &w->allocator;
	uint32_t more = cn_get_count(r, 80);
	if (r->failed)
		return false;
	if (!cn_grow(a, (void **)&in->shapes, &in->shape_capacity, w->given.shapes + more, sizeof *in->shapes))
		return cn_fail_memory(error);
	if (w->given.shapes)
		memcpy(in->shapes, w->scene->shapes, w->given.shapes * sizeof *in->shapes);
	in->shape_count = w->given.shapes;
	for (uint32_t i = 0; i < more; ++i) {
		cairn_shape_def def;
		if (!cn_get_shape_def(r, &in->scratch, &def) ||
		    !cn_shape_make(a, &def, in->shapes, in->shape_count, &in->shapes[in->shape_count], error))
			return false;
		++in->shape_count;
	}
	return true;
}

/* Tables of the scene as they will be, over names that already are where they will stay. */
static bool make_names(incoming *in, const cairn_world *w, cairn_error *error)
{
	const cairn_allocator *a = &w->allocator;
	if (!cn_names_reserve(a, &in->shape_names, in->shape_count) ||
	    !cn_names_reserve(a, &in->material_names, in->material_count))
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < in->shape_count; ++i) {
		const char *name = in->shapes[i].def.name;
		if (name && *name && cn_names_find(&in->shape_names, name))
			return false;
		if (name && *name)
			cn_names_add(&in->shape_names, name, i + 1);
	}
	for (uint32_t i = 0; i < in->material_count; ++i) {
		const char *name = in->materials[i].name;
		if (*name && cn_names_find(&in->material_names, name))
			return false;
		if (*name)
			cn_names_add(&in->material_names, name, i + 1);
	}
	return true;
}

static bool fps_fits(double fps)
{
	const cn_option_row *row = cn_option_row_at(cn_option_number("fps"));
	return fps >= row->least && fps <= row->most;
}

static bool get_scene_part(incoming *in, cn_reader *r, const cairn_world *w, cairn_error *error)
{
	in->fps = cn_get_f64(r);
	in->w.clock.frame = cn_get_u32(r);
	in->w.clock.time = cn_get_f64(r);
	if (!fps_fits(in->fps) || in->w.clock.frame > in->w.frame || !(in->w.clock.time >= 0 && isfinite(in->w.clock.time)))
		return false;
	in->gravity = cn_get_v3(r);
	if (!v3_finite(in->gravity) || v3_length(in->gravity) > CN_SPEED_MAX)
		return false;
	return get_materials(in, r, w, error) && get_shapes(in, r, w, error) && make_names(in, w, error);
}

static bool sound_look(const incoming *in, const cn_body *b)
{
	quat q = b->visual_pose.orientation;
	return b->roughness >= 0 && b->roughness <= 1 && b->visual <= in->shape_count &&
	       (!b->visual || in->shapes[b->visual - 1].def.kind != CAIRN_HALFSPACE) &&
	       v3_finite(b->visual_pose.position) && fabs(q_dot(q, q) - 1) <= 1e-9;
}

/* Checks that a body is one that a world may have. The checksum of a snapshot only says that no accident changed it. */
static bool sound_body(const incoming *in, const cn_body *b, uint32_t keys, bool known_inertia)
{
	bool dynamic = b->type == CAIRN_DYNAMIC;
	if (b->generation == 0 || b->type > CAIRN_SCRIPTED || b->shape >= in->shape_count ||
	    in->shapes[b->shape].def.visual || b->material > in->material_count || b->serial >= in->w.count.serials ||
	    (b->type == CAIRN_SCRIPTED) != (keys > 0))
		return false;
	if (!v3_finite(b->center) || !(b->radius > 0) || !(b->area >= 0 && isfinite(b->area)) ||
	    !(b->linear_damping >= 0 && b->linear_damping <= 1e6) ||
	    !(b->angular_damping >= 0 && b->angular_damping <= 1e6) || !isfinite(b->gravity_scale) ||
	    !v3_finite((v3){b->color.r, b->color.g, b->color.b}) || !sound_look(in, b))
		return false;
	if (in->shapes[b->shape].def.kind == CAIRN_HALFSPACE && dynamic)
		return false;
	return dynamic
	           ? b->mass >= CN_MASS_MIN && b->mass <= CN_MASS_MAX && (known_inertia || !cn_inertia_fault(b->inertia))
	           : b->mass == 0;
}

/* Keys inside the frame: by slot, then time, no more than a frame holds. */
static bool sound_extra(const incoming *in, uint32_t i)
{
	const cn_extra *e = &in->w.extras[i];
	const cairn_key *k = &e->key;
	if (e->slot >= in->w.slots || !in->w.bodies[e->slot].alive || !isfinite(k->time) || !v3_finite(k->position) ||
	    !(fabs(q_dot(k->orientation, k->orientation) - 1) <= 1e-9) || !v3_finite(k->velocity) || !v3_finite(k->spin) ||
	    !v3_finite(k->turn))
		return false;
	if (i >= CN_MAX_PIECES - 1 && e[-(CN_MAX_PIECES - 1)].slot == e->slot)
		return false;
	return i == 0 || e[-1].slot < e->slot || (e[-1].slot == e->slot && e[-1].key.time < k->time);
}

/* Whether it weighs what the body in its place weighs. */
static bool weighs_the_same(const cairn_world *w, uint32_t slot, const cn_body *b)
{
	const cn_body *old = slot < w->slots && w->bodies[slot].alive ? &w->bodies[slot] : NULL;
	return old && old->mass == b->mass && memcmp(&old->inertia, &b->inertia, sizeof b->inertia) == 0;
}

/* Principal axes are a search: a body that weighs what the one in its place weighs keeps that one's, which are there. */
static void set_rotor(cn_rotor *r, const cn_body *b, bool same)
{
	if (!same)
		*r = cn_rotor_make(b->mass, b->inertia);
	r->dragged = false;
	cn_body_mark(b, r);
}

static void leave_empty(cairn_world *w, uint32_t slot)
{
	w->rotors[slot] = cn_rotor_make(0, (m3){{{0}}});
	w->motion[slot].q = w->before[slot].q = q_identity();
}

static bool get_body(incoming *in, cn_reader *r, const cairn_world *w, uint32_t slot, cairn_error *error)
{
	cn_body *b = &in->w.bodies[slot];
	const cairn_allocator *a = &w->allocator;
	b->generation = cn_get_u32(r);
	if (!cn_get_bool(r) || r->failed) {
		leave_empty(&in->w, slot);
		return !r->failed;
	}
	b->name = cn_get_text(r, a);
	cn_body_traits_get(r, b);
	const cairn_script_key *keys;
	uint32_t count;
	if (!b->name && !r->failed)
		return cn_fail_memory(error);
	bool same = weighs_the_same(w, slot, b);
	if (!cn_get_script(r, &in->scratch, &keys, &count) || !sound_body(in, b, count, same))
		return false;
	if (count) {
		b->keys = cn_alloc(a, count, sizeof *keys);
		b->key_count = b->keys ? count : 0;
		if (!b->keys)
			return cn_fail_memory(error);
		if (!cn_script_check(keys, count, b->keys, error))
			return false;
	}
	b->lag = cn_get_f64(r);
	b->pace = cn_get_f64(r);
	if (!(b->lag >= 0 && isfinite(b->lag)) || !(b->pace > 0 && b->pace <= 1))
		return false;
	if (*b->name && cn_names_find(&in->w.names, b->name))
		return false;
	if (*b->name && !cn_names_reserve(a, &in->w.names, 1))
		return cn_fail_memory(error);
	if (*b->name)
		cn_names_add(&in->w.names, b->name, slot + 1);
	b->alive = true;
	++in->w.count.alive;
	in->w.count.moving += b->type != CAIRN_FIXED;
	set_rotor(&in->w.rotors[slot], b, same);
	if (!cn_motion_get(r, &in->w.motion[slot]) || !cn_motion_get(r, &in->w.before[slot]))
		return false;
	in->w.pieces[slot] = cn_get_u8(r);
	return cn_rest_state_get(r, in->w.rotors[slot].active, in->slots, &in->w.rest_state[slot]);
}

static bool get_bodies(incoming *in, cn_reader *r, const cairn_world *w, cairn_error *error)
{
	in->w.count.serials = cn_get_u32(r);
	uint32_t slots = in->slots = cn_get_count(r, 5);
	if (r->failed || slots > CN_COUNT_MAX)
		return false;
	uint32_t need = slots > w->capacity ? slots : w->capacity;
	if (need && !cn_world_reserve(&in->w, need))
		return cn_fail_memory(error);
	if (!cn_names_reserve(&w->allocator, &in->w.names, w->names.count)) /* most likely there are as many again */
		return cn_fail_memory(error);
	uint32_t both = slots < w->slots ? slots : w->slots;
	if (both)
		memcpy(in->w.rotors, w->rotors, both * sizeof *w->rotors);
	for (uint32_t i = 0; i < slots; ++i) {
		in->w.slots = i + 1;
		if (!get_body(in, r, w, i, error))
			return false;
	}
	if (slots)
		memcpy(in->w.next, in->w.motion, slots * sizeof *in->w.next);
	in->w.vacant.count = cn_get_count(r, 4);
	if (r->failed || in->w.vacant.count != slots - in->w.count.alive)
		return false;
	for (uint32_t i = 0; i < in->w.vacant.count; ++i) {
		uint32_t slot = in->w.vacant.slots[i] = cn_get_u32(r);
		if (r->failed || slot >= slots || in->w.bodies[slot].alive || in->w.rotors[slot].dragged)
			return false;
		in->w.rotors[slot].dragged = true; /* a mark: no slot twice */
	}
	for (uint32_t i = 0; i < in->w.vacant.count; ++i)
		in->w.rotors[in->w.vacant.slots[i]].dragged = false;
	return cn_memory_get(r, &in->w, in->shapes, error);
}

/* The body has a drag already, or a push, whichever this one is. */
static bool has_drag(const cairn_world *w, const cn_drag *d)
{
	for (uint32_t i = 0; w->rotors[d->slot].dragged && i < w->drag.count; ++i)
		if (w->drag.items[i].slot == d->slot && (w->drag.items[i].frequency == 0) == (d->frequency == 0))
			return true;
	return false;
}

static bool get_rest(incoming *in, cn_reader *r, const cairn_world *w, cairn_error *error)
{
	const cairn_allocator *a = &w->allocator;
	uint32_t drags = cn_get_count(r, 60);
	if (drags && !cn_grow(a, (void **)&in->w.drag.items, &in->w.drag.capacity, drags, sizeof *in->w.drag.items))
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < drags; ++i) {
		cn_drag d = {.slot = cn_get_u32(r)};
		d.anchor = cn_get_v3(r);
		d.target = cn_get_v3(r);
		d.frequency = cn_get_f64(r);
		if (r->failed || d.slot >= in->w.slots || !in->w.rotors[d.slot].active || has_drag(&in->w, &d) ||
		    !v3_finite(d.anchor) || !v3_finite(d.target) || !(d.frequency >= 0 && d.frequency <= 1e6))
			return false;
		in->w.rotors[d.slot].dragged = true;
		in->w.drag.items[in->w.drag.count++] = d;
	}
	uint32_t emitters = w->scene->emitter_count;
	in->w.emissions = cn_alloc(a, emitters, sizeof *in->w.emissions);
	if (emitters && !in->w.emissions)
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < emitters; ++i) {
		cn_emission *e = &in->w.emissions[i];
		e->next = cn_get_u32(r);
		e->batches = cn_get_u32(r);
		e->bodies = cn_get_u32(r);
		e->random = cn_get_u64(r);
	}
	if (!cn_joints_get_defs(r, w, &in->scratch, &in->joint_defs, error))
		return false;
	uint32_t joints = in->joint_defs.count;
	in->w.joints = cn_alloc(a, joints, sizeof *in->w.joints);
	if (joints && !in->w.joints)
		return cn_fail_memory(error);
	if (!cn_joints_get(r, w, joints, in->w.slots, in->w.joints))
		return false;
	uint32_t extras = cn_get_count(r, 140);
	if (extras && !cn_grow(a, (void **)&in->w.extras, &in->w.extra_capacity, extras, sizeof *in->w.extras))
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < extras; ++i) {
		cn_extra *e = &in->w.extras[i];
		e->slot = cn_get_u32(r);
		e->key.time = cn_get_f64(r);
		e->key.position = cn_get_v3(r);
		e->key.orientation = cn_get_quat(r);
		e->key.velocity = cn_get_v3(r);
		e->key.spin = cn_get_v3(r);
		e->key.turn = cn_get_v3(r);
		if (r->failed || !sound_extra(in, i))
			return false;
	}
	in->w.extra_count = extras;
	in->w.energy.kinetic = cn_get_f64(r);
	in->w.energy.potential = cn_get_f64(r);
	in->w.energy.touched = cn_get_bool(r);
	uint32_t size = cn_get_count(r, 1);
	const uint8_t *bytes = cn_get_bytes(r, size);
	if (!r->failed)
		cn_put_bytes(&in->w.log.inputs, bytes, size);
	if (in->w.log.inputs.failed)
		return cn_fail_memory(error);
	return !r->failed && cn_reader_left(r) == 0;
}

/* The part of the scene that inputs change: nothing here can fail. What was there before is left in in. */
static void exchange_scene(incoming *in, cairn_world *w)
{
	cairn_scene *scene = w->scene;
	incoming old = {.shapes = scene->shapes,
	                .shape_count = scene->shape_count,
	                .shape_capacity = scene->shape_capacity,
	                .materials = scene->materials,
	                .material_count = scene->material_count,
	                .material_capacity = scene->material_capacity,
	                .shape_names = scene->shape_names,
	                .material_names = scene->material_names};
	cn_joint_defs joints = {scene->joints, scene->joint_count, scene->joint_capacity};
	scene->joints = in->joint_defs.items, scene->joint_count = in->joint_defs.count;
	scene->joint_capacity = in->joint_defs.capacity, scene->late_joints = scene->joint_count - w->given.joints;
	in->joint_defs = joints;
	scene->settings.gravity = in->gravity, scene->settings.fps = in->fps;
	scene->shapes = in->shapes, scene->shape_count = in->shape_count, scene->shape_capacity = in->shape_capacity;
	scene->materials = in->materials, scene->material_count = in->material_count;
	scene->material_capacity = in->material_capacity;
	scene->shape_names = in->shape_names, scene->material_names = in->material_names;
	in->shapes = old.shapes, in->shape_count = old.shape_count, in->shape_capacity = old.shape_capacity;
	in->materials = old.materials, in->material_count = old.material_count;
	in->material_capacity = old.material_capacity;
	in->shape_names = old.shape_names, in->material_names = old.material_names;
}

static void exchange(incoming *in, cairn_world *w)
{
	cairn_world old = *w;
	cairn_world *n = &in->w;
	w->bodies = n->bodies, w->rotors = n->rotors, w->motion = n->motion, w->before = n->before, w->next = n->next,
	w->pieces = n->pieces, w->rest_state = n->rest_state, w->away = n->away, w->memory = n->memory;
	w->vacant.slots = n->vacant.slots, w->chunks = n->chunks, w->extras = n->extras, w->drag.items = n->drag.items,
	w->emissions = n->emissions;
	w->joints = n->joints;
	w->slots = n->slots, w->capacity = n->capacity, w->count = n->count;
	w->vacant.count = n->vacant.count, w->names = n->names, w->drag.count = n->drag.count;
	w->drag.capacity = n->drag.capacity, w->extra_count = n->extra_count, w->extra_capacity = n->extra_capacity;
	w->energy.kinetic = n->energy.kinetic, w->energy.potential = n->energy.potential,
	w->energy.touched = n->energy.touched, w->frame = n->frame;
	w->log.inputs = n->log.inputs;
	w->clock = n->clock, w->dt = 1 / w->scene->settings.fps;
	++w->given.restores, ++w->given.changes;
	for (uint32_t i = 0; i < w->slots && i < old.slots; ++i)
		if (w->bodies[i].generation == old.bodies[i].generation)
			w->bodies[i].user = old.bodies[i].user;
	cn_writer_reset(&w->log.consumed);
	w->log.impacts.count = 0;
	*n = old;
}

bool cairn_world_restore(cairn_world *w, const void *bytes, size_t size, cairn_error *error)
{
	cn_reader r = {.data = bytes, .size = size > 4 ? size - 4 : 0};
	cn_reader tail = {.data = (const uint8_t *)bytes + r.size, .size = size > 4 ? 4 : 0};
	if (cn_get_u32(&r) != SNAPSHOT_MAGIC || cn_get_u32(&tail) != cn_crc32(0, bytes, r.size) || r.failed)
		return cn_fail(error, CAIRN_FILE, "", "these bytes are not a whole snapshot");
	uint32_t version = cn_get_u32(&r);
	if (version != SNAPSHOT_VERSION)
		return cn_fail(error, CAIRN_FILE, "", "the snapshot is of version %u; this library reads version %d", version,
		               SNAPSHOT_VERSION);
	if (cn_get_u64(&r) != w->given.fingerprint)
		return cn_fail(error, CAIRN_USAGE, "", "the snapshot is of another scene; make the world from the same one");
	incoming in = {.scratch.allocator = w->allocator};
	in.w.allocator = in.w.log.inputs.allocator = w->allocator;
	in.w.frame = cn_get_u32(&r);

	cairn_error local = {0};
	bool ok = get_scene_part(&in, &r, w, &local) && get_bodies(&in, &r, w, &local) && get_rest(&in, &r, w, &local);
	if (ok) {
		exchange_scene(&in, w);
		exchange(&in, w);
		cn_certifier_forget(w->certifier);
	}
	free_incoming(&in, w);
	if (!ok && in.scratch.failed)
		cn_fail_memory(&local);
	if (!ok && local.code == CAIRN_OK)
		cn_fail(&local, CAIRN_FILE, "", "the snapshot's bytes end early or do not fit together");
	if (!ok && error)
		*error = local;
	return ok;
}
