"""What calls cost from Python: poses of 1000 bodies, snapshot and restore, rays, worlds on two threads.

    CAIRN_LIBRARY=build/libcairn.so python3 python/bench.py
"""
import time

import numpy as np

import cairn


def best(call, rounds: int) -> float:
    """Seconds: the best of the rounds, so that a busy machine shows little."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def pile(count: int, spread: int = 10) -> cairn.Scene:
    scene = cairn.Scene()
    scene.add_body(scene.halfspace(), type="fixed")
    cube = scene.box(0.5, 0.5, 0.5)
    for i in range(count):
        scene.add_body(cube, position=(0.7 * (i % spread), 0.7 * (i // spread % spread), 0.3 + 0.6 * (i // spread ** 2)))
    return scene


world = pile(1000).world()
world.run(3)
room = np.empty((len(world), 7))
print(f"poses of {len(world)} bodies       {best(lambda: world.poses(out=room), 200) * 1e6:8.1f} us")
print(f"velocities                  {best(world.velocities, 200) * 1e6:8.1f} us")
saved = world.snapshot()
bits = world.hash
print(f"snapshot, {len(saved):7d} bytes     {best(world.snapshot, 50) * 1e3:8.3f} ms")
print(f"restore                     {best(lambda: world.restore(saved), 50) * 1e3:8.3f} ms")
assert world.hash == bits
space = world.space()
random = np.random.default_rng(1)
starts, ways = random.uniform(-1, 8, (100000, 3)), random.uniform(-8, 8, (100000, 3))
print(f"100000 rays                 {best(lambda: space.rays(starts, ways), 5) * 1e3:8.1f} ms")

worlds = [pile(20, 3).world() for _ in range(64)]
cairn.step_all(worlds, 10, threads=2)
starts_bytes = [w.snapshot() for w in worlds]


def run(threads: int) -> "tuple[float, float]":
    """Seconds by the clock and of the processor."""
    for w, b in zip(worlds, starts_bytes):
        w.restore(b)
    cairn.step_all(worlds, 1, threads=threads)  # restoring brought all of them to this thread's core
    clock, work = time.perf_counter(), time.process_time()
    cairn.step_all(worlds, 5, threads=threads)
    return time.perf_counter() - clock, time.process_time() - work


rounds = [(run(1), run(2)) for _ in range(30)]  # in turn, so that both see the same machine
clock_one, clock_two = (min(r[i][0] for r in rounds) for i in range(2))
work_one, work_two = (min(r[i][1] for r in rounds) for i in range(2))
print(f"64 worlds, 5 frames         {clock_one:8.3f} s on one thread, {clock_two:.3f} s on two: {clock_one / clock_two:.2f} times by the clock;")
print(f"                            {work_one:8.3f} s of the processor on one, {work_two:.3f} s on two: {2 * work_one / work_two:.2f} times where two cores")
print("                            are free. build/bench_worlds tells how much of the rest is the machine's")
