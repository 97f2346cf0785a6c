// Measures the start of the viewer with the bundled recording, in headless Chromium:
//
//   node bench/start.mjs BUILD_DIR [rounds] [--trace=FILE]
//
//   bars   from the start of `varve open` (or of the navigation, for the static page) to the frame with the bars
//   page   the part of it from the navigation on
//   long   the longest task of the page until then, and in brackets the sum of all tasks over 50 ms
//
// Each round has a new process of `varve open` and a new browser context, so nothing is in a cache of the page. The
// browser runs already. --trace writes a trace of Chromium of the last round of `varve open`.
import { spawn } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, launch, newPage } from "../test/web/browser.mjs";
import { serveSite } from "../test/web/site_server.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const EXAMPLE = join(ROOT, "examples", "page-load.json.gz");
const TRACE = process.argv.find((argument) => argument.startsWith("--trace="))?.slice("--trace=".length);
const [build = join(ROOT, "build"), rounds = "7"] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

/** Runs in the page: notes the time of the first frame that shows all bars, and the long tasks until then. */
function watch() {
  const start = (window.start = { bars: 0, tasks: [] });
  new PerformanceObserver((list) => start.tasks.push(...list.getEntries().map(({ duration, startTime }) => ({ duration, startTime })))).observe({ type: "longtask" });
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (body) =>
    request((now) => {
      body(now);
      const viewer = window.varve;
      if (start.bars === 0 && viewer?.frames > 0 && viewer.loading.traces.value.length > 0 && !viewer.view.isWaiting) start.bars = performance.now();
    });
}

function openVarve() {
  const child = spawn(join(resolve(build), "varve"), ["open", "--no-browser", "--port=0", EXAMPLE]);
  return new Promise((found, failed) => {
    child.stdout.on("data", (text) => {
      const url = /http:\S+/.exec(String(text));
      if (url !== null) found({ url: url[0], stop: () => child.kill("SIGINT") });
    });
    child.on("exit", (status) => failed(new Error(`varve open ended with ${status}`)));
  });
}

async function openSite() {
  const server = await serveSite(join(resolve(build), "web", "site"), {});
  return { url: server.url, stop: () => server.close() };
}

async function once(browser, open, trace) {
  const page = await newPage(browser, "dark", [], { reducedMotion: "no-preference" });
  await page.addInitScript(watch);
  if (trace !== undefined) await browser.startTracing(page, { path: trace });
  const began = Date.now();
  const { url, stop } = await open();
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(() => window.start.bars > 0, undefined, { polling: 20 });
  const { bars, tasks, origin } = await page.evaluate(() => ({ ...window.start, origin: performance.timeOrigin }));
  if (trace !== undefined) await browser.stopTracing();
  await page.context().close();
  stop();
  const long = tasks.filter(({ startTime }) => startTime < bars).map(({ duration }) => duration);
  return { bars: origin + bars - began, page: bars, longest: Math.max(0, ...long), long: long.reduce((sum, ms) => sum + ms, 0) };
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

async function measure(name, browser, open, trace) {
  await once(browser, open); // warms up the files and the browser
  const all = [];
  for (let i = 0; i < Number(rounds); i++) all.push(await once(browser, open, i === Number(rounds) - 1 ? trace : undefined));
  const [bars, page, longest, long] = ["bars", "page", "longest", "long"].map((key) => median(all.map((one) => one[key])).toFixed(0));
  const range = `${Math.min(...all.map((one) => one.bars)).toFixed(0)}..${Math.max(...all.map((one) => one.bars)).toFixed(0)}`;
  console.log(`${name.padEnd(14)} ${bars.padStart(6)} ${range.padStart(12)} ${page.padStart(6)} ${`${longest} (${long})`.padStart(12)}`);
}

const browser = await launch(join(ROOT, "web", "node_modules"), findChromium());
console.log(`${cpus().length} x ${cpus()[0]?.model ?? ""}, Chromium ${browser.version()}, load ${loadavg()[0].toFixed(1)}, medians of ${rounds} rounds in ms`);
console.log(`${"".padEnd(14)} ${"bars".padStart(6)} ${"range".padStart(12)} ${"page".padStart(6)} ${"long".padStart(12)}`);
await measure("varve open", browser, openVarve, TRACE);
await measure("static page", browser, openSite);
await browser.close();
