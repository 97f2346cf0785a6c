// Files of every kind: broken, foreign, compressed, endless.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clickSlice, drop, idle, loaded, range, settled, viewInAddress } from "./browser.mjs";
import { brokenTrace, gzip, gzipTwice, sampleTrace, UNRECOGNISED, zstd } from "./fixtures.mjs";
import { test } from "./tap.mjs";

test("a broken file shows the readable events, and a report of its errors", async ({ page, transport, picture }) => {
  await transport.open(page, "broken.json", brokenTrace());
  assert.match(await page.locator(".names").innerText(), /2 slices/);
  const badge = page.locator("#report-badge");
  assert.equal(await badge.innerText(), "Incomplete");
  await badge.click();
  const report = page.locator("dialog .report");
  await report.waitFor();
  const rows = await report.locator("tbody tr").allInnerTexts();
  const lonely = rows.find((row) => row.startsWith("unmatched-end"));
  assert.ok(lonely !== undefined, rows.join("\n"));
  const cells = lonely.split("\t").map((cell) => cell.trim());
  assert.equal(cells[1], "1");
  assert.equal(cells[3], String(brokenTrace().indexOf('{"ph":"E"')));
  assert.equal(cells[4], "1");
  assert.match(await report.innerText(), /ended early/);
  await picture("report");
  await page.keyboard.press("Escape");
});

test("the byte of a warning leads to its event, or to the last one before", async ({ transport, withPage }) => {
  const event = (ph, ts, more) => JSON.stringify({ ph, pid: 1, tid: 1, ts, ...more });
  const flow = { name: "way", id: 1, cat: "c" };
  const events = [event("X", 0, { name: "whole", dur: 1000 }), event("B", 1100, { name: "open", tid: 2, args: { n: 1 } }), event("s", 500, flow), event("f", 1200, flow)];
  await withPage({}, async (page) => {
    await transport.open(page, "warned.json", `[${events.join(",\n")},\n{"ph":"X","name":"cut off`);
    const go = async (kind) => {
      await page.locator("#report-badge").click();
      await page.locator("dialog .report tbody tr", { hasText: kind }).getByRole("button", { name: /^Go to the event at byte/ }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      await idle(page);
      return page.evaluate(() => ({ focus: document.activeElement.id, details: window.varve.selection.details.value.kind, notice: window.varve.notice.value }));
    };
    assert.deepEqual(await go("unfinished-slice"), { focus: "timeline", details: "slice", notice: "" });
    assert.equal(await page.locator("#details h2").innerText(), "open");
    const other = await go("flow-without-slice");
    assert.deepEqual([other.focus, other.details], ["timeline", "none"]);
    assert.match(other.notice, /^The event at this byte is not drawn/);
    assert.match((await go("truncated")).notice, /^This is the last event before the byte/);
  });
});

const openNames = (page) => page.evaluate(() => window.varve.loading.traces.value.map((trace) => trace.info.file.name));

test("an unrecognised file is refused with the reason, and the open trace stays", async ({ page, picture }) => {
  await page.evaluate(() => window.varve.run("fit-all"));
  const before = await range(page);
  await drop(page, "letter.txt", UNRECOGNISED);
  const card = page.getByRole("alert").filter({ hasText: "letter.txt" });
  await card.waitFor();
  assert.match(await card.innerText(), /expected|recognised|known/i);
  assert.match(await card.innerText(), /byte 0/);
  await picture("unrecognised");
  const size = page.viewportSize();
  await page.setViewportSize({ width: 500, height: 300 }); // where the card covers a control
  assert.ok(await card.evaluate((element) => {
    const { left, right, top, bottom } = document.querySelector(".order-button").getBoundingClientRect();
    return element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  }), "a control is above the card");
  await page.setViewportSize(size);
  await card.getByRole("button", { name: "Dismiss" }).click();
  await card.waitFor({ state: "detached" });
  assert.deepEqual(await openNames(page), ["broken.json"]);
  assert.deepEqual(await range(page), before);
  await clickSlice(page, "also whole", 0.9);
});

test("of several files the bad ones are listed with their reasons, and the others open", async ({ withPage, transport, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "broken.json", brokenTrace());
    await page.setViewportSize({ width: 800, height: 500 });
    const texts = new Map([["empty.json", ""], ...["a", "b", "c", "d"].map((name) => [`${name}.txt`, UNRECOGNISED]), ["good.json", sampleTrace()]]);
    const card = page.getByRole("alert");
    let proceed; // the good file arrives after the others have failed
    const failed = new Promise((resolve) => (proceed = resolve));
    await page.route("**/given/*", async (route) => {
      const name = route.request().url().split("/").pop();
      if (name === "good.json") await failed;
      await route.fulfill({ body: texts.get(name) });
    });
    await page.evaluate((names) => window.varve.openUrls(names.map((name) => `given/${name}`), "replace"), [...texts.keys()]);
    await page.waitForFunction(() => document.querySelector(".card-error h2")?.textContent === "5 files were not opened");
    proceed();
    await page.waitForFunction(() => window.varve.loading.traces.value[0]?.info.file.name === "good.json");
    await settled(page);
    assert.equal(await card.count(), 1);
    assert.deepEqual(await card.locator("h3").allInnerTexts(), ["empty.json", "a.txt", "b.txt", "c.txt", "d.txt"]);
    assert.match(await card.innerText(), /The input is empty.*Not a trace/s);
    const { top, height } = await card.evaluate((element) => element.getBoundingClientRect());
    assert.ok(top > 80 && height < 400, `the card begins at ${top} with ${height} px`);
    await picture("several bad files", page);
    await card.getByRole("button", { name: "Dismiss" }).click();
    await card.waitFor({ state: "detached" });
    assert.deepEqual(await openNames(page), ["good.json"]);
  });
});

test("an empty file is refused with the reason, and the open trace stays as it was", async ({ page }) => {
  await drop(page, "empty.json", "");
  const card = page.getByRole("alert").filter({ hasText: "empty.json" });
  await card.waitFor();
  assert.match(await card.innerText(), /The input is empty.*byte 0/s);
  assert.deepEqual(await openNames(page), ["broken.json"]);
  assert.equal(await page.locator("#details h2").innerText(), "also whole");
});

test("the open trace stays usable while another loads, and after that load is cancelled", async ({ page, picture }) => {
  await page.route("**/engine.wasm", () => {}); // is never answered: the load does not end
  await drop(page, "slow.json", sampleTrace());
  const card = page.getByRole("region", { name: "Loading slow.json" });
  await card.waitFor();
  assert.equal(await page.getByRole("alert").count(), 0, "the refusal before is gone");
  await page.locator("#timeline").focus();
  await page.keyboard.press("Escape");
  await page.locator("#details").waitFor({ state: "detached" });
  await page.keyboard.press("Control+KeyA");
  await page.locator(".stats").waitFor();
  await picture("loading another");
  await card.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("status").filter({ hasText: "Loading slow.json was cancelled." }).waitFor();
  await page.unroute("**/engine.wasm");
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.deepEqual(await openNames(page), ["broken.json"]);
  assert.equal(await page.locator(".stats").count(), 1);
  assert.equal(await page.evaluate(() => document.activeElement.id), "timeline");
});

test("of two files dropped one after the other the later one opens", async ({ page }) => {
  await page.route("**/engine.wasm", () => {});
  await drop(page, "slow.json", sampleTrace());
  await page.getByRole("region", { name: "Loading slow.json" }).waitFor();
  await page.unroute("**/engine.wasm");
  await drop(page, "later.json", brokenTrace());
  await page.waitForFunction(() => window.varve.loading.traces.value[0]?.info.file.name === "later.json");
  await idle(page);
  assert.deepEqual(await openNames(page), ["later.json"]);
  assert.equal(await page.locator(".card").count(), 0);
  assert.equal(await page.locator(".stats").count(), 0, "the area of the trace before is gone");
});

test("after a refusal the next file opens", async ({ page }) => {
  await drop(page, "letter.txt", UNRECOGNISED);
  await page.getByRole("alert").filter({ hasText: "letter.txt" }).waitFor();
  await drop(page, "sample.json", sampleTrace());
  await page.waitForFunction(() => window.varve.loading.traces.value[0]?.info.file.name === "sample.json");
  await idle(page);
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.equal(await page.evaluate(() => window.varve.loading.traces.value[0].info.counts.slices), 121);
});

test("gzip opens, in one member or several, whole or cut", async ({ page }) => {
  const slices = () => page.evaluate(() => window.varve.loading.traces.value[0]?.info.counts.slices);
  for (const [name, bytes] of [
    ["one.json.gz", gzip(sampleTrace())],
    ["two.json.gz", gzipTwice(sampleTrace())],
  ]) {
    await drop(page, name, bytes);
    await page.waitForFunction((n) => window.varve.loading.traces.value[0]?.info.file.name === n, name);
    await idle(page);
    assert.equal(await slices(), 121, name);
    const file = await page.evaluate(() => window.varve.loading.traces.value[0].info.file);
    assert.deepEqual(file, { name, bytes: bytes.length, compression: "gzip" });
  }
});

test("truncated gzip is reported, wherever it is cut", async ({ page }) => {
  const whole = gzip(sampleTrace());
  // Adjacent sizes, because a decoder may have used every bit before one cut and not before the next; and the
  // last two have all data.
  const cuts = [400, 399, 398, 397, 396, 395, 394, 393, 8, 1].map((missing) => whole.subarray(0, whole.length - missing));
  for (const bytes of [...cuts, gzipTwice(sampleTrace()).subarray(0, -9)]) {
    const name = `cut-${bytes.length}.json.gz`;
    await drop(page, name, bytes);
    await page.waitForFunction((n) => window.varve.loading.traces.value[0]?.info.file.name === n, name);
    await idle(page);
    const info = await page.evaluate(() => window.varve.loading.traces.value[0].info);
    const hasAll = bytes.length >= whole.length - 8; // cut inside the trailer
    assert.ok(hasAll ? info.counts.slices === 121 : info.counts.slices > 0 && info.counts.slices < 121, `${name}: ${info.counts.slices} slices`);
    await page.locator("#report-badge").click();
    const report = page.locator("dialog .report");
    await report.waitFor();
    const text = await report.innerText();
    await page.keyboard.press("Escape");
    await report.waitFor({ state: "hidden" });
    assert.match(text, /gzip data is damaged or cut short/, name);
  }
});

test("zstd of several frames opens", async ({ page }) => {
  await drop(page, "two.json.zst", zstd);
  await page.waitForFunction(() => window.varve.loading.traces.value[0]?.info.file.name === "two.json.zst");
  const info = await page.evaluate(() => window.varve.loading.traces.value[0].info);
  assert.equal(info.counts.slices, 2);
  assert.equal(info.file.compression, "zstd");
  assert.equal(info.complete, true);
});

test("zip opens: all its traces are one view", async ({ page }) => {
  for (const [archive, slices] of [
    ["7z", 5],
    ["bsdtar_stream", 5],
    ["bsdtar_stream_stored", 2],
    ["info_zip", 6],
    ["info_zip_stream", 2],
    ["python_stream_zip64", 5],
    ["python_zip64", 2],
  ]) {
    const name = `${archive}.zip`;
    const bytes = readFileSync(new URL(`../data/archives/${name}`, import.meta.url));
    await drop(page, name, bytes);
    await page.waitForFunction((n) => window.varve.loading.traces.value[0]?.info.file.name === n, name);
    await idle(page);
    const info = await page.evaluate(() => window.varve.loading.traces.value[0].info);
    assert.equal(info.counts.slices, slices, name);
    assert.deepEqual(info.file, { name, bytes: bytes.length, compression: "zip" });
    assert.deepEqual(info.warnings, [], name);
  }
});

test("a truncated zip opens up to the end of its data", async ({ page }) => {
  const bytes = readFileSync(new URL("../data/archives/info_zip.zip", import.meta.url)).subarray(0, 330);
  await drop(page, "cut.zip", bytes);
  await page.waitForFunction(() => window.varve.loading.traces.value[0]?.info.file.name === "cut.zip");
  await idle(page);
  const info = await page.evaluate(() => window.varve.loading.traces.value[0].info);
  assert.ok(info.counts.slices >= 2 && info.counts.slices < 6, `${info.counts.slices} slices`);
  await page.locator("#report-badge").click();
  assert.match(await page.locator("dialog").innerText(), /zip/);
  await page.keyboard.press("Escape");
});

test("UTF-16 opens, and its arguments are shown", async ({ page }) => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(sampleTrace(), "utf16le")]);
  await drop(page, "wide.json", bytes);
  await page.waitForFunction(() => window.varve.loading.traces.value[0]?.info.file.name === "wide.json");
  await idle(page);
  const info = await page.evaluate(() => window.varve.loading.traces.value[0].info);
  assert.equal(info.counts.slices, 121);
  assert.deepEqual(info.warnings, []);
  const details = await page.evaluate(async () => {
    const answers = await Promise.all([0, 1, 2, 3].map((id) => window.varve.loading.traces.value[0].load.request("slice", { id })));
    return answers.map((answer) => new TextDecoder().decode(answer)).join("");
  });
  assert.match(details, /item/);
});

test("a load can be cancelled", async ({ page, transport, picture }) => {
  await transport.openEndless(page);
  const card = page.getByRole("region", { name: /^Loading/ });
  await card.waitFor();
  await picture("loading");
  await card.getByRole("button", { name: "Cancel" }).click();
  const message = page.getByRole("alert").filter({ hasText: "cancelled" });
  await message.waitFor();
  const welcome = page.getByRole("heading", { name: "No trace is open", level: 2 });
  await welcome.waitFor();
  assert.ok((await message.boundingBox()).y < (await welcome.boundingBox()).y, "the message is above the card");
  await picture("cancelled");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await message.waitFor({ state: "detached" });
  await welcome.waitFor();
  await picture("nothing open");
});

test("?url= opens the trace at the address, or shows the reason for failing", async ({ page, transport, transportName, withPage }) => {
  if (transportName !== "worker") return "only in the static page";
  await page.goto(`${transport.server.url}?url=files/sample.json`);
  await loaded(page);
  assert.equal(await page.title(), "sample.json - Varve");
  await withPage({}, async (other) => {
    await other.route("**/files/none.json", (route) => route.fulfill({ status: 200, body: "" }));
    await other.goto(`${transport.server.url}?url=files/none.json`);
    await other.getByRole("alert").waitFor();
    await other.getByRole("heading", { name: "No trace is open", level: 2 }).waitFor();
  });
});

test("the page without a file shows the example and instructions", async ({ page, transport, transportName, picture }) => {
  if (transportName !== "worker") return "only in the static page";
  await page.goto(transport.server.url);
  await loaded(page);
  assert.match(await page.locator(".welcome").innerText(), /never leaves this machine/);
  assert.equal(await page.locator(".five-keys dt").count(), 5);
  await picture("example");
});

test("#slice= selects the slice with that id once the trace is loaded", async ({ transport, transportName, withPage }) => {
  await withPage({}, async (other) => {
    if (transportName === "worker") await other.goto(transport.server.url + "?url=files/sample.json#slice=17");
    else await transport.open(other, "linked.json", sampleTrace(), "#slice=17");
    await loaded(other);
    await other.locator("#details h2").waitFor();
    await idle(other);
    assert.equal(await other.evaluate(() => window.varve.details.value.slice.place.slice), 17);
    assert.ok((await viewInAddress(other)).traces[0].slice.begin > 0, "the link of the view takes its place");
  });
});

test("the browser fetches the first requests with the page, each once", async ({ transport, transportName, withPage }) => {
  if (transportName !== "http") return "only with the native engine";
  await withPage({}, async (page) => {
    const warnings = [];
    page.on("console", (message) => warnings.push(message.text()));
    await transport.open(page, "first.json", sampleTrace());
    const entries = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name, initiatorType }) => [name.replace(/^.*\/[0-9a-f]{32}\//, ""), initiatorType]));
    const named = (wanted) => entries.filter(([name]) => name === wanted).map(([, type]) => type);
    for (const name of ["first", "view.wasm", "app.js"]) assert.equal(named(name).length, 1, `${name}: ${JSON.stringify(entries)}`);
    for (const name of ["api/outline?trace=0", "api/info?trace=0", "api/categories?trace=0", "api/labels?trace=0&page=0"]) assert.ok(named(name).length <= 1, name);
    for (const name of ["view", "settings"]) assert.deepEqual(named(name), [], name);
    await page.reload(); // the trace is loaded now
    await loaded(page);
    const again = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => /\/api\/(status|outline|info|categories|labels)/.test(name)));
    assert.deepEqual(again, []);
    assert.deepEqual(warnings.filter((text) => text.includes("preload")), []);
  });
});

test("the bar is painted before the script runs, and stays at its place", async ({ transport, transportName, withPage }) => {
  if (transportName !== "worker") return "only in the static page";
  await withPage({}, async (page) => {
    let resume;
    const held = new Promise((resolve) => (resume = resolve));
    await page.route("**/app.js", async (route) => (await held, route.continue()));
    await page.goto(`${transport.server.url}?url=files/sample.json`, { waitUntil: "commit" });
    const places = (bar) =>
      page.evaluate((bar) => [bar, `${bar} .mark`].map((selector) => document.querySelector(selector).getBoundingClientRect().toJSON()), bar);
    await page.locator(".first-bar .mark").waitFor();
    await page.waitForFunction(() => getComputedStyle(document.querySelector(".first-bar")).display === "flex"); // the style is there
    const first = await places(".first-bar");
    resume();
    await loaded(page);
    assert.deepEqual(await places(".top-bar"), first);
    assert.equal(await page.locator(".first-bar").count(), 0);
  });
});

/** Collects the changes of the theme, from the begin of the document. */
const watchThemes = () => {
  window.themes = [];
  new MutationObserver(() => window.themes.push(document.documentElement.dataset.theme)).observe(document, { subtree: true, attributeFilter: ["data-theme"] });
};

test("the page has the stored theme from its first picture", async ({ transport, transportName, theme, withPage }) => {
  const stored = theme === "dark" ? "light" : "dark"; // the system has the other one
  await withPage({}, async (page) => {
    const isStored = () => transportName === "http" && page.waitForResponse((response) => response.url().endsWith("/settings") && response.request().method() === "POST");
    await transport.open(page, "sample.json", sampleTrace());
    const written = isStored();
    await page.evaluate((theme) => window.varve.settings.change({ theme }), stored);
    await written;
    await page.addInitScript(watchThemes);
    let resume;
    const held = new Promise((resolve) => (resume = resolve));
    await page.route("**/app.js", async (route) => (await held, route.continue()));
    const url = transportName === "http" ? await transport.serve(join(transport.folder, "sample.json")) : transport.server.url;
    await page.goto(url, { waitUntil: "commit" });
    await page.locator(".first-bar .mark").waitFor();
    await page.waitForFunction(() => getComputedStyle(document.querySelector(".first-bar")).display === "flex"); // the style is there
    const colour = (bar) => page.evaluate((bar) => getComputedStyle(document.querySelector(bar)).backgroundColor, bar);
    const first = await colour(".first-bar");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), stored);
    resume();
    await loaded(page);
    assert.equal(await colour(".top-bar"), first);
    assert.deepEqual(await page.evaluate((stored) => window.themes.filter((theme) => theme !== stored), stored), []);
    const again = isStored();
    await page.evaluate(() => window.varve.settings.reset());
    await again;
  });
});

test("the worker and the engine arrive while the static page is made", async ({ transport, transportName, withPage }) => {
  if (transportName !== "worker") return "only in the static page";
  await withPage({}, async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname.slice(1)));
    let resume;
    const engine = new Promise((resolve) => (resume = resolve));
    await page.route("**/engine.wasm", (route) => (resume(), route.continue()));
    await page.route("**/view.wasm", async (route) => (await engine, route.continue())); // the page waits for it
    await page.goto(`${transport.server.url}?url=files/sample.json`);
    await loaded(page);
    for (const file of ["worker.js", "engine.wasm"]) assert.equal(asked.filter((path) => path === file).length, 1, asked.join(" "));
  });
  await withPage({}, async (page) => {
    await page.route("**/worker.js", (route) => route.fulfill({ status: 200, contentType: "text/javascript", body: "throw new Error('no worker')" }));
    await page.goto(`${transport.server.url}?url=files/sample.json`);
    assert.match(await page.getByRole("alert").innerText(), /no worker/);
  });
});
