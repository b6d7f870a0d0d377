/* What the files of the renderer share: render.c collects what is to be drawn, render_setup.c makes what stays,
 * render_passes.c draws, render_rods.c adds ropes and arms, render_marks.c contacts and planes. */
#ifndef RENDER_PARTS_H
#define RENDER_PARTS_H

#include "gl.h"
#include "render_shaders.h"
#include "render_stage.h"
#include "rods.h"

/* A body as the shaders take it: three rows of its place, then its colour. */
typedef struct instance {
	float rows[3][4], color[4];
} instance;

/* What shows how something round turns: a band about a ball, quarters of a wheel. Shaders know the numbers. */
typedef enum surface_pattern { PATTERN_NONE, PATTERN_BAND, PATTERN_QUARTERS } surface_pattern;

/* A shape in the driver's memory. A handle of 0: not made yet. */
typedef struct gpu_mesh {
	gl_uint surface, shadow, lines; /* vertex arrays */
	gl_int surface_count, shadow_count, line_count;
	float worn; /* width of its edges, m */
	surface_pattern pattern;
	bool open; /* a shell: seen from both sides */
} gpu_mesh;

/* Instances of one mesh that are drawn together. */
typedef struct batch {
	const gpu_mesh *mesh;
	uint32_t first, count;
	double away; /* of its instances' centres from the eye, m, in all */
} batch;

typedef struct mark_vertex {
	float at[3], color[4];
} mark_vertex;

typedef struct mark_list {
	mark_vertex *items;
	size_t count, capacity;
} mark_list;

typedef struct rod_set {
	rod *items;
	uint32_t count;
	uint32_t *pose_of; /* by track: where it is in the stage's poses; UINT32_MAX: nowhere */
	double radius;     /* of the tube, m */
	gpu_mesh tube;     /* along z from 0 to 1, as thick as all of them */
} rod_set;

typedef struct surface_size {
	gl_int width, height;
} surface_size;

struct renderer {
	gl g;
	render_stage stage;
	render_def def;
	gl_uint programs[SHADER_COUNT];

	surface_size full, small; /* of the picture as drawn; of the map of corners */
	gl_int samples;           /* of a pixel; 0: one, and edges are smoothed afterwards */
	gl_int oversample, shadow_size, shadow_taps, corner_taps;
	gl_uint main_frame, plain_frame, shadow_frame, geometry_frame, corner_frames[2];
	gl_uint shadow_map, geometry_map, corner_maps[2];
	gl_uint nothing; /* a vertex array without attributes */
	gl_uint instance_buffer, mark_array, mark_buffer;
	uint8_t *luma;   /* for that: brightness */
	uint8_t *pixels; /* RGBA, bottom row first; colours of pixels are multiplied by their alpha */
	uint8_t *sky[2]; /* behind the picture that was begun last, and the one before */
	uint32_t begun_skies, used_skies;

	gpu_mesh *meshes; /* by shape */
	uint32_t *uses;   /* tracks of each shape */
	gpu_mesh square;  /* of half width 1, for half-spaces */

	instance *instances;
	uint32_t instance_count, instance_capacity;
	batch *solid, *glass; /* glass from the back to the front, one instance each */
	uint32_t solid_count, glass_count, batch_capacity;
	batch floor; /* its instances are scaled squares */

	rod_set rods;
	cairn_world *world; /* for contacts: at the frame last drawn */
	mark_list marks;
};

/* The driver's objects for the def; NULL texts never. False: error says why. */
bool setup_targets(renderer *r, cairn_error *error);
void setup_square(renderer *r);
void setup_tube(renderer *r, double radius);
/* Makes the mesh of a shape if there is none yet. */
bool setup_mesh(renderer *r, cairn_shape shape, double radius, cairn_error *error);
/* Where the attributes of instances are, from the first-th on, for the vertex array that is bound. */
void setup_instances(const renderer *r, uint32_t first);

/* Has the driver draw instances and marks; it goes on while the caller does something else. */
void passes_draw(renderer *r);
/* Waits for it, and puts what it drew into pixels. */
void passes_read(renderer *r);
void passes_draw_sky(renderer *r, uint8_t *pixels);

/* Ropes and arms of the scene's joints. Collecting adds instances and a batch for those that hold at the moment last read. */
void rods_open(renderer *r);
void rods_close(renderer *r);
void rods_collect(renderer *r);

/* Fills marks with the contacts of a frame and the planes between bodies, as the def asks. */
bool marks_collect(renderer *r, uint32_t frame, cairn_error *error);

/* Where something is for the shaders: about the middle of the stage. */
cairn_vec3 render_about(const renderer *r, cairn_vec3 point);

#endif
