// The engine in WebAssembly gives the bytes that the native one gives, and the view in WebAssembly the draw list:
//   same_engine_test.mjs VARVE ENGINE_WASM VIEW_WASM DATA
// Both engines are asked for what the view wishes for, and for details and tables. The golden pictures of test/app/pictures_test.c,
// which are native, are compared with what the view draws of the answers.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startEngine, startView } from "./modules.mjs";
import { run, test } from "./tap.mjs";

const [varve, engineWasm, viewWasm, data] = process.argv.slice(2);
const WIDTH = 1000;

/** `varve open` for one file. */
async function serve(path) {
  const child = spawn(varve, ["open", "--no-browser", "--port=0", path], { stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      printed += text;
      const found = /http:\S+/.exec(printed);
      if (found !== null) resolve(found[0]);
    });
    child.on("exit", (status) => reject(new Error(`varve open ended with ${status}`)));
  });
  const ask = async (request) => Buffer.from(await (await fetch(new URL(`api/${request}`, url))).arrayBuffer());
  for (;;) {
    const { state, error } = JSON.parse(await ask("status")).traces[0];
    if (state === "ready") return { ask, stop: () => child.kill() };
    assert.equal(state, "loading", error);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Both engines with one file: ask() gives the answer of both, once they are known to be the same. */
async function bothWith(path) {
  const native = await serve(join(data, path));
  const engine = await startEngine(engineWasm, readFileSync(join(data, path)), path.split("/").at(-1));
  return {
    async ask(request) {
      const theirs = engine.answer(request);
      const ours = await native.ask(request);
      assert.ok(theirs.equals(ours), `${path}: ${request} differs`);
      return theirs;
    },
    stop: native.stop,
  };
}

const TABLES = ["info?trace=0", "stats?trace=0", "find?trace=0&text=e", "categories?trace=0", "properties?trace=0", "slice?trace=0&id=0", "tooltip?trace=0&id=0"];

/** Draws until the view wishes for nothing; how many answers it took. */
async function settle(view, engines) {
  let answers = 0;
  for (let wishes = true; wishes; ) {
    wishes = false;
    view.draw();
    for (let wish = view.nextWish(); wish !== null; wish = view.nextWish()) {
      wishes = true;
      answers++;
      view.put(wish, await engines.ask(wish.request));
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
      const view = await startView(viewWasm, { outline, theme, width: WIDTH, height });
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
  "go/go119_gc_cpuprofile.trace",
  "go/go122_chans.trace",
  "apitrace/groups_threads.trace",
  "heph/heph_plain.bin",
  "spall/v3_threads.spall",
];
for (const path of OTHERS) test(`the same tiles: ${path}`, () => compare(path, null));

process.exit((await run({}, async () => {})) === 0 ? 0 : 1);
