/**
 * Items as triangles: an item is repeated for each of its corners, and a constant index list connects
 * them.
 *
 * Instancing is slower: with four corners for each instance most lanes of a graphics card are idle, and a software
 * rasteriser (SwiftShader, on a machine without a usable graphics card) runs its whole pipeline for each instance,
 * which takes thirty times as long.
 */

export interface Attribute {
  /** The number of components, and the offset in the item in bytes. */
  size: number;
  at: number;
  kind: "float" | "colour" | "ushort" | "flags";
}

/** Returns the attribute for members of a struct, from their offsets. Throws if they are not adjacent. */
export function attribute(kind: "float" | "flags", ...members: number[]): Attribute {
  const [at = 0] = members;
  const bytes = kind === "float" ? 4 : 2;
  if (members.some((member, i) => member !== at + i * bytes)) throw new Error("The members of an attribute are not adjacent.");
  return { size: members.length, at, kind };
}

export class Mesh {
  private words = new Uint32Array(0);
  private room = 0;
  private readonly array: WebGLVertexArrayObject;
  private readonly vertices: WebGLBuffer;
  private readonly indices: WebGLBuffer;

  /** `pattern`: the indices of the corners of an item's triangles. */
  constructor(
    private gl: WebGL2RenderingContext,
    private itemBytes: number,
    private corners: number,
    private pattern: number[],
    attributes: Attribute[],
  ) {
    this.array = gl.createVertexArray();
    this.vertices = gl.createBuffer();
    this.indices = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    attributes.forEach(({ size, at, kind }, i) => {
      gl.enableVertexAttribArray(i);
      if (kind === "flags") gl.vertexAttribIPointer(i, size, gl.UNSIGNED_SHORT, itemBytes, at);
      else if (kind === "float") gl.vertexAttribPointer(i, size, gl.FLOAT, false, itemBytes, at);
      else if (kind === "colour") gl.vertexAttribPointer(i, size, gl.UNSIGNED_BYTE, true, itemBytes, at);
      else gl.vertexAttribPointer(i, size, gl.UNSIGNED_SHORT, false, itemBytes, at);
    });
    gl.bindVertexArray(null);
  }

  /** Sets the items of the next draws. */
  fill(items: Uint32Array, count: number): void {
    const { corners } = this;
    const itemWords = this.itemBytes / 4;
    const size = corners * itemWords;
    if (this.words.length < count * size) this.words = new Uint32Array(2 * count * size);
    const { words } = this;
    for (let item = 0, from = 0, to = 0; item < count; item++, to += size) {
      for (let word = to; word < to + itemWords; word++) {
        const value = items[from++] as number;
        for (let corner = word; corner < to + size; corner += itemWords) words[corner] = value;
      }
    }
    this.setCorners(words.subarray(0, count * size), count);
  }

  /** Does the same for items that are there once for each corner. */
  setCorners(items: ArrayBufferView, count: number): void {
    if (count === 0) return;
    this.reserve(count);
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, items, gl.STREAM_DRAW);
  }

  /** Selects the buffers for the next draws. */
  bind(): void {
    this.gl.bindVertexArray(this.array);
  }

  draw(first: number, count: number): void {
    const gl = this.gl;
    gl.drawElements(gl.TRIANGLES, count * this.pattern.length, gl.UNSIGNED_INT, 4 * first * this.pattern.length);
  }

  /** Makes the list of indices long enough. */
  private reserve(count: number): void {
    if (count <= this.room) return;
    this.room = Math.max(1024, 2 * this.room, count);
    const { corners, pattern } = this;
    const indices = new Uint32Array(this.room * pattern.length);
    for (let item = 0, at = 0; item < this.room; item++) for (const corner of pattern) indices[at++] = item * corners + corner;
    const gl = this.gl;
    gl.bindVertexArray(this.array);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }
}

export const QUAD = [0, 1, 2, 2, 1, 3];

/** Returns the pattern of a ribbon of `steps` pieces between two lines of corners. */
export function ribbon(steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => QUAD.map((corner) => 2 * i + corner)).flat();
}
