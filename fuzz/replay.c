/* Runs a fuzz target over files, where there is no fuzzer: the corpus as a test. Folders are not descended into. */
#include "fuzz.h"

int main(int argc, char **argv)
{
	int done = 0;
	for (int i = 1; i < argc; ++i) {
		FILE *file = fopen(argv[i], "rb");
		long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
		uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
		if (!data || fseek(file, 0, SEEK_SET) != 0 || fread(data, 1, (size_t)size, file) != (size_t)size) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 1;
		}
		(void)fclose(file);
		uint8_t *exact = malloc(size ? (size_t)size : 1); /* so that a byte too far is seen */
		if (!exact)
			return 1;
		for (long k = 0; k < size; ++k)
			exact[k] = data[k];
		(void)LLVMFuzzerTestOneInput(exact, (size_t)size);
		free(exact);
		free(data);
		++done;
	}
	printf("%d passed, 0 failed\n", done);
	return done == 0;
}
