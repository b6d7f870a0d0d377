/* Impacts inside the frame: what the flights of few balls (balls.c) and those of any bodies (hybrid.c) share. In
 * flight a body moves freely from impact to impact: its centre on a parabola, while it rotates freely. */
#ifndef CN_STEP_FLIGHT_H
#define CN_STEP_FLIGHT_H

#include "step/context.h"

#define CN_IMPACT_BALLS 8   /* of an island at most that bounces inside the frame ... */
#define CN_IMPACT_PAIRS 128 /* ... with so many pairs at most */
#define CN_IMPACT_LOOKS 3   /* at where struck balls come to, and what is there */
#define CN_IMPACT_MIN 1e-3  /* x g dt: slower impacts are rest; they would rise 5e-7 g dt^2 */
#define CN_HYBRID_NEAR 0.05 /* of the kept gap: so near is there; a fiftieth of a percent of a thin wall */

typedef struct cn_flight {
	uint32_t slot;
	v3 x, v, l, a, torque; /* a, torque: rates of change of v and l, constant over the frame */
	quat q;
	v3 spin;     /* of a script, ... */
	bool script; /* ... which goes straight on and turns evenly, with neither l nor torque */
} cn_flight;

/* The forces of a resting contact on b over the frame; a gets the opposite. */
typedef struct cn_grip {
	v3 rub, hold; /* N: friction; normal force */
	v3 ra, rb;    /* from the centres of mass at the frame's start */
} cn_grip;

typedef struct cn_impact {
	uint32_t pair;
	double t, speed; /* s, from the frame's start; m/s: approach speed, 0: they come to rest there */
	double nears;    /* m/s^2: approach acceleration */
	cn_separation at;
} cn_impact;

/* Two flights that may meet; NULL: that body stands still. */
typedef struct cn_flyers {
	uint32_t pair;
	const cn_flight *a, *b;
} cn_flyers;

/* ---- time_of_impact.c: flights and their times of impact */
bool cn_flight_ball(const cairn_world *w, uint32_t slot); /* a ball whose contact does not depend on its orientation */
cn_flight cn_flight_begin(const cairn_world *w, uint32_t slot); /* at the frame's start */
cn_flight cn_flight_of_script(const cairn_world *w, uint32_t slot);
void cn_flight_advance(const cairn_world *w, cn_flight *b, double t);
cn_place cn_flight_place(const cairn_world *w, const cn_flight *b, uint32_t part); /* b NULL: the body stands still */
/* The next impact of two flights that are both at time t. For balls, by quadratic equations. */
bool cn_impact_balls(const cairn_world *w, cn_flyers two, double t, cn_impact *out);
/* The same for any two bodies, by conservative advancement. Impacts slower than min do not count. False: the two
 * are free up to out->t. */
bool cn_impact_any(const cairn_world *w, cn_flyers two, double t, double min, cn_impact *out);

/* ---- impulse.c: effects of impacts */
cn_grip cn_grip_begin(const cairn_world *w, const cn_pair *p);
/* After an impact, a body's resting contacts no longer fit its motion. Their friction is removed, as it might
 * accelerate the body, and so is their normal force where the body leaves. */
void cn_grip_loosen(const cairn_world *w, cn_grip *grip, cn_flight *a, cn_flight *b);
void cn_grip_rub(const cairn_world *w, const cn_grip *grip, cn_flight *a,
                 cn_flight *b); /* its friction begins to act */
/* Applies simultaneous impacts to flights[0 .. count-1], at most CN_IMPACT_BALLS of them; contacts name flights by
 * index. A single contact has a closed form; several, at most CN_IMPACT_PAIRS, are solved as a program. False: memory
 * ran out. */
typedef struct cn_flight_blow {
	cn_qp_impulse y[CN_IMPACT_PAIRS]; /* by contact */
	double lost;                      /* J along normals, added to */
} cn_flight_blow;
bool cn_flight_strike(const cairn_world *w, cn_flight *const *flights, uint32_t count, const cn_qp_contact *at,
                      uint32_t impacts, cn_flight_blow *blow);
/* Notes the impulse of such a contact, t after the step's start, for whoever asks. False: memory ran out. */
bool cn_flight_note(cairn_world *w, cn_flight *const *flights, const cn_qp_contact *at, uint32_t pair, cn_qp_impulse y,
                    double t);
/* Energy that flights gained since the frame's start. A gain beyond rounding (little) means that the flight is wrong.
 * */
typedef struct cn_flight_gains {
	double won, little; /* J */
} cn_flight_gains;
void cn_flight_gain(const cairn_world *w, const cn_flight *b, cn_flight_gains *sum);
double cn_flight_arrive(cairn_world *w,
                        const cn_flight *b); /* makes its end the target; returns the change of energy, J */

/* ---- flight_pairs.c */
/* A body that was hit may come to places where no pair was expected. Measures the pairs there and marks them
 * (cn_pair_flight.meets). *more: there are new ones. False: memory ran out. */
bool cn_flight_find_pairs(cairn_world *w, bool *more);

/* ---- hybrid.c */
bool cn_hybrid_fly(cairn_world *w, cn_frame *f); /* false: memory ran out */

/* ---- hybrid_path.c */
void cn_hybrid_prove(cairn_world *w);                    /* puts bodies whose flight is not free under rows, ... */
void cn_hybrid_end_flights(cairn_world *w, cn_frame *f); /* ... and those whose flight comes near a body under rows */

#endif
