/**
 * The alignment of two traces on the time axis: by their starts, by an event of each, by the first slice of a name, or
 * by the distance of their begins.
 */
import { isPast, messageOf, requestJson, type Load } from "./transport/transport.ts";
import { nameOf, sentence } from "./panels/format.ts";
import type { Details } from "./selection.ts";
import { parseTime } from "./time_input.ts";
import { Latest, Store } from "./store.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

type Page = Pick<Viewer, "view" | "loading" | "comparison" | "say" | "schedule">;

export class Alignment {
  /**
   * Begins of the events that were clicked so far, by trace, in ticks from the begin of the trace; null = no click is
   * expected.
   */
  readonly picked = new Store<ReadonlyMap<number, bigint> | null>(null);
  private job = new Latest();

  constructor(private page: Page) {}

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  byClocks(): void {
    this.align(null);
  }

  byStart(): void {
    this.align(new Map());
  }

  /** Waits for a click on an event in each of two traces. A second call cancels the first. */
  pick(): void {
    this.picked.update((picked) => (picked === null ? new Map<number, bigint>() : null));
  }

  /** Takes a selected event as one of the two, if a click is expected. */
  follow(details: Details): void {
    const picked = this.picked.value;
    if (picked === null || (details.kind !== "slice" && details.kind !== "instant")) return;
    const { a, b } = this.page.comparison.choice.value;
    const begin = details.kind === "slice" ? details.slice.place.begin : details.instant.time.offset;
    const now = new Map(picked).set(details.trace, BigInt(begin));
    if (now.has(a) && now.has(b)) this.align(now);
    else this.picked.set(now);
  }

  /** Aligns the first slices of a name. */
  async byName(a: number, b: number, name: string): Promise<void> {
    const [loadA, loadB] = [this.page.loading.ready[a], this.page.loading.ready[b]];
    if (loadA === undefined || loadB === undefined) return;
    await this.job.run(async (signal) => {
      const first = (load: Load) => requestJson(load, "first", { name }, signal);
      try {
        const [inA, inB] = await Promise.all([first(loadA), first(loadB)]);
        if (signal.aborted) return;
        if (inA === null || inB === null) return this.page.say(t("alignment.a-trace-has-no", { name: nameOf(name) }));
        this.align(new Map([[a, BigInt(inA.begin)], [b, BigInt(inB.begin)]]));
      } catch (error) {
        if (!isPast(error)) this.page.say(sentence(messageOf(error)));
      }
    });
  }

  /** Puts the begin of `b` at a distance after that of `a`, as typed: "1.5 ms", "-20 us". Returns false if it is not a time. */
  byDistance(a: number, b: number, text: string): boolean {
    const [inA, inB] = [a, b].map((trace) => this.page.loading.traces.value[trace]?.info.time);
    const ofA = inA === undefined ? undefined : parseTime(text, inA, 0n);
    const ofB = inB === undefined ? undefined : parseTime(text, inB, 0n);
    if (!ofA || !ofB || ofA.kind === "tick") return false;
    this.align(ofA.tick < 0n ? new Map([[b, -ofB.tick]]) : new Map([[a, ofA.tick]]));
    return true;
  }

  reset(): void {
    this.job.abort();
    this.picked.set(null);
  }

  /** `anchors`: a tick of each trace; a trace without one is aligned by its begin. null: aligns by the clocks. */
  align(anchors: ReadonlyMap<number, bigint> | null): void {
    this.picked.set(null);
    const all = this.page.loading.ready.map((_, trace) => anchors?.get(trace) ?? 0n);
    this.page.view.align(anchors === null ? null : all, performance.now());
    this.page.schedule();
  }
}
