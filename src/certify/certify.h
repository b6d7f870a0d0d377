/* A motion that can be certified: a recording, or a trajectory that somebody else wrote. */
#ifndef CN_CERTIFY_H
#define CN_CERTIFY_H

#include "base/base.h"

typedef struct cn_certify_source {
	void *context;
	const cairn_scene *scene;     /* has the shapes */
	uint32_t first, last, bodies; /* frames, both there; tracks */
	uint32_t exempt_count;        /* pairs of tracks that joints hold together */
	cairn_track (*track)(void *context, uint32_t index);
	void (*exempt)(void *context, uint32_t index, uint32_t *a, uint32_t *b); /* the smaller first */
	bool (*read)(void *context, uint32_t frame, cairn_frame *out, cairn_error *error);
} cn_certify_source;

bool cn_certify_motion(const cn_certify_source *motion, const cairn_certify_def *def, cairn_certify_result *result,
                       cairn_error *error);

#endif
