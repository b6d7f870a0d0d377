/* A pair of parts and its contact points: records that contact makes and the stages hand on. What a stage finds out
 * stands in a group of its own, which that room alone writes. Contact writes the rest. It makes the groups with the
 * record, and takes them along where points change. */
#ifndef CN_STEP_PAIR_H
#define CN_STEP_PAIR_H

#include "geom/contact.h"
#include "step/tolerance.h"

/* The last solution of rest at a point. Owner: rest. */
typedef struct cn_point_rest {
	v3 impulse;   /* N s, on b; warm start of the next */
	bool sliding; /* it left the point sliding */
	bool returns; /* the point left as the step began, and could come back within it */
} cn_point_rest;

/* The last solution of position at a point. Owner: position. */
typedef struct cn_point_position {
	double push;       /* m: multiplier of the last program */
	double first_push; /* m: the same where the leg began */
} cn_point_position;

/* A contact point of a pair. Owner: contact, but for the groups. */
typedef struct cn_pair_point {
	v3 ra, rb; /* m: from the bodies' centres of mass, world axes */
	double gap;
	uint64_t feature; /* identifies the point from frame to frame */
	bool main;        /* one of the few points that momentum programs use */
	double left;      /* m/s: approach left by the last frame's bounce, if as fast as an impact; else 0 */
	cn_point_rest rest;
	cn_point_position position;
} cn_pair_point;

/* A gap between two parts and the axis that separates them. */
typedef struct cn_gap {
	double gap; /* m; only a lower bound if beyond reach */
	v3 axis;
} cn_gap;

/* Whether the paths of a pair are known to be free of each other. */
typedef enum cn_proof {
	CN_PROOF_STANDS, /* they are, or nothing is to be proved */
	CN_PROOF_DUE,    /* a body moved since */
	CN_PROOF_FAILED,
} cn_proof;

/* Whether children take the place of a pair of a front. */
typedef enum cn_split { CN_SPLIT_NO, CN_SPLIT_DUE, CN_SPLIT_DONE } cn_split;

/* What the passes of the step did with a pair. Owner: position. */
typedef struct cn_pair_position {
	uint8_t blocks;      /* a body was held back because of this pair, so the two count as touching */
	uint8_t row_stopped; /* in the last pass a row without a contact point stopped the bodies */
	uint8_t pushed;      /* a program of this step moved one body for the other's sake */
	struct {
		v3 axis;         /* axis that keeps the pair on one side in this leg; zero: none */
		double gap, max; /* m: gap asked for along it; the largest that can be reached in this leg */
	} side;
} cn_pair_position;

/* How flights inside the frame meet a pair. Owner: flight. */
typedef struct cn_pair_flight {
	uint8_t hits;  /* an impact inside the frame happens between the two */
	uint8_t meets; /* they come near each other only after such an impact */
	uint8_t apart; /* one flies and the other, under rows, passes it at a safe distance */
} cn_pair_flight;

/* How rest treats a pair. Owner: rest. */
typedef struct cn_pair_rest {
	uint8_t strays; /* its rows move with their contact points */
	uint8_t plain;  /* its rows are those of where the step begins, for its island was locked */
} cn_pair_rest;

/* How a pair meets in the bounce. Owner: bounce. */
typedef struct cn_pair_bounce {
	double graze;   /* s, into the step: when the two met that graze; 0: they meet at its end */
	uint8_t struck; /* none came as fast as an impact before the bounce: who does after it was struck */
} cn_pair_bounce;

/* Two parts whose paths may meet in this frame. Owner: contact, but for the groups. */
typedef struct cn_pair {
	/* what walks over all pairs read, within one line of the cache or two */
	uint32_t pa, pb, a, b;  /* parts and their slots; a half-space is always pb */
	uint32_t first, count;  /* of its points, in cn_contacts.points */
	uint8_t near;           /* gap below reach at the poses last measured */
	uint8_t must_not_touch; /* one of the two is a mesh that may move, and the method has no fronts */
	uint8_t split;          /* cn_split; done: the pair is no longer looked at */
	uint8_t script_moves;   /* one of the two is a scripted body that moves in this frame */
	uint8_t fresh;          /* not measured yet */
	uint8_t measured;       /* in the last round of measuring */
	uint8_t proof;          /* cn_proof; due after each measuring. Who proves tells by cn_pair_proved */
	cn_pair_flight flight;  /* what the stages found out about it in this step: these, and below */
	cn_pair_rest rest;
	double gap_target, gap_request; /* m: the gap to keep; the gap that this frame's rows ask for */
	cn_separation at;               /* at the poses last measured; beyond reach: only n and a lower bound of the gap */
	cn_pair_position position;
	/* what it is: pairs.c and gap.c */
	double reach; /* m: larger gaps do not matter in this frame */
	double slab;  /* m: vertices this close to the plane become contact points */
	double thin;  /* m: thickness of the thinner part, plus rounding */
	double mu_static, mu_kinetic, eps;
	double rolling; /* m: rolling resistance */
	/* where it is: narrow_phase.c */
	cn_gap leg_start;   /* at the start of the current leg */
	cn_gap frame_start; /* at the frame's start */
	cn_witness witness;
	double low, high;        /* m: as in cn_contact_set */
	double travel;           /* m: travel of both bodies when at was found, or its bound taken down */
	uint32_t room;           /* for points */
	uint32_t points_missing; /* points that did not fit */
	uint32_t cached;         /* index in cn_contact_cache.pairs plus 1; 0: it must be measured */
	cn_pair_bounce bounce;
} cn_pair;

static inline bool cn_pair_bad(const cn_pair *p) { return p->proof == CN_PROOF_FAILED; }
/* What a split pair stood for is proved by its children. */
static inline void cn_pair_proof_due(cn_pair *p)
{
	p->proof = p->split == CN_SPLIT_DONE ? CN_PROOF_STANDS : CN_PROOF_DUE;
}
static inline void cn_pair_proved(cn_pair *p, bool free) { p->proof = free ? CN_PROOF_STANDS : CN_PROOF_FAILED; }

/* The gap that contact rows preserve: the present one, up to the target. */
static inline double cn_pair_hold(const cn_pair *p, double gap)
{
	return gap < p->gap_target ? (gap > 0 ? gap : 0) : p->gap_target;
}

/* The two touch, or a position program moved one for the other's sake. */
static inline bool cn_pair_pushes(const cn_pair *p)
{
	return p->near && !p->must_not_touch &&
	       (p->position.pushed || p->position.blocks || p->at.gap <= CN_PUSHING_GAP * p->gap_target);
}

/* A point takes over the load of another. */
static inline void cn_point_take_load(cn_pair_point *t, const cn_point_rest *of)
{
	t->rest.impulse = v3_add(t->rest.impulse, of->impulse);
	t->rest.sliding |= of->sliding;
	t->rest.returns |= of->returns;
}

/* The impulse that a method without a rest solve gave at a point: what the next step finds there. */
static inline void cn_point_set_load(cn_pair_point *t, v3 impulse, bool sliding)
{
	t->rest = (cn_point_rest){impulse, sliding, false};
}

/* The leg begins again, with the multiplier it began with. */
static inline void cn_point_push_again(cn_pair_point *t) { t->position.push = t->position.first_push; }

#endif
