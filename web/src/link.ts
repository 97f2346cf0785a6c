/** The view in the address of the page: applied when the page opens, and updated while the page is used. */
import { ViewFilePart } from "generated/border.ts";
import { Store } from "./store.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

type Page = Pick<Viewer, "loading" | "selection" | "views" | "timeline" | "isExample" | "say">;

const SAVE_MS = 300;
/** The longest view in a link, in characters; browsers allow more, other programs less. */
const LONGEST = 64 * 1024;

/** Returns a text in base64 for addresses (RFC 4648, section 5). */
function encode(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Returns null for a text that `encode` did not make. */
function decode(code: string): string | null {
  try {
    const bytes = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)));
  } catch {
    return null;
  }
}

interface ViewedTrace {
  name?: string;
  identity?: string;
}

/** Returns the traces of a view file; none if it is not valid. */
function tracesOf(text: string): ViewedTrace[] {
  try {
    const { traces } = JSON.parse(text) as { traces?: unknown };
    return Array.isArray(traces) ? (traces as ViewedTrace[]) : [];
  } catch {
    return []; // the engine reports the error with its place
  }
}

export class Link {
  private timer: number | null = null;
  /** The view in the address when it was read. */
  private view = "";
  /** The file to which the view in the address belongs while the example is open, "" = it does not wait. */
  readonly awaited = new Store("");
  /** The id of a slice of the first trace. */
  private pendingSlice: string | null = null;

  constructor(private page: Page) {}

  /** Returns the view file in the fragment of an address, null = it has none. */
  static viewOf(hash: string): string | null {
    const view = new URLSearchParams(hash.slice(1)).get("view");
    return view === null ? null : decode(view);
  }

  /** Keeps the parts of a fragment until the traces are loaded: `view` is a view file, `slice` an id. */
  restoreLater(hash: string): void {
    const view = Link.viewOf(hash);
    if (view !== null) {
      this.view = view;
      this.page.views.applyLater(view, t("link.the-link"));
    }
    const slice = new URLSearchParams(hash.slice(1)).get("slice");
    if (slice !== null && /^\d{1,15}$/.test(slice)) this.pendingSlice = slice;
  }

  /**
   * Restores the kept parts once the traces are loaded. A view of other traces than the open ones waits while the example is open, and is
   * discarded otherwise.
   */
  restore(): void {
    const { loading, selection, timeline, views, isExample } = this.page;
    if (this.pendingSlice !== null) selection.selectId(0, this.pendingSlice);
    this.pendingSlice = null;
    const missing = timeline.file.waiting === this.view ? this.missingTrace() : "";
    this.awaited.set(missing);
    if (missing === "") return void views.applyPending();
    if (isExample.value) return;
    timeline.file.forget();
    loading.perspective = "";
    this.page.say(t("link.shows-another-trace", { name: missing }));
    this.saveSoon();
  }

  /** Returns the first file of the view in the address, "" = one of its traces is open. */
  private missingTrace(): string {
    const own = tracesOf(this.view);
    const open = tracesOf(this.page.views.text(ViewFilePart.State));
    const isOpen = (trace: ViewedTrace) =>
      open.some(({ name, identity }) => name === trace.name || (identity === trace.identity && identity !== ""));
    return own.some(isOpen) ? "" : (own[0]?.name ?? "");
  }

  /** Returns the fragment for the present view, null = it is too long. `parts`: ViewFilePart bits. */
  fragment(parts: number): string | null {
    const code = encode(this.page.views.text(parts | ViewFilePart.OneLine));
    return code.length > LONGEST ? null : `#view=${code}`;
  }

  /** Writes the view into the address after a pause: a moving view changes it at each frame. Marks and SQL statements are stored elsewhere. */
  saveSoon(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = null;
      if (this.page.loading.ready.length === 0 || this.page.views.isPending) return;
      history.replaceState(null, "", this.fragment(ViewFilePart.State) ?? "#");
    }, SAVE_MS);
  }
}
