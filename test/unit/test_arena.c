#include "base/arena.h"
#include "ledger.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static bool zeroed(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		if (bytes[i])
			return false;
	return true;
}

TEST(pieces_are_zeroed_aligned_and_apart)
{
	ledger book = {.fill = 0x5a};
	cn_arena arena = cn_arena_make(&(cairn_allocator){&book, ledger_resize});
	unsigned char *pieces[50];
	for (size_t i = 0; i < 50; ++i) {
		pieces[i] = cn_arena_take(&arena, 1 + i * i * 7, 1);
		CHECK(pieces[i] && (uintptr_t)pieces[i] % _Alignof(max_align_t) == 0 && zeroed(pieces[i], 1 + i * i * 7));
		memset(pieces[i], (int)i + 1, 1 + i * i * 7);
	}
	for (size_t i = 0; i < 50; ++i)
		CHECK(pieces[i][0] == i + 1 && pieces[i][i * i * 7] == i + 1);
	CHECK(cn_arena_take(&arena, 0, 8) != NULL);
	cn_arena_free(&arena);
	CHECK_INT(book.bytes, 0);
}

TEST(a_mark_gives_back_what_came_after_it)
{
	ledger book = {0};
	cn_arena arena = cn_arena_make(&(cairn_allocator){&book, ledger_resize});
	char *first = cn_arena_take(&arena, 100, 1);
	memset(first, 7, 100);
	cn_arena_mark mark = cn_arena_here(&arena);
	char *next = cn_arena_take(&arena, 10, 1);
	size_t before = book.bytes;
	CHECK(cn_arena_take(&arena, 1 << 20, 8) != NULL);
	CHECK(book.bytes > before);
	cn_arena_return(&arena, mark);
	CHECK_INT(book.bytes, before);
	CHECK(cn_arena_take(&arena, 10, 1) == next && first[99] == 7);
	cn_arena_free(&arena);
	CHECK_INT(book.bytes, 0);
}

TEST(a_refusal_lasts)
{
	ledger book = {0};
	cn_arena arena = cn_arena_make(&(cairn_allocator){&book, ledger_resize});
	CHECK(cn_arena_take(&arena, 16, 1) != NULL);
	CHECK(cn_arena_take(&arena, SIZE_MAX / 2, 4) == NULL && arena.failed);
	CHECK(cn_arena_take(&arena, 16, 1) == NULL);
	cn_arena_free(&arena);
	CHECK_INT(book.bytes, 0);
}

TEST(reserved_bytes_need_no_further_block)
{
	ledger book = {0};
	cn_arena arena = cn_arena_make(&(cairn_allocator){&book, ledger_resize});
	CHECK(cn_arena_reserve(&arena, 100000));
	size_t before = book.bytes;
	CHECK(before >= 100000);
	CHECK(cn_arena_take(&arena, 50000, 1) != NULL && cn_arena_take(&arena, 25000, 1) != NULL);
	CHECK_INT(book.bytes, before);
	CHECK(cn_arena_take(&arena, SIZE_MAX / 2, 4) == NULL && arena.failed);
	CHECK(cn_arena_reserve(&arena, 1000) && !arena.failed); /* the block is kept, and empty */
	CHECK_INT(book.bytes, before);
	CHECK(cn_arena_take(&arena, 100000, 1) != NULL);
	CHECK_INT(book.bytes, before);
	cn_arena_free(&arena);
	CHECK_INT(book.bytes, 0);
}

TEST_MAIN(TEST_CASE(pieces_are_zeroed_aligned_and_apart), TEST_CASE(a_mark_gives_back_what_came_after_it),
          TEST_CASE(a_refusal_lasts), TEST_CASE(reserved_bytes_need_no_further_block))
