/**
 * The canvas's accessible twin: the visible rows as an ARIA tree-grid that assistive technology reads and may act
 * on. It is brought up to date when the picture has come to rest.
 */
import type { TimelineView, TwinRow } from "../wasm/view.ts";

const REST_MS = 120;

export class Twin {
  private timer: number | null = null;
  private shown = "";

  constructor(
    private root: HTMLElement,
    private view: TimelineView,
    private onSelect: (trace: number, slice: number) => void,
    /** Asking for the rows may have made the view wish for more data. */
    private onAsked: () => void,
  ) {
    root.addEventListener("click", (event) => {
      const cell = (event.target as HTMLElement).closest<HTMLElement>("[data-slice]");
      if (cell !== null) this.onSelect(Number(cell.dataset["trace"] ?? 0), Number(cell.dataset["slice"]));
    });
  }

  get isIdle(): boolean {
    return this.timer === null;
  }

  /** The picture changed. */
  touch(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = null;
      this.update(this.view.rows());
      this.onAsked();
    }, REST_MS);
  }

  private update(rows: TwinRow[]): void {
    const text = JSON.stringify(rows);
    if (text === this.shown) return;
    this.shown = text;
    this.root.replaceChildren(...rows.map((row) => this.rowElement(row)));
    this.root.setAttribute("aria-rowcount", String(rows.length));
  }

  private rowElement(row: TwinRow): HTMLElement {
    const element = document.createElement("div");
    element.setAttribute("role", "row");
    element.setAttribute("aria-level", String(row.level));
    if (row.expanded !== undefined) element.setAttribute("aria-expanded", String(row.expanded));
    if (row.focused) element.setAttribute("aria-current", "true");
    element.append(cellElement("rowheader", row.title));
    for (const cell of row.cells) {
      const text = `${cell.name || "(no name)"}, begins ${cell.begin}, takes ${cell.duration}`;
      const gridcell = cellElement("gridcell", text);
      gridcell.dataset["slice"] = cell.slice;
      gridcell.dataset["trace"] = /^t(\d+)/.exec(row.id)?.[1] ?? "0";
      element.append(gridcell);
    }
    return element;
  }
}

function cellElement(role: string, text: string): HTMLElement {
  const element = document.createElement("div");
  element.setAttribute("role", role);
  element.textContent = text;
  return element;
}
