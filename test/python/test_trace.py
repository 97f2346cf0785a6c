"""Traces, their tables, analysis and output."""

import gc
import os
import subprocess
import sys
import threading

import pytest
import varve

from conftest import ROOT, SMALL


def test_summary(trace):
    summary = trace.summary
    assert (summary.name, summary.format, summary.slice_count, summary.duration_ns) == ("small.json", "trace-event", 2, 10000)
    assert summary.is_complete and summary.has_time and summary.epoch_unix_ns is None and summary.input_bytes == len(SMALL)
    assert trace.properties == {"run": 7} and trace.warnings == []
    assert trace.info()["format"]["name"] == "trace-event" and trace.info()["complete"]
    assert repr(trace) == "<varve.Trace small.json: trace-event, 2 slices>"


def test_open_paths(data, tmp_path):
    with varve.open(data / "compare/before.json.gz", threads=2) as gz:
        assert gz.summary.slice_count == 1000
    name = tmp_path / "é x.json"
    name.write_bytes(SMALL)
    with varve.open(str(name), range="0us..1us", arguments=False) as part:
        assert part.summary.slice_count == 1 and part.summary.name == str(name)
    with varve.open(bytearray(SMALL)) as copied, varve.open(memoryview(SMALL)) as viewed:
        assert copied.summary.slice_count == viewed.summary.slice_count == 2


def test_errors_have_places(data, tmp_path):
    with pytest.raises(varve.Error) as missing:
        varve.open(tmp_path / "none")
    assert missing.value.code == varve.ErrorCode.INPUT and missing.value.byte_offset is None
    with pytest.raises(varve.Error) as unknown:
        varve.open(b"hello")
    assert unknown.value.code == varve.ErrorCode.UNKNOWN and str(unknown.value).startswith(unknown.value.message)
    # A capture without its first bytes is corrupt from a known offset on.
    with pytest.raises(varve.Error) as corrupt:
        varve.open(b"\xff" * 64, format="spall")
    assert corrupt.value.byte_offset is not None and f"byte {corrupt.value.byte_offset}" in str(corrupt.value)
    with pytest.raises(varve.Error) as usage:
        varve.open(SMALL, range="nonsense")
    assert usage.value.code == varve.ErrorCode.USAGE
    with varve.open(data / "trace_event/be_unmatched_end.json") as damaged:
        [warning] = damaged.warnings
        assert (warning.kind, warning.count, warning.byte_offset, warning.event_index) == ("unmatched-end", 2, 2, 0)


def test_zero_bytes_in_texts_are_rejected(trace):
    for call in (lambda: varve.open("a\0b"), lambda: varve.open(SMALL, format="a\0b"), lambda: trace.table("slice", name="p\0"),
                 lambda: trace.query("SELECT 1\0"), lambda: list(trace.find("\0")), lambda: trace.convert("x\0.json")):
        with pytest.raises(ValueError, match="null"):
            call()


def test_rows(trace):
    rows = list(trace.table("slice"))
    assert [(row.name, row.begin_ns, row.duration_ns, row.parent_id, row.category) for row in rows] == [("p", 0, 10000, None, "c"), ("q", 2000, 2000, 0, None)]
    assert rows[0].unfinished is False and rows[0].trace == "small.json" and rows[0].begin_tick == rows[1].begin_tick - 2000
    assert [row.value for row in trace.table("counter")] == [5.0]
    assert [(row.key, row.value) for row in trace.table("arg")] == [("size", "3"), ("why", "now")]
    assert [row.name for row in trace.table("slice", name="q")] == ["q"]
    assert [row.name for row in trace.table("slice", range="5us..")] == ["p"]
    assert list(trace.table("slice", track_id=2**32 - 1)) == []
    assert repr(trace.table("clock")).startswith("<varve.Table clock: trace, ")


def test_every_table_gives_rows_with_the_columns_of_the_schema(data):
    with varve.open(data / "go/go126_annot_cpuprofile.trace") as trace:
        counts = {}
        for table in varve.tables():
            rows = list(trace.table(table))
            counts[table] = len(rows)
            assert all(row._fields == tuple(column.name for column in varve.columns(table)) for row in rows[:1])
    assert counts["slice"] > 0 and counts["stack_frame"] > 0 and counts["trace"] == 1 and counts["clock"] == 1


def test_wrong_arguments(trace):
    with pytest.raises(KeyError):
        trace.table("nothing")
    with pytest.raises(KeyError):
        varve.columns("nothing")
    for call in (lambda: trace.stats("size"), lambda: trace.render("gif"), lambda: trace.table("slice", track_id=0), lambda: trace.diff(trace, "x"), lambda: trace.diff(trace, "argument"),
                 lambda: trace.table("slice", track_id=2**40), lambda: trace.stats(track_id=1, thread="x"), lambda: trace.details("slice", -1)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(varve.Error) as range_error:
        list(trace.table("slice", range="nonsense"))
    assert range_error.value.code == varve.ErrorCode.USAGE
    with pytest.raises(varve.Error):
        trace.details("slice", 99)
    with pytest.raises(varve.Error):
        trace.goroutines()


def test_details_and_find(trace):
    assert trace.details("slice", 0) == varve.Details({"size": 3}, None) and trace.details("instant", 0).args == {"why": "now"}
    [match] = trace.find("size=3")
    assert (match.kind, match.id, match.name, match.key, match.value, match.begin_ns) == ("slice", 0, "p", "size", "3", 0)
    assert [match.kind for match in trace.find("mark")] == ["instant"]
    with pytest.raises(varve.Error):
        list(trace.find("/(/"))


def test_analysis(trace, data):
    [p, q] = trace.stats()
    assert (p.name, p.count, p.total_ns, p.self_ns, q.name, q.p50_ns) == ("p", 1, 10000, 8000, "q", 2000)
    assert [row.count for row in trace.stats("process", range="5us..")] == [1]
    assert [(row.name, row.deviation_ns) for row in trace.stats("argument", argument="size")] == [("3", 0)]
    assert [row.name for row in trace.stats(find="size=3")] == ["p"] and [row.name for row in trace.stats(name="q")] == ["q"]
    assert [row.process for row in trace.stats("track")] != [""]
    assert [(bin.count, bin.total_ns) for bin in trace.histogram("linear") if bin.count] == [(1, 2000), (1, 10000)]
    assert trace.histogram(name="q")[0].least_ns <= 2000
    instants, [heap] = trace.area()
    assert [(row.name, row.count) for row in instants] == [("mark", 1)]
    assert (heap.name, heap.unit, heap.count, heap.last) == ("heap", "B", 1, 5)
    assert [(node.name, node.parent, node.depth, node.self_ns) for node in trace.flame()] == [("p", None, 0, 8000), ("q", 0, 1, 2000)]
    assert [(node.name, node.total_ns) for node in trace.flame(inverted=True, by="self") if node.parent is None] == [("p", 8000), ("q", 2000)]
    assert [node.name for node in trace.flame(name="q")] == ["q"] and [node.name for node in trace.flame(find="name:q")] == ["q"]
    assert [(node.name, node.parent, node.self_ns) for node in trace.flame(hide=["p", "r"])] == [("q", None, 2000)]
    assert b"<svg" in bytes(trace.flame_picture(by="count", collapse=True))
    assert bytes(trace.flame_picture("png", theme="dark")).startswith(b"\x89PNG")
    with pytest.raises(varve.Error):
        trace.flame(source="waits_sync")
    with varve.open(data / "compare/before.json.gz") as a, varve.open(data / "compare/after.json.gz") as b:
        slower = [row.name for row in varve.diff(a, b) if row.verdict == "slower"]
        row = a.diff(b, "path")[0]
        counts = [abs(row.b.count - row.a.count) for row in a.diff(b, sort="count")]
        by_argument = a.diff(b, "argument", argument="size")
        aligned = a.diff(b, align="request", range="0..50ms", other_range="0..50ms")
        with pytest.raises(varve.Error, match="no slice of .*before.json.gz has this name"):
            a.diff(b, align="nowhere")
        own = trace.diff(trace, "argument", argument="size")
    assert slower == ["parse"] and by_argument == []
    assert [(row.name, row.a.count) for row in own] == [("3", 1)]
    assert counts == sorted(counts, reverse=True)
    assert sum(row.a.count for row in aligned) > 0 and all(row.p <= row.p_adjusted <= 1 for row in aligned)
    assert row.name.startswith("request") and row.self_change_ns == pytest.approx(row.b.self_ns - row.a.self_ns)
    with varve.open(data / "go/go126_annot_cpuprofile.trace") as go:
        assert any(routine.function == "main.main" and routine.total_ns > 0 for routine in go.goroutines())


def test_formats(trace, tmp_path):
    formats = {format.name: format for format in varve.formats()}
    assert "Chromium" in formats["trace-event"].about and formats["heph"].is_live and not formats["cpuprofile"].is_live
    outputs = {format.name: format for format in varve.output_formats()}
    assert outputs["json"].suffix == "json" and outputs["parquet"].kind == "table" and outputs["spall"].kind == "trace"
    for name, format in outputs.items():
        if format.kind == "trace":
            trace.convert(tmp_path / f"x.{name}", format=name)
            assert (tmp_path / f"x.{name}").stat().st_size > 0


def test_go_reports(trace, data):
    with varve.open(data / "go/go126_mixed.trace") as go:
        functions = go.go_report(top=2)
        assert len(functions["functions"]) == 2 and len(go.go_report("goroutines")["goroutines"]) == len(go.goroutines())
        assert go.go_report("gc")["finished_cycles"] == 11
        assert go.go_report("mmu", processors="worst", counts="stw") != go.go_report("mmu")
        assert go.go_pprof("sync").startswith(b"\x1f\x8b")
        assert go.goroutines(rules="go") != go.goroutines()
        with pytest.raises(varve.Error, match="counts"):
            go.go_report("mmu", counts="x")
        with pytest.raises(varve.Error, match="no stacks"):
            go.go_pprof("gc")
        with pytest.raises(ValueError):
            go.go_report("waits")
    with pytest.raises(varve.Error, match="not a Go"):
        trace.go_report()


def test_query(trace, duckdb):
    with trace.query("SELECT name, duration_ns, NULL AS n, true AS b, 1.5::DOUBLE AS r, [1, 2] AS l, 3::UBIGINT AS u FROM slice ORDER BY name") as result:
        assert result.columns == ["name", "duration_ns", "n", "b", "r", "l", "u"]
        assert list(result) == [("p", 10000, None, True, 1.5, "[1,2]", 3), ("q", 2000, None, True, 1.5, "[1,2]", 3)]
        assert list(result) == []
    with pytest.raises(ValueError):
        list(result)
    assert list(varve.query("SELECT count(*) FROM slice", trace, trace)) == [(4,)]
    with pytest.raises(varve.Error) as wrong:
        trace.query("SELECT nonsense")
    assert wrong.value.code == varve.ErrorCode.USAGE and "nonsense" in wrong.value.message
    result = trace.query("SELECT range FROM range(5000)")
    trace.close()
    assert sum(row[0] for row in result) == 5000 * 4999 // 2  # the result keeps the trace


def test_pictures(trace, tmp_path):
    png, svg = trace.render(width=300), varve.render(trace, trace, kind="svg", theme="dark")
    assert png._repr_png_().startswith(b"\x89PNG") and png._repr_svg_() is None and int.from_bytes(png.data[16:20], "big") == 300
    assert svg._repr_svg_().lstrip().startswith("<?xml") and svg._repr_png_() is None
    png.save(tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes() == bytes(png)
    assert bytes(trace.render("pdf")).startswith(b"%PDF")
    for call in (lambda: varve.render(), lambda: trace.render(width=-1), lambda: trace.render(scale=float("nan"))):
        with pytest.raises(varve.Error):
            call()


def test_convert(trace, tmp_path):
    losses = trace.convert(tmp_path / "x.spall")
    assert {loss.what for loss in losses} and all(loss.count > 0 for loss in losses)
    with varve.open(tmp_path / "x.spall") as spall:
        assert spall.summary.slice_count == 2
    assert trace.convert(tmp_path / "x.csv", table="counter") == []
    assert (tmp_path / "x.csv").read_text().count("\n") == 2
    with pytest.raises(varve.Error):
        trace.convert(tmp_path / "x.unknown")
    assert not (tmp_path / "x.unknown").exists()


def test_closed_traces_are_refused_and_iterators_keep_them():
    trace = varve.open(SMALL)
    rows, matches = iter(trace.table("slice")), trace.find("mark")
    first = next(rows)
    trace.close()
    trace.close()
    assert [first.name] + [row.name for row in rows] == ["p", "q"]
    with pytest.raises(ValueError, match="closed"):
        next(matches)  # it was not started
    for call in (trace.stats, trace.render, lambda: trace.warnings, lambda: trace.query("SELECT 1"), lambda: list(trace.table("slice"))):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert "closed" in repr(trace)


def test_unused_iterators_release_the_trace():
    trace = varve.open(SMALL)
    rows = iter(trace.table("slice"))
    next(rows)
    handle = trace._handle
    del rows, trace
    gc.collect()
    assert handle._user_count == 0


def test_threads_share_a_trace(data):
    with varve.open(data / "compare/before.json.gz") as trace:
        expected, failures = trace.stats(), []

        def work():
            for _ in range(5):
                if trace.stats() != expected or sum(1 for _ in trace.table("slice")) != 1000 or len(trace.flame()) != 5:
                    failures.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


def test_close_waits_for_running_calls(data):
    trace, faults = varve.open(data / "compare/before.json.gz"), []

    def work():
        try:
            while True:
                trace.stats()
        except ValueError:
            pass
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    trace.close()
    for thread in threads:
        thread.join(20)
    assert faults == [] and not any(thread.is_alive() for thread in threads)


def big_input():
    event = b'{"ph":"X","pid":1,"tid":2,"ts":%d,"dur":1,"name":"q","args":{"a":"%s"}},\n'
    return b"[" + b"".join(event % (i, b"x" * 100) for i in range(400000))


def test_progress_is_reported_and_ends_a_load():
    shares = []

    class Enough(Exception):
        pass

    def watch(share):
        shares.append(share)
        raise Enough

    with pytest.raises(Enough):
        varve.open(big_input(), progress=watch)
    assert len(shares) == 1 and 0 <= shares[0] <= 1


def test_an_interrupt_ends_a_load(tmp_path):
    (tmp_path / "big.json").write_bytes(big_input())
    program = f"""
import os, signal, sys, threading, varve
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    varve.open({str(tmp_path / "big.json")!r}, progress=lambda share: None)
except KeyboardInterrupt:
    sys.exit(42)
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.returncode == 42
