/* All stages of a frame, one line each. A method (src/method) is a list of them.
 *
 * During a step, w->motion holds the state at the frame's start and w->next the state at its end, which the stages work
 * out. cn_frame_end makes w->next the current state, so a step that cannot be finished leaves everything as it was. */
#ifndef CN_STAGES_H
#define CN_STAGES_H

#include "world/world.h"

/* State of one step. */
typedef struct cn_frame {
	cairn_step_report report;
	double events;         /* J: energy that events added */
	bool saved;            /* w->backup holds the motion before events */
	bool saved_rest_state; /* w->backup holds the rest states before any body was woken */
	double start, mark;    /* ms, wall clock */
	struct {
		cairn_step_report report;
		double events;
		uint32_t impacts, tries; /* logged; how often the step began again */
	} begun;                     /* what there was when the step began */
} cn_frame;

typedef bool cn_stage_run(cairn_world *w, cn_frame *f); /* false: the step is refused, and the report says why */

void cn_frame_begin(cairn_world *w, cn_frame *f);
void cn_stage(cairn_world *w, cn_frame *f, const char *name,
              cn_stage_run *run); /* runs and times a stage; skipped once a stage has refused */
void cn_stage_if(cairn_world *w, cn_frame *f, bool needed, const char *name,
                 cn_stage_run *run); /* the same for a stage of a feature that the scene may not have */
void cn_step_begin(const cairn_world *w, cn_frame *f); /* before the first stage of a step */
bool cn_step_again(cairn_world *w,
                   cn_frame *f); /* after the position stage: true: the step begins again, as scripts had to
                                                    wait */
cairn_step_report cn_frame_end(cairn_world *w, cn_frame *f);

cn_stage_run cn_events_apply;       /* events of the scene at this frame */
cn_stage_run cn_wake_moved;         /* wakes sleeping bodies that something moved */
cn_stage_run cn_forces_apply;       /* velocities at the frame's end if nothing touches */
cn_stage_run cn_goals_push;         /* and what goals of the scene add to these */
cn_stage_run cn_contacts_find;      /* pairs of parts that may meet, their separating planes and contact points */
cn_stage_run cn_substeps_choose;    /* bodies that take several substeps in this frame */
cn_stage_run cn_flight_choose;      /* few balls: those that bounce inside the frame */
cn_stage_run cn_rest_solve;         /* impulses that hold resting contacts */
cn_stage_run cn_motion_free;        /* each body's pose at the frame's end if it were alone; keys inside the frame */
cn_stage_run cn_flight_run;         /* few balls: their motion through the bounces inside the frame */
cn_stage_run cn_position_update;    /* moves bodies toward their targets in legs that are proved free */
cn_stage_run cn_paths_choose;       /* the paths that are shown, their keys, the energy that separating bodies cost */
cn_stage_run cn_articulations_mend; /* velocities of articulations that the position stage pushed */
cn_stage_run cn_freeze_revive;      /* wakes frozen bodies that this frame's impacts hit */
cn_stage_run cn_bounce_solve;       /* impulses that end approach, with restitution */
cn_stage_run cn_certify;            /* checks the frame by code that no other stage uses; it never repairs */
cn_stage_run cn_sleep_update;       /* islands that are slow enough fall asleep; contact memory for the next frame */
cn_stage_run cn_emit;               /* emitters: bodies that appear at the new frame */

/* Articulations, for other stages. */
bool cn_articulations_set_targets(cairn_world *w, cn_frame *f); /* their targets and the velocities there */
uint32_t cn_articulation_pieces(const cairn_world *w,
                                uint32_t slot); /* pieces of its path through the frame; 0: no joint holds it */
void cn_articulation_keys(cairn_world *w, uint32_t slot, uint32_t first); /* writes its keys into w->next_extras */
uint32_t cn_articulations_exempt_pairs(const cairn_world *w,
                                       const uint64_t **pairs); /* slots as a << 32 | b with a < b, in rising order */

/* Finds the first pair of bodies that overlap at their current poses. Meshes that may move must not even touch.
 * *failed: memory ran out. */
bool cn_contacts_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed);

/* The methods of the registry, each in src/method/NAME.c. */
#define CN_METHOD_STEP(name, abilities, substeps, help) cairn_step_report cn_method_##name(cairn_world *w);
CN_METHODS(CN_METHOD_STEP)

#endif
