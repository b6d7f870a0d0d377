/* The check of a frame of many bodies: what must be noticed is noticed, what is clean is clean, and neither the past
 * nor the number of threads changes an answer. */
#include "test.h"

#include "ledger.h"

#include "base/hash.h"
#include "check/frame.h"

enum { MOST_SHAPES = 16, MOST_BODIES = 400, MOST_KEYS = 900 };

static cairn_allocator plain;
static cn_shape shapes[MOST_SHAPES];
static uint32_t shape_count;
static uint64_t state = 1;

static double uniform(void) { return cn_random_signed(&state); }

static v3 in_cube(void)
{
	double x = uniform(), y = uniform(), z = uniform();
	return v3_make(x, y, z);
}

static uint32_t add_shape(const cairn_shape_def *def)
{
	cairn_error error = {0};
	CHECK(shape_count < MOST_SHAPES);
	if (!cn_shape_make(&plain, def, shapes, shape_count, &shapes[shape_count], &error))
		printf("shape: %s %s\n", error.path, error.message);
	return shape_count++;
}

enum { CUBE, BALL, CAPSULE, CYLINDER, HULL, COMPOUND, MESH, FLOOR, WALL, KINDS };

static void make_shapes(void)
{
	static const v3 tip[5] = {{0.5, 0.5, -0.5}, {-0.5, 0.5, -0.5}, {-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0, 0, 0.5}};
	static const uint32_t sides[18] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 0, 2, 1, 0, 3, 2};
	plain = cairn_default_allocator();
	cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
	def.size = v3_make(1, 1, 1);
	(void)add_shape(&def);
	def = cairn_default_shape_def(CAIRN_SPHERE), def.radius = 0.5;
	(void)add_shape(&def);
	def = cairn_default_shape_def(CAIRN_CAPSULE), def.radius = 0.25, def.length = 0.5;
	(void)add_shape(&def);
	def = cairn_default_shape_def(CAIRN_CYLINDER), def.radius = 0.5, def.length = 1;
	(void)add_shape(&def);
	def = cairn_default_shape_def(CAIRN_HULL), def.points = tip, def.point_count = 5;
	(void)add_shape(&def);
	cairn_part parts[2] = {{{CUBE, 1}, {{0, 0, 0}, {1, 0, 0, 0}}}, {{BALL, 1}, {{2, 0, 0}, {1, 0, 0, 0}}}};
	def = cairn_default_shape_def(CAIRN_COMPOUND), def.parts = parts, def.part_count = 2;
	(void)add_shape(&def);
	def = cairn_default_shape_def(CAIRN_MESH), def.points = tip, def.point_count = 5;
	def.triangles = sides, def.triangle_count = 6;
	(void)add_shape(&def);
	def = cairn_default_shape_def(CAIRN_HALFSPACE), def.normal = v3_make(0, 0, 1);
	(void)add_shape(&def);
	def = cairn_default_shape_def(CAIRN_BOX), def.size = v3_make(0.01, 10, 10);
	(void)add_shape(&def);
}

/* A frame as tests write it. */
typedef struct story {
	cn_check_body bodies[MOST_BODIES];
	cn_check_key keys[MOST_KEYS];
	uint64_t exempt[4];
	uint32_t body_count, key_count, exempt_count;
	bool keys_only;
} story;

static cn_check_body body(uint32_t shape, v3 x)
{
	return (cn_check_body){.shape = shape, .group = 1, .mask = 1, .dynamic = true, .x0 = x, .q0 = q_identity()};
}

static uint32_t put(story *s, cn_check_body b)
{
	b.name = s->body_count + 1, b.key_first = s->key_count;
	s->bodies[s->body_count] = b;
	return s->body_count++;
}

/* Where the last body that was put goes next. */
static void go(story *s, double t, v3 x, v3 turn)
{
	cn_check_body *b = &s->bodies[s->body_count - 1];
	quat q = b->key_count ? s->keys[s->key_count - 1].q : b->q0;
	s->keys[s->key_count++] = (cn_check_key){t, x, q_unit(q_mul(q_exp(turn), q)), turn};
	++b->key_count;
}

static bool check_with(cn_certifier *c, cn_pool *pool, uint64_t number, const story *s, cn_check_result *r)
{
	cn_check_frame *f = cn_certifier_frame(c, s->body_count, s->key_count, s->exempt_count);
	if (!f)
		return false;
	f->number = number, f->keys_only = s->keys_only;
	memcpy(f->bodies, s->bodies, s->body_count * sizeof *f->bodies);
	if (s->key_count)
		memcpy(f->keys, s->keys, s->key_count * sizeof *f->keys);
	if (s->exempt_count)
		memcpy(f->exempt, s->exempt, s->exempt_count * sizeof *f->exempt);
	return cn_certifier_check(c, pool, r);
}

static cn_check_result check(const story *s)
{
	cn_check_result r = {0};
	cairn_error error;
	cn_certifier *c = cn_certifier_create(&plain);
	cn_pool *pool = cn_pool_create(&plain, 1);
	CHECK(c && pool && cn_certifier_shapes(c, shapes, shape_count, &error));
	CHECK(check_with(c, pool, 1, s, &r));
	cn_certifier_destroy(c);
	cn_pool_destroy(pool);
	return r;
}

static bool is_clean(const cn_check_result *r)
{
	return r->overlaps == 0 && r->passages == 0 && r->first.a == CN_CHECK_NONE;
}

TEST(nudge)
{
	/* two cubes that touch exactly, then apart, then pushed into each other by 1e-6 of the edge; at every key */
	static const struct {
		double gap;
		bool clean;
	} cases[] = {{0, true}, {1e-6, true}, {-1e-6, false}, {-1e-12, false}, {-1e-15, true}};
	for (size_t i = 0; i < CN_COUNT(cases); ++i) {
		story s = {0};
		(void)put(&s, body(CUBE, v3_make(0, 0, 0)));
		(void)put(&s, body(CUBE, v3_make(1.5, 0.25, 0)));
		go(&s, 1, v3_make(1 + cases[i].gap, 0.25, 0), v3_zero());
		cn_check_result r = check(&s);
		CHECK(is_clean(&r) == cases[i].clean);
		CHECK_INT(r.overlaps, !cases[i].clean);
		CHECK_INT(r.passages, 0);
		CHECK_INT(r.pairs, 1);
		CHECK_INT(r.intervals, cases[i].clean);
		CHECK_NEAR(r.min_gap, cases[i].gap, 1e-14);
		if (!cases[i].clean) {
			CHECK(r.first.a == 0 && r.first.b == 1 && !r.first.passage && r.first.t == 1);
			CHECK_NEAR(r.first.depth, -cases[i].gap, 1e-14);
		}
	}
}

TEST(jump)
{
	/* through a thin wall between two keys: nothing overlaps at either */
	story s = {0};
	cn_check_body wall = body(WALL, v3_zero());
	wall.dynamic = false;
	(void)put(&s, wall);
	(void)put(&s, body(CUBE, v3_make(-2, 0, 0)));
	go(&s, 1, v3_make(2, 0, 0), v3_zero());
	cn_check_result r = check(&s);
	CHECK(r.overlaps == 0 && r.passages == 1 && r.intervals == 0);
	CHECK(r.first.a == 0 && r.first.b == 1 && r.first.passage && r.first.depth > 0);
	CHECK(r.first.t > 0.3 && r.first.t < 0.7);
	s.keys_only = true;
	r = check(&s);
	CHECK(is_clean(&r) && r.intervals == 0 && r.pairs == 1);
	s.keys_only = false, s.keys[0].x.x = -0.505; /* up to the wall: touches it */
	r = check(&s);
	CHECK(is_clean(&r) && r.intervals == 1);
	CHECK_NEAR(r.min_gap, 0, r.bound);
}

TEST(inner_keys)
{
	/* over the wall: straight it would go through */
	story s = {0};
	cn_check_body wall = body(WALL, v3_zero());
	wall.dynamic = false;
	(void)put(&s, wall);
	(void)put(&s, body(CUBE, v3_make(-2, 0, 0)));
	go(&s, 0.25, v3_make(-2, 0, 6), v3_make(0, 0.4, 0));
	go(&s, 0.5, v3_make(2, 0, 6), v3_zero());
	go(&s, 1, v3_make(2, 0, 0), v3_make(0.3, 0, 0));
	cn_check_result r = check(&s);
	CHECK(is_clean(&r));
	CHECK_INT(r.intervals, 3);
	s.keys[0].x.z = s.keys[1].x.z = 5; /* too low: half of it is in the way */
	r = check(&s);
	CHECK(r.overlaps == 0 && r.passages == 1 && r.intervals == 2);
	CHECK(r.first.t > 0.25 && r.first.t < 0.5);
	/* a key inside the wall */
	s.keys[0].x = v3_make(0, 0, 0);
	r = check(&s);
	CHECK(r.overlaps == 1 && r.first.t == 0.25 && !r.first.passage);
	/* both with keys of their own, at other times: cut at all of them */
	story two = {0};
	(void)put(&two, body(BALL, v3_make(0, 0, 0)));
	go(&two, 0.3, v3_make(1, 0, 0), v3_make(0.1, 0.2, 0));
	go(&two, 1, v3_make(1, 0.5, 0), v3_zero());
	(void)put(&two, body(BALL, v3_make(1.2, 0, 0)));
	go(&two, 0.3, v3_make(2.3, 0, 0), v3_zero());
	go(&two, 0.7, v3_make(2.3, 1, 0), v3_zero());
	go(&two, 1, v3_make(2.3, 0.5, 0), v3_make(1, 1, 0));
	r = check(&two);
	CHECK(is_clean(&r));
	CHECK_INT(r.intervals, 3);
}

TEST(swing)
{
	/* A sheet swings by a quarter turn; both ends of the way are below y = 3.6, between them it reaches 5, where a ball
	 * is. With a key of the ball on the way, and with the ball out of the way. */
	for (int i = 0; i < 4; ++i) {
		story s = {0};
		cn_check_body sheet = body(WALL, v3_zero());
		sheet.q0 = q_exp(v3_make(0, 0, -0.785));
		(void)put(&s, sheet);
		go(&s, 1, v3_zero(), v3_make(0, 0, 1.57));
		(void)put(&s, body(BALL, v3_make(0, i / 2 ? 5.6 : 4.5, 0)));
		if (i % 2) {
			go(&s, 0.25, s.bodies[1].x0, v3_zero());
			go(&s, 1, s.bodies[1].x0, v3_make(1, 0, 0));
		}
		cn_check_result r = check(&s);
		CHECK(i / 2 ? is_clean(&r) : r.passages == 1 && r.overlaps == 0 && r.first.passage);
		CHECK(i / 2 || (r.first.t > 0.2 && r.first.t < 0.55));
		CHECK_INT(r.intervals, i == 0 ? 0 : i == 3 ? 2 : 1);
	}
}

TEST(wrong_keys)
{
	story s = {0};
	(void)put(&s, body(CUBE, v3_make(0, 0, 0)));
	go(&s, 0.5, v3_make(1, 0, 0), v3_make(0.1, 0.2, 0.3));
	go(&s, 1, v3_make(2, 0, 0), v3_make(0, 0, 1.5));
	cn_check_result r = check(&s);
	CHECK(is_clean(&r));
	story t = s;
	t.keys[1].turn.z -= 1e-12; /* does not lead where it says */
	r = check(&t);
	CHECK(r.passages == 1 && r.first.a == 0 && r.first.b == CN_CHECK_NONE && r.first.t == 1);
	t = s, t.keys[1].q = q_neg(t.keys[1].q); /* the same orientation */
	r = check(&t);
	CHECK(is_clean(&r));
	t = s, t.keys[1].turn = v3_make(0, 0, 1.5 - 2 * CN_PI); /* leads there, but the other way round: too far */
	r = check(&t);
	CHECK(r.passages == 1 && r.first.a == 0);
	static const double times[][2] = {{0.5, 0.9}, {0.5, 0.5}, {0.7, 0.6}, {0, 1}, {0.5, 1.5}, {-1, 1}, {0.5, NAN}};
	for (size_t i = 0; i < CN_COUNT(times); ++i) {
		t = s, t.keys[0].t = times[i][0], t.keys[1].t = times[i][1];
		r = check(&t);
		CHECK(r.passages == 1 && r.first.a == 0 && r.first.b == CN_CHECK_NONE);
	}
	t = s, t.keys[1].x.y = INFINITY;
	r = check(&t);
	CHECK(r.passages == 1 && r.first.a == 0);
	t = s, t.keys[0].q.w = NAN;
	r = check(&t);
	CHECK(r.passages == 1 && r.first.a == 0);
}

TEST(goes_on)
{
	/* the second frame must begin where the first ended */
	cairn_error error;
	cn_check_result r;
	cn_certifier *c = cn_certifier_create(&plain);
	cn_pool *pool = cn_pool_create(&plain, 1);
	REQUIRE(c && pool && cn_certifier_shapes(c, shapes, shape_count, &error));
	story one = {0}, two = {0};
	(void)put(&one, body(CUBE, v3_zero()));
	go(&one, 1, v3_make(1, 0, 0), v3_zero());
	(void)put(&two, body(CUBE, v3_make(1, 0, 0)));
	go(&two, 1, v3_make(2, 0, 0), v3_zero());
	CHECK(check_with(c, pool, 1, &one, &r) && is_clean(&r));
	cn_certifier_keep(c);
	CHECK(check_with(c, pool, 2, &two, &r) && is_clean(&r)); /* not kept: may be tried again */
	two.bodies[0].x0.x += 1e-15;
	CHECK(check_with(c, pool, 2, &two, &r) && r.passages == 1 && r.first.b == CN_CHECK_NONE);
	two.bodies[0].x0.x = 1, two.bodies[0].q0 = two.keys[0].q = q_exp(v3_make(1e-15, 0, 0));
	CHECK(check_with(c, pool, 2, &two, &r) && r.passages == 1 && r.first.b == CN_CHECK_NONE);
	two.bodies[0].name = 7; /* another body in its place */
	CHECK(check_with(c, pool, 2, &two, &r) && is_clean(&r));
	two.bodies[0].name = 1;
	CHECK(check_with(c, pool, 3, &two, &r) && is_clean(&r)); /* another time */
	cn_certifier_forget(c);
	CHECK(cn_certifier_shapes(c, shapes, shape_count, &error));
	CHECK(check_with(c, pool, 2, &two, &r) && is_clean(&r));
	cn_certifier_destroy(c);
	cn_pool_destroy(pool);
}

/* How far a body of each kind reaches down from its centre. */
static double bottom(uint32_t kind) { return kind == CAPSULE ? 0.5 : kind == FLOOR || kind == WALL ? 0 : 0.5; }

TEST(every_kind)
{
	for (uint32_t a = 0; a <= FLOOR; ++a)
		for (uint32_t b = 0; b < FLOOR; ++b) {
			double touch = bottom(a) + bottom(b);
			for (int nudge = 0; nudge < 2; ++nudge) {
				story s = {0};
				cn_check_body below = body(a, v3_zero());
				below.dynamic = a != FLOOR;
				(void)put(&s, below);
				(void)put(&s, body(b, v3_make(0, 0, touch + 0.5)));
				/* down, turning about the upright; a pyramid stands on its base and has its tip up */
				go(&s, 1, v3_make(0, 0, touch - (nudge ? 1e-6 : -1e-9)), v3_make(0, 0, 0.7));
				cn_check_result r = check(&s);
				CHECK(is_clean(&r) == !nudge);
				CHECK_INT(r.overlaps, nudge);
				if (nudge && (a == MESH || b == MESH)) /* some way out, not the shortest */
					CHECK(r.first.depth > 0);
				else if (nudge)
					CHECK_NEAR(r.first.depth, 1e-6, 1e-6);
				else
					CHECK_NEAR(r.min_gap, 1e-9, 1e-10);
				if (is_clean(&r) == (nudge != 0))
					printf("kinds %u %u\n", a, b);
			}
		}
}

TEST(every_way)
{
	/* straight through each other between two keys */
	for (uint32_t a = 0; a <= FLOOR; ++a)
		for (uint32_t b = 0; b < FLOOR; ++b) {
			story s = {0};
			cn_check_body below = body(a, v3_zero());
			below.dynamic = a != FLOOR;
			(void)put(&s, below);
			(void)put(&s, body(b, v3_make(0.1, 0.1, 4)));
			go(&s, 0.5, v3_make(0.1, 0.1, 3), v3_make(0.1, 0, 0));
			if (a == FLOOR)
				go(&s, 1, v3_make(0.1, 0.1, -3), v3_make(0, 0.1, 0));
			else
				go(&s, 1, v3_make(-0.2, 0, -3), v3_make(0, 0.1, 0));
			cn_check_result r = check(&s);
			CHECK(r.passages + r.overlaps == 1 && r.intervals == 1 && r.first.t > 0.5);
			CHECK(a == FLOOR ? r.overlaps : r.passages);
		}
}

TEST(compound_parts)
{
	/* a part of one against a part of the other; parts of one body are its own business */
	story s = {0};
	cn_check_body arm = body(COMPOUND, v3_make(0, 0, 0)); /* cube at 0, ball at 2 */
	arm.center = v3_make(1, 0, 0), arm.x0 = v3_make(1, 0, 0);
	(void)put(&s, arm);
	(void)put(&s, body(BALL, v3_make(2, 0, 1)));
	cn_check_result r = check(&s);
	CHECK(is_clean(&r));
	CHECK_NEAR(r.min_gap, 0, 1e-14);
	s.bodies[1].x0.z -= 1e-6;
	r = check(&s);
	CHECK(r.overlaps == 2 && r.first.t == 0); /* at the start and at the end */
	CHECK_NEAR(r.first.depth, 1e-6, 1e-12);
	/* between the parts there is room for a small cube */
	story through = {0};
	(void)put(&through, arm);
	(void)put(&through, body(CAPSULE, v3_make(1, 0, 3)));
	go(&through, 1, v3_make(1, 0, -3), v3_make(0, 0, 1));
	r = check(&through);
	CHECK(is_clean(&r) && r.pairs == 1);
	/* the arm sweeps round and its ball meets what stands beside */
	story sweep = {0};
	(void)put(&sweep, arm);
	go(&sweep, 1, v3_make(1, 0, 0), v3_make(0, 0, 1.57));
	(void)put(&sweep, body(BALL, v3_make(1.7, 0.9, 0)));
	r = check(&sweep);
	CHECK(r.passages + r.overlaps >= 1);
	/* apart where it begins and ends, by less than the arm turns: met half-way */
	story past = {0};
	(void)put(&past, arm);
	go(&past, 1, v3_make(1, 0, 0), v3_make(0, 0, 0.5 * CN_PI));
	(void)put(&past, body(BALL, v3_make(1 + 1.9 * sqrt(0.5), 1.9 * sqrt(0.5), 0)));
	r = check(&past);
	CHECK(r.passages == 1 && r.overlaps == 0 && fabs(r.first.t - 0.5) < 0.2);
	past.bodies[1].x0 = v3_make(1 + 2.1 * sqrt(0.5), 2.1 * sqrt(0.5), 0);
	r = check(&past);
	CHECK(is_clean(&r));
}

TEST(exempt)
{
	for (int i = 0; i < 6; ++i) {
		story s = {0};
		cn_check_body p = body(CUBE, v3_zero()), q = body(CUBE, v3_make(0.5, 0, 0));
		bool covered = i == 0 || i == 5;
		p.dynamic = i != 1, q.dynamic = i != 1 && i != 5;
		if (i == 2)
			q.group = 2;
		if (i == 3)
			q.mask = 2;
		(void)put(&s, p);
		(void)put(&s, q);
		if (i == 4)
			s.exempt[0] = 99, s.exempt[1] = 1, s.exempt_count = 2;
		cn_check_result r = check(&s);
		CHECK(is_clean(&r) == !covered);
		CHECK_INT(r.pairs, covered);
	}
}

TEST(come_and_go)
{
	cairn_error error;
	cn_check_result r;
	cn_certifier *c = cn_certifier_create(&plain);
	cn_pool *pool = cn_pool_create(&plain, 1);
	REQUIRE(c && pool && cn_certifier_shapes(c, shapes, shape_count, &error));
	story s = {0};
	(void)put(&s, body(CUBE, v3_zero()));
	(void)put(&s, body(CUBE, v3_make(0.9, 0, 0)));
	s.bodies[1].name = 0; /* not there yet */
	CHECK(check_with(c, pool, 1, &s, &r) && is_clean(&r) && r.pairs == 0);
	cn_certifier_keep(c);
	s.bodies[1].name = 2; /* an input put it in, overlapping */
	s.bodies[1].fresh = true;
	CHECK(check_with(c, pool, 2, &s, &r) && r.overlaps == 2 && r.first.t == 0); /* at the start and at the end */
	CHECK(r.intervals == 0 && r.passages == 0);
	s.bodies[1].x0.x = 1.5; /* and where there is room */
	CHECK(check_with(c, pool, 2, &s, &r) && is_clean(&r));
	cn_certifier_keep(c);
	s.bodies[1].fresh = false;
	s.bodies[1].name = 3; /* its place is used again, by a ball that comes at the end of the frame */
	s.bodies[1].shape = BALL, s.bodies[1].arrives = true, s.bodies[1].x0.x = 0.99;
	CHECK(check_with(c, pool, 3, &s, &r) && r.overlaps == 1 && r.first.t == 1);
	s.bodies[1].x0.x = 1.01;
	CHECK(check_with(c, pool, 3, &s, &r) && is_clean(&r) && r.intervals == 0);
	CHECK_NEAR(r.min_gap, 0.01, 1e-14);
	story late = {0}; /* what comes at the end meets what is there then, not what was there on the way */
	(void)put(&late, s.bodies[1]);
	(void)put(&late, body(CUBE, v3_make(1.5, 0, 0)));
	go(&late, 0.5, v3_make(1, 0, 0), v3_zero());
	go(&late, 1, v3_make(-0.5, 0, 0), v3_zero());
	CHECK(check_with(c, pool, 7, &late, &r) && is_clean(&r) && r.pairs == 1);
	late.keys[1].x.x = 0.5;
	CHECK(check_with(c, pool, 7, &late, &r) && r.overlaps == 1 && r.first.t == 1);
	cn_certifier_keep(c);
	s.bodies[1].arrives = false;
	CHECK(check_with(c, pool, 4, &s, &r) && is_clean(&r) && r.intervals == 1);
	/* once bad, it is bad at every key, and the way between is not proved */
	s.bodies[0].key_first = 0, s.bodies[0].key_count = 1, s.key_count = 1;
	s.keys[0] = (cn_check_key){1, v3_make(0.1, 0, 0), q_identity(), v3_zero()};
	CHECK(check_with(c, pool, 5, &s, &r) && !is_clean(&r)); /* frame 4 was not kept: no past */
	CHECK(check_with(c, pool, 4, &s, &r) && r.overlaps == 1 && r.passages == 0);
	cn_certifier_keep(c);
	s.bodies[0].x0 = s.keys[0].x;
	CHECK(check_with(c, pool, 5, &s, &r) && r.overlaps == 1 && r.intervals == 0 && r.passages == 0);
	cn_certifier_destroy(c);
	cn_pool_destroy(pool);
}

/* A crowd that shakes on a grid: some overlap, some pass, most are clean; some stand still. */
static void make_crowd(story *s, int frame, double still)
{
	s->body_count = s->key_count = 0;
	uint64_t saved = state;
	for (uint32_t i = 0; i < 343; ++i) {
		v3 at = v3_make(i % 7, i / 7 % 7, i / 49);
		state = 77 * i + 1;
		bool stands = 0.5 * (uniform() + 1) < still;
		cn_check_body b = body(i % 4, v3_scale(at, 1.12));
		pose p[2];
		for (int k = 0; k < 2; ++k) {
			state = 1000003 * (uint64_t)(i + 1) + 7919 * (uint64_t)(stands ? 0 : frame + k);
			v3 off = in_cube(), turn = in_cube();
			p[k] = (pose){v3_madd(b.x0, off, 0.06), q_exp(v3_scale(turn, 0.06))};
		}
		b.x0 = p[0].position, b.q0 = p[0].orientation;
		(void)put(s, b);
		go(s, 1, p[1].position, q_turn(p[0].orientation, p[1].orientation));
		s->keys[s->key_count - 1].q = p[1].orientation;
	}
	cn_check_body floor = body(FLOOR, v3_make(0, 0, -0.55));
	floor.dynamic = false;
	(void)put(s, floor);
	state = saved;
}

static bool same_result(const cn_check_result *p, const cn_check_result *q)
{
	return p->pairs == q->pairs && p->intervals == q->intervals && p->overlaps == q->overlaps &&
	       p->passages == q->passages && p->min_gap == q->min_gap && p->min_a == q->min_a && p->min_b == q->min_b &&
	       p->bound == q->bound && p->first.a == q->first.a && p->first.b == q->first.b && p->first.t == q->first.t &&
	       p->first.depth == q->first.depth && p->first.passage == q->first.passage;
}

TEST(past_and_threads)
{
	static story s;
	cairn_error error;
	cn_certifier *c[3];
	cn_pool *pool[2] = {cn_pool_create(&plain, 1), cn_pool_create(&plain, 3)};
	for (int i = 0; i < 3; ++i) {
		c[i] = cn_certifier_create(&plain);
		REQUIRE(c[i] && cn_certifier_shapes(c[i], shapes, shape_count, &error));
	}
	static const double stills[] = {0, 0.5, 0.97, 1};
	uint64_t bad = 0, good = 0, number[3] = {0};
	for (int frame = 0; frame < (TEST_FEW ? 8 : 24); ++frame) {
		cn_check_result r[3];
		make_crowd(&s, frame, stills[frame / 2 % 4]);
		for (int i = 0; i < 3; ++i) {
			number[i] += i < 2 && frame % 2 ? 1 : 2; /* every second time the crowd is another: no past */
			CHECK(check_with(c[i], pool[i == 1], number[i], &s, &r[i]));
			cn_certifier_keep(c[i]);
		}
		CHECK(same_result(&r[0], &r[1])); /* threads */
		/* Without a past the start is looked at too: it may only add what is wrong there. */
		CHECK(r[0].pairs == r[2].pairs && r[0].intervals == r[2].intervals && r[0].passages == r[2].passages);
		CHECK(r[0].min_gap == r[2].min_gap && r[0].min_a == r[2].min_a && r[0].bound == r[2].bound);
		CHECK(r[0].overlaps <= r[2].overlaps);
		bad += r[0].overlaps + r[0].passages, good += r[0].intervals;
	}
	CHECK(bad > 20 && good > 5 * bad);
	for (int i = 0; i < 3; ++i)
		cn_certifier_destroy(c[i]);
	cn_pool_destroy(pool[0]);
	cn_pool_destroy(pool[1]);
}

TEST(least_gap)
{
	/* that of all pairs, each looked at by itself */
	static story s;
	for (int frame = 0; frame < 3; ++frame) {
		make_crowd(&s, frame, 0);
		s.body_count -= 1;
		for (uint32_t i = 0; i < s.body_count; ++i)
			s.bodies[i].x0 = v3_scale(s.bodies[i].x0, 1.5), s.keys[i].x = v3_scale(s.keys[i].x, 1.5);
		cn_check_result r = check(&s);
		double least = INFINITY;
		cn_solid *solids[4];
		for (uint32_t k = 0; k < 4; ++k)
			solids[k] = cn_solid_make(&plain, &shapes[k], NULL);
		for (uint32_t i = 0; i < s.body_count; ++i)
			for (uint32_t j = i + 1; j < s.body_count; ++j) {
				cn_overlap_answer answer;
				if (v3_distance(s.keys[i].x, s.keys[j].x) > 2)
					continue;
				cn_overlap_pose(solids[i % 4], (pose){s.keys[i].x, s.keys[i].q}, solids[j % 4],
				                (pose){s.keys[j].x, s.keys[j].q}, NULL, &answer);
				least = answer.least < least ? answer.least : least;
			}
		CHECK(is_clean(&r));
		CHECK(!(least < 0.02) || fabs(r.min_gap - least) < 1e-12);
		CHECK(r.min_gap >= least - 1e-12);
		for (uint32_t k = 0; k < 4; ++k)
			cn_solid_free(&plain, solids[k]);
	}
}

TEST(largest_bound)
{
	/* that of two sheets among many small things, wherever they stand in the order */
	static story s;
	make_crowd(&s, 0, 0);
	cn_check_result small = check(&s);
	for (uint32_t i = 0; i < 2; ++i) {
		make_crowd(&s, 0, 0);
		uint32_t first = i ? 340 : 0;
		for (uint32_t k = first; k < first + 2; ++k) {
			v3 x = v3_make(100 + 0.05 * (k - first), 0, 100);
			s.bodies[k].shape = WALL, s.bodies[k].x0 = s.keys[k].x = x;
		}
		cn_check_result r = check(&s);
		CHECK(r.bound > 1.5 * small.bound && r.bound < 100 * small.bound);
	}
}

TEST(memory)
{
	static story s;
	ledger l = {0};
	cairn_allocator counted = {&l, ledger_resize};
	cairn_error error;
	cn_check_result r;
	make_crowd(&s, 0, 0);
	cn_pool *pool = cn_pool_create(&plain, 1);
	bool whole = false;
	for (size_t allowed = 0; !whole && allowed < 200; ++allowed) {
		ledger_allow(&l, allowed);
		cn_certifier *c = cn_certifier_create(&counted);
		whole = c && cn_certifier_shapes(c, shapes, shape_count, &error);
		for (uint64_t frame = 1; whole && frame < 3; ++frame) {
			whole = check_with(c, pool, 2 * frame, &s, &r);
		}
		cn_certifier_destroy(c);
		CHECK_INT(l.bytes, 0);
	}
	CHECK(whole);
	cn_pool_destroy(pool);
}

int main(int argc, char **argv)
{
	static const test_case cases[] = {TEST_CASE(nudge),      TEST_CASE(jump),          TEST_CASE(inner_keys),
	                                  TEST_CASE(swing),      TEST_CASE(wrong_keys),    TEST_CASE(goes_on),
	                                  TEST_CASE(every_kind), TEST_CASE(every_way),     TEST_CASE(compound_parts),
	                                  TEST_CASE(exempt),     TEST_CASE(come_and_go),   TEST_CASE(past_and_threads),
	                                  TEST_CASE(least_gap),  TEST_CASE(largest_bound), TEST_CASE(memory)};
	make_shapes();
	int failed = test_run(cases, CN_COUNT(cases), argc > 1 ? argv[1] : NULL);
	for (uint32_t i = 0; i < shape_count; ++i)
		cn_shape_free(&plain, &shapes[i]);
	return failed;
}
