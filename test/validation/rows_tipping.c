/* Rows about what tips: dominoes, boxes on an edge, a plank, a cube, a ladder. What is expected is worked out beside
 * each row; all are measured at several frame rates (truth.c). */
#include "trial.h"

#include <stdio.h>

static const double g = 9.81, pi = 3.14159265358979323846;

/* How far a body's own axis z leans toward x, and how fast. */
static double lean_of(const cairn_key *k)
{
	v3 up = q_rotate(k->orientation, v3_make(0, 0, 1));
	return atan2(up.x, up.z);
}

/* When each of some bodies first leans by a level; NAN: not by the end. */
typedef struct leaning {
	uint32_t first, count; /* bodies */
	double level, until;
	double when[24];
} leaning;

static bool watch_lean(const trial *t, result *r, const char *scene, leaning *l, run *u)
{
	double before[24], rate[24];
	run_open(u, t, scene, NULL);
	for (uint32_t i = 0; u->ok && i < l->count; ++i) {
		cairn_key k = run_key(u, l->first + i);
		before[i] = lean_of(&k), rate[i] = k.spin.y, l->when[i] = NAN;
	}
	while (u->ok && run_time(u) < l->until - 1e-9 && run_step(u)) {
		for (uint32_t i = 0; i < l->count; ++i) {
			cairn_key k = run_key(u, l->first + i);
			double now = lean_of(&k), time = run_time(u);
			if (isnan(l->when[i]) && now >= l->level && before[i] < l->level)
				l->when[i] = crossing((double[2]){time - u->dt, time}, (double[2]){before[i], now},
				                      (double[2]){rate[i], k.spin.y}, l->level);
			before[i] = now, rate[i] = k.spin.y;
			if (i < SERIES_MOST)
				mark(r, u->infos[l->first + i].name, false, time, 180 / pi * now);
		}
	}
	if (!u->ok)
		trouble(r, u);
	return u->ok;
}

/* ---- dominoes. There is no closed form of the wave; by this engine it has its final speed from the tenth domino on,
 * 0.1155 s a domino at 1000 frames a second and 0.1154 s at 3000, to half a percent: whatever is changed by a rounding
 * error changes it by as much. At the end they lie on each other, plates of thickness
 * d turned about edges p apart: parallel planes are p cos apart, so cos = d/p = 0.2, 78.46 degrees. The last few lie
 * flatter: nothing is under the last. */

static bool gauge_dominoes(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	enum { COUNT = 20, FROM = 9, ALIKE = 12 };
	leaning l = {.first = 1, .count = COUNT, .level = 0.3, .until = t->brief ? 3 : 5};
	bool ok = watch_lean(t, r, "dominoes", &l, &u);
	values[0] = (l.when[COUNT - 1] - l.when[FROM]) / (COUNT - 1 - FROM);
	values[0] = values[0] == values[0] ? values[0] : INFINITY; /* the wave ends before the last */
	values[1] = values[2] = 0;
	for (uint32_t i = 0; ok && i < COUNT; ++i) {
		cairn_key k = run_key(&u, i + 1);
		values[2] = fmax(values[2], fabs(k.position.y));
		if (i < ALIKE)
			values[1] += 180 / pi * lean_of(&k) / ALIKE;
	}
	run_close(&u);
	return ok;
}

void row_dominoes(const trial *t, result *r)
{
	const truth list[] = {{"wave, a domino", "s", 0.1154, 0, 5e-3},
	                      {"lean at the end, mean of twelve", "deg", 180 / pi * acos(0.2), 0, 0},
	                      {"out of line at the end", "m", 0, 0.4, 0}}; /* 5 %: 2 cm */
	axes(r, "time, s", "lean, degrees");
	tell_truth(t, r, gauge_dominoes, list, 3);
}

/* ---- a box on its edge is a pendulum upside down: with d across and h high its centre is R = sqrt(d^2 + h^2)/2 from
 * the edge, atan(d/h) behind the lean, and (d^2 + h^2)/3 is its moment over its mass. From rest it leans by 45 degrees
 * after 0.5122 s (12 degrees) and 0.7177 s (8 degrees). Friction of 0.37 keeps the edge in its place. */

static bool gauge_tip(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	leaning l = {.first = 1, .count = 4, .level = 0.25 * pi, .until = 1};
	bool ok = watch_lean(t, r, "tip", &l, &u);
	for (int i = 0; i < 4; ++i)
		values[i] = l.when[i];
	values[4] = l.when[0] / l.when[1], values[5] = l.when[2] / l.when[3];
	run_close(&u);
	return ok;
}

void row_tip(const trial *t, result *r)
{
	const double d = 0.06, h = 0.6, square = d * d + h * h, behind = atan(d / h),
				 b = g * 0.5 * sqrt(square) / (square / 3);
	const double steep = swing_time(b, 12 * pi / 180 - behind, 0, 0.25 * pi - behind);
	const double flat = swing_time(b, 8 * pi / 180 - behind, 0, 0.25 * pi - behind);
	const truth list[] = {
		{"45 degrees, from 12, touching", "s", steep, 0, 0}, {"45 degrees, from 12, gap", "s", steep, 0, 0},
		{"45 degrees, from 8, touching", "s", flat, 0, 0},   {"45 degrees, from 8, gap", "s", flat, 0, 0},
		{"touching over gap, from 12", "", 1, 0.2, 0},       {"touching over gap, from 8", "", 1, 0.2, 0}};
	axes(r, "time, s", "lean, degrees");
	tell_truth(t, r, gauge_tip, list, 6); /* the last two within 1 %: a fifth of 5 % */
}

/* ---- a plank of length L and thickness 2c glides over an edge without friction. Until its middle passes, the table
 * carries it; then it turns about the edge and slides on over it. With s from the edge to the middle along the plank, lean
 * q and k = (L^2 + 4c^2)/12, Lagrange's equations are
 *   (s^2 + k) q'' = g s cos q - 2 s s' q' - c s q'^2,   s'' = s q'^2 + g sin q - c q''. */

static double plank_time(double d, double v, double level)
{
	const double c = 0.05, k = (4 + 4 * c * c) / 12, h = 1e-6;
	double s = 0, q = 0, ds = v, dq = 0, t = d / v;
	while (q < level && t < 10) { /* by the midpoint */
		double y[4] = {s, q, ds, dq}, f[4] = {0};
		for (int stage = 0; stage < 2; ++stage) {
			double w = stage ? 0.5 * h : 0, a = s + w * f[0], b = q + w * f[1], da = ds + w * f[2], db = dq + w * f[3];
			f[0] = da, f[1] = db;
			f[3] = (g * a * cos(b) - 2 * a * da * db - c * a * db * db) / (a * a + k);
			f[2] = a * db * db + g * sin(b) - c * f[3];
		}
		s = y[0] + h * f[0], q = y[1] + h * f[1], ds = y[2] + h * f[2], dq = y[3] + h * f[3], t += h;
	}
	return t;
}

static bool gauge_plank(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	leaning l = {.first = 1, .count = 1, .level = 0.5, .until = 1.2};
	bool ok = watch_lean(t, r, "plank", &l, &u);
	values[0] = l.when[0];
	run_close(&u);
	l.level = 0.01;
	ok = ok && watch_lean(t, r, "plank", &l, &u);
	values[1] = l.when[0];
	if (ok)
		run_close(&u);
	return ok;
}

void row_plank(const trial *t, result *r)
{
	const truth list[] = {{"leans by 0.5 rad after", "s", plank_time(0.25, 1, 0.5), 0, 0},
	                      {"leans by 0.01 rad after", "s", plank_time(0.25, 1, 0.01), 0, 0}};
	axes(r, "time, s", "lean, degrees");
	tell_truth(t, r, gauge_plank, list, 2);
}

/* ---- a cube of edge a set off about its edge at w: its centre has to rise from a/2 to a/sqrt 2, so that it takes
 * w^2 = 2 g (1/sqrt 2 - 1/2)/(2/3 a) to come upright, and with w it is there after the time of the pendulum upside down
 * from -45 degrees. */

static bool gauge_topple(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	leaning l = {.first = 1, .count = 3, .level = 0.25 * pi, .until = 1.8};
	bool ok = watch_lean(t, r, "topple", &l, &u);
	cairn_key back = ok ? run_key(&u, 1) : (cairn_key){.time = 0}, over = ok ? run_key(&u, 2) : back;
	values[0] = l.when[2];
	values[1] = ok ? lean_of(&back) : NAN, values[2] = ok ? lean_of(&over) : NAN;
	run_close(&u);
	return ok;
}

void row_topple(const trial *t, result *r)
{
	const double w = sqrt(2 * g * (sqrt(0.5) - 0.5) * 1.5), b = g * sqrt(0.5) * 1.5;
	const truth list[] = {{"upright, with 1.2 of the spin, after", "s", swing_time(b, -0.25 * pi, 1.2 * w, 0), 0, 0},
	                      {"lean at the end, with 0.95", "rad", 0, 0.5 * pi, 0},
	                      {"lean at the end, with 1.05", "rad", 0.5 * pi, 0, 0}};
	axes(r, "time, s", "lean, degrees");
	tell_truth(t, r, gauge_topple, list, 3);
}

/* ---- a ladder whose ends glide on wall and floor: with L between the centres of its caps and moment I about its middle
 * q'' = B sin q, B = m g L/2 / (m L^2/4 + I). Its middle goes at x' = L/2 cos q q', which falls where cos q = 2/3 of
 * what it was at first: there the wall would have to pull, and it leaves, and keeps x' = L/2 (2/3 cos q0) sqrt(2 B/3 cos q0). */

static const double ladder_from = 20 * 3.14159265358979323846 / 180, ladder_long = 2, ladder_thick = 0.02;

static double ladder_rate(void)
{
	const double n = ladder_thick, l = ladder_long, rod = pi * n * n * l, caps = 4 * pi * n * n * n / 3;
	double moment = rod * (n * n / 4 + l * l / 12) + caps * (0.4 * n * n + l * l / 4 + 0.375 * l * n);
	return g * 0.5 * l / (0.25 * l * l + moment / (rod + caps));
}

static bool gauge_ladder(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	double leaves = acos(2 * cos(ladder_from) / 3), before = ladder_from, rate = 0;
	values[0] = values[1] = NAN;
	run_open(&u, t, "ladder", NULL);
	while (u.ok && run_time(&u) < 0.9 && run_step(&u)) {
		cairn_key k = run_key(&u, 2);
		double now = -lean_of(&k), time = run_time(&u);
		mark(r, "angle", false, time, 180 / pi * now);
		if (now >= leaves && before < leaves)
			values[0] = crossing((double[2]){time - u.dt, time}, (double[2]){before, now}, (double[2]){rate, -k.spin.y},
			                     leaves);
		if (now >= leaves && now < 1.4)
			values[1] = k.velocity.x;
		before = now, rate = -k.spin.y;
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
	return u.ok;
}

void row_ladder(const trial *t, result *r)
{
	const double b = ladder_rate(), c = cos(ladder_from), leaves = acos(2 * c / 3);
	const truth list[] = {{"leaves the wall after", "s", swing_time(b, ladder_from, 0, leaves), 0, 0},
	                      {"speed away from the wall, after", "m/s", ladder_long / 3 * c * sqrt(2 * b * c / 3), 0, 0}};
	axes(r, "time, s", "angle to the wall, degrees");
	tell_truth(t, r, gauge_ladder, list, 2);
}

/* ---- two boxes on each other on a plate that tilts at w: friction m holds them until tan(wt) = m, and from then on both
 * slide by s'' = g (sin wt - m cos wt). Followed in steps of 1e-5 s until they have gone a centimetre. */

static const double tilting_way = 0.01;

static double tilting_time(void)
{
	const double w = 0.05, m = 0.4, h = 1e-5;
	double t = atan(m) / w, s = 0, v = 0;
	while (s < tilting_way) {
		v += h * g * (sin(w * (t + 0.5 * h)) - m * cos(w * (t + 0.5 * h)));
		s += h * v, t += h;
	}
	return t;
}

static bool gauge_tilting(const trial *t, result *r, double values[TRUTH_MOST])
{
	enum { TOUCHING = 1, GAP = 3 };
	run u;
	double before[2] = {0}, rate[2] = {0};
	run_open(&u, t, "tilting", NULL);
	values[0] = values[1] = NAN;
	while (u.ok && run_time(&u) < 8.5 - 1e-9 && run_step(&u)) {
		cairn_key plate = run_key(&u, 0);
		for (int i = 0; i < 2; ++i) {
			cairn_key k = run_key(&u, i ? GAP : TOUCHING);
			v3 arm = v3_sub(k.position, plate.position), own = q_unrotate(plate.orientation, arm);
			v3 goes = q_unrotate(plate.orientation, v3_sub(k.velocity, v3_cross(plate.spin, arm)));
			double time = run_time(&u);
			if (-own.y >= tilting_way && before[i] < tilting_way)
				values[i] = crossing((double[2]){time - u.dt, time}, (double[2]){before[i], -own.y},
				                     (double[2]){rate[i], -goes.y}, tilting_way);
			before[i] = -own.y, rate[i] = -goes.y;
			mark(r, i ? "with a gap" : "touching", false, time, -own.y);
		}
	}
	if (!u.ok)
		trouble(r, &u);
	values[2] = values[0] / values[1];
	run_close(&u);
	return u.ok;
}

void row_tilting(const trial *t, result *r)
{
	const truth list[] = {{"slipped 1 cm, touching, after", "s", tilting_time(), 0, 0},
	                      {"slipped 1 cm, with a gap, after", "s", tilting_time(), 0, 0},
	                      {"touching over gap", "", 1, 0.2, 0}}; /* within 1 %: a fifth of 5 % */
	axes(r, "time, s", "slipped, m");
	tell_truth(t, r, gauge_tilting, list, 3);
}
