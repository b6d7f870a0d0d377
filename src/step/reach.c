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

/* A body's motion from w->motion to w->before. */
typedef struct sweep {
	v3 x0, x1;
	double radius; /* about the centre, with what the path bends inside the frame */
	double turn;   /* 0 if it has keys inside the frame: its box is then of no use */
	bool boxed;
} sweep;

static sweep body_sweep(const cairn_world *w, uint32_t i, const cn_motion *end)
{
	const cn_motion *m = &w->motion[i];
	sweep s = {m->x, end[i].x, w->bodies[i].radius, 0, w->pieces[i] <= 1};
	if (!s.boxed) /* the keys inside lie on the parabola, at most this far off the straight line */
		s.radius += v3_distance(m->v, end[i].v) * w->dt / 8;
	else
		s.turn = v3_length(q_turn(m->q, end[i].q));
	return s;
}

static pose frame_of(const cairn_world *w, uint32_t i, const cn_motion *m)
{
	return (pose){v3_sub(m->x, q_rotate(m->q, w->bodies[i].center)), m->q};
}

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

/* 0, 1, 2: proved free by spheres, by an axis of the end, of the start; 3: not proved. */
static int settle(const cairn_world *w, uint32_t a, uint32_t b, const cn_motion *end)
{
	sweep p = body_sweep(w, a, end), q = body_sweep(w, b, end);
	double k = (p.turn * p.turn * p.radius + q.turn * q.turn * q.radius) / 8;
	if (halfspace(w->scene, w->bodies[b].shape) || halfspace(w->scene, w->bodies[a].shape)) {
		bool first = halfspace(w->scene, w->bodies[a].shape);
		uint32_t plane = first ? a : b, body = first ? b : a;
		sweep s = first ? q : p;
		const cairn_shape_def *def = &w->scene->shapes[w->bodies[plane].shape].def;
		if (w->bodies[plane].type != CAIRN_FIXED) /* a moving half-space: only its ends are known to bound it */
			return 3;
		v3 n = q_rotate(w->motion[plane].q, def->normal);
		double offset = def->offset + v3_dot(n, w->motion[plane].x);
		double low0 = v3_dot(n, s.x0), low1 = v3_dot(n, s.x1);
		if ((low0 < low1 ? low0 : low1) - s.radius > offset)
			return 0;
		if (!s.boxed)
			return 3;
		k = s.turn * s.turn * s.radius / 8;
		v3 unused;
		pose f0 = frame_of(w, body, &w->motion[body]), f1 = frame_of(w, body, &end[body]),
			 at = frame_of(w, plane, &w->motion[plane]);
		return gap_over(w->scene, w->bodies[body].shape, f0, w->bodies[plane].shape, at, &unused) > k &&
		               gap_over(w->scene, w->bodies[body].shape, f1, w->bodies[plane].shape, at, &unused) > k
		           ? 1
		           : 3;
	}
	v3 d0 = v3_sub(q.x0, p.x0), d1 = v3_sub(q.x1, p.x1), move = v3_sub(d1, d0);
	double along = v3_length2(move), t = along > 0 ? -v3_dot(d0, move) / along : 0;
	v3 nearest = v3_madd(d0, move, t < 0 ? 0 : t > 1 ? 1 : t);
	if (v3_length(nearest) > p.radius + q.radius)
		return 0;
	if (!p.boxed || !q.boxed)
		return 3;
	if (boxes_apart(w, a, b, end, w->motion, k))
		return 1;
	return boxes_apart(w, a, b, w->motion, end, k) ? 2 : 3;
}

/* Sweeps bodies along x and settles every pair whose swept balls overlap there. The first pair not proved free, in the
 * order of slots, is returned: true if there is one. */
static bool search(cairn_world *w, const cn_motion *end, uint32_t tiers[4], uint32_t *first_a, uint32_t *first_b)
{
	cn_sort_item *items = w->order;
	uint32_t count = 0;
	uint64_t worst = UINT64_MAX;
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (!w->bodies[i].alive)
			continue;
		sweep s = body_sweep(w, i, end);
		double low = (s.x0.x < s.x1.x ? s.x0.x : s.x1.x) - s.radius;
		items[count++] = (cn_sort_item){cn_sort_key(low), i};
	}
	cn_sort(items, items + w->slots, count);
	for (uint32_t n = 0; n < count; ++n) {
		uint32_t i = items[n].value;
		sweep s = body_sweep(w, i, end);
		uint64_t high = cn_sort_key((s.x0.x > s.x1.x ? s.x0.x : s.x1.x) + s.radius);
		for (uint32_t m = n + 1; m < count && items[m].key <= high; ++m) {
			uint32_t j = items[m].value, a = i < j ? i : j, b = i < j ? j : i;
			if (!cn_world_collide(w, a, b))
				continue;
			int tier = settle(w, a, b, end);
			++tiers[tier];
			uint64_t name = (uint64_t)a << 32 | b;
			if (tier == 3 && name < worst)
				worst = name;
		}
	}
	*first_a = (uint32_t)(worst >> 32);
	*first_b = (uint32_t)worst;
	return worst != UINT64_MAX;
}

static bool make_room(cairn_world *w)
{
	return cn_grow(&w->allocator, (void **)&w->order, &w->order_capacity, w->slots * 2, sizeof *w->order);
}

bool cn_reach_check(cairn_world *w, cn_frame *f)
{
	uint32_t a, b, tiers[4] = {0};
	if (!make_room(w)) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	bool touch = search(w, w->before, tiers, &a, &b);
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
