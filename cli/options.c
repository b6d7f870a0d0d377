/* The options that commands share, and how a command line is read by it. Long options take --name value or --name=value, short ones
 * -o value or -ovalue; flags may be bundled (-qh); -- ends the options. */
#include "options.h"
#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Options that several commands share; a command lists those that it takes by name. */
static const option_spec specs[] = {
	{"force", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(force), "replace the file if there is one"},
	{"frames", 0, "N", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(frames),
     "record frames 0 to N (default: what the scene says)"},
	{"threads", 0, "N", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(threads),
     "use N threads (default: one for each core); what comes out is the same for any number"},
	{"method", 0, "METHOD", OPTION_TEXT, WORDS_METHOD, OPTION_FIELD(method),
     "simulate with this method instead of the scene's"},
	{"set", 0, "KEY=VALUE", OPTION_LIST, WORDS_SETTING, OPTION_FIELD(sets),
     "change a setting of the scene (gravity, fps, frames, seed), an option of the method, a material "
     "(materials.NAME.friction, .restitution, .density, .rolling), or any value of the scene file by its path "
     "(bodies.NAME.mass, joints[2].motor.speed, camera.fov); may be given again"},
	{"trust", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(trust),
     "let the scene read files outside its own folder (docs/security.md)"},
	{"memory", 0, "SIZE", OPTION_SIZE, WORDS_NONE, OPTION_FIELD(memory),
     "what the file may make the tool take, such as 500M or 16G (default: 4G); what needs more is refused"},
	{"time", 0, "SECONDS", OPTION_SECONDS, WORDS_NONE, OPTION_FIELD(time),
     "stop in order after this long, with exit status 124; a recording is whole up to there (default: no limit)"},
	{"from", 0, "A", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(from), "the first frame (default: the first there is)"},
	{"to", 0, "B", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(to), "the last frame (default: the last there is)"},
	{"progress", 0, "MODE", OPTION_CHOICE, WORDS_PROGRESS, OPTION_FIELD(progress),
     "how to show progress on stderr: auto (a bar on a terminal, else plain), bar, plain (a line a second), json (an "
     "object a frame), none"},
	{"json", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(json), "print one JSON object instead of text"},
	{"quiet", 'q', NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(quiet),
     "print errors only (and the JSON, if asked for)"},
	{"help", 'h', NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(help), "print the help of this command"},
};

enum { SPEC_COUNT = sizeof specs / sizeof specs[0], FRAME_MOST = 100000000, THREADS_MOST = 1024 };

static bool is_called(const option_spec *spec, const char *name, size_t size)
{
	return strlen(spec->name) == size && memcmp(spec->name, name, size) == 0;
}

static const option_spec *find_spec(const command_spec *command, const char *name, size_t size)
{
	for (const option_spec *own = command->own; own && own->name; ++own)
		if (is_called(own, name, size))
			return own;
	for (size_t i = 0; i < SPEC_COUNT; ++i)
		if (is_called(&specs[i], name, size))
			return &specs[i];
	return NULL;
}

const option_spec *command_option(const command_spec *command, size_t index)
{
	for (const char *name = command->options; *name; name += strcspn(name, " "), name += strspn(name, " "))
		if (index-- == 0)
			return find_spec(command, name, strcspn(name, " "));
	return index == 0 ? find_spec(command, "help", 4) : NULL;
}

static int usage_hint(const command_spec *command)
{
	return say_and(STATUS_USAGE, "see cairn %s --help", command->name);
}

/* Options of the command by long name, or by letter where name is NULL. */
static const option_spec *find_option(const command_spec *command, const char *name, size_t size, char letter)
{
	const option_spec *spec;
	for (size_t i = 0; (spec = command_option(command, i)) != NULL; ++i)
		if (name ? is_called(spec, name, size) : spec->letter == letter)
			return spec;
	return NULL;
}

/* What other tools call an option of ours. */
static const char *our_word(const char *word)
{
	static const struct {
		const char *theirs, *ours;
	} words[] = {{"width", "size"},    {"height", "size"},  {"resolution", "size"}, {"out", "output"},
	             {"start", "from"},    {"begin", "from"},   {"end", "to"},          {"jobs", "threads"},
	             {"cores", "threads"}, {"steps", "frames"}, {"eye", "camera"},      {"overwrite", "force"},
	             {"speed", "slow"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
		if (strcmp(word, words[i].theirs) == 0)
			return words[i].ours;
	return NULL;
}

/* What other tools call a command of ours. */
static const char *our_command(const char *word)
{
	static const struct {
		const char *theirs, *ours;
	} words[] = {{"bake", "run"},       {"simulate", "run"},   {"sim", "run"},      {"step", "run"},
	             {"play", "view"},      {"show", "view"},      {"open", "view"},    {"watch", "view"},
	             {"live", "view"},      {"validate", "check"}, {"lint", "check"},   {"verify", "certify"},
	             {"convert", "export"}, {"save", "export"},    {"load", "import"},  {"picture", "render"},
	             {"film", "render"},    {"video", "render"},   {"image", "render"}, {"diff", "compare"},
	             {"inspect", "info"},   {"list", "scenes"},    {"ls", "scenes"},    {"examples", "scenes"},
	             {"init", "new"},       {"create", "new"},     {"stats", "report"}, {"plot", "report"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
		if (strcmp(word, words[i].theirs) == 0)
			return words[i].ours;
	return NULL;
}

static int fail_unknown(const command_spec *command, const char *argument)
{
	enum { MOST = 64 };
	const char *names[MOST];
	char word[64];
	size_t count = 0, size = strcspn(argument, "=");
	for (; count < MOST && command_option(command, count); ++count)
		names[count] = command_option(command, count)->name;
	const char *near = NULL;
	if (argument[1] == '-' && size - 2 < sizeof word) {
		memcpy(word, argument + 2, size - 2);
		word[size - 2] = 0;
		const char *ours = our_word(word);
		near = ours && find_option(command, ours, strlen(ours), 0) ? ours : NULL;
		if (!near && word_find(WORDS_SETTING, word) >= 0 && find_option(command, "set", 3, 0)) {
			const char *value = argument[size] ? argument + size + 1 : "...";
			say("cairn %s has no option '--%s'; a value of the scene is --set %s=%.60s", command->name, word, word,
			    value);
			return usage_hint(command);
		}
		near = near ? near : nearest_word(word, names, count);
	}
	say("cairn %s has no option '%.*s'%s%s%s", command->name, (int)size, argument, near ? "; did you mean --" : "",
	    near ? near : "", near ? "?" : "");
	return usage_hint(command);
}

static int take_count(const option_spec *spec, const char *text, option_count *count)
{
	uint32_t most = spec->field == OPTION_FIELD(threads) ? THREADS_MOST : FRAME_MOST;
	uint32_t least = spec->field == OPTION_FIELD(threads) ? 1 : 0;
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < least || value > most)
		return say_and(STATUS_USAGE, "--%s cannot be '%.60s'; give a whole number from %u to %u", spec->name, text,
		               least, most);
	*count = (option_count){.given = true, .value = (uint32_t)value};
	return -1;
}

/* Bytes: a number above 0, and K, M, G or T for powers of 1000. */
static int take_size(const option_spec *spec, const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	char *end;
	double value = strtod(text, &end), unit = 1;
	const char *found = *end ? strchr(units, *end & ~32) : NULL;
	for (const char *u = units; found && u <= found; ++u)
		unit *= 1000;
	if (*text < '0' || *text > '9' || (*end && (!found || end[1])) || !(value * unit >= 1) || value * unit > 1e18)
		return say_and(STATUS_USAGE, "--%s cannot be '%.60s'; give bytes, or such as 500M or 16G", spec->name, text);
	*bytes = (uint64_t)(value * unit);
	return -1;
}

static int take_seconds(const option_spec *spec, const char *text, double *seconds)
{
	char *end;
	*seconds = strtod(text, &end);
	if (*text < '0' || *text > '9' || *end || !(*seconds > 0) || *seconds > 1e8)
		return say_and(STATUS_USAGE, "--%s cannot be '%.60s'; give seconds above 0, such as 60 or 0.5", spec->name,
		               text);
	return -1;
}

static int take_choice(const option_spec *spec, const char *text, int *choice)
{
	*choice = word_find(spec->words, text);
	if (*choice >= 0)
		return -1;
	const char *near = word_nearest(spec->words, text);
	char list[160] = "";
	for (size_t i = 0; word_at(spec->words, i); ++i) {
		size_t used = strlen(list);
		const char *word = word_at(spec->words, i);
		if (used + strlen(word) + 3 < sizeof list)
			strcat(strcat(list, i ? ", " : ""), word);
	}
	return say_and(STATUS_USAGE, "--%s cannot be '%.60s'%s%s%s; give one of %s", spec->name, text,
	               near ? ", did you mean '" : "", near ? near : "", near ? "'" : "", list);
}

static int take_value(options *o, const option_spec *spec, const char *text)
{
	void *field = (char *)o + spec->field;
	switch (spec->kind) {
	case OPTION_FLAG: *(bool *)field = true; return -1;
	case OPTION_TEXT:
		if (!*text)
			return say_and(STATUS_USAGE, "--%s needs a %s, not an empty text", spec->name, spec->value);
		*(const char **)field = text;
		return -1;
	case OPTION_COUNT: return take_count(spec, text, field);
	case OPTION_CHOICE: return take_choice(spec, text, field);
	case OPTION_SIZE: return take_size(spec, text, field);
	case OPTION_SECONDS: return take_seconds(spec, text, field);
	case OPTION_LIST: {
		option_list *list = field;
		list->items = memory_resize(list->items, (list->count + 1) * sizeof list->items[0]);
		list->items[list->count++] = text;
		return -1;
	}
	}
	return -1;
}

static int fail_no_value(const option_spec *spec)
{
	return say_and(STATUS_USAGE, "--%s needs a value: --%s %s", spec->name, spec->name, spec->value);
}

/* --name, --name value, --name=value; *next is the argument after it. */
static int parse_long(options *o, const char *argument, char ***next)
{
	const char *equals = strchr(argument, '=');
	size_t size = equals ? (size_t)(equals - argument) - 2 : strlen(argument) - 2;
	const option_spec *spec = find_option(o->command, argument + 2, size, 0);
	if (!spec)
		return fail_unknown(o->command, argument);
	if (spec->kind == OPTION_FLAG)
		return equals ? say_and(STATUS_USAGE, "--%s takes no value", spec->name) : take_value(o, spec, NULL);
	if (equals)
		return take_value(o, spec, equals + 1);
	return **next ? take_value(o, spec, *(*next)++) : fail_no_value(spec);
}

/* -o value, -ovalue, -qh. */
static int parse_short(options *o, const char *argument, char ***next)
{
	for (const char *letter = argument + 1; *letter; ++letter) {
		char single[3] = {'-', *letter, 0};
		const option_spec *spec = find_option(o->command, NULL, 0, *letter);
		if (!spec)
			return fail_unknown(o->command, single);
		if (spec->kind != OPTION_FLAG) {
			if (letter[1])
				return take_value(o, spec, letter + 1);
			return **next ? take_value(o, spec, *(*next)++) : fail_no_value(spec);
		}
		take_value(o, spec, NULL);
	}
	return -1;
}

static int take_operand(options *o, const char *argument)
{
	if (o->operand_count == o->command->most) {
		say("cairn %s takes %s; '%.100s' is too much", o->command->name,
		    *o->command->operands ? o->command->operands : "no arguments", argument);
		return usage_hint(o->command);
	}
	o->operands[o->operand_count++] = argument;
	return -1;
}

static const command_spec *find_command(const char *name)
{
	int index = word_find(WORDS_COMMAND, name);
	if (index >= 0)
		return command_at((size_t)index);
	const char *near = our_command(name);
	near = near ? near : word_nearest(WORDS_COMMAND, name);
	if (name[0] == '-')
		say("unknown option '%.60s'; options come after the command, such as cairn run SCENE --frames 100", name);
	else
		say("unknown command '%.60s'%s%s%s", name, near ? "; did you mean cairn " : "", near ? near : "",
		    near ? "?" : "");
	say("see cairn --help");
	return NULL;
}

int options_parse(options *o, int argc, char **argv)
{
	*o = (options){.progress = PROGRESS_AUTO};
	(void)argc;
	o->command = find_command(argv[1]);
	if (!o->command)
		return STATUS_USAGE;
	bool ended = false;
	for (char **next = argv + 2; *next && !o->help;) {
		const char *argument = *next++;
		int result;
		if (ended || argument[0] != '-' || !argument[1])
			result = take_operand(o, argument);
		else if (strcmp(argument, "--") == 0)
			ended = true, result = -1;
		else if (argument[1] == '-')
			result = parse_long(o, argument, &next);
		else
			result = parse_short(o, argument, &next);
		if (result >= 0)
			return result;
	}
	if (!o->help && o->operand_count < o->command->least) {
		say("cairn %s needs %s", o->command->name, o->command->operands);
		return usage_hint(o->command);
	}
	return -1;
}

void options_free(options *o) { free(o->sets.items); }
