// The area panel: the histogram of durations with its brush, and the tables of instants and counters.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { drag, idle, press, settled } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
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

test("the histogram counts the slices of the trace, and of a name", async ({ page, transport, picture }) => {
  await transport.open(page, "durations.json", durationsTrace());
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

/** Instants of two names in two threads, and a counter with two series. */
function eventsTrace() {
  const events = [{ ph: "X", name: "work", pid: 1, tid: 1, ts: 0, dur: 100 }];
  for (let i = 0; i < 6; i++) events.push({ ph: "i", name: i < 4 ? "tick" : "tock", s: "t", pid: 1, tid: 1, ts: 10 + i * 10 });
  events.push({ ph: "C", name: "memory", pid: 1, ts: 0, args: { used: 1, free: 9 } });
  events.push({ ph: "C", name: "memory", pid: 1, ts: 25, args: { used: 5, free: 5 } });
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents: events });
}

const lines = async (page) => {
  await page.getByRole("button", { name: "Copy the table" }).click();
  return (await page.evaluate(() => navigator.clipboard.readText())).split("\n").map((line) => line.split("\t"));
};

test("the area has tables of its instants and counters", async ({ page, transport, picture }) => {
  await transport.open(page, "events.json", eventsTrace());
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  assert.deepEqual(await page.locator(".stats tbody td:last-child").allInnerTexts(), ["100.00 %"]);
  await page.getByRole("radio", { name: "Instants" }).click();
  await page.getByRole("table", { name: "Instants" }).waitFor();
  assert.deepEqual(await lines(page), [["name", "count", "share"], ["tick", "4", "0.6666666666666666"], ["tock", "2", "0.3333333333333333"]]);
  await picture("area instants");
  await page.locator(".area-filter").fill("TOCK");
  await page.getByRole("button", { name: "tock", exact: true }).click();
  await idle(page);
  assert.deepEqual(await page.evaluate(() => window.varve.details.value.kind), "instant");
  await page.getByRole("tab", { name: "Area" }).click();
  await page.getByRole("radio", { name: "Counters" }).click();
  await page.getByRole("table", { name: "Counters" }).waitFor();
  const [, ...rows] = await lines(page);
  assert.deepEqual(rows.map((row) => row.slice(2)), [["free", "2", "5", "9", "6", "5"], ["used", "2", "1", "5", "4", "5"]]);
  await picture("area counters");
  const focused = () => page.evaluate(() => window.varve.view.rows().find(({ focused }) => focused)?.title);
  assert.match(await focused(), /Thread/);
  await page.getByRole("button", { name: "memory / free", exact: true }).click();
  await settled(page);
  assert.match(await focused(), /memory/);
  await page.getByRole("radio", { name: "Slices" }).click();
  await page.getByRole("table", { name: "Statistics" }).waitFor();
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  await press(page, "Escape");
});

test("the area counts the matches of a search, and the slices inside the selected one", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  const scope = () => page.getByLabel("Slices that count");
  await page.locator("#search").fill("write");
  await page.waitForFunction(() => document.getElementById("search-result").textContent === "20 matches");
  await page.getByRole("tab", { name: "Area" }).click();
  await scope().selectOption({ label: "matches of write" });
  await settled(page);
  assert.match(await page.locator(".area-summary").innerText(), /^Matches of “write”: 20 slices, 1 name/);
  assert.deepEqual(await names(page), ["write"]);
  await picture("area matches");
  await page.evaluate(() => window.varve.selection.selectNamed(0, "handle request"));
  await idle(page);
  await page.getByRole("tab", { name: "Area" }).click();
  await scope().selectOption({ label: "inside the selected slice" });
  await settled(page);
  assert.match(await page.locator(".area-summary").innerText(), /^Inside handle request: 4 slices, 4 names/);
  assert.deepEqual(await names(page), ["handle request", "parse", "répondre 応答 🚀", "write"]);
  await picture("area inside");
  await page.getByRole("tab", { name: "Flame graph" }).click();
  await page.locator("#flame-scope").selectOption("slice");
  await settled(page);
  assert.deepEqual(await page.evaluate(() => [...new Set(window.varve.flames.main.shown.value.frames.map(({ name }) => name))].filter((name) => name !== null).sort()), [
    "handle request",
    "parse",
    "répondre 応答 🚀",
    "write",
  ]);
  await page.locator("#flame-scope").selectOption("trace");
  await page.locator("#search").fill("");
  await page.getByRole("tab", { name: "Area" }).click();
  await scope().selectOption({ label: "all slices" });
  await settled(page);
  assert.match(await page.locator(".area-summary").innerText(), /^Whole trace: /);
  await idle(page);
});

/** Returns the rows of `varve stats` for a trace on its standard input. */
function statsOf(varve, text, by) {
  const done = spawnSync(varve, ["stats", "--quiet", "--json", `--by=${by}`, "-"], { input: text, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout).rows.map(({ name, count }) => [name, count]).sort();
}

test("the area is grouped by an argument, which is chosen from a list or typed", async ({ page, transport, varve, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  const name = page.getByLabel("Name of the argument");
  const group = page.getByLabel("A row for each");
  const shown = () => page.evaluate(() => window.varve.area.value.stats.rows.map(({ name, count }) => [name, count]).sort());
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  assert.equal(await name.count(), 0);
  await group.selectOption("argument");
  await page.locator("#argument-names option").first().waitFor({ state: "attached" });
  assert.deepEqual(await page.locator("#argument-names option").evaluateAll((all) => all.map(({ value }) => value)), ["headers", "id", "path", "port", "rows"]);
  assert.equal(await page.evaluate(() => document.activeElement.className), "area-argument");
  await page.keyboard.type("rows");
  await page.keyboard.press("Enter");
  await page.locator(".stats th", { hasText: "rows" }).waitFor();
  assert.match(await page.locator(".area-summary").innerText(), /^40 slices with rows, 20 values, 80\.? ?m?s/);
  assert.deepEqual(await shown(), statsOf(varve, sampleTrace(), "arg:rows"));
  assert.equal((await lines(page))[0][0], "arg:rows");
  await page.getByRole("button", { name: "Histogram of durations" }).click();
  await page.getByText("Durations: 40 slices").waitFor();
  await picture("statistics by argument");
  await page.getByRole("button", { name: "Histogram of durations" }).click();
  await name.fill("path");
  await name.press("Enter");
  await page.locator(".stats th", { hasText: "path" }).waitFor();
  assert.deepEqual(await shown(), statsOf(varve, sampleTrace(), "arg:path"));
  await name.fill("no such argument");
  await name.press("Enter");
  await page.getByText("No counted slice has the argument no such argument.").waitFor();
  await group.selectOption("name");
  await page.locator(".stats").getByRole("button", { name: "parse", exact: true }).waitFor();
  assert.equal(await name.count(), 0);
});
