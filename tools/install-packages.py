#!/usr/bin/env python3
"""Installs the npm packages of a folder as its package-lock.json lists them, unless they are installed already.

usage: install-packages.py FOLDER

Compares the lock file with the list that npm leaves in node_modules. Needs neither npm nor a network if they agree.
"""

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path


def is_for_this_system(entry):
    """False for a package of another system or processor."""
    cpu = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return sys.platform in entry.get("os", [sys.platform]) and cpu in entry.get("cpu", [cpu])


def packages(path):
    """{name: the hash of the package} of a lock file, as far as its packages are for this system."""
    listed = json.loads(path.read_text())["packages"]
    return {name: entry.get("integrity") for name, entry in listed.items() if name and is_for_this_system(entry)}


def is_installed(folder):
    try:
        installed = packages(folder / "node_modules" / ".package-lock.json")
    except (OSError, ValueError, KeyError):
        return False
    return installed == packages(folder / "package-lock.json")


def main():
    folder = Path(sys.argv[1])
    if is_installed(folder):
        return 0
    npm = shutil.which("npm")
    if npm is None:
        print(f"npm is missing: it installs the packages of {folder / 'package-lock.json'}, which hold the viewer's "
              "libraries and the fonts of pictures. `tools/deps.sh build` installs everything that a build needs.", file=sys.stderr)
        return 1
    return subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=folder, stdout=sys.stderr).returncode


sys.exit(main())
