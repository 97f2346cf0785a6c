/** The worker of a trace: downloads and decompresses its input, loads it in an engine, then answers requests. */
import { Engine, type RegexImports } from "../wasm/engine.ts";
import { download } from "./download.ts";
import { Ranges } from "./ranges.ts";
import { decompress, type Plain } from "./decompress.ts";
import type { FileSource } from "./file_source.ts";
import type { FromWorker, Phase, ToWorker } from "./messages.ts";

/** The part of a worker's global scope that is used here; TypeScript's DOM and WebWorker libraries exclude each other. */
interface Scope {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}
const scope = self as unknown as Scope;

const PROGRESS_MS = 50;
let lastProgress = 0;

function report(phase: Phase, done: number, total: number): void {
  const now = performance.now();
  if (now - lastProgress < PROGRESS_MS && done !== total) return;
  lastProgress = now;
  scope.postMessage({ kind: "progress", phase, done, total });
}

let engine: Engine | null = null;
/** The engine that was started before a trace was opened. */
let prepared: { file: FileSource; starting: Promise<Engine> } | null = null;
/** The input before it was decompressed. */
let source: Blob | null = null;
let regex: RegexImports;

function start(file: FileSource): Promise<Engine> {
  const early = prepared;
  prepared = null;
  return early?.file === file ? early.starting : Engine.start(file, regex);
}

type Opening = Extract<ToWorker, { kind: "open" }>;

async function prepare({ input, mostBytes, files }: Opening, starting: Promise<Engine>): Promise<Plain> {
  source ??= input.kind === "file" ? input.file : await download(input.url, report);
  const started = await starting;
  const wanted = mostBytes === 0 ? source : source.slice(0, mostBytes);
  const plain = await decompress(wanted, report, (head) => started.sure(head), files.brotli);
  return { ...plain, sourceBytes: source.size };
}

/** Loads the trace in an engine. Returns the reason if it cannot. */
async function load(opening: Opening, file: FileSource): Promise<string | null> {
  const { name, perspective, mostBytes, axis, files } = opening;
  const starting = start(file);
  const [loading, plain] = await Promise.all([starting, prepare(opening, starting)]);
  // An archive may have traces that only the complete engine can read, beside others.
  if (plain.parts.length > 0 && files.complete !== null && file !== files.complete) return "It is an archive.";
  if (perspective !== null) loading.lookFrom(perspective);
  if (axis === "calls") loading.countCalls();
  if (mostBytes > 0) loading.endAfter(plain.blob.size);
  const error = loading.load(name, plain, (done) => report("reading", done, plain.blob.size));
  if (error !== null) return plain.note === null ? error : `${plain.note} ${error}`;
  engine = loading;
  scope.postMessage({ kind: "ready", note: plain.note, wholeBytes: null });
  return null;
}

/** Returns the address of a `.varve` file that may be read by ranges, or null. */
function rangesAddress({ input }: Opening): URL | null {
  if (input.kind === "file" || input.isWhole) return null;
  const url = new URL(input.url);
  return url.pathname.endsWith(".varve") && url.protocol.startsWith("http") ? url : null;
}

/** Opens a file by ranges. Returns false if it must be loaded as a whole. */
async function openRanges(url: URL, file: FileSource): Promise<boolean> {
  const [opened, ranges] = await Promise.all([start(file), Ranges.open(url.href)]);
  const result = opened.openRanges(`${url.origin}${url.pathname}`, ranges);
  if (result.kind === "whole") return false;
  if (result.kind === "failed") {
    scope.postMessage({ kind: "failed", error: result.error, wholeBytes: ranges.size });
    return true;
  }
  engine = opened;
  scope.postMessage({ kind: "ready", note: null, wholeBytes: ranges.size });
  return true;
}

async function open(opening: Opening): Promise<void> {
  const { engine: first, complete } = opening.files;
  try {
    const url = rangesAddress(opening);
    if (url !== null && (await openRanges(url, first))) return;
    let error = await load(opening, first);
    if (error !== null && complete !== null) error = await load(opening, complete);
    if (error !== null) scope.postMessage({ kind: "failed", error, wholeBytes: null });
  } catch (error) {
    scope.postMessage({ kind: "failed", error: describe(error), wholeBytes: null });
  }
}

function describe(error: unknown): string {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
    return "The engine ran out of memory: a browser gives it at most 4 GB. `varve open` on the command line has no such bound.";
  if (error instanceof DOMException && error.name === "NotReadableError")
    return "The file could not be read: it was moved, changed or is locked.";
  return error instanceof Error ? error.message : String(error);
}

function answer(id: number, request: string, body: ArrayBuffer | null): void {
  try {
    if (engine === null) throw new Error("The trace is not loaded yet.");
    const { bytes, isRunning } = engine.answer(request, body);
    scope.postMessage({ kind: "answer", id, bytes, isRunning, error: null }, [bytes]);
  } catch (error) {
    scope.postMessage({ kind: "answer", id, bytes: new ArrayBuffer(0), isRunning: false, error: describe(error) });
  }
}

/** Receives the messages of the page. `expressions`: the regular expressions of searches. */
export function serve(expressions: RegexImports): void {
  regex = expressions;
  scope.onmessage = (event) => {
    const message = event.data;
    if (message.kind === "prepare") prepared = { file: message.engine, starting: Engine.start(message.engine, regex) };
    else if (message.kind === "open") void open(message);
    else if (message.kind === "source") scope.postMessage({ kind: "source", file: source ?? new Blob() });
    else answer(message.id, message.request, message.body);
  };
}
