// Measures the response time of the viewer to user input while two million events arrive, in headless
// Chromium:
//
//   node bench/live.mjs BUILD_DIR [rounds]
//
// For comparison, in the same browser and the same minute: an empty page with a WebGL canvas of the same size
// (the minimum that the browser and the machine need), and the bundled recording, which does not grow. The
// events are sent over TCP and UDP by four processes, as fast as possible and at 200,000 a second.
//
//   drawn   from the time of the input to the end of its frame, with all work of the page
//   shown   of keys: from the input to the screen, as measured by the browser (Event Timing, in steps of 8 ms)
//
// The senders, the receiver, the browser and its software rasteriser (SwiftShader) share the machine: the
// load average shows the load of other programs.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg, cpus } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, launch, newPage } from "../test/web/browser.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const EVENTS = 2_000_000;
const INPUTS = 60;
const build = resolve(process.argv[2] ?? join(ROOT, "build"));
const rounds = Number(process.argv[3] ?? 3);

const EMPTY = `<!doctype html><body style="margin:0"><canvas id="timeline" width="1280" height="500"></canvas><script>
  const gl = document.querySelector("canvas").getContext("webgl2", { alpha: false, antialias: false, depth: false });
  let isScheduled = false;
  window.varve = { frames: 0 };
  const draw = () => {
    isScheduled = false;
    gl.clearColor((varve.frames % 10) / 10, 0.1, 0.2, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    varve.frames++;
  };
  for (const type of ["pointermove", "wheel", "keydown"])
    addEventListener(type, () => { if (!isScheduled) requestAnimationFrame(draw); isScheduled = true; });
  draw();
</script>`;

/** Runs in the page: measures the time of each input until the next frame. */
function watch() {
  const request = window.requestAnimationFrame.bind(window);
  const times = (window.times = { drawn: [], shown: [], frames: 0 });
  let waiting = [];
  let frames = 0;
  window.requestAnimationFrame = (body) =>
    request((now) => {
      body(now);
      if ((window.varve?.frames ?? 0) === frames) return;
      frames = window.varve.frames;
      times.frames++;
      const end = performance.now();
      times.drawn.push(...waiting.map((at) => end - at));
      waiting = [];
    });
  for (const type of ["pointermove", "wheel", "keydown"]) addEventListener(type, (event) => waiting.push(event.timeStamp), { capture: true });
  const observer = new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === "keydown") times.shown.push(duration);
  });
  observer.observe({ type: "event", durationThreshold: 16 });
}

const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)];
const percentiles = (values) => (values.length === 0 ? "-" : `${quantile(values, 0.5).toFixed(1)} / ${quantile(values, 0.95).toFixed(1)}`);

function print(name, { drawn, shown, frames }, note = "") {
  console.log(`${name.padEnd(28)} ${percentiles(drawn).padStart(15)} ${percentiles(shown).padStart(15)} ${String(drawn.length).padStart(7)} ${String(frames).padStart(7)}  ${note}`);
}

/** Points, zooms and pans some twenty times a second; ends after a number of inputs, or when `isOver` is true. */
async function hand(page, isOver) {
  const box = await page.locator("#timeline").boundingBox();
  await page.evaluate(() => Object.assign(window.times, { drawn: [], shown: [], frames: 0 }));
  for (let i = 0; !isOver(i); i++) {
    if (i % 3 === 0) await page.mouse.move(box.x + 400 + ((i * 37) % 600), box.y + 150 + ((i * 13) % 200));
    else if (i % 3 === 1) await page.keyboard.press(i % 2 === 0 ? "KeyA" : "KeyD");
    else await page.mouse.wheel(i % 2 === 0 ? 40 : -40, 0);
    await new Promise((resume) => setTimeout(resume, 40));
  }
  await new Promise((resume) => setTimeout(resume, 300));
  return page.evaluate(() => window.times);
}

function varve(...args) {
  const child = spawn(join(build, "varve"), args);
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (text) => {
      printed += text;
      const url = /http:\S+/.exec(printed);
      if (url !== null) resolve({ child, url: url[0], port: /127\.0\.0\.1:(\d+)$/m.exec(printed)?.[1] });
    });
    child.on("exit", (status) => reject(new Error(`varve ${args.join(" ")} ended with ${status}`)));
  });
}

async function look(browser, url, body) {
  const page = await newPage(browser, "dark", [], { reducedMotion: "no-preference" });
  await page.addInitScript(watch);
  await page.goto(url);
  try {
    return await body(page);
  } finally {
    await page.context().close();
  }
}

async function empty(browser) {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(EMPTY));
  await new Promise((resume) => server.listen(0, "127.0.0.1", resume));
  await look(browser, `http://127.0.0.1:${server.address().port}/`, async (page) => print("empty page", await hand(page, (i) => i >= INPUTS)));
  server.close();
}

async function still(browser) {
  const { child, url } = await varve("open", "--no-browser", "--port=0", join(ROOT, "examples", "page-load.json.gz"));
  await look(browser, url, async (page) => {
    await page.waitForFunction(() => window.varve?.isIdle && window.varve.loading.traces.value.length > 0);
    print("recording, does not grow", await hand(page, (i) => i >= INPUTS));
  });
  child.kill("SIGINT");
}

async function growing(browser, transport, perSecond) {
  const all = { drawn: [], shown: [], frames: 0 };
  let [seconds, events, lost] = [0, 0, 0];
  for (let round = 0; round < rounds && (round === 0 || perSecond === 0); round++) {
    const { child, url, port } = await varve("listen", "--no-browser", `${transport}:127.0.0.1:0`);
    await look(browser, url, async (page) => {
      await page.waitForFunction(() => window.varve !== undefined);
      const began = performance.now();
      const sender = spawn(join(build, "test/app/live_send"), [transport, port, "4", String(EVENTS), "0", String(perSecond)]);
      let isSent = false;
      sender.on("exit", () => (isSent = true));
      await page.waitForFunction(() => window.varve.live.state.value?.events > 0);
      const times = await hand(page, () => isSent);
      seconds += (performance.now() - began) / 1000;
      await page.waitForFunction((n) => window.varve.live.state.value.events + window.varve.live.state.value.lost === n, EVENTS);
      const state = await page.evaluate(() => window.varve.live.state.value);
      events += state.events;
      lost += state.lost;
      all.drawn.push(...times.drawn);
      all.shown.push(...times.shown);
      all.frames += times.frames;
    });
    child.kill("SIGINT");
  }
  print(`${transport}, ${perSecond === 0 ? "as fast as it goes" : `${perSecond.toLocaleString("en")} events/s`}`, all,
    `${(events / 1e6).toFixed(1)} M events in ${seconds.toFixed(1)} s, ${lost.toLocaleString("en")} lost`);
}

const model = /model name\s*: (.*)/.exec(readFileSync("/proc/cpuinfo", "latin1"))?.[1] ?? "";
const browser = await launch(join(ROOT, "web", "node_modules"), findChromium());
console.log(`${cpus().length} x ${model}, Chromium ${browser.version()}, load ${loadavg()[0].toFixed(1)}`);
console.log(`${"".padEnd(28)} ${"drawn".padStart(15)} ${"shown".padStart(15)} ${"inputs".padStart(7)} ${"frames".padStart(7)}  (ms, median / 95 of 100)`);
await empty(browser);
await still(browser);
for (const transport of ["tcp", "udp"]) for (const pace of [0, 200_000]) await growing(browser, transport, pace);
await empty(browser);
console.log(`load ${loadavg()[0].toFixed(1)}`);
await browser.close();
process.exit(0);
