/** The comparison of two open traces: the user's choice, and the latest answer of the engines. */
import { isPast, messageOf, type Load, type Parameters } from "./transport/transport.ts";
import type { CompareAnswer, CompareMeasure, CompareVerdict } from "./transport/protocol.ts";
import type { AreaPart } from "./areas.ts";
import { FlameGraph, ROOT, usualWidth } from "./flame.ts";
import { Latest, Paced, Store } from "./store.ts";

export type CompareScope = "trace" | "area";
/** The measures in the table: the columns of `varve diff`, one measure, or all. */
export type CompareNumbers = "overview" | CompareMeasure | "all";

export interface CompareChoice {
  /** The trace numbers of the earlier and the later trace. */
  a: number;
  b: number;
  by: "name" | "path";
  view: "table" | "flame";
  /** The order of the flame graph. */
  tree: "calls" | "inverted";
  weight: "total" | "self" | "count";
  scope: CompareScope;
  /** Only the tracks of this thread or process; "" = all. */
  thread: string;
  /** The area of A while the selected area is that of B alone; null = the selected area is that of both. */
  keptA: AreaPart | null;
  numbers: CompareNumbers;
  /** Hides rows with the verdicts "noise" and "few". */
  isChanged: boolean;
  /** Shows only the rows with this verdict; null = all. */
  verdict: CompareVerdict | null;
  filter: string;
}

/** A trace, and the parameters that choose its slices. */
export interface CompareInput {
  load: Load;
  parameters: Parameters;
}

const CHOICE: CompareChoice = { a: 0, b: 1, by: "name", view: "table", tree: "calls", weight: "total", scope: "trace", thread: "", keptA: null, numbers: "overview", isChanged: false, verdict: null, filter: "" };
/** The shortest time between two requests about a growing trace. */
const RENEW_MS = 1000;

export class Comparison {
  readonly choice = new Store<CompareChoice>(CHOICE);
  readonly shown = new Store<CompareAnswer | null>(null);
  readonly error = new Store<string | null>(null);
  /** The flame graph of B, coloured by the changes since A. */
  readonly graph = new FlameGraph();
  /** The user has chosen A or B. */
  private hasSides = false;
  private job = new Latest();
  private profileJob = new Latest();
  /** The profile of A for the graph. */
  private profile: { of: CompareInput; key: string; bytes: ArrayBuffer } | null = null;
  private requestedKey = "";
  private inputs: [CompareInput, CompareInput] | null = null;
  private again = new Paced(RENEW_MS, () => this.fetch());

  get isRunning(): boolean {
    return this.job.isRunning || this.profileJob.isRunning || this.graph.isRunning;
  }

  choose(part: Partial<CompareChoice>): void {
    if (["a", "b", "scope", "thread", "tree"].some((key) => key in part)) this.graph.front.set(ROOT);
    const isOther = ["a", "scope"].some((key) => key in part);
    const { weight } = this.choice.value;
    if (part.tree !== undefined && weight !== "count") part = { weight: usualWidth(part.tree === "inverted"), ...part };
    this.choice.update((choice) => ({ ...choice, ...(isOther ? { keptA: null } : {}), ...part }));
  }

  /** Sets A or B, or both. */
  chooseSides(sides: { a?: number; b?: number }): void {
    this.hasSides = true;
    this.choose(sides);
  }

  swap(): void {
    const { a, b } = this.choice.value;
    this.chooseSides({ a: b, b: a });
  }

  /** Makes the first two traces A and B, unless others were chosen. positions[trace]: in the order of opening. */
  setOrder(positions: readonly number[]): void {
    const [a, b] = positions.map((_, trace) => trace).sort((left, right) => (positions[left] ?? 0) - (positions[right] ?? 0));
    if (!this.hasSides && a !== undefined && b !== undefined) this.choose({ a, b });
  }

  /** Sends the request unless it is the same as the last one. The old rows stay until the new ones arrive. */
  ask(a: CompareInput, b: CompareInput): void {
    const { by } = this.choice.value;
    const key = JSON.stringify([by, a.load.number, a.parameters, b.load.number, b.parameters]);
    const isSame = key === this.requestedKey && this.inputs?.[0].load === a.load && this.inputs[1].load === b.load;
    if (isSame) return;
    this.requestedKey = key;
    this.inputs = [a, b];
    void this.fetch();
  }

  /** Requests the flame graph of B, `widthPx` wide. */
  askGraph(a: CompareInput, b: CompareInput, widthPx: number): void {
    const { tree, weight } = this.choice.value;
    const key = JSON.stringify(a.parameters);
    if (this.profile?.of.load === a.load && this.profile.key === key) {
      this.graph.ask(b.load, { ...b.parameters, tree, by: weight }, widthPx, this.profile.bytes);
      return;
    }
    void this.profileJob.run(async (signal) => {
      try {
        const bytes = await a.load.request("profile", { ...a.parameters, by: "path", kinds: "stacks" }, signal);
        if (signal.aborted) return;
        this.profile = { of: a, key, bytes };
        this.graph.ask(b.load, { ...b.parameters, tree, by: weight }, widthPx, bytes);
      } catch (error) {
        if (!signal.aborted && !isPast(error)) this.graph.error.set(messageOf(error));
      }
    });
  }

  /** Requests again after a trace has grown. */
  grown(isVisible: boolean): void {
    this.profile = null;
    if (this.choice.value.keptA !== null) this.choose({ keptA: null }); // ids of tracks may change
    this.graph.forget();
    if (isVisible) this.again.ask();
    else this.requestedKey = "";
  }

  reset(): void {
    this.again.reset();
    this.job.abort();
    this.profileJob.abort();
    this.hasSides = false;
    this.profile = null;
    this.graph.reset();
    this.requestedKey = "";
    this.inputs = null;
    this.shown.set(null);
    this.error.set(null);
    this.choice.update(({ by, numbers }) => ({ ...CHOICE, by, numbers }));
  }

  /**
   * The traces can be in different engines: the engine of A makes a profile, and the engine of B compares it with its
   * trace.
   */
  private fetch(): Promise<void> {
    const [a, b] = this.inputs ?? [];
    if (a === undefined || b === undefined) return Promise.resolve();
    const { by } = this.choice.value;
    return this.job.run(async (signal) => {
      try {
        const parameters = { ...b.parameters, by };
        const [profile] = await Promise.all([
          a.load.request("profile", { ...a.parameters, by }, signal),
          b.load.post("compare", parameters, "", signal), // counts B: the profile is sent once, not with each step
        ]);
        const bytes = await b.load.post("compare", parameters, profile, signal);
        if (signal.aborted) return;
        this.error.set(null);
        this.shown.set(JSON.parse(new TextDecoder().decode(bytes)) as CompareAnswer);
      } catch (error) {
        if (signal.aborted) return;
        this.requestedKey = "";
        if (!isPast(error)) this.error.set(messageOf(error));
      }
    });
  }
}
