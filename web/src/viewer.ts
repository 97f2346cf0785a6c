/** The page's state, and the links between its parts: view, engine, panels. Components read its stores and call it. */
import { isAbort, isPast, messageOf, MovedError, requestJson, type Load, type Parameters } from "./carrier/carrier.ts";
import type { CallAnswer, FindAnswer, FlowAnswer, InstantAnswer, LiveAnswer, Mark, NearAnswer, OwnerAnswer, Place, SliceAnswer, StepAnswer } from "./carrier/protocol.ts";
import type { Served } from "./carrier/http.ts";
import { askStats, type Area, type AreaGroup, type AreaPart, type AreaStats } from "./areas.ts";
import { Categories } from "./categories.ts";
import { DrawerState, type Tab } from "./drawer.ts";
import { Flames } from "./flame.ts";
import { followSelection, runFlameCommand } from "./flame_actions.ts";
import { FrameCount } from "./frames.ts";
import { GoQuestions, type GoRange } from "./go.ts";
import { Live, type Growth } from "./live.ts";
import { Loading, type OpenTrace } from "./loading.ts";
import { Search, type Match } from "./search.ts";
import { fileNameOf, sentence } from "./panels/format.ts";
import { openTab, VIEW_TABS } from "./panels/tabs.tsx";
import { Settings } from "./settings.ts";
import { Sql } from "./sql.ts";
import { Latest, Paced, Store } from "./store.ts";
import { Timeline } from "./timeline/timeline.ts";
import { EventKind, type Command, type FoundEvent, type MarkedRow, type RowMark, type ShownRows, type TimelineView, type ViewEvent } from "./wasm/view.ts";

export type Details =
  | { kind: "none" }
  | { kind: "slice"; trace: number; slice: SliceAnswer }
  | { kind: "instant"; trace: number; instant: InstantAnswer }
  | { kind: "owner"; trace: number; owner: OwnerAnswer }
  | { kind: "error"; message: string };

export type DialogName = "help" | "report" | "palette" | "settings" | "go-to" | "find-track";

/** A time of a row, and the instant there, if it is known. */
interface Moment extends Omit<Mark, "instant"> {
  instant: number | null;
}

const HASH_MS = 300;
/** By then a download has begun. */
const REVOKE_MS = 10_000;
/** Lists from which one goes to one thing after the other: they stay when one is selected there. */
const LISTS: readonly Tab[] = ["search", "frames"];
/** Shortest time between two requests for the same thing of a trace that grows. */
const RECOUNT_MS = 500;
const RENEW_MS = 2000;
const NOWHERE: Record<string, string> = {
  "flow-next": "No arrow leads on from this slice.",
  "flow-previous": "No arrow leads to this slice.",
  next: "There is nothing behind it in its row.",
  previous: "There is nothing before it in its row.",
  parent: "There is no slice around it.",
  child: "There is no slice inside it.",
};

/** The sentence for a move that leads nowhere. */
const nothing = (move: string) => NOWHERE[move] ?? "There is no other one of this name.";

function noSuchCall(wanted: { number: string } | { frame: string }, { calls, frames }: CallAnswer): string {
  return "frame" in wanted
    ? `There is no frame ${wanted.frame}: the capture has ${frames}.`
    : `There is no call ${wanted.number}: the capture has ${calls}.`;
}

/** The perspective of a link, null = all. */
function perspectiveOf(state: string): string | null {
  return /;v([^;]+)/.exec(state)?.[1] ?? null;
}

export class Viewer {
  readonly settings = new Settings();
  readonly loading: Loading;
  readonly search: Search;
  readonly categories: Categories;
  readonly go = new GoQuestions();
  readonly frameCount = new FrameCount();
  readonly flames = new Flames();
  readonly sql: Sql;
  readonly live: Live;
  /** Where more traces may come from, null = nowhere. */
  readonly listens = new Store<string | null>(null);
  readonly commands: Command[];
  readonly details = new Store<Details>({ kind: "none" });
  readonly area = new Store<Area | null>(null);
  readonly areaGroup = new Store<AreaGroup>("name");
  readonly drawer = new DrawerState(VIEW_TABS);
  readonly dialog = new Store<DialogName | null>(null);
  /** The bundled example is open: the page introduces itself. */
  readonly isExample = new Store(false);
  /** Read out by screen readers, and shown for a moment. */
  readonly notice = new Store("");
  /** The name in the area's table that is highlighted; label 0 = none. */
  readonly highlighted = new Store({ trace: 0, label: 0 });
  /** The visible rows, and the hidden, pinned and isolated ones. */
  readonly rows = new Store<ShownRows>({ filter: "", tracks: 0, rows: 0, has_events: false, marks: [] });
  /** The ways in which the traces can be looked at, and the one that is, "" = all. */
  readonly perspectives = new Store<{ names: string[]; shown: string }>({ names: [], shown: "" });
  private timeline: Timeline | null = null;
  private selected: Place | null = null;
  /** The instant that is selected, or a moment of a track without one. */
  private moment: Moment | null = null;
  private detailsJob = new Latest();
  private nearJob = new Latest();
  private areaJob = new Latest();
  private areaAgain = new Paced(RECOUNT_MS, () => this.recountArea());
  private selectionAgain = new Paced(RECOUNT_MS, () => this.findSelection());
  private renewAgain = new Paced(RENEW_MS, () => this.renewAll());
  /** By trace: counts for the next state of live traces. */
  private growth = new Map<number, { slices: number; bytes: number }>();
  private served: Served | null = null;
  private hashTimer: number | null = null;
  private pendingState: string | null = null;
  /** The slice of a link to one slice of the first trace, to be selected when the trace is there. */
  private pendingSlice: string | null = null;
  private afterLook: (() => void) | null = null;

  constructor(readonly view: TimelineView) {
    this.commands = view.commands();
    this.loading = new Loading(
      view,
      () => this.cleared(),
      (isLast, live) => this.added(isLast, live),
      () => this.replacing(),
      (isDone) => this.replaced(isDone),
    );
    this.live = new Live(
      view,
      (growth) => this.grown(growth),
      () => this.timeline?.scheduleSoon(),
      () => this.timeline?.hasHand ?? false,
    );
    this.live.state.subscribe(() => this.countGrowth());
    this.sql = new Sql(this.loading.ready);
    this.categories = new Categories(view, this.loading.traces, () => this.hiddenChanged());
    this.search = new Search(
      this.loading.ready,
      (match) => this.selectBeside(match),
      (trace) => this.categories.parameters(trace),
      (trace, matches, labels) => this.showFound(trace, matches, labels),
    );
    this.areaGroup.subscribe(() => void this.recountArea());
    this.settings.saved.subscribe(({ searchValues }) => {
      if (searchValues === this.search.inValues) return;
      this.search.inValues = searchValues;
      this.search.again();
    });
    this.search.inValues = this.settings.saved.value.searchValues;
    this.details.subscribe((details) => followSelection(this, details));
    this.settings.theme.subscribe(() => this.applyTheme());
    this.settings.options.subscribe((options) => {
      this.view.options = options;
      this.timeline?.redraw();
    });
    this.view.options = this.settings.options.value;
    this.applyTheme();
  }

  attach(canvas: HTMLCanvasElement, twin: HTMLElement): void {
    this.timeline = new Timeline({
      canvas,
      twin,
      view: this.view,
      loads: this.loading.ready,
      onEvent: (event) => this.receive(event),
      onOptions: (options) => this.settings.keepOptions(options),
      onFailure: (message) => this.say(message),
      onSelectFromTwin: (place) => this.selectUnknown(place),
      onSelectInstantFromTwin: (mark) => this.selectInstant(mark),
      isGrowing: () => this.live.isReceiving,
      plain: new URLSearchParams(location.search).get("painter") === "2d",
    });
    void Promise.all([document.fonts.load('400 12px "Inter Varve"'), document.fonts.load('500 12px "Inter Varve"')])
      .catch(() => undefined)
      .then(() => this.timeline?.forgetGlyphs());
  }

  /** Nothing is under way: for tests, which wait for it. */
  get isIdle(): boolean {
    const jobs = [this.detailsJob, this.nearJob, this.areaJob];
    const still = (this.timeline?.isIdle ?? false) && !this.view.isWaiting && !this.drawer.isWaiting;
    return still && !this.loading.isLoading && !this.search.isRunning && !this.go.isRunning && !this.flames.isRunning && !this.frameCount.isRunning && !this.sql.isRunning && jobs.every((job) => !job.isRunning);
  }

  get painterName(): string {
    return this.timeline?.painterName ?? "none";
  }

  get frames(): number {
    return this.timeline?.frames ?? 0;
  }

  say(text: string): void {
    this.notice.set("");
    this.notice.set(text);
  }

  // ---- commands ----

  run(name: string): void {
    this.view.command(name, performance.now());
    this.timeline?.schedule();
    this.focusTimeline();
  }

  focusTimeline(): void {
    document.getElementById("timeline")?.focus({ preventScroll: true });
  }

  /** Carries out the commands that the view leaves to the page. */
  private carryOut(command: string): void {
    switch (command) {
      case "help":
      case "palette":
      case "report":
      case "go-to":
      case "find-track":
        return this.dialog.set(command);
      case "open":
        return document.getElementById("file-input")?.click();
      case "search": {
        const field = document.getElementById("search") as HTMLInputElement | null;
        field?.focus();
        return field?.select();
      }
      case "pause":
        return this.live.toggleHold();
      case "theme":
        return this.settings.nextTheme();
      case "nothing-in-sight":
        return this.say("No slice or instant of this track is in sight. 0 shows the whole trace.");
      case "timeline":
        this.drawer.shrink();
        return this.focusTimeline();
      case "toggle-drawer":
        return this.drawer.toggle();
      case "enlarge-drawer":
        return this.drawer.toggleWhole();
      case "copy-link":
        return this.copy(location.href, "the link");
    }
    if (!runFlameCommand(this, command)) openTab(this, command);
  }

  private showFound(trace: number, matches: Match[], labels: number[]): void {
    const events = matches.flatMap(({ place, mark }): FoundEvent[] => {
      if (place !== null) return [{ ...place, isInstant: false }];
      return mark === null ? [] : [{ ...mark, extent: "0", isInstant: true }];
    });
    this.view.setFound(trace, events, labels);
    this.timeline?.schedule();
  }

  /** Other categories are hidden: the area and the search are counted again. */
  private hiddenChanged(): void {
    const area = this.area.value;
    if (area !== null) void this.countArea(area.parts);
    this.search.again();
    this.saveSoon();
    this.timeline?.schedule();
  }

  copy(text: string, what: string): void {
    navigator.clipboard.writeText(text).then(
      () => this.say(`Copied ${what}.`),
      () => this.say("The browser does not let this page copy."),
    );
  }

  /** Brings a moment of the first trace, in ticks from its begin, to the middle. */
  goTo(tick: bigint): void {
    const { begin, end } = this.view.range(0);
    const half = (end - begin) / 2n;
    this.view.setRange(0, tick - half, tick - half + (end - begin), performance.now());
    this.timeline?.schedule();
  }

  /** `then`: once what it shows is there. */
  lookFrom(perspective: string, then: (() => void) | null = null): void {
    this.view.perspective = perspective;
    this.lookedFrom = this.view.perspective;
    this.afterLook = then;
    this.look();
    this.timeline?.schedule();
    this.focusTimeline();
  }

  /** The perspective that was last seen to. */
  private lookedFrom = "";

  /** By a key, or by what has seen to it: `lookFrom`, or a selection that is shown in no other. */
  private perspectiveChanged(): void {
    this.renewPerspectives();
    if (this.view.perspective === this.lookedFrom) return void this.loading.complete();
    this.lookedFrom = this.view.perspective;
    this.look();
  }

  private look(): void {
    if (this.loading.complete()) return;
    this.keepSelected();
    this.looked();
  }

  private looked(): void {
    const then = this.afterLook;
    this.afterLook = null;
    if (then !== null) {
      this.kept = null;
      then();
    } else if (this.kept !== null && !this.view.lacks(this.kept.place.trace)) {
      void this.selectCounterpart(this.kept);
    }
  }

  /** What was selected before the perspective changed, to be selected there as well; and the load that knows it. */
  private kept: { place: Place; load: Load } | null = null;

  private keepSelected(): void {
    const place = this.selected;
    const load = place === null ? undefined : this.loading.ready[place.trace];
    if (place !== null && load !== undefined) this.kept = { place, load };
  }

  /** Drops selections that were requested before the newest one. */
  private overtake(): void {
    this.afterLook = this.kept = null;
    this.nearJob.abort();
  }

  /** Keeps the camera's range. */
  private async selectCounterpart({ place, load: before }: { place: Place; load: Load }): Promise<void> {
    const trace = place.trace;
    const load = this.loading.ready[trace];
    if (load === undefined) return;
    await this.nearJob.run(async (signal) => {
      try {
        const { subject, place: known } = await requestJson<SliceAnswer>(before, "slice", sliceOf(before, place), signal);
        const asked = { subject: subject ?? "", perspective: this.view.perspective, at: String(this.momentIn(trace, known)) };
        const found = subject === null ? null : await requestJson<Place | null>(load, "counterpart", asked, signal);
        if (signal.aborted) return;
        this.kept = null;
        if (found === null) return;
        const { begin, end } = this.view.range(trace);
        const tab = this.drawer.tab.value;
        this.select({ ...found, trace });
        this.drawer.tab.set(tab);
        this.view.setRange(trace, begin, end, performance.now());
      } catch (error) {
        if (isPast(error)) return;
        this.kept = null;
        this.say(messageOf(error));
      }
    });
  }

  /** Returns the moment of a slice that is nearest to the middle of the visible range. */
  private momentIn(trace: number, { begin, extent }: Pick<Place, "begin" | "extent">): bigint {
    const shown = this.view.range(trace);
    const [first, last] = [BigInt(begin), BigInt(begin) + BigInt(extent)];
    const middle = shown.begin + (shown.end - shown.begin) / 2n;
    return middle <= first ? first : middle < last ? middle : last > first ? last - 1n : first;
  }

  private renewPerspectives(): void {
    this.perspectives.set({ names: this.view.perspectives, shown: this.view.perspective });
  }

  /** Brings a time of a trace, in ticks from its begin, into view with some room on both sides. */
  showRange(trace: number, begin: string, end: string): void {
    const [from, to] = [BigInt(begin), BigInt(end)];
    const room = (to - from) / 8n + 1n;
    this.view.setRange(trace, from - room, to + room, performance.now());
    this.timeline?.schedule();
  }

  /** The first trace whose calls make frames, -1 = none is open. */
  frameTrace(traces: OpenTrace[]): number {
    return traces.findIndex((trace) => trace.info.time.clock === "calls");
  }

  /** The first trace of Go, -1 = none is open. */
  goTrace(traces: OpenTrace[]): number {
    return traces.findIndex((trace) => trace.info.format.name === "go");
  }

  /** Saves binary data that a call brings, byte for byte. */
  async saveBlob(trace: number, slice: number, number: number, name: string): Promise<void> {
    const load = this.loading.ready[trace];
    if (load === undefined) return;
    try {
      this.saveBytes(await load.request("blob", { id: slice, number }), name);
    } catch (error) {
      if (!isPast(error)) this.say(sentence(messageOf(error)));
    }
  }

  /** Saves a profile of the Go panel as a file for `go tool pprof`. */
  async saveProfile(what: string): Promise<void> {
    const trace = this.goTrace(this.loading.traces.value);
    const load = this.loading.ready[trace];
    if (load === undefined) return;
    try {
      const bytes = await load.request("pprof", { what, ...this.goRange(trace) });
      const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
      const file = fileNameOf(this.loading.traces.value[trace]?.info.file.name ?? "").replace(/\.trace$/, "");
      this.saveBytes(await new Response(packed).arrayBuffer(), `${file.replace(/[^\w.-]+/g, "_")}.${what}.pb.gz`);
    } catch (error) {
      if (!isPast(error)) this.say(sentence(messageOf(error)));
    }
  }

  /** The time that the Go panel asks about: that of the selected area, null = all. */
  goRange(trace: number): GoRange | null {
    const area = this.area.value;
    return area !== null && area.trace === trace ? { begin: area.begin, end: area.end } : null;
  }

  saveBytes(bytes: BlobPart, name: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
    this.say(`${name} was saved.`);
  }

  /**
   * Selects a call or a frame of a trace and brings it into view. Returns what is wrong, or null. Chosen in a list of the drawer,
   * the list stays; otherwise the drawer shows the details.
   */
  async goToCall(wanted: { number: string } | { frame: string }, trace = 0, from: "list" | "dialog" = "list"): Promise<string | null> {
    const load = this.loading.ready[trace];
    if (load === undefined) return "No trace is open.";
    let problem: string | null = null;
    await this.nearJob.run(async (signal) => {
      try {
        const call = await requestJson<CallAnswer>(load, "call", { ...wanted }, signal);
        if (call.place === null) problem = noSuchCall(wanted, call);
        else if (from === "list") this.selectBeside({ place: { ...call.place, trace }, mark: null });
        else this.select({ ...call.place, trace });
      } catch (error) {
        if (!isPast(error)) problem = sentence(messageOf(error));
      }
    });
    return problem;
  }

  filterTracks(pattern: string): void {
    this.view.filterTracks(pattern);
    this.rowsChanged();
    this.timeline?.schedule();
  }

  /** Shows a hidden row again, unpins one, ends isolating; row null: of all rows. */
  unmark(mark: RowMark["mark"], row: MarkedRow | null): void {
    this.view.unmark(mark, row);
    this.rowsChanged();
    this.timeline?.schedule();
  }

  private rowsChanged(): void {
    const rows = this.view.shown();
    if (JSON.stringify(rows) !== JSON.stringify(this.rows.value)) this.rows.set(rows);
  }

  // ---- selection ----

  /** Selects from outside the timeline, which brings it into view. */
  select(place: Place | null): void {
    this.view.select(place, performance.now());
    this.lookedFrom = this.view.perspective;
    this.selectionChanged(place, true);
    this.timeline?.schedule();
  }

  /** Selects a slice whose details are at hand, so that they are not asked for again. */
  private selectKnown(trace: number, slice: SliceAnswer): void {
    const place = { ...slice.place, trace };
    this.view.select(place, performance.now());
    this.lookedFrom = this.view.perspective;
    this.selectionChanged(place, true, { kind: "slice", trace, slice });
    this.timeline?.schedule();
  }

  /** Selects from a list in the drawer, which stays. */
  private selectBeside({ place, mark }: { place: Place | null; mark: Mark | null }): void {
    const tab = this.drawer.tab.value;
    if (mark === null) this.select(place);
    else this.selectInstant(mark);
    if (LISTS.includes(tab)) this.drawer.tab.set(tab);
  }

  /** Selects the slice of a place, or the first of several slices there that are drawn as one. */
  private selectFirst(place: Place): void {
    this.selectAnswered(place.trace, (load, signal) => {
      const ask = () => requestJson<SliceAnswer>(load, "slice", sliceOf(load, this.selected ?? place), signal);
      return this.repeated(load, ask, signal);
    });
  }

  /**
   * Selects the slice with this id, the `id` of SQL, and brings it into view. The request is not repeated when a growing trace
   * was numbered anew meanwhile: the id then means another slice.
   */
  selectId(trace: number, id: string): void {
    this.selectAnswered(trace, (load, signal) => requestJson<SliceAnswer>(load, "slice", { id }, signal));
  }

  private selectAnswered(trace: number, ask: (load: Load, signal: AbortSignal) => Promise<SliceAnswer>): void {
    const load = this.loading.ready[trace];
    if (load === undefined) return;
    void this.nearJob.run(async (signal) => {
      try {
        const slice = await ask(load, signal);
        if (!signal.aborted) this.selectKnown(trace, slice);
      } catch (error) {
        if (!isAbort(error) && !signal.aborted) this.say(messageOf(error));
      }
    });
  }

  /**
   * Asks about something of a trace that grows, and again with its present numbers when it was numbered anew meanwhile.
   * `ask` takes the numbers from the view each time.
   */
  private async repeated<T>(load: Load, ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const shape = load.shape;
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof MovedError) || signal.aborted) throw error;
        if (load.shape === shape) await this.live.renewed(load);
        if (signal.aborted) throw error;
      }
    }
  }

  /** Selects the first slice or instant whose name holds a text. */
  selectNamed(trace: number, text: string): void {
    const load = this.loading.ready[trace];
    if (load === undefined) return;
    void this.nearJob.run(async (signal) => {
      try {
        const { place, mark } = await requestJson<FindAnswer>(load, "find", { text, ...this.categories.parameters(trace) }, signal);
        if (signal.aborted) return;
        if (place !== null) this.select({ ...place, trace });
        else if (mark !== null) this.selectInstant({ ...mark, trace });
        else this.say(`There is no ${text}.`);
      } catch (error) {
        if (!isPast(error)) this.say(messageOf(error));
      }
    });
  }

  /** The view before typing a search moved it, until a match is chosen or the field is left. */
  private beforeSearch: string | null = null;

  typeSearch(text: string): void {
    if (this.search.state.value.text === "" && this.loading.ready.length > 0)
      this.beforeSearch = this.view.saveState();
    this.search.type(text);
  }

  /** Goes to another match: the view stays with it when the search ends. */
  moveSearch(move: "next" | "previous"): void {
    this.beforeSearch = null;
    this.search.move(move);
  }

  /** What the search has shown so far is kept. */
  keepSearch(): void {
    this.beforeSearch = null;
  }

  /** Ends the search. Where only typing has moved the view, it goes back. */
  endSearch(): void {
    const before = this.beforeSearch;
    this.beforeSearch = null;
    this.search.type("");
    if (before !== null) {
      this.select(null);
      this.view.loadState(before);
      this.timeline?.takeEvents();
    }
    this.focusTimeline();
  }

  /** Highlights the slices of a name, or ends that where they are highlighted already. */
  toggleHighlight(trace: number, label: number): void {
    const now = this.highlighted.value;
    this.highlight(trace, now.trace === trace && now.label === label ? 0 : label);
  }

  /** label 0: no slices */
  highlight(trace: number, label: number): void {
    this.highlighted.set({ trace, label });
    this.view.highlightName(trace, label);
    this.timeline?.schedule();
  }

  private receive(event: ViewEvent): void {
    switch (event.kind) {
      case EventKind.Select:
        return this.selectionChanged(event.place, event.exact);
      case EventKind.Instant:
        return event.place === null ? undefined : this.showInstant({ ...event.place, instant: event.instant });
      case EventKind.Area:
        return this.areaChanged(event);
      case EventKind.Range:
        return this.saveSoon();
      case EventKind.Near:
        return this.moveSelection(event.command);
      case EventKind.Command:
        return this.carryOut(event.command);
      case EventKind.Process:
        return this.showOwner(event.trace, "process", event.process);
      case EventKind.Track:
        return this.showOwner(event.trace, "thread", event.track);
      case EventKind.Flow:
        return event.place === null ? undefined : this.goToFlowEnd(event.place, event.flow, event.command);
      case EventKind.Perspective:
        this.perspectiveChanged();
        return this.saveSoon();
      case EventKind.Follow:
        return this.live.followsChanged();
      case EventKind.Moved:
        if (this.moment !== null) this.moment = { ...this.moment, ...event.place };
        else this.selected = event.place;
        return this.selectionAgain.ask();
      case EventKind.Rows:
        return this.rowsChanged();
      case EventKind.Cursor:
        return this.timeline?.setCursor(event.command);
    }
  }

  /** details: of the slice, where they are known already. */
  private selectionChanged(place: Place | null, exact: boolean, details: Details | null = null): void {
    // That nothing is selected any more is told as well when a trace was replaced: this overtakes nothing.
    if (place !== null || this.selected !== null) this.overtake();
    this.selected = place;
    this.moment = null;
    if (place !== null && !exact) return this.selectFirst(place);
    this.saveSoon();
    if (place === null) {
      this.detailsJob.abort();
      this.details.set({ kind: "none" });
      return;
    }
    this.search.startFrom(place);
    this.showDetails(place.trace, async (load, signal) => {
      if (details !== null) return details;
      const ask = () => requestJson<SliceAnswer>(load, "slice", sliceOf(load, this.selected ?? place), signal);
      return { kind: "slice", trace: place.trace, slice: await this.repeated(load, ask, signal) };
    });
  }

  private showInstant(mark: Mark): void {
    const { trace } = mark;
    this.selectMoment(mark);
    this.showDetails(trace, async (load, signal) => {
      const ask = () => requestJson<InstantAnswer>(load, "instant", { id: mark.instant, ...placeOf(load, this.moment ?? mark) }, signal);
      return { kind: "instant", trace, instant: await this.repeated(load, ask, signal) };
    });
  }

  private selectMoment(moment: Moment): void {
    this.overtake();
    this.selected = null;
    this.moment = moment;
  }

  /** Selects a slice of which only the place is known. */
  private selectUnknown(place: Place): void {
    this.view.select(place, performance.now());
    this.lookedFrom = this.view.perspective;
    this.selectionChanged(place, false);
    this.timeline?.schedule();
  }

  /** Goes to an instant from outside the timeline, which brings it into view. */
  selectInstant(mark: Mark): void {
    this.view.selectInstant(mark, performance.now());
    this.lookedFrom = this.view.perspective;
    this.showInstant(mark);
    this.timeline?.schedule();
  }

  private showOwner(trace: number, what: "process" | "thread", id: number): void {
    this.showDetails(trace, async (load, signal) => {
      const owner = await requestJson<OwnerAnswer>(load, what, { id }, signal);
      return { kind: "owner", trace, owner };
    });
  }

  private showDetails(trace: number, ask: (load: Load, signal: AbortSignal) => Promise<Details>): void {
    const load = this.loading.ready[trace];
    if (load === undefined) return;
    this.drawer.follow("details");
    void this.detailsJob.run(async (signal) => {
      try {
        const details = await ask(load, signal);
        if (!signal.aborted) this.details.set(details);
      } catch (error) {
        if (!isPast(error)) this.details.set({ kind: "error", message: messageOf(error) });
      }
    });
  }

  /** Where a walk along arrows is, as `near` tells it. */
  private walk = "";

  /** From an instant: to the next one, to one of the same name, to the slice around it. */
  private moveFromInstant(from: Moment, move: string): void {
    const { trace, instant } = from;
    const load = this.loading.ready[trace];
    if (load === undefined || instant === null) return;
    void this.nearJob.run(async (signal) => {
      try {
        const near = () => ({ instant, ...placeOf(load, this.moment ?? from), move, ...this.categories.parameters(trace) });
        const { place, mark } = await this.repeated(load, () => requestJson<NearAnswer>(load, "near", near(), signal), signal);
        if (signal.aborted) return;
        if (place !== null) this.select({ ...place, trace });
        else if (mark !== null) this.selectInstant({ ...mark, trace });
        else this.say(nothing(move));
      } catch (error) {
        if (!isPast(error)) this.say(messageOf(error));
      }
    });
  }

  private moveSelection(move: string): void {
    if (this.moment !== null) return this.moveFromInstant(this.moment, move);
    const from = this.selected;
    const load = from === null ? undefined : this.loading.ready[from.trace];
    if (from === null || load === undefined) return;
    void this.nearJob.run(async (signal) => {
      try {
        const near = () => ({ ...sliceOf(load, this.selected ?? from), move, ...this.categories.parameters(from.trace) });
        let place: Place | null;
        let mark: NearAnswer["mark"] = null;
        if (move.startsWith("flow-")) {
          const ask = () => requestJson<StepAnswer | null>(load, "near", { ...near(), walk: this.walk }, signal);
          const step = await this.repeated(load, ask, signal);
          if (step !== null) this.walk = step.walk;
          place = step?.place ?? null;
        } else {
          ({ place, mark } = await this.repeated(load, () => requestJson<NearAnswer>(load, "near", near(), signal), signal));
        }
        if (signal.aborted) return;
        if (mark !== null) return this.selectInstant({ ...mark, trace: from.trace });
        if (place === null) this.say(nothing(move));
        else this.select({ ...place, trace: from.trace });
      } catch (error) {
        if (!isPast(error)) this.say(messageOf(error));
      }
    });
  }

  /** Selects the moment of a track where an arrow ends, and then the slice there, if there is one. */
  private goToFlowEnd({ trace, track, row, begin }: Place, id: number, end: string): void {
    const load = this.loading.ready[trace];
    if (load === undefined) return;
    const there: Moment = { trace, track, row, begin, instant: null };
    this.view.selectInstant(there, performance.now());
    this.selectMoment(there);
    this.timeline?.schedule();
    void this.nearJob.run(async (signal) => {
      try {
        const flow = () => (load.grows ? { ...placeOf(load, this.moment ?? there), end } : { id });
        const ends = await this.repeated(load, () => requestJson<FlowAnswer>(load, "flow", flow(), signal), signal);
        if (signal.aborted) return;
        const { place } = end === "from" ? ends.from : ends.to;
        if (place !== null) return this.select({ ...place, trace });
        this.say("The arrow is on no slice there.");
      } catch (error) {
        if (!isPast(error)) this.say(messageOf(error));
      }
    });
  }

  private areaChanged(event: ViewEvent): void {
    this.highlighted.set({ trace: 0, label: 0 });
    const load = this.loading.ready[event.trace];
    if (event.begin === event.end || load === undefined) {
      this.areaJob.abort();
      this.area.set(null);
      if (this.drawer.tab.value === "area") this.drawer.tab.set("details");
      return;
    }
    const parts = this.loading.ready.map((_, trace) => this.view.areaIn(trace)).filter((part) => part !== null);
    const wanted = parts.map(({ trace, begin, end, tracks }) => ({ trace, begin, end, tracks }));
    const [before, first] = [this.area.value, wanted[0]];
    if (before !== null && first !== undefined && wanted.some((part) => this.live.isGrowing(part.trace))) {
      // It has grown along: it is counted anew, but not ten times a second.
      this.area.set({ ...before, ...first, parts: wanted });
      return this.areaAgain.ask();
    }
    this.drawer.follow("area");
    void this.countArea(wanted);
  }

  private countArea(parts: AreaPart[]): Promise<void> {
    const first = parts[0];
    if (first === undefined) return Promise.resolve();
    // The old table stays until the new one is there: no flicker while the area is dragged.
    this.area.set({ ...first, parts, stats: this.area.value?.stats ?? null, error: null });
    return this.areaJob.run(async (signal) => {
      let stats: AreaStats | null = null;
      let error: string | null = null;
      try {
        stats = await askStats(this.loading.ready, parts, this.areaGroup.value, (trace) => this.categories.parameters(trace), signal);
      } catch (failure) {
        if (isPast(failure)) return;
        error = messageOf(failure);
      }
      if (!signal.aborted) this.area.update((area) => (area === null ? null : { ...area, stats, error }));
    });
  }

  // ---- traces that grow ----

  openServed(served: Served): void {
    this.loading.open(served.all, "add");
    this.served = served;
    this.listens.set(served.listens);
    void served.listen((loads) => this.loading.open(loads, "add"));
  }

  private grown({ trace, from, reshaped, renumbered, ended, slices, bytes }: Growth): void {
    if (renumbered) this.timeline?.takeEvents(); // the selection's present numbers
    this.timeline?.scheduleSoon();
    this.growth.set(trace, { slices, bytes });
    if (reshaped || ended) this.renewAgain.ask();
    this.flames.grown(this.drawer.isOpen.value && this.drawer.tab.value === "flame");
    const area = this.area.value;
    const reaches = (part: AreaPart) => part.trace === trace && (reshaped || BigInt(part.end) > from);
    if (area?.parts.some(reaches)) this.areaAgain.ask();
    const selected = this.selected;
    if (selected === null || selected.trace !== trace || renumbered) return;
    if (reshaped || BigInt(selected.begin) + BigInt(selected.extent) >= from) this.selectionAgain.ask();
  }

  /** What the bar on top says changes with the badge beside it: each change of the page is a frame of its own to the browser. */
  private countGrowth(): void {
    for (const [trace, { slices, bytes }] of this.growth) this.loading.setCounts(trace, slices, bytes);
    this.growth.clear();
  }

  private recountArea(): Promise<void> {
    const area = this.area.value;
    return area === null ? Promise.resolve() : this.countArea(area.parts);
  }

  /** The selected slice may have another id by now, or be longer: it stands where it stood. */
  private async findSelection(): Promise<void> {
    const before = this.selected;
    const load = before === null ? undefined : this.loading.ready[before.trace];
    if (before === null || load === undefined) return;
    const { trace, track, row, begin } = before;
    try {
      const slice = await requestJson<SliceAnswer>(load, "slice", { track, row, begin });
      if (this.selected !== before) return;
      const place = { ...slice.place, trace };
      const shown = this.details.value;
      const isShown = shown.kind === "slice" && shown.slice.place.slice === place.slice && shown.slice.place.extent === place.extent;
      this.selected = place;
      this.view.reselect(place);
      this.timeline?.scheduleSoon();
      if (!isShown && shown.kind === "slice") this.details.set({ kind: "slice", trace, slice });
    } catch {
      // Things are numbered anew once more: that is told, too.
    }
  }

  private async renewAll(): Promise<void> {
    await Promise.all(
      this.loading.traces.value.map(async (open, i) => {
        if (open.load.grows) await this.loading.renew(i);
      }),
    );
    this.categories.renew();
    this.renewPerspectives();
  }

  // ---- opening ----

  /** Keeps the parameters of a link, to be restored when its traces are there: `v` is a state of the view, `slice` an id. */
  restoreLater(link: URLSearchParams): void {
    this.pendingState = link.get("v");
    if (this.pendingState !== null) this.loading.perspective = perspectiveOf(this.pendingState);
    const slice = link.get("slice");
    if (slice !== null && /^\d{1,15}$/.test(slice)) this.pendingSlice = slice;
  }

  /** Restores the link's state, once the traces are made for its perspective: what is selected there has a number of its own. */
  private restore(): void {
    if (this.pendingSlice !== null) this.selectId(0, this.pendingSlice);
    this.pendingSlice = null;
    if (this.pendingState === null) return;
    this.view.perspective = perspectiveOf(this.pendingState) ?? "";
    if (this.loading.complete()) return;
    this.view.loadState(this.pendingState);
    this.pendingState = null;
    this.loading.perspective = "";
  }

  /** Stops a load. The card says so where nothing is open, a notice where the open trace is in sight again. */
  cancelLoad(load: Load): void {
    this.loading.cancel(load);
    if (this.loading.traces.value.length > 0) this.say(`Loading ${fileNameOf(load.status.value.name)} was cancelled.`);
    this.focusTimeline();
  }

  /** The open traces were closed: others take their place. */
  private cleared(): void {
    this.timeline?.fetcher.reset();
    this.served?.close();
    this.served = null;
    this.listens.set(null);
    this.growth.clear();
    this.live.reset();
    for (const again of [this.areaAgain, this.selectionAgain, this.renewAgain]) again.reset();
    this.selected = this.moment = this.afterLook = this.kept = null;
    for (const job of [this.detailsJob, this.nearJob, this.areaJob]) job.abort();
    this.details.set({ kind: "none" });
    this.area.set(null);
    this.highlighted.set({ trace: 0, label: 0 });
    this.search.reset();
    this.beforeSearch = null;
    this.go.reset();
    this.frameCount.reset();
    this.flames.reset();
    this.sql.reset();
    this.isExample.set(false);
    this.renewPerspectives();
    this.drawer.tab.set("details");
    this.timeline?.redraw();
  }

  /** A trace is about to be replaced by what another perspective shows of it. */
  private replacing(): void {
    this.timeline?.takeEvents();
    this.keepSelected();
  }

  /** A trace was replaced by what another perspective shows of it. */
  private replaced(isDone: boolean): void {
    if (!isDone) {
      this.pendingState = this.afterLook = this.kept = null;
      return;
    }
    this.timeline?.fetcher.reset();
    for (const job of [this.detailsJob, this.nearJob, this.areaJob]) job.abort();
    this.selected = this.moment = null;
    this.details.set({ kind: "none" });
    this.area.set(null);
    this.highlighted.set({ trace: 0, label: 0 });
    this.search.reset();
    this.flames.reset();
    this.categories.renew();
    this.renewPerspectives();
    this.restore();
    this.saveSoon();
    this.timeline?.redraw();
    this.looked();
  }

  private added(isLast: boolean, live: LiveAnswer | null): void {
    const trace = this.loading.ready.length - 1;
    const load = this.loading.ready[trace];
    if (isLast) this.restore();
    if (live !== null && load !== undefined) this.live.add(load, trace, live);
    this.categories.renew();
    this.renewPerspectives();
    const names = this.loading.traces.value.map((trace) => trace.info.file.name);
    document.title = `${names.join(", ")} - Varve`;
    this.timeline?.redraw();
  }

  private saveSoon(): void {
    if (this.hashTimer !== null) clearTimeout(this.hashTimer);
    this.hashTimer = window.setTimeout(() => {
      this.hashTimer = null;
      if (this.loading.ready.length === 0 || this.pendingState !== null) return;
      history.replaceState(null, "", `#v=${encodeURIComponent(this.view.saveState())}`);
    }, HASH_MS);
  }

  private applyTheme(): void {
    const theme = this.settings.theme.value;
    document.documentElement.dataset["theme"] = theme;
    this.view.setTheme(theme);
    this.timeline?.redraw();
  }
}

/** The parameters that find an event again in a trace that grows: ids pass away there, places stay. */
function placeOf(load: Load, { track, row, begin }: Moment | Place): Parameters {
  return load.grows ? { track, row, begin } : {};
}

/** The parameters of a request about a slice. */
function sliceOf(load: Load, place: Place): Parameters {
  return load.grows ? placeOf(load, place) : { id: place.slice };
}
