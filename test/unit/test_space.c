/* What a space says of rays, casts and places: worked by hand, and for random ones against gaps, which are found by other
 * code. */
#include "base/pool.h"
#include "draw.h"
#include "ledger.h"
#include "world/query.h"
#include "yard.h"

static cairn_ray ray(double x, double y, double z, double wx, double wy, double wz)
{
	return (cairn_ray){{x, y, z}, {wx, wy, wz}};
}

static cairn_body add_fixed(cairn_scene *s, cairn_shape shape, v3 at)
{
	cairn_body_def d = yard_body(shape, (cairn_material){0, 0}, at);
	d.type = CAIRN_FIXED;
	return cairn_scene_add_body(s, &d, NULL);
}

static cairn_shape add_hull(cairn_scene *s)
{
	const v3 points[4] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0, 0.5, -0.5}, {0, 0, 0.5}};
	cairn_shape_def d = cairn_default_shape_def(CAIRN_HULL);
	d.points = points, d.point_count = 4;
	return cairn_scene_add_shape(s, &d, NULL);
}

/* A cube with edges of 1 as a solid mesh, or without its top as a shell. */
static cairn_shape add_mesh(cairn_scene *s, bool shell)
{
	static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
	                                       0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5, 4, 5, 6, 5, 7, 6};
	v3 points[8];
	for (int i = 0; i < 8; ++i)
		points[i] = v3_make((i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2) - 0.5);
	cairn_shape_def d = cairn_default_shape_def(CAIRN_MESH);
	d.points = points, d.point_count = 8, d.triangles = triangles, d.triangle_count = shell ? 10 : 12;
	d.shell = shell;
	return cairn_scene_add_shape(s, &d, NULL);
}

static cairn_shape add_field(cairn_scene *s)
{
	double heights[25];
	for (int i = 0; i < 25; ++i)
		heights[i] = 0.1 * (i * 7 % 5);
	cairn_shape_def d = cairn_default_shape_def(CAIRN_HEIGHTFIELD);
	d.size = v3_make(4, 4, 0), d.heights = heights, d.columns = d.rows = 5;
	return cairn_scene_add_shape(s, &d, NULL);
}

static cairn_shape add_compound(cairn_scene *s)
{
	cairn_part parts[2] = {{yard_box(s, 0.4, 0.4, 1), pose_identity()},
	                       {yard_round(s, CAIRN_SPHERE, 0.3, 0), {{0.6, 0, 0}, q_identity()}}};
	cairn_shape_def d = cairn_default_shape_def(CAIRN_COMPOUND);
	d.parts = parts, d.part_count = 2;
	return cairn_scene_add_shape(s, &d, NULL);
}

static cairn_scene *free_scene(void)
{
	cairn_scene *s = cairn_scene_create(NULL);
	CHECK(cairn_scene_set_option(s, "method", "free", NULL)); /* overlaps at the start are fine */
	return s;
}

/* One body of each kind about the origin, 0.5 wide to each side along x, and a ray at each from x = -2. */
TEST(kinds)
{
	for (int kind = 0; kind < 9; ++kind) {
		cairn_scene *s = free_scene();
		cairn_shape shape = kind == 0   ? yard_round(s, CAIRN_SPHERE, 0.5, 0)
		                    : kind == 1 ? yard_box(s, 1, 1, 1)
		                    : kind == 2 ? yard_round(s, CAIRN_CAPSULE, 0.5, 1)
		                    : kind == 3 ? yard_round(s, CAIRN_CYLINDER, 0.5, 1)
		                    : kind == 4 ? add_mesh(s, false)
		                    : kind == 5 ? add_mesh(s, true)
		                    : kind == 6 ? add_hull(s)
		                    : kind == 7 ? add_compound(s)
		                                : add_field(s);
		cairn_body b = add_fixed(s, shape, v3_zero());
		cairn_world *w = yard_world(s, 1);
		cairn_space *space = w ? cairn_space_create(w, NULL) : NULL;
		REQUIRE(space);
		cairn_hit hit;
		double face = kind == 6 ? -0.125 : kind == 7 ? -0.2 : -0.5; /* where it begins at y = 0, z = 0.1 */
		if (kind == 8) { /* downward at a corner of the grid and between corners */
			REQUIRE(cairn_space_ray(space, ray(0, 0, 2, 0, 0, -4), NULL, &hit));
			CHECK_NEAR(hit.point.z, 0.1 * (12 * 7 % 5), 1e-12);
			REQUIRE(cairn_space_ray(space, ray(-0.5, 0, 2, 0, 0, -4), NULL, &hit));
			CHECK_NEAR(hit.point.z, 0.05 * (12 * 7 % 5 + 11 * 7 % 5), 1e-12);
			CHECK(hit.triangle < 32 && hit.normal.z > 0.5);
			CHECK(!cairn_space_ray(space, ray(0, 0, -1, 0, 0, -4), NULL, &hit));
			REQUIRE(cairn_space_ray(space, ray(0.3, 0.1, -1, 0, 0, 4), NULL, &hit));
			CHECK(hit.normal.z < -0.5); /* from below */
		} else {
			REQUIRE(cairn_space_ray(space, ray(-2, 0, kind == 0 ? 0 : 0.1, 4, 0, 0), NULL, &hit));
			if (kind != 6) {
				CHECK_NEAR(hit.share, (2 + face) / 4, 1e-12);
				CHECK_NEAR(hit.point.x, face, 1e-12);
			}
			CHECK(hit.normal.x < -0.8 && hit.part == 0 && hit.body.index == b.index);
			CHECK((hit.triangle == UINT32_MAX) == (kind != 4 && kind != 5));
			CHECK(!cairn_space_ray(space, ray(-2, 0, 0, 1, 0, 0), NULL, &hit));  /* ends before */
			CHECK(!cairn_space_ray(space, ray(-2, 0, 0, -4, 0, 0), NULL, &hit)); /* the other way */
			CHECK(!cairn_space_ray(space, ray(-2, 0, 3, 4, 0, 0), NULL, &hit));  /* above */
			REQUIRE(cairn_space_ray(space, ray(0, 0, 0, 0, 0, -4), NULL, &hit)); /* from inside */
			CHECK_NEAR(hit.share, kind == 5 ? 0.125 : 0, 1e-12);
			CHECK_NEAR(hit.normal.z, 1, 1e-12);
			CHECK(cairn_space_ray(space, ray(0, 0, 4, 0, 0, -8), NULL, &hit)); /* along the axis */
			CHECK_NEAR(hit.point.z, kind == 2 ? 1 : kind == 5 ? -0.5 : 0.5, 1e-12);
		}
		cairn_space_destroy(space);
		cairn_world_destroy(w);
		cairn_scene_destroy(s);
	}
}

/* Many bodies of all kinds in a room, overlapping as they like, and a plane. */
enum { CROWD = 80 };

typedef struct crowd {
	cairn_scene *scene;
	cairn_world *world;
	cairn_space *space;
	cairn_shape dot, shapes[8];
	cairn_body bodies[CROWD + 1];
} crowd;

static bool make_crowd(crowd *c, const cairn_world_def *def)
{
	cairn_scene *s = c->scene = free_scene();
	c->dot = yard_round(s, CAIRN_SPHERE, 1e-6, 0);
	const cairn_shape shapes[8] = {yard_round(s, CAIRN_SPHERE, 0.4, 0),
	                               yard_box(s, 0.5, 0.8, 0.3),
	                               yard_round(s, CAIRN_CAPSULE, 0.2, 0.6),
	                               yard_round(s, CAIRN_CYLINDER, 0.3, 0.5),
	                               add_hull(s),
	                               add_compound(s),
	                               add_mesh(s, false),
	                               add_field(s)};
	memcpy(c->shapes, shapes, sizeof shapes);
	c->bodies[CROWD] = yard_plane(s, (cairn_material){0, 0}, v3_unit(v3_make(0.1, 0.2, 1)), -4);
	for (int i = 0; i < CROWD; ++i) {
		cairn_body_def d = yard_body(shapes[i % 8], (cairn_material){0, 0}, draw_v3(-6, 6));
		d.pose.orientation = random_turn(&seed);
		d.type = i % 8 < 6 ? CAIRN_DYNAMIC : CAIRN_FIXED;
		v3 velocity = draw_v3(-1, 1), spin = draw_v3(-1, 1);
		if (d.type == CAIRN_DYNAMIC)
			d.velocity = velocity, d.spin = spin;
		d.group = 1u << i % 3;
		c->bodies[i] = cairn_scene_add_body(s, &d, NULL);
		CHECK(c->bodies[i].generation == 1);
	}
	c->world = cairn_world_create(s, def, NULL);
	c->space = c->world ? cairn_space_create(c->world, NULL) : NULL;
	return c->space != NULL;
}

static void drop_crowd(crowd *c)
{
	cairn_world_destroy(c->world);
	cairn_space_destroy(c->space); /* in either order */
	cairn_scene_destroy(c->scene);
}

static double gap_to(const crowd *c, cairn_body b, cairn_shape shape, pose at)
{
	cairn_gap gap = {0};
	cairn_body_info info = cairn_world_body_info(c->world, b);
	CHECK(cn_shapes_gap(cairn_world_scene(c->world), shape.index, at, info.shape.index,
	                    cairn_world_body_pose(c->world, b), &gap));
	return gap.gap;
}

static double least_gap(const crowd *c, cairn_shape shape, pose at)
{
	double least = INFINITY;
	for (int i = 0; i <= CROWD; ++i) {
		double gap = gap_to(c, c->bodies[i], shape, at);
		least = gap < least ? gap : least;
	}
	return least;
}

/* Up to where something is met it meets nothing, and there it touches. Shells may be left behind by a ray that starts in one. */
static void check_way(const crowd *c, const cairn_cast *way, const cairn_hit *hit)
{
	double end = hit ? hit->share : 1;
	for (int i = 0; i < 12; ++i) {
		pose at = {v3_madd(way->pose.position, way->way, end * (i / 12.0)), way->pose.orientation};
		CHECK(end == 0 || least_gap(c, way->shape, at) > -1e-5);
	}
	if (!hit)
		return;
	pose at = {v3_madd(way->pose.position, way->way, end), way->pose.orientation};
	double gap = gap_to(c, hit->body, way->shape, at);
	CHECK(end == 0 ? gap < 1e-5 : fabs(gap) < 1e-5);
	CHECK_NEAR(v3_length(hit->normal), 1, 1e-9);
	CHECK(end == 0 || v3_dot(hit->normal, way->way) <= 1e-9);
}

TEST(random_rays)
{
	crowd c;
	uint32_t met = 0;
	REQUIRE(make_crowd(&c, NULL));
	for (int i = 0; i < (TEST_FEW ? 40 : 400); ++i) {
		cairn_ray r = {draw_v3(-7, 7), draw_v3(-9, 9)};
		cairn_cast way = {c.dot, {r.from, q_identity()}, r.way};
		cairn_hit hit, all[CROWD + 1];
		bool found = cairn_space_ray(c.space, r, NULL, &hit);
		check_way(&c, &way, found ? &hit : NULL);
		uint32_t count = cairn_space_ray_all(c.space, r, NULL, all, CROWD + 1);
		CHECK((count > 0) == found);
		CHECK(!found || memcmp(&all[0], &hit, sizeof hit) == 0);
		for (uint32_t k = 0; k < count; ++k) {
			pose at = {v3_madd(r.from, r.way, all[k].share), q_identity()};
			CHECK(k == 0 || all[k - 1].share <= all[k].share);
			CHECK(fabs(gap_to(&c, all[k].body, c.dot, at)) < 1e-5 || all[k].share == 0);
		}
		/* less room: the first of them, and as many counted */
		cairn_hit few[2];
		CHECK_INT(cairn_space_ray_all(c.space, r, NULL, few, 2), count);
		CHECK(memcmp(few, all, sizeof *few * (count < 2 ? count : 2)) == 0);
		met += found;
	}
	CHECK(met > 20);
	drop_crowd(&c);
}

TEST(random_casts)
{
	crowd c;
	uint32_t met = 0;
	REQUIRE(make_crowd(&c, NULL));
	for (int i = 0; i < (TEST_FEW ? 30 : 300); ++i) {
		cairn_cast way = {c.shapes[i % 6], {draw_v3(-7, 7), random_turn(&seed)}, draw_v3(-9, 9)};
		cairn_hit hit, all[CROWD + 1];
		bool found = cairn_space_cast(c.space, &way, NULL, &hit);
		uint32_t count = cairn_space_cast_all(c.space, &way, NULL, all, CROWD + 1);
		check_way(&c, &way, found ? &hit : NULL);
		CHECK((count > 0) == found);
		CHECK(!found || memcmp(&all[0], &hit, sizeof hit) == 0);
		met += found && hit.share > 0;
	}
	CHECK(met > (TEST_FEW ? 3 : 60));
	drop_crowd(&c);
}

/* Shapes in places, against the gaps of all bodies. */
TEST(random_overlaps)
{
	crowd c;
	uint32_t met = 0;
	REQUIRE(make_crowd(&c, NULL));
	for (int i = 0; i < (TEST_FEW ? 20 : 200); ++i) {
		cairn_cast at = {c.shapes[i % 6], {draw_v3(-6, 6), random_turn(&seed)}, {NAN, 0, 0}};
		cairn_body found[CROWD + 1], few[1];
		uint32_t count = cairn_space_overlap(c.space, &at, NULL, found, CROWD + 1), next = 0;
		for (int k = 0; k <= CROWD; ++k) {
			uint32_t number = (uint32_t)(k + CROWD) % (CROWD + 1); /* the plane was added first */
			double gap = gap_to(&c, c.bodies[number], at.shape, at.pose);
			bool there = next < count && found[next].index == c.bodies[number].index;
			CHECK(there == (gap <= 0));
			next += there;
		}
		CHECK_INT(next, count);
		CHECK_INT(cairn_space_overlap(c.space, &at, NULL, few, 1), count);
		CHECK(count == 0 || few[0].index == found[0].index);
		met += count;
	}
	CHECK(met > (TEST_FEW ? 1 : 10));
	drop_crowd(&c);
}

TEST(boxes_and_filters)
{
	cairn_scene *s = free_scene();
	cairn_shape cube = yard_box(s, 1, 1, 1);
	cairn_body plane = yard_plane(s, (cairn_material){0, 0}, v3_make(0, 0, 1), -1), bodies[4];
	for (int i = 0; i < 4; ++i) {
		cairn_body_def d = yard_body(cube, (cairn_material){0, 0}, v3_make(2 * i, 0, 0));
		d.group = 1u << i, d.mask = i == 3 ? 8 : UINT32_MAX;
		bodies[i] = cairn_scene_add_body(s, &d, NULL);
	}
	cairn_world *w = yard_world(s, 1);
	cairn_space *space = w ? cairn_space_create(w, NULL) : NULL;
	REQUIRE(space);
	cairn_body found[5];
	CHECK_INT(cairn_space_box(space, (cairn_box){{-0.4, -1, -0.9}, {2.1, 1, 1}}, NULL, found, 5), 2);
	CHECK(found[0].index == bodies[0].index && found[1].index == bodies[1].index);
	CHECK_INT(cairn_space_box(space, (cairn_box){{-0.4, -1, -1.1}, {2.1, 1, 1}}, NULL, found, 5), 3);
	CHECK_INT(found[0].index, plane.index);
	CHECK_INT(cairn_space_box(space, (cairn_box){{1, 0, 0}, {0, 1, 1}}, NULL, found, 5), 0);
	CHECK_INT(cairn_space_box(space, (cairn_box){{NAN, 0, 0}, {1, 1, 1}}, NULL, found, 5), 0);

	cairn_query q = cairn_default_query();
	cairn_hit hit, hits[5];
	cairn_ray r = ray(-3, 0, 0, 20, 0, 0);
	CHECK_INT(cairn_space_ray_all(space, r, &q, hits, 5), 4);
	q.except = bodies[0];
	REQUIRE(cairn_space_ray(space, r, &q, &hit));
	CHECK_INT(hit.body.index, bodies[1].index);
	q.mask = 4; /* asks about group 4 */
	REQUIRE(cairn_space_ray(space, r, &q, &hit));
	CHECK_INT(hit.body.index, bodies[2].index);
	q.mask = UINT32_MAX, q.group = 1; /* the last one wants nothing to do with group 1 */
	CHECK_INT(cairn_space_ray_all(space, r, &q, hits, 5), 2);
	q.group = 0;
	CHECK(!cairn_space_ray(space, r, &q, &hit));
	cairn_space_destroy(space);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST(bad_input)
{
	crowd c;
	cairn_hit hit = {.part = 77}, many[2];
	REQUIRE(make_crowd(&c, NULL));
	const double odd[] = {NAN, INFINITY, -INFINITY, 1e10, 1e300};
	for (int i = 0; i < 5; ++i) {
		CHECK(!cairn_space_ray(c.space, ray(odd[i], 0, 0, 1, 0, 0), NULL, &hit));
		CHECK(!cairn_space_ray(c.space, ray(0, 0, 9, 0, odd[i], 0), NULL, &hit));
		cairn_cast cast = {c.shapes[0], {{0, 0, odd[i]}, q_identity()}, {1, 0, 0}};
		CHECK(!cairn_space_cast(c.space, &cast, NULL, &hit));
		cast = (cairn_cast){c.shapes[0], {{0, 0, 0}, {odd[i], 0, 0, 0}}, {1, 0, 0}};
		CHECK(!cairn_space_cast(c.space, &cast, NULL, &hit));
		CHECK_INT(cairn_space_overlap(c.space, &cast, NULL, c.bodies, 1), 0);
	}
	const cairn_shape no[] = {{0, 0}, {9999, 1}, {0, 7}, c.shapes[6], c.shapes[7]};
	for (int i = 0; i < 5; ++i) { /* none, another scene's, stale, meshes */
		cairn_cast cast = {no[i], pose_identity(), {9, 0, 0}};
		CHECK(!cairn_space_cast(c.space, &cast, NULL, &hit));
		CHECK_INT(cairn_space_cast_all(c.space, &cast, NULL, many, 2), 0);
		CHECK_INT(cairn_space_overlap(c.space, &cast, NULL, NULL, 0), 0);
	}
	CHECK_INT(hit.part, 77);
	/* a ray without a way is the point that it starts from */
	cairn_pose at = cairn_world_body_pose(c.world, c.bodies[0]);
	CHECK(cairn_space_ray(c.space, (cairn_ray){at.position, {0, 0, 0}}, NULL, &hit) && hit.share == 0);
	CHECK(!cairn_space_ray(c.space, ray(0, 0, 900, 0, 0, 0), NULL, &hit));
	cairn_ray rays[2] = {{{0, 0, 50}, {0, 0, -100}}, {{0, 0, 50}, {NAN, 0, 0}}};
	CHECK_INT(cairn_space_rays(c.space, rays, 2, NULL, many), 1);
	CHECK(many[0].share < 1 && many[1].share == 1 && many[1].body.generation == 0);
	drop_crowd(&c);
}

/* ---- memory, threads, updates */

enum { RAYS = 600, CHUNK = 20 };
typedef struct asked {
	const crowd *crowd;
	cairn_ray rays[RAYS];
	cairn_hit hits[RAYS];
} asked;

static void ask(void *context, uint32_t chunk)
{
	asked *a = context;
	uint32_t at = chunk * CHUNK;
	for (uint32_t i = 0; i < CHUNK / 2; ++i) {
		cairn_cast cast = {a->crowd->shapes[i % 6], {a->rays[at + i].from, q_identity()}, a->rays[at + i].way};
		a->hits[at + i] = (cairn_hit){0};
		(void)cairn_space_cast(a->crowd->space, &cast, NULL, &a->hits[at + i]);
	}
	(void)cairn_space_rays(a->crowd->space, a->rays + at + CHUNK / 2, CHUNK / 2, NULL, a->hits + at + CHUNK / 2);
}

TEST(threads_and_memory)
{
	ledger m = {0};
	crowd c;
	static asked one, many;
	cairn_allocator allocator = cairn_default_allocator();
	cairn_world_def d = cairn_default_world_def();
	d.threads = 1, d.allocator = (cairn_allocator){&m, ledger_resize};
	REQUIRE(make_crowd(&c, &d));
	for (int frame = 0; frame < 3; ++frame)
		CHECK_INT(cairn_world_step(c.world).status, CAIRN_STEP_OK);
	CHECK(cairn_space_update(c.space, NULL));
	one.crowd = many.crowd = &c;
	for (int i = 0; i < RAYS; ++i)
		one.rays[i] = many.rays[i] = (cairn_ray){draw_v3(-7, 7), draw_v3(-9, 9)};
	uint64_t calls = m.calls;
	for (uint32_t i = 0; i < RAYS / CHUNK; ++i)
		ask(&one, i);
	cn_pool *pool = cn_pool_create(&allocator, 4);
	REQUIRE(pool);
	for (int round = 0; round < 5; ++round) {
		memset(many.hits, 0, sizeof many.hits);
		cn_pool_run(pool, RAYS / CHUNK, ask, &many);
		CHECK(memcmp(one.hits, many.hits, sizeof one.hits) == 0);
	}
	cn_pool_destroy(pool);
	/* a tree that was kept says what a new one says, and neither asking nor updating allocates */
	CHECK(cairn_space_update(c.space, NULL));
	CHECK(m.calls == calls);
	cairn_space *kept = c.space;
	c.space = cairn_space_create(c.world, NULL);
	REQUIRE(c.space);
	for (uint32_t i = 0; i < RAYS / CHUNK; ++i)
		ask(&many, i);
	CHECK(memcmp(one.hits, many.hits, sizeof one.hits) == 0);
	cairn_space_destroy(kept);
	drop_crowd(&c);
	CHECK(m.bytes == 0);
}

/* Bodies that went and came, and a world that was put back, after an update. */
TEST(updates)
{
	crowd c;
	cairn_hit hit;
	REQUIRE(make_crowd(&c, NULL));
	size_t size = cairn_world_snapshot_size(c.world);
	void *bytes = malloc(size);
	REQUIRE(bytes && cairn_world_snapshot(c.world, bytes, size, NULL));
	cairn_pose at = cairn_world_body_pose(c.world, c.bodies[0]);
	cairn_query q = cairn_default_query();
	cairn_ray there = {at.position, {0, 0, 0}};
	cairn_hit hits[CROWD];
	uint32_t before = cairn_space_ray_all(c.space, there, &q, hits, CROWD);
	CHECK(cairn_world_remove_body(c.world, c.bodies[0], NULL));
	CHECK_INT(cairn_space_ray_all(c.space, there, &q, hits, CROWD), before); /* as it was */
	CHECK(cairn_space_update(c.space, NULL));
	CHECK_INT(cairn_space_ray_all(c.space, there, &q, hits, CROWD), before - 1);
	cairn_shape_def d = cairn_default_shape_def(CAIRN_SPHERE);
	d.radius = 2;
	cairn_body_def b = yard_body(cairn_world_add_shape(c.world, &d, NULL), (cairn_material){0, 0}, v3_make(0, 0, 60));
	cairn_body ball = cairn_world_add_body(c.world, &b, NULL);
	CHECK(cairn_space_update(c.space, NULL));
	REQUIRE(cairn_space_ray(c.space, ray(0, 0, 100, 0, 0, -100), &q, &hit));
	CHECK(hit.body.index == ball.index && hit.body.generation == ball.generation);
	CHECK_NEAR(hit.point.z, 62, 1e-12);
	CHECK(cairn_world_restore(c.world, bytes, size, NULL));
	CHECK(!cairn_space_ray(c.space, ray(0, 0, 100, 0, 0, -100), &q, &hit)); /* its shape is gone: it meets nothing */
	CHECK(cairn_space_update(c.space, NULL));
	CHECK_INT(cairn_space_ray_all(c.space, there, &q, hits, CROWD), before);
	free(bytes);
	drop_crowd(&c);
}

/* Every allocation fails in turn. */
TEST(no_memory)
{
	for (uint64_t fail = 1; fail < 40; ++fail) {
		ledger m = {0};
		cairn_error e = {0};
		cairn_world_def d = cairn_default_world_def();
		d.threads = 1, d.allocator = (cairn_allocator){&m, ledger_resize};
		cairn_scene *s = free_scene();
		add_fixed(s, yard_box(s, 1, 1, 1), v3_zero());
		cairn_world *w = cairn_world_create(s, &d, NULL);
		REQUIRE(w);
		m.fail_at = m.calls + (size_t)fail;
		cairn_space *space = cairn_space_create(w, &e);
		if (!space)
			CHECK_INT(e.code, CAIRN_MEMORY);
		bool done = m.calls < m.fail_at;
		m.fail_at = 0;
		cairn_space_destroy(space);
		cairn_world_destroy(w);
		cairn_scene_destroy(s);
		CHECK(m.bytes == 0);
		if (done) {
			CHECK(fail > 5);
			return;
		}
	}
	CHECK(false);
}

TEST_MAIN(TEST_CASE(kinds), TEST_CASE(random_rays), TEST_CASE(random_casts), TEST_CASE(random_overlaps),
          TEST_CASE(boxes_and_filters), TEST_CASE(bad_input), TEST_CASE(threads_and_memory), TEST_CASE(updates),
          TEST_CASE(no_memory))
