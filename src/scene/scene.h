/* The description: everything a world starts from. Built by the public calls alone (a scene file and a recording use
 * them too), each of which checks what it takes, so a scene that exists is sound. */
#ifndef CN_SCENE_H
#define CN_SCENE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "geom/shape.h"
#include "scene/names.h"
#include "scene/places.h"
#include "scene/registry.h"

/* What is asked for. */
typedef struct cn_asked {
	cairn_goal_def *goals;
	cairn_plan_def *plans; /* own keys and holds */
	uint32_t goal_count, goal_capacity, plan_count, plan_capacity;
	uint32_t spring_count; /* goals that push in a run */
} cn_asked;

struct cairn_scene {
	cairn_allocator allocator;
	cairn_settings settings; /* own strings */
	cn_options options;
	cairn_view view;
	cairn_camera_key camera_keys[CAIRN_CAMERA_KEYS]; /* of the view */
	cn_shape *shapes;
	cairn_material_def *materials; /* own names */
	cairn_pair_def *pairs;
	cairn_body_def *bodies;  /* own names and keys; quaternions of length 1 */
	cairn_joint_def *joints; /* own names */
	cairn_event_def *events; /* by frame, equal frames in the order given */
	cairn_field_def *fields;
	cairn_box *cold;
	cairn_plan_def *plans;       /* own keys and holds */
	cairn_emitter_def *emitters; /* own bodies */
	uint32_t shape_count, shape_capacity, material_count, material_capacity, pair_count, pair_capacity;
	uint32_t body_count, body_capacity, joint_count, joint_capacity, event_count, event_capacity;
	uint32_t field_count, field_capacity, cold_count, cold_capacity, emitter_count, emitter_capacity;
	cn_asked asked;
	cn_names body_names, shape_names, material_names; /* to index + 1 */
	uint32_t
		late_joints; /* of a world's copy: the last ones, which inputs added; they hold bodies of the world, and copies of the scene do without */
	cn_places places;
};

/* Checks a body def against the scene and copies it with its own strings, keys and unit quaternions. Used by scenes,
 * emitters and worlds alike. */
bool cn_body_def_copy(const cairn_scene *scene, const cairn_body_def *def, cairn_body_def *out, cairn_error *error);
void cn_body_def_free(const cairn_allocator *allocator, cairn_body_def *def);

/* What the certificate of its frames does, by its option and its method: one with contact and without a guarantee is
 * measured. */
typedef enum cn_certify_mode { CN_CERTIFY_FULL, CN_CERTIFY_KEYS, CN_CERTIFY_OFF, CN_CERTIFY_MEASURE } cn_certify_mode;
cn_certify_mode cn_scene_certify(const cairn_scene *scene);
/* Meshes that may move are touched by others: its method keeps bodies apart. */
bool cn_scene_has_fronts(const cairn_scene *scene);

/* The next option after one (NULL: the first) that does not have its default value; NULL if there is none. */
const char *cn_scene_changed_option(const cairn_scene *scene, const char *after);

void cn_plan_def_free(const cairn_allocator *allocator, cairn_plan_def *def);

bool cn_material_check(const cairn_material_def *def, cairn_error *error);
/* Copies keys with unit quaternions. */
bool cn_script_check(const cairn_script_key *keys, uint32_t count, cairn_script_key *copies, cairn_error *error);
/* All of a joint but its name. Makes the axis a unit and gives a distance joint its limits. */
bool cn_joint_check(const cairn_scene *scene, cairn_joint_def *def, cairn_error *error);
bool cn_joint_check_parts(cairn_joint_def *def, cairn_error *error); /* the same but for its bodies */
/* Of a gear: finds its two bodies from its joints, which are of this scene; type_of tells what a body is. */
bool cn_gear_find(const cairn_scene *scene, cairn_joint_def *gear,
                  cairn_body_type (*type_of)(const void *of, cairn_body body), const void *of, cairn_error *error);
const char *cn_joint_type_name(cairn_joint_type type); /* as scene files spell it */
static inline bool
cn_joint_in_tree(cairn_joint_type type) /* bodies can hang on each other by it, in coordinates of its own */
{
	return type == CAIRN_BALL || type == CAIRN_HINGE || type == CAIRN_SLIDER || type == CAIRN_WELD;
}
/* Adds a joint whose parts and bodies were checked. */
/* Where a ball's target is between a key and the next. */
v3 cn_scene_turn_between(const cairn_target_key *from, double share);
cairn_joint cn_scene_take_joint(cairn_scene *scene, const cairn_joint_def *def, cairn_error *error);
bool cn_event_check(const cairn_event_def *def, cairn_error *error); /* all but the body and the drive */
bool cn_drive_check(const cairn_scene *scene, const cairn_event_def *def, cairn_error *error);
bool cn_scene_set_material(cairn_scene *scene, cairn_material material, const cairn_material_def *def,
                           cairn_error *error);

/* Mass, centre and inertia of a dynamic body; for others mass and inertia 0, and the shape's own centre. */
bool cn_body_mass(const cairn_scene *scene, const cairn_body_def *def, double *mass, v3 *center, m3 *inertia,
                  cairn_error *error);

/* Bytes and back: the whole scene, and single defs for inputs and snapshots. Reading goes through the public calls and
 * so checks everything. A failed cn_get leaves the reader failed or the error filled. */
/* Three finite numbers, none beyond most. */
bool cn_check_vector(v3 v, double most, const char *field, cairn_error *error);
/* Whether a view may be that of a scene with so many bodies (view.c). */
bool cn_view_check(const cairn_view *view, uint32_t body_count, cairn_error *error);

enum { CN_TURNS = 128 }; /* beside a kind of motor in bytes: the turn of a ball's servo follows */
void cn_scene_put(cn_writer *w, const cairn_scene *scene);
cairn_scene *cn_scene_get(cn_reader *r, const cairn_allocator *allocator, cairn_error *error);
void cn_put_shape_def(cn_writer *w, const cairn_shape_def *def);
void cn_put_material_def(cn_writer *w, const cairn_material_def *def);
void cn_put_body_def(cn_writer *w, const cairn_body_def *def);
void cn_put_event_def(cn_writer *w, const cairn_event_def *def);
void cn_put_joint_def(cn_writer *w, const cairn_joint_def *def);
void cn_put_goal_def(cn_writer *w, const cairn_goal_def *def, bool springs);
bool cn_get_goal_def(cn_reader *r, cairn_goal_def *def, bool springs);
void cn_put_plan_def(cn_writer *w, const cairn_plan_def *def);
bool cn_get_plan_def(cn_reader *r, cn_arena *s, cairn_plan_def *def);
void cn_put_script(cn_writer *w, const cairn_script_key *keys, uint32_t count);
/* These borrow arrays and strings from an arena; where memory runs out, it has failed and not the bytes. */
bool cn_get_shape_def(cn_reader *r, cn_arena *s, cairn_shape_def *def);
bool cn_get_material_def(cn_reader *r, cn_arena *s, cairn_material_def *def);
bool cn_get_body_def(cn_reader *r, cn_arena *s, cairn_body_def *def);
bool cn_get_event_def(cn_reader *r, cairn_event_def *def);
bool cn_get_joint_def(cn_reader *r, cn_arena *s, cairn_joint_def *def);
bool cn_get_script(cn_reader *r, cn_arena *s, const cairn_script_key **keys, uint32_t *count);

#endif
