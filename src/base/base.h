/* What every file needs: the guards that keep bits the same, errors, memory. */
#ifndef CN_BASE_H
#define CN_BASE_H

#include "cairn/cairn.h"

#include <assert.h>
#include <float.h>
#include <stdarg.h>

#ifdef __FAST_MATH__
#error "cairn gives the same bits everywhere; -ffast-math breaks that"
#endif
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "cairn needs plain double arithmetic (FLT_EVAL_METHOD 0): on x86 build for SSE2"
#endif

#if defined(__GNUC__)
#define CN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CN_PRINTF(text, first)
#endif

#define CN_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Fills an error and returns false, so that "return cn_fail(...)" reads well. error may be NULL. field is the name of
 * the offending field of a def, or "" . */
bool cn_fail(cairn_error *error, cairn_code code, const char *field, const char *format, ...) CN_PRINTF(4, 5);
bool cn_fail_memory(cairn_error *error);

/* Memory through an allocator. All return NULL when it ran out, and for a count of 0. */
void *cn_alloc(const cairn_allocator *allocator, size_t count, size_t size); /* zeroed; refuses count*size overflow */
void *cn_dup(const cairn_allocator *allocator, const void *source, size_t count, size_t size);
char *cn_dup_text(const cairn_allocator *allocator, const char *text); /* NULL is taken as "", which is shared */
void cn_free(const cairn_allocator *allocator, void *block, size_t count, size_t size);
void cn_free_text(const cairn_allocator *allocator, char *text);

/* Elements that an array grows to: half as many again as it has room for, and enough. */
uint32_t cn_grown(uint32_t capacity, uint32_t need);

/* Makes room for at least need elements of size in *array, growing by half. False when memory ran out; the array is
 * then as before. */
bool cn_grow(const cairn_allocator *allocator, void **array, uint32_t *capacity, uint32_t need, size_t size);

/* The name among known (NULL-terminated) that is nearest to word, or NULL when none is near. */
const char *cn_nearest(const char *word, const char *const *known);

#endif
