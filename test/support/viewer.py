"""`varve open` for tests of its server: the first argument of the test is the program."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys

VARVE = os.path.abspath(sys.argv[1])


class Viewer:
    """`varve open` on some files, stopped at the end of a with statement."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL, options=("--no-browser",), command="open", **settings):
        self.process = subprocess.Popen(
            [VARVE, command, *options, *map(str, arguments)],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)

    def __enter__(self):
        line = self.process.stdout.readline()
        if line.startswith("tcp:"):  # an address of listen
            line = self.process.stdout.readline()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", line)
        assert match, line
        self.port, self.secret = int(match[1]), match[2]
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=20)
        assert "Sanitizer" not in errors, errors

    def ask(self, path, method="GET", secret=None, body=None, **headers):
        """Returns (status, headers, body) of a request; `path` follows the secret in the address."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        target = f"/{self.secret if secret is None else secret}/{path}"
        connection.request(method, target, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()})
        response = connection.getresponse()
        answer = response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        connection.close()
        return answer

    def wait_until_ready(self):
        while True:
            status = json.loads(self.ask("api/status")[2])
            if all(trace["state"] != "loading" for trace in status["traces"]):
                return status
