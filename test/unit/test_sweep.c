/* Swept motion: proofs against dense sampling, and the gap at the reported time by the independent check. */
#include "check/overlap.h"
#include "geom/sweep.h"

#include "draw.h"
#include "test.h"

enum { PAIRS = TEST_FEW ? 1500 : 100000, SAMPLES = TEST_FEW ? 40 : 60 };

static v3 direction(void)
{
	for (;;) {
		double x = uniform(), y = uniform(), z = uniform();
		v3 d = {x, y, z};
		if (v3_length2(d) > 0.01 && v3_length2(d) < 1)
			return v3_unit(d);
	}
}
static quat orientation(void)
{
	v3 axis = direction();
	double angle = uniform();
	return q_exp(v3_scale(axis, 3 * angle));
}

/* One shape of each sort, at size 1; made once. */
enum { KINDS = 7 };
typedef struct thing {
	cn_shape shape;
	cn_convex convex;
	cn_solid *solid;
} thing;
static thing things[KINDS];

static void make_thing(thing *t, cairn_shape_def def)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	REQUIRE(cn_shape_make(&allocator, &def, NULL, 0, &t->shape, &error));
	REQUIRE(cn_convex_make(&allocator, &t->shape, &t->convex));
	t->solid = cn_solid_make(&allocator, &t->shape, &error);
	REQUIRE(t->solid);
}

static void make_things(void)
{
	if (things[0].solid)
		return;
	static v3 points[12];
	for (int i = 0; i < 12; ++i)
		points[i] = v3_scale(direction(), 0.5);
	cairn_shape_def sphere = cairn_default_shape_def(CAIRN_SPHERE), box = cairn_default_shape_def(CAIRN_BOX);
	cairn_shape_def plate = box, capsule = cairn_default_shape_def(CAIRN_CAPSULE);
	cairn_shape_def cylinder = cairn_default_shape_def(CAIRN_CYLINDER), hull = cairn_default_shape_def(CAIRN_HULL);
	cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
	sphere.radius = 0.5;
	box.size = v3_make(1, 0.7, 0.5);
	plate.size = v3_make(1, 1, 0.01);
	capsule.radius = 0.1, capsule.length = 0.8;
	cylinder.radius = 0.4, cylinder.length = 0.5;
	hull.points = points, hull.point_count = 12;
	plane.normal = v3_make(0, 0, 1), plane.offset = 0;
	cairn_shape_def defs[KINDS] = {sphere, box, plate, capsule, hull, cylinder, plane};
	for (int i = 0; i < KINDS; ++i)
		make_thing(&things[i], defs[i]);
}

static void free_things(void)
{
	cairn_allocator allocator = cairn_default_allocator();
	for (int i = 0; i < KINDS; ++i) {
		cn_solid_free(&allocator, things[i].solid);
		cn_convex_free(&allocator, &things[i].convex);
		cn_shape_free(&allocator, &things[i].shape);
		things[i].solid = NULL;
	}
}

/* A part that moves by about `far` and turns by up to `turn`, its frame a little off the centre of mass. */
static cn_mover mover(const thing *t, v3 start, double far, double turn)
{
	v3 way = direction(), axis = direction(), off = direction();
	double length = uniform(), angle = uniform();
	quat q0 = orientation(), in = orientation();
	cn_mover m = {.part = &t->convex, .in_body = {v3_scale(off, 0.1), in}, .x0 = start, .q0 = q0};
	m.x1 = v3_madd(start, way, far * length);
	m.turn = v3_scale(axis, turn * angle);
	m.radius = t->convex.reach + v3_length(v3_add(m.in_body.position, q_rotate(in, t->convex.center)));
	return m;
}

static double gap_at(const cn_mover *a, const cn_mover *b, double t, cn_witness *witness)
{
	cn_place pa = cn_mover_at(a, t), pb = cn_mover_at(b, t);
	cn_separation s;
	cn_separate(a->part, &pa, b->part, &pb, witness, &s);
	return s.gap;
}

static pose frame_at(const cn_mover *m, double t)
{
	pose body = {v3_lerp(m->x0, m->x1, t), q_mul(q_exp(v3_scale(m->turn, t)), m->q0)};
	return pose_mul(body, m->in_body);
}

/* The first time the gap is below `asked`, by sampling and bisection; 2 if none was seen. */
static double first_time(const cn_mover *a, const cn_mover *b, double asked)
{
	cn_witness witness = {0};
	for (int i = 0; i <= SAMPLES; ++i) {
		double t = (double)i / SAMPLES;
		if (gap_at(a, b, t, &witness) >= asked)
			continue;
		if (i == 0)
			return 0;
		double low = (double)(i - 1) / SAMPLES, high = t;
		for (int k = 0; k < 30; ++k) {
			double middle = 0.5 * (low + high);
			if (gap_at(a, b, middle, &witness) >= asked)
				low = middle;
			else
				high = middle;
		}
		return high;
	}
	return 2;
}

TEST(random_pairs)
{
	static const double gaps[] = {0, 0, 1e-3, 0.05}, distances[] = {1.0, 1.5, 3};
	uint32_t free_count = 0, reached = 0, spent = 0, close = 0, compared = 0, tiers[CN_TIER_SPLIT + 1] = {0};
	double early = 0, worst = 0;
	make_things();
	for (int k = 0; k < PAIRS; ++k) {
		const thing *ta = &things[k % (KINDS - 1)], *tb = &things[(k / (KINDS - 1)) % KINDS];
		double u = uniform(), pick = uniform();
		bool half = tb->convex.kind == CAIRN_HALFSPACE;
		double distance = distances[k % 3] * (half ? 0.5 : 1), far = 3 * (pick + 1), asked = gaps[(k / 7) % 4];
		cn_mover a = mover(ta, v3_zero(), far, 1.5),
				 b = mover(tb, v3_scale(direction(), distance), far, u < 0 ? 0 : 1.5);
		if (half) { /* mostly fixed, sometimes gliding, sometimes turning */
			b = mover(tb, v3_make(0, 0, 0), k % 5 ? 0 : 0.3, k % 11 ? 0 : 0.5);
			b.in_body = pose_identity();
			a.x0 = v3_madd(a.x0, q_rotate(b.q0, v3_make(0, 0, 1)), distance);
			a.x1 = v3_madd(a.x1, q_rotate(b.q0, v3_make(0, 0, 1)), distance);
			b.radius = INFINITY;
		}
		cn_sweep_options options = {.gap = asked, .tolerance = 1e-4, .budget = 400};
		cn_sweep_result r;
		cn_sweep(&a, &b, &options, NULL, NULL, &r);
		++tiers[r.tier];
		double truth = first_time(&a, &b, asked - 1e-9);
		switch (r.status) {
		case CN_SWEEP_FREE:
			++free_count;
			CHECK(truth == 2);
			CHECK(r.time == 1);
			break;
		case CN_SWEEP_CLOSE:
			++close;
			CHECK(r.time == 0 && gap_at(&a, &b, 0, NULL) < asked + 1e-9);
			break;
		case CN_SWEEP_SPENT: ++spent; break;
		case CN_SWEEP_REACHED: ++reached; break;
		}
		if (r.status == CN_SWEEP_CLOSE)
			continue;
		CHECK(r.time <= truth);
		/* By the other code: the gap at the reported time is what was asked for. */
		cn_overlap_answer answer;
		cn_overlap_pose(ta->solid, frame_at(&a, r.time), tb->solid, frame_at(&b, r.time), &r.n, &answer);
		CHECK(answer.most >= asked - answer.bound);
		if (r.status == CN_SWEEP_REACHED && truth <= 1) {
			++compared;
			early += truth - r.time;
			worst = truth - r.time > worst ? truth - r.time : worst;
		}
	}
	printf("free %u, reached %u (%u of them seen by sampling), spent %u, close %u; early by %.2g of the motion on "
	       "average, "
	       "%.2g at worst; tiers %u %u %u %u %u\n",
	       free_count, reached, compared, spent, close, early / (compared ? compared : 1), worst, tiers[0], tiers[1],
	       tiers[2], tiers[3], tiers[4]);
	CHECK(free_count > PAIRS / 10 && compared > PAIRS / 10);
	CHECK(early <= 1e-3 * compared);
	CHECK(spent * 1000 <= PAIRS);
	free_things();
}

/* A ball of radius 0.5 that falls 10 m on a floor 4 m below its lowest point, stopped at a gap of 0.25. */
TEST(by_hand)
{
	make_things();
	cn_mover ball = {.part = &things[0].convex,
	                 .in_body = pose_identity(),
	                 .x0 = {0, 0, 4.5},
	                 .x1 = {0, 0, -5.5},
	                 .q0 = q_identity(),
	                 .radius = 0.5};
	cn_mover floor = {.part = &things[6].convex, .in_body = pose_identity(), .q0 = q_identity(), .radius = INFINITY};
	cn_sweep_options options = {.gap = 0.25, .tolerance = 1e-9, .budget = 100};
	cn_sweep_result r;
	cn_sweep(&ball, &floor, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_REACHED);
	CHECK_NEAR(r.time, 0.375, 1e-9);
	CHECK_NEAR(r.n.z, -1, 1e-12);
	ball.x1 = v3_make(7, 0, 0.76);
	cn_sweep(&ball, &floor, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_FREE);
	ball.x0.z = 0.6;
	cn_sweep(&ball, &floor, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_CLOSE);
	/* two balls that pass at 0.1 */
	cn_mover other = ball;
	ball.x0 = ball.x1 = v3_zero();
	other.x0 = v3_make(-3, 1.1, 0), other.x1 = v3_make(3, 1.1, 0);
	options.gap = 0.11;
	cn_sweep(&ball, &other, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_REACHED);
	CHECK_NEAR(r.time, (3 - sqrt(1.11 * 1.11 - 1.1 * 1.1)) / 6, 1e-6);
	options.gap = 0.09;
	cn_sweep(&ball, &other, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_FREE);
	free_things();
}

/* A floor that tilts by up to half a radian comes up to a ball that hangs still, 50 m from the pivot and 20 m up: where
 * 20 cos - 50 sin = 0.5. */
TEST(tilting_floor)
{
	make_things();
	cn_mover ball = {.part = &things[0].convex, .in_body = pose_identity(), .q0 = q_identity(), .radius = 0.5};
	cn_mover floor = {.part = &things[6].convex, .in_body = pose_identity(), .q0 = q_identity(), .radius = INFINITY};
	ball.x0 = ball.x1 = v3_make(0, 50, 20);
	floor.turn = v3_make(0.5, 0, 0);
	cn_sweep_options options = {.gap = 0, .tolerance = 1e-6, .budget = 1000};
	cn_sweep_result r;
	double angle = cn_atan2(20, 50) - cn_atan2(0.5, sqrt(2900 - 0.25));
	for (int swap = 0; swap < 2; ++swap) {
		cn_sweep(swap ? &floor : &ball, swap ? &ball : &floor, &options, NULL, NULL, &r);
		CHECK_INT(r.status, CN_SWEEP_REACHED);
		CHECK(r.time <= angle / 0.5 && r.time >= angle / 0.5 - 1e-6);
	}
	floor.turn.x = -0.5;
	cn_sweep(&ball, &floor, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_FREE);
	free_things();
}

/* A plate that passes through another between two free poses; one that turns by a quarter and just clears a ball. */
TEST(between_keys)
{
	make_things();
	cn_mover still = {
		.part = &things[2].convex, .in_body = pose_identity(), .q0 = q_identity(), .radius = things[2].convex.reach};
	cn_mover fast = still;
	fast.x0 = v3_make(0, 0, 500), fast.x1 = v3_make(0, 0, -500);
	cn_sweep_options options = {.gap = 0, .tolerance = 1e-6, .budget = 100};
	cn_sweep_result r;
	cn_sweep(&fast, &still, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_REACHED);
	CHECK_NEAR(r.time, (500 - 0.01) / 1000, 1e-8);

	cn_mover blade = still,
			 ball = {.part = &things[0].convex, .in_body = pose_identity(), .q0 = q_identity(), .radius = 0.5};
	double corner = sqrt(0.5 * 0.5 + 0.005 * 0.005);
	blade.turn = v3_make(0, 1.57, 0);
	ball.x0 = ball.x1 = v3_scale(v3_unit(v3_make(1, 0, -1)), corner + 0.5 + 1e-4); /* where the edge comes by */
	cn_sweep(&blade, &ball, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_FREE);
	CHECK(r.tier == CN_TIER_SPLIT);
	ball.x0 = ball.x1 = v3_scale(ball.x0, (corner + 0.5 - 1e-4) / (corner + 0.5 + 1e-4));
	cn_sweep(&blade, &ball, &options, NULL, NULL, &r);
	CHECK_INT(r.status, CN_SWEEP_REACHED);
	free_things();
}

/* A micrometre is a gap near the origin; 1e9 m away coordinates are 1e-7 m apart, and nothing that small is proved. */
TEST(far_from_the_origin)
{
	make_things();
	for (int far = 0; far < 2; ++far) {
		double x = far ? 1e9 : 0;
		cn_mover a = {.part = &things[0].convex, .in_body = pose_identity(), .q0 = q_identity(), .radius = 0.5}, b = a;
		a.x0 = a.x1 = v3_make(x, 0, 0);
		b.x0 = b.x1 = v3_make(x + (1 + 1e-6), 0, 0);
		cn_sweep_options options = {.gap = 0, .tolerance = 1e-9, .budget = 100};
		cn_sweep_result r;
		cn_sweep(&a, &b, &options, NULL, NULL, &r);
		CHECK_INT(r.status, far ? CN_SWEEP_CLOSE : CN_SWEEP_FREE);
	}
	free_things();
}

/* The answer is safe however small the budget. */
TEST(budgets)
{
	make_things();
	for (int k = 0; k < 300; ++k) {
		cn_mover a = mover(&things[1 + k % 4], v3_zero(), 3, 1.5), b = mover(&things[1], v3_make(1.6, 0, 0), 3, 1.5);
		double truth = first_time(&a, &b, -1e-9), last = 0;
		for (uint32_t budget = 2; budget < 40; budget += 3) {
			cn_sweep_options options = {.gap = 0, .tolerance = 1e-6, .budget = budget};
			cn_sweep_result r;
			cn_sweep(&a, &b, &options, NULL, NULL, &r);
			CHECK(r.time <= truth && r.time >= 0);
			CHECK(r.status == CN_SWEEP_CLOSE || r.time >= last);
			CHECK(r.evaluations <= budget);
			last = r.time;
		}
	}
	free_things();
}

/* Hulls whose corners are clusters of points as good as equal, where a walk uphill would get stuck. */
TEST(crowded_hulls)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	static v3 points[96];
	make_things();
	uint32_t crowded = 0, proved = 0;
	for (int h = 0; h < PAIRS / 200; ++h) {
		double share = uniform(), size = h % 2 ? 1e-13 : 1e-11;
		for (int c = 0; c < 12; ++c) {
			v3 corner = direction();
			for (int k = 0; k < 8; ++k) {
				v3 off = direction();
				points[8 * c + k] = v3_scale(v3_madd(corner, off, size), 0.5);
			}
		}
		thing hull = {0};
		cairn_shape_def def = cairn_default_shape_def(CAIRN_HULL);
		def.points = points, def.point_count = 96;
		if (!cn_shape_make(&allocator, &def, NULL, 0, &hull.shape, &error))
			continue;
		hull.convex = *hull.shape.convex;
		hull.solid = cn_solid_make(&allocator, &hull.shape, &error);
		REQUIRE(hull.solid);
		crowded += hull.convex.core.crowded;
		for (int k = 0; k < 10; ++k) {
			v3 side = direction(), across = direction(), axis = direction();
			quat qa = orientation(), qb = orientation();
			cn_mover a = {.part = &hull.convex, .in_body = pose_identity(), .q0 = qa, .radius = 0.6};
			cn_mover b = {.part = &things[1].convex, .in_body = pose_identity(), .q0 = qb, .radius = 0.7};
			a.turn = v3_scale(axis, 0.3);
			b.x0 = v3_scale(side, 1.4);
			b.x1 = v3_scale(v3_madd(side, across, 0.3), 0.85 + 0.1 * share);
			cn_place pa = cn_mover_at(&a, 1), pb = cn_mover_at(&b, 1);
			cn_separation s;
			cn_overlap_answer answer;
			cn_separate(a.part, &pa, b.part, &pb, NULL, &s);
			cn_overlap_pose(hull.solid, frame_at(&a, 1), things[1].solid, frame_at(&b, 1), NULL, &answer);
			CHECK(s.gap <= answer.most + 1e-9 && s.gap >= answer.least - 1e-9);
			cn_sweep_options options = {.gap = 0, .tolerance = 1e-6, .budget = 200};
			cn_sweep_result r;
			cn_sweep(&a, &b, &options, NULL, NULL, &r);
			cn_track ta = {a.in_body, a.x0, v3_lerp(a.x0, a.x1, r.time), a.q0, v3_scale(a.turn, r.time)};
			cn_track tb = {b.in_body, b.x0, v3_lerp(b.x0, b.x1, r.time), b.q0, v3_scale(b.turn, r.time)};
			cn_passage passage;
			cn_overlap_motion(&(cn_moving_solid){hull.solid, &ta}, &(cn_moving_solid){things[1].solid, &tb}, NULL,
			                  10000, NULL, &passage);
			CHECK(r.status == CN_SWEEP_CLOSE || passage.verdict != CN_OVERLAPPING);
			proved += r.status == CN_SWEEP_FREE;
		}
		cn_solid_free(&allocator, hull.solid);
		cn_shape_free(&allocator, &hull.shape);
	}
	CHECK(crowded > 0 && proved > 0);
	free_things();
}

/* Moves b along d until the two are so far apart at time t. */
static void bring_near(const cn_mover *a, cn_mover *b, double t, v3 d, double gap)
{
	v3 *x = t > 0 ? &b->x1 : &b->x0;
	for (int i = 0; i < 8; ++i) {
		cn_place pa = cn_mover_at(a, t), pb = cn_mover_at(b, t);
		cn_separation s;
		cn_separate(a->part, &pa, b->part, &pb, NULL, &s);
		*x = v3_madd(*x, d, (gap - s.gap) / fmax(0.3, v3_dot(s.n, d)));
	}
}

/* Two that are close at both ends of a piece while they turn: their own planes there prove most of them at once, and
 * what is proved is free. */
TEST(close_by_at_both_ends)
{
	make_things();
	uint32_t proved = 0, evaluations = 0, overlaps = 0;
	enum { TRIALS = TEST_FEW ? 500 : 5000 };
	for (int i = 0; i < TRIALS; ++i) {
		double turn = uniform() > 0 ? 0.3 * fabs(uniform()) : 0.05 * fabs(uniform());
		cn_mover a = mover(&things[1 + i % 5], v3_zero(), 0, turn), b = mover(&things[1], v3_zero(), 0, turn);
		v3 d = direction(), aside = v3_scale(direction(), 0.05);
		a.x0 = a.x1 = v3_zero();
		b.x0 = v3_scale(d, 3), b.x1 = v3_add(b.x0, aside);
		bring_near(&a, &b, 0, d, 3e-3 * fabs(uniform()));
		bring_near(&a, &b, 1, d, 3e-3 * fabs(uniform()));
		cn_sweep_options options = {.tolerance = 1e-6, .budget = 200, .whole = true};
		cn_sweep_result r;
		cn_sweep(&a, &b, &options, NULL, NULL, &r);
		evaluations += r.evaluations, proved += r.status == CN_SWEEP_FREE;
		for (int k = 0; r.status == CN_SWEEP_FREE && k <= SAMPLES; ++k)
			overlaps += gap_at(&a, &b, (double)k / SAMPLES, NULL) < 0;
	}
	printf("%u of %u proved, with %.1f separations each\n", proved, TRIALS, (double)evaluations / TRIALS);
	CHECK_INT(overlaps, 0);
	CHECK(proved > TRIALS / 2);
	CHECK(evaluations < 8 * TRIALS); /* without an axis that turns they are several times as many */
	free_things();
}

TEST_MAIN(TEST_CASE(by_hand), TEST_CASE(tilting_floor), TEST_CASE(between_keys), TEST_CASE(far_from_the_origin),
          TEST_CASE(budgets), TEST_CASE(random_pairs), TEST_CASE(crowded_hulls), TEST_CASE(close_by_at_both_ends))
