// The traces of the golden pictures of `varve render` in the viewer: whole, and after input.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clickSlice, idle } from "./browser.mjs";
import { test } from "./tap.mjs";

const DATA = new URL("../data/trace_event/", import.meta.url);
const details = (page) => page.locator("#details").innerText();
const titles = (page) => page.evaluate(() => window.varve.view.rows().map((row) => row.title));

async function open({ page, transport, picture }, path) {
  const name = path.split("/").at(-1);
  await transport.open(page, name, readFileSync(new URL(path, DATA)));
  await picture(`kind ${name}`);
}

/** Clicks on a place of the timeline, in px from its corner. */
async function clickAt(page, x, y) {
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.click(box.x + x, box.y + y);
  await idle(page);
}

/**
 * Points at a place of the timeline, as a part of its width and in px from its top, and waits until the view is idle.
 */
async function pointAt(page, fraction, y) {
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.move(box.x + box.width * fraction, box.y + y);
  await page.waitForTimeout(150);
  await idle(page);
}

test("counters of several series", async (context) => {
  const { page, picture } = context;
  await open(context, "pictures/counters.json");
  const seen = await titles(page);
  for (const title of ["cpu %", "memory", "connections [http]", "queue depth"]) assert.ok(seen.includes(title), seen.join(", "));
  await pointAt(page, 0.52, 275);
  await picture("kind counters pointed at");
});

test("a chart shows its values at the pointer over another one", async (context) => {
  const { page } = context;
  await open(context, "pictures/counters.json");
  const box = await page.locator("#timeline").boundingBox();
  /** Right of the line of the pointer, in the first chart. */
  const clip = { x: Math.round(box.x + box.width * 0.52) + 4, y: Math.round(box.y) + 102, width: 60, height: 48 };
  await page.mouse.move(box.x + 20, box.y + box.height - 20);
  await idle(page);
  const away = await page.screenshot({ clip });
  await pointAt(page, 0.52, 275);
  assert.notDeepEqual(await page.screenshot({ clip }), away);
  await page.mouse.move(box.x + 20, box.y + box.height - 20);
  await idle(page);
  assert.deepEqual(await page.screenshot({ clip }), away);
});

test("nested asynchronous slices that overlap", async (context) => {
  const { page, picture } = context;
  await open(context, "pictures/async.json");
  assert.match(await page.locator(".facts").innerText(), /^190 slices/); // although no thread has slices
  await clickSlice(page, "REQUEST_ALIVE");
  assert.match(await details(page), /localhost:8123/);
  assert.match(await details(page), /Track\s*CORS_REQUEST/);
  await picture("kind async selected");
});

test("flows across processes", async (context) => {
  const { page, picture } = context;
  await open(context, "pictures/flows.json");
  await clickSlice(page, "Receive mojo message", 0.4);
  assert.match(await details(page), /Flows out\s*2/);
  await picture("kind flows selected");
});

test("objects with snapshots", async (context) => {
  const { page, picture } = context;
  await open(context, "pictures/objects.json");
  await clickSlice(page, "cc::PictureLayerImpl 0x7f22");
  assert.match(await details(page), /cc::PictureLayerImpl/);
  await picture("kind objects selected");
});

test("instants of three scopes", async (context) => {
  const { page, picture } = context;
  await open(context, "pictures/instants.json");
  await pointAt(page, 0.675, 108);
  await clickAt(page, 330, 190);
  assert.match(await details(page), /^underrun/);
  assert.match(await details(page), /Instant of the thread/);
  await picture("kind instants selected");
});

test("samples of V8", async (context) => {
  const { page, picture } = context;
  await open(context, "v8_chromium.json");
  await clickSlice(page, "fib", 0.56);
  assert.match(await details(page), /Samples here\s*3, 0 of them in the function itself/);
  assert.match(await details(page), /Track\s*V8 samples of CrRendererMain/);
  await picture("kind samples selected");
});

test("overlapping slices in lanes", async (context) => {
  const { page, picture } = context;
  await open(context, "pictures/overlap.json");
  await clickAt(page, 755, 254);
  assert.match(await details(page), /^Running thread-safe process/);
  assert.match(await details(page), /it overlaps others/);
  await picture("kind overlap selected");
});
