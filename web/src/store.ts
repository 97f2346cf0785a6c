/** A value that notifies its subscribers of changes. */
import { useEffect, useState } from "preact/hooks";

/** An object whose changes a component can follow. */
export interface Changing {
  subscribe(reader: () => void): () => void;
}

export class Store<T> {
  private readers = new Set<(value: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const reader of [...this.readers]) reader(value);
  }

  update(change: (value: T) => T): void {
    this.set(change(this.current));
  }

  subscribe(reader: (value: T) => void): () => void {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  }
}

/** The store's value in a component, which is rendered again when it changes. */
export function useStore<T>(store: Store<T>): T {
  useStores([store]);
  return store.value;
}

/** Renders a component again when one of the stores changes. */
export function useStores(stores: readonly Changing[]): void {
  const [, render] = useState(0);
  useEffect(() => {
    render((n) => n + 1); // a store may have changed between the first rendering and now
    const ends = stores.map((store) => store.subscribe(() => render((n) => n + 1)));
    return () => ends.forEach((end) => end());
  }, stores);
}

/** Runs one job at a time; a newer job aborts the running one. */
export class Latest {
  private running: AbortController | null = null;

  /** Failures of the job are left to the job; an aborted job must not change anything. */
  async run(job: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.running?.abort();
    const controller = new AbortController();
    this.running = controller;
    try {
      await job(controller.signal);
    } finally {
      if (this.running === controller) this.running = null;
    }
  }

  abort(): void {
    this.running?.abort();
    this.running = null;
  }

  get isRunning(): boolean {
    return this.running !== null;
  }
}

/** Runs a job on each request, one at a time, and at least `ms` after the previous one. */
export class Paced {
  private timer: number | null = null;
  private running = false;
  private again = false;
  private endedAt = -Infinity;

  constructor(
    private ms: number,
    private job: () => Promise<void>,
  ) {}

  ask(): void {
    if (this.running) this.again = true;
    if (this.running || this.timer !== null) return;
    this.timer = window.setTimeout(() => void this.run(), Math.max(0, this.endedAt + this.ms - performance.now()));
  }

  reset(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.again = false;
  }

  private async run(): Promise<void> {
    this.timer = null;
    this.running = true;
    try {
      await this.job();
    } finally {
      this.running = false;
      this.endedAt = performance.now();
      if (this.again) {
        this.again = false;
        this.ask();
      }
    }
  }
}
