"""Twelve dominoes: the first is pushed over, and the wave runs through."""
import numpy as np

import cairn

scene = cairn.Scene(fps=60)
scene.add_body(scene.halfspace(), type="fixed")
stone = scene.box(0.04, 0.2, 0.4)
row = [scene.add_body(stone, position=(0.15 * i, 0, 0.2005)) for i in range(12)]
world = scene.world()
world.impulse(row[0], (9, 0, 0), point=(0, 0, 0.38))
fallen = {}
for _ in range(240):
    world.step()
    upright = 1 - 2 * (world.poses()[1:, 5] ** 2 + world.poses()[1:, 4] ** 2)  # z of the stones' own z axes
    for i in np.flatnonzero(upright < 0.7):
        fallen.setdefault(int(i), world.time)
for i, time in sorted(fallen.items()):
    print(f"stone {i:2d} fell at {time:.2f} s")
assert len(fallen) == 12 and list(fallen) == sorted(fallen)
