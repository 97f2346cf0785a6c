/**
 * How the page reaches an engine. Whatever carries the protocol, the page sees one Load per trace: how far it is,
 * and, once it is ready, requests to it.
 */
import type { Store } from "../store.ts";
import { parseExact } from "./exact_json.ts";

export interface LoadStatus {
  name: string;
  state: "loading" | "ready" | "failed" | "cancelled";
  phase: "downloading" | "decompressing" | "reading" | "sorting" | "indexing" | "done";
  done: number;
  /** 0 = not known */
  total: number;
  error: string | null;
  /** An error before the engine read the bytes, although it read some. */
  note: string | null;
}

export interface Load {
  readonly status: Store<LoadStatus>;
  /** The trace goes on growing once it is ready. */
  readonly grows: boolean;
  /** What ids mean now in a trace that grows: requests with ids carry it, and fail with a MovedError when that has passed. */
  shape: number;
  /**
   * Asks `verb?trace=...&parameters`. Rejects with a sentence, or with an AbortError. Long work is done a step a request:
   * the request is sent again until it is answered, or until the signal aborts, which ends the work. `onShare` gets the
   * part that is done, 0 to 1.
   */
  request(verb: string, parameters?: Parameters, signal?: AbortSignal, onShare?: OnShare): Promise<ArrayBuffer>;
  /** A number of this page for the trace; the number of the trace in the native engine. */
  readonly number: number;
  /** The engine runs SQL. Otherwise the page does. */
  readonly runsSql: boolean;
  /** Sends a request with a body. Rejects as `request`. */
  post(verb: string, parameters: Parameters, body: string | ArrayBuffer, signal?: AbortSignal): Promise<ArrayBuffer>;
  /** The same trace once more, as a load of its own: made for a perspective, "" = for all. */
  lookFrom(perspective: string): Load;
  /** Stops a load that is under way. */
  cancel(): void;
  /** Gives back everything it holds. */
  close(): void;
}

export type OnShare = (share: number) => void;

export type Parameters = Record<string, string | number>;

export function queryOf(verb: string, trace: number, parameters: Parameters = {}): string {
  const parts = Object.entries(parameters).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return `${verb}?${[`trace=${trace}`, ...parts].join("&")}`;
}

export async function requestJson<T>(
  load: Load,
  verb: string,
  parameters?: Parameters,
  signal?: AbortSignal,
  onShare?: OnShare,
): Promise<T> {
  const bytes = await load.request(verb, parameters, signal, onShare);
  return parseExact(new TextDecoder().decode(bytes)) as T;
}

/** Reads the body of an answer that says that the work goes on. */
export function shareOf(body: ArrayBuffer): number {
  return (JSON.parse(new TextDecoder().decode(body)) as { share: number }).share;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The engine refused a request: the trace has grown, and the numbers in the request mean something else by now. */
export class MovedError extends Error {
  constructor() {
    super("The trace was numbered anew meanwhile.");
  }
}

/** True if the error is not shown: a newer request replaced this one, or its subject has moved. */
export function isPast(error: unknown): boolean {
  return isAbort(error) || error instanceof MovedError;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
