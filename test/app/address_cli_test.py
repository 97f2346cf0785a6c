#!/usr/bin/env python3
"""Traces from addresses: a server of this test on the loopback interface gives them, whole, in chunks, cut short, redirected.

usage: address_cli_test.py VARVE
"""

import gzip
import http.server
import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE = os.path.abspath(sys.argv[1])
SCRATCH = tap.scratch_folder("address")
COUNT = 40000  # some 3 MB: more than the buffers of a connection
TEXT = ("[" + ",\n".join(f'{{"ph":"X","pid":1,"tid":1,"ts":{i * 10},"dur":4,"name":"a","args":{{"n":{i}}}}}' for i in range(COUNT)) +
        "]").encode()
FILES = {"/trace.json": TEXT, "/trace.json.gz": gzip.compress(TEXT)}
REQUESTS = []


def zipped():
    path = SCRATCH / "trace.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.json", TEXT)
    return path.read_bytes()


FILES["/trace.zip"] = zipped()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        REQUESTS.append(self.path)
        if path.startswith("/moved/"):
            return self.answer(302, b"", Location=path[len("/moved"):])
        if path == "/circle":
            return self.answer(302, b"", Location="/circle")
        if path == "/elsewhere":
            return self.answer(302, b"", Location="file:///etc/passwd")
        if path == "/chunks":
            return self.answer_in_chunks(TEXT)
        if path == "/short":
            return self.answer(200, TEXT[:1000000], length=len(TEXT))
        if path not in FILES:
            return self.answer(404, b"no such file")
        return self.answer(200, FILES[path])

    def answer(self, status, body, length=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = length is not None

    def answer_in_chunks(self, body):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(body), 100000):
            part = body[at:at + 100000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
ROOT = f"http://127.0.0.1:{SERVER.server_port}"
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
FILE = SCRATCH / "trace.json"
FILE.write_bytes(TEXT)


def varve(*arguments):
    environment = {**os.environ, "http_proxy": "", "no_proxy": "*"}
    done = subprocess.run([VARVE, *map(str, arguments)], capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout, done.stderr


def info(address):
    status, out, err = varve("info", "--json", address)
    assert status == 0, err
    return json.loads(out), err


def an_address_gives_the_same_trace_as_the_file():
    wanted = varve("dump", "--json", FILE)
    assert wanted[0] == 0
    for name in ["trace.json", "trace.json.gz", "trace.zip", "chunks", "moved/trace.json"]:
        assert varve("dump", "--json", f"{ROOT}/{name}") == wanted, name
        facts, err = info(f"{ROOT}/{name}")
        assert facts["counts"]["slices"] == COUNT and facts["complete"] and err == "", (name, err)
    assert info(f"{ROOT}/trace.json")[0]["file"] == {"name": "trace.json", "bytes": len(TEXT), "compression": "none"}


def arguments_of_an_address_are_found():
    status, out, _ = varve("find", "--count", f"{ROOT}/trace.json.gz", "n=39999")
    assert status == 0 and out.split()[0] == "1", out


def several_addresses_and_files_are_queried_together():
    status, out, err = varve("query", "--csv", FILE, f"{ROOT}/trace.json", "SELECT count(*) AS n FROM slice")
    if status == 2 and "DuckDB" in err:
        raise tap.Skip("no DuckDB")
    assert (status, out) == (0, f"n\n{2 * COUNT}\n"), err


def secrets_of_an_address_are_not_shown():
    with_user = ROOT.replace("http://", "http://me:word@")
    facts, _ = info(f"{with_user}/trace.json?token=secret#part")
    assert facts["file"]["name"] == "trace.json", facts["file"]
    assert REQUESTS[-1] == "/trace.json?token=secret"


def a_transfer_that_ends_early_shows_the_part_before():
    facts, err = info(f"{ROOT}/short")
    assert not facts["complete"] and 12000 < facts["counts"]["slices"] < COUNT, facts["counts"]
    first = {warning["kind"]: warning["first"] for warning in facts["warnings"]}["input-cut-short"]
    assert first["message"] == f"the transfer ended after 1000000 of {len(TEXT)} bytes: Transferred a partial file", first
    assert first["offset"] == 1000000
    assert "the transfer ended" in err


def failures_have_a_reason():
    for address, reason in [(f"{ROOT}/nothing.json", "the server answered with status 404"),
                            (f"{ROOT}/circle", "Maximum (5) redirects followed"),
                            (f"{ROOT}/elsewhere", "Protocol"),
                            ("http://127.0.0.1:1/trace.json", "Failed to connect"),
                            ("http://name.invalid/trace.json", "Could not resolve host")]:
        for command in ["info"], ["dump"], ["stats"]:
            status, out, err = varve(*command, address)
            assert (status, out) == (2, "") and reason in err and err.startswith(f"varve: {address}: "), (status, err)
    with_secrets = ROOT.replace("http://", "http://me:word@") + "/nothing.json?token=secret"
    assert varve("info", with_secrets)[2].startswith(f"varve: {ROOT}/nothing.json: "), varve("info", with_secrets)
    status, _, err = varve("open", "--watch", f"{ROOT}/trace.json")
    assert status == 1 and "--watch follows files" in err, err


def the_viewer_opens_an_address():
    program = subprocess.Popen([VARVE, "open", "--no-browser", f"{ROOT}/trace.json"], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "no_proxy": "*"})
    try:
        assert program.stdout.readline().startswith("http://127.0.0.1:")
        assert program.poll() is None
    finally:
        program.terminate()
        assert program.wait(60) in (0, -15)
    status, _, err = varve(f"{ROOT}/nothing.json", "--no-browser")
    assert status == 2 and "404" in err, (status, err)


tap.run([an_address_gives_the_same_trace_as_the_file, arguments_of_an_address_are_found,
         several_addresses_and_files_are_queried_together, secrets_of_an_address_are_not_shown,
         a_transfer_that_ends_early_shows_the_part_before, failures_have_a_reason, the_viewer_opens_an_address])
