"""Joints: a pendulum on a hinge keeps its period, and a motor turns a wheel."""
import math

import cairn

scene = cairn.Scene(gravity=(0, 0, -10), fps=120)
bob = scene.add_body(scene.sphere(0.05), position=(math.sin(0.1), 0, -math.cos(0.1)))
hinge = scene.add_joint("hinge", None, bob, point=(0, 0, 0), axis=(0, 1, 0))
wheel = scene.add_body(scene.cylinder(0.3, 0.1), position=(3, 0, 0))
axle = scene.add_joint("hinge", None, wheel, point=(3, 0, 0), axis=(0, 0, 1), motor="speed", speed=2, most=50)
world = scene.world()
crossings, last = [], 1.0
for _ in range(600):
    world.step()
    x = world.pose(bob)[0]
    if last > 0 >= x:
        crossings.append(world.time)
    last = x
period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
exact = 2 * math.pi * math.sqrt((1 + 0.4 * 0.05 ** 2) / 10) * (1 + 0.1 ** 2 / 16)
print(f"period {period:.4f} s, exact {exact:.4f} s")
print(f"wheel: {world.joint(axle)['speed']:.3f} rad/s")
assert abs(period - exact) < 0.005 and abs(world.joint(axle)["speed"] - 2) < 1e-3
world.set_motor(axle, "speed", -1, 50)
world.run(60)
assert abs(world.joint(axle)["speed"] + 1) < 1e-3
