import assert from "node:assert/strict";
import { test } from "node:test";
import { ExactNumber, parseExact, printExact } from "../src/transport/exact_json.ts";

/** JSON.parse provides the source of a number since Node 21 and Chromium 114. */
const hasSources = (() => {
  let seen = false;
  JSON.parse("1", ((_key: string, value: unknown, context?: object) => {
    seen = context !== undefined;
    return value;
  }) as (key: string, value: unknown) => unknown);
  return seen;
})();

test("numbers that a double holds stay numbers", () => {
  assert.deepEqual(parseExact('{"a":[0,-1,1.5,9007199254740991],"b":"1","c":null,"d":true}'), {
    a: [0, -1, 1.5, 9007199254740991],
    b: "1",
    c: null,
    d: true,
  });
});

test("numbers that a double changes keep their digits", { skip: !hasSources && "JSON.parse gives no sources here" }, () => {
  for (const text of ["9007199254740993", "-18446744073709551615", "0.1000", "1e400", "1E2", "-0"]) {
    const value = parseExact(text);
    assert.ok(value instanceof ExactNumber, text);
    assert.equal(String(value), text);
  }
});

test("printing writes numbers as they were", () => {
  const value = { id: new ExactNumber("18446744073709551615"), list: [1, new ExactNumber("0.10")], none: [], empty: {} };
  assert.equal(
    printExact(value, "  "),
    '{\n  "id": 18446744073709551615,\n  "list": [\n    1,\n    0.10\n  ],\n  "none": [],\n  "empty": {}\n}',
  );
  assert.equal(printExact(undefined, " "), "null");
});

test("JSON that was parsed and printed is the same", () => {
  const text = '{"a":"\\u0000\\"","b":[{"c":[]},[[1.25,"x"]]],"__proto__x":null}';
  assert.deepEqual(JSON.parse(printExact(parseExact(text), "")), JSON.parse(text));
});

test("text that is not JSON is an error", () => {
  assert.throws(() => parseExact("{"), SyntaxError);
});
