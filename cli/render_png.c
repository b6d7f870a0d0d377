/* PNG through libpng, where the tool was built with it. */
#include "render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_PNG
#include <png.h>

bool render_png(const uint8_t *rgb, uint32_t width, uint32_t height, uint8_t **png, size_t *size, cairn_error *error)
{
	png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB};
	png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image);
	*png = malloc(room);
	*size = 0;
	if (*png && png_image_write_to_memory(&image, *png, &room, 0, rgb, 0, NULL)) {
		*size = room;
		return true;
	}
	*error = (cairn_error){.code = CAIRN_MEMORY};
	snprintf(error->message, sizeof error->message, "cannot make a PNG of %ux%u: %s", width, height,
	         *png ? image.message : "out of memory");
	free(*png);
	*png = NULL;
	return false;
}

#else

bool render_png(const uint8_t *rgb, uint32_t width, uint32_t height, uint8_t **png, size_t *size, cairn_error *error)
{
	(void)rgb, (void)width, (void)height;
	*png = NULL;
	*size = 0;
	*error = (cairn_error){.code = CAIRN_MISSING};
	snprintf(error->message, sizeof error->message,
	         "this tool was built without libpng and writes no PNG; on Debian install libpng-dev and build again");
	return false;
}

#endif
