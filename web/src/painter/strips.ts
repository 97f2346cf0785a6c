/** The strips of a plan (src/view/paint_plan.h): rectangles whose pixels have their colours in a texture. */
import { PAINT_TEXEL_COLUMNS, PaintStripLayout } from "generated/border.ts";
import { attribute, Mesh, QUAD } from "./mesh.ts";
import type { Plan } from "./plan.ts";

const { x, y, w, h, u, v, step } = PaintStripLayout;

export class Strips {
  readonly mesh: Mesh;
  private readonly texture: WebGLTexture;
  private textureRows = 0;

  /** `unit`: the texture unit to which the texture stays bound. */
  constructor(
    private gl: WebGL2RenderingContext,
    private unit: number,
  ) {
    this.texture = gl.createTexture();
    this.mesh = new Mesh(gl, PaintStripLayout.sizeof, 4, QUAD, [attribute("float", x, y, w, h), attribute("float", u, v, step)]);
  }

  upload(plan: Plan): void {
    const { strip_count: count, texel_rows: rows } = plan.list;
    if (count === 0) return;
    this.mesh.setCorners(plan.stripCorners(), count);
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + this.unit);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    if (rows > this.textureRows) {
      this.textureRows = Math.max(16, 2 * rows);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, PAINT_TEXEL_COLUMNS, this.textureRows, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    }
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, PAINT_TEXEL_COLUMNS, rows, gl.RGBA, gl.UNSIGNED_BYTE, plan.texels());
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
    gl.activeTexture(gl.TEXTURE0);
  }
}
