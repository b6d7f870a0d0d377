/* Opening files that may come from strangers. */
#ifndef CN_FILE_H
#define CN_FILE_H

#include "base/base.h"

#include <stdio.h>

/* Opens a regular file to read, with update also to write. NULL, and why in words, for anything else: a pipe or a
 * device is neither waited for nor read. size becomes the file's. */
FILE *cn_file_open(const char *path, bool update, uint64_t *size, const char **why);

#endif
