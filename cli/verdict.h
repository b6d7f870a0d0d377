/* What a certificate says, for people and for scripts: of recordings and of trajectories, in cairn and in
 * cairn-certify. */
#ifndef VERDICT_H
#define VERDICT_H

#include "cairn/cairn.h"

/* How bodies are called. */
typedef struct verdict_names {
	const char *(*name)(const void *context, uint32_t body); /* "": it has none */
	const void *context;
} verdict_names;

/* m: the deepest overlap at a key; 0: none. */
double verdict_depth(const cairn_certify_result *result);
/* info NULL: it is no recording. */
void verdict_print_json(const verdict_names *names, const cairn_certify_result *result,
                        const cairn_recording_info *info);
void verdict_print_text(const verdict_names *names, const cairn_certify_result *result, uint32_t from, uint32_t to);
/* The first that is wrong: "frame 6, 0.1719 s: ball and wall, 0.01 m deep" */
void verdict_describe(const verdict_names *names, const cairn_certify_result *result, char *text, size_t size);

#endif
