// The Go panel: tables, flame graphs, utilisation, garbage collection; with the mouse and the keyboard.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { idle, press, range, settled } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

/** Returns the sums of both values of the samples of a profile in Protocol Buffers (field 2 of its field 2). */
function sumsOfProfile(bytes) {
  const fields = function* (part) {
    let at = 0;
    const number = () => {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        value += (part[at] & 127) * factor;
        if (part[at++] < 128) return value;
      }
    };
    while (at < part.length) {
      const key = number();
      const value = number();
      if (key % 8 === 2) yield [key >> 3, part.subarray(at, (at += value))];
      else yield [key >> 3, value];
    }
    assert.equal(at, part.length);
  };
  const values = function* (part) {
    let value = 0;
    let factor = 1;
    for (const byte of part) {
      value += (byte & 127) * factor;
      factor *= 128;
      if (byte > 127) continue;
      yield value;
      [value, factor] = [0, 1];
    }
  };
  const sums = [0, 0];
  for (const [field, sample] of fields(bytes)) {
    if (field !== 2) continue;
    for (const [inner, part] of fields(sample)) if (inner === 2) [...values(part)].forEach((value, i) => (sums[i] += value));
  }
  return sums;
}

const busy = () => readFileSync(new URL("../data/go/go126_mixed.trace", import.meta.url));
const rows = (page, label) => page.getByRole("table", { name: label }).locator("tbody tr[aria-rowindex]");
const PROFILES = ["net", "sync", "syscall", "sched"];
const show = async (page, what) => {
  await page.locator("#go-what").selectOption(what);
  await page.waitForFunction((name) => window.varve.go.what.value === name && !window.varve.go.isRunning, what);
  if (!PROFILES.includes(what)) await page.waitForFunction((name) => window.varve.go.answer.value?.what === name, what);
  await settled(page);
};
const rowsOfTimeline = async (page) => (await page.locator("[role=treegrid] [role=row]").allInnerTexts()).join("\n");

test("traces of other formats have no Go panel", async ({ page, transport }) => {
  await transport.open(page, "sample.json", sampleTrace());
  assert.equal(await page.getByRole("tab", { name: "Go", exact: true }).count(), 0);
  await page.evaluate(() => window.varve.run("go"));
  await page.waitForFunction(() => window.varve.notice.value === "No Go trace is open.");
});

test("the Go panel shows functions first", async ({ page, transport, picture }) => {
  await transport.open(page, "mixed.trace", busy());
  await page.getByRole("tab", { name: "Go", exact: true }).waitFor();
  await page.evaluate(() => window.varve.run("go"));
  await rows(page, "Time by function").first().waitFor();
  await idle(page);
  assert.equal(await page.evaluate(() => document.activeElement.id), "go-what");
  assert.match(await rows(page, "Time by function").first().innerText(), /runtime\.gcBgMarkWorker\s+4\s+282\.224\s+22\.280\s/);
  const count = page.getByRole("table", { name: "Time by function" }).getByRole("button", { name: "Count" });
  await count.click();
  const counts = await page.locator(".stats tbody tr[aria-rowindex] td:nth-child(2)").allInnerTexts();
  assert.deepEqual(counts, [...counts].sort((a, b) => Number(b) - Number(a)));
  await picture("go functions");
});

/** Returns the heads of the columns of numbers of a table, and the texts, tooltips and right edges of the decimal points of their visible cells. */
const numbers = (page, label) =>
  page.getByRole("table", { name: label }).evaluate((table) =>
    [...table.tHead.rows[0].cells].flatMap((head, column) => {
      if (!head.classList.contains("number")) return [];
      const cells = [...table.tBodies[0].rows].filter((row) => row.hasAttribute("aria-rowindex")).map((row) => row.cells[column]);
      const pointOf = (cell) => {
        const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
        const at = text?.data.indexOf(".") ?? -1;
        if (at < 0) return null;
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().right;
      };
      return [{ head: head.textContent.replace(/[▲▼]/, ""), texts: cells.map((cell) => cell.textContent), exact: cells.map((cell) => cell.title), points: cells.map(pointOf).filter((x) => x !== null) }];
    }),
  );

/** Checks that the head of each column with times or sizes has its unit, the cells none, and that decimal points are aligned. */
function checkNumbers(columns, times) {
  for (const { head, texts, points } of columns) {
    assert.ok(texts.every((text) => !/[mµnk]?[sB]$/.test(text)), `${head}: ${texts}`);
    assert.ok(points.every((x) => Math.abs(x - points[0]) < 0.6), `${head}: decimal points at ${points}`);
  }
  const units = columns.filter(({ head }) => / (ns|µs|ms|s|B|kB|MB|GB)$/.test(head)).map(({ head }) => head);
  assert.deepEqual(units.map((head) => head.replace(/ [^ ]+$/, "")), times);
}

test("columns of times have one unit in their heads, and exact values on the pointer and in copies", async ({ page }) => {
  const columns = await numbers(page, "Time by function");
  checkNumbers(columns, ["Total", "Execution", "Network", "Sync", "Other waits", "Syscall", "Blocking", "Scheduler", "GC assist", "GC sweep", "GC"]);
  const total = columns.find(({ head }) => head.startsWith("Total"));
  assert.ok(total.exact.every((text) => /^[\d\u202f]+ ns$/.test(text)), total.exact.join());
  await page.getByRole("button", { name: "Copy the table" }).click();
  const [head, ...lines] = (await page.evaluate(() => navigator.clipboard.readText())).split("\n").map((line) => line.split("\t"));
  assert.deepEqual(head.slice(0, 4), ["function", "count", "total_ns", "execution_ns"]);
  const copied = lines.map((line) => line[2]);
  assert.ok(total.exact.every((text) => copied.includes(text.replace(/[^\d]/g, ""))), copied.join());
});

test("a function filters its goroutines, and the filter can be removed", async ({ page }) => {
  const button = page.locator(".go .stats").getByRole("button", { name: "main.gcw.func1", exact: true });
  await button.click();
  await idle(page);
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  assert.doesNotMatch(await rowsOfTimeline(page), /gcBgMarkWorker/);
  await button.click();
  await idle(page);
  assert.equal(await page.evaluate(() => window.varve.rows.value.filter), "");
});

test("a goroutine shows its times, and has a link to its first run", async ({ page, picture }) => {
  await show(page, "goroutines");
  const goroutine = page.locator(".go .stats").getByRole("button", { name: "G45 main.gcw.func1", exact: true });
  await goroutine.click();
  await idle(page);
  const { begin, end } = await range(page);
  const length = Number(end) - Number(begin);
  assert.ok(length > 40e6 && length < 60e6, `${length} ns for the 40.5 ms it was there`);
  await picture("go goroutines");
  await goroutine.dblclick();
  await idle(page);
  assert.equal(await page.locator("#details h2").innerText(), "G45 main.gcw.func1");
});

test("waits are a flame graph with keyboard movement and zoom", async ({ page, picture }) => {
  await page.evaluate(() => window.varve.run("go"));
  await show(page, "sync");
  const tree = page.getByRole("tree", { name: "Flame graph of waits" });
  const current = () => tree.evaluate((box) => document.getElementById(box.getAttribute("aria-activedescendant"))?.getAttribute("aria-label"));
  const shown = () => page.evaluate(() => window.varve.flames.waits.shown.value.answer);
  await tree.waitFor();
  await idle(page);
  await picture("go flame");
  await tree.focus();
  await page.keyboard.press("ArrowDown");
  assert.match(await current(), /^all, 609 ms, 100\.0 %, self 0 ns, 722 waits$/);
  await page.keyboard.press("ArrowDown");
  const name = await current();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await current(), name);
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal((await shown()).path.length, 1);
  await picture("go flame widened");
  await page.keyboard.press("Escape");
  await settled(page);
  assert.equal((await shown()).path.length, 0);
});

test("a profile shows its total, and is saved as varve go writes it", async ({ page }) => {
  const counted = { sync: "609 ms in 722 waits", net: "286 ms in 202 waits", syscall: "73.9 ms in 1\u202f249 syscalls", sched: "399 ms in 3\u202f026 waits" };
  for (const [what, words] of Object.entries(counted)) {
    await show(page, what);
    assert.match(await page.locator(".go-sum").innerText(), new RegExp(`^${words}`));
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save for pprof" }).click()]);
    assert.equal(download.suggestedFilename(), `mixed.${what}.pb.gz`);
    const [samples, ns] = sumsOfProfile(gunzipSync(readFileSync(await download.path())));
    assert.equal(words.match(/in ([\d\u202f]+)/)[1].replaceAll("\u202f", ""), String(samples));
    assert.equal(String(ns), await page.evaluate(() => window.varve.flames.waits.shown.value.answer.all.total));
  }
});

test("utilisation is a curve; the activities that count can be chosen", async ({ page, picture }) => {
  await show(page, "mmu");
  const shares = () => page.evaluate(() => window.varve.go.answer.value.curve.map((point) => point.share));
  const before = await shares();
  await picture("go mmu");
  await page.getByLabel("Assists").uncheck();
  await page.waitForFunction(() => !window.varve.go.counts.value.includes("assist"));
  await idle(page);
  await page.waitForFunction((old) => JSON.stringify(window.varve.go.answer.value?.curve?.map((p) => p.share)) !== old, JSON.stringify(before));
  const after = await shares();
  assert.ok(after.every((share, i) => share >= before[i] - 1e-9));
  await page.getByLabel("Assists").check();
});

test("at least one activity always counts", async ({ page }) => {
  for (const title of ["Stops of the world", "Mark workers"]) await page.getByLabel(title).uncheck();
  await idle(page);
  assert.equal(await page.getByLabel("Assists").isDisabled(), true);
  assert.equal(await page.getByLabel("Worst processor").isDisabled(), false);
  for (const title of ["Stops of the world", "Mark workers"]) await page.getByLabel(title).check();
  await idle(page);
  assert.equal(await page.getByLabel("Assists").isDisabled(), false);
});

test("garbage collection: sums, stops, phases with links", async ({ page, picture }) => {
  await show(page, "gc");
  assert.match(await page.locator(".go-gc").innerText(), /Mark phases\s*11 times, 34\.5\u00a0ms/);
  assert.equal(await rows(page, "Mark phases").count(), 11);
  checkNumbers(await numbers(page, "Mark phases"), ["Mark phase", "Duration", "Stopped", "Assists", "Heap before", "Heap after", "Goal"]);
  checkNumbers(await numbers(page, "Stops of the world"), ["Total", "Longest"]);
  await picture("go gc");
  await rows(page, "Mark phases").nth(3).getByRole("button").click();
  await idle(page);
  const { begin, end } = await range(page);
  assert.ok(Number(end) - Number(begin) < 15e6);
});

test("tasks and regions have distributions", async ({ page, picture }) => {
  await show(page, "regions");
  assert.ok((await rows(page, "User regions").count()) >= 6);
  assert.ok((await page.locator(".go-histogram rect").count()) > 6);
  checkNumbers(await numbers(page, "User regions"), ["Min", "Median", "90 %", "99 %", "Max", "Total"]);
  await show(page, "tasks");
  assert.match(await rows(page, "User tasks").first().innerText(), /request\s+32\s+0/);
  await picture("go tasks");
});

test("a selected area is the range of the Go panel", async ({ page }) => {
  await show(page, "functions");
  const total = () => page.evaluate(() => window.varve.go.answer.value.end_ns - window.varve.go.answer.value.begin_ns);
  const whole = await total();
  await page.evaluate(() => window.varve.view.setRange(0, 10000000n, 20000000n, 0));
  await page.locator("#timeline").focus();
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 120);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + 200, { steps: 4 });
  await page.mouse.up();
  await page.evaluate(() => window.varve.run("go"));
  await idle(page);
  await page.waitForFunction((old) => window.varve.go.answer.value?.end_ns - window.varve.go.answer.value?.begin_ns < old, whole);
  await page.locator("#timeline").focus();
  await press(page, "Escape");
});
