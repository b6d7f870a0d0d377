/* A play on the interface: bytes become calls of the public header (fuzz_interface.c). What is drawn from the bytes, and the
 * count of the calls. */
#ifndef FUZZ_PLAY_H
#define FUZZ_PLAY_H

#include "cairn/cairn.h"
#include "fuzz.h"

/* The memory sanitizer does not know that stat and timespec_get write what they are given: no files under it. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define NO_FILES 1
#endif
#endif
#ifndef NO_FILES
#define NO_FILES 0
#endif

enum { WORLDS = 2, HANDLES = 16 };

typedef struct play {
	const uint8_t *data;
	size_t size, at;
	uint32_t most; /* bodies of a scene, and of a world */
	bool sound;    /* this call draws numbers that can be meant */
	cairn_scene *scenes[WORLDS];
	cairn_world *worlds[WORLDS];
	cairn_body bodies[HANDLES];
	cairn_shape shapes[HANDLES];
	cairn_material materials[HANDLES];
	cairn_joint joints[HANDLES];
	void *snapshot;
	size_t snapshot_size;
	cairn_recording *recording;
	cairn_world *recorded; /* the world that it is of */
	cairn_space *spaces[WORLDS];
	cairn_watch *watches[WORLDS];
	cairn_sensor *sensors[WORLDS];
} play;

/* The functions of the header, one enumerator each: header_calls.h is made from cairn.h. */
enum {
#define X(name) CALL_##name,
#include "header_calls.h"
#undef X
	CALL_COUNT
};
extern uint64_t call_counts[CALL_COUNT];

/* A call that was drawn. Calls that only look whether another did right are made without it and not counted. */
#define CALL(name) (++call_counts[CALL_##name], name)

/* What a play does next; each makes one call or a handful that belong together. */
extern uint64_t draws;

/* Prints how often each function was called. */
void tell_calls(void);

/* ---- arguments */

uint32_t byte(play *p); /* 0 past the end */
uint32_t below(play *p, uint32_t count);
bool flag(play *p);
double number(play *p);  /* any; unless the call is to be sound, of those that are none too */
double size_of(play *p); /* sound more often than not, so that something comes of it */
cairn_vec3 vector(play *p);
cairn_pose pose(play *p);

#define PICK(p, list) ((list)[below((p), HANDLES)])

/* ---- descriptions */

cairn_material_def material_def(play *p);
cairn_shape_def shape_def(play *p);
cairn_body_def body_def(play *p);
cairn_joint_def joint_def(play *p);
cairn_event_def event_def(play *p);
cairn_field_def field_def(play *p);

/* ---- calls */

/* A call that fails says why. */
void says_why(bool ok, const cairn_error *error);

void add_to_scene(play *p, cairn_scene *s);
void look_at_scene(play *p, const cairn_scene *s);
void ask_registry(play *p);
void read_text(play *p);

void step(play *p, cairn_world *w);
void give_input(play *p, cairn_world *w);
void look_at_world(play *p, const cairn_world *w);
void look_at_watch(play *p, uint32_t at);
void look_at_sensor(play *p, uint32_t at);
void look_at_marks(play *p, const cairn_world *w);
void ask_space(play *p, uint32_t at);
void drop_observers(play *p, uint32_t at);
void take_snapshot(play *p, const cairn_world *w);
void restore(play *p, cairn_world *w);
void replay(play *p, cairn_world *w, const cairn_world *of);

void record(play *p, cairn_world *w);
void drop_recording(play *p);

#endif
