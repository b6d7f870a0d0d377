/* Values measured at five frame rates: how near they are, and whether they come nearer. See trial.h. */
#include "trial.h"

#include <stdio.h>
#include <string.h>

static const double rates[] = {1, 2, 4, 8, 1000.0 / 30}; /* of 30 frames a second */

/* Of an error after half the step: a half to first order, and some room for what is of higher order and for phases. */
static const double most_left = 0.6;

enum { RATES = 5, AT_240 = 3 };

static void tell(result *r, const truth *w, const char *what, double value, double share)
{
	if (w->scale > 0)
		within(r, what, w->unit, w->expected, value, share * w->scale);
	else
		near(r, what, w->unit, w->expected, value, share);
}

static double error_of(const truth *w, double value)
{
	double off = fabs(value - w->expected) / (w->scale > 0 ? w->scale : fabs(w->expected));
	return off == off ? off : INFINITY;
}

/* The largest share of an error that the next rate leaves, down to what is asked for, which an error may hover about. */
static double slowest(const truth *w, const double error[RATES])
{
	double most = 0, floor = 2.5 * (w->floor > 0 ? w->floor : 1e-3);
	for (int k = 1; k < RATES; ++k) {
		double share = error[k] / fmax(error[k - 1], floor);
		most = !(share <= most) ? share : most;
	}
	return most;
}

/* Errors at all rates beside how they fall. */
static void tell_errors(result *r, const truth *w, const char *what, const double error[RATES])
{
	char text[sizeof r->list[0].measured] = "";
	size_t size = 0;
	at_most(r, what, "", slowest(w, error), most_left);
	for (int k = 0; k < RATES && size < sizeof text; ++k)
		size +=
			(size_t)snprintf(text + size, sizeof text - size, "%.2g%s", 100 * error[k], k + 1 < RATES ? ", " : " %");
	for (uint32_t i = 0; i < r->count; ++i)
		if (strcmp(r->list[i].what, what) == 0)
			memcpy(r->list[i].measured, text, sizeof text);
}

bool tell_truth(const trial *t, result *r, gauge look, const truth *list, uint32_t count)
{
	double values[TRUTH_MOST] = {0}, error[TRUTH_MOST][RATES];
	char what[100];
	if (!look(t, r, values))
		return false;
	for (uint32_t i = 0; i < count; ++i) {
		tell(r, &list[i], list[i].what, values[i], 0.05);
		error[i][0] = error_of(&list[i], values[i]);
	}
	if (t->brief || t->finer != 1 || t->scale != 1 || t->order != 0)
		return true;
	for (int k = 1; k < RATES; ++k) {
		static result other;
		trial finer = *t;
		finer.finer = rates[k];
		bool ok = look(&finer, &other, values);
		for (uint32_t i = 0; i < count; ++i) {
			error[i][k] = ok ? error_of(&list[i], values[i]) : INFINITY;
			snprintf(what, sizeof what, "%s, at 1/240 s", list[i].what);
			if (k == AT_240)
				tell(r, &list[i], what, ok ? values[i] : NAN, 0.01);
		}
		result_free(&other);
	}
	for (uint32_t i = 0; i < count; ++i) {
		snprintf(what, sizeof what, "%s, errors fall", list[i].what);
		tell_errors(r, &list[i], what, error[i]);
	}
	return true;
}

double crossing(const double t[2], const double x[2], const double rate[2], double level)
{
	double low = 0, high = 1, h = t[1] - t[0];
	bool rises = x[1] > x[0];
	for (int i = 0; i < 50; ++i) {
		double s = 0.5 * (low + high), u = 1 - s;
		double at = u * u * (1 + 2 * s) * x[0] + s * s * (3 - 2 * s) * x[1] + h * s * u * (u * rate[0] - s * rate[1]);
		if ((at < level) == rises)
			low = s;
		else
			high = s;
	}
	return t[0] + h * low;
}

/* Runge and Kutta's fourth order, in steps of 1e-5 s. */
double swing_time(double b, double from, double speed, double to)
{
	const double h = 1e-5;
	double x = from, v = speed, t = 0;
	while (t < 100) {
		double k1 = b * sin(x), k2 = b * sin(x + 0.5 * h * v), k3 = b * sin(x + 0.5 * h * v + 0.25 * h * h * k1);
		double k4 = b * sin(x + h * v + 0.5 * h * h * k2);
		double next = x + h * v + h * h / 6 * (k1 + k2 + k3);
		if ((from < to) == (next >= to))
			return t + h * (to - x) / (next - x);
		x = next, v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t += h;
	}
	return INFINITY;
}
