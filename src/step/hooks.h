/* Features that hang on the stages: joints, scripts, fixed meshes. The stages call these hooks. A scene without a
 * feature enters none of its code. */
#ifndef CN_STEP_HOOKS_H
#define CN_STEP_HOOKS_H

#include "step/context.h"

static inline bool cn_has_joints(const cairn_world *w) { return w->scene->joint_count > 0; }
/* Some scripted bodies take part in the step; some of them move in it. */
static inline bool cn_has_scripts(const cairn_world *w) { return w->context->paths.scripts > 0; }
static inline bool cn_scripts_move(const cairn_world *w) { return w->context->paths.moving_scripts > 0; }

/* Something may change the world before the step: events of the scene, or inputs since the last step. */
static inline bool cn_has_events(const cairn_world *w) { return w->scene->event_count > 0 || w->energy.touched; }
static inline bool cn_has_goals(const cairn_world *w) { return w->scene->asked.spring_count > 0; }
static inline bool cn_has_meshes(const cairn_world *w) { return w->context->contacts.has_fixed_mesh; }
/* The context is NULL where memory ran out for it. */
static inline bool cn_has_balls(const cairn_world *w) { return w->context && w->context->paths.has_balls; }
static inline bool cn_has_flights(const cairn_world *w) { return cn_has_balls(w) || w->scene->options.hybrid; }
static inline bool cn_may_freeze(const cairn_world *w)
{
	return w->scene->options.freeze && w->context && w->context->gravity > 0;
}

/* ---- joints: joint/joint.h, articulation/motion.h */
static inline bool cn_joints_begin(cairn_world *w) { return !cn_has_joints(w) || cn_articulations_begin(w); }
static inline uint32_t cn_joints_of(const cairn_world *w, uint32_t slot)
{
	return cn_has_joints(w) ? cn_articulation_of(w, slot) : CN_QP_NONE;
}
static inline bool cn_joints_exempt(const cairn_world *w, uint32_t a, uint32_t b)
{
	return cn_has_joints(w) && cn_articulations_exempt(w, a, b);
}
static inline void cn_joints_join(const cairn_world *w, uint32_t *root)
{
	if (cn_has_joints(w))
		cn_articulations_join(w, root);
}
static inline bool cn_joints_spread(const cairn_world *w, uint8_t *bodies)
{
	return cn_has_joints(w) && cn_articulations_spread(w, bodies);
}
static inline bool cn_joints_follow(const cairn_world *w, uint32_t slot)
{
	return cn_has_joints(w) && cn_articulation_follows(w, slot);
}
static inline bool cn_joints_tied(const cairn_world *w, uint32_t slot)
{
	return cn_has_joints(w) && cn_articulation_tied(w, slot);
}
static inline uint32_t cn_joints_bodies(const cairn_world *w, uint32_t slot, uint32_t number)
{
	return cn_has_joints(w) ? cn_articulation_bodies(w, slot, number) : CN_QP_NONE;
}
static inline uint32_t cn_joints_exempt_pairs(const cairn_world *w, const uint64_t **pairs)
{
	*pairs = NULL;
	return cn_has_joints(w) ? cn_articulations_exempt_pairs(w, pairs) : 0;
}
static inline bool cn_joints_set_targets(cairn_world *w, cn_frame *f)
{
	return !cn_has_joints(w) || cn_articulations_set_targets(w, f);
}
static inline uint32_t cn_joints_pieces(const cairn_world *w, uint32_t slot)
{
	return cn_has_joints(w) ? cn_articulation_pieces(w, slot) : 0;
}
static inline bool cn_joints_rest_rows(cairn_world *w) { return !cn_has_joints(w) || cn_articulations_rest_rows(w); }
static inline bool cn_joints_bounce_rows(cairn_world *w)
{
	return !cn_has_joints(w) || cn_articulations_bounce_rows(w);
}
static inline bool cn_joints_position_rows(cairn_world *w, const quat *turns)
{
	return !cn_has_joints(w) || cn_articulations_position_rows(w, turns);
}
static inline bool cn_joints_carry(cairn_world *w) { return cn_has_joints(w) && cn_articulations_carry(w); }
static inline bool cn_joints_saturate(cairn_world *w) { return cn_has_joints(w) && cn_articulations_saturate(w); }
static inline void cn_joints_store_forces(cairn_world *w)
{
	if (cn_has_joints(w))
		cn_articulations_store_forces(w);
}
static inline double cn_joints_work(const cairn_world *w, const cn_twist *before, const cn_twist *after)
{
	return cn_has_joints(w) ? cn_articulations_work(w, before, after) : 0;
}
static inline double cn_joints_impact_work(cairn_world *w)
{
	return cn_has_joints(w) ? cn_articulations_impact_work(w) : 0;
}
static inline double cn_joints_strike_work(cairn_world *w, const uint32_t *rows, uint32_t count)
{
	return cn_has_joints(w) ? cn_articulations_strike_work(w, rows, count) : 0;
}
static inline bool cn_joints_move_part(cairn_world *w, const uint8_t *bodies, double span, cn_frame *f, bool *any)
{
	*any = false;
	return !cn_has_joints(w) || cn_articulations_move_part(w, bodies, span, f, any);
}
static inline void cn_joints_project(cairn_world *w)
{
	if (cn_has_joints(w))
		cn_articulations_project(w);
}
static inline void cn_joints_slow(cairn_world *w, cairn_energy *e)
{
	if (cn_has_joints(w))
		cn_articulations_slow(w, e);
}
static inline void cn_joints_note(cairn_world *w, cn_frame *f)
{
	if (cn_has_joints(w))
		cn_articulations_note(w, f);
}
static inline void cn_joints_keep(cairn_world *w, cn_frame *f)
{
	if (cn_has_joints(w))
		cn_articulations_keep(w, f);
}

/* ---- scripts: path/path.h, script/script.h */
static inline bool cn_scripts_turn_back(cairn_world *w, bool last, uint8_t *bodies, bool *any)
{
	*any = false;
	return !cn_scripts_move(w) || cn_script_turn_back(w, last, bodies, any);
}
static inline void cn_scripts_set_clocks(cairn_world *w, bool end)
{
	if (cn_has_scripts(w))
		cn_script_set_clocks(w, end);
}
static inline void cn_scripts_leg_begin(cairn_world *w)
{
	if (cn_has_scripts(w))
		cn_script_leg_begin(w);
}
static inline void cn_scripts_mark_alone(cairn_world *w, const uint32_t *slots, uint32_t count)
{
	if (cn_scripts_move(w))
		cn_script_mark_alone(w, slots, count);
}
static inline void cn_scripts_engage(cairn_world *w)
{
	if (cn_has_scripts(w))
		cn_script_engage(w);
}
static inline void cn_scripts_add_near(const cairn_world *w, uint8_t *bodies)
{
	if (cn_has_scripts(w))
		cn_script_add_near(w, bodies);
}
static inline bool cn_scripts_halve(cairn_world *w, uint8_t *bodies)
{
	return cn_scripts_move(w) && cn_script_halve(w, bodies);
}
static inline bool cn_scripts_hold(cairn_world *w, uint8_t *bodies, bool frame)
{
	return cn_scripts_move(w) && cn_script_hold(w, bodies, frame);
}
static inline bool cn_scripts_hold_links(cairn_world *w, uint8_t *bodies, bool frame)
{
	return cn_scripts_move(w) && cn_script_hold_links(w, bodies, frame);
}
static inline bool cn_scripts_mend(cairn_world *w, uint8_t *bodies)
{
	return cn_has_scripts(w) && cn_script_mend(w, bodies);
}
static inline bool cn_scripts_leg_end(cairn_world *w) { return cn_has_scripts(w) && cn_script_leg_end(w); }
static inline void cn_scripts_keep(cairn_world *w)
{
	if (cn_has_scripts(w))
		cn_script_keep(w);
}
static inline void cn_scripts_note(const cairn_world *w, cn_frame *f)
{
	if (cn_has_scripts(w))
		cn_script_note(w, f);
}
static inline void cn_scripts_velocities(cairn_world *w)
{
	if (cn_has_scripts(w))
		cn_script_velocities(w);
}
static inline void cn_scripts_mark_pushed(cairn_world *w)
{
	if (cn_scripts_move(w))
		cn_script_mark_pushed(w);
}
static inline void cn_scripts_mark_near(cairn_world *w)
{
	if (cn_scripts_move(w))
		cn_script_mark_near(w);
}
static inline void cn_scripts_find_reach(const cairn_world *w, double *reach)
{
	if (cn_scripts_move(w))
		cn_script_find_reach(w, reach);
}
static inline double cn_scripts_work(const cairn_world *w, uint32_t contact, cn_qp_impulse y)
{
	return cn_has_scripts(w) ? cn_script_work(&w->context->program, contact, y) : 0;
}
static inline bool cn_scripts_limit_begin(cairn_world *w) { return !cn_has_scripts(w) || cn_push_limit_begin(w); }
static inline bool cn_scripts_limit(cairn_world *w, uint32_t tries)
{
	return cn_scripts_move(w) && cn_push_limit(w, tries);
}
/* False: memory ran out. */
static inline bool cn_scripts_again(cairn_world *w, uint32_t tries, bool *again)
{
	*again = false;
	return !cn_scripts_move(w) || cn_script_again(w, tries, again);
}
static inline void cn_scripts_limit_pace(cairn_world *w)
{
	if (cn_scripts_move(w))
		cn_push_limit_pace(w);
}

#endif
