"""Scenes: what there is at the start, by calls or from a file."""
from __future__ import annotations

import ctypes as c
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, NamedTuple, Optional, Sequence, Tuple, Union

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
MOTORS = ("none", "speed", "force", "servo", "keys")
EVENTS = ("impulse", "blast", "drive")
FIELDS = ("gravity", "attractor", "wind", "drag")


def choice(words: Sequence[str], word: str, what: str) -> int:
    if word not in words:
        raise n.CairnError("usage", f'unknown {what} "{word}": one of {", ".join(words)}')
    return words.index(word)


def choice_of(struct: c.Structure, key: str) -> str:
    """A field of a struct, so that a misspelt one is told."""
    known = [field[0] for field in struct._fields_]
    return known[choice(known, key, "value")]


def numbers(v: Vector, count: int) -> Tuple[float, ...]:
    try:
        listed = tuple(float(x) for x in v)
    except (TypeError, ValueError):
        listed = ()
    if len(listed) != count:
        raise ValueError(f"expected {count} numbers, found {v!r}")
    return listed


def vec3(v: Vector) -> n.Vec3:
    return n.Vec3(*numbers(v, 3))


def quat(q: Vector) -> n.Quat:
    return n.Quat(*numbers(q, 4))


def handle(h: Optional[Tuple[int, int]]) -> n.Handle:
    if isinstance(h, str):
        raise TypeError(f"expected a handle, found the text {h!r}: find({h!r}) gives the body of that name, find_shape a scene's shape")
    return n.Handle(*h) if h is not None else n.Handle(0, 0)


def rows(values: Any, columns: int, kind: Any = np.float64) -> npt.NDArray[Any]:
    """An array of so many columns that C can read as it is."""
    array = np.ascontiguousarray(values, dtype=kind)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"an array of {columns} columns is needed, not of shape {array.shape}")
    return array


def script(keys: Iterable[Tuple[float, Vector, Vector]]) -> Any:
    listed = [n.ScriptKey(t, n.Pose(vec3(p), quat(q))) for t, p, q in keys]
    return (n.ScriptKey * len(listed))(*listed)


def body_def(shape: Shape, position: Vector = (0, 0, 0), orientation: Vector = (1, 0, 0, 0), *, type: str = "dynamic", name: str = "",
             material: Optional[Material] = None, velocity: Vector = (0, 0, 0), spin: Vector = (0, 0, 0), mass: float = 0,
             density: float = 0, damping: Tuple[float, float] = (0, 0), group: int = 1, mask: int = 0xFFFFFFFF,
             color: Optional[Vector] = None, roughness: Optional[float] = None, visual: Optional[Shape] = None,
             keys: Iterable[Tuple[float, Vector, Vector]] = ()) -> n.BodyDef:
    d = n.lib.cairn_default_body_def()
    d.name, d.type, d.shape, d.material = name.encode(), choice(TYPES, type, "type"), handle(shape), handle(material)
    d.pose = n.Pose(vec3(position), quat(orientation))
    d.velocity, d.spin, d.mass, d.density = vec3(velocity), vec3(spin), mass, density
    d.linear_damping, d.angular_damping = damping
    d.group, d.mask = group, mask
    if color is not None:
        d.has_color, d.color = True, n.Color(*(float(x) for x in color))
    if roughness is not None:
        d.has_roughness, d.roughness = True, roughness
    if visual is not None:
        d.visual = handle(visual)
    listed = script(keys)
    d.keys, d.key_count = listed, len(listed)
    return d


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
             gap: float = 0, visual: bool = False, colors: Any = None, uvs: Any = None) -> Shape:
        """Triangles (three indices a row, counter-clockwise from outside) over points; solid, or a thin shell, which may
        have a thickness and a gap to keep (0: none, and what is usual). A visual one is only seen, and may have a colour
        (three columns) and texture coordinates (two) for each point."""
        p, t = rows(points, 3), rows(triangles, 3, np.uint32)
        more = {}
        for word, values, columns, kind in (("colors", colors, 3, np.float64), ("uvs", uvs, 2, np.float32)):
            if values is not None:
                array = rows(values, columns, kind)
                if len(array) != len(p):
                    raise ValueError(f"{len(array)} {word} for {len(p)} points")
                more[word] = array
        return self._shape("mesh", name, points=p.ctypes.data, point_count=len(p), triangles=t.ctypes.data,
                           triangle_count=len(t), shell=shell, thickness=thickness, gap=gap, visual=visual,
                           **{word: array.ctypes.data for word, array in more.items()})

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
                 kinetic_friction: Optional[float] = None, rolling: float = 0, color: Optional[Vector] = None,
                 roughness: Optional[float] = None) -> Material:
        """color (linear, 0 to 1) and roughness are those of its bodies that do not say them."""
        d = n.lib.cairn_default_material_def()
        if color is not None:
            d.has_color, d.color = True, n.Color(*(float(x) for x in color))
        if roughness is not None:
            d.has_roughness, d.roughness = True, roughness
        d.name, d.density, d.restitution, d.rolling = name.encode(), density, restitution, rolling
        d.static_friction = friction
        d.kinetic_friction = friction if kinetic_friction is None else kinetic_friction
        return Material(*self._add("material", d))

    def preset(self, name: str) -> Material:
        """A material that the library knows: wood, rubber, steel, ice."""
        d = n.lib.cairn_default_material_def()
        if not n.lib.cairn_material_preset(name.encode(), d):
            names, known = n.lib.cairn_material_preset_names(), []
            while names[len(known)]:
                known.append(names[len(known)].decode())
            raise n.CairnError("usage", f'there is no material "{name}"; presets are {", ".join(known)}')
        return Material(*self._add("material", d))

    def add_body(self, shape: Shape, position: Vector = (0, 0, 0), orientation: Vector = (1, 0, 0, 0), *,
                 type: str = "dynamic", name: str = "", material: Union[Material, str, None] = None,
                 velocity: Vector = (0, 0, 0), spin: Vector = (0, 0, 0), mass: float = 0, density: float = 0,
                 damping: Tuple[float, float] = (0, 0), group: int = 1, mask: int = 0xFFFFFFFF,
                 color: Optional[Vector] = None, roughness: Optional[float] = None, visual: Optional[Shape] = None,
                 keys: Iterable[Tuple[float, Vector, Vector]] = ()) -> Body:
        """Position and orientation (w, x, y, z) are of the shape's own frame. A material may be given by its name, as in
        scene files: one of the scene, or a preset. keys of a scripted body are (time, position, orientation). visual is a
        shape that is seen in place of the body's own."""
        if isinstance(material, str):
            material = self._material(material)
        return Body(*self._add("body", body_def(
            shape, position, orientation, type=type, name=name, material=material, velocity=velocity, spin=spin, mass=mass,
            density=density, damping=damping, group=group, mask=mask, color=color, roughness=roughness, visual=visual, keys=keys)))

    def _scene(self) -> Any:
        """The scene in which names are looked up."""
        return self._pointer

    def _material(self, name: str) -> Material:
        h = n.lib.cairn_scene_find_material(self._scene(), name.encode())
        return Material(h.index, h.generation) if h.generation else self.preset(name)

    def add_joint(self, type: str, a: Optional[Body], b: Optional[Body], point: Vector, *, name: str = "",
                  point_b: Vector = (0, 0, 0), axis: Vector = (0, 0, 1), limits: Optional[Tuple[float, float]] = None,
                  motor: str = "none", speed: float = 0, most: float = 0, target: float = 0,
                  stiffness: float = 0, damping: float = 0, break_force: float = float("inf"),
                  break_torque: float = float("inf"), collide: bool = False, over: Vector = (0, 0, 0),
                  over_b: Vector = (0, 0, 0), ratio: float = 1, frame: Vector = (1, 0, 0, 0),
                  axes: Sequence[Any] = (), turn: Vector = (0, 0, 0), keys: Sequence[Tuple[float, Any]] = ()) -> Joint:
        """type is ball, hinge, slider, weld, distance, pass, pulley or 6dof; None in place of a body is the world. In a world
        the points are where they are now. A ball with limits (0, angle) leans no further from ``axis``. A pulley's rope leaves
        its wheels at ``over`` and ``over_b``. ``axes`` of a 6dof has six things, along x, y, z and about them in the
        orientation ``frame``: "locked", "free" or (low, high). ``turn`` is the target of a ball's servo, a rotation vector.
        motor is none, speed, force, servo, or keys: a servo whose target goes through ``keys``, pairs of time and value
        (of a ball, a rotation vector)."""
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
        ball = type == "ball"
        listed = (n.TargetKey * len(keys))(*(n.TargetKey(float(t), 0.0, vec3(v)) if ball else n.TargetKey(float(t), float(v))
                                             for t, v in keys))
        d.keys, d.key_count = c.cast(listed, c.c_void_p), len(keys)
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
        """The value of an option, as set() takes it."""
        text = c.create_string_buffer(200)
        if not n.lib.cairn_scene_option(self._pointer, key.encode(), text, 200):
            raise n.CairnError("usage", f'there is no option "{key}"')
        return text.value.decode()

    @property
    def fps(self) -> float:
        """Frames a second."""
        return float(n.lib.cairn_scene_settings(self._pointer).fps)

    def _do(self, call: str, *arguments: Any) -> None:
        error = n.ErrorStruct()
        if not getattr(n.lib, f"cairn_scene_{call}")(self._pointer, *arguments, error):
            n.fail(error)

    def set_pair(self, a: Material, b: Material, *, friction: Optional[float] = None, kinetic_friction: Optional[float] = None,
                 restitution: Optional[float] = None, rolling: Optional[float] = None) -> None:
        """What holds between two materials; what is not given stays as it is. friction alone is the kinetic one too."""
        d = n.lib.cairn_scene_pair(self._pointer, handle(a), handle(b))
        d.a, d.b = handle(a), handle(b)
        if friction is not None:
            d.static_friction = d.kinetic_friction = friction
        if kinetic_friction is not None:
            d.kinetic_friction = kinetic_friction
        d.restitution = d.restitution if restitution is None else restitution
        d.rolling = d.rolling if rolling is None else rolling
        self._do("set_pair", d)

    def add_event(self, kind: str, frame: int, *, body: Optional[Body] = None, impulse: Vector = (0, 0, 0),
                  point: Optional[Vector] = None, speed: float = 0, joint: Optional[Joint] = None, motor: str = "none",
                  most: float = 0, target: float = 0, stiffness: float = 0, damping: float = 0, turn: Vector = (0, 0, 0)) -> None:
        """At a frame: an "impulse" (kg m/s) on a body, at a point of the world or at its centre; a "blast" of a speed from a
        point; or a "drive", which gives a joint another motor."""
        d = n.lib.cairn_default_event_def(choice(EVENTS, kind, "event"))
        d.frame, d.body, d.impulse, d.speed, d.joint = frame, handle(body), vec3(impulse), speed, handle(joint)
        if point is not None:
            d.has_point, d.point = True, vec3(point)
        d.motor, d.most, d.target = choice(MOTORS, motor, "motor"), most, target
        d.stiffness, d.damping, d.turn = stiffness, damping, vec3(turn)
        self._do("add_event", d)

    def add_field(self, kind: str, *, box: Optional[Tuple[Vector, Vector]] = None, **values: Any) -> None:
        """A field of force, in a box (least and greatest corner) or everywhere: "gravity" (acceleration), "attractor" (point,
        strength, softening), "wind" (velocity, air_density, coefficient) or "drag" (linear, angular)."""
        d = n.lib.cairn_default_field_def(choice(FIELDS, kind, "field"))
        if box is not None:
            d.has_box, d.box = True, n.Box(vec3(box[0]), vec3(box[1]))
        for key, value in values.items():
            setattr(d, choice_of(d, key), value if np.isscalar(value) else vec3(value))
        self._do("add_field", d)

    def add_emitter(self, name: str, bodies: Sequence[Dict[str, Any]], *, start: int = 0, every: int = 1, batches: int = 1,
                    choices: int = 1, jitter: Optional[Dict[str, Vector]] = None) -> None:
        """Bodies that appear during the run: each is a dict of what add_body takes. A batch appears at frame start and every
        so many frames after it, once its place is free. With choices, each body of a batch is one of so many that stand one after
        the other. jitter has position, rotation, velocity or spin: random offsets up to these."""
        d = n.lib.cairn_default_emitter_def()
        listed = (n.BodyDef * len(bodies))(*(body_def(**body) for body in bodies))
        d.name, d.bodies, d.body_count = name.encode(), listed, len(bodies)
        d.start, d.every, d.batches, d.choices = start, every, batches, choices
        for key, value in (jitter or {}).items():
            setattr(d.jitter, choice_of(d.jitter, key), vec3(value))
        self._do("add_emitter", d)

    def add_cold_volume(self, low: Vector, high: Vector) -> None:
        """With freeze="on" bodies freeze inside such boxes alone."""
        self._do("add_cold_volume", n.Box(vec3(low), vec3(high)))

    def decompose(self, points: Any, triangles: Any, name: str = "", *, concavity: float = 0.02, parts: int = 32,
                  vertices: int = 64) -> Shape:
        """A closed mesh as a union of convex hulls, which moves much faster than the mesh; its bodies show the mesh."""
        p, t, error = rows(points, 3), rows(triangles, 3, np.uint32), n.ErrorStruct()
        mesh = n.lib.cairn_default_shape_def(KINDS.index("mesh"))
        mesh.name, mesh.points, mesh.point_count = name.encode(), p.ctypes.data, len(p)
        mesh.triangles, mesh.triangle_count = t.ctypes.data, len(t)
        made = n.lib.cairn_scene_decompose(self._pointer, mesh, n.DecomposeDef(concavity, parts, vertices), error)
        if not made.generation:
            n.fail(error)
        return Shape(made.index, made.generation)

    def standoff(self, body: Body) -> Tuple[float, float]:
        """How far a body's shape reaches beyond what is seen of it, and what is seen beyond the shape, in metres."""
        found = n.Standoff()
        self._do("standoff", body.index, found)
        return found.shape_beyond, found.visual_beyond

    def set_camera(self, position: Vector, target: Vector, fov: float = 0.7, *, follow: Optional[Body] = None,
                   keys: Sequence[Tuple[float, Vector, Vector, float]] = ()) -> None:
        """For pictures and pages. keys are (time, position, target, fov): the camera moves through them."""
        d = n.lib.cairn_scene_view(self._pointer)
        d.has_camera, d.camera_position, d.camera_target, d.camera_fov = True, vec3(position), vec3(target), fov
        d.camera_follow = handle(follow)
        d.camera_keys = (n.CameraKey * len(keys))(*(n.CameraKey(float(t), vec3(p), vec3(q), float(f)) for t, p, q, f in keys))
        d.camera_key_count = len(keys)
        self._do("set_view", d)

    def set_light(self, direction: Vector, color: Vector = (1, 1, 1)) -> None:
        """The direction in which the light travels."""
        d = n.lib.cairn_scene_view(self._pointer)
        d.has_light, d.light_direction, d.light_color = True, vec3(direction), n.Color(*(float(x) for x in color))
        self._do("set_view", d)

    def __len__(self) -> int:
        """How many bodies it has."""
        return int(n.lib.cairn_scene_body_count(self._pointer))

    def find(self, name: str) -> Optional[Body]:
        """The body of a name; None: there is none."""
        h = n.lib.cairn_scene_find_body(self._pointer, name.encode())
        return Body(h.index, h.generation) if h.generation else None

    def find_shape(self, name: str) -> Optional[Shape]:
        """The shape of a name; None: there is none."""
        h = n.lib.cairn_scene_find_shape(self._pointer, name.encode())
        return Shape(h.index, h.generation) if h.generation else None

    def find_material(self, name: str) -> Optional[Material]:
        """The material of a name; None: there is none."""
        h = n.lib.cairn_scene_find_material(self._pointer, name.encode())
        return Material(h.index, h.generation) if h.generation else None

    def world(self, threads: int = 1, collide: Optional[Callable[["World", Body, Body], bool]] = None) -> "World":
        """A world at frame 0. It keeps its own copy of the scene. collide is asked once a pair of bodies, before they come
        near, whether they may touch; a no is recorded."""
        from ._world import World
        return World(self, threads, collide=collide)
