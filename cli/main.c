/* cairn, the tool: finds the command and runs it. Data goes to stdout, talk to stderr; a stdout that cannot be written
 * is exit status 4. */
#define _POSIX_C_SOURCE 200809L
#include "limit.h"
#include "manual.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* With a standard stream closed, the next file opened would take its place and get what is printed. */
static void hold_streams(void)
{
	for (int fd = 0; fd < 3; ++fd)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", O_RDONLY) == -1)
			_exit(STATUS_FILE);
}

static int run(int argc, char **argv)
{
	options o;
	if (argc < 2) {
		manual_help(stderr);
		return STATUS_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		manual_help(stdout);
		return STATUS_DONE;
	}
	if (strcmp(argv[1], "--version") == 0)
		return cmd_version();
	int result = options_parse(&o, argc, argv);
	if (result < 0 && o.help) {
		manual_command(stdout, o.command);
		result = STATUS_DONE;
	} else if (result < 0) {
		limits_begin(&o);
		result = o.command->run(&o);
	}
	options_free(&o);
	return result;
}

int main(int argc, char **argv)
{
	hold_streams();
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* a line is one write */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	int result = run(argc, argv);
	errno = 0;
	if ((fflush(stdout) != 0 || ferror(stdout)) && result == STATUS_DONE) {
		/* A reader that went away (head, less) needs no words. */
		if (errno != EPIPE)
			say("cannot write to standard output: %s", errno ? system_error() : "some of it was lost");
		result = STATUS_FILE;
	}
	return result;
}
