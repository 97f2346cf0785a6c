// The engine in WebAssembly gives the same bytes as the native one, and the view in WebAssembly the same draw
// list:
//
//   same_engine_test.mjs VARVE ENGINE_WASM VIEW_WASM REGEX_JS BORDER DATA
//
// Both engines get the requests of the view, and requests for details and tables. The golden pictures of
// test/app/pictures_test.c, which are native, are compared with the pictures of the view in WebAssembly.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { startEngine, startView } from "./modules.mjs";
import { serve } from "./served.mjs";
import { run, test } from "./tap.mjs";

const [varve, engineWasm, viewWasm, regexJs, borderModule, data] = process.argv.slice(2);
const { regexImports } = await import(resolve(regexJs));
const border = await import(resolve(borderModule));
const WIDTH = 1000;

/** Starts both engines with one file: ask() returns the answer of both after comparing them. */
async function bothWith(path) {
  const native = await serve(varve, join(data, path));
  const file = readFileSync(join(data, path)); // the page decompresses gzip before it calls the engine
  const engine = await startEngine(engineWasm, regexImports, path.endsWith(".gz") ? gunzipSync(file) : file, path.split("/").at(-1));
  return {
    async ask(request, body = null) {
      const theirs = engine.answer(request, body);
      const ours = await native.ask(request, body);
      assert.ok(theirs.equals(ours), `${path}: ${request} differs`);
      return theirs;
    },
    stop: native.stop,
  };
}

const TABLES = ["info?trace=0", "stats?trace=0", "histogram?trace=0&scale=linear", "area?trace=0", "arguments?trace=0", "stats?trace=0&by=arg:n", "find?trace=0&text=e", "categories?trace=0", "properties?trace=0", "slice?trace=0&id=0", "places?trace=0&slices=0,0", "tooltip?trace=0&id=0",
  "table?trace=0&table=slice&as=x", "table?trace=0&table=arg&as=x&range=..1ms", "table?trace=0&table=counter&as=x", "table?trace=0&table=stack_frame&as=x"];
for (const to of ["json", "spall", "heph", "folded", "pprof", "speedscope"]) TABLES.push(`save?trace=0&to=${to}`, `save?trace=0&to=${to}&tracks=1`, `save?trace=0&to=${to}&begin=10&end=4000`);

/** Regular expressions in the common syntax of PCRE2 and RE2. */
const EXPRESSIONS = ["/^[a-m]/", "/e.*s$/", "name:/\\bm|(?-i)R/", "/[0-9]{2,}/", "category:/./ /o/"];
for (const text of EXPRESSIONS) for (const verb of ["find", "search"]) TABLES.push(`${verb}?trace=0&text=${encodeURIComponent(text)}`);

/** Draws until the view has no more requests; returns the number of answers. */
async function settle(view, engines) {
  let answers = 0;
  for (let hasRequests = true; hasRequests; ) {
    hasRequests = false;
    view.draw();
    for (let request = view.nextRequest(); request !== null; request = view.nextRequest()) {
      hasRequests = true;
      answers++;
      view.put(request, await engines.ask(request.path));
    }
  }
  return answers;
}

async function compare(path, name) {
  const engines = await bothWith(path);
  try {
    for (const table of TABLES) await engines.ask(table);
    const outline = await engines.ask("outline?trace=0");
    for (const theme of ["dark", "light"]) {
      const golden = name === null ? null : readFileSync(join(data, "trace_event/pictures", `${name}-${theme}.txt`), "utf8");
      const height = golden === null ? 700 : Number(/^frame \d+ (\d+)/.exec(golden)[1]);
      const view = await startView(viewWasm, border, { outline, theme, width: WIDTH, height });
      assert.ok((await settle(view, engines)) > 3);
      const drawn = view.draw();
      if (golden !== null) assert.equal(drawn, golden);
      else assert.match(drawn, /^frame 1000 700 /);
    }
  } finally {
    engines.stop();
  }
}

const PICTURES = ["counters", "async", "flows", "objects", "instants", "overlap"];
for (const name of PICTURES) test(`the same tiles and picture: ${name}`, () => compare(`trace_event/pictures/${name}.json`, name));
test("the same tiles and picture: samples", () => compare("trace_event/v8_chromium.json", "samples"));

const OTHERS = [
  "trace_event/producers/chromium_startup.json",
  "trace_event/producers/clang_time_trace.json",
  "trace_event/ts_decimals.json",
  "cpuprofile/node_fib.cpuprofile",
  "speedscope/evented.speedscope.json",
  "speedscope/py_spy.speedscope.json",
  "firefox/threads.firefox.json",
  "go/go119_gc_cpuprofile.trace",
  "go/go122_chans.trace",
  "apitrace/groups_threads.trace",
  "heph/heph_plain.bin",
  "ftrace/kernel.ftrace",
  "perf/tracepoints.perf",
  "strace/threads.strace",
  "perfetto/chrome.pftrace",
  "pprof/go_block.pprof",
  "folded/perf.folded",
  "spall/v3_threads.spall",
];
for (const path of OTHERS) test(`the same tiles: ${path}`, () => compare(path, null));

/** Returns a trace whose logs of events have several chunks of the largest size: begins, ends and completes of one thread. */
function longTrace() {
  const events = [];
  for (let i = 0; i < 70_000; i++) {
    const name = `f${i % 50}`;
    events.push(`{"ph":"B","pid":1,"tid":1,"ts":${10 * i},"name":"${name}"}`, `{"ph":"X","pid":1,"tid":1,"ts":${10 * i + 1},"dur":5,"name":"${name}"}`, `{"ph":"E","pid":1,"tid":1,"ts":${10 * i + 7}}`);
  }
  return Buffer.from(`[${events.join(",\n")}]`);
}

test("logs outside of the memory change no answer", async () => {
  const file = longTrace();
  const inside = await startEngine(engineWasm, regexImports, file, "long.json");
  const outside = await startEngine(engineWasm, regexImports, file, "long.json", 0);
  assert.equal(inside.storedCount, 0);
  assert.ok(outside.storedCount >= 4, `${outside.storedCount} chunks`);
  assert.ok(outside.memoryBytes < inside.memoryBytes - 2 ** 20, `${outside.memoryBytes} and ${inside.memoryBytes} bytes`);
  for (const request of ["outline?trace=0", "stats?trace=0", "find?trace=0&text=f7", "table?trace=0&table=slice&as=x", "save?trace=0&to=json"])
    assert.ok(outside.answer(request).equals(inside.answer(request)), request);
});

/** Returns the rows of the answer "compare" without their labels, as in `varve diff --json`. */
function rowsOf(answer) {
  const { by, unit, verdicts, rows } = JSON.parse(answer);
  for (const row of rows) for (const side of [row.a, row.b]) if (side !== null) delete side.label, delete side.longest;
  return { by, unit, verdicts, rows };
}

/** Compares the whole graph of B with the changes since A with the output of `varve flame --against`. */
async function compareFlames(pathA, pathB, tree) {
  const a = await bothWith(pathA);
  const b = await bothWith(pathB);
  try {
    const profile = await a.ask("profile?trace=0&by=path&kinds=stacks");
    const options = tree === "inverted" ? ["--inverted"] : [];
    for (const by of ["total", "self", "count"]) {
      const answer = await b.ask(`flame-change?trace=0&tree=${tree}&by=${by}&to=json`, profile);
      const flame = spawnSync(varve, ["flame", "--quiet", `--by=${by}`, ...options, `--against=${join(data, pathA)}`, "--to=json", "-o", "-", join(data, pathB)]);
      assert.equal(flame.status, 0, String(flame.stderr));
      assert.deepEqual(JSON.parse(answer), JSON.parse(flame.stdout));
      assert.ok(JSON.parse(answer).frames.every((frame) => typeof frame.change === "number"));
    }
    const { frames } = JSON.parse(await b.ask(`flame-change?trace=0&tree=${tree}`, profile));
    assert.ok(frames.length > 0 && frames.every((frame) => frame.length === 12 && typeof frame[10] === "number" && typeof frame[11] === "string"));
  } finally {
    a.stop();
    b.stop();
  }
}

test("the same changes as varve flame --against", async () => {
  for (const tree of ["calls", "inverted"]) {
    await compareFlames("compare/before.json.gz", "compare/after.json.gz", tree);
    await compareFlames("trace_event/v8_chromium.json", "cpuprofile/node_fib.cpuprofile", tree);
    await compareFlames("spall/v3_threads.spall", "compare/before.json.gz", tree);
  }
});

/** Each engine compares its trace B with the profile of A, as `varve diff` does with the files. */
async function compareTraces(pathA, pathB, by) {
  const a = await bothWith(pathA);
  const b = await bothWith(pathB);
  try {
    const profile = await a.ask(`profile?trace=0&by=${by}`);
    const answer = await b.ask(`compare?trace=0&by=${by}&top=0`, profile);
    // The page loads a Go trace for one perspective, the command for all: numbers of another perspective
    // count.
    if (pathA.startsWith("go/")) return JSON.parse(answer);
    const diff = spawnSync(varve, ["diff", "--quiet", "--json", `--by=${by}`, join(data, pathA), join(data, pathB)], { maxBuffer: 2 ** 28 });
    assert.equal(diff.status, 0, String(diff.stderr));
    assert.deepEqual(rowsOf(answer), rowsOf(diff.stdout));
    for (const side of JSON.parse(answer).rows.flatMap((row) => [row.a, row.b])) assert.ok(side === null || side.label > 0);
    return JSON.parse(answer);
  } finally {
    a.stop();
    b.stop();
  }
}

test("the same comparison as varve diff", async () => {
  const [before, after] = ["compare/before.json.gz", "compare/after.json.gz"];
  for (const by of ["name", "path"]) {
    const { verdicts } = await compareTraces(before, after, by);
    assert.equal(verdicts.slower, 1);
    await compareTraces("spall/v3_threads.spall", before, by);
    await compareTraces("cpuprofile/node_fib.cpuprofile", "trace_event/v8_chromium.json", by);
    await compareTraces("go/go119_gc_cpuprofile.trace", "go/go122_chans.trace", by);
  }
});

process.exit((await run({}, async () => {})) === 0 ? 0 : 1);
