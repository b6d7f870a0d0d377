/* Completions for bash, zsh and fish. Words of the lists are written into the scripts, so that pressing a key starts no
 * process; files are left to the shell. */
#include "manual.h"
#include "message.h"

#include <string.h>

static bool takes_files(word_list list)
{
	return list == WORDS_FILE || list == WORDS_EXPORT || list == WORDS_SCENE || list == WORDS_RECORDING ||
	       list == WORDS_SOURCE;
}

/* The words of a list with a space between; settings get the = that their values follow. */
static void write_words(FILE *out, word_list list)
{
	for (size_t i = 0; word_at(list, i); ++i)
		fprintf(out, "%s%s%s", i ? " " : "", word_at(list, i), list == WORDS_SETTING ? "=" : "");
}

/* Text inside single quotes of any of the shells. */
static void write_quoted(FILE *out, const char *text)
{
	for (; *text; ++text) {
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	}
}

static void write_bash_values(FILE *out, const command_spec *command)
{
	for (size_t i = 0; command_option(command, i); ++i) {
		const option_spec *spec = command_option(command, i);
		if (!spec->value)
			continue;
		fprintf(out, "\t\t%s:--%s", command->name, spec->name);
		if (spec->letter)
			fprintf(out, "|%s:-%c", command->name, spec->letter);
		fputs(") ", out);
		if (takes_files(spec->words))
			fputs("files=1", out);
		fputs(" words=\"", out);
		write_words(out, spec->words);
		fputs("\" ;;\n", out);
	}
}

static void write_bash(FILE *out)
{
	fputs("# bash completion for cairn\n"
	      "_cairn() {\n"
	      "\tlocal current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
	      "\tlocal command=\"${COMP_WORDS[1]}\" words=\"\" files=\"\"\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"",
	      out);
	write_words(out, WORDS_COMMAND);
	fputs(" --help --version\" -- \"$current\"))\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase \"$command:$previous\" in\n",
	      out);
	for (size_t i = 0; command_at(i); ++i)
		write_bash_values(out, command_at(i));
	fputs("\t\t*) case \"$command:$current\" in\n", out);
	for (size_t i = 0; command_at(i); ++i) {
		const command_spec *command = command_at(i);
		fprintf(out, "\t\t\t%s:-*) words=\"", command->name);
		for (size_t k = 0; command_option(command, k); ++k)
			fprintf(out, "%s--%s", k ? " " : "", command_option(command, k)->name);
		fprintf(out, "\" ;;\n\t\t\t%s:*) %s words=\"", command->name, takes_files(command->words) ? "files=1" : "");
		write_words(out, command->words);
		fputs("\" ;;\n", out);
	}
	fputs("\t\t\tesac ;;\n"
	      "\tesac\n"
	      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	      "\tlocal IFS=$'\\n'\n" /* names of files may have spaces in them */
	      "\t[ -z \"$files\" ] || COMPREPLY+=($(compgen -f -- \"$current\"))\n"
	      "\t[[ \"${COMPREPLY[0]}\" != *= ]] || compopt -o nospace 2> /dev/null\n"
	      "}\n"
	      "complete -o filenames -F _cairn cairn\n",
	      out);
}

/* What zsh does for a value or an operand: the part after the second colon. */
static void write_zsh_action(FILE *out, word_list list)
{
	bool words = word_at(list, 0) != NULL;
	if (words && takes_files(list)) {
		fputs("{ compadd ", out);
		write_words(out, list);
		fputs("; _files }", out);
	} else if (words && list == WORDS_SETTING) {
		fputs("{ compadd -S \"\" ", out);
		write_words(out, list);
		fputs(" }", out);
	} else if (words) {
		fputs("(", out);
		write_words(out, list);
		fputs(")", out);
	} else if (takes_files(list)) {
		fputs("_files", out);
	}
}

/* Help inside an _arguments spec: brackets and colons would end it. */
static void write_zsh_help(FILE *out, const char *text)
{
	for (; *text; ++text) {
		if (strchr("[]:\\", *text))
			fputc('\\', out);
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	}
}

static void write_zsh_option(FILE *out, const option_spec *spec)
{
	const char *star = spec->kind == OPTION_LIST ? "*" : "";
	for (int dash = spec->letter ? 0 : 1; dash < 2; ++dash) {
		if (dash == 0)
			fprintf(out, " \\\n\t\t\t\t'%s-%c[", star, spec->letter);
		else
			fprintf(out, " \\\n\t\t\t\t'%s--%s%s[", star, spec->name, spec->value ? "=" : "");
		write_zsh_help(out, spec->help);
		fputs("]", out);
		if (spec->value) {
			fprintf(out, ":%s:", spec->value);
			write_zsh_action(out, spec->words);
		}
		fputs("'", out);
	}
}

static void write_zsh(FILE *out)
{
	fputs("#compdef cairn\n"
	      "_cairn() {\n"
	      "\tlocal -a commands\n"
	      "\tcommands=(\n",
	      out);
	for (size_t i = 0; command_at(i); ++i) {
		fprintf(out, "\t\t'%s:", command_at(i)->name);
		write_quoted(out, command_at(i)->brief);
		fputs("'\n", out);
	}
	fputs("\t)\n"
	      "\tif (( CURRENT == 2 )); then\n"
	      "\t\t_describe command commands\n"
	      "\t\tcompadd -- --help --version\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tlocal command=$words[2]\n"
	      "\tshift words\n"
	      "\t(( CURRENT-- ))\n"
	      "\tcase $command in\n",
	      out);
	for (size_t i = 0; command_at(i); ++i) {
		const command_spec *command = command_at(i);
		fprintf(out, "\t\t%s)\n\t\t\t_arguments", command->name);
		for (size_t k = 0; command_option(command, k); ++k)
			write_zsh_option(out, command_option(command, k));
		if (command->most > 0) {
			fputs(command->most > 1 ? " \\\n\t\t\t\t'*:" : " \\\n\t\t\t\t'1:", out);
			write_zsh_help(out, command->operands);
			fputs(":", out);
			write_zsh_action(out, command->words);
			fputs("'", out);
		}
		fputs("\n\t\t\t;;\n", out);
	}
	fputs("\tesac\n}\n_cairn \"$@\"\n", out);
}

static void write_fish_option(FILE *out, const command_spec *command, const option_spec *spec)
{
	fprintf(out, "complete -c cairn -n '__fish_seen_subcommand_from %s' -l %s", command->name, spec->name);
	if (spec->letter)
		fprintf(out, " -s %c", spec->letter);
	if (spec->value)
		fputs(takes_files(spec->words) ? " -r -F" : " -x", out);
	if (word_at(spec->words, 0)) {
		fputs(" -a '", out);
		write_words(out, spec->words);
		fputs("'", out);
	}
	fputs(" -d '", out);
	write_quoted(out, spec->help);
	fputs("'\n", out);
}

static void write_fish(FILE *out)
{
	fputs("# fish completion for cairn\n"
	      "complete -c cairn -f\n"
	      "complete -c cairn -n __fish_use_subcommand -l help -s h -d 'print help'\n"
	      "complete -c cairn -n __fish_use_subcommand -l version -d 'print the version'\n",
	      out);
	for (size_t i = 0; command_at(i); ++i) {
		const command_spec *command = command_at(i);
		fprintf(out, "complete -c cairn -n __fish_use_subcommand -a %s -d '", command->name);
		write_quoted(out, command->brief);
		fputs("'\n", out);
		if (command->most > 0) {
			fprintf(out, "complete -c cairn -n '__fish_seen_subcommand_from %s'%s", command->name,
			        takes_files(command->words) ? " -F" : "");
			if (word_at(command->words, 0)) {
				fputs(" -a '", out);
				write_words(out, command->words);
				fputs("'", out);
			}
			fputc('\n', out);
		}
		for (size_t k = 0; command_option(command, k); ++k)
			write_fish_option(out, command, command_option(command, k));
	}
}

void manual_completion(FILE *out, const char *shell)
{
	if (strcmp(shell, "bash") == 0)
		write_bash(out);
	else if (strcmp(shell, "zsh") == 0)
		write_zsh(out);
	else
		write_fish(out);
}

static int cmd_completion(const options *o)
{
	if (word_find(WORDS_SHELL, o->operands[0]) < 0)
		return say_and(STATUS_USAGE, "there are no completions for '%.60s'; give bash, zsh or fish", o->operands[0]);
	manual_completion(stdout, o->operands[0]);
	return STATUS_DONE;
}

static const text_pair examples[] = {
	{"cairn completion bash > ~/.local/share/bash-completion/completions/cairn", "for bash"},
	{"cairn completion zsh > ~/.zfunc/_cairn", "for zsh, with ~/.zfunc in fpath"},
	{"cairn completion fish > ~/.config/fish/completions/cairn.fish", "for fish"},
	{NULL, NULL},
};

const command_spec command_completion = {"completion",
                                         cmd_completion,
                                         "bash|zsh|fish",
                                         WORDS_SHELL,
                                         1,
                                         1,
                                         "print the completions for a shell",
                                         "Prints a script that lets the shell complete commands, options and scenes.",
                                         examples,
                                         NULL,
                                         NULL,
                                         ""};
