/* The equations of a joint at poses of its two bodies (OBA 6.4): what of it is off, and how twists of the bodies change
 * that. Every equation is one row; what a joint leaves free and limits or drives is a row too. */
#ifndef CN_JOINT_H
#define CN_JOINT_H

#include "num/qp.h"
#include "world/world.h"

enum { CN_JOINT_ROWS = 6 };

typedef struct cn_joint_row {
	cn_twist ja, jb; /* d(off)/dt = ja.u_a + jb.u_b */
	double off;      /* m; rad where the row turns */
	bool turns;
} cn_joint_row;

/* OBA eq. 6.44 and its like. a, b: poses of the centres of mass; the world's own for the world. Returns how many. */
uint32_t cn_joint_equations(const cairn_world *w, uint32_t joint, pose a, pose b, cn_joint_row rows[CN_JOINT_ROWS]);
uint32_t cn_joint_equation_count(const cairn_world *w, uint32_t joint);

/* What it leaves free, if that is one thing: off is its value, a hinge's near its last. */
bool cn_joint_has_axis(const cairn_world *w, uint32_t joint);
cn_joint_row cn_joint_axis(const cairn_world *w, uint32_t joint, pose a, pose b);

double cn_joint_error(const cairn_world *w, uint32_t joint, pose a, pose b); /* m */

/* Where a side is: its body, at these motions by slot, or the world. */
static inline pose cn_joint_side(const cn_motion *motion, uint32_t slot)
{
	return slot == CN_NO_BODY ? pose_identity() : (pose){motion[slot].x, motion[slot].q};
}

#endif
