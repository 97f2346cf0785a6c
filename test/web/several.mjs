// Several traces: opening adds or replaces as the user says, and one of them can be closed.
import assert from "node:assert/strict";
import { drop, idle, press, settled } from "./browser.mjs";
import { sampleTrace, UNRECOGNISED } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const names = (page) => page.evaluate(() => window.varve.loading.traces.value.map((trace) => trace.info.file.name));
const other = sampleTrace().replaceAll("server", "client");
const file = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });

async function waitForNames(page, expected) {
  await page.waitForFunction((count) => window.varve.loading.traces.value.length === count && !window.varve.loading.isLoading, expected.length);
  await idle(page);
  assert.deepEqual(await names(page), expected);
}

/** Opens a file with Ctrl+O and a button of the dialog. */
async function choose(page, button, name, text) {
  await page.evaluate(() => window.varve.focusTimeline());
  await press(page, "Control+KeyO");
  const dialog = page.getByRole("dialog", { name: "Open" });
  await dialog.waitFor();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), dialog.getByRole("button", { name: button, exact: true }).click()]);
  await chooser.setFiles(file(name, text));
}

test("Ctrl+O asks whether the files are added or replace the open trace", async ({ page, transport, picture }) => {
  await transport.open(page, "first.json", sampleTrace());
  await page.evaluate(() => (window.showOpenFilePicker = undefined)); // a test cannot choose in its dialog
  await press(page, "Control+KeyO");
  await page.getByRole("dialog", { name: "Open" }).locator("p", { hasText: "first.json" }).waitFor();
  await picture("open dialog");
  await page.keyboard.press("Escape");
  await choose(page, "Add", "second.json", other);
  await waitForNames(page, ["first.json", "second.json"]);
  await choose(page, "Replace", "third.json", sampleTrace());
  await waitForNames(page, ["third.json"]);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Open", exact: true }).click({ modifiers: ["Shift"] })]);
  await chooser.setFiles(file("second.json", other));
  await waitForNames(page, ["third.json", "second.json"]);
});

test("a file that is not a trace, and a cancelled choice, replace nothing", async ({ page }) => {
  await choose(page, "Replace", "letter.txt", UNRECOGNISED);
  await page.getByRole("alert").filter({ hasText: "letter.txt" }).getByRole("button", { name: "Dismiss" }).click();
  await choose(page, "Replace", "empty.json", "");
  await page.getByRole("alert").filter({ hasText: "empty.json" }).getByRole("button", { name: "Dismiss" }).click();
  assert.deepEqual(await names(page), ["third.json", "second.json"]);
});

test("one of several traces is closed; the view and the marks of the others stay", async ({ page, picture }) => {
  const range = (trace) =>
    page.evaluate((trace) => {
      const { begin, end } = window.varve.view.range(trace);
      return [Number(begin), Number(end)];
    }, trace);
  await page.evaluate(() => {
    const { view } = window.varve;
    view.setRange(1, 10_000_000n, 30_000_000n, performance.now());
    window.varve.filterTracks("worker");
    window.varve.schedule();
  });
  await settled(page);
  const before = await range(1);
  await picture("two traces");
  await page.getByRole("button", { name: "Close third.json" }).click();
  await waitForNames(page, ["second.json"]);
  assert.deepEqual(await range(0), before);
  assert.equal(await page.evaluate(() => window.varve.rows.value.filter), "worker");
  assert.match(await page.title(), /^second\.json - /);
  assert.equal(await page.getByRole("button", { name: /^Close second/ }).count(), 0);
  await page.evaluate(() => window.varve.filterTracks(""));
});

test("a dropped file replaces or adds, as the half of the page says", async ({ page, picture }) => {
  const over = async (mode) => {
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["[]"], "x.json"));
      return data;
    });
    await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
    await page.locator(`.drop-zone[data-mode=${mode}]`).waitFor();
    return transfer;
  };
  const dropOn = async (mode, name, text) => {
    await over(mode);
    await drop(page, name, text, {}, `.drop-zone[data-mode=${mode}]`);
  };
  await over("add");
  await picture("drop zones");
  await dropOn("add", "fourth.json", sampleTrace());
  await waitForNames(page, ["second.json", "fourth.json"]);
  await dropOn("replace", "fifth.json", sampleTrace());
  await waitForNames(page, ["fifth.json"]);
});
