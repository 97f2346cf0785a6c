#!/usr/bin/env python3
"""Checks the tracked files for content that must not be committed.

usage: check-hygiene.py [ROOT]

- a path into a home or work directory;
- in a lock file, the origin of a package: the registry is each machine's own choice;
- a registry setting of npm;
- a mark for unfinished work;
- a browser test that ends early without the reason: it would count as passed;
- in a comment, a file of the repository that does not exist.

Recordings and fixtures are other programs' output and may contain any path. Prints one line for each fault,
`file:line: message`, and exits with 1 if there is any.
"""

import re
import subprocess
import sys
from pathlib import Path

FIXTURES = ("test/data/", "fuzz/corpus/")
BINARY_SUFFIXES = {".gz", ".zst", ".png", ".pdf", ".spall", ".ttf", ".woff2", ".bin", ".wasm"}
CODE_SUFFIXES = {".c", ".h", ".ts", ".py", ".sh", ".js"}

# Built from parts, so that this file passes its own check.
HOME_PATH = re.compile(r"(?<![\w.~}])/(?:" + "|".join(["home/(?!user/)\\w", "Users/\\w", "root/", "work/"]) + ")")
MARK = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
RESOLVED = re.compile(r'"resolved"\s*:\s*"https?:')
EARLY_END = re.compile(r"\bif \(.*(transportName|painters)\b.*\) return;")
C_SUFFIXES = {".c", ".h", ".ts", ".tsx", ".mjs"}
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(?P<comment>/\*.*?\*/|//[^\n]*)', re.DOTALL)
FILE = re.compile(r"(?<![\w./<-])(?:\w[\w-]*/)+[\w.-]+\.(?:c|h|ts|tsx|mjs|py|md)\b")
FILE_BASES = ("", "src/", "docs/", "include/")  # paths in comments begin in one of these folders, or near their own file
REGISTRY = re.compile(r"^\s*(@[\w-]+:)?registry\s*=")


def tracked_files(root):
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    return sorted(Path(name.decode()) for name in listing.split(b"\0") if name)


def rules_for(path):
    """Returns [(pattern, message)] for one tracked file."""
    rules = []
    if path.name in ("package-lock.json", "npm-shrinkwrap.json"):
        rules.append((RESOLVED, "a lock file must not say where a package came from"))
    elif path.name == ".npmrc":
        rules.append((REGISTRY, "the registry is each machine's own choice"))
    if path.as_posix().startswith("test/web/"):
        rules.append((EARLY_END, "a skipped test returns the reason"))
    if not path.as_posix().startswith(FIXTURES):
        rules.append((HOME_PATH, "a path of one machine"))
        if path.suffix in CODE_SUFFIXES:
            rules.append((MARK, "a promise of work"))
    return rules


def missing_files(path, text, files, folders):
    """Returns the messages about the paths in comments of a file that begin with a folder of the repository and lead nowhere."""
    offences = []
    bases = (*FILE_BASES, f"{path.parent.as_posix()}/", f"{path.parent.parent.as_posix()}/")
    for match in COMMENT.finditer(text):
        for named in FILE.findall(match["comment"] or ""):
            is_ours = any(base + named.split("/")[0] in folders for base in bases)
            if is_ours and not any(base + named in files for base in bases):
                line = text.count("\n", 0, match.start()) + 1
                offences.append(f"{path}:{line}: a file that does not exist: {named}")
    return offences


def check(root):
    offences = []
    tracked = tracked_files(root)
    files = {path.as_posix() for path in tracked}
    folders = {parent.as_posix() for path in tracked for parent in path.parents}
    for path in tracked:
        rules = rules_for(path)
        if not rules or path.suffix in BINARY_SUFFIXES or not (root / path).is_file():
            continue
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        if path.suffix in C_SUFFIXES and not path.as_posix().startswith(FIXTURES):
            offences += missing_files(path, text, files, folders)
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, meaning in rules:
                if pattern.search(line):
                    offences.append(f"{path}:{number}: {meaning}: {line.strip()[:100]}")
    return offences


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    if subprocess.run(["git", "rev-parse"], cwd=root, capture_output=True).returncode != 0:
        print("not a git checkout, nothing is tracked")
        return 77  # meson: skipped
    offences = check(root)
    print("\n".join(offences) if offences else "nothing to object to")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
