/* Impulses that end approach, with restitution (OBA 6.2). */
#ifndef CN_STEP_BOUNCE_H
#define CN_STEP_BOUNCE_H

#include "step/stages.h"

#define CN_BOUNCE_SWEEPS 40 /* of a bounce program at most: as many as of a rest program */

#endif
