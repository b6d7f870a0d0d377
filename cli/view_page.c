/* The player's page with its parts put in as base64, or the parts in a file beside it: a page opened from a folder may
 * load a script from there, but nothing else. Both are written beside their place and moved there when whole. */
#include "bundle.h"
#include "html.h"
#include "message.h"
#include "source.h"
#include "target.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

static const char MARK[] = "<!--cairn:parts-->";
static const char GENERATOR[] = "<meta name=\"generator\" content=\"cairn view\">";
enum { PIECE = 3 << 20 }; /* bytes of a part in one string of the file beside */

static void put_base64(FILE *out, const unsigned char *data, size_t size)
{
	char digits[4096];
	const size_t step = sizeof digits / 4 * 3;
	for (size_t at = 0; at < size; at += step) {
		size_t left = size - at;
		size_t count = base64_digits(digits, data + at, left < step ? left : step);
		fwrite(digits, 1, count, out);
	}
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
	if (!target_open(&t, path))
		return STATUS_FILE;
	fputs("\"use strict\";\n", t.out);
	for (size_t i = 0; i < count; ++i)
		for (size_t at = 0; at < parts[i].size; at += PIECE) {
			size_t left = parts[i].size - at;
			fprintf(t.out, "cairnPart(\"%s\",\"", parts[i].name);
			put_base64(t.out, (const unsigned char *)parts[i].data + at, left < PIECE ? left : PIECE);
			fputs("\")\n", t.out);
		}
	return target_place(&t, target_close(&t));
}

int view_write_page(const char *path, const view_part *parts, size_t count, bool beside)
{
	const bundle_file *page = page_find("player.html");
	const char *text = page ? (const char *)page->data : "", *mark = strstr(text, MARK);
	if (!mark)
		return say_and(STATUS_MISSING, "this cairn was built without its pages; make web builds them, and make "
		                               "puts them into the tool (that needs Node, npm and clang)");
	target t;
	if (!target_open(&t, path))
		return STATUS_FILE;
	fwrite(text, 1, (size_t)(mark - text), t.out);
	char *name = view_beside_name(path);
	if (beside) {
		html link = {0};
		html_link(&link, name);
		fprintf(t.out, "<script src=\"%s\"></script>\n", link.text);
		html_free(&link);
	}
	for (size_t i = 0; i < count && !beside; ++i) {
		fprintf(t.out, "<script type=\"text/plain\" data-cairn=\"%s\">", parts[i].name);
		put_base64(t.out, parts[i].data, parts[i].size);
		fputs("</script>\n", t.out);
	}
	fputs(mark + strlen(MARK), t.out);
	bool written = target_close(&t);
	if (written && beside)
		written = write_beside(name, parts, count) == STATUS_DONE;
	free(name);
	return target_place(&t, written);
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
