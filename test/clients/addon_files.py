# blender --background --factory-startup --python addon_files.py -- FOLDER
# Builds five .blend files as an artist would, with nothing but Blender's own rigid-body settings, and saves them.
import math
import os
import sys

import bpy

folder = sys.argv[sys.argv.index("--") + 1]


def fresh(end, fps=24):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_end, scene.render.fps = end, fps
    return scene


def body(kind, shape, **settings):
    """Makes the object that was just added a rigid body."""
    item = bpy.context.object
    bpy.ops.rigidbody.object_add(type=kind)
    item.rigid_body.collision_shape = shape
    for name, value in settings.items():
        setattr(item.rigid_body, name, value)
    return item


def cube(place, size, kind="ACTIVE", shape="BOX", **settings):
    bpy.ops.mesh.primitive_cube_add(size=1, location=place)
    bpy.context.object.scale = size
    return body(kind, shape, **settings)


def floor(shape="CONVEX_HULL", **settings):
    bpy.ops.mesh.primitive_plane_add(size=30)
    bpy.context.object.name = "Floor"
    return body("PASSIVE", shape, **settings)


def held(kind, place, first, second, turned=(0, 0, 0), **settings):
    bpy.ops.object.empty_add(location=place, rotation=turned)
    empty = bpy.context.object
    bpy.ops.rigidbody.constraint_add(type=kind)
    constraint = empty.rigid_body_constraint
    constraint.object1, constraint.object2 = first, second
    for name, value in settings.items():
        setattr(constraint, name, value)
    return empty


def lock(constraint):
    for kind in ("lin", "ang"):
        for axis in "xyz":
            setattr(constraint, f"use_limit_{kind}_{axis}", True)
            setattr(constraint, f"limit_{kind}_{axis}_lower", 0)
            setattr(constraint, f"limit_{kind}_{axis}_upper", 0)


def move_origin(item, to):
    bpy.context.scene.cursor.location = to
    bpy.ops.object.select_all(action="DESELECT")
    item.select_set(True)
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.origin_set(type="ORIGIN_CURSOR")


def save(name):
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, name + ".blend"))


def tower():
    """Cubes placed face to face, origins at corners, and a heavy ball that comes down on them."""
    fresh(72)
    floor(friction=0.7)
    for row in range(3):
        for i in range(6):
            item = cube((0.1 + row * 0.7, 0.3, 0.15 + 0.3 * i), (0.3, 0.3, 0.3), shape="CONVEX_HULL" if i % 2 else "BOX", mass=2)
            item.rigid_body.friction = 0.6
            if i == 1:
                move_origin(item, (row * 0.7 - 0.05, 0.15, 0.3))
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.35, location=(0.9, 0.35, 3.4))
    body("ACTIVE", "SPHERE", mass=30, restitution=0.4)
    save("tower")


def linkage():
    """Every kind of constraint that there is a joint for."""
    fresh(60)
    bar = dict(size=(1, 0.1, 0.1), mass=1)
    post = cube((0, 0, 3), (0.2, 0.2, 0.2), "PASSIVE")
    door = cube((0.7, 0, 3), **bar)
    held("HINGE", (0.15, 0, 3), post, door, (-math.pi / 2, 0, 0), use_limit_ang_z=True, limit_ang_z_lower=-0.8, limit_ang_z_upper=0.4)
    last, at = cube((0, 3, 4), (0.2, 0.2, 0.2), "PASSIVE"), 0.15
    for i in range(4):
        link = cube((at + 0.5, 3, 4), **bar)
        held("POINT", (at, 3, 4), last, link)
        last, at = link, at + 1.05
    rail, bolt = cube((0, 6, 3.5), (0.1, 0.1, 0.1), "PASSIVE"), cube((0, 6, 3), (0.4, 0.1, 0.1))
    held("SLIDER", (0, 6, 3), rail, bolt, (0, -math.pi / 2, 0), use_limit_lin_x=True, limit_lin_x_lower=-0.5, limit_lin_x_upper=0.5)
    first, second = cube((0, 9, 3), (0.3, 0.3, 0.3)), cube((0.4, 9, 3), (0.3, 0.3, 0.3))
    held("FIXED", (0.2, 9, 3), first, second)
    hub, wheel = cube((0, 12, 3), (0.1, 0.1, 0.1), "PASSIVE"), cube((0, 12, 3.3), (1, 1, 0.1), mass=3)
    held("HINGE", (0, 12, 3.2), hub, wheel)
    held("MOTOR", (0, 12, 3.2), hub, wheel, (0, -math.pi / 2, 0), use_motor_ang=True, motor_ang_target_velocity=40, motor_ang_max_impulse=5)
    pin, flap = cube((0, 15, 3), (0.1, 0.1, 0.1), "PASSIVE"), cube((0.6, 15, 3), **bar)
    free = held("GENERIC", (0.1, 15, 3), pin, flap).rigid_body_constraint
    lock(free)
    free.limit_ang_y_lower, free.limit_ang_y_upper = -0.5, 0.5
    frame, seat = cube((0, 18, 4), (0.2, 0.2, 0.2), "PASSIVE"), cube((0, 18, 3), (0.3, 0.3, 0.3), mass=2)
    strut = held("GENERIC_SPRING", (0, 18, 3.5), frame, seat).rigid_body_constraint
    lock(strut)
    strut.use_limit_lin_z = False
    strut.use_spring_z, strut.spring_stiffness_z, strut.spring_damping_z = True, 60, 8
    jamb, gate = cube((0, 21, 3), (0.2, 0.2, 0.2), "PASSIVE"), cube((0.7, 21, 3), **bar)
    closer = held("GENERIC_SPRING", (0.15, 21, 3), jamb, gate).rigid_body_constraint
    lock(closer)
    closer.use_limit_ang_y = False
    closer.use_spring_ang_y, closer.spring_stiffness_ang_y, closer.spring_damping_ang_y = True, 12, 3
    crook, arm = cube((0, 24, 3), (0.1, 0.1, 0.1), "PASSIVE"), cube((0.6, 24, 3), **bar)
    arm.rigid_body.angular_damping = arm.rigid_body.linear_damping = 0.9
    shoulder = held("GENERIC", (0.1, 24, 3), crook, arm, (0.5, 0.4, -0.6)).rigid_body_constraint
    lock(shoulder)
    for axis, low, high in (("x", -0.3, 0.5), ("y", -0.25, 0.2), ("z", -0.4, 0.15)):
        setattr(shoulder, f"limit_ang_{axis}_lower", low)
        setattr(shoulder, f"limit_ang_{axis}_upper", high)
    save("linkage")


def pusher():
    """A keyframed passive body, parents, deltas, collections, frames that begin at 11, slowed time, an old animation."""
    scene = fresh(70, 25)
    floor("MESH")
    world = scene.rigidbody_world
    world.point_cache.frame_start, world.point_cache.frame_end = 11, 60
    world.time_scale = 0.8
    scene.gravity = (0.5, 0, -6)
    arm = cube((-3, 0, 0.4), (0.2, 2, 0.6), "PASSIVE", "CONVEX_HULL", kinematic=True, friction=0.9)
    for frame, x, turn in ((11, -3, 0), (40, 0.5, 0.4), (60, 0.5, 0)):
        arm.location.x, arm.rotation_euler.z = x, turn
        arm.keyframe_insert("location", frame=frame)
        arm.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.object.empty_add(location=(1, 2, 3), rotation=(0.2, 0.3, 0.4))
    above = bpy.context.object
    for i in range(4):
        item = cube((-1.6 + i * 0.5, 0.1 * i, 0.3), (0.3, 0.4, 0.6), mass=1 + i)
        item.name = f"Block {i}"
        if i == 1:
            item.parent = above
            bpy.context.view_layer.update()
            item.matrix_parent_inverse = above.matrix_world.inverted()
        if i == 2:
            item.delta_location, item.delta_rotation_euler = (0, 0.3, 0), (0, 0, 0.5)
            item.location.y -= 0.3
        if i == 3:
            item.rotation_mode = "QUATERNION"
            item.keyframe_insert("scale", frame=1)
            item.keyframe_insert("location", frame=1)
    ghost = cube((-1, 0, 0.3), (0.2, 0.2, 0.2))  # goes through the blocks, which are in another collection
    ghost.name = "Ghost"
    ghost.rigid_body.collision_collections[1] = True
    ghost.rigid_body.collision_collections[0] = False
    scene.objects["Floor"].rigid_body.collision_collections[1] = True
    save("pusher")


def kinds():
    """Every collision shape, a bowl of triangles, and a ring that moves and is no hull."""
    fresh(60)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=2.5, location=(0, 0, 2.5), segments=24, ring_count=16)
    bowl = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for vertex in bowl.data.vertices:
        vertex.select = vertex.co.z > 0.2
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.delete(type="VERT")
    bpy.ops.object.mode_set(mode="OBJECT")
    body("PASSIVE", "MESH")
    bpy.ops.mesh.primitive_cone_add(radius1=0.4, depth=0.8, location=(0.7, 0, 1.5))
    body("ACTIVE", "CONE")
    bpy.ops.mesh.primitive_cylinder_add(radius=0.3, depth=0.7, location=(-0.8, 0, 1.5), rotation=(0.3, 0, 0))
    body("ACTIVE", "CYLINDER")
    bpy.ops.mesh.primitive_cylinder_add(radius=0.25, depth=1.2, location=(0, 0.9, 1.7), rotation=(0, 1.2, 0))
    body("ACTIVE", "CAPSULE")
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.35, location=(0, -0.9, 1.6), subdivisions=2)
    body("ACTIVE", "SPHERE", restitution=0.8)
    bpy.ops.mesh.primitive_monkey_add(size=0.9, location=(0, 0, 2.4), rotation=(0.4, 0.2, 0))
    body("ACTIVE", "CONVEX_HULL")
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.3, location=(0.1, 0.1, 3.2), subdivisions=1)
    body("ACTIVE", "MESH")
    bpy.ops.object.empty_add(location=(0, 0.2, 4))
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0, 0.2, 4))
    parent = body("ACTIVE", "COMPOUND", mass=2)
    for shift in (-0.35, 0.35):
        part = cube((shift, 0.2, 4.2), (0.15, 0.15, 0.8))
        part.parent = parent
        bpy.context.view_layer.update()
        part.matrix_parent_inverse = parent.matrix_world.inverted()
    cross = cube((0, 0.2, 3.9), (0.85, 0.15, 0.15))
    cross.parent = parent
    bpy.context.view_layer.update()
    cross.matrix_parent_inverse = parent.matrix_world.inverted()
    bpy.ops.mesh.primitive_torus_add(major_radius=0.5, minor_radius=0.12, major_segments=16, minor_segments=8, location=(0.2, 0, 5))
    body("ACTIVE", "MESH").name = "Ring"
    save("kinds")


def heap():
    """Many bodies in a box: where solvers that move what overlaps apart show it."""
    fresh(90)
    cube((0, 0, -0.5), (6, 6, 1), "PASSIVE")
    for x, y, size in ((1.1, 0, (0.2, 2.4, 2)), (-1.1, 0, (0.2, 2.4, 2)), (0, 1.1, (2, 0.2, 2)), (0, -1.1, (2, 0.2, 2))):
        cube((x, y, 1.001), size, "PASSIVE")
    for i in range(54):
        place = ((i % 3 - 1) * 0.63, (i // 3 % 3 - 1) * 0.63, 0.5 + 0.63 * (i // 9))
        item = cube(place, (0.35, 0.42, 0.2 + 0.05 * (i % 3)), mass=0.5 + i % 7)
        item.rotation_euler = (0.2 * i, 0.3 * i, 0.1 * i)
        item.rigid_body.restitution = 0.2
    save("heap")


for make in (tower, linkage, pusher, kinds, heap):
    make()
print("BUILT")
