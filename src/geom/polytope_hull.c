/* The polytope of a triangulated hull: triangles in one plane become one face.
 *
 * Faces are joined two at a time across an edge, the largest first, and only where what results is again a polytope:
 * any two faces have a corner, an edge or nothing in common, every corner has three faces at least, and each loop
 * turns the same way. A corner that is left with two faces lies in the middle of an edge and goes away with the join.
 *
 * The plane. A face keeps the sum A of the area vectors of its triangles and the sum m of A_i.p_i. The triangles are
 * those of an exactly convex surface, so A_i.x <= A_i.p_i for every corner x of it, and adding up A.x <= m: no corner
 * is above the plane of normal A/|A| and offset m/|A|, whatever the face looks like. Joins that put this more than the
 * hull's rounding above the face's own highest corner are refused, so what is promised for all corners holds without
 * looking at any but the face's own. Thin triangles weigh next to nothing and take the plane of what they join. */
#include "base/sort.h"
#include "geom/orient.h"
#include "geom/polytope.h"
#include "geom/tolerance.h"

#define CN_CROWDED 1e-5 /* of the radius: heights at the ends of a shorter edge differ by rounding in slopes of 1e-10 */

#define NONE UINT32_MAX

typedef struct half_edge {
	uint32_t from, next, before, twin, face;
	uint32_t edge; /* in the finished polytope */
} half_edge;

typedef struct corner {
	uint32_t source; /* the point it was given as */
	uint32_t out;    /* a half-edge that leaves it; NONE once it is gone */
	uint32_t degree; /* edges, and as many faces */
	uint32_t on;     /* the last growth whose face had it */
	uint32_t name;   /* in the finished polytope */
	uint32_t edge;   /* there: the next edge that has it as its tail */
	uint32_t ring;   /* there: the next place in its ring */
} corner;

/* Sums over triangles. Rounded at each of a thousand additions the area would tilt by more than the hull's rounding, so
 * what is lost is kept beside. */
typedef struct plane_sum {
	v3 area, area_lost;         /* of (b - a) x (c - a) */
	double moment, moment_lost; /* of that times a corner of the triangle, about the first corner of all */
} plane_sum;

/* A normal against which a face's loop turns left all the way, and the range of its corners' heights along it, about
 * the first corner of all. */
typedef struct view {
	v3 normal;
	double low, high;
} view;

typedef struct facet {
	plane_sum sum;
	view seen; /* when it was last looked at, or wider; the normal is zero before */
	uint32_t first, size;
	uint32_t touched; /* the last growth whose face it had a corner in common with */
	uint32_t beside;  /* the last attempt at whose edge it had a corner */
	bool alive;
} facet;

typedef struct surface {
	const cairn_allocator *allocator;
	v3 *points; /* of the corners: the given ones times a power of two */
	corner *corners;
	half_edge *halves;
	facet *facets;
	cn_sort_item *order; /* facets, the largest first; twice as many for sorting */
	double tolerance;    /* in the unit of points */
	double extent;       /* diagonal of their box */
	uint32_t corner_count, facet_count;
	uint32_t growth, attempt;
} surface;

static uint32_t head(const surface *s, uint32_t h) { return s->halves[s->halves[h].next].from; }

/* The next half-edge that leaves the same corner. */
static uint32_t turn(const surface *s, uint32_t h) { return s->halves[s->halves[h].before].twin; }

/* Does a loop that passes a, b, c turn left at b, seen against the normal? It may turn right by so little that no
 * corner of a face is outside the line of an edge by more than the tolerance. */
static bool turns(const surface *s, v3 normal, uint32_t a, uint32_t b, uint32_t c)
{
	v3 into = v3_sub(s->points[b], s->points[a]), out = v3_sub(s->points[c], s->points[b]);
	double turn_left = v3_dot(v3_cross(into, out), normal);
	return turn_left >= 0 || turn_left * s->extent >= -s->tolerance * (v3_length(into) * v3_length(out));
}

/* Is b in the middle of the segment from a to c? */
static bool straight(const surface *s, uint32_t a, uint32_t b, uint32_t c)
{
	v3 along = v3_sub(s->points[c], s->points[a]), to = v3_sub(s->points[b], s->points[a]);
	double square = v3_length2(along), share = v3_dot(to, along);
	return share > 0 && share < square && v3_length(v3_madd(to, along, -share / square)) <= s->tolerance;
}

/* a + b rounded; what the rounding took is added to *lost. */
static double add(double a, double b, double *lost)
{
	double sum = a + b, of_b = sum - a;
	*lost += (a - (sum - of_b)) + (b - of_b);
	return sum;
}

static plane_sum combine(plane_sum a, plane_sum b)
{
	plane_sum c = {.area_lost = v3_add(a.area_lost, b.area_lost), .moment_lost = a.moment_lost + b.moment_lost};
	c.area.x = add(a.area.x, b.area.x, &c.area_lost.x);
	c.area.y = add(a.area.y, b.area.y, &c.area_lost.y);
	c.area.z = add(a.area.z, b.area.z, &c.area_lost.z);
	c.moment = add(a.moment, b.moment, &c.moment_lost);
	return c;
}

static v3 area_of(plane_sum s) { return v3_add(s.area, s.area_lost); }

/* Looks at a face against a normal. False if it is thicker than a face may be, or if its loop does not turn left all
 * the way: a thin face may lie upside down in the plane it is to join. */
static bool look(const surface *s, uint32_t face, v3 normal, view *seen)
{
	uint32_t first = s->facets[face].first, h = first, a = s->halves[s->halves[h].before].from;
	*seen = (view){normal, INFINITY, -INFINITY};
	do {
		double height = v3_dot(normal, v3_sub(s->points[s->halves[h].from], s->points[0]));
		seen->low = height < seen->low ? height : seen->low;
		seen->high = height > seen->high ? height : seen->high;
		if (seen->high - seen->low > 2 * s->tolerance || !turns(s, normal, a, s->halves[h].from, head(s, h)))
			return false;
		a = s->halves[h].from;
		h = s->halves[h].next;
	} while (h != first);
	return true;
}

/* How much heights can differ between two normals. */
static double drift(const surface *s, v3 a, v3 b) { return v3_distance(a, b) * s->extent; }

/* Are two faces, the first seen with heights off by so much, in one plane, and is the hull's highest corner along the
 * normal not above it? */
static bool one_plane(const surface *s, view a, double off, view b, double top)
{
	double low = a.low - off < b.low ? a.low - off : b.low, high = a.high + off > b.high ? a.high + off : b.high;
	double least = a.high - off > b.high ? a.high - off : b.high;
	return high - low <= 2 * s->tolerance && top - least <= s->tolerance;
}

/* Do the corners of both lie in one plane that is above all of the hull? A face that grows large is looked at again
 * only when its normal has changed by more than matters, or where it is a close thing. */
static bool coplanar(surface *s, uint32_t face, uint32_t other, view *joins)
{
	facet *f = &s->facets[face];
	plane_sum sum = combine(f->sum, s->facets[other].sum);
	v3 area = area_of(sum);
	double length = v3_length(area);
	if (!(length > 0))
		return false;
	v3 normal = v3_scale(area, 1 / length);
	double top = (sum.moment + sum.moment_lost) / length, off = drift(s, f->seen.normal, normal);
	if (!look(s, other, normal, joins))
		return false;
	if (off <= 0.25 * s->tolerance && one_plane(s, f->seen, off, *joins, top))
		return true;
	view now;
	if (!look(s, face, normal, &now))
		return false;
	f->seen = now;
	return one_plane(s, now, 0, *joins, top);
}

static void mark_beside(surface *s, uint32_t h)
{
	uint32_t at = h;
	do {
		s->facets[s->halves[at].face].beside = s->attempt;
		at = turn(s, at);
	} while (at != h);
}

/* Has the face across h nothing but that edge in common with the growing one, and no third face a corner with each that
 * is not at the edge? Then the join has at most an edge in common with any face. */
static bool meets_once(surface *s, uint32_t h)
{
	uint32_t g = s->halves[h].twin;
	++s->attempt;
	mark_beside(s, h);
	mark_beside(s, g);
	for (uint32_t at = s->halves[s->halves[g].next].next; at != g; at = s->halves[at].next) {
		if (s->corners[s->halves[at].from].on == s->growth)
			return false;
		uint32_t around = at;
		do {
			const facet *f = &s->facets[s->halves[around].face];
			if (f->touched == s->growth && f->beside != s->attempt)
				return false;
			around = turn(s, around);
		} while (around != at);
	}
	return true;
}

static bool neighbours(const surface *s, uint32_t a, uint32_t b)
{
	uint32_t first = s->corners[a].out, h = first;
	do {
		if (head(s, h) == b)
			return true;
		h = turn(s, h);
	} while (h != first);
	return false;
}

/* The corner b between half-edges x (a to b) and y (b to c) of the join, which has no other edge but one to the third
 * face: can it go, so that a and c are neighbours? */
static bool can_drop(const surface *s, uint32_t x, uint32_t y, v3 normal)
{
	uint32_t a = s->halves[x].from, b = s->halves[y].from, c = head(s, y);
	uint32_t back = s->halves[x].twin, forth = s->halves[y].twin, third = s->halves[back].face;
	if (s->facets[third].size < 4 || !straight(s, a, b, c) || neighbours(s, a, c))
		return false;
	v3 other = v3_unit(area_of(s->facets[third].sum));
	uint32_t after_c = head(s, s->halves[y].next), before_a = s->halves[s->halves[x].before].from;
	uint32_t after_a = head(s, s->halves[back].next), before_c = s->halves[s->halves[forth].before].from;
	return turns(s, normal, a, c, after_c) && turns(s, normal, before_a, a, c) && turns(s, other, c, a, after_a) &&
	       turns(s, other, before_c, c, a);
}

/* The corner where x of one face and y of the other follow each other in the join: it stays, well turned, or goes. */
static bool fits(const surface *s, uint32_t x, uint32_t y, v3 normal, uint32_t *drops)
{
	uint32_t b = s->halves[y].from;
	if (s->corners[b].degree > 3)
		return turns(s, normal, s->halves[x].from, b, head(s, y));
	++*drops;
	return can_drop(s, x, y, normal);
}

static void touch(surface *s, uint32_t h)
{
	uint32_t at = h;
	s->corners[s->halves[h].from].on = s->growth;
	do {
		s->facets[s->halves[at].face].touched = s->growth;
		at = turn(s, at);
	} while (at != h);
}

/* Takes out the corner between x and y, which has only these two edges. */
static void drop(surface *s, uint32_t x, uint32_t y)
{
	half_edge *halves = s->halves;
	uint32_t back = halves[x].twin, forth = halves[y].twin;
	s->corners[halves[y].from].out = NONE;
	halves[x].next = halves[y].next;
	halves[halves[y].next].before = x;
	halves[forth].next = halves[back].next;
	halves[halves[back].next].before = forth;
	halves[x].twin = forth;
	halves[forth].twin = x;
	s->facets[halves[x].face].first = x;
	s->facets[halves[forth].face].first = forth;
	--s->facets[halves[x].face].size;
	--s->facets[halves[forth].face].size;
}

/* Joins the face across h to the one h is of, the edge between them going away. */
static void join(surface *s, uint32_t h)
{
	half_edge *halves = s->halves;
	uint32_t g = halves[h].twin, face = halves[h].face, other = halves[g].face;
	uint32_t into = halves[h].before, on = halves[g].next, last = halves[g].before, off = halves[h].next;
	for (uint32_t at = on; at != g; at = halves[at].next) {
		halves[at].face = face;
		touch(s, at);
	}
	halves[into].next = on, halves[on].before = into;
	halves[last].next = off, halves[off].before = last;
	s->corners[halves[on].from].out = on;
	s->corners[halves[off].from].out = off;
	facet *f = &s->facets[face], *gone = &s->facets[other];
	f->sum = combine(f->sum, gone->sum);
	f->size += gone->size - 2;
	f->first = into;
	gone->alive = false;
	if (--s->corners[halves[on].from].degree == 2)
		drop(s, into, on);
	if (--s->corners[halves[off].from].degree == 2)
		drop(s, last, off);
}

static bool try_join(surface *s, uint32_t h)
{
	uint32_t g = s->halves[h].twin, face = s->halves[h].face, other = s->halves[g].face, drops = 0;
	uint32_t into = s->halves[h].before, on = s->halves[g].next, last = s->halves[g].before, off = s->halves[h].next;
	view joins;
	if (!coplanar(s, face, other, &joins) || !meets_once(s, h) || !fits(s, into, on, joins.normal, &drops) ||
	    !fits(s, last, off, joins.normal, &drops))
		return false;
	if (drops == 2 && s->halves[s->halves[into].twin].face == s->halves[s->halves[last].twin].face)
		return false;
	if (s->facets[face].size + s->facets[other].size - 2 - drops < 3)
		return false;
	join(s, h);
	view *seen = &s->facets[face].seen;
	double shift = drift(s, seen->normal, joins.normal);
	seen->low = joins.low - shift < seen->low ? joins.low - shift : seen->low;
	seen->high = joins.high + shift > seen->high ? joins.high + shift : seen->high;
	return true;
}

/* Joins to a face all of its neighbours that fit. */
static bool grow(surface *s, uint32_t face)
{
	facet *f = &s->facets[face];
	bool joined = false;
	++s->growth;
	uint32_t h = f->first;
	for (uint32_t i = 0; i < f->size; ++i, h = s->halves[h].next)
		touch(s, h);
	for (uint32_t refused = 0; refused < f->size;) {
		if (try_join(s, h)) {
			h = f->first, refused = 0, joined = true;
		} else {
			h = s->halves[h].next, ++refused;
		}
	}
	return joined;
}

static void merge(surface *s)
{
	for (bool joined = true; joined;) {
		joined = false;
		for (uint32_t i = 0; i < s->facet_count; ++i)
			if (s->facets[s->order[i].value].alive)
				joined |= grow(s, s->order[i].value);
	}
}

/* Finds the half-edge that runs the other way. Of the two ends it looks around the one with fewer edges, which keeps
 * the sum over all edges of a planar graph small. */
static uint32_t find_twin(const surface *s, const uint32_t *after, uint32_t h)
{
	uint32_t from = s->halves[h].from, to = head(s, h);
	bool at_head = s->corners[to].degree <= s->corners[from].degree;
	for (uint32_t out = s->corners[at_head ? to : from].out;; out = after[out]) {
		assert(out != NONE); /* the surface is closed */
		uint32_t twin = at_head ? out : s->halves[out].before;
		if (s->halves[twin].from == to && head(s, twin) == from)
			return twin;
	}
}

/* after: scratch, one for each half-edge. numbers: by point, the corner it is. */
static void connect(surface *s, const uint32_t *triangles, const uint32_t *numbers, uint32_t *after)
{
	for (uint32_t i = 0; i < s->corner_count; ++i)
		s->corners[i].out = NONE;
	for (uint32_t i = 0; i < 3 * s->facet_count; ++i) {
		uint32_t start = i - i % 3, from = numbers[triangles[i]];
		s->halves[i] = (half_edge){.from = from, .face = i / 3};
		s->halves[i].next = start + (i + 1) % 3;
		s->halves[i].before = start + (i + 2) % 3;
		after[i] = s->corners[from].out;
		s->corners[from].out = i;
		++s->corners[from].degree;
	}
	for (uint32_t i = 0; i < 3 * s->facet_count; ++i)
		s->halves[i].twin = find_twin(s, after, i);
}

static void measure(surface *s)
{
	for (uint32_t i = 0; i < s->facet_count; ++i) {
		const half_edge *h = &s->halves[3 * i];
		v3 a = s->points[h[0].from], b = s->points[h[1].from], c = s->points[h[2].from];
		v3 area = cn_plane_through(a, b, c).normal;
		s->facets[i] = (facet){.first = 3 * i, .size = 3, .alive = true};
		s->facets[i].sum.area = area;
		s->facets[i].sum.moment = v3_dot(area, v3_sub(a, s->points[0]));
		s->order[i] = (cn_sort_item){~cn_sort_key(v3_length2(area)), i};
	}
	cn_sort(s->order, s->order + s->facet_count, s->facet_count);
}

/* Numbers the points that are corners, in their order. */
static bool take_corners(surface *s, const uint32_t *triangles, uint32_t *numbers, uint32_t point_count)
{
	for (uint32_t i = 0; i < 3 * s->facet_count; ++i)
		numbers[triangles[i]] = 1;
	for (uint32_t i = 0; i < point_count; ++i)
		s->corner_count += numbers[i];
	s->corners = cn_alloc(s->allocator, s->corner_count, sizeof *s->corners);
	s->points = cn_alloc(s->allocator, s->corner_count, sizeof *s->points);
	if (!s->corners || !s->points)
		return false;
	for (uint32_t i = 0, n = 0; i < point_count; ++i)
		if (numbers[i])
			s->corners[n].source = i, numbers[i] = n++;
	return true;
}

/* The largest coordinate becomes one between 1/2 and 1. */
static void take_points(surface *s, const v3 *points, uint32_t point_count)
{
	double largest = 0;
	int shift;
	for (uint32_t i = 0; i < point_count; ++i) {
		double most = v3_max(v3_abs(points[i]));
		largest = most > largest ? most : largest;
	}
	frexp(largest, &shift);
	v3 low = v3_make(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
	for (uint32_t i = 0; i < s->corner_count; ++i) {
		v3 p = points[s->corners[i].source];
		s->points[i] = v3_make(ldexp(p.x, -shift), ldexp(p.y, -shift), ldexp(p.z, -shift));
		low = v3_least(low, s->points[i]);
		high = v3_most(high, s->points[i]);
	}
	s->extent = v3_distance(low, high);
	s->tolerance = CN_HULL_ULPS * DBL_EPSILON * ldexp(largest, -shift);
}

static bool take(surface *s, const v3 *points, uint32_t point_count, const uint32_t *triangles)
{
	size_t half_count = (size_t)s->facet_count * 3;
	uint32_t *numbers = cn_alloc(s->allocator, point_count, sizeof *numbers);
	uint32_t *after = cn_alloc(s->allocator, half_count, sizeof *after);
	s->halves = cn_alloc(s->allocator, half_count, sizeof *s->halves);
	s->facets = cn_alloc(s->allocator, s->facet_count, sizeof *s->facets);
	s->order = cn_alloc(s->allocator, (size_t)s->facet_count * 2, sizeof *s->order);
	bool whole =
		numbers && after && s->halves && s->facets && s->order && take_corners(s, triangles, numbers, point_count);
	if (whole) {
		take_points(s, points, point_count);
		connect(s, triangles, numbers, after);
		measure(s);
	}
	cn_free(s->allocator, numbers, point_count, sizeof *numbers);
	cn_free(s->allocator, after, half_count, sizeof *after);
	return whole;
}

static void release(surface *s)
{
	cn_free(s->allocator, s->points, s->corner_count, sizeof *s->points);
	cn_free(s->allocator, s->corners, s->corner_count, sizeof *s->corners);
	cn_free(s->allocator, s->halves, (size_t)s->facet_count * 3, sizeof *s->halves);
	cn_free(s->allocator, s->facets, s->facet_count, sizeof *s->facets);
	cn_free(s->allocator, s->order, (size_t)s->facet_count * 2, sizeof *s->order);
}

/* Vertices in the order of their points, and room for rings and for the edges from each to later ones. */
static void write_vertices(surface *s, const v3 *points, v3 center, cn_polytope *out)
{
	uint32_t name = 0, ring = 0, edge = 0;
	for (uint32_t i = 0; i < s->corner_count; ++i)
		if (s->corners[i].out != NONE)
			s->corners[i].name = name++;
	for (uint32_t i = 0; i < s->corner_count; ++i) {
		corner *c = &s->corners[i];
		if (c->out == NONE)
			continue;
		out->vertices[c->name] = v3_sub(points[c->source], center);
		out->sources[c->name] = c->source;
		double length = v3_length(out->vertices[c->name]);
		out->radius = length > out->radius ? length : out->radius;
		c->edge = edge, c->ring = ring;
		uint32_t h = c->out;
		do {
			edge += s->corners[head(s, h)].name > c->name;
			++ring;
			h = turn(s, h);
		} while (h != c->out);
		out->ring_first[c->name + 1] = ring;
	}
}

/* Each vertex enters itself in the rings of its neighbours. They come in order, so rings ascend and so do the heads of
 * the edges from one tail. */
static void write_edges(surface *s, cn_polytope *out)
{
	for (uint32_t i = 0; i < s->corner_count; ++i) {
		const corner *c = &s->corners[i];
		if (c->out == NONE)
			continue;
		uint32_t h = c->out;
		do {
			uint32_t at = head(s, h), twin = s->halves[h].twin;
			corner *tail = &s->corners[at];
			out->ring[tail->ring++] = c->name;
			if (tail->name < c->name) {
				out->edges[tail->edge] = (cn_edge){.tail = tail->name, .head = c->name};
				out->directions[tail->edge] = v3_unit(v3_sub(s->points[i], s->points[at]));
				s->halves[h].edge = s->halves[twin].edge = tail->edge++;
			}
			h = turn(s, h);
		} while (h != c->out);
	}
}

static void write_face(const surface *s, uint32_t from, uint32_t to, cn_polytope *out)
{
	const facet *f = &s->facets[from];
	uint32_t least = f->first, place = out->face_first[to];
	for (uint32_t i = 0, h = f->first; i < f->size; ++i, h = s->halves[h].next)
		if (s->halves[h].from < s->halves[least].from)
			least = h;
	v3 normal = v3_unit(area_of(f->sum));
	double offset = -INFINITY;
	for (uint32_t i = 0, h = least; i < f->size; ++i, h = s->halves[h].next) {
		uint32_t vertex = s->corners[s->halves[h].from].name, edge = s->halves[h].edge;
		double height = v3_dot(normal, out->vertices[vertex]);
		offset = height > offset ? height : offset;
		*(out->edges[edge].tail == vertex ? &out->edges[edge].left : &out->edges[edge].right) = to;
		out->loop[place] = vertex;
		out->loop_edges[place++] = edge;
	}
	out->normals[to] = normal;
	out->offsets[to] = offset;
	out->face_first[to + 1] = place;
}

static bool write_polytope(surface *s, const v3 *points, v3 center, cn_polytope *out)
{
	uint32_t vertices = 0, halves = 0, faces = 0;
	for (uint32_t i = 0; i < s->corner_count; ++i)
		vertices += s->corners[i].out != NONE;
	for (uint32_t i = 0; i < s->facet_count; ++i)
		if (s->facets[i].alive)
			++faces, halves += s->facets[i].size;
	assert(vertices + faces == halves / 2 + 2);
	if (!cn_polytope_alloc(s->allocator, vertices, halves / 2, faces, out))
		return false;
	write_vertices(s, points, center, out);
	write_edges(s, out);
	for (uint32_t i = 0; i < out->edge_count; ++i) {
		double length = v3_distance(out->vertices[out->edges[i].tail], out->vertices[out->edges[i].head]);
		out->crowded = out->crowded || length < CN_CROWDED * out->radius;
	}
	for (uint32_t i = 0, face = 0; i < s->facet_count; ++i)
		if (s->facets[i].alive)
			write_face(s, i, face++, out);
	return true;
}

bool cn_polytope_hull(const cairn_allocator *allocator, const cn_triangles *hull, v3 center, cn_polytope *out)
{
	surface s = {.allocator = allocator, .facet_count = hull->triangle_count};
	bool done = take(&s, hull->points, hull->point_count, hull->triangles);
	if (done) {
		merge(&s);
		done = write_polytope(&s, hull->points, center, out);
	}
	release(&s);
	return done;
}
