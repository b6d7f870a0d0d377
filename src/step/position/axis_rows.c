/* Rows that push a pair apart along the separating axis of its leg, and the largest step of a repair round. */
#include "step/context.h"

#define CN_RESTORE_STEP 0.02 /* of the thinner part: the most that one round asks for; of a body's radius ... */
#define CN_RESTORE_FAST                                                                                                \
	0.5 /* ... and no more than this of its part, where a pair goes further than its thickness ... */
/* rule: thin and fast; x the part's thickness; a body with a larger radius whose pair goes further than its
 * thickness is mended by up to CN_RESTORE_FAST of that in a round; scene: scenes/torture/plates.json; test:
 * test_oba_clear/fast_plates_are_not_held; with: CN_RESTORE_FAST */
#define CN_RESTORE_THIN 2.0
#define CN_AXIS_LEAN 0.1 /* tangent: an edge or face that leans less against the axis is pushed at all its corners */

/* m: the step of a repair round for a fast plate or needle; 0: the body is neither. */
static double thin_step(const cairn_world *w, uint32_t slot, uint32_t part)
{
	double thick = w->context->contacts.parts[part].thickness, radius = w->bodies[slot].radius;
	if (!cn_body_movable(w, slot) || radius < CN_RESTORE_THIN * thick)
		return 0;
	double step = CN_RESTORE_STEP * radius;
	return step < CN_RESTORE_FAST * thick ? step : CN_RESTORE_FAST * thick;
}

/* m: the most that one repair round asks of a pair: a share of its thickness. The shortage of a fast pair grows with
 * its size, so a body that is thin for its size may take larger steps, or all rounds would not suffice. */
double cn_repair_step(const cairn_world *w, const cn_pair *p)
{
	double slow = CN_RESTORE_STEP * p->thin, a = thin_step(w, p->a, p->pa), b = thin_step(w, p->b, p->pb);
	double fast = a == 0 || (b > 0 && b < a) ? b : a;
	fast = fast < CN_RESTORE_FAST * p->thin ? fast : CN_RESTORE_FAST * p->thin;
	return fast < slow || cn_pair_motion(w->context, p) < p->thin ? slow : fast;
}

static void axis_row(cn_row_store *s, uint32_t pair, v3 a, v3 b)
{
	const cairn_world *w = s->w;
	const cn_pair *p = &w->context->contacts.pairs[pair];
	double missing = p->side.gap - v3_dot(p->side.axis, v3_sub(b, a)), max = cn_repair_step(w, p);
	cn_qp_contact row = {.a = p->a,
	                     .b = p->b,
	                     .n = p->side.axis,
	                     .ra = v3_sub(a, w->next[p->a].x),
	                     .rb = v3_sub(b, w->next[p->b].x),
	                     .least = missing < max ? missing : max};
	cn_row_put(s, &row, NULL, pair, (cn_qp_impulse){0, 0, 0});
}

static bool same(v3 a, v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The extreme points of a part along an axis: the furthest one, and the others of the edge or face there. */
static uint32_t ends_along(const cn_context *c, uint32_t part, v3 axis, v3 ends[5])
{
	v3 t = v3_unit(v3_cross(axis, fabs(axis.x) < 0.6 ? v3_make(1, 0, 0) : v3_make(0, 1, 0))), s = v3_cross(axis, t);
	uint32_t count = 1;
	ends[0] = cn_support_point(c->contacts.parts[part].convex, &c->contacts.now[part], axis);
	for (int i = 0; i < 4 && !c->paths.by_slot[c->contacts.parts[part].slot].round; ++i) {
		v3 aside = v3_add(i & 1 ? t : v3_neg(t), i & 2 ? s : v3_neg(s));
		v3 x = cn_support_point(c->contacts.parts[part].convex, &c->contacts.now[part],
		                        v3_madd(axis, aside, CN_AXIS_LEAN));
		bool old = false;
		for (uint32_t k = 0; k < count; ++k)
			old |= same(ends[k], x);
		if (!old)
			ends[count++] = x;
	}
	return count;
}

/* Every extreme point gets a row. If only one were pushed, bodies would rock to and fro. */
void cn_repair_axis_rows(cn_row_store *store, uint32_t pair)
{
	const cn_context *c = store->w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	v3 a[5], b[5], axis = p->side.axis;
	bool plane = c->contacts.parts[p->pb].plane;
	uint32_t count_a = ends_along(c, p->pa, axis, a), count_b = plane ? 1 : ends_along(c, p->pb, v3_neg(axis), b);
	if (plane)
		b[0] = v3_madd(a[0], axis, cn_pair_along(c, p, c->contacts.now, axis));
	for (uint32_t i = 0; i < count_a; ++i)
		axis_row(store, pair, a[i], plane ? v3_madd(a[i], axis, v3_dot(axis, v3_sub(b[0], a[i]))) : b[0]);
	for (uint32_t i = 1; i < count_b; ++i)
		axis_row(store, pair, a[0], b[i]);
}
