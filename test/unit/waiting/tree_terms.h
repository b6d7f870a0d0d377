/* Terms of the motion of a tree of links beyond what a step needs: mass matrix, inverse dynamics, Jacobians and
 * derivatives. They wait here for planning. */
#ifndef CN_TREE_TERMS_H
#define CN_TREE_TERMS_H

#include "num/joint_tree.h"

/* The mass matrix (composite rigid bodies), rates x rates. Poses are those last put and moved. */
void cn_tree_mass(const cn_joint_tree *t, double *mass);
/* Lower Cholesky factor in place; false: not positive. Solve in place. */
bool cn_tree_cholesky(double *mass, uint32_t n);
void cn_tree_cholesky_solve(const double *factor, uint32_t n, double *x);
/* Inverse dynamics (Newton and Euler, recursive): forces at the joints for given changes of the rates, with all other
 * forces as they are. */
void cn_tree_inverse(cn_joint_tree *t, const double *place, const double *rate, const double *change, double *push);
/* Rows of the velocity of a point fixed to a link, world axes: 6 x rates, turning before straight. */
void cn_tree_jacobian(const cn_joint_tree *t, uint32_t link, v3 point, double *rows);

/* A direction of coordinates, given as the rates that lead along it, of rates and of their changes. */
typedef struct cn_tree_way {
	const double *place, *rate, *change;
} cn_tree_way;
/* How the forces of inverse dynamics change along a way, at what cn_tree_inverse was last asked for with these rates and
 * changes. */
void cn_tree_inverse_along(const cn_joint_tree *t, const double *rate, const double *change, cn_tree_way way,
                           double *push);

#endif
