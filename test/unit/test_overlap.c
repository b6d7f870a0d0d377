/* The independent check at rest against slower ones: separation over all axes and all pairs of features in long double,
 * gaps that are known by construction, axes found by climbing. */
#include "overlap_things.h"

static const double gaps[] = {0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, 0.1, -0.1, 1};

static int widened, undecided, pairs;

/* What may be said of a gap that is known. */
static bool truthful(const cn_overlap_answer *x, real gap, double scale)
{
	real dust = 1e-18L * scale;
	bool fine = x->least <= gap + dust && x->most >= gap - dust && isfinite(x->least) && isfinite(x->bound);
	switch (x->verdict) {
	case CN_APART: fine = fine && gap > 0; break;
	case CN_OVERLAPPING: fine = fine && gap < 0; break;
	case CN_TOUCHING: fine = fine && fabsl(gap) <= 1.5L * x->bound; break;
	case CN_UNPROVED: break;
	}
	return fine;
}

static void look_at(const thing *a, pose pa, const thing *b, pose pb, real gap, const char *what)
{
	cn_overlap_answer x;
	cn_overlap_pose(a->solid, pa, b->solid, pb, NULL, &x);
	double usual = 32 * DBL_EPSILON * (0.5 * v3_distance(pa.position, pb.position) + 100 * (a->size + b->size));
	bool fine = truthful(&x, gap, 1 + v3_distance(pa.position, pb.position));
	double size = a->size < b->size ? a->size : b->size;
	bool mesh = a->shape.def.kind == CAIRN_MESH || b->shape.def.kind == CAIRN_MESH;
	if (fabsl(gap) > 2 * usual && x.verdict == CN_TOUCHING)
		++widened;
	if (!mesh && gap < 10 * size && gap - x.least > 1e-9 * size + 2 * x.bound)
		fine = false;
	if (!mesh && gap > 0 && gap - x.least > 0.5L * gap + 2 * x.bound)
		fine = false;
	if (!mesh && gap > 0 && gap < 10 * size && x.most - gap > 1e-9 * size + 2 * x.bound)
		fine = false;
	undecided += x.verdict == CN_UNPROVED;
	++pairs;
	if (!fine || x.verdict == CN_UNPROVED) {
		++test_failures;
		printf("%s: kinds %d %d gap %g least %g (%g) most %g (%g) verdict %d bound %g\n", what, a->shape.def.kind,
		       b->shape.def.kind, (double)gap, x.least, (double)(gap - x.least), x.most, (double)(x.most - gap),
		       x.verdict, x.bound);
	}
}

static void no_doubt(const char *what)
{
	if (widened || undecided) {
		++test_failures;
		printf("%s: of %d pairs %d widened, %d undecided\n", what, pairs, widened, undecided);
	}
	widened = undecided = pairs = 0;
}

/* One random pair of kinds below `kinds`, at a gap of the list times the smaller size. */
static void random_pair(uint32_t kinds, double scale_a, double scale_b, double away, const char *what)
{
	thing a, b;
	uint32_t ka = below(kinds), kb = below(kinds);
	make_any(&a, ka, scale_a);
	make_any(&b, kb, scale_b);
	pose pa = {v3_scale(in_cube(), away), rotation()};
	quat q = rotation();
	uint32_t how = below(3);
	v3 n = how == 0 ? direction() : how == 1 ? some_normal(&a, pa.orientation) : v3_neg(some_normal(&b, q));
	double gap = gaps[below(CN_COUNT(gaps))] * (scale_a < scale_b ? scale_a : scale_b);
	pose pb = beside(&a, pa, &b, q, n, gap);
	look_at(&a, pa, &b, pb, slow_gap(&a, pa, &b, pb), what);
	drop(&a);
	drop(&b);
}

TEST(random_pairs)
{
	state = 7;
	for (int i = 0; i < FEWER(20000); ++i)
		random_pair(4, 1, 1, 1, "random");
	no_doubt("random");
}

TEST(far_away)
{
	state = 8;
	for (int i = 0; i < FEWER(5000); ++i)
		random_pair(4, 1, 1, 1e6, "far away");
	no_doubt("far away");
}

TEST(unequal)
{
	state = 9;
	for (int i = 0; i < FEWER(5000); ++i) {
		random_pair(4, 1, 1e-5, 1, "unequal");
		random_pair(4, 1e5, 1, 1, "unequal");
		random_pair(4, 1e-6, 1e-6, 1e-6, "tiny");
	}
	no_doubt("unequal");
}

/* Aligned boxes and hulls of grid points: parallel faces and edges, corners on corners, everything degenerate. */
TEST(aligned)
{
	static const double steps[] = {-1, -0.5, 0, 0.25, 0.5, 1, 1.5};
	static const double offs[] = {0, 0, 0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3};
	state = 10;
	for (int i = 0; i < FEWER(8000); ++i) {
		thing a, b;
		double side = below(2) ? 1 : 0.5;
		make_box(&a, v3_make(1, 1, 1));
		make_box(&b, v3_make(side, side, 1));
		v3 at = v3_make(steps[below(7)], steps[below(7)], steps[below(7)]);
		at.x += offs[below(10)], at.y += offs[below(10)], at.z += offs[below(10)];
		quat q = rotation(), quarter = {sqrt(0.5), 0, 0, sqrt(0.5)};
		uint32_t how = below(4);
		quat turn = how == 0 ? q_identity() : how == 1 ? quarter : q;
		pose pa = {v3_make(0.1, 0.2, 0.3), turn};
		pose pb = {v3_add(pa.position, how == 3 ? q_rotate(q, at) : at), how == 2 ? q_identity() : turn};
		look_at(&a, pa, &b, pb, slow_gap(&a, pa, &b, pb), "aligned");
		drop(&a);
		drop(&b);
	}
	no_doubt("aligned");
}

/* Boxes that overlap, turned against each other by anything from a radian to less than the last digit: the depth is known to
 * rounding. */
TEST(boxes)
{
	state = 17;
	for (int i = 0; i < FEWER(20000); ++i) {
		thing a, b;
		double far = 1e-6 * pow(10, 12 * between(0, 1) * (double)below(2)), flat = pow(10, -4 * between(0, 1));
		v3 half_a = v3_make(between(0.1, 1), between(0.1, 1), flat),
		   half_b = v3_make(between(0.1, 1), flat, between(0.1, 1));
		make_box(&a, v3_scale(half_a, 2));
		make_box(&b, v3_scale(half_b, 2));
		quat q = below(2) ? rotation() : q_identity();
		v3 turn = below(3) ? v3_scale(direction(), pow(10, -18 * between(0, 1)))
		                   : v3_scale(v3_make(0, 0, 1), pow(10, -18 * between(0, 1)));
		pose pa = {v3_scale(in_cube(), far), q};
		pose pb = {v3_add(pa.position, v3_scale(direction(), between(0, 1))), q_unit(q_mul(q_exp(turn), q))};
		real gap = slow_gap(&a, pa, &b, pb);
		look_at(&a, pa, &b, pb, gap, "boxes");
		cn_overlap_answer x;
		cn_overlap_pose(a.solid, pa, b.solid, pb, NULL, &x);
		if (gap < -3 * x.bound) {
			CHECK(x.verdict == CN_OVERLAPPING);
			CHECK(x.most - x.least <= 2 * x.bound + 1e-15);
			CHECK(gap - x.least <= x.bound);
		}
		drop(&a);
		drop(&b);
	}
	no_doubt("boxes");
}

/* Needles and plates: extents of 1 and 1e-4 or less. */
TEST(thin)
{
	state = 11;
	for (int i = 0; i < FEWER(10000); ++i) {
		thing a, b;
		double x = below(2) ? 1 : 1e-4, y = below(2) ? 1 : 1e-5, z = below(2) ? 1 : 1e-3;
		v3 scale = v3_make(x, y, z);
		uint32_t which = below(3), corners = 4 + below(8);
		if (which == 0)
			make_box(&a, scale);
		else
			make_cloud(&a, corners, scale, false);
		make_any(&b, below(4), 1);
		pose pa = {in_cube(), rotation()};
		quat q = below(2) ? rotation() : pa.orientation;
		v3 n = below(2) ? direction() : some_normal(&a, pa.orientation);
		double gap = gaps[below(CN_COUNT(gaps))];
		pose pb = beside(&a, pa, &b, q, n, below(2) ? gap : gap * a.size);
		look_at(&a, pa, &b, pb, slow_gap(&a, pa, &b, pb), "thin");
		drop(&a);
		drop(&b);
	}
	no_doubt("thin");
}

TEST(nested)
{
	state = 12;
	for (int i = 0; i < FEWER(5000); ++i) {
		thing a, b;
		make_any(&a, below(4), 1);
		double scale = below(2) ? 1 : 1e-3;
		make_any(&b, below(4), scale);
		pose pa = {in_cube(), rotation()};
		v3 off = v3_scale(in_cube(), below(3) * 0.1);
		pose pb = {v3_add(pa.position, off), rotation()};
		look_at(&a, pa, &b, pb, slow_gap(&a, pa, &b, pb), "nested");
		drop(&a);
		drop(&b);
	}
	no_doubt("nested");
}

/* Cylinders against everything at gaps that are known: the supports are opposite each other along n, so that where they
 * are apart the gap is the distance of two points with a plane between. */
TEST(cylinders)
{
	state = 13;
	for (int i = 0; i < FEWER(10000); ++i) {
		thing a, b;
		make_any(&a, 5, below(2) ? 1 : 10);
		make_any(&b, below(6) == 4 ? 5 : below(6), 1);
		if (b.shape.def.kind == CAIRN_MESH) {
			drop(&a);
			drop(&b);
			continue;
		}
		pose pa = {in_cube(), rotation()};
		quat q = below(3) ? rotation() : pa.orientation;
		uint32_t how = below(4);
		v3 axis = q_rotate(pa.orientation, v3_make(0, 0, below(2) ? 1 : -1)), n = direction();
		if (how == 0)
			n = axis;
		if (how == 1)
			n = v3_unit(v3_madd(n, axis, -v3_dot(n, axis)));
		if (how == 2)
			n = v3_neg(some_normal(&b, q));
		double gap = fabs(gaps[below(CN_COUNT(gaps))]);
		bool swap = below(2);
		pose pb = beside(&a, pa, &b, q, n, gap);
		cn_overlap_answer x;
		if (swap)
			cn_overlap_pose(b.solid, pb, a.solid, pa, NULL, &x);
		else
			cn_overlap_pose(a.solid, pa, b.solid, pb, NULL, &x);
		double e = 1e-14 * (1 + v3_distance(pa.position, pb.position)), wide = 1e-8 * (1 + gap);
		bool fine = x.least <= gap + e && x.most >= gap - e && gap - x.least < wide && x.most - gap < wide;
		fine = fine && x.verdict == (gap > 1e-13 ? CN_APART : CN_TOUCHING);
		undecided += x.verdict == CN_UNPROVED;
		++pairs;
		if (!fine) {
			++test_failures;
			printf("cylinder: kinds %d %d how %d gap %g least %g (%g) most %g (%g) verdict %d bound %g\n",
			       a.shape.def.kind, b.shape.def.kind, how, gap, x.least, gap - x.least, x.most, x.most - gap,
			       x.verdict, x.bound);
		}
		drop(&a);
		drop(&b);
	}
	no_doubt("cylinders");
}

/* max n.x - min n.y of what is placed, in long double, for kinds that have no corners too. */
static real reach_along(const thing *t, quat q, r3 n)
{
	r3 x = turned(q, v3_make(1, 0, 0)), y = turned(q, v3_make(0, 1, 0)), z = turned(q, v3_make(0, 0, 1));
	real lx = r3_dot(x, n), ly = r3_dot(y, n), lz = r3_dot(z, n), most = -INFINITY;
	if (t->shape.def.kind == CAIRN_CYLINDER)
		return sqrtl(lx * lx + ly * ly) * t->shape.def.radius + fabsl(lz) * 0.5L * t->shape.def.length;
	for (uint32_t i = 0; i < t->corner_count; ++i) {
		real h = t->points[i].x * lx + t->points[i].y * ly + t->points[i].z * lz;
		most = h > most ? h : most;
	}
	return most + t->round;
}

static real gap_along(const thing *a, pose pa, const thing *b, pose pb, r3 n)
{
	r3 d = {(real)pb.position.x - pa.position.x, (real)pb.position.y - pa.position.y,
	        (real)pb.position.z - pa.position.z};
	real l = r3_length(n);
	n = r3_scale(n, 1 / l);
	return r3_dot(n, d) - reach_along(a, pa.orientation, n) - reach_along(b, pb.orientation, r3_scale(n, -1));
}

/* Climbs from an axis by random steps that shrink: what it finds is a lower bound of the gap. */
static real climb(const thing *a, pose pa, const thing *b, pose pb, v3 from)
{
	r3 n = {from.x, from.y, from.z};
	real best = gap_along(a, pa, b, pb, n);
	for (double size = 0.5; size > 1e-9; size *= 0.9) {
		v3 d = in_cube();
		r3 to = {n.x + size * d.x, n.y + size * d.y, n.z + size * d.z};
		real s = gap_along(a, pa, b, pb, to), l = r3_length(to);
		if (s > best)
			best = s, n = r3_scale(to, 1 / l);
	}
	return best;
}

/* No answer is contradicted by an axis that anyone can find, and every axis proves what it is said to prove. */
TEST(contradiction)
{
	state = 25;
	int seen[4] = {0};
	for (int i = 0; i < FEWER(4000); ++i) {
		thing a, b;
		uint32_t ka = below(2) ? 5 : below(4), kb = below(4);
		make_any(&a, ka, below(4) ? 1 : 20);
		make_any(&b, kb == 1 ? 5 : kb, 1);
		pose pa = {in_cube(), rotation()};
		quat q = below(3) ? rotation() : pa.orientation;
		v3 axis = q_rotate(pa.orientation, v3_make(0, 0, 1)), n = direction();
		if (below(3) == 0)
			n = v3_unit(v3_madd(n, axis, -v3_dot(n, axis)));
		double gap = gaps[below(CN_COUNT(gaps))];
		pose pb = beside(&a, pa, &b, q, n, gap);
		if (below(4) == 0)
			pb.position = v3_madd(pa.position, in_cube(), 0.5);
		cn_overlap_answer x;
		cn_overlap_pose(a.solid, pa, b.solid, pb, NULL, &x);
		++seen[x.verdict];
		real said = gap_along(&a, pa, &b, pb, (r3){x.n.x, x.n.y, x.n.z});
		real found = climb(&a, pa, &b, pb, x.n), other = climb(&a, pa, &b, pb, direction());
		real best = found > other ? found : other;
		bool fine = said >= x.least && best <= x.most && x.verdict != CN_UNPROVED;
		fine = fine && (x.verdict != CN_APART || said > 0) && (x.verdict != CN_OVERLAPPING || best < 0);
		/* and the axis is as good as any */
		fine = fine && best - x.least <= 1e-8L * (1 + fabsl(best)) + 2 * x.bound;
		if (!fine) {
			++test_failures;
			printf("contradiction: kinds %d %d verdict %d least %g most %g bound %g, its axis gives %g, climbing %g\n",
			       a.shape.def.kind, b.shape.def.kind, x.verdict, x.least, x.most, x.bound, (double)said, (double)best);
		}
		drop(&a);
		drop(&b);
	}
	CHECK(seen[CN_APART] > 0 && seen[CN_TOUCHING] > 0 && seen[CN_OVERLAPPING] > 0);
}

/* Convex solids given as meshes: the verdict is that of the hulls, the distance that of the surfaces. */
TEST(meshes)
{
	state = 14;
	int seen[4] = {0};
	for (int i = 0; i < FEWER(1500); ++i) {
		thing a, b;
		make_any(&a, 4, 1);
		make_any(&b, below(5), below(3) ? 1 : 0.2);
		pose pa = {in_cube(), rotation()};
		quat q = rotation();
		v3 n = below(2) ? direction() : some_normal(&a, pa.orientation);
		pose pb = beside(&a, pa, &b, q, n, gaps[below(CN_COUNT(gaps))]);
		if (below(4) == 0)
			pb.position = v3_add(pa.position, v3_scale(in_cube(), 0.1));
		real gap = slow_gap(&a, pa, &b, pb);
		cn_overlap_answer x, y;
		cn_overlap_pose(a.solid, pa, b.solid, pb, NULL, &x);
		cn_overlap_pose(b.solid, pb, a.solid, pa, NULL, &y);
		++seen[x.verdict];
		bool fine = x.verdict == y.verdict;
		if (x.verdict == CN_APART)
			fine = fine && gap > 0 && x.least <= gap && x.most >= gap && gap - x.least < 1e-9;
		if (x.verdict == CN_OVERLAPPING)
			fine = fine && gap < 0;
		if (x.verdict == CN_TOUCHING)
			fine = fine && fabsl(gap) < 1.5L * x.bound;
		if (!fine || (x.verdict == CN_UNPROVED && fabsl(gap) > 1e-13L)) {
			++test_failures;
			printf("mesh: kinds %d %d gap %g verdicts %d %d least %g most %g bound %g\n", a.shape.def.kind,
			       b.shape.def.kind, (double)gap, x.verdict, y.verdict, x.least, x.most, x.bound);
		}
		drop(&a);
		drop(&b);
	}
	CHECK(seen[CN_APART] > 0 && seen[CN_TOUCHING] > 0 && seen[CN_OVERLAPPING] > 0);
	CHECK_INT(seen[CN_UNPROVED], 0);
}

/* An L of two boxes, not convex, against convex things: the nearer box decides. */
TEST(concave)
{
	static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
	static const uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
	thing l = {.shape.def = {.kind = CAIRN_MESH}, .corner_count = 12, .size = 1}, bars[2];
	for (uint32_t i = 0; i < 6; ++i) {
		l.points[i] = v3_make(outline[i][0], outline[i][1], 0);
		l.points[i + 6] = v3_make(outline[i][0], outline[i][1], 1);
		set_triangle(&l, i, (i + 1) % 6, (i + 1) % 6 + 6);
		set_triangle(&l, i, (i + 1) % 6 + 6, i + 6);
	}
	for (int i = 0; i < 4; ++i) {
		set_triangle(&l, cap[i][2], cap[i][1], cap[i][0]);
		set_triangle(&l, cap[i][0] + 6, cap[i][1] + 6, cap[i][2] + 6);
	}
	finish(&l);
	make_box(&bars[0], v3_make(2, 1, 1));
	make_box(&bars[1], v3_make(1, 2, 1));
	state = 26;
	int seen[4] = {0};
	for (int i = 0; i < FEWER(1500); ++i) {
		thing b;
		make_any(&b, below(5), below(2) ? 0.3 : 1);
		v3 at = in_cube();
		pose pa = {in_cube(), rotation()},
			 pb = {v3_add(pa.position, q_rotate(pa.orientation, v3_scale(at, 2.5))), rotation()};
		pose p0 = {pose_apply(pa, v3_make(1, 0.5, 0.5)), pa.orientation};
		pose p1 = {pose_apply(pa, v3_make(0.5, 1, 0.5)), pa.orientation};
		real g0 = slow_gap(&bars[0], p0, &b, pb), g1 = slow_gap(&bars[1], p1, &b, pb), gap = g0 < g1 ? g0 : g1;
		cn_overlap_answer x;
		cn_overlap_pose(l.solid, pa, b.solid, pb, NULL, &x);
		++seen[x.verdict];
		bool fine = x.verdict == (gap > 0 ? CN_APART : CN_OVERLAPPING) || fabsl(gap) < 1e-12L;
		if (gap > 0)
			fine = fine && fabsl(gap - x.least) < 1e-9L && x.most >= gap - 1e-15L;
		if (!fine) {
			++test_failures;
			printf("concave: kind %d gap %g verdict %d least %g most %g\n", b.shape.def.kind, (double)gap, x.verdict,
			       x.least, x.most);
		}
		drop(&b);
	}
	CHECK(seen[CN_APART] > 0 && seen[CN_OVERLAPPING] > 0);
	drop(&l);
	drop(&bars[0]);
	drop(&bars[1]);
}

/* Aligned cubes given as meshes: nothing crosses properly, and yet they overlap, or touch, or hold each other. */
TEST(aligned_meshes)
{
	thing a, b, small, shell, ball;
	make_cube_mesh(&a, 1, false);
	make_cube_mesh(&b, 1, false);
	make_cube_mesh(&small, 0.25, false);
	make_cube_mesh(&shell, 1, true);
	make_round(&ball, CAIRN_SPHERE, 0.2, 0);
	CHECK_INT(verdict_at(&a, &b, v3_make(0.5, 0, 0)), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&a, &b, v3_make(0.5, 0.5, 0)), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&a, &b, v3_make(1, 0, 0)), CN_TOUCHING);
	CHECK_INT(verdict_at(&a, &b, v3_make(1, 0.5, 0)), CN_TOUCHING);
	CHECK_INT(verdict_at(&a, &b, v3_make(1, 1, 0)), CN_TOUCHING);
	CHECK_INT(verdict_at(&a, &b, v3_make(1 + 1e-9, 0, 0)), CN_APART);
	CHECK(verdict_at(&a, &b, v3_make(1 - 1e-9, 0.3, 0.2)) == CN_OVERLAPPING);
	CHECK_INT(verdict_at(&a, &small, v3_zero()), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&small, &a, v3_make(0.1, 0, 0)), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&a, &ball, v3_zero()), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&ball, &a, v3_zero()), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&shell, &small, v3_zero()), CN_APART); /* a thing in a shell */
	CHECK_INT(verdict_at(&shell, &ball, v3_zero()), CN_APART);
	CHECK_INT(verdict_at(&shell, &ball, v3_make(0.4, 0, 0)), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&shell, &ball, v3_make(0.7, 0, 0)), CN_TOUCHING);
	CHECK_INT(verdict_at(&shell, &shell, v3_make(0.5, 0.3, 0.2)), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&shell, &shell, v3_make(1, 0.3, 0.2)), CN_TOUCHING);
	CHECK_INT(verdict_at(&a, &shell, v3_make(3, 0, 0)), CN_APART);
	drop(&a);
	drop(&b);
	drop(&small);
	drop(&shell);
	drop(&ball);
}

TEST(halfspaces)
{
	state = 15;
	for (int i = 0; i < FEWER(2000); ++i) {
		thing a, b;
		v3 normal = direction();
		double offset = uniform();
		make_halfspace(&a, normal, offset);
		uint32_t kind = below(6);
		make_any(&b, kind, 1);
		pose pa = {in_cube(), rotation()};
		quat q = rotation();
		v3 n = q_rotate(pa.orientation, normal);
		double gap = gaps[below(CN_COUNT(gaps))];
		v3 on = v3_add(pa.position, v3_scale(n, offset + gap));
		pose pb = {v3_sub(on, support(&b, q, v3_neg(n))), q};
		cn_overlap_answer x, y;
		cn_overlap_pose(a.solid, pa, b.solid, pb, NULL, &x);
		cn_overlap_pose(b.solid, pb, a.solid, pa, &n, &y);
		CHECK_NEAR(x.least, gap, 4e-14);
		CHECK_NEAR(y.least, gap, 4e-14);
		CHECK_INT(x.verdict, gap > 1e-13 ? CN_APART : gap < -1e-13 ? CN_OVERLAPPING : CN_TOUCHING);
		CHECK_INT(y.verdict, x.verdict);
		CHECK(v3_distance(x.n, v3_neg(y.n)) < 1e-15 && v3_distance(x.n, n) < 1e-14);
		drop(&a);
		drop(&b);
	}
}

/* 1e-6 of an edge decides. */
TEST(cubes)
{
	thing a, b;
	make_box(&a, v3_make(1, 1, 1));
	make_box(&b, v3_make(1, 1, 1));
	CHECK_INT(verdict_at(&a, &b, v3_make(1 - 1e-6, 0.2, 0.1)), CN_OVERLAPPING);
	CHECK_INT(verdict_at(&a, &b, v3_make(1 + 1e-6, 0.2, 0.1)), CN_APART);
	CHECK_INT(verdict_at(&a, &b, v3_make(1, 0.2, 0.1)), CN_TOUCHING);
	CHECK_INT(verdict_at(&a, &b, v3_make(1, 1, 1)), CN_TOUCHING);
	CHECK_INT(verdict_at(&a, &b, v3_zero()), CN_OVERLAPPING);
	drop(&a);
	drop(&b);
}

TEST(wrong_hints)
{
	state = 16;
	for (int i = 0; i < FEWER(5000); ++i) {
		thing a, b;
		uint32_t ka = below(6), kb = below(6);
		make_any(&a, ka, 1);
		make_any(&b, kb, 1);
		pose pa = {in_cube(), rotation()};
		quat q = rotation();
		v3 n = direction();
		pose pb = beside(&a, pa, &b, q, n, gaps[below(CN_COUNT(gaps))]);
		const v3 hints[] = {{NAN, 0, 0},      {INFINITY, 1, 0},  {0, 0, 0}, {1e-300, 0, 0}, {1e300, 1e300, 0},
		                    v3_scale(n, 1e6), v3_scale(n, 1e-6), v3_neg(n), direction(),    n};
		cn_overlap_answer x, y;
		cn_overlap_pose(a.solid, pa, b.solid, pb, NULL, &x);
		for (size_t h = 0; h < CN_COUNT(hints); ++h) {
			cn_overlap_pose(a.solid, pa, b.solid, pb, &hints[h], &y);
			bool unsure = x.verdict == CN_UNPROVED || y.verdict == CN_UNPROVED;
			bool close = fabs(x.least) < 4 * x.bound || fabs(y.least) < 4 * y.bound; /* at the edge of the bound */
			if (x.verdict != y.verdict && !unsure && !close) {
				++test_failures;
				printf("hint %d: %d %d, least %g %g\n", (int)h, x.verdict, y.verdict, x.least, y.least);
			}
			undecided += unsure;
			if (unsure)
				printf("hint %d: kinds %d %d verdicts %d %d least %g %g most %g %g bound %g\n", (int)h,
				       a.shape.def.kind, b.shape.def.kind, x.verdict, y.verdict, x.least, y.least, x.most, y.most,
				       x.bound);
			if (v3_finite(y.n) && isfinite(y.least) && y.least <= y.most)
				continue;
			++test_failures;
			printf("hint %d: least %g most %g\n", (int)h, y.least, y.most);
		}
		cn_overlap_pose(a.solid, pa, b.solid, pb, NULL, &y);
		CHECK(x.verdict == y.verdict && x.least == y.least && x.most == y.most && x.n.x == y.n.x); /* no memory */
		drop(&a);
		drop(&b);
	}
	no_doubt("hints");
}

static bool refused(thing *t)
{
	cairn_error error = {0};
	cn_solid *s = cn_solid_make(&allocator, &t->shape, &error);
	bool no = !s && error.code == CAIRN_INVALID && error.message[0];
	cn_solid_free(&allocator, s);
	return no;
}

TEST(damaged_hulls)
{
	state = 17;
	for (int i = 0; i < 200; ++i) {
		thing t;
		make_cloud(&t, 6 + below(20), v3_make(1, 1, 1), false);
		uint32_t which = below(t.triangle_count), *c = &t.triangles[which * 3], keep = c[1];
		CHECK(!refused(&t));
		c[1] = c[2], c[2] = keep; /* flipped */
		CHECK(refused(&t));
		c[2] = c[1], c[1] = keep;
		CHECK(!refused(&t));
		--t.shape.triangle_count; /* one missing */
		CHECK(refused(&t));
		++t.shape.triangle_count;
		v3 point = t.points[t.corner_count - 1];
		t.points[t.corner_count] = v3_scale(point, 1 + 1e-9); /* a point that sticks out */
		t.shape.def.point_count = t.corner_count + 1;
		CHECK(refused(&t));
		t.points[t.corner_count] = v3_scale(v3_add(point, t.points[0]), 0.5); /* or lies on an edge or inside */
		CHECK(!refused(&t));
		t.shape.def.point_count = t.corner_count;
		for (uint32_t k = 0; k < t.triangle_count; ++k) { /* inside out */
			c = &t.triangles[k * 3];
			keep = c[1], c[1] = c[2], c[2] = keep;
		}
		CHECK(refused(&t));
		t.triangles[0] = 1000;
		CHECK(refused(&t));
		drop(&t);
	}
	thing compound = {.shape.def = {.kind = CAIRN_COMPOUND}};
	CHECK(refused(&compound));
}

/* Every hull that the library builds stands the check, points on a grid and badly scaled ones too. */
TEST(hulls_as_built)
{
	state = 27;
	for (int i = 0; i < FEWER(400); ++i) {
		v3 points[200];
		uint32_t count = 4 + below(197), how = below(4);
		v3 scale = v3_make(1, how == 2 ? 1e-5 : 1, how == 3 ? 1e4 : 1), off = v3_scale(in_cube(), how == 1 ? 1e3 : 0);
		for (uint32_t k = 0; k < count; ++k) {
			v3 p = below(2) ? in_cube() : direction();
			if (how == 0)
				p = v3_make(floor(2.5 * p.x) / 7, floor(2.5 * p.y) / 7, floor(2.5 * p.z) / 7);
			points[k] = v3_add(v3_mul(p, scale), off);
		}
		cairn_shape_def def = {.kind = CAIRN_HULL, .name = "", .points = points, .point_count = count};
		cn_shape shape;
		cairn_error error = {0};
		if (!cn_shape_make(&allocator, &def, NULL, 0, &shape, &error))
			continue; /* flat */
		cn_solid *s = cn_solid_make(&allocator, &shape, &error);
		CHECK(s);
		if (!s)
			printf("how %u, %u points: %s\n", (unsigned)how, (unsigned)count, error.message);
		cn_overlap_answer x;
		if (s) {
			pose aside = {v3_scale(direction(), 1e6), rotation()};
			cn_overlap_pose(s, pose_identity(), s, pose_identity(), NULL, &x);
			CHECK_INT(x.verdict, CN_OVERLAPPING);
			cn_overlap_pose(s, pose_identity(), s, aside, NULL, &x);
			CHECK_INT(x.verdict, CN_APART);
		}
		cn_solid_free(&allocator, s);
		cn_shape_free(&allocator, &shape);
	}
}

int main(int argc, char **argv)
{
	static const test_case cases[] = {TEST_CASE(random_pairs),   TEST_CASE(far_away),       TEST_CASE(unequal),
	                                  TEST_CASE(aligned),        TEST_CASE(thin),           TEST_CASE(nested),
	                                  TEST_CASE(cylinders),      TEST_CASE(contradiction),  TEST_CASE(meshes),
	                                  TEST_CASE(concave),        TEST_CASE(aligned_meshes), TEST_CASE(halfspaces),
	                                  TEST_CASE(cubes),          TEST_CASE(wrong_hints),    TEST_CASE(damaged_hulls),
	                                  TEST_CASE(hulls_as_built), TEST_CASE(boxes)};
	allocator = cairn_default_allocator();
	return test_run(cases, CN_COUNT(cases), argc > 1 ? argv[1] : NULL);
}
