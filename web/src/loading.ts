/** Which traces are open: starts loads, adds what is ready to the view, closes what is replaced. */
import { isAbort, messageOf, requestJson, type Load } from "./carrier/carrier.ts";
import type { CategoriesAnswer, Category, InfoAnswer } from "./carrier/protocol.ts";
import { openFile, openUrl } from "./carrier/worker.ts";
import { Store } from "./store.ts";
import type { TimelineView } from "./wasm/view.ts";

/** A trace that the view shows. */
export interface OpenTrace {
  load: Load;
  info: InfoAnswer;
  /** Those that have any events. */
  categories: Category[];
}

export class Loading {
  /** All of this opening, also those that failed or were cancelled. */
  readonly loads = new Store<Load[]>([]);
  /** By the view's trace number. */
  readonly traces = new Store<OpenTrace[]>([]);
  /** The same list of loads, for whoever needs it by number without a reader. */
  readonly ready: Load[] = [];
  private generation = 0;

  constructor(
    private view: TimelineView,
    private onCleared: () => void,
    private onAdded: (isLast: boolean) => void,
  ) {}

  openFiles(files: File[], mode: "replace" | "add"): void {
    if (files.length > 0) this.open(files.map(openFile), mode);
  }

  openUrls(urls: string[]): void {
    this.open(urls.map(openUrl), "replace");
  }

  open(loads: Load[], mode: "replace" | "add"): void {
    if (mode === "replace") this.clear();
    this.loads.update((open) => [...open, ...loads]);
    for (const load of loads) this.follow(load, this.generation);
  }

  /** Takes a failed or cancelled load off the list. */
  dismiss(load: Load): void {
    load.close();
    this.loads.update((loads) => loads.filter((other) => other !== load));
  }

  get isLoading(): boolean {
    return this.loads.value.some((load) => load.status.value.state === "loading") || this.adding > 0;
  }

  private adding = 0;

  private clear(): void {
    this.generation++;
    for (const load of this.loads.value) {
      load.cancel();
      load.close();
    }
    this.ready.length = 0;
    this.adding = 0;
    this.loads.set([]);
    this.traces.set([]);
    this.view.clear();
    this.onCleared();
  }

  private follow(load: Load, generation: number): void {
    const look = () => {
      if (load.status.value.state === "loading") return;
      unsubscribe();
      if (load.status.value.state === "ready") void this.add(load, generation);
    };
    const unsubscribe = load.status.subscribe(look);
    look();
  }

  private async add(load: Load, generation: number): Promise<void> {
    this.adding++;
    try {
      const [outline, info, answer] = await Promise.all([
        load.request("outline"),
        requestJson<InfoAnswer>(load, "info"),
        requestJson<CategoriesAnswer>(load, "categories"),
      ]);
      const categories = answer.categories.filter((c) => c.slices + c.instants + c.counters > 0);
      if (generation !== this.generation) return;
      this.view.addTrace(outline);
      this.ready.push(load);
      this.adding--;
      this.traces.update((traces) => [...traces, { load, info, categories }]);
      this.onAdded(!this.isLoading);
    } catch (error) {
      if (generation !== this.generation) return;
      this.adding--;
      if (isAbort(error)) return;
      load.status.update((status) => ({ ...status, state: "failed", error: messageOf(error) }));
    }
  }
}
