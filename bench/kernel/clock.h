/* Milliseconds for benches. */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

static inline double clock_ms(clockid_t which)
{
	struct timespec now;
	clock_gettime(which, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Of this thread alone, so that others on the machine do not count; of the whole process; on the wall. */
static inline double thread_ms(void) { return clock_ms(CLOCK_THREAD_CPUTIME_ID); }
static inline double process_ms(void) { return clock_ms(CLOCK_PROCESS_CPUTIME_ID); }
static inline double wall_ms(void) { return clock_ms(CLOCK_MONOTONIC); }

#endif
