/** The canvas and its loop: a frame is drawn only when the view says that something changed. */
import type { Load } from "../carrier/carrier.ts";
import type { Mark, Place } from "../carrier/protocol.ts";
import { Canvas2dPainter } from "../painter/canvas2d.ts";
import { Frame, type Painter } from "../painter/frame.ts";
import { createWebglPainter } from "../painter/webgl.ts";
import type { TimelineView, ViewEvent } from "../wasm/view.ts";
import { Fetcher } from "./fetcher.ts";
import { forwardKeys, forwardPointer } from "./input.ts";
import { Twin } from "./twin.ts";

/** A hand that has just moved will move again: until it rests for so long, frames that bring nothing but data are rarer. */
const HAND_RESTS_MS = 300;
/** Between frames that no hand asked for: in ms, while there is none and while there is one. Those it asks for show what has come. */
const PAUSES_MS = { still: { alone: 0, withHand: 50 }, growing: { alone: 100, withHand: 1000 } };

export interface TimelineOptions {
  canvas: HTMLCanvasElement;
  twin: HTMLElement;
  view: TimelineView;
  /** By the view's trace number. */
  loads: Load[];
  onEvent: (event: ViewEvent) => void;
  /** The view's own commands changed its options. */
  onOptions: (options: number) => void;
  /** Data for the picture could not be had. */
  onFailure: (message: string) => void;
  onSelectFromTwin: (place: Place) => void;
  onSelectInstantFromTwin: (mark: Mark) => void;
  /** Some trace grows: there is always something new to show. */
  isGrowing: () => boolean;
  /** Not WebGL2 even if there is one. */
  plain: boolean;
}

export class Timeline {
  readonly fetcher: Fetcher;
  private readonly twin: Twin;
  private canvas: HTMLCanvasElement;
  private painter: Painter;
  private scheduled = false;
  private soon: number | null = null;
  private handAt = -Infinity;
  private paintedAt = -Infinity;
  private dirty = true;
  /** A hand has done something that no frame shows yet. */
  private isAsked = false;
  private hasSize = false;
  private readonly view: TimelineView;
  /** How many frames were painted: for tests. */
  frames = 0;

  constructor(private options: TimelineOptions) {
    this.view = options.view;
    this.canvas = options.canvas;
    const retry = (message: string) => {
      options.onFailure(message);
      this.redraw();
    };
    this.fetcher = new Fetcher(this.view, options.loads, () => this.scheduleSoon(), retry);
    this.twin = new Twin(options.twin, this.view, options.onSelectFromTwin, options.onSelectInstantFromTwin, () => this.schedule(), () => this.canvas.focus({ preventScroll: true }));
    this.painter = this.createPainter(options.plain);
    const changed = () => {
      this.handAt = performance.now();
      this.isAsked = true;
      this.schedule();
    };
    forwardPointer(this.canvas, this.view, changed);
    forwardKeys(this.canvas, this.view, () => {
      this.takeEvents(); // at once: what is typed behind a key may be for whom it gave the focus to
      changed();
    });
    this.watchSize();
    this.watchContext();
  }

  get painterName(): string {
    return this.painter.name;
  }

  /** Nothing moves, nothing is on its way, nothing is to be drawn. */
  get isIdle(): boolean {
    return this.hasSize && !this.scheduled && this.soon === null && this.fetcher.isIdle && !this.view.isMoving && this.twin.isIdle;
  }

  /** The next frame, for what a hand did or what is to be seen at once. */
  schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  /**
   * A frame for data that has come. It waits its turn: where painting is slow, frames for data that comes all the time would
   * leave no time for those a hand waits for. Whatever frame is next shows it.
   */
  scheduleSoon(): void {
    if (this.scheduled || this.soon !== null) return;
    const wait = this.dataIsDue - performance.now();
    if (wait <= 0) return this.schedule();
    this.soon = window.setTimeout(() => {
      this.soon = null;
      this.scheduleSoon();
    }, wait);
  }

  /** Some hand is at work: what it asks for goes before what nobody asked for. */
  get hasHand(): boolean {
    return performance.now() - this.handAt < HAND_RESTS_MS;
  }

  /** When a frame may come that no hand asked for. */
  private get dataIsDue(): number {
    const { alone, withHand } = this.options.isGrowing() ? PAUSES_MS.growing : PAUSES_MS.still;
    return Math.max(this.paintedAt + alone, Math.min(this.handAt + HAND_RESTS_MS, this.paintedAt + withHand));
  }

  redraw(): void {
    this.dirty = true;
    this.schedule();
  }

  forgetGlyphs(): void {
    this.painter.forgetGlyphs();
    this.redraw();
  }

  setCursor(cursor: string): void {
    this.canvas.style.cursor = cursor;
  }

  private createPainter(plain: boolean): Painter {
    const webgl = plain ? null : createWebglPainter(this.canvas, this.view);
    return webgl ?? new Canvas2dPainter(this.canvas, this.view);
  }

  private frame(now: number): void {
    this.scheduled = false;
    if (this.soon !== null) clearTimeout(this.soon);
    this.soon = null;
    if (!this.hasSize) return;
    // A frame that nobody waits for is not put before one that somebody may wait for soon.
    if (!this.isAsked && !this.dirty && this.painter.isBusy) return this.schedule();
    this.isAsked = false;
    const changed = this.view.step(now);
    this.takeEvents();
    this.options.onOptions(this.view.options);
    if (changed || this.dirty) {
      const list = this.view.draw();
      if (list !== 0) this.painter.paint(new Frame(this.view.memory, list));
      this.dirty = false;
      this.frames++;
      this.paintedAt = performance.now();
      this.twin.touch();
      this.takeEvents(); // rows may have been laid out for this frame
    }
    this.fetcher.pump();
    if (this.view.isMoving) this.schedule();
  }

  /** What the view has to tell is told, without a frame. */
  takeEvents(): void {
    for (let event = this.view.nextEvent(); event !== null; event = this.view.nextEvent()) this.options.onEvent(event);
  }

  private watchSize(): void {
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      if (width === 0 || height === 0) return;
      const exact = entry.devicePixelContentBoxSize?.[0];
      const deviceWidth = devicePixels(width, exact?.inlineSize);
      const deviceHeight = devicePixels(height, exact?.blockSize);
      this.canvas.width = deviceWidth;
      this.canvas.height = deviceHeight;
      this.view.resize(width, height, deviceWidth / width);
      this.hasSize = true;
      this.dirty = true;
      // At once: the browser has just cleared the canvas, and would show it empty for a frame.
      this.scheduled = true;
      this.frame(performance.now());
    });
    try {
      observer.observe(this.canvas, { box: "device-pixel-content-box" });
    } catch {
      observer.observe(this.canvas);
    }
  }

  private watchContext(): void {
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.painter = this.createPainter(false);
      this.redraw();
    });
  }
}

/** What the browser says it is, where that can be: with an emulated screen Chromium gives CSS pixels. */
function devicePixels(cssPixels: number, exact: number | undefined): number {
  const computed = cssPixels * devicePixelRatio;
  return exact !== undefined && Math.abs(exact - computed) < 2 ? exact : Math.round(computed);
}
