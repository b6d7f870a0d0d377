/* Growing arrays: what they hold stays, they know their room, a refusal changes nothing, and one call gives all back. */
#include "base/array.h"
#include "ledger.h"
#include "test.h"

TEST(arrays_grow_and_are_given_back_together)
{
	ledger book = {0};
	cairn_allocator allocator = {&book, ledger_resize};
	cn_arrays all = {.allocator = &allocator};
	uint32_t *numbers[3] = {NULL, NULL, NULL};
	CHECK_INT(cn_array_room(numbers[0]), 0);
	for (uint32_t need = 1; need <= 100; ++need)
		for (uint32_t k = 0; k < 3; ++k) {
			REQUIRE(cn_array_grow(&all, (void **)&numbers[k], need, sizeof *numbers[k]));
			CHECK(cn_array_room(numbers[k]) >= need && (uintptr_t)numbers[k] % _Alignof(max_align_t) == 0);
			numbers[k][need - 1] = need * 10 + k;
		}
	for (uint32_t i = 0; i < 100; ++i)
		for (uint32_t k = 0; k < 3; ++k)
			CHECK_INT(numbers[k][i], (i + 1) * 10 + k);
	uint32_t *first = numbers[0]; /* two change places, as the list of pairs and its spare do */
	numbers[0] = numbers[1], numbers[1] = first;
	REQUIRE(cn_array_grow(&all, (void **)&numbers[0], 1000, sizeof *numbers[0]));
	CHECK_INT(numbers[0][99], 1001);
	cn_arrays_free(&all);
	CHECK_INT(book.bytes, 0);
}

TEST(a_refusal_leaves_an_array_as_it_was)
{
	ledger book = {0};
	cairn_allocator allocator = {&book, ledger_resize};
	cn_arrays all = {.allocator = &allocator};
	double *a = NULL, *b = NULL;
	REQUIRE(cn_array_grow(&all, (void **)&a, 4, sizeof *a));
	a[3] = 7;
	uint32_t room = cn_array_room(a);
	ledger_allow(&book, 0);
	CHECK(!cn_array_grow(&all, (void **)&a, room + 1, sizeof *a) && cn_array_room(a) == room && a[3] == 7);
	CHECK(!cn_array_grow(&all, (void **)&b, 1, sizeof *b) && !b);
	cn_arrays_free(&all);
	CHECK_INT(book.bytes, 0);
}

TEST_MAIN(TEST_CASE(arrays_grow_and_are_given_back_together), TEST_CASE(a_refusal_leaves_an_array_as_it_was))
