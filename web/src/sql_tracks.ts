/**
 * The rows of an SQL result as tracks: a trace of their own below the others, at the times of the trace that they are about.
 *
 * A row with a duration or an end is a slice, a row with the column `value` alone a value of a counter, any other row an instant.
 * The column `track`, or `thread`, gives each of its texts a track; the other columns are arguments.
 */
import type { SqlKind, SqlResult } from "./transport/protocol.ts";
import type { Load } from "./transport/transport.ts";
import { nsOfTicks } from "./panels/aligned.ts";
import { isNumeric, isWhole, ticksOf, traceOf, type SqlRow } from "./sql.ts";
import { openFiles } from "./opening.ts";
import { Latest } from "./store.ts";
import { t } from "./texts.ts";
import type { Viewer } from "./viewer.ts";

const TITLE_CHARACTERS = 60;
/** Columns that name a row only if it has no other text. */
const PLACES = ["trace", "process", "thread", "track"];

/** A row with a time. */
interface TimedRow {
  row: SqlRow;
  begin_ns: bigint;
}

/** Returns a time in microseconds, exactly. */
function micros(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  return `${ns < 0n ? "-" : ""}${size / 1000n}.${String(size % 1000n).padStart(3, "0")}`;
}

function isNumber(text: string | null): boolean {
  return text !== null && /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text);
}

/** Returns a value of a column as JSON. */
function jsonOf(kind: SqlKind, value: string): string {
  return kind === "json" || kind === "bool" || (isNumeric(kind) && isNumber(value)) ? value : JSON.stringify(value);
}

/** The columns of a result by their use: indices, -1 = absent. */
interface Uses {
  duration: number;
  end: number;
  /** The track of a row. */
  group: number;
  name: number;
  /** The value of a counter; -1: the rows are slices or instants. */
  value: number;
  /** The arguments. */
  others: { index: number; key: string; kind: SqlKind }[];
}

function usesOf({ columns }: SqlResult): Uses {
  const find = (...names: string[]) => names.map((name) => columns.findIndex((column) => column.name === name)).find((i) => i >= 0) ?? -1;
  const [duration, end, group, number] = [find("duration_ns"), find("end_ns", "to_ns"), find("track", "thread"), find("value")];
  const text = columns.findIndex(({ kind, name }) => kind === "text" && !PLACES.includes(name));
  const name = [find("name"), text, group].find((i) => i >= 0) ?? -1;
  const value = duration < 0 && end < 0 && isNumeric(columns[number]?.kind) ? number : -1;
  const used = [find("begin_ns"), find("time_ns"), find("from_ns"), duration, end, group, name];
  const others = columns.map((column, index) => ({ index, key: JSON.stringify(column.name), kind: column.kind })).filter(({ index }) => !used.includes(index));
  return { duration, end, group, name, value, others };
}

/** Returns a row as an event of Trace Event JSON. */
function eventOf(uses: Uses, { row, begin_ns }: TimedRow, process: string): string {
  const at = (i: number) => row[i] ?? null;
  const [pid, tid, name] = [process, at(uses.group) ?? t("common.rows"), at(uses.name) ?? "value"].map((text) => JSON.stringify(text));
  const head = `"pid":${pid},"tid":${tid},"name":${name},"ts":${micros(begin_ns)}`;
  if (uses.value >= 0) return `{"ph":"C",${head},"args":{"value":${at(uses.value)}}}`;
  const [duration, end] = [at(uses.duration), at(uses.end)];
  const length = isWhole(duration) ? BigInt(duration) : isWhole(end) ? BigInt(end) - begin_ns : null;
  const args = uses.others.flatMap(({ index, key, kind }) => {
    const value = at(index);
    return value === null ? [] : [`${key}:${jsonOf(kind, value)}`];
  });
  return `{${length === null ? `"ph":"i"` : `"ph":"X","dur":${micros(length)}`},${head},"args":{${args.join(",")}}}`;
}

/** True if a row of the result has a time. */
export function hasTimes(viewer: Viewer, result: SqlResult): boolean {
  return result.rows.some((row) => (viewer.sql.target(result, row)?.begin_ns ?? null) !== null);
}

export class SqlTracks {
  private made = new WeakSet<Load>();
  private count = 0;
  private job = new Latest();

  constructor(private viewer: Viewer) {}

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  /** True for a trace that was made of rows. SQL does not read it. */
  has(load: Load): boolean {
    return this.made.has(load);
  }

  /** Adds the rows. `text`: the statement. */
  add(result: SqlResult, text: string): void {
    const { loading } = this.viewer;
    const uses = usesOf(result);
    const byTrace = new Map<number, TimedRow[]>();
    for (const row of result.rows) {
      const target = this.viewer.sql.target(result, row);
      if (target === null || target.begin_ns === null || (uses.value >= 0 && !isNumber(row[uses.value] ?? null))) continue;
      const { trace } = traceOf(this.viewer, target);
      const rows = byTrace.get(trace) ?? [];
      rows.push({ row, begin_ns: target.begin_ns });
      byTrace.set(trace, rows);
    }
    const title = text.trim().replace(/\s+/g, " ").slice(0, TITLE_CHARACTERS);
    void this.job.run(async (signal) => {
      for (const [base, rows] of byTrace) {
        const first = rows.reduce((least, { begin_ns }) => (begin_ns < least ? begin_ns : least), rows[0]?.begin_ns ?? 0n);
        const left = loading.ready.map((_, trace) => this.viewer.view.range(trace).begin);
        const events = rows.map((row) => eventOf(uses, row, title));
        const file = new File([`[\n${events.join(",\n")}\n]\n`], `SQL ${++this.count}`);
        const [load] = openFiles(loading, [file], "add");
        if (load === undefined) return;
        this.made.add(load);
        const trace = await this.shown(load);
        if (signal.aborted || trace < 0) return;
        this.place(trace, base, first, left);
      }
    });
  }

  /** Returns the view's number of the trace when it is there; -1: it could not be loaded. */
  private shown(load: Load): Promise<number> {
    const { loading } = this.viewer;
    return new Promise((resolve) => {
      const ends: (() => void)[] = [];
      const look = () => {
        const trace = loading.ready.indexOf(load);
        const { state } = load.status.value;
        if (trace < 0 && loading.loads.value.includes(load) && (state === "loading" || state === "ready")) return;
        ends.forEach((end) => end());
        resolve(trace);
      };
      ends.push(loading.traces.subscribe(look), loading.loads.subscribe(look), load.status.subscribe(look));
    });
  }

  /** Puts the begin of a trace at a time of another one. `left`: the ticks of the earlier traces at the left edge, before it was added. */
  private place(trace: number, base: number, first: bigint, left: readonly bigint[]): void {
    const { viewer } = this;
    const edges = left.map((tick, other) => nsOfTicks(tick, viewer.loading.traces.value[other]?.info.time) ?? 0n);
    const edge = (edges[base] ?? 0n) - first;
    const later = [...edges, edge].reduce((most, ns) => (-ns > most ? -ns : most), 0n); // an anchor is not before the begin of its trace
    const anchors = new Map(left.map((tick, other): [number, bigint] => [other, tick + ticksOf(viewer, other, later)]));
    anchors.set(trace, ticksOf(viewer, trace, edge + later));
    for (const [other, tick] of anchors) if (tick < 0n) anchors.set(other, 0n); // by the rounding to ticks
    viewer.alignment.align(anchors);
    viewer.goToTrack(trace, 1);
  }
}
