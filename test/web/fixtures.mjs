// Traces made for the tests: small, with all slices known.
import { gzipSync } from "node:zlib";

/** A server's requests: 3 threads, nested up to 4, args, an instant, other scripts, arrows. */
export function sampleTrace() {
  const events = [
    { ph: "M", name: "process_name", pid: 1, tid: 1, args: { name: "server" } },
    ...["main", "worker 1", "worker 2"].map((name, i) => ({ ph: "M", name: "thread_name", pid: 1, tid: i + 1, args: { name } })),
    { ph: "X", name: "serve", cat: "loop", pid: 1, tid: 1, ts: 0, dur: 100000, args: { port: 8080 } },
  ];
  for (let i = 0; i < 20; i++) {
    const ts = 1000 + i * 4900;
    const args = { path: `/item/${i}`, id: "ID", headers: { accept: "text/html", tags: ["a", "b", { deep: true }] } };
    events.push({ ph: "X", name: "handle request", cat: "http", pid: 1, tid: 1, ts, dur: 4500, args });
    events.push({ ph: "X", name: "parse", cat: "http", pid: 1, tid: 1, ts: ts + 100, dur: 300 });
    events.push({ ph: "X", name: "répondre 応答 🚀", cat: "http", pid: 1, tid: 1, ts: ts + 1000, dur: 3000 });
    events.push({ ph: "X", name: "write", pid: 1, tid: 1, ts: ts + 1200, dur: 1000 + i });
    events.push({ ph: "s", name: "ask", cat: "db", id: i, pid: 1, tid: 1, ts: ts + 50 });
    for (const tid of [2, 3]) {
      events.push({ ph: "f", bp: "e", name: "ask", cat: "db", id: i, pid: 1, tid, ts: ts + 500 * tid + 10 });
      events.push({ ph: "X", name: `query ${tid}`, cat: "db", pid: 1, tid, ts: ts + 500 * tid, dur: 2000, args: { rows: i } });
    }
  }
  events.push({ ph: "i", name: "reload", s: "t", pid: 1, tid: 1, ts: 50000, args: { why: "SIGHUP" } });
  events.push({ ph: "i", name: "config changed", s: "g", pid: 1, tid: 1, ts: 70000 });
  // An integer that a double cannot represent must be unchanged.
  return JSON.stringify({ traceEvents: events }).replaceAll('"ID"', "12345678901234567891");
}

/** Instants of two names in one thread, some inside a slice. */
export function instantsTrace() {
  const events = [{ ph: "X", name: "work", pid: 1, tid: 1, ts: 100, dur: 500 }];
  for (let i = 0; i < 6; i++) events.push({ ph: "i", name: i % 2 === 0 ? "tick" : "tock", s: "t", pid: 1, tid: 1, ts: 150 + i * 50 });
  events.push({ ph: "X", name: "rest", pid: 1, tid: 1, ts: 700, dur: 100 });
  return JSON.stringify(events);
}

/** Events of several categories, some with two, some without, one that is hidden initially; a counter, and colours. */
export function categoriesTrace() {
  const events = [];
  for (let i = 0; i < 50; i++) {
    const at = { ph: "X", pid: 1, ts: i * 100, dur: 60 };
    events.push({ ...at, name: "collect", cat: "gc", tid: 1 });
    events.push({ ...at, name: "compact", cat: "gc, v8", tid: 1, ts: i * 100 + 60, dur: 40 });
    events.push({ ...at, name: "plain", tid: 2, cname: "good" });
    events.push({ ...at, name: "cost of tracing", cat: "trace_event_overhead", tid: 3 });
    events.push({ ph: "i", name: "packet", cat: "net", s: "t", pid: 1, tid: 2, ts: i * 100 + 50 });
    events.push({ ph: "C", name: "memory", cat: "gc", pid: 1, tid: 2, ts: i * 100, args: { used: i } });
  }
  return JSON.stringify({ displayTimeUnit: "ns", otherData: { version: "7", build: { flags: ["-O2"] } }, traceEvents: events });
}

/** Cut in the middle of an event, with an end without a begin. */
export function brokenTrace() {
  return `[{"ph":"X","name":"whole","pid":1,"tid":1,"ts":0,"dur":1000},
{"ph":"E","name":"lonely","pid":1,"tid":1,"ts":1500},
{"ph":"X","name":"also whole","pid":1,"tid":1,"ts":2000,"dur":500},
{"ph":"X","name":"cut off he`;
}

export const UNRECOGNISED = "Dear reader,\nthis is a letter and not a trace.\n";

/** Many names, so that a table of them is longer than any screen. */
export function manyNames(count) {
  const events = [];
  for (let i = 0; i < count; i++) events.push({ ph: "X", name: `name ${i}`, pid: 1, tid: 1, ts: i * 10, dur: 1 + (i % 9) });
  return JSON.stringify(events);
}

export const gzip = (text) => gzipSync(Buffer.from(text));
/** Two members, as pigz and others write them. */
export const gzipTwice = (text) => Buffer.concat([gzip(text.slice(0, text.length / 2)), gzip(text.slice(text.length / 2))]);

/** Two slices in two zstd frames, made by zstd 1.5.4: Node 18 has no encoder of its own. */
export const zstd = Buffer.from(
  "KLUv/QRozQEAkkMMEaCvBkWKo/YZzj8rKoGiIlsBQNxillUthnnSBTErFxevlyQLdErHNq+X4OKzucUtCgEAStwy2RkXTSi1L/0E" +
  "aN0BAKLDDBKQzwFSjp4SjqPVf4nKUNO7Pp/AXNKXNZ3F6E96Hv3U4vnKHblCehCp+b5y551f3mfxNgEAStwyYRVxHA==",
  "base64",
);

/** Objects of two types that refer to each other, one with two lives; a thread's states; a context; a dump; metadata. */
export function objectsTrace() {
  const meta = (name, args) => ({ ph: "M", name, pid: 1, tid: 1, args });
  const object = (ph, name, id, ts, snapshot) => ({ ph, name, cat: "cc", pid: 1, tid: 1, id, ts, ...(snapshot ? { args: { snapshot } } : {}) });
  const events = [
    meta("process_name", { name: "renderer" }),
    meta("process_labels", { labels: "tab 7" }),
    meta("thread_name", { name: "starting" }),
    meta("thread_name", { name: "main" }),
    meta("num_cpus", { number: 8 }),
    object("N", "Layer", "0x1", 100),
    object("O", "Layer", "0x1", 150, { size: [1, 2] }),
    object("D", "Layer", "0x1", 400),
    object("N", "Layer", "0x1", 500),
    object("O", "Layer", "0x1", 600, { size: [3, 4] }),
    object("O", "Layer", "0x1", 800, { size: [5, 6], gone: { id_ref: "0x777" } }),
  ];
  for (let i = 0; i < 5; i++) events.push(object("O", "Host", "0x9", 50 + i * 190, { frame: i, layer: { id_ref: "0x1" } }));
  events.push({ ph: "(", name: "frame", cat: "cc", pid: 1, tid: 1, ts: 200, id: "0x9" });
  events.push({ ph: "X", name: "draw", pid: 1, tid: 1, ts: 300, dur: 600 });
  events.push({ ph: ")", name: "frame", cat: "cc", pid: 1, tid: 1, ts: 950, id: "0x9" });
  events.push({ ph: "T", name: "Running", pid: 1, tid: 1, ts: 300, dur: 600, args: { cpu: 3 } });
  events.push({ ph: "T", name: "Sleeping", pid: 1, tid: 1, ts: 900, dur: 100 });
  events.push({ ph: "v", name: "dump", pid: 1, tid: 1, ts: 500, id: "0x1", args: { dumps: { process_totals: { resident_set_bytes: "1a40000" } } } });
  return JSON.stringify(events);
}

/** A slice with stacks at its begin and end; below it eight samples of V8, of which two in a row are of `inner`. */
export function stacksTrace() {
  const node = (id, parent, functionName, lineNumber, columnNumber) => ({
    id,
    parent,
    callFrame: { functionName, url: lineNumber < 0 ? "" : "file:///app.js", scriptId: 1, lineNumber, columnNumber },
  });
  const nodes = [
    node(1, undefined, "(root)", -1, -1),
    node(2, 1, "outer", 0, 0),
    node(3, 2, "inner", 20, 2),
    node(4, 1, "(idle)", -1, -1),
    node(5, 1, "(program)", -1, -1),
  ];
  const data = {
    cpuProfile: { nodes, samples: [3, 2, 3, 3, 2, 4, 2, 5] },
    timeDeltas: [10000, 10000, 10000, 15000, 15000, 10000, 10000, 10000],
  };
  const at = { pid: 1, tid: 1 };
  return JSON.stringify({
    traceEvents: [
      { ...at, ph: "X", name: "load", ts: 0, dur: 100000, sf: "2", esf: "1" },
      { ...at, ph: "P", name: "Profile", id: "0x1", ts: 0, args: { data: { startTime: 0 } } },
      { ...at, ph: "P", name: "ProfileChunk", id: "0x1", tid: 2, ts: 100000, args: { data } },
    ],
    stackFrames: {
      1: { name: "main", category: "app", file: "src/main.c", line: 12 },
      2: { name: "read_file", category: "io", parent: "1", file: "src/io.c", line: 31, column: 5 },
    },
  });
}
