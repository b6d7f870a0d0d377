# blender --background --factory-startup --python-exit-code 3 --python addon_check.py -- FILE.blend ZIP CAIRN
# Installs the add-on, opens a file, bakes it and compares the keyframes with the recording, which CAIRN writes out and this
# file reads itself. Then Blender's own solver moves the same file, and CAIRN measures its overlap.
import json
import math
import os
import subprocess
import sys
import time

import bpy
from mathutils import Vector

WITHIN = 1e-6  # m, or of the distance from the origin where that is more; and rad

blend, archive, cairn = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
bpy.ops.preferences.addon_enable(module="cairn_bake")
bpy.ops.wm.open_mainfile(filepath=blend)
bpy.ops.preferences.addon_enable(module="cairn_bake")
from cairn_bake import operators, panel, registry, settings as module_settings  # noqa: E402

scene = bpy.context.scene
name = os.path.splitext(os.path.basename(blend))[0]


def fail(words):
    raise AssertionError(f"{name}: {words}")


def expect(what, words):
    if not what:
        fail(words)


def state():
    """What undo and clearing must bring back, by name."""
    out = {}
    for item in bpy.context.scene.objects:
        data = item.animation_data
        out[item.name] = (tuple(item.location), item.rotation_mode, tuple(item.rotation_euler), tuple(item.rotation_quaternion),
                          data.action.name if data and data.action else None)
    return out


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    bodies = [json.loads(line[7:]) for line in lines if line.startswith("# body ")]
    columns = next(line for line in lines if line.startswith("frame,")).split(",")
    return bodies, [dict(zip(columns, map(float, line.split(",")))) for line in lines if line[0].isdigit()]


def tool(*words, good=(0,)):
    ran = subprocess.run([cairn, *words], capture_output=True, text=True)
    expect(ran.returncode in good, f"cairn {words[0]}: {ran.stderr}")
    return ran.stdout


def pose(row, centre):
    """Origin and turn, in numbers of 64 bits: the columns of the turn's matrix take the centre's place off."""
    w, x, y, z = (row[c] for c in ("qw", "qx", "qy", "qz"))
    columns = ((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
               (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
               (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))
    place = [row[c] - sum(columns[j][i] * centre[j] for j in range(3)) for i, c in enumerate("xyz")]
    return place, (w, x, y, z)


def own_curves(item):
    """Location and quaternion at a frame, of the object's curves alone."""
    curves = {(c.data_path, c.array_index): c for c in item.animation_data.action.fcurves}

    def at(frame):
        turn = [curves["rotation_quaternion", i].evaluate(frame) for i in range(4)]
        size = math.hypot(*turn)
        return [curves["location", i].evaluate(frame) for i in range(3)], [c / size for c in turn]
    return at


def apart(shown, wanted):
    place, turn = shown
    off = math.dist(place, wanted[0]) / max(1, math.hypot(*wanted[0]))
    slant = min(math.dist(turn, wanted[1]), math.dist(turn, [-c for c in wanted[1]]))
    return max(off, slant)


def compare(summary):
    """Every key of every baked body: by curves where the object has no parent and no deltas, else as it is shown."""
    recording = scene.cairn.recording
    table = recording + ".csv"
    tool("export", recording, "-o", table, "-q")
    bodies, rows = rows_of(table)
    rate = scene.render.fps / scene.render.fps_base / scene.rigidbody_world.time_scale
    whole, worst, shown_worst, count, inner = {}, 0, 0, 0, 0
    for row in rows:
        whole[int(row["frame"]), int(row["body"])] = row
    for entry in bodies:
        item = scene.objects[entry["name"]]
        if not item.cairn.baked:
            continue
        plain = item.parent is None and item.delta_location.length == 0
        if not plain:
            continue
        at = own_curves(item)
        for row in rows:
            if row["body"] != entry["index"]:
                continue
            ends = row is whole[int(row["frame"]), entry["index"]]
            frame = summary["start"] + (row["frame"] if ends else row["time"] * rate)
            off = apart(at(frame), pose(row, entry["center"]))
            # Between whole frames the number of a frame has 32 bits: 1e-6 of a frame that turns by up to a radian.
            expect(off <= (WITHIN if ends else 2e-5), f"{item.name} at frame {frame}: {off} off")
            worst = max(worst, off) if ends else worst
            count += 1
            inner += not ends
    last = int(rows[-1]["frame"])
    for frame in range(last + 1):
        scene.frame_set(summary["start"] + frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for entry in bodies:
            item = scene.objects[entry["name"]]
            if entry["type"] == "fixed":
                continue
            matrix = item.evaluated_get(graph).matrix_world
            place, turn, _ = matrix.decompose()
            off = apart((place, turn), pose(whole[frame, entry["index"]], entry["center"]))
            shown_worst = max(shown_worst, off)
            expect(off < 5 * WITHIN, f"{item.name} is shown {off} off at frame {frame}")
    expect(count > len(bodies), "hardly anything was compared")
    return worst, shown_worst, count, inner


def certify(path):
    return json.loads(tool("certify", path, "--json", good=(0, 1)))


def blenders_own(summary):
    """Blender's solver on the same file, as a trajectory with the recording's shapes: what CAIRN says of it."""
    recording = scene.cairn.recording
    ours = recording + ".traj"
    tool("export", recording, "-o", ours, "-q")
    bodies, _ = rows_of(recording + ".csv")
    with open(ours, encoding="utf-8") as file:
        head = file.read().split("\nframe ", 1)[0]
    rate = scene.render.fps / scene.render.fps_base / scene.rigidbody_world.time_scale
    bpy.ops.cairn.clear()
    lines = [head]
    for frame in range(summary["start"], summary["end"] + 1):
        scene.frame_set(frame)
        lines.append(f"frame {frame - summary['start']} {(frame - summary['start']) / rate:.17g}")
        for entry in bodies:
            if entry["type"] == "fixed" and frame > summary["start"]:
                continue
            place, turn, _ = scene.objects[entry["name"]].matrix_world.decompose()
            centre = place + turn @ Vector(entry["center"])
            lines.append(f"key {entry['index']} " + " ".join(f"{c:.17g}" for c in (*centre, *turn.normalized())))
    lines.append("end\n")
    theirs = recording + ".bullet.traj"
    with open(theirs, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return certify(ours), certify(theirs)


def motion(name_):
    return scene.objects[name_].matrix_world.translation.copy()


def tried_first():
    """Undo in one step, clearing, cancelling: all leave the file as it was."""
    global scene
    before = state()
    bpy.ops.ed.undo_push(message="before")
    expect(bpy.ops.cairn.bake("EXEC_DEFAULT", True) == {"FINISHED"}, bpy.context.scene.cairn.message)
    expect(state() != before, "a bake changed nothing")
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    expect(state() == before, "one undo does not bring everything back")
    expect(scene.rigidbody_world.enabled and not scene.cairn.baked, "one undo does not bring the simulation back")
    bpy.ops.cairn.bake()
    bpy.ops.cairn.clear()
    expect(state() == before and scene.rigidbody_world.enabled, "clearing does not bring everything back")
    expect(not [a.name for a in bpy.data.actions if a.name.endswith(" cairn")], "clearing leaves actions behind")
    bake = operators.Bake(bpy.context)
    expect(bake.describe(bpy.context), scene.cairn.message)
    bake.told.scene["world"].update(frames=100000, options={"sleep": False})
    bake.start(bpy.context)
    while bake.job.share == 0 and not bake.job.done():
        time.sleep(0.01)
    bake.tick()
    expect(0 < scene.cairn.progress < 100, f"progress {scene.cairn.progress}")
    expect(bpy.ops.cairn.cancel() == {"FINISHED"}, "cancel")
    expect(bake.end(bpy.context) is False and "cancelled" in scene.cairn.message, scene.cairn.message)
    expect(state() == before and not scene.cairn.running, "a cancelled bake changed something")


def tried_options():
    """Every option can be set, and what is set stands in the scene file."""
    for row in registry.OPTIONS:
        identifier = module_settings.identifier(row)
        expect(scene.cairn.option(row) is None, f"{row['name']} is not as usual")
        before = getattr(scene.cairn, identifier)
        if "words" in row:
            setattr(scene.cairn, identifier, row["words"][-1])
            wanted = row["words"][-1]
        else:
            wanted = row["least"] if row["usual"] != row["least"] else min(row["most"], row["least"] + 1)
            if row["usual"] is None:
                setattr(scene.cairn, identifier + "_auto", False)
            setattr(scene.cairn, identifier, int(wanted) if row["whole"] else wanted)
        expect(scene.cairn.option(row) == wanted or abs(scene.cairn.option(row) - wanted) < 1e-6, f"{row['name']}: {scene.cairn.option(row)}")
        setattr(scene.cairn, identifier, before)
        if "words" not in row and row["usual"] is None:
            setattr(scene.cairn, identifier + "_auto", True)
    scene.cairn.range, scene.cairn.start, scene.cairn.end = "CUSTOM", 1, 8
    scene.cairn.method = "soft"
    scene.cairn.option_slop = 0.25
    expect(bpy.ops.cairn.bake() == {"FINISHED"}, scene.cairn.message)
    summary = scene.cairn.summary()
    expect(summary["method"] == "soft" and summary["certificate"]["verdict"] == "measured", "the method was not taken")
    with open(scene.cairn.recording[:-len(".cairn")] + ".json", encoding="utf-8") as file:
        expect(abs(json.load(file)["world"]["options"]["slop"] - 0.25) < 1e-6, "slop was not taken")
    expect(summary["frames"] == 7, f"{summary['frames']} frames of 7")
    expect(any("Overlaps" in words for words, _ in panel.told(summary)), "the panel does not say how deep")
    scene.cairn.method = "oba"
    scene.cairn.rotation = "KEEP"
    expect(bpy.ops.cairn.bake() == {"FINISHED"}, scene.cairn.message)
    item = next(o for o in scene.objects if o.cairn.baked)
    expect(item.rotation_mode == "XYZ" and item.animation_data.action.fcurves.find("rotation_euler"), "the mode was not kept")
    scene.cairn.rotation = "QUATERNION"
    bpy.ops.cairn.clear()


def tried_refusals():
    """What cannot be baked is told, with the object's name."""
    def refused(words):
        try:
            answer = bpy.ops.cairn.bake()
        except RuntimeError:
            answer = {"CANCELLED"}
        expect(answer == {"CANCELLED"} and words in scene.cairn.message, f"wanted {words}, got {answer} {scene.cairn.message}")

    empty = next(o for o in scene.objects if o.rigid_body_constraint and o.rigid_body_constraint.type == "POINT")
    empty.rigid_body_constraint.type = "GENERIC_SPRING"
    empty.rigid_body_constraint.use_spring_x = empty.rigid_body_constraint.use_spring_y = True
    refused(f"{empty.name} has springs that no joint has")
    scene.cairn.leave_out = True
    expect(bpy.ops.cairn.bake() == {"FINISHED"}, scene.cairn.message)
    expect(empty.name in scene.cairn.notes, "what was left out is not listed")
    bpy.ops.cairn.clear()
    scene.cairn.leave_out = False
    empty.rigid_body_constraint.type = "POINT"
    active = next(o for o in scene.objects if o.rigid_body and o.rigid_body.type == "ACTIVE")
    active.rigid_body.keyframe_insert("kinematic", frame=1)
    refused("has keyframes on kinematic")
    active.animation_data_clear()
    preferences = bpy.context.preferences.addons["cairn_bake"].preferences
    preferences.program = "/nowhere/cairn"
    refused("/nowhere/cairn, which the add-on's preferences name, is not there")
    preferences.program = ""


def tried_overlap():
    """Two that overlap at the start are named and selected."""
    first, second = [o for o in scene.objects if o.rigid_body and o.rigid_body.type == "ACTIVE"][:2]
    was = tuple(second.location)
    second.location = tuple(c + 0.05 for c in first.location)
    try:
        answer = bpy.ops.cairn.bake()
    except RuntimeError:
        answer = {"CANCELLED"}
    expect(answer == {"CANCELLED"} and "overlap" in scene.cairn.message, f"{answer} {scene.cairn.message}")
    expect(first.select_get() and second.select_get(), f"not selected: {scene.cairn.message}")
    second.location = was


if name == "tower":
    tried_first()
if name == "linkage":
    tried_refusals()
if name == "heap":
    tried_overlap()
expect(bpy.ops.cairn.bake() == {"FINISHED"}, scene.cairn.message)
summary = scene.cairn.summary()
expect(summary["certificate"]["verdict"] == "clean", summary["certificate"])
expect(panel.told(summary)[0] == (f"Certificate: clean, {summary['end'] - summary['start']} frames checked", True), panel.told(summary))
expect(not scene.rigidbody_world.enabled, "Blender's own simulation goes on")
worst, shown, count, inner = compare(summary)
scene.frame_set(summary["end"])
ends = {o.name: (motion(o.name), scene.objects[o.name].matrix_world.to_quaternion()) for o in scene.objects}
if name == "pusher":
    expect((summary["start"], summary["end"]) == (11, 60), "the cache's frames were not taken")
    expect(abs(summary["fps"] - 25 / 0.8) < 1e-5, f"{summary['fps']} frames a second")
    waited = any(row["script"] == "Cube" for row in summary["late"])
    expect(scene.objects["Cube"].cairn.baked == waited, "a script has keyframes of its own exactly if it had to wait")
    moved = scene.objects["Block 3"].animation_data.action
    expect(moved.fcurves.find("scale", index=0) is not None, "curves beside location and rotation are gone")
mine, theirs = blenders_own(summary)
expect(mine["verdict"] == "clean", "the recording's certificate")
for item in scene.objects if name == "linkage" else ():  # joints stop and turn the way Blender's do
    if item.rigid_body and item.rigid_body.type == "ACTIVE" and item.location.y in (0, 6, 15, 18, 21, 24):
        place, turn = ends[item.name]
        expect((motion(item.name) - place).length < 0.1, f"{item.name} ends at {place}, with Blender's solver at {motion(item.name)}")
        slant = item.matrix_world.to_quaternion().rotation_difference(turn).angle
        expect(min(slant, 2 * math.pi - slant) < 0.1, f"{item.name} ends {slant} rad away from where Blender's solver turns it")
if name == "tower":
    tried_options()
print("ADDON " + json.dumps({
    "file": name, "blender": bpy.app.version_string, "bodies": summary["bodies"], "frames": summary["frames"],
    "keyframes": summary["keys"], "keys": count, "inside": inner, "worst": worst, "shown": shown, "held": summary["held"],
    "verdict": mine["verdict"], "blender_verdict": theirs["verdict"], "blender_overlaps": theirs["overlaps"],
    "blender_passages": theirs["passages"], "blender_depth": theirs.get("depth"), "blender_min_gap": theirs["min_gap"],
}))
