/* Paths: how each body moves between its pose at the start of the step and its trial pose, and proofs that two bodies
 * do not meet on the way. Scripted bodies follow their scripts. */
#ifndef CN_STEP_PATH_H
#define CN_STEP_PATH_H

#include "base/tolerance.h"
#include "geom/sweep.h"
#include "step/contact/contact.h"
#include "step/motion/script.h"
#include "step/path/body_path.h"
#include "step/tolerance.h"

/* One piece of a path: the centre moves straight while the body turns about one axis. */
typedef struct cn_piece {
	double t0, t1; /* as shares of the frame */
	v3 x0, x1, turn;
	quat q0;
} cn_piece;

/* The motion from one pose of a path to another: a screw motion, cut into pieces; of a scripted body its script. */
typedef struct cn_leg {
	pose from, to;
	double t0, t1; /* as shares of the frame */
	uint32_t cuts;
	cn_span span; /* s: of a script's clock, which runs evenly from t0 to t1 */
} cn_leg;

enum { CN_LEG_ENDS_MAX = CN_PASSES }; /* the last leg moves islands as one body, and turns nothing */
static_assert(CN_PASSES * CN_CUTS_MAX + 1 <= CN_MAX_PIECES, "the legs of a step fit into a body's keys");

/* The end of a leg and the number of its pieces. The last leg ends at the trial pose. */
typedef struct cn_leg_end {
	pose at;
	double clock; /* of a script, s */
	uint8_t cuts;
} cn_leg_end;

typedef struct cn_leg_ends {
	cn_leg_end *ends; /* leg by leg, then by slot; room for all legs */
	double t
		[CN_LEG_ENDS_MAX]; /* share of the frame at which each leg ends; until the frame is done: how far the leg leads */
	uint32_t count;
} cn_leg_ends;

typedef struct cn_paths {
	cn_path *by_slot;
	cn_leg_ends leg_ends;
	pose *poses;      /* by slot: at the start of the current leg */
	cn_extra *extras; /* keys that are to replace those of w->next_extras */
	uint32_t extra_count, extra_room;
	cn_piece *pieces; /* of bodies shown by their legs */
	uint32_t piece_count;
	uint32_t scripts, moving_scripts; /* scripted bodies; those that move in this frame */
	bool has_balls;                   /* some body is a ball about its centre of mass */
	uint32_t leg_number;              /* of the current leg */
	const uint8_t *keys; /* by slot: how many it has in the frame already, in its earlier steps; NULL: there are none */
	uint32_t steps;      /* that share what is left, with this one */
} cn_paths;

/* The body is at this pose, to the bit. */
static inline bool cn_same_pose(v3 x, quat q, const cn_motion *m)
{
	return x.x == m->x.x && x.y == m->x.y && x.z == m->x.z && q.w == m->q.w && q.x == m->q.x && q.y == m->q.y &&
	       q.z == m->q.z;
}

/* A key of its own motion, before legs. */
static inline const cairn_key *cn_path_own_key(const cairn_world *w, const cn_path *y, uint32_t key)
{
	return &w->next_extras[y->own.first + key].key;
}

static inline pose cn_trial_pose(const cairn_world *w, uint32_t slot)
{
	return (pose){w->next[slot].x, w->next[slot].q};
}

/* ---- paths.c: motion between keys, and proofs that two paths do not meet */
void cn_path_begin(cairn_world *w, uint32_t slot, bool round); /* at the start of the step */
cn_leg cn_path_whole(const cairn_world *w, uint32_t slot);     /* from the frame's start to the trial pose */
uint32_t cn_path_pieces(const cairn_world *w, uint32_t slot);
uint32_t cn_path_leg_pieces(const cairn_world *w, uint32_t slot); /* of all its legs, before they are laid out */
void cn_paths_clear_legs(cairn_world *w);
/* Lays out the pieces of the legs of all bodies that go by them and have none yet. False: memory ran out. */
bool cn_paths_lay_legs(cairn_world *w);
cn_piece cn_path_piece(const cairn_world *w, uint32_t slot, uint32_t piece);
cn_extra cn_path_key(const cairn_world *w, uint32_t slot, uint32_t piece); /* at the end of a piece but the last */
/* Keys inside the frame are written anew body by body: begin with room for so many (false: memory ran out), add those
 * of each body in the order of slots, then let them replace w->next_extras. */
bool cn_paths_keys_begin(cairn_world *w, uint32_t count);
void cn_paths_keys_add(cairn_world *w, const cn_extra *keys, uint32_t count);
void cn_paths_keys_end(cairn_world *w);
cn_mover cn_path_mover(const cairn_world *w, const cn_piece *piece, uint32_t part, double t0, double t1);
/* Bodies have so many keys in the frame already, and so many steps, with this one, share what is left. */
void cn_paths_share_keys(cairn_world *w, const uint8_t *keys, uint32_t steps);
void cn_path_measure(cairn_world *w, uint32_t slot); /* after its trial pose changed: updates k, bow, cuts, whole_k */
double cn_pair_along(const struct cn_context *c, const cn_pair *p, const cn_place *places, v3 n); /* m: gap along n */
double cn_pair_slack(const struct cn_context *c, const cn_pair *p);     /* m: rounding error of a separation */
v3 cn_support_point(const cn_convex *convex, const cn_place *at, v3 d); /* the furthest point along d, world axes */
/* The bounding balls never meet while both centres move straight to the trial poses. */
bool cn_balls_prove(const cairn_world *w, const cn_pair *p, v3 from_a, v3 from_b, double slack);
bool cn_axis_proves(double s0, double s1, double k, double slack);
bool cn_paths_free(const cairn_world *w, const cn_pair *p,
                   bool of_leg); /* proved piece by piece, over the frame or over the current leg */

/* Legs: each begins at the trial poses, and the last one ends there. */
void cn_legs_begin(cairn_world *w, uint32_t number);     /* at the trial poses */
void cn_legs_end(cairn_world *w, double far, bool last); /* far: how far it led all bodies together, in radii */

/* ---- script_path.c: paths of scripted bodies, by their clocks */
/* A piece of a leg of a scripted body. Pieces follow from the leg's span, not from its cuts. */
cn_piece cn_script_piece(const cairn_world *w, uint32_t slot, const cn_leg *leg, uint32_t piece);
uint32_t cn_script_pieces(const cairn_world *w, uint32_t slot, cn_span span);
bool cn_body_scripted(const cairn_world *w, uint32_t slot);
/* The movable body that a joint holds to a moving scripted body; CN_QP_NONE: there is none. */
uint32_t cn_script_link(const cairn_world *w, uint32_t joint, uint32_t *script);
cn_stride cn_script_stride(const cairn_world *w, uint32_t slot);
void cn_script_begin(cairn_world *w, uint32_t slot); /* starts its clock, in cn_path.drive; strides must be known */
void cn_script_measure(cairn_world *w, uint32_t slot);

#endif
