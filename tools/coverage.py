#!/usr/bin/env python3
"""Prints which lines and functions of src/ the C tests run.

usage: coverage.py BUILD_DIR   (a build with -Db_coverage=true, after its tests)

Prints one line for each folder: its lines, and the percentage that ran. Then it prints the functions that no test
called, as `file:line: name`, which it also writes to BUILD_DIR/uncovered.txt. Exits with 1 if gcovr fails.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path


def main(arguments):
    build = Path(arguments[0]).resolve()
    root = Path(__file__).resolve().parent.parent
    report = build / "coverage.json"
    done = subprocess.run(["gcovr", "--root", root, "--filter", f"{root}/src/", "--json", report, build], cwd=root)
    if done.returncode != 0:
        return 1
    lines, ran, uncovered = defaultdict(int), defaultdict(int), []
    for file in json.loads(report.read_text())["files"]:
        counts = [line["count"] for line in file["lines"] if not line["gcovr/noncode"]]
        folder = str(Path(file["file"]).parent)
        lines[folder] += len(counts)
        ran[folder] += sum(count > 0 for count in counts)
        uncovered += [(file["file"], function["lineno"], function["name"]) for function in file["functions"]
                      if function["execution_count"] == 0]
    for folder in sorted(lines):
        print(f"{folder:32} {lines[folder]:7} lines {ran[folder] / max(lines[folder], 1):7.1%}")
    print(f"{'all':32} {sum(lines.values()):7} lines {sum(ran.values()) / max(sum(lines.values()), 1):7.1%}")
    texts = [f"{file}:{line}: {name}" for file, line, name in sorted(uncovered)]
    print(f"\n{len(texts)} functions that no test called:", *texts, sep="\n")
    (build / "uncovered.txt").write_text("".join(text + "\n" for text in texts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
