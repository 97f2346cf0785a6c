#!/usr/bin/env python3
"""Writes facts.txt: what test/format/go_facts_test.c compares, out of the corpus's facts.json.

usage: make_facts.py CORPUS/facts.json > facts.txt

One block a file: its name on a line, then lines of a space, a key, a space and a value."""

import json
import sys

V1 = ["version", "strings", "stacks", "ticks_per_sec", "events", "canonical_sha256", "links_sha256", "min_ts_ns",
      "max_ts_ns", "goroutines", "procs", "futile_removed", "gc_count", "gc_total_ns", "stw_total_ns", "cpu_samples"]
V2 = ["version", "reader_syncs", "per_goroutine_transitions_sha256", "min_time_ns", "max_time_ns", "goroutines", "procs",
      "threads", "gc_cycles_completed", "gc_mark_total_ns", "stw_total_ns"]
GENERATION = ["gen", "ns_per_tick", "strings", "stacks", "cpu_samples", "event_batches", "threads", "min_ticks",
              "stream_sha256"]


def lines_of(facts):
    v1 = facts["version"] < 1022
    for key in V1 if v1 else V2:
        if key == "reader_syncs" and facts["reader_syncs"] == 0:
            continue  # Go gives up before the first one; what can be read is still shown
        if key in facts:
            yield key, facts[key]
    if v1 and facts.get("equal_ts_neighbours") == 0:
        yield "ordered_sha256", facts["ordered_sha256"]
    counts = ["raw_by_type", "events_by_type"] if v1 else [
        "events_by_kind", "events_by_wire_type_after_ordering", "transitions"]
    for key in counts:
        for name, count in sorted(facts.get(key, {}).items()):
            yield f"{key}.{name.replace(' ', '.')}", count
    for generation in facts.get("generations", []):
        yield "generation", " ".join(str(generation.get(key, 0)) for key in GENERATION)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, facts in sorted(json.load(file).items()):
            print(name)
            for key, value in lines_of(facts):
                print(f" {key} {value}")


if __name__ == "__main__":
    main()
