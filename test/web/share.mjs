// The viewer and a trace as one HTML file, opened from disk without a network.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { clickSlice, drop, idle, loaded, press } from "./browser.mjs";
import { manyNames, sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const OFFLINE = { offline: true };

/** Saves one HTML file with the dialog "Share"; returns its path. */
async function share(page, folder, part = null) {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("dialog", { name: "Share" }).waitFor();
  if (part !== null) await page.locator(`#save-${part}`).check();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save", exact: true }).click()]);
  const path = join(folder, `${part ?? "whole"}.html`);
  await download.saveAs(path);
  await page.waitForFunction(() => window.varve.dialog.value === null || document.querySelector("#save-losses") !== null);
  await page.keyboard.press("Escape");
  return path;
}

/** Opens a file from disk; returns the requests that the page made. */
async function openFromDisk(page, path) {
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(path).href);
  await loaded(page);
  return requests;
}

const rangeOf = (page) =>
  page.evaluate(() => {
    const { begin, end } = window.varve.view.range(0);
    const origin = BigInt(String(window.varve.loading.traces.value[0].info.time.begin_ns));
    return [Number(begin + origin), Number(end + origin)];
  });

test("a shared file opens from disk, offline, with the trace, its view and its arguments", async ({ page, transport, theme, withPage, picture }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-share-test-"));
  await transport.open(page, "sample.json", sampleTrace());
  await clickSlice(page, "handle request");
  await press(page, "Shift+KeyF");
  const before = await rangeOf(page);
  await page.getByRole("button", { name: "Share" }).click();
  await picture("share dialog");
  await page.keyboard.press("Escape");
  const path = await share(page, folder);
  assert.ok(readFileSync(path).length < 10 << 20);
  await withPage(OFFLINE, async (shared) => {
    await shared.addInitScript(() => new MutationObserver((_, all) => {
      if (document.body !== null) all.disconnect();
      else window.firstTheme = document.documentElement?.dataset.theme;
    }).observe(document, { subtree: true, childList: true, attributes: true }));
    const requests = await openFromDisk(shared, path);
    assert.deepEqual(requests.filter((url) => !url.startsWith("blob:")), [pathToFileURL(path).href]);
    assert.equal(await shared.evaluate(() => window.varve.loading.traces.value[0].info.counts.slices), 121);
    assert.deepEqual(await rangeOf(shared), before);
    await shared.getByText("text/html").first().waitFor(); // an argument of the selected slice
    await picture("shared page", shared);
    assert.equal(await shared.evaluate(() => window.firstTheme), theme, "the page has its theme before its body");
    await shared.locator("#tab-sql").click();
    await shared.getByText("A single HTML file has no SQL").waitFor();
    await shared.keyboard.press("Control+KeyS");
    assert.equal(await shared.locator("#save-format option[value=parquet]").count(), 0);
    await shared.keyboard.press("Escape");
    // The page can be shared again from its copy.
    const again = await share(shared, folder, "view");
    await openFromDisk(shared, again);
    assert.deepEqual(await rangeOf(shared), before);
  });
  rmSync(folder, { recursive: true });
});

test("the time in view is shared as a cut, which opens at the same time", async ({ page, transport, withPage }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-share-test-"));
  await transport.open(page, "sample.json", sampleTrace());
  await clickSlice(page, "handle request");
  await press(page, "Shift+KeyF");
  const before = await rangeOf(page);
  const path = await share(page, folder, "view");
  await withPage(OFFLINE, async (shared) => {
    await openFromDisk(shared, path);
    const counts = await shared.evaluate(() => window.varve.loading.traces.value[0].info.counts);
    assert.ok(counts.slices > 2 && counts.slices < 20, JSON.stringify(counts));
    assert.deepEqual(await rangeOf(shared), before);
    assert.match(await shared.locator("#details h2").innerText(), /handle request/);
  });
  rmSync(folder, { recursive: true });
});

test("several open traces are shared in one file, in their order, with their view", async ({ page, transport, withPage, picture }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-share-test-"));
  await transport.openTwo(page, ["before.json", "after.json"], [manyNames(20000), sampleTrace()]);
  // The trace that is loaded first has the number 0.
  await page.evaluate(() => window.varve.selection.selectNamed(window.varve.loading.traces.value.findIndex(({ info }) => info.file.name === "after.json"), "handle request"));
  await page.locator("#details h2", { hasText: "handle request" }).waitFor();
  await press(page, "Shift+KeyF");
  await idle(page);
  const seen = (of) => of.evaluate(() => ({ names: window.varve.loading.traces.value.map((trace) => trace.info.file.name.split("/").at(-1)), range: Object.values(window.varve.view.range(1)).map(String) }));
  const before = await seen(page);
  await page.getByRole("button", { name: "Share" }).click();
  assert.equal(await page.locator("#save-trace option:checked").innerText(), "All open traces");
  assert.ok(await page.locator("#save-view").isDisabled());
  await picture("share dialog of two");
  await page.locator("#save-format").selectOption("json"); // one trace in each file
  assert.equal(await page.locator("#save-trace option:checked").innerText(), before.names[0]);
  await page.keyboard.press("Escape");
  const path = await share(page, folder);
  await withPage(OFFLINE, async (shared) => {
    await openFromDisk(shared, path);
    await shared.waitForFunction(() => window.varve.loading.traces.value.length === 2);
    await idle(shared);
    assert.deepEqual(await seen(shared), before);
    assert.match(await shared.locator("#details h2").innerText(), /handle request/);
  });
  rmSync(folder, { recursive: true });
});

test("a dropped HTML file opens all its traces under their names, with its view", async ({ page, transport, withPage, picture }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-share-test-"));
  await transport.openTwo(page, ["before.json", "after.json"], [manyNames(20000), sampleTrace()]);
  await page.evaluate(() => window.varve.selection.selectNamed(window.varve.loading.traces.value.findIndex(({ info }) => info.file.name === "after.json"), "handle request"));
  await press(page, "Shift+KeyF");
  await idle(page);
  const before = await rangeOf(page);
  const both = readFileSync(await share(page, folder));
  await withPage({}, async (other) => {
    await transport.open(other, "sample.json", sampleTrace());
    await drop(other, "both.html", both);
    await other.waitForFunction(() => window.varve.loading.traces.value.length === 2);
    await other.locator("#details h2", { hasText: "handle request" }).waitFor();
    await idle(other);
    assert.deepEqual((await other.evaluate(() => window.varve.loading.traces.value.map(({ info }) => info.file.name))).sort(), ["after.json", "before.json"]);
    assert.deepEqual(await rangeOf(other), before);
    await picture("dropped page");
    await drop(other, "none.html", "<!doctype html><html><body>Hello</body></html>");
    await other.getByRole("alert").filter({ hasText: "none.html" }).waitFor();
  });
  rmSync(folder, { recursive: true });
});

test("a dropped HTML file with a cut opens at the time of the cut, beside an open trace", async ({ page, transport, withPage }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-share-test-"));
  await transport.open(page, "sample.json", sampleTrace());
  await clickSlice(page, "handle request");
  await press(page, "Shift+KeyF");
  const before = await rangeOf(page);
  const cut = readFileSync(await share(page, folder, "view"));
  await withPage({}, async (other) => {
    await transport.open(other, "many.json", manyNames(2000));
    await drop(other, "cut.html", cut);
    await other.locator("#details h2", { hasText: "handle request" }).waitFor();
    await idle(other);
    assert.deepEqual(await rangeOf(other), before);
  });
  rmSync(folder, { recursive: true });
});

test("names in the trace do not become part of the page", async ({ page, transport, withPage }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-share-test-"));
  const name = "</script><script>window.hacked = true</script><img src=x onerror='window.hacked = true'>";
  const events = [
    { ph: "M", name: "process_name", pid: 1, tid: 1, args: { name } },
    { ph: "X", name, cat: name, pid: 1, tid: 1, ts: 0, dur: 100, args: { [name]: name } },
  ];
  await transport.open(page, "<!--<script>&quot;.json", JSON.stringify(events));
  const path = await share(page, folder);
  await withPage(OFFLINE, async (shared) => {
    await openFromDisk(shared, path);
    await idle(shared);
    assert.equal(await shared.evaluate(() => window.hacked), undefined);
    assert.equal(await shared.locator("img").count(), 0);
    assert.match(await shared.locator(".names").innerText(), /<!--<script>&quot;\.json/);
    assert.equal(await shared.evaluate(() => window.varve.loading.traces.value[0].info.counts.slices), 1);
  });
  rmSync(folder, { recursive: true });
});

test("a trace in several blocks is joined, and a damaged one is refused", async ({ page, transport, withPage }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-share-test-"));
  await transport.open(page, "sample.json", sampleTrace());
  const path = await share(page, folder);
  const split = join(folder, "split.html");
  writeFileSync(split, readFileSync(path, "utf8").replace(/(data-trace="[^"]*">.{100})/s, '$1</script><script type="text/plain" data-more>'));
  await withPage(OFFLINE, async (shared) => {
    await openFromDisk(shared, split);
    assert.equal(await shared.evaluate(() => window.varve.loading.traces.value[0].info.counts.slices), 121);
  });
  const damaged = join(folder, "damaged.html");
  writeFileSync(damaged, readFileSync(path, "utf8").replace(/(data-trace="[^"]*">).*?<\/script>/s, `$1${btoa("no trace")}</script>`));
  await withPage(OFFLINE, async (shared) => {
    await shared.goto(pathToFileURL(damaged).href);
    await shared.getByRole("alert").filter({ hasText: "sample.json" }).waitFor();
  });
  rmSync(folder, { recursive: true });
});
