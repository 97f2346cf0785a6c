/** The perspectives of the traces: the shown one, and the selection when it changes. */
import { isPast, messageOf, requestJson, type Load } from "./transport/transport.ts";
import type { Place } from "./transport/protocol.ts";
import { sliceOf } from "./selection.ts";
import { Store } from "./store.ts";
import type { Viewer } from "./viewer.ts";

type Page = Pick<Viewer, "view" | "loading" | "drawer" | "selection" | "say" | "schedule" | "focusTimeline">;

export class Perspectives {
  /** The names of all perspectives, and of the shown one, "" = all. */
  readonly state = new Store<{ names: string[]; shown: string }>({ names: [], shown: "" });
  /** The view's perspective that the traces were loaded for. */
  private lookedFrom = "";
  /** The slice to select in the next perspective, and the load that has its details. */
  private kept: { place: Place; load: Load } | null = null;
  private afterLook: (() => void) | null = null;

  constructor(private page: Page) {}

  /** Stores the present perspective of the view. A selection can change it without a load. */
  note(): void {
    this.lookedFrom = this.page.view.perspective;
  }

  /** Cancels the selection and the call that wait for the next perspective. */
  forget(): void {
    this.afterLook = this.kept = null;
  }

  /** Shows a perspective, and calls `then` once its traces are loaded. */
  lookFrom(perspective: string, then: (() => void) | null = null): void {
    this.page.view.perspective = perspective;
    this.lookedFrom = this.page.view.perspective;
    this.afterLook = then;
    this.look();
    this.page.schedule();
    this.page.focusTimeline();
  }

  /**
   * Follows a change of the view's perspective by a key, by `lookFrom`, or by a selection that is visible only in that
   * perspective.
   */
  changed(): void {
    this.renew();
    if (this.page.view.perspective === this.lookedFrom) return void this.page.loading.complete();
    this.lookedFrom = this.page.view.perspective;
    this.look();
  }

  private look(): void {
    if (this.page.loading.complete()) return;
    this.keepSelected();
    this.looked();
  }

  /** Called when the traces are loaded for the perspective. */
  looked(): void {
    const then = this.afterLook;
    this.afterLook = null;
    if (then !== null) {
      this.kept = null;
      then();
    } else if (this.kept !== null && !this.page.view.lacks(this.kept.place.trace)) {
      void this.selectCounterpart(this.kept);
    }
  }

  /** Keeps the selected slice, to select it in the next perspective as well. */
  keepSelected(): void {
    const place = this.page.selection.slice;
    const load = place === null ? undefined : this.page.loading.ready[place.trace];
    if (place !== null && load !== undefined) this.kept = { place, load };
  }

  /** Selects the slice that corresponds to the stored one in the shown perspective. The visible range stays. */
  private async selectCounterpart({ place, load: before }: { place: Place; load: Load }): Promise<void> {
    const trace = place.trace;
    const load = this.page.loading.ready[trace];
    if (load === undefined) return;
    await this.page.selection.moves.run(async (signal) => {
      try {
        const { cross_view_id: id, place: known } = await requestJson(before, "slice", sliceOf(before, place), signal);
        const parameters = { cross_view_id: id ?? "", perspective: this.page.view.perspective, at: String(this.momentIn(trace, known)) };
        const found = id === null ? null : await requestJson(load, "counterpart", parameters, signal);
        if (signal.aborted) return;
        this.kept = null;
        if (found === null) return;
        const { begin, end } = this.page.view.range(trace);
        const tab = this.page.drawer.tab.value;
        this.page.selection.select({ ...found, trace });
        this.page.drawer.tab.set(tab);
        this.page.view.setRange(trace, begin, end, performance.now());
      } catch (error) {
        if (isPast(error)) return;
        this.kept = null;
        this.page.say(messageOf(error));
      }
    });
  }

  /** Returns the moment of a slice that is nearest to the middle of the visible range. */
  private momentIn(trace: number, { begin, extent }: Pick<Place, "begin" | "extent">): bigint {
    const shown = this.page.view.range(trace);
    const [first, last] = [BigInt(begin), BigInt(begin) + BigInt(extent)];
    const middle = shown.begin + (shown.end - shown.begin) / 2n;
    return middle <= first ? first : middle < last ? middle : last > first ? last - 1n : first;
  }

  /** Reads the names from the view. */
  renew(): void {
    this.state.set({ names: this.page.view.perspectives, shown: this.page.view.perspective });
  }
}
