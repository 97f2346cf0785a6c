/** The answers of the request `go`: docs/PROTOCOL.md. */

/** Nanoseconds as a string of decimal digits, as everywhere in the protocol. */
type Ns = string;

/** The parts of a goroutine's lifetime, and the activities during it. */
export interface Times {
  execution_ns: Ns;
  network_wait_ns: Ns;
  sync_block_ns: Ns;
  other_wait_ns: Ns;
  syscall_ns: Ns;
  blocking_syscall_ns: Ns;
  scheduler_wait_ns: Ns;
  gc_assist_ns: Ns;
  gc_sweep_ns: Ns;
  stop_the_world_ns: Ns;
  gc_ns: Ns;
}

export interface GoFunction extends Times {
  function: string | null;
  count: number;
  total_ns: Ns;
  starts: number;
  /** The lifetime and the id of the goroutine that lived longest. */
  longest_ns: Ns;
  longest: number;
}
export interface GoNamedTime {
  /** null: an unknown reason */
  name: string | null;
  ns: Ns;
}
export interface GoGoroutine extends Times {
  goroutine: number;
  function: string | null;
  created_ns: Ns;
  started_ns: Ns | null;
  ended_ns: Ns | null;
  total_ns: Ns;
  starts: number;
  regions: number;
  waits: GoNamedTime[];
  ranges: GoNamedTime[];
}
export interface GoStack {
  count: number;
  ns: Ns;
  frames: { function: string | null; file: string | null; line: number }[];
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
export interface GoRegion extends GoType, Times {}
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
  stw_count: number;
  assist_ns: Ns;
  assist_count: number;
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
  swept_bytes: number;
  reclaimed_bytes: number;
  dedicated_worker_ns: Ns;
  fractional_worker_ns: Ns;
  idle_worker_ns: Ns;
  heap_min_bytes: number;
  heap_max_bytes: number;
  goal_max_bytes: number;
  stops: GoStop[];
  cycles: GoCycle[];
}

export type GoAnswer = { version: string; complete: boolean; begin_ns: Ns; end_ns: Ns; perspective: string } & (
  | { what: "functions"; functions: GoFunction[] }
  | { what: "goroutines"; goroutines: GoGoroutine[] }
  | { what: "tasks"; tasks: GoType[] }
  | { what: "regions"; regions: GoRegion[] }
  | { what: "net" | "sync" | "syscall" | "sched"; stacks: GoStack[] }
  | { what: "mmu"; counts: string[]; series: number; curve: GoPoint[] }
  | ({ what: "gc" } & GoGc)
);
