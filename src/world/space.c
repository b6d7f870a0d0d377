/* Making a space: see space.h and the public header. */
#include "world/space.h"

/* A float at most, and at least, as large as a number: one step further than rounding could have gone. */
static float below(double x)
{
	float f = (float)x;
	return f - FLT_EPSILON * fabsf(f);
}
static float above(double x)
{
	float f = (float)x;
	return f + FLT_EPSILON * fabsf(f);
}

static const cn_flat_box nothing = {{INFINITY, INFINITY, INFINITY, INFINITY},
                                    {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};

static void widen(cn_flat_box *box, const cn_convex *part, const cn_place *at)
{
	const double x[3] = {at->x.x, at->x.y, at->x.z};
	for (int i = 0; i < 3; ++i) {
		v3 axis = {i == 0, i == 1, i == 2};
		float low = below(x[i] - cn_convex_support(part, at, v3_neg(axis)));
		float high = above(x[i] + cn_convex_support(part, at, axis));
		box->low[i] = low < box->low[i] ? low : box->low[i];
		box->high[i] = high > box->high[i] ? high : box->high[i];
	}
}

static void place_body(cairn_space *s, uint32_t slot)
{
	const cairn_world *w = s->world;
	const cn_shape *shapes = w->scene->shapes;
	const cn_body *b = &w->bodies[slot];
	pose frame = cn_body_frame(b, &w->motion[slot]);
	uint32_t count = cn_shape_part_count(shapes, b->shape), number = s->item_count++;
	cn_flat_box box = nothing;
	s->items[number] = (cn_space_item){.body = cn_handle(w, slot),
	                                   .group = b->group,
	                                   .mask = b->mask,
	                                   .first = s->part_count,
	                                   .count = count,
	                                   .shape = b->shape,
	                                   .endless = shapes[b->shape].def.kind == CAIRN_HALFSPACE};
	s->item_frames[number] = frame;
	for (uint32_t i = 0; i < count; ++i) {
		cairn_part part = cn_shape_part(shapes, b->shape, i);
		const cn_convex *convex = shapes[part.shape.index].convex;
		pose at = pose_mul(frame, part.pose);
		cn_space_part *p = &s->parts[s->part_count];
		*p = (cn_space_part){cn_convex_place(convex, at), part.shape.index};
		s->part_frames[s->part_count++] = at;
		if (!s->items[number].endless)
			widen(&box, convex, &p->at);
	}
	if (s->items[number].endless)
		s->endless[s->endless_count++] = number;
	s->boxes[number] = box;
}

static bool make_room(cairn_space *s, uint32_t items, uint32_t parts)
{
	const cairn_allocator *a = &s->allocator;
	return cn_grow(a, (void **)&s->items, &s->item_capacity, items, sizeof *s->items) &&
	       cn_grow(a, (void **)&s->parts, &s->part_capacity, parts, sizeof *s->parts) &&
	       cn_grow(a, (void **)&s->item_frames, &s->item_frame_capacity, items, sizeof *s->item_frames) &&
	       cn_grow(a, (void **)&s->part_frames, &s->part_frame_capacity, parts, sizeof *s->part_frames) &&
	       cn_grow(a, (void **)&s->boxes, &s->box_capacity, items, sizeof *s->boxes) &&
	       cn_grow(a, (void **)&s->slots, &s->slot_capacity, items, sizeof *s->slots) &&
	       cn_grow(a, (void **)&s->endless, &s->endless_capacity, items, sizeof *s->endless);
}

/* The tree is kept as long as there are as many items and its boxes are not much looser than new ones. Answers do not
 * depend on it. */
static bool sort(cairn_space *s, uint32_t before, uint32_t endless_before)
{
	bool fits = before == s->item_count && endless_before == s->endless_count && s->tree.levels > 0;
	for (uint32_t i = 0; fits && i < s->item_count; ++i) {
		fits = s->items[i].endless == (s->slots[i] == CN_NO_SLOT);
		if (fits && !s->items[i].endless)
			cn_pack_tree_put(&s->tree, s->slots[i], &s->boxes[i]);
	}
	if (fits && !cn_pack_tree_refit(&s->tree))
		return true;
	return cn_pack_tree_build(&s->allocator, &s->tree, s->boxes, s->item_count, s->slots);
}

bool cairn_space_update(cairn_space *s, cairn_error *error)
{
	const cairn_world *w = s->world;
	uint32_t parts = 0, before = s->item_count, endless_before = s->endless_count;
	for (uint32_t i = 0; i < w->slots; ++i)
		if (w->bodies[i].alive)
			parts += cn_shape_part_count(w->scene->shapes, w->bodies[i].shape);
	s->item_count = s->part_count = s->endless_count = 0;
	s->restores = w->given.restores;
	if (make_room(s, w->count.alive + 1, parts + 1)) {
		for (uint32_t i = 0; i < w->slots; ++i)
			if (w->bodies[i].alive)
				place_body(s, i);
		if (sort(s, before, endless_before))
			return true;
	}
	s->item_count = s->part_count = s->endless_count = s->tree.levels = 0;
	return cn_fail_memory(error);
}

cairn_space *cairn_space_create(const cairn_world *w, cairn_error *error)
{
	cairn_space *s = cn_alloc(&w->allocator, 1, sizeof *s);
	if (!s) {
		cn_fail_memory(error);
		return NULL;
	}
	s->world = w;
	s->allocator = w->allocator;
	if (cairn_space_update(s, error))
		return s;
	cairn_space_destroy(s);
	return NULL;
}

void cairn_space_destroy(cairn_space *s)
{
	if (!s)
		return;
	cairn_allocator a = s->allocator;
	cn_free(&a, s->items, s->item_capacity, sizeof *s->items);
	cn_free(&a, s->parts, s->part_capacity, sizeof *s->parts);
	cn_free(&a, s->item_frames, s->item_frame_capacity, sizeof *s->item_frames);
	cn_free(&a, s->part_frames, s->part_frame_capacity, sizeof *s->part_frames);
	cn_free(&a, s->boxes, s->box_capacity, sizeof *s->boxes);
	cn_free(&a, s->slots, s->slot_capacity, sizeof *s->slots);
	cn_free(&a, s->endless, s->endless_capacity, sizeof *s->endless);
	cn_pack_tree_free(&a, &s->tree);
	cn_free(&a, s, 1, sizeof *s);
}

bool cn_world_may_cast(const cairn_world *w, cairn_shape shape)
{
	const cn_shape *shapes = w->scene->shapes;
	if (shape.generation != 1 || shape.index >= w->scene->shape_count)
		return false;
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape.index); ++i) {
		cairn_shape_kind kind = shapes[cn_shape_part(shapes, shape.index, i).shape.index].def.kind;
		if (kind == CAIRN_MESH || kind == CAIRN_HALFSPACE)
			return false;
	}
	return true;
}
