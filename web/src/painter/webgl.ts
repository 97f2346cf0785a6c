/**
 * Paints draw lists with WebGL2: one draw call for each batch, and in a batch one for each run of shapes that are
 * painted in the same way (plan.ts).
 */
import { DrawBatchKind, DrawCurveLayout, DrawShapeLayout, PaintKind, type DrawShape } from "generated/border.ts";
import type { TimelineView } from "../wasm/view.ts";
import { Atlas, PHASES, type Sprite } from "./atlas.ts";
import type { Batch, Box, Frame, Painter, Text } from "./frame.ts";
import { attribute, Mesh, QUAD, ribbon, type Attribute } from "./mesh.ts";
import { Plan, type Run } from "./plan.ts";
import {
  BARE_FRAGMENT,
  BARE_VERTEX,
  CURVE_FRAGMENT,
  CURVE_STEPS,
  CURVE_VERTEX,
  GLYPH_FRAGMENT,
  GLYPH_VERTEX,
  RECT_FRAGMENT,
  RECT_VERTEX,
  SHAPE_FRAGMENT,
  SHAPE_VERTEX,
  STRIP_FRAGMENT,
  STRIP_VERTEX,
} from "./shaders.ts";
import { Strips } from "./strips.ts";

const ATLAS_PX = 2048;
const GLYPH_BYTES = 24;
const STRIP_UNIT = 1;

/** Attributes in the order of the shaders. */
const SHAPE_ATTRIBUTES: Attribute[] = [
  attribute("float", DrawShapeLayout.x, DrawShapeLayout.y, DrawShapeLayout.w, DrawShapeLayout.h),
  { size: 4, at: DrawShapeLayout.fill, kind: "colour" },
  { size: 4, at: DrawShapeLayout.edge, kind: "colour" },
  attribute("float", DrawShapeLayout.edge_px, DrawShapeLayout.radius),
  attribute("flags", DrawShapeLayout.kind, DrawShapeLayout.style),
];
const CURVE_ATTRIBUTES: Attribute[] = [
  attribute("float", DrawCurveLayout.x0, DrawCurveLayout.y0, DrawCurveLayout.x1, DrawCurveLayout.y1),
  attribute("float", DrawCurveLayout.bend, DrawCurveLayout.width),
  { size: 4, at: DrawCurveLayout.colour, kind: "colour" },
];
const GLYPH_ATTRIBUTES: Attribute[] = [
  { size: 2, at: 0, kind: "float" },
  { size: 4, at: 8, kind: "ushort" },
  { size: 4, at: 16, kind: "colour" },
  { size: 1, at: 20, kind: "float" },
];

/** A program that the browser may still be compiling. */
interface Program {
  program: WebGLProgram;
  shaders: WebGLShader[];
  /** Known when the program is ready. */
  canvas: WebGLUniformLocation | null;
  /** The size of the canvas that the program has. */
  width: number;
  height: number;
}

/** The program and buffers for one kind of item. */
interface Layer extends Program {
  mesh: Mesh;
}

/** Returns null if the browser has no WebGL2. */
export function createWebglPainter(canvas: HTMLCanvasElement, view: TimelineView): WebglPainter | null {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, stencil: false });
  return gl === null ? null : new WebglPainter(gl, view);
}

class GlyphBuffer {
  private bytes = new ArrayBuffer(GLYPH_BYTES * 4096);
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

  get words(): Uint32Array {
    return new Uint32Array(this.bytes);
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
  private readonly shapes: Layer;
  private readonly rects: Layer;
  private readonly bare: Layer;
  private readonly strips: Layer;
  private readonly stripItems: Strips;
  private readonly curves: Layer;
  private readonly texts: Layer;
  private readonly atlas: Atlas;
  private readonly glyphs = new GlyphBuffer();
  private readonly decoder = new TextDecoder();
  /** Signalled when the last frame is painted completely. */
  private done: WebGLSync | null = null;
  /** Not null: tells without waiting whether a program is ready. */
  private readonly parallel: KHR_parallel_shader_compile | null;
  private isLinked = false;
  /** The layer whose program and buffers are in use, in a frame. */
  private used: Layer | null = null;

  constructor(
    private gl: WebGL2RenderingContext,
    private view: TimelineView,
  ) {
    this.parallel = gl.getExtension("KHR_parallel_shader_compile");
    this.shapes = {
      ...program(gl, SHAPE_VERTEX, SHAPE_FRAGMENT),
      mesh: new Mesh(gl, DrawShapeLayout.sizeof, 4, QUAD, SHAPE_ATTRIBUTES),
    };
    this.rects = { ...program(gl, RECT_VERTEX, RECT_FRAGMENT), mesh: this.shapes.mesh };
    this.curves = {
      ...program(gl, CURVE_VERTEX, CURVE_FRAGMENT),
      mesh: new Mesh(gl, DrawCurveLayout.sizeof, 2 * (CURVE_STEPS + 1), ribbon(CURVE_STEPS), CURVE_ATTRIBUTES),
    };
    this.texts = {
      ...program(gl, GLYPH_VERTEX, GLYPH_FRAGMENT),
      mesh: new Mesh(gl, GLYPH_BYTES, 4, QUAD, GLYPH_ATTRIBUTES),
    };
    this.bare = { ...program(gl, BARE_VERTEX, BARE_FRAGMENT), mesh: this.shapes.mesh };
    this.stripItems = new Strips(gl, STRIP_UNIT);
    this.strips = { ...program(gl, STRIP_VERTEX, STRIP_FRAGMENT), mesh: this.stripItems.mesh };
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

  /**
   * True if the programs are compiled. paint() must not be called earlier. They take a browser tens to hundreds of milliseconds, in another process. A question about a program waits for it,
   * so the first one is asked when all are ready.
   */
  get isReady(): boolean {
    if (this.isLinked) return true;
    const { gl, parallel } = this;
    const layers = [this.shapes, this.rects, this.bare, this.strips, this.curves, this.texts];
    if (parallel !== null && !layers.every(({ program }) => gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR) === true)) return gl.isContextLost();
    for (const layer of layers) finish(gl, layer);
    gl.useProgram(this.strips.program);
    gl.uniform1i(gl.getUniformLocation(this.strips.program, "columns"), STRIP_UNIT);
    this.isLinked = !gl.isContextLost();
    return true;
  }

  get isBusy(): boolean {
    const { gl, done } = this;
    return done !== null && gl.getSyncParameter(done, gl.SYNC_STATUS) === gl.UNSIGNALED;
  }

  paint(frame: Frame): void {
    const gl = this.gl;
    if (gl.isContextLost()) return;
    const list = this.view.plan(frame.address);
    if (list === 0) return;
    let starts = this.layGlyphs(frame);
    if (this.atlas.overflowed) {
      this.atlas.clear();
      starts = this.layGlyphs(frame);
    }
    gl.viewport(0, 0, frame.width, frame.height);
    gl.disable(gl.SCISSOR_TEST);
    this.clear(frame.background);
    gl.enable(gl.SCISSOR_TEST);
    const plan = new Plan(this.view.memory, list);
    this.shapes.mesh.setCorners(plan.quadCorners(), plan.list.quad_count);
    this.stripItems.upload(plan);
    this.curves.mesh.fill(frame.curveWords(), frame.curveCount);
    this.texts.mesh.fill(this.glyphs.words, this.glyphs.count);
    let run = 0;
    frame.batches.forEach((batch, i) => {
      const first = run;
      while (plan.runs[run]?.batch === i) run++;
      if (!this.clip(frame, batch)) return;
      if (batch.kind === DrawBatchKind.Shapes) return this.drawShapes(frame, batch, plan.runs.slice(first, run));
      if (batch.kind === DrawBatchKind.Curves) return this.draw(this.curves, batch.first, batch.count, frame);
      const glyph = starts[i] ?? 0;
      this.draw(this.texts, glyph, (starts[i + 1] ?? 0) - glyph, frame);
    });
    gl.bindVertexArray(null);
    this.used = null;
    gl.deleteSync(this.done);
    this.done = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  }

  private clear(colour: number): void {
    const [r, g, b] = [24, 16, 8].map((shift) => ((colour >>> shift) & 255) / 255) as [number, number, number];
    this.gl.clearColor(r, g, b, 1);
    this.gl.clear(this.gl.COLOR_BUFFER_BIT);
  }

  /** Restricts painting to a box; false if it is empty. */
  private clip(frame: Frame, { x, y, w, h }: Box): boolean {
    const [x0, y0] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
    const [x1, y1] = [Math.min(frame.width, Math.ceil(x + w)), Math.min(frame.height, Math.ceil(y + h))];
    if (x1 <= x0 || y1 <= y0) return false;
    this.gl.scissor(x0, frame.height - y1, x1 - x0, y1 - y0);
    return true;
  }

  private drawShapes(frame: Frame, batch: Batch, runs: Run[]): void {
    for (const { kind, first, count } of runs) {
      if (kind === PaintKind.Shapes) this.draw(this.shapes, first, count, frame);
      else if (kind === PaintKind.Rects) this.draw(this.rects, first, count, frame);
      else if (kind === PaintKind.Bare) this.draw(this.bare, first, count, frame);
      else if (kind === PaintKind.Strips) this.draw(this.strips, first, count, frame);
      else this.fillGround(frame, batch, frame.shape(first));
    }
  }

  private fillGround(frame: Frame, batch: Batch, shape: DrawShape): void {
    if (this.clip(frame, overlap(shape, batch))) this.clear(shape.fill);
    this.clip(frame, batch);
  }

  private draw(layer: Layer, first: number, count: number, frame: Frame): void {
    if (count === 0) return;
    if (layer !== this.used) this.use(layer);
    if (layer.width !== frame.width || layer.height !== frame.height) {
      this.gl.uniform2f(layer.canvas, frame.width, frame.height);
      [layer.width, layer.height] = [frame.width, frame.height];
    }
    layer.mesh.draw(first, count);
  }

  /** Selects the program and buffers of the next draws: each call of WebGL takes microseconds. */
  private use(layer: Layer): void {
    this.gl.useProgram(layer.program);
    layer.mesh.bind();
    this.used = layer;
  }

  /**
   * Fills the glyph buffer. Returns the index of the first glyph of each batch, and at the end the number of glyphs.
   */
  private layGlyphs(frame: Frame): number[] {
    this.glyphs.count = 0;
    const starts: number[] = [];
    for (const batch of frame.batches) {
      starts.push(this.glyphs.count);
      if (batch.kind !== DrawBatchKind.Texts) continue;
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

  /** Returns null if a character is not in Inter, so that the string must be shaped as a whole. */
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

function overlap(a: Box, b: Box): Box {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  return { x, y, w: Math.min(a.x + a.w, b.x + b.w) - x, h: Math.min(a.y + a.h, b.y + b.h) - y };
}

function isDark(colour: number): boolean {
  return ((colour >>> 24) * 2 + ((colour >>> 16) & 255) * 5 + ((colour >>> 8) & 255)) / 8 < 128;
}

/** Starts to compile a program, without waiting for it. */
function program(gl: WebGL2RenderingContext, vertex: string, fragment: string): Program {
  const program = gl.createProgram();
  const shaders = [shader(gl, gl.VERTEX_SHADER, vertex), shader(gl, gl.FRAGMENT_SHADER, fragment)];
  for (const shader of shaders) gl.attachShader(program, shader);
  gl.linkProgram(program);
  return { program, shaders, canvas: null, width: 0, height: 0 };
}

function shader(gl: WebGL2RenderingContext, type: GLenum, source: string): WebGLShader {
  const shader = gl.createShader(type);
  if (shader === null) throw new Error("The graphics context is lost.");
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

/** Waits for a program. Throws if it is not valid. */
function finish(gl: WebGL2RenderingContext, layer: Program): void {
  const { program, shaders } = layer;
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true && !gl.isContextLost()) {
    const logs = [...shaders.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(program)];
    throw new Error(logs.filter((log) => log).join("\n") || "A shader does not compile.");
  }
  for (const shader of shaders) gl.deleteShader(shader);
  layer.shaders = [];
  layer.canvas = gl.getUniformLocation(program, "canvas");
}
