/* See atomic_file.h. */
#define _POSIX_C_SOURCE 200809L

#include "base/atomic_file.h"

#include <errno.h>
#include <string.h>
#ifndef __wasi__
#include <unistd.h>
#endif

FILE *cn_atomic_file_open(const char *path, char *beside, size_t size)
{
	long process = 0;
#ifndef __wasi__
	process = (long)getpid();
#endif
	assert(size >= strlen(path) + CN_ATOMIC_FILE_MORE);
	for (int i = 0; i < 100; ++i) {
		if (i == 0)
			(void)snprintf(beside, size, "%s.%ld.part", path, process);
		else
			(void)snprintf(beside, size, "%s.%ld-%d.part", path, process, i);
		FILE *file = fopen(beside, "wbx");
		if (file || errno != EEXIST)
			return file;
	}
	return NULL;
}
