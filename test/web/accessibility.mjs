// axe-core finds nothing to object to in any state of the page.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { clickSlice, idle, press, settled } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

/** Returns a line for each violation in a part of the page: the rule, and the first elements. */
async function violations(page, part) {
  await settled(page);
  return page.evaluate(async (part) => {
    const { violations } = await window.axe.run(part, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target, html }) => `${target.join(" ")} ${html.slice(0, 160)}`).join(" | ")}`);
  }, part);
}

const tab = (page, name) => page.getByRole("tab", { name }).click();
const dialog = (keys) => async (page) => {
  await page.locator("#timeline").focus();
  await page.keyboard.press(keys);
  await page.locator("dialog").waitFor();
};
const closeDialog = async (page) => {
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
};

/** The states of the page, in order: the name, the part that differs, the steps into the state, and out of it. */
const STATES = [
  ["a slice", ".drawer", (page) => clickSlice(page, "handle request")],
  ["the overview", ".drawer", (page) => tab(page, /^Overview/)],
  ["the flame graph", ".drawer", (page) => tab(page, /^Flame/)],
  ["categories", ".drawer", (page) => tab(page, /^Categories/)],
  ["SQL", ".drawer", (page) => tab(page, /^SQL/)],
  ["comparison", ".drawer", (page) => tab(page, /^Compare/)],
  ["a mark", ".drawer", async (page) => { await page.locator("#timeline").focus(); await press(page, "KeyM"); await tab(page, /^Marks/); }],
  ["an area", ".drawer", async (page) => { await page.locator("#timeline").focus(); await press(page, "Control+KeyA"); await page.locator(".stats").waitFor(); }],
  ["a search", "body", async (page) => { await page.locator("#search").fill("query"); await idle(page); await page.locator("#search-result").click(); }],
  ["chips and buttons of a row", "main", async (page) => { await page.locator("#timeline").focus(); await press(page, "Escape"); await press(page, "Escape"); await press(page, "ArrowDown"); await press(page, "KeyP"); }],
  ["the menu of a row", ".menu", async (page) => { await press(page, "Shift+F10"); await page.locator(".menu").waitFor(); }, (page) => page.keyboard.press("Escape")],
  ["the jump list", "dialog", dialog("Control+KeyP"), closeDialog],
  ["the filter of tracks", "dialog", dialog("Shift+KeyP"), closeDialog],
  ["the palette", "dialog", dialog("F1"), closeDialog],
  ["the form of G", "dialog", dialog("KeyG"), closeDialog],
  ["saving", "dialog", dialog("Control+KeyS"), closeDialog],
  ["the keys", "dialog", dialog("?"), closeDialog],
  ["the settings", "dialog", dialog("Control+Comma")],
  ["a key of another command", "dialog", async (page) => { await page.getByRole("button", { name: /^Add a key/ }).first().click(); await page.keyboard.press("KeyP"); await page.getByText("Move it here").waitFor(); }, async (page) => { await page.evaluate(() => window.varve.dialog.set(null)); await page.locator("dialog").waitFor({ state: "detached" }); }],
  ["sharing", "dialog", (page) => page.getByRole("button", { name: /^Share/ }).click(), closeDialog],
  ["the report", "dialog", (page) => page.locator("#report-badge").click(), closeDialog],
  ["opening", "dialog", async (page) => { await page.evaluate(() => window.varve.recent.files.set([{ id: "/data/b.json", name: "b.json", folder: "/data" }])); await dialog("Control+KeyO")(page); }, closeDialog],
  ["a recent file in the palette", "dialog", async (page) => { await dialog("F1")(page); await page.locator(".chooser input").fill("b.json"); }, closeDialog],
  ["larger text", "body", (page) => page.evaluate(() => window.varve.settings.change({ textSize: "larger" })), (page) => page.evaluate(() => window.varve.settings.change({ textSize: "normal" }))],
  ["the order menu", ".menu", async (page) => { await page.locator(".order-button").click(); await page.locator(".menu").waitFor(); }, (page) => page.keyboard.press("Escape")],
  ["a cell of the accessible rows", "main", (page) => page.locator("[role=rowheader]").first().focus()],
  ["the drawer on the right", "body", (page) => page.getByRole("button", { name: "Move to the right" }).click(), (page) => page.getByRole("button", { name: "Move to the bottom" }).click()],
  ["a histogram", ".drawer", async (page) => { await page.locator("#timeline").focus(); await press(page, "Control+KeyA"); await page.getByRole("button", { name: "Histogram of durations" }).click(); await idle(page); }],
  ["no rows", "main", async (page) => { await page.evaluate(() => window.varve.filterTracks("no such track")); await page.locator(".no-rows").waitFor(); }, (page) => page.evaluate(() => window.varve.filterTracks(""))],
  ["forced colours", "body", (page) => page.emulateMedia({ forcedColors: "active" }), (page) => page.emulateMedia({ forcedColors: "none" })],
  ["no open trace", "body", async (page) => { await page.evaluate(() => window.varve.closeTrace(0)); await page.locator(".vacant").waitFor(); }],
];

test("axe-core finds no violation in any state", async ({ page, transport, nodeModules }) => {
  const path = join(nodeModules, "axe-core", "axe.min.js");
  if (!existsSync(path)) return "axe-core is not installed (npm ci in web/)";
  const axe = await readFile(path, "utf8");
  await transport.open(page, "sample.json", sampleTrace());
  await page.evaluate(axe);
  const found = (await violations(page, "body")).map((line) => `at the start: ${line}`);
  for (const [name, part, enter, leave] of STATES) {
    await enter(page);
    found.push(...(await violations(page, part)).map((line) => `${name}: ${line}`));
    await leave?.(page);
  }
  assert.deepEqual(found, []);
});

test("the rows of the accessible mirror are reached, read and used by keys alone", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  const focused = () => page.evaluate(() => ({ role: document.activeElement.role, text: document.activeElement.textContent }));
  await page.locator("[role=rowheader]").first().waitFor({ state: "attached" });
  assert.equal(await page.locator("[role=treegrid] [tabindex='0']").count(), 1, "one stop of Tab");
  await page.locator("#timeline").focus();
  for (let i = 0; i < 8 && (await focused()).role !== "rowheader"; i++) await page.keyboard.press("Tab");
  assert.equal((await focused()).role, "rowheader");
  const seen = [(await focused()).text];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("ArrowDown");
    seen.push((await focused()).text);
  }
  assert.equal(new Set(seen).size, 4, `another row each time: ${seen.join(", ")}`);
  // Down to the first row of slices, and there to its first slice.
  for (let i = 0; i < 8 && (await focused()).text !== "row 1"; i++) await page.keyboard.press(i < 4 ? "ArrowUp" : "ArrowDown");
  assert.equal((await focused()).text, "row 1");
  await page.keyboard.press("ArrowRight");
  assert.match((await focused()).text, /^serve, begins/);
  await picture("a focused cell");
  const box = await page.locator(":focus").boundingBox();
  assert.ok(box.width > 50 && box.height > 10, "the focused cell is visible");
  await press(page, "Enter");
  assert.equal(await page.locator("#details h2").innerText(), "serve");
  assert.equal(await page.evaluate(() => document.activeElement.id), "timeline");
  await page.keyboard.press("Escape");
  await idle(page);
});

test("an update of the accessible mirror leaves the rows that have not changed", async ({ page, transport }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await settled(page);
  const rows = () => page.locator("[role=treegrid] [role=row]");
  const before = await rows().evaluateAll((elements) => elements.map((element) => ((element.isKept = true), element.id)));
  await page.locator("#timeline").focus();
  await press(page, "ArrowDown");
  await settled(page);
  const after = await rows().evaluateAll((elements) => elements.map(({ id, isKept }) => ({ id, isKept: isKept === true })));
  assert.deepEqual(after.map(({ id }) => id), before);
  assert.equal(after.filter(({ isKept }) => !isKept).length, 1, "only the focused row is new");
});

test("rows, slices, instants, arrows, marks and tables are reached and read out by keys alone", async ({ page, transport }) => {
  await transport.open(page, "sample.json", sampleTrace());
  const selected = async () => {
    await settled(page);
    return page.locator("#selected-event").innerText();
  };
  await page.locator("#timeline").focus();
  const rows = [];
  for (let i = 0; i < 3; i++) {
    await press(page, "ArrowDown");
    await page.waitForTimeout(150);
    rows.push(await page.locator("[role=treegrid]").evaluate((grid) => grid.previousElementSibling.textContent));
  }
  assert.equal(new Set(rows).size, 3, `each chosen row is read out: ${rows.join(", ")}`);
  for (let i = 0; i < 8 && !rows.at(-1).startsWith("main"); i++) {
    await press(page, i < 4 ? "ArrowUp" : "ArrowDown");
    await page.waitForTimeout(150);
    rows.push(await page.locator("[role=treegrid]").evaluate((grid) => grid.previousElementSibling.textContent));
  }
  await press(page, "Enter");
  assert.equal(await selected(), "serve, 100 ms");
  await press(page, "ArrowDown");
  assert.match(await selected(), /^handle request, /);
  await press(page, "]");
  assert.match(await selected(), /^query \d, /, "an arrow leads to its other end");
  await press(page, "[");
  assert.match(await selected(), /^handle request, /);
  await press(page, "KeyM");
  await press(page, "Escape");
  await press(page, "Alt+KeyM");
  assert.notEqual(await page.evaluate(() => window.varve.notes.list.value.selected), 0, "Alt+M selects the mark");
  // An instant, through the accessible rows.
  await press(page, "Digit0");
  for (let i = 0; i < 12 && (await page.evaluate(() => document.activeElement.role)) !== "rowheader"; i++) await page.keyboard.press("Tab");
  const cell = page.locator("[data-instant]", { hasText: "config changed" }).first();
  await cell.focus();
  await press(page, "Enter");
  assert.equal(await selected(), "config changed");
  // A table: Tab reaches its row, Enter selects.
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.getByRole("tab", { name: /^Area/ }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".stats").waitFor();
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.closest("tbody") !== null)); i++) await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await press(page, "Enter");
  assert.notEqual(await page.evaluate(() => window.varve.highlighted.value.label), 0);
});
