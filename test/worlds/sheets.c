/* Meshes that move: sheets without thickness or with some, and closed solids with dents. All points lie in a ball about the
 * origin. */
#include "draw.h"

enum { POINTS = 64, TRIANGLES = 128 };

typedef struct mesh {
	vec points[POINTS];
	uint32_t triangles[TRIANGLES][3], point_count, triangle_count;
} mesh;

static uint32_t add_point(mesh *m, vec p)
{
	m->points[m->point_count] = p;
	return m->point_count++;
}

static void add_triangle(mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *t = m->triangles[m->triangle_count++];
	t[0] = a, t[1] = b, t[2] = c;
}

/* Rows of points around z, each of a radius and a height, with walls between them. */
static void add_walls(mesh *m, uint32_t rows, uint32_t around, const double radii[], const double heights[])
{
	for (uint32_t i = 0; i < rows; ++i)
		for (uint32_t k = 0; k < around; ++k) {
			double turn = 6.283185307179586 * k / around;
			add_point(m, vec_make(radii[i] * cos(turn), radii[i] * sin(turn), heights[i]));
		}
	for (uint32_t i = 0; i + 1 < rows; ++i)
		for (uint32_t k = 0; k < around; ++k) {
			uint32_t a = i * around + k, b = i * around + (k + 1) % around;
			add_triangle(m, a, b, b + around);
			add_triangle(m, a, b + around, a + around);
		}
}

/* A bowl, a cup or a ring: a profile of two to four corners that is turned around. */
static void draw_vessel(draw *d, mesh *m)
{
	uint32_t rows = 2 + choose(d, 3), around = 3 + choose(d, 12), closed = choose(d, 2);
	double radii[4], heights[4], radius = between(d, 0.2, 1);
	for (uint32_t i = 0; i < rows; ++i) {
		radii[i] = radius, heights[i] = (double)i / rows - 0.5;
		radius = fmin(1, fmax(0.1, radius + between(d, -0.3, 0.4)));
	}
	add_walls(m, rows, around, radii, heights);
	for (uint32_t k = 2; k < around && closed; ++k) /* a bottom */
		add_triangle(m, 0, k, k - 1);
}

/* Two or more triangles that hang together at an edge, like folded paper. */
static void draw_fold(draw *d, mesh *m)
{
	uint32_t count = 1 + choose(d, 6), a = add_point(m, direction(d)), b = add_point(m, direction(d));
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t c = add_point(m, vec_scale(direction(d), between(d, 0.3, 1)));
		add_triangle(m, a, b, c);
		a = happens(d, 0.5) ? b : a, b = c;
	}
}

/* Triangles that have nothing to do with each other. */
static void draw_soup(draw *d, mesh *m)
{
	for (uint32_t i = 2 + choose(d, 10); i > 0; --i) {
		vec middle = vec_scale(direction(d), between(d, 0, 0.7));
		uint32_t first = m->point_count;
		for (int k = 0; k < 3; ++k)
			add_point(m, vec_madd(middle, direction(d), 0.3));
		add_triangle(m, first, first + 1, first + 2);
	}
}

/* A star: closed, not convex. */
static void draw_star(draw *d, mesh *m)
{
	uint32_t around = 6 + 2 * choose(d, 5), up = 2 * around;
	double tall = between(d, 0.1, 0.7), dent = between(d, 0.3, 1);
	for (uint32_t i = 0; i < 2; ++i)
		for (uint32_t k = 0; k < around; ++k) {
			double turn = 6.283185307179586 * k / around, r = k % 2 ? 0.7 * dent : 0.7;
			add_point(m, vec_make(r * cos(turn), r * sin(turn), i ? tall : -tall));
		}
	add_point(m, vec_make(0, 0, -tall));
	add_point(m, vec_make(0, 0, tall));
	for (uint32_t k = 0; k < around; ++k) {
		uint32_t next_one = (k + 1) % around;
		add_triangle(m, k, next_one, around + next_one);
		add_triangle(m, k, around + next_one, around + k);
		add_triangle(m, next_one, k, up);
		add_triangle(m, around + k, around + next_one, up + 1);
	}
}

static double reach_of(const mesh *m)
{
	double most = 0;
	for (uint32_t i = 0; i < m->point_count; ++i)
		most = fmax(most, vec_length(m->points[i]));
	return most;
}

double put_sheet(draw *d, double size)
{
	mesh m = {.point_count = 0};
	uint32_t which = choose(d, 6);
	if (which < 3)
		draw_vessel(d, &m);
	else if (which == 3)
		draw_fold(d, &m);
	else if (which == 4)
		draw_soup(d, &m);
	else
		draw_star(d, &m);
	double scale = 0.5 * size / reach_of(&m), thick = which < 5 && happens(d, 0.3) ? size * between(d, 0.001, 0.01) : 0;
	put(d, "{ \"mesh\": { \"kind\": \"%s\", ", which < 5 ? "shell" : "solid");
	if (thick > 0)
		put(d, "\"thickness\": %.17g, ", thick);
	put(d, "\"points\": [");
	for (uint32_t i = 0; i < m.point_count; ++i) {
		vec p = vec_scale(m.points[i], scale);
		put(d, "%s[%.17g, %.17g, %.17g]", i ? ", " : "", p.x, p.y, p.z);
	}
	put(d, "], \"triangles\": [");
	for (uint32_t i = 0; i < m.triangle_count; ++i)
		put(d, "%s[%u, %u, %u]", i ? ", " : "", m.triangles[i][0], m.triangles[i][1], m.triangles[i][2]);
	put(d, "] } }");
	return 0.5 * size + 0.5 * thick;
}
