// The static page in a frame of another page, in a real Chromium:
//
//   frames_test.mjs SITE NODE_MODULES SOURCE_DIRECTORY VARVE
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, needChromium, newPage, TRANSPORTS } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { serveSite } from "./site_server.mjs";
import { run, test } from "./tap.mjs";

const [site, nodeModules, source, varve] = process.argv.slice(2);
const example = readFileSync(join(source, "examples/embed/frame.html"), "utf8");

/** Opens the example page, with a viewer at this address, on a server of its own. */
async function embed(page, server, viewer) {
  server.files["frame.html"] = example.replace("https://viewer.example/", viewer);
  await page.goto(`${server.url}files/frame.html`);
  const frame = page.frames().find((one) => one.url().startsWith(viewer));
  await frame?.waitForFunction(() => window.varve?.isIdle === true && window.varve.loading.traces.value.length > 0);
  return frame;
}

/** Sends messages to the frame; returns the answers that arrive within a time in which an answer always arrived. */
const answersTo = (page, messages) =>
  page.evaluate(async (messages) => {
    const got = [];
    addEventListener("message", ({ data }) => got.push(data));
    for (const message of messages) document.getElementById("viewer").contentWindow.postMessage(message, "*");
    await new Promise((resume) => setTimeout(resume, 1500));
    return got;
  }, messages);

test("an allowed origin connects, opens traces, sets the view, selects, and receives selections", async ({ page, allowed, viewer }) => {
  const frame = await embed(page, allowed, viewer.url);
  const facts = await page.evaluate(async (text) => {
    await connect();
    const bytes = new TextEncoder().encode(text).buffer;
    const opened = await call("open", { source: bytes, name: "sample.json" });
    await call("select", { choice: "request" });
    while (document.getElementById("selected").textContent === "") await new Promise(requestAnimationFrame);
    const { view, visible } = await call("get-view");
    const changed = JSON.parse(view);
    changed.traces[0].range = { begin: 10_000_000, end: 20_000_000 };
    await call("set-view", { view: JSON.stringify(changed) });
    const after = await call("get-view");
    const wrong = await call("set-view", { view: "{" }).catch((error) => error.message);
    const missing = await call("select", { choice: { id: 10 ** 9 } }).catch((error) => error.message);
    return { name: opened.name, slices: opened.slices, selected: document.getElementById("selected").textContent, whole: String(visible.end - visible.begin), shown: `${after.visible.begin}..${after.visible.end}`, wrong, missing };
  }, String(sampleTrace()));
  assert.equal(facts.name, "sample.json");
  assert.equal(facts.slices, 121);
  assert.match(facts.selected, /request.*: /);
  assert.match(facts.shown, /^10000\d*\.\.20000\d*$/);
  assert.match(facts.wrong, /byte/);
  assert.notEqual(facts.missing, "");
  assert.equal(await frame.evaluate(() => window.varve.loading.traces.value.length), 1);
});

test("a message opens an address", async ({ page, allowed, viewer }) => {
  const frame = await embed(page, allowed, viewer.url);
  viewer.files["sample.json"] = sampleTrace();
  const open = (source) =>
    page.evaluate(async (source) => {
      await connect();
      return call("open", { source }).catch((error) => ({ failed: error.message }));
    }, source);
  const opened = await open(`${viewer.url}files/sample.json`);
  assert.deepEqual([opened.name, opened.slices], ["sample.json", 121]);
  const missing = await open(`${viewer.url}files/missing.json`);
  assert.match(missing.failed, /404/);
  assert.equal(await frame.evaluate(() => window.varve.loading.traces.value.length), 1);
});

test("malformed messages and those of other windows do nothing", async ({ page, allowed, viewer }) => {
  const frame = await embed(page, allowed, viewer.url);
  await page.evaluate(() => connect());
  const before = await frame.evaluate(() => window.varve.views.text(3));
  const messages = [null, 5, "ping", {}, { varve: 1 }, { varve: 2, id: 1, call: "ping" }, { varve: 1, call: "ping" }, { varve: 1, id: -1, call: "ping" }, { varve: 1, id: "1", call: "ping" },
    { varve: 1, id: 1, call: "constructor" }, { varve: 1, id: 1, call: "open" }, { varve: 1, id: 1, call: "open", source: "file:///etc/passwd" }, { varve: 1, id: 1, call: "open", source: "javascript:1" },
    { varve: 1, id: 1, call: "open", source: "relative.json" }, { varve: 1, id: 1, call: "open", source: new ArrayBuffer(1), name: 5 }, { varve: 1, id: 1, call: "set-view", view: {} },
    { varve: 1, id: 1, call: "select" }, { varve: 1, id: 1, call: "select", choice: { id: 1.5 } }, { varve: 1, id: 1, call: "select", choice: { name: 1 } }];
  const malformed = messages.filter((message) => !(message?.source instanceof ArrayBuffer));
  assert.deepEqual(await answersTo(page, malformed), []);
  // A frame beside the viewer has the allowed origin, but is not the page around it.
  allowed.files["sibling.html"] = "<!doctype html><script>onmessage = () => parent.frames[0].postMessage({ varve: 1, id: 7, call: 'select', choice: null }, '*')</script>";
  await page.evaluate(async () => {
    const sibling = document.createElement("iframe");
    sibling.src = "sibling.html";
    document.body.append(sibling);
    await new Promise((resume) => (sibling.onload = resume));
    sibling.contentWindow.postMessage("go", "*");
  });
  assert.deepEqual(await answersTo(page, []), []);
  assert.equal(await frame.evaluate(() => window.varve.views.text(3)), before);
});

test("other origins, and a viewer without a list, answer nothing", async ({ page, other, viewer, closed }) => {
  const ping = { varve: 1, id: 1, call: "ping" };
  await embed(page, other, viewer.url);
  assert.deepEqual(await answersTo(page, [ping, { ...ping, call: "get-view" }]), []);
  await embed(page, other, closed.url);
  assert.deepEqual(await answersTo(page, [ping]), []);
});

test("varve open is not shown in a frame", async ({ page, allowed, problems }) => {
  const native = await TRANSPORTS.http.start({ varve });
  try {
    const path = join(native.folder, "sample.json");
    writeFileSync(path, sampleTrace());
    allowed.files["frame.html"] = example.replace("https://viewer.example/", await native.serve(path));
    await page.goto(`${allowed.url}files/frame.html`);
    assert.deepEqual(await answersTo(page, [{ varve: 1, id: 1, call: "ping" }]), []);
    assert.ok(problems.splice(0).some((problem) => /frame-ancestors/.test(problem)));
  } finally {
    await native.stop();
  }
});

test("the console has no errors, and no request went to another host", ({ problems }) => {
  assert.deepEqual(problems.filter((problem) => !/404/.test(problem)), []);
});

/** Starts a server with a list of files that tests change. */
async function serve(folder) {
  const files = {};
  return { ...(await serveSite(folder, files)), files };
}

const chromium = needChromium();
const folder = mkdtempSync(join(tmpdir(), "varve-frames-"));
cpSync(site, folder, { recursive: true, filter: (path) => !/duckdb|parquet/.test(path) });
const [allowed, other, closed, viewer] = [await serve(site), await serve(site), await serve(site), await serve(folder)];
writeFileSync(join(folder, "embedding.json"), JSON.stringify({ origins: [allowed.url.slice(0, -1), "*", "null", `${other.url}path`] }));
const browser = await launch(nodeModules, chromium);
const problems = [];
const page = await newPage(browser, "dark", problems);
const failed = await run({ page, allowed, other, closed, viewer, problems }, async () => undefined);
await browser.close();
for (const server of [allowed, other, closed, viewer]) server.close();
rmSync(folder, { recursive: true });
process.exit(failed === 0 ? 0 : 1);
