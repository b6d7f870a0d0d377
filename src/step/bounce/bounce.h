/* Impulses that end approach, with restitution (OBA 6.2). */
#ifndef CN_STEP_BOUNCE_H
#define CN_STEP_BOUNCE_H

#include "step/stages.h"

/* ---- queue.c */
bool cn_queue_bounce(cairn_world *w,
                     cn_frame *f); /* on the current program, whose u0 it changes; false: memory ran out */

#endif
