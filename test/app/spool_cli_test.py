#!/usr/bin/env python3
"""Temporary files of commands: created only if bytes of the input are read again, limited in size, and not required
otherwise.

usage: spool_cli_test.py VARVE
"""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE = os.path.abspath(sys.argv[1])
SCRATCH = tap.scratch_folder("spool")
COUNT = 60000  # some 4 MB
PACKED = SCRATCH / "trace.json.gz"
PACKED.write_bytes(gzip.compress(("[" + ",\n".join(
    f'{{"ph":"X","pid":1,"tid":1,"ts":{i * 10},"dur":4,"name":"a","args":{{"n":{i}}}}}' for i in range(COUNT)) + "]").encode()))
HALF = "temporary files would take more than half of the free space"


def no_file_may_be_written():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def without_files(*arguments, stdin=None):
    done = subprocess.run([VARVE, *map(str, arguments)], stdin=stdin, capture_output=True, text=True, check=False,
                          preexec_fn=no_file_may_be_written)
    return done.returncode, done.stdout, done.stderr


def with_small_disks(script, *arguments):
    """Runs `script` if it can mount; varve and the input are open files, because a mount may hide their directories.
    None: mounts are not possible here."""
    with open(VARVE, "rb") as program, open(PACKED, "rb") as packed:
        files = [f"/proc/self/fd/{f.fileno()}" for f in (program, packed)]
        for unshare in ["unshare", "-m"], ["unshare", "-r", "-m"]:
            command = [*unshare, "sh", "-c", "mount -t tmpfs -o size=6m none \"$2\" || exit 99\n" + script, *files, SCRATCH / "disk"]
            (SCRATCH / "disk").mkdir(exist_ok=True)
            done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False,
                                  pass_fds=[program.fileno(), packed.fileno()])
            if done.returncode not in (99, 1, 127):
                return done
    return None


def commands_that_read_no_arguments_write_no_file():
    assert without_files("check", PACKED) == (0, f"{PACKED}: no anomalies\n", "")
    for arguments in ["info"], ["info", "--json"], ["stats"], ["dump"], ["render", "--to=svg", "-o", "-"]:
        status, out, err = without_files(*arguments, PACKED)
        assert status == 0 and out and err == "", (arguments, status, err)
        with open(PACKED, "rb") as pipe:
            assert without_files(*arguments, "-", stdin=pipe)[0] == 0, arguments


def lost_arguments_are_said():
    status, out, err = without_files("dump", "--json", PACKED)
    assert status == 2 and out == "", (status, out[:100])
    assert "warning: arguments cannot be shown: temporary files cannot be written: File too large (byte 0)" in err, err
    assert "the input cannot be read again: temporary files cannot be written: File too large" in err, err
    status, out, err = without_files("convert", "--to=json", PACKED, "-o", "-")
    assert status == 2 and "the input cannot be read again" in err, (status, err)


def a_full_tmpdir_is_no_fault():
    whole = subprocess.run([VARVE, "dump", "--json", PACKED], capture_output=True, text=True, check=True).stdout
    assert json.loads(whole.splitlines()[-1])["args"] == {"n": COUNT - 1}
    done = with_small_disks('head -c 6m /dev/zero > "$2/full"; TMPDIR="$2" "$0" dump --json "$1"')
    assert done is None or (done.returncode, done.stdout, done.stderr) == (0, whole, ""), done.stderr


def half_of_the_space_is_left():
    """4 MB would fit into 6 MB, but not into half of it. All directories for temporary files are on that disk."""
    hide = 'mount --bind "$2" /var/tmp && mount --bind "$2" /tmp || exit 99\n'
    done = with_small_disks(hide + '"$0" dump --json "$1"')
    assert done is None or (done.returncode == 2 and f"arguments cannot be shown: {HALF} (byte 31" in done.stderr), done.stderr
    done = with_small_disks(hide + '"$0" check "$1"')
    assert done is None or (done.returncode, done.stderr) == (0, ""), done.stderr


tap.run([
    commands_that_read_no_arguments_write_no_file, lost_arguments_are_said, a_full_tmpdir_is_no_fault, half_of_the_space_is_left,
])
