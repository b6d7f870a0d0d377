"""Builds a wheel that carries the library.

The library is built by CMake from the sources around this folder, or taken from where CAIRN_LIBRARY says it is.
"""
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

root = Path(__file__).resolve().parent.parent


class Build(build_py):
    def run(self):
        super().run()
        given = os.environ.get("CAIRN_LIBRARY")
        library = Path(given) if given else self.build_library()
        target = Path(self.build_lib) / "cairn"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library.resolve(), target / "libcairn.so")

    def build_library(self):
        if not (root / "CMakeLists.txt").exists():
            raise SystemExit("cairn's sources are not beside this folder: install from a checkout, or let CAIRN_LIBRARY "
                             "name a libcairn.so")
        folder = Path(self.get_finalized_command("build").build_temp).resolve() / "library"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.check_call(["cmake", "-S", str(root), "-B", str(folder), *generator, "-DCMAKE_BUILD_TYPE=Release",
                               "-DCAIRN_TOOL=OFF", "-DCAIRN_EXAMPLES=OFF", "-DCAIRN_BENCH=OFF", "-DCAIRN_TESTS=OFF",
                               "-DCAIRN_INSTALL=OFF"])
        subprocess.check_call(["cmake", "--build", str(folder), "--target", "cairn_shared", "-j", str(os.cpu_count() or 2)])
        return folder / "libcairn.so"


class Binary(Distribution):
    """The wheel holds machine code, so it is of one platform."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": Build}, distclass=Binary)
