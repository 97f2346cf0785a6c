// Opens a trace in another viewer, in headless Chromium, and ends when it is shown. bench/peers/peers.py runs it.
//
//   page.mjs speedscope|spall FOLDER NODE_MODULES FILE
//
// FOLDER has the files of the viewer: dist/release of the npm package speedscope, or build/dist of spall-web.
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { findChromium, launch } from "../../test/web/browser.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const MOST_MS = 900_000;

/** Waits until Spall says how long a load took. It begins with a load of a trace of its own. */
const loaded = (page) => page.waitForEvent("console", { predicate: (message) => message.text().startsWith("runtime:"), timeout: MOST_MS });

const VIEWERS = {
  speedscope: {
    index: "index.html",
    async open(page, url) {
      await page.goto(`${url}#profileURL=${encodeURIComponent(`${url}trace`)}`);
      await page.getByText("Sandwich").waitFor({ timeout: MOST_MS });
    },
  },
  spall: {
    index: "spall.html",
    async open(page, url, file) {
      await Promise.all([loaded(page), page.goto(url)]);
      await Promise.all([loaded(page), page.setInputFiles("#file-dialog", file)]);
    },
  },
};

const [name, folder, nodeModules, file] = process.argv.slice(2);
const { index, open } = VIEWERS[name];
const server = createServer((request, response) => {
  const path = new URL(request.url, "http://x").pathname;
  const served = path === "/trace" ? file : join(folder, path === "/" ? index : path);
  response.setHeader("Content-Type", TYPES[extname(served)] ?? "application/octet-stream");
  createReadStream(served)
    .on("error", () => response.writeHead(404).end())
    .pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await launch(nodeModules, findChromium());
const page = await browser.newPage();
page.on("pageerror", (error) => {
  console.error(String(error));
  process.exit(1);
});
await open(page, `http://127.0.0.1:${server.address().port}/`, file);
await browser.close();
server.close();
