// Measures the viewer with a `.varve` file on a web server, which it reads by ranges:
//
//   node bench/ranges.mjs BUILD_DIR [CALLS...]
//
// For each number of calls (1 and 10 million; 100 million need 20 GB of disk) it generates a trace, converts it with `varve convert --tiles`,
// and serves it and the static page by nginx, behind a proxy that makes each round trip 20 ms longer. Headless Chromium opens
// the page, and then goes to five places, from a hundredth to a millionth of the trace wide:
//
//   first   from the navigation to the first frame that shows the whole trace, page included
//   still   until the page does no more work: WebGL2 paints, and later requests are answered
//   zoom    from the command to the complete picture, until the page does no more work
//
// Requests and bytes are those of the file. It ends without figures if nginx is not installed.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { idle, loaded } from "../test/web/browser.mjs";
import { machine, openWindow, ROOT, startBrowser } from "./window.mjs";

const ROUND_TRIP_MS = 20;
const SIZE = { width: 1600, height: 900 };
/** [begin, width] as shares of the trace. */
const PLACES = [
  [0.3, 1e-4],
  [0.7, 1e-6],
  [0.5, 1e-2],
  [0.1, 1e-5],
  [0.9, 1e-3],
];
const [build = join(ROOT, "build"), ...counts] = process.argv.slice(2);
const data = join(resolve(build), "bench", "data");

/** Returns the file with tiles, made once. */
function makeFile(calls) {
  const path = join(data, `tiles-${calls}.varve`);
  if (existsSync(path)) return path;
  mkdirSync(data, { recursive: true });
  const json = `${path}.json`;
  execFileSync(join(resolve(build), "bench", "gen", "varve-gen"), ["--format", "json", "--events", calls, "--output", json], { stdio: "ignore" });
  execFileSync(join(resolve(build), "varve"), ["convert", "--quiet", "--tiles", json, "-o", `${path}.part.varve`]);
  rmSync(json);
  renameSync(`${path}.part.varve`, path);
  return path;
}

function freePort() {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}

/** Starts nginx with the static page as / and the folder of the files as /data/. */
async function startNginx(folder) {
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; user root;
events {}
http {
  access_log off; default_type application/octet-stream;
  types { text/html html; text/css css; text/javascript js mjs; application/wasm wasm; application/json json; }
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  server { listen 127.0.0.1:${port}; location / { root ${join(resolve(build), "web", "site")}; } location /data/ { alias ${data}/; } }
}
`,
  );
  const child = spawn("nginx", ["-c", file], { stdio: "inherit" });
  return { port, stop: () => child.kill("SIGTERM") };
}

/** Returns a stream of bytes that passes them on half a round trip later. */
function delay(from, to) {
  const later = (call) => setTimeout(call, ROUND_TRIP_MS / 2);
  from.on("data", (bytes) => later(() => to.writable && to.write(bytes)));
  from.on("end", () => later(() => to.end()));
  from.on("error", () => to.destroy());
}

function startProxy(port) {
  return new Promise((ready) => {
    const server = createServer((client) => {
      const target = connect(port, "127.0.0.1");
      delay(client, target);
      delay(target, client);
    }).listen(0, "127.0.0.1", () => ready({ port: server.address().port, stop: () => server.close() }));
  });
}

/** Counts the requests for the file and the bytes of the answers. */
function countRequests(page) {
  const total = { requests: 0, bytes: 0 };
  page.context().on("response", (response) => {
    if (!response.url().endsWith(".varve")) return;
    total.requests++;
    if (response.request().method() === "GET") total.bytes += Number(response.headers()["content-length"] ?? 0);
  });
  return total;
}

async function measure(page, total, work) {
  Object.assign(total, { requests: 0, bytes: 0 });
  const began = performance.now();
  await work();
  return { ms: performance.now() - began, ...total };
}

/** Runs in the page: notes the time of the first frame that shows the whole trace. */
function watch() {
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (body) =>
    request((now) => {
      body(now);
      const viewer = window.varve;
      if (viewer === undefined || viewer.loading.traces.value.length === 0 || viewer.view.isWaiting) return;
      window.firstPicture ??= performance.now();
    });
}

async function zoom(page, [begin, width]) {
  await page.evaluate(
    ([begin, width]) => {
      const { view } = window.varve;
      const { end } = window.whole;
      const at = (share) => BigInt(Math.round(share * Number(end)));
      view.setRange(0, at(begin), at(begin + width), performance.now());
      window.varve.schedule();
    },
    [begin, width],
  );
  await page.waitForTimeout(20);
  await idle(page);
}

function print(label, { ms, requests, bytes }) {
  console.log(`${label.padEnd(28)}${ms.toFixed(0).padStart(8)} ms${String(requests).padStart(6)} requests${(bytes / 1e6).toFixed(2).padStart(9)} MB`);
}

async function run(browser, port, calls) {
  const path = makeFile(calls);
  console.log(`${calls} calls, ${(statSync(path).size / 1e6).toFixed(0)} MB`);
  const page = await openWindow(browser, watch, { viewport: SIZE });
  const total = countRequests(page);
  const url = `http://127.0.0.1:${port}/?url=${encodeURIComponent(`/data/tiles-${calls}.varve`)}`;
  const first = await measure(page, total, async () => {
    await page.goto(url, { waitUntil: "commit" });
    await loaded(page);
    await idle(page);
  });
  const ms = await page.evaluate(() => ((window.whole = window.varve.view.range(0)), window.firstPicture));
  print("first", { ...first, ms });
  print("still", first);
  for (const place of PLACES) print(`zoom to ${place[1]} at ${place[0]}`, await measure(page, total, () => zoom(page, place)));
  await page.context().close();
}

if (spawnSync("nginx", ["-v"]).error !== undefined) {
  console.log("nginx is not installed: nothing is measured");
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), "varve-bench-"));
const nginx = await startNginx(folder);
const proxy = await startProxy(nginx.port);
const browser = await startBrowser();
try {
  console.log(machine(browser));
  for (const calls of counts.length > 0 ? counts : ["1000000", "10000000"]) await run(browser, proxy.port, calls);
} finally {
  await browser.close();
  proxy.stop();
  nginx.stop();
  rmSync(folder, { recursive: true });
}
process.exit(0);
