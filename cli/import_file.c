/* Files that go beside the scene: meshes as PLY, under names that are safe on every system, in one folder of their own. */
#define _POSIX_C_SOURCE 200809L
#include "import.h"
#include "limit.h"
#include "source.h"
#include "target.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static int srgb(double linear)
{
	double x = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
	return (int)(255 * fmin(fmax(x, 0), 1) + 0.5);
}

static void put_little(FILE *out, const void *value, size_t size)
{
	uint64_t bits = 0;
	if (size == 4) {
		uint32_t word;
		memcpy(&word, value, 4);
		bits = word;
	} else {
		memcpy(&bits, value, 8);
	}
	for (size_t i = 0; i < size; ++i)
		fputc((int)(bits >> 8 * i & 0xff), out);
}

static void write_ply(FILE *out, const cairn_asset_mesh *m)
{
	fprintf(out,
	        "ply\nformat binary_little_endian 1.0\nelement vertex %u\nproperty double x\nproperty double y\nproperty "
	        "double z\n%s%selement face %u\n"
	        "property list uchar uint vertex_indices\nend_header\n",
	        m->point_count, m->uvs ? "property float s\nproperty float t\n" : "",
	        m->colors ? "property uchar red\nproperty uchar green\nproperty uchar blue\n" : "", m->triangle_count);
	for (uint32_t i = 0; i < m->point_count; ++i) {
		const double p[3] = {m->points[i].x, m->points[i].y, m->points[i].z};
		for (int k = 0; k < 3; ++k)
			put_little(out, &p[k], 8);
		for (int k = 0; m->uvs && k < 2; ++k)
			put_little(out, &m->uvs[2 * (size_t)i + (size_t)k], 4);
		if (m->colors) {
			fputc(srgb(m->colors[i].r), out);
			fputc(srgb(m->colors[i].g), out);
			fputc(srgb(m->colors[i].b), out);
		}
	}
	for (uint32_t i = 0; i < m->triangle_count; ++i) {
		fputc(3, out);
		for (int k = 0; k < 3; ++k)
			put_little(out, &m->triangles[3 * (size_t)i + (size_t)k], 4);
	}
}

/* Letters, digits, - and _ of a name, 60 at most. */
static char *safe_name(import *im, const char *name)
{
	char *safe = pool_take(&im->memory, 64);
	size_t n = 0;
	for (; *name && n < 60; ++name) {
		bool fine = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
		            (*name >= '0' && *name <= '9') || *name == '-' || *name == '_';
		if (fine || (n && safe[n - 1] != '_'))
			safe[n++] = fine ? *name : '_';
	}
	if (!n)
		memcpy(safe, "mesh", 5);
	return safe;
}

static char *free_path(import *im, const char *name)
{
	const char *folder = safe_name(im, im->stem), *safe = safe_name(im, name);
	char *path = pool_format(&im->memory, "%s-meshes/%s.ply", folder, safe);
	for (int number = 2;; ++number) {
		bool taken = false;
		for (size_t i = 0; i < im->file_count && !taken; ++i)
			taken = strcasecmp(im->files[i].path, path) == 0;
		if (!taken)
			return path;
		path = pool_format(&im->memory, "%s-meshes/%s-%d.ply", folder, safe, number);
	}
}

const char *import_mesh_file(import *im, const char *name, const cairn_asset_mesh *mesh)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		memory_resize(NULL, SIZE_MAX / 2);
	write_ply(out, mesh);
	fclose(out);
	for (size_t i = 0; i < im->file_count; ++i)
		if (im->files[i].size == size && memcmp(im->files[i].data, text, size) == 0) {
			free(text);
			return im->files[i].path;
		}
	char *data = pool_take(&im->memory, size);
	memcpy(data, text, size);
	free(text);
	char *path = free_path(im, name);
	im->files = pool_room(&im->memory, im->files, im->file_count, &im->file_capacity, sizeof *im->files);
	im->files[im->file_count++] = (import_file){path, data, size};
	return path;
}

static bool read_made(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                      cairn_error *error)
{
	const import *im = context;
	for (size_t i = 0; i < im->file_count; ++i) {
		const import_file *f = &im->files[i];
		if (strcmp(f->path, path) != 0)
			continue;
		*data = allocator->resize(allocator->context, NULL, 0, f->size);
		*size = f->size;
		if (*data)
			memcpy(*data, f->data, f->size);
		else
			error->code = CAIRN_MEMORY;
		return *data != NULL;
	}
	error->code = CAIRN_FILE;
	snprintf(error->message, sizeof error->message, "there is no such file");
	return false;
}

cairn_files import_files(import *im) { return (cairn_files){.context = im, .read = read_made}; }

int import_write_files(const import *im, const char *output, bool force)
{
	const char *slash = strrchr(output, '/');
	int folder = slash ? (int)(slash - output) + 1 : 0;
	int result = STATUS_DONE;
	for (size_t i = 0; i < im->file_count && result == STATUS_DONE; ++i) {
		const import_file *f = &im->files[i];
		char *path = text_format("%.*s%s", folder, output, f->path), *end = strrchr(path, '/');
		target t;
		*end = 0;
		if (i == 0 && mkdir(path, 0777) != 0 && errno != EEXIST)
			result = say_and(STATUS_FILE, "the folder %s cannot be made: %s", path, target_reason(path));
		*end = '/';
		if (result == STATUS_DONE && file_exists(path) && !force)
			result = say_and(STATUS_FILE, "%s exists; --force replaces it, or give another -o", path);
		if (result == STATUS_DONE && !target_open(&t, path))
			result = STATUS_FILE;
		else if (result == STATUS_DONE) {
			bool written = fwrite(f->data, 1, f->size, t.out) == f->size;
			result = target_place(&t, target_close(&t) && written);
		}
		free(path);
	}
	return result;
}
