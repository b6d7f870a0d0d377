/* The equations of a joint at given poses of its two bodies (OBA 6.4): how far each is violated, and how twists of
 * the bodies change that. Every equation is one row. The free axis of a joint, which may have limits or a motor, is a
 * row too. */
#ifndef CN_JOINT_H
#define CN_JOINT_H

#include "num/qp.h"
#include "world/world.h"

#define CN_JOINT_ROWS 6 /* equations of a joint at most: one body has so many ways to move against another */

typedef struct cn_joint_row {
	cn_twist ja, jb; /* d(off)/dt = ja.u_a + jb.u_b */
	double off;      /* violation, m; rad if turns */
	bool turns;
} cn_joint_row;

/* OBA eq. 6.44 and similar. a, b: poses of the centres of mass; the identity for the world. Returns the number of
 * rows. */
uint32_t cn_joint_equations(const cairn_world *w, uint32_t joint, pose a, pose b, cn_joint_row rows[CN_JOINT_ROWS]);
uint32_t cn_joint_equation_count(const cairn_world *w, uint32_t joint);

/* Sees whether a rod is as long as another joint between its two bodies, which holds a point, lets it be at most or at least
 * (joint.in_line, and its axes): then that point and both ends stay in one line, and the equations of the rod say so. Its
 * length would have no slope there, and no force could hold it. */
void cn_joint_find_line(cairn_world *w, uint32_t joint);

/* Axes along which the joint moves and which may have limits or a motor; equations and axes are CN_JOINT_ROWS at most. Only
 * joints with one axis have a motor. off is the value; a hinge's is the one nearest to its last. */
uint32_t cn_joint_axis_count(const cairn_world *w, uint32_t joint);
cn_joint_row cn_joint_axis(const cairn_world *w, uint32_t joint, uint32_t axis, pose a, pose b);

typedef struct cn_joint_span {
	double low, high; /* m or rad; infinite: no limit */
} cn_joint_span;
cn_joint_span cn_joint_limits(const cairn_world *w, uint32_t joint, uint32_t axis);
static inline bool cn_joint_limited(cn_joint_span s) { return isfinite(s.low) || isfinite(s.high); }

/* The turn that is left to where a ball's servo wants b: a rotation vector, world axes. */
v3 cn_joint_left(const cn_joint *j, pose a, pose b);
bool cn_joint_turns(const cairn_world *w, uint32_t joint); /* it is a ball with a servo */

/* It holds nothing, whatever the poses: a spring between two points, without limits. */
bool cn_joint_pulls(const cairn_world *w, uint32_t joint);

double cn_joint_error(const cairn_world *w, uint32_t joint, pose a, pose b); /* m */

/* Pose of a side of a joint: its body's at these motions, or the world's. */
static inline pose cn_joint_side(const cn_motion *motion, uint32_t slot)
{
	return slot == CN_NO_BODY ? pose_identity() : (pose){motion[slot].x, motion[slot].q};
}

#endif
