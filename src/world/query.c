/* Questions about where bodies are: see query.h and the public header. */
#include "world/query.h"

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
