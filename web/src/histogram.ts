/** The histogram of durations in the area panel, and the range of durations that is chosen in it. */
import { isPast, messageOf, requestJson, type Load, type Parameters } from "./transport/transport.ts";
import type { HistogramAnswer, HistogramBin } from "./transport/protocol.ts";
import { Latest, Store } from "./store.ts";

export type HistogramScale = "log" | "linear";

/** Durations of a trace in ticks, from `least` on, before `below`. */
export interface DurationRange {
  trace: number;
  least: bigint;
  below: bigint;
  text: string;
}

/** Returns the durations of neighbouring bins, both included. */
export function rangeOf(trace: number, first: HistogramBin, last: HistogramBin): DurationRange {
  return { trace, least: BigInt(first.least.ticks), below: BigInt(last.below.ticks), get text() { return `${first.least.text} – ${last.below.text}`; } };
}

/** Returns the parameters that choose the slices of the durations. */
export function durationParameters({ least, below }: DurationRange): Parameters {
  return { least: String(least), most: String(below - 1n) };
}

/** Returns the position of a duration on the axis of the bins, in bins. */
export function positionOf(bins: HistogramBin[], ticks: bigint): number {
  const at = bins.findIndex(({ below }) => ticks < BigInt(below.ticks));
  if (at < 0) return bins.length;
  const { least, below } = bins[at] as HistogramBin;
  const [low, high] = [BigInt(least.ticks), BigInt(below.ticks)];
  return ticks <= low ? at : at + Number(ticks - low) / Number(high - low);
}

/** Returns the number of slices in the range; null if an edge of the range lies inside a bin. */
export function countInside(bins: HistogramBin[], { least, below }: DurationRange): number | null {
  const [first, end] = [positionOf(bins, least), positionOf(bins, below)];
  if (!Number.isInteger(first) || !Number.isInteger(end)) return null;
  return bins.slice(first, end).reduce((sum, { count }) => sum + count, 0);
}

export class Histogram {
  readonly isShown = new Store(false);
  readonly scale = new Store<HistogramScale>("log");
  readonly answer = new Store<HistogramAnswer | null>(null);
  /** The number of slices in the range, where the bins do not tell it. */
  readonly inside = new Store<number | null>(null);
  readonly error = new Store<string | null>(null);
  /** The range that filters the timeline, also while it is dragged; null: all durations. */
  readonly brush = new Store<DurationRange | null>(null);
  /** The range that filters the statistics: the brush at rest. */
  readonly range = new Store<DurationRange | null>(null);
  private job = new Latest();

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  /** Shows or hides the chart. Without the chart all durations count. */
  toggle(): void {
    this.isShown.set(!this.isShown.value);
    if (!this.isShown.value) this.choose(null);
  }

  choose(range: DurationRange | null): void {
    this.brush.set(range);
    this.range.set(range);
  }

  /** Counts the slices that `stats` counts with the same parameters. */
  ask(load: Load, trace: number, parameters: Parameters): void {
    void this.job.run(async (signal) => {
      const count = (more: Parameters) => requestJson(load, "histogram", { ...parameters, ...more }, signal);
      try {
        const answer = await count({ scale: this.scale.value });
        const range = this.range.value;
        const isCut = range !== null && range.trace === trace && countInside(answer.bins, range) === null;
        const inside = isCut ? (await count(durationParameters(range))).slices : null;
        if (signal.aborted) return;
        this.error.set(null);
        this.inside.set(inside);
        this.answer.set(answer);
      } catch (error) {
        if (!isPast(error)) this.error.set(messageOf(error));
      }
    });
  }

  reset(): void {
    this.job.abort();
    this.answer.set(null);
    this.error.set(null);
    this.choose(null);
  }
}
