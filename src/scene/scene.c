/* Making, copying and looking at scenes. What may go into one is decided in scene_add.c. */
#include "scene/scene.h"

#include "geom/convex.h"
#include "geom/hull_tree.h"
#include "geom/mass.h"

cairn_scene_def cairn_default_scene_def(void) { return (cairn_scene_def){.allocator = cairn_default_allocator()}; }

cairn_scene *cairn_scene_create(const cairn_scene_def *def)
{
	cairn_allocator allocator = def ? def->allocator : cairn_default_allocator();
	cairn_scene *scene = cn_alloc(&allocator, 1, sizeof *scene);
	if (!scene)
		return NULL;
	scene->allocator = allocator;
	cairn_settings settings = cairn_default_settings();
	if (!cairn_scene_set_settings(scene, &settings, NULL)) {
		cairn_scene_destroy(scene);
		return NULL;
	}
	scene->view.camera_fov = 0.7;
	scene->view.light_direction = v3_make(-0.4, 0.5, -1);
	scene->view.light_color = (cairn_color){1, 1, 1};
	return scene;
}

static void free_emitter(const cairn_allocator *a, cairn_emitter_def *e)
{
	for (uint32_t i = 0; i < e->body_count; ++i)
		cn_body_def_free(a, (cairn_body_def *)&e->bodies[i]);
	cn_free(a, (void *)e->bodies, e->body_count, sizeof *e->bodies);
	cn_free_text(a, (char *)e->name);
}

void cairn_scene_destroy(cairn_scene *scene)
{
	if (!scene)
		return;
	cairn_allocator a = scene->allocator;
	for (uint32_t i = 0; i < scene->shape_count; ++i)
		cn_shape_free(&a, &scene->shapes[i]);
	for (uint32_t i = 0; i < scene->material_count; ++i)
		cn_free_text(&a, (char *)scene->materials[i].name);
	for (uint32_t i = 0; i < scene->body_count; ++i)
		cn_body_def_free(&a, &scene->bodies[i]);
	for (uint32_t i = 0; i < scene->joint_count; ++i) {
		cn_free(&a, (void *)scene->joints[i].keys, scene->joints[i].key_count, sizeof *scene->joints[i].keys);
		cn_free_text(&a, (char *)scene->joints[i].name);
	}
	for (uint32_t i = 0; i < scene->emitter_count; ++i)
		free_emitter(&a, &scene->emitters[i]);
	cn_free(&a, scene->shapes, scene->shape_capacity, sizeof *scene->shapes);
	cn_free(&a, scene->materials, scene->material_capacity, sizeof *scene->materials);
	cn_free(&a, scene->pairs, scene->pair_capacity, sizeof *scene->pairs);
	cn_free(&a, scene->bodies, scene->body_capacity, sizeof *scene->bodies);
	cn_free(&a, scene->joints, scene->joint_capacity, sizeof *scene->joints);
	cn_free(&a, scene->events, scene->event_capacity, sizeof *scene->events);
	cn_free(&a, scene->fields, scene->field_capacity, sizeof *scene->fields);
	for (uint32_t i = 0; i < scene->asked.plan_count; ++i)
		cn_plan_def_free(&a, &scene->asked.plans[i]);
	cn_free(&a, scene->asked.plans, scene->asked.plan_capacity, sizeof *scene->asked.plans);
	cn_free(&a, scene->asked.goals, scene->asked.goal_capacity, sizeof *scene->asked.goals);
	cn_free(&a, scene->cold, scene->cold_capacity, sizeof *scene->cold);
	cn_free(&a, scene->emitters, scene->emitter_capacity, sizeof *scene->emitters);
	cn_names_free(&a, &scene->body_names);
	cn_names_free(&a, &scene->shape_names);
	cn_names_free(&a, &scene->material_names);
	cn_places_free(&a, &scene->places);
	cn_free_text(&a, (char *)scene->settings.name);
	cn_free_text(&a, (char *)scene->settings.description);
	cn_free_text(&a, (char *)scene->settings.method);
	cn_free(&a, scene, 1, sizeof *scene);
}

uint32_t cairn_scene_body_count(const cairn_scene *scene) { return scene->body_count; }
uint32_t cairn_scene_shape_count(const cairn_scene *scene) { return scene->shape_count; }
uint32_t cairn_scene_material_count(const cairn_scene *scene) { return scene->material_count; }
uint32_t cairn_scene_joint_count(const cairn_scene *scene) { return scene->joint_count; }
uint32_t cairn_scene_emitter_count(const cairn_scene *scene) { return scene->emitter_count; }
uint32_t cairn_scene_event_count(const cairn_scene *scene) { return scene->event_count; }
uint32_t cairn_scene_field_count(const cairn_scene *scene) { return scene->field_count; }
uint32_t cairn_scene_cold_volume_count(const cairn_scene *scene) { return scene->cold_count; }

cairn_body_def cairn_scene_body_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->body_count);
	return scene->bodies[index];
}

cairn_shape_def cairn_scene_shape_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->shape_count);
	return scene->shapes[index].def;
}

cairn_material_def cairn_scene_material_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->material_count);
	return scene->materials[index];
}

cairn_joint_def cairn_scene_joint_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->joint_count);
	return scene->joints[index];
}

cairn_emitter_def cairn_scene_emitter_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->emitter_count);
	return scene->emitters[index];
}

cairn_event_def cairn_scene_event_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->event_count);
	return scene->events[index];
}

cairn_field_def cairn_scene_field_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->field_count);
	return scene->fields[index];
}

cairn_box cairn_scene_cold_volume_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->cold_count);
	return scene->cold[index];
}

cairn_body cairn_scene_find_body(const cairn_scene *scene, const char *name)
{
	uint32_t found = cn_names_find(&scene->body_names, name);
	return found ? (cairn_body){found - 1, 1} : (cairn_body){0, 0};
}

cairn_shape cairn_scene_find_shape(const cairn_scene *scene, const char *name)
{
	uint32_t found = cn_names_find(&scene->shape_names, name);
	return found ? (cairn_shape){found - 1, 1} : (cairn_shape){0, 0};
}

cairn_material cairn_scene_find_material(const cairn_scene *scene, const char *name)
{
	uint32_t found = cn_names_find(&scene->material_names, name);
	return found ? (cairn_material){found - 1, 1} : (cairn_material){0, 0};
}

cairn_view cairn_scene_view(const cairn_scene *scene) { return scene->view; }

cairn_shape_facts cairn_scene_shape_facts(const cairn_scene *scene, cairn_shape shape)
{
	assert(shape.generation == 1 && shape.index < scene->shape_count);
	const cn_shape *s = &scene->shapes[shape.index];
	cairn_shape_facts facts = {.volume = s->mass.volume,
	                           .center = s->mass.center,
	                           .axes = q_identity(),
	                           .box = s->box,
	                           .missed = s->missed,
	                           .dropped = s->dropped};
	if (s->hulls)
		facts.hulls = s->hulls->node_count, facts.leaves = s->hulls->leaf_count;
	if (s->mass.volume > 0)
		cn_principal(s->mass.inertia, &facts.moments, &facts.axes);
	if (cairn_shape_kind_at(s->def.kind)->look == CAIRN_LOOK_FLAT) {
		facts.vertices = s->convex->core.vertex_count;
		facts.edges = s->convex->core.edge_count;
		facts.faces = s->convex->core.face_count;
	}
	return facts;
}

bool cairn_scene_surface(const cairn_scene *scene, cairn_shape shape, double tolerance, double halfspace,
                         const cairn_allocator *allocator, cairn_surface *surface, cairn_error *error)
{
	cairn_allocator a = allocator ? *allocator : cairn_default_allocator();
	*surface = (cairn_surface){0};
	if (shape.generation != 1 || shape.index >= scene->shape_count)
		return cn_fail(error, CAIRN_INVALID, "shape", "no such shape: the handle is of another scene");
	return cn_shape_surface(scene->shapes, shape.index, &(cn_surface_options){tolerance, halfspace}, &a, surface,
	                        error);
}

void cairn_surface_free(cairn_surface *surface, const cairn_allocator *allocator)
{
	cairn_allocator a = allocator ? *allocator : cairn_default_allocator();
	cn_free(&a, surface->points, surface->point_count, sizeof *surface->points);
	cn_free(&a, surface->triangles, (size_t)surface->triangle_count * 3, sizeof *surface->triangles);
	cn_free(&a, surface->colors, surface->point_count, sizeof *surface->colors);
	cn_free(&a, surface->uvs, surface->point_count, 2 * sizeof *surface->uvs);
	*surface = (cairn_surface){0};
}
