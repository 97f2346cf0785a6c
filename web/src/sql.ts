/** SQL over the open traces: the statement, its result, the history of statements. */
import { SESSION_MAX_BODY } from "generated/border.ts";
import { isContained } from "./page_files.ts";
import { isAbort, messageOf, requestJson, type Load } from "./transport/transport.ts";
import type { SqlKind, SqlResult, SqlSchema } from "./transport/protocol.ts";
import { NativeSql } from "./sql/native.ts";
import type { SqlRunner } from "./sql/runner.ts";
import { Latest, Store } from "./store.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

export interface SqlState {
  /** The text in the editor. */
  text: string;
  /** null: not requested yet */
  schema: SqlSchema | null;
  /** The last result, and its text. */
  result: SqlResult | null;
  resultOf: string;
  isRunning: boolean;
  /** The duration of the last statement in milliseconds. */
  ms: number;
  /** The failure of a request, as opposed to an error in a statement. */
  problem: string | null;
}

/** The event or time in a row of a result. */
export interface RowTarget {
  trace: number;
  /** null: the row has only a time */
  slice: string | null;
  begin_ns: bigint | null;
  duration_ns: bigint;
  shape: number;
}

export type SqlRow = SqlResult["rows"][number];

export function isNumeric(kind: SqlKind | undefined): boolean {
  return kind === "integer" || kind === "real" || kind === "number";
}

export function isWhole(text: string | null): text is string {
  return text !== null && /^-?\d+$/.test(text);
}

const HISTORY_KEY = "varve-sql";
const HISTORY_MOST = 100;
/** Longer statements are not stored. */
const HISTORY_CHARACTERS = 20_000;
const NOT_CONTAINED = "sql.a-single-html-file";
const NOT_BUILT = "sql.this-page-was-built";
function readHistory(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(HISTORY_KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((text): text is string => typeof text === "string") : [];
  } catch {
    return []; // storage is forbidden or contains other data
  }
}

/** Returns the runner of SQL: the engine of the traces, or a bundle in the page that is loaded now. */
async function runnerOf(loads: () => readonly Load[], load: Load, schema: SqlSchema): Promise<SqlRunner> {
  if (load.runsSql) return new NativeSql(load);
  if (isContained()) throw new Error(t(NOT_CONTAINED));
  const url = new URL("./sql-page.js", document.baseURI).href;
  const { createPageSql } = (await import(url)) as typeof import("./sql/page.ts");
  return createPageSql(loads, schema.tables);
}

export class Sql {
  readonly state: Store<SqlState>;
  /** The newest statement last. */
  readonly history = new Store<string[]>(readHistory());
  private job = new Latest();
  private runner: SqlRunner | null = null;
  /** The position in the history that the editor shows; its length = a new text. */
  private at = this.history.value.length;
  private draft = "";

  /** `loads`: returns the open traces that statements read. */
  constructor(private loads: () => readonly Load[]) {
    const text = this.history.value.at(-1) ?? "";
    this.state = new Store<SqlState>({ text, schema: null, result: null, resultOf: "", isRunning: false, ms: 0, problem: null });
    this.at = Math.max(0, this.history.value.length - 1);
    addEventListener("pagehide", () => this.cancel());
  }

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  get canCancel(): boolean {
    return this.runner?.canCancel ?? false;
  }

  private change(part: Partial<SqlState>): void {
    this.state.update((state) => ({ ...state, ...part }));
  }

  /** Requests the tables once, and prepares to run statements. */
  async open(): Promise<void> {
    const load = this.loads()[0];
    if (load === undefined || this.state.value.schema !== null) return;
    try {
      const schema = await requestJson(load, "sql-schema");
      if (schema.missing === null) this.runner ??= await runnerOf(this.loads, load, schema).catch(() => null);
      this.change({ schema: this.runner === null ? { ...schema, missing: schema.missing ?? t(isContained() ? NOT_CONTAINED : NOT_BUILT) } : schema });
    } catch (error) {
      this.change({ problem: messageOf(error) });
    }
  }

  setText(text: string): void {
    if (text === this.state.value.text) return;
    this.at = this.history.value.length;
    this.change({ text });
  }

  /** Shows the statement before or after the current one in the history. */
  step(by: -1 | 1): void {
    const { value: kept } = this.history;
    const next = this.at + by;
    if (next < 0 || next > kept.length) return;
    if (this.at === kept.length) this.draft = this.state.value.text;
    this.change({ text: kept[next] ?? this.draft });
    this.at = next;
  }

  run(): void {
    const { text } = this.state.value;
    const { runner } = this;
    if (runner === null || text.trim() === "") return;
    if (new TextEncoder().encode(text).length > SESSION_MAX_BODY) return this.change({ problem: t("sql.the-statement-is-longer") });
    this.keep(text);
    const begin = performance.now();
    this.change({ isRunning: true, problem: null });
    void this.job.run(async (signal) => {
      try {
        const result = await runner.run(text, signal);
        if (!signal.aborted) this.change({ result, resultOf: text, ms: performance.now() - begin });
      } catch (error) {
        if (!isAbort(error) && !signal.aborted) this.change({ problem: messageOf(error), result: null });
      }
      if (!signal.aborted) this.change({ isRunning: false });
    });
  }

  /** Cancels the current statement; its result reports that. */
  cancel(): void {
    this.runner?.cancel();
  }

  /** Drops the result and the tables because other traces will be open. */
  reset(): void {
    this.job.abort();
    this.runner?.close();
    this.runner = null;
    this.change({ schema: null, result: null, isRunning: false, problem: null });
  }

  private keep(text: string): void {
    if (text.length <= HISTORY_CHARACTERS) {
      this.history.update((kept) => [...kept.filter((other) => other !== text), text].slice(-HISTORY_MOST));
      try {
        localStorage.setItem(HISTORY_KEY, JSON.stringify(this.history.value));
      } catch {
        // without storage the history lasts until the page is closed
      }
    }
    this.at = this.history.value.length - 1;
  }

  /**
   * Returns the slice or the time of a row. A slice: column `slice_id`, or `id` together with a column that only tables
   * of slices have. A time: `begin_ns`, `time_ns` or `from_ns`. The trace: column `trace`.
   */
  target(result: SqlResult, row: SqlRow): RowTarget | null {
    const value = (name: string) => row[result.columns.findIndex((column) => column.name === name)] ?? null;
    const name = value("trace");
    const { traces } = result;
    const trace = name === null ? (traces.length === 1 ? traces[0] : undefined) : traces.find((other) => other.name === name);
    if (trace === undefined) return null;
    const ofSlices = ["begin_ns", "duration_ns", "clipped_ns", "self_ns", "begin_tick", "duration_ticks", "parent_id", "depth"];
    const hasSlices = result.columns.some((column) => ofSlices.includes(column.name));
    const slice = value("slice_id") ?? (hasSlices ? value("id") : null);
    const begin = value("begin_ns") ?? value("time_ns") ?? value("from_ns");
    if (!isWhole(slice) && !isWhole(begin)) return null;
    const duration = value("duration_ns");
    return {
      trace: trace.trace,
      slice: isWhole(slice) ? slice : null,
      begin_ns: isWhole(begin) ? BigInt(begin) : null,
      duration_ns: isWhole(duration) ? BigInt(duration) : 0n,
      shape: trace.shape,
    };
  }
}

/** The shown trace of a target. */
interface TargetTrace {
  trace: number;
  /** The trace is shown in the perspective of the target. */
  isShown: boolean;
  /** The target has a slice, whose id is valid in this trace. */
  hasSlice: boolean;
}

export function traceOf(viewer: Viewer, target: RowTarget): TargetTrace {
  const { ready } = viewer.loading;
  const trace = ready.findIndex((load) => load.number === target.trace);
  const load = ready[trace];
  const isKnown = load !== undefined && (target.shape === 0 || target.shape === load.shape);
  // Another perspective of the trace has the same times.
  return { trace: Math.max(0, trace), isShown: load !== undefined, hasSlice: target.slice !== null && isKnown };
}

/** Converts a time from the begin of a trace to ticks. */
export function ticksOf(viewer: Viewer, trace: number, ns: bigint): bigint {
  const [num, den] = viewer.loading.traces.value[trace]?.info.time.ns_per_tick ?? [1, 1];
  return (ns * BigInt(den)) / BigInt(num);
}

/** Shows the slice or the time of a row on the timeline. */
export function showTarget(viewer: Viewer, target: RowTarget): void {
  const { trace, isShown, hasSlice } = traceOf(viewer, target);
  if (target.slice !== null && hasSlice) {
    viewer.selection.selectId(trace, target.slice);
  } else if (target.begin_ns === null) {
    viewer.say(isShown ? t("sql.the-trace-has-grown") : t("sql.the-slice-is-not"));
  } else {
    showTime(viewer, trace, ticksOf(viewer, trace, target.begin_ns), ticksOf(viewer, trace, target.begin_ns + target.duration_ns));
  }
}

/**
 * Brings a time, in ticks from the begin of the trace, to the middle; zooms out if the range is wider than the view.
 */
function showTime(viewer: Viewer, trace: number, begin: bigint, end: bigint): void {
  const shown = viewer.view.range(trace);
  const span = shown.end - shown.begin;
  const half = (span * 2n) / 5n; // showRange adds a tenth of the span on both sides
  const middle = begin + (end - begin) / 2n;
  if (end - begin > span) viewer.showRange(trace, String(begin), String(end));
  else viewer.showRange(trace, String(middle - half), String(middle + half));
}
