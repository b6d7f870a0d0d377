/* See reach.h. A frame: the broad phase finds the pairs whose swept boxes meet; each is proved free by geom/sweep.h, piece by piece
 * where a body has keys inside the frame. Pairs are looked at in their order, in chunks whose results are merged in order, so
 * nothing depends on threads. */
#include "step/reach.h"

#include "base/tolerance.h"
#include "geom/convex.h"
#include "step/stages.h"
#include "world/query.h"

enum { PAIR_CHUNK = 64, SWEEP_BUDGET = 200 };

static bool is_plane(const cairn_world *w, uint32_t slot)
{
	return w->scene->shapes[w->bodies[slot].shape].def.kind == CAIRN_HALFSPACE;
}

/* ---- at poses */

static double gap_at(const cairn_world *w, cn_pair pair, const cn_motion *motion)
{
	const cn_body *a = &w->bodies[pair.a], *b = &w->bodies[pair.b];
	cairn_gap gap;
	bool found = cn_shapes_gap(w->scene, a->shape, cn_body_frame(a, &motion[pair.a]), b->shape,
	                           cn_body_frame(b, &motion[pair.b]), &gap);
	return found ? gap.gap : INFINITY;
}

/* No more than the gap: that of balls about the centres of mass. */
static double ball_gap(const cairn_world *w, cn_pair pair, const cn_motion *motion)
{
	double radii = w->bodies[pair.a].radius + w->bodies[pair.b].radius;
	return v3_distance(motion[pair.a].x, motion[pair.b].x) * (1 - 8 * DBL_EPSILON) - radii;
}

/* ---- over a frame */

/* A body's way through the frame, from key to key; t is the share of the frame that has passed. */
typedef struct way {
	const cn_extra *extras;
	uint32_t extra_count, next; /* the key the current piece ends at; extra_count: the frame's end */
	const cn_motion *end;
	double begin, length; /* of the frame, s */
	double t0, t1;        /* of the piece */
	v3 x0, x1, turn;
	quat q0;
} way;

static void set_piece(way *y, v3 x, quat q, double t)
{
	y->x0 = x, y->q0 = q, y->t0 = t;
	if (y->next < y->extra_count) {
		const cairn_key *key = &y->extras[y->next].key;
		y->x1 = key->position;
		y->turn = key->turn;
		y->t1 = (key->time - y->begin) / y->length;
	} else {
		y->x1 = y->end->x;
		y->turn = q_turn(q, y->end->q);
		y->t1 = 1;
	}
}

static way way_of(const cairn_world *w, uint32_t slot, const cn_motion *end)
{
	const cn_motion *m = &w->motion[slot];
	way y = {.end = &end[slot], .begin = cairn_world_time(w), .length = w->dt};
	if (end == w->next)
		y.extra_count = cn_extras_find(w->next_extras, w->next_extra_count, slot, &y.extras);
	set_piece(&y, m->x, m->q, 0);
	return y;
}

static void next_piece(way *y)
{
	assert(y->extras && y->next < y->extra_count);
	const cairn_key *key = &y->extras[y->next++].key;
	set_piece(y, key->position, key->orientation, y->t1);
}

/* The motion of a part of a body from t0 to t1 within the current piece. */
static cn_mover mover_of(const cairn_world *w, const way *y, uint32_t slot, cairn_part part, double t0, double t1)
{
	const cn_body *b = &w->bodies[slot];
	double length = y->t1 - y->t0, from = length > 0 ? (t0 - y->t0) / length : 0,
		   to = length > 0 ? (t1 - y->t0) / length : 1;
	cn_mover m = {.part = w->scene->shapes[part.shape.index].convex,
	              .in_body = {v3_sub(part.pose.position, b->center), part.pose.orientation},
	              .x0 = t0 == y->t0 ? y->x0 : v3_lerp(y->x0, y->x1, from),
	              .x1 = t1 == y->t1 ? y->x1 : v3_lerp(y->x0, y->x1, to),
	              .q0 = t0 == y->t0 ? y->q0 : q_mul(q_exp(v3_scale(y->turn, from)), y->q0),
	              .turn = v3_scale(y->turn, to - from),
	              .radius = b->radius};
	return m;
}

/* Every part of one against every part of the other from t0 to t1; the costliest tier that was needed. */
static bool parts_free(const cairn_world *w, cn_pair pair, const way *ya, const way *yb, double t0, double t1,
                       uint32_t *tier)
{
	const cn_shape *shapes = w->scene->shapes;
	uint32_t shape_a = w->bodies[pair.a].shape, shape_b = w->bodies[pair.b].shape;
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape_a); ++i) {
		cn_mover a = mover_of(w, ya, pair.a, cn_shape_part(shapes, shape_a, i), t0, t1);
		for (uint32_t j = 0; j < cn_shape_part_count(shapes, shape_b); ++j) {
			cn_mover b = mover_of(w, yb, pair.b, cn_shape_part(shapes, shape_b, j), t0, t1);
			double size = a.part->size < b.part->size ? a.part->size : b.part->size;
			cn_sweep_options options = {.gap = 0, .tolerance = CN_REACH_TOLERANCE * size, .budget = SWEEP_BUDGET};
			cn_sweep_result result;
			cn_sweep(&a, &b, &options, NULL, NULL, &result);
			*tier = result.tier > *tier ? result.tier : *tier;
			if (result.status != CN_SWEEP_FREE)
				return false;
		}
	}
	return true;
}

/* The two ways are cut where either has a key. */
static bool pair_free(const cairn_world *w, cn_pair pair, const cn_motion *end, uint32_t *tier)
{
	way a = way_of(w, pair.a, end), b = way_of(w, pair.b, end);
	for (double t = 0;;) {
		double until = a.t1 < b.t1 ? a.t1 : b.t1;
		if (!parts_free(w, pair, &a, &b, t, until, tier))
			return false;
		if (until >= 1)
			return true;
		t = until;
		if (a.t1 <= t)
			next_piece(&a);
		if (b.t1 <= t)
			next_piece(&b);
	}
}

/* ---- the search */

/* The box of a body's own box at a pose. */
static void grow_box(const cairn_world *w, uint32_t slot, v3 x, quat q, cn_broad_item *item)
{
	const cn_body *b = &w->bodies[slot];
	const cairn_box *box = &w->scene->shapes[b->shape].box;
	v3 middle = v3_sub(v3_scale(v3_add(box->min, box->max), 0.5), b->center);
	v3 half = v3_scale(v3_sub(box->max, box->min), 0.5), center = v3_add(x, q_rotate(q, middle));
	m3 r = m3_from_q(q);
	v3 reach = {fabs(r.m[0][0]) * half.x + fabs(r.m[0][1]) * half.y + fabs(r.m[0][2]) * half.z,
	            fabs(r.m[1][0]) * half.x + fabs(r.m[1][1]) * half.y + fabs(r.m[1][2]) * half.z,
	            fabs(r.m[2][0]) * half.x + fabs(r.m[2][1]) * half.y + fabs(r.m[2][2]) * half.z};
	item->low = v3_least(item->low, v3_sub(center, reach));
	item->high = v3_most(item->high, v3_add(center, reach));
}

/* What a body sweeps: its boxes at all keys, grown by what turning adds between two, theta^2 rho / 8, and by rounding. */
static cn_broad_item swept(const cairn_world *w, uint32_t slot, const cn_motion *end)
{
	way y = way_of(w, slot, end);
	double bulge = 0, radius = w->bodies[slot].radius;
	cn_broad_item item = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, false};
	item.still = w->bodies[slot].type == CAIRN_FIXED;
	grow_box(w, slot, y.x0, y.q0, &item);
	for (;;) {
		double turned = v3_length2(y.turn) * radius / 8;
		bulge = turned > bulge ? turned : bulge;
		if (y.next == y.extra_count)
			break;
		next_piece(&y);
		grow_box(w, slot, y.x0, y.q0, &item);
	}
	grow_box(w, slot, y.end->x, y.end->q, &item);
	bulge += CN_SWEEP_ULPS * DBL_EPSILON * (v3_max(v3_abs(item.low)) + v3_max(v3_abs(item.high)));
	v3 all = {bulge, bulge, bulge};
	item.low = v3_sub(item.low, all);
	item.high = v3_add(item.high, all);
	return item;
}

static bool make_room(cairn_world *w)
{
	const cairn_allocator *a = &w->allocator;
	cn_near *r = &w->near;
	if (!r->broad)
		r->broad = cn_broad_create(a);
	return r->broad && cn_grow(a, (void **)&r->items, &r->item_capacity, w->slots, sizeof *r->items) &&
	       cn_grow(a, (void **)&r->planes, &r->plane_capacity, w->slots, sizeof *r->planes);
}

static bool add_pair(cairn_world *w, uint32_t p, uint32_t q)
{
	cn_near *r = &w->near;
	if (!cn_body_collide(&w->bodies[p], &w->bodies[q]))
		return true;
	if (!cn_grow(&w->allocator, (void **)&r->pairs, &r->pair_capacity, r->pair_count + 1, sizeof *r->pairs))
		return false;
	r->pairs[r->pair_count++] = p < q ? (cn_pair){p, q} : (cn_pair){q, p};
	return true;
}

/* All pairs whose swept boxes meet, and every body with every half-space. */
static bool find_pairs(cairn_world *w, const cn_motion *end)
{
	if (!make_room(w))
		return false;
	cn_near *r = &w->near;
	r->pair_count = r->plane_count = 0;
	for (uint32_t i = 0; i < w->slots; ++i) {
		r->items[i] = (cn_broad_item){{1, 1, 1}, {-1, -1, -1}, true};
		if (!w->bodies[i].alive)
			continue;
		if (is_plane(w, i))
			r->planes[r->plane_count++] = i;
		else
			r->items[i] = swept(w, i, end);
	}
	if (!cn_broad_update(r->broad, r->items, w->slots, w->pool))
		return false;
	uint32_t count;
	const cn_pair *found = cn_broad_pairs(r->broad, &count);
	for (uint32_t i = 0; i < count; ++i)
		if (!add_pair(w, found[i].a, found[i].b))
			return false;
	for (uint32_t k = 0; k < r->plane_count; ++k)
		for (uint32_t i = 0; i < w->slots; ++i)
			if (w->bodies[i].alive && !is_plane(w, i) && !add_pair(w, i, r->planes[k]))
				return false;
	uint32_t chunks = (r->pair_count + PAIR_CHUNK - 1) / PAIR_CHUNK;
	return cn_grow(&w->allocator, (void **)&r->findings, &r->finding_capacity, chunks, sizeof *r->findings);
}

typedef struct task {
	const cairn_world *w;
	const cn_motion *end; /* w->motion: at the poses alone */
} task;

static bool before(cn_pair p, cn_pair q) { return p.a < q.a || (p.a == q.a && p.b < q.b); }

static void look(const task *t, cn_pair pair, cn_finding *f)
{
	const cairn_world *w = t->w;
	uint32_t tier = CN_TIER_BALLS;
	double gap = INFINITY;
	bool apart;
	if (t->end == w->motion) {
		gap = gap_at(w, pair, t->end);
		apart = gap > 0;
	} else {
		apart = pair_free(w, pair, t->end, &tier);
		if (ball_gap(w, pair, t->end) < f->gap) /* else it is not the smallest */
			gap = gap_at(w, pair, t->end);
	}
	++f->tiers[tier];
	if (!apart && before(pair, f->touching))
		f->touching = pair;
	if (gap < f->gap)
		f->gap = gap, f->closest = pair;
}

static void look_at_chunk(void *context, uint32_t chunk)
{
	const task *t = context;
	const cn_near *r = &t->w->near;
	cn_finding f = {.touching = {UINT32_MAX, UINT32_MAX}, .gap = INFINITY};
	uint32_t first = chunk * PAIR_CHUNK, last = first + PAIR_CHUNK < r->pair_count ? first + PAIR_CHUNK : r->pair_count;
	for (uint32_t i = first; i < last; ++i)
		look(t, r->pairs[i], &f);
	r->findings[chunk] = f;
}

/* All chunks as one: the first pair that touches, the closest one. */
static cn_finding search(cairn_world *w, const cn_motion *end)
{
	const cn_near *r = &w->near;
	task t = {w, end};
	uint32_t chunks = (r->pair_count + PAIR_CHUNK - 1) / PAIR_CHUNK;
	cn_finding all = {.touching = {UINT32_MAX, UINT32_MAX}, .gap = INFINITY};
	cn_pool_run(w->pool, chunks, look_at_chunk, &t);
	for (uint32_t c = 0; c < chunks; ++c) {
		const cn_finding *f = &r->findings[c];
		for (int i = 0; i < CN_TIER_COUNT; ++i)
			all.tiers[i] += f->tiers[i];
		if (before(f->touching, all.touching))
			all.touching = f->touching;
		if (f->gap < all.gap)
			all.gap = f->gap, all.closest = f->closest;
	}
	return all;
}

static cairn_body handle(const cairn_world *w, uint32_t slot) { return (cairn_body){slot, w->bodies[slot].generation}; }

bool cn_reach_check(cairn_world *w, cn_frame *f)
{
	cairn_step_report *report = &f->report;
	if (!find_pairs(w, w->next)) {
		report->status = CAIRN_STEP_MEMORY;
		return false;
	}
	cn_finding all = search(w, w->next);
	bool touch = all.touching.a != UINT32_MAX;
	cn_pair named = touch ? all.touching : all.closest;
	for (int i = 0; i < CN_TIER_COUNT; ++i)
		report->tiers[i] = all.tiers[i];
	report->min_gap = touch ? INFINITY : all.gap; /* of the pair that is named */
	if (touch || all.gap < INFINITY) {
		report->pair_a = handle(w, named.a);
		report->pair_b = handle(w, named.b);
	}
	if (touch)
		report->status = CAIRN_STEP_TOUCH;
	return !touch;
}

bool cn_reach_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed)
{
	*failed = !find_pairs(w, w->motion);
	if (*failed)
		return false;
	cn_finding all = search(w, w->motion);
	if (all.touching.a == UINT32_MAX)
		return false;
	*a = handle(w, all.touching.a);
	*b = handle(w, all.touching.b);
	return true;
}
