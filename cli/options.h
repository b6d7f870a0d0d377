/* The commands and their options. Parsing, --help, the man page and the completions of the shells all read them here.
 *
 * A command is a file cmd_NAME.c with a command_spec, command_NAME, and a row in COMMANDS. An option is a row in the
 * file of its command, or in options.c if several commands share it, and one field of struct options. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cairn/cairn.h"

typedef enum progress_mode { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_PLAIN, PROGRESS_JSON, PROGRESS_NONE } progress_mode;

/* Lists of words that an operand or a value is taken from: for completion and "did you mean". */
typedef enum word_list {
	WORDS_NONE,
	WORDS_FILE,      /* any file */
	WORDS_EXPORT,    /* any file; its ending is a format */
	WORDS_SCENE,     /* a bundled scene or a scene file */
	WORDS_RECORDING, /* a recording */
	WORDS_SOURCE,    /* either of these two */
	WORDS_BUNDLED,   /* a bundled scene */
	WORDS_METHOD,
	WORDS_SETTING, /* key=value */
	WORDS_PROGRESS,
	WORDS_QUALITY,
	WORDS_COMMAND,
	WORDS_SHELL
} word_list;

/* The index-th word of a list, or NULL past its end. WORDS_SCENE and WORDS_SOURCE give the bundled scenes. */
const char *word_at(word_list list, size_t index);
/* Its number, or -1. */
int word_find(word_list list, const char *word);
const char *word_nearest(word_list list, const char *word); /* NULL when none is near */

typedef struct option_count {
	bool given;
	uint32_t value;
} option_count;

typedef struct option_list {
	const char **items;
	size_t count;
} option_list;

/* What the command line said. Texts point into argv. */
typedef struct options {
	const struct command_spec *command;
	const char *operands[8]; /* as many as the table of commands allows */
	int operand_count;
	const char *output, *method, *size, *camera, *follow, *light, *methods, *substeps, *film, *key, *lift, *play,
		*still;
	option_list sets;
	option_count frames, threads, from, to, most, frame, slow, fps;
	uint64_t memory; /* bytes; 0: not given */
	double time;     /* s; 0: not given */
	int progress;    /* progress_mode */
	int quality;     /* 0: auto; render_quality + 1 */
	bool force, resume, json, quiet, man, help, contacts, live, beside, open, no_open, quick, planes, wireframe,
		no_glass, midway, sleeping, strict_scripts, trust, cost, truth, fixed, floor, decompose;
} options;

typedef enum option_kind {
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_COUNT,
	OPTION_CHOICE,
	OPTION_LIST,
	OPTION_SIZE,   /* bytes, with K, M, G or T for powers of 1000 */
	OPTION_SECONDS /* above 0 */
} option_kind;

typedef struct option_spec {
	const char *name;  /* without the dashes */
	char letter;       /* 0: none */
	const char *value; /* what stands for the value; NULL: a flag */
	option_kind kind;
	word_list words;
	size_t field; /* its place in struct options: OPTION_FIELD */
	const char *help;
} option_spec;

typedef struct text_pair {
	const char *left, *right;
} text_pair;

typedef struct command_spec {
	const char *name;
	int (*run)(const options *o);
	const char *operands; /* "SCENE|REC"; "" if it takes none */
	word_list words;      /* what the operand is taken from */
	int least, most;      /* operands */
	const char *brief;
	const char *about;         /* paragraphs, a newline between them */
	const text_pair *examples; /* left NULL ends it */
	const text_pair *fields;   /* of its JSON; NULL: it has none */
	const option_spec *own;    /* options of no other command; name NULL ends it; NULL: none */
	const char *options; /* names of all it takes, its own and those of options.c, a space between; all take --help */
} command_spec;

#define OPTION_FIELD(name) offsetof(options, name)

/* In the order of the help. */
#define COMMANDS(COMMAND)                                                                                              \
	COMMAND(run)                                                                                                       \
	COMMAND(check)                                                                                                     \
	COMMAND(info)                                                                                                      \
	COMMAND(export)                                                                                                    \
	COMMAND(render)                                                                                                    \
	COMMAND(view)                                                                                                      \
	COMMAND(certify)                                                                                                   \
	COMMAND(compare)                                                                                                   \
	COMMAND(report)                                                                                                    \
	COMMAND(scenes)                                                                                                    \
	COMMAND(import)                                                                                                    \
	COMMAND(new)                                                                                                       \
	COMMAND(assemble)                                                                                                  \
	COMMAND(plan)                                                                                                      \
	COMMAND(help)                                                                                                      \
	COMMAND(completion)

#define COMMAND_SPEC(name) extern const command_spec command_##name;
COMMANDS(COMMAND_SPEC)

/* NULL past the end. */
const command_spec *command_at(size_t index);
const option_spec *command_option(const command_spec *command, size_t index);

/* Reads argv of `cairn COMMAND ...` into o. -1: go on; else the exit status, and what was wrong has been said. */
int options_parse(options *o, int argc, char **argv);
void options_free(options *o);

int cmd_version(void);

#endif
