/* Looking at a world. */
#include "base/hash.h"
#include "world/world.h"

const cairn_scene *cairn_world_scene(const cairn_world *w) { return w->scene; }
uint32_t cairn_world_frame(const cairn_world *w) { return w->frame; }
double cairn_world_time(const cairn_world *w) { return cn_frame_time(w, w->frame, 0); }
uint32_t cairn_world_threads(const cairn_world *w) { return cn_pool_threads(w->pool); }
uint32_t cairn_world_body_count(const cairn_world *w) { return w->count.alive; }

bool cairn_world_has_body(const cairn_world *w, cairn_body body)
{
	return body.generation && body.index < w->slots && w->bodies[body.index].alive &&
	       w->bodies[body.index].generation == body.generation;
}

bool cairn_world_body_asleep(const cairn_world *w, cairn_body body)
{
	return cairn_world_has_body(w, body) && w->rest_state[body.index].asleep != CN_AWAKE;
}

bool cairn_world_body_frozen(const cairn_world *w, cairn_body body)
{
	return cairn_world_has_body(w, body) && w->rest_state[body.index].asleep == CN_FROZEN;
}

void cairn_world_set_user_data(cairn_world *w, cairn_body body, void *data)
{
	if (cairn_world_has_body(w, body))
		w->bodies[body.index].user = data;
}

void *cairn_world_user_data(const cairn_world *w, cairn_body body)
{
	return cairn_world_has_body(w, body) ? w->bodies[body.index].user : NULL;
}

uint32_t cairn_world_bodies(const cairn_world *w, cairn_body *bodies, uint32_t capacity)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (!w->bodies[i].alive)
			continue;
		if (count < capacity)
			bodies[count] = cn_handle(w, i);
		++count;
	}
	return count;
}

cairn_body cairn_world_find_body(const cairn_world *w, const char *name)
{
	uint32_t found = cn_names_find(&w->names, name);
	return found ? cn_handle(w, found - 1) : (cairn_body){0, 0};
}

cairn_body_info cairn_world_body_info(const cairn_world *w, cairn_body body)
{
	if (!cairn_world_has_body(w, body))
		return (cairn_body_info){.name = ""};
	const cn_body *b = &w->bodies[body.index];
	cairn_body_info info = {.name = b->name,
	                        .type = (cairn_body_type)b->type,
	                        .serial = b->serial,
	                        .shape = {b->shape, 1},
	                        .mass = b->mass,
	                        .center = b->center,
	                        .radius = b->radius,
	                        .group = b->group,
	                        .mask = b->mask,
	                        .color = b->color,
	                        .roughness = b->roughness,
	                        .visual_pose = b->visual_pose};
	if (b->visual)
		info.visual = (cairn_shape){b->visual - 1, 1};
	if (b->material)
		info.material = (cairn_material){b->material - 1, 1};
	memcpy(info.inertia, b->inertia.m, sizeof info.inertia);
	return info;
}

/* The turn of the last piece: from the last key inside the frame, or from the frame before. */
static v3 last_turn(const cairn_world *w, uint32_t slot, const cn_extra *last)
{
	if (w->bodies[slot].birth == w->frame)
		return v3_zero();
	return q_turn(last ? last->key.orientation : w->before[slot].q, w->motion[slot].q);
}

uint32_t cn_extras_find(const cn_extra *extras, uint32_t count, uint32_t slot, const cn_extra **first)
{
	uint32_t low = 0, high = count, end;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (extras[mid].slot < slot)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < count && extras[end].slot == slot; ++end)
		;
	*first = end > low ? &extras[low] : NULL;
	return end - low;
}

cairn_key cn_key_of(const cairn_world *w, uint32_t slot, const cn_motion *m, double time, v3 turn)
{
	return (cairn_key){time, m->x, m->q, m->v, cn_spin(&w->rotors[slot], m->q, m->l), turn};
}

cairn_key cairn_world_body_key(const cairn_world *w, cairn_body body)
{
	if (!cairn_world_has_body(w, body))
		return (cairn_key){.orientation = q_identity()};
	const cn_extra *extras;
	uint32_t slot = body.index, count = cn_extras_find(w->extras, w->extra_count, slot, &extras);
	v3 turn = last_turn(w, slot, count ? &extras[count - 1] : NULL);
	return cn_key_of(w, slot, &w->motion[slot], cairn_world_time(w), turn);
}

uint32_t cairn_world_body_keys(const cairn_world *w, cairn_body body, cairn_key *keys, uint32_t capacity)
{
	if (!cairn_world_has_body(w, body))
		return 0;
	const cn_extra *extras;
	const cn_body *b = &w->bodies[body.index];
	uint32_t count = 0, extra_count = cn_extras_find(w->extras, w->extra_count, body.index, &extras);
	if (b->late && b->birth + 1 == w->frame && b->type != CAIRN_FIXED) {
		if (count < capacity)
			keys[count] = cn_key_of(w, body.index, &w->before[body.index], cn_frame_time(w, b->birth, 0), v3_zero());
		++count;
	}
	for (uint32_t i = 0; extras && i < extra_count; ++i, ++count)
		if (count < capacity)
			keys[count] = extras[i].key;
	if (count < capacity)
		keys[count] = cairn_world_body_key(w, body);
	return count + 1;
}

cairn_pose cairn_world_body_pose(const cairn_world *w, cairn_body body)
{
	if (!cairn_world_has_body(w, body))
		return (cairn_pose){.orientation = q_identity()};
	return cn_body_frame(&w->bodies[body.index], &w->motion[body.index]);
}

uint32_t cairn_world_poses(const cairn_world *w, cairn_pose *poses, uint32_t capacity)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->slots && count < capacity; ++i)
		if (w->bodies[i].alive)
			poses[count++] = cn_body_frame(&w->bodies[i], &w->motion[i]);
	return w->count.alive;
}

uint32_t cairn_world_velocities(const cairn_world *w, cairn_velocity *velocities, uint32_t capacity)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->slots && count < capacity; ++i)
		if (w->bodies[i].alive)
			velocities[count++] =
				(cairn_velocity){w->motion[i].v, cn_spin(&w->rotors[i], w->motion[i].q, w->motion[i].l)};
	return w->count.alive;
}

static uint64_t hash_v3(uint64_t h, v3 v) { return cn_hash_double(cn_hash_double(cn_hash_double(h, v.x), v.y), v.z); }

uint64_t cairn_world_hash(const cairn_world *w)
{
	uint64_t h = cn_hash_u64(cn_hash_u64(CN_HASH_START, w->frame), w->count.alive);
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (!w->bodies[i].alive)
			continue;
		const cn_motion *m = &w->motion[i];
		const cn_rest_state *r = &w->rest_state[i];
		h = cn_hash_u64(h, w->bodies[i].serial);
		h = cn_hash_u64(h, (uint64_t)r->island << 32 | (uint64_t)r->cold_frames << 24 | (uint64_t)r->asleep << 16 |
		                       r->still_frames);
		h = hash_v3(h, m->x);
		h = cn_hash_double(hash_v3(h, (v3){m->q.w, m->q.x, m->q.y}), m->q.z);
		h = hash_v3(h, m->v);
		h = hash_v3(h, m->l);
	}
	for (uint32_t i = 0; i < w->scene->emitter_count; ++i)
		h = cn_hash_u64(cn_hash_u64(h, w->emissions[i].bodies), w->emissions[i].random);
	return h;
}
