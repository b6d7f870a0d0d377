/* Rows about thin shells that move: they roll, rock, hang in each other, turn together, and keep in or out what does not
 * fit. What is expected is worked out beside each row. */
#include "trial.h"

#include <stdio.h>

static const double g = 9.81, pi = 3.14159265358979323846;

static void set_friction(void *context, uint32_t index, cairn_material_def *d)
{
	(void)index;
	d->static_friction = d->kinetic_friction = *(const double *)context;
}

/* The mean of the first two periods in which a number of a body swings about 0, by its changes of sign. */
static double period(run *u, result *r, const char *line, double (*look)(const run *u))
{
	enum { SWINGS = 5 };
	double times[SWINGS], before = look(u);
	int count = 0;
	while (u->ok && count < SWINGS && run_time(u) < 12 && run_step(u)) {
		double now = look(u), dt = u->dt;
		mark(r, line, false, run_time(u), now);
		if (before * now < 0)
			times[count++] = run_time(u) - dt * now / (now - before);
		before = now;
	}
	if (!u->ok)
		trouble(r, u);
	return count == SWINGS ? 0.5 * (times[SWINGS - 1] - times[0]) : 0;
}

/* ---- a ring of radius R on a peg of radius r: its centre is a pendulum of length R - r, and as it rolls it turns by
 * (R - r)/R of that, so its inertia counts twice: T = 2 pi sqrt(2 (R - r)/g), and phi^2/16 longer for the swing. */

static double aside(const run *u) { return run_key(u, 1).position.x; }

void row_hoop(const trial *t, result *r)
{
	const double phi = 0.3, length = 0.5 - 0.05;
	run u;
	axes(r, "time, s", "aside, m");
	run_open(&u, t, "hoop", NULL);
	double found = u.ok ? period(&u, r, "its centre", aside) : 0;
	if (!u.ok)
		trouble(r, &u);
	near(r, "period, rolling", "s", 2 * pi * sqrt(2 * length / g) * (1 + phi * phi / 16), found, 0.01);
	run_close(&u);
}

/* ---- half a ball's skin: its centre of mass is R/2 from the middle, its moment about it 5/12 m R^2. It leans by x. The
 * potential is -m g R/2 cos x. Rolling, the centre of mass turns about the point of touch, at R^2 (5/4 - cos x); on ice it
 * only goes up and down, by R/2 sin x for each unit of spin. The period is the integral of dx / x'. */

static double rocker_period(double phi, bool rolls)
{
	enum { PARTS = 2000 };
	double sum = 0;
	for (int i = 0; i < PARTS; ++i) { /* x = phi sin u takes away the ends' infinite integrand */
		double u = (i + 0.5) / PARTS * pi / 2, x = phi * sin(u);
		double inertia = 5.0 / 12 + (rolls ? 1.25 - cos(x) : 0.25 * sin(x) * sin(x));
		sum += phi * cos(u) * sqrt(inertia / (g * (cos(x) - cos(phi))));
	}
	return 4 * sum * (pi / 2) / PARTS;
}

static double lean(const run *u)
{
	quat q = run_key(u, 1).orientation;
	return 2 * atan2(q.y, q.w);
}

void row_rocker(const trial *t, result *r)
{
	axes(r, "time, s", "lean, rad");
	for (int rolls = 0; rolls < 2; ++rolls) {
		double friction = rolls ? 1 : 0;
		edit e = {.context = &friction, .material = set_friction};
		run u;
		run_open(&u, t, "rocker", &e);
		double found = u.ok ? period(&u, r, rolls ? "rolling" : "on ice", lean) : 0;
		if (!u.ok)
			trouble(r, &u);
		near(r, rolls ? "period, rolling" : "period, on ice", "s", rocker_period(0.2, rolls), found, 0.01);
		run_close(&u);
	}
}

/* ---- rings of a strip hang in each other, facet on facet: the pitch is the height inside a ring, 2 R cos(pi/n), less the
 * gap that the shape asks for. */

void row_chain_of_rings(const trial *t, result *r)
{
	const double pitch = 2 * 0.5 * cos(pi / 24) - 2e-5;
	run u;
	axes(r, "time, s", "pitch of the lowest less expected, mm");
	run_open(&u, t, "ring-chain", NULL);
	while (u.ok && run_time(&u) < (t->brief ? 4 : 10) - 1e-9 && run_step(&u))
		mark(r, "the lowest", false, run_time(&u),
		     1e3 * (v3_distance(run_key(&u, u.count - 1).position, run_key(&u, u.count - 2).position) - pitch));
	if (!u.ok)
		trouble(r, &u);
	for (uint32_t i = 1; u.ok && i < u.count; ++i)
		within(r, "pitch", "m", pitch, v3_distance(run_key(&u, i).position, run_key(&u, i - 1).position),
		       t->brief ? 1e-4 : 1e-6);
	run_close(&u);
}

/* ---- cups in one another turn about their axis: nothing stops them, so in a second they turn by their spin */

static bool spin_up(void *context, uint32_t index, cairn_body_def *d)
{
	(void)index;
	d->spin = v3_make(0, 0, *(const double *)context);
	return true;
}

void row_cup_spin(const trial *t, result *r)
{
	const double spins[] = {3, 10, 30};
	axes(r, "time, s", "turn, rad");
	for (int i = 0; i < 3; ++i) {
		double spin = spins[i];
		edit e = {.context = &spin, .body = spin_up};
		run u;
		run_open(&u, t, "cup-spin", &e);
		double turned[3] = {0};
		while (u.ok && run_time(&u) < 1 - 1e-9) {
			quat before[3];
			for (uint32_t k = 0; k < 3; ++k)
				before[k] = run_key(&u, k).orientation;
			if (!run_step(&u))
				break;
			for (uint32_t k = 0; k < 3; ++k) {
				quat q = q_mul(run_key(&u, k).orientation, q_conj(before[k]));
				turned[k] += 2 * atan2(q.w < 0 ? -q.z : q.z, fabs(q.w));
			}
			if (i == 0)
				mark(r, "the innermost, 3 rad/s", false, run_time(&u), turned[2]);
		}
		if (!u.ok)
			trouble(r, &u);
		char what[72];
		snprintf(what, sizeof what, "turn in a second at %.0f rad/s", spin);
		for (int k = 0; u.ok && k < 3; ++k)
			near(r, what, "rad", spin * run_time(&u), turned[k], 0.01);
		run_close(&u);
	}
}

/* ---- a ball and the hole of a ring of n sides: the largest that passes has the radius R cos(pi/n) */

static void size_ball(void *context, uint32_t index, cairn_shape_def *d)
{
	(void)index;
	if (d->kind == CAIRN_SPHERE)
		d->radius = *(const double *)context;
}

void row_hole(const trial *t, result *r)
{
	const double hole = 0.25 * cos(pi / 12);
	axes(r, "time, s", "height, m");
	for (int large = 0; large < 2; ++large) {
		double radius = hole * (large ? 1.001 : 0.999), until = !large ? 2 : t->brief ? 4 : 60;
		edit e = {.context = &radius, .shape = size_ball};
		run u;
		run_open(&u, t, "hole", &e);
		while (u.ok && run_time(&u) < until - 1e-9 && run_step(&u))
			if (run_time(&u) < 2)
				mark(r, large ? "0.1 % larger" : "0.1 % smaller", false, run_time(&u), run_key(&u, 2).position.z);
		if (!u.ok)
			trouble(r, &u);
		bool passed = u.ok && run_key(&u, 2).position.z < -0.5;
		verdict(r, large ? "0.1 % larger than the hole" : "0.1 % smaller than the hole", large ? "stays" : "passes",
		        passed ? "passes" : "stays", u.ok && passed == !large);
		run_close(&u);
	}
}

/* ---- marbles in a bowl that is tipped to 30 degrees and back: none leaves the ball that the bowl is a part of */

void row_marbles(const trial *t, result *r)
{
	run u;
	uint32_t outside = 0;
	axes(r, "time, s", "furthest from the middle, m");
	run_open(&u, t, "marbles", NULL);
	while (u.ok && run_time(&u) < (t->brief ? 1 : 5) - 1e-9 && run_step(&u)) {
		double most = 0;
		for (uint32_t i = 2; i < u.count; ++i)
			most = fmax(most, v3_length(run_key(&u, i).position));
		mark(r, "any marble", false, run_time(&u), most);
	}
	if (!u.ok)
		trouble(r, &u);
	for (uint32_t i = 2; u.ok && i < u.count; ++i)
		outside += v3_length(run_key(&u, i).position) > 0.5 || run_key(&u, i).position.z > 0.5;
	at_most(r, "marbles outside", "", outside, 0);
	run_close(&u);
}

/* ---- a sheet slides over a floor of triangles as over a half-space */

static bool one_floor(void *context, uint32_t index, cairn_body_def *d)
{
	(void)d;
	return index != *(const uint32_t *)context;
}

void row_sheet(const trial *t, result *r)
{
	run u, v;
	uint32_t without_mesh = 1, without_plane = 0;
	edit plane = {.context = &without_mesh, .body = one_floor}, mesh = {.context = &without_plane, .body = one_floor};
	double most = 0;
	axes(r, "time, s", "way, m");
	run_open(&u, t, "sheet", &plane);
	run_open(&v, t, "sheet", &mesh);
	while (u.ok && v.ok && run_time(&u) < 1.5 - 1e-9 && run_step(&u) && run_step(&v)) {
		v3 a = run_key(&u, 2).position, b = run_key(&v, 2).position;
		most = fmax(most, v3_distance(a, b));
		mark(r, "over a half-space", true, run_time(&u), a.x + 2);
		mark(r, "over triangles", false, run_time(&v), b.x + 2);
	}
	if (!u.ok || !v.ok)
		trouble(r, u.ok ? &v : &u);
	below(r, "off the way over a half-space", "m", most, 1e-6);
	run_close(&u);
	run_close(&v);
}

/* ---- rings in each other stay so: the linking number of two closed lines is the sum of the angles in space under which
 * their segments see each other, over 4 pi (Gauss); of four corners it is that of the tetrahedron they span. */

static double solid_angle(v3 a, v3 b, v3 c, v3 d)
{
	v3 n[4] = {v3_unit(v3_cross(a, b)), v3_unit(v3_cross(b, c)), v3_unit(v3_cross(c, d)), v3_unit(v3_cross(d, a))};
	double sum = 0;
	for (int i = 0; i < 4; ++i) {
		double x = v3_dot(n[i], n[(i + 1) % 4]);
		sum += asin(x < -1 ? -1 : x > 1 ? 1 : x);
	}
	return sum;
}

enum { SIDES = 24 };

static double linking(const v3 *p, const v3 *q)
{
	double sum = 0;
	for (int i = 0; i < SIDES; ++i)
		for (int k = 0; k < SIDES; ++k) {
			v3 p0 = p[i], p1 = p[(i + 1) % SIDES], q0 = q[k], q1 = q[(k + 1) % SIDES];
			v3 a = v3_sub(q0, p0), b = v3_sub(q1, p0), c = v3_sub(q1, p1), d = v3_sub(q0, p1);
			double side = v3_dot(v3_cross(v3_sub(q1, q0), v3_sub(p1, p0)), a);
			double angle = fabs(solid_angle(a, b, c, d));
			sum += side > 0 ? angle : side < 0 ? -angle : 0;
		}
	return sum / (4 * pi);
}

static void middle_line(const run *u, uint32_t body, double radius, v3 line[SIDES])
{
	cairn_key k = run_key(u, body);
	for (int i = 0; i < SIDES; ++i) {
		double a = 2 * pi * i / SIDES;
		line[i] = v3_add(k.position, q_rotate(k.orientation, v3_make(radius * cos(a), radius * sin(a), 0)));
	}
}

enum { RINGS = 16 };

/* Which rings are in each other, as a table; rings are bodies 2 and up. */
static void find_links(const run *u, int links[RINGS][RINGS])
{
	v3 lines[RINGS][SIDES];
	for (uint32_t i = 0; i < RINGS; ++i)
		middle_line(u, i + 2, 0.25, lines[i]);
	for (uint32_t i = 0; i < RINGS; ++i)
		for (uint32_t k = 0; k < RINGS; ++k)
			links[i][k] = i == k ? 0 : (int)floor(linking(lines[i], lines[k]) + 0.5);
}

void row_linked(const trial *t, result *r)
{
	int first[RINGS][RINGS], last[RINGS][RINGS], changed = 0, linked = 0;
	run u;
	axes(r, "time, s", "height of the lowest ring, m");
	run_open(&u, t, "linked", NULL);
	if (u.ok)
		find_links(&u, first);
	while (u.ok && run_time(&u) < (t->brief ? 1 : 4) - 1e-9 && run_step(&u))
		mark(r, "the lowest ring", false, run_time(&u), run_key(&u, RINGS + 1).position.z);
	if (!u.ok)
		trouble(r, &u);
	if (u.ok)
		find_links(&u, last);
	for (int i = 0; u.ok && i < RINGS; ++i)
		for (int k = 0; k < i; ++k)
			linked += first[i][k] != 0, changed += first[i][k] != last[i][k];
	within(r, "pairs of rings that are linked", "", RINGS - 2, linked, 0);
	at_most(r, "linking numbers that changed", "", changed, 0);
	run_close(&u);
}

/* ---- a nut on a square thread: friction holds it if its angle is larger than the thread's lead angle, at which it rises by
 * the pitch in 2 pi r. It lies on the thread between 99 and 100 mm. As it turns it goes down by the pitch a turn. */

void row_nut(const trial *t, result *r)
{
	const double pitch = 0.2, lead = pitch / (2 * pi * 0.0995), settled = 0.3, until = t->brief ? 1 : 2;
	axes(r, "time, s", "turn, rad");
	for (int slides = 0; slides < 2; ++slides) {
		double friction = (slides ? 0.98 : 1.02) * lead, turned = 0, from = 0, down = 0;
		edit e = {.context = &friction, .material = set_friction};
		run u;
		run_open(&u, t, "nut", &e);
		while (u.ok && run_time(&u) < until - 1e-9) {
			cairn_key before = run_key(&u, 1);
			if (!run_step(&u))
				break;
			cairn_key now = run_key(&u, 1);
			quat q = q_mul(now.orientation, q_conj(before.orientation));
			turned += 2 * atan2(q.w < 0 ? -q.z : q.z, fabs(q.w));
			if (run_time(&u) < settled)
				from = turned, down = now.position.z;
			mark(r, slides ? "0.98 of the lead angle's tangent" : "1.02 of it", false, run_time(&u), turned);
		}
		if (!u.ok)
			trouble(r, &u);
		double way = run_key(&u, 1).position.z - down, turn = turned - from;
		if (slides) {
			verdict(r, "0.98 of the lead angle's tangent", "turns", turn < -0.03 ? "turns" : "stays",
			        u.ok && turn < -0.03);
			near(r, "way down as it turns", "m", pitch * turn / (2 * pi), way, 0.01);
		} else {
			verdict(r, "1.02 of the lead angle's tangent", "stays", fabs(turn) > 1e-4 ? "turns" : "stays",
			        u.ok && fabs(turn) <= 1e-4);
		}
		run_close(&u);
	}
}

/* ---- boats fall into a bowl: what they have lost after two seconds is what they lose at eight times the steps */

static bool some_boats(void *context, uint32_t index, cairn_body_def *d)
{
	(void)d;
	return index <= *(const uint32_t *)context;
}

void row_boats(const trial *t, result *r)
{
	uint32_t boats = t->brief ? 8 : 108;
	double until = t->scale == 1 && !t->brief ? 2 : 1, lost[2] = {0};
	edit e = {.context = &boats, .body = some_boats};
	axes(r, "time, s", "energy lost, J");
	for (int fine = 0; fine < 2; ++fine) {
		trial way = *t;
		way.finer *= fine ? 8 : 1;
		run u;
		run_open(&u, &way, "boats", &e);
		double first = u.total;
		while (u.ok && run_time(&u) < until - 1e-9 && run_step(&u))
			mark(r, fine ? "at 240 frames a second" : "at 30", fine, run_time(&u), first - u.total);
		if (!u.ok)
			trouble(r, &u);
		lost[fine] = first - u.total;
		run_close(&u);
	}
	near(r, "energy lost, against eight times the steps", "J", lost[1], lost[0], 0.05);
}

/* ---- sharp things on each other: each pair is its own mirror image in x, and those that do not slide in y */

void row_erleben(const trial *t, result *r)
{
	enum { PAIRS = 10, SLIDES = 6, SLIDES_TO = 8 }; /* of the pairs, those that slide in a crack */
	double still = 0, slides = 0, lifted = 0;
	run u;
	axes(r, "time, s", "height of a spike on a spike, m");
	run_open(&u, t, "erleben", NULL);
	double first[PAIRS] = {0};
	for (uint32_t i = 0; u.ok && i < PAIRS; ++i)
		first[i] = run_key(&u, 2 * i + 1).position.z;
	while (u.ok && run_time(&u) < (t->brief ? 0.5 : 2) - 1e-9 && run_step(&u)) {
		for (uint32_t i = 0; i < PAIRS; ++i) {
			v3 under = run_key(&u, 2 * i).position, over = run_key(&u, 2 * i + 1).position;
			double off = fabs(over.x - under.x), beside = i < SLIDES ? fabs(over.y - under.y) : 0;
			bool in_crack = i >= SLIDES && i < SLIDES_TO;
			*(in_crack ? &slides : &still) = fmax(in_crack ? slides : still, fmax(off, beside));
			lifted = fmax(lifted, over.z - first[i]);
		}
		mark(r, "its centre", false, run_time(&u), run_key(&u, 1).position.z);
	}
	if (!u.ok)
		trouble(r, &u);
	below(r, "off the mirror plane", "m", still, 1e-9);
	below(r, "off the mirror plane, sliding in a crack", "m", slides, 1e-9);
	below(r, "higher than they began", "m", lifted, 1e-9);
	run_close(&u);
}

/* ---- a net of rings hangs from its corners: each upright ring goes through the two flat ones beside it, as at the start, and
 * the net is its own mirror image */

enum { NET = 8, UPRIGHT = 2 * NET * (NET - 1) };

/* The upright ring after the flat ones, and the two flat ones beside it. */
typedef struct knot {
	uint32_t ring, beside[2];
} knot;

static uint32_t list_knots(knot list[UPRIGHT])
{
	uint32_t count = 0, next = NET * NET;
	for (uint32_t j = 0; j < NET; ++j)
		for (uint32_t i = 0; i < NET; ++i) {
			if (i + 1 < NET)
				list[count++] = (knot){next++, {j * NET + i, j * NET + i + 1}};
			if (j + 1 < NET)
				list[count++] = (knot){next++, {j * NET + i, (j + 1) * NET + i}};
		}
	return count;
}

static uint32_t count_linked(const run *u, const knot *list, uint32_t count)
{
	uint32_t linked = 0;
	for (uint32_t k = 0; k < count; ++k) {
		v3 own[SIDES], other[SIDES];
		middle_line(u, list[k].ring, 0.2, own);
		for (int side = 0; side < 2; ++side) {
			middle_line(u, list[k].beside[side], 0.25, other);
			linked += fabs(linking(own, other)) > 0.5;
		}
	}
	return linked;
}

void row_net(const trial *t, result *r)
{
	knot list[UPRIGHT];
	uint32_t count = list_knots(list);
	double off = 0, until = t->brief ? 0.2 : t->scale == 1 ? 2 : 0.5;
	run u;
	axes(r, "time, s", "height of a ring in the middle, m");
	run_open(&u, t, "net", NULL);
	if (u.ok)
		within(r, "pairs of rings that are linked at the start", "", 2 * UPRIGHT, count_linked(&u, list, count), 0);
	while (u.ok && run_time(&u) < until - 1e-9 && run_step(&u)) {
		for (uint32_t k = 0; k < NET * NET; ++k) {
			v3 a = run_key(&u, k).position, b = run_key(&u, k / NET * NET + NET - 1 - k % NET).position;
			off = fmax(off, v3_distance(a, v3_make(-b.x, b.y, b.z)));
		}
		mark(r, "the ring", false, run_time(&u), run_key(&u, NET * NET / 2 + NET / 2).position.z);
	}
	if (!u.ok)
		trouble(r, &u);
	if (u.ok)
		within(r, "pairs of rings that are linked in the end", "", 2 * UPRIGHT, count_linked(&u, list, count), 0);
	below(r, "off the mirror image", "m", off, 1e-9);
	run_close(&u);
}
