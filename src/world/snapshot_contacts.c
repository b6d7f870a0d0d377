/* Rest states and contact memory as bytes and back: the part of a snapshot that makes the next frame start where this one
 * ended. The reader checks both against the bodies that they name. A pair with a body that has been removed is not
 * written, as the next frame would ignore it. */
#include "world/snapshot_contacts.h"

#include "base/tolerance.h"

enum { REST_BYTES = 66, PAIR_BYTES = 64, POINT_BYTES = 73 };

void cn_rest_state_put(cn_writer *o, const cn_rest_state *r)
{
	uint8_t *at = cn_writer_extend(o, REST_BYTES);
	if (!at)
		return;
	at = cn_lay_quat(cn_lay_v3(at, r->anchor.position), r->anchor.orientation);
	at = cn_lay_u32(at, r->still_frames);
	at = cn_lay_u8(cn_lay_u8(at, r->asleep), r->cold_frames);
	cn_lay_u32(at, r->island);
}

/* The orientation of the anchor is zero before a body has its first one. */
bool cn_rest_state_get(cn_reader *r, bool dynamic, uint32_t slots, cn_rest_state *out)
{
	const uint8_t *at = cn_get_bytes(r, REST_BYTES);
	if (!at)
		return false;
	out->anchor.position = cn_take_v3(&at);
	out->anchor.orientation = cn_take_quat(&at);
	uint32_t still = cn_take_u32(&at);
	out->still_frames = (uint16_t)still;
	out->asleep = cn_take_u8(&at);
	out->cold_frames = cn_take_u8(&at);
	out->island = cn_take_u32(&at);
	return !r->failed && v3_finite(out->anchor.position) && q_finite(out->anchor.orientation) &&
	       still <= CN_SLEEP_LATER * CN_STILL_FRAMES_MAX && out->asleep <= CN_FROZEN && (dynamic || !out->asleep) &&
	       out->island < slots;
}

/* ---- contacts */

static void put_pair(cn_writer *o, const cn_memory *m, const cn_memory_pair *p)
{
	const cn_witness *t = &p->witness;
	uint8_t *at = cn_writer_extend(o, PAIR_BYTES + (size_t)POINT_BYTES * p->count);
	if (!at)
		return;
	at = cn_lay_u32(cn_lay_u32(at, p->a), p->part_a);
	at = cn_lay_u32(cn_lay_u32(at, p->b), p->part_b);
	for (int i = 0; i < 3; ++i)
		at = cn_lay_f64(at, (double)t->axis[i]);
	at = cn_lay_u32(cn_lay_u32(at, t->feature_a), t->feature_b);
	at = cn_lay_u32(cn_lay_u32(at, t->vertex_a), t->vertex_b);
	at = cn_lay_u32(cn_lay_u32(at, t->known), p->count);
	for (uint32_t i = 0; i < p->count; ++i) {
		const cn_memory_point *q = &m->points[p->first + i];
		at = cn_lay_v3(cn_lay_v3(cn_lay_u64(at, q->feature), q->ra), q->impulse);
		at = cn_lay_u8(cn_lay_f64(at, q->push), q->sliding);
		at = cn_lay_f64(at, q->left);
	}
}

void cn_memory_put(cn_writer *o, const cairn_world *w)
{
	const cn_memory *m = &w->memory;
	uint32_t pairs = 0, points = 0;
	for (uint32_t i = 0; i < m->pair_count; ++i)
		if (cn_memory_stands(w, &m->pairs[i]))
			++pairs, points += m->pairs[i].count;
	cn_put_u32(o, pairs);
	cn_put_u32(o, points);
	for (uint32_t i = 0; i < m->pair_count; ++i)
		if (cn_memory_stands(w, &m->pairs[i]))
			put_pair(o, m, &m->pairs[i]);
}

static bool sound_part(const cairn_world *w, const cn_shape *shapes, uint32_t slot, uint32_t part, bool plane)
{
	if (slot >= w->slots || !w->bodies[slot].alive)
		return false;
	uint32_t shape = w->bodies[slot].shape;
	if (part >= cn_shape_part_count(shapes, shape)) /* a node of a mesh that may move */
		return !plane && w->bodies[slot].type != CAIRN_FIXED &&
		       part - cn_shape_part_count(shapes, shape) < cn_shape_nodes_max(shapes, shape);
	cairn_shape_kind kind = shapes[cn_shape_part(shapes, shape, part).shape.index].def.kind;
	return (kind == CAIRN_HALFSPACE) == plane;
}

static bool sound_tile(const cairn_world *w, const cn_shape *shapes, uint32_t slot, uint32_t number)
{
	cairn_part part;
	uint32_t triangle;
	return slot < w->slots && w->bodies[slot].alive && w->bodies[slot].type == CAIRN_FIXED &&
	       cn_shape_triangle(shapes, w->bodies[slot].shape, number, &part, &triangle);
}

/* Pairs come in order, each of them once. */
static bool follows(const cn_memory_pair *p, const cn_memory_pair *q)
{
	int rank_p = cn_memory_rank(p), rank_q = cn_memory_rank(q);
	if (p->a != q->a)
		return p->a < q->a;
	if (p->part_a != q->part_a)
		return p->part_a < q->part_a;
	if (rank_p != rank_q)
		return rank_p < rank_q;
	return p->b != q->b ? p->b < q->b : p->part_b < q->part_b;
}

static bool sound_pair(const cairn_world *w, const cn_shape *shapes, uint32_t i)
{
	const cn_memory_pair *p = &w->memory.pairs[i];
	const cn_witness *t = &p->witness;
	int rank = cn_memory_rank(p);
	bool sound_b = rank == 1 ? sound_tile(w, shapes, p->b, cn_memory_part(p))
	                         : sound_part(w, shapes, p->b, p->part_b & ~CN_MEMORY_PLANE, rank == 2);
	if (!sound_b || !sound_part(w, shapes, p->a, p->part_a, false))
		return false;
	if (p->a == p->b || !cn_body_collide(&w->bodies[p->a], &w->bodies[p->b]) || t->known > 2)
		return false;
	if (!isfinite(t->axis[0]) || !isfinite(t->axis[1]) || !isfinite(t->axis[2]))
		return false;
	return i == 0 || follows(p - 1, p);
}

static bool get_pair(cn_reader *r, cn_memory_pair *p)
{
	cn_witness *t = &p->witness;
	const uint8_t *at = cn_get_bytes(r, PAIR_BYTES);
	if (!at)
		return false;
	p->a = cn_take_u32(&at);
	p->part_a = cn_take_u32(&at);
	p->b = cn_take_u32(&at);
	p->part_b = cn_take_u32(&at);
	for (int i = 0; i < 3; ++i)
		t->axis[i] = (float)cn_take_f64(&at);
	t->feature_a = cn_take_u32(&at);
	t->feature_b = cn_take_u32(&at);
	t->vertex_a = cn_take_u32(&at);
	t->vertex_b = cn_take_u32(&at);
	t->known = cn_take_u32(&at);
	p->count = cn_take_u32(&at);
	return true;
}

static bool get_points(cn_reader *r, cn_memory *m, const cn_memory_pair *p)
{
	for (uint32_t i = 0; i < p->count; ++i) {
		cn_memory_point *q = &m->points[m->point_count++];
		const uint8_t *at = cn_get_bytes(r, POINT_BYTES);
		if (!at)
			return false;
		q->feature = cn_take_u64(&at);
		q->ra = cn_take_v3(&at);
		q->impulse = cn_take_v3(&at);
		q->push = cn_take_f64(&at);
		q->sliding = cn_is_bool(r, cn_take_u8(&at));
		q->left = cn_take_f64(&at);
		if (r->failed || !v3_finite(q->ra) || !v3_finite(q->impulse) || !isfinite(q->push) || !isfinite(q->left))
			return false;
		if (i && q[-1].feature >= q->feature)
			return false;
	}
	return true;
}

bool cn_memory_get(cn_reader *r, cairn_world *w, const cn_shape *shapes, cairn_error *error)
{
	cn_memory *m = &w->memory;
	uint32_t pairs = cn_get_count(r, PAIR_BYTES), points = cn_get_count(r, POINT_BYTES);
	if (r->failed)
		return false;
	if (!cn_grow(&w->allocator, (void **)&m->pairs, &m->pair_capacity, pairs, sizeof *m->pairs) ||
	    !cn_grow(&w->allocator, (void **)&m->points, &m->point_capacity, points, sizeof *m->points))
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < pairs; ++i) {
		cn_memory_pair *p = &m->pairs[m->pair_count++];
		*p = (cn_memory_pair){.first = m->point_count};
		if (!get_pair(r, p) || !sound_pair(w, shapes, i) || p->count > points - m->point_count || !get_points(r, m, p))
			return false;
		p->serial_a = w->bodies[p->a].serial, p->serial_b = w->bodies[p->b].serial;
	}
	return m->point_count == points;
}
