// Captures of calls: an order instead of a time.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { idle, press } from "./browser.mjs";
import { test } from "./tap.mjs";

const capture = readFileSync(new URL("../data/apitrace/groups_threads.trace", import.meta.url));

const goTo = async (page, text) => {
  await page.evaluate(() => window.varve.focusTimeline());
  await press(page, "KeyG");
  await page.locator("#go-to-time").fill(text);
  await page.keyboard.press("Enter");
  await idle(page);
};

test("G goes to a call and to a frame by its number", async ({ carrier, withPage, picture }) => {
  await withPage({}, async (page) => {
    await carrier.open(page, "groups_threads.trace", capture);
    await goTo(page, "246");
    const details = page.locator("#details");
    await details.waitFor();
    assert.match(await details.innerText(), /call 246, frame 2/);
    await picture("call", page);
    await goTo(page, "frame 5");
    assert.equal(await page.locator("#details h2").innerText(), "Frame 5");
    assert.match(await details.innerText(), /Length\s*\d+ events/);
  });
});

test("G says how many calls there are when asked for one too many", async ({ carrier, withPage }) => {
  await withPage({}, async (page) => {
    await carrier.open(page, "groups_threads.trace", capture);
    await goTo(page, "392");
    assert.equal(await page.locator("#go-to-error").innerText(), "There is no call 392: the capture has 392.");
    await page.locator("#go-to-time").fill("1.25 s");
    await page.keyboard.press("Enter");
    await idle(page);
    assert.match(await page.locator("#go-to-error").innerText(), /That is no call/);
  });
});
