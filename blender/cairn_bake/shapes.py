"""What an object collides with, as a shape of cairn about the object's own origin.

Blender centres its primitives on the origin; here they stand where the object is seen, so that an origin at a corner, or
anywhere, changes nothing. Moving shapes are made smaller by a hair (Shape.shrink): objects that were placed face to face
overlap by the rounding of 32-bit numbers, and a scene that begins with an overlap is refused.
"""

import math

from . import turns

CONE_SIDES = 32
FLAT = 1e-5  # of its size: thinner than this is a sheet
SHEET = 0.01  # how thick a sheet is made that moves, of its size
CONVEX = 1e-5  # of its size: how far a point may stand off a face of a mesh that is taken for convex
CONVEX_WORK = 20_000_000  # points x triangles that are looked at for that


class Mesh:
    """Points and triangles of an object, in the frame of its origin and turn, scale and shear worked in."""

    def __init__(self, item, graph, rest, base=False):
        source = item if base else item.evaluated_get(graph)
        mesh = source.to_mesh()
        try:
            mesh.calc_loop_triangles()
            self.points = [turns.by(rest, tuple(v.co)) for v in mesh.vertices]
            self.triangles = [tuple(t.vertices) for t in mesh.loop_triangles]
        finally:
            source.to_mesh_clear()
        if turns.determinant(rest) < 0:
            self.triangles = [(a, c, b) for a, b, c in self.triangles]

    def box(self):
        low = tuple(min(p[i] for p in self.points) for i in range(3))
        high = tuple(max(p[i] for p in self.points) for i in range(3))
        return low, high

    def normal(self, triangle):
        a, b, c = (self.points[i] for i in triangle)
        return turns.cross(turns.sub(b, a), turns.sub(c, a))

    def sheet(self, size):
        """The unit normal of a mesh that lies in a plane, else None."""
        if not self.triangles:
            return None
        largest = max((self.normal(t) for t in self.triangles), key=turns.length)
        area = turns.length(largest)
        if not area:
            return None
        normal = turns.scaled(largest, 1 / area)
        heights = [turns.dot(normal, p) for p in self.points]
        return normal if max(heights) - min(heights) < FLAT * size else None

    def closed(self):
        """Whether every edge has two triangles that run through it in opposite ways, and the whole is one piece that faces out."""
        edges, root = set(), list(range(len(self.points)))

        def top(i):
            while root[i] != i:
                root[i] = root[root[i]]
                i = root[i]
            return i

        for triangle in self.triangles:
            for i in range(3):
                edge = (triangle[i], triangle[(i + 1) % 3])
                if edge in edges:
                    return False
                edges.add(edge)
                root[top(edge[0])] = top(edge[1])
        if any((b, a) not in edges for a, b in edges):
            return False
        pieces = {top(i) for t in self.triangles for i in t}
        volume = sum(turns.dot(self.points[a], turns.cross(self.points[b], self.points[c])) for a, b, c in self.triangles)
        return len(pieces) == 1 and volume > 0

    def convex(self, size):
        if not self.closed() or len(self.points) * len(self.triangles) > CONVEX_WORK:
            return False
        for triangle in self.triangles:
            normal = self.normal(triangle)
            area = turns.length(normal)
            if area == 0:
                continue
            reach = turns.dot(normal, self.points[triangle[0]]) + area * CONVEX * size
            if any(turns.dot(normal, p) > reach for p in self.points):
                return False
        return True

    def used(self):
        """Points that triangles use, and the triangles by their new numbers."""
        place, points = {}, []
        for triangle in self.triangles:
            for i in triangle:
                if i not in place:
                    place[i] = len(points)
                    points.append(self.points[i])
        return points, [tuple(place[i] for i in t) for t in self.triangles]


def part(shape, position):
    """A shape that does not stand on the origin."""
    if turns.length(position) == 0:
        return shape
    return {"compound": {"parts": [{"shape": shape, "position": list(position)}]}}


def shrunk(points, share):
    """Points nearer to their middle by a share of their distance."""
    centre = turns.scaled([sum(c) for c in zip(*points)], 1 / len(points))
    return [turns.add(centre, turns.scaled(turns.sub(p, centre), 1 - share)) for p in points]


def hull(points, share):
    return {"hull": {"points": [list(p) for p in sorted(set(shrunk(points, share)))]}}


def cone(radius, low, high):
    ring = [(2 * math.pi * i / CONE_SIDES) for i in range(CONE_SIDES)]
    return [(radius * math.cos(a), radius * math.sin(a), low) for a in ring] + [(0.0, 0.0, high)]


def primitive(kind, size, inset):
    """A primitive of the size of a box, about the box's centre, or None if there is no such kind."""
    radius = max(size[0], size[1]) / 2 - inset
    tall = size[2] - 2 * inset
    if kind == "BOX":
        return {"box": [c - 2 * inset for c in size]}
    if kind == "SPHERE" or (kind == "CAPSULE" and tall <= 2 * radius):
        return {"sphere": (max(size) / 2 if kind == "SPHERE" else max(size[0], size[1]) / 2) - inset}
    if kind == "CAPSULE":
        return {"capsule": {"radius": radius, "length": tall - 2 * radius}}
    if kind == "CYLINDER":
        return {"cylinder": {"radius": radius, "length": tall}}
    return None


def sheet_shape(mesh, normal, size, moves):
    if not moves:
        points, triangles = mesh.used()
        return {"mesh": {"points": points, "triangles": triangles, "kind": "shell"}}
    below = turns.scaled(normal, -SHEET * size)
    return hull(mesh.points + [turns.add(p, below) for p in mesh.points], 0)


def of_mesh(mesh, kind, moves, share, notes):
    """The shape of a mesh's kind of collision shape; notes gets what an artist should know of it."""
    if len(mesh.points) < 3 or not mesh.triangles:
        raise ValueError("has no faces to collide with")
    low, high = mesh.box()
    size = turns.sub(high, low)
    most = max(size)
    normal = mesh.sheet(most)
    if normal:
        if moves:
            notes.append(f"is flat and moves: it was given {SHEET * most:.3g} m of thickness below it")
        return sheet_shape(mesh, normal, most, moves)
    share = share if moves else 0
    middle = turns.scaled(turns.add(low, high), 0.5)
    if max(abs(c) for c in middle) < 1e-7 * most:
        middle = (0.0, 0.0, 0.0)
    shape = primitive(kind, size, share * min(size) / 2)
    if shape:
        return part(shape, middle)
    if kind == "CONE":
        radius = max(size[0], size[1]) / 2
        return hull([turns.add(p, middle) for p in cone(radius, -size[2] / 2, size[2] / 2)], share)
    if kind == "MESH" and not (moves and mesh.convex(most)):
        points, triangles = mesh.used()
        return {"mesh": {"points": shrunk(points, share), "triangles": triangles, "kind": "solid" if mesh.closed() else "shell"}}
    return hull(mesh.points, share)


def of_object(item, graph, moves, share, notes):
    """The collision shape of an object with rigid-body settings, in the frame of its place and turn."""
    placed = turns.Placed(item.matrix_world)
    if item.rigid_body.collision_shape == "COMPOUND":
        parts = []
        for child in item.children:
            if child.rigid_body is None:
                continue
            there = turns.Placed(child.matrix_world)
            back = turns.conjugate(placed.turn)
            parts.append({
                "shape": of_object(child, graph, moves, share, notes),
                "position": list(turns.turn(back, turns.sub(there.place, placed.place))),
                "orientation": list(turns.unit(turns.times(back, there.turn))),
            })
        if not parts:
            raise ValueError("is a compound parent without children that have rigid-body settings")
        return {"compound": {"parts": flat_parts(parts)}}
    base = item.rigid_body.mesh_source == "BASE"
    return of_mesh(Mesh(item, graph, placed.rest, base), item.rigid_body.collision_shape, moves, share, notes)


def flat_parts(parts):
    """Compounds hold no compounds: their parts stand in the outer one instead."""
    out = []
    for outer in parts:
        if "compound" not in outer["shape"]:
            out.append(outer)
            continue
        for inner in outer["shape"]["compound"]["parts"]:
            turn = tuple(outer.get("orientation", turns.IDENTITY))
            shift = turns.turn(turn, tuple(inner.get("position", (0.0, 0.0, 0.0))))
            out.append({
                "shape": inner["shape"],
                "position": list(turns.add(tuple(outer.get("position", (0.0, 0.0, 0.0))), shift)),
                "orientation": list(turns.unit(turns.times(turn, tuple(inner.get("orientation", turns.IDENTITY))))),
            })
    return out
