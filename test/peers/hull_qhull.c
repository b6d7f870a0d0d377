/* Hulls and their merged faces against qhull's, on the same points.
 *
 * What counts as the same, with t the rounding of our hull (hull.h), A the area and L the sum of the edges' lengths:
 *   volume        within 16 t A
 *   area          within 16 t L
 *   extreme points  a point that only one of the two has is within 16 t of the other's surface
 *   faces         as many, where points are in general position or coplanar up to their own rounding
 * Where points lie off common planes by about t the two draw the line between flat and not flat in different places,
 * each as it promises; there numbers of faces are shown, not compared, and both volumes are held against the one that
 * is known: an answer of qhull's that is far from it is counted and left alone. Qhull merges as by default (C-0). */
#include "random.h"
#include "test.h"

#include "base/hash.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/polytope.h"
#include "geom/tolerance.h"

#include <libqhull_r/qhull_ra.h>

enum { MOST = 10000 };

static v3 cloud[MOST];
static bool theirs[MOST], ours[MOST];

typedef struct tally {
	uint32_t inputs, refused_by_both, refused_by_us, refused_by_qhull, wrong_by_qhull, same_faces, same_corners;
	double volume, area, corner; /* the largest differences, in units of t A, t L and t */
} tally;

typedef struct peer {
	double volume, area;
	uint32_t faces, corners;
	bool made;
} peer;

typedef struct plane {
	v3 normal;
	double offset;
} plane;

static plane peer_planes[4 * MOST];

/* The log is thrown away: a refusal is an answer. */
static peer ask_qhull(uint32_t count)
{
	peer p = {0};
	qhT memory, *qh = &memory;
	FILE *log = tmpfile();
	static coordT coordinates[3 * MOST];
	char options[] = "qhull FA";
	for (uint32_t i = 0; i < count; ++i)
		coordinates[3 * i] = cloud[i].x, coordinates[3 * i + 1] = cloud[i].y, coordinates[3 * i + 2] = cloud[i].z;
	qh_zero(qh, log);
	p.made = qh_new_qhull(qh, 3, (int)count, coordinates, False, options, NULL, log) == 0;
	memset(theirs, 0, sizeof theirs);
	if (p.made) {
		facetT *facet;
		vertexT *vertex;
		FORALLfacets
		{
			if (p.faces < 4 * MOST)
				peer_planes[p.faces] =
					(plane){v3_make(facet->normal[0], facet->normal[1], facet->normal[2]), -facet->offset};
			++p.faces;
		}
		FORALLvertices
		{
			theirs[qh_pointid(qh, vertex->point)] = true;
			++p.corners;
		}
		p.volume = qh->totvol, p.area = qh->totarea;
	}
	int left, total;
	qh_freeqhull(qh, !qh_ALL);
	qh_memfreeshort(qh, &left, &total);
	fclose(log);
	return p;
}

static double rounding_of(uint32_t count)
{
	double most = 0;
	for (uint32_t i = 0; i < count; ++i)
		most = fmax(most, v3_max(v3_abs(cloud[i])));
	return CN_HULL_ULPS * DBL_EPSILON * most;
}

static double edges_of(const cn_polytope *p)
{
	double sum = 0;
	for (uint32_t i = 0; i < p->edge_count; ++i)
		sum += v3_distance(p->vertices[p->edges[i].tail], p->vertices[p->edges[i].head]);
	return sum;
}

/* How deep inside all planes a point is: at most 0 on the surface. */
static double depth(v3 p, const plane *planes, uint32_t count)
{
	double most = -INFINITY;
	for (uint32_t i = 0; i < count; ++i)
		most = fmax(most, v3_dot(planes[i].normal, p) - planes[i].offset);
	return -most;
}

static void compare_corners(const cn_polytope *p, uint32_t count, uint32_t peer_faces, double t, tally *sum)
{
	static plane planes[4 * MOST];
	bool same = true;
	memset(ours, 0, sizeof ours);
	for (uint32_t v = 0; v < p->vertex_count; ++v)
		ours[p->sources[v]] = true;
	for (uint32_t f = 0; f < p->face_count; ++f)
		planes[f] = (plane){p->normals[f], p->offsets[f]};
	for (uint32_t i = 0; i < count; ++i) {
		if (ours[i] == theirs[i])
			continue;
		same = false;
		double away = ours[i] ? depth(cloud[i], peer_planes, peer_faces) : depth(cloud[i], planes, p->face_count);
		sum->corner = fmax(sum->corner, fabs(away) / t);
		CHECK_NEAR(away, 0, 16 * t);
	}
	sum->same_corners += same;
}

/* What is known beforehand of an input. */
typedef struct known {
	bool faces;           /* none is near the line between flat and not flat */
	double volume, slack; /* 0: not known */
} known;

static void compare(uint32_t count, known k, tally *sum)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	uint32_t *triangles, triangle_count;
	peer q = ask_qhull(count);
	bool made = cn_hull_build(&allocator, cloud, count, &triangles, &triangle_count, &error);
	++sum->inputs;
	sum->refused_by_both += !made && !q.made;
	sum->refused_by_us += !made && q.made;
	sum->refused_by_qhull += made && !q.made;
	cn_polytope p;
	if (made && q.made &&
	    cn_polytope_hull(&allocator, &(cn_triangles){cloud, count, triangles, triangle_count}, v3_zero(), &p)) {
		double volume = cn_mass_solid(cloud, triangles, triangle_count).volume;
		double area = cn_mass_skin(cloud, triangles, triangle_count).volume, t = rounding_of(count), l = edges_of(&p);
		bool wrong = k.volume > 0 && fabs(q.volume - k.volume) > k.slack;
		sum->wrong_by_qhull += wrong;
		if (k.volume > 0)
			CHECK_NEAR(volume, k.volume, k.slack);
		if (!wrong) {
			CHECK_NEAR(q.volume, volume, 16 * t * area);
			CHECK_NEAR(q.area, area, 16 * t * l);
			sum->volume = fmax(sum->volume, fabs(q.volume - volume) / (t * area));
			sum->area = fmax(sum->area, fabs(q.area - area) / (t * l));
		}
		compare_corners(&p, count, q.faces, t, sum);
		sum->same_faces += p.face_count == q.faces;
		if (k.faces)
			CHECK_INT(p.face_count, q.faces);
		cn_polytope_free(&allocator, &p);
	}
	if (made)
		cn_free(&allocator, triangles, (size_t)triangle_count * 3, sizeof *triangles);
}

static void show(const char *name, const tally *t)
{
	printf(
		"%-28s %4u inputs; refused by both %u, by us %u, by qhull %u; wrong by qhull %u; same faces %u, same corners "
		"%u; off by %.2g t A, %.2g t L, corners %.2g t\n",
		name, t->inputs, t->refused_by_both, t->refused_by_us, t->refused_by_qhull, t->wrong_by_qhull, t->same_faces,
		t->same_corners, t->volume, t->area, t->corner);
	CHECK_INT(t->refused_by_us, 0);
}

static void place(uint32_t n, quat turn, v3 stretch, v3 move)
{
	for (uint32_t i = 0; i < n; ++i)
		cloud[i] = v3_add(q_rotate(turn, v3_mul(cloud[i], stretch)), move);
}

TEST(random_points)
{
	uint64_t state = 1;
	tally in_ball = {0}, on_sphere = {0};
	for (uint32_t round = 0; round < 300; ++round) {
		uint32_t n = 4 + (uint32_t)(cn_random_u64(&state) % (round % 10 ? 300 : 3000));
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = random_in_cube(&state);
		compare(n, (known){.faces = true}, &in_ball);
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = random_on_sphere(&state);
		compare(n, (known){.faces = true}, &on_sphere);
	}
	show("random in a cube", &in_ball);
	show("random on a sphere", &on_sphere);
}

TEST(ten_thousand_points)
{
	uint64_t state = 2;
	tally sum = {0};
	for (uint32_t round = 0; round < 3; ++round) {
		for (uint32_t i = 0; i < MOST; ++i)
			cloud[i] = round == 0 ? random_in_cube(&state) : random_on_sphere(&state);
		place(MOST, random_turn(&state), round == 2 ? v3_make(1, 0.3, 0.1) : v3_make(1, 1, 1), v3_zero());
		compare(MOST, (known){.faces = true}, &sum);
	}
	show("10,000 points", &sum);
}

TEST(lattices)
{
	uint64_t state = 3;
	tally sum = {0};
	for (uint32_t round = 0; round < 300; ++round) {
		uint32_t n = 20 + (uint32_t)(cn_random_u64(&state) % 200), side = 2 + round % 8;
		for (uint32_t i = 0; i < n; ++i) {
			double x = (double)(cn_random_u64(&state) % side), y = (double)(cn_random_u64(&state) % side);
			double z = (double)(cn_random_u64(&state) % side);
			cloud[i] = v3_make(x, y, z);
		}
		compare(n, (known){.faces = true}, &sum);
	}
	show("small integers", &sum);
}

static uint32_t fill_cube(uint32_t side)
{
	uint32_t n = 0;
	for (uint32_t x = 0; x <= side; ++x)
		for (uint32_t y = 0; y <= side; ++y)
			for (uint32_t z = 0; z <= side; ++z)
				if (x % side == 0 || y % side == 0 || z % side == 0)
					cloud[n++] = v3_make(2.0 * x / side - 1, 2.0 * y / side - 1, 2.0 * z / side - 1);
	return n;
}

static uint32_t fill_prism(uint32_t sides)
{
	for (uint32_t i = 0; i < sides; ++i) {
		double s, c;
		cn_sincos(2 * CN_PI * i / sides, &s, &c);
		cloud[2 * i] = v3_make(c, s, -0.5);
		cloud[2 * i + 1] = v3_make(c, s, 0.5);
	}
	return 2 * sides;
}

/* Faces of many points, turned, so that they are flat only up to the rounding of the points. */
TEST(flat_faces)
{
	uint64_t state = 4;
	tally cubes = {0}, prisms = {0}, plates = {0};
	for (uint32_t round = 0; round < 150; ++round) {
		uint32_t n = fill_cube(1 + round % 8);
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		compare(n, (known){.faces = true}, &cubes);
		n = fill_prism(3 + round % 62);
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		compare(n, (known){.faces = true}, &prisms);
		n = fill_cube(1 + round % 4);
		place(n, random_turn(&state), round % 2 ? v3_make(1, 1, 1e-3) : v3_make(1, 1e-2, 1e-3), v3_zero());
		compare(n, (known){.faces = true}, &plates);
	}
	show("cubes with rows", &cubes);
	show("prisms", &prisms);
	show("plates and needles", &plates);
}

/* Off common planes by t/16 to 64 t. */
TEST(noise)
{
	uint64_t state = 5;
	tally sum = {0};
	for (uint32_t round = 0; round < 200; ++round) {
		uint32_t n = fill_cube(1 + round % 6);
		double noise = CN_HULL_ULPS * DBL_EPSILON * ldexp(1, (int)(round % 11) - 4);
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = v3_madd(cloud[i], random_in_cube(&state), noise);
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		compare(n, (known){.volume = 8, .slack = 48 * (noise + 1e-15)}, &sum);
	}
	show("noise about the rounding", &sum);
}

/* No volume: neither makes a hull of it. */
TEST(flat_input)
{
	uint64_t state = 6;
	tally sum = {0};
	for (uint32_t round = 0; round < 60; ++round) {
		for (uint32_t i = 0; i < 50; ++i)
			cloud[i] = random_in_cube(&state);
		place(50, random_turn(&state), round % 2 ? v3_make(1, 1, 0) : v3_make(1, 0, 0), v3_zero());
		compare(50, (known){0}, &sum);
	}
	printf("%-28s %4u inputs; refused by both %u, by us %u, by qhull %u\n", "in a plane, on a line", sum.inputs,
	       sum.refused_by_both, sum.refused_by_us, sum.refused_by_qhull);
	CHECK_INT(sum.refused_by_both + sum.refused_by_us, sum.inputs);
}

TEST_MAIN(TEST_CASE(random_points), TEST_CASE(ten_thousand_points), TEST_CASE(lattices), TEST_CASE(flat_faces),
          TEST_CASE(noise), TEST_CASE(flat_input))
