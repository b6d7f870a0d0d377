/* Looks at every frame of a run from outside: keys, velocities, gaps and reports. What it says of a frame it can prove
 * from these; docs/worlds.md has the definitions. */
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const kind_info kinds[KINDS] = {
	[HANG] = {"hang", "of g dt, or of the motion"},
	[STALL] = {"stall", "of the way that was missing"},
	[STILL] = {"still", "frames on end"},
	[DEBT] = {"debt", "of the motion"},
	[SHOT] = {"shot", "times the energy there was"},
	[RISE] = {"rise", "units"},
	[HELD] = {"held", "bodies in a frame"},
	[LATE] = {"late", "s"},
	[REFUSED] = {"refused", "status"},
	[NOT_FINITE] = {"not-finite", "numbers"},
	[STUCK] = {"stuck", "s"},
	[CRASHED] = {"crashed", "signal"},
	[SLOW] = {"slow", "times the median"},
	[OVERLAP] = {"overlap", "pairs"},
	[DIFFERS] = {"differs", "frame"},
};

static const double off_free = 0.01;  /* hang: of g dt, or of the motion */
static const double off_way = 0.02;   /* debt: of the motion */
static const double stalled = 0.1;    /* stall: of the way */
static const double least_way = 1e-4; /* of the size: what moves less is not looked at */
static const double tumbling = 1e-4;  /* rise: of the energy of rotation, which swings by as much as a body tumbles */
static const double shot_slack = 1.05, rise_least = 1e-4, slow_least = 50, slow_most = 2000 /* ms */;

static void saw(watch *w, kind k, uint64_t count, double worst, const char *body)
{
	sight *s = &w->out->of[k];
	if (s->count == 0 || worst > s->worst || isnan(worst)) {
		s->worst = worst;
		s->frame = cairn_world_frame(w->world);
		snprintf(s->body, sizeof s->body, "%s", body);
	}
	s->count += count;
}

/* ---- who is there */

static bool is_jointed(const watch *w, cairn_body body)
{
	for (uint32_t i = 0; i < cairn_scene_joint_count(w->scene); ++i) {
		cairn_joint_def d = cairn_scene_joint_at(w->scene, i);
		if ((d.a.generation && d.a.index == body.index) || (d.b.generation && d.b.index == body.index))
			return true;
	}
	return false;
}

static bool is_damped(const watch *w, cairn_body body, const char *name)
{
	if (body.index < cairn_scene_body_count(w->scene)) {
		cairn_body_def d = cairn_scene_body_at(w->scene, body.index);
		if (strcmp(d.name, name) == 0)
			return d.linear_damping > 0;
	}
	for (uint32_t i = 0; i < cairn_scene_emitter_count(w->scene); ++i) {
		cairn_emitter_def e = cairn_scene_emitter_at(w->scene, i);
		for (uint32_t k = 0; k < e.body_count; ++k)
			if (e.bodies[k].linear_damping > 0)
				return true;
	}
	return false;
}

static void meet(watch *w, actor *a, cairn_body body)
{
	memset(a, 0, sizeof *a);
	a->body = body;
	a->info = cairn_world_body_info(w->world, body);
	a->fresh = true;
	cairn_box box = cairn_scene_shape_facts(cairn_world_scene(w->world), a->info.shape).box;
	vec e = vec_sub(box.max, box.min);
	a->edges = e;
	a->size = fmax(e.x, fmax(e.y, e.z)), a->thickness = fmin(e.x, fmin(e.y, e.z));
	cairn_shape_kind k = cairn_scene_shape_at(cairn_world_scene(w->world), a->info.shape.index).kind;
	a->convex = k != CAIRN_COMPOUND && k != CAIRN_MESH && k != CAIRN_HEIGHTFIELD;
	a->round = k == CAIRN_SPHERE;
	a->plain = a->info.type == CAIRN_DYNAMIC && !is_jointed(w, body) && !is_damped(w, body, a->info.name);
	a->keys[0] = cairn_world_body_key(w->world, body);
}

uint32_t find_actor(const watch *w, cairn_body body)
{
	uint32_t i = 0;
	while (i < w->count && !(body.generation && same(w->actors[i].body, body)))
		++i;
	return i;
}

/* Rigs are as the scene made them: what a broken joint lets go stays one, which is true of its momentum, too. */
static void find_rigs(watch *w)
{
	bool changed = true;
	for (uint32_t i = 0; i < w->count; ++i)
		w->actors[i].rig = i, w->actors[i].anchored = false;
	while (changed) {
		changed = false;
		for (uint32_t j = 0; j < cairn_scene_joint_count(w->scene); ++j) {
			cairn_joint_def d = cairn_scene_joint_at(w->scene, j);
			uint32_t a = find_actor(w, d.a), b = find_actor(w, d.b);
			bool free_a = a < w->count && w->actors[a].info.type == CAIRN_DYNAMIC;
			bool free_b = b < w->count && w->actors[b].info.type == CAIRN_DYNAMIC;
			if (free_a != free_b)
				w->actors[w->actors[free_a ? a : b].rig].anchored = true;
			if (!free_a || !free_b || w->actors[a].rig == w->actors[b].rig)
				continue;
			uint32_t low = w->actors[a].rig < w->actors[b].rig ? w->actors[a].rig : w->actors[b].rig;
			w->actors[a].rig = w->actors[b].rig = low;
			changed = true;
		}
	}
	for (uint32_t i = 0; i < w->count; ++i) {
		const actor *a = &w->actors[i];
		if (a->info.type == CAIRN_DYNAMIC && is_damped(w, a->body, a->info.name))
			w->actors[a->rig].anchored = true;
	}
}

/* The block made larger; as it was, and not ok, where there is no memory. */
static void *grown(void *block, size_t size, bool *ok)
{
	void *larger = realloc(block, size);
	if (larger)
		return larger;
	*ok = false;
	return block;
}

/* The bodies of now in the world's order; what was known of those that were there a frame ago is kept. */
static bool list_actors(watch *w)
{
	uint32_t count = cairn_world_body_count(w->world);
	if (count >= w->room) {
		uint32_t room = count + count / 2 + 16;
		bool ok = true;
		w->actors = grown(w->actors, room * sizeof *w->actors, &ok);
		w->handles = grown(w->handles, room * sizeof *w->handles, &ok);
		w->order = grown(w->order, room * sizeof *w->order, &ok);
		w->energy = grown(w->energy, room * sizeof *w->energy, &ok);
		w->speed = grown(w->speed, room * sizeof *w->speed, &ok);
		if (!ok)
			return false;
		w->room = room;
	}
	cairn_world_bodies(w->world, w->handles, count);
	uint32_t old = w->count;
	bool changed = old != count;
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t k = i;
		while (k < old && !same(w->actors[k].body, w->handles[i]))
			++k;
		if (k < old && k != i) { /* the ones between are gone */
			memmove(&w->actors[i], &w->actors[k], (old - k) * sizeof *w->actors);
			old -= k - i;
			changed = true;
		} else if (k >= old) {
			meet(w, &w->actors[i], w->handles[i]);
			changed = true;
			old = i + 1;
		}
	}
	w->count = count;
	if (changed)
		find_rigs(w);
	return true;
}

/* ---- a frame of one body */

static bool finite_key(const cairn_key *k)
{
	return isfinite(vec_length(k->position)) && isfinite(vec_length(k->velocity)) && isfinite(vec_length(k->spin)) &&
	       isfinite(k->orientation.w + k->orientation.x + k->orientation.y + k->orientation.z);
}

/* The way of a body from key to key with one blow at the share s of that time. Before it and after it the body falls
 * freely or is held: the two lowest bits of held. */
static vec way_with_blow(const watch *w, const cairn_key *from, const cairn_key *to, double s, unsigned held)
{
	double dt = to->time - from->time, t = s * dt, r = dt - t;
	vec before = vec_madd(vec_scale(from->velocity, t), w->gravity, held & 1 ? 0 : 0.5 * t * t);
	return vec_add(before, vec_madd(vec_scale(to->velocity, r), w->gravity, held & 2 ? 0 : -0.5 * r * r));
}

/* The least difference between the body's way and one with a blow, and the share of the time at which that is. */
static double debt_of(const watch *w, const cairn_key *from, const cairn_key *to, unsigned held, double *at)
{
	vec way = vec_sub(to->position, from->position);
	double least = INFINITY, step = 1.0 / 32;
	*at = 0;
	for (int i = 0; i <= 32; ++i) {
		double off = vec_length(vec_sub(way, way_with_blow(w, from, to, i * step, held)));
		if (off < least)
			least = off, *at = i * step;
	}
	for (int round = 0; round < 20; ++round) {
		step *= 0.5;
		for (int side = -1; side <= 1; side += 2) {
			double s = fmin(fmax(*at + side * step, 0), 1),
				   off = vec_length(vec_sub(way, way_with_blow(w, from, to, s, held)));
			if (off < least)
				least = off, *at = s;
		}
	}
	return least;
}

/* Whether the velocities at two keys tell of a blow between them. */
static bool tells_of_blow(const watch *w, const cairn_key *from, const cairn_key *to)
{
	double dt = to->time - from->time;
	vec change = vec_sub(vec_sub(to->velocity, from->velocity), vec_scale(w->gravity, dt));
	return vec_length(change) > off_free * (vec_length(w->gravity) * dt + least_way * vec_length(from->velocity));
}

/* Balls that bounce inside a frame, or inside one of its steps, are shown on a straight way all the same. Where the
 * velocities say that there was a blow and no key is at it, one is put where it must have been; what that leaves
 * unexplained the body may be off by. */
static void put_blows(const watch *w, actor *a)
{
	cairn_key keys[KEY_MOST + 2];
	uint32_t count = a->key_count, all = 1;
	a->loose = 0;
	if (a->info.type != CAIRN_DYNAMIC)
		return;
	memcpy(keys, a->keys, count * sizeof *keys);
	for (uint32_t i = 1; i < count; ++i) {
		const cairn_key *from = &keys[i - 1], *to = &keys[i];
		double at = 0;
		if (tells_of_blow(w, from, to)) {
			a->loose += debt_of(w, from, to, 0, &at);
			cairn_key k = *to;
			double t = at * (to->time - from->time);
			k.time = from->time + t;
			k.position = vec_madd(vec_madd(from->position, from->velocity, t), w->gravity, 0.5 * t * t);
			k.turn = vec_make(0, 0, 0);
			a->keys[all++] = k;
		}
		a->keys[all++] = *to;
	}
	a->key_count = all;
}

/* The keys at which steps of the frame ended. Between two of them there may be one blow; keys inside a step have velocities
 * that tell of none. */
static void find_ends(const watch *w, actor *a)
{
	double step = w->dt / w->report.steps;
	a->ends[0] = a->keys[0], a->end_count = 1;
	for (uint32_t i = 1; i < a->key_count; ++i) {
		double steps = (a->keys[i].time - a->keys[0].time) / step;
		if (i + 1 == a->key_count || fabs(steps - round(steps)) < 1e-6)
			a->ends[a->end_count++] = a->keys[i];
	}
}

static void read_keys(watch *w, actor *a)
{
	uint32_t count = cairn_world_body_keys(w->world, a->body, a->keys + 1, KEY_MOST);
	a->key_count = 1 + (count < KEY_MOST ? count : KEY_MOST);
	find_ends(w, a);
	put_blows(w, a);
	a->low = a->high = a->keys[0].position;
	a->path = a->arc = 0;
	a->touches = a->touched = false;
	for (uint32_t i = 1; i < a->key_count; ++i) {
		vec x = a->keys[i].position;
		a->low = vec_make(fmin(a->low.x, x.x), fmin(a->low.y, x.y), fmin(a->low.z, x.z));
		a->high = vec_make(fmax(a->high.x, x.x), fmax(a->high.y, x.y), fmax(a->high.z, x.z));
		a->path += vec_length(vec_sub(x, a->keys[i - 1].position));
		double turn = vec_length(a->keys[i].turn);
		a->arc += a->round || turn == 0 ? 0 : turn * a->info.radius;
		if (!finite_key(&a->keys[i]))
			saw(w, NOT_FINITE, 1, 1, a->info.name);
	}
}

static double spin_energy(const actor *a, const cairn_key *k)
{
	const cairn_quat q = k->orientation;
	const double *n = a->info.inertia;
	vec u = vec_make(-q.x, -q.y, -q.z), v = k->spin; /* v turned back by q */
	vec t = vec_make(2 * (u.y * v.z - u.z * v.y), 2 * (u.z * v.x - u.x * v.z), 2 * (u.x * v.y - u.y * v.x));
	vec c = vec_make(u.y * t.z - u.z * t.y, u.z * t.x - u.x * t.z, u.x * t.y - u.y * t.x);
	v = vec_add(vec_madd(v, t, q.w), c);
	vec l = vec_make(n[0] * v.x + n[1] * v.y + n[2] * v.z, n[3] * v.x + n[4] * v.y + n[5] * v.z,
	                 n[6] * v.x + n[7] * v.y + n[8] * v.z);
	return 0.5 * vec_dot(v, l);
}

static double kinetic(const actor *a, const cairn_key *k)
{
	return 0.5 * a->info.mass * vec_dot(k->velocity, k->velocity) + spin_energy(a, k);
}

/* ---- what is wrong */

/* The least way of a body in touch: with one blow, and fields and motors may have pushed any way. */
static double least_way_of(const watch *w, const actor *a, const cairn_key *from, const cairn_key *to)
{
	double least = INFINITY, dt = to->time - from->time, pull = fmax(pull_of(w, a, from), pull_of(w, a, to));
	for (int i = 0; i <= 32; ++i)
		for (unsigned held = 0; held < 4; ++held) {
			double t = i / 32.0 * dt, r = dt - t;
			least = fmin(least, vec_length(way_with_blow(w, from, to, i / 32.0, held)) - 0.5 * pull * (t * t + r * r));
		}
	return fmax(least, 0);
}

/* What a body went and what its velocities explain at least, step by step. */
typedef struct ways {
	double gone, due;
} ways;

static ways ways_of(const watch *w, const actor *a)
{
	ways sum = {0, 0};
	for (uint32_t i = 1; i < a->end_count; ++i) {
		const cairn_key *from = &a->ends[i - 1], *to = &a->ends[i];
		double mean = 0.5 * (to->time - from->time) * vec_length(vec_add(from->velocity, to->velocity));
		sum.gone += vec_length(vec_sub(to->position, from->position));
		sum.due += a->touches || !a->plain ? fmin(mean, least_way_of(w, a, from, to)) : mean;
	}
	return sum;
}

/* The nearest difference between the body's way and one with a blow in every step, summed over the steps. */
static double debt_by_steps(const watch *w, const actor *a)
{
	vec sum = vec_make(0, 0, 0);
	for (uint32_t i = 1; i < a->end_count; ++i) {
		const cairn_key *from = &a->ends[i - 1], *to = &a->ends[i];
		vec way = vec_sub(to->position, from->position), best = way;
		double least = INFINITY, at, dt = to->time - from->time;
		for (unsigned held = 0; held < 4; ++held) {
			double off = debt_of(w, from, to, held, &at);
			if (off < least)
				least = off, best = vec_sub(way, way_with_blow(w, from, to, at, held));
		}
		vec even = vec_sub(way, vec_scale(vec_add(from->velocity, to->velocity), 0.5 * dt)); /* pushed all the while */
		sum = vec_add(sum, vec_length(even) < least ? even : best);
	}
	return vec_length(sum);
}

static void judge_way(watch *w, actor *a)
{
	vec v0 = first_key(a)->velocity, v1 = last_key(a)->velocity;
	vec mean = vec_scale(vec_add(v0, v1), 0.5 * w->dt), way = vec_sub(last_key(a)->position, first_key(a)->position);
	double motion = 0.5 * w->dt * (vec_length(v0) + vec_length(v1)), gone = vec_length(way), g = vec_length(w->gravity);
	bool curved = !a->plain && a->arc > a->info.radius; /* a limb that turns by a radian: its chord is short */
	if (a->plain && !a->touches && !w->fields) {
		++w->out->free_frames;
		double change = vec_length(vec_sub(vec_sub(v1, v0), vec_scale(w->gravity, w->dt)));
		double scale = g > 0 ? g * w->dt : fmax(vec_length(v0), least_way * a->size / w->dt);
		double off = change / scale, most = fmax(motion, gone);
		if (most > least_way * a->size)
			off = fmax(off, vec_length(vec_sub(way, mean)) / most);
		if (off > off_free)
			saw(w, HANG, 1, off, a->info.name);
	}
	ways way_by_steps = ways_of(w, a);
	if (way_by_steps.due > least_way * a->size && way_by_steps.gone < stalled * way_by_steps.due && !curved) {
		saw(w, STALL, 1, 1 - way_by_steps.gone / way_by_steps.due, a->info.name);
		if (++a->still > 3)
			saw(w, STILL, a->still == 4, a->still, a->info.name);
	} else {
		a->still = 0;
	}
	if (a->plain && !w->fields && motion > least_way * a->size) {
		double off = vec_length(vec_sub(way, mean)), at;
		for (unsigned held = 0; held < 4 && a->touches && off > off_way * motion; ++held)
			off = fmin(off, debt_of(w, first_key(a), last_key(a), held, &at));
		if (off > off_way * motion && a->touches && a->end_count > 2)
			off = fmin(off, debt_by_steps(w, a));
		if (off > off_way * motion)
			saw(w, DEBT, 1, off / motion, a->info.name);
		else if (off / motion > w->out->of[DEBT].worst)
			saw(w, DEBT, 0, off / motion, a->info.name);
	}
}

/* A rig that touches nothing and hangs on nothing falls as a whole, whatever its joints do. */
static void judge_rigs(watch *w)
{
	double g = vec_length(w->gravity);
	for (uint32_t i = 0; i < w->count; ++i) {
		const actor *root = &w->actors[i];
		vec momentum = vec_make(0, 0, 0), due = momentum, moved = momentum;
		double mass = 0, motion = 0, size = 0, inner = 0;
		uint32_t bodies = 0;
		bool is_free = root->rig == i && !root->anchored && root->info.type == CAIRN_DYNAMIC;
		for (uint32_t k = i; k < w->count && is_free; ++k) {
			const actor *a = &w->actors[k];
			if (a->rig != i)
				continue;
			vec v0 = first_key(a)->velocity, v1 = last_key(a)->velocity;
			double m = a->info.mass;
			momentum = vec_madd(momentum, vec_sub(v1, v0), m);
			due = vec_madd(due, vec_add(v0, v1), 0.5 * w->dt * m);
			moved = vec_madd(moved, vec_sub(last_key(a)->position, first_key(a)->position), m);
			inner += m * vec_length(vec_sub(v1, v0));
			mass += m, motion += 0.5 * w->dt * m * (vec_length(v0) + vec_length(v1));
			size = fmax(size, a->size);
			is_free = !a->touched && !a->fresh;
			++bodies;
		}
		if (!is_free || bodies < 2)
			continue;
		double scale = g > 0 ? mass * g * w->dt : fmax(motion, mass * least_way * size) / w->dt;
		scale = fmax(scale, 0.05 * inner); /* a limit that is met with a jerk is not to the last digit */
		double off = vec_length(vec_sub(momentum, vec_scale(w->gravity, mass * w->dt))) / scale;
		double most = fmax(motion, vec_length(moved));
		if (most > mass * least_way * size)
			off = fmax(off, vec_length(vec_sub(moved, due)) / most);
		w->out->free_frames += bodies;
		if (off > off_free)
			saw(w, HANG, 1, off, root->info.name);
	}
}

static double turned(const actor *a)
{
	double sum = 0;
	for (uint32_t i = 1; i < a->key_count; ++i)
		sum += vec_length(a->keys[i].turn);
	return sum;
}

/* The most that motors can have done in the frame: what they push with along all the way that their joints can have gone.
 * (The report's account of joints has what limits took from it.) */
static void add_motors(watch *w)
{
	for (uint32_t i = 0; i < cairn_scene_joint_count(w->scene); ++i) {
		cairn_joint_def d = cairn_scene_joint_at(w->scene, i);
		uint32_t at[2] = {find_actor(w, d.a), find_actor(w, d.b)};
		double path = 0, turn = 0, apart = 0;
		for (int k = 0; k < 2; ++k) {
			const actor *a = at[k] < w->count ? &w->actors[at[k]] : NULL;
			path += a ? a->path : 0, turn += a ? turned(a) : 0;
			apart += a ? vec_length(vec_sub(first_key(a)->position, d.point)) : 0;
		}
		if (at[0] < w->count && at[1] < w->count)
			apart = vec_length(vec_sub(first_key(&w->actors[at[0]])->position, first_key(&w->actors[at[1]])->position));
		for (int k = 0; k < 2 && d.motor != CAIRN_NO_MOTOR; ++k)
			if (at[k] < w->count && w->actors[at[k]].info.type == CAIRN_DYNAMIC) {
				w->energy[group_of(w, at[k])] += fabs(d.most) * (d.type == CAIRN_HINGE ? turn : path + turn * apart);
				break; /* both are of one group, or the other cannot move */
			}
	}
}

/* Of each group: the kinetic energy it began the frame with, seen from the fastest script that it touches, what gravity
 * gave it and what its motors can have. */
static void judge_shots(watch *w)
{
	for (uint32_t i = 0; i < w->count; ++i) {
		uint32_t root = group_of(w, i);
		w->speed[root] = fmax(w->speed[root], w->speed[i]);
	}
	for (uint32_t i = 0; i < w->count; ++i) {
		const actor *a = &w->actors[i];
		if (a->info.type != CAIRN_DYNAMIC)
			continue;
		uint32_t root = group_of(w, i);
		double u = w->speed[root], v = vec_length(first_key(a)->velocity) + u;
		vec way = vec_sub(last_key(a)->position, first_key(a)->position);
		double fell = fmax(a->info.mass * vec_dot(w->gravity, way), 0);
		double forced = a->info.mass * vec_length(w->gravity) * w->dt * v; /* on the way it would have gone */
		w->energy[root] += 0.5 * a->info.mass * v * v + spin_energy(a, first_key(a)) + fmax(fell, forced);
	}
	add_motors(w);
	for (uint32_t i = 0; i < w->count; ++i) {
		const actor *a = &w->actors[i];
		if (a->info.type != CAIRN_DYNAMIC || a->fresh)
			continue;
		uint32_t root = group_of(w, i);
		double mass = a->info.mass, u = w->speed[root], there = w->energy[root];
		double most = 0.5 * mass * (2 * u * sqrt(2 * there / mass) + u * u) + there;
		double slack = 1e-3 * mass * vec_length(w->gravity) * a->size + 1e-9 * w->unit, has = kinetic(a, last_key(a));
		if (has > shot_slack * most + slack)
			saw(w, SHOT, 1, has / (most + slack), a->info.name);
	}
}

/* Of all dynamic bodies. */
typedef struct sums {
	double total, moving, spinning; /* J: all; kinetic; of rotation */
	double mass, size;
} sums;

static sums total_energy(const watch *w)
{
	sums s = {0};
	for (uint32_t i = 0; i < w->count; ++i) {
		const actor *a = &w->actors[i];
		if (a->info.type != CAIRN_DYNAMIC)
			continue;
		cairn_key k = cairn_world_body_key(w->world, a->body);
		s.moving += kinetic(a, &k), s.spinning += spin_energy(a, &k);
		s.mass += a->info.mass;
		s.size = fmax(s.size, a->size);
		s.total -= a->info.mass * vec_dot(w->gravity, k.position);
	}
	s.total += s.moving;
	return s;
}

static void judge_energy(watch *w)
{
	sums s = total_energy(w);
	const cairn_energy *e = &w->report.energy;
	/* what motors bring; where joints took something, all that counts is whether there is more than before */
	double made = s.total - w->total - e->events - e->fields - (w->motors ? fmax(0, e->joints) : 0);
	made -= tumbling * s.spinning;
	double g = vec_length(w->gravity);
	if (g > 0)
		w->unit = s.mass * g * s.size; /* emitters add to it */
	w->total = s.total;
	double rise = w->unit > 0 ? made / w->unit : made;
	if (rise > rise_least)
		saw(w, RISE, 1, rise,
		    w->report.lifted.generation ? cairn_world_body_info(w->world, w->report.lifted).name : "");
	else if (rise > w->out->of[RISE].worst)
		saw(w, RISE, 0, rise, "");
}

static void judge_report(watch *w)
{
	uint32_t held = w->report.tiers[CAIRN_TIER_HOLD];
	if (held)
		saw(w, HELD, held, held, "");
	if (w->report.late)
		saw(w, LATE, 1, w->report.scripts[0].lag, cairn_world_body_info(w->world, w->report.scripts[0].body).name);
}

/* ---- what is in one place */

static bool is_exempt(const watch *w, const actor *a, const actor *b)
{
	for (uint32_t i = 0; i < cairn_scene_joint_count(w->scene); ++i) {
		cairn_joint_def d = cairn_scene_joint_at(w->scene, i);
		if (!d.collide && ((same(d.a, a->body) && same(d.b, b->body)) || (same(d.a, b->body) && same(d.b, a->body))))
			return true;
	}
	return !(a->info.group & b->info.mask) || !(b->info.group & a->info.mask);
}

static void judge_overlaps(watch *w)
{
	for (uint32_t i = 0; i < w->count; ++i)
		for (uint32_t k = i + 1; k < w->count; ++k) {
			const actor *a = &w->actors[i], *b = &w->actors[k];
			double way = a->path + b->path, reach = a->info.radius + b->info.radius + way;
			if (a->fresh || b->fresh || (a->info.type != CAIRN_DYNAMIC && b->info.type != CAIRN_DYNAMIC) ||
			    vec_length(vec_sub(first_key(a)->position, first_key(b)->position)) > reach || is_exempt(w, a, b))
				continue;
			char names[80];
			const cairn_body bodies[2] = {a->body, b->body};
			const cairn_key starts[2] = {*first_key(a), *first_key(b)};
			snprintf(names, sizeof names, "%.35s and %.35s", a->info.name, b->info.name);
			if (bodies_overlap(w->world, bodies, starts))
				saw(w, OVERLAP, 1, 1, names);
		}
}

static bool happens_now(const watch *w, uint32_t frame)
{
	for (uint32_t i = 0; i < cairn_scene_event_count(w->scene); ++i)
		if (cairn_scene_event_at(w->scene, i).frame == frame)
			return true;
	return false;
}

/* ms: that this process has computed. Its world runs on one thread; what else the machine does meanwhile is not heard. */
static double busy_ms(void) { return 1e3 * (double)clock() / CLOCKS_PER_SEC; }

static bool watch_frame(watch *w)
{
	w->eventful = happens_now(w, cairn_world_frame(w->world));
	for (uint32_t i = 0; i < w->count; ++i) {
		w->actors[i].keys[0] = cairn_world_body_key(w->world, w->actors[i].body);
		w->actors[i].fresh = false;
	}
	double start = busy_ms();
	w->report = cairn_world_step(w->world);
	w->ms = busy_ms() - start;
	if (w->report.status != CAIRN_STEP_OK) {
		char why[256];
		cairn_world_explain(w->world, &w->report, why, sizeof why);
		saw(w, REFUSED, 1, w->report.status, why);
		return false;
	}
	++w->out->frames;
	if (!list_actors(w))
		return false;
	for (uint32_t i = 0; i < w->count; ++i)
		read_keys(w, &w->actors[i]);
	find_groups(w);
	for (uint32_t i = 0; i < w->count; ++i) {
		actor *a = &w->actors[i];
		if (a->info.type != CAIRN_DYNAMIC || a->fresh)
			continue;
		++w->out->body_frames;
		if (!w->eventful)
			judge_way(w, a);
	}
	if (!w->eventful && !w->fields) /* what a field brings to one body the report does not say */
		judge_shots(w), judge_rigs(w);
	judge_energy(w);
	judge_report(w);
	judge_overlaps(w);
	return true;
}

/* ---- a run */

static int by_size(const void *p, const void *q)
{
	double a = *(const double *)p, b = *(const double *)q;
	return a < b ? -1 : a > b;
}

static void judge_times(watch *w, const double *ms, uint32_t count)
{
	double *list = count ? malloc(count * sizeof *list) : NULL;
	if (!list)
		return;
	memcpy(list, ms, count * sizeof *list);
	qsort(list, count, sizeof *list, by_size);
	double median = w->out->ms_median = list[count / 2],
		   usual = fmax(median, 1); /* less: the machine, not the engine */
	sight *s = &w->out->of[SLOW];
	for (uint32_t i = 0; i < count; ++i) {
		w->out->ms += ms[i];
		s->count += ms[i] > slow_least * usual || ms[i] > slow_most;
		if (ms[i] > s->worst * usual)
			s->worst = ms[i] / usual, s->frame = i + 1;
	}
	free(list);
}

/* The same world on three threads, brought to the middle of the run by a snapshot of the first half. */
static void judge_bits(watch *w, const uint64_t *hashes, uint32_t count)
{
	cairn_error error;
	cairn_world_def d = cairn_default_world_def();
	d.threads = 3;
	cairn_world *first = cairn_world_create(w->scene, &d, &error), *second = NULL, *now = first;
	for (uint32_t i = 0; now && i < count; ++i) {
		if (i == count / 2) {
			size_t size = cairn_world_snapshot_size(first);
			void *bytes = malloc(size);
			second = cairn_world_create(w->scene, &d, &error);
			bool ok = bytes && second && cairn_world_snapshot(first, bytes, size, &error) &&
			          cairn_world_restore(second, bytes, size, &error);
			free(bytes);
			if (!ok) {
				saw(w, DIFFERS, 1, i, "cannot be restored");
				break;
			}
			now = second;
		}
		if (cairn_world_step(now).status != CAIRN_STEP_OK || cairn_world_hash(now) != hashes[i]) {
			saw(w, DIFFERS, 1, i + 1, now == first ? "three threads" : "after a snapshot");
			break;
		}
	}
	cairn_world_destroy(first);
	cairn_world_destroy(second);
}

static void begin(watch *w)
{
	w->gravity = vec_scale(cairn_scene_settings(w->scene).gravity, 1 + w->wrong);
	w->dt = 1 / cairn_scene_settings(w->scene).fps;
	w->fields = cairn_scene_field_count(w->scene) > 0;
	for (uint32_t i = 0; i < cairn_scene_joint_count(w->scene); ++i)
		w->motors |= cairn_scene_joint_at(w->scene, i).motor != CAIRN_NO_MOTOR;
	sums s = total_energy(w);
	w->total = s.total;
	w->unit = vec_length(w->gravity) > 0 ? s.mass * vec_length(w->gravity) * s.size : s.moving;
}

bool watch_scene(const cairn_scene *scene, uint32_t frames, double wrong, seen *out, cairn_error *error)
{
	cairn_world_def d = cairn_default_world_def();
	d.threads = 1;
	memset(out, 0, sizeof *out);
	watch w = {.scene = scene, .out = out, .wrong = wrong, .world = cairn_world_create(scene, &d, error)};
	if (!w.world)
		return false;
	double *ms = calloc(frames + 1, sizeof *ms);
	uint64_t *hashes = calloc(frames + 1, sizeof *hashes);
	uint32_t count = 0;
	if (ms && hashes && list_actors(&w)) {
		begin(&w);
		for (; count < frames && watch_frame(&w); ++count)
			ms[count] = w.ms, hashes[count] = cairn_world_hash(w.world);
		judge_times(&w, ms, count);
		judge_bits(&w, hashes, count);
	}
	free(ms);
	free(hashes);
	free(w.actors);
	free(w.handles);
	free(w.order);
	free(w.energy);
	free(w.speed);
	cairn_world_destroy(w.world);
	return true;
}
