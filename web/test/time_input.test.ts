import assert from "node:assert/strict";
import { test } from "node:test";
import type { InfoAnswer } from "../src/transport/protocol.ts";
import { parseCall, parseTime, withDate } from "../src/time_input.ts";

/** The clock of a trace: nanoseconds of a tick as a fraction. */
function clock(num: number, den: number): InfoAnswer["time"] {
  return { ns_per_tick: [num, den], begin_tick: 5000 } as InfoAnswer["time"];
}

const NS = clock(1, 1);

function tickOf(text: string, time: InfoAnswer["time"], from: bigint): bigint | null {
  return parseTime(text, time, from)?.tick ?? null;
}

test("units, and seconds without one", () => {
  const times: [string, bigint][] = [
    ["1", 1_000_000_000n],
    ["1.25 s", 1_250_000_000n],
    ["300us", 300_000n],
    ["300 \u00b5s", 300_000n],
    ["300 \u03bcs", 300_000n],
    ["2 MS", 2_000_000n],
    ["7ns", 7n],
    ["1.5min", 90_000_000_000n],
    [".5s", 500_000_000n],
    ["2h", 7_200_000_000_000n],
    ["  12,345.5 ns ", 12345n],
    ["12 345\u202f678 ns", 12345678n],
  ];
  for (const [text, ticks] of times) assert.equal(tickOf(text, NS, 0n), ticks, text);
});

test("a sign counts from the place of the cursor", () => {
  assert.equal(tickOf("+3 ms", NS, 1000n), 3_001_000n);
  assert.equal(tickOf("-1us", NS, 1000n), 0n);
  assert.equal(tickOf("- 2us", NS, 1000n), -1000n);
});

test("minutes and hours with colons", () => {
  assert.equal(tickOf("1:02.5", NS, 0n), 62_500_000_000n);
  assert.equal(tickOf("61:00", NS, 0n), 3_660_000_000_000n);
  assert.equal(tickOf("1:00:00.000000001", NS, 0n), 3_600_000_000_001n);
  assert.equal(tickOf("+0:01", NS, 7n), 1_000_000_007n);
  for (const text of ["1:60", "1:5", ":05", "1:00:"]) assert.equal(tickOf(text, NS, 0n), null, text);
});

test("ticks of the source, and numbers of ticks", () => {
  assert.deepEqual(parseTime("tick 5,123", NS, 0n), { kind: "tick", tick: 123n });
  assert.deepEqual(parseTime("tick -1", NS, 0n), { kind: "tick", tick: -5001n });
  assert.deepEqual(parseTime("12 ticks", NS, 0n), { kind: "offset", tick: 12n });
  assert.deepEqual(parseTime("- 1 tick", NS, 9n), { kind: "relative", tick: 8n });
});

test("a time of day gets the date of the trace's begin", () => {
  const day = { ...NS, begin_utc: "2026-11-21 01:34:54.5 UTC" };
  assert.equal(withDate("1:35:00.25Z", day), "2026-11-21T01:35:00.25Z");
  assert.equal(withDate(" 13:35 UTC", day), "2026-11-21T13:35Z");
  assert.equal(withDate("1:35", day), "1:35");
  assert.equal(withDate("1:35Z", NS), "1:35Z");
});

test("ticks of other lengths", () => {
  assert.equal(tickOf("1s", clock(1000, 1), 0n), 1_000_000n); // microseconds
  assert.equal(tickOf("1s", clock(1, 3), 0n), 3_000_000_000n); // 3 GHz
  assert.equal(tickOf("10ns", clock(3, 1), 0n), 3n); // rounded down
});

test("times beyond 2^53 are exact", () => {
  assert.equal(tickOf("9007199.254740993s", NS, 0n), 9007199254740993n);
  assert.equal(tickOf("9007199254740993", NS, 0n), 9007199254740993_000_000_000n);
});

test("other texts are not times", () => {
  for (const text of ["", "s", "1 parsec", "1..2", "1e3", "--1", "1 s 2", ".", "1,5 s", "1 25", "1,2345", "0x10", "constructor", "1 constructor"])
    assert.equal(tickOf(text, NS, 0n), null, text);
});

test("numbers of calls and frames", () => {
  assert.deepEqual(parseCall("12,345"), { number: "12345" });
  assert.deepEqual(parseCall("call 5"), { number: "5" });
  assert.deepEqual(parseCall("#5"), { number: "5" });
  assert.deepEqual(parseCall("007"), { number: "7" });
  assert.deepEqual(parseCall("frame 7"), { frame: "7" });
  assert.deepEqual(parseCall("F #7"), { frame: "7" });
  assert.deepEqual(parseCall("18446744073709551616"), { number: "18446744073709551616" });
  for (const text of ["", "call", "frame x", "-1", "1.5", "5 s"]) assert.equal(parseCall(text), null, text);
});
