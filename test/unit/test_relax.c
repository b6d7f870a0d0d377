/* The methods that sweep over contacts: pgs, soft, xpbd. What each must do as well as the engines that it stands for: stacks
 * that stand, the angle of friction, restitution, momentum, joints; and what all methods must: the ledger, snapshots, keys. */
#include "classic_yard.h"

#include "base/short_turn.h"
#include "step/relax/sweeps.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const METHODS[] = {"pgs", "soft", "xpbd"};

/* Five cubes upon each other, a tenth of a millimetre apart, stand for five seconds. */
TEST(a_stack_stands)
{
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		cairn_scene *s = classic_scene(METHODS[m], v3_make(0, 0, -10), 30);
		cairn_material wood = yard_material(s, 0, 0.5);
		cairn_shape cube = yard_box(s, 1, 1, 1);
		yard_plane(s, wood, v3_make(0, 0, 1), 0);
		for (int i = 0; i < 5; ++i) {
			cairn_body_def d = yard_body(cube, wood, v3_make(0, 0, 0.5 + 1.0001 * i));
			d.name = i == 4 ? "top" : "";
			REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
		}
		classic c = classic_open(s, 1);
		for (int i = 0; i < 150; ++i)
			classic_step(&c);
		cairn_key top = classic_key(&c, "top");
		printf("%s: top at %.4f, %.4f aside, speed %.2g, deepest %.4f, rise %.2g, ledger %.1g\n", METHODS[m],
		       top.position.z, hypot(top.position.x, top.position.y), v3_length(top.velocity), c.deepest, c.rise,
		       c.ledger);
		CHECK_NEAR(top.position.z, 4.5, 0.05);
		CHECK(hypot(top.position.x, top.position.y) < 0.05);
		CHECK(v3_length(top.velocity) < 0.1 && c.deepest < 0.03);
		CHECK(c.ledger < 1e-10 && c.rise < 0.01);
		classic_close(&c);
	}
}

/* A block on a slope, seen in the slope's axes: it holds where tan is below mu, and slides with g (sin - mu cos) above. */
static double slid(const char *method, double degrees, double mu, double seconds)
{
	double angle = degrees * CN_PI / 180;
	cairn_scene *s = classic_scene(method, v3_make(10 * sin(angle), 0, -10 * cos(angle)), 30);
	cairn_material m = yard_material(s, 0, mu);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_box(s, 2, 1, 0.4), m, v3_make(0, 0, 0.2));
	d.name = "block";
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	for (int i = 0; i < 30 * seconds; ++i)
		classic_step(&c);
	double way = classic_key(&c, "block").position.x;
	CHECK(c.ledger < 1e-10);
	classic_close(&c);
	return way;
}

TEST(friction_holds_and_slides)
{
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		double holds = slid(METHODS[m], 24, 0.5, 2), slides = slid(METHODS[m], 35, 0.5, 2), a = 35 * CN_PI / 180;
		double wanted = 0.5 * 10 * (sin(a) - 0.5 * cos(a)) * 4;
		printf("%s: at 24 degrees %.2g m, at 35 degrees %.4f m of %.4f\n", METHODS[m], holds, slides, wanted);
		CHECK(fabs(holds) < 0.01);
		CHECK_NEAR(slides, wanted, 0.05 * wanted);
	}
}

/* A ball that hits a wall leaves it with e times its speed; two that meet keep momentum and, with e = 1, energy. */
TEST(restitution)
{
	const double wanted[] = {1, 0.8, 0.4, 0};
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m)
		for (size_t i = 0; i < CN_COUNT(wanted); ++i) {
			cairn_scene *s = classic_scene(METHODS[m], v3_zero(), 60);
			cairn_material rubber = yard_material(s, wanted[i], 0);
			cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.5, 0);
			yard_plane(s, rubber, v3_make(1, 0, 0), 0);
			cairn_body_def d = yard_body(ball, rubber, v3_make(1, 0, 0));
			d.name = "ball", d.velocity = v3_make(-2, 1, 0);
			REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
			yard_add(s, ball, rubber, v3_make(10, 10, 0), v3_make(3, 0, 0));
			yard_add(s, ball, rubber, v3_make(12, 10, 0), v3_zero());
			classic c = classic_open(s, 1);
			for (int k = 0; k < 60; ++k)
				classic_step(&c);
			cairn_key k = classic_key(&c, "ball");
			cairn_body all[4];
			REQUIRE(cairn_world_bodies(c.world, all, 4) == 4);
			double left = cairn_world_body_key(c.world, all[2]).velocity.x,
				   right = cairn_world_body_key(c.world, all[3]).velocity.x;
			CHECK_NEAR(k.velocity.x, 2 * wanted[i], 1e-9 + (strcmp(METHODS[m], "pgs") ? 0.02 : 0));
			CHECK_NEAR(k.velocity.y, 1, 1e-12);
			CHECK_NEAR(left + right, 3, 1e-12);
			CHECK_NEAR(right - left, 3 * wanted[i], 1e-9 + (strcmp(METHODS[m], "pgs") ? 0.03 : 0));
			CHECK(c.ledger < 1e-10);
			classic_close(&c);
		}
}

/* A rod on a ball joint swings through a second: it stays on its point, and its energy does not grow. */
TEST(a_pendulum_stays_on_its_joint)
{
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		cairn_scene *s = classic_scene(METHODS[m], v3_make(0, 0, -10), 60);
		cairn_body_def d = yard_body(yard_box(s, 1, 0.1, 0.1), yard_material(s, 0, 0), v3_make(0.5, 0, 0));
		d.name = "rod";
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_BALL, j.a = cairn_scene_add_body(s, &d, NULL), j.point = v3_zero();
		REQUIRE(cairn_scene_add_joint(s, &j, NULL).generation);
		classic c = classic_open(s, 1);
		double error = 0, low = 0;
		for (int i = 0; i < 60; ++i) {
			classic_step(&c);
			error = fmax(error, c.report.joint_error);
			low = fmin(low, classic_key(&c, "rod").position.z);
		}
		printf("%s: joint off by %.4f m, lowest %.4f, rise %.2g units\n", METHODS[m], error, low, c.rise);
		CHECK(error > 0 && error < 0.05);
		CHECK_NEAR(low, -0.5, 0.05);
		CHECK(c.rise < 0.02 && c.ledger < 1e-10);
		classic_close(&c);
	}
}

/* A door with limits and a motor: it opens as far as the limit lets it, and the motor's work is on its account. */
TEST(limits_and_motors)
{
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		cairn_scene *s = classic_scene(METHODS[m], v3_zero(), 60);
		cairn_body_def d = yard_body(yard_box(s, 1, 0.1, 2), yard_material(s, 0, 0), v3_make(0.5, 0, 0));
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_HINGE, j.b = cairn_scene_add_body(s, &d, NULL), j.axis = v3_make(0, 0, 1);
		j.has_limits = true, j.low = -0.1, j.high = 0.8;
		j.motor = CAIRN_MOTOR_SPEED, j.speed = 1, j.most = 1e5;
		cairn_joint hinge = cairn_scene_add_joint(s, &j, NULL);
		REQUIRE(hinge.generation);
		classic c = classic_open(s, 1);
		double brought = 0, half = 0;
		for (int i = 0; i < 120; ++i) {
			classic_step(&c);
			brought += c.report.energy.joints;
			half = i == 29 ? cairn_world_joint(c.world, hinge).position : half;
		}
		printf("%s: turned %.4f after half a second, %.4f at its limit, motor brought %.3g J\n", METHODS[m], half,
		       cairn_world_joint(c.world, hinge).position, brought);
		CHECK_NEAR(half, 0.5, 0.03);
		CHECK_NEAR(cairn_world_joint(c.world, hinge).position, 0.8, 0.05);
		CHECK(brought > 0 && c.ledger < 1e-10);
		classic_close(&c);
	}
}

/* A heap with a script and a body that spins fast: the ledger adds up, keys turn by less than a quarter turn, and threads
 * and snapshots change nothing. */
static cairn_scene *heap(const char *method)
{
	cairn_scene *s = classic_scene(method, v3_make(0, 0, -10), 30);
	classic_set(s, "certify", "off");
	cairn_material m = yard_material(s, 0.3, 0.4);
	cairn_script_key keys[] = {{0, {{-3, 0, 0.5}, {1, 0, 0, 0}}}, {1, {{-0.8, 0, 0.5}, {1, 0, 0, 0}}}};
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int i = 0; i < 12; ++i) {
		cairn_shape shape = i % 3 == 0   ? yard_box(s, 0.8, 0.5, 0.3)
		                    : i % 3 == 1 ? yard_round(s, CAIRN_SPHERE, 0.3, 0)
		                                 : yard_round(s, CAIRN_CAPSULE, 0.2, 0.5);
		cairn_body_def d = yard_body(shape, m, v3_make(0.3 * (i % 2), 0.2 * (i % 3), 0.6 + 0.8 * i));
		d.spin = i == 1 ? v3_make(0, 70, 0) : v3_make(i, 0, 1);
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	}
	cairn_body_def d = yard_body(yard_box(s, 0.4, 3, 1), m, v3_zero());
	d.type = CAIRN_SCRIPTED, d.keys = keys, d.key_count = 2;
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	return s;
}

TEST(a_heap_keeps_its_ledger_on_any_threads)
{
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		classic one = classic_open(heap(METHODS[m]), 1), three = classic_open(heap(METHODS[m]), 3);
		bool several = false;
		cairn_quat last[16];
		cairn_body bodies[16];
		uint32_t count = cairn_world_bodies(one.world, bodies, 16);
		for (uint32_t k = 0; k < count; ++k)
			last[k] = cairn_world_body_key(one.world, bodies[k]).orientation;
		for (int i = 0; i < 60; ++i) {
			classic_step(&one), classic_step(&three);
			CHECK(cairn_world_hash(one.world) == cairn_world_hash(three.world));
			for (uint32_t k = 0; k < count; ++k) {
				cairn_key keys[65];
				uint32_t keyed = cairn_world_body_keys(one.world, bodies[k], keys, 65);
				several |= keyed > 1;
				for (uint32_t n = 0; n < keyed; last[k] = keys[n++].orientation) { /* each turn leads from key to key */
					quat there = q_mul(q_exp(keys[n].turn), last[k]);
					CHECK(v3_length(keys[n].turn) < CN_PI / 2);
					CHECK(1 - fabs(q_dot(there, keys[n].orientation)) < 1e-9);
				}
			}
		}
		printf("%s: ledger %.1g, rise %.2g\n", METHODS[m], one.ledger, one.rise);
		CHECK(several && one.ledger < 1e-9);
		classic_close(&one), classic_close(&three);
	}
}

/* Enough in contact to be swept over by region: threads change no bit, and nothing is forgotten between regions. A large plate that
 * lies upon all makes pairs whose regions are no neighbours, and more than there are colours. */
TEST(regions_are_swept_over_by_any_threads)
{
	enum { SIDE = 20, LAYERS = 5 };
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		classic of[3];
		for (uint32_t k = 0; k < 3; ++k) {
			cairn_scene *s = classic_scene(METHODS[m], v3_make(0, 0, -10), 30);
			classic_set(s, "certify", "off");
			cairn_material wood = yard_material(s, 0.2, 0.5);
			cairn_shape cube = yard_box(s, 0.4, 0.4, 0.4), plate = yard_box(s, 0.41 * SIDE, 3, 0.2);
			yard_plane(s, wood, v3_make(0, 0, 1), 0);
			for (int i = 0; i < LAYERS * SIDE * SIDE / 2; ++i)
				yard_add(s, cube, wood,
				         v3_make(0.41 * (i % SIDE - 0.5 * SIDE), 0.405 * (i / SIDE % (SIDE / 2)),
				                 0.201 + 0.402 * (i / (SIDE * SIDE / 2))),
				         v3_zero());
			yard_add(s, plate, wood, v3_make(0, 2, 0.402 * LAYERS + 0.101), v3_zero());
			of[k] = classic_open(s, k + 1);
		}
		for (int i = 0; i < (TEST_FEW ? 5 : 15); ++i) {
			for (int k = 0; k < 3; ++k)
				classic_step(&of[k]);
			CHECK(cairn_world_hash(of[0].world) == cairn_world_hash(of[1].world));
			CHECK(cairn_world_hash(of[0].world) == cairn_world_hash(of[2].world));
		}
		const cn_relax_order *o = &of[0].world->context->relax->order;
		uint32_t across = o->tasks[o->phases[2]].end - o->tasks[o->phases[2]].begin;
		printf("%s: %u regions, %u tasks, ledger %.1g, %u pairs\n", METHODS[m], o->region_count, o->task_count,
		       of[0].ledger, of[0].report.close_pairs);
		CHECK(o->region_count > 2 && o->phase_count > 4 && across > 0);
		CHECK(of[0].ledger < 1e-9 && of[0].rise < 0.01);
		for (int k = 0; k < 3; ++k)
			classic_close(&of[k]);
	}
}

TEST(a_snapshot_goes_on_as_the_world_did)
{
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		classic a = classic_open(heap(METHODS[m]), 1), b = classic_open(heap(METHODS[m]), 1);
		for (int i = 0; i < 25; ++i)
			classic_step(&a);
		size_t size = cairn_world_snapshot_size(a.world);
		void *bytes = malloc(size);
		REQUIRE(bytes && cairn_world_snapshot(a.world, bytes, size, NULL) &&
		        cairn_world_restore(b.world, bytes, size, NULL));
		for (int i = 0; i < 25; ++i) {
			cairn_world_step(a.world), cairn_world_step(b.world);
			CHECK(cairn_world_hash(a.world) == cairn_world_hash(b.world));
		}
		free(bytes);
		classic_close(&a), classic_close(&b);
	}
}

/* More steps, and more inner steps, bring less overlap in a stack that falls together. */
TEST(finer_steps_overlap_less)
{
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		double deepest[2];
		for (int fine = 0; fine < 2; ++fine) {
			cairn_scene *s = classic_scene(METHODS[m], v3_make(0, 0, -10), 30);
			cairn_material wood = yard_material(s, 0.3, 0.3);
			cairn_shape cube = yard_box(s, 1, 1, 1);
			yard_plane(s, wood, v3_make(0, 0, 1), 0);
			for (int i = 0; i < 6; ++i)
				yard_add(s, cube, wood, v3_make(0.02 * (i % 3), 0, 1 + 1.5 * i), v3_zero());
			classic_set(s, "substeps", fine ? "8" : "1");
			classic c = classic_open(s, 1);
			for (int i = 0; i < 60; ++i)
				classic_step(&c);
			deepest[fine] = c.deepest;
			classic_close(&c);
		}
		printf("%s: deepest %.4f m at one step, %.4f m at eight\n", METHODS[m], deepest[0], deepest[1]);
		CHECK(deepest[1] < 0.5 * deepest[0]);
	}
}

TEST(senseless_options_are_refused)
{
	cairn_error e = {0};
	cairn_scene *s = classic_scene("pgs", v3_zero(), 30);
	const char *const bad[][3] = {{"iterations", "0", "from 1 to 10000"}, {"inner", "0", "1 to 256"},
	                              {"slop", "-1", "from 0 to 1"},          {"slop", "nan", "from 0 to 1"},
	                              {"correction", "hope", "split"},        {"compliance", "2", "from 0 to 1"}};
	for (size_t i = 0; i < CN_COUNT(bad); ++i) {
		CHECK(!cairn_scene_set_option(s, bad[i][0], bad[i][1], &e));
		CHECK_INT(e.code, CAIRN_USAGE);
		CHECK_HAS(e.message, bad[i][2]);
	}
	CHECK(cairn_scene_set_option(s, "compliance", "1e-6", &e)); /* of another method */
	CHECK(!cairn_world_create(s, NULL, &e));
	CHECK_TEXT(e.path, "world.options.compliance");
	cairn_scene_destroy(s);
}

/* Baumgarte's correction turns depth into speed, the split one does not: of two balls put into each other by an input. */
TEST(split_correction_brings_no_speed)
{
	double speed[2];
	for (int i = 0; i < 2; ++i) {
		cairn_scene *s = classic_scene("pgs", v3_zero(), 30);
		cairn_material m = yard_material(s, 0, 0);
		cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.5, 0);
		yard_add(s, ball, m, v3_zero(), v3_zero());
		classic_set(s, "correction", i ? "baumgarte" : "split");
		classic c = classic_open(s, 1);
		cairn_body_def d = yard_body(ball, m, v3_make(0.8, 0, 0));
		d.name = "other";
		REQUIRE(cairn_world_add_body(c.world, &d, NULL).generation);
		for (int k = 0; k < 30; ++k)
			cairn_world_step(c.world);
		cairn_key key = classic_key(&c, "other");
		speed[i] = key.velocity.x;
		CHECK(key.position.x > 0.85);
		classic_close(&c);
	}
	CHECK(fabs(speed[0]) < 1e-12);
	CHECK(speed[1] > 0.05);
}

/* ---- the sweeps of machines with AVX2 beside those of all others */

enum { PACKS = 9, POINTS_EACH = 3, BODIES = 8 * PACKS + 1 };

static double random_number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) * (2.0 / 9007199254740992.0) - 1;
}

static void fill(void *to, size_t size, uint64_t *state)
{
	for (size_t i = 0; i < size / sizeof(double); ++i)
		((double *)to)[i] = random_number(state);
}

/* Packs of numbers without sense, but with bodies of their own and impulses that press. */
static void make_packs(cn_relax *s, uint64_t state)
{
	fill(s->speed, BODIES * sizeof *s->speed, &state);
	fill(s->way, BODIES * sizeof *s->way, &state);
	fill(s->other, BODIES * sizeof *s->other, &state);
	fill(s->points, PACKS * POINTS_EACH * sizeof *s->points, &state);
	s->pack_count = PACKS;
	for (uint32_t i = 0; i < PACKS; ++i) {
		cn_relax_pack *p = &s->packs[i];
		fill(&p->inv_a, offsetof(cn_relax_pack, sliding) - offsetof(cn_relax_pack, inv_a), &state);
		p->first = POINTS_EACH * i, p->count = POINTS_EACH;
		p->inv_a *= p->inv_a, p->inv_b *= p->inv_b;
		for (uint32_t k = 0; k < CN_RELAX_FOUR; ++k) {
			p->a[k] = 8 * i + k, p->b[k] = k == 3 ? BODIES - 1 : 8 * i + 4 + k;
			p->sliding[k] = i & 1 ? -1 : 0, p->stands[k] = k == 3 ? -1 : 0;
			if (k == 3)
				p->inv_b[k] = 0, v3x4_set(&p->iwb, k, v3_zero()), v3x4_set(&p->itb[0], k, v3_zero()),
				v3x4_set(&p->itb[1], k, v3_zero());
		}
		for (uint32_t k = p->first; k < p->first + p->count; ++k) {
			s->points[k].impulse *= s->points[k].impulse, s->points[k].mass *= s->points[k].mass;
			v3x4_set(&s->points[k].ib, 3, v3_zero());
		}
	}
}

static void run_all(cn_relax *s, const cn_relax_sweeps *sweeps)
{
	cn_pgs pgs = {s, 0.03, 0.2, 0.005, 0.1, true};
	cn_soft soft = {s, 0.004, 0.005, 0.1, 3, {5, 0.9, 0.1}, {9, 0.8, 0.2}, {0, 1, 0}};
	cn_xpbd xpbd = {s, 0.004, 1e-6, 0.1};
	cn_relax_span all = {0, PACKS};
	sweeps->approach(s, all);
	sweeps->warm(s, all);
	sweeps->pgs.goals(&pgs, all);
	sweeps->pgs.sweep(&pgs, all);
	sweeps->pgs.split(&pgs, all);
	sweeps->soft.push(&soft, all);
	sweeps->soft.relax(&soft, all);
	sweeps->soft.bounce(&soft, all);
	sweeps->xpbd.begin(&xpbd, all);
	sweeps->xpbd.positions(&xpbd, all);
	sweeps->xpbd.velocities(&xpbd, all);
}

TEST(wide_sweeps_give_the_same_bits)
{
	static cn_relax_twist speed[2][BODIES], way[2][BODIES], other[2][BODIES];
	static cn_relax_pack packs[2][PACKS];
	static cn_relax_point points[2][PACKS * POINTS_EACH];
	const cn_relax_sweeps *wide = cn_relax_sweeps_wide();
	for (uint64_t seed = 1; seed <= 50; ++seed) {
		for (int i = 0; i < 2; ++i) {
			cn_relax s = {.speed = speed[i], .way = way[i], .other = other[i], .packs = packs[i], .points = points[i]};
			make_packs(&s, seed);
			run_all(&s, i && wide ? wide : &cn_relax_sweeps_plain);
		}
		CHECK(memcmp(speed[0], speed[1], sizeof speed[0]) == 0 && memcmp(way[0], way[1], sizeof way[0]) == 0);
		CHECK(memcmp(other[0], other[1], sizeof other[0]) == 0 && memcmp(packs[0], packs[1], sizeof packs[0]) == 0);
		CHECK(memcmp(points[0], points[1], sizeof points[0]) == 0);
	}
	printf(wide ? "compared\n" : "this machine has no AVX2: nothing to compare\n");
}

/* A plate on a hundred cubes: more pairs than there are colours. All of them carry it. */
TEST(a_body_with_more_pairs_than_colours)
{
	for (size_t m = 0; m < CN_COUNT(METHODS); ++m) {
		cairn_scene *s = classic_scene(METHODS[m], v3_make(0, 0, -10), 30);
		cairn_material wood = yard_material(s, 0, 0.5);
		yard_plane(s, wood, v3_make(0, 0, 1), 0);
		cairn_shape cube = yard_box(s, 0.4, 0.4, 0.4), plate = yard_box(s, 10, 10, 0.4);
		for (int i = 0; i < 100; ++i) {
			cairn_body_def d = yard_body(cube, wood, v3_make(i % 10 - 4.5, i / 10 - 4.5, 0.2));
			REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
		}
		cairn_body_def d = yard_body(plate, wood, v3_make(0, 0, 0.6));
		d.name = "plate";
		REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
		classic c = classic_open(s, 1);
		for (int i = 0; i < 60; ++i)
			classic_step(&c);
		cairn_key k = classic_key(&c, "plate");
		printf("%s: the plate at %.4f, deepest %.4f\n", METHODS[m], k.position.z, c.deepest);
		CHECK_NEAR(k.position.z, 0.6, 0.02);
		CHECK(v3_length(k.spin) < 0.02 && c.deepest < 0.02);
		classic_close(&c);
	}
}

/* The series of a short turn is the exponential, up to where it ends. */
TEST(short_turns_are_turns)
{
	for (int i = 0; i <= 100; ++i) {
		v3 r = v3_scale(v3_unit(v3_make(1, -2, 0.5 + i)), 0.001 * i);
		quat p = q_exp(r), q = q_exp_short(r);
		CHECK(q_is_short(v3_scale(r, 0.999)) && !q_is_short(v3_make(0.1001, 0, 0)));
		CHECK_NEAR(p.w, q.w, 4e-16);
		CHECK(v3_distance(v3_make(p.x, p.y, p.z), v3_make(q.x, q.y, q.z)) < 4e-16);
	}
}

TEST_MAIN(TEST_CASE(a_stack_stands), TEST_CASE(short_turns_are_turns), TEST_CASE(friction_holds_and_slides),
          TEST_CASE(restitution), TEST_CASE(a_pendulum_stays_on_its_joint), TEST_CASE(limits_and_motors),
          TEST_CASE(a_heap_keeps_its_ledger_on_any_threads), TEST_CASE(regions_are_swept_over_by_any_threads),
          TEST_CASE(a_snapshot_goes_on_as_the_world_did), TEST_CASE(finer_steps_overlap_less),
          TEST_CASE(senseless_options_are_refused), TEST_CASE(split_correction_brings_no_speed),
          TEST_CASE(wide_sweeps_give_the_same_bits), TEST_CASE(a_body_with_more_pairs_than_colours))
