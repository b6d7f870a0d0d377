/* Ctrl-C, termination and the end of --time: the command finishes its frame and ends in order. A second one ends it at once. */
#ifndef STOP_H
#define STOP_H

#include "message.h"

void stop_listen(void);
/* STATUS_DONE while there was none, else STATUS_INTERRUPTED, STATUS_TERMINATED or STATUS_TIME. */
status stop_asked(void);

#endif
