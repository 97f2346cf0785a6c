// The element varve-timeline in every browser: load, view, select, dispose. As in core.mjs, a page is Playwright's or that of webdriver.mjs.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shown } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { colourCount } from "./png.mjs";
import { serveSite } from "./site_server.mjs";
import { test } from "./tap.mjs";

const PAGE = `<!doctype html><html lang="en"><title>Test</title><style>varve-timeline { height: 300px; }</style>
  <script src="../varve-timeline.js" type="module"></script>
  <varve-timeline id="a" src="sample.json"></varve-timeline><varve-timeline id="b"></varve-timeline></html>`;

const idle = (page, id) => page.waitForFunction((id) => { const e = document.getElementById(id); return e?.traces?.length > 0 && e.isIdle; }, id);
/** Of the page: WebKitWebDriver 2.50 gives an empty picture of an element with a shadow root. */
async function screenshot(page) {
  const folder = mkdtempSync(join(tmpdir(), "varve-element-"));
  const path = join(folder, "page.png");
  try {
    await page.screenshot({ path });
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the element loads, is drawn, shows a view, selects and is disposed", async ({ page, module, picture }) => {
  const server = await serveSite(module, { "page.html": PAGE, "sample.json": sampleTrace() });
  try {
    await page.goto(`${server.url}files/page.html`);
    await idle(page, "a");
    await shown(page);
    const { colours, mostFrequent } = colourCount(await screenshot(page));
    assert.ok(colours > 20 && mostFrequent < 0.97, `${colours} colours, ${mostFrequent} of it one`);
    const loaded = await page.evaluate(async () => {
      const [a, b] = [document.getElementById("a"), document.getElementById("b")];
      const { name, slices } = await b.load(await (await fetch("sample.json")).arrayBuffer(), { name: "bytes.json" });
      const { begin, end } = a.visible;
      const third = (end - begin) / 3n;
      a.range = `${begin + third} ticks..${begin + 2n * third} ticks`;
      return { name, slices, wanted: `${begin + third} ${begin + 2n * third}` };
    });
    assert.deepEqual([loaded.name, loaded.slices], ["bytes.json", 121]);
    await idle(page, "a");
    await page.evaluate(() => void (document.getElementById("b").view = document.getElementById("a").view));
    await idle(page, "b");
    const ranges = await page.evaluate(() => ["a", "b"].map((id) => { const { begin, end } = document.getElementById(id).visible; return `${begin} ${end}`; }));
    assert.deepEqual(ranges, [loaded.wanted, loaded.wanted]);
    await picture("element");
    const selected = await page.evaluate(async () => {
      const a = document.getElementById("a");
      const next = () => new Promise((resume) => a.addEventListener("select", ({ detail }) => resume(detail), { once: true }));
      const [first] = await Promise.all([next(), a.select("handle request")]);
      const [none] = await Promise.all([next(), a.select(null)]);
      return [first.name, typeof first.duration, none];
    });
    assert.deepEqual(selected, ["handle request", "bigint", null]);
    const left = await page.evaluate(async () => {
      const [a, b] = [document.getElementById("a"), document.getElementById("b")];
      a.dispose();
      b.remove();
      await new Promise((resume) => setTimeout(resume, 50));
      return [a.traces.length, a.shadowRoot.childElementCount, b.traces.length, [...document.fonts].filter(({ family }) => family.includes("Varve")).length];
    });
    assert.deepEqual(left, [0, 0, 0, 0]);
    await page.evaluate(() => document.getElementById("a").load("sample.json").then(() => null));
    await idle(page, "a");
  } finally {
    server.close();
  }
});
