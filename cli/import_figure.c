/* From links as the file has them to bodies: links without mass, links with several joints, and where all stand.
 *
 * A body of cairn hangs on one joint. A link with several gets a carrier between each two of them: a small body, where the
 * next joint is, that takes a share of the link's mass. Link and carriers together have the mass, the centre and the inertia
 * of the file. */
#include "import.h"
#include "render_math.h"

#include <string.h>

#define CARRIER_SHARE 0.01 /* of the mass and of the least moment: little against the link, and nothing that is stiff */
#define CARRIER_LEVER 0.05 /* of the least moment: what the share may weigh about the link's centre */
#define CARRIER_TRIES 40

static cairn_vec3 pose_point(cairn_pose a, cairn_vec3 p) { return vec_add(a.position, quat_turn(a.orientation, p)); }

static cairn_pose pose_mul(cairn_pose a, cairn_pose b)
{
	return (cairn_pose){pose_point(a, b.position), quat_mul(a.orientation, b.orientation)};
}

static cairn_pose pose_inverse(cairn_pose a)
{
	cairn_quat q = quat_conjugate(a.orientation);
	return (cairn_pose){vec_scale(-1, quat_turn(q, a.position)), q};
}

/* ---- links without mass */

/* Link i becomes part of link to, in whose frame it stands at pose. */
static void join(import *im, size_t i, size_t to, cairn_pose pose)
{
	import_link *l = &im->links[i], *t = &im->links[to];
	if (l->mass.mass > 0) {
		import_mass m = mass_moved(l->mass, pose);
		t->mass = t->mass.mass > 0 ? mass_add(t->mass, m) : m;
	}
	for (size_t g = 0; g < im->geom_count; ++g)
		if (im->geoms[g].link == i)
			im->geoms[g].link = to, im->geoms[g].pose = pose_mul(pose, im->geoms[g].pose);
	for (size_t k = 0; k < im->link_count; ++k)
		if (k != to && im->links[k].parent == i && !im->links[k].gone)
			im->links[k].parent = to, im->links[k].pose = pose_mul(pose, im->links[k].pose);
	for (size_t k = 0; k < im->tie_count; ++k) {
		import_tie *tie = &im->ties[k];
		if (tie->a == i)
			tie->a = to, tie->at = pose_point(pose, tie->at);
		if (tie->b == i)
			tie->b = to;
	}
	for (size_t k = 0; k < im->pair_count; ++k) {
		import_pair *p = &im->pairs[k];
		p->a = p->a == i ? to : p->a, p->b = p->b == i ? to : p->b;
	}
	l->gone = true;
}

static void find_fixed(import *im)
{
	for (size_t i = 0; i < im->link_count; ++i) {
		import_link *l = &im->links[i];
		l->fixed = !l->joint_count && (l->parent == IMPORT_NONE || im->links[l->parent].fixed);
	}
}

/* Links that hang on no joint and weigh nothing, or are points, become part of their parents; what hangs fast on one that weighs nothing
 * and has a joint becomes part of it. */
static void join_weightless(import *im)
{
	for (size_t i = 0; i < im->link_count; ++i) {
		import_link *l = &im->links[i];
		double e[3];
		mass_moments(&l->mass, e);
		if (!l->fixed && !l->joint_count && !(l->mass.mass > 0 && e[2] > 0)) {
			import_note_at(im, l->place, pool_format(&im->memory, "link \"%s\"", l->name),
			               "it has no inertia of its own and is part of what it is fixed to");
			join(im, i, l->parent, l->pose);
		}
	}
	for (size_t i = im->link_count; i-- > 0;) {
		import_link *l = &im->links[i];
		if (l->gone || l->fixed || l->mass.mass > 0)
			continue;
		for (size_t k = i + 1; k < im->link_count; ++k)
			if (im->links[k].parent == i && !im->links[k].gone && !im->links[k].joint_count)
				join(im, k, i, im->links[k].pose);
	}
}

/* ---- carriers */

/* A share of a link's mass for a body at a point of the world. False: there is none that leaves a possible body. */
static bool take_share(import_link *l, cairn_vec3 point, import_mass *share)
{
	double e[3];
	mass_moments(&l->mass, e);
	cairn_vec3 at = pose_point(pose_inverse(l->stands), point), far = vec_sub(at, l->mass.center);
	double lever = vec_dot(far, far), part = CARRIER_SHARE;
	if (part * l->mass.mass * lever > CARRIER_LEVER * e[0])
		part = CARRIER_LEVER * e[0] / (l->mass.mass * lever);
	for (int tries = 0; tries < CARRIER_TRIES; ++tries, part /= 2) {
		double m = part * l->mass.mass, i = part * e[0];
		import_mass small = {.mass = -m, .center = at, .inertia = {-i, 0, 0, 0, -i, 0, 0, 0, -i}};
		import_mass rest = mass_add(l->mass, small);
		if (!mass_possible(&rest, 0))
			continue;
		l->mass = rest;
		*share = (import_mass){.mass = m, .inertia = {i, 0, 0, 0, i, 0, 0, 0, i}};
		return true;
	}
	return false;
}

static bool fail_share(import *im, const import_link *l)
{
	return import_fail(
		im, l->place,
		"link \"%.80s\" is flat to the last digit or has no mass, so that nothing of it can stand between its joints; "
		"make one of its moments of inertia less",
		l->name);
}

/* Links that weigh nothing and hang on a joint: they take a share of a link that hangs on them. */
static bool share_weightless(import *im)
{
	for (size_t i = im->link_count; i-- > 0;) {
		import_link *l = &im->links[i], *child = NULL;
		if (l->gone || l->fixed || l->mass.mass > 0)
			continue;
		for (size_t k = i + 1; k < im->link_count && !child; ++k)
			if (im->links[k].parent == i && !im->links[k].gone && im->links[k].mass.mass > 0)
				child = &im->links[k];
		if (!child)
			return import_fail(
				im, l->place,
				"link \"%.80s\" hangs on a joint and has no mass, nor has anything that hangs on it; give it one",
				l->name);
		cairn_vec3 point = im->joints[child->joints[0]].anchor;
		if (!take_share(child, point, &l->mass))
			return fail_share(im, child);
		l->mass.center = pose_point(pose_inverse(l->stands), point);
		import_note_at(im, l->place, pool_format(&im->memory, "link \"%s\" without mass", l->name),
		               "it takes a share of what hangs on it");
	}
	return true;
}

static bool add_carriers(import *im)
{
	size_t links = im->link_count;
	for (size_t i = 0; i < links; ++i) {
		size_t count = im->links[i].gone ? 0 : im->links[i].joint_count, parent = im->links[i].parent;
		for (size_t k = 0; k + 1 < count; ++k) {
			import_joint *here = &im->joints[im->links[i].joints[k]];
			cairn_vec3 point = im->joints[im->links[i].joints[k + 1]].anchor;
			const char *name = pool_format(&im->memory, "%s (%s)", im->links[i].name, here->name);
			size_t carrier = import_add_link(im, name, parent, (cairn_pose){0});
			import_link *c = &im->links[carrier];
			c->stands = (cairn_pose){point, {1, 0, 0, 0}};
			c->carrier = true, c->weld = im->links[i].weld, c->place = im->links[i].place;
			c->joints = pool_take(&im->memory, sizeof *c->joints);
			c->joints[0] = im->links[i].joints[k], c->joint_count = 1;
			here->link = carrier;
			if (!take_share(&im->links[i], point, &c->mass))
				return fail_share(im, &im->links[i]);
			parent = carrier;
		}
		if (count > 1) {
			import_link *l = &im->links[i];
			l->joints[0] = l->joints[count - 1], l->joint_count = 1, l->parent = parent;
		}
	}
	return true;
}

/* ---- where they stand */

static void start_within(import *im, import_joint *j)
{
	if (!j->limited || (j->start >= j->low && j->start <= j->high))
		return;
	double start = fmin(fmax(j->start, j->low), j->high);
	import_note_at(
		im, j->place, pool_format(&im->memory, "joint \"%s\" at %g", j->name, j->start),
		pool_format(&im->memory, "that is outside its limits, %g and %g; it starts at %g", j->low, j->high, start));
	j->start = start;
}

static cairn_pose move(cairn_pose x, import_joint *j)
{
	double by = j->start - j->rest;
	j->anchor = pose_point(x, j->at), j->way = quat_turn(x.orientation, j->axis);
	if (j->type == IMPORT_SLIDE)
		x.position = vec_add(x.position, vec_scale(by, j->way));
	if (j->type != IMPORT_HINGE && j->type != IMPORT_BALL)
		return x;
	if (j->type == IMPORT_HINGE && by != 0)
		x.orientation = quat_mul(quat_exp(vec_scale(by, j->way)), x.orientation);
	if (j->type == IMPORT_BALL)
		x.orientation = quat_mul(x.orientation, j->turn);
	x.position = vec_sub(j->anchor, quat_turn(x.orientation, j->at));
	return x;
}

static void stand(import *im)
{
	for (size_t i = 0; i < im->link_count; ++i) {
		import_link *l = &im->links[i];
		l->weld = l->fixed ? IMPORT_NONE : l->joint_count ? i : im->links[l->parent].weld;
		cairn_pose x = l->parent == IMPORT_NONE ? l->pose : pose_mul(im->links[l->parent].stands, l->pose);
		for (size_t k = 0; k < l->joint_count; ++k) {
			start_within(im, &im->joints[l->joints[k]]);
			x = move(x, &im->joints[l->joints[k]]);
		}
		l->stands = x;
	}
}

/* Neighbours do not collide, as in MuJoCo: links that are fixed to each other, and those that a joint holds, with all that
 * is fixed to either; but for what hangs on the world. */
static void pass_neighbours(import *im)
{
	size_t *above = pool_take(&im->memory, im->link_count * sizeof *above);
	for (size_t i = 0; i < im->link_count; ++i) {
		const import_link *l = &im->links[i];
		above[i] = IMPORT_NONE;
		if (l->gone || l->fixed)
			continue;
		const import_link *root = &im->links[l->weld];
		above[i] = root->parent == IMPORT_NONE ? IMPORT_NONE : im->links[root->parent].weld;
	}
	for (size_t i = 0; i < im->link_count; ++i)
		for (size_t k = i + 1; k < im->link_count; ++k) {
			const import_link *a = &im->links[i], *b = &im->links[k];
			if (a->gone || b->gone || a->fixed || b->fixed)
				continue;
			if (a->weld == b->weld || above[i] == b->weld || above[k] == a->weld)
				import_add_pair(im, i, k, NULL);
		}
}

size_t import_free_root(const import *im, size_t link)
{
	while (link != IMPORT_NONE) {
		const import_link *l = &im->links[link];
		if (l->joint_count && im->joints[l->joints[0]].type == IMPORT_FREE)
			return link;
		link = l->parent;
	}
	return IMPORT_NONE;
}

void import_raise(import *im, size_t root, double by)
{
	for (size_t i = 0; i < im->link_count; ++i) {
		import_link *l = &im->links[i];
		size_t own = l->gone ? IMPORT_NONE : import_free_root(im, i);
		if (own == IMPORT_NONE || (root != IMPORT_NONE && own != root))
			continue;
		l->stands.position.z += by;
		for (size_t k = 0; k < l->joint_count; ++k)
			im->joints[l->joints[k]].anchor.z += by;
	}
}

bool import_figure(import *im)
{
	find_fixed(im);
	join_weightless(im);
	stand(im);
	import_raise(im, IMPORT_NONE, im->lift);
	pass_neighbours(im);
	return share_weightless(im) && add_carriers(im);
}
