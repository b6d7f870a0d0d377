"""A picture by rays: how far everything is, drawn with letters. All rays go in one call."""
import numpy as np

import cairn

scene = cairn.Scene()
scene.add_body(scene.halfspace(), type="fixed")
scene.add_body(scene.sphere(1), position=(-1.2, 0, 1.01))
scene.add_body(scene.box(1.2, 1.2, 1.2), position=(1.2, 0, 0.61), orientation=(0.92388, 0, 0, 0.382683))
world = scene.world()
space = world.space()
width, height = 64, 24
x, z = np.meshgrid(np.linspace(-3, 3, width), np.linspace(1.6, -1.1, height))
ways = np.stack([x, np.full_like(x, 8), z], axis=-1).reshape(-1, 3)
hits = space.rays((0, -6, 1.2), ways * 4)
shade = np.where(hits["body"]["generation"] > 0, hits["normal"] @ np.array([-0.5, -0.6, 0.62]), -1).reshape(height, width)
for line in shade:
    print("".join(" " if s < -0.5 else ".:-=+*#%@"[min(8, max(0, int(s * 9)))] for s in line).rstrip())
seen = set(hits["body"]["index"][hits["body"]["generation"] > 0].tolist())
assert seen == {0, 1, 2}
