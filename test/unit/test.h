/* The test harness: a test program is one file of cases and a list of them.
 *
 *   TEST(name) { CHECK(1 + 1 == 2); CHECK_NEAR(x, 1.0, 1e-9); }
 *   TEST_MAIN(TEST_CASE(name), TEST_CASE(other))
 *
 * Prints every failed check with file and line, then "N passed, N failed"; exit 1 if any failed. Plain C, no setjmp, so it
 * runs under WebAssembly too. An argument runs the cases whose names contain it. */
#ifndef CAIRN_TEST_H
#define CAIRN_TEST_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1 under sanitizers and WebAssembly, where random cases cost ten times as much: take fewer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__wasm__)
#define TEST_FEW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_FEW 1
#endif
#endif
#ifndef TEST_FEW
#define TEST_FEW 0
#endif

static int test_failures; /* of the case that runs now */

#define TEST(name) static void test_##name(void)

#define CHECK(condition)                                                                                               \
	do {                                                                                                               \
		if (!(condition)) {                                                                                            \
			++test_failures;                                                                                           \
			printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                           \
		}                                                                                                              \
	} while (0)

/* As CHECK, and leaves the case: for what the rest of it needs. */
#define REQUIRE(condition)                                                                                             \
	do {                                                                                                               \
		if (!(condition)) {                                                                                            \
			++test_failures;                                                                                           \
			printf("%s:%d: not true, case left: %s\n", __FILE__, __LINE__, #condition);                                \
			return;                                                                                                    \
		}                                                                                                              \
	} while (0)

#define CHECK_NEAR(found, wanted, error)                                                                               \
	do {                                                                                                               \
		double found_ = (found), wanted_ = (wanted);                                                                   \
		if (!(fabs(found_ - wanted_) <= (error))) {                                                                    \
			++test_failures;                                                                                           \
			printf("%s:%d: %s is %.17g, wanted %.17g within %g (off by %g)\n", __FILE__, __LINE__, #found, found_,     \
			       wanted_, (double)(error), found_ - wanted_);                                                        \
		}                                                                                                              \
	} while (0)

#define CHECK_INT(found, wanted)                                                                                       \
	do {                                                                                                               \
		long long found_ = (long long)(found), wanted_ = (long long)(wanted);                                          \
		if (found_ != wanted_) {                                                                                       \
			++test_failures;                                                                                           \
			printf("%s:%d: %s is %lld, wanted %lld\n", __FILE__, __LINE__, #found, found_, wanted_);                   \
		}                                                                                                              \
	} while (0)

#define CHECK_TEXT(found, wanted)                                                                                      \
	do {                                                                                                               \
		const char *found_ = (found), *wanted_ = (wanted);                                                             \
		if (strcmp(found_, wanted_) != 0) {                                                                            \
			++test_failures;                                                                                           \
			printf("%s:%d: %s is \"%s\", wanted \"%s\"\n", __FILE__, __LINE__, #found, found_, wanted_);               \
		}                                                                                                              \
	} while (0)

/* found contains part */
#define CHECK_HAS(found, part)                                                                                         \
	do {                                                                                                               \
		const char *found_ = (found), *part_ = (part);                                                                 \
		if (!strstr(found_, part_)) {                                                                                  \
			++test_failures;                                                                                           \
			printf("%s:%d: %s is \"%s\", which lacks \"%s\"\n", __FILE__, __LINE__, #found, found_, part_);            \
		}                                                                                                              \
	} while (0)

typedef struct test_case {
	const char *name;
	void (*run)(void);
} test_case;

static inline int test_run(const test_case *cases, size_t count, const char *filter)
{
	int passed = 0, failed = 0;
	for (size_t i = 0; i < count; ++i) {
		if (filter && !strstr(cases[i].name, filter))
			continue;
		test_failures = 0;
		cases[i].run();
		if (test_failures) {
			++failed;
			printf("FAILED %s\n", cases[i].name);
		} else {
			++passed;
		}
		fflush(stdout);
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed || !passed;
}

#define TEST_CASE(name)                                                                                                \
	{                                                                                                                  \
#name, test_##name                                                                                             \
	}

/* TEST_MAIN(TEST_CASE(a), TEST_CASE(b)) */
#define TEST_MAIN(...)                                                                                                 \
	int main(int argc, char **argv)                                                                                    \
	{                                                                                                                  \
		static const test_case cases[] = {__VA_ARGS__};                                                                \
		return test_run(cases, sizeof cases / sizeof cases[0], argc > 1 ? argv[1] : NULL);                             \
	}

#endif
