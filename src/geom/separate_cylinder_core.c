/* A cylinder against a polytope (a point, a segment, a solid): see separate_cylinder_search.h.
 *
 * With P the polytope less the cylinder's axis segment, s(n) is min n.P less r |n across u|. On the unit sphere s is
 * smooth but for the normals across edges of P and +-u, and where it is smooth it has no maximum below 0: there one
 * vertex against one rim is in play, and the nearest place is a distance, which is positive. So the maximum is at
 *   a normal of P's faces: of the polytope's, or across an edge and the axis (side against edge);
 *   on the arc of an edge of P: rim against edge (an ellipse against a point), or side against vertex (a circle);
 *   +-u: an end against a vertex;
 *   inside a vertex' cone: rim against vertex, where they are apart.
 * All of them are tried. On the arc between two faces s, which is concave before it is scaled to the sphere, is below
 * its tangents at both ends: that rules out most edges at the cost of a few products. */
#include "geom/separate_cylinder_search.h"
#include "geom/tolerance.h"

#define CN_CYLINDER_COAXIAL                                                                                            \
	1e-9 /* of the radius: this near to the axis no direction across it is better than another */

enum { KEPT = 128 }; /* faces whose furthest points are kept; those of larger hulls are found again for each edge */

typedef struct search {
	const cn_cylinder *c;
	const cn_polytope *core;
	v3 at;
	cn_widest *best;
	double slack; /* m: rounding of the differences of heights that say whether n is in a cone */
	v3 furthest[KEPT];
} search;

cn_rim_view cn_rim_view_make(const cn_cylinder *c, v3 edge)
{
	cn_rim_view view = {.g = v3_cross(c->u, edge)};
	double sine = v3_length(view.g);
	view.parallel = sine < CN_CYLINDER_PARALLEL;
	/* Nearly parallel, the cross product keeps few digits; made across the edge it is across the axis too. */
	view.g = view.parallel ? cn_any_across(edge) : v3_unit(cn_across(v3_scale(view.g, 1 / sine), edge));
	view.f = v3_cross(edge, view.g);
	double share = v3_dot(c->u, view.f);
	view.ellipse.short_axis = c->radius * fabs(v3_dot(c->u, edge));
	view.ellipse.long_axis = c->radius;
	view.ellipse.focus2 = c->radius * share * (c->radius * share);
	return view;
}

/* The point of the cylinder furthest against a face. */
static v3 furthest(const cn_cylinder *c, v3 at, v3 normal)
{
	double sine, along = v3_dot(normal, c->u);
	v3 rim = cn_unit_across(normal, c->u, &sine);
	return v3_madd(v3_madd(at, c->u, along > 0 ? -c->half : c->half), rim, -c->radius);
}

static void try_faces(search *q)
{
	const cn_polytope *p = q->core;
	for (uint32_t i = 0; i < p->face_count; ++i) {
		v3 m = p->normals[i], x = furthest(q->c, q->at, m);
		cn_widest_try(q->best, v3_neg(m), v3_dot(m, x) - p->offsets[i]);
		if (i < KEPT)
			q->furthest[i] = x;
	}
}

static void try_ends(const search *q)
{
	const cn_polytope *p = q->core;
	v3 u = q->c->u;
	double low = v3_dot(p->vertices[0], u), high = low, middle = v3_dot(q->at, u);
	for (uint32_t i = 1; i < p->vertex_count; ++i) {
		double height = v3_dot(p->vertices[i], u);
		low = height < low ? height : low;
		high = height > high ? height : high;
	}
	cn_widest_try(q->best, u, low - middle - q->c->half);
	cn_widest_try(q->best, v3_neg(u), middle - high - q->c->half);
}

static bool in_vertex_cone(const search *q, uint32_t vertex, v3 n)
{
	const cn_polytope *p = q->core;
	double height = v3_dot(n, p->vertices[vertex]) - q->slack;
	for (uint32_t k = p->ring_first[vertex]; k < p->ring_first[vertex + 1]; ++k)
		if (v3_dot(n, p->vertices[p->ring[k]]) < height)
			return false;
	return true;
}

/* The side of the cylinder against a vertex beside it, or the rim where the vertex is above or below. */
static void try_vertex(const search *q, uint32_t vertex)
{
	const cn_cylinder *c = q->c;
	v3 x = v3_sub(q->core->vertices[vertex], q->at);
	double z = v3_dot(x, c->u);
	v3 across = v3_madd(x, c->u, -z);
	double far = v3_length(across), over = fabs(z) - c->half;
	if (over <= 0 && far <= CN_CYLINDER_COAXIAL * c->radius) { /* no direction is better than the last one */
		v3 out = v3_unit(cn_across(q->best->last, c->u));
		if (v3_length2(out) > 0 && in_vertex_cone(q, vertex, out))
			cn_widest_try(q->best, out, v3_dot(out, x) - c->radius);
	}
	double beside = far - c->radius, gap = over <= 0 ? beside : sqrt(beside * beside + over * over);
	if ((over > 0 && beside <= 0) || !cn_widest_hopes(q->best, gap))
		return;
	v3 n = far > 0 ? v3_unit(cn_across(v3_scale(across, 1 / far), c->u)) : cn_any_across(c->u);
	if (over > 0)
		n = v3_madd(v3_scale(n, beside / gap), c->u, (z < 0 ? -over : over) / gap);
	if (in_vertex_cone(q, vertex, n))
		cn_widest_try(q->best, n, gap);
}

static bool in_edge_cone(const search *q, const cn_edge *edge, v3 direction, v3 n)
{
	if (!q->core->face_count)
		return true;
	v3 left = v3_cross(q->core->normals[edge->left], direction);
	v3 right = v3_cross(direction, q->core->normals[edge->right]);
	return v3_dot(n, left) >= -CN_CYLINDER_CONE && v3_dot(n, right) >= -CN_CYLINDER_CONE;
}

/* A vertex less the cylinder's point furthest against a face: its product with any unit vector is at least s there. */
static v3 tangent(const search *q, v3 vertex, uint32_t face)
{
	return v3_sub(vertex, face < KEPT ? q->furthest[face] : furthest(q->c, q->at, q->core->normals[face]));
}

/* An upper bound of s over the arc of an edge. On the chord (1-w) n1 + w n2 both tangents are linear; the lower of
 * them is highest where they cross or at an end. Scaled to the sphere a negative bound only falls and a positive
 * one rises by at most the chord's depth. */
static double bound_arc(const search *q, const cn_edge *edge)
{
	v3 n1 = v3_neg(q->core->normals[edge->left]), n2 = v3_neg(q->core->normals[edge->right]);
	v3 x = q->core->vertices[edge->tail], t1 = tangent(q, x, edge->left), t2 = tangent(q, x, edge->right);
	double first0 = v3_dot(t1, n1), first1 = v3_dot(t1, n2), second0 = v3_dot(t2, n1), second1 = v3_dot(t2, n2);
	double low0 = first0 < second0 ? first0 : second0, low1 = first1 < second1 ? first1 : second1;
	double most = low0 > low1 ? low0 : low1, begin = first0 - second0, end = first1 - second1;
	if ((begin < 0) != (end < 0)) {
		double cross = first0 + (first1 - first0) * (begin / (begin - end));
		most = cross > most ? cross : most;
	}
	most += q->slack;
	if (most <= 0)
		return most;
	double depth = 0.5 * v3_length(v3_add(n1, n2));
	return depth > 0 ? most / depth : INFINITY;
}

static void try_edge(const search *q, uint32_t index)
{
	const cn_edge *edge = &q->core->edges[index];
	if (q->core->face_count && !cn_widest_hopes(q->best, bound_arc(q, edge)))
		return;
	const cn_cylinder *c = q->c;
	v3 direction = q->core->directions[index], x = v3_sub(q->core->vertices[edge->tail], q->at);
	cn_rim_view view = cn_rim_view_make(c, direction);
	for (int side = -1; side <= 1; side += 2) {
		v3 n = v3_scale(view.g, side);
		if (!view.parallel && in_edge_cone(q, edge, direction, n))
			cn_widest_try(q->best, n, v3_dot(n, x) - cn_cylinder_reach(c, n));
		v3 to = v3_madd(x, c->u, -side * c->half);
		for (int second = 0; second < 2; ++second) {
			double f, g;
			if (!cn_ellipse_widest(view.ellipse, v3_dot(to, view.f), v3_dot(to, view.g), second, &f, &g))
				break;
			n = v3_madd(v3_scale(view.f, f), view.g, g);
			if (side * v3_dot(n, c->u) < -CN_CYLINDER_CONE || !in_edge_cone(q, edge, direction, n))
				continue;
			cn_widest_try(q->best, n, v3_dot(n, x) - cn_cylinder_reach(c, n));
			break; /* the second is never the wider one */
		}
	}
}

void cn_cylinder_against_core(const cn_cylinder *c, v3 at, const cn_polytope *core, cn_widest *best)
{
	double coordinates = core->radius + v3_length(at) + c->half + c->radius;
	search q; /* filled by hand: the points kept are written before they are read */
	q.c = c, q.core = core, q.at = at, q.best = best;
	q.slack = 8 * DBL_EPSILON * coordinates;
	try_faces(&q);
	try_ends(&q);
	for (uint32_t i = 0; i < core->vertex_count; ++i)
		try_vertex(&q, i);
	for (uint32_t i = 0; i < core->edge_count; ++i)
		try_edge(&q, i);
	v3 n = v3_unit(best->n), away = v3_neg(n);
	best->n = n;
	best->s = v3_dot(n, core->vertices[cn_polytope_furthest(core, away)]) - v3_dot(n, at) - cn_cylinder_reach(c, n);
}
