#!/usr/bin/env python3
"""Checks docs/fleet.md with 1,000 traces of known content: Varve writes the dataset, DuckDB and Spark answer.

usage: fleet-check.py VARVE PAGE FOLDER   (FOLDER: work area; it is emptied first)

1. Writes 1,000 traces of 10,000 slices and computes the answers from the numbers that it writes.
2. Two processes at once add them to one dataset. Both add some of the same traces. Adding again must not change a byte.
3. Runs each SQL block of the page in DuckDB and in Spark (a cluster of two workers on this machine), and compares both
   results with each other and with the known answer.

Needs the modules of tools/fleet-requirements.txt, and Java: `make fleet-check` installs them. Prints TAP.
"""

import hashlib
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "test" / "support"))  # behind the modules of PyPI: it has a duckdb.py
import tap  # noqa: E402

VARVE, PAGE, FOLDER = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
TRACES, SLICES, NAMES, CUSTOMERS, REQUEST_EVERY = 1000, 10000, 20, 7, 100
ODD_TRACE, ODD_NAME, ODD_FACTOR = 617, 7, 3
SLOW_TRACE, SLOW_SLICE, SLOW_NS = 421, 5000, 50_000_000
UNFINISHED_EVERY = 100  # one of so many traces ends with a slice that never ends
traces, dataset = FOLDER / "traces", FOLDER / "dataset"


# -- the traces --


def duration_us(trace, index):
    """Returns the duration of a slice in microseconds."""
    if (trace, index) == (SLOW_TRACE, SLOW_SLICE):
        return SLOW_NS // 1000
    duration = 20 + index % NAMES * 3 + (index * 31 + trace * 17) % 11
    return duration * ODD_FACTOR if trace == ODD_TRACE and index % NAMES == ODD_NAME else duration


def is_request(index):
    return index % REQUEST_EVERY == 0


def write_trace(trace):
    """Writes one trace: slices one after the other on two threads."""
    lines, ends = [], [0, 0]
    for index in range(SLICES):
        thread, duration = index & 1, duration_us(trace, index)
        arguments = f',"args":{{"customer":"c{(index // REQUEST_EVERY + trace) % CUSTOMERS}"}}' if is_request(index) else ""
        lines.append(f'{{"ph":"X","name":"step{index % NAMES}","pid":1,"tid":{thread + 1},"ts":{ends[thread]},"dur":{duration}{arguments}}}')
        ends[thread] += duration + 1
    if trace % UNFINISHED_EVERY == 0:
        lines.append(f'{{"ph":"B","name":"shutdown","pid":1,"tid":3,"ts":{max(ends)}}}')
    (traces / f"run-{trace:04}.json").write_text("[" + ",\n".join(lines) + "]")


def every_slice():
    """Yields (trace, index, name, duration in ns) of all finished slices."""
    for trace in range(TRACES):
        for index in range(SLICES):
            yield trace, index, f"step{index % NAMES}", duration_us(trace, index) * 1000


# -- the dataset --


def paths_of(numbers):
    return [str(traces / f"run-{number:04}.json") for number in numbers]


def convert(numbers):
    """Starts a process that adds the traces of these numbers."""
    return subprocess.Popen([VARVE, "convert", "--quiet", "--to=parquet", "-o", dataset, *paths_of(numbers)],
                            stdout=subprocess.PIPE, text=True)


def names_of(process):
    printed, _ = process.communicate()
    assert process.returncode == 0, process.returncode
    return dict(line.split("\t") for line in printed.splitlines())


def digest():
    """Returns a hash of the names and bytes of all files of the dataset."""
    sums = hashlib.sha256()
    for path in sorted(path for path in dataset.rglob("*") if path.is_file()):
        sums.update(str(path.relative_to(dataset)).encode() + hashlib.sha256(path.read_bytes()).digest())
    return sums.hexdigest()


# -- the questions of the page --


def page_sql():
    """Returns the SQL blocks of the page: by the heading above them, in their order."""
    found, heading = defaultdict(list), ""
    for part in re.finditer(r"^## ([^\n]*)$|^```sql\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        if part[1] is not None:
            heading = part[1]
        else:
            found[heading].append(part[2])
    return found


def expected():
    """Returns the known answer to the question under each heading: rows of the columns that are compared."""
    calls, self_ns, per_trace = Counter(), Counter(), defaultdict(lambda: [0, 0])
    of_step3, customers = [], defaultdict(lambda: [0, 0])
    for trace, index, name, ns in every_slice():
        calls[name] += 1
        self_ns[name] += ns
        sums = per_trace[name, trace]
        sums[0] += 1
        sums[1] += ns
        if name == "step3":
            of_step3.append(ns)
        if is_request(index):
            of_customer = customers[f"c{(index // REQUEST_EVERY + trace) % CUSTOMERS}"]
            of_customer[0] += 1
            of_customer[1] += ns
    of_step3.sort()

    def percentile(share):
        place = share * (len(of_step3) - 1)
        low, high = of_step3[math.floor(place)], of_step3[math.ceil(place)]
        return low + (high - low) * (place - math.floor(place))
    odd = []
    for name in calls:
        means = {trace: ns / count for (of, trace), (count, ns) in per_trace.items() if of == name}
        fleet, deviation = statistics.fmean(means.values()), statistics.stdev(means.values())
        odd += [(round((mean - fleet) / deviation, 1), trace, name) for trace, mean in means.items()]
    odd.sort(key=lambda row: (-row[0], row[1], row[2]))
    costly = sorted(calls, key=lambda name: (-self_ns[name], name))[:5]
    return {
        "Which functions cost the most?": [(name, calls[name], self_ns[name]) for name in costly],
        "Which recording is odd?": [(f"run-{trace:04}.json", name, deviations) for deviations, trace, name in odd[:3]],
        "How is a latency distributed?": [(len(of_step3), percentile(0.5), percentile(0.99), of_step3[-1])],
        "Which slices are the slowest?": [("step0", SLOW_NS)],
        "Whose requests take the time?": [(customer, *customers[customer])
                                          for customer in sorted(customers, key=lambda c: (-customers[c][1], c))],
        "Which recordings are damaged?": [("unfinished-slice", TRACES // UNFINISHED_EVERY)],
    }


def normal(row):
    """Returns the values of a row as texts: integers as they are, other numbers with one digit, names of traces without their hash."""
    def text(value):
        if isinstance(value, float) or type(value).__name__ == "Decimal":
            return f"{float(value):.1f}".removesuffix(".0")
        return re.sub(r"-[0-9a-f]{16}$", "", value) if isinstance(value, str) else str(value)
    return tuple(text(value) for value in row)


answers = {}


def every_trace_is_in_the_dataset():
    begin = time.monotonic()
    processes = [convert([*range(0, 520)]), convert([*range(480, TRACES)])]
    names = {}
    for process in processes:
        names |= names_of(process)
    print(f"# two processes added {TRACES + 40} traces in {time.monotonic() - begin:.0f} s")
    assert len(names) == TRACES and len(set(names.values())) == TRACES
    stray = [path for path in dataset.rglob("*") if path.is_file() and path.name != "rows.parquet"]
    assert not stray, stray[:3]


def adding_again_changes_nothing():
    before = digest()
    names_of(convert(range(0, TRACES, 50)))
    assert digest() == before


def duckdb_gives_the_known_answers():
    import duckdb
    base = duckdb.connect()
    for table in sorted(path.name for path in dataset.iterdir()):
        base.execute(f"CREATE VIEW {table} AS FROM read_parquet('{dataset}/{table}/*/*.parquet', hive_partitioning = true)")
    for heading, rows in known.items():
        (sql,) = page[heading]
        answers[heading] = [normal(row) for row in base.execute(sql).fetchall()]
        found = [row[:len(rows[0])] for row in answers[heading][:len(rows)]]
        assert found == [normal(row) for row in rows], (heading, found, rows)


def spark_gives_the_same_answers():
    from pyspark.sql import SparkSession
    spark = (SparkSession.builder.master("local-cluster[2,1,1024]").appName("fleet-check")
             .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
             .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    try:
        for table in sorted(path.name for path in dataset.iterdir()):
            spark.read.parquet(str(dataset / table)).createOrReplaceTempView(table)
        for heading in known:
            (sql,) = page[heading]
            found = [normal(tuple(row)) for row in spark.sql(sql).collect()]
            assert found == answers[heading], (heading, found, answers[heading])
    finally:
        spark.stop()


def the_link_opens_the_slice():
    """The link of the slowest slice names the trace of the dataset, and the number of the slice in the trace."""
    link = answers["Which slices are the slowest?"][0][2]
    name, number = re.fullmatch(r"https://.*/(run-0421\.json-[0-9a-f]{16})#slice=(\d+)", link).groups()
    assert (dataset / "slice" / f"trace={name}").is_dir()
    done = subprocess.run([VARVE, "query", "--quiet", "--json", paths_of([SLOW_TRACE])[0],
                           f"SELECT duration_ns FROM slice WHERE id = {number}"], capture_output=True, check=True)
    assert json.loads(done.stdout) == [{"duration_ns": SLOW_NS}]


os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
shutil.rmtree(FOLDER, ignore_errors=True)
traces.mkdir(parents=True)
for number in range(TRACES):
    write_trace(number)
page, known = page_sql(), expected()
tap.run([every_trace_is_in_the_dataset, adding_again_changes_nothing, duckdb_gives_the_known_answers, spark_gives_the_same_answers,
         the_link_opens_the_slice])
