"""Rigid-body constraints as joints of cairn.

A constraint's empty says where it is and how its axes lie: hinges turn about z, sliders slide along x. Joints of cairn
measure the second body as seen from the first. Blender's slides do so too; its angles, and the targets of its motors, are
those of the first object as seen from the second (the test of the add-on asks Blender itself). Impulses, of motors and of
what breaks, are for one of Blender's substeps; forces are those impulses over the substep's time. Springs pull towards where
the two stood when the constraint was made, with newtons a metre or newton metres a radian.
"""

from . import turns

AXES = "xyz"


class Unknown(Exception):
    """A constraint that cairn has no joint for."""


def axis(placed, letter):
    along = tuple(float(i == AXES.index(letter)) for i in range(3))
    return list(turns.turn(placed.turn, along))


def limits(settings, kind, letter):
    """(low, high) as cairn measures, or None where the axis is free; Blender takes low > high for free."""
    if not getattr(settings, f"use_limit_{kind}_{letter}"):
        return None
    low = getattr(settings, f"limit_{kind}_{letter}_lower")
    high = getattr(settings, f"limit_{kind}_{letter}_upper")
    if low > high:
        return None
    return (-high, -low) if kind == "ang" else (low, high)


def locked(range_):
    return range_ is not None and range_[0] == range_[1] == 0


def with_axis(joint, placed, letter, range_):
    joint["axis"] = axis(placed, letter)
    if range_ is not None:
        joint["limits"] = list(range_)
    return joint


def turned_about(joint, along, about):
    """Limits of several angles are of three turns one after the other, of the first object as seen from the second. Those are other
    angles than the second's as seen from the first, so the two change places: which is the same where nothing slides."""
    turning = [c for c in AXES if not locked(about[c])]
    if len(turning) < 2 or all(about[c] is None for c in turning):
        return joint, about
    if not all(locked(r) for r in along.values()) and any(along.values()):
        raise Unknown("limits angles about several axes and lets its objects slide within limits")
    if "y" in turning and (about["y"] is None or max(map(abs, about["y"])) > 1.4):
        raise Unknown("limits angles about several axes, but not the one about y to 80 degrees or less")
    return {**joint, "bodies": joint["bodies"][::-1]}, {c: r and (-r[1], -r[0]) for c, r in about.items()}


def six_axes(joint, placed, along, about):
    """Each axis by itself."""
    joint, about = turned_about(joint, along, about)
    if all(about[c] is None for c in AXES if not locked(about[c])) and [c for c in AXES if not locked(about[c])] in (["x", "y"], ["y", "z"]):
        raise Unknown("turns freely about y and one more axis; let them be x and z")
    for range_ in list(along.values()) + list(about.values()):
        if range_ is not None and not range_[0] <= 0 <= range_[1]:
            raise Unknown("has limits that do not hold where its bodies stand")

    def said(range_):
        return "free" if range_ is None else "locked" if locked(range_) else list(range_)
    joint["orientation"] = list(placed.turn)
    joint["move"] = {c: said(along[c]) for c in AXES}
    joint["turn"] = {c: said(about[c]) for c in AXES}
    return joint


def springs(settings):
    """{("lin", "x"): (stiffness, damping)} of the axes that have one."""
    found = {}
    for kind in ("lin", "ang"):
        for c in AXES:
            letter = ("ang_" if kind == "ang" else "") + c
            if getattr(settings, f"use_spring_{letter}"):
                found[kind, c] = (getattr(settings, f"spring_stiffness_{letter}"), getattr(settings, f"spring_damping_{letter}"))
    return found


def with_springs(joint, settings, placed):
    """A generic constraint with springs: a hinge or slider has one along its axis, a ball has three that are alike. Springs of
    axes that are locked do nothing."""
    if settings.spring_type != "SPRING2":
        raise Unknown("has springs of the old kind, whose damping is none in newton seconds a metre; choose Spring Type: Blender 2.8")
    joint = generic(joint, settings, placed)
    found = {key: spring for key, spring in springs(settings).items() if not locked(limits(settings, *key))}
    if not found:
        return joint
    wanted = {"hinge": 1, "slider": 1, "ball": 3}.get(joint["type"])
    if len(found) != wanted or len(set(found.values())) != 1:
        raise Unknown("has springs that no joint has: one along a slider or about a hinge, or three alike about a point")
    stiffness, damping = next(iter(found.values()))
    joint["spring"] = {"stiffness": stiffness, "damping": damping}
    return joint


def generic(joint, settings, placed):
    """What a generic constraint is, where its locked and free axes make a joint that has a name."""
    along = {c: limits(settings, "lin", c) for c in AXES}
    about = {c: limits(settings, "ang", c) for c in AXES}
    slides = [c for c in AXES if not locked(along[c])]
    turning = [c for c in AXES if not locked(about[c])]
    if not slides and not turning:
        return {**joint, "type": "fixed"}
    if not slides and len(turning) == 3 and not any(about.values()):
        return {**joint, "type": "ball"}
    if not slides and len(turning) == 1:
        return with_axis({**joint, "type": "hinge"}, placed, turning[0], about[turning[0]])
    if not turning and len(slides) == 1:
        return with_axis({**joint, "type": "slider"}, placed, slides[0], along[slides[0]])
    return six_axes({**joint, "type": "6dof"}, placed, along, about)


def joint_of(item, placed, names):
    """The joint of a constraint, without motor. Raises Unknown."""
    settings = item.rigid_body_constraint
    joint = {
        "name": item.name,
        "bodies": list(names),
        "point": list(placed.place),
        "collide": not settings.disable_collisions,
    }
    kind = settings.type
    if kind == "FIXED":
        return {**joint, "type": "fixed"}
    if kind == "POINT":
        return {**joint, "type": "ball"}
    if kind == "HINGE":
        return with_axis({**joint, "type": "hinge"}, placed, "z", limits(settings, "ang", "z"))
    if kind == "SLIDER":
        return with_axis({**joint, "type": "slider"}, placed, "x", limits(settings, "lin", "x"))
    if kind == "PISTON" and locked(limits(settings, "ang", "x")):
        return with_axis({**joint, "type": "slider"}, placed, "x", limits(settings, "lin", "x"))
    if kind == "PISTON":
        along = {"x": limits(settings, "lin", "x"), "y": (0, 0), "z": (0, 0)}
        about = {"x": limits(settings, "ang", "x"), "y": (0, 0), "z": (0, 0)}
        return six_axes({**joint, "type": "6dof"}, placed, along, about)
    if kind == "GENERIC":
        return generic(joint, settings, placed)
    if kind == "GENERIC_SPRING":
        return with_springs(joint, settings, placed)
    raise Unknown("is of a kind that has no joint yet")


def breaking(joint, settings, rate):
    """An impulse a substep above the threshold is a force above the threshold times the substeps a second."""
    if settings.use_breaking:
        force = settings.breaking_threshold * rate
        joint["breaks"] = {"force": max(force, 1e-9)}


def put_motor(item, placed, names, joints, rate):
    """Blender's motor is a constraint of its own, beside the hinge or slider between the same two. Raises Unknown."""
    settings = item.rigid_body_constraint
    wanted = [("hinge", "ang")] * settings.use_motor_ang + [("slider", "lin")] * settings.use_motor_lin
    along = tuple(axis(placed, "x"))
    for kind, prefix in wanted:
        for joint in joints:
            if joint["type"] != kind or set(joint["bodies"]) != set(names):
                continue
            same = turns.dot(along, tuple(joint["axis"]))
            if abs(same) < 0.999:
                continue
            sign = (-1 if same > 0 else 1) * (1 if joint["bodies"] == list(names) else -1)
            joint["motor"] = {
                "speed": sign * getattr(settings, f"motor_{prefix}_target_velocity"),
                "most": max(getattr(settings, f"motor_{prefix}_max_impulse") * rate, 1e-9),
            }
            break
        else:
            raise Unknown(f"is a motor without a {kind} along its x axis between the same two objects")
