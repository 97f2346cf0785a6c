"""Runs the program under test for tests of the command line: its path is the first argument of the test."""

import functools
import json
import os
import subprocess
import sys

VARVE = os.path.abspath(sys.argv[1])


def varve(*arguments, **options):
    """Runs `varve ARGUMENTS` and returns the finished process."""
    return subprocess.run([VARVE, *map(str, arguments)], capture_output=True, timeout=300, **options)


def succeeds(*arguments):
    """Runs it, expects exit status 0 and returns the standard output."""
    done = varve(*arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def fails(*arguments, says, status=1):
    """Runs it, expects this exit status, no output and a message that contains `says`."""
    done = varve(*arguments)
    assert done.returncode == status and done.stdout == b"" and says in done.stderr.decode(), (arguments, done)


def version_of(path):
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size


@functools.cache
def dump_of(path, _version, *options):
    return [json.loads(line) for line in varve("dump", "--json", "--quiet", *options, path).stdout.splitlines()]


@functools.cache
def info_of(path, _version, *options):
    return json.loads(succeeds("info", "--json", "--quiet", *options, path))


def dump(path, *options):
    """Returns the lines of `varve dump --json` as objects, whatever warnings the file gives. The command runs once for each version of the
    file: the caller must not change the objects."""
    return dump_of(path, version_of(path), *options)


def info(path, *options):
    """Returns the object of `varve info --json`, with the same rule."""
    return info_of(path, version_of(path), *options)
