// Traces with wall-clock times.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { goTo, idle, press, range } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

/** It begins at 2026-11-21 01:34:54.464422049 UTC and lasts 6.5 ms. */
const heph = readFileSync(new URL("../data/heph/heph_plain.bin", import.meta.url));

test("details have the time of day, and the types of Heph's attributes", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "heph_plain.bin", heph);
    await page.locator("#search").fill("Running thread-safe process");
    await page.locator("#search").press("Enter");
    await idle(page);
    const details = await page.locator("#details").innerText();
    assert.match(details, /Begins[^]*2026-11-21 01:34:54\.46\d+ UTC[^]*Ends[^]*2026-11-21 01:34:54\.46\d+ UTC/);
    assert.match(details, /id\s*\d+ u64/);
    assert.match(details, /name\s*\S+ string/);
    assert.doesNotMatch(details, /types/);
    await picture("time-of-day", page);
  });
});

test("G goes to a time of day", async ({ transport, withPage }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "heph_plain.bin", heph);
    for (let i = 0; i < 8; i++) await press(page, "KeyW");
    await press(page, "KeyG");
    await page.locator("#go-to-time").fill("01:34:54.467Z"); // of the day on which the trace begins
    assert.equal(await page.locator("#go-to-meaning").innerText(), "Time of day: 2.577\u202f951 ms from the start of the trace");
    await page.keyboard.press("Escape");
    await goTo(page, "2026-11-21T01:34:54.467Z");
    const { begin, end } = await range(page);
    const middle = (begin + end) / 2;
    assert.ok(Math.abs(middle - 2577951) <= (end - begin) / 100, `${begin} ${end}`);
  });
});

test("G reports that a trace has no time of day", async ({ transport, withPage }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "sample.json", sampleTrace());
    await goTo(page, "2026-11-21T01:34:54Z");
    assert.match(await page.locator("#go-to-error").innerText(), /has no time of day/);
  });
});
