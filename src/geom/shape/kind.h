/* Kinds of shapes: one file and one row each. All that the library knows of a kind stands in its row, so nothing else asks
 * which kind a shape is, but for what is infinite (half-space), made of parts (compound) or of triangles (mesh).
 *
 * To add a convex kind: its name in cairn_shape_kind, NAME.c here with cn_kind_NAME, a row in CN_SHAPE_KINDS, its own
 * description for the independent check (check/solid.c), and its lines in the schema and in docs/scene-format.md. */
#ifndef CN_SHAPE_KIND_H
#define CN_SHAPE_KIND_H

#include "geom/convex.h"

/* KIND(name in cairn_shape_kind, name of the file and the row), in the order of cairn_shape_kind */
#define CN_SHAPE_KINDS(KIND)                                                                                           \
	KIND(SPHERE, sphere)                                                                                               \
	KIND(BOX, box)                                                                                                     \
	KIND(CAPSULE, capsule)                                                                                             \
	KIND(CYLINDER, cylinder)                                                                                           \
	KIND(HULL, hull)                                                                                                   \
	KIND(HALFSPACE, halfspace)                                                                                         \
	KIND(COMPOUND, compound)                                                                                           \
	KIND(MESH, mesh)                                                                                                   \
	KIND(HEIGHTFIELD, heightfield)

/* Making a shape: the def that was given, the shape that grows, and where the error goes. */
typedef struct cn_shape_making {
	const cairn_allocator *allocator;
	const cairn_shape_def *def;
	const cn_shape *shapes; /* that the parts of a compound may name */
	uint32_t shape_count;
	cn_shape *s; /* has its kind, name and own copies of the arrays it uses */
	cairn_error *error;
} cn_shape_making;

/* Drawing: the surface so far; its arrays have room for what was counted beforehand. */
enum { CN_CIRCLE_MAX = 128 };
typedef struct cn_circle {
	uint32_t n; /* segments, a multiple of four */
	double c[CN_CIRCLE_MAX], s[CN_CIRCLE_MAX];
} cn_circle;

typedef struct cn_drawing {
	cairn_surface *surface;
	uint32_t first; /* point of the part being drawn */
	pose placed;
	const cn_circle *circle;
	double halfspace; /* half the width of what is shown of one, m */
	const cairn_allocator *allocator;
} cn_drawing;

typedef enum cn_shape_arrays { CN_NO_ARRAYS = 0, CN_POINTS = 1, CN_TRIANGLES = 2, CN_PARTS = 4 } cn_shape_arrays;

struct cn_shape_kind {
	cairn_shape_kind_info info;
	cn_shape_form form;
	cn_shape_field fields[CN_SHAPE_FIELDS]; /* key NULL ends them */
	unsigned arrays;                        /* of the def that it uses: cn_shape_arrays */
	bool no_part;                           /* cannot be a part of a compound */
	/* Checks the def, fills in what the kind uses of it, the mass and, if it has no function for it, the box. NULL: the
	 * kind becomes another as it is added. */
	bool (*make)(const cn_shape_making *m);
	cairn_box (*box)(const cn_shape *s, pose p); /* of the shape at a pose */
	/* Radius of the smallest ball about a point (shape frame) that holds it: sums of positive terms only, so that the
	 * error is a few ulp of the result. NULL: infinite. */
	double (*radius)(const cn_shape *s, v3 center);
	/* The convex part: core, radius, half, center, normal, and as which kind queries take it (a polytope: CAIRN_HULL).
	 * NULL: it has none. False when memory ran out. */
	bool (*core)(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c);
	/* Points and triangles of its surface with n segments a circle; the surface itself. False when memory ran out. */
	bool (*count)(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
	              uint32_t *triangles);
	bool (*draw)(cn_drawing *d, const cn_shape *s);
	/* The outward normal at a point of the surface, of a triangle whose own normal is flat. NULL: the flat one. */
	v3 (*normal)(const cairn_shape_def *def, v3 p, v3 flat);
};

#define CN_SHAPE_KIND_ROW(ID, name) extern const cn_shape_kind cn_kind_##name;
CN_SHAPE_KINDS(CN_SHAPE_KIND_ROW)

/* Checks that kinds share; what: "radius", "edge along x". */
bool cn_check_length(cairn_error *error, const char *field, const char *what, double x);
bool cn_check_place(cairn_error *error, const char *field, const char *what, v3 v);
enum { CN_FIELD_SIZE = 40 };
/* "points[7]", "parts[2].shape" */
const char *cn_check_element(char field[CN_FIELD_SIZE], const char *array, uint32_t index, const char *member);
bool cn_check_points(const cn_shape_making *m);
bool cn_check_extent(const cn_shape_making *m); /* that not all points lie together; after the arrays are there */

/* The factor that makes a vector of this squared length a unit vector; exactly 1 when it is one up to 4 ulp, which a
 * scaled vector always is, so that scaling it again changes nothing. */
static inline double cn_unit_factor(double square)
{
	return fabs(square - 1) <= 8 * DBL_EPSILON ? 1 : 1 / sqrt(square);
}

/* Boxes. */
cairn_box cn_box_empty(void);
cairn_box cn_box_about(v3 center, v3 half);
void cn_box_add(cairn_box *box, v3 p);
double cn_box_extent(cairn_box box); /* its longest edge */

/* Drawing. Corners count from the part's first point. */
void cn_draw_point(cn_drawing *d, v3 p);
void cn_draw_triangle(cn_drawing *d, uint32_t a, uint32_t b, uint32_t c);
void cn_draw_ring(cn_drawing *d, double radius, double z);
/* The triangles of rings from the top down between two poles: the first point and the last. */
void cn_draw_lathe(cn_drawing *d, uint32_t rings);
/* Of a hull or mesh, those points that triangles name. */
bool cn_count_triangles(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
                        uint32_t *triangles);
bool cn_draw_triangles(cn_drawing *d, const cn_shape *s);

#endif
