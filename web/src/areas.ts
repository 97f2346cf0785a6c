/** The selected area, and its statistics. */
import { isPast, messageOf, requestJson, type Load, type Parameters } from "./carrier/carrier.ts";
import type { StatsAnswer, StatsRow } from "./carrier/protocol.ts";
import { durationParameters, type DurationRange } from "./histogram.ts";
import type { Growth } from "./live.ts";
import { Latest, Paced } from "./store.ts";
import type { Viewer } from "./viewer.ts";
import type { ViewEvent } from "./wasm/view.ts";

/** The shortest time between two requests for the statistics of an area of a growing trace. */
const RECOUNT_MS = 500;

/** The part of the selected area in one trace; end "" = the whole trace. */
export interface AreaPart {
  trace: number;
  begin: string;
  end: string;
  tracks: number[];
}

/** The part in the first of its traces, and the names of all its traces. */
export interface Area extends AreaPart {
  parts: AreaPart[];
  stats: AreaStats | null;
  error: string | null;
}

/** The keys by which rows are grouped: --by of `varve stats`. */
export type AreaGroup = "name" | "category" | "thread" | "process";

export interface AreaStats {
  by: AreaGroup;
  /** Only slices of these durations count; null: all. */
  range: DurationRange | null;
  slices: number;
  names: number;
  left_out_tracks: number;
  /** The perspectives whose slices count, each once; empty if no trace has perspectives. */
  perspectives: string[];
  /** The total duration for each trace. */
  totals: string[];
  rows: AreaRow[];
}

export interface AreaRow extends StatsRow {
  trace: number;
}

function joined(parts: AreaPart[], by: AreaGroup, range: DurationRange | null, answers: StatsAnswer[]): AreaStats {
  const sum = (key: "slices" | "names" | "left_out_tracks") => answers.reduce((all, answer) => all + answer[key], 0);
  return {
    by,
    range,
    slices: sum("slices"),
    names: sum("names"),
    left_out_tracks: sum("left_out_tracks"),
    perspectives: [...new Set(answers.flatMap((answer) => answer.perspective ?? []))],
    totals: answers.map((answer) => answer.total.text),
    rows: answers.flatMap((answer, i) => answer.rows.map((row) => ({ ...row, trace: parts[i]?.trace ?? 0 }))),
  };
}

/** The whole of the first `count` traces. */
export function wholeParts(count: number): AreaPart[] {
  return Array.from({ length: count }, (_, trace) => ({ trace, begin: "", end: "", tracks: [] }));
}

/** Returns the parameters of a request about the part. */
export function parametersOf({ begin, end, tracks }: AreaPart): Parameters {
  return end === "" ? {} : { begin, end, tracks: tracks.join(",") };
}

/** Requests the statistics of the parts of an area. `hidden`: the parameters that hide categories of a trace. `range`: only
 * these durations of its trace. */
export async function askStats(
  loads: readonly Load[],
  parts: AreaPart[],
  by: AreaGroup,
  hidden: (trace: number) => Parameters,
  range: DurationRange | null,
  signal: AbortSignal,
): Promise<AreaStats> {
  const counted = range === null ? parts : parts.filter(({ trace }) => trace === range.trace);
  const durations = range === null ? {} : durationParameters(range);
  const answers = counted.map((part) => {
    const load = loads[part.trace];
    if (load === undefined) throw new Error("The trace is not open any more.");
    return requestJson<StatsAnswer>(load, "stats", { by, ...parametersOf(part), ...hidden(part.trace), ...durations }, signal);
  });
  return joined(counted, by, range, await Promise.all(answers));
}

type Page = Pick<Viewer, "view" | "loading" | "live" | "categories" | "drawer" | "area" | "areaGroup" | "highlighted" | "histogram">;

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
    void this.count(wanted);
  }

  private count(parts: AreaPart[]): Promise<void> {
    const first = parts[0];
    if (first === undefined) return Promise.resolve();
    // The old table stays until the new one arrives, so that the panel does not flicker while the area is
    // dragged.
    this.page.area.set({ ...first, parts, stats: this.page.area.value?.stats ?? null, error: null });
    return this.job.run(async (signal) => {
      let stats: AreaStats | null = null;
      let error: string | null = null;
      try {
        const { loading, areaGroup, categories, histogram } = this.page;
        stats = await askStats(loading.ready, parts, areaGroup.value, (trace) => categories.parameters(trace), histogram.range.value, signal);
      } catch (failure) {
        if (isPast(failure)) return;
        error = messageOf(failure);
      }
      if (!signal.aborted) this.page.area.update((area) => (area === null ? null : { ...area, stats, error }));
    });
  }

  /** Requests the statistics again, after a change of the slices that count. */
  recount(): Promise<void> {
    const area = this.page.area.value;
    return area === null ? Promise.resolve() : this.count(area.parts);
  }
}
