/* The programs of optimization-based animation as its text writes them (OBA A.3.1, A.3.2, A.3.3; errata 9 to 16), built as
 * written and solved exactly: what the default programs are compared with, and what `momentum=thesis` and `forces=qp` run. */
#ifndef CN_TEXT_PROGRAMS_H
#define CN_TEXT_PROGRAMS_H

#include "num/qp.h"

/* A.3.1. A plane per close pair: d moves it along n, tilt turns it toward nx and ny. Every critical vertex of A has to stay
 * below it, every one of B above. Coordinates relative to the plane's point p. */
typedef struct cn_text_plane {
	uint32_t a, b; /* bodies, one may be CN_QP_NONE */
	v3 p, n, nx, ny;
	uint32_t first, count_a, count_b; /* into vertices: those of a, then those of b */
} cn_text_plane;
typedef struct cn_text_vertex {
	v3 r; /* from the body's centre (CN_QP_NONE: from p), world axes */
	v3 x; /* from p, world axes */
} cn_text_vertex;
typedef struct cn_text_position {
	uint32_t body_count, plane_count, vertex_count;
	const cn_qp_body *bodies;
	const cn_twist *u0; /* the targets */
	const cn_text_plane *planes;
	const cn_text_vertex *vertices;
	double gap;       /* kept between the features */
	double most_turn; /* |dphi| <= this, each component: 0.1 in the text */
} cn_text_position;
cn_qp_result cn_text_solve_position(const cairn_allocator *allocator, const cn_text_position *program, cn_twist *u);

/* A.3.2: least kinetic energy over the eight-sided friction cones, with the restitution rows (5). The contacts' least is not
 * read, and there are no other rows. EARLY or INFEASIBLE: see errata 15; u is then u0. */
cn_qp_result cn_text_solve_momentum(const cairn_allocator *allocator, const cn_qp *qp, cn_qp_solution *solution);

/* A.3.3: accelerations nearest to the free ones in the metric of mass. qp.u0 are the free accelerations; least is the normal
 * acceleration each contact must reach. There are no other rows. cones false: without friction. Else each contact's
 * acceleration lies in the cone over its tip whose sides are perpendicular to the eight-sided friction cone (errata 11);
 * tips [contact_count], along n, s, t, or NULL for the origin. The multipliers are contact forces inside that friction cone. */
cn_qp_result cn_text_solve_forces(const cairn_allocator *allocator, const cn_qp *qp, bool cones,
                                  const cn_qp_impulse *tips, cn_qp_solution *solution);
/* OBA eq. 6.42: puts the tip of every contact that presses against the side of its cone right under its acceleration;
 * how many there were. Solve again until there are none, or three times as the text does. */
uint32_t cn_text_move_tips(const cn_qp *qp, const cn_qp_solution *solution, cn_qp_impulse *tips);

#endif
