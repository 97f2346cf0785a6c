import assert from "node:assert/strict";
import { test } from "node:test";
import { tableText } from "../src/table_text.ts";

const LINES = [
  ["name", "count", "mean"],
  ["a|b, \"c\"\n\\d", 3, 1.5],
  ["<b>", 4, null],
];

test("a table in each format", () => {
  assert.equal(tableText(LINES, "text"), 'name\tcount\tmean\na|b, "c" \\d\t3\t1.5\n<b>\t4\t');
  assert.equal(tableText(LINES, "csv"), 'name,count,mean\r\n"a|b, ""c""\n\\d",3,1.5\r\n<b>,4,\r\n');
  assert.deepEqual(JSON.parse(tableText(LINES, "json")), [
    { name: 'a|b, "c"\n\\d', count: 3, mean: 1.5 },
    { name: "<b>", count: 4, mean: null },
  ]);
  assert.equal(tableText(LINES, "markdown"), '| name | count | mean |\n| --- | ---: | ---: |\n| a\\|b, "c" \\\\d | 3 | 1.5 |\n| &lt;b> | 4 |  |\n');
});

test("a table without rows has its titles", () => {
  assert.equal(tableText([["name"]], "json"), "[]\n");
  assert.equal(tableText([["name"]], "markdown"), "| name |\n| --- |\n");
});

test("numbers as texts have all their digits in JSON, and columns of one name are different members", () => {
  const lines = [["i", "i", "i 2", "r"], ["9007199254740993", "1", null, "nan"]];
  assert.equal(tableText(lines, "json", [true, false, true, true]), '[\n  {"i": 9007199254740993, "i 2": "1", "i 2 2": null, "r": "nan"}\n]\n');
  assert.match(tableText(lines, "markdown", [true, false, true, true]), /^\| i \| i \| i 2 \| r \|\n\| ---: \| --- \| ---: \| ---: \|\n/);
});
