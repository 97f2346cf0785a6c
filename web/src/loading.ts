/** The open traces: starts loads, adds the ready ones to the view, closes the replaced ones. */
import { isAbort, messageOf, requestJson, type Load } from "./transport/transport.ts";
import type { Category, InfoAnswer, LiveAnswer } from "./transport/protocol.ts";
import type { EngineHost } from "./transport/worker.ts";
import { axisNamed, convertAxis, type CaptureAxis } from "./timeline/axis.ts";
import { ViewFilePart, ViewFileUse } from "generated/border.ts";
import { Store } from "./store.ts";
import type { TimelineView } from "./wasm/view.ts";

/** A trace in the view. */
export interface OpenTrace {
  load: Load;
  /** The loads for other perspectives, by name ("" = for all), or of a capture by axis; and the current one. */
  made: Map<string, Load>;
  perspective: string;
  info: InfoAnswer;
  /** The categories that have events. */
  categories: Category[];
}

/** Calls `then` once when the load has ended, with or without success. */
function settled(load: Load, then: () => void): void {
  const look = () => {
    if (load.status.value.state === "loading") return;
    unsubscribe();
    then();
  };
  const unsubscribe = load.status.subscribe(look);
  look();
}

async function aboutOf(load: Load): Promise<Pick<OpenTrace, "info" | "categories">> {
  const [info, answer] = await Promise.all([
    requestJson(load, "info"),
    requestJson(load, "categories"),
  ]);
  return { info, categories: answer.categories.filter((c) => c.slices + c.instants + c.counters > 0) };
}

async function describe(load: Load): Promise<{ outline: ArrayBuffer; info: InfoAnswer; categories: Category[] }> {
  const [outline, about] = await Promise.all([load.request("outline"), aboutOf(load)]);
  return { outline, ...about };
}

/** How large files are shown before they are loaded. */
interface BeginRule {
  /** The time of loading before the begin is requested. */
  afterMs: number;
  /** The size of the begin. */
  bytes: number;
  /** Files of at least this size have a begin. */
  leastBytes: number;
}

/** The page as the loads see it. */
export interface LoadingPage {
  /** The view is empty; "closed": the last trace was closed. */
  cleared(why: "replaced" | "closed"): void;
  /** One of several traces is being closed. */
  removing(): void;
  /** It was removed; the traces after it have the next lower numbers. */
  removed(trace: number): void;
  /** A trace was added; `live` is its state if it grows. */
  added(isLast: boolean, live: LiveAnswer | null): void;
  /** The begin of a large file was added. */
  begun(): void;
  /** It was replaced by the whole trace. */
  completed(trace: number, isLast: boolean): void;
  /** A trace is being replaced by its load for another perspective. */
  replacing(): void;
  replaced(isDone: boolean): void;
  /** True if the only open trace is the example, which any file may replace. */
  showsExample(): boolean;
}

export class Loading {
  /** All loads since the traces were opened, including failed and cancelled ones. */
  readonly loads = new Store<Load[]>([]);
  /** Indexed by the view's trace number. */
  readonly traces = new Store<OpenTrace[]>([]);
  /** The loads of `traces`, for code that needs them by number without a subscription. */
  readonly ready: Load[] = [];
  /** Loads that will replace the open traces: the first ready one closes the others. */
  private replacing: Load[] = [];
  /** Ready loads whose first answers are still missing; the view shows them afterwards. */
  private adding = new Set<Load>();
  /** The loads of the begins of files, by the load of the whole file. They are also in `loads`. */
  private begins = new Map<Load, Load>();
  readonly beginRule: BeginRule = { afterMs: 150, bytes: 8_000_000, leastBytes: 64_000_000 };

  constructor(
    private view: TimelineView,
    readonly host: EngineHost,
    private page: LoadingPage,
  ) {}

  /**
   * The perspective for which traces are loaded when they are opened: a name, "" = the first of the format, null = all.
   */
  perspective: string | null = "";

  /** The axis that captures must have, null = that of their load. */
  axis: CaptureAxis | null = null;

  /**
   * Follows new loads. With "replace", the open traces stay until the first of the new loads is ready, and for good if
   * all of them fail or are cancelled.
   */
  open(loads: Load[], mode: "replace" | "add"): void {
    this.close((load) => load.status.value.state === "failed" || load.status.value.state === "cancelled");
    if (mode === "replace") {
      this.close((load) => this.replacing.includes(load));
      this.replacing = loads;
    } else if (this.replacing.length > 0) {
      this.replacing = [...this.replacing, ...loads];
    }
    this.loads.update((open) => [...open, ...loads]);
    let turn = Promise.resolve();
    for (const load of loads) turn = this.follow(load, turn);
  }

  /** Removes failed or cancelled loads from the list. */
  dismiss(loads: readonly Load[]): void {
    this.close((load) => loads.includes(load));
  }

  /** Stops a load. If a trace is open, the load is also removed from the list. */
  cancel(load: Load): void {
    load.cancel();
    if (this.traces.value.length > 0) this.dismiss([load]);
  }

  /** Closes all traces and ends all loads, without a message. */
  dispose(): void {
    this.close(() => true);
    for (const { made } of this.traces.value) for (const load of made.values()) load.close();
  }

  get isLoading(): boolean {
    return this.loads.value.some((load) => load.status.value.state === "loading") || this.adding.size > 0;
  }

  /** Removes loads from the list and closes them. */
  private close(isClosed: (load: Load) => boolean): void {
    const closed = this.loads.value.filter(isClosed);
    if (closed.length === 0) return;
    this.loads.update((loads) => loads.filter((load) => !closed.includes(load)));
    this.replacing = this.replacing.filter((load) => !closed.includes(load));
    for (const load of closed) {
      this.adding.delete(load);
      load.cancel();
      load.close();
    }
  }

  /** True until the load is closed. */
  private isOpen(load: Load): boolean {
    return this.loads.value.includes(load);
  }

  /** Closes the open traces because a new one is ready. */
  private clear(): void {
    const replacing = this.replacing;
    this.close((load) => !replacing.includes(load) && load.status.value.state !== "failed"); // a failure is of the new files
    this.replacing = [];
    this.empty("replaced");
  }

  private empty(why: "replaced" | "closed"): void {
    this.ready.length = 0;
    this.traces.set([]);
    this.view.clear();
    this.page.cleared(why);
  }

  /** Closes one trace. The view of the others stays. */
  closeTrace(trace: number): void {
    const closed = this.traces.value[trace];
    if (closed === undefined) return;
    const loads = [closed.load, ...closed.made.values()];
    this.close((load) => loads.includes(load) || loads.includes(this.begins.get(load) ?? load));
    if (this.traces.value.length === 1) return this.empty("closed");
    this.page.removing();
    this.view.removeTrace(trace);
    this.ready.splice(trace, 1);
    this.traces.update((traces) => traces.filter((open) => open !== closed));
    this.page.removed(trace);
  }

  /** Sets the counts of a growing trace. */
  setCounts(trace: number, slices: number, bytes: number): void {
    const open = this.traces.value[trace];
    if (open === undefined || (open.info.counts["slices"] === slices && open.info.file.bytes === bytes)) return;
    const info = { ...open.info, counts: { ...open.info.counts, slices }, file: { ...open.info.file, bytes } };
    this.put(trace, { ...open, info });
  }

  private put(trace: number, open: OpenTrace): void {
    this.traces.update((traces) => traces.map((other, i) => (i === trace ? open : other)));
  }

  /** Requests the facts and categories of a trace again. */
  async renew(trace: number): Promise<void> {
    const open = this.traces.value[trace];
    if (open === undefined) return;
    try {
      const about = await aboutOf(open.load);
      const now = this.traces.value[trace];
      if (now?.load === open.load) this.put(trace, { ...now, ...about });
    } catch {
      // On an error the old facts stay.
    }
  }

  /** Shows a load when it is ready, at its turn: traces have the order of their files. Returns the turn of the next load. */
  private follow(load: Load, turn: Promise<void>): Promise<void> {
    return new Promise((ended) => {
      const add = (part: Load) => void this.add(part, turn).then(() => (part === load || this.isOpen(part)) && ended());
      const timer = window.setTimeout(() => this.loadBegin(load, add), this.beginRule.afterMs);
      settled(load, () => {
        clearTimeout(timer);
        const isBegun = this.showsBeginOf(load);
        if (!isBegun) this.dropBegin(load);
        if (load.status.value.state === "ready") return isBegun ? void this.completeBegin(load) : add(load);
        this.replacing = this.replacing.filter((other) => other !== load);
        ended(turn);
      });
    });
  }

  // ---- the begin of a large file, shown while the rest loads ----

  /** True while the view shows the begin of the file. */
  showsBeginOf(load: Load): boolean {
    return this.placeOfBegin(load) !== null;
  }

  /** Returns the view's number of the trace that is the begin of the file, null = it is not shown. */
  private placeOfBegin(load: Load): number | null {
    const begin = this.begins.get(load);
    return begin === undefined ? null : this.traceOf(begin);
  }

  /** Returns the view's number of the trace that was made from the load, null = it is not open. */
  private traceOf(load: Load): number | null {
    const trace = this.traces.value.findIndex((open) => [...open.made.values()].includes(load));
    return trace < 0 ? null : trace;
  }

  private loadBegin(load: Load, add: (part: Load) => void): void {
    const { state, total } = load.status.value;
    const replacesOpen = this.replacing.includes(load) && this.traces.value.length > 0 && !this.page.showsExample();
    if (state !== "loading" || total < this.beginRule.leastBytes || load.grows || replacesOpen || !this.isOpen(load)) return;
    const begin = load.loadBegin(this.beginRule.bytes);
    if (begin === null) return;
    this.begins.set(load, begin);
    this.loads.update((loads) => [...loads, begin]);
    if (this.replacing.includes(load)) this.replacing = [...this.replacing, begin];
    settled(begin, () => {
      const isWanted = this.isOpen(load) && load.status.value.state === "loading" && begin.status.value.state === "ready";
      if (isWanted) add(begin);
      else this.dropBegin(load);
    });
  }

  /** Loads the whole file of a trace that is read by ranges, and replaces the trace by it. */
  loadWhole(trace: number): void {
    const open = this.traces.value[trace];
    if (open === undefined || [...this.begins.values()].includes(open.load)) return;
    const whole = open.load.loadWhole();
    this.begins.set(whole, open.load);
    this.loads.update((loads) => [...loads, whole]);
    settled(whole, () => {
      if (whole.status.value.state === "ready") void this.completeBegin(whole);
      else this.begins.delete(whole);
    });
  }

  /** Loads the file of a failed load as a whole. */
  retryWhole(load: Load): void {
    const whole = load.loadWhole();
    this.dismiss([load]);
    this.open([whole], "add");
  }

  /** True for the load of a whole file whose trace is read by ranges meanwhile. */
  isWhole(load: Load): boolean {
    return (this.begins.get(load)?.status.value.wholeBytes ?? null) !== null;
  }

  /** True for the begin of a file. Its failure has no message: the load of the whole file has its own. */
  isBegin(load: Load): boolean {
    return [...this.begins.values()].includes(load);
  }

  private dropBegin(load: Load): void {
    const begin = this.begins.get(load);
    this.begins.delete(load);
    this.close((other) => other === begin);
  }

  /** Replaces the begin of a file by the whole file. */
  private async completeBegin(load: Load): Promise<void> {
    await this.join(load, async () => {
      const { outline, info, categories } = await describe(load);
      return () => {
        const [trace, begin] = [this.placeOfBegin(load), this.begins.get(load)];
        const open = trace === null ? undefined : this.traces.value[trace];
        if (trace === null || open === undefined || begin === undefined) return;
        this.begins.delete(load);
        this.replacing = this.replacing.filter((other) => other !== load);
        const made = new Map([...open.made].map(([name, other]) => [name, other === begin ? load : other]));
        if (open.load === begin) {
          this.view.completeTrace(trace, outline);
          this.ready[trace] = load;
          this.put(trace, { ...open, load, info, categories, made });
          this.page.completed(trace, !this.isLoading);
        } else {
          this.put(trace, { ...open, made });
        }
        this.loads.update((loads) => loads.filter((other) => other !== begin));
        begin.closeWhenIdle(); // the view may wait for its answers
      };
    });
  }

  /**
   * Loads the traces that were loaded without the data for the current perspective, and captures that have the other axis.
   * Returns false if every trace has its data.
   */
  complete(): boolean {
    let any = false;
    this.traces.value.forEach((open, trace) => {
      if (this.view.lacks(trace)) this.lookFrom(trace, open, this.view.perspective);
      else if (this.hasOtherAxis(trace, open)) this.lookFrom(trace, open, this.axis ?? "");
      else return;
      any = true;
    });
    return any;
  }

  /** True for a capture that must be loaded with the wanted axis. */
  private hasOtherAxis(trace: number, open: OpenTrace): boolean {
    const axis = axisNamed(this.view.axis(trace));
    // The engine can have one axis only: that of a .varve file.
    return axis !== null && this.axis !== null && axis !== this.axis && open.made.get(this.axis) !== open.load;
  }

  /** Returns the key in `made` of the wanted load: a perspective, or the axis of a capture. */
  private wanted(trace: number): string {
    return (axisNamed(this.view.axis(trace)) === null ? null : this.axis) ?? this.view.perspective;
  }

  private lookFrom(trace: number, open: OpenTrace, wanted: string): void {
    let load = open.made.get(wanted);
    if (load === undefined) {
      const isAxis = wanted === this.axis && axisNamed(this.view.axis(trace)) !== null;
      const made = isAxis ? open.load.withAxis(this.axis ?? "events") : open.load.lookFrom(wanted);
      load = made;
      open.made.set(wanted, made);
      this.loads.update((loads) => [...loads, made]);
      settled(made, () => {
        if (!this.isOpen(made)) return;
        if (made.status.value.state === "ready") return void this.replace(wanted, made);
        open.made.delete(wanted);
        if (isAxis) this.axis = null;
        else if (this.view.perspective === wanted) this.view.perspective = open.perspective;
        this.page.replaced(false);
      });
    } else if (load.status.value.state === "ready") {
      void this.replace(wanted, load);
    }
  }

  private async replace(wanted: string, load: Load): Promise<void> {
    await this.join(load, async () => {
      const { outline, info, categories } = await describe(load);
      const before = this.traceOf(load);
      const axis = before === null || axisNamed(this.view.axis(before)) === null ? null : this.axis;
      const marks = before === null || axis === null ? "" : await convertAxis(this.view.save(ViewFilePart.Marks, before), axis, () => load);
      return () => {
        const trace = this.traceOf(load); // others may have been closed
        const open = trace === null ? undefined : this.traces.value[trace];
        if (trace === null || open === undefined || open.load === load || this.wanted(trace) !== wanted) return;
        this.page.replacing();
        this.view.replaceTrace(trace, outline);
        if (marks !== "") this.view.load(marks, ViewFileUse.Stored);
        this.ready[trace] = load;
        this.put(trace, { load, info, categories, perspective: this.view.perspective, made: open.made });
        this.page.replaced(true);
      };
    });
  }

  private async add(load: Load, turn: Promise<void>): Promise<void> {
    await this.join(load, async () => {
      // This request comes first: changes after it are requested again later.
      const live = load.grows ? (await requestJson(load, "changes", { since: 0 })).live : null;
      if (live !== null) load.shape = live.shape;
      const { outline, info, categories } = await describe(load);
      await turn;
      return () => {
        if (this.replacing.includes(load)) this.clear();
        this.view.addTrace(outline);
        this.ready.push(load);
        const { perspective } = this.view;
        const made = new Map([[axisNamed(this.view.axis(this.ready.length - 1)) ?? perspective, load]]);
        this.traces.update((traces) => [...traces, { load, info, categories, perspective, made }]);
        if (this.isBegin(load)) this.page.begun();
        else this.page.added(!this.isLoading, live);
      };
    });
  }

  /**
   * Sends the first requests to a ready load, then shows it unless it was closed in the meantime. A failure becomes the
   * failure of the load.
   */
  private async join(load: Load, ask: () => Promise<() => void>): Promise<void> {
    this.adding.add(load);
    try {
      const show = await ask();
      if (!this.isOpen(load)) return;
      this.adding.delete(load);
      show();
    } catch (error) {
      if (!this.isOpen(load)) return;
      this.adding.delete(load);
      if (isAbort(error)) return;
      this.replacing = this.replacing.filter((other) => other !== load);
      load.status.update((status) => ({ ...status, state: "failed", error: messageOf(error) }));
    }
  }
}
