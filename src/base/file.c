/* Files that may come from strangers: only regular ones are opened, and opening never waits for anybody. */
#define _DEFAULT_SOURCE /* realpath */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef O_NOCTTY
#define CN_NO_TERMINAL O_NOCTTY
#else
#define CN_NO_TERMINAL 0
#endif

#define CN_FILE_MAX ((size_t)1 << 30)
#define CN_FILE_FIRST ((size_t)1 << 16) /* where the size is not known before reading */

static bool fail_too_large(cairn_error *error, const char *path)
{
	return cn_fail(error, CAIRN_FILE, "", "cannot read \"%s\": larger than 1 GiB (%s)", path, strerror(EFBIG));
}

static bool fail_system(cairn_error *error, const char *path, int number)
{
	return cn_fail(error, CAIRN_FILE, "", "cannot read \"%s\": %s", path, strerror(number ? number : EIO));
}

/* A block from the allocator that a file is read into. */
typedef struct file_block {
	uint8_t *data;
	size_t size, capacity;
} file_block;

static bool resize_block(file_block *block, const cairn_allocator *allocator, size_t capacity, cairn_error *error)
{
	uint8_t *data = allocator->resize(allocator->context, block->data, block->capacity, capacity);
	if (!data && capacity > 0)
		return cn_fail_memory(error);
	block->data = data;
	block->capacity = capacity;
	return true;
}

static bool read_stream(FILE *file, const char *path, const cairn_allocator *allocator, file_block *block,
                        cairn_error *error)
{
	for (;;) {
		size_t room = block->capacity - block->size;
		errno = 0;
		size_t got = fread(block->data + block->size, 1, room, file);
		block->size += got;
		if (block->size > CN_FILE_MAX)
			return fail_too_large(error, path);
		if (got == room) {
			if (!resize_block(block, allocator, block->capacity + block->capacity / 2, error))
				return false;
		} else if (ferror(file)) {
			return fail_system(error, path, errno);
		} else {
			return true;
		}
	}
}

/* Without O_NONBLOCK, opening a pipe waits for its other end. */
FILE *cn_file_open(const char *path, bool update, uint64_t *size, const char **why)
{
	struct stat about;
	int handle = open(path, (update ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC | CN_NO_TERMINAL);
	*why = NULL;
	if (handle < 0) {
		bool folder = update && errno == EISDIR;
		*why = folder ? "it is a folder, not a file" : strerror(errno);
		return NULL;
	}
	if (fstat(handle, &about) != 0)
		*why = strerror(errno);
	else if (S_ISDIR(about.st_mode))
		*why = "it is a folder, not a file";
	else if (!S_ISREG(about.st_mode))
		*why = "it is a pipe, a device or a socket, not a file";
	FILE *file = *why ? NULL : fdopen(handle, update ? "r+b" : "rb");
	if (!file) {
		*why = *why ? *why : strerror(errno);
		(void)close(handle);
		return NULL;
	}
	*size = (uint64_t)about.st_size;
	return file;
}

bool cn_file_sync(FILE *file)
{
	if (fflush(file) != 0)
		return false;
#ifndef __wasi__
	/* A pipe or a device has nothing to be synced. */
	if (fsync(fileno(file)) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
		return false;
#endif
	return true;
}

void cn_file_sync_folder(const char *path)
{
#ifndef __wasi__
	char folder[PATH_MAX] = ".";
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;
	if (length >= sizeof folder)
		return;
	if (slash) {
		memcpy(folder, path, length);
		folder[length] = 0;
	}
	int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (handle >= 0) {
		(void)fsync(handle);
		(void)close(handle);
	}
#else
	(void)path;
#endif
}

static bool read_file(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                      cairn_error *error)
{
	(void)context;
	uint64_t told = 0;
	const char *why;
	FILE *file = cn_file_open(path, false, &told, &why);
	if (!file)
		return cn_fail(error, CAIRN_FILE, "", "cannot read \"%s\": %s", path, why);
	file_block block = {0};
	/* One byte more than the size, so that the first read already meets the end. */
	size_t first = told > 0 ? (size_t)told + 1 : CN_FILE_FIRST;
	bool good = told > CN_FILE_MAX ? fail_too_large(error, path)
	                               : resize_block(&block, allocator, first, error) &&
	                                     read_stream(file, path, allocator, &block, error) &&
	                                     resize_block(&block, allocator, block.size, error);
	(void)fclose(file);
	if (!good) {
		cn_free(allocator, block.data, block.capacity, 1);
		return false;
	}
	*data = block.data;
	*size = block.size;
	return true;
}

static bool resolve_path(void *context, const char *path, char *resolved, size_t size)
{
	(void)context;
#ifdef __wasi__ /* the host keeps what a module opens inside the folders that it was given */
	(void)path, (void)resolved, (void)size;
	return false;
#else
	char real[PATH_MAX];
	if (!realpath(path, real) || strlen(real) >= size)
		return false;
	memcpy(resolved, real, strlen(real) + 1);
	return true;
#endif
}

cairn_files cairn_default_files(void) { return (cairn_files){NULL, read_file, resolve_path}; }

bool cn_file_name_ends(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);
	for (size_t i = 0; n >= m && i < m; ++i)
		if ((name[n - m + i] | 32) != (ending[i] | 32))
			return false;
	return n >= m;
}
