/* MJCF: bodies with their geometries, joints and masses. */
#include "import_mjcf.h"
#include "render_math.h"

#include <string.h>

/* ---- poses of files that give all in the world's frame */

static cairn_vec3 own_vector(const mjcf *m, cairn_vec3 v)
{
	return m->global ? quat_turn(quat_conjugate(m->frame.orientation), v) : v;
}

static cairn_vec3 own_point(const mjcf *m, cairn_vec3 p)
{
	return m->global ? own_vector(m, vec_sub(p, m->frame.position)) : p;
}

static cairn_pose own_pose(const mjcf *m, cairn_pose pose)
{
	if (!m->global)
		return pose;
	return (cairn_pose){own_point(m, pose.position), quat_mul(quat_conjugate(m->frame.orientation), pose.orientation)};
}

/* ---- geometries */

static bool read_fromto(mjcf *m, xml_node *node, import_geom *g, bool *given)
{
	double e[6];
	size_t n;
	*given = false;
	if (!mjcf_numbers(m, node, "fromto", e, 6, &n))
		return false;
	if (n != 6)
		return n == 0 || import_fail(m->im, place_of(node), "fromto of <geom>: %zu numbers, where 6 are needed", n);
	cairn_vec3 a = vec(e[0], e[1], e[2]), b = vec(e[3], e[4], e[5]), along = vec_sub(b, a);
	double length = vec_length(along);
	if (!(length > 0))
		return import_fail(m->im, place_of(node), "fromto of <geom>: its two ends are the same");
	cairn_vec3 z = vec_scale(-1 / length, along),
			   axis = vec_cross(vec(0, 0, 1), z); /* MuJoCo's z points to the first end */
	double s = vec_length(axis), angle = atan2(s, z.z);
	g->pose.position = vec_scale(0.5, vec_add(a, b));
	g->pose.orientation = quat_exp(s > 1e-10 ? vec_scale(angle / s, axis) : vec(angle, 0, 0));
	g->size.z = length;
	*given = true;
	return true;
}

static bool read_mesh_geom(mjcf *m, xml_node *node, import_geom *g)
{
	const char *name = mjcf_ask(m, node, "mesh");
	const mjcf_mesh *mesh = NULL;
	for (size_t i = 0; name && i < m->mesh_count; ++i)
		if (strcmp(m->meshes[i].name, name) == 0)
			mesh = &m->meshes[i];
	if (!mesh)
		return import_fail(m->im, place_of(node), "there is no mesh \"%.80s\" among the assets", name ? name : "");
	if (mesh->path)
		return import_hull(m->im, g, mesh->path, mesh->scale);
	g->shape = IMPORT_HULL, g->points = mesh->points, g->point_count = mesh->point_count;
	return import_hull_points(m->im, g);
}

/* Sizes in MJCF are halves. */
static bool read_size(mjcf *m, xml_node *node, const char *type, import_geom *g)
{
	static const struct {
		const char *name;
		import_shape shape;
		size_t sizes;
	} kinds[] = {{"sphere", IMPORT_SPHERE, 1},       {"capsule", IMPORT_CAPSULE, 2}, {"cylinder", IMPORT_CYLINDER, 2},
	             {"ellipsoid", IMPORT_ELLIPSOID, 3}, {"box", IMPORT_BOX, 3},         {"plane", IMPORT_PLANE, 0}};
	double size[3] = {0};
	size_t n, kind = 0;
	bool ends;
	while (kind < 6 && strcmp(kinds[kind].name, type) != 0)
		++kind;
	if (kind == 6)
		return import_fail(m->im, place_of(node), "a geom of type \"%.40s\" is not taken over; leave it out", type);
	if (!mjcf_numbers(m, node, "size", size, 3, &n) || !read_fromto(m, node, g, &ends))
		return false;
	g->shape = kinds[kind].shape;
	size_t needed = ends && kinds[kind].sizes ? 1 : kinds[kind].sizes;
	for (size_t i = 0; i < needed; ++i)
		if (!(size[i] > 0))
			return import_fail(m->im, place_of(node), "a %s has sizes above 0", type);
	if (g->shape == IMPORT_BOX || g->shape == IMPORT_ELLIPSOID) {
		double half = g->size.z / 2;
		g->size = vec(size[0], ends ? size[0] : size[1], ends ? half : size[2]);
		g->size = g->shape == IMPORT_BOX ? vec_scale(2, g->size) : g->size;
	} else {
		g->size = vec(size[0], 0, ends ? g->size.z : 2 * size[1]);
	}
	import_geom_own(m->im, g);
	return true;
}

static bool read_look(mjcf *m, xml_node *node, import_geom *g)
{
	double c[4] = {0.5, 0.5, 0.5, 1};
	size_t n;
	if (!mjcf_numbers(m, node, "rgba", c, 4, &n))
		return false;
	const char *material = n ? NULL : mjcf_ask(m, node, "material");
	for (xml_node *s = m->root->first; material && s; s = s->next)
		for (xml_node *k = strcmp(s->name, "asset") == 0 ? s->first : NULL; k; k = k->next) {
			const xml_attribute *name = xml_find(k, "name");
			if (strcmp(k->name, "material") == 0 && name && strcmp(name->value, material) == 0 &&
			    !mjcf_numbers(m, k, "rgba", c, 4, &n))
				return false;
		}
	g->has_color = n >= 3, g->color = (cairn_color){c[0], c[1], c[2]};
	return true;
}

static bool read_touch(mjcf *m, xml_node *node, import_geom *g)
{
	double type = 1, with = 1, friction[3] = {1, 0.005, 0.0001}, condim = 3, group = 0;
	size_t n;
	if (!mjcf_number(m, node, "contype", &type) || !mjcf_number(m, node, "conaffinity", &with) ||
	    !mjcf_numbers(m, node, "friction", friction, 3, &n) || !mjcf_number(m, node, "condim", &condim) ||
	    !mjcf_number(m, node, "group", &group) || !mjcf_number(m, node, "density", &g->density) ||
	    !mjcf_number(m, node, "mass", &g->mass))
		return false;
	g->type = (uint32_t)type, g->with = (uint32_t)with, g->collides = g->type || g->with;
	g->friction = friction[0], g->slick = condim == 1;
	g->weighs = group >= m->groups[0] && group <= m->groups[1];
	if (n > 1)
		import_note_at(m->im, place_of(node), "friction of <geom> about the normal and rolling",
		               "contacts have sliding friction");
	return g->friction >= 0 && g->density >= 0
	           ? true
	           : import_fail(m->im, place_of(node), "a geom has friction and density of 0 or more");
}

static bool read_geom(mjcf *m, xml_node *node, size_t link)
{
	import_geom *g = import_add_geom(m->im, link);
	const char *name = mjcf_own(node, "name"), *type = mjcf_ask(m, node, "type");
	bool mesh = mjcf_ask(m, node, "mesh") != NULL;
	node->used = true;
	type = type ? type : "sphere";
	g->name = name ? name : "", g->place = place_of(node);
	if (strcmp(type, "hfield") == 0 || strcmp(type, "sdf") == 0) {
		import_note_at(m->im, place_of(node), pool_format(&m->im->memory, "a geom of type %s", type),
		               "write it as a heightfield of the scene");
		--m->im->geom_count;
		return true;
	}
	if (mesh && strcmp(type, "mesh") != 0)
		import_note_at(m->im, place_of(node), "a primitive fitted to a mesh", "the hull of the mesh stands for it");
	if (!mjcf_pose(m, node, &g->pose) || !read_touch(m, node, g) || !read_look(m, node, g))
		return false;
	bool ok = mesh ? read_mesh_geom(m, node, g) : read_size(m, node, type, g);
	g->pose = own_pose(m, g->pose);
	return ok;
}

/* ---- joints */

static bool read_range(mjcf *m, xml_node *node, import_joint *j, double unit)
{
	double range[2] = {0};
	size_t n;
	const char *limited = mjcf_ask(m, node, "limited");
	if (!mjcf_numbers(m, node, "range", range, 2, &n))
		return false;
	j->limited = limited && strcmp(limited, "auto") != 0 ? strcmp(limited, "true") == 0 : n == 2 && !m->unlimited;
	j->low = range[0] * unit, j->high = range[1] * unit;
	if (j->limited && !(j->low <= j->high))
		return import_fail(m->im, place_of(node), "the lower limit %g is above the upper one, %g", range[0], range[1]);
	if (j->limited && j->type == IMPORT_BALL) {
		import_note_at(m->im, place_of(node), "range of a ball joint", "ball joints have no limits");
		j->limited = false;
	}
	return true;
}

static bool read_joint(mjcf *m, xml_node *node, size_t link)
{
	static const char *const types[] = {
		[IMPORT_HINGE] = "hinge", [IMPORT_SLIDE] = "slide", [IMPORT_BALL] = "ball", [IMPORT_FREE] = "free"};
	const char *name = mjcf_own(node, "name"),
			   *type = strcmp(node->name, "freejoint") == 0 ? "free" : mjcf_ask(m, node, "type");
	double at[3] = {0}, axis[3] = {0, 0, 1}, rest = 0, spring = 0, stiffness[3] = {0}, damping[3] = {0};
	int kind = 0;
	size_t n;
	node->used = true;
	type = type ? type : "hinge";
	while (kind < 4 && strcmp(types[kind], type) != 0)
		++kind;
	if (kind == 4)
		return import_fail(m->im, place_of(node), "a joint of type \"%.40s\"; there are hinge, slide, ball and free",
		                   type);
	import_joint *j = import_add_joint(m->im, link, (import_joint_type)kind, name ? name : "");
	j->place = place_of(node);
	if (kind == IMPORT_FREE)
		return true;
	double unit = kind == IMPORT_HINGE ? m->angle : 1;
	if (!mjcf_numbers(m, node, "pos", at, 3, NULL) || !mjcf_numbers(m, node, "axis", axis, 3, NULL) ||
	    !mjcf_number(m, node, "ref", &rest) || !mjcf_numbers(m, node, "springref", &spring, 1, &n) ||
	    !mjcf_numbers(m, node, "stiffness", stiffness, 3, NULL) ||
	    !mjcf_numbers(m, node, "damping", damping, 3, NULL) || !read_range(m, node, j, unit))
		return false;
	j->at = own_point(m, vec(at[0], at[1], at[2]));
	j->axis = own_vector(m, vec_unit(vec(axis[0], axis[1], axis[2])));
	j->rest = j->start = rest * unit, j->spring = spring * unit;
	j->stiffness = stiffness[0], j->damping = damping[0];
	if (kind == IMPORT_BALL && (j->stiffness > 0 || j->damping > 0))
		import_note_at(m->im, place_of(node), "stiffness and damping of a ball joint", "ball joints have no drives");
	return vec_length(j->axis) > 0 ||
	       import_fail(m->im, place_of(node), "the axis has no length; give the direction, as in axis=\"0 0 1\"");
}

/* ---- bodies */

static bool read_inertial(mjcf *m, xml_node *node, import_link *l)
{
	double diagonal[3], full[6];
	size_t d, f;
	cairn_pose pose;
	import_mass own = {0};
	node->used = true;
	if (!mjcf_pose(m, node, &pose) || !mjcf_number(m, node, "mass", &own.mass) ||
	    !mjcf_numbers(m, node, "diaginertia", diagonal, 3, &d) || !mjcf_numbers(m, node, "fullinertia", full, 6, &f))
		return false;
	if (d != 3 && f != 6)
		return import_fail(m->im, place_of(node),
		                   "link \"%.80s\": <inertial> has neither diaginertia (3 numbers) nor fullinertia (6)",
		                   l->name);
	if (f == 6) {
		const double I[9] = {full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2]};
		memcpy(own.inertia, I, sizeof I);
	} else {
		for (int i = 0; i < 3; ++i)
			own.inertia[4 * i] = diagonal[i];
	}
	l->mass = mass_moved(own, own_pose(m, pose)), l->weighed = true, l->place = place_of(node);
	return true;
}

static bool read_parts(mjcf *m, xml_node *body, size_t link);

static bool read_body(mjcf *m, xml_node *node, size_t parent)
{
	import *im = m->im;
	cairn_pose pose;
	const char *name = mjcf_own(node, "name");
	node->used = true;
	if (!mjcf_pose(m, node, &pose))
		return false;
	cairn_pose above = m->frame, here = pose;
	pose = own_pose(m, pose);
	m->frame = here;
	size_t link =
		import_add_link(im, name ? name : pool_format(&im->memory, "body %zu", im->link_count + 1), parent, pose);
	im->links[link].place = place_of(node);
	if (mjcf_bool(m, node, "mocap", false))
		import_note_at(im, place_of(node), "mocap of <body>", "the body is fixed");
	for (xml_node *n = node->first; n; n = n->next) {
		bool joint = strcmp(n->name, "joint") == 0 || strcmp(n->name, "freejoint") == 0;
		if (joint && !read_joint(m, n, link))
			return false;
		if (strcmp(n->name, "inertial") == 0 && !m->from_geoms && !read_inertial(m, n, &im->links[link]))
			return false;
		n->used |= strcmp(n->name, "inertial") == 0;
	}
	const import_link *l = &im->links[link];
	for (size_t i = 0; i < l->joint_count; ++i)
		if (im->joints[l->joints[i]].type == IMPORT_FREE && (parent != IMPORT_NONE || l->joint_count > 1))
			return import_fail(im, place_of(node), "a free joint is the only one of a body of the world");
	bool ok = read_parts(m, node, link);
	m->frame = above;
	return ok;
}

static bool read_parts(mjcf *m, xml_node *body, size_t link)
{
	mjcf_own(body, "childclass");
	for (xml_node *n = body->first; n; n = n->next)
		if (strcmp(n->name, "geom") == 0 && !read_geom(m, n, link))
			return false;
	for (xml_node *n = body->first; n; n = n->next)
		if (strcmp(n->name, "body") == 0 && !read_body(m, n, link))
			return false;
	return true;
}

bool mjcf_bodies(mjcf *m)
{
	for (xml_node *n = m->root->first; n; n = n->next)
		if (strcmp(n->name, "worldbody") == 0) {
			n->used = true;
			if (!read_parts(m, n, IMPORT_NONE))
				return false;
		}
	return m->im->link_count || m->im->geom_count || import_fail(m->im, place_of(m->root), "the model has no bodies");
}
