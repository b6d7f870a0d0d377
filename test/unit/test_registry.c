/* The registry: every row can be set, is refused where it should be, and comes back from a scene's bytes. */
#include "base/number.h"
#include "scene/registry.h"
#include "scene/scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void takes(cairn_scene *s, const char *key, const char *value)
{
	char text[128] = "";
	cairn_error e = {0};
	CHECK(cairn_scene_set_option(s, key, value, &e));
	CHECK(cairn_scene_option(s, key, text, sizeof text));
	CHECK_TEXT(text, value);
	cairn_scene *copy = cairn_scene_copy(s); /* by its bytes */
	CHECK(copy && cairn_scene_option(copy, key, text, sizeof text));
	CHECK_TEXT(text, value);
	cairn_scene_destroy(copy);
}

/* With the row's own words for what would be right, and nothing changed. */
static void refuses(cairn_scene *s, const char *key, const char *value)
{
	char before[128] = "", after[128] = "", wanted[128];
	cairn_error e = {0};
	CHECK(cairn_scene_option(s, key, before, sizeof before));
	CHECK(!cairn_scene_set_option(s, key, value, &e));
	CHECK_INT(e.code, CAIRN_USAGE);
	CHECK_TEXT(e.path, key);
	CHECK(cairn_option_values(key, wanted, sizeof wanted));
	CHECK_HAS(e.message, wanted);
	CHECK(cairn_scene_option(s, key, after, sizeof after));
	CHECK_TEXT(after, before);
}

static void try_count(cairn_scene *s, const cn_option_row *row)
{
	char text[32];
	const double outside[] = {row->least - 1, row->most + 1, row->least + 0.5};
	for (size_t i = 0; i < CN_COUNT(outside); ++i) {
		snprintf(text, sizeof text, "%.1f", outside[i]);
		refuses(s, row->info.name, text);
	}
	refuses(s, row->info.name, "maybe");
	for (int i = 0; i < 2; ++i) {
		snprintf(text, sizeof text, "%.0f", i ? row->most : row->least);
		takes(s, row->info.name, text);
	}
	if (row->fallback == CN_AUTO)
		takes(s, row->info.name, "auto");
	else
		refuses(s, row->info.name, "auto");
}

static void try_real(cairn_scene *s, const cn_option_row *row)
{
	char text[CN_NUMBER_SIZE];
	const double outside[] = {row->least - 1, row->most * 1.5, -1};
	for (size_t i = 0; i < CN_COUNT(outside); ++i) {
		snprintf(text, sizeof text, "%.17g", outside[i]);
		refuses(s, row->info.name, text);
	}
	refuses(s, row->info.name, "maybe");
	refuses(s, row->info.name, "nan");
	refuses(s, row->info.name, "");
	for (int i = 0; i < 2; ++i) {
		cn_format_double(text, i ? row->most : row->least);
		takes(s, row->info.name, text);
	}
	if (isnan(row->usual))
		takes(s, row->info.name, "auto");
	else
		refuses(s, row->info.name, "auto");
}

static void try_choice(cairn_scene *s, const cn_option_row *row)
{
	char words[CN_OPTION_WORDS][CN_OPTION_WORD], text[32];
	uint32_t count = cn_option_words(row, words);
	CHECK(count >= 2);
	CHECK(cairn_scene_option(s, row->info.name, text, sizeof text));
	CHECK_TEXT(text, words[0]); /* the default */
	for (uint32_t i = count; i-- > 0;)
		takes(s, row->info.name, words[i]);
	refuses(s, row->info.name, "maybe");
	refuses(s, row->info.name, "");
}

TEST(every_option_can_be_set_and_refused)
{
	cairn_scene *s = cairn_scene_create(NULL);
	uint32_t options = 0;
	for (uint32_t i = 0; cn_option_row_at(i); ++i) {
		const cn_option_row *row = cn_option_row_at(i);
		CHECK_INT(cn_option_number(row->info.name), i);
		CHECK_TEXT(cairn_option_names()[i], row->info.name);
		CHECK(*row->info.description && cairn_option_at(i) == &row->info);
		CHECK(cairn_option_is_setting(row->info.name) == row->info.setting);
		if (row->kind == CN_OPTION_COUNT)
			try_count(s, row), ++options;
		else if (row->kind == CN_OPTION_REAL)
			try_real(s, row), ++options;
		else if (row->kind == CN_OPTION_CHOICE)
			try_choice(s, row), ++options;
		else
			CHECK(row->info.setting);
	}
	CHECK(options >= 16);
	CHECK(!cairn_option_at(cn_option_number("")) && !cairn_option_names()[cn_option_number("")]);
	cairn_scene_destroy(s);
}

/* An option that a method does not take is refused when a world is made, by name; one of all methods is taken. */
TEST(methods_take_the_options_of_their_rows)
{
	for (uint32_t m = 0; cairn_method_at(m); ++m)
		for (uint32_t i = 0; cn_option_row_at(i); ++i) {
			const cn_option_row *row = cn_option_row_at(i);
			const char *method = cairn_method_at(m)->name;
			char words[CN_OPTION_WORDS][CN_OPTION_WORD] = {"", "1"};
			cairn_error e = {0};
			if (row->info.setting)
				continue;
			if (row->kind == CN_OPTION_CHOICE)
				cn_option_words(row, words);
			cairn_scene *s = cairn_scene_create(NULL);
			CHECK(cairn_scene_set_option(s, "method", method, &e));
			CHECK(cairn_scene_set_option(s, row->info.name, words[1], &e));
			cairn_world *w = cairn_world_create(s, NULL, &e);
			bool fits = !*row->info.methods || strstr(row->info.methods, method);
			CHECK((w != NULL) == fits && cn_option_fits(row->info.name, method) == fits);
			if (!fits)
				CHECK_HAS(e.path, row->info.name);
			cairn_world_destroy(w);
			cairn_scene_destroy(s);
		}
}

TEST(an_unknown_key_has_no_row)
{
	char text[32];
	CHECK(!cairn_option_is_setting("nothing") && !cn_option_fits("nothing", "oba"));
	CHECK(!cairn_option_values("nothing", text, sizeof text));
}

TEST_MAIN(TEST_CASE(every_option_can_be_set_and_refused), TEST_CASE(methods_take_the_options_of_their_rows),
          TEST_CASE(an_unknown_key_has_no_row))
