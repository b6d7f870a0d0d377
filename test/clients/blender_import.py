# blender --background --factory-startup --python-exit-code 3 --python blender_import.py -- FILE.glb FILE.csv
# Imports the .glb and compares the poses Blender shows with the CSV's, frame by frame and between keys. An exception
# ends Blender with the code named above.
import json
import sys

import bpy
from mathutils import Quaternion, Vector

try:
    import numpy  # which Blender's importer needs and Debian's Blender does not bring
except ImportError:
    print("SKIP Blender's glTF importer needs numpy (python3-numpy), which is not installed")
    sys.exit(0)

WITHIN = 2e-5  # Blender's matrices are 32-bit

if "bool" not in vars(numpy):  # Blender 3.4's importer uses a name that numpy 1.24 removed
    numpy.bool = bool

glb, csv = sys.argv[sys.argv.index("--") + 1:]
with open(csv, encoding="utf-8") as file:
    lines = file.read().splitlines()
scene = json.loads(lines[1][1:])
bodies = [json.loads(line[len("# body "):]) for line in lines if line.startswith("# body ")]
columns = next(line for line in lines if line.startswith("frame,")).split(",")
rows = [dict(zip(columns, map(float, line.split(",")))) for line in lines if line[0].isdigit()]

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = round(scene["fps"])  # before the import, which turns seconds into frames with it
bpy.ops.import_scene.gltf(filepath=glb)
objects = {o["body"]: o for o in bpy.data.objects if "body" in o}
present = {int(row["body"]) for row in rows}
assert set(objects) == present, f"objects {sorted(objects)}, bodies {sorted(present)}"


def look(frame):
    bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1)
    return bpy.context.evaluated_depsgraph_get()


def compare(shown, place, turn, what):
    off = (shown.to_translation() - place).length / max(1, place.length)
    found = shown.to_quaternion()
    slant = min((found - turn).magnitude, (found + turn).magnitude)
    assert off < WITHIN and slant < WITHIN, f"{what}: {off} off, turned {slant}"
    return max(off, slant)


own = {}
for row in rows:
    own[int(row["frame"]), int(row["body"])] = row
last = int(rows[-1]["frame"])
worst, compared = 0, 0
for frame in range(0, last + 1, 5):
    graph = look(frame)
    for body, item in objects.items():
        shown = item.evaluated_get(graph).matrix_world
        row = own.get((frame, body))
        if row is None:
            assert shown.to_scale().length < 1e-5, f"{item.name} is not there at frame {frame}"
            continue
        place = Vector((row["x"], row["y"], row["z"]))
        turn = Quaternion((row["qw"], row["qx"], row["qy"], row["qz"]))
        worst = max(worst, compare(shown, place, turn, f"{item.name}, frame {frame}"))
        compared += 1
assert compared > len(objects)

# The fast body has keys inside its frames: Blender has them all.
spinner = next((b["index"] for b in bodies if b["name"] == "spinner"), None)
if spinner is not None:
    keys = [row for row in rows if row["body"] == spinner]
    curve = objects[spinner].animation_data.action.fcurves.find("rotation_quaternion", index=0)
    assert len(curve.keyframe_points) == len(keys), f"{len(curve.keyframe_points)} keys of {len(keys)}"
    for row in keys[1:40:3]:
        item = objects[spinner].evaluated_get(look(row["time"] * scene["fps"])).matrix_world
        turn = Quaternion((row["qw"], row["qx"], row["qy"], row["qz"]))
        # Blender keeps the number of a frame in 32 bits: near frame 30 a rounding turns 200 rad/s by 1e-5 rad.
        found = item.to_quaternion()
        slant = min((found - turn).magnitude, (found + turn).magnitude)
        assert slant < 2e-3, f"spinner at {row['time']} s: turned {slant}"
print(f"BLENDER {bpy.app.version_string}: {compared} poses, worst {worst:.2g}")
