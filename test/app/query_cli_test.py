#!/usr/bin/env python3
"""`varve query` end to end: rows equal those of `varve dump --json` and `varve stats`, and SQL has no access outside.

usage: query_cli_test.py VARVE DATA_DIR   (DATA_DIR: test/data)

Without DuckDB's library only the message about it is tested.
"""

import csv
import io
import json
import os
import pty
import re
import select
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from command import VARVE, dump, info, varve  # noqa: E402
from duckdb import read_back  # noqa: E402

DATA = Path(sys.argv[2]).resolve()
SCRATCH = tap.scratch_folder("query")
SPALL, CAPTURE = DATA / "spall" / "v3_threads.spall", DATA / "apitrace" / "groups_threads.trace"
JSON = ("args_types", "async_nestable", "be_args_merge", "be_unfinished", "be_x_mixed", "cname", "counters", "counters_odd", "flows",
        "flows_unmatched", "ftrace", "instants", "metadata_kept", "names_unicode", "objects", "objects_rules", "profile_chunks",
        "samples_list", "stacks_on_events", "thread_states", "ts_decimals", "ts_missing", "v8_chromium", "x_overlap")
PATHS = [SPALL, DATA / "spall" / "auto_v3.spall", DATA / "spall" / "bad_fuzz_step_back_of_64_bits.spall", CAPTURE,
         DATA / "apitrace" / "crash.trace", *(DATA / "trace_event" / f"{name}.json" for name in JSON),
         *sorted((DATA / "heph").glob("*.bin"))[:3]]
# Files of every format whose times fit into a BIGINT in whole nanoseconds.
STATS_PATHS = [*(path for path in PATHS if not path.name.startswith(("bad_", "ts_decimals"))), DATA / "cpuprofile" / "node_fib.cpuprofile", DATA / "go" / "go119_gc_cpuprofile.trace", DATA / "go" / "go122_chans.trace",
               *(DATA / "trace_event" / "producers" / f"{name}.json" for name in ("chromium_startup", "clang_time_trace"))]


def query(*arguments):
    done = varve("query", "--quiet", "--json", *arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return json.loads(done.stdout)


def value(path, sql):
    (row,) = query(path, sql)
    (cell,) = row.values()
    return cell


def fails(*arguments, says, status=1):
    done = varve("query", "--quiet", *arguments)
    assert done.returncode == status and says in done.stderr.decode(), (arguments, done)


def bigint(number):
    """Integers beyond a BIGINT, of damaged traces, become the nearest one."""
    return min(number, 2**63 - 1)


def the_schema_is_what_the_tables_have():
    schema = json.loads(varve("query", "--schema", "--json").stdout)
    assert len(schema) >= 12, schema
    names = [table["table"] for table in schema]
    assert len(set(names)) == len(names)
    for table in schema:
        given = ", ".join(f"{name} := NULL" for name in table["parameters"])
        assert query(SPALL, f"FROM {table['table']}({given})") == query(SPALL, f"FROM {table['table']}"), table["table"]
        described = query(SPALL, f"DESCRIBE {table['table']}")
        assert [(c["name"], c["type"]) for c in table["columns"]] == [
            (row["column_name"], row["column_type"]) for row in described], table["table"]
        assert table["columns"][0]["name"] == "trace" and all(c["help"] for c in table["columns"])
        query(SPALL, CAPTURE, f"FROM {table['table']} LIMIT 3")
    lines = list(csv.reader(io.StringIO(varve("query", "--schema", "--csv").stdout.decode())))
    assert lines[0] == ["table", "column", "type", "unit", "help"]
    assert [tuple(line[:3]) for line in lines[1:]] == [
        (table["table"], c["name"], c["type"]) for table in schema for c in table["columns"]]


def slices_are_those_of_the_dump():
    compared = 0
    for path in PATHS:
        lines = [line for line in dump(path) if line["kind"] in ("slice", "async", "state")]
        expected = Counter((line.get("name", ""), bigint(line["begin_tick"]), bigint(line["end_tick"] - line["begin_tick"]))
                           for line in lines if "begin_tick" in line and "end_tick" in line and line.get("track") != "Frames")
        rows = query(path, """SELECT name, begin_tick, duration_ticks FROM slice
                              WHERE track_id IN (SELECT id FROM track WHERE kind IN ('thread', 'async', 'states'))""")
        found = Counter((row["name"] or "", row["begin_tick"], row["duration_ticks"]) for row in rows)
        if expected != found:
            missing, more = expected - found, found - expected
            raise AssertionError((path.name, list(missing.items())[:5], list(more.items())[:5]))
        compared += len(rows)
    assert compared > 1000, compared


def instants_and_counters_are_those_of_the_dump():
    compared = 0
    for path in PATHS:
        lines = dump(path)
        expected = Counter((line.get("name", ""), bigint(line["tick"])) for line in lines
                           if line["kind"] in ("instant", "clock-sync") and "tick" in line)
        rows = query(path, """SELECT i.name, time_tick FROM instant i JOIN track t ON t.id = i.track_id
                              WHERE t.kind IN ('thread', 'async', 'process-instants', 'global-instants')""")
        # Metadata with a time is also shown as an instant.
        assert not expected - Counter((row["name"] or "", row["time_tick"]) for row in rows), path.name
        if any(line["kind"] == "memory-dump" for line in lines):
            continue  # a dump has counters that the file does not have
        values = Counter((line["name"], line.get("series"), line["tick"]) for line in lines if line["kind"] == "counter" and "series" in line)
        found = Counter((row["name"].split(" [")[0], row["series"], row["time_tick"])
                        for row in query(path, "SELECT name, series, time_tick FROM counter"))
        if values != found:
            raise AssertionError((path.name, list((values - found).items())[:5], list((found - values).items())[:5]))
        compared += len(rows) + len(found)
    assert compared > 40, compared


def arguments_are_those_of_the_dump():
    compared = 0
    for path in PATHS:
        expected = Counter()
        for line in dump(path):
            if line["kind"] in ("slice", "async", "instant") and line.get("track") != "Frames" and isinstance(line.get("args"), dict):
                expected.update((line.get("name", ""), key, json.dumps(value)) for key, value in line["args"].items())
        rows = query(path, """SELECT e.name, a.key, a.value FROM arg a LEFT JOIN slice s ON s.id = a.slice_id
                              LEFT JOIN instant i ON i.id = a.instant_id, LATERAL (SELECT coalesce(s.name, i.name, '') AS name) e
                              WHERE NOT a.is_field""")
        found = Counter()
        for row in rows:
            found[(row["name"], row["key"])] += 1
        missing = Counter((name, key) for name, key, _ in expected.elements()) - found
        assert not missing, (path.name, list(missing.items())[:5])
        texts = {(row["name"], row["key"], row["value"]) for row in rows}
        for name, key, value in expected:
            text = json.loads(value)
            assert not isinstance(text, str) or (name, key, text) in texts, (path.name, name, key, value)
        compared += len(rows)
    assert compared > 300, compared
    path = DATA / "trace_event" / "args_types.json"
    numbers = query(path, "SELECT value, number FROM arg WHERE number IS NOT NULL")
    assert numbers and all(float(row["value"]) == row["number"] for row in numbers), numbers


def arrows_and_objects_are_those_of_info():
    compared = 0
    for path in PATHS:
        (rows,) = query(path, """SELECT (SELECT count(*) FROM flow) AS flows, (SELECT count(*) FROM object) AS objects,
                                 (SELECT count(*) FROM snapshot) AS object_snapshots""")
        assert rows == {key: info(path)["counts"][key] for key in rows}, path.name
        compared += sum(rows.values())
    assert compared > 20, compared
    assert value(CAPTURE, "SELECT count(*) FROM call") == value(CAPTURE, "SELECT calls FROM (SELECT count(*) AS calls FROM slice)")
    assert value(CAPTURE, "SELECT count(*) FROM frame") > 0 and value(SPALL, "SELECT count(*) FROM call") == 0


# The statement of docs/stats.md.
STATISTICS = """SELECT {key}, count(*) AS count, sum(clipped_{unit}) AS total, sum(self_{unit}) AS self,
    sum(clipped_{unit}) // count(*) AS average, min(clipped_{unit}) AS min, max(clipped_{unit}) AS max,
    quantile_disc(clipped_{unit}, 0.5) AS p50, quantile_disc(clipped_{unit}, 0.9) AS p90, quantile_disc(clipped_{unit}, 0.95) AS p95,
    quantile_disc(clipped_{unit}, 0.99) AS p99, round(stddev_pop(clipped_{unit})) AS deviation,
    sum(self_{unit}) / sum(sum(self_{unit})) OVER () AS share FROM {table} GROUP BY {group}"""
EXACT = ("count", "total", "self", "min", "max", "p50", "p90", "p95", "p99")
GROUPS = (("name", "coalesce(name, '') AS name", "name"), ("category", "coalesce(category, '') AS name", "category"),
          ("process", "coalesce(process, '') AS name", "process"), ("thread", "track AS name, process", "track_id, track, process"))


def check_statistics(path, groups, table, options):
    """Compares a statement with `varve stats`, for groups of (--by, names, key); returns the number of rows."""
    time = info(path)["time"]
    unit, tick = ("ticks", 1) if time["clock"] in ("events", "calls") else ("ns", time["ns_per_tick"][0] / time["ns_per_tick"][1])
    statements = [STATISTICS.format(key=f"'{by}' AS by, {key}", group=group, table=table, unit=unit) for by, key, group in groups]
    rows = query(path, " UNION ALL BY NAME ".join(f"({statement})" for statement in statements))

    def order(row):
        return [row["name"], row.get("process") or "", *(row[column] for column in EXACT)]

    for by, _, _ in groups:
        done = varve("stats", "--json", "--quiet", f"--by={by}", *options, path)
        assert done.returncode == 0 and json.loads(done.stdout)["unit"] == unit, (path, done)
        found, wanted = sorted((row for row in rows if row["by"] == by), key=order), sorted(json.loads(done.stdout)["rows"], key=order)
        assert [order(row) for row in found] == [order(row) for row in wanted], (path, by, options)
        for row, should in zip(found, wanted):  # an average and a deviation are rounded to ticks there, and a share to six digits
            assert 0 <= row["average"] - should["average"] < tick and abs(row["deviation"] - should["deviation"]) <= tick, (path, by, row, should)
            assert abs((row["share"] or 0) - should["share"]) < 1e-6, (path, by, row, should)
    return len(rows)


def sql_says_what_stats_says():
    compared = 0
    for path in STATS_PATHS:
        time = info(path)["time"]
        span = time["end_tick"] - time["begin_tick"] if time["begin_tick"] is not None else 0
        for spec in (None, f"{span // 5}..{span // 2}") if span > 10 else (None,):
            compared += check_statistics(path, GROUPS, "slice" if spec is None else f"slice(range := '{spec}')", [] if spec is None else [f"--range={spec}"])
    assert compared > 1000, compared


def sql_says_what_stats_says_of_an_argument():
    for path, key in ((DATA / "trace_event" / "producers" / "chromium_startup.json", "src_func"), (CAPTURE, "mode"), (DATA / "cli" / "ok_small.json", "n")):
        table = f"(SELECT slice.*, value FROM slice JOIN arg ON slice_id = slice.id WHERE key = '{key}')"
        assert check_statistics(path, [(f"arg:{key}", "value AS name", "value")], table, ["--perspective=all"]) > 0, path


def a_range_of_the_command_is_that_of_the_tables():
    for path in (SPALL, CAPTURE):
        for spec in ("1us..2us", "3us..", "..50ns") if path == SPALL else ("3..9", "10.."):
            table = json.loads(varve("stats", "--json", "--quiet", f"--range={spec}", path).stdout)
            (row,) = query(f"--range={spec}", path, f"SELECT count(*) AS n, sum(self_{table['unit']}) AS self FROM slice")
            assert (row["n"], row["self"] or 0) == (table["slices"], sum(row["self"] for row in table["rows"])), spec


def parameters_bound_the_rows():
    for sql in ("slice(begin := '1us', end := '2us')", "slice(range := '1us..2us')", "slice(\"begin\" := '1us', \"end\" := '2us')",
                "slice(END := '2us', Begin := '1us')"):
        bounded = query(SPALL, f"SELECT id FROM {sql} ORDER BY id")
        assert bounded == query(SPALL, """SELECT id FROM slice WHERE begin_ns < 2000 AND (begin_ns + duration_ns > 1000 OR
                                          (duration_ns = 0 AND begin_ns = 1000)) ORDER BY id"""), sql
        assert bounded
    named = query(SPALL, "SELECT id FROM slice(name := 'fibt') ORDER BY id")
    assert named and named == query(SPALL, "SELECT id FROM slice WHERE name = 'fibt' ORDER BY id")
    assert query(SPALL, "FROM slice(name := 'no such name')") == []
    counts = query(SPALL, "SELECT track_id, count(*) AS n FROM slice GROUP BY 1 ORDER BY 1")
    for row in counts:
        assert value(SPALL, f"SELECT count(*) FROM slice(track := {row['track_id']})") == row["n"]
    assert len(counts) > 1
    tid = value(SPALL, "SELECT tid FROM thread WHERE slices > 0 ORDER BY tid LIMIT 1")
    assert value(SPALL, f"SELECT count(*) FROM slice(thread := '{tid}')") == value(SPALL, f"SELECT count(*) FROM slice WHERE tid = {tid}")
    fails(SPALL, "FROM slice(range := 'soon')", says="soon")
    fails(SPALL, "FROM slice(range := '1s..', begin := '2s')", says="give either range or begin")


def several_traces_are_asked_at_once():
    rows = query(SPALL, CAPTURE, SPALL, "SELECT trace, count(*) AS n FROM slice GROUP BY trace ORDER BY trace")
    assert {row["trace"]: row["n"] for row in rows} == {
        str(SPALL): value(SPALL, "SELECT count(*) FROM slice"), f"{SPALL}#2": value(SPALL, "SELECT count(*) FROM slice"),
        str(CAPTURE): value(CAPTURE, "SELECT count(*) FROM slice")}
    formats = query(SPALL, CAPTURE, "SELECT format FROM trace ORDER BY format")
    assert [row["format"] for row in formats] == ["apitrace", "spall"]
    assert value(CAPTURE, "SELECT count(begin_ns) FROM slice") == 0, "a capture has no time"


def every_type_is_printed():
    row = query(SPALL, """SELECT 1::TINYINT AS a, 200::UTINYINT AS b, 18446744073709551615::UBIGINT AS c, 1.5::FLOAT AS d, 0.1 AS e,
                          170141183460469231731687303715884105727::HUGEINT AS f, [1, 2] AS g, {'x': 'y"'} AS h, MAP {'k': 1} AS i,
                          DATE '2026-01-02' AS j, NULL AS k, '' AS l, 'a;b' AS m, true AS n, INTERVAL 3 DAY AS o, 'nan'::DOUBLE AS p,
                          'x' AS "a ""b"" c" """)[0]
    assert row == {"a": 1, "b": 200, "c": 2**64 - 1, "d": 1.5, "e": 0.1, "f": 2**127 - 1, "g": [1, 2], "h": {"x": 'y"'}, "i": {"k": 1},
                   "j": "2026-01-02", "k": None, "l": "", "m": "a;b", "n": True, "o": "3 days", "p": None, 'a "b" c': "x"}, row
    text = varve("query", "--quiet", "--csv", SPALL, "SELECT NULL AS k, '' AS l, 'a,\"b' AS m, sum(depth) AS n FROM slice").stdout.decode()
    head, line, _ = text.split("\r\n")
    assert head == "k,l,m,n" and line.startswith(',"","a,""b",'), text
    text = varve("query", "--quiet", "--csv", SPALL, "SELECT 'nan'::DOUBLE, 'inf'::DOUBLE, '-inf'::DOUBLE, 1e300").stdout.decode()
    assert text.split("\r\n")[1] == "nan,inf,-inf,1e+300", text
    table = varve("query", "--quiet", SPALL, "SELECT name, count(*) AS n FROM slice GROUP BY 1 ORDER BY n DESC, 1 LIMIT 2").stdout.decode()
    lines = table.splitlines()
    assert lines[0].split() == ["name", "n"] and set(lines[1]) == {"-", " "} and len({len(line) for line in lines}) == 1, table


def statements_are_split():
    sql = "CREATE TEMP TABLE t AS SELECT ';' AS c; -- a comment; with a semicolon\n/* /* nested ; */ */ ;; SELECT c, $$;$$ AS d, E'\\';' AS e FROM t;"
    assert query(SPALL, sql) == [{"c": ";", "d": ";", "e": "';"}]
    done = varve("query", "--json", "--quiet", SPALL, input=b"CREATE VIEW v AS FROM slice;\nSELECT count(*) AS n\nFROM v")
    assert json.loads(done.stdout) == [{"n": value(SPALL, "SELECT count(*) FROM slice")}], done
    fails(SPALL, "", says="the text has no statement")
    fails(SPALL, "SELECT 1; SELCT 2", says="syntax error")
    fails(SPALL, "SELECT nothing FROM slice", says='Referenced column "nothing" not found')


def an_error_names_its_line_in_the_whole_text():
    fails(SPALL, "SELECT 1,\n  nothing FROM slice", says="\n\nLINE 2:   nothing FROM slice\n          ^")
    fails(SPALL, "SELECT 1; SELECT 2;\n\nSELECT nothing FROM slice", says="\nLINE 3: SELECT nothing FROM slice\n               ^")
    fails(SPALL, "SELECT 1;" + "\n" * 9 + "SELECT nothing FROM slice", says="\nLINE 10: SELECT nothing FROM slice\n                ^")


def nothing_outside_is_reached():
    secret, written = SCRATCH / "secret.csv", SCRATCH / "written.csv"
    secret.write_text("a\n1\n")
    for sql in (f"FROM '{secret}'", f"FROM read_csv('{secret}')", f"SELECT * FROM read_text('{secret}')", f"FROM glob('{SCRATCH}/*')",
                f"COPY (SELECT 1) TO '{written}'", f"ATTACH '{SCRATCH}/x.db'", f"EXPORT DATABASE '{SCRATCH}/e'", "INSTALL httpfs",
                "LOAD httpfs", "SET enable_external_access = true", "SET memory_limit = '1TB'", "RESET lock_configuration",
                "SET allowed_paths = ['/']", f"IMPORT DATABASE '{SCRATCH}'"):
        done = varve("query", "--quiet", SPALL, sql)
        assert done.returncode == 1 and (b"disabled" in done.stderr or b"locked" in done.stderr or b"does not exist" in done.stderr), (
            sql, done)
    assert sorted(SCRATCH.iterdir()) == [secret]


def values_do_not_depend_on_the_number_of_threads():
    """The trace is large enough that DuckDB uses several threads for a scan, if it may."""
    path = SCRATCH / "large.json"
    path.write_text('[{"ph":"i","pid":1,"tid":1,"ts":0,"name":"i"}%s]' % "".join(
        f',\n{{"ph":"C","pid":1,"ts":{i},"name":"c","args":{{"v":{1 / (i + 1)!r}}}}}' for i in range(300_000)))
    sql = """SELECT sum(value), avg(value), first(time_ns), any_value(time_ns), arg_min(time_ns, series), list(time_ns)[7] FROM counter"""
    try:
        assert len({varve("query", "--quiet", "--csv", f"--threads={count}", path, sql).stdout for count in (1, 2, 4, 4, 4)}) == 1
    finally:
        path.unlink()


def memory_is_bounded():
    fails("--mem=100M", SPALL, "SELECT count(*) FROM (SELECT DISTINCT md5(a.range::VARCHAR || 'x') FROM range(20000000) a)",
          says="Out of Memory")


def parquet_is_read_back():
    out = SCRATCH / "it's.parquet"
    done = varve("query", "--quiet", "--parquet", "-o", out, SPALL, "SELECT id, name, duration_ns FROM slice")
    assert done.returncode == 0, done
    first = out.read_bytes()
    expected = [(str(row["id"]), row["name"], str(row["duration_ns"])) for row in query(SPALL, "SELECT id, name, duration_ns FROM slice")]
    quoted = str(out).replace("'", "''")
    assert read_back(f"SELECT * FROM '{quoted}'") == expected
    assert varve("query", "--quiet", "--parquet", "-o", out, SPALL, "SELECT id, name, duration_ns FROM slice").returncode == 0
    assert out.read_bytes() == first, "the same bytes again"
    fails("--parquet", "-o", out, SPALL, "SELECT nothing FROM slice", says="nothing")
    assert out.read_bytes() == first, "a failure leaves the file as it was"
    fails("--parquet", SPALL, "FROM slice", says="--parquet needs -o FILE")
    fails("--parquet", "-o", SCRATCH / "no" / "x.parquet", SPALL, "FROM slice", says="x.parquet", status=4)
    assert sorted(path.name for path in SCRATCH.iterdir() if path.suffix != ".csv") == [out.name]


def a_library_that_is_missing_is_said():
    environment = {**os.environ, "VARVE_DUCKDB": "/nowhere/libduckdb.so"}
    done = varve("query", "--quiet", SPALL, "SELECT 1", env=environment)
    assert done.returncode == 2 and b"VARVE_DUCKDB: /nowhere/libduckdb.so" in done.stderr, done
    assert varve("query", "--schema", env=environment).returncode == 0


def wrong_usage_is_said():
    fails(says="query needs a FILE")
    fails("--json", "--csv", SPALL, "SELECT 1", says="only one of --csv and --json")


class Terminal:
    """`varve query` on its own terminal, with its own history."""

    def __init__(self, *arguments):
        environment = {**os.environ, "XDG_STATE_HOME": str(SCRATCH / "state"), "HOME": str(SCRATCH), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(VARVE, [VARVE, "query", "--quiet", *map(str, arguments)], environment)
        self.types("", "varve> ")

    def types(self, keys, *expected):
        """Types keys and waits until the terminal has shown the texts, one after the other."""
        output, pattern = b"", re.compile(".*?".join(map(re.escape, expected)).encode(), re.DOTALL)
        os.write(self.terminal, keys.encode())
        while not pattern.search(output):
            more = self.read()
            assert more, (keys, expected, output)
            output += more

    def read(self):
        """Returns more output; none at the end."""
        assert select.select([self.terminal], [], [], 60)[0], "no output for a minute"
        try:
            return os.read(self.terminal, 65536)
        except OSError:
            return b""  # the other end of the terminal is closed

    def cancels(self):
        """Types Ctrl+C until the statement is cancelled: the first one may come before the statement runs."""
        output, until = b"", time.monotonic() + 60
        while b"the query was cancelled" not in output:
            assert time.monotonic() < until, output
            os.write(self.terminal, b"\x03")
            while select.select([self.terminal], [], [], 0.3)[0]:
                output += self.read()

    def interrupts(self):
        """Types Ctrl+C until there is a new prompt: the first one may come while completions are listed."""
        output, until = b"", time.monotonic() + 60
        while b"varve> " not in output:
            assert time.monotonic() < until, output
            os.write(self.terminal, b"\x03")
            while select.select([self.terminal], [], [], 0.3)[0]:
                output += self.read()

    def leaves(self):
        os.write(self.terminal, b"\x04")
        while self.read():
            pass
        os.close(self.terminal)
        assert os.waitpid(self.process, 0)[1] == 0


def the_prompt_completes_and_cancels_and_remembers():
    history = SCRATCH / "state" / "varve" / "query_history"
    try:
        prompt = Terminal(SPALL)
        prompt.types("SELE\t", "CT ")
        prompt.types("sum(self_n\t", "s ")
        prompt.types(") AS total\rFROM sl\t", "   ... ", "ice ")
        prompt.types(";\r", "total", str(value(SPALL, "SELECT sum(self_ns) FROM slice")), "varve> ")
        prompt.types("FROM tra\t\t", "c", "trace", "track", "varve> FROM trac")
        prompt.interrupts()
        prompt.types("FROM slice a, slice b, slice c, slice d, slice e ORDER BY a.id + b.id;\r", "\r\n")
        prompt.cancels()
        prompt.types("SELECT 41 + 1 AS ä;\r", "ä", "42", "varve> ")
        prompt.leaves()
        assert history.stat().st_mode & 0o777 == 0o600 and history.parent.stat().st_mode & 0o777 == 0o700
        prompt = Terminal(SPALL)
        prompt.types("\x1b[A", "SELECT 41 + 1 AS ä;")
        prompt.types("\x1b[A\x1b[A\r", "SELECT sum(self_ns ) AS total", "total", "varve> ")
        prompt.leaves()
    finally:
        shutil.rmtree(SCRATCH / "state", ignore_errors=True)


def needs_library(case):
    """Returns the case, skipped without DuckDB's library."""
    def checked():
        if not has_library:
            raise tap.Skip("DuckDB's library is missing")
        case()
    checked.__name__ = case.__name__
    return checked


has_library = varve("query", "--quiet", SPALL, "SELECT 1").returncode != 2
tap.run([
    *map(needs_library, [
        the_schema_is_what_the_tables_have, slices_are_those_of_the_dump, instants_and_counters_are_those_of_the_dump,
        arguments_are_those_of_the_dump, arrows_and_objects_are_those_of_info, sql_says_what_stats_says,
        sql_says_what_stats_says_of_an_argument, a_range_of_the_command_is_that_of_the_tables, parameters_bound_the_rows, several_traces_are_asked_at_once, every_type_is_printed,
        statements_are_split, an_error_names_its_line_in_the_whole_text, nothing_outside_is_reached,
        values_do_not_depend_on_the_number_of_threads, memory_is_bounded, parquet_is_read_back,
        the_prompt_completes_and_cancels_and_remembers,
    ]),
    a_library_that_is_missing_is_said, wrong_usage_is_said,
])
