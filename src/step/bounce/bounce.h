/* Impulses that end approach, with restitution (OBA 6.2). */
#ifndef CN_STEP_BOUNCE_H
#define CN_STEP_BOUNCE_H

#include "step/stages.h"

#endif
