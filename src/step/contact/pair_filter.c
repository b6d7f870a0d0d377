/* Drops pairs whose boxes meet in the broad phase although the parts stay apart. The axis-aligned boxes of tilted
 * bodies meet long before the bodies do; that is nearly every second pair of a heap.
 *
 * Each part has a bound (cn_motion_bound): the part at the frame's start, swept along its stride and grown by a margin
 * and by its swing. Bounds are convex, so if an axis separates two of them by more than the pair's reach, the two parts
 * never come near each other and the pair is dropped. When a part leaves its bound, the bound grows and pairs are
 * searched again. Only boxes have bounds: measuring balls costs less than this test. Answers hold until a
 * bound grows, and those of the frame's start also in the next frame if both parts start it in the same way. */
#include "base/tolerance.h"
#include "step/context.h"

#include <string.h>

enum { FILTER_CHUNK = 128 };
/* The answer for a pair: not known; always a pair; never a pair; bounds meet; bounds are apart. */
enum { UNKNOWN, OPEN, EXEMPT, MEETS, APART };

void cn_pair_filter_begin(cairn_world *w, uint32_t part, bool stands, cn_stride stride, double more)
{
	const cn_part *p = &w->context->contacts.parts[part];
	const cn_options *o = &w->scene->options;
	bool wild = p->kind != CN_PART_SOLID || p->convex->kind != CAIRN_BOX ||
	            cn_path_driven(&w->context->paths.by_slot[p->slot]) || o->hybrid || o->distance_bounce;
	cn_context *c = w->context;
	cn_motion_bound *r = &c->contacts.bounds[part];
	cn_bound_state state = wild ? CN_BOUND_NONE : CN_BOUND_HOLDS;
	bool steady = stands && memcmp(&r->stride, &stride, sizeof stride) == 0 && r->first == more &&
	              (r->state == CN_BOUND_NONE) == wild;
	*r = (cn_motion_bound){stride, more, more, state, steady, -1, CN_BOUND_HOLDS};
}

/* Distance of x from the segment along the stride. */
static double off_stride(v3 from, v3 dx, v3 x)
{
	v3 d = v3_sub(x, from);
	double length2 = v3_length2(dx), t = v3_dot(d, dx);
	return t <= 0 ? v3_length(d) : t >= length2 ? v3_distance(d, dx) : v3_length(v3_madd(d, dx, -t / length2));
}

/* Bound of the distance of the part's points from the region swept by its stride. */
static double strays(const cn_context *c, uint32_t part, const cn_place *at)
{
	const cn_place *from = &c->contacts.start[part];
	const cn_convex *convex = c->contacts.parts[part].convex;
	double sum = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j) {
			double d = at->r.m[i][j] - from->r.m[i][j];
			sum += d * d;
		}
	/* a turn by theta moves a point by 2 sin(theta/2) times its distance from the centre, and the matrix by sqrt(2)
	 * times that */
	return off_stride(from->x, c->contacts.bounds[part].stride.dx, at->x) + sqrt(0.5 * sum) * convex->reach;
}

bool cn_pair_filter_leaves(cairn_world *w, uint32_t part, double min, double margin, double bulge)
{
	cn_context *c = w->context;
	cn_motion_bound *r = &c->contacts.bounds[part];
	const cn_path *y = &c->paths.by_slot[c->contacts.parts[part].slot];
	if (r->state != CN_BOUND_HOLDS)
		return false;
	if (y->own.key_count || cn_path_driven(y)) {
		r->state = CN_BOUND_LOST;
		return true;
	}
	double now = strays(c, part, &c->contacts.now[part]) + bulge,
		   leg = c->under_way ? strays(c, part, &c->contacts.leg_start[part]) + bulge : 0;
	if (now + min <= r->more && leg <= r->more)
		return false;
	now += margin;
	r->more = now > leg ? now : leg;
	if (!isfinite(r->more))
		r->state = CN_BOUND_LOST;
	return true;
}

/* Two parts at the frame's start, world axes. */
typedef struct couple {
	const cn_convex *a, *b;
	const cn_place *at_a, *at_b;
	v3 t, da, db; /* from a to b; strides */
	double asked; /* m: separation that an axis must exceed */
	double apart; /* m: the largest separation found */
} couple;

/* How much the strides reduce the separation along an axis. */
static double strides_along(const couple *p, v3 n)
{
	double a = v3_dot(n, p->da), b = v3_dot(n, p->db);
	return (a > 0 ? a : 0) + (b < 0 ? -b : 0);
}

static void part_along(couple *p, v3 n)
{
	double apart = v3_dot(n, p->t) - cn_convex_support(p->a, p->at_a, n) - cn_convex_support(p->b, p->at_b, v3_neg(n)) -
	               strides_along(p, n);
	p->apart = apart > p->apart ? apart : p->apart;
}

/* Tries the face normals of one of two boxes. */
static void part_by_faces(couple *p, bool of_b)
{
	const cn_place *own = of_b ? p->at_b : p->at_a, *other = of_b ? p->at_a : p->at_b;
	v3 h = of_b ? p->b->half : p->a->half, k = of_b ? p->a->half : p->b->half;
	for (int i = 0; i < 3; ++i) {
		v3 n = {own->r.m[0][i], own->r.m[1][i], own->r.m[2][i]};
		double t = v3_dot(n, p->t), extent = i == 0 ? h.x : i == 1 ? h.y : h.z;
		if (!(fabs(t) - extent > p->asked))
			continue;
		double apart = fabs(t) - extent - v3_dot(v3_abs(cn_place_unturn(other, n)), k);
		if (!(apart > p->asked))
			continue;
		apart -= strides_along(p, t < 0 ? v3_neg(n) : n);
		p->apart = apart > p->apart ? apart : p->apart;
	}
}

static bool beyond_reach(const cn_context *c, cn_broad_pair pair, const couple *p)
{
	return p->apart > p->asked &&
	       p->apart > p->asked + cn_pair_range(c, pair.a, pair.b, &c->contacts.bounds[pair.a].stride,
	                                           &c->contacts.bounds[pair.b].stride)
	                                 .reach;
}

/* An axis separates the bounds of the two parts by more than their reach. */
static bool stay_apart(const cn_context *c, cn_broad_pair pair)
{
	const cn_motion_bound *ra = &c->contacts.bounds[pair.a], *rb = &c->contacts.bounds[pair.b];
	couple p = {c->contacts.parts[pair.a].convex,
	            c->contacts.parts[pair.b].convex,
	            &c->contacts.start[pair.a],
	            &c->contacts.start[pair.b],
	            v3_sub(c->contacts.start[pair.b].x, c->contacts.start[pair.a].x),
	            ra->stride.dx,
	            rb->stride.dx,
	            ra->more + rb->more,
	            -INFINITY};
	part_by_faces(&p, false);
	if (beyond_reach(c, pair, &p))
		return true;
	part_by_faces(&p, true);
	if (beyond_reach(c, pair, &p))
		return true;
	part_along(&p, v3_unit(p.t));
	return beyond_reach(c, pair, &p);
}

/* The bound is the same as at the last search. */
static bool as_searched(const cn_motion_bound *r)
{
	return r->more == r->searched && (r->state == CN_BOUND_HOLDS) == (r->searched_state == CN_BOUND_HOLDS);
}

/* The answer for a pair that the broad phase also gave at the last search, which at the frame's start is that of the start
 * of the frame before. */
static uint8_t known(const cn_context *c, cn_broad_pair pair, uint8_t met)
{
	const cn_motion_bound *a = &c->contacts.bounds[pair.a], *b = &c->contacts.bounds[pair.b];
	if (!c->contacts.at_start)
		return as_searched(a) && as_searched(b) ? met : UNKNOWN;
	return (met == MEETS || met == APART) && a->steady && b->steady ? met
	                                                                : UNKNOWN; /* collision filters may have changed */
}

static uint8_t find_out(const cairn_world *w, cn_broad_pair pair, uint8_t met)
{
	const cn_context *c = w->context;
	const cn_part *a = &c->contacts.parts[pair.a], *b = &c->contacts.parts[pair.b];
	if (a->kind == CN_PART_FIXED_MESH || b->kind == CN_PART_FIXED_MESH)
		return OPEN;
	if (!cn_pair_possible(w, a->slot, b->slot))
		return EXEMPT;
	if (c->contacts.bounds[pair.a].state != CN_BOUND_HOLDS || c->contacts.bounds[pair.b].state != CN_BOUND_HOLDS)
		return OPEN;
	return met != UNKNOWN ? met : stay_apart(c, pair) ? APART : MEETS;
}

static bool before(cn_broad_pair p, cn_broad_pair q) { return p.a != q.a ? p.a < q.a : p.b < q.b; }

static uint32_t first_from(const cn_broad_pair *pairs, uint32_t count, cn_broad_pair from)
{
	uint32_t low = 0, high = count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (before(pairs[middle], from))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void filter_chunk(void *context, uint32_t chunk)
{
	const cairn_world *w = context;
	const cn_context *c = w->context;
	uint32_t count, first = chunk * FILTER_CHUNK, last = first + FILTER_CHUNK;
	const cn_broad_pair *found = cn_broad_pairs(c->contacts.broad, &count);
	const cn_filtered *before_this = c->contacts.at_start ? &c->contacts.first : &c->contacts.last;
	uint32_t old = first_from(before_this->pairs, before_this->count, found[first]);
	double scale = INFINITY;
	for (uint32_t i = first; i < last && i < count; ++i) {
		cn_broad_pair pair = found[i];
		while (old < before_this->count && before(before_this->pairs[old], pair))
			++old;
		bool again = old < before_this->count && !before(pair, before_this->pairs[old]);
		uint8_t met = again ? known(c, pair, before_this->found[old]) : UNKNOWN;
		if (c->contacts.at_start || met == UNKNOWN)
			met = find_out(w, pair, met);
		c->contacts.meet[i] = met;
		if (met != APART)
			continue;
		double thin = cn_pair_thin(c, pair.a, pair.b);
		scale = thin < scale ? thin : scale;
	}
	c->contacts.scales[chunk] = scale;
}

/* Keeps what a search found. There is room. */
static void keep(cn_filtered *to, const cn_broad_pair *pairs, const uint8_t *found, uint32_t count)
{
	to->count = count;
	if (!count)
		return;
	memcpy(to->pairs, pairs, count * sizeof *pairs);
	memcpy(to->found, found, count);
}

bool cn_pair_filter_run(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t count, chunks;
	const cn_broad_pair *found = cn_broad_pairs(c->contacts.broad, &count);
	chunks = (count + FILTER_CHUNK - 1) / FILTER_CHUNK;
	if (!CN_ROOM(c->contacts.meet, count) || !CN_ROOM(c->contacts.scales, chunks) ||
	    !CN_ROOM(c->contacts.first.found, count) || !CN_ROOM(c->contacts.first.pairs, count) ||
	    !CN_ROOM(c->contacts.last.found, count) || !CN_ROOM(c->contacts.last.pairs, count))
		return false;
	cn_pool_run(w->pool, chunks, filter_chunk, w);
	for (uint32_t i = 0; i < chunks; ++i)
		c->scale = c->contacts.scales[i] < c->scale ? c->contacts.scales[i] : c->scale;
	if (c->contacts.at_start)
		keep(&c->contacts.first, found, c->contacts.meet, count);
	keep(&c->contacts.last, found, c->contacts.meet, count);
	for (uint32_t k = 0; k < c->contacts.own_count; ++k) {
		cn_motion_bound *r = &c->contacts.bounds[k];
		r->searched = r->more, r->searched_state = r->state;
	}
	return true;
}

bool cn_pair_filter_meets(const cn_context *c, uint32_t number)
{
	return c->contacts.meet[number] == OPEN || c->contacts.meet[number] == MEETS;
}
