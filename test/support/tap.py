"""Runs Python test cases and speaks TAP, so that meson counts each.

A case is a function without arguments that fails by an AssertionError, or any other
exception; its name is the property that must hold.
"""

import atexit
import faulthandler
import os
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path


def leave_the_cache_alone():
    """Lets no command under test read or write the user's cache of traces: a file is not a folder. Go keeps its own cache."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    os.environ.setdefault("GOCACHE", os.path.join(folder, "go-build"))
    os.environ["XDG_CACHE_HOME"] = os.devnull


leave_the_cache_alone()


def scratch_folder(name):
    """Makes a folder for the files of a test. It is removed when the program ends."""
    folder = Path(tempfile.mkdtemp(prefix=f"varve-{name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Skip(Exception):
    """Raised by a case that cannot run here; its text is the reason. The case counts as skipped."""


def run(cases):
    """Runs every case and exits: 0 if all passed."""
    failed = 0
    faulthandler.register(signal.SIGTERM, chain=True)  # shows where a case was stopped by a time-out
    print(f"1..{len(cases)}")
    for number, case in enumerate(cases, 1):
        try:
            case()
            print(f"ok {number} {case.__name__}", flush=True)
        except Skip as reason:
            print(f"ok {number} {case.__name__} # SKIP {reason}", flush=True)
        except Exception:  # the case has failed, the others still run
            failed += 1
            print(f"not ok {number} {case.__name__}")
            print("\n".join("# " + line for line in traceback.format_exc().splitlines()), flush=True)
    sys.exit(1 if failed else 0)
