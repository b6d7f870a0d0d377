/* The table of commands. What each is called, takes, does and prints stands in its own file, cmd_NAME.c. */
#include "options.h"

#define COMMAND_ROW(name) &command_##name,
static const command_spec *const commands[] = {COMMANDS(COMMAND_ROW)};

const command_spec *command_at(size_t index)
{
	return index < sizeof commands / sizeof commands[0] ? commands[index] : NULL;
}
