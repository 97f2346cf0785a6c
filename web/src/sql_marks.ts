/** Marks in the timeline for all rows of an SQL result. They are drawn as the matches of a search, and replace them. */
import { isPast, messageOf, requestJson } from "./transport/transport.ts";
import type { SqlResult } from "./transport/protocol.ts";
import { sentence } from "./panels/format.ts";
import { ticksOf, traceOf } from "./sql.ts";
import { Latest, Store } from "./store.ts";
import type { Viewer } from "./viewer.ts";
import type { FoundEvent } from "./wasm/view.ts";

export class SqlMarks {
  /** The result whose rows are marked; null: none. */
  readonly marked = new Store<SqlResult | null>(null);
  private job = new Latest();

  constructor(private viewer: Viewer) {
    viewer.sql.state.subscribe(({ result }) => {
      if (result !== this.marked.value) this.clear();
    });
  }

  /** Removes the marks. The matches of a search are marked again. */
  clear(): void {
    this.job.abort();
    if (this.marked.value === null) return;
    this.marked.set(null);
    this.viewer.loading.ready.forEach((_, trace) => this.viewer.markEvents(trace, [], []));
    this.viewer.search.publishFound();
  }

  mark(result: SqlResult): void {
    void this.job.run(async (signal) => {
      try {
        const events = await this.eventsOf(result, signal);
        if (signal.aborted) return;
        this.marked.set(result);
        events.forEach((found, trace) => {
          this.viewer.view.markSearch(trace, 0);
          this.viewer.markEvents(trace, found, []);
        });
      } catch (error) {
        if (!isPast(error) && !signal.aborted) this.viewer.say(sentence(messageOf(error)));
      }
    });
  }

  /** Returns the events of the rows by trace. A row with a time and no slice has a tick in the ruler. */
  private async eventsOf(result: SqlResult, signal: AbortSignal): Promise<FoundEvent[][]> {
    const targets = result.rows.map((row) => this.viewer.sql.target(result, row)).filter((target) => target !== null);
    const found = targets.map((target) => ({ ...target, ...traceOf(this.viewer, target) }));
    return Promise.all(
      this.viewer.loading.ready.map(async (load, trace) => {
        const here = found.filter((target) => target.trace === trace);
        const slices = here.filter(({ hasSlice }) => hasSlice).map(({ slice }) => slice);
        const ticks = here.filter(({ hasSlice }) => !hasSlice).flatMap(({ begin_ns }) => this.tickAt(trace, begin_ns));
        if (slices.length === 0) return ticks;
        const places = await requestJson(load, "places", { slices: slices.join(",") }, signal);
        return [...ticks, ...places.map((place) => ({ ...place, isInstant: false }))];
      }),
    );
  }

  private tickAt(trace: number, begin_ns: bigint | null): FoundEvent[] {
    if (begin_ns === null || begin_ns < 0n) return [];
    return [{ begin: String(ticksOf(this.viewer, trace, begin_ns)), extent: "0", track: 0, row: 0, isInstant: true }];
  }
}
