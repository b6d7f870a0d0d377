/* Every stage of a frame, one line each: the table of contents of this folder. A method is a recipe over them.
 *
 * While a step is under way the state at the frame stands in w->motion and the next one grows in w->next; cn_frame_end
 * moves them on, so that a step that cannot be finished leaves everything as it was. */
#ifndef CN_STAGES_H
#define CN_STAGES_H

#include "world/world.h"

/* What lives for one step. */
typedef struct cn_frame {
	cairn_step_report report;
	double events;         /* energy that happenings brought */
	bool saved;            /* w->backup holds the motion before events */
	bool saved_rest_state; /* w->backup holds who slept before any was woken */
	double start, mark;    /* clock, ms */
} cn_frame;

typedef bool cn_stage_run(cairn_world *w, cn_frame *f); /* false: refused, and the report says why */

void cn_frame_begin(cairn_world *w, cn_frame *f);
void cn_stage(cairn_world *w, cn_frame *f, const char *name,
              cn_stage_run *run); /* timed; passed over once one refused */
void cn_stage_if(cairn_world *w, cn_frame *f, bool needed, const char *name,
                 cn_stage_run *run); /* a stage of a feature, which runs where the scene has it */
cairn_step_report cn_frame_end(cairn_world *w, cn_frame *f);

cn_stage_run cn_events_apply;       /* what the scene says happens at this frame */
cn_stage_run cn_wake_moved;         /* sleepers that something moved */
cn_stage_run cn_forces_apply;       /* velocities at the end of the frame if nothing touches */
cn_stage_run cn_contacts_find;      /* pairs that come near each other, where they stand: planes and contact points */
cn_stage_run cn_substeps_choose;    /* who takes several steps in this frame */
cn_stage_run cn_flight_choose;      /* few balls: who bounces inside the frame */
cn_stage_run cn_rest_solve;         /* impulses that hold what rests */
cn_stage_run cn_motion_free;        /* where each body goes if it is alone; keys inside the frame */
cn_stage_run cn_flight_run;         /* few balls: where their bounces inside the frame lead them */
cn_stage_run cn_position_update;    /* toward that as far as there is room, in legs free of crossings, by local tiers */
cn_stage_run cn_paths_choose;       /* the ways that are shown; keys; what keeping apart cost */
cn_stage_run cn_articulations_mend; /* velocities of articulations that were pushed */
cn_stage_run cn_freeze_revive;      /* frozen bodies that the frame's blows wake */
cn_stage_run cn_bounce_solve;       /* impulses that end approach, with restitution */
cn_stage_run cn_certify;            /* by code that no other stage uses: reads, never repairs */
cn_stage_run cn_sleep_update;       /* islands too slow to matter leave the next programs; what is remembered */
cn_stage_run cn_emit;               /* bodies that appear at the new frame */

/* Of joints, for other stages: see rig.h. */
bool cn_articulations_aim(cairn_world *w,
                          cn_frame *f); /* where bodies that joints hold together go; velocities there */
uint32_t cn_articulation_pieces(const cairn_world *w, uint32_t slot); /* of the frame's motion; 0: no joint holds it */
void cn_articulation_keys(cairn_world *w, uint32_t slot, uint32_t first); /* into w->next_extras */
uint32_t cn_articulations_exempt_pairs(const cairn_world *w,
                                       const uint64_t **pairs); /* slots, a << 32 | b, a < b, rising */

/* Bodies that overlap where they stand now, the first such pair; meshes that move may not even touch. */
bool cn_contacts_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed);

/* Methods: those of the registry, each in src/method/NAME.c. */
#define CN_METHOD_STEP(name, contact, help) cairn_step_report cn_method_##name(cairn_world *w);
CN_METHODS(CN_METHOD_STEP)

#endif
