/**
 * The accessible mirror of the canvas: the visible rows as an ARIA tree grid that assistive technology reads and
 * operates. It is updated when the picture has stopped changing.
 */
import type { Mark, Place } from "../transport/protocol.ts";
import type { TimelineView, TwinRow } from "../wasm/view.ts";

const REST_MS = 120;

export class Mirror {
  private timer: number | null = null;
  private shown = "";

  constructor(
    private root: HTMLElement,
    private view: TimelineView,
    private onSelect: (place: Place) => void,
    private onSelectInstant: (mark: Mark) => void,
    /** Called after the rows were read, because the view may need more data for them. */
    private onRequest: () => void,
    /** Moves the keyboard focus to the timeline. */
    private onLeave: () => void,
  ) {
    root.addEventListener("keydown", (event) => this.selectByKey(event));
    root.addEventListener("click", (event) => {
      const cell = (event.target as HTMLElement).closest<HTMLElement>("[data-slice], [data-instant]");
      if (cell === null) return;
      const { trace, slice, instant, track, row, begin } = cell.dataset;
      const place = { trace: Number(trace), track: Number(track), row: Number(row), begin: begin ?? "0" };
      if (slice !== undefined) this.onSelect({ ...place, slice: Number(slice), extent: "0", label: 0 });
      else this.onSelectInstant({ ...place, instant: Number(instant) });
    });
  }

  /** Enter on a cell that was reached with Tab selects as a click does. */
  private selectByKey(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    (event.target as HTMLElement).click();
    this.onLeave();
  }

  get isIdle(): boolean {
    return this.timer === null;
  }

  /** Called after a change of the picture. */
  touch(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = null;
      this.update(this.view.rows());
      this.onRequest();
    }, REST_MS);
  }

  private update(rows: TwinRow[]): void {
    const text = JSON.stringify(rows);
    if (text === this.shown) return;
    this.shown = text;
    const focused = this.root.contains(document.activeElement) ? document.activeElement?.closest("[role=row]")?.id : undefined;
    this.root.replaceChildren(...rows.map((row) => this.rowElement(row)));
    if (focused !== undefined) document.querySelector<HTMLElement>(`[id="${focused}"] [tabindex]`)?.focus({ preventScroll: true });
    this.root.setAttribute("aria-rowcount", String(rows.length));
  }

  private rowElement(row: TwinRow): HTMLElement {
    const element = document.createElement("div");
    element.setAttribute("role", "row");
    element.id = `row-${row.id}`;
    element.setAttribute("aria-level", String(row.level));
    if (row.expanded !== undefined) element.setAttribute("aria-expanded", String(row.expanded));
    if (row.focused) element.setAttribute("aria-current", "true");
    element.append(cellElement("rowheader", row.title));
    for (const cell of row.cells) {
      const when = cell.slice === undefined ? `at ${cell.begin}` : `begins ${cell.begin}, takes ${cell.duration ?? ""}`;
      const gridcell = cellElement("gridcell", `${cell.name || "(no name)"}, ${when}`);
      const [, trace = "0", track = "0", inTrack = "0"] = /^t(\d+)(?:\.k(\d+))?(?:\.r(\d+))?/.exec(row.id) ?? [];
      Object.assign(gridcell.dataset, { trace, track, row: inTrack, begin: cell.offset });
      if (cell.slice !== undefined) gridcell.dataset["slice"] = cell.slice;
      if (cell.instant !== undefined) gridcell.dataset["instant"] = cell.instant;
      // Keyboard users reach the rows through the timeline; instants in a header or in the ruler have no row
      // there.
      if (row.wide === true && cell === row.cells[0]) gridcell.tabIndex = 0;
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
