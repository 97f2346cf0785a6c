// Forced colours, reduced motion, and a pointer that changes nothing but the bar under it.
import assert from "node:assert/strict";
import { centre, clickSlice, idle, press, settled, shown } from "./browser.mjs";
import { decodePng } from "./png.mjs";
import { test } from "./tap.mjs";

/** Two threads with bars of four names, far apart, and an instant. */
function barsTrace() {
  const events = [{ ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: "upper" } }];
  const NAMES = ["alpha", "bravo", "charlie", "delta"];
  for (let i = 0; i < 8; i++) {
    events.push({ ph: "X", name: NAMES[i % 4], pid: 1, tid: 1, ts: i * 1000, dur: 700 });
    events.push({ ph: "X", name: NAMES[(i + 1) % 4], pid: 1, tid: 2, ts: i * 1000, dur: 700 });
  }
  events.push({ ph: "i", name: "point", s: "t", pid: 1, tid: 2, ts: 3850 });
  return JSON.stringify(events);
}

const screenshot = async (page, clip) => decodePng(await page.screenshot({ animations: "disabled", ...(clip === undefined ? {} : { clip }) }));
const pixel = ({ width, channels, pixels }, x, y) => [...pixels.subarray((y * width + x) * channels, (y * width + x) * channels + 3)];
const rgb = (image, at) => [...image.pixels.subarray(at, at + 3)];

/** The contrast of two colours, as WCAG 2 defines it. */
function contrast(a, b) {
  const [x, y] = [a, b].map((colour) => {
    const [r, g, blue] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05;
  });
  return Math.max(x, y) / Math.min(x, y);
}

/** Returns the colours of a picture, the most frequent first. */
function coloursOf(image) {
  const counts = new Map();
  for (let at = 0; at < image.pixels.length; at += image.channels) {
    const colour = image.pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => [colour >> 16, (colour >> 8) & 255, colour & 255]);
}

/** Returns the number of pixels that differ with a contrast of at least `least`; 1 = at all. */
function changed(a, b, least) {
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  let count = 0;
  for (let at = 0; at < a.pixels.length; at += a.channels) {
    const [one, other] = [rgb(a, at), rgb(b, at)];
    if (one.join() !== other.join() && contrast(one, other) >= least) count++;
  }
  return count;
}

/** Returns the box of an element with a margin, in whole pixels inside the page. */
async function boxOf(locator, margin = 0) {
  const { x, y, width, height } = await locator.boundingBox();
  const [left, top] = [Math.max(0, Math.floor(x) - margin), Math.max(0, Math.floor(y) - margin)];
  return { x: left, y: top, width: Math.ceil(x + width) + margin - left, height: Math.ceil(y + height) + margin - top };
}

const dominant = async (page, locator) => coloursOf(await screenshot(page, await boxOf(locator)))[0];

/** A chosen and another element, and the steps to both. Their backgrounds differ. */
const CHOSEN = [
  ["the toggle for arguments", "#search-values", "#search-values", async (page) => page.locator("#search-values").click()],
  ["a kind of the table", ".switch [aria-checked=true]", ".switch [aria-checked=false]"],
  ["a row of the table", ".stats tbody tr.lit td:last-child", ".stats tbody tr:not(.lit) td:last-child"],
  ["a preset of keys", "dialog [aria-pressed=true]", "dialog [aria-pressed=false]", (page) => page.evaluate(() => window.varve.run("settings"))],
  ["a track of the jump list", ".chooser li[aria-selected=true]", ".chooser li[aria-selected=false]", (page) => page.evaluate(() => window.varve.run("jump"))],
];

/** Elements that can have the focus; of the field for searches the frame shows it. */
const FOCUSABLE = ["#timeline", "header .button", "#search", "[role=tab][aria-selected=true]", ".switch [aria-checked=true]", ".stats tbody tr.lit button"];
const FRAMES = { "#search": ".search" };

test("with forced colours everything chosen and focused differs from the rest, and texts are readable", async ({ transport, withPage, picture }) => {
  await withPage({ forcedColors: "active" }, async (page) => {
    await transport.open(page, "bars.json", barsTrace());
    await clickSlice(page, "bravo", 0.74);
    await page.locator("#timeline").focus();
    await press(page, "Control+KeyA");
    await page.locator(".stats tbody tr button").first().click();
    await page.mouse.move(2, 2);
    await settled(page);
    const problems = [];
    const lines = await Promise.all(["true", "false"].map((value) => page.locator(`.tabs [aria-selected=${value}]`).first().evaluate((tab) => getComputedStyle(tab).borderBottomColor)));
    const canvas = await page.evaluate(() => getComputedStyle(document.querySelector(".drawer")).backgroundColor);
    if (lines[0] === canvas) problems.push("the line of the current tab is invisible");
    if (lines[1] !== canvas) problems.push("other tabs have a line, too");
    for (const [what, chosen, other, enter] of CHOSEN) {
      const before = chosen === other ? await dominant(page, page.locator(chosen).first()) : null;
      await enter?.(page);
      await page.locator(chosen).first().waitFor();
      await page.mouse.move(2, 2);
      await settled(page);
      const [one, another] = [await dominant(page, page.locator(chosen).first()), before ?? (await dominant(page, page.locator(other).first()))];
      if (contrast(one, another) < 3) problems.push(`${what}: ${one} beside ${another}`);
      await page.evaluate(() => window.varve.dialog.set(null));
      await page.locator("dialog").waitFor({ state: "detached" });
    }
    for (const selector of FOCUSABLE) {
      const element = page.locator(selector).first();
      await page.evaluate(() => document.activeElement.blur());
      const box = await boxOf(page.locator(FRAMES[selector] ?? selector).first(), 3);
      const before = await screenshot(page, box);
      await page.keyboard.press("Shift"); // a focus after a key is visible
      await element.focus();
      await shown(page);
      const ring = changed(before, await screenshot(page, box), 3);
      if (ring < 2 * Math.min(box.width, box.height)) problems.push(`the focus on ${selector} changes ${ring} pixels`);
    }
    assert.deepEqual(problems, []);
    await picture("forced colours", page);
  });
});

test("with forced colours texts in chosen rows are readable, and the timeline shows bars and the selection", async ({ transport, withPage }) => {
  await withPage({ forcedColors: "active" }, async (page) => {
    await transport.open(page, "bars.json", barsTrace());
    await page.evaluate(() => window.varve.run("jump"));
    const row = page.locator(".chooser li[aria-selected=true]");
    await row.waitFor();
    for (const span of await row.locator("span:not(:has(*))").all()) {
      const [ground, ...inks] = coloursOf(await screenshot(page, await boxOf(span)));
      const most = Math.max(...inks.map((ink) => contrast(ground, ink)));
      assert.ok(most >= 4.5, `"${await span.innerText()}" in a chosen row has a contrast of ${most.toFixed(1)}`);
    }
    await page.keyboard.press("Escape");
    const { x, y } = await clickSlice(page, "bravo", 0.74);
    await page.mouse.move(2, 2);
    await settled(page);
    const box = await boxOf(page.locator("#timeline"));
    const image = await screenshot(page, box);
    const ground = pixel(image, box.width - 40, box.height - 20);
    const bar = pixel(image, Math.round(x - box.x), Math.round(y - box.y) + 4);
    assert.ok(contrast(bar, ground) >= 1.8, `a bar: ${bar} on ${ground}`);
    await page.locator("#timeline").focus();
    await press(page, "Escape");
    await settled(page);
    const cell = { x: Math.round(x) - 60, y: Math.round(y) - 16, width: 120, height: 32 };
    const without = await screenshot(page, cell);
    await page.mouse.click(x, y);
    await page.mouse.move(2, 2);
    await settled(page);
    assert.ok(changed(without, await screenshot(page, cell), 3) > 60, "the outline of the selection");
  });
});

/** Returns the columns in which two pictures differ. */
function changedColumns(a, b) {
  const columns = new Set();
  for (let at = 0; at < a.pixels.length; at += a.channels) if (rgb(a, at).join() !== rgb(b, at).join()) columns.add((at / a.channels) % a.width);
  return [...columns].sort((one, other) => one - other);
}

test("the pointer changes the bar under it, and no other; with Alt the other names recede", async ({ page, transport }) => {
  await transport.open(page, "bars.json", barsTrace());
  const at = await clickSlice(page, "charlie", 0.74);
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  const { box } = await centre(page);
  // Down to the bars under the pointer; their tooltip is below them.
  const clip = { x: Math.round(box.x) + 222, y: Math.round(box.y) + 86, width: Math.round(box.width) - 240, height: 0 };
  clip.height = Math.round(at.y) + 8 - clip.y;
  const look = async (x, y) => {
    await page.mouse.move(x, y);
    await settled(page);
    return screenshot(page, clip);
  };
  const rest = await look(2, 2);
  const distance = clip.width / 7.7; // from a bar to the next
  for (const step of [0, 3, 6, distance, -2 * distance]) {
    const columns = changedColumns(rest, await look(at.x + step, at.y));
    assert.ok(columns.length > 0, "the pointer has a line");
    assert.ok(columns.at(-1) - columns[0] < distance, `with the pointer at ${Math.round(step)} columns ${columns[0]} to ${columns.at(-1)} change`);
  }
  await page.keyboard.down("Alt");
  const receding = changedColumns(rest, await look(at.x, at.y));
  assert.ok(receding.at(-1) - receding[0] > 3 * distance, "with Alt all other names recede");
  await page.keyboard.up("Alt");
  assert.deepEqual(changedColumns(rest, await look(2, 2)), [], "without Alt everything is as before");
});

/** Starts a motion; returns the different pictures of the timeline that are drawn at some times from then on, in ms. */
async function picturesDuring(page, motion, times) {
  await page.locator("dialog").waitFor({ state: "detached" });
  await idle(page);
  return page.evaluate(
    ([motion, times]) => {
      const { view } = window.varve;
      const { timeline } = window.varve.timeline;
      const canvases = [...timeline.canvas.parentElement.querySelectorAll("canvas")];
      const [width, height] = ["width", "height"].map((side) => Math.max(...canvases.map((canvas) => canvas[side])));
      const copy = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", { willReadFrequently: true });
      const now = performance.now();
      const drawnAt = (ms) => {
        timeline.dirty = true; // a frame that does not wait for the painter
        timeline.frame(now + ms);
        for (const canvas of canvases) copy.drawImage(canvas, 0, 0);
        return copy.getImageData(0, 0, width, height).data.reduce((hash, value) => (hash * 31 + value) | 0, 0);
      };
      drawnAt(0);
      if (motion === "zoom") view.command("zoom-in", now);
      else {
        view.findRows("upper");
        while (view.findRowsStep());
        view.goToRow(0, now);
      }
      return times.map(drawnAt);
    },
    [motion, times],
  );
}

const animations = (page) => page.evaluate(() => document.getAnimations().length);

test("with reduced motion nothing moves: the view jumps, the flash does not fade, and panels and progress do not move", async ({ transport, withPage }) => {
  for (const reducedMotion of ["reduce", "no-preference"]) {
    await withPage({ reducedMotion }, async (page) => {
      const isStill = reducedMotion === "reduce";
      await transport.open(page, "bars.json", barsTrace());
      await page.locator("#timeline").focus();
      const zoomed = await picturesDuring(page, "zoom", [16, 32, 64]);
      assert.equal(new Set(zoomed).size, isStill ? 1 : 3, `${reducedMotion}: pictures of a zoom`);
      await page.evaluate(() => window.varve.run("fit-all"));
      await page.evaluate(() => window.varve.drawer.show("overview"));
      assert.equal(await animations(page), 0, "a panel opens");
      await page.evaluate(() => window.varve.run("settings"));
      await page.locator("dialog").waitFor();
      assert.equal(await animations(page), 0, "a dialog opens");
      await page.keyboard.press("Escape");
      const [first, later, last] = await picturesDuring(page, "flash", [100, 700, 2000]);
      assert.equal(first === later, isStill, `${reducedMotion}: the flash`);
      assert.notEqual(later, last, "the flash ends");
      await transport.openEndless(page);
      await page.locator("progress:indeterminate").first().waitFor();
      assert.equal(await animations(page), isStill ? 0 : 1, `${reducedMotion}: the bar of a load`);
    });
  }
});
