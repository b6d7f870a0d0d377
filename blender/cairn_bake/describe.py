"""A Blender scene's rigid bodies as a scene of cairn.

Nothing is simplified in silence: what cairn cannot do stands in `problems`, what an artist should know in `notes`.
"""

import contextlib
import math

from . import constraints, shapes, turns
from .registry import OPTIONS

WORLD = "world"  # the name that joints have for what does not move
MESHES_MOVE = {"oba", "free"}  # methods that move concave meshes among other bodies


class Body:
    """An object that is baked, and what writing its keyframes needs beside the recording."""

    def __init__(self, item, name, kind):
        self.object = item.name
        self.name = name
        self.kind = kind
        self.parents = []  # turns.Placed of the parent's space, a frame; one alone if it stands still


class Description:
    def __init__(self):
        self.scene = {}
        self.bodies = []
        self.notes = []
        self.problems = []
        self.start = self.end = 1
        self.rate = 24.0  # frames a second


@contextlib.contextmanager
def without_simulation(scene):
    """Blender's own simulation stands still meanwhile, and the frame is what it was afterwards."""
    world, frame, sub = scene.rigidbody_world, scene.frame_current, scene.frame_subframe
    enabled = world.enabled
    world.enabled = False
    try:
        yield
    finally:
        world.enabled = enabled
        scene.frame_set(frame, subframe=sub)


def frame_range(scene):
    settings = scene.cairn
    if settings.range == "CUSTOM":
        return settings.start, settings.end
    cache = scene.rigidbody_world.point_cache
    end = min(cache.frame_end, scene.frame_end) if scene.frame_end > cache.frame_start else cache.frame_end
    return cache.frame_start, end


def frame_rate(scene):
    """Frames a second of simulated time: Blender's Speed makes time pass faster."""
    return scene.render.fps / scene.render.fps_base / max(scene.rigidbody_world.time_scale, 1e-6)


def gravity(scene):
    if not scene.use_gravity:
        return [0.0, 0.0, 0.0]
    weights = scene.rigidbody_world.effector_weights
    return [float(c) * weights.gravity * weights.all for c in scene.gravity]


def is_part(item):
    """A child of a compound parent is a part of it."""
    above = item.parent
    return above is not None and above.rigid_body is not None and above.rigid_body.collision_shape == "COMPOUND"


def members(scene):
    world = scene.rigidbody_world
    found = world.collection.all_objects if world.collection else []
    return [o for o in found if o.rigid_body is not None and not is_part(o)]


def has_mesh(shape):
    return "mesh" in shape or any(has_mesh(part["shape"]) for part in shape.get("compound", {}).get("parts", []))


def constraint_objects(scene):
    world = scene.rigidbody_world
    found = world.constraints.all_objects if world.constraints else []
    return [o for o in found if o.rigid_body_constraint is not None and o.rigid_body_constraint.enabled]


def parent_space(item):
    """What stands before the object's own location and rotation."""
    return turns.Placed(item.matrix_world @ item.matrix_basis.inverted())


def sample(scene, items, start, end):
    """Where objects are in every frame, and the space of their parents; at the first alone where none of that can move."""
    ways, spaces = {o.name: [] for o in items}, {o.name: [] for o in items if o.parent}
    moves = any(o.parent or o.rigid_body.kinematic for o in items)
    for frame in range(start, (end if moves else start) + 1):
        scene.frame_set(frame)
        for item in items:
            ways[item.name].append(turns.Placed(item.matrix_world))
            if item.name in spaces:
                spaces[item.name].append(parent_space(item))
    scene.frame_set(start)
    return ways, spaces


def keys_of(way, rate):
    """Script keys: a key a frame, without those in the middle of a rest."""
    keys = []
    for i, placed in enumerate(way):
        if 0 < i < len(way) - 1 and placed.same(way[i - 1], 0) and placed.same(way[i + 1], 0):
            continue
        keys.append({"time": i / rate, "position": list(placed.place), "orientation": list(placed.turn)})
    return keys


def colour(item):
    """The base colour of the first material, as it is seen."""
    material = item.active_material
    if material is None:
        return None
    if material.use_nodes:
        for node in material.node_tree.nodes:
            if node.type == "BSDF_PRINCIPLED":
                return [min(max(float(c), 0.0), 1.0) for c in node.inputs["Base Color"].default_value[:3]]
    return [min(max(float(c), 0.0), 1.0) for c in material.diffuse_color[:3]]


def decay(share):
    """Bullet leaves a share of (1 - d) of the speed in a second; cairn exp(-d) of it."""
    return min(-math.log(max(1 - share, 1e-300)), 1e6)


class Materials:
    """Friction and bounciness by pairs: Blender multiplies both, and so do these."""

    def __init__(self, product):
        self.product = product
        self.found = {}

    def name(self, settings):
        return self.found.setdefault((float(settings.friction), float(settings.restitution)), f"m{len(self.found)}")

    def write(self, scene):
        scene["materials"] = {
            name: {"friction": min(f, 100.0), "restitution": min(e, 1.0)} for (f, e), name in self.found.items()
        }
        if not self.product:
            return
        every = list(self.found.items())
        scene["pairs"] = [
            {"materials": [m, n], "friction": min(f * g, 100.0), "restitution": min(e * d, 1.0)}
            for i, ((f, e), m) in enumerate(every)
            for (g, d), n in every[i:]
        ]


class Reader:
    """Goes through a Blender scene once."""

    def __init__(self, context):
        self.scene = context.scene
        self.graph = context.evaluated_depsgraph_get()
        self.out = Description()
        self.materials = Materials(self.scene.cairn.combine == "BLENDER")
        self.names = {}
        self.taken = {WORLD}

    def note(self, item, words):
        self.out.notes.append(f"{item.name} {words}")

    def problem(self, item, words):
        self.out.problems.append(f"{item.name} {words}")

    def body_name(self, item):
        name, i = item.name, 2
        while name in self.taken:
            name, i = f"{item.name} ({i})", i + 1
        self.taken.add(name)
        return name

    def kind_of(self, item, way):
        settings = item.rigid_body
        if settings.type == "ACTIVE" and settings.enabled and not settings.kinematic:
            return "dynamic"
        if not settings.kinematic:
            return "fixed"
        return "fixed" if all(p.same(way[0]) for p in way) else "scripted"

    def warn(self, item, kind, way):
        settings = item.rigid_body
        data = item.animation_data
        if data and data.action:
            for path in ("rigid_body.kinematic", "rigid_body.enabled"):
                if find_curve(data.action, path):
                    self.problem(item, f"has keyframes on {path.split('.')[1]}: bodies that are let go during the run "
                                       "cannot be baked yet; begin the bake at that frame")
        if settings.use_deform and settings.collision_shape == "MESH":
            self.problem(item, "deforms: its shape is taken as it is at the first frame")
        if settings.use_start_deactivated and kind == "dynamic":
            self.note(item, "starts deactivated in Blender; here it moves from the start")
        if kind == "dynamic" and item.parent is not None and item.parent.rigid_body is not None:
            self.problem(item, f"is a child of {item.parent.name}, which is a body too: clear its parent (Alt P)")
        if kind != "fixed" and any(c.enabled for c in item.constraints):
            self.note(item, "has object constraints, which act after the keyframes")
        if any(abs(a - b) > 1e-5 for p in (way[0], way[-1])
               for a, b in zip(sum(p.rest, ()), sum(way[0].rest, ()))):
            self.problem(item, "changes its scale: its shape is taken as it is at the first frame")

    def body(self, item, way, spaces):
        settings = item.rigid_body
        kind = self.kind_of(item, way)
        self.warn(item, kind, way)
        notes = []
        try:
            shape = shapes.of_object(item, self.graph, kind != "fixed", self.scene.cairn.shrink / 100, notes)
        except ValueError as error:
            self.problem(item, str(error))
            return None
        for words in notes:
            self.note(item, words)
        if has_mesh(shape) and kind != "fixed" and self.scene.cairn.method not in MESHES_MOVE:
            self.note(item, f"is a concave mesh that moves: method {self.scene.cairn.method} stops where something touches it; "
                            "oba does not, and no method does with Convex Hull or a compound parent")
        name = self.names[item.name] = self.body_name(item)
        bits = sum(1 << i for i, on in enumerate(settings.collision_collections) if on)
        body = {
            "name": name,
            "type": kind,
            "shape": shape,
            "material": self.materials.name(settings),
            "position": list(way[0].place),
            "orientation": list(way[0].turn),
            "filter": {"group": bits, "mask": bits},
        }
        shown = colour(item)
        if shown:
            body["color"] = shown
        if kind == "dynamic":
            body["mass"] = settings.mass
            body["damping"] = {"linear": decay(settings.linear_damping), "angular": decay(settings.angular_damping)}
        if kind == "scripted":
            body["keys"] = keys_of(way, self.out.rate)
        if kind != "fixed":
            baked = Body(item, name, kind)
            baked.parents = spaces[:1] if spaces and all(s.same(spaces[0]) for s in spaces) else spaces
            if len(baked.parents) > 1 and kind == "dynamic":
                self.note(item, "has a parent that moves: its keyframes are exact at whole frames, between them nearly")
            self.out.bodies.append(baked)
        return body

    def joints(self):
        world = self.scene.rigidbody_world
        rate = self.out.rate * world.substeps_per_frame
        found, motors, made = constraint_objects(self.scene), [], []
        moving = {b.name for b in self.out.bodies if b.kind == "dynamic"}
        for item in found:
            settings = item.rigid_body_constraint
            ends = (settings.object1, settings.object2)
            if None in ends:
                self.note(item, "names one object alone: Blender lets that hold nothing, and so does the bake")
                continue
            names = tuple(self.names.get(o.name, WORLD) for o in ends)
            placed = turns.Placed(item.matrix_world)
            if not moving & set(names):
                self.note(item, "holds nothing that moves freely: left out")
                continue
            if settings.type == "MOTOR":
                motors.append((item, placed, names))
                continue
            try:
                joint = constraints.joint_of(item, placed, names)
            except constraints.Unknown as error:
                self.problem(item, f"{error}: left out")
                continue
            constraints.breaking(joint, settings, rate)
            made.append(joint)
        for item, placed, names in motors:
            try:
                constraints.put_motor(item, placed, names, made, rate)
            except constraints.Unknown as error:
                self.problem(item, f"{error}: left out")
        return made

    def read(self):
        scene, out = self.scene, self.out
        out.start, out.end = frame_range(scene)
        out.rate = frame_rate(scene)
        if out.end <= out.start:
            out.problems.append(f"frames {out.start} to {out.end}: there is nothing to bake")
            out.end = out.start + 1
        items = members(scene)
        with without_simulation(scene):
            ways, spaces = sample(scene, items, out.start, out.end)
            bodies = [self.body(o, ways[o.name], spaces.get(o.name, [])) for o in items]
            joints = self.joints()
            look = camera(scene)
        out.scene = {
            "version": 1,
            "description": "from Blender",
            "world": {
                "gravity": gravity(scene),
                "fps": out.rate,
                "frames": out.end - out.start,
                "seed": scene.cairn.seed,
                "method": scene.cairn.method,
                "options": chosen_options(scene.cairn),
            },
            "bodies": [b for b in bodies if b],
        }
        self.materials.write(out.scene)
        if joints:
            out.scene["joints"] = joints
        if look:
            out.scene["camera"] = look
        if not any(b.kind == "dynamic" for b in out.bodies):
            out.problems.append("there is no active rigid body to bake")
        self.fields()
        return out

    def fields(self):
        for item in self.scene.objects:
            if item.field and item.field.type != "NONE":
                self.problem(item, f"is a force field ({item.field.type.lower()}), which is not read: left out")


def find_curve(action, path):
    from . import keys
    return any(c.data_path == path for c in keys.curves(action))


def camera(scene):
    item = scene.camera
    if item is None or item.type != "CAMERA" or item.data.type != "PERSP":
        return None
    placed = turns.Placed(item.matrix_world)
    ahead = turns.add(placed.place, turns.scaled(turns.turn(placed.turn, (0.0, 0.0, -1.0)), 10.0))
    wide, high = scene.render.resolution_x, scene.render.resolution_y
    angle = 2 * math.atan(math.tan(item.data.angle / 2) * (high / wide if wide > high else 1))
    return {"position": list(placed.place), "target": list(ahead), "fov": min(max(angle, 0.01), 3.1)}


def chosen_options(settings):
    """The options that are not as cairn has them anyway, of the chosen method."""
    chosen = {}
    for row in OPTIONS:
        if row["methods"] and settings.method not in row["methods"].split():
            continue
        value = settings.option(row)
        if value is not None:
            chosen[row["name"]] = value
    return chosen


def read(context):
    return Reader(context).read()
