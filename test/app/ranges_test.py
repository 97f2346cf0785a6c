#!/usr/bin/env python3
"""`varve open` of a `.varve` file with tiles at an address: by ranges from a server of this test, which can also do everything wrong.

usage: ranges_test.py VARVE
"""

import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE = os.path.abspath(sys.argv[1])
SCRATCH = tap.scratch_folder("ranges")
COUNT = 30000
TEXT = ("[" + ",\n".join(f'{{"ph":"X","pid":1,"tid":{i % 3},"ts":{i * 10},"dur":{4 + i % 30},"name":"f{i % 7}"}}' for i in range(COUNT)) +
        ',{"ph":"X","pid":1,"tid":9,"ts":1,"dur":2,"name":"h","cat":"__metadata"}]').encode()
ENVIRONMENT = {**os.environ, "http_proxy": "", "no_proxy": "*"}
REQUESTS = []
FILES = {}


class Handler(http.server.BaseHTTPRequestHandler):
    """/MODE/NAME: the file in one of several ways."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        _, mode, name = self.path.split("?")[0].split("/")
        body = FILES[name]
        requested = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        REQUESTS.append((self.path, requested and requested.groups()))
        count = sum(path == self.path for path, _ in REQUESTS)
        if mode == "none" or requested is None:
            return self.answer(200, body)
        first, last = int(requested[1]), min(int(requested[2]), len(body) - 1)
        part, total, tag = body[first:last + 1], len(body), '"a"'
        if mode == "short" and count > 1:
            part = part[:-1]
        if mode == "long" and count > 1:
            part += b"x"
        if mode == "other":
            first, last = first + 1, last + 1
        if mode == "tag" and count > 2:
            tag = '"b"'
        if mode == "grown" and count > 1:
            total += 1
        if mode == "broken" and count > 2:
            part = bytes(len(part))
        if mode == "gone" and count > 2:
            return self.answer(404, b"")
        return self.answer(206, part, ETag=tag, **{"Content-Range": f"bytes {first}-{last}/{total}"})

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # the program has seen enough

    def log_message(self, *_):
        pass


SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
ROOT = f"http://127.0.0.1:{SERVER.server_port}"
threading.Thread(target=SERVER.serve_forever, daemon=True).start()


def varve(*arguments):
    done = subprocess.run([VARVE, *map(str, arguments)], capture_output=True, text=True, check=False, env=ENVIRONMENT, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Opened:
    """A running `varve open`."""

    def __init__(self, *arguments):
        self.child = subprocess.Popen([VARVE, "open", "--no-browser", *map(str, arguments)], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.url = self.child.stdout.readline().strip() + "api/"

    def __enter__(self):
        for _ in range(500):
            self.status = json.loads(self.ask("status")[1])["traces"]
            if all(trace["state"] != "loading" for trace in self.status):
                return self
            time.sleep(0.02)
        raise AssertionError(self.status)

    def __exit__(self, *_):
        self.child.terminate()
        self.child.communicate()

    def ask(self, request, body=None):
        try:
            origin = {} if body is None else {"Origin": self.url[:self.url.index("/", 8)]}
            with urllib.request.urlopen(urllib.request.Request(self.url + request, data=body, headers=origin)) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


def make():
    source = SCRATCH / "trace.json"
    source.write_bytes(TEXT)
    for name, options in [("tiles.varve", ["--tiles"]), ("plain.varve", [])]:
        status, _, err = varve("convert", *options, source, "-o", SCRATCH / name)
        assert status == 0, err
        FILES[name] = (SCRATCH / name).read_bytes()
    FILES["trace.json"] = TEXT


def a_file_with_tiles_prints_the_same_as_one_without():
    for command in [["dump", "--json"], ["stats"]]:
        a, b = varve(*command, SCRATCH / "tiles.varve"), varve(*command, SCRATCH / "plain.varve")
        assert a[0] == b[0] == 0
        assert a[1].replace("tiles.varve", "plain.varve") == b[1], command


def tiles_of_other_formats_are_refused():
    status, _, err = varve("convert", "--tiles", SCRATCH / "trace.json", "-o", SCRATCH / "x.spall")
    assert status == 1 and "--tiles is for varve" in err, (status, err)


def a_file_with_tiles_is_opened_by_ranges():
    del REQUESTS[:]
    with Opened(f"{ROOT}/good/tiles.varve?token=1") as by_ranges, Opened(SCRATCH / "tiles.varve") as whole:
        assert by_ranges.status[0]["whole_bytes"] == len(FILES["tiles.varve"]) and by_ranges.status[0]["name"] == "tiles.varve"
        assert whole.status[0]["whole_bytes"] is None
        for request in ["outline?trace=0", "overview?trace=0&buckets=1024", "labels?trace=0&page=0", "categories?trace=0",
                        "properties?trace=0", "identity?trace=0", "tiles?trace=0&keys=1.0.9.0,2.0.9.1,2.0.0.3,1.0.20.0"]:
            assert by_ranges.ask(request) == whole.ask(request), request
        assert len(REQUESTS) <= 6 and all(part is not None for _, part in REQUESTS), REQUESTS
        assert sum(int(part[1]) - int(part[0]) + 1 for _, part in REQUESTS) < 700000
        read = len(REQUESTS)
        for request in ["stats?trace=0", "search?trace=0&text=f1", "slice?trace=0&id=1", "flame?trace=0", "tiles?trace=0&keys=1.0.9.0&hide=0"]:
            status, text = by_ranges.ask(request)
            assert (status, text.decode()) == (404, f"tiles.varve is read by ranges: this needs the whole file of {len(FILES['tiles.varve']) / 1e6:.1f} MB, which is not loaded\n"), text
        assert len(REQUESTS) == read
        assert by_ranges.ask("tooltip?trace=0&id=1") == (200, b"")
        status, text = by_ranges.ask("sql?trace=0", b"SELECT 1")
        assert status == 404 and b"needs the whole file" in text, text


def the_whole_file_is_loaded_on_request():
    with Opened(f"{ROOT}/good/tiles.varve") as opened:
        status, text = opened.ask("whole?trace=0", b"")
        assert (status, json.loads(text)) == (200, {"trace": 1}), text
        assert json.loads(opened.ask("whole?trace=0", b"")[1]) == {"trace": 1}
        opened.__enter__()
        assert opened.status[1]["state"] == "ready" and opened.status[1]["whole_bytes"] is None, opened.status
        assert json.loads(opened.ask("stats?trace=1")[1])["slices"] == COUNT + 1
        assert opened.ask("whole?trace=1", b"")[0] == 400


def other_addresses_are_loaded_as_a_whole():
    for arguments in [[f"{ROOT}/good/plain.varve"], [f"{ROOT}/good/trace.json"], ["--whole", f"{ROOT}/none/tiles.varve"],
                      ["--range=0..1ms", f"{ROOT}/good/trace.json"]]:
        with Opened(*arguments) as opened:
            assert opened.status[0]["state"] == "ready" and opened.status[0]["whole_bytes"] is None, (arguments, opened.status)


def servers_without_sound_ranges_are_refused():
    for mode, reason in [("none", "the server sends no ranges: it answered with the whole file (status 200)"),
                         ("other", "the server sent bytes 1-64, requested were 0-63"),
                         ("short", "the server sent .* bytes, requested were .* at offset .*"),
                         ("long", "the server sent more than .* bytes, requested were .* at offset .*"),
                         ("grown", f"the file has changed: it had {len(FILES['tiles.varve'])} bytes, now {len(FILES['tiles.varve']) + 1}; open it again")]:
        status, _, err = varve("open", "--no-browser", f"{ROOT}/{mode}/tiles.varve")
        assert status == 2 and re.search(re.escape(f"cannot read {ROOT}/{mode}/tiles.varve by ranges: ") + (reason if ".*" in reason else re.escape(reason)), err), (mode, status, err)


def a_file_that_changes_later_is_refused():
    for mode, reason in [("tag", "the file has changed: it has another ETag; open it again"), ("gone", "the server answered with status 404"),
                         ("broken", "is damaged: its checksum is wrong")]:
        del REQUESTS[:]
        with Opened(f"{ROOT}/{mode}/tiles.varve") as opened:
            assert opened.status[0]["state"] == "ready", opened.status
            status, text = opened.ask("tiles?trace=0&keys=1.0.3.0,1.0.3.9")
            assert status == 500 and reason in text.decode(), (mode, status, text)


make()
tap.run([a_file_with_tiles_prints_the_same_as_one_without, tiles_of_other_formats_are_refused, a_file_with_tiles_is_opened_by_ranges,
         the_whole_file_is_loaded_on_request, other_addresses_are_loaded_as_a_whole, servers_without_sound_ranges_are_refused,
         a_file_that_changes_later_is_refused])
