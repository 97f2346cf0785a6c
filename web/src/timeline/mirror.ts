/**
 * The accessible mirror of the canvas: the visible rows as an ARIA tree grid that assistive technology reads and
 * operates. It is updated when the picture has stopped changing.
 */
import type { Mark, Place } from "../transport/protocol.ts";
import type { TimelineView, TwinRow } from "../wasm/view.ts";
import { t } from "../texts.ts";

const REST_MS = 120;
/** The cells that are made in one task: the browser lays them out in the frame after it, at 20 to 50 µs each. */
const CELLS_PER_TASK = 200;

export class Mirror {
  private timer: number | null = null;
  /** The state from which each row was made. */
  private readonly texts = new WeakMap<Element, string>();
  /** Read out when it changes: the row that the keyboard has chosen in the timeline. */
  private readonly says = document.createElement("div");

  constructor(
    private root: HTMLElement,
    private view: TimelineView,
    private onSelect: (place: Place) => void,
    private onSelectInstant: (mark: Mark) => void,
    /** Called after the rows were read, because the view may need more data for them. */
    private onRequest: () => void,
    /** Moves the keyboard focus to the timeline. */
    private onLeave: () => void,
    /** Runs a command of the view that brings more rows or slices into sight. */
    private onEdge: (command: string) => void,
  ) {
    this.says.setAttribute("role", "status");
    this.says.className = "unseen";
    root.before(this.says);
    root.addEventListener("keydown", (event) => this.onKey(event));
    root.addEventListener("focusin", (event) => this.keepReachable(event.target as HTMLElement));
    root.addEventListener("click", (event) => {
      const cell = (event.target as HTMLElement).closest<HTMLElement>("[data-slice], [data-instant]");
      if (cell === null) return;
      const { trace, slice, instant, track, row, begin } = cell.dataset;
      const place = { trace: Number(trace), track: Number(track), row: Number(row), begin: begin ?? "0" };
      if (slice !== undefined) this.onSelect({ ...place, slice: Number(slice), extent: "0", label: 0 });
      else this.onSelectInstant({ ...place, instant: Number(instant) });
    });
  }

  /** Arrow keys, Home and End move between the cells; Enter selects the slice or instant as a click does. */
  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = (event.target as HTMLElement).closest<HTMLElement>(CELLS);
    if (cell === null) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (cell.role === "rowheader") return;
      cell.click();
      return this.onLeave();
    }
    const rows = [...this.root.querySelectorAll<HTMLElement>("[role=row]")];
    const row = rows.indexOf(cell.parentElement as HTMLElement);
    const cells = cellsOf(rows[row]);
    const at = cells.indexOf(cell);
    const steps: Partial<Record<string, () => HTMLElement | string>> = {
      ArrowUp: () => this.cellOf(rows[row - 1], at) ?? "scroll-up",
      ArrowDown: () => this.cellOf(rows[row + 1], at) ?? "scroll-down",
      ArrowLeft: () => cells[at - 1] ?? "pan-left",
      ArrowRight: () => cells[at + 1] ?? "pan-right",
      Home: () => cells[0] ?? cell,
      End: () => cells.at(-1) ?? cell,
    };
    const next = steps[event.key]?.();
    if (next === undefined) return;
    event.preventDefault();
    if (typeof next === "string") this.onEdge(next);
    else next.focus({ preventScroll: true });
  }

  /** Returns the cell of a row at a position, or its last one before it; null: there is no such row. */
  private cellOf(row: HTMLElement | undefined, at: number): HTMLElement | null {
    const cells = cellsOf(row);
    return cells[Math.min(at, cells.length - 1)] ?? null;
  }

  /** Tab reaches one cell: the last one that had the focus. */
  private keepReachable(cell: HTMLElement): void {
    for (const other of this.root.querySelectorAll<HTMLElement>("[tabindex='0']")) other.tabIndex = -1;
    cell.tabIndex = 0;
  }

  get isIdle(): boolean {
    return this.timer === null;
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.says.remove();
  }

  /** Called after a change of the picture. */
  touch(): void {
    this.later(REST_MS, () => {
      const rows = this.view.rows();
      this.begin(rows);
      this.proceed(rows);
      this.onRequest();
    });
  }

  private later(delay: number, work: () => void): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = null;
      work();
    }, delay);
  }

  /** Removes the rows that are no longer there. */
  private begin(rows: TwinRow[]): void {
    const chosen = rows.find(({ focused }) => focused)?.title ?? "";
    if (this.says.textContent !== chosen) this.says.textContent = chosen;
    this.root.setAttribute("aria-rowcount", String(rows.length));
    const ids = new Set(rows.map(({ id }) => `row-${id}`));
    this.keepingFocus(() => {
      for (const element of [...this.root.children]) if (!ids.has(element.id)) element.remove();
    });
  }

  /** Makes the rows that have changed, and leaves the others. Goes on in another task after CELLS_PER_TASK cells. */
  private proceed(rows: TwinRow[]): void {
    const elements = new Map([...this.root.children].map((element) => [element.id, element]));
    let cells = 0;
    let at = this.root.firstElementChild;
    this.keepingFocus(() => {
      for (const row of rows) {
        const text = JSON.stringify(row);
        let element = elements.get(`row-${row.id}`);
        if (element === undefined || this.texts.get(element) !== text) {
          if (cells >= CELLS_PER_TASK) return this.later(0, () => this.proceed(rows));
          cells += 1 + row.cells.length;
          const made = this.rowElement(row);
          this.texts.set(made, text);
          if (element === at) at = at?.nextElementSibling ?? null;
          element?.remove();
          element = made;
        }
        if (element === at) at = at.nextElementSibling;
        else this.root.insertBefore(element, at);
      }
    });
  }

  /** Changes the rows. The cell that Tab reaches is again the one of the same event, or at the same position; it keeps the focus. */
  private keepingFocus(change: () => void): void {
    const before = this.root.querySelector<HTMLElement>("[tabindex='0']");
    const row = before?.parentElement?.id;
    const at = before === null ? 0 : cellsOf(before.parentElement ?? undefined).indexOf(before);
    const document = this.root.getRootNode() as Document | ShadowRoot;
    const hasFocus = before !== null && before === document.activeElement;
    change();
    if (before?.isConnected === true && (!hasFocus || before === document.activeElement)) return;
    const all = [...this.root.querySelectorAll<HTMLElement>("[role=row]")];
    const now = all.find(({ id }) => id === row) ?? all[0];
    const event = before?.dataset["slice"] ?? before?.dataset["instant"];
    const same = event === undefined ? undefined : cellsOf(now).find(({ dataset }) => (dataset["slice"] ?? dataset["instant"]) === event);
    const reachable = same ?? this.cellOf(now, at);
    if (reachable !== null) this.keepReachable(reachable);
    if (hasFocus) reachable?.focus({ preventScroll: true });
  }

  private rowElement(row: TwinRow): HTMLElement {
    const element = document.createElement("div");
    element.setAttribute("role", "row");
    element.id = `row-${row.id}`;
    element.setAttribute("aria-level", String(row.level));
    if (row.expanded !== undefined) element.setAttribute("aria-expanded", String(row.expanded));
    if (row.focused) element.setAttribute("aria-current", "true");
    element.append(cellElement("rowheader", row.title));
    const [, trace = "0", track = "0", inTrack = "0"] = ROW_ID.exec(row.id) ?? [];
    for (const cell of row.cells) {
      const when = cell.slice === undefined ? t("mirror.at", { time: cell.begin }) : t("mirror.begins-takes", { begin: cell.begin, duration: cell.duration ?? "" });
      const gridcell = cellElement("gridcell", `${cell.name || t("common.no-name")}, ${when}`);
      Object.assign(gridcell.dataset, { trace, track, row: inTrack, begin: cell.offset });
      if (cell.slice !== undefined) gridcell.dataset["slice"] = cell.slice;
      if (cell.instant !== undefined) gridcell.dataset["instant"] = cell.instant;
      element.append(gridcell);
    }
    return element;
  }
}

function cellElement(role: string, text: string): HTMLElement {
  const element = document.createElement("div");
  element.setAttribute("role", role);
  element.tabIndex = -1;
  element.textContent = text;
  return element;
}

const ROW_ID = /^t(\d+)(?:\.k(\d+))?(?:\.r(\d+))?/;
const CELLS = "[role=rowheader], [role=gridcell]";

function cellsOf(row: HTMLElement | undefined): HTMLElement[] {
  return [...(row?.querySelectorAll<HTMLElement>(CELLS) ?? [])];
}
