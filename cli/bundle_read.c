/* Looks things up in the bundle and reads scenes from it. */
#include "bundle.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 512, NAME_SIZE = 64, MOST_SCENES = 256 };

/* path without "." and "a/.." parts; false when it leaves the bundle or is too long. */
static bool clean_path(const char *path, char clean[PATH_SIZE])
{
	size_t size = 0;
	while (*path) {
		size_t part = strcspn(path, "/");
		if (part == 2 && memcmp(path, "..", 2) == 0) {
			if (size == 0)
				return false;
			while (size > 0 && clean[--size] != '/')
				continue;
		} else if (part > 0 && !(part == 1 && path[0] == '.')) {
			if (size + part + 2 > PATH_SIZE)
				return false;
			if (size > 0)
				clean[size++] = '/';
			memcpy(clean + size, path, part);
			size += part;
		}
		path += part;
		path += *path == '/';
	}
	clean[size] = 0;
	return true;
}

const bundle_file *bundle_find(const char *path)
{
	char clean[PATH_SIZE];
	if (!clean_path(path, clean))
		return NULL;
	for (size_t i = 0; i < bundle_count; ++i)
		if (strcmp(bundle_files[i].name, clean) == 0)
			return &bundle_files[i];
	return NULL;
}

const bundle_file *page_find(const char *name)
{
	for (size_t i = 0; i < page_count; ++i)
		if (strcmp(page_files[i].name, name) == 0)
			return &page_files[i];
	return NULL;
}

/* Writes the scene's name if the file is a scene. */
static bool name_scene(const char *file, char name[NAME_SIZE])
{
	static const char *const folders[] = {"torture/", "validation/"};
	size_t size = strlen(file), skipped = 0;
	for (int i = 0; i < 2; ++i)
		if (strncmp(file, folders[i], strlen(folders[i])) == 0)
			skipped = strlen(folders[i]);
	if (size < 6 || size - 5 >= NAME_SIZE || strcmp(file + size - 5, ".json") != 0 || strchr(file + skipped, '/') ||
	    strcmp(file, "scene.schema.json") == 0 || strcmp(file, "starter.json") == 0)
		return false;
	memcpy(name, file, size - 5);
	name[size - 5] = 0;
	if (skipped)
		name[skipped - 1] = '-';
	return true;
}

bundle_kind bundle_kind_of(const char *name)
{
	if (strncmp(name, "torture-", 8) == 0)
		return BUNDLE_TORTURE;
	return strncmp(name, "validation-", 11) == 0 ? BUNDLE_VALIDATION : BUNDLE_SHOW;
}

const bundle_file *bundle_find_scene(const char *name)
{
	char found[NAME_SIZE];
	for (size_t i = 0; i < bundle_count; ++i)
		if (name_scene(bundle_files[i].name, found) && strcmp(found, name) == 0)
			return &bundle_files[i];
	return NULL;
}

const char *bundle_scene_at(size_t index)
{
	static char names[MOST_SCENES][NAME_SIZE];
	size_t count = 0;
	for (int kind = BUNDLE_SHOW; kind <= BUNDLE_TORTURE; ++kind) {
		for (size_t i = 0; i < bundle_count && count < MOST_SCENES; ++i)
			if (name_scene(bundle_files[i].name, names[count]) && (int)bundle_kind_of(names[count]) == kind &&
			    count++ == index)
				return names[index];
	}
	return NULL;
}

static bool read_bundled(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                         cairn_error *error)
{
	(void)context;
	const bundle_file *file = bundle_find(path);
	if (!file) {
		error->code = CAIRN_FILE;
		snprintf(error->message, sizeof error->message, "there is no bundled file '%.200s'", path);
		return false;
	}
	*size = file->size;
	*data = NULL;
	if (file->size == 0)
		return true;
	*data = allocator->resize(allocator->context, NULL, 0, file->size);
	if (!*data) {
		error->code = CAIRN_MEMORY;
		snprintf(error->message, sizeof error->message, "out of memory");
		return false;
	}
	memcpy(*data, file->data, file->size);
	return true;
}

cairn_scene *bundle_read_scene(const bundle_file *file, const cairn_scene_def *def, cairn_error *error)
{
	cairn_files files = {.context = NULL, .read = read_bundled};
	return cairn_scene_read_text((const char *)file->data, file->size, file->name, &files, def, error);
}
