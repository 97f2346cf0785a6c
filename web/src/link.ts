/** The view in the address of the page: applied when the page opens, and updated while the page is used. */
import { ViewFilePart } from "generated/border.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

type Page = Pick<Viewer, "loading" | "selection" | "views" | "say">;

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

export class Link {
  private timer: number | null = null;
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
    if (view !== null) this.page.views.applyLater(view, t("link.the-link"));
    const slice = new URLSearchParams(hash.slice(1)).get("slice");
    if (slice !== null && /^\d{1,15}$/.test(slice)) this.pendingSlice = slice;
  }

  /** Restores the kept parts once the traces are loaded. */
  restore(): void {
    if (this.pendingSlice !== null) this.page.selection.selectId(0, this.pendingSlice);
    this.pendingSlice = null;
    this.page.views.applyPending();
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
