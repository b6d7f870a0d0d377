/* Rest states and contact memory as bytes and back: the part of a snapshot that makes the next frame start where this one
 * ended. The reader checks both against the bodies that they name. A pair with a body that has been removed is not
 * written, as the next frame would ignore it. */
#include "world/snapshot_contacts.h"

#include "base/tolerance.h"

void cn_rest_state_put(cn_writer *o, const cn_rest_state *r)
{
	cn_put_v3(o, r->anchor.position);
	cn_put_quat(o, r->anchor.orientation);
	cn_put_u32(o, r->still_frames);
	cn_put_u8(o, r->asleep);
	cn_put_u8(o, r->cold_frames);
	cn_put_u32(o, r->island);
}

/* The orientation of the anchor is zero before a body has its first one. */
bool cn_rest_state_get(cn_reader *r, bool dynamic, uint32_t slots, cn_rest_state *out)
{
	out->anchor.position = cn_get_v3(r);
	out->anchor.orientation = cn_get_quat(r);
	uint32_t still = cn_get_u32(r);
	out->still_frames = (uint16_t)still;
	out->asleep = cn_get_u8(r);
	out->cold_frames = cn_get_u8(r);
	out->island = cn_get_u32(r);
	return !r->failed && v3_finite(out->anchor.position) && q_finite(out->anchor.orientation) &&
	       still <= CN_SLEEP_LATER * CN_STILL_FRAMES_MAX && out->asleep <= CN_FROZEN && (dynamic || !out->asleep) &&
	       out->island < slots;
}

/* ---- contacts */

static void put_pair(cn_writer *o, const cn_memory *m, const cn_memory_pair *p)
{
	const cn_witness *t = &p->witness;
	cn_put_u32(o, p->a);
	cn_put_u32(o, p->part_a);
	cn_put_u32(o, p->b);
	cn_put_u32(o, p->part_b);
	for (int i = 0; i < 3; ++i)
		cn_put_f64(o, (double)t->axis[i]);
	cn_put_u32(o, t->feature_a);
	cn_put_u32(o, t->feature_b);
	cn_put_u32(o, t->vertex_a);
	cn_put_u32(o, t->vertex_b);
	cn_put_u32(o, t->known);
	cn_put_u32(o, p->count);
	for (uint32_t i = 0; i < p->count; ++i) {
		const cn_memory_point *q = &m->points[p->first + i];
		cn_put_u64(o, q->feature);
		cn_put_v3(o, q->ra);
		cn_put_v3(o, q->impulse);
		cn_put_f64(o, q->push);
		cn_put_u8(o, q->sliding);
		cn_put_f64(o, q->left);
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

static void get_pair(cn_reader *r, cn_memory_pair *p)
{
	cn_witness *t = &p->witness;
	p->a = cn_get_u32(r);
	p->part_a = cn_get_u32(r);
	p->b = cn_get_u32(r);
	p->part_b = cn_get_u32(r);
	for (int i = 0; i < 3; ++i)
		t->axis[i] = (float)cn_get_f64(r);
	t->feature_a = cn_get_u32(r);
	t->feature_b = cn_get_u32(r);
	t->vertex_a = cn_get_u32(r);
	t->vertex_b = cn_get_u32(r);
	t->known = cn_get_u32(r);
	p->count = cn_get_u32(r);
}

static bool get_points(cn_reader *r, cn_memory *m, const cn_memory_pair *p)
{
	for (uint32_t i = 0; i < p->count; ++i) {
		cn_memory_point *q = &m->points[m->point_count++];
		q->feature = cn_get_u64(r);
		q->ra = cn_get_v3(r);
		q->impulse = cn_get_v3(r);
		q->push = cn_get_f64(r);
		q->sliding = cn_get_bool(r);
		q->left = cn_get_f64(r);
		if (r->failed || !v3_finite(q->ra) || !v3_finite(q->impulse) || !isfinite(q->push) || !isfinite(q->left))
			return false;
		if (i && q[-1].feature >= q->feature)
			return false;
	}
	return true;
}

bool cn_memory_get(cn_reader *r, cairn_world *w, const cn_shape *shapes, cairn_error *error)
{
	enum { PAIR_BYTES = 64, POINT_BYTES = 73 };
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
		get_pair(r, p);
		if (r->failed || !sound_pair(w, shapes, i) || p->count > points - m->point_count || !get_points(r, m, p))
			return false;
		p->serial_a = w->bodies[p->a].serial, p->serial_b = w->bodies[p->b].serial;
	}
	return m->point_count == points;
}
