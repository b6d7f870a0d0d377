/* See tree_pairs.h. */
#include "waiting/tree_pairs.h"

enum { PAIR_STACK = 2 * CN_TREE_DEPTH + 1 };

typedef struct pairing {
	m3 r, positive; /* b's axes in a's, and their absolute values */
	v3 x;
} pairing;

static bool beyond(v3 apart, v3 reach, double slack)
{
	return fabs(apart.x) > reach.x + slack || fabs(apart.y) > reach.y + slack || fabs(apart.z) > reach.z + slack;
}

/* Six of the axes that could part the boxes: those of both. */
static bool may_meet(const cn_tree_node *a, const cn_tree_node *b, const pairing *p)
{
	v3 ha = v3_scale(v3_sub(a->high, a->low), 0.5), hb = v3_scale(v3_sub(b->high, b->low), 0.5);
	v3 ca = v3_scale(v3_add(a->low, a->high), 0.5), cb = v3_scale(v3_add(b->low, b->high), 0.5);
	v3 moved = v3_add(m3_apply(p->r, cb), p->x), apart = v3_sub(moved, ca);
	double size = v3_max(v3_abs(ca)) + v3_max(ha) + v3_max(v3_abs(p->x)) + 3 * (v3_max(v3_abs(cb)) + v3_max(hb));
	double slack = 16 * DBL_EPSILON * size;
	if (beyond(apart, v3_add(ha, m3_apply(p->positive, hb)), slack))
		return false;
	v3 turned = m3_unapply(p->r, apart);
	return !beyond(turned, v3_add(hb, m3_unapply(p->positive, ha)), 2 * slack);
}

static double size_of(const cn_tree_node *n)
{
	v3 d = v3_sub(n->high, n->low);
	return d.x + d.y + d.z;
}

bool cn_tree_pairs(const cn_tree *a, const cn_tree *b, pose at,
                   bool (*visit)(void *context, uint32_t of_a, uint32_t of_b), void *context)
{
	uint32_t stack[PAIR_STACK][2], waiting = 0;
	pairing p = {.r = m3_from_q(at.orientation), .x = at.position};
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k < 3; ++k)
			p.positive.m[i][k] = fabs(p.r.m[i][k]);
	if (a->node_count && b->node_count)
		stack[0][0] = stack[0][1] = 0, waiting = 1;
	while (waiting) {
		uint32_t of_a = stack[--waiting][0], of_b = stack[waiting][1];
		const cn_tree_node *na = &a->nodes[of_a], *nb = &b->nodes[of_b];
		if (!may_meet(na, nb, &p))
			continue;
		if (na->count && nb->count) {
			for (uint32_t i = 0; i < na->count; ++i)
				for (uint32_t k = 0; k < nb->count; ++k)
					if (!visit(context, a->order[na->first + i], b->order[nb->first + k]))
						return false;
			continue;
		}
		bool down_a = nb->count || (!na->count && size_of(na) >= size_of(nb));
		for (uint32_t child = 2; child-- > 0; ++waiting) {
			stack[waiting][0] = down_a ? na->first + child : of_a;
			stack[waiting][1] = down_a ? of_b : nb->first + child;
		}
	}
	return true;
}
