/** The state of flame graphs: the choices in the tab, and the engine's answers for each graph. */
import { isAbort, isPast, messageOf, requestJson, type Load, type OnShare, type Parameters } from "./transport/transport.ts";
import { parseExact } from "./transport/exact_json.ts";
import { FLAME_MATCH, FLAME_SELECTED, type FlameAnswer, type FlameFrameTuple, type FrameSlices } from "./transport/protocol.ts";
import { Latest, Paced, Store } from "./store.ts";

export type FlameTree = "calls" | "inverted" | "callers" | "callees";
export type FlameView = "left-heavy" | "bottom-up" | "sandwich";
export type FlameWeight = "total" | "self" | "count" | "cpu";
/** The slices that are added up. */
export type FlameScope = "trace" | "area" | "thread" | "slice" | "matches";

export interface HiddenName {
  name: string | null;
  /** A label with this name. */
  label: number;
}

export interface FlameChoice {
  view: FlameView;
  by: FlameWeight;
  scope: FlameScope;
  source: "slices" | "samples";
  isCollapsed: boolean;
  /** Names without frames: their callees are below their callers. */
  hidden: readonly HiddenName[];
  /** The name in the middle of a sandwich; null = not chosen. */
  name: string | null;
  /** The search text, for the scope "matches". */
  search: string;
  find: string;
  trace: number;
}

export interface FlameFrame {
  row: number;
  name: string | null;
  /** The label of this name in the timeline, 0 = none. */
  label: number;
  /** The colour that the trace gives this label, as a number; 0 = none. */
  colour: number;
  /** The position in the width of the front frame, 0 to 1. */
  begin: number;
  share: number;
  count: number;
  total: string;
  self: string;
  cpu: string;
  isMatch: boolean;
  isSelected: boolean;
  key: string;
  /** In a comparison: the colour and the text of the change. */
  change: { fill: string; text: string } | null;
}

function frameOf(answer: FlameAnswer, tuple: FlameFrameTuple): FlameFrame {
  const [row, index, begin, share, count, total, self, cpu, marks, key, fill, text] = tuple;
  const { name, label, colour } = answer.names[index] ?? { name: null, label: 0, colour: 0 };
  const [isMatch, isSelected] = [(marks & FLAME_MATCH) !== 0, (marks & FLAME_SELECTED) !== 0];
  const change = fill === undefined || text === undefined ? null : { fill: `#${fill.toString(16).padStart(8, "0")}`, text };
  return { row, name, label, colour, begin, share, count, total, self, cpu, isMatch, isSelected, key, change };
}

/** The latest answer for a graph, with the frames of all pages so far. */
export interface FlameShown {
  answer: FlameAnswer;
  frames: FlameFrame[];
  nextRow: number;
}

/** The root's key. */
export const ROOT = "0";
const MOST_PARTS = 4096;
/** As in the engine. */
const MOST_HIDDEN = 64;
/** The shortest time between two requests about a growing trace. */
const RENEW_MS = 1000;

/** One graph: the request behind it, and its front frame. */
export class FlameGraph {
  readonly shown = new Store<FlameShown | null>(null);
  readonly error = new Store<string | null>(null);
  /** The completed part of a long count, 0 to 1; null = no count is in progress. */
  readonly share = new Store<number | null>(null);
  /** The key of the frame that fills the width of the graph. */
  readonly front = new Store(ROOT);
  private job = new Latest();
  private requestedKey = "";
  private load: Load | null = null;
  private parameters: Parameters = {};
  /** The profile of the earlier trace of a comparison: frames have the colours of the changes. */
  private before: ArrayBuffer | null = null;

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  /** Sends the request unless it is the same as the last one. The old frames stay until the new ones arrive. */
  ask(load: Load, parameters: Parameters, widthPx: number, before: ArrayBuffer | null = null): void {
    const all = { ...parameters, at: this.front.value, parts: Math.max(1, Math.min(MOST_PARTS, Math.round(widthPx))) };
    const key = JSON.stringify(all);
    if (key === this.requestedKey && this.load === load && this.before === before) return;
    this.requestedKey = key;
    this.load = load;
    this.parameters = all;
    this.before = before;
    this.fetch(0);
  }

  /** Sends the last request again. */
  renew(): void {
    if (this.load !== null && this.requestedKey !== "") this.fetch(0);
  }

  /** Makes the next `ask` send its request even if its parameters are the same. */
  forget(): void {
    this.requestedKey = "";
  }

  /** Stops a count in progress because the graph is not visible. The next `ask` continues it. */
  leave(): void {
    if (!this.job.isRunning) return;
    this.job.abort();
    this.requestedKey = "";
    this.share.set(null);
  }

  /** Requests the next rows. */
  more(): void {
    const shown = this.shown.value;
    if (shown === null || this.job.isRunning || shown.nextRow >= shown.answer.rows) return;
    this.fetch(shown.nextRow);
  }

  /** Returns the slices in the sum of a frame. */
  slices(key: string, signal: AbortSignal): Promise<FrameSlices> {
    if (this.load === null) return Promise.resolve({ count: 0, slices: [] });
    return requestJson<"flame", FrameSlices>(this.load, "flame", { ...this.whole(), to: "slices", at: key }, signal);
  }

  /** Returns the whole graph in a format: "folded", "svg". */
  bytes(to: string, theme: string): Promise<ArrayBuffer> {
    return this.load === null ? Promise.resolve(new ArrayBuffer(0)) : this.request(this.load, { ...this.whole(), to, theme });
  }

  /** The parameters that choose the graph, without those of the visible part. */
  private whole(): Parameters {
    const { at: _at, parts: _parts, find: _find, slice: _slice, ...whole } = this.parameters as Record<string, string>;
    return whole;
  }

  reset(): void {
    this.job.abort();
    this.requestedKey = "";
    this.load = null;
    this.shown.set(null);
    this.error.set(null);
    this.share.set(null);
    this.front.set(ROOT);
  }

  /** Counts the graph without the body first: the profile of the change is sent once, not with each step. */
  private async request(load: Load, parameters: Parameters, signal?: AbortSignal, onShare?: OnShare): Promise<ArrayBuffer> {
    const { before } = this;
    const graph = await load.request("flame", parameters, signal, onShare);
    return before === null ? graph : load.post("flame-change", parameters, before, signal);
  }

  private fetch(row: number): void {
    const load = this.load;
    if (load === null) return;
    void this.job.run(async (signal) => {
      try {
        const bytes = await this.request(load, { ...this.parameters, row }, signal, (share) => this.share.set(share));
        const answer = parseExact(new TextDecoder().decode(bytes)) as FlameAnswer;
        if (signal.aborted) return;
        this.share.set(null);
        const before = row === 0 ? [] : (this.shown.value?.frames ?? []);
        const frames = answer.frames.map((tuple) => frameOf(answer, tuple));
        this.error.set(null);
        this.shown.set({ answer, frames: [...before, ...frames], nextRow: answer.next_row });
      } catch (error) {
        if (isAbort(error)) return; // another request has replaced this one
        this.requestedKey = "";
        this.share.set(null);
        if (!isPast(error)) this.error.set(messageOf(error));
      }
    });
  }
}

const CHOICE: FlameChoice = {
  view: "left-heavy",
  by: "total",
  scope: "trace",
  source: "slices",
  isCollapsed: false,
  hidden: [],
  name: null,
  search: "",
  find: "",
  trace: 0,
};

/** Returns the width of frames that fits a tree: in an inverted one the whole times of nested frames do not add up. */
export function usualWidth(isInverted: boolean): "self" | "total" {
  return isInverted ? "self" : "total";
}

export class Flames {
  readonly choice = new Store<FlameChoice>(CHOICE);
  readonly main = new FlameGraph();
  readonly callers = new FlameGraph();
  readonly callees = new FlameGraph();
  /** The graph in the Go panel. */
  readonly waits = new FlameGraph();

  private again = new Paced(RENEW_MS, () => {
    for (const graph of this.graphs) graph.renew();
    return Promise.resolve();
  });

  private get graphs(): FlameGraph[] {
    return [this.main, this.callers, this.callees, this.waits];
  }

  get isRunning(): boolean {
    return this.graphs.some((graph) => graph.isRunning);
  }

  /** Changes the choice. Different slices or another tree have other frames, so the zoom ends. Another view has its usual width. */
  choose(part: Partial<FlameChoice>): void {
    const { view, by, trace } = this.choice.value;
    if (part.trace !== undefined && part.trace !== trace) part = { hidden: [], ...part }; // labels are those of a trace
    if (part.view !== undefined && part.view !== view && (by === "total" || by === "self")) part = { by: usualWidth(part.view === "bottom-up"), ...part };
    const keepsFrames = Object.keys(part).every((key) => key === "find" || key === "by");
    if (!keepsFrames) for (const graph of this.graphs) graph.front.set(ROOT);
    this.choice.update((choice) => ({ ...choice, ...part }));
  }

  /** Takes the frames of a name out of the graphs. */
  hide({ name, label }: FlameFrame): void {
    const { hidden } = this.choice.value;
    if (label !== 0 && hidden.length < MOST_HIDDEN) this.choose({ hidden: [...hidden, { name, label }] });
  }

  unhide(label: number): void {
    this.choose({ hidden: this.choice.value.hidden.filter((each) => each.label !== label) });
  }

  /** Requests again after a trace has grown: visible graphs after a pause, hidden graphs when they are shown again. */
  grown(isVisible: boolean): void {
    if (isVisible) this.again.ask();
    else for (const graph of this.graphs) graph.forget();
  }

  reset(): void {
    this.again.reset();
    for (const graph of this.graphs) graph.reset();
    this.choice.update(({ by, isCollapsed }) => ({ ...CHOICE, by, isCollapsed }));
  }
}
