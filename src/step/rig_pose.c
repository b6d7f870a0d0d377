/* Rigs that others have moved: brought together again with as little motion as possible, by mass, and stopped from coming
 * apart. Programs see joints as linear rows; these are exact. See rig.h. */
#include "step/rig.h"
#include "step/rotate.h"

/* Newton on the held rows from where the limbs are: M dx = J' y, J dx = -off. What is left of the rows. */
static double draw_together(cairn_world *w, cn_rig *rig, bool *moved)
{
	cn_rigs *g = w->crowd->rigs;
	double *y = g->y, enough = CN_RIG_OFF * rig->size + cn_rig_rounding(g, rig), off = INFINITY;
	for (int round = 0; round <= CN_RIG_CLOSE; ++round) {
		cn_rig_factor(w, rig, 1);
		off = 0;
		for (uint32_t i = 0; i < rig->rows; ++i) {
			const cn_rig_row *r = &g->rows[rig->row + i];
			y[i] = r->held ? -r->row.off : 0;
			off = fabs(y[i]) > off || isnan(y[i]) ? fabs(y[i]) : off;
		}
		if (!(off > enough) || round == CN_RIG_CLOSE)
			break;
		cn_rig_solve(g, rig, y);
		for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
			g->limbs[i].d = (cn_twist){{0, 0, 0}, {0, 0, 0}};
		for (uint32_t i = 0; i < rig->rows; ++i) {
			const cn_rig_row *r = &g->rows[rig->row + i];
			for (int k = 0; r->held && k < 2; ++k) {
				uint32_t limb = k ? r->b : r->a;
				const cn_twist *m = k ? &r->mb : &r->ma;
				if (limb == CN_QP_NONE)
					continue;
				cn_twist *d = &g->limbs[limb].d;
				*d = (cn_twist){v3_madd(d->v, m->v, y[i]), v3_madd(d->w, m->w, y[i])};
			}
		}
		for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i) {
			cn_limb *l = &g->limbs[i];
			l->at.x = v3_add(l->at.x, l->d.v);
			l->at.q = q_unit(q_mul(q_exp(l->d.w), l->at.q));
		}
		*moved = true;
	}
	return off;
}

/* Holds what has gone past its limits there, and lets go of the rest. Returns whether there is any. */
static bool hold_ways(cairn_world *w, const cn_rig *rig)
{
	cn_rigs *g = w->crowd->rigs;
	bool any = false;
	for (uint32_t i = rig->row; i < rig->row + rig->rows; ++i) {
		cn_rig_row *r = &g->rows[i];
		const cn_joint *j = &w->joints[r->joint];
		if (!r->way)
			continue;
		double value = cn_rig_way(w, r, 1).off, slack = CN_UNIT_ROUNDING * (1 + fabs(value));
		r->held = value <= j->low + slack || value >= j->high - slack;
		r->at = value <= j->low + slack ? j->low : j->high;
		any |= r->held;
	}
	return any;
}

/* Ways at a limit that move away from it are let go. Whether any are. */
static bool free_leavers(cairn_world *w, const cn_rig *rig)
{
	cn_rigs *g = w->crowd->rigs;
	bool any = false;
	for (uint32_t i = rig->row; i < rig->row + rig->rows; ++i) {
		cn_rig_row *r = &g->rows[i];
		double speed = 0;
		for (int k = 0; r->way && r->held && k < 2; ++k) {
			uint32_t limb = k ? r->b : r->a;
			const cn_twist *row = k ? &r->row.jb : &r->row.ja;
			if (limb != CN_QP_NONE)
				speed += v3_dot(row->v, g->limbs[limb].at.v) +
				         v3_dot(row->w, m3_apply(g->limbs[limb].inverse, g->limbs[limb].at.l));
		}
		if (r->way && r->held && (r->at == w->joints[r->joint].low ? speed > 0 : speed < 0))
			r->held = false, any = true;
	}
	return any;
}

static double kinetic(const cairn_world *w, const cn_rigs *g, const cn_rig *rig)
{
	double sum = 0;
	for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
		sum += cn_kinetic(&w->rotors[g->limbs[i].slot], &g->limbs[i].at);
	return sum;
}

static double height(const cairn_world *w, const cn_rigs *g, const cn_rig *rig)
{
	double sum = 0;
	for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
		sum -= w->rotors[g->limbs[i].slot].mass * v3_dot(w->scene->settings.gravity, g->limbs[i].at.x);
	return sum;
}

static void stop(cairn_world *w, cn_rig *rig)
{
	cn_rig_factor(w, rig, 1);
	if (free_leavers(w, rig))
		cn_rig_factor(w, rig, 1);
	cn_rig_stop(w, rig, NULL);
}

void cn_rig_limit(cairn_world *w, cn_rig *rig, cairn_energy *e)
{
	cn_rigs *g = w->crowd->rigs;
	bool moved = false;
	if (!rig->drives || rig->lost || !hold_ways(w, rig))
		return;
	double before = kinetic(w, g, rig) + height(w, g, rig);
	bool well = draw_together(w, rig, &moved) <= CN_RIG_LOST * rig->size;
	for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
		well &= v3_length(q_turn(g->limbs[i].cut, g->limbs[i].at.q)) <= CN_PIECE_TURN; /* from its last key */
	if (!well)
		return; /* rows of the position program go on with it */
	stop(w, rig);
	e->joints += kinetic(w, g, rig) + height(w, g, rig) - before;
	for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
		w->next[g->limbs[i].slot] = g->limbs[i].at;
}

static void load(const cairn_world *w, cn_rigs *g, const cn_rig *rig)
{
	g->trial = true;
	for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
		g->limbs[i].at = w->next[g->limbs[i].slot];
}

void cn_rigs_project(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	cn_rigs *g = c->rigs;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		cn_rig *rig = &g->rigs[k];
		bool any = false, moved = false;
		for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
			any |= c->ways[g->limbs[i].slot].moved && c->ways[g->limbs[i].slot].busy;
		if (!any)
			continue;
		load(w, g, rig);
		hold_ways(w, rig);
		bool well = draw_together(w, rig, &moved) <= CN_RIG_LOST * rig->size;
		for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
			well &= v3_length(q_turn(c->poses[g->limbs[i].slot].orientation, g->limbs[i].at.q)) <= CN_PIECE_TURN;
		for (uint32_t i = rig->limb; i < rig->limb + rig->limbs && (moved || !well); ++i) {
			uint32_t slot = g->limbs[i].slot;
			if (!cn_crowd_movable(w, slot))
				continue;
			const pose *from = &c->poses[slot];
			w->next[slot].x = well ? g->limbs[i].at.x : from->position;
			w->next[slot].q = well ? g->limbs[i].at.q : from->orientation;
			c->ways[slot].moved = c->ways[slot].busy = true;
			cn_crowd_place(w, slot);
		}
	}
}

void cn_rigs_mend(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	cn_rigs *g = c->rigs;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		cn_rig *rig = &g->rigs[k];
		bool any = false;
		for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i)
			any |= c->ways[g->limbs[i].slot].busy;
		if (!any)
			continue;
		load(w, g, rig);
		hold_ways(w, rig);
		double before = kinetic(w, g, rig);
		stop(w, rig);
		f->report.energy.joints += kinetic(w, g, rig) - before;
		for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i) {
			cn_motion *m = &w->next[g->limbs[i].slot];
			(void)cn_debt_kick(w, g->limbs[i].slot, v3_sub(g->limbs[i].at.v, m->v));
			m->v = g->limbs[i].at.v, m->l = g->limbs[i].at.l;
		}
	}
}

/* How far the fastest limb of a rig turns in a frame; *mean: how the rig flies, 0 where it is tied to something. */
static double fastest(const cairn_world *w, const cn_rigs *g, const cn_rig *rig, v3 *mean)
{
	double most = 0, mass = 0;
	*mean = v3_zero();
	for (uint32_t i = rig->limb; i < rig->limb + rig->limbs; ++i) {
		const cn_rotor *r = &w->rotors[g->limbs[i].slot];
		const cn_motion *m = &w->next[g->limbs[i].slot];
		double turn = cn_turn_bound(r, m->q, m->l, 1 / w->scene->settings.fps, CN_SPIN_MOST);
		most = turn > most ? turn : most;
		mass += r->mass, *mean = v3_madd(*mean, m->v, r->mass);
	}
	*mean = v3_scale(*mean, rig->tied ? 0 : 1 / mass);
	return most;
}

/* All velocities about the mean shrink alike, which joints allow: one limb's alone would tear at them. */
void cn_rigs_slow(cairn_world *w, cairn_energy *e)
{
	const cn_rigs *g = w->crowd->rigs;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		const cn_rig *rig = &g->rigs[k];
		v3 mean;
		double turn = fastest(w, g, rig, &mean);
		for (uint32_t i = rig->limb; i < rig->limb + rig->limbs && turn > CN_SPIN_MOST; ++i) {
			cn_motion *m = &w->next[g->limbs[i].slot];
			e->dropped += cn_kinetic(&w->rotors[g->limbs[i].slot], m);
			m->v = v3_lerp(mean, m->v, CN_SPIN_MOST / turn), m->l = v3_scale(m->l, CN_SPIN_MOST / turn);
			e->dropped -= cn_kinetic(&w->rotors[g->limbs[i].slot], m);
		}
	}
}

/* ---- at the frame's end */

void cn_rigs_note(cairn_world *w, cn_frame *f)
{
	const cn_rigs *g = w->crowd->rigs;
	for (uint32_t i = 0; g && i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		if (!g->stands[i])
			continue;
		double error = cn_joint_error(w, i, cn_joint_side(w->next, j->a), cn_joint_side(w->next, j->b));
		if (error > f->report.joint_error)
			f->report.joint_error = error;
	}
}

void cn_rigs_keep(cairn_world *w, cn_frame *f)
{
	cn_rigs *g = w->crowd->rigs;
	for (uint32_t i = 0; g && i < w->scene->joint_count; ++i) {
		cn_joint *j = &w->joints[i];
		const cairn_joint_def *d = &w->scene->joints[i];
		uint32_t any = j->a != CN_NO_BODY && w->rotors[j->a].active ? j->a : j->b;
		if (!g->stands[i] || any == CN_NO_BODY || !cn_crowd_movable(w, any))
			continue;
		double force = v3_length(g->strains[i].force) / w->dt, torque = v3_length(g->strains[i].torque) / w->dt;
		j->force = force < DBL_MAX ? force : DBL_MAX, j->torque = torque < DBL_MAX ? torque : DBL_MAX;
		if (d->type == CAIRN_HINGE)
			j->turn = cn_joint_way(w, i, cn_joint_side(w->next, j->a), cn_joint_side(w->next, j->b)).off;
		j->broken = j->force > d->break_force || j->torque > d->break_torque;
		f->report.broken += j->broken;
		if (j->broken && j->a != CN_NO_BODY) /* what was at rest by it may be so no longer */
			w->repose[j->a].calm = 0;
		if (j->broken && j->b != CN_NO_BODY)
			w->repose[j->b].calm = 0;
	}
}
