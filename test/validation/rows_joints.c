/* Rows about joints. What is expected is worked out beside each row. */
#include "trial.h"

#include <stdio.h>

static const double g = 9.81, pi = 3.14159265358979323846;

/* ---- heavy top. Steady precession at rate O of a top with moments I1, I3 about its point, tilted by th and spinning
 * at w3 about its axis: I1 cos(th) O^2 - I3 w3 O + m g l = 0, the slow root. */

void row_top(const trial *t, result *r)
{
	run u;
	const double i1 = 2e-3, i3 = 1e-3, moment = 0.2, tilt = pi / 6, w3 = 100, a = i1 * cos(tilt), b = i3 * w3;
	const double rate = (b - sqrt(b * b - 4 * a * moment)) / (2 * a), length = t->brief ? 2 : 10;
	double azimuth = 0, before = 0, least = INFINITY, most = -INFINITY, reach = 0;
	run_open(&u, t, "top", NULL);
	axes(r, "time, s", "azimuth, rad");
	while (u.ok && run_time(&u) < length - 1e-9 && run_step(&u)) {
		cairn_key k = run_key(&u, 0);
		v3 axis = q_rotate(k.orientation, v3_make(0, 0, 1));
		double now = atan2(axis.y, axis.x), lean = acos(fmin(1, axis.z));
		azimuth += remainder(now - before, 2 * pi);
		before = now;
		least = fmin(least, lean), most = fmax(most, lean);
		reach = fmax(reach, fabs(v3_distance(k.position, v3_make(0, 0, 0.1)) / 0.05 - 1));
		mark(r, "measured", false, run_time(&u), azimuth);
		mark(r, "expected", true, run_time(&u), rate * run_time(&u));
	}
	if (!u.ok)
		trouble(r, &u);
	near(r, "rate of precession", "rad/s", rate, azimuth / run_time(&u), 0.02);
	below(r, "tilt off by", "rad", fmax(most - tilt, tilt - least), 0.01);
	below(r, "distance from its point off by", "", reach, 1e-6);
	run_close(&u);
}

/* ---- pendulum. Released at rest at 90 degrees the period is 4 K(sin 45) sqrt(I/mgl) = 1.18034 times that of small
 * swings, I about the pivot: for a ball of radius r on an arm l, m (l^2 + 2 r^2/5). */

void row_pendulum(const trial *t, result *r)
{
	run u;
	const double arm = 1, radius = 0.1, high = 1.5,
				 small = 2 * pi * sqrt((arm * arm + 0.4 * radius * radius) / (g * arm));
	const double length = t->brief ? 4 : 20;
	static const char *const names[2] = {"period, ball joint", "period, hinge"};
	double crossed[2] = {0}, last[2] = {0}, before[2] = {pi / 2, pi / 2}, first[2] = {0};
	int count[2] = {0};
	run_open(&u, t, "pendulum", NULL);
	axes(r, "time, s", "angle, rad");
	while (u.ok && run_time(&u) < length - 1e-9 && run_step(&u)) {
		for (int i = 0; i < 2; ++i) {
			cairn_key k = run_key(&u, (uint32_t)i);
			double angle = atan2(k.position.x, high - k.position.z), time = run_time(&u);
			below(r, "arm off by", "m", fabs(hypot(k.position.x, k.position.z - high) - arm), 1e-6);
			if (angle > 0 && before[i] <= 0) { /* from the left, once in a period */
				crossed[i] = time - u.dt * angle / (angle - before[i]);
				if (count[i]++ == 0)
					first[i] = crossed[i];
				last[i] = crossed[i];
			}
			before[i] = angle;
			mark(r, i ? "hinge" : "ball joint", false, time, angle);
		}
	}
	if (!u.ok)
		trouble(r, &u);
	for (int i = 0; i < 2 && !t->brief; ++i)
		near(r, names[i], "s", 1.1803405990161 * small, count[i] > 1 ? (last[i] - first[i]) / (count[i] - 1) : NAN,
		     0.005);
	run_close(&u);
}

/* ---- six links. What the pendulum can win at most is the fall from the horizontal to hanging straight: of link i, i +
 * 1/2 m. */

void row_links(const trial *t, result *r)
{
	run u;
	const double frames = t->brief ? 60 : 1000;
	const v3 half = v3_make(0, 0, 0.5);
	double kinetic, most = -INFINITY, least = INFINITY, fall = 0;
	run_open(&u, t, "links", NULL);
	double start = u.ok ? run_energy(&u, &kinetic) : 0;
	for (uint32_t i = 0; u.ok && i < 6; ++i)
		fall += u.infos[i].mass * g * (i + 0.5) * t->scale;
	axes(r, "time, s", "energy over the start, of the fall");
	while (u.ok && run_time(&u) < frames / 30 - 1e-9 && run_step(&u)) {
		v3 end = v3_make(0, 0, 7);
		double now = (run_energy(&u, &kinetic) - start) / fall;
		for (uint32_t i = 0; i < 6; ++i) {
			cairn_key k = run_key(&u, i);
			v3 top = v3_sub(k.position, q_rotate(k.orientation, half));
			below(r, "joints apart by, links", "", v3_distance(top, end), 1e-6);
			end = v3_add(k.position, q_rotate(k.orientation, half));
		}
		most = fmax(most, now), least = fmin(least, now);
		mark(r, "energy", false, run_time(&u), now);
	}
	if (!u.ok)
		trouble(r, &u);
	at_most(r, "energy above the start, of the fall", "", fmax(0, most), 0.001);
	at_most(r, "energy below the start, of the fall", "", fmax(0, -least), 0.05);
	run_close(&u);
}

/* ---- cradle. Balls that touch by a hair pass a blow on one after another, and of k that come k leave at the other end,
 * as high as they came. Swings are counted where those that left turn back, half a period after the last. */

typedef struct drawn {
	int count;
	double angle;
} drawn;

static bool draw_aside(void *context, uint32_t index, cairn_body_def *d)
{
	const drawn *by = context;
	const double arm = 0.6, high = 0.8, step = 0.1 * 1.001;
	if ((int)index < by->count) {
		d->pose.position.x = ((int)index - 2) * step - arm * sin(by->angle);
		d->pose.position.z = high - arm * cos(by->angle);
	}
	return true;
}

void row_cradle(const trial *t, result *r)
{
	const double arm = 0.6, high = 0.8, step = 0.1 * 1.001, angle = 0.5;
	const double period = 2 * pi * sqrt((arm * arm + 0.4 * 0.05 * 0.05) / (g * arm)) * (1 + angle * angle / 16);
	char what[72], found[16];
	axes(r, "time, s", "angle, rad");
	for (int k = 1; k <= 4; ++k) {
		run u;
		drawn by = {k, angle};
		edit e = {.context = &by, .body = draw_aside};
		int good = 0, swings = t->brief ? 2 : 10;
		double lowest = INFINITY, largest = 0;
		run_open(&u, t, "cradle", &e);
		for (int swing = 1; u.ok && swing <= swings; ++swing) {
			bool as_it_should = true;
			while (u.ok && run_time(&u) < 0.5 * period * swing - 0.5 * u.dt && run_step(&u)) {
				for (uint32_t i = 0; k == 2 && i < 5; ++i) {
					cairn_key key = run_key(&u, i);
					mark(r, u.infos[i].name, false, run_time(&u), asin((key.position.x - (i - 2.0) * step) / arm));
				}
			}
			for (int i = 0; u.ok && i < 5; ++i) {
				cairn_key key = run_key(&u, (uint32_t)i);
				double at = atan2(key.position.x - (i - 2) * step, high - key.position.z) / angle;
				bool away = swing % 2 ? i >= 5 - k : i < k;
				at *= swing % 2 ? 1 : -1;
				if (away)
					lowest = fmin(lowest, at);
				else
					largest = fmax(largest, fabs(at));
				as_it_should &= away ? at > 0.7 : fabs(at) < 0.3;
			}
			good += as_it_should;
		}
		if (!u.ok)
			trouble(r, &u);
		snprintf(what, sizeof what, "%d in, %d out, swings", k, k);
		snprintf(found, sizeof found, "%d", good);
		verdict(r, what, t->brief ? "2" : "10", found, good == swings);
		above(r, "height of those that leave, of the angle", "", lowest, 0.9);
		at_most(r, "motion of those that stay, of the angle", "", largest, 0.1);
		run_close(&u);
	}
}

/* ---- catenary. z = z0 + a cosh(x/a) with 2 a sinh(3/a) = 10: a by bisection. A chain of n links differs by O(1/n^2). */

void row_catenary(const trial *t, result *r)
{
	run u;
	double low = 0.1, high = 10;
	for (int i = 0; i < 100; ++i) {
		double a = 0.5 * (low + high);
		*(2 * a * sinh(3 / a) > 10 ? &low : &high) = a;
	}
	const double a = low, foot = 5 - a * cosh(3 / a);
	run_open(&u, t, "catenary", NULL);
	axes(r, "x, m", "z, m");
	while (u.ok && run_time(&u) < (t->brief ? 0.5 : 8) - 1e-9 && run_step(&u))
		below(r, "joints apart by", "m", u.report.joint_error / t->scale, 1e-6);
	double off = 0;
	for (uint32_t i = 0; u.ok && i < 100; ++i) {
		cairn_key k = run_key(&u, i);
		v3 end = v3_add(k.position, q_rotate(k.orientation, v3_make(0, 0, -0.05)));
		double wanted = foot + a * cosh(end.x / a);
		off = fmax(off, fabs(end.z - wanted));
		mark(r, "measured", false, i < 50 ? end.x : NAN, end.z);
		mark(r, "expected", true, i < 50 ? end.x : NAN, wanted);
	}
	if (!u.ok)
		trouble(r, &u);
	else if (!t->brief)
		below(r, "off the catenary, of its sag", "", off / (5 - foot - a), 0.01);
	run_close(&u);
}
