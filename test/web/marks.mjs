// Marks and notes: made in the timeline, changed in their tab, kept with the trace, saved and opened.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clickSlice, idle, press, settled } from "./browser.mjs";
import { gzip, sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const marksOf = (page) => page.evaluate(() => window.varve.notes.list.value.notes.map(({ text, begin, end, colour }) => ({ text, begin, end, colour })));
/** True if a button of the list of marks has the colour of text; a disabled one is muted. */
const looksEnabled = (page, name) => page.getByRole("button", { name, exact: true }).evaluate((button) => getComputedStyle(button).color === getComputedStyle(document.body).color);
const textsOf = async (page) => (await marksOf(page)).map(({ text }) => text);
/** Clicks in the ruler at a fraction of the timeline's width. */
async function clickRuler(page, fraction) {
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.click(box.x + box.width * fraction, box.y + 55);
  await idle(page);
}

test("marks are made with keys and in the ruler, renamed, recoloured, measured and deleted", async ({ page, transport, picture }) => {
  await transport.open(page, "marks.json", sampleTrace());
  await page.evaluate(() => window.varve.drawer.show("marks"));
  assert.deepEqual([await looksEnabled(page, "Open marks…"), await looksEnabled(page, "Save marks")], [true, false]);
  await clickRuler(page, 0.4);
  assert.equal(await looksEnabled(page, "Save marks"), true);
  await clickRuler(page, 0.7);
  assert.deepEqual(await textsOf(page), ["Mark 1", "Mark 2"]);
  await clickSlice(page, "handle request");
  const slice = await page.evaluate(() => window.varve.details.value.slice.place);
  await press(page, "Shift+KeyM");
  await settled(page);
  assert.equal(await page.evaluate(() => document.activeElement.id), "mark-text");
  await page.keyboard.type("slow request");
  await page.keyboard.press("Enter");
  await settled(page);
  const note = (await marksOf(page)).find(({ text }) => text === "slow request");
  assert.equal(note.begin, slice.begin);
  assert.equal(BigInt(note.end) - BigInt(note.begin), BigInt(slice.extent));
  await page.getByRole("radio", { name: "vermilion" }).click();
  await settled(page);
  assert.equal((await marksOf(page)).find(({ text }) => text === "slow request").colour, 4);
  await page.getByLabel("Measure from").selectOption({ label: "Mark 1" });
  await page.getByLabel("Measure to").selectOption({ label: "Mark 2" });
  await settled(page);
  const [first, second] = (await marksOf(page)).filter(({ text }) => text.startsWith("Mark"));
  const slices = await page.evaluate(async ({ begin, end }) => {
    const bytes = await window.varve.loading.ready[0].request("stats", { begin, end });
    return JSON.parse(new TextDecoder().decode(bytes)).slices;
  }, { begin: first.begin, end: second.begin });
  assert.ok(slices > 0);
  const measured = await page.locator("#marks-measure output").innerText();
  assert.match(measured, new RegExp(`ms · [\\d.]+ /s · ${slices} slices$`));
  await picture("marks");
  await page.getByRole("button", { name: "Delete Mark 1", exact: true }).click();
  await settled(page);
  await page.locator("#timeline").focus();
  await press(page, "Alt+KeyM");
  await press(page, "Delete");
  assert.equal((await textsOf(page)).length, 1);
  await press(page, "Control+KeyZ");
  await press(page, "Control+KeyZ");
  assert.equal((await textsOf(page)).length, 3);
});

test("marks are kept with the content of the trace, and leave and return as a file", async ({ page, transport }) => {
  await transport.open(page, "kept.json", sampleTrace().replace("reload", "kept"));
  await clickRuler(page, 0.5);
  await settled(page);
  const before = await marksOf(page);
  assert.deepEqual(before.map(({ text }) => text), ["Mark 1"]);
  await transport.open(page, "compressed.json.gz", gzip(sampleTrace().replace("reload", "kept")));
  await settled(page);
  assert.deepEqual(await marksOf(page), before);
  await page.getByRole("tab", { name: /^Marks/ }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save marks" }).click()]);
  assert.match(download.suggestedFilename(), /\.varve-view$/);
  const text = readFileSync(await download.path(), "utf8");
  assert.equal(JSON.parse(text).traces[0].marks[0].text, "Mark 1");
  await page.getByRole("button", { name: "Delete Mark 1", exact: true }).click();
  await settled(page);
  assert.deepEqual(await marksOf(page), []);
  await page.locator("#marks-file").setInputFiles({ name: "x.varve-view", mimeType: "application/json", buffer: Buffer.from(text) });
  await settled(page);
  assert.deepEqual(await marksOf(page), before);
  await page.locator("#marks-file").setInputFiles({ name: "wrong.varve-view", mimeType: "application/json", buffer: Buffer.from('{"varve_view": 1, "traces": 5}') });
  await page.waitForFunction(() => window.varve.notice.value.includes("byte 28"));
  assert.deepEqual(await marksOf(page), before);
});
