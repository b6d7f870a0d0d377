"""Vectors, quaternions (w, x, y, z) and 3 x 3 matrices as tuples of Python's numbers.

Blender's own types have 32 bits; what goes between a recording and keyframes is worked out with 64.
"""

import math

IDENTITY = (1.0, 0.0, 0.0, 0.0)


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scaled(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return math.sqrt(dot(a, a))


def unit(q):
    size = math.sqrt(sum(c * c for c in q))
    return tuple(c / size for c in q)


def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


def times(a, b):
    """The turn b, then the turn a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def turn(q, v):
    axis = q[1:]
    twice = scaled(cross(axis, v), 2.0)
    return add(v, add(scaled(twice, q[0]), cross(axis, twice)))


def from_vector(r):
    """The quaternion of a rotation vector, rad."""
    angle = length(r)
    if angle < 1e-12:
        return unit((1.0, r[0] / 2, r[1] / 2, r[2] / 2))
    s = math.sin(angle / 2) / angle
    return (math.cos(angle / 2), r[0] * s, r[1] * s, r[2] * s)


def by(matrix, v):
    """A 3 x 3 matrix, three rows, times a vector."""
    return tuple(dot(row, v) for row in matrix)


def determinant(m):
    return dot(m[0], cross(m[1], m[2]))


def inverse(m):
    a, b, c = cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])
    size = dot(m[0], a)
    return tuple((a[i] / size, b[i] / size, c[i] / size) for i in range(3))


def product(a, b):
    columns = tuple(zip(*b))
    return tuple(tuple(dot(row, column) for column in columns) for row in a)


def rows(q):
    """The matrix of a turn."""
    return tuple(zip(turn(q, (1.0, 0.0, 0.0)), turn(q, (0.0, 1.0, 0.0)), turn(q, (0.0, 0.0, 1.0))))


class Placed:
    """What a 4 x 4 matrix of Blender says: a place, a turn, and the rest (scale and shear) inside that turn."""

    def __init__(self, matrix):
        self.place = tuple(float(c) for c in matrix.to_translation())
        self.turn = unit(tuple(float(c) for c in matrix.decompose()[1]))
        self.linear = tuple(tuple(float(c) for c in row[:3]) for row in matrix[:3])
        self.rest = product(rows(conjugate(self.turn)), self.linear)

    def same(self, other, within=1e-6):
        size = 1 + max(abs(c) for c in self.place)
        mine = self.place + sum(self.linear, ())
        others = other.place + sum(other.linear, ())
        return all(abs(a - b) <= within * size for a, b in zip(mine, others))
