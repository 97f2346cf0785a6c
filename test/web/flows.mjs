// Arrows under the pointer: their tooltips, and the effect of a click.
import assert from "node:assert/strict";
import { clickSlice, idle, press, range, SIZE } from "./browser.mjs";
import { test } from "./tap.mjs";

/** Widths beside the plot. */
const [COLUMN, SCROLLBAR] = [220, 10];

const EVENTS = [
  { ph: "X", name: "ask", pid: 1, tid: 1, ts: 0, dur: 1000 },
  { ph: "X", name: "other", pid: 1, tid: 2, ts: 0, dur: 10 },
  { ph: "X", name: "answer", pid: 1, tid: 3, ts: 0, dur: 1000 },
  { ph: "s", name: "message", cat: "net", id: "0x2f", pid: 1, tid: 1, ts: 495 },
  { ph: "f", bp: "e", name: "message", cat: "net", id: "0x2f", pid: 1, tid: 3, ts: 505 },
];

test("a click on an arrow goes to its other end, and its tooltip describes it", async ({ page, transport, picture }) => {
  const heading = () => page.locator("#details h2").innerText();
  await transport.open(page, "arrow.json", JSON.stringify(EVENTS));
  const ask = await clickSlice(page, "ask", 0.4);
  const answer = await clickSlice(page, "answer", 0.4);
  await press(page, "Escape");
  assert.equal(await page.locator("#details h2").count(), 0);
  const { begin, span } = await range(page);
  const x = COLUMN + ((500_000 - begin) / span) * (SIZE.width - COLUMN - SCROLLBAR);
  const y = (ask.y + answer.y) / 2 + 4; // clicks are tried from above
  await page.mouse.move(x, y);
  await idle(page);
  assert.equal(await page.locator("#timeline").evaluate((canvas) => getComputedStyle(canvas).cursor), "pointer");
  await picture("arrow");
  await page.mouse.click(x, y);
  await idle(page);
  assert.equal(await heading(), "answer");
  await press(page, "[");
  assert.equal(await heading(), "ask");
});
