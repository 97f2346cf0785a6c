/**
 * Rows of narrow rectangles side by side: a dense row has a thousand of them, each one pixel wide. Such a strip is
 * painted as a single rectangle whose columns have their colours in a texture. A mosaic, many small rectangles close
 * together, is painted in the same way with a colour for each pixel.
 */
import { Mesh, QUAD } from "./mesh.ts";

const WIDTH = 2048;
const STRIP_WORDS = 7;

/** Positions in whole pixels; a colour for each column or pixel as in DrawShape, 0 = empty. */
export class Strips {
  readonly mesh: Mesh;
  private items = new Float32Array(STRIP_WORDS * 64);
  private count = 0;
  private texels = new Uint32Array(WIDTH * 16);
  private x = 0;
  private y = 0;
  private readonly texture: WebGLTexture;
  private textureRows = 0;

  /** `unit`: the texture unit to which the texture stays bound. */
  constructor(
    private gl: WebGL2RenderingContext,
    private unit: number,
  ) {
    this.texture = gl.createTexture();
    this.mesh = new Mesh(gl, STRIP_WORDS, 4, QUAD, [
      { size: 4, at: 0, kind: "float" },
      { size: 3, at: 16, kind: "float" },
    ]);
  }

  static readonly most = WIDTH;

  clear(): void {
    this.count = this.x = this.y = 0;
  }

  /** Returns the number of a new strip and the array for its `w` colours, initially 0; w <= `most`. */
  add(x: number, y: number, w: number, h: number): { strip: number; colours: Uint32Array } {
    const at = this.place(w, 1);
    return { strip: this.put(x, y, w, h, at, 0), colours: this.texels.subarray(at, at + w) };
  }

  /** Returns the same for a mosaic; its colours are stored row by row, `pitch` apart. */
  addMosaic(x: number, y: number, w: number, h: number): { strip: number; colours: Uint32Array; pitch: number } {
    const at = this.place(w, h);
    return { strip: this.put(x, y, w, h, at, 1), colours: this.texels.subarray(at), pitch: WIDTH };
  }

  /** Reserves texels for columns and rows, initially 0. */
  private place(w: number, h: number): number {
    if (this.x + w > WIDTH || (h > 1 && this.x > 0)) {
      this.x = 0;
      this.y++;
    }
    const at = this.y * WIDTH + this.x;
    while (at + h * WIDTH > this.texels.length) this.texels = grown(this.texels);
    for (let row = 0; row < h; row++) this.texels.fill(0, at + row * WIDTH, at + row * WIDTH + w);
    this.y += h - 1;
    this.x = h > 1 ? WIDTH : this.x + w;
    return at;
  }

  /** `step`: the distance of two rows of pixels in rows of texels. */
  private put(x: number, y: number, w: number, h: number, at: number, step: number): number {
    if ((this.count + 1) * STRIP_WORDS > this.items.length) {
      const old = this.items;
      this.items = new Float32Array(old.length * 2);
      this.items.set(old);
    }
    this.items.set([x, y, w, h, at % WIDTH, Math.floor(at / WIDTH), step], this.count * STRIP_WORDS);
    return this.count++;
  }

  upload(): void {
    if (this.count === 0) return;
    this.mesh.fill(new Uint32Array(this.items.buffer), this.count);
    const gl = this.gl;
    const rows = this.y + 1;
    gl.activeTexture(gl.TEXTURE0 + this.unit);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    if (rows > this.textureRows) {
      this.textureRows = Math.max(16, 2 * rows);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, WIDTH, this.textureRows, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    }
    const bytes = new Uint8Array(this.texels.buffer, 0, rows * WIDTH * 4);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDTH, rows, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
    gl.activeTexture(gl.TEXTURE0);
  }
}

function grown(texels: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(texels.length * 2);
  larger.set(texels);
  return larger;
}
