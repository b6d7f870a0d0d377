/* Fronts: how two bodies meet of which at least one is a mesh that may move.
 *
 * Such a mesh is a tree of convex hulls (geom/hull_tree.h), and its nodes are parts of its body. The pairs of two bodies
 * begin with the two roots. A pair that comes near stands for its triangles only if its hulls are disjoint and all its
 * contact points lie on true faces, edges and vertices; otherwise its children take its place, until it stands or both
 * are leaves. So the pairs of the two bodies that were not split, their front, cover all pairs of triangles at any time,
 * and each of them is a pair like any other. What is beyond reach stays coarse.
 *
 * A sheet has no inside. Parts that overlap in a trial are pushed back to the side on which their leg began. */
#include "geom/hull_tree.h"
#include "geom/inside.h"
#include "step/context.h"

static bool parent(const cn_part *part) { return part->node && part->node->child; }

bool cn_front_can_split(const cn_context *c, const cn_pair *p)
{
	return c->contacts.parts[p->pb].kind != CN_PART_HALF_SPACE &&
	       (parent(&c->contacts.parts[p->pa]) || parent(&c->contacts.parts[p->pb]));
}

void cn_front_look(const cairn_world *w, cn_pair *p, const cn_contact_set *set)
{
	const cn_context *c = w->context;
	const cn_hull_node *a = c->contacts.parts[p->pa].node, *b = c->contacts.parts[p->pb].node;
	if (!cn_front_can_split(c, p))
		return;
	bool stands = p->at.gap > 0;
	for (uint32_t i = 0; stands && i < set->count; ++i)
		stands = (!a || cn_hull_node_true(a, (cn_feature)(set->points[i].feature >> 32))) &&
		         (!b || cn_hull_node_true(b, (cn_feature)set->points[i].feature));
	p->split = stands ? CN_SPLIT_NO : CN_SPLIT_DUE;
}

/* Of two nodes that have children the larger one is split. */
static bool splits_a(const cn_context *c, const cn_pair *p)
{
	const cn_part *a = &c->contacts.parts[p->pa], *b = &c->contacts.parts[p->pb];
	if (!parent(a) || !parent(b))
		return parent(a);
	return a->convex->reach >= b->convex->reach;
}

bool cn_fronts_split(cairn_world *w, cn_pair *pairs, uint32_t pair_count, bool *any)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t count = 0;
	cn_part_pair *children;
	*any = false;
	for (uint32_t i = 0; i < pair_count; ++i)
		count += pairs[i].split == CN_SPLIT_DUE;
	if (!count)
		return true;
	if (!CN_LOCAL(children, 2 * count))
		return false;
	count = 0;
	for (uint32_t i = 0; i < pair_count; ++i) {
		cn_pair *p = &pairs[i];
		if (p->split != CN_SPLIT_DUE)
			continue;
		bool of_a = splits_a(c, p);
		const cn_part *part = &c->contacts.parts[of_a ? p->pa : p->pb];
		for (uint32_t k = 0; k < 2; ++k) {
			uint32_t child = part->nodes + part->node->child + k;
			children[count++] = of_a ? (cn_part_pair){child, p->pb} : (cn_part_pair){p->pa, child};
		}
		p->split = CN_SPLIT_DONE, p->near = p->measured = false, p->count = 0;
		cn_pair_proved(p, true);
	}
	*any = true;
	bool ok = cn_pairs_add(w, children, count);
	cn_arena_return(&c->temporary, mark);
	return ok;
}

/* ---- parts inside a solid mesh */

static bool holds(const cairn_world *w, uint32_t part, uint32_t other)
{
	const cn_part *p = &w->context->contacts.parts[part];
	const cn_body *b = &w->bodies[p->slot];
	const cn_shape *shapes = w->scene->shapes;
	if (p->kind != CN_PART_MESH || !p->node)
		return false;
	const cn_shape *mesh = &shapes[cn_shape_part(shapes, b->shape, p->number).shape.index];
	pose frame = pose_mul((pose){w->motion[p->slot].x, w->motion[p->slot].q}, p->in_body);
	v3 local = q_unrotate(frame.orientation, v3_sub(cn_part_inner(w->context, other), frame.position));
	return !mesh->def.shell && cn_inside(mesh->tree, mesh->def.points, mesh->triangles, local, 0) == CN_INSIDE;
}

bool cn_front_inside(const cairn_world *w, uint32_t *a, uint32_t *b)
{
	const cn_contacts *c = &w->context->contacts;
	for (uint32_t i = 0; i < c->pair_count && c->has_front; ++i) {
		const cn_pair *p = &c->pairs[i];
		cn_part_kind kind = c->parts[p->pb].kind;
		if (kind == CN_PART_HALF_SPACE || kind == CN_PART_TRIANGLE ||
		    (!holds(w, p->pa, p->pb) && !holds(w, p->pb, p->pa)))
			continue;
		*a = p->a, *b = p->b;
		return true;
	}
	return false;
}

/* ---- sides of sheets */

typedef struct side {
	v3 n;
	double gap;
} side;

static void try_side(const cn_convex_pair *pair, v3 n, v3 toward, side *best)
{
	n = v3_dot(n, toward) < 0 ? v3_neg(n) : n;
	double gap = v3_dot(n, toward) > 0 ? cn_separate_along(pair->a, pair->pa, pair->b, pair->pb, n) : -INFINITY;
	if (gap > best->gap)
		*best = (side){n, gap};
}

void cn_front_keep_side(const cairn_world *w, const cn_pair *p, cn_part_places places, cn_separation *at)
{
	const cn_context *c = w->context;
	const cn_part *a = &c->contacts.parts[p->pa], *b = &c->contacts.parts[p->pb];
	bool flat_a = a->node && a->node->flat, flat_b = b->node && b->node->flat;
	double slack = cn_pair_slack(c, p);
	if ((!flat_a && !flat_b) || at->gap >= -slack || p->fresh || !(p->leg_start.gap >= -slack) ||
	    v3_length2(p->leg_start.axis) == 0)
		return;
	cn_convex_pair pair = {a->convex, places.a, b->convex, places.b};
	v3 from = p->leg_start.axis;
	side best = {from, cn_separate_along(pair.a, pair.pa, pair.b, pair.pb, from)};
	if (flat_a)
		try_side(&pair, cn_place_turn(places.a, a->convex->core.normals[0]), from, &best);
	if (flat_b)
		try_side(&pair, cn_place_turn(places.b, b->convex->core.normals[0]), from, &best);
	if (best.gap <= -CN_PASS_DEEP * p->thin)
		return;
	v3 d = v3_sub(places.b->x, places.a->x);
	at->n = best.n, at->gap = best.gap, at->again = false;
	at->a = v3_sub(cn_support_point(a->convex, places.a, best.n), places.a->x);
	at->b = v3_sub(v3_madd(at->a, best.n, best.gap), d);
}
