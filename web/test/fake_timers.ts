/** A setTimeout that a test controls. Node 18 and 20 have different functions for mock timers. */
interface Timer {
  number: number;
  due: number;
  job: () => void;
}

export class FakeTimers {
  private now = 0;
  private last = 0;
  private timers: Timer[] = [];
  private readonly real = { setTimeout, clearTimeout, window: (globalThis as { window?: unknown }).window };

  constructor() {
    const set = (job: () => void, ms = 0) => {
      this.timers.push({ number: ++this.last, due: this.now + ms, job });
      return this.last;
    };
    const clear = (number: number) => (this.timers = this.timers.filter((timer) => timer.number !== number));
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear, window: globalThis });
  }

  /** Advances the time and runs the due jobs in their order. */
  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const next = this.timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due || a.number - b.number)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = next.due;
      next.job();
    }
    this.now = end;
  }

  restore(): void {
    Object.assign(globalThis, this.real);
  }
}

/** Waits until the callbacks of settled promises have run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 400; i++) await Promise.resolve();
}
