/** View files (docs/view-files.md): saves the whole view as text, and applies such a text to the open traces. */
import { messageOf, requestJson } from "./transport/transport.ts";
import { findTab } from "./panels/tabs.tsx";
import { saveBytes, stemOf } from "./saving.ts";
import { Latest } from "./store.ts";
import { ViewFilePart, ViewFileUse } from "generated/border.ts";
import type { Viewer } from "./viewer.ts";
import type { LoadedView, PageState } from "./wasm/view.ts";
import { t } from "./texts.ts";

export const isViewFile = (name: string) => name.endsWith(".varve-view");

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

export class Views {
  /** A text that waits for its traces to be loaded, or for their perspective, and its name in messages. */
  private pending: { text: string; name: string } | null = null;
  private finding = new Latest();

  constructor(private page: Viewer) {}

  get isRunning(): boolean {
    return this.finding.isRunning || (this.pending !== null && this.page.loading.ready.length > 0);
  }

  get isPending(): boolean {
    return this.pending !== null;
  }

  private pageState(hasStored: boolean): PageState {
    const { drawer, search, sql, details, selection } = this.page;
    const panel = drawer.isOpen.value ? drawer.tab.value : "";
    const shown = details.value;
    const isSelected = shown.kind === "slice" && shown.slice.place.slice === selection.slice?.slice;
    const query = panel === "sql" && hasStored ? sql.state.value.text : "";
    return { panel, search: search.state.value.text, query, slice: isSelected ? (shown.slice.name ?? "") : "" };
  }

  /** Returns the view as a view file. `parts`: ViewFilePart bits. Without the marks it has no SQL statement: the page stores both. */
  text(parts: number): string {
    return this.page.view.save(parts, "all", this.pageState((parts & ViewFilePart.Marks) !== 0));
  }

  /** Returns the whole view of some of the traces, "" = it does not have them. `range`: that of the first one. */
  textOf(traces: number[], range: { begin: bigint; end: bigint }): string {
    const view = JSON.parse(this.text(ViewFilePart.State | ViewFilePart.Marks)) as { traces?: Record<string, unknown>[] };
    const chosen = (view.traces ?? []).filter((_, trace) => traces.includes(trace));
    const [first] = chosen;
    if (first === undefined) return "";
    first["range"] = { begin: Number(range.begin), end: Number(range.end) };
    if (chosen.length === 1) delete first["anchor"];
    return JSON.stringify({ ...view, traces: chosen });
  }

  /** Saves the whole view as a file. */
  save(): void {
    const name = this.page.loading.traces.value[0]?.info.file.name ?? "";
    saveBytes(this.page, this.text(ViewFilePart.Marks | ViewFilePart.State), `${stemOf(name)}.varve-view`);
  }

  async open(file: File): Promise<void> {
    if (this.page.loading.ready.length === 0) return this.page.say(t("views.is-a-view-file", { name: file.name }));
    this.applyLater(await file.text(), file.name);
    this.applyPending();
  }

  /** Keeps a view file until its traces are loaded. `name` begins the messages about it. */
  applyLater(text: string, name: string): void {
    this.pending = { text, name };
    const perspective = perspectiveOf(text);
    if (this.page.loading.ready.length === 0 && perspective !== "") this.page.loading.perspective = perspective;
  }

  /** Discards the text that was to be applied. */
  forget(): void {
    this.pending = null;
  }

  /** Applies the kept text once the traces are loaded for its perspective: rows and ids depend on it. */
  applyPending(): void {
    if (this.pending === null) return;
    const { text, name } = this.pending;
    const perspective = perspectiveOf(text);
    if (perspective !== "") {
      this.page.view.perspective = perspective ?? "";
      if (this.page.loading.complete()) return;
    }
    this.pending = null;
    this.page.loading.perspective = "";
    try {
      this.apply(text, name);
    } catch (error) {
      this.page.say(`${name}: ${messageOf(error)}`);
    }
  }

  /** Applies a view file to the open traces. Throws with the reason if it is not valid. */
  private apply(text: string, name: string): void {
    const { page } = this;
    const before = page.notes.list.value.notes.length;
    const loaded = page.view.load(text, ViewFileUse.Opened);
    page.notes.changed("");
    const marks = page.notes.list.value.notes.length - before;
    if (loaded.has_state) this.restore(loaded);
    const problem = problemOf(loaded);
    if (problem !== "") page.say(`${name} ${problem}`);
    else if (!loaded.has_state) page.say(marks === 0 ? t("views.has-no-new-marks", { name }) : t("views.from", { marks: t("count.mark", { count: marks }), name }));
    page.schedule();
  }

  /** Returns to a state of this view, without its page: `text` is that of `view.save`. */
  goBack(text: string): void {
    const { selection } = this.page.view.load(text, ViewFileUse.Opened);
    this.page.takeEvents();
    if (selection !== null) void this.select(selection);
  }

  /** Restores the parts of the view that are outside of the timeline. */
  private restore(loaded: LoadedView): void {
    const { page } = this;
    page.settings.keepOptions(page.view.options);
    page.categories.renew();
    page.search.type(loaded.search);
    if (loaded.query !== "") page.sql.setText(loaded.query);
    page.takeEvents(); // the area and the selection of the view open tabs
    const showPanel = () => page.drawer.restore(findTab(page, loaded.panel));
    showPanel();
    if (loaded.selection !== null) void this.select(loaded.selection).then(showPanel);
  }

  /** Finds the selected event by its place and selects it, without a motion of the view. */
  private select({ is_instant, name, ...place }: NonNullable<LoadedView["selection"]>): Promise<void> {
    const { page } = this;
    const load = page.loading.ready[place.trace];
    if (load === undefined) return Promise.resolve();
    return this.finding.run(async (signal) => {
      const { track, row, begin } = place;
      try {
        if (is_instant) {
          const instant = await requestJson(load, "instant", { id: 0, track, row, begin }, signal);
          if (!signal.aborted) page.selection.restoreInstant({ ...place, instant: instant.instant });
          return;
        }
        const slice = await requestJson(load, "slice", { track, row, begin }, signal);
        if (signal.aborted || (name !== "" && slice.name !== name)) return;
        page.selection.restoreSlice(place.trace, slice);
      } catch {
        // Another trace has no such event: nothing is selected.
      }
    });
  }
}

/** Returns the end of a sentence about the parts of a file that do not fit, "" = all fit. */
function problemOf({ other_traces, unknown_traces, missing_rows, unknown_members, first_unknown, name }: LoadedView): string {
  const problems: string[] = [];
  if (other_traces > 0) problems.push(t("views.was-made-with-another", { name }));
  if (unknown_traces > 0) problems.push(t("views.is-also-about-which", { name }));
  if (missing_rows > 0) problems.push(t("views.names-that-the-trace", { rows: t("count.row", { count: missing_rows }) }));
  if (unknown_members > 0) problems.push(t("views.has-unknown-members-first", { member: first_unknown }));
  return problems.length === 0 ? "" : `${problems.join("; ")}.`;
}
