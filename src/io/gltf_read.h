/* What the parts of the reader of glTF share (gltf_read.c: nodes and meshes; gltf_buffer.c: bytes and accessors). */
#ifndef CN_GLTF_READ_H
#define CN_GLTF_READ_H

#include "io/asset.h"
#include "io/json.h"

typedef struct cn_gltf_bytes {
	const char *data;
	size_t size;
	bool loaded;
} cn_gltf_bytes;

enum { CN_GLTF_LISTS = 8 }; /* more than files have */

typedef struct cn_gltf_file {
	cn_asset_reader *r;
	const cn_json *root;
	cn_gltf_bytes bin;      /* the second chunk of a .glb */
	cn_gltf_bytes *buffers; /* by number */
	struct {
		const cn_json *list, **items; /* those of a list by number, so that a file of many is read in one go */
	} lists[CN_GLTF_LISTS];
} cn_gltf_file;

static inline cn_asset_place cn_gltf_place(const cn_json *at)
{
	return at ? (cn_asset_place){at->line, at->column} : (cn_asset_place){0};
}

/* Parses the file and finds its binary chunk. */
bool cn_gltf_open(cn_gltf_file *f);
/* root.list[index], checked; at is the number's place. NULL after an error. */
const cn_json *cn_gltf_item(cn_gltf_file *f, const cn_json *at, const char *list);
/* A member that is a whole number; *out stays where there is none. */
bool cn_gltf_whole(cn_gltf_file *f, const cn_json *object, const char *key, double most, double *out);
bool cn_gltf_number(cn_gltf_file *f, const cn_json *object, const char *key, double *out);
bool cn_gltf_numbers(cn_gltf_file *f, const cn_json *object, const char *key, double *out, uint32_t count);

/* The values of an accessor as doubles, width of each; normalized integers become 0 to 1 or -1 to 1. In the arena. */
typedef struct cn_gltf_values {
	const double *data;
	uint32_t count, width;
} cn_gltf_values;
bool cn_gltf_accessor(cn_gltf_file *f, const cn_json *at, cn_gltf_values *out);

#endif
