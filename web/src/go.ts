/** The state of the Go panel: its requests about Go traces, and their answers. */
import { isAbort, messageOf, requestJson, type Load } from "./transport/transport.ts";
import type { GoAnswer, Times } from "./transport/go_protocol.ts";
import { Latest, Store } from "./store.ts";
import type { PlainId } from "./texts.ts";

export const WHATS = [
  ["functions", "go.functions"],
  ["goroutines", "common.goroutines"],
  ["sync", "go.blocked-on-channels-and"],
  ["net", "go.waiting-for-the-network"],
  ["syscall", "go.in-syscalls"],
  ["sched", "go.waiting-for-a-processor"],
  ["tasks", "go.user-tasks"],
  ["regions", "go.user-regions"],
  ["mmu", "go.mutator-utilisation"],
  ["gc", "go.garbage-collection"],
] as const satisfies [string, PlainId][];
export type What = (typeof WHATS)[number][0];
/** The limit on the rows of an answer; the rows with the most time are returned. */
export const MOST_ROWS = 2000;
/** The kinds of waits with flame graphs. */
export type GoProfile = "net" | "sync" | "syscall" | "sched";

export function isProfile(what: What): what is GoProfile {
  return what === "net" || what === "sync" || what === "syscall" || what === "sched";
}

/** Keys of the parts of a goroutine's lifetime, and of the activities during it. */
export const TIMES = [
  ["execution_ns", "go.execution"],
  ["network_wait_ns", "go.network"],
  ["sync_block_ns", "go.sync"],
  ["other_wait_ns", "go.other-waits"],
  ["syscall_ns", "go.syscall"],
  ["blocking_syscall_ns", "go.blocking"],
  ["scheduler_wait_ns", "go.scheduler"],
  ["gc_assist_ns", "go.gc-assist"],
  ["gc_sweep_ns", "go.gc-sweep"],
  ["gc_ns", "go.gc"],
] as const satisfies [keyof Times, PlainId][];

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
  private requestedKey = "";

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
    if (key === this.requestedKey) return;
    this.requestedKey = key;
    if (this.answer.value?.what !== what) this.answer.set(null);
    this.error.set(null);
    void this.job.run(async (signal) => {
      try {
        const answer = await requestJson(load, "go", parameters, signal);
        if (!signal.aborted) this.answer.set(answer);
      } catch (error) {
        if (!isAbort(error)) this.error.set(messageOf(error));
      }
    });
  }

  reset(): void {
    this.job.abort();
    this.requestedKey = "";
    this.answer.set(null);
    this.error.set(null);
  }
}
