/* The tree of hulls of a mesh: its nodes hold their triangles, its leaves are what is convex as it is, and faces are true
 * where the mesh covers them. */
#include "base/trig.h"
#include "geom/hull_tree.h"
#include "random.h"
#include "test.h"

enum { MOST = 20000 };

typedef struct surface {
	v3 points[MOST];
	uint32_t triangles[3 * MOST], point_count, triangle_count;
} surface;

static surface mesh; /* of the case at hand */
static cairn_allocator allocator;

static void add_triangle(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *t = &mesh.triangles[3 * mesh.triangle_count++];
	t[0] = a, t[1] = b, t[2] = c;
}

static void add_quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	add_triangle(a, b, c);
	add_triangle(a, c, d);
}

static cn_triangles whole(void)
{
	return (cn_triangles){mesh.points, mesh.point_count, mesh.triangles, mesh.triangle_count};
}

static cn_hull_tree build(bool solid)
{
	cn_hull_tree tree = {0};
	cn_triangles all = whole();
	allocator = cairn_default_allocator();
	CHECK(cn_hull_tree_build(&allocator, &all, solid, &tree));
	return tree;
}

/* A cube of edge 2 about the origin; open: without its lid at z = 1. */
static void make_cube(bool open)
{
	static const uint32_t faces[6][4] = {{4, 5, 7, 6}, {0, 4, 6, 2}, {1, 3, 7, 5},
	                                     {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}};
	mesh.point_count = 8, mesh.triangle_count = 0;
	for (uint32_t i = 0; i < 8; ++i)
		mesh.points[i] = v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
	for (uint32_t f = open; f < 6; ++f)
		add_quad(faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
}

/* A torus about z of n by m quads. */
static void make_torus(uint32_t n, uint32_t m)
{
	mesh.point_count = mesh.triangle_count = 0;
	for (uint32_t i = 0; i < n; ++i)
		for (uint32_t j = 0; j < m; ++j) {
			double s, c, t, u;
			cn_sincos(2 * CN_PI * i / n, &s, &c);
			cn_sincos(2 * CN_PI * j / m, &t, &u);
			mesh.points[mesh.point_count++] = v3_make((1 + 0.3 * u) * c, (1 + 0.3 * u) * s, 0.3 * t);
			uint32_t k = (i + 1) % n, l = (j + 1) % m;
			add_quad(i * m + j, k * m + j, k * m + l, i * m + l);
		}
}

/* A sheet of cells x cells squares in a tilted plane. */
static void make_sheet(uint32_t cells)
{
	mesh.point_count = mesh.triangle_count = 0;
	for (uint32_t j = 0; j <= cells; ++j)
		for (uint32_t i = 0; i <= cells; ++i) {
			double x = (double)i / cells, y = (double)j / cells;
			mesh.points[mesh.point_count++] = v3_make(x, y, 0.3 * x - 0.7 * y);
		}
	for (uint32_t j = 0; j < cells; ++j)
		for (uint32_t i = 0; i < cells; ++i) {
			uint32_t at = j * (cells + 1) + i;
			add_quad(at, at + 1, at + cells + 2, at + cells + 1);
		}
}

/* How far a point is outside a hull, at most. */
static double outside(const cn_convex *c, v3 p)
{
	double most = -INFINITY;
	for (uint32_t f = 0; f < c->core.face_count; ++f)
		most = fmax(most, v3_dot(c->core.normals[f], v3_sub(p, c->center)) - c->core.offsets[f]);
	if (c->core.face_count == 2) /* flat: the rim too */
		for (uint32_t k = 0; k < c->core.vertex_count; ++k) {
			v3 from = c->core.vertices[k], to = c->core.vertices[(k + 1) % c->core.vertex_count];
			v3 out = v3_unit(v3_cross(v3_sub(to, from), c->core.normals[0]));
			most = fmax(most, v3_dot(out, v3_sub(v3_sub(p, c->center), from)));
		}
	return most;
}

static bool holds(const cn_convex *c, const v3 corners[3])
{
	for (int k = 0; k < 3; ++k)
		if (outside(c, corners[k]) > 1e-11)
			return false;
	return true;
}

/* Lines are made a little wider than they are, so not every corner of a leaf is one of the mesh. */
static bool is_point(v3 p)
{
	for (uint32_t i = 0; i < mesh.point_count; ++i)
		if (v3_distance(mesh.points[i], p) < 1e-12)
			return true;
	return false;
}

/* Every triangle is in some leaf, and every node holds its children. */
static void check_cover(const cn_hull_tree *tree)
{
	for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
		v3 corners[3];
		bool found = false;
		for (int k = 0; k < 3; ++k)
			corners[k] = mesh.points[mesh.triangles[3 * t + (uint32_t)k]];
		for (uint32_t i = 0; i < tree->node_count && !found; ++i)
			found = !tree->nodes[i].child && holds(&tree->nodes[i].convex, corners);
		CHECK(found);
		CHECK(holds(&tree->nodes[0].convex, corners));
	}
	for (uint32_t i = 0; i < tree->node_count; ++i)
		for (uint32_t k = 0; k < 2 && tree->nodes[i].child; ++k) {
			const cn_convex *c = &tree->nodes[tree->nodes[i].child + k].convex;
			CHECK(tree->nodes[i].child > i);
			for (uint32_t v = 0; v < c->core.vertex_count; ++v)
				CHECK(!is_point(v3_add(c->center, c->core.vertices[v])) ||
				      outside(&tree->nodes[i].convex, v3_add(c->center, c->core.vertices[v])) <= 1e-11);
		}
}

TEST(convex_solid_is_one_leaf)
{
	make_cube(false);
	cn_hull_tree tree = build(true);
	CHECK(tree.node_count == 1 && tree.leaf_count == 1 && tree.nodes[0].exact && !tree.nodes[0].flat);
	CHECK(tree.nodes[0].convex.core.vertex_count == 8);
	cn_hull_tree_free(&allocator, &tree);
	tree = build(false); /* what is inside a closed shell must not be taken for overlapping it */
	CHECK(tree.leaf_count == 6 && tree.nodes[0].exact);
	check_cover(&tree);
	cn_hull_tree_free(&allocator, &tree);
}

TEST(lid_is_false_and_walls_are_true)
{
	make_cube(true);
	cn_hull_tree tree = build(false);
	const cn_hull_node *root = &tree.nodes[0];
	uint32_t wrong = 0;
	CHECK(tree.leaf_count == 5 && !root->exact);
	for (uint32_t f = 0; f < root->convex.core.face_count; ++f)
		wrong += cn_hull_node_true(root, cn_feature_make(CN_FACE, f)) != !(root->convex.core.normals[f].z > 0.5);
	CHECK(wrong == 0 && root->convex.core.face_count == 6);
	for (uint32_t e = 0; e < root->convex.core.edge_count; ++e)
		CHECK(cn_hull_node_true(root, cn_feature_make(CN_EDGE, e)));
	check_cover(&tree);
	cn_hull_tree_free(&allocator, &tree);
}

TEST(flat_sheet_is_one_leaf_however_finely_it_is_cut)
{
	for (uint32_t cells = 1; cells <= 32; cells *= 4) {
		make_sheet(cells);
		cn_hull_tree tree = build(false);
		CHECK(tree.node_count == 1 && tree.nodes[0].flat && tree.nodes[0].exact);
		CHECK(tree.nodes[0].convex.core.vertex_count == 4);
		check_cover(&tree);
		cn_hull_tree_free(&allocator, &tree);
	}
}

TEST(nodes_cover_what_they_stand_for)
{
	make_torus(12, 8);
	cn_hull_tree tree = build(true);
	CHECK(tree.leaf_count <= 96 * 2 && tree.node_count == 2 * tree.leaf_count - 1);
	check_cover(&tree);
	cn_hull_tree_free(&allocator, &tree);
	uint64_t state = 7;
	for (int round = 0; round < 20; ++round) { /* triangles anywhere, some without area */
		mesh.point_count = mesh.triangle_count = 0;
		for (uint32_t i = 0; i < 30; ++i) {
			mesh.points[i] = random_in_cube(&state);
			if (i % 9 == 8)
				mesh.points[i] = v3_lerp(mesh.points[i - 1], mesh.points[i - 2], 0.3);
			if (i % 3 == 2)
				add_triangle(i - 2, i - 1, i);
		}
		mesh.point_count = 30;
		tree = build(false);
		CHECK(tree.leaf_count == 10);
		check_cover(&tree);
		cn_hull_tree_free(&allocator, &tree);
	}
}

TEST(ten_thousand_triangles)
{
	make_torus(100, TEST_FEW ? 10 : 50);
	cn_hull_tree tree = build(true);
	CHECK(tree.node_count == 2 * tree.leaf_count - 1);
	cn_hull_tree_free(&allocator, &tree);
}

TEST_MAIN(TEST_CASE(convex_solid_is_one_leaf), TEST_CASE(lid_is_false_and_walls_are_true),
          TEST_CASE(flat_sheet_is_one_leaf_however_finely_it_is_cut), TEST_CASE(nodes_cover_what_they_stand_for),
          TEST_CASE(ten_thousand_triangles))
