#!/usr/bin/env python3
"""The extension of SQLite, through the program sqlite3 and through Python.

usage: extension_test.py EXTENSION VARVE TEST_DATA EXAMPLES. Reports in TAP.
"""

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

EXTENSION, VARVE, DATA, EXAMPLES = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
TRACES = [EXAMPLES / "page-load.json.gz", DATA / "go/go126_annot_cpuprofile.trace", DATA / "apitrace/synthetic_v5.trace", DATA / "compare/before.json.gz"]
TIMES = {"slice": "begin_ns", "instant": "time_ns", "counter": "time_ns", "sample": "time_ns", "state": "begin_ns", "call": "begin_ns", "object": "begin_ns"}


def create(trace, *tables):
    path = str(trace).replace("'", "''")
    return "".join(f"CREATE VIRTUAL TABLE temp.t_{table} USING varve('{path}', '{table}');" for table in tables)


def sql(text, *options, status=0, database=":memory:"):
    """Runs statements by the program sqlite3 and returns its output."""
    done = subprocess.run(["sqlite3", "-bail", *options, database], input=f".load {EXTENSION.with_suffix('')}\n{text}\n", capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == (status == 0) and done.returncode >= 0, (done.returncode, text, done.stderr)
    return done.stdout if status == 0 else done.stderr


def schema():
    """{table: its columns}"""
    listed = json.loads(subprocess.run([VARVE, "query", "--schema", "--json"], capture_output=True, text=True, check=True).stdout)
    return {table["table"]: [column["name"] for column in table["columns"]] for table in listed}


def tables_are_those_of_the_schema():
    for table, columns in schema().items():
        made = sql(create(TRACES[0], table) + f"SELECT name FROM pragma_table_info('t_{table}');")
        assert made.split() == columns, (table, made)


def rows_are_those_of_the_library():
    with tempfile.TemporaryDirectory() as folder:
        for trace in TRACES:
            for table in schema():
                out = Path(folder) / "x.csv"
                subprocess.run([VARVE, "convert", trace, "-o", out, f"--table={table}"], check=True, capture_output=True)
                lines = len(out.read_text(errors="replace").splitlines()) - 1 if table not in ("arg", "warning") else None
                count = int(sql(create(trace, table) + f"SELECT count(*) FROM t_{table};"))
                assert lines is None or count == lines, (trace, table, count, lines)


def values():
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "it's.json"
        trace.write_text('{"traceEvents":[{"ph":"B","pid":1,"tid":2,"ts":10,"name":"p"},{"ph":"X","pid":1,"tid":2,"ts":12,"dur":2,"name":"q","args":{"size":3}},'
                         '{"ph":"C","pid":1,"ts":13,"name":"heap","args":{"bytes":5.5}}]}')
        rows = json.loads(sql(create(trace, "slice", "arg", "counter") + "SELECT name, begin_ns, duration_ns, parent_id, unfinished FROM t_slice;", "-json"))
        assert rows[1] == {"name": "q", "begin_ns": 2000, "duration_ns": 2000, "parent_id": 0, "unfinished": 0} and rows[0]["parent_id"] is None, rows
        assert sql(create(trace, "arg") + "SELECT key, value, number FROM t_arg;") == "size|3|3.0\n"
        assert sql(create(trace, "counter") + "SELECT name, value FROM t_counter WHERE name = 'heap';") == "heap|5.5\n"


def random_condition(rng, column, span):
    a, b = rng.randrange(-5, span + 5), rng.randrange(-5, span + 5)
    return rng.choice([f"{column} >= {a}", f"{column} < {a}", f"{column} > {a} AND {column} <= {b}", f"{column} BETWEEN {min(a, b)} AND {max(a, b)}",
                       f"{column} = {a}", f"{column} IN ({a}, {b}, 0)", f"{column} >= {a}.5", f"{column} > NULL", f"{column} >= 1e300",
                       f"{column} < -9223372036854775808", f"{column} <= 9223372036854775807", f"({column} < {a} OR {column} >= {b})",
                       f"({column} < {a} OR {column} < {b})", f"{column} IS NULL"])


def constraints_give_the_rows_of_a_whole_scan():
    """Compares each condition with one that the table does not see: `+column`."""
    rng = random.Random(1)
    for trace in TRACES:
        lines, text = [], create(trace, *TIMES)
        for table, time in TIMES.items():
            columns = sql(create(trace, table) + f"SELECT group_concat(name) FROM pragma_table_info('t_{table}');").strip().split(",")
            span = int(sql(create(trace, table) + f"SELECT coalesce(max({time}), 100) FROM t_{table};"))
            ticks = time.replace("_ns", "_tick")
            first, last = sql(create(trace, table) + f"SELECT coalesce(min({ticks}), 0), coalesce(max({ticks}), 9) FROM t_{table};").strip().split("|")
            for _ in range(25):
                by_tick = rng.random() < 0.3
                condition = random_condition(rng, "TIME", int(last) - int(first) if by_tick else span)
                if by_tick:
                    condition = condition.replace("TIME", f"TIME - {first}") if rng.random() < 0.2 else condition.replace("TIME >= ", f"TIME >= {first} + ")
                condition = condition.replace("TIME", ticks if by_tick else time)
                if "track_id" in columns and rng.random() < 0.5:
                    condition += f" AND track_id = {rng.randrange(-1, 40)}"
                if "name" in columns and rng.random() < 0.2:
                    condition += f" AND name = (SELECT name FROM t_{table} LIMIT 1 OFFSET {rng.randrange(30)})"
                hidden = condition
                for column in (time, ticks, "track_id", "name"):
                    hidden = hidden.replace(f"{column} ", f"+{column} ").replace("SELECT +name", "SELECT name")
                sums = "count(*)" + "".join(f", sum({column})" for column in columns if rng.random() < 0.5 and column.endswith(("_ns", "_tick", "_ticks")))
                lines.append((table, condition))
                text += f"SELECT {sums} FROM t_{table} WHERE {condition};SELECT {sums} FROM t_{table} WHERE {hidden};"
        answers = sql(text).splitlines()
        assert len(answers) == 2 * len(lines)
        for (table, condition), seen, whole in zip(lines, answers[::2], answers[1::2]):
            assert seen == whole, (trace.name, table, condition, seen, whole)


def plans_use_the_constraints():
    def plan(where, columns="count(*)"):
        text = sql(create(TRACES[0], "slice") + f"EXPLAIN QUERY PLAN SELECT {columns} FROM t_slice WHERE {where};")
        return text.strip().rpartition("INDEX 0:")[2]

    assert plan("begin_ns >= 5 AND begin_ns < 9 AND track_id = 3 AND name = 'x'") == "lutn"
    assert plan("begin_tick > 5 AND begin_tick <= 9") == "LU"
    assert plan("begin_ns >= 5 AND begin_ns < 9", "sum(self_ns)") == "l"  # an upper bound would clip self_ns
    assert plan("name = 'x' COLLATE NOCASE") == "" and plan("duration_ns > 5") == ""


def joins_and_copies():
    text = create(TRACES[0], "slice", "thread") + "CREATE TEMP TABLE s AS SELECT * FROM t_slice; CREATE INDEX i ON s(id);"
    rows = sql(text + "SELECT count(*) FROM s JOIN s p ON s.parent_id = p.id; SELECT count(*) FROM t_slice WHERE parent_id IS NOT NULL;"
               "SELECT count(*) = (SELECT count(*) FROM t_slice) FROM t_thread t JOIN t_slice s ON s.thread_id = t.id WHERE s.track_id > 0;").split()
    assert rows[0] == rows[1] and int(rows[0]) > 1000, rows


def wrong_arguments():
    for arguments, message in (("", "expected USING"), ("('x')", "expected USING"), ("('x', 'slice', 3)", "expected USING"), ("('x', 'nothing')", "no table 'nothing'"),
                               ("('no-such-file', 'slice')", "No such file"), ("('-', 'slice')", "path of a file"), ("('', 'slice')", "path of a file"),
                               ("('http://127.0.0.1:1/x', 'slice')", "path of a file"), ("('https://127.0.0.1:1/x', 'slice')", "path of a file")):
        assert message in sql(f"CREATE VIRTUAL TABLE t USING varve{arguments};", status=1), arguments
    assert "(byte " in sql(create(DATA / "spall" / "bad_magic.spall", "slice"), status=1) if (DATA / "spall/bad_magic.spall").exists() else True
    assert "may not be modified" in sql(create(TRACES[3], "slice") + "DELETE FROM t_slice;", status=1)


def views_of_a_database_do_not_read_files():
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "x.db")
        sql(f"CREATE VIRTUAL TABLE t USING varve('{TRACES[3]}', 'slice'); CREATE VIEW v AS SELECT * FROM t;", database=database)
        assert sql("SELECT count(*) FROM t;", database=database) == "1000\n"
        assert "unsafe use" in sql("SELECT count(*) FROM v;", database=database, status=1)


def damaged_files_do_no_harm():
    files = sorted(path for folder in ("trace_event", "spall", "heph", "apitrace", "go") for path in (DATA / folder).glob("bad_*"))[:60]
    assert len(files) > 20
    for path in files:
        try:
            sql(create(path, "slice", "counter", "arg", "track") + "SELECT count(*) FROM t_slice WHERE begin_ns > 5; SELECT count(*) FROM t_arg, t_track LIMIT 1;")
        except AssertionError as fault:
            assert fault.args[0][0] == 1, (path, fault)  # an error, not a signal


def tables_share_a_trace():
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "x.json"
        shutil.copy(DATA / "trace_event/be_unfinished.json", trace)
        text = create(trace, "slice") + f"\n.shell rm {trace}\n" + create(trace, "thread") + "SELECT count(*) > 0 FROM t_thread; DROP TABLE t_slice; SELECT count(*) > 0 FROM t_thread;"
        assert sql(text) == "1\n1\n"
        assert "No such file" in sql(create(trace, "slice"), status=1)


def python_loads_it():
    connection = sqlite3.connect(":memory:")
    if not hasattr(connection, "enable_load_extension"):
        return "SKIP this Python loads no extensions"
    connection.enable_load_extension(True)
    connection.load_extension(str(EXTENSION.with_suffix("")))
    connection.execute(create(TRACES[3], "slice").strip(";"))
    assert connection.execute("SELECT count(*) FROM t_slice WHERE name = ?", ("parse",)).fetchone() == (200,)
    assert connection.execute("SELECT count(*) FROM t_slice WHERE name = ?", ("pa\0",)).fetchone() == (0,)
    connection.close()
    return ""


def only_its_entry_is_visible():
    symbols = subprocess.run(["nm", "-D", "--defined-only", EXTENSION], capture_output=True, text=True, check=True).stdout.split("\n")
    assert [line.split()[-1] for line in symbols if line] == ["sqlite3_varve_init"], symbols


def main():
    if shutil.which("sqlite3") is None or "unknown" in subprocess.run(["sqlite3", ":memory:", ".load nothing"], capture_output=True, text=True).stderr:
        print("1..0 # SKIP needs the program sqlite3 with extensions")
        return 0
    cases = [tables_are_those_of_the_schema, rows_are_those_of_the_library, values, constraints_give_the_rows_of_a_whole_scan, plans_use_the_constraints, joins_and_copies,
             wrong_arguments, views_of_a_database_do_not_read_files, damaged_files_do_no_harm, tables_share_a_trace, python_loads_it, only_its_entry_is_visible]
    print(f"1..{len(cases)}")
    failed = 0
    for number, case in enumerate(cases, 1):
        try:
            note = case()
            print(f"ok {number} - {case.__name__}{f' # {note}' if note else ''}")
        except AssertionError as fault:
            failed += 1
            print(f"# {str(fault)[:2000]}".replace("\n", "\n# "))
            print(f"not ok {number} - {case.__name__}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
