/** A draw list in the memory of the module: src/view/draw_list.h. */
import {
  DrawBatchLayout,
  DrawCurveLayout,
  DrawShapeLayout,
  DrawTextLayout,
  FontFace,
  readDrawBatch,
  readDrawCurve,
  readDrawList,
  readDrawShape,
  readDrawText,
  type DrawBatchKind,
  type DrawCurve,
  type DrawList,
  type DrawShape,
} from "generated/border.ts";
import type { Memory } from "../wasm/module.ts";

export const FADE_PX = 12;

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Shapes, curves and texts, clipped to the box. */
export interface Batch extends Box {
  kind: DrawBatchKind;
  first: number;
  count: number;
}

export interface Text {
  x: number;
  baseline: number;
  maxWidth: number;
  size: number;
  /** 0xRRGGBBAA */
  colour: number;
  face: FontFace;
  bytes: Uint8Array;
}

/** Valid until the view draws again. */
export class Frame {
  readonly batches: Batch[] = [];
  private readonly list: DrawList;

  /** `address`: of a DrawList. */
  constructor(
    private memory: Memory,
    readonly address: number,
  ) {
    this.list = readDrawList(this.data, address);
    for (let i = 0; i < this.list.batch_count; i++) {
      const batch = readDrawBatch(this.data, this.list.batches + i * DrawBatchLayout.sizeof);
      const { kind, first, count, clip_x: x, clip_y: y, clip_w: w, clip_h: h } = batch;
      this.batches.push({ kind, first, count, x, y, w, h });
    }
  }

  private get data(): DataView {
    return this.memory.view();
  }

  get width(): number {
    return this.list.width;
  }

  get height(): number {
    return this.list.height;
  }

  get background(): number {
    return this.list.background;
  }

  get curveCount(): number {
    return this.list.curve_count;
  }

  curveWords(): Uint32Array {
    return new Uint32Array(this.data.buffer, this.list.curves, (this.list.curve_count * DrawCurveLayout.sizeof) / 4);
  }

  curve(i: number): DrawCurve {
    return readDrawCurve(this.data, this.list.curves + i * DrawCurveLayout.sizeof);
  }

  shape(i: number): DrawShape {
    return readDrawShape(this.data, this.list.shapes + i * DrawShapeLayout.sizeof);
  }

  text(i: number): Text {
    if (i >= this.list.text_count) throw new RangeError("a batch beyond the texts");
    const text = readDrawText(this.data, this.list.texts + i * DrawTextLayout.sizeof);
    const { x, baseline, max_w: maxWidth, size_px: size, colour, face } = text;
    const start = this.list.text + text.offset;
    return { x, baseline, maxWidth, size, colour, face, bytes: this.memory.all.subarray(start, start + text.length) };
  }
}

export interface Painter {
  /** Paints a frame of the canvas's size. */
  paint(frame: Frame): void;
  /** Drops all glyphs because their font has been replaced. */
  forgetGlyphs(): void;
  /** True while the last frame is not on the canvas yet: a new frame, and input after it, would have to wait. */
  readonly isBusy: boolean;
  /** "webgl2" or "canvas2d" */
  readonly name: string;
}

export function cssColour(colour: number): string {
  return `#${(colour >>> 0).toString(16).padStart(8, "0")}`;
}

/** Returns the CSS font of a face of DrawText; style.css loads the fonts. */
export function fontOf(face: FontFace, size: number): string {
  return `${face === FontFace.Medium ? 500 : 400} ${size}px "Inter Varve", system-ui, sans-serif`;
}
