/* What a watch tells: begins, ends and hits of a ball that bounces, after bodies went, and after a snapshot was put back. */
#include "ledger.h"
#include "yard.h"

typedef struct yard_watch {
	cairn_scene *scene;
	cairn_world *world;
	cairn_watch *watch;
	cairn_body ground, ball, box;
} yard_watch;

static bool open_watch(yard_watch *y, const cairn_world_def *def)
{
	cairn_scene *s = y->scene = yard_scene(v3_make(0, 0, -10));
	cairn_material m = yard_material(s, 0.5, 0.5);
	y->ground = yard_plane(s, m, v3_make(0, 0, 1), 0);
	y->ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.5, 0), m, v3_make(0, 0, 2), v3_zero());
	y->box = yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(5, 0, 0.5), v3_zero());
	y->world = cairn_world_create(s, def, NULL);
	y->watch = y->world ? cairn_watch_create(y->world, NULL) : NULL;
	return y->watch != NULL;
}

static void close_watch(yard_watch *y)
{
	cairn_world_destroy(y->world);
	cairn_watch_destroy(y->watch); /* in either order */
	cairn_scene_destroy(y->scene);
}

/* How many touches of a kind there are between the ground and a body; the last of them. */
static uint32_t count(const yard_watch *y, cairn_touch_kind kind, cairn_body body, cairn_touch *last)
{
	uint32_t all, found = 0;
	const cairn_touch *t = cairn_watch_touches(y->watch, &all);
	for (uint32_t i = 0; i < all; ++i) {
		if (t[i].kind != kind || t[i].b.index != body.index || t[i].b.generation != body.generation)
			continue;
		++found;
		if (last)
			*last = t[i];
	}
	return found;
}

static void step(const yard_watch *y)
{
	CHECK_INT(cairn_world_step(y->world).status, CAIRN_STEP_OK);
	CHECK(cairn_watch_update(y->watch, NULL));
}

TEST(a_ball_bounces)
{
	yard_watch y;
	REQUIRE(open_watch(&y, NULL));
	uint32_t all;
	CHECK(cairn_watch_update(y.watch, NULL)); /* before the first step nothing is told */
	(void)cairn_watch_touches(y.watch, &all);
	CHECK_INT(all, 0);
	int touching = 0, hits = 0;
	bool first = true;
	for (int i = 0; i < 200; ++i) {
		cairn_touch t = {0};
		cairn_impact impacts[16];
		step(&y);
		int begin = (int)count(&y, CAIRN_TOUCH_BEGIN, y.ball, NULL),
			end = (int)count(&y, CAIRN_TOUCH_END, y.ball, NULL);
		int hit = (int)count(&y, CAIRN_TOUCH_HIT, y.ball, &t);
		CHECK(begin + end + (int)count(&y, CAIRN_TOUCH_PERSIST, y.ball, NULL) <= 1);
		CHECK(!begin || !touching);
		CHECK(!end || touching);
		touching += begin - end;
		CHECK_INT(touching, count(&y, CAIRN_TOUCH_PERSIST, y.ball, NULL) + (uint32_t)begin);
		/* the box stands from the first step on */
		CHECK_INT(count(&y, CAIRN_TOUCH_BEGIN, y.box, NULL), i == 0);
		CHECK_INT(count(&y, CAIRN_TOUCH_PERSIST, y.box, NULL), i > 0);
		if (hit && first) { /* from 1.5 m: v = sqrt(2 g h), and half of it back */
			double mass = cairn_world_body_info(y.world, y.ball).mass, speed = sqrt(2 * 10 * 1.5);
			CHECK_NEAR(t.impulse.z, 1.5 * mass * speed, 0.02 * mass * speed);
			CHECK_NEAR(t.time, sqrt(2 * 1.5 / 10), 1.0 / 30);
			CHECK_INT(t.point_count, 0);
			first = false;
		}
		uint32_t impact_count = cairn_world_impacts(y.world, impacts, 16);
		(void)cairn_watch_touches(y.watch, &all);
		CHECK(impact_count <= all);
		hits += hit;
		CHECK(cairn_watch_update(y.watch, NULL)); /* once more: hits are not told again, touches persist */
		CHECK_INT(count(&y, CAIRN_TOUCH_HIT, y.ball, NULL), 0);
		CHECK_INT(count(&y, CAIRN_TOUCH_PERSIST, y.ball, NULL), touching);
	}
	CHECK(hits >= 3);
	CHECK_INT(touching, 1);
	cairn_touch t = {0};
	uint32_t contacts;
	REQUIRE(count(&y, CAIRN_TOUCH_PERSIST, y.box, &t) == 1);
	const cairn_contact *c = cairn_watch_contacts(y.watch, &contacts);
	CHECK(t.point_count == 4 && t.first + 4 <= contacts && t.a.index == y.ground.index);
	CHECK_NEAR(t.impulse.z, 800 * 10 / 30.0, 1); /* on the box: what bears it */
	CHECK_NEAR(t.point.x, 5, 1e-6);
	CHECK(c[t.first].a.index == y.box.index || c[t.first].b.index == y.box.index);
	close_watch(&y);
}

/* Ends are told of bodies that are gone; a slot that is used again is another body. */
TEST(removed_and_restored)
{
	yard_watch y;
	REQUIRE(open_watch(&y, NULL));
	for (int i = 0; i < 5; ++i)
		step(&y);
	size_t size = cairn_world_snapshot_size(y.world);
	void *bytes = malloc(size);
	REQUIRE(bytes && cairn_world_snapshot(y.world, bytes, size, NULL));
	cairn_body_info info = cairn_world_body_info(y.world, y.box);
	CHECK(cairn_world_remove_body(y.world, y.box, NULL));
	cairn_body_def d = yard_body(info.shape, info.material, v3_make(5, 0, 0.51));
	cairn_body other = cairn_world_add_body(y.world, &d, NULL);
	CHECK_INT(other.index, y.box.index);
	CHECK(cairn_watch_update(y.watch, NULL));
	CHECK_INT(count(&y, CAIRN_TOUCH_END, y.box, NULL), 1);
	for (int i = 0; i < 10; ++i)
		step(&y);
	CHECK_INT(count(&y, CAIRN_TOUCH_PERSIST, other, NULL), 1);
	/* put back: the new one's touch ends and the old one's begins again, and no hit is told */
	CHECK(cairn_world_restore(y.world, bytes, size, NULL));
	CHECK(cairn_watch_update(y.watch, NULL));
	CHECK_INT(count(&y, CAIRN_TOUCH_END, other, NULL), 1);
	CHECK_INT(count(&y, CAIRN_TOUCH_BEGIN, y.box, NULL), 1);
	CHECK_INT(count(&y, CAIRN_TOUCH_HIT, y.ball, NULL), 0);
	free(bytes);
	close_watch(&y);
}

/* Memory that runs out changes nothing: the next look tells what this one would have. */
TEST(no_memory)
{
	ledger m = {0};
	yard_watch y;
	cairn_world_def d = cairn_default_world_def();
	d.threads = 1, d.allocator = (cairn_allocator){&m, ledger_resize};
	REQUIRE(open_watch(&y, &d));
	CHECK_INT(cairn_world_step(y.world).status, CAIRN_STEP_OK);
	size_t refused = 0;
	for (;;) {
		cairn_error e = {0};
		m.fail_at = m.calls + 1 + refused;
		if (cairn_watch_update(y.watch, &e))
			break;
		CHECK_INT(e.code, CAIRN_MEMORY);
		++refused;
	}
	m.fail_at = 0;
	CHECK(refused > 3);
	CHECK_INT(count(&y, CAIRN_TOUCH_BEGIN, y.box, NULL), 1);
	size_t calls = m.calls;
	CHECK(cairn_watch_update(y.watch, NULL)); /* warm: nothing is allocated */
	CHECK(m.calls <= calls + 2);              /* the two lists of pairs change places once */
	calls = m.calls;
	CHECK(cairn_watch_update(y.watch, NULL));
	CHECK(m.calls == calls);
	close_watch(&y);
	CHECK(m.bytes == 0);
}

TEST_MAIN(TEST_CASE(a_ball_bounces), TEST_CASE(removed_and_restored), TEST_CASE(no_memory))
