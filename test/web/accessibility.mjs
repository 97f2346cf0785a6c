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
  ["the menu of a row", ".row-menu", async (page) => { await press(page, "Shift+F10"); await page.locator(".row-menu").waitFor(); }, (page) => page.keyboard.press("Escape")],
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
  ["opening", "dialog", dialog("Control+KeyO"), closeDialog],
  ["the order menu", ".row-menu", async (page) => { await page.locator(".order-button").click(); await page.locator(".row-menu").waitFor(); }, (page) => page.keyboard.press("Escape")],
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
