/* Remembers the first SIGINT, SIGTERM or SIGHUP (the terminal is gone), which ends like SIGTERM. */
#define _POSIX_C_SOURCE 200809L
#include "stop.h"
#include "limit.h"

#include <signal.h>

static volatile sig_atomic_t caught;

static void remember(int number) { caught = number; }

/* What the caller chose to ignore (nohup, a job in the background) stays ignored. */
static void listen_for(int number)
{
	/* SA_RESETHAND: the second signal finds the default action, which ends the process. */
	struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND | SA_RESTART}, old;
	sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void stop_listen(void)
{
	listen_for(SIGINT);
	listen_for(SIGTERM);
	listen_for(SIGHUP);
}

status stop_asked(void)
{
	int number = caught;
	if (number != 0)
		return number == SIGINT ? STATUS_INTERRUPTED : STATUS_TERMINATED;
	return limits_time_over() ? STATUS_TIME : STATUS_DONE;
}
