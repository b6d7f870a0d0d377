/* Shapes: what is refused and how, what is kept to the bit, memory that runs out, radius, box and surface. */
#include "ledger.h"
#include "test.h"

#include "base/hash.h"
#include "base/tolerance.h"
#include "geom/mass.h"
#include "geom/shape.h"

enum { BOX_TRIANGLES = 12, MOST_SHAPES = 12 };

static const v3 cube[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const uint32_t cube_triangles[] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static ledger book;

static cairn_allocator counting(void)
{
	book = (ledger){0};
	return (cairn_allocator){&book, ledger_resize};
}

static cairn_shape_def sphere_def(double radius) { return (cairn_shape_def){.kind = CAIRN_SPHERE, .radius = radius}; }

static cairn_shape_def rod_def(cairn_shape_kind kind, double radius, double length)
{
	return (cairn_shape_def){.kind = kind, .radius = radius, .length = length};
}

static cairn_shape_def box_def(double x, double y, double z)
{
	return (cairn_shape_def){.kind = CAIRN_BOX, .size = {x, y, z}};
}

static cairn_shape_def plane_def(v3 normal, double offset)
{
	return (cairn_shape_def){.kind = CAIRN_HALFSPACE, .normal = normal, .offset = offset};
}

static cairn_shape_def hull_def(const v3 *points, uint32_t count)
{
	return (cairn_shape_def){.kind = CAIRN_HULL, .points = points, .point_count = count};
}

static cairn_shape_def mesh_def(const uint32_t *triangles, uint32_t count)
{
	return (cairn_shape_def){
		.kind = CAIRN_MESH, .points = cube, .point_count = 8, .triangles = triangles, .triangle_count = count};
}

static cairn_shape_def compound_def(const cairn_part *parts, uint32_t count)
{
	return (cairn_shape_def){.kind = CAIRN_COMPOUND, .parts = parts, .part_count = count};
}

/* One of each kind; 6 is a shell and 7 a half-space, 8 to 10 are compounds. */
static uint32_t make_all(const cairn_allocator *allocator, cn_shape *shapes)
{
	static const cairn_part solids[] = {
		{{0, 1}, {{1, 2, 3}, {1, 0, 0, 0}}},       {{1, 1}, {{-1, 0, 0}, {0.5, 0.5, 0.5, 0.5}}},
		{{2, 1}, {{0, 1, 0}, {0.8, 0.6, 0, 0}}},   {{3, 1}, {{0, 0, -2}, {0.6, 0, 0, 0.8}}},
		{{4, 1}, {{5, 0, 0}, {0.96, 0, 0.28, 0}}}, {{5, 1}, {{0, 5, 0}, {0.28, 0.96, 0, 0}}}};
	static const cairn_part shells[] = {{{6, 1}, {{0, 0, 0}, {1, 0, 0, 0}}}, {{6, 1}, {{0, 0, 3}, {0, 1, 0, 0}}}};
	cairn_shape_def shell = mesh_def(cube_triangles, BOX_TRIANGLES - 2);
	shell.shell = true;
	cairn_shape_def defs[] = {sphere_def(0.5),
	                          box_def(1, 2, 3),
	                          rod_def(CAIRN_CAPSULE, 0.5, 2),
	                          rod_def(CAIRN_CYLINDER, 0.7, 1.5),
	                          hull_def(cube, 8),
	                          mesh_def(cube_triangles, BOX_TRIANGLES),
	                          shell,
	                          plane_def(v3_make(0.6, 0, 0.8), 2),
	                          compound_def(solids, 6),
	                          compound_def(shells, 2),
	                          compound_def(solids, 1)};
	uint32_t count = 0;
	for (; count < CN_COUNT(defs); ++count) {
		cairn_error error;
		defs[count].name = "a name";
		if (!cn_shape_make(allocator, &defs[count], shapes, count, &shapes[count], &error))
			break;
	}
	return count;
}

static void free_all(const cairn_allocator *allocator, cn_shape *shapes, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		cn_shape_free(allocator, &shapes[i]);
}

/* The def is refused with this field and these words, and nothing stays allocated. */
static void refuse(const cairn_shape_def *def, const char *field, const char *words)
{
	cairn_allocator allocator = cairn_default_allocator(), watched = counting();
	cn_shape shapes[MOST_SHAPES], out;
	cairn_error error = {0};
	uint32_t count = make_all(&allocator, shapes);
	bool made = cn_shape_make(&watched, def, shapes, count, &out, &error);
	CHECK(!made);
	CHECK_INT(error.code, CAIRN_INVALID);
	CHECK_TEXT(error.path, field);
	CHECK_HAS(error.message, words);
	CHECK_INT(book.bytes, 0);
	free_all(&allocator, shapes, count);
}

static void refuse_def(cairn_shape_def def, const char *field, const char *words) { refuse(&def, field, words); }

TEST(bad_lengths)
{
	refuse_def(sphere_def(0), "radius", "positive");
	refuse_def(sphere_def(-1), "radius", "-1");
	refuse_def(sphere_def(NAN), "radius", "finite");
	refuse_def(sphere_def(INFINITY), "radius", "finite");
	refuse_def(sphere_def(1e-10), "radius", "least");
	refuse_def(sphere_def(1e10), "radius", "most");
	refuse_def(rod_def(CAIRN_CAPSULE, 0, 1), "radius", "positive");
	refuse_def(rod_def(CAIRN_CAPSULE, 1, 0), "length", "positive");
	refuse_def(rod_def(CAIRN_CYLINDER, 1, -2), "length", "-2");
	refuse_def(box_def(1, 0, 1), "size", "along y");
	refuse_def(box_def(NAN, 1, 1), "size", "along x");
	refuse_def(box_def(1, 1, 1e300), "size", "along z");
	refuse_def((cairn_shape_def){.kind = (cairn_shape_kind)77}, "kind", "77");
}

TEST(bad_halfspaces)
{
	refuse_def(plane_def(v3_make(0, 0, 2), 0), "normal", "length 2; give a unit vector");
	refuse_def(plane_def(v3_make(0, 0, 0), 0), "normal", "length 0");
	refuse_def(plane_def(v3_make(0, 0, 1.002), 0), "normal", "unit vector");
	refuse_def(plane_def(v3_make(0, NAN, 1), 0), "normal", "finite");
	refuse_def(plane_def(v3_make(1e200, 0, 0), 0), "normal", "unit vector");
	refuse_def(plane_def(v3_make(0, 0, 1), INFINITY), "offset", "finite");
	refuse_def(plane_def(v3_make(0, 0, 1), 2e9), "offset", "most");
}

TEST(bad_hulls)
{
	v3 points[8];
	refuse_def(hull_def(cube, 0), "points", "at least 4");
	refuse_def(hull_def(cube, 3), "points", "3 points");
	refuse_def(hull_def(cube, 4), "points", "in a plane");
	memcpy(points, cube, sizeof points);
	points[6].y = NAN;
	refuse_def(hull_def(points, 8), "points[6]", "finite");
	points[6].y = -1.1e9;
	refuse_def(hull_def(points, 8), "points[6]", "farther out");
	for (int i = 0; i < 8; ++i)
		points[i] = v3_scale(cube[i], 1e-10);
	refuse_def(hull_def(points, 8), "points", "least size");
	for (int i = 0; i < 8; ++i)
		points[i] = v3_make(i, 2 * i, -i);
	refuse_def(hull_def(points, 8), "points", "on a line");
	for (int i = 0; i < 8; ++i)
		points[i] = v3_make(3, 1, 2);
	refuse_def(hull_def(points, 8), "points", "coincide");
	cairn_shape_def def = hull_def(cube, CN_COUNT_MAX + 1);
	refuse(&def, "points", "the most is");
}

TEST(bad_meshes)
{
	uint32_t t[BOX_TRIANGLES * 3];
	v3 points[8];
	refuse_def(mesh_def(NULL, 0), "triangles", "at least one");
	memcpy(t, cube_triangles, sizeof t);
	t[7 * 3 + 1] = 12;
	refuse_def(mesh_def(t, BOX_TRIANGLES), "triangles[7]", "triangles[7] names point 12 but there are 8");
	t[7 * 3 + 1] = t[7 * 3 + 2];
	refuse_def(mesh_def(t, BOX_TRIANGLES), "triangles",
	           "open at the edge"); /* one that names a point twice is dropped */
	refuse_def(mesh_def(cube_triangles, BOX_TRIANGLES - 1), "triangles", "open at the edge between points");
	memcpy(t, cube_triangles, sizeof t);
	t[33] = 7, t[34] = 4; /* 7, 4, 6 instead of 4, 7, 6 */
	refuse_def(mesh_def(t, BOX_TRIANGLES), "triangles", "the same way");
	for (int i = 0; i < BOX_TRIANGLES * 3; ++i)
		t[i] = cube_triangles[i / 3 * 3 + 2 - i % 3];
	refuse_def(mesh_def(t, BOX_TRIANGLES), "triangles", "inside out");
	uint32_t thrice[BOX_TRIANGLES * 6];
	memcpy(thrice, cube_triangles, sizeof cube_triangles);
	memcpy(thrice + BOX_TRIANGLES * 3, t, sizeof t);
	refuse_def(mesh_def(thrice, BOX_TRIANGLES * 2), "triangles", "4 triangles meet at the edge between points");
	const uint32_t sheet[] = {0, 1, 3, 0, 3, 1};
	refuse_def(mesh_def(sheet, 2), "triangles", "no volume");
	cairn_shape_def def = mesh_def(cube_triangles, BOX_TRIANGLES);
	memcpy(points, cube, sizeof points);
	points[3].z = INFINITY;
	def.points = points;
	refuse(&def, "points[3]", "finite");
	for (int i = 0; i < 8; ++i) /* the cube pressed flat in a slanted plane */
		points[i] =
			v3_make(cube[i].x + cube[i].z, cube[i].y - cube[i].z, 0.3 * cube[i].x + 0.7 * cube[i].y - 0.4 * cube[i].z);
	refuse(&def, "triangles", "no volume");
	def.triangle_count = 1, def.shell = true;
	for (int i = 0; i < 8; ++i)
		points[i] = v3_make(i, i, i);
	refuse(&def, "triangles", "no area");
	for (int i = 0; i < 8; ++i)
		points[i] = v3_make(1, 1, 1);
	refuse(&def, "points", "least size");
	def.triangle_count = CN_COUNT_MAX + 1;
	refuse(&def, "triangles", "the most is");
}

enum { MOST_SHELLS = 8 };

typedef struct shells {
	v3 points[8 * MOST_SHELLS];
	uint32_t triangles[BOX_TRIANGLES * 3 * MOST_SHELLS], count;
} shells;

/* The unit cube, stretched and moved, as one more closed part; facing inwards where asked. */
static void add_shell(shells *s, v3 middle, double half, bool inwards)
{
	for (uint32_t i = 0; i < 8; ++i)
		s->points[8 * s->count + i] = v3_madd(middle, v3_madd(v3_make(-1, -1, -1), cube[i], 2), half);
	for (uint32_t i = 0; i < BOX_TRIANGLES * 3; ++i)
		s->triangles[BOX_TRIANGLES * 3 * s->count + i] =
			8 * s->count + cube_triangles[inwards ? i / 3 * 3 + 2 - i % 3 : i];
	++s->count;
}

static cairn_shape_def shells_def(const shells *s)
{
	return (cairn_shape_def){.kind = CAIRN_MESH,
	                         .points = s->points,
	                         .point_count = 8 * s->count,
	                         .triangles = s->triangles,
	                         .triangle_count = BOX_TRIANGLES * s->count};
}

static void take_shells(const shells *s, double volume)
{
	cairn_allocator allocator = counting();
	cairn_error error = {0};
	cairn_shape_def def = shells_def(s);
	cn_shape out;
	bool ok = cn_shape_make(&allocator, &def, NULL, 0, &out, &error);
	CHECK_TEXT(error.message, "");
	if (!ok)
		return;
	CHECK_NEAR(out.mass.volume, volume, 1e-12 * volume);
	cn_shape_free(&allocator, &out);
	CHECK_INT(book.bytes, 0);
}

/* Bodies in cavities of bodies: each closed part faces as the number of others around it says. */
TEST(nested_parts)
{
	v3 o = v3_zero(), aside = v3_make(10, 1, 2);
	shells s = {0};
	for (uint32_t i = 0; i < 5; ++i) /* 5, 4, 3, 2, 1 */
		add_shell(&s, o, 5 - i, i % 2);
	add_shell(&s, aside, 1, false);
	take_shells(&s, 8 * (125 - 64 + 27 - 8 + 1 + 1));
	for (uint32_t wrong = 0; wrong < 6; ++wrong) {
		s.count = 0;
		for (uint32_t i = 0; i < 5; ++i)
			add_shell(&s, o, 5 - i, (i + (i == wrong)) % 2);
		add_shell(&s, aside, 1, wrong == 5);
		char field[40];
		snprintf(field, sizeof field, "triangles[%u]", (unsigned)(BOX_TRIANGLES * wrong));
		refuse_def(shells_def(&s), field, wrong == 1 || wrong == 3 ? "faces outwards" : "lies in no body");
	}
	s.count = 0; /* side by side, the sum of volumes is zero */
	add_shell(&s, o, 1, false);
	add_shell(&s, aside, 1, true);
	refuse_def(shells_def(&s), "triangles[12]", "reverse");
	s.count = 0; /* touching in a corner, in an edge, in a face; crossing */
	add_shell(&s, o, 1, false);
	add_shell(&s, v3_make(2, 2, 2), 1, false);
	add_shell(&s, v3_make(-2, -2, 0), 1, false);
	add_shell(&s, v3_make(2, 0, 0), 1, false);
	add_shell(&s, v3_make(-1.5, -1.5, -1.5), 1, false);
	take_shells(&s, 40);
	s.count = 0; /* a cavity that touches its body from within in a corner */
	add_shell(&s, o, 2, false);
	add_shell(&s, v3_make(1, 1, 1), 1, true);
	take_shells(&s, 56);
}

/* Many bodies with a cavity each: time grows like n log n, so a long row is nothing. */
TEST(many_nested_parts)
{
	enum { SIDE = 10, BODIES = SIDE * SIDE * SIDE };
	shells one = {0};
	add_shell(&one, v3_zero(), 0.4, false);
	add_shell(&one, v3_zero(), 0.2, true);
	v3 *points = malloc((size_t)BODIES * 16 * sizeof *points);
	uint32_t *triangles = malloc((size_t)BODIES * BOX_TRIANGLES * 6 * sizeof *triangles);
	for (uint32_t b = 0; b < BODIES; ++b) {
		v3 at = v3_make(b % SIDE, b / SIDE % SIDE, b / SIDE / SIDE);
		for (uint32_t i = 0; i < 16; ++i)
			points[16 * b + i] = v3_add(one.points[i], at);
		for (uint32_t i = 0; i < BOX_TRIANGLES * 6; ++i)
			triangles[BOX_TRIANGLES * 6 * b + i] = 16 * b + one.triangles[i];
	}
	cairn_shape_def def = {.kind = CAIRN_MESH, .points = points, .point_count = 16 * BODIES};
	def.triangles = triangles, def.triangle_count = BOX_TRIANGLES * 2 * BODIES;
	cairn_allocator allocator = counting();
	cairn_error error = {0};
	cn_shape out;
	bool ok = cn_shape_make(&allocator, &def, NULL, 0, &out, &error);
	CHECK_TEXT(error.message, "");
	if (ok) {
		CHECK_NEAR(out.mass.volume, BODIES * (0.512 - 0.064), 1e-9);
		cn_shape_free(&allocator, &out);
	}
	uint32_t *t = &triangles[BOX_TRIANGLES * 6 * 777 + BOX_TRIANGLES * 3]; /* one cavity the wrong way round */
	for (uint32_t i = 0; i < BOX_TRIANGLES * 3; i += 3) {
		uint32_t swap = t[i];
		t[i] = t[i + 1], t[i + 1] = swap;
	}
	char field[40];
	snprintf(field, sizeof field, "triangles[%u]", BOX_TRIANGLES * 2 * 777 + BOX_TRIANGLES);
	refuse_def(def, field, "faces outwards");
	free(points);
	free(triangles);
}

TEST(bad_compounds)
{
	cairn_part parts[2] = {{{0, 1}, pose_identity()}, {{1, 1}, pose_identity()}};
	cairn_shape_def def = compound_def(parts, 2);
	refuse_def(compound_def(parts, 0), "parts", "at least one");
	parts[1].shape.index = 11;
	refuse(&def, "parts[1].shape", "no shape");
	parts[1].shape = (cairn_shape){1, 0};
	refuse(&def, "parts[1].shape", "no shape");
	parts[1].shape = (cairn_shape){7, 1};
	refuse(&def, "parts[1].shape", "half-space");
	parts[1].shape = (cairn_shape){8, 1};
	refuse(&def, "parts[1].shape", "compound");
	parts[1].shape = (cairn_shape){6, 1};
	refuse(&def, "parts[1].shape", "shell");
	parts[1].shape = (cairn_shape){1, 1};
	parts[1].pose.position.x = NAN;
	refuse(&def, "parts[1].pose.position", "finite");
	parts[1].pose.position.x = 2e9;
	refuse(&def, "parts[1].pose.position", "farther out");
	parts[1].pose.position.x = 0;
	parts[1].pose.orientation.w = 1.5;
	refuse(&def, "parts[1].pose.orientation", "length 1.5");
	parts[1].pose.orientation.w = NAN;
	refuse(&def, "parts[1].pose.orientation", "finite");
	def.part_count = CN_COUNT_MAX + 1;
	refuse(&def, "parts", "the most is");
}

static bool same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* The same shape made from its own def again is the same to the bit. */
static void check_again(const cairn_allocator *allocator, const cn_shape *shapes, uint32_t i)
{
	cairn_error error;
	cn_shape again;
	const cn_shape *s = &shapes[i];
	REQUIRE(cn_shape_make(allocator, &s->def, shapes, i, &again, &error));
	CHECK_INT(again.def.kind, s->def.kind);
	CHECK_TEXT(again.def.name, s->def.name);
	CHECK(same_bits(&again.mass, &s->mass, sizeof s->mass));
	CHECK(same_bits(&again.box, &s->box, sizeof s->box));
	CHECK(same_bits(&again.def.radius, &s->def.radius, 2 * sizeof(double)));
	CHECK(same_bits(&again.def.size, &s->def.size, sizeof s->def.size));
	CHECK(same_bits(&again.def.normal, &s->def.normal, sizeof s->def.normal));
	CHECK(again.def.offset == s->def.offset && again.def.shell == s->def.shell);
	REQUIRE(again.def.point_count == s->def.point_count && again.triangle_count == s->triangle_count &&
	        again.def.triangle_count == s->def.triangle_count && again.def.part_count == s->def.part_count);
	CHECK(!s->def.point_count || same_bits(again.def.points, s->def.points, s->def.point_count * sizeof(v3)));
	CHECK(!s->triangle_count || same_bits(again.triangles, s->triangles, s->triangle_count * 3 * sizeof(uint32_t)));
	for (uint32_t k = 0; k < s->def.part_count; ++k)
		CHECK(same_bits(&again.def.parts[k].pose, &s->def.parts[k].pose, sizeof(pose)));
	cn_shape_free(allocator, &again);
}

TEST(made_again_the_same)
{
	cairn_allocator allocator = counting();
	cn_shape shapes[MOST_SHAPES];
	uint32_t count = make_all(&allocator, shapes);
	CHECK_INT(count, 11);
	for (uint32_t i = 0; i < count; ++i)
		check_again(&allocator, shapes, i);
	free_all(&allocator, shapes, count);
	CHECK_INT(book.bytes, 0);
}

TEST(unit_length_once)
{
	uint64_t state = 1;
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	cn_shape shapes[2];
	cairn_shape_def ball = sphere_def(1);
	REQUIRE(cn_shape_make(&allocator, &ball, NULL, 0, &shapes[0], &error));
	for (int round = 0; round < 5000; ++round) {
		double x[4], square = 0;
		for (int k = 0; k < 4; ++k)
			x[k] = cn_random_signed(&state), square += x[k] * x[k];
		double s = (1 + 9e-4 * cn_random_signed(&state)) / sqrt(square);
		cairn_part part = {{0, 1}, {{1, 2, 3}, {x[0] * s, x[1] * s, x[2] * s, x[3] * s}}};
		v3 normal = v3_unit(v3_make(x[0], x[1], x[2]));
		cairn_shape_def defs[] = {compound_def(&part, 1), plane_def(v3_scale(normal, s * sqrt(square)), 1.25)};
		for (int k = 0; k < 2; ++k) {
			REQUIRE(cn_shape_make(&allocator, &defs[k], shapes, 1, &shapes[1], &error));
			check_again(&allocator, shapes, 1);
			quat q = k ? (quat){0, shapes[1].def.normal.x, shapes[1].def.normal.y, shapes[1].def.normal.z}
			           : shapes[1].def.parts[0].pose.orientation;
			CHECK_NEAR(q_dot(q, q), 1, 8 * DBL_EPSILON);
			cn_shape_free(&allocator, &shapes[1]);
		}
	}
	cn_shape_free(&allocator, &shapes[0]);
}

/* Copies belong to the shape, points as given; what a kind does not use is not kept. */
TEST(own_copies)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	cn_shape s;
	v3 points[8];
	memcpy(points, cube, sizeof points);
	points[0].x = -0.0;
	char name[] = "crate";
	cairn_shape_def def = hull_def(points, 8);
	def.name = name, def.radius = NAN, def.shell = true;
	REQUIRE(cn_shape_make(&allocator, &def, NULL, 0, &s, &error));
	CHECK(same_bits(s.def.points, points, sizeof points));
	name[0] = 'x', points[0].x = 7;
	CHECK_TEXT(s.def.name, "crate");
	CHECK(s.def.points[0].x == 0 && signbit(s.def.points[0].x));
	CHECK(s.def.radius == 0 && !s.def.shell);
	CHECK_INT(s.triangle_count, 12);
	cn_shape_free(&allocator, &s);
	cairn_shape_def ball = sphere_def(1);
	ball.name = NULL;
	REQUIRE(cn_shape_make(&allocator, &ball, NULL, 0, &s, &error));
	CHECK_TEXT(s.def.name, "");
	cn_shape_free(&allocator, &s);
}

/* Every allocation fails once; each time nothing is left behind and the code says memory. */
TEST(memory_runs_out)
{
	cairn_allocator steady = cairn_default_allocator(), allocator = counting();
	cn_shape shapes[MOST_SHAPES], out;
	uint32_t count = make_all(&steady, shapes);
	for (uint32_t i = 0; i < count; ++i)
		for (int surface = 0; surface < 2; ++surface) {
			bool done = false;
			for (size_t fail_at = 1; !done && fail_at < 1000; ++fail_at) {
				cairn_error error = {0};
				cairn_surface drawn;
				book = (ledger){.fail_at = fail_at};
				done = surface ? cn_shape_surface(shapes, i, &(cn_surface_options){0.01, 1}, &allocator, &drawn, &error)
				               : cn_shape_make(&allocator, &shapes[i].def, shapes, i, &out, &error);
				if (!done) {
					CHECK_INT(error.code, CAIRN_MEMORY);
				} else if (surface) {
					cn_free(&allocator, drawn.points, drawn.point_count, sizeof *drawn.points);
					cn_free(&allocator, drawn.triangles, (size_t)drawn.triangle_count * 3, sizeof *drawn.triangles);
				} else {
					cn_shape_free(&allocator, &out);
				}
				CHECK_INT(book.bytes, 0);
			}
			CHECK(done);
		}
	free_all(&steady, shapes, count);
}

TEST(memory_runs_out_among_parts)
{
	cairn_allocator allocator = counting();
	shells two = {0};
	add_shell(&two, v3_zero(), 1, false);
	add_shell(&two, v3_make(4, 0, 0), 1, false);
	cairn_shape_def def = shells_def(&two);
	bool done = false;
	size_t fail_at = 1;
	for (; !done && fail_at < 100; ++fail_at) {
		cairn_error error = {0};
		cn_shape out;
		book = (ledger){.fail_at = fail_at};
		done = cn_shape_make(&allocator, &def, NULL, 0, &out, &error);
		CHECK(done || error.code == CAIRN_MEMORY);
		if (done)
			cn_shape_free(&allocator, &out);
		CHECK_INT(book.bytes, 0);
	}
	CHECK(done && fail_at > 8);
}

TEST(masses)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_shape shapes[MOST_SHAPES];
	uint32_t count = make_all(&allocator, shapes);
	REQUIRE(count == 11);
	double sum = 0;
	for (int i = 0; i < 6; ++i)
		sum += shapes[i].mass.volume;
	CHECK_NEAR(shapes[4].mass.volume, 1, 1e-15);
	CHECK_NEAR(shapes[4].mass.center.x, 0.5, 1e-15);
	CHECK_NEAR(shapes[4].mass.inertia.m[0][0], 1.0 / 6, 1e-15);
	CHECK_NEAR(shapes[5].mass.volume, 1, 1e-15);
	CHECK_NEAR(shapes[6].mass.volume, 5, 1e-14);
	CHECK(shapes[7].mass.volume == 0);
	CHECK_NEAR(shapes[8].mass.volume, sum, 1e-14);
	CHECK_NEAR(shapes[9].mass.volume, 10, 1e-14);
	CHECK(shapes[10].mass.volume == shapes[0].mass.volume && shapes[10].mass.center.y == 2);
	for (uint32_t i = 0; i < count; ++i)
		CHECK(i == 7 || !cn_inertia_fault(shapes[i].mass.inertia));
	free_all(&allocator, shapes, count);
}

static cairn_surface draw(const cn_shape *shapes, uint32_t i, double tolerance)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_surface surface;
	cairn_error error;
	bool drawn = cn_shape_surface(shapes, i, &(cn_surface_options){tolerance, 10}, &allocator, &surface, &error);
	CHECK(drawn);
	return surface;
}

static void free_surface(cairn_surface *s)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_free(&allocator, s->points, s->point_count, sizeof *s->points);
	cn_free(&allocator, s->triangles, (size_t)s->triangle_count * 3, sizeof *s->triangles);
}

/* Closed, facing out, within the tolerance, and volume and inertia close in on the closed forms as it is refined. */
TEST(surfaces)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_shape shapes[MOST_SHAPES];
	uint32_t count = make_all(&allocator, shapes), a, b;
	cairn_error error;
	for (uint32_t i = 0; i < count; ++i) {
		double before = INFINITY;
		for (int halved = 0; halved < 8; ++halved) {
			double tolerance = ldexp(0.1, -halved);
			cairn_surface s = draw(shapes, i, tolerance);
			bool closed = !cn_mesh_open_edge(&allocator, s.triangles, s.triangle_count, &a, &b, &error);
			CHECK(closed == (i != 6 && i != 7 && i != 9));
			if (closed) {
				cn_mass solid = cn_mass_solid(s.points, s.triangles, s.triangle_count), exact = shapes[i].mass;
				double lack = 1 - solid.volume / exact.volume;
				CHECK(lack >= -1e-14 && lack <= 3 * tolerance && lack <= before + 1e-14);
				CHECK_NEAR(solid.inertia.m[0][0] / exact.inertia.m[0][0], 1, 6 * tolerance);
				CHECK_NEAR(solid.inertia.m[2][2] / exact.inertia.m[2][2], 1, 6 * tolerance);
				before = lack;
			}
			free_surface(&s);
		}
	}
	cairn_surface box = draw(shapes, 1, 0.01);
	CHECK_INT(box.point_count, 8);
	CHECK_INT(box.triangle_count, 12);
	free_surface(&box);
	free_all(&allocator, shapes, count);
}

/* No triangle of a ball is deeper than the fraction asked for, and the segments are bounded. */
TEST(surface_tolerance)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	cn_shape ball;
	cairn_shape_def def = sphere_def(2);
	static const double tolerances[] = {5, 0.2, 0.05, 0.01, 0.002, 0, -1, NAN};
	static const uint32_t most[] = {8, 16, 24, 48, 128, 128, 128, 128}, least[] = {8, 8, 16, 32, 64, 128, 128, 128};
	REQUIRE(cn_shape_make(&allocator, &def, NULL, 0, &ball, &error));
	for (size_t i = 0; i < CN_COUNT(tolerances); ++i) {
		cairn_surface s = draw(&ball, 0, tolerances[i]);
		uint32_t n = 2 * (uint32_t)(0.5 + 0.5 * (1 + sqrt(1 + 2 * ((double)s.point_count - 2)))); /* n (n/2 - 1) + 2 */
		CHECK(n >= least[i] && n <= most[i]);
		double deepest = 2;
		for (uint32_t k = 0; k < s.triangle_count; ++k) {
			const uint32_t *t = &s.triangles[k * 3];
			v3 p = s.points[t[0]], normal = v3_unit(v3_cross(v3_sub(s.points[t[1]], p), v3_sub(s.points[t[2]], p)));
			deepest = fmin(deepest, v3_dot(normal, p));
		}
		CHECK(deepest > 0);
		CHECK(!(tolerances[i] > 0.001) || deepest >= 2 * (1 - tolerances[i]) - 1e-12);
		free_surface(&s);
	}
	cn_shape_free(&allocator, &ball);
}

TEST(halfspace_surface)
{
	cairn_allocator allocator = cairn_default_allocator();
	uint64_t state = 2;
	cairn_error error;
	cn_shape s;
	for (int round = 0; round < 50; ++round) {
		double x = cn_random_signed(&state), y = cn_random_signed(&state), z = cn_random_signed(&state);
		v3 normal = round ? v3_unit(v3_make(x, y, z)) : v3_make(0, 0, 1);
		cairn_shape_def def = plane_def(normal, 3);
		REQUIRE(cn_shape_make(&allocator, &def, NULL, 0, &s, &error));
		CHECK(s.box.min.x == -INFINITY && s.box.max.z == INFINITY);
		CHECK(cn_shape_radius(&s, 0, v3_zero()) == INFINITY);
		cairn_surface drawn = draw(&s, 0, 0.01);
		REQUIRE(drawn.point_count == 4 && drawn.triangle_count == 2);
		for (int k = 0; k < 4; ++k) {
			CHECK_NEAR(v3_dot(drawn.points[k], normal), 3, 1e-13);
			CHECK_NEAR(v3_distance(drawn.points[k], drawn.points[(k + 1) % 4]), 20, 1e-13);
		}
		cn_mass skin = cn_mass_skin(drawn.points, drawn.triangles, 2);
		CHECK_NEAR(skin.volume, 400, 1e-11);
		CHECK_NEAR(v3_distance(skin.center, v3_scale(normal, 3)), 0, 1e-13);
		v3 p = drawn.points[drawn.triangles[0]];
		v3 u = v3_sub(drawn.points[drawn.triangles[1]], p), v = v3_sub(drawn.points[drawn.triangles[2]], p);
		CHECK_NEAR(v3_dot(v3_unit(v3_cross(u, v)), normal), 1, 1e-14);
		free_surface(&drawn);
		CHECK(!cn_shape_surface(&s, 0, &(cn_surface_options){0.01, 0}, &allocator, &drawn, &error));
		CHECK_TEXT(error.path, "halfspace");
		cn_shape_free(&allocator, &s);
	}
}

/* Never too small, and no larger than the farthest point of a fine surface says. */
TEST(radius_and_box)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_shape shapes[MOST_SHAPES];
	uint32_t count = make_all(&allocator, shapes);
	uint64_t state = 3;
	for (uint32_t i = 0; i < count; ++i) {
		if (i == 7)
			continue;
		cairn_surface s = draw(shapes, i, 0);
		cairn_box box = {s.points[0], s.points[0]};
		for (uint32_t k = 0; k < s.point_count; ++k)
			box.min = v3_least(box.min, s.points[k]), box.max = v3_most(box.max, s.points[k]);
		CHECK_NEAR(v3_distance(box.min, shapes[i].box.min), 0, 1e-2); /* a turned rod's rim is between segments */
		CHECK_NEAR(v3_distance(box.max, shapes[i].box.max), 0, 1e-2);
		CHECK(v3_min(v3_sub(box.min, shapes[i].box.min)) >= -1e-14);
		CHECK(v3_min(v3_sub(shapes[i].box.max, box.max)) >= -1e-14);
		for (int round = 0; round < 20; ++round) {
			double x = cn_random_signed(&state), y = cn_random_signed(&state), z = cn_random_signed(&state);
			v3 center = round ? v3_scale(v3_make(x, y, z), 3) : shapes[i].mass.center;
			double radius = cn_shape_radius(shapes, i, center), most = 0;
			for (uint32_t k = 0; k < s.point_count; ++k)
				most = fmax(most, v3_distance(s.points[k], center));
			CHECK(radius >= most && radius <= most + 2e-3);
		}
		free_surface(&s);
	}
	CHECK_NEAR(cn_shape_radius(shapes, 0, v3_zero()), 0.5, 1e-14);
	CHECK_NEAR(cn_shape_radius(shapes, 1, v3_zero()), sqrt(14) / 2, 1e-14);
	CHECK_NEAR(cn_shape_radius(shapes, 2, v3_make(0, 0, 1)), 2.5, 1e-14);
	CHECK_NEAR(cn_shape_radius(shapes, 3, v3_make(0.3, 0, 0)), sqrt(1 + 0.75 * 0.75), 1e-14);
	CHECK_NEAR(cn_shape_radius(shapes, 10, v3_make(1, 2, 3)), 0.5, 1e-13);
	free_all(&allocator, shapes, count);
}

TEST(parts)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_shape shapes[MOST_SHAPES];
	uint32_t count = make_all(&allocator, shapes);
	REQUIRE(count == 11);
	CHECK_INT(cn_shape_part_count(shapes, 1), 1);
	CHECK_INT(cn_shape_part(shapes, 1, 0).shape.index, 1);
	CHECK_INT(cn_shape_part(shapes, 1, 0).shape.generation, 1);
	CHECK(cn_shape_part(shapes, 1, 0).pose.orientation.w == 1);
	CHECK_INT(cn_shape_part_count(shapes, 8), 6);
	CHECK_INT(cn_shape_part(shapes, 8, 3).shape.index, 3);
	CHECK(cn_shape_part(shapes, 8, 3).pose.position.z == -2);
	free_all(&allocator, shapes, count);
}

TEST_MAIN(TEST_CASE(bad_lengths), TEST_CASE(bad_halfspaces), TEST_CASE(bad_hulls), TEST_CASE(bad_meshes),
          TEST_CASE(nested_parts), TEST_CASE(many_nested_parts), TEST_CASE(bad_compounds),
          TEST_CASE(made_again_the_same), TEST_CASE(unit_length_once), TEST_CASE(own_copies),
          TEST_CASE(memory_runs_out), TEST_CASE(memory_runs_out_among_parts), TEST_CASE(masses), TEST_CASE(surfaces),
          TEST_CASE(surface_tolerance), TEST_CASE(halfspace_surface), TEST_CASE(radius_and_box), TEST_CASE(parts))
