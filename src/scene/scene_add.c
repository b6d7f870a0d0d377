/* What may go into a scene: every public call that adds to one checks here and copies. The error's path is the field's
 * name as scene files spell it, so that a reader of files can point at the value. */
#include "base/tolerance.h"
#include "geom/mass.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#define CN_INERTIA_MIN 1e-50 /* kg m^2: the smallest mass at the smallest length, and some */
#define CN_INERTIA_MAX 1e60  /* kg m^2: the largest mass at the largest length squared, and some */

/* ---- checks shared by the calls */

static bool check_range(double x, double least, double most, const char *field, cairn_error *error)
{
	if (!(x >= least && x <= most))
		return cn_fail(error, CAIRN_INVALID, field, "%s is %g; give a number from %g to %g", field, x, least, most);
	return true;
}

/* Length 1 up to a slip of the pen, made exact; one that is exact already keeps its bits. */
static bool check_quat(quat *q, const char *field, cairn_error *error)
{
	double length = q_finite(*q) ? sqrt(q_dot(*q, *q)) : 0;
	if (!(fabs(length - 1) <= CN_UNIT_ERROR))
		return cn_fail(error, CAIRN_INVALID, field, "%s has length %g; give a unit quaternion (w, x, y, z)", field,
		               length);
	if (fabs(length - 1) > 4 * DBL_EPSILON)
		*q = q_unit(*q);
	return true;
}

static bool check_text(const char *text, const char *field, cairn_error *error)
{
	if (!text)
		return true;
	if (strlen(text) > 200)
		return cn_fail(error, CAIRN_INVALID, field, "%s has %zu bytes; the most is 200", field, strlen(text));
	for (; *text; ++text)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return cn_fail(error, CAIRN_INVALID, field, "%s has a control character in it", field);
	return true;
}

static bool check_box(cairn_box box, const char *field, cairn_error *error)
{
	if (!cn_check_vector(box.min, CN_LENGTH_MAX, "min", error) ||
	    !cn_check_vector(box.max, CN_LENGTH_MAX, "max", error))
		return false;
	if (!(box.min.x < box.max.x && box.min.y < box.max.y && box.min.z < box.max.z))
		return cn_fail(error, CAIRN_INVALID, field, "a box needs min below max in x, y and z");
	return true;
}

static bool check_count(uint32_t count, const char *what, cairn_error *error)
{
	if (count >= CN_COUNT_MAX)
		return cn_fail(error, CAIRN_INVALID, "", "a scene holds at most %u %s", CN_COUNT_MAX, what);
	return true;
}

/* NULL: it has none. */
static bool check_look(const cairn_color *color, const double *roughness, cairn_error *error)
{
	return (!color || (check_range(color->r, 0, 1, "color", error) && check_range(color->g, 0, 1, "color", error) &&
	                   check_range(color->b, 0, 1, "color", error))) &&
	       (!roughness || check_range(*roughness, 0, 1, "roughness", error));
}

/* ---- materials */

cairn_material_def cairn_default_material_def(void)
{
	return (cairn_material_def){.name = "", .density = 1000, .static_friction = 0.5, .kinetic_friction = 0.5};
}

/* Typical values from handbooks, dry and clean, against their own kind. Without rolling resistance, which depends on what rolls. */
static const cairn_material_def presets[] = {
	{.name = "wood", .density = 700, .restitution = 0.4, .static_friction = 0.45, .kinetic_friction = 0.35},
	{.name = "rubber", .density = 1100, .restitution = 0.75, .static_friction = 1.0, .kinetic_friction = 0.8},
	{.name = "steel", .density = 7850, .restitution = 0.6, .static_friction = 0.6, .kinetic_friction = 0.45},
	{.name = "ice", .density = 917, .restitution = 0.1, .static_friction = 0.05, .kinetic_friction = 0.03},
};

static const char *const preset_names[] = {"wood", "rubber", "steel", "ice", NULL};

const char *const *cairn_material_preset_names(void) { return preset_names; }

bool cairn_material_preset(const char *name, cairn_material_def *def)
{
	for (size_t i = 0; i < CN_COUNT(presets); ++i) {
		if (strcmp(name, presets[i].name) == 0) {
			*def = presets[i];
			return true;
		}
	}
	return false;
}

static bool check_surface(double restitution, double fixed, double kinetic, double rolling, cairn_error *error)
{
	if (!check_range(restitution, 0, 1, "restitution", error) || !check_range(fixed, 0, 100, "friction", error) ||
	    !check_range(kinetic, 0, 100, "friction", error) || !check_range(rolling, 0, CN_LENGTH_MAX, "rolling", error))
		return false;
	if (kinetic > fixed)
		return cn_fail(error, CAIRN_INVALID, "friction", "kinetic friction %g is above static friction %g", kinetic,
		               fixed);
	return true;
}

bool cn_material_check(const cairn_material_def *def, cairn_error *error)
{
	if (!(def->density > 0 && def->density <= 1e12))
		return cn_fail(error, CAIRN_INVALID, "density", "density is %g; give kg/m^3 above 0, at most 1e12",
		               def->density);
	return check_text(def->name, "name", error) &&
	       check_look(def->has_color ? &def->color : NULL, def->has_roughness ? &def->roughness : NULL, error) &&
	       check_surface(def->restitution, def->static_friction, def->kinetic_friction, def->rolling, error);
}

cairn_material cairn_scene_add_material(cairn_scene *scene, const cairn_material_def *def, cairn_error *error)
{
	const cairn_material none = {0, 0};
	const cairn_allocator *a = &scene->allocator;
	cairn_material_def copy = *def;
	if (!check_count(scene->material_count, "materials", error) || !cn_material_check(def, error))
		return none;
	if (cn_names_find(&scene->material_names, def->name)) {
		cn_fail(error, CAIRN_INVALID, "name", "there is a material '%s' already", def->name);
		return none;
	}
	copy.name = cn_dup_text(a, def->name);
	if (!copy.name || !cn_names_reserve(a, &scene->material_names, 1) ||
	    !cn_grow(a, (void **)&scene->materials, &scene->material_capacity, scene->material_count + 1, sizeof copy)) {
		cn_free_text(a, (char *)copy.name);
		cn_fail_memory(error);
		return none;
	}
	scene->materials[scene->material_count++] = copy;
	if (*copy.name)
		cn_names_add(&scene->material_names, copy.name, scene->material_count);
	return (cairn_material){scene->material_count - 1, 1};
}

bool cn_scene_set_material(cairn_scene *scene, cairn_material material, const cairn_material_def *def,
                           cairn_error *error)
{
	if (material.generation != 1 || material.index >= scene->material_count)
		return cn_fail(error, CAIRN_INVALID, "material", "no such material");
	if (!cn_material_check(def, error))
		return false;
	const char *name = scene->materials[material.index].name;
	scene->materials[material.index] = *def;
	scene->materials[material.index].name = name; /* a name is for good */
	return true;
}

static bool known_material(const cairn_scene *scene, cairn_material m)
{
	return m.generation == 1 && m.index < scene->material_count;
}

cairn_pair_def cairn_scene_pair(const cairn_scene *scene, cairn_material a, cairn_material b)
{
	cairn_material_def defs[2];
	cairn_material handles[2] = {a, b};
	for (int i = 0; i < 2; ++i) {
		assert(!handles[i].generation || known_material(scene, handles[i]));
		defs[i] = handles[i].generation ? scene->materials[handles[i].index] : cairn_default_material_def();
	}
	for (uint32_t i = scene->pair_count; i-- > 0;) {
		cairn_pair_def p = scene->pairs[i];
		if ((p.a.index == a.index && p.b.index == b.index && a.generation && b.generation) ||
		    (p.a.index == b.index && p.b.index == a.index && a.generation && b.generation))
			return p;
	}
	return (cairn_pair_def){a,
	                        b,
	                        defs[0].restitution > defs[1].restitution ? defs[0].restitution : defs[1].restitution,
	                        sqrt(defs[0].static_friction * defs[1].static_friction),
	                        sqrt(defs[0].kinetic_friction * defs[1].kinetic_friction),
	                        defs[0].rolling > defs[1].rolling ? defs[0].rolling : defs[1].rolling};
}

bool cairn_scene_set_pair(cairn_scene *scene, const cairn_pair_def *def, cairn_error *error)
{
	if (!known_material(scene, def->a) || !known_material(scene, def->b))
		return cn_fail(error, CAIRN_INVALID, "materials", "a pair needs two materials of this scene");
	if (!check_surface(def->restitution, def->static_friction, def->kinetic_friction, def->rolling, error))
		return false;
	if (!cn_grow(&scene->allocator, (void **)&scene->pairs, &scene->pair_capacity, scene->pair_count + 1, sizeof *def))
		return cn_fail_memory(error);
	scene->pairs[scene->pair_count++] = *def;
	return true;
}

/* ---- shapes */

cairn_shape_def cairn_default_shape_def(cairn_shape_kind kind)
{
	return (cairn_shape_def){
		.kind = kind, .name = "", .radius = 0.5, .length = 1, .size = {1, 1, 1}, .normal = {0, 0, 1}};
}

cairn_shape cairn_scene_add_shape(cairn_scene *scene, const cairn_shape_def *def, cairn_error *error)
{
	const cairn_shape none = {0, 0};
	const cairn_allocator *a = &scene->allocator;
	cn_shape shape;
	if (!check_count(scene->shape_count, "shapes", error) || !check_text(def->name, "name", error))
		return none;
	if (cn_names_find(&scene->shape_names, def->name)) {
		cn_fail(error, CAIRN_INVALID, "name", "there is a shape '%s' already", def->name);
		return none;
	}
	if (!cn_shape_make(a, def, scene->shapes, scene->shape_count, &shape, error))
		return none;
	if (!cn_names_reserve(a, &scene->shape_names, 1) ||
	    !cn_grow(a, (void **)&scene->shapes, &scene->shape_capacity, scene->shape_count + 1, sizeof shape)) {
		cn_shape_free(a, &shape);
		cn_fail_memory(error);
		return none;
	}
	scene->shapes[scene->shape_count++] = shape;
	if (shape.def.name && *shape.def.name)
		cn_names_add(&scene->shape_names, shape.def.name, scene->shape_count);
	return (cairn_shape){scene->shape_count - 1, 1};
}

/* ---- bodies */

cairn_body_def cairn_default_body_def(void)
{
	return (cairn_body_def){.name = "",
	                        .pose = pose_identity(),
	                        .group = 1,
	                        .mask = 0xffffffffu,
	                        .color = {0.7, 0.7, 0.7},
	                        .visual_pose = pose_identity()};
}

static bool check_mass_fields(const cairn_body_def *d, cairn_error *error)
{
	if (d->mass != 0 && !(d->mass >= CN_MASS_MIN && d->mass <= CN_MASS_MAX))
		return cn_fail(error, CAIRN_INVALID, "mass",
		               "mass is %g; give kg from %g to %g (or leave it out to use the density)", d->mass, CN_MASS_MIN,
		               CN_MASS_MAX);
	if (d->density != 0 && !(d->density > 0 && d->density <= 1e12))
		return cn_fail(error, CAIRN_INVALID, "density", "density is %g; give kg/m^3 above 0, at most 1e12", d->density);
	if (d->mass != 0 && d->density != 0)
		return cn_fail(error, CAIRN_INVALID, "density", "give a mass or a density, not both");
	if (!d->has_inertia)
		return true;
	if (d->mass == 0)
		return cn_fail(error, CAIRN_INVALID, "inertia", "an inertia needs a mass beside it");
	if (!cn_check_vector(d->center, CN_LENGTH_MAX, "center", error))
		return false;
	m3 inertia;
	memcpy(inertia.m, d->inertia, sizeof inertia.m);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < i; ++j)
			if (inertia.m[i][j] != inertia.m[j][i])
				return cn_fail(error, CAIRN_INVALID, "inertia",
				               "the inertia is not symmetric: %g in row %d, column %d, but %g across", inertia.m[j][i],
				               j + 1, i + 1, inertia.m[i][j]);
	const char *fault = cn_inertia_fault(inertia);
	if (fault)
		return cn_fail(error, CAIRN_INVALID, "inertia", "%s", fault);
	for (int i = 0; i < 9; i += 4)
		if (!(d->inertia[i] >= CN_INERTIA_MIN && d->inertia[i] <= CN_INERTIA_MAX))
			return cn_fail(error, CAIRN_INVALID, "inertia",
			               "a moment of %g kg m^2 is out of all proportion; from %g to %g", d->inertia[i],
			               CN_INERTIA_MIN, CN_INERTIA_MAX);
	return true;
}

bool cn_script_check(const cairn_script_key *keys, uint32_t count, cairn_script_key *copies, cairn_error *error)
{
	char field[48];
	for (uint32_t i = 0; i < count; ++i) {
		cairn_script_key key = keys[i];
		snprintf(field, sizeof field, "keys[%u].time", i);
		if (!(key.time >= 0 && key.time <= 1e9))
			return cn_fail(error, CAIRN_INVALID, field, "time is %g; give seconds from 0 to 1e9", key.time);
		if (i > 0 && !(key.time > keys[i - 1].time))
			return cn_fail(error, CAIRN_INVALID, field, "time is %g, not after the key before it (%g)", key.time,
			               keys[i - 1].time);
		snprintf(field, sizeof field, "keys[%u].position", i);
		if (!cn_check_vector(key.pose.position, CN_LENGTH_MAX, field, error))
			return false;
		snprintf(field, sizeof field, "keys[%u].orientation", i);
		if (!check_quat(&key.pose.orientation, field, error))
			return false;
		copies[i] = key;
	}
	return true;
}

/* A height field, or a compound with one. */
static bool has_field(const cairn_scene *scene, const cn_shape *shape)
{
	bool found = shape->def.columns > 0;
	for (uint32_t i = 0; i < shape->def.part_count && !found; ++i)
		found = scene->shapes[shape->def.parts[i].shape.index].def.columns > 0;
	return found;
}

static bool check_visual(const cairn_scene *scene, const cairn_body_def *d, cairn_error *error)
{
	if (!d->visual.generation)
		return true;
	if (d->visual.generation != 1 || d->visual.index >= scene->shape_count)
		return cn_fail(error, CAIRN_INVALID, "visual", "a visual is a shape of this scene");
	if (scene->shapes[d->visual.index].def.kind == CAIRN_HALFSPACE)
		return cn_fail(error, CAIRN_INVALID, "visual", "a half-space has no end and is no visual");
	return cn_check_vector(d->visual_pose.position, CN_LENGTH_MAX, "visual.position", error);
}

static bool check_body(const cairn_scene *scene, const cairn_body_def *d, cairn_error *error)
{
	if (d->name && strcmp(d->name, "world") == 0)
		return cn_fail(error, CAIRN_INVALID, "name", "'world' names the world itself in joints; choose another name");
	if (d->type != CAIRN_DYNAMIC && d->type != CAIRN_FIXED && d->type != CAIRN_SCRIPTED)
		return cn_fail(error, CAIRN_INVALID, "type", "unknown type %d", (int)d->type);
	if (d->shape.generation != 1 || d->shape.index >= scene->shape_count)
		return cn_fail(error, CAIRN_INVALID, "shape", "a body needs a shape of this scene");
	if (d->material.generation && !known_material(scene, d->material))
		return cn_fail(error, CAIRN_INVALID, "material", "no such material in this scene");
	const cn_shape *shape = &scene->shapes[d->shape.index];
	if (shape->def.visual)
		return cn_fail(
			error, CAIRN_INVALID, "shape",
			"a mesh of kind visual is to be seen only; it is the \"visual\" of bodies, and their shape is another");
	if (d->type == CAIRN_DYNAMIC && shape->def.kind == CAIRN_HALFSPACE)
		return cn_fail(error, CAIRN_INVALID, "shape",
		               "a half-space cannot be dynamic; make the body fixed or scripted");
	if (d->type != CAIRN_FIXED && has_field(scene, shape))
		return cn_fail(error, CAIRN_INVALID, "shape", "a height field is for fixed bodies; make the body fixed");
	if (d->type != CAIRN_DYNAMIC && (v3_length(d->velocity) != 0 || v3_length(d->spin) != 0))
		return cn_fail(error, CAIRN_INVALID, v3_length(d->velocity) != 0 ? "velocity" : "spin",
		               "only a dynamic body has a velocity of its own; a scripted one moves by its keys");
	if ((d->type == CAIRN_SCRIPTED) != (d->key_count > 0))
		return cn_fail(error, CAIRN_INVALID, "keys",
		               d->key_count ? "only a scripted body has keys" : "a scripted body needs keys");
	if (!check_text(d->name, "name", error) || !cn_check_vector(d->pose.position, CN_LENGTH_MAX, "position", error) ||
	    !cn_check_vector(d->velocity, CN_SPEED_MAX, "velocity", error) ||
	    !cn_check_vector(d->spin, CN_SPEED_MAX, "spin", error) ||
	    !check_range(d->linear_damping, 0, 1e6, "damping.linear", error) ||
	    !check_range(d->angular_damping, 0, 1e6, "damping.angular", error))
		return false;
	return check_look(d->has_color ? &d->color : NULL, d->has_roughness ? &d->roughness : NULL, error) &&
	       check_visual(scene, d, error) && check_mass_fields(d, error);
}

bool cn_body_def_copy(const cairn_scene *scene, const cairn_body_def *def, cairn_body_def *out, cairn_error *error)
{
	const cairn_allocator *a = &scene->allocator;
	double mass;
	v3 center;
	m3 inertia;
	if (!check_body(scene, def, error) || !cn_body_mass(scene, def, &mass, &center, &inertia, error))
		return false;
	*out = *def;
	uint32_t shown = scene->shapes[def->shape.index].shown;
	if (!out->visual.generation && shown)
		out->visual = (cairn_shape){shown - 1, 1}, out->visual_pose = pose_identity();
	out->keys = NULL, out->name = NULL; /* theirs: not for the caller to free when this fails */
	if (!check_quat(&out->pose.orientation, "orientation", error) ||
	    (out->visual.generation && !check_quat(&out->visual_pose.orientation, "visual.orientation", error)))
		return false;
	cairn_script_key *keys = cn_alloc(a, def->key_count, sizeof *keys);
	if (def->key_count && !keys)
		return cn_fail_memory(error);
	out->keys = keys;
	out->name = cn_dup_text(a, def->name);
	if (!cn_script_check(def->keys, def->key_count, keys, error) || (!out->name && !cn_fail_memory(error))) {
		cn_body_def_free(a, out);
		return false;
	}
	return true;
}

void cn_body_def_free(const cairn_allocator *allocator, cairn_body_def *def)
{
	cn_free(allocator, (void *)def->keys, def->key_count, sizeof *def->keys);
	cn_free_text(allocator, (char *)def->name);
	*def = (cairn_body_def){0};
}

bool cn_body_mass(const cairn_scene *scene, const cairn_body_def *def, double *mass, v3 *center, m3 *inertia,
                  cairn_error *error)
{
	const cn_shape *shape = &scene->shapes[def->shape.index];
	const cn_mass *m = &shape->mass;
	*mass = 0;
	*center = def->has_inertia ? def->center : m->center;
	*inertia = (m3){{{0}}};
	if (def->type != CAIRN_DYNAMIC)
		return true;
	if (def->has_inertia) {
		*mass = def->mass;
		memcpy(inertia->m, def->inertia, sizeof inertia->m);
		return true;
	}
	double density = def->density != 0          ? def->density
	                 : def->material.generation ? scene->materials[def->material.index].density
	                                            : cairn_default_material_def().density;
	*mass = def->mass != 0 ? def->mass : density * m->volume;
	*inertia = m3_scale(m->inertia, *mass / m->volume);
	const char *fault = cn_inertia_fault(*inertia);
	if (!(*mass >= CN_MASS_MIN && *mass <= CN_MASS_MAX) || fault)
		return cn_fail(error, CAIRN_INVALID, def->mass != 0 ? "mass" : "density",
		               "the body would have a mass of %g kg%s%s", *mass, fault ? ", and " : "", fault ? fault : "");
	return true;
}

cairn_body cairn_scene_add_body(cairn_scene *scene, const cairn_body_def *def, cairn_error *error)
{
	const cairn_body none = {0, 0};
	const cairn_allocator *a = &scene->allocator;
	cairn_body_def copy;
	if (!check_count(scene->body_count, "bodies", error))
		return none;
	if (cn_names_find(&scene->body_names, def->name)) {
		cn_fail(error, CAIRN_INVALID, "name", "there is a body '%s' already", def->name);
		return none;
	}
	if (!cn_body_def_copy(scene, def, &copy, error))
		return none;
	if (!cn_names_reserve(a, &scene->body_names, 1) ||
	    !cn_grow(a, (void **)&scene->bodies, &scene->body_capacity, scene->body_count + 1, sizeof copy)) {
		cn_body_def_free(a, &copy);
		cn_fail_memory(error);
		return none;
	}
	assert(copy.name); /* a copy has one, if only "" */
	scene->bodies[scene->body_count++] = copy;
	if (*copy.name)
		cn_names_add(&scene->body_names, copy.name, scene->body_count);
	return (cairn_body){scene->body_count - 1, 1};
}

static bool known_body(const cairn_scene *scene, cairn_body b)
{
	return b.generation == 1 && b.index < scene->body_count;
}

/* ---- joints, events, fields, cold volumes, emitters, view */

cairn_joint_def cairn_default_joint_def(void)
{
	return (cairn_joint_def){.name = "",
	                         .type = CAIRN_BALL,
	                         .axis = {0, 0, 1},
	                         .break_force = INFINITY,
	                         .break_torque = INFINITY,
	                         .ratio = 1,
	                         .frame = {1, 0, 0, 0}};
}

cairn_joint cairn_scene_add_joint(cairn_scene *scene, const cairn_joint_def *def, cairn_error *error)
{
	cairn_joint_def copy = *def;
	return cn_joint_check(scene, &copy, error) ? cn_scene_take_joint(scene, &copy, error) : (cairn_joint){0, 0};
}

cairn_joint cn_scene_take_joint(cairn_scene *scene, const cairn_joint_def *def, cairn_error *error)
{
	const cairn_joint none = {0, 0};
	cairn_joint_def copy = *def;
	if (!check_count(scene->joint_count, "joints", error) || !check_text(def->name, "name", error))
		return none;
	copy.name = cn_dup_text(&scene->allocator, def->name);
	cairn_target_key *keys = copy.key_count ? cn_alloc(&scene->allocator, copy.key_count, sizeof *keys) : NULL;
	for (uint32_t i = 0; keys && i < copy.key_count; ++i)
		keys[i] = copy.keys[i];
	copy.keys = keys;
	if (!copy.name || (!keys && copy.key_count) ||
	    !cn_grow(&scene->allocator, (void **)&scene->joints, &scene->joint_capacity, scene->joint_count + 1,
	             sizeof copy)) {
		cn_free(&scene->allocator, keys, copy.key_count, sizeof *keys);
		cn_free_text(&scene->allocator, (char *)copy.name);
		cn_fail_memory(error);
		return none;
	}
	scene->joints[scene->joint_count++] = copy;
	return (cairn_joint){scene->joint_count - 1, 1};
}

cairn_event_def cairn_default_event_def(cairn_event_kind kind) { return (cairn_event_def){.kind = kind}; }

bool cn_event_check(const cairn_event_def *def, cairn_error *error)
{
	if (def->kind == CAIRN_IMPULSE)
		return cn_check_vector(def->impulse, 1e30, "impulse", error) &&
		       (!def->has_point || cn_check_vector(def->point, CN_LENGTH_MAX, "point", error));
	if (def->kind == CAIRN_BLAST)
		return cn_check_vector(def->point, CN_LENGTH_MAX, "point", error) &&
		       check_range(def->speed, -CN_SPEED_MAX, CN_SPEED_MAX, "speed", error);
	return def->kind == CAIRN_DRIVE ||
	       cn_fail(error, CAIRN_INVALID, "kind", "unknown kind of event %d", (int)def->kind);
}

bool cairn_scene_add_event(cairn_scene *scene, const cairn_event_def *def, cairn_error *error)
{
	if (!check_count(scene->event_count, "events", error) || !cn_event_check(def, error))
		return false;
	if (def->kind == CAIRN_IMPULSE &&
	    (!known_body(scene, def->body) || scene->bodies[def->body.index].type != CAIRN_DYNAMIC))
		return cn_fail(error, CAIRN_INVALID, "body", "an impulse needs a dynamic body of this scene");
	if (def->kind == CAIRN_DRIVE && !cn_drive_check(scene, def, error))
		return false;
	if (!cn_grow(&scene->allocator, (void **)&scene->events, &scene->event_capacity, scene->event_count + 1,
	             sizeof *def))
		return cn_fail_memory(error);
	uint32_t i = scene->event_count++;
	for (; i > 0 && scene->events[i - 1].frame > def->frame; --i)
		scene->events[i] = scene->events[i - 1];
	scene->events[i] = *def;
	return true;
}

cairn_field_def cairn_default_field_def(cairn_field_kind kind)
{
	return (cairn_field_def){.kind = kind, .air_density = 1.2, .coefficient = 1};
}

static bool check_field(const cairn_field_def *f, cairn_error *error)
{
	if (f->has_box && !check_box(f->box, "box", error))
		return false;
	switch (f->kind) {
	case CAIRN_GRAVITY: return cn_check_vector(f->acceleration, CN_SPEED_MAX, "acceleration", error);
	case CAIRN_ATTRACTOR:
		return cn_check_vector(f->point, CN_LENGTH_MAX, "point", error) &&
		       check_range(f->strength, -1e30, 1e30, "strength", error) &&
		       check_range(f->softening, CN_LENGTH_MIN, CN_LENGTH_MAX, "softening", error);
	case CAIRN_WIND:
		return cn_check_vector(f->velocity, CN_SPEED_MAX, "velocity", error) &&
		       check_range(f->air_density, 0, 1e6, "density", error) &&
		       check_range(f->coefficient, 0, 1e6, "coefficient", error);
	case CAIRN_DRAG:
		return check_range(f->linear, 0, 1e30, "linear", error) && check_range(f->angular, 0, 1e30, "angular", error);
	}
	return cn_fail(error, CAIRN_INVALID, "kind", "unknown kind of field %d", (int)f->kind);
}

bool cairn_scene_add_field(cairn_scene *scene, const cairn_field_def *def, cairn_error *error)
{
	if (scene->field_count >= 1000)
		return cn_fail(error, CAIRN_INVALID, "", "a scene holds at most 1000 fields");
	if (!check_field(def, error))
		return false;
	if (!cn_grow(&scene->allocator, (void **)&scene->fields, &scene->field_capacity, scene->field_count + 1,
	             sizeof *def))
		return cn_fail_memory(error);
	scene->fields[scene->field_count++] = *def;
	return true;
}

bool cairn_scene_add_cold_volume(cairn_scene *scene, cairn_box box, cairn_error *error)
{
	if (!check_count(scene->cold_count, "cold volumes", error) || !check_box(box, "", error))
		return false;
	if (!cn_grow(&scene->allocator, (void **)&scene->cold, &scene->cold_capacity, scene->cold_count + 1, sizeof box))
		return cn_fail_memory(error);
	scene->cold[scene->cold_count++] = box;
	return true;
}

cairn_emitter_def cairn_default_emitter_def(void)
{
	return (cairn_emitter_def){.name = "", .every = 1, .batches = 1, .choices = 1};
}

static bool check_emitter(const cairn_emitter_def *e, cairn_error *error)
{
	if (!check_text(e->name, "name", error))
		return false;
	if (!e->name || !*e->name)
		return cn_fail(error, CAIRN_INVALID, "name", "an emitter needs a name: its bodies are called after it");
	if (strlen(e->name) > 180)
		return cn_fail(error, CAIRN_INVALID, "name",
		               "an emitter's name has %zu bytes; the most is 180, its bodies' numbers follow it",
		               strlen(e->name));
	if (e->every == 0 || e->every > 100000000)
		return cn_fail(error, CAIRN_INVALID, "every", "every is %u; give frames from 1 to 100000000", e->every);
	if (e->start > 100000000)
		return cn_fail(error, CAIRN_INVALID, "start", "start is frame %u; the latest is 100000000", e->start);
	if (e->body_count == 0)
		return cn_fail(error, CAIRN_INVALID, "bodies", "an emitter needs at least one body");
	if (e->choices == 0 || e->body_count % e->choices)
		return cn_fail(error, CAIRN_INVALID, "choices", "%u bodies in choices of %u; give a number that divides them",
		               e->body_count, e->choices);
	if (e->batches == 0 || (uint64_t)e->batches * e->body_count > CN_COUNT_MAX)
		return cn_fail(error, CAIRN_INVALID, "batches",
		               "%u batches of %u bodies; give at least 1 and at most %u bodies in all", e->batches,
		               e->body_count, CN_COUNT_MAX);
	return cn_check_vector(e->jitter.position, CN_LENGTH_MAX, "jitter.position", error) &&
	       cn_check_vector(e->jitter.rotation, 100, "jitter.rotation", error) &&
	       cn_check_vector(e->jitter.velocity, CN_SPEED_MAX, "jitter.velocity", error) &&
	       cn_check_vector(e->jitter.spin, CN_SPEED_MAX, "jitter.spin", error);
}

/* The farthest that jitter can take a body is within what a body may have. */
static bool check_jittered(const cairn_body_def *d, const cairn_jitter *j, cairn_error *error)
{
	return cn_check_vector(v3_add(v3_abs(d->pose.position), v3_abs(j->position)), CN_LENGTH_MAX, "jitter.position",
	                       error) &&
	       cn_check_vector(v3_add(v3_abs(d->velocity), v3_abs(j->velocity)), CN_SPEED_MAX, "jitter.velocity", error) &&
	       cn_check_vector(v3_add(v3_abs(d->spin), v3_abs(j->spin)), CN_SPEED_MAX, "jitter.spin", error);
}

bool cairn_scene_add_emitter(cairn_scene *scene, const cairn_emitter_def *def, cairn_error *error)
{
	const cairn_allocator *a = &scene->allocator;
	cairn_emitter_def copy = *def;
	if (!check_count(scene->emitter_count, "emitters", error) || !check_emitter(def, error))
		return false;
	for (uint32_t i = 0; i < scene->emitter_count; ++i)
		if (strcmp(scene->emitters[i].name, def->name) == 0)
			return cn_fail(error, CAIRN_INVALID, "name", "there is an emitter '%s' already", def->name);
	cairn_body_def *bodies = cn_alloc(a, def->body_count, sizeof *bodies);
	copy.name = cn_dup_text(a, def->name);
	copy.bodies = bodies;
	bool ok = bodies && copy.name;
	if (!ok)
		cn_fail_memory(error);
	for (uint32_t i = 0; ok && i < def->body_count; ++i)
		ok = cn_body_def_copy(scene, &def->bodies[i], &bodies[i], error) &&
		     check_jittered(&bodies[i], &def->jitter, error);
	if (ok && !cn_grow(a, (void **)&scene->emitters, &scene->emitter_capacity, scene->emitter_count + 1, sizeof copy))
		ok = cn_fail_memory(error);
	if (!ok) {
		for (uint32_t i = 0; bodies && i < def->body_count; ++i)
			cn_body_def_free(a, &bodies[i]);
		cn_free(a, bodies, def->body_count, sizeof *bodies);
		cn_free_text(a, (char *)copy.name);
		return false;
	}
	scene->emitters[scene->emitter_count++] = copy;
	return true;
}

bool cairn_scene_set_view(cairn_scene *scene, const cairn_view *view, cairn_error *error)
{
	if (!cn_view_check(view, scene->body_count, error))
		return false;
	if (view->has_light) {
		if (!cn_check_vector(view->light_direction, CN_LENGTH_MAX, "light.direction", error))
			return false;
		if (v3_length(view->light_direction) < CN_LENGTH_MIN)
			return cn_fail(error, CAIRN_INVALID, "light.direction", "a light needs a direction of length above 0");
		if (!check_range(view->light_color.r, 0, 1e3, "light.color", error) ||
		    !check_range(view->light_color.g, 0, 1e3, "light.color", error) ||
		    !check_range(view->light_color.b, 0, 1e3, "light.color", error))
			return false;
	}
	uint32_t keys = view->has_camera ? view->camera_key_count : 0;
	if (keys > 0)
		memmove(scene->camera_keys, view->camera_keys, keys * sizeof *view->camera_keys);
	scene->view = *view;
	scene->view.camera_keys = scene->camera_keys, scene->view.camera_key_count = keys;
	return true;
}
