// Measures the start of the viewer with the bundled recording, in headless Chromium:
//
//   node bench/start.mjs BUILD_DIR [rounds] [--trace=FILE] [--kept=FILE]
//
//   bars   from the start of `varve open` (or of the navigation, for the static page) to the frame with the bars
//   page   from there to the first picture of the page itself: the bar on top, which index.html has, without its buttons
//   cpu    processor time of the main thread of the page until the bars, which other work of the machine changes less
//   long   the longest task of the page until then, and in brackets the sum of all tasks over 50 ms
//
// The page of a link, of the same server, shows a sentence: `bars` is its first picture. This is the part of the browser, and of the
// start of `varve open`.
//
// Each round has a new process of `varve open` and a new browser context, so nothing is in a cache of the page. With
// "again" the port and the context are those of the round before, so that the cache of the browser has the page. The
// browser runs already, and its window is open. --trace writes a trace of Chromium of the last round of `varve open`. --kept
// measures only FILE, whose load takes more than a second, from the cache: `varve open` keeps it first, in a folder beside the build.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { serveSite } from "../test/web/site_server.mjs";
import { machine, openVarve, openWindow, quantile, ROOT, startBrowser } from "./window.mjs";

const EXAMPLE = join(ROOT, "examples", "page-load.json.gz");
const option = (name) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const TRACE = option("trace");
const KEPT = option("kept");
const [build = join(ROOT, "build"), rounds = "7"] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const AGAIN_PORT = 18473;

/** Runs in the page: notes the time of the first frame that shows all bars, and the long tasks until then. */
function watch() {
  const start = (window.start = { bars: 0, tasks: [] });
  new PerformanceObserver((list) => start.tasks.push(...list.getEntries().map(({ duration, startTime }) => ({ duration, startTime })))).observe({ type: "longtask" });
  new PerformanceObserver((list) => {
    const paint = list.getEntriesByName("first-contentful-paint")[0];
    if (paint === undefined || document.getElementById("app") !== null) return;
    start.bars = paint.startTime; // the page of a link
    window.barsAreShown("");
  }).observe({ type: "paint" });
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (body) =>
    request((now) => {
      body(now);
      const viewer = window.varve;
      if (start.bars > 0 || viewer === undefined || viewer.loading.traces.value.length === 0 || viewer.view.isWaiting) return;
      start.bars = performance.now();
      window.barsAreShown("");
    });
}

/** Opens a file until it is kept. Returns the folder of the cache. */
async function keep(file) {
  const data = join(resolve(build), "bench", "data");
  mkdirSync(data, { recursive: true });
  const cache = mkdtempSync(join(data, "cache-"));
  const { stop } = await openVarve(build, file, 0, cache);
  const isKept = () => readdirSync(cache, { recursive: true }).some((name) => String(name).endsWith(".varve"));
  while (!isKept()) await new Promise((resume) => setTimeout(resume, 100));
  await stop();
  return cache;
}

async function openLinkPage() {
  const { url, stop } = await openVarve(build, EXAMPLE);
  return { url: new URL("/", url).href, stop };
}

async function openSite() {
  const server = await serveSite(join(resolve(build), "web", "site"), {});
  return { url: server.url, stop: () => server.close() };
}

async function once(browser, open, trace, page) {
  // Functions of Playwright that wait for the page run a script in it, which takes 12 ms of its start.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.enable");
  await session.send("Runtime.addBinding", { name: "barsAreShown" });
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const areShown = new Promise((resolve) => session.once("Runtime.bindingCalled", resolve));
  if (trace !== undefined) await browser.startTracing(page, { path: trace });
  const began = Date.now();
  const { url, stop } = await open();
  await page.goto(url, { waitUntil: "commit" });
  await areShown;
  const { metrics } = await session.send("Performance.getMetrics");
  const { bars, tasks, origin, paint } = await page.evaluate(() => ({
    ...window.start,
    origin: performance.timeOrigin,
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity,
  }));
  if (trace !== undefined) await browser.stopTracing();
  await page.goto("about:blank");
  await stop();
  const long = tasks.filter(({ startTime }) => startTime < bars).map(({ duration }) => duration);
  return {
    bars: origin + bars - began,
    page: origin + paint - began,
    cpu: 1000 * metrics.find(({ name }) => name === "TaskDuration").value,
    longest: Math.max(0, ...long),
    long: long.reduce((sum, ms) => sum + ms, 0),
  };
}

/** `again`: the window stays the same. */
async function measure(name, browser, open, { trace, again = false } = {}) {
  const all = [];
  let page = null;
  for (let i = -1; i < Number(rounds); i++) {
    page ??= await openWindow(browser, watch);
    const one = await once(browser, open, i === Number(rounds) - 1 ? trace : undefined, page);
    if (i >= 0) all.push(one); // the first round warms up the files and the browser
    if (!again) {
      await page.context().close();
      page = null;
    }
  }
  await page?.context().close();
  const [bars, first, cpu, longest, long] = ["bars", "page", "cpu", "longest", "long"].map((key) => quantile(all.map((one) => one[key]), 0.5).toFixed(0));
  const range = `${Math.min(...all.map((one) => one.bars)).toFixed(0)}..${Math.max(...all.map((one) => one.bars)).toFixed(0)}`;
  console.log(line(name, bars, range, first, cpu, `${longest} (${long})`));
}

const line = (name, bars, range, page, cpu, long) => `${name.padEnd(18)} ${bars.padStart(6)} ${range.padStart(12)} ${page.padStart(6)} ${cpu.padStart(6)} ${long.padStart(12)}`;

const browser = await startBrowser();
console.log(`${machine(browser)}, medians of ${rounds} rounds in ms`);
console.log(line("", "bars", "range", "page", "cpu", "long"));
if (KEPT !== undefined) {
  const cache = await keep(KEPT);
  await measure("varve open, kept", browser, () => openVarve(build, KEPT, 0, cache), { trace: TRACE });
  rmSync(cache, { recursive: true });
} else {
  await measure("varve open", browser, () => openVarve(build, EXAMPLE), { trace: TRACE });
  await measure("varve open, again", browser, () => openVarve(build, EXAMPLE, AGAIN_PORT), { again: true });
  await measure("static page", browser, openSite);
  await measure("page of a link", browser, openLinkPage);
}
await browser.close();
