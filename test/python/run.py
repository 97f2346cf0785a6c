#!/usr/bin/env python3
"""Runs the tests of the Python package, or is skipped without pytest.

usage: run.py SOURCE_FOLDER LIBRARY
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def main(root, library):
    if importlib.util.find_spec("pytest") is None:
        print("needs pytest")
        return SKIPPED
    environment = {**os.environ, "VARVE_LIBRARY": str(Path(library).resolve()), "PYTHONPATH": str(Path(root) / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", str(Path(root) / "test/python")]
    return subprocess.run(command, env=environment, cwd=root).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
