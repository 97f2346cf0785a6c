/**
 * The transport to an engine in a worker of this page: the data does not leave the machine. Each trace has its own
 * worker and engine, so that traces load in parallel, each can use the whole memory of a module, and each can be
 * cancelled alone.
 */
import type { CaptureAxis } from "../timeline/axis.ts";
import { Store } from "../store.ts";
import type { AnswerMessage, FromWorker, Input, Perspective, ToWorker, WorkerFiles } from "../worker/messages.ts";
import { queryOf, shareOf, type Load, type LoadStatus, type OnShare, type Parameters } from "./transport.ts";
import { t } from "../texts.ts";

/** The place of the engine and of its worker. */
export interface EngineHost {
  startWorker(name: string): Worker;
  files(): WorkerFiles;
  /** The address from which relative addresses of traces count. */
  baseUrl(): string;
}

/** Requests for the picture, sent before those of panels. */
const URGENT = new Set(["outline", "overview", "labels", "tiles", "tooltip", "visible"]);
/** A worker handles one request at a time; a second one waits in its queue so that it is never idle. */
const IN_WORKER = 2;

interface Waiting {
  id: number;
  request: string;
  body: ArrayBuffer | null;
  queue: Waiting[];
  isAborted: boolean;
  resolve(bytes: ArrayBuffer): void;
  reject(error: Error): void;
  onShare: OnShare | undefined;
}

let loadCount = 0;

class WorkerLoad implements Load {
  readonly status: Store<LoadStatus>;
  readonly grows = false;
  readonly runsSql = false;
  readonly regexSyntax = "RE2";
  readonly number = loadCount++;
  shape = 0;
  private worker: Worker | null = null;
  private urgent: Waiting[] = [];
  private patient: Waiting[] = [];
  private sent = new Map<number, Waiting>();
  private nextId = 1;
  private isClosing = false;
  private sourceWanted: ((file: Blob) => void)[] = [];

  constructor(
    private host: EngineHost,
    private name: string,
    private input: Input,
    private perspective: Perspective,
    { mostBytes, axis }: { mostBytes: number; axis: CaptureAxis } = { mostBytes: 0, axis: "events" },
  ) {
    this.status = new Store<LoadStatus>({
      name,
      state: "loading",
      phase: input.kind === "url" ? "downloading" : "reading",
      done: 0,
      total: input.kind === "url" ? 0 : input.file.size,
      error: null,
      note: null,
      wholeBytes: null,
    });
    this.worker = host.startWorker(name);
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(t("engine.stopped", { error: event.message || t("common.not-started") }));
    };
    this.postMessage({ kind: "open", name, input, perspective, mostBytes, axis, files: host.files() });
  }

  request(verb: string, parameters?: Parameters, signal?: AbortSignal, onShare?: OnShare): Promise<ArrayBuffer> {
    return this.ask(URGENT.has(verb) ? this.urgent : this.patient, queryOf(verb, 0, parameters), null, signal, onShare);
  }

  post(verb: string, parameters: Parameters, body: string | ArrayBuffer, signal?: AbortSignal): Promise<ArrayBuffer> {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body).slice().buffer : body;
    return this.ask(this.patient, queryOf(verb, 0, parameters), bytes, signal);
  }

  private ask(queue: Waiting[], request: string, body: ArrayBuffer | null, signal: AbortSignal | undefined, onShare?: OnShare): Promise<ArrayBuffer> {
    return new Promise((resolve, reject) => {
      if (this.worker === null) return reject(new Error(t("engine.closed")));
      const waiting: Waiting = { id: this.nextId++, request, body, queue, isAborted: false, resolve, reject, onShare };
      signal?.addEventListener("abort", () => {
        waiting.isAborted = true;
        const at = queue.indexOf(waiting);
        if (at >= 0) queue.splice(at, 1);
        reject(new DOMException("aborted", "AbortError"));
      });
      if (signal?.aborted) return reject(new DOMException("aborted", "AbortError"));
      queue.push(waiting);
      this.send();
    });
  }

  lookFrom(perspective: string): Load {
    return new WorkerLoad(this.host, this.name, this.input, perspective === "" ? null : perspective);
  }

  withAxis(axis: CaptureAxis): Load {
    return new WorkerLoad(this.host, this.name, this.input, this.perspective, { mostBytes: 0, axis });
  }

  loadBegin(bytes: number): Load | null {
    return this.input.kind === "file" ? new WorkerLoad(this.host, this.name, this.input, this.perspective, { mostBytes: bytes, axis: "events" }) : null;
  }

  loadWhole(): Load {
    return new WorkerLoad(this.host, this.name, this.input.kind === "url" ? { ...this.input, isWhole: true } : this.input, this.perspective);
  }

  source(): Promise<Blob> {
    return new Promise((resolve, reject) => {
      if (this.worker === null) return reject(new Error(t("engine.closed")));
      this.sourceWanted.push(resolve);
      this.postMessage({ kind: "source" });
    });
  }

  cancel(): void {
    if (this.status.value.state !== "loading") return;
    this.end(t("load.the-load-was-cancelled"));
    this.status.update((s) => ({ ...s, state: "cancelled" }));
  }

  close(): void {
    this.end(t("engine.closed"));
  }

  closeWhenIdle(): void {
    this.isClosing = true;
    this.endIfClosing();
  }

  private endIfClosing(): void {
    if (this.isClosing && this.sent.size + this.urgent.length + this.patient.length === 0) this.close();
  }

  private end(why: string): void {
    this.worker?.terminate();
    this.worker = null;
    const lost = [...this.sent.values(), ...this.urgent, ...this.patient];
    this.sent.clear();
    this.urgent = [];
    this.patient = [];
    for (const waiting of lost) waiting.reject(new Error(why));
  }

  private fail(error: string, wholeBytes: number | null = null): void {
    this.end(error);
    this.status.update((s) => ({ ...s, state: "failed", error, wholeBytes }));
  }

  private postMessage(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private send(): void {
    while (this.sent.size < IN_WORKER) {
      const next = this.urgent.shift() ?? this.patient.shift();
      if (next === undefined) return;
      this.sent.set(next.id, next);
      this.postMessage({ kind: "request", id: next.id, request: next.request, body: next.body });
    }
  }

  /** Unfinished work is queued again behind the other requests. */
  private settle(waiting: Waiting, { bytes, isRunning, error }: AnswerMessage): void {
    if (error !== null) return waiting.reject(new Error(error));
    if (!isRunning) return waiting.resolve(bytes);
    if (!waiting.isAborted) waiting.onShare?.(shareOf(bytes));
    if (!waiting.isAborted) waiting.queue.push(waiting);
  }

  private receive(message: FromWorker): void {
    switch (message.kind) {
      case "progress":
        this.status.update((s) => ({ ...s, phase: message.phase, done: message.done, total: message.total }));
        break;
      case "ready":
        this.status.update((s) => ({ ...s, state: "ready", phase: "done", note: message.note, wholeBytes: message.wholeBytes }));
        break;
      case "source":
        this.sourceWanted.shift()?.(message.file);
        break;
      case "failed":
        this.fail(message.error, message.wholeBytes);
        break;
      case "answer": {
        const waiting = this.sent.get(message.id);
        this.sent.delete(message.id);
        if (waiting !== undefined) this.settle(waiting, message);
        this.send();
        this.endIfClosing();
        break;
      }
    }
  }
}

export function openFile(host: EngineHost, file: File, perspective: Perspective, name = file.name): Load {
  return new WorkerLoad(host, name, { kind: "file", file }, perspective);
}

export function openUrl(host: EngineHost, url: string, perspective: Perspective, name = pathOfUrl(host, url).pop() ?? ""): Load {
  return new WorkerLoad(host, name, { kind: "url", url: new URL(url, host.baseUrl()).href, isWhole: false }, perspective);
}

/** Returns the folders and the name of a file at an address. */
export function pathOfUrl(host: EngineHost, url: string): string[] {
  const { host: server, pathname } = new URL(url, host.baseUrl());
  const path = decodeURIComponent(pathname).split("/").slice(1);
  return path.at(-1) === "" ? [...path.slice(0, -1), server] : path;
}
