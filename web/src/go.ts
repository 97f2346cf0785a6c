/** The state of the Go panel: its requests about Go traces, and their answers. */
import { isAbort, messageOf, requestJson, type Load } from "./transport/transport.ts";
import { Latest, Store } from "./store.ts";

export const WHATS = [
  ["functions", "Functions"],
  ["goroutines", "Goroutines"],
  ["sync", "Blocked on channels and locks"],
  ["net", "Waiting for the network"],
  ["syscall", "In syscalls"],
  ["sched", "Waiting for a processor"],
  ["tasks", "User tasks"],
  ["regions", "User regions"],
  ["mmu", "Mutator utilisation"],
  ["gc", "Garbage collection"],
] as const;
export type What = (typeof WHATS)[number][0];
/** The limit on the rows of an answer; the rows with the most time are returned. */
export const MOST_ROWS = 2000;
/** The kinds of waits with flame graphs. */
export type GoProfile = "net" | "sync" | "syscall" | "sched";

export function isProfile(what: What): what is GoProfile {
  return what === "net" || what === "sync" || what === "syscall" || what === "sched";
}

/** Nanoseconds as a string of decimal digits, as everywhere in the protocol. */
type Ns = string;

/** Keys of the parts of a goroutine's lifetime, and of the activities during it. */
export const TIMES = [
  ["execution_ns", "Execution"],
  ["network_wait_ns", "Network"],
  ["sync_block_ns", "Sync"],
  ["other_wait_ns", "Other waits"],
  ["syscall_ns", "Syscall"],
  ["blocking_syscall_ns", "Blocking"],
  ["scheduler_wait_ns", "Scheduler"],
  ["gc_assist_ns", "GC assist"],
  ["gc_sweep_ns", "GC sweep"],
  ["gc_ns", "GC"],
] as const;
export type Times = { [key in (typeof TIMES)[number][0]]: Ns };

export interface GoFunction extends Times {
  function: string | null;
  count: number;
  total_ns: Ns;
}
export interface GoGoroutine extends Times {
  goroutine: number;
  function: string | null;
  created_ns: Ns;
  ended_ns: Ns | null;
  total_ns: Ns;
}
export interface GoType {
  name: string;
  count: number;
  open: number;
  total_ns: Ns;
  min_ns: Ns;
  p50_ns: Ns;
  p90_ns: Ns;
  p99_ns: Ns;
  max_ns: Ns;
  histogram: { from_ns: Ns; to_ns: Ns; count: number }[];
}
export interface GoPoint {
  window_ns: Ns;
  share: number;
  worst_ns: Ns | null;
}
export interface GoCycle {
  begin_ns: Ns | null;
  end_ns: Ns | null;
  ns: Ns;
  stw_ns: Ns;
  assist_ns: Ns;
  heap_begin_bytes: number;
  heap_end_bytes: number;
  goal_begin_bytes: number;
}
export interface GoStop {
  reason: string | null;
  count: number;
  total_ns: Ns;
  max_ns: Ns;
  longest_ns: Ns;
}
export interface GoGc {
  finished_cycles: number;
  mark_ns: Ns;
  stw_ns: Ns;
  stw_count: number;
  assist_ns: Ns;
  assist_count: number;
  sweep_ns: Ns;
  sweep_count: number;
  dedicated_worker_ns: Ns;
  fractional_worker_ns: Ns;
  idle_worker_ns: Ns;
  heap_min_bytes: number;
  heap_max_bytes: number;
  goal_max_bytes: number;
  stops: GoStop[];
  cycles: GoCycle[];
}

export type GoAnswer = { begin_ns: Ns; end_ns: Ns; complete: boolean } & (
  | { what: "functions"; functions: GoFunction[] }
  | { what: "goroutines"; goroutines: GoGoroutine[] }
  | { what: "tasks"; tasks: GoType[] }
  | { what: "regions"; regions: GoType[] }
  | { what: "mmu"; curve: GoPoint[]; series: number }
  | ({ what: "gc" } & GoGc)
);

export interface GoRange {
  begin: string;
  end: string;
}

export class GoQuestions {
  readonly what = new Store<What>("functions");
  /** Activities that are subtracted from the program's time. */
  readonly counts = new Store("stw,background,assist");
  readonly answer = new Store<GoAnswer | null>(null);
  readonly error = new Store<string | null>(null);
  private job = new Latest();
  private asked = "";

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  /**
   * Sends the request unless it is the same as the last one. An old answer of the same kind stays until the new one
   * arrives.
   */
  ask(load: Load, trace: number, range: GoRange | null): void {
    const what = this.what.value;
    const parameters = { what, ...(what === "mmu" ? { counts: this.counts.value } : {}), ...range };
    const key = JSON.stringify([trace, parameters]);
    if (key === this.asked) return;
    this.asked = key;
    if (this.answer.value?.what !== what) this.answer.set(null);
    this.error.set(null);
    void this.job.run(async (signal) => {
      try {
        const answer = await requestJson<GoAnswer>(load, "go", parameters, signal);
        if (!signal.aborted) this.answer.set(answer);
      } catch (error) {
        if (!isAbort(error)) this.error.set(messageOf(error));
      }
    });
  }

  reset(): void {
    this.job.abort();
    this.asked = "";
    this.answer.set(null);
    this.error.set(null);
  }
}
