/* The broad phase against all pairs tried one by one. */
#include "draw.h"
#include "geom/broad.h"
#include "ledger.h"
#include "test.h"

enum { MOST = 3000 };

static cn_broad_item box_at(v3 centre, v3 half)
{
	return (cn_broad_item){v3_sub(centre, half), v3_add(centre, half), false, 1, 1};
}

static const cn_broad_item gone = {{1, 0, 0}, {0, 0, 0}, false, 1, 1};

static void shift(cn_broad_item *item, v3 by)
{
	item->low = v3_add(item->low, by);
	item->high = v3_add(item->high, by);
}

static bool meet(const cn_broad_item *a, const cn_broad_item *b)
{
	for (int k = 0; k < 3; ++k)
		if (v3_at(a->low, k) > v3_at(b->high, k) || v3_at(b->low, k) > v3_at(a->high, k))
			return false;
	return !(a->still && b->still) && (a->group & b->mask) && (b->group & a->mask) && a->low.x <= a->high.x &&
	       b->low.x <= b->high.x;
}

/* True if the pairs are those of trying all, in order. */
static bool same_as_brute(const cn_broad *broad, const cn_broad_item *items, uint32_t count)
{
	uint32_t found, k = 0;
	const cn_broad_pair *pairs = cn_broad_pairs(broad, &found);
	for (uint32_t a = 0; a < count; ++a) {
		for (uint32_t b = a + 1; b < count; ++b) {
			if (!meet(&items[a], &items[b]))
				continue;
			if (k == found || pairs[k].a != a || pairs[k].b != b) {
				printf("pair %u: wanted (%u, %u), found (%d, %d)\n", k, a, b, k < found ? (int)pairs[k].a : -1,
				       k < found ? (int)pairs[k].b : -1);
				return false;
			}
			++k;
		}
	}
	if (k != found)
		printf("%u pairs wanted, %u found\n", k, found);
	return k == found;
}

typedef void (*change_fn)(cn_broad_item *items, uint32_t *count, int frame);

/* Runs frames with one broad phase that remembers and one that does not; returns the pairs of all frames. */
static uint64_t follow(cn_broad_item *items, uint32_t count, int frames, change_fn change)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_broad *broad = cn_broad_create(&allocator), *fresh = cn_broad_create(&allocator);
	uint64_t all = 0;
	for (int f = 0; f < frames; ++f) {
		uint32_t found, again;
		bool done = cn_broad_update(broad, items, count, NULL), right = done && same_as_brute(broad, items, count);
		CHECK(right);
		cn_broad_clear(fresh);
		CHECK(cn_broad_update(fresh, items, count, NULL));
		const cn_broad_pair *p = cn_broad_pairs(broad, &found), *q = cn_broad_pairs(fresh, &again);
		CHECK(found == again && (found == 0 || memcmp(p, q, found * sizeof *p) == 0));
		all += found;
		if (!right)
			break;
		if (change)
			change(items, &count, f);
	}
	cn_broad_destroy(broad);
	cn_broad_destroy(fresh);
	return all;
}

static cn_broad_item items[MOST];
static v3 speeds[MOST];

static void drift(cn_broad_item *it, uint32_t *count, int frame)
{
	(void)frame;
	for (uint32_t i = 0; i < *count; ++i)
		shift(&it[i], speeds[i]);
}

static void shake(cn_broad_item *it, uint32_t *count, int frame)
{
	(void)frame;
	for (uint32_t i = 0; i < *count; ++i)
		shift(&it[i], draw_v3(-0.02, 0.02));
}

TEST(clouds)
{
	seed = 1;
	uint32_t count = TEST_FEW ? 300 : 1000;
	for (uint32_t i = 0; i < count; ++i) {
		v3 centre = draw_v3(0, TEST_FEW ? 7 : 10), half = draw_v3(0.1, 0.9);
		items[i] = box_at(centre, half);
		speeds[i] = draw_v3(-0.03, 0.03);
	}
	CHECK(follow(items, count, 80, drift) > 10000);
	CHECK(follow(items, count, 60, shake) > 10000);
}

TEST(piles)
{
	seed = 2;
	uint32_t side = TEST_FEW ? 7 : 12, count = 0;
	for (uint32_t x = 0; x < side; ++x)
		for (uint32_t y = 0; y < side; ++y)
			for (uint32_t z = 0; z < side; ++z) {
				/* neighbours touch exactly, in every frame that nothing moves */
				v3 centre = {x, y, z};
				speeds[count] = z == 0 ? v3_zero() : draw_v3(-0.01, 0.01);
				items[count] = box_at(centre, v3_make(0.5, 0.5, 0.5));
				items[count++].still = z == 0;
			}
	/* 26 neighbours each inside; pairs in the bottom layer left out */
	CHECK(follow(items, count, 3, NULL) > 10 * count);
	CHECK(follow(items, count, 60, drift) > 60 * count);
}

TEST(mixed_sizes)
{
	seed = 3;
	uint32_t count = TEST_FEW ? 400 : 1500;
	for (uint32_t i = 0; i < count; ++i) {
		double size = 1e-3;
		int steps = (int)(fraction() * 13); /* 1e-3 .. 1e3 */
		for (int k = 0; k < steps; ++k)
			size *= 3.1622776601683795;
		v3 centre = draw_v3(-1, 1), stretch = draw_v3(0.3, 1);
		double far = fraction() < 0.5 ? 1 : 300;
		items[i] = box_at(v3_scale(centre, far), v3_scale(stretch, 0.5 * size));
		speeds[i] = v3_scale(draw_v3(-0.02, 0.02), size);
		items[i].still = fraction() < 0.2;
	}
	CHECK(follow(items, count, 50, drift) > 1000);
}

/* Things come, go, jump, stop and start; the count grows and shrinks. */
static void upset(cn_broad_item *it, uint32_t *count, int frame)
{
	for (uint32_t i = 0; i < *count; ++i) {
		double what = fraction();
		v3 place = draw_v3(0, 10), half = draw_v3(0.1, 0.6), step = draw_v3(-0.05, 0.05);
		if (what < 0.02)
			it[i] = gone;
		else if (what < 0.06)
			it[i] = box_at(place, half);
		else if (what < 0.07)
			it[i].still = !it[i].still;
		else if (what < 0.08)
			it[i].group = 1 + below(3), it[i].mask = below(4);
		else if (what < 0.6 && it[i].low.x <= it[i].high.x)
			shift(&it[i], step);
	}
	uint32_t now = *count;
	if (frame % 7 == 3)
		now = now * 2 / 3;
	else if (frame % 5 == 1)
		now += now / 3 < MOST / 2 - now ? now / 3 : 0;
	else if (frame == 20)
		now = 0;
	else if (frame == 21)
		now = 200;
	for (uint32_t i = *count; i < now; ++i) {
		v3 place = draw_v3(0, 10), half = draw_v3(0.1, 0.6);
		it[i] = box_at(place, half);
	}
	*count = now;
	if (frame % 11 == 10)
		for (uint32_t i = 0; i < now; ++i) {
			v3 place = draw_v3(-50, 50), half = draw_v3(0.1, 3);
			it[i] = box_at(place, half);
		}
}

/* A few arrivals a frame: the tree's spare slots are used up again and again. */
static void trickle(cn_broad_item *it, uint32_t *count, int frame)
{
	(void)frame;
	for (int k = 0; k < 9; ++k) {
		v3 place = draw_v3(0, 8), half = draw_v3(0.1, 0.6);
		it[(*count)++] = box_at(place, half);
	}
	v3 place = draw_v3(0, 8), half = draw_v3(0.1, 0.6);
	it[(uint32_t)frame] = frame % 3 ? gone : box_at(place, half);
}

TEST(come_and_go)
{
	seed = 4;
	for (uint32_t i = 0; i < 400; ++i) {
		v3 place = draw_v3(0, 10), half = draw_v3(0.1, 0.6);
		items[i] = box_at(place, half);
	}
	CHECK(follow(items, 400, TEST_FEW ? 60 : 150, upset) > 1000);
	CHECK(follow(items, 20, TEST_FEW ? 60 : 150, trickle) > 1000);
	CHECK_INT(follow(items, 0, 2, NULL), 0);
	CHECK_INT(follow(items, 1, 2, NULL), 0);
}

TEST(still_pairs_are_left_out)
{
	for (int i = 0; i < 4; ++i) {
		items[i] = box_at(v3_zero(), v3_make(1, 1, 1));
		items[i].still = i < 3;
	}
	CHECK_INT(follow(items, 4, 1, NULL), 3);
	cairn_allocator allocator = cairn_default_allocator();
	cn_broad *broad = cn_broad_create(&allocator);
	uint32_t found;
	for (int frame = 0; frame < 8; ++frame) {
		for (int i = 0; i < 4; ++i)
			items[i].still = (frame >> (i % 3)) & 1;
		CHECK(cn_broad_update(broad, items, 4, NULL));
		CHECK(same_as_brute(broad, items, 4));
		cn_broad_pairs(broad, &found);
		CHECK(frame < 7 || found == 0);
	}
	/* one of many begins to move, or stops, where it is */
	seed = 9;
	for (uint32_t i = 0; i < 60; ++i) {
		v3 centre = draw_v3(0, 2);
		items[i] = box_at(centre, v3_make(0.5, 0.5, 0.5));
		items[i].still = true;
	}
	for (uint32_t frame = 0; frame < 40; ++frame) {
		CHECK(cn_broad_update(broad, items, 60, NULL));
		CHECK(same_as_brute(broad, items, 60));
		items[frame * 7 % 30].still = frame % 3 == 2;
	}
	cn_broad_destroy(broad);
}

/* Corners, edges and faces that touch in one number; points; plates without thickness. */
TEST(touching_and_degenerate)
{
	uint32_t count = 0;
	for (int x = -1; x <= 1; ++x)
		for (int y = -1; y <= 1; ++y)
			for (int z = -1; z <= 1; ++z) {
				v3 centre = {0.1 * x, 0.1 * y, 0.1 * z};
				items[count++] = box_at(centre, v3_make(0.05, 0.05, 0.05));
				items[count++] = box_at(centre, v3_zero());
				items[count++] = box_at(centre, v3_make(0.05, 0, 0.05));
			}
	CHECK(follow(items, count, 1, NULL) > 100);
	/* the smallest step apart is apart */
	items[0] = box_at(v3_zero(), v3_make(1, 1, 1));
	items[1] = items[2] = items[0];
	shift(&items[1], v3_make(2, 0, 0));
	shift(&items[2], v3_make(0, 2, 0));
	CHECK_INT(follow(items, 3, 1, NULL), 3);
	items[1].low.x = nextafter(1, 2);
	CHECK_INT(follow(items, 3, 1, NULL), 1);
	items[2].low.y = nextafter(1, 2);
	CHECK_INT(follow(items, 3, 1, NULL), 0);
	for (uint32_t i = 0; i < 200; ++i)
		items[i] = box_at(v3_make(3, 4, 5), v3_zero());
	CHECK_INT(follow(items, 200, 2, NULL), 200 * 199);
}

TEST(huge_coordinates)
{
	seed = 5;
	uint32_t count = TEST_FEW ? 200 : 600;
	for (int way = 0; way < 4; ++way) {
		for (uint32_t i = 0; i < count; ++i) {
			v3 centre = draw_v3(0, 8), half = draw_v3(0.2, 0.8);
			items[i] = box_at(centre, half);
			speeds[i] = draw_v3(-0.02, 0.02);
			double far = way == 0 ? 1e9 : way == 1 ? (i % 3 ? 1e9 : -1e9) : way == 2 ? (i % 50 ? 0 : 1e9) : 0;
			shift(&items[i], v3_make(far, -far, 0.5 * far));
			if (way == 3 && i % 2) { /* beyond what floats hold */
				v3 grown = v3_scale(items[i].low, 1e300);
				items[i].low = i % 4 == 1 ? grown : v3_neg(grown);
				items[i].high = v3_scale(v3_abs(items[i].high), 1e302);
			}
		}
		CHECK(follow(items, count, 50, drift) > 1000);
	}
}

TEST(threads_change_nothing)
{
	seed = 6;
	static cn_broad_item many[20000];
	static v3 speed[20000];
	uint32_t count = TEST_FEW ? 8000 : 20000, wanted = 0;
	double side = TEST_FEW ? 17 : 23;
	cairn_allocator allocator = cairn_default_allocator();
	const uint32_t threads[] = {1, 2, 3, 7};
	cn_pool *pools[4];
	cn_broad *broads[5];
	for (int k = 0; k < 5; ++k)
		broads[k] = cn_broad_create(&allocator);
	for (int k = 0; k < 4; ++k)
		pools[k] = cn_pool_create(&allocator, threads[k]);
	for (uint32_t i = 0; i < count; ++i) {
		v3 centre = draw_v3(0, side), half = draw_v3(0.3, 0.9);
		many[i] = box_at(centre, half);
		speed[i] = draw_v3(-0.01, 0.01);
	}
	for (int frame = 0; frame < 12; ++frame) {
		CHECK(cn_broad_update(broads[4], many, count, NULL));
		const cn_broad_pair *first = cn_broad_pairs(broads[4], &wanted);
		for (int k = 0; k < 4; ++k) {
			uint32_t found;
			CHECK(cn_broad_update(broads[k], many, count, pools[k]));
			const cn_broad_pair *pairs = cn_broad_pairs(broads[k], &found);
			CHECK(found == wanted && memcmp(first, pairs, found * sizeof *pairs) == 0);
		}
		for (uint32_t i = 0; i < count; ++i)
			shift(&many[i], speed[i]);
	}
	CHECK(wanted > 65536); /* so many that the threads had work */
	for (int k = 0; k < 5; ++k)
		cn_broad_destroy(broads[k]);
	for (int k = 0; k < 4; ++k)
		cn_pool_destroy(pools[k]);
}

/* A story of eight updates in which allocation fails at the n-th call, once or from then on. */
static bool tell_story(ledger *book)
{
	cairn_allocator allocator = {book, ledger_resize};
	cn_broad *broad = cn_broad_create(&allocator);
	bool failed = !broad;
	seed = 7;
	for (int frame = 0; broad && frame < 8; ++frame) {
		uint32_t count = 60 + 40 * (uint32_t)frame;
		for (uint32_t i = 0; i < count; ++i) {
			v3 centre = draw_v3(0, frame < 5 ? 7 : 4), step = draw_v3(-0.05, 0.05);
			if (frame == 0 || frame == 5 || i >= count - 40)
				items[i] = box_at(centre, v3_make(0.5, 0.5, 0.5));
			else
				shift(&items[i], step);
		}
		uint32_t found;
		if (cn_broad_update(broad, items, count, NULL)) {
			CHECK(same_as_brute(broad, items, count));
		} else {
			failed = true;
			cn_broad_pairs(broad, &found);
			CHECK_INT(found, 0);
		}
	}
	if (!failed && broad) { /* as much as ever before: nothing is allocated */
		size_t calls = book->calls;
		CHECK(cn_broad_update(broad, items, 340, NULL));
		CHECK_INT(book->calls, calls);
	}
	cn_broad_destroy(broad);
	CHECK_INT(book->bytes, 0);
	return failed;
}

TEST(memory_runs_out)
{
	for (int lasting = 0; lasting < 2; ++lasting) {
		size_t n = 1;
		for (;; ++n) {
			ledger book = {.fail_at = n, .lasting = lasting};
			if (!tell_story(&book))
				break;
		}
		CHECK(n > 20);
	}
}

TEST(settles_without_allocating)
{
	seed = 8;
	ledger book = {0};
	cairn_allocator allocator = {&book, ledger_resize};
	cn_broad *broad = cn_broad_create(&allocator);
	uint32_t count = 1000;
	for (uint32_t i = 0; i < count; ++i) {
		v3 centre = draw_v3(0, 10);
		items[i] = box_at(centre, v3_make(0.5, 0.5, 0.5));
	}
	for (int frame = 0; frame < 400; ++frame) {
		if (frame == 100)
			book.calls = 0;
		CHECK(cn_broad_update(broad, items, count, NULL));
		for (uint32_t i = 0; i < count; ++i) { /* about where it is */
			v3 away = v3_sub(v3_scale(v3_add(items[i].low, items[i].high), 0.5), v3_make(5, 5, 5));
			v3 step = v3_madd(draw_v3(-0.02, 0.02), away, -0.0005);
			shift(&items[i], step);
		}
	}
	CHECK(book.calls < 12); /* new largest numbers of pairs are rare */
	cn_broad_clear(broad);
	book.calls = 0;
	CHECK(cn_broad_update(broad, items, count, NULL));
	CHECK(book.calls < 3);
	CHECK(same_as_brute(broad, items, count));
	cn_broad_destroy(broad);
	CHECK_INT(book.bytes, 0);
}

TEST_MAIN(TEST_CASE(clouds), TEST_CASE(piles), TEST_CASE(mixed_sizes), TEST_CASE(come_and_go),
          TEST_CASE(still_pairs_are_left_out), TEST_CASE(touching_and_degenerate), TEST_CASE(huge_coordinates),
          TEST_CASE(threads_change_nothing), TEST_CASE(memory_runs_out), TEST_CASE(settles_without_allocating))
