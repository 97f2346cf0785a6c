#!/usr/bin/env python3
"""`--mem`: the process stays within the limit. Beyond it, data is in a temporary file and every answer is the same. Without
room for the file, events are dropped and this is reported.

usage: memory_cli_test.py VARVE [SANITIZERS]
"""

import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE = os.path.abspath(sys.argv[1])
SANITIZERS = "".join(sys.argv[2:])  # meson's b_sanitize; sanitizers have no limit on memory
SCRATCH = tap.scratch_folder("memory")
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
        command, stdin, limits = json.loads(line)

        def limit():
            for name, most in limits.items():  # noqa: B023
                resource.setrlimit(getattr(resource, name), (most, most))

        with open(stdin, "rb") as from_file, open(SCRATCH / "out", "wb") as out, open(SCRATCH / "err", "wb") as err:
            child = subprocess.Popen(command, stdin=from_file, stdout=out, stderr=err, preexec_fn=limit)
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


os.environ.pop("MALLOC_PERTURB_", None)  # of meson: malloc then writes to memory that the program does not use
REQUESTS, ANSWERS = start_server()


# A limit of the address space leaves no addresses for the temporary file. This one has no other effect.
NO_FILE = {"RLIMIT_AS": 1 << 60}


def varve(*arguments, stdin=os.devnull, limits=None):
    """Returns exit status, stdout, stderr and the peak of resident bytes."""
    print(json.dumps([[VARVE, *map(str, arguments)], str(stdin), limits or {}]), file=REQUESTS, flush=True)
    status, peak = map(int, ANSWERS.readline().split())
    return status, (SCRATCH / "out").read_bytes(), (SCRATCH / "err").read_text(), peak


def base_bytes(shape="nested"):
    """The program itself, which reads one event of this shape."""
    path = write("one.json", shape, 1)
    return varve("info", path)[3]


def info(path, *options, stdin=os.devnull, limits=None):
    status, out, err, peak = varve("info", "--json", *options, path, stdin=stdin, limits=limits)
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
        report, _, peak = info(path, f"--mem={bound}", limits=NO_FILE)
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
        report, _, peak = info(target, f"--mem={bound}", limits=NO_FILE)
        check_cut(report, target.stat().st_size, peak, base + bound, name)


def compressed_input_and_pipes_are_cut_off_too():
    base, bound = base_bytes(), 8 * MIB
    path = write("deep.json", "deep")
    size = path.stat().st_size
    packed = SCRATCH / "deep.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for threads in 1, 2, 8:  # with 8, the blocks that are decoded ahead take all memory at first
        report, _, peak = info(packed, f"--mem={bound}", f"--threads={threads}", limits=NO_FILE)
        check_cut(report, size, peak, base + bound, ("gzip", threads))
    report, _, peak = info("-", f"--mem={bound}", stdin=path, limits=NO_FILE)
    check_cut(report, size, peak, base + bound, "standard input")


def the_shown_part_is_a_prefix():
    path = write("nested.json", "nested")
    whole = varve("dump", "--json", path)[1].splitlines()
    status, out, err, _ = varve("dump", "--json", "--mem=8M", path, limits=NO_FILE)
    part = out.splitlines()
    assert status == 0 and 100 < len(part) < len(whole) and part == whole[:len(part)], (status, len(part))
    assert "--mem=SIZE" in err, err


def what_does_not_fit_goes_to_a_file():
    for shape in SHAPES:
        path = write(f"{shape}.json", shape)
        whole, warnings, _ = info(path)
        report, err, _ = info(path, "--mem=8M")
        assert report == whole and err == warnings, (shape, err)


def write_disordered(name, count):
    """Events in an order that is not that of their times, on few threads."""
    path = SCRATCH / name
    with open(path, "w", encoding="ascii") as out:
        out.write("[")
        for i in range(count):
            at = i * 7919 % count  # every number below count
            thread, ts = at % 3, at // 3 * 100
            out.write(f'{{"ph":"B","pid":1,"tid":{thread},"ts":{ts},"name":"f{at % 100}"}},\n'
                      f'{{"ph":"X","pid":1,"tid":{thread},"ts":{ts + 10},"dur":{at % 70},"name":"g{at % 31}","args":{{"n":{at}}}}},\n'
                      f'{{"ph":"E","pid":1,"tid":{thread},"ts":{ts + 90}}},\n')
        out.write(f'{{"ph":"i","pid":1,"tid":0,"ts":{count},"name":"end","s":"t"}}]')
    return path


def answers(path, *options, limits=None):
    """The results of several commands as bytes."""
    results = {}
    for command in (["info", "--json"], ["stats", "--json"], ["dump", "--json"],
                    ["render", "-o", SCRATCH / "picture.png"], ["convert", "-o", SCRATCH / "copy.spall"]):
        status, out, err, _ = varve(*command, *options, path, limits=limits)
        assert status == 0, (command, options, status, err)
        results[command[0]] = (out, err)
    results["files"] = (SCRATCH / "picture.png").read_bytes(), (SCRATCH / "copy.spall").read_bytes()
    return results


def every_answer_is_that_of_an_unbounded_load():
    for path in write("nested.json", "nested"), write_disordered("disordered.json", 40009):
        whole = answers(path, "--quiet")
        for threads in 1, 4:
            bounded = answers(path, "--quiet", "--mem=8M", f"--threads={threads}")
            for command in whole:
                assert bounded[command] == whole[command], (path, threads, command)


def anonymous_memory_is_bounded():
    """The system refuses anonymous memory beyond RLIMIT_DATA: stacks of threads, the program's own data and the limit."""
    if SANITIZERS:
        return
    path = write_disordered("disordered.json", 300007)
    assert path.stat().st_size > 30 * MIB
    limits = {"RLIMIT_DATA": 32 * MIB}
    whole, _, _ = info(path, "--quiet")
    bounded, _, _ = info(path, "--quiet", "--mem=8M", "--threads=1", limits=limits)
    assert bounded == whole
    assert info(path, "--quiet", "--threads=1", limits=limits)[0]["complete"] is False


def a_full_disk_cuts_the_trace():
    path, bound = write("nested.json", "nested"), 8 * MIB
    report, _, _ = info(path, f"--mem={bound}", limits={"RLIMIT_FSIZE": 2 * MIB})
    check_cut(report, path.stat().st_size, 0, bound, "a file of 2 MiB")
    assert "temporary directories" in warning_of(report, "memory-limit")["first"]["message"], report["warnings"]


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
        the_shown_part_is_a_prefix, what_does_not_fit_goes_to_a_file, every_answer_is_that_of_an_unbounded_load,
        anonymous_memory_is_bounded, a_full_disk_cuts_the_trace, too_little_for_anything_is_an_error,
        a_bomb_of_one_name_is_skipped, a_file_larger_than_the_address_space_is_read,
    ])
finally:
    REQUESTS.close()
