/** View files (docs/view-files.md): saves the whole view as text, and applies such a text to the open traces. */
import { findTab } from "./panels/tabs.tsx";
import { saveBytes, stemOf } from "./saving.ts";
import type { ViewFile } from "./timeline/view_file.ts";
import { ViewFilePart, ViewFileUse } from "generated/border.ts";
import type { Viewer } from "./viewer.ts";
import type { LoadedView, PageState } from "./wasm/view.ts";
import { t } from "./texts.ts";

export const isViewFile = (name: string) => name.endsWith(".varve-view");

export class Views {
  /** The number of notes before the last text was applied. */
  private notesBefore = 0;

  constructor(private page: Viewer) {}

  private get file(): ViewFile {
    return this.page.timeline.file;
  }

  get isRunning(): boolean {
    return this.file.isPending && this.page.loading.ready.length > 0 && this.page.link.awaited.value === "";
  }

  get isPending(): boolean {
    return this.file.isPending;
  }

  private pageState(hasStored: boolean): PageState {
    const { drawer, search, sql, selection } = this.page;
    const panel = drawer.isOpen.value ? drawer.tab.value : "";
    const query = panel === "sql" && hasStored ? sql.state.value.text : "";
    return { panel, search: search.state.value.text, query, slice: selection.name };
  }

  /** Returns the view as a view file. `parts`: ViewFilePart bits. Without the marks it has no SQL statement: the page stores both. */
  text(parts: number): string {
    return this.file.text(parts, this.pageState((parts & ViewFilePart.Marks) !== 0));
  }

  /** Returns the whole view of one of the traces, "" = it does not have it. `range`: the visible one in the text. */
  textOf(trace: number, range: { begin: bigint; end: bigint }): string {
    const view = JSON.parse(this.text(ViewFilePart.State | ViewFilePart.Marks)) as { traces?: Record<string, unknown>[] };
    const chosen = view.traces?.[trace];
    if (chosen === undefined) return "";
    chosen["range"] = { begin: Number(range.begin), end: Number(range.end) };
    delete chosen["anchor"];
    return JSON.stringify({ ...view, traces: [chosen] });
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
    this.file.applyLater(text, name);
  }

  /** Applies the kept text once the traces are loaded for its perspective. Returns the reason if it is not valid, "" otherwise. */
  applyPending(): string {
    this.notesBefore = this.page.notes.list.value.notes.length;
    return this.file.applyPending();
  }

  /** Follows a view file that was applied to the timeline. */
  applied(loaded: LoadedView, name: string): void {
    const { page } = this;
    page.notes.changed("");
    const marks = page.notes.list.value.notes.length - this.notesBefore;
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
    if (selection !== null) void this.page.selection.restore(selection);
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
    if (loaded.selection !== null) void page.selection.restore(loaded.selection).then(showPanel);
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
