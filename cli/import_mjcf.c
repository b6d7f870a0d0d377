/* MJCF: includes, the compiler's settings, classes of defaults, assets. */
#include "import_mjcf.h"
#include "render_math.h"

#include <stdlib.h>
#include <string.h>

enum { INCLUDE_DEPTH = 32, INCLUDES_MAX = 10000 };

/* ---- includes */

/* A file that is read once, as MuJoCo has it: so includes end, whatever they name. */
typedef struct included {
	const char *path; /* resolved: one file has one */
	const struct included *before, *above;
	int depth;
	size_t number;
} included;

static bool expand(mjcf *m, xml_node *node, const included *above, const included **last);

static bool include(mjcf *m, xml_node *to, xml_node *node, const included *above, const included **last)
{
	import *im = m->im;
	xml_attribute *file = xml_find(node, "file");
	if (!file)
		return import_fail(im, place_of(node), "<include> has no file");
	if (above->depth >= INCLUDE_DEPTH)
		return import_fail(im, place_of(node), "includes are more than %d deep", INCLUDE_DEPTH);
	if ((*last)->number >= INCLUDES_MAX)
		return import_fail(im, place_of(node), "the model includes more than %d files", INCLUDES_MAX);
	const char *path = import_find_file(im, place_of(node), file->value);
	if (!path)
		return false;
	for (const included *c = above; c; c = c->above)
		if (strcmp(c->path, path) == 0)
			return import_fail(im, place_of(node), "the includes go round in a circle: \"%.200s\" includes itself",
			                   file->value);
	for (const included *c = *last; c; c = c->before)
		if (strcmp(c->path, path) == 0)
			return import_fail(im, place_of(node), "\"%.200s\" is included twice; a model includes a file once",
			                   file->value);
	included *own = pool_take(&im->memory, sizeof *own);
	*own = (included){path, *last, above, above->depth + 1, (*last)->number + 1};
	*last = own;
	size_t size;
	const char *text = import_read_file(im, place_of(node), file->value, &size);
	xml_node *root = text ? xml_read(&im->memory, text, size, file->value, &im->error) : NULL;
	if (!root || !expand(m, root, own, last))
		return false;
	for (xml_node *n = root->first, *next; n; n = next) {
		next = n->next;
		xml_append(to, n);
	}
	return true;
}

/* The children of a node, with what they include in their places. */
static bool expand(mjcf *m, xml_node *node, const included *above, const included **last)
{
	xml_node *n = node->first, *next;
	node->first = node->last = NULL;
	for (; n; n = next) {
		next = n->next;
		if (strcmp(n->name, "include") == 0) {
			if (!include(m, node, n, above, last))
				return false;
			continue;
		}
		xml_append(node, n);
		if (!expand(m, n, above, last))
			return false;
	}
	return true;
}

/* ---- classes and attributes */

static bool add_class(mjcf *m, xml_node *node, const char *above)
{
	xml_attribute *name = xml_find(node, "class");
	if (!name && above)
		return import_fail(m->im, place_of(node), "a <default> inside another has a class");
	if (name)
		name->used = true;
	node->used = true;
	m->classes = pool_room(&m->im->memory, m->classes, m->class_count, &m->class_capacity, sizeof *m->classes);
	const char *own = !above ? "main" : name->value;
	m->classes[m->class_count++] = (mjcf_class){own, above, node};
	if (!above && name && strcmp(name->value, "main") != 0) { /* the outermost may have a name of its own */
		m->classes = pool_room(&m->im->memory, m->classes, m->class_count, &m->class_capacity, sizeof *m->classes);
		m->classes[m->class_count++] = (mjcf_class){name->value, "main", node};
	}
	for (xml_node *n = node->first; n; n = n->next)
		if (strcmp(n->name, "default") == 0 && !add_class(m, n, own))
			return false;
	return true;
}

static bool is_drive(const char *tag)
{
	static const char *const tags[] = {"general", "motor", "position", "velocity"};
	for (int i = 0; i < 4; ++i)
		if (strcmp(tags[i], tag) == 0)
			return true;
	return false;
}

static xml_attribute *find_default(const mjcf *m, const char *class, const char *tag, const char *name)
{
	while (class) {
		const char *above = NULL;
		xml_attribute *found = NULL;
		bool known = false;
		for (size_t i = 0; i < m->class_count; ++i) {
			if (strcmp(m->classes[i].name, class) != 0)
				continue;
			known = true, above = m->classes[i].above;
			for (const xml_node *n = m->classes[i].node->first; n; n = n->next) {
				bool same = strcmp(n->name, tag) == 0 || (is_drive(tag) && is_drive(n->name));
				xml_attribute *a = same ? xml_find(n, name) : NULL;
				found = a ? a : found;
			}
		}
		if (found || !known)
			return found;
		class = above;
	}
	return NULL;
}

static const char *class_of(const xml_node *node)
{
	xml_attribute *own = xml_find(node, "class");
	if (own)
		return own->used = true, own->value;
	for (const xml_node *n = node->parent; n; n = n->parent) {
		xml_attribute *child = xml_find(n, "childclass");
		if (child)
			return child->used = true, child->value;
	}
	return "main";
}

static void note_asked(mjcf *m, const char *tag, const char *name)
{
	for (size_t i = 0; i < m->asked_count; ++i)
		if (strcmp(m->asked[i].tag, tag) == 0 && strcmp(m->asked[i].name, name) == 0)
			return;
	m->asked = pool_room(&m->im->memory, m->asked, m->asked_count, &m->asked_capacity, sizeof *m->asked);
	m->asked[m->asked_count++] = (mjcf_word){tag, name};
}

const char *mjcf_own(xml_node *node, const char *name)
{
	xml_attribute *a = xml_find(node, name);
	return a ? (a->used = true, a->value) : NULL;
}

const char *mjcf_ask(mjcf *m, xml_node *node, const char *name)
{
	const char *own = mjcf_own(node, name);
	note_asked(m, node->name, name);
	if (own)
		return own;
	xml_attribute *a = find_default(m, class_of(node), node->name, name);
	return a ? a->value : NULL;
}

bool mjcf_numbers(mjcf *m, xml_node *node, const char *name, double *to, size_t most, size_t *count)
{
	const char *text = mjcf_ask(m, node, name);
	if (count)
		*count = 0;
	return !text || import_numbers(m->im, node, text, name, to, 0, most, count);
}

bool mjcf_number(mjcf *m, xml_node *node, const char *name, double *to)
{
	return mjcf_numbers(m, node, name, to, 1, NULL);
}

bool mjcf_bool(mjcf *m, xml_node *node, const char *name, bool otherwise)
{
	const char *text = mjcf_ask(m, node, name);
	return text && strcmp(text, "true") == 0 ? true : text && strcmp(text, "false") == 0 ? false : otherwise;
}

/* ---- poses */

static cairn_quat between(cairn_vec3 z) /* turns the z axis there the shortest way */
{
	cairn_vec3 axis = vec_cross(vec(0, 0, 1), z);
	double s = vec_length(axis), angle = atan2(s, z.z);
	return quat_exp(s > 1e-10 ? vec_scale(angle / s, axis) : vec(angle, 0, 0));
}

static cairn_quat of_axes(cairn_vec3 x, cairn_vec3 y)
{
	x = vec_unit(x);
	y = vec_unit(vec_sub(y, vec_scale(vec_dot(x, y), x)));
	cairn_vec3 z = vec_cross(x, y);
	cairn_quat q = between(z);
	cairn_vec3 first = quat_turn(q, vec(1, 0, 0));
	double angle = atan2(vec_dot(vec_cross(first, x), z), vec_dot(first, x));
	return quat_mul(quat_exp(vec_scale(angle, z)), q);
}

static cairn_quat of_euler(const mjcf *m, const double e[3])
{
	cairn_quat q = {1, 0, 0, 0};
	for (int i = 0; i < 3; ++i) {
		char axis = m->euler[i];
		double angle = e[i] * m->angle;
		cairn_vec3 way = vec((axis | 32) == 'x', (axis | 32) == 'y', (axis | 32) == 'z');
		cairn_quat turn = quat_exp(vec_scale(angle, way));
		q = axis >= 'a' ? quat_mul(q, turn) : quat_mul(turn, q); /* small letters turn with the body */
	}
	return q;
}

static cairn_quat quat_unit(cairn_quat q)
{
	double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
	return n > 0 ? (cairn_quat){q.w / n, q.x / n, q.y / n, q.z / n} : (cairn_quat){1, 0, 0, 0};
}

bool mjcf_pose(mjcf *m, xml_node *node, cairn_pose *pose)
{
	double p[3] = {0}, v[6] = {0};
	size_t n;
	if (!mjcf_numbers(m, node, "pos", p, 3, NULL))
		return false;
	*pose = (cairn_pose){vec(p[0], p[1], p[2]), {1, 0, 0, 0}};
	if (!mjcf_numbers(m, node, "quat", v, 4, &n))
		return false;
	if (n == 4)
		pose->orientation = quat_unit((cairn_quat){v[0], v[1], v[2], v[3]});
	if (!mjcf_numbers(m, node, "axisangle", v, 4, &n))
		return false;
	if (n == 4)
		pose->orientation = quat_exp(vec_scale(v[3] * m->angle, vec_unit(vec(v[0], v[1], v[2]))));
	if (!mjcf_numbers(m, node, "xyaxes", v, 6, &n))
		return false;
	if (n == 6)
		pose->orientation = of_axes(vec(v[0], v[1], v[2]), vec(v[3], v[4], v[5]));
	if (!mjcf_numbers(m, node, "zaxis", v, 3, &n))
		return false;
	if (n == 3)
		pose->orientation = between(vec_unit(vec(v[0], v[1], v[2])));
	if (!mjcf_numbers(m, node, "euler", v, 3, &n))
		return false;
	if (n == 3)
		pose->orientation = of_euler(m, v);
	return true;
}

/* ---- settings and assets */

static bool read_compiler(mjcf *m, xml_node *node)
{
	import *im = m->im;
	const char *angle = mjcf_own(node, "angle"), *coordinate = mjcf_own(node, "coordinate");
	const char *euler = mjcf_own(node, "eulerseq"), *meshes = mjcf_own(node, "meshdir");
	const char *assets = mjcf_own(node, "assetdir"), *masses = mjcf_own(node, "inertiafromgeom");
	node->used = true;
	m->global = coordinate ? strcmp(coordinate, "global") == 0 : m->global;
	if (euler && (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3))
		return import_fail(im, place_of(node), "eulerseq=\"%.20s\"; give three of x, y, z, X, Y, Z", euler);
	m->angle = angle ? (strcmp(angle, "radian") == 0 ? 1 : 3.14159265358979323846 / 180) : m->angle;
	if (euler)
		memcpy(m->euler, euler, 4);
	m->mesh_folder = meshes ? meshes : assets ? assets : m->mesh_folder;
	m->from_geoms = masses ? strcmp(masses, "true") == 0 : m->from_geoms;
	m->unlimited = mjcf_own(node, "autolimits") ? !mjcf_bool(m, node, "autolimits", true) : m->unlimited;
	m->strip = mjcf_bool(m, node, "strippath", m->strip);
	im->balance = mjcf_bool(m, node, "balanceinertia", im->balance);
	return mjcf_numbers(m, node, "inertiagrouprange", m->groups, 2, NULL) &&
	       mjcf_number(m, node, "settotalmass", &im->total_mass) &&
	       mjcf_number(m, node, "boundmass", &im->least_mass) &&
	       mjcf_number(m, node, "boundinertia", &im->least_inertia);
}

static bool read_option(mjcf *m, xml_node *node)
{
	double g[3] = {m->im->gravity.x, m->im->gravity.y, m->im->gravity.z};
	node->used = true;
	if (!mjcf_numbers(m, node, "gravity", g, 3, NULL))
		return false;
	m->im->gravity = vec(g[0], g[1], g[2]);
	return true;
}

static const char *stem(import *im, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
	return pool_format(&im->memory, "%.*s", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name);
}

static bool read_mesh(mjcf *m, xml_node *node)
{
	import *im = m->im;
	const char *file = mjcf_own(node, "file"), *name = mjcf_own(node, "name"), *vertices = mjcf_own(node, "vertex");
	double scale[3] = {1, 1, 1};
	node->used = true;
	if (!file && !vertices)
		return import_fail(im, place_of(node), "<mesh> has neither file nor vertex");
	if (!mjcf_numbers(m, node, "scale", scale, 3, NULL))
		return false;
	mjcf_mesh mesh = {
		.name = name ? name : stem(im, file ? file : "mesh"), .scale = vec(scale[0], scale[1], scale[2]), .node = node};
	if (file) {
		const char *slash = m->strip ? strrchr(file, '/') : NULL;
		file = slash ? slash + 1 : file;
		bool bare = !m->mesh_folder || file[0] == '/';
		mesh.path = bare ? file : pool_format(&im->memory, "%s/%s", m->mesh_folder, file);
	} else {
		size_t most = strlen(vertices) / 2 + 2, count;
		double *p = pool_take(&im->memory, most * sizeof *p);
		if (!import_numbers(im, node, vertices, "vertex", p, 12, most, &count))
			return false;
		mesh.points = pool_take(&im->memory, count / 3 * sizeof *mesh.points);
		for (size_t i = 0; i < count / 3; ++i)
			mesh.points[mesh.point_count++] =
				vec(scale[0] * p[3 * i], scale[1] * p[3 * i + 1], scale[2] * p[3 * i + 2]);
	}
	m->meshes = pool_room(&im->memory, m->meshes, m->mesh_count, &m->mesh_capacity, sizeof *m->meshes);
	m->meshes[m->mesh_count++] = mesh;
	return true;
}

static bool read_assets(mjcf *m, xml_node *section)
{
	section->used = true;
	for (xml_node *n = section->first; n; n = n->next) {
		if (strcmp(n->name, "mesh") == 0 && !read_mesh(m, n))
			return false;
		if (strcmp(n->name, "material") == 0) {
			n->used = true;
			mjcf_own(n, "name");
			mjcf_own(n, "rgba");
		}
	}
	return true;
}

/* Each kind of section, in an order in which one needs those before it. */
static bool each(mjcf *m, const char *name, bool (*read)(mjcf *, xml_node *))
{
	for (xml_node *n = m->root->first; n; n = n->next)
		if (strcmp(n->name, name) == 0 && !read(m, n))
			return false;
	return true;
}

static bool read_default(mjcf *m, xml_node *node) { return add_class(m, node, NULL); }

/* ---- what is left */

/* In defaults, what is asked for of some element is taken over. */
static void use_defaults(mjcf *m, xml_node *node)
{
	for (xml_node *n = node->first; n; n = n->next) {
		if (strcmp(n->name, "default") == 0) {
			use_defaults(m, n);
			continue;
		}
		for (size_t i = 0; i < m->asked_count; ++i) {
			bool same = strcmp(m->asked[i].tag, n->name) == 0 || (is_drive(n->name) && is_drive(m->asked[i].tag));
			n->used |= same;
			if (same)
				mjcf_own(n, m->asked[i].name);
		}
	}
}

static const char *reason(const char *tag, const char *attribute)
{
	static const char *const reasons[][3] = {
		{"*", "solref", "contact and limits are rigid"},
		{"*", "solimp", "contact and limits are rigid"},
		{"*", "solreflimit", "contact and limits are rigid"},
		{"*", "solimplimit", "contact and limits are rigid"},
		{"*", "solreffriction", "contact and limits are rigid"},
		{"*", "solimpfriction", "contact and limits are rigid"},
		{"*", "margin", "contact and limits are rigid"},
		{"*", "gap", "contact and limits are rigid"},
		{"*", "priority", "friction is the greater of two"},
		{"*", "solmix", "contact and limits are rigid"},
		{"*", "frictionloss", "joints have no friction"},
		{"*", "armature", "joints have no inertia of their own"},
		{"*", "user", "data of other programs"},
		{"*", "group", "there are no groups to show"},
		{"*", "material", "textures and gloss are not drawn"},
		{"option", "*", "how MuJoCo steps; cairn does it otherwise"},
		{"flag", NULL, "how MuJoCo steps; cairn does it otherwise"},
		{"compiler", "*", "how MuJoCo reads models; not needed"},
		{"material", "*", "textures and gloss are not drawn"},
		{"size", NULL, "memory of MuJoCo"},
		{"visual", NULL, "how MuJoCo draws"},
		{"statistic", NULL, "how MuJoCo draws"},
		{"texture", NULL, "textures are not drawn"},
		{"hfield", NULL, "write it as a heightfield of the scene"},
		{"skin", NULL, "skins are not drawn"},
		{"light", NULL, "give the scene a light"},
		{"camera", NULL, "give the scene a camera"},
		{"site", NULL, "a mark without effect"},
		{"tendon", NULL, "there are no tendons"},
		{"sensor", NULL, "nothing is sensed"},
		{"composite", NULL, "write its bodies one by one"},
		{"flexcomp", NULL, "nothing is soft"},
		{"plugin", NULL, "there are no plugins"},
		{"extension", NULL, "there are no plugins"},
		{"custom", NULL, "data of other programs"},
		{"replicate", NULL, "save the model with its copies written out"},
		{"frame", NULL, "save the model with its frames written out"},
		{"pair", NULL, "contacts are those of geometries"},
		{"key", NULL, "--key begins at one"},
	};
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i) {
		const char *const *r = reasons[i];
		bool tags = strcmp(r[0], "*") == 0 || strcmp(r[0], tag) == 0;
		if (tags && (attribute ? r[1] && (strcmp(r[1], "*") == 0 || strcmp(r[1], attribute) == 0) : !r[1]))
			return r[2];
	}
	return NULL;
}

bool import_mjcf(import *im, xml_node *root)
{
	mjcf m = {.im = im,
	          .root = root,
	          .angle = 3.14159265358979323846 / 180,
	          .euler = "xyz",
	          .groups = {0, 5},
	          .frame = {.orientation = {1, 0, 0, 0}}};
	const char *name = mjcf_own(root, "model");
	im->title = name ? name : "model";
	const char *slash = strrchr(im->path, '/');
	const char *own = import_find_file(im, place_of(root), slash ? slash + 1 : im->path);
	const included first = {.path = own}, *last = &first;
	if (!own || !expand(&m, root, &first, &last))
		return false;
	if (!each(&m, "compiler", read_compiler) || !each(&m, "default", read_default) ||
	    !each(&m, "option", read_option) || !each(&m, "asset", read_assets) || !mjcf_find_key(&m) || !mjcf_bodies(&m) ||
	    !mjcf_drives(&m))
		return false;
	mjcf_set_key(&m);
	for (xml_node *n = root->first; n; n = n->next)
		if (strcmp(n->name, "default") == 0)
			use_defaults(&m, n);
	import_note_unused(im, root, reason);
	return true;
}
