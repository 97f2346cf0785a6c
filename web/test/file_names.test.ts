/** Names of opened files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { distinctNames } from "../src/file_names.ts";

const paths = (...all: string[]) => all.map((path) => path.split("/"));

test("a path has as many folders as differ from the other paths", () => {
  assert.deepEqual(distinctNames(paths("a/x.json", "a/y.json")), ["x.json", "y.json"]);
  assert.deepEqual(distinctNames(paths("before/x.json", "after/x.json", "y.json")), ["before/x.json", "after/x.json", "y.json"]);
  assert.deepEqual(distinctNames(paths("a/1/x.json", "b/1/x.json")), ["a/1/x.json", "b/1/x.json"]);
  assert.deepEqual(distinctNames(paths("x.json", "a/x.json")), ["x.json", "a/x.json"]);
});

test("equal names have a number, also those of the open files", () => {
  assert.deepEqual(distinctNames(paths("x.json", "x.json", "x.json")), ["x.json", "x.json (2)", "x.json (3)"]);
  assert.deepEqual(distinctNames(paths("x.json"), ["x.json", "x.json (2)"]), ["x.json (3)"]);
  assert.deepEqual(distinctNames(paths("x.json (2)", "x.json"), ["x.json"]), ["x.json (2)", "x.json (3)"]);
});
