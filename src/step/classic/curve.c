/* How the gap at a contact point accelerates by the motion that is under way, without any force (RBS eq. 18, OBA eq. 4.17, PBA eq. 7.78):
 * the terms of velocity. The texts have them for a vertex on a face and for two edges; round parts need those of their cores.
 *
 * A point is where two features are nearest: a vertex, a straight or round edge, or a face, each on its body. With n the normal,
 * from a to b, d the distance of the two (that of the cores, for round parts), T the directions in which the nearest point of
 * a feature can slide and k their curvature along n,
 *
 *   d'' = n.(a_b - a_a) + n'.u + n.(w_b x T_b s_b - w_a x T_a s_a)       u = velocity of b's point seen from a's
 *
 * where n' and the sliding speeds s follow from the nearest points' definition: d n = x_b - x_a across n, and n.T = 0:
 *
 *   d n' + T_a s_a - T_b s_b = u across n,    T.n' + k s = (w x n).T for each T
 *
 * A vertex on b's face: n' = w_b x n and 2 n'.u, the text's; two edges: n' as that of e_a x e_b. Where this has no
 * solution (two vertices that touch) nothing is known of n', and it counts as still. */
#include "geom/contact_side.h"
#include "step/classic/classic.h"

#include <math.h>

enum { UNKNOWNS = 6 };

#define CN_CURVE_SINGULAR 1e-9 /* of the unit normals: a smaller pivot is none */
#define CN_CURVE_FLAT 1e-6     /* cosine: a rim that lies this flat on a face is a row of vertices */

/* A body's side of a point. */
typedef struct side {
	cn_twist twist;
	v3 r; /* m: of the core's point, from the centre of mass */
	double radius;
	uint32_t count; /* of directions to slide in */
	v3 t[2];
	double curve[2]; /* 1/m, along n */
} side;

static v3 along_body(const cairn_world *w, const cn_part *part, v3 d)
{
	return q_rotate(w->motion[part->slot].q, q_rotate(part->in_body.orientation, d));
}

/* The circle about the axis through the middle. */
static void take_rim(side *s, const cn_part *part, v3 axis, v3 middle, v3 n)
{
	v3 out = v3_sub(s->r, middle);
	out = v3_madd(out, axis, -v3_dot(out, axis));
	double length = v3_length(out);
	if (!(length > 0))
		return;
	out = v3_scale(out, 1 / length);
	double slope = v3_dot(n, out);
	if (fabs(slope) < CN_CURVE_FLAT)
		return;
	s->t[0] = v3_cross(axis, out), s->curve[0] = -slope / part->convex->radius, s->count = 1;
}

/* The directions of one feature. */
static side side_of(const cairn_world *w, uint32_t number, uint32_t feature, v3 r, v3 n)
{
	const cn_part *part = &w->context->contacts.parts[number];
	const cn_convex *c = part->convex;
	uint32_t index = cn_feature_index(feature);
	side s = {.twist = cn_classic_twist(w, part->slot), .r = r};
	bool ball = c->kind == CAIRN_SPHERE || c->kind == CAIRN_CAPSULE;
	switch (cn_feature_kind_of(feature)) {
	case CN_VERTEX: s.radius = ball ? c->radius : 0; break;
	case CN_EDGE:
		s.radius = ball ? c->radius : 0;
		if (index < c->core.edge_count)
			s.t[0] = along_body(w, part, c->core.directions[index]), s.count = 1;
		break;
	case CN_FACE: cn_contact_basis(n, &s.t[0], &s.t[1]), s.count = 2; break;
	case CN_SIDE: s.radius = c->radius, s.t[0] = along_body(w, part, v3_make(0, 0, 1)), s.count = 1; break;
	case CN_RIM: {
		v3 middle = q_rotate(w->motion[part->slot].q,
		                     v3_add(part->in_body.position, q_rotate(part->in_body.orientation, c->center)));
		take_rim(&s, part, along_body(w, part, v3_make(0, 0, 1)), middle, n);
		break;
	}
	}
	return s;
}

/* A x = y by elimination with the largest pivot of each column. False: singular. */
static bool solve(uint32_t count, double a[UNKNOWNS][UNKNOWNS + 1])
{
	for (uint32_t c = 0; c < count; ++c) {
		uint32_t best = c;
		for (uint32_t r = c + 1; r < count; ++r)
			best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
		if (!(fabs(a[best][c]) > CN_CURVE_SINGULAR))
			return false;
		for (uint32_t k = c; k <= count; ++k) {
			double swap = a[c][k];
			a[c][k] = a[best][k], a[best][k] = swap;
		}
		for (uint32_t r = 0; r < count; ++r) {
			double f = r == c ? 0 : a[r][c] / a[c][c];
			for (uint32_t k = c; f != 0 && k <= count; ++k)
				a[r][k] -= f * a[c][k];
		}
	}
	for (uint32_t c = 0; c < count; ++c)
		a[c][count] /= a[c][c];
	return true;
}

/* n' and how the nearest points slide, as velocities; false: not known. */
static bool slide(const side *s[2], v3 n, double d, v3 u, v3 out[3])
{
	v3 e[2];
	double a[UNKNOWNS][UNKNOWNS + 1] = {{0}};
	uint32_t count = 2 + s[0]->count + s[1]->count, at = 2;
	cn_contact_basis(n, &e[0], &e[1]);
	for (int k = 0; k < 2; ++k)
		a[k][k] = d, a[k][count] = v3_dot(u, e[k]);
	for (int i = 0; i < 2; ++i)
		for (uint32_t j = 0; j < s[i]->count; ++j, ++at) {
			for (int k = 0; k < 2; ++k) {
				a[at][k] = v3_dot(s[i]->t[j], e[k]);
				a[k][at] = i ? -a[at][k] : a[at][k];
			}
			a[at][at] = s[i]->curve[j];
			a[at][count] = v3_dot(v3_cross(s[i]->twist.w, n), s[i]->t[j]);
		}
	if (!solve(count, a))
		return false;
	out[0] = v3_madd(v3_scale(e[0], a[0][count]), e[1], a[1][count]);
	out[1] = out[2] = v3_zero();
	at = 2;
	for (int i = 0; i < 2; ++i)
		for (uint32_t j = 0; j < s[i]->count; ++j, ++at)
			out[1 + i] = v3_madd(out[1 + i], s[i]->t[j], a[at][count]);
	return true;
}

static v3 velocity_of(const side *s) { return v3_add(s->twist.v, v3_cross(s->twist.w, s->r)); }
static v3 towards_axis(const side *s) { return v3_cross(s->twist.w, v3_cross(s->twist.w, s->r)); }

double cn_classic_curve(const cairn_world *w, const cn_classic_point *p)
{
	const cn_contacts *c = &w->context->contacts;
	const cn_pair *pair = &c->pairs[p->pair];
	uint64_t feature = c->points[p->point].feature;
	side a = side_of(w, pair->pa, (uint32_t)(feature >> 32), p->ra, p->n);
	side b = side_of(w, pair->pb, (uint32_t)feature, p->rb, p->n);
	const side *s[2] = {&a, &b};
	if (b.count == 2) /* an edge or a face on a face: its point is a corner of it */
		a.count = 0;
	else if (a.count == 2)
		b.count = 0;
	a.r = v3_madd(a.r, p->n, -a.radius), b.r = v3_madd(b.r, p->n, b.radius);
	double gap = p->gap > 0 ? p->gap : 0, d = a.radius + b.radius + (a.radius + b.radius > 0 ? gap : 0);
	v3 u = v3_sub(velocity_of(&b), velocity_of(&a)), found[3] = {{0}};
	double sum = v3_dot(p->n, v3_sub(towards_axis(&b), towards_axis(&a)));
	if (!slide(s, p->n, d, u, found)) {
		a.count = 0; /* parallel edges */
		if (!slide(s, p->n, d, u, found))
			return sum;
	}
	v3 turned = v3_sub(v3_cross(b.twist.w, found[2]), v3_cross(a.twist.w, found[1]));
	return sum + v3_dot(found[0], u) + v3_dot(p->n, turned);
}
