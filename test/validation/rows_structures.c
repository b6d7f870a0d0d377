/* Rows about structures, which stand or fall, and about what must not pass. */
#include "trial.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 8 }; /* s, in pictures: what falls has fallen by then */

/* How far the bodies of a run have come from where they began. */
typedef struct places {
	v3 first[RUN_MOST];
	double most;   /* m: the furthest any body has been */
	double lowest; /* m: the deepest any body has sunk below its first height */
} places;

static void note_places(const run *u, places *p)
{
	*p = (places){.most = 0};
	for (uint32_t i = 0; i < u->count; ++i)
		if (u->bodies[i].generation)
			p->first[i] = run_key(u, i).position;
}

static void watch_places(const run *u, places *p)
{
	for (uint32_t i = 0; i < u->count; ++i) {
		if (!u->bodies[i].generation)
			continue;
		v3 x = run_key(u, i).position;
		double away = v3_distance(x, p->first[i]), down = p->first[i].z - x.z;
		p->most = away > p->most ? away : p->most;
		p->lowest = down > p->lowest ? down : p->lowest;
	}
}

/* Runs a structure: it stands if no body ever gets further than a tenth of size from where it began, and falls if one
 * sinks by half of size. What is between is neither. */
static void stands_or_falls(const trial *t, result *r, const char *scene, const edit *e, const char *what, bool stands,
                            double seconds, double size)
{
	run u;
	places p = {.most = 0};
	char line[72];
	run_open(&u, t, scene, e);
	if (u.ok)
		note_places(&u, &p);
	while (u.ok && run_time(&u) < seconds - 1e-9 && run_step(&u)) {
		watch_places(&u, &p);
		if (run_time(&u) < SHOWN)
			mark(r, what, false, run_time(&u), p.most);
		if (!stands && p.lowest > 0.5 * size)
			break;
	}
	if (!u.ok) {
		trouble(r, &u);
		run_close(&u);
		return;
	}
	bool stood = p.most<0.1 * size, fell = p.lowest> 0.5 * size;
	const char *found = stood ? "stands" : fell ? "falls" : "gives way";
	if (stands && t->brief)
		seconds = run_time(&u);
	snprintf(line, sizeof line, "%s, %.0f s", what, stands ? seconds : run_time(&u));
	verdict(r, stands ? line : what, stands ? "stands" : "falls", found, stands ? stood : fell);
	run_close(&u);
}

static double minute(const trial *t) { return t->brief ? 4 : 60; }

/* ---- overhang: the k uppermost blocks balance over the edge of the next if each is out by 1/(2 j) beyond it, j from
 * the top; their common centre of mass is then above the edge: 1/2 (1 + 1/2 + 1/3 + 1/4) = 1.0417. */

typedef struct hanging {
	uint32_t blocks;
	double share;
} hanging;

static bool hang(void *context, uint32_t index, cairn_body_def *d)
{
	const hanging *h = context;
	double out = 0;
	if (index == 0)
		return true;
	if (index > h->blocks)
		return false;
	for (uint32_t j = h->blocks - index + 1; j <= h->blocks; ++j) /* body 1 lies on the table, the last one on top */
		out += h->share / (2 * j);
	d->pose.position.x = out - 0.5;
	return true;
}

void row_overhang(const trial *t, result *r)
{
	char what[64];
	axes(r, "time, s", "furthest that a block moved, m");
	for (uint32_t n = 4; n >= 1; --n) { /* the picture has room for the first few */
		hanging less = {n, 0.99}, more = {n, 1.01};
		edit a = {.context = &less, .body = hang}, b = {.context = &more, .body = hang};
		snprintf(what, sizeof what, "%u block%s, 1 %% less", n, n > 1 ? "s" : "");
		stands_or_falls(t, r, "overhang", &a, what, true, minute(t), 1);
		snprintf(what, sizeof what, "%u block%s, 1 %% more", n, n > 1 ? "s" : "");
		if (!t->brief || n == 4)
			stands_or_falls(t, r, "overhang", &b, what, false, 20, 0.5);
	}
}

/* ---- diamonds: rows of 1, 2 .. n .. 2, 1 bricks */

static void set_friction(void *context, uint32_t index, cairn_material_def *d)
{
	(void)index;
	d->static_friction = d->kinetic_friction = *(const double *)context;
}

/* Whether the forces at the contacts hold every body: the most by which forces or moments are off, of the weight, or
 * of the weight x the length; and whether each is inside its cone. */
static void balanced(result *r, const run *u, const char *what, double mu)
{
	enum { MOST = 2048 };
	static cairn_contact contacts[MOST];
	uint32_t count = cairn_world_contacts(u->world, contacts, MOST);
	double dt = 1 / cairn_scene_settings(cairn_world_scene(u->world)).fps, worst = 0;
	for (uint32_t i = 0; i < u->count; ++i) {
		if (u->infos[i].type != CAIRN_DYNAMIC)
			continue;
		v3 x = cairn_world_body_key(u->world, u->bodies[i]).position, moment = v3_zero();
		v3 force = v3_scale(u->gravity, u->infos[i].mass);
		double weight = v3_length(force);
		for (uint32_t k = 0; k < count && k < MOST; ++k) {
			const cairn_contact *c = &contacts[k];
			double sign = c->b.index == u->bodies[i].index ? 1 : c->a.index == u->bodies[i].index ? -1 : 0;
			v3 f = v3_scale(c->impulse, sign / dt);
			force = v3_add(force, f);
			moment = v3_add(moment, v3_cross(v3_sub(c->point, x), f));
		}
		double off = v3_length(force) / weight, turns = v3_length(moment) / (weight * u->t.scale);
		worst = off > worst ? off : worst, worst = turns > worst ? turns : worst;
	}
	for (uint32_t k = 0; k < count && k < MOST; ++k) {
		double n = v3_dot(contacts[k].normal, contacts[k].impulse);
		double across = v3_length(v3_madd(contacts[k].impulse, contacts[k].normal, -n));
		if (n < 0 || across > mu * n * (1 + 1e-6) + 1e-12 * u->infos[1].mass)
			worst = INFINITY;
	}
	below(r, what, "", worst, 1e-3); /* arms are off by the kept gap */
}

/* The five-diamond without friction: how far its bricks are from the mirror images of each other while it falls. With
 * friction forces exist that hold it, so it need not fall; they are looked at one by one. */
static void falls_alike(const trial *t, result *r, double mu)
{
	run u;
	places p = {.most = 0};
	char name[32];
	double off = 0;
	edit e = {.context = &mu, .material = set_friction};
	run_open(&u, t, "diamond5", &e);
	if (u.ok)
		note_places(&u, &p);
	while (u.ok && run_time(&u) < 3 - 1e-9 && run_step(&u)) {
		watch_places(&u, &p);
		mark(r, mu > 0 ? "five, friction 0.3" : "five, no friction", false, run_time(&u), p.most);
		for (int course = 0; course < 9 && p.lowest < 0.2; ++course) {
			int count = course < 5 ? course + 1 : 9 - course;
			for (int i = 0; i < count; ++i) {
				snprintf(name, sizeof name, "brick %d.%d", course, i);
				int a = run_find(&u, name);
				snprintf(name, sizeof name, "brick %d.%d", course, count - 1 - i);
				int b = run_find(&u, name);
				v3 x = run_key(&u, (uint32_t)a).position, y = run_key(&u, (uint32_t)b).position;
				double d = v3_distance(x, v3_make(-y.x, y.y, y.z));
				off = d > off ? d : off;
			}
		}
	}
	if (!u.ok) {
		trouble(r, &u);
	} else if (mu == 0) {
		verdict(r, "five, friction 0.0", "falls",
		        p.lowest > 0.2 ? "falls"
		        : p.most < 0.1 ? "stands"
		                       : "gives way",
		        p.lowest > 0.2);
		below(r, "five, friction 0.0, unlike its mirror image", "m", off, 1e-3);
	} else {
		balanced(r, &u, "five, friction 0.3, forces that hold it are off by", mu);
	}
	run_close(&u);
}

void row_diamonds(const trial *t, result *r)
{
	char what[64], scene[24];
	axes(r, "time, s", "furthest that a brick moved, m");
	falls_alike(t, r, 0);
	falls_alike(t, r, 0.3);
	for (int n = 2; n <= 4; ++n) {
		for (int k = 0; k < 2; ++k) {
			double mu = k ? 0.3 : 0;
			edit e = {.context = &mu, .material = set_friction};
			snprintf(scene, sizeof scene, "diamond%d", n);
			snprintf(what, sizeof what, "%s, friction %.1f", n == 2 ? "two" : n == 3 ? "three" : "four", mu);
			stands_or_falls(t, r, scene, &e, what, true, minute(t), 1);
		}
	}
}

/* ---- a tonne on a kilogram: both keep the gap they began with, a thousandth of their edge, to what solvers promise */

void row_mass(const trial *t, result *r)
{
	run u;
	places p = {.most = 0};
	double least = INFINITY, length = t->brief ? 3 : 20;
	run_open(&u, t, "mass-ratio", NULL);
	if (u.ok)
		note_places(&u, &p);
	axes(r, "time, s", "gap, mm");
	while (u.ok && run_time(&u) < length - 1e-9 && run_step(&u)) {
		double lower = run_gap(&u, 0, 1), upper = run_gap(&u, 1, 2);
		watch_places(&u, &p);
		least = lower < least ? lower : least;
		least = upper < least ? upper : least;
		mark(r, "below the kilogram", false, run_time(&u), 1e3 * lower);
		mark(r, "below the tonne", false, run_time(&u), 1e3 * upper);
		mark(r, "kept", true, run_time(&u), 1);
	}
	if (u.ok) {
		within(r, "least gap", "mm", 1, 1e3 * least, 1e-3);
		below(r, "sinks by", "m", p.lowest, 1e-6);
		below(r, "moves by", "m", p.most, 1e-6);
	} else {
		trouble(r, &u);
	}
	run_close(&u);
}

/* ---- stacks */

static void stack(const trial *t, result *r, const char *scene, uint32_t count)
{
	run u;
	places all = {.most = 0}, top = all;
	char what[64];
	double settled = t->brief ? 2 : 5;
	run_open(&u, t, scene, NULL);
	if (u.ok)
		note_places(&u, &all);
	while (u.ok && run_time(&u) < minute(t) - 1e-9 && run_step(&u)) {
		watch_places(&u, &all);
		if (run_time(&u) < SHOWN)
			mark(r, count == 10 ? "10 cubes, dropped" : "30 cubes, set down", false, run_time(&u),
			     1e3 * v3_distance(run_key(&u, count).position, all.first[count]));
		if (run_time(&u) < settled + 1e-9) {
			note_places(&u, &top);
			continue;
		}
		watch_places(&u, &top);
		v3 x = run_key(&u, count).position;
		snprintf(what, sizeof what, "%u cubes, the top after settling", count);
		below(r, what, "m", v3_distance(x, top.first[count]), 1e-4);
	}
	snprintf(what, sizeof what, "%u cubes", count);
	if (u.ok)
		verdict(r, what, "stands", all.most < 0.02 * count ? "stands" : "falls", all.most < 0.02 * count);
	else
		trouble(r, &u);
	run_close(&u);
}

void row_stack(const trial *t, result *r)
{
	axes(r, "time, s", "way of the top from its start, mm");
	stack(t, r, "stack10", 10);
	if (!t->brief)
		stack(t, r, "stack30", 30);
}

/* ---- cards and arches. A semicircular arch with radial joints and enough friction needs 0.1075 of its mean radius
 * (Milankovitch 1907): 0.2 stands, 0.08 falls. */

void row_cards(const trial *t, result *r)
{
	axes(r, "time, s", "furthest that a card moved, m");
	stands_or_falls(t, r, "cards", NULL, "five storeys", true, minute(t), 1);
}

void row_arch(const trial *t, result *r)
{
	axes(r, "time, s", "furthest that a stone moved, m");
	stands_or_falls(t, r, "arch-thick", NULL, "thickness 0.2", true, minute(t), 0.4);
	stands_or_falls(t, r, "arch-thin", NULL, "thickness 0.08", false, 20, 1);
}

/* ---- a block between two cylinders in a V: see tools/validation-scenes.mjs for why friction 0.414 is enough */

void row_pinch(const trial *t, result *r)
{
	run u;
	double most = 0, length = t->brief ? 3 : 20;
	run_open(&u, t, "pinch", NULL);
	v3 first = u.ok ? run_key(&u, 4).position : v3_zero();
	axes(r, "time, s", "way of the block, µm");
	while (u.ok && run_time(&u) < length - 1e-9 && run_step(&u)) {
		double away = v3_distance(run_key(&u, 4).position, first);
		most = away > most ? away : most;
		mark(r, "measured", false, run_time(&u), 1e6 * away);
		mark(r, "allowed", true, run_time(&u), 100);
	}
	if (u.ok)
		below(r, "slip of the block", "m", most, 1e-4);
	else
		trouble(r, &u);
	run_close(&u);
}

/* ---- nothing passes */

static void against_wall(const trial *t, result *r, const char *scene, const char *name, const char *what)
{
	run u;
	double furthest = -INFINITY;
	uint32_t passed = 0;
	char text[16];
	run_open(&u, t, scene, NULL);
	while (u.ok && run_time(&u) < 2 - 1e-9 && run_step(&u)) {
		double front = -INFINITY;
		for (uint32_t i = 2; i < u.count; ++i) {
			double x = run_key(&u, i).position.x;
			front = x > front ? x : front;
			passed += x > 0;
		}
		furthest = front > furthest ? front : furthest;
		mark(r, name, false, run_time(&u), front);
		mark(r, "middle of the wall", true, run_time(&u), 0);
	}
	mark(r, "middle of the wall", true, NAN, NAN);
	snprintf(text, sizeof text, "%u", passed);
	if (u.ok)
		verdict(r, what, "0", text, passed == 0);
	else
		trouble(r, &u);
	run_close(&u);
}

void row_bullet(const trial *t, result *r)
{
	axes(r, "time, s", "from the wall, m");
	against_wall(t, r, "bullet", "centre of the cube", "the cube passes");
	if (!t->brief)
		against_wall(t, r, "plates", "centre of the foremost plate", "plates pass");
}

/* Block 9 falls on the right end of plank 3; cubes 4 to 7 lie on the left one. */
void row_catapult(const trial *t, result *r)
{
	run u;
	run_open(&u, t, "catapult", NULL);
	int plank = u.ok ? run_find(&u, "plank") : -1, block = u.ok ? run_find(&u, "block") : -1;
	double highest[4] = {0}, first[4] = {0}, length = t->brief ? 1 : 2;
	uint32_t below_plank = 0;
	bool was_inside = false, was_above = false;
	char name[24], text[16];
	axes(r, "time, s", "height, m");
	for (int i = 0; u.ok && i < 4; ++i) {
		snprintf(name, sizeof name, "cube %d", i);
		first[i] = run_key(&u, (uint32_t)run_find(&u, name)).position.z;
	}
	while (u.ok && run_time(&u) < length - 1e-9 && run_step(&u)) {
		cairn_key p = run_key(&u, (uint32_t)plank), b = run_key(&u, (uint32_t)block);
		v3 seen = q_unrotate(p.orientation, v3_sub(b.position, p.position));
		bool inside = fabs(seen.x) < 2 && fabs(seen.y) < 0.25; /* it may go round the end, and come under it so */
		below_plank += inside && was_inside && was_above && seen.z < 0;
		was_inside = inside, was_above = seen.z > 0;
		mark(r, "block", false, run_time(&u), b.position.z);
		for (int i = 0; i < 4; ++i) {
			snprintf(name, sizeof name, "cube %d", i);
			double z = run_key(&u, (uint32_t)run_find(&u, name)).position.z;
			highest[i] = z - first[i] > highest[i] ? z - first[i] : highest[i];
			if (i == 0 || i == 3)
				mark(r, i ? "uppermost cube" : "lowest cube", false, run_time(&u), z);
		}
	}
	snprintf(text, sizeof text, "%u", below_plank);
	if (u.ok) {
		verdict(r, "times the block passes the plank", "0", text, below_plank == 0);
		for (int i = 0; i < 4; ++i)
			above(r, "each cube of the stack rises", "m", highest[i], 1);
	} else {
		trouble(r, &u);
	}
	run_close(&u);
}
