/* Constants of the step that several of its rooms use. What one room alone uses stands in its header, what one file
 * alone uses at the top of it; docs/rules.md lists those that control a special rule. */
#ifndef CN_STEP_TOLERANCE_H
#define CN_STEP_TOLERANCE_H

#define CN_PIECE_TURN 1.5 /* rad: longest turn between two keys; below pi/2 by more than E drifts in a frame */
#define CN_CUT_MIN 1e-6   /* of a frame: script keys nearer than this to a frame or to each other are taken together */
/* rule: leaving contacts; of the restitution threshold; a contact that leaves faster may come back within the frame;
 * scene: built by the test; test: test_oba_motion/symmetry_is_kept */
#define CN_REST_LEAVES 0.02
/* rule: hit is held; relative; a contact that nears no faster than its last bounce left it has been hit and is held.
 * Elsewhere speeds, times and distances that differ by less are equal; scene: scenes/stack.json; test:
 * test_oba_rules/what_was_hit_is_held */
#define CN_SAME 1e-9
#define CN_STILL_SPEED 0.03 /* x g dt: a body slower than this may count as at rest */
#define CN_PAY_MIN                                                                                                     \
	1e-6 /* of an island's weight x a body's radius: energy that a frame's mending may bring it for nothing */
/* rule: flat impacts; of a frame; points that meet within it touch, for a flat impact hits all corners at once; scene:
 * built by the test; test: test_oba_rules/swept_boxes_stay_on_the_floor */
#define CN_TOUCH_MOMENT 2e-3
/* rule: stopped at a distance; x the kept gap; points this near whose rows stopped their bodies touch; scene: built
 * by the test; test: test_oba_rules/what_was_hit_is_held */
#define CN_TOUCH_PUSHED 20.0
/* rule: fastest spin; rad a frame; no impact gives more, for a body's keys show up to 96; scene: built by the test;
 * test: test_joint/motors_too_strong_are_bounded */
#define CN_SPIN_MAX 60.0
/* of a rest or bounce program at most: programs of a crowd that start warm change little after these */
#define CN_MOMENTUM_SWEEPS 40
/* rule: corners; cosine; planes that differ by more are of different sides of a body, and neither rows nor prediction
 * cut the corner between them; scene: built by the test; test: test_oba_rest/what_is_wedged_comes_to_rest */
#define CN_CORNER 0.7
#define CN_SUBSTEP_MOTION 0.1 /* of the thinner part: how far a pair may turn and near in a step, or it takes several */
#define CN_PASSES 6           /* position programs a frame at most; one or two are usual */
#define CN_PASS_TURN 0.2      /* rad a body turns in one of them */
/* of the thinner part: what overlaps deeper does not tell the side any more, and a pass that leaves it has failed */
#define CN_PASS_DEEP 0.25
/* of the kept gap: bodies nearer than this touch without a gap, and a row that moves a body by less has not pushed it */
#define CN_AS_BUILT_GAP 1e-3
#define CN_PUSHING_GAP 4.0  /* x the kept gap: bodies this near pass a push on */
#define CN_SWEEP_BUDGET 200 /* separations to prove one piece of one pair */
#define CN_ARTICULATION_BROKEN                                                                                         \
	1e-7 /* of the articulation's size: further off than this a joint is not held, and the articulation cannot be followed */
#define CN_ARTICULATION_ROUNDS                                                                                         \
	40 /* of bringing an articulation's joints together in a step: each leaves a twentieth, or half where links turn far */
#define CN_SCRIPT_TRIES 4 /* of a leg: with all of the step, a half, a quarter, an eighth; then without the script */
#define CN_SCRIPT_STEP_MIN 0.03125 /* of a script's step in a frame: smaller ones are not tried */

#endif
