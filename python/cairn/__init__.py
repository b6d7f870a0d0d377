"""cairn: physically based animation without interpenetration.

    import cairn
    scene = cairn.Scene()
    scene.add_body(scene.halfspace(), type="fixed", name="floor")
    ball = scene.add_body(scene.sphere(0.5), position=(0, 0, 3), name="ball")
    world = scene.world()
    world.run(60)
    print(world.pose(ball))

A scene describes, a world moves, a space answers, a watch tells what changed, a recording remembers. Units are SI, +Z is up,
quaternions are (w, x, y, z). Calls that are refused raise CairnError.
"""
from ._native import CairnError, StepReport, lib as _lib
from ._recording import KEY, Recorder, Recording
from ._scene import Body, Joint, Material, Scene, Shape
from ._world import (CONTACT, HIT, IMPACT, MARK, MARKS, TOUCH, TOUCHES, VISIT, VISITS, BodyInfo, Sensor, Space, StepError, Watch, World, step_all)

__version__: str = _lib.cairn_version().decode()

__all__ = ["Body", "BodyInfo", "CairnError", "CONTACT", "HIT", "IMPACT", "Joint", "KEY", "Material", "Recorder", "Recording",
           "MARK", "MARKS", "Scene", "Sensor", "Shape", "Space", "StepError", "StepReport", "TOUCH", "TOUCHES", "VISIT", "VISITS", "Watch", "World", "step_all"]
