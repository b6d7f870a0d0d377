/* The one door for inputs: what a call writes into the log, and how it takes that back. */
#ifndef CN_INPUT_H
#define CN_INPUT_H

#include "world/world.h"

/* In the bytes of recordings: numbers stay. */
typedef enum cn_input_kind {
	CN_INPUT_SHAPE = 1,
	CN_INPUT_MATERIAL,
	CN_INPUT_BODY,
	CN_INPUT_REMOVE,
	CN_INPUT_EVENT,
	CN_INPUT_SET_MATERIAL,
	CN_INPUT_SCRIPT,
	CN_INPUT_GRAVITY,
	CN_INPUT_DRAG,
	CN_INPUT_RELEASE,
	CN_INPUT_MOTOR,
	CN_INPUT_SERVO,
	CN_INPUT_PUSH,
	CN_INPUT_VELOCITY,
	CN_INPUT_DAMPING,
	CN_INPUT_BODY_MATERIAL,
	CN_INPUT_POSE = 17,
	CN_INPUT_MASS,
	CN_INPUT_BODY_SHAPE,
	CN_INPUT_FILTER,
	CN_INPUT_GRAVITY_SCALE,
	CN_INPUT_TYPE,
	CN_INPUT_JOINT,
	CN_INPUT_REMOVE_JOINT,
	CN_INPUT_FPS
} cn_input_kind;

/* Begins an entry of the log and returns where it begins. The call then puts its arguments and takes effect if the log has
 * room for them; else, or when it is refused, it undoes the entry. */
size_t cn_input_begin(cairn_world *w, cn_input_kind kind);
bool cn_input_undo(cairn_world *w, size_t start,
                   cairn_error *error); /* always false; the error says if memory ran out */

bool cn_input_check_body(const cairn_world *w, cairn_body body, cairn_error *error);    /* it is there */
bool cn_input_check_dynamic(const cairn_world *w, cairn_body body, cairn_error *error); /* the same, and dynamic */

/* ---- change.c, change_joint.c: inputs that replaying (replay.c) gives again. False with the reader failed when the bytes are bad, else
 * with the call's error. */
bool cn_change_replay(cairn_world *w, cn_input_kind kind, cn_reader *r, cairn_error *error);
bool cn_change_joint_replay(cairn_world *w, cn_input_kind kind, cn_reader *r, cn_arena *s, cairn_error *error);

#endif
