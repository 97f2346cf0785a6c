// The histogram of durations: bars, the brush, the filter of the timeline and of the table.
import assert from "node:assert/strict";
import { drag, idle, press, settled } from "./browser.mjs";
import { test } from "./tap.mjs";

/** 30 slices of 1 to 3 µs, 6 of 100 µs, 4 of 2 ms: "short", "middle" and "long". */
export function durationsTrace() {
  const events = [];
  let ts = 0;
  const add = (name, dur) => {
    events.push({ ph: "X", name, pid: 1, tid: 1, ts, dur });
    ts += dur + 300;
  };
  for (let i = 0; i < 30; i++) add("short", 1 + (i % 3));
  for (let i = 0; i < 6; i++) add("middle", 100);
  for (let i = 0; i < 4; i++) add("long", 2000);
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents: events });
}

const head = (page) => page.locator(".histogram-head").innerText();
const summary = (page) => page.locator(".area-head").innerText();
const names = async (page) => (await page.locator(".stats tbody td.name").allInnerTexts()).sort();
const brush = (page) => page.evaluate(() => window.varve.histogram.brush.value?.text ?? null);

/** Drags between two bins of the chart, counted from 0; 0.5 is the middle of the first one. */
async function dragBins(page, from, to) {
  const plot = page.locator(".histogram-bars");
  const [box, count] = [await plot.boundingBox(), await plot.locator("g").count()];
  const x = (bin) => box.x + ((bin < 0 ? count + bin : bin) / count) * box.width;
  await drag(page, { x: x(from), y: box.y + 20 }, { x: x(to), y: box.y + 20 });
  await settled(page);
}

test("the histogram counts the slices of the trace, and of a name", async ({ page, carrier, picture }) => {
  await carrier.open(page, "durations.json", durationsTrace());
  await page.getByRole("tab", { name: "Area" }).click();
  await page.getByRole("button", { name: "Histogram of durations" }).click();
  await page.locator(".histogram-plot").waitFor();
  await settled(page);
  assert.match(await head(page), /^Durations: 40 slices/);
  const counted = await page.evaluate(() => window.varve.histogram.answer.value.bins.map(({ count }) => count).filter((count) => count > 0));
  assert.deepEqual(counted, [10, 10, 10, 6, 4]);
  await picture("histogram");
  await page.locator(".stats").getByRole("button", { name: "short", exact: true }).click();
  await settled(page);
  assert.match(await head(page), /^Durations of short: 30 slices/);
  await page.locator(".stats").getByRole("button", { name: "short", exact: true }).click();
  await settled(page);
});

test("a brush over bars filters the table; it moves, and Escape ends it", async ({ page, picture }) => {
  await dragBins(page, -0.5, -3.5);
  assert.match(await head(page), /4 slices, 10\.0 %/);
  assert.match(await summary(page), /4 slices, 1 name/);
  assert.deepEqual(await names(page), ["long"]);
  await picture("histogram brush");
  const before = await brush(page);
  await dragBins(page, -2, -12); // inside: moves it by ten bins, a decade
  assert.notEqual(await brush(page), before);
  assert.match(await head(page), /100 µs/);
  assert.deepEqual(await names(page), ["middle"]);
  await page.locator(".histogram-plot").press("ArrowRight");
  await settled(page);
  await page.locator(".histogram-plot").press("Escape");
  await settled(page);
  assert.equal(await brush(page), null);
  assert.match(await summary(page), /40 slices, 3 names/);
});

test("durations stay chosen on the linear scale, and outside of all bins", async ({ page, picture }) => {
  await dragBins(page, 0.5, 1.5); // 1 to 1.6 µs
  assert.match(await head(page), /10 slices, 25\.0 %/);
  await page.getByRole("radio", { name: "linear" }).click();
  await settled(page);
  assert.match(await head(page), /10 slices, 25\.0 %/);
  await picture("histogram linear");
  await page.getByRole("button", { name: "Histogram of durations" }).click();
  await settled(page);
  assert.equal(await brush(page), null, "without the chart all durations count");
  await idle(page);
  await press(page, "Escape");
});
