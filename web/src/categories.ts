/** The hidden categories: sets of their numbers, and the text form of the sets (src/trace/store/categories.h). */
import type { Parameters } from "./transport/transport.ts";
import type { OpenTrace } from "./loading.ts";
import { Store } from "./store.ts";
import type { TimelineView } from "./wasm/view.ts";

export type NumberSet = ReadonlySet<number>;

export function printSet(set: NumberSet): string {
  const numbers = [...set].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; i++) {
    const first = numbers[i] as number;
    while (numbers[i + 1] === (numbers[i] as number) + 1) i++;
    const last = numbers[i] as number;
    parts.push(last > first ? `${first}-${last}` : `${first}`);
  }
  return parts.join(",");
}

export function parseSet(text: string): NumberSet {
  const set = new Set<number>();
  for (const part of text === "" ? [] : text.split(",")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let number = first; number <= last; number++) set.add(number);
  }
  return set;
}

export class Categories {
  /** Indexed by the view's trace number. */
  readonly hidden = new Store<NumberSet[]>([]);

  constructor(
    private view: TimelineView,
    private traces: Store<OpenTrace[]>,
    private onChange: (trace: number) => void,
  ) {}

  /** Copies the state of the view, which changes with outlines and links. */
  renew(): void {
    this.hidden.set(this.traces.value.map((_, i) => parseSet(this.view.hidden(i))));
  }

  /** Returns the parameters of requests to the engine. */
  parameters(trace: number): Parameters {
    const hide = this.view.hidden(trace);
    return hide === "" ? {} : { hide };
  }

  hide(trace: number, hidden: NumberSet): void {
    this.view.setHidden(trace, printSet(hidden));
    this.renew();
    this.onChange(trace);
  }

  /** Shows or hides some categories of a trace. */
  toggle(trace: number, numbers: Iterable<number>, shown: boolean): void {
    const hidden = new Set(this.hidden.value[trace] ?? []);
    for (const number of numbers) {
      if (shown) hidden.delete(number);
      else hidden.add(number);
    }
    this.hide(trace, hidden);
  }

  /** Hides all categories but one. */
  only(trace: number, number: number): void {
    const all = this.traces.value[trace]?.categories ?? [];
    this.hide(trace, new Set(all.filter((c) => c.id !== number).map((c) => c.id)));
  }
}
