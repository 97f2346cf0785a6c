import assert from "node:assert/strict";
import { test } from "node:test";
import { alignedDurations, exactNs, nsOf } from "../src/panels/durations.ts";

const column = (...values: bigint[]) => values.map(alignedDurations(values));

test("a column of durations has one unit and as many decimals as it needs", () => {
  assert.deepEqual(column(100_000_000n, 39_810_000n, 0n), ["100.00 ms", "39.81 ms", "0.00 ms"]);
  assert.deepEqual(column(40_000n, 10_000n), ["40 µs", "10 µs"]);
  assert.deepEqual(column(999n, 5n), ["999 ns", "5 ns"]);
  assert.deepEqual(column(2_089_000_000n, 110_800_000n), ["2.089 s", "0.111 s"]);
  assert.deepEqual(column(211_096_290_123n, 1_000n), ["211\u202f096.290 ms", "0.001 ms"]);
  assert.deepEqual(column(-1_500_000n, 2_000_000n), ["-1.5 ms", "2.0 ms"]);
  assert.deepEqual(column(), []);
});

test("a duration below the last decimal is not shown as zero", () => {
  assert.deepEqual(column(3_600_000_000_000n, 1n), ["3\u202f600\u202f000 ms", "< 0.001 ms"]);
});

test("the exact duration, and durations that are not times", () => {
  assert.equal(exactNs(-1_234_567n), "-1\u202f234\u202f567 ns");
  assert.equal(nsOf({ ns: "12", text: "12 calls" }), null);
  assert.equal(nsOf({ ns: "0", text: "500 ps" }), null);
  assert.equal(nsOf({ ns: "211096290123", text: "3 min 31.096\u202f290\u202f123 s" }), 211_096_290_123n);
});
