/* See check/frame.h. A frame: every body's keys are looked at and its swept box is made; the pairs whose boxes meet
 * are found (check/frame_near.c); each is proved or found out (check/frame_pair.c); the least gap is measured once
 * more without help. */
#include "check/frame_parts.h"

#include "check/tolerance.h"

#include <string.h>

#define CN_CHECK_KEY_ULPS 64 /* x DBL_EPSILON: how exactly a turn leads from key to key; log and exp lose a quarter */
#define CN_CHECK_NEARBY 0.01 /* of a body's radius: boxes are grown by it, so that a least gap below it is not missed */

static const cn_overlap_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static const cn_check_finding none = {
	.first = {.a = CN_CHECK_NONE}, .least = {INFINITY, CN_CHECK_NONE, CN_CHECK_NONE}, .promised = CN_CHECK_NONE};

enum { BODY_CHUNK = 64, PAIR_CHUNK = 32, WATCH_CHUNK = 16 * PAIR_CHUNK, LEAST_FIRST = 2 };

/* ---- shapes and memory */

cn_certifier *cn_certifier_create(const cairn_allocator *allocator)
{
	cn_certifier *c = cn_alloc(allocator, 1, sizeof *c);
	if (!c)
		return NULL;
	c->allocator = *allocator, c->usual = -INFINITY;
	c->tree = cn_overlap_tree_create(allocator);
	if (c->tree)
		return c;
	cn_certifier_destroy(c);
	return NULL;
}

static void free_shape(const cairn_allocator *a, cn_check_shape *shape)
{
	cn_free(a, shape->parts, shape->part_count, sizeof *shape->parts);
	cn_solid_free(a, shape->solid);
	*shape = (cn_check_shape){0};
}

static void free_table(const cairn_allocator *a, cn_check_table *t)
{
	cn_free(a, t->entries, t->capacity, sizeof *t->entries);
	cn_free(a, t->first, t->first_capacity, sizeof *t->first);
	cn_free(a, t->watched, t->watched_capacity, sizeof *t->watched);
}

void cn_certifier_destroy(cn_certifier *c)
{
	if (!c)
		return;
	cairn_allocator a = c->allocator;
	for (uint32_t i = 0; i < c->shape_count; ++i)
		free_shape(&a, &c->shapes[i]);
	cn_free(&a, c->shapes, c->shape_capacity, sizeof *c->shapes);
	cn_free(&a, c->frame.bodies, c->body_capacity, sizeof *c->frame.bodies);
	cn_free(&a, c->frame.keys, c->key_capacity, sizeof *c->frame.keys);
	cn_free(&a, c->frame.exempt, c->exempt_capacity, sizeof *c->frame.exempt);
	cn_free(&a, c->now, c->now_capacity, sizeof *c->now);
	cn_free(&a, c->last, c->last_capacity, sizeof *c->last);
	free_table(&a, &c->table);
	free_table(&a, &c->before);
	cn_free(&a, c->pairs, c->pair_capacity, sizeof *c->pairs);
	cn_free(&a, c->found, c->found_capacity, sizeof *c->found);
	cn_free(&a, c->chunks, c->chunk_capacity, sizeof *c->chunks);
	cn_overlap_tree_destroy(&a, c->tree);
	cn_free(&a, c->boxes, c->box_capacity, sizeof *c->boxes);
	cn_free(&a, c->movers, c->mover_capacity, sizeof *c->movers);
	cn_free(&a, c->planes, c->plane_capacity, sizeof *c->planes);
	cn_free(&a, c->findings, c->finding_capacity, sizeof *c->findings);
	cn_free(&a, c, 1, sizeof *c);
}

static void drop_past(cn_certifier *c) { c->kept = 0, c->last_count = 0, c->before.count = c->before.body_count = 0; }

void cn_certifier_forget(cn_certifier *c)
{
	if (!c)
		return;
	drop_past(c);
	for (uint32_t i = 0; i < c->shape_count; ++i)
		free_shape(&c->allocator, &c->shapes[i]);
	c->shape_count = 0;
}

static bool take_shape(cn_certifier *c, const cn_shape *shape, cairn_error *error)
{
	cn_check_shape *out = &c->shapes[c->shape_count];
	if (shape->def.visual) { /* no body has it as its shape */
		*out = (cn_check_shape){0};
		++c->shape_count;
		return true;
	}
	bool compound = shape->def.kind == CAIRN_COMPOUND;
	*out = (cn_check_shape){.part_count = compound ? shape->def.part_count : 1};
	out->parts = cn_alloc(&c->allocator, out->part_count, sizeof *out->parts);
	if (!out->parts)
		return cn_fail_memory(error);
	if (!compound && !(out->solid = cn_solid_make(&c->allocator, shape, error))) {
		free_shape(&c->allocator, out);
		return false;
	}
	out->parts[0] = (cn_check_part){out->solid, pose_identity()};
	for (uint32_t i = 0; compound && i < out->part_count; ++i) {
		const cairn_part *part = &shape->def.parts[i];
		assert(part->shape.index < c->shape_count && c->shapes[part->shape.index].solid);
		out->parts[i] = (cn_check_part){c->shapes[part->shape.index].solid, part->pose};
	}
	++c->shape_count;
	return true;
}

bool cn_certifier_shapes(cn_certifier *c, const cn_shape *shapes, uint32_t count, cairn_error *error)
{
	if (!cn_grow(&c->allocator, (void **)&c->shapes, &c->shape_capacity, count, sizeof *c->shapes))
		return cn_fail_memory(error);
	while (c->shape_count < count)
		if (!take_shape(c, &shapes[c->shape_count], error))
			return false;
	return true;
}

cn_check_frame *cn_certifier_frame(cn_certifier *c, uint32_t body_count, uint32_t key_count, uint32_t exempt_count)
{
	const cairn_allocator *a = &c->allocator;
	cn_check_frame *f = &c->frame;
	if (!cn_grow(a, (void **)&f->bodies, &c->body_capacity, body_count, sizeof *f->bodies) ||
	    !cn_grow(a, (void **)&f->keys, &c->key_capacity, key_count, sizeof *f->keys) ||
	    !cn_grow(a, (void **)&f->exempt, &c->exempt_capacity, exempt_count, sizeof *f->exempt))
		return NULL;
	f->number = 0, f->keys_only = false;
	f->body_count = body_count, f->key_count = key_count, f->exempt_count = exempt_count;
	if (body_count)
		memset(f->bodies, 0, body_count * sizeof *f->bodies);
	if (key_count)
		memset(f->keys, 0, key_count * sizeof *f->keys);
	if (exempt_count)
		memset(f->exempt, 0, exempt_count * sizeof *f->exempt);
	return f;
}

/* ---- bodies */

static bool same_v3(v3 a, v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
static bool same_quat(quat a, quat b) { return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z; }
static bool is_pose(v3 x, quat q) { return v3_finite(x) && q_finite(q) && q_dot(q, q) > 0.25 && q_dot(q, q) < 4; }

/* exp(turn) q0 is q1, up to rounding; the sign of a quaternion means nothing. */
static bool leads_to(quat q0, v3 turn, quat q1)
{
	if (!(v3_length2(turn) <= CN_PI * CN_PI / 4 * (1 + 8 * DBL_EPSILON)))
		return false;
	quat p = q_unit(q_mul(q_exp(turn), q0)), q = q_unit(q1);
	if (q_dot(p, q) < 0)
		q = q_neg(q);
	const double most = CN_CHECK_KEY_ULPS * DBL_EPSILON;
	return fabs(p.w - q.w) <= most && fabs(p.x - q.x) <= most && fabs(p.y - q.y) <= most && fabs(p.z - q.z) <= most;
}

/* Poses are poses and the time rises from 0 to 1: else there is no motion to look at. */
static bool has_motion(const cn_check_body *b, const cn_check_key *keys)
{
	double t = 0;
	if (!is_pose(b->x0, b->q0))
		return false;
	for (uint32_t i = 0; i < b->key_count; ++i) {
		if (!(keys[i].t > t && keys[i].t <= 1) || !is_pose(keys[i].x, keys[i].q) || !v3_finite(keys[i].turn))
			return false;
		t = keys[i].t;
	}
	return b->key_count == 0 || t == 1;
}

/* The time of the first key that its turn does not lead to; above 1: there is none. */
static double wrong_turn(const cn_check_body *b, const cn_check_key *keys)
{
	quat q = b->q0;
	for (uint32_t i = 0; i < b->key_count; ++i) {
		if (!leads_to(q, keys[i].turn, keys[i].q))
			return keys[i].t;
		q = keys[i].q;
	}
	return INFINITY;
}

/* How far the placed part reaches along the axes of the world, from its frame's origin. */
static cn_overlap_box part_box(const cn_placed *p)
{
	const cn_check_convex *part = p->part;
	double low[3], high[3];
	for (int i = 0; i < 3; ++i) {
		const double *row = p->r.m[i];
		if (part->core == CN_CHECK_CORE_CLOUD) {
			low[i] = INFINITY, high[i] = -INFINITY;
			for (uint32_t k = 0; k < part->count; ++k) {
				double h = row[0] * part->points[k].x + row[1] * part->points[k].y + row[2] * part->points[k].z;
				low[i] = h < low[i] ? h : low[i], high[i] = h > high[i] ? h : high[i];
			}
		} else if (part->core == CN_CHECK_CORE_BOX) {
			high[i] = fabs(row[0]) * part->half.x + fabs(row[1]) * part->half.y + fabs(row[2]) * part->half.z;
			low[i] = -high[i];
		} else {
			high[i] = sqrt(row[0] * row[0] + row[1] * row[1]) * part->half.x + fabs(row[2]) * part->half.z;
			low[i] = -high[i];
		}
		low[i] -= part->round, high[i] += part->round;
	}
	return (cn_overlap_box){v3_make(low[0], low[1], low[2]), v3_make(high[0], high[1], high[2])};
}

static void join_boxes(cn_overlap_box *box, cn_overlap_box other)
{
	box->low = v3_least(box->low, other.low), box->high = v3_most(box->high, other.high);
}

/* Where the body stands, grown by rounding and by what counts as near; *first is its first part. */
static cn_overlap_box stand(const cn_certifier *c, const cn_check_body *b, const cn_check_state *s, v3 x, quat q,
                            cn_placed *first)
{
	const cn_check_shape *shape = &c->shapes[b->shape];
	cn_overlap_box box = empty;
	*first = cn_check_placed(&shape->parts[0], b->center, q);
	if (s->leg.plane)
		return (cn_overlap_box){box.high, box.low};
	for (uint32_t i = 0; i < shape->part_count; ++i) {
		cn_placed p = i ? cn_check_placed(&shape->parts[i], b->center, q) : *first;
		cn_overlap_box own = part_box(&p);
		join_boxes(&box, (cn_overlap_box){v3_add(own.low, p.at), v3_add(own.high, p.at)});
	}
	double grow = CN_CHECK_MOTION_ULPS * DBL_EPSILON * (v3_length(x) + s->leg.rho) + CN_CHECK_NEARBY * s->leg.rho;
	v3 all = {grow, grow, grow};
	return (cn_overlap_box){v3_sub(v3_add(box.low, x), all), v3_add(v3_add(box.high, x), all)};
}

/* Largest distance of the body's points from its centre of mass, and what the rounding bound is measured by. */
static void measure(const cn_certifier *c, const cn_check_body *b, cn_check_state *s)
{
	const cn_check_shape *shape = &c->shapes[b->shape];
	cn_check_leg *l = &s->leg;
	l->rho = l->reach = 0;
	for (uint32_t i = 0; i < shape->part_count; ++i) {
		const cn_check_part *part = &shape->parts[i];
		pose in = {v3_sub(part->in_shape.position, b->center), part->in_shape.orientation};
		double rho = cn_check_convex_radius(&part->solid->part, in),
			   reach = part->solid->part.reach + v3_length(in.position);
		l->rho = rho > l->rho ? rho : l->rho, l->reach = reach > l->reach ? reach : l->reach;
	}
}

/* Along an axis a body's furthest point leaves its chord by at most theta^2 rho / 8. */
static void sweep(const cn_certifier *c, const cn_check_body *b, const cn_check_key *keys, cn_check_state *s)
{
	double bulge = 0;
	cn_overlap_box box;
	if (!s->known) {
		s->box = stand(c, b, s, b->x0, b->q0, &s->leg.start);
		s->leg.end = s->leg.start;
	}
	s->swept = s->box;
	for (uint32_t i = 0; i < b->key_count; ++i) {
		double theta = v3_length(keys[i].turn), out = theta * theta * s->leg.rho / 8;
		bulge = out > bulge ? out : bulge;
		box = stand(c, b, s, keys[i].x, keys[i].q, &s->leg.end);
		join_boxes(&s->swept, box);
		s->leg.turn = keys[i].turn, s->box = box;
	}
	v3 all = {bulge, bulge, bulge};
	s->swept = (cn_overlap_box){v3_sub(s->swept.low, all), v3_add(s->swept.high, all)};
}

/* The turn between two equal orientations is not 0 but rounding: less than what a pose's own bound allows for. */
static bool is_still(const cn_check_body *b, const cn_check_key *keys)
{
	const double most = 4 * DBL_EPSILON;
	return b->key_count == 0 || (b->key_count == 1 && same_v3(keys[0].x, b->x0) && same_quat(keys[0].q, b->q0) &&
	                             v3_length2(keys[0].turn) <= most * most);
}

/* What the keys alone tell: true if there is a motion to look at. */
static bool check_keys(const cn_certifier *c, uint32_t i, const cn_check_state *past, cn_check_finding *out)
{
	const cn_check_body *b = &c->frame.bodies[i];
	const cn_check_key *keys = cn_check_keys(c, b);
	bool motion = has_motion(b, keys), goes_on = !past || (same_v3(past->leg.x1, b->x0) && same_quat(past->q1, b->q0));
	double wrong = motion && goes_on ? wrong_turn(b, keys) : 0;
	if (wrong <= 1) {
		++out->passages;
		cn_check_note(&out->first, (cn_check_place){i, CN_CHECK_NONE, true, wrong, 0});
	}
	return motion;
}

static void look_at_body(const cn_certifier *c, uint32_t i, cn_check_finding *out)
{
	const cn_check_body *b = &c->frame.bodies[i];
	const cn_check_key *keys = cn_check_keys(c, b);
	const cn_check_state *past = i < c->last_count && b->name && c->last[i].name == b->name ? &c->last[i] : NULL;
	cn_check_state *s = &c->now[i];
	s->name = 0, s->known = s->still = s->single = s->quick = s->leg.plane = false;
	s->swept = empty;
	if (b->name == 0 || !check_keys(c, i, past, out))
		return;
	assert(b->shape < c->shape_count && !(b->arrives && b->key_count));
	const cn_check_shape *shape = &c->shapes[b->shape];
	bool known = past && !b->arrives && same_v3(past->leg.x1, b->x0) && same_quat(past->q1, b->q0);
	if (known)
		*s = *past, s->leg.start = s->leg.end;
	else
		measure(c, b, s);
	s->name = b->name, s->known = known, s->still = known && is_still(b, keys);
	s->arrives = b->arrives, s->fresh = b->fresh;
	s->single = shape->part_count == 1 && !shape->parts[0].solid->part.vast;
	s->leg.plane = s->single && shape->parts[0].solid->part.core == CN_CHECK_CORE_HALFSPACE;
	s->leg.x0 = s->leg.x1 = b->x0, s->q0 = s->q1 = b->q0, s->leg.turn = v3_zero();
	if (b->key_count)
		s->leg.x1 = keys[b->key_count - 1].x, s->q1 = keys[b->key_count - 1].q;
	if (s->still)
		s->swept = s->box;
	else
		sweep(c, b, keys, s);
	s->quick = s->single && b->key_count <= 1;
}

static void look_at_bodies(void *context, uint32_t chunk)
{
	const cn_certifier *c = context;
	cn_check_finding *f = &c->findings[chunk];
	*f = none;
	uint32_t first = chunk * BODY_CHUNK, last = first + BODY_CHUNK;
	for (uint32_t i = first; i < last && i < c->frame.body_count; ++i) {
		look_at_body(c, i, f);
		c->boxes[i] = c->now[i].name && c->now[i].leg.plane ? empty : c->now[i].swept;
	}
}

/* ---- pairs */

static void note_least(cn_check_least *least, cn_check_least other)
{
	if (other.a != CN_CHECK_NONE &&
	    (other.gap < least->gap || least->a == CN_CHECK_NONE ||
	     (other.gap == least->gap && (other.a < least->a || (other.a == least->a && other.b < least->b)))))
		*least = other;
}

static void note_gap(cn_check_least *least, const cn_check_entry *e)
{
	note_least(least, (cn_check_least){e->gap, e->a, e->b});
}

static void note_promise(cn_check_finding *f, uint32_t entry, double promise)
{
	if (f->promised == CN_CHECK_NONE || promise < f->promise)
		f->promised = entry, f->promise = promise;
}

static bool has_meshes(const cn_certifier *c)
{
	for (uint32_t i = 0; i < c->shape_count; ++i)
		if (c->shapes[i].solid && c->shapes[i].solid->mesh)
			return true;
	return false;
}

static void look_at_pairs(void *context, uint32_t chunk)
{
	const cn_certifier *c = context;
	cn_check_finding *f = &c->findings[chunk];
	*f = none;
	uint32_t first = chunk * PAIR_CHUNK, last = first + PAIR_CHUNK;
	if (has_meshes(c))
		f->watched = chunk * WATCH_CHUNK, f->watched_end = f->watched + WATCH_CHUNK;
	for (uint32_t i = first; i < last && i < c->table.count; ++i) {
		cn_check_entry *e = &c->table.entries[i];
		e->a = (uint32_t)(c->pairs[i] >> 32), e->b = (uint32_t)c->pairs[i];
		cn_check_couple(c, e, f);
		if (e->exact) {
			note_gap(&f->least, e);
			continue;
		}
		note_promise(f, i, e->gap - cn_check_left_at(c, e));
	}
}

/* ---- the frame */

static void run(cn_certifier *c, cn_pool *pool, uint32_t chunks, void (*task)(void *, uint32_t), cn_check_result *out)
{
	cn_pool_run(pool, chunks, task, c);
	for (uint32_t i = 0; i < chunks; ++i) {
		const cn_check_finding *f = &c->findings[i];
		out->intervals += f->intervals, out->overlaps += f->overlaps, out->passages += f->passages;
		out->bound = f->bound > out->bound ? f->bound : out->bound;
		if (f->first.a != CN_CHECK_NONE)
			cn_check_note(&out->first, f->first);
	}
}

/* Looking for the least gap of a frame. */
typedef struct search {
	cn_certifier *c;
	double most;            /* m: pairs that promise more are not measured, ... */
	double bound;           /* m: ... nor those that promise so much more than was found */
	const uint32_t *chunks; /* of pairs, that are looked at */
} search;

/* Pairs of a chunk whose axes leave room for a gap that is small, and less than what was found in the chunk; all axes that
 * cost little are tried before. */
static void measure_chunk(void *context, uint32_t number)
{
	const search *s = context;
	uint32_t first = s->chunks[number] * PAIR_CHUNK, last = first + PAIR_CHUNK;
	cn_check_finding *f = &s->c->findings[s->chunks[number]];
	f->promised = CN_CHECK_NONE;
	for (uint32_t i = first; i < last && i < s->c->table.count; ++i) {
		cn_check_entry *e = &s->c->table.entries[i];
		double left = cn_check_left_at(s->c, e), found = f->least.gap + s->bound,
			   most = s->most < found ? s->most : found;
		if (e->exact)
			continue;
		if (e->gap - left > most || cn_check_above(s->c, e, most + left)) {
			note_promise(f, i, e->gap - left);
			continue;
		}
		cn_check_measure(s->c, e, most + left);
		if (e->exact)
			note_gap(&f->least, e);
		else
			note_promise(f, i, e->gap - left);
	}
}

/* The pair that a chunk promises least, whatever it promises. */
static void measure_promised(void *context, uint32_t number)
{
	const search *s = context;
	cn_check_finding *f = &s->c->findings[s->chunks[number]];
	cn_check_entry *e = &s->c->table.entries[f->promised];
	cn_check_measure(s->c, e, INFINITY);
	note_gap(&f->least, e);
	measure_chunk(&(search){s->c, -INFINITY, s->bound, s->chunks}, number);
}

/* The chunks that promise least, the least first. */
static uint32_t choose_first(const cn_certifier *c, uint32_t chunks, uint32_t chosen[LEAST_FIRST])
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < chunks; ++i) {
		const cn_check_finding *f = &c->findings[i];
		uint32_t at = count;
		if (f->promised == CN_CHECK_NONE)
			continue;
		while (at > 0 && c->findings[chosen[at - 1]].promise > f->promise)
			--at;
		if (at == LEAST_FIRST)
			continue;
		count += count < LEAST_FIRST;
		for (uint32_t k = count - 1; k > at; --k)
			chosen[k] = chosen[k - 1];
		chosen[at] = i;
	}
	return count;
}

/* The least gap, measured without the help of an axis wherever one leaves room for it. Pairs that axes promise least go
 * first, then those that promise as little as was usual; then few others are left. */
static bool find_least(cn_certifier *c, cn_pool *pool, uint32_t chunks, cn_check_result *out)
{
	uint32_t chosen[LEAST_FIRST];
	cn_check_least least = none.least;
	if (!cn_grow(&c->allocator, (void **)&c->chunks, &c->chunk_capacity, chunks, sizeof *c->chunks))
		return false;
	for (double most = c->usual;; most *= 8) {
		cn_pool_run(pool, choose_first(c, chunks, chosen), measure_promised, &(search){c, 0, 0, chosen});
		for (uint32_t i = 0; i < chunks; ++i)
			note_least(&least, c->findings[i].least);
		most = most > 0 && most < least.gap ? most : least.gap;
		search s = {c, most + 8 * out->bound, 8 * out->bound, c->chunks};
		uint32_t count = 0;
		for (uint32_t i = 0; i < chunks; ++i)
			if (c->findings[i].promised != CN_CHECK_NONE && c->findings[i].promise <= s.most)
				c->chunks[count++] = i;
		cn_pool_run(pool, count, measure_chunk, &s);
		for (uint32_t i = 0; i < count; ++i)
			note_least(&least, c->findings[c->chunks[i]].least);
		if (!(most < least.gap))
			break;
	}
	out->min_gap = c->usual = least.gap, out->min_a = least.a, out->min_b = least.b;
	return true;
}

bool cn_certifier_check(cn_certifier *c, cn_pool *pool, cn_check_result *out)
{
	const cairn_allocator *a = &c->allocator;
	uint32_t count = c->frame.body_count, chunks = (count + BODY_CHUNK - 1) / BODY_CHUNK;
	*out = (cn_check_result){.min_gap = INFINITY, .min_a = CN_CHECK_NONE, .min_b = CN_CHECK_NONE};
	out->first = (cn_check_place){.a = CN_CHECK_NONE, .b = CN_CHECK_NONE};
	if (c->frame.number != c->kept + 1)
		drop_past(c);
	if (!cn_grow(a, (void **)&c->now, &c->now_capacity, count, sizeof *c->now) ||
	    !cn_grow(a, (void **)&c->boxes, &c->box_capacity, count, sizeof *c->boxes) ||
	    !cn_grow(a, (void **)&c->movers, &c->mover_capacity, count, sizeof *c->movers) ||
	    !cn_grow(a, (void **)&c->planes, &c->plane_capacity, count, sizeof *c->planes) ||
	    !cn_grow(a, (void **)&c->findings, &c->finding_capacity, chunks, sizeof *c->findings))
		return false;
	cn_check_sort(c->frame.exempt, c->frame.exempt_count);
	run(c, pool, chunks, look_at_bodies, out);
	if (!cn_check_find_pairs(c, pool))
		return false;
	chunks = (c->table.count + PAIR_CHUNK - 1) / PAIR_CHUNK;
	uint32_t watched = has_meshes(c) ? chunks * WATCH_CHUNK : 0;
	if (!cn_grow(a, (void **)&c->findings, &c->finding_capacity, chunks, sizeof *c->findings) ||
	    !cn_grow(a, (void **)&c->table.watched, &c->table.watched_capacity, watched, sizeof *c->table.watched))
		return false;
	run(c, pool, chunks, look_at_pairs, out);
	out->pairs = c->table.count;
	if (!find_least(c, pool, chunks, out))
		return false;
	c->result = *out;
	return true;
}

void cn_certifier_keep(cn_certifier *c)
{
	cn_check_state *states = c->last;
	uint32_t capacity = c->last_capacity;
	cn_check_table table = c->before;
	c->last = c->now, c->last_capacity = c->now_capacity, c->last_count = c->frame.body_count;
	c->now = states, c->now_capacity = capacity;
	c->before = c->table;
	c->table = table;
	c->kept = c->frame.number;
}

/* The body stood in the frame kept last, and stands there still. */
static bool stands(const cn_check_state *last, const cn_check_body *b)
{
	if (b->name == 0 || last->name != b->name)
		return b->name == last->name;
	return last->still && !b->arrives && !b->fresh && b->key_count == 0 && same_v3(last->leg.x1, b->x0) &&
	       same_quat(last->q1, b->q0);
}

bool cn_certifier_again(cn_certifier *c, cn_check_result *out)
{
	const cn_check_frame *f = &c->frame;
	if (c->kept == 0 || f->number != c->kept + 1 || f->body_count != c->last_count)
		return false;
	for (uint32_t i = 0; i < f->body_count; ++i)
		if (!stands(&c->last[i], &f->bodies[i]))
			return false;
	*out = c->result;
	c->kept = f->number;
	return true;
}
