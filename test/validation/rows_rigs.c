/* Rows about rigs in contact: what falls on its joints and comes to lie, what meets in empty space. What is expected is
 * worked out beside each row. */
#include "trial.h"

#include <stdio.h>

/* ---- bars of 0.2 x 0.2 x 1 m on hinges whose axes lie across them: whatever the axis, both come to lie on the floor,
 * with the gap that is kept */

static bool gauge_hinged(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	run_open(&u, t, "hinged", NULL);
	while (u.ok && run_time(&u) < (t->brief ? 3 : 5) - 1e-9 && run_step(&u))
		for (uint32_t i = 1; i <= 4; ++i)
			mark(r, u.infos[2 * i].name, false, run_time(&u), run_key(&u, 2 * i).position.z);
	if (!u.ok)
		trouble(r, &u);
	values[0] = values[1] = 0;
	for (uint32_t i = 1; u.ok && i <= 8; ++i) {
		cairn_key k = run_key(&u, i);
		values[0] = fmax(values[0], k.position.z);
		values[1] = fmax(values[1], v3_length(k.velocity));
	}
	run_close(&u);
	return u.ok;
}

void row_hinged(const trial *t, result *r)
{
	const truth list[] = {{"height of the highest bar", "m", 0.1002, 0, 0}, {"its speed", "m/s", 0, 1, 0}};
	axes(r, "time, s", "height, m");
	tell_truth(t, r, gauge_hinged, list, 2);
}

/* ---- a ragdoll of eleven bodies lands on its feet and falls. What is expected is the engine's own motion at 8000 frames
 * a second, which differs from that at 4000 by 0.5 mm after 0.6 s and 0.7 mm after 1 s. Errors are shares of the fall. */

static double centre_height(const run *u, uint32_t count)
{
	double mass = 0, sum = 0;
	for (uint32_t i = 0; i < count; ++i)
		mass += u->infos[i].mass, sum += u->infos[i].mass * run_key(u, i).position.z;
	return sum / mass;
}

static bool gauge_ragdoll(const trial *t, result *r, double values[TRUTH_MOST])
{
	static const double times[3] = {0.5, 0.6, 1};
	run u;
	run_open(&u, t, "ragdoll", NULL);
	for (int k = 0; k < 3; ++k) {
		while (u.ok && run_time(&u) < times[k] - 1e-9 && run_step(&u))
			mark(r, "centre of mass", false, run_time(&u), centre_height(&u, 11));
		values[k] = u.ok ? centre_height(&u, 11) : NAN;
	}
	if (!u.ok)
		trouble(r, &u);
	run_close(&u);
	return u.ok;
}

void row_ragdoll(const trial *t, result *r)
{
	const double first = 1.6610;
	const truth list[] = {{"height of its centre after 0.5 s", "m", 0.9723, first - 0.9723, 0},
	                      {"after 0.6 s", "m", 0.7890, first - 0.7890, 0},
	                      {"after 1 s", "m", 0.2483, first - 0.2483, 0.01}}; /* it has many contacts by then */
	axes(r, "time, s", "height, m");
	tell_truth(t, r, gauge_ragdoll, list, 3);
}

/* ---- two rigs of three and five bodies meet in empty space at 11 m/s, e = 0.3: nothing acts on them from outside, so
 * momentum and angular momentum stay, and they part */

static v3 centre_of(const run *u, uint32_t from, uint32_t to)
{
	v3 sum = v3_zero();
	double mass = 0;
	for (uint32_t i = from; i < to; ++i)
		mass += u->infos[i].mass, sum = v3_madd(sum, run_key(u, i).position, u->infos[i].mass);
	return v3_scale(sum, 1 / mass);
}

static bool gauge_rigs(const trial *t, result *r, double values[TRUTH_MOST])
{
	run u;
	v3 angular = v3_zero(), turning = v3_zero();
	double scale = 1, angular_scale = 1, before = 0, apart = 0, least = INFINITY;
	run_open(&u, t, "rigs", NULL);
	v3 first = u.ok ? run_momentum(&u, &angular, &scale, &angular_scale) : v3_zero(), now = first;
	while (u.ok && run_time(&u) < 1 - 1e-9) {
		v3 from[8];
		for (uint32_t i = 0; i < 8; ++i)
			from[i] = run_key(&u, i).position;
		if (!run_step(&u))
			break;
		for (uint32_t i = 0; i < 8; ++i)
			least = fmin(least, v3_distance(run_key(&u, i).position, from[i]) / u.dt);
		before = apart, apart = v3_distance(centre_of(&u, 0, 3), centre_of(&u, 3, 8));
		mark(r, "their centres", false, run_time(&u), apart);
	}
	if (!u.ok)
		trouble(r, &u);
	else
		now = run_momentum(&u, &turning, &scale, &angular_scale);
	below(r, "momentum off by", "", v3_distance(first, now) / scale, 1e-9);
	above(r, "they part at", "m/s", (apart - before) / u.dt, 0.1);
	above(r, "slowest link in any frame", "m/s", least, 1e-3);
	values[0] = v3_distance(angular, turning) / angular_scale;
	run_close(&u);
	return u.ok;
}

void row_rigs(const trial *t, result *r)
{
	const truth list[] = {{"angular momentum off by", "", 0, 1, 0}};
	axes(r, "time, s", "distance of the two, m");
	tell_truth(t, r, gauge_rigs, list, 1);
}
