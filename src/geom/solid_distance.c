/* See solid_distance.h. */
#include "geom/solid_distance.h"

#include "geom/inside.h"

static double box_distance(const cn_tree_node *node, v3 p)
{
	v3 below = v3_sub(node->low, p), above = v3_sub(p, node->high);
	return v3_length(v3_most(v3_most(below, above), v3_zero()));
}

static double triangle_distance(const cn_triangles *mesh, uint32_t triangle, v3 point)
{
	const uint32_t *t = &mesh->triangles[(size_t)triangle * 3];
	return cn_point_triangle(point, mesh->points[t[0]], mesh->points[t[1]], mesh->points[t[2]]);
}

/* Also which triangle is the nearest; *nearest stays where none is nearer than most. */
static double find_nearest(const cn_tree *tree, const cn_triangles *mesh, v3 point, double most, uint32_t *nearest)
{
	uint32_t stack[CN_TREE_DEPTH + 2], count = 0;
	double best = most;
	if (tree->node_count)
		stack[count++] = 0;
	while (count) {
		const cn_tree_node *node = &tree->nodes[stack[--count]];
		if (box_distance(node, point) >= best)
			continue;
		if (!node->count) {
			const cn_tree_node *left = &tree->nodes[node->first];
			bool swap = box_distance(left, point) < box_distance(left + 1, point);
			stack[count++] = node->first + (swap ? 1 : 0); /* the nearer one comes off first */
			stack[count++] = node->first + (swap ? 0 : 1);
		}
		for (uint32_t i = 0; i < node->count; ++i) {
			double d = triangle_distance(mesh, tree->order[node->first + i], point);
			if (d < best)
				best = d, *nearest = tree->order[node->first + i];
		}
	}
	return best;
}

double cn_skin_distance(const cn_tree *tree, const cn_triangles *mesh, v3 point, double most)
{
	uint32_t nearest;
	return find_nearest(tree, mesh, point, most, &nearest);
}

double cn_solid_distance(const cn_tree *tree, const cn_triangles *mesh, v3 point, double most)
{
	cn_side side = cn_inside(tree, mesh->points, mesh->triangles, point, 0);
	return side == CN_INSIDE || side == CN_ON ? 0 : cn_skin_distance(tree, mesh, point, most);
}

bool cn_surface_samples(const cn_triangles *mesh, double step, bool (*visit)(void *context, v3 point), void *context)
{
	enum { MOST = 64 }; /* pieces of an edge */
	for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
		const uint32_t *t = &mesh->triangles[(size_t)i * 3];
		v3 a = mesh->points[t[0]], u = v3_sub(mesh->points[t[1]], a), v = v3_sub(mesh->points[t[2]], a);
		double longest = fmax(fmax(v3_length(u), v3_length(v)), v3_distance(u, v));
		int n = step > 0 && longest / step < MOST ? 1 + (int)(longest / step) : MOST;
		for (int j = 0; j <= n; ++j)
			for (int k = 0; k <= n - j; ++k)
				if (!visit(context, v3_madd(v3_madd(a, u, (double)j / n), v, (double)k / n)))
					return false;
	}
	return true;
}

typedef struct facet {
	v3 corners[3];
} facet;

/* The two halves of a facet across its longest edge. */
static void halve(facet f, facet out[2])
{
	int longest = 0;
	double most = -1;
	for (int i = 0; i < 3; ++i) {
		double length = v3_distance(f.corners[i], f.corners[(i + 1) % 3]);
		if (length > most)
			most = length, longest = i;
	}
	v3 a = f.corners[longest], b = f.corners[(longest + 1) % 3], c = f.corners[(longest + 2) % 3];
	v3 middle = v3_scale(v3_add(a, b), 0.5);
	out[0] = (facet){{a, middle, c}};
	out[1] = (facet){{middle, b, c}};
}

/* Looks at the middle of a facet. Whether its halves need to be looked at. Distance to a convex thing, as a triangle is, is
 * greatest in a corner; and no two points differ in distance by more than they are apart. */
static bool look_at_facet(const cn_tree *tree, const cn_triangles *mesh, const facet *f, double tolerance, double *most)
{
	v3 middle = v3_scale(v3_add(v3_add(f->corners[0], f->corners[1]), f->corners[2]), 1.0 / 3);
	double radius = 0, corner = 0;
	uint32_t nearest = 0;
	for (int i = 0; i < 3; ++i)
		radius = fmax(radius, v3_distance(middle, f->corners[i]));
	double away = find_nearest(tree, mesh, middle, INFINITY, &nearest);
	if (away + radius <= *most)
		return false;
	for (int i = 0; i < 3; ++i)
		corner = fmax(corner, triangle_distance(mesh, nearest, f->corners[i]));
	if (corner <= *most)
		return false;
	if (away > *most || away >= radius) {
		if (cn_inside(tree, mesh->points, mesh->triangles, middle, 0) == CN_OUTSIDE)
			*most = fmax(*most, away);
		else if (away >= radius)
			return false; /* all of it is inside */
	}
	return radius > tolerance;
}

double cn_solid_reach(const cn_tree *tree, const cn_triangles *mesh, const cn_triangles *faces, cn_reach_bounds bounds)
{
	enum { DEEP = 64 };
	facet stack[DEEP];
	double most = bounds.least;
	for (uint32_t i = 0; i < faces->triangle_count && most <= bounds.enough; ++i) {
		const uint32_t *t = &faces->triangles[(size_t)i * 3];
		uint32_t count = 1;
		stack[0] = (facet){{faces->points[t[0]], faces->points[t[1]], faces->points[t[2]]}};
		while (count && most <= bounds.enough) {
			facet f = stack[--count];
			if (look_at_facet(tree, mesh, &f, bounds.tolerance, &most) && count + 2 <= DEEP) {
				halve(f, &stack[count]);
				count += 2;
			}
		}
	}
	return most;
}
