/* What the readers of assets share: the asset as it grows, its notes and errors. All that an asset has lies in its arena. */
#ifndef CN_ASSET_H
#define CN_ASSET_H

#include "base/arena.h"
#include "base/vec.h"

struct cairn_asset {
	cn_arena arena;
	cairn_asset_mesh *meshes;
	cairn_asset_node *nodes;
	cairn_asset_note *notes;
	uint32_t mesh_count, mesh_capacity, node_count, node_capacity, note_count, note_capacity;
};

typedef struct cn_asset_reader {
	cairn_asset *asset;
	const char *name; /* of the file */
	const char *data;
	size_t size;
	cairn_files files;
	bool trust;
	cairn_error *error; /* never NULL */
} cn_asset_reader;

typedef struct cn_asset_place {
	uint32_t line, column;
} cn_asset_place;

bool cn_asset_fail(cn_asset_reader *r, cn_asset_place at, const char *format, ...) CN_PRINTF(3, 4);
bool cn_asset_fail_memory(cn_asset_reader *r);
bool cn_asset_note(cn_asset_reader *r, cn_asset_place at, const char *why, const char *what, ...) CN_PRINTF(4, 5);
/* NULL when memory ran out. They stay where they are until the next one is added. */
cairn_asset_mesh *cn_asset_add_mesh(cn_asset_reader *r);
cairn_asset_node *cn_asset_add_node(cn_asset_reader *r, const char *name, cn_asset_place at);
/* The bytes of a file that the file names, in the arena. False: it leads elsewhere, cannot be read, or memory ran out. */
bool cn_asset_file(cn_asset_reader *r, cn_asset_place at, const char *path, const char **data, size_t *size);

bool cn_asset_read_gltf(cn_asset_reader *r);
bool cn_asset_read_obj(cn_asset_reader *r);

#endif
