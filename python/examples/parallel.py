"""Many worlds at once: the lock is released while they step, and the bits are the same as one by one."""
import numpy as np

import cairn


def make(seed: int) -> cairn.World:
    random = np.random.default_rng(seed)
    scene = cairn.Scene()
    scene.add_body(scene.halfspace(), type="fixed")
    cube = scene.box(0.4, 0.4, 0.4)
    for i in range(12):
        x, y = random.uniform(-0.3, 0.3, 2)
        scene.add_body(cube, position=(x, y, 0.5 + 0.6 * i), spin=random.uniform(-2, 2, 3))
    return scene.world()


one, several = [make(i) for i in range(8)], [make(i) for i in range(8)]
cairn.step_all(one, frames=45, threads=1)
reports = cairn.step_all(several, frames=45, threads=4)
assert [w.hash for w in one] == [w.hash for w in several]
heights = np.array([w.poses()[1:, 2].max() for w in several])
print(f"{len(several)} worlds, {sum(r.contacts for r in reports)} contact points, piles {heights.min():.2f} to {heights.max():.2f} m high")
