/* The certificate of a frame. The result of the step is handed over as keys, and the independent check (check/frame.h)
 * tells whether bodies overlap at a key or pass through each other between two. A frame that fails is refused, unless it is
 * only measured: then what was found stands in the report.
 *
 * The check remembers the last frame, for speed and to see that this one continues it. That is no state: its answers
 * are the same without. */
#include "check/frame.h"
#include "step/frame/repeat.h"
#include "step/hooks.h"
#include "step/stages.h"

static uint32_t add_keys(const cairn_world *w, uint32_t slot, cn_check_key *keys)
{
	const cn_extra *extras;
	uint32_t count = cn_extras_find(w->next_extras, w->next_extra_count, slot, &extras);
	double begin = cairn_world_time(w);
	quat q = w->motion[slot].q;
	for (uint32_t i = 0; extras && i < count; ++i) {
		const cairn_key *key = &extras[i].key;
		keys[i] =
			(cn_check_key){(key->time - begin) * w->scene->settings.fps, key->position, key->orientation, key->turn};
		q = key->orientation;
	}
	const cn_motion *end = &w->next[slot];
	keys[count] = (cn_check_key){1, end->x, end->q, q_turn(q, end->q)}; /* the turn that recordings store */
	return count + 1;
}

/* moving: with the keys that show the bodies' motion; else every body stands. */
static bool fill_frame(cairn_world *w, bool keys_only, bool moving)
{
	uint32_t keys = 0, max = moving ? w->slots + w->next_extra_count : 0;
	const uint64_t *held;
	uint32_t exempt = cn_joints_exempt_pairs(w, &held);
	cn_check_frame *f = cn_certifier_frame(w->certifier, w->slots, max, exempt);
	if (!f)
		return false;
	f->number = (uint64_t)w->frame + 1, f->keys_only = keys_only;
	for (uint32_t i = 0; i < w->slots; ++i) {
		const cn_body *b = &w->bodies[i];
		if (!b->alive)
			continue;
		f->bodies[i] = (cn_check_body){.name = (uint64_t)b->serial + 1,
		                               .shape = b->shape,
		                               .center = b->center,
		                               .group = b->group,
		                               .mask = b->mask,
		                               .dynamic = b->type == CAIRN_DYNAMIC,
		                               .fresh = b->birth == w->frame,
		                               .x0 = w->motion[i].x,
		                               .q0 = w->motion[i].q,
		                               .key_first = keys};
		if (moving && b->type != CAIRN_FIXED)
			keys += f->bodies[i].key_count = add_keys(w, i, f->keys + keys);
	}
	f->key_count = keys;
	for (uint32_t i = 0; i < exempt; ++i)
		f->exempt[i] = held[i];
	f->exempt_count = exempt;
	return true;
}

static cairn_body named(const cairn_world *w, uint32_t slot)
{
	return slot == CN_CHECK_NONE ? (cairn_body){0, 0} : cn_handle(w, slot);
}

static bool refuse(cn_frame *f, cairn_status status)
{
	f->report.status = status;
	return false;
}

static void tell(const cn_check_result *r, cairn_certificate *c)
{
	c->verdict = r->overlaps ? CAIRN_OVERLAP : r->passages ? CAIRN_PASSAGE : CAIRN_CLEAN;
	c->pairs = r->pairs, c->intervals = r->intervals, c->overlaps = r->overlaps, c->passages = r->passages;
	c->min_gap = r->min_gap, c->rounding_bound = r->bound;
}

/* Books what was found in a frame that is shown whatever it is. */
static void measure(const cairn_world *w, const cn_check_result *r, cairn_step_report *report)
{
	bool overlaps = r->overlaps > 0 && r->min_gap < 0;
	report->measured = true;
	report->depth = overlaps ? -r->min_gap : 0;
	report->deep_a = named(w, overlaps ? r->min_a : CN_CHECK_NONE);
	report->deep_b = named(w, overlaps ? r->min_b : CN_CHECK_NONE);
	if (r->min_gap < report->min_gap) {
		report->min_gap = r->min_gap;
		report->pair_a = named(w, r->min_a), report->pair_b = named(w, r->min_b);
	}
}

bool cn_certify_again(cairn_world *w, cairn_certificate *c)
{
	cn_check_result r;
	cn_certify_mode mode = cn_scene_certify(w->scene);
	if (mode == CN_CERTIFY_OFF)
		return true;
	if (!w->certifier || !fill_frame(w, mode == CN_CERTIFY_KEYS, false) || !cn_certifier_again(w->certifier, &r))
		return false;
	tell(&r, c);
	return true;
}

bool cn_certify(cairn_world *w, cn_frame *f)
{
	cn_certify_mode mode = cn_scene_certify(w->scene);
	cairn_error error = {0};
	cairn_certificate *c = &f->report.certificate;
	*c = (cairn_certificate){.min_gap = INFINITY};
	if (mode == CN_CERTIFY_OFF)
		return true;
	if (!w->certifier && !(w->certifier = cn_certifier_create(&w->allocator)))
		return refuse(f, CAIRN_STEP_MEMORY);
	if (!cn_certifier_shapes(w->certifier, w->scene->shapes, w->scene->shape_count, &error)) {
		c->verdict =
			error.code == CAIRN_MEMORY ? CAIRN_UNCHECKED : CAIRN_PASSAGE; /* a shape is not what it claims to be */
		return refuse(f, error.code == CAIRN_MEMORY ? CAIRN_STEP_MEMORY : CAIRN_STEP_UNCERTIFIED);
	}
	cn_check_result r;
	if (!fill_frame(w, mode == CN_CERTIFY_KEYS, true) || !cn_certifier_check(w->certifier, w->pool, &r))
		return refuse(f, CAIRN_STEP_MEMORY);
	tell(&r, c);
	if (mode == CN_CERTIFY_MEASURE) {
		measure(w, &r, &f->report);
	} else if (c->verdict != CAIRN_CLEAN) {
		f->report.pair_a = named(w, r.first.a), f->report.pair_b = named(w, r.first.b);
		return refuse(f, CAIRN_STEP_UNCERTIFIED);
	}
	cn_certifier_keep(w->certifier);
	return true;
}
