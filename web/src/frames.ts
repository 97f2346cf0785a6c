/** The state of the Frames panel: statistics of the frames of a graphics capture, counted in steps. */
import { isAbort, messageOf, requestJson, type Load } from "./transport/transport.ts";
import type { FrameFacts, FramesAnswer } from "./transport/protocol.ts";
import { Latest, Store } from "./store.ts";
import type { PlainId } from "./texts.ts";

export interface FrameTable {
  families: string[];
  frames: FrameFacts[];
  /** The counted part of the calls, 0 to 1. */
  share: number;
  error: string | null;
}

const EMPTY: FrameTable = { families: [], frames: [], share: 0, error: null };

export class FrameCount {
  readonly table = new Store<FrameTable>(EMPTY);
  private job = new Latest();
  private requested: Load | null = null;
  private next: number | null = 0;

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  /** Starts or resumes the count; counted calls are not counted again. */
  ask(load: Load): void {
    if (this.requested !== load) this.reset();
    if (this.job.isRunning || this.next === null) return;
    this.requested = load;
    void this.job.run(async (signal) => {
      try {
        while (this.next !== null) {
          const answer: FramesAnswer = await requestJson(load, "frames", { from: this.next }, signal);
          if (signal.aborted) return;
          this.next = answer.next;
          const { families, share } = answer;
          this.table.update((table) => ({ ...table, families, share, frames: [...table.frames, ...answer.frames] }));
        }
      } catch (error) {
        if (!isAbort(error)) this.table.update((table) => ({ ...table, error: messageOf(error) }));
      }
    });
  }

  /** Pauses the count until the next `ask`. */
  stop(): void {
    this.job.abort();
  }

  reset(): void {
    this.job.abort();
    this.requested = null;
    this.next = 0;
    this.table.set(EMPTY);
  }
}

export type FrameScale = "linear" | "log" | "clipped";

/** The scales of the chart: clipped at a height that most frames reach, so that a few long ones do not flatten the others. */
export const FRAME_SCALES: [FrameScale, PlainId][] = [
  ["linear", "frames.linear"],
  ["log", "frames.logarithmic"],
  ["clipped", "frames.clipped"],
];

/** A clipped chart ends at this multiple of the median. */
const CLIP = 3;

/** Returns the scale of a chart: `share` of its height for a value, `top` at its upper edge, and the number of values that are cut off. */
export function frameScale(kind: FrameScale, values: readonly number[]): { share: (value: number) => number; top: number; most: number; cut: number } {
  const most = Math.max(...values, 1);
  const sorted = [...values].sort((left, right) => left - right);
  const clip = Math.ceil((sorted[Math.floor(sorted.length / 2)] ?? 0) * CLIP);
  const top = kind === "clipped" && clip > 0 ? Math.min(most, clip) : most;
  const share = (value: number) => (kind === "log" ? Math.log1p(value) / Math.log1p(most) : Math.min(value / top, 1));
  return { share, top, most, cut: values.filter((value) => value > top).length };
}

/** Returns the scale of a chart before the user chooses one: clipped if the greatest value leaves the usual ones no height. */
export function usualScale(values: readonly number[]): FrameScale {
  const { top, most } = frameScale("clipped", values);
  return most > CLIP * top ? "clipped" : "linear";
}
