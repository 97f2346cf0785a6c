/** Paints draw lists without WebGL2: the same picture, but slower. */
import type { TimelineView } from "../wasm/view.ts";
import { DRAW_FADE_RIGHT, DRAW_HATCH, DrawBatchKind, DrawShapeKind, type DrawCurve, type DrawShape } from "generated/border.ts";
import { cssColour, FADE_PX, fontOf, type Frame, type Painter, type Text } from "./frame.ts";
import { t } from "../texts.ts";

const HATCH_PX = 4;

export class Canvas2dPainter implements Painter {
  readonly name = "canvas2d";
  readonly isBusy = false;
  private readonly context: CanvasRenderingContext2D;
  private readonly decoder = new TextDecoder();
  private readonly colours = new Map<number, string>();
  /** The colour of fillStyle; null = another style. */
  private filled: number | null = null;

  constructor(
    canvas: HTMLCanvasElement,
    private view: TimelineView,
  ) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error(t("timeline.no-painter"));
    this.context = context;
  }

  forgetGlyphs(): void {}

  paint(frame: Frame): void {
    const c = this.context;
    c.fillStyle = cssColour(frame.background);
    c.fillRect(0, 0, frame.width, frame.height);
    for (const batch of frame.batches) {
      c.save();
      c.beginPath();
      c.rect(batch.x, batch.y, batch.w, batch.h);
      c.clip();
      this.filled = null;
      for (let i = batch.first; i < batch.first + batch.count; i++) {
        if (batch.kind === DrawBatchKind.Texts) this.paintText(frame.text(i));
        else if (batch.kind === DrawBatchKind.Curves) this.paintCurve(frame.curve(i));
        else this.paintShape(frame.shape(i));
      }
      c.restore();
    }
  }

  private paintCurve({ x0, y0, x1, y1, bend, width, colour }: DrawCurve): void {
    const c = this.context;
    c.lineWidth = width;
    c.strokeStyle = cssColour(colour);
    c.beginPath();
    c.moveTo(x0, y0);
    c.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    c.stroke();
  }

  /** Shapes are tens of thousands in a dense picture, most of them rectangles of the colour of the one before. */
  private paintShape({ x, y, w, h, fill, edge, edge_px, radius, kind, style }: DrawShape): void {
    const c = this.context;
    if ((fill & 255) > 0) {
      this.fillWith(fill, style & DRAW_FADE_RIGHT ? this.fade(x, w, fill) : null);
      this.fillOutline(kind, x, y, w, h, radius);
    }
    if (style & DRAW_HATCH) this.hatch(x, y, w, h);
    if ((edge & 255) > 0 && edge_px > 0) {
      c.strokeStyle = cssColour(edge);
      c.lineWidth = edge_px;
      const inset = edge_px / 2;
      this.outline(kind, x + inset, y + inset, w - edge_px, h - edge_px, Math.max(0, radius - inset));
      c.stroke();
    }
  }

  private fillWith(colour: number, fade: CanvasGradient | null): void {
    if (fade !== null) this.context.fillStyle = fade;
    else if (colour !== this.filled) this.context.fillStyle = this.cssColour(colour);
    this.filled = fade === null ? colour : null;
  }

  private cssColour(colour: number): string {
    let css = this.colours.get(colour);
    if (css === undefined) this.colours.set(colour, (css = cssColour(colour)));
    return css;
  }

  private fillOutline(kind: DrawShapeKind, x: number, y: number, w: number, h: number, radius: number): void {
    if (kind === DrawShapeKind.Rect && radius <= 0) {
      this.context.fillRect(x, y, w, h);
      return;
    }
    this.outline(kind, x, y, w, h, radius);
    this.context.fill();
  }

  private outline(kind: DrawShapeKind, x: number, y: number, w: number, h: number, radius: number): void {
    const c = this.context;
    c.beginPath();
    if (kind === DrawShapeKind.Rect) {
      if (radius > 0) c.roundRect(x, y, Math.max(0, w), Math.max(0, h), radius);
      else c.rect(x, y, w, h);
      return;
    }
    const corners = {
      [DrawShapeKind.Diamond]: [0.5, 0, 1, 0.5, 0.5, 1, 0, 0.5],
      [DrawShapeKind.TriangleDown]: [0, 0, 1, 0, 0.5, 1],
      [DrawShapeKind.TriangleRight]: [0, 0, 1, 0.5, 0, 1],
    }[kind];
    for (let i = 0; i < corners.length; i += 2) c.lineTo(x + (corners[i] ?? 0) * w, y + (corners[i + 1] ?? 0) * h);
    c.closePath();
  }

  private fade(x: number, w: number, colour: number): CanvasGradient {
    const length = Math.max(1, Math.min(FADE_PX, w / 2));
    const gradient = this.context.createLinearGradient(x + w - length, 0, x + w, 0);
    gradient.addColorStop(0, cssColour(colour));
    gradient.addColorStop(1, cssColour(colour & ~255));
    return gradient;
  }

  private hatch(x: number, y: number, w: number, h: number): void {
    const c = this.context;
    const reach = Math.min(w, h);
    c.save();
    c.beginPath();
    c.moveTo(x + w - reach, y);
    c.lineTo(x + w, y);
    c.lineTo(x + w, y + reach);
    c.clip();
    c.strokeStyle = "rgba(0, 0, 0, 0.55)";
    c.lineWidth = HATCH_PX * Math.SQRT1_2 * 0.5;
    c.beginPath();
    for (let at = -reach; at < reach; at += HATCH_PX) {
      c.moveTo(x + w - reach + at, y);
      c.lineTo(x + w + at, y + reach);
    }
    c.stroke();
    c.restore();
  }

  private paintText(text: Text): void {
    const c = this.context;
    const string = this.decoder.decode(text.bytes);
    const baseline = Math.round(text.baseline);
    c.font = fontOf(text.face, text.size);
    c.textRendering = "geometricPrecision"; // otherwise glyphs move to whole pixels, away from their position in the draw list
    c.fillStyle = cssColour(text.colour);
    const glyphs = [...string].map((character) => ({
      character,
      metrics: this.view.glyph(text.face, character.codePointAt(0) ?? 0),
    }));
    if (!glyphs.every(({ metrics }) => metrics.ours)) {
      c.save();
      c.beginPath();
      c.rect(text.x, baseline - 2 * text.size, text.maxWidth, 3 * text.size);
      c.clip();
      c.fillText(string, text.x, baseline);
      c.restore();
      return;
    }
    let pen = text.x;
    for (const { character, metrics } of glyphs) {
      if (pen + metrics.advance * text.size > text.x + text.maxWidth + 0.5) return;
      c.fillText(character, pen + metrics.shift * text.size, baseline);
      pen += metrics.advance * text.size;
    }
  }
}
