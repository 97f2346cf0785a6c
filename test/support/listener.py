"""`varve listen` as a process of a test, and events to send. The test's first argument is VARVE."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

VARVE = os.path.abspath(sys.argv[1])


# -- Heph packets --


def text(value):
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def event(counter, name="work", stream=1, start=None, attributes=b""):
    start = counter * 100 if start is None else start
    body = struct.pack(">IIQQQ", stream, counter, 0, start, start + 50) + text(name) + attributes
    return struct.pack(">II", 0xC1FC1FB7, 8 + len(body)) + body


def epoch():
    return struct.pack(">II", 0x75D11D4D, 23) + text("epoch") + struct.pack(">Q", 1610113734118010000)


def events(count, **settings):
    return epoch() + b"".join(event(i, **settings) for i in range(count))


# -- the program --


def until(condition):
    """Waits for a condition that must become true; otherwise the test runner stops the test."""
    while not condition():
        time.sleep(0.002)


class Listener:
    """`varve listen`; .result is the JSON object of --json after finish(). A with statement kills it at the end."""

    def __init__(self, *arguments, command=("listen", "--json", "--no-viewer"), **settings):
        self.process = subprocess.Popen([VARVE, *command, *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **settings)
        self.addresses = []
        if command[0] == "listen":
            count = sum(a == "-" or not str(a).startswith("-") and arguments[i - 1] != "-o" for i, a in enumerate(arguments))
            self.addresses = [self.process.stdout.readline().rstrip("\n") for _ in range(count)]
        self.url = None if "--no-viewer" in command else self.process.stdout.readline().rstrip("\n")
        self.lines, self.result = [], None
        self.reader = threading.Thread(target=self.read_lines)
        self.reader.start()

    def read_lines(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def port(self, index=0):
        return int(self.addresses[index].rsplit(":", 1)[1])

    def ask(self, request):
        """Returns the answer; status 202 means that a long count continues with the next request."""
        while True:
            with urllib.request.urlopen(f"{self.url}api/{request}") as answer:
                if answer.status != 202:
                    return json.load(answer)

    def live(self, index=0):
        """Returns the viewer's status of a trace; {} before it exists."""
        traces = self.ask("status")["traces"]
        return traces[index]["live"] if len(traces) > index else {}

    def wait_for(self, words, count=1):
        until(lambda: sum(words in line for line in list(self.lines)) >= count or self.process.poll() is not None)
        assert sum(words in line for line in self.lines) >= count, (words, self.lines)

    def finish(self, send=signal.SIGINT, status=0):
        """`status`: the expected exit status, or a tuple of possible ones."""
        if send is not None:
            self.process.send_signal(send)
        output = self.process.stdout.read()
        possible = status if isinstance(status, tuple) else (status,)
        assert self.process.wait() in possible, (self.process.returncode, self.lines)
        self.reader.join()
        self.result = json.loads(output) if output.startswith("{") else None
        return self.result

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()


def listen(*arguments, **settings):
    return Listener(*arguments, **settings)


def listen_and_show(*arguments, **settings):
    return Listener(*arguments, command=("listen", "--json", "--no-browser"), **settings)


def watch(*arguments):
    return Listener(*arguments, command=("open", "--watch", "--no-browser"))


def connect(port):
    return socket.create_connection(("127.0.0.1", port))


def udp():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def send_tcp(port, data):
    with connect(port) as sender:
        sender.sendall(data)


def info(path):
    done = subprocess.run([VARVE, "info", "--json", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# -- JSON events --


def json_event(**members):
    return json.dumps({"pid": 1, "tid": 1, **members}) + ",\n"


# -- memory --


def resident_kib(listener):
    """Returns the largest resident memory so far."""
    status = Path(f"/proc/{listener.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
