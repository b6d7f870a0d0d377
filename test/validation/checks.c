/* What must hold of any scene: symmetric ones stay so, the same scene elsewhere moves the same, what nothing acts on
 * keeps its momentum. Wanted errors are for islands that are solved in double; larger ones are shown beside them. */
#include "trial.h"

#include <stdio.h>
#include <string.h>

/* ---- symmetry */

/* The body that stands where the mirror image of each one does, in the plane x = 0 or y = 0. */
static bool find_twins(const run *u, bool across_x, uint32_t *twins)
{
	for (uint32_t i = 0; i < u->count; ++i) {
		v3 x = run_key(u, i).position;
		twins[i] = UINT32_MAX;
		x = across_x ? v3_make(-x.x, x.y, x.z) : v3_make(x.x, -x.y, x.z);
		for (uint32_t k = 0; k < u->count && u->infos[i].type == CAIRN_DYNAMIC; ++k)
			if (u->infos[k].type == CAIRN_DYNAMIC && v3_distance(run_key(u, k).position, x) < 1e-9)
				twins[i] = k;
		if (u->infos[i].type == CAIRN_DYNAMIC && twins[i] == UINT32_MAX)
			return false;
	}
	return true;
}

static void mirror(const trial *t, result *r, const char *scene, bool across_x, double seconds, double wanted)
{
	run u;
	char what[72];
	uint32_t twins[RUN_MOST] = {0};
	double off = 0;
	if (!run_open(&u, t, scene, NULL) || !find_twins(&u, across_x, twins)) {
		trouble(r, &u);
		run_close(&u);
		return;
	}
	while (u.ok && run_time(&u) < seconds - 1e-9 && run_step(&u)) {
		for (uint32_t i = 0; i < u.count; ++i) {
			if (twins[i] == UINT32_MAX)
				continue;
			v3 x = run_key(&u, i).position, y = run_key(&u, twins[i]).position;
			y = across_x ? v3_make(-y.x, y.y, y.z) : v3_make(y.x, -y.y, y.z);
			off = v3_distance(x, y) > off ? v3_distance(x, y) : off;
		}
	}
	if (!u.ok)
		trouble(r, &u);
	snprintf(what, sizeof what, "%s, in %s = 0", scene, across_x ? "x" : "y");
	below(r, what, "m", off, wanted);
	run_close(&u);
}

static void check_symmetry(const trial *t, result *r)
{
	double seconds = t->brief ? 0.5 : 2;
	mirror(t, r, "slide", false, seconds, 1e-9);
	mirror(t, r, "pinch", true, seconds, 1e-9);
	mirror(t, r, "mass-ratio", true, seconds, 1e-9);
	mirror(t, r, "diamond3", true, seconds, 1e-9);
	mirror(t, r, "arch-thick", true, seconds, 1e-9);
	mirror(t, r, "cards", true, seconds, 1e-9);
	mirror(t, r, "overhang", false, seconds, 1e-9);
}

/* ---- invariance */

/* The furthest that a body is from where it is in the plain run, over two seconds. */
static double differs(const trial *plain, const trial *other, const char *scene, result *r)
{
	run a, b;
	double off = 0;
	bool ok = run_open(&a, plain, scene, NULL), also = run_open(&b, other, scene, NULL);
	for (int k = 0; ok && also && k < 60 && run_step(&a) && run_step(&b); ++k)
		for (uint32_t i = 0; i < a.count; ++i)
			if (a.infos[i].type == CAIRN_DYNAMIC) {
				double d = v3_distance(run_key(&a, i).position, run_key(&b, i).position);
				off = d > off ? d : off;
			}
	if (!a.ok || !b.ok)
		trouble(r, a.ok ? &b : &a);
	run_close(&a);
	run_close(&b);
	return off;
}

static void check_invariance(const trial *t, result *r)
{
	static const char *const scenes[] = {"throw",      "spin",       "bounce",   "slope", "slide",
	                                     "roll",       "rollers",    "billiard", "pinch", "stack30",
	                                     "mass-ratio", "arch-thick", "overhang", "cards"};
	const uint32_t count = t->brief ? 6 : sizeof scenes / sizeof *scenes;
	char what[72];
	for (uint32_t i = 0; i < count; ++i) {
		trial moved = *t, turned = *t, listed = *t, shuffled = *t, larger = *t;
		moved.move = v3_make(3.7, -2.3, 1.1), turned.turn = 0.7, listed.order = 1, shuffled.order = 7,
		larger.scale = 10;
		const struct {
			const char *name;
			const trial *other;
		} ways[5] = {{"moved", &moved},
		             {"turned", &turned},
		             {"listed from the last", &listed},
		             {"shuffled", &shuffled},
		             {"ten times as large", &larger}};
		for (int k = 0; k < 5; ++k) {
			snprintf(what, sizeof what, "%s: %s", scenes[i], ways[k].name);
			below(r, what, "m", differs(t, ways[k].other, scenes[i], r), 1e-6);
		}
	}
}

/* ---- conservation */

static bool two_of_them(void *context, uint32_t index, cairn_body_def *d)
{
	(void)context, (void)d;
	return index == 0 || index == 26;
}

static bool no_floor(void *context, uint32_t index, cairn_body_def *d)
{
	(void)context, (void)d;
	return index > 0;
}

static void rough(void *context, uint32_t index, cairn_material_def *d)
{
	(void)context, (void)index;
	d->static_friction = d->kinetic_friction = 0.5, d->restitution = 0.7;
}

/* The most by which momentum and angular momentum change, of their scales. */
static void conserve(const trial *t, result *r, const char *name, const char *scene, const edit *e,
                     double angular_wanted)
{
	run u;
	char what[72];
	double scale, angular_scale, now, then, off = 0, turned = 0;
	v3 l0, l;
	if (!run_open(&u, t, scene, e)) {
		trouble(r, &u);
		run_close(&u);
		return;
	}
	v3 p0 = run_momentum(&u, &l0, &scale, &angular_scale);
	uint64_t hits = 0;
	while (u.ok && run_time(&u) < 2 - 1e-9 && run_step(&u)) {
		v3 p = run_momentum(&u, &l, &now, &then);
		double d = v3_distance(p, p0) / scale, a = v3_distance(l, l0) / angular_scale;
		off = d > off ? d : off, turned = a > turned ? a : turned;
		hits += u.report.collisions;
	}
	if (!u.ok)
		trouble(r, &u);
	snprintf(what, sizeof what, "%s hit each other", name);
	verdict(r, what, "yes", hits ? "yes" : "no", hits > 0);
	snprintf(what, sizeof what, "momentum, %s", name);
	below(r, what, "", off, 1e-9);
	snprintf(what, sizeof what, "angular momentum, %s", name);
	below(r, what, "", turned, angular_wanted);
	run_close(&u);
}

static void check_conservation(const trial *t, result *r)
{
	edit pair = {.body = no_floor, .material = rough, .weightless = true}, cubes = {.body = two_of_them};
	conserve(t, r, "two rough balls", "billiard", &pair, 1e-9);
	conserve(t, r, "two cubes", "closed", &cubes, INFINITY);
	conserve(t, r, "27 bodies", "closed", NULL, INFINITY);
	below(r, "the energy ledger of all runs is off by, units", "", run_worst_ledger(), 1e-9);
}

const check checks[] = {
	{"symmetry", "Symmetry",
     "A scene that is its own mirror image stays so: how far a body is from its twin's image in two seconds.",
     check_symmetry},
	{"invariance", "Invariance",
     "The same scene moved, turned about the vertical, listed in another order, or ten times as large with frames "
     "longer by √10: how far a body is from where it is in the plain run, over 60 frames.",
     check_invariance},
	{"conservation", "Conservation",
     "Bodies in empty space: by how much momentum and angular momentum change, of the sum of their sizes.",
     check_conservation},
};
const uint32_t check_count = sizeof checks / sizeof *checks;
