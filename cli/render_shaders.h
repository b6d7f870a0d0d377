/* The programs of the graphics driver, as pieces of text for gl_program. Places are in metres about the middle of the
 * scene; colours are linear until the end. */
#ifndef RENDER_SHADERS_H
#define RENDER_SHADERS_H

typedef enum shader_id {
	SHADER_SHADOW,  /* depth seen from the sun */
	SHADER_DEPTH,   /* normal and distance, for the shade in corners */
	SHADER_CORNERS, /* how much of the sky is hidden nearby */
	SHADER_SMOOTH,  /* the same without its grain */
	SHADER_BODY,
	SHADER_FLOOR,
	SHADER_SKY,
	SHADER_GLASS,
	SHADER_LINES,
	SHADER_MARKS,
	SHADER_COUNT
} shader_id;

typedef struct shader_text {
	const char *vertex[4], *fragment[8]; /* each ends with NULL */
} shader_text;

extern const shader_text shader_texts[SHADER_COUNT];

#endif
