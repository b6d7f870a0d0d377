/* Finding the figure, and where its links are. */
#include "plan/planar.h"

#define CN_ASKEW 1e-9 /* of directions of length 1: hinges that are parallel, sliders that are across them */

/* ---- making */

static bool moves(const cairn_scene *s, cairn_body b)
{
	return b.generation && s->bodies[b.index].type == CAIRN_DYNAMIC;
}

static bool fail_joint(const cairn_scene *s, uint32_t joint, const char *why, cairn_error *error)
{
	cn_fail(error, CAIRN_INVALID, "figure", "joint %u (%s) %s", joint,
	        s->joints[joint].name && *s->joints[joint].name ? s->joints[joint].name : "without a name", why);
	return false;
}

/* The plane: across the first hinge of the figure, or with the world's x if it has none. */
static void choose_plane(cn_planar *f, v3 axis)
{
	v3 g = cairn_scene_settings(f->scene).gravity, up = v3_madd(v3_neg(g), axis, v3_dot(g, axis));
	if (v3_length(up) < 1e-6 * (1 + v3_length(g))) {
		v3 other = fabs(axis.z) < 0.9 ? v3_make(0, 0, 1) : v3_make(0, 1, 0);
		up = v3_madd(other, axis, -v3_dot(other, axis));
	}
	f->axis = axis, f->up = v3_unit(up), f->right = v3_cross(f->up, axis);
	f->gravity = cn_planar_flat(f, g);
}

static bool add_link(cn_planar *f, uint32_t body, uint32_t joint, uint32_t parent, cairn_error *error)
{
	const cairn_scene *s = f->scene;
	if (f->count == CN_PLANAR_MAX)
		return cn_fail(error, CAIRN_INVALID, "figure", "the figure has more than %d bodies", CN_PLANAR_MAX);
	cn_planar_link *l = &f->links[f->count++];
	m3 inertia;
	v3 center;
	*l = (cn_planar_link){.body = body, .joint = joint, .parent = parent, .sign = 1, .kind = CN_PLANAR_FREE};
	if (!cn_body_mass(s, &s->bodies[body], &l->mass, &center, &inertia, error))
		return false;
	v3 own = q_unrotate(s->bodies[body].pose.orientation, f->axis);
	l->inertia = v3_dot(own, m3_apply(inertia, own));
	l->at = cn_planar_flat(f, pose_apply(s->bodies[body].pose, center));
	f->mass += l->mass;
	return true;
}

/* The joint that holds the newest link: its kind, arms and sign. turned: the joint's second body carries it. */
static bool tie(cn_planar *f, bool turned, cairn_error *error)
{
	cn_planar_link *l = &f->links[f->count - 1];
	const cairn_joint_def *j = &f->scene->joints[l->joint];
	p2 point = cn_planar_flat(f, j->point), on = l->parent == CN_PLANAR_NONE ? (p2){0, 0} : f->links[l->parent].at;
	double along = v3_dot(j->axis, f->axis);
	l->arm_parent = p2_sub(point, on), l->arm = p2_sub(point, l->at);
	if (j->type == CAIRN_HINGE) {
		if (fabs(along) < 1 - CN_ASKEW)
			return fail_joint(f->scene, l->joint, "is not parallel to the others; a plan moves in one plane", error);
		l->kind = CN_PLANAR_HINGE, l->sign = (along > 0) == !turned ? 1 : -1;
	} else if (j->type == CAIRN_SLIDER) {
		if (fabs(along) > CN_ASKEW)
			return fail_joint(f->scene, l->joint, "slides out of the plane that the plan moves in", error);
		l->kind = CN_PLANAR_SLIDER, l->slide = p2_scale(cn_planar_flat(f, j->axis), turned ? -1 : 1);
	} else if (j->type == CAIRN_WELD) {
		l->kind = CN_PLANAR_WELD;
	} else {
		return fail_joint(f->scene, l->joint, "is a ball or a distance; a plan moves figures on hinges and sliders",
		                  error);
	}
	return true;
}

/* Everything that hangs on the links so far. */
static bool grow(cn_planar *f, cairn_error *error)
{
	const cairn_scene *s = f->scene;
	for (uint32_t k = 0; k < f->count; ++k)
		for (uint32_t i = 0; i < s->joint_count; ++i) {
			const cairn_joint_def *j = &s->joints[i];
			uint32_t body = f->links[k].body;
			bool turned = moves(s, j->b) && j->b.index == body;
			cairn_body other = turned ? j->a : j->b;
			if (i == f->links[k].joint || (!turned && !(moves(s, j->a) && j->a.index == body)))
				continue;
			uint32_t known = moves(s, other) ? cn_planar_link_of(f, other.index) : CN_PLANAR_NONE;
			if (known != CN_PLANAR_NONE && f->links[known].joint == i)
				continue;
			if (!moves(s, other) || known != CN_PLANAR_NONE)
				return fail_joint(s, i, "closes a ring; a plan moves a tree of joints", error);
			if (!add_link(f, other.index, i, k, error) || !tie(f, turned, error))
				return false;
		}
	return true;
}

/* The first body: one that something fixed holds, or else the one asked for. */
static bool plant(cn_planar *f, uint32_t body, cairn_error *error)
{
	const cairn_scene *s = f->scene;
	bool seen[4096] = {false};
	uint32_t stack[4096], count = 0, anchor = CN_PLANAR_NONE;
	v3 axis = v3_make(0, -1, 0);
	bool has_axis = false;
	if (s->body_count > 4096)
		return cn_fail(error, CAIRN_INVALID, "figure", "a plan's scene has at most 4096 bodies");
	stack[count++] = body, seen[body] = true;
	while (count) {
		uint32_t at = stack[--count];
		for (uint32_t i = 0; i < s->joint_count; ++i) {
			const cairn_joint_def *j = &s->joints[i];
			bool is_a = moves(s, j->a) && j->a.index == at, is_b = moves(s, j->b) && j->b.index == at;
			cairn_body other = is_a ? j->b : j->a;
			if (!is_a && !is_b)
				continue;
			if (j->type == CAIRN_HINGE && !has_axis)
				axis = j->axis, has_axis = true;
			if (!moves(s, other))
				anchor = anchor == CN_PLANAR_NONE ? i : anchor;
			else if (!seen[other.index])
				seen[other.index] = true, stack[count++] = other.index;
		}
	}
	choose_plane(f, axis);
	if (anchor == CN_PLANAR_NONE)
		return add_link(f, body, CN_PLANAR_NONE, CN_PLANAR_NONE, error);
	bool turned = moves(s, s->joints[anchor].a);
	uint32_t held = turned ? s->joints[anchor].a.index : s->joints[anchor].b.index;
	return add_link(f, held, anchor, CN_PLANAR_NONE, error) && tie(f, turned, error);
}

bool cn_planar_make(cn_planar *f, const cairn_scene *scene, cairn_body body, cairn_error *error)
{
	*f = (cn_planar){.scene = scene, .size = 0};
	if (!plant(f, body.index, error) || !grow(f, error))
		return false;
	for (uint32_t i = 0; i < f->count; ++i) {
		cn_planar_link *l = &f->links[i];
		l->rate = f->rates, l->rates = l->kind == CN_PLANAR_FREE ? 3 : l->kind == CN_PLANAR_WELD ? 0 : 1;
		f->rates += l->rates;
		f->size += sqrt(p2_dot(l->arm, l->arm)) + sqrt(p2_dot(l->arm_parent, l->arm_parent));
	}
	f->size = f->count > 1 ? f->size : 1;
	return true;
}

uint32_t cn_planar_link_of(const cn_planar *f, uint32_t body)
{
	for (uint32_t i = 0; i < f->count; ++i)
		if (f->links[i].body == body)
			return i;
	return CN_PLANAR_NONE;
}

/* ---- where it is */

void cn_planar_start(const cn_planar *f, double *place)
{
	for (uint32_t i = 0; i < f->rates; ++i)
		place[i] = 0;
	if (f->links[0].kind == CN_PLANAR_FREE)
		place[0] = f->links[0].at.x, place[1] = f->links[0].at.z;
}

void cn_planar_put(const cn_planar *f, const double *place, cn_planar_state *o)
{
	for (uint32_t i = 0; i < f->count; ++i) {
		const cn_planar_link *l = &f->links[i];
		uint32_t p = l->parent;
		const double *at = place + l->rate;
		double angle = p == CN_PLANAR_NONE ? 0 : o->angle[p], c = p == CN_PLANAR_NONE ? 1 : o->c[p];
		double s = p == CN_PLANAR_NONE ? 0 : o->s[p];
		p2 on = p == CN_PLANAR_NONE ? (p2){0, 0} : o->x[p];
		o->angle[i] = angle + (l->kind == CN_PLANAR_FREE ? at[2] : l->kind == CN_PLANAR_HINGE ? at[0] : 0);
		cn_sincos(o->angle[i], &o->s[i], &o->c[i]);
		o->slide[i] = p2_turn(l->slide, c, s);
		if (l->kind == CN_PLANAR_FREE) {
			o->x[i] = o->joint[i] = (p2){at[0], at[1]};
			continue;
		}
		o->joint[i] = p2_add(on, p2_turn(l->arm_parent, c, s));
		if (l->kind == CN_PLANAR_SLIDER)
			o->joint[i] = p2_add(o->joint[i], p2_scale(o->slide[i], at[0]));
		o->x[i] = p2_sub(o->joint[i], p2_turn(l->arm, o->c[i], o->s[i]));
	}
}

/* The link that a coordinate moves, if it carries this one; else CN_PLANAR_NONE. */
static uint32_t carrier(const cn_planar *f, uint32_t link, uint32_t r)
{
	for (uint32_t i = link; i != CN_PLANAR_NONE; i = f->links[i].parent)
		if (r >= f->links[i].rate && r < f->links[i].rate + f->links[i].rates)
			return i;
	return CN_PLANAR_NONE;
}

static bool turns(const cn_planar *f, uint32_t link, uint32_t r)
{
	const cn_planar_link *l = &f->links[link];
	return l->kind == CN_PLANAR_HINGE || (l->kind == CN_PLANAR_FREE && r == l->rate + 2);
}

p2 cn_planar_column(const cn_planar *f, const cn_planar_state *s, uint32_t link, p2 point, uint32_t r, double *turn)
{
	uint32_t by = carrier(f, link, r);
	*turn = 0;
	if (by == CN_PLANAR_NONE)
		return (p2){0, 0};
	if (turns(f, by, r))
		return *turn = 1, p2_perp(p2_sub(point, s->joint[by]));
	if (f->links[by].kind == CN_PLANAR_SLIDER)
		return s->slide[by];
	return r == f->links[by].rate ? (p2){1, 0} : (p2){0, 1};
}

p2 cn_planar_bend(const cn_planar *f, const cn_planar_state *s, uint32_t link, p2 point, uint32_t r, uint32_t q)
{
	uint32_t a = carrier(f, link, r), b = carrier(f, link, q);
	if (a == CN_PLANAR_NONE || b == CN_PLANAR_NONE)
		return (p2){0, 0};
	uint32_t low = a > b ? a : b, high = a > b ? b : a, low_rate = a > b ? r : q, high_rate = a > b ? q : r;
	if (!turns(f, high, high_rate) && !(a == b && turns(f, low, low_rate)))
		return (p2){0, 0};
	if (a == b && !(turns(f, a, r) && turns(f, a, q)))
		return (p2){0, 0};
	if (turns(f, low, low_rate))
		return p2_sub(s->joint[low], point);
	return f->links[low].kind == CN_PLANAR_SLIDER ? p2_perp(s->slide[low]) : (p2){0, 0};
}

p2 cn_planar_point(const cn_planar *f, const cn_planar_state *s, uint32_t link, v3 point)
{
	const cn_planar_link *l = &f->links[link];
	p2 arm = p2_sub(cn_planar_flat(f, pose_apply(f->scene->bodies[l->body].pose, point)), l->at);
	return p2_add(s->x[link], p2_turn(arm, s->c[link], s->s[link]));
}

pose cn_planar_pose(const cn_planar *f, const cn_planar_state *s, uint32_t link)
{
	const cn_planar_link *l = &f->links[link];
	pose at = f->scene->bodies[l->body].pose;
	p2 flat = cn_planar_flat(f, at.position), to = cn_planar_point(f, s, link, v3_zero());
	v3 moved = v3_madd(v3_madd(at.position, f->right, to.x - flat.x), f->up, to.z - flat.z);
	return (pose){moved, q_unit(q_mul(q_exp(v3_scale(f->axis, s->angle[link])), at.orientation))};
}
