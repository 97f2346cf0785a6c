/** The selected area, and its statistics. */
import { isPast, messageOf, requestJson, type Parameters } from "./transport/transport.ts";
import type { Answers, AreaCounterRow, AreaInstantRow, Place, Span, StatsAnswer, StatsRow } from "./transport/protocol.ts";
import { durationParameters, type DurationRange } from "./histogram.ts";
import type { Growth } from "./live.ts";
import { Latest, Paced } from "./store.ts";
import type { Viewer } from "./viewer.ts";
import type { ViewEvent } from "./wasm/view.ts";
import { t } from "./texts.ts";

/** The shortest time between two requests for the statistics of an area of a growing trace. */
const RECOUNT_MS = 500;

/** The part of the selected area in one trace; end "" = the whole trace. */
export interface AreaPart {
  trace: number;
  begin: string;
  end: string;
  tracks: number[];
  /** Further parameters that choose slices. */
  chosen?: Parameters;
}

/** The part in the first of its traces, and the names of all its traces. */
export interface Area extends AreaPart {
  parts: AreaPart[];
  stats: AreaStats | null;
  /** With `stats` only if no slice is in the area. */
  events: AreaEvents | null;
  error: string | null;
}

/** The slices that count: those of the area, of these the ones that a search finds, or a slice and the slices inside it. */
export type AreaScope = { kind: "all" } | { kind: "matches"; text: string; inValues: boolean } | { kind: "slice"; part: AreaPart; name: string };

/** The tables of the area panel. */
export type AreaKind = "slices" | "instants" | "counters";

/** The keys by which rows are grouped: --by of `varve stats`. */
export type AreaGroup = "name" | "category" | "thread" | "process" | `arg:${string}`;

/** Returns the name of the argument in a group; null for the other groups. */
export function argumentOf(group: AreaGroup): string | null {
  return group.startsWith("arg:") ? group.slice("arg:".length) : null;
}

export interface AreaStats {
  by: AreaGroup;
  /** Only slices of these durations count; null: all. */
  range: DurationRange | null;
  scope: AreaScope;
  parts: AreaPart[];
  slices: number;
  names: number;
  left_out_tracks: number;
  /** The perspectives whose slices count, each once; empty if no trace has perspectives. */
  perspectives: string[];
  /** The total duration for each trace. */
  totals: Span[];
  rows: AreaRow[];
}

export interface AreaRow extends StatsRow {
  trace: number;
  /** The total as a part of the time of the area; null if the area has no length. */
  ofTime: number | null;
}

export interface InstantRow extends AreaInstantRow {
  trace: number;
  /** The count as a part of all instants. */
  share: number;
}

export interface CounterRow extends AreaCounterRow {
  trace: number;
}

/** The instants and counters of an area. */
export interface AreaEvents {
  instants: number;
  instantNames: number;
  instantRows: InstantRow[];
  counters: number;
  counterRows: CounterRow[];
}

function rowsOf({ begin, end, rows }: StatsAnswer, trace: number): AreaRow[] {
  const length = Number(BigInt(end) - BigInt(begin));
  return rows.map((row) => ({ ...row, trace, ofTime: length > 0 ? Number(row.total.ticks) / length : null }));
}

type AreaChoice = Pick<AreaStats, "by" | "range" | "scope" | "parts">;

/** Joins the answers about the first parts. */
function joined(choice: AreaChoice, counted: AreaPart[], answers: StatsAnswer[]): AreaStats {
  const sum = (key: "slices" | "names" | "left_out_tracks") => answers.reduce((all, answer) => all + answer[key], 0);
  return {
    ...choice,
    slices: sum("slices"),
    names: sum("names"),
    left_out_tracks: sum("left_out_tracks"),
    perspectives: [...new Set(answers.flatMap((answer) => answer.perspective ?? []))],
    totals: answers.map((answer) => answer.total),
    rows: answers.flatMap((answer, i) => rowsOf(answer, counted[i]?.trace ?? 0)),
  };
}

/** The whole of the first `count` traces. */
export function wholeParts(count: number): AreaPart[] {
  return Array.from({ length: count }, (_, trace) => ({ trace, begin: "", end: "", tracks: [] }));
}

/** Returns the parameters of a request about the part. */
export function parametersOf({ begin, end, tracks, chosen = {} }: AreaPart): Parameters {
  return end === "" ? chosen : { begin, end, tracks: tracks.join(","), ...chosen };
}

/** Returns a slice and the slices inside it as a part. */
export function partInside({ trace, track, slice, begin, extent }: Place): AreaPart {
  const ticks = BigInt(extent) > 0n ? BigInt(extent) : 1n;
  return { trace, begin, end: String(BigInt(begin) + ticks), tracks: [track], chosen: { inside: slice } };
}

function partsOf(scope: AreaScope, parts: AreaPart[]): AreaPart[] {
  if (scope.kind === "slice") return [scope.part];
  if (scope.kind === "all") return parts;
  const chosen = { search: scope.text, ...(scope.inValues ? {} : { in: "names" }) };
  return parts.map((part) => ({ ...part, chosen }));
}

/** Sends a request about each part. */
function askParts<V extends keyof Answers>(page: AreaPage, parts: AreaPart[], verb: V, more: Parameters, signal: AbortSignal): Promise<Answers[V][]> {
  const answers = parts.map((part) => {
    const load = page.loading.ready[part.trace];
    if (load === undefined) throw new Error(t("areas.the-trace-is-not"));
    return requestJson(load, verb, { ...parametersOf(part), ...page.categories.parameters(part.trace), ...more }, signal);
  });
  return Promise.all(answers);
}

/** Requests the statistics of slices. If durations are chosen, only these of one trace count. */
async function askStats(page: AreaPage, parts: AreaPart[], signal: AbortSignal): Promise<AreaStats> {
  const [by, range, scope] = [page.areaGroup.value, page.histogram.range.value, page.areaScope.value];
  const chosen = partsOf(scope, parts);
  const counted = range === null ? chosen : chosen.filter(({ trace }) => trace === range.trace);
  const durations = range === null ? {} : durationParameters(range);
  return joined({ by, range, scope, parts: chosen }, counted, await askParts(page, counted, "stats", { by, ...durations }, signal));
}

/** Requests the names of the arguments of slices in the parts, in alphabetical order. */
export async function askArgumentNames(page: AreaPage, parts: AreaPart[], signal: AbortSignal): Promise<string[]> {
  const answers = await askParts(page, parts, "arguments", {}, signal);
  return [...new Set(answers.flatMap(({ names }) => names))].sort();
}

async function askEvents(page: AreaPage, parts: AreaPart[], signal: AbortSignal): Promise<AreaEvents> {
  const answers = await askParts(page, parts, "area", {}, signal);
  const sum = (key: "instants" | "instant_names" | "counters") => answers.reduce((all, answer) => all + answer[key], 0);
  const instants = sum("instants");
  const traceAt = (i: number) => parts[i]?.trace ?? 0;
  return {
    instants,
    instantNames: sum("instant_names"),
    instantRows: answers.flatMap(({ instant_rows }, i) => instant_rows.map((row) => ({ ...row, trace: traceAt(i), share: row.count / instants }))),
    counters: sum("counters"),
    counterRows: answers.flatMap(({ counter_rows }, i) => counter_rows.map((row) => ({ ...row, trace: traceAt(i) }))),
  };
}

/** Requests the table of the area panel that is shown. If no slice is in the area, the panel offers the other tables, so they are requested, too. */
export async function askArea(page: AreaPage, parts: AreaPart[], signal: AbortSignal): Promise<Pick<Area, "stats" | "events">> {
  if (page.areaKind.value === "slices") {
    const stats = await askStats(page, parts, signal);
    const isEmpty = stats.slices === 0 && stats.scope.kind === "all" && stats.range === null;
    return { stats, events: isEmpty ? await askEvents(page, parts, signal) : null };
  }
  return { stats: null, events: await askEvents(page, parts, signal) };
}

type AreaPage = Pick<Viewer, "loading" | "categories" | "areaKind" | "areaGroup" | "areaScope" | "histogram">;
type Page = AreaPage & Pick<Viewer, "view" | "live" | "drawer" | "area" | "highlighted">;

/** Keeps the statistics of the selected area up to date. */
export class Areas {
  private job = new Latest();
  private again = new Paced(RECOUNT_MS, () => this.recount());

  constructor(private page: Page) {}

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  reset(): void {
    this.again.reset();
    this.job.abort();
    this.page.area.set(null);
    this.page.histogram.reset();
    this.page.areaScope.set({ kind: "all" });
    this.page.highlighted.set({ trace: 0, label: 0 });
  }

  /** Follows a trace that has grown. */
  grown({ trace, from, reshaped }: Growth): void {
    const reaches = (part: AreaPart) => part.trace === trace && (reshaped || BigInt(part.end) > from);
    if (this.page.area.value?.parts.some(reaches) === true) this.again.ask();
  }

  /** Follows the area of the view. The statistics of an area that grows are requested at most twice a second. */
  changed(event: ViewEvent): void {
    this.page.highlighted.set({ trace: 0, label: 0 });
    const load = this.page.loading.ready[event.trace];
    if (event.begin === event.end || load === undefined) {
      this.job.abort();
      this.page.histogram.choose(null);
      this.page.area.set(null);
      if (this.page.drawer.tab.value === "area") this.page.drawer.tab.set("details");
      return;
    }
    const parts = this.page.loading.ready.map((_, trace) => this.page.view.areaIn(trace)).filter((part) => part !== null);
    const wanted = parts.map(({ trace, begin, end, tracks }) => ({ trace, begin, end, tracks }));
    const [before, first] = [this.page.area.value, wanted[0]];
    if (before !== null && first !== undefined && wanted.some((part) => this.page.live.isGrowing(part.trace))) {
      this.page.area.set({ ...before, ...first, parts: wanted });
      return this.again.ask();
    }
    this.page.drawer.follow("area");
    if (this.page.areaScope.value.kind === "slice") this.page.areaScope.set({ kind: "all" });
    void this.count(wanted);
  }

  private count(parts: AreaPart[]): Promise<void> {
    const first = parts[0];
    if (first === undefined) return Promise.resolve();
    // The old table stays until the new one arrives, so that the panel does not flicker while the area is
    // dragged.
    const { stats = null, events = null } = this.page.area.value ?? {};
    this.page.area.set({ ...first, parts, stats, events, error: null });
    return this.job.run(async (signal) => {
      let change: Partial<Area>;
      try {
        change = { ...(await askArea(this.page, parts, signal)), error: null };
      } catch (failure) {
        if (isPast(failure)) return;
        change = { stats: null, events: null, error: messageOf(failure) };
      }
      if (!signal.aborted) this.page.area.update((area) => (area === null ? null : { ...area, ...change }));
    });
  }

  /** Requests the statistics again, after a change of the slices that count. */
  recount(): Promise<void> {
    const area = this.page.area.value;
    return area === null ? Promise.resolve() : this.count(area.parts);
  }
}
