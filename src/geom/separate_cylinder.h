/* The widest separating plane of a cylinder and any other part: what cn_separate promises, for the pairs of which at
 * least one is a cylinder (the other may be of any kind). */
#ifndef CN_SEPARATE_CYLINDER_H
#define CN_SEPARATE_CYLINDER_H

#include "geom/separate.h"

/* As cn_separate. witness may be NULL; only its axis is read. The points lie on their parts up to 1e-7 of each part's size
 * and the square root of gap times rounding. Linear in the other's vertices, edges and faces; no memory is asked for. */
void cn_separate_cylinder(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb,
                          cn_witness *witness, cn_separation *out);

#endif
