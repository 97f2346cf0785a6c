/** The selected slice or instant, its details, and the moves from it to another one. */
import { isAbort, isPast, messageOf, MovedError, requestJson, type Load, type Parameters } from "./transport/transport.ts";
import type { CallAnswer, InstantAnswer, Mark, NearAnswer, OwnerAnswer, Place, SampleAnswer, SliceAnswer, StepAnswer } from "./transport/protocol.ts";
import type { Growth } from "./live.ts";
import { sentence } from "./panels/format.ts";
import { Latest, Paced, Store } from "./store.ts";
import type { LoadedView, TimelineView } from "./wasm/view.ts";
import { t, type PlainId } from "./texts.ts";

export type Details =
  | { kind: "none" }
  | { kind: "slice"; trace: number; slice: SliceAnswer }
  | { kind: "instant"; trace: number; instant: InstantAnswer }
  | { kind: "sample"; trace: number; sample: SampleAnswer }
  | { kind: "owner"; trace: number; owner: OwnerAnswer }
  | { kind: "error"; message: string };

/** A time in a row, and the instant there, if it is known. */
interface Moment extends Omit<Mark, "instant"> {
  instant: number | null;
}

/** The page around a selection. */
export interface SelectionPage {
  readonly view: TimelineView;
  /** Indexed by the view's trace number. */
  readonly loads: readonly Load[];
  say(message: string): void;
  schedule(): void;
  scheduleSoon(): void;
  /** Returns the parameters of requests that leave out the hidden categories. */
  hidden(trace: number): Parameters;
  /** Resolves when the ids of a growing trace are those of its present shape. */
  renewed(load: Load): Promise<void>;
  /** Called when the selection changes; null = nothing is selected, or an instant. */
  selected(place: Place | null): void;
  /** Called before a selection: work for an earlier one is of no use. */
  overtaken(): void;
  /** Called after the view has selected an event, which can change its perspective. */
  noted(): void;
  /** Called when details are requested. */
  opening(): void;
}

/** The shortest time between two requests for the selected slice of a growing trace. */
const RENEW_MS = 500;
const NOWHERE: Record<string, PlainId> = {
  "flow-next": "selection.no-arrow-leads-on",
  "flow-previous": "selection.no-arrow-leads-to",
  next: "selection.there-is-nothing-behind",
  previous: "selection.there-is-nothing-before",
  parent: "selection.there-is-no-slice",
  child: "selection.there-is-no-slice-2",
};

/** Returns the message for a move without a destination. */
const nothing = (move: string) => t(NOWHERE[move] ?? "selection.there-is-no-other");

function noSuchCall(wanted: { number: string } | { frame: string }, { calls, frames }: CallAnswer): string {
  return "frame" in wanted
    ? t("selection.there-is-no-frame", { frame: wanted.frame, frames })
    : t("selection.there-is-no-call", { number: wanted.number, calls });
}

/** Returns the parameters that identify an event in a growing trace by its place, because ids change. */
function placeOf(load: Load, { track, row, begin }: Moment | Place): Parameters {
  return load.grows ? { track, row, begin } : {};
}

/** Returns the parameters of a request about a slice. */
export function sliceOf(load: Load, place: Place): Parameters {
  return load.grows ? placeOf(load, place) : { id: place.slice };
}

export class Selection {
  readonly details = new Store<Details>({ kind: "none" });
  private selected: Place | null = null;
  /** The selected instant, or a time of a track without an instant. */
  private moment: Moment | null = null;
  /** The state of a walk along arrows: returned by each step and sent with the next one. */
  private walk = "";
  private detailsJob = new Latest();
  /** Requests for the next selection. */
  readonly moves = new Latest();
  private again = new Paced(RENEW_MS, () => this.findAgain());
  private finding = new Latest();

  constructor(private page: SelectionPage) {}

  /** The selected slice. */
  get slice(): Place | null {
    return this.selected;
  }

  /** The name of the selected slice, "" = it has none, or its details are not known yet. */
  get name(): string {
    const shown = this.details.value;
    return shown.kind === "slice" && shown.slice.place.slice === this.selected?.slice ? (shown.slice.name ?? "") : "";
  }

  get isRunning(): boolean {
    return this.detailsJob.isRunning || this.moves.isRunning || this.finding.isRunning;
  }

  reset(): void {
    this.selected = this.moment = null;
    this.again.reset();
    for (const job of [this.detailsJob, this.moves, this.finding]) job.abort();
    this.details.set({ kind: "none" });
  }

  /** Follows the removal of a trace from the view: another selection stays. */
  removed(trace: number): void {
    const details = this.details.value;
    const of = this.selected?.trace ?? this.moment?.trace ?? ("trace" in details ? details.trace : null);
    const [isFinding, isLoading] = [this.moves.isRunning, this.detailsJob.isRunning];
    for (const job of [this.detailsJob, this.moves, this.finding]) job.abort(); // they have the old numbers
    if (of === null) return;
    if (of === trace) return this.reset();
    const now = of > trace ? of - 1 : of;
    if (this.selected !== null) this.selected = { ...this.selected, trace: now };
    if (this.moment !== null) this.moment = { ...this.moment, trace: now };
    if ("trace" in details) this.details.set({ ...details, trace: now });
    if (!isFinding && !isLoading) return;
    if (this.selected !== null) this.changed(this.selected, !isFinding);
    else if (this.moment !== null && this.moment.instant !== null) this.showInstant({ ...this.moment, instant: this.moment.instant });
  }

  /** Follows a trace that has grown. */
  grown({ trace, from, reshaped, renumbered }: Growth): void {
    const selected = this.selected;
    if (selected === null || selected.trace !== trace || renumbered) return;
    if (reshaped || BigInt(selected.begin) + BigInt(selected.extent) >= from) this.again.ask();
  }

  /** Follows a change of the selected event's id or place in the view. */
  moved(place: Place | null): void {
    if (this.moment !== null) this.moment = { ...this.moment, ...place };
    else this.selected = place;
    this.again.ask();
  }

  /** Cancels earlier requests for a selection. */
  private overtake(): void {
    this.page.overtaken();
    this.moves.abort();
  }

  /** Selects from outside the timeline and brings the slice into view. */
  select(place: Place | null): void {
    this.page.view.select(place, performance.now());
    this.page.noted();
    this.changed(place, true);
    this.page.schedule();
  }

  /** Selects a slice with known details, without a request for them. */
  private selectKnown(trace: number, slice: SliceAnswer): void {
    const place = { ...slice.place, trace };
    this.page.view.select(place, performance.now());
    this.page.noted();
    this.changed(place, true, { kind: "slice", trace, slice });
    this.page.schedule();
  }

  /** Selects a slice with known details, without a motion of the view. */
  private restoreSlice(trace: number, slice: SliceAnswer): void {
    const place = { ...slice.place, trace };
    this.page.view.restoreSlice(place);
    this.changed(place, true, { kind: "slice", trace, slice });
    this.page.schedule();
  }

  /** Selects an instant without a motion of the view. */
  private restoreInstant(mark: Mark): void {
    this.page.view.restoreInstant(mark);
    this.showInstant(mark);
    this.page.schedule();
  }

  /** Selects a slice or an instant from a list. */
  selectListed({ place, mark }: { place: Place | null; mark: Mark | null }): void {
    if (mark === null) this.select(place);
    else this.selectInstant(mark);
  }

  /** Finds the event of a view file by its place and selects it, without a motion of the view. */
  restore({ is_instant, is_sample, name, ...place }: NonNullable<LoadedView["selection"]>): Promise<void> {
    const load = this.page.loads[place.trace];
    if (load === undefined) return Promise.resolve();
    return this.finding.run(async (signal) => {
      const { track, row, begin } = place;
      try {
        if (is_sample) {
          const sample = await requestJson(load, "sample", { track, row, begin, move: "at" }, signal);
          if (signal.aborted || sample?.begin !== begin) return;
          this.page.view.restoreInstant({ ...place, extent: sample.extent });
          this.showSample(place.trace, track, sample);
          return;
        }
        if (is_instant) {
          const { instant } = await requestJson(load, "instant", { id: 0, track, row, begin }, signal);
          if (!signal.aborted) this.restoreInstant({ ...place, instant });
          return;
        }
        const slice = await requestJson(load, "slice", { track, row, begin }, signal);
        if (signal.aborted || (name !== "" && slice.name !== name)) return;
        this.restoreSlice(place.trace, slice);
      } catch {
        // Another trace has no such event: nothing is selected.
      }
    });
  }

  /** Selects the slice at a place, or the first one if several slices there are drawn as one. */
  private selectFirst(place: Place): void {
    this.selectAnswered(place.trace, (load, signal) => {
      const ask = () => requestJson(load, "slice", sliceOf(load, this.selected ?? place), signal);
      return this.repeated(load, ask, signal);
    });
  }

  /**
   * Selects the slice with this id (the `id` of SQL) and brings it into view. The request is not repeated if the ids of
   * a growing trace change in the meantime: the id then identifies another slice.
   */
  selectId(trace: number, id: string): void {
    this.selectAnswered(trace, (load, signal) => requestJson(load, "slice", { id }, signal));
  }

  private selectAnswered(trace: number, ask: (load: Load, signal: AbortSignal) => Promise<SliceAnswer>): void {
    const load = this.page.loads[trace];
    if (load === undefined) return;
    void this.moves.run(async (signal) => {
      try {
        const slice = await ask(load, signal);
        if (!signal.aborted) this.selectKnown(trace, slice);
      } catch (error) {
        if (!isAbort(error) && !signal.aborted) this.page.say(messageOf(error));
      }
    });
  }

  /**
   * Sends a request with ids of a growing trace, and again with the new ids if they change in the meantime. `ask` reads
   * the ids from the view each time.
   */
  private async repeated<T>(load: Load, ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const shape = load.shape;
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof MovedError) || signal.aborted) throw error;
        if (load.shape === shape) await this.page.renewed(load);
        if (signal.aborted) throw error;
      }
    }
  }

  /** Selects the first slice or instant whose name contains a text. */
  selectNamed(trace: number, text: string): void {
    const load = this.page.loads[trace];
    if (load === undefined) return;
    void this.moves.run(async (signal) => {
      try {
        const { place, mark } = await requestJson(load, "find", { text, ...this.page.hidden(trace) }, signal);
        if (signal.aborted) return;
        if (place !== null) this.select({ ...place, trace });
        else if (mark !== null) this.selectInstant({ ...mark, trace });
        else this.page.say(t("selection.there-is-no", { text }));
      } catch (error) {
        if (!isPast(error)) this.page.say(messageOf(error));
      }
    });
  }

  /** Finds a call or a frame of a graphics capture and selects it with `select`. Returns an error message, or null. */
  async goToCall(wanted: { number: string } | { frame: string }, trace: number, select: (place: Place) => void): Promise<string | null> {
    const load = this.page.loads[trace];
    if (load === undefined) return t("common.no-trace-is-open");
    let problem: string | null = null;
    await this.moves.run(async (signal) => {
      try {
        const call = await requestJson(load, "call", { ...wanted }, signal);
        if (call.place === null) problem = noSuchCall(wanted, call);
        else select({ ...call.place, trace });
      } catch (error) {
        if (!isPast(error)) problem = sentence(messageOf(error));
      }
    });
    return problem;
  }

  /** Follows the view's selection. `details`: those of the slice, if they are known. */
  changed(place: Place | null, exact: boolean, details: Details | null = null): void {
    // The view also ends a selection when a trace is replaced; requests continue then.
    if (place !== null || this.selected !== null) this.overtake();
    this.selected = place;
    this.moment = null;
    if (place !== null && !exact) return this.selectFirst(place);
    this.page.selected(place);
    if (place === null) {
      this.detailsJob.abort();
      this.details.set({ kind: "none" });
      return;
    }
    this.showDetails(place.trace, async (load, signal) => {
      if (details !== null) return details;
      const ask = () => requestJson(load, "slice", sliceOf(load, this.selected ?? place), signal);
      return { kind: "slice", trace: place.trace, slice: await this.repeated(load, ask, signal) };
    });
  }

  /** Shows the details of the instant that is selected in the view. */
  showInstant(mark: Mark): void {
    const { trace } = mark;
    this.selectMoment(mark);
    this.showDetails(trace, async (load, signal) => {
      const ask = () => requestJson(load, "instant", { id: mark.instant, ...placeOf(load, this.moment ?? mark) }, signal);
      return { kind: "instant", trace, instant: await this.repeated(load, ask, signal) };
    });
  }

  private selectMoment(moment: Moment): void {
    this.overtake();
    this.selected = null;
    this.moment = moment;
  }

  /** Selects a slice with unknown details. */
  selectUnknown(place: Place): void {
    this.page.view.select(place, performance.now());
    this.page.noted();
    this.changed(place, false);
    this.page.schedule();
  }

  /** Goes to an instant from outside the timeline and brings it into view. */
  selectInstant(mark: Mark): void {
    this.page.view.selectInstant(mark, performance.now());
    this.page.noted();
    this.showInstant(mark);
    this.page.schedule();
  }

  /** Selects the sample of a counter at a time, or the next or previous one. */
  selectSample({ trace, track, row, begin }: Omit<Moment, "instant">, move: string): void {
    const load = this.page.loads[trace];
    if (load === undefined) return;
    void this.moves.run(async (signal) => {
      try {
        const sample = await requestJson(load, "sample", { track, row, begin, move }, signal);
        if (signal.aborted) return;
        if (sample === null) return this.page.say(nothing(move));
        this.page.view.selectInstant({ trace, track, row: 0, begin: sample.begin, extent: sample.extent }, performance.now());
        this.page.noted();
        this.showSample(trace, track, sample);
      } catch (error) {
        if (!isPast(error)) this.page.say(messageOf(error));
      }
    });
  }

  private showSample(trace: number, track: number, sample: SampleAnswer): void {
    this.selectMoment({ trace, track, row: 0, begin: sample.begin, instant: null });
    this.showDetails(trace, () => Promise.resolve({ kind: "sample", trace, sample }));
    this.page.schedule();
  }

  /** Shows the details of a process, or of the thread of a track. */
  showOwner(trace: number, what: "process" | "thread", id: number): void {
    this.showDetails(trace, async (load, signal) => {
      const owner = await requestJson(load, what, { id }, signal);
      return { kind: "owner", trace, owner };
    });
  }

  private showDetails(trace: number, ask: (load: Load, signal: AbortSignal) => Promise<Details>): void {
    const load = this.page.loads[trace];
    if (load === undefined) return;
    this.page.opening();
    void this.detailsJob.run(async (signal) => {
      try {
        const details = await ask(load, signal);
        if (!signal.aborted) this.details.set(details);
      } catch (error) {
        if (!isPast(error)) this.details.set({ kind: "error", message: messageOf(error) });
      }
    });
  }

  /** Moves from an instant to the next one, to one of the same name, or to the enclosing slice. */
  private moveFromInstant(from: Moment, move: string): void {
    const { trace, instant } = from;
    const load = this.page.loads[trace];
    if (load === undefined || instant === null) return;
    void this.moves.run(async (signal) => {
      try {
        const near = () => ({ instant, ...placeOf(load, this.moment ?? from), move, ...this.page.hidden(trace) });
        const { place, mark } = await this.repeated(load, () => requestJson<"near", NearAnswer>(load, "near", near(), signal), signal);
        if (signal.aborted) return;
        if (place !== null) this.select({ ...place, trace });
        else if (mark !== null) this.selectInstant({ ...mark, trace });
        else this.page.say(nothing(move));
      } catch (error) {
        if (!isPast(error)) this.page.say(messageOf(error));
      }
    });
  }

  /** Goes to the neighbour in a direction of the key table: "next", "parent", "flow-next", ... */
  move(move: string): void {
    if (this.moment !== null && this.details.value.kind === "sample") {
      if (move === "next" || move === "previous") this.selectSample(this.moment, move);
      return;
    }
    if (this.moment !== null) return this.moveFromInstant(this.moment, move);
    const from = this.selected;
    const load = from === null ? undefined : this.page.loads[from.trace];
    if (from === null || load === undefined) return;
    void this.moves.run(async (signal) => {
      try {
        const near = () => ({ ...sliceOf(load, this.selected ?? from), move, ...this.page.hidden(from.trace) });
        let place: Place | null;
        let mark: NearAnswer["mark"] = null;
        if (move.startsWith("flow-")) {
          const ask = () => requestJson<"near", StepAnswer | null>(load, "near", { ...near(), walk: this.walk }, signal);
          const step = await this.repeated(load, ask, signal);
          if (step !== null) this.walk = step.walk;
          place = step?.place ?? null;
        } else {
          ({ place, mark } = await this.repeated(load, () => requestJson<"near", NearAnswer>(load, "near", near(), signal), signal));
        }
        if (signal.aborted) return;
        if (mark !== null) return this.selectInstant({ ...mark, trace: from.trace });
        if (place === null) this.page.say(nothing(move));
        else this.select({ ...place, trace: from.trace });
      } catch (error) {
        if (!isPast(error)) this.page.say(messageOf(error));
      }
    });
  }

  /** Selects the time of a track at which an arrow ends, and then the slice there, if there is one. */
  goToFlowEnd({ trace, track, row, begin }: Place, id: number, end: string): void {
    const load = this.page.loads[trace];
    if (load === undefined) return;
    const there: Moment = { trace, track, row, begin, instant: null };
    this.page.view.selectInstant(there, performance.now());
    this.selectMoment(there);
    this.page.schedule();
    void this.moves.run(async (signal) => {
      try {
        const flow = () => (load.grows ? { ...placeOf(load, this.moment ?? there), end } : { id });
        const ends = await this.repeated(load, () => requestJson(load, "flow", flow(), signal), signal);
        if (signal.aborted) return;
        const { place } = end === "from" ? ends.from : ends.to;
        if (place !== null) return this.select({ ...place, trace });
        this.page.say(t("selection.the-arrow-is-on"));
      } catch (error) {
        if (!isPast(error)) this.page.say(messageOf(error));
      }
    });
  }

  /** Finds the selected slice by its place: its id or duration may have changed with the growth of the trace. */
  private async findAgain(): Promise<void> {
    const before = this.selected;
    const load = before === null ? undefined : this.page.loads[before.trace];
    if (before === null || load === undefined) return;
    const { trace, track, row, begin } = before;
    try {
      const slice = await requestJson(load, "slice", { track, row, begin });
      if (this.selected !== before) return;
      const place = { ...slice.place, trace };
      const shown = this.details.value;
      const isShown = shown.kind === "slice" && shown.slice.place.slice === place.slice && shown.slice.place.extent === place.extent;
      this.selected = place;
      this.page.view.reselect(place);
      this.page.scheduleSoon();
      if (!isShown && shown.kind === "slice") this.details.set({ kind: "slice", trace, slice });
    } catch {
      // The ids have changed again; the view reports that change, too.
    }
  }
}
