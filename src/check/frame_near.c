/* Which pairs of a frame are looked at: those whose swept boxes meet.
 *
 * A body that has not moved keeps its box, so pairs of two such bodies are among those of the frame before. Where few
 * moved, only their boxes are compared with all others. Else a tree is compared with itself by tasks, each of which has
 * room of its own; one that needs more counts on, and all are run again. The pairs are put in order, so it does not
 * matter which task finds one. */
#include "check/frame_parts.h"

#include "check/tolerance.h"

#include <string.h>

enum { FEW_MOVERS = 16, SPARE = 32 };

static bool is_exempt(const cn_check_frame *f, uint64_t pair)
{
	uint32_t low = 0, high = f->exempt_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (f->exempt[middle] < pair)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->exempt_count && f->exempt[low] == pair;
}

static bool collide(const cn_check_frame *f, uint32_t a, uint32_t b)
{
	const cn_check_body *p = &f->bodies[a], *q = &f->bodies[b];
	return (p->dynamic || q->dynamic) && (p->group & q->mask) && (q->group & p->mask) &&
	       !is_exempt(f, (uint64_t)a << 32 | b);
}

/* Of the caller's own, which grow as they must. */
static void add_pair(cn_certifier *c, uint32_t a, uint32_t b)
{
	cn_check_store *own = &c->stores[c->store_count - 1];
	if (a > b) {
		uint32_t swap = a;
		a = b, b = swap;
	}
	if (!collide(&c->frame, a, b))
		return;
	if (c->failed || own->count == UINT32_MAX / 4 ||
	    !cn_grow(&c->allocator, (void **)&c->found, &c->found_capacity, own->first + own->count + 1,
	             sizeof *c->found)) {
		c->failed = true;
		return;
	}
	c->found[own->first + own->count++] = (uint64_t)a << 32 | b;
}

static bool meet(const cn_overlap_box *a, const cn_overlap_box *b)
{
	return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
	       a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* The box (grown by what counts as near) is above the plane of a half-space that does not turn, all the way and by more
 * than rounding. */
static bool above(const cn_check_leg *plane, const cn_overlap_box *box)
{
	const cn_placed *p = &plane->end;
	v3 n = v3_unit(m3_apply(p->r, p->part->normal)), most = v3_most(v3_abs(box->low), v3_abs(box->high));
	v3 low = {n.x > 0 ? box->low.x : box->high.x, n.y > 0 ? box->low.y : box->high.y,
	          n.z > 0 ? box->low.z : box->high.z};
	double h0 = v3_dot(n, v3_add(plane->x0, p->at)), h1 = v3_dot(n, v3_add(plane->x1, p->at));
	double far = v3_length(most) + v3_length(plane->x0) + v3_length(plane->x1) + plane->reach;
	double top = (h0 > h1 ? h0 : h1) + p->part->offset + CN_CHECK_MOTION_ULPS * DBL_EPSILON * far;
	return v3_dot(n, low) > top;
}

static void pair_planes(cn_certifier *c)
{
	for (uint32_t k = 0; k < c->plane_count; ++k) {
		const cn_check_state *plane = &c->now[c->planes[k]];
		bool steady = plane->quick && !(v3_length2(plane->leg.turn) > 0);
		for (uint32_t i = 0; i < c->frame.body_count; ++i) {
			const cn_check_state *s = &c->now[i];
			if (s->name && !s->leg.plane && !(steady && above(&plane->leg, &s->swept)))
				add_pair(c, i, c->planes[k]);
		}
	}
}

/* Those that moved with all others, and those that did not as they were. */
static void pair_movers(cn_certifier *c)
{
	const cn_check_table *t = &c->before;
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_check_entry *e = &t->entries[i];
		if (e->b >= c->frame.body_count)
			continue;
		const cn_check_state *a = &c->now[e->a], *b = &c->now[e->b];
		if (a->still && b->still && !a->leg.plane && !b->leg.plane && meet(&a->swept, &b->swept))
			add_pair(c, e->a, e->b);
	}
	for (uint32_t k = 0; k < c->mover_count; ++k) {
		uint32_t i = c->movers[k];
		const cn_overlap_box box = c->boxes[i];
		for (uint32_t j = 0; j < c->frame.body_count; ++j)
			if (meet(&box, &c->boxes[j]) && (c->now[j].still || j > i))
				add_pair(c, i, j);
	}
}

/* ---- a tree's */

/* Where a task of the tree puts its pairs. */
typedef struct gather {
	const cn_certifier *c;
	cn_check_store *store;
} gather;

static void note_pair(void *context, uint32_t a, uint32_t b)
{
	const gather *g = context;
	cn_check_store *s = g->store;
	if (!collide(&g->c->frame, a, b))
		return;
	if (s->count < s->room)
		g->c->found[s->first + s->count] = (uint64_t)a << 32 | b;
	++s->count;
}

static void run_task(void *context, uint32_t number)
{
	cn_certifier *c = context;
	cn_check_store *s = &c->stores[number];
	s->count = 0;
	cn_overlap_tree_visit(c->tree, number, note_pair, &(gather){c, s});
}

static bool lay_out(cn_certifier *c, uint32_t tasks)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < tasks; ++i)
		c->stores[i].first = (uint32_t)sum, sum += c->stores[i].room;
	c->stores[tasks] = (cn_check_store){.first = (uint32_t)sum};
	c->store_count = tasks + 1;
	return sum < UINT32_MAX / 4 &&
	       cn_grow(&c->allocator, (void **)&c->found, &c->found_capacity, (uint32_t)sum, sizeof *c->found);
}

static bool pair_tree(cn_certifier *c, cn_pool *pool)
{
	uint32_t tasks;
	bool full = true;
	if (!cn_overlap_tree_build(&c->allocator, c->tree, c->boxes, c->frame.body_count, &tasks))
		return false;
	while (full) {
		if (!lay_out(c, tasks))
			return false;
		cn_pool_run(pool, tasks, run_task, c);
		full = false;
		for (uint32_t i = 0; i < tasks; ++i) {
			cn_check_store *s = &c->stores[i];
			full = full || s->count > s->room;
			uint32_t room = s->count + s->count / 4 + SPARE;
			s->room = s->count > s->room ? room : s->room;
		}
	}
	return true;
}

/* ---- in order */

/* One pass of a sort by counting: by a, or by b. first: where those of each begin, and one more. */
static void sort_by(const uint64_t *from, uint32_t count, int shift, uint64_t *to, uint32_t *first, uint32_t bodies)
{
	memset(first, 0, ((size_t)bodies + 1) * sizeof *first);
	for (uint32_t i = 0; i < count; ++i)
		++first[(uint32_t)(from[i] >> shift)];
	for (uint32_t i = 0, sum = 0; i <= bodies; ++i) {
		sum += first[i]; /* where the ones of i end, and after the next loop where they begin */
		first[i] = sum;
	}
	for (uint32_t i = count; i-- > 0;)
		to[--first[(uint32_t)(from[i] >> shift)]] = from[i];
}

/* Entries by a, then b. */
static bool fill_table(cn_certifier *c)
{
	cn_check_table *t = &c->table;
	uint32_t bodies = c->frame.body_count, count = 0;
	for (uint32_t i = 0; i < c->store_count; ++i) { /* close up */
		const cn_check_store *s = &c->stores[i];
		if (s->count)
			memmove(c->found + count, c->found + s->first, s->count * sizeof *c->found);
		count += s->count;
	}
	if (!cn_grow(&c->allocator, (void **)&t->entries, &t->capacity, count, sizeof *t->entries) ||
	    !cn_grow(&c->allocator, (void **)&t->first, &t->first_capacity, bodies + 1, sizeof *t->first) ||
	    !cn_grow(&c->allocator, (void **)&c->pairs, &c->pair_capacity, count, sizeof *c->pairs))
		return false;
	t->count = count, t->body_count = bodies;
	sort_by(c->found, count, 0, c->pairs, t->first, bodies);
	sort_by(c->pairs, count, 32, c->found, t->first, bodies);
	uint64_t *sorted = c->found;
	uint32_t capacity = c->found_capacity;
	c->found = c->pairs, c->found_capacity = c->pair_capacity;
	c->pairs = sorted, c->pair_capacity = capacity;
	return true;
}

/* Bodies that no other may touch stay out of the search, so that they cost nothing where many are in one place. */
static void leave_out_loners(cn_certifier *c)
{
	const cn_overlap_box empty = {{1, 1, 1}, {-1, -1, -1}};
	uint32_t group = 0, mask = 0;
	for (uint32_t i = 0; i < c->frame.body_count; ++i)
		group |= c->frame.bodies[i].group, mask |= c->frame.bodies[i].mask;
	for (uint32_t i = 0; i < c->frame.body_count; ++i)
		if (!(c->frame.bodies[i].group & mask) || !(c->frame.bodies[i].mask & group))
			c->boxes[i] = empty;
}

bool cn_check_find_pairs(cn_certifier *c, cn_pool *pool)
{
	uint32_t count = c->frame.body_count;
	c->mover_count = c->plane_count = c->store_count = 0;
	c->failed = false;
	leave_out_loners(c);
	for (uint32_t i = 0; i < count; ++i) {
		const cn_check_state *s = &c->now[i];
		if (s->name && s->leg.plane)
			c->planes[c->plane_count++] = i;
		else if (s->name && !s->still)
			c->movers[c->mover_count++] = i;
	}
	if (c->mover_count <= FEW_MOVERS || c->mover_count < count / 32) {
		(void)lay_out(c, 0);
		pair_movers(c);
	} else if (!pair_tree(c, pool)) {
		return false;
	}
	pair_planes(c);
	return !c->failed && fill_table(c);
}
