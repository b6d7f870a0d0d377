/* cairn help, cairn completion, cairn --version. */
#define _POSIX_C_SOURCE 200809L
#include "manual.h"
#include "message.h"

#include <unistd.h>

static int cmd_help(const options *o)
{
	if (o->man) {
		manual_page(stdout);
		return STATUS_DONE;
	}
	if (o->operand_count == 0) {
		manual_help(stdout);
		return STATUS_DONE;
	}
	int index = word_find(WORDS_COMMAND, o->operands[0]);
	if (index < 0) {
		const char *near = word_nearest(WORDS_COMMAND, o->operands[0]);
		return say_and(STATUS_USAGE, "unknown command '%.60s'%s%s%s; see cairn --help", o->operands[0],
		               near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
	}
	manual_command(stdout, command_at((size_t)index));
	return STATUS_DONE;
}

int cmd_version(void)
{
#if defined(__clang__)
	const char *compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
	const char *compiler = "gcc " __VERSION__;
#else
	const char *compiler = "an unknown compiler";
#endif
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	printf("cairn %s\ncompiler  %s\nthreads   %ld\nmethods  ", cairn_version(), compiler, cores > 0 ? cores : 1);
	for (uint32_t i = 0; cairn_method_at(i); ++i)
		printf(" %s", cairn_method_at(i)->name);
	putchar('\n');
	return STATUS_DONE;
}

static const text_pair examples[] = {
	{"cairn help run", "all about one command"},
	{"cairn help --man | man -l -", "the manual page"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"man", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(man), "print the manual page, for man -l or to install it"},
	{0},
};

const command_spec command_help = {"help",
                                   cmd_help,
                                   "[COMMAND]",
                                   WORDS_COMMAND,
                                   0,
                                   1,
                                   "print help, or the manual page",
                                   "Prints the help of COMMAND, or the list of commands.",
                                   examples,
                                   NULL,
                                   own,
                                   "man"};
