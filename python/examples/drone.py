"""Forces every frame: a controller holds a drone at a point while gravity changes."""
import numpy as np

import cairn

scene = cairn.Scene(gravity=(0, 0, -10), fps=60)
drone = scene.add_body(scene.box(0.4, 0.4, 0.1), position=(0, 0, 1), mass=1.5)
world = scene.world()
goal, gravity = np.array([1.0, -0.5, 2.0]), np.array([0, 0, -10.0])
for frame in range(300):
    if frame == 150:
        gravity = np.array([1.0, 0, -12])
        world.set_gravity(gravity)
    position, velocity = world.pose(drone)[:3], world.velocity(drone)[:3]
    world.push(drone, 1.5 * (25 * (goal - position) - 9 * velocity - gravity))
    world.step()
print("it hovers at", world.pose(drone)[:3].round(3))
assert np.allclose(world.pose(drone)[:3], goal, atol=1e-3)
