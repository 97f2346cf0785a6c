#!/usr/bin/env python3
"""Checks every C file of the build with clang-tidy and the checks of .clang-tidy.

usage: check-tidy.py [ROOT [BUILD_DIR [FILE...]]]

BUILD_DIR (ROOT/build) has the compile_commands.json of a build. FILE, relative to ROOT, limits the check to these files. The
files that are compiled for WebAssembly only are not in it, and are checked with flags like those of web/meson.build. Prints each
finding once, and exits with 1 if there is any; with 77 (skipped) where clang-tidy-19 is missing: other versions have other checks.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CHECKER = "clang-tidy-19"
FILES_OF_A_RUN = 8
WASM_FILE = re.compile(r"src/.*_wasm\.c|src/app/wasm/.*\.c|src/analysis/regex_js\.c")
WASM_COMMAND = "clang-19 --target=wasm32-wasi -std=c17 -D_POSIX_C_SOURCE=200809L -I{root}/src -I{root}/include -c {file}"
FINDING = re.compile(r"^([^\s:]+):\d+:\d+: (?:error|warning): ", re.MULTILINE)


def commands(root, build):
    """{path: command} of each C file of the repository, the first command of a file that is compiled several times."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(os.path.normpath(build / entry["directory"] / entry["file"]))
        if path.suffix != ".c" or not path.is_relative_to(root) or path.is_relative_to(build):
            continue
        arguments = [argument for argument in shlex.split(entry["command"]) if argument != "ccache"]
        found.setdefault(path.relative_to(root).as_posix(), shlex.join(arguments))
    for path in sorted(root.glob("src/**/*.c")):
        name = path.relative_to(root).as_posix()
        if WASM_FILE.fullmatch(name):
            found.setdefault(name, WASM_COMMAND.format(root=shlex.quote(str(root)), file=shlex.quote(str(path))))
    return found


def findings(output, root, build):
    """{first line: text} of the findings in files of the repository. A finding in a header comes once for each file that
    includes it."""
    starts = [match.start() for match in FINDING.finditer(output)] + [len(output)]
    found = {}
    for start, end in zip(starts, starts[1:]):
        place, rest = FINDING.match(output, start)[1], output[start:end].split(":", 1)[1]
        path = Path(os.path.normpath(build / place))
        if path.is_relative_to(root):
            text = f"{path.relative_to(root).as_posix()}:{rest}"
            found[text.split("\n", 1)[0]] = text
    return found


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    build = Path(arguments[1]).resolve() if len(arguments) > 1 else root / "build"
    if shutil.which(CHECKER) is None:
        print(f"skipped: no {CHECKER}")
        return 77
    found = commands(root, build)
    names = arguments[2:] or sorted(found)
    with tempfile.TemporaryDirectory() as folder:
        entries = [{"directory": str(build), "file": str(root / name), "command": found[name]} for name in names]
        Path(folder, "compile_commands.json").write_text(json.dumps(entries))

        def run(part):
            command = [CHECKER, "-p", folder, "--quiet", *part]
            return subprocess.run(command, cwd=root, capture_output=True, text=True)

        parts = [names[i:i + FILES_OF_A_RUN] for i in range(0, len(names), FILES_OF_A_RUN)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(run, parts))
    texts = {}
    for result in results:
        texts |= findings(result.stdout, root, build)
    for place in sorted(texts):
        sys.stdout.write(texts[place])
    failed = [result.stderr for result in results if result.returncode != 0 and FINDING.search(result.stdout) is None]
    sys.stdout.write("".join(failed))
    print(f"{len(names)} files, {len(texts)} findings")
    return 1 if texts or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
