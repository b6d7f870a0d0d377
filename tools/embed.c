/* Turns files into a C source with their bytes, for the tool to carry them: cli/bundle.h says what it looks like.
 *
 *   embed OUT NAME ROOT FILE...
 *
 * The arrays are NAME_files and NAME_count. A file's name in the bundle is its path below ROOT. Files keep the order
 * given. Each array has a 0 after its last byte that size does not count, so text can be used as a string. Runs on the
 * machine that builds; exit 1 and a line on stderr when a file cannot be read or written. */
#include <stdio.h>
#include <string.h>

static int fail(const char *what, const char *path)
{
	fprintf(stderr, "embed: cannot %s %s\n", what, path);
	return 1;
}

static int write_bytes(FILE *out, const char *path, int number)
{
	FILE *in = fopen(path, "rb");
	if (!in)
		return fail("open", path);
	fprintf(out, "static const unsigned char file_%d[] = {", number);
	int byte, column = 0;
	while ((byte = fgetc(in)) != EOF)
		fprintf(out, "%s%d,", column++ % 24 ? "" : "\n\t", byte);
	fprintf(out, "\n\t0};\n\n");
	int failed = ferror(in);
	fclose(in);
	return failed ? fail("read", path) : 0;
}

static void write_name(FILE *out, const char *name)
{
	fputc('"', out);
	for (; *name; ++name) {
		if (*name == '"' || *name == '\\')
			fputc('\\', out);
		fputc(*name, out);
	}
	fputc('"', out);
}

int main(int argc, char **argv)
{
	enum { OUT = 1, NAME, ROOT, FIRST };
	if (argc < FIRST) {
		fprintf(stderr, "usage: embed OUT NAME ROOT FILE...\n");
		return 1;
	}
	const char *name = argv[NAME];
	size_t root = strlen(argv[ROOT]);
	FILE *out = fopen(argv[OUT], "wb");
	if (!out)
		return fail("write", argv[OUT]);
	fprintf(out, "#include \"bundle.h\"\n\n");
	for (int i = FIRST; i < argc; ++i) {
		if (strncmp(argv[i], argv[ROOT], root) != 0 || argv[i][root] != '/')
			return fail("find below the root:", argv[i]);
		if (write_bytes(out, argv[i], i - FIRST))
			return 1;
	}
	fprintf(out, "const bundle_file %s_files[] = {\n", name);
	for (int i = FIRST; i < argc; ++i) {
		fprintf(out, "\t{");
		write_name(out, argv[i] + root + 1);
		fprintf(out, ", file_%d, sizeof file_%d - 1},\n", i - FIRST, i - FIRST);
	}
	if (argc == FIRST)
		fprintf(out, "\t{0},\n");
	fprintf(out, "};\nconst size_t %s_count = %d;\n", name, argc - FIRST);
	int failed = ferror(out);
	return fclose(out) != 0 || failed ? fail("write", argv[OUT]) : 0;
}
