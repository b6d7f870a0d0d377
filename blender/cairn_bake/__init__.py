"""Bakes the rigid bodies of a Blender scene with cairn: no frame shows one inside another.

The add-on reads the rigid-body settings that Blender has, describes them as a scene of cairn, runs the program beside it
and writes the motion onto the objects as keyframes. docs/blender.md is its manual.
"""

bl_info = {
    "name": "Cairn: certified rigid bodies",
    "author": "the authors of cairn",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Scene > Cairn, and 3D Viewport > Sidebar > Cairn",
    "description": "Bakes rigid bodies so that nothing overlaps and nothing passes through anything, in any frame",
    "category": "Physics",
}

import bpy

from . import operators, panel, settings

CLASSES = settings.CLASSES + operators.CLASSES + panel.CLASSES


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)
    settings.attach()


def unregister():
    settings.detach()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
