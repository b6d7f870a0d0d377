/* Articulations that other stages have moved. Their joints are closed again with as little motion as possible,
 * weighted by mass, and velocities that would open them are removed. Programs see joints as linear rows; these
 * corrections are exact. */
#include "base/tolerance.h"
#include "step/articulation/motion.h"
#include "step/joint/articulation.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"

#define CN_ARTICULATION_NEWTON_ROUNDS                                                                                  \
	12 /* rounds of bringing joints together where each takes the rows anew: each squares what is off */

/* Newton's method on the held rows from the present poses: M dx = J' y, J dx = -off. Returns the remaining violation.
 * */
static double draw_together(cairn_world *w, cn_articulation *art, bool *moved)
{
	cn_articulations *g = w->context->articulations;
	double *y = g->y, enough = CN_ARTICULATION_TOGETHER * art->size + cn_articulation_rounding(g, art), off = INFINITY;
	for (int round = 0; round <= CN_ARTICULATION_NEWTON_ROUNDS; ++round) {
		cn_articulation_fill(w, art, 1);
		off = 0;
		for (uint32_t i = 0; i < art->rows; ++i) {
			const cn_articulation_row *r = &g->rows[art->row + i];
			y[i] = cn_row_held(r) ? -r->row.off : 0;
			off = fabs(y[i]) > off || isnan(y[i]) ? fabs(y[i]) : off;
		}
		if (!(off > enough) || round == CN_ARTICULATION_NEWTON_ROUNDS)
			break;
		cn_articulation_factor_rows(w, art);
		cn_articulation_solve(g, art, y);
		for (uint32_t i = art->link; i < art->link + art->links; ++i)
			g->links[i].d = (cn_twist){{0, 0, 0}, {0, 0, 0}};
		for (uint32_t i = 0; i < art->rows; ++i) {
			const cn_articulation_row *r = &g->rows[art->row + i];
			for (int k = 0; cn_row_held(r) && k < 2; ++k) {
				uint32_t link = k ? r->b : r->a;
				const cn_twist *m = k ? &r->mb : &r->ma;
				if (link == CN_QP_NONE)
					continue;
				cn_twist *d = &g->links[link].d;
				*d = (cn_twist){v3_madd(d->v, m->v, y[i]), v3_madd(d->w, m->w, y[i])};
			}
		}
		for (uint32_t i = art->link; i < art->link + art->links; ++i) {
			cn_link *l = &g->links[i];
			l->at.x = v3_add(l->at.x, l->d.v);
			l->at.q = q_unit(q_mul(q_exp(l->d.w), l->at.q));
		}
		*moved = true;
	}
	return off;
}

/* Holds joints that are beyond their limits there and releases all others. True: some are held. */
static bool hold_limits(cairn_world *w, const cn_articulation *art)
{
	cn_articulations *g = w->context->articulations;
	bool any = false;
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		cn_articulation_row *r = &g->rows[i];
		if (!cn_row_of_axis(r))
			continue;
		cn_joint_span in = cn_joint_limits(w, r->joint, r->axis);
		double value = cn_articulation_axis(w, r, 1).off, slack = CN_UNIT_ROUNDING * (1 + fabs(value));
		r->hold = value <= in.low + slack || value >= in.high - slack ? CN_ROW_AXIS_HELD : CN_ROW_AXIS_FREE;
		r->at = value <= in.low + slack ? in.low : in.high;
		any |= r->hold == CN_ROW_AXIS_HELD;
	}
	return any;
}

/* Releases joints at a limit that move away from it. True: there are some. */
static bool free_leavers(cairn_world *w, const cn_articulation *art)
{
	cn_articulations *g = w->context->articulations;
	bool any = false;
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		cn_articulation_row *r = &g->rows[i];
		double speed = 0;
		for (int k = 0; r->hold == CN_ROW_AXIS_HELD && k < 2; ++k) {
			uint32_t link = k ? r->b : r->a;
			const cn_twist *row = k ? &r->row.jb : &r->row.ja;
			if (link != CN_QP_NONE)
				speed += v3_dot(row->v, g->links[link].at.v) +
				         v3_dot(row->w, m3_apply(g->links[link].inverse, g->links[link].at.l));
		}
		if (r->hold == CN_ROW_AXIS_HELD && (r->at == cn_joint_limits(w, r->joint, r->axis).low ? speed > 0 : speed < 0))
			r->hold = CN_ROW_AXIS_FREE, any = true;
	}
	return any;
}

static double kinetic(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double sum = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		sum += cn_kinetic(&w->rotors[g->links[i].slot], &g->links[i].at);
	return sum;
}

static double height(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double sum = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		sum -= w->rotors[g->links[i].slot].mass * v3_dot(w->scene->settings.gravity, g->links[i].at.x);
	return sum;
}

static void stop(cairn_world *w, cn_articulation *art)
{
	cn_articulation_factor(w, art, 1);
	if (free_leavers(w, art))
		cn_articulation_factor(w, art, 1);
	cn_articulation_fix_velocities(w, art, NULL);
}

void cn_articulation_limit(cairn_world *w, cn_articulation *art, cairn_energy *e)
{
	cn_articulations *g = w->context->articulations;
	bool moved = false;
	if (!art->drives || art->result == CN_ARTICULATION_LOST || !hold_limits(w, art))
		return;
	double before = kinetic(w, g, art) + height(w, g, art);
	bool well = draw_together(w, art, &moved) <= cn_articulation_broken(w->context->articulations, art);
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		well &= v3_length(q_turn(g->links[i].cut, g->links[i].at.q)) <= CN_PIECE_TURN; /* since its last key */
	if (!well)
		return; /* left to the rows of the position program */
	stop(w, art);
	e->joints += kinetic(w, g, art) + height(w, g, art) - before;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		w->next[g->links[i].slot] = g->links[i].at;
}

static void load(const cairn_world *w, cn_articulations *g, const cn_articulation *art)
{
	g->trial = true;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		g->links[i].at = w->next[g->links[i].slot];
}

void cn_articulations_project(cairn_world *w)
{
	cn_context *c = w->context;
	cn_articulations *g = c->articulations;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		cn_articulation *art = &g->all[k];
		bool any = false, moved = false;
		for (uint32_t i = art->link; i < art->link + art->links; ++i)
			any |= c->contacts.moved[g->links[i].slot] &&
			       c->paths.by_slot[g->links[i].slot].legs.role == CN_ROLE_UNDER_ROWS;
		if (!any)
			continue;
		load(w, g, art);
		hold_limits(w, art);
		bool well = draw_together(w, art, &moved) <= cn_articulation_broken(w->context->articulations, art);
		for (uint32_t i = art->link; i < art->link + art->links; ++i)
			well &= v3_length(q_turn(c->paths.poses[g->links[i].slot].orientation, g->links[i].at.q)) <= CN_PIECE_TURN;
		for (uint32_t i = art->link; i < art->link + art->links && (moved || !well); ++i) {
			uint32_t slot = g->links[i].slot;
			if (!cn_body_movable(w, slot))
				continue;
			cn_path_under_rows(&c->paths.by_slot[slot]);
			cn_body_move(w, slot, well ? (pose){g->links[i].at.x, g->links[i].at.q} : c->paths.poses[slot]);
		}
	}
}

bool cn_articulations_mend(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_articulations *g = c->articulations;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		cn_articulation *art = &g->all[k];
		bool any = false;
		for (uint32_t i = art->link; i < art->link + art->links; ++i)
			any |= c->paths.by_slot[g->links[i].slot].legs.role == CN_ROLE_UNDER_ROWS;
		if (!any)
			continue;
		load(w, g, art);
		hold_limits(w, art);
		double before = kinetic(w, g, art);
		stop(w, art);
		f->report.energy.joints += kinetic(w, g, art) - before;
		for (uint32_t i = art->link; i < art->link + art->links; ++i) {
			cn_motion *m = &w->next[g->links[i].slot];
			(void)cn_debt_kick(w, g->links[i].slot, v3_sub(g->links[i].at.v, m->v));
			m->v = g->links[i].at.v, m->l = g->links[i].at.l;
		}
	}
	return true;
}

/* rad: turn of the fastest link in a frame. *mean: velocity of the centre of mass; 0 if the articulation is tied to
 * something. */
static double fastest(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, v3 *mean)
{
	double max = 0, mass = 0;
	*mean = v3_zero();
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_rotor *r = &w->rotors[g->links[i].slot];
		const cn_motion *m = &w->next[g->links[i].slot];
		double turn = cn_turn_bound(r, m->q, m->l, 1 / w->scene->settings.fps, CN_SPIN_MAX);
		max = turn > max ? turn : max;
		mass += r->mass, *mean = v3_madd(*mean, m->v, r->mass);
	}
	*mean = v3_scale(*mean, art->tied ? 0 : 1 / mass);
	return max;
}

/* Scales all velocities relative to the mean, which joints allow. Slowing one link alone would violate them. */
void cn_articulations_slow(cairn_world *w, cairn_energy *e)
{
	const cn_articulations *g = w->context->articulations;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		const cn_articulation *art = &g->all[k];
		v3 mean;
		double turn = fastest(w, g, art, &mean);
		for (uint32_t i = art->link; i < art->link + art->links && turn > CN_SPIN_MAX; ++i) {
			cn_motion *m = &w->next[g->links[i].slot];
			e->dropped += cn_kinetic(&w->rotors[g->links[i].slot], m);
			m->v = v3_lerp(mean, m->v, CN_SPIN_MAX / turn), m->l = v3_scale(m->l, CN_SPIN_MAX / turn);
			e->dropped -= cn_kinetic(&w->rotors[g->links[i].slot], m);
		}
	}
}

/* ---- at the frame's end */

void cn_articulations_note(cairn_world *w, cn_frame *f)
{
	const cn_articulations *g = w->context->articulations;
	for (uint32_t i = 0; g && i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		if (!g->stands[i])
			continue;
		double error = cn_joint_error(w, i, cn_joint_side(w->next, j->a), cn_joint_side(w->next, j->b));
		if (error > f->report.joint_error)
			f->report.joint_error = error;
	}
}

void cn_articulations_keep(cairn_world *w, cn_frame *f)
{
	cn_articulations *g = w->context->articulations;
	for (uint32_t i = 0; g && i < w->scene->joint_count; ++i) {
		cn_joint *j = &w->joints[i];
		const cairn_joint_def *d = &w->scene->joints[i];
		uint32_t any = j->a != CN_NO_BODY && w->rotors[j->a].active ? j->a : j->b;
		if (!g->stands[i] || any == CN_NO_BODY || !cn_body_movable(w, any))
			continue;
		double force = v3_length(g->strains[i].force) / w->dt, torque = v3_length(g->strains[i].torque) / w->dt;
		j->force = force < DBL_MAX ? force : DBL_MAX, j->torque = torque < DBL_MAX ? torque : DBL_MAX;
		if (d->type == CAIRN_HINGE)
			j->turn = cn_joint_axis(w, i, 0, cn_joint_side(w->next, j->a), cn_joint_side(w->next, j->b)).off;
		j->broken = j->force > d->break_force || j->torque > d->break_torque;
		f->report.broken += j->broken;
		if (j->broken && j->a != CN_NO_BODY) /* bodies that rested by the joint may do so no longer */
			w->rest_state[j->a].still_frames = 0;
		if (j->broken && j->b != CN_NO_BODY)
			w->rest_state[j->b].still_frames = 0;
	}
}
