/* The convex parts of all bodies, and pairs of parts that may meet in the frame (OBA 6.1.4: close pairs are added and never
 * dropped). At the frame's start boxes of parts cover the whole free motion of the frame; later they grow to cover the
 * trial poses. The broad phase and the pair filter give candidates, and new pairs are merged into the list. The list has
 * one order: by first part, then second. Impulses and witnesses of new pairs come from the contact memory. */
#include "base/tolerance.h"
#include "geom/hull_tree.h"
#include "step/frame/substeps.h"
#include "step/hooks.h"
#include "step/motion/rotate.h"

#include <string.h>

#define CN_NEAR_MARGIN 0.03 /* of the thickness: boxes grow by this beside their motion */
#define CN_SLENDER                                                                                                     \
	100.0 /* of moments: a bar seven times as long as thick; it spins far more easily than it turns over */
#define CN_NEAR_MIN 0.1 /* of CN_NEAR_MARGIN: with less of the margin left, a box grows anew */
/* Vertices that are nearer to the plane than the pair's free motion get points, ... */
#define CN_SLAB_MAX 0.5  /* of the smaller part's size: ... up to this far, ... */
#define CN_SLAB_PAD 0.01 /* of the thickness: ... and this much further, for what neighbours push */

/* ---- parts */

static double thickness(const cn_shape *shape)
{
	v3 extent = v3_sub(shape->box.max, shape->box.min);
	return shape->def.kind == CAIRN_HALFSPACE ? INFINITY : v3_min(extent);
}

/* Meshes of this body meet others by their trees of hulls. */
static bool by_trees(const cn_shape *shapes, const cn_body *b)
{
	return b->type != CAIRN_FIXED || cn_shape_thick(shapes, b->shape);
}

static cn_part_kind kind_of(const cn_shape *shape, bool trees)
{
	if (shape->def.kind == CAIRN_HALFSPACE)
		return CN_PART_HALF_SPACE;
	if (shape->def.kind != CAIRN_MESH)
		return CN_PART_SOLID;
	return trees ? CN_PART_MESH : CN_PART_FIXED_MESH;
}

/* Thickness that the gap of a mesh which may move is a thousandth of. A sheet has none of its own. */
static double mesh_thickness(const cn_shape *shape, const cn_body *b)
{
	return shape->def.shell ? CN_SHELL_THICK * b->radius : thickness(shape);
}

/* Adds a part. There is room. */
static void add_part(cn_contacts *c, uint32_t known, cn_part part)
{
	const cn_part *old = &c->parts[c->part_count];
	c->parts_as_were = c->parts_as_were && c->part_count < known && old->slot == part.slot &&
	                   old->number == part.number && old->convex == part.convex &&
	                   memcmp(&old->in_body, &part.in_body, sizeof part.in_body) == 0;
	c->parts[c->part_count++] = part;
}

/* Adds the nodes of the meshes of a body that may move, beside their roots. */
static bool list_nodes(cairn_world *w, uint32_t slot, uint32_t known)
{
	cn_context *c = w->context;
	uint32_t first = c->contacts.part_first[slot], own = c->contacts.part_count - first;
	for (uint32_t k = first; k < first + own; ++k) {
		if (!c->contacts.parts[k].node)
			continue;
		const cn_shape *shape =
			&w->scene->shapes[cn_shape_part(w->scene->shapes, w->bodies[slot].shape, k - first).shape.index];
		if (!CN_ROOM(c->contacts.parts, c->contacts.part_count + shape->hulls->node_count + 1))
			return false;
		uint32_t nodes = c->contacts.parts[k].nodes = c->contacts.part_count - 1;
		for (uint32_t j = 1; j < shape->hulls->node_count; ++j) {
			cn_part node = c->contacts.parts[k];
			node.number = c->contacts.part_count - first;
			node.kind = CN_PART_NODE;
			node.node = &shape->hulls->nodes[j];
			node.convex = &node.node->convex;
			node.nodes = nodes;
			add_part(&c->contacts, known, node);
		}
		c->contacts.has_front = true;
	}
	return true;
}

/* The parts were listed earlier in this frame: bodies come and go between frames. */
static bool listed(const cairn_world *w)
{
	return w->part.memory && w->part.memory->phase != CN_SUBSTEPS_NONE &&
	       w->context->contacts.changes == w->given.changes;
}

static bool list_parts(cairn_world *w)
{
	cn_context *c = w->context;
	if (listed(w)) {
		c->contacts.part_count = c->contacts.own_count; /* without triangles */
		c->contacts.plane_count = c->mesh.triangle_part_count = 0;
		c->contacts.parts_as_were = true;
		return true;
	}
	const cn_shape *shapes = w->scene->shapes;
	bool fronts = cn_scene_has_fronts(w->scene);
	uint32_t before = c->contacts.own_count;
	c->contacts.parts_as_were = c->contacts.changes == w->given.changes;
	c->contacts.has_fixed_mesh = c->contacts.has_front = false;
	c->contacts.changes = w->given.changes;
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
		bool trees = count && by_trees(shapes, b);
		if (fronts && trees && !cn_shape_make_hulls(&w->allocator, w->scene->shapes, b->shape))
			return false;
		for (uint32_t k = 0; k < count; ++k) {
			cairn_part part = cn_shape_part(shapes, b->shape, k);
			const cn_shape *shape = &shapes[part.shape.index];
			pose in_body = {v3_sub(part.pose.position, b->center), part.pose.orientation};
			cn_part_kind kind = kind_of(shape, trees);
			bool fixed_mesh = kind == CN_PART_FIXED_MESH, front = fronts && kind == CN_PART_MESH;
			const cn_hull_node *root = front ? shape->hulls->nodes : NULL;
			add_part(&c->contacts, before,
			         (cn_part){.slot = slot,
			                   .number = k,
			                   .kind = kind,
			                   .convex = root ? &root->convex : shape->convex,
			                   .in_body = in_body,
			                   .thickness = root ? mesh_thickness(shape, b) : thickness(shape),
			                   .gap = shape->def.gap,
			                   .fixed_mesh = fixed_mesh ? shape : NULL,
			                   .first_triangle = triangles,
			                   .node = root});
			triangles += fixed_mesh ? shape->triangle_count : 0;
			c->contacts.has_fixed_mesh |= fixed_mesh;
		}
		if (fronts && trees && !list_nodes(w, slot, before))
			return false;
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

static cn_place part_place(const cn_part *part, v3 x, quat q)
{
	return cn_convex_place(part->convex, pose_mul((pose){x, q}, part->in_body));
}

void cn_body_pairs_due(cairn_world *w, uint32_t slot) { w->context->contacts.moved[slot] = 1; }

void cn_body_move(cairn_world *w, uint32_t slot, pose to)
{
	cn_context *c = w->context;
	cn_travel *t = &c->contacts.travels[slot];
	quat turn = q_mul(to.orientation, q_conj(t->at.orientation));
	t->far += v3_distance(to.position, t->at.position) +
	          2 * v3_length(v3_make(turn.x, turn.y, turn.z)) * w->bodies[slot].radius;
	t->at = to;
	w->next[slot].x = to.position, w->next[slot].q = to.orientation;
	for (uint32_t k = c->contacts.part_first[slot]; k < c->contacts.part_first[slot + 1]; ++k)
		c->contacts.now[k] = part_place(&c->contacts.parts[k], to.position, to.orientation);
	cn_body_pairs_due(w, slot);
}

void cn_strides_measure(cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		w->context->contacts.strides[slot] = cn_stride_of(w, slot);
}

void cn_stride_stop(cairn_world *w, uint32_t slot) { w->context->contacts.strides[slot] = (cn_stride){v3_zero(), 0}; }

/* ---- boxes */

/* Extends a box so that it covers the part at the given place, with a margin. */
static void cover_part(cn_broad_item *item, const cn_part *part, const cn_place *at, double more)
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
static double part_margin(const cn_part *part, const cn_place *at)
{
	return CN_NEAR_MARGIN * part->thickness + part->gap +
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

/* Bits of collision filters that some body has. */
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

void cn_parts_begin_again(cairn_world *w) { w->context->cache.stamp = w->context->cache.began; }

bool cn_parts_begin(cairn_world *w)
{
	cn_context *c = w->context;
	filter_bits all = all_filters(w);
	/* still set if the frame before never searched for pairs; then it left no answers of the filter */
	bool begun = c->contacts.at_start;
	uint64_t stamp = c->cache.stamp;
	bool placed = c->contacts.placed;
	c->contacts.at_start = true, c->cache.began = stamp, c->cache.stamp = 0, c->contacts.placed = false;
	if (!list_parts(w) || !CN_ROOM(c->contacts.start, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.now, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.leg_start, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.items, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.planes, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.bounds, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.stood, c->contacts.part_count + 1) ||
	    !CN_ROOM(c->contacts.grown, c->contacts.part_count + 1) || !CN_ROOM(c->contacts.strides, w->slots + 1) ||
	    !CN_ROOM(c->contacts.travels, w->slots + 1) || !CN_ROOM(c->contacts.moved, w->slots + 1))
		return false;
	c->contacts.pair_count = c->contacts.point_count = 0;
	c->graph.links_known = c->graph.listed = false;
	memset(c->contacts.moved, 0, w->slots);
	bool recalls = c->contacts.parts_as_were && stamp > 0 && stamp == w->memory.stamp;
	placed = placed && c->contacts.parts_as_were;
	c->contacts.first.count = recalls && !begun ? c->contacts.first.count : 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path_begin(w, slot, is_round(w, slot));
		c->contacts.strides[slot] = cn_stride_of(w, slot);
		if (w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED)
			cn_script_begin(w, slot);
		w->next[slot].x = w->motion[slot].x;
		w->next[slot].q = w->motion[slot].q;
	}
	for (uint32_t k = 0; k < c->contacts.part_count; ++k) {
		const cn_part *part = &c->contacts.parts[k];
		const cn_stride *s = &c->contacts.strides[part->slot];
		pose place = {w->motion[part->slot].x, w->motion[part->slot].q};
		cn_place at = placed && memcmp(&c->contacts.travels[part->slot].at, &place, sizeof place) == 0
		                  ? c->contacts.now[k] /* where its body was last */
		                  : part_place(part, place.position, place.orientation);
		c->contacts.stood[k] = recalls && stood(c, k, &at, &w->motion[part->slot]);
		bool stands = c->contacts.parts_as_were && memcmp(&c->contacts.start[k], &at, sizeof at) == 0;
		c->contacts.start[k] = c->contacts.leg_start[k] = c->contacts.now[k] = at;
		cn_broad_item *item = &c->contacts.items[k];
		*item = (cn_broad_item){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, false, 0, 0};
		item->still = w->bodies[part->slot].type == CAIRN_FIXED;
		set_filter(item, &w->bodies[part->slot], &all);
		double more = part_margin(part, &at) + s->swing;
		cn_pair_filter_begin(w, k, stands, *s, more);
		if (part->kind == CN_PART_HALF_SPACE || part->kind == CN_PART_NODE) {
			if (part->kind == CN_PART_HALF_SPACE)
				c->contacts.planes[c->contacts.plane_count++] = k;
			*item = (cn_broad_item){{1, 1, 1}, {-1, -1, -1}, true, 0, 0};
			continue;
		}
		cover_part(item, part, &at, more);
		at.x = v3_madd(at.x, s->dx,
		               w->scene->options.distance_bounce ? 2 : 1); /* to find who will meet in the next frame */
		cover_part(item, part, &at, more);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->contacts.travels[slot] = (cn_travel){{w->motion[slot].x, w->motion[slot].q}, 0};
	c->contacts.placed = true;
	return true;
}

/* ---- pairs */

/* Order of the second part: those of bodies, then triangles, then half-spaces. */
static int rank(const cn_part *b) { return b->kind == CN_PART_HALF_SPACE ? 2 : b->kind == CN_PART_TRIANGLE; }

static bool before(const cn_context *c, uint32_t pa, uint32_t pb, uint32_t qa, uint32_t qb)
{
	if (pa != qa)
		return pa < qa;
	const cn_part *p = &c->contacts.parts[pb], *q = &c->contacts.parts[qb];
	if (rank(p) != rank(q))
		return rank(p) < rank(q);
	if (p->kind != CN_PART_TRIANGLE)
		return pb < qb;
	return p->slot != q->slot ? p->slot < q->slot : p->number < q->number;
}

static bool same(const cn_context *c, uint32_t pb, uint32_t qb)
{
	const cn_part *p = &c->contacts.parts[pb], *q = &c->contacts.parts[qb];
	return pb == qb ||
	       (p->kind == CN_PART_TRIANGLE && q->kind == CN_PART_TRIANGLE && p->slot == q->slot && p->number == q->number);
}

/* 1: the remembered pair comes before this one; 0: after; -1: they are the same. */
static int remembered_before(const cn_context *c, const cn_memory_pair *m, const cn_pair *p)
{
	const cn_part *a = &c->contacts.parts[p->pa], *b = &c->contacts.parts[p->pb];
	if (m->a != a->slot)
		return m->a < a->slot;
	if (m->part_a != a->number)
		return m->part_a < a->number;
	int of_m = cn_memory_rank(m);
	uint32_t part_b = cn_memory_part(m);
	if (of_m != rank(b))
		return of_m < rank(b);
	if (m->b != b->slot)
		return m->b < b->slot;
	return part_b == b->number ? -1 : part_b < b->number;
}

static void fill_surface(const cairn_world *w, cn_pair *p)
{
	uint32_t ma = w->bodies[p->a].material, mb = w->bodies[p->b].material;
	cairn_material a = {ma - (ma > 0), ma > 0}, b = {mb - (mb > 0), mb > 0};
	cairn_pair_def d = cairn_scene_pair(w->scene, a, b);
	p->mu_static = d.static_friction, p->mu_kinetic = d.kinetic_friction, p->eps = d.restitution;
	p->rolling = d.rolling;
	if (p->mu_static < p->mu_kinetic)
		p->mu_static = p->mu_kinetic;
}

static void fill(const cairn_world *w, cn_pair *p)
{
	const cn_context *c = w->context;
	const cn_part *a = &c->contacts.parts[p->pa], *b = &c->contacts.parts[p->pb];
	cn_range r = cn_pair_range(c, p->pa, p->pb, &c->contacts.strides[p->a], &c->contacts.strides[p->b]);
	p->gap_target = r.gap_target, p->thin = r.thin, p->reach = r.reach;
	double thin = a->thickness < b->thickness ? a->thickness : b->thickness;
	double small = a->convex->size < b->convex->size ? a->convex->size : b->convex->size;
	double swing = r.motion, max = CN_SLAB_MAX * small;
	p->slab = (swing < max ? swing : max) + CN_SLAB_PAD * thin;
	p->must_not_touch = (a->kind == CN_PART_MESH && !a->node) || (b->kind == CN_PART_MESH && !b->node);
	p->script_moves = cn_path_driven(&c->paths.by_slot[p->a]) || cn_path_driven(&c->paths.by_slot[p->b]);
	p->frame_start.gap = INFINITY;
	fill_surface(w, p);
}

bool cn_pair_reserve(cairn_world *w, cn_pair *p, uint32_t room)
{
	cn_context *c = w->context;
	if (!CN_ROOM(c->contacts.points, c->contacts.point_count + room))
		return false;
	p->first = c->contacts.point_count, p->room = room;
	c->contacts.point_count += room;
	return true;
}

/* Finds a new pair in the contact memory; NULL: it is not there. *at: position of the walk through memory. */
static const cn_memory_pair *recall(const cairn_world *w, const cn_pair *p, uint32_t *at)
{
	const cn_memory *m = &w->memory;
	int order = 0;
	while (*at < m->pair_count && (order = remembered_before(w->context, &m->pairs[*at], p)) > 0)
		++*at;
	if (*at >= m->pair_count || order != -1)
		return NULL;
	const cn_memory_pair *old = &m->pairs[*at];
	bool same = old->serial_a == w->bodies[p->a].serial && old->serial_b == w->bodies[p->b].serial;
	return same ? old : NULL;
}

/* Copies witness and points of a remembered pair. */
static void take_over(cairn_world *w, cn_pair *p, const cn_memory_pair *old)
{
	p->witness = old->witness;
	p->near = true;
	p->count = old->count;
	for (uint32_t i = 0; i < p->count; ++i) {
		const cn_memory_point *q = &w->memory.points[old->first + i];
		w->context->contacts.points[p->first + i] =
			(cn_pair_point){.ra = q->ra,
		                    .feature = q->feature,
		                    .left = q->left,
		                    .rest = {.impulse = v3_scale(q->impulse, cn_step_share(w)), .sliding = q->sliding},
		                    .position = {.push = q->push}};
	}
}

/* Measuring the pair would give these very bits. Beyond its reach it would give a bound of the gap instead. */
static bool would_repeat(const cn_pair *p, const cn_separation *at) { return at->again && at->gap < p->reach; }

/* Fills the new pairs in contacts.spare. Their parts, their room for points and their place in the contact memory are
 * known (cached: that place plus 1, or 0). */
static void fill_new(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	cn_context *c = w->context;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->contacts.new_count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i) {
		cn_pair *p = &c->contacts.spare[c->contacts.new_first + i];
		uint32_t memory = p->cached;
		*p = (cn_pair){.pa = p->pa, .pb = p->pb, .a = p->a, .b = p->b, .first = p->first, .room = p->room};
		fill(w, p);
		if (memory)
			take_over(w, p, &w->memory.pairs[memory - 1]);
		if (c->contacts.at_start && memory && p->pb < c->contacts.own_count && c->contacts.stood[p->pa] &&
		    c->contacts.stood[p->pb] && would_repeat(p, &c->cache.pairs[memory - 1].at))
			p->cached = memory;
		p->fresh = true;
	}
}

/* Positions of a walk through the candidates, the list and the memory, which are in the same order. */
typedef struct walk {
	uint32_t old, memory; /* next pair of the list; next of memory */
	uint32_t count;       /* pairs in contacts.spare so far */
} walk;

/* Adds a pair to contacts.spare. */
static bool add_pair(cairn_world *w, walk *m, uint32_t pa, uint32_t pb)
{
	cn_context *c = w->context;
	if (!CN_ROOM(c->contacts.spare, m->count + 1))
		return false;
	cn_pair *p = &c->contacts.spare[m->count];
	p->pa = pa, p->pb = pb, p->a = c->contacts.parts[pa].slot, p->b = c->contacts.parts[pb].slot;
	const cn_memory_pair *old = recall(w, p, &m->memory);
	p->cached = old ? (uint32_t)(old - w->memory.pairs) + 1 : 0;
	++m->count;
	return cn_pair_reserve(w, p, old && old->count > CN_MOMENTUM_POINTS ? old->count : CN_MOMENTUM_POINTS);
}

/* The same for a candidate, which may be in the list. */
static bool note_pair(cairn_world *w, walk *m, uint32_t pa, uint32_t pb)
{
	cn_context *c = w->context;
	while (m->old < c->contacts.pair_count &&
	       before(c, c->contacts.pairs[m->old].pa, c->contacts.pairs[m->old].pb, pa, pb))
		++m->old;
	return (m->old < c->contacts.pair_count && c->contacts.pairs[m->old].pa == pa &&
	        same(c, c->contacts.pairs[m->old].pb, pb)) ||
	       add_pair(w, m, pa, pb);
}

/* Adds pairs of a part with all triangles of a fixed mesh near it. A triangle without such a pair becomes a part. */
static bool note_triangles(cairn_world *w, walk *m, uint32_t visit)
{
	cn_context *c = w->context;
	uint32_t part = (uint32_t)(c->mesh.visits[visit].key >> 32), fixed_mesh = (uint32_t)c->mesh.visits[visit].key;
	if (!cn_pair_possible(w, c->contacts.parts[part].slot, c->contacts.parts[fixed_mesh].slot))
		return true;
	if (!cn_mesh_contact_search(w, visit))
		return false;
	for (uint32_t i = 0; i < c->mesh.found_count; ++i) {
		uint32_t before = m->count, triangle = cn_mesh_contact_triangle(w, fixed_mesh, (uint32_t)c->mesh.found[i].key);
		if (triangle == UINT32_MAX || !note_pair(w, m, part, triangle))
			return false;
		if (m->count == before)
			--c->contacts.part_count, --c->mesh.triangle_part_count;
	}
	return true;
}

/* Fills the new pairs, those of contacts.spare up to count, and puts them in order among those added before. */
static bool take_new(cairn_world *w, uint32_t count)
{
	cn_context *c = w->context;
	uint32_t old = c->contacts.new_first, more = count - old, to = count;
	c->contacts.new_count = more;
	cn_pool_run(w->pool, (more + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, fill_new, w);
	for (uint32_t k = old; k < count; ++k)
		if (!c->contacts.spare[k].must_not_touch && c->contacts.spare[k].thin < c->scale)
			c->scale = c->contacts.spare[k].thin;
	if (!CN_ROOM(c->contacts.added, count + 1))
		return false;
	while (more > 0) { /* from the last to the first */
		const cn_pair *p = &c->contacts.spare[c->contacts.new_first + more - 1];
		const cn_added *q = &c->contacts.added[old - (old > 0)];
		if (old > 0 && before(c, p->pa, p->pb, q->pa, q->pb))
			c->contacts.added[--to] = *q, --old;
		else
			c->contacts.added[--to] = (cn_added){p->pa, p->pb, c->contacts.new_first + --more};
	}
	return true;
}

bool cn_pairs_merge(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t old = c->contacts.pair_count, more = c->contacts.new_first + c->contacts.new_count, to = old + more;
	c->contacts.new_first = c->contacts.new_count = 0;
	if (more == 0)
		return true;
	c->graph.links_known = c->graph.listed = false;
	if (!CN_ROOM(c->contacts.pairs, to))
		return false;
	c->contacts.pair_count = to;
	while (more > 0) { /* from the last to the first */
		const cn_pair *p = &c->contacts.spare[c->contacts.added[more - 1].at];
		if (old > 0 && before(c, p->pa, p->pb, c->contacts.pairs[old - 1].pa, c->contacts.pairs[old - 1].pb))
			c->contacts.pairs[--to] = c->contacts.pairs[--old];
		else
			c->contacts.pairs[--to] = *p, --more;
	}
	return true;
}

/* The first pairs of a frame are the list. They may come after a search that found none. */
static void begin_list(cn_context *c)
{
	cn_contacts *k = &c->contacts;
	cn_pair *pairs = k->pairs;
	c->graph.links_known = c->graph.listed = false;
	k->pairs = k->spare, k->pair_count = k->new_count, k->new_count = 0;
	k->spare = pairs;
}

/* A part's box reaches into a half-space at the given place. */
static bool below(const cn_context *c, uint32_t part, uint32_t plane, const cn_place *at)
{
	const cn_broad_item *item = &c->contacts.items[part];
	v3 n = cn_place_turn(at, c->contacts.parts[plane].convex->normal);
	v3 nearest = {n.x > 0 ? item->low.x : item->high.x, n.y > 0 ? item->low.y : item->high.y,
	              n.z > 0 ? item->low.z : item->high.z};
	return v3_dot(n, v3_sub(nearest, at->x)) <= 0;
}

/* A half-space makes a pair with every part that may reach its plane; one that turns, with all parts. */
static bool near_plane(const cn_context *c, uint32_t part, uint32_t plane)
{
	const cn_path *y = &c->paths.by_slot[c->contacts.parts[plane].slot];
	return y->own.key_count > 0 || y->turned || below(c, part, plane, &c->contacts.start[plane]) ||
	       below(c, part, plane, &c->contacts.now[plane]);
}

/* Extends a part's box to its trial pose and the motion that led there, with a margin, so that small pushes do not
 * extend it again. */
static bool grow_box(cairn_world *w, uint32_t k)
{
	cn_context *c = w->context;
	const cn_part *part = &c->contacts.parts[k];
	const cn_path *y = &c->paths.by_slot[part->slot];
	cn_broad_item *item = &c->contacts.items[k], needed = *item;
	double bulge = (y->k > y->whole_k ? y->k : y->whole_k) + y->bow,
		   min = CN_NEAR_MIN * part_margin(part, &c->contacts.now[k]);
	if (y->own.key_count ||
	    cn_path_driven(y)) /* between two keys a point leaves its chord by at most (pi/2)^2/8 of the radius */
		bulge = 0.31 * w->bodies[part->slot].radius;
	cover_part(&needed, part, &c->contacts.now[k], min + bulge);
	cover_part(&needed, part, &c->contacts.start[k], bulge);
	if (c->under_way)
		cover_part(&needed, part, &c->contacts.leg_start[k], bulge);
	uint32_t pieces =
		cn_path_driven(y) ? cn_script_pieces(w, part->slot, cn_path_whole(w, part->slot).span) : y->own.key_count + 1u;
	for (uint32_t i = 1; i < pieces; ++i) {
		cn_piece p = cn_path_piece(w, part->slot, i);
		cn_place at = part_place(part, p.x0, p.q0);
		cover_part(&needed, part, &at, min + bulge);
	}
	bool left = cn_pair_filter_leaves(w, k, min, part_margin(part, &c->contacts.now[k]), bulge);
	if (v3_min(v3_sub(needed.low, item->low)) >= 0 && v3_min(v3_sub(item->high, needed.high)) >= 0)
		return left;
	cover_part(item, part, &c->contacts.now[k], part_margin(part, &c->contacts.now[k]) + bulge);
	item->low = v3_least(item->low, needed.low), item->high = v3_most(item->high, needed.high);
	return true;
}

/* contacts.grown: the parts whose boxes or bounds grew. A pair of two others was a candidate at the last search already, and
 * has the same answer. False: a half-space moved, which may reach any part. */
static bool grow_boxes(cairn_world *w)
{
	cn_context *c = w->context;
	bool still = true;
	for (uint32_t k = 0; k < c->contacts.own_count; ++k) {
		bool moved = c->contacts.moved[c->contacts.parts[k].slot],
			 plane = c->contacts.parts[k].kind == CN_PART_HALF_SPACE;
		c->contacts.grown[k] = moved && !plane && c->contacts.parts[k].kind != CN_PART_NODE && grow_box(w, k);
		still &= !(moved && plane);
	}
	return still;
}

bool cn_pairs_find(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->contacts.moved[slot])
			cn_path_measure(w, slot);
	bool all = !grow_boxes(w), some = all;
	for (uint32_t k = 0; k < c->contacts.own_count && !some; ++k)
		some = c->contacts.grown[k];
	if (!some && c->under_way)
		return true;
	all |= c->contacts.at_start || !c->under_way || cn_has_meshes(w) || c->contacts.has_front;
	if (!cn_broad_update(c->contacts.broad, c->contacts.items, c->contacts.own_count, w->pool))
		return false;
	if (c->contacts.pair_count ==
	    0) { /* the first pairs of a frame go where those of the last one were: that is at hand */
		cn_pair *pairs = c->contacts.pairs;
		c->contacts.pairs = c->contacts.spare, c->contacts.spare = pairs;
	}
	uint32_t count, i = 0, visit = 0;
	const cn_broad_pair *found = cn_broad_pairs(c->contacts.broad, &count);
	walk m = {0};
	c->mesh.visit_count = c->contacts.new_first = c->contacts.new_count = 0;
	if ((cn_has_meshes(w) && !cn_mesh_contact_visits(w, found, count)) || !cn_pair_filter_run(w))
		return false;
	for (uint32_t k = 0; k < c->contacts.own_count; ++k) {
		bool fixed_mesh = c->contacts.parts[k].kind == CN_PART_FIXED_MESH;
		const uint8_t *grown = c->contacts.grown;
		if (c->contacts.parts[k].kind == CN_PART_NODE)
			continue;
		for (; i < count && found[i].a == k; ++i)
			if ((all || grown[k] || grown[found[i].b]) && cn_pair_filter_meets(c, i) && !fixed_mesh &&
			    c->contacts.parts[found[i].b].kind != CN_PART_FIXED_MESH && !note_pair(w, &m, k, found[i].b))
				return false;
		for (; visit < c->mesh.visit_count && c->mesh.visits[visit].key >> 32 == k; ++visit)
			if (!note_triangles(w, &m, visit))
				return false;
		for (uint32_t p = 0; (all || grown[k]) && p < c->contacts.plane_count &&
		                     c->contacts.parts[k].kind != CN_PART_HALF_SPACE && !fixed_mesh;
		     ++p)
			if (near_plane(c, k, c->contacts.planes[p]) &&
			    cn_pair_possible(w, c->contacts.parts[k].slot, c->contacts.parts[c->contacts.planes[p]].slot) &&
			    !note_pair(w, &m, k, c->contacts.planes[p]))
				return false;
	}
	c->contacts.at_start = false;
	if (!take_new(w, m.count))
		return false;
	if (c->contacts.pair_count > 0)
		return cn_pairs_merge(w);
	begin_list(c);
	return true;
}

/* Sorts pairs in the order of the list: a heap sort, as few are out of order and all differ. */
static void sort_pairs(const cn_context *c, cn_part_pair *list, uint32_t count)
{
	for (uint32_t end = count, start = count / 2; end > 1;) {
		cn_part_pair moving;
		if (start > 0) {
			moving = list[--start];
		} else {
			moving = list[--end];
			list[end] = list[0];
		}
		uint32_t at = start;
		for (uint32_t child; (child = 2 * at + 1) < end; at = child) {
			if (child + 1 < end && before(c, list[child].pa, list[child].pb, list[child + 1].pa, list[child + 1].pb))
				++child;
			if (!before(c, moving.pa, moving.pb, list[child].pa, list[child].pb))
				break;
			list[at] = list[child];
		}
		list[at] = moving;
	}
}

bool cn_pairs_add(cairn_world *w, cn_part_pair *list, uint32_t count)
{
	cn_context *c = w->context;
	walk m = {.count = c->contacts.new_first += c->contacts.new_count};
	sort_pairs(c, list, count);
	for (uint32_t i = 0; i < count; ++i)
		if (!add_pair(w, &m, list[i].pa, list[i].pb))
			return false;
	return take_new(w, m.count);
}
