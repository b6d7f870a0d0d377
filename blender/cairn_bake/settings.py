"""What the add-on keeps in a .blend file: settings of a bake, its outcome, and what objects were like before."""

import json

import bpy

from .registry import METHODS, OPTIONS

MOST = 2**31 - 1  # what a whole number of Blender's properties can hold


def identifier(row):
    return "option_" + row["name"].replace("-", "_")


def option_properties():
    """A property for each option of cairn; numbers that may be automatic have a switch beside them."""
    found = {}
    for row in OPTIONS:
        name, words = identifier(row), row["help"]
        label = row["name"].replace("-", " ").capitalize()
        if "words" in row:
            items = [(w, w.capitalize(), "") for w in row["words"]]
            found[name] = bpy.props.EnumProperty(name=label, description=words, items=items, default=row["words"][0])
            continue
        usual = row["least"] if row["usual"] is None else row["usual"]
        make, number = (bpy.props.IntProperty, int) if row["whole"] else (bpy.props.FloatProperty, float)
        bounds = {"min": number(max(row["least"], -MOST)), "max": number(min(row["most"], MOST) if row["whole"] else row["most"])}
        found[name] = make(name=label, description=words, default=number(usual), **bounds)
        if row["usual"] is None:
            found[name + "_auto"] = bpy.props.BoolProperty(name=label + ": automatic", description=words, default=True)
    return found


class CairnScene(bpy.types.PropertyGroup):
    """Settings of a scene's bake, and how the last one went."""

    method: bpy.props.EnumProperty(name="Method", description="How bodies are moved; only the first promises that nothing overlaps",
                                   items=[(name, name, words) for name, words in METHODS], default="oba")
    range: bpy.props.EnumProperty(name="Frames", items=[
        ("CACHE", "Rigid body world", "From the start of the simulation's cache to its end, or to the scene's end if that is earlier"),
        ("CUSTOM", "Own", "Frames of your own")], default="CACHE")
    start: bpy.props.IntProperty(name="Start", default=1)
    end: bpy.props.IntProperty(name="End", default=250)
    seed: bpy.props.IntProperty(name="Seed", description="Of every random choice", default=1, min=0)
    threads: bpy.props.IntProperty(name="Threads", description="0: one for each core; the motion is the same for any number", default=0, min=0, max=256)
    combine: bpy.props.EnumProperty(name="Friction of two", items=[
        ("BLENDER", "As Blender", "Friction and bounciness of two bodies are multiplied"),
        ("CAIRN", "As cairn", "Friction is the geometric mean, bounciness the larger of the two")], default="BLENDER")
    shrink: bpy.props.FloatProperty(name="Shrink shapes", description="How much thinner moving shapes are made, in percent of their "
                                    "thickness, so that objects placed face to face do not overlap by rounding", default=0.1,
                                    min=0, max=10, precision=3, subtype="PERCENTAGE")
    rotation: bpy.props.EnumProperty(name="Rotation keys", items=[
        ("QUATERNION", "Quaternion", "What was recorded, between the keys too; the objects' rotation mode is changed"),
        ("KEEP", "The object's mode", "Exact at the keys; Euler angles go other ways between them")], default="QUATERNION")
    inner_keys: bpy.props.BoolProperty(name="Keys inside frames", description="Keys at blows and fast turns, between whole frames", default=True)
    leave_out: bpy.props.BoolProperty(name="Leave out what cannot be baked", description="Bake although some settings have no "
                                      "counterpart; they are listed below", default=False)
    strict: bpy.props.BoolProperty(name="Animated bodies may not wait", description="Fail if an animated body is held up by what is in its way", default=False)
    memory: bpy.props.StringProperty(name="Memory", description="The most that the program may take, such as 4G", default="4G")
    seconds: bpy.props.IntProperty(name="Time limit", description="Seconds after which the bake ends; 0: none", default=0, min=0)
    folder: bpy.props.StringProperty(name="Folder", description="Where the scene and its recording are written", default="//cairn/", subtype="DIR_PATH")
    progress: bpy.props.FloatProperty(name="Baking", subtype="PERCENTAGE", min=0, max=100, options={"SKIP_SAVE"})
    running: bpy.props.BoolProperty(options={"SKIP_SAVE"})
    outcome: bpy.props.StringProperty(description="The summary of the last bake, as JSON")
    message: bpy.props.StringProperty(description="What went wrong in the last bake")
    notes: bpy.props.StringProperty(description="What was read otherwise than Blender has it, a line each")
    recording: bpy.props.StringProperty(subtype="FILE_PATH")
    was_enabled: bpy.props.BoolProperty(default=True)
    baked: bpy.props.BoolProperty()

    __annotations__.update(option_properties())

    def option(self, row):
        """What scene files say of an option, or None where it is as it usually is."""
        name = identifier(row)
        value = getattr(self, name)
        if "words" in row:
            return None if value == row["words"][0] else value
        if row["usual"] is None:
            return None if getattr(self, name + "_auto") else value
        return None if abs(value - row["usual"]) <= 1e-6 * abs(row["usual"]) else value

    def summary(self):
        return json.loads(self.outcome) if self.outcome else {}


class CairnObject(bpy.types.PropertyGroup):
    """What an object was like before its bake."""

    baked: bpy.props.BoolProperty()
    action: bpy.props.PointerProperty(type=bpy.types.Action)
    mode: bpy.props.StringProperty()
    location: bpy.props.FloatVectorProperty(size=3)
    euler: bpy.props.FloatVectorProperty(size=3)
    quaternion: bpy.props.FloatVectorProperty(size=4)
    axis_angle: bpy.props.FloatVectorProperty(size=4)


class CairnPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: bpy.props.StringProperty(name="cairn", description="The program; empty: the one that came with the add-on, or the one in the path",
                                      subtype="FILE_PATH")

    def draw(self, _context):
        self.layout.prop(self, "program")


CLASSES = (CairnScene, CairnObject, CairnPreferences)


def attach():
    bpy.types.Scene.cairn = bpy.props.PointerProperty(type=CairnScene)
    bpy.types.Object.cairn = bpy.props.PointerProperty(type=CairnObject)


def detach():
    del bpy.types.Scene.cairn
    del bpy.types.Object.cairn
