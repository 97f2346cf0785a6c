/**
 * Glyphs and shaped strings as sprites, rasterised with Canvas2D when first needed and packed on shelves.
 *
 * A glyph of Inter has one sprite for each quarter of a pixel at which it can start, so that text is sharp at the exact
 * position in the draw list. A string with other characters (another script, emoji) is one sprite, shaped as a whole by
 * the browser.
 */
import { cssColour, fontOf } from "./frame.ts";
import { t } from "../texts.ts";

export const PHASES = 4;
const PAD = 2;

export interface Sprite {
  /** The position in the atlas, in texels. */
  u: number;
  v: number;
  w: number;
  h: number;
  /** The offset from the pen position on the baseline to the top left corner. */
  left: number;
  top: number;
  coloured: boolean;
}

const EMPTY: Sprite = { u: 0, v: 0, w: 0, h: 0, left: 0, top: 0, coloured: false };

export class Atlas {
  private sprites = new Map<string, Sprite>();
  private glyphs = new Map<number, Sprite>();
  private sizes: number[] = [];
  private shelfX = 0;
  private shelfY = 0;
  private shelfHeight = 0;
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  /** Set when the atlas was full: all sprites were removed, and the frame must be drawn again. */
  overflowed = false;

  constructor(
    readonly size: number,
    private upload: (x: number, y: number, pixels: ImageData) => void,
  ) {
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (context === null) throw new Error(t("timeline.no-canvas"));
    this.context = context;
  }

  clear(): void {
    this.sprites.clear();
    this.glyphs.clear();
    this.shelfX = this.shelfY = this.shelfHeight = 0;
    this.overflowed = false;
  }

  /**
   * `dark`: the text will get a dark colour. It is drawn black, because rasterisers adjust the weight of glyphs to
   * their colour.
   */
  glyph(codePoint: number, face: number, size: number, phase: number, dark: boolean): Sprite {
    const key = ((this.sizeIndex(size) * 2 + face) * 2 + (dark ? 1 : 0)) * PHASES * 0x110000 + phase * 0x110000 + codePoint;
    let sprite = this.glyphs.get(key);
    if (sprite === undefined) {
      const colour = dark ? "#000" : "#fff";
      sprite = this.rasterise(String.fromCodePoint(codePoint), face, size, phase / PHASES, colour, false);
      this.glyphs.set(key, sprite);
    }
    return sprite;
  }

  string(text: string, face: number, size: number, colour: number): Sprite {
    const opaque = (colour | 0xff) >>> 0;
    const key = `${face} ${size} ${opaque} ${text}`;
    let sprite = this.sprites.get(key);
    if (sprite === undefined) {
      sprite = this.rasterise(text, face, size, 0, cssColour(opaque), true);
      this.sprites.set(key, sprite);
    }
    return sprite;
  }

  private sizeIndex(size: number): number {
    const known = this.sizes.indexOf(size);
    return known >= 0 ? known : this.sizes.push(size) - 1;
  }

  private prepare(face: number, size: number, shaped: boolean): void {
    this.context.font = fontOf(face, size);
    this.context.textBaseline = "alphabetic";
    this.context.textRendering = "geometricPrecision";
    this.context.fontKerning = shaped ? "auto" : "none";
  }

  private rasterise(
    text: string,
    face: number,
    size: number,
    shift: number,
    colour: string,
    coloured: boolean,
  ): Sprite {
    this.prepare(face, size, coloured);
    const box = this.context.measureText(text);
    const left = Math.floor(-box.actualBoundingBoxLeft) - PAD;
    const top = -Math.ceil(box.actualBoundingBoxAscent) - PAD;
    const w = Math.min(Math.ceil(box.actualBoundingBoxRight + shift) + PAD - left, this.size);
    const h = Math.min(Math.ceil(box.actualBoundingBoxDescent) + PAD - top, this.size);
    if (box.actualBoundingBoxRight + box.actualBoundingBoxLeft <= 0 || w <= 0 || h <= 0) return EMPTY;
    const place = this.place(w, h);
    if (place === null) return EMPTY;
    if (this.canvas.width < w || this.canvas.height < h) {
      this.canvas.width = Math.max(this.canvas.width, w);
      this.canvas.height = Math.max(this.canvas.height, h);
      this.prepare(face, size, coloured); // a new size resets the context
    }
    this.context.clearRect(0, 0, w, h);
    this.context.fillStyle = colour;
    this.context.fillText(text, shift - left, -top);
    this.upload(place.u, place.v, this.context.getImageData(0, 0, w, h));
    return { ...place, w, h, left, top, coloured };
  }

  private place(w: number, h: number): { u: number; v: number } | null {
    if (this.shelfX + w > this.size) {
      this.shelfY += this.shelfHeight;
      this.shelfX = this.shelfHeight = 0;
    }
    if (this.shelfY + h > this.size) {
      this.overflowed = true;
      return null;
    }
    const place = { u: this.shelfX, v: this.shelfY };
    this.shelfX += w;
    this.shelfHeight = Math.max(this.shelfHeight, h);
    return place;
  }
}
