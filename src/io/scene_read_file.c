/* Files that a scene names, read relative to the one that names them. */
#include "io/scene_read.h"

#include <string.h>

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
	*data = NULL, *size = 0;
	if (r->files.read(r->files.context, *path, &r->arena.allocator, data, size, &error))
		return true;
	return error.code == CAIRN_MEMORY ? cn_read_fail_memory(r) : cn_read_fail(r, at, "%s", error.message);
}
