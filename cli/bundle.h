/* The files that travel inside the tool: everything below scenes/, put into a generated bundle.c by the build, and pages.
 *
 * A bundled scene is a file directly in scenes/ that ends in .json, but for scene.schema.json (the schema) and
 * starter.json (what `cairn new` writes); its name is the file's stem. scenes/torture/X.json is the scene torture-X, and
 * so for validation: a name with a slash would be a path. Other sub-folders hold what scenes refer to: meshes and includes. */
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

/* The pages that make web builds ("player.html", "engine.wasm.gz", "report.js"), put into a generated page.c: none if they
 * had not been built when the tool was. */
extern const bundle_file page_files[];
extern const size_t page_count;

const bundle_file *page_find(const char *name); /* NULL when there is none */

/* By path; "./" and "a/../" in it are taken out. NULL when there is none. */
const bundle_file *bundle_find(const char *path);

/* The scene called name; NULL when there is none. */
const bundle_file *bundle_find_scene(const char *name);

/* The name of the index-th scene, kind by kind in the bundle's order; NULL past the end. */
const char *bundle_scene_at(size_t index);

/* What a scene of this name is there for: to be watched, to have a known answer, to be hard. */
typedef enum bundle_kind { BUNDLE_SHOW, BUNDLE_VALIDATION, BUNDLE_TORTURE } bundle_kind;
bundle_kind bundle_kind_of(const char *name);

/* Reads a bundled scene; its meshes and includes come from the bundle too. NULL on failure. */
cairn_scene *bundle_read_scene(const bundle_file *file, const cairn_scene_def *def, cairn_error *error);

#endif
