#!/usr/bin/env python3
"""The requests that the server of `varve open` accepts and rejects.

usage: server_test.py VARVE DATA_DIR web|no-web
"""

import base64
import contextlib
import hashlib
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from viewer import Viewer  # noqa: E402

VARVE, DATA, WEB = os.path.abspath(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "web"


def small():
    return Viewer(DATA / "ok_small.json")


def the_session_answers_behind_the_secret():
    with small() as viewer:
        status = viewer.wait_until_ready()
        assert status["traces"][0]["name"] == "ok_small.json", status
        code, headers, body = viewer.ask("api/slice?trace=0&id=0")
        assert code == 200 and headers["content-type"] == "application/json", headers
        assert json.loads(body)["place"]["slice"] == 0
        assert viewer.ask("api/slice?trace=0&id=99")[0] == 404
        assert viewer.ask("api/slice?trace=0&id=%zz")[0] == 400
        assert viewer.ask("api/nothing")[0] == 404


def a_wrong_secret_is_refused():
    with small() as viewer:
        wrong = viewer.secret[:-1] + ("0" if viewer.secret[-1] != "0" else "1")
        for secret in (wrong, "", "0" * 32, viewer.secret[:-1], viewer.secret + "0", viewer.secret.upper() + "x"):
            code, _, body = viewer.ask("api/status", secret=secret)
            assert code == 403, (secret, code)
            assert b"ok_small" not in body and viewer.secret.encode() not in body
        for target in ("/api/status", "/index.html", "/app.js", "/?", "/link.html", "/first", "/../" + viewer.secret + "/"):
            connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=20)
            connection.request("GET", target)
            assert connection.getresponse().status == 403, target
            connection.close()


def every_start_has_a_secret_of_its_own():
    with small() as first, small() as second:
        assert first.secret != second.secret
        assert second.ask("api/status", secret=first.secret)[0] == 403


def a_port_keeps_its_secret_from_run_to_run():
    with small() as viewer:
        port = viewer.port  # free now
    with tempfile.TemporaryDirectory() as folder:
        options = ("--no-browser", f"--port={port}")
        state, others = (dict(os.environ, XDG_STATE_HOME=f"{folder}/{name}") for name in ("state", "others"))
        stored = Path(folder, f"state/varve/secrets/{port}")
        with Viewer(DATA / "ok_small.json", options=options, env=state) as viewer:
            secret = viewer.secret
            assert viewer.port == port and stored.read_text() == secret
            assert stored.stat().st_mode & 0o777 == 0o600 and stored.parent.stat().st_mode & 0o777 == 0o700
        with Viewer(DATA / "ok_small.json", options=options, env=state) as viewer:
            assert viewer.secret == secret
        with Viewer(DATA / "ok_small.json", options=options, env=others) as viewer:
            assert viewer.secret != secret and viewer.ask("api/status", secret=secret)[0] == 403
        stored.chmod(0o644)  # others could have read it
        with Viewer(DATA / "ok_small.json", options=options, env=state) as viewer:
            assert viewer.secret != secret and stored.stat().st_mode & 0o777 == 0o600
        for damage in ("", secret[:-1], secret + "0", secret.upper() + "\n", "/" * 32):
            stored.write_text(damage)
            with Viewer(DATA / "ok_small.json", options=options, env=state) as viewer:
                assert viewer.secret not in (secret, damage) and stored.read_text() == viewer.secret
        stored.unlink()
        stored.symlink_to(Path(folder, "elsewhere"))
        with Viewer(DATA / "ok_small.json", options=options, env=state) as viewer:
            assert stored.read_text() == viewer.secret and not Path(folder, "elsewhere").exists()


def the_page_of_a_link_has_no_data():
    with small() as viewer:
        for target in ("/", "/link.js"):
            for method, headers, expected in (("GET", {}, 200 if WEB else 403), ("HEAD", {}, 200 if WEB else 403), ("POST", {}, 403),
                                              ("GET", {"Host": "evil.example"}, 403), ("GET", {"Origin": "http://evil.example"}, 403)):
                connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=20)
                connection.request(method, target, headers=headers)
                response = connection.getresponse()
                body = response.read()
                assert response.status == expected, (target, method, headers, response.status)
                assert b"ok_small" not in body and viewer.secret.encode() not in body
                assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
                connection.close()


def other_hosts_and_origins_are_refused():
    with small() as viewer:
        here = f"127.0.0.1:{viewer.port}"
        for host in (here, "localhost", f"localhost:{viewer.port}", "127.0.0.1:8200"):
            assert viewer.ask("api/status", Host=host)[0] == 200, host
            assert viewer.ask("api/status", Host=host, Origin=f"http://{host}")[0] == 200, host
        for host in ("evil.example", f"evil.example:{viewer.port}", "127.0.0.1.evil.example", "localhost.evil", "0.0.0.0",
                     "127.0.0.1:", "127.0.0.1:80x", "") :
            expected = (200,) if host == "127.0.0.1:" else (400, 403)
            assert viewer.ask("api/status", Host=host)[0] in expected, host
        for origin in ("http://evil.example", "null", f"https://{here}", "http://localhost:1", here, ""):
            assert viewer.ask("api/status", Origin=origin)[0] == 403, origin


def a_request_without_a_host_is_refused():
    with small() as viewer, socket.create_connection(("127.0.0.1", viewer.port), timeout=20) as connection:
        connection.sendall(f"GET /{viewer.secret}/api/status HTTP/1.0\r\n\r\n".encode())
        assert b" 403 " in connection.recv(4096).split(b"\r\n")[0]


def every_answer_carries_the_policy():
    with small() as viewer:
        viewer.wait_until_ready()
        for path, secret in (("api/status", None), ("", None), ("api/slice?trace=0&id=0", None), ("x", "0" * 32)):
            headers = viewer.ask(path, secret=secret)[1]
            policy = headers["content-security-policy"]
            script = hashlib.sha256(re.search("<script>(.*?)</script>", viewer.ask("")[2].decode(), re.S).group(1).encode()).digest() if WEB else None
            allowed = f"'sha256-{base64.b64encode(script).decode()}'" if WEB else ""
            assert policy.startswith(f"default-src 'none'; script-src 'self' {allowed} 'wasm-unsafe-eval';"), policy
            for part in ("frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "connect-src 'self'"):
                assert part in policy, policy
            assert "unsafe-inline" not in policy and "'unsafe-eval'" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert "access-control-allow-origin" not in headers


def only_reading_is_allowed_and_cancel_is_posted():
    with small() as viewer:
        viewer.wait_until_ready()
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"):
            assert viewer.ask("api/status", method=method)[0] == 405, method
        code, headers, _ = viewer.ask("api/cancel?trace=0")
        assert code == 405 and headers["allow"] == "POST", headers
        assert viewer.ask("api/cancel?trace=0", method="POST")[0] == 200
        assert viewer.ask("api/cancel?trace=0", method="POST", Origin="http://evil.example")[0] == 403
        code, headers, body = viewer.ask("api/info?trace=0", method="HEAD")
        assert code == 200 and body == b"" and int(headers["content-length"]) > 100


def a_body_that_is_too_large_ends_the_connection():
    with small() as viewer:
        assert viewer.ask("api/cancel?trace=0", method="POST", body=b"x" * 1000)[0] == 200
        assert viewer.ask("api/cancel?trace=0", method="POST", body=b"x" * 60_000, secret="0" * 32)[0] == 403
        try:
            code = viewer.ask("api/cancel?trace=0", method="POST", body=b"x" * 1_000_000, secret="0" * 32)[0]
        except (ConnectionError, http.client.HTTPException):
            code = None
        assert code is None, code
        try:
            code = viewer.ask("api/cancel?trace=0", method="POST", body=b"x" * 5_000_000)[0]
        except (ConnectionError, http.client.HTTPException):
            code = None
        assert code != 200, code
        assert viewer.ask("api/status")[0] == 200


def marks_and_settings_are_stored_for_their_owner_alone():
    with tempfile.TemporaryDirectory() as folder:
        state = dict(os.environ, XDG_STATE_HOME=folder + "/state")
        target, stored = "marks/0123456789abcdef", Path(folder, "state/varve/marks/0123456789abcdef.varve-view")
        with Viewer(DATA / "ok_small.json", env=state) as viewer:
            assert viewer.ask(target)[::2] == (200, b"")
            assert viewer.ask(target, method="POST", body=b"first", Origin="http://evil.example")[0] == 403
            assert viewer.ask(target, method="POST", body=b"first", secret="0" * 32)[0] == 403
            assert not stored.exists()
            assert viewer.ask(target, method="POST", body=b"first")[0] == 200
            assert viewer.ask(target, method="POST", body=b"second")[0] == 200
            code, headers, body = viewer.ask(target)
            assert (code, headers["cache-control"], body) == (200, "no-store", b"second"), (code, headers, body)
            assert stored.read_bytes() == b"second"
            assert stored.stat().st_mode & 0o777 == 0o600 and stored.parent.stat().st_mode & 0o777 == 0o700
            assert viewer.ask("settings")[::2] == (200, b"")
            assert viewer.ask("settings", method="POST", body=b"{}", Origin="http://evil.example")[0] == 403
            assert viewer.ask("settings", method="POST", body=b"{}")[0] == 200 and viewer.ask("settings")[2] == b"{}"
            assert Path(folder, "state/varve/settings.json").stat().st_mode & 0o777 == 0o600
            assert viewer.ask("settings/x", method="POST", body=b"{}")[0] == 405
            for wrong in ("marks/", "marks/0123456789ABCDEF", "marks/0123456789abcdef0", "marks/../0123456789abc"):
                assert viewer.ask(wrong)[0] == 404 and viewer.ask(wrong, method="POST", body=b"x")[0] == 404, wrong
        with Viewer(DATA / "ok_small.json", env=state) as viewer:
            assert viewer.ask(target)[2] == b"second"
            assert viewer.ask(target, method="POST", body=b"")[0] == 200 and not stored.exists()


def recent_files_are_listed_and_opened():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        state, stored = dict(os.environ, XDG_STATE_HOME=folder + "/state"), Path(folder, "state/varve/recent.json")
        paths = [Path(folder, name) for name in ("a.json", "b \" \u00e9.json", "c.json")]
        for path in paths:
            path.write_bytes((DATA / "ok_small.json").read_bytes())
        damaged = Path(folder, "damaged.json")
        damaged.write_text("this is not a trace")

        def listed(viewer):
            code, _, body = viewer.ask("recent")
            assert code == 200, code
            return json.loads(body)["files"]

        with Viewer("a.json", damaged, paths[1], env=state, cwd=folder) as viewer:
            viewer.wait_until_ready()
            assert listed(viewer) == [] and not stored.exists()
            for method, path in (("POST", "recent"), ("GET", "recent/add"), ("GET", "recent/clear"), ("GET", "recent/open")):
                assert viewer.ask(path, method=method)[0] == 405, path
            assert viewer.ask("recent/add", method="POST", body=b"0", Origin="http://evil.example")[0] == 403
            assert viewer.ask("recent/add", method="POST", body=b"0", secret="0" * 32)[0] == 403
            for trace in (b"0", b"2", b"0"):
                assert viewer.ask("recent/add", method="POST", body=trace)[0] == 200
            for wrong in (b"1", b"3", b"-1", b"x", b""):  # 1 could not be loaded
                assert viewer.ask("recent/add", method="POST", body=wrong)[0] == 404, wrong
            assert listed(viewer) == [str(paths[0]), str(paths[1])]
            assert stored.stat().st_mode & 0o777 == 0o600 and stored.parent.stat().st_mode & 0o777 == 0o700
        with Viewer(paths[2], env=state) as viewer:
            viewer.wait_until_ready()
            for wrong in (str(paths[2]), str(damaged), "/etc/passwd", "", "recent", "x" * 10000):
                assert viewer.ask("recent/open", method="POST", body=wrong.encode())[0] == 404, wrong
            code, _, body = viewer.ask("recent/open", method="POST", body=str(paths[1]).encode())
            assert (code, json.loads(body)) == (200, {"trace": 1}), (code, body)
            traces = viewer.wait_until_ready()["traces"]
            assert [(trace["state"], trace["by_page"]) for trace in traces] == [("ready", False), ("ready", True)], traces
            paths[0].unlink()
            assert listed(viewer) == [str(paths[1])]
            code, _, body = viewer.ask("recent/open", method="POST", body=str(paths[0]).encode())
            assert code == 500 and b"does not exist" in body, (code, body)
            # Damage, and contents that another program wrote.
            many = [f"{folder}/{i}" for i in range(40)]
            for i in range(40):
                Path(many[i]).write_text("x")
            kept = str(paths[1])
            for text, files in (("", []), ("{", []), ("[]", []), ("null", []), ('{"files": 5}', []), ('{"files": {"a": 1}}', []),
                                ('{"files": ["a.json", "", 5, null, ["/etc/passwd"], {"x": 1}, "/etc/../\\u0000", "/tmp\\n", "\\ud800"]}', []),
                                (json.dumps({"files": [kept, kept, "/" + "x" * 5000, folder]}), [kept]),
                                (json.dumps({"more": {"files": ["/etc/passwd"]}, "files": [kept]}), [kept]),
                                (json.dumps({"files": many}), many[:20]), ("[" * 100_000, []),
                                (json.dumps({"files": [kept], "x": "y" * 2_000_000}), [])):
                stored.write_text(text)
                assert listed(viewer) == files, (text[:80], listed(viewer))
                assert viewer.ask("recent/add", method="POST", body=b"0")[0] == 200
                assert listed(viewer)[0] == str(paths[2]) and len(listed(viewer)) <= 20
            stored.write_bytes(b'{"files": ["/\xff\xfe"]}')
            assert listed(viewer) == []
            assert viewer.ask("recent/clear", method="POST", body=b"")[0] == 200
            assert listed(viewer) == [] and not stored.exists()


FIRST_OF_TRACE = ["outline?trace=0", "info?trace=0", "categories?trace=0", "labels?trace=0&page=0"]


def first_answers(viewer):
    code, headers, body = viewer.ask("first")
    assert code == 200 and headers["cache-control"] == "no-store", (code, headers)
    parts = []
    while body:
        size = int.from_bytes(body[:4], "little")
        parts.append(body[4:4 + size])
        body = body[4 + size:]
    return parts


def the_page_gets_the_given_view():
    view = b'{"varve_view": 1, "traces": []}'
    link = "http://127.0.0.1:9/#view=" + base64.urlsafe_b64encode(view).decode().rstrip("=")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.varve-view")
        path.write_bytes(view)
        for given in (path, link):
            with Viewer(given, DATA / "ok_small.json") as viewer:
                assert [trace["name"] for trace in viewer.wait_until_ready()["traces"]] == ["ok_small.json"]
                assert first_answers(viewer)[1] == view


def a_page_opens_with_its_view():
    """An HTML page with a trace is opened with the view in it, unless another one is given or the view is one of a cut."""
    view, other = b'{"varve_view": 1, "filter": "\xc3\xbf>?", "traces": []}', b'{"varve_view": 1, "traces": []}'

    def block(kind, value, data):
        return f'<script type="text/plain" data-{kind}="{value}">{base64.b64encode(data).decode()}</script>\n'

    trace = block("trace", base64.b64encode(b"x.json").decode(), (DATA / "ok_small.json").read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        path, given = Path(folder, "x.html"), Path(folder, "x.varve-view")
        given.write_bytes(other)
        for blocks, arguments, expected in (
                (trace + block("view", "", view), [], view), (trace + block("view", "", view), [given], other),
                (trace + block("view", "17", view), [], b""), (block("view", "", view) + trace, [], b""), (trace, [], b""),
                (trace + block("view", "", b"{"), [], b""), (trace + block("view", "", view).replace("ey", "e!", 1), [], b"")):
            path.write_text(f"<!doctype html>\n<html>\n{blocks}</body>\n</html>\n")
            with Viewer(path, *arguments) as viewer:
                assert [trace["name"] for trace in viewer.wait_until_ready()["traces"]] == ["x.html"]
                assert first_answers(viewer)[1] == expected, (blocks[-200:], arguments)


def immutable_answers_are_cached_by_their_tag():
    with small() as viewer:
        viewer.wait_until_ready()
        code, headers, body = viewer.ask("api/outline?trace=0")
        assert code == 200 and "immutable" in headers["cache-control"] and body
        tag = headers["etag"]
        assert re.fullmatch(r'"[0-9a-f]{16}"', tag), tag
        for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
            code, headers, body = viewer.ask("api/outline?trace=0", If_None_Match=known)
            assert code == 304 and body == b"" and headers["etag"] == tag, (known, code)
        assert viewer.ask("api/outline?trace=0", If_None_Match='"other"')[0] == 200
        headers = viewer.ask("api/status", If_None_Match="*")[1]
        assert headers["cache-control"] == "no-store" and "etag" not in headers


def the_page_is_there_or_its_absence_is_explained():
    with small() as viewer:
        code, headers, body = viewer.ask("")
        if not WEB:
            assert code == 404 and b"no viewer" in body, body
            return
        assert code == 200 and headers["content-type"].startswith("text/html"), headers
        assert viewer.ask("", If_None_Match=headers["etag"])[0] == 304
        for path, content_type in (("app.js", "text/javascript"), ("view.wasm", "application/wasm")):
            code, headers, body = viewer.ask(path + "?x=1")
            assert code == 200 and headers["content-type"].startswith(content_type) and body, path
        for path in ("absent.js", "../varve", "..%2fvarve", "index.html/", "//index.html", "/etc/passwd"):
            assert viewer.ask(path)[0] == 404, path


def the_page_has_the_stored_theme():
    if not WEB:
        return
    with tempfile.TemporaryDirectory() as folder, Viewer(DATA / "ok_small.json", env=dict(os.environ, XDG_STATE_HOME=folder)) as viewer:
        code, headers, page = viewer.ask("")
        assert code == 200 and b"<html lang" in page, page
        for settings, attribute in ((b'{"theme": "light"}', b' data-theme="light"'), (b'{"theme":"dark","keys":{}}', b' data-theme="dark"'),
                                    (b'{"theme": "system"}', b""), (b'{"theme": "\\u0022"}', b""), (b'{"theme": "light"', b""), (b"", b"")):
            assert viewer.ask("settings", method="POST", body=settings)[0] == 200
            assert viewer.ask("", If_None_Match=headers["etag"])[0] == (200 if attribute else 304), settings
            assert viewer.ask("?x=1")[2] == page.replace(b"<html", b"<html" + attribute), settings


def the_page_announces_its_first_requests():
    with small() as viewer:
        links = re.findall("<([^>]*)>; rel=(?:module)?preload", viewer.ask("")[1].get("link", ""))
        if not WEB:
            assert links == [], links
            return
        assert links[0] == "app.js" and "first" in links, links
        for link in links:
            code, headers, _ = viewer.ask(link)
            assert code == 200 and "link" not in headers, (link, code, headers)


def the_first_answers_are_those_of_the_single_requests():
    with small() as viewer:
        first_answers(viewer)  # it may wait for the load
        viewer.wait_until_ready()
        expected = [viewer.ask("api/status")[2], b"", viewer.ask("settings")[2]]
        expected += [viewer.ask("api/" + request)[2] for request in FIRST_OF_TRACE]
        assert first_answers(viewer) == expected
        assert viewer.ask("first", method="POST")[0] == 405


def the_first_answers_wait_without_a_thread():
    def ask_often(viewer):
        connections = [http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=20) for _ in range(24)]
        for connection in connections:  # more than are held, and fewer than may be open without a secret
            connection.request("GET", f"/{viewer.secret}/first")
        return connections

    with Viewer("-", stdin=subprocess.PIPE) as viewer:  # nothing arrives, and it is not a file: no answer waits
        parts = first_answers(viewer)
        assert len(parts) == 3 and json.loads(parts[0])["traces"][0]["state"] == "loading", parts
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.json"
        event = '{"ph":"X","name":"a longer name","pid":1,"tid":%d,"ts":%d,"dur":1}'
        path.write_text("[" + ",\n".join(event % (i % 7, i) for i in range(200_000)) + "]")
        with Viewer(path) as viewer:
            connections = ask_often(viewer)
            assert viewer.ask("")[0] == (200 if WEB else 404)
            for connection in connections:
                response = connection.getresponse()
                assert response.status == 200 and b'"state":' in response.read()
                connection.close()
            viewer.wait_until_ready()
            assert len(first_answers(viewer)) == 7
        with Viewer(path) as viewer:
            connections = ask_often(viewer)
        for connection in connections:  # the program was stopped while they waited
            connection.close()


def junk_does_not_hurt():
    with small() as viewer:
        for junk in (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 600_000, b"GET /%00%ff HTTP/1.1\r\n\r\n",
                     b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", viewer.port), timeout=0.3) as connection:
                try:
                    connection.sendall(junk)
                    answer = connection.recv(65536)
                    assert b" 200 " not in answer, (junk[:40], answer)
                except (ConnectionError, TimeoutError):  # closed, or waiting for more: both are correct
                    pass
        assert viewer.ask("api/status")[0] == 200


def a_request_that_is_too_large_is_refused_at_once():
    with small() as viewer:
        for count, expected in ((10, 200), (17, 400), (999, 400), (8000, 414), (16_000, 414)):
            query = "&".join(f"p{i}=1" for i in range(count))
            assert viewer.ask(f"api/status?{query}")[0] == expected, count
            assert viewer.ask(f"x?{query}", secret="0" * 32)[0] in (403, 414), count
        for size in (300_000, 400_000, 524_200, 600_000):
            assert viewer.ask("api/status?p=" + "x" * size)[0] in (400, 414), size
        for count in (8000, 20_000):
            assert viewer.ask("api/status", **{f"h{i}": "1" for i in range(count)})[0] == 431, count


class Slow:
    """Connections that send a request without the secret, one byte at a time."""

    REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 10_000

    def __init__(self, viewer, count):
        self.sockets = [socket.create_connection(("127.0.0.1", viewer.port), timeout=20) for _ in range(count)]
        self.sent = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self.sockets:
            one.close()

    def send_a_byte(self):
        """Sends also to closed connections. Returns the number of open ones."""
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.send(self.REQUEST[self.sent:self.sent + 1])
        self.sent += 1
        poll = select.poll()
        for one in self.sockets:
            poll.register(one, select.POLLIN)
        return len(self.sockets) - len(poll.poll(0))


def slow_connections_do_not_keep_the_user_out():
    with small() as viewer, Slow(viewer, 200) as slow:
        for _ in range(20):
            open_ = slow.send_a_byte()
            assert viewer.ask("api/status")[0] == 200
        assert open_ <= 32, open_


def a_connection_must_show_the_secret_in_time():
    """However many bytes it sends; a connection that has sent the secret may be idle."""
    with small() as viewer, Slow(viewer, 8) as slow:
        begin = time.monotonic()
        friend = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=20)
        friend.request("GET", f"/{viewer.secret}/api/status")
        assert friend.getresponse().read()
        friend_socket = friend.sock
        assert slow.send_a_byte() == 8
        while slow.send_a_byte() > 0 and time.monotonic() < begin + 60:
            time.sleep(0.2)
        assert 9 < time.monotonic() - begin < 60, time.monotonic() - begin
        friend.request("GET", f"/{viewer.secret}/api/status")
        assert friend.getresponse().status == 200 and friend.sock is friend_socket


def many_ask_at_once():
    with small() as viewer:
        viewer.wait_until_ready()
        expected = viewer.ask("api/slice?trace=0&id=1")[2]
        wrong = []

        def member():
            for _ in range(40):
                if viewer.ask("api/slice?trace=0&id=1")[2] != expected:
                    wrong.append(1)

        members = [threading.Thread(target=member) for _ in range(8)]
        for thread in members:
            thread.start()
        for thread in members:
            thread.join()
        assert not wrong


def several_files_are_several_traces():
    with Viewer(DATA / "ok_small.json", DATA / "odd_kinds.json") as viewer:
        traces = viewer.wait_until_ready()["traces"]
        assert [trace["name"] for trace in traces] == ["ok_small.json", "odd_kinds.json"]
        assert json.loads(viewer.ask("api/info?trace=1")[2])["source_events"]["C"] == 1


def files_of_one_name_are_shown_with_their_folders():
    with tempfile.TemporaryDirectory() as folder:
        for names in (["before/x.json", "after/x.json", "y.json"], ["a/run/z.json", "b/run/z.json", "y.json"]):
            for name in names:
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes((DATA / "ok_small.json").read_bytes())
            with Viewer(*(Path(folder) / name for name in names)) as viewer:
                assert [trace["name"] for trace in viewer.wait_until_ready()["traces"]] == names
                assert [json.loads(viewer.ask(f"api/info?trace={trace}")[2])["file"]["name"] for trace in range(3)] == names
                outlines = [viewer.ask(f"api/outline?trace=0{stored}")[2] for stored in ("", "&stored=1")]
                assert [names[0].encode() in outline for outline in outlines] == [True, False], "a kept trace has its own name"


def a_file_that_fails_leaves_the_others():
    with Viewer(DATA / "bad_text.json", DATA / "ok_small.json") as viewer:
        first, second = viewer.wait_until_ready()["traces"]
        assert first["state"] == "failed" and "not a trace" in first["error"], first
        assert second["state"] == "ready"
        assert viewer.ask("api/info?trace=0")[0] == 404


def a_slow_pipe_shows_as_loading_and_can_be_cancelled():
    with Viewer("-", stdin=subprocess.PIPE) as viewer:
        viewer.process.stdin.write('[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},\n')
        viewer.process.stdin.flush()
        status = json.loads(viewer.ask("api/status")[2])["traces"][0]
        assert status["state"] == "loading" and status["error"] is None, status
        assert viewer.ask("api/outline?trace=0")[0] == 503
        assert viewer.ask("api/cancel?trace=0", method="POST")[0] == 200
        viewer.process.stdin.write("\n" * 100)
        viewer.process.stdin.close()
        viewer.process.stdin = None
        state = viewer.wait_until_ready()["traces"][0]["state"]
        assert state == "cancelled", state
        assert viewer.process.poll() is None


def a_trace_is_made_for_another_perspective_when_asked():
    with Viewer(DATA.parent / "go" / "go126_chans.trace") as viewer:
        first, = viewer.wait_until_ready()["traces"]
        assert first["copy_of"] is None, first
        assert viewer.ask("api/look?trace=0&perspective=Goroutines")[0] == 405
        asked = (("0&perspective=Goroutines", 1), ("0&perspective=Goroutines", 1), ("1", 2), ("2&perspective=Goroutines", 1))
        for request, number in asked:
            code, _, body = viewer.ask(f"api/look?trace={request}", method="POST")
            assert code == 200 and json.loads(body) == {"trace": number}, body
            traces = viewer.wait_until_ready()["traces"]
            assert traces[number]["state"] == "ready" and traces[number]["copy_of"] == 0, traces
        assert viewer.ask("api/look?trace=0&perspective=Elephants", method="POST")[0] == 400
        slices = [json.loads(viewer.ask(f"api/info?trace={i}")[2])["counts"]["slices"] for i in range(3)]
        assert 0 < slices[0] < slices[2], slices
        assert len({trace["tag"] for trace in viewer.wait_until_ready()["traces"]}) == 3


def the_begin_of_a_file_can_be_loaded_alone():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.json"
        path.write_text("[" + ",\n".join(f'{{"ph":"X","name":"n","pid":1,"tid":1,"ts":{i},"dur":1}}' for i in range(20_000)))
        with Viewer(path) as viewer:
            viewer.wait_until_ready()
            assert viewer.ask("api/begin?trace=0&bytes=200000")[0] == 405
            for _ in range(2):  # the second request returns the same copy
                code, _, body = viewer.ask("api/begin?trace=0&bytes=200000", method="POST")
                assert code == 200 and json.loads(body) == {"trace": 1}, body
            traces = viewer.wait_until_ready()["traces"]
            assert traces[1]["copy_of"] == 0 and not traces[1]["complete"] and len(traces) == 2, traces
            whole, begin = (json.loads(viewer.ask(f"api/info?trace={i}")[2]) for i in range(2))
            assert whole["counts"]["slices"] == 20_000 and 1000 < begin["counts"]["slices"] < 5000, begin["counts"]
            assert [warning["kind"] for warning in begin["warnings"]][0] == "begin-only", begin["warnings"]
            for request in ("trace=0&bytes=0", "trace=0", "trace=1&bytes=1000"):
                assert viewer.ask(f"api/begin?{request}", method="POST")[0] == 400, request
        kept = Path(folder) / "large.varve"
        subprocess.run([VARVE, "convert", path, "-o", kept], check=True)
        with Viewer(kept) as viewer:
            viewer.wait_until_ready()
            assert viewer.ask("api/begin?trace=0&bytes=200000", method="POST")[0] == 200
            viewer.wait_until_ready()
            counts = [json.loads(viewer.ask(f"api/info?trace={i}")[2])["counts"]["slices"] for i in range(2)]
            assert counts == [20_000, begin["counts"]["slices"]], counts


def it_stops_cleanly_when_asked():
    for number in (signal.SIGINT, signal.SIGTERM):
        with small() as viewer:
            viewer.wait_until_ready()
            viewer.process.send_signal(number)
            _, errors = viewer.process.communicate(timeout=20)
            assert viewer.process.returncode == 0 and errors == "", (viewer.process.returncode, errors)


def it_stops_also_while_a_pipe_says_nothing():
    with Viewer("-", stdin=subprocess.PIPE) as viewer:
        viewer.process.send_signal(signal.SIGINT)
        assert viewer.process.wait(timeout=20) == 0


def open_with_a_browser(folder, command, arguments):
    """The program with a browser that waits, and the page that the browser received."""
    opener, seen = folder / "xdg-open", folder / "seen"
    opener.write_text(f"#!/bin/sh\necho \"$1\" > {seen}.part && mv {seen}.part {seen}\nsleep 20\n")
    opener.chmod(0o755)
    folder.chmod(0o755)
    environment = {**os.environ, "DISPLAY": ":9", "PATH": f"{folder}:{os.environ['PATH']}", "TMPDIR": str(folder)}
    mask = os.umask(0)
    viewer = Viewer(*arguments, options=(), command=command, env=environment)
    os.umask(mask)
    viewer.__enter__()
    until = time.monotonic() + 20
    while not seen.exists() and time.monotonic() < until:
        time.sleep(0.01)
    return viewer, Path(seen.read_text().strip())


def the_browser_gets_a_page_that_only_its_owner_can_read():
    for command, arguments in (("open", [DATA / "ok_small.json"]), ("listen", ["tcp:0"])):
        with tempfile.TemporaryDirectory() as name:
            viewer, page = open_with_a_browser(Path(name), command, arguments)
            try:
                assert page.parent == Path(name) and page.stat().st_mode & 0o777 == 0o600, page
                assert f'content="0; url=http://127.0.0.1:{viewer.port}/{viewer.secret}/"' in page.read_text()
            finally:
                viewer.__exit__()
            assert not page.exists(), "the page is left behind"


def a_user_of_ssh_gets_the_command_for_the_port():
    for connection, options, command in (("10.0.0.7 50000 10.0.0.9 22", (), b"-L {port}:127.0.0.1:{port} 10.0.0.9\r\n"),
                                         ("fe80::1 50000 fe80::2 2222", (), b"-L {port}:127.0.0.1:{port} -p 2222 fe80::2\r\n"),
                                         ("a 1 $(reboot) 22", (), None), ("10.0.0.7 50000 10.0.0.9 22", ("--quiet",), None)):
        terminal, end = os.openpty()
        environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        process = subprocess.Popen([VARVE, "open", *options, DATA / "ok_small.json"], stdout=subprocess.PIPE, stderr=end,
                                   env={**environment, "SSH_CONNECTION": connection})
        try:
            port = re.match(rb"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())[1]
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 0
            os.close(end)
            printed = b""
            with contextlib.suppress(OSError):  # the terminal has ended
                while part := os.read(terminal, 4096):
                    printed += part
        finally:
            process.kill()
            os.close(terminal)
        assert b"ssh" not in printed if command is None else command.replace(b"{port}", port) in printed, (connection, printed)


# Returns the arguments of all processes that contain this text.
ARGUMENTS = "for process in /proc/[0-9]*; do tr '\\0' '\\n' < $process/cmdline; echo; done 2> /dev/null | grep -F -e "


def as_a_stranger(*command):
    """Returns the result for another user of the machine: (exit status, output). Without the right to switch users,
    for the same user."""
    settings = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
    done = subprocess.run(command, cwd="/", text=True, capture_output=True, timeout=20, **settings)
    return done.returncode, done.stdout


def no_argument_of_a_process_opens_the_viewer():
    with tempfile.TemporaryDirectory() as name:
        viewer, page = open_with_a_browser(Path(name), "open", [DATA / "ok_small.json"])
        try:
            if os.getuid() == 0:
                assert as_a_stranger("cat", str(page)) == (1, ""), "another user can read the page"
            assert as_a_stranger("/bin/sh", "-c", ARGUMENTS + str(page))[0] == 0, "the arguments cannot be seen"
            seen = as_a_stranger("/bin/sh", "-c", ARGUMENTS + f"127.0.0.1:{viewer.port}")[1]
            assert viewer.secret not in seen
            for target in set(re.findall(rf"127\.0\.0\.1:{viewer.port}(/\S*)", seen)):
                connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=20)
                connection.request("GET", target)
                assert connection.getresponse().status == 403, target
                connection.close()
        finally:
            viewer.__exit__()


def a_taken_port_is_said():
    with small() as viewer:
        second = subprocess.run([VARVE, "open", "--no-browser", f"--port={viewer.port}", str(DATA / "ok_small.json")],
                                capture_output=True, text=True, timeout=20)
        assert second.returncode == 4 and f"port {viewer.port}" in second.stderr, second.stderr


def it_listens_on_this_machine_alone():
    with small() as viewer:
        table = Path("/proc/net/tcp").read_text() if Path("/proc/net/tcp").exists() else ""
        addresses = {line.split()[1].split(":")[0] for line in table.splitlines()[1:]
                     if line.split()[1].endswith(f":{viewer.port:04X}") and line.split()[3] == "0A"}
        assert addresses <= {"0100007F"}, addresses


tap.run([
    the_session_answers_behind_the_secret, a_wrong_secret_is_refused, every_start_has_a_secret_of_its_own,
    a_port_keeps_its_secret_from_run_to_run, the_page_of_a_link_has_no_data,
    other_hosts_and_origins_are_refused, a_request_without_a_host_is_refused, every_answer_carries_the_policy,
    only_reading_is_allowed_and_cancel_is_posted, a_body_that_is_too_large_ends_the_connection,
    marks_and_settings_are_stored_for_their_owner_alone, recent_files_are_listed_and_opened, the_page_gets_the_given_view, a_page_opens_with_its_view, immutable_answers_are_cached_by_their_tag, the_page_is_there_or_its_absence_is_explained, the_page_has_the_stored_theme,
    the_page_announces_its_first_requests, the_first_answers_are_those_of_the_single_requests,
    the_first_answers_wait_without_a_thread, junk_does_not_hurt,
    a_request_that_is_too_large_is_refused_at_once, slow_connections_do_not_keep_the_user_out,
    a_connection_must_show_the_secret_in_time, many_ask_at_once, several_files_are_several_traces, files_of_one_name_are_shown_with_their_folders, a_file_that_fails_leaves_the_others,
    a_slow_pipe_shows_as_loading_and_can_be_cancelled, a_trace_is_made_for_another_perspective_when_asked,
    it_stops_cleanly_when_asked,
    it_stops_also_while_a_pipe_says_nothing, a_user_of_ssh_gets_the_command_for_the_port, the_browser_gets_a_page_that_only_its_owner_can_read,
    no_argument_of_a_process_opens_the_viewer, a_taken_port_is_said, it_listens_on_this_machine_alone,
])
