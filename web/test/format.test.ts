import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCount, formatRate } from "../src/panels/format.ts";

test("rates have four digits, or all of a whole number", () => {
  assert.equal(formatRate(26.8095), "26.81 /s");
  assert.equal(formatRate(0.5), "0.5 /s");
  assert.equal(formatRate(999.96), "1000 /s");
  assert.equal(formatRate(500_000.4), "500\u202f000 /s");
});

test("counts have their noun", () => {
  assert.deepEqual([formatCount(1, "mark"), formatCount(12_345, "slice")], ["1 mark", "12\u202f345 slices"]);
});
