"""The motion of a recording as keyframes of the objects themselves, and the way back.

A recording says where a body's centre of mass is; an object's location is its origin, in its parent's space. Between keys
the centre goes straight and the body turns about one axis, and so do linear curves of location and quaternion, as long as
a piece turns no further than TURN: longer ones get keys in between.
"""

import json
import math

import bpy
from mathutils import Quaternion

from . import turns

TURN = 0.5  # rad: linear quaternions are then ahead or behind by at most 5e-4 rad
NAMES = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}  # else rotation_euler


class Track:
    """A body's keys: frame (from 0, also between whole ones), centre of mass, orientation, rotation vector that led there."""

    def __init__(self, centre):
        self.centre = centre
        self.keys = []


def read_csv(path, rate):
    """The tracks of a recording's .csv, by the body's name."""
    tracks, by_index = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# body "):
                body = json.loads(line[len("# body "):])
                track = by_index[body["index"]] = Track(tuple(body["center"]))
                tracks[body["name"]] = track
                continue
            if not line[0].isdigit():
                continue
            words = line.split(",")
            n = [float(w) for w in words]
            keys = by_index[int(n[2])].keys
            frame = int(n[0])
            if keys and keys[-1][0] == frame:  # the one before was inside the frame: its time says where
                keys[-1] = (keys[-1][4] * rate,) + keys[-1][1:]
            keys.append((frame, (n[3], n[4], n[5]), (n[6], n[7], n[8], n[9]), (n[16], n[17], n[18]), n[1]))
    return tracks


def finer(keys, inner):
    """Keys of which none turns further than TURN; whole frames alone unless inner ones are wanted."""
    if not inner:
        return [k[:3] for k in keys if k[0] == int(k[0])]
    out = []
    for key in keys:
        pieces = math.ceil(turns.length(key[3]) / TURN) if out else 1
        for i in range(1, pieces):
            share = i / pieces
            frame, place, turn = before
            out.append((
                frame + (key[0] - frame) * share,
                turns.add(place, turns.scaled(turns.sub(key[1], place), share)),
                turns.unit(turns.times(turns.from_vector(turns.scaled(key[3], share)), turn)),
            ))
        before = key[:3]
        out.append(before)
    return out


def space_at(spaces, frame):
    """The parent's space at a frame of the bake; between frames the nearer ones' mean."""
    if len(spaces) == 1:
        return spaces[0]
    i = min(int(frame), len(spaces) - 1)
    share = frame - i
    if not share or i + 1 == len(spaces):
        return spaces[i]
    a, b = spaces[i], spaces[i + 1]
    mixed = turns.Placed.__new__(turns.Placed)
    mixed.place = turns.add(a.place, turns.scaled(turns.sub(b.place, a.place), share))
    mixed.linear = tuple(turns.add(r, turns.scaled(turns.sub(s, r), share)) for r, s in zip(a.linear, b.linear))
    other = b.turn if sum(p * q for p, q in zip(a.turn, b.turn)) >= 0 else tuple(-c for c in b.turn)
    mixed.turn = turns.unit(tuple(p + (q - p) * share for p, q in zip(a.turn, other)))
    return mixed


def delta_turn(item):
    """Blender turns by the deltas after the rotation itself."""
    if item.rotation_mode == "QUATERNION":
        return turns.unit(tuple(float(c) for c in item.delta_rotation_quaternion))
    if item.rotation_mode == "AXIS_ANGLE":
        return turns.IDENTITY
    return turns.unit(tuple(float(c) for c in item.delta_rotation_euler.to_quaternion()))


def own_values(item, track, spaces, inner):
    """Keys as the object's location and quaternion: origins instead of centres, in the parent's space, without deltas."""
    back, shift, values, last = turns.conjugate(delta_turn(item)), tuple(item.delta_location), [], None
    for frame, place, turn in finer(track.keys, inner):
        origin = turns.sub(place, turns.turn(turn, track.centre))
        if spaces:
            space = space_at(spaces, frame)
            origin = turns.by(turns.inverse(space.linear), turns.sub(origin, space.place))
            turn = turns.times(turns.conjugate(space.turn), turn)
        turn = turns.unit(turns.times(back, turn))
        if last and sum(a * b for a, b in zip(last, turn)) < 0:
            turn = tuple(-c for c in turn)
        last = turn
        values.append((frame, turns.sub(origin, shift), turn))
    return [v for i, v in enumerate(values)
            if not (0 < i < len(values) - 1 and values[i - 1][1:] == v[1:] == values[i + 1][1:])]


def in_mode(mode, values):
    """The rotation as the mode keys it: channels of a key each."""
    if mode == "QUATERNION":
        return [turn for _, _, turn in values]
    out, last = [], None
    for _, _, turn in values:
        turned = Quaternion(turn)
        if mode == "AXIS_ANGLE":
            axis, angle = turned.to_axis_angle()
            out.append((angle, *axis))
        else:
            last = turned.to_euler(mode, last) if last else turned.to_euler(mode)
            out.append(tuple(last))
    return out


def curves(action):
    """All curves of an action, in this Blender's way."""
    if hasattr(action, "fcurves"):
        return action.fcurves
    return [c for layer in action.layers for strip in layer.strips for bag in strip.channelbags for c in bag.fcurves]


def curve_home(action, item):
    """Where new curves of an object go."""
    if hasattr(action, "fcurves"):
        return action.fcurves
    slot = action.slots[0] if action.slots else action.slots.new(id_type="OBJECT", name=item.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves


def put_curve(home, path, index, frames, values):
    curve = home.new(path, index=index)
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", [c for pair in zip(frames, values) for c in pair])
    linear = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value
    points.foreach_set("interpolation", [linear] * len(frames))
    curve.update()


def remember(item):
    was = item.cairn
    data = item.animation_data
    was.baked = True
    was.action = data.action if data else None
    was.mode = item.rotation_mode
    was.location = item.location
    was.euler = item.rotation_euler
    was.quaternion = item.rotation_quaternion
    was.axis_angle = item.rotation_axis_angle[:]


def forget(item):
    """The object as it was before its bake."""
    was = item.cairn
    if not was.baked:
        return
    made = item.animation_data.action if item.animation_data else None
    if was.action:
        item.animation_data_create().action = was.action
    else:
        item.animation_data_clear()
    item.rotation_mode = was.mode
    item.location = was.location
    item.rotation_euler = was.euler
    item.rotation_quaternion = was.quaternion
    item.rotation_axis_angle = was.axis_angle
    was.action = None
    was.baked = False
    if made and made.users == 0:
        bpy.data.actions.remove(made)


def write(item, track, spaces, start, settings):
    """Keyframes of a track on an object, in an action of their own; what else the old action moved goes on."""
    remember(item)
    values = own_values(item, track, spaces, settings.inner_keys)
    if settings.rotation == "QUATERNION":
        if item.rotation_mode not in NAMES:  # the deltas of one mode are not those of another
            item.delta_rotation_quaternion = item.delta_rotation_euler.to_quaternion()
        item.rotation_mode = "QUATERNION"
    data = item.animation_data_create()
    old = data.action
    action = old.copy() if old else bpy.data.actions.new(item.name)
    action.name = f"{item.name} cairn"
    home = curve_home(action, item)
    for curve in [c for c in home if c.data_path == "location" or c.data_path.startswith("rotation_")]:
        home.remove(curve)
    frames = [start + frame for frame, _, _ in values]
    for i in range(3):
        put_curve(home, "location", i, frames, [place[i] for _, place, _ in values])
    rotation = in_mode(item.rotation_mode, values)
    path = NAMES.get(item.rotation_mode, "rotation_euler")
    for i in range(len(rotation[0])):
        put_curve(home, path, i, frames, [r[i] for r in rotation])
    data.action = action
    if hasattr(data, "action_slot") and getattr(action, "slots", None):
        data.action_slot = action.slots[0]
    return len(frames)
