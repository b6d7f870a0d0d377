"""Worlds: what moves. Arrays are written by the library into numpy's own memory; nothing is copied."""
from __future__ import annotations

import ctypes as c
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _native as n
from ._scene import (MOTORS, TYPES, Body, FloatArray, Joint, Maker, Material, Scene, Shape, Vector, choice, handle, quat, rows, script,
                     vec3)

_handle = [("index", np.uint32), ("generation", np.uint32)]
_v3 = (np.float64, 3)
CONTACT = np.dtype([("a", _handle), ("b", _handle), ("point", *_v3), ("normal", *_v3), ("gap", np.float64),
                    ("impulse", *_v3), ("sliding", np.bool_)], align=True)
IMPACT = np.dtype([("a", _handle), ("b", _handle), ("time", np.float64), ("point", *_v3), ("normal", *_v3),
                   ("impulse", *_v3)], align=True)
HIT = np.dtype([("body", _handle), ("part", np.uint32), ("triangle", np.uint32), ("share", np.float64), ("point", *_v3),
                ("normal", *_v3)], align=True)
TOUCH = np.dtype([("kind", np.uint32), ("a", _handle), ("b", _handle), ("first", np.uint32), ("points", np.uint32),
                  ("time", np.float64), ("point", *_v3), ("impulse", *_v3)], align=True)
HANDLE = np.dtype(_handle, align=True)
TOUCHES = ("begin", "persist", "end", "hit")
VISIT = np.dtype([("kind", np.uint32), ("body", _handle)], align=True)
MARK = np.dtype([("kind", np.uint32), ("from", *_v3), ("to", *_v3), ("color", *_v3), ("a", _handle), ("b", _handle)], align=True)
VISITS = ("begin", "persist", "end")
MARKS = ("box", "center", "axis", "contact", "normal", "impulse", "joint", "hinge", "gap")


class BodyInfo(NamedTuple):
    name: str
    type: str
    serial: int
    shape: Shape
    material: Optional[Material]
    mass: float
    center: Tuple[float, float, float]
    inertia: FloatArray
    radius: float
    group: int
    mask: int


class StepError(n.CairnError):
    """A step was refused, and nothing moved. ``report`` is the step's."""

    def __init__(self, message: str, report: n.StepReport) -> None:
        super().__init__("failed", message)
        self.report = report


def info_of(i: n.BodyInfo) -> BodyInfo:
    material = Material(i.material.index, i.material.generation) if i.material.generation else None
    return BodyInfo(i.name.decode(), TYPES[i.type], i.serial, Shape(i.shape.index, i.shape.generation), material, i.mass,
                    (i.center.x, i.center.y, i.center.z), np.array(i.inertia).reshape(3, 3), i.radius, i.group, i.mask)


def _room(out: Optional[FloatArray], count: int, columns: int) -> FloatArray:
    if out is None:
        return np.empty((count, columns))
    if out.dtype != np.float64 or out.shape != (count, columns) or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"out must be a writeable C-contiguous float64 array of shape {(count, columns)}")
    return out


class World(Maker):
    """The state of a simulation. Calls that change it are inputs: recordings keep them, snapshots carry them."""

    _kind = "world"

    def __init__(self, scene: Optional[Scene], threads: int = 1, _pointer: Any = None,
                 collide: Optional[Callable[[World, Body, Body], bool]] = None) -> None:
        """collide is asked once a pair of bodies, before they come near, whether they may touch; a no is recorded."""
        error = n.ErrorStruct()
        self._pointer, self._collide, self._bytes = None, n.FILTER(), np.empty(0, np.uint8)
        if _pointer is None:
            assert scene is not None
            d = n.lib.cairn_default_world_def()
            d.threads = threads
            if collide is not None:
                self._collide = n.FILTER(lambda _, __, a, b: collide(
                    self, Body(a.index, a.generation), Body(b.index, b.generation)))
                d.filter.collide = self._collide
            _pointer = n.lib.cairn_world_create(scene._pointer, d, error)
            if not _pointer:
                n.fail(error)
        self._pointer = _pointer
        self._error = error

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            n.lib.cairn_world_destroy(self._pointer)

    def _do(self, ok: bool, error: n.ErrorStruct) -> None:
        if not ok:
            n.fail(error)

    # ---- time

    def set_fps(self, fps: float) -> None:
        """Frames a second from the next step on."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_fps(self._pointer, fps, e), e)

    def step(self) -> n.StepReport:
        """One frame forward. StepError when it is refused."""
        report = n.lib.cairn_world_step(self._pointer)
        if report.status:
            text = c.create_string_buffer(300)
            n.lib.cairn_world_explain(self._pointer, report, text, 300)
            raise StepError(text.value.decode(), report)
        return report  # type: ignore[no-any-return]

    def run(self, frames: int) -> n.StepReport:
        """So many frames; the report is the last one's."""
        if frames < 1:
            raise ValueError("at least one frame")
        for _ in range(frames):
            report = self.step()
        return report

    @property
    def frame(self) -> int:
        """How many frames it has stepped."""
        return int(n.lib.cairn_world_frame(self._pointer))

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return float(n.lib.cairn_world_time(self._pointer))

    @property
    def hash(self) -> int:
        """Of the state: the same on every machine."""
        return int(n.lib.cairn_world_hash(self._pointer))

    # ---- bodies

    def __len__(self) -> int:
        return int(n.lib.cairn_world_body_count(self._pointer))

    def bodies(self) -> List[Body]:
        """All handles, in the order of poses() and velocities()."""
        found = np.empty(len(self), HANDLE)
        n.lib.cairn_world_bodies(self._pointer, found.ctypes.data, len(found))
        return [Body(int(i), int(g)) for i, g in found]

    def poses(self, out: Optional[FloatArray] = None) -> FloatArray:
        """(bodies, 7): x, y, z, qw, qx, qy, qz of the shapes' own frames."""
        array = _room(out, n.lib.cairn_world_body_count(self._pointer), 7)
        n.lib.cairn_world_poses(self._pointer, array.ctypes.data, len(array))
        return array

    def velocities(self, out: Optional[FloatArray] = None) -> FloatArray:
        """(bodies, 6): velocity of the centre of mass, spin; world axes."""
        array = _room(out, n.lib.cairn_world_body_count(self._pointer), 6)
        n.lib.cairn_world_velocities(self._pointer, array.ctypes.data, len(array))
        return array

    def find(self, name: str) -> Optional[Body]:
        """The body of a name; None: there is none."""
        h = n.lib.cairn_world_find_body(self._pointer, name.encode())
        return Body(h.index, h.generation) if h.generation else None

    def has(self, body: Body) -> bool:
        """Whether that body is there: it is not once it was removed."""
        return bool(n.lib.cairn_world_has_body(self._pointer, handle(body)))

    def _scene(self) -> Any:
        return n.lib.cairn_world_scene(self._pointer)

    def _there(self, body: Optional[Body]) -> n.Handle:
        if body is None or not self.has(body):
            raise n.CairnError("invalid", "no such body: it was removed, or the handle is of another world", "body")
        return handle(body)

    def info(self, body: Body) -> BodyInfo:
        """Name, type, serial, shape, material, mass, center, inertia, radius, group and mask of a body."""
        return info_of(n.lib.cairn_world_body_info(self._pointer, self._there(body)))

    def pose(self, body: Body) -> FloatArray:
        """x, y, z, qw, qx, qy, qz of one body."""
        p = n.lib.cairn_world_body_pose(self._pointer, self._there(body))
        return np.frombuffer(p, np.float64)

    def velocity(self, body: Body) -> FloatArray:
        """Velocity and spin of one body."""
        k = n.lib.cairn_world_body_key(self._pointer, self._there(body))
        return np.array([k.velocity.x, k.velocity.y, k.velocity.z, k.spin.x, k.spin.y, k.spin.z])

    def asleep(self, body: Body) -> bool:
        """Whether the body rests and is not stepped until something moves it."""
        return bool(n.lib.cairn_world_body_asleep(self._pointer, self._there(body)))

    def gap(self, a: Body, b: Body) -> float:
        """How far two bodies are apart, in metres; negative: how deep they overlap."""
        gap = n.Gap()
        if not n.lib.cairn_world_gap(self._pointer, handle(a), handle(b), gap):
            raise n.CairnError("invalid", "there is no gap between these: one is gone, or both are half-spaces")
        return float(gap.gap)

    def joint(self, joint: Joint) -> Dict[str, float]:
        """position and speed along or about its axis; error, how far it is off (m); force, torque, what it took; broken."""
        s = n.lib.cairn_world_joint(self._pointer, handle(joint))
        return {name: getattr(s, name) for name, _ in n.JointState._fields_}

    def _records(self, call: Any, kind: np.dtype[Any]) -> npt.NDArray[Any]:
        count = call(self._pointer, None, 0)
        array = np.zeros(count, kind)
        call(self._pointer, array.ctypes.data, count)
        return array

    def contacts(self) -> npt.NDArray[Any]:
        """Who holds whom now: an array with fields a, b, point, normal, gap, impulse, sliding."""
        return self._records(n.lib.cairn_world_contacts, CONTACT)

    def impacts(self) -> npt.NDArray[Any]:
        """What hit what in the last step: fields a, b, time, point, normal, impulse."""
        return self._records(n.lib.cairn_world_impacts, IMPACT)

    # ---- inputs

    def remove(self, body: Body) -> None:
        """Takes a body away; joints that held it are broken."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_remove_body(self._pointer, handle(body), e), e)

    def push(self, body: Body, force: Vector, torque: Vector = (0, 0, 0)) -> None:
        """A force at the centre of mass and a torque, for the next step."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_push(self._pointer, handle(body), vec3(force), vec3(torque), e), e)

    def impulse(self, body: Body, impulse: Vector, point: Optional[Vector] = None) -> None:
        """A blow, in N s, at a point of the world or at the centre of mass."""
        d, e = n.lib.cairn_default_event_def(0), n.ErrorStruct()
        d.body, d.impulse = handle(body), vec3(impulse)
        if point is not None:
            d.has_point, d.point = True, vec3(point)
        self._do(n.lib.cairn_world_apply_event(self._pointer, d, e), e)

    def blast(self, point: Vector, speed: float) -> None:
        """Throws all bodies away from a point, by speed (m/s) / max(1, distance squared)."""
        d, e = n.lib.cairn_default_event_def(1), n.ErrorStruct()
        d.point, d.speed = vec3(point), speed
        self._do(n.lib.cairn_world_apply_event(self._pointer, d, e), e)

    def set_velocity(self, body: Body, velocity: Vector, spin: Vector = (0, 0, 0)) -> None:
        """Velocity of the centre of mass (m/s) and spin (rad/s, world axes) of a dynamic body."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_velocity(self._pointer, handle(body), vec3(velocity), vec3(spin), e), e)

    def set_damping(self, body: Body, linear: float, angular: float) -> None:
        """How fast velocity and spin decay, in 1/s; 0: not at all."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_damping(self._pointer, handle(body), linear, angular, e), e)

    def set_material(self, body: Body, material: Optional[Material]) -> None:
        """Another material of this world for one body; None: the default one."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_body_material(self._pointer, handle(body), handle(material), e), e)

    def set_pose(self, body: Body, position: Vector, orientation: Sequence[float] = (1, 0, 0, 0)) -> None:
        """Puts a body elsewhere, and with it what joints hold to it. CairnError where it would overlap another one."""
        e, pose = n.ErrorStruct(), n.Pose(vec3(position), quat(orientation))
        self._do(n.lib.cairn_world_set_pose(self._pointer, handle(body), pose, e), e)

    def set_mass(self, body: Body, mass: float) -> None:
        """In kg; the inertia grows in the same ratio."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_mass(self._pointer, handle(body), mass, e), e)

    def set_shape(self, body: Body, shape: Shape) -> None:
        """Another shape; the mass stays, spread evenly. CairnError where it would overlap another body."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_shape(self._pointer, handle(body), handle(shape), e), e)

    def set_filter(self, body: Body, group: int, mask: int) -> None:
        """Two bodies collide if the group of each is in the mask of the other. CairnError where two then overlap."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_filter(self._pointer, handle(body), group, mask, e), e)

    def set_type(self, body: Body, type: str) -> None:
        """dynamic, fixed or scripted."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_type(self._pointer, handle(body), choice(TYPES, type, "type"), e), e)

    def set_gravity_scale(self, body: Body, scale: float) -> None:
        """How strongly gravity pulls: 0 it floats, 1 as all others, negative it rises."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_gravity_scale(self._pointer, handle(body), scale, e), e)

    def marks(self, kinds: Sequence[str] = MARKS, length: float = 0.2, seconds: float = 0.1) -> npt.NDArray[Any]:
        """Lines to draw: fields kind (an index into cairn.MARKS), from, to, color, a, b."""
        d = n.lib.cairn_default_marks_def()
        d.kinds, d.length, d.seconds = sum(1 << MARKS.index(kind) for kind in kinds), length, seconds
        found = np.zeros(n.lib.cairn_world_marks(self._pointer, d, None, 0), MARK)
        n.lib.cairn_world_marks(self._pointer, d, found.ctypes.data, len(found))
        return found

    def remove_joint(self, joint: Joint) -> None:
        """Lets go of what a joint holds."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_remove_joint(self._pointer, handle(joint), e), e)

    def set_script(self, body: Body, keys: Iterable[Tuple[float, Vector, Vector]]) -> None:
        """Where a scripted body goes from now on: (time, position, orientation) as in add_body, with times after now."""
        e, listed = n.ErrorStruct(), script(keys)
        self._do(n.lib.cairn_world_set_script(self._pointer, handle(body), listed, len(listed), e), e)

    def set_gravity(self, gravity: Vector) -> None:
        """In m/s^2; all that sleep wake."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_set_gravity(self._pointer, vec3(gravity), e), e)

    def set_motor(self, joint: Joint, motor: str, speed: float, most: float) -> None:
        """"speed" (m/s or rad/s, with at most so many N or N m), "force" (N or N m), or "none"."""
        e = n.ErrorStruct()
        kind = choice(MOTORS, motor, "motor")
        self._do(n.lib.cairn_world_set_motor(self._pointer, handle(joint), kind, speed, most, e), e)

    def set_servo(self, joint: Joint, target: float, stiffness: float, damping: float, most: float,
                  speed: float = 0, turn: Vector = (0, 0, 0)) -> None:
        """Pushes with stiffness (target - value) + damping (speed - rate), up to most; in place of any motor. A ball has a
        ``turn``, a rotation vector, in place of target and speed."""
        e = n.ErrorStruct()
        servo = n.Servo(target, speed, stiffness, damping, most, vec3(turn))
        self._do(n.lib.cairn_world_set_servo(self._pointer, handle(joint), servo, e), e)

    def drag(self, body: Body, target: Vector, anchor: Vector = (0, 0, 0), frequency: float = 2) -> None:
        """A spring from the anchor (shape's frame) to the target (world), until release()."""
        e = n.ErrorStruct()
        d = n.DragDef(handle(body), vec3(anchor), vec3(target), frequency)
        self._do(n.lib.cairn_world_drag(self._pointer, d, e), e)

    def release(self, body: Body) -> None:
        """Ends a drag."""
        e = n.ErrorStruct()
        self._do(n.lib.cairn_world_release(self._pointer, handle(body), e), e)

    # ---- snapshots, queries, events

    def snapshot(self) -> bytes:
        """The whole state, the same bytes on every machine."""
        size = n.lib.cairn_world_snapshot_size(self._pointer)
        if len(self._bytes) < size:  # kept: fresh memory of this size costs more than the snapshot
            self._bytes = np.empty(size + size // 2, np.uint8)
        data, e = self._bytes[:size], n.ErrorStruct()
        self._do(size > 0 and n.lib.cairn_world_snapshot(self._pointer, data.ctypes.data, size, e), e)
        return data.tobytes()

    def restore(self, snapshot: Union[bytes, bytearray]) -> None:
        """To a state of a world of the same scene."""
        e = n.ErrorStruct()
        data = np.frombuffer(snapshot, np.uint8)
        self._do(n.lib.cairn_world_restore(self._pointer, data.ctypes.data, len(data), e), e)

    def space(self) -> "Space":
        """Where bodies are now, for rays, casts and overlaps."""
        return Space(self)

    def watch(self) -> "Watch":
        """What begins to touch, and what ends."""
        return Watch(self)


def _query(group: int, mask: int, exclude: Optional[Body]) -> n.Query:
    return n.Query(group, mask, handle(exclude))


class Space:
    """Where all bodies of a world are at one frame. Asking is safe from several threads; update() is not meanwhile."""

    def __init__(self, world: World) -> None:
        error = n.ErrorStruct()
        self._world = world
        self._pointer = n.lib.cairn_space_create(world._pointer, error)
        if not self._pointer:
            n.fail(error)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            n.lib.cairn_space_destroy(self._pointer)

    def update(self) -> None:
        """To where bodies are now."""
        error = n.ErrorStruct()
        if not n.lib.cairn_space_update(self._pointer, error):
            n.fail(error)

    def rays(self, starts: Any, ways: Any, *, group: int = n.NONE, mask: int = n.NONE,
             exclude: Optional[Body] = None) -> npt.NDArray[Any]:
        """The first body that each ray meets: fields body, part, triangle, share, point, normal. Nothing met: share 1 and
        body generation 0. starts and ways have three columns; one row stands for all."""
        both = np.broadcast_arrays(np.atleast_2d(np.asarray(starts, np.float64)), np.atleast_2d(np.asarray(ways, np.float64)))
        rays = rows(np.concatenate(both, axis=1), 6)
        hits = np.zeros(len(rays), HIT)
        n.lib.cairn_space_rays(self._pointer, rays.ctypes.data, len(rays), _query(group, mask, exclude), hits.ctypes.data)
        return hits

    def ray(self, start: Vector, way: Vector, **who: Any) -> Optional[npt.NDArray[Any]]:
        """The first body that one ray meets; None: nothing."""
        hit = self.rays(start, way, **who)[0]
        return hit if hit["body"]["generation"] else None

    def ray_all(self, start: Vector, way: Vector, *, group: int = n.NONE, mask: int = n.NONE,
                exclude: Optional[Body] = None) -> npt.NDArray[Any]:
        """All bodies that a ray meets, in order."""
        ray, query = n.Ray(vec3(start), vec3(way)), _query(group, mask, exclude)
        hits = np.zeros(n.lib.cairn_space_ray_all(self._pointer, ray, query, None, 0), HIT)
        n.lib.cairn_space_ray_all(self._pointer, ray, query, hits.ctypes.data, len(hits))
        return hits

    def cast(self, shape: Shape, position: Vector, way: Vector, orientation: Vector = (1, 0, 0, 0), *,
             group: int = n.NONE, mask: int = n.NONE, exclude: Optional[Body] = None) -> Optional[npt.NDArray[Any]]:
        """The first body that a shape meets on a straight way; None: nothing."""
        hit = np.zeros(1, HIT)
        cast = n.Cast(handle(shape), n.Pose(vec3(position), quat(orientation)), vec3(way))
        met = n.lib.cairn_space_cast(self._pointer, cast, _query(group, mask, exclude), hit.ctypes.data)
        return hit[0] if met else None

    def _listed(self, call: Any, *arguments: Any) -> List[Body]:
        found = np.empty(call(self._pointer, *arguments, None, 0), HANDLE)
        call(self._pointer, *arguments, found.ctypes.data, len(found))
        return [Body(int(i), int(g)) for i, g in found]

    def overlap(self, shape: Shape, position: Vector, orientation: Vector = (1, 0, 0, 0), *, group: int = n.NONE,
                mask: int = n.NONE, exclude: Optional[Body] = None) -> List[Body]:
        """The bodies that a shape there overlaps or touches."""
        at = n.Cast(handle(shape), n.Pose(vec3(position), quat(orientation)), n.Vec3())
        return self._listed(n.lib.cairn_space_overlap, at, _query(group, mask, exclude))

    def box(self, low: Vector, high: Vector, *, group: int = n.NONE, mask: int = n.NONE,
            exclude: Optional[Body] = None) -> List[Body]:
        """The bodies whose boxes meet a box."""
        return self._listed(n.lib.cairn_space_box, n.Box(vec3(low), vec3(high)), _query(group, mask, exclude))


class Sensor:
    """A shape that stops nobody and tells who is in it; a body may carry it. update() asks a space that is up to date."""

    def __init__(self, world: World, shape: Shape, position: Vector = (0, 0, 0), orientation: Vector = (1, 0, 0, 0),
                 body: Optional[Body] = None) -> None:
        error = n.ErrorStruct()
        self._world = world
        d = n.lib.cairn_default_sensor_def()
        d.shape, d.body, d.pose = handle(shape), handle(body), n.Pose(vec3(position), quat(orientation))
        self._pointer = n.lib.cairn_sensor_create(world._pointer, d, error)
        if not self._pointer:
            n.fail(error)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            n.lib.cairn_sensor_destroy(self._pointer)

    def place(self, position: Vector, orientation: Vector = (1, 0, 0, 0)) -> None:
        """Moves it: in the world, or on the body that carries it."""
        error = n.ErrorStruct()
        if not n.lib.cairn_sensor_place(self._pointer, n.Pose(vec3(position), quat(orientation)), error):
            n.fail(error)

    def update(self, space: Space) -> npt.NDArray[Any]:
        """Fields kind (an index into cairn.VISITS) and body."""
        error, count = n.ErrorStruct(), n.u32()
        if not n.lib.cairn_sensor_update(self._pointer, space._pointer, error):
            n.fail(error)
        address = n.lib.cairn_sensor_visits(self._pointer, count)
        visits = np.zeros(count.value, VISIT)
        if count.value:
            c.memmove(visits.ctypes.data, address, visits.nbytes)
        return visits


class Watch:
    """Touches that begin, last and end, and hits: what changed since the last update()."""

    def __init__(self, world: World) -> None:
        error = n.ErrorStruct()
        self._world = world
        self._pointer = n.lib.cairn_watch_create(world._pointer, error)
        if not self._pointer:
            n.fail(error)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            n.lib.cairn_watch_destroy(self._pointer)

    def update(self) -> npt.NDArray[Any]:
        """Fields kind (an index into cairn.TOUCHES), a, b, time, point, impulse."""
        error, count = n.ErrorStruct(), n.u32()
        if not n.lib.cairn_watch_update(self._pointer, error):
            n.fail(error)
        address = n.lib.cairn_watch_touches(self._pointer, count)
        touches = np.zeros(count.value, TOUCH)
        if count.value:
            c.memmove(touches.ctypes.data, address, touches.nbytes)
        return touches


_threads: List[ThreadPoolExecutor] = []  # each of one thread, so that the first is always the same


def step_all(worlds: Sequence[World], frames: int = 1, threads: Optional[int] = None) -> List[n.StepReport]:
    """Steps many worlds, each by so many frames, several at once: the interpreter's lock is released while a world steps.
    The bits of each world do not depend on threads. The reports are the last ones'. If worlds are refused, the others are
    stepped all the same, and the StepError is the first one's."""
    count = min(threads or os.cpu_count() or 1, len(worlds))
    if count <= 1:
        return [world.run(frames) for world in worlds]
    while len(_threads) < count:
        _threads.append(ThreadPoolExecutor(1, thread_name_prefix="cairn"))
    # Each thread has the same worlds at every call and finds them in its cache; when it is done it takes from the others' ends.
    left = [deque(range(len(worlds) * i // count, len(worlds) * (i + 1) // count)) for i in range(count)]
    reports: Dict[int, n.StepReport] = {}
    errors: Dict[int, Exception] = {}

    def work(own: int) -> None:
        for part in left[own:] + left[:own]:
            while True:
                try:
                    index = part.popleft() if part is left[own] else part.pop()
                except IndexError:
                    break
                try:
                    reports[index] = worlds[index].run(frames)
                except Exception as error:  # raised below, in the order of worlds
                    errors[index] = error

    for task in [_threads[i].submit(work, i) for i in range(count)]:
        task.result()
    if errors:
        raise errors[min(errors)]
    return [reports[i] for i in range(len(worlds))]
