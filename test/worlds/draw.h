/* What the files that draw worlds share. */
#ifndef WORLDS_DRAW_H
#define WORLDS_DRAW_H

#include "worlds.h"

#include <stdio.h>

enum { BODY_MOST = 60, TAKEN_MOST = 128, PLACE_TRIES = 60, DRAWS = 20, MATERIALS = 4 };

typedef struct ball {
	vec center;
	double radius;
} ball;

/* What is drawn from. */
typedef struct ranges {
	double least_size, most_size; /* m */
	double least_density, most_density;
	double friction, restitution; /* the most */
	double speed, spin;           /* m/s, rad/s: the most */
	double least_gravity, gravity;
	double thin;   /* the least of a body's extents to its largest */
	double sheets; /* the share of bodies that are meshes */
} ranges;

typedef struct draw {
	uint64_t state;
	const ranges *from;
	char *text;
	size_t size, room;
	bool failed;            /* no memory */
	ball taken[TAKEN_MOST]; /* where bodies are */
	uint32_t taken_count;
	double wide, low, high; /* bodies are put in |x|, |y| < wide, low < z < high */
	double gravity, density[MATERIALS];
	vec away;      /* where all of it is put */
	bool flat;     /* there is a floor at z = 0 that things may stand on */
	uint32_t made; /* dynamic bodies so far */
} draw;

/* ---- chance */

static inline uint64_t next(draw *d)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline double chance(draw *d) { return (double)(next(d) >> 11) * 0x1p-53; }
static inline double between(draw *d, double low, double high) { return low + (high - low) * chance(d); }
static inline double ratio(draw *d, double low, double high) { return low * pow(high / low, chance(d)); }
static inline bool happens(draw *d, double share) { return chance(d) < share; }
static inline uint32_t choose(draw *d, uint32_t count) { return (uint32_t)(next(d) % count); }

static inline vec direction(draw *d)
{
	double z = between(d, -1, 1), turn = between(d, 0, 6.283185307179586), r = sqrt(1 - z * z);
	return vec_make(r * cos(turn), r * sin(turn), z);
}

/* ---- generate.c: text */
void put(draw *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- sheets.c */

/* Writes a mesh, most of them sheets, and returns the radius of a ball about its origin that holds it. */
double put_sheet(draw *d, double size);

#endif
