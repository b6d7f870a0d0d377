/* A seed becomes a world: the text of a scene file, so that what goes wrong can be replayed with `cairn run`. Bodies are
 * put where their balls are free; what overlaps all the same is drawn again. */
#include "draw.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const ranges usual = {0.1, 2, 100, 10000, 1.5, 0.9, 20, 20, 1, 30, 0.15, 0};
static const ranges hard = {0.03, 3, 20, 20000, 2, 1, 50, 50, 0.1, 100, 0.04, 0};
static const ranges sheets = {0.1, 2, 100, 10000, 1.5, 0.9, 20, 20, 1, 30, 0.15, 0.6};
static const ranges far_between = {0.003, 3, 100, 10000, 1.5, 0.9, 20, 20, 1, 30, 0.15, 0.6};

static cairn_quat orientation(draw *d)
{
	vec a = direction(d);
	double half = between(d, 0, 3.141592653589793), s = sin(half);
	return (cairn_quat){cos(half), s * a.x, s * a.y, s * a.z};
}

/* ---- text */

void put(draw *d, const char *format, ...)
{
	va_list list;
	char line[1024];
	va_start(list, format);
	int size = vsnprintf(line, sizeof line, format, list);
	va_end(list);
	if (size < 0 || (size_t)size >= sizeof line)
		d->failed = true;
	if (!d->failed && d->size + (size_t)size + 1 > d->room) {
		size_t room = 2 * (d->size + (size_t)size + 1024);
		char *text = realloc(d->text, room);
		d->failed = text == NULL;
		if (text)
			d->text = text, d->room = room;
	}
	if (d->failed)
		return;
	memcpy(d->text + d->size, line, (size_t)size + 1);
	d->size += (size_t)size;
}

static void put_vec(draw *d, const char *key, vec v) { put(d, ", \"%s\": [%.17g, %.17g, %.17g]", key, v.x, v.y, v.z); }

static void put_place(draw *d, vec at) { put_vec(d, "position", vec_add(at, d->away)); }

static void put_quat(draw *d, cairn_quat q)
{
	put(d, ", \"orientation\": [%.17g, %.17g, %.17g, %.17g]", q.w, q.x, q.y, q.z);
}

/* ---- places */

static bool is_free(const draw *d, vec at, double radius)
{
	for (uint32_t i = 0; i < d->taken_count; ++i)
		if (vec_length(vec_sub(at, d->taken[i].center)) < radius + d->taken[i].radius)
			return false;
	return true;
}

static void take(draw *d, vec at, double radius)
{
	if (d->taken_count < TAKEN_MOST)
		d->taken[d->taken_count++] = (ball){at, radius};
}

/* A free place for a ball; the room grows upward until there is one. */
static vec place(draw *d, double radius)
{
	double wide = d->wide > radius ? d->wide - radius : 0;
	if (d->high < d->low + 2 * radius)
		d->high = d->low + 2 * radius;
	for (;;) {
		for (int i = 0; i < PLACE_TRIES; ++i) {
			vec at = vec_make(between(d, -wide, wide), between(d, -wide, wide),
			                  between(d, d->low + radius, d->high - radius));
			if (is_free(d, at, radius))
				return at;
		}
		d->high += 0.5 * (d->wide + radius);
	}
}

/* ---- shapes */

/* Writes a simple shape and returns the radius of a ball about its origin that holds it. */
static double put_simple(draw *d, double size)
{
	double across = size * between(d, d->from->thin, 1), third = size * between(d, d->from->thin, 1);
	switch (choose(d, 5)) {
	case 0: put(d, "{ \"sphere\": %.17g }", 0.5 * size); return 0.5 * size;
	case 1:
		put(d, "{ \"capsule\": { \"radius\": %.17g, \"length\": %.17g } }", 0.25 * across, size - 0.5 * across);
		return 0.5 * size;
	case 2:
		put(d, "{ \"cylinder\": { \"radius\": %.17g, \"length\": %.17g } }", 0.5 * across, third);
		return 0.5 * sqrt(across * across + third * third);
	case 3: {
		uint32_t count = 6 + choose(d, 12);
		put(d, "{ \"hull\": { \"points\": [");
		for (uint32_t i = 0; i < count; ++i) {
			vec p = vec_scale(direction(d), 0.5 * size * between(d, 0.7, 1));
			put(d, "%s[%.17g, %.17g, %.17g]", i ? ", " : "", p.x, p.y, p.z);
		}
		put(d, "] } }");
		return 0.5 * size;
	}
	default:
		put(d, "{ \"box\": [%.17g, %.17g, %.17g] }", size, across, third);
		return 0.5 * sqrt(size * size + across * across + third * third);
	}
}

static double put_shape(draw *d, double size)
{
	if (d->from->sheets > 0 && happens(d, d->from->sheets))
		return put_sheet(d, size);
	if (!happens(d, 1.0 / 6))
		return put_simple(d, size);
	uint32_t count = 2 + choose(d, 3);
	double most = 0;
	put(d, "{ \"compound\": { \"parts\": [");
	for (uint32_t i = 0; i < count; ++i) {
		put(d, "%s{ \"shape\": ", i ? ", " : "");
		double radius = put_simple(d, 0.5 * size);
		vec at = vec_scale(direction(d), 0.25 * size);
		put_vec(d, "position", at);
		put_quat(d, orientation(d));
		put(d, " }");
		most = fmax(most, 0.25 * size + radius);
	}
	put(d, "] } }");
	return most;
}

/* ---- bodies. Their lines end with a comma; the last one of all has none. */

static vec speed_of(draw *d, vec at)
{
	if (happens(d, 0.25))
		return vec_make(0, 0, 0);
	double u = chance(d);
	vec way = direction(d), middle = vec_make(0, 0, 0.5 * (d->low + d->high));
	if (happens(d, 0.5)) /* toward the others */
		way = vec_sub(middle, at);
	double length = vec_length(way);
	return length > 0 ? vec_scale(way, d->from->speed * u * u / length) : way;
}

/* The shape is written before the place is known, which its ball decides. */
static void put_free_body(draw *d)
{
	double size = ratio(d, d->from->least_size, d->from->most_size);
	put(d, "    { \"name\": \"b%u\", \"material\": \"m%u\", \"shape\": ", d->made++, choose(d, MATERIALS));
	double radius = put_shape(d, size);
	vec at = place(d, 1.001 * radius);
	take(d, at, 1.001 * radius);
	put_place(d, at);
	put_quat(d, orientation(d));
	put_vec(d, "velocity", speed_of(d, at));
	if (happens(d, 0.7)) {
		double u = chance(d);
		put_vec(d, "spin", vec_scale(direction(d), d->from->spin * u * u));
	}
	put(d, " },\n");
}

/* Boxes on each other, with the gap that is kept or none. */
static void put_stack(draw *d, uint32_t count)
{
	double size = ratio(d, 2 * d->from->least_size, 0.5 * d->from->most_size), gap = happens(d, 0.5) ? 1e-3 : 0, z = 0;
	uint32_t material = choose(d, MATERIALS);
	vec at = vec_make(0, 0, 0);
	for (uint32_t i = 0; i < count; ++i) {
		double height = size * between(d, 0.3, 1), wide = size * between(d, 0.8, 1), deep = size * between(d, 0.8, 1);
		double least = fmin(height, fmin(wide, deep));
		at.z = z + gap * least + 0.5 * height;
		z = at.z + 0.5 * height;
		put(d, "    { \"name\": \"b%u\", \"material\": \"m%u\", \"shape\": { \"box\": [%.17g, %.17g, %.17g] }",
		    d->made++, material, wide, deep, height);
		put_place(d, at);
		put(d, " },\n");
		take(d, at, 1.001 * 0.5 * sqrt(height * height + wide * wide + deep * deep));
	}
}

static void put_fixed_box(draw *d, const char *name, uint32_t material, vec at, vec size)
{
	put(d,
	    "    { \"name\": \"%s\", \"type\": \"fixed\", \"material\": \"m%u\", \"shape\": { \"box\": [%.17g, %.17g, "
	    "%.17g] }",
	    name, material, size.x, size.y, size.z);
	put_place(d, at);
	put(d, " },\n");
}

static void put_heights(draw *d, uint32_t material)
{
	uint32_t count = 5 + choose(d, 8);
	double size = 4 * d->wide + 4, rough = between(d, 0, 0.15) * d->wide;
	put(d,
	    "    { \"name\": \"ground\", \"type\": \"fixed\", \"material\": \"m%u\", \"shape\": { \"heightfield\": { "
	    "\"size\": "
	    "[%.17g, %.17g], \"heights\": [",
	    material, size, size);
	for (uint32_t i = 0; i < count; ++i) {
		put(d, "%s[", i ? ", " : "");
		for (uint32_t k = 0; k < count; ++k)
			put(d, "%s%.17g", k ? ", " : "", between(d, -rough, 0));
		put(d, "]");
	}
	put(d, "] } }");
	put_place(d, vec_make(0, 0, 0));
	put(d, " },\n");
}

static void put_surroundings(draw *d)
{
	char name[16];
	uint32_t material = choose(d, MATERIALS);
	double w = d->wide;
	bool floor = happens(d, d->gravity > 0 ? 0.85 : 0.3);
	d->flat = false;
	if (floor) {
		uint32_t which = choose(d, 4);
		d->flat = which != 0;
		if (which == 0)
			put_heights(d, material);
		else if (which == 1)
			put(d,
			    "    { \"name\": \"floor\", \"type\": \"fixed\", \"material\": \"m%u\", \"shape\": { \"halfspace\": { "
			    "\"normal\": [0, 0, 1] } } },\n",
			    material);
		else
			put_fixed_box(d, "floor", material, vec_make(0, 0, -0.5), vec_make(8 * w + 40, 8 * w + 40, 1));
	}
	if (happens(d, 0.5)) {
		double thick = ratio(d, 0.05, 0.5), tall = 3 * (d->high - d->low) + 2, out = w + 0.5 * thick;
		for (int i = 0; i < 4; ++i) {
			double sign = i < 2 ? -1 : 1;
			vec at = i % 2 ? vec_make(sign * out, 0, 0.5 * tall) : vec_make(0, sign * out, 0.5 * tall);
			vec size = i % 2 ? vec_make(thick, 2 * w + 2 * thick, tall) : vec_make(2 * w + 2 * thick, thick, tall);
			snprintf(name, sizeof name, "wall%d", i);
			put_fixed_box(d, name, material, at, size);
		}
	}
	for (uint32_t i = happens(d, 0.4) ? 1 + choose(d, 3) : 0; i > 0; --i) {
		vec size = vec_make(ratio(d, 0.1, 2), ratio(d, 0.1, 2), ratio(d, 0.1, 2));
		double radius = 0.5 * vec_length(size);
		vec at = place(d, radius);
		take(d, at, radius);
		snprintf(name, sizeof name, "block%u", i);
		put(d,
		    "    { \"name\": \"%s\", \"type\": \"fixed\", \"material\": \"m%u\", \"shape\": { \"box\": [%.17g, %.17g, "
		    "%.17g] }",
		    name, choose(d, MATERIALS), size.x, size.y, size.z);
		put_place(d, at);
		put_quat(d, orientation(d));
		put(d, " },\n");
	}
}

/* ---- scripts: through the room from point to point */

static void put_script(draw *d, uint32_t number, double seconds)
{
	put(d, "    { \"name\": \"s%u\", \"type\": \"scripted\", \"material\": \"m%u\", \"shape\": ", number,
	    choose(d, MATERIALS));
	double radius = put_simple(d, ratio(d, 0.3, 2)), time = happens(d, 0.5) ? 0 : between(d, 0, 0.5 * seconds);
	double speed = between(d, 0.5, d->from == &hard ? 20 : 8);
	bool turns = happens(d, 0.5);
	vec at = place(d, 1.001 * radius);
	take(d, at, 1.001 * radius);
	put_place(d, at);
	put(d, ", \"keys\": [");
	for (int i = 0; i < 5; ++i) {
		put(d, "%s{ \"time\": %.17g", i ? ", " : "", time);
		put_place(d, at);
		if (turns && i > 0)
			put_quat(d, orientation(d));
		put(d, " }");
		vec to = vec_make(between(d, -d->wide, d->wide), between(d, -d->wide, d->wide), between(d, d->low, d->high));
		double way = vec_length(vec_sub(to, at));
		time += fmax(way / speed, 0.1);
		at = to;
	}
	put(d, "] },\n");
}

/* ---- rigs: a chain of bodies whose balls touch, and what holds them. Their joints are written after all bodies. */

typedef struct hold {
	uint32_t a, b; /* numbers of bodies; a = UINT32_MAX: the world */
	vec a_at, b_at, point;
	double load; /* N m, about: the weight x the size */
	double size;
} hold;

typedef struct holds {
	hold list[BODY_MOST];
	uint32_t count;
} holds;

static void add_hold(holds *h, hold one)
{
	if (h->count < BODY_MOST)
		h->list[h->count++] = one;
}

static void put_rig(draw *d, holds *h, uint32_t count)
{
	double last_radius = 0, first_radius = 0, g = d->gravity > 0 ? d->gravity : 10;
	uint32_t first = d->made, put_count = 0;
	vec at = vec_make(0, 0, 0), first_at = at, speed = at;
	double size = ratio(d, 2 * d->from->least_size, 0.5 * d->from->most_size);
	bool alike = happens(d, 0.7); /* the joints begin without a jerk */
	for (uint32_t i = 0; i < count; ++i) {
		double own = size * ratio(d, 0.5, 2), radius;
		uint32_t material = choose(d, MATERIALS);
		size_t rewind = d->size;
		put(d, "    { \"name\": \"b%u\", \"material\": \"m%u\", \"shape\": ", d->made, material);
		radius = 1.01 * put_shape(d, own);
		vec before = at;
		bool found = i == 0;
		if (i == 0)
			at = first_at = place(d, radius), first_radius = radius, speed = speed_of(d, at);
		for (int k = 0; !found && k < PLACE_TRIES; ++k) {
			at = vec_madd(before, direction(d), last_radius + radius);
			found = is_free(d, at, 0.999 * radius) && at.z > d->low + radius && fabs(at.x) < d->wide - radius &&
			        fabs(at.y) < d->wide - radius;
		}
		if (!found) { /* the chain ends here */
			d->size = rewind;
			d->text[rewind] = 0;
			at = before;
			break;
		}
		take(d, at, 0.999 * radius);
		put_place(d, at);
		put_quat(d, orientation(d));
		put_vec(d, "velocity", alike ? speed : speed_of(d, at));
		put(d, " },\n");
		double load = d->density[material] * own * own * own * g * own;
		vec middle = i ? vec_madd(before, vec_sub(at, before), last_radius / (last_radius + radius)) : at;
		if (i > 0)
			add_hold(h, (hold){d->made - 1, d->made, before, at, middle, load, own});
		else if (happens(d, 0.4))
			add_hold(h, (hold){UINT32_MAX, d->made, vec_madd(at, direction(d), 1.5 * radius), at, at, load, own});
		++d->made, ++put_count;
		last_radius = radius;
	}
	if (d->from == &hard && put_count > 1 && happens(d, 0.3)) /* a joint more between two that are held already */
		add_hold(h, h->list[h->count - 1]);
	if (put_count > 2 && happens(d, 0.15)) { /* a loop */
		vec middle = vec_madd(first_at, vec_sub(at, first_at), first_radius / (first_radius + last_radius));
		double load = 100 * g * size * size * size * size;
		add_hold(h, (hold){first, d->made - 1, first_at, at, middle, load, size});
	}
}

static void put_motor(draw *d, const hold *h, bool turns)
{
	double most = (d->from == &hard ? ratio(d, 0.01, 1e4) : ratio(d, 0.1, 10)) * h->load / (turns ? 1 : h->size),
		   sign = happens(d, 0.5) ? 1 : -1;
	if (happens(d, 0.6))
		put(d, ", \"motor\": { \"speed\": %.17g, \"most\": %.17g }", sign * between(d, 0.1, turns ? 6 : 3), most);
	else
		put(d, ", \"motor\": { \"%s\": %.17g }", turns ? "torque" : "force", sign * 0.3 * most);
}

static void put_joint(draw *d, const hold *h, bool last)
{
	static const char *const types[] = {"ball", "hinge", "slider", "fixed", "distance"};
	uint32_t type = choose(d, 5);
	char a[16] = "world";
	if (h->a != UINT32_MAX)
		snprintf(a, sizeof a, "b%u", h->a);
	put(d, "    { \"type\": \"%s\", \"bodies\": [\"%s\", \"b%u\"]", types[type], a, h->b);
	if (type == 4) {
		double length = vec_length(vec_sub(h->b_at, h->a_at));
		put(d, ", \"points\": [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", h->a_at.x, h->a_at.y, h->a_at.z,
		    h->b_at.x, h->b_at.y, h->b_at.z);
		if (happens(d, 0.5))
			put(d, ", \"limits\": [%.17g, %.17g]", happens(d, 0.5) ? 0 : 0.7 * length, length * between(d, 1.001, 1.3));
	} else {
		put_vec(d, "point", h->point);
	}
	if (type == 1 || type == 2) {
		bool turns = type == 1;
		double reach = turns ? 1.5 : h->size;
		put_vec(d, "axis", direction(d));
		if (happens(d, 0.5))
			put(d, ", \"limits\": [%.17g, %.17g]", -reach * chance(d), reach * chance(d));
		if (happens(d, 0.4))
			put_motor(d, h, turns);
	}
	if (happens(d, 0.2))
		put(d, ", \"collide\": true");
	if (happens(d, 0.1))
		put(d, ", \"breaks\": { \"force\": %.17g }", ratio(d, 1, 100) * h->load / h->size);
	put(d, " }%s\n", last ? "" : ",");
}

/* ---- the world */

static void put_settings(draw *d, uint64_t seed, uint32_t frames)
{
	static const int rates[] = {30, 30, 30, 30, 30, 24, 60, 120};
	double u = chance(d);
	d->gravity = u < 0.2 ? 0 : u < 0.75 ? 9.81 : between(d, d->from->least_gravity, d->from->gravity);
	put(d, "{\n  \"version\": 1,\n  \"description\": \"random world %llu\",\n", (unsigned long long)seed);
	put(d,
	    "  \"world\": { \"gravity\": [0, 0, %.17g], \"fps\": %d, \"frames\": %u, \"seed\": 1, \"options\": { "
	    "\"sleep\": %s } },\n",
	    d->gravity > 0 ? -d->gravity : 0, d->from == &hard ? (int)ratio(d, 10, 1000.5) : rates[choose(d, 8)], frames,
	    happens(d, 0.5) ? "true" : "false");
	put(d, "  \"materials\": {\n");
	for (uint32_t i = 0; i < MATERIALS; ++i) {
		d->density[i] = ratio(d, d->from->least_density, d->from->most_density);
		put(d, "    \"m%u\": { \"density\": %.17g, \"restitution\": %.17g, \"friction\": %.17g }%s\n", i, d->density[i],
		    happens(d, 0.4) ? 0 : between(d, 0, d->from->restitution),
		    happens(d, 0.2) ? 0 : between(d, 0, d->from->friction), i + 1 < MATERIALS ? "," : "");
	}
	put(d, "  },\n  \"bodies\": [\n");
}

/* ---- what hard worlds have besides: solid meshes, impulses and blasts, fields, bodies that appear */

static void put_mesh(draw *d, uint32_t number)
{
	double r = ratio(d, 0.2, 2), tall = between(d, 0.2, 1);
	vec at = place(d, r);
	take(d, at, r);
	put(d,
	    "    { \"name\": \"mesh%u\", \"type\": \"fixed\", \"material\": \"m%u\", \"shape\": { \"mesh\": { "
	    "\"points\": [[%.17g, 0, 0], [0, %.17g, 0], [%.17g, 0, 0], [0, %.17g, 0], [0, 0, %.17g], [0, 0, %.17g]], "
	    "\"triangles\": [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 3, 5]] } }",
	    number, choose(d, MATERIALS), r, r, -r, -r, tall * r, -tall * r);
	put_place(d, at);
	put_quat(d, orientation(d));
	put(d, " },\n");
}

static void put_event(draw *d, uint32_t frames, bool last)
{
	uint32_t frame = choose(d, frames);
	if (happens(d, 0.5)) {
		double x = between(d, -d->wide, d->wide), y = between(d, -d->wide, d->wide), z = between(d, d->low, d->high);
		put(d, "    { \"frame\": %u, \"blast\": { \"speed\": %.17g", frame, between(d, -30, 30));
		put_vec(d, "point", vec_make(x, y, z));
	} else {
		double size = d->from->least_size, push = ratio(d, 1, 1e4) * size * size * size * d->density[0];
		put(d, "    { \"frame\": %u, \"impulse\": { \"body\": \"b%u\"", frame, choose(d, d->made));
		put_vec(d, "impulse", vec_scale(direction(d), push));
	}
	put(d, " } }%s\n", last ? "" : ",");
}

static void put_field(draw *d)
{
	uint32_t which = choose(d, 3);
	double much = chance(d);
	vec wind = vec_scale(direction(d), 40 * much);
	put(d, ",\n  \"fields\": [ ");
	if (which == 0)
		put(d, "{ \"attractor\": { \"point\": [0, 0, %.17g], \"strength\": %.17g, \"softening\": 0.5 } }", d->high,
		    150 * much - 50);
	else if (which == 1)
		put(d, "{ \"wind\": { \"velocity\": [%.17g, %.17g, %.17g] } }", wind.x, wind.y, wind.z);
	else
		put(d, "{ \"drag\": { \"linear\": %.17g, \"angular\": %.17g } }", much, 0.1 * much);
	put(d, " ]");
}

static void put_emitter(draw *d)
{
	double size = ratio(d, d->from->least_size, 0.3 * d->from->most_size);
	uint32_t count = 1 + choose(d, 4), every = 1 + choose(d, 20), material = choose(d, MATERIALS);
	put(d,
	    ",\n  \"generators\": [ { \"name\": \"e\", \"emit\": { \"count\": %u, \"every\": %u }, \"jitter\": { "
	    "\"rotation\": 0.5 }, \"grid\": { \"count\": [2, 2, 1], \"spacing\": %.17g, \"origin\": [0, 0, %.17g] }, ",
	    count, every, 2.5 * size, d->high + 2 * size);
	put(d, "\"body\": { \"material\": \"m%u\", \"shape\": ", material);
	put_simple(d, size);
	put_vec(d, "velocity", vec_make(0, 0, -d->from->speed * chance(d)));
	put(d, " } } ]");
}

static void put_extras(draw *d, uint32_t frames)
{
	uint32_t events = happens(d, 0.25) ? 1 + choose(d, 4) : 0;
	if (happens(d, 0.2))
		put_emitter(d);
	if (happens(d, 0.15))
		put_field(d);
	if (events)
		put(d, ",\n  \"events\": [\n");
	for (uint32_t i = 0; i < events; ++i)
		put_event(d, frames, i + 1 == events);
	if (events)
		put(d, "  ]");
}

static void put_world(draw *d, uint64_t seed, uint32_t frames)
{
	static holds h;
	h.count = 0;
	put_settings(d, seed, frames);
	/* few bodies are as likely as many: 2 to 60 by ratio */
	uint32_t count = (uint32_t)(ratio(d, 2, BODY_MOST + 0.99));
	d->wide = 1.2 * d->from->most_size + between(d, 0.2, 1) * sqrt((double)count);
	d->low = 0, d->high = d->wide;
	put_surroundings(d);
	if (d->flat && d->gravity > 0 && happens(d, 0.4))
		put_stack(d, count < 6 ? count : 2 + choose(d, 5));
	if (happens(d, 0.25))
		for (uint32_t i = 1 + choose(d, 3); i > 0; --i)
			put_script(d, i, frames / 30.0);
	if (!(d->from->sheets > 0) && happens(d, 0.25)) /* balls of bodies without an inside do not touch them */
		for (uint32_t i = 1 + choose(d, 3); i > 0 && d->made + 2 <= count; --i)
			put_rig(d, &h, 2 + choose(d, count - d->made < 6 ? count - d->made - 1 : 5));
	for (uint32_t i = d->from == &hard && happens(d, 0.2) ? 1 + choose(d, 2) : 0; i > 0; --i)
		put_mesh(d, i);
	while (d->made < count)
		put_free_body(d);
	if (d->size > 2 && !d->failed)
		d->size -= 2; /* the last comma */
	put(d, "\n  ]");
	if (h.count) {
		put(d, ",\n  \"joints\": [\n");
		for (uint32_t i = 0; i < h.count; ++i)
			put_joint(d, &h.list[i], i + 1 == h.count);
		put(d, "  ]");
	}
	if (d->from == &hard)
		put_extras(d, frames);
	put(d, ",\n  \"camera\": { \"position\": [%.17g, %.17g, %.17g], \"target\": [0, 0, %.17g] }\n}\n", 2 * d->wide,
	    -4 * d->wide, d->high, 0.4 * d->high);
}

static bool makes_world(const draw *d, cairn_error *error)
{
	cairn_world_def def = cairn_default_world_def();
	def.threads = 1;
	cairn_scene *scene = cairn_scene_read_text(d->text, d->size, "world.json", NULL, NULL, error);
	cairn_world *world = scene ? cairn_world_create(scene, &def, error) : NULL;
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return world != NULL;
}

/* Of worlds with sheets one in eight has sizes 1:1000, and one in five is far out. */
static draw begin(uint64_t seed, uint64_t number, world_kind is)
{
	draw d = {.state = seed * 0x2545f4914f6cdd1du + number * 0x9e3779b9u, .from = is == HARD ? &hard : &usual};
	if (is != SHEETS)
		return d;
	d.from = seed % 8 == 0 ? &far_between : &sheets;
	if (seed % 5 == 0)
		d.away = vec_scale(vec_make(0.6, -0.8, 0), ratio(&d, 1e2, 1e5));
	return d;
}

char *world_text(uint64_t seed, uint32_t frames, world_kind is, size_t *size, cairn_error *error)
{
	for (uint64_t i = 0; i < DRAWS; ++i) {
		draw d = begin(seed, i, is);
		put_world(&d, seed, frames);
		if (!d.failed && makes_world(&d, error)) {
			*size = d.size;
			return d.text;
		}
		free(d.text);
	}
	return NULL;
}
