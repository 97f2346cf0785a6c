// Stacks and samples in the details.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clickSlice, drag, idle, press } from "./browser.mjs";
import { stacksTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const facts = (page) => page.locator("#details dl").first().innerText();
const stacks = (page) => page.locator("#details .stack");

test("the stacks at a slice's begin and end are listed, the innermost frame first", async ({ page, transport, picture }) => {
  await transport.open(page, "stacks.json", stacksTrace());
  await clickSlice(page, "load");
  await stacks(page).first().waitFor();
  assert.equal(await stacks(page).count(), 2);
  assert.deepEqual((await stacks(page).nth(0).innerText()).split("\n"), ["read_file io", "src/io.c:31:5", "main app", "src/main.c:12"]);
  assert.deepEqual((await stacks(page).nth(1).innerText()).split("\n"), ["main app", "src/main.c:12"]);
  await picture("stacks of a slice");
});

test("a frame of samples shows its position and its number of samples", async ({ page, picture }) => {
  await clickSlice(page, "inner");
  await page.waitForFunction(() => document.querySelector("#details h2")?.textContent === "inner");
  const text = await facts(page);
  assert.match(text, /file:\/\/\/app\.js:21:3/);
  assert.match(text, /Samples here\s+2, 2 of them in the function itself/);
  assert.match(text, /In all\s+3 of 8 called this way, 3 in itself/);
  assert.deepEqual((await stacks(page).innerText()).split("\n"), ["inner", "file:///app.js:21:3", "outer", "file:///app.js:1:1"]);
  await picture("frame of samples");
});

test("statistics do not count samples together with slices, and a note explains it", async ({ page, picture }) => {
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  const names = await page.locator(".stats tbody td.name").allInnerTexts();
  assert.ok(names.includes("load") && !names.includes("inner"), `${names}`);
  assert.match(await page.locator(".area-head").innerText(), /without 1 track of samples/);
  await press(page, "Escape");
  await clickSlice(page, "inner");
  const point = await clickSlice(page, "inner");
  await press(page, "Escape");
  const box = await page.locator("#timeline").boundingBox();
  await drag(page, { x: box.x + box.width * 0.3, y: point.y - 4 }, { x: box.x + box.width * 0.95, y: point.y + 4 });
  await page.locator(".stats").waitFor();
  await idle(page);
  assert.ok((await page.locator(".stats tbody td.name").allInnerTexts()).includes("inner"));
  await picture("statistics of samples");
  await press(page, "Escape");
});

test("a run of a goroutine shows its stacks at the begin and the end, with links to the runs before and after", async ({ page, transport, picture }) => {
  await transport.open(page, "chans.trace", readFileSync(new URL("../data/go/go126_chans.trace", import.meta.url)));
  const ends = page.locator("#ends");
  await page.evaluate(() => window.varve.selection.selectNamed(0, "G26 main.chans.func1"));
  await ends.waitFor();
  const first = await facts(page);
  assert.match(await ends.innerText(), /^Then\s+waits: sync\.\(\*Cond\)\.Wait; it runs again after 65\.536\u00a0µs on P 1$/);
  assert.deepEqual((await stacks(page).innerText()).split("\n"), ["sync.(*Cond).Wait", "sync/cond.go:71", "main.chans.func1", "tracedemo/main.go:77"]);
  await ends.getByRole("button", { name: "P 1" }).click();
  await page.waitForFunction(() => /^Before/.test(document.querySelector("#ends")?.textContent ?? ""));
  assert.match(await ends.innerText(), /^Before\s+waits: sync\.\(\*Cond\)\.Wait; it ran until 65\.536\u00a0µs before, on P 0/);
  assert.equal((await stacks(page).nth(0).innerText()).split("\n")[3], "tracedemo/main.go:77");
  await picture("ends of a run");
  await ends.getByRole("button", { name: "P 0" }).click();
  await page.waitForFunction((text) => document.querySelector("#details dl")?.innerText === text, first);
});

test("the arrows of a run are listed in the order of the keys, with their other ends", async ({ page, transport }) => {
  await transport.open(page, "mixed.trace", readFileSync(new URL("../data/go/go126_mixed.trace", import.meta.url)));
  const far = (title) => page.locator("#details section").filter({ has: page.getByRole("heading", { name: title }) }).locator("li");
  const selected = () => page.evaluate(() => window.varve.details.value.slice);
  /** A run on P 0 that wakes four goroutines, of which the first one woken is not the first to run. */
  const run = await page.evaluate(async () => {
    const { loading } = window.varve;
    for (let id = 0; ; id++) {
      const slice = JSON.parse(new TextDecoder().decode(await loading.ready[0].request("slice", { id })));
      if (slice.begin.tick === "1627593692864" && slice.flows_out.count === 4) return slice.place;
    }
  });
  await page.evaluate((place) => window.varve.selection.select(place), run);
  await far(/^Flows out/).first().waitFor();
  const names = await far(/^Flows out/).locator("button").allInnerTexts();
  assert.equal(names.length, 4);
  assert.match(await far(/^Flows out/).first().innerText(), /P \d+, unblock, /);
  const followed = [];
  for (let i = 0; i < 4; i++) {
    if (i > 0) await press(page, "[");
    await press(page, "]");
    followed.push((await selected()).name);
  }
  assert.deepEqual(followed, names);
});
