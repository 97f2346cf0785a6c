/** Finding slices by name or category, over all open traces. */
import { isAbort, messageOf, requestJson, type Load, type Parameters } from "./carrier/carrier.ts";
import type { FindAnswer, Place } from "./carrier/protocol.ts";
import { Latest, Store } from "./store.ts";

export interface SearchState {
  text: string;
  /** "3 of 12", "nothing found"; empty before the first search */
  result: string;
  searching: boolean;
}

const TYPING_MS = 150;

export class Search {
  readonly state = new Store<SearchState>({ text: "", result: "", searching: false });
  private latest = new Latest();
  private at: { trace: number; slice: number } | null = null;
  private typing: number | null = null;

  constructor(
    private loads: Load[],
    private onFound: (place: Place) => void,
    /** What requests to a trace say of hidden categories. */
    private hiding: (trace: number) => Parameters,
  ) {}

  type(text: string): void {
    this.at = null;
    this.latest.abort();
    this.state.set({ text, result: "", searching: false });
    if (this.typing !== null) clearTimeout(this.typing);
    this.typing = text === "" ? null : window.setTimeout(() => this.move("next"), TYPING_MS);
  }

  /** Where a search goes on from: a slice that was selected by other means. */
  startFrom(trace: number, slice: number): void {
    if (this.at !== null) this.at = { trace, slice };
  }

  reset(): void {
    this.latest.abort();
    this.at = null;
    this.state.set({ text: "", result: "", searching: false });
  }

  move(move: "next" | "previous"): void {
    const { text } = this.state.value;
    if (this.typing !== null) clearTimeout(this.typing);
    this.typing = null;
    if (text === "" || this.loads.length === 0) return;
    this.state.update((s) => ({ ...s, searching: true }));
    void this.latest.run(async (signal) => {
      const result = await this.find(text, move, signal).catch((error: unknown) =>
        isAbort(error) ? null : messageOf(error),
      );
      if (!signal.aborted) this.state.update((s) => ({ ...s, result: result ?? s.result, searching: false }));
    });
  }

  /** From the current trace on, then through the others, back to it. */
  private async find(text: string, move: "next" | "previous", signal: AbortSignal): Promise<string> {
    const count = this.loads.length;
    const start = this.at?.trace ?? 0;
    let wrapped: { trace: number; answer: FindAnswer } | null = null;
    for (let i = 0; i < count; i++) {
      const trace = (start + (move === "next" ? i : count - i)) % count;
      const from = this.at !== null && trace === this.at.trace ? { from: this.at.slice } : {};
      const load = this.loads[trace] as Load;
      const answer = await requestJson<FindAnswer>(load, "find", { text, move, ...from, ...this.hiding(trace) }, signal);
      if (answer.place === null) continue;
      if (!answer.wrapped) return this.found(trace, answer);
      wrapped ??= { trace, answer };
    }
    return wrapped === null ? "nothing found" : this.found(wrapped.trace, wrapped.answer);
  }

  private found(trace: number, answer: FindAnswer): string {
    const place = { ...(answer.place as Place), trace };
    this.at = { trace, slice: place.slice };
    this.onFound(place);
    return `${answer.index.toLocaleString()} of ${answer.count.toLocaleString()}`;
  }
}
