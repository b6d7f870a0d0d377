/* A space: bodies of a world at one frame in a tree of boxes. */
#ifndef CN_SPACE_H
#define CN_SPACE_H

#include "geom/pack_tree.h"
#include "world/world.h"

/* A part of a body where it stands. Shapes are named by number: the scene's array of them may move. */
typedef struct cn_space_part {
	cn_place at;
	uint32_t shape;
} cn_space_part;

typedef struct cn_space_item {
	cairn_body body;
	uint32_t group, mask;
	uint32_t first, count; /* parts */
	uint32_t shape;
	bool endless; /* a half-space: in no box */
} cn_space_item;

struct cairn_space {
	const cairn_world *world;
	cairn_allocator allocator; /* the world's; a space may outlive it, to be destroyed */
	cn_space_item *items;      /* in the world's order */
	cn_space_part *parts;
	pose *item_frames, *part_frames; /* of the shapes and parts: what only meshes and overlaps need */
	cn_flat_box *boxes;              /* by item; nothing for half-spaces */
	uint32_t *slots;                 /* by item: its place in the tree */
	uint32_t *endless;               /* items that are half-spaces */
	uint32_t item_count, item_capacity, part_count, part_capacity, box_capacity, slot_capacity;
	uint32_t item_frame_capacity, part_frame_capacity;
	uint32_t endless_count, endless_capacity;
	uint32_t restores; /* of the world when it was updated */
	cn_pack_tree tree;
};

/* Shapes that may be cast or asked for: the world's own, finite and made of convex parts. */
bool cn_world_may_cast(const cairn_world *world, cairn_shape shape);

#endif
