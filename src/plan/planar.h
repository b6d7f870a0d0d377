/* A figure in a plane, in the coordinates of its joints. Directions of the plane: x across gravity, z against it. Centres
 * of mass are its points; angles are 0 at the scene's start. */
#ifndef CN_PLANAR_H
#define CN_PLANAR_H

#include "scene/scene.h"

enum { CN_PLANAR_MAX = 24, CN_PLANAR_NONE = 0xFFFFFFFFu }; /* links */

typedef struct p2 {
	double x, z;
} p2;

static inline p2 p2_add(p2 a, p2 b) { return (p2){a.x + b.x, a.z + b.z}; }
static inline p2 p2_sub(p2 a, p2 b) { return (p2){a.x - b.x, a.z - b.z}; }
static inline p2 p2_scale(p2 a, double s) { return (p2){a.x * s, a.z * s}; }
static inline double p2_dot(p2 a, p2 b) { return a.x * b.x + a.z * b.z; }
static inline p2 p2_perp(p2 a) { return (p2){-a.z, a.x}; } /* turned by a right angle, the way angles count */
static inline p2 p2_turn(p2 a, double c, double s) { return (p2){c * a.x - s * a.z, s * a.x + c * a.z}; }

typedef enum cn_planar_kind { CN_PLANAR_FREE, CN_PLANAR_HINGE, CN_PLANAR_SLIDER, CN_PLANAR_WELD } cn_planar_kind;

typedef struct cn_planar_link {
	cn_planar_kind kind;
	uint32_t body, joint, parent; /* CN_PLANAR_NONE: none; a parent that is none is the world */
	double mass, inertia;
	p2 at;              /* centre at the start */
	p2 arm_parent, arm; /* from the parent's centre (the world's origin) and from its own to the joint, at angle 0 */
	p2 slide;           /* of a slider: unit, at the parent's angle 0 */
	double sign;        /* of the joint's own value by its coordinate */
	uint32_t rate, rates;
} cn_planar_link;

typedef struct cn_planar {
	const cairn_scene *scene;
	cn_planar_link links[CN_PLANAR_MAX];
	uint32_t count, rates;
	v3 right, up, axis;
	p2 gravity;
	double mass, size; /* all; m: the figure's own extent */
} cn_planar;

/* Where the links are at some coordinates. */
typedef struct cn_planar_state {
	p2 x[CN_PLANAR_MAX], joint[CN_PLANAR_MAX], slide[CN_PLANAR_MAX];
	double angle[CN_PLANAR_MAX], c[CN_PLANAR_MAX], s[CN_PLANAR_MAX];
} cn_planar_state;

/* The figure that a body is of. False: the error says why. */
bool cn_planar_make(cn_planar *f, const cairn_scene *scene, cairn_body body, cairn_error *error);
void cn_planar_start(const cn_planar *f, double *place);
void cn_planar_put(const cn_planar *f, const double *place, cn_planar_state *out);
uint32_t cn_planar_link_of(const cn_planar *f, uint32_t body); /* CN_PLANAR_NONE: it is of another */
/* Of a point carried by a link: how it moves with coordinate r, 0 where it does not; and what angle goes with it. */
p2 cn_planar_column(const cn_planar *f, const cn_planar_state *s, uint32_t link, p2 point, uint32_t r, double *turn);
/* The second derivative of that point by coordinates r and q. */
p2 cn_planar_bend(const cn_planar *f, const cn_planar_state *s, uint32_t link, p2 point, uint32_t r, uint32_t q);

static inline p2 cn_planar_flat(const cn_planar *f, v3 v) { return (p2){v3_dot(v, f->right), v3_dot(v, f->up)}; }
/* A point of a body's own frame: where it is. */
p2 cn_planar_point(const cn_planar *f, const cn_planar_state *s, uint32_t link, v3 point);
pose cn_planar_pose(const cn_planar *f, const cn_planar_state *s, uint32_t link);

#endif
