"""A run as a file: recorded, read back, certified, run again from its middle, exported."""
import tempfile
from pathlib import Path

import cairn

scene = cairn.Scene(name="tower", fps=30)
scene.add_body(scene.halfspace(), type="fixed", name="floor")
cube = scene.box(0.5, 0.5, 0.5)
for i in range(6):
    scene.add_body(cube, position=(0.03 * i, 0, 0.26 + 0.51 * i), name=f"cube {i}")
world = scene.world()
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "tower.cairn"
    with cairn.Recorder(path, world) as recorder:
        for frame in range(60):
            if frame == 20:
                world.impulse(world.find("cube 5"), (60, 0, 0))  # inputs are in the recording too
            recorder.step()
    recording = cairn.Recording(path)
    info = recording.info()
    print(f"{info['last_frame'] + 1} frames of {info['bodies']} bodies, {info['size']} bytes, complete: {info['complete']}")
    print(f"cube 5 at frame 60: {recording.positions(60)[6].round(3)}")
    certificate = recording.certify(threads=1)
    print(f"certificate: {certificate['verdict']}, {certificate['overlaps']} overlaps")
    again = recording.world(40)
    again.run(20)
    print(f"run again from frame 40: {'the same bits' if again.hash == world.hash else 'other bits'}")
    for ending in ("glb", "csv"):
        recording.export(path.with_suffix("." + ending))
        print(f"exported .{ending}: {path.with_suffix('.' + ending).stat().st_size} bytes")
    assert again.hash == world.hash and certificate["verdict"] == "clean"
