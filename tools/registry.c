/* Writes what files repeat of the registry of options (src/scene/registry.h), or looks whether they still say it:
 *
 *   registry ROOT            writes the parts below
 *   registry ROOT --check    exit 1 and a line for each file that differs
 *
 * The options of scenes/scene.schema.json stand between the line that opens their properties and the "comment" after them;
 * the table of docs/scene-format.md and the lists of blender/cairn_bake/registry.py stand between two comments that name
 * this tool. Beside that it looks whether the docs say something of every method, every export format and every kind of
 * shape. */
#include "scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
	char *data;
	size_t size;
} text;

static void add(text *t, const char *format, ...) CN_PRINTF(2, 3);
static void add(text *t, const char *format, ...)
{
	char piece[4096];
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(piece, sizeof piece, format, arguments);
	va_end(arguments);
	t->data = realloc(t->data, t->size + (size_t)size + 1);
	if (size < 0 || (size_t)size >= sizeof piece || !t->data)
		abort();
	memcpy(t->data + t->size, piece, (size_t)size + 1);
	t->size += (size_t)size;
}

static bool is_switch(char words[CN_OPTION_WORDS][CN_OPTION_WORD], uint32_t count)
{
	return count == 2 && (strcmp(words[0], "on") == 0 || strcmp(words[0], "off") == 0);
}

/* A pattern of the whole numbers from least (0 or 1) to most, without leading zeros. */
static void add_pattern(text *t, double least, double most)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%.0f", most);
	size_t count = strlen(digits);
	add(t, "^(%s", least < 1 ? "0|" : "");
	if (count > 1)
		add(t, "[1-9][0-9]{0,%zu}|", count - 2);
	for (size_t i = 0; i < count; ++i) {
		char low = i ? '0' : '1';
		if (digits[i] > low)
			add(t, "%.*s[%c-%c][0-9]{%zu}|", (int)i, digits, low, digits[i] - 1, count - 1 - i);
	}
	add(t, "%s)$", digits);
}

static void add_quoted(text *t, const char *words)
{
	for (; *words; ++words)
		add(t, strchr("\"\\", *words) ? "\\%c" : "%c", *words);
}

static void add_choice_schema(text *t, const cn_option_row *row)
{
	char words[CN_OPTION_WORDS][CN_OPTION_WORD];
	uint32_t count = cn_option_words(row, words);
	if (is_switch(words, count)) {
		add(t, "\"$ref\": \"#/$defs/switch\", \"default\": %s", strcmp(words[0], "on") == 0 ? "true" : "false");
		return;
	}
	add(t, "\"enum\": [");
	for (uint32_t i = 0; i < count; ++i)
		add(t, "%s\"%s\"", i ? ", " : "", words[i]);
	for (uint32_t i = 0; i < count; ++i)
		if (strcmp(words[i], "off") == 0 || strcmp(words[i], "on") == 0)
			add(t, ", %s", words[i][1] == 'n' ? "true" : "false");
	add(t, "], \"default\": \"%s\"", words[0]);
}

static void add_count_schema(text *t, const cn_option_row *row)
{
	add(t, "\"oneOf\": [");
	if (row->fallback == CN_AUTO)
		add(t, "{\"const\": \"auto\"}, ");
	if (row->fallback == 0)
		add(t, "{\"enum\": [\"off\", false]}, ");
	add(t, "{\"type\": \"integer\", \"minimum\": %.0f, \"maximum\": %.0f}, {\"type\": \"string\", \"pattern\": \"",
	    row->least, row->most);
	add_pattern(t, row->least, row->most);
	if (row->fallback == CN_AUTO)
		add(t, "\"}], \"default\": \"auto\"");
	else
		add(t, "\"}], \"default\": %u", row->fallback);
}

/* "0.001", "1e+15": as short as it can be read back. */
static void add_real_schema(text *t, const cn_option_row *row)
{
	add(t, "\"oneOf\": [");
	if (isnan(row->usual))
		add(t, "{\"const\": \"auto\"}, ");
	add(t, "{\"type\": \"number\", \"minimum\": %g, \"maximum\": %g}, ", row->least, row->most);
	add(t, "{\"type\": \"string\", \"pattern\": \"^[0-9.eE+-]+$\"}], \"default\": ");
	if (isnan(row->usual))
		add(t, "\"auto\"");
	else
		add(t, "%g", row->usual);
}

static void make_schema(text *t)
{
	for (uint32_t i = 0; cn_option_row_at(i); ++i) {
		const cn_option_row *row = cn_option_row_at(i);
		if (row->info.setting)
			continue;
		add(t, "            \"%s\": {\"description\": \"", row->info.name);
		add_quoted(t, row->info.description);
		add(t, "\", ");
		if (row->kind == CN_OPTION_CHOICE)
			add_choice_schema(t, row);
		else if (row->kind == CN_OPTION_REAL)
			add_real_schema(t, row);
		else
			add_count_schema(t, row);
		add(t, "},\n");
	}
}

/* 1000000 as 1,000,000. */
static void add_number(text *t, double x)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%.0f", x);
	for (size_t i = 0, count = strlen(digits); i < count; ++i)
		add(t, "%s%c", i && count > 4 && (count - i) % 3 == 0 ? "," : "", digits[i]);
}

static void add_values(text *t, const cn_option_row *row)
{
	char words[CN_OPTION_WORDS][CN_OPTION_WORD];
	if (row->kind == CN_OPTION_COUNT) {
		add(t, "%s", row->fallback == CN_AUTO ? "`\"auto\"` or " : "");
		add_number(t, row->least);
		add(t, " to ");
		add_number(t, row->most);
		if (row->fallback == CN_AUTO)
			add(t, " | `\"auto\"`");
		else
			add(t, "%s | %u", row->fallback ? "" : ", or `\"off\"` for 0", row->fallback);
		return;
	}
	if (row->kind == CN_OPTION_REAL) {
		add(t, "%s%g to %g | ", isnan(row->usual) ? "`\"auto\"` or " : "", row->least, row->most);
		if (isnan(row->usual))
			add(t, "`\"auto\"`");
		else
			add(t, "%g", row->usual);
		return;
	}
	uint32_t count = cn_option_words(row, words);
	if (is_switch(words, count)) {
		add(t, "`true`, `false` (or `\"on\"`, `\"off\"`) | `%s`", strcmp(words[0], "on") == 0 ? "true" : "false");
		return;
	}
	for (uint32_t i = 0; i < count; ++i)
		add(t, "%s`\"%s\"`", i ? ", " : "", words[i]);
	add(t, " | `\"%s\"`", words[0]);
}

static void make_table(text *t)
{
	add(t, "| option | values | default | methods | what |\n| --- | --- | --- | --- | --- |\n");
	for (uint32_t i = 0; cn_option_row_at(i); ++i) {
		const cn_option_row *row = cn_option_row_at(i);
		if (row->info.setting)
			continue;
		add(t, "| `%s` | ", row->info.name);
		add_values(t, row);
		add(t, " | %s | %s", *row->info.methods ? row->info.methods : "all", row->info.description);
		if (*row->page)
			add(t, " ([%.*s](%s))", (int)strcspn(row->page, "#"), row->page, row->page);
		add(t, " |\n");
	}
}

/* What the add-on for Blender makes its settings of: names, words or bounds, defaults (None: auto), methods, help. */
static void add_python_option(text *t, const cn_option_row *row)
{
	char words[CN_OPTION_WORDS][CN_OPTION_WORD];
	add(t, "    {\"name\": \"%s\", ", row->info.name);
	if (row->kind == CN_OPTION_CHOICE) {
		uint32_t count = cn_option_words(row, words);
		add(t, "\"words\": [");
		for (uint32_t i = 0; i < count; ++i)
			add(t, "%s\"%s\"", i ? ", " : "", words[i]);
		add(t, "], ");
	} else {
		bool real = row->kind == CN_OPTION_REAL, automatic = real ? isnan(row->usual) : row->fallback == CN_AUTO;
		add(t, "\"least\": %.15g, \"most\": %.15g, \"whole\": %s, \"usual\": ", row->least, row->most,
		    real ? "False" : "True");
		if (automatic)
			add(t, "None, ");
		else
			add(t, "%.15g, ", real ? row->usual : row->fallback);
	}
	add(t, "\"methods\": \"%s\",\n     \"help\": \"", row->info.methods);
	add_quoted(t, row->info.description);
	add(t, "\"},\n");
}

static void make_python(text *t)
{
	add(t, "METHODS = [\n");
	for (uint32_t i = 0; cairn_method_at(i); ++i) {
		add(t, "    (\"%s\", \"", cairn_method_at(i)->name);
		add_quoted(t, cairn_method_at(i)->description);
		add(t, "\"),\n");
	}
	add(t, "]\n\nOPTIONS = [\n");
	for (uint32_t i = 0; cn_option_row_at(i); ++i)
		if (!cn_option_row_at(i)->info.setting)
			add_python_option(t, cn_option_row_at(i));
	add(t, "]\n");
}

static char *read_whole(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *data = NULL;
	if (file && fseek(file, 0, SEEK_END) == 0) {
		size_t size = (size_t)ftell(file);
		rewind(file);
		data = calloc(size + 1, 1);
		if (data && fread(data, 1, size, file) != size)
			data[0] = '\0';
	}
	if (file)
		fclose(file);
	return data;
}

/* The part of a file behind the line that opens it and before what ends it. Returns whether it already said what it
 * should; else, unless it is only looked at, it does now. */
static bool renew(const char *root, const char *name, const char *opens, const char *ends, const text *part, bool look)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s", root, name);
	char *data = read_whole(path), *from = data ? strstr(data, opens) : NULL;
	char *to = from ? strstr(from + strlen(opens), ends) : NULL;
	if (!to) {
		fprintf(stderr, "registry: %s has no place for the options\n", path);
		exit(1);
	}
	from += strlen(opens);
	bool same = (size_t)(to - from) == part->size && memcmp(from, part->data, part->size) == 0;
	FILE *file = same || look ? NULL : fopen(path, "wb");
	if (file) {
		fwrite(data, 1, (size_t)(from - data), file);
		fwrite(part->data, 1, part->size, file);
		fputs(to, file);
		fclose(file);
	}
	free(data);
	return same;
}

/* Whether a page of docs says a thing that only a person can write. */
static bool says(const char *root, const char *name, const char *words)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s", root, name);
	char *data = read_whole(path);
	bool found = data && strstr(data, words);
	if (!found)
		printf("%s: says nothing of %s\n", name, words);
	free(data);
	return found;
}

static bool check_words(const char *root)
{
	char words[80];
	bool all = true;
	for (uint32_t i = 0; cairn_method_at(i); ++i) {
		snprintf(words, sizeof words, "`\"%s\"`", cairn_method_at(i)->name);
		all &= says(root, "docs/scene-format.md", words);
	}
	for (uint32_t i = 0; cairn_export_format_at(i); ++i) {
		snprintf(words, sizeof words, "\n## %s\n", cairn_export_format_at(i)->ending);
		all &= says(root, "docs/export.md", words);
	}
	for (uint32_t i = 0; cairn_shape_kind_at(i); ++i) {
		snprintf(words, sizeof words, "\"%s\": ", cairn_shape_kind_at(i)->name);
		all &= says(root, "scenes/scene.schema.json", words);
		snprintf(words, sizeof words, "`%s`", cairn_shape_kind_at(i)->name);
		all &= says(root, "docs/scene-format.md", words);
	}
	return all;
}

int main(int argc, char **argv)
{
	text schema = {0}, table = {0}, python = {0};
	bool look = argc > 2 && strcmp(argv[2], "--check") == 0, same = true;
	if (argc < 2)
		return 2;
	make_schema(&schema);
	make_table(&table);
	make_python(&python);
	struct {
		const char *name, *opens, *ends;
		const text *part;
	} files[] = {{"scenes/scene.schema.json",
	              "\"options\": {\n          \"description\": \"of the method\",\n          \"type\": \"object\",\n"
	              "          \"properties\": {\n",
	              "            \"comment\": true", &schema},
	             {"docs/scene-format.md", "<!-- options: `make registry` writes this table -->\n",
	              "<!-- end of the options -->", &table},
	             {"blender/cairn_bake/registry.py", "# options: `make registry` writes these lists\n",
	              "# end of the options", &python}};
	for (size_t i = 0; i < CN_COUNT(files); ++i)
		if (!renew(argv[1], files[i].name, files[i].opens, files[i].ends, files[i].part, look)) {
			printf("%s: %s\n", files[i].name,
			       look ? "does not say what src/scene/registry.h says; run make registry" : "written anew");
			same = false;
		}
	same &= check_words(argv[1]);
	free(schema.data);
	free(table.data);
	free(python.data);
	return look && !same ? 1 : 0;
}
