/* Ctrl-C and termination: the command finishes its frame and ends in order. A second one ends it at once. */
#ifndef STOP_H
#define STOP_H

#include "message.h"

void stop_listen(void);
/* STATUS_DONE while there was none, else STATUS_INTERRUPTED or STATUS_TERMINATED. */
status stop_asked(void);

#endif
