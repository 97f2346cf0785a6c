#!/usr/bin/env python3
"""Compares the binary interface of libvarve with the kept one, by abidiff of libabigail.

usage: abi_test.py LIBRARY HEADER KEPT [--update]. Reports in TAP.

Additions are free. A change or a removal needs a new major version (while it is 0: a new minor version), and then `--update`
writes KEPT anew.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def dump(library, header, out):
    subprocess.run(["abidw", "--headers-dir", Path(header).parent, "--drop-private-types", "--exported-interfaces-only", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                    "--out-file", out, library], check=True)


def main(library, header, kept, *options):
    if shutil.which("abidw") is None or shutil.which("abidiff") is None:
        print("1..0 # SKIP needs abidw and abidiff of libabigail")
        return 0
    if options == ("--update",):
        dump(library, header, kept)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        now = Path(folder) / "now.abi"
        dump(library, header, now)
        done = subprocess.run(["abidiff", "--no-added-syms", kept, now], capture_output=True, text=True)
    print("1..1")
    print("".join(f"# {line}\n" for line in (done.stdout + done.stderr).splitlines()), end="")
    print(f"{'ok' if done.returncode == 0 else 'not ok'} 1 - the interface is the kept one")
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
