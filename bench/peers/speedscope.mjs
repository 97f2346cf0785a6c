// Opens a trace in speedscope, in headless Chromium, and ends when its profile is shown: speedscope.mjs NODE_MODULES FILE
// bench/peers/peers.py runs it.
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { findChromium, launch } from "../../test/web/browser.mjs";

const [nodeModules, file] = process.argv.slice(2);
const PAGE = join(nodeModules, "speedscope", "dist", "release");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const MOST_MS = 900_000;

const server = createServer((request, response) => {
  const name = new URL(request.url, "http://x").pathname;
  const path = name === "/trace" ? file : join(PAGE, name === "/" ? "index.html" : name);
  response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
  createReadStream(path)
    .on("error", () => response.writeHead(404).end())
    .pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
const browser = await launch(nodeModules, findChromium());
const page = await browser.newPage();
await page.goto(`${url}#profileURL=${encodeURIComponent(`${url}trace`)}`);
await page.getByText("Sandwich").waitFor({ timeout: MOST_MS });
await browser.close();
server.close();
