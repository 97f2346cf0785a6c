/** The state of the page in its address: restored when the page opens and updated while the page is used. */
import type { Viewer } from "./viewer.ts";

type Page = Pick<Viewer, "view" | "loading" | "selection">;

const SAVE_MS = 300;

/** Returns the perspective of a saved state of the view, null = all. */
function perspectiveOf(state: string): string | null {
  return /;v([^;]+)/.exec(state)?.[1] ?? null;
}

export class Link {
  private timer: number | null = null;
  private pendingState: string | null = null;
  /** The id of a slice of the first trace. */
  private pendingSlice: string | null = null;

  constructor(private page: Page) {}

  /** Keeps the parameters of a link until its traces are loaded: `v` is a state of the view, `slice` an id. */
  restoreLater(link: URLSearchParams): void {
    this.pendingState = link.get("v");
    if (this.pendingState !== null) this.page.loading.perspective = perspectiveOf(this.pendingState);
    const slice = link.get("slice");
    if (slice !== null && /^\d{1,15}$/.test(slice)) this.pendingSlice = slice;
  }

  /** Restores the state once the traces are loaded for its perspective: ids depend on the perspective. */
  restore(): void {
    if (this.pendingSlice !== null) this.page.selection.selectId(0, this.pendingSlice);
    this.pendingSlice = null;
    if (this.pendingState === null) return;
    this.page.view.perspective = perspectiveOf(this.pendingState) ?? "";
    if (this.page.loading.complete()) return;
    this.page.view.loadState(this.pendingState);
    this.pendingState = null;
    this.page.loading.perspective = "";
  }

  /** Discards the state that was to be restored. */
  forget(): void {
    this.pendingState = null;
  }

  /** Writes the state into the address after a pause: a moving view changes it at each frame. */
  saveSoon(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = null;
      if (this.page.loading.ready.length === 0 || this.pendingState !== null) return;
      history.replaceState(null, "", `#v=${encodeURIComponent(this.page.view.saveState())}`);
    }, SAVE_MS);
  }
}
