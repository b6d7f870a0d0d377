/* The corners of a contact polygon put in order, and which of them stand for it best: those that touch, or else the
 * deepest and the one furthest from it; and then always the one that adds the most area to the polygon of those taken so
 * far. */
#include "geom/contact_side.h"

#include "geom/tolerance.h"

typedef struct sorted {
	double u, v;
	uint32_t index;
	bool kept;
} sorted;

/* Counter-clockwise about (0, 0), from the direction of u. */
static bool before(const sorted *a, const sorted *b)
{
	bool low_a = a->v < 0 || (a->v == 0 && a->u < 0), low_b = b->v < 0 || (b->v == 0 && b->u < 0);
	double turn = a->u * b->v - a->v * b->u;
	if (low_a != low_b)
		return low_b;
	return turn != 0 ? turn > 0 : a->index < b->index;
}

static double distance2(const sorted *a, const sorted *b)
{
	double du = a->u - b->u, dv = a->v - b->v;
	return du * du + dv * dv;
}

/* Twice the area that point k adds between its kept neighbours along the loop. */
static double gain_of(const sorted *p, uint32_t count, uint32_t k)
{
	uint32_t last = k, next = k;
	do
		last = last == 0 ? count - 1 : last - 1;
	while (!p[last].kept);
	do
		next = next + 1 == count ? 0 : next + 1;
	while (!p[next].kept);
	return (p[k].u - p[last].u) * (p[next].v - p[last].v) - (p[k].v - p[last].v) * (p[next].u - p[last].u);
}

static double room_of(const sorted *p, uint32_t count, uint32_t k)
{
	double room = INFINITY;
	for (uint32_t i = 0; i < count; ++i)
		if (p[i].kept && distance2(&p[i], &p[k]) < room)
			room = distance2(&p[i], &p[k]);
	return room;
}

/* The most by area; where nothing adds any, the one furthest from all that are kept. */
static uint32_t best_of(const sorted *p, uint32_t count, double extent2)
{
	uint32_t best = count, furthest = count;
	double most = CN_CONTACT_MERGE * extent2, room = -1;
	for (uint32_t k = 0; k < count; ++k) {
		double gain = p[k].kept ? 0 : gain_of(p, count, k);
		if (gain > most)
			most = gain, best = k;
	}
	for (uint32_t k = 0; k < count && best == count; ++k) {
		double free_of = p[k].kept ? -1 : room_of(p, count, k);
		if (free_of > room)
			room = free_of, furthest = k;
	}
	return best == count ? furthest : best;
}

uint32_t cn_contact_order(cn_contact_corner *c, uint32_t count, double merge)
{
	uint32_t kept = 0;
	for (uint32_t i = 1; i < count; ++i) {
		cn_contact_corner x = c[i];
		uint32_t k = i;
		for (; k && c[k - 1].id > x.id; --k)
			c[k] = c[k - 1];
		c[k] = x;
	}
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t k = 0;
		while (k < kept && (fabs(c[k].u - c[i].u) > merge || fabs(c[k].v - c[i].v) > merge))
			++k;
		if (k == kept)
			c[kept++] = c[i];
	}
	return kept;
}

/* What touches comes first, and alike: which is the deepest by a hair changes from frame to frame, and what holds a body
 * must not. Returns how many there are; if they are more than asked for, they are all there is. */
static uint32_t touching_first(cn_contact_corner *c, uint32_t count, uint32_t most, double touching)
{
	uint32_t near = 0;
	for (uint32_t i = 0; i < count; ++i)
		near += c[i].gap <= touching;
	for (uint32_t i = 0, kept = 0; i < count && near; ++i) {
		bool touches = c[i].gap <= touching;
		if (near > most && !touches)
			continue;
		c[kept] = c[i];
		c[kept++].gap = touches ? touching : c[i].gap;
	}
	return near;
}

/* Room for so many: few are the rule, and clearing room for the most would cost more than choosing among them. */
enum { FEW = 24 };

/* p and keep: room for all, zero. */
static uint32_t span(cn_contact_corner *c, uint32_t count, uint32_t most, double touching, sorted *p, bool *keep)
{
	double mean_u = 0, mean_v = 0;
	uint32_t deepest = 0, first = 0, far = 0, kept = 0;
	uint32_t near = touching_first(c, count, most, touching), taken = near > 1 && near <= most ? near : 1;
	count = near > most ? near : count;
	for (uint32_t i = 0; i < count; ++i) {
		mean_u += c[i].u / count;
		mean_v += c[i].v / count;
		deepest = c[i].gap < c[deepest].gap ? i : deepest;
	}
	for (uint32_t i = 0; i < count; ++i) {
		keep[i] = i == deepest || (taken > 1 && c[i].gap <= touching);
		sorted x = {c[i].u - mean_u, c[i].v - mean_v, i, keep[i]};
		uint32_t k = i;
		for (; k && before(&x, &p[k - 1]); --k)
			p[k] = p[k - 1];
		p[k] = x;
	}
	while (p[first].index != deepest)
		++first;
	for (uint32_t k = 0; k < count; ++k)
		far = distance2(&p[k], &p[first]) > distance2(&p[far], &p[first]) ? k : far;
	double extent2 = distance2(&p[far], &p[first]);
	for (; taken < most; ++taken) {
		uint32_t k = taken == 1 && far != first ? far : best_of(p, count, extent2);
		p[k].kept = keep[p[k].index] = true;
	}
	for (uint32_t i = 0; i < count; ++i)
		if (keep[i])
			c[kept++] = c[i];
	return kept;
}

uint32_t cn_contact_span(cn_contact_corner *c, uint32_t count, uint32_t most, double touching)
{
	if (count <= most)
		return count;
	if (count <= FEW) {
		sorted p[FEW] = {{0}};
		bool keep[FEW] = {false};
		return span(c, count, most, touching, p, keep);
	}
	sorted p[CN_RAW_CORNERS] = {{0}};
	bool keep[CN_RAW_CORNERS] = {false};
	return span(c, count, most, touching, p, keep);
}

static void lay_out(const cn_contact_set *set, cn_contact_corner *c)
{
	v3 x, y;
	cn_contact_basis(set->n, &x, &y);
	for (uint32_t i = 0; i < set->count; ++i) {
		const cn_contact_point *p = &set->points[i];
		c[i] = (cn_contact_corner){i, v3_dot(x, p->a), v3_dot(y, p->a), p->gap};
	}
}

uint64_t cn_contact_choose(const cn_contact_set *set, uint32_t most, double touching)
{
	static_assert(CN_CONTACT_MAX == 64, "a bit for each");
	cn_contact_corner c[CN_CONTACT_MAX];
	uint64_t chosen = 0;
	lay_out(set, c);
	uint32_t count = cn_contact_span(c, set->count, most, touching);
	for (uint32_t i = 0; i < count; ++i)
		chosen |= (uint64_t)1 << c[i].id;
	return chosen;
}

void cn_contact_reduce(cn_contact_set *set, uint32_t most, double touching)
{
	uint64_t chosen = cn_contact_choose(set, most, touching);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < set->count; ++i)
		if (chosen >> i & 1)
			set->points[kept++] = set->points[i];
	set->count = kept;
}
