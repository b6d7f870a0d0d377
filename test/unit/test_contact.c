/* Contact polygons along normals that are known: by hand for every pair of kinds, against an independent intersection,
 * degenerate and stale ones. test_contact_pairs.c does the same with the normals that separation finds. */
#include "contact_parts.h"

static const v3 up = {0, 0, 1};
static const double half_turn = 3.14159265358979323846;

static quat yaw(double angle) { return q_exp(v3_make(0, 0, angle)); }

static cn_contact_set find(const part *a, const part *b, const cn_separation *s, double slab)
{
	cn_contact_set set;
	cn_contact_find(&(cn_convex_pair){&a->c, &a->at, &b->c, &b->at}, s, slab, &set);
	return set;
}

/* The point with this identity, or NULL. */
static const cn_contact_point *point_of(const cn_contact_set *set, uint64_t id)
{
	for (uint32_t i = 0; i < set->count; ++i)
		if (set->points[i].feature == id)
			return &set->points[i];
	return NULL;
}

static void check_at(const cn_contact_set *set, uint64_t id, v3 a, double gap)
{
	const cn_contact_point *p = point_of(set, id);
	REQUIRE(p);
	CHECK(v3_distance(p->a, a) <= 1e-14);
	CHECK_NEAR(p->gap, gap, 1e-14);
}

TEST(cubes_stacked_squarely)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1);
	put(&b, v3_make(0, 0, 1.01), q_identity());
	cn_separation s = along(&a, &b, up);
	cn_contact_set set = find(&a, &b, &s, 1e-3);
	CHECK_INT(set.count, 4);
	CHECK(sound(&a, &b, &s, &set, 1e-14));
	for (uint32_t i = 0; i < 4; ++i)
		check_at(&set, met(CN_VERTEX, 4 + i, CN_FACE, 4), a.c.core.vertices[4 + i], 0.01);
	put(&b, v3_make(0.25, 0.125, 1.01), q_identity());
	set = find(&a, &b, &s, 1e-3);
	CHECK_INT(set.count, 4);
	check_at(&set, met(CN_VERTEX, 7, CN_FACE, 4), v3_make(0.5, 0.5, 0.5), 0.01);
	check_at(&set, met(CN_FACE, 5, CN_VERTEX, 0), v3_make(-0.25, -0.375, 0.5), 0.01);
	free_part(&a);
	free_part(&b);
}

TEST(cubes_twisted_by_an_eighth_turn)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1);
	double reach = 0.5 * (sqrt(2) - 1);
	put(&b, v3_make(0, 0, 0.98), yaw(half_turn / 4));
	cn_separation s = along(&a, &b, up);
	cn_contact_set set = find(&a, &b, &s, 1e-3);
	CHECK_INT(set.count, 8);
	CHECK(sound(&a, &b, &s, &set, 1e-14));
	for (uint32_t i = 0; i < set.count; ++i) {
		v3 p = v3_abs(set.points[i].a);
		CHECK_INT(cn_feature_kind_of((cn_feature)(set.points[i].feature >> 32)), CN_EDGE);
		CHECK_INT(cn_feature_kind_of((cn_feature)set.points[i].feature), CN_EDGE);
		CHECK_NEAR(v3_max(v3_make(p.x, p.y, 0)), 0.5, 1e-14);
		CHECK_NEAR(p.x < p.y ? p.x : p.y, reach, 1e-14);
		CHECK_NEAR(set.points[i].gap, -0.02, 1e-14);
	}
	free_part(&a);
	free_part(&b);
}

/* The numbers that the flat way gives edges and vertices are those of the polytope. */
TEST(box_features_are_the_cores)
{
	part a = box_part(1, 1.2, 1.4), b = box_part(0.9, 1.1, 1.3);
	random_state = 11;
	for (int trial = 0; trial < 2000; ++trial) {
		quat qa = draw_turn(), qb = draw_turn();
		put(&a, v3_zero(), qa);
		uint32_t face = (uint32_t)(draw() * 6), under = (uint32_t)(draw() * 6);
		v3 n = cn_place_turn(&a.at, a.c.core.normals[face]);
		/* turn b so that its face looks along -n */
		v3 m = q_rotate(qb, b.c.core.normals[under]), axis = v3_cross(m, v3_neg(n));
		qb = q_mul(q_exp(v3_scale(v3_unit(axis), cn_atan2(v3_length(axis), -v3_dot(m, n)))), qb);
		double x = draw_in(-0.4, 0.4), y = draw_in(-0.4, 0.4), z = draw_in(-0.4, 0.4);
		v3 side = v3_make(x, y, z);
		side = v3_madd(side, n, -v3_dot(side, n));
		put(&b, v3_add(side, v3_scale(n, a.c.core.offsets[face] + b.c.core.offsets[under])), qb);
		cn_separation s = along(&a, &b, n);
		cn_contact_set set = find(&a, &b, &s, 1e-3);
		CHECK(sound(&a, &b, &s, &set, 1e-13));
		CHECK(set.count >= 3 && set.count <= 8);
		for (uint32_t i = 0; i < set.count; ++i)
			for (int who = 0; who < 2; ++who) {
				const part *p = who ? &b : &a;
				cn_feature f = (cn_feature)(who ? set.points[i].feature : set.points[i].feature >> 32);
				v3 at = cn_place_unturn(&p->at, who ? set.points[i].b : set.points[i].a);
				uint32_t k = cn_feature_index(f);
				if (cn_feature_kind_of(f) == CN_VERTEX) {
					CHECK(v3_distance(at, p->c.core.vertices[k]) < 1e-13);
				} else if (cn_feature_kind_of(f) == CN_EDGE) {
					v3 off = v3_sub(at, p->c.core.vertices[p->c.core.edges[k].tail]);
					CHECK(v3_length(v3_cross(off, p->c.core.directions[k])) < 1e-13);
				} else {
					CHECK_INT(k, who ? under : face);
				}
			}
	}
	free_part(&a);
	free_part(&b);
}

/* Tilts from rounding to the slab: the face polygon stays, each point with its own gap. */
TEST(tilted_faces_stay_faces)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1);
	for (int k = 0; k <= 12; ++k) {
		double tilt = k == 12 ? 1e-3 : 1e-15 * pow(10, k);
		quat q = q_mul(q_exp(v3_make(tilt, -0.7 * tilt, 0)), yaw(0.3));
		put(&b, v3_make(0.1, -0.05, 1.002), q);
		cn_separation s = along(&a, &b, up);
		cn_contact_set set = find(&a, &b, &s, 4e-3);
		CHECK(sound(&a, &b, &s, &set, 1e-14));
		CHECK(set.count >= 5 && set.count <= 8);
		CHECK_NEAR(least_gap(&set), 1.002 - 0.5 - cn_convex_support(&b.c, &b.at, v3_neg(up)), 2 * tilt + 1e-14);
		for (uint32_t i = 0; i < set.count; ++i) {
			/* the lower face of b: normal.x = -1/2 about its centre, solved for z */
			v3 m = cn_place_turn(&b.at, up), p = set.points[i].a;
			double z = 1.002 - (0.5 + m.x * (p.x - 0.1) + m.y * (p.y + 0.05)) / m.z;
			CHECK_NEAR(set.points[i].gap, z - 0.5, 1e-14);
		}
	}
	/* steeper than the slab: an edge, then a vertex */
	put(&b, v3_make(0, 0, 1.3), q_exp(v3_make(0.01, 0, 0)));
	cn_separation s = along(&a, &b, up);
	cn_contact_set set = find(&a, &b, &s, 4e-3);
	CHECK_INT(set.count, 2);
	CHECK(sound(&a, &b, &s, &set, 1e-14));
	CHECK_NEAR(least_gap(&set), s.gap, 1e-14);
	put(&b, v3_make(0, 0, 1.3), q_exp(v3_make(0.01, 0.02, 0)));
	s = along(&a, &b, up);
	set = find(&a, &b, &s, 4e-3);
	CHECK_INT(set.count, 1);
	CHECK_INT(set.points[0].feature, met(CN_FACE, 5, CN_VERTEX, 1));
	CHECK_NEAR(set.points[0].gap, s.gap, 1e-14);
	free_part(&a);
	free_part(&b);
}

/* Points further than the slab from the nearest are left out. */
TEST(far_points_are_left_out)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1);
	put(&b, v3_make(0, 0, 1.1), q_exp(v3_make(0.9e-3, 0.8e-3, 0)));
	cn_separation s = along(&a, &b, up);
	cn_contact_set set = find(&a, &b, &s, 1e-3);
	CHECK_INT(set.count, 3); /* corners at 0, 0.8e-3, 0.9e-3 and 1.7e-3 */
	for (uint32_t i = 0; i < set.count; ++i)
		CHECK(set.points[i].gap <= s.gap + 1e-3);
	free_part(&a);
	free_part(&b);
}

TEST(an_overhang_is_an_overhang)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1);
	static const double shifts[] = {1e-9, 1e-6, 0.25, 0.999999};
	for (int k = 0; k < 4; ++k) {
		put(&b, v3_make(shifts[k], 0, 1), q_identity());
		cn_separation s = along(&a, &b, up);
		cn_contact_set set = find(&a, &b, &s, 0);
		double least = 1, most = -1;
		for (uint32_t i = 0; i < set.count; ++i) {
			least = set.points[i].a.x < least ? set.points[i].a.x : least;
			most = set.points[i].a.x > most ? set.points[i].a.x : most;
		}
		CHECK_INT(set.count, 4);
		CHECK_NEAR(least, shifts[k] - 0.5, 1e-15);
		CHECK_NEAR(most, 0.5, 1e-15);
	}
	free_part(&a);
	free_part(&b);
}

/* Identical squares, shared edges and corners, in any orientation: no point twice, never none. */
TEST(degenerate_squares)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1), half = box_part(0.5, 0.5, 0.5);
	random_state = 5;
	for (int trial = 0; trial < CASES(20000); ++trial) {
		quat q = trial ? draw_turn() : q_identity();
		double shift = trial % 3 == 0 ? 0 : draw_in(-1, 1) * pow(10, draw_in(-16, -11));
		double quarter = (double)(int)(draw() * 4) * half_turn / 2;
		int kind = (int)(draw() * 5);
		static const double dx[5] = {0, 1, 1, 0.25, 0.5}, dy[5] = {0, 0, 1, 0.25, 0.5};
		static const uint32_t wanted[5] = {4, 2, 1, 4, 4}; /* same, edge, corner, small one in the corner, half out */
		part *other = kind == 3 ? &half : &b;
		put(&a, v3_zero(), q);
		double z = kind == 3 ? 0.75 : 1;
		put(other, q_rotate(q, v3_make(dx[kind] + shift, dy[kind] - shift, z)), q_mul(q, yaw(quarter)));
		cn_separation s = along(&a, other, q_rotate(q, up));
		s.a = q_rotate(q, v3_make(0.5, 0.5, 0.5)); /* a corner that always belongs to both */
		s.b = v3_madd(v3_sub(v3_add(a.at.x, s.a), other->at.x), s.n, s.gap);
		cn_contact_set set = find(&a, other, &s, 1e-6);
		CHECK(sound(&a, other, &s, &set, 2e-11));
		if (shift == 0)
			CHECK_INT(set.count, wanted[kind]);
		for (uint32_t i = 0; i < set.count; ++i)
			for (uint32_t k = 0; k < i; ++k)
				CHECK(v3_distance(set.points[i].a, set.points[k].a) > 1e-12 * 0.5);
	}
	free_part(&a);
	free_part(&b);
	free_part(&half);
}

/* A corner of one face exactly on an edge of the other. */
TEST(vertex_on_an_edge)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1);
	put(&b, v3_make(0.5 + sqrt(0.5), 0.1, 1), yaw(half_turn / 4)); /* its leftmost corner at (0.5, 0.1) */
	cn_separation s = along(&a, &b, up);
	s.a = v3_make(0.5, 0.1, 0.5);
	s.b = v3_make(-sqrt(0.5), 0, -0.5);
	s.feature_a = cn_feature_make(CN_FACE, 5);
	cn_contact_set set = find(&a, &b, &s, 0);
	CHECK_INT(set.count, 1);
	CHECK_NEAR(set.points[0].a.x, 0.5, 1e-14);
	CHECK_NEAR(set.points[0].a.y, 0.1, 1e-14);
	put(&b, v3_make(0.5 - sqrt(0.5), 0.1, 1), yaw(half_turn / 4)); /* its rightmost one */
	set = find(&a, &b, &s, 0);
	uint32_t near = 0;
	for (uint32_t i = 0; i < set.count; ++i)
		near += v3_distance(set.points[i].a, v3_make(0.5, 0.1, 0.5)) < 1e-9;
	CHECK_INT(near, 1);
	free_part(&a);
	free_part(&b);
}

TEST(edges)
{
	part a = box_part(1, 1, 1), b = box_part(0.6, 0.6, 0.6);
	double lie = sqrt(0.5);
	quat on_edge = q_exp(v3_make(half_turn / 4, 0, 0)); /* the top and bottom edges run along x */
	put(&a, v3_zero(), on_edge);
	/* crossed */
	put(&b, v3_make(0.1, -0.2, lie + 0.6 * lie + 0.01), q_mul(yaw(half_turn / 2), on_edge));
	cn_separation s = along(&a, &b, up);
	cn_contact_set set = find(&a, &b, &s, 1e-3);
	CHECK_INT(set.count, 1);
	CHECK_INT(set.points[0].feature >> 60, CN_EDGE);
	CHECK(v3_distance(set.points[0].a, v3_make(0.1, 0, lie)) < 1e-14);
	CHECK_NEAR(set.points[0].gap, 0.01, 1e-14);
	CHECK(sound(&a, &b, &s, &set, 1e-14));
	/* along each other, 0.4 of b's 0.6 over a */
	for (int k = 0; k < 3; ++k) {
		double skew = k == 0 ? 0 : k == 1 ? 1e-12 : 0.9e-8;
		put(&b, v3_make(0.4, 0, lie + 0.6 * lie + 0.01), q_mul(yaw(skew), on_edge));
		s = along(&a, &b, up);
		set = find(&a, &b, &s, 1e-3);
		CHECK_INT(set.count, 2);
		CHECK(sound(&a, &b, &s, &set, 1e-14));
		double low = set.points[0].a.x < set.points[1].a.x ? set.points[0].a.x : set.points[1].a.x;
		double high = set.points[0].a.x < set.points[1].a.x ? set.points[1].a.x : set.points[0].a.x;
		CHECK_NEAR(low, 0.1, 1e-8);
		CHECK_NEAR(high, 0.5, 1e-8);
	}
	/* an edge on a face: one end on it, one beyond its rim */
	put(&a, v3_zero(), q_identity());
	put(&b, v3_make(0.4, 0.1, 0.5 + 0.6 * lie), on_edge);
	s = along(&a, &b, up);
	set = find(&a, &b, &s, 1e-3);
	CHECK_INT(set.count, 2);
	CHECK(sound(&a, &b, &s, &set, 1e-14));
	/* the vertex, and the edge where it leaves a's upper face over the edge 5-7 */
	CHECK_INT(cn_feature_kind_of((cn_feature)(set.points[0].feature >> 32)), CN_EDGE);
	CHECK_INT(cn_feature_index((cn_feature)(set.points[0].feature >> 32)), 10);
	CHECK(v3_distance(set.points[0].a, v3_make(0.5, 0.1, 0.5)) < 1e-14);
	CHECK_INT(set.points[1].feature >> 32, cn_feature_make(CN_FACE, 5));
	CHECK(v3_distance(set.points[1].a, v3_make(0.1, 0.1, 0.5)) < 1e-14);
	free_part(&a);
	free_part(&b);
}

TEST(spheres)
{
	part ball = round_part(CAIRN_SPHERE, 0.5, 0), small = round_part(CAIRN_SPHERE, 0.1, 0), box = box_part(1, 1, 1);
	part rod = round_part(CAIRN_CAPSULE, 0.2, 1), can = round_part(CAIRN_CYLINDER, 0.3, 1);
	part floor = plane_part(up, 2);
	v3 n = v3_unit(v3_make(1, 2, 2));
	put(&small, v3_scale(n, 0.7), draw_turn());
	cn_separation s = along(&ball, &small, n);
	cn_contact_set set = find(&ball, &small, &s, 1e-3);
	CHECK_INT(set.count, 1);
	check_at(&set, met(CN_VERTEX, 0, CN_VERTEX, 0), v3_scale(n, 0.5), 0.1);
	CHECK(sound(&ball, &small, &s, &set, 1e-14));
	put(&small, v3_make(0.2, 0.3, 0.59), q_identity()); /* 0.01 into the upper face */
	s = along(&box, &small, up);
	set = find(&box, &small, &s, 1e-3);
	CHECK_INT(set.count, 1);
	check_at(&set, met(CN_FACE, 5, CN_VERTEX, 0), v3_make(0.2, 0.3, 0.5), -0.01);
	put(&small, v3_make(0.31, 0, 0.1), q_identity()); /* beside the capsule */
	s = along(&rod, &small, v3_make(1, 0, 0));
	set = find(&rod, &small, &s, 1e-3);
	CHECK_INT(set.count, 1);
	check_at(&set, met(CN_EDGE, 0, CN_VERTEX, 0), v3_make(0.2, 0, 0.1), 0.01);
	put(&small, v3_make(0, 0, 0.81), q_identity()); /* on its end */
	s = along(&rod, &small, up);
	set = find(&rod, &small, &s, 1e-3);
	CHECK_INT(set.count, 1);
	check_at(&set, met(CN_VERTEX, 1, CN_VERTEX, 0), v3_make(0, 0, 0.7), 0.01);
	put(&small, v3_make(0.1, 0, 0.61), q_identity()); /* on a cylinder's end, then at its side */
	s = along(&can, &small, up);
	set = find(&can, &small, &s, 1e-3);
	CHECK_INT(set.count, 1);
	check_at(&set, met(CN_FACE, 1, CN_VERTEX, 0), v3_make(0.1, 0, 0.5), 0.01);
	put(&small, v3_make(0, 0.41, 0.2), q_identity());
	s = along(&can, &small, v3_make(0, 1, 0));
	set = find(&can, &small, &s, 1e-3);
	CHECK_INT(set.count, 1);
	check_at(&set, met(CN_SIDE, 0, CN_VERTEX, 0), v3_make(0, 0.3, 0.2), 0.01);
	put(&small, v3_make(5, -7, 2.1), q_identity());
	s = along(&floor, &small, up);
	set = find(&floor, &small, &s, 1e-3);
	CHECK_INT(set.count, 1);
	check_at(&set, met(CN_FACE, 0, CN_VERTEX, 0), v3_make(5, -7, 0), 0);
	CHECK(sound(&floor, &small, &s, &set, 1e-14));
	part *all[] = {&ball, &small, &box, &rod, &can, &floor};
	for (int i = 0; i < 6; ++i)
		free_part(all[i]);
}

/* A capsule that lies on a box, tilted and not, wholly on it and across its rim. */
TEST(capsules)
{
	part box = box_part(1, 1, 1), rod = round_part(CAIRN_CAPSULE, 0.1, 0.6), other = round_part(CAIRN_CAPSULE, 0.2, 1);
	quat lying = q_exp(v3_make(0, half_turn / 2, 0)); /* its +z along x */
	put(&rod, v3_make(0.1, 0.2, 0.61), lying);
	cn_separation s = along(&box, &rod, up);
	cn_contact_set set = find(&box, &rod, &s, 1e-3);
	CHECK_INT(set.count, 2);
	check_at(&set, met(CN_FACE, 5, CN_VERTEX, 0), v3_make(-0.2, 0.2, 0.5), 0.01);
	check_at(&set, met(CN_FACE, 5, CN_VERTEX, 1), v3_make(0.4, 0.2, 0.5), 0.01);
	for (int k = 0; k < 40; ++k) {
		double tilt = (k % 2 ? 1 : -1) * 2e-2 * k / 40, x = k % 3 == 0 ? 0.1 : k % 3 == 1 ? 0.45 : -0.4;
		put(&rod, v3_make(x, 0.2, 0.7), q_mul(q_exp(v3_make(0, tilt, 0)), lying));
		for (int swapped = 0; swapped < 2; ++swapped) {
			const part *a = swapped ? &rod : &box, *b = swapped ? &box : &rod;
			s = along(a, b, swapped ? v3_neg(up) : up);
			set = find(a, b, &s, 0.05);
			CHECK_INT(set.count, 2);
			CHECK(sound(a, b, &s, &set, 1e-14));
			bool low_end_over = tilt > 0 ? x + 0.3 <= 0.5 : x - 0.3 >= -0.5;
			if (low_end_over || tilt == 0)
				CHECK_NEAR(least_gap(&set), s.gap, 1e-14);
			for (int i = 0; i < 2; ++i) { /* on one line along n */
				v3 off = v3_sub(v3_add(v3_sub(b->at.x, a->at.x), set.points[i].b), set.points[i].a);
				CHECK(fabs(off.x) < 1e-14 && fabs(off.y) < 1e-14);
			}
		}
	}
	/* cut where the ball of the low end begins: the point is on the arc */
	double tilt = 0.02;
	quat q = q_mul(q_exp(v3_make(0, tilt, 0)), lying); /* +x end lowered */
	put(&rod, v3_make(0.5 - 0.3 * cos(tilt) + 0.001, 0, 0.7), q);
	s = along(&box, &rod, up);
	set = find(&box, &rod, &s, 0.05);
	CHECK_INT(set.count, 2);
	CHECK(sound(&box, &rod, &s, &set, 1e-14));
	CHECK_NEAR(least_gap(&set), 0.2 - 0.3 * sin(tilt) - sqrt(0.01 - 1e-6), 1e-14);
	/* crossed and side by side */
	put(&other, v3_zero(), lying);
	put(&rod, v3_make(0.2, 0.1, 0.31), q_exp(v3_make(half_turn / 2, 0, 0)));
	s = along(&other, &rod, up);
	set = find(&other, &rod, &s, 1e-3);
	CHECK_INT(set.count, 1);
	check_at(&set, met(CN_EDGE, 0, CN_EDGE, 0), v3_make(0.2, 0, 0.2), 0.01);
	put(&rod, v3_make(0.4, 0, 0.31), lying);
	set = find(&other, &rod, &s, 1e-3);
	CHECK_INT(set.count, 2);
	check_at(&set, met(CN_VERTEX, 1, CN_EDGE, 0), v3_make(0.5, 0, 0.2), 0.01);
	check_at(&set, met(CN_EDGE, 0, CN_VERTEX, 0), v3_make(0.1, 0, 0.2), 0.01);
	CHECK(sound(&other, &rod, &s, &set, 1e-14));
	free_part(&box);
	free_part(&rod);
	free_part(&other);
}

TEST(cylinders)
{
	part can = round_part(CAIRN_CYLINDER, 0.3, 1), box = box_part(2, 2, 1), floor = plane_part(up, 0);
	part coin = round_part(CAIRN_CYLINDER, 0.3, 0.1), rod = round_part(CAIRN_CAPSULE, 0.1, 0.6);
	put(&can, v3_make(0.1, 0.2, 1.01), yaw(0.1)); /* upright */
	cn_separation s = along(&box, &can, up);
	cn_contact_set set = find(&box, &can, &s, 1e-3);
	CHECK_INT(set.count, 16);
	CHECK(sound(&box, &can, &s, &set, 1e-14));
	for (uint32_t i = 0; i < set.count; ++i) {
		CHECK_INT((uint32_t)set.points[i].feature, cn_feature_make(CN_RIM, (i + 1) << 1));
		CHECK_NEAR(set.points[i].gap, 0.01, 1e-14);
		CHECK_NEAR(hypot(set.points[i].b.x, set.points[i].b.y), 0.3, 1e-14);
	}
	for (int k = 1; k < 30; ++k) { /* tilted: the lowest point of the rim is there too */
		double azimuth = 0.37 * k, tilt = 1e-3 * k / 30;
		put(&can, v3_make(0.1, 0.2, 1.01), q_exp(v3_make(tilt * cos(azimuth), tilt * sin(azimuth), 0)));
		for (int swapped = 0; swapped < 2; ++swapped) {
			const part *a = swapped ? &can : &floor, *b = swapped ? &floor : &can;
			s = along(&box, &can, up);
			set = find(&box, &can, &s, 1e-3);
			CHECK_INT(set.count, 17);
			CHECK_NEAR(least_gap(&set), s.gap, 1e-14);
			CHECK(sound(&box, &can, &s, &set, 1e-14));
			v3 n = swapped ? v3_neg(up) : up;
			s = (cn_separation){.n = n};
			s.gap = can.at.x.z - cn_convex_support(&can.c, &can.at, v3_neg(up));
			set = find(a, b, &s, 1e-3);
			CHECK_INT(set.count, 17);
			CHECK_NEAR(least_gap(&set), s.gap, 1e-14);
			CHECK(sound(a, b, &s, &set, 1e-14));
		}
	}
	put(&can, v3_make(1.1, 0, 1.01), q_identity()); /* a third over the table's edge at x = 1: exact on the circle */
	s = along(&box, &can, up);
	set = find(&box, &can, &s, 1e-3);
	CHECK_INT(set.count, 9); /* azimuths 5 to 11 and the two crossings */
	CHECK(sound(&box, &can, &s, &set, 1e-14));
	const cn_contact_point *in = point_of(&set, met(CN_EDGE, 10, CN_RIM, 17 << 1));
	const cn_contact_point *out = point_of(&set, met(CN_EDGE, 10, CN_RIM, 18 << 1));
	REQUIRE(in && out);
	CHECK_NEAR(in->a.x, 1, 1e-15);
	CHECK_NEAR(out->a.x, 1, 1e-15);
	CHECK_NEAR(fabs(in->a.y), sqrt(0.08), 1e-15);
	CHECK_NEAR(in->a.y, -out->a.y, 1e-15);
	/* tilted so far that only a part of the rim is within the slab */
	put(&can, v3_make(0.1, 0.2, 1.01), q_exp(v3_make(0.01, 0.02, 0)));
	s = along(&box, &can, up);
	set = find(&box, &can, &s, 1e-3);
	CHECK(set.count >= 3 && set.count <= 7);
	CHECK_NEAR(least_gap(&set), s.gap, 1e-14);
	CHECK(sound(&box, &can, &s, &set, 1e-14));
	for (uint32_t i = 0; i < set.count; ++i)
		CHECK(set.points[i].gap <= s.gap + 1e-3 + 1e-12);
	/* lying, level and tilted */
	quat lying = q_exp(v3_make(0, half_turn / 2, 0));
	for (int k = 0; k < 3; ++k) {
		put(&can, v3_make(0.1, 0.2, 0.9), q_mul(q_exp(v3_make(0, 1e-4 * k, 0)), lying));
		s = along(&box, &can, up);
		set = find(&box, &can, &s, 1e-3);
		CHECK_INT(set.count, 2);
		CHECK(point_of(&set, met(CN_FACE, 5, CN_RIM, 0)) && point_of(&set, met(CN_FACE, 5, CN_RIM, 1)));
		CHECK_NEAR(least_gap(&set), s.gap, 1e-14);
		CHECK(sound(&box, &can, &s, &set, 1e-14));
	}
	put(&can, v3_make(0.1, 0.2, 2), q_exp(v3_make(0.4, 0.3, 0.2))); /* on its rim */
	s = along(&box, &can, up);
	set = find(&box, &can, &s, 1e-3);
	CHECK_INT(set.count, 1);
	CHECK_INT(set.points[0].feature, met(CN_FACE, 5, CN_RIM, 0));
	CHECK_NEAR(set.points[0].gap, s.gap, 1e-14);
	/* a coin on a can of the same radius, turned; shifted by a radius; a capsule lying across a coin */
	put(&can, v3_zero(), q_identity());
	put(&coin, v3_make(0, 0, 0.56), yaw(0.1));
	s = along(&can, &coin, up);
	set = find(&can, &coin, &s, 1e-3);
	CHECK(set.count >= 16 && set.count <= 32);
	CHECK(sound(&can, &coin, &s, &set, 1e-14));
	put(&coin, v3_make(0.3, 0, 0.56), yaw(0.1));
	set = find(&can, &coin, &s, 1e-3);
	CHECK(sound(&can, &coin, &s, &set, 1e-14));
	CHECK(set.count >= 8);
	in = point_of(&set, met(CN_RIM, 1 | 17 << 1, CN_RIM, 17 << 1)); /* where the rims cross */
	out = point_of(&set, met(CN_RIM, 1 | 18 << 1, CN_RIM, 18 << 1));
	REQUIRE(in && out);
	CHECK_NEAR(in->a.x, 0.15, 1e-15);
	CHECK_NEAR(out->a.x, 0.15, 1e-15);
	CHECK_NEAR(fabs(in->a.y), sqrt(0.0675), 1e-15);
	CHECK_NEAR(in->a.y, -out->a.y, 1e-15);
	for (int k = 0; k < 200; ++k) { /* and tilted against each other, with any overlap */
		double x = 0.003 * k, lean = 1e-3 * (k % 7);
		put(&coin, v3_make(x, 0.1, 0.57), q_mul(q_exp(v3_make(lean, -lean, 0)), yaw(0.1 * k)));
		s = along(&can, &coin, up);
		set = find(&can, &coin, &s, 1e-3);
		for (uint32_t i = 0; i < set.count; ++i) {
			cn_feature fa = (cn_feature)(set.points[i].feature >> 32), fb = (cn_feature)set.points[i].feature;
			v3 pa = cn_place_unturn(&can.at, set.points[i].a), pb = cn_place_unturn(&coin.at, set.points[i].b);
			CHECK(hypot(pa.x, pa.y) <= 0.3 + 1e-12 && hypot(pb.x, pb.y) <= 0.3 + 1e-12);
			if (cn_feature_kind_of(fa) == CN_RIM)
				CHECK_NEAR(hypot(pa.x, pa.y), 0.3, 1e-12);
			if (cn_feature_kind_of(fb) == CN_RIM)
				CHECK_NEAR(hypot(pb.x, pb.y), 0.3, 1e-12);
		}
	}
	put(&rod, v3_make(0.1, 0, 0.61), lying);
	s = along(&can, &rod, up);
	set = find(&can, &rod, &s, 1e-3);
	CHECK_INT(set.count, 2);
	CHECK(sound(&can, &rod, &s, &set, 1e-14));
	CHECK(point_of(&set, met(CN_FACE, 1, CN_VERTEX, 0)));
	part *all[] = {&can, &box, &floor, &coin, &rod};
	for (int i = 0; i < 5; ++i)
		free_part(all[i]);
}

TEST(half_spaces)
{
	v3 normal = v3_unit(v3_make(1, -2, 3)),
	   corners[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
	part floor = plane_part(normal, 2.5), box = box_part(0.4, 0.6, 0.8), hull = hull_part(corners, 6);
	part *others[] = {&box, &hull};
	static const uint32_t faces[2] = {4, 3};
	put(&floor, v3_make(3, 1, -2), q_exp(v3_make(0.1, 0.2, 0.3)));
	v3 n = cn_place_turn(&floor.at, normal);
	for (int k = 0; k < 2; ++k) {
		part *o = others[k];
		v3 m = o->c.core.normals[1], axis = v3_cross(m, v3_neg(n));
		quat q = q_exp(v3_scale(v3_unit(axis), cn_atan2(v3_length(axis), -v3_dot(m, n))));
		put(o, v3_madd(v3_add(floor.at.x, v3_make(5, 0, 0)), n, 2), q);
		cn_separation s = {.n = n};
		s.gap = v3_dot(n, v3_sub(o->at.x, floor.at.x)) - cn_convex_support(&o->c, &o->at, v3_neg(n));
		cn_contact_set set = find(&floor, o, &s, 1e-3);
		CHECK_INT(set.count, faces[k]);
		CHECK(sound(&floor, o, &s, &set, 1e-13));
		CHECK_NEAR(least_gap(&set), s.gap, 1e-13);
		for (uint32_t i = 0; i < set.count; ++i)
			CHECK_INT(set.points[i].feature >> 32, cn_feature_make(CN_FACE, 0));
		s.n = v3_neg(n);
		set = find(o, &floor, &s, 1e-3);
		CHECK_INT(set.count, faces[k]);
		CHECK(sound(o, &floor, &s, &set, 1e-13));
	}
	free_part(&floor);
	free_part(&box);
	free_part(&hull);
}

/* Same corners under small motion, and gaps that follow it. */
TEST(identities_persist)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1);
	random_state = 77;
	uint32_t same = 0, asked = 0;
	for (int trial = 0; trial < CASES(5000); ++trial) {
		double x = draw_in(-0.4, 0.4), y = draw_in(-0.4, 0.4), turn = draw_in(0.1, 1.4);
		put(&b, v3_make(x, y, 1.001), yaw(turn));
		cn_separation s = along(&a, &b, up);
		cn_contact_set before = find(&a, &b, &s, 1e-2);
		double dx = draw_in(-1e-5, 1e-5), dy = draw_in(-1e-5, 1e-5), rx = draw_in(-1e-4, 1e-4);
		put(&b, v3_make(x + dx, y + dy, 1.001 + dx), q_mul(q_exp(v3_make(rx, -rx, dy)), yaw(turn)));
		s = along(&a, &b, up);
		cn_contact_set after = find(&a, &b, &s, 1e-2);
		bool equal = before.count == after.count;
		for (uint32_t i = 0; equal && i < before.count; ++i)
			equal = before.points[i].feature == after.points[i].feature &&
			        v3_distance(before.points[i].a, after.points[i].a) < 1e-3;
		same += equal;
		++asked;
	}
	CHECK(same >= asked * 0.995); /* the rest had a corner within the motion of an edge */
	free_part(&a);
	free_part(&b);
}

TEST(stale_and_senseless_separations)
{
	v3 corners[12];
	random_state = 123;
	for (int i = 0; i < 12; ++i)
		corners[i] = draw_direction();
	part parts[7] = {box_part(1, 0.5, 2),
	                 box_part(1e-5, 1, 1),
	                 round_part(CAIRN_SPHERE, 0.3, 0),
	                 round_part(CAIRN_CAPSULE, 0.2, 1),
	                 round_part(CAIRN_CYLINDER, 0.2, 1),
	                 hull_part(corners, 12),
	                 plane_part(up, 0)};
	uint32_t bad = 0;
	for (int trial = 0; trial < CASES(200000); ++trial) {
		part *a = &parts[(int)(draw() * 7)], *b = &parts[(int)(draw() * 7)];
		if (a == b)
			continue;
		v3 x = draw_direction(), y = draw_direction(), p = draw_direction(), r = draw_direction();
		quat qa = draw_turn(), qb = draw_turn();
		double scale = draw_in(0, 3), slab = trial % 4 ? pow(10, draw_in(-9, 1)) : 0, length = draw();
		put(a, v3_zero(), qa);
		put(b, v3_scale(x, scale), qb);
		cn_separation s = {.n = y, .a = p, .b = r, .gap = draw_in(-1, 1)};
		s.feature_a = (uint32_t)(draw() * 4294967295.0);
		s.feature_b = (uint32_t)(draw() * 4294967295.0);
		if (trial % 5 == 0)
			s.n = cn_place_turn(&a->at, up);
		if (trial % 11 == 0)
			s.n = v3_scale(y, trial % 2 ? 0 : length);
		cn_contact_set set = find(a, b, &s, slab);
		bool fine = set.count >= 1 && set.count <= CN_CONTACT_MAX;
		for (uint32_t i = 0; fine && i < set.count; ++i)
			fine = v3_finite(set.points[i].a) && v3_finite(set.points[i].b) && isfinite(set.points[i].gap) &&
			       (i == 0 || set.points[i].feature > set.points[i - 1].feature);
		bad += !fine;
	}
	CHECK_INT(bad, 0);
	for (int i = 0; i < 7; ++i)
		free_part(&parts[i]);
}

static double area_of(const cn_contact_set *set)
{
	/* of points in convex position about the origin of their mean, sorted by angle */
	double x[CN_CONTACT_MAX], y[CN_CONTACT_MAX], mx = 0, my = 0, area = 0;
	for (uint32_t i = 0; i < set->count; ++i)
		mx += set->points[i].a.x / set->count, my += set->points[i].a.y / set->count;
	for (uint32_t i = 0; i < set->count; ++i) {
		double px = set->points[i].a.x - mx, py = set->points[i].a.y - my;
		uint32_t k = i;
		for (; k && atan2(y[k - 1], x[k - 1]) > atan2(py, px); --k)
			x[k] = x[k - 1], y[k] = y[k - 1];
		x[k] = px, y[k] = py;
	}
	for (uint32_t i = 0; i < set->count; ++i) {
		uint32_t k = (i + 1) % set->count;
		area += 0.5 * (x[i] * y[k] - y[i] * x[k]);
	}
	return area;
}

TEST(reduced_sets)
{
	part a = box_part(1, 1, 1), b = box_part(1, 1, 1);
	random_state = 9;
	double worst = 1;
	for (int trial = 0; trial < CASES(10000); ++trial) {
		double x = draw_in(-0.3, 0.3), y = draw_in(-0.3, 0.3), turn = draw_in(0.2, 1.3), rx = draw_in(-1e-3, 1e-3);
		put(&b, v3_make(x, y, 1.001), q_mul(q_exp(v3_make(rx, 0.4 * rx, 0)), yaw(turn)));
		cn_separation s = along(&a, &b, up);
		cn_contact_set set = find(&a, &b, &s, 1e-2), less = set, best = set;
		cn_contact_reduce(&less, 4, -INFINITY);
		CHECK(less.count == (set.count < 4 ? set.count : 4));
		CHECK(least_gap(&less) == least_gap(&set));
		for (uint32_t i = 1; i < less.count; ++i)
			CHECK(less.points[i].feature > less.points[i - 1].feature);
		double most = 0;
		for (uint32_t mask = 0; mask < 1u << set.count; ++mask) {
			best.count = 0;
			for (uint32_t i = 0; i < set.count; ++i)
				if (mask >> i & 1)
					best.points[best.count++] = set.points[i];
			if (best.count == less.count && least_gap(&best) == least_gap(&set))
				most = area_of(&best) > most ? area_of(&best) : most;
		}
		worst = area_of(&less) < worst * most ? area_of(&less) / most : worst;
	}
	CHECK(worst > 0.75); /* of the best four that have the deepest among them */
	/* on a line: both ends are kept */
	cn_contact_set line = {.n = up, .count = 9};
	for (uint32_t i = 0; i < 9; ++i)
		line.points[i] = (cn_contact_point){{i, 2.0 * i, 0}, {0, 0, 0}, fabs(i - 4.0), i};
	cn_contact_reduce(&line, 4, -INFINITY);
	CHECK_INT(line.count, 4);
	CHECK(line.points[0].feature == 0 && line.points[3].feature == 8);
	/* what touches is kept, whichever is the deepest; if it is too much, nothing else is */
	for (int deepest = 0; deepest < 3; ++deepest) {
		cn_contact_set set = {.n = up, .count = 9}, few = set;
		for (uint32_t i = 0; i < 9; ++i) {
			double turn = half_turn * i / 4.5, gap = i < 3 ? 1e-3 + 1e-9 * (i != (uint32_t)deepest) : 0.01;
			set.points[i] = (cn_contact_point){{cos(turn), sin(turn), 0}, {0, 0, 0}, gap, i};
			few.points[i] = set.points[i];
			few.points[i].gap = i < 6 ? gap < 0.01 ? gap : 1e-3 : 0.01;
		}
		cn_contact_reduce(&set, 4, 1.5e-3);
		cn_contact_reduce(&few, 4, 1.5e-3);
		CHECK_INT(set.count, 4);
		CHECK(set.points[0].feature == 0 && set.points[1].feature == 1 && set.points[2].feature == 2);
		CHECK_INT(few.count, 4);
		CHECK(few.points[0].feature == 0 && few.points[3].feature == 5);
	}
	free_part(&a);
	free_part(&b);
}

/* Faces of very many corners: as many points as there is room for, round the whole rim. */
TEST(large_faces)
{
	enum { CORNERS = 300 };
	static v3 rim[2 * CORNERS];
	for (int i = 0; i < CORNERS; ++i) {
		double t = 2 * half_turn * i / CORNERS;
		rim[2 * i] = v3_make(cos(t), sin(t), -0.1);
		rim[2 * i + 1] = v3_make(cos(t), sin(t), 0.1);
	}
	part a = hull_part(rim, 2 * CORNERS), b = hull_part(rim, 2 * CORNERS), box = box_part(4, 4, 4);
	put(&b, v3_make(0, 0, 0.2), yaw(0.001));
	cn_separation s = along(&a, &b, up);
	cn_contact_set set = find(&a, &b, &s, 1e-3);
	CHECK_INT(set.count, CN_CONTACT_MAX);
	CHECK(area_of(&set) > 3.12);
	put(&box, v3_make(0, 0, 2.1), q_identity());
	s = along(&a, &box, up);
	set = find(&a, &box, &s, 1e-3);
	CHECK_INT(set.count, CN_CONTACT_MAX);
	CHECK(area_of(&set) > 3.12);
	CHECK(sound(&a, &box, &s, &set, 1e-14));
	free_part(&a);
	free_part(&b);
	free_part(&box);
}

TEST_MAIN(TEST_CASE(cubes_stacked_squarely), TEST_CASE(cubes_twisted_by_an_eighth_turn),
          TEST_CASE(box_features_are_the_cores), TEST_CASE(tilted_faces_stay_faces), TEST_CASE(far_points_are_left_out),
          TEST_CASE(an_overhang_is_an_overhang), TEST_CASE(degenerate_squares), TEST_CASE(vertex_on_an_edge),
          TEST_CASE(edges), TEST_CASE(spheres), TEST_CASE(capsules), TEST_CASE(cylinders), TEST_CASE(half_spaces),
          TEST_CASE(identities_persist), TEST_CASE(stale_and_senseless_separations), TEST_CASE(reduced_sets),
          TEST_CASE(large_faces))
