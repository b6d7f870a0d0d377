/* The classic methods of the texts (docs/methods.md): what they share.
 *
 * Such a method cuts the frame into substeps. In each it finds the contact points at the poses of w->motion, changes
 * velocities there, and lets every body move as if it were alone. Nothing is proved: bodies may overlap, and the
 * certificate measures how deep. A method's page (src/method) reads
 *
 *   begin, then contacts, <its own stage>, forces, motion, remember in each substep, certify, end
 *
 * and its own stage goes over the list of contact points and calls cn_classic_strike. The list is in the order of slots and parts, so no result depends on threads.
 *
 * While a frame is under way w->motion is a copy that the stages may write; the motion at the frame's start is kept and put
 * back when the frame ends or is refused. A substep ends with a key only where it must: where a body was struck
 * (cn_classic_mark) and where it has turned too far since its last key. */
#ifndef CN_STEP_CLASSIC_H
#define CN_STEP_CLASSIC_H

#include "step/context.h"

/* A contact point of two parts. */
typedef struct cn_classic_point {
	uint32_t a, b;        /* slots */
	uint32_t pair, point; /* in the lists of cn_contacts */
	uint32_t beside;      /* points of the same pair in this list, this one included */
	v3 n;                 /* unit, from a to b */
	v3 ra, rb;            /* m: from the bodies' centres of mass, world axes */
	double gap;           /* m: negative where they overlap */
	double eps, mu_static, mu_kinetic;
	v3 impulse;   /* N s, on b: given here in the last substep, and then in this one */
	bool sliding; /* whether friction was at its limit there */
} cn_classic_point;

/* How a body moves on. */
typedef struct cn_momentum {
	v3 v, l; /* m/s; kg m^2/s */
} cn_momentum;

/* What contact forces do to a body. */
typedef struct cn_classic_push {
	v3 acceleration; /* m/s^2, of the centre of mass */
	v3 torque;       /* N m, about it */
} cn_classic_push;

/* Two parts that fly freely and do not meet before a time. */
typedef struct cn_classic_flight {
	uint32_t a, b, part_a, part_b; /* slots, and which parts of their bodies */
	double until;                  /* s, from the frame's start */
} cn_classic_flight;

typedef struct cn_classic {
	cn_classic_point *points;
	uint32_t point_count;
	uint64_t struck; /* single impulses in this frame */
	struct {
		bool on;                 /* contact forces act in this substep */
		double moment;           /* s: points that meet within it have met; 0: they have where they touch */
		cn_classic_push *pushes; /* by slot */
		double *forces;          /* N, by point: along n, on b */
		uint8_t *held;           /* by point: it may bear a force */
	} hold;
	struct {
		cn_classic_flight *list; /* of the last flight, in the order of pairs */
		uint32_t count;
		cn_momentum *course; /* by slot: where nothing but gravity acts it has this at the next flight's start */
		uint8_t *turned;     /* by slot: something else did */
	} flights;
	struct {
		cn_motion *first, *spare; /* motion at the frame's start while w->motion is a copy, else NULL; spare array */
		uint32_t spare_room;
		cn_memory memory; /* as it was at the frame's start */
		bool under_way;
	} frame;
	struct {
		cn_extra *items; /* of all substeps so far, by substep, then slot */
		uint32_t count;
		uint32_t *places; /* by slot */
		quat *last;       /* by slot: orientation at its last key */
		uint8_t *marked;  /* by slot: it is to get a key where the substep under way begins */
		uint8_t *counts;  /* by slot: its keys so far */
	} keys;
} cn_classic;

void cn_classic_destroy(cairn_world *w);

/* ---- substeps.c: the frame */
cn_stage_run cn_classic_begin;                     /* as many equal substeps as the scene or the method says */
bool cn_classic_next(cairn_world *w, cn_frame *f); /* after a substep: true: there is another one */
cairn_step_report cn_classic_end(cairn_world *w, cn_frame *f); /* in place of cn_frame_end */
void cn_classic_mark(cairn_world *w, uint32_t slot);           /* it gets a key where the substep under way begins */

/* ---- points.c: contact points and what acts at them */
cn_stage_run cn_classic_contacts; /* the list of contact points; bodies that only gravity moves reach their boxes */
cn_stage_run cn_classic_remember; /* impulses and features for the next substep, and for the next frame */
/* Velocity and spin of a body at the substep's start; of a scripted one its mean over the substep. */
cn_twist cn_classic_twist(const cairn_world *w, uint32_t slot);
/* Inverse inertia in world axes: R diag(d) R' of the principal ones. */
m3 cn_classic_inverse(const cn_rotor *r, quat q);
/* m/s: velocity of b's point seen from a's. */
static inline v3 cn_classic_seen(cn_twist a, cn_twist b, const cn_classic_point *p)
{
	return v3_sub(v3_add(b.v, v3_cross(b.w, p->rb)), v3_add(a.v, v3_cross(a.w, p->ra)));
}
v3 cn_classic_approach(const cairn_world *w, const cn_classic_point *p); /* m/s: velocity of b's point seen from a's */
/* 1/kg: how much velocity along d a unit impulse along d gives to a body, r from its centre of mass. */
static inline double cn_classic_body_response(const cairn_world *w, uint32_t slot, v3 r, v3 d)
{
	const cn_rotor *rotor = &w->rotors[slot];
	v3 turn = v3_cross(r, d);
	if (!rotor->active)
		return 0;
	return rotor->inv_mass * v3_dot(d, d) + v3_dot(turn, cn_spin(rotor, w->motion[slot].q, turn));
}
/* The same of the relative velocity at a point. */
static inline double cn_classic_response(const cairn_world *w, const cn_classic_point *p, v3 d)
{
	return cn_classic_body_response(w, p->a, p->ra, d) + cn_classic_body_response(w, p->b, p->rb, d);
}
/* An impulse on b, and its opposite on a, at the substep's start: velocities in w->motion change. Its work is booked along
 * the normal (impacts) and across it (friction), that of scripts as events. */
void cn_classic_strike(cairn_world *w, cn_frame *f, const cn_classic_point *p, v3 impulse);
/* The booking alone. mean: of the relative velocity before and after. */
void cn_classic_book(const cairn_world *w, cn_frame *f, const cn_classic_point *p, v3 impulse, v3 mean);

/* ---- collide.c: single impulses */
#define CN_COLLIDE_STILL                                                                                               \
	2.0 /* x g dt: what gravity brings in two substeps is no impact: it does not bounce, and may rest */
#define CN_CLASSIC_TOUCH                                                                                               \
	1e-6 /* of the thinnest part of any pair: nearer points touch; scenes build bodies upon each other to rounding */
double cn_classic_touch(const cairn_world *w); /* m: points with no more gap than this touch */
/* Points have met where they touch, or will within the method's moment. */
static inline bool cn_classic_met(const cairn_world *w, const cn_classic_point *p, double approach, double touch)
{
	return p->gap <= touch || p->gap <= approach * w->context->classic->hold.moment;
}
/* The restitution of an approach: that of the materials, or 0 where gravity alone brings the two together. */
double cn_classic_restitution(const cairn_world *w, const cn_classic_point *p, double approach);
/* An impulse that is an impact: struck, added to the point's, noted, with keys. False: memory ran out. */
bool cn_classic_hit(cairn_world *w, cn_frame *f, cn_classic_point *p, v3 impulse);
/* Impulses at points within touch, one by one through the list, and again, until none approaches. */
bool cn_classic_collide(cairn_world *w, cn_frame *f, double touch);

/* ---- complement.c: all points at once */
/* w = M z + q, z >= 0, w >= 0, z w = 0 over the points that takes names, island by island; q, z: by point, z 0 for others. */
typedef enum cn_complement_way {
	CN_COMPLEMENT_LEMKE_ALL, /* Lemke's method, which is exact */
	CN_COMPLEMENT_EXACT, /* the same, but large islands as quadratic programs over bodies: the same motion, sooner */
	CN_COMPLEMENT_GUESS, /* by the text's guess of what vanishes (num/vanishing.h) */
} cn_complement_way;
typedef struct cn_complement {
	const uint8_t *takes;
	const double *q;
	double *z;
	cn_complement_way way;
} cn_complement;
/* Islands without an answer are counted and have z 0; guesses are counted too. False: memory ran out. */
bool cn_classic_complement(cairn_world *w, cn_frame *f, const cn_complement *c);

/* ---- curve.c */
/* m/s^2: how the gap at a point accelerates by the motion under way, without any force. */
double cn_classic_curve(const cairn_world *w, const cn_classic_point *p);

/* ---- the methods' own stages */
cn_stage_run cn_penalty_apply;                      /* penalty.c: springs and dampers at points that overlap */
cn_stage_run cn_kinematic_apply;                    /* kinematic.c: velocities are mirrored where bodies overlap */
cn_stage_run cn_impulse_begin, cn_impulse_contacts; /* impulse.c: the frame as one flight; contacts over what is left */
cn_stage_run cn_impulse_strike;                     /* impulses where bodies meet */
cn_stage_run cn_impulse_fly;                        /* how long the next flight lasts: to the first impact */
double cn_impulse_touch(const cairn_world *w);      /* m: points with no more gap than this have met */
double cn_impulse_micro(const cairn_world *w);      /* s: a substep, the longest flight of what rests */
cn_stage_run cn_propagation_apply;                  /* collide.c: single impulses until none approaches */
cn_stage_run cn_simultaneous_apply;                 /* simultaneous.c: all impulses at once */
/* The same, at points within touch. */
bool cn_simultaneous_strike(cairn_world *w, cn_frame *f, double touch, cn_complement_way way);
cn_stage_run cn_analytic_strike; /* analytic.c: impulses where bodies meet, all at once or in series */
cn_stage_run cn_analytic_hold;   /* forces at points that rest */
cn_stage_run cn_analytic_push;   /* they act on the velocities of w->next */

#endif
