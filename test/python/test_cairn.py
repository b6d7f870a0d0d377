"""The Python package against the library: structs, arrays, inputs, snapshots, recordings, threads, bad input.

    CAIRN_LIBRARY=libcairn.so PYTHONPATH=python python3 test/python/test_cairn.py
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import cairn
from cairn import _native as n

ROOT = Path(__file__).resolve().parent.parent.parent


def pile(count=20, **options):
    scene = cairn.Scene(gravity=(0, 0, -10), **options)
    scene.add_body(scene.halfspace(), type="fixed", name="floor")
    cube = scene.box(0.5, 0.5, 0.5, name="cube")
    for i in range(count):
        scene.add_body(cube, position=(0.6 * (i % 3), 0.1 * (i % 2), 0.3 + 0.55 * (i // 3)), name=f"cube {i}")
    return scene


class Documented(unittest.TestCase):
    def test_every_public_class_and_call_says_what_it_does(self):
        bare = []
        for name in (name for name in vars(cairn) if not name.startswith("_")):
            what = getattr(cairn, name)
            if isinstance(what, type) and not issubclass(what, (tuple, ctypes.Structure)):
                bare += [f"{name}.{call}" for call, made in vars(what).items() if not call.startswith("_")
                         and (callable(made) or isinstance(made, property)) and not made.__doc__]
            if callable(what) and not what.__doc__:
                bare.append(name)
        self.assertEqual(bare, [])


class Kinds(unittest.TestCase):
    def test_pulley_gear_and_six_axes(self):
        scene = cairn.Scene()
        cube = scene.box(0.2, 0.2, 0.2)
        a = scene.add_body(cube, position=(-1, 0, 2), mass=2)
        b = scene.add_body(cube, position=(1, 0, 1), mass=1)
        rope = scene.add_joint("pulley", a, b, (-1, 0, 2), point_b=(1, 0, 1), over=(-1, 0, 6), over_b=(1, 0, 6))
        c = scene.add_body(cube, position=(5, 0, 2))
        d = scene.add_body(cube, position=(7, 0, 2))
        one = scene.add_joint("hinge", None, c, (5, 0, 2), motor="force", most=0.1)
        two = scene.add_joint("hinge", None, d, (7, 0, 2))
        scene.add_gear(one, two, -2)
        e = scene.add_body(cube, position=(9, 0, 2))
        scene.add_joint("6dof", None, e, (9, 0, 2), axes=["locked", "locked", (-0.5, 0), "locked", "locked", "free"])
        world = cairn.World(scene)
        world.run(15)
        self.assertAlmostEqual(world.joint(rope)["position"], 9, 9)
        self.assertAlmostEqual(world.joint(one)["position"], -2 * world.joint(two)["position"], 9)
        self.assertAlmostEqual(world.pose(e)[2], 1.5, 6)
        self.assertIn("joint", [cairn.MARKS[m["kind"]] for m in world.marks()])
        world.set_fps(120)
        before = world.time
        world.step()
        self.assertAlmostEqual(world.time - before, 1 / 120, 12)

    def test_filter_and_sensor(self):
        scene = cairn.Scene()
        cube = scene.box(0.5, 0.5, 0.5)
        shelf = scene.add_body(scene.box(4, 4, 0.2), position=(0, 0, 1), type="fixed")
        ghost = scene.add_body(cube, position=(-1, 0, 2))
        scene.add_body(cube, position=(1, 0, 2))
        asked = []

        def collide(world, a, b):
            asked.append((a, b))
            return ghost not in (a, b)
        world = scene.world(collide=collide)
        space, gate = cairn.Space(world), cairn.Sensor(world, cube, (-1, 0, 0.2))
        told = []
        for _ in range(30):
            world.step()
            space.update()
            told += [cairn.VISITS[v["kind"]] for v in gate.update(space)]
        self.assertLess(world.pose(ghost)[2], 0)
        self.assertEqual(len(asked), len(set(asked)))
        self.assertEqual((told.count("begin"), told.count("end")), (1, 1))
        self.assertIn((shelf, ghost), asked)


class Scenes(unittest.TestCase):
    def test_events_act_at_their_frames(self):
        scene = cairn.Scene(gravity=(0, 0, 0))
        ball = scene.sphere(0.2)
        pushed, blown = scene.add_body(ball, mass=2), scene.add_body(ball, position=(5, 0, 0))
        door = scene.add_body(scene.box(0.2, 1, 1), position=(20, 0, 0), mass=1)
        hinge = scene.add_joint("hinge", None, door, (20, 0, 0))
        scene.add_event("impulse", 3, body=pushed, impulse=(0, 4, 0))
        scene.add_event("blast", 3, point=(6, 0, 0), speed=2)
        scene.add_event("drive", 5, joint=hinge, motor="speed", speed=1.5, most=100)
        world = scene.world()
        world.run(3)
        self.assertEqual(np.abs(world.velocities()).max(), 0)
        world.run(1)
        np.testing.assert_allclose(world.velocity(pushed)[:3], (-2 / 36, 2, 0), atol=1e-9)
        np.testing.assert_allclose(world.velocity(blown)[:3], (-2, 0, 0), atol=1e-9)
        world.run(10)
        self.assertAlmostEqual(world.joint(hinge)["speed"], 1.5, 6)
        for bad in (dict(kind="bang", frame=1), dict(kind="impulse", frame=1)):
            with self.assertRaises(cairn.CairnError):
                scene.add_event(**bad)

    def test_fields_and_pairs(self):
        scene = cairn.Scene(gravity=(0, 0, 0))
        ice, sole = scene.preset("ice"), scene.preset("rubber")
        ball = scene.sphere(0.2)
        inside, outside = scene.add_body(ball), scene.add_body(ball, position=(9, 0, 0))
        scene.add_field("gravity", acceleration=(0, 0, 3), box=((-1, -1, -5), (1, 1, 50)))
        scene.set_pair(ice, sole, friction=0.2, kinetic_friction=0.1)
        slope = scene.add_body(scene.box(4, 1, 0.1), position=(20, 0, 0), type="fixed", material=ice)
        world = scene.world()
        world.run(30)
        self.assertAlmostEqual(world.velocity(inside)[2], 3, 9)
        self.assertEqual(np.abs(world.velocity(outside)).max(), 0)
        self.assertTrue(world.has(slope))
        with self.assertRaisesRegex(cairn.CairnError, "acceleration"):
            scene.add_field("gravity", accelleration=(0, 0, 3))
        with self.assertRaises(cairn.CairnError):
            scene.set_pair(ice, sole, friction=-1)

    def test_an_emitter_of_mixed_shapes(self):
        scene = cairn.Scene(gravity=(0, 0, -10), frames=60)
        scene.add_body(scene.halfspace(), type="fixed")
        kinds = [dict(shape=scene.box(0.2, 0.2, 0.2), position=(0, 0, 3), color=(1, 0, 0)), dict(shape=scene.sphere(0.1), position=(0, 0, 3))]
        scene.add_emitter("toy", kinds, start=2, every=10, batches=5, choices=2, jitter={"position": (0.3, 0.3, 0)})
        world = scene.world()
        world.run(60)
        self.assertEqual(len(world), 6)
        shapes = {world.info(body).shape for body in world.bodies()[1:]}
        self.assertEqual(len(shapes), 2)
        self.assertIsNotNone(world.find("toy.4"))

    def test_a_mesh_as_hulls_shows_the_mesh(self):
        points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0)]
        points += [(x, y, 1) for x, y, _ in points]
        sides = [t for i in range(6) for t in ((i, (i + 1) % 6, (i + 1) % 6 + 6), (i, (i + 1) % 6 + 6, i + 6))]
        triangles = [(0, 3, 1), (1, 3, 2), (0, 5, 3), (3, 5, 4), (6, 7, 9), (7, 8, 9), (6, 9, 11), (9, 10, 11), *sides]
        scene = cairn.Scene()
        scene.add_body(scene.halfspace(), type="fixed")
        ell = scene.add_body(scene.decompose(points, triangles), position=(0, 0, 0.01))
        self.assertLess(max(scene.standoff(ell)), 1e-9)
        seen = scene.mesh(points, triangles, visual=True, colors=np.ones((12, 3)), uvs=np.zeros((12, 2)))
        scene.add_body(scene.box(2, 2, 1), position=(9, 1, 0.51), visual=seen, roughness=0.3)
        with self.assertRaises(ValueError):
            scene.mesh(points, triangles, visual=True, colors=np.ones((11, 3)))
        scene.set_camera((8, -9, 4), (4, 0, 0), follow=ell)
        scene.set_light((0, 1, -1))
        with tempfile.TemporaryDirectory() as folder:
            world = scene.world()
            with cairn.Recorder(f"{folder}/l.cairn", world) as recorder:
                recorder.step()
            cairn.Recording(f"{folder}/l.cairn").export(f"{folder}/l.glb")
            glb = Path(f"{folder}/l.glb").read_bytes()
        for word in (b"TEXCOORD_0", b"COLOR_0", b"KHR_lights_punctual", b'"camera"'):
            self.assertIn(word, glb)

    def test_scripts_are_set_anew_and_motors_have_keys(self):
        scene = cairn.Scene(gravity=(0, 0, 0))
        box, still = scene.box(1, 1, 1), (1, 0, 0, 0)
        lift = scene.add_body(box, type="scripted", keys=[(0, (0, 0, 0), still), (1, (0, 0, 1), still)])
        flap = scene.add_body(box, position=(9, 0, 0), mass=1)
        hinge = scene.add_joint("hinge", None, flap, (9, 0, 0), motor="keys", keys=[(0, 0), (1, 0.5)], stiffness=500, damping=50, most=1e4)
        world = scene.world()
        world.run(15)
        self.assertAlmostEqual(world.pose(lift)[2], 0.5, 9)
        world.set_script(lift, [(1, (2, 0, 0.5), still)])
        world.run(30)
        np.testing.assert_allclose(world.pose(lift)[:3], (2, 0, 0.5), atol=1e-9)
        self.assertAlmostEqual(world.joint(hinge)["position"], 0.5, 2)


class Structs(unittest.TestCase):
    def test_sizes_are_those_of_the_header(self):
        structs = [s for s in vars(n).values() if isinstance(s, type) and issubclass(s, ctypes.Structure)]
        self.assertGreater(len(structs), 30)
        words = {s: n.C_NAMES.get(s) or "cairn_" + "".join("_" + c.lower() if c.isupper() else c for c in s.__name__)[1:]
                 for s in structs}
        lines = [f'printf("%zu\\n", sizeof({word}));' for word in words.values()]
        dtypes = {"cairn_contact": cairn.CONTACT, "cairn_impact": cairn.IMPACT, "cairn_hit": cairn.HIT,
                  "cairn_touch": cairn.TOUCH, "cairn_visit": cairn.VISIT, "cairn_mark": cairn.MARK, "cairn_track_key": cairn.KEY}
        lines += [f'printf("%zu\\n", sizeof({word}));' for word in dtypes]
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "sizes.c"
            source.write_text("#include <cairn/cairn.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\n}\n")
            subprocess.check_call([os.environ.get("CC", "cc"), f"-I{ROOT / 'include'}", str(source), "-o", f"{folder}/sizes"])
            sizes = [int(x) for x in subprocess.check_output([f"{folder}/sizes"]).split()]
        found = [ctypes.sizeof(s) for s in words] + [d.itemsize for d in dtypes.values()]
        self.assertEqual(dict(zip(list(words.values()) + list(dtypes), found)),
                         dict(zip(list(words.values()) + list(dtypes), sizes)))


class Worlds(unittest.TestCase):
    def test_arrays_are_what_each_body_says(self):
        world = pile().world()
        world.run(20)
        poses, velocities = world.poses(), world.velocities()
        self.assertEqual(poses.shape, (21, 7))
        for i, body in enumerate(world.bodies()):
            np.testing.assert_array_equal(poses[i], world.pose(body))
            np.testing.assert_array_equal(velocities[i], world.velocity(body))
        room = np.empty((21, 7))
        self.assertIs(world.poses(out=room), room)  # no copy
        np.testing.assert_array_equal(room, poses)
        for bad in (np.empty((20, 7)), np.empty((21, 7), np.float32), np.empty((7, 21)).T, [1]):
            with self.assertRaises((ValueError, AttributeError)):
                world.poses(out=bad)

    def test_contacts_hold_the_weight(self):
        scene = cairn.Scene(gravity=(0, 0, -10))
        scene.add_body(scene.halfspace(), type="fixed")
        box = scene.add_body(scene.box(1, 1, 1), position=(0, 0, 0.501), mass=3)
        world = scene.world()
        world.run(30)
        contacts = world.contacts()
        self.assertEqual(len(contacts), 4)
        on_box = np.where((contacts["b"]["index"] == box.index)[:, None], contacts["impulse"], -contacts["impulse"])
        self.assertAlmostEqual(on_box[:, 2].sum(), 3 * 10 / 30, places=4)
        self.assertEqual(len(world.impacts()), 0)

    def test_inputs_do_something(self):
        scene = cairn.Scene(gravity=(0, 0, 0))
        ball = scene.add_body(scene.sphere(0.5), mass=2)
        world = scene.world()
        world.push(ball, (60, 0, 0))
        world.step()
        self.assertAlmostEqual(world.velocity(ball)[0], 1)
        world.impulse(ball, (0, 4, 0))
        self.assertAlmostEqual(world.velocity(ball)[1], 2)
        world.set_velocity(ball, (0, 0, 1), (1, 2, 3))
        np.testing.assert_allclose(world.velocity(ball), [0, 0, 1, 1, 2, 3], atol=1e-12)
        world.set_damping(ball, 1, 0)
        world.set_gravity((0, -1, 0))
        world.run(30)
        self.assertLess(world.velocity(ball)[2], 0.4)
        self.assertLess(world.velocity(ball)[1], -0.5)
        world.drag(ball, (0, 0, 5))
        world.run(60)
        world.release(ball)
        self.assertLess(abs(world.pose(ball)[2] - 5), 0.3)
        world.set_material(ball, world.material(friction=0))
        world.set_pose(ball, (0, 0, 9))
        world.set_mass(ball, 3)
        self.assertEqual(world.info(ball).mass, 3)
        world.set_shape(ball, world.box(0.1, 0.1, 0.1))
        world.set_filter(ball, 1, 1)
        world.set_gravity_scale(ball, 0)
        weld = world.add_joint("weld", ball, None, (0, 0, 9))
        world.run(3)
        self.assertLess(abs(world.pose(ball)[2] - 9), 1e-9)
        world.remove_joint(weld)
        world.set_type(ball, "fixed")
        world.set_type(ball, "dynamic")
        with self.assertRaisesRegex(cairn.CairnError, "no such joint"):
            world.remove_joint(weld)
        other = world.add_body(world.box(1, 1, 1), position=(9, 0, 0), name="late")
        self.assertEqual(world.find("late"), other)
        self.assertEqual(len(world), 2)
        world.remove(other)
        self.assertFalse(world.has(other))
        world.blast((0, 0, 0), 3)
        world.step()

    def test_snapshots_give_the_same_bits(self):
        world = pile().world()
        world.run(15)
        saved, bits = world.snapshot(), world.hash
        world.run(20)
        later = world.hash
        world.restore(saved)
        self.assertEqual(world.hash, bits)
        self.assertEqual(world.snapshot(), saved)
        world.run(20)
        self.assertEqual(world.hash, later)
        for bad in (saved[:-1], b"", b"x" * 100, saved[:50] + b"?" + saved[51:]):
            with self.assertRaises(cairn.CairnError):
                world.restore(bad)
        self.assertEqual(world.hash, later)

    def test_many_worlds_on_threads(self):
        one, many = [pile(6).world() for _ in range(6)], [pile(6).world() for _ in range(6)]
        cairn.step_all(one, 20, threads=1)
        reports = cairn.step_all(many, 20, threads=3)
        self.assertEqual([w.hash for w in one], [w.hash for w in many])
        self.assertEqual([r.frame for r in reports], [20] * 6)

    def test_worlds_that_are_refused_stop_no_others(self):
        worlds = [pile(3).world() for _ in range(7)]
        for i in (2, 5):
            worlds[i].add_body(worlds[i].box(1, 1, 1), position=(0, 0, 0.3), name=f"inside {i}")
        with self.assertRaisesRegex(cairn.StepError, "inside 2"):
            cairn.step_all(worlds, 3, threads=2)
        self.assertEqual([w.frame for w in worlds], [0 if i in (2, 5) else 3 for i in range(7)])

    def test_the_lock_is_released(self):
        """While one thread is inside a step, this one goes on: in one of some steps at least, as threads may not get a
        processor just then."""
        world, most = pile(300).world(), 0

        def run(inside: threading.Event, done: threading.Event) -> None:
            inside.set()
            n.lib.cairn_world_step(world._pointer)
            done.set()

        for _ in range(50):
            inside, done, counted = threading.Event(), threading.Event(), 0
            thread = threading.Thread(target=run, args=(inside, done))
            thread.start()
            inside.wait()
            while not done.is_set():
                counted += 1
            thread.join()
            most = max(most, counted)
            if most > 100:
                break
        self.assertGreater(most, 100)


class Queries(unittest.TestCase):
    def test_rays_casts_and_places(self):
        scene = cairn.Scene()
        floor = scene.add_body(scene.halfspace(), type="fixed")
        ball = scene.add_body(scene.sphere(0.5), position=(0, 0, 2))
        dot = scene.sphere(0.1)
        space = scene.world().space()
        hits = space.rays([[0, 0, 9], [5, 0, 9], [0, 0, 9]], [[0, 0, -20], [0, 0, -20], [0, 0, 1]])
        np.testing.assert_array_equal(hits["body"]["index"], [ball.index, floor.index, 0])
        np.testing.assert_array_equal(hits["body"]["generation"], [1, 1, 0])
        np.testing.assert_allclose(hits["point"][:2, 2], [2.5, 0], atol=1e-12)
        self.assertEqual(len(space.ray_all((0, 0, 9), (0, 0, -20))), 2)
        self.assertEqual(space.ray((0, 0, 9), (0, 0, -20), exclude=ball)["body"]["index"], floor.index)
        self.assertIsNone(space.ray((0, 0, 9), (0, 0, 1)))
        self.assertIsNone(space.ray((0, 0, float("nan")), (0, 0, 1)))
        self.assertAlmostEqual(float(space.cast(dot, (0, 0, 4), (0, 0, -4))["share"]), 1.4 / 4, places=9)
        self.assertEqual(space.overlap(dot, (0, 0, 2.4)), [ball])
        self.assertEqual(space.overlap(dot, (0, 0, 0)), [floor])
        self.assertEqual(space.box((-1, -1, 1), (1, 1, 2)), [ball])
        with self.assertRaises(ValueError):
            space.rays([[0, 0]], [[0, 0]])

    def test_a_space_outlives_its_names(self):
        space = pile(3).world().space()  # nobody else holds the world
        self.assertIsNotNone(space.ray((0, 0, 9), (0, 0, -20)))

    def test_any_order_at_the_end(self):
        """Objects of a circle are finalized in any order."""
        for first in (0, 1, 2):
            world = pile(3).world()
            objects = [world, world.space(), world.watch()]
            for i in range(3):
                objects[(first + i) % 3].__del__()
                objects[(first + i) % 3]._pointer = None


class Files(unittest.TestCase):
    def test_a_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            world, path = pile(5).world(), Path(folder) / "run.cairn"
            with cairn.Recorder(path, world) as recorder:
                for _ in range(25):
                    recorder.step()
            with self.assertRaises(cairn.CairnError):  # it exists
                cairn.Recorder(path, world)
            recording = cairn.Recording(path)
            info = recording.info()
            self.assertTrue(info["complete"] and info["last_frame"] == 25 and info["bodies"] == 6)
            self.assertEqual([b.name for b in recording.bodies()][:2], ["floor", "cube 0"])
            keys = recording.keys(25)
            np.testing.assert_array_equal(keys["position"][keys["track"] == 3][-1], world.pose(world.find("cube 2"))[:3])
            np.testing.assert_array_equal(recording.positions(25)[3], world.poses()[3, :3])
            self.assertEqual(recording.world(25).hash, world.hash)
            self.assertEqual(recording.certify(threads=1)["verdict"], "clean")
            recording.export(Path(folder) / "run.csv")
            self.assertTrue((Path(folder) / "run.csv").read_text().startswith("# cairn csv 1"))
            for call in (lambda: recording.keys(26), lambda: recording.export(Path(folder) / "run.xyz"),
                         lambda: cairn.Recording(Path(folder) / "none.cairn")):
                with self.assertRaises(cairn.CairnError):
                    call()

    def test_scene_files(self):
        scene = cairn.Scene.read(ROOT / "scenes" / "stack.json")
        self.assertGreater(len(scene), 1)
        scene.world().step()
        with self.assertRaises(cairn.CairnError) as caught:
            cairn.Scene.from_json('{"version": 1, "bodyes": []}', "mine.json")
        self.assertEqual((caught.exception.code, caught.exception.file, caught.exception.line), ("invalid", "mine.json", 1))
        with self.assertRaises(cairn.CairnError) as caught:
            cairn.Scene.read("there/is/none.json")
        self.assertEqual(caught.exception.code, "file")


class BadInput(unittest.TestCase):
    def test_what_is_refused_says_why(self):
        scene = cairn.Scene()
        ball = scene.sphere(1)
        cases = [lambda: scene.sphere(0), lambda: scene.box(1, 1, float("nan")), lambda: scene.hull([[0, 0, 0]]),
                 lambda: scene.mesh([[0, 0, 0]], [[0, 1, 2]]), lambda: scene.material(restitution=2),
                 lambda: scene.preset("cheese"), lambda: scene.add_body(ball, type="moving"),
                 lambda: scene.add_body(cairn.Shape(99, 1)), lambda: scene.add_body(ball, orientation=(0, 0, 0, 0)),
                 lambda: scene.add_joint("glue", None, None, (0, 0, 0)), lambda: cairn.Scene(fps=-1),
                 lambda: cairn.Scene(sleep="maybe"), lambda: scene.set("nothing", 1), lambda: scene.get("nothing"),
                 lambda: scene.compound([(cairn.Shape(99, 1), (0, 0, 0), (1, 0, 0, 0))])]
        for i, case in enumerate(cases):
            with self.assertRaises(cairn.CairnError, msg=str(i)) as caught:
                case()
            self.assertTrue(caught.exception.message)
        for case in (lambda: scene.add_body(ball, position=(1, 2)), lambda: scene.hull([1, 2, 3]),
                     lambda: scene.heightfield((1, 1), [1, 2])):
            with self.assertRaises(ValueError):
                case()

    def test_what_was_meant_is_said(self):
        scene = cairn.Scene()
        ball = scene.sphere(1)
        scene.add_body(ball, name="ball")
        world = scene.world()
        cases = [(lambda: scene.preset("cheese"), "presets are .*wood.*rubber"), (lambda: scene.add_body(ball, material="cheese"), "presets are"),
                 (lambda: scene.add_body(ball, position=(1, 2)), r"expected 3 numbers, found \(1, 2\)"),
                 (lambda: scene.add_body(ball, velocity=3), "expected 3 numbers, found 3"),
                 (lambda: scene.add_body("ball"), "found the text 'ball'"), (lambda: world.pose("ball"), r"find\('ball'\)")]
        cases += [(lambda call=call: call(world.find("bal")), "no such body") for call in (world.pose, world.velocity, world.asleep, world.info)]
        for case, said in cases:
            with self.assertRaisesRegex((cairn.CairnError, TypeError, ValueError), said):
                case()
        self.assertRegex(repr(world.step()), r"^StepReport\(status=0, frame=1, time=0.0333333, moving=1, ")

    def test_materials_by_name(self):
        scene = cairn.Scene()
        ball, own = scene.sphere(0.1), scene.material("oak", density=900)
        bodies = [scene.add_body(ball, position=(i, 0, 0), material=name) for i, name in enumerate(("wood", "oak", "wood"))]
        world = scene.world()
        bodies.append(world.add_body(ball, position=(4, 0, 0), material="wood"))
        bodies.append(world.add_body(ball, position=(5, 0, 0), material="wood"))
        materials = [world.info(body).material for body in bodies]
        self.assertEqual(materials[1], own)
        self.assertEqual(materials[0], materials[2])
        masses = [world.info(body).mass for body in bodies]
        self.assertEqual(masses[0], masses[3])
        self.assertEqual(masses[0], masses[4])
        self.assertNotEqual(masses[0], masses[1])

    def test_worlds(self):
        scene = cairn.Scene()
        ball = scene.sphere(1)
        a, _ = scene.add_body(ball, name="a"), scene.add_body(ball, position=(0.5, 0, 0), name="b")
        with self.assertRaises(cairn.CairnError) as caught:
            scene.world()
        self.assertEqual(caught.exception.code, "invalid")
        world = pile(2).world()
        gone = cairn.Body(77, 1)
        for case in (lambda: world.push(gone, (0, 0, 1)), lambda: world.push(world.bodies()[1], (float("inf"), 0, 0)),
                     lambda: world.info(gone), lambda: world.remove(gone), lambda: world.gap(gone, a),
                     lambda: world.release(world.bodies()[1]), lambda: world.set_gravity((float("nan"), 0, 0))):
            with self.assertRaises(cairn.CairnError):
                case()
        world.add_body(world.box(1, 1, 1), position=(0, 0, 0.3), name="inside")
        with self.assertRaises(cairn.StepError) as refused:
            world.step()
        self.assertIn("inside", str(refused.exception))
        self.assertNotEqual(refused.exception.report.status, 0)


class Servos(unittest.TestCase):
    def test_a_servo_leads_a_hinge_to_its_target(self):
        scene = cairn.Scene()
        arm = scene.add_body(scene.box(0.1, 0.1, 1), position=(0, 0, -0.5))
        hinge = scene.add_joint("hinge", None, arm, (0, 0, 0), axis=(0, 1, 0), motor="servo", target=0.5, stiffness=1e6,
                                damping=1e5, most=1e6)
        world = scene.world()
        for _ in range(60):
            world.step()
        self.assertAlmostEqual(world.joint(hinge)["position"], 0.5, delta=1e-3)
        world.set_servo(hinge, -0.25, 1e6, 1e5, 1e6)
        for _ in range(60):
            world.step()
        self.assertAlmostEqual(world.joint(hinge)["position"], -0.25, delta=1e-3)
        with self.assertRaises(cairn.CairnError):
            world.set_servo(hinge, 0, -1, 0, 1)


if __name__ == "__main__":
    print(f"cairn {cairn.__version__}, Python {sys.version.split()[0]}, numpy {np.__version__}")
    unittest.main()
