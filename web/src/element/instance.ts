/** One timeline in a shadow root: its canvas, its engine and its state. The element `varve-timeline` makes one when it is needed. */
import type { EventChoice, LoadedTrace, LoadOptions, SelectedEvent, TraceSource, VisibleRange } from "../../static/varve-timeline.d.ts";
import { parseRange, rangeFacts, selectedFacts, traceFacts } from "../embedding/facts.ts";
import { selectChoice } from "../embedding/choice.ts";
import { loadFrom } from "../embedding/source.ts";
import { TraceTimeline } from "../timeline/trace_timeline.ts";
import { messageOf, requestJson, type Load } from "../transport/transport.ts";
import type { EngineHost } from "../transport/worker.ts";
import { TimelineView } from "../wasm/view.ts";
import { ViewEventKind, ViewFilePart, ViewOption } from "generated/border.ts";
import { t } from "../texts.ts";
import { STYLE } from "./style.ts";

/** The events of the element. */
export interface InstanceEvents {
  loaded(trace: LoadedTrace): void;
  selected(event: SelectedEvent | null): void;
  ranged(range: VisibleRange): void;
  failed(message: string): void;
}

const NOTICE_MS = 3000;
const fileOf = (name: string) => new URL(name, import.meta.url).href;

/** Starts a worker of this module, also if the module came from another origin, whose workers a page cannot start itself. */
function startWorker(name: string): Worker {
  const url = fileOf("varve-timeline-worker.js");
  if (new URL(url).origin === location.origin) return new Worker(url, { name });
  const text = `importScripts(${JSON.stringify(url)})`;
  return new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), { name });
}

const ENGINE: EngineHost = {
  startWorker,
  files: () => ({ engine: fileOf("timeline-engine.wasm"), complete: fileOf("engine.wasm"), brotli: fileOf("brotli_dec_wasm_bg.wasm") }),
  baseUrl: () => document.baseURI,
};

interface Parts {
  box: HTMLElement;
  canvas: HTMLCanvasElement;
  mirror: HTMLElement;
  status: HTMLElement;
}

function make(tag: string, properties: Record<string, string>): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  return element;
}

function fill(root: ShadowRoot): Parts {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const box = make("div", { class: "box" });
  const canvas = make("canvas", { tabindex: "0", role: "application", "aria-label": t("app.timeline"), "aria-describedby": "hint" }) as HTMLCanvasElement;
  const hint = make("p", { id: "hint", class: "unseen" });
  hint.textContent = t("element.hint");
  const mirror = make("div", { class: "unseen", role: "treegrid", "aria-label": t("app.visible-rows-of-the") });
  const status = make("div", { part: "status", class: "status", role: "status" });
  box.append(canvas, hint, mirror, status);
  root.replaceChildren(box);
  return { box, canvas, mirror, status };
}

export class Instance {
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)");
  private readonly end = new AbortController();
  private readonly timeline: TraceTimeline;
  /** The promises of the first answers of open traces. */
  private opening = new WeakMap<Load, Promise<void>>();
  private wantedRange: string | null = null;
  private lastRange = "";
  private notice: number | null = null;

  private constructor(
    private view: TimelineView,
    private parts: Parts,
    private root: ShadowRoot,
    private events: InstanceEvents,
  ) {
    this.timeline = new TraceTimeline(view, ENGINE, {
      cleared: () => undefined,
      removed: () => undefined,
      added: () => this.added(this.timeline.loading.ready.length - 1),
      begun: () => this.showStatus(),
      completed: (trace) => this.added(trace),
      replacing: () => undefined,
      replaced: () => void this.timeline.file.applyPending(),
      showsExample: () => false,
      say: (message) => this.say(message),
      receive: ({ kind }) => {
        if (kind === ViewEventKind.Perspective) this.timeline.loading.complete();
        if (kind === ViewEventKind.Range) this.rangeChanged();
      },
      optionsChanged: () => undefined,
      textOf: () => null,
      isGrowing: () => false,
      hidden: () => ({}),
      renewed: () => Promise.resolve(),
      selected: () => undefined,
      overtaken: () => undefined,
      noted: () => undefined,
      opening: () => undefined,
      viewApplied: ({ selection }) => {
        this.timeline.takeEvents();
        if (selection !== null) void this.timeline.selection.restore(selection);
        this.timeline.schedule();
      },
      viewFailed: (_, reason) => events.failed(`${t("common.the-view")}: ${reason}`),
    });
    view.commands().forEach((command, index) => {
      if (command.host || command.name === "row-menu") view.setCommandKeys(index, "");
    });
    this.timeline.attach({
      canvas: parts.canvas,
      mirror: parts.mirror,
      keys: parts.box,
      leavesWheel: (event) => root.activeElement === null && !event.ctrlKey && !event.metaKey && !event.shiftKey,
      plain: false,
    });
    this.timeline.selection.details.subscribe((details) => {
      const facts = selectedFacts(details);
      if (facts !== undefined) events.selected(facts);
    });
    this.timeline.loading.loads.subscribe(() => this.showStatus());
    const options = () => {
      const { options } = view;
      view.options = this.still.matches ? options | ViewOption.ReducedMotion : options & ~ViewOption.ReducedMotion;
    };
    options();
    this.still.addEventListener("change", options, { signal: this.end.signal });
    this.loadFonts();
  }

  /** `root` must be empty. `signal`: aborted if the instance is not of use any more. */
  static async start(root: ShadowRoot, events: InstanceEvents, signal: AbortSignal): Promise<Instance> {
    const parts = fill(root);
    const view = await TimelineView.start(fileOf("view.wasm"));
    if (signal.aborted) throw disposed();
    return new Instance(view, parts, root, events);
  }

  /** True if nothing moves, loads, or has to be drawn. */
  get isIdle(): boolean {
    return this.timeline.isIdle;
  }

  get painterName(): string {
    return this.timeline.painterName;
  }

  get viewText(): string | null {
    if (this.timeline.loading.ready.length === 0) return null;
    const state = { panel: "", search: "", query: "", slice: this.timeline.selection.name };
    return this.timeline.file.text(ViewFilePart.State | ViewFilePart.Marks, state);
  }

  get visible(): VisibleRange | null {
    return this.timeline.loading.ready.length === 0 ? null : rangeFacts(this.view);
  }

  get traces(): LoadedTrace[] {
    return this.timeline.loading.traces.value.map((open, trace) => traceFacts(this.view, trace, open));
  }

  setTheme(theme: "dark" | "light"): void {
    this.parts.box.dataset["theme"] = theme;
    this.view.setTheme(theme);
    this.timeline.redraw();
  }

  /** Applies the text of a view file, once a trace is open. */
  setView(text: string): void {
    this.timeline.file.applyLater(text, t("common.the-view"));
    if (this.timeline.loading.ready.length > 0) this.timeline.file.applyPending();
  }

  /** Shows a range, once a trace is open. */
  setRange(text: string): void {
    this.wantedRange = text;
    this.applyRange();
  }

  load(source: TraceSource, { name, add = false }: LoadOptions): Promise<LoadedTrace> {
    if (this.end.signal.aborted) return Promise.reject(disposed());
    const load = loadFrom(ENGINE, source, name, this.timeline.loading.perspective);
    load.status.subscribe(() => this.showStatus());
    return this.timeline.open(load, add ? "add" : "replace").then(async (trace) => {
      await this.opening.get(load);
      const open = this.timeline.loading.traces.value[trace];
      if (open?.load !== load) throw disposed();
      return traceFacts(this.view, trace, open);
    });
  }

  select(choice: EventChoice): Promise<void> {
    return selectChoice(this.timeline, choice);
  }

  dispose(): void {
    this.end.abort();
    this.timeline.dispose();
    if (this.notice !== null) clearTimeout(this.notice);
    this.parts.box.replaceChildren();
    this.root.replaceChildren();
    this.root.adoptedStyleSheets = [];
  }

  private added(trace: number): void {
    const load = this.timeline.loading.ready[trace];
    if (load !== undefined) this.opening.set(load, this.show(trace, load));
  }

  private async show(trace: number, load: Load): Promise<void> {
    const { loading, file } = this.timeline;
    try {
      const { identity } = await requestJson(load, "identity");
      if (identity !== null && loading.ready[trace] === load) this.view.setIdentity(trace, identity);
    } catch {
      // Without an identity, view files belong to the trace of the same name.
    }
    const open = loading.traces.value[trace];
    if (open?.load !== load || this.end.signal.aborted) return;
    this.applyRange();
    file.applyPending();
    this.timeline.redraw();
    this.showStatus();
    this.events.loaded(traceFacts(this.view, trace, open));
  }

  private applyRange(): void {
    const [open] = this.timeline.loading.traces.value;
    if (this.wantedRange === null || open === undefined) return;
    const text = this.wantedRange;
    this.wantedRange = null;
    try {
      const { begin, end } = parseRange(text, open.info.time, this.view.span(0));
      this.view.setRange(0, begin, end, performance.now());
      this.timeline.schedule();
    } catch (error) {
      this.events.failed(messageOf(error));
    }
  }

  private rangeChanged(): void {
    const range = this.visible;
    const text = range === null ? "" : `${range.begin} ${range.end}`;
    if (range === null || text === this.lastRange) return;
    this.lastRange = text;
    this.events.ranged(range);
  }

  private say(message: string): void {
    if (this.notice !== null) clearTimeout(this.notice);
    this.parts.status.textContent = message;
    this.notice = window.setTimeout(() => {
      this.notice = null;
      this.showStatus();
    }, NOTICE_MS);
  }

  /** Shows the progress of a load, or the reason of its failure if no trace is open. */
  private showStatus(): void {
    if (this.notice !== null) return;
    const { loads, traces } = this.timeline.loading;
    const [load] = loads.value.filter(({ status }) => status.value.state === "loading" || (status.value.state === "failed" && traces.value.length === 0));
    const { status, canvas } = this.parts;
    canvas.classList.toggle("vacant", traces.value.length === 0);
    if (load === undefined) return status.replaceChildren();
    const { state, name, phase, done, total, error } = load.status.value;
    if (state === "failed") status.textContent = `${name}: ${error}`;
    else status.textContent = total > 0 ? `${name}: ${phase}, ${Math.floor((100 * done) / total)} %` : `${name}: ${phase}`;
  }

  /** The fonts of a canvas are those of the document: the faces are added to it, and removed by dispose(). */
  private loadFonts(): void {
    const faces = [
      new FontFace("Inter Varve", `url("${fileOf("Inter-Regular-subset.woff2")}")`, { weight: "400" }),
      new FontFace("Inter Varve", `url("${fileOf("Inter-Medium-subset.woff2")}")`, { weight: "500" }),
    ];
    for (const face of faces) document.fonts.add(face);
    this.end.signal.addEventListener("abort", () => faces.forEach((face) => document.fonts.delete(face)));
    void Promise.all(faces.map((face) => face.load()))
      .catch(() => undefined)
      .then(() => this.timeline.forgetGlyphs());
  }
}

function disposed(): DOMException {
  return new DOMException(t("element.disposed"), "AbortError");
}
