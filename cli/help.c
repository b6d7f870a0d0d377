/* Help on the terminal: examples first, then what there is. */
#include "manual.h"
#include "message.h"
#include "screen.h"
#include "table.h"

#include <stdlib.h>

const text_pair manual_examples[] = {
	{"cairn run tumble", "simulate a bundled scene into tumble.cairn"},
	{"cairn view tumble.cairn", "look at it in the browser"},
	{"cairn export tumble.cairn -o tumble.glb", "take it to Blender or another program"},
	{"cairn new && cairn run scene.json", "begin with a scene of your own"},
	{NULL, NULL},
};

const text_pair manual_environment[] = {
	{"NO_COLOR", "if set and not empty, nothing is coloured"},
	{"TERM", "if dumb or not set, there is no bar and no colour unless asked for"},
	{"COLUMNS", "how wide to write where the terminal does not say"},
	{NULL, NULL},
};

enum { WIDTH_MOST = 100 };

static int width_of(FILE *out)
{
	int width = screen_width(out);
	return width > WIDTH_MOST ? WIDTH_MOST : width;
}

void manual_option(const option_spec *spec, char *text, size_t size)
{
	char letter[8] = "";
	if (spec->letter)
		snprintf(letter, sizeof letter, "-%c, ", spec->letter);
	snprintf(text, size, "%s--%s%s%s", letter, spec->name, spec->value ? " " : "", spec->value ? spec->value : "");
}

void manual_setting(uint32_t index, char *text, size_t size)
{
	const cairn_option_info *info = cairn_option_at(index);
	char values[96];
	cairn_option_values(info->name, values, sizeof values);
	snprintf(text, size, "%s (%s%s%s)", info->description, values, *info->methods ? "; for method " : "",
	         info->methods);
}

static void print_heading(FILE *out, const char *text)
{
	bool colors = screen_has_colors(out);
	fprintf(out, "%s%s%s\n", colors ? "\033[1m" : "", text, colors ? "\033[0m" : "");
}

static void print_pairs(FILE *out, const char *heading, const text_pair *pairs)
{
	table t = {0};
	for (; pairs->left; ++pairs)
		table_add(&t, pairs->left, "%s", pairs->right);
	print_heading(out, heading);
	table_print(&t, out, width_of(out));
	table_free(&t);
}

/* A command that is too long for the left column of a table stands on a line with its meaning under it. */
static void print_examples(FILE *out, const text_pair *pairs)
{
	print_heading(out, "Examples");
	for (; pairs->left; ++pairs) {
		fprintf(out, "  %s\n", pairs->left);
		text_wrap(out, pairs->right, 6, width_of(out));
	}
}

static void print_words(FILE *out, word_list list)
{
	if (list == WORDS_METHOD) {
		table t = {0};
		for (uint32_t i = 0; cairn_method_at(i); ++i)
			table_add(&t, cairn_method_at(i)->name, "%s", cairn_method_at(i)->description);
		print_heading(out, "\nMethods");
		table_print(&t, out, width_of(out));
		table_free(&t);
	} else if (list == WORDS_EXPORT) {
		table t = {0};
		for (uint32_t i = 0; cairn_export_format_at(i); ++i)
			table_add(&t, cairn_export_format_at(i)->ending, "%s: %s", cairn_export_format_at(i)->title,
			          cairn_export_format_at(i)->readers);
		print_heading(out, "\nFormats");
		table_print(&t, out, width_of(out));
		table_free(&t);
	} else if (list == WORDS_SETTING) {
		table t = {0};
		for (uint32_t i = 0; cairn_option_at(i); ++i) {
			char about[512];
			manual_setting(i, about, sizeof about);
			table_add(&t, cairn_option_at(i)->name, "%s", about);
		}
		print_heading(out, "\nKeys of --set");
		table_print(&t, out, width_of(out));
		table_free(&t);
	}
}

void manual_command(FILE *out, const command_spec *command)
{
	char left[64];
	table t = {0};
	print_examples(out, command->examples);
	print_heading(out, "\nUsage");
	fprintf(out, "  cairn %s%s%s [options]\n\n", command->name, *command->operands ? " " : "", command->operands);
	text_wrap(out, command->about, 2, width_of(out));
	for (size_t i = 0; command_option(command, i); ++i) {
		const option_spec *spec = command_option(command, i);
		manual_option(spec, left, sizeof left);
		table_add(&t, left, "%s", spec->help);
	}
	print_heading(out, "\nOptions");
	table_print(&t, out, width_of(out));
	table_free(&t);
	for (size_t i = 0; command_option(command, i); ++i)
		print_words(out, command_option(command, i)->words);
	if (command->fields)
		print_pairs(out, "\nMembers of the JSON object", command->fields);
}

void manual_help(FILE *out)
{
	table commands = {0}, codes = {0};
	print_examples(out, manual_examples);
	print_heading(out, "\nUsage");
	fputs("  cairn COMMAND [options]\n", out);
	for (size_t i = 0; command_at(i); ++i)
		table_add(&commands, command_at(i)->name, "%s", command_at(i)->brief);
	print_heading(out, "\nCommands");
	table_print(&commands, out, width_of(out));
	print_heading(out, "\nOptions");
	fputs("  -h, --help     print this; cairn COMMAND --help tells about one command\n"
	      "      --version  print the version, the compiler and the methods\n",
	      out);
	for (size_t i = 0; status_texts[i].number; ++i)
		table_add(&codes, status_texts[i].number, "%s", status_texts[i].meaning);
	print_heading(out, "\nExit status");
	table_print(&codes, out, width_of(out));
	print_pairs(out, "\nEnvironment", manual_environment);
	table_free(&commands);
	table_free(&codes);
}
