/* What every fuzz target needs. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Also in release builds, unlike assert. */
#define EXPECT(condition)                                                                                              \
	do {                                                                                                               \
		if (!(condition)) {                                                                                            \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
			abort();                                                                                                   \
		}                                                                                                              \
	} while (0)

#endif
