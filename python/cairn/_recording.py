"""Recordings: what was. Written frame by frame, read as arrays, certified and exported."""
from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Dict, List, Optional, Type, Union

import numpy as np
import numpy.typing as npt

from . import _native as n
from ._scene import FloatArray
from ._world import BodyInfo, World, info_of

Path = Union[str, "os.PathLike[str]"]
VERDICTS = ("unchecked", "clean", "overlap", "passage")
KEY = np.dtype([("track", np.uint32), ("asleep", np.bool_), ("time", np.float64), ("position", np.float64, 3),
                ("orientation", np.float64, 4), ("velocity", np.float64, 3), ("spin", np.float64, 3),
                ("turn", np.float64, 3)], align=True)


class Recorder:
    """Writes a file while a world runs:

    with cairn.Recorder("run.cairn", world) as recorder:
        for _ in range(100):
            recorder.step()
    """

    def __init__(self, path: Path, world: World, *, replace: bool = False, checkpoint_every: int = 60) -> None:
        d, error = n.lib.cairn_default_recording_def(), n.ErrorStruct()
        d.replace, d.checkpoint_every = replace, checkpoint_every
        self.world = world
        self._pointer = n.lib.cairn_recording_create(os.fsencode(path), world._pointer, d, error)
        if not self._pointer:
            n.fail(error)

    def step(self) -> n.StepReport:
        """Steps the world and appends the frame."""
        report = self.world.step()
        error = n.ErrorStruct()
        if not n.lib.cairn_recording_append(self._pointer, self.world._pointer, report, error):
            n.fail(error)
        return report

    def finish(self) -> None:
        """Marks the run as complete and closes the file."""
        pointer, self._pointer = self._pointer, None
        error = n.ErrorStruct()
        if pointer and not n.lib.cairn_recording_finish(pointer, error):
            n.fail(error)

    def close(self) -> None:
        """Leaves the file as far as it is: readable, and not complete."""
        pointer, self._pointer = getattr(self, "_pointer", None), None
        if pointer:
            n.lib.cairn_recording_close(pointer)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is None:
            self.finish()
        else:
            self.close()

    def __del__(self) -> None:
        self.close()


class Recording:
    """A file that is read."""

    def __init__(self, path: Path) -> None:
        error = n.ErrorStruct()
        self._pointer = n.lib.cairn_recording_open(os.fsencode(path), None, error)
        if not self._pointer:
            n.fail(error)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            n.lib.cairn_recording_close(self._pointer)

    def info(self) -> Dict[str, Any]:
        """first_frame, last_frame, bodies, hash, size, complete, truncated, damaged, note, version."""
        i = n.lib.cairn_recording_get_info(self._pointer)
        found = {name: getattr(i, name) for name, _ in n.RecordingInfo._fields_}
        return {key: value.decode() if isinstance(value, bytes) else value for key, value in found.items()}

    def bodies(self) -> List[BodyInfo]:
        """Every body that was ever there, in the order of tracks."""
        count = self.info()["bodies"]
        return [info_of(n.lib.cairn_recording_track(self._pointer, i).info) for i in range(count)]

    def keys(self, frame: int) -> npt.NDArray[Any]:
        """All keys of a frame, by track, then time: fields track, asleep, time, position (of the centre of mass), orientation,
        velocity, spin, turn."""
        found, error = n.Frame(), n.ErrorStruct()
        if not n.lib.cairn_recording_read(self._pointer, frame, found, error):
            n.fail(error)
        size = found.key_count * n.c.sizeof(n.TrackKey)
        if not size:
            return np.zeros(0, KEY)
        data = n.c.string_at(found.keys, size)
        return np.frombuffer(data, KEY)

    def positions(self, frame: int) -> FloatArray:
        """(tracks, 3): the centres of mass at a frame; nan for bodies that are not there."""
        keys = self.keys(frame)
        array = np.full((self.info()["bodies"], 3), np.nan)
        array[keys["track"]] = keys["position"]  # the last key of a track is the frame's own
        return array

    def world(self, frame: int, threads: int = 1) -> World:
        """A world at a frame, to the same bits."""
        d, error = n.lib.cairn_default_world_def(), n.ErrorStruct()
        d.threads = threads
        pointer = n.lib.cairn_recording_world_at(self._pointer, frame, d, error)
        if not pointer:
            n.fail(error)
        return World(None, _pointer=pointer)

    def certify(self, threads: int = 0) -> Dict[str, Any]:
        """The certificate of the whole file: verdict (clean, overlap, passage), overlaps, passages, min_gap, pairs, frames."""
        d, result, error = n.lib.cairn_default_certify_def(), n.CertifyResult(), n.ErrorStruct()
        d.threads = threads
        if not n.lib.cairn_recording_certify(self._pointer, d, result, error):
            n.fail(error)
        certificate = result.certificate
        found: Dict[str, Any] = {name: getattr(certificate, name) for name, _ in n.Certificate._fields_}
        found["verdict"], found["frames"], found["bodies"] = VERDICTS[certificate.verdict], result.frames, result.bodies
        return found

    def export(self, path: Path) -> None:
        """To a .glb, .usda, .csv or .traj file."""
        error = n.ErrorStruct()
        if not n.lib.cairn_export(self._pointer, os.fsencode(path), None, error):
            n.fail(error)
