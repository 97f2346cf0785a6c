/** The worker of a trace: downloads and decompresses its input, loads it in the engine, then answers requests. */
import { Engine } from "../wasm/engine.ts";
import { download } from "./download.ts";
import { decompress, type Plain } from "./decompress.ts";
import type { FromWorker, Input, Perspective, Phase, ToWorker, WorkerFiles } from "./messages.ts";

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
/** The input before it was decompressed. */
let source = new Blob();

async function prepare(input: Input, starting: Promise<Engine>, files: WorkerFiles): Promise<Plain> {
  source = input.kind === "file" ? input.file : await download(input.url, report);
  const started = await starting;
  return decompress(source, report, (head) => started.sure(head), files.brotli);
}

async function open(name: string, input: Input, perspective: Perspective, files: WorkerFiles): Promise<void> {
  try {
    const starting = Engine.start(files.engine);
    const [loading, plain] = await Promise.all([starting, prepare(input, starting, files)]);
    if (perspective !== null) loading.lookFrom(perspective);
    const error = loading.load(name, plain, (done) => report("reading", done, plain.blob.size));
    if (error !== null) {
      scope.postMessage({ kind: "failed", error: plain.note === null ? error : `${plain.note} ${error}` });
      return;
    }
    engine = loading;
    scope.postMessage({ kind: "ready", note: plain.note });
  } catch (error) {
    scope.postMessage({ kind: "failed", error: describe(error) });
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

scope.onmessage = (event) => {
  const message = event.data;
  if (message.kind === "open") void open(message.name, message.input, message.perspective, message.files);
  else if (message.kind === "source") scope.postMessage({ kind: "source", file: source });
  else answer(message.id, message.request, message.body);
};
