// Imports traces that `varve convert --to=speedscope` wrote with the real speedscope: the names of a thread with their
// self times are those of `varve stats`.
//
//   speedscope_test.mjs VARVE NODE_MODULES SOURCE_ROOT
//
// speedscope is a page: its sandwich view is a table of names.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { launch, needChromium } from "./browser.mjs";
import { run, test } from "./tap.mjs";

const [varve, nodeModules, root] = process.argv.slice(2);
const PAGE = join(nodeModules, "speedscope", "dist", "release");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };
const NS = { ns: 1, "\u00b5s": 1e3, ms: 1e6, s: 1e9 };

/** Returns the range of times in ns that speedscope shows as this text: "308.38ms (23%)", "1:05.20 (9%)". */
function timeRange(text) {
  const [, minutes, number, unit] = /^(?:(\d+):)?([\d.]+)(ns|\u00b5s|ms|s)? \(/.exec(text) ?? assert.fail(`${text} is not a time`);
  const scale = NS[unit ?? "s"];
  const value = (Number(minutes ?? 0) * 60 + Number(number)) * scale;
  const half = (0.5001 * scale) / 10 ** (number.split(".")[1]?.length ?? 0);
  return { least: value - half, most: value + half };
}

function output(...args) {
  const done = spawnSync(varve, [...args, "--quiet"], { encoding: "utf8", maxBuffer: 2 ** 28 });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

/** Opens a file in speedscope; returns the title of the shown profile and the rows of its sandwich view. */
async function imported(context) {
  const page = await context.browser.newPage({ viewport: { width: 1200, height: 8000 } }); // it renders visible rows only
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(`${context.url}#profileURL=${encodeURIComponent(`${context.url}trace`)}`);
  await page.getByText("Sandwich").click();
  await page.locator("td", { hasText: "%)" }).first().waitFor();
  const rows = await page.locator("tr:has(td)").evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
  await page.close();
  assert.deepEqual(problems, []);
  return rows.filter(([total]) => total.endsWith("%)")); // the list of profiles has other rows
}

const TRACES = ["examples/page-load.json.gz", "test/data/spall/v3_threads.spall", "test/data/go/go122_chans.trace"];

for (const path of TRACES) {
  test(`speedscope reads the slices of ${path}`, async (context) => {
    const file = join(root, path);
    context.trace = join(context.folder, "trace.speedscope.json");
    output("convert", "--to=speedscope", file, "-o", context.trace);
    const { profiles, activeProfileIndex = 0 } = JSON.parse(readFileSync(context.trace, "utf8"));
    const thread = profiles[activeProfileIndex].name.split(": ").at(-1);
    const { rows } = JSON.parse(output("stats", "--json", `--thread=${thread}`, file));
    const expected = new Map(rows.map(({ name, self }) => [name, self]));
    const shown = await imported(context);
    assert.deepEqual(new Set(shown.map((cells) => cells.at(-1))), new Set(expected.keys()));
    for (const cells of shown) {
      const { least, most } = timeRange(cells.at(-2));
      const self = expected.get(cells.at(-1));
      assert.ok(self >= least && self <= most, `${cells.at(-1)}: ${cells.at(-2)}, not ${self} ns`);
    }
  });
}

const chromium = needChromium();
const folder = mkdtempSync(join(tmpdir(), "varve-speedscope-test-"));
const context = { folder, trace: "", url: "" };
const server = createServer((request, response) => {
  const name = new URL(request.url, "http://x").pathname;
  try {
    const bytes = readFileSync(name === "/trace" ? context.trace : join(PAGE, name === "/" ? "index.html" : name));
    response.writeHead(200, { "Content-Type": TYPES[extname(name === "/" ? "x.html" : name)] ?? "application/octet-stream" });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.on("listening", resolve));
context.url = `http://127.0.0.1:${server.address().port}/`;
context.browser = await launch(nodeModules, chromium);
const failed = await run(context, async () => {});
await context.browser.close();
server.close();
rmSync(folder, { recursive: true });
process.exit(failed === 0 ? 0 : 1);
