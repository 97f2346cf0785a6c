/** The scales of the chart of frames. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { frameScale, usualScale } from "../src/frames.ts";

const calls = [100, 110, 90, 0, 100000];

test("a linear scale ends at the greatest value", () => {
  const scale = frameScale("linear", calls);
  assert.equal(scale.top, 100000);
  assert.equal(scale.share(100), 0.001);
  assert.equal(scale.cut, 0);
});

test("a logarithmic scale shows short frames beside a long one", () => {
  const scale = frameScale("log", calls);
  assert.equal(scale.share(0), 0);
  assert.equal(scale.share(100000), 1);
  assert.ok(scale.share(100) > 0.35 && scale.share(110) > scale.share(100));
});

test("a clipped scale ends at three times the median, and counts the bars beyond", () => {
  const scale = frameScale("clipped", calls);
  assert.equal(scale.top, 300);
  assert.equal(scale.share(100000), 1);
  assert.ok(scale.share(100) > 0.3);
  assert.equal(scale.cut, 1);
  assert.equal(frameScale("clipped", [5, 6, 7]).top, 7);
  assert.equal(frameScale("clipped", [0, 0, 9]).top, 9, "a median of 0 does not clip");
});

test("a long frame among short ones clips the chart at first", () => {
  assert.equal(usualScale(calls), "clipped");
  assert.equal(usualScale([5, 6, 30]), "linear");
  assert.equal(usualScale([]), "linear");
});
