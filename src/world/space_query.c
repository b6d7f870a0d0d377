/* Asking a space. Everything is on the stack or in the caller's arrays. Boxes are met in an order of the tree; what is told
 * is ordered by shares and by the world's order, so it does not depend on the tree. */
#include "base/tolerance.h"
#include "geom/cast.h"
#include "geom/pack_ray.h"
#include "world/query.h"
#include "world/space.h"

/* Something that moves: a ray, or the parts of a shape. */
typedef struct mover {
	const cairn_space *space;
	cairn_query query;
	cn_ray ray; /* of a shape: of the middle of its box */
	v3 wide;    /* half extents of a shape's box */
	const cairn_cast *cast;
	pose frame; /* of the shape: with a unit quaternion */
} mover;

cairn_query cairn_default_query(void) { return (cairn_query){.group = UINT32_MAX, .mask = UINT32_MAX}; }

static bool within(v3 v) { return v3_finite(v) && v3_max(v3_abs(v)) <= CN_LENGTH_MAX; }

static bool standing(const cairn_space *s) { return s->restores == s->world->given.restores; }

static bool asked(const cairn_query *q, const cn_space_item *item)
{
	return (q->group & item->mask) && (q->mask & item->group) &&
	       !(q->except.generation == item->body.generation && q->except.index == item->body.index);
}

static bool meet_ray_part(const mover *m, uint32_t part, cn_meeting *met)
{
	const cn_space_part *p = &m->space->parts[part];
	const cn_shape *shape = &m->space->world->scene->shapes[p->shape];
	if (shape->def.kind == CAIRN_MESH)
		return cn_cast_ray_mesh(shape, m->space->part_frames[part], &m->ray, met);
	return cn_cast_ray(shape->convex, &p->at, &m->ray, met);
}

static bool meet_shape_part(const mover *m, uint32_t part, cn_meeting *met)
{
	const cn_space_part *p = &m->space->parts[part];
	const cn_shape *shapes = m->space->world->scene->shapes, *other = &shapes[p->shape];
	bool found = false;
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, m->cast->shape.index); ++i) {
		cairn_part own = cn_shape_part(shapes, m->cast->shape.index, i);
		const cn_convex *convex = shapes[own.shape.index].convex;
		cn_cast cast = {convex, cn_convex_place(convex, pose_mul(m->frame, own.pose)), m->ray.way};
		found |= other->def.kind == CAIRN_MESH ? cn_cast_mesh(&cast, other, m->space->part_frames[part], met)
		                                       : cn_cast_part(&cast, other->convex, &p->at, met);
	}
	return found;
}

/* The first meeting with a body, up to a share. Of parts met at the same share it is the first. */
static bool meet(const mover *m, const cn_space_item *item, double limit, cairn_hit *hit)
{
	cn_meeting best = {.share = limit};
	uint32_t part = UINT32_MAX;
	for (uint32_t i = 0; i < item->count; ++i) {
		cn_meeting met = {.share = best.share};
		bool found = m->cast ? meet_shape_part(m, item->first + i, &met) : meet_ray_part(m, item->first + i, &met);
		if (found && (part == UINT32_MAX || met.share < best.share))
			best = met, part = i;
	}
	if (part == UINT32_MAX)
		return false;
	*hit = (cairn_hit){item->body, part, best.triangle, best.share, best.point, best.normal};
	return true;
}

/* Whether one hit comes before another. Items are in the order of slots. */
static bool before(const cairn_hit *a, const cairn_hit *b)
{
	return a->share < b->share || (a->share == b->share && a->body.index < b->body.index);
}

static void begin(const mover *m, cn_pack_ray *walk)
{
	cn_pack_ray_start(walk, &m->space->tree, m->ray.from, m->ray.way, m->wide);
}

/* A search for what a mover meets first. */
typedef struct search {
	mover m;
	cn_pack_ray walk;
	uint32_t endless; /* how many of these were looked at */
	uint32_t number;  /* the item to look at next, CN_NO_SLOT at the end */
	bool found;
	cairn_hit *hit; /* the first so far; its share is the limit */
} search;

/* Goes on to the next item, and has the processor fetch it: with several searches in turn it is there when it is looked at. */
static void go_on(search *f)
{
	const cairn_space *s = f->m.space;
	f->number = f->endless < s->endless_count ? s->endless[f->endless++] : cn_pack_ray_next(&f->walk, f->hit->share);
	if (f->number == CN_NO_SLOT)
		return;
	__builtin_prefetch(&s->items[f->number]);
	__builtin_prefetch(&s->parts[f->number]); /* where every body has one part; else no harm */
	__builtin_prefetch(&s->parts[f->number].at.r.m[1]);
}

/* f->m is made. */
static void start_search(search *f, cairn_hit *hit)
{
	f->endless = 0, f->found = false, f->hit = hit;
	*hit = (cairn_hit){.share = 1, .triangle = UINT32_MAX};
	begin(&f->m, &f->walk);
	go_on(f);
}

static void look(search *f)
{
	const cn_space_item *item = &f->m.space->items[f->number];
	cairn_hit met;
	if (asked(&f->m.query, item) && meet(&f->m, item, f->hit->share, &met) && (!f->found || before(&met, f->hit)))
		*f->hit = met, f->found = true;
	go_on(f);
}

static bool first_met(search *f, cairn_hit *hit)
{
	cairn_hit first;
	start_search(f, &first);
	while (f->number != CN_NO_SLOT)
		look(f);
	if (f->found)
		*hit = first;
	return f->found;
}

static uint32_t all_met(const mover *m, cairn_hit *hits, uint32_t capacity)
{
	const cairn_space *s = m->space;
	uint32_t count = 0, next = 0;
	cn_pack_ray walk;
	begin(m, &walk);
	for (;;) {
		uint32_t number = next < s->endless_count ? s->endless[next++] : cn_pack_ray_next(&walk, 1);
		cairn_hit met;
		if (number == CN_NO_SLOT)
			return count;
		if (!asked(&m->query, &s->items[number]) || !meet(m, &s->items[number], 1, &met))
			continue;
		uint32_t at = count++ < capacity ? count - 1 : capacity;
		for (; at > 0 && before(&met, &hits[at - 1]); --at)
			if (at < capacity)
				hits[at] = hits[at - 1];
		if (at < capacity)
			hits[at] = met;
	}
}

static bool start_ray(const cairn_space *s, cairn_ray ray, const cairn_query *query, mover *m)
{
	*m = (mover){.space = s, .query = query ? *query : cairn_default_query(), .ray = {ray.from, ray.way}};
	return standing(s) && within(ray.from) && within(ray.way);
}

/* The box of a shape at a pose: its middle and half extents, rounded outwards. */
static void box_of(const cairn_space *s, uint32_t shape, pose frame, v3 *middle, v3 *wide)
{
	const cn_shape *shapes = s->world->scene->shapes;
	v3 low = {INFINITY, INFINITY, INFINITY}, high = v3_neg(low);
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape); ++i) {
		cairn_part part = cn_shape_part(shapes, shape, i);
		const cn_convex *convex = shapes[part.shape.index].convex;
		cn_place at = cn_convex_place(convex, pose_mul(frame, part.pose));
		v3 half = cn_cast_extent(convex, &at, q_identity());
		low = v3_least(low, v3_sub(at.x, half)), high = v3_most(high, v3_add(at.x, half));
	}
	*middle = v3_lerp(low, high, 0.5);
	*wide = v3_add(v3_scale(v3_sub(high, low), 0.5), v3_scale(v3_abs(*middle), 4 * DBL_EPSILON));
}

static bool start_cast(const cairn_space *s, const cairn_cast *cast, const cairn_query *query, mover *m)
{
	quat q = cast->pose.orientation;
	*m = (mover){.space = s, .query = query ? *query : cairn_default_query(), .cast = cast};
	if (!standing(s) || !within(cast->pose.position) || !within(cast->way) || !q_finite(q) ||
	    !(fabs(q_dot(q, q) - 1) <= 2 * CN_UNIT_ERROR) || !cn_world_may_cast(s->world, cast->shape))
		return false;
	m->frame = (pose){cast->pose.position, q_unit(q)};
	m->ray.way = cast->way;
	box_of(s, cast->shape.index, m->frame, &m->ray.from, &m->wide);
	return true;
}

bool cairn_space_ray(const cairn_space *s, cairn_ray ray, const cairn_query *query, cairn_hit *hit)
{
	search f;
	return start_ray(s, ray, query, &f.m) && first_met(&f, hit);
}

bool cairn_space_cast(const cairn_space *s, const cairn_cast *cast, const cairn_query *query, cairn_hit *hit)
{
	search f;
	return start_cast(s, cast, query, &f.m) && first_met(&f, hit);
}

uint32_t cairn_space_ray_all(const cairn_space *s, cairn_ray ray, const cairn_query *query, cairn_hit *hits,
                             uint32_t capacity)
{
	mover m;
	return start_ray(s, ray, query, &m) ? all_met(&m, hits, capacity) : 0;
}

uint32_t cairn_space_cast_all(const cairn_space *s, const cairn_cast *cast, const cairn_query *query, cairn_hit *hits,
                              uint32_t capacity)
{
	mover m;
	return start_cast(s, cast, query, &m) ? all_met(&m, hits, capacity) : 0;
}

enum { CN_RAYS_TOGETHER = 4 }; /* searches in turn: enough that what one waits for is fetched while others go on */

typedef struct batch {
	const cairn_space *space;
	const cairn_ray *rays;
	uint32_t count, next;
	const cairn_query *query;
	cairn_hit *hits;
} batch;

/* Starts the next ray that can be asked; false if there is none. */
static bool start_next(batch *b, search *f)
{
	while (b->next < b->count) {
		uint32_t i = b->next++;
		if (start_ray(b->space, b->rays[i], b->query, &f->m)) {
			start_search(f, &b->hits[i]);
			return true;
		}
		b->hits[i] = (cairn_hit){.share = 1, .triangle = UINT32_MAX};
	}
	return false;
}

uint32_t cairn_space_rays(const cairn_space *s, const cairn_ray *rays, uint32_t count, const cairn_query *query,
                          cairn_hit *hits)
{
	batch b = {.space = s, .rays = rays, .count = count, .query = query, .hits = hits};
	search searches[CN_RAYS_TOGETHER];
	uint32_t met = 0, going = 0;
	while (going < CN_RAYS_TOGETHER && start_next(&b, &searches[going]))
		++going;
	for (uint32_t i = 0; going > 0; i = i + 1 < going ? i + 1 : 0) {
		search *f = &searches[i];
		if (f->number != CN_NO_SLOT) {
			look(f);
			continue;
		}
		met += f->found;
		if (!start_next(&b, f))
			*f = searches[--going];
	}
	return met;
}

/* ---- places */

/* Bodies in the world's order, as many as there is room for. */
static void note(cairn_body body, cairn_body *bodies, uint32_t capacity, uint32_t *count)
{
	uint32_t at = *count < capacity ? *count : capacity;
	++*count;
	for (; at > 0 && body.index < bodies[at - 1].index; --at)
		if (at < capacity)
			bodies[at] = bodies[at - 1];
	if (at < capacity)
		bodies[at] = body;
}

static bool overlaps(const mover *m, const cn_space_item *item)
{
	cairn_gap gap;
	return cn_shapes_gap(m->space->world->scene, m->cast->shape.index, m->frame, item->shape,
	                     m->space->item_frames[item - m->space->items], &gap) &&
	       gap.gap <= 0;
}

/* A half-space meets a box where the box's lowest corner along its normal is not above it. */
static bool reaches(const cairn_space *s, const cn_space_item *item, v3 middle, v3 half)
{
	const cn_space_part *p = &s->parts[item->first];
	v3 n = cn_place_turn(&p->at, s->world->scene->shapes[p->shape].convex->normal);
	return v3_dot(n, v3_sub(middle, p->at.x)) <= v3_dot(v3_abs(n), half);
}

/* Floats next to a number, on the sides that make a box larger. */
static void flatten(v3 low, v3 high, cn_flat_box *box)
{
	for (int i = 0; i < 3; ++i) {
		float a = (float)v3_at(low, i), b = (float)v3_at(high, i);
		box->low[i] = a - FLT_EPSILON * fabsf(a), box->high[i] = b + FLT_EPSILON * fabsf(b);
	}
	box->low[3] = 0, box->high[3] = 3;
}

static uint32_t all_in(const mover *m, v3 low, v3 high, cairn_body *bodies, uint32_t capacity)
{
	const cairn_space *s = m->space;
	uint32_t count = 0;
	v3 middle = v3_lerp(low, high, 0.5), half = v3_scale(v3_sub(high, low), 0.5);
	for (uint32_t i = 0; i < s->endless_count; ++i) {
		const cn_space_item *item = &s->items[s->endless[i]];
		if (asked(&m->query, item) && (m->cast ? overlaps(m, item) : reaches(s, item, middle, half)))
			note(item->body, bodies, capacity, &count);
	}
	cn_flat_box box;
	cn_pack_walk walk;
	flatten(low, high, &box);
	if (!s->tree.levels)
		return count;
	cn_pack_walk_start(&walk, &s->tree, &box, 0);
	for (uint32_t pack = cn_pack_walk_next(&walk); pack != CN_NO_SLOT; pack = cn_pack_walk_next(&walk)) {
		unsigned bits = cn_pack_meet(&s->tree.packs[pack], walk.low, walk.high);
		for (; bits; bits &= bits - 1) {
			const cn_space_item *item = &s->items[s->tree.items[pack * 8 + (uint32_t)__builtin_ctz(bits)]];
			if (asked(&m->query, item) && (!m->cast || overlaps(m, item)))
				note(item->body, bodies, capacity, &count);
		}
	}
	return count;
}

uint32_t cairn_space_overlap(const cairn_space *s, const cairn_cast *at, const cairn_query *query, cairn_body *bodies,
                             uint32_t capacity)
{
	mover m;
	cairn_cast still = *at;
	still.way = v3_zero();
	if (!start_cast(s, &still, query, &m))
		return 0;
	return all_in(&m, v3_sub(m.ray.from, m.wide), v3_add(m.ray.from, m.wide), bodies, capacity);
}

uint32_t cairn_space_box(const cairn_space *s, cairn_box box, const cairn_query *query, cairn_body *bodies,
                         uint32_t capacity)
{
	mover m = {.space = s, .query = query ? *query : cairn_default_query()};
	if (!standing(s) || !within(box.min) || !within(box.max) || !(box.min.x <= box.max.x) ||
	    !(box.min.y <= box.max.y) || !(box.min.z <= box.max.z))
		return 0;
	return all_in(&m, box.min, box.max, bodies, capacity);
}
