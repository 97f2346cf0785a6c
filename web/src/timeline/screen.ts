/**
 * The canvases of the timeline and their painters. The first pictures are painted without WebGL2: a context of it takes a
 * browser a hundred milliseconds and more, and its programs as long again. Once the first picture is complete, a canvas with
 * WebGL2 covers the first canvas, which still receives the input.
 */
import { Canvas2dPainter } from "../painter/canvas2d.ts";
import type { Painter } from "../painter/frame.ts";
import { createWebglPainter, type WebglPainter } from "../painter/webgl.ts";
import type { TimelineView } from "../wasm/view.ts";

export class Screen {
  private readonly plain: Canvas2dPainter;
  /** The canvas with WebGL2, null = none yet, or the browser has none. */
  private layer: HTMLCanvasElement | null = null;
  /** A painter whose programs are being compiled. */
  private next: WebglPainter | null = null;
  private shown: { canvas: HTMLCanvasElement; painter: Painter };
  private stage: "first" | "asked" | "compiling" | "settled" = "first";
  /** The canvas on the screen has no picture. */
  private isEmpty = false;
  /** Aborted by dispose(): a browser can keep a canvas with its listeners as long as its context. */
  private readonly end = new AbortController();

  /** `isPlain`: never uses WebGL2. `schedule`: schedules a frame, which calls advance(). */
  constructor(
    private canvas: HTMLCanvasElement,
    private view: TimelineView,
    isPlain: boolean,
    private schedule: () => void,
  ) {
    this.plain = new Canvas2dPainter(canvas, view);
    this.shown = { canvas, painter: this.plain };
    if (isPlain) this.stage = "settled";
  }

  get painter(): Painter {
    return this.shown.painter;
  }

  /** True if the painter will not be replaced. */
  get isSettled(): boolean {
    return this.stage === "settled";
  }

  /** Sets the size in device pixels. This clears the canvas and, with WebGL2, waits until all earlier frames are painted. */
  resize(width: number, height: number): void {
    setSize(this.shown.canvas, width, height);
    if (this.layer !== null) setSize(this.layer, width, height);
  }

  /** Called after a complete picture: begins with WebGL2 when the page has time. */
  complete(): void {
    if (this.stage !== "first") return;
    this.stage = "asked";
    setTimeout(() => this.begin(), 0);
  }

  /** Called before each frame. True if it must be painted because its canvas is empty. */
  advance(): boolean {
    if (this.next !== null && this.layer !== null) {
      if (this.next.isReady) this.cover(this.layer, this.next);
      else this.schedule();
    }
    const isEmpty = this.isEmpty;
    this.isEmpty = false;
    return isEmpty;
  }

  private cover(layer: HTMLCanvasElement, painter: Painter): void {
    this.shown = { canvas: layer, painter };
    this.canvas.after(layer);
    setSize(this.canvas, 1, 1); // returns its memory
    this.next = null;
    this.stage = "settled";
    this.isEmpty = true;
  }

  forgetGlyphs(): void {
    this.painter.forgetGlyphs();
    this.next?.forgetGlyphs();
  }

  private begin(): void {
    if (this.stage !== "asked") return; // it was disposed
    const layer = document.createElement("canvas");
    layer.className = "layer";
    layer.setAttribute("aria-hidden", "true");
    setSize(layer, this.canvas.width, this.canvas.height); // before it has a context, a new size costs nothing
    this.next = createWebglPainter(layer, this.view);
    this.stage = this.next === null ? "settled" : "compiling";
    if (this.next === null) return;
    this.layer = layer;
    const { signal } = this.end;
    layer.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.lose(layer);
    }, { signal });
    layer.addEventListener("webglcontextrestored", () => this.restore(layer), { signal });
    this.schedule();
  }

  /** Releases the context of WebGL2: a page has a limited number of them. */
  dispose(): void {
    const layer = this.layer;
    this.end.abort();
    this.layer = this.next = null;
    this.shown = { canvas: this.canvas, painter: this.plain };
    this.stage = "settled";
    layer?.remove();
    layer?.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
  }

  /** Returns to the first canvas. A browser takes a context back when the page has too many of them. */
  private lose(layer: HTMLCanvasElement): void {
    if (this.layer === null) return;
    layer.remove();
    setSize(this.canvas, layer.width, layer.height);
    this.shown = { canvas: this.canvas, painter: this.plain };
    this.next = null;
    this.stage = "settled";
    this.isEmpty = true;
    this.schedule();
  }

  /** Compiles the programs again. */
  private restore(layer: HTMLCanvasElement): void {
    if (this.layer === null) return;
    this.next = createWebglPainter(layer, this.view);
    this.stage = this.next === null ? "settled" : "compiling";
    this.schedule();
  }
}

function setSize(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
