/* Distances and speeds that decide how a pair is treated: the gap it is to keep, the gap its rows ask for, its bound of
 * motion, the reach beyond which it does not matter; and which of its points touch, and how fast these approach after the
 * position stage. */
#include "base/tolerance.h"
#include "step/contact/contact.h"
#include "step/context.h"
#include "step/hooks.h"
#include "step/tolerance.h"

#define CN_REOPEN_FALLS 6.5 /* x sqrt(thickness/g): the time in which a pair that moves gets its gap back ... */
#define CN_REOPEN_FRAMES 16 /* ... or so many frames, where there is no gravity for it to cost anything */
/* rule: gaps for the proof; x the bulge; what turns in touch gets the gap that the proof of its motion takes at
 * once, or it is pushed apart where it rolls and wins height; scene: built by the test; test:
 * test_oba_motion/rolling_gains_nothing */
#define CN_ASK_PROOF 5.0
/* of the thickness: gaps wider than a pair's motion and this are of no interest; neighbours push */
#define CN_REACH_PAD 0.02

static double lesser(double a, double b) { return a < b ? a : b; } /* a call of fmin costs more */
static double thinner(const cn_part *a, const cn_part *b) { return lesser(a->thickness, b->thickness); }

/* m: what is added to a kept gap, so that a proof can see it. */
static double seen(const cn_context *c, uint32_t pa, double thin)
{
	return CN_KEPT_ULPS * DBL_EPSILON * (v3_max(v3_abs(c->contacts.start[pa].x)) + thin);
}

double cn_pair_thin(const cn_context *c, uint32_t pa, uint32_t pb)
{
	double thin = thinner(&c->contacts.parts[pa], &c->contacts.parts[pb]);
	return (CN_KEPT_GAP * thin + seen(c, pa, thin)) / CN_KEPT_GAP;
}

static double kept(const cn_part *part) { return part->gap > 0 ? part->gap : CN_KEPT_GAP * part->thickness; }

double cn_pair_gap_target(const cn_context *c, uint32_t pa, uint32_t pb)
{
	const cn_part *a = &c->contacts.parts[pa], *b = &c->contacts.parts[pb];
	return lesser(kept(a), kept(b)) + seen(c, pa, thinner(a, b));
}

cn_range cn_pair_range(const cn_context *c, uint32_t pa, uint32_t pb, const cn_stride *sa, const cn_stride *sb)
{
	const cn_part *a = &c->contacts.parts[pa], *b = &c->contacts.parts[pb];
	double thin = thinner(a, b);
	cn_range r;
	r.gap_target = cn_pair_gap_target(c, pa, pb);
	r.thin = cn_pair_thin(c, pa, pb);
	double far = v3_length(sa->dx), far_b = v3_length(sb->dx), apart = v3_length(v3_sub(sa->dx, sb->dx));
	far = far > far_b ? far : far_b; /* one of them may be stopped while the other goes on */
	r.motion = (far > apart ? far : apart) + sa->swing + sb->swing;
	r.reach = r.gap_target + r.motion + CN_REACH_PAD * thin;
	return r;
}

bool cn_pair_possible(const cairn_world *w, uint32_t a, uint32_t b)
{
	return a != b && !w->away[a] && !w->away[b] && cn_body_collide(&w->bodies[a], &w->bodies[b]) &&
	       !cn_joints_exempt(w, a, b);
}

/* A little more than theta^2 rho / 8 of a body with this swing: how far its points leave the chord. */
static double bulge_of(const cairn_world *w, uint32_t slot)
{
	double swing = w->context->contacts.strides[slot].swing;
	return swing > 0 ? swing * swing / (8 * w->bodies[slot].radius) : 0;
}

/* The share of the target gap that a pair regains in one step. */
static double reopens(const cairn_world *w, const cn_pair *p)
{
	double fall = sqrt(p->thin / w->context->gravity);
	return isfinite(fall) ? w->dt / (CN_REOPEN_FALLS * fall) : cn_step_share(w) / CN_REOPEN_FRAMES;
}

double cn_pair_opens(const cairn_world *w, const cn_pair *p) { return p->gap_target * reopens(w, p); }

static double had(const cn_pair *p) { return p->frame_start.gap > 0 ? p->frame_start.gap : 0; }

/* m: the gap that the proof of its motion takes if it begins in touch: four times the bulge. */
static double proof_of(const cairn_world *w, const cn_pair *p)
{
	return CN_ASK_PROOF * (bulge_of(w, p->a) + bulge_of(w, p->b));
}

/* The gap that a pair's rows ask for is its present gap and a little more, up to the target. It is at least four
 * times the bulge, which the proof of a motion that begins in touch needs. */
void cn_pair_request_gap(const cairn_world *w, cn_pair *p)
{
	double proof = proof_of(w, p), gap = had(p) + cn_pair_opens(w, p);
	gap = gap > proof ? gap : proof;
	p->gap_request = gap < p->gap_target ? gap : p->gap_target;
}

double cn_pair_opens_free(const cairn_world *w, const cn_pair *p)
{
	double more = p->gap_request - had(p), slowly = cn_pair_opens(w, p), beyond = p->gap_request - proof_of(w, p),
		   unpaid = slowly > beyond ? slowly : beyond;
	return unpaid < more ? unpaid : more;
}

/* ---- points that touch */

static bool is_ball(const cn_part *p) { return p->kind == CN_PART_SOLID && p->convex->kind == CAIRN_SPHERE; }

static bool has_ball(const cairn_world *w, const cn_pair *p)
{
	const cn_part *parts = w->context->contacts.parts;
	return is_ball(&parts[p->pa]) || is_ball(&parts[p->pb]);
}

/* A point touches if its gap is about the one its rows asked for. One that is hit also closes the rest of it within a
 * step. A ball that is hit has nothing left to close: it never lands flat, and if it were hit before it gets there, as it
 * rolls from facet to facet, it would fall the rest. A point that closes within a short moment touches, so that all corners
 * of a body that lands flat are hit; that counts from the nearest point of the pair if it touches, wherever its gap ends.
 * One that a row stopped may be a little further away. speed: m/s, its approach. */
bool cn_point_touches(const cairn_world *w, const cn_pair *p, const cn_pair_point *t, double speed)
{
	const cn_context *c = w->context;
	bool hit = speed > c->threshold;
	double closes = speed > 0 ? speed * w->dt : 0, more = (CN_TOUCH_GAP - 1) * p->gap_request;
	if (hit && has_ball(w, p))
		more = CN_AS_BUILT_GAP * p->gap_request;
	more = (hit && closes < more ? closes : more) + CN_TOUCH_MOMENT * closes;
	double near = p->gap_request + more;
	if (p->position.blocks || t->gap <= near || (p->at.gap <= near && t->gap <= p->at.gap + more))
		return true;
	bool pushed = t->position.push > 0 || v3_length2(p->position.side.axis) > 0 ||
	              (p->position.row_stopped && t->gap <= p->at.gap + near);
	return pushed && t->gap <= CN_TOUCH_PUSHED * p->gap_target;
}

bool cn_pair_fast(const cairn_world *w, const cn_pair *p)
{
	double speed = 0;
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i) {
		const cn_motion *m = &w->next[slots[i]];
		if (cn_body_movable(w, slots[i]))
			speed += v3_length(m->v) + v3_length(m->l) * w->rotors[slots[i]].inv_least * w->bodies[slots[i]].radius;
	}
	return speed > w->context->threshold;
}

double cn_point_approach_left(const cairn_world *w, const cn_pair *p, const cn_pair_point *t)
{
	const uint32_t slots[2] = {p->a, p->b};
	const v3 arms[2] = {t->ra, t->rb};
	double speed = 0;
	for (int i = 0; i < 2; ++i) {
		cn_twist u = cn_twist_of(w, slots[i], w->next[slots[i]].q, &w->next[slots[i]]);
		double along = v3_dot(p->at.n, v3_add(u.v, v3_cross(u.w, arms[i])));
		speed += !cn_body_movable(w, slots[i]) ? 0 : i ? -along : along;
	}
	/* a ball that comes back to where it left in the step counts as hit before it is all the way there; one that the bounce
	 * struck from behind has that impact before it */
	bool back = t->rest.returns && has_ball(w, p) && !p->bounce.struck;
	return speed > w->context->threshold && (back || cn_point_touches(w, p, t, speed)) ? speed : 0;
}
