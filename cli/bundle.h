/* The files that travel inside the tool: everything below scenes/, put into a generated bundle.c by the build.
 *
 * A bundled scene is a file directly in scenes/ that ends in .json, but for scene.schema.json (the schema) and
 * starter.json (what `cairn new` writes); its name is the file's stem. scenes/torture/X.json is the scene torture-X: a
 * name with a slash would be a path. Other sub-folders hold what scenes refer to: meshes and includes. */
#ifndef BUNDLE_H
#define BUNDLE_H

#include "cairn/cairn.h"

typedef struct bundle_file {
	const char *name; /* below scenes/, with slashes: "tumble.json", "meshes/stone.obj" */
	const unsigned char *data;
	size_t size;
} bundle_file;

extern const bundle_file bundle_files[];
extern const size_t bundle_count;

/* By path; "./" and "a/../" in it are taken out. NULL when there is none. */
const bundle_file *bundle_find(const char *path);

/* The scene called name; NULL when there is none. */
const bundle_file *bundle_find_scene(const char *name);

/* The name of the index-th scene, in the bundle's order but torture scenes last; NULL past the end. */
const char *bundle_scene_at(size_t index);

/* Is a scene of this name one that is there to be hard rather than to be watched? */
bool bundle_is_torture(const char *name);

/* Reads a bundled scene; its meshes and includes come from the bundle too. NULL on failure. */
cairn_scene *bundle_read_scene(const bundle_file *file, const cairn_scene_def *def, cairn_error *error);

#endif
