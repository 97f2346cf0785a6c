#!/usr/bin/env python3
"""`--mem`: events above the limit are dropped, this is reported, and the process stays within the limit.

usage: memory_cli_test.py VARVE [SANITIZERS]
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE = os.path.abspath(sys.argv[1])
SANITIZERS = "".join(sys.argv[2:])  # meson's b_sanitize; sanitizers have no limit on memory
SCRATCH = Path(tempfile.mkdtemp(prefix="varve-memory-"))
MIB = 1 << 20
COUNT = 100000

# Each shape fills a different table.
SHAPES = {
    "nested": lambda i: ",".join(f'{{"ph":"X","pid":1,"tid":{i % 8},"ts":{i * 10 + k},"dur":1,"name":"f{i % 100}","args":{{"a":1}}}}'
                                 for k in range(4)),
    "overlap": lambda i: f'{{"ph":"X","pid":1,"tid":1,"ts":{i},"dur":{COUNT},"name":"a"}}',
    "threads": lambda i: f'{{"ph":"X","pid":1,"tid":{i},"ts":{i},"dur":5,"name":"a"}}',
    "processes": lambda i: f'{{"ph":"X","pid":{i},"tid":1,"ts":{i},"dur":5,"name":"a"}}',
    "deep": lambda i: f'{{"ph":"B","pid":1,"tid":1,"ts":{i},"name":"a"}}',
    "names": lambda i: f'{{"ph":"X","pid":1,"tid":1,"ts":{i * 10},"dur":5,"name":"{i:0300}"}}',
    "instants": lambda i: ",".join(f'{{"ph":"i","pid":1,"tid":1,"ts":{i},"name":"a","s":"t"}}' for _ in range(4)),
    "async": lambda i: f'{{"ph":"b","pid":1,"tid":1,"ts":{i},"id":{i},"name":"a","cat":"c"}}',
    "counters": lambda i: f'{{"ph":"C","pid":1,"tid":1,"ts":{i},"name":"c{i}","args":{{"v":{i}}}}}',
    "flows": lambda i: f'{{"ph":"X","pid":1,"tid":1,"ts":{i * 10},"dur":5,"name":"a"}},\n'
                       f'{{"ph":"s","pid":1,"tid":1,"ts":{i * 10 + 1},"id":{i},"name":"a","cat":"c"}}',
    "objects": lambda i: f'{{"ph":"N","pid":1,"tid":1,"ts":{i},"id":"{i}","name":"a"}}',
}


def write(name, shape, count=COUNT):
    path = SCRATCH / name
    path.write_text("[" + ",\n".join(SHAPES[shape](i) for i in range(count)) + "]")
    return path


def serve(requests, answers):
    """Runs commands for a parent that grows: the peak of a child includes the memory of its parent process at its
    start."""
    for line in requests:
        command, stdin = json.loads(line)
        with open(stdin, "rb") as from_file, open(SCRATCH / "out", "wb") as out, open(SCRATCH / "err", "wb") as err:
            child = subprocess.Popen(command, stdin=from_file, stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        print(child.returncode, usage.ru_maxrss * 1024, file=answers, flush=True)


def start_server():
    (requests_out, requests_in), (answers_out, answers_in) = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.close(requests_in)
        serve(os.fdopen(requests_out), os.fdopen(answers_in, "w"))
        os._exit(0)
    os.close(requests_out)
    return os.fdopen(requests_in, "w"), os.fdopen(answers_out)


REQUESTS, ANSWERS = start_server()


def varve(*arguments, stdin=os.devnull):
    """Returns exit status, stdout, stderr and the peak of resident bytes."""
    print(json.dumps([[VARVE, *map(str, arguments)], str(stdin)]), file=REQUESTS, flush=True)
    status, peak = map(int, ANSWERS.readline().split())
    return status, (SCRATCH / "out").read_bytes(), (SCRATCH / "err").read_text(), peak


def base_bytes(shape="nested"):
    """The program itself, which reads one event of this shape."""
    path = write("one.json", shape, 1)
    return varve("info", path)[3]


def info(path, *options, stdin=os.devnull):
    status, out, err, peak = varve("info", "--json", *options, path, stdin=stdin)
    assert status == 0, (path, status, err)
    return json.loads(out), err, peak


def warning_of(report, kind):
    found = [w for w in report["warnings"] if w["kind"] == kind]
    return found[0] if found else None


def check_cut(report, size, peak, bound, what):
    assert report["complete"] is False, what
    warning = warning_of(report, "memory-limit")
    assert warning is not None and warning["count"] == 1, (what, report["warnings"])
    assert 0 < warning["first"]["offset"] < size, (what, warning)
    assert "--mem=SIZE" in warning["first"]["message"], (what, warning)
    assert sum(report["source_events"].values()) > 100, (what, report["source_events"])
    assert SANITIZERS or peak < bound, (what, peak, bound)


def what_does_not_fit_is_cut_off():
    for shape in SHAPES:
        base = base_bytes(shape)
        path = write(f"{shape}.json", shape)
        whole, _, _ = info(path)
        assert whole["complete"] and warning_of(whole, "memory-limit") is None, shape
        bound = 8 * MIB
        report, _, peak = info(path, f"--mem={bound}")
        check_cut(report, path.stat().st_size, peak, base + bound, shape)
        events, all_events = (sum(r["source_events"].values()) for r in (report, whole))
        assert events < all_events, shape
        roomy, _, _ = info(path, "--mem=1G")
        assert roomy["counts"] == whole["counts"], shape


def other_formats_are_cut_off_too():
    base, bound = base_bytes(), 8 * MIB
    path = write("calls.json", "nested", COUNT)
    for name in "calls.spall", "calls.heph":
        target = SCRATCH / name
        assert varve("convert", path, "-o", target)[0] == 0
        report, _, peak = info(target, f"--mem={bound}")
        check_cut(report, target.stat().st_size, peak, base + bound, name)


def compressed_input_and_pipes_are_cut_off_too():
    base, bound = base_bytes(), 8 * MIB
    path = write("deep.json", "deep")
    size = path.stat().st_size
    packed = SCRATCH / "deep.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for threads in 1, 2:
        report, _, peak = info(packed, f"--mem={bound}", f"--threads={threads}")
        check_cut(report, size, peak, base + bound, ("gzip", threads))
    report, _, peak = info("-", f"--mem={bound}", stdin=path)
    check_cut(report, size, peak, base + bound, "standard input")


def the_shown_part_is_a_prefix():
    path = write("nested.json", "nested")
    whole = varve("dump", "--json", path)[1].splitlines()
    status, out, err, _ = varve("dump", "--json", "--mem=8M", path)
    part = out.splitlines()
    assert status == 0 and 100 < len(part) < len(whole) and part == whole[:len(part)], (status, len(part))
    assert "--mem=SIZE" in err, err


def too_little_for_anything_is_an_error():
    path = write("nested.json", "nested")
    status, out, err, _ = varve("info", "--mem=10K", path)
    assert status == 2 and out == b"" and "memory" in err and "--mem=SIZE allows more" in err, (status, err)
    for wrong in "0", "1X", "-1", "G", "99999999999G":
        status, _, err, _ = varve("info", f"--mem={wrong}", path)
        assert status == 1 and "--mem must be a size" in err, (wrong, err)


def a_bomb_of_one_name_is_skipped():
    """Gzip whose single name is longer than the limit of a record: memory has no more of it, whatever the number of
    threads."""
    bomb, base = SCRATCH / "bomb.json.gz", base_bytes()
    event = b'{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":1,"name":"'
    with gzip.open(bomb, "wb") as out:
        out.write(b"[" + event % 1 + b'a"},' + event % 2)
        for _ in range(50):
            out.write(b"x" * MIB)
        out.write(b'"},' + event % 3 + b'b"}]')
    for threads, limit in (1, 256 << 10), (2, 256 << 10), (1, 24 * MIB), (2, 24 * MIB), (4, 24 * MIB):
        report, err, peak = info(bomb, f"--record-limit={limit}", f"--threads={threads}")
        assert report["counts"]["slices"] == 2 and report["complete"] is False, report["counts"]
        warning = warning_of(report, "record-too-long")
        assert warning["count"] == 1 and warning["first"]["offset"] == 54, warning
        assert "--record-limit=SIZE" in err, err
        assert SANITIZERS or peak < base + limit + 12 * MIB, (threads, limit, peak, base)


def a_file_larger_than_the_address_space_is_read():
    """A plain file is read piece by piece: its size needs no address space."""
    if SANITIZERS:
        return  # the sanitizer needs terabytes of address space
    path = write("one.json", "nested", 1)
    os.truncate(path, 512 * MIB)
    limited = 'ulimit -v 131072 && exec "$0" info "$1"'  # 128 MiB
    done = subprocess.run(["sh", "-c", limited, VARVE, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "events    X 4" in done.stdout, (done.returncode, done.stdout, done.stderr)


try:
    tap.run([
        what_does_not_fit_is_cut_off, other_formats_are_cut_off_too, compressed_input_and_pipes_are_cut_off_too,
        the_shown_part_is_a_prefix, too_little_for_anything_is_an_error,
        a_bomb_of_one_name_is_skipped, a_file_larger_than_the_address_space_is_read,
    ])
finally:
    REQUESTS.close()
    shutil.rmtree(SCRATCH, ignore_errors=True)
