// The static page without a network: the service worker, and its update to another version.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { drop, idle, loaded } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { serveSite } from "./site_server.mjs";
import { test } from "./tap.mjs";

/** Waits for an asynchronous condition: waitForFunction takes the promise itself for true. */
async function until(page, condition) {
  for (let tries = 0; tries < 600; tries++) {
    if (await page.evaluate(condition)) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`not true within 30 s: ${condition}`);
}

/** Waits until the worker of the page is active: the next page is its client. */
const controlled = (page) => until(page, async () => (await navigator.serviceWorker.ready).active.state === "activated");
const hashOf = (bytes) => `sha256-${createHash("sha256").update(bytes).digest("base64")}`;

/** Makes a new version of the site, with another title. */
function change(folder, title) {
  const page = join(folder, "index.html");
  const worker = join(folder, "sw.js");
  const before = readFileSync(page);
  const after = Buffer.from(before.toString().replace(/<title>.*<\/title>/, `<title>${title}</title>`));
  writeFileSync(page, after);
  const text = readFileSync(worker, "utf8");
  writeFileSync(worker, text.replace(hashOf(before), hashOf(after)).replace(/VERSION = "\w+"/, `VERSION = "${title}"`));
}

const titleInFile = (page) => page.evaluate(async () => /<title>(.*)<\/title>/.exec(await (await fetch("./index.html")).text())[1]);

test("the static page works offline; the page of varve open has no service worker", async ({ page, site, transport, transportName, withPage }) => {
  if (transportName === "http") {
    await transport.open(page, "sample.json", sampleTrace());
    const text = await page.evaluate(async () => String((await navigator.serviceWorker.getRegistrations()).length));
    assert.equal(text, "0");
    return;
  }
  const server = await serveSite(site, {});
  await withPage({ serviceWorkers: "allow" }, async (shown) => {
    await shown.goto(server.url);
    await loaded(shown);
    await controlled(shown);
    assert.match(await shown.locator("link[rel=manifest]").getAttribute("href"), /manifest\.webmanifest$/);
    server.close();
    await shown.reload();
    await loaded(shown);
    assert.match(await shown.title(), /^example\.json\.gz - /);
    await drop(shown, "sample.json", sampleTrace());
    await shown.waitForFunction(() => window.varve.loading.traces.value[0]?.info.file.name === "sample.json");
    await idle(shown);
    assert.equal(await shown.evaluate(() => window.varve.loading.traces.value[0].info.counts.slices), 121);
  });
});

test("a new version waits until the pages of the old one are closed", async ({ site, transportName, withPage }) => {
  if (transportName === "http") return "it is of the static page";
  const folder = mkdtempSync(join(tmpdir(), "varve-offline-test-"));
  cpSync(site, folder, { recursive: true, filter: (path) => !/duckdb/.test(path) });
  const server = await serveSite(folder, {});
  await withPage({ serviceWorkers: "allow" }, async (shown) => {
    await shown.goto(server.url);
    await loaded(shown);
    await controlled(shown);
    change(folder, "second");
    await shown.reload();
    await loaded(shown);
    await shown.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await shown.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
    await until(shown, async () => (await navigator.serviceWorker.ready).waiting !== null);
    assert.equal(await titleInFile(shown), "Varve");
    assert.equal(await shown.evaluate(async () => (await caches.keys()).length), 2);
    const blank = await shown.context().newPage();
    await shown.goto("about:blank"); // no page of the old version is left
    const opened = async () => {
      await blank.goto("about:blank");
      await blank.goto(server.url);
      await loaded(blank);
      return titleInFile(blank);
    };
    // The browser replaces the old version some time after its last page.
    for (let tries = 0; tries < 20 && (await opened()) !== "second"; tries++);
    assert.equal(await titleInFile(blank), "second");
    await until(blank, async () => (await caches.keys()).length === 1);
  });
  server.close();
  rmSync(folder, { recursive: true });
});
