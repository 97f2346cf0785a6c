// Takes pictures of the page in each of its states, to be looked at one by one:
//
//   look.mjs SITE VARVE NODE_MODULES PICTURES [SIZE...] [THEME...] [STATE...]
//
// Without sizes, themes and states it takes all of them. Paths are absolute. The page uses the engine in the worker. A picture is named
// STATE-SIZE-THEME.png.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TRANSPORTS, centre, drag, drop, goTo, idle, launch, needChromium, newPage, press, settled } from "./browser.mjs";
import { UNRECOGNISED, brokenTrace, sampleTrace } from "./fixtures.mjs";

const SIZES = {
  700: { viewport: { width: 700, height: 800 } },
  1280: { viewport: { width: 1280, height: 800 } },
  1600: { viewport: { width: 1600, height: 900 } },
  "4k": { viewport: { width: 3840, height: 2160 } },
  x2: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 },
};
const THEMES = ["dark", "light"];

const [site, varve, nodeModules, pictures, ...chosen] = process.argv.slice(2);
const example = readFileSync(join(site, "example.json.gz"));
const data = (path) => readFileSync(new URL(`../data/${path}`, import.meta.url));
const STATEMENT = "SELECT name, count(*) AS n, sum(self_ns) / 1e6 AS self_ms FROM slice GROUP BY name ORDER BY self_ms DESC LIMIT 12";

/** Returns two parts of the example, as docs/tour.md compares them. */
function twoParts() {
  const folder = mkdtempSync(join(tmpdir(), "varve-look-"));
  const parts = ["0.7s..0.9s", "1s..1.2s"].map((part, i) => {
    const path = join(folder, `${i}.json`);
    execFileSync(varve, ["convert", "--quiet", join(site, "example.json.gz"), "-o", path, `--range=${part}`, "--tracks=CrRendererMain"]);
    return readFileSync(path);
  });
  rmSync(folder, { recursive: true });
  return parts;
}

const tab = (page, name) => page.getByRole("tab", { name }).click();
const timeline = (page) => page.evaluate(() => window.varve.focusTimeline());
const selectNamed = async (page, name) => {
  await page.evaluate((name) => window.varve.selection.selectNamed(0, name), name);
  await page.locator("#details").waitFor();
};
const run = async (page, command) => {
  await page.evaluate((name) => window.varve.run(name), command);
  await settled(page);
};
const close = async (page) => {
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
};
const dialog = (command) => async (page) => {
  await timeline(page);
  await run(page, command);
  await page.locator("dialog").waitFor();
};
const select = async (page) => {
  await timeline(page);
  await press(page, "/");
  await page.locator("#search").fill("FunctionCall >200ms");
  await page.locator("#search-result", { hasText: /^1 match$/ }).waitFor();
  await page.keyboard.press("Enter");
  await idle(page);
  await timeline(page);
  await press(page, "Shift+KeyF");
};
const open = (name, bytes) => (page, transport) => transport.open(page, name, bytes);

/** The states in order: the name, the steps into the state, and out of it. */
const STATES = [
  ["start", async (page, transport) => { await page.goto(transport.server.url); await page.waitForFunction(() => window.varve?.loading.traces.value.length > 0); await idle(page); }],
  ["opened", (page, transport) => transport.open(page, "page-load.json.gz", example)],
  ["overview", async (page) => { await press(page, "KeyQ"); await page.locator(".top-lists > div", { hasText: "Longest slices" }).getByRole("button").first().waitFor(); }],
  ["slice", select],
  ["tooltip", async (page) => { const { x, y } = await centre(page); await page.mouse.move(x, y - 60); await page.waitForTimeout(200); await idle(page); }, (page) => page.mouse.move(2, 2)],
  ["area-table", async (page) => { await timeline(page); await press(page, "KeyR"); await page.locator(".stats").waitFor(); }],
  ["area-all", async (page) => { await timeline(page); await press(page, "Digit0"); await press(page, "Control+KeyA"); await page.locator(".stats").waitFor(); }],
  ["area-instants", async (page) => { const radio = page.getByRole("radio", { name: /^Instants/ }); if (await radio.count() > 0) await radio.click(); }],
  ["area-histogram", async (page) => { const radio = page.getByRole("radio", { name: /^Slices/ }); if (await radio.count() > 0) await radio.click(); await page.getByRole("button", { name: "Histogram of durations" }).click(); }, (page) => page.getByRole("button", { name: "Histogram of durations" }).click()],
  ["flame", async (page) => { await timeline(page); await press(page, "Digit4"); await page.getByRole("tree", { name: /^Flame graph/ }).waitFor(); }],
  ["sandwich", async (page) => { await timeline(page); await run(page, "sandwich"); }],
  ["search", async (page) => { await page.locator("#search").fill("Layout"); await idle(page); await page.locator("#search-result").click(); }],
  ["search-error", async (page) => { await page.locator("#search").fill("/(/"); await idle(page); }, async (page) => { await page.locator("#search").fill(""); await idle(page); }],
  ["categories", (page) => tab(page, /^Categories/)],
  ["marks", async (page) => {
    await timeline(page);
    const { x, y } = await centre(page);
    await page.mouse.move(x, y);
    await press(page, "KeyM");
    await settled(page);
    await tab(page, /^Marks/);
    await page.locator("#mark-text").fill("first paint");
    await page.keyboard.press("Enter");
    await timeline(page);
    await page.mouse.move(x + 150, y);
    await press(page, "KeyM");
    await timeline(page);
    await press(page, "Shift+KeyM");
    await tab(page, /^Marks/);
  }],
  ["sql", async (page) => {
    await timeline(page);
    await press(page, "Digit6");
    await page.locator("#sql-editor").waitFor();
    const { missing } = await page.evaluate(() => window.varve.sql.state.value.schema);
    if (missing !== null) return;
    await page.locator("#sql-editor").click({ position: { x: 300, y: 20 } });
    await page.keyboard.press("Control+KeyA");
    await page.keyboard.insertText(STATEMENT);
    await page.keyboard.press("Control+Enter");
    await page.locator(".sql-table tbody tr").first().waitFor();
  }],
  ["chips", async (page) => { await timeline(page); for (let i = 0; i < 4; i++) await press(page, "Escape"); for (let i = 0; i < 3; i++) await press(page, "ArrowDown"); await press(page, "KeyP"); await press(page, "ArrowDown"); await press(page, "KeyH"); }],
  ["context-menu", async (page) => { await press(page, "Shift+F10"); await page.locator(".menu").waitFor(); }, (page) => page.keyboard.press("Escape")],
  ["order-menu", async (page) => { await page.locator(".order-button").click(); await page.locator(".menu").waitFor(); }, (page) => page.keyboard.press("Escape")],
  ["jump", async (page) => { await dialog("jump")(page); await page.keyboard.type("thread"); }, close],
  ["filter-tracks", dialog("filter-tracks"), close],
  ["palette", dialog("palette"), close],
  ["go-to", async (page) => { await dialog("go-to")(page); await page.locator("#go-to-time").fill("+1.25ms"); }, close],
  ["settings", dialog("settings"), close],
  ["keys", dialog("help"), close],
  ["share", dialog("share"), close],
  ["save", dialog("save"), close],
  ["report", dialog("report"), close],
  ["open-dialog", async (page) => { await page.evaluate(() => window.varve.recent.files.set([{ id: "/data/b.json", name: "b.json", folder: "/data" }])); await dialog("open")(page); }, close],
  ["drop", (page) => page.evaluate(() => { const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File(["x"], "x.json")); document.body.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer })); }), (page) => page.evaluate(() => document.body.dispatchEvent(new DragEvent("dragleave", { bubbles: true })))],
  ["drawer-right", async (page) => { await page.getByRole("button", { name: "Move to the right" }).click(); await tab(page, /^Area/); }, (page) => page.getByRole("button", { name: "Move to the bottom" }).click()],
  ["drawer-whole", async (page) => { await run(page, "names"); await page.evaluate(() => window.varve.drawer.toggleWhole()); }, (page) => page.evaluate(() => window.varve.drawer.toggleWhole())],
  ["no-rows", async (page) => { await page.evaluate(() => window.varve.filterTracks("no such track")); await page.locator(".no-rows").waitFor(); }, (page) => page.evaluate(() => window.varve.filterTracks(""))],
  ["unknown-file", async (page) => { await drop(page, "letter.txt", UNRECOGNISED); await page.locator(".card-error").waitFor(); }],
  ["large-text", async (page) => { await page.evaluate(() => window.varve.settings.change({ textSize: "larger" })); }, (page) => page.evaluate(() => window.varve.settings.change({ textSize: "normal" }))],
  ["no-trace", async (page) => { await page.evaluate(() => window.varve.closeTrace(0)); await page.locator(".vacant").waitFor(); }],
  ["loading", async (page, transport) => { await transport.openEndless(page); await page.locator(".card").waitFor(); }],
  ["broken", open("broken.json", brokenTrace())],
  ["broken-report", dialog("report"), close],
  ["empty", open("empty.json", "[]")],
  ["counters", async (page, transport) => { await open("counters.json", data("trace_event/pictures/counters.json"))(page, transport); const { x, y, box } = await centre(page); await page.mouse.move(x, box.y + 275); await page.waitForTimeout(200); await drag(page, { x: x - 200, y }, { x: x + 100, y: box.y + 130 }); }],
  ["samples", async (page, transport) => { await open("v8_chromium.json", data("trace_event/v8_chromium.json"))(page, transport); await selectNamed(page, "fib"); }],
  ["samples-area", async (page) => { await timeline(page); await press(page, "KeyR"); }],
  ["objects", async (page, transport) => { await open("objects.json", data("trace_event/pictures/objects.json"))(page, transport); await selectNamed(page, "cc::PictureLayerImpl 0x7f22"); }],
  ["flows", async (page, transport) => { await open("flows.json", data("trace_event/pictures/flows.json"))(page, transport); await selectNamed(page, "Receive mojo message"); }],
  ["capture", async (page, transport) => { await open("groups_threads.trace", data("apitrace/groups_threads.trace"))(page, transport); await goTo(page, "246"); }],
  ["frames", async (page) => { await run(page, "frames"); await page.locator(".frame-chart").waitFor(); }],
  ["go", async (page, transport) => { await open("mixed.trace", data("go/go126_mixed.trace"))(page, transport); await run(page, "go"); }],
  ["go-gc", async (page) => { await page.locator("#go-what").selectOption("gc"); await page.waitForFunction(() => !window.varve.go.isRunning && window.varve.go.answer.value?.what === "gc"); }],
  ["go-net", async (page) => { await page.locator("#go-what").selectOption("net"); await page.waitForFunction(() => window.varve.go.what.value === "net" && !window.varve.go.isRunning); }],
  ["compare", async (page, transport) => { await transport.openTwo(page, ["first.json", "second.json"], twoParts()); await timeline(page); await press(page, "Digit7"); await page.getByRole("table", { name: "Comparison" }).locator("tbody tr[aria-rowindex]").first().waitFor(); }],
  ["compare-flame", async (page) => { await page.getByRole("radio", { name: /^Flame/ }).click(); }],
  ["several", async (page) => { await drop(page, "sample.json", sampleTrace(), { shiftKey: true }); await page.waitForFunction(() => window.varve.loading.traces.value.length === 3); await run(page, "trace-info"); }],
];

const among = (names) => { const some = names.filter((name) => chosen.includes(name)); return some.length > 0 ? some : names; };
const states = new Set(among(STATES.map(([name]) => name)));
const last = STATES.findLastIndex(([name]) => states.has(name));

mkdirSync(pictures, { recursive: true });
const browser = await launch(nodeModules, needChromium());
const transport = await TRANSPORTS.worker.start({ site, varve });
const problems = [];
for (const size of among(Object.keys(SIZES)))
  for (const theme of among(THEMES)) {
    const page = await newPage(browser, theme, problems, SIZES[size]);
    page.setDefaultTimeout(60000);
    for (const [name, enter, leave] of STATES.slice(0, last + 1)) {
      try {
        await enter(page, transport);
        if (name !== "loading") await settled(page);
        if (states.has(name)) await page.screenshot({ path: join(pictures, `${name}-${size}-${theme}.png`), animations: "disabled" });
        await leave?.(page, transport);
      } catch (error) {
        problems.push(`${name} ${size} ${theme}: ${error.message}`);
      }
    }
    await page.context().close();
  }
await browser.close();
await transport.stop();
problems.forEach((problem) => console.error(problem));
process.exit(problems.length === 0 ? 0 : 1);
