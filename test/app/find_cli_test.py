#!/usr/bin/env python3
"""`varve find` end to end: its matches are those of a search through `varve dump --json`.

usage: find_cli_test.py VARVE DATA_DIR EXAMPLES_DIR   (DATA_DIR: test/data)
"""

import csv
import io
import json
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from command import dump, fails, succeeds  # noqa: E402

DATA, EXAMPLES = Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
SCRATCH = tap.scratch_folder("find")
SPALL, CAPTURE, PAGE = DATA / "spall" / "v3_threads.spall", DATA / "apitrace" / "groups_threads.trace", EXAMPLES / "page-load.json.gz"
MADE = SCRATCH / "made.json"
EVENTS = ("slice", "async", "state", "instant")


def write_made():
    """Slices of known lengths on two threads, with arguments; instants; counters; objects."""
    events = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": name}}
              for tid, name in ((1, "main"), (2, "worker 2"))]
    for i in range(60):
        events.append({"ph": "X", "pid": 1, "tid": 1 + i % 2, "ts": 100 * i, "dur": i, "cat": "io,net" if i % 3 else "disk",
                       "name": ("read", "read file", "reader")[i % 3], "args": {"n": i, "dur": i % 5, "path": f"/usr/{i % 7}/f.txt", "é": ["ä b", i / 4]}})
        events.append({"ph": "i", "s": "t", "pid": 1, "tid": 1, "ts": 100 * i + 50, "name": "log", "args": {"message": f"line {i} is read"}})
        events.append({"ph": "C", "pid": 1, "ts": 100 * i, "name": "memory", "args": {"heap": i, "stack": 60 - i}})
    for ts, phase in ((10, "N"), (20, "O"), (900, "D")):
        events.append({"ph": phase, "pid": 1, "tid": 1, "ts": ts, "name": "Widget", "id": "0xbeef", "args": {"snapshot": {"size": 7}}})
    MADE.write_text(json.dumps(events))


def find(path, text, *options):
    return [json.loads(line) for line in succeeds("find", "--json", "--quiet", *options, path, text).splitlines()]


def events(path, text, *options):
    return [line for line in find(path, text, *options) if line["kind"] in EVENTS]


def values_of(line):
    """Returns every value of the arguments as text, with its key; of the other fields only the texts."""
    def walk(value, key, texts_only):
        if isinstance(value, dict):
            for name, member in value.items():
                yield from walk(member, name, texts_only)
        elif isinstance(value, list):
            for member in value:
                yield from walk(member, key, texts_only)
        elif isinstance(value, str):
            yield key, value
        elif not texts_only:
            yield key, json.dumps(value)

    yield from walk(line.get("args", {}), "", False)
    yield from walk(line.get("other", {}), "", True)


def any_text(line):
    return [line.get("name", ""), line.get("cat", ""), *(value for _, value in values_of(line))]


def has(part):
    return lambda line: any(part.lower() in text.lower() for text in any_text(line))


def has_regex(pattern):
    return lambda line: any(re.search(pattern, text, re.I) for text in any_text(line))


def has_key(key, test):
    return lambda line: any(name.lower() == key and test(value) for name, value in values_of(line))


def has_length(test):
    return lambda line: "end_tick" in line and test(line["end_tick"] - line["begin_tick"])


def number(test):
    def is_one(text):
        try:
            return test(float(text))
        except ValueError:
            return False
    return is_one


def both(*tests):
    return lambda line: all(test(line) for test in tests)


def matches_are_those_of_the_dump():
    on_main = [("thread:main", lambda line: line.get("tid") == 1), ('thread:="worker 2"', lambda line: line.get("tid") == 2 or line.get("track") == "worker 2")]
    cases = [("read", has("read")), ("READ file", both(has("read"), has("file"))), ('"read"', has_regex(r"\bread\b")),
             ('"read file"', has_regex(r"\bread file\b")), ("/^re.*e$/", has_regex("^re.*e$")), ("/usr/3", has("/usr/3")),
             ("name:reader", lambda line: "reader" in line.get("name", "")), ("name:=read", lambda line: line.get("name") == "read"),
             ('name:="read file"', lambda line: line.get("name") == "read file"), ("category:net", lambda line: "net" in line.get("cat", "")),
             ("n=5", has_key("n", lambda value: "5" in value)), ('n="5"', has_key("n", lambda value: value == "5")),
             ("n>30", has_key("n", number(lambda value: value > 30))), ("n>=30", has_key("n", number(lambda value: value >= 30))),
             ("n<1.5", has_key("n", number(lambda value: value < 1.5))), ("n<=1", has_key("n", number(lambda value: value <= 1))),
             ("é>=14.75", has_key("é", number(lambda value: value >= 14.75))), ("path=/f.*/", has_key("path", lambda value: "f" in value)),
             ("n=", has_key("n", lambda value: True)), ("n = 7", has_key("n", lambda value: "7" in value)),
             (">30us", has_length(lambda ns: ns > 30000)), (">=30us <40us", has_length(lambda ns: 30000 <= ns < 40000)),
             ("dur>30us", has_length(lambda ns: ns > 30000)), ("Duration>=30us dur<0.04ms", has_length(lambda ns: 30000 <= ns < 40000)),
             ("dur>3", has_key("dur", number(lambda value: value > 3))),
             ("<=0.005ms", has_length(lambda ns: ns <= 5000)), ("read >50us", both(has("read"), has_length(lambda ns: ns > 50000))),
             ("message=line is", both(has_key("message", lambda value: "line" in value), has("is"))), ("nothing-like-it", lambda line: False)]
    lines = [line for line in dump(MADE) if line["kind"] in EVENTS]
    for text, test in cases:
        expected = [line for line in lines if test(line)]
        found = [line for line in events(MADE, text) if line.get("track") != "Widget"]
        assert found == expected, (text, len(found), len(expected))
        assert expected or text == "nothing-like-it", text
    for text, test in on_main:
        assert events(MADE, text + " read") == [line for line in lines if test(line) and has("read")(line)], text


def matches_of_real_files_are_those_of_the_dump():
    for path, texts in ((SPALL, ("fibt", "worker >50us", "/^it/")), (PAGE, ("script >5ms", '"v8" <10us', "src_file=/parser.*cc/"))):
        lines = [line for line in dump(path) if line["kind"] in EVENTS]
        tests = {"fibt": has("fibt"), "worker >50us": both(has("worker"), has_length(lambda ns: ns > 50000)), "/^it/": has_regex("^it"),
                 "script >5ms": both(has("script"), has_length(lambda ns: ns > 5000000)),
                 '"v8" <10us': both(has_regex(r"(?<![\w\x80-\uffff])v8(?![\w\x80-\uffff])"), has_length(lambda ns: ns < 10000)),
                 "src_file=/parser.*cc/": has_key("src_file", lambda value: re.search("parser.*cc", value, re.I))}
        for text in texts:
            expected = [line for line in lines if tests[text](line)]
            assert expected and events(path, text) == expected, (path, text, len(expected), len(events(path, text)))


def a_range_and_a_thread_narrow_a_search():
    for options in (("--range=1ms..2ms",), ("--range=1ms..2ms", "--thread=main"), ("--thread=2",)):
        lines = [line for line in dump(MADE, *options[:1] if "range" in options[0] else ()) if line["kind"] in EVENTS]
        tid = {"--thread=main": 1, "--thread=2": 2}.get(options[-1])
        expected = [line for line in lines if has("read")(line) and tid in (None, line.get("tid")) and line.get("track") != "Widget"]
        assert expected and events(MADE, "read", *options) == expected, options
    fails("find", "--quiet", "--thread=unknown", MADE, "read", says="--thread=unknown: no thread has this name")


def counters_tracks_and_objects_are_found():
    assert [(line["tick"], line["series"], line["value"]) for line in find(MADE, "heap>=58")] == [(5800000, "heap", 58), (5900000, "heap", 59)]
    assert len(find(MADE, "memory>30")) == 29 + 30
    assert [line["type"] for line in find(MADE, "memory") if line["kind"] == "track"] == ["counter-track"]
    assert [line["track"] for line in find(MADE, "name:worker")] == ["worker 2 (2)"]
    assert [line["name"] for line in find(MADE, "0xbeef") if line["kind"] == "slice"] == ["Widget 0xbeef"], find(MADE, "0xbeef")


def output_forms_agree():
    lines = events(MADE, "n>50")
    rows = list(csv.DictReader(io.StringIO(succeeds("find", "--csv", "--quiet", MADE, "n>50").decode(), newline="")))
    assert [(float(row["begin_ns"]), float(row["duration_ns"]), row["name"], row["key"], row["value"]) for row in rows] == [
        (line["begin_tick"], line["end_tick"] - line["begin_tick"], line["name"], "n", str(line["args"]["n"])) for line in lines]
    assert succeeds("find", "--count", "--quiet", MADE, "n>50") == b"9\n" and len(lines) == 9
    assert events(MADE, "n>50", "--limit=4") == lines[:4]
    table = succeeds("find", "--quiet", "--limit=4", MADE, "n>50").decode().splitlines()
    assert len(table) == 6 and "n=51" in table[1] and "more" in table[5], table
    assert succeeds("find", "--quiet", MADE, "nothing-like-it") == b"nothing found\n"
    assert find(MADE, "read", "--names", "--limit=7") == [line for line in find(MADE, "read") if has("read")({**line, "args": {}})][:7]
    for threads in (1, 3):
        assert succeeds("find", "--json", "--quiet", f"--threads={threads}", PAGE, "v8") == succeeds("find", "--json", "--quiet", PAGE, "v8")


def longest_slices_come_first():
    def length(line):
        return line["end_tick"] - line["begin_tick"] if "end_tick" in line else 0

    lines = find(MADE, "e")
    longest = sorted(lines, key=length, reverse=True)
    assert len(lines) > 100 and longest != lines and "slice" != longest[-1]["kind"]
    assert find(MADE, "e", "--sort=duration") == longest
    assert find(MADE, "e", "--sort=time") == lines
    for limit in (1, 7, len(lines) - 1, len(lines), len(lines) + 1):
        assert find(MADE, "e", "--sort=duration", f"--limit={limit}") == longest[:limit], limit
    rows = list(csv.DictReader(io.StringIO(succeeds("find", "--csv", "--quiet", "--sort=duration", MADE, "e").decode(), newline="")))
    assert [row["name"] for row in rows if row["duration_ns"] != ""] == [line["name"] for line in longest if "end_tick" in line]
    table = succeeds("find", "--quiet", "--sort=duration", "--limit=2", MADE, "e").decode().splitlines()
    assert len(table) == 4 and longest[0]["name"] in table[1] and table[3] == "and more: --limit=20 shows more", table
    assert succeeds("find", "--quiet", "--sort=duration", MADE, "nothing-like-it") == b"nothing found\n"
    fails("find", "--quiet", "--sort=length", MADE, "x", says="--sort must be time or duration")
    fails("find", "--quiet", "--sort=duration", "--count", MADE, "x", says="only one of --count and --sort")


def wrong_searches_are_refused():
    for text, says in (("/(/", "regular expression, byte 1: missing"), (">5", ">5: expected a duration, for example >5ms"),
                       ("<3xs", "expected a duration"), ("/" + "a" * 1001 + "/", "at most, this has 1001"),
                       (" ".join("abcdefghijklmnopq"), "16 terms at most")):
        fails("find", "--quiet", MADE, text, says=says)
        if text == ">5":  # a search in a trace without time
            continue
        absent = SCRATCH / "absent.json"
        for words in (("find", absent, text), ("stats", absent, f"--find={text}"), ("flame", absent, f"--find={text}", "--folded")):
            fails(*words, says=says)  # before the file is opened
    fails("find", "--quiet", CAPTURE, ">5ms", says="this trace has no time, expected a number")
    assert len(events(CAPTURE, ">3")) == sum(has_length(lambda ticks: ticks > 3)(line) for line in dump(CAPTURE) if line["kind"] in EVENTS)
    fails("find", "--quiet", MADE, says="find needs a FILE and one TEXT")
    fails("find", "--quiet", "--json", "--csv", MADE, "x", says="only one of --json and --csv")
    fails("find", "--quiet", "--limit=0", MADE, "x", says="--limit must be a number of at least 1, not '0'")


def hostile_patterns_end():
    hostile = SCRATCH / "hostile.json"
    hostile.write_text(json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": i, "dur": 1, "name": "a" * 40, "args": {"v": "a" * 100000 + "!"}}
                                   for i in range(20)]))
    begin = time.monotonic()
    for pattern in ("/^(a+)+[bc]/", "/(a|aa)+[bc]/", "/(a*)*(a*)*(a*)*[bc]/", "/((a?){30}a{30})+[bc]/"):
        fails("find", "--quiet", hostile, pattern, says="takes too much work")
    fails("find", "--quiet", hostile, "/(((a{1,500}){1,500}){1,500})/", says="regular expression")
    fails("find", "--quiet", hostile, "/" + "(" * 400 + ")" * 400 + "/", says="too deeply nested")
    assert time.monotonic() - begin < 60


write_made()
tap.run([matches_are_those_of_the_dump, matches_of_real_files_are_those_of_the_dump, a_range_and_a_thread_narrow_a_search,
         counters_tracks_and_objects_are_found, output_forms_agree, longest_slices_come_first, wrong_searches_are_refused, hostile_patterns_end])
