/* The manual page cairn(1), in roff with the man macros. */
#include "manual.h"
#include "message.h"

/* Text as roff shows it unchanged: hyphens stay hyphens, and nothing is taken for a request. */
static void write_text(FILE *out, const char *text)
{
	bool line_begins = true;
	for (; *text; ++text) {
		if (line_begins && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '\n')
			fputs("\n.PP\n", out);
		else
			fputc(*text, out);
		line_begins = *text == '\n';
	}
}

static void write_line(FILE *out, const char *request, const char *text)
{
	if (request)
		fprintf(out, "%s ", request);
	write_text(out, text);
	fputc('\n', out);
}

static void write_item(FILE *out, const char *left, const char *right)
{
	fputs(".TP\n", out);
	write_line(out, ".B", left);
	write_line(out, NULL, right);
}

static void write_examples(FILE *out, const text_pair *pairs)
{
	for (; pairs->left; ++pairs)
		write_item(out, pairs->left, pairs->right);
}

static void write_words(FILE *out, word_list list)
{
	if (list == WORDS_METHOD) {
		fputs(".PP\nMethods:\n", out);
		for (uint32_t i = 0; cairn_method_at(i); ++i)
			write_item(out, cairn_method_at(i)->name, cairn_method_at(i)->description);
	} else if (list == WORDS_EXPORT) {
		fputs(".PP\nFormats:\n", out);
		for (uint32_t i = 0; cairn_export_format_at(i); ++i) {
			char about[160];
			snprintf(about, sizeof about, "%s: %s", cairn_export_format_at(i)->title,
			         cairn_export_format_at(i)->readers);
			write_item(out, cairn_export_format_at(i)->ending, about);
		}
	} else if (list == WORDS_SETTING) {
		fputs(".PP\nKeys of\n.BR \\-\\-set :\n", out);
		for (uint32_t i = 0; cairn_option_at(i); ++i) {
			char about[512];
			manual_setting(i, about, sizeof about);
			write_item(out, cairn_option_at(i)->name, about);
		}
	}
}

static void write_command(FILE *out, const command_spec *command)
{
	char left[64];
	fprintf(out, ".SS cairn %s", command->name);
	if (*command->operands)
		fprintf(out, " %s", command->operands);
	fputs(" [options]\n", out);
	write_text(out, command->about);
	fputs("\n.PP\nExamples:\n", out);
	write_examples(out, command->examples);
	fputs(".PP\nOptions:\n", out);
	for (size_t i = 0; command_option(command, i); ++i) {
		const option_spec *spec = command_option(command, i);
		manual_option(spec, left, sizeof left);
		write_item(out, left, spec->help);
	}
	for (size_t i = 0; command_option(command, i); ++i)
		write_words(out, command_option(command, i)->words);
	if (!command->fields)
		return;
	fputs(".PP\nMembers of the JSON object:\n", out);
	for (const text_pair *field = command->fields; field->left; ++field)
		write_item(out, field->left, field->right);
}

void manual_page(FILE *out)
{
	fprintf(out, ".TH CAIRN 1 \"\" \"cairn %s\" \"User Commands\"\n", cairn_version());
	fputs(".nh\n.ad l\n", out); /* words of the command line are not to be divided or spread */
	fputs(".SH NAME\ncairn \\- physically based animation without interpenetration\n", out);
	fputs(".SH SYNOPSIS\n", out);
	for (size_t i = 0; command_at(i); ++i) {
		fprintf(out, ".B cairn %s\n", command_at(i)->name);
		write_text(out, command_at(i)->operands);
		fprintf(out, "%s[options]\n.br\n", *command_at(i)->operands ? "\n" : "");
	}
	fputs(".B cairn \\-\\-version\n.br\n.B cairn \\-\\-help\n", out);
	fputs(".SH DESCRIPTION\n", out);
	fputs("A scene (JSON) describes, a recording (.cairn) remembers, an export tells other programs.\n"
	      ".PP\n"
	      "SCENE is the name of a bundled scene, or else the file of a scene.\n"
	      "REC is a recording. Data goes to stdout, progress and messages go to stderr.\n",
	      out);
	fputs(".SH EXAMPLES\n", out);
	write_examples(out, manual_examples);
	fputs(".SH COMMANDS\n", out);
	for (size_t i = 0; command_at(i); ++i)
		write_command(out, command_at(i));
	fputs(".SH EXIT STATUS\n", out);
	for (size_t i = 0; status_texts[i].number; ++i)
		write_item(out, status_texts[i].number, status_texts[i].meaning);
	fputs(".SH ENVIRONMENT\n", out);
	write_examples(out, manual_environment);
}
