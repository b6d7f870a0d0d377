/* A shape, checked and with everything about it that never changes: surface, box, mass properties at density 1. */
#ifndef CN_SHAPE_H
#define CN_SHAPE_H

#include "base/vec.h"

/* At density 1: kg/m^3 for solids, kg/m^2 for shells without thickness. */
typedef struct cn_mass {
	double volume; /* or area of a shell without thickness */
	v3 center;
	m3 inertia; /* about the centre */
} cn_mass;

/* How a scene file spells a kind: what stands behind its name. */
typedef enum cn_shape_form {
	CN_FORM_VALUE,  /* the value of its one field: "sphere": 0.5 */
	CN_FORM_FIELDS, /* an object of its fields: "capsule": {"radius": 0.1, "length": 1} */
	CN_FORM_PLANE,  /* the same, of something that has a place of its own */
	CN_FORM_HULL,   /* points, or a file of them */
	CN_FORM_MESH,   /* points and triangles, or a file of them */
	CN_FORM_HEIGHTS,
	CN_FORM_PARTS
} cn_shape_form;

enum { CN_SHAPE_FIELDS = 4 };
typedef enum cn_field_type { CN_FIELD_NUMBER, CN_FIELD_VECTOR } cn_field_type;
typedef struct cn_shape_field {
	const char *key;
	cn_field_type type;
	size_t offset; /* in cairn_shape_def */
	bool needed;
} cn_shape_field;

/* A kind of shapes: its row (geom/shape/kind.h). */
typedef struct cn_shape_kind cn_shape_kind;
const cn_shape_kind *cn_shape_kind_at(uint32_t kind); /* a cairn_shape_kind; NULL: there is none */
cn_shape_form cn_shape_kind_form(uint32_t kind);
const cn_shape_field *cn_shape_kind_field(uint32_t kind, uint32_t index); /* NULL past the end */
/* The outward normal at a point of the surface, of a triangle whose own normal is flat. */
v3 cn_shape_normal(const cairn_shape_def *def, v3 p, v3 flat);

typedef struct cn_shape {
	const cn_shape_kind *kind;
	cairn_shape_def
		def; /* own copies of name and arrays; points as given, so that reading it back gives the same bits */
	uint32_t *triangles; /* hull: its faces as triangles over def.points, outward; mesh: def's; else NULL */
	uint32_t triangle_count;
	cn_mass mass;             /* zero for a half-space */
	cairn_box box;            /* in the shape's frame; infinite for a half-space */
	struct cn_convex *convex; /* the part as queries take it (geom/convex.h); a mesh by its box; NULL for a compound */
	struct cn_tree *tree;     /* of a mesh, over its triangles; else NULL */
	uint32_t
		shown; /* shape + 1 that bodies of it show unless they have a visual of their own; 0: none. Bytes do not have it */
	double missed;              /* m: see cairn_shape_facts. Bytes do not have it */
	uint32_t dropped;           /* see cairn_shape_facts. Bytes do not have it */
	struct cn_hull_tree *hulls; /* of a mesh that a body which may move has (cn_shape_make_hulls); else NULL */
} cn_shape;

/* shapes are those that the parts of a compound name. On failure nothing is kept and the error's path names the field
 * ("radius", "points[7]", "parts[2].shape"). */
bool cn_shape_make(const cairn_allocator *allocator, const cairn_shape_def *def, const cn_shape *shapes,
                   uint32_t shape_count, cn_shape *out, cairn_error *error);
/* Makes the tree of hulls of every mesh among the parts of a shape that has none yet. False: memory ran out. */
bool cn_shape_make_hulls(const cairn_allocator *allocator, cn_shape *shapes, uint32_t shape);
/* A part of it is a shell with a thickness: bodies of it meet others by that tree even where they are fixed. */
bool cn_shape_thick(const cn_shape *shapes, uint32_t shape);
/* More nodes than these trees have beside their roots, however they are made. */
uint32_t cn_shape_nodes_max(const cn_shape *shapes, uint32_t shape);
/* The node of this number, counted over these trees in the order of the parts without their roots, and the part it is of.
 * NULL: there are fewer, or no trees yet. */
const struct cn_hull_node *cn_shape_node(const cn_shape *shapes, uint32_t shape, uint32_t number, cairn_part *part);
void cn_shape_free(const cairn_allocator *allocator, cn_shape *shape);

/* Radius of the smallest ball about center (shape frame) that holds the shape, exact up to rounding and never too
 * small; infinite for a half-space. */
double cn_shape_radius(const cn_shape *shapes, uint32_t shape, v3 center);

/* The parts a shape is made of, itself where it is no compound: shape index and pose in the shape's frame. */
uint32_t cn_shape_part_count(const cn_shape *shapes, uint32_t shape);
cairn_part cn_shape_part(const cn_shape *shapes, uint32_t shape, uint32_t part);

/* The triangle of this number, counted over all meshes among the parts in their order, and the part it is of. False:
 * there are fewer. */
bool cn_shape_triangle(const cn_shape *shapes, uint32_t shape, uint32_t number, cairn_part *part, uint32_t *triangle);

/* Triangles for drawing: see cairn_scene_surface. */
typedef struct cn_surface_options {
	double tolerance; /* m */
	double halfspace; /* m: half the width at which a half-space is cut off */
} cn_surface_options;
bool cn_shape_surface(const cn_shape *shapes, uint32_t shape, const cn_surface_options *options,
                      const cairn_allocator *allocator, cairn_surface *surface, cairn_error *error);

#endif
