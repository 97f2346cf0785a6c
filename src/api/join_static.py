#!/usr/bin/env python3
"""Joins static libraries to one, in which only the functions of varve/varve.h have global names.

usage: join_static.py LD OBJCOPY AR OUT FOLDER LIBRARY...

A program can then link libvarve.a beside a library with equal names of its own.
"""

import os
import subprocess
import sys
from pathlib import Path


def main(ld, objcopy, ar, out, folder, *libraries):
    Path(folder).mkdir(parents=True, exist_ok=True)
    joined = Path(folder) / "varve.o"
    subprocess.run([ld, "-r", "-o", joined, "--whole-archive", *libraries], check=True)
    subprocess.run([objcopy, "--wildcard", "--keep-global-symbol=varve_*", joined], check=True)
    Path(out).unlink(missing_ok=True)
    subprocess.run([ar, "crsD", out, joined], check=True)
    os.remove(joined)


if __name__ == "__main__":
    main(*sys.argv[1:])
