/* Moving triangle features and meshes against dense sampling. */
#include "draw.h"
#include "test.h"
#include "waiting/trisweep.h"

enum { CASES = TEST_FEW ? 6000 : 60000, SAMPLES = 300 };

/* The reference: where the gradient of the squared distance vanishes inside, else on the border. */

static double point_segment(v3 p, v3 a, v3 b)
{
	v3 d = v3_sub(b, a);
	double dd = v3_dot(d, d), s = dd > 0 ? v3_dot(v3_sub(p, a), d) / dd : 0;
	s = s < 0 ? 0 : s > 1 ? 1 : s;
	return v3_distance(p, v3_madd(a, d, s));
}

static double point_triangle(v3 p, const v3 t[3])
{
	v3 u = v3_sub(t[1], t[0]), v = v3_sub(t[2], t[0]), w = v3_sub(p, t[0]);
	double uu = v3_dot(u, u), uv = v3_dot(u, v), vv = v3_dot(v, v), uw = v3_dot(u, w), vw = v3_dot(v, w);
	double det = uu * vv - uv * uv, best = point_segment(p, t[0], t[1]), d;
	d = point_segment(p, t[1], t[2]);
	best = d < best ? d : best;
	d = point_segment(p, t[2], t[0]);
	best = d < best ? d : best;
	if (det > 1e-14 * uu * vv) {
		double a = (uw * vv - vw * uv) / det, b = (vw * uu - uw * uv) / det;
		if (a >= 0 && b >= 0 && a + b <= 1) {
			d = v3_length(v3_madd(v3_madd(w, u, -a), v, -b));
			best = d < best ? d : best;
		}
	}
	return best;
}

static double segment_segment(const v3 a[2], const v3 b[2])
{
	double best = point_segment(a[0], b[0], b[1]), d;
	d = point_segment(a[1], b[0], b[1]);
	best = d < best ? d : best;
	d = point_segment(b[0], a[0], a[1]);
	best = d < best ? d : best;
	d = point_segment(b[1], a[0], a[1]);
	best = d < best ? d : best;
	v3 u = v3_sub(a[1], a[0]), v = v3_sub(b[1], b[0]), w = v3_sub(a[0], b[0]);
	double uu = v3_dot(u, u), uv = v3_dot(u, v), vv = v3_dot(v, v), uw = v3_dot(u, w), vw = v3_dot(v, w);
	double det = uu * vv - uv * uv;
	if (det > 1e-14 * uu * vv) {
		double s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
		if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
			d = v3_length(v3_madd(v3_madd(w, u, s), v, -t));
			best = d < best ? d : best;
		}
	}
	return best;
}

/* Four paths: a vertex and a triangle, or two edges. */
typedef struct motion {
	bool edges;
	cn_straight path[4];
	double thickness, tolerance;
} motion;

static double distance_at(const motion *m, double t)
{
	v3 p[4];
	for (int k = 0; k < 4; ++k)
		p[k] = v3_add(v3_scale(m->path[k].from, 1 - t), v3_scale(m->path[k].to, t));
	return m->edges ? segment_segment(p, p + 2) : point_triangle(p[0], p + 1);
}

static double speed_of(const motion *m)
{
	double most = 0;
	for (int i = 0; i < (m->edges ? 2 : 1); ++i)
		for (int k = m->edges ? 2 : 1; k < 4; ++k) {
			v3 a = v3_sub(m->path[i].to, m->path[i].from), b = v3_sub(m->path[k].to, m->path[k].from);
			double speed = v3_distance(a, b);
			most = speed > most ? speed : most;
		}
	return most;
}

static bool ask(const motion *m, cn_pair_point *touch)
{
	return m->edges ? cn_edge_edge(m->path, m->path + 2, m->thickness, m->tolerance, touch)
	                : cn_vertex_triangle(m->path, m->path + 1, m->thickness, m->tolerance, touch);
}

/* Six times the volume that the four points span: it changes sign when they pass through each other. */
static double volume_at(const motion *m, double t)
{
	v3 p[4];
	for (int k = 0; k < 4; ++k)
		p[k] = v3_add(v3_scale(m->path[k].from, 1 - t), v3_scale(m->path[k].to, t));
	return v3_dot(v3_sub(p[1], p[0]), v3_cross(v3_sub(p[2], p[0]), v3_sub(p[3], p[0])));
}

/* The first time in (0, until) at which they pass through each other; a thickness of 0 shows in no sample. */
static double cross_time(const motion *m, double until)
{
	for (int i = 0; i < SAMPLES; ++i) {
		double low = (double)i / SAMPLES, high = (i + 1.0) / SAMPLES;
		if (low >= until)
			break;
		bool positive = volume_at(m, low) > 0;
		if (positive == (volume_at(m, high) > 0))
			continue;
		for (int k = 0; k < 60; ++k) {
			double middle = 0.5 * (low + high);
			if ((volume_at(m, middle) > 0) == positive)
				low = middle;
			else
				high = middle;
		}
		if (high < until && distance_at(m, high) < 1e-12)
			return high;
	}
	return until;
}

/* The first time below the thickness, sampled and then halved between the samples; above 1: none. What the distance
 * and the speed exclude is not sampled. */
static double sample(const motion *m, double speed)
{
	double t = 0, before = 0, least = 1.0 / SAMPLES;
	if (m->thickness >= 1e-4 && least * speed > 0.5 * m->thickness)
		least = 0.5 * m->thickness / speed;
	for (;;) {
		double d = distance_at(m, t);
		if (d < m->thickness || d == 0)
			break;
		if (t >= 1)
			return cross_time(m, 2);
		double skip = speed > 0 ? 0.99 * (d - m->thickness) / speed : 1;
		before = t;
		t += skip > least ? skip : least;
		t = t < 1 ? t : 1;
	}
	for (int i = 0; i < 60 && t > 0; ++i) {
		double middle = 0.5 * (before + t);
		if (distance_at(m, middle) < m->thickness)
			t = middle;
		else
			before = middle;
	}
	return cross_time(m, t);
}

typedef struct score {
	int touches, frees, alarms, late, missed, wrong;
	double lost, most_lost; /* of the motion */
} score;

/* The weights must give the nearest points and n their direction. */
static bool consistent(const motion *m, const cn_pair_point *touch)
{
	v3 p[4], a, b;
	const double *w = touch->weights;
	for (int k = 0; k < 4; ++k) {
		p[k] = v3_lerp(m->path[k].from, m->path[k].to, touch->time);
		if (!(w[k] >= 0 && w[k] <= 1))
			return false;
	}
	if (m->edges) {
		a = v3_add(v3_scale(p[0], w[0]), v3_scale(p[1], w[1]));
		b = v3_add(v3_scale(p[2], w[2]), v3_scale(p[3], w[3]));
	} else {
		a = p[0];
		b = v3_add(v3_add(v3_scale(p[1], w[1]), v3_scale(p[2], w[2])), v3_scale(p[3], w[3]));
	}
	double found = v3_distance(a, b), wanted = distance_at(m, touch->time), scale = 1e-300;
	for (int k = 0; k < 4; ++k)
		scale = v3_max(v3_abs(p[k])) > scale ? v3_max(v3_abs(p[k])) : scale;
	if (fabs(found - wanted) > 1e-7 * scale || fabs(v3_length(touch->n) - 1) > 1e-12)
		return false;
	return found < 1e-5 * scale || v3_dot(touch->n, v3_sub(b, a)) > 0.999 * found;
}

static void judge(const motion *m, score *s)
{
	cn_pair_point touch = {.time = -1};
	double speed = speed_of(m), truth = sample(m, speed);
	bool touches = ask(m, &touch);
	s->wrong += !(touch.time >= 0 && touch.time <= 1) || (!touches && touch.time < 1);
	s->wrong += touches && !consistent(m, &touch);
	if (truth <= 1) {
		++s->touches;
		s->missed += !touches;
		s->late += touch.time > truth;
		double lost = truth - touch.time;
		s->lost += lost;
		s->most_lost = lost > s->most_lost ? lost : s->most_lost;
	} else {
		s->frees += !touches;
		s->alarms += touches;
		/* an alarm must at least be near */
		s->wrong += touches && distance_at(m, touch.time) > m->thickness + 2 * m->tolerance;
	}
}

static motion draw_motion(bool edges, int kind)
{
	static const double thicknesses[] = {0, 1e-6, 1e-3, 0.03, 0.3}, tolerances[] = {1e-3, 1e-4, 1e-6};
	int which = (int)(fraction() * 5), how = (int)(fraction() * 3);
	motion m = {.edges = edges, .thickness = thicknesses[which], .tolerance = tolerances[how]};
	v3 drift = draw_v3(-2, 2), axis = draw_v3(-1, 1);
	double angle = 2 * fraction();
	quat turn = q_exp(v3_scale(v3_unit(axis), angle));
	for (int k = 0; k < 4; ++k) {
		v3 from = draw_v3(-1, 1), to = draw_v3(-1, 1);
		bool second = edges ? k >= 2 : k >= 1;
		m.path[k].from = from;
		if (kind == 0) /* all their own way */
			m.path[k].to = to;
		else if (kind == 1) /* rigid: one drifts by, the other turns */
			m.path[k].to = second ? q_rotate(turn, from) : v3_add(from, drift);
		else if (kind == 2) /* slow */
			m.path[k].to = v3_madd(from, to, 0.05);
		else /* starting well apart, meeting or not */
			m.path[k].to = second ? v3_madd(from, to, 0.3) : v3_add(v3_sub(from, v3_scale(drift, 2)), to);
		if (kind == 3 && !second)
			m.path[k].from = v3_add(from, drift);
	}
	return m;
}

static void random_cases(bool edges)
{
	score s = {0};
	for (int i = 0; i < CASES; ++i) {
		motion m = draw_motion(edges, i % 4);
		judge(&m, &s);
	}
	printf("%s: %d touches, %d free, %d alarms; mean early %.2e of the motion, most %.2e\n",
	       edges ? "edge/edge" : "vertex/triangle", s.touches, s.frees, s.alarms, s.lost / s.touches, s.most_lost);
	CHECK(s.touches > CASES / 15 && s.frees > CASES / 2);
	CHECK_INT(s.missed, 0);
	CHECK_INT(s.late, 0);
	CHECK_INT(s.wrong, 0);
	CHECK(s.lost / s.touches < 1e-3);
	CHECK(s.alarms < CASES / 1000 + 1);
}

TEST(vertex_triangle_random)
{
	seed = 1;
	random_cases(false);
}

TEST(edge_edge_random)
{
	seed = 2;
	random_cases(true);
}

/* Whatever lies in a plane, on a line or in a point; paths that are parallel, equal, or none. */
static motion draw_degenerate(bool edges)
{
	motion m = draw_motion(edges, (int)(fraction() * 4));
	double flat = fraction(), same = fraction(), move = fraction();
	for (int k = 0; k < 4; ++k) {
		cn_straight *p = &m.path[k];
		bool second = edges ? k >= 2 : k >= 1;
		if (flat < 0.3) /* a plane, or a grid of lines in it */
			p->from.z = second ? 0 : 0.25;
		if (flat < 0.2) {
			p->from.x = floor(2 * p->from.x + 0.5) / 2;
			p->from.y = floor(2 * p->from.y + 0.5) / 2;
		}
		if (flat < 0.1)
			p->from.y = 0;
		if (same < 0.15 && k > 1)
			p->from = v3_add(m.path[k - 1].from, v3_scale(v3_make(1, 2, -1), same < 0.1 ? 0 : 0.2));
		if (move < 0.15) /* none at all */
			p->to = p->from;
		else if (move < 0.4) /* one vector for each */
			p->to = v3_add(p->from, second ? v3_make(0, 0, 0.5) : v3_make(0.75, 0, move < 0.3 ? -0.5 : 0.5));
		else if (move < 0.5) /* along itself */
			p->to = v3_add(p->from, v3_make(second ? -1 : 1, 0, 0));
	}
	if (edges && same > 0.8) { /* parallel, at the start or always */
		m.path[3].from = v3_add(m.path[2].from, v3_sub(m.path[1].from, m.path[0].from));
		if (same > 0.9)
			m.path[3].to = v3_add(m.path[2].to, v3_sub(m.path[1].to, m.path[0].to));
	}
	return m;
}

TEST(degenerate)
{
	seed = 3;
	score s = {0};
	for (int i = 0; i < CASES; ++i) {
		motion m = draw_degenerate(i % 2);
		judge(&m, &s);
	}
	printf("degenerate: %d touches, %d free, %d alarms, mean early %.2e\n", s.touches, s.frees, s.alarms,
	       s.lost / s.touches);
	CHECK(s.touches > CASES / 15 && s.frees > CASES / 2);
	CHECK_INT(s.missed, 0);
	CHECK_INT(s.late, 0);
	CHECK_INT(s.wrong, 0);
	CHECK(s.lost / s.touches < 1e-3);
	CHECK(s.alarms < CASES / 200); /* built to touch at exactly the thickness */
}

TEST(far_from_the_origin)
{
	seed = 4;
	score s = {0};
	for (int i = 0; i < CASES / 10; ++i) {
		motion m = draw_motion(i % 2, i / 2 % 4);
		v3 far = draw_v3(-1e5, 1e5);
		for (int k = 0; k < 4; ++k) {
			m.path[k].from = v3_add(m.path[k].from, far);
			m.path[k].to = v3_add(m.path[k].to, far);
		}
		m.thickness = m.thickness < 1e-4 ? 1e-4 : m.thickness;
		judge(&m, &s);
	}
	CHECK_INT(s.missed, 0);
	CHECK_INT(s.late, 0);
	CHECK_INT(s.wrong, 0);
	CHECK(s.lost / s.touches < 1e-3);
}

TEST(constructed)
{
	cn_pair_point touch;
	cn_straight triangle[3] = {{{0, 0, 0}, {0, 0, 0}}, {{1, 0, 0}, {1, 0, 0}}, {{0, 1, 0}, {0, 1, 0}}};
	cn_straight falling = {{0.2, 0.3, 1}, {0.2, 0.3, -1}};
	CHECK(cn_vertex_triangle(&falling, triangle, 0, 1e-9, &touch));
	CHECK_NEAR(touch.time, 0.5, 1e-9);
	CHECK(touch.time <= 0.5);
	CHECK_NEAR(touch.n.z, -1, 1e-12);
	CHECK_NEAR(touch.weights[1], 0.5, 1e-9);
	CHECK_NEAR(touch.weights[2], 0.2, 1e-9);
	CHECK_NEAR(touch.weights[3], 0.3, 1e-9);
	CHECK(cn_vertex_triangle(&falling, triangle, 0.1, 1e-9, &touch));
	CHECK_NEAR(touch.time, 0.45, 1e-9);
	CHECK(cn_vertex_triangle(&falling, triangle, 1.5, 1e-9, &touch)); /* below the thickness from the start */
	CHECK(touch.time == 0);
	cn_straight aside = {{0.2, -0.1, 1}, {0.2, -0.1, -1}};
	CHECK(!cn_vertex_triangle(&aside, triangle, 0.0999, 1e-9, &touch));
	CHECK(touch.time == 1);
	CHECK(cn_vertex_triangle(&aside, triangle, 0.1001, 1e-9, &touch));
	/* sliding over the face at a height just above the thickness, and just below it from outside */
	cn_straight sliding = {{-1, 0.2, 1e-3}, {2, 0.2, 1e-3}};
	CHECK(!cn_vertex_triangle(&sliding, triangle, 0.999e-3, 1e-7, &touch));
	CHECK(cn_vertex_triangle(&sliding, triangle, 1.001e-3, 1e-7, &touch));
	CHECK_NEAR(touch.time, 1.0 / 3, 1e-4);
	/* a plane that turns by a right angle about a line, a vertex at rest near that line, never nearer than 1e-3 */
	cn_straight swung[3] = {{{-1, 0, 0}, {-1, 0, 0}}, {{1, 0, 0}, {1, 0, 0}}, {{0, 1, 0}, {0, 0, 1}}};
	cn_straight waiting = {{0, -1e-3, 0}, {0, -1e-3, 0}};
	CHECK(!cn_vertex_triangle(&waiting, swung, 0.99e-3, 1e-6, &touch));
	/* edges that cross in the middle, and parallel ones */
	cn_straight one[2] = {{{-1, 0, 0}, {-1, 0, 0}}, {{1, 0, 0}, {1, 0, 0}}};
	cn_straight other[2] = {{{0, -1, 2}, {0, -1, -2}}, {{0, 1, 2}, {0, 1, -2}}};
	CHECK(cn_edge_edge(one, other, 0, 1e-9, &touch));
	CHECK_NEAR(touch.time, 0.5, 1e-9);
	CHECK_NEAR(fabs(touch.n.z), 1, 1e-9);
	CHECK_NEAR(touch.weights[0], 0.5, 1e-9);
	CHECK_NEAR(touch.weights[2], 0.5, 1e-9);
	cn_straight beside[2] = {{{-3, 0, 1}, {-3, 0, -1}}, {{3, 0, 1}, {3, 0, -1}}};
	CHECK(cn_edge_edge(one, beside, 0.01, 1e-9, &touch));
	CHECK_NEAR(touch.time, 0.495, 1e-8);
}

/* Distances against a search over one parameter that needs no case distinction. */
TEST(distances)
{
	seed = 5;
	double worst = 0;
	for (int i = 0; i < CASES / 10; ++i) {
		motion m = draw_degenerate(i % 2);
		v3 p[4], n;
		double weights[4], found, low = 0, high = 1, best = INFINITY;
		for (int k = 0; k < 4; ++k)
			p[k] = m.path[k].from;
		found = m.edges ? cn_edge_edge_distance(p, p + 2, &n, weights)
		                : cn_vertex_triangle_distance(p[0], p + 1, &n, weights);
		/* to a segment that runs through the triangle, or from a point on an edge: convex in where that is */
		for (int k = 0; k < 100; ++k) {
			double s = low + (high - low) / 3, t = high - (high - low) / 3, ds, dt;
			if (m.edges) {
				ds = point_segment(v3_lerp(p[0], p[1], s), p[2], p[3]);
				dt = point_segment(v3_lerp(p[0], p[1], t), p[2], p[3]);
			} else {
				ds = point_segment(p[0], v3_lerp(p[1], p[2], s), v3_lerp(p[1], p[3], s));
				dt = point_segment(p[0], v3_lerp(p[1], p[2], t), v3_lerp(p[1], p[3], t));
			}
			if (ds < dt)
				high = t;
			else
				low = s;
			best = ds < best ? ds : best;
			best = dt < best ? dt : best;
		}
		worst = fabs(found - best) > worst ? fabs(found - best) : worst;
		CHECK(fabs(v3_length(n) - 1) < 1e-12);
	}
	CHECK(worst < 1e-7); /* the search itself is no better */
}

TEST(distances_of_triangles)
{
	v3 a[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, b[3] = {{0.2, 0.2, -1}, {0.2, 0.2, 1}, {3, 3, 0}};
	CHECK(cn_triangle_triangle_distance(a, b) == 0); /* crossing without a corner in the other */
	for (int k = 0; k < 3; ++k)
		b[k].z += 1.5;
	CHECK_NEAR(cn_triangle_triangle_distance(a, b), 0.5, 1e-15);
	v3 c[3] = {{0, 0, 2}, {1, 0, 2}, {0, 1, 2}};
	CHECK_NEAR(cn_triangle_triangle_distance(a, c), 2, 1e-15);
}

/* Meshes. */

enum { POINTS = 600, TRIANGLES = 1200 };

typedef struct mesh {
	v3 points[POINTS];
	uint32_t triangles[3 * TRIANGLES], point_count, triangle_count;
	cn_tree tree;
	double radius;
} mesh;

static void add_triangle(mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *t = &m->triangles[3 * m->triangle_count++];
	t[0] = a, t[1] = b, t[2] = c;
}

static void make_torus(mesh *m, uint32_t around, uint32_t across, double large, double small)
{
	*m = (mesh){.point_count = around * across};
	for (uint32_t i = 0; i < around; ++i)
		for (uint32_t k = 0; k < across; ++k) {
			double sa, ca, sb, cb;
			cn_sincos(2 * CN_PI * i / around, &sa, &ca);
			cn_sincos(2 * CN_PI * k / across, &sb, &cb);
			double r = large + small * cb;
			m->points[i * across + k] = v3_make(r * ca, r * sa, small * sb);
			uint32_t p = i * across + k, q = i * across + (k + 1) % across;
			uint32_t s = (i + 1) % around * across + k, u = (i + 1) % around * across + (k + 1) % across;
			add_triangle(m, p, s, q);
			add_triangle(m, q, s, u);
		}
}

/* A box of n x n squares a side, each point moved at random; sides are not joined, which a surface need not be. */
static void make_box(mesh *m, uint32_t n, v3 half, double bump)
{
	*m = (mesh){.point_count = 0};
	for (int side = 0; side < 6; ++side) {
		int axis = side / 2;
		double sign = side % 2 ? 1 : -1;
		uint32_t base = m->point_count;
		for (uint32_t i = 0; i <= n; ++i)
			for (uint32_t k = 0; k <= n; ++k) {
				double c[3], u = 2.0 * i / n - 1, v = 2.0 * k / n - 1;
				c[axis] = sign, c[(axis + 1) % 3] = u, c[(axis + 2) % 3] = v;
				double out = bump * fraction();
				m->points[m->point_count++] = v3_scale(v3_mul(half, v3_make(c[0], c[1], c[2])), 1 + out);
			}
		for (uint32_t i = 0; i < n; ++i)
			for (uint32_t k = 0; k < n; ++k) {
				uint32_t p = base + i * (n + 1) + k;
				add_triangle(m, p, p + 1, p + n + 1);
				add_triangle(m, p + 1, p + n + 2, p + n + 1);
			}
	}
}

static bool finish_mesh(mesh *m)
{
	cairn_allocator allocator = cairn_default_allocator();
	for (uint32_t i = 0; i < m->point_count; ++i)
		m->radius = v3_length(m->points[i]) > m->radius ? v3_length(m->points[i]) : m->radius;
	return cn_tree_build(&allocator, m->points, m->triangles, m->triangle_count, &m->tree);
}

static void drop_mesh(mesh *m)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_tree_free(&allocator, &m->tree);
}

static cn_mesh_mover mover_of(const mesh *m, v3 x0, v3 x1, quat q0, v3 turn)
{
	return (cn_mesh_mover){m->points, m->triangles, &m->tree, x0, x1, q0, turn, m->radius};
}

static void place_mesh(const cn_mesh_mover *m, uint32_t count, double t, v3 *out)
{
	quat q = q_mul(q_exp(v3_scale(m->turn, t)), m->q0);
	v3 x = v3_add(v3_scale(m->x0, 1 - t), v3_scale(m->x1, t));
	for (uint32_t i = 0; i < count; ++i)
		out[i] = v3_add(x, q_rotate(q, m->points[i]));
}

/* The distance of the surfaces at t, if it is below limit. */
static double mesh_distance(const mesh *ma, const cn_mesh_mover *a, const mesh *mb, const cn_mesh_mover *b, double t,
                            double limit)
{
	static v3 pa[POINTS], pb[POINTS];
	place_mesh(a, ma->point_count, t, pa);
	place_mesh(b, mb->point_count, t, pb);
	double best = limit;
	for (uint32_t i = 0; i < ma->triangle_count; ++i) {
		const uint32_t *ti = &ma->triangles[3 * i];
		v3 u[3] = {pa[ti[0]], pa[ti[1]], pa[ti[2]]};
		v3 low = v3_least(u[0], v3_least(u[1], u[2])), high = v3_most(u[0], v3_most(u[1], u[2]));
		for (uint32_t k = 0; k < mb->triangle_count; ++k) {
			const uint32_t *tk = &mb->triangles[3 * k];
			v3 v[3] = {pb[tk[0]], pb[tk[1]], pb[tk[2]]};
			if (v3_max(v3_sub(v3_least(v[0], v3_least(v[1], v[2])), high)) > best ||
			    v3_max(v3_sub(low, v3_most(v[0], v3_most(v[1], v[2])))) > best)
				continue;
			double d = cn_triangle_triangle_distance(u, v);
			best = d < best ? d : best;
		}
	}
	return best;
}

static void random_meshes(const mesh *ma, const mesh *mb, int runs, double speed)
{
	uint32_t most = 0;
	int reached = 0, freed = 0, closed = 0, spent = 0, late = 0, far = 0;
	for (int run = 0; run < runs; ++run) {
		v3 place = draw_v3(-3, 3), aim = draw_v3(-3, 3), axis_a = draw_v3(-1, 1), axis_b = draw_v3(-1, 1);
		double angle_a = 1.5 * fraction(), angle_b = 1.5 * fraction(), gap = fraction() < 0.5 ? 0.01 : 0;
		cn_mesh_mover a =
			mover_of(ma, v3_zero(), v3_scale(aim, 0.1), q_exp(axis_b), v3_scale(v3_unit(axis_a), angle_a));
		cn_mesh_mover b =
			mover_of(mb, place, v3_madd(aim, place, -speed), q_exp(axis_a), v3_scale(v3_unit(axis_b), angle_b));
		cn_sweep_options options = {.gap = gap, .tolerance = 2e-3, .budget = 2000000};
		cn_mesh_sweep_result result;
		cn_mesh_sweep(&a, &b, &options, &result);
		most = result.evaluations > most ? result.evaluations : most;
		reached += result.status == CN_SWEEP_REACHED;
		freed += result.status == CN_SWEEP_FREE;
		closed += result.status == CN_SWEEP_CLOSE;
		spent += result.status == CN_SWEEP_SPENT;
		/* proved up to the time: no sample before it is nearer than the gap */
		int samples = TEST_FEW ? 10 : 40;
		for (int i = 0; i <= samples; ++i) {
			double t = result.time * i / samples;
			if (result.status != CN_SWEEP_CLOSE && t <= result.time)
				late += !(mesh_distance(ma, &a, mb, &b, t, gap + 1e-3) >= gap - 1e-14) ||
				        (gap == 0 && mesh_distance(ma, &a, mb, &b, t, 1e-3) == 0);
		}
		double there = mesh_distance(ma, &a, mb, &b, result.time, 1);
		if (result.status == CN_SWEEP_REACHED)
			far += there > gap + 2 * options.tolerance;
		if (result.status == CN_SWEEP_CLOSE)
			far += there >= gap + 1e-12;
		if (result.status == CN_SWEEP_REACHED)
			CHECK_NEAR(v3_length(result.n), 1, 1e-12);
	}
	printf("meshes: %d reached, %d free, %d close, %d spent, at most %u evaluations\n", reached, freed, closed, spent,
	       most);
	CHECK(reached > runs / 8 && freed > runs / 20);
	CHECK_INT(spent, 0);
	CHECK_INT(late, 0);
	CHECK_INT(far, 0);
}

TEST(tumbling_meshes)
{
	seed = 6;
	static mesh torus, ring, rock;
	make_torus(&torus, 14, 8, 1, 0.35);
	make_torus(&ring, 20, 6, 0.8, 0.1);
	make_box(&rock, 4, v3_make(0.5, 0.4, 0.6), 0.2);
	REQUIRE(finish_mesh(&torus) && finish_mesh(&ring) && finish_mesh(&rock));
	random_meshes(&torus, &ring, TEST_FEW ? 10 : 60, 0.2);
	random_meshes(&torus, &rock, TEST_FEW ? 10 : 60, 0.2);
	random_meshes(&rock, &rock, TEST_FEW ? 10 : 60, 0.2);
	drop_mesh(&torus);
	drop_mesh(&ring);
	drop_mesh(&rock);
}

/* Plates of 1 mm that pass through each other between any samples. */
TEST(thin_plates)
{
	seed = 7;
	static mesh plate;
	make_box(&plate, 2, v3_make(1, 1, 0.0005), 0);
	REQUIRE(finish_mesh(&plate));
	cn_sweep_options options = {.gap = 1e-4, .tolerance = 1e-5, .budget = 1000000};
	cn_mesh_sweep_result result;
	cn_mesh_mover below = mover_of(&plate, v3_zero(), v3_zero(), q_identity(), v3_zero());
	cn_mesh_mover above = mover_of(&plate, v3_make(0.1, 0.2, 1), v3_make(0.1, 0.2, -1), q_identity(), v3_zero());
	cn_mesh_sweep(&below, &above, &options, &result);
	CHECK_INT(result.status, CN_SWEEP_REACHED);
	CHECK_NEAR(result.time, (1 - 0.001 - 1e-4) / 2, 1e-5);
	CHECK(result.time <= (1 - 0.001 - 1e-4) / 2);
	CHECK_NEAR(result.n.z, 1, 1e-9);
	/* edge on, one standing on the other: it passes through in 1/2000 of the time */
	above.q0 = q_exp(v3_make(CN_PI / 2, 0, 0));
	above.x0 = v3_make(0, 0, 3), above.x1 = v3_make(0, 0, -3);
	cn_mesh_sweep(&below, &above, &options, &result);
	CHECK_INT(result.status, CN_SWEEP_REACHED);
	CHECK_NEAR(result.time, (2 - 0.0005 - 1e-4) / 6, 1e-5);
	/* beside it, and turning as it falls: free */
	above.x0 = v3_make(3.5, 0, 3), above.x1 = v3_make(3.5, 0, -3);
	above.turn = v3_make(0.7, 0.5, 1);
	cn_mesh_sweep(&below, &above, &options, &result);
	CHECK_INT(result.status, CN_SWEEP_FREE);
	CHECK(result.time == 1);
	/* crossing at the start, without a corner in the other */
	above.x0 = v3_make(0.1, 0.3, 0.2);
	cn_mesh_sweep(&below, &above, &options, &result);
	CHECK_INT(result.status, CN_SWEEP_CLOSE);
	CHECK(result.time == 0);
	/* a swinging plate sweeps an arc: its corner hits what its chord would miss */
	cn_mesh_mover swung = mover_of(&plate, v3_zero(), v3_zero(), q_identity(), v3_make(0, 0, 1.5));
	cn_mesh_mover post = mover_of(&plate, v3_make(2.39, 0, 0), v3_make(2.39, 0, 0), q_identity(), v3_zero());
	cn_mesh_sweep(&swung, &post, &options, &result);
	CHECK_INT(result.status, CN_SWEEP_REACHED); /* 1.39 from the centre; the corner comes by at sqrt 2 */
	CHECK(result.time > 0.3996 && result.time < 0.4001);
	options.budget = 10;
	cn_mesh_sweep(&swung, &post, &options, &result);
	CHECK_INT(result.status, CN_SWEEP_SPENT);
	CHECK(result.time < CN_PI / 4 / 1.5);
	CHECK(result.evaluations <= 11);
	drop_mesh(&plate);
}

/* Far from the origin the same motion has the same answer: all numbers here are multiples of 2^-20, so that nothing is
 * lost by moving both. */
TEST(far_meshes)
{
	seed = 77;
	static mesh rock;
	make_box(&rock, 2, v3_make(0.5, 0.4, 0.3), 0.1);
	REQUIRE(finish_mesh(&rock));
	int reached = 0, freed = 0;
	for (int i = 0; i < (TEST_FEW ? 10 : 40); ++i) {
		v3 x[4], turn[2];
		for (int k = 0; k < 4; ++k) {
			v3 r = draw_v3(-1, 1);
			x[k] = v3_make(floor(r.x * 1048576) / 1048576, floor(r.y * 1048576) / 1048576,
			               k < 2    ? 0
			               : k == 2 ? 1.5
			                        : 0.75);
		}
		turn[0] = draw_v3(-1, 1);
		turn[1] = draw_v3(-1, 1);
		cn_sweep_options options = {.gap = 1e-3, .tolerance = 1e-5, .budget = 1000000};
		cn_mesh_sweep_result near, far;
		cn_mesh_mover a = mover_of(&rock, x[0], x[1], q_identity(), turn[0]);
		cn_mesh_mover b = mover_of(&rock, x[2], x[3], q_identity(), turn[1]);
		cn_mesh_sweep(&a, &b, &options, &near);
		v3 off = v3_make(1073741824, -536870912, 268435456);
		a.x0 = v3_add(a.x0, off), b.x0 = v3_add(b.x0, off);
		off = v3_make(off.x + 1048576, off.y, off.z); /* and both go a long way */
		a.x1 = v3_add(a.x1, off), b.x1 = v3_add(b.x1, off);
		cn_mesh_sweep(&a, &b, &options, &far);
		CHECK(near.status == far.status && near.time == far.time && near.evaluations == far.evaluations);
		reached += near.status == CN_SWEEP_REACHED, freed += near.status == CN_SWEEP_FREE;
	}
	CHECK(reached > 0 && freed > 0);
	drop_mesh(&rock);
}

TEST_MAIN(TEST_CASE(vertex_triangle_random), TEST_CASE(edge_edge_random), TEST_CASE(degenerate),
          TEST_CASE(far_from_the_origin), TEST_CASE(constructed), TEST_CASE(distances),
          TEST_CASE(distances_of_triangles), TEST_CASE(tumbling_meshes), TEST_CASE(thin_plates), TEST_CASE(far_meshes))
