// Chromium, the two transports to an engine, and user input on a page.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveSite } from "./site_server.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { failAll, skipAll } from "./tap.mjs";
import { startWebKit } from "./webdriver.mjs";

process.env.XDG_CACHE_HOME = "/dev/null"; // not a folder: tests leave the user's cache alone

/** The timeout for a condition: only a failure takes this long. */
const TIMEOUT_MS = Number(process.env.VARVE_TEST_TIMEOUT_MS ?? 30_000);
export const SIZE = { width: 1280, height: 800 };

/** Returns the path of the first of these programs, or null. */
export function findProgram(...names) {
  const folders = (process.env.PATH ?? "").split(":");
  const paths = names.flatMap((name) => (name.startsWith("/") ? [name] : folders.map((folder) => join(folder, name))));
  return paths.find((path) => existsSync(path)) ?? null;
}

export function findChromium() {
  return findProgram(...[process.env.CHROMIUM].filter((path) => path), "chromium", "chromium-browser", "google-chrome");
}

/** Returns the path of Chromium. Ends the program without it: with a skip, with VARVE_REQUIRE_BROWSER=1 with a failure. */
export function needChromium() {
  const chromium = findChromium();
  if (chromium !== null) return chromium;
  return process.env.VARVE_REQUIRE_BROWSER === "1" ? failAll("there is no Chromium") : skipAll("there is no Chromium");
}

const playwright = (nodeModules) => createRequire(join(nodeModules, "x.js"))("playwright-core");

/** `hasWebgl`: false = as on a machine without WebGL. */
export async function launch(nodeModules, executablePath, hasWebgl = true) {
  // WebGL draws with SwiftShader. If it also composed the page, the tests would take 1.7 times the processor time.
  const args = hasWebgl ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] : ["--disable-3d-apis"];
  args.push("--disable-gpu-compositing", "--disable-dev-shm-usage");
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return playwright(nodeModules).chromium.launch({ executablePath, args, timeout: TIMEOUT_MS });
}

/** Firefox with WebDriver BiDi, and a page of it. */
export async function launchFirefox(nodeModules, problems) {
  const executablePath = findProgram("firefox-esr", "firefox");
  if (executablePath === null) failAll("there is no Firefox");
  const folder = mkdtempSync(join(tmpdir(), "varve-firefox-"));
  const downloads = join(folder, "downloads");
  mkdirSync(downloads);
  const firefoxUserPrefs = { "browser.download.folderList": 2, "browser.download.dir": downloads };
  const env = { ...process.env, XDG_CACHE_HOME: folder }; // Firefox does not start without a folder for its cache
  const browser = await playwright(nodeModules).firefox.launch({ channel: "moz-firefox", executablePath, firefoxUserPrefs, env, timeout: TIMEOUT_MS });
  // BiDi has neither these permissions nor the other switches of newPage.
  const page = await newPage(browser, "light", problems, { permissions: undefined, serviceWorkers: undefined });
  page.downloads = downloads;
  const close = async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { page, version: browser.version(), close };
}

/** MiniBrowser, the example program of WebKitGTK, and a page of it. */
export async function launchWebKit() {
  const driver = findProgram("WebKitWebDriver");
  const miniBrowser = findProgram("MiniBrowser", ...["x86_64", "aarch64"].map((cpu) => `/usr/lib/${cpu}-linux-gnu/webkit2gtk-4.1/MiniBrowser`));
  if (driver === null || miniBrowser === null) failAll("there is no WebKitWebDriver or no MiniBrowser");
  return startWebKit({ driver, miniBrowser, size: SIZE, timeoutMs: TIMEOUT_MS });
}

/** The static page: the engine in a worker; files are opened by dropping them. */
class WorkerTransport {
  static async start({ site }) {
    return new WorkerTransport(await serveSite(site, { "endless.json": null, "sample.json": sampleTrace() }));
  }

  constructor(server) {
    this.server = server;
  }

  async open(page, name, text, query = "") {
    await page.goto(this.server.url + query);
    await idle(page);
    await drop(page, name, text);
    await loaded(page);
  }

  async openTwo(page, names, texts) {
    await this.open(page, names[0], texts[0]);
    await drop(page, names[1], texts[1], { shiftKey: true });
    await twoLoaded(page);
  }

  async openEndless(page) {
    await page.goto(`${this.server.url}?url=files/endless.json`);
  }

  async stop() {
    this.server.close();
  }
}

/** `varve open`: the engine behind HTTP; files are opened by name. */
class HttpTransport {
  static async start({ varve }) {
    return new HttpTransport(varve, mkdtempSync(join(tmpdir(), "varve-web-test-")));
  }

  constructor(varve, folder) {
    this.varve = varve;
    this.folder = folder;
    this.processes = [];
  }

  async open(page, name, text, query = "") {
    await this.show(page, name, text, query);
    await loaded(page);
  }

  /** Opens the page, without waiting for the trace. */
  async show(page, name, text, query = "") {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    await page.goto((await this.serve(path)) + query);
  }

  async openTwo(page, names, texts) {
    const paths = names.map((name) => join(this.folder, name));
    paths.forEach((path, i) => writeFileSync(path, texts[i]));
    await page.goto(await this.serve(...paths));
    await twoLoaded(page);
  }

  async openEndless(page) {
    const url = await this.serve("-");
    this.processes.at(-1).stdin.write('[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1},\n');
    await page.goto(url);
  }

  async serve(...paths) {
    const child = spawn(this.varve, ["open", "--no-browser", "--port=0", ...paths], { env: { ...process.env, XDG_STATE_HOME: join(this.folder, "state") } });
    this.processes.push(child); // until the end, because other pages may still use it
    child.stdin.on("error", () => {});
    child.stderr.on("data", (text) => console.log(String(text).trimEnd().replace(/^/gm, "# ")));
    return new Promise((resolve, reject) => {
      let printed = "";
      child.stdout.on("data", (text) => {
        printed += text;
        const url = /http:\S+/.exec(printed);
        if (url !== null) resolve(url[0]);
      });
      child.on("exit", (status) => reject(new Error(`varve open ended with ${status}`)));
      child.on("error", reject);
    });
  }

  async stop() {
    for (const child of this.processes) child.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const TRANSPORTS = { worker: WorkerTransport, http: HttpTransport };

/** Returns a new page without stored data. `problems` collects errors on the console. */
export async function newPage(browser, theme, problems, options = {}) {
  const context = await browser.newContext({
    viewport: SIZE,
    colorScheme: theme,
    reducedMotion: "reduce",
    serviceWorkers: "block", // its requests are not those of the page
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  page.setDefaultNavigationTimeout(TIMEOUT_MS);
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // The static page looks for an engine on its server and finds none. The engine refuses requests with
    // outdated numbers (409), and the page repeats them. It refuses a wrong search (400), and the page shows
    // the reason. When a test leaves a page for about:blank, Chromium may still ask for the icon of the page that
    // was left, and then refuses its own request.
    const { url } = message.location();
    const text = message.text();
    const isIconOfLeftPage = url === "about:blank" || (url.endsWith("/icon.svg") && text.endsWith("net::ERR_FAILED"));
    const isExpected = url.endsWith("/api/status") || text.includes("409 (Conflict)") || /\/(find|search)\?/.test(url) || isIconOfLeftPage;
    if (message.type() === "error" && !isExpected) problems.push(`${text} ${url}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.hostname !== "127.0.0.1") problems.push(`a request to ${url.host}`);
  });
  return page;
}

/** Waits until nothing moves, loads or waits. The error of a timeout has the parts that are not idle. */
export async function idle(page) {
  await page.waitForFunction(() => window.varve?.isIdle === true).catch(async (error) => {
    throw new Error(`${error.message} ${await page.evaluate(busyParts)}`, { cause: error });
  });
}

function busyParts() {
  const { varve } = window;
  if (varve === undefined) return "The page has no viewer.";
  const { view, drawer, loading } = varve;
  const { timeline } = varve.timeline;
  const parts = { timeline: !timeline?.isIdle, frame: timeline?.scheduled, soon: timeline?.soon !== null, screen: !timeline?.screen.isSettled, requests: !timeline?.fetcher.isIdle };
  Object.assign(parts, { motion: view.isMoving, mirror: !timeline?.mirror.isIdle, view: view.isWaiting, drawer: drawer.isWaiting, loading: loading.isLoading });
  for (const [name, part] of Object.entries(varve)) if (part?.isRunning === true) parts[name] = true;
  return `Not idle: ${Object.keys(parts).filter((name) => parts[name]).join(", ")}.`;
}

export async function loaded(page) {
  await page.waitForFunction(() => (window.varve?.loading.traces.value.length ?? 0) > 0);
  await idle(page);
}

async function twoLoaded(page) {
  await page.waitForFunction(() => window.varve?.loading.traces.value.length === 2);
  await idle(page);
}

/** Waits until the last frame is on the screen. */
export const shown = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(null), 50)))));

/** Waits until effects of components have run, and the engine has answered. */
export async function settled(page) {
  await shown(page);
  await idle(page);
}

/** Waits until the address is a link to the present state. */
export async function linked(page) {
  await idle(page);
  await page.waitForFunction(() => location.hash === window.varve.link.fragment(2));
}

/** Returns the view file in the address. */
export async function viewInAddress(page) {
  await linked(page);
  const code = (await page.evaluate(() => location.hash)).replace("#view=", "");
  return JSON.parse(Buffer.from(code, "base64url").toString());
}

/** `where`: a selector of the element that receives the drop. */
export async function drop(page, name, content, keys = {}, where = "body") {
  const base64 = Buffer.from(content).toString("base64");
  await page.evaluate(
    ([name, base64, keys, where]) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], name));
      const send = (selector, type, init) =>
        document.querySelector(selector).dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer, ...init }));
      send("body", "dragover", {});
      send(where, "drop", keys);
    },
    [name, base64, keys, where],
  );
}

/** Runs in the page: keeps the size of the next file that it saves. */
function noteSavedSize() {
  window.savedSize = -1;
  const { createObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    URL.createObjectURL = createObjectURL;
    window.savedSize = blob.size;
    return createObjectURL.call(URL, blob);
  };
}

/** Returns the file that the page saves during `action`. A page whose driver does not report downloads has their folder. */
export async function download(page, action) {
  if (page.downloads === undefined) {
    const [saved] = await Promise.all([page.waitForEvent("download"), action()]);
    return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) };
  }
  await page.evaluate(noteSavedSize);
  await action();
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await new Promise((resume) => setTimeout(resume, 20))) {
    const [name, ...more] = readdirSync(page.downloads);
    if (name === undefined || more.length > 0 || /\.(part|wkdownload)$/.test(name)) continue;
    const path = join(page.downloads, name);
    const bytes = readFileSync(path);
    if (bytes.length !== (await page.evaluate(() => window.savedSize))) continue; // the browser still writes the file
    rmSync(path);
    await page.fit?.();
    return { name, bytes };
  }
  throw new Error("no file was saved");
}

/** Returns the visible range of the first trace, in ticks. */
export async function range(page) {
  await idle(page);
  const [begin, end] = await page.evaluate(() => {
    const { begin, end } = window.varve.view.range(0);
    return [Number(begin), Number(end)];
  });
  return { begin, end, span: end - begin };
}

export async function press(page, keys) {
  await page.keyboard.press(keys);
  await idle(page);
}

/** Goes to a time, call or frame with the dialog of the key G. */
export async function goTo(page, text) {
  await page.evaluate(() => window.varve.focusTimeline());
  await press(page, "KeyG");
  await page.locator("#go-to-time").fill(text);
  await page.keyboard.press("Enter");
  await idle(page);
}

/** Returns the texts that the timeline draws. The first call takes the pointer away from the timeline. */
export function drawnTexts(page) {
  return page.evaluate(() => {
    const { view } = window.varve;
    window.Frame ??= window.varve.picture()?.constructor;
    const list = view.draw();
    if (list === 0 || window.Frame === undefined) return [];
    const frame = new window.Frame(view.memory, list);
    return Array.from({ length: frame.list.text_count }, (_, i) => new TextDecoder().decode(frame.text(i).bytes));
  });
}

/** Below the overview, the ruler and the title of the first group. */
const FIRST_ROW_Y = 106;

/**
 * Clicks down a column of the timeline until a slice of this name is selected; returns the point. At 0.52 of the width
 * a whole sample trace shows one of its requests, well inside.
 */
export async function clickSlice(page, name, fraction = 0.52) {
  const timeline = page.locator("#timeline");
  let box = await timeline.boundingBox();
  const x = box.x + box.width * fraction;
  for (let y = box.y + FIRST_ROW_Y; y < box.y + box.height; y += 7) {
    await page.mouse.click(x, y);
    await idle(page);
    const selected = await page.evaluate(() => {
      const details = window.varve.details.value;
      return details.kind === "slice" ? details.slice.name : null;
    });
    if (selected === name) return { x, y };
    box = await timeline.boundingBox(); // lower since the first selection, which opens the drawer
  }
  throw new Error(`no slice ${name} at ${fraction} of the timeline's width`);
}

export async function centre(page) {
  const box = await page.locator("#timeline").boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, box };
}

export async function drag(page, from, to, button = "left") {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down({ button });
  for (let i = 1; i <= 4; i++) await page.mouse.move(from.x + ((to.x - from.x) * i) / 4, from.y + ((to.y - from.y) * i) / 4);
  await page.mouse.up({ button });
  await idle(page);
}
