/* Smooth edges for a picture that was drawn with one sample a pixel. */
#ifndef RENDER_EDGES_H
#define RENDER_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* from: RGBA; to: RGB, the rows in reverse order; luma: room for width x height bytes. */
void render_smooth_edges(const uint8_t *from, uint8_t *luma, int32_t width, int32_t height, uint8_t *to);

#endif
