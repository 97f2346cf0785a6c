#!/usr/bin/env python3
"""`meson install`: every file is there, and the program works under another prefix.

usage: install_test.py BUILD_DIR ROOT web|no-web
"""

import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

BUILD, ROOT, HAS_WEB = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "web"
SCRATCH = tap.scratch_folder("install")
TRACE = ROOT / "examples" / "record" / "sort.spall"


def output(*command, **settings):
    done = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **settings)
    assert done.returncode == 0, (command, done)
    return done.stdout


def installed():
    """Installs once to a staging folder, moves the prefix elsewhere, and returns it."""
    moved = SCRATCH / "moved"
    if not moved.exists():
        output("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", SCRATCH / "stage")
        (program,) = (SCRATCH / "stage").rglob("bin/varve")
        program.parent.parent.rename(moved)
    return moved


def manual_pages_and_completions_belong_to_the_program():
    prefix = installed()
    commands = re.findall(r"^  ([a-z]+) +[A-Z]", output(prefix / "bin" / "varve", "--help"), re.M)
    assert sorted(path.name for path in prefix.glob("share/man/man1/*.1")) == sorted(["varve.1"] + [f"varve-{name}.1" for name in commands])
    for path in prefix.glob("share/man/man1/*.1"):
        assert path.read_text().startswith(".TH VARVE"), path
    for path, shell in (("bash-completion/completions/varve", "bash"), ("zsh/site-functions/_varve", "zsh"),
                        ("fish/vendor_completions.d/varve.fish", "fish")):
        assert (prefix / "share" / path).read_text() == output(prefix / "bin" / "varve", "completion", shell), path


def the_moved_program_reads_and_serves():
    program = installed() / "bin" / "varve"
    assert ".spall" in output(program, "info", TRACE)
    viewer = subprocess.Popen([program, "open", "--no-browser", TRACE], stdout=subprocess.PIPE, text=True)
    try:
        url = viewer.stdout.readline().strip()
        if HAS_WEB:
            with urllib.request.urlopen(url, timeout=30) as page:
                assert b"<!doctype html" in page.read().lower()
        assert url.startswith("http://127.0.0.1:"), url
    finally:
        viewer.terminate()
        assert viewer.wait(timeout=30) == 0


def the_desktop_file_is_valid():
    entry = installed() / "share" / "applications" / "varve.desktop"
    text = entry.read_text()
    assert "\nExec=varve open %F\n" in text
    assert (installed() / "share/icons/hicolor/scalable/apps/varve.svg").read_text().startswith("<svg")
    if not shutil.which("desktop-file-validate"):
        raise tap.Skip("no desktop-file-validate")
    assert output("desktop-file-validate", entry) == ""


def types_of_the_desktop_file_are_declared_and_recognised():
    if not shutil.which("update-mime-database"):
        raise tap.Skip("no update-mime-database")
    mime = installed() / "share" / "mime"
    output("update-mime-database", mime)
    declared = set(re.findall(r'<mime-type type="([^"]+)"', (mime / "packages" / "varve.xml").read_text()))
    opened = re.search(r"^MimeType=(.*)$", (installed() / "share/applications/varve.desktop").read_text(), re.M)[1]
    assert set(opened.strip(";").split(";")) == declared
    globs = (mime / "globs2").read_text()
    assert "application/x-spall-trace:*.spall\n" in globs and "application/x-cpuprofile+json:*.cpuprofile\n" in globs, globs
    assert "application/x-speedscope+json:*.speedscope.json\n" in globs, globs
    magic = (mime / "magic").read_bytes()
    for file in (TRACE, ROOT / "test/data/heph/bad_sizes.bin"):
        assert file.read_bytes()[:4] in magic, file


def the_header_compiles():
    for compiler, suffix in (("cc", "c"), ("c++", "cc")):
        if not shutil.which(compiler):
            continue
        source = SCRATCH / f"program.{suffix}"
        source.write_text("#define VARVE_RECORD_IMPLEMENTATION\n#include <varve/record.h>\n"
                          'int main(void) { varve_record_start("x.spall"); { VARVE_SCOPE_WITH("f", VARVE_ARG("n", 12)); } return varve_record_stop(); }\n')
        output(compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", installed() / "include", source, "-o", SCRATCH / "program", "-pthread")
        output(SCRATCH / "program", cwd=SCRATCH)
        assert 'name="f" args={"n":12}' in output(installed() / "bin" / "varve", "dump", SCRATCH / "x.spall")
        output(compiler, "-x", "c" if suffix == "c" else "c++", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", installed() / "include/varve/instrument.c",
               "-o", SCRATCH / "instrument.o")
    assert not (installed() / "include/varve/record").exists(), "the header has parts"


tap.run([manual_pages_and_completions_belong_to_the_program, the_moved_program_reads_and_serves, the_desktop_file_is_valid,
         types_of_the_desktop_file_are_declared_and_recognised, the_header_compiles])
