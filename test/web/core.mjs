// The tests that run in every browser: open, zoom, select, search, area, save. A page is Playwright's or that of webdriver.mjs,
// so they use only the methods that both have.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { centre, clickSlice, drag, idle, press, range, shown } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { colourCount } from "./png.mjs";
import { assertSame, converted, made, save } from "./saving.mjs";
import { test } from "./tap.mjs";

const names = (page) => page.locator(".stats tbody td.name").allInnerTexts();
const column = (page, i) => page.locator(`.stats tbody td:nth-child(${i})`).allInnerTexts();
const heads = (page) => page.locator(".stats thead");

test("a trace opens and is drawn", async ({ page, transport, painters, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  assert.equal(await page.title(), "sample.json - Varve");
  assert.match(await page.locator(".names").innerText(), /sample\.json/);
  assert.match(await page.locator(".names").innerText(), /121 slices/);
  assert.ok(painters.includes(await page.evaluate(() => window.varve.painterName)));
  await shown(page);
  const shot = await page.locator("#timeline").screenshot();
  const { colours, mostFrequent } = colourCount(shot);
  assert.ok(colours > 20 && mostFrequent < 0.97, `${colours} colours, ${mostFrequent} of it one`);
  await picture("opened");
});

test("W zooms in at the pointer, 0 shows everything again", async ({ page, picture }) => {
  const { x, y, box } = await centre(page);
  const whole = await range(page);
  await page.mouse.move(x, y);
  for (let i = 0; i < 6; i++) await press(page, "KeyW");
  const near = await range(page);
  assert.ok(near.span < whole.span * 0.7, `${near.span} of ${whole.span}`);
  const centreBefore = whole.begin + whole.span / 2;
  const off = Math.abs(near.begin + near.span / 2 - centreBefore) / whole.span;
  assert.ok(off < 0.2 + 240 / box.width, `the middle moved by ${off}`);
  await picture("zoomed");
  await press(page, "KeyS");
  assert.ok((await range(page)).span > near.span);
  await press(page, "Digit0");
  assert.deepEqual(await range(page), whole);
});

test("D and A pan", async ({ page }) => {
  for (let i = 0; i < 6; i++) await press(page, "KeyW");
  const before = await range(page);
  await press(page, "KeyD");
  const right = await range(page);
  assert.ok(right.begin > before.begin);
  assert.ok(Math.abs(right.span - before.span) <= before.span * 1e-6 + 2);
  await press(page, "KeyA");
  assert.ok((await range(page)).begin < right.begin);
});

test("the wheel zooms with Ctrl and pans with Shift", async ({ page }) => {
  await press(page, "Digit0");
  const { x, y } = await centre(page);
  await page.mouse.move(x, y);
  const whole = await range(page);
  await page.keyboard.down("Control");
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -240);
  await page.keyboard.up("Control");
  const near = await range(page);
  assert.ok(near.span < whole.span * 0.9, `${near.span} of ${whole.span}`);
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, 200);
  await page.keyboard.up("Shift");
  assert.notEqual((await range(page)).begin, near.begin);
});

test("the fit button and undo", async ({ page }) => {
  const near = await range(page);
  await page.getByRole("button", { name: "Fit" }).click();
  const whole = await range(page);
  assert.ok(whole.span > near.span);
  await press(page, "Control+KeyZ");
  assert.notDeepEqual(await range(page), whole);
  await press(page, "Digit0");
});

test("a click selects a slice, its details are complete", async ({ page, picture }) => {
  await clickSlice(page, "handle request");
  const details = page.locator("#details");
  await details.waitFor();
  const text = await details.innerText();
  for (const part of ["handle request", "http", "4.5 ms", "main", "server", "Called by", "serve"])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.ok(text.includes("12345678901234567891"), "an integer beyond 2^53 is exact");
  assert.ok(text.includes("text/html"), "nested arguments are open");
  await picture("details");
});

test("a parent's link selects the parent", async ({ page }) => {
  await page.locator(".parents").getByRole("button", { name: "serve" }).click();
  await idle(page);
  assert.match(await page.locator("#details h2").innerText(), /^serve$/);
});

test("arrow keys move the selection, Escape ends it", async ({ page }) => {
  await page.locator("#timeline").focus();
  const heading = () => page.locator("#details h2").innerText();
  await press(page, "ArrowDown");
  assert.equal(await heading(), "handle request");
  const first = await page.locator("#details .facts-list").innerText();
  await press(page, "ArrowRight");
  assert.equal(await heading(), "handle request");
  assert.notEqual(await page.locator("#details .facts-list").innerText(), first);
  await press(page, "ArrowUp");
  assert.equal(await heading(), "serve");
  await press(page, "Escape");
  assert.equal(await page.locator("#details").count(), 0);
});

test("the visible rows are mirrored as a tree grid", async ({ page }) => {
  await press(page, "Digit0");
  const rows = page.getByRole("treegrid", { name: /rows/ }).getByRole("row");
  await rows.first().waitFor();
  const text = (await rows.allTextContents()).join("\n");
  for (const part of ["main", "worker 1", "serve"]) assert.ok(text.includes(part), `${part} in ${text}`);
  assert.ok((await page.locator("[role=treegrid] *").count()) <= 400);
  const cell = page.locator("[role=gridcell]", { hasText: "serve" }).first();
  await cell.dispatchEvent("click");
  await idle(page);
  assert.equal(await page.locator("#details h2").innerText(), "serve");
  await press(page, "Escape");
});

test("search finds, counts, moves forwards and back", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await press(page, "/");
  await page.keyboard.type("WRITE");
  const result = (text) => page.waitForFunction((t) => document.getElementById("search-result").textContent === t, text);
  await result("20 matches");
  assert.equal(await page.evaluate(() => window.varve.details.value.kind), "none");
  await page.keyboard.press("Enter");
  await result("1 of 20");
  await page.keyboard.press("Enter");
  await result("2 of 20");
  await page.keyboard.press("Shift+Enter");
  await result("1 of 20");
  await idle(page);
  assert.equal(await page.locator("#details h2").innerText(), "write");
  await picture("search");
  await page.keyboard.type(" nothing like it");
  await result("nothing found");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#search").inputValue(), "");
  assert.equal(await page.evaluate(() => document.activeElement.id), "timeline");
});

test("dragging over slices shows a table of their names", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  const box = await page.locator("#timeline").boundingBox();
  const point = await clickSlice(page, "handle request");
  await press(page, "Escape");
  await drag(page, { x: box.x + box.width * 0.4, y: point.y - 20 }, { x: box.x + box.width * 0.8, y: box.y + box.height - 8 });
  await page.locator(".stats").waitFor();
  await idle(page);
  const found = await names(page);
  for (const name of ["handle request", "parse", "write"]) assert.ok(found.includes(name), `${name} in ${found}`);
  assert.match(await page.locator(".area-head").innerText(), /slices/);
  await picture("area");
});

test("the table sorts by every column", async ({ page }) => {
  const count = heads(page).getByRole("button", { name: "Count" });
  await count.click();
  const down = (await column(page, 2)).map((text) => Number(text.replaceAll("\u202f", "")));
  assert.deepEqual(down, [...down].sort((a, b) => b - a));
  assert.equal(await page.locator(".stats th:nth-child(2)").getAttribute("aria-sort"), "descending");
  await count.click();
  assert.equal(await page.locator(".stats th:nth-child(2)").getAttribute("aria-sort"), "ascending");
  await heads(page).getByRole("button", { name: "Name" }).click();
  const byName = await names(page);
  assert.deepEqual(byName, [...byName].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
});

test("a name in the table highlights its slices", async ({ page, picture }) => {
  const parse = page.locator(".stats").getByRole("button", { name: "parse", exact: true });
  await parse.click();
  await idle(page);
  assert.equal(await parse.getAttribute("aria-pressed"), "true");
  await picture("highlight");
  await parse.click();
  assert.equal(await parse.getAttribute("aria-pressed"), "false");
});

test("Escape ends the area", async ({ page }) => {
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  await page.waitForFunction(() => window.varve.area.value === null);
  assert.equal(await page.locator(".stats").count(), 0);
});

const FORMATS = ["json", "spall", "heph", "speedscope", "pprof", "folded"];

test("Ctrl+S saves the whole trace, the range and the tracks of the area in each format, as varve convert does", async ({ page, transport, transportName, varve, picture }) => {
  await transport.open(page, "made.json", made());
  const folder = mkdtempSync(join(tmpdir(), "varve-save-test-"));
  writeFileSync(join(folder, "made.json"), made());
  // Tables have the name of the trace in each row: the page's engine has the name of the file, the native one
  // its path.
  const convert = (to, options) => converted(varve, folder, transportName === "worker" ? "made.json" : join(transport.folder, "made.json"), to, options);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyS");
  await page.getByRole("dialog", { name: "Save" }).waitFor();
  assert.equal(await page.locator("#save-area").isDisabled(), true);
  await page.locator("#save-format").selectOption("csv");
  await picture("save dialog");
  await page.keyboard.press("Escape");
  await clickSlice(page, "request", 0.512);
  await press(page, "KeyR");
  await idle(page);
  const [begin, end] = await page.evaluate(() => [window.varve.area.value.begin, window.varve.area.value.end].map(Number));
  const range = [`--range=${begin}ns..${end}ns`];
  for (const format of FORMATS) {
    const whole = await save(page, format);
    assert.match(whole.name, /^made\.[\w.]+$/);
    assertSame(format, whole, convert(format, []), format);
    const part = await save(page, format, { part: "range" });
    assert.ok(part.bytes.length < whole.bytes.length, format);
    assertSame(format, part, convert(format, range), `${format} of a range`);
    assertSame(format, await save(page, format, { part: "area" }), convert(format, [...range, "--tracks=main"]), `${format} of an area`);
  }
  assert.deepEqual((await save(page, "folded", { picture })).losses, ["values of counters are left out (50)", "facts about the whole trace are left out (1)"]);
  for (const format of ["csv", "jsonl", "arrow"])
    for (const table of ["slice", "counter", "arg"]) {
      const whole = await save(page, format, { table });
      assert.equal(whole.name, `made.${table}.${format === "arrow" ? "arrows" : format}`);
      assertSame(format, whole, convert(format, [`--table=${table}`]), `${table} as ${format}`);
      const part = await save(page, format, { table, part: "range" });
      assertSame(format, part, convert(format, [`--table=${table}`, ...range]), `${table} of a range as ${format}`);
    }
  rmSync(folder, { recursive: true });
});
