// The comparison of two open traces: the table, its choices, the highlighted slices, and the alignment of both on the time axis.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drag, press, settled, viewInAddress } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { decodePng } from "./png.mjs";
import { test } from "./tap.mjs";

/** Minimap and ruler also show the highlighted name. */
const BELOW_RULER_PX = 125;

const NAMES = ["before.json", "after.json"];

/** Returns consecutive calls of one name: µs between their begins, lengths of 10 to 19 µs times `factor`. */
function calls(name, count, ts, factor) {
  return Array.from({ length: count }, (_, i) => ({ ph: "X", pid: 1, tid: 1, name, ts: ts + 100 * i, dur: (10 + ((7 * i) % 10)) * factor }));
}

/**
 * `parse` takes twice as long in the second trace, `render` the same; `old` and `fresh` are in one of both, `rare` is
 * called twice.
 */
function traces() {
  const common = (at) => [{ ph: "X", pid: 1, tid: 1, name: "boot", ts: at, dur: 50 }, ...calls("render", 20, at + 3000, 1), ...calls("rare", 2, at + 6000, 1)];
  return [
    JSON.stringify([...common(0), ...calls("parse", 20, 100, 1), ...calls("old", 9, 8000, 1)]),
    JSON.stringify([{ ph: "X", pid: 1, tid: 1, name: "delay", ts: 0, dur: 200 }, ...common(1000), ...calls("parse", 20, 1100, 2), ...calls("fresh", 9, 9000, 1)]),
  ];
}

const table = (page) => page.getByRole("table", { name: "Comparison" });
/** Returns the cells of the visible rows. */
const rows = (page) => table(page).locator("tbody tr[aria-rowindex]").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
const verdicts = async (page) => Object.fromEntries((await rows(page)).map(([name, verdict]) => [name, verdict]));
const answer = (page) => page.evaluate(() => window.varve.comparison.shown.value);
/** Returns the numbers of A and B: traces are numbered as they become ready. */
const sides = (page) => page.evaluate(() => [window.varve.comparison.choice.value.a, window.varve.comparison.choice.value.b]);
/** Returns the ticks of B at the position of the begin of A. */
const shift = async (page) => {
  const [a, b] = await sides(page);
  return page.evaluate(([a, b]) => Number(window.varve.view.range(b).begin - window.varve.view.range(a).begin), [a, b]);
};

test("with one trace the comparison explains how to open a second one", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await page.locator("#timeline").focus();
  await press(page, "Digit7");
  assert.equal(await page.locator("#tab-compare").getAttribute("aria-selected"), "true");
  assert.match(await page.locator("#drawer-panel").innerText(), /needs two traces.*holding Shift.*varve open before\.json after\.json/s);
  await picture("compare empty");
});

test("the empty comparison opens a second trace beside the first", async ({ page, transport }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await page.locator("#timeline").focus();
  await press(page, "Digit7");
  await page.evaluate(() => (window.showOpenFilePicker = undefined)); // a test cannot choose in its dialog
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Open a second trace" }).click()]);
  await chooser.setFiles({ name: "second.json", mimeType: "application/json", buffer: Buffer.from(sampleTrace()) });
  await table(page).waitFor();
  assert.deepEqual(await page.evaluate(() => window.varve.loading.traces.value.map((trace) => trace.info.file.name)), ["sample.json", "second.json"]);
  assert.match(await page.locator(".area-head").innerText(), /^A and B are equal: every name has the same counts and times · A/);
  assert.equal((await answer(page)).equal, true);
});

test("the key 7 compares two traces, sorted by the change of self time", async ({ page, transport, picture }) => {
  await transport.openTwo(page, NAMES, traces());
  await page.locator("#timeline").focus();
  await press(page, "Digit7");
  await table(page).waitFor();
  await settled(page);
  assert.deepEqual(await verdicts(page), { parse: "slower", old: "gone", fresh: "new", delay: "new", boot: "few", rare: "few", render: "noise" });
  assert.deepEqual((await rows(page))[0], ["parse", "slower", "290", "580", "+290", "+100.0 %", "20", "20", "+100.0 %", "+100.0 %", "+100.0 %"]);
  const heads = (await table(page).locator("thead th").allInnerTexts()).map((text) => text.trim());
  assert.deepEqual(heads.slice(2, 6), ["Self A µs", "Self B µs", "Change µs", "Self %"]);
  const old = table(page).locator("tbody tr", { hasText: "old" }).locator("td");
  assert.deepEqual((await old.allInnerTexts()).slice(2, 6), ["132", "–", "−132", "–"]);
  assert.deepEqual([await old.nth(2).getAttribute("title"), await old.nth(4).getAttribute("title")], ["132\u202f000 ns", "−132\u202f000 ns"]);
  assert.match(await page.locator(".compare .area-head").innerText(), /^1 slower, 1 noise, 2 few, 2 new, 1 gone · A 52 slices, B 53 slices · Mann-Whitney U test, 5 %/);
  assert.match(await table(page).getByText("slower").getAttribute("title"), /p = .*, adjusted .*Mann-Whitney/s);
  await picture("compare");
});

test("the numbers equal those of varve diff", async ({ page, varve }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-compare-"));
  const paths = NAMES.map((name) => join(folder, name));
  paths.forEach((path, i) => writeFileSync(path, traces()[i]));
  for (const by of ["name", "path"]) {
    await page.getByRole("radio", { name: by === "name" ? "Names" : "Call paths" }).click();
    await settled(page);
    const shown = await answer(page);
    for (const row of shown.rows) for (const side of [row.a, row.b]) if (side !== null) delete side.label, delete side.longest;
    const wanted = JSON.parse(execFileSync(varve, ["diff", "--quiet", "--json", `--by=${by}`, ...paths]));
    assert.deepEqual({ rows: shown.rows, verdicts: shown.verdicts, unit: shown.unit }, { rows: wanted.rows, verdicts: wanted.verdicts, unit: wanted.unit });
  }
  rmSync(folder, { recursive: true });
  await page.getByRole("radio", { name: "Names" }).click();
  await settled(page);
});

test("the threads of one name in both traces are compared, as with varve diff --thread", async ({ transport, withPage, varve, picture }) => {
  const threaded = (factor, pid) => JSON.stringify([
    { ph: "M", pid, tid: 1, name: "thread_name", args: { name: "main" } },
    { ph: "M", pid, tid: 2, name: "thread_name", args: { name: "worker" } },
    ...calls("parse", 20, 100, 1).map((event) => ({ ...event, pid })),
    ...calls("sum", 20, 100, factor).map((event) => ({ ...event, pid, tid: 2 })),
  ]);
  await withPage({}, async (page) => {
    const files = [threaded(1, 10), threaded(3, 20)];
    await transport.openTwo(page, NAMES, files);
    await page.locator("#timeline").focus();
    await press(page, "Digit7");
    await table(page).waitFor();
    await settled(page);
    assert.deepEqual(await verdicts(page), { sum: "slower", parse: "noise" });
    const field = page.getByRole("combobox", { name: "Thread" });
    await field.focus();
    await page.waitForFunction(() => document.querySelectorAll("#compare-threads option").length > 0);
    assert.deepEqual((await page.locator("#compare-threads option").evaluateAll((all) => all.map(({ value }) => value))).sort(), ["main", "worker"]);
    await field.fill("worker");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.deepEqual(await verdicts(page), { sum: "slower" });
    await picture("compare a thread", page);
    const folder = mkdtempSync(join(tmpdir(), "varve-compare-"));
    const paths = NAMES.map((name) => join(folder, name));
    paths.forEach((path, i) => writeFileSync(path, files[i]));
    const wanted = JSON.parse(execFileSync(varve, ["diff", "--quiet", "--json", "--thread=worker", ...paths]));
    rmSync(folder, { recursive: true });
    assert.deepEqual((await answer(page)).verdicts, wanted.verdicts);
    await page.getByRole("radio", { name: "Flame graph" }).click();
    await settled(page);
    assert.deepEqual(await page.evaluate(() => window.varve.comparison.graph.shown.value.frames.map(({ name }) => name)), [null, "sum"]);
    await page.getByRole("radio", { name: "Table" }).click();
    await field.fill("nobody");
    await page.keyboard.press("Enter");
    await page.getByText(/(before|after)\.json: no thread has the name or id "nobody"/).waitFor();
    await field.fill("");
    await page.keyboard.press("Enter");
    await table(page).waitFor();
    await settled(page);
    assert.deepEqual(await verdicts(page), { sum: "slower", parse: "noise" });
  });
});

test("rows are filtered, sorted, reduced to changes, copied and saved", async ({ page }) => {
  await page.locator("#compare-filter").fill("RE");
  assert.deepEqual(Object.keys(await verdicts(page)).sort(), ["fresh", "rare", "render"]);
  await page.locator("#compare-filter").fill("");
  await page.getByRole("button", { name: "1 slower" }).click();
  assert.deepEqual(Object.keys(await verdicts(page)), ["parse"], "only the rows with this verdict");
  await page.getByRole("button", { name: "1 slower" }).click();
  await page.getByRole("button", { name: "Changed only" }).click();
  assert.deepEqual(Object.keys(await verdicts(page)).sort(), ["delay", "fresh", "old", "parse"]);
  await page.locator("#compare-numbers").selectOption("count");
  await page.getByRole("button", { name: /^Count A/ }).click();
  assert.deepEqual((await rows(page))[0].slice(0, 6), ["parse", "slower", "20", "20", "0", "0.0 %"]);
  await page.locator("#compare-numbers").selectOption("overview");
  await page.getByRole("button", { name: "Changed only" }).click();
  await page.getByRole("button", { name: "Copy the table" }).click();
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).split("\n").map((line) => line.split("\t"));
  assert.deepEqual(copied[0].slice(0, 6), ["name", "verdict", "p", "q", "self_a_ns", "self_b_ns"]);
  assert.equal(copied.length, 8);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the table as CSV" }).click()]);
  assert.equal(download.suggestedFilename(), "comparison.csv");
  const lines = readFileSync(await download.path(), "utf8").split("\r\n");
  assert.match(lines.find((line) => line.startsWith("parse,")), /^parse,slower,[^,]+,[^,]+,290000,580000,290000,100,/);
});

test("a row highlights its name in both traces; its second button goes to the longest slice", async ({ page, picture }) => {
  await table(page).getByRole("button", { name: "parse", exact: true }).click();
  await settled(page);
  assert.deepEqual(await table(page).locator("tr.lit").count(), 1);
  await picture("compare highlighted");
  await table(page).getByRole("button", { name: "Go to the longest parse in B" }).click();
  await settled(page);
  const place = await page.evaluate(() => window.varve.selection.slice);
  assert.equal(place.trace, (await sides(page))[1]);
  assert.equal(Number(place.extent), 38_000);
  assert.equal(await page.locator("#tab-compare").getAttribute("aria-selected"), "true", "the tab stays");
});

/** Returns the heights of the groups of pixel rows below the ruler that differ between two pictures of the timeline. */
function changedBands(before, after) {
  const [a, b] = [decodePng(before), decodePng(after)];
  const bands = [];
  let last = -Infinity;
  for (let y = BELOW_RULER_PX; y < a.height; y++) {
    const [from, to] = [y * a.width * a.channels, (y + 1) * a.width * a.channels];
    if (a.pixels.subarray(from, to).equals(b.pixels.subarray(from, to))) continue;
    if (y - last > 10) bands.push(0);
    bands[bands.length - 1]++;
    last = y;
  }
  return bands;
}

test("both timelines are on the screen; a row highlights its name in both of them and goes to it", async ({ page, transport, picture }) => {
  await transport.openTwo(page, NAMES, traces());
  await page.locator("#timeline").focus();
  await press(page, "Digit7");
  await table(page).waitFor();
  await settled(page);
  const mirrored = (await page.locator("[role=treegrid] [role=rowheader]").allTextContents()).join("\n");
  for (const name of NAMES) assert.ok(mirrored.includes(name), `${name} in ${mirrored}`);
  const timeline = page.locator("#timeline");
  await page.mouse.move(2, 2);
  await settled(page);
  const plain = await timeline.screenshot();
  await table(page).getByRole("button", { name: "parse", exact: true }).click();
  await page.mouse.move(2, 2);
  await settled(page);
  await picture("compare both timelines");
  const bands = changedBands(plain, await timeline.screenshot());
  assert.equal(bands.length, 2, `the bars of other names are dimmed in the rows of both traces: ${bands}`);
  for (const height of bands) assert.ok(height >= 10, `${bands}`);
  await table(page).getByRole("button", { name: "parse", exact: true }).click();
  const [a, b] = await sides(page);
  for (const [name, side, trace] of [["old", "A", a], ["fresh", "B", b], ["parse", "B", b]]) {
    await table(page).getByRole("button", { name: `Go to the longest ${name} in ${side}` }).click();
    await settled(page);
    const { place, begin, end } = await page.evaluate(([trace]) => {
      const { begin, end } = window.varve.view.range(trace);
      return { place: window.varve.selection.slice, begin: Number(begin), end: Number(end) };
    }, [trace]);
    assert.equal(place.trace, trace);
    assert.ok(Number(place.begin) >= begin && Number(place.begin) < end, `${name} is in sight`);
    const selected = await page.evaluate(() => window.varve.details.value.slice.name);
    assert.equal(selected, name);
    assert.ok((await timeline.boundingBox()).height > 300, "the timelines stay beside the table");
  }
});

test("A and B are swapped and chosen", async ({ page }) => {
  await page.getByRole("button", { name: "Swap" }).click();
  await settled(page);
  assert.equal((await verdicts(page)).parse, "faster");
  assert.equal((await verdicts(page)).old, "new");
  const [after, before] = await sides(page);
  await page.locator("#compare-b").selectOption(String(after));
  await settled(page);
  assert.match(await page.locator(".compare").innerText(), /A and B are the same trace/);
  await page.locator("#compare-a").selectOption(String(before));
  await settled(page);
  assert.equal((await verdicts(page)).parse, "slower");
});

test("a selected area is compared in both traces, or A keeps its own", async ({ page, picture }) => {
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await settled(page);
  await page.locator("#tab-compare").click();
  await page.getByLabel("Of", { exact: true }).selectOption("area");
  await settled(page);
  assert.equal((await answer(page)).a.slices, 52);
  const keep = page.getByRole("button", { name: "Keep area of A" });
  await keep.click();
  const box = await page.locator("#timeline").boundingBox();
  await drag(page, { x: box.x + box.width * 0.4, y: box.y + 110 }, { x: box.x + box.width * 0.6, y: box.y + box.height - 8 });
  await settled(page);
  await page.locator("#tab-compare").click();
  await settled(page);
  const kept = await answer(page);
  assert.ok(kept.a.slices === 52 && kept.b.slices < 53, `the area of A is kept: ${kept.a.slices}, ${kept.b.slices}`);
  await picture("compare areas");
  const timeline = () => page.locator("#timeline").screenshot({ animations: "disabled" });
  const outlined = await timeline();
  await keep.click();
  await settled(page);
  assert.ok(!outlined.equals(await timeline()), "the area of A is outlined");
  const both = await answer(page);
  assert.ok(both.a.slices < 52 && both.b.slices === kept.b.slices, `one area of both: ${both.a.slices}, ${both.b.slices}`);
  await page.getByLabel("Of", { exact: true }).selectOption("trace");
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  await settled(page);
});

test("both traces are aligned by start, by the first slice of a name, by an event of each; undo restores the alignment", async ({ page, picture }) => {
  await page.locator("#tab-compare").click();
  const looks = await page.locator(".align-bar .toggle").evaluateAll((all) => all.map((one) => [one.textContent, !one.disabled, getComputedStyle(one).color === getComputedStyle(document.body).color]));
  assert.equal(looks.length, 4);
  for (const [text, isEnabled, isText] of looks) assert.equal(isText, isEnabled, `the colour of ${text}`);
  await page.getByRole("button", { name: "by start" }).click();
  await settled(page);
  assert.equal(await shift(page), 0);
  await table(page).getByRole("button", { name: "boot", exact: true }).click();
  await page.getByRole("button", { name: "by the first boot" }).click();
  await settled(page);
  assert.equal(await shift(page), 1_000_000, "boot begins 1 ms later in B");
  await picture("compare aligned");
  await page.getByRole("button", { name: "by an event of each" }).click();
  const [a, b] = await sides(page);
  await page.evaluate((trace) => window.varve.selection.selectNamed(trace, "old"), a);
  await settled(page);
  assert.match(await page.locator(".align-bar output").innerText(), /Click an event of B in the timeline/);
  await page.evaluate((trace) => window.varve.selection.selectNamed(trace, "fresh"), b);
  await settled(page);
  assert.equal(await page.locator(".align-bar output").innerText(), "");
  assert.equal(await shift(page), 1_000_000, "old begins at 8 ms, fresh at 9 ms");
  await page.getByRole("button", { name: "by start" }).click();
  await settled(page);
  assert.equal(await shift(page), 0);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyZ");
  await settled(page);
  assert.equal(await shift(page), 1_000_000);
  await press(page, "Control+KeyY");
  await settled(page);
  assert.equal(await shift(page), 0);
});

test("a trace is dragged by its head, or placed by a typed distance; the head shows it, the link keeps it, undo takes it back", async ({ page, picture }) => {
  const [a] = await sides(page);
  await page.locator("#tab-compare").click();
  const type = async (text) => {
    await page.locator("#align-distance").fill(text);
    await page.locator("#align-distance").press("Enter");
    await settled(page);
  };
  // `shift` is the distance of the visible ranges: the reverse of that of the begins.
  await type("1.5 ms");
  assert.equal(await shift(page), -1_500_000);
  await type("-20 us");
  assert.equal(await shift(page), 20_000);
  await type("soon");
  assert.equal(await page.locator("#align-distance").getAttribute("aria-invalid"), "true");
  assert.equal(await shift(page), 20_000);
  const box = await page.locator("#timeline").boundingBox();
  const span = await page.evaluate((trace) => Number(window.varve.view.range(trace).end - window.varve.view.range(trace).begin), a);
  const y = box.y + 92; // the head of the first trace
  await drag(page, { x: box.x + 60, y }, { x: box.x + 160, y });
  await settled(page);
  const moved = Math.abs((await shift(page)) - 20_000);
  const expected = (100 / (box.width - 230)) * span;
  assert.ok(Math.abs(moved - expected) < expected / 5, `${moved}, expected about ${expected}`);
  await picture("compare dragged");
  const dragged = await shift(page);
  const { traces } = await viewInAddress(page);
  assert.ok(traces.every((trace) => typeof trace.anchor === "number"), JSON.stringify(traces));
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyZ");
  await settled(page);
  assert.equal(await shift(page), 20_000);
  await press(page, "Control+KeyY");
  await settled(page);
  assert.equal(await shift(page), dragged);
});

test("the flame graph of B has the colours of the changes", async ({ page, picture }) => {
  await page.locator("#tab-compare").click();
  await page.getByRole("radio", { name: "Flame graph" }).click();
  const tree = page.getByRole("tree", { name: "Changes" });
  await tree.waitFor();
  await settled(page);
  const items = await tree.getByRole("treeitem").evaluateAll((all) => all.map((item) => item.getAttribute("aria-label")));
  assert.ok(items.includes("parse, 580 µs, 45.3 %, self 580 µs, 20 calls, self before 290 µs (+100.0 %)"), items.join("\n"));
  assert.ok(items.some((item) => /^fresh, .*, new$/.test(item)), items.join("\n"));
  const fills = await page.evaluate(() => Object.fromEntries(window.varve.comparison.graph.shown.value.frames.map(({ name, change }) => [name, change.fill])));
  assert.equal(fills.parse, "#f27466ff", "the largest change has the full colour");
  assert.equal(fills.render, "#d3d6daff");
  await picture("compare flame");
  await page.getByRole("radio", { name: "Bottom-up" }).click();
  await settled(page);
  assert.equal(await page.getByRole("combobox", { name: "Width" }).inputValue(), "self");
  await page.getByRole("radio", { name: "Table" }).click();
  await settled(page);
  assert.equal((await verdicts(page)).parse, "slower");
});

test("the comparison fits a narrow window", async ({ transport, withPage, picture }) => {
  await withPage({ viewport: { width: 700, height: 800 } }, async (page) => {
    await transport.openTwo(page, NAMES, traces());
    await page.locator("#timeline").focus();
    await press(page, "Digit7");
    await table(page).waitFor();
    await settled(page);
    await picture("compare narrow", page);
    const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(scrolls, false);
  });
});

test("thousands of names are compared", async ({ transport, withPage, picture }) => {
  const many = (factor) => JSON.stringify(Array.from({ length: 30_000 }, (_, i) => ({ ph: "X", pid: 1, tid: 1, name: `function ${i % 3000}`, ts: 10 * i, dur: 1 + ((i * 7) % 5) * factor })));
  await withPage({}, async (page) => {
    await transport.openTwo(page, NAMES, [many(1), many(2)]);
    await page.locator("#timeline").focus();
    await press(page, "Digit7");
    await table(page).waitFor();
    await settled(page);
    assert.equal(await table(page).getAttribute("aria-rowcount"), "3001");
    await picture("compare huge", page);
  });
});
