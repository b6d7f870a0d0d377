/* The file under a recording, by the C library and, for offsets beyond 2 GB and for cutting, POSIX.
 *
 * Appends go past the C library's buffer, so that one append is one write of the system and a process that is killed
 * leaves a prefix of what it meant to write. */
#define _DEFAULT_SOURCE /* flock */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "record/store.h"

#include "base/atomic_file.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#ifndef __wasi__
#include <sys/file.h>
#endif
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

bool cn_fail_file(cairn_error *error, const char *path, cairn_code code, const char *format, ...)
{
	char text[sizeof error->message];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	(void)cn_fail(error, code, "", "%s", text);
	if (error)
		(void)snprintf(error->file, sizeof error->file, "%s", path);
	return false;
}

/* The lock goes with the open file, also when the process is killed. */
static bool lock(FILE *file, const char *path, cairn_error *error)
{
#ifndef __wasi__
	if (flock(fileno(file), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return cn_fail_file(error, path, CAIRN_FILE, "is being written by another run");
#else
	(void)file, (void)path, (void)error;
#endif
	return true;
}

/* An existing file may be replaced unless somebody writes it. */
static bool check_free(const char *path, cairn_error *error)
{
	uint64_t size;
	const char *why;
	FILE *file = cn_file_open(path, false, &size, &why);
	bool ok = !file || lock(file, path, error);
	if (file)
		(void)fclose(file);
	return ok;
}

bool cn_store_create(cn_store *store, const char *path, bool replace, cairn_error *error)
{
	*store = (cn_store){.path = path, .replace = replace};
	struct stat there;
	bool known = stat(path, &there) == 0;
	if (known && !replace)
		return cn_fail_file(error, path, CAIRN_FILE, "exists already; use replace (--force) to write over it");
	if (known && !S_ISREG(there.st_mode)) { /* a device: never to be renamed over */
		store->file = fopen(path, "wb");
	} else {
		if (strlen(path) + CN_ATOMIC_FILE_MORE > sizeof store->beside)
			return cn_fail_file(error, path, CAIRN_FILE, "cannot be created: the path is too long");
		if (known && !check_free(path, error))
			return false;
		store->file = cn_atomic_file_open(path, store->beside, sizeof store->beside);
	}
	if (!store->file) {
		*store->beside = 0;
		const char *slash = strrchr(path, '/');
		if (errno == ENOENT && slash && slash - path < 200)
			return cn_fail_file(error, path, CAIRN_FILE, "cannot be created: the folder %.*s does not exist",
			                    (int)(slash - path), path);
		return cn_fail_file(error, path, CAIRN_FILE, "cannot be created: %s", strerror(errno));
	}
	(void)setvbuf(store->file, NULL, _IONBF, 0);
	if (lock(store->file, path, error))
		return true;
	cn_store_abandon(store);
	return false;
}

/* Puts the file in its place: over the one that is there, or only if there is none. */
static bool put_in_place(const cn_store *store)
{
#ifndef __wasi__
	if (!store->replace && link(store->beside, store->path) == 0)
		return unlink(store->beside) == 0;
	if (!store->replace && errno == EEXIST)
		return false; /* else a file system without links */
#endif
	return rename(store->beside, store->path) == 0;
}

bool cn_store_settle(cn_store *store, cairn_error *error)
{
	if (*store->beside && !(cn_file_sync(store->file) && put_in_place(store)))
		return cn_fail_file(error, store->path, CAIRN_FILE, "cannot be put in its place: %s", strerror(errno));
	if (*store->beside)
		cn_file_sync_folder(store->path);
	*store->beside = 0;
	store->written = true;
	return true;
}

void cn_store_abandon(cn_store *store)
{
	if (*store->beside)
		(void)remove(store->beside);
	*store->beside = 0;
	(void)cn_store_close(store, NULL);
}

bool cn_store_open(cn_store *store, const char *path, bool update, cairn_error *error)
{
	const char *why;
	*store = (cn_store){.path = path};
	store->file = cn_file_open(path, update, &store->size, &why);
	if (!store->file)
		return cn_fail_file(error, path, CAIRN_FILE, "cannot be opened: %s", why);
	if (update && !lock(store->file, path, error)) {
		(void)cn_store_close(store, NULL);
		return false;
	}
	return true;
}

bool cn_store_read(cn_store *store, uint64_t offset, void *bytes, size_t size, cairn_error *error)
{
	if (offset != store->at && fseeko(store->file, (off_t)offset, SEEK_SET) != 0)
		return cn_fail_file(error, store->path, CAIRN_FILE, "cannot be read: %s", strerror(errno));
	errno = 0;
	size_t count = fread(bytes, 1, size, store->file);
	store->at = offset + count;
	if (count == size)
		return true;
	bool broken = ferror(store->file);
	clearerr(store->file);
	if (broken)
		return cn_fail_file(error, store->path, CAIRN_FILE, "cannot be read: %s", strerror(errno));
	return cn_fail_file(error, store->path, CAIRN_OK, "became shorter while it was read");
}

bool cn_store_append(cn_store *store, const void *bytes, size_t size, cairn_error *error)
{
	errno = 0;
	if (fwrite(bytes, 1, size, store->file) != size || fflush(store->file) != 0)
		return cn_fail_file(error, store->path, CAIRN_FILE, "cannot be written: %s",
		                    errno ? strerror(errno) : "the system took only a part");
	store->size += size;
	return true;
}

bool cn_store_cut(cn_store *store, uint64_t size, cairn_error *error)
{
	/* Opened anew: buffering can be turned off only before a stream is used. */
	(void)fclose(store->file);
	store->file = fopen(store->path, "r+b");
	if (store->file)
		(void)setvbuf(store->file, NULL, _IONBF, 0);
	if (!store->file || ftruncate(fileno(store->file), (off_t)size) != 0 ||
	    fseeko(store->file, (off_t)size, SEEK_SET) != 0)
		return cn_fail_file(error, store->path, CAIRN_FILE, "cannot be cut to its last whole frame: %s",
		                    strerror(errno));
	if (!lock(store->file, store->path, error))
		return false;
	store->size = store->at = size;
	store->written = true;
	return true;
}

bool cn_store_close(cn_store *store, cairn_error *error)
{
	FILE *file = store->file;
	bool synced = !file || !store->written || cn_file_sync(file);
	store->file = NULL;
	if (file && (fclose(file) != 0 || !synced))
		return cn_fail_file(error, store->path, CAIRN_FILE, "cannot be written: %s", strerror(errno));
	return true;
}
