/** Growing traces: requests the changes up to ten times a second and passes them to the view. */
import { isAbort, requestJson, type Load } from "./transport/transport.ts";
import type { ChangesAnswer, LiveAnswer } from "./transport/protocol.ts";
import { Store } from "./store.ts";
import type { TimelineView } from "./wasm/view.ts";

const RECEIVING_MS = 100;
/**
 * The time between requests during user input: fewer requests leave more of the processor for the response to the
 * input.
 */
const ASK_WITH_HAND_MS = 1000;
/** The time between requests while no data arrives or the page is hidden. */
const QUIET_MS = 1000;
/** The interval over which the rate is measured and after which it is shown. */
const RATE_MS = 1000;
const PUBLISH_MS = 500;

/** The sum over all growing traces. */
export interface LiveState extends Omit<LiveAnswer, "generation" | "shape" | "tracks"> {
  /** Paused by the user: data still arrives, but the picture does not change. */
  isHeld: boolean;
  follows: boolean;
  eventsPerSecond: number;
}

interface Growing {
  load: Load;
  /** The trace number in the view. */
  trace: number;
  /** The generation that the view shows. */
  generation: number;
  now: LiveAnswer;
  /** Callbacks for the time when the view has the next outline. */
  waiting: (() => void)[];
}

export interface Growth {
  trace: number;
  /** Slices that end before this time have not changed. */
  from: bigint;
  reshaped: boolean;
  /** Track numbers have changed; the view knows the new place of the selected slice. */
  renumbered: boolean;
  /** The last growth: the trace is complete. */
  ended: boolean;
  slices: number;
  bytes: number;
}

export class Live {
  /** null: no trace grows. */
  readonly state = new Store<LiveState | null>(null);
  private growing: Growing[] = [];
  private isHeld = false;
  private timer: number | null = null;
  private samples: { at: number; events: number }[] = [];
  private publishedAt = 0;
  private lookedAt = -Infinity;

  /**
   * onWaiting: the view has postponed requests. hasHand: the user is moving the pointer or pressing keys, and requests
   * for that have priority.
   */
  constructor(
    private view: TimelineView,
    private onGrowth: (growth: Growth) => void,
    private onWaiting: () => void,
    private hasHand: () => boolean,
  ) {}

  /** Registers a trace. The view shows generation `now`. */
  add(load: Load, trace: number, now: LiveAnswer): void {
    this.growing.push({ load, trace, generation: now.generation, now, waiting: [] });
    this.view.setGrowing(trace, now.state !== "ended");
    this.publish(true);
    this.lookSoon();
  }

  /** Follows the removal of a trace from the view. */
  removed(trace: number): void {
    for (const one of this.growing.filter((one) => one.trace === trace)) released(one);
    this.growing = this.growing.filter((one) => one.trace !== trace);
    if (this.growing.length === 0) return this.reset();
    for (const one of this.growing) if (one.trace > trace) one.trace--;
    this.publish(true);
  }

  reset(): void {
    for (const one of this.growing) released(one);
    this.growing = [];
    this.isHeld = false;
    this.samples = [];
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.state.set(null);
  }

  isGrowing(trace: number): boolean {
    return this.growing.some((one) => one.trace === trace);
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.publish(true);
    if (!isHeld) this.lookSoon();
  }

  toggleHold(): void {
    if (this.growing.length > 0) this.hold(!this.isHeld);
  }

  /** Updates the state after a change of the view. */
  followsChanged(): void {
    this.publish(true);
  }

  get isReceiving(): boolean {
    return this.growing.some((one) => one.now.state !== "ended");
  }

  /** Requests the present outline at once. Resolves when the view has it, or when the trace is closed. */
  renewed(load: Load): Promise<void> {
    const one = this.growing.find((growing) => growing.load === load);
    if (one === undefined) return Promise.resolve();
    const renewal = new Promise<void>((resolve) => one.waiting.push(resolve));
    this.lookSoon();
    return renewal;
  }

  private lookSoon(): void {
    this.lookedAt = -Infinity;
    this.next(0);
  }

  private next(ms: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.look(), ms);
  }

  private async look(): Promise<void> {
    this.timer = null;
    const began = performance.now();
    if (began - this.lookedAt < ASK_WITH_HAND_MS && this.isReceiving && this.hasHand()) return this.next(RECEIVING_MS);
    this.lookedAt = began;
    await Promise.all(this.growing.map((one) => this.ask(one)));
    if (this.growing.length === 0) return;
    this.publish(false);
    if (this.view.isWaiting) this.onWaiting();
    const pause = this.isReceiving && document.visibilityState === "visible" ? RECEIVING_MS : QUIET_MS;
    if (this.timer === null) this.next(Math.max(0, pause - (performance.now() - began)));
  }

  /** False after the trace was closed: answers to earlier requests are of no use. */
  private has(one: Growing): boolean {
    return this.growing.includes(one);
  }

  private async ask(one: Growing): Promise<void> {
    try {
      const changes = await requestJson(one.load, "changes", { since: one.generation });
      if (!this.has(one)) return;
      const ended = changes.live.state === "ended" && one.now.state !== "ended";
      const hadEnded = one.now.state === "ended";
      one.now = changes.live;
      if (hadEnded !== (changes.live.state === "ended")) this.view.setGrowing(one.trace, hadEnded);
      const reshaped = changes.live.shape !== one.load.shape;
      // Also while held: without the present track numbers, every other request about the trace would fail; and an ended trace has
      // no button to go on.
      const isShown = !this.isHeld || changes.live.tracks > one.load.shape || changes.live.state === "ended";
      if (changes.from !== null && isShown) await this.renew(one, changes, reshaped);
      if (this.has(one) && ended) this.onGrowth(growthOf(one.trace, changes, false, true));
    } catch (error) {
      // The engine has ended or is busy; the next request shows which.
      if (!isAbort(error) && this.has(one)) one.now = { ...one.now, state: "ended" };
    }
  }

  private async renew(one: Growing, changes: ChangesAnswer, reshaped: boolean): Promise<void> {
    const outline = await one.load.request("outline");
    if (!this.has(one)) return;
    const growth = growthOf(one.trace, changes, reshaped, false);
    one.load.shape = changes.live.shape;
    one.generation = changes.live.generation;
    const numbering = this.view.numbering(one.trace);
    this.view.updateOutline(one.trace, outline, growth.from);
    this.onGrowth({ ...growth, renumbered: this.view.numbering(one.trace) !== numbering });
    released(one);
  }

  private publish(now: boolean): void {
    if (this.growing.length === 0) return;
    const at = performance.now();
    const all = this.growing.map((one) => one.now);
    const sum = (key: "bytes" | "events" | "lost" | "skipped" | "dropped" | "unshown") => all.reduce((n, one) => n + one[key], 0);
    this.samples.push({ at, events: sum("events") });
    while (this.samples.length > 2 && (this.samples[1]?.at ?? at) <= at - RATE_MS) this.samples.shift();
    if (!now && at - this.publishedAt < PUBLISH_MS) return;
    this.publishedAt = at;
    const states = new Set(all.map((one) => one.state));
    this.state.set({
      state: states.has("receiving") ? "receiving" : states.has("paused") ? "paused" : "ended",
      bytes: sum("bytes"),
      events: sum("events"),
      lost: sum("lost"),
      skipped: sum("skipped"),
      dropped: sum("dropped"),
      unshown: sum("unshown"),
      isHeld: this.isHeld,
      follows: this.view.follows,
      eventsPerSecond: rateOf(this.samples),
    });
  }
}

function released(one: Growing): void {
  for (const resolve of one.waiting.splice(0)) resolve();
}

function rateOf(samples: { at: number; events: number }[]): number {
  const [first, last] = [samples[0], samples[samples.length - 1]];
  if (first === undefined || last === undefined || last.at - first.at < PUBLISH_MS) return 0;
  return ((last.events - first.events) * 1000) / (last.at - first.at);
}

function growthOf(trace: number, changes: ChangesAnswer, reshaped: boolean, ended: boolean): Growth {
  const from = BigInt(changes.from ?? changes.span);
  return { trace, from, reshaped, renumbered: false, ended, slices: changes.slices, bytes: changes.live.bytes };
}
