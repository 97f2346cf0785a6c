/** The comparison of two open traces: its choice, and the latest answer of the engines. */
import { isPast, messageOf, queryOf, type Load, type Parameters } from "./carrier/carrier.ts";
import type { CompareAnswer, CompareMeasure } from "./carrier/protocol.ts";
import { Latest, Paced, Store } from "./store.ts";

export type CompareScope = "trace" | "area";
/** The numbers in the table: those of `varve diff`, of one measure, or all. */
export type CompareNumbers = "overview" | CompareMeasure | "all";

export interface CompareChoice {
  /** Trace numbers: before, and after. */
  a: number;
  b: number;
  by: "name" | "path";
  scope: CompareScope;
  numbers: CompareNumbers;
  /** Rows whose verdict is noise or few are left out. */
  isChanged: boolean;
  filter: string;
}

/** A trace, and the parameters that choose its slices. */
export interface CompareInput {
  load: Load;
  parameters: Parameters;
}

const CHOICE: CompareChoice = { a: 0, b: 1, by: "name", scope: "trace", numbers: "overview", isChanged: false, filter: "" };
/** Shortest time between two counts of a trace that grows. */
const RENEW_MS = 1000;

export class Comparison {
  readonly choice = new Store<CompareChoice>(CHOICE);
  readonly shown = new Store<CompareAnswer | null>(null);
  readonly error = new Store<string | null>(null);
  private job = new Latest();
  private asked = "";
  private inputs: [CompareInput, CompareInput] | null = null;
  private again = new Paced(RENEW_MS, () => this.fetch());

  get isRunning(): boolean {
    return this.job.isRunning;
  }

  choose(part: Partial<CompareChoice>): void {
    this.choice.update((choice) => ({ ...choice, ...part }));
  }

  swap(): void {
    const { a, b } = this.choice.value;
    this.choose({ a: b, b: a });
  }

  /** Asks unless that was asked last. The old rows stay until the new ones are there. */
  ask(a: CompareInput, b: CompareInput): void {
    const { by } = this.choice.value;
    const key = JSON.stringify([by, a.load.number, a.parameters, b.load.number, b.parameters]);
    const isSame = key === this.asked && this.inputs?.[0].load === a.load && this.inputs[1].load === b.load;
    if (isSame) return;
    this.asked = key;
    this.inputs = [a, b];
    void this.fetch();
  }

  /** A trace has grown. */
  grown(isVisible: boolean): void {
    if (isVisible) this.again.ask();
    else this.asked = "";
  }

  reset(): void {
    this.again.reset();
    this.job.abort();
    this.asked = "";
    this.inputs = null;
    this.shown.set(null);
    this.error.set(null);
    this.choice.update(({ by, numbers }) => ({ ...CHOICE, by, numbers }));
  }

  /** Each trace may be in an engine of its own: the engine of A makes a profile, which that of B compares with its trace. */
  private fetch(): Promise<void> {
    const [a, b] = this.inputs ?? [];
    if (a === undefined || b === undefined) return Promise.resolve();
    const { by } = this.choice.value;
    return this.job.run(async (signal) => {
      try {
        const profile = await a.load.request("profile", { ...a.parameters, by }, signal);
        const shape = b.load.grows ? { shape: b.load.shape } : {};
        const request = queryOf("compare", b.load.number, { ...b.parameters, ...shape, by });
        const bytes = await b.load.post(request, profile, signal);
        if (signal.aborted) return;
        this.error.set(null);
        this.shown.set(JSON.parse(new TextDecoder().decode(bytes)) as CompareAnswer);
      } catch (error) {
        if (signal.aborted) return;
        this.asked = "";
        if (!isPast(error)) this.error.set(messageOf(error));
      }
    });
  }
}
