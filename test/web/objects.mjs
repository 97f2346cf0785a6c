// Objects and their snapshots, states of threads, memory dumps, and details of processes and threads.
import assert from "node:assert/strict";
import { clickSlice, idle, press } from "./browser.mjs";
import { objectsTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const heading = (page) => page.locator("#details h2").innerText();
const details = (page) => page.locator("#details").innerText();

test("an object's life shows its number of snapshots, with a link to the last one", async ({ page, transport, picture }) => {
  await transport.open(page, "objects.json", objectsTrace());
  await clickSlice(page, "Host 0x9");
  assert.equal(await heading(page), "Host 0x9");
  assert.match(await details(page), /Object\s*Type\s*Host/);
  assert.match(await details(page), /its creation was not recorded/);
  await picture("object life");
  await page.locator("#object").getByRole("button", { name: "latest" }).click();
  await idle(page);
  assert.match(await details(page), /Snapshot of an object/);
  assert.match(await details(page), /Snapshots\s*5 of 5/);
});

test("references in a snapshot are links, also by keyboard", async ({ page, picture }) => {
  const link = page.locator("#details .tree").getByRole("button", { name: "0x1", exact: true });
  await link.focus();
  await page.keyboard.press("Enter");
  await idle(page);
  assert.equal(await heading(page), "Layer");
  assert.match(await details(page), /Id\s*0x1/);
  // The last snapshot of that object before this time, of its second life.
  assert.match(await details(page), /life 2 of 2/);
  await picture("object snapshot");
  assert.match(await details(page), /0x777 no such object then/);
  await page.locator("#object").getByRole("button", { name: "previous" }).click();
  await idle(page);
  assert.match(await details(page), /Snapshots\s*1 of 2/);
  await page.locator("#object").getByRole("button", { name: /life 2 of 2/ }).click();
  await idle(page);
  assert.equal(await heading(page), "Layer 0x1");
});

test("a slice shows the contexts at its begin, a dump its parts in other processes", async ({ page }) => {
  await clickSlice(page, "draw");
  assert.match(await details(page), /Contexts\s*frame 0x9\s*since/);
  await page.locator("#details").getByRole("button", { name: "its object then" }).click();
  await idle(page);
  assert.equal(await heading(page), "Host");
  await clickSlice(page, "Running");
  assert.match(await details(page), /cpu\s*3/);
});

test("the header of a process and the title of a track show their metadata", async ({ page, picture }) => {
  const box = await page.locator("#timeline").boundingBox();
  const rows = await page.evaluate(() => window.varve.view.rows());
  assert.ok(rows.some((row) => row.title === "renderer (1)"), JSON.stringify(rows.map((row) => row.title)));
  const top = await page.evaluate(() => 40 + 42 + 10); // under minimap and ruler: the first header
  await page.mouse.click(box.x + 60, box.y + top);
  await idle(page);
  assert.equal(await heading(page), "renderer (1)");
  assert.match(await page.locator("#metadata").innerText(), /num_cpus/);
  assert.match(await details(page), /Labels\s*tab 7/);
  await page.mouse.click(box.x + 60, box.y + top); // the click has closed it
  await clickSlice(page, "draw");
  await press(page, "Shift+KeyI");
  await page.waitForFunction(() => document.querySelector("#details h2")?.textContent === "main (1)");
  assert.match(await details(page), /Earlier names\s*starting/);
  await picture("owner");
});
