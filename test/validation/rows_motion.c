/* Rows about motion: flight, impact, friction, rolling. What is expected is worked out beside each row. */
#include "trial.h"

#include <stdio.h>

static const double g = 9.81, pi = 3.14159265358979323846;
static const double kept = 1e-3; /* of the thinner body: the gap that oba keeps */

/* ---- flight: x = x0 + v0 t + g t^2/2 at every frame */

void row_throw(const trial *t, result *r)
{
	run u;
	cairn_key first[3];
	run_open(&u, t, "throw", NULL);
	for (uint32_t i = 0; u.ok && i < 3; ++i)
		first[i] = run_key(&u, i);
	axes(r, "distance, m", "height, m");
	while (u.ok && run_time(&u) < 3) {
		if (!run_step(&u))
			break;
		double time = run_time(&u);
		for (uint32_t i = 0; i < 3; ++i) {
			cairn_key k = run_key(&u, i);
			v3 fall = v3_make(0, 0, -0.5 * g * time * time), x = first[i].position, v = first[i].velocity;
			v3 wanted = v3_add(v3_madd(x, v, time), fall);
			below(r, "off the parabola at any frame", "m", v3_distance(k.position, wanted), 1e-9);
			v.z -= g * time;
			below(r, "off its speed at any frame", "m/s", v3_distance(k.velocity, v), 1e-9);
			mark(r, u.infos[i].name, false, k.position.x, k.position.z);
			if (i == 1)
				mark(r, "expected", true, wanted.x, wanted.z);
		}
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
}

/* ---- spin. With moments 1, 2, 3 and w = (0.01, 1, 0), 2T = 2.0001 and L^2 = 4.0001; w1 and w3 follow from w2, and
 * w2'^2 = (1 - w2^2)(1.0001 - w2^2)/3. So from 1 to 0 it takes sqrt(3/1.0001) K(k), k^2 = 1/1.0001, and between zeros
 * twice that. K by the mean of means: 10.3773 s and 20.7546 s, worked out here again. */

static double quarter_of_spin(void)
{
	double a = 1, b = sqrt(1 - 1 / 1.0001);
	for (int i = 0; i < 40; ++i) {
		double mean = 0.5 * (a + b);
		b = sqrt(a * b);
		a = mean;
	}
	return sqrt(3 / 1.0001) * pi / (2 * a);
}

void row_spin(const trial *t, result *r)
{
	run u;
	const double moments[3] = {1, 2, 3}, quarter = quarter_of_spin(), length = t->brief ? 12 : 60;
	double before = 1, energy = 0.5 * 2.0001, turning = sqrt(4.0001), last = 0;
	v3 whole = v3_make(0.01, 2, 0);
	int flips = 0;
	char what[64];
	run_open(&u, t, "spin", NULL);
	axes(r, "time, s", "spin about the middle axis, rad/s");
	while (u.ok && run_time(&u) < length - 1e-9 && run_step(&u)) {
		cairn_key k = run_key(&u, 0);
		v3 w = q_unrotate(k.orientation, k.spin), l = v3_make(moments[0] * w.x, moments[1] * w.y, moments[2] * w.z);
		double time = run_time(&u);
		mark(r, "measured", false, time, w.y);
		below(r, "energy off by", "", fabs(0.5 * v3_dot(w, l) / energy - 1), 1e-4);
		below(r, "angular momentum off by", "", v3_distance(q_rotate(k.orientation, l), whole) / turning, 1e-4);
		if (before * w.y < 0) {
			double at = time - u.dt * w.y / (w.y - before);
			snprintf(what, sizeof what, flips ? "from flip to flip" : "first flip");
			near(r, what, "s", flips ? 2 * quarter : quarter, flips ? at - last : at, 0.01);
			mark(r, "flips expected", true, (2 * flips + 1) * quarter, -1);
			mark(r, "flips expected", true, (2 * flips + 1) * quarter, 1);
			mark(r, "flips expected", true, NAN, NAN);
			last = at, ++flips;
		}
		before = w.y;
	}
	if (!u.ok)
		trouble(r, &u);
	else
		verdict(r, "flips in the run", t->brief ? "1" : "3",
		        flips == 3   ? "3"
		        : flips == 1 ? "1"
		                     : "another number",
		        flips == (t->brief ? 1 : 3));
	run_close(&u);
}

/* ---- bounces. A ball that falls from h leaves each impact with e of its speed: the n-th height is e^(2n) h, and the
 * flights last sqrt(2h/g) (1 + 2e + 2e^2 + ...) = sqrt(2h/g) (1 + e)/(1 - e). Heights are z + v^2/2g of any frame in
 * a flight, above where the ball rests; flights of less than three frames are not told apart. */

typedef struct bouncing {
	double e, height, speed, rests; /* the last height and speed; the time from which it rests */
	int count;
} bouncing;

static void watch_bounce(result *r, const run *u, uint32_t body, bouncing *b)
{
	char what[72];
	const double h = 1, rest = 0.05 * (1 + 2 * kept);
	cairn_key k = run_key(u, body);
	double height = k.position.z - rest + v3_length2(k.velocity) / (2 * g);
	mark(r, u->infos[body].name, false, run_time(u), k.position.z - rest);
	b->rests = height > 1e-6 * h ? INFINITY : b->rests < INFINITY ? b->rests : run_time(u);
	bool bounced = k.velocity.z > b->speed; /* nothing else turns it upward */
	b->speed = k.velocity.z;
	if (!bounced)
		return;
	++b->count;
	double wanted = b->e < 1 ? exp(2 * b->count * log(b->e)) * h : b->height;
	bool told = 2 * sqrt(2 * wanted / g) > 3.0 / 30;
	snprintf(what, sizeof what, b->e < 1 ? "heights, e = %.1f" : "energy after a bounce, e = %.0f", b->e);
	if (told)
		near(r, what, "m", wanted, height, b->e < 1 ? 0.01 : 1e-6);
	b->height = height;
}

/* A stroke at each expected height, as long as the flight to it lasts. */
static void mark_heights(result *r, double e, double h, double length)
{
	double fall = sqrt(2 * h / g), from = fall, flight = 2 * e * fall, height = e * e * h;
	while (from + flight < length && flight > 3.0 / 30) {
		mark(r, "expected heights", true, from, height);
		mark(r, "expected heights", true, from + flight, height);
		mark(r, "expected heights", true, NAN, NAN);
		from += flight, flight *= e, height *= e * e;
	}
}

void row_bounce(const trial *t, result *r)
{
	run u;
	bouncing b[4] = {{.e = 0.5}, {.e = 0.7}, {.e = 0.9}, {.e = 1}};
	const double length = t->brief ? 3 : 10, h = 1;
	char what[72];
	run_open(&u, t, "bounce", NULL);
	axes(r, "time, s", "height above rest, m");
	for (int i = 0; i < 4; ++i)
		b[i].height = h, b[i].rests = INFINITY;
	while (u.ok && run_time(&u) < length - 1e-9 && run_step(&u))
		for (uint32_t i = 0; i < 4; ++i)
			watch_bounce(r, &u, i + 1, &b[i]);
	for (int i = 0; i < 4; ++i)
		mark_heights(r, b[i].e, h, run_time(&u));
	for (int i = 0; u.ok && i < 3; ++i) {
		double total = sqrt(2 * h / g) * (1 + b[i].e) / (1 - b[i].e), at = b[i].rests;
		if (total > length)
			continue;
		/* at rest from this frame on: it came to rest after the one before */
		at = at < total ? at : at - u.dt > total ? at - u.dt : total;
		snprintf(what, sizeof what, "time to rest, e = %.1f", b[i].e);
		near(r, what, "s", total, at, 0.01);
	}
	if (!t->brief && u.ok) /* 2 sqrt(2h/g) from bounce to bounce, half of it to the first */
		within(r, "bounces in 10 s, e = 1", "", floor(0.5 + length / (2 * sqrt(2 * h / g))), b[3].count, 0);
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
}

/* ---- two balls. Without friction the blow is along the line of centres, so the struck ball leaves along it, at
 * asin(b / 2r) to the line of approach; equal masses and no loss leave the other with the rest, at right angles. */

typedef struct strike {
	double offset, from;
} strike;

static bool aim(void *context, uint32_t index, cairn_body_def *d)
{
	const strike *s = context;
	if (index == 2)
		d->pose.position.y = -s->offset, d->pose.position.x = s->from;
	return true;
}

void row_billiard(const trial *t, result *r)
{
	const double radius = 0.03, shares[5] = {0, 0.25, 0.5, 0.75, 0.9}, way = 2.0 / 30;
	axes(r, "offset, of the diameter", "angle of the struck ball, degrees");
	for (int i = 0; i <= 40; ++i)
		mark(r, "expected", true, i / 40.0, 180 / pi * asin(i / 40.0));
	for (int i = 0; i < 5; ++i) {
		for (int phase = 0; phase < (t->brief ? 2 : 8); ++phase) {
			run u;
			strike s = {2 * radius * shares[i], -0.5 - way * phase / 8};
			edit e = {.context = &s, .body = aim};
			run_open(&u, t, "billiard", &e);
			if (!run_until(&u, 1)) {
				trouble(r, &u);
				run_close(&u);
				continue;
			}
			v3 a = run_key(&u, 1).velocity, b = run_key(&u, 2).velocity;
			double struck = 180 / pi * atan2(a.y, a.x), angle = 180 / pi * asin(shares[i]);
			within(r, "angle of the struck ball", "deg", angle, struck, 0.5);
			if (i > 0)
				within(r, "angle between the ways", "deg", 90,
				       180 / pi * acos(v3_dot(a, b) / (v3_length(a) * v3_length(b))), 0.5);
			else
				below(r, "speed left after a full hit", "m/s", v3_length(b), 0.01);
			near(r, "energy", "m^2/s^2", 4, v3_length2(a) + v3_length2(b), 0.01);
			mark(r, "measured, eight phases", false, shares[i], struck);
			mark(r, "measured, eight phases", false, NAN, NAN);
			run_close(&u);
		}
	}
}

/* ---- a cube on a slope, tan = 1/2: a = g (sin - mu cos) = g (1 - 2 mu)/sqrt 5; 0.08774 with 0.49. The slope's way
 * down points to 16 azimuths, and the cube is turned on the slope by another angle each time. */

typedef struct sloping {
	double mu, turned;
} sloping;

static void slope_material(void *context, uint32_t index, cairn_material_def *d)
{
	(void)index;
	d->static_friction = d->kinetic_friction = ((const sloping *)context)->mu;
}

static bool slope_body(void *context, uint32_t index, cairn_body_def *d)
{
	if (index == 1)
		d->pose.orientation = q_mul(d->pose.orientation, q_exp(v3_make(0, 0, ((const sloping *)context)->turned)));
	return true;
}

void row_slope(const trial *t, result *r)
{
	const double a = g * (1 - 2 * 0.49) / sqrt(5), length = 5, stay = t->brief ? 3 : 25;
	const v3 downhill = v3_make(2 / sqrt(5), 0, -1 / sqrt(5));
	axes(r, "time, s", "way down the slope, m");
	for (int i = 0; i < (t->brief ? 3 : 16); ++i) {
		for (int holds = 0; holds < 2; ++holds) {
			run u;
			sloping s = {holds ? 0.51 : 0.49, 0.3 * i};
			edit e = {.context = &s, .body = slope_body, .material = slope_material};
			trial turned = *t;
			turned.turn += 2 * pi * i / 16;
			run_open(&u, &turned, "slope", &e);
			v3 first = u.ok ? run_key(&u, 1).position : v3_zero();
			double most = 0;
			while (u.ok && run_time(&u) < (holds ? stay : length) - 1e-9 && run_step(&u)) {
				cairn_key k = run_key(&u, 1);
				double away = v3_distance(k.position, first), time = run_time(&u);
				most = away > most ? away : most;
				if (i == 0 && (!holds || time <= length))
					mark(r, holds ? "friction 0.51" : "friction 0.49", false, time,
					     v3_dot(v3_sub(k.position, first), downhill));
				if (i == 0 && !holds)
					mark(r, "expected", true, time, 0.5 * a * time * time);
			}
			if (!u.ok) {
				trouble(r, &u);
			} else if (holds) {
				below(r, "creep with 0.51", "m", most, 1e-6);
			} else {
				cairn_key k = run_key(&u, 1);
				double way = v3_dot(v3_sub(k.position, first), downhill);
				near(r, "acceleration with 0.49, by its way", "m/s^2", a, 2 * way / (length * length), 0.02);
				near(r, "acceleration with 0.49, by its speed", "m/s^2", a, v3_dot(k.velocity, downhill) / length,
				     0.02);
			}
			run_close(&u);
		}
	}
}

/* ---- a box that slides to a stop: v0^2/(2 mu g) = 2.5484 m */

static bool set_off(void *context, uint32_t index, cairn_body_def *d)
{
	double angle = *(const double *)context;
	if (index == 1)
		d->velocity = v3_make(5 * cos(angle), 5 * sin(angle), 0);
	return true;
}

void row_slide(const trial *t, result *r)
{
	const double wanted = 25 / (2 * 0.5 * g), stop = 5 / (0.5 * g), gap = 0.5 * kept;
	axes(r, "time, s", "way, m");
	for (int i = 0; i < (t->brief ? 3 : 16); ++i) {
		run u;
		double angle = 2 * pi * i / 16, most = 0;
		edit e = {.context = &angle, .body = set_off};
		run_open(&u, t, "slide", &e);
		while (u.ok && run_time(&u) < 2 - 1e-9 && run_step(&u)) {
			double time = run_time(&u), left = time < stop ? time : stop;
			v3 x = run_key(&u, 1).position;
			most = run_gap(&u, 0, 1) > most ? run_gap(&u, 0, 1) : most;
			if (i == 0) {
				mark(r, "measured", false, time, sqrt(x.x * x.x + x.y * x.y));
				mark(r, "expected", true, time, 5 * left - 0.25 * g * left * left);
			}
		}
		if (u.ok) {
			v3 x = run_key(&u, 1).position;
			near(r, "way", "m", wanted, x.x * cos(angle) + x.y * sin(angle), 0.005);
			below(r, "off its line", "m", fabs(x.y * cos(angle) - x.x * sin(angle)), 0.005 * wanted);
			below(r, "higher than the kept gap", "m", most > gap ? most - gap : 0, 1e-9);
		} else {
			trouble(r, &u);
		}
		run_close(&u);
	}
}

/* ---- a ball set off sliding: v = v0 - mu g t, w r = 5/2 mu g t; they meet at t = 2 v0/(7 mu g) = 0.29125 s (worked out here again), at 5/7 v0, after
 * v0 t - mu g t^2/2 = 12 v0^2/(49 mu g) = 1.24818 m. Measured where the two ways, sliding and rolling, meet. */

void row_roll(const trial *t, result *r)
{
	const double mu = 0.5, begins = 10 / (7 * mu * g), way = 12 * 25 / (49 * mu * g), speed = 25.0 / 7;
	axes(r, "time, s", "speed, m/s");
	for (int i = 0; i < (t->brief ? 3 : 16); ++i) {
		run u;
		double angle = 2 * pi * i / 16;
		v3 along = v3_make(cos(angle), sin(angle), 0);
		edit e = {.context = &angle, .body = set_off};
		run_open(&u, t, "roll", &e);
		double early = 0, at = 0.2, time;
		while (u.ok && run_time(&u) < 2 - 1e-9 && run_step(&u)) {
			cairn_key k = run_key(&u, 1);
			time = run_time(&u);
			if (time < at + 1e-9)
				early = v3_dot(k.velocity, along);
			if (i == 0) {
				mark(r, "centre", false, time, v3_length(k.velocity));
				mark(r, "rim, seen from the centre", false, time, 0.25 * v3_length(k.spin));
				mark(r, "expected", true, time, time < begins ? 5 - mu * g * time : speed);
			}
		}
		if (!u.ok) {
			trouble(r, &u);
			run_close(&u);
			continue;
		}
		cairn_key k = run_key(&u, 1);
		double last = v3_dot(k.velocity, along), slows = (5 - early) / at, meets = (5 - last) / slows;
		near(r, "speed it rolls at", "m/s", speed, last, 0.01);
		near(r, "speed of its rim", "m/s", speed, 0.25 * v3_length(k.spin), 0.01);
		near(r, "rolls after", "s", begins, meets, 0.01);
		near(r, "rolls after a way of", "m", way, v3_dot(k.position, along) - last * (run_time(&u) - meets), 0.01);
		below(r, "off its line", "m", fabs(v3_dot(k.position, v3_make(-along.y, along.x, 0))), 0.01 * way);
		run_close(&u);
	}
}

/* ---- rolling down: a = g sin / (1 + I/(m r^2)): 5/7, 2/3, 1/2 */

void row_rollers(const trial *t, result *r)
{
	static const char *const names[] = {"expected, ball", "expected, cylinder", "expected, hoop"};
	const double slope = 20 * pi / 180, shares[3] = {5.0 / 7, 2.0 / 3, 0.5};
	const v3 downhill = v3_make(cos(slope), 0, -sin(slope));
	run u;
	v3 first[3];
	char what[64];
	run_open(&u, t, "rollers", NULL);
	axes(r, "time, s", "way down the slope, m");
	for (uint32_t i = 0; u.ok && i < 3; ++i)
		first[i] = run_key(&u, i + 1).position;
	while (u.ok && run_time(&u) < 2 - 1e-9 && run_step(&u)) {
		for (uint32_t i = 0; i < 3; ++i) {
			double time = run_time(&u), a = shares[i] * g * sin(slope);
			mark(r, u.infos[i + 1].name, false, time, v3_dot(v3_sub(run_key(&u, i + 1).position, first[i]), downhill));
			mark(r, names[i], true, time, 0.5 * a * time * time);
		}
	}
	for (uint32_t i = 0; u.ok && i < 3; ++i) {
		cairn_key k = run_key(&u, i + 1);
		double a = shares[i] * g * sin(slope);
		snprintf(what, sizeof what, "acceleration of the %s, by its way", u.infos[i + 1].name);
		near(r, what, "m/s^2", a, 0.5 * v3_dot(v3_sub(k.position, first[i]), downhill), 0.01);
		snprintf(what, sizeof what, "acceleration of the %s, by its speed", u.infos[i + 1].name);
		near(r, what, "m/s^2", a, 0.5 * v3_dot(k.velocity, downhill), 0.01);
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
}

/* ---- rolling resistance c: what presses is ahead of the middle by c, so that a ball of radius r slows down by 5/7 g c/r
 * and a cylinder by 2/3 g c/r, and stops after v^2/2 of that. */

static bool gauge_resistance(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	run_open(&u, t, "resistance", NULL);
	values[3] = NAN;
	while (u.ok && run_time(&u) < 5 - 1e-9 && run_step(&u)) {
		double time = run_time(&u);
		for (uint32_t i = 1; i <= 3; ++i)
			mark(r, u.infos[i].name, false, time, run_key(&u, i).position.x + 1);
		if (fabs(time - 2) < 0.5 * u.dt)
			values[3] = run_key(&u, 1).position.x + 1;
	}
	if (!u.ok)
		trouble(r, &u);
	for (int i = 0; i < 3 && u.ok; ++i)
		values[i] = run_key(&u, (uint32_t)i + 1).position.x + 1;
	run_close(&u);
	return u.ok;
}

void row_resistance(const trial *t, result *r)
{
	const double slows = g * 0.01 / 0.25, ball = 5 * slows / 7, roller = 2 * slows / 3;
	const truth list[] = {{"way of the ball", "m", 0.5 / ball, 0, 0},
	                      {"way of one that touches", "m", 0.5 / ball, 0, 0},
	                      {"way of the cylinder", "m", 0.5 / roller, 0, 0},
	                      {"way of the ball in 2 s", "m", 2 - 2 * ball, 0, 0}};
	axes(r, "time, s", "way, m");
	tell_truth(t, r, gauge_resistance, list, 4);
}
