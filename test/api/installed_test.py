#!/usr/bin/env python3
"""Programs against the installed library: C and C++ without a warning, shared and static, by pkg-config.

usage: installed_test.py BUILD_FOLDER SOURCE_FOLDER TEST_DATA. Reports in TAP.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD, SOURCE, DATA = (Path(argument).resolve() for argument in sys.argv[1:4])
TESTS = ["test/api/api_test.c", "test/api/analysis_test.c"]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Werror"]
C, CXX = ["cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L"], ["c++", "-x", "c++", "-std=c++11"]


def run(*command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.stdout}{done.stderr}"
    return done.stdout


def flags(root, *options):
    """The flags of pkg-config for the library below `root`."""
    folder = next(root.rglob("varve.pc")).parent
    prefix = next(root.rglob("include/varve/varve.h")).parent.parent.parent
    env = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    return shlex.split(run("pkg-config", f"--define-variable=prefix={prefix}", *options, "varve", env=env))


def build(root, out, source, *command, static=False):
    """Compiles a program against the installed library, and returns its path."""
    library = next(root.rglob("libvarve.so")).parent
    link = flags(root, "--libs", *(["--static"] if static else []))
    if static:
        link = [str(library / "libvarve.a") if flag == "-lvarve" else flag for flag in link]
    run(*command, *WARNINGS, *flags(root, "--cflags"), "-o", out, source, *(["-x", "none"] if "-x" in command else []),
        *link, f"-Wl,-rpath,{library}")
    return out


def headers(root):
    """The installed header and its parts."""
    whole = next(root.rglob("varve/varve.h"))
    parts = re.findall(r"#include <varve/(\w+\.h)>", whole.read_text())
    assert len(parts) > 5, parts
    return [whole, *(whole.parent / part for part in parts)]


def names_are_hidden(root, _folder):
    for name, option in (("libvarve.so", "-D"), ("libvarve.a", "-g")):
        symbols = run("nm", option, "--defined-only", next(root.rglob(name))).split("\n")
        names = [line.split()[-1] for line in symbols if len(line.split()) == 3]
        assert len(names) > 40 and all(symbol.startswith("varve_") for symbol in names), (name, names)


def every_function_is_tested(root, _folder):
    symbols = run("nm", "-D", "--defined-only", next(root.rglob("libvarve.so"))).split()
    text = "".join(path.read_text() for path in [*(SOURCE / test for test in TESTS), *headers(root)])
    missing = [name for name in symbols if name.startswith("varve_") and text.count(name + "(") < 2]
    assert not missing, missing


def each_header_alone(root, folder):
    for header in headers(root):
        for command in C, CXX:
            source = folder / "alone.c"
            source.write_text(f"#include <varve/{header.name}>\n")
            run(*command, *WARNINGS, *flags(root, "--cflags"), "-fsyntax-only", source)


def c_program(root, folder):
    for test in TESTS:
        run(build(root, folder / "c", SOURCE / test, *C), DATA)


def cxx_program(root, folder):
    for test in TESTS:
        run(build(root, folder / "cxx", SOURCE / test, *CXX), DATA)


def static_program(root, folder):
    program = build(root, folder / "static", SOURCE / TESTS[0], *C, static=True)
    assert "libvarve" not in run("ldd", program)
    run(program, DATA)


def examples(root, folder):
    for source in sorted((SOURCE / "examples/c").glob("*.c")):
        build(root, folder / source.stem, source, *C)


def recorder(root, folder):
    """The installed varve/record.h is one file: programs need no library."""
    include = ["-I", next(root.rglob("varve/record.h")).parent.parent]
    for name, compiler in (("program.c", ["cc", "-std=c11", "-D_GNU_SOURCE"]), ("scopes.cpp", ["c++", "-std=c++11"])):
        run(*compiler, *WARNINGS, *include, "-pthread", "-o", folder / "recorder", SOURCE / "test/record" / name)


def main():
    if not all(map(shutil.which, ("cc", "c++", "pkg-config", "meson"))):
        print("1..0 # SKIP needs cc, c++, pkg-config and meson")
        return 0
    cases = [names_are_hidden, every_function_is_tested, each_header_alone, c_program, cxx_program, static_program, examples, recorder]
    print(f"1..{len(cases)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", root)
        for number, case in enumerate(cases, 1):
            try:
                case(root, Path(folder))
                print(f"ok {number} - {case.__name__}")
            except AssertionError as fault:
                failed += 1
                print(f"# {str(fault)[:3000]}".replace("\n", "\n# "))
                print(f"not ok {number} - {case.__name__}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
