"""The buttons: bake, cancel, clear, and looking at a recording in the browser."""

import json
import os
import re
import tempfile
import webbrowser

import bpy

from . import describe, keys, program

running = {}  # the job of the bake that goes on, by the scene's name


class Bake:
    """One bake, from reading the scene to writing keyframes; the operators below drive it."""

    def __init__(self, context):
        self.scene_name = context.scene.name
        self.settings = context.scene.cairn
        self.told = None
        self.job = None

    def set_aside(self, context):
        """Objects of an earlier bake are read as they were before it."""
        baked = [o for o in context.scene.objects if o.cairn.baked]
        kept = [(o, o.animation_data.action if o.animation_data else None, o.rotation_mode) for o in baked]
        for item in baked:
            data = item.animation_data_create()
            data.action = item.cairn.action
            item.rotation_mode = item.cairn.mode
            item.location = item.cairn.location
            item.rotation_euler = item.cairn.euler
            item.rotation_quaternion = item.cairn.quaternion
            item.rotation_axis_angle = item.cairn.axis_angle
        return kept

    def put_back(self, kept):
        for item, action, mode in kept:
            item.animation_data.action = action
            item.rotation_mode = mode

    def describe(self, context):
        """False, with a message, if there is nothing that can be baked."""
        settings = self.settings
        settings.message = settings.notes = ""
        if context.scene.rigidbody_world is None:
            settings.message = "the scene has no rigid body world: give objects Physics > Rigid Body first"
            return False
        kept = self.set_aside(context)
        try:
            self.told = describe.read(context)
        finally:
            self.put_back(kept)
            context.scene.frame_set(context.scene.frame_current)
        settings.notes = "\n".join(self.told.problems + self.told.notes)
        if self.told.problems and not (settings.leave_out and self.told.bodies):
            settings.message = self.told.problems[0]
            if len(self.told.problems) > 1:
                settings.message += f" (and {len(self.told.problems) - 1} more)"
            return False
        return True

    def start(self, context):
        folder = folder_of(context)
        os.makedirs(folder, exist_ok=True)
        name = re.sub(r"[^\w.-]+", "_", context.scene.name)
        self.scene_path = os.path.join(folder, name + ".json")
        self.recording = os.path.join(folder, name + ".cairn")
        with open(self.scene_path, "w", encoding="utf-8") as file:
            json.dump(self.told.scene, file)
        self.job = program.Job(program.run_words(self.scene_path, self.recording, self.settings))
        self.settings.running = True
        running[self.scene_name] = self.job

    def tick(self):
        self.settings.progress = 100 * self.job.share

    def end(self, context):
        """Writes keyframes if the run succeeded. Returns whether it did; the settings say how it went."""
        code = self.job.wait()
        settings = self.settings
        settings.running = False
        running.pop(self.scene_name, None)
        try:
            summary = json.loads(self.job.answer)
        except ValueError:
            summary = {}
        if self.job.cancelled:
            settings.message = "cancelled; nothing was changed"
            return False
        if code != 0:
            settings.message = without_place(summary.get("message") or self.job.message())
            self.show_culprits(context, settings.message)
            return False
        self.apply(context, summary)
        return True

    def show_culprits(self, context, message):
        """Selects the objects that the message names."""
        named = set(re.findall(r"'([^']+)'", message))
        for body in self.told.bodies:
            item = context.scene.objects.get(body.object)
            if item and body.name in named:
                item.select_set(True)

    def apply(self, context, summary):
        settings, told = self.settings, self.told
        table = self.recording[:-len(".cairn")] + ".csv"
        job = program.Job(["export", self.recording, "-o", table], on_frame=False)
        if job.wait() != 0:
            raise RuntimeError(job.message())
        tracks = keys.read_csv(table, told.rate)
        os.remove(table)
        clear(context)
        late = {row["script"] for row in summary.get("late", [])}
        count = 0
        for body in told.bodies:
            item = context.scene.objects.get(body.object)
            if item is None or (body.kind == "scripted" and body.name not in late):
                continue
            count += keys.write(item, tracks[body.name], body.parents, told.start, settings)
        world = context.scene.rigidbody_world
        settings.was_enabled = world.enabled
        world.enabled = False  # else Blender's own simulation would move the objects
        settings.baked = True
        settings.recording = self.recording
        settings.outcome = json.dumps({**summary, "keys": count, "start": told.start, "end": told.end})
        settings.progress = 100
        context.scene.frame_set(context.scene.frame_current)


def without_place(message):
    """What is wrong, without the line of the scene file, which no artist has written."""
    return re.sub(r"^.*?\.json:\d+:\d+: (?:[\w.\[\]]+: )?", "", message)


def folder_of(context):
    """Where files go: as set, or a folder for temporary files while the .blend has no place of its own."""
    settings = context.scene.cairn
    if settings.folder.startswith("//") and not bpy.data.filepath:
        return os.path.join(bpy.app.tempdir or tempfile.gettempdir(), "cairn")
    return bpy.path.abspath(settings.folder)


def clear(context):
    settings = context.scene.cairn
    for item in context.scene.objects:
        keys.forget(item)
    if settings.baked and context.scene.rigidbody_world:
        context.scene.rigidbody_world.enabled = settings.was_enabled
    settings.baked = False
    settings.outcome = settings.recording = ""


class CAIRN_OT_bake(bpy.types.Operator):
    """Simulate the rigid bodies with cairn and write their motion onto the objects as keyframes"""

    bl_idname = "cairn.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return not context.scene.cairn.running

    def begin(self, context):
        self.bake = Bake(context)
        try:
            if self.bake.describe(context):
                self.bake.start(context)
                return True
        except (program.Missing, OSError) as error:
            context.scene.cairn.message = str(error)
        self.report({"ERROR"}, context.scene.cairn.message)
        return False

    def finish(self, context):
        try:
            ended = self.bake.end(context)
        except (RuntimeError, OSError) as error:
            context.scene.cairn.message, ended = str(error), False
        if not ended:
            self.report({"WARNING" if self.bake.job.cancelled else "ERROR"}, context.scene.cairn.message)
            return {"CANCELLED"}
        summary = context.scene.cairn.summary()
        verdict = summary["certificate"]["verdict"]
        self.report({"INFO"}, f"{summary['frames']} frames, certificate {verdict}, {summary['keys']} keyframes")
        return {"FINISHED"}

    def execute(self, context):
        if not self.begin(context):
            return {"CANCELLED"}
        return self.finish(context)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        if not self.begin(context):
            return {"CANCELLED"}
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self.timer = manager.event_timer_add(0.1, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.bake.job.cancel()
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        self.bake.tick()
        context.window_manager.progress_update(context.scene.cairn.progress)
        for area in context.screen.areas:
            if area.type in {"PROPERTIES", "VIEW_3D"}:
                area.tag_redraw()
        if not self.bake.job.done():
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        return self.finish(context)


class CAIRN_OT_cancel(bpy.types.Operator):
    """Stop the bake; the objects stay as they are"""

    bl_idname = "cairn.cancel"
    bl_label = "Cancel"

    def execute(self, context):
        job = running.get(context.scene.name)
        if job is None:  # a file that was saved or reloaded meanwhile
            context.scene.cairn.running = False
            return {"CANCELLED"}
        job.cancel()
        return {"FINISHED"}


class CAIRN_OT_clear(bpy.types.Operator):
    """Take the keyframes of the bake away and give the objects back what they had before"""

    bl_idname = "cairn.clear"
    bl_label = "Clear bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return not context.scene.cairn.running

    def execute(self, context):
        clear(context)
        context.scene.cairn.message = context.scene.cairn.notes = ""
        context.scene.frame_set(context.scene.frame_current)
        return {"FINISHED"}


class CAIRN_OT_look(bpy.types.Operator):
    """Open the recording of the bake in the browser: the collision shapes as they were simulated"""

    bl_idname = "cairn.look"
    bl_label = "Open recording"

    what: bpy.props.EnumProperty(items=[("view", "Player", "Turn it, step through it, pick bodies"),
                                        ("report", "Report", "Plots of contacts, gaps, debt and energy")])

    @classmethod
    def poll(cls, context):
        return bool(context.scene.cairn.recording)

    def execute(self, context):
        recording = bpy.path.abspath(context.scene.cairn.recording)
        page = recording[:-len(".cairn")] + f"-{self.what}.html"
        job = program.Job([self.what, recording, "-o", page], on_frame=False)
        if job.wait() != 0:
            self.report({"ERROR"}, job.message())
            return {"CANCELLED"}
        if not bpy.app.background:
            webbrowser.open("file://" + page)
        return {"FINISHED"}


CLASSES = (CAIRN_OT_bake, CAIRN_OT_cancel, CAIRN_OT_clear, CAIRN_OT_look)
