#!/usr/bin/env python3
"""Checks that every tracked C file is formatted as .clang-format says.

usage: check-format.py [--fix] [ROOT]

--fix formats the files. Prints the differing places as errors of clang-format, and exits with 1 if there are any; with 77
(skipped) where clang-format-19 or the git checkout is missing: other versions format some constructs in other ways.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FORMATTER = "clang-format-19"
FILES_OF_A_RUN = 40


def main(arguments):
    fix = "--fix" in arguments
    folders = [argument for argument in arguments if argument != "--fix"]
    root = Path(folders[0]) if folders else Path(__file__).resolve().parent.parent
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h"], cwd=root, capture_output=True, text=True)
    if listed.returncode != 0 or shutil.which(FORMATTER) is None:
        print(f"skipped: no git checkout, or no {FORMATTER}")
        return 77
    files = listed.stdout.split()
    runs = [files[i:i + FILES_OF_A_RUN] for i in range(0, len(files), FILES_OF_A_RUN)]
    mode = ["-i"] if fix else ["--dry-run", "--Werror"]

    def run(part):
        return subprocess.run([FORMATTER, *mode, *part], cwd=root, capture_output=True, text=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(run, runs))
    sys.stdout.write("".join(done.stderr for done in results)[:20_000])
    return max(done.returncode for done in results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
