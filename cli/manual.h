/* Everything that tells how the tool is used, made from the tables of options.h. */
#ifndef MANUAL_H
#define MANUAL_H

#include "options.h"

#include <stdio.h>

void manual_help(FILE *out);                                 /* of the tool */
void manual_command(FILE *out, const command_spec *command); /* of one command */
void manual_page(FILE *out);                                 /* cairn(1), roff with the man macros */
void manual_completion(FILE *out, const char *shell);        /* one of WORDS_SHELL */

/* "-o, --output FILE" */
void manual_option(const option_spec *spec, char *text, size_t size);

/* "bodies that ... (one of on, off)": the meaning and the values of a setting or option, by its number in
 * cairn_option_at */
void manual_setting(uint32_t index, char *text, size_t size);

extern const text_pair manual_examples[];    /* of the tool; left NULL ends it */
extern const text_pair manual_environment[]; /* variables */

#endif
