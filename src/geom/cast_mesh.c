/* Casts against meshes: a walk through the tree of triangles that leaves out what lies beyond the nearest one met. */
#include "geom/cast.h"

#include "geom/inside.h"
#include "geom/triangle_part.h"

#include <float.h>

#define CN_CAST_STILL 1e300       /* in place of 1 / 0 for a way that does not go along an axis: 0 x it is 0 */
#define CN_CAST_ROUNDING 1.78e-15 /* 8 x DBL_EPSILON: of a share at which a line meets a plane, rounded three times */

typedef struct walk {
	const cn_shape *mesh;
	v3 from, once;   /* in the mesh's frame: start, and 1 / way along each axis */
	v3 wide;         /* half extents of what moves */
	cn_meeting *met; /* its share is the limit */
	bool (*visit)(void *context, uint32_t triangle);
	void *context;
} walk;

static double inverse(double way) { return fabs(way) > 1 / CN_CAST_STILL ? 1 / way : CN_CAST_STILL; }

static v3 inverses(v3 way) { return v3_make(inverse(way.x), inverse(way.y), inverse(way.z)); }

/* The share at which a box is entered; infinite: not before the limit. */
static double entered(const walk *w, const cn_tree_node *node)
{
	double enter = 0, leave = w->met->share;
	for (int i = 0; i < 3; ++i) {
		double from = v3_at(w->from, i), once = v3_at(w->once, i), wide = v3_at(w->wide, i);
		double a = (v3_at(node->low, i) - wide - from) * once, b = (v3_at(node->high, i) + wide - from) * once;
		double first = a < b ? a : b, last = a < b ? b : a;
		first -= CN_CAST_ROUNDING * fabs(first), last += CN_CAST_ROUNDING * fabs(last);
		enter = first > enter ? first : enter;
		leave = last < leave ? last : leave;
	}
	return enter <= leave ? enter : INFINITY;
}

static bool walk_tree(const walk *w)
{
	const cn_tree *tree = w->mesh->tree;
	uint32_t stack[CN_TREE_DEPTH + 2], depth = 0;
	bool met = false;
	if (tree->node_count)
		stack[depth++] = 0;
	while (depth > 0) {
		const cn_tree_node *node = &tree->nodes[stack[--depth]];
		if (!(entered(w, node) < INFINITY))
			continue;
		for (uint32_t i = 0; i < node->count; ++i)
			met |= w->visit(w->context, tree->order[node->first + i]);
		if (node->count)
			continue;
		bool right = entered(w, &tree->nodes[node->first]) <= entered(w, &tree->nodes[node->first + 1]);
		stack[depth++] = node->first + right; /* the nearer one is on top */
		stack[depth++] = node->first + !right;
	}
	return met;
}

/* ---- rays */

/* Coordinates are sheared so that the way runs along the third: a triangle is met where its shadow holds the origin. An
 * edge is judged by the same products for both of its triangles, so nothing slips through between them. */
typedef struct ray_walk {
	walk walk;
	cn_meeting met; /* in the mesh's frame */
	v3 way;
	int axis[3]; /* the third is that of the largest component of the way */
	double shear[2];
} ray_walk;

static double doubled_area(double ax, double ay, double bx, double by) { return ax * by - ay * bx; }

static bool meet_triangle(void *context, uint32_t triangle)
{
	ray_walk *r = context;
	const uint32_t *t = &r->walk.mesh->triangles[(size_t)triangle * 3];
	const v3 *points = r->walk.mesh->def.points;
	double x[3], y[3], z[3];
	for (int i = 0; i < 3; ++i) {
		v3 p = v3_sub(points[t[i]], r->walk.from);
		z[i] = v3_at(p, r->axis[2]);
		x[i] = v3_at(p, r->axis[0]) - r->shear[0] * z[i];
		y[i] = v3_at(p, r->axis[1]) - r->shear[1] * z[i];
	}
	double u = doubled_area(x[2], y[2], x[1], y[1]), v = doubled_area(x[0], y[0], x[2], y[2]),
		   w = doubled_area(x[1], y[1], x[0], y[0]), all = u + v + w;
	if (((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) || all == 0)
		return false;
	double share = (u * z[0] + v * z[1] + w * z[2]) / (all * v3_at(r->way, r->axis[2]));
	if (!(share >= 0 && share <= r->met.share) || (share == r->met.share && triangle > r->met.triangle))
		return false;
	v3 normal = v3_unit(v3_cross(v3_sub(points[t[1]], points[t[0]]), v3_sub(points[t[2]], points[t[0]])));
	r->met = (cn_meeting){share, v3_madd(r->walk.from, r->way, share),
	                      v3_dot(normal, r->way) > 0 ? v3_neg(normal) : normal, triangle};
	return true;
}

static bool holds(const cairn_box *box, v3 p)
{
	return p.x >= box->min.x && p.y >= box->min.y && p.z >= box->min.z && p.x <= box->max.x && p.y <= box->max.y &&
	       p.z <= box->max.z;
}

static bool inside_mesh(const cn_shape *mesh, v3 point)
{
	return !mesh->def.shell && holds(&mesh->box, point) &&
	       cn_inside(mesh->tree, mesh->def.points, mesh->triangles, point, 0) == CN_INSIDE;
}

bool cn_cast_ray_mesh(const cn_shape *mesh, pose frame, const cn_ray *ray, cn_meeting *meeting)
{
	v3 from = q_unrotate(frame.orientation, v3_sub(ray->from, frame.position));
	v3 way = q_unrotate(frame.orientation, ray->way), size = v3_abs(way);
	if (inside_mesh(mesh, from)) {
		*meeting = (cn_meeting){0, ray->from, v3_neg(v3_unit(ray->way)), CN_NO_TRIANGLE};
		return true;
	}
	int along = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
	double most = v3_at(way, along);
	if (most == 0)
		return false;
	ray_walk r = {.walk = {mesh, from, inverses(way), v3_zero(), &r.met, meet_triangle, &r},
	              .met = {meeting->share, from, v3_zero(), CN_NO_TRIANGLE},
	              .way = way,
	              .axis = {(along + 1) % 3, (along + 2) % 3, along}};
	r.shear[0] = v3_at(way, r.axis[0]) / most, r.shear[1] = v3_at(way, r.axis[1]) / most;
	if (!walk_tree(&r.walk))
		return false;
	*meeting = (cn_meeting){r.met.share, v3_madd(ray->from, ray->way, r.met.share),
	                        q_rotate(frame.orientation, r.met.normal), r.met.triangle};
	return true;
}

/* ---- parts that move */

typedef struct part_walk {
	walk walk;
	const cn_cast *cast;
	pose frame;
	cn_meeting met;
} part_walk;

static bool meet_tile(void *context, uint32_t triangle)
{
	part_walk *p = context;
	cn_triangle_part flat;
	cn_triangle_part_of(p->walk.mesh, triangle, &flat);
	cn_place at = cn_convex_place(&flat.convex, p->frame);
	cn_meeting met = p->met;
	if (!cn_cast_part(p->cast, &flat.convex, &at, &met) || (met.share == p->met.share && triangle > p->met.triangle))
		return false;
	met.triangle = triangle;
	p->met = met;
	return true;
}

bool cn_cast_mesh(const cn_cast *cast, const cn_shape *mesh, pose frame, cn_meeting *meeting)
{
	quat to = q_conj(frame.orientation);
	v3 from = q_rotate(to, v3_sub(cast->at.x, frame.position)), way = q_rotate(to, cast->way);
	if (inside_mesh(mesh, from)) {
		*meeting = (cn_meeting){0, cast->at.x, v3_neg(v3_unit(cast->way)), CN_NO_TRIANGLE};
		return true;
	}
	double round = 0.5 * mesh->def.thickness;
	v3 wide = v3_add(cn_cast_extent(cast->part, &cast->at, to), v3_make(round, round, round));
	part_walk p = {.walk = {mesh, from, inverses(way), wide, &p.met, meet_tile, &p},
	               .cast = cast,
	               .frame = frame,
	               .met = {meeting->share, cast->at.x, v3_zero(), CN_NO_TRIANGLE}};
	if (!walk_tree(&p.walk))
		return false;
	*meeting = p.met;
	return true;
}
