/* Asking the program's filter: once a pair, before the two come near. Who was asked about is memory and no state; a no is an
 * input. After a snapshot was put back all is asked anew, as the joints that let pairs pass are then those of the snapshot. */
#include "world/ask.h"

#include "base/hash.h"
#include "geom/broad.h"

#define CN_ASK_FAR 1e12 /* m: half of the box that stands for a half-space */

/* ---- who was asked about */

/* The place of a key, or the empty one where it belongs. */
static uint64_t *find(uint64_t *asked, uint32_t room, uint64_t key)
{
	uint32_t at = (uint32_t)cn_hash_u64(CN_HASH_START, key) & (room - 1);
	while (asked[at] && asked[at] != key)
		at = (at + 1) & (room - 1);
	return &asked[at];
}

static bool grow(const cairn_world *w, struct cn_asker *k)
{
	uint32_t room = k->asked_room ? 2 * k->asked_room : 64;
	uint64_t *more = cn_alloc(&w->allocator, room, sizeof *more);
	if (!more)
		return false;
	for (uint32_t i = 0; i < k->asked_room; ++i)
		if (k->asked[i])
			*find(more, room, k->asked[i]) = k->asked[i];
	cn_free(&w->allocator, k->asked, k->asked_room, sizeof *k->asked);
	k->asked = more, k->asked_room = room;
	return true;
}

/* Notes a pair. *fresh: it was not asked about. False: memory ran out. */
static bool note(const cairn_world *w, struct cn_asker *k, const cn_broad_pair *p, bool *fresh)
{
	uint64_t key = ((uint64_t)w->bodies[p->a].serial << 32 | w->bodies[p->b].serial) + 1;
	if (2 * (k->asked_count + 1) > k->asked_room && !grow(w, k))
		return false;
	uint64_t *at = find(k->asked, k->asked_room, key);
	*fresh = *at == 0;
	k->asked_count += *fresh;
	*at = key;
	return true;
}

/* ---- who comes near whom */

/* How far a body's surface may get from its centre in the next frame: a body may gain as much speed again as it has. */
static double reach_of(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	const cn_motion *m = &w->motion[slot];
	double fall = v3_length(w->scene->settings.gravity) * fabs(b->gravity_scale) * w->dt;
	if (b->type == CAIRN_FIXED)
		return b->radius;
	if (b->type == CAIRN_SCRIPTED)
		return b->radius + v3_distance(m->x, cn_script_center(b, cairn_world_time(w) + w->dt).position);
	return b->radius + 2 * (v3_length(m->v) + fall) * w->dt;
}

static cn_broad_item item_of(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	cn_broad_item item = {.low = {1, 0, 0}, .high = {0, 0, 0}};
	if (!b->alive)
		return item;
	double far = fmin(reach_of(w, slot), CN_ASK_FAR);
	v3 half = {far, far, far}, at = w->motion[slot].x;
	return (cn_broad_item){v3_sub(at, half), v3_add(at, half), b->type != CAIRN_DYNAMIC, b->group, b->mask};
}

/* A half-space is near only to what may reach its plane. */
static bool near_plane(const cairn_world *w, uint32_t plane, uint32_t other)
{
	const cairn_shape_def *d = &w->scene->shapes[w->bodies[plane].shape].def;
	if (d->kind != CAIRN_HALFSPACE)
		return true;
	pose frame = cn_body_frame(&w->bodies[plane], &w->motion[plane]);
	v3 n = q_rotate(frame.orientation, d->normal);
	return v3_dot(n, v3_sub(w->motion[other].x, frame.position)) - d->offset <= reach_of(w, other);
}

/* A joint keeps the two from colliding already. */
static bool held(const cairn_world *w, const cn_broad_pair *p)
{
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		if (!w->scene->joints[i].collide && ((j->a == p->a && j->b == p->b) || (j->a == p->b && j->b == p->a)))
			return true;
	}
	return false;
}

static bool let_pass(cairn_world *w, const cn_broad_pair *p)
{
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_PASS, d.a = cn_handle(w, p->a), d.b = cn_handle(w, p->b);
	return cairn_world_add_joint(w, &d, NULL).generation;
}

static bool ask_pair(cairn_world *w, const cn_broad_pair *p)
{
	bool fresh = false;
	if (!near_plane(w, p->a, p->b) || !near_plane(w, p->b, p->a))
		return true;
	if (!note(w, w->filter.asker, p, &fresh))
		return false;
	if (!fresh || held(w, p) || w->filter.def.collide(w->filter.def.context, w, cn_handle(w, p->a), cn_handle(w, p->b)))
		return true;
	return let_pass(w, p);
}

bool cn_filter_ask(cairn_world *w)
{
	if (!w->filter.asker && !cn_asker_create(w))
		return false;
	struct cn_asker *k = w->filter.asker;
	if (k->restores != w->given.restores) {
		for (uint32_t i = 0; i < k->asked_room; ++i)
			k->asked[i] = 0;
		k->asked_count = 0, k->restores = w->given.restores;
	}
	if (!cn_grow(&w->allocator, (void **)&k->items, &k->item_capacity, w->slots + 1, sizeof *k->items))
		return false;
	for (uint32_t i = 0; i < w->slots; ++i)
		k->items[i] = item_of(w, i);
	if (!cn_broad_update(k->broad, k->items, w->slots, w->pool))
		return false;
	uint32_t count;
	const cn_broad_pair *pairs = cn_broad_pairs(k->broad, &count);
	for (uint32_t i = 0; i < count; ++i)
		if (!ask_pair(w, &pairs[i]))
			return false;
	return true;
}
