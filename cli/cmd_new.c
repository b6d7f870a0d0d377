/* cairn new: writes the starter scene, to a file beside its place first. */
#define _POSIX_C_SOURCE 200809L
#include "message.h"
#include "source.h"
#include "table.h"

#include <stdlib.h>
#include <unistd.h>

static int fail_write(const char *path, char *beside)
{
	int result = say_and(STATUS_FILE, "cannot write %s: %s", path, system_error());
	remove(beside);
	free(beside);
	return result;
}

static int write_whole(const char *path, const bundle_file *file)
{
	char *beside = text_format("%s.%ld.tmp", path, (long)getpid());
	FILE *out = fopen(beside, "wbx");
	if (!out) {
		int result = say_and(STATUS_FILE, "cannot write %s: %s", path, system_error());
		free(beside);
		return result;
	}
	bool written = fwrite(file->data, 1, file->size, out) == file->size;
	if (fclose(out) != 0 || !written || rename(beside, path) != 0)
		return fail_write(path, beside);
	free(beside);
	return STATUS_DONE;
}

static int cmd_new(const options *o)
{
	const char *path = o->operand_count ? o->operands[0] : "scene.json";
	const bundle_file *starter = bundle_find("starter.json");
	if (!starter)
		return say_and(STATUS_FILE, "this build of cairn carries no starter scene");
	if (ends_with(path, ".cairn"))
		return say_and(STATUS_USAGE, "%s would be taken for a recording; name the scene something.json", path);
	if (file_is_special(path))
		return say_and(STATUS_FILE, "%s is not a regular file and is not replaced", path);
	if (file_exists(path) && !o->force)
		return say_and(STATUS_FILE, "%s exists; --force replaces it, or give another name", path);
	int result = write_whole(path, starter);
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
