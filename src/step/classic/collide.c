/* Single impulses at contact points (RBS 3.3, eq. 14; PBA eq. 7.64, errata 31; OBA eq. 4.28), one after another until none
 * approaches: through the list, and again as long as any approached (PBA 7.4.2).
 *
 *   j  = -(1 + e) u.n / (n K n)      u velocity of b's point seen from a's, K the response of both
 *   jt = min(mu j, |ut| / (t K t)) against ut, what slides, after the normal impulse (errata 7: no more than stops it)
 *
 * Such a series may never end: with restitution below 1 velocities fall like a geometric series. It stops where no point
 * approaches faster than a small share of the fastest approach it began with, or at a limit, which is counted.
 *
 * Friction may turn a body so that its point approaches faster than before the impulse (Painleve's rod): then no finite force
 * obeys Coulomb's law there, and impulses grow until the point holds. Such a series is counted too. */
#include "step/classic/classic.h"
#include "step/motion/rotate.h"

#define CN_COLLIDE_STOP 1e-3 /* of the fastest approach at first: what is slower no longer counts as approaching */
/* Impulses in a frame, each substep its share: a crowd that presses needs more, and is what the method cannot do. */
#define CN_COLLIDE_MOST 30000

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

/* What follows from an impulse that has been given. */
static bool keep(cairn_world *w, cn_frame *f, cn_classic_point *p, v3 impulse)
{
	p->impulse = v3_add(p->impulse, impulse);
	cn_classic_mark(w, p->a), cn_classic_mark(w, p->b);
	++f->report.collisions;
	return note(w, p, impulse);
}

bool cn_classic_hit(cairn_world *w, cn_frame *f, cn_classic_point *p, v3 impulse)
{
	cn_classic_strike(w, f, p, impulse);
	return keep(w, f, p, impulse);
}

/* ---- a series */

/* A body while the series runs, which does not turn it. */
typedef struct series_body {
	cn_twist u;
	m3 inverse; /* of the inertia, world axes */
	double inv_mass;
} series_body;

/* A point's row along the normal. */
typedef struct series_row {
	cn_classic_point *point;
	v3 na, nb;     /* arms x normal */
	double weight; /* 1/kg: speed that a unit impulse gives */
} series_row;

typedef struct series {
	cairn_world *w;
	double touch;
	series_body *bodies; /* by slot */
	series_row *rows;    /* of those that may meet */
	uint32_t count;
	bool grows; /* at a point that slides an impulse left a faster approach than it ended */
} series;

/* m/s: how fast the two of a point that have met still approach; 0 where they have not met. */
static double approach_of(const series *s, const series_row *r)
{
	const cn_classic_point *p = r->point;
	const cn_twist *a = &s->bodies[p->a].u, *b = &s->bodies[p->b].u;
	double approach = v3_dot(p->n, v3_sub(a->v, b->v)) + v3_dot(r->na, a->w) - v3_dot(r->nb, b->w);
	return cn_classic_met(s->w, p, approach, s->touch) ? approach : 0;
}

/* 1/kg: how much speed a unit impulse gives to a body, m its moment. */
static double weight_of(const series_body *b, v3 m)
{
	return b->inv_mass > 0 ? b->inv_mass + v3_dot(m, m3_apply(b->inverse, m)) : 0;
}

static void give(const series *s, uint32_t slot, v3 arm, v3 impulse)
{
	series_body *b = &s->bodies[slot];
	cn_motion *m = &s->w->motion[slot];
	v3 moment = v3_cross(arm, impulse);
	if (!(b->inv_mass > 0))
		return;
	m->v = b->u.v = v3_madd(m->v, impulse, b->inv_mass);
	m->l = v3_add(m->l, moment);
	b->u.w = v3_add(b->u.w, m3_apply(b->inverse, moment));
}

/* As cn_classic_hit. */
static bool hit(const series *s, cn_frame *f, cn_classic_point *p, v3 impulse)
{
	v3 before = cn_classic_seen(s->bodies[p->a].u, s->bodies[p->b].u, p);
	give(s, p->a, p->ra, v3_neg(impulse));
	give(s, p->b, p->rb, impulse);
	cn_classic_book(s->w, f, p, impulse, cn_mean(before, cn_classic_seen(s->bodies[p->a].u, s->bodies[p->b].u, p)));
	return keep(s->w, f, p, impulse);
}

/* Friction after a normal impulse j. */
static bool rub(const series *s, cn_frame *f, cn_classic_point *p, double j)
{
	v3 u = cn_classic_seen(s->bodies[p->a].u, s->bodies[p->b].u, p), across = v3_madd(u, p->n, -v3_dot(u, p->n));
	double speed = v3_length(across);
	if (!(p->mu_kinetic > 0) || !(speed > 0))
		return true;
	v3 t = v3_scale(across, 1 / speed);
	double stops =
		speed / (weight_of(&s->bodies[p->a], v3_cross(p->ra, t)) + weight_of(&s->bodies[p->b], v3_cross(p->rb, t)));
	bool sticks = stops <= p->mu_static * j;
	double most = p->mu_kinetic * j;
	p->sliding = !sticks;
	return hit(s, f, p, v3_scale(t, -(sticks || stops < most ? stops : most)));
}

static bool collide_one(series *s, cn_frame *f, const series_row *r, double approach)
{
	double e = cn_classic_restitution(s->w, r->point, approach), j = (1 + e) * approach / r->weight;
	if (!hit(s, f, r->point, v3_scale(r->point->n, j)) || !rub(s, f, r->point, j))
		return false;
	s->grows |= r->point->sliding && approach_of(s, r) > approach;
	return true;
}

/* Points that do not touch meet in a series only where the method looks ahead. */
static bool may_meet(const series *s, const cn_classic_point *p)
{
	return s->w->context->classic->hold.moment > 0 || p->gap <= s->touch;
}

static void make_bodies(series *s)
{
	for (uint32_t slot = 0; slot < s->w->slots; ++slot) {
		const cn_rotor *r = &s->w->rotors[slot];
		series_body *b = &s->bodies[slot];
		b->u = cn_classic_twist(s->w, slot);
		if (r->active)
			b->inv_mass = r->inv_mass, b->inverse = cn_classic_inverse(r, s->w->motion[slot].q);
	}
}

static bool make_series(series *s, cn_arena *arena)
{
	cn_classic *k = s->w->context->classic;
	s->rows = cn_arena_take(arena, k->point_count + 1, sizeof *s->rows);
	s->bodies = cn_arena_take(arena, (size_t)s->w->slots + 1, sizeof *s->bodies);
	if (!s->rows || !s->bodies)
		return false;
	make_bodies(s);
	for (uint32_t i = 0; i < k->point_count; ++i) {
		cn_classic_point *p = &k->points[i];
		p->impulse = v3_zero(), p->sliding = false;
		if (!may_meet(s, p))
			continue;
		series_row *r = &s->rows[s->count++];
		r->point = p, r->na = v3_cross(p->ra, p->n), r->nb = v3_cross(p->rb, p->n);
		r->weight = weight_of(&s->bodies[p->a], r->na) + weight_of(&s->bodies[p->b], r->nb);
	}
	return true;
}

/* Impulses that a series may take: a substep's share of the frame's, but one a point always. */
static uint64_t series_most(const cairn_world *w)
{
	const cn_classic *k = w->context->classic;
	uint64_t left = k->struck < CN_COLLIDE_MOST ? CN_COLLIDE_MOST - k->struck : 0, share = CN_COLLIDE_MOST / w->steps;
	uint64_t most = share < left ? share : left;
	return most > k->point_count ? most : k->point_count;
}

/* Goes through the list once. least: what approaches no faster is let be; left: impulses that it may take, less by those taken, and
 * UINT64_MAX if a point approaches for which none is left. False: memory ran out. */
static bool traverse(series *s, cn_frame *f, double least, uint64_t *left)
{
	for (uint32_t i = 0; i < s->count; ++i) {
		double approach = approach_of(s, &s->rows[i]);
		if (!(approach > least))
			continue;
		if ((*left)-- == 0)
			return true;
		if (!collide_one(s, f, &s->rows[i], approach)) {
			f->report.status = CAIRN_STEP_MEMORY;
			return false;
		}
	}
	return true;
}

static bool run_series(series *s, cn_frame *f)
{
	cn_classic *k = s->w->context->classic;
	uint64_t most = series_most(s->w), left = most, before;
	double fastest = 0;
	for (uint32_t i = 0; i < s->count; ++i) {
		double approach = approach_of(s, &s->rows[i]);
		fastest = approach > fastest ? approach : fastest;
	}
	do {
		before = left;
		if (!traverse(s, f, CN_COLLIDE_STOP * fastest, &left))
			return false;
	} while (left < before);
	f->report.text_fallbacks += left == UINT64_MAX || s->grows;
	k->struck += left == UINT64_MAX ? most : most - left;
	return true;
}

bool cn_classic_collide(cairn_world *w, cn_frame *f, double touch)
{
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	series s = {.w = w, .touch = touch};
	bool ok = make_series(&s, arena);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	ok = ok && run_series(&s, f);
	cn_arena_return(arena, mark);
	return ok;
}

double cn_classic_touch(const cairn_world *w) { return CN_CLASSIC_TOUCH * w->context->scale; }

bool cn_propagation_apply(cairn_world *w, cn_frame *f) { return cn_classic_collide(w, f, cn_classic_touch(w)); }
