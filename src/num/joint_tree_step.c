/* Steps along the motion of a tree of links. Quaternions are followed as four numbers, and are of length 1 where they
 * are used.
 *
 * Under constant forces a step is one of the pair of orders five and four of Dormand and Prince. Its last stage is the
 * first of the next one.
 *
 * Servos may be far stiffer than a step is short. A step of h in which one of them would do more than turn its joint about
 * goes in one, two, three and four Euler steps that are implicit in what servos do: with K and D of a servo, its rate's change c obeys (H + D k + K k^2) c = forces - K k rate
 * for a step of k, so that a servo adds to the inertia of its joint. Extrapolation of the four results is of the fourth
 * order, and stable for any gains. */
#include "num/joint_tree.h"

#include <string.h>

enum { STAGES = 7 };

#define CN_TREE_STEP_TURN 0.1 /* rad: of the fastest link in the first step that is tried; few are taken back then */
#define CN_TREE_STIFF                                                                                                  \
	4.0 /* what servos add to the inertia of a joint in a step, of it: explicit steps of small error do up to this ... */
#define CN_TREE_STEADY 1.0       /* ... and those whose error is not asked */
#define CN_TREE_SERVO_ROUNDS 4   /* of telling servos that are too weak from those that are not */
#define CN_TREE_STEP_SHARE 0.9   /* of the length that would just do */
#define CN_TREE_STEP_LONGER 5.0  /* a step is so many times as long as the one before at most ... */
#define CN_TREE_STEP_SHORTER 0.1 /* ... and at least */

static const double when[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double weight[STAGES][STAGES - 1] = {
	{0, 0, 0, 0, 0, 0},
	{1.0 / 5, 0, 0, 0, 0, 0},
	{3.0 / 40, 9.0 / 40, 0, 0, 0, 0},
	{44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0},
	{19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0},
	{9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0},
	{35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double error_of[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                        -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static double *stage_of(const cn_joint_tree *t, uint32_t stage)
{
	return t->stages + stage * (size_t)(t->places + t->rates);
}

/* ---- servos */

/* What a servo pushes with where it is, and k from now on if its rate did not change. */
static double pushes(const cn_joint_tree *t, const cn_tree_servo *s, double place, double rate, double k)
{
	return s->stiffness * (s->target + s->drift * (t->time + k) - place - k * rate) + s->damping * (s->speed - rate);
}

/* No more than this, whatever the direction. True: it was more. */
static bool bound(double *push, uint32_t count, double most)
{
	double size = count == 1 ? fabs(push[0]) : sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
	if (!(size > most))
		return false;
	for (uint32_t i = 0; i < count; ++i)
		push[i] = count > 1 ? push[i] * (most / size) : push[i] > 0 ? most : -most;
	return true;
}

static bool acts(const cn_tree_servo *s) { return s->stiffness != 0 || s->damping != 0; }

/* The turn that is left to a ball's aim k from now on, and how that turns, world axes; poses are those last put. */
static v3 left_to(const cn_joint_tree *t, uint32_t link, const double *place, double k, v3 *swing)
{
	const cn_tree_servo *s = &t->servo[link];
	const double *at = place + t->links[link].place;
	uint32_t p = t->links[link].parent;
	quat q = q_unit((quat){at[0], at[1], at[2], at[3]});
	quat on = p == CN_TREE_BASE ? q_mul(q_exp(v3_scale(t->base_spin, t->time)), t->base.orientation) : t->bodies[p].q;
	quat aim = s->swings ? q_mul(q_exp(v3_scale(s->swing, t->time + k)), s->aim) : s->aim;
	*swing = s->swings ? q_rotate(on, s->swing) : v3_zero();
	return q_rotate(on, q_log(q_mul(aim, q_conj(q))));
}

/* What a link's servo pushes with over a time k, for each of its rates, and what it adds to their inertias. */
static void add_servo(cn_joint_tree *t, uint32_t link, const double *place, const double *rate, double k)
{
	const cn_tree_servo *s = &t->servo[link];
	const cn_tree_link *l = &t->links[link];
	double push[3] = {0, 0, 0};
	v3 swing = v3_zero(), left = l->kind == CN_TREE_BALL ? left_to(t, link, place, k, &swing) : v3_zero();
	for (uint32_t i = 0; i < l->rates; ++i) {
		double r = rate[l->rate + i];
		push[i] = l->kind == CN_TREE_BALL
		              ? s->stiffness * (v3_at(left, (int)i) - k * r) + s->damping * (v3_at(swing, (int)i) - r)
		              : pushes(t, s, place[l->place], r, k);
	}
	if (k == 0)
		bound(push, l->rates, s->most);
	for (uint32_t i = 0; i < l->rates; ++i) {
		t->push[l->rate + i] += push[i];
		t->added[l->rate + i] += k * s->damping + k * k * s->stiffness;
	}
}

/* A servo that would push with more than it has, at these changes of the rates, pushes with the most: true. */
static bool gives_in(cn_joint_tree *t, uint32_t link, const double *given, const double *added, const double *change)
{
	const cn_tree_servo *s = &t->servo[link];
	const cn_tree_link *l = &t->links[link];
	double push[3] = {0, 0, 0};
	if (!acts(s) || t->added[l->rate] == added[l->rate])
		return false; /* none, or weak already */
	for (uint32_t i = 0; i < l->rates; ++i) {
		uint32_t r = l->rate + i;
		push[i] = t->push[r] - given[r] - (t->added[r] - added[r]) * change[r];
	}
	if (!bound(push, l->rates, s->most))
		return false;
	for (uint32_t i = 0; i < l->rates; ++i)
		t->push[l->rate + i] = given[l->rate + i] + push[i], t->added[l->rate + i] = added[l->rate + i];
	return true;
}

/* Changes of the rates over a time k, 0 for accelerations now, with what servos push with at its end. */
static void accelerate(cn_joint_tree *t, const double *place, const double *rate, double k, double *change)
{
	double *given = stage_of(t, STAGES), *added = given + t->rates; /* as they are without servos */
	bool balls = false;
	for (uint32_t i = 0; i < t->rates; ++i)
		given[i] = t->push[i], added[i] = t->added[i];
	for (uint32_t i = 0; i < t->count && t->stiff; ++i)
		balls |= acts(&t->servo[i]) && t->links[i].kind == CN_TREE_BALL;
	if (balls)
		cn_joint_tree_put(t, place);
	for (uint32_t i = 0; i < t->count && t->stiff; ++i)
		if (acts(&t->servo[i]))
			add_servo(t, i, place, rate, k);
	bool again = true;
	for (uint32_t round = 0; again; ++round) {
		cn_joint_tree_accelerate(t, place, rate, change);
		again = false;
		for (uint32_t i = 0; i < t->count && t->stiff && k > 0 && round < CN_TREE_SERVO_ROUNDS; ++i)
			again |= gives_in(t, i, given, added, change);
	}
	for (uint32_t i = 0; i < t->rates; ++i)
		t->push[i] = given[i], t->added[i] = added[i];
}

/* ---- explicit steps */

/* Derivatives at coordinates and rates. */
static void evaluate(cn_joint_tree *t, uint32_t stage, const double *place, const double *rate)
{
	double *out = stage_of(t, stage);
	accelerate(t, place, rate, 0, out + t->places);
	cn_joint_tree_drift(t, place, rate, out);
	for (uint32_t i = 0; i < t->count; ++i)
		t->spins[stage * (size_t)t->count + i] = t->bodies[i].spin;
}

/* next = now + h times the sum of the stages so far. */
static void advance(cn_joint_tree *t, uint32_t stage, double h)
{
	uint32_t all = t->places + t->rates;
	for (uint32_t i = 0; i < all; ++i) {
		double sum = 0;
		for (uint32_t k = 0; k < stage; ++k)
			sum += weight[stage][k] * stage_of(t, k)[i];
		t->next_place[i] = t->place[i] + h * sum;
	}
}

static double worse(double error, double x) { return fabs(x) > error || isnan(x) ? fabs(x) : error; }

/* Error of a link's coordinates and rates. */
static double error_at(const cn_joint_tree *t, uint32_t link, const double *off, double span)
{
	const cn_tree_link *l = &t->links[link];
	const double *place = off + l->place, *rate = off + t->places + l->rate;
	double by = 1 / t->size, error = 0;
	for (uint32_t k = 0; k < l->places; ++k) {
		bool far =
			l->kind == CN_TREE_SLIDER || (l->kind == CN_TREE_PLANAR && k < 2) || (l->kind == CN_TREE_FREE && k < 3);
		bool half = l->kind == CN_TREE_BALL || (l->kind == CN_TREE_FREE && k >= 3); /* of an angle */
		error = worse(error, place[k] * (far ? by : half ? 2 : 1));
	}
	for (uint32_t k = 0; k < l->rates; ++k) {
		bool far =
			l->kind == CN_TREE_SLIDER || (l->kind == CN_TREE_PLANAR && k < 2) || (l->kind == CN_TREE_FREE && k >= 3);
		error = worse(error, rate[k] * span * (far ? by : 1));
	}
	return error;
}

/* The largest damping and stiffness of servos, by the inertia of their joints as the tree was last evaluated. */
static void find_gains(cn_joint_tree *t)
{
	t->damped = t->stiffened = 0;
	for (uint32_t i = 0; i < t->count && t->stiff; ++i)
		for (uint32_t k = 0; k < t->links[i].rates && acts(&t->servo[i]); ++k) {
			double inverse = t->columns[t->links[i].rate + k].inverse;
			t->damped = fmax(t->damped, inverse * t->servo[i].damping);
			t->stiffened = fmax(t->stiffened, inverse * t->servo[i].stiffness);
		}
}

void cn_joint_tree_begin(cn_joint_tree *t)
{
	if (!t->begun) {
		evaluate(t, 0, t->place, t->rate);
		find_gains(t);
	}
	t->begun = true;
}

bool cn_joint_tree_stiff(const cn_joint_tree *t, double h)
{
	return h * t->damped + h * h * t->stiffened > (h > t->least ? CN_TREE_STIFF : CN_TREE_STEADY);
}

/* As far as the fastest link turns by an angle, or begins to. */
double cn_joint_tree_first(const cn_joint_tree *t)
{
	double square = 0;
	const double *change = stage_of(t, 0) + t->places;
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		double spin = v3_length2(t->spins[i]);
		square = spin > square ? spin : square;
		for (uint32_t k = 0; k < l->rates && l->kind != CN_TREE_SLIDER; ++k) {
			bool far = (l->kind == CN_TREE_PLANAR && k < 2) || (l->kind == CN_TREE_FREE && k >= 3);
			double rises = far ? 0 : fabs(change[l->rate + k]);
			square = rises > square ? rises : square;
		}
	}
	return CN_TREE_STEP_TURN / sqrt(square);
}

/* The largest error of all coordinates and rates. */
static double worst_of(const cn_joint_tree *t, const double *off, double span)
{
	double error = 0;
	for (uint32_t i = 0; i < t->count; ++i)
		error = worse(error, error_at(t, i, off, span));
	return error;
}

static double step_explicit(cn_joint_tree *t, double h, double span)
{
	uint32_t all = t->places + t->rates;
	double *off = stage_of(t, 1), start = t->time;
	for (uint32_t stage = 1; stage < STAGES; ++stage) {
		advance(t, stage, h);
		t->time = start + when[stage] * h;
		evaluate(t, stage, t->next_place, t->next_rate);
	}
	t->time = start;
	for (uint32_t i = 0; i < all; ++i) {
		double sum = 0;
		for (uint32_t k = 0; k < STAGES; ++k)
			sum += error_of[k] * stage_of(t, k)[i];
		off[i] = h * sum;
	}
	return worst_of(t, off, span);
}

/* ---- implicit steps */

enum { ROWS = 4 };

/* count Euler steps through a time h, into next_place and next_rate. */
static void euler(cn_joint_tree *t, double h, uint32_t count)
{
	uint32_t all = t->places + t->rates;
	double *change = stage_of(t, STAGES - 1), start = t->time, k = h / count;
	memcpy(t->next_place, t->place, all * sizeof *t->place);
	for (uint32_t i = 0; i < count; ++i) {
		t->time = start + i * k;
		accelerate(t, t->next_place, t->next_rate, k, change + t->places);
		for (uint32_t r = 0; r < t->rates; ++r)
			t->next_rate[r] += k * change[t->places + r];
		cn_joint_tree_drift(t, t->next_place, t->next_rate, change);
		for (uint32_t p = 0; p < t->places; ++p)
			t->next_place[p] += k * change[p];
	}
	t->time = start;
}

/* Results of 1 to j Euler steps are extrapolated to steps of length 0, row by row (Aitken and Neville). */
static double step_implicit(cn_joint_tree *t, double h, double span)
{
	uint32_t all = t->places + t->rates;
	double *off = stage_of(t, ROWS + 1);
	for (uint32_t j = 1; j <= ROWS; ++j) { /* stages 1 to ROWS hold the last row of the scheme, its first column last */
		euler(t, h, j);
		for (uint32_t i = 0; i < all; ++i) {
			double x = t->next_place[i];
			for (uint32_t k = 1; k < j; ++k) {
				double *kept = &stage_of(t, k)[i], better = x + (x - *kept) / ((double)j / (j - k) - 1);
				*kept = x, x = better;
			}
			stage_of(t, j)[i] = x;
		}
	}
	for (uint32_t i = 0; i < all; ++i) {
		off[i] = stage_of(t, ROWS)[i] - stage_of(t, ROWS - 1)[i];
		t->next_place[i] = stage_of(t, ROWS)[i];
	}
	double start = t->time;
	t->time = start + h;
	evaluate(t, STAGES - 1, t->next_place, t->next_rate);
	t->time = start;
	return worst_of(t, off, span);
}

double cn_joint_tree_step(cn_joint_tree *t, double h, double span)
{
	t->implicit = cn_joint_tree_stiff(t, h);
	return t->implicit ? step_implicit(t, h, span) : step_explicit(t, h, span);
}

void cn_joint_tree_accept(cn_joint_tree *t, double h)
{
	uint32_t all = t->places + t->rates;
	for (uint32_t i = 0; i < t->count; ++i) {
		const v3 *first = &t->spins[i], *last = &t->spins[(STAGES - 1) * (size_t)t->count + i];
		v3 sum = v3_scale(v3_add(*first, *last), 0.5 * h);
		if (!t->implicit)
			sum = v3_zero();
		for (uint32_t k = 0; k < STAGES - 1 && !t->implicit; ++k)
			sum = v3_madd(sum, t->spins[k * (size_t)t->count + i], h * weight[STAGES - 1][k]);
		t->turned[i] = sum;
	}
	memcpy(t->place, t->next_place, all * sizeof *t->place);
	memcpy(stage_of(t, 0), stage_of(t, STAGES - 1), all * sizeof *t->place);
	memcpy(t->spins, t->spins + (STAGES - 1) * (size_t)t->count, t->count * sizeof *t->spins);
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		double *at = t->place + l->place + (l->kind == CN_TREE_FREE ? 3 : 0);
		if (l->kind != CN_TREE_BALL && l->kind != CN_TREE_FREE)
			continue;
		quat q = q_unit((quat){at[0], at[1], at[2], at[3]});
		at[0] = q.w, at[1] = q.x, at[2] = q.y, at[3] = q.z;
	}
	t->time += h;
}

void cn_joint_tree_changed(cn_joint_tree *t) { t->begun = false; }

/* The error goes with the fifth power of the length. A root that is a little too cautious is one of square roots. */
double cn_joint_tree_length(double h, double error)
{
	double goal = error > 0 ? CN_TREE_ACCURACY / error : INFINITY, fourth = sqrt(sqrt(goal)), eighth = sqrt(fourth);
	double times = CN_TREE_STEP_SHARE * (goal < 1 ? fourth : eighth * sqrt(eighth));
	times = times < CN_TREE_STEP_LONGER ? times : CN_TREE_STEP_LONGER;
	return h * (times > CN_TREE_STEP_SHORTER ? times : CN_TREE_STEP_SHORTER); /* also if the error is not a number */
}
