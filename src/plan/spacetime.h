/* A plan as it is being solved: what is given, where its unknowns are, and its rows. */
#ifndef CN_SPACETIME_H
#define CN_SPACETIME_H

#include "num/sqp.h"
#include "plan/planar.h"

enum { CN_SPACETIME_RATES = CN_PLANAR_MAX + 2, CN_SPACETIME_SIDES = 5 };

/* A hold at a sample: where its three unknowns are. At the last one of a hold before flight the foot is still where it was,
 * but nothing pushes it: a push there would throw it off, as no ground does. */
typedef struct cn_grip {
	uint32_t hold, sample, unknown;
} cn_grip;

typedef struct cn_spacetime {
	const cairn_scene *scene;
	const cairn_plan_def *def;
	cn_planar f;
	uint32_t n, samples; /* coordinates; intervals */
	double h, force;     /* s; N: the figure's weight, which forces are measured by */
	cn_grip *grips;
	uint32_t grip_count, *first_grip; /* by sample, and one more */
	uint32_t *begins, *ends;          /* samples of the holds; nothing pushes at the last unless it is the plan's */
	uint32_t *links;                  /* of the holds' bodies */
	double *heights;                  /* of the holds: from sole to centre, m */
	double *start, *line;
	cn_planar_state *states;
	p2 *columns; /* by sample, link, coordinate */
	double *turns;
	cn_entry *entries; /* written where it is not NULL */
	double *values;
	uint32_t entry_count, row;
	uint32_t squares, equations;
} cn_spacetime;

/* Derivatives of one row: by coordinates of the sample before, its own and the next, and by what its grips do. */
typedef struct cn_slopes {
	double q[3][CN_SPACETIME_RATES];
	double w[3 * 8];
} cn_slopes;

/* The force along a coordinate, N or N m, that neither gravity nor the ground exerts. */
double cn_spacetime_force(const cn_spacetime *p, const double *z, uint32_t i, uint32_t r);
/* What the objective squares: N m, W or rad/s^2. s: its derivatives, or NULL. */
double cn_spacetime_wanted(const cn_spacetime *p, const double *z, uint32_t i, uint32_t r, cn_slopes *s);
/* What a foot cannot do, by the figure's weight, of CN_SPACETIME_SIDES ways; by: derivatives of it. */
double cn_spacetime_side(const cn_spacetime *p, const cn_grip *g, const double *w, uint32_t k, double by[3]);
bool cn_spacetime_acts(const cn_spacetime *p, uint32_t i);    /* the laws of motion hold at that sample */
bool cn_spacetime_driven(const cn_spacetime *p, uint32_t r);  /* a motor, or thrust, pushes along that coordinate */
double cn_spacetime_share(const cn_spacetime *p, uint32_t i); /* s: of a sample in an integral over time */
uint32_t cn_spacetime_sample(const cn_spacetime *p, double time);
/* The coordinate of a joint; CN_PLANAR_NONE: it is of another figure. */
uint32_t cn_spacetime_rate(const cn_spacetime *p, uint32_t joint, double *sign);
/* All rows at z: their values into out, or where that is NULL their derivatives into entries and values. */
void cn_spacetime_rows(cn_spacetime *p, const double *z, double *out);

#endif
