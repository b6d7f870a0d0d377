/* An example of a command in one file. test/house/rows.sh adds it to a copy of the sources. */
#include "message.h"
#include "options.h"

#include <stdio.h>

static int cmd_greet(const options *o)
{
	if (!o->quiet)
		printf("good day, %s\n", o->operands[0]);
	return STATUS_DONE;
}

static const text_pair examples[] = {{"cairn greet Ada", "say good day"}, {NULL, NULL}};

const command_spec command_greet = {.name = "greet",
                                    .run = cmd_greet,
                                    .operands = "NAME",
                                    .least = 1,
                                    .most = 1,
                                    .brief = "say good day",
                                    .about = "Says good day to NAME.",
                                    .examples = examples,
                                    .options = "quiet"};
