/* Single impulses at contact points (RBS 3.3, eq. 14; PBA eq. 7.64, errata 31; OBA eq. 4.28), one after another until none
 * approaches.
 *
 *   j  = -(1 + e) u.n / (n K n)      u velocity of b's point seen from a's, K the response of both
 *   jt = min(mu j, |ut| / (t K t)) against ut, what slides, after the normal impulse (errata 7: no more than stops it)
 *
 * Such a series may never end: with restitution below 1 velocities fall like a geometric series. It stops where no point
 * approaches faster than a small share of the fastest approach it began with, or at a limit, which is counted. */
#include "step/classic/classic.h"

#define CN_COLLIDE_STOP 1e-2 /* of the fastest approach at first: what is slower no longer counts as approaching */
/* Impulses a point, in a series and in all substeps of a frame together: a stack of ten cubes needs more, and is what the
 * method cannot do; a crowd would take minutes a frame. */
#define CN_COLLIDE_MOST 100
#define CN_COLLIDE_FEW 2 /* but as many in each series */

double cn_classic_restitution(const cairn_world *w, const cn_classic_point *p, double approach)
{
	return approach > CN_COLLIDE_STILL * v3_length(w->scene->settings.gravity) * w->dt ? p->eps : 0;
}

static bool note(cairn_world *w, const cn_classic_point *p, v3 impulse)
{
	cairn_impact impact = {
		cn_handle(w, p->a), cn_handle(w, p->b), cn_step_time(w, 0), v3_add(w->motion[p->a].x, p->ra), p->n, impulse};
	return cn_impacts_note(w, &impact);
}

bool cn_classic_hit(cairn_world *w, cn_frame *f, cn_classic_point *p, v3 impulse)
{
	cn_classic_strike(w, f, p, impulse);
	p->impulse = v3_add(p->impulse, impulse);
	cn_classic_mark(w, p->a), cn_classic_mark(w, p->b);
	++f->report.collisions;
	return note(w, p, impulse);
}

/* Friction after a normal impulse j. */
static bool rub(cairn_world *w, cn_frame *f, cn_classic_point *p, double j)
{
	v3 u = cn_classic_approach(w, p), across = v3_madd(u, p->n, -v3_dot(u, p->n));
	double speed = v3_length(across);
	if (!(p->mu_kinetic > 0) || !(speed > 0))
		return true;
	v3 t = v3_scale(across, 1 / speed);
	double stops = speed / cn_classic_response(w, p, t);
	bool sticks = stops <= p->mu_static * j;
	double most = p->mu_kinetic * j;
	p->sliding = !sticks;
	return cn_classic_hit(w, f, p, v3_scale(t, -(sticks || stops < most ? stops : most)));
}

static bool collide_one(cairn_world *w, cn_frame *f, cn_classic_point *p, double approach)
{
	double e = cn_classic_restitution(w, p, approach), j = (1 + e) * approach / cn_classic_response(w, p, p->n);
	return cn_classic_hit(w, f, p, v3_scale(p->n, j)) && rub(w, f, p, j);
}

/* ---- a series */

/* How fast each point approaches, and which points a body has: those of slot s are list[first[s]] to list[first[s + 1]]. */
typedef struct series {
	cairn_world *w;
	double touch;
	double *approach;  /* m/s, by point */
	cn_twist *twist;   /* by slot: most of the work is to look at points again, whose bodies turn as they did */
	uint64_t *waiting; /* a bit for each point that approaches fast enough */
	uint32_t *first, *list;
} series;

/* m/s: how fast the two of a point that have met still approach; 0 where they have not met. */
static double approach_of(const series *s, const cn_classic_point *p)
{
	double approach = -v3_dot(cn_classic_seen(s->twist[p->a], s->twist[p->b], p), p->n);
	return cn_classic_met(s->w, p, approach, s->touch) ? approach : 0;
}

/* Points that do not touch meet in a series only where the method looks ahead. */
static bool may_meet(const series *s, const cn_classic_point *p)
{
	return s->w->context->classic->hold.moment > 0 || p->gap <= s->touch;
}

static bool make_series(series *s, cn_arena *arena)
{
	const cn_classic *k = s->w->context->classic;
	uint32_t slots = s->w->slots, all = 0;
	s->approach = cn_arena_take(arena, k->point_count + 1, sizeof *s->approach);
	s->first = cn_arena_take(arena, (size_t)slots + 2, sizeof *s->first);
	s->list = cn_arena_take(arena, 2 * (size_t)k->point_count + 1, sizeof *s->list);
	s->twist = cn_arena_take(arena, (size_t)slots + 1, sizeof *s->twist);
	s->waiting = cn_arena_take(arena, k->point_count / 64 + 1, sizeof *s->waiting);
	if (!s->approach || !s->first || !s->list || !s->twist || !s->waiting)
		return false;
	for (uint32_t slot = 0; slot < slots; ++slot)
		s->twist[slot] = cn_classic_twist(s->w, slot);
	for (uint32_t i = 0; i < k->point_count; ++i)
		if (may_meet(s, &k->points[i]))
			++s->first[k->points[i].a + 1], ++s->first[k->points[i].b + 1];
	for (uint32_t slot = 0; slot <= slots; ++slot) {
		uint32_t count = s->first[slot + 1];
		s->first[slot + 1] = all, all += count;
	}
	for (uint32_t i = 0; i < k->point_count; ++i)
		if (may_meet(s, &k->points[i]))
			s->list[s->first[k->points[i].a + 1]++] = i, s->list[s->first[k->points[i].b + 1]++] = i;
	for (uint32_t i = 0; i < k->point_count; ++i)
		s->approach[i] = approach_of(s, &k->points[i]);
	return true;
}

/* Looks at a point: whether it approaches faster than least. */
static void look(series *s, uint32_t point, double least)
{
	uint64_t bit = (uint64_t)1 << (point % 64), *word = &s->waiting[point / 64];
	s->approach[point] = approach_of(s, &s->w->context->classic->points[point]);
	*word = s->approach[point] > least ? *word | bit : *word & ~bit;
}

/* After an impulse on a body: its points approach otherwise. */
static void renew(series *s, uint32_t slot, double least)
{
	if (!s->w->rotors[slot].active)
		return;
	s->twist[slot] = cn_classic_twist(s->w, slot);
	for (uint32_t i = s->first[slot]; i < s->first[slot + 1]; ++i)
		look(s, s->list[i], least);
}

/* The first point that approaches, or as many as there are. */
static uint32_t first_waiting(const series *s, uint32_t count)
{
	for (uint32_t i = 0; i * 64 < count; ++i)
		if (s->waiting[i])
			return i * 64 + (uint32_t)__builtin_ctzll(s->waiting[i]);
	return count;
}

/* Impulses that a series may take: so many a point, and fewer where those before in this frame took too many. Flights have a
 * limit of their own. */
static uint64_t series_most(const cairn_world *w)
{
	const cn_classic *k = w->context->classic;
	uint64_t most = (uint64_t)CN_COLLIDE_MOST * k->point_count, few = (uint64_t)CN_COLLIDE_FEW * k->point_count;
	uint64_t left = w->part.length > 0 ? most : most > k->struck ? most - k->struck : 0;
	return left > few ? left : few;
}

static bool run_series(series *s, cn_frame *f, double least)
{
	cn_classic *k = s->w->context->classic;
	uint64_t left = series_most(s->w);
	for (uint32_t i = 0; i < k->point_count; ++i)
		look(s, i, least);
	for (uint32_t i; (i = first_waiting(s, k->point_count)) < k->point_count;) {
		cn_classic_point *p = &k->points[i];
		if (left-- == 0) {
			++f->report.text_fallbacks;
			return true;
		}
		++k->struck;
		if (!collide_one(s->w, f, p, s->approach[i])) {
			f->report.status = CAIRN_STEP_MEMORY;
			return false;
		}
		renew(s, p->a, least); /* what was separating may approach now: the first of the list is next */
		renew(s, p->b, least);
	}
	return true;
}

bool cn_classic_collide(cairn_world *w, cn_frame *f, double touch)
{
	cn_classic *k = w->context->classic;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	series s = {.w = w, .touch = touch};
	double fastest = 0;
	bool ok = make_series(&s, arena);
	for (uint32_t i = 0; ok && i < k->point_count; ++i) {
		fastest = s.approach[i] > fastest ? s.approach[i] : fastest;
		k->points[i].impulse = v3_zero(), k->points[i].sliding = false;
	}
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	ok = ok && run_series(&s, f, CN_COLLIDE_STOP * fastest);
	cn_arena_return(arena, mark);
	return ok;
}

double cn_classic_touch(const cairn_world *w) { return CN_CLASSIC_TOUCH * w->context->scale; }

bool cn_propagation_apply(cairn_world *w, cn_frame *f) { return cn_classic_collide(w, f, cn_classic_touch(w)); }
