/* Pairs of parts that may meet in the frame. Boxes grow to cover the trial poses, the broad phase and the pair filter
 * give candidates, and new pairs are merged into the list. The list has one order: by first part, then second.
 * Impulses and witnesses of new pairs come from the contact memory. */
#include "step/hooks.h"

#define CN_NEAR_LEAST 0.1 /* of CN_NEAR_MARGIN: with less of the margin left, a box grows anew */
/* Vertices that are nearer to the plane than the pair's free motion get points, ... */
#define CN_SLAB_MOST 0.5 /* of the smaller part's size: ... up to this far, ... */
#define CN_SLAB_PAD 0.01 /* of the thickness: ... and this much further, for what neighbours push */

/* Order of the second part: those of bodies, then triangles, then half-spaces. */
static int rank(const cn_part *b) { return b->plane ? 2 : b->triangle; }

static bool before(const cn_context *c, uint32_t pa, uint32_t pb, uint32_t qa, uint32_t qb)
{
	if (pa != qa)
		return pa < qa;
	const cn_part *p = &c->contacts.parts[pb], *q = &c->contacts.parts[qb];
	if (rank(p) != rank(q))
		return rank(p) < rank(q);
	if (!p->triangle)
		return pb < qb;
	return p->slot != q->slot ? p->slot < q->slot : p->number < q->number;
}

static bool same(const cn_context *c, uint32_t pb, uint32_t qb)
{
	const cn_part *p = &c->contacts.parts[pb], *q = &c->contacts.parts[qb];
	return pb == qb || (p->triangle && q->triangle && p->slot == q->slot && p->number == q->number);
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
	double swing = r.motion, max = CN_SLAB_MOST * small;
	p->slab = (swing < max ? swing : max) + CN_SLAB_PAD * thin;
	p->must_not_touch = a->mesh || b->mesh;
	p->script_moves = c->paths.by_slot[p->a].drive.moves || c->paths.by_slot[p->b].drive.moves;
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
		w->context->contacts.points[p->first + i] = (cn_pair_point){.ra = q->ra,
		                                                            .feature = q->feature,
		                                                            .impulse = v3_scale(q->impulse, 1.0 / w->steps),
		                                                            .push = q->push,
		                                                            .sliding = q->sliding,
		                                                            .left = q->left};
	}
}

/* Fills new pairs in contacts.spare. Their parts, their room for points and their place in memory are known (more:
 * that place plus 1, or 0). */
static void fill_new(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	cn_context *c = w->context;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->contacts.new_count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i) {
		cn_pair *p = &c->contacts.spare[i];
		uint32_t memory = p->points_missing;
		*p = (cn_pair){.pa = p->pa, .pb = p->pb, .a = p->a, .b = p->b, .first = p->first, .room = p->room};
		fill(w, p);
		if (memory)
			take_over(w, p, &w->memory.pairs[memory - 1]);
		if (c->contacts.at_start && memory && p->pb < c->contacts.own_count && c->contacts.stood[p->pa] &&
		    c->contacts.stood[p->pb] && c->cache.pairs[memory - 1].at.again)
			p->cached = memory;
		p->fresh = true;
	}
}

/* Positions of a walk through the candidates, the list and the memory, which are in the same order. */
typedef struct walk {
	uint32_t old, memory; /* next pair of the list; next of memory */
	uint32_t count;       /* new pairs so far, in contacts.spare */
} walk;

/* Adds a candidate that is not in the list to contacts.spare. */
static bool note_pair(cairn_world *w, walk *m, uint32_t pa, uint32_t pb)
{
	cn_context *c = w->context;
	while (m->old < c->contacts.pair_count &&
	       before(c, c->contacts.pairs[m->old].pa, c->contacts.pairs[m->old].pb, pa, pb))
		++m->old;
	if (m->old < c->contacts.pair_count && c->contacts.pairs[m->old].pa == pa &&
	    same(c, c->contacts.pairs[m->old].pb, pb))
		return true;
	if (!CN_ROOM(c->contacts.spare, m->count + 1))
		return false;
	cn_pair *p = &c->contacts.spare[m->count];
	p->pa = pa, p->pb = pb, p->a = c->contacts.parts[pa].slot, p->b = c->contacts.parts[pb].slot;
	const cn_memory_pair *old = recall(w, p, &m->memory);
	p->points_missing = old ? (uint32_t)(old - w->memory.pairs) + 1 : 0;
	++m->count;
	return cn_pair_reserve(w, p, old && old->count > CN_PAIR_POINTS ? old->count : CN_PAIR_POINTS);
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

/* Merges the new pairs into the list, from the last to the first. */
static bool merge(cairn_world *w, uint32_t more)
{
	cn_context *c = w->context;
	c->graph.links_known = c->graph.listed = false;
	if (c->contacts.pair_count == 0) { /* first pairs of the frame */
		cn_pair *pairs = c->contacts.pairs;
		c->contacts.pairs = c->contacts.spare, c->contacts.pair_count = more;
		c->contacts.spare = pairs;
		return true;
	}
	if (!CN_ROOM(c->contacts.pairs, c->contacts.pair_count + more))
		return false;
	uint32_t old = c->contacts.pair_count, to = c->contacts.pair_count + more;
	c->contacts.pair_count = to;
	while (more > 0) {
		const cn_pair *p = &c->contacts.spare[more - 1];
		if (old > 0 && before(c, p->pa, p->pb, c->contacts.pairs[old - 1].pa, c->contacts.pairs[old - 1].pb))
			c->contacts.pairs[--to] = c->contacts.pairs[--old];
		else
			c->contacts.pairs[--to] = *p, --more;
	}
	return true;
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
	return y->key_count > 0 || y->turned || below(c, part, plane, &c->contacts.start[plane]) ||
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
		   min = CN_NEAR_LEAST * cn_part_margin(part, &c->contacts.now[k]);
	if (y->key_count ||
	    y->drive.moves) /* between two keys a point leaves its chord by at most (pi/2)^2/8 of the radius */
		bulge = 0.31 * w->bodies[part->slot].radius;
	cn_part_cover(&needed, part, &c->contacts.now[k], min + bulge);
	cn_part_cover(&needed, part, &c->contacts.start[k], bulge);
	if (c->under_way)
		cn_part_cover(&needed, part, &c->contacts.leg_start[k], bulge);
	for (uint32_t i = 0; i < y->key_count; ++i) {
		const cairn_key *key = &w->next_extras[y->first + i].key;
		cn_place at = cn_part_place(part, key->position, key->orientation);
		cn_part_cover(&needed, part, &at, min + bulge);
	}
	for (uint32_t i = 1; y->drive.moves && i < cn_script_path_pieces(w, part->slot); ++i) {
		cn_piece p = cn_script_path_piece(w, part->slot, i);
		cn_place at = cn_part_place(part, p.x0, p.q0);
		cn_part_cover(&needed, part, &at, min + bulge);
	}
	bool left = cn_pair_filter_leaves(w, k, min, cn_part_margin(part, &c->contacts.now[k]), bulge);
	if (v3_min(v3_sub(needed.low, item->low)) >= 0 && v3_min(v3_sub(item->high, needed.high)) >= 0)
		return left;
	cn_part_cover(item, part, &c->contacts.now[k], cn_part_margin(part, &c->contacts.now[k]) + bulge);
	item->low = v3_least(item->low, needed.low), item->high = v3_most(item->high, needed.high);
	return true;
}

bool cn_pairs_find(cairn_world *w)
{
	cn_context *c = w->context;
	bool grown = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->paths.by_slot[slot].moved)
			cn_path_measure(w, slot);
	for (uint32_t k = 0; k < c->contacts.own_count; ++k)
		if (c->paths.by_slot[c->contacts.parts[k].slot].moved)
			grown |= c->contacts.parts[k].plane || grow_box(w, k);
	if (!grown && c->under_way)
		return true;
	if (!cn_broad_update(c->contacts.broad, c->contacts.items, c->contacts.own_count, w->pool))
		return false;
	uint32_t count, i = 0, visit = 0;
	const cn_broad_pair *found = cn_broad_pairs(c->contacts.broad, &count);
	walk m = {0};
	c->mesh.visit_count = 0;
	if ((cn_has_meshes(w) && !cn_mesh_contact_visits(w, found, count)) || !cn_pair_filter_run(w))
		return false;
	for (uint32_t k = 0; k < c->contacts.own_count; ++k) {
		bool fixed_mesh = c->contacts.parts[k].fixed_mesh;
		for (; i < count && found[i].a == k; ++i)
			if (cn_pair_filter_meets(c, i) && !fixed_mesh && !c->contacts.parts[found[i].b].fixed_mesh &&
			    !note_pair(w, &m, k, found[i].b))
				return false;
		for (; visit < c->mesh.visit_count && c->mesh.visits[visit].key >> 32 == k; ++visit)
			if (!note_triangles(w, &m, visit))
				return false;
		for (uint32_t p = 0; p < c->contacts.plane_count && !c->contacts.parts[k].plane && !fixed_mesh; ++p)
			if (near_plane(c, k, c->contacts.planes[p]) &&
			    cn_pair_possible(w, c->contacts.parts[k].slot, c->contacts.parts[c->contacts.planes[p]].slot) &&
			    !note_pair(w, &m, k, c->contacts.planes[p]))
				return false;
	}
	c->contacts.new_count = m.count;
	cn_pool_run(w->pool, (m.count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, fill_new, w);
	c->contacts.at_start = false;
	for (uint32_t k = 0; k < m.count; ++k)
		if (!c->contacts.spare[k].must_not_touch && c->contacts.spare[k].thin < c->scale)
			c->scale = c->contacts.spare[k].thin;
	return m.count == 0 || merge(w, m.count);
}
