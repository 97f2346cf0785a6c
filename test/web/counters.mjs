// A click on a counter selects a sample, and the arrow keys step through the samples.
import assert from "node:assert/strict";
import { centre, drop, idle, press, settled } from "./browser.mjs";
import { test } from "./tap.mjs";

/** A counter of two series, and one of bytes that changes every 20 ms. */
function countersTrace() {
  const events = [{ ph: "X", name: "work", pid: 1, tid: 1, ts: 0, dur: 100000 }];
  for (let i = 0; i < 5; i++) events.push({ ph: "C", name: "depth", pid: 1, ts: i * 20000, args: { value: [3, 7, 7, 2, 1.5][i] } });
  events.push({ ph: "C", name: "requests", pid: 1, ts: 10000, args: { open: 2, waiting: 5 } });
  events.push({ ph: "C", name: "requests", pid: 1, ts: 50000, args: { open: 4, waiting: 1 } });
  return JSON.stringify(events);
}

/** Returns the facts of the details, by their names. */
const facts = (page) =>
  page.locator("#details").evaluate((details) => Object.fromEntries([...details.querySelectorAll("dt")].map((dt) => [dt.textContent, dt.nextElementSibling.textContent.trim()])));

/** Clicks down a column, below the head of the process, until the counter of this name is selected. */
async function clickCounter(page, name, fraction) {
  let { box } = await centre(page);
  for (let y = box.y + 110; y < box.y + box.height; y += 12) {
    await page.mouse.click(box.x + box.width * fraction, y);
    await idle(page);
    const found = await page.evaluate(() => (window.varve.details.value.kind === "sample" ? window.varve.details.value.sample.name : null));
    if (found === name) return y;
    ({ box } = await centre(page));
  }
  throw new Error(`no counter ${name}`);
}

test("a click on a counter selects its sample, and the arrow keys step through the samples", async ({ page, transport, picture }) => {
  await transport.open(page, "counters.json", countersTrace());
  await clickCounter(page, "depth", 0.55);
  await settled(page);
  const first = await facts(page);
  assert.deepEqual([first["Value"], first["Change"], first["Holds for"]], ["7", "0", "20 ms"]);
  assert.match(first["Time"], /^40 ms/);
  assert.equal(await page.locator("#selected-event").innerText(), "depth: 7");
  await picture("a sample of a counter");
  await page.locator("#timeline").focus();
  await press(page, "ArrowLeft");
  assert.deepEqual([(await facts(page))["Value"], (await facts(page))["Change"]], ["7", "+4"]);
  await press(page, "ArrowRight");
  await press(page, "ArrowRight");
  assert.deepEqual([(await facts(page))["Value"], (await facts(page))["Change"]], ["2", "-5"]);
  await press(page, "ArrowRight");
  assert.equal((await facts(page))["Value"], "1.5");
  await press(page, "ArrowRight"); // the last one
  assert.equal((await facts(page))["Value"], "1.5");
  await clickCounter(page, "requests", 0.7);
  await settled(page);
  assert.deepEqual(await page.locator(".sample-series tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))), [
    ["open", "4", "+2"],
    ["waiting", "1", "-4"],
  ]);
  assert.equal(await page.locator("#selected-event").innerText(), "requests: open 4, waiting 1");
  await press(page, "Escape");
  assert.equal(await page.locator("#selected-event").innerText(), "");
});

test("Enter on the row of a counter selects its first sample in sight", async ({ page, transport }) => {
  await transport.open(page, "counters.json", countersTrace());
  await page.locator("#timeline").focus();
  for (let i = 0; i < 6; i++) {
    await press(page, "ArrowDown");
    if ((await page.locator("[role=treegrid]").evaluate((grid) => grid.previousElementSibling.textContent)).startsWith("depth")) break;
    await page.waitForTimeout(150);
  }
  await press(page, "Enter");
  await settled(page);
  assert.deepEqual([(await facts(page))["Value"], (await facts(page))["Change"]], ["3", undefined]);
});

test("a view file selects the sample of a counter again", async ({ page, transport }) => {
  await transport.open(page, "counters-view.json", countersTrace().replace("work", "work of views"));
  await clickCounter(page, "depth", 0.55);
  await settled(page);
  const text = await page.evaluate(() => window.varve.views.text(3));
  assert.equal(JSON.parse(text).traces[0].instant.begin, 40_000_000);
  await press(page, "Escape");
  await settled(page);
  assert.equal(await page.locator("#selected-event").innerText(), "");
  await drop(page, "counters.varve-view", text);
  await settled(page);
  assert.deepEqual([(await facts(page))["Value"], (await facts(page))["Holds for"]], ["7", "20 ms"]);
  assert.equal(await page.locator("#selected-event").innerText(), "depth: 7");
  assert.equal(await page.evaluate(() => window.varve.views.text(3)), text);
});
