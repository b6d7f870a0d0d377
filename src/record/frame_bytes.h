/* The pieces of a recording's payloads as bytes: bodies, keys, reports (docs/recording-format.md).
 *
 * Reading checks every number: finite where it must be, quaternions of length 1, turns of at most a quarter, counts
 * against the bytes left. A piece that fails leaves the reader failed. */
#ifndef CN_FRAME_BYTES_H
#define CN_FRAME_BYTES_H

#include "base/bytes.h"

enum {
	CN_KEY_BYTES = 128,       /* a key without its time */
	CN_FRAME_KEYS_MAX = 65,   /* keys of one body in one frame */
	CN_STAGE_NAME_MAX = 63,   /* bytes of a stage's name */
	CN_BODY_LEAST_BYTES = 177 /* a birth with an empty name */
};

/* A birth: what the body is, and for a fixed one where it stands (key's pose, velocity and spin). */
void cn_put_body(cn_writer *w, cairn_body body, const cairn_body_info *info, const cairn_key *key);
/* The name is the caller's to free, also after a failure. Fills body, info, and first_key of a fixed one. False with
 * the reader not failed: memory ran out. */
bool cn_get_body(cn_reader *r, const cairn_allocator *allocator, cairn_track *track);

void cn_put_key(cn_writer *w, const cairn_key *key); /* without time */
cairn_key cn_get_key(cn_reader *r);                  /* time 0 */

/* All of a report but frame, time, steps and debt, late scripts, joints, counts that are rare, stages and ms. */
void cn_put_report(cn_writer *w, const cairn_step_report *report);
void cn_get_report(cn_reader *r, cairn_step_report *report);

/* How deep bodies overlap in a frame that was measured. */
void cn_put_depth(cn_writer *w, const cairn_step_report *report);
void cn_get_depth(cn_reader *r, cairn_step_report *report);
/* How many steps the frame took, and its debt. */
void cn_put_debt(cn_writer *w, const cairn_step_report *report);
void cn_get_debt(cn_reader *r, cairn_step_report *report);

/* Scripts that are late. */
void cn_put_late(cn_writer *w, const cairn_step_report *report);
void cn_get_late(cn_reader *r, cairn_step_report *report);

/* How far joints are apart, and how many broke. */
void cn_put_joints(cn_writer *w, const cairn_step_report *report);
void cn_get_joints(cn_reader *r, cairn_step_report *report);

/* Counts of a report that are 0 in most runs. */
bool cn_has_counts(const cairn_step_report *report);
void cn_put_counts(cn_writer *w, const cairn_step_report *report);
void cn_get_counts(cn_reader *r, cairn_step_report *report);

/* Stages and ms. Names point into the reader's bytes, not terminated. */
typedef struct cn_stage_name {
	const char *text;
	uint32_t length;
} cn_stage_name;
void cn_put_times(cn_writer *w, const cairn_step_report *report);
void cn_get_times(cn_reader *r, cairn_step_report *report, cn_stage_name names[CAIRN_MAX_STAGES]);

#endif
