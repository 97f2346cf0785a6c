/**
 * The state of the page and the links between its parts: view, engine, panels. Components read its stores and call its
 * methods.
 */
import { isPast, messageOf, type Load } from "./transport/transport.ts";
import type { FrameSlices, LiveAnswer, Mark, Place } from "./transport/protocol.ts";
import { storeSettings, type Served } from "./transport/http.ts";
import { Areas, type Area, type AreaGroup, type AreaKind, type AreaScope } from "./areas.ts";
import { CaptureAxes } from "./capture_axis.ts";
import { Categories } from "./categories.ts";
import { carryOut } from "./commands.ts";
import { Alignment } from "./alignment.ts";
import { Comparison } from "./compare.ts";
import { isPageFile, openWithPages } from "./contained.ts";
import { DrawerState, type Tab } from "./drawer.ts";
import { Flames } from "./flame.ts";
import { namesFor, openFiles, openUrls } from "./opening.ts";
import { followSelection, insideSelected } from "./flame_actions.ts";
import { FrameCount } from "./frames.ts";
import { GoQuestions, type GoRange } from "./go.ts";
import { Histogram } from "./histogram.ts";
import { Jump } from "./jump.ts";
import { Keys } from "./keys.ts";
import { Link } from "./link.ts";
import { Live, type Growth } from "./live.ts";
import type { Loading, OpenTrace } from "./loading.ts";
import { Notes } from "./notes.ts";
import { Recent, type RecentFile } from "./recent.ts";
import { Search, type Match } from "./search.ts";
import { isContained, PAGE_ENGINE } from "./page_files.ts";
import { Perspectives } from "./perspectives.ts";
import { secretOf } from "./secret.ts";
import type { Frame } from "./painter/frame.ts";
import { fileNameOf, sentence } from "./panels/format.ts";
import { findTab, VIEW_TABS } from "./panels/tabs.tsx";
import type { Details, Selection } from "./selection.ts";
import { Settings } from "./settings.ts";
import { readSettings, settingsText } from "./settings_file.ts";
import { Sql } from "./sql.ts";
import { SqlMarks } from "./sql_marks.ts";
import { SqlTracks } from "./sql_tracks.ts";
import { Latest, Paced, Store } from "./store.ts";
import { TraceTimeline } from "./timeline/trace_timeline.ts";
import { isViewFile, Views } from "./views.ts";
import { WarningEvents } from "./warnings.ts";
import { ViewEventKind, ViewFilePart } from "generated/border.ts";
import type { FoundEvent, MarkedRow, RowHead, RowMark, ShownRows, TimelineView, ViewEvent } from "./wasm/view.ts";
import { language, t } from "./texts.ts";

export type DialogName = "help" | "open" | "report" | "save" | "share" | "palette" | "settings" | "go-to" | "jump" | "filter-tracks";

/** Tabs with lists for going through events one by one. */
const LISTS: readonly Tab[] = ["search", "frames"];
const NOTICE_MS = 3000;
/** The shortest time between two requests for the facts of a growing trace. */
const RENEW_MS = 2000;
/** The pointer rests on a row for this time before the events with its name are marked. */
const POINT_MS = 80;

export class Viewer {
  readonly settings = new Settings();
  readonly recent = new Recent(this.settings);
  readonly timeline: TraceTimeline;
  readonly search: Search;
  readonly categories: Categories;
  readonly go = new GoQuestions();
  readonly frameCount = new FrameCount();
  readonly flames = new Flames();
  readonly comparison = new Comparison();
  readonly alignment: Alignment = new Alignment(this);
  readonly histogram = new Histogram();
  readonly jump: Jump;
  readonly sql: Sql;
  readonly sqlMarks: SqlMarks;
  readonly sqlTracks: SqlTracks;
  readonly live: Live;
  /** The addresses where more traces may arrive, null = none. */
  readonly listens = new Store<string | null>(null);
  readonly keys: Keys;
  readonly area = new Store<Area | null>(null);
  readonly areaKind = new Store<AreaKind>("slices");
  readonly areaScope = new Store<AreaScope>({ kind: "all" });
  readonly areaGroup = new Store<AreaGroup>("name");
  readonly drawer = new DrawerState(VIEW_TABS);
  readonly dialog = new Store<DialogName | null>(null);
  /** The effect of the next chosen files on the open traces. */
  openMode: "replace" | "add" = "replace";
  /** The bundled example is open: the page shows an introduction. */
  readonly isExample = new Store(false);
  /** Read out by screen readers and shown for a moment. */
  readonly notice = new Store("");
  private noticeTimer = 0;
  /** The name in the area's table that is highlighted; label 0 = none. */
  readonly highlighted = new Store({ trace: 0, label: 0 });
  private highlightJob = new Latest();
  private pointing: number | null = null;
  /** The visible rows, with lists of the hidden, pinned and isolated ones. */
  readonly rows = new Store<ShownRows>({
    filter: "",
    tracks: 0,
    rows: 0,
    has_events: false,
    sort: "default",
    groups: "process",
    column: 0,
    moved: 0,
    marks: [],
  });
  /** True if the menu of the order of rows is open. */
  readonly orderMenu = new Store(false);
  /** The row of the timeline whose title has buttons. */
  readonly head = new Store<RowHead | null>(null);
  /** The row whose menu is open. */
  readonly rowMenu = new Store<RowHead | null>(null);
  readonly perspectives: Perspectives = new Perspectives(this);
  readonly areas: Areas = new Areas(this);
  readonly notes: Notes = new Notes(this);
  readonly views: Views = new Views(this);
  readonly link: Link = new Link(this);
  readonly captureAxes: CaptureAxes = new CaptureAxes(this);
  readonly warningEvents: WarningEvents = new WarningEvents(this);
  /** The identities and stored marks of the added traces: a view file needs them. */
  private identified: Promise<void>[] = [];
  private renewAgain = new Paced(RENEW_MS, () => this.renewAll());
  /** By trace: the counts to show with the next state of live traces. */
  private growth = new Map<number, { slices: number; bytes: number }>();
  private served: Served | null = null;
  /** The state of the view before the search, until the search field loses the focus. */
  private beforeSearch: string | null = null;

  constructor(readonly view: TimelineView) {
    this.keys = new Keys(view, this.settings);
    this.timeline = new TraceTimeline(view, PAGE_ENGINE, {
      cleared: (why) => this.cleared(why),
      removed: (trace) => this.removed(trace),
      added: (isLast, live) => this.added(isLast, live),
      begun: () => this.tracesChanged(),
      completed: (trace, isLast) => this.completed(trace, isLast),
      replacing: () => this.perspectives.keepSelected(),
      replaced: (isDone) => this.replaced(isDone),
      showsExample: () => this.isExample.value,
      say: (message) => this.say(message),
      receive: (event) => this.receive(event),
      optionsChanged: (options) => this.settings.keepOptions(options),
      textOf: (search) => this.search.textOf(search),
      isGrowing: () => this.live.isReceiving,
      hidden: (trace) => this.categories.parameters(trace),
      renewed: (load) => this.live.renewed(load),
      selected: (place) => {
        this.saveSoon();
        if (place !== null) this.search.startFrom(place);
      },
      overtaken: () => this.perspectives.forget(),
      noted: () => this.perspectives.note(),
      opening: () => this.drawer.follow("details"),
      viewApplied: (loaded, name) => this.views.applied(loaded, name),
      viewFailed: (name, reason) => this.say(`${name}: ${reason}`),
    });
    this.live = new Live(
      view,
      (growth) => this.grown(growth),
      () => this.timeline.scheduleSoon(),
      () => this.timeline.hasHand,
    );
    this.live.state.subscribe(() => this.countGrowth());
    this.jump = new Jump(view);
    this.sql = new Sql(() => this.loading.ready.filter((load) => !this.sqlTracks.has(load)));
    this.sqlMarks = new SqlMarks(this);
    this.sqlTracks = new SqlTracks(this);
    this.categories = new Categories(view, this.loading.traces, () => this.hiddenChanged());
    this.search = new Search(
      this.loading.ready,
      (match) => this.selectBeside(match),
      (trace) => this.categories.parameters(trace),
      (trace, matches, labels) => this.showFound(trace, matches, labels),
      (trace, search) => this.view.markSearch(trace, search),
    );
    this.areaKind.subscribe(() => void this.areas.recount());
    this.comparison.choice.subscribe(({ keptA }) => {
      this.view.keepArea(keptA);
      this.schedule();
    });
    this.areaGroup.subscribe(() => void this.areas.recount());
    this.areaScope.subscribe(() => void this.areas.recount());
    this.details.subscribe((details) => {
      const inside = details.kind === "slice" && this.areaScope.value.kind === "slice" ? insideSelected(this) : null;
      if (inside !== null) this.areaScope.set(inside);
    });
    this.histogram.range.subscribe(() => void this.areas.recount());
    this.histogram.brush.subscribe((brush) => {
      this.view.filterDurations(brush === null ? null : { trace: brush.trace, least: brush.least, most: brush.below - 1n });
      this.schedule();
    });
    this.settings.saved.subscribe(({ searchValues }) => {
      if (searchValues === this.search.inValues) return;
      this.search.inValues = searchValues;
      this.search.again();
    });
    this.search.inValues = this.settings.saved.value.searchValues;
    this.details.subscribe((details) => followSelection(this, details));
    this.details.subscribe((details) => this.alignment.follow(details));
    this.settings.theme.subscribe(() => this.applyTheme());
    this.settings.theme.subscribe(() => this.notes.changed(""));
    this.settings.options.subscribe((options) => {
      this.view.options = options;
      this.timeline.redraw();
    });
    this.view.options = this.settings.options.value;
    language.subscribe(() => this.useWords());
    this.useWords();
    for (const store of [this.details, this.drawer.tab, this.drawer.isOpen, this.search.state, this.sql.state]) store.subscribe(() => this.saveSoon());
    this.applyTheme();
    void Promise.all([document.fonts.load('400 12px "Inter Varve"'), document.fonts.load('500 12px "Inter Varve"')])
      .catch(() => undefined)
      .then(() => this.timeline.forgetGlyphs());
  }

  /** Passes the texts of the language to the view, and draws them. */
  private useWords(): void {
    this.view.setWords();
    this.timeline?.redraw();
  }

  attach(canvas: HTMLCanvasElement, mirror: HTMLElement): void {
    const plain = new URLSearchParams(location.search).get("painter") === "2d";
    this.timeline.attach({ canvas, mirror, keys: window, leavesWheel: () => false, plain });
  }

  /** Requests the tiles of the first picture. Called before the page is made: it fills the window, and the timeline most of the page. */
  requestFirst(): void {
    this.timeline.requestFirst(innerWidth, innerHeight);
  }

  /** True if no work is in progress. Tests wait for it. */
  get isIdle(): boolean {
    const jobs = [this.highlightJob, this.search, this.go, this.flames, this.comparison, this.alignment, this.frameCount, this.sql, this.sqlTracks, this.areas, this.notes, this.histogram, this.jump, this.views, this.recent, this.captureAxes, this.warningEvents];
    return this.timeline.isIdle && !this.drawer.isWaiting && jobs.every((job) => !job.isRunning);
  }

  get loading(): Loading {
    return this.timeline.loading;
  }

  get selection(): Selection {
    return this.timeline.selection;
  }

  get details(): Store<Details> {
    return this.timeline.selection.details;
  }

  get painterName(): string {
    return this.timeline.painterName;
  }

  get frames(): number {
    return this.timeline.frames;
  }

  /** Returns the visible part as a picture, valid until the next call of the module; null = not enough memory. */
  picture(): Frame | null {
    return this.timeline.picture();
  }

  /** Draws a frame soon, after a visible change. */
  schedule(): void {
    this.timeline.schedule();
  }

  /** Draws a frame when the page has time for it. */
  scheduleSoon(): void {
    this.timeline.scheduleSoon();
  }

  /** Follows the changes of the view before the next frame. */
  takeEvents(): void {
    this.timeline.takeEvents();
  }

  /** Shows a notice for a while; the same one again for another while. */
  say(text: string): void {
    clearTimeout(this.noticeTimer);
    this.notice.set("");
    this.notice.set(text);
    this.noticeTimer = window.setTimeout(() => this.notice.set(""), NOTICE_MS);
  }

  /** Applies the text of a settings file. Throws with the reason, without a change, if it is not valid. */
  applySettings(text: string): void {
    const settings = readSettings(text);
    this.keys.check(settings.keys);
    this.settings.change(settings);
  }

  /** Applies the settings that the server stores, and stores each change there: the address of the page is often a new one. */
  useStoredSettings(text: string): void {
    try {
      if (text !== "") this.applySettings(text);
    } catch (error) {
      this.say(t("viewer.the-stored-settings-are", { error: messageOf(error) }));
    }
    let stored = settingsText(this.settings.saved.value);
    this.settings.saved.subscribe((saved) => {
      const present = settingsText(saved);
      if (present === stored) return;
      stored = present;
      storeSettings(present).catch((error: unknown) => this.say(t("viewer.the-settings-cannot-be", { error: sentence(messageOf(error)) })));
    });
  }

  // ---- commands ----

  run(name: string): void {
    this.view.command(name, performance.now());
    this.schedule();
    this.focusTimeline();
  }

  /** Runs a command on the row whose title has the buttons. */
  runOnHead(name: string): void {
    this.view.focusHead();
    this.run(name);
  }

  /** Runs a command on the focused row, wherever the pointer is. */
  runOnFocus(name: string): void {
    this.timeline.leave();
    this.run(name);
  }

  /** Called when the pointer has left the buttons at a title for an element. */
  leaveHead(to: EventTarget | null): void {
    if (to !== document.getElementById("timeline")) this.timeline.leave();
  }

  focusTimeline(): void {
    document.getElementById("timeline")?.focus({ preventScroll: true });
  }

  /** Selects from a list in the drawer; a tab with a list for going through events one by one stays. */
  selectBeside(found: { place: Place | null; mark: Mark | null }): void {
    const tab = this.drawer.tab.value;
    this.selection.selectListed(found);
    if (LISTS.includes(tab)) this.drawer.tab.set(tab);
  }

  private showFound(trace: number, matches: Match[], labels: number[]): void {
    const events = matches.flatMap(({ place, mark }): FoundEvent[] => {
      if (place !== null) return [{ ...place, isInstant: false }];
      return mark === null ? [] : [{ ...mark, extent: "0", isInstant: true }];
    });
    this.sqlMarks.clear();
    this.markEvents(trace, events, labels);
  }

  /** Marks events in the timeline. labels: all their slices are marked. */
  markEvents(trace: number, events: FoundEvent[], labels: number[]): void {
    this.view.setFound(trace, events, labels);
    this.schedule();
  }

  /** Requests the area and the search again after a change of the hidden categories. */
  private hiddenChanged(): void {
    void this.areas.recount();
    this.search.again();
    this.saveSoon();
    this.schedule();
  }

  copy(text: string, what: string): void {
    navigator.clipboard.writeText(text).then(
      () => this.say(t("viewer.copied", { object: what })),
      () => this.say(t("viewer.the-browser-does-not")),
    );
  }

  /** Copies a link to the present view with its marks. */
  copyLink(): void {
    const fragment = this.link.fragment(ViewFilePart.State | ViewFilePart.Marks);
    if (fragment === null) return this.say(t("viewer.the-view-is-too"));
    if (isContained()) return this.copy(location.href.replace(/#.*/s, "") + fragment, t("viewer.the-link"));
    // The secret stays on this machine.
    const page = secretOf(location.pathname) === null ? location.pathname + location.search : "/";
    this.copy(location.origin + page + fragment, t("viewer.the-link"));
  }

  /** Brings a time of the first trace, in ticks from its begin, to the middle. */
  goTo(tick: bigint): void {
    const { begin, end } = this.view.range(0);
    const half = (end - begin) / 2n;
    this.view.setRange(0, tick - half, tick - half + (end - begin), performance.now());
    this.schedule();
  }

  /** Brings a range of a trace, in ticks from its begin, into view with a margin on both sides. */
  showRange(trace: number, begin: string, end: string): void {
    const [from, to] = [BigInt(begin), BigInt(end)];
    const room = (to - from) / 8n + 1n;
    this.view.setRange(trace, from - room, to + room, performance.now());
    this.schedule();
  }

  /** Returns the first trace that has frames of a graphics capture, -1 = none is open. */
  frameTrace(traces: OpenTrace[]): number {
    return traces.findIndex((trace) => trace.info.time.clock === "calls");
  }

  /** Returns the first trace of Go, -1 = none is open. */
  goTrace(traces: OpenTrace[]): number {
    return traces.findIndex((trace) => trace.info.format.name === "go");
  }

  /** Returns the range for the Go panel: that of the selected area, null = the whole trace. */
  goRange(trace: number): GoRange | null {
    const area = this.area.value;
    return area !== null && area.trace === trace ? { begin: area.begin, end: area.end } : null;
  }

  filterTracks(pattern: string): void {
    this.view.filterTracks(pattern);
    this.rowsChanged();
    this.schedule();
  }

  /** Goes to a row of the jump list. */
  goToRow(found: number): void {
    this.view.goToRow(found, performance.now());
    this.schedule();
  }

  /** Goes to a track by its id. */
  goToTrack(trace: number, track: number): void {
    this.view.goToTrack(trace, track, performance.now());
    this.schedule();
  }

  /** Shows a hidden row again, unpins a row, or ends isolation; row null: for all rows. */
  unmark(mark: RowMark["mark"], row: MarkedRow | null): void {
    this.view.unmark(mark, row);
    this.rowsChanged();
    this.schedule();
  }

  private rowsChanged(): void {
    const rows = this.view.shown();
    if (JSON.stringify(rows) !== JSON.stringify(this.rows.value)) this.rows.set(rows);
  }

  // ---- search ----

  typeSearch(text: string): void {
    if (this.search.state.value.text === "" && this.loading.ready.length > 0)
      this.beforeSearch = this.view.save(ViewFilePart.State | ViewFilePart.OneLine);
    this.search.type(text);
  }

  moveSearch(move: "next" | "previous"): void {
    this.search.move(move);
  }

  /** Keeps the present position of the view when the search ends. */
  keepSearch(): void {
    this.beforeSearch = null;
  }

  /** Ends the search. The view returns to its position before the search, unless the field has lost the focus since. */
  endSearch(): void {
    const before = this.beforeSearch;
    this.beforeSearch = null;
    this.search.type("");
    if (before !== null) {
      this.selection.select(null);
      this.views.goBack(before);
    }
    this.focusTimeline();
  }

  /** Marks the events with the name of a row of a table, after the pointer rests there; null: of the selected slice again. */
  pointName(name: { trace: number; label: number } | null): void {
    if (this.pointing !== null) clearTimeout(this.pointing);
    this.pointing = window.setTimeout(() => {
      this.pointing = null;
      this.view.pointName(name?.trace ?? 0, name?.label ?? 0);
      this.schedule();
    }, name === null ? 0 : POINT_MS);
  }

  /** Highlights the slices of a name, or ends this if they are highlighted. */
  toggleHighlight(trace: number, label: number): void {
    const now = this.highlighted.value;
    this.highlight(trace, now.trace === trace && now.label === label ? 0 : label);
  }

  /** label 0: ends highlighting. `also`: a label of the same name in another trace. */
  highlight(trace: number, label: number, also: { trace: number; label: number } | null = null): void {
    this.highlightJob.abort();
    this.highlighted.set({ trace, label });
    this.view.highlightName(trace, label);
    if (also !== null) this.view.highlightAlso(also.trace, also.label);
    this.schedule();
  }

  /**
   * Highlights the slices in the sum of a frame of a flame graph; if they are too many for a list, all slices of its
   * name.
   */
  highlightFrame(trace: number, label: number, ask: (signal: AbortSignal) => Promise<FrameSlices>): void {
    if (label === 0) return this.highlight(trace, 0);
    this.highlighted.set({ trace, label });
    void this.highlightJob.run(async (signal) => {
      try {
        const { count, slices } = await ask(signal);
        if (signal.aborted) return;
        if (count > slices.length) this.view.highlightName(trace, label);
        else this.view.highlightSlices(trace, label, slices.map((place) => ({ ...place, isInstant: false })));
        if (count > slices.length) this.say(t("viewer.the-frame-has-slices", { count }));
        this.schedule();
      } catch (error) {
        if (!isPast(error)) this.say(sentence(messageOf(error)));
      }
    });
  }

  private receive(event: ViewEvent): void {
    switch (event.kind) {
      case ViewEventKind.Sample:
        return event.place === null ? undefined : this.selection.selectSample(event.place, "at");
      case ViewEventKind.Area:
        return this.areas.changed(event);
      case ViewEventKind.Range:
        return this.saveSoon();
      case ViewEventKind.Command:
        return carryOut(this, event.command);
      case ViewEventKind.Perspective:
        this.perspectives.changed();
        return this.saveSoon();
      case ViewEventKind.Follow:
        return this.live.followsChanged();
      case ViewEventKind.Rows:
        this.jump.rowsChanged();
        this.saveSoon();
        return this.rowsChanged();
      case ViewEventKind.Durations:
        return this.histogram.choose(null);
      case ViewEventKind.Head:
        return this.head.set(this.view.head());
      case ViewEventKind.Notes:
        return this.notes.changed(event.command);
    }
  }

  // ---- growing traces ----

  openServed(served: Served): void {
    this.loading.open(served.all, "add");
    this.served = served;
    this.listens.set(served.listens);
    void served.listen((loads) => this.loading.open(loads, "add"));
  }

  private grown(growth: Growth): void {
    const { trace, reshaped, renumbered, ended, slices, bytes } = growth;
    if (renumbered) this.timeline.takeEvents(); // the selection's present numbers
    this.timeline.scheduleSoon();
    this.growth.set(trace, { slices, bytes });
    if (reshaped || ended) this.renewAgain.ask();
    this.flames.grown(this.drawer.isOpen.value && this.drawer.tab.value === "flame");
    this.comparison.grown(this.drawer.isOpen.value && this.drawer.tab.value === "compare");
    this.areas.grown(growth);
    this.selection.grown(growth);
  }

  /**
   * The counts in the top bar change together with the live badge: each change of the page costs the browser a frame.
   */
  private countGrowth(): void {
    for (const [trace, { slices, bytes }] of this.growth) this.loading.setCounts(trace, slices, bytes);
    this.growth.clear();
  }

  private async renewAll(): Promise<void> {
    await Promise.all(
      this.loading.traces.value.map(async (open, i) => {
        if (open.load.grows) await this.loading.renew(i);
      }),
    );
    this.categories.renew();
    this.perspectives.renew();
  }

  // ---- opening ----

  /** Opens traces, and applies view files to the open ones. `handles`: of the files, where the browser has them. */
  openFiles(files: File[], mode: "replace" | "add", handles: Promise<FileSystemHandle | null>[] = []): void {
    for (const file of files) if (isViewFile(file.name)) void this.views.open(file);
    const isTrace = files.map((file) => !isViewFile(file.name));
    if (files.some(({ name }) => isPageFile(name))) return void openWithPages(this, files.filter((_, i) => isTrace[i]), mode);
    const loads = openFiles(this.loading, files.filter((_, i) => isTrace[i]), mode);
    this.recent.expect(loads, handles.filter((_, i) => isTrace[i]));
  }

  openUrls(urls: string[], mode: "replace" | "add"): void {
    openUrls(this.loading, urls, mode);
  }

  /** Opens a recent file. */
  async openRecent(file: RecentFile, mode: "replace" | "add"): Promise<void> {
    this.dialog.set(null);
    try {
      const [name = file.name] = namesFor(this.loading, [[file.name]], mode);
      this.loading.open([await this.recent.open(file, this.loading.perspective, name)], mode);
    } catch (error) {
      this.say(sentence(messageOf(error)));
    }
    this.focusTimeline();
  }

  /**
   * Stops a load. The message is on the card if no trace is open; otherwise it is a notice, because the open trace is
   * visible again.
   */
  cancelLoad(load: Load): void {
    this.loading.cancel(load);
    if (this.loading.traces.value.length > 0) this.say(t("viewer.loading-was-cancelled", { name: fileNameOf(load.status.value.name) }));
    this.focusTimeline();
  }

  /** Closes one of the open traces; the view of the others stays. */
  closeTrace(trace: number): void {
    const name = fileNameOf(this.loading.traces.value[trace]?.info.file.name ?? "");
    this.loading.closeTrace(trace);
    this.say(t("viewer.was-closed", { name }));
    this.focusTimeline();
  }

  /**
   * Chooses files to open. Asks whether they are added or replace the open traces, unless `mode` says it or only the example
   * is open.
   */
  chooseFiles(mode: "replace" | "add" | null): void {
    const isUsed = this.loading.traces.value.length > 0 && !this.isExample.value;
    if (mode === null && isUsed) return this.dialog.set("open");
    this.openMode = mode ?? "replace";
    void this.pickFiles();
  }

  private async pickFiles(): Promise<void> {
    const picked = await this.recent.pick();
    if (picked === null) return document.getElementById("file-input")?.click();
    this.openFiles(picked.files, this.openMode, picked.handles);
    this.openMode = "replace";
    this.focusTimeline();
  }

  /** Clears all state of the closed traces. */
  private cleared(why: "replaced" | "closed"): void {
    if (why === "replaced") {
      this.served?.close();
      this.served = null;
      this.listens.set(null);
    }
    document.title = "Varve";
    this.forgetAnswers();
    this.live.reset();
    this.renewAgain.reset();
    this.search.reset();
    this.notes.reset();
    this.identified = [];
    this.isExample.set(false);
    this.perspectives.renew();
    this.drawer.reset();
  }

  /** Drops the answers of the engine about traces whose numbers are no longer true, and ends the requests for them. */
  private forgetAnswers(): void {
    this.growth.clear();
    this.perspectives.forget();
    this.areas.reset();
    this.beforeSearch = null;
    this.go.reset();
    this.frameCount.reset();
    this.flames.reset();
    this.comparison.reset();
    this.alignment.reset();
    this.sql.reset();
  }

  /** Called after one of several traces was closed: ends the work that has the old numbers of the others. */
  private removed(trace: number): void {
    this.forgetAnswers();
    this.live.removed(trace);
    void this.identified.splice(trace, 1);
    this.notes.removed(trace);
    this.highlight(0, 0);
    this.search.again();
    this.rowMenu.set(null);
    this.tracesChanged();
    const tab = this.drawer.tab.value;
    this.takeEvents(); // the area of the view opens its tab
    if (this.area.value !== null) this.drawer.tab.set(tab);
    this.drawer.tab.set(findTab(this, this.drawer.tab.value) ?? "overview");
    this.saveSoon();
  }

  /** Called after a trace was replaced by its load for another perspective. */
  private replaced(isDone: boolean): void {
    if (!isDone) {
      this.timeline.file.forget();
      return this.perspectives.forget();
    }
    this.areas.reset();
    this.search.reset();
    this.flames.reset();
    this.comparison.reset();
    this.alignment.reset();
    this.frameCount.reset();
    this.notes.changed("");
    this.orderTraces();
    this.categories.renew();
    this.perspectives.renew();
    this.link.restore();
    this.saveSoon();
    this.perspectives.looked();
  }

  private added(isLast: boolean, live: LiveAnswer | null): void {
    const trace = this.loading.ready.length - 1;
    const load = this.loading.ready[trace];
    if (live !== null && load !== undefined) {
      this.live.add(load, trace, live);
      this.loading.setCounts(trace, this.loading.traces.value[trace]?.info.counts["slices"] ?? 0, live.bytes);
    }
    this.traceIsWhole(trace, isLast);
    this.tracesChanged();
  }

  /** Reads the stored marks of a trace; after the last trace restores the view of the link. */
  private traceIsWhole(trace: number, isLast: boolean): void {
    const load = this.loading.ready[trace];
    if (load !== undefined) {
      const identified = this.notes.added(trace, load);
      this.identified[trace] = identified;
      void identified.then(() => this.recent.opened(load)); // after the requests for the picture
    }
    if (isLast) void Promise.all(this.identified).then(() => this.link.restore());
  }

  /** Resolves when the stored marks of the open traces are read. A view that is kept from then on waits for the next trace. */
  async identifiedAll(): Promise<void> {
    await Promise.all(this.identified);
  }

  private tracesChanged(): void {
    this.categories.renew();
    this.perspectives.renew();
    this.orderTraces();
    const names = this.loading.traces.value.map((trace) => trace.info.file.name);
    document.title = t("viewer.varve", { names: names.join(", ") });
    this.timeline.redraw();
  }

  /** Called after the begin of a file was replaced by the whole file. */
  private completed(trace: number, isLast: boolean): void {
    const open = this.loading.traces.value[trace];
    if (open === undefined) return;
    const { counts, file } = open.info;
    this.grown({ trace, from: 0n, reshaped: true, renumbered: true, ended: true, slices: counts["slices"] ?? 0, bytes: file.bytes });
    this.search.again();
    this.go.reset();
    this.frameCount.reset();
    this.histogram.choose(null);
    this.traceIsWhole(trace, isLast);
    this.tracesChanged();
  }

  /**
   * Trace numbers follow the order in which loads become ready; the comparison uses the order in which traces were
   * opened.
   */
  private orderTraces(): void {
    const loads = this.loading.loads.value;
    this.comparison.setOrder(this.loading.ready.map((load) => loads.indexOf(load)));
  }

  /** Updates the link of the page after a change in the view's state. */
  saveSoon(): void {
    this.link.saveSoon();
  }

  private applyTheme(): void {
    const theme = this.settings.theme.value;
    document.documentElement.dataset["theme"] = theme;
    this.view.setTheme(theme);
    this.timeline.redraw();
  }
}
