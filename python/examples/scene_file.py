"""A scene in the format of scene files, here as text; options over what it says; all bodies as arrays."""
import cairn

scene = cairn.Scene.from_json("""{
    "version": 1,
    "world": { "gravity": [0, 0, -10], "fps": 60 },
    "shapes": { "brick": { "box": [0.4, 0.2, 0.1] } },
    "bodies": [
        { "name": "floor", "type": "fixed", "shape": { "halfspace": { "normal": [0, 0, 1], "offset": 0 } } },
        { "name": "low", "shape": "brick", "position": [0, 0, 0.06] },
        { "name": "high", "shape": "brick", "position": [0.05, 0, 0.5] } ] }""")
scene.set("sleep", False)
world = scene.world()
report = world.run(90)
for body, pose in zip(world.bodies(), world.poses()):
    print(f"{world.info(body).name:6s} {pose[:3].round(3)}")
print(f"{report.contacts} contact points, smallest gap {report.min_gap * 1000:.2f} mm")
assert report.contacts >= 8 and report.certificate.verdict == 1

try:
    scene.add_body(scene.sphere(-1))
except cairn.CairnError as error:
    print(f"refused: {error}")
