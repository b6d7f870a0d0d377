/* Files that are written beside their target and moved over it when they are whole. */
#ifndef CN_ATOMIC_FILE_H
#define CN_ATOMIC_FILE_H

#include "base/base.h"

#include <stdio.h>

enum { CN_ATOMIC_FILE_MORE = 40 }; /* bytes that its name has more than the target's, the 0 included */

/* A new file, under a name that no other has: PATH.PROCESS.part. NULL and errno when there can be none; beside, of size
 * bytes, holds at least strlen(path) + CN_ATOMIC_FILE_MORE. */
FILE *cn_atomic_file_open(const char *path, char *beside, size_t size);

#endif
