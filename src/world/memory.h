/* Contacts remembered from frame to frame: written by the contact stage, kept in snapshots. */
#ifndef CN_WORLD_MEMORY_H
#define CN_WORLD_MEMORY_H

#include "base/vec.h"
#include "cairn/cairn.h"
#include "geom/contact.h"

/* In cn_memory_pair.part_b: b is a half-space; b is a triangle of a fixed body's meshes, counted over all of them. */
#define CN_MEMORY_PLANE 0x80000000u
#define CN_MEMORY_TRIANGLE 0x40000000u

/* Two parts in contact, remembered from frame to frame. This is state, since the next frame starts from it. Pairs are
 * in the order of slots and parts, with triangles after all other parts and half-spaces after these. */
typedef struct cn_memory_pair {
	uint32_t a, part_a, b, part_b;
	uint32_t serial_a, serial_b; /* slots are used again */
	cn_witness witness;
	uint32_t first, count; /* points */
} cn_memory_pair;

static inline int cn_memory_rank(const cn_memory_pair *p)
{
	return p->part_b & CN_MEMORY_PLANE ? 2 : (p->part_b & CN_MEMORY_TRIANGLE) != 0;
}
static inline uint32_t cn_memory_part(const cn_memory_pair *p)
{
	return p->part_b & ~(CN_MEMORY_PLANE | CN_MEMORY_TRIANGLE);
}

typedef struct cn_memory_point {
	uint64_t feature;
	v3 ra;      /* where it was, from a's centre of mass, world axes */
	v3 impulse; /* that held it in the last rest solve, on b, world axes; as of a whole frame, however many steps it had */
	double push; /* multiplier of the last position program */
	uint8_t sliding;
	double left; /* see cn_pair_point */
} cn_memory_point;

typedef struct cn_memory {
	cn_memory_pair *pairs;
	cn_memory_point *points;
	uint32_t pair_count, point_count, pair_capacity, point_capacity;
	uint64_t stamp; /* no state: names the cache of the contact stage that belongs to it; 0: there is none */
} cn_memory;

/* Whether both bodies are still those that were in contact. */
bool cn_memory_stands(const cairn_world *w, const cn_memory_pair *pair);

#endif
