#!/usr/bin/env python3
"""Writes stats.txt: what test/format/go_stats_facts_test.c compares, out of the corpus's facts.json.

usage: make_stats.py CORPUS/facts.json > stats.txt

One block a file: its name on a line, then lines that begin with a space. Of a goroutine `g ID` and its numbers; its waits and
ranges follow as `w ID NS REASON` and `r ID NS NAME`."""

import json
import sys

V1 = ["creation_ns", "start_ns", "end_ns", "exec_ns", "sched_wait_ns", "io_ns", "block_ns", "syscall_ns", "gc_ns", "sweep_ns",
      "total_ns", "regions"]
V2 = ["creation_ns", "start_ns", "end_ns", "exec_ns", "sched_wait_ns", "syscall_ns", "syscall_block_ns", "total_ns", "regions"]
SUMS = ["exec_ns", "sched_wait_ns", "io_ns", "block_ns", "syscall_ns", "syscall_block_ns", "gc_ns", "sweep_ns", "total_ns",
        "regions", "count"]


def lines_of(facts):
    rows = next((facts[key] for key in facts if key.startswith("goroutine_stats")), None)
    if rows is None:
        return
    for row in rows:
        numbers = [row[key] for key in (V1 if facts["version"] < 1022 else V2)]
        yield f"g {row['id']} {' '.join(map(str, numbers))} {row['name']}"
        for reason, ns in sorted(row.get("block_ns_by_reason", {}).items()):
            yield f"w {row['id']} {ns} {reason}"
        for name, ns in sorted(row.get("range_ns", {}).items()):
            yield f"r {row['id']} {ns} {name}"
    for key in SUMS:
        if key in facts["goroutine_sums"]:
            yield f"sum {facts['goroutine_sums'][key]} {key}"
    if "tasks" in facts:
        yield f"tasks {facts['tasks']}"
    for window, share in sorted(facts.get("mmu_stw_background_assist", {}).items(), key=lambda item: int(item[0])):
        yield f"mmu {window} {share:.6f}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, facts in sorted(json.load(file).items()):
            lines = list(lines_of(facts))
            if lines:
                print(name)
            for line in lines:
                print(f" {line}")


if __name__ == "__main__":
    main()
