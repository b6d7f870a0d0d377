/* cairn new: writes the starter scene, to a file beside its place first. */
#include "message.h"
#include "source.h"
#include "table.h"
#include "whole.h"

#include <stdlib.h>

static int cmd_new(const options *o)
{
	const char *path = o->operand_count ? o->operands[0] : "scene.json";
	const bundle_file *starter = bundle_find("starter.json");
	if (!starter)
		return say_and(STATUS_FILE, "this build of cairn carries no starter scene");
	int result = whole_check(path, o->force);
	if (result == STATUS_DONE)
		result = whole_write(path, starter->data, starter->size);
	if (result != STATUS_DONE || o->quiet)
		return result;
	bool named = ends_with(path, ".json");
	char *argument = text_format("%s%s", named || path[0] == '/' ? "" : "./", path), *name = text_shell(argument);
	print_tame(stdout, "%s: a scene to begin with\n\nNext\n  cairn check %s\n  cairn run %s\n", path, name, name);
	free(argument);
	free(name);
	return STATUS_DONE;
}

static const text_pair examples[] = {
	{"cairn new", "write a starter scene to scene.json"},
	{"cairn new tower.json", "the same under another name"},
	{NULL, NULL},
};

const command_spec command_new = {"new",
                                  cmd_new,
                                  "[FILE]",
                                  WORDS_FILE,
                                  0,
                                  1,
                                  "write a commented starter scene",
                                  "Writes a small scene with comments, to be changed, to FILE (default: scene.json).",
                                  examples,
                                  NULL,
                                  NULL,
                                  "force quiet"};
