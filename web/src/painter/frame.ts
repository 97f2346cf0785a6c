/** A draw list in the memory of the module: the layout of src/view/draw_list.h on wasm32. */
import type { Memory } from "../wasm/module.ts";

export const SHAPE_BYTES = 36;
export const TEXT_BYTES = 32;
export const CURVE_BYTES = 28;
const BATCH_BYTES = 28;

export enum BatchKind {
  Shapes,
  Texts,
  Curves,
}

export enum ShapeKind {
  Rect,
  Diamond,
  TriangleDown,
  TriangleRight,
}

export const STYLE_FADE_RIGHT = 1;
export const STYLE_HATCH = 2;
export const FADE_PX = 12;

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Shapes, curves and texts, clipped to the box. */
export interface Batch extends Box {
  kind: BatchKind;
  first: number;
  count: number;
}

/** All shapes, SHAPE_BYTES each, as integers and as floats. */
export interface ShapeWords {
  words: Uint32Array;
  floats: Float32Array;
}

export interface Text {
  x: number;
  baseline: number;
  maxWidth: number;
  size: number;
  /** 0xRRGGBBAA */
  colour: number;
  face: number;
  bytes: Uint8Array;
}

/** Valid until the next call of the module. */
export class Frame {
  readonly data: DataView;
  readonly width: number;
  readonly height: number;
  readonly background: number;
  readonly shapeCount: number;
  readonly curveCount: number;
  readonly batches: Batch[] = [];
  private readonly shapesAt: number;
  private readonly textsAt: number;
  private readonly textCount: number;
  private readonly bytesAt: number;
  private readonly curvesAt: number;

  constructor(
    private memory: Memory,
    at: number,
  ) {
    const data = (this.data = memory.view());
    this.width = data.getFloat32(at, true);
    this.height = data.getFloat32(at + 4, true);
    this.background = data.getUint32(at + 8, true);
    this.shapesAt = data.getUint32(at + 12, true);
    this.shapeCount = data.getUint32(at + 16, true);
    this.textsAt = data.getUint32(at + 20, true);
    this.textCount = data.getUint32(at + 24, true);
    this.bytesAt = data.getUint32(at + 36, true);
    this.curvesAt = data.getUint32(at + 44, true);
    this.curveCount = data.getUint32(at + 48, true);
    const batchesAt = data.getUint32(at + 28, true);
    const batchCount = data.getUint32(at + 32, true);
    for (let i = 0; i < batchCount; i++) {
      const b = batchesAt + i * BATCH_BYTES;
      this.batches.push({
        kind: data.getUint32(b, true),
        first: data.getUint32(b + 4, true),
        count: data.getUint32(b + 8, true),
        x: data.getFloat32(b + 12, true),
        y: data.getFloat32(b + 16, true),
        w: data.getFloat32(b + 20, true),
        h: data.getFloat32(b + 24, true),
      });
    }
  }

  shapes(): ShapeWords {
    const count = (this.shapeCount * SHAPE_BYTES) / 4;
    const buffer = this.data.buffer;
    return { words: new Uint32Array(buffer, this.shapesAt, count), floats: new Float32Array(buffer, this.shapesAt, count) };
  }

  curveWords(): Uint32Array {
    return new Uint32Array(this.data.buffer, this.curvesAt, (this.curveCount * CURVE_BYTES) / 4);
  }

  curveAt(i: number): number {
    return this.curvesAt + i * CURVE_BYTES;
  }

  shapeAt(i: number): number {
    return this.shapesAt + i * SHAPE_BYTES;
  }

  text(i: number): Text {
    if (i >= this.textCount) throw new RangeError("a batch beyond the texts");
    const at = this.textsAt + i * TEXT_BYTES;
    const start = this.bytesAt + this.data.getUint32(at + 24, true);
    return {
      x: this.data.getFloat32(at, true),
      baseline: this.data.getFloat32(at + 4, true),
      maxWidth: this.data.getFloat32(at + 8, true),
      size: this.data.getFloat32(at + 12, true),
      colour: this.data.getUint32(at + 16, true),
      face: this.data.getUint32(at + 20, true),
      bytes: this.memory.all.subarray(start, start + this.data.getUint32(at + 28, true)),
    };
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
export function fontOf(face: number, size: number): string {
  return `${face === 1 ? 500 : 400} ${size}px "Inter Varve", system-ui, sans-serif`;
}
