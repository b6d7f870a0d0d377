/* See inside.h. The ray is the segment from the point p to a point q beyond the box of everything, both as doubles, so
 * that every question is the sign of a determinant of given numbers, which orient.h answers exactly:
 *
 *   which sides of the plane a b c are p and q on, and which way round the line pq do ab, bc, ca run?
 *
 * Opposite sides and one way round: a crossing. Both ways round, or one side: none. A zero that matters: the ray
 * touches an edge or a corner, and the next direction is tried. A triangle without area lies on edges of others, and
 * its parts that are on no edge with area cover each other an even number of times: it can be left out. */
#include "geom/inside.h"

#include "geom/orient.h"

typedef struct ray {
	const v3 *points;
	const uint32_t *triangles, *groups;
	uint32_t group; /* left out, where there are groups */
	v3 p, q;
	uint32_t crossings;
	bool clear, on;
} ray;

static double keep(double x) { return fabs(x) < CN_ORIENT_MIN ? 0 : x; }

static v3 keep_point(v3 p) { return v3_make(keep(p.x), keep(p.y), keep(p.z)); }

static int side(v3 a, v3 b, v3 c, v3 p)
{
	cn_plane plane = cn_plane_through(a, b, c);
	return cn_plane_side(&plane, a, b, c, p);
}

/* No plane: every direction from a is in it. The steps are powers of two that a coordinate of a can take. */
static bool has_area(v3 a, v3 b, v3 c)
{
	cn_plane plane = cn_plane_through(a, b, c);
	double step = v3_max(v3_abs(a));
	int shift;
	frexp(step, &shift);
	step = step > 0 ? ldexp(1, shift) : 1;
	for (int axis = 0; axis < 3; ++axis) {
		v3 p = v3_make(a.x + (axis == 0 ? step : 0), a.y + (axis == 1 ? step : 0), a.z + (axis == 2 ? step : 0));
		if (cn_plane_side(&plane, a, b, c, p) != 0)
			return true;
	}
	return false;
}

static bool cross(void *context, uint32_t triangle)
{
	ray *r = context;
	if (r->groups && r->groups[triangle] == r->group)
		return true;
	const uint32_t *t = &r->triangles[(size_t)triangle * 3];
	v3 a = keep_point(r->points[t[0]]), b = keep_point(r->points[t[1]]), c = keep_point(r->points[t[2]]);
	cn_plane plane = cn_plane_through(a, b, c);
	int p = cn_plane_side(&plane, a, b, c, r->p), q = cn_plane_side(&plane, a, b, c, r->q);
	if (p * q > 0 || (q == 0 && p != 0)) /* q is outside of everything */
		return true;
	if (p == 0 && q == 0) {
		r->clear = r->clear && !has_area(a, b, c);
		return r->clear;
	}
	int ab = side(r->p, r->q, a, b), bc = side(r->p, r->q, b, c), ca = side(r->p, r->q, c, a);
	bool left = ab > 0 || bc > 0 || ca > 0, right = ab < 0 || bc < 0 || ca < 0;
	if (left && right)
		return true;
	r->on = p == 0; /* the line meets the triangle where it meets the plane: at p */
	r->clear = ab != 0 && bc != 0 && ca != 0;
	++r->crossings;
	return r->clear && !r->on;
}

/* Directions with nothing simple about them, so that rays seldom meet edges of what people draw. */
static const v3 directions[] = {
	{0.7310585786, 0.5174973391, 0.4447139563},    {-0.3819660113, 0.8414709848, 0.3826834324},
	{0.2711630723, -0.4338837391, 0.8591920367},   {-0.6180339887, -0.5403023059, 0.5711987643},
	{0.9129452507, -0.2079116908, 0.3511234416},   {0.1736481777, 0.9350162427, -0.3090169944},
	{-0.8660254038, 0.2588190451, -0.4281827182},  {0.4999125303, -0.7660444431, -0.4044891837},
	{-0.2225209340, -0.1411200081, -0.9646158931}, {0.5877852523, 0.1305261922, -0.7986355100},
	{-0.0697564737, -0.9876883406, 0.1398810321},  {-0.9510565163, -0.0523359562, 0.3044886110},
	{0.3090169944, 0.3535533906, 0.8828771013},    {-0.4539904997, 0.6691306064, -0.5883490115},
	{0.8386705679, -0.5446390350, 0.0031415927},   {0.0123456789, 0.0987654321, -0.9950341234}};

static cn_side cast(const cn_tree *tree, ray *r)
{
	v3 low = keep_point(tree->nodes[0].low), high = keep_point(tree->nodes[0].high), p = r->p;
	if (p.x < low.x || p.y < low.y || p.z < low.z || p.x > high.x || p.y > high.y || p.z > high.z)
		return CN_OUTSIDE;
	double reach = 4 * v3_distance(low, high); /* the largest component of each direction is above 1/2 */
	for (size_t i = 0; i < CN_COUNT(directions); ++i) {
		r->q = keep_point(v3_madd(p, directions[i], reach));
		r->crossings = 0, r->clear = true, r->on = false;
		cn_tree_ray(tree, p, v3_sub(r->q, p), cross, r);
		if (r->on)
			return CN_ON;
		if (r->clear)
			return r->crossings % 2 ? CN_INSIDE : CN_OUTSIDE;
	}
	return CN_UNDECIDED;
}

static double point_segment(v3 p, v3 a, v3 b)
{
	v3 along = v3_sub(b, a), to = v3_sub(p, a);
	double share = v3_dot(to, along), square = v3_length2(along);
	if (share <= 0)
		return v3_length(to);
	return share >= square ? v3_distance(p, b) : v3_length(v3_madd(to, along, -(share / square)));
}

double cn_point_triangle(v3 p, v3 a, v3 b, v3 c)
{
	v3 normal = cn_plane_through(a, b, c).normal;
	double length = v3_length(normal);
	if (length > 0) {
		bool ab = v3_dot(v3_cross(v3_sub(b, a), v3_sub(p, a)), normal) >= 0;
		bool bc = v3_dot(v3_cross(v3_sub(c, b), v3_sub(p, b)), normal) >= 0;
		bool ca = v3_dot(v3_cross(v3_sub(a, c), v3_sub(p, c)), normal) >= 0;
		if (ab && bc && ca)
			return fabs(v3_dot(normal, v3_sub(p, a))) / length;
	}
	double d = point_segment(p, a, b), e = point_segment(p, b, c), f = point_segment(p, c, a);
	d = e < d ? e : d;
	return f < d ? f : d;
}

typedef struct search {
	const v3 *points;
	const uint32_t *triangles;
	v3 point;
	double near;
} search;

static bool look(void *context, uint32_t triangle)
{
	const search *s = context;
	const uint32_t *t = &s->triangles[(size_t)triangle * 3];
	return cn_point_triangle(s->point, s->points[t[0]], s->points[t[1]], s->points[t[2]]) > s->near;
}

cn_side cn_inside(const cn_tree *tree, const v3 *points, const uint32_t *triangles, v3 point, double near)
{
	ray r = {.points = points, .triangles = triangles, .p = keep_point(point)};
	search s = {points, triangles, point, near};
	if (tree->node_count == 0)
		return CN_OUTSIDE;
	v3 around = v3_make(near, near, near);
	if (!cn_tree_box(tree, v3_sub(point, around), v3_add(point, around), look, &s))
		return CN_ON;
	return cast(tree, &r);
}

cn_side cn_inside_others(const cn_tree *tree, const v3 *points, const uint32_t *triangles, const uint32_t *groups,
                         uint32_t group, v3 point)
{
	ray r = {.points = points, .triangles = triangles, .groups = groups, .group = group, .p = keep_point(point)};
	return tree->node_count ? cast(tree, &r) : CN_OUTSIDE;
}
