/**
 * The files of the page: modules, workers. They are beside it. A page that was saved as one HTML file (web/page.mjs) contains
 * them as data blocks, and after them traces and a view:
 *
 *   <script type="text/plain" data-file="engine.wasm">   gzip in base64
 *   <script type="text/plain" data-trace="NAME">         base64; NAME too
 *   <script type="text/plain" data-more>                 the next part of the trace before it
 *   <script type="text/plain" data-view="FROM">          a view file in base64. FROM: if the trace is a cut, the begin of the
 *                                                        whole trace in nanoseconds, from which the view counts its times
 *
 * Everything that comes from a trace is in base64, so that it cannot end its block.
 */
import type { EngineHost } from "./transport/worker.ts";
import type { FileSource } from "./worker/file_source.ts";
import type { ToWorker } from "./worker/messages.ts";

const contained = new Map<string, Blob>();

function blocks(kind: string, page = document): HTMLScriptElement[] {
  return [...page.querySelectorAll<HTMLScriptElement>(`script[data-${kind}]`)];
}

/** True if the page is one HTML file. It then has no other files and no server. */
export const isContained = () => document.querySelector("script[data-file]") !== null;

function fromBase64(code: string): Uint8Array<ArrayBuffer> {
  const text = atob(code);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function textFromBase64(code: string): string {
  return new TextDecoder().decode(fromBase64(code));
}

/** Unpacks the files that the page contains. Call it before the functions below. */
export async function unpackPageFiles(): Promise<void> {
  await Promise.all(
    blocks("file").map(async (block) => {
      const packed = new Blob([fromBase64(block.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
      const name = block.dataset["file"] ?? "";
      contained.set(name, new Blob([await new Response(packed).arrayBuffer()], { type: name.endsWith(".js") ? "text/javascript" : "" }));
    }),
  );
}

/** Returns a file of the page by its name. */
export function pageFile(name: string): FileSource {
  return contained.get(name) ?? new URL(name, document.baseURI).href;
}

/** Starts a worker from a file of the page. */
export function startWorker(file: string, name: string): Worker {
  const source = pageFile(file);
  return new Worker(source instanceof Blob ? URL.createObjectURL(source) : source, { name });
}

let firstWorker: Worker | null = null;

/** Starts the worker of the first trace: it and its engine arrive while the page is made. */
export function startFirstWorker(): void {
  firstWorker = startWorker("worker.js", "trace");
  firstWorker.onerror = () => (firstWorker = null); // a load then starts its own worker, and reports its error
  firstWorker.postMessage({ kind: "prepare", engine: pageFile("engine.wasm") } satisfies ToWorker);
}

/** The engine of the page. */
export const PAGE_ENGINE: EngineHost = {
  startWorker(name) {
    const started = firstWorker ?? startWorker("worker.js", name);
    firstWorker = null;
    return started;
  },
  files: () => ({ engine: pageFile("engine.wasm"), complete: null, brotli: pageFile("brotli_dec_wasm_bg.wasm") }),
  baseUrl: () => document.baseURI,
};

/** Takes the traces out of the page that contains them. */
export function containedTraces(page: Document): File[] {
  const traces: { name: string; parts: Uint8Array<ArrayBuffer>[] }[] = [];
  for (const block of blocks("trace", page).length === 0 ? [] : page.querySelectorAll<HTMLScriptElement>("script[data-trace], script[data-more]")) {
    const name = block.dataset["trace"];
    if (name !== undefined) traces.push({ name: textFromBase64(name), parts: [] });
    traces.at(-1)?.parts.push(fromBase64(block.textContent));
    block.remove();
  }
  return traces.map(({ name, parts }) => new File(parts, name));
}

/** Returns the view file in the page, null = none. from_ns: null = the trace is whole. */
export function containedView(page: Document): { text: string; from_ns: bigint | null } | null {
  const block = blocks("view", page)[0];
  if (block === undefined) return null;
  const from = block.dataset["view"] ?? "";
  return { text: textFromBase64(block.textContent), from_ns: from === "" ? null : BigInt(from) };
}

/** Returns the page without a trace: the begin of each HTML file that is shared from it. */
export async function sharedTemplate(): Promise<string> {
  if (!isContained()) return new TextDecoder().decode(await (await fetch(new URL("share.html", document.baseURI))).arrayBuffer());
  const head = document.head.cloneNode(true) as HTMLHeadElement;
  const title = head.querySelector("title");
  if (title !== null) title.textContent = "Varve";
  const files = blocks("file").map((block) => block.outerHTML);
  return `<!doctype html>\n<html lang="en">${head.outerHTML}\n<body><div id="app"></div>\n${files.join("\n")}\n`;
}
