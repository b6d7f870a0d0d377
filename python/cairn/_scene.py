"""Scenes: what there is at the start, by calls or from a file."""
from __future__ import annotations

import ctypes as c
import os
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _native as n

if TYPE_CHECKING:
    from ._world import World

Vector = Union[Sequence[float], npt.NDArray[np.float64]]
FloatArray = npt.NDArray[np.float64]


class Body(NamedTuple):
    """A handle: the same in a scene and in every world made from it."""

    index: int
    generation: int


class Shape(NamedTuple):
    index: int
    generation: int


class Material(NamedTuple):
    index: int
    generation: int


class Joint(NamedTuple):
    index: int
    generation: int


TYPES = ("dynamic", "fixed", "scripted")
KINDS = ("sphere", "box", "capsule", "cylinder", "hull", "halfspace", "compound", "mesh", "heightfield")
JOINTS = ("ball", "hinge", "slider", "weld", "distance", "pass", "pulley", "gear", "6dof")
AXES = ("locked", "limited", "free")
MOTORS = ("none", "speed", "force", "servo")


def choice(words: Sequence[str], word: str, what: str) -> int:
    if word not in words:
        raise n.CairnError("usage", f'unknown {what} "{word}": one of {", ".join(words)}')
    return words.index(word)


def vec3(v: Vector) -> n.Vec3:
    x, y, z = v
    return n.Vec3(float(x), float(y), float(z))


def quat(q: Vector) -> n.Quat:
    w, x, y, z = q
    return n.Quat(float(w), float(x), float(y), float(z))


def handle(h: Optional[Tuple[int, int]]) -> n.Handle:
    return n.Handle(*h) if h is not None else n.Handle(0, 0)


def rows(values: Any, columns: int, kind: Any = np.float64) -> npt.NDArray[Any]:
    """An array of so many columns that C can read as it is."""
    array = np.ascontiguousarray(values, dtype=kind)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"an array of {columns} columns is needed, not of shape {array.shape}")
    return array


class Maker:
    """What scenes and worlds have in common: shapes, materials and bodies are added by the same calls."""

    _pointer: Any
    _kind: str

    def _add(self, what: str, definition: c.Structure) -> Tuple[int, int]:
        error = n.ErrorStruct()
        made = getattr(n.lib, f"cairn_{self._kind}_add_{what}")(self._pointer, definition, error)
        if not made.generation:
            n.fail(error)
        return made.index, made.generation

    def _shape(self, kind: str, name: str = "", **fields: Any) -> Shape:
        d = n.lib.cairn_default_shape_def(KINDS.index(kind))
        d.name = name.encode()
        for key, value in fields.items():
            setattr(d, key, value)
        return Shape(*self._add("shape", d))

    def sphere(self, radius: float, name: str = "") -> Shape:
        return self._shape("sphere", name, radius=radius)

    def box(self, x: float, y: float, z: float, name: str = "") -> Shape:
        """Full edge lengths."""
        return self._shape("box", name, size=n.Vec3(x, y, z))

    def capsule(self, radius: float, length: float, name: str = "") -> Shape:
        """Along z; the length is without the caps."""
        return self._shape("capsule", name, radius=radius, length=length)

    def cylinder(self, radius: float, length: float, name: str = "") -> Shape:
        """Along z."""
        return self._shape("cylinder", name, radius=radius, length=length)

    def halfspace(self, normal: Vector = (0, 0, 1), offset: float = 0, name: str = "") -> Shape:
        """Solid below the plane normal.x = offset; for fixed and scripted bodies."""
        return self._shape("halfspace", name, normal=vec3(normal), offset=offset)

    def hull(self, points: Any, name: str = "") -> Shape:
        """The convex hull of points, an array of three columns."""
        p = rows(points, 3)
        return self._shape("hull", name, points=p.ctypes.data, point_count=len(p))

    def mesh(self, points: Any, triangles: Any, shell: bool = False, name: str = "", thickness: float = 0,
             gap: float = 0) -> Shape:
        """Triangles (three indices a row, counter-clockwise from outside) over points; solid, or a thin shell, which may
        have a thickness and a gap to keep (0: none, and what is usual)."""
        p, t = rows(points, 3), rows(triangles, 3, np.uint32)
        return self._shape("mesh", name, points=p.ctypes.data, point_count=len(p), triangles=t.ctypes.data,
                           triangle_count=len(t), shell=shell, thickness=thickness, gap=gap)

    def heightfield(self, size: Tuple[float, float], heights: Any, name: str = "") -> Shape:
        """Heights over a grid about the origin: rows along y, columns along x."""
        h = np.ascontiguousarray(heights, dtype=np.float64)
        if h.ndim != 2:
            raise ValueError(f"heights need rows and columns, not shape {h.shape}")
        return self._shape("heightfield", name, size=n.Vec3(size[0], size[1], 0), heights=h.ctypes.data,
                           columns=h.shape[1], rows=h.shape[0])

    def compound(self, parts: Iterable[Tuple[Shape, Vector, Vector]], name: str = "") -> Shape:
        """Parts are (shape, position, orientation)."""
        listed = [n.Part(handle(s), n.Pose(vec3(p), quat(q))) for s, p, q in parts]
        array = (n.Part * len(listed))(*listed)
        return self._shape("compound", name, parts=array, part_count=len(listed))

    def material(self, name: str = "", density: float = 1000, restitution: float = 0, friction: float = 0.5,
                 kinetic_friction: Optional[float] = None, rolling: float = 0) -> Material:
        d = n.lib.cairn_default_material_def()
        d.name, d.density, d.restitution, d.rolling = name.encode(), density, restitution, rolling
        d.static_friction = friction
        d.kinetic_friction = friction if kinetic_friction is None else kinetic_friction
        return Material(*self._add("material", d))

    def preset(self, name: str) -> Material:
        """A material that the library knows: wood, rubber, steel, ice."""
        d = n.lib.cairn_default_material_def()
        if not n.lib.cairn_material_preset(name.encode(), d):
            raise n.CairnError("usage", f'there is no material "{name}"')
        return Material(*self._add("material", d))

    def add_body(self, shape: Shape, position: Vector = (0, 0, 0), orientation: Vector = (1, 0, 0, 0), *,
                 type: str = "dynamic", name: str = "", material: Optional[Material] = None,
                 velocity: Vector = (0, 0, 0), spin: Vector = (0, 0, 0), mass: float = 0, density: float = 0,
                 damping: Tuple[float, float] = (0, 0), group: int = 1, mask: int = 0xFFFFFFFF,
                 color: Optional[Vector] = None, keys: Iterable[Tuple[float, Vector, Vector]] = ()) -> Body:
        """Position and orientation (w, x, y, z) are of the shape's own frame. keys of a scripted body are (time, position,
        orientation)."""
        d = n.lib.cairn_default_body_def()
        d.name, d.type, d.shape, d.material = name.encode(), choice(TYPES, type, "type"), handle(shape), handle(material)
        d.pose = n.Pose(vec3(position), quat(orientation))
        d.velocity, d.spin, d.mass, d.density = vec3(velocity), vec3(spin), mass, density
        d.linear_damping, d.angular_damping = damping
        d.group, d.mask = group, mask
        if color is not None:
            d.has_color, d.color = True, n.Color(*(float(x) for x in color))
        listed = [n.ScriptKey(t, n.Pose(vec3(p), quat(q))) for t, p, q in keys]
        d.keys, d.key_count = (n.ScriptKey * len(listed))(*listed), len(listed)
        return Body(*self._add("body", d))

    def add_joint(self, type: str, a: Optional[Body], b: Optional[Body], point: Vector, *, name: str = "",
                  point_b: Vector = (0, 0, 0), axis: Vector = (0, 0, 1), limits: Optional[Tuple[float, float]] = None,
                  motor: str = "none", speed: float = 0, most: float = 0, target: float = 0,
                  stiffness: float = 0, damping: float = 0, break_force: float = float("inf"),
                  break_torque: float = float("inf"), collide: bool = False, over: Vector = (0, 0, 0),
                  over_b: Vector = (0, 0, 0), ratio: float = 1, frame: Vector = (1, 0, 0, 0),
                  axes: Sequence[Any] = (), turn: Vector = (0, 0, 0)) -> Joint:
        """type is ball, hinge, slider, weld, distance, pass, pulley or 6dof; None in place of a body is the world. In a world
        the points are where they are now. A ball with limits (0, angle) leans no further from ``axis``. A pulley's rope leaves
        its wheels at ``over`` and ``over_b``. ``axes`` of a 6dof has six things, along x, y, z and about them in the
        orientation ``frame``: "locked", "free" or (low, high). ``turn`` is the target of a ball's servo, a rotation vector."""
        d = n.lib.cairn_default_joint_def()
        d.name, d.type = name.encode(), choice(JOINTS, type, "joint")
        d.a, d.b, d.point, d.point_b, d.axis = handle(a), handle(b), vec3(point), vec3(point_b), vec3(axis)
        if limits is not None:
            d.has_limits, (d.low, d.high) = True, limits
        d.motor, d.speed, d.most = choice(MOTORS, motor, "motor"), speed, most
        d.target, d.stiffness, d.damping, d.turn = target, stiffness, damping, vec3(turn)
        d.break_force, d.break_torque, d.collide = break_force, break_torque, collide
        d.over, d.over_b, d.ratio, d.frame = vec3(over), vec3(over_b), ratio, quat(frame)
        for i, axis_i in enumerate(axes):
            kind, low, high = (axis_i, 0.0, 0.0) if isinstance(axis_i, str) else ("limited", *axis_i)
            d.axes[i] = n.Axis(choice(AXES, kind, "axis"), low, high)
        return Joint(*self._add("joint", d))

    def add_gear(self, joint: Joint, joint_b: Joint, ratio: float, *, name: str = "") -> Joint:
        """Two hinges or sliders move together: the value of joint is ratio times that of joint_b."""
        d = n.lib.cairn_default_joint_def()
        d.name, d.type, d.ratio = name.encode(), choice(JOINTS, "gear", "joint"), ratio
        d.joint, d.joint_b = handle(joint), handle(joint_b)
        return Joint(*self._add("joint", d))


class Scene(Maker):
    """A description; ``scene.world()`` makes what moves."""

    _kind = "scene"

    def __init__(self, *, gravity: Vector = (0, 0, -9.81), fps: float = 30, frames: int = 300, seed: int = 1,
                 name: str = "", method: str = "oba", **options: Any) -> None:
        """options are those of ``cairn run --set``: sleep="off", steps=2."""
        self._pointer = n.lib.cairn_scene_create(None)
        if not self._pointer:
            raise MemoryError
        s = n.lib.cairn_scene_settings(self._pointer)
        s.gravity, s.fps, s.frames, s.seed = vec3(gravity), fps, frames, seed
        s.name, s.method = name.encode(), method.encode()
        error = n.ErrorStruct()
        if not n.lib.cairn_scene_set_settings(self._pointer, s, error):
            n.fail(error)
        for key, value in options.items():
            self.set(key.replace("_", "-"), value)

    @classmethod
    def _own(cls, pointer: Any, error: n.ErrorStruct) -> "Scene":
        if not pointer:
            n.fail(error)
        scene = cls.__new__(cls)
        scene._pointer = pointer
        return scene

    @classmethod
    def read(cls, path: Union[str, "os.PathLike[str]"], *, trust: bool = False) -> "Scene":
        """A scene file. Includes and meshes lie in its folder or below it, unless trust."""
        d, error = n.lib.cairn_default_scene_def(), n.ErrorStruct()
        d.trust = trust
        return cls._own(n.lib.cairn_scene_read_file(os.fsencode(path), None, d, error), error)

    @classmethod
    def from_json(cls, text: str, name: str = "scene.json") -> "Scene":
        """The text of a scene file."""
        data, error = text.encode(), n.ErrorStruct()
        return cls._own(n.lib.cairn_scene_read_text(data, len(data), name.encode(), None, None, error), error)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            n.lib.cairn_scene_destroy(self._pointer)

    def set(self, key: str, value: Any) -> None:
        """A setting or option, as ``cairn run --set key=value``."""
        text = ("on" if value else "off") if isinstance(value, bool) else str(value)
        error = n.ErrorStruct()
        if not n.lib.cairn_scene_set_option(self._pointer, key.encode(), text.encode(), error):
            n.fail(error)

    def get(self, key: str) -> str:
        text = c.create_string_buffer(200)
        if not n.lib.cairn_scene_option(self._pointer, key.encode(), text, 200):
            raise n.CairnError("usage", f'there is no option "{key}"')
        return text.value.decode()

    @property
    def fps(self) -> float:
        return float(n.lib.cairn_scene_settings(self._pointer).fps)

    def __len__(self) -> int:
        """How many bodies it has."""
        return int(n.lib.cairn_scene_body_count(self._pointer))

    def find(self, name: str) -> Optional[Body]:
        h = n.lib.cairn_scene_find_body(self._pointer, name.encode())
        return Body(h.index, h.generation) if h.generation else None

    def find_shape(self, name: str) -> Optional[Shape]:
        h = n.lib.cairn_scene_find_shape(self._pointer, name.encode())
        return Shape(h.index, h.generation) if h.generation else None

    def find_material(self, name: str) -> Optional[Material]:
        h = n.lib.cairn_scene_find_material(self._pointer, name.encode())
        return Material(h.index, h.generation) if h.generation else None

    def world(self, threads: int = 1) -> "World":
        """A world at frame 0. It keeps its own copy of the scene."""
        from ._world import World
        return World(self, threads)
