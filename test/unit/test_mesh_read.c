/* OBJ, STL and PLY: what is read, and what is refused with its place. Files are made here, byte by byte. */
#include "io/mesh_read.h"
#include "ledger.h"
#include "test.h"

static ledger books;
static const cairn_allocator counted = {&books, ledger_resize};

/* From a block of just that size, so that a byte too far is seen. */
static bool read_bytes(const char *name, const void *bytes, size_t size, cn_mesh *mesh, cairn_error *error)
{
	char *copy = malloc(size ? size : 1);
	*error = (cairn_error){0};
	if (!copy)
		return false;
	memcpy(copy, bytes, size);
	bool ok = cn_mesh_read(copy, size, name, &counted, mesh, error);
	free(copy);
	return ok;
}

typedef struct bytes {
	uint8_t data[2000];
	size_t size;
	bool big;
} bytes;

static void put(bytes *b, uint64_t x, size_t size)
{
	for (size_t i = 0; i < size; ++i)
		b->data[b->size++] = (uint8_t)(x >> 8 * (b->big ? size - 1 - i : i));
}

static void put_float(bytes *b, float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	put(b, bits, 4);
}

static void put_double(bytes *b, double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	put(b, bits, 8);
}

static void put_line(bytes *b, const char *text)
{
	memcpy(b->data + b->size, text, strlen(text));
	b->size += strlen(text);
}

static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1.5f, 0}, {0, 0, 2}};
static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static bool is_tetrahedron(const cn_mesh *m)
{
	if (m->point_count != 4 || m->triangle_count != 4)
		return false;
	for (uint32_t i = 0; i < 12; ++i) {
		v3 p = m->points[m->triangles[i]];
		const float *c = corners[faces[i / 3][i % 3]];
		if (p.x != (double)c[0] || p.y != (double)c[1] || p.z != (double)c[2])
			return false;
	}
	return true;
}

static const char obj[] =
	"# a tetrahedron\nmtllib a.mtl\nv 0 0 0\nv +1 0 -0.\nv .0 1.5 0 1.0\nv 0 0 02e0\nvt 0 0\nvn 0 0 1\n"
	"usemtl red\nf 1 3 2\nf 1/1 2/1 4/1\nf -4//1 4//1 -2//1\r\nf 2/1/1 3/1/1 4/1/1\n";

static const char stl[] =
	"solid my part\n"
	" facet normal 0 0 -1\n  outer loop\n   vertex 0 0 0\n   vertex 0 1.5 0\n   vertex 1 0 -0\n  endloop\n endfacet\n"
	" facet normal 0 -1 0\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 0 2\n  endloop\n endfacet\n"
	" facet normal nan nan nan\n  outer loop\n   vertex 0 0 0\n   vertex 0 0 2e0\n   vertex 0 1.5 0\n  endloop\n "
	"endfacet\n"
	" facet normal 1 1 1\n  outer loop\n   vertex 1 0 0\n   vertex 0 1.50 0\n   vertex 0 0 2\n  endloop\n endfacet\n"
	"endsolid my part\n";

static const char ply[] =
	"ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float nx\nproperty float x\nproperty float y\n"
	"property double z\nelement edge 1\nproperty list uchar int other\nelement face 4\nproperty uchar red\n"
	"property list uchar int vertex_indices\nend_header\n"
	"9 0 0 0\n9 1 0 0\n9 0 1.5 0\n9 0 0 2\n2 7 8\n1 3 0 2 1\n1 3 0 1 3\n1 3 0 3 2\n1 3 1 2 3\n";

static bytes make_stl(void)
{
	bytes b = {.size = 80};
	put(&b, 4, 4);
	for (int f = 0; f < 4; ++f) {
		for (int i = 0; i < 3; ++i)
			put_float(&b, 0);
		for (int i = 0; i < 9; ++i)
			put_float(&b, corners[faces[f][i / 3]][i % 3]);
		put(&b, 0, 2);
	}
	return b;
}

static bytes make_ply(bool big)
{
	bytes b = {.big = big};
	put_line(&b, big ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
	put_line(&b, "element vertex 4\nproperty double x\nproperty float y\nproperty short z\nproperty uchar red\n"
	             "element face 4\nproperty list uint8 uint32 vertex_index\nproperty list ushort char uv\nend_header\n");
	for (int i = 0; i < 4; ++i) {
		put_double(&b, (double)corners[i][0]);
		put_float(&b, corners[i][1]);
		put(&b, (uint64_t)corners[i][2], 2);
		put(&b, 200, 1);
	}
	for (int f = 0; f < 4; ++f) {
		put(&b, 3, 1);
		for (int i = 0; i < 3; ++i)
			put(&b, faces[f][i], 4);
		put(&b, 1, 2);
		put(&b, 0xff, 1);
	}
	return b;
}

TEST(tetrahedra)
{
	bytes little = make_ply(false), big = make_ply(true), binary = make_stl();
	const struct {
		const char *name;
		const void *data;
		size_t size;
	} files[] = {{"a.obj", obj, sizeof obj - 1}, {"dir.x/A.OBJ", obj, sizeof obj - 1},
	             {"a.stl", stl, sizeof stl - 1}, {"b.stl", binary.data, binary.size},
	             {"a.ply", ply, sizeof ply - 1}, {"b.ply", little.data, little.size},
	             {"c.ply", big.data, big.size}};
	for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
		cn_mesh mesh;
		cairn_error e;
		bool ok = read_bytes(files[i].name, files[i].data, files[i].size, &mesh, &e);
		CHECK(ok);
		if (!ok) {
			printf("  %s:%d: %s\n", e.file, e.line, e.message);
			continue;
		}
		CHECK(is_tetrahedron(&mesh));
		cn_mesh_free(&counted, &mesh);
	}
	CHECK_INT(books.bytes, 0);
}

TEST(polygons)
{
	static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 2 0\nf 1 2 3 4 5\n";
	static const uint32_t fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
	cn_mesh mesh;
	cairn_error e;
	REQUIRE(read_bytes("a.obj", square, sizeof square - 1, &mesh, &e));
	CHECK_INT(mesh.triangle_count, 3);
	CHECK(!memcmp(mesh.triangles, fan, sizeof fan));
	cn_mesh_free(&counted, &mesh);
}

#define PLY_HEAD "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

TEST(faults)
{
	static char dots[600] = "v 0 1e"; /* room for each to be padded would not be there */
	memset(dots + 6, '.', sizeof dots - 7);
	static const struct {
		const char *name, *text;
		int line;
		const char *message;
	} faults[] = {
		{"a.dae", "", 0, "ends in .obj, .stl or .ply"},
		{"a.obj", "", 1, "no points"},
		{"a.obj", "v 0 0 0\nv 0 nan 0\n", 2, "\"nan\" for a coordinate; expected a finite number"},
		{"a.obj", "v 0 inf 0\n", 1, "expected a finite number"},
		{"a.obj", "v 0 1e999 0\n", 1, "too large"},
		{"a.obj", "v 0 . 0\n", 1, "expected a finite number"},
		{"a.obj", "v 0 1,5 0\n", 1, "\"1,5\""},
		{"a.obj", "v 0 1.5.5 0\n", 1, "\"1.5.5\""},
		{"a.obj", "v 0 1e.5.5 0\n", 1, "\"1e.5.5\""},
		{"a.obj", dots, 1, "for a coordinate"},
		{"a.obj", "v 0 1\nv 0 0 0\n", 1, "the line ends where a coordinate should be"},
		{"a.obj", "v 0 1", 1, "the file ends where a coordinate should be"},
		{"a.obj", "v 0 0 0\nf 1 2 1\n", 2, "a face names vertex 2; there are 1 before it"},
		{"a.obj", "v 0 0 0\nf 1 0 1\n", 2, "a face names vertex 0"},
		{"a.obj", "v 0 0 0\nf -2 1 1\n", 2, "a face names vertex -2"},
		{"a.obj", "v 0 0 0\nf 99999999999999999999 1 1\n", 2, "a face names vertex"},
		{"a.obj", "v 0 0 0\nf 1 1\n", 2, "a face of 2 corners"},
		{"a.obj", "v 0 0 0\nf 1 x 1\n", 2, "\"x\" for a corner"},
		{"a.obj", "v 0 0 0\ncurv 1 2\n", 2, "found \"curv\""},
		{"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", 5,
	     "the file ends where \"vertex\" should be"},
		{"a.stl", "solid a\n", 2, "the file ends where \"facet\" or \"endsolid\""},
		{"a.stl", "solid a\nendsolid a\n", 3, "no triangles"},
		{"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", 4, "\"nan\" for a coordinate"},
		{"a.stl", "solid a\nfacet\nouter\n", 3, "found \"outer\"; expected \"normal\""},
		{"a.stl", "not a mesh", 0, "neither an ASCII STL"},
		{"a.ply", "plo\n", 1, "does not begin with \"ply\""},
		{"a.ply", "ply\nformat ascii 1.0\n", 3, "the file ends inside its header"},
		{"a.ply", "ply\nformat ascii 2.0\n", 2, "expected 1.0"},
		{"a.ply", "ply\nformat text 1.0\n", 2, "expected ascii"},
		{"a.ply", "ply\nelement vertex -1\n", 2, "a count of -1"},
		{"a.ply", "ply\nelement vertex 4000000000\n", 2, "a count of 4e+09"},
		{"a.ply", "ply\nproperty float x\n", 2, "before any element"},
		{"a.ply", "ply\nelement vertex 1\nproperty real x\n", 3, "found \"real\"; expected a type"},
		{"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", 6,
	     "lacks a property x, y or z"},
		{"a.ply", "ply\nend_header\n\n", 3, "lacks a line \"format\""},
		{"a.ply", "ply\nwhat\n\n", 2, "found \"what\""},
		{"a.ply", PLY_HEAD PLY_FACE "0 0 0\n1 0 0\n", 12, "the file ends where a value should be"},
		{"a.ply", PLY_HEAD PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 13, "a face names vertex 3; there are 3"},
		{"a.ply", PLY_HEAD PLY_FACE "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", 13, "a face of 2 corners"},
		{"a.ply", PLY_HEAD PLY_FACE "0 0 0\n1 0 0\n0 1 0\n200 0 1\n", 13, "does not fit the file"},
		{"a.ply", PLY_HEAD PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n7\n", 14, "more data than the header promises"},
		{"a.ply", PLY_HEAD "end_header\n0 0 0\n1 nan 0\n0 1 0\n", 9, "\"nan\""},
		{"a.ply",
	     "ply\nformat ascii 1.0\nelement vertex 9000000\nproperty float x\nproperty float y\nproperty float "
	     "z\nend_header\n1 ",
	     8, "promises 9000000 rows"},
	};
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
		cn_mesh mesh;
		cairn_error e;
		int before = test_failures;
		CHECK(!read_bytes(faults[i].name, faults[i].text, strlen(faults[i].text), &mesh, &e));
		CHECK_INT(e.code, CAIRN_INVALID);
		CHECK_TEXT(e.file, faults[i].name);
		CHECK_INT(e.line, faults[i].line);
		CHECK_HAS(e.message, faults[i].message);
		CHECK_INT(books.bytes, 0);
		if (test_failures > before)
			printf("  of fault %zu: %s\n", i, faults[i].text);
	}
}

TEST(binary_faults)
{
	bytes b = make_stl();
	cn_mesh mesh;
	cairn_error e;
	CHECK(!read_bytes("a.stl", b.data, b.size - 1, &mesh, &e));
	CHECK_HAS(e.message, "byte 80 promises 4 triangles, so 284 bytes in all; the file has 283");
	b.data[84 + 50 + 12 + 3] = 0x7f, b.data[84 + 50 + 12 + 2] = 0xc0; /* the second triangle's first x: nan */
	CHECK(!read_bytes("a.stl", b.data, b.size, &mesh, &e));
	CHECK_HAS(e.message, "triangle 1 has a coordinate that is not a finite number (byte 146)");
	b = make_ply(false);
	CHECK(!read_bytes("a.ply", b.data, b.size - 2, &mesh, &e));
	CHECK_HAS(e.message, "the file ends at byte");
	put(&b, 0, 1);
	CHECK(!read_bytes("a.ply", b.data, b.size, &mesh, &e));
	CHECK_HAS(e.message, "more data than the header promises");
	b = make_ply(true);
	size_t start = b.size - 4 * 16 - 4 * 15;
	b.data[start] = 0x7f, b.data[start + 1] = 0xf0;
	CHECK(!read_bytes("a.ply", b.data, b.size, &mesh, &e));
	CHECK_HAS(e.message, "not a finite number (before byte");
	CHECK_INT(books.bytes, 0);
}

/* Every prefix and every flipped bit is read or refused with nothing left behind. */
TEST(broken_bytes)
{
	bytes files[6] = {make_stl(), make_ply(false), make_ply(true)};
	static const char *const names[] = {"a.stl", "a.ply", "a.ply", "a.obj", "a.stl", "a.ply"};
	put_line(&files[3], obj);
	put_line(&files[4], stl);
	put_line(&files[5], ply);
	for (int f = 0; f < 6; ++f) {
		cn_mesh mesh;
		cairn_error e;
		for (size_t n = 0; n < files[f].size; ++n)
			if (read_bytes(names[f], files[f].data, n, &mesh, &e))
				cn_mesh_free(&counted, &mesh);
		for (size_t i = 0; i < files[f].size; ++i)
			for (int bit = 0; bit < 8; ++bit) {
				files[f].data[i] ^= (uint8_t)(1 << bit);
				if (read_bytes(names[f], files[f].data, files[f].size, &mesh, &e))
					cn_mesh_free(&counted, &mesh);
				files[f].data[i] ^= (uint8_t)(1 << bit);
			}
		CHECK_INT(books.bytes, 0);
	}
}

TEST(out_of_memory)
{
	bytes files[3] = {make_stl(), make_ply(false)};
	static const char *const names[] = {"a.stl", "a.ply", "a.obj"};
	put_line(&files[2], obj);
	for (int f = 0; f < 3; ++f) {
		bool ok = false;
		for (size_t n = 1; !ok; ++n) {
			cn_mesh mesh;
			cairn_error e;
			books = (ledger){.fail_at = n, .lasting = true};
			ok = read_bytes(names[f], files[f].data, files[f].size, &mesh, &e);
			if (ok)
				cn_mesh_free(&counted, &mesh);
			else
				CHECK_INT(e.code, CAIRN_MEMORY);
			CHECK_INT(books.bytes, 0);
			CHECK(!ok || n > 2);
		}
	}
	books = (ledger){0};
}

TEST_MAIN(TEST_CASE(tetrahedra), TEST_CASE(polygons), TEST_CASE(faults), TEST_CASE(binary_faults),
          TEST_CASE(broken_bytes), TEST_CASE(out_of_memory))
