// The begin of a large file is shown while the rest loads.
import assert from "node:assert/strict";
import { clickSlice, drop, idle, range } from "./browser.mjs";
import { test } from "./tap.mjs";

const COUNT = 20_000;
const NAMES = ["read", "decode", "draw"];

/** Slices of two threads, 1 ms apart. */
function longTrace() {
  const events = Array.from({ length: COUNT }, (_, i) => ({ ph: "X", name: NAMES[i % 3], pid: 1, tid: 1 + (i % 2), ts: i * 1000, dur: 900, args: { i } }));
  return JSON.stringify(events).replaceAll("},{", "},\n{");
}

/** The begin is requested late enough that the load of the whole file has asked for its engine before. */
const RULE = { afterMs: 1500, bytes: 500_000, leastBytes: 600_000 };

/** Opens the trace in a new page; its load ends when `finish` is called. */
async function openSlowly(page, { transport, transportName }) {
  return transportName === "worker" ? openInWorker(page, transport) : openServed(page, transport);
}

/** The engine of the first load after this is not there before `finish`. The example of the page is loaded before. */
async function openInWorker(page, transport) {
  await page.goto(transport.server.url);
  await idle(page);
  await page.evaluate((rule) => void Object.assign(window.varve.loading.beginRule, rule), RULE);
  let held = null;
  await page.route("**/engine.wasm", (route) => {
    if (held !== null) return route.continue();
    held = route;
  });
  await drop(page, "long.json", longTrace());
  return { finish: () => held.continue(), fail: () => held.abort() };
}

/** Splits the first answers of the server: each has its size before it. */
function partsOf(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += 4 + parts.at(-1).length) parts.push(bytes.subarray(at + 4, at + 4 + bytes.readUInt32LE(at)));
  return parts;
}

function joinParts(parts) {
  const sizeOf = ({ length }) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(length);
    return size;
  };
  return Buffer.concat(parts.flatMap((part) => [sizeOf(part), part]));
}

/** The engine reports to the page that the file is loading until `finish`. */
async function openServed(page, transport) {
  await page.addInitScript((rule) => {
    let viewer;
    Object.defineProperty(window, "varve", {
      get: () => viewer,
      set(made) {
        viewer = made;
        Object.assign(viewer.loading.beginRule, rule);
      },
    });
  }, RULE);
  let state = "loading";
  const change = (status) => {
    Object.assign(status.traces[0], state === "ready" ? {} : { state, phase: "reading", done: 1000, total: 1_000_000, error: state === "failed" ? "the disk is gone" : null });
    return status;
  };
  await page.route("**/api/status", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(await response.json()) });
  });
  await page.route("**/first", async (route) => {
    const response = await route.fetch();
    const [status, view, settings] = partsOf(await response.body());
    const body = joinParts([Buffer.from(JSON.stringify(change(JSON.parse(status)))), view, settings]);
    await route.fulfill({ response, headers: { ...response.headers(), "content-length": String(body.length) }, body });
  });
  await transport.show(page, "long.json", longTrace());
  return { finish: () => (state = "ready"), fail: () => (state = "failed") };
}

const slices = (page) => page.evaluate(() => window.varve.loading.traces.value.map((trace) => trace.info.counts.slices));
const isWhole = (page) => page.waitForFunction((count) => window.varve?.loading.traces.value[0]?.info.counts.slices === count, COUNT);
const isBegun = (page) => page.waitForFunction((count) => {
  const trace = window.varve?.loading.traces.value[0];
  return trace?.info.file.name.endsWith("long.json") && trace.info.counts.slices < count;
}, COUNT);

test("the begin of a large file is shown while the rest loads, and all of it afterwards", async ({ withPage, transport, transportName, picture }) => {
  await withPage({}, async (page) => {
    const load = await openSlowly(page, { transport, transportName });
    await isBegun(page);
    const card = page.getByRole("region", { name: "Loading long.json" });
    assert.match(await card.innerText(), /The first 500 kB are shown/);
    assert.equal(await page.locator("#report-badge").innerText(), "Incomplete");
    const [begun] = await slices(page);
    assert.ok(begun > 100 && begun < COUNT / 2, String(begun));
    await picture("the begin", page);
    load.finish();
    await isWhole(page);
    const { span } = await range(page);
    assert.ok(span >= COUNT * 1e6, `all of the trace is visible: ${span}`);
    assert.equal(await card.count(), 0);
    assert.deepEqual(await slices(page), [COUNT]);
    assert.equal(await page.locator("#report-badge").innerText(), "Report");
  });
});

test("a range and a selection in the begin of a file stay", async ({ withPage, transport, transportName }) => {
  await withPage({}, async (page) => {
    const load = await openSlowly(page, { transport, transportName });
    await isBegun(page);
    await page.evaluate(() => window.varve.view.setRange(0, 4_000_000n, 14_000_000n, performance.now()));
    await page.evaluate(() => window.varve.selection.selectId(0, "4"));
    await page.waitForFunction(() => window.varve.details.value.kind === "slice");
    const before = await page.evaluate(() => window.varve.details.value.slice);
    load.finish();
    await isWhole(page);
    await idle(page);
    const after = await page.evaluate(() => window.varve.details.value.slice);
    assert.deepEqual([after.name, after.begin.offset, after.args], [before.name, before.begin.offset, before.args]);
    const { begin, end } = await range(page);
    assert.ok(begin >= 3_900_000 && end <= 14_100_000, `${begin} to ${end}`);
    await clickSlice(page, "draw");
  });
});

test("the requests to the begin of a file are answered when it is closed", async ({ withPage, transport, transportName }) => {
  await withPage({}, async (page) => {
    const load = await openSlowly(page, { transport, transportName });
    await isBegun(page);
    const sizes = await page.evaluate(async () => {
      const begin = window.varve.loading.ready[0];
      const answers = ["info", "outline", "categories", "overview"].map((verb) => begin.request(verb, verb === "overview" ? { buckets: 64 } : {}));
      begin.closeWhenIdle();
      return (await Promise.all(answers)).map((answer) => answer.byteLength);
    });
    assert.ok(sizes.every((size) => size > 0), String(sizes));
    load.finish();
    await isWhole(page);
    await idle(page);
  });
});

test("the begin of a file stays when the load fails or is cancelled", async ({ withPage, transport, transportName }) => {
  for (const how of ["fail", "cancel"]) {
    await withPage({}, async (page) => {
      const load = await openSlowly(page, { transport, transportName });
      await isBegun(page);
      if (how === "fail") load.fail();
      else await page.getByRole("button", { name: "Cancel" }).click();
      await page.waitForFunction(() => window.varve.isIdle);
      const [count] = await slices(page);
      assert.ok(count > 100 && count < COUNT / 2, String(count));
      assert.equal(await page.getByRole("alert").count(), how === "fail" ? 1 : 0);
      await page.evaluate(() => window.varve.view.setRange(0, 4_000_000n, 14_000_000n, performance.now()));
      await clickSlice(page, "draw");
      await drop(page, "next.json", longTrace());
      await page.waitForFunction(() => window.varve.loading.traces.value[0]?.info.file.name.endsWith("next.json"));
      await page.waitForFunction(() => window.varve.isIdle);
      assert.equal(await page.evaluate(() => window.varve.loading.loads.value.length), 1, "the begin is closed");
    });
  }
});
