/**
 * The connection between the page and an engine. Each trace is a Load: it reports the progress of its loading and, once
 * it is ready, answers requests. The page does not depend on the kind of transport.
 */
import type { CaptureAxis } from "../timeline/axis.ts";
import type { Store } from "../store.ts";
import { parseExact } from "./exact_json.ts";
import type { Answers } from "./protocol.ts";

export interface LoadStatus {
  name: string;
  state: "loading" | "ready" | "failed" | "cancelled";
  phase: "downloading" | "decompressing" | "reading" | "sorting" | "indexing" | "done";
  done: number;
  /** 0 = unknown */
  total: number;
  error: string | null;
  /** An error that ended the reading early, although some events were read. */
  note: string | null;
  /**
   * The file is read by ranges, or cannot be, and `loadWhole` loads it as a whole: its size, 0 = unknown. null: it was loaded.
   */
  wholeBytes: number | null;
}

export interface Load {
  readonly status: Store<LoadStatus>;
  /** The trace continues to grow after it is ready. */
  readonly grows: boolean;
  /**
   * The version of the ids in a growing trace. Requests with ids carry it and fail with a MovedError when the trace has
   * a newer one.
   */
  shape: number;
  /**
   * Sends `verb?trace=...&parameters`. Rejects with a message, or with an AbortError. Long work is done in steps: the
   * request is repeated until the work is complete, or until the signal aborts, which stops the work. `onShare`
   * receives the completed part, 0 to 1.
   */
  request(verb: string, parameters?: Parameters, signal?: AbortSignal, onShare?: OnShare): Promise<ArrayBuffer>;
  /** The page's number of the trace; in the native engine also the engine's number. */
  readonly number: number;
  /** True if the engine runs SQL; otherwise the page runs it. */
  readonly runsSql: boolean;
  /** The syntax of regular expressions in a search (docs/search.md). */
  readonly regexSyntax: "PCRE2" | "RE2";
  /** Sends a request with a body. Rejects as `request` does. */
  post(verb: string, parameters: Parameters, body: string | ArrayBuffer, signal?: AbortSignal): Promise<ArrayBuffer>;
  /**
   * Returns the file of the trace as it was opened, still compressed if it was. Rejects if it cannot be read again: a
   * trace from a pipe that is an archive, or a file that has changed.
   */
  source(): Promise<Blob>;
  /** Returns a new load of the same trace for a perspective, "" = for all. */
  lookFrom(perspective: string): Load;
  /** Returns a new load of the same capture with this axis. */
  withAxis(axis: CaptureAxis): Load;
  /**
   * Returns a new load of the begin of the same input, about `bytes` bytes, to show while the rest loads. null: the input
   * is not a file of this machine.
   */
  loadBegin(bytes: number): Load | null;
  /** Returns a new load of the whole file, if the status has `wholeBytes`. */
  loadWhole(): Load;
  /** Stops a load in progress. */
  cancel(): void;
  /** Releases all resources. Requests in progress fail. */
  close(): void;
  /** As close, once the requests in progress are answered. */
  closeWhenIdle(): void;
}

export type OnShare = (share: number) => void;

export type Parameters = Record<string, string | number>;

export function queryOf(verb: string, trace: number, parameters: Parameters = {}): string {
  const parts = Object.entries(parameters).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return `${verb}?${[`trace=${trace}`, ...parts].join("&")}`;
}

/** `T`: the type of the answer, if the request has several. */
export async function requestJson<V extends keyof Answers, T extends Answers[V] = Answers[V]>(
  load: Load,
  verb: V,
  parameters?: Parameters,
  signal?: AbortSignal,
  onShare?: OnShare,
): Promise<T> {
  const bytes = await load.request(verb, parameters, signal, onShare);
  return parseExact(new TextDecoder().decode(bytes)) as T;
}

/** Returns the completed part, 0 to 1, from the body of an answer to unfinished work. */
export function shareOf(body: ArrayBuffer): number {
  return (JSON.parse(new TextDecoder().decode(body)) as { share: number }).share;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The engine refused a request because the trace has grown and the ids in the request have a different meaning now. */
export class MovedError extends Error {
  constructor() {
    super("The trace was numbered anew meanwhile.");
  }
}

/** True if the error is not shown: a newer request replaced this one, or the ids have changed. */
export function isPast(error: unknown): boolean {
  return isAbort(error) || error instanceof MovedError;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
