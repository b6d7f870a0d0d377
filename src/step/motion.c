/* Where each body goes if it is alone: the centre on its parabola, the body turning freely, scripted bodies by their
 * script. A body that turns far within the frame gets keys inside it, so that the motion between keys (straight line, one
 * axis, at most a quarter turn) is unambiguous. */
#include "base/tolerance.h"
#include "step/rotate.h"
#include "step/script.h"
#include "step/stages.h"

/* The next state grows in w->next, which holds the velocities of the frame's end already. */
static void move_body(cairn_world *w, uint32_t i, uint32_t extra)
{
	const cn_motion *from = &w->motion[i];
	const cn_rotor *r = &w->rotors[i];
	cn_motion *to = &w->next[i];
	uint32_t pieces = w->pieces[i];
	v3 v0 = from->v, v1 = to->v;
	double dt = w->dt;
	quat q = from->q;
	v3 l = cn_mean_momentum(w, i);
	for (uint32_t k = 1; k < pieces; ++k) {
		double t = dt * k / pieces, share = (double)k / pieces;
		quat next = cn_rotate_free(r, q, l, dt / pieces);
		v3 v = v3_lerp(v0, v1, share);
		w->next_extras[extra++] = (cn_extra){i,
		                                     {.time = (w->frame + share) / w->scene->settings.fps,
		                                      .position = v3_madd(from->x, v3_add(v0, v), 0.5 * t),
		                                      .orientation = next,
		                                      .velocity = v,
		                                      .spin = cn_spin(r, next, v3_lerp(from->l, to->l, share)),
		                                      .turn = q_turn(q, next)}};
		q = next;
	}
	to->x = v3_madd(from->x, v3_add(v0, v1), 0.5 * dt);
	to->q = cn_rotate_free(r, q, l, dt / pieces);
}

/* Bodies whose rotation is worked out two at a time: one waits for the next. */
typedef struct waiting {
	cn_spinner spinner;
	uint32_t slot;
	bool full;
} waiting;

static void move_paired(cairn_world *w, uint32_t i, waiting *first)
{
	const cn_motion *from = &w->motion[i];
	cn_motion *to = &w->next[i];
	cn_spinner s = {&w->rotors[i], from->q, cn_mean_momentum(w, i)};
	to->x = v3_madd(from->x, v3_add(from->v, to->v), 0.5 * w->dt);
	if (!first->full) {
		*first = (waiting){s, i, true};
		return;
	}
	cn_rotate_pair(&first->spinner, &s, w->dt);
	w->next[first->slot].q = first->spinner.q;
	to->q = s.q;
	first->full = false;
}

static void move_last(cairn_world *w, waiting *first)
{
	cn_spinner twin = first->spinner;
	if (!first->full)
		return;
	cn_rotate_pair(&first->spinner, &twin, w->dt);
	w->next[first->slot].q = first->spinner.q;
}

/* A scripted body's velocity at a key is that of the piece that ends there. */
static void move_script(cairn_world *w, uint32_t i, uint32_t extra)
{
	const cn_body *b = &w->bodies[i];
	cn_motion *to = &w->next[i];
	double times[CN_MAX_PIECES], t0 = cairn_world_time(w);
	uint32_t count = cn_script_cuts(w, b, times);
	pose from = {w->motion[i].x, w->motion[i].q};
	for (uint32_t k = 0; k < count; ++k) {
		pose p = cn_script_center(b, times[k]);
		p.orientation = q_unit(p.orientation);
		if (q_dot(p.orientation, from.orientation) < 0)
			p.orientation = q_neg(p.orientation);
		double rate = 1 / (times[k] - t0);
		v3 turn = q_turn(from.orientation, p.orientation);
		*to = (cn_motion){p.position, p.orientation, v3_scale(v3_sub(p.position, from.position), rate),
		                  v3_scale(turn, rate)};
		if (k + 1 < count)
			w->next_extras[extra++] = (cn_extra){i, {times[k], to->x, to->q, to->v, to->l, turn}};
		from = p;
		t0 = times[k];
	}
}

static bool finite(const cn_motion *m)
{
	return v3_finite(m->x) && q_finite(m->q) && v3_finite(m->v) && v3_finite(m->l);
}

static void measure_chunk(cairn_world *w, cn_chunk *sum, uint32_t start, uint32_t end)
{
	v3 gravity = w->scene->settings.gravity;
	for (uint32_t i = start; i < end; ++i) {
		const cn_rotor *r = &w->rotors[i];
		if (r->active) {
			sum->kinetic += cn_kinetic(r, &w->next[i]);
			sum->potential -= r->mass * v3_dot(gravity, w->next[i].x);
		}
		if (!finite(&w->next[i]) && !sum->bad)
			sum->bad = i + 1, sum->status = CAIRN_STEP_NOT_FINITE;
	}
	for (uint32_t k = sum->extra_start; k < sum->extra_start + sum->extras; ++k) {
		const cairn_key *key = &w->next_extras[k].key;
		if (!(v3_finite(key->position) && q_finite(key->orientation) && v3_finite(key->velocity) &&
		      v3_finite(key->spin)) &&
		    !sum->bad)
			sum->bad = w->next_extras[k].slot + 1, sum->status = CAIRN_STEP_NOT_FINITE;
	}
}

static void move_chunk(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	cn_chunk *sum = &w->chunks[chunk];
	uint32_t extra = sum->extra_start;
	waiting first = {.full = false};
	uint32_t end = (chunk + 1) * CN_CHUNK < w->slots ? (chunk + 1) * CN_CHUNK : w->slots;
	for (uint32_t i = chunk * CN_CHUNK; i < end; ++i) {
		const cn_rotor *r = &w->rotors[i];
		if (r->active && w->pieces[i] == 1 && r->kind == CN_ROTOR_GENERAL)
			move_paired(w, i, &first);
		else if (r->active)
			move_body(w, i, extra);
		else if (w->bodies[i].alive && w->bodies[i].type == CAIRN_SCRIPTED)
			move_script(w, i, extra);
		else
			continue;
		extra += w->pieces[i] - 1u;
	}
	move_last(w, &first);
	measure_chunk(w, sum, chunk * CN_CHUNK, end);
}

bool cn_motion_free(cairn_world *w, cn_frame *f)
{
	cairn_energy *e = &f->report.energy;
	cn_pool_run(w->pool, cn_world_chunks(w), move_chunk, w);
	for (uint32_t c = 0; c < cn_world_chunks(w); ++c) {
		if (w->chunks[c].bad) {
			f->report.status = (cairn_status)w->chunks[c].status;
			f->report.pair_a = (cairn_body){w->chunks[c].bad - 1, w->bodies[w->chunks[c].bad - 1].generation};
			return false;
		}
		e->kinetic += w->chunks[c].kinetic;
		e->potential += w->chunks[c].potential;
	}
	return true;
}
