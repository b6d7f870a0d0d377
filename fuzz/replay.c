/* Runs a fuzz target where there is no fuzzer: over files (the corpus as a test; folders are not descended into), or over
 * bytes drawn by chance, the same for the same seed.
 *
 *   fuzz_x FILE...
 *   fuzz_x --seed S --count N [--seconds N]     seeds S, S + 1, ...; the one that runs stands in ./fuzz.seed */
#include "fuzz.h"

#include <string.h>
#include <time.h>

enum { SIZE_MOST = 8000 };

static bool run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
	if (!data || fseek(file, 0, SEEK_SET) != 0 || fread(data, 1, (size_t)size, file) != (size_t)size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		return false;
	}
	(void)fclose(file);
	uint8_t *exact = malloc(size ? (size_t)size : 1); /* so that a byte too far is seen */
	for (long k = 0; exact && k < size; ++k)
		exact[k] = data[k];
	if (exact)
		(void)LLVMFuzzerTestOneInput(exact, (size_t)size);
	free(exact);
	free(data);
	return exact != NULL;
}

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static bool run_seed(uint64_t seed)
{
	uint64_t state = seed;
	size_t size = 1 + next(&state) % SIZE_MOST;
	uint8_t *data = malloc(size);
	FILE *note = fopen("fuzz.seed", "w");
	if (note) {
		fprintf(note, "%llu\n", (unsigned long long)seed);
		(void)fclose(note);
	}
	for (size_t i = 0; data && i < size; ++i)
		data[i] = (uint8_t)(next(&state) >> 56);
	if (data)
		(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
	return data != NULL;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, count = 0, done = 0;
	double seconds = 0;
	time_t start = time(NULL);
	bool drawn = argc > 2 && strcmp(argv[1], "--seed") == 0;
	for (int i = 1; drawn && i + 1 < argc; i += 2) {
		double value = strtod(argv[i + 1], NULL);
		if (strcmp(argv[i], "--seed") == 0)
			seed = (uint64_t)value;
		else if (strcmp(argv[i], "--count") == 0)
			count = (uint64_t)value;
		else if (strcmp(argv[i], "--seconds") == 0)
			seconds = value;
	}
	while (drawn && (count ? done < count : difftime(time(NULL), start) < seconds) && run_seed(seed + done))
		++done;
	for (int i = 1; !drawn && i < argc; ++i) {
		if (!run_file(argv[i]))
			return 1;
		++done;
	}
	printf("%llu passed, 0 failed\n", (unsigned long long)done);
	return done == 0;
}
