// Hidden categories on the timeline, in tables and in the search; with the mouse and the keyboard.
import assert from "node:assert/strict";
import { clickSlice, idle, loaded, press, viewInAddress } from "./browser.mjs";
import { categoriesTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const box = (page, name) => page.locator(".categories").getByRole("checkbox", { name });
const rows = (page) => page.locator("[role=treegrid] [role=row]").allInnerTexts();
const namesOfAll = async (page) => {
  await page.evaluate(() => window.varve.run("select-all"));
  await idle(page);
  const names = await page.evaluate(() => (window.varve.area.value?.stats?.rows ?? []).map((row) => row.name));
  return names.sort();
};
/** Returns the names in the timeline, from its accessible mirror. */
const shown = async (page) => (await rows(page)).join("\n");

test("the category for the overhead of tracing is hidden initially", async ({ page, transport }) => {
  await transport.open(page, "categories.json", categoriesTrace());
  assert.deepEqual(await namesOfAll(page), ["collect", "compact", "plain"]);
  assert.doesNotMatch(await shown(page), /Thread 3/);
});

test("K lists the categories with their counts", async ({ page, picture }) => {
  await page.locator("#timeline").focus();
  await press(page, "KeyK");
  await box(page, "gc").waitFor();
  await idle(page);
  assert.equal(await page.evaluate(() => document.activeElement.id), "category-filter");
  const lines = await page.locator(".categories li label").allInnerTexts();
  const plain = lines.map((line) => line.replaceAll(/\s+/g, " ").trim());
  assert.deepEqual(plain, [
    "gc 100 slices · 1 counter",
    "(none) 50 slices",
    "net 50 instants",
    "trace_event_overhead 50 slices",
    "v8 50 slices",
  ]);
  assert.equal(await box(page, "gc").isChecked(), true);
  assert.equal(await box(page, "trace_event_overhead").isChecked(), false);
  await picture("categories");
});

test("an event with a hidden and a visible category is visible", async ({ page, picture }) => {
  await box(page, "gc").uncheck();
  await idle(page);
  assert.deepEqual(await namesOfAll(page), ["compact", "plain"]);
  await page.evaluate(() => window.varve.drawer.show("categories"));
  await box(page, "v8").uncheck();
  await idle(page);
  assert.deepEqual(await namesOfAll(page), ["plain"]);
  assert.doesNotMatch(await shown(page), /Thread 1|memory/);
  await page.evaluate(() => window.varve.drawer.show("categories"));
  assert.match(await page.locator("#tab-categories").innerText(), /3 hidden/);
  await picture("categories-hidden");
});

test("the search finds only visible events", async ({ page }) => {
  const result = (text) => page.waitForFunction((t) => document.getElementById("search-result").textContent === t, text);
  await page.locator("#search").fill("co");
  await result("nothing found");
  await page.locator("#search").fill("plain");
  await result("50 matches");
  await page.locator("#search").fill("");
});

test("a link stores the hidden categories", async ({ page, transport, transportName }) => {
  const view = await viewInAddress(page);
  assert.match(view.traces[0].hidden_categories, /^[0-9,-]+$/);
  const state = JSON.stringify(view);
  if (transportName === "http") {
    await page.reload();
    await loaded(page);
  } else {
    await transport.open(page, "categories.json", categoriesTrace());
    await page.evaluate((text) => { window.varve.views.applyLater(text, "The link"); window.varve.views.applyPending(); window.varve.run("fit-all"); }, state);
    await idle(page);
  }
  assert.deepEqual(await namesOfAll(page), ["plain"]);
});

test("all, none, only, and the keyboard", async ({ page }) => {
  await page.evaluate(() => window.varve.run("categories"));
  await page.locator("#category-filter").fill("E8");
  assert.equal(await page.locator(".categories li").count(), 0);
  await page.locator("#category-filter").fill("V");
  assert.equal(await page.locator(".categories li").count(), 2); // v8, trace_event_overhead
  await page.locator(".categories").getByRole("button", { name: "All", exact: true }).click();
  await page.locator("#category-filter").fill("");
  assert.equal(await box(page, "v8").isChecked(), true);
  assert.equal(await box(page, "gc").isChecked(), false);
  await page.locator(".categories").getByRole("button", { name: "Only net" }).click();
  await idle(page);
  assert.deepEqual(await namesOfAll(page), []);
  await page.evaluate(() => window.varve.run("categories"));
  await page.locator(".categories").getByRole("button", { name: "None", exact: true }).click();
  assert.equal(await page.locator(".categories input:checked").count(), 0);
  await box(page, "gc").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space"); // (none)
  await idle(page);
  assert.deepEqual(await namesOfAll(page), ["plain"]);
  await page.evaluate(() => window.varve.run("categories"));
  await page.locator(".categories").getByRole("button", { name: "All", exact: true }).click();
  await idle(page);
  assert.deepEqual(await namesOfAll(page), ["collect", "compact", "cost of tracing", "plain"]);
});

test("Control+I shows the properties of the file, and long values on request", async ({ page, transport, picture }) => {
  const text = categoriesTrace().replace('"otherData":{', `"otherData":{"source":"${"x".repeat(20_000)}"},"metadata":{`);
  await transport.open(page, "said.json", text);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyI");
  const panel = page.locator(".trace-info");
  await panel.getByText("displayTimeUnit").waitFor();
  assert.match(await panel.innerText(), /trace-event object/);
  assert.match(await panel.innerText(), /metadata[\s\S]*version[\s\S]*7/);
  assert.doesNotMatch(await panel.innerText(), /xxxx/);
  await picture("trace-info");
  await panel.getByRole("button", { name: /Show 20/ }).click();
  await panel.getByText(/xxxx/).waitFor();
});

test("CPU time is in the details and in the table", async ({ page, transport, picture }) => {
  const events = [
    { ph: "X", name: "work", pid: 1, tid: 1, ts: 0, dur: 100, tts: 5, tdur: 40 },
    { ph: "X", name: "part", pid: 1, tid: 1, ts: 10, dur: 20, tdur: 10 },
    { ph: "X", name: "without", pid: 1, tid: 1, ts: 200, dur: 5 },
  ];
  await transport.open(page, "cpu.json", JSON.stringify(events));
  await page.evaluate(() => window.varve.run("select-all"));
  await page.locator(".stats").waitFor();
  await idle(page);
  const heads = await page.locator(".stats thead th").allInnerTexts();
  assert.ok(heads.some((text) => text.startsWith("CPU µs")), heads.join());
  assert.deepEqual(await page.locator(".stats tbody td:last-child").allInnerTexts(), ["40", "10", ""]);
  await page.locator(".stats").getByRole("button", { name: "work", exact: true }).dblclick();
  await idle(page);
  await page.locator("#details").waitFor();
  const facts = (await page.locator("#details").innerText()).replaceAll(/\s+/g, " ");
  assert.match(facts, /CPU time 40 µs 40 % of it CPU self time 30 µs/);
  await picture("cpu");
});

test("details have all digits, in groups of three", async ({ page, transport, picture }) => {
  const events = [
    { ph: "X", name: "outer", pid: 1, tid: 1, ts: 0, dur: 12345.678 },
    { ph: "X", name: "inner", pid: 1, tid: 1, ts: 1000.5, dur: 4567.891, tdur: 2345.678 },
    { ph: "X", name: "leaf", pid: 1, tid: 1, ts: 2000, dur: 10, tdur: 1.5 },
    { ph: "X", name: "target", pid: 1, tid: 2, ts: 8000, dur: 100 },
    { ph: "s", name: "hand over", cat: "c", id: 1, pid: 1, tid: 1, ts: 3000.125 },
    { ph: "f", bp: "e", name: "hand over", cat: "c", id: 1, pid: 1, tid: 2, ts: 8010 },
  ];
  await transport.open(page, "digits.json", JSON.stringify(events));
  await clickSlice(page, "inner", 0.35);
  await idle(page);
  await page.locator("#details").waitFor();
  const facts = await page.locator("#details").innerText();
  const has = (text) => assert.ok(facts.includes(text), `${text} in ${facts}`);
  has("4.567\u202f891 ms");
  has("2.345\u202f678 ms");
  has("2.344\u202f178 ms");
  assert.match(facts, /Called by\s+ms\s+outer\s*12\.345\u202f678$/);
  assert.match(facts, /hand over, 5\.009\u202f875\u00a0ms/);
  await picture("exact details");
});
