/* Writing beside the place and renaming; a walk over JSON that is known to be right. */
#define _POSIX_C_SOURCE 200809L
#include "whole.h"
#include "message.h"
#include "source.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int whole_check(const char *path, bool force)
{
	if (ends_with(path, ".cairn"))
		return say_and(STATUS_USAGE, "%s would be taken for a recording; name the file something.json", path);
	if (file_is_special(path))
		return say_and(STATUS_FILE, "%s is not a regular file and is not replaced", path);
	if (file_exists(path) && !force)
		return say_and(STATUS_FILE, "%s exists; --force replaces it, or give another name", path);
	return STATUS_DONE;
}

int whole_write(const char *path, const void *data, size_t size)
{
	char *beside = text_format("%s.%ld.tmp", path, (long)getpid());
	FILE *out = fopen(beside, "wbx");
	bool opened = out != NULL, written = out && fwrite(data, 1, size, out) == size;
	int result = STATUS_DONE;
	if ((out && fclose(out) != 0) || !written || rename(beside, path) != 0) {
		result = say_and(STATUS_FILE, "cannot write %s: %s", path, target_reason(path));
		if (opened)
			remove(beside);
	}
	free(beside);
	return result;
}

char *whole_read(const char *path, size_t *size)
{
	FILE *in = fopen(path, "rb");
	size_t room = (size_t)file_size(path) + 1;
	char *text = in ? memory_resize(NULL, room + 1) : NULL;
	if (!in)
		return say("cannot read %s: %s", path, system_error()), NULL;
	*size = fread(text, 1, room, in);
	text[*size] = 0;
	fclose(in);
	return text;
}

static const char *skip_text(const char *at)
{
	for (++at; *at && *at != '"'; ++at)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

/* Past the value that begins here: up to the comma or bracket that follows it. */
static const char *skip_value(const char *at)
{
	for (int depth = 0; *at; ++at) {
		if (*at == '"') {
			at = skip_text(at) - 1;
			continue;
		}
		if (depth == 0 && (*at == ',' || *at == '}' || *at == ']'))
			break;
		depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
	}
	return at;
}

static const char *skip_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/* Where the member begins and the one after it, in the outermost object; false: there is none. */
static bool find_member(const char *text, const char *key, const char **from, const char **to)
{
	size_t size = strlen(key);
	for (const char *at = skip_space(strchr(text, '{') + 1); *at == '"';) {
		const char *name = at + 1, *value = skip_text(at), *end = skip_value(strchr(value, ':') + 1);
		bool is = (size_t)(value - name) == size + 1 && memcmp(name, key, size) == 0;
		*from = at, *to = *end == ',' ? skip_space(end + 1) : end;
		if (is)
			return true;
		at = *to;
	}
	return false;
}

bool whole_has_member(const char *text, const char *key)
{
	const char *from, *to;
	return find_member(text, key, &from, &to);
}

char *whole_with_member(const char *text, size_t size, const char *key, const char *member)
{
	const char *from, *to, *first = strchr(text, '{') + 1;
	bool had = find_member(text, key, &from, &to);
	size_t head = (size_t)((had ? from : first) - first), rest = size - (size_t)((had ? to : first) - text);
	const char *tail = had ? to : first;
	bool last = *skip_space(head ? first : tail) == '}';
	char *out = text_format("%.*s\n  %s%s%.*s%.*s", (int)(first - text), text, member, last ? "" : ",", (int)head,
	                        first, (int)rest, tail);
	return out;
}
