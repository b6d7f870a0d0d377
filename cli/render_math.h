/* Vectors, turns and matrices of the pictures. Matrices are of floats, column by column, as OpenGL takes them. */
#ifndef RENDER_MATH_H
#define RENDER_MATH_H

#include "cairn/cairn.h"

#include <math.h>

static inline cairn_vec3 vec(double x, double y, double z) { return (cairn_vec3){x, y, z}; }
static inline cairn_vec3 vec_add(cairn_vec3 a, cairn_vec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline cairn_vec3 vec_sub(cairn_vec3 a, cairn_vec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline cairn_vec3 vec_scale(double s, cairn_vec3 a) { return vec(s * a.x, s * a.y, s * a.z); }
static inline double vec_dot(cairn_vec3 a, cairn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec_length(cairn_vec3 a) { return sqrt(vec_dot(a, a)); }

static inline cairn_vec3 vec_cross(cairn_vec3 a, cairn_vec3 b)
{
	return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* The zero vector stays zero. */
static inline cairn_vec3 vec_unit(cairn_vec3 a)
{
	double length = vec_length(a);
	return length > 0 ? vec_scale(1 / length, a) : a;
}

/* Any unit vector across a unit vector. */
static inline cairn_vec3 vec_across(cairn_vec3 a)
{
	return vec_unit(vec_cross(a, fabs(a.z) < 0.9 ? vec(0, 0, 1) : vec(1, 0, 0)));
}

static inline cairn_vec3 quat_turn(cairn_quat q, cairn_vec3 v)
{
	cairn_vec3 u = vec(q.x, q.y, q.z), t = vec_scale(2, vec_cross(u, v));
	return vec_add(vec_add(v, vec_scale(q.w, t)), vec_cross(u, t));
}

static inline cairn_quat quat_conjugate(cairn_quat q) { return (cairn_quat){q.w, -q.x, -q.y, -q.z}; }

static inline cairn_quat quat_mul(cairn_quat a, cairn_quat b)
{
	return (cairn_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
	                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* Of a rotation vector. */
static inline cairn_quat quat_exp(cairn_vec3 turn)
{
	double angle = vec_length(turn), s = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
	return (cairn_quat){cos(angle / 2), s * turn.x, s * turn.y, s * turn.z};
}

typedef struct matrix {
	float m[16];
} matrix;

static inline matrix matrix_mul(const matrix *a, const matrix *b)
{
	matrix c;
	for (int column = 0; column < 4; ++column)
		for (int row = 0; row < 4; ++row) {
			float sum = 0;
			for (int k = 0; k < 4; ++k)
				sum += a->m[4 * k + row] * b->m[4 * column + k];
			c.m[4 * column + row] = sum;
		}
	return c;
}

/* From points about the origin to axes at a place: x right, y up, z toward the viewer. */
static inline matrix matrix_look(cairn_vec3 eye, cairn_vec3 right, cairn_vec3 up, cairn_vec3 back)
{
	return (matrix){{(float)right.x, (float)up.x, (float)back.x, 0, (float)right.y, (float)up.y, (float)back.y, 0,
	                 (float)right.z, (float)up.z, (float)back.z, 0, (float)-vec_dot(right, eye),
	                 (float)-vec_dot(up, eye), (float)-vec_dot(back, eye), 1}};
}

/* x and y are the tangents of the half angles of view. */
static inline matrix matrix_perspective(double x, double y, double near, double far)
{
	return (matrix){{(float)(1 / x), 0, 0, 0, 0, (float)(1 / y), 0, 0, 0, 0, (float)((far + near) / (near - far)), -1,
	                 0, 0, (float)(2 * far * near / (near - far)), 0}};
}

/* A box about the origin of the axes: x and y half widths, depths near to far along -z. */
static inline matrix matrix_parallel(double x, double y, double near, double far)
{
	return (matrix){{(float)(1 / x), 0, 0, 0, 0, (float)(1 / y), 0, 0, 0, 0, (float)(-2 / (far - near)), 0, 0, 0,
	                 (float)(-(far + near) / (far - near)), 1}};
}

#endif
