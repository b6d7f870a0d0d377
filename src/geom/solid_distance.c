/* See solid_distance.h. */
#include "geom/solid_distance.h"

#include "geom/inside.h"

static double box_distance(const cn_tree_node *node, v3 p)
{
	v3 below = v3_sub(node->low, p), above = v3_sub(p, node->high);
	return v3_length(v3_most(v3_most(below, above), v3_zero()));
}

double cn_skin_distance(const cn_tree *tree, const cn_triangles *mesh, v3 point, double most)
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
			const uint32_t *t = &mesh->triangles[(size_t)tree->order[node->first + i] * 3];
			double d = cn_point_triangle(point, mesh->points[t[0]], mesh->points[t[1]], mesh->points[t[2]]);
			best = d < best ? d : best;
		}
	}
	return best;
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
