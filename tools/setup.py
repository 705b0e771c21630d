# SPDX-License-Identifier: Apache-2.0
"""Make the environment that the repository works in: ``python tools/setup.py .venv``.

Standard library only. Packages come from ``requirements.lock`` and must match its
hashes; the project itself is installed as it lies here, for editing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
READY = ".tacit-ready"
OLDEST = (3, 11)
NO_VENV = """\
This Python can make no environment: its 'venv' lacks 'ensurepip', and neither pip nor
'virtualenv' is there to stand in. On Debian and Ubuntu install python3-venv, elsewhere
'virtualenv', or name another Python: make PYTHON=/path/to/python
"""


def main() -> int:
    """Make the environment, fill it, and mark it as ready."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=".venv", type=Path)
    folder = parser.parse_args().folder
    if sys.version_info < OLDEST:
        sys.stderr.write("tacit needs Python 3.11 or later.\n")
        return 1
    start = time.monotonic()
    if not works(folder) and not create(folder):
        sys.stderr.write(NO_VENV)
        return 1
    try:
        fill(python_of(folder))
    except subprocess.CalledProcessError as error:
        sys.stderr.write("The packages could not be installed; pip says why above.\n")
        return error.returncode
    (folder / READY).touch()
    sys.stdout.write(f"{folder} is ready after {time.monotonic() - start:.0f} s\n")
    return 0


def python_of(folder: Path) -> Path:
    """Name the interpreter of an environment; Windows keeps it elsewhere."""
    if os.name == "nt":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def works(folder: Path) -> bool:
    """Say whether the environment is there and has pip."""
    python = python_of(folder)
    return python.exists() and quiet(str(python), "-m", "pip", "--version")


def create(folder: Path) -> bool:
    """Make an environment in the first way that this machine allows."""
    for way in (with_venv, with_pip, with_virtualenv):
        shutil.rmtree(folder, ignore_errors=True)
        if way(folder) and works(folder):
            return True
    shutil.rmtree(folder, ignore_errors=True)
    return False


def with_venv(folder: Path) -> bool:
    """Use the standard library."""
    return quiet(sys.executable, "-m", "venv", str(folder))


def with_pip(folder: Path) -> bool:
    """Let this Python's pip stand in for a missing ``ensurepip``."""
    bare = quiet(sys.executable, "-m", "venv", "--without-pip", str(folder))
    target = str(python_of(folder))
    return bare and quiet(sys.executable, "-m", "pip", "--python", target, *PIP, "pip")


def with_virtualenv(folder: Path) -> bool:
    """Use virtualenv, as a module or as a command."""
    if quiet(sys.executable, "-m", "virtualenv", str(folder)):
        return True
    program = shutil.which("virtualenv")
    return bool(program) and quiet(program, "-p", sys.executable, str(folder))


PIP = ("install", "-qq", "--disable-pip-version-check", "--no-input")


def fill(python: Path) -> None:
    """Install what the lock names, then the project."""
    pip = [str(python), "-m", "pip", *PIP]
    lock = ["--require-hashes", "--only-binary", ":all:", "-r"]
    subprocess.run([*pip, *lock, str(HERE / "requirements.lock")], check=True)
    project = ["--no-deps", "--no-build-isolation", "--editable", str(HERE)]
    subprocess.run([*pip, *project], check=True)


def quiet(*command: str) -> bool:
    """Run a command and say whether it went well."""
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
