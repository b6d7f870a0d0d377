/* Questions about where bodies are: see query.h and the public header. */
#include "world/query.h"

#include "base/tolerance.h"
#include "geom/separate.h"
#include "world/world.h"

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
			cn_separation s;
			cn_separate(sa->convex, &at_a, sb->convex, &at_b, NULL, &s);
			if (found && s.gap >= gap->gap)
				continue;
			*gap = (cairn_gap){s.gap, s.n, v3_add(at_a.x, s.a), v3_add(at_b.x, s.b),
			                   sa->def.kind != CAIRN_MESH && sb->def.kind != CAIRN_MESH};
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

static const cn_shape *place_part(const cairn_world *w, uint32_t slot, uint32_t number, cn_place *at)
{
	const cn_body *b = &w->bodies[slot];
	cairn_part part = cn_shape_part(w->scene->shapes, b->shape, number);
	const cn_shape *shape = &w->scene->shapes[part.shape.index];
	*at = cn_convex_place(shape->convex, pose_mul(cn_body_frame(b, &w->motion[slot]), part.pose));
	return shape;
}

static double thickness(const cn_shape *shape)
{
	return shape->def.kind == CAIRN_HALFSPACE ? INFINITY : v3_min(v3_sub(shape->box.max, shape->box.min));
}

/* Begins with the plane that the step ended with: of planes equally wide it is the one that the points lie along. */
static parting part_pair(const cairn_world *w, const cn_memory_pair *p)
{
	cn_place at_a, at_b;
	const cn_shape *a = place_part(w, p->a, p->part_a, &at_a);
	const cn_shape *b = place_part(w, p->b, p->part_b & ~CN_MEMORY_PLANE, &at_b);
	cn_witness witness = p->witness;
	cn_separation s;
	cn_separate(a->convex, &at_a, b->convex, &at_b, &witness, &s);
	double thin = thickness(a) < thickness(b) ? thickness(a) : thickness(b);
	return (parting){s.n, v3_add(at_a.x, s.a), s.gap, CN_SHOWN_GAP * thin};
}

/* A pair is remembered as soon as it may meet; its points count where they press or are as good as touching. */
static bool touches(const parting *at, v3 point, v3 impulse)
{
	return v3_length2(impulse) > 0 || at->gap + v3_dot(at->normal, v3_sub(at->at, point)) <= at->touch;
}

uint32_t cairn_world_contacts(const cairn_world *w, cairn_contact *contacts, uint32_t capacity)
{
	const cn_memory *m = &w->memory;
	uint32_t count = 0;
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
			if (count < capacity)
				contacts[count] = (cairn_contact){.a = cn_handle(w, p->a),
				                                  .b = cn_handle(w, p->b),
				                                  .point = point,
				                                  .normal = at.normal,
				                                  .gap = at.gap,
				                                  .impulse = q->impulse,
				                                  .sliding = q->sliding};
			++count;
		}
	}
	return count;
}
