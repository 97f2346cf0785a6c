// Recently opened files: paths with `varve open`, handles in the static page.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drop, idle, loaded, press, settled } from "./browser.mjs";
import { sampleTrace, UNRECOGNISED } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const names = (page) => page.evaluate(() => window.varve.loading.traces.value.map((trace) => trace.info.file.name));
const listed = (page, where) => page.locator(`${where} .recent li .link`).allInnerTexts();

/** Lets the picker of files, and the next drops, return a file of the page's private folder. */
async function provide(page, name, text) {
  await page.evaluate(
    async ([name, text]) => {
      const handle = await (await navigator.storage.getDirectory()).getFileHandle(name, { create: true });
      const file = await handle.createWritable();
      await file.write(text);
      await file.close();
      window.showOpenFilePicker = async () => [handle];
      DataTransferItem.prototype.getAsFileSystemHandle = async () => handle;
    },
    [name, text],
  );
}

async function openDialog(page) {
  await page.locator("#timeline").focus();
  await page.keyboard.press("Control+KeyO");
  await page.locator("dialog").waitFor();
}

/** Opens a.json, then b.json in its place. Returns the file of the list. */
async function openTwo({ page, transport, transportName }) {
  if (transportName === "worker") {
    await page.goto(transport.server.url);
    await loaded(page);
    await provide(page, "a.json", sampleTrace());
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.waitForFunction(() => document.title.startsWith("a.json"));
    await idle(page);
    await provide(page, "b.json", sampleTrace());
    await drop(page, "b.json", sampleTrace());
    await page.waitForFunction(() => document.title.startsWith("b.json"));
    await idle(page);
    return null;
  }
  const stored = join(transport.folder, "state/varve/recent.json");
  writeFileSync(join(transport.folder, "a.json"), sampleTrace());
  await page.goto(await transport.serve(join(transport.folder, "a.json")));
  await loaded(page);
  await transport.open(page, "b.json", sampleTrace());
  assert.deepEqual(JSON.parse(readFileSync(stored, "utf8")).files.map((path) => path.split("/").at(-1)).slice(0, 2), ["b.json", "a.json"]);
  assert.equal(statSync(stored).mode & 0o777, 0o600);
  return stored;
}

test("a recent file is opened from the dialog and the palette", async ({ page, transport, transportName, picture }) => {
  await openTwo({ page, transport, transportName });
  await openDialog(page);
  assert.deepEqual((await listed(page, "dialog")).slice(0, 2), ["b.json", "a.json"]);
  if (transportName === "http") assert.equal(await page.locator("dialog .recent-folder").first().innerText(), transport.folder);
  await picture("recent files in the dialog");
  await page.locator("dialog .recent").getByRole("button", { name: "a.json" }).click();
  await page.waitForFunction(() => document.title.startsWith("a.json"));
  await idle(page);
  assert.deepEqual(await names(page), ["a.json"]);
  await openDialog(page);
  assert.deepEqual((await listed(page, "dialog")).slice(0, 2), ["a.json", "b.json"]);
  await page.locator("dialog .recent").getByRole("button", { name: "b.json" }).click({ modifiers: ["Shift"] });
  await page.waitForFunction(() => window.varve.loading.traces.value.length === 2);
  await idle(page);
  assert.deepEqual(await names(page), ["a.json", "b.json"]);
  await press(page, "F1");
  await page.locator(".chooser input").fill("recent b.json");
  await page.getByRole("option", { name: "Open b.json" }).waitFor();
  await picture("a recent file in the palette");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.title.startsWith("b.json"));
  await idle(page);
  assert.deepEqual(await names(page), ["b.json"]);
});

test("the start page lists the recent files after a reload", async ({ page, transport, transportName, picture }) => {
  await page.reload();
  await loaded(page);
  if (transportName === "worker") {
    await page.locator(".welcome").getByRole("button", { name: "a.json" }).waitFor(); // the list is read while the example loads
    assert.deepEqual(await listed(page, ".welcome"), ["b.json", "a.json"]);
    await picture("recent files below the introduction");
    await page.locator(".welcome").getByRole("button", { name: "a.json" }).click();
    await page.waitForFunction(() => document.title.startsWith("a.json"));
    await idle(page);
  } else {
    assert.deepEqual(await names(page), ["b.json"], "the file of the command line");
  }
  await page.evaluate(() => window.varve.closeTrace(0));
  await page.locator(".card .recent").waitFor();
  await picture("recent files without a trace");
  await page.locator(".card .recent").getByRole("button", { name: "b.json" }).click();
  await loaded(page);
  assert.deepEqual(await names(page), ["b.json"]);
});

test("a file that is gone or cannot be read leaves the open trace", async ({ page, transport, transportName }) => {
  await page.evaluate(() => window.varve.drawer.restore(null));
  if (transportName === "worker") {
    await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry("a.json"));
  } else {
    writeFileSync(join(transport.folder, "a.json"), UNRECOGNISED);
  }
  await openDialog(page);
  await page.locator("dialog .recent").getByRole("button", { name: "a.json" }).click();
  const reason = transportName === "worker" ? /does not exist any more/ : /Not a trace of a known format/;
  await page.getByText(reason).first().waitFor();
  await idle(page);
  assert.deepEqual(await names(page), ["b.json"]);
  const dismiss = page.getByRole("button", { name: "Dismiss" });
  if (await dismiss.count()) await dismiss.click();
  await openDialog(page);
  if (transportName === "worker") assert.deepEqual(await listed(page, "dialog"), ["b.json"]);
  await page.keyboard.press("Escape");
});

test("the browser is asked again, and a refusal has a message", async ({ page, transportName }) => {
  if (transportName === "http") return "only in the static page";
  await page.evaluate(() => {
    FileSystemFileHandle.prototype.queryPermission = async () => "prompt";
    FileSystemFileHandle.prototype.requestPermission = async () => (window.asked = (window.asked ?? 0) + 1, window.asked > 1 ? "granted" : "denied");
  });
  await openDialog(page);
  await page.locator("dialog .recent").getByRole("button", { name: "b.json" }).click();
  await page.getByText("The browser does not let this page read b.json.").waitFor();
  await openDialog(page);
  await page.locator("dialog .recent").getByRole("button", { name: "b.json" }).click({ modifiers: ["Shift"] });
  await page.waitForFunction(() => window.varve.loading.traces.value.length === 2);
  await idle(page);
  assert.equal(await page.evaluate(() => window.asked), 2);
});

test("the list is cleared, and switched off in the settings", async ({ page, transport, transportName }) => {
  const stored = transportName === "http" ? join(transport.folder, "state/varve/recent.json") : null;
  await openDialog(page);
  await page.locator("dialog .recent").getByRole("button", { name: "Clear" }).click();
  await page.locator("dialog .recent").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await settled(page);
  if (stored !== null) assert.equal(existsSync(stored), false);
  const reopened = await openTwo({ page, transport, transportName });
  if (reopened !== null) assert.equal(existsSync(reopened), true);
  await press(page, "Control+Comma");
  await page.getByLabel("Not listed; the present list is removed").check();
  await page.keyboard.press("Escape");
  await settled(page);
  await openDialog(page);
  assert.equal(await page.locator("dialog .recent").count(), 0);
  await page.keyboard.press("Escape");
  if (stored !== null) assert.equal(existsSync(stored), false);
  await page.reload();
  await loaded(page);
  await settled(page);
  assert.deepEqual(await page.evaluate(() => window.varve.recent.files.value), []);
  if (stored !== null) assert.equal(existsSync(stored), false);
  await page.evaluate(() => window.varve.settings.reset());
  await settled(page);
});
