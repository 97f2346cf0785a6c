/** The plan of a frame in the memory of the module: src/view/paint_plan.h. */
import { DrawShapeLayout, PAINT_TEXEL_COLUMNS, PaintRunLayout, PaintStripLayout, readPaintList, readPaintRun, type PaintKind, type PaintList } from "generated/border.ts";
import type { Memory } from "../wasm/module.ts";

/** Quads, strips or the shape of a ground, painted in the same way. */
export interface Run {
  kind: PaintKind;
  batch: number;
  first: number;
  count: number;
}

/** Valid until the next call of the module. */
export class Plan {
  readonly runs: Run[] = [];
  readonly list: PaintList;
  private readonly buffer: ArrayBuffer;

  constructor(memory: Memory, at: number) {
    const data = memory.view();
    this.buffer = data.buffer as ArrayBuffer;
    this.list = readPaintList(data, at);
    for (let i = 0; i < this.list.run_count; i++) this.runs.push(readPaintRun(data, this.list.runs + i * PaintRunLayout.sizeof));
  }

  quadCorners(): Uint8Array {
    return new Uint8Array(this.buffer, this.list.corners, 4 * DrawShapeLayout.sizeof * this.list.quad_count);
  }

  stripCorners(): Uint8Array {
    return new Uint8Array(this.buffer, this.list.strip_corners, 4 * PaintStripLayout.sizeof * this.list.strip_count);
  }

  texels(): Uint8Array {
    return new Uint8Array(this.buffer, this.list.texels, 4 * PAINT_TEXEL_COLUMNS * this.list.texel_rows);
  }
}
