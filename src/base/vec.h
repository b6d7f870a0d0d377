/* Vectors, quaternions and 3x3 matrices in double. Every sum is written in one order and nothing is contracted
 * (-ffp-contract=off), so the bits are the same everywhere.
 *
 * Conventions: q turns body axes to world axes, x_world = q x q*. exp(r) is the turn about r by |r|, and
 * q1 = exp(r) q0 turns further about world axes. Matrices are row-major. */
#ifndef CN_VEC_H
#define CN_VEC_H

#include "base/base.h"
#include "base/trig.h"

#include <math.h>

typedef cairn_vec3 v3;
typedef cairn_quat quat;
typedef cairn_pose pose;
typedef struct m3 {
	double m[3][3];
} m3;

static inline v3 v3_make(double x, double y, double z) { return (v3){x, y, z}; }
static inline v3 v3_zero(void) { return (v3){0, 0, 0}; }
static inline v3 v3_add(v3 a, v3 b) { return (v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline v3 v3_sub(v3 a, v3 b) { return (v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline v3 v3_neg(v3 a) { return (v3){-a.x, -a.y, -a.z}; }
static inline v3 v3_scale(v3 a, double s) { return (v3){a.x * s, a.y * s, a.z * s}; }
static inline v3 v3_mul(v3 a, v3 b) { return (v3){a.x * b.x, a.y * b.y, a.z * b.z}; } /* componentwise */
static inline v3 v3_madd(v3 a, v3 b, double s) { return (v3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s}; }
static inline v3 v3_lerp(v3 a, v3 b, double t) { return v3_madd(a, v3_sub(b, a), t); }
static inline double v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 v3_cross(v3 a, v3 b)
{
	return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_length2(v3 a) { return v3_dot(a, a); }
static inline double v3_length(v3 a) { return sqrt(v3_dot(a, a)); }
static inline double v3_distance(v3 a, v3 b) { return v3_length(v3_sub(a, b)); }
static inline double v3_max(v3 a) { return a.x > a.y ? (a.x > a.z ? a.x : a.z) : (a.y > a.z ? a.y : a.z); }
static inline double v3_min(v3 a) { return a.x < a.y ? (a.x < a.z ? a.x : a.z) : (a.y < a.z ? a.y : a.z); }
static inline v3 v3_abs(v3 a) { return (v3){fabs(a.x), fabs(a.y), fabs(a.z)}; }
static inline v3 v3_least(v3 a, v3 b)
{
	return (v3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
static inline v3 v3_most(v3 a, v3 b)
{
	return (v3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
static inline double v3_at(v3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
static inline bool v3_finite(v3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
/* Unit vector along a; zero for zero. */
static inline v3 v3_unit(v3 a)
{
	double length = v3_length(a);
	return length > 0 ? v3_scale(a, 1 / length) : v3_zero();
}

static inline quat q_identity(void) { return (quat){1, 0, 0, 0}; }
static inline quat q_conj(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }
static inline quat q_neg(quat q) { return (quat){-q.w, -q.x, -q.y, -q.z}; }
static inline double q_dot(quat a, quat b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }
static inline quat q_mul(quat a, quat b)
{
	return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
	              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline quat q_unit(quat q)
{
	double s = 1 / sqrt(q_dot(q, q));
	return (quat){q.w * s, q.x * s, q.y * s, q.z * s};
}
static inline bool q_finite(quat q) { return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z); }
/* v turned by the unit quaternion q: v + 2 w (u x v) + 2 u x (u x v). */
static inline v3 q_rotate(quat q, v3 v)
{
	v3 u = {q.x, q.y, q.z}, t = v3_scale(v3_cross(u, v), 2);
	return v3_add(v3_madd(v, t, q.w), v3_cross(u, t));
}
static inline v3 q_unrotate(quat q, v3 v) { return q_rotate(q_conj(q), v); }
/* exp of a rotation vector. */
static inline quat q_exp(v3 r)
{
	double angle = v3_length(r), s, c;
	if (angle < 1e-9) /* sin(x/2)/x = 1/2 to double precision */
		return q_unit((quat){1, 0.5 * r.x, 0.5 * r.y, 0.5 * r.z});
	cn_sincos(0.5 * angle, &s, &c);
	s /= angle;
	return (quat){c, r.x * s, r.y * s, r.z * s};
}
/* The rotation vector of q, of length at most pi (errata 2: 2 atan2(|v|, w) v/|v|, with w < 0 flipped). */
static inline v3 q_log(quat q)
{
	if (q.w < 0)
		q = q_neg(q);
	v3 v = {q.x, q.y, q.z};
	double s = v3_length(v);
	return v3_scale(v, s < 1e-9 ? 2 : 2 * cn_atan2(s, q.w) / s);
}
/* The turn about world axes that takes q0 to q1: exp(q_turn(q0, q1)) q0 = +-q1. */
static inline v3 q_turn(quat q0, quat q1) { return q_log(q_mul(q1, q_conj(q0))); }

static inline m3 m3_diagonal(v3 d) { return (m3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}; }
static inline v3 m3_apply(m3 a, v3 v)
{
	return (v3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
	            a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
	            a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
/* The transpose of a, applied. */
static inline v3 m3_unapply(m3 a, v3 v)
{
	return (v3){a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
	            a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
	            a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}
static inline m3 m3_mul(m3 a, m3 b)
{
	m3 c;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
	return c;
}
static inline m3 m3_transpose(m3 a)
{
	return (m3){
		{{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
static inline m3 m3_add(m3 a, m3 b)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			a.m[i][j] += b.m[i][j];
	return a;
}
static inline m3 m3_scale(m3 a, double s)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			a.m[i][j] *= s;
	return a;
}
static inline m3 m3_from_q(quat q)
{
	double w = q.w, x = q.x, y = q.y, z = q.z;
	return (m3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
	             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
	             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

static inline pose pose_identity(void) { return (pose){{0, 0, 0}, {1, 0, 0, 0}}; }
static inline v3 pose_apply(pose p, v3 v) { return v3_add(p.position, q_rotate(p.orientation, v)); }
/* First b, then a. */
static inline pose pose_mul(pose a, pose b)
{
	return (pose){pose_apply(a, b.position), q_mul(a.orientation, b.orientation)};
}

#endif
