// The element varve-timeline in a real Chromium, and the size of its module:
//
//   element_test.mjs MODULE NODE_MODULES PICTURES SOURCE_DIRECTORY FILE...
//
// FILE...: the files that every page with a timeline loads.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { launch, needChromium, newPage } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { serveSite } from "./site_server.mjs";
import { run, test } from "./tap.mjs";

const [module, nodeModules, pictures, source, ...first] = process.argv.slice(2);
const MOST_BYTES = 500_000;

test("the files that a page with a timeline loads have at most 500 KB", () => {
  let [brotli, gzip] = [0, 0];
  for (const path of first) {
    const bytes = readFileSync(path);
    brotli += brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
    gzip += gzipSync(bytes, { level: 9 }).length;
  }
  console.log(`# ${brotli} bytes with Brotli 11, ${gzip} with gzip -9`);
  assert.ok(gzip <= MOST_BYTES, `${gzip} bytes`);
});

const PAGE = (body, style = "") => `<!doctype html><html lang="en"><title>Test</title><style>${style}</style>
  <script src="../varve-timeline.js" type="module"></script>${body}</html>`;
const TWO = PAGE(
  '<h1>Two</h1><varve-timeline id="a" src="sample.json" theme="dark"></varve-timeline><varve-timeline id="b" src="sample.json" theme="light"></varve-timeline><p style="height: 2000px">below</p>',
  "canvas { display: none; } div { position: static !important; color: red; } varve-timeline { height: 300px; margin: 10px; }",
);
const FILES = {
  "sample.json": sampleTrace(),
  "two.html": TWO,
  "bad.html": PAGE('<varve-timeline id="a" src="nothing.json"></varve-timeline>'),
  "empty.html": PAGE('<varve-timeline id="a"></varve-timeline>'),
  "go.trace": readFileSync(join(source, "test/data/go/canned_http_1_9_good.trace")),
  "v3.spall": readFileSync(join(source, "test/data/spall/v3_threads.spall")),
  "ftrace.json": readFileSync(join(source, "test/data/trace_event/ftrace.json")),
  "plain.heph": readFileSync(join(source, "test/data/heph/heph_plain.bin")),
  "text.txt": "no trace",
};


const element = (page, id) => page.locator(`#${id}`);
const idle = (page, ...ids) => page.waitForFunction((ids) => ids.every((id) => { const e = document.getElementById(id); return e.traces?.length > 0 && e.isIdle; }), ids);

/** Opens a page of the server and waits until the traces of these elements are shown. */
async function open(page, server, name, ...ids) {
  await page.goto(`${server.url}files/${name}`);
  await idle(page, ...ids);
}

test("two elements on a page have their own traces, themes, selections and views", async ({ page, server, picture }) => {
  await open(page, server, "two.html", "a", "b");
  await picture("two");
  const facts = await page.evaluate(() => {
    const [a, b] = [document.getElementById("a"), document.getElementById("b")];
    return { traces: [a.traces[0].slices, b.traces[0].slices], ticks: String(a.traces[0].ticks), display: getComputedStyle(a.shadowRoot.querySelector("canvas")).display, heading: getComputedStyle(document.querySelector("h1")).fontFamily, global: Object.keys(window).filter((name) => /varve/i.test(name)) };
  });
  assert.deepEqual(facts.traces, [121, 121]);
  assert.notEqual(facts.display, "none"); // the style of the page stays outside
  assert.doesNotMatch(facts.heading, /Inter/);
  assert.deepEqual(facts.global, []);
  const selected = await page.evaluate(async () => {
    const [a, b] = [document.getElementById("a"), document.getElementById("b")];
    const events = [];
    const next = () => new Promise((resume) => a.addEventListener("select", ({ detail }) => resume(detail), { once: true }));
    b.addEventListener("select", () => events.push("b"));
    const selection = next();
    await a.select({ name: "request" });
    const detail = await selection;
    const none = next();
    await a.select(null);
    return { kind: detail.kind, name: detail.name, duration: typeof detail.duration, none: await none, events, unknown: await a.select("no such name").catch((error) => error.message) };
  });
  assert.equal(selected.kind, "slice");
  assert.match(selected.name, /request/);
  assert.equal(selected.duration, "bigint");
  assert.equal(selected.none, null);
  assert.deepEqual(selected.events, []);
  assert.match(selected.unknown, /no such name/);
});

test("range and view are set, reported, and passed on to another element", async ({ page, server }) => {
  await open(page, server, "two.html", "a", "b");
  const ranges = await page.evaluate(async () => {
    const [a, b] = [document.getElementById("a"), document.getElementById("b")];
    const before = a.visible;
    const third = (before.end - before.begin) / 3n;
    const changed = new Promise((resume) => a.addEventListener("rangechange", ({ detail }) => resume(detail), { once: true }));
    a.range = `${before.begin + third} ticks..${before.begin + 2n * third} ticks`;
    await changed;
    while (!a.isIdle) await new Promise(requestAnimationFrame);
    b.view = a.view;
    while (!b.isIdle) await new Promise(requestAnimationFrame);
    const errors = [];
    b.addEventListener("error", ({ detail }) => errors.push(detail.message));
    b.range = "5s..1s";
    b.view = "{";
    const text = ({ begin, end }) => `${begin} ${end}`;
    return { wanted: `${before.begin + third} ${before.begin + 2n * third}`, a: text(a.visible), b: text(b.visible), errors };
  });
  assert.equal(ranges.a, ranges.wanted);
  assert.equal(ranges.b, ranges.wanted);
  assert.equal(ranges.errors.length, 2);
  assert.match(ranges.errors[0], /5s\.\.1s/);
});

const spans = (page) => page.evaluate(() => ["a", "b"].map((id) => { const { begin, end } = document.getElementById(id).visible; return Number(end - begin); }));

test("keys act on the element with the focus; the wheel scrolls the page until then", async ({ page, server }) => {
  await open(page, server, "two.html", "a", "b");
  const before = await spans(page);
  const box = await element(page, "a").boundingBox();
  await page.mouse.move(box.x + 400, box.y + 150);
  await page.mouse.wheel(0, 100);
  await page.waitForFunction(() => scrollY > 0);
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.press("KeyW"); // no element has the focus
  assert.deepEqual(await spans(page), before);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "a");
  await page.keyboard.press("KeyW");
  await idle(page, "a", "b");
  const [a, b] = await spans(page);
  assert.ok(a < before[0]);
  assert.equal(b, before[1]);
  // Keys of commands that only the whole viewer has are left to the page.
  const left = await page.evaluate(() => new Promise((resume) => addEventListener("keydown", (event) => resume(event.defaultPrevented), { once: true })).then((prevented) => prevented) && null);
  assert.equal(left, null);
  await element(page, "b").focus();
  assert.equal(await page.evaluate(() => document.activeElement.id), "b");
});

test("an element follows its size", async ({ page, server }) => {
  await open(page, server, "two.html", "a", "b");
  const widthOf = () => page.evaluate(() => Math.max(...[...document.getElementById("a").shadowRoot.querySelectorAll("canvas")].map((canvas) => canvas.width)));
  const before = await widthOf();
  await page.evaluate(() => (document.getElementById("a").style.width = "500px"));
  await page.waitForFunction(() => Math.max(...[...document.getElementById("a").shadowRoot.querySelectorAll("canvas")].map((canvas) => canvas.width)) === 500);
  assert.ok(before > 500);
});

test("bytes are loaded, also of formats that the small engine does not have; failures have a reason", async ({ page, server }) => {
  await page.goto(`${server.url}files/empty.html`);
  const loaded = await page.evaluate(async () => {
    const a = document.getElementById("a");
    const bytes = async (name) => (await fetch(name)).arrayBuffer();
    const json = await a.load(await bytes("sample.json"), { name: "x.json" });
    const packed = await new Response(new Blob([await bytes("sample.json")]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
    const both = await a.load(packed, { name: "y.json.gz", add: true });
    const count = a.traces.length;
    const go = await a.load(await bytes("go.trace"), { name: "go.trace" });
    const spall = await a.load(await bytes("v3.spall"), { name: "v3.spall" });
    const heph = await a.load(await bytes("plain.heph"), { name: "plain.heph" });
    const ftrace = await a.load(await bytes("ftrace.json"), { name: "ftrace.json" });
    const failed = await a.load(await bytes("text.txt"), { name: "text.txt" }).catch((error) => error.message);
    const kept = a.traces.length;
    const late = a.load(new URL("sample.json", location.href));
    a.dispose();
    return { json: json.name, both: both.trace, count, formats: [go.format, spall.format, heph.format, ftrace.format], ofFtrace: ftrace.slices, failed, kept, late: await late.catch((error) => error.name) };
  });
  assert.deepEqual({ ...loaded, failed: "" }, { json: "x.json", both: 1, count: 2, formats: ["go", "spall", "heph", "trace-event"], ofFtrace: 5, failed: "", kept: 1, late: "AbortError" });
  assert.match(loaded.failed, /not a trace of a known format/);
  await page.goto(`${server.url}files/bad.html`);
  await page.waitForFunction(() => /404/.test(document.getElementById("a").shadowRoot.querySelector(".status")?.textContent));
});

test("dispose ends the worker and returns the memory, fonts and content", async ({ page, server }) => {
  await open(page, server, "two.html", "a", "b");
  const devtools = await page.context().newCDPSession(page);
  const memories = async () => {
    for (let i = 0; i < 3; i++) await devtools.send("HeapProfiler.collectGarbage");
    const { result } = await devtools.send("Runtime.evaluate", { expression: "WebAssembly.Memory.prototype", objectGroup: "count" });
    const { objects } = await devtools.send("Runtime.queryObjects", { prototypeObjectId: result.objectId, objectGroup: "count" });
    const { result: length } = await devtools.send("Runtime.callFunctionOn", { objectId: objects.objectId, functionDeclaration: "function () { return this.length; }" });
    await devtools.send("Runtime.releaseObjectGroup", { objectGroup: "count" });
    return length.value;
  };
  assert.equal(page.workers().length, 2);
  assert.equal(await memories(), 2);
  await page.evaluate(() => document.getElementById("a").dispose());
  await page.waitForTimeout(300);
  assert.equal(page.workers().length, 1);
  assert.equal(await memories(), 1);
  assert.equal(await page.evaluate(() => document.getElementById("a").shadowRoot.childElementCount), 0);
  // Moved within the document it goes on; removed it ends.
  await page.evaluate(() => document.body.prepend(document.getElementById("b")));
  assert.equal(page.workers().length, 1);
  await page.evaluate(() => document.getElementById("b").remove());
  await page.waitForTimeout(300);
  assert.equal(page.workers().length, 0);
  assert.equal(await memories(), 0);
  assert.equal(await page.evaluate(() => [...document.fonts].filter(({ family }) => family.includes("Varve")).length), 0);
  // A disposed element can load again.
  await page.evaluate(() => document.getElementById("a").load("sample.json"));
  await idle(page, "a");
});

test("the example page works from a static server", async ({ page, picture }) => {
  const folder = mkdtempSync(join(tmpdir(), "varve-embed-"));
  cpSync(join(source, "examples/embed"), folder, { recursive: true });
  cpSync(module, join(folder, "varve-timeline"), { recursive: true });
  cpSync(join(source, "examples/page-load.json.gz"), join(folder, "page-load.json.gz"));
  const server = await serveSite(folder, {});
  try {
    await page.goto(server.url);
    await page.waitForFunction(() => { const e = document.querySelector("varve-timeline"); return e.traces?.length > 0 && e.isIdle; });
    const { begin, end } = await page.evaluate(() => { const { begin, end } = document.querySelector("varve-timeline").visible; return { begin: Number(begin), end: Number(end) }; });
    assert.ok(Math.abs(end - begin - 90e6) < 1e6, `${begin} ${end}`);
    await picture("example");
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

test("the console has no errors, and no request went to another host", ({ problems }) => {
  assert.deepEqual(problems.filter((problem) => !/404/.test(problem)), []);
});

const chromium = needChromium();
mkdirSync(pictures, { recursive: true });
const browser = await launch(nodeModules, chromium);
const problems = [];
const page = await newPage(browser, "dark", problems);
const server = await serveSite(module, FILES);
const picture = (name) => page.screenshot({ path: join(pictures, `element-${name}.png`) });
const failed = await run({ page, server, problems, picture }, (name) => picture(`failed-${name.replace(/[^a-z0-9]+/gi, "-")}`));
await browser.close();
server.close();
process.exit(failed === 0 ? 0 : 1);
