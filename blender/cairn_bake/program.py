"""Runs cairn beside Blender: started, asked how far it is, stopped."""

import json
import os
import shutil
import subprocess
import threading

import bpy


class Missing(Exception):
    """There is no program to run."""


def find():
    """The program: as the preferences say, else the one in the add-on's folder, else the one in the path."""
    kept = bpy.context.preferences.addons.get(__package__)
    given = kept.preferences.program if kept else ""
    if given:
        path = bpy.path.abspath(given)
        if not os.path.isfile(path):
            raise Missing(f"{path}, which the add-on's preferences name, is not there")
        return path
    name = "cairn.exe" if os.name == "nt" else "cairn"
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    if os.path.isfile(own):
        if not os.access(own, os.X_OK):  # Blender unpacks add-ons without it
            os.chmod(own, 0o755)
        return own
    path = shutil.which(name)
    if not path:
        raise Missing("the program cairn is not there: build the add-on with `make blender`, or name it in the preferences")
    return path


class Job:
    """A run of the program. `share` is how far it is, 0 to 1; `done` asks without waiting."""

    def __init__(self, words, on_frame=True):
        self.share, self.said, self.answer = 0.0, [], ""
        self.cancelled = False
        progress = ["--progress", "json"] if on_frame else ["--progress", "none"]
        self.process = subprocess.Popen([find(), *words, *progress], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True, encoding="utf-8", errors="replace")
        self.listeners = [threading.Thread(target=f, daemon=True) for f in (self.listen, self.keep)]
        for listener in self.listeners:
            listener.start()

    def listen(self):
        for line in self.process.stderr:
            if line.startswith('{"frame"'):
                try:
                    news = json.loads(line)
                    self.share = news["frame"] / max(news["total"], 1)
                except (ValueError, KeyError):
                    continue
            else:
                self.said.append(line.rstrip())

    def keep(self):
        self.answer = self.process.stdout.read()

    def done(self):
        return self.process.poll() is not None

    def cancel(self):
        self.cancelled = True
        if not self.done():
            self.process.terminate()

    def wait(self):
        self.process.wait()
        for listener in self.listeners:
            listener.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode

    def message(self):
        """The program's own words about what went wrong, without its name."""
        words = " ".join(line.removeprefix("cairn: ") for line in self.said if line)
        return words or f"cairn ended with status {self.process.returncode}"


def run_words(scene_path, recording, settings):
    words = ["run", scene_path, "-o", recording, "--force", "--json", "--memory", settings.memory]
    if settings.threads:
        words += ["--threads", str(settings.threads)]
    if settings.seconds:
        words += ["--time", str(settings.seconds)]
    if settings.strict:
        words += ["--strict-scripts"]
    return words
