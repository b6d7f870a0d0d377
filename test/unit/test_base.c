/* Errors and how they print, memory and its failures, the nearest name, files. */
#include "test.h"

#include "base/base.h"

TEST(fail_fills_the_error)
{
	cairn_error error;
	memset(&error, 0x55, sizeof error);
	CHECK(!cn_fail(&error, CAIRN_INVALID, "mass", "found %d, must be above %d", -1, 0));
	CHECK(error.code == CAIRN_INVALID && error.line == 0 && error.column == 0);
	CHECK_TEXT(error.file, "");
	CHECK_TEXT(error.path, "mass");
	CHECK_TEXT(error.message, "found -1, must be above 0");
	CHECK(!cn_fail(NULL, CAIRN_FILE, "", "nobody listens"));
	CHECK(!cn_fail_memory(&error));
	CHECK(error.code == CAIRN_MEMORY && error.message[0] && error.path[0] == 0);
	(void)cn_fail(&error, CAIRN_FILE, "a.b", "first");
	(void)cn_fail(&error, CAIRN_FILE, error.path, "%s, then second", error.message);
	CHECK_TEXT(error.message, "first, then second");
	CHECK_TEXT(error.path, "a.b");
	char name[2000];
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = 0;
	(void)cn_fail(&error, CAIRN_USAGE, name, "%s", name);
	CHECK_INT(strlen(error.path), sizeof error.path - 1);
	CHECK_INT(strlen(error.message), sizeof error.message - 1);
}

static void check_print(const cairn_error *error, const char *wanted)
{
	char text[1000], tight[1000];
	cairn_error_print(error, text, sizeof text);
	CHECK_TEXT(text, wanted);
	for (size_t size = 1; size <= strlen(wanted) + 1; ++size) {
		memset(tight, 'x', sizeof tight);
		cairn_error_print(error, tight, size);
		CHECK(strlen(tight) == size - 1 && strncmp(tight, wanted, size - 1) == 0 && tight[size] == 'x');
	}
}

TEST(error_print)
{
	cairn_error e = {.code = CAIRN_INVALID, .line = 3, .column = 14};
	(void)snprintf(e.file, sizeof e.file, "a.json");
	(void)snprintf(e.path, sizeof e.path, "bodies[3].mass");
	(void)snprintf(e.message, sizeof e.message, "found 0");
	check_print(&e, "a.json:3:14: bodies[3].mass: found 0");
	e.column = 0;
	check_print(&e, "a.json:3: bodies[3].mass: found 0");
	e.line = 0;
	check_print(&e, "a.json: bodies[3].mass: found 0");
	e.file[0] = 0;
	check_print(&e, "bodies[3].mass: found 0");
	e.path[0] = 0;
	check_print(&e, "found 0");
	char none = 'x';
	cairn_error_print(&e, &none, 0);
	CHECK(none == 'x');
}

/* An allocator that keeps the books and gives out at most a limit. */
typedef struct books {
	size_t held, limit, calls, wrong;
} books;

static void *resize_books(void *context, void *block, size_t old_size, size_t new_size)
{
	books *b = context;
	++b->calls;
	size_t *head = block ? (size_t *)block - 2 : NULL;
	if (head ? head[0] != old_size : old_size != 0)
		++b->wrong;
	if (new_size == 0) {
		b->held -= old_size;
		free(head);
		return NULL;
	}
	if (new_size > b->limit || b->held - old_size > b->limit - new_size)
		return NULL;
	size_t *grown = realloc(head, new_size + 2 * sizeof(size_t));
	if (!grown)
		return NULL;
	b->held += new_size - old_size;
	grown[0] = new_size;
	return grown + 2;
}

TEST(allocation)
{
	books b = {.limit = 1000};
	cairn_allocator a = {&b, resize_books};
	CHECK(!cn_alloc(&a, 0, 8) && b.calls == 0);
	CHECK(!cn_alloc(&a, SIZE_MAX / 2, 3) && !cn_alloc(&a, SIZE_MAX / 8 + 2, 8) && !cn_alloc(&a, SIZE_MAX, 1));
	CHECK(b.calls == 0); /* refused before the allocator was asked */
	CHECK(!cn_alloc(&a, 1001, 1) && b.calls == 1);
	uint8_t *zeroed = cn_alloc(&a, 100, 5);
	REQUIRE(zeroed);
	for (int i = 0; i < 500; ++i)
		CHECK(zeroed[i] == 0);
	CHECK(!cn_dup(&a, zeroed, 501, 1) && !cn_dup(&a, zeroed, 0, 1));
	cn_free(&a, zeroed, 100, 5);
	char *text = cn_dup_text(&a, "stone"), *empty = cn_dup_text(&a, NULL);
	REQUIRE(text && empty);
	CHECK_TEXT(text, "stone");
	CHECK_TEXT(empty, "");
	cn_free_text(&a, text);
	cn_free_text(&a, empty);
	cn_free_text(&a, NULL);
	cn_free(&a, NULL, 3, 3);
	CHECK(b.held == 0 && b.wrong == 0);
}

TEST(default_allocator)
{
	cairn_allocator a = cairn_default_allocator();
	char *block = a.resize(a.context, NULL, 0, 10);
	REQUIRE(block);
	memcpy(block, "123456789", 10);
	block = a.resize(a.context, block, 10, 100000);
	REQUIRE(block);
	CHECK_TEXT(block, "123456789");
	CHECK(!a.resize(a.context, block, 100000, 0));
}

TEST(growth)
{
	books b = {.limit = 100000};
	cairn_allocator a = {&b, resize_books};
	uint64_t *array = NULL;
	uint32_t capacity = 0;
	CHECK(cn_grow(&a, (void **)&array, &capacity, 0, sizeof *array) && !array);
	for (uint32_t i = 0; i < 5000; ++i) {
		REQUIRE(cn_grow(&a, (void **)&array, &capacity, i + 1, sizeof *array));
		REQUIRE(capacity > i);
		array[i] = i;
	}
	CHECK(b.calls < 25); /* by half each time, not by one */
	uint32_t before = capacity;
	uint64_t *same = array;
	CHECK(!cn_grow(&a, (void **)&array, &capacity, 1000000, sizeof *array));
	CHECK(!cn_grow(&a, (void **)&array, &capacity, UINT32_MAX, SIZE_MAX / 4));
	CHECK(array == same && capacity == before && array[4999] == 4999);
	cn_free(&a, array, capacity, sizeof *array);
	CHECK(b.held == 0 && b.wrong == 0);
}

static const char *const names[] = {"mass",     "density", "gravity", "frames",      "fps", "seed",
                                    "position", "spin",    "shape",   "restitution", "mu",  NULL};

static void check_nearest(const char *word, const char *wanted)
{
	const char *found = cn_nearest(word, names);
	CHECK_TEXT(found ? found : "(none)", wanted);
}

TEST(nearest)
{
	check_nearest("mas", "mass");
	check_nearest("masss", "mass");
	check_nearest("MASS", "mass");
	check_nearest("amss", "mass"); /* neighbours swapped count as one change */
	check_nearest("postion", "position");
	check_nearest("poistion", "position");
	check_nearest("restitutoin", "restitution");
	check_nearest("grav", "gravity");
	check_nearest("shapes", "shape");
	check_nearest("shape_of_the_whole_body", "shape");
	check_nearest("pfs", "fps");
	check_nearest("m", "mu");
	check_nearest("x", "(none)");
	check_nearest("", "(none)");
	check_nearest("colour", "(none)");
	check_nearest("velocity", "(none)");
	char longer[300];
	memset(longer, 'q', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	check_nearest(longer, "(none)");
	memcpy(longer, "gravity", 7);
	check_nearest(longer, "gravity");
	static const char *const nothing[] = {NULL};
	CHECK(!cn_nearest("mass", nothing));
}

TEST(version)
{
	char text[32];
	(void)snprintf(text, sizeof text, "%d.%d.%d", CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH);
	CHECK_TEXT(cairn_version(), text);
}

static const char *const file_name = "test_base_file.tmp"; /* in the folder the test runs in */

static bool write_file(size_t size)
{
	FILE *file = fopen(file_name, "wb");
	if (!file)
		return false;
	for (size_t i = 0; i < size; ++i)
		(void)fputc((int)(i * 31 % 251), file);
	return fclose(file) == 0;
}

TEST(files)
{
	static const size_t sizes[] = {0, 1, 1000, 65536, 300001};
	books b = {.limit = 1000000};
	cairn_allocator a = {&b, resize_books};
	cairn_files files = cairn_default_files();
	cairn_error error;
	for (size_t k = 0; k < CN_COUNT(sizes); ++k) {
		REQUIRE(write_file(sizes[k]));
		void *data = &a;
		size_t size = 77, wrong = 0;
		bool good = files.read(files.context, file_name, &a, &data, &size, &error);
		(void)remove(file_name);
		REQUIRE(good);
		CHECK_INT(size, sizes[k]);
		for (size_t i = 0; i < size; ++i)
			wrong += ((uint8_t *)data)[i] != i * 31 % 251;
		CHECK_INT(wrong, 0);
		CHECK(b.held == size); /* the block has just the size that is told */
		cn_free(&a, data, size, 1);
		CHECK(b.held == 0 && b.wrong == 0);
	}
}

TEST(files_refused)
{
	books b = {.limit = 1000};
	cairn_allocator a = {&b, resize_books};
	cairn_files files = cairn_default_files();
	cairn_error error;
	void *data;
	size_t size;
	CHECK(!files.read(files.context, "no/such/file.json", &a, &data, &size, &error));
	CHECK(error.code == CAIRN_FILE);
	CHECK_HAS(error.message, "no/such/file.json");
	CHECK_HAS(error.message, ": "); /* and what the system says */
	CHECK(!files.read(files.context, ".", &a, &data, &size, &error));
	CHECK(error.code == CAIRN_FILE);
	CHECK_HAS(error.message, "folder");
	REQUIRE(write_file(5000));
	CHECK(!files.read(files.context, file_name, &a, &data, &size, &error));
	CHECK(error.code == CAIRN_MEMORY);
	(void)remove(file_name);
	/* A file of 1 GiB and a byte, with nothing in it. */
	FILE *file = fopen(file_name, "wb");
	REQUIRE(file);
	bool made = fseek(file, 1L << 30, SEEK_SET) == 0 && fputc('x', file) == 'x';
	made = fclose(file) == 0 && made;
	CHECK(!made || !files.read(files.context, file_name, &a, &data, &size, &error));
	(void)remove(file_name);
	if (made) {
		CHECK(error.code == CAIRN_FILE);
		CHECK_HAS(error.message, "1 GiB");
	}
	CHECK(b.held == 0 && b.wrong == 0);
}

TEST_MAIN(TEST_CASE(fail_fills_the_error), TEST_CASE(error_print), TEST_CASE(allocation), TEST_CASE(default_allocator),
          TEST_CASE(growth), TEST_CASE(nearest), TEST_CASE(version), TEST_CASE(files), TEST_CASE(files_refused))
