/* What is wrong with the poses of an engine, whichever: looked at frame by frame, by code that belongs to none of them. */
#ifndef PEERS_CHECK_H
#define PEERS_CHECK_H

#include "scene.h"

#define PEER_OVERLAP_MAX 0.05 /* of a body's size: what may be seen */
#define PEER_RISE_MAX 0.01    /* of all moving mass lifted by the longest body: what may come from nowhere in a frame */
#define PEER_PIERCES 0.05     /* m: a plate that sticks out of both sides of the wall by more has gone through it */

/* The box or ball of a body at a state, ready to be measured. */
typedef struct peer_solid {
	const peer_body *body;
	double x[3], axes[3][3]; /* the box's axes, one a row */
	double low[3], high[3];  /* m: of its box along the world's axes; low > high: it is nowhere */
} peer_solid;

typedef struct peer_check {
	const peer_scene *scene;
	peer_solid *solids;
	uint32_t *order; /* of the solids, along x */
	uint8_t *pierced;
	double *first;                /* the states at the start */
	uint32_t frames;              /* looked at */
	double overlap, overlap_last; /* of the size of the smaller moving body: the worst of any frame; of the last */
	double rise, start,
		before;   /* of the unit: the largest from frame to frame; J: energy at the start, in the last frame */
	double unit;  /* J */
	double moved; /* m: the furthest that a centre has gone, before the blast if there is one */
	uint32_t escaped, through; /* bodies where none can be, at the last frame; plates past the wall, or through it */
} peer_check;

bool peer_check_begin(peer_check *c, const peer_scene *scene); /* false: no memory */
void peer_check_end(peer_check *c);
void peer_check_frame(peer_check *c, const double *states); /* PEER_STATE numbers a body */
bool peer_check_passes(const peer_check *c);

peer_solid peer_solid_at(const peer_body *body, const double *state);
/* m: the shortest way that parts the two, where they overlap; else 0 or less. */
double peer_solid_overlap(const peer_solid *a, const peer_solid *b);

#endif
