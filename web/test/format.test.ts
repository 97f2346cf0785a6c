import assert from "node:assert/strict";
import { test } from "node:test";
import type { InfoAnswer } from "../src/transport/protocol.ts";
import { exactTimeShare, formatCount, formatRate, sentence, sliceCount, slicesHint, slicesText, timeShareTexts, unbroken } from "../src/panels/format.ts";

test("rates have four digits, or all of a whole number", () => {
  assert.equal(formatRate(26.8095), "26.81 /s");
  assert.equal(formatRate(0.5), "0.5 /s");
  assert.equal(formatRate(999.96), "1000 /s");
  assert.equal(formatRate(500_000.4), "500\u202f000 /s");
});

test("a unit stays in the line of its number", () => {
  assert.deepEqual(["501 µs", "12\u202f345.6 ms", "7"].map(unbroken), ["501\u00a0µs", "12\u202f345.6\u00a0ms", "7"]);
});

test("a message becomes a sentence, and an address at its begin stays", () => {
  assert.deepEqual(["the file is empty", "What?", "https://a.b/c: not found"].map(sentence), ["The file is empty.", "What?", "https://a.b/c: not found."]);
});

test("counts have their noun", () => {
  assert.deepEqual([formatCount(1, "mark"), formatCount(12_345, "slice")], ["1 mark", "12\u202f345 slices"]);
});

test("slices of threads and asynchronous slices are counted together, and the hint has both", () => {
  const infos = [{ slices: 12_000, async_slices: 345 }, { slices: 1 }].map((counts) => ({ counts }) as unknown as InfoAnswer);
  assert.equal(sliceCount(infos), 12_346);
  assert.equal(slicesText(infos), "12\u202f346 slices");
  assert.equal(slicesHint(infos), "12\u202f001 of threads and 345 asynchronous slices");
  assert.equal(slicesHint(infos.slice(1)), undefined);
  const withoutSlices = [{ instants: 3, counters: 2, samples: 1 }, { instants: 3, counters: 2 }, { counters: 2 }, {}].map((counts) => slicesText([{ counts } as unknown as InfoAnswer]));
  assert.deepEqual(withoutSlices, ["1 sample", "3 instants", "2 counters", "0 slices"]);
  const withStates = [{ slices: 1, states: 23 }, { states: 1, instants: 3 }].map((counts) => slicesText([{ counts } as unknown as InfoAnswer]));
  assert.deepEqual(withStates, ["1 slice · 23 states", "1 state"]);
});

test("a column of sums of times has percentages of a time, or multiples of it", () => {
  const column = (shares: number[]) => shares.map(timeShareTexts(shares));
  assert.deepEqual(column([0, 0.35812, 1]), ["0.00 %", "35.81 %", "100.00 %"]);
  assert.deepEqual(column([12_345.678, 3.58125, 1, 0.0004]), ["12\u202f345.678 ×", "3.581 ×", "1.000 ×", "0.000 ×"], "one unit in a column");
  assert.equal(exactTimeShare(0.35812), "35.812 %");
  assert.match(exactTimeShare(3.58125), /^On average 3\.58125 of its slices are open at once/);
});
