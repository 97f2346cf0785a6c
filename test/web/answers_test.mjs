// Real answers of the engine have the types of web/src/transport/protocol.ts:
//
//   answers_test.mjs VARVE LIVE_FEED VIEW_WASM BORDER SOURCE_DIRECTORY
//
// The answers to every request that is answered in JSON are written as literals to a TypeScript module, which the
// compiler checks: it rejects a missing, an unknown and a wrong member. The same is done with the answers of view.wasm
// and the types of web/src/wasm/view_json.ts. The engine in WebAssembly gives the same bytes
// (same_engine_test.mjs). The types are also compared with the table of requests in C, and with docs/PROTOCOL.md.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startView } from "./modules.mjs";
import { serve } from "./served.mjs";
import { run, test } from "./tap.mjs";

const [varve, liveFeed, viewWasm, borderModule, sourceDirectory] = process.argv.slice(2);
const source = (path) => join(resolve(sourceDirectory), path);
const PROTOCOL = source("web/src/transport/protocol.ts");
const VIEW_JSON = source("web/src/wasm/view_json.ts");
const border = await import(resolve(borderModule));
const requireWeb = createRequire(source("web/package.json"));

/** The answers to check: type, request and parsed answer. */
const found = [];
const verbs = new Set();

/** Records the answers of an engine; a refused request has none, and returns null. */
class Recorder {
  constructor(url, file) {
    this.url = url;
    this.file = file;
  }

  async bytes(request, body = null) {
    for (;;) {
      const response = await fetch(new URL(`api/${request}`, this.url), body === null ? {} : { method: "POST", body });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.status === 202) continue; // the next step of the work
      return response.ok ? bytes : null;
    }
  }

  async ask(request, type = null, body = null) {
    const bytes = await this.bytes(request, body);
    if (bytes === null) return null;
    const [verb] = request.split("?");
    const answer = JSON.parse(bytes);
    found.push({ type: type ?? `Answers[${JSON.stringify(verb)}]`, request: `${this.file}: ${request}`, answer });
    verbs.add(verb);
    return answer;
  }

  /** Asks with each id from 0 to the first one that the trace does not have, at most `most` times. */
  async askEach(request, most) {
    const answers = [];
    for (let id = 0; id < most; id++) {
      const answer = await this.ask(`${request}${id}`);
      if (answer === null) break;
      answers.push(answer);
    }
    return answers;
  }
}

const MOVES = ["parent", "child", "next", "previous", "next-same", "previous-same"];

async function askDetails(engine) {
  const slices = await engine.askEach("slice?trace=0&id=", 60);
  await engine.askEach("ends?trace=0&id=", 20);
  await engine.askEach("instant?trace=0&id=", 40);
  await engine.askEach("process?trace=0&id=", 4);
  await engine.askEach("flow?trace=0&id=", 4);
  for (const track of new Set(slices.map(({ place }) => place.track))) await engine.ask(`thread?trace=0&id=${track}`);
  for (const move of MOVES) for (const id of ["id=0", "id=5", "instant=1"]) await engine.ask(`near?trace=0&${id}&move=${move}`, "NearAnswer");
  const { place } = slices.find(({ flows_out }) => flows_out.count > 0) ?? { place: { slice: 0 } };
  await engine.ask(`near?trace=0&id=${place.slice}&move=flow-next`, "StepAnswer | null");
  await engine.ask("places?trace=0&slices=0,0");
  return slices;
}

async function askTables(engine, name) {
  for (const request of ["status", "info?trace=0", "identity?trace=0", "categories?trace=0", "properties?trace=0", "property?trace=0&index=0"]) await engine.ask(request);
  for (const by of ["name", "category", "thread", "process"]) await engine.ask(`stats?trace=0&by=${by}`);
  const { names } = await engine.ask("arguments?trace=0");
  if (names.length > 0) await engine.ask(`stats?trace=0&by=${encodeURIComponent(`arg:${names[0]}`)}`);
  await engine.ask("histogram?trace=0");
  const { counter_rows: counters } = await engine.ask("area?trace=0");
  for (const { track } of counters.slice(0, 4))
    for (const [begin, move] of [[0, "at"], [0, "next"], [0, "previous"]]) await engine.ask(`sample?trace=0&track=${track}&row=0&begin=${begin}&move=${move}`);
  for (const tree of ["calls", "inverted"]) await engine.ask(`flame?trace=0&tree=${tree}&find=e&slice=0`, "FlameAnswer");
  const { frames } = await engine.ask("flame?trace=0", "FlameAnswer");
  if (frames.length > 0) await engine.ask(`flame?trace=0&to=slices&at=${encodeURIComponent(frames.at(-1)[9])}`, "FrameSlices");
  for (const text of ["e", "1", "no such text"]) {
    await engine.ask(`find?trace=0&text=${text}`);
    for (const where of ["names", "values"]) await engine.ask(`search?trace=0&text=${text}&in=${where}`);
  }
  const { warnings } = await engine.ask("info?trace=0");
  for (const byte of [0, 9999999, ...warnings.map(({ first }) => first.offset ?? 0)]) await engine.ask(`event-at?trace=0&byte=${byte}`);
  await engine.ask(`first?trace=0&name=${encodeURIComponent(name ?? "")}`);
  for (const by of ["name", "path"]) await engine.ask(`compare?trace=0&by=${by}`, null, await engine.bytes(`profile?trace=0&by=${by}`));
  await engine.ask("flame-change?trace=0", null, await engine.bytes("profile?trace=0&by=path&kinds=stacks"));
  const saved = await engine.bytes("save?trace=0&to=spall");
  if (saved !== null) found.push({ type: "Loss[]", request: `${engine.file}: save`, answer: JSON.parse(saved.subarray(saved.lastIndexOf("\n", saved.length - 2) + 1)) });
}

async function withFile(path, body = async () => {}) {
  const served = await serve(varve, source(`test/data/${path}`));
  const engine = new Recorder(served.url, path);
  try {
    const slices = await askDetails(engine);
    await askTables(engine, slices[0]?.name);
    await body(engine, slices);
  } finally {
    served.stop();
  }
}

const FILES = [
  "trace_event/contexts_and_dumps.json",
  "trace_event/memory_dumps.json",
  "trace_event/pictures/objects.json",
  "trace_event/pictures/flows.json",
  "trace_event/pictures/counters.json",
  "trace_event/pictures/instants.json",
  "trace_event/cpu_time.json",
  "trace_event/ftrace.json",
  "trace_event/v8_chromium.json",
  "trace_event/be_unmatched_end.json",
  "cpuprofile/node_fib.cpuprofile",
  "speedscope/odd_events.speedscope.json",
  "firefox/threads.firefox.json",
  "heph/heph_plain.bin",
  "ftrace/kernel.ftrace",
  "perf/tracepoints.perf",
  "strace/threads.strace",
  "perfetto/tracks.pftrace",
  "pprof/inline.pprof",
  "folded/difference.folded",
];
for (const path of FILES) test(`asks about ${path}`, () => withFile(path));

test("asks about a capture", () =>
  withFile("apitrace/groups_threads.trace", async (engine) => {
    for (const place of ["number=5", "number=99999999", "frame=2"]) await engine.ask(`call?trace=0&${place}`);
    await engine.ask("frames?trace=0");
    await engine.ask("axis?trace=0&to=calls&begins=5,9&ends=12");
    await engine.ask("look?trace=0&axis=calls", null, "");
  }));

test("asks about a Go trace", () =>
  withFile("go/go126_annot_cpuprofile.trace", async (engine, slices) => {
    for (const what of ["functions", "goroutines", "net", "sync", "syscall", "sched", "tasks", "regions", "mmu", "gc"]) await engine.ask(`go?trace=0&what=${what}`);
    await engine.ask("begin?trace=0&bytes=65536", null, "");
    const copy = await engine.ask("look?trace=0&perspective=Goroutines", null, "");
    while ((await engine.ask("status")).traces[copy.trace].state === "loading");
    for (const { cross_view_id: id } of slices) if (id !== null) await engine.ask(`counterpart?trace=${copy.trace}&cross_view_id=${id}&perspective=Goroutines&at=0`);
    await engine.askEach(`ends?trace=${copy.trace}&id=`, 20);
    const states = await engine.askEach(`slice?trace=${copy.trace}&id=`, 200);
    assert.ok(states.some(({ during }) => during !== undefined));
    await engine.ask("cancel?trace=0", null, "");
  }));

/** Serves the bytes by ranges. */
async function serveRanges(bytes) {
  const server = createServer((request, response) => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (range === null) return response.end(bytes);
    const [first, last] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    response.writeHead(206, { "content-range": `bytes ${first}-${last}/${bytes.length}` }).end(bytes.subarray(first, last + 1));
  });
  await new Promise((resume) => server.listen(0, "127.0.0.1", resume));
  return server;
}

test("asks about a file that is read by ranges", async () => {
  const folder = mkdtempSync(join(tmpdir(), "varve-answers-"));
  const path = join(folder, "a.varve");
  assert.equal(spawnSync(varve, ["convert", "--tiles", source("test/data/trace_event/pictures/counters.json"), "-o", path]).status, 0);
  const files = await serveRanges(readFileSync(path));
  const served = await serve(varve, `http://127.0.0.1:${files.address().port}/a.varve`);
  try {
    const engine = new Recorder(served.url, "a.varve");
    while ((await engine.ask("status")).traces[0].state === "loading");
    for (const request of ["info?trace=0", "identity?trace=0", "categories?trace=0", "properties?trace=0"]) await engine.ask(request);
    assert.equal(await engine.ask("stats?trace=0"), null);
    const { trace } = await engine.ask("whole?trace=0", null, "");
    while ((await engine.ask("status")).traces[trace].state === "loading");
  } finally {
    served.stop();
    files.close();
    files.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
});

test("asks about garbage collection", () =>
  withFile("go/go119_gc_cpuprofile.trace", async (engine) => {
    await engine.ask("go?trace=0&what=gc");
  }));

test("asks about a growing trace", async () => {
  const feed = spawn(liveFeed, [], { stdio: ["pipe", "pipe", "ignore"] });
  try {
    const [line] = await once(feed.stdout, "data");
    const engine = new Recorder(String(line).trim(), "a growing trace");
    feed.stdin.write("until 100\n");
    await once(feed.stdout, "data");
    await engine.ask("status");
    for (const since of [0, 999999]) await engine.ask(`changes?trace=0&since=${since}`);
    await engine.ask("identity?trace=0");
  } finally {
    feed.stdin.end();
  }
});

test("runs SQL", async () => {
  const served = await serve(varve, source("test/data/trace_event/cpu_time.json"));
  const engine = new Recorder(served.url, "SQL");
  try {
    const { missing } = await engine.ask("sql-schema");
    if (missing !== null) {
      for (const verb of ["sql", "sql-result", "sql-cancel"]) verbs.add(verb);
      return missing;
    }
    for (const statement of ["SELECT name, dur, 1.5, TRUE FROM slice", "SELECT x FROM y"]) {
      const { run: number } = await engine.ask("sql", null, statement);
      while ((await engine.ask(`sql-result?run=${number}`)).state === "running");
      await engine.ask(`sql-cancel?run=${number}`, null, "");
    }
    return undefined;
  } finally {
    served.stop();
  }
});

/** Records the answers of view.wasm about a file: with closed groups, pinned and hidden rows, a filter, marks and a view file. */
async function askView(path) {
  const { ViewFilePart, ViewFileUse } = border;
  const served = await serve(varve, source(`test/data/${path}`));
  try {
    const view = await startView(viewWasm, border, { outline: await served.ask("outline?trace=0"), theme: "dark", width: 900, height: 600 });
    const note = (type, name) => {
      const answer = JSON.parse(view.text(`view_${name}_json`));
      found.push({ type, request: `${path}: view_${name}_json`, answer });
      return answer;
    };
    const everything = () => {
      view.draw();
      note("TwinRow[]", "rows");
      note("ShownRows", "shown");
      note("RowHead | Record<string, never>", "head");
      return note("Notes", "notes");
    };
    for (let changed = true; changed; ) {
      changed = false;
      view.draw();
      for (let request = view.nextRequest(); request !== null; request = view.nextRequest()) view.put(request, await served.ask(request.path)), (changed = true);
    }
    everything();
    for (const command of ["focus-down", "focus-down", "enter-row", "mark", "pin-track", "focus-down", "hide-track", "collapse-all"]) {
      view.withText("view_command", command, 0);
      everything();
    }
    view.withText("view_filter_tracks", "e");
    assert.equal(everything().notes.length, 1);
    view.withText("view_find_rows", "e");
    while (view.call("view_find_rows_step") !== 0);
    assert.ok(note("FoundRows", "found_rows").count > 0);
    const file = Buffer.from(view.text("view_save", ViewFilePart.State | ViewFilePart.Marks, 0xffffffff));
    assert.notEqual(view.withText("view_load", file, ViewFileUse.Opened, file.length), 0);
    found.push({ type: "LoadedView", request: `${path}: view_load`, answer: JSON.parse(view.text("view_output")) });
  } finally {
    served.stop();
  }
}

for (const path of ["trace_event/pictures/objects.json", "trace_event/pictures/counters.json", "heph/heph_plain.bin"]) test(`asks the view about ${path}`, () => askView(path));

test("every request that is answered in JSON has a type and was asked", () => {
  const table = readFileSync(source("src/app/session/session.c"), "utf8");
  const requests = [...table.matchAll(/\{ "([\w-]+)", .*TYPE_JSON/g)].map(([, verb]) => verb);
  assert.ok(requests.length > 30);
  assert.deepEqual([...verbs].sort(), requests.sort(), "asked requests");
  found.push({ type: "Record<keyof Answers, true>", request: "the table in session.c", answer: Object.fromEntries(requests.map((verb) => [verb, true])) });
});

test("the answers have their types", () => {
  const types = "{ Answers, FlameAnswer, FrameSlices, Loss, NearAnswer, StepAnswer }";
  const viewTypes = "{ FoundRows, LoadedView, Notes, RowHead, ShownRows, TwinRow }";
  const lines = found.map(({ type, answer }) => `(${JSON.stringify(answer)}) satisfies ${type};`);
  const directory = mkdtempSync(join(tmpdir(), "varve-answers-"));
  try {
    const imports = `import type ${types} from ${JSON.stringify(PROTOCOL)}; import type ${viewTypes} from ${JSON.stringify(VIEW_JSON)};`;
    writeFileSync(join(directory, "answers.ts"), [imports, ...lines].join("\n"));
    const config = { extends: source("web/tsconfig.json"), files: ["answers.ts"], include: [] };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config));
    const compiler = requireWeb.resolve("typescript/lib/tsc.js");
    const { stdout, stderr, status } = spawnSync(process.execPath, [compiler, "--project", directory], { encoding: "utf8" });
    assert.equal(stderr, "");
    const errors = [...stdout.matchAll(/answers\.ts\((\d+),\d+\): error \w+: (.*(?:\n .*)*)/g)];
    assert.deepEqual(errors.map(([, line, message]) => `${found[Number(line) - 2]?.request}: ${message}`), []);
    assert.equal(status, 0, stdout);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/** Types whose name is not the one of the table of objects in docs/PROTOCOL.md, in other letters, with or without "Answer". */
const NAMES = { COMPARISON: "CompareAnswer", END: "SliceEnd", FLOW: "FlowEnd", LOSSES: "Loss", OWNER: "OwnerAnswer", REFS: "Reference" };

/** Returns the names of the members of a type, and the names and words (`"loading"`) that its members lead to. */
function wordsOf(ts, checker, type) {
  const members = new Set();
  const reached = new Set();
  const seen = new Set();
  const walk = (at, depth) => {
    if (at.isUnionOrIntersection()) return at.types.forEach((part) => walk(part, depth));
    if (at.isStringLiteral()) return void reached.add(at.value);
    if (!(at.flags & ts.TypeFlags.Object) || seen.has(at)) return undefined;
    seen.add(at);
    if (checker.isArrayType(at) || checker.isTupleType(at)) return checker.getTypeArguments(at).forEach((part) => walk(part, depth));
    for (const member of checker.getPropertiesOfType(at)) {
      reached.add(member.name);
      if (depth === 0) members.add(member.name);
      walk(checker.getTypeOfSymbol(member), depth + 1);
    }
    return undefined;
  };
  walk(type, 0);
  return { members, reached };
}

test("docs/PROTOCOL.md lists the members of the types", () => {
  const ts = requireWeb("typescript");
  const program = ts.createProgram([PROTOCOL], { strict: true, target: ts.ScriptTarget.ES2022, allowImportingTsExtensions: true, noEmit: true });
  const checker = program.getTypeChecker();
  const exported = new Map(checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(PROTOCOL))).map((symbol) => [symbol.name, symbol]));
  const rows = [...readFileSync(source("docs/PROTOCOL.md"), "utf8").matchAll(/^\| ([A-Z_]+) \| (.*) \|$/gm)];
  assert.ok(rows.length > 25);
  const problems = [];
  for (const [, name, text] of rows) {
    const camel = name.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
    const symbol = exported.get(NAMES[name]) ?? exported.get(camel) ?? exported.get(`${camel}Answer`);
    assert.ok(symbol !== undefined, `${name}: no type`);
    const { members, reached } = wordsOf(ts, checker, checker.getDeclaredTypeOfSymbol(symbol));
    const words = new Set([...text.matchAll(/`([a-z][a-z0-9_-]*)`/g)].map(([, word]) => word));
    for (const member of members) if (!words.has(member)) problems.push(`${name}: the page does not list ${member}`);
    for (const word of words) if (!reached.has(word)) problems.push(`${name}: the type has no ${word}`);
  }
  assert.deepEqual(problems, []);
});

process.exit((await run({}, async () => {})) === 0 ? 0 : 1);
