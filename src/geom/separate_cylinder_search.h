/* The searches behind separate_cylinder: all planes that can be the widest, tried one after the other. */
#ifndef CN_SEPARATE_CYLINDER_SEARCH_H
#define CN_SEPARATE_CYLINDER_SEARCH_H

#include "geom/ellipse.h"
#include "geom/polytope.h"
#include "geom/tolerance.h"

/* A cylinder about its centre. */
typedef struct cn_cylinder {
	v3 u; /* unit, its axis */
	double half, radius;
} cn_cylinder;

/* The best of the normals tried so far. Among normals whose s differ by less than favour the one nearer to last
 * wins. */
typedef struct cn_widest {
	v3 n;
	double s, score;
	v3 last;       /* unit, or zero: none is favoured */
	double favour; /* m */
	double close;  /* m: a search may miss a plane that is wider by this */
} cn_widest;

static inline void cn_widest_try(cn_widest *best, v3 n, double s)
{
	double score = s + best->favour * v3_dot(n, best->last);
	if (score > best->score)
		best->score = score, best->s = s, best->n = n;
}
/* Can a normal with s at most `most` still win? */
static inline bool cn_widest_hopes(const cn_widest *best, double most) { return most + best->favour > best->score; }

/* The part of d across the unit vector u. */
static inline v3 cn_across(v3 d, v3 u) { return v3_madd(d, u, -v3_dot(d, u)); }
/* A unit vector across u: away from the axis that u is furthest from. */
static inline v3 cn_any_across(v3 u)
{
	v3 a = v3_abs(u), e = {a.x <= a.y && a.x <= a.z, a.y < a.x && a.y <= a.z, a.z < a.x && a.z < a.y};
	return v3_unit(cn_across(e, u));
}
/* The direction of n across u: unit, and across u to the last digit also where n is nearly along u. Zero where n is
 * along u up to rounding. *sine is the length of the part of n across u. */
static inline v3 cn_unit_across(v3 n, v3 u, double *sine)
{
	v3 across = cn_across(n, u);
	*sine = v3_length(across);
	if (*sine < CN_CYLINDER_PARALLEL)
		return v3_zero();
	across = v3_scale(across, 1 / *sine);
	return *sine > 1e-3 ? across : v3_unit(cn_across(across, u));
}
static inline double cn_cylinder_reach(const cn_cylinder *c, v3 n) /* the largest n.x over it */
{
	return c->half * fabs(v3_dot(n, c->u)) + c->radius * v3_length(cn_across(n, c->u));
}

/* The disc of a cylinder seen along a straight edge: an ellipse in the plane across the edge, short along f, long along
 * g, which is across both the edge and the axis. */
typedef struct cn_rim_view {
	v3 f, g;
	cn_ellipse ellipse;
	bool parallel; /* axis and edge are, up to rounding: g says nothing */
} cn_rim_view;
cn_rim_view cn_rim_view_make(const cn_cylinder *c, v3 edge);

/* n from the cylinder to the polytope, in the polytope's axes; `at` is the cylinder's centre there. s(n) is exact
 * for the final n; best must have been given score -infinity or a valid s. */
void cn_cylinder_against_core(const cn_cylinder *c, v3 at, const cn_polytope *core, cn_widest *best);

/* n from a to b; d is b's centre less a's. Three steps, each asked only while the best is not known to be the
 * widest (apart, with points that confirm it): the planes that are found directly, all but rim against rim; rim
 * against rim where a climb reaches it; rim against rim searched throughout. Axes within CN_CYLINDER_FLAT count as
 * parallel, for which the first step has all planes. */
void cn_cylinder_try_easy(const cn_cylinder *a, const cn_cylinder *b, v3 d, cn_widest *best);
void cn_cylinder_climb_rims(const cn_cylinder *a, const cn_cylinder *b, v3 d, cn_widest *best);
void cn_cylinder_search_rims(const cn_cylinder *a, const cn_cylinder *b, v3 d, cn_widest *best);
/* From a best plane whose points miss each other by g (that of b less that of a): turned toward g it gets wider
 * still, be it by less than `close`. */
void cn_cylinder_follow(const cn_cylinder *a, const cn_cylinder *b, v3 d, v3 g, cn_widest *best);

#endif
