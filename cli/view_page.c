/* The player's page with its parts put in as base64, or the parts in a file beside it: a page opened from a folder may
 * load a script from there, but nothing else. Both are written beside their place and moved there when whole. */
#define _POSIX_C_SOURCE 200809L
#include "bundle.h"
#include "message.h"
#include "source.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char MARK[] = "<!--cairn:parts-->";
static const char GENERATOR[] = "<meta name=\"generator\" content=\"cairn view\">";
enum { PIECE = 3 << 20 }; /* bytes of a part in one string of the file beside */

static void put_base64(FILE *out, const unsigned char *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char line[4 * 1024];
	size_t filled = 0;
	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned bits =
			(unsigned)data[i] << 16 | (left > 1 ? (unsigned)data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0u);
		line[filled++] = digits[bits >> 18];
		line[filled++] = digits[bits >> 12 & 63];
		line[filled++] = left > 1 ? digits[bits >> 6 & 63] : '=';
		line[filled++] = left > 2 ? digits[bits & 63] : '=';
		if (filled == sizeof line) {
			fwrite(line, 1, filled, out);
			filled = 0;
		}
	}
	if (filled > 0)
		fwrite(line, 1, filled, out);
}

/* A file that is being written beside its place. */
typedef struct target {
	const char *path;
	char *beside;
	FILE *out;
} target;

static bool open_target(target *t, const char *path)
{
	t->path = path;
	t->beside = text_format("%s.%ld.part", path, (long)getpid());
	t->out = fopen(t->beside, "wbx");
	if (t->out)
		return true;
	say("cannot write %s: %s", path, system_error());
	free(t->beside);
	return false;
}

/* Ends writing; true when all of it is on the disk's books. Says so otherwise. */
static bool close_target(target *t)
{
	bool written = fflush(t->out) == 0 && !ferror(t->out);
	if (!written)
		say("cannot write %s: %s", t->path, system_error());
	if (fclose(t->out) != 0 && written) {
		say("cannot write %s: %s", t->path, system_error());
		written = false;
	}
	return written;
}

static int place_target(target *t, bool written)
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

char *view_beside_name(const char *path)
{
	size_t size = strlen(path);
	if (ends_with(path, ".html"))
		size -= 5;
	return text_format("%.*s.data.js", (int)size, path);
}

static int write_beside(const char *path, const view_part *parts, size_t count)
{
	target t;
	if (!open_target(&t, path))
		return STATUS_FILE;
	fputs("\"use strict\";\n", t.out);
	for (size_t i = 0; i < count; ++i)
		for (size_t at = 0; at < parts[i].size; at += PIECE) {
			size_t left = parts[i].size - at;
			fprintf(t.out, "cairnPart(\"%s\",\"", parts[i].name);
			put_base64(t.out, (const unsigned char *)parts[i].data + at, left < PIECE ? left : PIECE);
			fputs("\")\n", t.out);
		}
	return place_target(&t, close_target(&t));
}

/* The name as it stands in an attribute: bytes beyond letters, digits and a few signs as %XX. */
static void put_link(FILE *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	for (const unsigned char *s = (const unsigned char *)(slash ? slash + 1 : path); *s; ++s)
		if ((*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z') || strchr("-._~", *s))
			fputc(*s, out);
		else
			fprintf(out, "%%%02X", *s);
}

int view_write_page(const char *path, const view_part *parts, size_t count, bool beside)
{
	const bundle_file *page = page_find("player.html");
	const char *text = page ? (const char *)page->data : "", *mark = strstr(text, MARK);
	if (!mark)
		return say_and(STATUS_MISSING, "this cairn was built without its pages; make web builds them, and make "
		                               "puts them into the tool (that needs Node, npm and clang)");
	target t;
	if (!open_target(&t, path))
		return STATUS_FILE;
	fwrite(text, 1, (size_t)(mark - text), t.out);
	char *name = view_beside_name(path);
	if (beside) {
		fputs("<script src=\"", t.out);
		put_link(t.out, name);
		fputs("\"></script>\n", t.out);
	}
	for (size_t i = 0; i < count && !beside; ++i) {
		fprintf(t.out, "<script type=\"text/plain\" data-cairn=\"%s\">", parts[i].name);
		put_base64(t.out, parts[i].data, parts[i].size);
		fputs("</script>\n", t.out);
	}
	fputs(mark + strlen(MARK), t.out);
	bool written = close_target(&t);
	if (written && beside)
		written = write_beside(name, parts, count) == STATUS_DONE;
	free(name);
	return place_target(&t, written);
}

bool view_is_page(const char *path)
{
	char head[512];
	FILE *in = fopen(path, "rb");
	if (!in)
		return false;
	size_t size = fread(head, 1, sizeof head - 1, in);
	fclose(in);
	head[size] = 0;
	return strlen(head) == size && strstr(head, GENERATOR) != NULL;
}
