/** The element `varve-timeline` (docs/embedding.md): attributes, properties and events of an Instance. */
import type { EventChoice, LoadedTrace, LoadOptions, TraceSource, VarveTimeline, VisibleRange } from "../../static/varve-timeline.d.ts";
import { t } from "../texts.ts";
import { isAbort, messageOf } from "../transport/transport.ts";
import { Instance } from "./instance.ts";

/** An instance that starts or has started. */
interface Run {
  end: AbortController;
  instance: Promise<Instance>;
  /** null = it has not started yet. */
  started: Instance | null;
}

class VarveTimelineElement extends HTMLElement implements Omit<VarveTimeline, "addEventListener" | "removeEventListener"> {
  static readonly observedAttributes = ["src", "range", "theme"];

  private readonly root = this.attachShadow({ mode: "open", delegatesFocus: true });
  private readonly light = matchMedia("(prefers-color-scheme: light)");
  private readonly themeChanged = () => this.run?.started?.setTheme(this.shownTheme);
  private run: Run | null = null;
  /** The text of a view that was set before the instance has started. */
  private pendingView: string | null = null;

  get src(): string {
    return this.getAttribute("src") ?? "";
  }

  set src(address: string) {
    this.setAttribute("src", address);
  }

  get range(): string {
    return this.getAttribute("range") ?? "";
  }

  set range(range: string) {
    this.setAttribute("range", range);
  }

  get theme(): string {
    return this.getAttribute("theme") ?? "";
  }

  set theme(theme: string) {
    this.setAttribute("theme", theme);
  }

  get view(): string | null {
    return this.run?.started?.viewText ?? null;
  }

  set view(text: string) {
    const started = this.run?.started ?? null;
    if (started === null) this.pendingView = text;
    else started.setView(text);
  }

  get visible(): VisibleRange | null {
    return this.run?.started?.visible ?? null;
  }

  get traces(): LoadedTrace[] {
    return this.run?.started?.traces ?? [];
  }

  /** For tests: true if nothing moves, loads, or has to be drawn. */
  get isIdle(): boolean {
    return this.run === null || (this.run.started?.isIdle ?? false);
  }

  async load(source: TraceSource, options: LoadOptions = {}): Promise<LoadedTrace> {
    const instance = await this.start();
    return instance.load(source, options);
  }

  async select(choice: EventChoice): Promise<void> {
    if (this.run === null) throw new Error(t("common.no-trace-is-open"));
    return (await this.run.instance).select(choice);
  }

  dispose(): void {
    const run = this.run;
    this.run = null;
    this.pendingView = null;
    run?.end.abort();
    run?.started?.dispose();
    this.root.replaceChildren();
  }

  connectedCallback(): void {
    this.light.addEventListener("change", this.themeChanged);
    if (this.run === null) this.loadSource();
  }

  disconnectedCallback(): void {
    this.light.removeEventListener("change", this.themeChanged);
    // An element that is moved within the document is connected again at once.
    queueMicrotask(() => {
      if (!this.isConnected) this.dispose();
    });
  }

  attributeChangedCallback(name: string): void {
    if (name === "src" && this.isConnected) this.loadSource();
    if (name === "range" && this.range !== "") this.run?.started?.setRange(this.range);
    if (name === "theme") this.themeChanged();
  }

  private get shownTheme(): "dark" | "light" {
    const { theme } = this;
    return theme === "dark" || theme === "light" ? theme : this.light.matches ? "light" : "dark";
  }

  /** Opens the trace of the attribute `src`. A failure is an event. */
  private loadSource(): void {
    if (this.src === "") return;
    this.load(this.src).catch((error: unknown) => {
      if (!isAbort(error)) this.send("error", { message: messageOf(error) });
    });
  }

  private start(): Promise<Instance> {
    this.run ??= this.begin();
    return this.run.instance;
  }

  private begin(): Run {
    const end = new AbortController();
    const events = {
      loaded: (trace: LoadedTrace) => this.send("loaded", trace),
      selected: (event: unknown) => this.send("select", event),
      ranged: (range: VisibleRange) => this.send("rangechange", range),
      failed: (message: string) => this.send("error", { message }),
    };
    const run: Run = { end, started: null, instance: Instance.start(this.root, events, end.signal) };
    run.instance = run.instance.then((instance) => {
      run.started = instance;
      instance.setTheme(this.shownTheme);
      if (this.range !== "") instance.setRange(this.range);
      if (this.pendingView !== null) instance.setView(this.pendingView);
      this.pendingView = null;
      return instance;
    });
    run.instance.catch(() => {
      if (this.run === run) this.run = null; // the next load starts again
    });
    return run;
  }

  private send(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

if (customElements.get("varve-timeline") === undefined) customElements.define("varve-timeline", VarveTimelineElement);
