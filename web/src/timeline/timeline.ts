/** The canvas and its loop: a frame is drawn only after a change in the view. */
import type { Load } from "../transport/transport.ts";
import type { Mark, Place } from "../transport/protocol.ts";
import { fontScale } from "../font_size.ts";
import { Frame } from "../painter/frame.ts";
import { PointerKind, ViewOption } from "generated/border.ts";
import type { TimelineView, ViewEvent } from "../wasm/view.ts";
import type { Fetcher } from "./fetcher.ts";
import { forwardKeys, forwardPointer } from "./input.ts";
import { Mirror } from "./mirror.ts";
import { Screen } from "./screen.ts";

/**
 * After user input, more input is likely for this time; frames that only show new data are less frequent until then.
 */
const HAND_RESTS_MS = 300;
/**
 * The minimum pauses in ms before frames that show only new data, without and with user input in progress. A frame for
 * user input also shows the new data.
 */
const PAUSES_MS = { still: { alone: 0, withHand: 50 }, growing: { alone: 100, withHand: 1000 } };

export interface TimelineElements {
  canvas: HTMLCanvasElement;
  mirror: HTMLElement;
  /** Receives the keys: the window of a page, or an element around the canvas. */
  keys: EventTarget;
  /** True if the wheel scrolls the document, not the timeline. */
  leavesWheel: (event: WheelEvent) => boolean;
  /** Uses Canvas2D even if WebGL2 is available. */
  plain: boolean;
}

interface TimelineOptions extends TimelineElements {
  view: TimelineView;
  /** Indexed by the view's trace number. */
  loads: Load[];
  fetcher: Fetcher;
  onEvent: (event: ViewEvent) => void;
  /** Called when commands of the view have changed its options. */
  onOptions: (options: number) => void;
  onSelectFromMirror: (place: Place) => void;
  onSelectInstantFromMirror: (mark: Mark) => void;
  /** True if a trace grows, so that new data arrives continuously. */
  isGrowing: () => boolean;
}

export class Timeline {
  private readonly fetcher: Fetcher;
  private readonly mirror: Mirror;
  private canvas: HTMLCanvasElement;
  private readonly screen: Screen;
  private scheduled = false;
  private soon: number | null = null;
  private handAt = -Infinity;
  private paintedAt = -Infinity;
  private dirty = true;
  /** User input has arrived that no frame shows yet. */
  private isRequested = false;
  private hasSize = false;
  /** Aborted when the timeline is disposed. */
  private readonly end = new AbortController();
  private size = { width: 1, height: 1, deviceWidth: 1 };
  private readonly view: TimelineView;
  /** The number of painted frames, for tests. */
  frames = 0;

  constructor(private options: TimelineOptions) {
    this.view = options.view;
    this.canvas = options.canvas;
    this.fetcher = options.fetcher;
    this.screen = new Screen(this.canvas, this.view, options.plain, () => this.schedule());
    const changed = () => {
      this.handAt = performance.now();
      this.isRequested = true;
      this.schedule();
    };
    this.mirror = new Mirror(options.mirror, this.view, options.onSelectFromMirror, options.onSelectInstantFromMirror, () => this.schedule(), () => this.canvas.focus({ preventScroll: true }), (command) => {
      this.view.command(command, performance.now());
      changed();
    });
    forwardPointer(this.canvas, this.view, options.leavesWheel, this.end.signal, changed);
    forwardKeys(options.keys, this.canvas, this.view, this.end.signal, () => {
      this.takeEvents(); // at once: the keys typed next may be meant for the element that has just received the focus
      changed();
    });
    this.watchSize();
  }

  /** Ends all work. The canvas cannot be used again. */
  dispose(): void {
    this.end.abort();
    this.mirror.dispose();
    this.screen.dispose();
    if (this.soon !== null) clearTimeout(this.soon);
    this.soon = null;
  }

  get painterName(): string {
    return this.screen.painter.name;
  }

  /** True if the view does not move, no request is in progress and nothing has to be drawn. */
  get isIdle(): boolean {
    const isPainted = this.hasSize && !this.scheduled && (this.screen.isSettled || this.options.loads.length === 0);
    return isPainted && this.soon === null && this.fetcher.isIdle && !this.view.isMoving && this.mirror.isIdle;
  }

  /** Schedules the next frame, for user input or for changes that must be visible at once. */
  schedule(): void {
    if (this.scheduled || this.end.signal.aborted) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  /**
   * Schedules a frame for new data. It waits for its pause: if painting is slow, continuous frames for data would leave
   * no time for the frames of user input. Any earlier frame shows the data, too.
   */
  scheduleSoon(): void {
    if (this.scheduled || this.soon !== null || this.end.signal.aborted) return;
    const wait = this.dataIsDue - performance.now();
    if (wait <= 0) return this.schedule();
    this.soon = window.setTimeout(() => {
      this.soon = null;
      this.scheduleSoon();
    }, wait);
  }

  /** True during user input; requests for it have priority. */
  get hasHand(): boolean {
    return performance.now() - this.handAt < HAND_RESTS_MS;
  }

  /** The earliest time of a frame that shows only new data. */
  private get dataIsDue(): number {
    const { alone, withHand } = this.options.isGrowing() ? PAUSES_MS.growing : PAUSES_MS.still;
    return Math.max(this.paintedAt + alone, Math.min(this.handAt + HAND_RESTS_MS, this.paintedAt + withHand));
  }

  /** Draws the visible part as a picture, without the pointer. The frame is valid until the next call of the module; null = not enough memory. */
  picture(): Frame | null {
    this.leave();
    const { options } = this.view;
    this.view.options = options | ViewOption.Static;
    this.view.step(performance.now());
    const list = this.view.draw();
    this.view.options = options;
    this.redraw();
    return list === 0 ? null : new Frame(this.view.memory, list);
  }

  redraw(): void {
    this.dirty = true;
    this.schedule();
  }

  forgetGlyphs(): void {
    this.screen.forgetGlyphs();
    this.redraw();
  }

  /** Tells the view that the pointer is elsewhere. */
  leave(): void {
    this.view.pointer(PointerKind.Leave, 0, 0, 0, 0, 0, false, performance.now());
    this.schedule();
  }

  setCursor(cursor: string): void {
    this.canvas.style.cursor = cursor;
  }

  private frame(now: number): void {
    this.scheduled = false;
    if (this.soon !== null) clearTimeout(this.soon);
    this.soon = null;
    if (!this.hasSize || this.end.signal.aborted) return;
    if (this.screen.advance()) this.dirty = true;
    // A frame that shows only new data does not delay the frame of the next input.
    if (!this.isRequested && !this.dirty && this.screen.painter.isBusy) return this.schedule();
    this.isRequested = false;
    const changed = this.view.step(now);
    this.takeEvents();
    this.options.onOptions(this.view.options);
    if (changed || this.dirty) {
      const list = this.view.draw();
      this.fetcher.pump(); // the requests for the picture do not wait until it is painted
      if (list !== 0) this.screen.painter.paint(new Frame(this.view.memory, list));
      this.dirty = false;
      this.frames++;
      this.paintedAt = performance.now();
      this.mirror.touch();
      this.takeEvents(); // the rows may have changed in this frame
    }
    this.fetcher.pump();
    if (this.options.loads.length > 0 && !this.view.isWaiting) this.screen.complete();
    if (this.view.isMoving) this.schedule();
  }

  /** Handles the events of the view without drawing a frame. */
  takeEvents(): void {
    for (let event = this.view.nextEvent(); event !== null; event = this.view.nextEvent()) this.options.onEvent(event);
  }

  /** The view counts in pixels of which a rem has 16, so that its rows and texts follow the size of text. */
  private resizeView(): void {
    const { width, height, deviceWidth } = this.size;
    const scale = fontScale.value;
    this.view.resize(width / scale, height / scale, (deviceWidth / width) * scale);
  }

  private watchSize(): void {
    const unsubscribe = fontScale.subscribe(() => {
      if (!this.hasSize) return;
      this.resizeView();
      this.redraw();
    });
    this.end.signal.addEventListener("abort", unsubscribe);
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      if (width === 0 || height === 0) return;
      const exact = entry.devicePixelContentBoxSize?.[0];
      const deviceWidth = devicePixels(width, exact?.inlineSize);
      const deviceHeight = devicePixels(height, exact?.blockSize);
      this.screen.resize(deviceWidth, deviceHeight);
      this.size = { width, height, deviceWidth };
      this.resizeView();
      this.hasSize = true;
      this.dirty = true;
      // Draws at once: the browser has just cleared the canvas and would show it empty for a frame.
      this.scheduled = true;
      this.frame(performance.now());
    });
    this.end.signal.addEventListener("abort", () => observer.disconnect());
    try {
      observer.observe(this.canvas, { box: "device-pixel-content-box" });
    } catch {
      observer.observe(this.canvas);
    }
  }
}

/**
 * Returns the size in device pixels from the browser if it is plausible: with an emulated screen Chromium reports CSS
 * pixels.
 */
function devicePixels(cssPixels: number, exact: number | undefined): number {
  const computed = cssPixels * devicePixelRatio;
  return exact !== undefined && Math.abs(exact - computed) < 2 ? exact : Math.round(computed);
}
