/* See target.h. */
#define _POSIX_C_SOURCE 200809L
#include "target.h"

#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *target_reason(const char *path)
{
	static char text[300];
	const char *slash = strrchr(path, '/');
	if (errno != ENOENT || !slash || slash - path > 200)
		return system_error();
	snprintf(text, sizeof text, "the folder %.*s does not exist; make it first, or name another", (int)(slash - path),
	         path);
	return text;
}

bool target_has_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? text_format("%.*s/", (int)(slash - path), path) : NULL;
	bool there = !folder || access(folder, F_OK) == 0;
	if (!there)
		say("cannot write %s: %s", path, target_reason(path));
	free(folder);
	return there;
}

bool target_open(target *t, const char *path)
{
	t->path = path;
	t->beside = text_format("%s.%ld.part", path, (long)getpid());
	t->out = fopen(t->beside, "wbx");
	if (t->out)
		return true;
	say("cannot write %s: %s", path, target_reason(path));
	free(t->beside);
	return false;
}

bool target_close(target *t)
{
	bool written = fflush(t->out) == 0 && !ferror(t->out) && (fsync(fileno(t->out)) == 0 || errno == EINVAL);
	if (!written)
		say("cannot write %s: %s", t->path, system_error());
	if (fclose(t->out) != 0 && written) {
		say("cannot write %s: %s", t->path, system_error());
		written = false;
	}
	return written;
}

int target_place(target *t, bool written)
{
	if (written && rename(t->beside, t->path) != 0) {
		say("cannot write %s: %s", t->path, system_error());
		written = false;
	}
	if (!written)
		remove(t->beside);
	free(t->beside);
	return written ? STATUS_DONE : STATUS_FILE;
}
