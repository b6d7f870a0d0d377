/* Contact polygons of faces, edges and boxes against an independent intersection: the half-planes of both features,
 * every two of their lines met in long double, and those meeting points that all half-planes hold. */
#include "contact_parts.h"

typedef long double real;

typedef struct half_plane {
	real x, y, c; /* x u + y v <= c, unit */
} half_plane;

typedef struct shadow {
	uint32_t count;
	real u[40], v[40];
} shadow;

static v3 u_axis, v_axis, normal;

static void choose_axes(v3 n)
{
	normal = n;
	u_axis = v3_unit(v3_cross(fabs(n.x) < 0.6 ? v3_make(1, 0, 0) : v3_make(0, 1, 0), n));
	v_axis = v3_cross(n, u_axis);
}

static void project(const part *p, uint32_t vertex, v3 origin, real *u, real *v)
{
	v3 x = p->c.core.vertices[vertex];
	real w[3];
	for (int i = 0; i < 3; ++i)
		w[i] = (real)p->at.r.m[i][0] * x.x + (real)p->at.r.m[i][1] * x.y + (real)p->at.r.m[i][2] * x.z;
	w[0] += (real)p->at.x.x - origin.x;
	w[1] += (real)p->at.x.y - origin.y;
	w[2] += (real)p->at.x.z - origin.z;
	*u = w[0] * u_axis.x + w[1] * u_axis.y + w[2] * u_axis.z;
	*v = w[0] * v_axis.x + w[1] * v_axis.y + w[2] * v_axis.z;
}

static shadow shadow_of(const part *p, const uint32_t *vertices, uint32_t count, v3 origin)
{
	shadow s = {.count = count};
	for (uint32_t i = 0; i < count; ++i)
		project(p, vertices[i], origin, &s.u[i], &s.v[i]);
	return s;
}

/* An edge is four half-planes: both sides of its line and its two ends. */
static uint32_t bound(const shadow *s, half_plane *out)
{
	uint32_t count = 0;
	real cu = 0, cv = 0;
	for (uint32_t i = 0; i < s->count; ++i)
		cu += s->u[i] / s->count, cv += s->v[i] / s->count;
	for (uint32_t i = 0; i < s->count; ++i) {
		uint32_t k = (i + 1) % s->count;
		real du = s->u[k] - s->u[i], dv = s->v[k] - s->v[i], l = sqrtl(du * du + dv * dv);
		half_plane h = {dv / l, -du / l, 0};
		h.c = h.x * s->u[i] + h.y * s->v[i];
		if (s->count > 2 && h.x * cu + h.y * cv > h.c)
			h = (half_plane){-h.x, -h.y, -h.c};
		out[count++] = h;
		if (s->count == 2) {
			h = (half_plane){du / l, dv / l, 0};
			h.c = h.x * s->u[k] + h.y * s->v[k];
			out[count++] = h;
		}
	}
	return count;
}

typedef struct judged {
	uint32_t corners;   /* of the intersection, distinct by 1e-9 */
	double missed;      /* largest distance of a corner that is well determined from the nearest point found */
	double outside;     /* how far a point found lies outside a half-plane */
	bool near_doubtful; /* some corner is within 1e-9 of another line: its count is a matter of rounding */
} judged;

static judged judge(const shadow *a, const shadow *b, const cn_contact_set *set)
{
	half_plane h[100];
	real cu[200], cv[200];
	uint32_t count = bound(a, h);
	judged j = {0};
	count += bound(b, h + count);
	for (uint32_t i = 0; i < count; ++i)
		for (uint32_t k = 0; k < i; ++k) {
			real det = h[i].x * h[k].y - h[i].y * h[k].x;
			if (fabsl(det) < 1e-14L)
				continue;
			real u = (h[i].c * h[k].y - h[i].y * h[k].c) / det, v = (h[i].x * h[k].c - h[i].c * h[k].x) / det;
			bool inside = true;
			for (uint32_t m = 0; m < count && inside; ++m) {
				real off = h[m].x * u + h[m].y * v - h[m].c;
				if (m != i && m != k && fabsl(off) < 1e-9L)
					j.near_doubtful = true;
				inside = off <= 1e-15L;
			}
			if (!inside)
				continue;
			real nearest = INFINITY;
			for (uint32_t m = 0; m < set->count; ++m) {
				v3 p = set->points[m].a;
				real du = (real)v3_dot(p, u_axis) - u, dv = (real)v3_dot(p, v_axis) - v;
				nearest = fminl(nearest, sqrtl(du * du + dv * dv));
			}
			if (fabsl(det) > 1e-4L && nearest > j.missed)
				j.missed = (double)nearest;
			bool again = false;
			for (uint32_t m = 0; m < j.corners; ++m)
				again = again || (fabsl(cu[m] - u) < 1e-9L && fabsl(cv[m] - v) < 1e-9L);
			if (!again && j.corners < 200)
				cu[j.corners] = u, cv[j.corners++] = v;
		}
	for (uint32_t m = 0; m < set->count; ++m)
		for (uint32_t i = 0; i < count; ++i) {
			real u = v3_dot(set->points[m].a, u_axis), v = v3_dot(set->points[m].a, v_axis);
			j.outside = fmax(j.outside, (double)(h[i].x * u + h[i].y * v - h[i].c));
		}
	return j;
}

/* A prism over a convex polygon of k corners on an ellipse. */
static part prism(uint32_t k)
{
	v3 points[64];
	double wide = draw_in(0.3, 1), deep = draw_in(0.3, 1), high = draw_in(0.2, 1), at = draw_in(0, 6);
	for (uint32_t i = 0; i < k; ++i) {
		double t = at + 6.283185307179586 * (i + draw_in(0, 0.7)) / k;
		points[2 * i] = v3_make(wide * cos(t), deep * sin(t), -high / 2);
		points[2 * i + 1] = v3_make(wide * cos(t), deep * sin(t), high / 2);
	}
	return hull_part(points, 2 * k);
}

/* Turns p so that the direction `local` looks along `world`, with a random twist about it. */
static quat facing(v3 local, v3 world, double tilt)
{
	quat twist = draw_turn();
	v3 m = q_rotate(twist, local), axis = v3_cross(m, world);
	quat q = q_mul(q_exp(v3_scale(v3_unit(axis), cn_atan2(v3_length(axis), v3_dot(m, world)))), twist);
	v3 lean = v3_scale(draw_direction(), tilt);
	return q_mul(q_exp(lean), q);
}

typedef struct tally {
	uint32_t counts[CN_CONTACT_MAX + 1], trials, empty, wrong_count;
	double missed, outside;
} tally;

static const double slab = 0.02;

static uint32_t within_slab(const part *p, v3 n)
{
	uint32_t count = 0;
	double top = cn_convex_support(&p->c, &p->at, n);
	for (uint32_t i = 0; i < p->c.core.vertex_count; ++i)
		count += v3_dot(cn_place_turn(&p->at, p->c.core.vertices[i]), n) >= top - slab;
	return count;
}

/* One random placing of the features of a and b against each other. */
static void meet(part *a, const uint32_t *va, uint32_t na, v3 out_a, part *b, const uint32_t *vb, uint32_t nb, v3 out_b,
                 tally *t)
{
	v3 n = draw_direction(), shift = draw_direction();
	double apart = draw_in(-0.2, 0.3), spread = draw_in(0, 0.6), scale = pow(10, draw_in(-3, 0));
	double tilt_a = draw_in(0, 1e-3) * scale, tilt_b = draw_in(0, 1e-3) * scale;
	choose_axes(n);
	quat qa = facing(out_a, n, tilt_a), qb = facing(out_b, v3_neg(n), tilt_b);
	put(a, v3_zero(), qa);
	put(b, v3_zero(), qb);
	double up = cn_convex_support(&a->c, &a->at, n) + cn_convex_support(&b->c, &b->at, v3_neg(n)) + apart;
	shift = v3_scale(v3_madd(shift, n, -v3_dot(shift, n)), spread);
	v3 origin = draw_direction();
	put(a, origin, qa);
	put(b, v3_add(origin, v3_madd(shift, n, up)), qb);
	if (within_slab(a, n) != na || within_slab(b, v3_neg(n)) != nb)
		return; /* a neighbour of the feature is so flat or small that it touches too */
	cn_separation s = along(a, b, n);
	cn_contact_set set;
	s.a = s.b = v3_make(1e6, 0, 0); /* never to be needed where the features meet */
	cn_contact_find(&(cn_convex_pair){&a->c, &a->at, &b->c, &b->at}, &s, slab, &set);
	shadow sa = shadow_of(a, va, na, a->at.x), sb = shadow_of(b, vb, nb, a->at.x);
	judged j = judge(&sa, &sb, &set);
	++t->trials;
	if (j.corners == 0) {
		++t->empty;
		return;
	}
	++t->counts[set.count];
	CHECK(j.missed <= 1e-10);
	CHECK(j.outside <= 1e-13);
	CHECK(sound(a, b, &s, &set, 1e-13));
	if (!j.near_doubtful && j.corners != set.count)
		++t->wrong_count;
	t->missed = fmax(t->missed, j.missed);
	t->outside = fmax(t->outside, j.outside);
}

static void report(const char *what, const tally *t)
{
	printf("%s: %u trials, %u do not meet, missed by at most %.1e, outside by at most %.1e; points:", what, t->trials,
	       t->empty, t->missed, t->outside);
	for (uint32_t i = 0; i <= CN_CONTACT_MAX; ++i)
		if (t->counts[i])
			printf(" %u:%u", i, t->counts[i]);
	printf("\n");
}

static void face_of(const part *p, uint32_t face, uint32_t *vertices, uint32_t *count, v3 *out)
{
	*count = p->c.core.face_first[face + 1] - p->c.core.face_first[face];
	for (uint32_t i = 0; i < *count; ++i)
		vertices[i] = p->c.core.loop[p->c.core.face_first[face] + i];
	*out = p->c.core.normals[face];
}

static void edge_of(const part *p, uint32_t edge, uint32_t *vertices, v3 *out)
{
	const cn_edge *e = &p->c.core.edges[edge];
	vertices[0] = e->tail;
	vertices[1] = e->head;
	*out = v3_unit(v3_add(p->c.core.normals[e->left], p->c.core.normals[e->right]));
}

TEST(boxes_face_to_face)
{
	tally t = {0};
	random_state = 1;
	for (int k = 0; k < CASES(2000); ++k) {
		double size[6];
		for (int i = 0; i < 6; ++i)
			size[i] = draw_in(0.3, 1.2);
		part a = box_part(size[0], size[1], size[2]), b = box_part(size[3], size[4], size[5]);
		for (int i = 0; i < 50; ++i) {
			uint32_t va[4], vb[4], na, nb, fa = (uint32_t)(draw() * 6), fb = (uint32_t)(draw() * 6);
			v3 oa, ob;
			face_of(&a, fa, va, &na, &oa);
			face_of(&b, fb, vb, &nb, &ob);
			meet(&a, va, na, oa, &b, vb, nb, ob, &t);
		}
		free_part(&a);
		free_part(&b);
	}
	report("boxes", &t);
	CHECK_INT(t.wrong_count, 0);
	for (int i = 3; i <= 8; ++i)
		CHECK(t.counts[i] > 0);
	CHECK_INT(t.counts[9], 0);
}

/* Turned by a multiple of a quarter turn and shifted by fractions of the edge, up to rounding and tiny offsets: sides
 * on sides and corners on sides everywhere. Nothing of the polygon is lost. */
TEST(boxes_nearly_aligned)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1), c = box_part(0.5, 0.5, 0.5);
	random_state = 21;
	double missed = 0;
	uint32_t most = 0;
	for (int k = 0; k < CASES(100000); ++k) {
		part *o = k % 3 ? &b : &c;
		double small = pow(10, draw_in(-17, -6)), twist = k % 2 ? 0 : pow(10, draw_in(-17, -6)) * draw_in(-1, 1);
		double x = (double)(int)draw_in(-4, 5) / 4 * 0.75 + small * draw_in(-1, 1);
		double y = (double)(int)draw_in(-4, 5) / 4 * 0.75 + small * draw_in(-1, 1);
		double quarter = (double)(int)draw_in(0, 4) * 1.5707963267948966;
		quat q = draw_turn();
		v3 n = q_rotate(q, v3_make(0, 0, 1));
		choose_axes(n);
		put(&a, v3_zero(), q);
		put(o, q_rotate(q, v3_make(x, y, 0.5 + o->c.half.z)), q_mul(q, q_exp(v3_make(0, 0, quarter + twist))));
		cn_separation s = along(&a, o, n);
		cn_contact_set set;
		s.a = s.b = v3_make(1e6, 0, 0);
		cn_contact_find(&(cn_convex_pair){&a.c, &a.at, &o->c, &o->at}, &s, 1e-3, &set);
		uint32_t top[4] = {4, 5, 7, 6}, bottom[4] = {0, 1, 3, 2};
		shadow sa = shadow_of(&a, top, 4, a.at.x), sb = shadow_of(o, bottom, 4, a.at.x);
		judged j = judge(&sa, &sb, &set);
		if (j.corners == 0)
			continue;
		CHECK(j.missed <= 1e-11);
		CHECK(j.outside <= 1e-13);
		missed = fmax(missed, j.missed);
		most = set.count > most ? set.count : most;
	}
	printf("nearly aligned: missed by at most %.1e, at most %u points\n", missed, most);
	CHECK(most <= 8);
	free_part(&a);
	free_part(&b);
	free_part(&c);
}

TEST(prisms)
{
	tally faces = {0}, edges = {0};
	random_state = 2;
	for (int k = 0; k < CASES(1000); ++k) {
		uint32_t corners_a = 3 + (uint32_t)(draw() * 10), corners_b = 3 + (uint32_t)(draw() * 10);
		part a = prism(corners_a), b = prism(corners_b);
		for (int i = 0; i < 60; ++i) {
			uint32_t va[40], vb[40], na, nb;
			v3 oa, ob;
			uint32_t fa = (uint32_t)(draw() * a.c.core.face_count), fb = (uint32_t)(draw() * b.c.core.face_count);
			uint32_t ea = (uint32_t)(draw() * a.c.core.edge_count);
			face_of(&a, fa, va, &na, &oa);
			face_of(&b, fb, vb, &nb, &ob);
			meet(&a, va, na, oa, &b, vb, nb, ob, &faces);
			edge_of(&a, ea, va, &oa);
			meet(&a, va, 2, oa, &b, vb, nb, ob, &edges);
			meet(&b, vb, nb, ob, &a, va, 2, oa, &edges);
		}
		free_part(&a);
		free_part(&b);
	}
	report("faces of prisms", &faces);
	report("edges on faces", &edges);
	CHECK_INT(faces.wrong_count, 0);
	CHECK_INT(edges.wrong_count, 0);
	CHECK(edges.counts[2] > 0);
}

TEST_MAIN(TEST_CASE(boxes_face_to_face), TEST_CASE(boxes_nearly_aligned), TEST_CASE(prisms))
