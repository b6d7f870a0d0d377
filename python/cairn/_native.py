"""The public header, include/cairn/cairn.h, as ctypes: structs, the library, and how calls fail.

Nothing here is for users. A test compares the size of every struct with what a C compiler says of the header.
"""
from __future__ import annotations

import ctypes as c
import os
from pathlib import Path
from typing import Any, NoReturn

f64, u32, u64, i32 = c.c_double, c.c_uint32, c.c_uint64, c.c_int
NONE = 0xFFFFFFFF  # UINT32_MAX


class Vec3(c.Structure):
    _fields_ = [("x", f64), ("y", f64), ("z", f64)]


class Quat(c.Structure):
    _fields_ = [("w", f64), ("x", f64), ("y", f64), ("z", f64)]


class Pose(c.Structure):
    _fields_ = [("position", Vec3), ("orientation", Quat)]


class Color(c.Structure):
    _fields_ = [("r", f64), ("g", f64), ("b", f64)]


class Box(c.Structure):
    _fields_ = [("min", Vec3), ("max", Vec3)]


class Handle(c.Structure):
    """cairn_body, cairn_shape, cairn_joint and cairn_material are all alike."""

    _fields_ = [("index", u32), ("generation", u32)]


class ErrorStruct(c.Structure):
    _fields_ = [("code", i32), ("line", i32), ("column", i32), ("file", c.c_char * 256), ("path", c.c_char * 160),
                ("message", c.c_char * 480)]


class Allocator(c.Structure):
    _fields_ = [("context", c.c_void_p), ("resize", c.c_void_p)]


class SceneDef(c.Structure):
    _fields_ = [("allocator", Allocator), ("set", c.POINTER(c.c_char_p)), ("trust", c.c_bool),
                ("errors", c.c_void_p)]


class Settings(c.Structure):
    _fields_ = [("name", c.c_char_p), ("description", c.c_char_p), ("gravity", Vec3), ("fps", f64), ("frames", u32),
                ("seed", u64), ("method", c.c_char_p)]


class MaterialDef(c.Structure):
    _fields_ = [("name", c.c_char_p), ("density", f64), ("restitution", f64), ("static_friction", f64),
                ("kinetic_friction", f64), ("rolling", f64), ("has_color", c.c_bool), ("has_roughness", c.c_bool),
                ("color", Color), ("roughness", f64)]


class PairDef(c.Structure):
    _fields_ = [("a", Handle), ("b", Handle), ("restitution", f64), ("static_friction", f64), ("kinetic_friction", f64),
                ("rolling", f64)]


class DecomposeDef(c.Structure):
    _fields_ = [("concavity", f64), ("parts", u32), ("vertices", u32)]


class Standoff(c.Structure):
    _fields_ = [("shape_beyond", f64), ("visual_beyond", f64), ("size", f64), ("closed", c.c_bool)]


class Part(c.Structure):
    _fields_ = [("shape", Handle), ("pose", Pose)]


class ShapeDef(c.Structure):
    _fields_ = [("kind", i32), ("name", c.c_char_p), ("radius", f64), ("length", f64), ("size", Vec3), ("normal", Vec3),
                ("offset", f64), ("points", c.c_void_p), ("point_count", u32), ("triangles", c.c_void_p),
                ("triangle_count", u32), ("shell", c.c_bool), ("visual", c.c_bool), ("colors", c.c_void_p),
                ("uvs", c.c_void_p), ("parts", c.POINTER(Part)), ("part_count", u32),
                ("heights", c.c_void_p), ("columns", u32), ("rows", u32),
                ("thickness", f64), ("gap", f64)]


class ScriptKey(c.Structure):
    _fields_ = [("time", f64), ("pose", Pose)]


class BodyDef(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", i32), ("shape", Handle), ("material", Handle), ("pose", Pose),
                ("velocity", Vec3), ("spin", Vec3), ("mass", f64), ("density", f64), ("has_inertia", c.c_bool),
                ("center", Vec3), ("inertia", f64 * 9), ("linear_damping", f64), ("angular_damping", f64),
                ("group", u32), ("mask", u32), ("has_color", c.c_bool), ("color", Color),
                ("keys", c.POINTER(ScriptKey)), ("key_count", u32), ("has_roughness", c.c_bool), ("roughness", f64),
                ("visual", Handle), ("visual_pose", Pose)]


class Axis(c.Structure):
    _fields_ = [("kind", i32), ("low", f64), ("high", f64)]


class JointDef(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", i32), ("a", Handle), ("b", Handle), ("point", Vec3), ("point_b", Vec3),
                ("axis", Vec3), ("has_limits", c.c_bool), ("low", f64), ("high", f64), ("motor", i32), ("speed", f64),
                ("most", f64), ("target", f64), ("stiffness", f64), ("damping", f64), ("break_force", f64),
                ("break_torque", f64), ("collide", c.c_bool), ("keys", c.c_void_p), ("key_count", u32), ("over", Vec3),
                ("over_b", Vec3), ("joint", Handle), ("joint_b", Handle), ("ratio", f64), ("frame", Quat), ("axes", Axis * 6),
                ("turn", Vec3)]


class TargetKey(c.Structure):
    _fields_ = [("time", f64), ("value", f64), ("turn", Vec3)]


class Servo(c.Structure):
    _fields_ = [(name, f64) for name in ("target", "speed", "stiffness", "damping", "most")] + [("turn", Vec3)]


class EventDef(c.Structure):
    _fields_ = [("kind", i32), ("frame", u32), ("body", Handle), ("impulse", Vec3), ("has_point", c.c_bool),
                ("point", Vec3), ("speed", f64), ("joint", Handle), ("motor", i32), ("most", f64), ("target", f64),
                ("stiffness", f64), ("damping", f64), ("turn", Vec3)]


class FieldDef(c.Structure):
    _fields_ = [("kind", i32), ("has_box", c.c_bool), ("box", Box), ("acceleration", Vec3), ("point", Vec3), ("strength", f64),
                ("softening", f64), ("velocity", Vec3), ("air_density", f64), ("coefficient", f64), ("linear", f64), ("angular", f64)]


class Jitter(c.Structure):
    _fields_ = [("position", Vec3), ("rotation", Vec3), ("velocity", Vec3), ("spin", Vec3)]


class EmitterDef(c.Structure):
    _fields_ = [("name", c.c_char_p), ("bodies", c.POINTER(BodyDef)), ("body_count", u32), ("start", u32), ("every", u32),
                ("batches", u32), ("jitter", Jitter), ("choices", u32)]


class CameraKey(c.Structure):
    _fields_ = [("time", f64), ("position", Vec3), ("target", Vec3), ("fov", f64)]


class View(c.Structure):
    _fields_ = [("has_camera", c.c_bool), ("camera_position", Vec3), ("camera_target", Vec3), ("camera_fov", f64),
                ("camera_follow", Handle), ("camera_keys", c.POINTER(CameraKey)), ("camera_key_count", u32),
                ("has_light", c.c_bool), ("light_direction", Vec3), ("light_color", Color)]


class Jobs(c.Structure):
    _fields_ = [("context", c.c_void_p), ("threads", u32), ("run", c.c_void_p)]


FILTER = c.CFUNCTYPE(c.c_bool, c.c_void_p, c.c_void_p, Handle, Handle)


class Filter(c.Structure):
    _fields_ = [("context", c.c_void_p), ("collide", FILTER)]


class WorldDef(c.Structure):
    _fields_ = [("allocator", Allocator), ("threads", u32), ("jobs", Jobs), ("filter", Filter)]


class Energy(c.Structure):
    _fields_ = [(name, f64) for name in ("kinetic", "potential", "events", "fields", "damping", "impacts", "friction",
                                         "position", "dropped", "drift", "joints")]


class Certificate(c.Structure):
    _fields_ = [("verdict", i32), ("pairs", u64), ("intervals", u64), ("overlaps", u64), ("passages", u64),
                ("min_gap", f64), ("rounding_bound", f64)]


class Late(c.Structure):
    _fields_ = [("body", Handle), ("lag", f64)]


class StepReport(c.Structure):
    """What one step did: the fields of cairn_step_report, by the same names."""

    _fields_ = [("status", i32), ("frame", u32), ("time", f64), ("bodies", u32), ("moving", u32), ("asleep", u32),
                ("frozen", u32), ("text_fallbacks", u32), ("guesses", u32), ("second_guesses", u32),
                ("close_pairs", u32), ("collisions", u32), ("contacts", u32), ("extra_keys", u32), ("emitted", u32), ("waiting", u32), ("steps", u32), ("passes", u32),
                ("programs", u32), ("taken_back", u32), ("tiers", u32 * 8), ("min_gap", f64), ("pair_a", Handle),
                ("pair_b", Handle), ("energy", Energy), ("lift", f64), ("lifted", Handle), ("debt", f64),
                ("debt_mean", f64), ("debtor", Handle), ("movers", u32), ("debtors", u32), ("joint_error", f64),
                ("broken", u32), ("late", u32), ("scripts", Late * 8), ("certificate", Certificate),
                ("measured", c.c_bool), ("depth", f64), ("deep_a", Handle), ("deep_b", Handle), ("stage_count", u32), ("stage_names", c.c_char_p * 16), ("stage_ms", f64 * 16), ("ms", f64)]

    def __repr__(self) -> str:
        shown = ("status", "frame", "time", "moving", "asleep", "contacts", "steps", "min_gap", "debt", "ms")
        return f"StepReport({', '.join(f'{name}={getattr(self, name):.6g}' for name in shown)}, ...)"


class Key(c.Structure):
    _fields_ = [("time", f64), ("position", Vec3), ("orientation", Quat), ("velocity", Vec3), ("spin", Vec3),
                ("turn", Vec3)]


class BodyInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", i32), ("serial", u32), ("shape", Handle), ("material", Handle),
                ("mass", f64), ("center", Vec3), ("inertia", f64 * 9), ("radius", f64), ("group", u32), ("mask", u32),
                ("color", Color), ("roughness", f64), ("visual", Handle), ("visual_pose", Pose)]


class Velocity(c.Structure):
    _fields_ = [("velocity", Vec3), ("spin", Vec3)]


class JointState(c.Structure):
    _fields_ = [("position", f64), ("speed", f64), ("error", f64), ("force", f64), ("torque", f64),
                ("broken", c.c_bool)]


class Gap(c.Structure):
    _fields_ = [("gap", f64), ("normal", Vec3), ("point_a", Vec3), ("point_b", Vec3), ("exact", c.c_bool),
                ("triangle_a", u32), ("triangle_b", u32)]


class Contact(c.Structure):
    _fields_ = [("a", Handle), ("b", Handle), ("point", Vec3), ("normal", Vec3), ("gap", f64), ("impulse", Vec3),
                ("sliding", c.c_bool)]


class Impact(c.Structure):
    _fields_ = [("a", Handle), ("b", Handle), ("time", f64), ("point", Vec3), ("normal", Vec3), ("impulse", Vec3)]


class DragDef(c.Structure):
    _fields_ = [("body", Handle), ("anchor", Vec3), ("target", Vec3), ("frequency", f64)]


class Query(c.Structure):
    _fields_ = [("group", u32), ("mask", u32), ("exclude", Handle)]


class Ray(c.Structure):
    _fields_ = [("start", Vec3), ("way", Vec3)]


class Cast(c.Structure):
    _fields_ = [("shape", Handle), ("pose", Pose), ("way", Vec3)]


class Hit(c.Structure):
    _fields_ = [("body", Handle), ("part", u32), ("triangle", u32), ("share", f64), ("point", Vec3), ("normal", Vec3)]


class SensorDef(c.Structure):
    _fields_ = [("shape", Handle), ("body", Handle), ("pose", Pose), ("query", Query)]


class Visit(c.Structure):
    _fields_ = [("kind", i32), ("body", Handle)]


class Mark(c.Structure):
    _fields_ = [("kind", i32), ("from_", Vec3), ("to", Vec3), ("color", Color), ("a", Handle), ("b", Handle)]


class MarksDef(c.Structure):
    _fields_ = [("kinds", u32), ("length", f64), ("seconds", f64)]


class Touch(c.Structure):
    _fields_ = [("kind", i32), ("a", Handle), ("b", Handle), ("first", u32), ("point_count", u32), ("time", f64),
                ("point", Vec3), ("impulse", Vec3)]


class RecordingDef(c.Structure):
    _fields_ = [("allocator", Allocator), ("replace", c.c_bool), ("checkpoint_every", u32)]


class RecordingInfo(c.Structure):
    _fields_ = [("first_frame", u32), ("last_frame", u32), ("bodies", u32), ("hash", u64), ("size", u64),
                ("complete", c.c_bool), ("truncated", c.c_bool), ("damaged", c.c_bool), ("note", c.c_char * 200),
                ("version", c.c_char * 24)]


class Track(c.Structure):
    _fields_ = [("info", BodyInfo), ("body", Handle), ("first_frame", u32), ("last_frame", u32), ("first_key", Key)]


class TrackKey(c.Structure):
    _fields_ = [("track", u32), ("asleep", c.c_bool), ("key", Key)]


class Frame(c.Structure):
    _fields_ = [("frame", u32), ("time", f64), ("key_count", u32), ("keys", c.POINTER(TrackKey)),
                ("report", StepReport), ("state_hash", u64), ("inputs", c.c_void_p), ("input_size", c.c_size_t)]


class CertifyDef(c.Structure):
    _fields_ = [("allocator", Allocator), ("threads", u32), ("start", u32), ("to", u32), ("progress", c.c_void_p),
                ("context", c.c_void_p)]


class CertifyResult(c.Structure):
    _fields_ = [("certificate", Certificate), ("frames", u32), ("bodies", u32), ("exempt", u64), ("min_gap_frame", u32),
                ("min_gap_pair", u32 * 2), ("first_frame", u32), ("first_pair", u32 * 2), ("first_time", f64),
                ("first_depth", f64), ("measured", c.c_bool)]


# The names of these structs in C, where they are others: for the test of their sizes.
C_NAMES = {Handle: "cairn_body", ErrorStruct: "cairn_error"}

P = c.POINTER
_error = P(ErrorStruct)
_world = _scene = _space = _watch = _sensor = _recording = c.c_void_p

_CALLS: dict[str, tuple[Any, list[Any]]] = {
    "cairn_version": (c.c_char_p, []),
    "cairn_scene_create": (_scene, [P(SceneDef)]),
    "cairn_scene_destroy": (None, [_scene]),
    "cairn_scene_read_file": (_scene, [c.c_char_p, c.c_void_p, P(SceneDef), _error]),
    "cairn_scene_read_text": (_scene, [c.c_char_p, c.c_size_t, c.c_char_p, c.c_void_p, P(SceneDef), _error]),
    "cairn_default_scene_def": (SceneDef, []),
    "cairn_scene_settings": (Settings, [_scene]),
    "cairn_scene_set_settings": (c.c_bool, [_scene, P(Settings), _error]),
    "cairn_scene_set_option": (c.c_bool, [_scene, c.c_char_p, c.c_char_p, _error]),
    "cairn_scene_option": (c.c_bool, [_scene, c.c_char_p, c.c_char_p, c.c_size_t]),
    "cairn_default_material_def": (MaterialDef, []),
    "cairn_material_preset": (c.c_bool, [c.c_char_p, P(MaterialDef)]),
    "cairn_material_preset_names": (P(c.c_char_p), []),
    "cairn_scene_add_material": (Handle, [_scene, P(MaterialDef), _error]),
    "cairn_default_shape_def": (ShapeDef, [i32]),
    "cairn_scene_add_shape": (Handle, [_scene, P(ShapeDef), _error]),
    "cairn_default_body_def": (BodyDef, []),
    "cairn_scene_add_body": (Handle, [_scene, P(BodyDef), _error]),
    "cairn_default_joint_def": (JointDef, []),
    "cairn_scene_add_joint": (Handle, [_scene, P(JointDef), _error]),
    "cairn_default_event_def": (EventDef, [i32]),
    "cairn_scene_add_event": (c.c_bool, [_scene, P(EventDef), _error]),
    "cairn_scene_pair": (PairDef, [_scene, Handle, Handle]),
    "cairn_scene_set_pair": (c.c_bool, [_scene, P(PairDef), _error]),
    "cairn_default_decompose_def": (DecomposeDef, []),
    "cairn_scene_decompose": (Handle, [_scene, P(ShapeDef), P(DecomposeDef), _error]),
    "cairn_scene_standoff": (c.c_bool, [_scene, u32, P(Standoff), _error]),
    "cairn_default_field_def": (FieldDef, [i32]),
    "cairn_scene_add_field": (c.c_bool, [_scene, P(FieldDef), _error]),
    "cairn_scene_add_cold_volume": (c.c_bool, [_scene, Box, _error]),
    "cairn_default_emitter_def": (EmitterDef, []),
    "cairn_scene_add_emitter": (c.c_bool, [_scene, P(EmitterDef), _error]),
    "cairn_scene_view": (View, [_scene]),
    "cairn_scene_set_view": (c.c_bool, [_scene, P(View), _error]),
    "cairn_scene_body_count": (u32, [_scene]),
    "cairn_scene_find_body": (Handle, [_scene, c.c_char_p]),
    "cairn_scene_find_shape": (Handle, [_scene, c.c_char_p]),
    "cairn_scene_find_material": (Handle, [_scene, c.c_char_p]),
    "cairn_default_world_def": (WorldDef, []),
    "cairn_world_create": (_world, [_scene, P(WorldDef), _error]),
    "cairn_world_destroy": (None, [_world]),
    "cairn_world_frame": (u32, [_world]),
    "cairn_world_time": (f64, [_world]),
    "cairn_world_hash": (u64, [_world]),
    "cairn_world_scene": (_scene, [_world]),
    "cairn_world_step": (StepReport, [_world]),
    "cairn_world_explain": (None, [_world, P(StepReport), c.c_char_p, c.c_size_t]),
    "cairn_world_body_count": (u32, [_world]),
    "cairn_world_bodies": (u32, [_world, c.c_void_p, u32]),
    "cairn_world_poses": (u32, [_world, c.c_void_p, u32]),
    "cairn_world_velocities": (u32, [_world, c.c_void_p, u32]),
    "cairn_world_has_body": (c.c_bool, [_world, Handle]),
    "cairn_world_body_info": (BodyInfo, [_world, Handle]),
    "cairn_world_body_pose": (Pose, [_world, Handle]),
    "cairn_world_body_key": (Key, [_world, Handle]),
    "cairn_world_body_asleep": (c.c_bool, [_world, Handle]),
    "cairn_world_find_body": (Handle, [_world, c.c_char_p]),
    "cairn_world_joint": (JointState, [_world, Handle]),
    "cairn_world_gap": (c.c_bool, [_world, Handle, Handle, P(Gap)]),
    "cairn_world_contacts": (u32, [_world, c.c_void_p, u32]),
    "cairn_world_impacts": (u32, [_world, c.c_void_p, u32]),
    "cairn_world_add_shape": (Handle, [_world, P(ShapeDef), _error]),
    "cairn_world_add_material": (Handle, [_world, P(MaterialDef), _error]),
    "cairn_world_add_body": (Handle, [_world, P(BodyDef), _error]),
    "cairn_world_remove_body": (c.c_bool, [_world, Handle, _error]),
    "cairn_world_apply_event": (c.c_bool, [_world, P(EventDef), _error]),
    "cairn_world_set_script": (c.c_bool, [_world, Handle, P(ScriptKey), u32, _error]),
    "cairn_world_set_gravity": (c.c_bool, [_world, Vec3, _error]),
    "cairn_world_set_fps": (c.c_bool, [_world, f64, _error]),
    "cairn_world_set_motor": (c.c_bool, [_world, Handle, i32, f64, f64, _error]),
    "cairn_world_set_servo": (c.c_bool, [_world, Handle, c.POINTER(Servo), _error]),
    "cairn_world_drag": (c.c_bool, [_world, P(DragDef), _error]),
    "cairn_world_release": (c.c_bool, [_world, Handle, _error]),
    "cairn_world_push": (c.c_bool, [_world, Handle, Vec3, Vec3, _error]),
    "cairn_world_set_velocity": (c.c_bool, [_world, Handle, Vec3, Vec3, _error]),
    "cairn_world_set_damping": (c.c_bool, [_world, Handle, f64, f64, _error]),
    "cairn_world_set_body_material": (c.c_bool, [_world, Handle, Handle, _error]),
    "cairn_world_set_pose": (c.c_bool, [_world, Handle, Pose, _error]),
    "cairn_world_set_mass": (c.c_bool, [_world, Handle, f64, _error]),
    "cairn_world_set_shape": (c.c_bool, [_world, Handle, Handle, _error]),
    "cairn_world_set_filter": (c.c_bool, [_world, Handle, u32, u32, _error]),
    "cairn_world_set_type": (c.c_bool, [_world, Handle, i32, _error]),
    "cairn_world_set_gravity_scale": (c.c_bool, [_world, Handle, f64, _error]),
    "cairn_world_add_joint": (Handle, [_world, P(JointDef), _error]),
    "cairn_world_remove_joint": (c.c_bool, [_world, Handle, _error]),
    "cairn_world_snapshot_size": (c.c_size_t, [_world]),
    "cairn_world_snapshot": (c.c_bool, [_world, c.c_void_p, c.c_size_t, _error]),
    "cairn_world_restore": (c.c_bool, [_world, c.c_void_p, c.c_size_t, _error]),
    "cairn_space_create": (_space, [_world, _error]),
    "cairn_space_update": (c.c_bool, [_space, _error]),
    "cairn_space_destroy": (None, [_space]),
    "cairn_space_rays": (u32, [_space, c.c_void_p, u32, P(Query), c.c_void_p]),
    "cairn_space_ray_all": (u32, [_space, Ray, P(Query), c.c_void_p, u32]),
    "cairn_space_cast": (c.c_bool, [_space, P(Cast), P(Query), c.c_void_p]),
    "cairn_space_overlap": (u32, [_space, P(Cast), P(Query), c.c_void_p, u32]),
    "cairn_space_box": (u32, [_space, Box, P(Query), c.c_void_p, u32]),
    "cairn_default_sensor_def": (SensorDef, []),
    "cairn_sensor_create": (_sensor, [_world, P(SensorDef), _error]),
    "cairn_sensor_update": (c.c_bool, [_sensor, _space, _error]),
    "cairn_sensor_place": (c.c_bool, [_sensor, Pose, _error]),
    "cairn_sensor_visits": (c.c_void_p, [_sensor, P(u32)]),
    "cairn_sensor_destroy": (None, [_sensor]),
    "cairn_default_marks_def": (MarksDef, []),
    "cairn_world_marks": (u32, [_world, P(MarksDef), c.c_void_p, u32]),
    "cairn_watch_create": (_watch, [_world, _error]),
    "cairn_watch_update": (c.c_bool, [_watch, _error]),
    "cairn_watch_destroy": (None, [_watch]),
    "cairn_watch_touches": (c.c_void_p, [_watch, P(u32)]),
    "cairn_default_recording_def": (RecordingDef, []),
    "cairn_recording_create": (_recording, [c.c_char_p, _world, P(RecordingDef), _error]),
    "cairn_recording_append": (c.c_bool, [_recording, _world, P(StepReport), _error]),
    "cairn_recording_finish": (c.c_bool, [_recording, _error]),
    "cairn_recording_close": (None, [_recording]),
    "cairn_recording_open": (_recording, [c.c_char_p, P(RecordingDef), _error]),
    "cairn_recording_get_info": (RecordingInfo, [_recording]),
    "cairn_recording_track": (Track, [_recording, u32]),
    "cairn_recording_read": (c.c_bool, [_recording, u32, P(Frame), _error]),
    "cairn_recording_world_at": (_world, [_recording, u32, P(WorldDef), _error]),
    "cairn_default_certify_def": (CertifyDef, []),
    "cairn_recording_certify": (c.c_bool, [_recording, P(CertifyDef), P(CertifyResult), _error]),
    "cairn_export": (c.c_bool, [_recording, c.c_char_p, c.c_void_p, _error]),
}


def _load() -> c.CDLL:
    path = os.environ.get("CAIRN_LIBRARY") or str(Path(__file__).with_name("libcairn.so"))
    try:
        library = c.CDLL(path)
    except OSError as error:
        raise ImportError(f"cairn's library could not be loaded ({error}); install the package with "
                          "`pip install ./python`, or let CAIRN_LIBRARY name a libcairn.so") from error
    for name, (result, arguments) in _CALLS.items():
        try:
            call = getattr(library, name)
        except AttributeError as error:
            raise ImportError(f"{path} is of another version of cairn: it has no {name}") from error
        call.restype, call.argtypes = result, arguments
    return library


lib: Any = _load()

CODES = {1: "failed", 2: "usage", 3: "invalid", 4: "file", 5: "missing", 6: "memory"}


class CairnError(Exception):
    """A call was refused. ``code`` is one of failed, usage, invalid, file, missing and memory; ``path`` names the field."""

    def __init__(self, code: str, message: str, path: str = "", file: str = "", line: int = 0, column: int = 0) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part)
        super().__init__(": ".join(part for part in (place, path, message) if part))
        self.code, self.message, self.path, self.file, self.line, self.column = code, message, path, file, line, column


def fail(error: ErrorStruct) -> NoReturn:
    raise CairnError(CODES.get(error.code, "failed"), error.message.decode(), error.path.decode(), error.file.decode(),
                     error.line, error.column)
