// A window of headless Chromium with the viewer, for start.mjs and frames.mjs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, launch, newPage } from "../test/web/browser.mjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** A new window of Chromium loads pages of its own; this time passes before a measurement. */
const SETTLE_MS = 1500;

export function startBrowser() {
  return launch(join(ROOT, "web", "node_modules"), findChromium());
}

/** Describes the machine and the browser in a line. */
export function machine(browser) {
  return `${cpus().length} x ${cpus()[0]?.model ?? ""}, Chromium ${browser.version()}, load ${loadavg()[0].toFixed(1)}`;
}

/** `script`: a function that runs in each page before its own script. */
export async function openWindow(browser, script, options = {}) {
  const page = await newPage(browser, "dark", [], { reducedMotion: "no-preference", ...options });
  await page.addInitScript(script);
  await page.waitForTimeout(SETTLE_MS);
  return page;
}

/** Starts `varve open` of a build, with the cache in a folder. Returns the address of its page, and a function that ends it. */
export function openVarve(build, file, port = 0, cache = "/dev/null") {
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  const child = spawn(join(resolve(build), "varve"), ["open", "--no-browser", `--port=${port}`, file], { env });
  return new Promise((found, failed) => {
    child.stdout.on("data", (text) => {
      const url = /http:\S+/.exec(String(text));
      if (url !== null) found({ url: url[0], stop: () => (child.kill("SIGINT"), once(child, "exit")) });
    });
    child.on("exit", (status) => failed(new Error(`varve open ended with ${status}`)));
  });
}

/** Returns the value at a share of the values, 0.5 = the median. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
