#!/usr/bin/env python3
"""SQL through the server of `varve open`.

usage: sql_server_test.py VARVE DATA_DIR
"""

import http.client
import json
import os
import struct
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from listener import connect, epoch, event, listen_and_show, text, until  # noqa: E402
from viewer import VARVE, Viewer  # noqa: E402

DATA = Path(sys.argv[2])


def small():
    return Viewer(DATA / "ok_small.json")


def post_sql(viewer, sql, **headers):
    return viewer.ask("api/sql", method="POST", body=sql.encode(), **headers)


def result_of(viewer, run):
    while True:
        code, _, body = viewer.ask(f"api/sql-result?run={run}")
        assert code == 200, body
        result = json.loads(body)
        assert result["run"] == run
        if result["state"] != "running":
            return result
        time.sleep(0.01)


def sql(viewer, text):
    code, _, body = post_sql(viewer, text)
    assert code == 200, body
    return result_of(viewer, json.loads(body)["run"])


ENDLESS = "SELECT count(*) FROM range(10000000000) a, range(1000) b WHERE a.range % 7 = b.range % 11"


def sql_is_answered_over_all_traces():
    with Viewer(DATA / "ok_small.json", DATA / "odd_kinds.json", DATA / "ok_small.json") as viewer:
        viewer.wait_until_ready()
        result = sql(viewer, "CREATE VIEW v AS FROM slice; SELECT trace, count(*) AS n FROM v GROUP BY trace ORDER BY trace")
        assert result["state"] == "done" and result["error"] is None and result["line"] is None and not result["more"], result
        assert result["columns"] == [{"name": "trace", "kind": "text"}, {"name": "n", "kind": "integer"}]
        first = str(DATA / "ok_small.json")
        names = [trace["name"] for trace in result["traces"]]
        assert names == [first, str(DATA / "odd_kinds.json"), first + "#2"], names
        slices = [json.loads(viewer.ask(f"api/info?trace={i}")[2])["counts"] for i in range(3)]
        expected = {name: str(counts["slices"] + counts["async_slices"]) for name, counts in zip(names, slices)}
        rows = dict(result["rows"])
        assert rows[names[0]] == rows[names[2]] == expected[names[0]], (rows, expected)
        result = sql(viewer, "SELECT 9007199254740993 AS a, 0.1::DOUBLE AS b, NULL AS c, 170141183460469231731687303715884105727 AS d, true AS e, [1] AS f")
        assert result["rows"] == [["9007199254740993", "0.1", None, "170141183460469231731687303715884105727", "true", "[1]"]], result
        assert [column["kind"] for column in result["columns"]] == ["integer", "real", "integer", "number", "bool", "json"], result


def sql_equals_stats():
    with small() as viewer:
        viewer.wait_until_ready()
        stats = json.loads(viewer.ask("api/stats?trace=0")[2])
        expected = [[row["name"], str(row["count"]), row["total"]["ticks"], row["self"]["ticks"]] for row in stats["rows"]]
        rows = sql(viewer, """SELECT name, count(*), CAST(sum(clipped_ticks) AS BIGINT), CAST(sum(self_ticks) AS BIGINT)
                              FROM slice GROUP BY name""")["rows"]
        assert expected and sorted(rows) == sorted(expected), (rows, expected)


def results_of_sql_are_bounded():
    with small() as viewer:
        viewer.wait_until_ready()
        result = sql(viewer, "SELECT range AS n FROM range(10000)")
        assert len(result["rows"]) == 10000 and not result["more"]
        result = sql(viewer, "SELECT range AS n FROM range(10001) ORDER BY n DESC")
        assert len(result["rows"]) == 10000 and result["more"] and result["rows"][0] == ["10000"]
        result = sql(viewer, "SELECT repeat('x', 1000000) FROM range(100)")
        assert 32 <= len(result["rows"]) <= 36 and result["more"], len(result["rows"])
        sql(viewer, "SELECT 1")
        code, _, body = viewer.ask("api/sql-result?run=1")
        assert code == 200, "four results are kept"
        sql(viewer, "SELECT 1")
        assert viewer.ask("api/sql-result?run=1")[0] == 404 and viewer.ask("api/sql-result?run=99")[0] == 404


def errors_of_sql_name_their_line():
    with small() as viewer:
        viewer.wait_until_ready()
        result = sql(viewer, "SELECT 1;\nSELECT nothing\nFROM slice")
        assert result["state"] == "failed" and result["line"] == 2 and result["rows"] == [], result
        assert 'Referenced column "nothing"' in result["error"] and "LINE 2: SELECT nothing" in result["error"], result
        assert sql(viewer, "-- nothing")["error"] == "the text has no statement"
        for outside in ("FROM '/etc/passwd'", "INSTALL httpfs", "SET memory_limit = '1TB'", "ATTACH '/tmp/x.db'"):
            assert sql(viewer, outside)["state"] == "failed", outside
        assert "error" in sql(viewer, "SELECT 1") and sql(viewer, "SELECT 1")["rows"] == [["1"]]


def a_statement_is_cancelled_and_keeps_no_other_request_waiting():
    with small() as viewer:
        viewer.wait_until_ready()
        run = json.loads(post_sql(viewer, ENDLESS)[2])["run"]
        for _ in range(20):
            assert viewer.ask("api/slice?trace=0&id=0")[0] == 200
            result = json.loads(viewer.ask(f"api/sql-result?run={run}")[2])
            assert result["state"] == "running" and result["rows"] == [], result
        assert viewer.ask(f"api/sql-cancel?run={run}", method="POST")[0] == 200
        result = result_of(viewer, run)
        assert result["state"] == "cancelled" and result["error"] is None, result
        runs = [json.loads(post_sql(viewer, text)[2])["run"] for text in (ENDLESS, "SELECT 1")]
        assert result_of(viewer, runs[1])["rows"] == [["1"]]
        assert result_of(viewer, runs[0])["state"] == "cancelled", "the next statement cancels the one before"
        post_sql(viewer, ENDLESS)  # and so does the end of the program


def statements_are_posted_behind_the_secret():
    with small() as viewer:
        viewer.wait_until_ready()
        assert viewer.ask("api/sql")[0] == 405 and viewer.ask("api/sql-cancel?run=1")[0] == 405
        assert viewer.ask("api/sql-result?run=1", method="POST")[0] == 405
        assert post_sql(viewer, "SELECT 1", Origin="http://evil.example")[0] == 403
        assert post_sql(viewer, "SELECT 1", Host="evil.example")[0] == 403
        assert viewer.ask("api/sql", method="POST", body=b"SELECT 1", secret="0" * 32)[0] == 403
        for wrong in (b"", b"SELECT '\xff'", b"SELECT 1\0"):
            assert viewer.ask("api/sql", method="POST", body=wrong)[0] == 400, wrong
        assert viewer.ask("api/sql-result?run=1")[0] == 404, "a statement of a stranger ran"
        numbers = list(range(120_000))
        long = f"SELECT count(*) FROM range(1000000) WHERE range IN ({','.join(map(str, numbers))})"
        assert 700_000 < len(long) < 1 << 20
        assert sql(viewer, long)["rows"] == [[str(len(numbers))]]
        try:
            code = post_sql(viewer, "SELECT 1 --" + "x" * (1 << 20))[0]
        except (ConnectionError, http.client.HTTPException):
            code = None
        assert code != 200, code
        assert sql(viewer, "SELECT 1")["rows"] == [["1"]]


def a_statement_reads_a_trace_as_it_was_while_more_arrives():
    def slices(numbers):
        return b"".join(event(i, name=f"name {i % 3}", attributes=text("n") + b"\x01" + struct.pack(">Q", i)) for i in numbers)

    with listen_and_show("tcp:0") as listener, connect(listener.port()) as sender:
        def post(statement):
            request = urllib.request.Request(f"{listener.url}api/sql", statement.encode(), {"Content-Type": "text/plain"})
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["run"]

        def rows_of(run):
            until(lambda: listener.ask(f"sql-result?run={run}")["state"] != "running")
            result = listener.ask(f"sql-result?run={run}")
            assert result["state"] == "done" and result["traces"][0]["shape"] == listener.live()["shape"], result
            return result["rows"]

        sender.sendall(epoch() + slices(range(1000)))
        until(lambda: listener.live().get("events") == 1000)
        run = post("SELECT count(*) FROM slice, range(100000000000) WHERE id % 7 = range % 11")
        sender.sendall(slices(range(1000, 3000)))
        until(lambda: listener.live()["events"] == 3000)
        assert listener.ask(f"sql-result?run={run}")["state"] == "running"
        counts = "SELECT (SELECT count(*) FROM slice), (SELECT count(DISTINCT name) FROM slice), (SELECT count(*) FROM arg WHERE key = 'n')"
        assert rows_of(post(counts)) == [["3000", "3", "3000"]]
        listener.finish()


def the_schema_of_sql_is_that_of_the_command_line():
    printed = subprocess.run([VARVE, "query", "--schema", "--json"], capture_output=True, check=True).stdout
    with small() as viewer:
        schema = json.loads(viewer.ask("api/sql-schema")[2])
        assert schema["tables"] == json.loads(printed) and schema["missing"] is None, schema["missing"]
    with Viewer(DATA / "ok_small.json", env={**os.environ, "VARVE_DUCKDB": "/nowhere/libduckdb.so"}) as viewer:
        viewer.wait_until_ready()
        schema = json.loads(viewer.ask("api/sql-schema")[2])
        assert "VARVE_DUCKDB: /nowhere/libduckdb.so" in schema["missing"] and schema["tables"] == json.loads(printed)
        result = sql(viewer, "SELECT 1")
        assert result["state"] == "failed" and result["error"] == schema["missing"], result


def needs_library(case):
    """Returns the case, skipped without DuckDB's library."""
    def checked():
        if subprocess.run([VARVE, "query", "--quiet", DATA / "ok_small.json", "SELECT 1"], capture_output=True).returncode == 2:
            raise tap.Skip("DuckDB's library is missing")
        case()
    checked.__name__ = case.__name__
    return checked


tap.run([*map(needs_library, [
    sql_is_answered_over_all_traces, sql_equals_stats, results_of_sql_are_bounded, errors_of_sql_name_their_line,
    a_statement_is_cancelled_and_keeps_no_other_request_waiting, statements_are_posted_behind_the_secret,
    a_statement_reads_a_trace_as_it_was_while_more_arrives, the_schema_of_sql_is_that_of_the_command_line,
])])
