/** Which traces are open: starts loads, adds what is ready to the view, closes what is replaced. */
import { isAbort, messageOf, requestJson, type Load } from "./carrier/carrier.ts";
import type { CategoriesAnswer, Category, ChangesAnswer, InfoAnswer, LiveAnswer } from "./carrier/protocol.ts";
import { openFile, openUrl } from "./carrier/worker.ts";
import { Store } from "./store.ts";
import type { TimelineView } from "./wasm/view.ts";

/** A trace that the view shows. */
export interface OpenTrace {
  load: Load;
  /** The loads made for other perspectives, by name ("" = for all), and this one's. */
  made: Map<string, Load>;
  perspective: string;
  info: InfoAnswer;
  /** Those that have any events. */
  categories: Category[];
}

/** Once, when the load is over, however it went. */
function settled(load: Load, then: () => void): void {
  const look = () => {
    if (load.status.value.state === "loading") return;
    unsubscribe();
    then();
  };
  const unsubscribe = load.status.subscribe(look);
  look();
}

async function aboutOf(load: Load): Promise<Pick<OpenTrace, "info" | "categories">> {
  const [info, answer] = await Promise.all([
    requestJson<InfoAnswer>(load, "info"),
    requestJson<CategoriesAnswer>(load, "categories"),
  ]);
  return { info, categories: answer.categories.filter((c) => c.slices + c.instants + c.counters > 0) };
}

async function describe(load: Load): Promise<{ outline: ArrayBuffer; info: InfoAnswer; categories: Category[] }> {
  const [outline, about] = await Promise.all([load.request("outline"), aboutOf(load)]);
  return { outline, ...about };
}

export class Loading {
  /** All of this opening, also those that failed or were cancelled. */
  readonly loads = new Store<Load[]>([]);
  /** By the view's trace number. */
  readonly traces = new Store<OpenTrace[]>([]);
  /** The same list of loads, for whoever needs it by number without a reader. */
  readonly ready: Load[] = [];
  private generation = 0;

  /** onAdded: `live` is what the view has of a trace that grows. */
  constructor(
    private view: TimelineView,
    private onCleared: () => void,
    private onAdded: (isLast: boolean, live: LiveAnswer | null) => void,
    private onReplacing: () => void,
    private onReplaced: (isDone: boolean) => void,
  ) {}

  /** What traces are made for when they are opened: by name, "" = the first of their format, null = all. */
  perspective: string | null = "";

  openFiles(files: File[], mode: "replace" | "add"): void {
    if (files.length > 0) this.open(files.map((file) => openFile(file, this.perspective)), mode);
  }

  openUrls(urls: string[]): void {
    this.open(urls.map((url) => openUrl(url, this.perspective)), "replace");
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

  /** Counts of a trace that grows. */
  setCounts(trace: number, slices: number, bytes: number): void {
    const open = this.traces.value[trace];
    if (open === undefined || (open.info.counts["slices"] === slices && open.info.file.bytes === bytes)) return;
    const info = { ...open.info, counts: { ...open.info.counts, slices }, file: { ...open.info.file, bytes } };
    this.put(trace, { ...open, info });
  }

  private put(trace: number, open: OpenTrace): void {
    this.traces.update((traces) => traces.map((other, i) => (i === trace ? open : other)));
  }

  /** Asks anew what there is to be known about a trace. */
  async renew(trace: number): Promise<void> {
    const [open, generation] = [this.traces.value[trace], this.generation];
    if (open === undefined) return;
    try {
      const about = await aboutOf(open.load);
      const now = this.traces.value[trace];
      if (generation === this.generation && now?.load === open.load) this.put(trace, { ...now, ...about });
    } catch {
      // What is known stays.
    }
  }

  private follow(load: Load, generation: number): void {
    settled(load, () => {
      if (load.status.value.state === "ready") void this.add(load, generation);
    });
  }

  /** Loads what the perspective at hand shows and traces were made without. False: there is nothing of that kind. */
  complete(): boolean {
    let any = false;
    this.traces.value.forEach((open, trace) => {
      if (!this.view.lacks(trace)) return;
      any = true;
      this.lookFrom(trace, open, this.view.perspective);
    });
    return any;
  }

  private lookFrom(trace: number, open: OpenTrace, perspective: string): void {
    const generation = this.generation;
    let load = open.made.get(perspective);
    if (load === undefined) {
      const made = open.load.lookFrom(perspective);
      load = made;
      open.made.set(perspective, made);
      this.loads.update((loads) => [...loads, made]);
      settled(made, () => {
        if (generation !== this.generation) return;
        if (made.status.value.state === "ready") return void this.replace(trace, perspective, made, generation);
        open.made.delete(perspective);
        if (this.view.perspective === perspective) this.view.perspective = open.perspective;
        this.onReplaced(false);
      });
    } else if (load.status.value.state === "ready") {
      void this.replace(trace, perspective, load, generation);
    }
  }

  private async replace(trace: number, perspective: string, load: Load, generation: number): Promise<void> {
    this.adding++;
    try {
      const { outline, info, categories } = await describe(load);
      if (generation !== this.generation) return;
      this.adding--;
      const open = this.traces.value[trace];
      if (open === undefined || open.load === load || this.view.perspective !== perspective) return;
      this.onReplacing();
      this.view.replaceTrace(trace, outline);
      this.ready[trace] = load;
      this.traces.update((traces) => traces.map((old, i) => (i === trace ? { load, info, categories, perspective, made: open.made } : old)));
      this.onReplaced(true);
    } catch (error) {
      if (generation !== this.generation) return;
      this.adding--;
      if (!isAbort(error)) load.status.update((status) => ({ ...status, state: "failed", error: messageOf(error) }));
    }
  }

  private async add(load: Load, generation: number): Promise<void> {
    this.adding++;
    try {
      // First of all: what changes after this is asked for again.
      const live = load.grows ? (await requestJson<ChangesAnswer>(load, "changes", { since: 0 })).live : null;
      if (live !== null) load.shape = live.shape;
      const { outline, info, categories } = await describe(load);
      if (generation !== this.generation) return;
      this.view.addTrace(outline);
      this.ready.push(load);
      this.adding--;
      const perspective = this.view.perspective;
      const made = new Map([[perspective, load]]);
      this.traces.update((traces) => [...traces, { load, info, categories, perspective, made }]);
      this.onAdded(!this.isLoading, live);
    } catch (error) {
      if (generation !== this.generation) return;
      this.adding--;
      if (isAbort(error)) return;
      load.status.update((status) => ({ ...status, state: "failed", error: messageOf(error) }));
    }
  }
}
