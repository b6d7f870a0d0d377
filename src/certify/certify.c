/* The certificate of a finished motion, from its keys alone, whoever made them.
 *
 * Frames are read in order. Every frame after the first one asked for is a frame of motion:
 * each body goes from where its last key left it through the keys of the frame, and the independent check
 * (check/frame.h) looks at every pair. At the first one there are poses only. Nothing else is believed: not
 * reports, not the velocities in keys.
 *
 * A body that is new in a frame and has one key appears there; one with several begins at the first of them, and is
 * taken to be there from the frame's start. */
#include "certify/certify.h"

#include "base/vec.h"
#include "check/frame.h"
#include "scene/scene.h"

#include <inttypes.h>

/* Where a body's last key left it. */
typedef struct place {
	bool there;
	v3 x;
	quat q;
} place;

typedef struct work {
	const cn_certify_source *motion;
	const cairn_certify_def *def;
	cairn_certify_result *result;
	uint32_t from, to, bodies;
	cn_certifier *certifier;
	cn_pool *pool;
	place *places; /* by track */
	double time;   /* of the frame before */
} work;

cairn_certify_def cairn_default_certify_def(void)
{
	return (cairn_certify_def){.allocator = cairn_default_allocator(), .from = 0, .to = UINT32_MAX};
}

static bool choose_frames(work *w, cairn_error *error)
{
	uint32_t first = w->motion->first, last = w->motion->last;
	w->bodies = w->motion->bodies;
	w->from = w->def->from == 0 ? first : w->def->from;
	w->to = w->def->to == UINT32_MAX ? last : w->def->to;
	bool from_there = w->from >= first && w->from <= last, to_there = w->to >= first && w->to <= last;
	if (!from_there || !to_there)
		return cn_fail(error, CAIRN_USAGE, from_there ? "to" : "from",
		               "frame %" PRIu32 " is not among those recorded, %" PRIu32 " to %" PRIu32,
		               from_there ? w->to : w->from, first, last);
	if (w->from > w->to)
		return cn_fail(error, CAIRN_USAGE, "from", "frame %" PRIu32 " comes after the last frame asked for, %" PRIu32,
		               w->from, w->to);
	return true;
}

/* ---- what is exempt */

static bool takes_part(const work *w, uint32_t track)
{
	cairn_track t = w->motion->track(w->motion->context, track);
	return t.first_frame <= w->to && t.last_frame >= w->from;
}

/* Bodies that filters and types cannot tell apart. */
typedef struct kind {
	uint32_t group, mask;
	bool dynamic;
	uint64_t count;
} kind;

static bool collide(const kind *p, const kind *q)
{
	return (p->dynamic || q->dynamic) && (p->group & q->mask) && (q->group & p->mask);
}

static kind kind_of(const work *w, uint32_t track)
{
	cairn_body_info info = w->motion->track(w->motion->context, track).info;
	return (kind){info.group, info.mask, info.type == CAIRN_DYNAMIC, 1};
}

static bool gather_kinds(const work *w, kind **kinds, uint32_t *count, uint32_t *capacity)
{
	for (uint32_t i = 0; i < w->bodies; ++i) {
		uint32_t k = 0;
		if (!takes_part(w, i))
			continue;
		kind own = kind_of(w, i);
		while (k < *count &&
		       ((*kinds)[k].group != own.group || (*kinds)[k].mask != own.mask || (*kinds)[k].dynamic != own.dynamic))
			++k;
		if (k < *count) {
			++(*kinds)[k].count;
			continue;
		}
		if (!cn_grow(&w->def->allocator, (void **)kinds, capacity, *count + 1, sizeof **kinds))
			return false;
		(*kinds)[(*count)++] = own;
	}
	return true;
}

/* Pairs of bodies that are there in the range and that the promise does not cover. */
static bool count_exempt(work *w, cairn_error *error)
{
	kind *kinds = NULL;
	uint32_t count = 0, capacity = 0;
	uint64_t exempt = 0;
	bool ok = gather_kinds(w, &kinds, &count, &capacity);
	for (uint32_t i = 0; ok && i < count; ++i) {
		w->result->bodies += (uint32_t)kinds[i].count;
		if (!collide(&kinds[i], &kinds[i]))
			exempt += kinds[i].count * (kinds[i].count - 1) / 2;
		for (uint32_t k = i + 1; k < count; ++k)
			if (!collide(&kinds[i], &kinds[k]))
				exempt += kinds[i].count * kinds[k].count;
	}
	cn_free(&w->def->allocator, kinds, capacity, sizeof *kinds);
	if (!ok)
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < w->motion->exempt_count; ++i) {
		uint32_t a, b;
		w->motion->exempt(w->motion->context, i, &a, &b);
		kind ka = kind_of(w, a), kb = kind_of(w, b);
		exempt += takes_part(w, a) && takes_part(w, b) && collide(&ka, &kb);
	}
	w->result->exempt = exempt;
	return true;
}

/* ---- frames */

static void fill_body(work *w, cn_check_frame *f, const cairn_frame *frame, uint32_t first, uint32_t count)
{
	const cairn_track_key *keys = frame->keys + first;
	uint32_t track = keys->track;
	cairn_body_info info = w->motion->track(w->motion->context, track).info;
	place *p = &w->places[track];
	cn_check_body *b = &f->bodies[track];
	const cairn_key *last = &keys[count - 1].key;
	bool begins = !p->there && count > 1 && frame->frame > w->from;
	*b = (cn_check_body){.name = (uint64_t)track + 1,
	                     .shape = info.shape.index,
	                     .center = info.center,
	                     .group = info.group,
	                     .mask = info.mask,
	                     .dynamic = info.type == CAIRN_DYNAMIC,
	                     .arrives = !p->there && !begins,
	                     .fresh = begins,
	                     .x0 = p->there ? p->x
	                           : begins ? keys->key.position
	                                    : last->position,
	                     .q0 = p->there ? p->q
	                           : begins ? keys->key.orientation
	                                    : last->orientation,
	                     .key_first = first};
	uint32_t from = begins ? 1 : 0;
	for (uint32_t i = from; !b->arrives && info.type != CAIRN_FIXED && i < count; ++i) {
		const cairn_key *key = &keys[i].key;
		double t = i + 1 < count ? (key->time - w->time) / (frame->time - w->time) : 1;
		f->keys[first + b->key_count++] = (cn_check_key){t, key->position, key->orientation, key->turn};
	}
	*p = (place){true, last->position, last->orientation};
}

static bool fill_frame(work *w, const cairn_frame *frame, cairn_error *error)
{
	uint32_t joints = w->motion->exempt_count;
	cn_check_frame *f = cn_certifier_frame(w->certifier, w->bodies, frame->key_count, joints);
	if (!f)
		return cn_fail_memory(error);
	f->number = (uint64_t)frame->frame + 1;
	for (uint32_t i = 0; i < joints; ++i) {
		uint32_t a, b;
		w->motion->exempt(w->motion->context, i, &a, &b);
		f->exempt[i] = (uint64_t)a << 32 | b;
	}
	for (uint32_t i = 0, end; i < frame->key_count; i = end) {
		for (end = i + 1; end < frame->key_count && frame->keys[end].track == frame->keys[i].track; ++end)
			;
		fill_body(w, f, frame, i, end - i);
	}
	for (uint32_t i = 0; i < w->bodies; ++i)
		if (f->bodies[i].name == 0)
			w->places[i].there = false;
	return true;
}

static void note_frame(work *w, const cairn_frame *frame, const cn_check_result *r)
{
	cairn_certify_result *result = w->result;
	cairn_certificate *c = &result->certificate;
	c->pairs += r->pairs, c->intervals += r->intervals, c->overlaps += r->overlaps, c->passages += r->passages;
	c->rounding_bound = r->bound > c->rounding_bound ? r->bound : c->rounding_bound;
	if (r->min_a != CN_CHECK_NONE && (r->min_gap < c->min_gap || result->min_gap_frame == UINT32_MAX)) {
		c->min_gap = r->min_gap;
		result->min_gap_frame = frame->frame;
		result->min_gap_pair[0] = r->min_a, result->min_gap_pair[1] = r->min_b;
	}
	if (r->first.a != CN_CHECK_NONE && result->first_frame == UINT32_MAX) {
		bool start = frame->frame == w->from;
		result->first_frame = frame->frame;
		result->first_pair[0] = r->first.a, result->first_pair[1] = r->first.b;
		result->first_time = start ? frame->time : w->time + r->first.t * (frame->time - w->time);
		result->first_depth = r->first.depth;
	}
	++result->frames;
}

static bool check_frame(work *w, uint32_t number, cairn_error *error)
{
	cairn_frame frame;
	cn_check_result r;
	if (!w->motion->read(w->motion->context, number, &frame, error) || !fill_frame(w, &frame, error))
		return false;
	if (!cn_certifier_check(w->certifier, w->pool, &r))
		return cn_fail_memory(error);
	cn_certifier_keep(w->certifier);
	note_frame(w, &frame, &r);
	w->time = frame.time;
	if (w->def->progress && !w->def->progress(w->def->context, w->result->frames, w->to - w->from + 1))
		return cn_fail(error, CAIRN_FAILED, "", "stopped");
	return true;
}

static bool check_all(work *w, cairn_error *error)
{
	const cairn_scene *scene = w->motion->scene;
	w->certifier = cn_certifier_create(&w->def->allocator);
	w->pool = cn_pool_create(&w->def->allocator, w->def->threads);
	w->places = cn_alloc(&w->def->allocator, w->bodies, sizeof *w->places);
	if (!w->certifier || !w->pool || (w->bodies && !w->places))
		return cn_fail_memory(error);
	if (!count_exempt(w, error) || !cn_certifier_shapes(w->certifier, scene->shapes, scene->shape_count, error))
		return false;
	for (uint32_t i = w->from; i <= w->to; ++i) {
		if (!check_frame(w, i, error))
			return false;
		if (i == UINT32_MAX)
			break;
	}
	cairn_certificate *c = &w->result->certificate;
	c->verdict = c->overlaps ? CAIRN_OVERLAP : c->passages ? CAIRN_PASSAGE : CAIRN_CLEAN;
	return true;
}

bool cn_certify_motion(const cn_certify_source *motion, const cairn_certify_def *def, cairn_certify_result *result,
                       cairn_error *error)
{
	assert(motion && result);
	cairn_certify_def plain = cairn_default_certify_def();
	work w = {.motion = motion, .def = def ? def : &plain, .result = result};
	*result = (cairn_certify_result){.certificate = {.min_gap = INFINITY},
	                                 .min_gap_frame = UINT32_MAX,
	                                 .min_gap_pair = {UINT32_MAX, UINT32_MAX},
	                                 .first_frame = UINT32_MAX,
	                                 .first_pair = {UINT32_MAX, UINT32_MAX}};
	bool ok = choose_frames(&w, error) && check_all(&w, error);
	cn_certifier_destroy(w.certifier);
	cn_pool_destroy(w.pool);
	cn_free(&w.def->allocator, w.places, w.bodies, sizeof *w.places);
	return ok;
}
