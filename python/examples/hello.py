"""A ball falls on a floor: the smallest whole program."""
import cairn

scene = cairn.Scene(gravity=(0, 0, -10))
rubber = scene.material(restitution=0.5)
scene.add_body(scene.halfspace(), type="fixed", name="floor", material=rubber)
ball = scene.add_body(scene.sphere(0.5), position=(0, 0, 2), name="ball", material=rubber)
world = scene.world()
for frame in range(61):
    if frame % 10 == 0:
        print(f"{world.time:.2f} s: ball at z = {world.pose(ball)[2]:.3f} m")
    world.step()
assert world.gap(ball, world.find("floor")) > 0  # nothing ever overlaps
