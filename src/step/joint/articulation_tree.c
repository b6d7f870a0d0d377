/* Articulations in reduced coordinates: which link hangs on which, and coordinates from poses and back. Links stay
 * bodies; a tree is memory of a frame like all of an articulation. */
#include "step/joint/articulation.h"

/* ---- building */

static bool movable(const cairn_world *w, uint32_t slot) { return slot != CN_NO_BODY && w->rotors[slot].active; }

/* Every joint that holds is one of those that a tree knows. */
static bool may_be_tree(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	bool is = !art->loops;
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
		const cairn_joint_def *d = &w->scene->joints[g->joints[i]];
		is &=
			cn_joint_pulls(w, g->joints[i]) || (cn_joint_in_tree(d->type) && (d->type != CAIRN_BALL || !d->has_limits));
	}
	return is;
}

static cn_tree_kind kind_of(cairn_joint_type type)
{
	switch (type) {
	case CAIRN_BALL: return CN_TREE_BALL;
	case CAIRN_HINGE: return CN_TREE_HINGE;
	case CAIRN_SLIDER: return CN_TREE_SLIDER;
	default: return CN_TREE_FIXED;
	}
}

static bool listed(const cn_tree_place *all, uint32_t count, uint32_t link)
{
	for (uint32_t i = 0; i < count; ++i)
		if (all[i].link == link)
			return true;
	return false;
}

/* The first link of those that are not listed: the one that is tied to something, or else the heaviest. */
static cn_tree_place first_link(const cairn_world *w, const cn_articulations *g, const cn_articulation *art,
                                const cn_tree_place *all, uint32_t count)
{
	cn_tree_place first = {CN_QP_NONE, CN_QP_NONE, CN_NO_BODY, false};
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		if (!listed(all, count, i) &&
		    (first.link == CN_QP_NONE || w->rotors[g->links[i].slot].mass > w->rotors[g->links[first.link].slot].mass))
			first.link = i;
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
		const cn_joint *j = &w->joints[g->joints[i]];
		bool turned = movable(w, j->a);
		if ((turned && movable(w, j->b)) || cn_joint_pulls(w, g->joints[i]) ||
		    listed(all, count, g->link[turned ? j->a : j->b]))
			continue;
		first = (cn_tree_place){g->link[turned ? j->a : j->b], g->joints[i], turned ? j->b : j->a, turned};
	}
	return first;
}

/* Lists the links in order: those that hang on each, from the first one on, and, where springs alone lead to others, from a first
 * one of these. False: the joints are no trees, or these hang on different things. */
static bool order_links(const cairn_world *w, cn_articulations *g, const cn_articulation *art)
{
	cn_tree_place *all = &g->tree[art->link];
	bool springs = art->joints > art->holds; /* else every link is reached once */
	uint32_t count = 0, free = 0;
	for (uint32_t k = 0; k < art->links; ++k) {
		if (k == count) {
			cn_tree_place first = first_link(w, g, art, all, count);
			if (count && first.joint != CN_QP_NONE && first.carrier != all[0].carrier)
				return false;
			free += first.joint == CN_QP_NONE;
			all[count++] = first;
		}
		uint32_t slot = g->links[all[k].link].slot;
		for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
			const cn_joint *j = &w->joints[g->joints[i]];
			bool turned = j->b == slot;
			uint32_t other = turned ? j->a : j->b;
			if ((j->a != slot && j->b != slot) || g->joints[i] == all[k].joint || !movable(w, other) ||
			    cn_joint_pulls(w, g->joints[i]) || (springs && listed(all, count, g->link[other])))
				continue;
			all[count++] = (cn_tree_place){g->link[other], g->joints[i], slot, turned};
		}
	}
	return art->holds == art->links - free; /* every joint leads to a link */
}

static cn_tree_link link_at(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, uint32_t index)
{
	const cn_tree_place *at = &g->tree[art->link + index];
	cn_tree_link l = {.parent = CN_TREE_BASE, .kind = CN_TREE_FREE};
	for (uint32_t i = 0; i < index; ++i)
		if (g->links[g->tree[art->link + i].link].slot == at->carrier)
			l.parent = i;
	if (at->joint == CN_QP_NONE)
		return l;
	const cn_joint *j = &w->joints[at->joint];
	l.kind = kind_of(w->scene->joints[at->joint].type);
	l.arm_parent = at->turned ? j->arm_b : j->arm_a, l.arm = at->turned ? j->arm_a : j->arm_b;
	l.axis = at->turned ? v3_neg(j->axis_b) : j->axis_a; /* so that the coordinate is that of the joint */
	l.turn = at->turned ? q_conj(j->turned) : j->turned;
	return l;
}

bool cn_articulation_plant(cairn_world *w, cn_articulations *g, cn_articulation *art)
{
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	cn_tree_link *links;
	if (!may_be_tree(w, g, art))
		return true;
	if (!CN_ROOM(g->tree, art->link + art->links) || !CN_LOCAL(links, art->links))
		return false;
	if (!order_links(w, g, art)) {
		cn_arena_return(arena, mark);
		return true;
	}
	for (uint32_t i = 0; i < art->links; ++i)
		links[i] = link_at(w, g, art, i);
	art->tree = cn_joint_tree_make(&w->allocator, links, art->links);
	cn_arena_return(arena, mark);
	return art->tree != NULL;
}

/* ---- coordinates from poses */

/* Of all angles that describe the same turn, the one nearest to another angle. */
static double nearest(double x, double to) { return x + 2 * CN_PI * floor((to - x) / (2 * CN_PI) + 0.5); }

static void read_place(const cn_tree_link *l, const cn_motion *at, pose parent, double near, double *out)
{
	quat q = q_mul(q_mul(q_conj(parent.orientation), at->q), q_conj(l->turn));
	v3 from = v3_add(parent.position, q_rotate(parent.orientation, l->arm_parent));
	v3 to = v3_add(at->x, q_rotate(at->q, l->arm));
	switch (l->kind) {
	case CN_TREE_HINGE: out[0] = nearest(2 * cn_atan2(v3_dot(v3_make(q.x, q.y, q.z), l->axis), q.w), near); return;
	case CN_TREE_SLIDER: out[0] = v3_dot(v3_sub(to, from), q_rotate(parent.orientation, l->axis)); return;
	case CN_TREE_BALL: out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z; return;
	case CN_TREE_FREE:
		out[0] = at->x.x, out[1] = at->x.y, out[2] = at->x.z;
		out[3] = at->q.w, out[4] = at->q.x, out[5] = at->q.y, out[6] = at->q.z;
		return;
	default: return;
	}
}

static void read_carrier(const cairn_world *w, cn_joint_tree *t, uint32_t slot)
{
	cn_twist u = cn_articulation_carrier(w, slot);
	t->base = cn_joint_side(w->motion, slot), t->time = 0;
	t->base_v = u.v, t->base_spin = u.w;
}

void cn_articulation_read_tree(cairn_world *w, const cn_articulation *art)
{
	cn_articulations *g = w->context->articulations;
	cn_joint_tree *t = art->tree;
	const cn_tree_place *all = &g->tree[art->link];
	read_carrier(w, t, all[0].joint == CN_QP_NONE ? CN_NO_BODY : all[0].carrier);
	t->size = art->size;
	for (uint32_t i = 0; i < t->count; ++i) {
		cn_tree_link *l = &t->links[i];
		const cn_link *k = &g->links[all[i].link];
		const cn_rotor *r = &w->rotors[k->slot];
		const cn_motion *p = l->parent == CN_TREE_BASE ? NULL : &g->links[all[l->parent].link].at;
		l->mass = r->mass, l->moments = r->moments, l->axes = r->turned ? r->axes : q_identity();
		l->locked = false;
		read_place(l, &k->at, p ? (pose){p->x, p->q} : t->base,
		           all[i].joint == CN_QP_NONE ? 0 : w->joints[all[i].joint].near, t->place + l->place);
		t->turned[i] = v3_scale(k->at.v, r->mass), t->spins[i] = k->at.l;
	}
	cn_joint_tree_put(t, t->place);
	cn_joint_tree_project(t, t->turned, t->spins, t->rate);
	cn_joint_tree_move(t, t->rate);
	cn_joint_tree_changed(t);
}

void cn_articulation_write_tree(cairn_world *w, const cn_articulation *art)
{
	cn_articulations *g = w->context->articulations;
	const cn_joint_tree *t = art->tree;
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_place *at = &g->tree[art->link + i];
		const cn_tree_body *b = &t->bodies[i];
		cn_link *l = &g->links[at->link];
		quat q = q_unit(b->q);
		l->at = (cn_motion){b->x, q_dot(q, l->at.q) < 0 ? q_neg(q) : q, b->v, b->l};
		if (t->links[i].kind == CN_TREE_HINGE)
			w->joints[at->joint].near = t->place[t->links[i].place];
	}
}
