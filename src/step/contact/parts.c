/* The convex parts of all bodies, their places and their boxes at the frame's start (OBA 6.1.4: close pairs are added
 * and never dropped). Boxes cover the whole free motion of the frame. */
#include "step/hooks.h"

#include "base/tolerance.h"
#include "step/motion/rotate.h"

#include <string.h>

#define CN_NEAR_MARGIN 0.03 /* of the thickness: boxes grow by this beside their motion */
#define CN_SLENDER                                                                                                     \
	100.0 /* of moments: a bar seven times as long as thick; it spins far more easily than it turns over */

/* ---- parts */

static double thickness(const cn_shape *shape)
{
	v3 extent = v3_sub(shape->box.max, shape->box.min);
	return shape->def.kind == CAIRN_HALFSPACE ? INFINITY : v3_min(extent);
}

static bool list_parts(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_shape *shapes = w->scene->shapes;
	uint32_t before = c->contacts.own_count;
	c->contacts.parts_as_were = true, c->contacts.has_fixed_mesh = false;
	c->contacts.part_count = c->contacts.plane_count = c->mesh.triangle_part_count = 0;
	if (!CN_ROOM(c->contacts.part_first, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_body *b = &w->bodies[slot];
		uint32_t count = b->alive ? cn_shape_part_count(shapes, b->shape) : 0;
		uint32_t triangles = 0;
		c->contacts.part_first[slot] = c->contacts.part_count;
		if (!CN_ROOM(c->contacts.parts, c->contacts.part_count + count + 1))
			return false;
		for (uint32_t k = 0; k < count; ++k) {
			cairn_part part = cn_shape_part(shapes, b->shape, k);
			const cn_shape *shape = &shapes[part.shape.index];
			pose in_body = {v3_sub(part.pose.position, b->center), part.pose.orientation};
			bool mesh = shape->def.kind == CAIRN_MESH, fixed_mesh = mesh && b->type == CAIRN_FIXED;
			const cn_part *old = &c->contacts.parts[c->contacts.part_count];
			c->contacts.parts_as_were = c->contacts.parts_as_were && c->contacts.part_count < before &&
			                            old->slot == slot && old->number == k && old->convex == shape->convex;
			c->contacts.parts[c->contacts.part_count++] = (cn_part){.slot = slot,
			                                                        .number = k,
			                                                        .convex = shape->convex,
			                                                        .in_body = in_body,
			                                                        .thickness = thickness(shape),
			                                                        .plane = shape->def.kind == CAIRN_HALFSPACE,
			                                                        .mesh = mesh && !fixed_mesh,
			                                                        .fixed_mesh = fixed_mesh ? shape : NULL,
			                                                        .first_triangle = triangles};
			triangles += fixed_mesh ? shape->triangle_count : 0;
			c->contacts.has_fixed_mesh |= fixed_mesh;
		}
	}
	c->contacts.part_first[w->slots] = c->contacts.own_count = c->contacts.part_count;
	c->contacts.parts_as_were = c->contacts.parts_as_were && c->contacts.own_count == before;
	return true;
}

/* A ball about its centre of mass looks the same however it turns. A body with joints does not count, as joints feel
 * its orientation. */
static bool is_round(const cairn_world *w, uint32_t slot)
{
	const cn_context *c = w->context;
	const cn_part *part = &c->contacts.parts[c->contacts.part_first[slot]];
	return c->contacts.part_first[slot + 1] - c->contacts.part_first[slot] == 1 && part->convex->kind == CAIRN_SPHERE &&
	       v3_length2(part->in_body.position) == 0 && cn_joints_of(w, slot) == CN_QP_NONE;
}

cn_place cn_part_place(const cn_part *part, v3 x, quat q)
{
	return cn_convex_place(part->convex, pose_mul((pose){x, q}, part->in_body));
}

void cn_parts_place(cairn_world *w, uint32_t slot)
{
	cn_context *c = w->context;
	for (uint32_t k = c->contacts.part_first[slot]; k < c->contacts.part_first[slot + 1]; ++k)
		c->contacts.now[k] = cn_part_place(&c->contacts.parts[k], w->next[slot].x, w->next[slot].q);
}

/* ---- boxes */

void cn_part_cover(cn_broad_item *item, const cn_part *part, const cn_place *at, double more)
{
	const cn_convex *convex = part->convex;
	v3 low, high;
	if (convex->kind == CAIRN_SPHERE) {
		high = v3_make(convex->radius, convex->radius, convex->radius);
		low = v3_neg(high);
	} else if (convex->radius > 0 || convex->core.vertex_count > 8 || convex->kind != CAIRN_BOX) {
		const v3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
		double reach[6];
		for (int i = 0; i < 3; ++i) {
			reach[i] = cn_convex_support(convex, at, axes[i]);
			reach[i + 3] = cn_convex_support(convex, at, v3_neg(axes[i]));
		}
		high = v3_make(reach[0], reach[1], reach[2]);
		low = v3_make(-reach[3], -reach[4], -reach[5]);
	} else {
		v3 h = convex->half;
		const m3 *r = &at->r;
		high = v3_make(fabs(r->m[0][0]) * h.x + fabs(r->m[0][1]) * h.y + fabs(r->m[0][2]) * h.z,
		               fabs(r->m[1][0]) * h.x + fabs(r->m[1][1]) * h.y + fabs(r->m[1][2]) * h.z,
		               fabs(r->m[2][0]) * h.x + fabs(r->m[2][1]) * h.y + fabs(r->m[2][2]) * h.z);
		low = v3_neg(high);
	}
	v3 pad = {more, more, more};
	item->low = v3_least(item->low, v3_sub(v3_add(at->x, low), pad));
	item->high = v3_most(item->high, v3_add(v3_add(at->x, high), pad));
}

/* Margin of a box beside the motion: the gap to keep, rounding, and some room for pushes of neighbours. */
double cn_part_margin(const cn_part *part, const cn_place *at)
{
	return CN_NEAR_MARGIN * part->thickness +
	       CN_SWEEP_ULPS * 4 * DBL_EPSILON * (v3_max(v3_abs(at->x)) + part->thickness);
}

/* m: bound of how far points go by rotation with this angular momentum. The spin changes no faster than the square of
 * its largest value. A needle turns fast only about its long axis, where its points are near. */
static double swing_of(const cairn_world *w, uint32_t slot, v3 l)
{
	const cn_rotor *r = &w->rotors[slot];
	double radius = w->bodies[slot].radius, max = v3_length(l) * r->inv_least * w->dt;
	double spin = v3_length(cn_spin(r, w->motion[slot].q, l)) * w->dt, turn = spin + 0.5 * max * max;
	turn = turn < max ? turn : max;
	double coarse = (turn < 2 ? turn : 2) * radius;
	v3 m = r->inv_moments;
	double low = m.x < m.y ? m.x : m.y, high = m.x < m.y ? m.y : m.x;
	double middle = m.z < low ? low : m.z > high ? high : m.z;
	if (r->inv_least < CN_SLENDER * middle)
		return coarse;
	double thick = 2 * sqrt(3 * r->inv_mass / r->inv_least); /* of a bar, with some margin */
	double fine = v3_length(l) * middle * radius * w->dt + spin * thick;
	return fine < coarse ? fine : coarse;
}

cn_stride cn_stride_of(const cairn_world *w, uint32_t slot)
{
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	if (w->away[slot])
		return (cn_stride){v3_zero(), 0};
	if (w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED)
		return cn_script_stride(w, slot);
	if (!r->active || w->rest_state[slot].asleep)
		return (cn_stride){v3_zero(), 0};
	return (cn_stride){v3_scale(v3_add(from->v, to->v), 0.5 * w->dt),
	                   w->context->paths.by_slot[slot].round ? 0 : swing_of(w, slot, cn_mean(from->l, to->l))};
}

/* The part stands at the same pose, to the bit, as when it was last measured. */
static bool stood(const cn_context *c, uint32_t part, const cn_place *at, const cn_motion *m)
{
	uint32_t slot = c->contacts.parts[part].slot;
	pose now = {m->x, m->q};
	return slot < c->cache.ended_count && memcmp(&c->cache.ended[slot], &now, sizeof now) == 0 &&
	       memcmp(&c->contacts.now[part], at, sizeof *at) == 0;
}

/* Bits that some body has. */
typedef struct filter_bits {
	uint32_t group, mask;
} filter_bits;

static filter_bits all_filters(const cairn_world *w)
{
	filter_bits all = {0, 0};
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->bodies[slot].alive)
			all.group |= w->bodies[slot].group, all.mask |= w->bodies[slot].mask;
	return all;
}

/* A body that no other may touch stays out of the broad phase: any number of them may be in one place. */
static void set_filter(cn_broad_item *item, const cn_body *b, const filter_bits *all)
{
	bool meets = (b->group & all->mask) && (b->mask & all->group);
	item->group = meets ? b->group : 0, item->mask = meets ? b->mask : 0;
}

bool cn_parts_begin(cairn_world *w)
{
	cn_context *c = w->context;
	filter_bits all = all_filters(w);
	bool begun =
		c->contacts
			.at_start; /* still set: the frame before never searched for pairs, so it left no answers of the filter */
	uint64_t stamp = c->cache.stamp;
	c->contacts.at_start = true, c->cache.stamp = 0;
	if (!list_parts(w) || !CN_ROOM(c->contacts.start, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.now, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.leg_start, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.turned, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.items, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.planes, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.bounds, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.stood, c->contacts.part_count + 1) || !CN_ROOM(c->contacts.strides, w->slots + 1))
		return false;
	c->contacts.pair_count = c->contacts.point_count = 0;
	c->graph.links_known = c->graph.listed = false;
	bool recalls = c->contacts.parts_as_were && stamp > 0 && stamp == w->memory.stamp;
	c->contacts.first_count = recalls && !begun ? c->contacts.first_count : 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->paths.by_slot[slot] = (cn_path){.cuts = 1, .pace = 1, .round = is_round(w, slot)};
		c->paths.has_balls |= c->paths.by_slot[slot].round;
		c->contacts.strides[slot] = cn_stride_of(w, slot);
		if (w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED) {
			++c->paths.scripts;
			cn_script_begin(w, slot);
		}
		w->next[slot].x = w->motion[slot].x;
		w->next[slot].q = w->motion[slot].q;
		c->paths.poses[slot] = (pose){w->motion[slot].x, w->motion[slot].q};
	}
	for (uint32_t k = 0; k < c->contacts.part_count; ++k) {
		const cn_part *part = &c->contacts.parts[k];
		const cn_stride *s = &c->contacts.strides[part->slot];
		cn_place at = cn_part_place(part, w->motion[part->slot].x, w->motion[part->slot].q);
		c->contacts.stood[k] = recalls && stood(c, k, &at, &w->motion[part->slot]);
		bool stands = c->contacts.parts_as_were && memcmp(&c->contacts.start[k], &at, sizeof at) == 0;
		c->contacts.start[k] = c->contacts.leg_start[k] = c->contacts.now[k] = at;
		cn_broad_item *item = &c->contacts.items[k];
		*item = (cn_broad_item){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, false, 0, 0};
		item->still = w->bodies[part->slot].type == CAIRN_FIXED;
		set_filter(item, &w->bodies[part->slot], &all);
		double more = cn_part_margin(part, &at) + s->swing;
		cn_pair_filter_begin(w, k, stands, *s, more);
		if (part->plane) {
			c->contacts.planes[c->contacts.plane_count++] = k;
			*item = (cn_broad_item){{1, 1, 1}, {-1, -1, -1}, true, 0, 0};
			continue;
		}
		cn_part_cover(item, part, &at, more);
		at.x = v3_madd(at.x, s->dx,
		               w->scene->options.distance_bounce ? 2 : 1); /* to find who will meet in the next frame */
		cn_part_cover(item, part, &at, more);
	}
	return true;
}
