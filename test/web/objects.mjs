// Objects and their snapshots, states of threads, memory dumps, and details of processes and threads.
import assert from "node:assert/strict";
import { clickSlice, idle, press } from "./browser.mjs";
import { objectsTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const heading = (page) => page.locator("#details h2").innerText();
async function findFirst(page, text) {
  await page.locator("#search").fill(text);
  await page.keyboard.press("Enter");
  await idle(page);
}

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

/** A picture of 480 by 300 pixels. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAeAAAAEsCAAAAAA+lT+GAAACrklEQVR42u3RQQ0AQAgDQeScfxXIOhEkPMrUwCad6sHeYLo73XI0YEcDdjRgwIB1AesC1gUM" +
  "2NGAHQ3Y0YB1AesC1gUM2NGAHQ3Y0YABA9YFrAtYFzBgRwN2NGBHA9YFrAtYFzBgRwN2NGBHA9YFrAtYFzBgRwN2NGBHAwYMWBewLmBdwIAdDdjRgB0NWBew" +
  "LmBdwIAdDdjRgB0NGDBgXcC6gM8DOyu7CxiwowE7GjBgwLqAdQHrAgbsaMCOBuxowLqAdQHrAgbsaMCOBuxowIAB6wLWBawLGLCjATsasKMB6wLWBawLGLCj" +
  "ATsasKMB6wLWBawLGLCjATsasKMBAwasC1gXsC5gwI4G7GjAjgasC1gXsC5gwI4G7GjAjgYMGLAuYF3AgJ2V3QUM2NGAHQ0YMGBdwLqAdQEDdjRgRwN2NGBd" +
  "wLqAdQEDdjRgRwN2NGDAgHUB6wLWBQzY0YAdDdjRgHUB6wLWBQzY0YAdDdjRgHUB6wLWBQzY0YAdDdjRgAED1gWsC1gXMGBHA3Y0YEcD1gWsC1gXMGBHA3Y0" +
  "YEcDBgxYF7AuYMDOyu4CBuxowI4GDBiwLmBdwLqAATsasKMBOxqwLmBdwLqAATsasKMBOxowYMC6gHUB6wIG7GjAjgbsaMC6gHUB6wIG7GjAjgbsaMC6gHUB" +
  "6wIG7GjAjgbsaMCAAesC1gWsCxiwowE7GrCjAesC1gWsCxiwowE7GrCjAQMGrAtYFzBgZ2V3AQN2NGBHAwYMWBewLmBdwIAdDdjRgB0NWBewLmBdwIAdDdjR" +
  "gB0NGDBgXcC6gHUBA3Y0YEcDdjRgXcC6gHUBA3Y0YEcDdjRgXcC6gHUBA3Y0YEcDdjRgwIB1AesC1gUM2NGAHQ3Y0YB1AesC1gUM2NGAHQ3Y0YABA9YFrAv4" +
  "fPcDI/K7ak+8IKwAAAAASUVORK5CYII=";

test("a picture in an argument is shown, in full size after a click; a damaged one as text", async ({ page, transport, picture }) => {
  const shot = (name, ts, snapshot) => ({ ph: "i", s: "t", name, pid: 1, tid: 1, ts, args: { snapshot } });
  const damaged = `/9j/${"A".repeat(80)}`;
  await transport.open(page, "pictures.json", JSON.stringify([shot("Screenshot", 10, PNG), shot("damaged", 20, damaged)]));
  await findFirst(page, "name:Screenshot");
  const image = page.locator("#details .picture img");
  await image.waitFor();
  await image.evaluate((element) => element.decode());
  assert.deepEqual(await image.evaluate((element) => [element.naturalWidth, element.naturalHeight]), [480, 300]);
  const height = async () => (await image.boundingBox()).height;
  assert.ok((await height()) < 150, "it leaves room in the drawer");
  await picture("picture");
  await page.getByRole("button", { name: "snapshot, a picture" }).click();
  assert.ok((await height()) > 150);
  await findFirst(page, "name:damaged");
  await page.locator("#details").getByText(damaged).waitFor();
});
