"""What began to touch, ended, and hit: a watch tells after each step."""
import cairn

scene = cairn.Scene(gravity=(0, 0, -10))
rubber = scene.material(restitution=0.6)
scene.add_body(scene.halfspace(), type="fixed", material=rubber)
scene.add_body(scene.sphere(0.5), position=(0, 0, 2), mass=1, material=rubber)
world = scene.world()
watch = world.watch()
hits, touching = [], 0
for _ in range(150):
    world.step()
    for touch in watch.update():
        kind = cairn.TOUCHES[touch["kind"]]
        touching += (kind == "begin") - (kind == "end")
        if kind == "hit" and touch["impulse"][2] > 0.5:
            hits.append(touch["impulse"][2])
            print(f"{touch['time']:.3f} s: a blow of {touch['impulse'][2]:.2f} N s")
print(f"at the end the ball {'lies on the floor' if touching else 'is in the air'}")
assert len(hits) >= 4 and all(later < earlier for earlier, later in zip(hits, hits[1:])) and touching == 1
