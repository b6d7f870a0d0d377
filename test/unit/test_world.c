/* Worlds: bodies that come and go, inputs and their replay, snapshots, emitters, gaps, what methods refuse, memory that runs
 * out. Bodies in contact: test_world_contacts.c, test_oba*.c. */
#include "base/hash.h"
#include "base/vec.h"
#include "ledger.h"
#include "test.h"
#include "world/world.h"
#include "yard.h"

static cairn_scene *empty_scene(const char *method, v3 gravity)
{
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	settings.method = method, settings.gravity = gravity;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	return s;
}

static cairn_shape add_box(cairn_scene *s, double x, double y, double z)
{
	cairn_error e = {0};
	cairn_shape_def d = cairn_default_shape_def(CAIRN_BOX);
	d.size = v3_make(x, y, z);
	return cairn_scene_add_shape(s, &d, &e);
}

static cairn_body add(cairn_scene *s, cairn_shape shape, const char *name, v3 at, v3 velocity)
{
	cairn_error e = {0};
	cairn_body_def d = cairn_default_body_def();
	d.shape = shape, d.name = name, d.pose.position = at, d.velocity = velocity, d.spin = v3_make(0.3, 1, 0.2);
	return cairn_scene_add_body(s, &d, &e);
}

/* A bit of everything: bodies of all rotor kinds, an emitter, a script, fields, events. */
static cairn_scene *busy_scene(void)
{
	cairn_error e = {0};
	cairn_scene *s = empty_scene("free", v3_make(0, 0, -9.81));
	cairn_shape brick = add_box(s, 0.3, 0.5, 0.8), cube = add_box(s, 1, 1, 1), rod = add_box(s, 0.2, 0.2, 2);
	cairn_material_def wood;
	CHECK(cairn_material_preset("wood", &wood));
	cairn_material m = cairn_scene_add_material(s, &wood, &e);
	for (int i = 0; i < 60; ++i) {
		cairn_body_def d = cairn_default_body_def();
		char name[16];
		snprintf(name, sizeof name, "b%d", i);
		d.shape = i % 3 == 0 ? brick : i % 3 == 1 ? cube : rod;
		d.name = i % 5 ? name : "", d.material = m;
		d.pose.position = v3_make(3 * (i % 8), 3 * (i / 8), 20);
		d.pose.orientation = q_exp(v3_make(0.1 * i, 0.2 * i, 0));
		d.velocity = v3_make(0.1 * i, 0, 5), d.spin = v3_make(i, 2, i % 7 * 10);
		d.linear_damping = i % 4 == 0 ? 0.1 : 0;
		CHECK(cairn_scene_add_body(s, &d, &e).generation);
	}
	cairn_script_key keys[] = {{0, {{-9, 0, 0}, {1, 0, 0, 0}}}, {2.01, {{-9, 9, 0}, {0, 0, 0, 1}}}};
	cairn_body_def d = cairn_default_body_def();
	d.shape = cube, d.name = "door", d.type = CAIRN_SCRIPTED, d.keys = keys, d.key_count = 2;
	CHECK(cairn_scene_add_body(s, &d, &e).generation);
	cairn_body_def emitted = cairn_default_body_def();
	emitted.shape = brick, emitted.pose.position = v3_make(0, 0, 50), emitted.velocity = v3_make(0, 9, 0);
	cairn_emitter_def em = cairn_default_emitter_def();
	em.name = "em", em.bodies = &emitted, em.body_count = 1, em.start = 2, em.every = 3, em.batches = 20;
	em.jitter.position = v3_make(0.2, 0.2, 0.2), em.jitter.spin = v3_make(9, 9, 9),
	em.jitter.rotation = v3_make(3, 3, 3);
	CHECK(cairn_scene_add_emitter(s, &em, &e));
	cairn_field_def f = cairn_default_field_def(CAIRN_WIND);
	f.velocity = v3_make(4, 0, 0);
	CHECK(cairn_scene_add_field(s, &f, &e));
	cairn_event_def blast = cairn_default_event_def(CAIRN_BLAST);
	blast.frame = 20, blast.point = v3_make(5, 5, 20), blast.speed = 30;
	CHECK(cairn_scene_add_event(s, &blast, &e));
	return s;
}

static uint64_t run(cairn_world *w, int frames)
{
	uint64_t h = CN_HASH_START;
	for (int i = 0; i < frames; ++i) {
		if (cairn_world_step(w).status != CAIRN_STEP_OK)
			return 0;
		h = cn_hash_u64(h, cairn_world_hash(w));
	}
	return h;
}

TEST(threads_do_not_change_the_motion)
{
	cairn_scene *s = busy_scene();
	cairn_body_def d = cairn_scene_body_at(s, 0);
	for (int i = 0; i < 5000; ++i) { /* several chunks */
		d.name = "", d.spin = v3_make(1, i * 0.01, 2);
		REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	}
	uint64_t hashes[4];
	uint32_t threads[] = {1, 2, 3, 7};
	for (int i = 0; i < 4; ++i) {
		cairn_world *w = yard_world(s, threads[i]);
		REQUIRE(w);
		hashes[i] = run(w, 40);
		cairn_world_destroy(w);
	}
	CHECK(hashes[0] && hashes[0] == hashes[1] && hashes[0] == hashes[2] && hashes[0] == hashes[3]);
	cairn_scene_destroy(s);
}

TEST(copied_scene_moves_the_same)
{
	cairn_scene *s = busy_scene(), *c = cairn_scene_copy(s);
	REQUIRE(c);
	cairn_world *a = yard_world(s, 1), *b = yard_world(c, 1);
	REQUIRE(a && b);
	CHECK(a->given.fingerprint == b->given.fingerprint);
	uint64_t h = run(a, 60);
	CHECK(h && h == run(b, 60));
	cairn_world_destroy(a);
	cairn_world_destroy(b);
	cairn_scene_destroy(s);
	cairn_scene_destroy(c);
}

TEST(handles_go_stale)
{
	cairn_error e = {0};
	cairn_scene *s = empty_scene("free", v3_zero());
	cairn_shape box = add_box(s, 1, 1, 1);
	cairn_body a = add(s, box, "a", v3_zero(), v3_zero()), b = add(s, box, "b", v3_zero(), v3_zero());
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	CHECK(cairn_world_has_body(w, a) && cairn_world_has_body(w, b));
	CHECK(!cairn_world_has_body(w, (cairn_body){0, 0}));
	CHECK(!cairn_world_has_body(w, (cairn_body){7, 1}));
	CHECK(cairn_world_remove_body(w, a, &e));
	CHECK(!cairn_world_has_body(w, a));
	CHECK(!cairn_world_remove_body(w, a, &e));
	CHECK_HAS(e.message, "removed");
	CHECK_INT(cairn_world_body_count(w), 1);
	cairn_body_def d = cairn_default_body_def();
	d.shape = box, d.name = "a";
	cairn_body c = cairn_world_add_body(w, &d, &e);
	CHECK_INT(c.index, a.index);
	CHECK_INT(c.generation, 2);
	CHECK_INT(cairn_world_body_info(w, c).serial, 2);
	CHECK(!cairn_world_add_body(w, &d, &e).generation);
	CHECK_HAS(e.message, "'a' already");
	cairn_body all[3];
	CHECK_INT(cairn_world_bodies(w, all, 3), 2);
	CHECK_INT(cairn_world_find_body(w, "a").generation, 2);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

/* Inputs of every kind, at frames spread over the run. */
static void give_inputs(cairn_world *w, int frame)
{
	cairn_error e = {0};
	if (frame == 3) {
		cairn_event_def i = cairn_default_event_def(CAIRN_IMPULSE);
		i.body = cairn_world_find_body(w, "b1"), i.impulse = v3_make(9, 900, 9), i.has_point = true,
		i.point = v3_make(1, 2, 3);
		CHECK(cairn_world_apply_event(w, &i, &e));
		CHECK(cairn_world_remove_body(w, cairn_world_find_body(w, "b2"), &e));
	}
	if (frame == 5) {
		v3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}};
		cairn_shape_def h = cairn_default_shape_def(CAIRN_HULL);
		h.points = points, h.point_count = 5, h.name = "tetra";
		cairn_material_def m = cairn_default_material_def();
		m.name = "stuff", m.density = 50;
		cairn_body_def d = cairn_default_body_def();
		d.shape = cairn_world_add_shape(w, &h, &e), d.material = cairn_world_add_material(w, &m, &e);
		d.name = "late", d.spin = v3_make(1, 2, 3), d.pose.position = v3_make(-20, 0, 0);
		CHECK(cairn_world_add_body(w, &d, &e).generation);
		m.restitution = 0.9;
		CHECK(cairn_world_set_material(w, (cairn_material){0, 1}, &m, &e));
	}
	if (frame == 7) {
		cairn_drag_def d = cairn_default_drag_def();
		d.body = cairn_world_find_body(w, "late"), d.target = v3_make(0, 0, 9);
		CHECK(cairn_world_drag(w, &d, &e));
		cairn_script_key keys[] = {{1.5, {{-9, -9, 0}, {1, 0, 0, 0}}}};
		CHECK(cairn_world_set_script(w, cairn_world_find_body(w, "door"), keys, 1, &e));
		CHECK(cairn_world_set_gravity(w, v3_make(0, 1, -5), &e));
	}
	if (frame == 20)
		CHECK(cairn_world_release(w, cairn_world_find_body(w, "late"), &e));
}

TEST(inputs_replay_to_the_bit)
{
	cairn_error e = {0};
	cairn_scene *s = busy_scene();
	cairn_world *a = yard_world(s, 2), *b = yard_world(s, 1), *without = yard_world(s, 1);
	REQUIRE(a && b && without);
	for (int i = 0; i < 40; ++i) {
		size_t size;
		give_inputs(a, i);
		CHECK_INT(cairn_world_step(a).status, CAIRN_STEP_OK);
		const void *inputs = cairn_world_step_inputs(a, &size);
		CHECK((size > 0) == (i == 3 || i == 5 || i == 7 || i == 20));
		CHECK(cairn_world_replay(b, inputs, size, &e));
		CHECK_INT(cairn_world_step(b).status, CAIRN_STEP_OK);
		cairn_world_step(without);
		CHECK(cairn_world_hash(a) == cairn_world_hash(b));
		if (i == 3) /* bytes that are cut short or bent are refused, never a crash */
			for (size_t cut = 1; cut < size; ++cut) {
				cairn_world *c = yard_world(s, 1);
				CHECK(!cairn_world_replay(c, inputs, cut, &e) || cut == size - 9);
				cairn_world_destroy(c);
			}
	}
	CHECK(cairn_world_hash(a) != cairn_world_hash(without));
	cairn_world_destroy(a);
	cairn_world_destroy(b);
	cairn_world_destroy(without);
	cairn_scene_destroy(s);
}

/* A world with a hill that was added to it goes on alike where its inputs are replayed and from its snapshot. */
TEST(height_field_replays)
{
	cairn_error e = {0};
	cairn_scene *s = busy_scene();
	cairn_world *a = yard_world(s, 1), *b = yard_world(s, 1), *c = yard_world(s, 1);
	REQUIRE(a && b && c);
	double heights[6] = {0, 1, 0, 2, 0, 1};
	cairn_shape_def hill = cairn_default_shape_def(CAIRN_HEIGHTFIELD);
	hill.name = "hill", hill.size = v3_make(3, 2, 0), hill.heights = heights, hill.columns = 3, hill.rows = 2;
	cairn_body_def d = cairn_default_body_def();
	d.type = CAIRN_FIXED, d.name = "ground", d.pose.position = v3_make(0, 0, -50);
	d.shape = cairn_world_add_shape(a, &hill, &e);
	CHECK(d.shape.generation && cairn_world_add_body(a, &d, &e).generation);
	CHECK(!cairn_world_add_shape(a, &hill, &e).generation && strstr(e.message, "hill"));
	CHECK_INT(cairn_world_step(a).status, CAIRN_STEP_OK);
	size_t size;
	const uint8_t *inputs = cairn_world_step_inputs(a, &size);
	CHECK(cairn_world_replay(b, inputs, size, &e));
	CHECK_INT(cairn_world_step(b).status, CAIRN_STEP_OK);
	CHECK(cairn_world_hash(a) == cairn_world_hash(b));
	cairn_shape_def made = cairn_scene_shape_at(cairn_world_scene(b), d.shape.index);
	CHECK(made.kind == CAIRN_MESH && made.columns == 3 && made.rows == 2);
	CHECK(made.point_count == 6 && made.points[3].z == 2);
	CHECK_INT(inputs[1], CAIRN_MESH); /* the kind of the shape: bytes with heights are never written */
	uint8_t *bent = malloc(size);
	REQUIRE(bent);
	memcpy(bent, inputs, size);
	bent[1] = CAIRN_HEIGHTFIELD;
	CHECK(!cairn_world_replay(b, bent, size, &e) && e.code == CAIRN_FILE);
	free(bent);
	size_t held = cairn_world_snapshot_size(a);
	void *bytes = malloc(held);
	CHECK(bytes && cairn_world_snapshot(a, bytes, held, &e) && cairn_world_restore(c, bytes, held, &e));
	CHECK(run(a, 5) == run(c, 5));
	free(bytes);
	cairn_world_destroy(a);
	cairn_world_destroy(b);
	cairn_world_destroy(c);
	cairn_scene_destroy(s);
}

TEST(snapshot_restores_to_the_bit)
{
	cairn_error e = {0};
	cairn_scene *s = busy_scene();
	cairn_world *w = yard_world(s, 1), *fresh = yard_world(s, 2);
	REQUIRE(w && fresh);
	for (int i = 0; i < 10; ++i) {
		give_inputs(w, i);
		cairn_world_step(w);
	}
	cairn_event_def blast = cairn_default_event_def(CAIRN_BLAST);
	blast.speed = 3;
	CHECK(cairn_world_apply_event(w, &blast, &e)); /* pending when the snapshot is taken */
	size_t size = cairn_world_snapshot_size(w);
	uint8_t *bytes = malloc(size);
	REQUIRE(bytes && cairn_world_snapshot(w, bytes, size, &e));
	CHECK(!cairn_world_snapshot(w, bytes, size - 1, &e));
	uint64_t at = cairn_world_hash(w), wanted = run(w, 30);

	CHECK(cairn_world_restore(w, bytes, size, &e)); /* back in the same world */
	CHECK(cairn_world_hash(w) == at);
	CHECK(run(w, 30) == wanted);
	CHECK(cairn_world_restore(fresh, bytes, size, &e)); /* and in a new one, which lacks shape and material */
	CHECK(cairn_scene_find_shape(cairn_world_scene(fresh), "tetra").generation);
	CHECK(run(fresh, 30) == wanted);
	size_t inputs;
	CHECK(cairn_world_restore(fresh, bytes, size, &e));
	cairn_world_step(fresh);
	cairn_world_step_inputs(fresh, &inputs);
	CHECK(inputs > 0);

	cairn_scene *other = empty_scene("free", v3_zero());
	cairn_world *o = yard_world(other, 1);
	CHECK(!cairn_world_restore(o, bytes, size, &e));
	CHECK_HAS(e.message, "another scene");
	uint64_t hash = cairn_world_hash(fresh);
	for (size_t i = 0; i < size; i += size / 97 + 1) {
		bytes[i] ^= 0x40;
		CHECK(!cairn_world_restore(fresh, bytes, size, &e));
		bytes[i] ^= 0x40;
		CHECK(!cairn_world_restore(fresh, bytes, i, &e));
	}
	/* The same with the checksum made right again: decoded or refused, but nothing breaks. */
	for (size_t i = 0; i < size - 4; i += size / 499 + 1) {
		uint8_t *bent = malloc(size);
		REQUIRE(bent);
		memcpy(bent, bytes, size);
		bent[i] ^= 0x80;
		uint32_t crc = cn_crc32(0, bent, size - 4);
		for (int k = 0; k < 4; ++k)
			bent[size - 4 + (size_t)k] = (uint8_t)(crc >> (8 * k));
		cairn_world *victim = yard_world(s, 1);
		if (cairn_world_restore(victim, bent, size, &e))
			cairn_world_step(victim);
		cairn_world_destroy(victim);
		free(bent);
	}
	CHECK(cairn_world_hash(fresh) == hash);
	free(bytes);
	cairn_world_destroy(w);
	cairn_world_destroy(fresh);
	cairn_world_destroy(o);
	cairn_scene_destroy(s);
	cairn_scene_destroy(other);
}

TEST(emitter_waits_while_its_place_is_taken)
{
	cairn_error e = {0};
	cairn_scene *s = empty_scene("oba", v3_zero());
	cairn_shape box = add_box(s, 1, 1, 1);
	cairn_body_def d = cairn_default_body_def();
	d.shape = box, d.velocity = v3_make(3, 0, 0); /* clears its place in 10 frames and a bit */
	cairn_emitter_def em = cairn_default_emitter_def();
	em.name = "cube", em.bodies = &d, em.body_count = 1, em.start = 0, em.every = 2, em.batches = 3;
	CHECK(cairn_scene_add_emitter(s, &em, &e));
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	CHECK_INT(cairn_world_body_count(w), 1); /* at frame 0 already */
	int births[3] = {0}, count = 1;
	uint32_t waiting = 0;
	for (int i = 1; i <= 40; ++i) {
		cairn_step_report r = cairn_world_step(w);
		CHECK_INT(r.status, CAIRN_STEP_OK);
		waiting += r.waiting;
		if (r.emitted && count < 3)
			births[count++] = i;
	}
	CHECK_INT(count, 3);
	CHECK_INT(births[1], 11); /* 10 frames are exactly one edge: touching is taken */
	CHECK_INT(births[2], 22);
	CHECK_INT(waiting, 2 * 9);
	CHECK(cairn_world_find_body(w, "cube.2").generation);
	CHECK_INT(cairn_world_body_count(w), 3);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

/* Exact shapes, exact motion: with keys inside the frame, within a millimetre, and not a hair more. */
TEST(oba_proves_near_misses)
{
	/* A disc of 200 rad/s, six keys a frame, beside a wall: its ball reaches 1.118 m, its rim 1 m. */
	for (int k = 0; k < 4; ++k) {
		bool near = k % 2, wall_first = k / 2;
		cairn_error e = {0};
		cairn_scene *s = empty_scene("oba", v3_zero());
		cairn_shape_def disc = cairn_default_shape_def(CAIRN_CYLINDER);
		disc.radius = 1, disc.length = 1;
		cairn_body_def d = cairn_default_body_def();
		d.shape = cairn_scene_add_shape(s, &disc, &e), d.spin = v3_make(0, 0, 200), d.name = "disc";
		cairn_body_def wall = cairn_default_body_def();
		wall.shape = add_box(s, 0.1, 5, 5), wall.type = CAIRN_FIXED, wall.name = "wall";
		wall.pose.position = v3_make(near ? 1.0495 : 1.051, 0, 0);
		CHECK(cairn_scene_add_body(s, wall_first ? &wall : &d, &e).generation);
		CHECK(cairn_scene_add_body(s, wall_first ? &d : &wall, &e).generation);
		cairn_world *w = cairn_world_create(s, NULL, &e);
		CHECK((w == NULL) == near);
		cairn_step_report r = {0};
		for (int i = 0; w && i < 5 && r.status == CAIRN_STEP_OK; ++i)
			r = cairn_world_step(w);
		CHECK_INT(r.status, CAIRN_STEP_OK);
		if (w) {
			CHECK(r.extra_keys > 0);
			CHECK_NEAR(r.min_gap, 1e-3, 1e-9);
			CHECK_INT(r.pair_a.index + r.pair_b.index, 1);
		}
		cairn_world_destroy(w);
		cairn_scene_destroy(s);
	}
}

/* Two balls askew at 1 mm and a ball askew of a box's edge at 66 mm, all moving alike. The smallest gap is that of the
 * two, although balls about them prove at once that they stay apart. */
TEST(smallest_gap)
{
	cairn_error e = {0};
	cairn_scene *s = empty_scene("oba", v3_zero());
	cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
	def.radius = 0.5;
	cairn_shape ball = cairn_scene_add_shape(s, &def, &e), box = add_box(s, 1, 1, 1);
	const v3 at[4] = {{0, 0, 0}, {0.6006, 0.8008, 0}, {0, 5, 0}, {0.9, 5.9, 0}};
	for (uint32_t i = 0; i < 4; ++i) {
		cairn_body_def d = cairn_default_body_def();
		d.shape = i == 2 ? box : ball, d.pose.position = at[i], d.velocity = v3_make(0, 1, 0);
		CHECK(cairn_scene_add_body(s, &d, &e).generation);
	}
	cairn_world *w = cairn_world_create(s, NULL, &e);
	REQUIRE(w);
	cairn_step_report r = cairn_world_step(w);
	CHECK_INT(r.status, CAIRN_STEP_OK);
	CHECK_NEAR(r.min_gap, 1e-3, 1e-9);
	CHECK(r.pair_a.index == 0 && r.pair_b.index == 1);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST(gaps_between_bodies)
{
	cairn_error e = {0};
	cairn_scene *s = empty_scene("free", v3_zero());
	cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE), plane = cairn_default_shape_def(CAIRN_HALFSPACE);
	def.radius = 0.5;
	cairn_shape ball = cairn_scene_add_shape(s, &def, &e), box = add_box(s, 1, 1, 1);
	cairn_body_def d = cairn_default_body_def();
	d.shape = ball, d.name = "ball", d.pose.position = v3_make(0, 0, 2);
	cairn_body a = cairn_scene_add_body(s, &d, &e);
	d.shape = box, d.name = "box", d.pose.position = v3_make(3, 0, 2);
	cairn_body b = cairn_scene_add_body(s, &d, &e);
	d.shape = cairn_scene_add_shape(s, &plane, &e), d.type = CAIRN_FIXED, d.pose.position = v3_zero(), d.name = "floor";
	cairn_body floor = cairn_scene_add_body(s, &d, &e);
	d.name = "other floor";
	cairn_body other = cairn_scene_add_body(s, &d, &e);
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	cairn_gap g = {.gap = 77};
	CHECK(cairn_world_gap(w, a, b, &g));
	CHECK_NEAR(g.gap, 2, 1e-15);
	CHECK_NEAR(g.normal.x, 1, 1e-15);
	CHECK_NEAR(v3_distance(g.point_a, v3_make(0.5, 0, 2)), 0, 1e-15);
	CHECK_NEAR(g.point_b.x, 2.5, 1e-15);
	CHECK(g.exact);
	CHECK(cairn_world_gap(w, floor, b, &g));
	CHECK_NEAR(g.gap, 1.5, 1e-15);
	CHECK_NEAR(g.normal.z, 1, 1e-15);
	CHECK(cairn_world_gap(w, b, floor, &g));
	CHECK_NEAR(g.normal.z, -1, 1e-15);
	g.gap = 77;
	CHECK(!cairn_world_gap(w, a, a, &g) && !cairn_world_gap(w, floor, other, &g));
	CHECK(!cairn_world_gap(w, a, (cairn_body){9, 1}, &g) && !cairn_world_gap(w, (cairn_body){0, 0}, b, &g));
	CHECK_NEAR(g.gap, 77, 0);
	cairn_shape_facts facts = cairn_scene_shape_facts(s, box);
	CHECK_INT(facts.vertices, 8);
	CHECK_INT(facts.edges, 12);
	CHECK_INT(facts.faces, 6);
	CHECK_NEAR(facts.volume, 1, 1e-15);
	CHECK_NEAR(facts.moments.y, 1 / 6.0, 1e-15);
	CHECK_INT(cairn_scene_shape_facts(s, ball).faces, 0);
	CHECK_NEAR(cairn_scene_shape_facts(s, d.shape).volume, 0, 0);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST(what_a_method_cannot_do_is_refused)
{
	cairn_error e = {0};
	cairn_scene *s = empty_scene("free", v3_zero());
	cairn_shape box = add_box(s, 1, 1, 1);
	cairn_body a = add(s, box, "a", v3_zero(), v3_zero());
	const char *const idle[][2] = {
		{"certify", "keys"}, {"sleep", "off"}, {"objective", "diameter"}, {"queue", "7"}, {"hybrid", "1"}};
	for (size_t i = 0; i < sizeof idle / sizeof *idle; ++i)
		CHECK(cairn_scene_set_option(s, idle[i][0], idle[i][1], &e));
	cairn_world *w = cairn_world_create(s, NULL, &e); /* they mean nothing to it */
	CHECK(w != NULL);
	cairn_world_destroy(w);
	const char *const unknown[][3] = {
		{"freeze", "on", "off"}, {"momentum", "thesis", "coulomb"}, {"forces", "qp", "impulse"}};
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
		CHECK(cairn_scene_set_option(s, unknown[i][0], unknown[i][1], &e));
		CHECK(!cairn_world_create(s, NULL, &e));
		CHECK_HAS(e.message, unknown[i][1]);
		CHECK(cairn_scene_set_option(s, unknown[i][0], unknown[i][2], &e));
	}
	cairn_joint_def j = cairn_default_joint_def();
	j.a = a;
	CHECK(cairn_scene_add_joint(s, &j, &e).generation);
	CHECK(!cairn_world_create(s, NULL, &e));
	CHECK_INT(e.code, CAIRN_INVALID);
	CHECK_HAS(e.message, "1 joint,");
	cairn_scene_destroy(s);
}

/* Many named shapes and materials, so that the tables of names have to grow on the way. */
TEST(snapshot_brings_many_names)
{
	cairn_error e = {0};
	cairn_scene *s = empty_scene("free", v3_zero());
	add(s, add_box(s, 1, 1, 1), "a", v3_zero(), v3_zero());
	cairn_world *w = yard_world(s, 1), *fresh = yard_world(s, 1);
	REQUIRE(w && fresh);
	char name[32];
	for (int i = 0; i < 40; ++i) {
		cairn_shape_def d = cairn_default_shape_def(CAIRN_SPHERE);
		cairn_material_def m = cairn_default_material_def();
		snprintf(name, sizeof name, "name %d", i);
		d.name = m.name = name;
		CHECK(cairn_world_add_shape(w, &d, &e).generation && cairn_world_add_material(w, &m, &e).generation);
	}
	size_t size = cairn_world_snapshot_size(w);
	void *bytes = malloc(size);
	REQUIRE(bytes && cairn_world_snapshot(w, bytes, size, &e));
	CHECK(cairn_world_restore(fresh, bytes, size, &e));
	CHECK(cairn_world_restore(fresh, bytes, size, &e));
	for (uint32_t i = 0; i < 40; ++i) {
		snprintf(name, sizeof name, "name %u", i);
		CHECK_INT(cairn_scene_find_shape(cairn_world_scene(fresh), name).index, i + 1);
		CHECK_INT(cairn_scene_find_material(cairn_world_scene(fresh), name).index, i);
	}
	free(bytes);
	cairn_world_destroy(w);
	cairn_world_destroy(fresh);
	cairn_scene_destroy(s);
}

/* A step that is refused leaves velocities, keys and hash alone, events included; tried again later, they act once. */
TEST(refused_step_changes_nothing)
{
	cairn_error e = {0};
	cairn_scene *s = empty_scene("oba", v3_zero());
	cairn_shape box = add_box(s, 1, 1, 1);
	cairn_body_def d = cairn_default_body_def();
	d.shape = box, d.name = "a", d.mass = 1, d.spin = v3_make(0, 0, 60);
	cairn_body a = cairn_scene_add_body(s, &d, &e);
	d.name = "too fast", d.spin = v3_zero(), d.pose.position = v3_make(40, 0, 0);
	cairn_body b = cairn_scene_add_body(s, &d, &e);
	cairn_event_def kick = cairn_default_event_def(CAIRN_IMPULSE);
	kick.frame = 2, kick.body = a, kick.impulse = v3_make(0, 0, 30);
	CHECK(cairn_scene_add_event(s, &kick, &e));
	kick.body = b, kick.impulse = v3_make(0, 0, 1e5), kick.has_point = true, kick.point = v3_make(40.5, 0, 0);
	CHECK(cairn_scene_add_event(s, &kick, &e));
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	cairn_key before[65], after[65];
	cairn_world_step(w);
	CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
	uint64_t hash = cairn_world_hash(w);
	uint32_t count = cairn_world_body_keys(w, a, before, 65);
	CHECK(count > 1);
	for (int i = 0; i < 3; ++i) {
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_SPIN);
		CHECK(cairn_world_hash(w) == hash);
		CHECK_INT(cairn_world_body_keys(w, a, after, 65), count);
		CHECK(memcmp(before, after, count * sizeof *before) == 0);
	}
	CHECK(cairn_world_remove_body(w, cairn_world_find_body(w, "too fast"), &e));
	CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
	CHECK_NEAR(cairn_world_body_key(w, a).velocity.z, 30, 1e-12);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

/* A script that goes out and back within one frame is seen by the search, and a half-space that moves carries. */
TEST(oba_follows_scripts)
{
	cairn_error e = {0};
	for (int there = 0; there < 2; ++there) {
		cairn_scene *s = empty_scene("oba", v3_zero());
		cairn_shape box = add_box(s, 1, 1, 1);
		cairn_script_key keys[] = {
			{0, {{0, 0, 0}, {1, 0, 0, 0}}}, {0.01, {{10, 0, 0}, {1, 0, 0, 0}}}, {0.02, {{0, 0, 0}, {1, 0, 0, 0}}}};
		cairn_body_def d = cairn_default_body_def();
		d.shape = box, d.type = CAIRN_SCRIPTED, d.keys = keys, d.key_count = 3;
		CHECK(cairn_scene_add_body(s, &d, &e).generation);
		add(s, box, "a", v3_make(there ? 5 : 40, 0, 0), v3_zero());
		cairn_world *w = yard_world(s, 1);
		REQUIRE(w);
		cairn_step_report r = cairn_world_step(w);
		CHECK_INT(r.status, CAIRN_STEP_OK);
		CHECK_INT(r.certificate.verdict, CAIRN_CLEAN);
		bool moved = cairn_world_body_key(w, cairn_world_find_body(w, "a")).position.x != (there ? 5 : 40);
		CHECK(moved == (there == 1) || r.late > 0);
		CHECK(there || r.late == 0);
		cairn_world_destroy(w);
		cairn_scene_destroy(s);
	}
	cairn_scene *s = empty_scene("oba", v3_zero());
	cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
	cairn_script_key rise[] = {{0, {{0, 0, -5}, {1, 0, 0, 0}}}, {5, {{0, 0, 0}, {1, 0, 0, 0}}}};
	cairn_body_def d = cairn_default_body_def();
	d.shape = cairn_scene_add_shape(s, &plane, &e), d.type = CAIRN_SCRIPTED, d.keys = rise, d.key_count = 2;
	CHECK(cairn_scene_add_body(s, &d, &e).generation);
	add(s, add_box(s, 1, 1, 1), "a", v3_zero(), v3_zero());
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	cairn_step_report r = {0};
	while (r.status == CAIRN_STEP_OK && r.frame < 200)
		r = cairn_world_step(w);
	CHECK_INT(r.status, CAIRN_STEP_OK);
	CHECK_INT(r.late, 0);
	CHECK(cairn_world_body_key(w, cairn_world_find_body(w, "a")).position.z > 0.5); /* no gravity: pushed up, and off */
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

/* A restore that fails for want of memory, at any allocation, leaves the world as it was. */
TEST(refused_restore_changes_nothing)
{
	cairn_error e = {0};
	cairn_scene *s = busy_scene();
	ledger m = {0};
	cairn_world_def d = cairn_default_world_def();
	d.allocator = (cairn_allocator){&m, ledger_resize};
	d.threads = 1;
	cairn_world *w = cairn_world_create(s, &d, &e);
	REQUIRE(w);
	for (int i = 0; i < 9; ++i) {
		give_inputs(w, i);
		cairn_world_step(w);
	}
	size_t size = cairn_world_snapshot_size(w);
	void *bytes = malloc(size), *now = malloc(size + 100000);
	REQUIRE(bytes && now && cairn_world_snapshot(w, bytes, size, &e));
	CHECK(cairn_world_set_gravity(w, v3_make(1, 2, 3), &e));
	for (int i = 0; i < 5; ++i)
		cairn_world_step(w);
	size_t now_size = cairn_world_snapshot_size(w);
	REQUIRE(now_size <= size + 100000 && cairn_world_snapshot(w, now, now_size, &e));
	bool done = false;
	for (long limit = 0; !done && limit < 10000; ++limit) {
		ledger_allow(&m, (size_t)limit);
		done = cairn_world_restore(w, bytes, size, &e);
		ledger_allow(&m, 1000000);
		if (done)
			break;
		CHECK_INT(e.code, CAIRN_MEMORY);
		void *again = malloc(now_size);
		REQUIRE(again && cairn_world_snapshot_size(w) == now_size && cairn_world_snapshot(w, again, now_size, &e));
		CHECK(memcmp(now, again, now_size) == 0);
		free(again);
	}
	CHECK(done);
	free(bytes);
	free(now);
	cairn_world_destroy(w);
	CHECK_INT(m.bytes, 0);
	cairn_scene_destroy(s);
}

/* Every allocation in turn fails: a clean error, nothing leaks, and the world that was is whole. */
TEST(memory_may_run_out_anywhere)
{
	cairn_scene *s = busy_scene();
	cairn_error e = {0};
	bool done = false;
	for (long limit = 0; !done && limit < 100000; limit += limit < 40 ? 1 : 7) {
		ledger m = {0};
		ledger_allow(&m, (size_t)limit);
		cairn_world_def d = cairn_default_world_def();
		d.allocator = (cairn_allocator){&m, ledger_resize};
		d.threads = 1;
		cairn_world *w = cairn_world_create(s, &d, &e);
		if (!w) {
			CHECK_INT(e.code, CAIRN_MEMORY);
			CHECK_INT(m.bytes, 0);
			continue;
		}
		done = true;
		for (int i = 0; i < 12; ++i) {
			ledger_allow(&m, 1000000);
			give_inputs(w, i);
			ledger_allow(&m, (size_t)i % 4);
			uint32_t frame = cairn_world_frame(w);
			cairn_step_report r = cairn_world_step(w);
			CHECK(r.status == CAIRN_STEP_OK || r.status == CAIRN_STEP_MEMORY);
			CHECK(r.status == CAIRN_STEP_MEMORY || r.frame == frame + 1);
			CHECK_INT(w->emissions[0].batches, w->emissions[0].bodies); /* whole batches or none */
		}
		cairn_world_destroy(w);
		CHECK_INT(m.bytes, 0);
	}
	CHECK(done);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(threads_do_not_change_the_motion), TEST_CASE(copied_scene_moves_the_same),
          TEST_CASE(handles_go_stale), TEST_CASE(inputs_replay_to_the_bit), TEST_CASE(height_field_replays),
          TEST_CASE(snapshot_restores_to_the_bit), TEST_CASE(emitter_waits_while_its_place_is_taken),
          TEST_CASE(oba_proves_near_misses), TEST_CASE(smallest_gap), TEST_CASE(gaps_between_bodies),
          TEST_CASE(what_a_method_cannot_do_is_refused), TEST_CASE(snapshot_brings_many_names),
          TEST_CASE(refused_step_changes_nothing), TEST_CASE(oba_follows_scripts),
          TEST_CASE(refused_restore_changes_nothing), TEST_CASE(memory_may_run_out_anywhere))
