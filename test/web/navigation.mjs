// Drawing, arrows and details; core.mjs has moving and selecting.
import assert from "node:assert/strict";
import { centre, clickSlice, drag, drop, idle, loaded, press, range } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { colourCount } from "./png.mjs";
import { test } from "./tap.mjs";

test("an idle page draws no frames", async ({ page, transport }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await page.mouse.move(1, 1);
  await idle(page);
  const frames = await page.evaluate(async () => {
    const before = window.varve.frames;
    for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
    return window.varve.frames - before;
  });
  assert.equal(frames, 0);
});

test("dragging with the right button pans", async ({ page }) => {
  const { x, y } = await centre(page);
  for (let i = 0; i < 6; i++) await press(page, "KeyW");
  const before = await range(page);
  await drag(page, { x, y }, { x: x - 150, y }, "right");
  const after = await range(page);
  assert.ok(after.begin > before.begin, `${after.begin} after ${before.begin}`);
});

test("arguments open and close, and are copied", async ({ page }) => {
  await press(page, "Digit0");
  await clickSlice(page, "handle request");
  const headers = page.locator("#details details").first();
  assert.equal(await headers.getAttribute("open"), "");
  await headers.locator("summary").first().click();
  assert.equal(await headers.getAttribute("open"), null);
  await page.getByRole("button", { name: "Copy the arguments" }).click();
  await page.getByText("Copied the arguments.").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /"id": 12345678901234567891/);
});

test("arrows are listed and followed", async ({ page, picture }) => {
  const heading = () => page.locator("#details h2").innerText();
  await page.locator("#timeline").focus();
  assert.match(await page.locator("#details").innerText(), /Flows out\s*2/);
  await picture("flows");
  await press(page, "]");
  assert.equal(await heading(), "query 2");
  assert.match(await page.locator("#details").innerText(), /Flows in\s*1/);
  await press(page, "[");
  assert.equal(await heading(), "handle request");
  await page.locator("#details").getByRole("button", { name: "query 3" }).click();
  await idle(page);
  assert.equal(await heading(), "query 3");
  await press(page, "]");
  await page.getByText("No arrow leads on from this slice.").first().waitFor();
  await press(page, "[");
  assert.equal(await heading(), "handle request");
});

test("several arrows are followed in rotation", async ({ page }) => {
  const heading = () => page.locator("#details h2").innerText();
  const seen = [];
  for (const key of ["]", "[", "]", "[", "]"]) {
    await press(page, key);
    seen.push(await heading());
  }
  assert.deepEqual(seen, ["query 3", "handle request", "query 2", "handle request", "query 3"]);
  await press(page, "]"); // no arrow continues: the other one
  assert.equal(await heading(), "query 2");
  await press(page, "[");
  assert.equal(await heading(), "handle request");
});

test("names in any script are drawn", async ({ page, picture }) => {
  await press(page, "Digit0");
  await clickSlice(page, "répondre 応答 🚀", 0.53);
  await press(page, "KeyF");
  await press(page, "KeyF");
  const { colours } = colourCount(await page.locator("#timeline").screenshot());
  assert.ok(colours > 20, `${colours} colours`);
  await picture("scripts");
  await press(page, "Escape");
  await press(page, "Digit0");
});

test("the plain 2D painter draws the same", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "sample.json", sampleTrace(), "?painter=2d");
    assert.equal(await page.evaluate(() => window.varve.painterName), "canvas2d");
    const { colours, mostFrequent } = colourCount(await page.locator("#timeline").screenshot());
    assert.ok(colours > 20 && mostFrequent < 0.97, `${colours} colours, ${mostFrequent} of it one`);
    await picture("painter 2d", page);
  });
});

test("the first picture does not wait for WebGL", async ({ transport, painters, withPage }) => {
  if (!painters.includes("webgl2")) return "there is no WebGL";
  await withPage({}, async (page) => {
    await page.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        if (kind === "webgl2") window.before ??= { painter: window.varve.painterName, frames: window.varve.frames, isWaiting: window.varve.view.isWaiting };
        return original.call(this, kind, ...rest);
      };
    });
    await transport.open(page, "sample.json", sampleTrace());
    const { painter, frames, isWaiting } = await page.evaluate(() => window.before);
    assert.deepEqual({ painter, isWaiting }, { painter: "canvas2d", isWaiting: false });
    assert.ok(frames > 0);
    assert.equal(await page.evaluate(() => window.varve.painterName), "webgl2");
  });
});

test("a lost graphics context is restored", async ({ transport, painters, withPage }) => {
  if (!painters.includes("webgl2")) return "there is no WebGL";
  await withPage({}, async (page) => {
    await transport.open(page, "sample.json", sampleTrace());
    const before = colourCount(await page.locator("#timeline").screenshot());
    await page.evaluate(async () => {
      const canvas = document.querySelector("#timeline + .layer");
      const back = new Promise((resume) => canvas.addEventListener("webglcontextrestored", resume));
      const extension = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
      extension.loseContext();
      await new Promise((resume) => setTimeout(resume));
      extension.restoreContext();
      await back;
    });
    await idle(page);
    const after = colourCount(await page.locator("#timeline").screenshot());
    assert.ok(Math.abs(after.colours - before.colours) <= before.colours / 4, `${after.colours}, before ${before.colours}`);
  });
});

test("at 200 % everything still fits", async ({ transport, withPage, picture }) => {
  await withPage({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, async (page) => {
    await transport.open(page, "sample.json", sampleTrace());
    const { wide, device } = await page.evaluate(() => ({
      wide: document.scrollingElement.scrollWidth - innerWidth,
      device: (document.querySelector("#timeline + .layer") ?? document.getElementById("timeline")).width / document.getElementById("timeline").clientWidth,
    }));
    assert.ok(wide <= 0, `${wide} px too wide`);
    assert.equal(device, 2);
    await picture("200 percent", page);
  });
});

test("several files open together, and an area covers all of them", async ({ transport, picture, withPage }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "sample.json", sampleTrace());
    await page.evaluate(() => {
      addEventListener("drop", (event) => Object.defineProperty(event, "shiftKey", { value: true }), true);
    });
    await drop(page, "second.json", sampleTrace().replaceAll("server", "client"));
    await page.waitForFunction(() => window.varve.loading.traces.value.length === 2);
    await loaded(page);
    assert.match(await page.title(), /sample\.json, second\.json/);
    await page.locator("#timeline").focus();
    await press(page, "Control+KeyA");
    await page.waitForFunction(() => window.varve.area.value?.stats?.totals.length === 2);
    await page.locator(".area").getByRole("button", { name: "Trace" }).waitFor();
    assert.match(await page.locator(".area-head").innerText(), /242 slices, 14 names, .* \+ .* of self time/);
    const rows = await page.locator(".area tbody tr").allInnerTexts();
    for (const file of ["sample.json", "second.json"]) {
      const served = rows.find((row) => /^serve\s/.test(row) && row.includes(file));
      assert.match(served ?? "", /\s1\s/, rows.join("\n"));
    }
    await picture("area of two traces", page);
  });
});
