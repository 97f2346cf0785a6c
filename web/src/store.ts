/** A value that tells its readers when it changes. */
import { useEffect, useState } from "preact/hooks";

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
  const [, render] = useState(0);
  useEffect(() => {
    render((n) => n + 1); // it may have changed between the first rendering and now
    return store.subscribe(() => render((n) => n + 1));
  }, [store]);
  return store.value;
}

/** Runs one job at a time; of those that come meanwhile only the last is run, the one under way is aborted. */
export class Latest {
  private running: AbortController | null = null;

  /** The job's own failures are its own; an aborted job should not touch anything. */
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
