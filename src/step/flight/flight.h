/* Blows inside the frame: what the flights of few balls (impact.c) and those of any bodies (hybrid.c) share. A flight
 * is a body on its free way, a parabola while it turns freely, from one blow to the next. */
#ifndef CN_IMPACT_H
#define CN_IMPACT_H

#include "step/context.h"

typedef struct cn_flight {
	uint32_t slot;
	v3 x, v, l, a, torque; /* a, torque: what changes v and l, evenly over the frame */
	quat q;
} cn_flight;

/* What a contact that rests does to b over the frame, and the opposite to a. */
typedef struct cn_grip {
	v3 rub, hold; /* N: across the normal and along it */
	v3 ra, rb;    /* where, from the centres of mass at the frame's start */
} cn_grip;

typedef struct cn_blow {
	uint32_t pair;
	double t, speed; /* from the frame's start; how fast the two near; 0: they come to rest there */
	double nears;    /* m/s^2 */
	cn_separation at;
} cn_blow;

/* Two flights that may meet; NULL: that body stands still. */
typedef struct cn_flyers {
	uint32_t pair;
	const cn_flight *a, *b;
} cn_flyers;

/* ---- time_of_impact.c: flights, and when two of them meet */
bool cn_flight_ball(const cairn_world *w, uint32_t slot); /* where it touches does not depend on how it has turned */
cn_flight cn_flight_begin(const cairn_world *w, uint32_t slot); /* at the frame's start */
void cn_flight_advance(const cairn_world *w, cn_flight *b, double t);
cn_place cn_flight_place(const cairn_world *w, const cn_flight *b, uint32_t part); /* b NULL: it stands still */
/* The next blow of two flights after time t, where both are now. Of balls, by quadratic equations. */
bool cn_blow_balls(const cairn_world *w, cn_flyers two, double t, cn_blow *out);
/* Of any two, by conservative advancement; slower than least does not count. False: out->t says how long they are free
 * for sure. */
bool cn_blow_any(const cairn_world *w, cn_flyers two, double t, double least, cn_blow *out);

/* ---- impulse.c: what a blow does */
cn_grip cn_grip_begin(const cairn_world *w, const cn_pair *p);
/* A body that was struck moves another way than when its resting contacts were solved: they no longer rub it, which
 * might drive it on, nor hold it where it leaves. */
void cn_grip_loosen(const cairn_world *w, cn_grip *grip, cn_flight *a, cn_flight *b);
/* Blows at one time on flights[0 .. count-1], at most CN_IMPACT_BALLS, which contacts name by number: one by its closed
 * form, more, at most CN_IMPACT_PAIRS, as a program. lost: J, along normals. False: memory ran out. */
bool cn_strike(const cairn_world *w, cn_flight *const *flights, uint32_t count, const cn_qp_contact *at, uint32_t blows,
               double *lost);
/* Energy that flights from the frame's start on have won: more than nothing counts as wrong. */
typedef struct cn_flight_gains {
	double won, little; /* J */
} cn_flight_gains;
void cn_flight_gain(const cairn_world *w, const cn_flight *b, cn_flight_gains *sum);
double cn_flight_arrive(cairn_world *w, const cn_flight *b); /* its end in place of the target; J: what that changes */

/* ---- look.c */
/* A body that was struck may come to where nothing was expected: looks at the pairs there, which then are marked.
 * *more: there are new ones. False: memory ran out. */
bool cn_flight_find_pairs(cairn_world *w, bool *more);

/* ---- hybrid.c */
bool cn_hybrid_fly(cairn_world *w, cn_frame *f); /* false: memory ran out */

/* ---- hybrid_path.c */
void cn_hybrid_prove(cairn_world *w);                    /* bodies whose flight is not free come under rows, ... */
void cn_hybrid_end_flights(cairn_world *w, cn_frame *f); /* ... and so do those that what is under rows may come near */

#endif
