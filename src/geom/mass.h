/* Mass properties: closed forms for primitives, integrals over the surface for meshes (RBS 3.2, errata 19). */
#ifndef CN_MASS_H
#define CN_MASS_H

#include "geom/shape.h"

cn_mass cn_mass_sphere(double radius);
cn_mass cn_mass_box(v3 size);
cn_mass cn_mass_capsule(double radius, double length);
cn_mass cn_mass_cylinder(double radius, double length);
cn_mass cn_mass_solid(const v3 *points, const uint32_t *triangles, uint32_t triangle_count); /* closed surface */
cn_mass cn_mass_skin(const v3 *points, const uint32_t *triangles, uint32_t triangle_count);  /* any surface */
/* sum += part placed at pose; sums of volume, centre and inertia about the common centre. Where parts overlap both
 * count. A sum of volume 0 is the empty one. */
cn_mass cn_mass_combine(cn_mass sum, cn_mass part, pose placed);

/* An edge (a, b) of a mesh that has not exactly one triangle on each side; false if the mesh is closed. True with
 * memory->code CAIRN_MEMORY when memory ran out and nothing is known; the code is CAIRN_OK otherwise. */
bool cn_mesh_open_edge(const cairn_allocator *allocator, const uint32_t *triangles, uint32_t triangle_count,
                       uint32_t *a, uint32_t *b, cairn_error *memory);

/* Principal moments (ascending is not promised) and axes: inertia = R diag(moments) R', R = m3_from_q(axes). The
 * identity is kept when the matrix is diagonal already. Jacobi rotations from + - * / sqrt. */
void cn_principal(m3 inertia, v3 *moments, quat *axes);

/* NULL if the moments of a real body: positive, and each at most the sum of the others (tolerance.h); else what is
 * wrong, in words. symmetric matrix expected. */
const char *cn_inertia_fault(m3 inertia);

#endif
