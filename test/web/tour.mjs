// The walk of docs/tour.md. With VARVE_UPDATE_GOLDEN=1 its pictures in docs/images are made again, by the page with the worker.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { download, idle, press, range, settled } from "./browser.mjs";
import { test } from "./tap.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLE = join(ROOT, "examples/page-load.json.gz");
const SIZE = { width: 1200, height: 750 };
const STATEMENT = "SELECT name, count(*) AS n, sum(self_ns) / 1e6 AS self_ms FROM slice(thread := 'CrRendererMain') GROUP BY name ORDER BY self_ms DESC LIMIT 5";

/** Returns a function that takes a picture, and writes the one of the page if these are updated. */
function photographer({ page, picture, transportName }) {
  return async (name) => {
    await settled(page);
    await page.mouse.move(2, 2); // no tooltip
    await settled(page);
    await picture(`tour ${name}`);
    const isUpdate = process.env.VARVE_UPDATE_GOLDEN === "1" && transportName === "worker";
    if (isUpdate) await page.screenshot({ path: join(ROOT, `docs/images/tour-${name}.png`), animations: "disabled" });
  };
}

const heading = (page) => page.locator("#details h2").innerText();
const timeline = (page) => page.evaluate(() => window.varve.focusTimeline());

test("the tour: overview, a search for long calls, zoom", async (context) => {
  const { page, transport } = context;
  await page.setViewportSize(SIZE);
  await transport.open(page, "page-load.json.gz", readFileSync(EXAMPLE));
  const whole = await range(page);
  await press(page, "KeyQ");
  await page.locator(".top-lists > div", { hasText: "Longest slices" }).getByRole("button").first().waitFor();
  await photographer(context)("overview");
  await timeline(page);
  await press(page, "/");
  await page.locator("#search").fill("FunctionCall >200ms");
  await page.locator("#search-result", { hasText: /^1 match$/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#search-result", { hasText: "1 of 1" }).waitFor();
  await idle(page);
  assert.equal(await heading(page), "FunctionCall");
  await page.keyboard.press("ArrowDown");
  await press(page, "Shift+KeyF");
  const near = await range(page);
  assert.ok(near.span < whole.span / 4 && near.span > 209_000_000, `${near.span} ns`);
  await photographer(context)("slice");
});

test("the tour: a note, an area and its flame graph", async (context) => {
  const { page } = context;
  await press(page, "Shift+KeyM");
  await settled(page);
  await page.keyboard.type("long script");
  await page.keyboard.press("Enter");
  assert.deepEqual(await page.evaluate(() => window.varve.notes.list.value.notes.map(({ text }) => text)), ["long script"]);
  await press(page, "KeyR");
  await page.locator(".stats").waitFor();
  assert.match(await page.locator(".stats tbody").innerText(), /FunctionCall/);
  await timeline(page);
  await press(page, "Digit4");
  await page.getByRole("tree", { name: /^Flame graph/ }).waitFor();
  await photographer(context)("flame");
});

test("the tour: SQL", async (context) => {
  const { page } = context;
  await timeline(page);
  await press(page, "Digit6");
  await page.locator("#sql-editor").waitFor();
  const { missing } = await page.evaluate(() => window.varve.sql.state.value.schema);
  if (missing !== null) return "the page was built without an optional package";
  await page.locator("#sql-editor").click({ position: { x: 300, y: 20 } });
  await page.keyboard.press("Control+KeyA");
  await page.keyboard.insertText(STATEMENT);
  await page.keyboard.press("Control+Enter");
  await page.locator(".sql-table tbody tr", { hasText: "LocalFrameView::performLayout" }).waitFor();
  await photographer(context)("sql");
});

test("the tour: share the view as one file", async ({ page }) => {
  await page.getByRole("button", { name: /^Share: / }).click();
  await page.locator("#save-view").check();
  const { name, bytes } = await download(page, () => page.getByRole("button", { name: "Save", exact: true }).click());
  assert.equal(name, "page-load.html");
  assert.ok(bytes.length < 10 << 20);
  await page.waitForFunction(() => window.varve.dialog.value === null || document.querySelector("#save-losses") !== null);
  await page.keyboard.press("Escape");
});

test("the tour: compare", async (context) => {
  const { page, transport, varve } = context;
  const folder = mkdtempSync(join(tmpdir(), "varve-tour-"));
  const parts = { "first.json": "0.7s..0.9s", "second.json": "1s..1.2s" };
  const texts = Object.entries(parts).map(([name, part]) => {
    execFileSync(varve, ["convert", "--quiet", EXAMPLE, "-o", join(folder, name), `--range=${part}`, "--tracks=CrRendererMain"]);
    return readFileSync(join(folder, name));
  });
  await transport.openTwo(page, Object.keys(parts), texts);
  rmSync(folder, { recursive: true });
  await timeline(page);
  await press(page, "Digit7");
  await page.getByRole("table", { name: "Comparison" }).locator("tbody tr[aria-rowindex]").first().waitFor();
  await photographer(context)("compare");
  await page.setViewportSize({ width: 1280, height: 800 });
});
