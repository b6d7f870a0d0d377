/* A frame that changed nothing is the answer to the next one too, unless something comes from outside. */
#ifndef CN_STEP_REPEAT_H
#define CN_STEP_REPEAT_H

#include "step/stages.h"

/* Written by frame.c. */
typedef struct cn_repeat {
	uint64_t stamp;           /* of the memory after the last frame, if that frame changed nothing; else 0 */
	cairn_step_report report; /* of that frame */
	uint32_t count;           /* frames that were repeated, for tests */
} cn_repeat;

/* True: this frame is the last one again, and is done; *report tells of it. Nothing moved then, and nothing that a step
 * starts from has changed since, so every stage would find what it found before. */
bool cn_frame_repeat(cairn_world *w, cairn_step_report *report);
bool cn_certify_again(cairn_world *w, cairn_certificate *c); /* the certificate holds for standing bodies once more */

#endif
