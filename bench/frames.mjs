// Measures the frames of the viewer while it zooms, pans and scrolls rows at 1600x900, in headless Chromium:
//
//   node bench/frames.mjs BUILD_DIR [FILE] [--trace=FILE]
//
// Without FILE, a trace with 6 million slices of 32 threads is generated and removed afterwards. The times are processor
// times of the main thread of the page in ms, from a trace of Chromium, because other programs share the machine:
//
//   frame   the callback of a frame: all JavaScript and WebAssembly, with the painting; SwiftShader rasterises elsewhere
//   task    the longest task of the page, with the work of the browser for the frame
//
// --trace writes the trace of the last movement, which `varve open` shows.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loaded } from "../test/web/browser.mjs";
import { machine, openVarve, openWindow, quantile, ROOT, startBrowser } from "./window.mjs";

const SLICES = 6_000_000;
const SIZE = { width: 1600, height: 900 };
const MOVEMENT_MS = 4000;
const FRAME_MS = 16;
/** Without the sampling of stacks, which Playwright switches on otherwise: the samples take time of the thread. */
const CATEGORIES = ["-*", "toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"];
const TRACE = process.argv.find((argument) => argument.startsWith("--trace="))?.slice("--trace=".length);
const [build = join(ROOT, "build"), given] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

const rest = (ms) => new Promise((resume) => setTimeout(resume, ms));

const hold = (key) => async (page) => {
  await page.keyboard.down(key);
  await rest(MOVEMENT_MS);
  await page.keyboard.up(key);
};

const wheel = (pixels) => async (page) => {
  const end = Date.now() + MOVEMENT_MS;
  while (Date.now() < end) await Promise.all([page.mouse.wheel(0, pixels), rest(FRAME_MS)]);
};

const MOVEMENTS = [
  ["zoom in", hold("w")],
  ["pan", hold("d")],
  ["zoom out", hold("s")],
  ["scroll", wheel(40)],
  ["scroll back", wheel(-40)],
];

/** Returns the main thread of the page in a trace: the one with the most callbacks of frames. */
function mainThread(events) {
  const counts = new Map();
  for (const { name, pid, tid } of events) {
    if (name === "FireAnimationFrame") counts.set(`${pid} ${tid}`, (counts.get(`${pid} ${tid}`) ?? 0) + 1);
  }
  const most = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
  return events.filter(({ pid, tid, ph }) => ph === "X" && `${pid} ${tid}` === most);
}

/** Returns the times of the frames and of the tasks. A frame can have several callbacks. */
function timesOf(path) {
  const events = mainThread(JSON.parse(readFileSync(path, "utf8")).traceEvents).sort((a, b) => a.ts - b.ts);
  const tasks = events.filter(({ name }) => name === "RunTask");
  const frames = new Map();
  let task = 0;
  for (const { name, ts, tdur = 0 } of events) {
    if (name !== "FireAnimationFrame") continue;
    while (task + 1 < tasks.length && tasks[task + 1].ts <= ts) task++;
    frames.set(task, (frames.get(task) ?? 0) + tdur / 1000);
  }
  return { frames: [...frames.values()], tasks: tasks.map(({ tdur = 0 }) => tdur / 1000) };
}

async function measure(browser, page, name, move, path) {
  await page.evaluate(() => window.varve.timeline.redraw()); // one frame at rest
  await rest(500);
  await browser.startTracing(page, { path, categories: CATEGORIES });
  await move(page);
  await browser.stopTracing();
  const { frames, tasks } = timesOf(path);
  const columns = [frames.length, ...[0.5, 0.95, 0.99, 1].map((share) => quantile(frames, share).toFixed(1)), Math.max(...tasks).toFixed(0)];
  console.log(`${name.padEnd(12)}${columns.map((value) => String(value).padStart(8)).join("")}`);
  return frames;
}

const folder = mkdtempSync(join(tmpdir(), "varve-frames-"));
const browser = await startBrowser();
let stop = () => undefined;
try {
  const file = given ?? join(folder, "calls.spall");
  if (given === undefined) execFileSync(join(resolve(build), "bench", "gen", "varve-gen"), ["--format", "spall3", "--threads", "32", "--events", String(SLICES), "--output", file]);
  const page = await openWindow(browser, () => undefined, { viewport: SIZE });
  const server = await openVarve(build, file);
  stop = server.stop;
  await page.goto(server.url);
  await loaded(page);
  console.log(`${machine(browser)}, ${await page.evaluate(() => window.varve.loading.traces.value[0].info.counts.slices)} slices, ${await page.evaluate(() => window.varve.timeline.painterName)}`);
  console.log(`${"".padEnd(12)}${["frames", "p50", "p95", "p99", "most", "task"].map((name) => name.padStart(8)).join("")}`);
  const path = TRACE ?? join(folder, "frames.json");
  await page.mouse.move(SIZE.width / 2, SIZE.height / 2);
  const all = [];
  for (const [name, move] of MOVEMENTS) all.push(...(await measure(browser, page, name, move, path)));
  console.log(`${"all".padEnd(12)}${[all.length, ...[0.5, 0.95, 0.99, 1].map((share) => quantile(all, share).toFixed(1))].map((value) => String(value).padStart(8)).join("")}`);
} finally {
  await browser.close();
  await stop();
  rmSync(folder, { recursive: true });
}
