// engine.wasm and view.wasm without a page: the functions that src/app/wasm exports, called from Node.
import { readFileSync } from "node:fs";

/** The part of WASI for a module without files. */
function wasi(memory) {
  const words = () => new DataView(memory().buffer);
  const calls = {
    proc_exit(code) {
      throw new Error(`the module ended itself (${code})`);
    },
    environ_get: () => 0,
    environ_sizes_get(count, size) {
      words().setUint32(count, 0, true);
      words().setUint32(size, 0, true);
      return 0;
    },
    clock_time_get(_id, _precision, result) {
      words().setBigUint64(result, 0n, true);
      return 0;
    },
    random_get: () => 0, // results must not depend on it
  };
  const badFile = () => 8;
  return new Proxy(calls, { get: (known, name) => known[name] ?? badFile });
}

async function start(path, imports) {
  let memory = null;
  const { instance } = await WebAssembly.instantiate(readFileSync(path), {
    wasi_snapshot_preview1: wasi(() => memory),
    varve: imports(() => Buffer.from(memory.buffer)),
  });
  memory = instance.exports.memory;
  instance.exports._initialize?.();
  return { calls: instance.exports, bytes: () => Buffer.from(memory.buffer) };
}

const MEMORY_LIMIT = 2 ** 31;

/** Starts an engine and loads `file`. `regexImports`: of web/src/wasm/regex.ts. */
export async function startEngine(path, regexImports, file, name) {
  const { calls, bytes } = await start(path, (all) => ({
    ...regexImports(all),
    read_input: (offset, buffer, size) => file.copy(all(), buffer >>> 0, offset, Math.min(offset + (size >>> 0), file.length)),
  }));
  const page = calls.engine_open();
  const setInput = (content) => {
    const at = calls.engine_input(page, Buffer.byteLength(content)) >>> 0; // may move the memory
    Buffer.from(content).copy(bytes(), at);
  };
  const output = () => {
    const at = calls.engine_output(page) >>> 0;
    const end = at + calls.engine_output_size(page);
    return Buffer.from(bytes().subarray(at, end));
  };
  setInput(""); // the first perspective, as in `varve open`
  calls.engine_look_from(page);
  setInput(name);
  if (calls.engine_load(page, file.length, MEMORY_LIMIT, file.length, 0) === 0) throw new Error(output().toString());
  return {
    answer(request, body = null) {
      setInput(body === null ? request : Buffer.concat([Buffer.from(`${request}\0`), body]));
      calls.engine_answer(page);
      return output();
    },
  };
}

const VIEW_STATIC = 16;
const REQUEST_KINDS = ["overview", "labels", "tile", "details", "visible"];

/** Starts a view of a trace as for a picture: without input, and without animations. */
export async function startView(path, { outline, theme, width, height }) {
  const { calls, bytes } = await start(path, () => ({}));
  const page = calls.view_open(2 ** 28);
  const setInput = (content) => {
    const at = calls.view_input(page, content.length) >>> 0; // may move the memory
    content.copy(bytes(), at);
    return content.length;
  };
  calls.view_set_theme(page, theme === "light" ? 1 : 0);
  calls.view_set_options(page, VIEW_STATIC);
  calls.view_resize(page, width, height, 1);
  if (calls.view_add_trace(page, setInput(outline)) === 0) throw new Error("the outline was refused");
  return {
    /** Returns the draw list as text. */
    draw() {
      calls.view_step(page, 0);
      const list = calls.view_draw(page) >>> 0;
      if (list === 0) throw new Error("out of memory");
      return printList(bytes(), list);
    },
    nextRequest() {
      const at = calls.view_next_request(page) >>> 0;
      if (at === 0) return null;
      const [kind, , track, band, level, index, labels] = Array.from({ length: 9 }, (_, i) => bytes().readDoubleLE(at + 8 * i));
      const path = {
        overview: `overview?trace=0&buckets=${labels}`,
        labels: `labels?trace=0&page=${labels}`,
        tile: `tiles?trace=0&keys=${track}.${band}.${level}.${index}`,
      }[REQUEST_KINDS[kind]];
      if (path === undefined) throw new Error(`a picture needs ${REQUEST_KINDS[kind]}`);
      return { kind: REQUEST_KINDS[kind], page: labels, path };
    },
    put(request, answer) {
      const size = setInput(request.kind === "tile" ? answer.subarray(4) : answer); // the size of a tile is before it
      if (request.kind === "tile" && calls.view_put_tile(page, 0, size) === 0) throw new Error("a tile was refused");
      if (request.kind === "labels") calls.view_put_labels(page, 0, request.page, size);
      if (request.kind === "overview") calls.view_put_overview(page, 0, size);
    },
  };
}

// ---- a draw list in the form of src/view/draw_list.c ----

/** Multiples of 1/64, cut to three digits. */
function px(value) {
  const parts = Math.trunc(value * 64 + (value < 0 ? -0.5 : 0.5));
  const rest = Math.trunc(((Math.abs(parts) % 64) * 1000) / 64);
  const whole = `${parts < 0 ? "-" : ""}${Math.trunc(Math.abs(parts) / 64)}`;
  return rest === 0 ? whole : `${whole}.${String(rest).padStart(3, "0")}`;
}

function printList(all, list) {
  const word = (at) => all.readUInt32LE(at);
  const pxs = (at, count) => Array.from({ length: count }, (_, i) => ` ${px(all.readFloatLE(at + 4 * i))}`).join("");
  const hex = (rgba) => `#${rgba.toString(16).padStart(8, "0")}`;
  const [shapes, texts, batches, text, curves] = [12, 20, 28, 36, 44].map((offset) => word(list + offset));
  const shape = (at) => {
    const [fill, edge, style] = [word(at + 16), word(at + 20), all.readUInt16LE(at + 34)];
    const kind = ["rect", "diamond", "triangle-down", "triangle-right"][all.readUInt16LE(at + 32)];
    return (
      `  ${kind}${pxs(at, 4)}` +
      ((fill & 0xff) !== 0 ? ` fill ${hex(fill)}` : "") +
      ((edge & 0xff) !== 0 ? ` edge ${hex(edge)}${pxs(at + 24, 1)}` : "") +
      (all.readFloatLE(at + 28) > 0 ? ` radius${pxs(at + 28, 1)}` : "") +
      ((style & 1) !== 0 ? " fade" : "") +
      ((style & 2) !== 0 ? " hatch" : "")
    );
  };
  const line = (at) => {
    const from = text + word(at + 24);
    const words = all.toString("utf8", from, from + word(at + 28));
    return `  text${pxs(at, 4)} ${hex(word(at + 16))} ${word(at + 20) === 1 ? "medium" : "regular"} "${words}"`;
  };
  const curve = (at) => `  curve${pxs(at, 4)} bend${pxs(at + 16, 1)} width${pxs(at + 20, 1)} ${hex(word(at + 24))}`;
  const kinds = [["shapes", shapes, 36, shape], ["texts", texts, 32, line], ["curves", curves, 28, curve]];
  const lines = [`frame${pxs(list, 2)} background ${hex(word(list + 8))}`];
  for (let b = 0; b < word(list + 32); b++) {
    const at = batches + 28 * b;
    const [name, items, size, print] = kinds[word(at)];
    lines.push(`${name} clip${pxs(at + 12, 4)}`);
    for (let i = word(at + 4); i < word(at + 4) + word(at + 8); i++) lines.push(print(items + size * i));
  }
  return `${lines.join("\n")}\n`;
}
