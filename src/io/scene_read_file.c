/* Files that a scene names, read relative to the one that names them.
 *
 * A scene may come from a stranger. So its files lie in the folder of the file that was asked for, or below it: a path
 * that is absolute, climbs out with ".." or leads out through a link is refused, unless the caller trusts the scene. And
 * there is an end to how much is read. */
#include "io/scene_read.h"

#include <string.h>

enum { CN_FILES_MAX = 10000, CN_PLACE_BYTES = 4096 };
#define CN_FILE_BYTES_MAX ((uint64_t)1 << 30) /* in all files that a scene names */

/* The length of path's folder, with its last slash. */
size_t cn_read_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

const char *cn_read_path(cn_scene_reader *r, const char *path)
{
	size_t folder = path[0] == '/' ? 0 : cn_read_folder(r->file->path), length = strlen(path);
	char *out = cn_arena_take(&r->arena, folder + length + 1, 1);
	if (out) {
		memcpy(out, r->file->path, folder);
		memcpy(out + folder, path, length);
	}
	return out;
}

const char *cn_read_plain_path(cn_scene_reader *r, const char *path)
{
	char *out = cn_arena_take(&r->arena, strlen(path) + 2, 1);
	size_t at = 0;
	if (!out)
		return NULL;
	if (*path == '/')
		out[at++] = '/';
	size_t least = at; /* what ".." cannot take away */
	while (*path) {
		size_t n = strcspn(path, "/");
		bool up = n == 2 && path[0] == '.' && path[1] == '.';
		if (up && at > least) {
			out[--at] = '\0';
			at = cn_read_folder(out);
		} else if (n && !(n == 1 && *path == '.')) {
			memcpy(out + at, path, n);
			at += n;
			out[at++] = '/';
			least = up ? at : least;
		}
		out[at] = '\0';
		path += n + (path[n] == '/');
	}
	return out;
}

const char *cn_read_resolve(cn_scene_reader *r, const char *path)
{
	char place[CN_PLACE_BYTES];
	if (!r->files.resolve || !r->files.resolve(r->files.context, *path ? path : ".", place, sizeof place))
		return "";
	return cn_read_plain_path(r, place);
}

bool cn_read_confine(cn_scene_reader *r, const char *path)
{
	const char *folder = cn_arena_text(&r->arena, path, cn_read_folder(path));
	r->folder = folder ? cn_read_plain_path(r, folder) : NULL;
	r->inside = folder ? cn_read_resolve(r, folder) : NULL;
	return r->folder && r->inside;
}

static bool begins_with(const char *path, const char *folder) { return !strncmp(path, folder, strlen(folder)); }

/* Whether a file that the scene names may be read. */
static bool check_place(cn_scene_reader *r, const cn_json *at, const char *path)
{
	if (r->trust)
		return true;
	const char *plain = cn_read_plain_path(r, path), *place = plain ? cn_read_resolve(r, path) : NULL;
	if (!place)
		return cn_read_fail_memory(r);
	bool absolute = at->text[0] == '/';
	bool climbs = !begins_with(plain, r->folder) || begins_with(plain + strlen(r->folder), "../");
	bool leads = *place && *r->inside && !begins_with(place, r->inside);
	if (!absolute && !climbs && !leads)
		return true;
	return cn_read_fail(
		r, at, "\"%.200s\" %s; a scene reads files of its own folder alone, unless it is trusted (--trust)", at->text,
		absolute ? "is an absolute path"
		: climbs ? "leads out of the scene's folder"
				 : "leads out of the scene's folder through a link");
}

/* Counts a file that was read. */
static bool count_file(cn_scene_reader *r, const cn_json *at, size_t size)
{
	r->bytes_read += size;
	if (++r->files_read > CN_FILES_MAX)
		return cn_read_fail(r, at, "the scene names more than %d files", CN_FILES_MAX);
	return r->bytes_read <= CN_FILE_BYTES_MAX || cn_read_fail(r, at, "the files of the scene have more than 1 GiB");
}

bool cn_read_bytes(cn_scene_reader *r, const cn_json *at, const char **path, void **data, size_t *size)
{
	cairn_error error = {0};
	if (!cn_read_type(r, at, CN_JSON_TEXT))
		return false;
	if (!at->count)
		return cn_read_fail(r, at, "an empty path; expected the path of a file, relative to this one");
	*path = cn_read_path(r, at->text);
	if (!*path)
		return cn_read_fail_memory(r);
	if (!check_place(r, at, *path))
		return false;
	*data = NULL, *size = 0;
	if (r->files.read(r->files.context, *path, &r->arena.allocator, data, size, &error)) {
		if (count_file(r, at, *size))
			return true;
		cn_free(&r->arena.allocator, *data, *size, 1);
		return false;
	}
	return error.code == CAIRN_MEMORY ? cn_read_fail_memory(r) : cn_read_fail(r, at, "%s", error.message);
}
