"""What is drawn in Properties > Scene and in the sidebar of the 3D viewport."""

import textwrap

import bpy

from .registry import OPTIONS
from .settings import identifier

LETTER = 6.6  # pixels of a letter, on the average, where the interface is not scaled
EDGE = 90  # pixels that a box, its icon and its margins take


def lines(layout, words, icon="NONE"):
    """Words as so many labels as the panel's width takes: labels do not break."""
    scale = bpy.context.preferences.system.ui_scale
    room = int((bpy.context.region.width / scale - EDGE) / LETTER) if bpy.context.region else 40
    for i, line in enumerate(textwrap.wrap(words, max(room, 16)) or [""]):
        layout.label(text=line, icon=icon if i == 0 else "BLANK1")


def length(metres):
    for size, unit in ((1, "m"), (1e-3, "mm"), (1e-6, "µm")):
        if abs(metres) >= size:
            return f"{metres / size:.3g} {unit}"
    return "0 m" if abs(metres) < 1e-9 else f"{metres * 1e9:.2g} nm"


def told(summary):
    """The certificate and what an artist should look at, a line each: (words, whether it is as it should be)."""
    certificate = summary["certificate"]
    verdict = certificate["verdict"]
    clean = verdict == "clean"
    out = [(f"Certificate: {verdict}, {certificate['frames']} frames checked", clean)]
    if verdict == "measured":
        deep = certificate["depth"] or 0
        out.append((f"Overlaps up to {length(deep)}: {certificate['overlaps']} overlaps, {certificate['passages']} passages", not deep))
    held = summary["held"]
    out.append((f"Held: {held} times, in {summary['held_frames']} frames" if held else "Held: no body, in no frame", not held))
    for row in summary["late"]:
        out.append((f"Waited: {row['script']}, {row['frames']} frames, {row['lag']:.3g} s at most", False))
    if summary["debt"]:
        out.append((f"Debt: {length(summary['debt'])} at most ({summary['debt_body']}, frame "
                    f"{summary['start'] + summary['debt_frame']})", True))
    if summary["worst_gap"] is not None:
        out.append((f"Smallest gap: {length(summary['worst_gap'])} ({', '.join(summary['worst_gap_pair'])})", True))
    if summary["joints"]:
        out.append((f"Joints off by {length(summary['joint_error'] or 0)} at most, {summary['broken']} broken", True))
    out.append((f"{summary['keys']} keyframes, {summary['extra_keys']} keys inside frames", True))
    out.append((f"Hash {summary['hash']}", True))
    return out


def draw_main(layout, context):
    scene = context.scene
    settings = scene.cairn
    if scene.rigidbody_world is None:
        lines(layout, "No rigid bodies yet: give objects Physics > Rigid Body.", "INFO")
        return
    column = layout.column()
    if settings.running:
        column.prop(settings, "progress", slider=True)
        column.operator("cairn.cancel", icon="CANCEL")
        return
    row = column.row(align=True)
    row.scale_y = 1.4
    row.operator("cairn.bake", icon="PHYSICS")
    if settings.baked:
        row.operator("cairn.clear", text="", icon="TRASH")
    if settings.message:
        lines(column.box(), settings.message, "ERROR")
    if settings.outcome:
        box = column.box()
        for words, good in told(settings.summary()):
            lines(box, words, "CHECKMARK" if good else "ERROR")
        row = box.row(align=True)
        row.operator("cairn.look", text="Player", icon="PLAY").what = "view"
        row.operator("cairn.look", text="Report", icon="GRAPH").what = "report"
    if settings.notes:
        box = column.box()
        for words in settings.notes.split("\n"):
            lines(box, words, "INFO")


def draw_settings(layout, settings):
    layout.use_property_split = True
    layout.use_property_decorate = False
    column = layout.column()
    column.prop(settings, "range")
    if settings.range == "CUSTOM":
        column.prop(settings, "start")
        column.prop(settings, "end")
    column.prop(settings, "method")
    column.prop(settings, "combine")
    column.prop(settings, "rotation")
    column.prop(settings, "shrink")
    column.prop(settings, "inner_keys")
    column.prop(settings, "leave_out")
    column.prop(settings, "strict")
    column.prop(settings, "folder")


def draw_options(layout, settings):
    layout.use_property_split = True
    layout.use_property_decorate = False
    column = layout.column()
    for name in ("seed", "threads", "memory", "seconds"):
        column.prop(settings, name)
    column.separator()
    for row in OPTIONS:
        if row["methods"] and settings.method not in row["methods"].split():
            continue
        name = identifier(row)
        if "words" not in row and row["usual"] is None:
            column.prop(settings, name + "_auto")
            if getattr(settings, name + "_auto"):
                continue
        column.prop(settings, name)


class Scene:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "scene"


class Sidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Cairn"


class Main:
    bl_label = "Cairn"

    def draw(self, context):
        draw_main(self.layout, context)


class Settings:
    bl_label = "Bake"

    def draw(self, context):
        draw_settings(self.layout, context.scene.cairn)


class Options:
    bl_label = "Method options"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_options(self.layout, context.scene.cairn)


def panels(where, prefix):
    """The three panels in one place: the main one and two below it."""
    main = f"CAIRN_PT_{prefix}"
    below = {"bl_parent_id": main}
    return (
        type(main, (Main, where, bpy.types.Panel), {"bl_idname": main}),
        type(main + "_settings", (Settings, where, bpy.types.Panel), {"bl_idname": main + "_settings", **below}),
        type(main + "_options", (Options, where, bpy.types.Panel), {"bl_idname": main + "_options", **below}),
    )


CLASSES = panels(Scene, "scene") + panels(Sidebar, "sidebar")
