/* Bytes there and back, the byte order, and every way a reader or writer can fail. */
#include "ledger.h"
#include "test.h"

static ledger broke = {.fail_at = 1, .lasting = true}; /* refuses from the first call on */

#include "base/bytes.h"

TEST(there_and_back)
{
	cn_writer w = {.allocator = cairn_default_allocator()};
	cn_put_u8(&w, 200);
	cn_put_u8(&w, 1);
	cn_put_u32(&w, 0xdeadbeefu);
	cn_put_u64(&w, 0x0123456789abcdefull);
	cn_put_f64(&w, -0.1);
	cn_put_v3(&w, (cairn_vec3){1, 2, 3});
	cn_put_quat(&w, (cairn_quat){4, 5, 6, 7});
	cn_put_text(&w, "cairn");
	cn_put_text(&w, NULL);
	cn_put_bytes(&w, "xyz", 3);
	cn_put_bytes(&w, NULL, 0);
	REQUIRE(!w.failed);
	CHECK_INT(w.size, 1 + 1 + 4 + 8 + 8 + 24 + 32 + 9 + 4 + 3);

	cn_reader r = {w.data, w.size, 0, false};
	CHECK_INT(cn_get_u8(&r), 200);
	CHECK(cn_get_bool(&r));
	CHECK(cn_get_u32(&r) == 0xdeadbeefu);
	CHECK(cn_get_u64(&r) == 0x0123456789abcdefull);
	CHECK(cn_get_f64(&r) == -0.1);
	cairn_vec3 v = cn_get_v3(&r);
	CHECK(v.x == 1 && v.y == 2 && v.z == 3);
	cairn_quat q = cn_get_quat(&r);
	CHECK(q.w == 4 && q.x == 5 && q.y == 6 && q.z == 7);
	char *text = cn_get_text(&r, &w.allocator), *empty = cn_get_text(&r, &w.allocator);
	REQUIRE(text && empty);
	CHECK_TEXT(text, "cairn");
	CHECK_TEXT(empty, "");
	const uint8_t *rest = cn_get_bytes(&r, 3);
	CHECK(rest && memcmp(rest, "xyz", 3) == 0);
	CHECK(!r.failed && cn_reader_left(&r) == 0);
	cn_free_text(&w.allocator, text);
	cn_free_text(&w.allocator, empty);
	cn_writer_free(&w);
	CHECK(!w.data && w.capacity == 0);
}

TEST(little_endian)
{
	cn_writer w = {.allocator = cairn_default_allocator()};
	cn_put_u32(&w, 0x04030201u);
	cn_put_f64(&w, 1.0);
	static const uint8_t wanted[] = {1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f};
	REQUIRE(!w.failed && w.size == sizeof wanted);
	CHECK(memcmp(w.data, wanted, sizeof wanted) == 0);
	cn_writer_free(&w);
}

TEST(odd_doubles_keep_their_bits)
{
	static const uint64_t words[] = {0x8000000000000000ull, 1, 0x7ff0000000000000ull, 0x7ff8000000001234ull};
	cn_writer w = {.allocator = cairn_default_allocator()};
	for (int i = 0; i < 4; ++i) {
		double x;
		memcpy(&x, &words[i], sizeof x);
		cn_writer_reset(&w);
		cn_put_f64(&w, x);
		cn_reader r = {w.data, w.size, 0, false};
		CHECK(cn_get_u64(&r) == words[i]);
	}
	cn_writer_free(&w);
}

TEST(reader_stops_at_the_end)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5};
	cn_reader r = {bytes, sizeof bytes, 0, false};
	CHECK(cn_get_u32(&r) == 0x04030201u);
	CHECK(cn_get_u32(&r) == 0 && r.failed);
	CHECK(cn_get_u8(&r) == 0); /* there is one left, but a failed reader gives nothing more */
	CHECK(cn_get_bytes(&r, 0) == NULL);
	CHECK(cn_get_f64(&r) == 0);
	r = (cn_reader){bytes, sizeof bytes, 0, false};
	CHECK(!cn_get_bytes(&r, SIZE_MAX) && r.failed);
	r = (cn_reader){bytes + 1, 1, 0, false};
	CHECK(!cn_get_bool(&r) && r.failed); /* 2 is no truth value */
}

TEST(counts_must_fit)
{
	static const uint8_t bytes[] = {2, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9};
	cn_reader r = {bytes, sizeof bytes, 0, false};
	CHECK_INT(cn_get_count(&r, 4), 2);
	CHECK(!r.failed);
	r = (cn_reader){bytes, sizeof bytes - 1, 0, false};
	CHECK_INT(cn_get_count(&r, 4), 0);
	CHECK(r.failed);
	static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0};
	r = (cn_reader){huge, sizeof huge, 0, false};
	CHECK_INT(cn_get_count(&r, SIZE_MAX), 0);
	CHECK(r.failed);
}

TEST(bad_text)
{
	static const uint8_t inner_zero[] = {3, 0, 0, 0, 'a', 0, 'b'}, longer[] = {3, 0, 0, 0, 'a', 'b'};
	static const uint8_t good[] = {1, 0, 0, 0, 'a'};
	cairn_allocator allocator = cairn_default_allocator(), none = {&broke, ledger_resize};
	cn_reader r = {inner_zero, sizeof inner_zero, 0, false};
	CHECK(!cn_get_text(&r, &allocator) && r.failed);
	r = (cn_reader){longer, sizeof longer, 0, false};
	CHECK(!cn_get_text(&r, &allocator) && r.failed);
	r = (cn_reader){good, sizeof good, 0, false};
	CHECK(!cn_get_text(&r, &none) && !r.failed);
}

TEST(writer_remembers_failure)
{
	cn_writer w = {.allocator = {&broke, ledger_resize}};
	cn_put_u32(&w, 1);
	CHECK(w.failed && w.size == 0);
	cn_put_text(&w, "more");
	CHECK(w.failed && w.size == 0);
	cn_writer_reset(&w);
	w.allocator = cairn_default_allocator();
	cn_put_u8(&w, 1);
	CHECK(!w.failed && w.size == 1);
	uint8_t byte = 0;
	cn_put_bytes(&w, &byte, SIZE_MAX); /* refused before a byte is read */
	CHECK(w.failed && w.size == 1);
	cn_writer_free(&w);
}

TEST(writer_grows)
{
	cn_writer w = {.allocator = cairn_default_allocator()};
	for (uint32_t i = 0; i < 100000; ++i)
		cn_put_u32(&w, i);
	REQUIRE(!w.failed && w.size == 400000);
	cn_reader r = {w.data, w.size, 0, false};
	uint32_t wrong = 0;
	for (uint32_t i = 0; i < 100000; ++i)
		wrong += cn_get_u32(&r) != i;
	CHECK_INT(wrong, 0);
	size_t capacity = w.capacity;
	cn_writer_reset(&w);
	CHECK(w.size == 0 && w.capacity == capacity);
	cn_writer_free(&w);
}

TEST_MAIN(TEST_CASE(there_and_back), TEST_CASE(little_endian), TEST_CASE(odd_doubles_keep_their_bits),
          TEST_CASE(reader_stops_at_the_end), TEST_CASE(counts_must_fit), TEST_CASE(bad_text),
          TEST_CASE(writer_remembers_failure), TEST_CASE(writer_grows))
