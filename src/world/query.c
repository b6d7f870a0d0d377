/* Questions about where bodies are: see query.h and the public header. */
#include "world/query.h"

#include "base/tolerance.h"
#include "geom/hull_tree.h"
#include "geom/inside.h"
#include "geom/mesh_gap.h"
#include "geom/separate.h"
#include "geom/triangle_part.h"
#include "world/world.h"

/* A convex part and the triangles of a mesh near it. */
typedef struct approach {
	const cn_convex *part;
	cn_place at, nearest; /* of the part; of the nearest triangle's centre */
	const cn_shape *mesh;
	pose frame; /* of the mesh */
	cn_separation best;
	uint32_t triangle; /* the nearest */
	bool found;
} approach;

static bool measure(void *context, uint32_t triangle)
{
	approach *s = context;
	cn_triangle_part flat;
	cn_separation found;
	cn_triangle_part_of(s->mesh, triangle, &flat);
	cn_place at = cn_convex_place(&flat.convex, s->frame);
	cn_separate(s->part, &s->at, &flat.convex, &at, NULL, &found);
	if (!s->found || found.gap < s->best.gap)
		s->best = found, s->nearest = at, s->triangle = triangle;
	s->found = true;
	return true;
}

/* Searches boxes that grow until they hold every triangle that can be nearest. A part inside a solid is as deep as the
 * surface is far. */
static void approach_mesh(approach *s)
{
	pose to = {q_unrotate(s->frame.orientation, v3_neg(s->frame.position)), q_conj(s->frame.orientation)};
	v3 center = pose_apply(to, s->at.x), size = v3_sub(s->mesh->box.max, s->mesh->box.min);
	double all = v3_length(size) + v3_distance(center, s->mesh->box.min) + s->part->reach, wide = s->part->reach;
	bool last = false;
	while (!last) {
		last = wide > all;
		v3 half = {wide, wide, wide};
		s->found = false;
		cn_tree_box(s->mesh->tree, v3_sub(center, half), v3_add(center, half), measure, s);
		if (s->found && s->best.gap + s->part->reach < wide)
			last = true;
		wide *= 2;
	}
	if (s->mesh->def.shell || !(s->best.gap > 0) ||
	    cn_inside(s->mesh->tree, s->mesh->def.points, s->mesh->triangles, center, 0) != CN_INSIDE)
		return;
	s->best.gap = -s->best.gap, s->best.n = v3_neg(s->best.n);
}

/* The gap of two parts, one of them a mesh and one not. */
static cairn_gap gap_of_mesh(const cn_shape *convex, pose a, const cn_shape *mesh, pose b, bool swapped)
{
	approach s = {.part = convex->convex, .at = cn_convex_place(convex->convex, a), .mesh = mesh, .frame = b};
	approach_mesh(&s);
	v3 on_part = v3_add(s.at.x, s.best.a), on_mesh = v3_add(s.nearest.x, s.best.b);
	return swapped ? (cairn_gap){s.best.gap, v3_neg(s.best.n), on_mesh, on_part, true, s.triangle, CAIRN_NO_TRIANGLE}
	               : (cairn_gap){s.best.gap, s.best.n, on_part, on_mesh, true, CAIRN_NO_TRIANGLE, s.triangle};
}

/* The first point of a mesh is inside a solid one. */
static bool holds(const cn_shape *solid, pose frame, const cn_shape *mesh, pose other)
{
	v3 x = pose_apply(other, mesh->def.points[mesh->triangles[0]]);
	v3 local = q_unrotate(frame.orientation, v3_sub(x, frame.position));
	return !solid->def.shell && cn_inside(solid->tree, solid->def.points, solid->triangles, local, 0) == CN_INSIDE;
}

/* Of two meshes. One inside the other is as deep as their surfaces are apart. */
static cairn_gap gap_of_meshes(const cn_shape *a, pose pa, const cn_shape *b, pose pb)
{
	cn_mesh_gap m;
	cn_mesh_gap_find(a, pa, b, pb, &m);
	if (m.at.gap > 0 && (holds(a, pa, b, pb) || holds(b, pb, a, pa)))
		m.at.gap = -m.at.gap, m.at.n = v3_neg(m.at.n);
	return (cairn_gap){m.at.gap,     m.at.n,      v3_add(m.middle_a, m.at.a), v3_add(m.middle_b, m.at.b), true,
	                   m.triangle_a, m.triangle_b};
}

/* Of a mesh and a half-space: its lowest corner. */
static cairn_gap gap_of_plane(const cn_shape *mesh, pose frame, const cn_shape *plane, pose other, bool swapped)
{
	v3 up = q_rotate(other.orientation, plane->def.normal), low = v3_zero(), n = swapped ? up : v3_neg(up);
	double base = v3_dot(up, other.position) + plane->def.offset, least = INFINITY;
	uint32_t triangle = 0;
	for (uint32_t i = 0; i < 3 * mesh->triangle_count; ++i) {
		v3 x = pose_apply(frame, mesh->def.points[mesh->triangles[i]]);
		double height = v3_dot(up, x) - base - 0.5 * mesh->def.thickness;
		if (height < least)
			least = height, low = v3_madd(x, up, -0.5 * mesh->def.thickness), triangle = i / 3;
	}
	v3 foot = v3_madd(low, up, -least);
	return swapped ? (cairn_gap){least, n, foot, low, true, CAIRN_NO_TRIANGLE, triangle}
	               : (cairn_gap){least, n, low, foot, true, triangle, CAIRN_NO_TRIANGLE};
}

/* Two parts of which at least one is a mesh. */
static cairn_gap gap_with_mesh(const cn_shape *a, pose pa, const cn_shape *b, pose pb)
{
	bool mesh_a = a->def.kind == CAIRN_MESH, mesh_b = b->def.kind == CAIRN_MESH;
	if (a->def.kind == CAIRN_HALFSPACE)
		return gap_of_plane(b, pb, a, pa, true);
	if (b->def.kind == CAIRN_HALFSPACE)
		return gap_of_plane(a, pa, b, pb, false);
	if (mesh_a && mesh_b)
		return gap_of_meshes(a, pa, b, pb);
	return mesh_b ? gap_of_mesh(a, pa, b, pb, false) : gap_of_mesh(b, pb, a, pa, true);
}

bool cn_shapes_gap(const cairn_scene *scene, uint32_t shape_a, pose a, uint32_t shape_b, pose b, cairn_gap *gap)
{
	const cn_shape *shapes = scene->shapes;
	bool found = false;
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape_a); ++i) {
		cairn_part pa = cn_shape_part(shapes, shape_a, i);
		const cn_shape *sa = &shapes[pa.shape.index];
		cn_place at_a = cn_convex_place(sa->convex, pose_mul(a, pa.pose));
		for (uint32_t j = 0; j < cn_shape_part_count(shapes, shape_b); ++j) {
			cairn_part pb = cn_shape_part(shapes, shape_b, j);
			const cn_shape *sb = &shapes[pb.shape.index];
			if (sa->def.kind == CAIRN_HALFSPACE && sb->def.kind == CAIRN_HALFSPACE)
				continue;
			cn_place at_b = cn_convex_place(sb->convex, pose_mul(b, pb.pose));
			bool mesh_a = sa->def.kind == CAIRN_MESH, mesh_b = sb->def.kind == CAIRN_MESH;
			cairn_gap next;
			if (mesh_a || mesh_b) {
				next = gap_with_mesh(sa, pose_mul(a, pa.pose), sb, pose_mul(b, pb.pose));
			} else {
				cn_separation s;
				cn_separate(sa->convex, &at_a, sb->convex, &at_b, NULL, &s);
				next = (cairn_gap){
					s.gap, s.n, v3_add(at_a.x, s.a), v3_add(at_b.x, s.b), true, CAIRN_NO_TRIANGLE, CAIRN_NO_TRIANGLE};
			}
			if (found && next.gap >= gap->gap)
				continue;
			*gap = next;
			found = true;
		}
	}
	return found;
}

bool cairn_world_gap(const cairn_world *w, cairn_body a, cairn_body b, cairn_gap *gap)
{
	if (!cairn_world_has_body(w, a) || !cairn_world_has_body(w, b) || a.index == b.index)
		return false;
	const cn_body *p = &w->bodies[a.index], *q = &w->bodies[b.index];
	cairn_gap found;
	if (!cn_shapes_gap(w->scene, p->shape, cn_body_frame(p, &w->motion[a.index]), q->shape,
	                   cn_body_frame(q, &w->motion[b.index]), &found))
		return false;
	*gap = found;
	return true;
}

bool cn_memory_stands(const cairn_world *w, const cn_memory_pair *p)
{
	const cn_body *a = &w->bodies[p->a], *b = &w->bodies[p->b];
	return a->alive && b->alive && a->serial == p->serial_a && b->serial == p->serial_b;
}

/* Two parts that are remembered, measured where they are now. */
typedef struct parting {
	v3 normal, at; /* at: on the plane along which a ends */
	double gap, touch;
} parting;

/* A remembered part, where it is now. */
typedef struct placed_part {
	const cn_convex *convex;
	cn_place at;
	double thickness;
} placed_part;

static double thickness(const cn_shape *shape, const cn_body *b)
{
	if (shape->hulls && shape->def.shell && (b->type != CAIRN_FIXED || shape->def.thickness > 0))
		return CN_SHELL_THICK * b->radius;
	return shape->def.kind == CAIRN_HALFSPACE ? INFINITY : v3_min(v3_sub(shape->box.max, shape->box.min));
}

static placed_part place_part(const cairn_world *w, uint32_t slot, uint32_t number)
{
	const cn_body *b = &w->bodies[slot];
	const cn_shape *shapes = w->scene->shapes;
	uint32_t count = cn_shape_part_count(shapes, b->shape);
	cairn_part part = cn_shape_part(shapes, b->shape, number < count ? number : 0);
	const cn_hull_node *node = number < count ? NULL : cn_shape_node(shapes, b->shape, number - count, &part);
	const cn_shape *shape = &shapes[part.shape.index];
	if (!node && shape->hulls)
		node = shape->hulls->nodes;
	const cn_convex *convex = node ? &node->convex : shape->convex;
	return (placed_part){convex, cn_convex_place(convex, pose_mul(cn_body_frame(b, &w->motion[slot]), part.pose)),
	                     thickness(shape, b)};
}

/* Measures along the axis that the step ended with, which need not be that of the widest plane. */
static parting part_triangle(const cairn_world *w, const cn_memory_pair *p, const placed_part *a)
{
	const cn_place *at_a = &a->at;
	const cn_shape *shapes = w->scene->shapes;
	const cn_body *b = &w->bodies[p->b];
	cairn_part part;
	uint32_t triangle;
	cn_triangle_part flat;
	v3 n = cn_place_turn(
		at_a, v3_unit(v3_make((double)p->witness.axis[0], (double)p->witness.axis[1], (double)p->witness.axis[2])));
	if (!cn_shape_triangle(shapes, b->shape, cn_memory_part(p), &part, &triangle))
		return (parting){n, at_a->x, INFINITY, 0};
	const cn_shape *mesh = &shapes[part.shape.index];
	cn_triangle_part_of(mesh, triangle, &flat);
	cn_place at = cn_convex_place(&flat.convex, pose_mul(cn_body_frame(b, &w->motion[p->b]), part.pose));
	double gap = cn_separate_along(a->convex, at_a, &flat.convex, &at, n);
	v3 end = v3_madd(at_a->x, n, cn_convex_support(a->convex, at_a, n));
	return (parting){n, end, gap, CN_SHOWN_GAP * a->thickness};
}

/* The search begins with the plane that the step ended with. Of planes equally wide, it is the one that the points lie
 * along. */
static parting part_pair(const cairn_world *w, const cn_memory_pair *p)
{
	placed_part a = place_part(w, p->a, p->part_a);
	if (cn_memory_rank(p) == 1)
		return part_triangle(w, p, &a);
	placed_part b = place_part(w, p->b, cn_memory_part(p));
	cn_witness witness = p->witness;
	cn_separation s;
	cn_separate(a.convex, &a.at, b.convex, &b.at, &witness, &s);
	double thin = a.thickness < b.thickness ? a.thickness : b.thickness;
	return (parting){s.n, v3_add(a.at.x, s.a), s.gap, CN_SHOWN_GAP * thin};
}

/* A pair is remembered as soon as it may meet; its points count where they press or are as good as touching. */
static bool touches(const parting *at, v3 point, v3 impulse)
{
	return v3_length2(impulse) > 0 || at->gap + v3_dot(at->normal, v3_sub(at->at, point)) <= at->touch;
}

void cn_contacts_each(const cairn_world *w, void (*tell)(void *context, const cairn_contact *contact), void *context)
{
	const cn_memory *m = &w->memory;
	for (uint32_t i = 0; i < m->pair_count; ++i) {
		const cn_memory_pair *p = &m->pairs[i];
		if (p->count == 0 || !cn_memory_stands(w, p))
			continue;
		parting at = part_pair(w, p);
		for (uint32_t k = 0; k < p->count; ++k) {
			const cn_memory_point *q = &m->points[p->first + k];
			v3 point = v3_add(w->motion[p->a].x, q->ra);
			if (!touches(&at, point, q->impulse))
				continue;
			tell(context, &(cairn_contact){.a = cn_handle(w, p->a),
			                               .b = cn_handle(w, p->b),
			                               .point = point,
			                               .normal = at.normal,
			                               .gap = at.gap,
			                               .impulse = q->impulse,
			                               .sliding = q->sliding});
		}
	}
}

/* Contacts that a caller wants, as far as there is room. */
typedef struct contact_list {
	cairn_contact *items;
	uint32_t count, capacity;
} contact_list;

static void add_contact(void *context, const cairn_contact *contact)
{
	contact_list *list = context;
	if (list->count < list->capacity)
		list->items[list->count] = *contact;
	++list->count;
}

uint32_t cairn_world_contacts(const cairn_world *w, cairn_contact *contacts, uint32_t capacity)
{
	contact_list list = {contacts, 0, capacity};
	cn_contacts_each(w, add_contact, &list);
	return list.count;
}
