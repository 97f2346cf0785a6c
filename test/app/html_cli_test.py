#!/usr/bin/env python3
"""`varve convert --to=html`: the file holds the viewer, the input and the view, and nothing of them can end its block.

usage: html_cli_test.py VARVE DATA_DIR
"""

import base64
import gzip
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from command import fails, succeeds, varve  # noqa: E402

DATA = Path(sys.argv[2]).resolve()
SCRATCH = tap.scratch_folder("html")
JSON = DATA / "cli" / "ok_small.json"
SPALL = DATA / "spall" / "v3_threads.spall"
EXTRA_MOST = 10 << 20  # bytes of the viewer


class Page(HTMLParser):
    """The elements of a page in order, and the data blocks with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.blocks = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "script":
            self.blocks.append((dict(attrs), ""))

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script":
            attrs, text = self.blocks[-1]
            self.blocks[-1] = (attrs, text + data)

    def trace(self):
        """Returns the name and the bytes of the trace."""
        blocks = [(a, t) for a, t in self.blocks if "data-trace" in a or "data-more" in a]
        name = base64.b64decode(blocks[0][0]["data-trace"]).decode()
        return name, b"".join(base64.b64decode(text.strip(), validate=True) for _, text in blocks)

    def view(self):
        """Returns the view file and the time from which it counts, or None."""
        found = [(a["data-view"], json.loads(base64.b64decode(t.strip()))) for a, t in self.blocks if "data-view" in a]
        return found[0] if found else None


def page(*arguments):
    out = SCRATCH / "out.html"
    succeeds("convert", "--quiet", *arguments, "-o", out)
    return Page(out.read_text())


def the_file_holds_the_input_as_it_is_compressed_under_its_name():
    for path in (JSON, SPALL):
        name, packed = page(path).trace()
        assert name == path.name and gzip.decompress(packed) == path.read_bytes(), name
    packed = SCRATCH / "small.json.gz"
    packed.write_bytes(gzip.compress(JSON.read_bytes()))
    assert page(packed).trace() == (packed.name, packed.read_bytes())
    assert page(packed).view() is None


def standard_input_and_a_long_input_in_several_blocks():
    done = varve("convert", "--to=html", "-", "-o", "-", input=JSON.read_bytes())
    name, packed = Page(done.stdout.decode()).trace()
    assert (done.returncode, name, gzip.decompress(packed)) == (0, "trace", JSON.read_bytes()), done.stderr
    events = b",\n".join(b'{"ph":"i","s":"t","pid":1,"tid":1,"ts":%d,"name":"%x"}' % (i, (i * 2654435761) ** 6) for i in range(250000))
    big = SCRATCH / "big.json"
    big.write_bytes(b"[" + events + b"]")
    found = page(big)
    assert sum("data-more" in attrs for attrs, _ in found.blocks) >= 1
    assert gzip.decompress(found.trace()[1]) == big.read_bytes()


def a_part_of_the_trace_is_json_with_a_view_that_shows_its_range():
    found = page(JSON, "--range=10us..20us")
    assert gzip.decompress(found.trace()[1]) == succeeds("convert", "--quiet", "--to=json", "--range=10us..20us", JSON, "-o", "-")
    begin, view = found.view()
    assert begin == str(json.loads(succeeds("info", "--json", "--quiet", JSON))["time"]["begin_ns"])
    assert view["traces"][0]["range"] == {"begin": 10000, "end": 20000}, view
    assert page(JSON, "--tracks=1").view() is None


def a_view_file_and_a_link_are_contained():
    text = '{"varve_view": 1, "traces": [{"name": "ok_small.json", "marks": [{"begin": 5, "text": "here"}]}]}'
    path = SCRATCH / "x.varve-view"
    path.write_text(text)
    assert page(JSON, path).view() == ("", json.loads(text))
    link = "http://127.0.0.1/#view=" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    assert page(JSON, link).view() == ("", json.loads(text))


def names_of_files_and_events_stay_inside_of_their_blocks():
    names = ["</script><script>alert(1)</script>", "<!--<script>", "]]>\"'><img src=x onerror=alert(1)>"]
    usual = page(JSON).tags
    for i, name in enumerate(names):
        events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "args": {"name": name}},
                  {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "name": name, "cat": name, "args": {name: name}}]
        path = SCRATCH / (name.replace("/", "_") + ".json")
        path.write_text(json.dumps(events))
        for options in ([], ["--tracks=1"]):
            found = page(path, *options)
            assert found.tags == usual and found.trace()[0] == path.name, (i, found.tags)


def every_command_reads_the_page_as_the_input_in_it():
    capture = DATA / "apitrace" / "crash.trace"
    kept = SCRATCH / "small.varve"
    succeeds("convert", "--quiet", JSON, "-o", kept)
    for path in (JSON, SPALL, DATA / "archives" / "info_zip.zip", capture, kept):
        out = SCRATCH / "shared.html"
        succeeds("convert", "--quiet", path, "-o", out)
        for command in (["dump", "--json"], ["stats", "--json"], ["dump"]):
            assert succeeds(*command, "--quiet", out) == succeeds(*command, "--quiet", path), (path, command)
        assert varve("check", out).stdout.splitlines()[1:] == varve("check", path).stdout.splitlines()[1:]
        assert json.loads(succeeds("info", "--json", "--quiet", out))["file"] == {"name": "shared.html", "bytes": out.stat().st_size, "compression": "html"}
        piped = varve("dump", "--json", "--quiet", "-", input=out.read_bytes())
        assert piped.stdout == succeeds("dump", "--json", "--quiet", path), piped.stderr


def a_page_made_of_a_page_has_the_input_itself():
    first, second = SCRATCH / "first.html", SCRATCH / "second.html"
    succeeds("convert", "--quiet", JSON, "-o", first)
    succeeds("convert", "--quiet", first, "-o", second)
    assert gzip.decompress(Page(second.read_text()).trace()[1]) == JSON.read_bytes()
    succeeds("convert", "--quiet", first, "-o", SCRATCH / "first.varve")
    assert succeeds("dump", "--json", "--quiet", SCRATCH / "first.varve") == succeeds("dump", "--json", "--quiet", JSON)
    assert json.loads(succeeds("info", "--json", "--quiet", SCRATCH / "first.varve"))["source"]["compression"] == "html"


def pages_without_a_trace_and_cut_pages_are_errors_with_an_offset():
    whole = SCRATCH / "whole.html"
    succeeds("convert", "--quiet", JSON, "-o", whole)
    text = whole.read_bytes()
    empty = SCRATCH / "empty.html"
    empty.write_bytes(b"<!DOCTYPE html><html><body></body></html>")
    fails("info", empty, says="it is an HTML page without a trace, or cut short before the trace (byte 41)", status=2)
    cut = SCRATCH / "cut.html"
    cut.write_bytes(text[: text.index(b"data-trace=")])
    fails("info", cut, says="cut short before the trace (byte", status=2)
    cut.write_bytes(text[: text.rindex(b"</body>")])
    assert b"the HTML page is cut short (at byte %d of the html input)" % cut.stat().st_size in varve("check", cut).stdout


def the_page_allows_no_connection_and_scripts_only_by_their_hashes():
    text = (SCRATCH / "out.html").read_text()
    csp = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]+)"', text).group(1)
    rules = dict((rule.split()[0], rule.split()[1:]) for rule in csp.split(";"))
    assert rules["default-src"] == ["'none'"] and "connect-src" not in rules, csp
    hashes = ["'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'" for script in re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", text, flags=re.S)]
    assert len(hashes) == 2 and rules["script-src"] == [*hashes, "'wasm-unsafe-eval'"], csp
    assert not re.search(r"""(src|href)=["'](?!data:)""", re.sub(r"<script.*?</script>", "", text, flags=re.S)), "the page names another file"


def the_viewer_takes_less_than_10_mb():
    page(JSON)
    assert (SCRATCH / "out.html").stat().st_size < EXTRA_MOST


def wrong_options_are_refused():
    view = SCRATCH / "x.varve-view"
    fails("convert", JSON, view, "-o", SCRATCH / "x.json", says="only html takes a view")
    fails("convert", "--table=slice", JSON, "-o", SCRATCH / "x.html", says="--table is for csv, jsonl, arrow and parquet, not for html")
    fails("convert", "--quiet", JSON, SCRATCH / "none.varve-view", "-o", SCRATCH / "x.html", says="No such file", status=2)
    fails("convert", "--quiet", JSON, "-o", SCRATCH / "no" / "x.html", says="", status=4)
    assert not (SCRATCH / "x.html").exists()


CASES = [
    the_file_holds_the_input_as_it_is_compressed_under_its_name,
    standard_input_and_a_long_input_in_several_blocks,
    a_part_of_the_trace_is_json_with_a_view_that_shows_its_range,
    a_view_file_and_a_link_are_contained,
    names_of_files_and_events_stay_inside_of_their_blocks,
    every_command_reads_the_page_as_the_input_in_it,
    a_page_made_of_a_page_has_the_input_itself,
    pages_without_a_trace_and_cut_pages_are_errors_with_an_offset,
    the_page_allows_no_connection_and_scripts_only_by_their_hashes,
    the_viewer_takes_less_than_10_mb,
    wrong_options_are_refused,
]

if "needs the viewer" in varve("convert", "--quiet", JSON, "-o", SCRATCH / "first.html").stderr.decode():
    print("1..0 # SKIP this build has no viewer")
else:
    tap.run(CASES)
