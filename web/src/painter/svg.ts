/** Writes draw lists as SVG: shapes, curves, and texts of the width that they have in the draw list. */
import type { TimelineView } from "../wasm/view.ts";
import { DRAW_FADE_RIGHT, DRAW_HATCH, DrawBatchKind, DrawShapeKind, FontFace, type DrawCurve, type DrawShape } from "generated/border.ts";
import { FADE_PX, type Box, type Frame, type Text } from "./frame.ts";

/** The corners of the shapes besides rectangles, as parts of width and height. */
const CORNERS: Record<Exclude<DrawShapeKind, DrawShapeKind.Rect>, [number, number][]> = {
  [DrawShapeKind.Diamond]: [[0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5]],
  [DrawShapeKind.TriangleDown]: [[0, 0], [1, 0], [0.5, 1]],
  [DrawShapeKind.TriangleRight]: [[0, 0], [1, 0.5], [0, 1]],
};
const DECIMALS = 1000;
/** Characters that XML does not allow, also not as references. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const number = (value: number) => String(Math.round(value * DECIMALS) / DECIMALS);
const escaped = (text: string) => text.replace(FORBIDDEN, "\ufffd").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const hexOf = (colour: number) => `#${(colour >>> 8).toString(16).padStart(6, "0")}`;

/** Returns the colour and the opacity as attributes. */
function paintOf(name: "fill" | "stroke", colour: number): string {
  const opacity = (colour & 255) / 255;
  return `${name}="${hexOf(colour)}"${opacity < 1 ? ` ${name}-opacity="${number(opacity)}"` : ""}`;
}

class SvgWriter {
  private readonly decoder = new TextDecoder();
  private readonly body: string[] = [];
  /** The elements of <defs>, with their names. */
  private readonly definitions = new Map<string, string>();

  constructor(private view: TimelineView) {}

  /** `scale`: device pixels of the frame in one CSS pixel. */
  write(frame: Frame, scale: number): string {
    for (const batch of frame.batches) {
      if (batch.count === 0) continue;
      this.body.push(`<g clip-path="url(#${this.clip(batch)})">`);
      for (let i = batch.first; i < batch.first + batch.count; i++) {
        if (batch.kind === DrawBatchKind.Texts) this.addText(frame.text(i));
        else if (batch.kind === DrawBatchKind.Curves) this.addCurve(frame.curve(i));
        else this.addShape(frame.shape(i));
      }
      this.body.push("</g>");
    }
    const { width, height } = frame;
    const size = `width="${number(width / scale)}" height="${number(height / scale)}" viewBox="0 0 ${number(width)} ${number(height)}"`;
    const ground = rectangle({ x: 0, y: 0, w: width, h: height }, paintOf("fill", frame.background));
    const font = `font-family="Inter, system-ui, sans-serif"`;
    const definitions = [...this.definitions].map(([content, id]) => content.replace(" ", ` id="${id}" `));
    const lines = [`<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}>`, "<defs>", ...definitions, "</defs>", ground, ...this.body, "</svg>"];
    return `${lines.join("\n")}\n`;
  }

  private addCurve({ x0, y0, x1, y1, bend, width, colour }: DrawCurve): void {
    const path = `M${number(x0)} ${number(y0)}C${[x0 + bend, y0, x1 - bend, y1, x1, y1].map(number).join(" ")}`;
    this.body.push(`<path d="${path}" fill="none" stroke-width="${number(width)}" ${paintOf("stroke", colour)}/>`);
  }

  private addShape({ x, y, w, h, fill, edge, edge_px, radius, kind, style }: DrawShape): void {
    if ((fill & 255) > 0) {
      const paint = style & DRAW_FADE_RIGHT ? `fill="url(#${this.fade(fill, w)})"` : paintOf("fill", fill);
      this.body.push(outline(kind, { x, y, w, h }, radius, paint));
    }
    if (style & DRAW_HATCH) this.addHatch(x, y, w, h);
    if ((edge & 255) > 0 && edge_px > 0) {
      const inset = edge_px / 2;
      const box = { x: x + inset, y: y + inset, w: w - edge_px, h: h - edge_px };
      this.body.push(outline(kind, box, Math.max(0, radius - inset), `fill="none" stroke-width="${number(edge_px)}" ${paintOf("stroke", edge)}`));
    }
  }

  /** Returns the name of a gradient that fades out at the right edge of a box. */
  private fade(colour: number, width: number): string {
    const start = Math.max(0, 1 - Math.max(1, Math.min(FADE_PX, width / 2)) / Math.max(1, width));
    const stop = (offset: number, opacity: number) => `<stop offset="${number(offset)}" stop-color="${hexOf(colour)}" stop-opacity="${number(opacity)}"/>`;
    return this.define(`<linearGradient x1="0" x2="1">${stop(start, (colour & 255) / 255)}${stop(1, 0)}</linearGradient>`);
  }

  private clip(box: Box): string {
    return this.define(`<clipPath clipPathUnits="userSpaceOnUse">${rectangle(box, "")}</clipPath>`);
  }

  /** Returns the name of an element of <defs>. */
  private define(element: string): string {
    const known = this.definitions.get(element);
    if (known !== undefined) return known;
    const id = `d${this.definitions.size}`;
    this.definitions.set(element, id);
    return id;
  }

  private addHatch(x: number, y: number, w: number, h: number): void {
    const lines = `<path d="M-1 -1L5 5M-1 3L1 5M3 -1L5 1" stroke="#000000" stroke-opacity="0.55" stroke-width="1.4"/>`;
    const hatch = this.define(`<pattern width="4" height="4" patternUnits="userSpaceOnUse">${lines}</pattern>`);
    const reach = Math.min(w, h);
    this.body.push(`<path d="M${number(x + w - reach)} ${number(y)}H${number(x + w)}V${number(y + reach)}Z" fill="url(#${hatch})"/>`);
  }

  /** Adds a text with its width, so that it keeps its place in another font. */
  private addText({ x, baseline, maxWidth, size, colour, face, bytes }: Text): void {
    const y = Math.round(baseline);
    const text = this.decoder.decode(bytes);
    const attributes = `x="${number(x)}" y="${y}" font-size="${number(size)}"${face === FontFace.Medium ? ' font-weight="500"' : ""} ${paintOf("fill", colour)}`;
    const { shown, width } = this.measure(text, face, size, maxWidth);
    if (shown.trim() === "") return;
    if (width !== null) {
      this.body.push(`<text xml:space="preserve" textLength="${number(width)}" lengthAdjust="spacingAndGlyphs" ${attributes}>${escaped(shown)}</text>`);
      return;
    }
    const clip = this.clip({ x, y: y - 2 * size, w: maxWidth, h: 3 * size });
    this.body.push(`<text xml:space="preserve" clip-path="url(#${clip})" ${attributes}>${escaped(shown)}</text>`);
  }

  /** Returns the part of a text that has room, and its width; null = the font of the timeline does not have all of its characters. */
  private measure(text: string, face: FontFace, size: number, maxWidth: number): { shown: string; width: number | null } {
    let width = 0;
    let shown = "";
    let isFull = false;
    for (const character of text) {
      const { ours, advance } = this.view.glyph(face, character.codePointAt(0) ?? 0);
      if (!ours) return { shown: text, width: null };
      isFull ||= width + advance * size > maxWidth + 0.5;
      if (isFull) continue;
      shown += character;
      width += advance * size;
    }
    return { shown, width };
  }
}

function rectangle({ x, y, w, h }: Box, attributes: string, radius = 0): string {
  const round = radius > 0 ? ` rx="${number(radius)}"` : "";
  return `<rect x="${number(x)}" y="${number(y)}" width="${number(Math.max(0, w))}" height="${number(Math.max(0, h))}"${round} ${attributes}/>`;
}

function outline(kind: DrawShapeKind, box: Box, radius: number, attributes: string): string {
  if (kind === DrawShapeKind.Rect) return rectangle(box, attributes, radius);
  const points = CORNERS[kind].map(([right, down]) => `${number(box.x + right * box.w)},${number(box.y + down * box.h)}`);
  return `<polygon points="${points.join(" ")}" ${attributes}/>`;
}

/** Returns the frame as an SVG file. `scale`: device pixels of the frame in one CSS pixel. */
export function svgOf(frame: Frame, view: TimelineView, scale: number): string {
  return new SvgWriter(view).write(frame, scale);
}
