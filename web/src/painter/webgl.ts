/** Paints draw lists with WebGL2: a few instanced draws a frame. */
import type { TimelineView } from "../wasm/view.ts";
import { Atlas, PHASES, type Sprite } from "./atlas.ts";
import { BatchKind, CURVE_BYTES, SHAPE_BYTES, type Frame, type Painter, type Text } from "./frame.ts";
import {
  CURVE_FRAGMENT,
  CURVE_STEPS,
  CURVE_VERTEX,
  GLYPH_FRAGMENT,
  GLYPH_VERTEX,
  SHAPE_FRAGMENT,
  SHAPE_VERTEX,
} from "./shaders.ts";

const ATLAS_PX = 2048;
const GLYPH_BYTES = 24;

/** Null when the browser has no WebGL2. */
export function createWebglPainter(canvas: HTMLCanvasElement, view: TimelineView): WebglPainter | null {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, stencil: false });
  return gl === null ? null : new WebglPainter(gl, view);
}

class GlyphBuffer {
  bytes = new ArrayBuffer(GLYPH_BYTES * 4096);
  private view = new DataView(this.bytes);
  count = 0;

  add(x: number, y: number, sprite: Sprite, width: number, colour: number): void {
    if ((this.count + 1) * GLYPH_BYTES > this.bytes.byteLength) this.grow();
    const at = this.count++ * GLYPH_BYTES;
    this.view.setFloat32(at, x, true);
    this.view.setFloat32(at + 4, y, true);
    this.view.setUint16(at + 8, sprite.u, true);
    this.view.setUint16(at + 10, sprite.v, true);
    this.view.setUint16(at + 12, width, true);
    this.view.setUint16(at + 14, sprite.h, true);
    this.view.setUint32(at + 16, colour, true);
    this.view.setFloat32(at + 20, sprite.coloured ? 1 : 0, true);
  }

  private grow(): void {
    const old = new Uint8Array(this.bytes);
    this.bytes = new ArrayBuffer(this.bytes.byteLength * 2);
    new Uint8Array(this.bytes).set(old);
    this.view = new DataView(this.bytes);
  }
}

export class WebglPainter implements Painter {
  readonly name = "webgl2";
  private readonly shapeProgram: WebGLProgram;
  private readonly curveProgram: WebGLProgram;
  private readonly glyphProgram: WebGLProgram;
  private readonly shapeCanvas: WebGLUniformLocation | null;
  private readonly curveCanvas: WebGLUniformLocation | null;
  private readonly glyphCanvas: WebGLUniformLocation | null;
  private readonly shapeArray: WebGLVertexArrayObject;
  private readonly curveArray: WebGLVertexArrayObject;
  private readonly glyphArray: WebGLVertexArrayObject;
  private readonly shapeBuffer: WebGLBuffer;
  private readonly curveBuffer: WebGLBuffer;
  private readonly glyphBuffer: WebGLBuffer;
  private readonly atlas: Atlas;
  private readonly glyphs = new GlyphBuffer();
  private readonly decoder = new TextDecoder();

  constructor(
    private gl: WebGL2RenderingContext,
    private view: TimelineView,
  ) {
    this.shapeProgram = link(gl, SHAPE_VERTEX, SHAPE_FRAGMENT);
    this.curveProgram = link(gl, CURVE_VERTEX, CURVE_FRAGMENT);
    this.glyphProgram = link(gl, GLYPH_VERTEX, GLYPH_FRAGMENT);
    this.shapeCanvas = gl.getUniformLocation(this.shapeProgram, "canvas");
    this.curveCanvas = gl.getUniformLocation(this.curveProgram, "canvas");
    this.glyphCanvas = gl.getUniformLocation(this.glyphProgram, "canvas");
    this.shapeBuffer = gl.createBuffer();
    this.curveBuffer = gl.createBuffer();
    this.glyphBuffer = gl.createBuffer();
    this.shapeArray = gl.createVertexArray();
    this.curveArray = gl.createVertexArray();
    this.glyphArray = gl.createVertexArray();
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, ATLAS_PX, ATLAS_PX);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.atlas = new Atlas(ATLAS_PX, (x, y, pixels) =>
      gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, gl.RGBA, gl.UNSIGNED_BYTE, pixels),
    );
  }

  forgetGlyphs(): void {
    this.atlas.clear();
  }

  paint(frame: Frame): void {
    const gl = this.gl;
    if (gl.isContextLost()) return;
    let starts = this.layGlyphs(frame);
    if (this.atlas.overflowed) {
      this.atlas.clear();
      starts = this.layGlyphs(frame);
    }
    gl.viewport(0, 0, frame.width, frame.height);
    gl.disable(gl.SCISSOR_TEST);
    const [r, g, b] = [24, 16, 8].map((shift) => ((frame.background >>> shift) & 255) / 255) as [number, number, number];
    gl.clearColor(r, g, b, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.shapeBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, frame.shapeBytes(), gl.STREAM_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.curveBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, frame.curveBytes(), gl.STREAM_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.glyphBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(this.glyphs.bytes, 0, this.glyphs.count * GLYPH_BYTES), gl.STREAM_DRAW);
    frame.batches.forEach((batch, i) => {
      const x0 = Math.max(0, Math.floor(batch.x));
      const y0 = Math.max(0, Math.floor(batch.y));
      const x1 = Math.min(frame.width, Math.ceil(batch.x + batch.w));
      const y1 = Math.min(frame.height, Math.ceil(batch.y + batch.h));
      if (x1 <= x0 || y1 <= y0) return;
      gl.scissor(x0, frame.height - y1, x1 - x0, y1 - y0);
      if (batch.kind === BatchKind.Texts) {
        const first = starts[i] ?? 0;
        const count = (starts[i + 1] ?? 0) - first;
        if (count === 0) return;
        this.useGlyphs(first, frame);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
      } else if (batch.kind === BatchKind.Curves) {
        this.useCurves(batch.first, frame);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 2 * (CURVE_STEPS + 1), batch.count);
      } else {
        this.useShapes(batch.first, frame);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, batch.count);
      }
    });
    gl.bindVertexArray(null);
  }

  private useShapes(first: number, frame: Frame): void {
    const gl = this.gl;
    const base = first * SHAPE_BYTES;
    gl.useProgram(this.shapeProgram);
    gl.uniform2f(this.shapeCanvas, frame.width, frame.height);
    gl.bindVertexArray(this.shapeArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.shapeBuffer);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, SHAPE_BYTES, base);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, SHAPE_BYTES, base + 16);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, SHAPE_BYTES, base + 20);
    gl.vertexAttribPointer(3, 2, gl.FLOAT, false, SHAPE_BYTES, base + 24);
    gl.vertexAttribIPointer(4, 2, gl.UNSIGNED_SHORT, SHAPE_BYTES, base + 32);
    this.perInstance(5);
  }

  private useCurves(first: number, frame: Frame): void {
    const gl = this.gl;
    const base = first * CURVE_BYTES;
    gl.useProgram(this.curveProgram);
    gl.uniform2f(this.curveCanvas, frame.width, frame.height);
    gl.bindVertexArray(this.curveArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.curveBuffer);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, CURVE_BYTES, base);
    gl.vertexAttribPointer(1, 2, gl.FLOAT, false, CURVE_BYTES, base + 16);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, CURVE_BYTES, base + 24);
    this.perInstance(3);
  }

  private useGlyphs(first: number, frame: Frame): void {
    const gl = this.gl;
    const base = first * GLYPH_BYTES;
    gl.useProgram(this.glyphProgram);
    gl.uniform2f(this.glyphCanvas, frame.width, frame.height);
    gl.bindVertexArray(this.glyphArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.glyphBuffer);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, GLYPH_BYTES, base);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_SHORT, false, GLYPH_BYTES, base + 8);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, GLYPH_BYTES, base + 16);
    gl.vertexAttribPointer(3, 1, gl.FLOAT, false, GLYPH_BYTES, base + 20);
    this.perInstance(4);
  }

  private perInstance(attributes: number): void {
    for (let i = 0; i < attributes; i++) {
      this.gl.enableVertexAttribArray(i);
      this.gl.vertexAttribDivisor(i, 1);
    }
  }

  /** Fills the glyph buffer; where each batch's glyphs start, and behind the last where they end. */
  private layGlyphs(frame: Frame): number[] {
    this.glyphs.count = 0;
    const starts: number[] = [];
    for (const batch of frame.batches) {
      starts.push(this.glyphs.count);
      if (batch.kind !== BatchKind.Texts) continue;
      for (let i = batch.first; i < batch.first + batch.count; i++) this.layText(frame.text(i));
    }
    starts.push(this.glyphs.count);
    return starts;
  }

  private layText(text: Text): void {
    let ascii = true;
    for (const byte of text.bytes) if (byte >= 0x80) ascii = false;
    const points = ascii ? text.bytes : this.codePoints(text);
    if (points === null) return this.layString(text);
    const dark = isDark(text.colour);
    const end = text.x + text.maxWidth;
    const baseline = Math.round(text.baseline);
    let pen = text.x;
    for (const point of points) {
      const metrics = this.view.glyph(text.face, point);
      const advance = metrics.advance * text.size;
      if (pen + advance > end + 0.5) return;
      const quarters = Math.round((pen + metrics.shift * text.size) * PHASES);
      const pixel = Math.floor(quarters / PHASES);
      const sprite = this.atlas.glyph(point, text.face, text.size, quarters - pixel * PHASES, dark);
      if (sprite.w > 0) this.glyphs.add(pixel + sprite.left, baseline + sprite.top, sprite, sprite.w, text.colour);
      pen += advance;
    }
  }

  /** Null when one of them is not in our font, so that the string must be shaped as a whole. */
  private codePoints(text: Text): number[] | null {
    const points: number[] = [];
    for (const character of this.decoder.decode(text.bytes)) {
      const point = character.codePointAt(0) ?? 0;
      if (!this.view.glyph(text.face, point).ours) return null;
      points.push(point);
    }
    return points;
  }

  private layString(text: Text): void {
    const sprite = this.atlas.string(this.decoder.decode(text.bytes), text.face, text.size, text.colour);
    const x = Math.round(text.x) + sprite.left;
    const width = Math.min(sprite.w, Math.ceil(text.x + text.maxWidth) - x);
    if (width > 0) this.glyphs.add(x, Math.round(text.baseline) + sprite.top, sprite, width, text.colour);
  }
}

function isDark(colour: number): boolean {
  return ((colour >>> 24) * 2 + ((colour >>> 16) & 255) * 5 + ((colour >>> 8) & 255)) / 8 < 128;
}

function link(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) throw new Error("The graphics context is lost.");
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost())
      throw new Error(gl.getShaderInfoLog(shader) ?? "A shader does not compile.");
  }
  gl.linkProgram(program);
  return program;
}
