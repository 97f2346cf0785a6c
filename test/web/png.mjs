// Reads the PNG of a screenshot: 8-bit RGB or RGBA, not interlaced.
import { inflateSync } from "node:zlib";

export function decodePng(bytes) {
  const chunks = [];
  let header = null;
  for (let at = 8; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const kind = bytes.toString("latin1", at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + size);
    if (kind === "IHDR") header = { width: data.readUInt32BE(0), height: data.readUInt32BE(4), channels: data[9] === 6 ? 4 : 3 };
    if (kind === "IDAT") chunks.push(data);
    at += size + 12;
  }
  const { width, height, channels } = header;
  const raw = inflateSync(Buffer.concat(chunks));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? pixels[y * stride + x - channels] : 0;
      const up = y > 0 ? pixels[(y - 1) * stride + x] : 0;
      const corner = x >= channels && y > 0 ? pixels[(y - 1) * stride + x - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      pixels[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return { width, height, channels, pixels };
}

function paeth(a, b, c) {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** Returns the number of colours, and the part of the picture with the most frequent one. */
export function colourCount(bytes) {
  const { width, height, channels, pixels } = decodePng(bytes);
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return { colours: counts.size, mostFrequent: Math.max(...counts.values()) / (width * height) };
}
