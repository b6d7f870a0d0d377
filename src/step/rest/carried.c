/* Rows of contacts between bodies that turn: a body on a turning support is carried round with it.
 *
 * A body moves by the mean of its velocities at the two ends of the frame. So a body that sticks must have its
 * support's velocity at both ends; at the frame's end that is the velocity where the contact is by then. Arms are those
 * of the frame's start. While two bodies turn together with w, their relative velocity v turns with them, to R v, and
 * so do the arms with which w moves the contact; hence the row misses R v - v. Without this term a body creeps outward
 * on a turning disk, by w^2 r dt in a second. R v is made longer than v by |w dt|^2/12, so that the mean of two such
 * velocities is the chord of the arc and not shorter.
 *
 * Impulses act in the middle of the frame, when the contact has gone half its way round. Then the forces between rider
 * and support do no work and conserve angular momentum.
 *
 * A contact point may also move over its bodies, or turn with one of them alone. Then a first solve predicts where the
 * bodies go, the pair is measured there, and its rows are rebuilt: impulses act about where the point is half-way, and
 * the constraint holds where it is at the end of the step. */
#include "base/trig.h"
#include "step/context.h"
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"

/* rule: turning contacts; x g; a contact point whose speed changes by more in a second through turning pushes where
 * it will be, unless it wanders at random; scene: scenes/validation/coin.json; test: validation/coin,
 * test_oba_hybrid/tumble_gains_nothing, test_oba_rules/swept_boxes_stay_on_the_floor; with: CN_STEADY, CN_PUSHES_FIRST */
#define CN_PREDICT_MIN 1e-6
#define CN_STEADY                                                                                                      \
	0.25 /* of its way: one that leaves the chord further wanders at random; a rim turns by 1.8 rad in it */
/* of a contact point's way: it pushes no earlier, and no later than as much before its end, or what a bar sweeps along
 * would be lifted */
#define CN_PUSHES_FIRST 0.25

static cn_twist twist_of(const cn_program *g, uint32_t slot)
{
	return g->index[slot] != CN_QP_NONE ? g->u[g->index[slot]] : (cn_twist){{0, 0, 0}, {0, 0, 0}};
}

/* Velocity at the start of the step. */
static cn_twist start_of(const cairn_world *w, uint32_t slot)
{
	if (w->context->program.index[slot] == CN_QP_NONE)
		return (cn_twist){{0, 0, 0}, {0, 0, 0}};
	return cn_path_driven(&w->context->paths.by_slot[slot]) ? cn_script_start(w, slot)
	                                                        : cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
}

/* The point nearest to zero between the two spins: their common spin if they turn together; zero if one stands, or if
 * they roll against each other. share: the weight of b's spin. */
static v3 common_spin(v3 a, v3 b, double *share)
{
	v3 more = v3_sub(b, a);
	double far = v3_length2(more), s = far > 0 ? -v3_dot(a, more) / far : 0.5;
	*share = s < 0 ? 0 : s > 1 ? 1 : s;
	return v3_madd(a, more, *share);
}

/* They turn together by half a turn or more in the step. The mean of a velocity and the same one half a turn later is nothing,
 * and then points backward: there is none that leads along the chord of the arc, and the row is the plain one. */
static bool turns_half(v3 spin, double dt) { return v3_length2(spin) * dt * dt >= CN_PI * CN_PI; }

/* The relative velocity that J u misses because the bodies turn together; zero if they do not. Moves the row's arms
 * to where the point is half-way round. */
static v3 go_round(const cairn_world *w, cn_twist a, cn_twist b, cn_qp_contact *row)
{
	double share, dt = w->dt;
	v3 spin = common_spin(a.w, b.w, &share), v = v3_sub(b.v, a.v), round = v3_cross(spin, v3_sub(row->ra, row->rb));
	double turn = v3_length2(spin) * dt * dt, fast = v3_length2(round);
	if (!(turn > 0) || turns_half(spin, dt))
		return v3_zero();
	double rides =
		fast > 0 ? v3_dot(v, round) / fast : 0; /* the share of that circular motion that they take part in */
	v3 half = v3_scale(round, 0.5 * dt * (rides < 0 ? 0 : rides > 1 ? 1 : rides));
	v3 later = v3_scale(q_rotate(q_exp(v3_scale(spin, dt)), v), 1 + turn / 12);
	row->ra = v3_madd(row->ra, half, 1 - share);
	row->rb = v3_madd(row->rb, half, -share);
	return v3_madd(v3_sub(v, later), v3_cross(spin, half), 1);
}

void cn_carried_row(const cairn_world *w, const cn_pair *p, cn_qp_contact *row)
{
	const cn_program *g = &w->context->program;
	v3 more = go_round(w, twist_of(g, p->a), twist_of(g, p->b), row);
	double along = v3_dot(row->n, more);
	row->least -= along;
	row->slip = v3_madd(more, row->n, -along);
}

/* ---- points that move over their bodies */

/* Predicted points of a pair, seen from a frame that turns with the common spin. */
typedef struct ahead {
	cn_contact_set set;
	v3 to_a, to_b; /* from the bodies' centres of mass to the parts' centres */
	bool known;
} ahead;

typedef struct prediction {
	const cairn_world *w;
	const cn_pair *pair;
	cn_twist a0, b0, a1, b1;  /* at the start of the step; predicted at its end */
	v3 moves, turn_a, turn_b; /* relative motion in the step without the common rotation */
	v3 n;                     /* normal at the end of the step */
	v3 later_a, later_b;      /* rad/s: change of the spins because the bodies have turned */
	ahead end, middle;        /* of the step */
	bool halfway;             /* the middle has been measured */
} prediction;

/* The place of a part after this motion. */
static cn_place place_at(const cairn_world *w, uint32_t part, v3 moved, v3 turn)
{
	const cn_context *c = w->context;
	const cn_place *now = &c->contacts.now[part];
	v3 centre = w->next[c->contacts.parts[part].slot].x;
	m3 r = m3_from_q(q_exp(turn));
	v3 arm = m3_apply(r, v3_sub(now->x, centre));
	return (cn_place){v3_add(v3_add(centre, moved), arm), m3_mul(r, now->r)};
}

/* Finds the points of a pair after a share of the step. False: there are none, or they are on another side. */
static bool predict(const prediction *f, double share, ahead *to)
{
	const cairn_world *w = f->w;
	const cn_pair *p = f->pair;
	v3 moved = v3_scale(f->moves, share);
	cn_place at_a = place_at(w, p->pa, v3_zero(), v3_scale(f->turn_a, share)),
			 at_b = place_at(w, p->pb, moved, v3_scale(f->turn_b, share));
	cn_witness witness = p->witness;
	cn_separation at;
	to->known = !cn_pair_contacts(w, p, (cn_part_places){&at_a, &at_b}, &witness, &at, &to->set) &&
	            v3_dot(at.n, p->at.n) > CN_CORNER;
	to->to_a = v3_sub(at_a.x, w->next[p->a].x), to->to_b = v3_sub(v3_sub(at_b.x, moved), w->next[p->b].x);
	return to->known;
}

static bool find_ahead(const ahead *to, uint64_t feature, v3 *ra, v3 *rb)
{
	for (uint32_t i = 0; to->known && i < to->set.count; ++i) {
		const cn_contact_point *q = &to->set.points[i];
		if (q->feature != feature)
			continue;
		*ra = v3_add(to->to_a, q->a), *rb = v3_add(to->to_b, q->b);
		return true;
	}
	return false;
}

/* Where two corners or edges lie on each other, rounding decides by which of them the point that both make is named. Under
 * another name it is the point that one of the bodies carries to the same place, up to the kept gap. */
static bool find_carried(const prediction *f, const cn_pair_point *t, v3 *ra, v3 *rb)
{
	const ahead *to = &f->end;
	v3 with_a = q_rotate(q_exp(f->turn_a), t->ra), with_b = q_rotate(q_exp(f->turn_b), t->rb);
	double least = f->pair->gap_target;
	bool found = false;
	for (uint32_t i = 0; to->known && i < to->set.count; ++i) {
		v3 a = v3_add(to->to_a, to->set.points[i].a), b = v3_add(to->to_b, to->set.points[i].b);
		double off_a = v3_distance(a, with_a), off_b = v3_distance(b, with_b), off = off_a < off_b ? off_a : off_b;
		if (off < least)
			least = off, *ra = a, *rb = b, found = true;
	}
	return found;
}

/* m/s: speed of its furthest point by rotation. An immovable body may be infinite. */
static double rim_speed(const cairn_world *w, uint32_t slot, double spin)
{
	return spin > 0 ? spin * w->bodies[slot].radius : 0;
}

/* Mean of two vectors in the turning frame. */
static v3 mean_of(v3 from, v3 to, quat back) { return v3_scale(v3_add(from, q_rotate(back, to)), 0.5); }

/* Predicts the motion of a pair. False: nothing is known, or it makes no difference. */
static bool predict_motion(const cairn_world *w, const cn_pair *p, prediction *f)
{
	const cn_program *g = &w->context->program;
	double share, dt = w->dt;
	f->w = w, f->pair = p, f->halfway = false;
	f->a0 = start_of(w, p->a), f->b0 = start_of(w, p->b), f->a1 = twist_of(g, p->a), f->b1 = twist_of(g, p->b);
	v3 spin = common_spin(f->a0.w, f->b0.w, &share), between = v3_sub(w->next[p->b].x, w->next[p->a].x);
	quat back = q_exp(v3_scale(spin, -dt));
	v3 wa = mean_of(f->a0.w, f->a1.w, back), wb = mean_of(f->b0.w, f->b1.w, back);
	v3 v = mean_of(v3_sub(f->b0.v, f->a0.v), v3_sub(f->b1.v, f->a1.v), back);
	double fast_a = v3_length(f->a0.w) + v3_length(f->a1.w), fast_b = v3_length(f->b0.w) + v3_length(f->b1.w);
	v = v3_sub(v, v3_cross(spin, between));
	double goes = v3_length(v) + rim_speed(w, p->a, fast_a) + rim_speed(w, p->b, fast_b);
	if (!((fast_a + fast_b) * goes > CN_PREDICT_MIN * w->context->gravity) || turns_half(spin, dt))
		return false;
	f->moves = v3_scale(v, dt), f->turn_a = v3_scale(v3_sub(wa, spin), dt), f->turn_b = v3_scale(v3_sub(wb, spin), dt);
	if (!predict(f, 1, &f->end))
		return false;
	f->n = q_rotate(q_exp(v3_scale(spin, dt)), f->end.set.n);
	f->later_a = cn_spin_later(&w->rotors[p->a], w->next[p->a].q, f->a0.w, f->a1.w, dt);
	f->later_b = cn_spin_later(&w->rotors[p->b], w->next[p->b].q, f->b0.w, f->b1.w, dt);
	return true;
}

/* The arm turns with its body. */
static bool rides(v3 from, v3 to, v3 turn)
{
	return v3_distance(q_rotate(q_exp(turn), from), to) <= CN_SAME * (v3_length(from) + v3_length(to));
}

/* The arm goes round by a quarter turn or more, and further than a step should: where it is at the end does not tell how it
 * got there, and the mean of its velocities at both ends is not that of its way. */
static bool whirls(const prediction *f, v3 arm, v3 turn)
{
	return turns_half(turn, 2) && v3_length(v3_cross(turn, arm)) > CN_SUBSTEP_MOTION * f->pair->thin;
}

/* The point moves evenly to its end. A point that neither body carries, such as that of a rolling rim, is also
 * measured half-way: on a flat face the nearest point of a rim may be anywhere. */
static bool steady(prediction *f, const cn_pair_point *t, v3 end_a, v3 end_b)
{
	v3 ra, rb;
	if (rides(t->ra, end_a, f->turn_a) || rides(t->rb, end_b, f->turn_b))
		return !whirls(f, t->ra, f->turn_a) && !whirls(f, t->rb, f->turn_b);
	if (!f->halfway)
		predict(f, 0.5, &f->middle);
	f->halfway = true;
	return find_ahead(&f->middle, t->feature, &ra, &rb) &&
	       v3_distance(ra, v3_lerp(t->ra, end_a, 0.5)) <= CN_STEADY * v3_distance(t->ra, end_a) &&
	       v3_distance(rb, v3_lerp(t->rb, end_b, 0.5)) <= CN_STEADY * v3_distance(t->rb, end_b);
}

/* The share of the point's path where its impulse acts. This is half-way, or better where the approach of the bodies'
 * points at the start equals their separation at the end, so that the impulse does no work. */
static double pushes_at(const prediction *f, v3 n, v3 arm_a, v3 arm_b)
{
	double near = v3_dot(n, v3_sub(v3_cross(f->b0.w, arm_b), v3_cross(f->a0.w, arm_a))),
		   part = v3_dot(n, v3_sub(v3_cross(f->b1.w, arm_b), v3_cross(f->a1.w, arm_a))), sum = near + part;
	double share = sum != 0 ? part / sum : 0.5;
	return share >= CN_PUSHES_FIRST && share <= 1 - CN_PUSHES_FIRST ? share : 0.5;
}

/* Rebuilds the row of a point that moves. The impulse acts where the point is half-way, along the normal there. The
 * constraint is that of the point and the normal at the end. */
static bool carry_points(prediction *f, const cn_pair_point *t, v3 from, cn_qp_contact *row)
{
	v3 end_a = t->ra, end_b = t->rb;
	bool named = find_ahead(&f->end, t->feature, &end_a, &end_b);
	if (!named && !find_carried(f, t, &end_a, &end_b))
		return false;
	if (named ? !steady(f, t, end_a, end_b) : whirls(f, t->ra, f->turn_a) || whirls(f, t->rb, f->turn_b))
		return false;
	double share = pushes_at(f, row->n, v3_sub(end_a, t->ra), v3_sub(end_b, t->rb));
	v3 ra = v3_lerp(t->ra, end_a, share), rb = v3_lerp(t->rb, end_b, share);
	row->ra = t->ra, row->rb = t->rb;
	v3 more = go_round(f->w, f->a0, f->b0, row), first = row->n;
	row->least += v3_dot(first, more);
	row->ra = v3_add(row->ra, v3_sub(ra, t->ra)), row->rb = v3_add(row->rb, v3_sub(rb, t->rb));
	row->n = v3_unit(v3_add(from, f->n));
	v3 more_a = v3_add(v3_cross(f->a1.w, v3_sub(end_a, ra)), v3_cross(f->later_a, end_a)),
	   more_b = v3_add(v3_cross(f->b1.w, v3_sub(end_b, rb)), v3_cross(f->later_b, end_b));
	more = v3_add(more, v3_sub(more_b, more_a));
	v3 a = v3_add(f->a1.v, v3_cross(f->a1.w, row->ra)), b = v3_add(f->b1.v, v3_cross(f->b1.w, row->rb));
	double along = v3_dot(row->n, more), aside = v3_dot(v3_sub(f->n, row->n), v3_add(v3_sub(b, a), more));
	row->least -= along + aside;
	row->slip = v3_madd(more, row->n, -along);
	return true;
}

/* ---- facets that a body comes to within the step */

/* A body goes from facet to facet of a mesh: it touches one where the step begins, and this pair is of another, which it
 * comes to within the step. *from: the normal of the first. */
static bool comes_from(const cairn_world *w, const cn_pair *p, v3 *from)
{
	const cn_context *c = w->context;
	const cn_pair *first = c->contacts.pairs, *end = first + c->contacts.pair_count, *touched = NULL;
	double near = CN_TOUCH_GAP * p->gap_target;
	if (c->contacts.parts[p->pb].kind != CN_PART_TRIANGLE || p->at.gap <= p->gap_target)
		return false;
	for (const cn_pair *q = p; q > first && q[-1].pa == p->pa; --q)
		if (q[-1].b == p->b && q[-1].near && q[-1].at.gap <= near)
			touched = q - 1, near = q[-1].at.gap;
	for (const cn_pair *q = p + 1; q < end && q->pa == p->pa; ++q)
		if (q->b == p->b && q->near && q->at.gap <= near)
			touched = q, near = q->at.gap;
	if (!touched || touched->at.gap >= p->at.gap || v3_dot(touched->at.n, p->at.n) < CN_CORNER)
		return false;
	*from = touched->at.n;
	return true;
}

/* The impulse of the step acts along the mean of the normals of its start and its end, and the law is that of the end. */
static void turn_normal(const cn_program *g, const cn_pair *p, v3 from, cn_qp_contact *row)
{
	cn_twist a = twist_of(g, p->a), b = twist_of(g, p->b);
	v3 n = row->n, v = v3_sub(v3_add(b.v, v3_cross(b.w, row->rb)), v3_add(a.v, v3_cross(a.w, row->ra)));
	row->n = v3_unit(v3_add(from, n));
	row->least -= v3_dot(v3_sub(n, row->n), v);
}

/* The most bodies of an island that is solved in double, also in one of several steps if joints hold it together. */
static uint32_t few_bodies(const cairn_world *w, const cn_pair *p)
{
	bool joined = cn_joints_of(w, p->a) != CN_QP_NONE || cn_joints_of(w, p->b) != CN_QP_NONE;
	return cn_islands_small(w->context->program.qp.body_count, !w->scene->options.precise, w->steps > 1 && !joined);
}

/* Only in small islands, which are solved accurately enough for it to matter. */
static void carry_pair(cairn_world *w, cn_pair *p, uint32_t first, uint32_t end)
{
	cn_program *g = &w->context->program;
	prediction f;
	p->rest.strays = false;
	if (first == end || p->rest.plain || g->island_size[cn_program_island(g, first)] > few_bodies(w, p))
		return;
	v3 from = p->at.n;
	bool enters = comes_from(w, p, &from), turns = predict_motion(w, p, &f);
	for (uint32_t i = first; i < end; ++i) {
		bool carried = turns && carry_points(&f, g->points[i], from, &g->contacts[i]);
		if (!carried && enters)
			turn_normal(g, p, from, &g->contacts[i]);
		p->rest.strays |= carried || enters;
	}
}

bool cn_carried_update(cairn_world *w)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	bool any = false;
	if (!p->qp.contact_count || cn_thesis_wanted(w))
		return false;
	cn_program_islands(p);
	cn_rows_answer(w, carry_pair);
	for (uint32_t i = 0; i < c->contacts.pair_count && !any; ++i)
		any = c->contacts.pairs[i].rest.strays;
	return any;
}
