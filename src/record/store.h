/* The file under a recording: bytes at offsets, appended at the end. Knows nothing of what they mean.
 *
 * A file that is being written is locked (where the system can), so that a second writer is refused.
 *
 * Every failure fills the error with CAIRN_FILE, the path, and what the system said. */
#ifndef CN_STORE_H
#define CN_STORE_H

#include "base/base.h"

#include <stdio.h>

typedef struct cn_store {
	FILE *file;
	const char *path;  /* borrowed */
	char beside[4112]; /* where the bytes go until it is settled; "" if in the file itself */
	bool replace;
	bool written;  /* there is something to be synced when it is closed */
	uint64_t size; /* bytes in the file */
	uint64_t at;   /* where the next read begins without a seek */
} cn_store;

/* As cn_fail, naming the file. */
bool cn_fail_file(cairn_error *error, const char *path, cairn_code code, const char *format, ...) CN_PRINTF(4, 5);

/* A new, empty file beside the path, which cn_store_settle puts there: so the path never holds less than what was written
 * before that. An existing file is refused, or with replace stays whole until then. */
bool cn_store_create(cn_store *store, const char *path, bool replace, cairn_error *error);
bool cn_store_settle(cn_store *store, cairn_error *error);
/* Removes what was created and not settled, and closes it. */
void cn_store_abandon(cn_store *store);
/* An existing one, to read; with update also to cut and to append to. */
bool cn_store_open(cn_store *store, const char *path, bool update, cairn_error *error);
/* False with CAIRN_OK in the error when the file has become shorter than it was when opened. */
bool cn_store_read(cn_store *store, uint64_t offset, void *bytes, size_t size, cairn_error *error);
/* Appends in one piece and hands it to the system before it returns. */
bool cn_store_append(cn_store *store, const void *bytes, size_t size, cairn_error *error);
/* Makes the file this short; what is appended next goes there. */
bool cn_store_cut(cn_store *store, uint64_t size, cairn_error *error);
/* What was written is synced to the disk. The file is closed even when this fails. error may be NULL. */
bool cn_store_close(cn_store *store, cairn_error *error);

#endif
