/* The scenes: those of the texts, and piles of any size. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* -1 to 1, the same numbers everywhere (splitmix64) */
static double draw(peer_scene *s)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return (double)(z >> 11) * (2.0 / 9007199254740992.0) - 1;
}

/* A body that is not there, where memory ran out: what is written to it is lost, and the scene is given up. */
static peer_body nowhere;

static peer_body *add(peer_scene *s, const double half[3], double x, double y, double z)
{
	if (s->count == s->room) {
		uint32_t room = 2 * s->room + 16;
		peer_body *grown = realloc(s->bodies, room * sizeof *grown);
		if (!grown) {
			s->frames = 0;
			return &nowhere;
		}
		s->bodies = grown, s->room = room;
	}
	peer_body *b = &s->bodies[s->count++];
	memset(b, 0, sizeof *b);
	memcpy(b->half, half, sizeof b->half);
	b->state[0] = x, b->state[1] = y, b->state[2] = z, b->state[3] = 1;
	b->mass = PEER_DENSITY * 8 * half[0] * half[1] * half[2];
	return b;
}

static peer_body *add_cube(peer_scene *s, double x, double y, double z)
{
	return add(s, (const double[3]){0.5, 0.5, 0.5}, x, y, z);
}

static peer_body *add_fixed(peer_scene *s, const double half[3], double x, double y, double z)
{
	peer_body *b = add(s, half, x, y, z);
	b->fixed = true, b->mass = 0;
	return b;
}

static void add_floor(peer_scene *s, double half) { add_fixed(s, (const double[3]){half, half, 2}, 0, 0, -2); }

/* Four walls around a square of +- in, that high. */
static void add_walls(peer_scene *s, double in, double thick, double high)
{
	double out = in + thick / 2, wide[3] = {thick / 2, in + thick, high / 2}, narrow[3] = {in, thick / 2, high / 2};
	add_fixed(s, wide, out, 0, high / 2);
	add_fixed(s, wide, -out, 0, high / 2);
	add_fixed(s, narrow, 0, out, high / 2);
	add_fixed(s, narrow, 0, -out, high / 2);
	s->inside[0] = s->inside[1] = in;
}

static void turn(peer_body *b, const double axis[3], double angle)
{
	double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
	b->state[3] = length > 0 ? cos(angle / 2) : 1;
	for (int k = 0; k < 3; ++k)
		b->state[4 + k] = length > 0 ? sin(angle / 2) * axis[k] / length : 0;
}

static void turn_anyhow(peer_scene *s, peer_body *b, double most)
{
	double axis[3] = {draw(s), draw(s), draw(s)};
	turn(b, axis, most * draw(s));
}

static void make_stack(peer_scene *s)
{
	s->frames = 300, s->stands = 0.25; /* 0.1 m of it is the gaps that close */
	add_floor(s, 40);
	for (int i = 0; i < 10; ++i)
		add_cube(s, 0, 0, 0.51 + 1.01 * i);
}

static void make_wall(peer_scene *s)
{
	const double brick[3] = {1, 0.5, 0.5};
	s->frames = 300, s->stands = 0.1;
	s->blast = 90, s->blast_speed = 60;
	s->blast_at[0] = 0.3, s->blast_at[1] = -2, s->blast_at[2] = 3;
	add_floor(s, 40);
	for (int j = 0; j < 9; ++j)
		for (int i = 0; i < 10; ++i) /* 0.8 m from row to row, so that bricks that stick out stay */
			add(s, brick, (i - 4.5) * 2.01 + (j % 2 ? 0.4 : -0.4), 0, 0.5 + j);
}

static void make_cubejam(peer_scene *s)
{
	s->frames = 600;
	add_floor(s, 40);
	add_walls(s, 1.75, 1, 48);
	for (int i = 0; i < 3; ++i) { /* shelves at 45 degrees that leave 2 m */
		double side = i % 2 ? 1 : -1;
		turn(add_fixed(s, (const double[3]){1.06, 1.75, 0.15}, side, 0, 13.75 - 4 * i), (const double[3]){0, 1, 0},
		     -side * PI / 4);
	}
	for (int k = 0; k < 100; ++k) {
		double x = 0.03 * draw(s), y = 0.03 * draw(s);
		int layer = k / 9, row = k / 3 % 3;
		turn_anyhow(s, add_cube(s, (k % 3 - 1) * 1.13 + x, (row - 1) * 1.13 + y, 17 + layer * 1.3), 0.08);
	}
}

/* A funnel over a box: its faces run from an opening of 4 x 4 m at z = 16 up and out at 45 degrees. */
static void make_glass(peer_scene *s, bool balls)
{
	s->frames = 600;
	add_floor(s, 40);
	add_walls(s, 6, 2, 18.5);
	s->inside[0] = s->inside[1] = 24;
	for (int i = 0; i < 4; ++i) {
		double yaw = i * PI / 2, at = 12 + sqrt(0.5), half = sin(-PI / 8), full = cos(-PI / 8);
		peer_body *b =
			add_fixed(s, (const double[3]){10 * sqrt(2), 22, 1}, at * cos(yaw), at * sin(yaw), 26 - sqrt(0.5));
		b->state[3] = cos(yaw / 2) * full, b->state[4] = -sin(yaw / 2) * half;
		b->state[5] = cos(yaw / 2) * half, b->state[6] = sin(yaw / 2) * full;
	}
	for (int k = 0; k < 1000; ++k) {
		double x = 0.05 * draw(s), y = 0.05 * draw(s), z = 0.05 * draw(s);
		int layer = k / 100, row = k / 10 % 10;
		peer_body *b = add_cube(s, (k % 10 - 4.5) * 1.5 + x, (row - 4.5) * 1.5 + y, 23 + layer * 1.5 + z);
		if (balls)
			b->ball = true, b->mass = PEER_DENSITY * 4 / 3 * PI * 0.125;
		else
			turn_anyhow(s, b, 0.3);
	}
}

static void make_cubeglass(peer_scene *s) { make_glass(s, false); }

static void make_sphereglass(peer_scene *s)
{
	s->friction = 0, s->restitution = 0.7;
	make_glass(s, true);
}

/* A hundred plates of a centimetre, as fast as 30 m/s, against a wall as thin. */
static void make_plates(peer_scene *s)
{
	s->frames = 60, s->thin = true;
	add_fixed(s, (const double[3]){0.005, 20, 20}, 0, 0, 0);
	for (int k = 0; k < 100; ++k) {
		double away = 3 + 1.5 * draw(s);
		int row = k / 10;
		peer_body *b = add(s, (const double[3]){0.005, 0.5, 0.5}, -away, (k % 10 - 4.5) * 1.8, (row - 4.5) * 1.8);
		turn_anyhow(s, b, PI);
		b->state[7] = 30;
		for (int i = 0; i < 3; ++i)
			b->state[10 + i] = 3 * draw(s);
	}
}

/* Layers of side x side cubes, 1.25 m apart, fall into a shaft around them. */
static void make_pile(peer_scene *s, uint32_t count, uint32_t side)
{
	s->frames = count > 2000 ? 90 : 240;
	double half = (side - 1) * 0.625;
	add_floor(s, half + 40);
	add_walls(s, half + 0.8, 4, 3.0 * (count / (side * side) + 1.0));
	for (uint32_t k = 0; k < count; ++k) {
		double x = 0.03 * draw(s), y = 0.03 * draw(s), z = 0.03 * draw(s);
		uint32_t layer = k / (side * side), row = k / side % side;
		turn_anyhow(s, add_cube(s, k % side * 1.25 - half + x, row * 1.25 - half + y, 0.7 + layer * 1.25 + z), 0.05);
	}
}

static bool make_any(peer_scene *s, const char *name)
{
	static const struct {
		const char *name;
		void (*make)(peer_scene *s);
	} known[] = {{"stack", make_stack},
	             {"wall", make_wall},
	             {"cubejam", make_cubejam},
	             {"cubeglass", make_cubeglass},
	             {"sphereglass", make_sphereglass},
	             {"plates", make_plates}};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
		if (strcmp(name, known[i].name) == 0) {
			known[i].make(s);
			return true;
		}
	bool grid = strncmp(name, "grid", 4) == 0;
	uint32_t count = strlen(name) > 4 ? (uint32_t)strtoul(name + 4, NULL, 10) : 0;
	if ((!grid && strncmp(name, "flat", 4) != 0) || count < 10 || count > 1000000)
		return false;
	double side = grid ? cbrt((double)count) : sqrt(count / 10.0);
	make_pile(s, count, (uint32_t)(side + 0.999));
	return true;
}

peer_scene *peer_scene_make(const char *name)
{
	peer_scene *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	*s = (peer_scene){.name = name, .gravity = 10, .friction = 0.3, .restitution = 0.3, .random = 12345};
	if (make_any(s, name) && s->frames)
		return s;
	peer_scene_free(s);
	return NULL;
}

void peer_scene_free(peer_scene *scene)
{
	free(scene->bodies);
	free(scene);
}

void peer_scene_push(const peer_scene *scene, const double *x, double change[3])
{
	double d[3], r2 = 0;
	for (int k = 0; k < 3; ++k)
		d[k] = x[k] - scene->blast_at[k], r2 += d[k] * d[k];
	double r = sqrt(r2), speed = scene->blast_speed / (r2 > 1 ? r2 : 1);
	for (int k = 0; k < 3; ++k)
		change[k] = r > 0 ? speed * d[k] / r : 0;
}
