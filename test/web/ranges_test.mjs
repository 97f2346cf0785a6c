// The static page opens a `.varve` file with tiles by ranges, from a server of this test that can also do everything wrong:
//
//   ranges_test.mjs SITE VARVE NODE_MODULES PICTURES
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idle, launch, needChromium, newPage } from "./browser.mjs";
import { serveSite } from "./site_server.mjs";
import { run, test } from "./tap.mjs";

const [site, varve, nodeModules, pictures] = process.argv.slice(2);
const chromium = needChromium();
const COUNT = 60_000;

/** Nested slices of three threads. */
function longTrace() {
  const events = Array.from({ length: COUNT }, (_, i) => ({ ph: "X", name: `f${i % 7}`, pid: 1, tid: 1 + (i % 3), ts: i * 10, dur: i % 2 === 0 ? 25 : 9 }));
  return JSON.stringify(events);
}

function makeFile() {
  const folder = mkdtempSync(join(tmpdir(), "varve-ranges-"));
  writeFileSync(join(folder, "a.json"), longTrace());
  execFileSync(varve, ["convert", "--tiles", join(folder, "a.json"), "-o", join(folder, "a.varve")]);
  const bytes = readFileSync(join(folder, "a.varve"));
  rmSync(folder, { recursive: true });
  return bytes;
}

/** A server of another origin than the page: /MODE/a.varve. `requests`: the ranges since the last reset. */
async function serveRanges(bytes) {
  const requests = [];
  const server = createServer((request, response) => {
    const mode = request.url.split("/")[1];
    const headers = { etag: '"a"', "last-modified": "Sat, 01 Jan 2022 00:00:00 GMT", "accept-ranges": "bytes" };
    if (mode !== "closed") headers["access-control-allow-origin"] = "*";
    if (mode !== "plain" && mode !== "changed") headers["access-control-expose-headers"] = "Content-Range, ETag";
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    requests.push(`${request.method} ${request.headers.range ?? ""}`);
    if (request.method === "OPTIONS") return response.writeHead(403).end();
    if (request.method === "HEAD" || range === null || mode === "none") return response.writeHead(200, { ...headers, "content-length": bytes.length }).end(request.method === "HEAD" ? undefined : bytes);
    const [first, last] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    const isLater = first > 0;
    if (mode === "changed" && isLater) headers["last-modified"] = "Sun, 02 Jan 2022 00:00:00 GMT";
    if (mode === "tag" && isLater) headers.etag = '"b"';
    if (mode === "gone" && isLater) return response.writeHead(404, headers).end();
    if (mode === "cut" && isLater) return response.writeHead(416, { ...headers, "content-range": "bytes */90" }).end();
    const total = mode === "grown" && isLater ? bytes.length + 1 : bytes.length;
    const end = last + 1 - (mode === "short" && first > 0 ? 1 : 0);
    response.writeHead(206, { ...headers, "content-range": `bytes ${first}-${last}/${total}` }).end(bytes.subarray(first, end));
  });
  await new Promise((resume) => server.listen(0, "127.0.0.1", resume));
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close: () => (server.closeAllConnections(), server.close()) };
}

async function show(page, server, mode) {
  server.requests.length = 0;
  await page.goto(`${page.site}?url=${encodeURIComponent(`${server.url}/${mode}/a.varve`)}`);
}

const opened = (page) => page.waitForFunction(() => window.varve?.loading.traces.value.length === 1);
const errorOf = async (page) => (await page.locator(".card-error p").textContent()).trim();

async function zoomTo(page, begin, end) {
  await page.evaluate(
    ([begin, end]) => {
      window.varve.view.setRange(0, BigInt(begin), BigInt(end), performance.now());
      window.varve.schedule();
    },
    [begin, end],
  );
  await page.waitForTimeout(100);
  await idle(page);
}

test("the first picture takes few requests, a zoom at most three, also without permission for headers", async ({ page, server, bytes }) => {
  for (const mode of ["open", "plain"]) {
    await show(page, server, mode);
    await opened(page);
    await idle(page);
    assert.ok(server.requests.length <= 6, server.requests.join(", "));
    assert.ok(server.requests.every((request) => /^(GET bytes=\d+-\d+|HEAD )$/.test(request)), server.requests.join(", "));
    for (const [begin, end] of [[300_000_000, 300_100_000], [10_000_000, 11_000_000], [599_000_000, 599_000_900]]) {
      server.requests.length = 0;
      await zoomTo(page, begin, end);
      assert.ok(server.requests.length <= 3, server.requests.join(", "));
    }
    assert.equal(await page.evaluate(() => window.varve.loading.ready[0].status.value.wholeBytes), bytes.length);
  }
});

test("a panel that needs the whole file says so and offers it; the view stays", async ({ page, server, bytes }) => {
  await show(page, server, "open");
  await opened(page);
  await idle(page);
  await zoomTo(page, 100_000_000, 200_000_000);
  await page.getByRole("tab", { name: "Area" }).click();
  await page.getByText("this needs the whole file").waitFor();
  await page.screenshot({ path: join(pictures, "ranges.png") });
  const before = await page.evaluate(() => String(window.varve.view.range(0).begin));
  await page.getByRole("button", { name: /^Load the whole file \(\d/ }).click();
  await page.waitForFunction(() => window.varve.loading.ready[0].status.value.wholeBytes === null);
  await idle(page);
  assert.equal(await page.getByRole("button", { name: /^Load the whole file/ }).count(), 0);
  await page.getByText(/60\s000 slices/).first().waitFor();
  assert.equal(await page.evaluate(() => String(window.varve.view.range(0).begin)), before);
  assert.ok(bytes.length > 0);
});

test("servers without sound ranges are refused with a reason", async ({ page, server, bytes }) => {
  const address = (mode) => `${server.url}/${mode}/a.varve`;
  await show(page, server, "none");
  assert.equal(await errorOf(page), `Cannot read ${address("none")} by ranges: the server sends no ranges: it answered with the whole file (status 200).`);
  await page.getByRole("button", { name: /^Load the whole file/ }).click();
  await opened(page);
  await show(page, server, "short");
  assert.match(await errorOf(page), /the server sent \d+ bytes, requested were \d+ at offset \d+/);
  await show(page, server, "closed");
  assert.match(await errorOf(page), /^http.*could not be fetched: .*\(CORS\)\.$/i);
  assert.ok(bytes.length > 0);
});

test("a file that changes is refused with a reason", async ({ page, server, bytes }) => {
  const reasons = {
    changed: "the file has changed: it has another time (Last-Modified); open it again",
    tag: "the file has changed: it has another ETag; open it again",
    grown: `the file has changed: it had ${bytes.length} bytes, now ${bytes.length + 1}; open it again`,
    cut: "the server has no such range (status 416): the file is shorter than before",
    gone: "the server answered with status 404",
  };
  for (const [mode, reason] of Object.entries(reasons)) {
    await show(page, server, mode);
    assert.equal(await errorOf(page), `Cannot read ${server.url}/${mode}/a.varve by ranges: ${reason}.`);
  }
});

mkdirSync(pictures, { recursive: true });
const bytes = makeFile();
const browser = await launch(nodeModules, chromium);
const problems = [];
const page = await newPage(browser, "light", problems, { reducedMotion: "no-preference" });
const files = await serveSite(site, {});
const server = await serveRanges(bytes);
page.site = files.url;
const failed = await run({ page, server, bytes }, (name) => page.screenshot({ path: join(pictures, `failed-${name.slice(0, 20)}.png`) }));
await browser.close();
files.close();
server.close();
process.exit(failed > 0 ? 1 : 0);
