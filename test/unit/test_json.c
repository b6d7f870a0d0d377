/* The JSON reader: values, places, and one message for each way to be wrong. */
#include "io/json.h"
#include "ledger.h"
#include "test.h"

static cn_arena make_arena(ledger *l)
{
	*l = (ledger){0};
	return (cn_arena){.allocator = {l, ledger_resize}};
}

static const cn_json *read_json(const char *text, cn_arena *arena, cairn_error *error)
{
	*error = (cairn_error){0};
	return cn_json_read(text, strlen(text), arena, error);
}

TEST(values)
{
	ledger l;
	cn_arena arena = make_arena(&l);
	cairn_error e;
	const cn_json *v =
		read_json(" {\"a\": [1, -2.5e3, true, false, null],\n  \"b\": {\"c\": \"x\"}, \"empty\": {}, \"none\": []}\r\n",
	              &arena, &e);
	REQUIRE(v);
	CHECK_INT(v->type, CN_JSON_OBJECT);
	CHECK_INT(v->count, 4);
	const cn_json *a = cn_json_get(v, "a");
	REQUIRE(a);
	CHECK_INT(a->count, 5);
	CHECK(cn_json_at(a, 0)->number == 1);
	CHECK(cn_json_at(a, 1)->number == -2500);
	CHECK(cn_json_at(a, 1)->count == 6 && !memcmp(cn_json_at(a, 1)->text, "-2.5e3", 6));
	CHECK(cn_json_at(a, 2)->boolean && !cn_json_at(a, 3)->boolean);
	CHECK_INT(cn_json_at(a, 4)->type, CN_JSON_NULL);
	CHECK(!cn_json_at(a, 5));
	const cn_json *c = cn_json_get(cn_json_get(v, "b"), "c");
	REQUIRE(c);
	CHECK_TEXT(c->text, "x");
	CHECK_INT(c->line, 2);
	CHECK_INT(c->column, 14);
	CHECK_INT(c->key_column, 9);
	CHECK(!cn_json_get(v, "c"));
	cn_arena_free(&arena);
	CHECK_INT(l.bytes, 0);
}

TEST(texts)
{
	ledger l;
	cn_arena arena = make_arena(&l);
	cairn_error e;
	const cn_json *v = read_json("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\", "
	                             "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", 7]",
	                             &arena, &e);
	REQUIRE(v);
	CHECK_TEXT(cn_json_at(v, 0)->text, "\"\\/\b\f\n\r\t");
	CHECK_TEXT(cn_json_at(v, 1)->text, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	CHECK_TEXT(cn_json_at(v, 2)->text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	CHECK_INT(cn_json_at(v, 3)->column, cn_json_at(v, 2)->column + 7); /* characters, not bytes */
	v = read_json("\xef\xbb\xbf 1", &arena, &e);
	REQUIRE(v);
	CHECK_INT(v->column, 2);
	cn_arena_free(&arena);
}

TEST(paths)
{
	ledger l;
	cn_arena arena = make_arena(&l);
	cairn_error e;
	char path[64];
	const cn_json *v =
		read_json("{\"bodies\": [0, {\"mass\": 1}], \"my wood\": {\"a\": 2}, \"x\": {\"\\u001b[1m\": 3}}", &arena, &e);
	REQUIRE(v);
	cn_json_path(v, path, sizeof path);
	CHECK_TEXT(path, "");
	cn_json_path(cn_json_get(cn_json_at(cn_json_get(v, "bodies"), 1), "mass"), path, sizeof path);
	CHECK_TEXT(path, "bodies[1].mass");
	cn_json_path(cn_json_get(cn_json_get(v, "my wood"), "a"), path, sizeof path);
	CHECK_TEXT(path, "[\"my wood\"].a");
	cn_json_path(cn_json_get(v, "x")->first, path, sizeof path);
	CHECK_TEXT(path, "x[\"?[1m\"]");
	cn_json_path(cn_json_get(cn_json_at(cn_json_get(v, "bodies"), 1), "mass"), path, 12);
	CHECK_TEXT(path, "...[1].mass");
	cn_arena_free(&arena);
}

typedef struct fault {
	const char *text;
	int line, column;
	const char *path, *message;
} fault;

TEST(faults)
{
	static const fault faults[] = {
		{"", 1, 1, "", "empty"},
		{" \n ", 2, 2, "", "empty"},
		{"{\"a\": NaN}", 1, 7, "a", "NaN is not a number"},
		{"{\"a\": -Infinity}", 1, 7, "a", "-Infinity is not a number"},
		{"[1e400]", 1, 2, "[0]", "1e400 is too large; the largest number is about 1.797e308"},
		{"[1e-400]", 1, 2, "[0]", "too small to tell from 0"},
		{"[01]", 1, 2, "[0]", "leading zero"},
		{"[-012.5]", 1, 2, "[0]", "leading zero"},
		{"[+1]", 1, 2, "[0]", "plus sign"},
		{"[.5]", 1, 2, "[0]", "digit before the point"},
		{"[5.]", 1, 2, "[0]", "digit after the point"},
		{"[5.e3]", 1, 2, "[0]", "digit after the point"},
		{"[1e]", 1, 2, "[0]", "digits of its exponent"},
		{"[1e+]", 1, 2, "[0]", "digits of its exponent"},
		{"[0x10]", 1, 2, "[0]", "0x10 is not a number"},
		{"[1.2.3]", 1, 2, "[0]", "1.2.3 is not a number"},
		{"[-]", 1, 2, "[0]", "- is not a JSON value"},
		{"[10mm]", 1, 2, "[0]", "decimal, no unit"},
		{"[True]", 1, 2, "[0]", "did you mean true"},
		{"[None]", 1, 2, "[0]", "did you mean null"},
		{"[wood]", 1, 2, "[0]", "wood is not a JSON value; text stands in double quotes"},
		{"['a']", 1, 2, "", "double quotes"},
		{"{a: 1}", 1, 2, "", "keys stand in double quotes: \"a\""},
		{"[1,\n2,\n]", 2, 2, "", "trailing commas"},
		{"{\"a\": 1, }", 1, 8, "", "trailing commas"},
		{"[,1]", 1, 2, "", "found ','; expected a value"},
		{"[1 2]", 1, 4, "", "found 2; expected ',' or ']'"},
		{"{\"a\": 1 \"b\": 2}", 1, 9, "", "found '\"'; expected ',' or '}'"},
		{"{\"a\" 1}", 1, 6, "", "expected ':' after the key"},
		{"{\"a\": }", 1, 7, "", "expected a value"},
		{"{\"a\":1}}", 1, 8, "", "found '}' after the end"},
		{"{} // x", 1, 4, "", "after the end"},
		{"{ // x\n}", 1, 3, "", "no comments"},
		{"[1, /* x */ 2]", 1, 5, "", "no comments"},
		{"[1, # x\n 2]", 1, 5, "", "no comments"},
		{"[1,\n{\"b\": [", 2, 8, "[1].b", "the file ends inside the array that began at line 2, column 7"},
		{"{\"a\": {", 1, 8, "a", "the file ends inside the object that began at line 1, column 7"},
		{"[\"abc", 1, 2, "[0]", "the file ends inside the text that begins here"},
		{"[\"\xc3\xa9\xc3\xa9", 1, 2, "[0]", "the file ends inside the text"},
		{"[\"abc\n\"]", 1, 2, "[0]", "write a line break as \\n"},
		{"[\"a\tb\"]", 1, 4, "[0]", "control character 0x09 in a text; write it as \\u0009"},
		{"[\"\\x\"]", 1, 3, "[0]", "\\x is not an escape"},
		{"[\"\\u12g4\"]", 1, 3, "[0]", "four hexadecimal digits"},
		{"[\"\\ud800\"]", 1, 3, "[0]", "first half of a surrogate pair"},
		{"[\"\\ud800\\u0041\"]", 1, 3, "[0]", "first half of a surrogate pair"},
		{"[\"\\udc00\"]", 1, 3, "[0]", "second half of a surrogate pair"},
		{"[\"a\\u0000\"]", 1, 4, "[0]", "zero character"},
		{"[\"\xc3\xa9 \xff\"]", 1, 5, "[0]", "byte 0xff is not UTF-8"},
		{"[\"\xc0\x80\"]", 1, 3, "[0]", "byte 0xc0 is not UTF-8"},
		{"[\"\xed\xa0\x80\"]", 1, 3, "[0]", "byte 0xed is not UTF-8"},
		{"[\"\xf4\x90\x80\x80\"]", 1, 3, "[0]", "byte 0xf4 is not UTF-8"},
		{"[\"\xe2\x82\"]", 1, 3, "[0]", "byte 0xe2 is not UTF-8"},
		{"\xff\xfe{", 1, 1, "", "found byte 0xff"},
		{"{\"x\": {\"a\": 1,\n \"b\": 2,\n \"a\": 3}}", 3, 2, "x.a",
	     "key \"a\" is here a second time; the first is at line 1, column 8"},
		{"{\"a\\u0062\": 1, \"ab\": 3}", 1, 16, "ab", "a second time"},
		{"nul", 1, 1, "", "nul is not a JSON value"},
	};
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
		ledger l;
		cn_arena arena = make_arena(&l);
		cairn_error e;
		int before = test_failures;
		CHECK(!read_json(faults[i].text, &arena, &e));
		CHECK_INT(e.code, CAIRN_INVALID);
		CHECK_INT(e.line, faults[i].line);
		CHECK_INT(e.column, faults[i].column);
		CHECK_TEXT(e.path, faults[i].path);
		CHECK_HAS(e.message, faults[i].message);
		cn_arena_free(&arena);
		CHECK_INT(l.bytes, 0);
		if (test_failures > before)
			printf("  of fault %zu: %s\n", i, faults[i].text);
	}
}

TEST(depth)
{
	static char text[2 * CN_JSON_DEPTH + 4];
	for (int extra = 0; extra < 2; ++extra) {
		ledger l;
		cn_arena arena = make_arena(&l);
		cairn_error e;
		size_t n = (size_t)(CN_JSON_DEPTH + extra);
		memset(text, '[', n);
		memset(text + n, ']', n);
		text[2 * n] = '\0';
		const cn_json *v = read_json(text, &arena, &e);
		CHECK(extra ? !v : v != NULL);
		if (extra) {
			CHECK_INT(e.column, CN_JSON_DEPTH + 1);
			CHECK_HAS(e.message, "nested deeper than 200 levels");
		}
		cn_arena_free(&arena);
	}
}

/* Enough keys for the table that finds duplicates, one of them twice. */
TEST(many_keys)
{
	static char text[40000];
	for (int twice = 0; twice < 2; ++twice) {
		ledger l;
		cn_arena arena = make_arena(&l);
		cairn_error e;
		size_t at = (size_t)snprintf(text, sizeof text, "{");
		for (int i = 0; i < 1000; ++i)
			at += (size_t)snprintf(text + at, sizeof text - at, "%s\"key%d\": %d", i ? ",\n" : "", i, i);
		snprintf(text + at, sizeof text - at, ",\n\"key%d\": 0}", twice ? 7 : 1000);
		const cn_json *v = read_json(text, &arena, &e);
		if (twice) {
			CHECK(!v);
			CHECK_INT(e.line, 1001);
			CHECK_HAS(e.message, "the first is at line 8, column 1");
		} else {
			REQUIRE(v);
			CHECK_INT(v->count, 1001);
			CHECK(cn_json_get(v, "key999")->number == 999);
		}
		cn_arena_free(&arena);
		CHECK_INT(l.bytes, 0);
	}
}

TEST(out_of_memory)
{
	static char text[40000];
	size_t at = (size_t)snprintf(text, sizeof text, "{");
	for (int i = 0; i < 1000; ++i)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s\"key%d\": [%d]", i ? "," : "", i, i);
	snprintf(text + at, sizeof text - at, "}");
	for (size_t n = 1;; ++n) {
		ledger l;
		cn_arena arena = make_arena(&l);
		cairn_error e;
		l.fail_at = n, l.lasting = true;
		const cn_json *v = read_json(text, &arena, &e);
		cn_arena_free(&arena);
		CHECK_INT(l.bytes, 0);
		if (v) {
			CHECK(n > 5);
			break;
		}
		REQUIRE(e.code == CAIRN_MEMORY);
	}
}

/* Every prefix of a good text is refused; every flipped byte is read or refused, never worse. */
TEST(broken_bytes)
{
	static const char good[] = "{\"a\": [1, -2.5e3, true, \"x\\u00e9\\n\xc3\xa9\"], \"b\": {\"c\": null}}";
	char text[sizeof good];
	ledger l;
	cairn_error e;
	for (size_t n = 0; n < sizeof good - 1; ++n) {
		cn_arena arena = make_arena(&l);
		char *copy = malloc(n + 1); /* exact size, so that a byte too far is seen */
		REQUIRE(copy);
		memcpy(copy, good, n);
		CHECK(!cn_json_read(copy, n, &arena, &e));
		CHECK(e.line == 1 && e.column >= 1 && e.column <= (int)n + 1 && e.message[0]);
		free(copy);
		cn_arena_free(&arena);
	}
	int refused = 0;
	for (size_t i = 0; i < sizeof good - 1; ++i)
		for (int bit = 0; bit < 8; ++bit) {
			cn_arena arena = make_arena(&l);
			memcpy(text, good, sizeof good);
			text[i] = (char)(text[i] ^ 1 << bit);
			refused += !cn_json_read(text, sizeof good - 1, &arena, &e);
			cn_arena_free(&arena);
			CHECK_INT(l.bytes, 0);
		}
	CHECK(refused > 200);
}

TEST_MAIN(TEST_CASE(values), TEST_CASE(texts), TEST_CASE(paths), TEST_CASE(faults), TEST_CASE(depth),
          TEST_CASE(many_keys), TEST_CASE(out_of_memory), TEST_CASE(broken_bytes))
