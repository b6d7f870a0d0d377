/* Analytic contact forces (RBS 3.4): what rests neither sinks nor slides, points move on curves, and forces are those of the exact
 * program. */
#include "classic_yard.h"

#include "num/qp_exact.h"
#include "step/classic/classic.h"

#include "draw.h"

#include <stdio.h>

static const v3 DOWN = {0, 0, -9.81};

static cairn_scene *analytic(v3 gravity, const char *substeps, const char *vanishing)
{
	cairn_scene *s = classic_scene("analytic", gravity, 30);
	classic_set(s, "substeps", substeps);
	classic_set(s, "vanishing", vanishing);
	return s;
}

/* ---- rest */

static double sunk(const char *method, int frames, double *half)
{
	cairn_scene *s = classic_scene(method, DOWN, 30);
	cairn_material m = yard_material(s, 0, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_box(s, 0.5, 0.5, 0.5), m, v3_make(0, 0, 0.3));
	d.name = "block";
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	for (int i = 0; i < frames; ++i) {
		classic_step(&c);
		if (i == frames / 2)
			*half = 0.25 - classic_key(&c, "block").position.z;
	}
	double end = 0.25 - classic_key(&c, "block").position.z;
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
	return end;
}

/* A block that falls 5 cm and comes to rest: it goes on sinking with impulses alone, and does not with forces. */
TEST(what_rests_does_not_sink)
{
	double half, end = sunk("impulse", 120, &half);
	CHECK(end > 1e-3 && end > 1.8 * half);
	end = sunk("analytic", 120, &half);
	CHECK(fabs(end) < 1e-8 && fabs(end - half) < 1e-12);
}

/* A diamond of bricks, rows of 1, 2 .. n .. 2, 1, each so far above what it stands on. */
static cairn_scene *diamond(int n, double gap, const char *substeps, const char *vanishing)
{
	cairn_scene *s = analytic(DOWN, substeps, vanishing);
	cairn_material m = yard_material(s, 0, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape brick = yard_box(s, 1, 0.5, 0.4);
	char name[24];
	for (int row = 0; row < 2 * n - 1; ++row) {
		int count = row < n ? row + 1 : 2 * n - 1 - row;
		for (int i = 0; i < count; ++i) {
			cairn_body_def d =
				yard_body(brick, m, v3_make(1.0004 * (i - 0.5 * (count - 1)), 0, 0.2 + gap + (0.4 + gap) * row));
			snprintf(name, sizeof name, "%d.%d", row, i);
			d.name = name;
			CHECK(cairn_scene_add_body(s, &d, NULL).generation);
		}
	}
	return s;
}

typedef struct bricks {
	double moved, fell, unlike; /* m: furthest from where it was; deepest; from the mirror image of another */
} bricks;

static v3 brick_at(const classic *c, int row, int i)
{
	char name[24];
	snprintf(name, sizeof name, "%d.%d", row, i);
	return classic_key(c, name).position;
}

static bricks look(const classic *c, int n)
{
	bricks b = {0};
	for (int row = 0; row < 2 * n - 1; ++row) {
		int count = row < n ? row + 1 : 2 * n - 1 - row;
		for (int i = 0; i < count; ++i) {
			v3 x = brick_at(c, row, i), y = brick_at(c, row, count - 1 - i);
			v3 first = v3_make(1.0004 * (i - 0.5 * (count - 1)), 0, 0.2 + 0.4 * row);
			b.moved = fmax(b.moved, v3_distance(x, first));
			b.fell = fmax(b.fell, first.z - x.z);
			b.unlike = fmax(b.unlike, v3_distance(x, v3_make(-y.x, y.y, y.z)));
		}
	}
	return b;
}

/* The text's diamonds of three and four fell. */
TEST(diamonds_stand_for_a_minute)
{
	for (int n = 2; n <= 4; ++n) {
		classic c = classic_open(diamond(n, 0, "2", "lcp"), 1);
		for (int i = 0; i < (TEST_FEW ? 60 : 1800); ++i)
			classic_step(&c);
		bricks b = look(&c, n);
		printf("diamond of %d: moved %.2g m, depth %.2g m\n", n, b.moved, c.deepest);
		CHECK(b.moved < 1e-4);
		CHECK(c.deepest < 1e-9);
		CHECK(c.rise < 1e-10);
		CHECK_NEAR(c.ledger, 0, 1e-12);
		classic_close(&c);
	}
}

/* Bricks that begin 0.4 mm apart, as in the bundled scenes, land upon each other in hundreds of hits in a frame. What these leave
 * across no friction ends, so it has to be next to nothing: a sixth of a millimetre a second takes a centimetre in a minute. With a
 * limit of 8 flights a substep the hits are cut short, and those of three and four come apart within seconds. */
TEST(diamonds_that_land_stand)
{
	for (int n = 2; n <= 4; ++n) {
		cairn_scene *s = diamond(n, 4e-4, "16", "lcp");
		classic_set(s, "certify", "off");
		classic c = classic_open(s, 1);
		double fastest = 0;
		uint32_t cut = 0;
		for (int i = 0; i < (TEST_FEW ? 2 : 150); ++i) {
			classic_step(&c);
			cut += c.report.text_fallbacks;
		}
		for (int row = 0; row < 2 * n - 1; ++row)
			for (int i = 0; i < (row < n ? row + 1 : 2 * n - 1 - row); ++i) {
				char name[24];
				snprintf(name, sizeof name, "%d.%d", row, i);
				fastest = fmax(fastest, v3_length(classic_key(&c, name).velocity));
			}
		printf("diamond of %d that lands: moved %.2g m, %.2g m/s are left\n", n, look(&c, n).moved, fastest);
		CHECK_INT(cut, 0);
		CHECK(TEST_FEW || fastest < 5e-4);
		CHECK(TEST_FEW || look(&c, n).moved < 2.5e-3);
		CHECK(c.rise < 1e-4);
		CHECK_NEAR(c.ledger, 0, 1e-12);
		classic_close(&c);
	}
}

/* What makes the halves unlike is rounding, which thousands of hits a frame enlarge. */
TEST(the_diamond_of_five_falls_symmetrically)
{
	cairn_scene *s = diamond(5, 0, "16", "lcp");
	classic_set(s, "certify", "off"); /* thousands of hits a frame */
	classic c = classic_open(s, 1);
	bricks b = {0};
	double unlike = 0;
	for (int i = 0; i < (TEST_FEW ? 2 : 9); ++i) {
		classic_step(&c);
		b = look(&c, 5);
		unlike = fmax(unlike, b.unlike);
	}
	printf("diamond of 5: fell %.3g m, unlike its mirror image by %.2g m\n", b.fell, unlike);
	CHECK(b.fell > (TEST_FEW ? 0.005 : 0.1));
	CHECK(unlike < 1e-4);
	CHECK(c.rise < 1e-4);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
}

/* The text's guess, as it comes: forces are found, each way is counted, and nothing is lost from the ledger. */
TEST(guesses_are_counted)
{
	classic c = classic_open(diamond(3, 0, "1", "guess"), 1);
	uint32_t right = 0, wrong = 0, programs = 0;
	for (int i = 0; i < (TEST_FEW ? 10 : 90); ++i) {
		classic_step(&c);
		right += c.report.guesses + c.report.second_guesses, wrong += c.report.text_fallbacks;
		programs += c.report.programs;
	}
	bricks b = look(&c, 3);
	printf("diamond of 3 by guesses: %u right, %u fell back, of %u; moved %.2g m\n", right, wrong, programs, b.moved);
	CHECK(programs > 0 && right > 0 && right + wrong <= programs);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
}

/* ---- curves: forces without work, points that stay on their surfaces */

/* A vertex on a face: a spindle that stands tilted on its tip, on a floor without friction. Its centre falls straight down,
 * and v = l sin(a) w, v^2/2 + k^2 w^2/2 = g (z0 - z). */
static void fill_spindle(cairn_scene *s, cairn_material m, double tilt)
{
	const v3 points[6] = {{0, 0, -1}, {0, 0, 1}, {0.1, 0, 0}, {-0.1, 0, 0}, {0, 0.1, 0}, {0, -0.1, 0}};
	cairn_shape_def d = cairn_default_shape_def(CAIRN_HULL);
	d.points = points, d.point_count = 6;
	cairn_body_def b = yard_body(cairn_scene_add_shape(s, &d, NULL), m, v3_make(0, 0, cos(tilt)));
	const double inertia[9] = {1.0 / 3, 0, 0, 0, 1.0 / 3, 0, 0, 0, 0.01};
	b.name = "spindle", b.mass = 1, b.has_inertia = true;
	memcpy(b.inertia, inertia, sizeof inertia);
	b.pose.orientation = (quat){cos(0.5 * tilt), 0, sin(0.5 * tilt), 0};
	CHECK(cairn_scene_add_body(s, &b, NULL).generation);
}

/* Its spin, off by this share at most. */
static double spindle_off(const char *substeps)
{
	const double tilt = 0.3;
	cairn_scene *s = analytic(DOWN, substeps, "lcp");
	cairn_material m = yard_material(s, 0, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	fill_spindle(s, m, tilt);
	classic c = classic_open(s, 1);
	double first = c.total, off = 0;
	for (int i = 0; i < 15; ++i) {
		classic_step(&c);
		cairn_key k = classic_key(&c, "spindle");
		v3 tip = v3_add(k.position, q_rotate(k.orientation, v3_make(0, 0, -1)));
		double z = k.position.z, spin = sqrt(9.81 * (cos(tilt) - z) * 2 / (1 - z * z + 1.0 / 3));
		CHECK_NEAR(tip.z, 0, 1e-7);
		off = fmax(off, fabs(v3_length(k.spin) - spin) / spin);
		CHECK_NEAR(k.position.x, 0, 1e-12);
	}
	CHECK(classic_key(&c, "spindle").position.z < 0.6);
	CHECK_NEAR(c.total, first, 0.6 * off * first);
	classic_close(&c);
	return off;
}

/* A force is that of its substep's start, so velocities are off by what it changes in a substep: of first order. */
TEST(a_spindle_falls_on_its_tip)
{
	double coarse = spindle_off("16"), fine = spindle_off("64");
	printf("spindle: spin off by %.2g, %.2g with four times the substeps\n", coarse, fine);
	CHECK(coarse < 1e-3);
	CHECK(fine < 0.26 * coarse);
}

/* How far the square of the ball's speed is from what it should be where it was last in touch, as a share. */
static double slide_off(const char *substeps)
{
	cairn_scene *s = analytic(DOWN, substeps, "lcp");
	cairn_material m = yard_material(s, 0, 0);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 1, 0), m, v3_zero());
	d.type = CAIRN_FIXED;
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	d = yard_body(yard_round(s, CAIRN_SPHERE, 0.5, 0), m, v3_make(0, 0, 1.5));
	d.name = "ball", d.velocity = v3_make(0.5, 0, 0);
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	double cosine = 1, wanted = 2.0 / 3 + 0.25 / (3 * 9.81 * 1.5), slid = 0;
	for (int i = 0; i < 60 && c.ok; ++i) {
		classic_step(&c);
		v3 x = classic_key(&c, "ball").position;
		if (v3_length(x) - 1.5 > 1e-4)
			break;
		cosine = x.z / v3_length(x);
		slid = v3_length(classic_key(&c, "ball").velocity);
	}
	/* the last frame in touch is at most one frame before it leaves */
	CHECK(cosine >= wanted && cosine < wanted + 1.1 * slid / 1.5 / 30);
	CHECK(c.deepest < 1e-9);
	classic_close(&c);
	return fabs(slid * slid / (0.25 + 2 * 9.81 * 1.5 * (1 - cosine)) - 1);
}

/* Round on round: a ball that slides from the top of a fixed one leaves it where cos a = 2/3 + v0^2 / (3 g r). Of first order, as
 * above. */
TEST(a_ball_leaves_a_ball)
{
	double coarse = slide_off("16"), fine = slide_off("64");
	printf("ball on ball: energy off by %.2g, %.2g with four times the substeps\n", coarse, fine);
	CHECK(coarse < 2e-3);
	CHECK(fine < 0.26 * coarse);
}

/* Two edges: a bar lies with an edge across the edge of a fixed one, slides along it, turns and tips. */
TEST(edges_slide_over_edges)
{
	cairn_scene *s = analytic(DOWN, "16", "lcp");
	classic_set(s, "certify", "off"); /* to prove motion that grazes takes long */
	cairn_material m = yard_material(s, 0, 0);
	double edge = 0.2 * sqrt(0.5);
	cairn_body_def d = yard_body(yard_box(s, 4, 0.2, 0.2), m, v3_zero());
	d.type = CAIRN_FIXED;
	d.pose.orientation = (quat){cos(CN_PI / 8), sin(CN_PI / 8), 0, 0};
	d.name = "rail";
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	d = yard_body(yard_box(s, 0.2, 4, 0.2), m, v3_make(0, 0.02, 2 * edge));
	d.pose.orientation = (quat){cos(CN_PI / 8), 0, sin(CN_PI / 8), 0};
	d.name = "bar", d.velocity = v3_make(0.4, 0, 0), d.spin = v3_make(0, 0, 1.5);
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	double first = c.total;
	uint32_t held = 0;
	for (int i = 0; i < 15; ++i) {
		classic_step(&c);
		held += c.report.contacts;
		cairn_gap gap = {0};
		CHECK(cairn_world_gap(c.world, cairn_world_find_body(c.world, "rail"), cairn_world_find_body(c.world, "bar"),
		                      &gap));
		CHECK_NEAR(gap.gap, 0, 1e-6);
	}
	CHECK(held >= 14);
	CHECK_NEAR(c.total, first, 1e-5 * c.unit);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
}

/* ---- piles: 2 to 12 bodies, each somewhere upon an earlier one, under gravity that leans */

enum { PILE = 12, POINTS = 400, PILE_RATE = 100000 };

static cairn_scene *pile(const char *vanishing)
{
	v3 lean = draw_v3(-1, 1);
	uint32_t count = 2 + below(PILE - 1), on = 0;
	cairn_scene *s = classic_scene("analytic", v3_make(lean.x, lean.y, -9.81), PILE_RATE);
	classic_set(s, "substeps", "1"), classic_set(s, "vanishing", vanishing), classic_set(s, "certify", "off");
	cairn_material m = yard_material(s, 0, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	v3 at[PILE], size[PILE];
	for (uint32_t i = 0; i < count; ++i) {
		v3 where = draw_v3(-0.6, 0.6);
		bool ball = below(5) == 0, alone = i == 0 || below(4) == 0;
		double z = 0, edge = 0.5 + 0.25 * below(3);
		size[i] = ball ? v3_make(edge, edge, edge) : v3_make(0.6 + 0.2 * below(4), 0.6 + 0.2 * below(4), edge);
		on = alone ? i : below(i);
		if (alone) /* on the floor, beside all others */
			at[i] = v3_make(3.0 * i, 0, 0.5 * size[i].z);
		else
			z = at[on].z + 0.5 * (size[on].z + size[i].z);
		if (!alone)
			at[i] = v3_make(at[on].x + where.x * size[on].x, at[on].y + where.y * size[on].y, z);
		for (uint32_t k = 0; k < i && !alone; ++k) /* what is taken is built higher: on the floor it stands alone */
			if (k != on && fabs(at[k].x - at[i].x) < 0.5 * (size[k].x + size[i].x) + 1e-3 &&
			    fabs(at[k].y - at[i].y) < 0.5 * (size[k].y + size[i].y) + 1e-3 &&
			    fabs(at[k].z - at[i].z) < 0.5 * (size[k].z + size[i].z) - 1e-9)
				at[i] = v3_make(3.0 * i, 3, 0.5 * size[i].z), k = i;
		cairn_shape shape =
			ball ? yard_round(s, CAIRN_SPHERE, 0.5 * edge, 0) : yard_box(s, size[i].x, size[i].y, size[i].z);
		cairn_body_def d = yard_body(shape, m, at[i]);
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	}
	return s;
}

/* Accelerations of all bodies by the exact program over the same points: least |a - a0|_M with no gap that shrinks. */
static bool by_program(const cairn_world *w, cn_twist *u)
{
	const cn_classic *k = w->context->classic;
	static cn_qp_body bodies[PILE + 1];
	static cn_qp_contact contacts[POINTS];
	static cn_qp_impulse y[POINTS];
	cn_twist u0[PILE + 1];
	cairn_allocator allocator = cairn_default_allocator();
	uint32_t count = 0;
	memset(bodies, 0, sizeof bodies);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_rotor *r = &w->rotors[slot];
		u0[slot] = (cn_twist){v3_zero(), v3_zero()};
		if (!r->active)
			continue;
		quat q = {1, 0, 0, 0}; /* all stand straight */
		v3 x = cn_spin(r, q, v3_make(1, 0, 0)), t = cn_spin(r, q, v3_make(0, 1, 0)),
		   z = cn_spin(r, q, v3_make(0, 0, 1));
		bodies[slot] = (cn_qp_body){r->inv_mass, {x.x, x.y, x.z, t.y, t.z, z.z}};
		u0[slot].v = cairn_scene_settings(cairn_world_scene(w)).gravity;
	}
	for (uint32_t i = 0; i < k->point_count && count < POINTS; ++i) {
		const cn_classic_point *p = &k->points[i];
		if (k->hold.held[i])
			contacts[count++] = (cn_qp_contact){.a = p->a,
			                                    .b = p->b,
			                                    .n = p->n,
			                                    .ra = p->ra,
			                                    .rb = p->rb,
			                                    .least = -2.0 * PILE_RATE * PILE_RATE * fmax(p->gap, 0)};
	}
	cn_qp qp = {.body_count = w->slots, .contact_count = count, .bodies = bodies, .u0 = u0, .contacts = contacts};
	cn_qp_solution x = {.u = u, .contact = y};
	return cn_exact_solve(&allocator, &qp, &(cn_exact_options){.tolerance = 1e-12}, &x).status != CN_QP_INFEASIBLE;
}

/* How far the motion of a step is from the exact program's, of g. */
static double unlike_program(const classic *c)
{
	cn_twist u[PILE + 1];
	double worst = 0;
	CHECK(by_program(c->world, u));
	for (uint32_t slot = 0; slot < c->world->slots; ++slot) {
		const cn_rotor *r = &c->world->rotors[slot];
		if (!r->active)
			continue;
		v3 a = v3_scale(c->world->motion[slot].v, PILE_RATE);
		v3 turn = v3_scale(cn_spin(r, (quat){1, 0, 0, 0}, c->world->motion[slot].l), PILE_RATE);
		worst = fmax(worst, fmax(v3_distance(a, u[slot].v), 0.5 * v3_distance(turn, u[slot].w)) / 9.81);
	}
	return worst;
}

TEST(piles_move_as_the_exact_program_says)
{
	enum { PILES = TEST_FEW ? 60 : 1000 };
	double worst = 0, wrong = 0;
	uint32_t programs = 0, first = 0, second = 0, fallbacks = 0, away = 0;
	for (int i = 0; i < PILES; ++i) {
		uint64_t here = seed;
		classic c = classic_open(pile("lcp"), 1);
		classic_step(&c);
		worst = fmax(worst, unlike_program(&c));
		CHECK_INT(c.report.text_fallbacks, 0);
		classic_close(&c);
		seed = here;
		c = classic_open(pile("guess"), 1);
		classic_step(&c);
		programs += c.report.programs, first += c.report.guesses, second += c.report.second_guesses;
		fallbacks += c.report.text_fallbacks;
		double off = unlike_program(&c);
		away += off > 1e-4;
		if (c.report.text_fallbacks == 0) /* a right guess is right, but for the slack of contacts that say the same */
			wrong = fmax(wrong, off);
		classic_close(&c);
	}
	printf("%d piles: %.2g g from the exact program; of %u islands %u right at once, %u at the second guess, %u fell "
	       "back; "
	       "%u piles moved otherwise\n",
	       PILES, worst, programs, first, second, fallbacks, away);
	CHECK(worst < 1e-8);
	CHECK(wrong < 1e-8);
	CHECK_INT(first + second + fallbacks, programs);
}

/* ---- series of impulses, threads, memory */

TEST(impulses_in_series_then_forces)
{
	for (int series = 0; series < 2; ++series) {
		cairn_scene *s = analytic(DOWN, "16", "lcp");
		classic_set(s, "impacts", series ? "propagation" : "simultaneous");
		cairn_material m = yard_material(s, 0.5, 0);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		for (int i = 0; i < 3; ++i)
			yard_add(s, yard_box(s, 0.5, 0.5, 0.5), m, v3_make(0, 0, 0.4 + 0.6 * i), v3_zero());
		classic one = classic_open(s, 1);
		uint32_t hits = 0;
		for (int i = 0; i < 90; ++i) {
			classic_step(&one);
			hits += one.report.collisions;
		}
		CHECK(hits > 8);
		CHECK(one.deepest < (series ? 1e-3 : 1e-8)); /* a series stops at a thousandth of the fastest approach */
		CHECK(one.rise < 1e-4);
		CHECK_NEAR(one.ledger, 0, 1e-12);
		CHECK_INT(one.report.collisions, 0); /* at rest */
		classic_close(&one);
	}
}

TEST_MAIN(TEST_CASE(what_rests_does_not_sink), TEST_CASE(diamonds_stand_for_a_minute),
          TEST_CASE(diamonds_that_land_stand), TEST_CASE(the_diamond_of_five_falls_symmetrically),
          TEST_CASE(guesses_are_counted), TEST_CASE(a_spindle_falls_on_its_tip), TEST_CASE(a_ball_leaves_a_ball),
          TEST_CASE(edges_slide_over_edges), TEST_CASE(piles_move_as_the_exact_program_says),
          TEST_CASE(impulses_in_series_then_forces))
