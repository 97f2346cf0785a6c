/** The transport to the native engine of `varve open`: requests are paths below ./api/. */
import { Store } from "../store.ts";
import type { CaptureAxis } from "../timeline/axis.ts";
import { MovedError, queryOf, shareOf, type Load, type LoadStatus, type OnShare, type Parameters } from "./transport.ts";
import type { CopyAnswer, StatusAnswer, StatusTrace } from "./protocol.ts";
import { t } from "../texts.ts";

/** The first time between two looks at a load, and the longest: it doubles. */
const POLL_MS = { first: 10, longest: 160 };
/** The time between two requests for new traces. */
const LISTEN_MS = 500;
/** The status of an answer to unfinished work: the request must be sent again. */
const HTTP_ACCEPTED = 202;
/** The status of an answer to a request with outdated ids. */
const HTTP_CONFLICT = 409;
/** Requests that contain no ids, and `changes`, which returns the new ones. */
const WITHOUT_IDS = new Set(["outline", "overview", "labels", "changes", "info", "categories", "find", "search", "moments"]);

async function get(path: string, init: RequestInit = {}, onShare?: OnShare): Promise<ArrayBuffer> {
  let response: Response;
  do {
    try {
      response = await fetch(`./api/${path}`, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new Error(t("engine.does-not-answer"));
    }
    if (response.status === HTTP_ACCEPTED) onShare?.(shareOf(await response.arrayBuffer()));
  } while (response.status === HTTP_ACCEPTED);
  if (response.ok) return response.arrayBuffer();
  if (response.status === HTTP_CONFLICT) throw new MovedError();
  throw new Error((await response.text()).trim() || t("engine.status", { status: response.status }));
}

/** The requests about trace 0 whose answers come with the page, in their order (src/app/server/handler.h). */
const FIRST_OF_TRACE = ["outline?trace=0", "info?trace=0", "categories?trace=0", "labels?trace=0&page=0"];

class HttpLoad implements Load {
  /** Answers that came with the page, by request. Each is used once. */
  first = new Map<string, ArrayBuffer>();
  readonly status: Store<LoadStatus>;
  readonly grows: boolean;
  readonly runsSql = true;
  readonly regexSyntax = "PCRE2";
  shape: number;

  /** number -1: the engine has not assigned it yet. shape 0: the trace does not grow. */
  constructor(public number: number, first: LoadStatus, shape = 0) {
    this.status = new Store(first);
    this.grows = shape > 0;
    this.shape = shape;
  }

  request(verb: string, parameters?: Parameters, signal?: AbortSignal, onShare?: OnShare): Promise<ArrayBuffer> {
    const query = this.query(verb, parameters);
    const first = this.first.get(query);
    this.first.delete(query);
    return first === undefined ? get(query, signal ? { signal } : {}, onShare) : Promise.resolve(first);
  }

  /** `keepalive`: the request is sent even when the page is being closed; such requests must be short. */
  post(verb: string, parameters: Parameters, body: string | ArrayBuffer, signal?: AbortSignal): Promise<ArrayBuffer> {
    return get(this.query(verb, parameters), { method: "POST", body, keepalive: body === "", ...(signal ? { signal } : {}) });
  }

  async source(): Promise<Blob> {
    return new Blob([await this.request("source")]);
  }

  private query(verb: string, parameters: Parameters | undefined): string {
    const shape = this.grows && !WITHOUT_IDS.has(verb) ? { shape: this.shape } : {};
    return queryOf(verb, this.number, { ...parameters, ...shape });
  }

  lookFrom(perspective: string): Load {
    return this.copy("look", perspective === "" ? {} : { perspective });
  }

  withAxis(axis: CaptureAxis): Load {
    return this.copy("look", { axis });
  }

  loadBegin(bytes: number): Load {
    return this.copy("begin", { bytes });
  }

  loadWhole(): Load {
    return this.copy("whole", {});
  }

  private copy(verb: "look" | "begin" | "whole", parameters: Parameters): Load {
    const copy = new HttpLoad(-1, { ...this.status.value, state: "loading", phase: "reading", done: 0, total: 0, wholeBytes: null });
    const asked = get(queryOf(verb, this.number, parameters), { method: "POST" });
    void copy.start(asked.then((answer) => JSON.parse(new TextDecoder().decode(answer)) as CopyAnswer));
    return copy;
  }

  /** Follows the load, whose number is in the answer to a request. */
  async start(asked: Promise<CopyAnswer>): Promise<void> {
    try {
      this.number = (await asked).trace;
      if (this.status.value.state === "cancelled") this.stop();
      else await poll([this]);
    } catch (error) {
      this.status.update((s) => ({ ...s, state: "failed", error: (error as Error).message }));
    }
  }

  /** The load ends for the page at once; the engine stops when it next checks between two chunks of input. */
  cancel(): void {
    if (this.status.value.state !== "loading") return;
    this.status.update((s) => ({ ...s, state: "cancelled" }));
    if (this.number >= 0) this.stop();
  }

  private stop(): void {
    void get(queryOf("cancel", this.number), { method: "POST" }).catch(() => undefined);
  }

  /** Stores a new status from the engine. */
  renew(trace: StatusTrace): void {
    if (this.status.value.state === "loading") this.status.set(statusOf(trace));
  }

  close(): void {}

  closeWhenIdle(): void {}
}

function statusOf(trace: StatusTrace): LoadStatus {
  const { name, state, phase, done, total, error, whole_bytes: wholeBytes } = trace;
  return { name, state, phase, done, total, error, note: null, wholeBytes };
}

function loadOf(trace: StatusTrace): HttpLoad {
  return new HttpLoad(trace.trace, statusOf(trace), trace.live?.shape ?? 0);
}

async function askStatus(): Promise<StatusAnswer> {
  return JSON.parse(new TextDecoder().decode(await get("status", { cache: "no-store" }))) as StatusAnswer;
}

/** True for a trace that was given to the program or was received, not requested by the page. */
function isGiven(trace: StatusTrace): boolean {
  return trace.copy_of === null && !trace.by_page;
}

/** The traces of the server that serves this page. */
export class Served {
  private loads: HttpLoad[];
  private isOpen = true;
  /** The address where more traces may arrive, null = none. */
  readonly listens: string | null;

  constructor(status: StatusAnswer, first = new Map<string, ArrayBuffer>()) {
    this.listens = status.listens;
    this.loads = status.traces.filter(isGiven).map(loadOf);
    for (const load of this.loads) if (load.number === 0) load.first = first;
    if (this.loads.length > 0) void poll(this.loads);
  }

  get all(): Load[] {
    return [...this.loads];
  }

  /** Stops listening for more traces. */
  close(): void {
    this.isOpen = false;
  }

  /** Requests new traces repeatedly, as long as more can arrive. */
  async listen(onNew: (loads: Load[]) => void): Promise<void> {
    while (this.isOpen && this.listens !== null) {
      await new Promise((resume) => setTimeout(resume, LISTEN_MS));
      try {
        const status = await askStatus();
        const isNew = (trace: StatusTrace) => isGiven(trace) && this.loads.every((load) => load.number !== trace.trace);
        const added = status.traces.filter(isNew).map(loadOf);
        this.loads.push(...added);
        if (added.length > 0) void poll(added);
        if (this.isOpen && added.length > 0) onNew(added);
      } catch {
        // The engine has ended or is busy; the next request shows which.
      }
    }
  }
}

/** The native engine of a page. */
export interface NativeEngine {
  served: Served;
  /** The view file that was given to it, "" = none. */
  view: string;
  /** The text of the stored settings, "" = none. */
  settings: string;
}

/**
 * Returns the answers to all requests with which the page begins, null = the engine has ended. The request has no options, so that
 * it takes the answer that the browser has fetched with the page (src/app/server/handler.c).
 */
export async function openNative(): Promise<NativeEngine | null> {
  try {
    const response = await fetch("./first");
    if (!response.ok) return null;
    const parts = partsOf(await response.arrayBuffer());
    const [status, view, settings] = parts.slice(0, 3).map((part) => new TextDecoder().decode(part)) as [string, string, string];
    const first = parts.slice(3).map((part, i) => [FIRST_OF_TRACE[i] as string, part] as const).filter(([, part]) => part.byteLength > 0);
    return { served: new Served(JSON.parse(status) as StatusAnswer, new Map(first)), view, settings };
  } catch {
    return null;
  }
}

/** Splits bytes of which each part has its size before it. */
function partsOf(bytes: ArrayBuffer): ArrayBuffer[] {
  const parts: ArrayBuffer[] = [];
  const data = new DataView(bytes);
  for (let at = 0; at < bytes.byteLength; ) {
    const begin = at + 4;
    at = begin + data.getUint32(at, true);
    parts.push(bytes.slice(begin, at));
  }
  return parts;
}

/** Returns null if the server of the page has no engine. */
export async function openServed(): Promise<Served | null> {
  try {
    const response = await fetch("./api/status");
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    if (!response.ok || !isJson) return null;
    return new Served((await response.json()) as StatusAnswer);
  } catch {
    return null;
  }
}

/** Sends a request outside of the session. Throws with the reason if it fails. */
async function post(path: string, body: string): Promise<Response> {
  const response = await fetch(`./${path}`, { method: "POST", body, keepalive: true });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response;
}

/** Stores the settings. Throws with the reason if it fails. */
export async function storeSettings(text: string): Promise<void> {
  await post("settings", text);
}

// ---- recent files ----

/** Returns the paths of the recent files, the latest first. */
export async function recentPaths(): Promise<string[]> {
  const response = await fetch("./recent", { cache: "no-store" });
  return response.ok ? ((await response.json()) as { files: string[] }).files : [];
}

/** Makes the file of a trace the latest one, if the trace is of a file of the engine. */
export async function addRecentFile(load: Load): Promise<void> {
  if (load instanceof HttpLoad) await post("recent/add", String(load.number));
}

export function openRecentFile(path: string, name: string): Load {
  const load = new HttpLoad(-1, { name, state: "loading", phase: "reading", done: 0, total: 0, error: null, note: null, wholeBytes: null });
  void load.start(post("recent/open", path).then((response) => response.json() as Promise<CopyAnswer>));
  return load;
}

export async function clearRecentFiles(): Promise<void> {
  await post("recent/clear", "");
}

async function poll(loads: HttpLoad[]): Promise<void> {
  for (let ms = POLL_MS.first; loads.some((load) => load.status.value.state === "loading"); ms = Math.min(2 * ms, POLL_MS.longest)) {
    await new Promise((resume) => setTimeout(resume, ms));
    try {
      const status = await askStatus();
      for (const trace of status.traces) loads.find((load) => load.number === trace.trace)?.renew(trace);
    } catch (error) {
      for (const load of loads) {
        if (load.status.value.state !== "loading") continue;
        load.status.update((s) => ({ ...s, state: "failed", error: (error as Error).message }));
      }
    }
  }
}
