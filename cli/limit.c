/* See limit.h.
 *
 * A command looks at the clock between frames and ends in order. A step, or the reading of a file, that takes much longer
 * than that is ended by a timer: a recording is whole up to its last frame at every moment. */
#define _DEFAULT_SOURCE
#include "limit.h"
#include "screen.h"
#include "stop.h"
#include "table.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define GRACE 2.0 /* s: for the frame that is being made when time is over */

static struct {
	uint64_t most, taken, peak;
	bool refused;
	double end; /* on the clock; 0: no limit */
} limits = {.most = MEMORY_DEFAULT};

static void give_up(int number)
{
	static const char text[] =
		"cairn: the time of --time is over and a frame does not end; a recording holds the frames "
		"before it\n";
	(void)number;
	ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
	(void)written;
	_exit(STATUS_TIME);
}

/* The timer counts on a clock that cannot be set. */
static void set_timer(double seconds)
{
	struct sigaction action = {.sa_handler = give_up};
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};
	timer.it_value.tv_usec = (suseconds_t)(1e6 * (seconds - (double)timer.it_value.tv_sec));
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void limits_begin(const options *o)
{
	if (o->memory > 0)
		limits.most = o->memory;
	if (o->time > 0) {
		limits.end = clock_seconds() + o->time;
		set_timer(o->time + GRACE);
	}
}

static void *resize(void *context, void *block, size_t old_size, size_t new_size)
{
	(void)context;
	if (new_size == 0) {
		free(block);
		limits.taken -= old_size;
		return NULL;
	}
	if (new_size > old_size && new_size - old_size > limits.most - limits.taken) {
		limits.refused = true;
		return NULL;
	}
	void *resized = realloc(block, new_size);
	if (resized)
		limits.taken += new_size - old_size; /* modulo 2^64: also when it shrinks */
	if (limits.taken > limits.peak)
		limits.peak = limits.taken;
	return resized;
}

cairn_allocator limits_allocator(void) { return (cairn_allocator){NULL, resize}; }

uint64_t limits_memory(void) { return limits.most; }

uint64_t limits_peak(void) { return limits.peak; }

void limits_explain(char *text, size_t size)
{
	char most[32];
	text_size(limits.most, most);
	if (limits.refused)
		snprintf(text, size, "it needs more than %s of memory, which is what it may take; --memory SIZE allows more",
		         most);
	else
		snprintf(text, size, "out of memory");
}

bool limits_time_over(void) { return limits.end > 0 && clock_seconds() > limits.end; }
