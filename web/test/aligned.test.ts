import assert from "node:assert/strict";
import { test } from "node:test";
import { aligned, exactAmount, nsOf, nsOfTicks } from "../src/panels/aligned.ts";
import { inTimeUnit, setTimeUnit } from "../src/time_unit.ts";
import { parseExact } from "../src/transport/exact_json.ts";

/** Returns the texts of a column, and its unit. */
function column(...values: bigint[]): string[] {
  const { unit, textOf } = aligned(values);
  return [...values.map(textOf), unit];
}

test("a column of durations has one unit and as many decimals as it needs", () => {
  assert.deepEqual(column(100_000_000n, 39_810_000n, 0n), ["100.00", "39.81", "0.00", "ms"]);
  assert.deepEqual(column(40_000n, 10_000n), ["40", "10", "µs"]);
  assert.deepEqual(column(999n, 5n), ["999", "5", "ns"]);
  assert.deepEqual(column(2_089_000_000n, 110_800_000n), ["2.089", "0.111", "s"]);
  assert.deepEqual(column(211_096_290_123n, 1_000n), ["211\u202f096.290", "0.001", "ms"]);
  assert.deepEqual(column(-1_500_000n, 2_000_000n), ["-1.5", "2.0", "ms"]);
  assert.deepEqual(column(), ["ns"]);
});

test("times have all digits, sizes their own units, averages the digits of a fraction", () => {
  const time = aligned([12_345_678_901n, 1_000n], "time");
  assert.deepEqual([time.unit, time.textOf(12_345_678_901n), time.textOf(1_000n)], ["s", "12.345\u202f678\u202f901", "0.000\u202f001\u202f000"]);
  const bytes = aligned([4_194_304, 2_500_000, 700], "bytes");
  assert.deepEqual([bytes.unit, bytes.textOf(4_194_304), bytes.textOf(2_500_000), bytes.textOf(700)], ["MB", "4.194", "2.500", "0.001"]);
  assert.equal(exactAmount(4_194_304, "bytes"), "4\u202f194\u202f304 B");
  const average = aligned([1.4, 12]);
  assert.deepEqual([average.unit, average.textOf(1.4), average.textOf(12)], ["ns", "1.4", "12.0"]);
  assert.equal(exactAmount(1.4), "1.4 ns");
});

test("ticks of a source's clock are converted to ns; an order of calls has no times", () => {
  assert.equal(nsOfTicks(3n, { clock: "ticks", ns_per_tick: [1000, 3] }), 1000n);
  assert.equal(nsOfTicks(1n, { clock: "ticks", ns_per_tick: [1, 2] }), 1n);
  assert.equal(nsOfTicks(3n, { clock: "calls", ns_per_tick: [0, 1] }), null);
});

test("a duration below the last decimal is not shown as zero", () => {
  assert.deepEqual(column(3_600_000_000_000n, 1n), ["3\u202f600\u202f000", "< 0.001", "ms"]);
});

test("the exact duration, and durations that are not times", () => {
  assert.equal(exactAmount(-1_234_567n), "-1\u202f234\u202f567 ns");
  assert.equal(nsOf({ ns: "12", text: "12 calls" }), null);
  assert.equal(nsOf({ ns: "0", text: "500 ps" }), null);
  assert.equal(nsOf({ ns: "211096290123", text: "3 min 31.096\u202f290\u202f123 s" }), 211_096_290_123n);
});

test("a chosen unit has all digits, and ends with the choice", () => {
  setTimeUnit("ms");
  const { unit, textOf } = aligned([1_234_567n, 90_000_000_000n, 0n]);
  assert.equal(unit, "ms");
  assert.equal(textOf(1_234_567n), "1.234\u202f567");
  assert.equal(textOf(90_000_000_000n), "90\u202f000.000\u202f000");
  assert.equal(inTimeUnit(-1_500n), "-0.001\u202f5 ms");
  const answer = parseExact('{"a": {"ticks": "5", "ns": "1500000", "text": "1.5 ms"}, "b": {"ns": "7", "text": "7 calls"}, "c": {"ns": "1", "offset": "3", "text": "1 ns"}}') as Record<string, { text: string }>;
  const texts = () => Object.values(answer).map((each) => each.text);
  setTimeUnit("us");
  assert.deepEqual(texts(), ["1\u202f500 µs", "7 calls", "1 ns"]);
  setTimeUnit("automatic");
  assert.deepEqual(texts(), ["1.5 ms", "7 calls", "1 ns"]);
  assert.equal(inTimeUnit(5n), null);
});
