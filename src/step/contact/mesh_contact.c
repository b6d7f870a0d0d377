/* Contacts with fixed meshes. Each triangle that a part comes near becomes a convex part of its own
 * (geom/triangle_part.h), found through the mesh's tree. Such parts live for one frame; the contact memory names them
 * by the triangle's number.
 *
 * Inner edges. A body that slides over a flat mesh comes near neighbouring triangles whose closest feature is an edge.
 * The plane between body and edge would stand across the body's path, although the surface goes on there. So a plane is
 * accepted only if no other triangle is nearer to a, the body's closest point. Otherwise let x be the point of all
 * triangles nearest to a. If the triangle lies below the plane through x across x-a (the surface is flat or convex
 * there), that direction becomes the axis. If not (the surface is concave, and beyond the edge the plane runs below
 * it), the axis is the triangle's own normal. */
#include "step/context.h"

#include "base/tolerance.h"
#include "geom/inside.h"
#include "geom/tree.h"
#include "step/tolerance.h"

#define CN_SUBSTEP_TURNED 1e-7 /* rad: a plane this near to a triangle's own lies on it */

enum { BLOCK = 64 };

typedef struct cn_triangle_part_block {
	cn_triangle_part triangles[BLOCK];
} cn_triangle_part_block;

/* ---- triangles near a part */

bool cn_mesh_contact_visits(cairn_world *w, const cn_broad_pair *pairs, uint32_t count)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < count; ++i) {
		bool a = c->contacts.parts[pairs[i].a].kind == CN_PART_FIXED_MESH,
			 b = c->contacts.parts[pairs[i].b].kind == CN_PART_FIXED_MESH;
		if (a == b)
			continue;
		uint32_t part = a ? pairs[i].b : pairs[i].a, fixed_mesh = a ? pairs[i].a : pairs[i].b;
		if (!CN_ROOM(c->mesh.visits, c->mesh.visit_count + 1))
			return false;
		c->mesh.visits[c->mesh.visit_count++] = (cn_sort_item){(uint64_t)part << 32 | fixed_mesh, 0};
	}
	if (!CN_ROOM(c->mesh.visit_sort, c->mesh.visit_count + 1))
		return false;
	if (c->mesh.visit_count)
		cn_sort(c->mesh.visits, c->mesh.visit_sort, c->mesh.visit_count);
	return true;
}

static pose frame_of(const cairn_world *w, const cn_part *part)
{
	return pose_mul((pose){w->motion[part->slot].x, w->motion[part->slot].q}, part->in_body);
}

/* A box in the mesh's frame whose triangles are sought. */
typedef struct search {
	cairn_world *w;
	const cn_shape *mesh;
	v3 low, high, center, half;
} search;

/* The triangle's box meets the search box, and its plane cuts it. */
static bool meets(const search *s, uint32_t triangle)
{
	const uint32_t *t = &s->mesh->triangles[(size_t)triangle * 3];
	v3 p = s->mesh->def.points[t[0]], q = s->mesh->def.points[t[1]], r = s->mesh->def.points[t[2]];
	v3 low = v3_least(v3_least(p, q), r), high = v3_most(v3_most(p, q), r);
	if (v3_max(v3_sub(low, s->high)) > 0 || v3_max(v3_sub(s->low, high)) > 0)
		return false;
	v3 n = v3_cross(v3_sub(q, p), v3_sub(r, p));
	return fabs(v3_dot(n, v3_sub(s->center, p))) <= v3_dot(v3_abs(n), s->half);
}

static bool add_triangle(void *context, uint32_t triangle)
{
	const search *s = context;
	cairn_world *w = s->w;
	cn_context *c = w->context;
	if (!meets(s, triangle))
		return true;
	if (!CN_ROOM(c->mesh.found, c->mesh.found_count + 1))
		return false;
	c->mesh.found[c->mesh.found_count++] = (cn_sort_item){triangle, 0};
	return true;
}

bool cn_mesh_contact_search(cairn_world *w, uint32_t visit)
{
	cn_context *c = w->context;
	const cn_part *fixed_mesh = &c->contacts.parts[(uint32_t)c->mesh.visits[visit].key];
	const cn_broad_item *item = &c->contacts.items[c->mesh.visits[visit].key >> 32];
	pose frame = frame_of(w, fixed_mesh);
	m3 r = m3_from_q(frame.orientation);
	v3 middle = v3_scale(v3_add(item->low, item->high), 0.5), half = v3_scale(v3_sub(item->high, item->low), 0.5), wide;
	double rounding =
		CN_SWEEP_ULPS * 4 * DBL_EPSILON * (v3_max(v3_abs(middle)) + v3_max(half) + v3_max(v3_abs(frame.position)));
	wide.x = fabs(r.m[0][0]) * half.x + fabs(r.m[1][0]) * half.y + fabs(r.m[2][0]) * half.z + rounding;
	wide.y = fabs(r.m[0][1]) * half.x + fabs(r.m[1][1]) * half.y + fabs(r.m[2][1]) * half.z + rounding;
	wide.z = fabs(r.m[0][2]) * half.x + fabs(r.m[1][2]) * half.y + fabs(r.m[2][2]) * half.z + rounding;
	v3 center = m3_unapply(r, v3_sub(middle, frame.position));
	search s = {w, fixed_mesh->fixed_mesh, v3_sub(center, wide), v3_add(center, wide), center, wide};
	c->mesh.found_count = 0;
	if (!cn_tree_box(fixed_mesh->fixed_mesh->tree, s.low, s.high, add_triangle, &s) ||
	    !CN_ROOM(c->mesh.found_sort, c->mesh.found_count + 1))
		return false;
	if (c->mesh.found_count)
		cn_sort(c->mesh.found, c->mesh.found_sort, c->mesh.found_count);
	return true;
}

uint32_t cn_mesh_contact_triangle(cairn_world *w, uint32_t fixed_mesh, uint32_t number)
{
	cn_context *c = w->context;
	uint32_t block = c->mesh.triangle_part_count / BLOCK, count = c->contacts.part_count + 1,
			 old = cn_array_room(c->mesh.triangles);
	if (!CN_ROOM(c->mesh.triangles, block + 1))
		return UINT32_MAX;
	for (; old < cn_array_room(c->mesh.triangles); ++old)
		c->mesh.triangles[old] = NULL;
	if (!c->mesh.triangles[block] && !CN_ROOM(c->mesh.triangles[block], 1))
		return UINT32_MAX;
	if (!CN_ROOM(c->contacts.parts, count) || !CN_ROOM(c->contacts.start, count) ||
	    !CN_ROOM(c->contacts.leg_start, count) || !CN_ROOM(c->contacts.now, count))
		return UINT32_MAX;
	cn_triangle_part *triangle = &c->mesh.triangles[block]->triangles[c->mesh.triangle_part_count++ % BLOCK];
	const cn_part *mesh = &c->contacts.parts[fixed_mesh];
	cn_triangle_part_of(mesh->fixed_mesh, number, triangle);
	uint32_t part = c->contacts.part_count++;
	c->contacts.parts[part] = (cn_part){.slot = mesh->slot,
	                                    .number = mesh->first_triangle + number,
	                                    .convex = &triangle->convex,
	                                    .in_body = mesh->in_body,
	                                    .kind = CN_PART_TRIANGLE,
	                                    .thickness = INFINITY,
	                                    .gap = mesh->gap};
	c->contacts.start[part] = c->contacts.leg_start[part] = c->contacts.now[part] =
		cn_convex_place(&triangle->convex, frame_of(w, mesh));
	return part;
}

/* ---- inner edges */

static const cn_triangle_part *triangle_of(const cn_part *part) { return (const cn_triangle_part *)part->convex; }

/* The point on nearby triangles that is nearest to a given point, if nearer than far. */
typedef struct nearest {
	v3 x;
	double far;
	bool found;
} nearest;

static void try_triangle(const cn_context *c, const cn_pair *q, v3 point, nearest *best)
{
	const cn_part *part = &c->contacts.parts[q->pb];
	const cn_place *at = &c->contacts.start[q->pb];
	v3 off = v3_sub(point, at->x);
	double reach = best->far + part->convex->reach;
	if (v3_length2(off) > reach * reach)
		return;
	v3 local = cn_place_unturn(at, off), x = cn_triangle_part_nearest(triangle_of(part), local);
	double far = v3_distance(local, x);
	if (far < best->far)
		*best = (nearest){v3_add(at->x, cn_place_turn(at, x)), far, true};
}

/* Searches the other triangles that the pair's part may touch. Their pairs are its neighbours in the list, or among those
 * that were added last: those of a node are added all at once, where its parent's are split. */
static nearest find_nearest(const cn_context *c, const cn_pair *p, v3 point, double far)
{
	nearest best = {.far = far};
	const cn_contacts *k = &c->contacts;
	const cn_pair *first = k->splits ? k->spare + k->new_first : k->pairs;
	const cn_pair *end = first + (k->splits ? k->new_count : k->pair_count);
	for (const cn_pair *q = p; q > first && q[-1].pa == p->pa && c->contacts.parts[q[-1].pb].kind == CN_PART_TRIANGLE;
	     --q)
		try_triangle(c, q - 1, point, &best);
	for (const cn_pair *q = p + 1; q < end && q->pa == p->pa && c->contacts.parts[q->pb].kind == CN_PART_TRIANGLE; ++q)
		try_triangle(c, q, point, &best);
	return best;
}

/* How far a triangle extends along d beyond a point. */
static double above(const cn_triangle_part *t, const cn_place *at, v3 d, v3 x)
{
	v3 local = cn_place_unturn(at, d);
	return v3_dot(t->vertices[cn_polytope_furthest(&t->convex.core, local)], local) + v3_dot(d, v3_sub(at->x, x));
}

/* Describes the separation along another axis with the same closest point of the part. */
static void turn_to(const cn_context *c, const cn_pair *p, const cn_place *at_a, v3 n, cn_separation *at)
{
	const cn_convex *a = c->contacts.parts[p->pa].convex, *b = c->contacts.parts[p->pb].convex;
	const cn_place *at_b = &c->contacts.start[p->pb];
	v3 d = v3_sub(at_b->x, at_a->x);
	if (a->radius > 0 && a->kind != CAIRN_CYLINDER)
		at->a = v3_madd(v3_madd(at->a, at->n, -a->radius), n, a->radius);
	double gap = v3_dot(n, d) - cn_convex_support(b, at_b, v3_neg(n)) - v3_dot(n, at->a);
	at->gap = cn_separate_along(a, at_a, b, at_b, n);
	at->n = n;
	at->b = v3_sub(v3_madd(at->a, n, gap), d);
}

/* A part that overlaps a triangle is pushed back to the side on which its leg began. */
static void keep_side(const cn_context *c, const cn_pair *p, const cn_place *at_a, cn_separation *at)
{
	const cn_convex *a = c->contacts.parts[p->pa].convex, *b = c->contacts.parts[p->pb].convex;
	const cn_place *at_b = &c->contacts.start[p->pb];
	v3 normal = cn_place_turn(at_b, triangle_of(&c->contacts.parts[p->pb])->normals[0]), n = p->leg_start.axis;
	normal = v3_dot(normal, n) < 0 ? v3_neg(normal) : normal;
	double kept = cn_separate_along(a, at_a, b, at_b, n);
	double own = cn_separate_along(a, at_a, b, at_b, normal);
	if (own > kept && v3_dot(normal, n) > 0)
		kept = own, n = normal;
	if (kept > -CN_PASS_DEEP * p->thin)
		turn_to(c, p, at_a, n, at);
}

bool cn_mesh_contact_axis(const cairn_world *w, const cn_pair *p, const cn_place *at_a, cn_separation *at)
{
	const cn_context *c = w->context;
	const cn_convex *a = c->contacts.parts[p->pa].convex, *b = c->contacts.parts[p->pb].convex;
	const cn_place *at_b = &c->contacts.start[p->pb];
	const cn_triangle_part *triangle = triangle_of(&c->contacts.parts[p->pb]);
	double slack = cn_pair_slack(c, p), true_gap = at->gap;
	if (at->gap < -slack) {
		if (!p->fresh && p->leg_start.gap > 0)
			keep_side(c, p, at_a, at);
		return false;
	}
	v3 own = cn_place_turn(at_b, triangle->normals[0]);
	own = v3_dot(own, at->n) < 0 ? v3_neg(own) : own;
	if (v3_length2(v3_sub(own, at->n)) < CN_SUBSTEP_TURNED * CN_SUBSTEP_TURNED)
		return false;
	bool round = a->radius > 0 && a->kind != CAIRN_CYLINDER;
	v3 point = v3_add(at_a->x, round ? v3_madd(at->a, at->n, -a->radius) : at->a);
	double far = at->gap + (round ? a->radius : 0);
	nearest x = find_nearest(c, p, point, far * (1 - CN_SAME) - slack);
	if (!x.found)
		return false;
	v3 n = v3_unit(v3_sub(x.x, point));
	bool beneath =
		v3_length2(n) > 0 && above(triangle, at_b, v3_neg(n), x.x) <= slack + CN_SAME * triangle->convex.size;
	if (!beneath || cn_separate_along(a, at_a, b, at_b, n) < -slack)
		n = own;
	if (cn_separate_along(a, at_a, b, at_b, n) < -slack)
		return false;
	turn_to(c, p, at_a, n, at);
	return true_gap > cn_pair_motion(c, p) + 2 * p->gap_target;
}

double cn_mesh_contact_gap(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	cn_witness witness = p->witness;
	cn_separation s;
	cn_separate(c->contacts.parts[p->pa].convex, &c->contacts.now[p->pa], c->contacts.parts[p->pb].convex,
	            &c->contacts.now[p->pb], &witness, &s);
	return s.gap;
}

/* ---- parts inside a solid mesh */

v3 cn_part_inner(const cn_context *c, uint32_t part)
{
	const cn_part *p = &c->contacts.parts[part];
	const cn_place *at = &c->contacts.now[part];
	return p->node ? v3_add(at->x, cn_place_turn(at, p->convex->core.vertices[0])) : at->x;
}

bool cn_mesh_contact_inside(cairn_world *w, uint32_t *a, uint32_t *b)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < c->mesh.visit_count; ++i) {
		const cn_part *part = &c->contacts.parts[c->mesh.visits[i].key >> 32],
					  *fixed_mesh = &c->contacts.parts[(uint32_t)c->mesh.visits[i].key];
		const cn_shape *mesh = fixed_mesh->fixed_mesh;
		if (mesh->def.shell || !cn_body_collide(&w->bodies[part->slot], &w->bodies[fixed_mesh->slot]))
			continue;
		pose frame = frame_of(w, fixed_mesh);
		v3 local = q_unrotate(frame.orientation,
		                      v3_sub(cn_part_inner(c, (uint32_t)(c->mesh.visits[i].key >> 32)), frame.position));
		if (cn_inside(mesh->tree, mesh->def.points, mesh->triangles, local, 0) != CN_INSIDE)
			continue;
		*a = part->slot, *b = fixed_mesh->slot;
		return true;
	}
	return false;
}
