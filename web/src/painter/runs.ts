/** Groups the shapes of a batch, in order, by the fastest way to paint them. */
import { DRAW_HATCH, DrawShapeKind } from "generated/border.ts";
import { EDGE, FILL, H, KIND, RADIUS, SHAPE_WORDS, STYLE_SHIFT, W, X, Y, type Box, type ShapeWords } from "./frame.ts";
import { Strips } from "./strips.ts";

/** If shapes and rectangles alternate more often, the calls cost more than they save. */
const MOST_RUNS = 16;
/** A rectangle of at least this number of pixels gets its own call. */
const GROUND_PX = 4000;
/** At least this number of rectangles of the same kind get their own call. */
const MANY = 32;
/** The limits on the rows of a mosaic, and on the pixels for each of its rectangles. */
const MOSAIC_ROWS = 128;
const MOSAIC_PX = 64;

export interface Run {
  /**
   * rects: rectangles. bare: rectangles of one colour on whole pixels. ground: a large bare rectangle. strip: narrow
   * bare rectangles side by side. mosaic: bare, opaque rectangles close together. shapes: any shapes.
   */
  kind: "rects" | "bare" | "ground" | "strip" | "mosaic" | "shapes";
  first: number;
  count: number;
}

export function runsOf(shapes: ShapeWords, first: number, count: number): Run[] {
  const found: Run[] = [];
  let changes = 0;
  const end = first + count;
  for (let i = first; i < end; ) {
    const strip = stripLength(shapes, i, end);
    const bare = strip >= MANY ? 0 : bareLength(shapes, i, end);
    const last = found[found.length - 1];
    if (strip >= MANY || bare >= MANY) {
      if (strip >= MANY) found.push({ kind: "strip", first: i, count: strip });
      else found.push({ kind: mosaicBox(shapes, i, bare) === null ? "bare" : "mosaic", first: i, count: bare });
      i += Math.max(strip, bare);
      continue;
    }
    const size = Math.max(1, Math.min(strip, bare));
    const kind = kindOf(shapes, i);
    if (last !== undefined && last.kind === kind && kind !== "ground") last.count += size;
    else found.push({ kind, first: i, count: size });
    if (kind === "shapes" && last?.kind !== kind) changes++;
    i += size;
  }
  return changes <= MOST_RUNS ? found : joined(found);
}

/** Merges runs of rectangles between other shapes into runs of shapes. */
function joined(runs: Run[]): Run[] {
  const found: Run[] = [];
  for (const { kind, first, count } of runs) {
    const last = found[found.length - 1];
    if (kind !== "rects" && kind !== "shapes") found.push({ kind, first, count });
    else if (last?.kind === "shapes") last.count += count;
    else found.push({ kind: "shapes", first, count });
  }
  return found;
}

/** Returns the bounding box of bare rectangles; null if they are not a mosaic. */
export function mosaicBox({ words, floats }: ShapeWords, first: number, count: number): Box | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const end = (first + count) * SHAPE_WORDS;
  for (let at = first * SHAPE_WORDS; at < end; at += SHAPE_WORDS) {
    const [x, y, w, h] = [floats[at + X], floats[at + Y], floats[at + W], floats[at + H]] as [number, number, number, number];
    if (((words[at + FILL] as number) & 255) !== 255) return null;
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + w);
    bottom = Math.max(bottom, y + h);
  }
  const [w, h] = [right - left, bottom - top];
  return w <= Strips.most && h <= MOSAIC_ROWS && w * h <= MOSAIC_PX * count ? { x: left, y: top, w, h } : null;
}

function kindOf({ words, floats }: ShapeWords, shape: number): Run["kind"] {
  const at = shape * SHAPE_WORDS;
  const kindAndStyle = words[at + KIND] as number;
  if ((kindAndStyle & 0xffff) !== (DrawShapeKind.Rect as number) || (kindAndStyle & (DRAW_HATCH << STYLE_SHIFT)) !== 0) return "shapes";
  const isOpaque = ((words[at + FILL] as number) & 255) === 255;
  const isLarge = (floats[at + W] as number) * (floats[at + H] as number) >= GROUND_PX;
  return isOpaque && isLarge && isWhole(words, floats, at) ? "ground" : "rects";
}

/** True if a shape is a rectangle of one colour without a border, whose sides are on whole columns of pixels. */
function isBare(words: Uint32Array, floats: Float32Array, at: number): boolean {
  if (words[at + KIND] !== DrawShapeKind.Rect || ((words[at + EDGE] as number) & 255) !== 0 || floats[at + RADIUS] !== 0) return false;
  return Number.isInteger(floats[at + X]) && Number.isInteger(floats[at + W]);
}

function isWhole(words: Uint32Array, floats: Float32Array, at: number): boolean {
  return isBare(words, floats, at) && Number.isInteger(floats[at + Y]) && Number.isInteger(floats[at + H]);
}

/** Returns the number of bare, not large rectangles before the next strip. */
function bareLength(shapes: ShapeWords, first: number, end: number): number {
  const { words, floats } = shapes;
  let shape = first;
  for (let at = first * SHAPE_WORDS; shape < end; shape++, at += SHAPE_WORDS) {
    if (!isWhole(words, floats, at) || kindOf(shapes, shape) !== "rects") break;
    const before = at - SHAPE_WORDS;
    const isSameRow = shape > first && floats[at + Y] === floats[before + Y] && floats[at + H] === floats[before + H];
    if (shape > first && !isSameRow && stripLength(shapes, shape, end) >= MANY) break;
  }
  return shape - first;
}

/** Returns the number of bare rectangles from `first` with the same top and height, from left to right. */
function stripLength({ words, floats }: ShapeWords, first: number, end: number): number {
  const start = first * SHAPE_WORDS;
  const [x, y, h] = [floats[start + X] as number, floats[start + Y], floats[start + H]];
  let right = x;
  let shape = first;
  for (let at = start; shape < end; shape++, at += SHAPE_WORDS) {
    const left = floats[at + X] as number;
    if (floats[at + Y] !== y || floats[at + H] !== h || left < right || !isBare(words, floats, at)) break;
    right = left + (floats[at + W] as number);
    if (right - x > Strips.most) break;
  }
  return shape - first;
}
