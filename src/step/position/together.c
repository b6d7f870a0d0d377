/* What bodies that cannot be led go all the same. Bodies that block each other are halved, taken back or held. If that
 * were in the world, a crowd in free fall would be caught in the air wherever two of its bodies cross. So it is within
 * their group, and the group goes on together: along the mean of what its bodies are to go, as far as the one that is to
 * go least. Nobody is moved further than it is to go along that direction, and a group of which one body stands, or
 * goes against the others, goes nowhere.
 *
 * A group that something blocks which does not go with it is given up. Its bodies are as they were, and each is held
 * where it began once it is in the way again, and no longer takes others along. So this ends: a body joins a group, then
 * is alone, then stands where it began, which is free.
 *
 * Impulses inside an island that nothing fixed is near leave its centre of mass alone. Taking bodies back and holding
 * them does not. So such an island goes one more leg, as one body, to where its centre of mass goes whatever happens
 * inside, unless something is in its way. */
#include "step/context.h"
#include "step/hooks.h"

bool cn_together_begin(cairn_world *w, cn_together *g, bool frame)
{
	uint32_t count = w->slots + 1;
	*g = (cn_together){.frame = frame};
	if (!CN_LOCAL(g->root, count) || !CN_LOCAL(g->states, count) || !CN_LOCAL(g->stopped, count) ||
	    !CN_LOCAL(g->ways, count) || !CN_LOCAL(g->common, count) || !CN_LOCAL(g->least, count) ||
	    !CN_LOCAL(g->poses, count) || !CN_LOCAL(g->paths, count))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		g->root[slot] = slot;
	return true;
}

static pose began(const cairn_world *w, const cn_together *g, uint32_t slot)
{
	return g->frame ? (pose){w->motion[slot].x, w->motion[slot].q} : w->context->paths.poses[slot];
}

/* ---- groups */

static uint32_t root_of(cn_together *g, uint32_t slot)
{
	while (g->root[slot] != slot)
		slot = g->root[slot] = g->root[g->root[slot]];
	return slot;
}

static bool can_join(const cairn_world *w, const cn_together *g, uint32_t slot)
{
	return cn_body_movable(w, slot) && g->states[slot] != CN_TOGETHER_ALONE && g->states[slot] != CN_TOGETHER_HELD;
}

static void unite(cn_together *g, uint32_t a, uint32_t b)
{
	a = root_of(g, a), b = root_of(g, b);
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	g->root[high] = low;
	g->stopped[low] |= g->stopped[high];
}

void cn_together_stop(cn_together *g, const cn_pair *p)
{
	if (root_of(g, p->a) == root_of(g, p->b))
		g->stopped[root_of(g, p->a)] = 1;
}

void cn_together_join(const cairn_world *w, cn_together *g, const cn_pair *p)
{
	bool a = can_join(w, g, p->a), b = can_join(w, g, p->b);
	if (a && b)
		unite(g, p->a, p->b);
	else if (a || b)
		g->stopped[root_of(g, a ? p->a : p->b)] = 1;
}

void cn_together_join_near(const cairn_world *w, cn_together *g, const uint8_t *bodies)
{
	const cn_contacts *c = &w->context->contacts;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_pair *p = &c->pairs[i];
		bool touch = cn_pair_bad(p) || p->at.gap <= CN_PUSHING_GAP * p->gap_target;
		if (p->near && !p->must_not_touch && touch && (bodies[p->a] || bodies[p->b]))
			cn_together_join(w, g, p);
	}
}

/* ---- what they go */

/* The body's state, once it is in the way. */
static void take(cairn_world *w, cn_together *g, uint32_t slot)
{
	bool stops = g->stopped[root_of(g, slot)];
	if (g->states[slot] == CN_TOGETHER_NOT) {
		g->ways[slot] = v3_sub(w->context->paths.by_slot[slot].own.target_x, began(w, g, slot).position);
		g->poses[slot] = cn_trial_pose(w, slot);
		cn_path_copy(&g->paths[slot], &w->context->paths.by_slot[slot]);
		g->states[slot] = stops ? CN_TOGETHER_HELD : CN_TOGETHER_JOINED;
	} else if (g->states[slot] == CN_TOGETHER_ALONE) {
		g->states[slot] = CN_TOGETHER_HELD;
	}
}

/* The body of a group that is given up is as it was. */
static void leave(cairn_world *w, cn_together *g, uint32_t slot)
{
	g->states[slot] = CN_TOGETHER_ALONE;
	cn_path_copy(&w->context->paths.by_slot[slot], &g->paths[slot]);
	cn_body_move(w, slot, g->poses[slot]);
}

/* The directions of the groups, in common. */
static void find_directions(const cairn_world *w, cn_together *g)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		g->common[slot] = v3_zero(), g->least[slot] = INFINITY;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		uint32_t root = root_of(g, slot);
		if (g->states[slot] == CN_TOGETHER_JOINED)
			g->common[root] = v3_madd(g->common[root], g->ways[slot], w->rotors[slot].mass);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		double length = v3_length(g->common[slot]);
		g->common[slot] = length > 0 ? v3_scale(g->common[slot], 1 / length) : v3_zero();
	}
}

bool cn_together_find(cairn_world *w, cn_together *g, const uint8_t *bodies)
{
	bool left = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) /* joints may hold a body to what stands */
		g->stopped[root_of(g, slot)] |= bodies[slot] && cn_joints_of(w, slot) != CN_QP_NONE;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (g->states[slot] == CN_TOGETHER_JOINED && g->stopped[root_of(g, slot)])
			leave(w, g, slot), left = true;
		else if (bodies[slot])
			take(w, g, slot);
	}
	find_directions(w, g);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		uint32_t root = root_of(g, slot);
		double along = v3_dot(g->ways[slot], g->common[root]);
		if (g->states[slot] == CN_TOGETHER_JOINED && along < g->least[root])
			g->least[root] = along;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		g->common[slot] = g->root[slot] == slot && g->least[slot] > 0 && g->least[slot] < INFINITY
		                      ? v3_scale(g->common[slot], g->least[slot])
		                      : v3_zero();
	return left;
}

bool cn_together_has(const cn_together *g, uint32_t slot)
{
	return g->states[slot] == CN_TOGETHER_JOINED || g->states[slot] == CN_TOGETHER_HELD;
}

v3 cn_together_way(cn_together *g, uint32_t slot)
{
	return g->states[slot] == CN_TOGETHER_JOINED ? g->common[root_of(g, slot)] : v3_zero();
}

bool cn_together_put(cairn_world *w, cn_together *g, uint32_t slot)
{
	pose to = began(w, g, slot);
	to.position = v3_add(to.position, cn_together_way(g, slot));
	if (cn_same_pose(to.position, to.orientation, &w->next[slot]))
		return false;
	cn_path_under_rows(&w->context->paths.by_slot[slot]);
	cn_body_move(w, slot, to);
	return true;
}

/* ---- islands whose centre of mass is not where it should be */

/* The body is led by passes, so it can be moved with its island. */
static bool led(const cn_path *y) { return y->legs.role == CN_ROLE_UNDER_ROWS && !y->own.key_count; }

bool cn_strays_find(cairn_world *w, cn_strays *s)
{
	cn_context *c = w->context;
	*s = (cn_strays){0};
	if (!CN_LOCAL(s->islands, w->slots + 1))
		return false;
	cn_graph_islands(w);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool a = cn_body_movable(w, p->a), b = cn_body_movable(w, p->b);
		if (p->near && a != b)
			s->islands[c->graph.root[a ? p->a : p->b]].anchored = true;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_stray *k = &s->islands[c->graph.root[slot]];
		const cn_path *y = &c->paths.by_slot[slot];
		double mass = w->rotors[slot].mass, radius = w->bodies[slot].radius;
		if (!led(y))
			continue;
		k->anchored |= cn_joints_tied(w, slot) || cn_joints_follow(w, slot);
		k->taken_back |= y->lead.pace < 1 || y->legs.put_back;
		k->radius = radius > k->radius ? radius : k->radius;
		k->mass += mass;
		k->off = v3_madd(k->off, v3_sub(y->own.goal_x, w->next[slot].x), mass);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_stray *k = &s->islands[slot];
		bool strays = k->taken_back && !k->anchored && v3_length(k->off) > CN_SAME * k->radius * k->mass;
		k->off = strays ? v3_scale(k->off, 1 / k->mass) : v3_zero();
		s->any |= strays;
	}
	return true;
}

double cn_strays_move(cairn_world *w, const cn_strays *s)
{
	double far = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		v3 off = s->islands[w->context->graph.root[slot]].off;
		if (!led(&w->context->paths.by_slot[slot]) || v3_length2(off) == 0)
			continue;
		cn_body_move(w, slot, (pose){v3_add(w->next[slot].x, off), w->next[slot].q});
		far += v3_length(off) / w->bodies[slot].radius;
	}
	return far;
}
