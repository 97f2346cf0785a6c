/** The native engine behind `varve open`: requests are paths below ./api/. */
import { Store } from "../store.ts";
import { queryOf, type Load, type LoadStatus, type Parameters } from "./carrier.ts";
import type { StatusAnswer, StatusTrace } from "./protocol.ts";

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

  constructor(private trace: number, first: StatusTrace) {
    this.status = new Store(statusOf(first));
  }

  request(verb: string, parameters?: Parameters, signal?: AbortSignal): Promise<ArrayBuffer> {
    return get(queryOf(verb, this.trace, parameters), signal ? { signal } : {});
  }

  /** Over at once for the page; the engine stops when its input gives it a moment to. */
  cancel(): void {
    if (this.status.value.state !== "loading") return;
    this.status.update((s) => ({ ...s, state: "cancelled" }));
    void get(queryOf("cancel", this.trace), { method: "POST" }).catch(() => undefined);
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
  const loads = status.traces.map((trace) => new HttpLoad(trace.trace, trace));
  if (loads.length > 0) void poll(loads);
  return loads;
}

async function poll(loads: HttpLoad[]): Promise<void> {
  while (loads.some((load) => load.status.value.state === "loading")) {
    await new Promise((resume) => setTimeout(resume, POLL_MS));
    try {
      const status = JSON.parse(new TextDecoder().decode(await get("status", { cache: "no-store" }))) as StatusAnswer;
      for (const trace of status.traces) loads[trace.trace]?.renew(trace);
    } catch (error) {
      for (const load of loads) {
        if (load.status.value.state !== "loading") continue;
        load.status.update((s) => ({ ...s, state: "failed", error: (error as Error).message }));
      }
    }
  }
}
