/* Opening files that may come from strangers. */
#ifndef CN_FILE_H
#define CN_FILE_H

#include "base/base.h"

#include <stdio.h>

/* Opens a regular file to read, with update also to write. NULL, and why in words, for anything else: a pipe or a
 * device is neither waited for nor read. size becomes the file's. */
FILE *cn_file_open(const char *path, bool update, uint64_t *size, const char **why);

/* What was written to it is on the disk when this returns, as far as the system can tell. False with errno if it could
 * not be written. */
bool cn_file_sync(FILE *file);
/* The same of a file's name: of the folder that path lies in. Not every system can; then it is left to it. */
void cn_file_sync_folder(const char *path);

/* Whether a file's name has this ending, in capitals or not. */
bool cn_file_name_ends(const char *name, const char *ending);

#endif
