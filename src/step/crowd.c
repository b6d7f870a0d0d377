/* Parts, boxes and pairs of a frame (OBA 6.1.4: close pairs are added and never dropped). See crowd.h. */
#include "step/crowd.h"

#include "step/rotate.h"

#include <string.h>

static bool create(cairn_world *w)
{
	cn_crowd *c = w->crowd = cn_alloc(&w->allocator, 1, sizeof *c);
	if (!c)
		return false;
	c->broad = cn_broad_create(&w->allocator);
	c->momentum = cn_islands_create(&w->allocator);
	c->fast = cn_fast_create(&w->allocator);
	c->small = cn_small_create(&w->allocator);
	if (c->broad && c->momentum && c->fast && c->small)
		return true;
	cn_crowd_destroy(w);
	return false;
}

void cn_crowd_destroy(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	const cairn_allocator *a = &w->allocator;
	if (!c)
		return;
	cn_broad_destroy(c->broad);
	cn_islands_destroy(c->momentum);
	cn_fast_destroy(c->fast);
	cn_small_destroy(c->small);
	cn_hybrid_destroy(w);
	cn_program_free(a, &c->program);
	cn_island_program_free(a, &c->text);
	cn_rigs_destroy(w);
	cn_ground_free(w);
	cn_free(a, c->counts, c->count_room, sizeof *c->counts);
	cn_free(a, c->pieces, c->piece_room, sizeof *c->pieces);
	cn_free(a, c->rows, c->rows_room, sizeof *c->rows);
	cn_free(a, c->row_first, c->row_first_room, sizeof *c->row_first);
	cn_free(a, c->crumbs, c->crumb_room, sizeof *c->crumbs);
	cn_free(a, c->eps, c->eps_room, sizeof *c->eps);
	cn_free(a, c->rolls, c->rolls_room, sizeof *c->rolls);
	cn_free(a, c->bits, c->bit_room, sizeof *c->bits);
	cn_free(a, c->list, c->list_room, sizeof *c->list);
	cn_free(a, c->bads, c->bads_room, sizeof *c->bads);
	cn_free(a, c->lacking, c->lacking_room, sizeof *c->lacking);
	cn_free(a, c->marks, c->mark_room, sizeof *c->marks);
	cn_free(a, c->roams, c->roam_room, sizeof *c->roams);
	cn_free(a, c->meet, c->meet_room, sizeof *c->meet);
	cn_free(a, c->met, c->met_room, sizeof *c->met);
	cn_free(a, c->met_pairs, c->met_pair_room, sizeof *c->met_pairs);
	cn_free(a, c->seen, c->seen_room, sizeof *c->seen);
	cn_free(a, c->seen_points, c->seen_point_room, sizeof *c->seen_points);
	cn_free(a, c->aside.pairs, c->aside.pair_room, sizeof *c->aside.pairs);
	cn_free(a, c->aside.points, c->aside.point_room, sizeof *c->aside.points);
	cn_free(a, c->aside.seen, c->aside.seen_room, sizeof *c->aside.seen);
	cn_free(a, c->aside.seen_points, c->aside.seen_point_room, sizeof *c->aside.seen_points);
	cn_free(a, c->ended, c->ended_room, sizeof *c->ended);
	cn_free(a, c->stood, c->stood_room, sizeof *c->stood);
	cn_free(a, c->scales, c->scale_room, sizeof *c->scales);
	cn_free(a, c->parts, c->part_room, sizeof *c->parts);
	cn_free(a, c->part_first, c->part_first_room, sizeof *c->part_first);
	cn_free(a, c->start, c->start_room, sizeof *c->start);
	cn_free(a, c->leg, c->leg_room, sizeof *c->leg);
	cn_free(a, c->turned, c->turned_room, sizeof *c->turned);
	cn_free(a, c->now, c->now_room, sizeof *c->now);
	cn_free(a, c->items, c->item_room, sizeof *c->items);
	cn_free(a, c->planes, c->plane_room, sizeof *c->planes);
	cn_free(a, c->strides, c->stride_room, sizeof *c->strides);
	cn_free(a, c->pairs, c->pair_room, sizeof *c->pairs);
	cn_free(a, c->spare, c->spare_room, sizeof *c->spare);
	cn_free(a, c->points, c->point_room, sizeof *c->points);
	cn_free(a, c->ways, c->way_room, sizeof *c->ways);
	cn_free(a, c->debts, c->debt_room, sizeof *c->debts);
	cn_free(a, c->flags, c->flag_room, sizeof *c->flags);
	cn_free(a, c->poses, c->pose_room, sizeof *c->poses);
	cn_free(a, c->gains, c->gain_room, sizeof *c->gains);
	cn_free(a, c->spent, c->spent_room, sizeof *c->spent);
	cn_free(a, c->taken, c->taken_room, sizeof *c->taken);
	cn_free(a, c->before, c->before_room, sizeof *c->before);
	cn_free(a, c->sums, c->sum_room, sizeof *c->sums);
	cn_free(a, c->trail.stops, c->trail.room, sizeof *c->trail.stops);
	cn_free(a, c->turns, c->turn_room, sizeof *c->turns);
	cn_free(a, c->queue, c->queue_room, sizeof *c->queue);
	cn_free(a, c->order, c->order_room, sizeof *c->order);
	cn_free(a, c->links, c->link_room, sizeof *c->links);
	cn_free(a, c->link_first, c->link_first_room, sizeof *c->link_first);
	cn_free(a, c->extras, c->extra_room, sizeof *c->extras);
	cn_free(a, c->frost, c->frost_room, sizeof *c->frost);
	cn_free(a, c->trial, c->trial_room, sizeof *c->trial);
	cn_free(a, c, 1, sizeof *c);
	w->crowd = NULL;
}

/* ---- parts */

static double thickness(const cn_shape *shape)
{
	v3 extent = v3_sub(shape->box.max, shape->box.min);
	return shape->def.kind == CAIRN_HALFSPACE ? INFINITY : v3_min(extent);
}

static bool list_parts(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	const cn_shape *shapes = w->scene->shapes;
	uint32_t before = c->own_count;
	c->parts_as_were = true;
	c->part_count = c->plane_count = c->tile_count = 0;
	if (!CN_ROOM(c->part_first, c->part_first_room, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_body *b = &w->bodies[slot];
		uint32_t count = b->alive ? cn_shape_part_count(shapes, b->shape) : 0;
		uint32_t tiles = 0;
		c->part_first[slot] = c->part_count;
		if (!CN_ROOM(c->parts, c->part_room, c->part_count + count + 1))
			return false;
		for (uint32_t k = 0; k < count; ++k) {
			cairn_part part = cn_shape_part(shapes, b->shape, k);
			const cn_shape *shape = &shapes[part.shape.index];
			pose in_body = {v3_sub(part.pose.position, b->center), part.pose.orientation};
			bool mesh = shape->def.kind == CAIRN_MESH, ground = mesh && b->type == CAIRN_FIXED;
			const cn_part *old = &c->parts[c->part_count];
			c->parts_as_were = c->parts_as_were && c->part_count < before && old->slot == slot && old->number == k &&
			                   old->convex == shape->convex;
			c->parts[c->part_count++] = (cn_part){.slot = slot,
			                                      .number = k,
			                                      .convex = shape->convex,
			                                      .in_body = in_body,
			                                      .thickness = thickness(shape),
			                                      .plane = shape->def.kind == CAIRN_HALFSPACE,
			                                      .mesh = mesh && !ground,
			                                      .ground = ground ? shape : NULL,
			                                      .first_tile = tiles};
			tiles += ground ? shape->triangle_count : 0;
		}
	}
	c->part_first[w->slots] = c->own_count = c->part_count;
	c->parts_as_were = c->parts_as_were && c->own_count == before;
	return true;
}

/* How it has turned matters to joints. */
static bool is_round(const cairn_world *w, uint32_t slot)
{
	const cn_crowd *c = w->crowd;
	const cn_part *part = &c->parts[c->part_first[slot]];
	return c->part_first[slot + 1] - c->part_first[slot] == 1 && part->convex->kind == CAIRN_SPHERE &&
	       v3_length2(part->in_body.position) == 0 && cn_rig_of(w, slot) == CN_QP_NONE;
}

static cn_place place_at(const cn_part *part, v3 x, quat q)
{
	return cn_convex_place(part->convex, pose_mul((pose){x, q}, part->in_body));
}

void cn_crowd_place(cairn_world *w, uint32_t slot)
{
	cn_crowd *c = w->crowd;
	for (uint32_t k = c->part_first[slot]; k < c->part_first[slot + 1]; ++k)
		c->now[k] = place_at(&c->parts[k], w->next[slot].x, w->next[slot].q);
}

/* ---- boxes */

static void cover(cn_broad_item *item, const cn_part *part, const cn_place *at, double more)
{
	const cn_convex *convex = part->convex;
	v3 low, high;
	if (convex->kind == CAIRN_SPHERE) {
		high = v3_make(convex->radius, convex->radius, convex->radius);
		low = v3_neg(high);
	} else if (convex->radius > 0 || convex->core.vertex_count > 8 || convex->kind != CAIRN_BOX) {
		const v3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
		double reach[6];
		for (int i = 0; i < 3; ++i) {
			reach[i] = cn_convex_support(convex, at, axes[i]);
			reach[i + 3] = cn_convex_support(convex, at, v3_neg(axes[i]));
		}
		high = v3_make(reach[0], reach[1], reach[2]);
		low = v3_make(-reach[3], -reach[4], -reach[5]);
	} else {
		v3 h = convex->half;
		const m3 *r = &at->r;
		high = v3_make(fabs(r->m[0][0]) * h.x + fabs(r->m[0][1]) * h.y + fabs(r->m[0][2]) * h.z,
		               fabs(r->m[1][0]) * h.x + fabs(r->m[1][1]) * h.y + fabs(r->m[1][2]) * h.z,
		               fabs(r->m[2][0]) * h.x + fabs(r->m[2][1]) * h.y + fabs(r->m[2][2]) * h.z);
		low = v3_neg(high);
	}
	v3 pad = {more, more, more};
	item->low = v3_least(item->low, v3_sub(v3_add(at->x, low), pad));
	item->high = v3_most(item->high, v3_add(v3_add(at->x, high), pad));
}

/* What is added to boxes beside the motion: the kept gap, rounding, and room for what neighbours push. */
static double margin(const cn_part *part, const cn_place *at)
{
	return CN_NEAR_MARGIN * part->thickness +
	       CN_SWEEP_ULPS * 4 * DBL_EPSILON * (v3_max(v3_abs(at->x)) + part->thickness);
}

/* m: how far points of a body go by turning with this momentum. Its spin changes no faster than by the square of the most
 * that it may be. A needle turns fast about its long axis alone, where its points are near. */
static double swing_of(const cairn_world *w, uint32_t slot, v3 l)
{
	const cn_rotor *r = &w->rotors[slot];
	double radius = w->bodies[slot].radius, most = v3_length(l) * r->inv_least * w->dt;
	double spin = v3_length(cn_spin(r, w->motion[slot].q, l)) * w->dt, turn = spin + 0.5 * most * most;
	turn = turn < most ? turn : most;
	double coarse = (turn < 2 ? turn : 2) * radius;
	v3 m = r->inv_moments;
	double low = m.x < m.y ? m.x : m.y, high = m.x < m.y ? m.y : m.x;
	double middle = m.z < low ? low : m.z > high ? high : m.z;
	if (r->inv_least < CN_SLENDER * middle)
		return coarse;
	double thick = 2 * sqrt(3 * r->inv_mass / r->inv_least); /* of a bar, with room to spare */
	double fine = v3_length(l) * middle * radius * w->dt + spin * thick;
	return fine < coarse ? fine : coarse;
}

cn_stride cn_crowd_stride(const cairn_world *w, uint32_t slot)
{
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	if (w->away[slot])
		return (cn_stride){v3_zero(), 0};
	if (w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED)
		return cn_yield_stride(w, slot);
	if (!r->active || w->repose[slot].asleep)
		return (cn_stride){v3_zero(), 0};
	return (cn_stride){v3_scale(v3_add(from->v, to->v), 0.5 * w->dt),
	                   w->crowd->ways[slot].round ? 0 : swing_of(w, slot, cn_mean(from->l, to->l))};
}

/* Whether a part is where it was, to the bit, when it was last looked at. */
static bool stood(const cn_crowd *c, uint32_t part, const cn_place *at, const cn_motion *m)
{
	uint32_t slot = c->parts[part].slot;
	pose now = {m->x, m->q};
	return slot < c->ended_count && memcmp(&c->ended[slot], &now, sizeof now) == 0 &&
	       memcmp(&c->now[part], at, sizeof *at) == 0;
}

bool cn_crowd_begin(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	if (!c && !create(w))
		return false;
	c = w->crowd;
	bool begun = c->at_start; /* and no more: what is known of the frame before is not of its pairs */
	uint64_t stamp = c->stamp;
	c->at_start = true, c->stamp = 0;
	if (!list_parts(w) || !CN_ROOM(c->start, c->start_room, c->part_count + 1) ||
	    !CN_ROOM(c->now, c->now_room, c->part_count + 1) || !CN_ROOM(c->leg, c->leg_room, c->part_count + 1) ||
	    !CN_ROOM(c->turned, c->turned_room, c->part_count + 1) || !CN_ROOM(c->items, c->item_room, c->part_count + 1) ||
	    !CN_ROOM(c->planes, c->plane_room, c->part_count + 1) || !CN_ROOM(c->roams, c->roam_room, c->part_count + 1) ||
	    !CN_ROOM(c->stood, c->stood_room, c->part_count + 1) || !CN_ROOM(c->strides, c->stride_room, w->slots + 1) ||
	    !CN_ROOM(c->ways, c->way_room, w->slots + 1) || !CN_ROOM(c->debts, c->debt_room, w->slots + 1) ||
	    !CN_ROOM(c->flags, c->flag_room, w->slots + 1) || !CN_ROOM(c->queue, c->queue_room, w->slots + 2) ||
	    !CN_ROOM(c->poses, c->pose_room, w->slots + 1) || !CN_ROOM(c->turns, c->turn_room, w->slots + 1) ||
	    !CN_ROOM(c->gains, c->gain_room, w->slots + 1) || !CN_ROOM(c->sums, c->sum_room, w->slots + 1) ||
	    !CN_ROOM(c->before, c->before_room, w->slots + 1) || !CN_ROOM(c->spent, c->spent_room, w->slots + 1) ||
	    !CN_ROOM(c->taken, c->taken_room, w->slots + 1) ||
	    !CN_ROOM(c->frost, c->frost_room, w->slots + 1) || /* here: a trial that fails must still be undone */
	    !CN_ROOM(c->trail.stops, c->trail.room, CN_TRAIL_MOST * w->slots + 1))
		return false;
	if (!cn_rigs_begin(w))
		return false;
	c->gravity = v3_length(w->scene->settings.gravity);
	c->threshold = CN_BOUNCE_LEAST * c->gravity * w->dt;
	c->pair_count = c->point_count = c->driven = 0;
	c->under_way = c->links_known = c->listed = false;
	bool recalls = c->parts_as_were && stamp > 0 && stamp == w->memory.stamp;
	c->met_count = recalls && !begun ? c->met_count : 0;
	c->scale = INFINITY;
	c->trail.count = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->ways[slot] = (cn_way){.cuts = 1, .pace = 1, .round = is_round(w, slot)};
		c->strides[slot] = cn_crowd_stride(w, slot);
		cn_yield_begin(w, slot);
		w->next[slot].x = w->motion[slot].x;
		w->next[slot].q = w->motion[slot].q;
		c->poses[slot] = (pose){w->motion[slot].x, w->motion[slot].q};
	}
	for (uint32_t k = 0; k < c->part_count; ++k) {
		const cn_part *part = &c->parts[k];
		const cn_stride *s = &c->strides[part->slot];
		cn_place at = place_at(part, w->motion[part->slot].x, w->motion[part->slot].q);
		c->stood[k] = recalls && stood(c, k, &at, &w->motion[part->slot]);
		bool stands = c->parts_as_were && memcmp(&c->start[k], &at, sizeof at) == 0;
		c->start[k] = c->leg[k] = c->now[k] = at;
		cn_broad_item *item = &c->items[k];
		*item = (cn_broad_item){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, false};
		item->still = w->bodies[part->slot].type == CAIRN_FIXED;
		double more = margin(part, &at) + s->swing;
		cn_roam_begin(w, k, stands, *s, more);
		if (part->plane) {
			c->planes[c->plane_count++] = k;
			*item = (cn_broad_item){{1, 1, 1}, {-1, -1, -1}, true};
			continue;
		}
		cover(item, part, &at, more);
		at.x = v3_madd(at.x, s->dx, w->scene->options.distance_bounce ? 2 : 1); /* who will meet in the next frame */
		cover(item, part, &at, more);
	}
	return true;
}

/* ---- pairs */

/* Of the same part: bodies, then tiles, then half-spaces. */
static int rank(const cn_part *b) { return b->plane ? 2 : b->tile; }

static bool before(const cn_crowd *c, uint32_t pa, uint32_t pb, uint32_t qa, uint32_t qb)
{
	if (pa != qa)
		return pa < qa;
	const cn_part *p = &c->parts[pb], *q = &c->parts[qb];
	if (rank(p) != rank(q))
		return rank(p) < rank(q);
	if (!p->tile)
		return pb < qb;
	return p->slot != q->slot ? p->slot < q->slot : p->number < q->number;
}

static bool same(const cn_crowd *c, uint32_t pb, uint32_t qb)
{
	const cn_part *p = &c->parts[pb], *q = &c->parts[qb];
	return pb == qb || (p->tile && q->tile && p->slot == q->slot && p->number == q->number);
}

/* Whether a remembered pair stands before one of this frame; equal: -1. */
static int remembered_before(const cn_crowd *c, const cn_memory_pair *m, const cn_close *p)
{
	const cn_part *a = &c->parts[p->pa], *b = &c->parts[p->pb];
	if (m->a != a->slot)
		return m->a < a->slot;
	if (m->part_a != a->number)
		return m->part_a < a->number;
	int of_m = cn_memory_rank(m);
	uint32_t part_b = cn_memory_part(m);
	if (of_m != rank(b))
		return of_m < rank(b);
	if (m->b != b->slot)
		return m->b < b->slot;
	return part_b == b->number ? -1 : part_b < b->number;
}

static void fill_surface(const cairn_world *w, cn_close *p)
{
	uint32_t ma = w->bodies[p->a].material, mb = w->bodies[p->b].material;
	cairn_material a = {ma - (ma > 0), ma > 0}, b = {mb - (mb > 0), mb > 0};
	cairn_pair_def d = cairn_scene_pair(w->scene, a, b);
	p->mu_static = d.static_friction, p->mu_kinetic = d.kinetic_friction, p->eps = d.restitution;
	p->rolling = d.rolling;
	if (p->mu_static < p->mu_kinetic)
		p->mu_static = p->mu_kinetic;
}

double cn_crowd_kept(const cn_crowd *c, uint32_t pa, uint32_t pb)
{
	double a = c->parts[pa].thickness, b = c->parts[pb].thickness, thin = a < b ? a : b;
	return CN_KEPT_GAP * thin + CN_KEPT_ULPS * DBL_EPSILON * (v3_max(v3_abs(c->start[pa].x)) + thin);
}

cn_range cn_crowd_range(const cn_crowd *c, uint32_t pa, uint32_t pb, const cn_stride *sa, const cn_stride *sb)
{
	const cn_part *a = &c->parts[pa], *b = &c->parts[pb];
	double thin = a->thickness < b->thickness ? a->thickness : b->thickness;
	cn_range r;
	r.kept = cn_crowd_kept(c, pa, pb);
	r.thin = r.kept / CN_KEPT_GAP;
	double far = v3_length(sa->dx), far_b = v3_length(sb->dx), apart = v3_length(v3_sub(sa->dx, sb->dx));
	far = far > far_b ? far : far_b; /* one of them may be stopped, and the other not */
	r.motion = (far > apart ? far : apart) + sa->swing + sb->swing;
	r.reach = r.kept + CN_REACH_MOTION * r.motion + CN_REACH_PAD * thin;
	return r;
}

static void fill(const cairn_world *w, cn_close *p)
{
	const cn_crowd *c = w->crowd;
	const cn_part *a = &c->parts[p->pa], *b = &c->parts[p->pb];
	cn_range r = cn_crowd_range(c, p->pa, p->pb, &c->strides[p->a], &c->strides[p->b]);
	p->kept = r.kept, p->thin = r.thin, p->reach = r.reach;
	double thin = a->thickness < b->thickness ? a->thickness : b->thickness;
	double small = a->convex->size < b->convex->size ? a->convex->size : b->convex->size;
	double swing = CN_SLAB_MOTION * r.motion, most = CN_SLAB_MOST * small;
	p->slab = (swing < most ? swing : most) + CN_SLAB_PAD * thin;
	p->barred = a->mesh || b->mesh;
	p->driven = c->ways[p->a].driven || c->ways[p->b].driven;
	p->start = INFINITY;
	fill_surface(w, p);
}

bool cn_crowd_give_room(cairn_world *w, cn_close *p, uint32_t room)
{
	cn_crowd *c = w->crowd;
	if (!CN_ROOM(c->points, c->point_room, c->point_count + room))
		return false;
	p->first = c->point_count, p->room = room;
	c->point_count += room;
	return true;
}

/* What is remembered of a new pair of this frame; NULL: nothing. at: where the walk through memory stands. */
static const cn_memory_pair *recall(const cairn_world *w, const cn_close *p, uint32_t *at)
{
	const cn_memory *m = &w->memory;
	int order = 0;
	while (*at < m->pair_count && (order = remembered_before(w->crowd, &m->pairs[*at], p)) > 0)
		++*at;
	if (*at >= m->pair_count || order != -1)
		return NULL;
	const cn_memory_pair *old = &m->pairs[*at];
	bool same = old->serial_a == w->bodies[p->a].serial && old->serial_b == w->bodies[p->b].serial;
	return same ? old : NULL;
}

/* Takes over what is remembered. */
static void take_over(cairn_world *w, cn_close *p, const cn_memory_pair *old)
{
	p->witness = old->witness;
	p->near = true;
	p->count = old->count;
	for (uint32_t i = 0; i < p->count; ++i) {
		const cn_memory_point *q = &w->memory.points[old->first + i];
		w->crowd->points[p->first + i] = (cn_touch){.ra = q->ra,
		                                            .feature = q->feature,
		                                            .impulse = v3_scale(q->impulse, 1.0 / w->steps),
		                                            .push = q->push,
		                                            .sliding = q->sliding,
		                                            .left = q->left};
	}
}

/* The new pairs in c->spare, whose parts, room for points and place in memory (more: one after it, or 0) are known. */
static void fill_new(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	cn_crowd *c = w->crowd;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->new_count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i) {
		cn_close *p = &c->spare[i];
		uint32_t memory = p->more;
		*p = (cn_close){.pa = p->pa, .pb = p->pb, .a = p->a, .b = p->b, .first = p->first, .room = p->room};
		fill(w, p);
		if (memory)
			take_over(w, p, &w->memory.pairs[memory - 1]);
		if (c->at_start && memory && p->pb < c->own_count && c->stood[p->pa] && c->stood[p->pb] &&
		    c->seen[memory - 1].at.again)
			p->seen = memory;
		p->fresh = true;
	}
}

bool cn_crowd_worth(const cairn_world *w, uint32_t a, uint32_t b)
{
	return a != b && !w->away[a] && !w->away[b] && cn_body_collide(&w->bodies[a], &w->bodies[b]) &&
	       !cn_rigs_exempt(w, a, b);
}

/* Where a walk through the pairs that the boxes give stands, in their order. */
typedef struct walk {
	uint32_t old, memory; /* next of each */
	uint32_t count;       /* new ones, in c->spare */
} walk;

/* A pair that is not in the list yet is noted aside. */
static bool note_pair(cairn_world *w, walk *m, uint32_t pa, uint32_t pb)
{
	cn_crowd *c = w->crowd;
	while (m->old < c->pair_count && before(c, c->pairs[m->old].pa, c->pairs[m->old].pb, pa, pb))
		++m->old;
	if (m->old < c->pair_count && c->pairs[m->old].pa == pa && same(c, c->pairs[m->old].pb, pb))
		return true;
	if (!CN_ROOM(c->spare, c->spare_room, m->count + 1))
		return false;
	cn_close *p = &c->spare[m->count];
	p->pa = pa, p->pb = pb, p->a = c->parts[pa].slot, p->b = c->parts[pb].slot;
	const cn_memory_pair *old = recall(w, p, &m->memory);
	p->more = old ? (uint32_t)(old - w->memory.pairs) + 1 : 0;
	++m->count;
	return cn_crowd_give_room(w, p, old && old->count > CN_PAIR_POINTS ? old->count : CN_PAIR_POINTS);
}

/* All triangles of a fixed mesh that a part comes near. One that has no pair with it yet becomes a part. */
static bool note_tiles(cairn_world *w, walk *m, uint32_t visit)
{
	cn_crowd *c = w->crowd;
	uint32_t part = (uint32_t)(c->visits[visit].key >> 32), ground = (uint32_t)c->visits[visit].key;
	if (!cn_crowd_worth(w, c->parts[part].slot, c->parts[ground].slot))
		return true;
	if (!cn_ground_search(w, visit))
		return false;
	for (uint32_t i = 0; i < c->found_count; ++i) {
		uint32_t before = m->count, tile = cn_ground_tile(w, ground, (uint32_t)c->found[i].key);
		if (tile == UINT32_MAX || !note_pair(w, m, part, tile))
			return false;
		if (m->count == before)
			--c->part_count, --c->tile_count;
	}
	return true;
}

/* The new pairs take their places in the list, the last first. */
static bool merge(cairn_world *w, uint32_t more)
{
	cn_crowd *c = w->crowd;
	c->links_known = c->listed = false;
	if (c->pair_count == 0) { /* the first of a frame */
		cn_close *pairs = c->pairs;
		uint32_t room = c->pair_room;
		c->pairs = c->spare, c->pair_room = c->spare_room, c->pair_count = more;
		c->spare = pairs, c->spare_room = room;
		return true;
	}
	if (!CN_ROOM(c->pairs, c->pair_room, c->pair_count + more))
		return false;
	uint32_t old = c->pair_count, to = c->pair_count + more;
	c->pair_count = to;
	while (more > 0) {
		const cn_close *p = &c->spare[more - 1];
		if (old > 0 && before(c, p->pa, p->pb, c->pairs[old - 1].pa, c->pairs[old - 1].pb))
			c->pairs[--to] = c->pairs[--old];
		else
			c->pairs[--to] = *p, --more;
	}
	return true;
}

/* A part's box reaches into a half-space that stands there. */
static bool below(const cn_crowd *c, uint32_t part, uint32_t plane, const cn_place *at)
{
	const cn_broad_item *item = &c->items[part];
	v3 n = cn_place_turn(at, c->parts[plane].convex->normal);
	v3 nearest = {n.x > 0 ? item->low.x : item->high.x, n.y > 0 ? item->low.y : item->high.y,
	              n.z > 0 ? item->low.z : item->high.z};
	return v3_dot(n, v3_sub(nearest, at->x)) <= 0;
}

/* A half-space is near every part that its plane may reach; one that turns, all of them. */
static bool near_plane(const cn_crowd *c, uint32_t part, uint32_t plane)
{
	const cn_way *y = &c->ways[c->parts[plane].slot];
	return y->kept > 0 || y->turned || below(c, part, plane, &c->start[plane]) || below(c, part, plane, &c->now[plane]);
}

/* A part's box takes in where it is now and how it came there; with something to spare, so that little pushes do not
 * grow it again. */
static bool grow_box(cairn_world *w, uint32_t k)
{
	cn_crowd *c = w->crowd;
	const cn_part *part = &c->parts[k];
	const cn_way *y = &c->ways[part->slot];
	cn_broad_item *item = &c->items[k], needed = *item;
	double bulge = (y->k > y->whole_k ? y->k : y->whole_k) + y->bow, least = CN_NEAR_LEAST * margin(part, &c->now[k]);
	if (y->kept || y->driven) /* between two keys a body bulges by (pi/2)^2/8 of its radius at most */
		bulge = 0.31 * w->bodies[part->slot].radius;
	cover(&needed, part, &c->now[k], least + bulge);
	cover(&needed, part, &c->start[k], bulge);
	if (c->under_way)
		cover(&needed, part, &c->leg[k], bulge);
	for (uint32_t i = 0; i < y->kept; ++i) {
		const cairn_key *key = &w->next_extras[y->first + i].key;
		cn_place at = place_at(part, key->position, key->orientation);
		cover(&needed, part, &at, least + bulge);
	}
	for (uint32_t i = 1; y->driven && i < cn_yield_way_pieces(w, part->slot); ++i) {
		cn_piece p = cn_yield_way_piece(w, part->slot, i);
		cn_place at = place_at(part, p.x0, p.q0);
		cover(&needed, part, &at, least + bulge);
	}
	bool left = cn_roam_leaves(w, k, least, margin(part, &c->now[k]), bulge);
	if (v3_min(v3_sub(needed.low, item->low)) >= 0 && v3_min(v3_sub(item->high, needed.high)) >= 0)
		return left;
	cover(item, part, &c->now[k], margin(part, &c->now[k]) + bulge);
	item->low = v3_least(item->low, needed.low), item->high = v3_most(item->high, needed.high);
	return true;
}

bool cn_crowd_pairs(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	bool grown = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->ways[slot].moved)
			cn_way_measure(w, slot);
	for (uint32_t k = 0; k < c->own_count; ++k)
		if (c->ways[c->parts[k].slot].moved)
			grown |= c->parts[k].plane || grow_box(w, k);
	if (!grown && c->under_way)
		return true;
	if (!cn_broad_update(c->broad, c->items, c->own_count, w->pool))
		return false;
	uint32_t count, i = 0, visit = 0;
	const cn_pair *found = cn_broad_pairs(c->broad, &count);
	walk m = {0};
	if (!cn_ground_visits(w, found, count) || !cn_roam_filter(w))
		return false;
	for (uint32_t k = 0; k < c->own_count; ++k) {
		bool ground = c->parts[k].ground;
		for (; i < count && found[i].a == k; ++i)
			if (cn_roam_meets(c, i) && !ground && !c->parts[found[i].b].ground && !note_pair(w, &m, k, found[i].b))
				return false;
		for (; visit < c->visit_count && c->visits[visit].key >> 32 == k; ++visit)
			if (!note_tiles(w, &m, visit))
				return false;
		for (uint32_t p = 0; p < c->plane_count && !c->parts[k].plane && !ground; ++p)
			if (near_plane(c, k, c->planes[p]) && cn_crowd_worth(w, c->parts[k].slot, c->parts[c->planes[p]].slot) &&
			    !note_pair(w, &m, k, c->planes[p]))
				return false;
	}
	c->new_count = m.count;
	cn_pool_run(w->pool, (m.count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, fill_new, w);
	c->at_start = false;
	for (uint32_t k = 0; k < m.count; ++k)
		if (!c->spare[k].barred && c->spare[k].thin < c->scale)
			c->scale = c->spare[k].thin;
	return m.count == 0 || merge(w, m.count);
}
