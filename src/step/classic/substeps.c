/* The frame of a classic method: substeps, the keys that show them, and a way back if the frame is refused. */
#include "step/classic/classic.h"
#include "step/frame/free_motion.h"
#include "step/motion/script.h"

#include <float.h>
#include <string.h>

enum {
	IMPACT_KEYS = CN_MAX_PIECES / 2
}; /* keys of a body in a frame that impacts may ask for; the rest is left for turning */

static cn_classic *classic_of(cairn_world *w)
{
	cn_context *c = w->context;
	if (!c->classic)
		c->classic = cn_alloc(&w->allocator, 1, sizeof *c->classic);
	return c->classic;
}

void cn_classic_destroy(cairn_world *w)
{
	cn_classic *k = w->context ? w->context->classic : NULL;
	const cairn_allocator *a = &w->allocator;
	if (!k)
		return;
	cn_free(a, k->frame.spare, k->frame.spare_room, sizeof *k->frame.spare);
	cn_free(a, k->frame.memory.pairs, k->frame.memory.pair_capacity, sizeof *k->frame.memory.pairs);
	cn_free(a, k->frame.memory.points, k->frame.memory.point_capacity, sizeof *k->frame.memory.points);
	cn_free(a, k, 1, sizeof *k);
	w->context->classic = NULL;
}

static bool refuse(cn_frame *f, cairn_status status)
{
	f->report.status = status;
	return false;
}

/* ---- begin */

/* The spare array takes the place of the world's own for a frame, so it has the same size. */
static bool make_spare(cairn_world *w, cn_classic *k)
{
	if (k->frame.spare_room == w->capacity)
		return true;
	cn_free(&w->allocator, k->frame.spare, k->frame.spare_room, sizeof *k->frame.spare);
	k->frame.spare = cn_alloc(&w->allocator, w->capacity, sizeof *k->frame.spare);
	k->frame.spare_room = k->frame.spare ? w->capacity : 0;
	return k->frame.spare;
}

static bool make_room(cairn_world *w, cn_classic *k)
{
	uint32_t slots = w->slots + 1;
	return CN_ROOM(k->keys.places, slots) && CN_ROOM(k->keys.last, slots) && CN_ROOM(k->keys.marked, slots) &&
	       CN_ROOM(k->keys.counts, slots) &&
	       CN_GROW(k->frame.memory.pairs, k->frame.memory.pair_capacity, w->memory.pair_count + 1) &&
	       CN_GROW(k->frame.memory.points, k->frame.memory.point_capacity, w->memory.point_count + 1) &&
	       make_spare(w, k);
}

static void copy_memory(cn_memory *to, const cn_memory *from)
{
	if (from->pair_count)
		memcpy(to->pairs, from->pairs, from->pair_count * sizeof *to->pairs);
	if (from->point_count)
		memcpy(to->points, from->points, from->point_count * sizeof *to->points);
	to->pair_count = from->pair_count, to->point_count = from->point_count;
}

bool cn_classic_begin(cairn_world *w, cn_frame *f)
{
	cn_classic *k = cn_context_begin(w) ? classic_of(w) : NULL;
	if (!k || !make_room(w, k))
		return refuse(f, CAIRN_STEP_MEMORY);
	uint32_t usual = cn_registry_method(w->scene->settings.method)->substeps,
			 asked = cn_option_count(w->scene->options.substeps, CN_AUTO);
	w->step = 0, w->steps = f->report.steps = asked == CN_AUTO ? usual : asked;
	w->dt = 1 / w->scene->settings.fps / w->steps;
	copy_memory(&k->frame.memory, &w->memory);
	k->frame.first = w->motion, w->motion = k->frame.spare, k->frame.spare = NULL;
	if (w->slots) {
		memcpy(w->motion, k->frame.first, w->slots * sizeof *w->motion);
		memset(k->keys.counts, 0, w->slots);
		memset(k->keys.marked, 0, w->slots);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		k->keys.last[slot] = w->motion[slot].q;
	k->keys.count = 0, k->point_count = 0, k->hold.on = false, k->hold.moment = 0, k->struck = 0;
	k->frame.under_way = true;
	return true;
}

void cn_classic_mark(cairn_world *w, uint32_t slot) { w->context->classic->keys.marked[slot] = 1; }

/* ---- keys */

static bool put_key(cairn_world *w, cn_classic *k, cn_extra key)
{
	if (!CN_ROOM(k->keys.items, k->keys.count + 1))
		return false;
	k->keys.items[k->keys.count++] = key;
	k->keys.last[key.slot] = key.key.orientation;
	if (k->keys.counts[key.slot] < UINT8_MAX)
		++k->keys.counts[key.slot];
	return true;
}

/* A key where the substep begins; not at the frame's start, where there is one. */
static bool put_start(cairn_world *w, cn_classic *k, uint32_t slot)
{
	const cn_motion *at = &w->motion[slot];
	double time = cn_step_time(w, 0);
	if (w->step == 0 && !(w->part.from > 0))
		return true;
	return put_key(w, k, (cn_extra){slot, cn_key_of(w, slot, at, time, q_turn(k->keys.last[slot], at->q))});
}

/* Keys of a finished substep. Scripted bodies get theirs at the end of the frame. */
static bool keep_keys(cairn_world *w, cn_classic *k)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_extra *extras;
		bool marked = k->keys.marked[slot];
		k->keys.marked[slot] = 0;
		if (!w->rotors[slot].active)
			continue;
		uint32_t count = cn_extras_find(w->next_extras, w->next_extra_count, slot, &extras);
		bool far = v3_length(q_turn(k->keys.last[slot], w->next[slot].q)) > CN_PIECE_TURN;
		bool wanted = marked && k->keys.counts[slot] < IMPACT_KEYS;
		if ((count || far || wanted) && !put_start(w, k, slot))
			return false;
		for (uint32_t i = 0; i < count; ++i)
			if (!put_key(w, k, extras[i]))
				return false;
	}
	return true;
}

/* How many keys a scripted body has inside the whole frame. */
static uint32_t script_keys(const cairn_world *w, uint32_t slot)
{
	double times[CN_MAX_PIECES];
	return cn_script_cuts(&w->bodies[slot], cn_script_span(w, &w->bodies[slot]), times) - 1;
}

/* w->next_extras: the keys of all substeps, by slot, then time. w->motion is that of the frame's start again. */
static bool order_keys(cairn_world *w, cn_classic *k, cn_frame *f)
{
	uint32_t all = 0;
	memset(k->keys.places, 0, w->slots * sizeof *k->keys.places);
	for (uint32_t i = 0; i < k->keys.count; ++i)
		++k->keys.places[k->keys.items[i].slot];
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_body *b = &w->bodies[slot];
		uint32_t count = b->alive && b->type == CAIRN_SCRIPTED ? script_keys(w, slot) : k->keys.places[slot];
		k->keys.places[slot] = all;
		if (count >= CN_MAX_PIECES) {
			f->report.pair_a = cn_handle(w, slot);
			return refuse(f, CAIRN_STEP_SPIN);
		}
		w->pieces[slot] = (uint8_t)(b->alive ? count + 1 : 0);
		all += count;
	}
	if (!CN_GROW(w->next_extras, w->next_extra_capacity, all + 1))
		return refuse(f, CAIRN_STEP_MEMORY);
	w->next_extra_count = f->report.extra_keys = all;
	for (uint32_t i = 0; i < k->keys.count; ++i)
		w->next_extras[k->keys.places[k->keys.items[i].slot]++] = k->keys.items[i];
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED)
			cn_script_move(w, slot, k->keys.places[slot]);
	return true;
}

/* ---- from substep to substep, and the end */

/* w->motion is that of the frame's start again, and a step is a frame. */
static void go_back(cairn_world *w, cn_classic *k)
{
	k->frame.spare = w->motion;
	w->motion = k->frame.first, k->frame.first = NULL;
	w->step = 0, w->steps = 1, w->dt = 1 / w->scene->settings.fps;
	w->part.from = w->part.length = 0;
}

bool cn_classic_next(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context ? w->context->classic : NULL;
	if (!k || !k->frame.first) /* the frame did not even begin */
		return false;
	if (f->report.status == CAIRN_STEP_OK && !keep_keys(w, k))
		f->report.status = CAIRN_STEP_MEMORY;
	bool over = w->part.length > 0 ? !(w->part.from + w->part.length < 1 - 4 * DBL_EPSILON) : w->step + 1 == w->steps;
	if (f->report.status == CAIRN_STEP_OK && !over) {
		cn_motion *old = w->motion;
		w->motion = w->next, w->next = old;
		++w->step;
		w->part.from += w->part.length;
		return true;
	}
	go_back(w, k);
	if (f->report.status == CAIRN_STEP_OK)
		(void)order_keys(w, k, f);
	return false;
}

cairn_step_report cn_classic_end(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context ? w->context->classic : NULL;
	if (k && k->frame.under_way && f->report.status != CAIRN_STEP_OK) {
		copy_memory(&w->memory, &k->frame.memory);
		w->memory.stamp = 0;
	}
	if (k)
		k->frame.under_way = false;
	return cn_frame_end(w, f);
}
