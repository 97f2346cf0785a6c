/** The view file of a timeline (docs/view-files.md): applies one to its traces once they are loaded. */
import { axisOf } from "./axis.ts";
import type { Loading } from "../loading.ts";
import { messageOf } from "../transport/transport.ts";
import type { LoadedView, PageState, TimelineView } from "../wasm/view.ts";
import { ViewFileUse } from "generated/border.ts";

/** Returns the perspective for which the traces of a view file are loaded: a name, "" = the file chooses none, null = all. */
export function perspectiveOf(text: string): string | null {
  try {
    const { perspective } = JSON.parse(text) as { perspective?: unknown };
    if (typeof perspective !== "string") return "";
    return perspective === "all" ? null : perspective;
  } catch {
    return ""; // the engine reports the error with its place
  }
}

/** True if a view file is more than marks. */
export const hasState = (text: string) => /"range"\s*:/.test(text);

export class ViewFile {
  /** A text that waits for its traces to be loaded, or for their perspective, and its name in messages. */
  private pending: { text: string; name: string } | null = null;

  /** `applied`: called after a text was applied. `failed`: called with the reason if it is not valid. */
  constructor(
    private view: TimelineView,
    private loading: Loading,
    private applied: (loaded: LoadedView, name: string) => void,
    private failed: (name: string, reason: string) => void,
  ) {}

  get isPending(): boolean {
    return this.pending !== null;
  }

  /** The text that waits, "" = none. */
  get waiting(): string {
    return this.pending?.text ?? "";
  }

  /** Returns the view as a view file. `parts`: ViewFilePart bits. */
  text(parts: number, state: PageState): string {
    return this.view.save(parts, "all", state);
  }

  /** Keeps a text until its traces are loaded. `name` begins the messages about it. */
  applyLater(text: string, name: string): void {
    this.pending = { text, name };
    const perspective = perspectiveOf(text);
    if (this.loading.ready.length === 0 && perspective !== "") this.loading.perspective = perspective;
  }

  /** Discards the text that was to be applied. */
  forget(): void {
    this.pending = null;
  }

  /**
   * Applies the kept text once the traces are loaded for its perspective: rows and ids depend on it. Returns the reason if it
   * is not valid, "" otherwise.
   */
  applyPending(): string {
    if (this.pending === null) return "";
    const { text, name } = this.pending;
    const perspective = perspectiveOf(text);
    if (perspective !== "") this.view.perspective = perspective ?? "";
    this.loading.axis = hasState(text) ? axisOf(text) : null;
    if (this.loading.complete()) return "";
    this.pending = null;
    this.loading.axis = null;
    this.loading.perspective = "";
    let loaded: LoadedView;
    try {
      loaded = this.view.load(text, ViewFileUse.Opened);
    } catch (error) {
      const reason = messageOf(error);
      this.failed(name, reason);
      return reason;
    }
    this.applied(loaded, name);
    return "";
  }
}
