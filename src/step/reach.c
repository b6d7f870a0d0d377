/* See reach.h. Over a frame: for a fixed unit axis n the separation of two bodies that move straight and turn by theta at
 * constant rate about fixed axes obeys s(t) >= (1 - t) s(0) + t s(1) - k, k = (theta_a^2 rho_a + theta_b^2 rho_b)/8, rho
 * the radius about the centre. One axis that keeps both ends apart by more than k proves the whole frame free. */
#include "step/reach.h"

#include "geom/obb.h"
#include "step/stages.h"

static cn_obb part_box(const cairn_scene *scene, cairn_part part, pose body)
{
	const cairn_box *box = &scene->shapes[part.shape.index].box;
	pose at = pose_mul(body, part.pose);
	return (cn_obb){pose_apply(at, v3_scale(v3_add(box->min, box->max), 0.5)),
	                v3_scale(v3_sub(box->max, box->min), 0.5), at.orientation};
}

static bool halfspace(const cairn_scene *scene, uint32_t shape)
{
	return scene->shapes[shape].def.kind == CAIRN_HALFSPACE;
}

/* Gap of the parts of a over the half-space b; *normal points from the half-space. */
static double gap_over(const cairn_scene *scene, uint32_t shape_a, pose a, uint32_t shape_b, pose b, v3 *normal)
{
	const cairn_shape_def *plane = &scene->shapes[shape_b].def;
	*normal = q_rotate(b.orientation, plane->normal);
	double offset = plane->offset + v3_dot(*normal, b.position), least = INFINITY;
	for (uint32_t i = 0; i < cn_shape_part_count(scene->shapes, shape_a); ++i) {
		cn_obb box = part_box(scene, cn_shape_part(scene->shapes, shape_a, i), a);
		double gap = cn_obb_lowest(&box, *normal) - offset;
		least = gap < least ? gap : least;
	}
	return least;
}

double cn_reach_gap(const cairn_scene *scene, uint32_t shape_a, pose a, uint32_t shape_b, pose b, v3 *normal)
{
	if (halfspace(scene, shape_b)) {
		double gap = gap_over(scene, shape_a, a, shape_b, b, normal);
		*normal = v3_neg(*normal);
		return gap;
	}
	if (halfspace(scene, shape_a))
		return gap_over(scene, shape_b, b, shape_a, a, normal);
	double least = INFINITY;
	for (uint32_t i = 0; i < cn_shape_part_count(scene->shapes, shape_a); ++i) {
		cn_obb box_a = part_box(scene, cn_shape_part(scene->shapes, shape_a, i), a);
		for (uint32_t j = 0; j < cn_shape_part_count(scene->shapes, shape_b); ++j) {
			cn_obb box_b = part_box(scene, cn_shape_part(scene->shapes, shape_b, j), b);
			v3 n;
			double gap = cn_obb_separate(&box_a, &box_b, &n);
			if (gap < least)
				least = gap, *normal = n;
		}
	}
	return least;
}

/* ---- over the coming frame */

/* How far the keys inside the frame lie off the straight line from end to end: the way between keys is straight, so no point
 * of it is further off. */
static double bend(const cairn_world *w, uint32_t slot, const cn_sweep *s)
{
	const cn_extra *extras;
	double most = 0, t0 = cairn_world_time(w), t1 = (w->frame + 1) / w->scene->settings.fps;
	uint32_t count = cn_extras_find(w->next_extras, w->next_extra_count, slot, &extras);
	for (uint32_t k = 0; k < count; ++k) {
		v3 chord = v3_lerp(s->x0, s->x1, (extras[k].key.time - t0) / (t1 - t0));
		double off = v3_distance(chord, extras[k].key.position);
		most = off > most ? off : most;
	}
	return most;
}

/* A body's way through the frame. */
static cn_sweep body_sweep(const cairn_world *w, uint32_t i, const cn_motion *end)
{
	const cn_motion *m = &w->motion[i];
	cn_sweep s = {.x0 = m->x, .x1 = end[i].x, .radius = w->bodies[i].radius, .slot = i, .boxed = w->pieces[i] <= 1};
	if (!s.boxed)
		s.radius += bend(w, i, &s);
	v3 reach = {s.radius, s.radius, s.radius};
	s.low = v3_sub(v3_least(s.x0, s.x1), reach);
	s.high = v3_add(v3_most(s.x0, s.x1), reach);
	return s;
}

static pose frame_of(const cairn_world *w, uint32_t i, const cn_motion *m) { return cn_body_frame(&w->bodies[i], m); }

static double part_along(const cairn_scene *scene, cairn_part pa, pose a, cairn_part pb, pose b, v3 n)
{
	cn_obb box_a = part_box(scene, pa, a), box_b = part_box(scene, pb, b);
	return cn_obb_along(&box_a, &box_b, n);
}

/* Every pair of parts has an axis, found at one end, that keeps both ends apart by more than k. */
static bool boxes_apart(const cairn_world *w, uint32_t a, uint32_t b, const cn_motion *find, const cn_motion *other,
                        double k)
{
	const cairn_scene *scene = w->scene;
	uint32_t shape_a = w->bodies[a].shape, shape_b = w->bodies[b].shape;
	pose fa = frame_of(w, a, &find[a]), fb = frame_of(w, b, &find[b]);
	pose oa = frame_of(w, a, &other[a]), ob = frame_of(w, b, &other[b]);
	for (uint32_t i = 0; i < cn_shape_part_count(scene->shapes, shape_a); ++i) {
		cairn_part pa = cn_shape_part(scene->shapes, shape_a, i);
		cn_obb box_a = part_box(scene, pa, fa);
		for (uint32_t j = 0; j < cn_shape_part_count(scene->shapes, shape_b); ++j) {
			cairn_part pb = cn_shape_part(scene->shapes, shape_b, j);
			cn_obb box_b = part_box(scene, pb, fb);
			v3 n;
			if (!(cn_obb_separate(&box_a, &box_b, &n) > k) || !(part_along(scene, pa, oa, pb, ob, n) > k))
				return false;
		}
	}
	return true;
}

static double turn_of(const cairn_world *w, uint32_t slot, const cn_motion *end)
{
	return v3_length(q_turn(w->motion[slot].q, end[slot].q));
}

/* What a turning body can lose of its separation between the ends. */
static double turn_loss(const cairn_world *w, const cn_sweep *s, const cn_motion *end)
{
	double turn = turn_of(w, s->slot, end);
	return turn * turn * s->radius / 8;
}

/* How a pair is proved free. */
enum { BY_BALLS, BY_END_AXIS, BY_START_AXIS, NOT_PROVED };

/* A body over a half-space that stands still or moves without turning; one that turns is not followed. */
static int settle_over(const cairn_world *w, const cn_sweep *body, const cn_sweep *plane, const cn_motion *end)
{
	const cn_body *b = &w->bodies[body->slot], *p = &w->bodies[plane->slot];
	pose at0 = frame_of(w, plane->slot, &w->motion[plane->slot]), at1 = frame_of(w, plane->slot, &end[plane->slot]);
	v3 n = q_rotate(at0.orientation, w->scene->shapes[p->shape].def.normal), unused;
	double offset = w->scene->shapes[p->shape].def.offset;
	double low0 = v3_dot(n, v3_sub(body->x0, at0.position)), low1 = v3_dot(n, v3_sub(body->x1, at1.position));
	if (!plane->boxed || turn_of(w, plane->slot, end) > 0)
		return NOT_PROVED;
	if ((low0 < low1 ? low0 : low1) - body->radius > offset)
		return BY_BALLS;
	if (!body->boxed)
		return NOT_PROVED;
	double k = turn_loss(w, body, end);
	pose f0 = frame_of(w, body->slot, &w->motion[body->slot]), f1 = frame_of(w, body->slot, &end[body->slot]);
	bool apart = gap_over(w->scene, b->shape, f0, p->shape, at0, &unused) > k &&
	             gap_over(w->scene, b->shape, f1, p->shape, at1, &unused) > k;
	return apart ? BY_END_AXIS : NOT_PROVED;
}

static int settle(const cairn_world *w, const cn_sweep *p, const cn_sweep *q, const cn_motion *end)
{
	if (halfspace(w->scene, w->bodies[q->slot].shape))
		return settle_over(w, p, q, end);
	if (halfspace(w->scene, w->bodies[p->slot].shape))
		return settle_over(w, q, p, end);
	v3 d0 = v3_sub(q->x0, p->x0), d1 = v3_sub(q->x1, p->x1), move = v3_sub(d1, d0);
	double along = v3_length2(move), t = along > 0 ? -v3_dot(d0, move) / along : 0;
	v3 nearest = v3_madd(d0, move, t < 0 ? 0 : t > 1 ? 1 : t);
	if (v3_length(nearest) > p->radius + q->radius)
		return BY_BALLS;
	if (!p->boxed || !q->boxed)
		return NOT_PROVED;
	double k = turn_loss(w, p, end) + turn_loss(w, q, end);
	if (boxes_apart(w, p->slot, q->slot, end, w->motion, k))
		return BY_END_AXIS;
	return boxes_apart(w, p->slot, q->slot, w->motion, end, k) ? BY_START_AXIS : NOT_PROVED;
}

static bool boxes_meet(const cn_sweep *a, const cn_sweep *b)
{
	return a->low.y <= b->high.y && b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z &&
	       a->low.x <= b->high.x && b->low.x <= a->high.x;
}

/* Sorts the ways by where they begin along the axis the bodies are spread out most on; w->order holds keys in that order,
 * with the number of the way. */
static uint32_t sort_sweeps(cairn_world *w, const cn_motion *end, int *axis)
{
	uint32_t count = 0;
	v3 low = {INFINITY, INFINITY, INFINITY}, high = v3_neg(low);
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (!w->bodies[i].alive)
			continue;
		w->sweeps[count++] = body_sweep(w, i, end);
		low = v3_least(low, w->motion[i].x);
		high = v3_most(high, w->motion[i].x);
	}
	v3 spread = v3_sub(high, low);
	*axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2;
	for (uint32_t n = 0; n < count; ++n)
		w->order[n] = (cn_sort_item){cn_sort_key(v3_at(w->sweeps[n].low, *axis)), n};
	if (count)
		cn_sort(w->order, w->order + w->slots, count);
	return count;
}

/* Settles every pair whose swept boxes overlap. The first pair not proved free, in the order of slots, is returned: true
 * if there is one. */
static bool search(cairn_world *w, const cn_motion *end, uint32_t tiers[4], uint32_t *first_a, uint32_t *first_b)
{
	int axis;
	uint32_t count = sort_sweeps(w, end, &axis);
	uint64_t worst = UINT64_MAX;
	for (uint32_t n = 0; n < count; ++n) {
		const cn_sweep *a = &w->sweeps[w->order[n].value];
		uint64_t high = cn_sort_key(v3_at(a->high, axis));
		for (uint32_t m = n + 1; m < count && w->order[m].key <= high; ++m) {
			const cn_sweep *b = &w->sweeps[w->order[m].value];
			if (!boxes_meet(a, b) || !cn_body_collide(&w->bodies[a->slot], &w->bodies[b->slot]))
				continue;
			const cn_sweep *p = a->slot < b->slot ? a : b, *q = p == a ? b : a;
			int tier = settle(w, p, q, end);
			++tiers[tier];
			uint64_t name = (uint64_t)p->slot << 32 | q->slot;
			if (tier == NOT_PROVED && name < worst)
				worst = name;
		}
	}
	*first_a = (uint32_t)(worst >> 32);
	*first_b = (uint32_t)worst;
	return worst != UINT64_MAX;
}

static bool make_room(cairn_world *w)
{
	return cn_grow(&w->allocator, (void **)&w->order, &w->order_capacity, w->slots * 2, sizeof *w->order) &&
	       cn_grow(&w->allocator, (void **)&w->sweeps, &w->sweep_capacity, w->slots, sizeof *w->sweeps);
}

bool cn_reach_check(cairn_world *w, cn_frame *f)
{
	uint32_t a, b, tiers[4] = {0};
	if (!make_room(w)) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	bool touch = search(w, w->next, tiers, &a, &b);
	for (int i = 0; i < 3; ++i)
		f->report.tiers[i] = tiers[i];
	if (!touch)
		return true;
	f->report.status = CAIRN_STEP_TOUCH;
	f->report.pair_a = (cairn_body){a, w->bodies[a].generation};
	f->report.pair_b = (cairn_body){b, w->bodies[b].generation};
	return false;
}

bool cn_reach_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed)
{
	uint32_t i, j, tiers[4] = {0};
	*failed = !make_room(w);
	if (*failed || !search(w, w->motion, tiers, &i, &j))
		return false;
	*a = (cairn_body){i, w->bodies[i].generation};
	*b = (cairn_body){j, w->bodies[j].generation};
	return true;
}
