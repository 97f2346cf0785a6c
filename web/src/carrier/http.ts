/** The native engine behind `varve open`: requests are paths below ./api/. */
import { Store } from "../store.ts";
import { queryOf, type Load, type LoadStatus, type Parameters } from "./carrier.ts";
import type { LookAnswer, StatusAnswer, StatusTrace } from "./protocol.ts";

const POLL_MS = 150;

async function get(path: string, init: RequestInit = {}): Promise<ArrayBuffer> {
  let response: Response;
  try {
    response = await fetch(`./api/${path}`, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Error("The engine does not answer: has `varve open` ended?");
  }
  if (response.ok) return response.arrayBuffer();
  throw new Error((await response.text()).trim() || `The engine answered with status ${response.status}.`);
}

class HttpLoad implements Load {
  readonly status: Store<LoadStatus>;

  /** number -1: the engine has not said it yet. */
  constructor(public number: number, first: LoadStatus) {
    this.status = new Store(first);
  }

  request(verb: string, parameters?: Parameters, signal?: AbortSignal): Promise<ArrayBuffer> {
    return get(queryOf(verb, this.number, parameters), signal ? { signal } : {});
  }

  lookFrom(perspective: string): Load {
    const copy = new HttpLoad(-1, { ...this.status.value, state: "loading", phase: "reading", done: 0, total: 0 });
    void this.startCopy(copy, perspective === "" ? {} : { perspective });
    return copy;
  }

  private async startCopy(copy: HttpLoad, parameters: Parameters): Promise<void> {
    try {
      const answer = await get(queryOf("look", this.number, parameters), { method: "POST" });
      copy.number = (JSON.parse(new TextDecoder().decode(answer)) as LookAnswer).trace;
      if (copy.status.value.state === "cancelled") copy.stop();
      else await poll([copy]);
    } catch (error) {
      copy.status.update((s) => ({ ...s, state: "failed", error: (error as Error).message }));
    }
  }

  /** Over at once for the page; the engine stops when its input gives it a moment to. */
  cancel(): void {
    if (this.status.value.state !== "loading") return;
    this.status.update((s) => ({ ...s, state: "cancelled" }));
    if (this.number >= 0) this.stop();
  }

  private stop(): void {
    void get(queryOf("cancel", this.number), { method: "POST" }).catch(() => undefined);
  }

  /** What the engine says of it now. */
  renew(trace: StatusTrace): void {
    if (this.status.value.state === "loading") this.status.set(statusOf(trace));
  }

  close(): void {}
}

function statusOf(trace: StatusTrace): LoadStatus {
  const { name, state, phase, done, total, error } = trace;
  return { name, state, phase, done, total, error, note: null };
}

/** The traces that the page's own server has, or null when the page stands on a server that has none. */
export async function openServed(): Promise<Load[] | null> {
  let status: StatusAnswer;
  try {
    const response = await fetch("./api/status", { cache: "no-store" });
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    if (!response.ok || !isJson) return null;
    status = (await response.json()) as StatusAnswer;
  } catch {
    return null;
  }
  const loads = status.traces
    .filter((trace) => trace.copy_of === null)
    .map((trace) => new HttpLoad(trace.trace, statusOf(trace)));
  if (loads.length > 0) void poll(loads);
  return loads;
}

async function poll(loads: HttpLoad[]): Promise<void> {
  while (loads.some((load) => load.status.value.state === "loading")) {
    await new Promise((resume) => setTimeout(resume, POLL_MS));
    try {
      const status = JSON.parse(new TextDecoder().decode(await get("status", { cache: "no-store" }))) as StatusAnswer;
      for (const trace of status.traces) loads.find((load) => load.number === trace.trace)?.renew(trace);
    } catch (error) {
      for (const load of loads) {
        if (load.status.value.state !== "loading") continue;
        load.status.update((s) => ({ ...s, state: "failed", error: (error as Error).message }));
      }
    }
  }
}
