/* The real-time solver: memory that runs out, and the same bits with any number of threads, lanes and compiler. */
#include "fast_solved.h"

enum { SLOW = TEST_FEW };

TEST(memory_runs_out)
{
	pile_options o = {.bodies = 40, .edge = 1, .slab = 0.015, .tilt = 4e-3, .gap = 0.02, .mu = 0.5, .seed = 5};
	pile p = pile_make(&o);
	pile_ask_speeds(&p, NULL, frame);
	solved s = make_room(&p.qp);
	cn_fast_options options = {.sweeps = 4};
	for (int momentum = 0; momentum < 2; ++momentum) {
		bool done = false;
		for (size_t calls = 0; calls < 100 && !done; ++calls) {
			ledger_allow(&memory, calls);
			cn_fast *fast = cn_fast_create(&allocator);
			if (fast) {
				solve(fast, &p.qp, momentum, &options, &s);
				done = s.result.status != CN_QP_MEMORY;
				ledger_allow(&memory, 100); /* and again, with memory */
				solve(fast, &p.qp, momentum, &options, &s);
				check_promises(&p.qp, momentum, &s);
				ledger_allow(&memory, 0); /* the same size needs none */
				solve(fast, &p.qp, momentum, &options, &s);
				CHECK(s.result.status == CN_QP_EARLY);
				CHECK_INT(memory.calls, 0);
			}
			cn_fast_destroy(fast);
			CHECK_INT(memory.bytes, 0);
		}
		CHECK(done);
	}
	memory = (ledger){0};
	free_room(&s);
	pile_free(&p);
}

static uint64_t hash_solution(uint64_t hash, const cn_qp *qp, const solved *s)
{
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		const cn_twist *u = &s->solution.u[i];
		double all[6] = {u->v.x, u->v.y, u->v.z, u->w.x, u->w.y, u->w.z};
		for (int k = 0; k < 6; ++k)
			hash = cn_hash_double(hash, all[k]);
	}
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		hash = cn_hash_double(hash, s->solution.contact[i].n);
		hash = cn_hash_double(hash, s->solution.contact[i].s);
		hash = cn_hash_double(hash, s->solution.contact[i].t);
	}
	hash = cn_hash_double(hash, s->result.residual);
	return cn_hash_u64(hash, s->result.sweeps);
}

/* A position solve, then a momentum solve cold and warm; regions: 0 names none. */
static uint64_t hash_regions(cn_fast *fast, cn_pool *pool, uint32_t bodies, uint32_t sweeps, double tolerance,
                             uint32_t regions)
{
	pile_options o = {
		.bodies = bodies, .edge = 0.93, .slab = 0.014, .tilt = 4e-3, .gap = 0.02, .few = true, .mu = 0.5, .seed = 11};
	pile p = pile_make(&o);
	solved s = make_room(&p.qp);
	uint64_t hash = CN_HASH_START;
	uint8_t *region = calloc(p.qp.body_count + 1, 1);
	if (!region)
		abort();
	for (uint32_t i = 0; i < p.qp.body_count && regions > 0; ++i)
		region[i] = (uint8_t)(i * regions / p.qp.body_count);
	cn_fast_options options = {
		.sweeps = sweeps, .tolerance = tolerance, .region = regions ? region : NULL, .pool = pool};
	pile_ask_positions(&p, 0.3, 1, frame, 1e-3);
	solve(fast, &p.qp, false, &options, &s);
	hash = hash_solution(hash, &p.qp, &s);
	pile_ask_speeds(&p, NULL, frame);
	for (int k = 0; k < 2; ++k) {
		options.warm = k;
		solve(fast, &p.qp, true, &options, &s);
		hash = hash_solution(hash, &p.qp, &s);
	}
	free(region);
	free_room(&s);
	pile_free(&p);
	return hash;
}

static uint64_t hash_pile(cn_fast *fast, cn_pool *pool, uint32_t bodies, uint32_t sweeps, double tolerance)
{
	return hash_regions(fast, pool, bodies, sweeps, tolerance, 0);
}

TEST(threads_change_nothing_in_regions)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	for (uint32_t regions = 1; regions <= CN_FAST_REGIONS; regions *= 4) {
		uint64_t wanted = hash_regions(fast, NULL, 500, 20, 0, regions);
		CHECK_INT(fast->region_count, regions);
		for (uint32_t threads = 2; threads < 6; threads += 3) {
			cn_pool *pool = cn_pool_create(&allocator, threads);
			REQUIRE(pool);
			CHECK(hash_regions(fast, pool, 500, 20, 0, regions) == wanted);
			cn_pool_destroy(pool);
		}
		cn_fast_width widest = fast->width;
		for (int width = CN_FAST_NARROW; width <= (int)widest; ++width) {
			fast->width = (cn_fast_width)width;
			CHECK(hash_regions(fast, NULL, 500, 20, 0, regions) == wanted);
		}
	}
	cn_fast_destroy(fast);
}

TEST(threads_change_nothing)
{
	enum { BODIES = SLOW ? 2500 : 7000 };
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	uint64_t wanted = hash_pile(fast, NULL, BODIES, 6, 0);
	static const uint32_t threads[] = {1, 2, 3, 7};
	if (!SLOW)
		CHECK(fast->chunk_count > fast->colour_count); /* so that threads had something to share */
	for (size_t i = 0; i < CN_COUNT(threads); ++i) {
		cn_pool *pool = cn_pool_create(&allocator, threads[i]);
		REQUIRE(pool);
		CHECK(hash_pile(fast, pool, BODIES, 6, 0) == wanted);
		cn_pool_destroy(pool);
	}
	cn_fast_destroy(fast);
}

TEST(width_changes_nothing)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static const char *const names[] = {"two vectors of four", "one of eight", "one of eight, more registers"};
	cn_fast_width widest = fast->width;
	uint64_t wanted = hash_pile(fast, NULL, 300, 30, 1e-7);
	for (int width = CN_FAST_NARROW; width <= (int)widest; ++width) {
		fast->width = (cn_fast_width)width;
		CHECK(hash_pile(fast, NULL, 300, 30, 1e-7) == wanted);
		printf("lanes: %s\n", names[width]);
	}
	cn_fast_destroy(fast);
}

/* The same number with every compiler, option and machine. */
TEST(golden)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	uint64_t hash = hash_pile(fast, NULL, 200, 40, 0) ^ hash_pile(fast, NULL, 57, 500, 1e-5);
	static stack s;
	build_stack(&s, 10, 0.3);
	s.u0[4].v.x = 2;
	s.u0[7].w = v3_make(0.1, 0.2, 3);
	cn_qp_row rows[2] = {
		{.a = 3, .b = 5, .ja = {{1, 0, 0}, {0, 0.5, 0}}, .jb = {{-1, 0, 0}, {0, 0.25, 0}}, .low = 0, .high = 0},
		{.a = 9, .b = CN_QP_NONE, .ja = {{0, 1, 0}, {0, 0, 0}}, .low = -INFINITY, .high = -0.01}};
	s.qp.rows = rows;
	s.qp.row_count = 2;
	for (int i = 0; i < 40; ++i)
		s.contacts[i].eps = 0.4;
	solved out = make_room(&s.qp);
	cn_fast_options options = {.sweeps = 25, .bounce = true};
	solve(fast, &s.qp, true, &options, &out);
	hash ^= hash_solution(CN_HASH_START, &s.qp, &out);
	solve(fast, &s.qp, false, &options, &out);
	hash ^= hash_solution(CN_HASH_START, &s.qp, &out);
	free_room(&out);
	cn_fast_destroy(fast);
	printf("hash %016" PRIx64 "\n", hash);
	CHECK(hash == 0xaeb3124e41ea089bull);
}

TEST_MAIN(TEST_CASE(memory_runs_out), TEST_CASE(threads_change_nothing), TEST_CASE(threads_change_nothing_in_regions),
          TEST_CASE(width_changes_nothing), TEST_CASE(golden))
