/**
 * Items as triangles: the words of an item are repeated for each of its corners, and a constant index list connects
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

export class Mesh {
  private words = new Uint32Array(0);
  private room = 0;
  private count = 0;
  private readonly array: WebGLVertexArrayObject;
  private readonly vertices: WebGLBuffer;
  private readonly indices: WebGLBuffer;

  /** `pattern`: the indices of the corners of an item's triangles. */
  constructor(
    private gl: WebGL2RenderingContext,
    private itemWords: number,
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
    const stride = 4 * itemWords;
    attributes.forEach(({ size, at, kind }, i) => {
      gl.enableVertexAttribArray(i);
      if (kind === "flags") gl.vertexAttribIPointer(i, size, gl.UNSIGNED_SHORT, stride, at);
      else if (kind === "float") gl.vertexAttribPointer(i, size, gl.FLOAT, false, stride, at);
      else if (kind === "colour") gl.vertexAttribPointer(i, size, gl.UNSIGNED_BYTE, true, stride, at);
      else gl.vertexAttribPointer(i, size, gl.UNSIGNED_SHORT, false, stride, at);
    });
    gl.bindVertexArray(null);
  }

  /** Makes room for `count` items of the next draws. */
  begin(count: number): void {
    this.reserve(count);
    this.count = 0;
  }

  /** Appends items and returns the index of the first one. */
  add(items: Uint32Array, first: number, count: number): number {
    const { words, itemWords, corners } = this;
    const size = corners * itemWords;
    let from = first * itemWords;
    let to = this.count * size;
    if (corners === 4) return this.addQuads(items, from, to, count);
    for (let item = 0; item < count; item++, to += size) {
      for (let word = to; word < to + itemWords; word++) {
        const value = items[from++] as number;
        for (let corner = word; corner < to + size; corner += itemWords) words[corner] = value;
      }
    }
    this.count += count;
    return this.count - count;
  }

  /** Does the same for items with four corners: most of the words of a frame. */
  private addQuads(items: Uint32Array, first: number, end: number, count: number): number {
    const { words, itemWords } = this;
    let from = first;
    let to = end;
    for (let item = 0; item < count; item++, to += 3 * itemWords) {
      for (let word = 0; word < itemWords; word++, to++) {
        const value = items[from++] as number;
        words[to] = value;
        words[to + itemWords] = value;
        words[to + 2 * itemWords] = value;
        words[to + 3 * itemWords] = value;
      }
    }
    this.count += count;
    return this.count - count;
  }

  upload(): void {
    if (this.count === 0) return;
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, this.words.subarray(0, this.count * this.corners * this.itemWords), gl.STREAM_DRAW);
  }

  fill(items: Uint32Array, count: number): void {
    this.begin(count);
    this.add(items, 0, count);
    this.upload();
  }

  /** Selects the buffers for the next draws. */
  bind(): void {
    this.gl.bindVertexArray(this.array);
  }

  draw(first: number, count: number): void {
    const gl = this.gl;
    gl.drawElements(gl.TRIANGLES, count * this.pattern.length, gl.UNSIGNED_INT, 4 * first * this.pattern.length);
  }

  private reserve(count: number): void {
    if (count <= this.room) return;
    this.room = Math.max(1024, 2 * this.room, count);
    this.words = new Uint32Array(this.room * this.corners * this.itemWords);
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
