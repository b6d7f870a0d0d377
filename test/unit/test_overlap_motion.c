/* The independent check on the way, against motions looked at in small steps; its broad phase against all pairs. */
#include "overlap_things.h"

static pose pose_of(const cn_track *t, double at)
{
	quat q = q_unit(q_mul(q_exp(v3_scale(t->turn, at)), t->q0));
	return pose_mul((pose){v3_lerp(t->x0, t->x1, at), q}, t->in_body);
}

static cn_track random_track(v3 about, double travel, double turn)
{
	cn_track t = {.in_body = pose_identity()};
	v3 from = in_cube(), to = in_cube();
	t.x0 = v3_madd(about, from, travel);
	t.x1 = v3_madd(about, to, travel);
	t.q0 = rotation();
	v3 axis = direction();
	t.turn = v3_scale(axis, turn * between(0, 1));
	if (below(2)) {
		v3 off = in_cube();
		t.in_body = (pose){v3_scale(off, 0.3), rotation()};
	}
	return t;
}

/* The least gap seen at `steps` moments. */
static double sampled(const thing *a, const cn_track *ta, const thing *b, const cn_track *tb, int steps, bool *overlaps)
{
	double least = INFINITY;
	*overlaps = false;
	for (int i = 0; i <= steps; ++i) {
		cn_overlap_answer x;
		double t = (double)i / steps;
		cn_overlap_pose(a->solid, pose_of(ta, t), b->solid, pose_of(tb, t), NULL, &x);
		*overlaps = *overlaps || x.verdict == CN_OVERLAPPING;
		least = x.most < least ? x.most : least;
	}
	return least;
}

static void watch(uint32_t kinds, int count, int steps, uint32_t budget, const char *what)
{
	int seen[4] = {0}, missed = 0;
	for (int i = 0; i < count; ++i) {
		thing a, b;
		uint32_t ka = below(kinds), kb = below(kinds);
		make_any(&a, ka, 1);
		make_any(&b, kb, 0.5);
		double travel = between(0.1, 1.5);
		cn_track ta = random_track(v3_zero(), travel, 1.57), tb = random_track(v3_make(1.8, 0, 0), travel, 1.57);
		cn_passage p, h;
		v3 hint = direction();
		cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, NULL, budget, NULL, &p);
		cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, &hint, budget, NULL, &h);
		bool overlaps;
		double least = sampled(&a, &ta, &b, &tb, steps, &overlaps);
		++seen[p.verdict];
		bool fine = p.least <= least + 1e-13 && h.least <= least + 1e-13;
		if (overlaps)
			fine = fine && (p.verdict == CN_OVERLAPPING || p.verdict == CN_UNPROVED) && h.verdict != CN_APART;
		if (p.verdict == CN_APART)
			fine = fine && p.least >= 0 && p.time == 1;
		if (p.verdict == CN_OVERLAPPING) {
			cn_overlap_answer x;
			cn_overlap_pose(a.solid, pose_of(&ta, p.time), b.solid, pose_of(&tb, p.time), NULL, &x);
			fine = fine && x.verdict == CN_OVERLAPPING;
		}
		missed += p.verdict == CN_UNPROVED;
		if (!fine) {
			++test_failures;
			printf("%s: kinds %d %d verdict %d least %g sampled %g overlaps %d time %g pieces %u\n", what,
			       a.shape.def.kind, b.shape.def.kind, p.verdict, p.least, least, overlaps, p.time, p.pieces);
		}
		drop(&a);
		drop(&b);
	}
	CHECK(seen[CN_APART] > 0 && seen[CN_OVERLAPPING] > 0);
	CHECK(missed * 100 <= count);
}

TEST(motion)
{
	state = 18;
	watch(4, FEWER(8000), 60, 400, "motion");
}

TEST(motion_all_kinds)
{
	state = 19;
	watch(6, FEWER(1000), 30, 20000, "motion of all kinds");
}

/* A plate that is thinner than it moves, between free end poses. */
TEST(passage)
{
	thing plate, wall, mesh;
	make_box(&plate, v3_make(0.01, 0.5, 0.5));
	make_box(&wall, v3_make(0.02, 3, 3));
	make_cube_mesh(&mesh, 0.1, false);
	cn_track still = {pose_identity(), v3_zero(), v3_zero(), q_identity(), v3_zero()}, move = still;
	move.x0 = v3_make(-0.5, 0.1, 0), move.x1 = v3_make(0.7, 0.2, 0);
	cn_passage p;
	CHECK_INT(verdict_at(&wall, &plate, move.x0), CN_APART);
	CHECK_INT(verdict_at(&wall, &plate, move.x1), CN_APART);
	cn_overlap_motion(&(cn_moving_solid){wall.solid, &still}, &(cn_moving_solid){plate.solid, &move}, NULL, 1000, NULL,
	                  &p);
	CHECK_INT(p.verdict, CN_OVERLAPPING);
	CHECK(p.time > 0.35 && p.time < 0.5);
	cn_overlap_motion(&(cn_moving_solid){wall.solid, &still}, &(cn_moving_solid){mesh.solid, &move}, NULL, 10000, NULL,
	                  &p);
	CHECK_INT(p.verdict, CN_OVERLAPPING);
	/* a quarter turn close to the wall: the corner of the plate passes at 1e-4 */
	double reach = sqrt(0.005 * 0.005 + 0.25 * 0.25);
	move = still;
	move.x0 = move.x1 = v3_make(0.01 + reach + 1e-4, 0, 0);
	move.turn = v3_make(0, 0, 0.5 * CN_PI);
	cn_overlap_motion(&(cn_moving_solid){wall.solid, &still}, &(cn_moving_solid){plate.solid, &move}, NULL, 1000, NULL,
	                  &p);
	CHECK_INT(p.verdict, CN_APART);
	CHECK(p.least > 0 && p.least <= 1e-4);
	CHECK(p.pieces < 50);
	move.x0.x = move.x1.x = 0.01 + reach - 1e-6;
	cn_overlap_motion(&(cn_moving_solid){wall.solid, &still}, &(cn_moving_solid){plate.solid, &move}, NULL, 1000, NULL,
	                  &p);
	CHECK(p.verdict != CN_APART && p.verdict != CN_TOUCHING);
	/* out of budget: said so, and how far it got */
	cn_overlap_motion(&(cn_moving_solid){wall.solid, &still}, &(cn_moving_solid){plate.solid, &move}, NULL, 2, NULL,
	                  &p);
	CHECK_INT(p.verdict, CN_UNPROVED);
	CHECK(p.time < 1 && p.pieces <= 2);
	drop(&plate);
	drop(&wall);
	drop(&mesh);
}

static void make_sheet(thing *t)
{
	*t = (thing){.shape.def = {.kind = CAIRN_MESH, .shell = true}, .size = 1};
	t->corner_count = 4;
	for (uint32_t i = 0; i < 4; ++i)
		t->points[i] = v3_make(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, 0);
	set_triangle(t, 0, 1, 3);
	set_triangle(t, 0, 3, 2);
	finish(t);
}

/* Flat on flat: a sheet goes through a sheet, and a cube through one of the same size in line with it, without any two
 * triangles ever being in each other. What comes to touch and goes back has passed nothing. */
TEST(flat_passage)
{
	static const double heights[][2] = {{1, -1.3}, {0.1, -0.13}, {1e-3, -1.3e-3}, {0.3, -0.1}, {0.5, -0.5}, {-2, 2}};
	thing sheet, other, cube, same;
	make_sheet(&sheet);
	make_sheet(&other);
	make_cube_mesh(&cube, 1, false);
	make_cube_mesh(&same, 1, false);
	cn_track still = {pose_identity(), v3_zero(), v3_zero(), q_identity(), v3_zero()}, move = still;
	cn_passage p;
	for (size_t i = 0; i < CN_COUNT(heights); ++i) {
		move.x0 = v3_make(0.1, 0.05, heights[i][0]), move.x1 = v3_make(0.1, 0.05, heights[i][1]);
		cn_overlap_motion(&(cn_moving_solid){sheet.solid, &still}, &(cn_moving_solid){other.solid, &move}, NULL, 100000,
		                  NULL, &p);
		CHECK(p.verdict == CN_UNPROVED || p.verdict == CN_OVERLAPPING);
		CHECK(p.pieces < 10000);
		move.x1.z = 0; /* down to it, along it, and away again */
		cn_overlap_motion(&(cn_moving_solid){sheet.solid, &still}, &(cn_moving_solid){other.solid, &move}, NULL, 100000,
		                  NULL, &p);
		CHECK_INT(p.verdict, CN_TOUCHING);
		cn_track along = move, away = move;
		along.x0 = move.x1, along.x1 = v3_make(-0.2, 0.3, 0);
		cn_overlap_motion(&(cn_moving_solid){sheet.solid, &still}, &(cn_moving_solid){other.solid, &along}, NULL,
		                  100000, NULL, &p);
		CHECK_INT(p.verdict, CN_TOUCHING);
		away.x0 = move.x1, away.x1 = move.x0;
		cn_overlap_motion(&(cn_moving_solid){sheet.solid, &still}, &(cn_moving_solid){other.solid, &away}, NULL, 100000,
		                  NULL, &p);
		CHECK_INT(p.verdict, CN_TOUCHING);
	}
	move.x0 = v3_make(1.2, 0, 0), move.x1 = v3_make(-1.3, 0, 0);
	cn_overlap_motion(&(cn_moving_solid){cube.solid, &still}, &(cn_moving_solid){same.solid, &move}, NULL, 100000, NULL,
	                  &p);
	CHECK(p.verdict == CN_UNPROVED || p.verdict == CN_OVERLAPPING);
	drop(&sheet);
	drop(&other);
	drop(&cube);
	drop(&same);
}

/* What both move alike, and how far from the origin they are, takes no digits: the end of the way is as the poses there
 * say, and meshes off their centres of mass are told apart to the bound. */
TEST(far_away)
{
	state = 23;
	thing ball, box;
	make_round(&ball, CAIRN_SPHERE, 0.5, 0);
	make_cube_mesh(&box, 1, false);
	for (int i = 0; i < FEWER(1000); ++i) {
		v3 start = in_cube(), end = in_cube(), way = direction();
		double gap = between(-1e-7, 1e-7);
		cn_track ta = {pose_identity(), start, v3_scale(end, 1e6), q_identity(), v3_zero()}, tb = ta;
		tb.x0 = v3_madd(ta.x0, way, 1.5), tb.x1 = v3_madd(ta.x1, way, 1 + gap);
		cn_passage p;
		cn_overlap_answer x;
		cn_overlap_motion(&(cn_moving_solid){ball.solid, &ta}, &(cn_moving_solid){ball.solid, &tb}, NULL, 10000, NULL,
		                  &p);
		cn_overlap_pose(ball.solid, pose_of(&ta, 1), ball.solid, pose_of(&tb, 1), NULL, &x);
		CHECK(fabs(x.least) < 2 * p.bound || x.verdict == p.verdict);
		CHECK(p.verdict == CN_OVERLAPPING || p.least <= x.most);
	}
	for (int i = 0; i < FEWER(300); ++i) {
		v3 at = in_cube(), ca = in_cube(), cb = in_cube();
		quat q = rotation();
		double target = between(-1e-9, 1e-9);
		at = v3_scale(at, 1e6);
		cn_track ta = {{ca, q_identity()}, at, at, q, v3_zero()}, tb = ta;
		tb.in_body.position = cb;
		v3 apart = q_rotate(q, v3_add(v3_make(1, 0.1, 0.2), v3_sub(ca, cb)));
		tb.x0 = tb.x1 = v3_add(at, apart);
		/* the gap is along q's x: of the centres' difference as it was rounded, and of the frames in the bodies */
		real l = (real)q.w * q.w + (real)q.x * q.x + (real)q.y * q.y + (real)q.z * q.z;
		r3 n = {1 - 2 * ((real)q.y * q.y + (real)q.z * q.z) / l, 2 * ((real)q.x * q.y + (real)q.w * q.z) / l,
		        2 * ((real)q.x * q.z - (real)q.w * q.y) / l};
		v3 d = v3_sub(tb.x0, ta.x0);
		real gap = r3_dot(n, (r3){d.x, d.y, d.z}) + ((real)cb.x - ca.x) - 1;
		tb.in_body.position.x += (double)(target - gap);
		gap += (real)tb.in_body.position.x - cb.x;
		cn_passage p;
		cn_overlap_motion(&(cn_moving_solid){box.solid, &ta}, &(cn_moving_solid){box.solid, &tb}, NULL, 100000, NULL,
		                  &p);
		CHECK_INT(p.verdict, fabsl(gap) <= (real)p.bound ? p.verdict : gap > 0 ? CN_APART : CN_OVERLAPPING);
	}
	drop(&ball);
	drop(&box);
}

/* Resting pairs, nearly still: one piece, with the plane as a hint or without. */
TEST(resting)
{
	static const double rests[] = {1e-3, 1e-5, 1e-7, 1e-9};
	state = 20;
	for (int i = 0; i < FEWER(2000); ++i) {
		thing a, b;
		make_any(&a, 0, 1);
		make_any(&b, below(4), 1);
		cn_track ta = random_track(v3_zero(), 0, 0), tb = ta;
		ta.in_body = tb.in_body = pose_identity();
		double gap = rests[below(4)];
		v3 n = q_rotate(ta.q0, v3_make(0, 0, 1));
		pose pb = beside(&a, (pose){ta.x0, ta.q0}, &b, rotation(), n, gap);
		tb.x0 = pb.position, tb.q0 = pb.orientation;
		v3 slide = v3_cross(n, direction()), turn = direction();
		tb.x1 = v3_madd(tb.x0, slide, 1e-3);
		tb.turn = v3_scale(turn, 0.1 * gap);
		ta.x1 = ta.x0, ta.turn = v3_zero();
		cn_passage p[4];
		cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, &n, 100, NULL, &p[0]);
		cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, NULL, 100, NULL, &p[1]);
		bool fine = p[0].verdict == CN_APART && p[0].least > 0.5 * gap && p[0].least < gap && p[1].verdict == CN_APART;
		/* in exact contact and moving together */
		tb.x0 = beside(&a, (pose){ta.x0, ta.q0}, &b, pb.orientation, n, 0).position;
		v3 both = in_cube();
		tb.x1 = v3_add(tb.x0, both), ta.x1 = v3_add(ta.x0, both), tb.turn = v3_zero();
		cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, &n, 100, NULL, &p[2]);
		cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, NULL, 100, NULL, &p[3]);
		for (int k = 0; k < 4; ++k) {
			fine = fine && p[k].pieces == 1 && p[k].least >= -p[k].bound && (k < 2 || p[k].verdict == CN_TOUCHING);
		}
		for (int k = 0; k < 4 && !fine; ++k) {
			++test_failures;
			printf("resting: kind %d gap %g verdict %d pieces %u least %g bound %g\n", b.shape.def.kind, gap,
			       p[k].verdict, p[k].pieces, p[k].least, p[k].bound);
		}
		drop(&a);
		drop(&b);
	}
}

/* Meshes that move on from where another motion's proof ended: whatever that was, the cover it left decides about time
 * alone. Nothing that overlaps is called clean, no gap is promised that is not there, and what is clearly apart is proved. */
TEST(a_cover_goes_on)
{
	state = 23;
	int seen[4] = {0}, same = 0, all = 0;
	for (int i = 0; i < FEWER(200); ++i) {
		thing a, b;
		make_cloud(&a, 24, v3_make(1, 0.7, 0.5), true);
		make_cloud(&b, 20, v3_make(0.6, 1, 0.8), true);
		cn_mesh_cover cover = {.count = 0};
		for (int k = 0; k < 6; ++k, ++all) {
			cn_track ta = random_track(v3_zero(), 0.2, 0.6), tb = random_track(v3_zero(), 0.2, 0.6);
			v3 off = v3_scale(direction(), between(0.8, 2.4));
			tb.x0 = v3_add(tb.x0, off), tb.x1 = v3_add(tb.x1, off);
			cn_passage with, without;
			cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, NULL, 10000, &cover,
			                  &with);
			cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, NULL, 10000, NULL,
			                  &without);
			bool overlaps;
			double least = sampled(&a, &ta, &b, &tb, 40, &overlaps);
			CHECK(!overlaps || with.verdict == CN_OVERLAPPING || with.verdict == CN_UNPROVED);
			CHECK(without.verdict != CN_OVERLAPPING || with.verdict != CN_APART);
			CHECK(overlaps || with.least <= least + 1e-13);
			++seen[with.verdict], same += with.verdict == without.verdict;
		}
		drop(&a);
		drop(&b);
	}
	CHECK(seen[CN_APART] > all / 10 && seen[CN_OVERLAPPING] > all / 10);
	CHECK_INT(same, all);
}

/* A floor that turns, and a mesh that rests on one that does not. */
TEST(turning_floor)
{
	state = 21;
	int seen[4] = {0};
	for (int i = 0; i < FEWER(1000); ++i) {
		thing a, b;
		make_halfspace(&a, v3_make(0, 0, 1), between(-0.5, 0.5));
		make_any(&b, below(6), 0.5);
		cn_track ta = random_track(v3_zero(), 0.2, 0.8), tb = random_track(v3_zero(), 0.3, 1.5);
		v3 up = q_rotate(pose_of(&ta, 0.5).orientation, v3_make(0, 0, 1));
		tb.x0 = v3_madd(tb.x0, up, 0.9), tb.x1 = v3_madd(tb.x1, up, 0.9);
		cn_passage p;
		cn_overlap_motion(&(cn_moving_solid){a.solid, &ta}, &(cn_moving_solid){b.solid, &tb}, NULL, 1000, NULL, &p);
		bool overlaps;
		double least = sampled(&a, &ta, &b, &tb, 50, &overlaps);
		++seen[p.verdict];
		CHECK(p.least <= least + 1e-13);
		CHECK(p.verdict == (overlaps ? CN_OVERLAPPING : CN_APART) || (least < 1e-3 && p.verdict != CN_APART));
		drop(&a);
		drop(&b);
	}
	CHECK(seen[CN_APART] > 0 && seen[CN_OVERLAPPING] > 0);
	thing floor, cube;
	make_cube_mesh(&floor, 4, false);
	make_cube_mesh(&cube, 1, false);
	cn_track still = {pose_identity(), v3_make(0, 0, -2), v3_make(0, 0, -2), q_identity(), v3_zero()}, move = still;
	move.x0 = v3_make(0, 0, 0.5), move.x1 = v3_make(0.1, 0, 0.5);
	cn_passage p;
	cn_overlap_motion(&(cn_moving_solid){floor.solid, &still}, &(cn_moving_solid){cube.solid, &move}, NULL, 10000, NULL,
	                  &p);
	CHECK_INT(p.verdict, CN_TOUCHING);
	move.x0.z = move.x1.z = 0.5 + 1e-6, move.turn = v3_make(0, 0, 1e-4);
	cn_overlap_motion(&(cn_moving_solid){floor.solid, &still}, &(cn_moving_solid){cube.solid, &move}, NULL, 10000, NULL,
	                  &p);
	CHECK_INT(p.verdict, CN_APART);
	CHECK(p.least > 9e-7 && p.least <= 1e-6);
	drop(&floor);
	drop(&cube);
}

typedef struct tally {
	uint8_t *hit;
	uint32_t count, calls;
} tally;

static void note_pair(void *context, uint32_t a, uint32_t b)
{
	tally *t = context;
	++t->calls;
	t->hit[a * t->count + b] += 1;
}

TEST(pairs_of_boxes)
{
	enum { BOXES = 300 };
	static cn_overlap_box boxes[BOXES];
	cn_overlap_tree *tree = cn_overlap_tree_create(&allocator);
	REQUIRE(tree);
	state = 22;
	for (int round = 0; round < 20; ++round) {
		tally t = {calloc(BOXES * BOXES, 1), BOXES, 0};
		REQUIRE(t.hit);
		for (uint32_t i = 0; i < BOXES; ++i) {
			v3 at = in_cube(), half = v3_scale(v3_abs(in_cube()), 0.2);
			at.x = below(4) ? at.x : floor(4 * at.x) / 4;
			boxes[i] = (cn_overlap_box){v3_sub(at, half), v3_add(at, half)};
			uint32_t odd = below(40);
			if (odd == 0)
				boxes[i].low = v3_make(-INFINITY, -INFINITY, -INFINITY),
				boxes[i].high = v3_make(INFINITY, INFINITY, INFINITY);
			if (odd == 1)
				boxes[i].high.y = boxes[i].low.y - 1;
			if (odd == 2)
				boxes[i].low.z = NAN;
			if (odd == 3)
				boxes[i].low.x = -INFINITY;
		}
		uint32_t tasks;
		CHECK(cn_overlap_tree_build(&allocator, tree, boxes, BOXES, &tasks));
		CHECK(tasks <= CN_OVERLAP_TASKS + 2);
		for (uint32_t i = 0; i < tasks; ++i)
			cn_overlap_tree_visit(tree, i, note_pair, &t);
		int wrong = 0;
		for (uint32_t i = 0; i < BOXES; ++i)
			for (uint32_t j = 0; j < BOXES; ++j) {
				const cn_overlap_box *a = &boxes[i], *b = &boxes[j];
				bool valid = a->low.x <= a->high.x && a->low.y <= a->high.y && a->low.z <= a->high.z &&
				             b->low.x <= b->high.x && b->low.y <= b->high.y && b->low.z <= b->high.z;
				bool meet = i < j && valid && a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
				            b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
				wrong += t.hit[i * BOXES + j] != meet;
			}
		CHECK_INT(wrong, 0);
		CHECK(t.calls > 0);
		free(t.hit);
	}
	uint32_t tasks = 1;
	CHECK(cn_overlap_tree_build(&allocator, tree, NULL, 0, &tasks) && tasks == 0);
	cn_overlap_tree_destroy(&allocator, tree);
}

typedef struct meter {
	int left;
	cairn_allocator real;
} meter;

static void *metered(void *context, void *block, size_t old_size, size_t new_size)
{
	meter *m = context;
	if (new_size && m->left-- <= 0)
		return NULL;
	return m->real.resize(m->real.context, block, old_size, new_size);
}

TEST(memory)
{
	state = 24;
	for (uint32_t kind = 0; kind < 6; ++kind) {
		thing t;
		make_any(&t, kind, 1);
		meter m = {0, allocator};
		cairn_allocator counted = {&m, metered};
		cn_solid *s = NULL;
		for (int n = 0; n < 60 && !s; ++n) {
			cairn_error error = {0};
			m.left = n;
			s = cn_solid_make(&counted, &t.shape, &error);
			CHECK(s || error.code == CAIRN_MEMORY);
		}
		CHECK(s);
		cn_solid_free(&counted, s);
		drop(&t);
	}
	cn_overlap_box box = {{0, 0, 0}, {1, 1, 1}};
	for (int room = 0; room < 4; ++room) {
		meter m = {room, allocator};
		cairn_allocator counted = {&m, metered};
		uint32_t tasks = 0;
		cn_overlap_tree *tree = cn_overlap_tree_create(&counted);
		CHECK(!tree == (room == 0));
		CHECK(!tree || !cn_overlap_tree_build(&counted, tree, &box, 1, &tasks));
		cn_overlap_tree_destroy(&counted, tree);
	}
	cn_solid_free(&allocator, NULL);
}

int main(int argc, char **argv)
{
	static const test_case cases[] = {TEST_CASE(motion),          TEST_CASE(motion_all_kinds),
	                                  TEST_CASE(passage),         TEST_CASE(flat_passage),
	                                  TEST_CASE(far_away),        TEST_CASE(resting),
	                                  TEST_CASE(a_cover_goes_on), TEST_CASE(turning_floor),
	                                  TEST_CASE(pairs_of_boxes),  TEST_CASE(memory)};
	allocator = cairn_default_allocator();
	return test_run(cases, CN_COUNT(cases), argc > 1 ? argv[1] : NULL);
}
