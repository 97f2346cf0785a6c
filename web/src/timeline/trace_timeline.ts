/**
 * Traces in a timeline: their loads, the canvas with its input, the selection and the view file. The page of the viewer and
 * the element `varve-timeline` are built around it; each decides about messages, panels and storage.
 */
import { Loading, type LoadingPage } from "../loading.ts";
import type { Frame } from "../painter/frame.ts";
import { Selection, type SelectionPage } from "../selection.ts";
import { fontScale } from "../font_size.ts";
import { t } from "../texts.ts";
import type { Load } from "../transport/transport.ts";
import type { EngineHost } from "../transport/worker.ts";
import type { LoadedView, TimelineView, ViewEvent } from "../wasm/view.ts";
import { ViewEventKind } from "generated/border.ts";
import { Fetcher } from "./fetcher.ts";
import { Timeline, type TimelineElements } from "./timeline.ts";
import { ViewFile } from "./view_file.ts";

/** The page around a timeline. */
export interface TimelinePage extends Omit<LoadingPage, "removing">, Pick<SelectionPage, "hidden" | "renewed" | "selected" | "overtaken" | "noted" | "opening"> {
  say(message: string): void;
  /** Handles the events of the view that are not about the selection and the pointer. */
  receive(event: ViewEvent): void;
  /** Called when commands of the view may have changed its options. */
  optionsChanged(options: number): void;
  /** Returns the text of a search by its number; null = it has ended. */
  textOf(search: number): string | null;
  /** True if a trace grows, so that new data arrives continuously. */
  isGrowing(): boolean;
  /** Called after a view file was applied. */
  viewApplied(loaded: LoadedView, name: string): void;
  /** Called if a view file is not valid. */
  viewFailed(name: string, reason: string): void;
}

export class TraceTimeline {
  readonly loading: Loading;
  readonly selection: Selection;
  readonly file: ViewFile;
  private readonly fetcher: Fetcher;
  private timeline: Timeline | null = null;
  /** The promises of `open`. */
  private waiting = new Map<Load, { resolve: (trace: number) => void; reject: (reason: Error) => void }>();

  constructor(
    readonly view: TimelineView,
    host: EngineHost,
    private page: TimelinePage,
  ) {
    this.loading = new Loading(view, host, {
      cleared: (why) => this.cleared(why),
      removing: () => this.takeEvents(),
      removed: (trace) => this.removed(trace),
      added: (isLast, live) => {
        page.added(isLast, live);
        this.settle(this.loading.ready.at(-1))?.resolve(this.loading.ready.length - 1);
      },
      begun: () => page.begun(),
      completed: (trace, isLast) => {
        page.completed(trace, isLast);
        this.settle(this.loading.ready[trace])?.resolve(trace);
      },
      replacing: () => this.replacing(),
      replaced: (isDone) => this.replaced(isDone),
      showsExample: () => page.showsExample(),
    });
    this.selection = new Selection({
      view,
      loads: this.loading.ready,
      say: (message) => page.say(message),
      schedule: () => this.schedule(),
      scheduleSoon: () => this.scheduleSoon(),
      hidden: (trace) => page.hidden(trace),
      renewed: (load) => page.renewed(load),
      selected: (place) => page.selected(place),
      overtaken: () => page.overtaken(),
      noted: () => page.noted(),
      opening: () => page.opening(),
    });
    const retry = (message: string) => {
      page.say(message);
      this.redraw();
    };
    this.fetcher = new Fetcher(view, this.loading.ready, () => this.scheduleSoon(), retry, (search) => page.textOf(search));
    this.file = new ViewFile(
      view,
      this.loading,
      (loaded, name) => page.viewApplied(loaded, name),
      (name, reason) => page.viewFailed(name, reason),
    );
  }

  /** Requests the tiles for a timeline of about this size in CSS pixels, before it is attached. */
  requestFirst(width: number, height: number): void {
    const scale = fontScale.value;
    this.view.resize(width / scale, height / scale, devicePixelRatio * scale);
    this.view.step(performance.now());
    this.view.draw();
    this.fetcher.pump();
  }

  attach(elements: TimelineElements): void {
    this.timeline = new Timeline({
      ...elements,
      view: this.view,
      loads: this.loading.ready,
      fetcher: this.fetcher,
      onEvent: (event) => this.receive(event),
      onOptions: (options) => this.page.optionsChanged(options),
      onSelectFromMirror: (place) => this.selection.selectUnknown(place),
      onSelectInstantFromMirror: (mark) => this.selection.selectInstant(mark),
      isGrowing: () => this.page.isGrowing(),
    });
  }

  /** Opens a trace. Resolves with its number; rejects with the reason, or with an AbortError if it was closed before. */
  open(load: Load, mode: "replace" | "add"): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiting.set(load, { resolve, reject });
      load.status.subscribe(({ state, error }) => {
        if (state === "failed") this.settle(load)?.reject(new Error(error ?? ""));
        if (state === "cancelled") this.settle(load)?.reject(new DOMException(t("element.another-load"), "AbortError"));
      });
      this.loading.open([load], mode);
    });
  }

  private settle(load: Load | undefined) {
    const promise = load === undefined ? undefined : this.waiting.get(load);
    if (load !== undefined) this.waiting.delete(load);
    return promise;
  }

  /** Ends all work and releases the engines. The timeline cannot be used afterwards. */
  dispose(): void {
    this.loading.dispose();
    for (const load of [...this.waiting.keys()]) this.settle(load)?.reject(new DOMException(t("element.disposed"), "AbortError"));
    this.selection.reset();
    this.fetcher.reset();
    this.timeline?.dispose();
    this.timeline = null;
  }

  /** True if nothing moves, loads, or has to be drawn. */
  get isIdle(): boolean {
    const isDrawn = (this.timeline?.isIdle ?? false) && !this.view.isWaiting;
    return isDrawn && !this.loading.isLoading && !this.selection.isRunning;
  }

  get painterName(): string {
    return this.timeline?.painterName ?? "none";
  }

  /** The number of painted frames, for tests. */
  get frames(): number {
    return this.timeline?.frames ?? 0;
  }

  /** True during user input; requests for it have priority. */
  get hasHand(): boolean {
    return this.timeline?.hasHand ?? false;
  }

  /** Returns the visible part as a picture, valid until the next call of the module; null = not enough memory. */
  picture(): Frame | null {
    return this.timeline?.picture() ?? null;
  }

  /** Draws a frame soon, after a visible change. */
  schedule(): void {
    this.timeline?.schedule();
  }

  /** Draws a frame when the page has time for it. */
  scheduleSoon(): void {
    this.timeline?.scheduleSoon();
  }

  redraw(): void {
    this.timeline?.redraw();
  }

  /** Follows the changes of the view before the next frame. */
  takeEvents(): void {
    this.timeline?.takeEvents();
  }

  /** Tells the view that the pointer is elsewhere. */
  leave(): void {
    this.timeline?.leave();
  }

  forgetGlyphs(): void {
    this.timeline?.forgetGlyphs();
  }

  private receive(event: ViewEvent): void {
    switch (event.kind) {
      case ViewEventKind.Select:
        return this.selection.changed(event.place, event.exact);
      case ViewEventKind.Instant:
        return event.place === null ? undefined : this.selection.showInstant({ ...event.place, instant: event.instant });
      case ViewEventKind.Near:
        return this.selection.move(event.command);
      case ViewEventKind.Process:
        return this.selection.showOwner(event.trace, "process", event.process);
      case ViewEventKind.Track:
        return this.selection.showOwner(event.trace, "thread", event.track);
      case ViewEventKind.Flow:
        return event.place === null ? undefined : this.selection.goToFlowEnd(event.place, event.flow, event.command);
      case ViewEventKind.Moved:
        return this.selection.moved(event.place);
      case ViewEventKind.Cursor:
        return this.timeline?.setCursor(event.command);
      default:
        return this.page.receive(event);
    }
  }

  private removed(trace: number): void {
    this.fetcher.removed(trace);
    this.selection.removed(trace);
    this.page.removed(trace);
    this.redraw();
  }

  private cleared(why: "replaced" | "closed"): void {
    this.fetcher.reset();
    this.selection.reset();
    this.page.cleared(why);
    this.redraw();
  }

  private replacing(): void {
    this.takeEvents();
    this.page.replacing();
  }

  private replaced(isDone: boolean): void {
    if (isDone) {
      this.fetcher.reset();
      this.selection.reset();
    } else {
      this.file.forget();
    }
    this.page.replaced(isDone);
    if (isDone) this.redraw();
  }
}
