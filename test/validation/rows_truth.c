/* Rows about motion in contact: what glides, rolls, is carried, lands, bounces. What is expected is worked out beside each
 * row; all are measured at several frame rates (truth.c). */
#include "trial.h"

#include <stdio.h>

static const double g = 9.81, pi = 3.14159265358979323846;

/* Runs a scene to a time, with a line of the picture of how far a body is from where it began. */
static bool go(run *u, const trial *t, result *r, const char *scene, uint32_t body, double until)
{
	run_open(u, t, scene, NULL);
	v3 first = u->ok ? run_key(u, body).position : v3_zero();
	while (u->ok && run_time(u) < until - 1e-9 && run_step(u))
		mark(r, u->infos[body].name, false, run_time(u), v3_distance(run_key(u, body).position, first));
	if (!u->ok)
		trouble(r, u);
	return u->ok;
}

/* Lifts body 1, so that it lands at another time of the frame: by what it falls in that at its end. */
static bool lift(void *context, uint32_t index, cairn_body_def *d)
{
	if (index == 1)
		d->pose.position.z += *(const double *)context;
	return true;
}

enum { PHASES = 4 };

/* The worse of two ratios that should be 1. */
static double worse(double a, double b) { return fabs(b - 1) > fabs(a - 1) || b != b ? b : a; }

/* ---- a puck without friction keeps its speed, sqrt(1.09) m/s */

static bool gauge_puck(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	bool ok = go(&u, t, r, "puck", 2, 1.8);
	if (ok) {
		cairn_key k = run_key(&u, 2);
		values[0] = v3_distance(k.position, v3_make(-1.2, -0.3, k.position.z)) / run_time(&u);
		values[1] = v3_length(k.velocity);
	}
	run_close(&u);
	return ok;
}

void row_puck(const trial *t, result *r)
{
	const truth list[] = {{"speed by its way", "m/s", sqrt(1.09), 0, 0}, {"speed at the end", "m/s", sqrt(1.09), 0, 0}};
	axes(r, "time, s", "way, m");
	tell_truth(t, r, gauge_puck, list, 2);
}

/* ---- a ball set off sliding at v rolls at 5/7 v after 2 v/(7 mu g), on 12 v^2/(49 mu g) (row roll) */

static bool gauge_table(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	bool ok = go(&u, t, r, "table", 2, 2);
	if (ok) {
		cairn_key k = run_key(&u, 2);
		values[0] = k.velocity.x, values[1] = 0.25 * k.spin.y;
		values[2] = (k.position.x + 4) / run_time(&u) * 2;
	}
	run_close(&u);
	return ok;
}

void row_table(const trial *t, result *r)
{
	const double v = 2, begins = 2 * v / (7 * 0.5 * g), on = 12 * v * v / (49 * 0.5 * g);
	const truth list[] = {{"speed after 2 s", "m/s", 5 * v / 7, 0, 0},
	                      {"speed of its rim", "m/s", 5 * v / 7, 0, 0},
	                      {"way in 2 s", "m", on + 5 * v / 7 * (2 - begins), 0, 0}};
	axes(r, "time, s", "way, m");
	tell_truth(t, r, gauge_table, list, 3);
}

/* ---- a block m on a wedge M of angle a, no friction: the wedge goes back at A = m g sin a cos a/(M + m sin^2 a), and
 * the block falls at (A + g tan a ...): along x it goes forward at A M/m, since momentum stays. */

static bool gauge_wedge(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	run_open(&u, t, "wedge", NULL);
	double wedge = u.ok ? run_key(&u, 1).position.x : 0, block = u.ok ? run_key(&u, 2).position.x : 0;
	run_close(&u);
	bool ok = go(&u, t, r, "wedge", 1, 0.4);
	if (ok) {
		double time = run_time(&u), half = 0.5 * time * time;
		values[0] = (wedge - run_key(&u, 1).position.x) / half;
		values[1] = (run_key(&u, 2).position.x - block) / half;
		values[2] = -run_key(&u, 1).velocity.x / time;
	}
	run_close(&u);
	return ok;
}

void row_wedge(const trial *t, result *r)
{
	const double a = pi / 6, block = 0.125, wedge = 0.5 * 4 * 4 * tan(a) * 2; /* m^3 */
	const double back = block * g * sin(a) * cos(a) / (wedge + block * sin(a) * sin(a));
	const truth list[] = {{"acceleration of the wedge, by its way", "m/s^2", back, 0, 0},
	                      {"acceleration of the block along x", "m/s^2", back * wedge / block, 0, 0},
	                      {"acceleration of the wedge, by its speed", "m/s^2", back, 0, 0}};
	axes(r, "time, s", "way of the wedge, m");
	tell_truth(t, r, gauge_wedge, list, 3);
}

/* ---- carried: 1.4 m out w^2 r = 1.4 m/s^2, a seventh of mu g, so the box stays where it is on the disk */

static bool gauge_carousel(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	double most = 0;
	run_open(&u, t, "carousel", NULL);
	while (u.ok && run_time(&u) < (t->brief ? 2 : 10) - 1e-9 && run_step(&u)) {
		cairn_key k = run_key(&u, 1);
		double time = run_time(&u), away = hypot(k.position.x - 1.4 * cos(time), k.position.y - 1.4 * sin(time));
		most = fmax(most, away);
		mark(r, "from its place on the disk", false, time, 1e3 * away);
	}
	if (!u.ok)
		trouble(r, &u);
	values[0] = most;
	run_close(&u);
	return u.ok;
}

void row_carousel(const trial *t, result *r)
{
	const truth list[] = {{"furthest from its place on the disk", "m", 0, 0.2, 0}}; /* 5 %: a centimetre */
	axes(r, "time, s", "from its place, mm");
	tell_truth(t, r, gauge_carousel, list, 1);
}

/* ---- a box shaken by x = 0.3 sin(4 pi t), a tenth full: nothing in it is pinched, so it follows */

/* Its keys are 1/60 s apart, and it goes straight between them. */
static double shaken_to(double time)
{
	double k = floor(60 * time + 1e-6), from = 0.3 * sin(4 * pi * k / 60), to = 0.3 * sin(4 * pi * (k + 1) / 60);
	return from + (60 * time - k) * (to - from);
}

static bool gauge_shaken(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	run_open(&u, t, "shaken", NULL);
	values[0] = 0;
	while (u.ok && run_time(&u) < (t->brief ? 0.5 : 2) - 1e-9 && run_step(&u)) {
		double x = run_key(&u, 0).position.x;
		mark(r, "box", false, run_time(&u), x);
		values[0] = fmax(values[0], fabs(x - shaken_to(run_time(&u))));
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
	return u.ok;
}

void row_shaken(const trial *t, result *r)
{
	const truth list[] = {{"furthest from its script", "m", 0, 0.3, 0}};
	axes(r, "time, s", "x, m");
	tell_truth(t, r, gauge_shaken, list, 1);
}

/* ---- two cubes and a plate of one density touch in free flight: their common centre goes on as one body would, and no
 * body stands still meanwhile */

static bool gauge_meeting(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	double least = INFINITY;
	run_open(&u, t, "meeting", NULL);
	while (u.ok && run_time(&u) < 0.5 - 1e-9) {
		cairn_key before[3];
		for (uint32_t i = 0; i < 3; ++i)
			before[i] = run_key(&u, i);
		if (!run_step(&u))
			break;
		for (uint32_t i = 0; i < 3; ++i) {
			cairn_key k = run_key(&u, i);
			double led = 0.5 * u.dt * v3_length(v3_add(before[i].velocity, k.velocity));
			least = fmin(least, v3_distance(before[i].position, k.position) / led);
			mark(r, u.infos[i].name, false, run_time(&u), k.position.z);
		}
	}
	if (!u.ok)
		trouble(r, &u);
	above(r, "least share of its way that a body went", "", least, 0.5);
	v3 sum = v3_zero();
	double mass = 0;
	for (uint32_t i = 0; u.ok && i < 3; ++i)
		mass += u.infos[i].mass, sum = v3_madd(sum, run_key(&u, i).position, u.infos[i].mass);
	const double plate = 0.85 * 0.05, all = 2 + plate, time = run_time(&u); /* m^3; s */
	v3 at = v3_scale(v3_make(-0.2 + plate * 0.55, -0.6 + plate * 0.3, 2.2 + plate * 2.4), 1 / all);
	v3 speed = v3_scale(v3_make(-2 + 1.5 - plate * 0.5, 0, 3 - 15 - plate * 19), 1 / all);
	v3 wanted = v3_add(v3_madd(at, speed, time), v3_make(0, 0, -0.5 * g * time * time));
	values[0] = v3_distance(v3_scale(sum, 1 / mass), wanted);
	run_close(&u);
	return u.ok;
}

void row_meeting(const trial *t, result *r)
{
	const double way = 6.28 * 0.5 + 0.5 * g * 0.25; /* m */
	const truth list[] = {{"common centre off by", "m", 0, way, 0}};
	axes(r, "time, s", "height, m");
	tell_truth(t, r, gauge_meeting, list, 1);
}

/* ---- what falls flat on a face bounces flat, to e^2 of its height */

static bool land_flat(const trial *t, result *r, double more, double *tilt, double *height)
{
	run u;
	double speed = 0;
	const double rest = 0.05 + 1e-4;
	int blows = 0;
	edit e = {.context = &more, .body = lift};
	run_open(&u, t, "flat", &e);
	while (u.ok && run_time(&u) < 1.5 && run_step(&u)) {
		cairn_key k = run_key(&u, 1);
		v3 up = q_rotate(k.orientation, v3_make(0, 0, 1));
		*tilt = fmax(*tilt, atan2(hypot(up.x, up.y), up.z));
		blows += k.velocity.z > speed + 0.1;
		speed = k.velocity.z;
		if (blows == 1)
			*height = k.position.z - rest + speed * speed / (2 * g);
		if (more == 0)
			mark(r, "height", false, run_time(&u), k.position.z - rest);
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
	return u.ok;
}

static bool gauge_flat(const trial *t, result *r, double values[TRUTH_MOST])
{
	bool ok = true;
	values[0] = 0, values[1] = 1;
	for (int i = 0; i < PHASES; ++i) {
		double more = 4 / (30 * t->finer) * i / PHASES, height = 0;
		ok = land_flat(t, r, more, &values[0], &height) && ok;
		values[1] = worse(values[1], height / (0.64 * (0.8 + more - 1e-4)));
	}
	return ok;
}

void row_flat(const trial *t, result *r)
{
	const truth list[] = {{"largest tilt", "rad", 0, 0.02, 0}, /* 5 %: a milliradian */
	                      {"height after the first bounce, of the right one", "", 1, 0, 0}};
	axes(r, "time, s", "height above rest, m");
	tell_truth(t, r, gauge_flat, list, 2);
}

/* ---- both fall alike: 5 t + g t^2/2 */

static bool gauge_beside(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	bool ok = go(&u, t, r, "beside", 0, 1);
	for (uint32_t i = 0; ok && i < 2; ++i)
		values[i] = 10 - run_key(&u, i).position.z;
	run_close(&u);
	return ok;
}

void row_beside(const trial *t, result *r)
{
	const truth list[] = {{"fall of the spinning cube in 1 s", "m", 5 + 0.5 * g, 0, 0},
	                      {"fall of the other", "m", 5 + 0.5 * g, 0, 0}};
	axes(r, "time, s", "fall, m");
	tell_truth(t, r, gauge_beside, list, 2);
}

/* ---- a cube on a corner that is d beside its middle: without friction the blow is j = (1 + e) m v/(1 + m d^2/I),
 * I = m a^2/6, upward; the spin after it j d/I, the speed of the middle j/m - v. */

typedef struct corner {
	double height, beside; /* of the lowest corner at the start; of it to the middle */
} corner;

static corner lowest_corner(const cairn_key *k, double edge)
{
	corner c = {INFINITY, 0};
	for (int i = 0; i < 8; ++i) {
		v3 own = v3_make(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
		v3 arm = v3_scale(q_rotate(k->orientation, own), edge);
		if (k->position.z + arm.z < c.height)
			c = (corner){k->position.z + arm.z, hypot(arm.x, arm.y)};
	}
	return c;
}

static bool land_on_corner(const trial *t, result *r, double more, double values[TRUTH_MOST])
{
	run u;
	const double a = 0.4, e = 0.5;
	double spin = NAN, speed = NAN;
	edit lifted = {.context = &more, .body = lift};
	run_open(&u, t, "corner", &lifted);
	cairn_key first = u.ok ? run_key(&u, 1) : (cairn_key){.time = 0};
	corner c = lowest_corner(&first, a);
	double v = sqrt(2 * g * c.height), j = (1 + e) * v / (1 + 6 * c.beside * c.beside / (a * a));
	while (u.ok && run_time(&u) < 0.7 && run_step(&u)) {
		cairn_key k = run_key(&u, 1);
		if (more == 0)
			mark(r, "height", false, run_time(&u), k.position.z);
		if (v3_length(k.spin) < 0.1 || spin == spin)
			continue;
		spin = v3_length(k.spin);
		speed = k.velocity.z + g * (run_time(&u) - v / g);
	}
	if (!u.ok)
		trouble(r, &u);
	values[0] = worse(values[0], spin / (6 * j * c.beside / (a * a)));
	values[1] = worse(values[1], 1 + (speed - (j - v)) / v);
	run_close(&u);
	return u.ok;
}

static bool gauge_corner(const trial *t, result *r, double values[TRUTH_MOST])
{
	bool ok = true;
	values[0] = values[1] = 1;
	for (int i = 0; i < PHASES; ++i)
		ok = land_on_corner(t, r, 4.4 / (30 * t->finer) * i / PHASES, values) && ok;
	return ok;
}

void row_corner(const trial *t, result *r)
{
	const truth list[] = {{"spin after the blow, of the right one", "", 1, 0, 0},
	                      {"speed after the blow, 1 + its error of that before", "", 1, 0, 0}};
	axes(r, "time, s", "height, m");
	tell_truth(t, r, gauge_corner, list, 2);
}

/* ---- a disk of radius a and half thickness h that rolls round on its rim, leaning by q, while its centre stands still, at
 * W: W^2 sin q (It cos q - Ia h/a sin q) = m g (a cos q - h sin q) with its moments across and along its axis. */

static const double coin_lean = 35 * 3.14159265358979323846 / 180;

static double coin_rate(void)
{
	const double a = 0.25, h = 0.01, across = (3 * a * a + 4 * h * h) / 12, along = 0.5 * a * a;
	double s = sin(coin_lean), c = cos(coin_lean);
	return sqrt(g * (a * c - h * s) / (s * (across * c - along * h / a * s)));
}

/* How fast body 1's axis goes round the vertical in a second, and how far it leans then. */
static bool watch_axis(const trial *t, result *r, const char *scene, double rate, double values[TRUTH_MOST])
{
	run u;
	double round = 0, before = 0;
	run_open(&u, t, scene, NULL);
	while (u.ok && run_time(&u) < 1 - 1e-9 && run_step(&u)) {
		v3 axis = q_rotate(run_key(&u, 1).orientation, v3_make(0, 0, 1));
		double now = atan2(axis.y, axis.x), time = run_time(&u);
		round += remainder(now - before, 2 * pi), before = now;
		mark(r, "goes round", false, time, round);
		mark(r, "expected", true, time, rate * time);
		values[0] = round / time, values[1] = 180 / pi * acos(axis.z);
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
	return u.ok;
}

static bool gauge_coin(const trial *t, result *r, double values[TRUTH_MOST])
{
	return watch_axis(t, r, "coin", coin_rate(), values);
}

void row_coin(const trial *t, result *r)
{
	const truth list[] = {{"goes round at", "rad/s", coin_rate(), 0, 0},
	                      {"lean after 1 s", "deg", 180 / pi * coin_lean, 0, 0}};
	axes(r, "time, s", "turned, rad");
	tell_truth(t, r, gauge_coin, list, 2);
}

/* ---- the top of the row top, on a floor in place of its joint: friction holds its tip */

static double spinner_rate(void)
{
	const double across = 2e-3 * cos(pi / 6), along = 1e-3 * 100, weight = 0.2;
	return (along - sqrt(along * along - 4 * across * weight)) / (2 * across);
}

static bool gauge_spinner(const trial *t, result *r, double values[TRUTH_MOST])
{
	return watch_axis(t, r, "spinner", spinner_rate(), values);
}

void row_spinner(const trial *t, result *r)
{
	const truth list[] = {{"goes round at", "rad/s", spinner_rate(), 0, 0}, {"lean after 1 s", "deg", 30, 0, 0}};
	axes(r, "time, s", "turned, rad");
	tell_truth(t, r, gauge_spinner, list, 2);
}

/* ---- a ball that lands at v with w across: the blow is (1 + e) m v upward; across it is mu times that while it slides,
 * and 2/7 m (w - r spin) where that is less: then it rolls. */

static bool gauge_oblique(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	double speed[3] = {0};
	bool hit[3] = {false};
	run_open(&u, t, "oblique", NULL);
	while (u.ok && run_time(&u) < 0.8 && run_step(&u)) {
		for (uint32_t i = 0; i < 3; ++i) {
			cairn_key k = run_key(&u, i + 1);
			mark(r, u.infos[i + 1].name, false, k.position.x, k.position.z);
			if (!hit[i] && k.velocity.z > speed[i]) {
				hit[i] = true;
				values[i] = k.velocity.x, values[i + 3] = 0.1 * k.spin.y;
				values[6] = k.position.z - 0.1002 + k.velocity.z * k.velocity.z / (2 * g);
			}
			speed[i] = k.velocity.z;
		}
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
	return u.ok;
}

void row_oblique(const trial *t, result *r)
{
	const double e = 0.6, v = sqrt(2 * g), rub = 0.1 * (1 + e) * v;
	const truth list[] = {
		{"speed along, sliding", "m/s", 4 - rub, 0, 0},       {"speed along, rolling", "m/s", 20.0 / 7, 0, 0},
		{"speed along, backspin", "m/s", 4 - 12.0 / 7, 0, 0}, {"speed of the rim, sliding", "m/s", 2.5 * rub, 0, 0},
		{"speed of the rim, rolling", "m/s", 20.0 / 7, 0, 0}, {"speed of the rim, backspin", "m/s", 4 - 12.0 / 7, 0, 0},
		{"height after the bounce", "m", e * e, 0, 0}};
	axes(r, "x, m", "height, m");
	tell_truth(t, r, gauge_oblique, list, 7);
}

/* ---- a pendulum of length l = 2 m less the ball's radius, from rest at 0.3 rad. The trough is made of strips, and at
 * each of its creases, where the slope changes by d, a ball without restitution keeps cos d of its speed: 2 % less amplitude
 * after 10 s. Followed here in steps of 1e-5 s. */

typedef struct swinging {
	double period, amplitude;
} swinging;

static swinging follow_trough(double seconds)
{
	const double l = 1.9 - 2e-4, radius = 2, wide = 0.028, h = 1e-5;
	double x = 0.3, v = 0, first = NAN, last = NAN;
	int count = 0;
	for (int64_t i = 0; (double)i * h < seconds; ++i) {
		v -= h * g / l * sin(x);
		double next = x + h * v;
		double from = floor(radius * sin(x) / wide), to = floor(radius * sin(next) / wide);
		if (from != to) { /* a chord's slope is that of the circle at its middle, nearly */
			double at = wide * fmax(from, to);
			v *= cos(asin((at + 0.5 * wide) / radius) - asin((at - 0.5 * wide) / radius));
		}
		if (x > 0 && next <= 0) {
			last = (double)i * h;
			first = count++ ? first : last;
		}
		x = next;
	}
	return (swinging){(last - first) / (count - 1), acos(cos(x) - v * v * l / (2 * g))};
}

static bool gauge_trough(const trial *t, result *r, double values[TRUTH_MOST])
{
	const double l = 1.9 - 2e-4;
	run u;
	double before = 1, rate = 0, first = NAN, last = NAN;
	int count = 0;
	run_open(&u, t, "trough", NULL);
	while (u.ok && run_time(&u) < (t->brief ? 4 : 10) - 1e-9 && run_step(&u)) {
		cairn_key k = run_key(&u, 1);
		double time = run_time(&u);
		mark(r, "measured", false, time, k.position.x);
		if (before > 0 && k.position.x <= 0) {
			last = crossing((double[2]){time - u.dt, time}, (double[2]){before, k.position.x},
			                (double[2]){rate, k.velocity.x}, 0);
			first = count++ ? first : last;
		}
		before = k.position.x, rate = k.velocity.x;
	}
	if (u.ok) {
		cairn_key k = run_key(&u, 1);
		double height = k.position.z - (2 - l) + v3_length2(k.velocity) / (2 * g);
		values[0] = (last - first) / (count - 1);
		values[1] = acos(1 - height / l);
	} else {
		trouble(r, &u);
	}
	run_close(&u);
	return u.ok;
}

void row_trough(const trial *t, result *r)
{
	const swinging s = follow_trough(t->brief ? 4 : 10);
	const truth list[] = {{"period", "s", s.period, 0, 0}, {"amplitude at the end", "rad", s.amplitude, 0, 0}};
	axes(r, "time, s", "x, m");
	tell_truth(t, r, gauge_trough, list, 2);
}

/* ---- a chain of length L over a round edge, its end h below where it lies: what goes over the edge falls by h, so
 * h'' = g h/L, and its end has gone down by s after acosh(1 + s/h) sqrt(L/g). Links of 0.1 m round a drum of 0.3 m
 * are a chain to 0.6 %. */

static const double chain_long = 2, chain_way = 0.3;

static double chain_height(const run *u)
{
	cairn_key top = run_key(u, 2), end = run_key(u, u->count - 1);
	v3 axis = q_rotate(end.orientation, v3_make(0, 0, 1));
	return top.position.z - (end.position.z - 0.05 * fabs(axis.z));
}

static bool gauge_runoff(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	double before = 0, rate = 0;
	values[0] = NAN;
	run_open(&u, t, "runoff", NULL);
	double first = u.ok ? run_key(&u, u.count - 1).position.z : 0, h = u.ok ? chain_height(&u) : 1;
	double wanted = acosh(1 + chain_way / h) * sqrt(chain_long / g);
	while (u.ok && run_time(&u) < 0.9 && run_step(&u)) {
		cairn_key k = run_key(&u, u.count - 1);
		double down = first - k.position.z, time = run_time(&u);
		mark(r, "measured", false, time, down);
		mark(r, "expected", true, time, h * (cosh(time * sqrt(g / chain_long)) - 1));
		if (down >= chain_way && before < chain_way)
			values[0] = crossing((double[2]){time - u.dt, time}, (double[2]){before, down},
			                     (double[2]){rate, -k.velocity.z}, chain_way) /
			            wanted;
		before = down, rate = -k.velocity.z;
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
	return u.ok;
}

void row_runoff(const trial *t, result *r)
{
	const truth list[] = {{"time to run down 0.3 m, of the right one", "", 1, 0, 6e-3}};
	axes(r, "time, s", "way down, m");
	tell_truth(t, r, gauge_runoff, list, 1);
}
