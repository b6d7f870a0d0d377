/* Joints of a world: how they stand, and their state in snapshots (joint.c). */
#ifndef CN_WORLD_JOINT_H
#define CN_WORLD_JOINT_H

#include "world/world.h"

bool cn_joints_make(cairn_world *w); /* makes those of the scene, at the start; false: memory ran out */
cn_joint cn_joint_make(const cairn_world *w, const cairn_joint_def *def); /* as its bodies stand now */
bool cn_joint_there(const cairn_world *w, const cn_joint *j);             /* both its bodies are alive */
v3 cn_joint_aim(const cn_joint *j, const cairn_joint_def *d,
                v3 turn);               /* of a ball's servo with this turn, for its aim */
bool cn_joint_servo(const cn_joint *j); /* its motor is a servo, with keys or without */
void cn_joint_follow(cairn_world *w,
                     uint32_t joint); /* a servo with keys: its target at the end of the step under way */
bool cn_joint_stands(const cairn_world *w,
                     const cn_joint *j); /* the same, and it holds: neither broken nor one that lets pass */
void cn_joints_put(cn_writer *o, const cairn_world *w); /* writes their state */

/* The joints of a snapshot: names of those of the scene as it came are shared with it, the others are own. */
typedef struct cn_joint_defs {
	cairn_joint_def *items;
	uint32_t count, capacity;
} cn_joint_defs;
bool cn_joints_get_defs(cn_reader *r, const cairn_world *w, cn_arena *s, cn_joint_defs *to, cairn_error *error);
void cn_joints_free_defs(const cairn_world *w, cn_joint_defs *defs);
/* Then their state: of so many joints, in a world of so many slots. */
bool cn_joints_get(cn_reader *r, const cairn_world *w, uint32_t count, uint32_t slots, cn_joint *to);

#endif
