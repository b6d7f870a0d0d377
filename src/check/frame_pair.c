/* One pair of bodies through one frame: cut where either has a key, and piece by piece proved by one axis
 * (check/frame_axis.c) or, where none is found quickly, by cn_overlap_pose and cn_overlap_motion.
 *
 * Cutting. The pose of a body at the other one's key is worked out from its own piece: one more exp (16u) and a
 * difference and a product of positions (3u), with 29u and 16u of overlap.c together 64u, which is half of the bound of
 * a motion. Positions are taken from where a began, so that what both have in common costs no digits. */
#include "check/frame_parts.h"

#include "check/tolerance.h"

#include <string.h>

#define CN_CHECK_BUDGET                                                                                                \
	400000 /* sub-intervals of a pair's piece of motion; a hundred are many, edges that turn a nanometre apart need more */
#define CN_CHECK_MESH_BUDGET 2000000 /* the same over all pairs of triangles of two meshes */

/* A body's way through the frame, piece by piece. */
typedef struct walk {
	const cn_check_key *keys;
	uint32_t count, next;
	v3 origin, x0, x1; /* x0, x1 from the origin; of the piece */
	quat q0, q1;
	v3 turn;
	double t0, t1;
} walk;

static void set_piece(walk *w)
{
	if (w->next < w->count) {
		const cn_check_key *key = &w->keys[w->next];
		w->t1 = key->t, w->x1 = v3_sub(key->x, w->origin), w->q1 = key->q, w->turn = key->turn;
	} else {
		w->t1 = 1, w->x1 = w->x0, w->q1 = w->q0, w->turn = v3_zero();
	}
}

static walk walk_of(const cn_certifier *c, uint32_t body, v3 origin)
{
	const cn_check_body *b = &c->frame.bodies[body];
	walk w = {.keys = cn_check_keys(c, b), .count = b->key_count, .origin = origin};
	w.x0 = v3_sub(b->x0, origin), w.q0 = b->q0;
	set_piece(&w);
	return w;
}

static void next_piece(walk *w)
{
	++w->next;
	w->t0 = w->t1, w->x0 = w->x1, w->q0 = w->q1;
	set_piece(w);
}

static pose pose_at(const walk *w, double t)
{
	if (t == w->t1 || w->count == 0)
		return (pose){w->x1, w->q1};
	if (t == w->t0)
		return (pose){w->x0, w->q0};
	double share = (t - w->t0) / (w->t1 - w->t0);
	return (pose){v3_lerp(w->x0, w->x1, share), q_unit(q_mul(q_exp(v3_scale(w->turn, share)), w->q0))};
}

static cn_track track_of(const walk *w, double t0, double t1)
{
	pose from = pose_at(w, t0), to = pose_at(w, t1);
	double share = t0 == w->t0 && t1 == w->t1 ? 1 : (t1 - t0) / (w->t1 - w->t0);
	return (cn_track){.x0 = from.position, .x1 = to.position, .q0 = from.orientation, .turn = v3_scale(w->turn, share)};
}

enum { MOST_PARTS = 64, MOST_MEASURES = 8 };

/* A pair of parts at the last pose. */
typedef struct part_look {
	v3 axis;
	double gap; /* m: proved */
} part_look;

/* x the least gap of the frame before: meshes that are further apart are hardly this frame's nearest */
static const double USUAL_FAR = 4;
/* How much nearer a pair may be than is proved of it, and what is tried then, both x the gap. */
static const double MEASURE_SLACK = 0.125, MEASURE_FURTHER = 4;

typedef struct look {
	const cn_certifier *c;
	const cn_check_body *a, *b;
	const cn_check_shape *shape_a, *shape_b;
	cn_check_entry *entry;
	v3 axis;              /* to look along first, or zero */
	cn_mesh_cover *cover; /* of single meshes, over the pieces of the frame; NULL: not remembered */
	cn_watch *watch;      /* of single bodies, one of them a mesh; NULL: they are none, or it did not serve */
	part_look *parts;     /* of several pairs of parts, as the last pose had them; NULL: not remembered */
	bool measure;         /* look along none, and at poses alone: of what is watched at those that may be near */
} look;

/* The axis of a pair of parts, or zero. */
static v3 part_axis(const look *l, uint32_t number)
{
	return l->parts && number < MOST_PARTS ? l->parts[number].axis : v3_zero();
}

static pose in_body(const cn_check_part *part, v3 center)
{
	return (pose){v3_sub(part->in_shape.position, center), part->in_shape.orientation};
}

cn_placed cn_check_placed(const cn_check_part *part, v3 center, quat q)
{
	q = q_unit(q);
	pose in = in_body(part, center);
	return cn_check_convex_place(&part->solid->part, q_mul(q, in.orientation), q_rotate(q, in.position));
}

double cn_check_left_at(const cn_certifier *c, const cn_check_entry *e)
{
	double a = c->now[e->a].leg.reach, b = c->now[e->b].leg.reach;
	return 2 * CN_CHECK_TIGHT * (a < b ? a : b);
}

static bool is_plane(const cn_solid *s) { return s->part.core == CN_CHECK_CORE_HALFSPACE; }

/* ---- at a key */

typedef struct pose_finding {
	cn_overlap_answer answer; /* of the parts nearest to each other, or of those that are wrong */
	bool exact;
	double bound; /* the largest */
} pose_finding;

static bool is_bad(cn_verdict verdict) { return verdict == CN_OVERLAPPING || verdict == CN_UNPROVED; }

/* Two parts at a key. */
typedef struct couple {
	const cn_solid *a, *b;
	pose pa, pb;
	cn_placed la, lb; /* from a's origin */
	v3 d;             /* to b's origin */
	double bound;
} couple;

static couple couple_of(const cn_solid *a, pose pa, const cn_solid *b, pose pb)
{
	v3 d = v3_sub(pb.position, pa.position);
	return (couple){.a = a,
	                .b = b,
	                .pa = pa,
	                .pb = pb,
	                .la = cn_check_convex_place(&a->part, pa.orientation, v3_zero()),
	                .lb = cn_check_convex_place(&b->part, pb.orientation, d),
	                .d = d,
	                .bound = cn_gap_bound(&a->part, &b->part, d)};
}

/* Parts of which one axis can tell enough. */
static bool has_axes(const cn_solid *a, const cn_solid *b)
{
	return !is_plane(a) && !is_plane(b) && !a->part.vast && !b->part.vast;
}

/* An axis that parts them by far tells enough. */
static bool far_along(const couple *p, v3 n, cn_overlap_answer *out)
{
	if (!(v3_length2(n) > 0))
		return false;
	double s = cn_gap_along(&p->la, &p->lb, n);
	*out = (cn_overlap_answer){CN_APART, s - 0.5 * p->bound, INFINITY, p->bound, n};
	return s > CN_CHECK_WIDEN * p->bound;
}

/* The same along axes that cost little: a search costs as much as some dozens of them. enough: a gap that is no less need not
 * be measured. */
static bool far_by_guess(const couple *p, double enough, cn_overlap_answer *out)
{
	v3 axes[CN_GUESSES], best = v3_zero();
	double most = enough;
	uint32_t count = cn_gap_guess(&p->la, &p->lb, p->d, axes);
	for (uint32_t i = 0; i < count; ++i) {
		double s = cn_gap_along(&p->la, &p->lb, axes[i]);
		if (s > most)
			most = s, best = axes[i];
	}
	return far_along(p, best, out);
}

/* What axes that cost little tell of two parts: nothing; that they are apart by far; or, of two boxes that overlap, all. */
typedef enum told { TOLD_NOTHING, TOLD_FAR, TOLD_ALL } told;

static told tell_of_boxes(const couple *p, double enough, cn_overlap_answer *out)
{
	cn_check_gap gap;
	if (cn_gap_of_boxes(&p->la, &p->lb, p->bound, &gap)) {
		*out = cn_gap_answer(&gap, p->bound);
		return TOLD_ALL;
	}
	return gap.least > enough && far_along(p, gap.n, out) ? TOLD_FAR : TOLD_NOTHING;
}

/* Of a pair that is measured it is enough that others are nearer. */
static told tell(const look *l, const couple *p, v3 axis, const pose_finding *found, cn_overlap_answer *out)
{
	double enough = cn_check_left_at(l->c, l->entry);
	if (!has_axes(p->a, p->b) || (l->measure && is_bad(found->answer.verdict)))
		return TOLD_NOTHING;
	if (!l->measure && (far_along(p, axis, out) || far_along(p, l->axis, out)))
		return TOLD_FAR;
	enough += l->measure ? found->answer.least + p->bound : l->c->usual;
	if (cn_check_are_boxes(&p->a->part, &p->b->part))
		return tell_of_boxes(p, enough, out);
	return far_by_guess(p, enough, out) ? TOLD_FAR : TOLD_NOTHING;
}

/* How near two meshes are, or a mesh and a convex part, unless it is further than what matters. */
static bool far_as_meshes(const look *l, const couple *p, v3 axis, const pose_finding *found, cn_overlap_answer *out)
{
	double left = cn_check_left_at(l->c, l->entry), usual = USUAL_FAR * l->c->usual + left;
	double enough = CN_CHECK_WIDEN * p->bound;
	if (l->measure)
		enough = (found->answer.least < l->entry->gap ? found->answer.least : l->entry->gap) + left + p->bound;
	else if (usual > enough)
		enough = usual;
	cn_placed a = p->la, b = p->lb;
	axis = v3_length2(axis) > 0 ? axis : l->axis;
	a.at = v3_scale(p->d, -0.5), b.at = v3_scale(p->d, 0.5);
	cn_mesh_pose(&(cn_solid_pair){p->a, &a, p->b, &b}, p->bound, l->measure ? NULL : &axis, enough, out);
	return !(out->most < INFINITY);
}

static pose_finding look_at_pose(look *l, pose pa, pose pb)
{
	pose_finding found = {.answer = {.verdict = CN_APART, .least = INFINITY}, .exact = true};
	uint32_t number = 0;
	pa.orientation = q_unit(pa.orientation), pb.orientation = q_unit(pb.orientation);
	for (uint32_t i = 0; i < l->shape_a->part_count; ++i) {
		const cn_check_part *a = &l->shape_a->parts[i];
		pose at_a = pose_mul(pa, in_body(a, l->a->center));
		for (uint32_t j = 0; j < l->shape_b->part_count; ++j, ++number) {
			const cn_check_part *b = &l->shape_b->parts[j];
			pose at_b = pose_mul(pb, in_body(b, l->b->center));
			couple p = couple_of(a->solid, at_a, b->solid, at_b);
			cn_overlap_answer answer;
			told known = tell(l, &p, part_axis(l, number), &found, &answer);
			bool far = known == TOLD_FAR;
			if (known == TOLD_NOTHING && (a->solid->mesh || b->solid->mesh) && !is_plane(a->solid) &&
			    !is_plane(b->solid))
				far = far_as_meshes(l, &p, part_axis(l, number), &found, &answer);
			else if (known == TOLD_NOTHING)
				cn_overlap_pose(a->solid, at_a, b->solid, at_b, NULL, &answer);
			if (far && l->measure)
				continue;
			if (l->parts && number < MOST_PARTS)
				l->parts[number] = (part_look){answer.n, answer.least};
			found.exact = found.exact && !far;
			found.bound = answer.bound > found.bound ? answer.bound : found.bound;
			bool bad = is_bad(answer.verdict), was_bad = is_bad(found.answer.verdict);
			if (bad != was_bad ? bad : !(answer.least >= found.answer.least))
				found.answer = answer;
		}
	}
	return found;
}

static void note_bad(const cn_check_entry *e, cn_check_place place, cn_check_finding *out)
{
	place.a = e->a, place.b = e->b;
	place.depth = place.depth > 0 && place.depth < INFINITY ? place.depth : 0;
	++*(place.passage ? &out->passages : &out->overlaps);
	cn_check_note(&out->first, place);
}

/* True if they are apart or touch there. counted: its gap is one of this frame's. */
static bool check_pose(look *l, pose pa, pose pb, double t, bool counted, cn_check_finding *out)
{
	pose_finding f = look_at_pose(l, pa, pb);
	cn_check_entry *e = l->entry;
	bool bad = is_bad(f.answer.verdict);
	if (out) {
		out->bound = f.bound > out->bound ? f.bound : out->bound;
		if (bad)
			note_bad(e, (cn_check_place){.passage = f.answer.verdict == CN_UNPROVED, .t = t, .depth = -f.answer.least},
			         out);
	}
	if (v3_length2(f.answer.n) > 0)
		l->axis = e->axis = f.answer.n;
	e->end_gap = f.answer.least, e->end_exact = f.exact, e->bad = bad;
	if (counted) {
		e->exact = e->exact && f.exact;
		e->gap = f.answer.least < e->gap ? f.answer.least : e->gap;
	}
	return !bad;
}

/* ---- between keys */

/* How deep they are where a motion was found to overlap. */
static double depth_at(const cn_solid *a, const cn_track *ta, const cn_solid *b, const cn_track *tb, double t)
{
	pose p[2];
	for (int side = 0; side < 2; ++side) {
		const cn_track *track = side ? tb : ta;
		quat q = q_unit(q_mul(q_exp(v3_scale(track->turn, t)), track->q0));
		p[side] = pose_mul((pose){v3_lerp(track->x0, track->x1, t), q}, track->in_body);
	}
	cn_overlap_answer answer;
	cn_overlap_pose(a, p[0], b, p[1], NULL, &answer);
	return answer.verdict == CN_OVERLAPPING ? -answer.least : 0;
}

/* m: two parts with a larger gap at the end of their tracks are apart all the way. No point of one comes nearer to one of
 * the other than by what the centres move and what both turn; and by far, as in check/frame_axis.c. */
static double apart_all_along(const look *l, const cn_track *ta, const cn_track *tb)
{
	const cn_check_leg *la = &l->c->now[l->entry->a].leg, *lb = &l->c->now[l->entry->b].leg;
	cn_check_leg a = {.x0 = ta->x0, .x1 = ta->x1, .reach = la->reach},
				 b = {.x0 = tb->x0, .x1 = tb->x1, .reach = lb->reach};
	double turn_a = v3_length(ta->turn), turn_b = v3_length(tb->turn);
	double moved = v3_distance(v3_sub(tb->x0, ta->x0), v3_sub(tb->x1, ta->x1));
	moved += (turn_a > 0 ? turn_a * la->rho : 0) + (turn_b > 0 ? turn_b * lb->rho : 0);
	return moved * (1 + 16 * DBL_EPSILON) + CN_CHECK_WIDEN * cn_check_bound(&a, &b);
}

static void check_motion(const look *l, const walk *a, const walk *b, double t0, double t1, cn_check_finding *out)
{
	cn_track ta = track_of(a, t0, t1), tb = track_of(b, t0, t1);
	double enough = l->parts ? apart_all_along(l, &ta, &tb) : INFINITY;
	uint32_t number = 0;
	for (uint32_t i = 0; i < l->shape_a->part_count; ++i) {
		const cn_check_part *pa = &l->shape_a->parts[i];
		ta.in_body = in_body(pa, l->a->center);
		for (uint32_t j = 0; j < l->shape_b->part_count; ++j, ++number) {
			const cn_check_part *pb = &l->shape_b->parts[j];
			if (l->parts && number < MOST_PARTS && l->parts[number].gap > enough)
				continue;
			v3 own = part_axis(l, number), axis = v3_length2(own) > 0 ? own : l->axis;
			const v3 *hint = v3_length2(axis) > 0 ? &axis : NULL;
			bool meshes = pa->solid->mesh || pb->solid->mesh;
			cn_passage passage;
			tb.in_body = in_body(pb, l->b->center);
			cn_overlap_motion(&(cn_moving_solid){pa->solid, &ta}, &(cn_moving_solid){pb->solid, &tb}, hint,
			                  meshes ? CN_CHECK_MESH_BUDGET : CN_CHECK_BUDGET, l->cover, &passage);
			if (l->shape_a->part_count > 1 || l->shape_b->part_count > 1) /* else it is known already */
				out->bound = passage.bound > out->bound ? passage.bound : out->bound;
			if (!is_bad(passage.verdict))
				continue;
			bool inside = passage.verdict == CN_OVERLAPPING;
			note_bad(l->entry,
			         (cn_check_place){.passage = true,
			                          .t = t0 + passage.time * (t1 - t0),
			                          .depth = inside ? depth_at(pa->solid, &ta, pb->solid, &tb, passage.time) : 0},
			         out);
			return;
		}
	}
	++out->intervals;
}

/* ---- key by key */

/* The way of both, cut where either has a key. */
typedef struct course {
	walk a, b;
	cn_check_leg leg_a, leg_b; /* of the piece under way, where both are single */
	double t, until;
} course;

/* The leg goes on from where it ended. */
static void next_leg(const walk *w, const course *c, const cn_check_part *part, v3 center, cn_check_leg *leg)
{
	cn_track track = track_of(w, c->t, c->until);
	leg->start = leg->end, leg->x0 = track.x0, leg->x1 = track.x1, leg->turn = track.turn;
	if (w->count > 0) /* else it stands */
		leg->end = cn_check_placed(part, center, pose_at(w, c->until).orientation);
}

static bool prove_piece(look *l, const course *c, bool start, bool counted, cn_check_finding *out)
{
	cn_check_entry *e = l->entry;
	cn_axis_proof p = {.axis = l->axis,
	                   .usual = l->c->usual,
	                   .bound = cn_check_bound(&c->leg_a, &c->leg_b),
	                   .motion = !l->c->frame.keys_only,
	                   .start = start,
	                   .counted = counted};
	out->bound = p.bound > out->bound ? p.bound : out->bound;
	bool proved = cn_check_axis(&c->leg_a, &c->leg_b, &p);
	if (proved) {
		l->axis = e->axis = p.n, e->bad = e->exact = e->end_exact = false;
		e->end_gap = p.end_gap, e->gap = p.gap < e->gap ? p.gap : e->gap;
		out->intervals += p.motion;
	} else if (p.most > 0) {
		l->axis = p.best;
	}
	return proved;
}

/* The same for meshes, by all pairs of their nodes. */
static bool watch_piece(look *l, const course *c, bool sound, cn_check_finding *out)
{
	cn_check_entry *e = l->entry;
	if (!sound)
		cn_watch_skip(l->watch, &c->leg_a, &c->leg_b);
	if (!sound || !cn_watch_piece(l->watch, &c->leg_a, &c->leg_b))
		return false;
	if (l->measure) {
		e->end_gap = l->watch->gap, e->end_exact = false;
		return e->end_gap > l->watch->usual;
	}
	if (v3_length2(l->watch->axis) > 0)
		l->axis = e->axis = l->watch->axis;
	e->bad = e->exact = e->end_exact = false;
	e->end_gap = l->watch->gap, e->gap = e->end_gap < e->gap ? e->end_gap : e->gap;
	++out->intervals;
	return true;
}

/* Where one of them appears at the end. */
static void check_arrival(look *l, cn_check_finding *out)
{
	walk a = walk_of(l->c, l->entry->a, l->a->x0), b = walk_of(l->c, l->entry->b, l->a->x0);
	while (a.next + 1 < a.count)
		next_piece(&a);
	while (b.next + 1 < b.count)
		next_piece(&b);
	(void)check_pose(l, pose_at(&a, 1), pose_at(&b, 1), 1, true, out);
}

static void step_on(course *c)
{
	c->t = c->until;
	if (c->t < 1 && c->a.t1 <= c->t)
		next_piece(&c->a);
	if (c->t < 1 && c->b.t1 <= c->t)
		next_piece(&c->b);
}

/* sound: at the start nothing is wrong, as far as is known; start: look there too; out NULL: the gaps alone. */
static void walk_pair(look *l, bool sound, bool start, bool counted, cn_check_finding *out)
{
	const cn_check_entry *e = l->entry;
	const cn_check_state *sa = &l->c->now[e->a], *sb = &l->c->now[e->b];
	course c = {.a = walk_of(l->c, e->a, l->a->x0), .b = walk_of(l->c, e->b, l->a->x0)};
	bool single = out && sa->single && sb->single && !(sa->quick && sb->quick); /* those have been tried */
	c.leg_a = sa->leg, c.leg_b = sb->leg, c.leg_a.end = sa->leg.start, c.leg_b.end = sb->leg.start;
	for (; c.t < 1; step_on(&c)) {
		c.until = c.a.t1 < c.b.t1 ? c.a.t1 : c.b.t1;
		bool first = !(c.t > 0);
		if (single || l->watch) {
			next_leg(&c.a, &c, l->shape_a->parts, l->a->center, &c.leg_a);
			next_leg(&c.b, &c, l->shape_b->parts, l->b->center, &c.leg_b);
		}
		if (l->watch ? watch_piece(l, &c, sound && !(first && start), out)
		             : single && sound && prove_piece(l, &c, first && start, first && counted, out))
			continue;
		if (first && start)
			sound = check_pose(l, pose_at(&c.a, 0), pose_at(&c.b, 0), 0, counted, out);
		bool good = check_pose(l, pose_at(&c.a, c.until), pose_at(&c.b, c.until), c.until, true, out);
		if (out && sound && good && !l->c->frame.keys_only)
			check_motion(l, &c.a, &c.b, c.t, c.until, out);
		sound = good;
	}
}

/* ---- the pair */

static const cn_check_entry *find_before(const cn_certifier *c, const cn_check_entry *e)
{
	const cn_check_table *t = &c->before;
	if (e->a >= t->body_count)
		return NULL;
	uint32_t low = t->first[e->a], end = t->first[e->a + 1], high = end;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (t->entries[middle].b < e->b)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && t->entries[low].b == e->b ? &t->entries[low] : NULL;
}

static look look_of(const cn_certifier *c, cn_check_entry *e)
{
	const cn_check_body *a = &c->frame.bodies[e->a], *b = &c->frame.bodies[e->b];
	return (look){.c = c,
	              .a = a,
	              .b = b,
	              .shape_a = &c->shapes[a->shape],
	              .shape_b = &c->shapes[b->shape],
	              .entry = e,
	              .axis = e->axis};
}

/* True where one axis proves the frame, or nothing has moved since it was proved. */
static bool prove_at_once(const cn_certifier *c, const cn_check_entry *old, cn_check_entry *e, cn_check_finding *out)
{
	const cn_check_state *a = &c->now[e->a], *b = &c->now[e->b];
	bool arrives = a->arrives || b->arrives, known = a->known && b->known;
	cn_axis_proof p = {.axis = e->axis,
	                   .usual = c->usual,
	                   .bound = cn_check_bound(&a->leg, &b->leg),
	                   .motion = !c->frame.keys_only && !arrives,
	                   .start = !known && !arrives,
	                   .counted = a->fresh || b->fresh};
	out->bound = p.bound > out->bound ? p.bound : out->bound;
	if (old && old->bad)
		return false;
	if (old && a->still && b->still) {
		e->gap = e->end_gap = old->end_gap, e->exact = e->end_exact = old->end_exact;
	} else {
		if (!a->quick || !b->quick)
			return false;
		if (!cn_check_axis(&a->leg, &b->leg, &p)) {
			e->axis = p.most > 0 ? p.best : e->axis;
			return false;
		}
		e->axis = p.n, e->gap = p.gap, e->end_gap = p.end_gap;
		e->exact = e->end_exact = false;
	}
	out->intervals += p.motion;
	return true;
}

/* The part of a body of one piece of motion at the frame's end, from where another began; as check_pose would place it. */
static cn_placed end_of(const cn_check_leg *l, v3 origin)
{
	cn_placed p = l->end;
	p.at = v3_add(v3_sub(l->x1, origin), p.at);
	return p;
}

/* True where two boxes overlap at the frame's end, whatever was before: most do that did at its start. */
static bool overlap_at_once(const cn_certifier *c, cn_check_entry *e, cn_check_finding *out)
{
	const cn_check_state *a = &c->now[e->a], *b = &c->now[e->b];
	cn_check_gap gap;
	if (!a->quick || !b->quick || !a->known || !b->known || a->fresh || b->fresh || a->arrives || b->arrives ||
	    !cn_check_are_boxes(a->leg.end.part, b->leg.end.part))
		return false;
	cn_placed pa = end_of(&a->leg, a->leg.x0), pb = end_of(&b->leg, a->leg.x0);
	v3 d = v3_sub(pb.at, pa.at);
	double bound = cn_gap_bound(pa.part, pb.part, d);
	pa.at = v3_zero(), pb.at = d;
	if (!cn_gap_of_boxes(&pa, &pb, bound, &gap) || !(gap.most < -bound))
		return false;
	double least = gap.least - 0.5 * bound;
	e->axis = gap.n, e->gap = e->end_gap = least;
	e->exact = e->end_exact = e->bad = true;
	out->bound = bound > out->bound ? bound : out->bound;
	note_bad(e, (cn_check_place){.t = 1, .depth = -least}, out);
	return true;
}

/* Single bodies, one of them a mesh. */
static bool may_watch(const look *l)
{
	const cn_check_state *sa = &l->c->now[l->entry->a], *sb = &l->c->now[l->entry->b];
	if (l->parts || l->c->frame.keys_only || sa->arrives || sb->arrives)
		return false;
	const cn_solid *a = l->shape_a->parts[0].solid, *b = l->shape_b->parts[0].solid;
	return (a->mesh || b->mesh) && !is_plane(a) && !is_plane(b);
}

static void begin_watch(look *l, const cn_check_entry *old, double usual, cn_watch *watch)
{
	double bound = cn_check_bound(&l->c->now[l->entry->a].leg, &l->c->now[l->entry->b].leg);
	double enough = CN_CHECK_WIDEN * bound;
	usual += cn_check_left_at(l->c, l->entry);
	watch->a = l->shape_a->parts[0].solid, watch->b = l->shape_b->parts[0].solid;
	watch->usual = usual > enough && usual < INFINITY ? usual : enough;
	watch->enough = USUAL_FAR * watch->usual;
	cn_watch_begin(watch, old ? l->c->before.watched + old->watched : NULL, old ? old->watched_count : 0);
	l->watch = watch;
}

/* As far as there is room. */
static bool take_room(cn_check_entry *e, uint32_t count, cn_check_finding *out)
{
	if (count > out->watched_end - out->watched)
		return false;
	e->watched = out->watched, e->watched_count = count;
	out->watched += count;
	return true;
}

static void end_watch(const look *l, cn_check_finding *out)
{
	if (take_room(l->entry, l->watch->count, out))
		cn_watch_end(l->watch, l->c->table.watched + l->entry->watched);
}

void cn_check_couple(const cn_certifier *c, cn_check_entry *e, cn_check_finding *out)
{
	const cn_check_state *a = &c->now[e->a], *b = &c->now[e->b];
	bool known = a->known && b->known;
	const cn_check_entry *old = known ? find_before(c, e) : NULL;
	*e = (cn_check_entry){.a = e->a, .b = e->b, .axis = old ? old->axis : v3_zero(), .gap = INFINITY, .exact = true};
	if (prove_at_once(c, old, e, out)) {
		if (old && a->still && b->still && take_room(e, old->watched_count, out) && e->watched_count)
			memcpy(c->table.watched + e->watched, c->before.watched + old->watched,
			       old->watched_count * sizeof *c->table.watched);
		return;
	}
	if (overlap_at_once(c, e, out))
		return;
	look l = look_of(c, e);
	part_look parts[MOST_PARTS];
	if (l.shape_a->part_count > 1 || l.shape_b->part_count > 1) {
		memset(parts, 0, sizeof parts);
		l.parts = parts;
	}
	cn_mesh_cover cover;
	cover.count = 0;
	l.cover = l.parts ? NULL : &cover;
	cn_watch watch;
	if (may_watch(&l))
		begin_watch(&l, old, c->usual, &watch);
	if (a->arrives || b->arrives)
		check_arrival(&l, out);
	else
		walk_pair(&l, !(old && old->bad), !known, a->fresh || b->fresh, out);
	if (l.watch)
		end_watch(&l, out);
}

bool cn_check_above(const cn_certifier *c, cn_check_entry *e, double gap)
{
	const cn_check_state *a = &c->now[e->a], *b = &c->now[e->b];
	if (!a->quick || !b->quick || a->arrives || b->arrives || a->fresh || b->fresh)
		return false;
	bool above = cn_check_promise(&a->leg, &b->leg, gap, &e->axis, &e->end_gap);
	e->gap = e->end_gap;
	return above;
}

/* A pair that is watched: keys at which it is further than some gap need not be looked at, if it is as near as that at
 * another, or if no larger gap matters. True where the gap was found, or promised to be larger than what matters. */
static bool measure_watched(look *l, bool fresh, double most)
{
	cn_check_entry *e = l->entry;
	const cn_check_state *a = &l->c->now[e->a], *b = &l->c->now[e->b];
	const cn_check_entry *old = a->known && b->known ? find_before(l->c, e) : NULL;
	double limit = most < INFINITY ? most : e->gap * (1 + MEASURE_SLACK);
	cn_watch watch;
	for (int i = 0; i < MOST_MEASURES; ++i) {
		begin_watch(l, old, limit, &watch);
		e->gap = INFINITY, e->exact = true;
		walk_pair(l, true, fresh, true, NULL);
		if (e->gap <= watch.usual)
			return true;
		if (watch.usual >= most) {
			e->gap = watch.usual, e->exact = false;
			return true;
		}
		limit = e->gap < INFINITY ? e->gap : MEASURE_FURTHER * watch.usual;
	}
	return false;
}

void cn_check_measure(const cn_certifier *c, cn_check_entry *e, double most)
{
	const cn_check_state *a = &c->now[e->a], *b = &c->now[e->b];
	cn_check_entry proved = *e;
	look l = look_of(c, e);
	bool fresh = a->fresh || b->fresh;
	l.measure = true;
	if (!may_watch(&l) || !measure_watched(&l, fresh, most)) {
		l.watch = NULL;
		e->gap = INFINITY, e->exact = e->end_exact = true;
		if (a->arrives || b->arrives)
			check_arrival(&l, NULL);
		else
			walk_pair(&l, true, fresh, true, NULL);
	}
	if (e->bad) { /* an axis parted them: it knows better */
		*e = proved;
		e->exact = e->end_exact = true;
	}
	if (!(e->end_gap < INFINITY)) /* it is further there than elsewhere */
		e->end_gap = proved.end_gap, e->end_exact = false;
}
