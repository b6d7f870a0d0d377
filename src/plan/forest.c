/* Which body hangs on which, and by what. The recursion over links is that of num/joint_tree.h. */
#include "plan/forest.h"

#include <stdio.h>

enum { NO_JOINT = 0xFFFFFFFFu };

/* A link before it has its numbers: which body, on which joint, turned where the joint's second body carries it. */
typedef struct hanging {
	uint32_t body, joint, parent; /* parent: link, or CN_TREE_BASE */
	bool turned;
} hanging;

typedef struct growth {
	const cairn_scene *scene;
	hanging *links;
	uint32_t count;
	uint32_t *link_of;
	bool *used; /* joints */
} growth;

static bool moves(const cairn_scene *s, cairn_body b)
{
	return b.generation && s->bodies[b.index].type == CAIRN_DYNAMIC;
}

static bool fail_joint(const cairn_scene *s, uint32_t joint, const char *why, cairn_error *error)
{
	cn_fail(error, CAIRN_INVALID, "joints", "joint %u (%s) %s", joint,
	        s->joints[joint].name && *s->joints[joint].name ? s->joints[joint].name : "without a name", why);
	cn_places_find(&s->places, CN_PLACE_JOINTS, joint, error);
	return false;
}

static void hang(growth *g, uint32_t body, uint32_t joint, uint32_t parent, bool turned)
{
	g->links[g->count++] = (hanging){body, joint, parent, turned};
	g->link_of[body] = g->count;
	if (joint != NO_JOINT)
		g->used[joint] = true;
}

static bool check_type(const cairn_scene *s, uint32_t joint, cairn_error *error)
{
	cairn_joint_type type = s->joints[joint].type;
	char why[120];
	if (cn_joint_in_tree(type))
		return true;
	snprintf(why, sizeof why, "is a %s, which makes no tree; goals move bodies on trees of joints",
	         cn_joint_type_name(type));
	return fail_joint(s, joint, why, error);
}

/* Everything that joints hang on the links from first on. */
static bool grow(growth *g, uint32_t first, cairn_error *error)
{
	const cairn_scene *s = g->scene;
	for (uint32_t k = first; k < g->count; ++k)
		for (uint32_t i = 0; i < s->joint_count; ++i) {
			const cairn_joint_def *j = &s->joints[i];
			uint32_t body = g->links[k].body;
			bool turned = moves(s, j->b) && j->b.index == body;
			cairn_body other = turned ? j->a : j->b;
			if (g->used[i] || (!turned && !(moves(s, j->a) && j->a.index == body)))
				continue;
			if (!check_type(s, i, error))
				return false;
			if (!moves(s, other) || g->link_of[other.index])
				return fail_joint(s, i, "closes a ring; goals move bodies on trees of joints", error);
			hang(g, other.index, i, k, turned);
		}
	return true;
}

/* The joint by which something that stays holds a body of the group of `body`, found by a walk that is then forgotten. */
static uint32_t find_anchor(growth *g, uint32_t body, bool *seen, uint32_t *stack)
{
	const cairn_scene *s = g->scene;
	uint32_t count = 0, anchor = NO_JOINT;
	stack[count++] = body, seen[body] = true;
	while (count) {
		uint32_t at = stack[--count];
		for (uint32_t i = 0; i < s->joint_count; ++i) {
			const cairn_joint_def *j = &s->joints[i];
			bool is_a = moves(s, j->a) && j->a.index == at, is_b = moves(s, j->b) && j->b.index == at;
			cairn_body other = is_a ? j->b : j->a;
			if (!is_a && !is_b)
				continue;
			if (!moves(s, other))
				anchor = anchor == NO_JOINT ? i : anchor;
			else if (!seen[other.index])
				seen[other.index] = true, stack[count++] = other.index;
		}
	}
	return anchor;
}

static bool plant(growth *g, uint32_t body, bool *seen, uint32_t *stack, cairn_error *error)
{
	const cairn_scene *s = g->scene;
	uint32_t first = g->count, anchor = find_anchor(g, body, seen, stack);
	if (anchor == NO_JOINT) {
		hang(g, body, NO_JOINT, CN_TREE_BASE, false);
		return grow(g, first, error);
	}
	const cairn_joint_def *j = &s->joints[anchor];
	bool turned = moves(s, j->a);
	if (!check_type(s, anchor, error))
		return false;
	hang(g, turned ? j->a.index : j->b.index, anchor, CN_TREE_BASE, turned);
	return grow(g, first, error);
}

static cn_tree_kind kind_of(cairn_joint_type type)
{
	static const cn_tree_kind kinds[] = {[CAIRN_BALL] = CN_TREE_BALL,
	                                     [CAIRN_HINGE] = CN_TREE_HINGE,
	                                     [CAIRN_SLIDER] = CN_TREE_SLIDER,
	                                     [CAIRN_WELD] = CN_TREE_FIXED};
	return kinds[type];
}

/* Arms and axes as they are at the start, where coordinates are 0. Masses do not matter: nothing is accelerated. */
static cn_tree_link link_of(const growth *g, const hanging *h)
{
	const cairn_scene *s = g->scene;
	cn_tree_link l = {.parent = h->parent, .kind = CN_TREE_FREE, .mass = 1, .moments = {1, 1, 1}, .axes = {1, 0, 0, 0}};
	pose own = s->bodies[h->body].pose;
	pose on = h->parent == CN_TREE_BASE ? pose_identity() : s->bodies[g->links[h->parent].body].pose;
	l.turn = q_identity(), l.axis = v3_make(0, 0, 1);
	if (h->joint == NO_JOINT)
		return l;
	const cairn_joint_def *j = &s->joints[h->joint];
	l.kind = kind_of(j->type);
	l.arm_parent = q_unrotate(on.orientation, v3_sub(j->point, on.position));
	l.arm = q_unrotate(own.orientation, v3_sub(j->point, own.position));
	l.axis = q_unrotate(on.orientation, h->turned ? v3_neg(j->axis) : j->axis); /* the coordinate is the joint's own */
	l.turn = q_mul(q_conj(on.orientation), own.orientation);
	return l;
}

static bool make_tree(cn_forest *f, const growth *g, cn_arena *arena, cairn_error *error)
{
	cn_tree_link *links = cn_arena_take(arena, g->count, sizeof *links);
	f->body_of = cn_arena_take(arena, g->count, sizeof *f->body_of);
	f->low = cn_arena_take(arena, g->count, sizeof *f->low), f->high = cn_arena_take(arena, g->count, sizeof *f->high);
	if (arena->failed)
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < g->count; ++i) {
		const cairn_joint_def *j = g->links[i].joint == NO_JOINT ? NULL : &g->scene->joints[g->links[i].joint];
		links[i] = link_of(g, &g->links[i]);
		f->body_of[i] = g->links[i].body;
		f->low[i] = j && j->has_limits ? j->low : -INFINITY, f->high[i] = j && j->has_limits ? j->high : INFINITY;
	}
	f->tree = g->count ? cn_joint_tree_make(&g->scene->allocator, links, g->count) : NULL;
	return f->tree || !g->count || cn_fail_memory(error);
}

bool cn_forest_make(cn_forest *f, const cairn_scene *scene, const bool *wanted, cn_arena *arena, cairn_error *error)
{
	uint32_t n = scene->body_count;
	growth g = {.scene = scene};
	*f = (cn_forest){.scene = scene};
	g.links = cn_arena_take(arena, n, sizeof *g.links), g.link_of = cn_arena_take(arena, n, sizeof *g.link_of);
	g.used = cn_arena_take(arena, scene->joint_count, sizeof *g.used);
	bool *seen = cn_arena_take(arena, n, sizeof *seen);
	uint32_t *stack = cn_arena_take(arena, n, sizeof *stack);
	if (arena->failed)
		return cn_fail_memory(error);
	f->link_of = g.link_of;
	for (uint32_t i = 0; i < n; ++i)
		if (wanted[i] && scene->bodies[i].type == CAIRN_DYNAMIC && !g.link_of[i] && !plant(&g, i, seen, stack, error))
			return false;
	return make_tree(f, &g, arena, error);
}

void cn_forest_free(cn_forest *f)
{
	cn_joint_tree_free(f->tree);
	f->tree = NULL;
}

void cn_forest_start(const cn_forest *f, double *place)
{
	for (uint32_t i = 0; f->tree && i < f->tree->count; ++i) {
		const cn_tree_link *l = &f->tree->links[i];
		pose at = f->scene->bodies[f->body_of[i]].pose;
		quat q = l->kind == CN_TREE_FREE ? at.orientation : q_identity();
		double *p = place + l->place;
		if (l->kind == CN_TREE_FREE)
			p[0] = at.position.x, p[1] = at.position.y, p[2] = at.position.z, p += 3;
		if (l->kind == CN_TREE_FREE || l->kind == CN_TREE_BALL)
			p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z;
		else if (l->places)
			p[0] = 0;
	}
}

static void turn_by(const double *from, v3 turn, double *to)
{
	quat q = q_unit(q_mul(q_exp(turn), (quat){from[0], from[1], from[2], from[3]}));
	to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

void cn_forest_advance(const cn_forest *f, const double *from, const double *step, double *to)
{
	const cn_joint_tree *t = f->tree;
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		const double *a = from + l->place, *d = step + l->rate;
		double *b = to + l->place;
		v3 turn = l->rates >= 3 ? v3_make(d[0], d[1], d[2]) : v3_zero();
		if (l->kind == CN_TREE_FREE) {
			for (int k = 0; k < 3; ++k)
				b[k] = a[k] + d[3 + k];
			turn_by(a + 3, turn, b + 3);
		} else if (l->kind == CN_TREE_BALL) {
			turn_by(a, l->parent == CN_TREE_BASE ? turn : q_unrotate(t->bodies[l->parent].q, turn), b);
		} else if (l->places) {
			b[0] = fmin(fmax(a[0] + d[0], f->low[i]), f->high[i]);
		}
	}
}

pose cn_forest_pose(const cn_forest *f, uint32_t body)
{
	uint32_t link = f->link_of[body];
	return link ? (pose){f->tree->bodies[link - 1].x, f->tree->bodies[link - 1].q} : f->scene->bodies[body].pose;
}

void cn_forest_rates(const cn_forest *f, uint32_t body, v3 point, cn_forest_use *use, void *context)
{
	static const v3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	const cn_joint_tree *t = f->tree;
	for (uint32_t i = f->link_of[body]; i;
	     i = t->links[i - 1].parent == CN_TREE_BASE ? 0 : t->links[i - 1].parent + 1) {
		const cn_tree_link *l = &t->links[i - 1];
		const cn_tree_body *b = &t->bodies[i - 1];
		v3 arm = v3_sub(point, v3_add(b->joint, t->origin));
		if (l->kind == CN_TREE_HINGE)
			use(context, l->rate, v3_cross(b->axis, arm), b->axis);
		if (l->kind == CN_TREE_SLIDER)
			use(context, l->rate, b->axis, v3_zero());
		for (uint32_t k = 0; k < 3 && l->rates >= 3; ++k)
			use(context, l->rate + k, v3_cross(unit[k], arm), unit[k]);
		for (uint32_t k = 0; k < 3 && l->kind == CN_TREE_FREE; ++k)
			use(context, l->rate + 3 + k, unit[k], v3_zero());
	}
}
