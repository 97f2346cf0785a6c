// Flame graphs: views by their keys, zoom, search, keyboard, the timeline next to them, saving.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { clickSlice, press, settled } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const graph = (page, label = "Flame graph, left-heavy") => page.getByRole("tree", { name: label, exact: true });
const items = (page, label) => graph(page, label).getByRole("treeitem").evaluateAll((all) => all.map((item) => item.getAttribute("aria-label")));
const named = (all, name) => all.find((item) => item.startsWith(`${name}, `));
/** Returns the latest answer of the engine for a graph. */
const answer = (page, which) => page.evaluate((name) => window.varve.flames[name].shown.value?.answer ?? null, which);
const current = (page) => page.evaluate(() => document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.getAttribute("aria-label") ?? null);
const highlighted = (page) => page.evaluate(() => window.varve.highlighted.value.label);

/** Threads of a trace with recursion: main calls f, which calls itself and g; h calls g, too. */
function recursiveTrace() {
  const events = [];
  const call = (tid, name, ts, dur) => events.push({ ph: "X", pid: 1, tid, name, ts, dur });
  for (const tid of [1, 2]) {
    call(tid, "main", 0, 1000);
    call(tid, "f", 0, 600);
    call(tid, "f", 50, 400);
    call(tid, "g", 100, 100);
    call(tid, "h", 700, 200);
    call(tid, "g", 750, 50);
  }
  return JSON.stringify(events);
}

/** Returns a .spall file of one thread with `slices` consecutive slices. */
function longTrace(slices) {
  const bytes = new DataView(new ArrayBuffer(32 + slices * 38));
  bytes.setBigUint64(0, 0x0badf00dn, true);
  bytes.setBigUint64(8, 1n, true);
  bytes.setFloat64(16, 1, true);
  for (let i = 0, at = 32; i < slices; i++, at += 38) {
    bytes.setUint8(at, 3); // begin: category, process, thread, time, sizes of name and arguments, name
    bytes.setUint32(at + 2, 1, true);
    bytes.setUint32(at + 6, 1, true);
    bytes.setFloat64(at + 10, 2 * i, true);
    bytes.setUint8(at + 18, 1);
    bytes.setUint8(at + 20, 97 + (i % 7));
    bytes.setUint8(at + 21, 4); // end: process, thread, time
    bytes.setUint32(at + 22, 1, true);
    bytes.setUint32(at + 26, 1, true);
    bytes.setFloat64(at + 30, 2 * i + 1, true);
  }
  return Buffer.from(bytes.buffer);
}

function deepTrace(levels) {
  const events = [];
  for (let i = 0; i < levels; i++) events.push({ ph: "B", pid: 1, tid: 1, ts: i, name: `level ${i}` });
  for (let i = 0; i < levels; i++) events.push({ ph: "E", pid: 1, tid: 1, ts: 2 * levels + i });
  return JSON.stringify(events);
}

test("the key 2 opens the flame graph of the whole trace; frames have numbers", async ({ page, transport, picture }) => {
  await transport.open(page, "recursive.json", recursiveTrace());
  await page.locator("#timeline").focus();
  await press(page, "Digit2");
  await graph(page).waitFor();
  await settled(page);
  const all = await items(page);
  assert.equal(named(all, "all"), "all, 2.00 ms, 100.0 %, self 0 ns, 2 calls");
  assert.equal(named(all, "main"), "main, 2.00 ms, 100.0 %, self 400 µs, 2 calls");
  assert.equal(all.filter((item) => item.startsWith("f, ")).length, 2);
  assert.equal(named(all, "h"), "h, 400 µs, 20.0 %, self 300 µs, 2 calls");
  await picture("flame");
});

test("the key 3 offers the frames by self time while no name is chosen", async ({ page }) => {
  await press(page, "Digit3");
  await graph(page, "Flame graph, bottom-up").waitFor();
  await settled(page);
  assert.match((await items(page, "Flame graph, bottom-up"))[1], /^f, 1\.00 ms, 50\.0 %/);
  await graph(page, "Flame graph, bottom-up").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await graph(page, "Callers").waitFor();
  await settled(page);
  assert.equal(await page.evaluate(() => window.varve.flames.choice.value.name), "f");
  await press(page, "Digit2");
  await settled(page);
});

test("Shift+R collapses recursion, and counts can be the width", async ({ page }) => {
  await press(page, "Shift+KeyR");
  await settled(page);
  assert.deepEqual((await items(page)).filter((item) => item.startsWith("f, ")), ["f, 1.20 ms, 60.0 %, self 1.00 ms, 4 calls"]);
  await press(page, "Shift+KeyR");
  await page.locator("#flame-by").selectOption("count");
  await settled(page);
  assert.match(named(await items(page), "main"), /100\.0 %/);
  assert.equal((await answer(page, "main")).all.count, 2);
  await page.locator("#flame-by").selectOption("total");
  await settled(page);
});

test("frames of a name are hidden by a menu or a key, and shown again", async ({ page, picture }) => {
  await page.evaluate(() => window.varve.flames.choose({ isCollapsed: false, by: "total" }));
  await press(page, "Digit2");
  await settled(page);
  const before = await items(page);
  const box = await graph(page).locator("canvas").boundingBox();
  await page.mouse.click(box.x + 20, box.y + 18 * 2 + 9, { button: "right" }); // f, below all and main
  const menu = page.getByRole("menu", { name: "f", exact: true });
  assert.deepEqual(await menu.getByRole("menuitem").allInnerTexts(), ["Make it as wide as the graph\nEnter", "Callers and callees", "Hide frames of this name\nDelete"]);
  await picture("the menu of a frame");
  await menu.getByRole("menuitem", { name: "Hide frames" }).click();
  await settled(page);
  const all = await items(page);
  assert.deepEqual(all.map((item) => item.split(",")[0]), ["all", "main", "h", "g", "g"]);
  assert.match(named(all, "main"), /2\.00 ms, 100\.0 %, self 1\.40 ms, 2 calls/);
  const chip = page.locator(".flame-bar .setting-chip", { hasText: "Hidden" });
  assert.equal((await chip.innerText()).replace(/\s+/g, " ").trim(), "Hidden f");
  await press(page, "ArrowDown");
  await press(page, "ArrowDown");
  await press(page, "ArrowDown");
  assert.match(await current(page), /^h, /);
  await press(page, "Delete");
  await settled(page);
  assert.deepEqual((await items(page)).map((item) => item.split(",")[0]), ["all", "main", "g"]);
  assert.match(named(await items(page), "g"), /300 µs, 15\.0 %, self 300 µs, 4 calls/);
  await press(page, "ArrowDown");
  await press(page, "ArrowDown");
  await press(page, "ArrowDown");
  assert.match(await current(page), /^g, /);
  const { count } = await page.evaluate(() => window.varve.flames.main.slices(document.activeElement.getAttribute("aria-activedescendant").split("-").at(-1)));
  assert.equal(count, 4);
  await picture("hidden frames");
  for (let left = 2; left > 0; left--) {
    assert.equal(await chip.count(), left);
    await chip.first().getByRole("button").click();
  }
  await settled(page);
  assert.deepEqual(await items(page), before);
  assert.equal(await page.evaluate(() => document.activeElement.className), "flame");
});

test("arrow keys move between frames, which highlight their slices; Enter zooms, Backspace and Escape return", async ({ page, picture }) => {
  await graph(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.match(await current(page), /^main, /);
  assert.notEqual(await highlighted(page), 0);
  await page.keyboard.press("ArrowDown");
  assert.match(await current(page), /^f, /);
  await page.keyboard.press("ArrowRight");
  assert.match(await current(page), /^h, /);
  const of = await highlighted(page);
  await page.keyboard.press("Enter");
  await settled(page);
  let shown = await answer(page, "main");
  assert.deepEqual(shown.path.map(({ name }) => name), ["main", "h"]);
  assert.ok(Math.abs(shown.share - 0.2) < 1e-9);
  assert.match(await page.getByRole("navigation", { name: "Frames around" }).innerText(), /all › main › h 20 % of all/);
  await picture("flame widened");
  await page.keyboard.press("Backspace");
  await settled(page);
  assert.deepEqual((await answer(page, "main")).path.map(({ name }) => name), ["main"]);
  await page.keyboard.press("Escape");
  await settled(page);
  shown = await answer(page, "main");
  assert.deepEqual(shown.path, []);
  assert.equal(await highlighted(page), of);
});

test("a frame highlights the slices with its call path, not all of its name", async ({ page, picture }) => {
  await page.evaluate(() => {
    window.marked = [];
    const { view } = window.varve;
    const highlight = view.highlightSlices.bind(view);
    view.highlightSlices = (trace, label, events) => {
      window.marked.push(events.map(({ row, begin }) => `${row} ${begin}`).sort());
      highlight(trace, label, events);
    };
  });
  const box = await graph(page).boundingBox();
  await page.mouse.click(box.x + box.width * 0.05, box.y + 18 * 4 + 9); // main, f, f, g
  await settled(page);
  assert.match(await current(page), /^g, 200 µs/);
  assert.deepEqual(await page.evaluate(() => window.marked), [["3 100000", "3 100000"]]);
  await picture("flame highlight of a path");
});

test("a click chooses a frame, a double click zooms to it, and hovering shows its numbers", async ({ page }) => {
  const box = await graph(page).boundingBox();
  const at = { x: box.x + box.width * 0.7, y: box.y + 18 * 2 + 9 };
  await page.mouse.move(at.x, at.y);
  await page.locator(".flame-tip").waitFor();
  assert.match(await page.locator(".flame-tip").innerText(), /^h\n+400 µs, 20\.0 %, self 300 µs, 2 calls/);
  await page.mouse.dblclick(at.x, at.y);
  await settled(page);
  assert.deepEqual((await answer(page, "main")).path.map(({ name }) => name), ["main", "h"]);
  await page.getByRole("navigation", { name: "Frames around" }).getByRole("button", { name: "all" }).click();
  await settled(page);
});

test("a search in the graph marks frames and shows their share", async ({ page, picture }) => {
  await page.locator("#flame-find").fill("G");
  await page.locator(".flame-bar output").getByText("2 frames, 15.0 %").waitFor();
  await settled(page);
  await picture("flame search");
  await page.locator("#flame-find").press("Escape");
  await page.waitForFunction(() => document.querySelector(".flame-bar output").textContent === "");
});

test("selecting a slice in the timeline marks its frame, and the tab stays", async ({ page }) => {
  await clickSlice(page, "h", 0.78);
  await settled(page);
  assert.equal(await page.getByRole("tab", { selected: true }).getAttribute("id"), "tab-flame");
  const marked = await page.evaluate(() => window.varve.flames.main.shown.value.frames.filter((frame) => frame.isSelected).map((frame) => frame.name));
  assert.deepEqual(marked, ["h"]);
});

test("the matches of a search and their callees are a flame graph", async ({ page, picture }) => {
  await press(page, "/");
  await page.locator("#search").fill("name:=h");
  await page.waitForFunction(() => document.getElementById("search-result").textContent === "2 matches");
  await page.locator("#search-result").click();
  await page.locator("#flame-of-matches").click();
  await graph(page).waitFor();
  await settled(page);
  assert.deepEqual((await items(page)).map((item) => item.split(",")[0]), ["all", "h", "g"]);
  assert.match(named(await items(page), "h"), /^h, 400 µs, 100\.0 %/);
  assert.equal(await page.locator("#flame-scope option:checked").innerText(), "Matches of name:=h");
  await picture("flame of matches");
  await page.locator("#flame-scope").selectOption("trace");
  await settled(page);
  await page.locator("#search").press("Escape");
  await page.keyboard.press("Escape");
  await settled(page);
});

test("the key 3 shows callers and callees of the selected slice; keys move up among callers", async ({ page, picture }) => {
  await page.locator("#timeline").focus();
  await clickSlice(page, "g", 0.795);
  await press(page, "Digit3");
  await graph(page, "Callers").waitFor();
  await settled(page);
  const callers = (await items(page, "Callers")).map((item) => item.split(",")[0]);
  assert.deepEqual([...callers].sort(), ["f", "f", "h", "main", "main"]);
  assert.deepEqual((await items(page, "Callees")).map((item) => item.split(",")[0]), ["g"]);
  await picture("sandwich");
  await graph(page, "Callers").focus();
  await page.keyboard.press("ArrowUp");
  assert.match(await current(page), /^f, /);
  await page.keyboard.press("ArrowUp");
  assert.match(await current(page), /^f, /);
});

test("bottom-up: frames with the most self time are first, with their callers below", async ({ page }) => {
  await page.getByRole("radio", { name: "Bottom-up" }).click();
  await settled(page);
  assert.equal(await page.locator("#flame-by").inputValue(), "self");
  const all = await items(page, "Flame graph, bottom-up");
  assert.match(all[1], /^f, /);
  assert.equal((await answer(page, "main")).rows, 5);
  await page.getByRole("radio", { name: "Left-heavy" }).click();
  await settled(page);
  assert.equal(await page.locator("#flame-by").inputValue(), "total");
});

test("the key 4 needs an area, and counts only that area; a thread can be chosen", async ({ page }) => {
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  await press(page, "Digit4");
  await page.waitForFunction(() => window.varve.notice.value.startsWith("Select an area first"));
  await clickSlice(page, "h", 0.78);
  await press(page, "KeyR");
  await press(page, "Digit4");
  await settled(page);
  assert.equal(await page.locator("#flame-scope").inputValue(), "area");
  assert.equal((await answer(page, "main")).all.total, "200000");
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  await clickSlice(page, "h", 0.78);
  await page.locator("#flame-scope").selectOption("thread");
  await settled(page);
  assert.equal((await answer(page, "main")).all.total, "1000000");
});

test("the key 5 shows all names, and a row opens the sandwich", async ({ page, picture }) => {
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  await press(page, "Digit5");
  await page.locator(".stats").waitFor();
  assert.match(await page.locator(".area-summary").innerText(), /^Whole trace: 12 slices, 4 names/);
  await picture("names");
  await page.getByRole("button", { name: "Callers and callees of g", exact: true }).click();
  await settled(page);
  assert.equal(await page.evaluate(() => window.varve.flames.choice.value.name), "g");
  await graph(page, "Callers").waitFor();
});

test("a graph is copied as folded lines and saved as a picture, equal to those of varve flame", async ({ page }) => {
  await page.locator("#timeline").focus();
  await press(page, "Digit2");
  await settled(page);
  await page.getByRole("button", { name: "Copy as folded lines" }).click();
  await page.waitForFunction(() => window.varve.notice.value === "Copied the folded lines.");
  const lines = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(lines, "main 400000\nmain;f 400000\nmain;f;f 600000\nmain;f;f;g 200000\nmain;h 300000\nmain;h;g 100000\n");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as SVG" }).click()]);
  assert.equal(download.suggestedFilename(), "recursive.json.left-heavy.svg");
  assert.match(readFileSync(await download.path(), "utf8"), /^<svg class="flame"[^]*>main<\/text>/);
});

test("a graph without slices shows a message", async ({ page, transport, picture }) => {
  await transport.open(page, "empty.json", JSON.stringify([{ ph: "i", name: "mark", pid: 1, tid: 1, ts: 1 }]));
  await page.locator("#timeline").focus();
  await press(page, "Digit2");
  await page.getByText("There are no slices to add up.").waitFor();
  await picture("flame empty");
});

test("five thousand levels are loaded in pages during scrolling", async ({ page, transport, picture }) => {
  await transport.open(page, "deep.json", deepTrace(5000));
  await page.locator("#timeline").focus();
  await press(page, "Digit2");
  await settled(page);
  const loaded = () => page.evaluate(() => window.varve.flames.main.shown.value.nextRow);
  assert.ok((await loaded()) < 5000, `${await loaded()} rows at once`);
  await graph(page).evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.waitForFunction(() => window.varve.flames.main.shown.value?.nextRow === 5001);
  await settled(page);
  await picture("flame deep");
});

test("another perspective of a Go trace is counted when it is loaded", async ({ page, transport }) => {
  await transport.open(page, "mixed.trace", readFileSync(new URL("../data/go/go126_mixed.trace", import.meta.url)));
  await page.locator("#timeline").focus();
  await press(page, "Digit2");
  await settled(page);
  const by = () => page.locator(".flame-bar").innerText();
  assert.match(await by(), /by processors/);
  await page.evaluate(() => window.varve.perspectives.lookFrom("Goroutines"));
  await settled(page);
  await page.locator(".flame-bar").getByText("by goroutines").waitFor();
  assert.ok((await answer(page, "main")).all.count > 0);
});

test("in a narrow window the toolbar wraps and the graph is visible", async ({ transport, withPage, picture }) => {
  await withPage({ viewport: { width: 700, height: 800 } }, async (page) => {
    await transport.open(page, "sample.json", sampleTrace());
    await page.locator("#timeline").focus();
    await press(page, "Digit2");
    await settled(page);
    assert.ok((await graph(page).boundingBox()).height >= 60);
    await picture("flame narrow", page);
  });
});

test("a long count is done in steps, shows its progress, and ends when it is aborted", async ({ page, transport, picture }) => {
  await transport.open(page, "long.spall.gz", gzipSync(longTrace(2_000_000)));
  const shares = await page.evaluate(async () => {
    const load = window.varve.loading.ready[0];
    const [all, aborted, controller] = [[], [], new AbortController()];
    const stopped = await load
      .request("flame", { begin: 1 }, controller.signal, (share) => {
        aborted.push(share);
        controller.abort();
      })
      .catch((error) => error.name);
    await load.request("flame", { begin: 1 }, undefined, (share) => all.push(share)); // continues with the steps
    return { all, aborted, stopped };
  });
  assert.equal(shares.stopped, "AbortError");
  assert.equal(shares.aborted.length, 1);
  assert.ok(shares.all.length >= 1 && shares.all.every((share) => share > shares.aborted[0] && share < 1), JSON.stringify(shares));
  await page.locator("#timeline").focus();
  await press(page, "Digit2");
  await graph(page).waitFor();
  await settled(page);
  assert.equal((await answer(page, "main")).all.count, 2_000_000);
  await page.evaluate(() => {
    window.varve.flames.main.shown.set(null);
    window.varve.flames.main.share.set(0.426);
  });
  await page.getByText("Counting… 42 %").waitFor();
  await picture("flame progress");
});
