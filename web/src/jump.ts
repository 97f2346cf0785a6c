/** The search behind the jump list: traces, processes and tracks whose names contain the typed words. */
import { Store } from "./store.ts";
import type { FoundRows, TimelineView } from "./wasm/view.ts";

export class Jump {
  readonly found = new Store<FoundRows>({ count: 0, rows: [] });
  private text = "";
  private timer: number | null = null;

  constructor(private view: TimelineView) {}

  /** True while rows are left to examine. */
  get isRunning(): boolean {
    return this.timer !== null;
  }

  type(text: string): void {
    this.text = text;
    this.view.findRows(text);
    this.step();
  }

  /** Repeats the search if the view has dropped its result because rows were renumbered. */
  rowsChanged(): void {
    if (this.found.value.count > 0 && this.view.foundRows().count === 0) this.type(this.text);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.found.set({ count: 0, rows: [] });
  }

  /** Examines some rows and leaves the rest to later steps, so that the page can draw in between. */
  private step(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    const isMore = this.view.findRowsStep();
    this.found.set(this.view.foundRows());
    this.timer = isMore ? window.setTimeout(() => this.step()) : null;
  }
}
