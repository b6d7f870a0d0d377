/* Colours that bodies are shown in. */
#include "cairn/cairn.h"
#include "test.h"

static const cairn_color PLAIN = {0.7, 0.7, 0.7};

static bool same(cairn_color a, cairn_color b) { return a.r == b.r && a.g == b.g && a.b == b.b; }

TEST(neighbours_without_a_colour_differ)
{
	for (uint32_t i = 0; i < 100; ++i) {
		cairn_body_info a = {.serial = i, .color = PLAIN}, b = {.serial = i + 1, .color = PLAIN};
		CHECK(!same(cairn_shown_color(&a), cairn_shown_color(&b)));
		CHECK(!same(cairn_shown_color(&a), PLAIN));
	}
}

TEST(a_colour_of_ones_own_is_kept_up_to_a_shade)
{
	cairn_color own = {0.2, 0.4, 0.8};
	bool shades = false;
	for (uint32_t i = 0; i < 100; ++i) {
		cairn_body_info body = {.serial = i, .color = own};
		cairn_color shown = cairn_shown_color(&body);
		CHECK_NEAR(shown.g, 2 * shown.r, 1e-12);
		CHECK(shown.r >= 0.85 * own.r && shown.r <= 1.15 * own.r && shown.b <= 1);
		shades = shades || shown.r != own.r;
	}
	CHECK(shades);
	cairn_body_info wall = {.serial = 7, .type = CAIRN_FIXED, .color = own};
	CHECK(same(cairn_shown_color(&wall), own));
}

TEST_MAIN(TEST_CASE(neighbours_without_a_colour_differ), TEST_CASE(a_colour_of_ones_own_is_kept_up_to_a_shade))
