/* Steps along the motion of a tree of links under constant forces, by the pair of orders five and four of Dormand and
 * Prince. The last stage of a step is the first of the next one. Quaternions are followed as four numbers, and are of
 * length 1 where they are used. */
#include "num/joint_tree.h"

#include <string.h>

enum { STAGES = 7 };

#define CN_TREE_STEP_TURN 0.3    /* rad: of the fastest link in the first step that is tried */
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

/* Derivatives at coordinates and rates. */
static void evaluate(cn_joint_tree *t, uint32_t stage, const double *place, const double *rate)
{
	double *out = stage_of(t, stage);
	cn_joint_tree_accelerate(t, place, rate, out + t->places);
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

void cn_joint_tree_begin(cn_joint_tree *t)
{
	if (!t->begun)
		evaluate(t, 0, t->place, t->rate);
	t->begun = true;
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

double cn_joint_tree_step(cn_joint_tree *t, double h, double span)
{
	uint32_t all = t->places + t->rates;
	double *off = stage_of(t, 1), error = 0, start = t->time;
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
	for (uint32_t i = 0; i < t->count; ++i)
		error = worse(error, error_at(t, i, off, span));
	return error;
}

void cn_joint_tree_accept(cn_joint_tree *t, double h)
{
	uint32_t all = t->places + t->rates;
	for (uint32_t i = 0; i < t->count; ++i) {
		v3 sum = v3_zero();
		for (uint32_t k = 0; k < STAGES - 1; ++k)
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
