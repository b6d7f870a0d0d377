/* Branch and bound over the trees of both: two boxes are at least as far apart as the balls about them, and the nearer of
 * two branches is looked at first. */
#include "geom/mesh_gap.h"

#include "geom/tree.h"
#include "geom/triangle_part.h"

typedef struct walker {
	const cn_shape *shape[2];
	pose frame[2];
	cn_mesh_gap *out;
} walker;

typedef struct node_pair {
	uint32_t node[2];
} node_pair;

static const cn_tree_node *node_of(const walker *w, node_pair p, int side)
{
	return &w->shape[side]->tree->nodes[p.node[side]];
}

static double reach_of(const cn_tree_node *n) { return 0.5 * v3_distance(n->low, n->high); }

/* No two triangles of the pair are nearer. */
static double bound(const walker *w, node_pair p)
{
	v3 x[2];
	double reach = 0;
	for (int i = 0; i < 2; ++i) {
		const cn_tree_node *n = node_of(w, p, i);
		x[i] = pose_apply(w->frame[i], v3_scale(v3_add(n->low, n->high), 0.5));
		reach += reach_of(n) + 0.5 * w->shape[i]->def.thickness;
	}
	return v3_distance(x[0], x[1]) - reach;
}

static void compare(walker *w, uint32_t a, uint32_t b)
{
	cn_triangle_part ta, tb;
	cn_separation at;
	cn_triangle_part_of(w->shape[0], a, &ta);
	cn_triangle_part_of(w->shape[1], b, &tb);
	cn_place pa = cn_convex_place(&ta.convex, w->frame[0]), pb = cn_convex_place(&tb.convex, w->frame[1]);
	cn_separate(&ta.convex, &pa, &tb.convex, &pb, NULL, &at);
	if (at.gap < w->out->at.gap)
		*w->out = (cn_mesh_gap){at, pa.x, pb.x, a, b};
}

static void compare_leaves(walker *w, node_pair p)
{
	const cn_tree_node *a = node_of(w, p, 0), *b = node_of(w, p, 1);
	for (uint32_t i = 0; i < a->count; ++i)
		for (uint32_t j = 0; j < b->count; ++j)
			compare(w, w->shape[0]->tree->order[a->first + i], w->shape[1]->tree->order[b->first + j]);
}

void cn_mesh_gap_find(const cn_shape *a, pose pa, const cn_shape *b, pose pb, cn_mesh_gap *out)
{
	walker w = {{a, b}, {pa, pb}, out};
	node_pair stack[2 * CN_TREE_DEPTH + 2] = {{{0, 0}}};
	uint32_t count = 1;
	*out = (cn_mesh_gap){.at = {.gap = INFINITY}};
	while (count) {
		node_pair p = stack[--count];
		if (bound(&w, p) >= out->at.gap)
			continue;
		const cn_tree_node *na = node_of(&w, p, 0), *nb = node_of(&w, p, 1);
		if (na->count && nb->count) {
			compare_leaves(&w, p);
			continue;
		}
		int side = nb->count || (!na->count && reach_of(na) >= reach_of(nb)) ? 0 : 1;
		node_pair children[2] = {p, p};
		for (uint32_t i = 0; i < 2; ++i)
			children[i].node[side] = node_of(&w, p, side)->first + i;
		bool swap = bound(&w, children[0]) < bound(&w, children[1]);
		stack[count++] = children[swap ? 1 : 0];
		stack[count++] = children[swap ? 0 : 1];
	}
}
