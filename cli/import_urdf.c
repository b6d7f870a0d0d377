/* URDF: links and joints in lists, each joint with its two links. */
#include "import.h"
#include "names.h"
#include "render_math.h"

#include <string.h>

typedef struct urdf_link {
	xml_node *node;
	const char *name;
	size_t number;   /* of the model; IMPORT_NONE: not yet */
	xml_node *above; /* the joint that holds it; NULL: a root */
	size_t below, last,
		beside; /* the first and last link on its joints; the next one at its own parent; IMPORT_NONE: none */
} urdf_link;

typedef struct urdf {
	import *im;
	xml_node *root;
	urdf_link *links;
	size_t count, capacity;
	name_table known; /* links */
} urdf;

static const char *ask(xml_node *node, const char *name)
{
	xml_attribute *a = xml_find(node, name);
	if (!a)
		return NULL;
	a->used = true;
	return a->value;
}

static const char *need(urdf *u, xml_node *node, const char *name)
{
	const char *value = ask(node, name);
	if (!value)
		import_fail(u->im, place_of(node), "<%s> has no %s", node->name, name);
	return value;
}

static xml_node *take(xml_node *node, const char *name)
{
	xml_node *child = xml_child(node, name);
	if (child)
		child->used = true;
	return child;
}

/* Numbers of an attribute; those that are not given stay. */
static bool numbers(urdf *u, xml_node *node, const char *name, double *to, size_t count)
{
	const char *text = ask(node, name);
	return !text || import_numbers(u->im, node, text, name, to, count, count, NULL);
}

static cairn_quat turn_of(const double rpy[3])
{
	cairn_quat x = quat_exp(vec(rpy[0], 0, 0)), y = quat_exp(vec(0, rpy[1], 0)), z = quat_exp(vec(0, 0, rpy[2]));
	return quat_mul(z, quat_mul(y, x));
}

static bool read_origin(urdf *u, xml_node *parent, cairn_pose *pose)
{
	xml_node *origin = take(parent, "origin");
	double xyz[3] = {0}, rpy[3] = {0};
	if (origin && (!numbers(u, origin, "xyz", xyz, 3) || !numbers(u, origin, "rpy", rpy, 3)))
		return false;
	*pose = (cairn_pose){vec(xyz[0], xyz[1], xyz[2]), turn_of(rpy)};
	return true;
}

static bool read_inertial(urdf *u, xml_node *node, import_link *link)
{
	xml_node *mass = take(node, "mass"), *inertia = take(node, "inertia");
	double m = 0;
	static const char *const names[9] = {"ixx", "ixy", "ixz", "", "iyy", "iyz", "", "", "izz"};
	cairn_pose pose;
	import_mass own = {0};
	if (!read_origin(u, node, &pose) || (mass && !numbers(u, mass, "value", &m, 1)))
		return false;
	for (int i = 0; i < 9; ++i)
		if (inertia && names[i][0] && !numbers(u, inertia, names[i], &own.inertia[i], 1))
			return false;
	for (int i = 1; inertia && i < 3; ++i) /* some files give the other half too */
		for (int k = 0; k < i; ++k) {
			char name[4] = {'i', (char)('x' + i), (char)('x' + k), 0};
			ask(inertia, name);
			own.inertia[3 * i + k] = own.inertia[3 * k + i];
		}
	own.mass = m;
	link->mass = mass_moved(own, pose);
	link->weighed = true;
	link->place = place_of(node);
	return true;
}

/* ---- geometries */

static bool read_color(urdf *u, xml_node *node, import_geom *g)
{
	xml_node *material = take(node, "material"), *color = material ? take(material, "color") : NULL;
	const char *name = material ? ask(material, "name") : NULL;
	for (xml_node *m = u->root->first; name && !color && m; m = m->next)
		if (strcmp(m->name, "material") == 0 && xml_find(m, "name") && strcmp(xml_find(m, "name")->value, name) == 0)
			color = take(m, "color");
	double rgba[4] = {0, 0, 0, 1};
	if (!color || !xml_find(color, "rgba"))
		return true;
	if (!numbers(u, color, "rgba", rgba, 4))
		return false;
	g->has_color = true, g->color = (cairn_color){rgba[0], rgba[1], rgba[2]};
	return true;
}

/* package://NAME/rest: the package is the folder of the file or one below it that is called so. */
static const char *mesh_path(urdf *u, const char *name)
{
	cairn_files files = cairn_default_files();
	char resolved[4096];
	if (strncmp(name, "file://", 7) == 0)
		return name + 7;
	if (strncmp(name, "package://", 10) != 0)
		return name;
	const char *whole = name + 10, *rest = strchr(whole, '/');
	if (!rest)
		return whole;
	const char *inside = pool_format(&u->im->memory, "%s%s", u->im->folder, whole);
	return files.resolve(files.context, inside, resolved, sizeof resolved) ? whole : rest + 1;
}

static bool read_mesh(urdf *u, xml_node *node, import_geom *g)
{
	double scale[3] = {1, 1, 1};
	const char *name = need(u, node, "filename");
	if (!name || !numbers(u, node, "scale", scale, 3))
		return false;
	return import_hull(u->im, g, mesh_path(u, name), vec(scale[0], scale[1], scale[2]));
}

static bool is_collada(const xml_node *geometry)
{
	const xml_node *mesh = xml_child(geometry, "mesh");
	const xml_attribute *name = mesh ? xml_find(mesh, "filename") : NULL;
	size_t length = name ? strlen(name->value) : 0;
	return length > 4 &&
	       (strcmp(name->value + length - 4, ".dae") == 0 || strcmp(name->value + length - 4, ".DAE") == 0);
}

static bool read_shape(urdf *u, xml_node *geometry, import_geom *g)
{
	static const char *const kinds[] = {"box", "cylinder", "capsule", "sphere", "mesh"};
	xml_node *node = NULL;
	for (int i = 0; i < 5 && !node; ++i)
		node = take(geometry, kinds[i]);
	if (!node)
		return import_fail(u->im, place_of(geometry), "<geometry> holds no box, cylinder, capsule, sphere or mesh");
	double size[3] = {0}, radius = 0, length = 0;
	g->place = place_of(node);
	if (strcmp(node->name, "mesh") == 0)
		return read_mesh(u, node, g);
	bool box = strcmp(node->name, "box") == 0, ball = strcmp(node->name, "sphere") == 0;
	if (!need(u, node, box ? "size" : "radius") || (!box && !ball && !need(u, node, "length")) ||
	    !numbers(u, node, "size", size, 3) || !numbers(u, node, "radius", &radius, 1) ||
	    !numbers(u, node, "length", &length, 1))
		return false;
	if (box ? !(size[0] > 0 && size[1] > 0 && size[2] > 0) : !(radius > 0 && (ball || length > 0)))
		return import_fail(u->im, place_of(node), "a <%s> has sizes above 0", node->name);
	g->size = box ? vec(size[0], size[1], size[2]) : vec(radius, 0, length);
	g->shape = box ? IMPORT_BOX : ball ? IMPORT_SPHERE : node->name[1] == 'a' ? IMPORT_CAPSULE : IMPORT_CYLINDER;
	import_geom_own(u->im, g);
	return true;
}

static bool read_geoms(urdf *u, size_t link, xml_node *node, const char *kind, bool collides)
{
	for (xml_node *n = node->first; n; n = n->next) {
		if (strcmp(n->name, kind) != 0)
			continue;
		xml_node *geometry = take(n, "geometry");
		n->used = true;
		if (!geometry)
			return import_fail(u->im, place_of(n), "<%s> has no <geometry>", kind);
		if (is_collada(geometry)) {
			import_note_at(u->im, place_of(geometry), "a mesh in COLLADA", "write it as .stl, .obj or .ply");
			continue;
		}
		import_geom *g = import_add_geom(u->im, link);
		size_t number = u->im->geom_count - 1;
		const char *name = ask(n, "name");
		g->name = name ? name : "", g->collides = collides, g->weighs = false;
		if (!collides)
			g->type = g->with = 0;
		if (!read_origin(u, n, &g->pose) || !read_shape(u, geometry, g) || !read_color(u, n, &u->im->geoms[number]))
			return false;
	}
	return true;
}

/* Visual geometry is taken where a link has no other. The colour of a link's first visual is that of all of it. */
static bool read_link(urdf *u, urdf_link *l)
{
	xml_node *inertial = take(l->node, "inertial"), *visual = xml_child(l->node, "visual");
	import_link *link = &u->im->links[l->number];
	link->place = place_of(l->node);
	if (inertial && !read_inertial(u, inertial, link))
		return false;
	size_t first = u->im->geom_count;
	if (!read_geoms(u, l->number, l->node, "collision", true))
		return false;
	bool collides = u->im->geom_count > first;
	if (!collides && !read_geoms(u, l->number, l->node, "visual", false))
		return false;
	for (size_t i = first; collides && visual && i < u->im->geom_count; ++i)
		if (!read_color(u, visual, &u->im->geoms[i]))
			return false;
	for (xml_node *n = visual; collides && n; n = n->next)
		n->used |= strcmp(n->name, "visual") == 0;
	for (xml_node *n = visual; collides && n; n = n->next)
		if (strcmp(n->name, "visual") == 0) {
			import_note_at(u->im, place_of(n), "<visual>", "the link is drawn as it collides");
			n->first = n->last = NULL;
			for (xml_attribute *a = n->attributes; a; a = a->next)
				a->used = true;
		}
	return true;
}

/* ---- joints */

static bool read_limit(urdf *u, xml_node *node, bool continuous, import_joint *j)
{
	xml_node *limit = take(node, "limit");
	double effort = 0;
	if (!limit)
		return true;
	if (!numbers(u, limit, "lower", &j->low, 1) || !numbers(u, limit, "upper", &j->high, 1) ||
	    !numbers(u, limit, "effort", &effort, 1))
		return false;
	j->limited = !continuous && (xml_find(limit, "lower") || xml_find(limit, "upper"));
	if (effort > 0)
		import_note_at(u->im, place_of(limit), "effort of <limit>",
		               "nothing drives the joint; give the scene's joint a motor");
	return j->low <= j->high ||
	       import_fail(u->im, place_of(limit), "the lower limit %g is above the upper one, %g", j->low, j->high);
}

static bool read_axis(urdf *u, xml_node *node, cairn_vec3 *axis)
{
	xml_node *at = take(node, "axis");
	double xyz[3] = {1, 0, 0};
	if (at && !numbers(u, at, "xyz", xyz, 3))
		return false;
	cairn_vec3 a = vec(xyz[0], xyz[1], xyz[2]);
	if (!(vec_length(a) > 1e-9))
		return import_fail(u->im, place_of(at), "the axis has no length; give the direction, as in xyz=\"0 0 1\"");
	*axis = vec_unit(a);
	return true;
}

static bool read_drive(urdf *u, xml_node *node, import_joint *j)
{
	xml_node *dynamics = take(node, "dynamics");
	return !dynamics || numbers(u, dynamics, "damping", &j->damping, 1);
}

static bool read_joint(urdf *u, xml_node *node, size_t link)
{
	const char *type = need(u, node, "type"), *name = ask(node, "name");
	import *im = u->im;
	import_joint *j = NULL;
	cairn_vec3 axis = vec(1, 0, 0);
	name = name ? name : "";
	if (!type)
		return false;
	if (strcmp(type, "fixed") == 0)
		return true;
	if (strcmp(type, "floating") == 0) {
		import_note_at(im, place_of(node), "a floating joint", "the link is free and stands where its parent has it");
		import_add_joint(im, link, IMPORT_FREE, name);
		return true;
	}
	bool planar = strcmp(type, "planar") == 0, slides = strcmp(type, "prismatic") == 0;
	bool continuous = strcmp(type, "continuous") == 0;
	if (!planar && !slides && !continuous && strcmp(type, "revolute") != 0)
		return import_fail(
			im, place_of(node),
			"a joint of type \"%.40s\"; there are revolute, continuous, prismatic, fixed, floating and planar", type);
	if (!read_axis(u, node, &axis))
		return false;
	if (planar) {
		cairn_vec3 s = vec_across(axis);
		import_add_joint(im, link, IMPORT_SLIDE, pool_format(&im->memory, "%s, first", name))->axis = s;
		import_add_joint(im, link, IMPORT_SLIDE, pool_format(&im->memory, "%s, second", name))->axis =
			vec_cross(axis, s);
	}
	j = import_add_joint(im, link, slides ? IMPORT_SLIDE : IMPORT_HINGE, name);
	j->axis = axis, j->place = place_of(node);
	return read_limit(u, node, continuous, j) && read_drive(u, node, j);
}

/* ---- the tree */

static urdf_link *find(urdf *u, const char *name)
{
	const named *found = names_find(&u->known, name);
	return found ? &u->links[found->number] : NULL;
}

static void add_link(urdf *u, xml_node *node, const char *name)
{
	u->links = pool_room(&u->im->memory, u->links, u->count, &u->capacity, sizeof *u->links);
	u->links[u->count] = (urdf_link){node, name, IMPORT_NONE, NULL, IMPORT_NONE, IMPORT_NONE, IMPORT_NONE};
	names_add(&u->known, name, u->count++);
}

static void put_below(urdf *u, urdf_link *parent, size_t child)
{
	if (parent->below == IMPORT_NONE)
		parent->below = child;
	else
		u->links[parent->last].beside = child;
	parent->last = child;
}

static bool list_links(urdf *u)
{
	for (xml_node *n = u->root->first; n; n = n->next) {
		if (strcmp(n->name, "link") != 0)
			continue;
		const char *name = need(u, n, "name");
		n->used = true;
		if (!name)
			return false;
		if (find(u, name))
			return import_fail(u->im, place_of(n), "there is a link \"%.80s\" already", name);
		add_link(u, n, name);
	}
	return u->count || import_fail(u->im, place_of(u->root), "the robot has no links");
}

static bool list_joints(urdf *u)
{
	for (xml_node *n = u->root->first; n; n = n->next) {
		xml_node *ends[2] = {xml_child(n, "parent"), xml_child(n, "child")};
		if (strcmp(n->name, "joint") != 0)
			continue;
		n->used = true;
		for (int i = 0; i < 2; ++i) {
			if (!ends[i])
				return import_fail(u->im, place_of(n), "the joint has no <%s>", i ? "child" : "parent");
			const char *name = need(u, ends[i], "link");
			ends[i]->used = true;
			if (!name)
				return false;
			if (!i && strcmp(name, "world") == 0 && !find(u, name)) { /* some files mean it without saying so */
				xml_node *world = pool_take(&u->im->memory, sizeof *world);
				*world = (xml_node){.name = "link", .file = n->file, .line = n->line, .column = n->column};
				add_link(u, world, name);
			}
			urdf_link *l = find(u, name);
			if (!l)
				return import_fail(u->im, place_of(ends[i]), "there is no link \"%.80s\"", name);
			if (i && l->above)
				return import_fail(
					u->im, place_of(n),
					"link \"%.80s\" has two parents: it is the child of the joint of line %d already; URDF is a tree",
					name, l->above->line);
			if (i)
				l->above = n;
		}
	}
	for (size_t i = 0; i < u->count; ++i) {
		const xml_node *above = u->links[i].above;
		if (above)
			put_below(u, find(u, xml_find(xml_child(above, "parent"), "link")->value), i);
	}
	return true;
}

static bool add_below(urdf *u, urdf_link *l, size_t parent, int depth)
{
	cairn_pose pose = {.orientation = {1, 0, 0, 0}};
	if (l->above && !read_origin(u, l->above, &pose))
		return false;
	l->number = import_add_link(u->im, l->name, parent, pose);
	if (depth > 1000)
		return import_fail(u->im, place_of(l->node), "more than 1000 links hang on each other");
	if (!read_link(u, l) || (l->above && !read_joint(u, l->above, l->number)))
		return false;
	for (size_t i = l->below; i != IMPORT_NONE; i = u->links[i].beside)
		if (!add_below(u, &u->links[i], l->number, depth + 1))
			return false;
	return true;
}

static const char *reason(const char *tag, const char *attribute)
{
	static const char *const reasons[][3] = {
		{"transmission", NULL, "gearboxes are not simulated"},
		{"gazebo", NULL, "settings of another program"},
		{"mimic", NULL, "joints do not follow each other"},
		{"safety_controller", NULL, "no controller runs"},
		{"calibration", NULL, "nothing is calibrated"},
		{"texture", NULL, "textures are not drawn"},
		{"limit", "velocity", "joints have no greatest speed"},
		{"dynamics", "friction", "joints have no friction"},
		{"robot", "version", "not needed"},
		{"sensor", NULL, "nothing is sensed"},
		{"plugin", NULL, "settings of another program"},
	};
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
		if (strcmp(reasons[i][0], tag) == 0 &&
		    (attribute ? reasons[i][1] && strcmp(reasons[i][1], attribute) == 0 : !reasons[i][1]))
			return reasons[i][2];
	return NULL;
}

/* A root that weighs nothing, is called world, or is to be fixed, is part of the world; another one is free. */
static bool add_root(urdf *u, urdf_link *l)
{
	const xml_node *inertial = xml_child(l->node, "inertial");
	if (!add_below(u, l, IMPORT_NONE, 0))
		return false;
	bool fixed =
		u->im->asked->fixed || strcmp(l->name, "world") == 0 || !inertial || u->im->links[l->number].mass.mass == 0;
	if (!fixed)
		import_add_joint(u->im, l->number, IMPORT_FREE, "");
	return true;
}

bool import_urdf(import *im, xml_node *root)
{
	urdf u = {.im = im, .root = root, .known = names_begin(&im->memory)};
	const char *name = ask(root, "name");
	im->title = name ? name : "robot";
	if (!list_links(&u) || !list_joints(&u))
		return false;
	for (size_t i = 0; i < u.count; ++i)
		if (!u.links[i].above && !add_root(&u, &u.links[i]))
			return false;
	for (size_t i = 0; i < u.count; ++i)
		if (u.links[i].number == IMPORT_NONE)
			return import_fail(im, place_of(u.links[i].node),
			                   "link \"%.80s\" hangs on itself: its joints go round in a circle; URDF is a tree",
			                   u.links[i].name);
	for (xml_node *n = root->first; n; n = n->next)
		if (strcmp(n->name, "material") == 0) {
			n->used = true;
			ask(n, "name");
		}
	import_note_unused(im, root, reason);
	return true;
}
