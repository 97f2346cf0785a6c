#!/usr/bin/env python3
"""The command of a minimal build: its work without Cairo, libmicrohttpd, libcurl and libedit, and its messages
where it would need them.

usage: minimal_cli_test.py VARVE DATA_DIR EXAMPLES_DIR
"""

import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, DATA, EXAMPLES = (Path(argument).resolve() for argument in sys.argv[1:4])
SCRATCH = tempfile.TemporaryDirectory(prefix="varve-minimal-")
TRACE = EXAMPLES / "page-load.json.gz"


def run(*arguments, **more):
    done = subprocess.run([VARVE, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def refuses(message, *arguments):
    status, out, err = run(*arguments)
    assert status != 0 and message in err and not out, (arguments, status, out, err)


def every_format_is_read():
    for trace in (TRACE, EXAMPLES / "record" / "sort.spall", DATA / "apitrace" / "backtrace.trace",
                  DATA / "go" / "go119_chans.trace"):
        status, out, err = run("info", "--json", trace)
        assert status == 0 and json.loads(out)["counts"]["tracks"] > 0, (trace, status, err)


def a_converted_trace_has_the_same_slices():
    copy = Path(SCRATCH.name) / "copy.json"
    assert run("convert", "--quiet", TRACE, "-o", copy)[0] == 0
    counts = [json.loads(run("info", "--json", path)[1])["counts"]["slices"] for path in (TRACE, copy)]
    assert counts[0] == counts[1] > 30000, counts


def what_is_left_out_is_an_error():
    picture, page = Path(SCRATCH.name) / "picture.png", Path(SCRATCH.name) / "page.html"
    refuses("this build has no pictures (-Dminimal=true)", "render", TRACE, "-o", picture)
    refuses("this build has no pictures (-Dminimal=true)", "flame", TRACE, "-o", picture)
    refuses("this build has no viewer (-Dminimal=true)", "open", "--no-browser", TRACE)
    refuses("needs the viewer", "convert", TRACE, "-o", page)
    refuses("opens no addresses", "info", "https://example.org/x.json")
    assert not picture.exists() and not page.exists()


def an_svg_flame_graph_needs_no_cairo():
    graph = Path(SCRATCH.name) / "graph.svg"
    assert run("flame", "--quiet", TRACE, "-o", graph)[0] == 0
    assert graph.read_text(encoding="utf-8").startswith("<svg")


def statements_are_read_from_a_terminal():
    """A statement ends with a semicolon, on the first line or a later one."""
    if not os.path.isfile(os.environ.get("VARVE_DUCKDB", "")):
        return  # without DuckDB there is no prompt
    terminal, inside = pty.openpty()
    with subprocess.Popen([VARVE, "query", "--quiet", str(TRACE)], stdin=inside, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as child:
        os.write(terminal, b"\nselect 6 *\n  7 as product; \nselect 'a;b' as text;\n\x04")
        out, err = child.communicate(timeout=60)
    os.close(terminal)
    os.close(inside)
    assert "product" in out and "42" in out and "a;b" in out, (out, err)
    assert "lists the tables; Ctrl+C cancels" in err and "varve> varve>    ... varve> varve> " in err, err


tap.run([every_format_is_read, a_converted_trace_has_the_same_slices, what_is_left_out_is_an_error, an_svg_flame_graph_needs_no_cairo,
         statements_are_read_from_a_terminal])
