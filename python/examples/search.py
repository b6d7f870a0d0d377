"""A search with snapshots: which push sends the ball nearest to a mark? Each try starts from the same bits."""
import cairn

scene = cairn.Scene()
scene.add_body(scene.halfspace(), type="fixed")
ball = scene.add_body(scene.sphere(0.2), position=(0, 0, 0.3), mass=1)
scene.add_body(scene.box(0.1, 4, 0.5), position=(2, 0, 0.26), type="fixed")  # a wall to get over
world = scene.world()
start = world.snapshot()
best = (float("inf"), 0.0)
for speed in (4.0, 5.0, 6.0, 7.0, 8.0):
    world.restore(start)
    world.impulse(ball, (0.6 * speed, 0, 0.8 * speed))
    while world.velocity(ball)[2] > 0 or world.pose(ball)[2] > 0.25:
        world.step()
    miss = abs(world.pose(ball)[0] - 3.5)
    print(f"{speed:.0f} m/s lands at x = {world.pose(ball)[0]:.2f} m")
    best = min(best, (miss, speed))
print(f"the best is {best[1]:.0f} m/s, {best[0]:.2f} m off")
world.restore(start)
assert world.snapshot() == start
