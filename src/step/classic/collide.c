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
#define CN_COLLIDE_MOST                                                                                                \
	100 /* impulses a point in a series at most; a stack of ten cubes needs more, and is what the method cannot do */
#define CN_COLLIDE_STILL 2.0 /* x g dt: what gravity brings in two substeps is no impact, and does not bounce */

double cn_classic_restitution(const cairn_world *w, const cn_classic_point *p, double approach)
{
	return approach > CN_COLLIDE_STILL * v3_length(w->scene->settings.gravity) * w->dt ? p->eps : 0;
}

/* m/s: how fast the two of a point that have met still approach; 0 where they have not met. */
static double approach_of(const cairn_world *w, const cn_classic_point *p, double touch)
{
	double approach = -v3_dot(cn_classic_approach(w, p), p->n);
	return cn_classic_met(w, p, approach, touch) ? approach : 0;
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

bool cn_classic_collide(cairn_world *w, cn_frame *f, double touch)
{
	cn_classic *k = w->context->classic;
	double fastest = 0;
	for (uint32_t i = 0; i < k->point_count; ++i) {
		double approach = approach_of(w, &k->points[i], touch);
		fastest = approach > fastest ? approach : fastest;
		k->points[i].impulse = v3_zero(), k->points[i].sliding = false;
	}
	uint64_t left = (uint64_t)CN_COLLIDE_MOST * k->point_count;
	for (uint32_t i = 0; i < k->point_count; ++i) {
		cn_classic_point *p = &k->points[i];
		double approach = approach_of(w, p, touch);
		if (!(approach > CN_COLLIDE_STOP * fastest))
			continue;
		if (left-- == 0) {
			++f->report.text_fallbacks;
			return true;
		}
		if (!collide_one(w, f, p, approach)) {
			f->report.status = CAIRN_STEP_MEMORY;
			return false;
		}
		i = UINT32_MAX; /* from the beginning: what was separating may approach now */
	}
	return true;
}

double cn_classic_touch(const cairn_world *w) { return CN_CLASSIC_TOUCH * w->context->scale; }

bool cn_propagation_apply(cairn_world *w, cn_frame *f) { return cn_classic_collide(w, f, cn_classic_touch(w)); }
