/* What the parts of the reader of scene files share: the files being read, values with their checks, errors with their
 * places. Every function that returns bool fills the reader's error and returns false when the file is wrong; an
 * optional key that is not there leaves *out as it was. */
#ifndef CN_SCENE_READ_H
#define CN_SCENE_READ_H

#include "base/vec.h"
#include "io/json.h"
#include "scene/places.h"
#include "scene/scene.h"

/* One file of a scene: the one asked for, or one that it includes. */
typedef struct cn_scene_file {
	const char *path;             /* as opened */
	const char *identity;         /* without "." and "..": names it, and tells files apart where links are not known */
	const char *place;            /* where it lies, links followed; "": not known */
	struct cn_scene_file *parent; /* that includes it; NULL for the first */
	uint32_t depth;
	const cn_json *root;
	const cn_json *include; /* the next to open */
	void *data;             /* its bytes, owned where the reader read them */
	size_t size;
	bool owned, whole;            /* whole: all that it includes is read too */
	struct cn_scene_file *next;   /* in the order of opening */
	struct cn_scene_file *follow; /* in the order of taking: included files before the including one */
} cn_scene_file;

typedef struct cn_scene_reader {
	cairn_scene *scene;
	cairn_files files;
	cn_arena arena;
	cairn_error *error;     /* never NULL */
	cairn_errors *errors;   /* found so far; NULL: the first one ends the reading */
	bool follows;           /* the error at hand comes of one that was found before */
	const cn_json *unknown; /* the last object with an unknown key: that it lacks something comes of that */
	const char *const *set;
	cn_scene_file *file; /* whose values are being taken: errors name it */
	cn_scene_file *opened, *first, *last;
	bool seen;  /* what is being read is the visual of a body: meshes are of kind visual unless they say otherwise */
	bool trust; /* files may lie anywhere */
	const char *folder,
		*inside; /* which they must lie in otherwise: by their text, and links followed ("": not known) */
	uint32_t files_read;
	uint64_t bytes_read;
	uint32_t generators; /* taken so far: numbers their random streams */
} cn_scene_reader;

/* Errors. A place is a value of the current file. */
bool cn_read_fail(cn_scene_reader *r, const cn_json *at, const char *format, ...) CN_PRINTF(3, 4);
bool cn_read_fail_memory(cn_scene_reader *r);
/* An error of a builder call, whose path is a field's name: points it at that value in base, or as near as can be. */
bool cn_read_place(cn_scene_reader *r, const cn_json *base);
/* Remembers that this value brought what the scene has of a kind from first on. */
bool cn_read_note(cn_scene_reader *r, const cn_json *at, cn_place_kind kind, uint32_t first);
/* unknown KIND "name"; did you mean ...: the name is at's text or key, known is NULL-terminated. */
bool cn_read_fail_unknown(cn_scene_reader *r, const cn_json *at, const char *kind, const char *const *known);
/* What other engines call it; NULL: nothing that is known (NULL-terminated). */
const char *cn_read_other_word(const char *name, const char *const *known);

/* After an error in one thing of many: keeps it and goes on with the next thing. False: reading ends here. */
bool cn_read_go_on(cn_scene_reader *r);

/* What the caller sets: values of the files' trees by their paths, before they are read; then options, or materials. */
bool cn_read_set_paths(cn_scene_reader *r);
bool cn_read_set_options(cn_scene_reader *r, bool materials);

/* Parts of one thing: each is read although one before it was wrong, so that all errors are told. cn_read_part keeps a
 * part's error, and notes in *all that there was one; false: reading ends here. cn_read_parts comes after the last part. */
bool cn_read_part(cn_scene_reader *r, bool right, bool *all);
bool cn_read_parts(cn_scene_reader *r, const cn_json *at, bool all);

/* Values. cn_read_keys: at is an object and every key is among known (NULL-terminated) or "comment" or "$schema". Where
 * all errors are told, the other keys are told, and reading goes on as if they were not there. */
bool cn_read_keys(cn_scene_reader *r, const cn_json *at, const char *const *known);
bool cn_read_type(cn_scene_reader *r, const cn_json *at, cn_json_type type);
const cn_json *cn_read_need(cn_scene_reader *r, const cn_json *object, const char *key); /* NULL after an error */
bool cn_read_array(cn_scene_reader *r, const cn_json *object, const char *key, const cn_json **out);
/* Reads every element of the file's array of that name; there may be none. */
bool cn_read_each(cn_scene_reader *r, const char *key, bool (*read)(cn_scene_reader *, const cn_json *));
bool cn_read_text(cn_scene_reader *r, const cn_json *object, const char *key, const char **out);
bool cn_read_bool(cn_scene_reader *r, const cn_json *object, const char *key, bool *out);
bool cn_read_number(cn_scene_reader *r, const cn_json *object, const char *key, double *out);
bool cn_read_whole(cn_scene_reader *r, const cn_json *at, double least, double most, double *out);
bool cn_read_u32(cn_scene_reader *r, const cn_json *object, const char *key, uint32_t *out);
bool cn_read_vector_at(cn_scene_reader *r, const cn_json *at, v3 *out);
bool cn_read_vector(cn_scene_reader *r, const cn_json *object, const char *key, v3 *out);
bool cn_read_spread(cn_scene_reader *r, const cn_json *object, const char *key,
                    v3 *out);                                            /* or one number for all three */
bool cn_read_pose(cn_scene_reader *r, const cn_json *object, pose *out); /* keys position and orientation */
bool cn_read_color(cn_scene_reader *r, const cn_json *object, const char *key, cairn_color *out);
bool cn_read_box(cn_scene_reader *r, const cn_json *at, cairn_box *out);

/* Files: a path of the scene relative to the current file, opened. Bytes from the scene's allocator. */
bool cn_read_bytes(cn_scene_reader *r, const cn_json *at, const char **path, void **data, size_t *size);
/* A path that a scene names, relative to the file that names it; of the reader's arena. NULL: memory ran out. */
size_t cn_read_folder(const char *path); /* the length of its folder, with the last slash */
const char *cn_read_path(cn_scene_reader *r, const char *path);
/* Without empty steps, "." and "..", as far as the text alone tells; ends with a slash. NULL: memory ran out. */
const char *cn_read_plain_path(cn_scene_reader *r, const char *path);
/* Where it lies, links followed; "": not known. NULL: memory ran out. */
const char *cn_read_resolve(cn_scene_reader *r, const char *path);
/* Files that the scene names must lie in the folder of this one from now on. False when memory ran out. */
bool cn_read_confine(cn_scene_reader *r, const char *path);

/* Things with names. */
bool cn_read_material(cn_scene_reader *r, const cn_json *at, cairn_material *out);
bool cn_read_shape(cn_scene_reader *r, const cn_json *at, cairn_shape *out); /* a name or a shape itself */
bool cn_read_joint_name(cn_scene_reader *r, const cn_json *at, cairn_joint *out);
bool cn_read_body_name(cn_scene_reader *r, const cn_json *at, bool or_world, cairn_body *out);
/* A body's def; named false refuses the key "name". Strings and keys live in the arena. */
bool cn_read_body_def(cn_scene_reader *r, const cn_json *at, bool named, cairn_body_def *out);

/* Keys of a servo, as a list or out of captured motion; they live in the arena. */
bool cn_read_target_keys(cn_scene_reader *r, const cn_json *at, bool smooth, cairn_joint_def *def);
/* "ease": how what has keys goes from one to the next: "linear", or "smooth", with a rest at each. */
enum { CN_EASE_STEPS = 32 }; /* straight pieces between two smooth keys: 0.08 % of the way from the curve at most */
bool cn_read_ease(cn_scene_reader *r, const cn_json *object, bool *smooth);
double cn_ease(uint32_t step); /* the share of the way after so many pieces */

/* Sections of the current file, in the order in which they are taken. */
bool cn_read_materials(cn_scene_reader *r);
bool cn_read_pairs(cn_scene_reader *r);
bool cn_read_simple_shapes(cn_scene_reader *r);
bool cn_read_compounds(cn_scene_reader *r);
bool cn_read_bodies(cn_scene_reader *r);
bool cn_read_generators(cn_scene_reader *r);
bool cn_read_joints(cn_scene_reader *r);
bool cn_read_events(cn_scene_reader *r);
bool cn_read_fields(cn_scene_reader *r);
bool cn_read_cold(cn_scene_reader *r);
bool cn_read_view(cn_scene_reader *r);
bool cn_read_goals(cn_scene_reader *r);
bool cn_read_plans(cn_scene_reader *r);
bool cn_read_starts(cn_scene_reader *r);

#endif
