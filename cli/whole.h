/* Files that are there whole or not at all, and what a text of a scene has at its top level. */
#ifndef WHOLE_H
#define WHOLE_H

#include "cairn/cairn.h"

/* Whether a file may be made at path: says why not, and returns the exit status. */
int whole_check(const char *path, bool force);
/* Writes beside its place first. 0, or the exit status with the reason said. */
int whole_write(const char *path, const void *data, size_t size);
/* The bytes of a file, owned by the caller, terminated; NULL: it was said why. */
char *whole_read(const char *path, size_t *size);

bool whole_has_member(const char *text, const char *key);
/* The text of a scene with the member `key` of its outermost object taken out, if it has it, and `member` ("\"key\": ...")
 * put first. The text is one that was read as a scene. The caller frees it. */
char *whole_with_member(const char *text, size_t size, const char *key, const char *member);

#endif
