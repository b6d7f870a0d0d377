/* The check that judges engines (bench/peers/check.c), against overlaps worked by hand; and that all scenes are free of
 * overlap where they begin. */
#include "check.h"

#include "test.h"

static peer_body box(double x, double y, double z) { return (peer_body){.half = {x, y, z}, .mass = 1}; }

static peer_solid at(const peer_body *b, double x, double y, double z, double angle)
{
	const double state[PEER_STATE] = {x, y, z, cos(angle / 2), 0, 0, sin(angle / 2)};
	return peer_solid_at(b, state);
}

TEST(boxes_overlap_by_the_shortest_way)
{
	peer_body cube = box(0.5, 0.5, 0.5);
	peer_solid a = at(&cube, 0, 0, 0, 0), beside = at(&cube, 0.9, 0.2, 0.3, 0), apart = at(&cube, 1.01, 0, 0, 0);
	CHECK_NEAR(peer_solid_overlap(&a, &beside), 0.1, 1e-12);
	CHECK(peer_solid_overlap(&a, &apart) <= 0);
	/* a corner turned by 45 degrees reaches sqrt(1/2) toward the face */
	peer_solid turned = at(&cube, 1.1, 0, 0, acos(-1) / 4);
	CHECK_NEAR(peer_solid_overlap(&a, &turned), 0.5 + sqrt(0.5) - 1.1, 1e-12);
}

/* Two bars that cross, each turned about its own length, one above the other: only the axis across both lengths parts
 * them, and they reach 0.1 (cos + sin) along it. */
TEST(edges_part_what_faces_do_not)
{
	peer_body bar = box(2, 0.1, 0.1);
	double c = cos(0.6), s = sin(0.6), r = sqrt(0.5), reach = 0.1 * (cos(1.2) + sin(1.2));
	const double low[PEER_STATE] = {0, 0, 0, c, s, 0, 0},
				 touching[PEER_STATE] = {0, 0, 0.24, r * c, r * s, r * s, r * c},
				 high[PEER_STATE] = {0, 0, 0.27, r * c, r * s, r * s, r * c};
	peer_solid a = peer_solid_at(&bar, low), b = peer_solid_at(&bar, touching), far = peer_solid_at(&bar, high);
	CHECK_NEAR(peer_solid_overlap(&a, &b), 2 * reach - 0.24, 1e-12);
	CHECK(peer_solid_overlap(&a, &far) <= 0);
}

TEST(balls)
{
	peer_body cube = box(0.5, 0.5, 0.5), ball = box(0.5, 0.5, 0.5);
	ball.ball = true;
	peer_solid a = at(&ball, 0, 0, 0, 0), b = at(&ball, 0, 0.9, 0, 0), corner = at(&cube, 0.9, 0.9, 0, 0),
			   inside = at(&cube, 0.1, 0, 0, 0);
	CHECK_NEAR(peer_solid_overlap(&a, &b), 0.1, 1e-12);
	CHECK_NEAR(peer_solid_overlap(&a, &corner), 0.5 - 0.4 * sqrt(2), 1e-12);
	CHECK_NEAR(peer_solid_overlap(&inside, &a), 0.5 + 0.4, 1e-12);
}

TEST(scenes_begin_without_overlap)
{
	const char *const names[] = {"stack", "wall", "cubejam", "cubeglass", "sphereglass", "plates", "grid125", "flat90"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
		peer_scene *s = peer_scene_make(names[i]);
		peer_check c;
		REQUIRE(s != NULL && peer_check_begin(&c, s));
		peer_check_frame(&c, c.first);
		CHECK(c.overlap <= 1e-9 && c.escaped == 0 && c.through == 0 && peer_check_passes(&c));
		c.first[(s->count - 1) * (size_t)PEER_STATE] = NAN; /* a body that an engine lost */
		peer_check_frame(&c, c.first);
		CHECK(c.escaped == 1 && !peer_check_passes(&c));
		peer_check_end(&c);
		peer_scene_free(s);
	}
	CHECK(peer_scene_make("nothing") == NULL);
}

/* A frame that lifts one cube of the stack into the next is not sound, and says why. */
TEST(what_is_wrong_is_seen)
{
	peer_scene *s = peer_scene_make("stack");
	peer_check c;
	REQUIRE(s != NULL && peer_check_begin(&c, s));
	c.first[PEER_STATE + 2] += 0.11; /* its upper neighbour is 0.01 away */
	peer_check_frame(&c, c.first);
	CHECK_NEAR(c.overlap, 0.1, 1e-9);
	CHECK_NEAR(c.rise, 0.011, 1e-9);
	CHECK(!peer_check_passes(&c));
	peer_check_end(&c);
	peer_scene_free(s);
}

TEST_MAIN(TEST_CASE(boxes_overlap_by_the_shortest_way), TEST_CASE(edges_part_what_faces_do_not), TEST_CASE(balls),
          TEST_CASE(scenes_begin_without_overlap), TEST_CASE(what_is_wrong_is_seen))
