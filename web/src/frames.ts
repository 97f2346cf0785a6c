/** The state of the Frames panel: statistics of the frames of a graphics capture, counted in steps. */
import { isAbort, messageOf, requestJson, type Load } from "./transport/transport.ts";
import type { FrameFacts, FramesAnswer } from "./transport/protocol.ts";
import { Latest, Store } from "./store.ts";

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
