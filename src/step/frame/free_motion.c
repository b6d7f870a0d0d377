/* Free motion: where each body goes if it is alone. Its centre moves on a parabola while it rotates freely; scripted
 * bodies follow their scripts. A body that turns far within the frame gets keys inside it, so that the motion between
 * keys (straight line, one axis, at most a quarter turn) is unambiguous. */
#include "step/frame/free_motion.h"
#include "base/tolerance.h"
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/motion/script.h"
#include "step/stages.h"
#include "step/tolerance.h"

/* Number of pieces of a body's motion in the frame; 0: more than a frame can hold. */
static uint32_t count_pieces(const cairn_world *w, uint32_t slot)
{
	if (w->bodies[slot].type == CAIRN_SCRIPTED) {
		double times[CN_MAX_PIECES];
		return cn_script_cuts(&w->bodies[slot], cn_script_span(w, &w->bodies[slot]), times);
	}
	double turn = cn_turn_bound(&w->rotors[slot], w->motion[slot].q, cn_mean_momentum(w, slot), w->dt, CN_PIECE_TURN);
	if (!(turn < CN_PIECE_TURN * CN_MAX_PIECES))
		return 0;
	uint32_t pieces = 1 + (uint32_t)(turn * (1 / CN_PIECE_TURN));
	return pieces < CN_MAX_PIECES ? pieces : CN_MAX_PIECES;
}

static bool still(v3 a, v3 b) { return a.x == 0 && a.y == 0 && a.z == 0 && b.x == 0 && b.y == 0 && b.z == 0; }

/* A body that does not move keeps its pose to the bit. */
static bool moves(const cairn_world *w, uint32_t slot)
{
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	if (w->away[slot])
		return false;
	if (w->rotors[slot].active)
		return !w->rest_state[slot].asleep && !(still(from->v, from->l) && still(to->v, to->l));
	return w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED;
}

static void count_chunk(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	cn_chunk *sum = &w->chunks[chunk];
	*sum = (cn_chunk){0};
	uint32_t end = cn_pool_end(chunk, CN_CHUNK, w->slots);
	for (uint32_t i = chunk * CN_CHUNK; i < end; ++i) {
		uint32_t linked = moves(w, i) ? cn_joints_pieces(w, i) : 0;
		uint32_t pieces = linked > CN_MAX_PIECES ? 0 : linked ? linked : moves(w, i) ? count_pieces(w, i) : 1;
		w->pieces[i] = (uint8_t)pieces;
		sum->extras += pieces ? pieces - 1 : 0;
		if (!pieces && !sum->bad)
			sum->bad = i + 1, sum->status = CAIRN_STEP_SPIN;
	}
}

/* False: some body cannot be moved, and the report says which and why. */
static bool all_well(const cairn_world *w, cn_frame *f)
{
	for (uint32_t c = 0; c < cn_world_chunks(w); ++c) {
		const cn_chunk *sum = &w->chunks[c];
		if (!sum->bad)
			continue;
		f->report.status = (cairn_status)sum->status;
		f->report.pair_a = cn_handle(w, sum->bad - 1);
		return false;
	}
	return true;
}

/* Makes room for keys inside the frame, each chunk having its own. */
static bool make_room(cairn_world *w, cn_frame *f)
{
	uint64_t extras = 0;
	cn_pool_run(w->pool, cn_world_chunks(w), count_chunk, w);
	if (!all_well(w, f))
		return false;
	for (uint32_t c = 0; c < cn_world_chunks(w); ++c) {
		w->chunks[c].extra_start = (uint32_t)extras;
		extras += w->chunks[c].extras;
	}
	if (extras > UINT32_MAX / 4 || !cn_grow(&w->allocator, (void **)&w->next_extras, &w->next_extra_capacity,
	                                        (uint32_t)extras, sizeof *w->next_extras)) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	w->next_extra_count = f->report.extra_keys = (uint32_t)extras;
	return true;
}

/* Writes the pose into w->next, which holds the velocities at the frame's end already. */
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
		cn_motion at = {v3_madd(from->x, v3_add(v0, v), 0.5 * t), next, v, v3_lerp(from->l, to->l, share)};
		w->next_extras[extra++] = (cn_extra){i, cn_key_of(w, i, &at, cn_step_time(w, share), q_turn(q, next))};
		q = next;
	}
	to->x = v3_madd(from->x, v3_add(v0, v1), 0.5 * dt);
	to->q = cn_rotate_free(r, q, l, dt / pieces);
}

/* General bodies are rotated two at a time. One waits for the next. */
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

/* The velocity of a scripted body at a key is that of the piece that ends there. A clock that catches up runs faster
 * than the world's. */
void cn_script_move(cairn_world *w, uint32_t i, uint32_t extra)
{
	const cn_body *b = &w->bodies[i];
	cn_motion *to = &w->next[i];
	cn_span span = cn_script_span(w, b);
	double times[CN_MAX_PIECES], t0 = span.from, now = cn_step_time(w, 0);
	double faster = b->lag > 0 ? (span.to - span.from) / w->dt : 1;
	uint32_t count = cn_script_cuts(b, span, times);
	pose from = {w->motion[i].x, w->motion[i].q};
	for (uint32_t k = 0; k < count; ++k) {
		pose p = cn_script_at(b, times[k], from.orientation);
		double rate = faster / (times[k] - t0), time = b->lag > 0 ? now + (times[k] - span.from) / faster : times[k];
		v3 turn = q_turn(from.orientation, p.orientation);
		*to = (cn_motion){p.position, p.orientation, v3_scale(v3_sub(p.position, from.position), rate),
		                  v3_scale(turn, rate)};
		if (k + 1 < count)
			w->next_extras[extra++] = (cn_extra){i, cn_key_of(w, i, to, time, turn)};
		from = p;
		t0 = times[k];
	}
}

static bool finite(const cn_motion *m)
{
	return v3_finite(m->x) && q_finite(m->q) && v3_finite(m->v) && v3_finite(m->l);
}

/* Sums the energy error of free rotation, which should conserve it, and finds values that are not finite. */
static void measure_chunk(cairn_world *w, cn_chunk *sum, uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i < end; ++i) {
		const cn_rotor *r = &w->rotors[i];
		if (r->active && r->kind != CN_ROTOR_BALL && !cn_joints_pieces(w, i)) {
			cn_motion before = w->next[i];
			before.q = w->motion[i].q;
			sum->drift += cn_kinetic(r, &w->next[i]) - cn_kinetic(r, &before);
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
	uint32_t end = cn_pool_end(chunk, CN_CHUNK, w->slots);
	for (uint32_t i = chunk * CN_CHUNK; i < end; ++i) {
		const cn_rotor *r = &w->rotors[i];
		if (!moves(w, i))
			continue;
		if (r->active && cn_joints_pieces(w, i))
			cn_articulation_keys(w, i, extra);
		else if (r->active && w->pieces[i] == 1 && r->kind == CN_ROTOR_GENERAL)
			move_paired(w, i, &first);
		else if (r->active)
			move_body(w, i, extra);
		else
			cn_script_move(w, i, extra);
		extra += w->pieces[i] - 1u;
	}
	move_last(w, &first);
	measure_chunk(w, sum, chunk * CN_CHUNK, end);
}

bool cn_motion_free(cairn_world *w, cn_frame *f)
{
	if (!cn_joints_set_targets(w, f) || !make_room(w, f))
		return false;
	cn_pool_run(w->pool, cn_world_chunks(w), move_chunk, w);
	for (uint32_t c = 0; c < cn_world_chunks(w); ++c)
		f->report.energy.drift += w->chunks[c].drift;
	return all_well(w, f);
}
